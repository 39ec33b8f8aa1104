//! Budgets and their ledgers.

use serde_json::{Value, json};

use super::*;

fn pump(limits: &Value) -> Value {
    json!([{"id": "p", "type": "pump", "limits": limits}])
}

fn one_pump(limits: &Value) -> Model {
    farm(&json!(null), &pump(limits), &[on("p")])
}

fn day(date: &str, from: i64, to: i64) -> Value {
    json!({"date": date, "from": THURSDAY + from, "to": THURSDAY + to, "offset": 19_800})
}

const DAY: i64 = 86_400;

#[test]
fn a_day_of_so_many_seconds() {
    let mut model = one_pump(&json!({"sec_per_day": 30}));
    rule(&mut model, 10, 0, true);
    rule(&mut model, 30, 0, false);
    assert_eq!(rule(&mut model, 100, 0, true), ["100 command p on r0"]);
    assert_eq!(next(&model), Some(110));
    assert_eq!(
        tick(&mut model, 200),
        [
            "110 limit_reached p budget",
            "110 command p off limit",
            "110 command_held p budget r0"
        ]
    );
    assert_eq!(
        person(&mut model, 300, "p", "on"),
        ["300 command_refused p budget"]
    );
    // Nothing is known of the day, so it ends at midnight UTC; then the rule goes on.
    assert_eq!(next(&model), Some(DAY));
    assert_eq!(tick(&mut model, DAY + 10), ["86400 command p on r0"]);
    assert_eq!(next(&model), Some(DAY + 30));
}

#[test]
fn a_person_loses_it_at_the_end_of_the_budget() {
    let mut model = one_pump(&json!({"sec_per_day": 30}));
    person(&mut model, 10, "p", "on");
    assert_eq!(
        tick(&mut model, 100),
        [
            "40 limit_reached p budget",
            "40 manual_ended p",
            "40 command p off limit"
        ]
    );
}

#[test]
fn over_midnight_the_next_ledger_begins_where_the_day_is_known() {
    let mut model = one_pump(&json!({"sec_per_day": 30}));
    // Midnight in India is 18:30 UTC: 66,600 s.
    let days = [
        day("2025-10-09", -19_800 * SECOND, 66_600 * SECOND),
        day("2025-10-10", 66_600 * SECOND, 153_000 * SECOND),
    ];
    at(&mut model, 0, json!({"input": "almanac", "days": days}));
    assert_eq!(rule(&mut model, 66_590, 0, true), ["66590 command p on r0"]);
    assert_eq!(next(&model), Some(66_600), "the end of the ledger");
    assert_eq!(tick(&mut model, 66_600), [""; 0]);
    assert_eq!(next(&model), Some(66_630));
    let over = tick(&mut model, 66_700);
    assert_eq!(
        over[..2],
        ["66630 limit_reached p budget", "66630 command p off limit"]
    );
    assert_eq!(next(&model), Some(153_000));
}

#[test]
fn over_midnight_utc_where_the_day_is_not_known() {
    let mut model = one_pump(&json!({"sec_per_day": 30}));
    rule(&mut model, DAY - 10, 0, true);
    assert_eq!(tick(&mut model, DAY), [""; 0]);
    let over = tick(&mut model, DAY + 100);
    assert_eq!(over[0], "86430 limit_reached p budget");
    // An almanac that comes later does not move the end of a ledger.
    let days = [day("2025-10-10", 66_600 * SECOND, 153_000 * SECOND)];
    at(
        &mut model,
        DAY + 200,
        json!({"input": "almanac", "days": days}),
    );
    assert_eq!(next(&model), Some(2 * DAY));
}

#[test]
fn the_seconds_of_a_pulse_count_at_once_and_it_is_not_cut_short() {
    let mut model = one_pump(&json!({"sec_per_day": 30}));
    person_pulses(&mut model, 10, "p", 20);
    tick(&mut model, 40);
    assert_eq!(
        person_pulses(&mut model, 50, "p", 11),
        ["50 command_refused p budget"]
    );
    // Exactly what is left: the budget is used up from its sending on, but the pulse is done.
    assert_eq!(
        person_pulses(&mut model, 60, "p", 10),
        ["60 command p pulse manual"]
    );
    assert_eq!(reported(&mut model, 65, "p", Some(true)), [""; 0]);
    let ended = tick(&mut model, 100);
    assert_eq!(ended, ["70 manual_ended p", "70 command p off rest"]);
    assert_eq!(
        person_pulses(&mut model, 110, "p", 1),
        ["110 command_refused p budget"]
    );
}

#[test]
fn a_rules_pulse_is_suppressed_and_one_to_a_device_that_runs_only_for_the_budget() {
    let limits = json!({"sec_per_day": 30, "starts_per_hour": 1});
    let mut model = farm(
        &json!(null),
        &pump(&limits),
        &[pulse("p", 20), pulse("p", 5)],
    );
    assert_eq!(rule(&mut model, 10, 0, true), ["10 command p pulse r0"]);
    // It runs still: no start.
    assert_eq!(rule(&mut model, 15, 1, true), ["15 command p pulse r1"]);
    rule(&mut model, 16, 1, false);
    assert_eq!(
        rule(&mut model, 60, 1, true),
        ["60 command_suppressed p starts"]
    );
    rule(&mut model, 3_000, 1, false);
    rule(&mut model, 3_001, 0, false);
    // 25 of 30 s are used.
    assert_eq!(
        rule(&mut model, 3_700, 0, true),
        ["3700 command_suppressed p budget"]
    );
    assert_eq!(
        rule(&mut model, 3_800, 1, true),
        ["3800 command p pulse r1"]
    );
}

