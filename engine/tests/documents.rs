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

#[test]
fn two_things_of_one_id_are_a_problem_of_the_second() {
    let mut farm = farm();
    farm["rules"] = json!([rule(), rule()]);
    let alert = json!({
        "id": "a1", "name": "Hot", "repeatsIn": 1, "repeatUnit": "hours",
        "conditions": [{"sensor": "Temperature", "operator": ">", "value": 40}],
    });
    farm["alerts"] = json!([alert, alert]);
    for list in ["polyhouses", "sensors", "devices"] {
        let first = farm[list][0].clone();
        farm[list] = json!([first, first]);
    }
    let problems = Engine::new(&FarmDocument::from_json(&farm).unwrap())
        .err()
        .unwrap();
    assert_eq!(
        paths(&problems),
        ["polyhouses", "sensors", "devices", "rules", "alerts"]
            .map(|list| (format!("{list}[1].id"), "duplicate"))
            .iter()
            .map(|(path, code)| (path.as_str(), *code))
            .collect::<Vec<_>>()
    );
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
fn what_is_no_object_at_all_has_one_problem_and_says_what_it_is() {
    for (value, kind) in [
        (Value::Null, "null"),
        (json!(true), "true or false"),
        (json!(1), "a number"),
        (json!("rule"), "text"),
        (json!([rule()]), "a list"),
    ] {
        let problems = RuleSpec::from_json(&value).unwrap_err();
        assert_eq!(
            problems.to_string(),
            format!("expected an object, found {kind}")
        );
        let error = serde_json::from_value::<RuleSpec>(value).unwrap_err();
        assert_eq!(error.to_string(), problems.to_string());
    }
    let two = RuleSpec::from_json(&with(
        rule(),
        &[("/name", json!({})), ("/priority", json!(0))],
    ));
    assert_eq!(
        two.unwrap_err().to_string(),
        "name: expected text, found an object; priority: 0 is outside 1 to 10"
    );
}

#[test]
fn a_farm_needs_itself_and_its_samples_are_one_to_ten() {
    assert_eq!(
        paths(&FarmDocument::from_json(&json!({"sensors": 3})).unwrap_err()),
        [("farm", "required"), ("sensors", "wrong_type")]
    );
    for n in [json!(0), json!(11)] {
        let wrong = with(farm(), &[("/farm/settings", json!({"min_samples": n}))]);
        assert_eq!(
            paths(&FarmDocument::from_json(&wrong).unwrap_err()),
            [("farm.settings.min_samples", "out_of_range")]
        );
    }
    for n in [1, 10] {
        let fits = with(farm(), &[("/farm/settings", json!({"min_samples": n}))]);
        let read = FarmDocument::from_json(&fits).unwrap();
        assert_eq!(read.farm.settings.min_samples, n);
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
fn rest_and_safe_are_settings_to_stay_in() {
    let device = |kind: &str, rest: Value| {
        DeviceSpec::from_json(
            &json!({"id": "d", "type": kind, "scope": {"type": "farm"}, "rest": rest}),
        )
    };
    for (rest, expected) in [
        (
            json!({"action": "pulse", "value": 5}),
            ("rest.action", "unknown_word"),
        ),
        (json!({"action": "spin"}), ("rest.action", "unknown_word")),
        (json!({"action": "set_speed"}), ("rest.value", "required")),
        (
            json!({"action": "set_speed", "value": 101}),
            ("rest.value", "out_of_range"),
        ),
        (
            json!({"action": "set_position", "value": -1}),
            ("rest.value", "out_of_range"),
        ),
        (
            json!({"action": "set_flow_rate", "value": 0.09}),
            ("rest.value", "out_of_range"),
        ),
        (
            json!({"action": "set_flow_rate", "value": 10.1}),
            ("rest.value", "out_of_range"),
        ),
    ] {
        let problems = device("fan", rest.clone()).unwrap_err();
        assert_eq!(paths(&problems), [expected], "{rest}");
    }
    for (rest, told) in [
        (json!({"action": "set_speed", "value": 0}), "set_speed 0"),
        (
            json!({"action": "set_speed", "value": 100}),
            "set_speed 100",
        ),
        (
            json!({"action": "set_flow_rate", "value": 0.1}),
            "set_flow_rate 0.1",
        ),
        (
            json!({"action": "set_flow_rate", "value": 10}),
            "set_flow_rate 10",
        ),
        (json!({"action": "off"}), "off 0"),
        (json!({"action": "on"}), "on 100"),
    ] {
        assert_eq!(device("fan", rest).unwrap().rest.to_string(), told);
    }
    let vent = device("vent", json!({"action": "on"})).unwrap();
    assert_eq!(
        (vent.rest.to_string(), vent.rest.is_on()),
        ("on".into(), true)
    );
    let shut = device("vent", json!({"action": "set_position", "value": 0})).unwrap();
    assert!(!shut.rest.is_on(), "at nothing it is not on");
}

#[test]
fn a_device_type_has_its_name_and_its_limits() {
    for (name, max_on, max_pulse) in [
        ("fan", None, None),
        ("vent", None, None),
        ("pump", Some(3_600), None),
        ("valve", Some(1_800), None),
        ("dosing_pump", Some(60), Some(300)),
        ("sensor", None, None),
    ] {
        let kind = harit_engine::DeviceType::parse(name).unwrap();
        assert_eq!(kind.as_str(), name);
        let secs = |d: Option<harit_engine::Duration>| d.map(harit_engine::Duration::as_secs);
        assert_eq!(
            (secs(kind.default_max_on()), secs(kind.default_max_pulse())),
            (max_on, max_pulse),
            "{name}"
        );
    }
    assert_eq!(harit_engine::DeviceType::parse("tractor"), None);
}

#[test]
fn a_sensor_type_has_its_name_and_its_unit() {
    use harit_engine::SensorType;
    let told: Vec<String> = SensorType::ALL
        .iter()
        .map(|t| format!("{t} {}", t.unit()).trim_end().to_owned())
        .collect();
    assert_eq!(
        told,
        [
            "temperature °C",
            "humidity %",
            "soil_moisture %",
            "ph",
            "ec mS/cm",
            "reservoir_level %",
            "light_intensity lux",
            "co2_level ppm"
        ]
    );
    for t in SensorType::ALL {
        assert_eq!(SensorType::parse(t.as_str()), Some(t));
    }
    assert_eq!(SensorType::parse("wind"), None);
}

#[test]
fn an_alert_was_last_told_at_an_instant_in_either_form() {
    let alert = |changes: &[(&str, Value)]| {
        let document = json!({
            "id": "a", "name": "A", "repeatsIn": 2, "repeatUnit": "days",
            "conditions": [{"sensor": "pH", "operator": "<=", "value": 1}],
        });
        AlertSpec::from_json(&with(document, changes))
    };
    assert_eq!(alert(&[]).unwrap().repeat().as_secs(), 172_800);
    for (told, ms) in [
        (Value::Null, None),
        (json!(1_700_000_000_123_i64), Some(1_700_000_000_123)),
        (json!("2023-11-14T22:13:20.123Z"), Some(1_700_000_000_123)),
        (
            json!("2023-11-15T03:43:20.123+05:30"),
            Some(1_700_000_000_123),
        ),
    ] {
        let read = alert(&[("/lastTriggered", told)]).unwrap();
        assert_eq!(read.last_triggered.map(Timestamp::as_millis), ms);
    }
    for told in [
        json!(1.5),
        json!(true),
        json!("1700000000123"),
        json!("today"),
    ] {
        let problems = alert(&[("/lastTriggered", told.clone())]).unwrap_err();
        assert_eq!(
            paths(&problems),
            [("lastTriggered", "invalid_time")],
            "{told}"
        );
    }
    for value in [1_000_000, -1_000_000] {
        assert!(alert(&[("/conditions/0/value", json!(value))]).is_ok());
    }
    for value in [1_000_001, -1_000_001] {
        assert_eq!(
            paths(&alert(&[("/conditions/0/value", json!(value))]).unwrap_err()),
            [("conditions[0].value", "out_of_range")]
        );
    }
    assert_eq!(
        paths(&alert(&[("/conditions", json!([]))]).unwrap_err()),
        [("conditions", "required")]
    );
    // Ten years are the longest interval.
    for (days, fits) in [(3_650, true), (3_651, false)] {
        assert_eq!(
            alert(&[("/repeatsIn", json!(days))]).is_ok(),
            fits,
            "{days} days"
        );
    }
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

#[test]
fn an_alert_too_must_find_its_place_and_its_sensors() {
    let mut farm = farm();
    let alert = |scope: Value, sensor: &str| {
        json!({
            "id": "a", "name": "A", "repeatsIn": 1, "repeatUnit": "minutes", "scope": scope,
            "conditions": [{"sensor": sensor, "operator": ">", "value": 1}],
        })
    };
    for (scope, sensor, expected) in [
        (
            json!({"type": "zone", "zoneId": "z9"}),
            "Temperature",
            ("alerts[0].scope.zoneId", "unknown"),
        ),
        (
            json!({"type": "zone", "zoneId": "z1", "polyhouseId": "p9"}),
            "Temperature",
            ("alerts[0].scope.polyhouseId", "unknown"),
        ),
        (
            Value::Null,
            "pH",
            ("alerts[0].conditions[0].sensor", "no_sensor"),
        ),
    ] {
        farm["alerts"] = json!([alert(scope, sensor)]);
        let problems = Engine::new(&FarmDocument::from_json(&farm).unwrap())
            .err()
            .unwrap();
        assert_eq!(paths(&problems), [expected]);
    }
}
