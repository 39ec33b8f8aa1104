//! The delicate places of section 13, one by one.

use serde_json::{Value, json};

use crate::Model;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
/// Midnight of Thursday, 2025-10-09, where the clock is that of UTC.
const THURSDAY: i64 = 20_370 * 24 * HOUR;

fn farm(rules: &Value) -> Model {
    Model::new(&json!({
        "farm": {"id": "f", "name": "Farm", "settings": {"min_samples": 2}},
        "sensors": [{"id": "t", "type": "temperature", "scope": {"type": "farm"}, "stale_after_sec": 900}],
        "devices": [{"id": "fan", "type": "fan", "scope": {"type": "farm"}}],
        "rules": rules,
    }))
    .unwrap()
}

fn rule(id: &str, trigger: &Value, more: &Value) -> Value {
    let mut rule = json!({
        "id": id, "mode": "auto", "deployed": true, "scope": {"type": "farm"}, "trigger": trigger,
        "actions": [{"device_id": "fan", "command": {"action": "on"}}],
    });
    let (all, more) = (rule.as_object_mut().unwrap(), more.as_object().unwrap());
    all.extend(more.clone());
    rule
}

fn day(date: &str, from: i64, more: &Value) -> Value {
    let mut day = json!({"date": date, "from": from, "to": from + 24 * HOUR, "offset": 0});
    let (all, more) = (day.as_object_mut().unwrap(), more.as_object().unwrap());
    all.extend(more.clone());
    day
}

fn tell(model: &mut Model, at: i64, days: &[Value]) -> Vec<String> {
    apply(model, &json!({"at": at, "input": "almanac", "days": days}))
}

fn tick(model: &mut Model, at: i64) -> Vec<String> {
    apply(model, &json!({"at": at, "input": "tick"}))
}

fn reading(model: &mut Model, at: i64, value: i64) -> Vec<String> {
    apply(
        model,
        &json!({"at": at, "input": "reading", "sensor": "t", "value": value}),
    )
}

/// What happened: seconds after Thursday's midnight, the event, its rule and reason or its action.
fn apply(model: &mut Model, input: &Value) -> Vec<String> {
    let events = model.apply(input).unwrap();
    let word = |e: &Value, field: &str| e[field].as_str().map(|w| format!(" {w}"));
    let line = |e: &Value| {
        let at = (e["at"].as_i64().unwrap() - THURSDAY) / 1_000;
        let words = ["rule", "reason", "action"].map(|f| word(e, f).unwrap_or_default());
        format!("{at} {}{}", e["event"].as_str().unwrap(), words.concat())
    };
    events.iter().map(line).collect()
}

fn window(from: &str, to: &str) -> Value {
    json!({"time": {"from": from, "to": to}, "duration_sec": 1})
}

#[test]
fn a_window_past_midnight_belongs_to_the_weekday_on_which_it_begins() {
    let mut at_night = window("22:00", "06:00");
    at_night["days"] = json!(["thu"]);
    let mut model = farm(&json!([rule("r", &at_night, &json!({}))]));
    let days = [
        day("2025-10-08", THURSDAY - 24 * HOUR, &json!({})),
        day("2025-10-09", THURSDAY, &json!({})),
        day("2025-10-10", THURSDAY + 24 * HOUR, &json!({})),
    ];
    // Wednesday's night is none, though 05:00 of Thursday lies in it.
    tell(&mut model, THURSDAY - HOUR, &days);
    assert_eq!(tick(&mut model, THURSDAY + 22 * HOUR), [""; 0]);
    let fired = tick(&mut model, THURSDAY + 22 * HOUR + 1_000);
    assert_eq!(fired, ["79201 rule_fired r", "79201 command on"]);
    assert_eq!(model.next_deadline(), Some(THURSDAY + 30 * HOUR));
    let ended = tick(&mut model, THURSDAY + 30 * HOUR + 1_000);
    assert_eq!(
        ended,
        [
            "108001 rule_stopped r trigger_cleared",
            "108001 command off"
        ]
    );
}

#[test]
fn what_does_not_exist_is_the_instant_of_the_change() {
    let mut model = farm(&json!([rule("r", &window("02:30", "03:30"), &json!({}))]));
    let change = json!({"change": {"at": THURSDAY + 2 * HOUR, "offset": 3_600}});
    tell(
        &mut model,
        THURSDAY,
        &[
            day("2025-10-08", THURSDAY - 24 * HOUR, &json!({})),
            day("2025-10-09", THURSDAY, &change),
        ],
    );
    // 02:30 becomes 03:00 by the new clock; 03:30 is half an hour later.
    assert_eq!(model.next_deadline(), Some(THURSDAY + 2 * HOUR));
    assert_eq!(
        tick(&mut model, THURSDAY + 2 * HOUR + 1_000)[0],
        "7201 rule_fired r"
    );
    assert_eq!(
        model.next_deadline(),
        Some(THURSDAY + 2 * HOUR + 30 * MINUTE)
    );
}

