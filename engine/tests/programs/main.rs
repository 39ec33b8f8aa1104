//! Programs: trees, time, schedules, runs and claims that end, played on a small farm.
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]

use harit_engine::{Engine, FarmDocument, Input, InputKind, Measured, RuleSpec, Status, Timestamp};
use serde_json::{Value, json};

mod curves;
mod only_if;
mod setpoints;

/// 25 November 2026, 00:00 in India.
const MIDNIGHT: i64 = 1_795_545_000_000;
const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;
const MINUTE: i64 = 60_000;

struct Farm {
    engine: Engine,
}

fn clock(text: &str) -> i64 {
    let (hour, minute) = text.split_once(':').unwrap();
    hour.parse::<i64>().unwrap() * HOUR + minute.parse::<i64>().unwrap() * MINUTE
}

/// Days of India from 25 November 2026 on.
fn days(numbers: std::ops::Range<i64>) -> InputKind {
    let day = |n: i64| {
        let from = MIDNIGHT + n * DAY;
        let date = format!("2026-11-{:02}", 25 + n);
        json!({"date": date, "from": from, "to": from + DAY, "offset": 19_800,
            "sunrise": from + clock("06:40"), "sunset": from + clock("17:50")})
    };
    let days: Vec<_> = numbers
        .map(|n| serde_json::from_value(day(n)).unwrap())
        .collect();
    InputKind::Almanac(days)
}

fn rule(changes: &Value) -> Value {
    let mut rule = json!({
        "id": "r", "name": "R", "mode": "auto", "deployed": true, "scope": {"type": "farm"},
        "actions": [{"device_id": "pump", "command": {"action": "on"}}],
    });
    rule.as_object_mut()
        .unwrap()
        .extend(changes.as_object().unwrap().clone());
    rule
}

impl Farm {
    fn new(rules: &[Value]) -> Self {
        let device = |id: &str, kind: &str| json!({"id": id, "type": kind, "scope": {"type": "farm"}, "max_on_sec": null});
        let document: FarmDocument = serde_json::from_value(json!({
            "farm": {"id": "f", "name": "F", "settings": {"min_samples": 2}},
            "sensors": [{"id": "t", "type": "temperature", "scope": {"type": "farm"}},
                {"id": "h", "type": "humidity", "scope": {"type": "farm"}}],
            "devices": [device("pump", "pump"), device("a", "valve"), device("b", "valve")],
            "rules": rules,
        }))
        .unwrap();
        let mut farm = Self {
            engine: Engine::new(&document).unwrap(),
        };
        farm.apply(MIDNIGHT - HOUR, days(-1..3));
        farm
    }

    fn apply(&mut self, at: i64, kind: InputKind) -> Vec<String> {
        let mut events = Vec::new();
        let at = Timestamp::from_millis(at);
        self.engine.apply(&Input { at, kind }, &mut events).unwrap();
        // A snapshot is the engine.
        let restored = Engine::restore(&self.engine.snapshot()).unwrap();
        assert_eq!(restored.snapshot(), self.engine.snapshot());
        assert_eq!(
            restored.clone().next_deadline(),
            self.engine.next_deadline()
        );
        let alerts = |engine: &Engine| engine.alerts().collect::<Vec<_>>();
        assert_eq!(alerts(&restored), alerts(&self.engine));
        self.engine = restored;
        events
            .iter()
            .map(|e| Self::told(&serde_json::to_value(e).unwrap()))
            .collect()
    }

    /// An event in one line: its time of day, what it is and of what.
    fn told(event: &Value) -> String {
        let at = event["at"].as_i64().unwrap() - MIDNIGHT;
        let (day, at) = (at.div_euclid(DAY), at.rem_euclid(DAY));
        let seconds = at / 1_000;
        let time = format!(
            "{}:{:02}:{:02}",
            seconds / 3_600,
            seconds / 60 % 60,
            seconds % 60
        );
        let time = if day == 0 {
            time
        } else {
            format!("{day:+} {time}")
        };
        let what = match event["event"].as_str().unwrap() {
            "command" => {
                let (device, action) = (&event["device"], event["action"].as_str().unwrap());
                let value = match action {
                    "set_position" | "set_speed" => format!(" {}", event["value"]),
                    _ => String::new(),
                };
                format!("{} {action}{value}", device.as_str().unwrap())
            }
            "start_skipped" => format!(
                "{} skipped {}",
                event["rule"].as_str().unwrap(),
                event["reason"].as_str().unwrap()
            ),
            other => {
                let reason = event["reason"]
                    .as_str()
                    .map_or(String::new(), |r| format!(" {r}"));
                let of = event["rule"]
                    .as_str()
                    .or(event["sensor"].as_str())
                    .or(event["alert"].as_str())
                    .unwrap_or("");
                format!("{other} {of}{reason}")
            }
        };
        format!("{time} {what}")
    }

