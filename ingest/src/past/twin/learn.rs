//! What the past before a span has of a place: the minutes of its sensors and of its devices, and the steps that are made of them.

use std::collections::BTreeMap;

use harit_engine::{DeviceId, InputKind, Measured, SensorId, SensorType, Timestamp};
use harit_farm::Farm;

use super::fit::Step;
use super::running::{Running, millis};
use crate::past::Heard;

const MINUTE_MS: i64 = 60_000;
/// The most sensors of which the minutes are kept.
const MAX_SENSORS: usize = 256;
/// The longest gap between two readings, in minutes, over which a straight line goes.
const MAX_GAP: usize = 15;
/// How long a step is, in minutes.
const STEP: usize = 5;
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

/// The means of a minute: the sum of what was read in it, and of how many.
#[derive(Debug, Clone, Copy, Default)]
struct Minute {
    sum: f32,
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
        for input in &heard.told {
            if let InputKind::Reading {
                sensor,
                value: Measured::Value(value),
            } = &input.kind
            {
                self.reading(farm, sensor, input.at, value.rounded().to_f64());
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
        let minute = usize::try_from((at - self.from).as_millis().div_euclid(MINUTE_MS));
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
        let value = value as f32;
        minutes[minute].sum += value;
        minutes[minute].of = minutes[minute].of.saturating_add(1);
    }

    /// The minutes of a sensor, with straight lines over short gaps; none of one that said too little.
    fn line(&self, sensor: &SensorId) -> Option<Vec<Option<f64>>> {
        let minutes = self.sensors.get(sensor)?.as_ref()?;
        let said = |m: &Minute| (m.of > 0).then(|| f64::from(m.sum) / f64::from(m.of));
        let mut line: Vec<Option<f64>> = minutes.iter().map(said).collect();
        line.resize(self.minutes(), None);
        let mut last: Option<(usize, f64)> = None;
        for i in 0..line.len() {
            let Some(value) = line[i] else { continue };
            if let Some((at, before)) = last.filter(|(at, _)| i - at <= MAX_GAP) {
                for (gap, j) in (at + 1..i).enumerate() {
                    let part = count(gap + 1) / count(i - at);
                    line[j] = Some(before + (value - before) * part);
                }
            }
            last = Some((i, value));
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
        let light = light.iter().find_map(|s| self.line(s));
        let most = light
            .iter()
            .flatten()
            .flatten()
            .fold(1.0, |a: f64, b| a.max(*b));
        let first = self.from.as_millis().div_euclid(MINUTE_MS);
        let step = |begin: usize| {
            let span = begin..begin + STEP + 1;
            let values: Vec<f64> = signal
                .get(span.clone())?
                .iter()
                .copied()
                .collect::<Option<_>>()?;
            let light = match &light {
                Some(line) => {
                    let lux: Vec<f64> = line[span].iter().copied().collect::<Option<_>>()?;
                    whole(|i| lux[i]) / most
                }
                None => 0.0,
            };
            Some(Step {
                minute: first + i64::try_from(begin).ok()?,
                minutes: i64::try_from(STEP).ok()?,
                from: *values.first()?,
                to: *values.last()?,
                mean: whole(|i| values[i]),
                light,
                run: runs.iter().map(|r| whole(|i| r[begin + i])).collect(),
                run_signal: { runs.iter() }
                    .map(|r| whole(|i| r[begin + i] * values[i]))
                    .collect(),
            })
        };
        (0..self.minutes().saturating_sub(STEP))
            .step_by(STEP)
            .filter_map(step)
            .collect()
    }
}

/// The mean over a step, from the middle of its first minute to that of the one after its last.
fn whole(at: impl Fn(usize) -> f64) -> f64 {
    let ends = f64::midpoint(at(0), at(STEP));
    ((1..STEP).map(at).sum::<f64>() + ends) / count(STEP)
}

#[allow(clippy::cast_precision_loss, reason = "some thousands of minutes")]
const fn count(n: usize) -> f64 {
    n as f64
}