#[test]
fn what_exists_twice_is_the_first() {
    let starts = json!({"schedule": {"at": ["02:30"]}});
    let mut model = farm(&json!([rule("r", &starts, &json!({"run_sec": 1}))]));
    let change = json!({"offset": 7_200, "change": {"at": THURSDAY + HOUR, "offset": 3_600}});
    tell(
        &mut model,
        THURSDAY,
        &[day("2025-10-09", THURSDAY - 2 * HOUR, &change)],
    );
    let seen = tick(&mut model, THURSDAY + 5 * HOUR);
    assert_eq!(seen[0], "1800 rule_fired r");
    assert_eq!(seen.iter().filter(|e| e.contains("rule_fired")).count(), 1);
}

#[test]
fn without_a_sunrise_a_window_is_not_known() {
    let to_noon = json!({"time": {"from": {"sun": "sunrise"}, "to": "12:00"}, "duration_sec": 1});
    let stop = json!({"stop_condition": to_noon, "on_signal_lost": "stop"});
    let rules = json!([rule("r", &json!({"days": ["thu"]}), &stop)]);
    let mut model = farm(&rules);
    let yesterday = day(
        "2025-10-08",
        THURSDAY - 24 * HOUR,
        &json!({"sunrise": THURSDAY - 18 * HOUR}),
    );
    tell(
        &mut model,
        THURSDAY,
        &[
            yesterday.clone(),
            day("2025-10-09", THURSDAY, &json!({"sunrise": null})),
        ],
    );
    assert_eq!(
        tick(&mut model, THURSDAY + 1_000),
        ["1 rule_blocked r signal_lost"]
    );
    let with_sun = day(
        "2025-10-09",
        THURSDAY,
        &json!({"sunrise": THURSDAY + 6 * HOUR}),
    );
    tell(&mut model, THURSDAY + 1_500, &[with_sun]);
    assert_eq!(tick(&mut model, THURSDAY + 2_000)[0], "2 rule_fired r");
}

#[test]
fn a_branch_that_has_held_stays_until_it_ends() {
    let hot = json!({"all": [{"sensor_type": "temperature", "operator": "gt", "value": 30, "hold_sec": 10}, {"days": ["thu"]}], "duration_sec": 1});
    let mut model = farm(&json!([rule("r", &hot, &json!({}))]));
    tell(
        &mut model,
        THURSDAY,
        &[day("2025-10-09", THURSDAY, &json!({}))],
    );
    reading(&mut model, THURSDAY, 31);
    assert_eq!(
        model.next_deadline(),
        Some(THURSDAY + 900_000),
        "it lacks a sample"
    );
    // The sample that was missing comes late: the branch completes with it, and is the whole tree's first.
    assert_eq!(reading(&mut model, THURSDAY + 60_000, 31), [""; 0]);
    assert_eq!(model.next_deadline(), Some(THURSDAY + 960_000));
    assert_eq!(
        reading(&mut model, THURSDAY + 70_000, 32)[0],
        "70 rule_fired r"
    );
    // One that ends begins anew, with its samples.
    reading(&mut model, THURSDAY + 80_000, 29);
    let stopped = tick(&mut model, THURSDAY + 100_000);
    assert_eq!(
        stopped, [""; 0],
        "NOT the trigger needs a second sample too"
    );
    assert_eq!(reading(&mut model, THURSDAY + 101_000, 31)[0..0], [""; 0]);
}

#[test]
fn a_pass_sees_the_phases_of_its_beginning() {
    let starts = json!({"schedule": {"at": ["01:00"]}});
    let guarded =
        json!({"schedule": {"at": ["01:00"], "guard": {"rule": "a"}, "if_unknown": "skip"}});
    let run = json!({"run_sec": 60});
    // Both start at 01:00; `b` does not see that `a`, which comes first, has just begun.
    let mut model = farm(&json!([
        rule("a", &starts, &run),
        rule("b", &guarded, &run)
    ]));
    tell(
        &mut model,
        THURSDAY,
        &[day("2025-10-09", THURSDAY, &json!({}))],
    );
    let seen = tick(&mut model, THURSDAY + HOUR);
    assert_eq!(
        seen,
        [
            "3600 rule_fired a",
            "3600 start_skipped b guard",
            "3600 command on"
        ]
    );
}