#[test]
fn a_pulse_during_an_on_period_is_done_before_it_goes_off() {
    let mut model = one_pump(&json!({"sec_per_day": 30}));
    rule(&mut model, 10, 0, true);
    // 10 s of the on period and these are all.
    assert_eq!(
        person_pulses(&mut model, 20, "p", 20),
        ["20 command p pulse manual"]
    );
    let over = tick(&mut model, 100);
    assert_eq!(
        over,
        [
            "40 manual_ended p",
            "40 limit_reached p budget",
            "40 command p off limit",
            "40 command_held p budget r0"
        ]
    );
}

#[test]
fn millilitres_are_time_and_rate() {
    // 2.5 ml/s: 100 ml are gone after 40 s.
    let mut model = one_pump(&json!({"ml_per_day": 100, "ml_per_sec": 2.5}));
    rule(&mut model, 10, 0, true);
    assert_eq!(next(&model), Some(50));
    // 3 ml/s: the first millisecond at which 100 ml or more are gone is 33.334 s.
    let mut model = one_pump(&json!({"ml_per_day": 100, "ml_per_sec": 3}));
    rule(&mut model, 10, 0, true);
    assert_eq!(tick(&mut model, 60)[0], "43.334 limit_reached p budget");
}

#[test]
fn a_flow_rate_that_was_set_counts_instead() {
    let limits = json!({"ml_per_day": 100, "ml_per_sec": 5});
    let doser = json!([{"id": "p", "type": "dosing_pump", "max_on_sec": null, "limits": limits}]);
    let dose = json!({"device_id": "p", "command": {"action": "set_flow_rate", "value": 2}});
    let mut model = farm(&json!(null), &doser, &[dose]);
    rule(&mut model, 10, 0, true);
    assert_eq!(next(&model), Some(60), "100 ml at 2 ml/s");
    // 20 s at 2 ml/s; then a person has it on: 60 ml at 5 ml/s.
    person(&mut model, 30, "p", "on");
    assert_eq!(next(&model), Some(42));
    person(&mut model, 34, "p", "off");
    // 40 ml are left, and the last setting that was on has no rate.
    assert_eq!(
        person_pulses(&mut model, 40, "p", 9),
        ["40 command_refused p budget"]
    );
    assert_eq!(
        person_pulses(&mut model, 41, "p", 8),
        ["41 command p pulse manual"]
    );
}

#[test]
fn the_first_budget_that_is_used_up_counts() {
    let mut model = one_pump(&json!({"sec_per_day": 50, "ml_per_day": 100, "ml_per_sec": 2.5}));
    rule(&mut model, 10, 0, true);
    assert_eq!(tick(&mut model, 100)[0], "50 limit_reached p budget");
}

#[test]
fn a_budget_that_comes_while_it_runs_begins_then() {
    let mut model = one_pump(&json!(null));
    rule(&mut model, 10, 0, true);
    let put_limits = |sec: i64| json!({"id": "p", "type": "pump", "max_on_sec": null, "limits": {"sec_per_day": sec}});
    put(&mut model, 100, put_limits(30));
    assert_eq!(next(&model), Some(130));
    // A smaller one that is used up already acts at once.
    assert_eq!(
        put(&mut model, 120, put_limits(15)),
        [
            "120 limit_reached p budget",
            "120 command p off limit",
            "120 command_held p budget r0"
        ]
    );
    // A greater one lets it go on with what is left.
    assert_eq!(
        put(&mut model, 150, put_limits(30)),
        ["150 command p on r0"]
    );
    assert_eq!(next(&model), Some(160));
}

#[test]
fn after_an_outage_a_ledger_that_is_over_ends_then() {
    let mut model = one_pump(&json!({"sec_per_day": 30}));
    rule(&mut model, DAY - 10, 0, true);
    // Neither the time before midnight nor that of the outage counts: 30 s are left.
    let resumed = at(&mut model, DAY + 1_000, json!({"input": "resumed"}));
    assert_eq!(resumed, ["87400 command p on r0"]);
    assert_eq!(next(&model), Some(DAY + 1_030));
    let mut model = one_pump(&json!({"sec_per_day": 30}));
    rule(&mut model, 10, 0, true);
    // Of one that goes on the time of the outage does.
    let resumed = at(&mut model, 500, json!({"input": "resumed"}));
    assert_eq!(
        resumed,
        [
            "500 limit_reached p budget",
            "500 command p off limit",
            "500 command_held p budget r0"
        ]
    );
}

#[test]
fn what_is_locked_goes_off_when_its_lock_is_opened() {
    let mut model = farm(
        &json!(null),
        &json!([{"id": "p", "type": "pump", "safe": {"action": "on"}, "limits": {"sec_per_day": 30}}]),
        &[on("p")],
    );
    rule(&mut model, 10, 0, true);
    let safety = |on: bool| json!({"input": "device", "device": "p", "safety": on});
    at(&mut model, 20, safety(true));
    assert_eq!(tick(&mut model, 100), [""; 0]);
    assert_eq!(
        at(&mut model, 200, safety(false)),
        [
            "200 limit_reached p budget",
            "200 command p off limit",
            "200 command_held p budget r0"
        ]
    );
}