    fn until(&mut self, time: &str) -> Vec<String> {
        self.tick(MIDNIGHT + clock(time))
    }

    fn tick(&mut self, at: i64) -> Vec<String> {
        self.apply(at, InputKind::Tick)
    }

    fn read(&mut self, sensor: &str, time: &str, value: &str) -> Vec<String> {
        let kind = InputKind::Reading {
            sensor: sensor.into(),
            value: Measured::parse(value),
        };
        self.apply(MIDNIGHT + clock(time), kind)
    }
}

#[test]
fn a_schedule_runs_for_its_time_on_its_days() {
    let mut farm = Farm::new(&[rule(&json!({
        "trigger": {"schedule": {"at": ["06:00", {"sun": "sunset", "offset_min": -20}], "days": ["wed", "fri"]}},
        "run_sec": 300,
    }))]);
    assert_eq!(
        farm.engine.rule("r").unwrap().next_start,
        Some(Timestamp::from_millis(MIDNIGHT + clock("06:00")))
    );
    // 25 November 2026 is a Wednesday.
    assert_eq!(
        farm.tick(MIDNIGHT + 3 * DAY),
        [
            "6:00:00 rule_fired r",
            "6:00:00 pump on",
            "6:05:00 rule_stopped r run_ended",
            "6:05:00 pump off",
            "17:30:00 rule_fired r",
            "17:30:00 pump on",
            "17:35:00 rule_stopped r run_ended",
            "17:35:00 pump off",
            "+2 6:00:00 rule_fired r",
            "+2 6:00:00 pump on",
            "+2 6:05:00 rule_stopped r run_ended",
            "+2 6:05:00 pump off",
            "+2 17:30:00 rule_fired r",
            "+2 17:30:00 pump on",
            "+2 17:35:00 rule_stopped r run_ended",
            "+2 17:35:00 pump off",
        ]
    );
    assert_eq!(
        farm.engine.rule("r").unwrap().next_start,
        None,
        "no day after that is known"
    );
}

#[test]
fn a_drip_by_shift_is_actions_with_times_and_the_valve_outlasts_the_pump() {
    let on = |device: &str, delay: i64, lasts: i64| json!({"device_id": device, "command": {"action": "on"}, "delay_sec": delay, "for_sec": lasts});
    let mut last = on("b", 295, 305);
    last["linger_sec"] = json!(5);
    let mut farm = Farm::new(&[rule(&json!({
        "trigger": {"schedule": {"at": ["06:00"]}}, "run_sec": 590,
        "actions": [on("a", 0, 300), last, {"device_id": "pump", "command": {"action": "on"}, "delay_sec": 3}],
    }))]);
    assert_eq!(
        farm.until("07:00"),
        [
            "6:00:00 rule_fired r",
            "6:00:00 a on",
            "6:00:03 pump on",
            "6:04:55 b on",
            "6:05:00 a off",
            "6:09:50 rule_stopped r run_ended",
            "6:09:50 pump off",
            "6:09:55 b off",
        ]
    );
}

#[test]
fn a_guard_that_is_not_true_skips_the_start_and_says_why() {
    let mut farm = Farm::new(&[rule(&json!({
        "trigger": {"schedule": {"every": {"minutes": 60, "from": "06:00", "to": "09:00"}, "if_unknown": "skip",
            "guard": {"sensor_type": "humidity", "operator": "lt", "value": 60}}},
        "run_sec": 60,
    }))]);
    assert_eq!(farm.until("06:30"), ["6:00:00 r skipped unknown"]);
    assert!(farm.read("h", "06:50", "70").is_empty());
    assert_eq!(farm.read("h", "07:01", "50"), ["7:00:00 r skipped guard"]);
    assert_eq!(
        farm.until("08:00"),
        ["7:16:00 sensor_expired h", "8:00:00 r skipped unknown"]
    );
}

