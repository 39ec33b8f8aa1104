//! What a condition sees, and what is true of it.

use harit_engine::{AlertSpec, ConditionSpec, InputKind, Quantity, ScopeSpec, SensorType, Sight};
use serde_json::{Value, json};

use crate::Farm;

fn scope(json: &Value) -> ScopeSpec {
    serde_json::from_value(json.clone()).unwrap()
}

fn seen(farm: &Farm, place: &Value, sensor_type: SensorType) -> Option<Sight> {
    farm.0.sight(&scope(place), sensor_type)
}

#[test]
fn a_condition_sees_the_sensors_of_its_place() {
    let mut farm = Farm::new();
    farm.read(0, "t1", "30");
    farm.read(1, "t2", "33.5");
    let bed = json!({"type": "zone", "zoneId": "z1"});
    let sight = seen(&farm, &bed, SensorType::Temperature).unwrap();
    assert!(sight.own);
    assert_eq!((sight.sensors, sight.fresh), (2, 2));
    let mean = sight.mean.unwrap().shown();
    assert_eq!(mean, Quantity::from_micro(31_750_000));
    assert_eq!(sight.read_at.unwrap().as_millis(), 1_000);
    assert_eq!(sight.place.path.as_deref(), Some("One / Bed 1"));
    assert_eq!(sight.place.polyhouse_id.as_ref().unwrap().as_str(), "p1");
    let sensors = farm.0.sensors_seen(&scope(&bed), SensorType::Temperature);
    let ids: Vec<&str> = sensors.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["t1", "t2"]);
}

#[test]
fn a_condition_sees_the_nearest_place_around_that_has_a_sensor_fresh_or_not() {
    let farm = Farm::new();
    let other = json!({"type": "zone", "zoneId": "z2"});
    let sight = seen(&farm, &other, SensorType::Temperature).unwrap();
    assert!(!sight.own);
    assert_eq!((sight.sensors, sight.fresh), (2, 0));
    assert_eq!((sight.mean, sight.read_at), (None, None));
    let place = serde_json::to_value(&sight.place).unwrap();
    assert_eq!(
        (&place["type"], &place["polyhouseId"], &place["name"]),
        (&json!("polyhouse"), &json!("p1"), &json!("One"))
    );
    assert_eq!(seen(&farm, &other, SensorType::Ph), None);
    assert_eq!(
        seen(
            &farm,
            &json!({"type": "zone", "zoneId": "z9"}),
            SensorType::Temperature
        ),
        None
    );
}

/// A condition on humidity: operator, value, upper value.
fn condition(operator: &str, value: f64, value_max: Option<f64>) -> ConditionSpec {
    let condition = json!({"sensor_type": "humidity", "operator": operator, "value": value, "value_max": value_max});
    let rule = json!({
        "id": "r", "name": "r", "scope": {"type": "farm"}, "trigger": condition,
        "actions": [{"device_id": "fan-1", "command": {"action": "on"}}],
    });
    harit_engine::RuleSpec::from_json(&rule)
        .unwrap()
        .trigger
        .as_condition()
        .unwrap()
        .clone()
}

#[test]
fn two_conditions_can_hold_together_where_their_means_meet() {
    let cases = [
        (("gt", 35.0, None), ("lt", 30.0, None), false),
        (("gt", 35.0, None), ("lt", 40.0, None), true),
        (("gt", 35.0, None), ("lte", 35.0, None), false),
        (("gte", 35.0, None), ("lte", 35.0, None), true),
        (("gt", 35.0, None), ("lt", 35.000_001, None), true),
        (
            ("between", 20.0, Some(25.0)),
            ("between", 25.0, Some(30.0)),
            true,
        ),
        (("between", 20.0, Some(25.0)), ("gt", 25.0, None), false),
        (("eq", 30.0, None), ("gt", 30.04, None), true),
        (("eq", 30.0, None), ("gt", 30.05, None), false),
        (("gt", 10.0, None), ("gt", 90.0, None), true),
        // nothing is above all that there is
        (("gt", 100.0, None), ("gte", 90.0, None), false),
        (("lt", 100.0, None), ("gte", 0.0, None), true),
    ];
    for ((a, x, x_max), (b, y, y_max), expected) in cases {
        let (one, other) = (condition(a, x, x_max), condition(b, y, y_max));
        assert_eq!(one.can_hold_with(&other), expected, "{a} {x} {b} {y}");
        assert_eq!(other.can_hold_with(&one), expected, "{b} {y} {a} {x}");
    }
}

#[test]
fn a_condition_is_true_of_a_mean_as_in_a_rule() {
    let mut farm = Farm::new();
    let bed = json!({"type": "zone", "zoneId": "z1"});
    for (operator, value, reading, expected) in [
        ("gt", 30.0, "30", false),
        ("gt", 30.0, "30.01", true),
        ("gte", 30.0, "30", true),
        ("lt", 30.0, "30", false),
        ("lte", 30.0, "30", true),
        ("eq", 30.0, "30.04", true),
        ("eq", 30.0, "30.06", false),
    ] {
        farm.read(0, "t1", reading);
        let mean = seen(&farm, &bed, SensorType::Temperature).unwrap().mean;
        let holds = condition(operator, value, None).holds(mean.unwrap());
        assert_eq!(holds, expected, "{reading} {operator} {value}");
    }
}

#[test]
fn an_alert_sees_the_worst_of_its_sensors_and_those_it_remembers() {
    let mut farm = Farm::new();
    let mut document = json!({
        "id": "worst", "name": "worst", "repeatsIn": 30, "repeatUnit": "minutes", "evidence": "worst", "match": "any", "hold_sec": 0,
        "scope": {"type": "zone", "zoneId": "z2"},
        "conditions": [
            {"sensor": "Temperature", "operator": ">", "value": 35},
            {"sensor": "Temperature", "operator": "<", "value": 10},
            {"sensor": "Temperature", "operator": "=", "value": 33},
        ],
    });
    let put =
        |document: &Value| InputKind::AlertPut(Box::new(AlertSpec::from_json(document).unwrap()));
    farm.apply(0, put(&document));
    let sights = farm.0.alert_sight("worst").unwrap();
    assert_eq!((sights[0].value, sights[0].holds), (None, None));
    farm.read(1, "t1", "36");
    farm.read(2, "t2", "30.5");
    let shown = |farm: &Farm| -> Vec<(Option<String>, Option<bool>)> {
        let sights = farm.0.alert_sight("worst").unwrap().into_iter();
        sights
            .map(|s| (s.value.map(|v| v.to_string()), s.holds))
            .collect()
    };
    let text = |t: &str| Some(t.to_owned());
    assert_eq!(
        shown(&farm),
        [
            (text("36"), Some(true)),
            (text("30.5"), Some(false)),
            // the mean is compared where there is no worst
            (text("33.25"), Some(false)),
        ]
    );
    let first = farm.0.alert_sight("worst").unwrap().remove(0);
    // no sensor in its zone: those of the house count
    assert_eq!(first.place.unwrap().path.as_deref(), Some("One"));
    let sensors: Vec<(String, bool)> = { first.sensors.into_iter() }
        .map(|s| (s.sensor.spec.id.to_string(), s.remembered))
        .collect();
    assert_eq!(sensors, [("t1".to_owned(), true), ("t2".to_owned(), false)]);
    document["evidence"] = json!("mean");
    farm.apply(3, put(&document));
    assert_eq!(shown(&farm)[0].0, text("33.25"));
}
