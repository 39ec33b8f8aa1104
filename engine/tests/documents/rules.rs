//! Documents of rules.

use harit_engine::{AlertSpec, Engine, FarmDocument, Problems, RuleSpec};
use serde_json::{Value, json};

use crate::{farm, paths, rule, save, with};

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

/// What people read of its conditions: trees apart from comparisons, and a guard in the place of a trigger.
#[test]
fn a_rule_tells_its_trees() {
    let nodes = |changes: &[(&str, Value)]| {
        let rule = RuleSpec::from_json(&with(rule(), changes)).unwrap();
        let of = |tree: Option<&harit_engine::NodeSpec>| tree.map(|root| root.nodes().len());
        (of(rule.trigger_tree()), of(rule.stop_tree()))
    };
    let weekend = json!({"days": ["sat", "sun"]});
    assert_eq!(nodes(&[]), (None, None));
    let comparison = json!({"sensor_type": "ph", "operator": "gt", "value": 7});
    assert_eq!(nodes(&[("/stop_condition", comparison)]), (None, None));
    let trees = [
        ("/trigger", json!({"not": weekend})),
        ("/stop_condition", weekend.clone()),
    ];
    assert_eq!(nodes(&trees), (Some(2), Some(1)));
    let schedule = json!({"schedule": {"at": ["06:00"], "guard": weekend, "if_unknown": "run"}});
    let guarded = [("/trigger", schedule), ("/run_sec", json!(60))];
    assert_eq!(nodes(&guarded), (Some(1), None));
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
fn what_has_the_wrong_type_is_named_and_null_is_as_if_absent() {
    for (changes, expected) in [
        (
            vec![("/deployed", json!("yes"))],
            ("deployed", "wrong_type"),
        ),
        (vec![("/actions", json!({}))], ("actions", "wrong_type")),
        (
            vec![("/actions/0", json!(7))],
            ("actions[0]", "not_an_object"),
        ),
        (vec![("/name", json!(true))], ("name", "wrong_type")),
        (vec![("/scope", json!([]))], ("scope", "not_an_object")),
        (vec![("/scope", Value::Null)], ("scope", "required")),
        (vec![("/scope", json!({}))], ("scope.type", "required")),
        (
            vec![("/scope", json!({"type": "polyhouse"}))],
            ("scope.polyhouseId", "required"),
        ),
        (
            vec![("/scope", json!({"type": "zone"}))],
            ("scope.zoneId", "required"),
        ),
        (vec![("/trigger", Value::Null)], ("trigger", "required")),
        (vec![("/priority", json!(0))], ("priority", "out_of_range")),
        (vec![("/priority", json!(2.5))], ("priority", "not_whole")),
        (vec![("/id", json!(""))], ("id", "invalid_id")),
        (vec![("/id", json!("x".repeat(129)))], ("id", "invalid_id")),
        (vec![("/id", json!("a\nb"))], ("id", "invalid_id")),
        (
            vec![("/actions", json!(vec![rule()["actions"][0].clone(); 65]))],
            ("actions", "too_many"),
        ),
    ] {
        let problems = RuleSpec::from_json(&with(rule(), &changes)).unwrap_err();
        assert_eq!(paths(&problems), [expected], "{changes:?}");
    }
    for fits in [
        ("/id", json!("x".repeat(128))),
        ("/priority", json!(1)),
        ("/priority", json!(10)),
        ("/priority", Value::Null),
        ("/mode", Value::Null),
        ("/stop_condition", Value::Null),
        ("/actions", json!(vec![rule()["actions"][0].clone(); 64])),
    ] {
        RuleSpec::from_json(&with(rule(), &[fits])).unwrap();
    }
}

#[test]
fn a_value_at_the_ends_of_its_range_is_taken() {
    for (kind, low, high, below, above) in [
        ("temperature", -10, 50, -11, 51),
        ("humidity", 0, 100, -1, 101),
        ("soil_moisture", 0, 100, -1, 101),
        ("ph", 0, 14, -1, 15),
        ("ec", 0, 10, -1, 11),
        ("reservoir_level", 0, 100, -1, 101),
        ("light_intensity", 0, 100_000, -1, 100_001),
        ("co2_level", 0, 2_000, -1, 2_001),
    ] {
        let of = |value: i32| {
            let trigger = json!({"sensor_type": kind, "operator": "gt", "value": value});
            RuleSpec::from_json(&with(rule(), &[("/trigger", trigger)]))
        };
        assert!(of(low).is_ok() && of(high).is_ok(), "{kind}");
        for value in [below, above] {
            assert_eq!(
                paths(&of(value).unwrap_err()),
                [("trigger.value", "out_of_range")],
                "{kind} {value}"
            );
        }
    }
    // The upper end has the same range; both ends may be one.
    let between = |value: i32, max: i32| {
        let trigger =
            json!({"sensor_type": "ph", "operator": "between", "value": value, "value_max": max});
        RuleSpec::from_json(&with(rule(), &[("/trigger", trigger)]))
    };
    assert!(between(7, 7).is_ok() && between(7, 14).is_ok());
    assert_eq!(
        paths(&between(7, 15).unwrap_err()),
        [("trigger.value_max", "out_of_range")]
    );
}

#[test]
fn every_operator_is_stored_as_it_was_written() {
    for operator in [">", "<", "=", ">=", "<="] {
        let document = json!({
            "id": "a", "name": "A", "repeatsIn": 1, "repeatUnit": "minutes",
            "conditions": [{"sensor": "EC", "operator": operator, "value": 1}],
        });
        let spec = AlertSpec::from_json(&document).unwrap();
        let stored = serde_json::to_value(&spec).unwrap();
        assert_eq!(stored["conditions"][0]["operator"], operator);
        assert_eq!(AlertSpec::from_json(&stored).unwrap(), spec);
    }
}
