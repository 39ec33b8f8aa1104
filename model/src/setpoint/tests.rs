//! Section 15; what is expected is worked out from the page.

mod documents;

use serde_json::{Value, json};

use crate::Model;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Midnight of Thursday, 2025-10-09, where the clock is that of UTC.
const THURSDAY: i64 = 20_370 * DAY;

/// A farm with one setpoint, `air`, and a rule that switches a fan on while a sensor is above it, with an offset.
fn farm(setpoint: &Value, offset: &Value) -> Value {
    let mut setpoint = setpoint.clone();
    setpoint["id"] = json!("air");
    setpoint["sensor_type"] = json!("temperature");
    json!({
        "farm": {"id": "f", "name": "Farm", "settings": {"min_samples": 1, "setpoints": [setpoint]}},
        "polyhouses": [{"id": "p", "zones": [{"id": "z"}]}],
        "sensors": [{"id": "t", "type": "temperature", "scope": {"type": "farm"}, "stale_after_sec": 86_400}],
        "devices": [{"id": "fan", "type": "fan", "scope": {"type": "farm"}}],
        "rules": [{"id": "r", "deployed": true, "scope": {"type": "farm"},
            "trigger": {"sensor_type": "temperature", "operator": "gte", "setpoint": "air", "offset": offset, "duration_sec": 10},
            "actions": [{"device_id": "fan", "command": {"action": "on"}}]}],
    })
}

fn course(points: &Value) -> Value {
    json!({"course": points})
}

/// The model, to which these days from Thursday on were told.
fn told(setpoint: &Value, offset: &Value, days: std::ops::Range<i64>) -> Model {
    let mut model = Model::new(&farm(setpoint, offset)).unwrap();
    let day = |n: i64| {
        let from = THURSDAY + n * DAY;
        json!({"date": format!("2025-10-{:02}", 9 + n), "from": from, "to": from + DAY, "offset": 0,
            "sunrise": from + 6 * HOUR, "sunset": if n == 1 { Value::Null } else { json!(from + 18 * HOUR) }})
    };
    let at = THURSDAY + days.start.min(0) * DAY;
    let days: Vec<Value> = days.map(day).collect();
    apply(
        &mut model,
        json!({"at": at, "input": "almanac", "days": days}),
    );
    model
}

/// The value at so many milliseconds after Thursday's midnight, in millionths.
fn at(model: &Model, ms: i64) -> Option<i64> {
    model.setpoint_value("air", THURSDAY + ms)
}

fn apply(model: &mut Model, input: Value) -> Vec<String> {
    let events = model.apply(&input).unwrap();
    let line = |e: &Value| {
        let at = (e["at"].as_i64().unwrap() - THURSDAY) / 1_000;
        let word = |field: &str| e[field].as_str().map(|w| format!(" {w}"));
        let words = ["rule", "reason", "action"].map(|f| word(f).unwrap_or_default());
        format!("{at} {}{}", e["event"].as_str().unwrap(), words.concat())
    };
    events.iter().map(line).collect()
}

fn reading(model: &mut Model, second: i64, value: f64) -> Vec<String> {
    let at = THURSDAY + second * 1_000;
    apply(
        model,
        json!({"at": at, "input": "reading", "sensor": "t", "value": value}),
    )
}

fn tick(model: &mut Model, second: i64) -> Vec<String> {
    apply(
        model,
        json!({"at": THURSDAY + second * 1_000, "input": "tick"}),
    )
}

/// The course becomes one value the whole day.
fn set(model: &mut Model, second: i64, value: f64) -> Vec<String> {
    let setpoint = json!({"id": "air", "sensor_type": "temperature", "course": [{"at": "00:00", "value": value}]});
    let settings = json!({"min_samples": 1, "setpoints": [setpoint]});
    let changes = json!([{"settings": settings}]);
    apply(
        model,
        json!({"at": THURSDAY + second * 1_000, "input": "registry", "changes": changes}),
    )
}

