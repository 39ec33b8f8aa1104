//! Documents of farms, with their sensors and devices.

use harit_engine::{DeviceSpec, Engine, FarmDocument, RuleSpec, SensorSpec};
use serde_json::{Value, json};

use crate::{farm, paths, rule, with};

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
    // What is stored packed holds a type's place in the table: the first are for ever these.
    assert_eq!(
        told[..8],
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
fn the_table_of_sensor_types_is_sound_and_is_the_documented_one() {
    use harit_engine::SensorType;
    use std::collections::BTreeSet;
    let docs = std::fs::read_to_string("../docs/semantics.md").unwrap();
    let (mut names, mut in_alerts) = (BTreeSet::new(), BTreeSet::new());
    for t in SensorType::ALL {
        let ((from, to), (low, high)) = (t.editor_range(), t.plausible_range());
        assert!(low <= from && from < to && to <= high, "{t}");
        assert!(
            names.insert(t.as_str()) && in_alerts.insert(t.alert_name()),
            "{t}"
        );
        let json = serde_json::to_value(t).unwrap();
        assert_eq!(json, t.as_str());
        assert_eq!(serde_json::from_value::<SensorType>(json).unwrap(), t);
        let unit = if t.unit().is_empty() {
            " ".into()
        } else {
            format!(" {} ", t.unit())
        };
        let row = format!("\n| {t} |{unit}| {from} to {to} | {low} to {high} |\n");
        assert!(docs.contains(&row), "docs/semantics.md has no row {row}");
    }
}
