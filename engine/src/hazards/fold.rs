//! Folds a situation: an engine of the excerpt is given its days, its readings again and again, and what devices report, and one watches
//! what it does.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::excerpt::Excerpt;
use super::search::Situation;
use super::{Case, Example, ExampleReading};
use crate::document::{NodeSpec, RuleSpec, TriggerSpec, WhenSpec};
use crate::engine::Engine;
use crate::event::{Event, EventKind};
use crate::id::{DeviceId, SensorId};
use crate::input::{Input, InputKind, Status};
use crate::quantity::{Mean, Measured, Quantity};
use crate::setting::SentOrder;
use crate::time::{Duration, Timestamp};

/// The most inputs of one example, and of all that is folded for an answer.
const MAX_INPUTS: usize = 20_000;
const MAX_EFFORT: u32 = 40_000;
/// The most time before an hour that is folded.
const MAX_LEAD: Duration = Duration::from_secs(3 * 86_400);
/// So long after it was told a device reports what it does.
const REPORTS_AFTER: Duration = Duration::from_secs(1);
/// Readings come at least so often in a span.
const READINGS: i64 = 240;
const SECOND: Duration = Duration::from_secs(1);

/// How much was folded for an answer.
#[derive(Debug, Default)]
pub(super) struct Effort(Cell<u32>);

/// What is folded.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    /// How long after the situation's hour one watches at most.
    pub(super) after: Duration,
    /// A sensor that says nothing.
    pub(super) silent: Option<SensorId>,
    /// A device whose reports stay as they were.
    pub(super) frozen: Option<DeviceId>,
    /// Whether all devices report what they are told, also those of which the situation says something.
    pub(super) follow: bool,
}

/// What a fold came to.
#[derive(Debug)]
pub(super) struct Folded {
    pub(super) example: Example,
    /// Whether what was watched for came.
    pub(super) stopped: bool,
}