#[test]
fn a_ramp_steps_once_a_minute_over_midnight() {
    let points = json!([{"at": "06:00", "value": 18}, {"at": "23:58", "value": 20, "ramp_min": 5}]);
    let mut model = told(&course(&points), &json!(0), 0..2);
    let late = 23 * HOUR + 58 * MINUTE;
    assert_eq!(at(&model, 6 * HOUR - 1), None, "Wednesday is not known");
    assert_eq!(at(&model, 6 * HOUR), Some(18_000_000));
    for (minute, value) in [
        (0, 18_000_000),
        (1, 18_400_000),
        (2, 18_800_000),
        (3, 19_200_000),
        (4, 19_600_000),
        (5, 20_000_000),
    ] {
        assert_eq!(
            at(&model, late + minute * MINUTE),
            Some(value),
            "minute {minute}"
        );
        assert_eq!(
            at(&model, late + (minute + 1) * MINUTE - 1),
            Some(value),
            "minute {minute}"
        );
    }
    assert_eq!(at(&model, DAY + 6 * HOUR), Some(18_000_000));
    assert_eq!(at(&model, 2 * DAY), None, "Saturday is not known");
    let mut steps = Vec::new();
    while let Some(step) = model.next_deadline() {
        steps.push((step - THURSDAY) / MINUTE);
        tick(&mut model, (step - THURSDAY) / 1_000);
    }
    // From 06:00 on, at each minute from 23:59 to 00:03, at 06:00, at 23:59 again, and at the end of what is known.
    assert_eq!(
        steps,
        [360, 1_439, 1_440, 1_441, 1_442, 1_443, 1_800, 2_879, 2_880]
    );
}

#[test]
fn halves_of_a_millionth_go_away_from_zero() {
    for (from, to, half) in [
        (0.0, 0.000_001, 1),
        (0.0, -0.000_001, -1),
        (-0.000_003, 0.0, -2),
        (0.000_003, 0.0, 2),
    ] {
        let points =
            json!([{"at": "00:00", "value": from}, {"at": "12:00", "value": to, "ramp_min": 2}]);
        let model = told(&course(&points), &json!(0), 0..1);
        assert_eq!(at(&model, 12 * HOUR + MINUTE), Some(half), "{from} to {to}");
    }
}

#[test]
fn a_point_comes_from_the_one_before_it_in_the_list() {
    let points = json!([{"at": "12:00", "value": 20, "ramp_min": 2}, {"at": "06:00", "value": 10}, {"at": "20:00", "value": 15},
        {"at": "20:00", "value": 16}]);
    let model = told(&course(&points), &json!(0), 0..1);
    // Before the first is the last: 16.
    assert_eq!(at(&model, 12 * HOUR + MINUTE), Some(18_000_000));
    assert_eq!(
        at(&model, 20 * HOUR),
        Some(16_000_000),
        "the last of an instant"
    );
    let alone = told(
        &course(&json!([{"at": "06:00", "value": 10, "ramp_min": 9}])),
        &json!(0),
        0..1,
    );
    assert_eq!(at(&alone, 6 * HOUR + MINUTE), Some(10_000_000));
}

#[test]
fn a_moment_that_is_missing_is_no_point() {
    let points = json!([{"at": "08:00", "value": 20}, {"at": {"sun": "sunset"}, "value": 15, "ramp_min": 10}]);
    let model = told(&course(&points), &json!(0), 0..3);
    assert_eq!(at(&model, 18 * HOUR + 5 * MINUTE), Some(17_500_000));
    assert_eq!(
        at(&model, DAY + 7 * HOUR),
        Some(15_000_000),
        "of the date before"
    );
    assert_eq!(
        at(&model, DAY + 20 * HOUR),
        Some(20_000_000),
        "Friday has no sunset"
    );
    assert_eq!(at(&model, 2 * DAY + 7 * HOUR), Some(20_000_000));
    // Half a day after sunset is 06:00 of the next date: a point of Thursday that has not come at 05:00 of Friday.
    let points = json!([{"at": {"sun": "sunset", "offset_min": 720}, "value": 15}]);
    let model = told(&course(&points), &json!(0), 0..2);
    assert_eq!(at(&model, DAY + 5 * HOUR), None);
    assert_eq!(at(&model, DAY + 6 * HOUR), Some(15_000_000));
}

