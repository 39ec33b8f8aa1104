//! Alerts only if a tree is true. Values by hand from semantics.md, section 7.

use harit_engine::{AlertSpec, InputKind, Status, Timestamp};
use serde_json::{Value, json};

use super::{Farm, MIDNIGHT, clock, rule};

fn alert(changes: &Value) -> InputKind {
    let mut alert = json!({"id": "x", "name": "X", "repeatsIn": 1, "repeatUnit": "days", "evidence": "worst",
        "conditions": [{"sensor": "Temperature", "operator": "<", "value": 10}]});
    alert
        .as_object_mut()
        .unwrap()
        .extend(changes.as_object().unwrap().clone());
    InputKind::AlertPut(Box::new(AlertSpec::from_json(&alert).unwrap()))
}

fn reported(farm: &mut Farm, time: &str, running: bool) -> Vec<String> {
    let status = Status {
        running: Some(Some(running)),
        ..Status::default()
    };
    let device = "pump".into();
    farm.apply(MIDNIGHT + clock(time), InputKind::Status { device, status })
}

const RAISED: [&str; 2] = ["alert_raised x", "alert_notified x"];

fn at(time: &str, what: &[&str]) -> Vec<String> {
    what.iter().map(|w| format!("{time} {w}")).collect()
}

#[test]
fn a_pump_that_runs_dry_is_told_only_while_it_runs() {
    let mut farm = Farm::new(&[]);
    farm.apply(
        MIDNIGHT,
        alert(&json!({"only_if": {"device": "pump", "is": "on", "hold_sec": 60}})),
    );
    assert!(
        farm.read("t", "06:00", "0").is_empty(),
        "nobody knows whether it runs"
    );
    assert!(reported(&mut farm, "06:01", false).is_empty());
    assert!(reported(&mut farm, "06:02", true).is_empty());
    assert_eq!(farm.until("06:04"), at("6:03:00", &RAISED));
    // It is over when the pump stops, although the sensor is silent by then: no reading is needed.
    assert_eq!(farm.until("07:00"), ["6:15:00 sensor_expired t"]);
    assert_eq!(
        reported(&mut farm, "07:00", false),
        ["7:00:00 alert_resolved x"]
    );
}

#[test]
fn what_is_read_while_no_reading_is_needed_counts_when_one_is() {
    let mut farm = Farm::new(&[]);
    let only_if = json!({"device": "pump", "is": "on"});
    farm.apply(
        MIDNIGHT,
        alert(&json!({"only_if": only_if, "clear_sec": 600})),
    );
    reported(&mut farm, "06:00", true);
    assert_eq!(farm.read("t", "06:01", "0"), at("6:01:00", &RAISED));
    // The pump stops: nothing needs to be read for the alert to end at 06:12.
    assert!(reported(&mut farm, "06:02", false).is_empty());
    assert!(farm.read("t", "06:05", "20").is_empty());
    assert!(farm.read("t", "06:06", "20").is_empty());
    // It runs again, and the readings since show that it is warm.
    assert!(reported(&mut farm, "06:11", true).is_empty());
    assert_eq!(farm.until("06:20"), ["6:12:00 alert_resolved x"]);
}

#[test]
fn frost_is_told_by_night_and_the_hold_begins_with_it() {
    let mut farm = Farm::new(&[]);
    let night = json!({"time": {"from": {"sun": "sunset"}, "to": "07:00"}});
    farm.apply(
        MIDNIGHT + clock("12:00"),
        alert(&json!({"only_if": night, "hold_sec": 600, "clear_sec": 300})),
    );
    for minutes in (0..60).step_by(5) {
        assert!(farm.read("t", &format!("17:{minutes:02}"), "5").is_empty());
    }
    // Sunset is at 17:50.
    assert_eq!(farm.read("t", "18:01", "5"), at("18:00:00", &RAISED));
    for minutes in (5..780).step_by(5) {
        let time = format!("{}:{:02}", 18 + minutes / 60, minutes % 60);
        assert!(farm.read("t", &time, "5").is_empty(), "{time}");
    }
    assert_eq!(
        farm.until("31:30"),
        ["+1 7:05:00 alert_resolved x", "+1 7:10:00 sensor_expired t"]
    );
}

