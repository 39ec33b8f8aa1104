//! Least times, starts an hour and groups.

use serde_json::{Value, json};

use super::*;

fn fan(limits: &Value) -> Value {
    json!([{"id": "fan", "type": "fan", "limits": limits}])
}

fn one_fan(limits: &Value) -> Model {
    farm(&json!(null), &fan(limits), &[on("fan")])
}

#[test]
fn what_rules_want_off_stays_on_for_min_on_sec() {
    let mut model = one_fan(&json!({"min_on_sec": 30}));
    assert_eq!(rule(&mut model, 10, 0, true), ["10 command fan on r0"]);
    assert_eq!(
        rule(&mut model, 20, 0, false),
        ["20 command_held fan min_on rest"]
    );
    assert_eq!(next(&model), Some(40));
    assert_eq!(tick(&mut model, 60), ["40 command fan off rest"]);
}

#[test]
fn people_and_locks_switch_off_sooner_than_min_on_sec() {
    let mut model = one_fan(&json!({"min_on_sec": 30}));
    rule(&mut model, 10, 0, true);
    assert_eq!(
        person(&mut model, 12, "fan", "off"),
        ["12 command fan off manual"]
    );
    let mut model = one_fan(&json!({"min_on_sec": 30}));
    rule(&mut model, 10, 0, true);
    let stop = json!({"input": "stop", "device": "fan", "owner": {"user_id": "asha"}});
    assert_eq!(at(&mut model, 12, stop), ["12 command fan off stop"]);
}

#[test]
fn it_does_not_start_for_min_off_sec_after_it_ran() {
    let mut model = one_fan(&json!({"min_off_sec": 60}));
    rule(&mut model, 10, 0, true);
    rule(&mut model, 50, 0, false);
    // 60 s after 50, not after 10.
    assert_eq!(
        rule(&mut model, 70, 0, true),
        ["70 command_held fan min_off r0"]
    );
    assert_eq!(next(&model), Some(110));
    assert_eq!(tick(&mut model, 120), ["110 command fan on r0"]);
}

#[test]
fn min_off_sec_counts_from_the_end_of_a_pulse_too() {
    let mut model = one_fan(&json!({"min_off_sec": 60}));
    person_pulses(&mut model, 0, "fan", 20);
    tick(&mut model, 30);
    assert_eq!(
        person_pulses(&mut model, 79, "fan", 5),
        ["79 command_refused fan min_off"]
    );
    assert_eq!(
        person_pulses(&mut model, 80, "fan", 5),
        ["80 command fan pulse manual"]
    );
}

#[test]
fn what_is_sent_during_a_pulse_ends_it() {
    let mut model = one_fan(&json!({"min_off_sec": 60}));
    person_pulses(&mut model, 0, "fan", 20);
    person(&mut model, 5, "fan", "off");
    assert_eq!(
        person(&mut model, 64, "fan", "on"),
        ["64 command_refused fan min_off"]
    );
    assert_eq!(
        person(&mut model, 65, "fan", "on"),
        ["65 command fan on manual"]
    );
}

#[test]
fn a_device_that_may_not_start_is_told_to_be_off_where_that_is_not_known() {
    let mut model = one_fan(&json!({"min_off_sec": 60}));
    rule(&mut model, 10, 0, true);
    rule(&mut model, 20, 0, false);
    rule(&mut model, 30, 0, true);
    online(&mut model, 40, "fan", false);
    // It may have restarted: what holds is sent. It was held for nothing while it was offline, so that is told again.
    let back = online(&mut model, 50, "fan", true);
    assert_eq!(
        back,
        ["50 command_held fan min_off r0", "50 command fan off limit"]
    );
    let corrected = at(&mut model, 60, json!({"input": "correct", "device": "fan"}));
    assert_eq!(corrected, ["60 command fan off corrected"]);
    assert_eq!(tick(&mut model, 80), ["80 command fan on r0"]);
}

