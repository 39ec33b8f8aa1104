//! Curves: settings that follow a signal. Values by hand from semantics.md, section 16.

use harit_engine::{FarmSettings, InputKind, RegistryChange, RuleSpec};
use serde_json::{Value, json};

use super::{Farm, MIDNIGHT, rule};

/// 0 % at 24 °C, 50 % at 26 °C, 100 % at 30 °C; 20 % while the temperature is not known.
fn curve(changes: &Value) -> Value {
    let mut curve = json!({"sensor_type": "temperature", "points": [[24, 0], [26, 50], [30, 100]],
        "dead_band": 0.5, "step": 5, "least_sec": 60});
    curve
        .as_object_mut()
        .unwrap()
        .extend(changes.as_object().unwrap().clone());
    curve
}

/// A farm whose vent follows from 06:00 to 18:00.
fn farm(changes: &Value, action: &Value) -> Farm {
    let mut vent = json!({"device_id": "a", "command": {"action": "set_position", "value": 20}, "curve": curve(changes)});
    vent.as_object_mut()
        .unwrap()
        .extend(action.as_object().unwrap().clone());
    Farm::new(&[rule(&json!({
        "trigger": {"time": {"from": "06:00", "to": "18:00"}, "duration_sec": 1}, "actions": [vent],
    }))])
}

#[test]
fn a_claim_follows_its_curve_with_dead_band_step_and_least_time() {
    let mut farm = farm(&json!({}), &json!({}));
    farm.read("t", "05:59", "25");
    assert_eq!(
        farm.until("06:01"),
        ["6:00:01 rule_fired r", "6:00:01 a set_position 25"]
    );
    assert!(
        farm.read("t", "06:05", "25.5").is_empty(),
        "the dead band's end"
    );
    assert_eq!(
        farm.read("t", "06:06", "25.6"),
        ["6:06:00 a set_position 40"],
        "half of the way to 26 and a bit: 40 %"
    );
    // 29 is 87.5, to the nearest multiple of 5 away from zero 90; a minute has not passed.
    assert!(farm.read("t", "06:06", "29").is_empty());
    assert_eq!(farm.until("06:07"), ["6:07:00 a set_position 90"]);
    assert_eq!(
        farm.read("t", "06:09", "40"),
        ["6:09:00 a set_position 100"]
    );
    assert_eq!(
        farm.until("06:24"),
        ["6:24:00 sensor_expired t", "6:24:00 a set_position 20"],
        "not known: the command's own value, at once"
    );
    assert_eq!(
        farm.read("t", "06:24", "24.2"),
        ["6:24:00 a set_position 5"],
        "known again: at once"
    );
    assert_eq!(
        farm.until("18:30")[..2],
        ["6:39:00 sensor_expired t", "6:39:00 a set_position 20"]
    );
}

#[test]
fn what_came_back_into_the_dead_band_is_not_followed() {
    let mut farm = farm(&json!({"least_sec": 600}), &json!({}));
    farm.read("t", "05:59", "25");
    farm.until("06:01");
    assert!(farm.read("t", "06:05", "28").is_empty());
    assert!(farm.read("t", "06:09", "25.4").is_empty());
    assert!(farm.until("06:15").is_empty());
    assert_eq!(farm.read("t", "06:15", "26"), ["6:15:00 a set_position 50"]);
}

#[test]
fn a_curve_over_a_setpoint_moves_with_it() {
    let mut farm = Farm::new(&[]);
    let settings: FarmSettings = serde_json::from_value(json!({"min_samples": 2, "setpoints": [
        {"id": "day", "name": "Day", "sensor_type": "temperature",
            "course": [{"at": "00:00", "value": 24}, {"at": "06:10", "value": 20, "ramp_min": 4}]}]}))
    .unwrap();
    farm.apply(
        MIDNIGHT,
        InputKind::Registry(vec![RegistryChange::Settings(settings)]),
    );
    let vent = json!({"device_id": "a", "command": {"action": "set_position", "value": 0},
        "curve": {"sensor_type": "temperature", "setpoint": "day", "points": [[0, 0], [10, 100]], "least_sec": 0}});
    let rule: RuleSpec = serde_json::from_value(rule(&json!({
        "trigger": {"time": {"from": "06:00", "to": "18:00"}, "duration_sec": 1}, "actions": [vent],
    })))
    .unwrap();
    farm.apply(MIDNIGHT, InputKind::RulePut(Box::new(rule)));
    farm.read("t", "05:59", "25");
    // 1 above 24; then the setpoint falls by 1 a minute.
    assert_eq!(
        farm.until("06:13"),
        [
            "6:00:01 rule_fired r",
            "6:00:01 a set_position 10",
            "6:11:00 a set_position 20",
            "6:12:00 a set_position 30",
            "6:13:00 a set_position 40",
        ]
    );
}

#[test]
fn a_claim_that_lingers_follows_no_more() {
    let mut farm = farm(&json!({"least_sec": 0}), &json!({"linger_sec": 60}));
    farm.read("t", "05:59", "25");
    farm.until("06:01");
    farm.read("t", "17:59", "25");
    assert_eq!(
        farm.until("18:00"),
        [""; 0],
        "it holds until its end is confirmed"
    );
    assert_eq!(
        farm.read("t", "18:00", "26"),
        ["18:00:00 a set_position 50"]
    );
    assert_eq!(
        farm.until("18:01"),
        ["18:00:01 rule_stopped r trigger_cleared"]
    );
    assert!(farm.read("t", "18:01", "30").is_empty());
    assert_eq!(farm.until("18:02"), ["18:01:01 a off"]);
}

#[test]
fn what_is_wrong_with_a_curve_is_said_with_its_place() {
    let wrong = |command: &Value, changes: &Value| {
        let action = json!({"device_id": "a", "command": command, "curve": curve(changes)});
        let trigger = json!({"sensor_type": "temperature", "operator": "gt", "value": 1});
        let rule = rule(&json!({"trigger": trigger, "actions": [action]}));
        let problems = RuleSpec::from_json(&rule).unwrap_err();
        problems
            .0
            .iter()
            .map(|p| p.path.clone())
            .collect::<Vec<_>>()
    };
    let position = json!({"action": "set_position", "value": 20});
    let at = |field: &str| format!("actions[0].curve{field}");
    assert_eq!(wrong(&json!({"action": "on"}), &json!({})), [at("")]);
    assert_eq!(
        wrong(
            &position,
            &json!({"points": [[1, 0], [1, 50], [2, 101], "x"]})
        ),
        [at(".points[1]"), at(".points[2]"), at(".points[3]")]
    );
    assert_eq!(
        wrong(&position, &json!({"points": [[1, 0]]})),
        [at(".points")]
    );
    assert_eq!(
        wrong(
            &position,
            &json!({"step": 0.5, "dead_band": -1, "least_sec": 3601})
        ),
        [at(".step"), at(".dead_band"), at(".least_sec")]
    );
}
