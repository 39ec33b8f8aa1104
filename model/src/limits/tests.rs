//! Section 14, field by field, reason by reason, deadline by deadline; what is expected is worked out from the page.

mod budgets;
mod documents;
mod hours;
mod needs;
mod starts;

use serde_json::{Value, json};

use crate::Model;

const SECOND: i64 = 1_000;
const HOUR: i64 = 3_600_000;
/// Midnight UTC of Thursday, 2025-10-09.
const THURSDAY: i64 = 20_370 * 24 * HOUR;

/// A farm whose devices are these; rule `r{n}` of the list puts its action on while `s{n}` is above 20.
fn farm(groups: &Value, devices: &Value, actions: &[Value]) -> Model {
    let each = || actions.iter().enumerate();
    let sensor = |n: usize| {
        json!({"id": format!("s{n}"), "type": "temperature", "scope": {"type": "zone", "zoneId": format!("z{n}")},
            "stale_after_sec": 10_000_000})
    };
    let rule = |(n, action): (usize, &Value)| {
        let priority = action["priority"].as_i64().unwrap_or(5);
        let below = json!({"sensor_type": "temperature", "operator": "lte", "value": 20, "duration_sec": 1});
        json!({"id": format!("r{n}"), "mode": "auto", "deployed": true, "priority": priority,
            "scope": {"type": "zone", "zoneId": format!("z{n}")},
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 20, "duration_sec": 1},
            "stop_condition": below, "actions": [action]})
    };
    let zones: Vec<Value> = each()
        .map(|(n, _)| json!({"id": format!("z{n}")}))
        .collect();
    let mut devices = devices.clone();
    for device in devices.as_array_mut().unwrap() {
        device["scope"] = json!({"type": "farm"});
        if device.get("max_on_sec").is_none() {
            device["max_on_sec"] = Value::Null;
        }
    }
    Model::new(&json!({
        "farm": {"id": "f", "name": "Farm", "settings": {"min_samples": 1, "groups": groups}},
        "polyhouses": [{"id": "p", "zones": zones}],
        "sensors": each().map(|(n, _)| sensor(n)).collect::<Vec<_>>(),
        "devices": devices,
        "rules": each().map(rule).collect::<Vec<_>>(),
    }))
    .unwrap()
}

fn on(device: &str) -> Value {
    json!({"device_id": device, "command": {"action": "on"}})
}

fn pulse(device: &str, seconds: i64) -> Value {
    json!({"device_id": device, "command": {"action": "pulse", "value": seconds}})
}

/// What happened: seconds after Thursday's midnight, the event and what it says, in short.
fn apply(model: &mut Model, input: &Value) -> Vec<String> {
    let events = model.apply(input).unwrap();
    let word = |e: &Value, field: &str| e[field].as_str().map(|w| format!(" {w}"));
    let line = |e: &Value| {
        let ms = e["at"].as_i64().unwrap() - THURSDAY;
        let at = match ms % SECOND {
            0 => (ms / SECOND).to_string(),
            _ => format!("{}.{:03}", ms / SECOND, ms % SECOND),
        };
        let words = ["device", "action", "reason", "cause"].map(|f| word(e, f).unwrap_or_default());
        format!("{at} {}{}", e["event"].as_str().unwrap(), words.concat())
    };
    let is_of_device = |e: &&Value| !e["device"].is_null();
    events.iter().filter(is_of_device).map(line).collect()
}

/// What a device does so many seconds after midnight, and why.
fn at(model: &mut Model, second: i64, mut input: Value) -> Vec<String> {
    input["at"] = json!(THURSDAY + second * SECOND);
    apply(model, &input)
}

fn tick(model: &mut Model, second: i64) -> Vec<String> {
    at(model, second, json!({"input": "tick"}))
}

/// Rule `r{n}` fires, or stops, so many seconds after midnight.
fn rule(model: &mut Model, second: i64, n: usize, runs: bool) -> Vec<String> {
    let value = if runs { 30 } else { 10 };
    let sensor = format!("s{n}");
    let mut seen = at(
        model,
        second - 1,
        json!({"input": "reading", "sensor": sensor, "value": value}),
    );
    seen.extend(tick(model, second));
    seen
}

fn reported(model: &mut Model, second: i64, device: &str, running: Option<bool>) -> Vec<String> {
    at(
        model,
        second,
        json!({"input": "device", "device": device, "running": running}),
    )
}

fn online(model: &mut Model, second: i64, device: &str, online: bool) -> Vec<String> {
    at(
        model,
        second,
        json!({"input": "device", "device": device, "online": online}),
    )
}

fn person(model: &mut Model, second: i64, device: &str, action: &str) -> Vec<String> {
    at(
        model,
        second,
        json!({"input": "manual", "device": device, "cmd_type": "override", "action": action,
            "duration_sec": 3_600, "admin": true}),
    )
}

fn person_pulses(model: &mut Model, second: i64, device: &str, seconds: i64) -> Vec<String> {
    at(
        model,
        second,
        json!({"input": "manual", "device": device, "cmd_type": "pulse", "action": "pulse",
            "value": seconds, "admin": false}),
    )
}

fn put(model: &mut Model, second: i64, mut device: Value) -> Vec<String> {
    device["scope"] = json!({"type": "farm"});
    at(
        model,
        second,
        json!({"input": "registry", "changes": [{"put_device": device}]}),
    )
}

/// The next deadline in seconds after Thursday's midnight.
fn next(model: &Model) -> Option<i64> {
    let is_of_sensor = |at: i64| at > THURSDAY + 5_000_000 * SECOND;
    let next = model.next_deadline().filter(|at| !is_of_sensor(*at));
    next.map(|at| (at - THURSDAY) / SECOND)
}