#[test]
fn after_an_outage_the_latest_start_is_made_up_for_once() {
    let starts = json!({"schedule": {"every": {"minutes": 10, "from": "01:00", "to": "02:00"}, "catch_up_sec": 600}});
    let mut model = farm(&json!([rule("r", &starts, &json!({"run_sec": 60}))]));
    tell(
        &mut model,
        THURSDAY,
        &[day("2025-10-09", THURSDAY, &json!({}))],
    );
    let resumed = json!({"at": THURSDAY + HOUR + 30 * MINUTE, "input": "resumed"});
    let events = model.clone().apply(&resumed).unwrap();
    assert_eq!(events[0]["reason"], "missed");
    assert_eq!(
        (events[0]["start"].as_i64(), events[0]["count"].as_i64()),
        (Some(THURSDAY + HOUR), Some(3))
    );
    assert_eq!(events[1]["event"], "rule_fired");
    // At the limit it is made up for, a millisecond after it is not.
    let late = THURSDAY + 2 * HOUR + 10 * MINUTE;
    let at_limit = model
        .clone()
        .apply(&json!({"at": late, "input": "resumed"}))
        .unwrap();
    assert_eq!(at_limit[1]["event"], "rule_fired");
    let after = model
        .apply(&json!({"at": late + 1, "input": "resumed"}))
        .unwrap();
    assert_eq!((after.len(), after[0]["count"].as_i64()), (1, Some(7)));
    assert_eq!(
        tick(&mut model, THURSDAY + 24 * HOUR),
        [""; 0],
        "all of them are handled"
    );
}

#[test]
fn a_claim_that_lingers_is_taken_up_when_the_rule_fires_again() {
    let starts = json!({"schedule": {"every": {"minutes": 1, "from": "01:00", "to": "01:01"}}});
    let mut lingers = rule("r", &starts, &json!({"run_sec": 30}));
    lingers["actions"][0]["linger_sec"] = json!(60);
    let mut model = farm(&json!([lingers]));
    tell(
        &mut model,
        THURSDAY,
        &[day("2025-10-09", THURSDAY, &json!({}))],
    );
    let seen = tick(&mut model, THURSDAY + 2 * HOUR);
    let expected = [
        "3600 rule_fired r",
        "3600 command on",
        "3630 rule_stopped r run_ended",
        "3660 rule_fired r",
        "3690 rule_stopped r run_ended",
        "3750 command off",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let good = json!({"days": ["mon"]});
    let nots = |n: usize| (0..n).fold(good.clone(), |node, _| json!({"not": node}));
    let wide = |n: usize| json!({"any": vec![good.clone(); n]});
    let model = farm(&json!([rule("r", &good, &json!({}))]));
    let fits = |trigger: Value| {
        let input =
            json!({"at": 0, "input": "rule", "rule": rule("s", &trigger, &json!({"run_sec": 5}))});
        model.check(&input).is_ok()
    };
    for trigger in [
        nots(5),
        wide(16),
        json!({"all": [wide(16), wide(13)]}),
        json!({"rule": "r"}),
        json!({"device": "fan", "is": "off"}),
        json!({"dates": {"from": "02-29", "to": "02-01"}}),
        json!({"schedule": {"at": vec!["07:00"; 24], "guard": good, "if_unknown": "run"}}),
    ] {
        assert!(fits(trigger.clone()), "{trigger}");
    }
    for trigger in [
        nots(6),
        wide(17),
        wide(0),
        json!({"all": [wide(16), wide(14)]}),
        json!({"days": ["mon"], "rule": "r"}),
        json!({"rule": "s"}),
        json!({"rule": "nobody"}),
        json!({"device": "nobody", "is": "on"}),
        json!({"device": "fan", "is": "maybe"}),
        json!({"dates": {"from": "02-30", "to": "03-01"}}),
        json!({"time": {"from": "24:00", "to": "01:00"}}),
        json!({"time": {"from": {"sun": "sunset", "offset_min": 721}, "to": "01:00"}}),
        json!({"days": ["mon"], "hold_sec": 5}),
        json!({"schedule": {}}),
        json!({"schedule": {"at": vec!["07:00"; 25]}}),
        json!({"schedule": {"every": {"minutes": 5, "from": "08:00", "to": "08:00"}}}),
        json!({"schedule": {"at": ["07:00"], "guard": good}}),
        json!({"schedule": {"at": ["07:00"], "if_unknown": "run"}}),
        json!({"schedule": {"at": ["07:00"], "catch_up_sec": 86_401}}),
    ] {
        assert!(!fits(trigger.clone()), "{trigger}");
    }
}

#[test]
fn rules_in_a_circle_are_refused_and_one_that_is_named_stays() {
    let on = |id: &str| json!({"rule": id});
    let mut model = farm(&json!([
        rule("a", &json!({"days": ["mon"]}), &json!({})),
        rule("b", &on("a"), &json!({})),
        rule("c", &on("b"), &json!({})),
    ]));
    let put = json!({"at": 0, "input": "rule", "rule": rule("a", &on("c"), &json!({}))});
    assert!(model.check(&put).is_err());
    assert!(
        model
            .check(&json!({"at": 0, "input": "rule", "delete": "b"}))
            .is_err()
    );
    apply(
        &mut model,
        &json!({"at": 0, "input": "rule", "delete": "c"}),
    );
    apply(
        &mut model,
        &json!({"at": 0, "input": "rule", "delete": "b"}),
    );
}