#[test]
fn a_window_past_midnight_begins_on_its_weekdays() {
    let mut farm = Farm::new(&[rule(&json!({
        "trigger": {"time": {"from": "22:00", "to": "04:00"}, "days": ["wed"], "duration_sec": 10},
    }))]);
    assert_eq!(
        farm.tick(MIDNIGHT + 3 * DAY - HOUR),
        [
            "22:00:10 rule_fired r",
            "22:00:10 pump on",
            "+1 4:00:10 rule_stopped r trigger_cleared",
            "+1 4:00:10 pump off",
        ]
    );
}

/// Where one branch is over another begins: the whole is true all the time.
#[test]
fn windows_that_meet_are_held_as_one() {
    let window = |from: &str, to: &str| json!({"time": {"from": from, "to": to}});
    let mut farm = Farm::new(&[rule(&json!({
        "trigger": {"any": [window("05:00", "06:00"), window("06:00", "07:00")], "duration_sec": 5_400},
    }))]);
    assert_eq!(
        farm.until("06:59"),
        ["6:30:00 rule_fired r", "6:30:00 pump on"]
    );
}

#[test]
fn a_tree_joins_signals_time_and_a_branch_that_must_hold() {
    let mut farm = Farm::new(&[rule(&json!({
        "trigger": {"all": [
            {"any": [{"sensor_type": "temperature", "operator": "gt", "value": 35}, {"sensor_type": "humidity", "operator": "lt", "value": 40, "hold_sec": 120}]},
            {"not": {"time": {"from": "18:00", "to": "06:00"}}},
        ], "duration_sec": 60},
        "stop_condition": {"sensor_type": "humidity", "operator": "gt", "value": 70, "duration_sec": 30},
    }))]);
    for time in ["05:50", "05:58", "05:59"] {
        assert!(farm.read("h", time, "30").is_empty());
    }
    // The branch has held since 05:52 with two samples; the whole begins to hold at 06:00 and needs two more.
    assert!(farm.read("h", "06:01", "31").is_empty());
    assert_eq!(
        farm.read("h", "06:02", "32"),
        ["6:02:00 rule_fired r", "6:02:00 pump on"]
    );
    assert!(farm.read("h", "06:10", "80").is_empty());
    assert_eq!(
        farm.read("h", "06:11", "81"),
        ["6:11:00 rule_stopped r stop_condition", "6:11:00 pump off"]
    );
}

#[test]
fn rules_that_look_at_each_other_are_looked_at_in_passes_and_never_in_a_circle() {
    let second = json!({
        "id": "s", "trigger": {"rule": "r", "duration_sec": 5}, "priority": 9,
        "actions": [{"device_id": "a", "command": {"action": "on"}}],
    });
    let first = rule(&json!({"trigger": {"schedule": {"at": ["06:00"]}}, "run_sec": 60}));
    let mut farm = Farm::new(&[first, rule(&second)]);
    assert_eq!(
        farm.until("07:00"),
        [
            "6:00:00 rule_fired r",
            "6:00:00 pump on",
            "6:00:05 rule_fired s",
            "6:00:05 a on",
            "6:01:00 rule_stopped r run_ended",
            "6:01:00 pump off",
            "6:01:05 rule_stopped s trigger_cleared",
            "6:01:05 a off",
        ]
    );
    let put = |changes: &Value| {
        InputKind::RulePut(Box::new(RuleSpec::from_json(&rule(changes)).unwrap()))
    };
    let at = Timestamp::from_millis(MIDNIGHT + 8 * HOUR);
    let check = |engine: &Engine, kind| engine.check(&Input { at, kind }).map_err(|p| p.0[0].code);
    assert_eq!(
        check(
            &farm.engine,
            put(&json!({"trigger": {"not": {"rule": "s"}}}))
        ),
        Err("circular")
    );
    assert_eq!(
        check(
            &farm.engine,
            put(&json!({"trigger": {"not": {"rule": "x"}}}))
        ),
        Err("unknown")
    );
    assert_eq!(
        check(&farm.engine, InputKind::RuleDelete("r".into())),
        Err("in_use")
    );
    assert_eq!(
        check(&farm.engine, InputKind::RuleDelete("s".into())),
        Ok(())
    );
}

#[test]
fn what_a_device_is_reported_to_do_is_a_condition_and_unknown_while_it_is_away() {
    let mut farm = Farm::new(&[rule(&json!({
        "trigger": {"device": "a", "is": "on", "duration_sec": 3}, "on_signal_lost": "stop",
    }))]);
    let mut status = |time: &str, status: Status| {
        let device = "a".into();
        farm.apply(MIDNIGHT + clock(time), InputKind::Status { device, status })
    };
    let running = |running| Status {
        running: Some(running),
        ..Status::default()
    };
    assert!(status("06:00", running(Some(true))).is_empty());
    assert_eq!(
        status("06:01", running(Some(true))),
        ["6:00:03 rule_fired r", "6:00:03 pump on"]
    );
    let away = Status {
        online: Some(false),
        ..Status::default()
    };
    assert_eq!(
        status("06:02", away),
        ["6:02:00 rule_stopped r signal_lost", "6:02:00 pump off"]
    );
}

