//! Documents of alerts.

use harit_engine::{AlertSpec, Engine, FarmDocument, Timestamp};
use serde_json::{Value, json};

use crate::{farm, paths, with};

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