#[test]
fn a_stage_begins_with_its_date_and_comes_in_over_days() {
    let setpoint = json!({"course": [{"at": "06:00", "value": 10}], "stages": [
        {"from": "2025-10-09", "course": [{"at": "00:00", "value": 20}], "ramp_days": 1},
        {"from": "2025-10-10", "course": [{"at": "00:00", "value": 40}], "ramp_days": 3}]});
    let model = told(&setpoint, &json!(0), -1..5);
    let noon = |day: i64| at(&model, day * DAY + 12 * HOUR);
    assert_eq!(noon(-1), Some(10_000_000));
    assert_eq!(noon(0), Some(15_000_000), "half of the way from 10 to 20");
    // From the value of the stage before, whatever that had come to: a quarter of the way from 20 to 40 each day.
    assert_eq!(
        [1, 2, 3, 4].map(noon),
        [25, 30, 35, 40].map(|v| Some(v * 1_000_000))
    );
    let unknown = told(&setpoint, &json!(0), 0..1);
    assert_eq!(
        at(&unknown, 5 * HOUR),
        None,
        "what was before is not known before 06:00"
    );
    assert_eq!(at(&unknown, 6 * HOUR), Some(15_000_000));
}

#[test]
fn a_stage_counts_by_the_date_of_the_instant() {
    let setpoint = json!({"course": [{"at": "06:00", "value": 10}],
        "stages": [{"from": "2025-10-10", "course": [{"at": "06:00", "value": 30}]}]});
    let model = told(&setpoint, &json!(0), 0..2);
    assert_eq!(at(&model, DAY - 1), Some(10_000_000));
    assert_eq!(
        at(&model, DAY),
        Some(30_000_000),
        "Thursday's point, but Friday's course"
    );
}

#[test]
fn a_condition_adds_its_offset() {
    let mut model = told(
        &course(&json!([{"at": "00:00", "value": 20}])),
        &json!(1.5),
        0..1,
    );
    reading(&mut model, 10, 21.499_999);
    assert_eq!(tick(&mut model, 100), [""; 0]);
    reading(&mut model, 100, 21.5);
    assert_eq!(
        tick(&mut model, 110),
        ["110 rule_fired r", "110 command on"]
    );
}

#[test]
fn a_change_is_no_edit_and_a_hold_that_is_true_goes_on() {
    let mut model = told(
        &course(&json!([{"at": "00:00", "value": 20}])),
        &Value::Null,
        0..1,
    );
    reading(&mut model, 100, 25.0);
    assert_eq!(set(&mut model, 105, 25.0), [""; 0]);
    assert_eq!(
        tick(&mut model, 110),
        ["110 rule_fired r", "110 command on"]
    );
    // It runs on, and stops when the setpoint passes the reading; ten seconds, and a sample after that.
    assert_eq!(set(&mut model, 120, 24.0), [""; 0]);
    assert_eq!(set(&mut model, 130, 26.0), [""; 0]);
    assert_eq!(tick(&mut model, 145), [""; 0]);
    let stopped = reading(&mut model, 145, 25.0);
    assert_eq!(
        stopped,
        ["145 rule_stopped r trigger_cleared", "145 command off"]
    );
}

#[test]
fn a_change_that_makes_it_false_ends_the_hold() {
    let mut model = told(
        &course(&json!([{"at": "00:00", "value": 20}])),
        &json!(0),
        0..1,
    );
    reading(&mut model, 100, 25.0);
    set(&mut model, 105, 25.000_001);
    set(&mut model, 106, 20.0);
    assert_eq!(
        tick(&mut model, 120),
        [""; 0],
        "the hold since 106 has no sample"
    );
    assert_eq!(
        reading(&mut model, 120, 25.0),
        ["120 rule_fired r", "120 command on"]
    );
}

#[test]
fn without_its_day_a_condition_is_unknown() {
    let mut model = told(
        &course(&json!([{"at": "00:00", "value": 20}])),
        &json!(0),
        0..1,
    );
    reading(&mut model, 86_380, 25.0);
    assert_eq!(
        tick(&mut model, 86_390),
        ["86390 rule_fired r", "86390 command on"]
    );
    let lost = tick(&mut model, 86_400);
    assert_eq!(
        lost,
        ["86400 rule_stopped r signal_lost", "86400 command off"]
    );
}