impl Excerpt<'_> {
    /// So long it takes at most until rules whose conditions are true have acted.
    pub(super) fn lead(&self) -> Option<Duration> {
        let of = |rule: &RuleSpec| {
            let when = |when: &WhenSpec| when.duration();
            let trigger = rule.trigger.when().map_or(Duration::ZERO, when);
            let guard = match &rule.trigger {
                TriggerSpec::Schedule(s) => s.guard.iter().collect(),
                TriggerSpec::When(_) => Vec::new(),
            };
            let trees = rule.trees().into_iter().chain(guard);
            let holds = trees.flat_map(NodeSpec::nodes).map(|n| n.hold);
            let delays = rule.actions.iter().map(|a| a.delay).max();
            holds.fold(trigger, |sum, hold| sum + hold) + delays.unwrap_or_default()
        };
        let lead = { self.rules().map(of) }.fold(Duration::from_secs(120), |sum, d| sum + d);
        (lead <= MAX_LEAD).then_some(lead)
    }

    /// Folds a situation, until `watch` says so. None where that is too much, or makes no sense.
    pub(super) fn fold(
        &self,
        case: &Case<'_>,
        situation: &Situation,
        plan: &Plan,
        watch: &mut dyn FnMut(&Engine, &[Event]) -> bool,
    ) -> Option<Folded> {
        let lead = self.lead()?;
        let document = self.document();
        let mut engine = Engine::new(&document).ok()?;
        let begin = situation.at - lead;
        let end = situation.at + plan.after.max(lead);
        let sensors = self.sensors();
        let stale = { sensors.iter() }.map(|(s, _)| s.stale_after).min();
        let span = (end - begin).as_millis();
        let step = Duration::from_millis((span / READINGS).max(SECOND.as_millis()));
        let step = stale.map_or(step, |s| step.min(Duration::from_millis(s.as_millis() / 2)));
        if (span / step.as_millis().max(1)) * i64::try_from(sensors.len()).ok()?
            > i64::try_from(MAX_INPUTS).ok()?
        {
            return None;
        }
        let readings: Vec<(SensorId, i64)> = { sensors.iter() }
            .filter(|(sensor, _)| plan.silent.as_ref() != Some(&sensor.id))
            .map(|(sensor, signals)| {
                let mut means = signals.iter().map(|n| situation.signals.get(*n));
                let mean = means.find_map(|mean| mean.copied().flatten());
                let value = mean.unwrap_or_else(|| {
                    let (low, high) = sensor.sensor_type.editor_range();
                    Quantity::from_units(i64::midpoint(low, high)).as_micro()
                });
                (sensor.id.clone(), value)
            })
            .collect();
        let fixed = |id: &DeviceId| {
            let n = self.reports.iter().position(|d| d == id)?;
            situation.reports.get(n).copied().flatten()
        };
        // What is to be told, by instant and in this order.
        let mut ahead: BTreeMap<(Timestamp, u32), InputKind> = BTreeMap::new();
        let mut number = 0;
        let mut plan_input = |ahead: &mut BTreeMap<_, _>, at: Timestamp, kind: InputKind| {
            number += 1;
            ahead.insert((at, number), kind);
        };
        plan_input(
            &mut ahead,
            begin,
            InputKind::Almanac(situation.days.clone()),
        );
        for device in self.devices() {
            let on = fixed(&device.id).unwrap_or(false);
            plan_input(&mut ahead, begin, running(&device.id, on));
        }
        let follows = |id: &DeviceId| {
            plan.frozen.as_ref() != Some(id) && (plan.follow || fixed(id).is_none())
        };
        let mut inputs = Vec::new();
        let mut next_reading = begin;
        let mut stopped = false;
        loop {
            let planned = ahead.keys().next().map(|(at, _)| *at);
            let told = planned
                .map_or(next_reading, |at| at.min(next_reading))
                .min(end);
            let due = engine.next_deadline().filter(|at| *at < told);
            let (at, kinds) = match due {
                Some(at) => (at, vec![InputKind::Tick]),
                None if told >= end => (end, vec![InputKind::Tick]),
                None if planned == Some(told) => {
                    let first = ahead.pop_first();
                    (told, first.map(|(_, kind)| kind).into_iter().collect())
                }
                None => {
                    next_reading = told + step;
                    let reading = |(sensor, value): &(SensorId, i64)| InputKind::Reading {
                        sensor: sensor.clone(),
                        value: Measured::exact(Quantity::from_micro(*value)),
                    };
                    (told, readings.iter().map(reading).collect())
                }
            };
            for kind in kinds {
                let input = Input { at, kind };
                let mut events = Vec::new();
                case.effort.0.set(case.effort.0.get() + 1);
                if inputs.len() >= MAX_INPUTS || case.effort.0.get() > MAX_EFFORT {
                    return None;
                }
                engine.apply(&input, &mut events).ok()?;
                inputs.push(input);
                for (device, at, on) in events.iter().flat_map(reported) {
                    if follows(&device) {
                        plan_input(&mut ahead, at, running(&device, on));
                    }
                }
                stopped = watch(&engine, &events);
                if stopped {
                    break;
                }
            }
            if stopped || at >= end {
                let example = self.example(&engine, document, inputs, situation);
                return Some(Folded { example, stopped });
            }
        }
    }

    fn example(
        &self,
        engine: &Engine,
        document: crate::document::FarmDocument,
        inputs: Vec<Input>,
        situation: &Situation,
    ) -> Example {
        let readings = self.signals.iter().zip(&situation.signals);
        let readings = readings.filter_map(|(signal, meant)| {
            let meant = Quantity::from_micro((*meant)?);
            // Where a narrower signal is another, the mean is not quite what was meant.
            let is = engine.signal(&signal.place, signal.sensor_type);
            let exact = is.is_none_or(|m| m.sum == meant.as_micro() * i64::from(m.count));
            Some(ExampleReading {
                sensor_type: signal.sensor_type,
                place: signal.place.clone(),
                value: is.filter(|_| !exact).map_or(meant, Mean::shown),
            })
        });
        let reports = self.reports.iter().zip(&situation.reports);
        Example {
            document,
            at: inputs.last().map_or(situation.at, |input| input.at),
            inputs,
            by_clock: situation.by_clock,
            readings: readings.collect(),
            reports: reports
                .filter_map(|(id, on)| Some((id.clone(), (*on)?)))
                .collect(),
        }
    }
}

fn running(device: &DeviceId, on: bool) -> InputKind {
    InputKind::Status {
        device: device.clone(),
        status: Status {
            running: Some(Some(on)),
            ..Status::default()
        },
    }
}

/// What a device reports after an event: which, when and whether it is on.
fn reported(event: &Event) -> Vec<(DeviceId, Timestamp, bool)> {
    let EventKind::Command(command) = &event.kind else {
        return Vec::new();
    };
    let (device, at) = (command.device(), event.at + REPORTS_AFTER);
    match command.order() {
        SentOrder::Set(setting) => vec![(device.clone(), at, setting.is_on())],
        SentOrder::Pulse { secs } => vec![
            (device.clone(), at, true),
            (device.clone(), at + Duration::from_secs(secs.into()), false),
        ],
        SentOrder::Release => Vec::new(),
    }
}