#[test]
fn a_start_that_was_missed_is_made_up_for_once_or_never() {
    let schedule = |catch_up: i64| {
        rule(&json!({
            "trigger": {"schedule": {"every": {"minutes": 30, "from": "06:00", "to": "08:00"}, "catch_up_sec": catch_up}},
            "run_sec": 60,
        }))
    };
    for (catch_up, told) in [
        (0, vec!["7:10:00 r skipped missed"]),
        (
            600,
            vec![
                "7:10:00 r skipped missed",
                "7:10:00 rule_fired r",
                "7:10:00 pump on",
            ],
        ),
        (599, vec!["7:10:00 r skipped missed"]),
    ] {
        let mut farm = Farm::new(&[schedule(catch_up)]);
        assert!(farm.until("05:00").is_empty());
        assert_eq!(
            farm.apply(MIDNIGHT + clock("07:10"), InputKind::Resumed),
            told,
            "{catch_up}"
        );
    }
}

/// Nobody knows what the time in between would have brought: a hold on the clock alone begins anew where the outage ends.
#[test]
fn a_hold_that_needs_no_reading_begins_anew_after_an_outage() {
    let window = |from: &str| json!({"time": {"from": from, "to": "12:00"}, "duration_sec": 600});
    let mut farm = Farm::new(&[rule(&json!({
        "trigger": window("06:00"), "stop_condition": window("07:00"),
    }))]);
    assert!(farm.until("06:05").is_empty());
    assert!(
        farm.apply(MIDNIGHT + clock("06:08"), InputKind::Resumed)
            .is_empty()
    );
    assert_eq!(
        farm.until("07:05"),
        ["6:18:00 rule_fired r", "6:18:00 pump on"]
    );
    farm.apply(MIDNIGHT + clock("07:08"), InputKind::Resumed);
    assert_eq!(
        farm.until("07:25"),
        ["7:18:00 rule_stopped r stop_condition", "7:18:00 pump off"]
    );
}

#[test]
fn a_clock_that_is_set_leaves_one_start_a_day() {
    // 29 March 2026 in Germany: at 02:00 the clock is set to 03:00. 25 October: at 03:00 to 02:00.
    let (spring, autumn) = (1_774_738_800_000, 1_792_879_200_000);
    let day = |date: &str, from: i64, hours: i64, before: i64, change: i64, after: i64| json!({"date": date, "from": from, "to": from + hours * HOUR, "offset": before, "change": {"at": change, "offset": after}});
    let days = json!([
        day("2026-03-29", spring, 23, 3_600, spring + 2 * HOUR, 7_200),
        day("2026-10-25", autumn, 25, 7_200, autumn + 3 * HOUR, 3_600),
    ]);
    let mut farm = Farm::new(&[]);
    let at = ["01:59", "02:30", "03:00"];
    let put = RuleSpec::from_json(&rule(
        &json!({"trigger": {"schedule": {"at": at}}, "run_sec": 1}),
    ))
    .unwrap();
    // The farm's clock would be behind: a farm of its own.
    let document = farm.engine.document();
    farm.engine = Engine::new(&document).unwrap();
    let mut events = Vec::new();
    let mut apply = |at: i64, kind| {
        events.clear();
        let at = Timestamp::from_millis(at);
        farm.engine.apply(&Input { at, kind }, &mut events).unwrap();
        let fired = events.iter().filter(|e| e.kind.name() == "rule_fired");
        fired.map(|e| e.at.as_millis()).collect::<Vec<_>>()
    };
    apply(spring - HOUR, InputKind::RulePut(Box::new(put)));
    apply(
        spring - HOUR,
        InputKind::Almanac(serde_json::from_value(days).unwrap()),
    );
    // 02:30 does not exist: it is the instant at which the clock is set, as is 03:00.
    assert_eq!(
        apply(spring + DAY, InputKind::Tick),
        [spring + 119 * MINUTE, spring + 120 * MINUTE]
    );
    // 02:30 exists twice: the first counts.
    assert_eq!(
        apply(autumn + DAY, InputKind::Tick),
        [119, 150, 240].map(|m| autumn + m * MINUTE)
    );
}

