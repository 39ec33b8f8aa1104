//! Documents that are wrong are refused with all their problems at once, each with its path.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use harit_engine::{
    AlertSpec, DeviceSpec, Engine, FarmDocument, Input, InputKind, Problems, RuleSpec, SensorSpec,
    Timestamp,
};
use serde_json::{Value, json};

fn farm() -> Value {
    json!({
        "farm": {"id": "f1", "name": "Farm"},
        "polyhouses": [{"id": "p1", "name": "One", "zones": [{"id": "z1", "name": "Bed"}]}],
        "sensors": [{"id": "t1", "type": "temperature", "scope": {"type": "zone", "polyhouseId": "p1", "zoneId": "z1"}}],
        "devices": [{"id": "fan-1", "type": "fan", "scope": {"type": "farm"}}],
    })
}

fn rule() -> Value {
    json!({
        "id": "r1", "name": "Cool", "scope": {"type": "polyhouse", "polyhouseId": "p1"},
        "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35},
        "actions": [{"device_id": "fan-1", "command": {"action": "on"}}],
    })
}

/// The document with some of its fields replaced, each named by its JSON pointer.
fn with(mut document: Value, changes: &[(&str, Value)]) -> Value {
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = document
            .pointer_mut(parent)
            .unwrap_or_else(|| panic!("no {pointer}"));
        match parent {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value.clone(),
            object => object[key] = value.clone(),
        }
    }
    document
}

fn paths(problems: &Problems) -> Vec<(&str, &str)> {
    problems
        .0
        .iter()
        .map(|p| (p.path.as_str(), p.code))
        .collect()
}

/// The problems of saving a rule: those of its text, or else those of compiling it.
fn save(rule: &Value) -> Problems {
    let engine = Engine::new(&FarmDocument::from_json(&farm()).unwrap()).unwrap();
    match RuleSpec::from_json(rule) {
        Err(problems) => problems,
        Ok(spec) => {
            let input = Input {
                at: Timestamp::from_millis(0),
                kind: InputKind::RulePut(Box::new(spec)),
            };
            engine.check(&input).err().unwrap_or_default()
        }
    }
}

#[test]
fn a_rule_that_makes_sense_is_saved_with_its_defaults() {
    assert_eq!(save(&rule()), Problems::default());
    let spec = RuleSpec::from_json(&rule()).unwrap();
    let stored = serde_json::to_value(&spec).unwrap();
    for (pointer, value) in [
        ("/mode", json!("auto")),
        ("/priority", json!(5)),
        ("/deployed", json!(false)),
        ("/on_signal_lost", json!("stop")),
        ("/trigger/duration_sec", json!(300)),
        ("/trigger/value", json!(35)),
        ("/actions/0/delay_sec", json!(0)),
    ] {
        assert_eq!(stored.pointer(pointer), Some(&value), "{pointer}");
    }
    assert_eq!(
        RuleSpec::from_json(&stored).unwrap(),
        spec,
        "what is stored reads as itself"
    );
}

#[test]
fn all_problems_of_a_rule_are_reported_at_once() {
    let wrong = with(
        rule(),
        &[
            ("/name", json!("  ")),
            ("/priority", json!(11)),
            ("/mode", json!("manual")),
            (
                "/trigger",
                json!({"sensor_type": "heat", "operator": "above", "value": "hot", "duration_sec": 0.5}),
            ),
            (
                "/actions",
                json!([
                    {"device_id": "fan-1", "command": {"action": "set_speed", "value": 101}},
                    {"command": {"action": "pulse", "value": 1.5}, "delay_sec": -1},
                    {"device_id": "fan-1", "command": {"action": "spin"}},
                    {"device_id": "fan-1"},
                ]),
            ),
            (
                "/stop_condition",
                json!({"sensor_type": "ph", "operator": "between", "value": 15}),
            ),
        ],
    );
    let expected = [
        ("name", "required"),
        ("mode", "unknown_word"),
        ("priority", "out_of_range"),
        ("trigger.sensor_type", "unknown_word"),
        ("trigger.operator", "unknown_word"),
        ("trigger.value", "wrong_type"),
        ("trigger.duration_sec", "not_whole"),
        ("actions[0].command.value", "out_of_range"),
        ("actions[1].command.value", "not_whole"),
        ("actions[1].device_id", "required"),
        ("actions[1].delay_sec", "out_of_range"),
        ("actions[2].command.action", "unknown_word"),
        ("actions[3].command", "required"),
        ("stop_condition.operator", "unknown_word"),
        ("stop_condition.value", "out_of_range"),
    ];
    assert_eq!(paths(&save(&wrong)), expected);
}