#[test]
fn so_many_starts_within_an_hour_and_one_an_hour_ago_is_none() {
    let mut model = one_fan(&json!({"starts_per_hour": 2}));
    rule(&mut model, 10, 0, true);
    rule(&mut model, 20, 0, false);
    rule(&mut model, 100, 0, true);
    rule(&mut model, 110, 0, false);
    assert_eq!(
        person(&mut model, 200, "fan", "on"),
        ["200 command_refused fan starts"]
    );
    assert_eq!(
        rule(&mut model, 300, 0, true),
        ["300 command_held fan starts r0"]
    );
    assert_eq!(next(&model), Some(3_610));
    assert_eq!(tick(&mut model, 3_700), ["3610 command fan on r0"]);
}

#[test]
fn a_speed_is_no_start_and_a_setting_during_a_pulse_is_none() {
    let mut model = one_fan(&json!({"starts_per_hour": 2}));
    rule(&mut model, 10, 0, true);
    let faster = json!({"input": "manual", "device": "fan", "cmd_type": "override",
        "action": "set_speed", "value": 40, "duration_sec": 5, "admin": false});
    at(&mut model, 20, faster);
    tick(&mut model, 30);
    rule(&mut model, 40, 0, false);
    person_pulses(&mut model, 50, "fan", 30);
    assert_eq!(
        person(&mut model, 60, "fan", "on"),
        ["60 command fan on manual"]
    );
    person(&mut model, 70, "fan", "off");
    assert_eq!(
        person(&mut model, 80, "fan", "on"),
        ["80 command_refused fan starts"]
    );
}

#[test]
fn what_safety_requires_is_not_held_back_and_counts() {
    let limits = json!({"starts_per_hour": 1});
    let mut model = farm(
        &json!(null),
        &json!([{"id": "fan", "type": "fan", "limits": limits, "safe": {"action": "on"}}]),
        &[on("fan")],
    );
    rule(&mut model, 10, 0, true);
    rule(&mut model, 20, 0, false);
    let safety = json!({"input": "device", "device": "fan", "safety": true});
    assert_eq!(at(&mut model, 30, safety), ["30 command fan on safety"]);
    let cleared = json!({"input": "device", "device": "fan", "safety": false});
    assert_eq!(at(&mut model, 40, cleared), ["40 command fan off rest"]);
    // The start at 10 is an hour ago at 3,610, that for safety at 3,630.
    rule(&mut model, 3_615, 0, true);
    assert_eq!(tick(&mut model, 3_640), ["3630 command fan on r0"]);
}

#[test]
fn the_reason_is_the_first_and_a_new_one_is_told() {
    let mut model = one_fan(&json!({"min_off_sec": 60, "starts_per_hour": 1}));
    rule(&mut model, 10, 0, true);
    rule(&mut model, 20, 0, false);
    assert_eq!(
        rule(&mut model, 30, 0, true),
        ["30 command_held fan min_off r0"]
    );
    assert_eq!(tick(&mut model, 100), ["80 command_held fan starts r0"]);
    assert_eq!(tick(&mut model, 3_700), ["3610 command fan on r0"]);
}

#[test]
fn another_cause_is_told_and_none_where_people_command() {
    let devices = fan(&json!({"min_off_sec": 600}));
    let mut weak = on("fan");
    weak["priority"] = json!(1);
    let mut model = farm(&json!(null), &devices, &[weak, on("fan")]);
    rule(&mut model, 10, 0, true);
    rule(&mut model, 20, 0, false);
    assert_eq!(
        rule(&mut model, 30, 0, true),
        ["30 command_held fan min_off r0"]
    );
    assert_eq!(
        rule(&mut model, 40, 1, true),
        ["40 command_held fan min_off r1"]
    );
    // A person's off ends the holding; when it ends, that is told anew.
    person(&mut model, 50, "fan", "off");
    let release =
        json!({"input": "manual", "device": "fan", "cmd_type": "release", "admin": false});
    assert_eq!(
        at(&mut model, 60, release),
        [
            "60 command fan release manual",
            "60 command_held fan min_off r1",
            "60 command fan off limit"
        ]
    );
}