/// Of a rule nothing is interrupted: a branch that has to hold anew is false.
#[test]
fn a_rule_stops_where_a_branch_has_to_hold_anew() {
    let hot = json!({"sensor_type": "temperature", "operator": "gt", "value": 30, "hold_sec": 600});
    let mut farm = Farm::new(&[rule(
        &json!({"trigger": {"all": [hot], "duration_sec": 1}, "on_signal_lost": "hold"}),
    )]);
    for minute in (0..=10).step_by(5) {
        farm.read("t", &format!("06:{minute:02}"), "31");
    }
    assert_eq!(
        farm.read("t", "06:11", "31"),
        ["6:11:00 rule_fired r", "6:11:00 pump on"]
    );
    assert_eq!(farm.until("06:28"), ["6:26:00 sensor_expired t"]);
    assert!(farm.read("t", "06:30", "31").is_empty());
    assert_eq!(
        farm.read("t", "06:31", "31"),
        ["6:31:00 rule_stopped r trigger_cleared", "6:31:00 pump off"]
    );
}

/// A day begins before it ends, and its sun rises and sets within a day of it.
#[test]
fn days_that_cannot_be_are_refused() {
    let farm = Farm::new(&[]);
    let check = |from: i64, to: i64, sunrise: i64| {
        let day =
            json!({"date": "2026-11-25", "from": from, "to": to, "offset": 0, "sunrise": sunrise});
        let kind = InputKind::Almanac(vec![serde_json::from_value(day).unwrap()]);
        let at = Timestamp::from_millis(MIDNIGHT);
        let refused = farm.engine.check(&Input { at, kind }).err();
        refused.map(|problems| problems.0[0].path.clone())
    };
    let (from, to) = (MIDNIGHT, MIDNIGHT + DAY);
    assert_eq!(check(from, to, from), None);
    assert_eq!(check(from, to, from - DAY), None);
    assert_eq!(check(from, to, to + DAY), None);
    let refused = |path: Option<String>, ends: &str| {
        let path = path.unwrap();
        assert!(path.ends_with(ends), "{path}");
    };
    refused(check(from, to, from - DAY - 1), "sunrise");
    refused(check(from, to, to + DAY + 1), "sunrise");
    refused(check(from, from, from), "to");
    let far = json!({"date": "2026-11-25", "from": from, "to": to, "offset": 172_800});
    let kind = InputKind::Almanac(vec![serde_json::from_value(far).unwrap()]);
    let at = Timestamp::from_millis(MIDNIGHT);
    let refused_for = farm.engine.check(&Input { at, kind }).unwrap_err();
    assert!(refused_for.0[0].path.ends_with("offset"));
    refused(check(from, from - 1, from), "to");
}

/// A rule that is put again goes on from where it stood if its conditions say the same: numbers of a tree count, names do not.
#[test]
fn a_rule_that_is_put_again_goes_on_where_its_tree_says_the_same() {
    let put = |changes: &Value| {
        let mut document = rule(&json!({"trigger": {"all": [
            {"sensor_type": "temperature", "operator": "gt", "value": 30}], "duration_sec": 600}}));
        let changes = changes.as_object().unwrap().clone();
        document.as_object_mut().unwrap().extend(changes);
        InputKind::RulePut(Box::new(RuleSpec::from_json(&document).unwrap()))
    };
    let tree = |value: i64| {
        json!({"trigger": {"all": [{"sensor_type": "temperature", "operator": "gt", "value": value}],
            "duration_sec": 600}})
    };
    for (changes, fires) in [
        (json!({"name": "Another"}), "6:10:00"),
        (tree(30), "6:10:00"),
        (tree(29), "6:15:00"),
        (json!({"stop_condition": {"days": ["sun"]}}), "6:15:00"),
    ] {
        let mut farm = Farm::new(&[]);
        farm.apply(MIDNIGHT, put(&json!({})));
        assert!(farm.read("t", "06:00", "31").is_empty());
        assert!(farm.read("t", "06:04", "31").is_empty());
        farm.apply(MIDNIGHT + clock("06:05"), put(&changes));
        assert!(farm.read("t", "06:06", "31").is_empty());
        assert!(farm.read("t", "06:07", "31").is_empty());
        let told = farm.until("06:16");
        assert_eq!(told[0], format!("{fires} rule_fired r"), "{changes}");
    }
}

