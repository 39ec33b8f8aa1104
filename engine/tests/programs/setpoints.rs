//! Setpoints: courses, ramps, stages, and the rules that compare with them. Values by hand from semantics.md, section 15.

use harit_engine::{
    FarmSettings, InputKind, NodeKind, Quantity, RegistryChange, RuleSpec, Timestamp,
};
use serde_json::{Value, json};

use super::{DAY, Farm, MIDNIGHT, clock, days, rule};

fn settings(setpoints: &[Value]) -> InputKind {
    let settings: FarmSettings =
        serde_json::from_value(json!({"min_samples": 2, "setpoints": setpoints})).unwrap();
    InputKind::Registry(vec![RegistryChange::Settings(settings)])
}

fn course(points: &Value) -> Value {
    json!({"id": "day", "name": "Day", "sensor_type": "temperature", "course": points})
}

/// 20 °C from 06:00, up to 26 °C within an hour from 09:00, 18 °C from half an hour after sunset (18:20).
fn usual() -> Value {
    course(&json!([
        {"at": "06:00", "value": 20}, {"at": "09:00", "value": 26, "ramp_min": 60},
        {"at": {"sun": "sunset", "offset_min": 30}, "value": 18},
    ]))
}

/// A farm with a rule that compares with the setpoint.
fn farm(setpoint: Value, changes: &Value) -> Farm {
    let mut farm = Farm::new(&[]);
    farm.apply(MIDNIGHT, settings(&[setpoint]));
    put(&mut farm, MIDNIGHT, changes);
    farm
}

fn put(farm: &mut Farm, at: i64, changes: &Value) {
    let rule = serde_json::from_value(rule(changes)).unwrap();
    farm.apply(at, InputKind::RulePut(Box::new(rule)));
}

fn above(offset: f64, seconds: i64) -> Value {
    json!({"trigger": {"sensor_type": "temperature", "operator": "gt", "setpoint": "day", "offset": offset, "duration_sec": seconds}})
}

#[test]
fn a_ramp_moves_once_a_minute_and_each_step_is_a_boundary() {
    let mut farm = farm(usual(), &above(0.5, 60));
    // 22.05 is above 20.5 until the ramp is at 21.6 (16 of 60 steps: 20 + 1.6): it is true for as long as 21.55 + 0.5 is not reached.
    assert!(farm.read("t", "08:50", "22.05").is_empty());
    assert_eq!(
        farm.read("t", "08:52", "22.05"),
        ["8:52:00 rule_fired r", "8:52:00 pump on"]
    );
    // At 09:15 the setpoint is 21.5, with the offset 22; at 09:16 it is 21.6 and 22.1.
    farm.read("t", "09:00", "22.05");
    farm.read("t", "09:05", "22.05");
    assert_eq!(farm.until("09:16"), [""; 0], "22.05 is above 22.0");
    assert!(farm.read("t", "09:16", "22.05").is_empty());
    assert_eq!(
        farm.read("t", "09:17", "22.05"),
        ["9:17:00 rule_stopped r trigger_cleared", "9:17:00 pump off"],
        "false since the step at 09:16, with two samples"
    );
}

/// What people see of it: now, next, drawn over the day, and in a rule's comparison.
#[test]
fn a_setpoint_is_seen_with_its_course_and_its_rules() {
    let farm = farm(usual(), &above(0.5, 60));
    let noon = Timestamp::from_millis(MIDNIGHT + clock("12:00"));
    let units = |q: Option<Quantity>| q.and_then(Quantity::as_units);
    let [seen] = &farm.engine.setpoints_at(noon)[..] else {
        panic!("one setpoint");
    };
    assert_eq!(units(seen.value), Some(26));
    let next = seen.next_change.map(|t| t.as_millis() - MIDNIGHT);
    assert_eq!(next, Some(clock("18:20")));
    let corners: Vec<(i64, Option<i64>)> = { seen.course.iter() }
        .map(|c| (c.at.as_millis() - MIDNIGHT, units(c.value)))
        .collect();
    let wanted = [
        ("00:00", 18),
        ("06:00", 18),
        ("06:00", 20),
        ("09:00", 20),
        ("10:00", 26),
        ("18:20", 26),
        ("18:20", 18),
        ("24:00", 18),
    ];
    assert_eq!(corners, wanted.map(|(at, v)| (clock(at), Some(v))));
    let uses: Vec<_> = { seen.rules.iter() }
        .map(|u| (u.rule.id.as_str(), u.compares, u.follows))
        .collect();
    assert_eq!(uses, [("r", true, false)]);

    let compared =
        json!({"sensor_type": "temperature", "operator": "gt", "setpoint": "day", "offset": 0.5});
    let tree: RuleSpec = serde_json::from_value(rule(
        &json!({"trigger": {"all": [compared], "duration_sec": 60}}),
    ))
    .unwrap();
    let node = tree.trees().into_iter().next().unwrap();
    let leaf = node.nodes().into_iter().find_map(|n| match &n.kind {
        NodeKind::Setpoint(c) => Some(c),
        _ => None,
    });
    let as_number = farm.engine.comparison_at(leaf.unwrap(), noon).unwrap();
    assert_eq!(as_number.value, Quantity::from_micro(26_500_000));
}

