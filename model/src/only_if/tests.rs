//! Alerts with `only_if`, with instants worked out by hand.

use serde_json::{Value, json};

use crate::Model;

const FLOW: &str = "flow";

/// A farm with a flow meter, a thermometer, a pump that is on, and an alert that is bound to a tree.
fn farm(only_if: &Value, more: &Value) -> Model {
    let scope = json!({"type": "farm"});
    let mut alert = json!({"id": "dry", "repeatsIn": 1, "repeatUnit": "days", "evidence": "worst",
        "only_if": only_if,
        "conditions": [{"sensor": "Flow", "operator": "<", "value": 1}]});
    for (field, value) in more.as_object().into_iter().flatten() {
        alert[field] = value.clone();
    }
    let farm = json!({
        "farm": {"id": "f1", "name": "Farm", "settings": {"min_samples": 1}},
        "sensors": [
            {"id": "f", "type": FLOW, "scope": scope, "stale_after_sec": 300},
            {"id": "t", "type": "temperature", "scope": scope}],
        "devices": [{"id": "pump", "name": "Pump", "type": "pump", "scope": scope}],
        "rules": [{"id": "r1", "name": "Rule", "scope": scope, "deployed": true,
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 30, "duration_sec": 10},
            "actions": [{"device_id": "pump", "command": {"action": "on"}}]}],
        "alerts": [alert],
    });
    let model = Model::new(&farm);
    assert!(model.is_ok(), "{model:?}");
    model.unwrap_or_else(|_| unreachable!())
}

/// Applies an input `at` seconds and returns instants (seconds) and kinds of what happened to alerts.
fn apply(model: &mut Model, at: i64, mut input: Value) -> Vec<(i64, String)> {
    input["at"] = json!(at * 1_000);
    let events = model.apply(&input);
    assert!(events.is_ok(), "{events:?}");
    let events = events.unwrap_or_default().into_iter();
    let of_alert = events.filter(|e| e["event"] != "alert_notified" && e["alert"].is_string());
    of_alert
        .map(|e| {
            let at = e["at"].as_i64().unwrap_or(0) / 1_000;
            (at, e["event"].as_str().unwrap_or("").to_owned())
        })
        .collect()
}

fn reading(sensor: &str, value: f64) -> Value {
    json!({"input": "reading", "sensor": sensor, "value": value})
}

fn runs(running: Option<bool>) -> Value {
    json!({"input": "device", "device": "pump", "running": running})
}

fn raised(at: i64) -> Vec<(i64, String)> {
    vec![(at, "alert_raised".into())]
}

fn resolved(at: i64) -> Vec<(i64, String)> {
    vec![(at, "alert_resolved".into())]
}

fn tick() -> Value {
    json!({"input": "tick"})
}

fn pump_for_a_minute() -> Value {
    json!({"device": "pump", "is": "on", "hold_sec": 60})
}

#[test]
fn a_pump_runs_dry_once_it_was_on_for_a_minute() {
    let mut model = farm(&pump_for_a_minute(), &json!({}));
    assert!(apply(&mut model, 0, reading("f", 0.0)).is_empty());
    assert!(apply(&mut model, 10, runs(Some(true))).is_empty());
    assert!(apply(&mut model, 69, tick()).is_empty());
    assert_eq!(apply(&mut model, 70, tick()), raised(70));
    assert_eq!(apply(&mut model, 80, runs(Some(false))), resolved(80));
}

#[test]
fn a_node_that_is_not_known_raises_and_resolves_nothing() {
    let mut model = farm(&pump_for_a_minute(), &json!({}));
    apply(&mut model, 0, reading("f", 0.0));
    apply(&mut model, 0, runs(Some(true)));
    assert_eq!(apply(&mut model, 100, tick()), raised(60));
    assert!(apply(&mut model, 110, runs(None)).is_empty());
    // The hold of the branch begins anew: not known until it is complete again.
    assert!(apply(&mut model, 120, runs(Some(true))).is_empty());
    assert!(apply(&mut model, 200, tick()).is_empty());
    assert_eq!(apply(&mut model, 210, runs(Some(false))), resolved(210));
}

#[test]
fn false_by_the_tree_is_false_whoever_is_silent() {
    let tree = json!({"device": "pump", "is": "on"});
    let mut model = farm(&tree, &json!({"clear_sec": 20}));
    apply(&mut model, 0, runs(Some(true)));
    assert_eq!(apply(&mut model, 0, reading("f", 0.0)), raised(0));
    // The meter, which is remembered, expires at 300: nothing is known.
    assert!(apply(&mut model, 400, tick()).is_empty());
    // No sample comes any more, and none is needed.
    assert!(apply(&mut model, 410, runs(Some(false))).is_empty());
    assert_eq!(apply(&mut model, 500, tick()), resolved(430));
}

