//! What the past before a span has of a place: the minutes of its sensors and of its devices, and the steps that are made of them.

use std::collections::BTreeMap;

use harit_engine::{DeviceId, Measured, SensorId, SensorType, Timestamp};
use harit_farm::Farm;

use super::fit::Step;
use super::running::{Running, millis};
use crate::past::{Heard, Told};

const MINUTE_MS: i64 = 60_000;
/// The most sensors of which the minutes are kept.
const MAX_SENSORS: usize = 256;
/// The longest gap between two readings, in minutes, over which a straight line goes.
const MAX_GAP: f64 = 15.0;
/// The longest step, in minutes: a step is as long as there are between two readings as a rule, so that what a device does in the few
/// minutes of a run is seen.
const MAX_STEP: usize = 15;
/// Sensors that have fewer of the minutes, in parts of them, have no part in the signal.
const LEAST_SHARE: f64 = 0.5;
/// Groups of devices whose runs differ by less than this part of them run together.
const TOGETHER: f64 = 0.05;

/// Whether sensors of that type are the signal of a model.
pub(super) const fn is_moved(sensor: SensorType) -> bool {
    matches!(
        sensor,
        SensorType::Temperature | SensorType::Humidity | SensorType::SoilMoisture
    )
}

/// Whether they say how much light there is.
pub(super) const fn is_light(sensor: SensorType) -> bool {
    matches!(
        sensor,
        SensorType::LightIntensity | SensorType::SolarRadiation | SensorType::Par
    )
}

/// A minute of a sensor: the sums of what was read in it and of when, in parts of it, and of how many.
#[derive(Debug, Clone, Copy, Default)]
struct Minute {
    sum: f32,
    when: f32,
    of: u16,
}

/// Gathers what the log has until the span begins.
pub(super) struct Learner {
    /// The first reading.
    from: Timestamp,
    to: Timestamp,
    sensors: BTreeMap<SensorId, Option<Vec<Minute>>>,
    devices: BTreeMap<DeviceId, Vec<(Timestamp, Running)>>,
}

impl Learner {
    /// As a farm is at an instant, to learn until another.
    pub(super) fn new(farm: &Farm, since: Timestamp, to: Timestamp) -> Self {
        let devices = farm.engine().devices().map(|d| {
            let running = Running::of(&d);
            (d.spec.id, vec![(since, running)])
        });
        Self {
            from: to,
            to,
            sensors: BTreeMap::new(),
            devices: devices.collect(),
        }
    }

    pub(super) fn hear(&mut self, farm: &Farm, heard: &Heard) {
        for event in &heard.events {
            let Some(device) = Running::device(event) else {
                continue;
            };
            let changes = self.devices.entry(device.clone()).or_default();
            let before = changes.last().map_or_else(Running::default, |(_, r)| *r);
            changes.extend(before.after(event).map(|next| (event.at, next)));
        }
        for told in &heard.told {
            if let Told::Reading {
                sensor,
                at,
                value: Measured::Value(value),
            } = told
                && let Some(sensor) = farm.controllers().sensor(*sensor)
            {
                self.reading(farm, &sensor.id, *at, value.rounded().to_f64());
            }
        }
    }

    /// From when on there is something to learn, and until when.
    pub(super) const fn span(&self) -> (Timestamp, Timestamp) {
        (self.from, self.to)
    }