/// A ramp that goes on past midnight bends there, one that ends at midnight is drawn to its last minute, and what is said again
/// by a stage is a step still.
#[test]
fn courses_are_drawn_over_midnights() {
    let drawn = |setpoint: Value| -> Vec<(i64, Option<i64>)> {
        let farm = farm(setpoint, &above(0.0, 60));
        let noon = Timestamp::from_millis(MIDNIGHT + clock("12:00"));
        let seen = farm.engine.setpoints_at(noon).remove(0);
        { seen.course.iter() }
            .map(|c| (c.at.as_millis() - MIDNIGHT, c.value.map(Quantity::as_micro)))
            .collect()
    };
    let corners = |all: &[(&str, i64)]| -> Vec<(i64, Option<i64>)> {
        { all.iter() }
            .map(|(at, micro)| (clock(at), Some(*micro)))
            .collect()
    };
    let mut night = course(&json!([
        {"at": "12:00", "value": 24}, {"at": "23:30", "value": 12, "ramp_min": 60},
    ]));
    night["stages"] = json!([{"from": "2026-12-24", "course": [{"at": "12:00", "value": 10}]}]);
    assert_eq!(
        drawn(night),
        corners(&[
            ("00:00", 18_000_000),
            ("00:30", 12_000_000),
            ("12:00", 12_000_000),
            ("12:00", 24_000_000),
            ("23:30", 24_000_000),
            ("24:00", 18_200_000),
        ])
    );
    let day = course(&json!([
        {"at": "00:00", "value": 18}, {"at": "12:00", "value": 24, "ramp_min": 720},
    ]));
    assert_eq!(
        drawn(day),
        corners(&[
            ("00:00", 18_000_000),
            ("12:00", 18_000_000),
            ("24:00", 23_991_667),
        ])
    );
}

#[test]
fn a_stage_counts_from_its_date_and_is_reached_within_days() {
    // From the 26th on 30 °C, within one day: on the 26th half of the way from 20 to 30.
    let mut setpoint = course(&json!([{"at": "00:00", "value": 20}]));
    setpoint["stages"] =
        json!([{"from": "2026-11-26", "course": [{"at": "00:00", "value": 30}], "ramp_days": 1}]);
    let mut farm = farm(setpoint, &above(0.0, 1));
    farm.read("t", "23:58", "24.9");
    assert_eq!(
        farm.read("t", "23:59", "24.9"),
        ["23:59:00 rule_fired r", "23:59:00 pump on"]
    );
    farm.tick(MIDNIGHT + DAY);
    assert!(farm.read("t", "24:00", "24.9").is_empty());
    assert_eq!(
        farm.read("t", "24:01", "24.9"),
        [
            "+1 0:01:00 rule_stopped r trigger_cleared",
            "+1 0:01:00 pump off"
        ],
        "25 on the first day of the stage"
    );
    assert!(farm.read("t", "24:02", "25.1").is_empty());
    assert_eq!(farm.read("t", "24:03", "25.1").len(), 2);
    farm.tick(MIDNIGHT + 2 * DAY);
    assert!(farm.read("t", "48:01", "29.9").is_empty());
    assert!(farm.read("t", "48:02", "29.9").is_empty());
    assert!(farm.read("t", "48:03", "30.1").is_empty());
    assert_eq!(farm.read("t", "48:04", "30.1").len(), 2);
}

#[test]
fn a_setpoint_that_changes_moves_its_rules_and_edits_none() {
    let mut farm = farm(usual(), &above(0.0, 600));
    farm.read("t", "07:00", "23");
    // True still: the hold goes on.
    let other = course(&json!([{"at": "06:00", "value": 22}]));
    assert!(
        farm.apply(MIDNIGHT + clock("07:04"), settings(&[other]))
            .is_empty()
    );
    farm.read("t", "07:05", "23");
    assert_eq!(
        farm.until("07:19"),
        ["7:10:00 rule_fired r", "7:10:00 pump on"]
    );
    farm.read("t", "07:19", "23");
    let higher = course(&json!([{"at": "06:00", "value": 24}]));
    assert!(
        farm.apply(MIDNIGHT + clock("07:21"), settings(&[higher]))
            .is_empty()
    );
    farm.read("t", "07:21", "23");
    assert_eq!(
        farm.read("t", "07:22", "23"),
        ["7:22:00 rule_stopped r trigger_cleared", "7:22:00 pump off"]
    );
}

