//! What is malformed.

use serde_json::{Value, json};

use super::{course, farm, told};
use crate::Model;

fn with(setpoint: &Value, more: &Value) -> Value {
    let mut setpoint = setpoint.clone();
    let all = setpoint.as_object_mut().unwrap();
    all.extend(more.as_object().unwrap().clone());
    setpoint
}

fn is_taken(more: &Value) -> bool {
    let good = course(&json!([{"at": "06:00", "value": 20}]));
    Model::new(&farm(&with(&good, more), &json!(0))).is_ok()
}

#[test]
fn fields_of_setpoints_have_bounds() {
    let point = |value: f64| json!({"at": "06:00", "value": value});
    let points = |many: usize| json!({"course": vec![point(20.0); many]});
    let ramp =
        |minutes: i64| json!({"course": [{"at": "06:00", "value": 20, "ramp_min": minutes}]});
    let stage =
        |from: &str, days: i64| json!({"from": from, "course": [point(20.0)], "ramp_days": days});
    let stages = |stages: &[Value]| json!({"stages": stages});
    let days = |many: i64| {
        (1..=many)
            .map(|d| stage(&format!("2025-03-{d:02}"), 0))
            .collect::<Vec<_>>()
    };
    for more in [
        json!({"name": "Air by day"}),
        points(24),
        json!({"course": [point(-10.0), point(50.0)]}),
        ramp(0),
        ramp(720),
        json!({"scope": {"type": "zone", "zoneId": "z"}}),
        json!({"scope": null, "stages": null}),
        stages(&days(16)),
        stages(&[stage("2024-02-29", 60)]),
    ] {
        assert!(is_taken(&more), "{more}");
    }
    for more in [
        points(0),
        points(25),
        json!({"course": [point(-10.1)]}),
        json!({"course": [point(50.1)]}),
        json!({"course": [{"at": "06:00"}]}),
        json!({"course": [{"at": "24:00", "value": 20}]}),
        ramp(-1),
        ramp(721),
        json!({"scope": {"type": "zone", "zoneId": "y"}}),
        stages(&days(17)),
        stages(&[stage("2025-02-29", 0)]),
        stages(&[stage("2025-02-01", 61)]),
        stages(&[stage("2025-02-02", 0), stage("2025-02-01", 0)]),
        stages(&[json!({"from": "2025-02-01"})]),
    ] {
        assert!(!is_taken(&more), "{more}");
    }
}

#[test]
fn a_setpoint_that_a_rule_names_stays_and_keeps_its_type() {
    let good = course(&json!([{"at": "06:00", "value": 20}]));
    let model = told(&good, &json!(0), 0..1);
    let air = with(&good, &json!({"id": "air", "sensor_type": "temperature"}));
    let is_taken = |setpoints: Value| {
        let settings = json!({"min_samples": 1, "setpoints": setpoints});
        let change = json!({"at": 0, "input": "registry", "changes": [{"settings": settings}]});
        model.check(&change).is_ok()
    };
    let other = |id: &str| with(&air, &json!({"id": id}));
    assert!(is_taken(json!([air, other("night")])));
    assert!(!is_taken(json!([air, air])), "two of one id");
    assert!(!is_taken(json!([other("night")])));
    assert!(!is_taken(Value::Null));
    assert!(!is_taken(json!([with(
        &air,
        &json!({"sensor_type": "ph", "course": [{"at": "06:00", "value": 6}]})
    )])));
    let many = |n: usize| {
        json!(
            (0..n)
                .map(|n| if n == 0 {
                    air.clone()
                } else {
                    other(&n.to_string())
                })
                .collect::<Vec<_>>()
        )
    };
    assert!(is_taken(many(64)));
    assert!(!is_taken(many(65)));
}

#[test]
fn a_condition_has_a_setpoint_or_a_value() {
    let model = told(
        &course(&json!([{"at": "06:00", "value": 20}])),
        &json!(0),
        0..1,
    );
    let is_taken = |more: Value| {
        let leaf = json!({"sensor_type": "temperature", "operator": "lt", "setpoint": "air", "duration_sec": 5});
        let rule = json!({"id": "s", "scope": {"type": "farm"}, "trigger": with(&leaf, &more), "actions": []});
        model
            .check(&json!({"at": 0, "input": "rule", "rule": rule}))
            .is_ok()
    };
    for more in [
        json!({}),
        json!({"operator": "gte", "offset": null, "value": null}),
        json!({"offset": 1_000_000}),
        json!({"offset": -1_000_000, "scope": {"type": "zone", "zoneId": "z"}}),
    ] {
        assert!(is_taken(more.clone()), "{more}");
    }
    for more in [
        json!({"operator": "eq"}),
        json!({"operator": "between", "value_max": 5}),
        json!({"value": 20}),
        json!({"offset": 1_000_000.1}),
        json!({"setpoint": "night"}),
        json!({"sensor_type": "humidity"}),
        json!({"hold_sec": 5}),
    ] {
        assert!(!is_taken(more.clone()), "{more}");
    }
}