    fn reading(&mut self, farm: &Farm, sensor: &SensorId, at: Timestamp, value: f64) {
        if self.from == self.to {
            self.from = at.min(self.to);
        }
        let since = (at - self.from).as_millis();
        let minute = usize::try_from(since.div_euclid(MINUTE_MS));
        let Some(minute) = minute.ok().filter(|_| at < self.to) else {
            return;
        };
        if !self.sensors.contains_key(sensor) {
            let kept = self.sensors.values().flatten().count() < MAX_SENSORS;
            let spec = farm.engine().sensor(sensor.as_str()).map(|s| s.spec);
            let wanted = spec.filter(|s| is_moved(s.sensor_type) || is_light(s.sensor_type));
            let own = wanted.filter(|_| kept).map(|_| Vec::new());
            self.sensors.insert(sensor.clone(), own);
        }
        let Some(Some(minutes)) = self.sensors.get_mut(sensor) else {
            return;
        };
        if minutes.len() <= minute {
            minutes.resize(minute + 1, Minute::default());
        }
        #[allow(
            clippy::cast_possible_truncation,
            reason = "what a sensor says is no finer"
        )]
        let (value, part) = (
            value as f32,
            (millis(since.rem_euclid(MINUTE_MS)) / millis(MINUTE_MS)) as f32,
        );
        let own = &mut minutes[minute];
        own.sum += value;
        own.when += part;
        own.of = own.of.saturating_add(1);
    }

    /// What a sensor said at the beginning of each minute, by straight lines over short gaps; none of one that said too little.
    fn line(&self, sensor: &SensorId) -> Option<Vec<Option<f64>>> {
        let minutes = self.sensors.get(sensor)?.as_ref()?;
        let said = minutes.iter().enumerate().filter(|(_, m)| m.of > 0);
        let mut knots = said.map(|(i, m)| {
            let of = f64::from(m.of);
            (count(i) + f64::from(m.when) / of, f64::from(m.sum) / of)
        });
        let (mut before, mut after) = (None, knots.next());
        let mut line = Vec::new();
        for minute in (0..self.minutes()).map(count) {
            while let Some(knot) = after.filter(|(at, _)| *at < minute) {
                before = Some(knot);
                after = knots.next();
            }
            line.push(match (before, after) {
                (_, Some((at, value))) if at <= minute => Some(value),
                (Some((a, x)), Some((b, y))) if b - a <= MAX_GAP => {
                    Some(x + (y - x) * (minute - a) / (b - a))
                }
                _ => None,
            });
        }
        let there = count(line.iter().flatten().count());
        (there >= LEAST_SHARE * count(line.len())).then_some(line)
    }

    fn minutes(&self) -> usize {
        let all = (self.to - self.from).as_millis().div_euclid(MINUTE_MS);
        usize::try_from(all).unwrap_or(0)
    }

    /// The mean of some sensors; a minute in which one is missing has none. None where none of them said enough.
    fn mean(&self, sensors: &[SensorId]) -> Option<Vec<Option<f64>>> {
        let lines: Vec<_> = sensors.iter().filter_map(|s| self.line(s)).collect();
        let of = |i: usize| {
            let values: Option<Vec<f64>> = lines.iter().map(|l| l[i]).collect();
            values.map(|v| v.iter().sum::<f64>() / count(v.len()))
        };
        (!lines.is_empty()).then(|| (0..self.minutes()).map(of).collect())
    }

    /// How far on a device was, minute by minute.
    fn run(&self, device: &DeviceId) -> Vec<f64> {
        let mut run = vec![0.0; self.minutes()];
        let changes = self.devices.get(device).map_or(&[][..], Vec::as_slice);
        for (i, (since, running)) in changes.iter().enumerate() {
            let until = changes.get(i + 1).map_or(self.to, |(at, _)| *at);
            let first = (*since - self.from).as_millis().max(0) / MINUTE_MS;
            let last = (until - self.from).as_millis().max(0) / MINUTE_MS;
            for minute in first..=last {
                let begins = self.from + harit_engine::Duration::from_millis(minute * MINUTE_MS);
                let ends = begins + harit_engine::Duration::from_millis(MINUTE_MS);
                let (a, b) = (begins.max(*since), ends.min(until));
                let Some(sum) = usize::try_from(minute).ok().and_then(|m| run.get_mut(m)) else {
                    break;
                };
                // A pulse counts from when it was sent.
                let before = running.over(*since, a) * millis((a - *since).as_millis());
                let through = running.over(*since, b) * millis((b - *since).as_millis());
                *sum += (through - before).max(0.0) / millis(MINUTE_MS);
            }
        }
        run
    }

    /// The devices by who ran together: what they do can be told only of all of them.
    pub(super) fn groups(&self, devices: &[DeviceId]) -> Vec<(Vec<DeviceId>, Vec<f64>)> {
        let mut groups: Vec<(Vec<DeviceId>, Vec<f64>)> = Vec::new();
        for device in devices {
            let run = self.run(device);
            let all: f64 = run.iter().sum();
            let same = |(_, other): &&mut (Vec<DeviceId>, Vec<f64>)| {
                let differ: f64 = run
                    .iter()
                    .zip(other.iter())
                    .map(|(a, b)| (a - b).abs())
                    .sum();
                all > 0.0 && differ < TOGETHER * all
            };
            match groups.iter_mut().find(same) {
                Some((members, _)) => members.push(device.clone()),
                None => groups.push((vec![device.clone()], run)),
            }
        }
        groups
    }

    /// How many minutes there are between two readings of each of the sensors, as a rule.
    fn step(&self, sensors: &[SensorId]) -> usize {
        let said = sensors.iter().filter_map(|s| self.sensors.get(s)?.as_ref());
        let minutes = |m: &Vec<Minute>| {
            let with = m.iter().filter(|m| m.of > 0).count().max(1);
            (m.len() + with / 2) / with
        };
        said.map(minutes).max().unwrap_or(1).clamp(1, MAX_STEP)
    }

    /// The steps of a signal, with the light where it is measured and how far on each group was.
    pub(super) fn steps(
        &self,
        sensors: &[SensorId],
        light: &[SensorId],
        runs: &[Vec<f64>],
    ) -> Vec<Step> {
        let Some(signal) = self.mean(sensors) else {
            return Vec::new();
        };
        let length = self.step(sensors);
        let light = light.iter().find_map(|s| self.line(s));
        let most = light
            .iter()
            .flatten()
            .flatten()
            .fold(1.0, |a: f64, b| a.max(*b));
        let first = self.from.as_millis().div_euclid(MINUTE_MS);
        let step = |begin: usize| {
            let span = begin..begin + length + 1;
            let values: Vec<f64> = signal
                .get(span.clone())?
                .iter()
                .copied()
                .collect::<Option<_>>()?;
            let light = match &light {
                Some(line) => {
                    let lux: Vec<f64> = line[span].iter().copied().collect::<Option<_>>()?;
                    whole(length, |i| lux[i]) / most
                }
                None => 0.0,
            };
            Some(Step {
                minute: first + i64::try_from(begin).ok()?,
                minutes: i64::try_from(length).ok()?,
                from: *values.first()?,
                to: *values.last()?,
                mean: whole(length, |i| values[i]),
                light,
                run: { runs.iter() }
                    .map(|r| (0..length).map(|i| r[begin + i]).sum::<f64>() / count(length))
                    .collect(),
                run_signal: { runs.iter() }
                    .map(|r| {
                        let there = |i: usize| f64::midpoint(values[i], values[i + 1]);
                        (0..length).map(|i| r[begin + i] * there(i)).sum::<f64>() / count(length)
                    })
                    .collect(),
            })
        };
        (0..self.minutes().saturating_sub(length))
            .step_by(length)
            .filter_map(step)
            .collect()
    }
}

/// The mean over a step of what is known at the beginning of each minute, and at the end.
fn whole(length: usize, at: impl Fn(usize) -> f64) -> f64 {
    let ends = f64::midpoint(at(0), at(length));
    ((1..length).map(at).sum::<f64>() + ends) / count(length)
}

#[allow(clippy::cast_precision_loss, reason = "some thousands of minutes")]
const fn count(n: usize) -> f64 {
    n as f64
}