#[test]
fn a_setpoint_is_not_known_without_its_days() {
    let mut farm = farm(usual(), &above(0.0, 1));
    // The days of the farm end with the 27th.
    farm.read("t", "71:58", "23");
    assert_eq!(farm.read("t", "71:59", "23").len(), 2);
    assert_eq!(
        farm.until("72:00"),
        [
            "+3 0:00:00 rule_stopped r signal_lost",
            "+3 0:00:00 pump off"
        ]
    );
    farm.apply(MIDNIGHT + clock("72:01"), days(2..5));
    assert!(farm.read("t", "72:02", "23").is_empty());
    assert_eq!(farm.read("t", "72:03", "23").len(), 2);
}

#[test]
fn what_is_wrong_with_a_setpoint_is_said_with_its_place() {
    let wrong = json!({"min_samples": 2, "setpoints": [
        {"id": "a", "sensor_type": "ph", "course": []},
        {"id": "a", "sensor_type": "ph", "course": [{"at": "6", "value": 15, "ramp_min": 721}],
            "stages": [{"from": "2026-02-30", "course": [{"at": "06:00", "value": 5}]}]},
    ]});
    let problems = FarmSettings::from_json(&wrong).unwrap_err();
    let paths: Vec<&str> = problems.0.iter().map(|p| p.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "setpoints[0].course",
            "setpoints[1].course[0].at",
            "setpoints[1].course[0].value",
            "setpoints[1].course[0].ramp_min",
            "setpoints[1].stages[0].from",
            "setpoints[1].id",
        ]
    );
    let mut farm = farm(usual(), &above(0.0, 1));
    let refused = |farm: &Farm, kind: InputKind| {
        let at = harit_engine::Timestamp::from_millis(MIDNIGHT + clock("01:00"));
        let problems = farm.engine.check(&harit_engine::Input { at, kind });
        problems.unwrap_err().0[0].path.clone()
    };
    assert_eq!(refused(&farm, settings(&[])), "rules.r.trigger.setpoint");
    let other_type = rule(&json!({"id": "x",
        "trigger": {"sensor_type": "humidity", "operator": "gt", "setpoint": "day", "duration_sec": 1}}));
    let put = InputKind::RulePut(Box::new(serde_json::from_value(other_type).unwrap()));
    assert_eq!(refused(&farm, put), "trigger.setpoint");
    let mut elsewhere = usual();
    elsewhere["scope"] = json!({"type": "polyhouse", "polyhouseId": "p"});
    assert_eq!(
        refused(&farm, settings(&[elsewhere])),
        "setpoints.day.scope.polyhouseId"
    );
    assert!(farm.until("02:00").is_empty());
}

#[test]
fn a_stop_that_is_true_without_its_signals_needs_no_reading() {
    let stop = json!({"any": [{"sensor_type": "temperature", "operator": "lt", "value": 20},
        {"time": {"from": "18:00", "to": "06:00"}}], "duration_sec": 60});
    let mut farm = Farm::new(&[rule(&json!({
        "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 30, "duration_sec": 1},
        "stop_condition": stop, "on_signal_lost": "hold",
    }))]);
    farm.read("t", "17:40", "31");
    assert_eq!(farm.read("t", "17:41", "31").len(), 2);
    assert_eq!(
        farm.until("19:00"),
        [
            "17:56:00 sensor_expired t",
            "18:01:00 rule_stopped r stop_condition",
            "18:01:00 pump off",
        ]
    );
}

#[test]
fn a_reading_is_a_sample_of_a_signal_whose_setpoint_is_not_known() {
    let mut farm = farm(
        usual(),
        &json!({"trigger": {"any": [
            {"sensor_type": "humidity", "operator": "gt", "value": 80},
            {"sensor_type": "temperature", "operator": "gt", "setpoint": "day"},
        ], "duration_sec": 300}}),
    );
    farm.until("72:00");
    assert!(farm.read("h", "72:01", "90").is_empty());
    assert!(farm.read("t", "72:02", "23").is_empty());
    assert_eq!(
        farm.until("72:07"),
        ["+3 0:06:00 rule_fired r", "+3 0:06:00 pump on"]
    );
}
