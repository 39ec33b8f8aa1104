//! Dependence on one sensor: where it is silent the rule does not start, though all else is as it was.

use super::fold::Plan;
use super::{Case, Hazard, HazardKind};
use crate::engine::Engine;
use crate::event::{Event, EventKind};

/// As many signals are looked at.
const MAX_SIGNALS: usize = 8;

/// The sensors without each of which the rule does not start.
pub(super) fn one_sensor(case: &Case<'_>) -> Vec<Hazard> {
    let mut excerpt = case.excerpt(&[]);
    let goal = excerpt.running(&case.rule);
    let fired = |_: &Engine, events: &[Event]| {
        events
            .iter()
            .any(|e| matches!(&e.kind, EventKind::RuleFired { rule } if *rule == case.rule.id))
    };
    let alone: Vec<usize> = { excerpt.signals.iter().enumerate() }
        .filter(|(_, signal)| signal.members.len() == 1)
        .map(|(n, _)| n)
        .take(MAX_SIGNALS)
        .collect();
    if alone.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    excerpt.search(&goal, false, &mut |situation| {
        let starts = excerpt.fold(case, situation, &Plan::default(), &mut { fired });
        if !starts.is_some_and(|f| f.stopped) {
            return false;
        }
        for signal in alone.iter().map(|n| &excerpt.signals[*n]) {
            let sensors = &case.engine.state.sensors;
            let Some(sensor) = signal.members.first().and_then(|ix| sensors.get(*ix)) else {
                continue;
            };
            let sensor =
                crate::document::SensorSpec::unpack(&sensor.document, &case.engine.state.words).id;
            let plan = Plan {
                silent: Some(sensor.clone()),
                ..Plan::default()
            };
            let silent = excerpt.fold(case, situation, &plan, &mut { fired });
            if let Some(folded) = silent.filter(|f| !f.stopped) {
                found.push(Hazard {
                    kind: HazardKind::OneSensor {
                        sensor,
                        sensor_type: signal.sensor_type,
                        place: signal.place.clone(),
                    },
                    example: folded.example,
                });
            }
        }
        true
    });
    found
}
