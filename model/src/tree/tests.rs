//! Holds that need no samples, because what is held is TRUE without its signals.

use serde_json::{Value, json};

use crate::Model;

const HOUR: i64 = 3_600;
/// Midnight of Thursday, 2025-10-09, where the clock is that of UTC.
const THURSDAY: i64 = 20_370 * 24 * HOUR * 1_000;

/// A farm with a fan's rule, whose sensor was at 31 and fell silent at 17:30; the rule runs if that is enough for it.
fn silent_at_half_past_five(rule: &Value) -> Model {
    let mut whole = json!({"id": "r", "deployed": true, "scope": {"type": "farm"}, "on_signal_lost": "hold",
        "trigger": warm("gt", 30, 1), "actions": [{"device_id": "fan", "command": {"action": "on"}}]});
    let (all, more) = (whole.as_object_mut().unwrap(), rule.as_object().unwrap());
    all.extend(more.clone());
    let mut model = Model::new(&json!({
        "farm": {"id": "f", "name": "Farm", "settings": {"min_samples": 2}},
        "sensors": [{"id": "t", "type": "temperature", "scope": {"type": "farm"}, "stale_after_sec": 900}],
        "devices": [{"id": "fan", "type": "fan", "scope": {"type": "farm"}, "max_on_sec": null}],
        "rules": [whole],
    }))
    .unwrap();
    let day = |date: &str, from: i64| json!({"date": date, "from": from, "to": from + 24 * HOUR * 1_000, "offset": 0});
    let days = [
        day("2025-10-08", THURSDAY - 24 * HOUR * 1_000),
        day("2025-10-09", THURSDAY),
    ];
    apply(
        &mut model,
        17 * HOUR,
        json!({"input": "almanac", "days": days}),
    );
    reading(&mut model, -2_760, 31);
    assert_eq!(reading(&mut model, -2_700, 31), ["-2700 rule_fired "]);
    model
}

fn warm(operator: &str, value: i64, duration: i64) -> Value {
    json!({"sensor_type": "temperature", "operator": operator, "value": value, "duration_sec": duration})
}

fn cool() -> Value {
    json!({"sensor_type": "temperature", "operator": "lt", "value": 28})
}

fn evening() -> Value {
    json!({"time": {"from": "18:00", "to": "23:00"}})
}

fn apply(model: &mut Model, second: i64, mut input: Value) -> Vec<String> {
    input["at"] = json!(THURSDAY + second * 1_000);
    let events = model.apply(&input).unwrap();
    let rules = events.iter().filter(|e| e["rule"] == "r");
    let line = |e: &Value| {
        let second = (e["at"].as_i64().unwrap() - THURSDAY) / 1_000 - 18 * HOUR;
        format!(
            "{second} {} {}",
            e["event"].as_str().unwrap(),
            e["reason"].as_str().unwrap_or("")
        )
    };
    rules.map(line).collect()
}

fn reading(model: &mut Model, second: i64, value: i64) -> Vec<String> {
    let reading = json!({"input": "reading", "sensor": "t", "value": value});
    apply(model, 18 * HOUR + second, reading)
}

/// What the rule does until so many seconds after 18:00; the seconds are those after it.
fn until(model: &mut Model, second: i64) -> Vec<String> {
    apply(model, 18 * HOUR + second, json!({"input": "tick"}))
}

#[test]
fn a_stop_by_the_clock_needs_no_reading() {
    let stop = json!({"any": [cool(), evening()], "duration_sec": 60});
    let mut model = silent_at_half_past_five(&json!({"stop_condition": stop}));
    assert_eq!(until(&mut model, 59), [""; 0]);
    assert_eq!(
        model.next_deadline(),
        Some(THURSDAY + (18 * HOUR + 60) * 1_000)
    );
    assert_eq!(until(&mut model, 60), ["60 rule_stopped stop_condition"]);
}

#[test]
fn what_depends_on_its_signal_needs_readings_still() {
    let seven = json!({"time": {"from": "19:00", "to": "20:00"}});
    let stop = json!({"any": [cool(), seven], "duration_sec": 1});
    let mut model = silent_at_half_past_five(&json!({"stop_condition": stop}));
    // One reading of two makes it TRUE until 18:05, then it is UNKNOWN until 19:00.
    reading(&mut model, -600, 20);
    assert_eq!(until(&mut model, HOUR), [""; 0]);
    assert_eq!(
        until(&mut model, HOUR + 1),
        ["3601 rule_stopped stop_condition"]
    );
}

#[test]
fn a_trigger_that_is_over_by_the_clock_ends_its_run() {
    let by_day = json!({"time": {"from": "06:00", "to": "18:00"}});
    let trigger = json!({"all": [{"not": cool()}, by_day], "duration_sec": 30});
    let mut model = silent_at_half_past_five(&json!({"trigger": trigger}));
    assert_eq!(until(&mut model, 29), [""; 0]);
    assert_eq!(until(&mut model, 30), ["30 rule_stopped trigger_cleared"]);
}

#[test]
fn a_hold_below_counts_as_it_stands() {
    let mut later = evening();
    later["hold_sec"] = json!(30);
    let stop = json!({"any": [cool(), later], "duration_sec": 10});
    let mut model = silent_at_half_past_five(&json!({"stop_condition": stop}));
    assert_eq!(until(&mut model, 39), [""; 0]);
    assert_eq!(until(&mut model, 40), ["40 rule_stopped stop_condition"]);
}

#[test]
fn a_branch_needs_none_either() {
    let branch = json!({"any": [cool(), evening()], "hold_sec": 30});
    let stop = json!({"all": [branch, {"days": ["thu"]}], "duration_sec": 10});
    let mut model = silent_at_half_past_five(&json!({"stop_condition": stop}));
    assert_eq!(until(&mut model, 39), [""; 0]);
    assert_eq!(until(&mut model, 40), ["40 rule_stopped stop_condition"]);
}

#[test]
fn a_hold_that_is_old_enough_completes_once_the_clock_alone_makes_it_true() {
    let stop = json!({"any": [cool(), evening()], "duration_sec": 60});
    let mut model = silent_at_half_past_five(&json!({"stop_condition": stop}));
    reading(&mut model, -600, 20);
    assert_eq!(until(&mut model, -1), [""; 0], "one reading of two");
    assert_eq!(until(&mut model, 0), ["0 rule_stopped stop_condition"]);
}