/// Nothing has to be read, and no day to begin, for a condition that is true from the first.
#[test]
fn what_a_document_s_trees_say_counts_from_the_first_input() {
    let idle = json!({"id": "idle", "trigger": {"schedule": {"at": ["06:00"]}}, "run_sec": 600});
    let document: FarmDocument = serde_json::from_value(json!({
        "farm": {"id": "f", "name": "F"},
        "devices": [{"id": "pump", "type": "pump", "scope": {"type": "farm"}}],
        "rules": [rule(&idle), rule(&json!({"trigger": {"not": {"rule": "idle"}, "duration_sec": 10}}))],
    }))
    .unwrap();
    let mut engine = Engine::new(&document).unwrap();
    let mut events = Vec::new();
    for at in [MIDNIGHT, MIDNIGHT + MINUTE] {
        let (at, kind) = (Timestamp::from_millis(at), InputKind::Tick);
        engine.apply(&Input { at, kind }, &mut events).unwrap();
    }
    let told = { events.iter() }.map(|e| Farm::told(&serde_json::to_value(e).unwrap()));
    assert_eq!(
        told.collect::<Vec<_>>(),
        ["0:00:10 rule_fired r", "0:00:10 pump on"]
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let problems = |changes: &Value| -> Vec<String> {
        let told = RuleSpec::from_json(&rule(changes)).map_err(|p| p.0);
        told.err()
            .unwrap_or_default()
            .iter()
            .map(|p| format!("{} {}", p.path, p.code))
            .collect()
    };
    let deep = (0..6).fold(json!({"days": ["mon"]}), |below, _| json!({"not": below}));
    let wide: Vec<_> = (0..11)
        .map(|_| json!({"all": [{"days": ["mon"]}, {"days": ["tue"]}]}))
        .collect();
    for (changes, expected) in [
        (
            json!({"trigger": {"schedule": {}}}),
            vec!["trigger.schedule required", "run_sec required"],
        ),
        (
            json!({"run_sec": 5, "trigger": {"schedule": {"at": ["6:00", {"sun": "noon"}]}}}),
            vec![
                "trigger.schedule.at[0] invalid",
                "trigger.schedule.at[1].sun unknown_word",
            ],
        ),
        (
            json!({"run_sec": 5, "trigger": {"schedule": {"at": ["06:00"], "guard": {"days": ["mon"]}}}}),
            vec!["trigger.schedule.if_unknown required"],
        ),
        (
            json!({"run_sec": 5, "trigger": {"schedule": {"at": ["06:00"], "if_unknown": "run"}}}),
            vec!["trigger.schedule.if_unknown not_here"],
        ),
        (
            json!({"run_sec": 5, "trigger": {"schedule": {"every": {"minutes": 0, "from": "07:00", "to": "07:00"}}}}),
            vec![
                "trigger.schedule.every.minutes out_of_range",
                "trigger.schedule.every.to out_of_range",
            ],
        ),
        (
            json!({"run_sec": 86_401, "trigger": {"days": ["mon", "someday"]}}),
            vec!["trigger.days unknown_word", "run_sec out_of_range"],
        ),
        (
            json!({"trigger": {"all": []}}),
            vec!["trigger.all required"],
        ),
        (
            json!({"trigger": {"all": [{"days": []}, {"dates": {"from": "02-30", "to": "03-01"}}, {}, {"rule": "x", "device": "d"}]}}),
            vec![
                "trigger.all[0].days required",
                "trigger.all[1].dates.from invalid",
                "trigger.all[2] required",
                "trigger.all[3] too_many",
            ],
        ),
        (
            json!({"trigger": deep}),
            vec!["trigger.not.not.not.not.not too_deep"],
        ),
        (json!({"trigger": {"any": wide}}), vec!["trigger too_many"]),
        (
            json!({"trigger": {"days": ["mon"], "hold_sec": 4}}),
            vec!["trigger.hold_sec not_here"],
        ),
        (
            json!({"trigger": {"not": {"sensor_type": "ph", "operator": "gt", "value": 15, "duration_sec": 4}}}),
            vec![
                "trigger.not.duration_sec not_here",
                "trigger.not.value out_of_range",
            ],
        ),
        (
            json!({"trigger": {"days": ["mon"]}, "actions": [{"device_id": "pump", "command": {"action": "pulse", "value": 3}, "for_sec": 3, "linger_sec": 61}]}),
            vec![
                "actions[0].linger_sec out_of_range",
                "actions[0].for_sec not_here",
            ],
        ),
    ] {
        assert_eq!(problems(&changes), expected, "{changes}");
    }
}