#[test]
fn what_a_rule_names_must_be_registered() {
    for (changes, expected) in [
        (
            vec![("/scope", json!({"type": "polyhouse", "polyhouseId": "p9"}))],
            vec![("scope.polyhouseId", "unknown")],
        ),
        (
            vec![("/scope", json!({"type": "zone", "polyhouseId": "p1"}))],
            vec![("scope.zoneId", "required")],
        ),
        (
            vec![("/scope", json!({"type": "farm", "farmId": "f2"}))],
            vec![("scope.farmId", "unknown")],
        ),
        (
            vec![
                ("/trigger/sensor_type", json!("ph")),
                ("/trigger/value", json!(7)),
            ],
            vec![("trigger.sensor_type", "no_sensor")],
        ),
        (
            vec![("/actions/0/device_id", json!("fan-9"))],
            vec![("actions[0].device_id", "unknown")],
        ),
        (vec![("/id", json!("rest"))], vec![("id", "reserved")]),
        (
            vec![("/trigger/value", json!(50.000_001))],
            vec![("trigger.value", "out_of_range")],
        ),
        (
            vec![("/trigger/operator", json!("between"))],
            vec![("trigger.value_max", "required")],
        ),
        (
            vec![
                ("/trigger/operator", json!("between")),
                ("/trigger/value_max", json!(34.9)),
            ],
            vec![("trigger.value_max", "out_of_range")],
        ),
    ] {
        assert_eq!(
            paths(&save(&with(rule(), &changes))),
            expected,
            "{changes:?}"
        );
    }
}

#[test]
fn a_condition_goes_outwards_to_the_nearest_sensor() {
    let mut farm = farm();
    farm["sensors"] = json!([{"id": "h1", "type": "humidity", "scope": {"type": "farm"}}]);
    let trigger = json!({"sensor_type": "humidity", "operator": "gt", "value": 80});
    farm["rules"] = json!([with(
        rule(),
        &[
            ("/scope", json!({"type": "zone", "zoneId": "z1"})),
            ("/trigger", trigger)
        ]
    )]);
    assert!(Engine::new(&FarmDocument::from_json(&farm).unwrap()).is_ok());
}

#[test]
fn problems_of_a_farm_name_the_entry() {
    let mut farm = farm();
    farm["rules"] = json!([
        rule(),
        with(rule(), &[("/actions/0/device_id", json!("nothing"))]),
        rule()
    ]);
    farm["sensors"][0]["scope"]["zoneId"] = json!("z7");
    let problems = Engine::new(&FarmDocument::from_json(&farm).unwrap())
        .err()
        .unwrap();
    let found = paths(&problems);
    assert!(
        found.contains(&("sensors[0].scope.zoneId", "unknown")),
        "{found:?}"
    );
    assert!(
        found.contains(&("rules[1].actions[0].device_id", "unknown")),
        "{found:?}"
    );
    assert!(
        found.contains(&("rules[0].trigger.sensor_type", "no_sensor")),
        "{found:?}"
    );
}

#[test]
fn devices_and_sensors_know_their_defaults_and_limits() {
    let device = |changes: &[(&str, Value)]| {
        DeviceSpec::from_json(&with(
            json!({"id": "d", "type": "dosing_pump", "scope": {"type": "farm"}}),
            changes,
        ))
    };
    let secs = |d: Option<harit_engine::Duration>| d.map(harit_engine::Duration::as_secs);
    let spec = device(&[]).unwrap();
    assert_eq!(
        (secs(spec.max_on), secs(spec.max_pulse)),
        (Some(60), Some(300))
    );
    let spec = device(&[
        ("/max_on_sec", Value::Null),
        ("/max_pulse_sec_per_hour", json!(10)),
    ])
    .unwrap();
    assert_eq!((secs(spec.max_on), secs(spec.max_pulse)), (None, Some(10)));
    let wrong = device(&[
        ("/rest", json!({"action": "on"})),
        ("/max_on_sec", json!(0)),
        ("/state", json!({"lock": ""})),
    ]);
    assert_eq!(
        paths(&wrong.unwrap_err()),
        [
            ("rest", "must_be_off"),
            ("max_on_sec", "out_of_range"),
            ("state.lock", "required")
        ]
    );
    let sensor = json!({"id": "s", "type": "ph", "scope": {"type": "farm"}, "stale_after_sec": 0});
    assert_eq!(
        paths(&SensorSpec::from_json(&sensor).unwrap_err()),
        [("stale_after_sec", "out_of_range")]
    );
}

#[test]
fn alerts_say_what_is_wrong_with_them() {
    let wrong = json!({
        "id": "a", "name": "", "repeatsIn": 0, "repeatUnit": "weeks", "match": "some", "lastTriggered": "yesterday",
        "conditions": [{"sensor": "Wind", "operator": "!=", "value": null}],
    });
    assert_eq!(
        paths(&AlertSpec::from_json(&wrong).unwrap_err()),
        [
            ("repeatUnit", "unknown_word"),
            ("repeatsIn", "out_of_range"),
            ("name", "required"),
            ("conditions[0].value", "required"),
            ("conditions[0].sensor", "unknown_word"),
            ("conditions[0].operator", "unknown_word"),
            ("lastTriggered", "invalid_time"),
            ("match", "unknown_word"),
        ]
    );
}