#[test]
fn frost_is_told_of_by_night() {
    let night = json!({"time": {"from": "22:00", "to": "06:00"}});
    let frost = json!({"conditions": [{"sensor": "Temperature", "operator": "<", "value": 2}]});
    let mut model = farm(&night, &frost);
    let day = |date: &str, n: i64| {
        json!({"date": date, "from": n * 86_400_000, "to": (n + 1) * 86_400_000, "offset": 0,
            "change": null, "sunrise": null, "sunset": null})
    };
    let days = [
        day("1970-01-01", 0),
        day("1970-01-02", 1),
        day("1970-01-03", 2),
    ];
    apply(
        &mut model,
        86_400,
        json!({"input": "almanac", "days": days}),
    );
    let evening = 86_400 + 22 * 3_600;
    assert!(apply(&mut model, evening - 60, reading("t", 0.0)).is_empty());
    assert_eq!(apply(&mut model, evening + 5, tick()), raised(evening));
    // 15 minutes of silence end the knowledge, the morning the alert.
    let morning = 2 * 86_400 + 6 * 3_600;
    assert_eq!(apply(&mut model, morning, tick()), resolved(morning));
}

#[test]
fn a_rule_that_is_named_counts_as_it_runs_and_is_not_deleted() {
    let mut model = farm(&json!({"rule": "r1"}), &json!({}));
    apply(&mut model, 0, reading("f", 0.0));
    assert!(apply(&mut model, 0, reading("t", 35.0)).is_empty());
    assert_eq!(apply(&mut model, 20, tick()), raised(10));
    let delete = json!({"at": 21_000, "input": "rule", "delete": "r1"});
    assert!(model.apply(&delete).is_err());
    let gone = json!({"at": 21_000, "input": "alert", "delete": "dry"});
    assert!(model.apply(&gone).is_ok());
    assert!(model.apply(&delete).is_ok());
}

#[test]
fn a_restart_ends_the_hold_of_a_branch_without_a_signal() {
    let mut model = farm(&pump_for_a_minute(), &json!({}));
    apply(&mut model, 0, runs(Some(true)));
    apply(&mut model, 50, reading("f", 0.0));
    assert!(apply(&mut model, 65, json!({"input": "resumed"})).is_empty());
    assert!(apply(&mut model, 124, tick()).is_empty());
    assert_eq!(apply(&mut model, 125, tick()), raised(125));
}

#[test]
fn what_is_wrong_is_refused() {
    let model = farm(&Value::Null, &json!({}));
    for only_if in [
        json!({"rule": "nobody"}),
        json!({"device": "nobody", "is": "on"}),
        json!({"sensor_type": "ph", "operator": "gt", "value": 7}),
        json!({"sensor_type": FLOW, "operator": "gt", "setpoint": "nobody"}),
        json!({"device": "pump", "is": "on", "duration_sec": 5}),
        json!({"all": []}),
        json!([]),
        json!("night"),
    ] {
        let alert = json!({"id": "a", "repeatsIn": 1, "repeatUnit": "days", "only_if": only_if,
            "conditions": [{"sensor": "Flow", "operator": "<", "value": 1}]});
        let put = json!({"at": 0, "input": "alert", "alert": alert});
        assert!(model.check(&put).is_err(), "{only_if}");
    }
}

#[test]
fn a_device_that_is_named_is_not_deleted() {
    let model = farm(&json!({"device": "pump", "is": "on"}), &json!({}));
    let without_rule = json!({"at": 0, "input": "rule", "delete": "r1"});
    let mut model = model;
    assert!(model.apply(&without_rule).is_ok());
    let delete = json!({"at": 0, "input": "registry", "changes": [{"delete_device": "pump"}]});
    assert!(model.check(&delete).is_err());
}

/// The pump runs dry: it has been on for a minute, and nothing flows.
fn raised_by_a_pump_that_runs() -> Model {
    let only_if = json!({"device": "pump", "is": "on", "hold_sec": 60});
    let mut model = farm(&only_if, &json!({}));
    assert!(apply(&mut model, 0, reading("f", 0.0)).is_empty());
    assert!(apply(&mut model, 10, runs(Some(true))).is_empty());
    assert_eq!(apply(&mut model, 80, reading("f", 0.0)), raised(70));
    model
}

fn online(is: bool) -> Value {
    json!({"input": "device", "device": "pump", "online": is})
}

#[test]
fn an_outage_of_a_device_resolves_nothing_after_it() {
    let mut model = raised_by_a_pump_that_runs();
    assert!(apply(&mut model, 100, online(false)).is_empty());
    assert!(apply(&mut model, 110, online(true)).is_empty());
    // Its hold is filled anew; then it is as before.
    assert!(apply(&mut model, 180, reading("f", 0.0)).is_empty());
    assert_eq!(apply(&mut model, 190, runs(Some(false))), resolved(190));
}

#[test]
fn what_is_false_in_between_ends_an_interruption() {
    let mut model = raised_by_a_pump_that_runs();
    assert!(apply(&mut model, 100, online(false)).is_empty());
    assert!(apply(&mut model, 110, online(true)).is_empty());
    assert_eq!(apply(&mut model, 120, runs(Some(false))), resolved(120));
    assert!(apply(&mut model, 130, runs(Some(true))).is_empty());
    assert_eq!(apply(&mut model, 200, reading("f", 0.0)), raised(190));
}

#[test]
fn a_restart_resolves_nothing() {
    let mut model = raised_by_a_pump_that_runs();
    assert!(apply(&mut model, 100, json!({"input": "resumed"})).is_empty());
    assert!(apply(&mut model, 130, reading("f", 0.0)).is_empty());
    assert_eq!(apply(&mut model, 140, reading("f", 5.0)), resolved(140));
}