/// A branch that has to hold, behind another one: the second node of its tree.
fn behind_days(branch: &Value) -> Value {
    json!({"only_if": {"all": [{"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]}, branch]}, "clear_sec": 600})
}

#[test]
fn a_branch_that_was_interrupted_and_then_false_is_interrupted_no_more() {
    let mut farm = Farm::new(&[]);
    let humid =
        json!({"sensor_type": "humidity", "operator": "gt", "value": 50, "hold_sec": 1_200});
    farm.apply(MIDNIGHT, alert(&behind_days(&humid)));
    for minute in (0..=20).step_by(5) {
        farm.read("h", &format!("06:{minute:02}"), "60");
    }
    assert_eq!(farm.read("t", "06:21", "0"), at("6:21:00", &RAISED));
    // Nobody knows how humid it is from 06:35 on: that resolves nothing.
    let mut told = Vec::new();
    for minute in (25..=50).step_by(5) {
        told.extend(farm.read("t", &format!("06:{minute}"), "0"));
    }
    assert_eq!(told, ["6:35:00 sensor_expired h"]);
    // It is dry: from then on the alert is over in ten minutes, although it is humid again, but not for long.
    assert!(farm.read("h", "06:51", "40").is_empty());
    assert!(farm.read("h", "06:52", "60").is_empty());
    for minute in (54..=60).step_by(3) {
        let time = format!("{:02}:{:02}", 6 + minute / 60, minute % 60);
        assert!(farm.read("t", &time, "0").is_empty(), "{time}");
        assert!(farm.read("h", &time, "60").is_empty(), "{time}");
    }
    assert_eq!(farm.until("07:02"), ["7:01:00 alert_resolved x"]);
}

#[test]
fn an_outage_resolves_nothing_while_a_branch_holds_anew() {
    let mut farm = Farm::new(&[]);
    let morning = json!({"time": {"from": "06:00", "to": "12:00"}, "hold_sec": 1_200});
    farm.apply(MIDNIGHT, alert(&behind_days(&morning)));
    farm.until("06:20");
    assert_eq!(farm.read("t", "06:21", "0"), at("6:21:00", &RAISED));
    assert!(
        farm.apply(MIDNIGHT + clock("06:23"), InputKind::Resumed)
            .is_empty()
    );
    for minute in (25..=55).step_by(5) {
        let time = format!("06:{minute}");
        assert!(farm.read("t", &time, "0").is_empty(), "{time}");
    }
}

/// Its branches may hold, or the pump runs: by which it is raised.
fn or_while_the_pump_runs(branch: &Value) -> Value {
    json!({"only_if": {"any": [branch, {"device": "pump", "is": "on"}]}})
}

#[test]
fn a_branch_that_never_held_for_long_is_not_interrupted_by_silence() {
    let mut farm = Farm::new(&[]);
    let humid =
        json!({"sensor_type": "humidity", "operator": "gt", "value": 50, "hold_sec": 1_200});
    farm.apply(MIDNIGHT, alert(&or_while_the_pump_runs(&humid)));
    farm.read("h", "06:00", "60");
    reported(&mut farm, "06:01", true);
    assert_eq!(farm.read("t", "06:02", "0"), at("6:02:00", &RAISED));
    assert_eq!(
        farm.read("t", "06:15", "0"),
        ["6:15:00 sensor_expired h"],
        "the pump runs still"
    );
    assert!(farm.read("h", "06:16", "60").is_empty());
    assert_eq!(
        reported(&mut farm, "06:17", false),
        ["6:17:00 alert_resolved x"]
    );
}

#[test]
fn a_branch_that_never_held_for_long_is_not_interrupted_by_an_outage() {
    let mut farm = Farm::new(&[]);
    let morning = json!({"time": {"from": "06:00", "to": "12:00"}, "hold_sec": 1_200});
    farm.apply(MIDNIGHT, alert(&or_while_the_pump_runs(&morning)));
    reported(&mut farm, "06:01", true);
    assert_eq!(farm.read("t", "06:02", "0"), at("6:02:00", &RAISED));
    farm.apply(MIDNIGHT + clock("06:05"), InputKind::Resumed);
    assert_eq!(
        reported(&mut farm, "06:06", false),
        ["6:06:00 alert_resolved x"]
    );
}

/// That the node is not known without its signals either: only where it is false are no readings asked for.
#[test]
fn an_alert_ends_on_readings_while_a_branch_is_interrupted() {
    let mut farm = Farm::new(&[]);
    let morning = json!({"time": {"from": "06:00", "to": "12:00"}, "hold_sec": 1_200});
    farm.apply(MIDNIGHT, alert(&behind_days(&morning)));
    farm.until("06:20");
    assert_eq!(farm.read("t", "06:21", "0"), at("6:21:00", &RAISED));
    farm.apply(MIDNIGHT + clock("06:23"), InputKind::Resumed);
    // Warm for ten minutes at 06:35, of which one reading tells until then.
    assert!(farm.read("t", "06:25", "20").is_empty());
    assert!(farm.until("06:36").is_empty());
    assert_eq!(farm.read("t", "06:36", "20"), ["6:36:00 alert_resolved x"]);
}

#[test]
fn another_rule_and_a_setpoint_may_be_asked() {
    let mut farm = Farm::new(&[rule(&json!({
        "trigger": {"schedule": {"at": ["06:00"]}}, "run_sec": 600,
    }))]);
    farm.apply(MIDNIGHT, alert(&json!({"only_if": {"rule": "r"}})));
    farm.read("t", "05:59", "5");
    assert_eq!(
        farm.until("06:20"),
        [
            "6:00:00 rule_fired r",
            "6:00:00 alert_raised x",
            "6:00:00 alert_notified x",
            "6:00:00 pump on",
            "6:10:00 rule_stopped r run_ended",
            "6:10:00 alert_resolved x",
            "6:10:00 pump off",
            "6:14:00 sensor_expired t",
        ]
    );
    let delete = harit_engine::Input {
        at: Timestamp::from_millis(MIDNIGHT + clock("06:21")),
        kind: InputKind::RuleDelete("r".into()),
    };
    assert_eq!(farm.engine.check(&delete).unwrap_err().0[0].code, "in_use");
    let unknown = harit_engine::Input {
        at: delete.at,
        kind: alert(&json!({"only_if": {"all": [{"rule": "q"}, {"rule": "r"}]}})),
    };
    let problems = farm.engine.check(&unknown).unwrap_err();
    assert_eq!(problems.to_string(), "only_if: there is no rule q");
}