fn three_pumps() -> Value {
    let limits = json!({"groups": ["power"]});
    json!([
        {"id": "a", "type": "pump", "limits": limits},
        {"id": "b", "type": "pump", "limits": limits},
        {"id": "c", "type": "pump", "limits": limits},
    ])
}

#[test]
fn so_many_of_a_group_run_and_the_strongest_is_next() {
    let groups = json!([{"id": "power", "name": "Power", "at_most": 1}]);
    let mut strong = on("c");
    strong["priority"] = json!(9);
    let mut model = farm(&groups, &three_pumps(), &[on("a"), on("b"), strong]);
    assert_eq!(rule(&mut model, 10, 0, true), ["10 command a on r0"]);
    assert_eq!(
        rule(&mut model, 20, 1, true),
        ["20 command_held b group r1", "20 command b off limit"]
    );
    assert_eq!(
        rule(&mut model, 30, 2, true),
        ["30 command_held c group r2", "30 command c off limit"]
    );
    assert_eq!(next(&model), None, "a group has no deadline");
    // The place goes to c, whose rule is stronger, though b has the smaller id.
    assert_eq!(
        rule(&mut model, 40, 0, false),
        ["40 command a off rest", "40 command c on r2"]
    );
    assert_eq!(
        rule(&mut model, 50, 2, false),
        ["50 command c off rest", "50 command b on r1"]
    );
}

#[test]
fn a_pulse_has_a_place_in_its_group_until_it_ends() {
    let groups = json!([{"id": "power", "name": "Power", "at_most": 1}]);
    let actions = [on("a"), pulse("b", 5)];
    let mut model = farm(&groups, &three_pumps(), &actions);
    person_pulses(&mut model, 0, "c", 20);
    assert_eq!(
        rule(&mut model, 5, 0, true),
        ["5 command_held a group r0", "5 command a off limit"]
    );
    assert_eq!(
        rule(&mut model, 10, 1, true),
        ["10 command_suppressed b group"]
    );
    let freed = tick(&mut model, 30);
    assert_eq!(
        freed,
        [
            "20 manual_ended c",
            "20 command c off rest",
            "20 command a on r0"
        ]
    );
}

#[test]
fn a_group_that_gets_wider_lets_start() {
    let groups = |n: i64| json!([{"id": "power", "name": "Power", "at_most": n}]);
    let mut model = farm(&groups(1), &three_pumps(), &[on("a"), on("b")]);
    rule(&mut model, 10, 0, true);
    rule(&mut model, 20, 1, true);
    let settings = json!({"min_samples": 1, "groups": groups(2)});
    let wider = json!({"input": "registry", "changes": [{"settings": settings}]});
    assert_eq!(at(&mut model, 30, wider), ["30 command b on r1"]);
}

#[test]
fn what_loses_its_limits_is_held_no_more() {
    let mut model = one_fan(&json!({"min_off_sec": 600}));
    rule(&mut model, 10, 0, true);
    rule(&mut model, 20, 0, false);
    rule(&mut model, 30, 0, true);
    let free = json!({"id": "fan", "type": "fan", "limits": {}});
    assert_eq!(put(&mut model, 40, free), ["40 command fan on r0"]);
}

#[test]
fn a_put_device_keeps_what_is_remembered() {
    let fan = |limits| json!({"id": "fan", "type": "fan", "limits": limits});
    let mut model = one_fan(&json!(null));
    rule(&mut model, 5, 0, true);
    rule(&mut model, 8, 0, false);
    // Of what it did before it had limits nothing is.
    put(&mut model, 9, fan(json!({"min_off_sec": 1})));
    rule(&mut model, 10, 0, true);
    rule(&mut model, 20, 0, false);
    put(&mut model, 30, fan(json!({"starts_per_hour": 2})));
    assert_eq!(
        person(&mut model, 31, "fan", "on"),
        ["31 command fan on manual"]
    );
    person(&mut model, 32, "fan", "off");
    assert_eq!(
        person(&mut model, 40, "fan", "on"),
        ["40 command_refused fan starts"]
    );
}
