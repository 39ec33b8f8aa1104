//! Whether a rule starts and stops all the time because its reading wavers: found by giving an engine of one sensor, one device and
//! this rule an hour of readings that waver as such a sensor does by itself.

use harit_engine::{
    ConditionSpec, Engine, EventKind, FarmDocument, Input, InputKind, Mean, Measured, Quantity,
    SensorId, Timestamp,
};
use serde_json::json;

use super::controller_sensors::wavers;

/// More starts than that in an hour wear a machine out.
const MANY_AN_HOUR: u32 = 12;
const HOUR_MS: i64 = 3_600_000;
/// So often the sensor reports.
const EVERY_MS: i64 = 5_000;

/// Readings between which a rule starts and stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chatter {
    pub(super) low: Quantity,
    pub(super) high: Quantity,
    /// How often it starts in an hour.
    pub(super) starts: u32,
}

/// Finds two readings, no further apart than a sensor of its type wavers, between which a rule starts too often. `stop` is its stop
/// condition, of the same signal; without one the rule stops when its trigger has been false for a while.
pub(super) fn chatter(trigger: &ConditionSpec, stop: Option<&ConditionSpec>) -> Option<Chatter> {
    let reach = wavers(trigger.sensor_type);
    let edges = { [Some(trigger), stop].into_iter().flatten() }
        .flat_map(|c| [Some(c.value), c.value_max])
        .flatten();
    let near: Vec<i64> = edges
        .flat_map(|edge| [-reach / 2, 0, reach / 2].map(|by| edge.as_micro().saturating_add(by)))
        .collect();
    let holds = |condition: &ConditionSpec, micro: i64| {
        let (sum, count) = (micro, 1);
        condition.holds(Mean { sum, count })
    };
    let stops = |micro| match stop {
        Some(stop) => holds(stop, micro),
        None => !holds(trigger, micro),
    };
    let starts = |micro| holds(trigger, micro) && stop.is_none_or(|s| !holds(s, micro));
    let pairs = near
        .iter()
        .flat_map(|on| near.iter().map(move |off| (*on, *off)));
    let (on, off) = pairs
        .filter(|(on, off)| starts(*on) && stops(*off) && on.abs_diff(*off) <= reach.unsigned_abs())
        .min_by_key(|(on, off)| on.abs_diff(*off))?;
    let count = fold(trigger, stop, on, off)?;
    (count > MANY_AN_HOUR).then(|| Chatter {
        low: Quantity::from_micro(on.min(off)),
        high: Quantity::from_micro(on.max(off)),
        starts: count,
    })
}

/// How often the rule starts in an hour in which its reading goes from one value to the other as soon as the rule follows.
fn fold(trigger: &ConditionSpec, stop: Option<&ConditionSpec>, on: i64, off: i64) -> Option<u32> {
    let scope = json!({"type": "farm"});
    let document = json!({
        "farm": {"id": "f", "name": "f"},
        "sensors": [{"id": "s", "type": trigger.sensor_type, "scope": scope}],
        "devices": [{"id": "d", "type": "fan", "scope": scope}],
        "rules": [{"id": "r", "name": "r", "deployed": true, "scope": scope,
            "trigger": ConditionSpec { scope: None, ..trigger.clone() },
            "stop_condition": stop.map(|s| ConditionSpec { scope: None, ..s.clone() }),
            "actions": [{"device_id": "d", "command": {"action": "on"}}]}],
    });
    let document = FarmDocument::from_json(&document).ok()?;
    let mut engine = Engine::new(&document).ok()?;
    let (mut started, mut events) = (0, Vec::new());
    let mut runs = false;
    for at in (0..HOUR_MS).step_by(usize::try_from(EVERY_MS).ok()?) {
        let value = Measured::exact(Quantity::from_micro(if runs { off } else { on }));
        let sensor = SensorId::new("s");
        let (at, kind) = (
            Timestamp::from_millis(at),
            InputKind::Reading { sensor, value },
        );
        engine.apply(&Input { at, kind }, &mut events).ok()?;
        for event in events.drain(..) {
            match event.kind {
                EventKind::RuleFired { .. } => (runs, started) = (true, started + 1),
                EventKind::RuleStopped { .. } => runs = false,
                _ => {}
            }
        }
    }
    Some(started)
}

#[cfg(test)]
mod tests {
    use super::*;
    use harit_engine::{Duration, Operator, SensorType};

    fn temperature(operator: Operator, degrees: i64, sec: i64) -> ConditionSpec {
        ConditionSpec {
            sensor_type: SensorType::Temperature,
            operator,
            value: Quantity::from_micro(degrees * 100_000),
            value_max: None,
            duration: Duration::from_secs(sec),
            scope: None,
        }
    }

    #[test]
    fn thresholds_closer_than_a_sensor_wavers_start_a_rule_all_the_time() {
        let on = temperature(Operator::Gt, 300, 30);
        let near = temperature(Operator::Lt, 299, 30);
        let found = chatter(&on, Some(&near)).expect("it chatters");
        assert!(found.high.as_micro() > 30_000_000 && found.low.as_micro() < 29_900_000);
        assert!(
            found.high.as_micro() - found.low.as_micro() <= 500_000,
            "{found:?}"
        );
        // Half a minute up, half a minute down.
        assert!((30..=60).contains(&found.starts), "{found:?}");
        assert!(
            chatter(&on, None).is_some(),
            "nor is there a gap without a stop condition"
        );
    }

    #[test]
    fn a_gap_or_a_hold_keeps_it_from_that() {
        let on = temperature(Operator::Gt, 300, 30);
        let far = temperature(Operator::Lt, 290, 30);
        assert_eq!(chatter(&on, Some(&far)), None);
        let long = |operator, degrees| temperature(operator, degrees, 300);
        assert_eq!(
            chatter(&long(Operator::Gt, 300), Some(&long(Operator::Lt, 299))),
            None
        );
        assert_eq!(chatter(&long(Operator::Gt, 300), None), None);
    }
}
