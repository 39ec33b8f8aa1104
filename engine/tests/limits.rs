//! Limits of machines (section 14 of docs/semantics.md), played on a small farm. Instants are seconds.
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]

use harit_engine::{Engine, FarmDocument, Input, InputKind, Timestamp};
use serde_json::{Value, json};

struct Farm {
    engine: Engine,
}

/// A device of that id with limits.
fn device(id: &str, kind: &str, limits: &Value) -> Value {
    json!({"id": id, "type": kind, "scope": {"type": "farm"}, "max_on_sec": null,
        "max_pulse_sec_per_hour": null, "limits": limits})
}

impl Farm {
    /// A farm with a rule for each pair of a device and a soil moisture sensor: on below 30, off above 40, both after a second.
    fn new(groups: &Value, devices: &[Value]) -> Self {
        let ids: Vec<&str> = devices.iter().map(|d| d["id"].as_str().unwrap()).collect();
        let sensors = ids.iter().map(
            |id| json!({"id": format!("s-{id}"), "type": "soil_moisture", "scope": {"type": "zone", "polyhouseId": "p", "zoneId": id}, "stale_after_sec": 86_400 * 3}),
        );
        let rules = ids.iter().map(|id| {
            let scope = json!({"type": "zone", "polyhouseId": "p", "zoneId": id});
            json!({"id": format!("r-{id}"), "name": id, "mode": "auto", "deployed": true, "scope": scope,
                "trigger": {"sensor_type": "soil_moisture", "operator": "lt", "value": 30, "duration_sec": 1},
                "stop_condition": {"sensor_type": "soil_moisture", "operator": "gt", "value": 40, "duration_sec": 1},
                "actions": [{"device_id": id, "command": {"action": "on"}}]})
        });
        let zones: Vec<Value> = ids.iter().map(|id| json!({"id": id, "name": id})).collect();
        let document: FarmDocument = serde_json::from_value(json!({
            "farm": {"id": "f", "name": "F", "settings": {"min_samples": 1, "groups": groups}},
            "polyhouses": [{"id": "p", "name": "P", "zones": zones}],
            "sensors": sensors.collect::<Vec<_>>(), "devices": devices, "rules": rules.collect::<Vec<_>>(),
        }))
        .unwrap();
        Self {
            engine: Engine::new(&document).unwrap(),
        }
    }

    /// Applies an input at a second, and says what happened by it and what was due before.
    fn input(&mut self, at: i64, fields: Value) -> Vec<String> {
        let mut line = json!({"at": at * 1_000});
        line.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        let mut events = Vec::new();
        let kind = kind_of(&line);
        let at = Timestamp::from_millis(at * 1_000);
        self.engine.apply(&Input { at, kind }, &mut events).unwrap();
        let restored = Engine::restore(&self.engine.snapshot()).unwrap();
        assert_eq!(
            String::from_utf8(restored.snapshot()),
            String::from_utf8(self.engine.snapshot())
        );
        assert_eq!(
            restored.clone().next_deadline(),
            self.engine.next_deadline()
        );
        self.engine = restored;
        events
            .iter()
            .map(|e| told(&serde_json::to_value(e).unwrap()))
            .collect()
    }

    /// Soil that is dry or wet, and a tick a second later: what the rule wants then.
    fn soil(&mut self, at: i64, device: &str, value: i64) -> Vec<String> {
        let mut told = self.input(
            at,
            json!({"input": "reading", "sensor": format!("s-{device}"), "value": value}),
        );
        told.extend(self.tick(at + 1));
        told
    }

    fn tick(&mut self, at: i64) -> Vec<String> {
        self.input(at, json!({"input": "tick"}))
    }

    fn reported(&mut self, at: i64, device: &str, running: Option<bool>) -> Vec<String> {
        self.input(
            at,
            json!({"input": "device", "device": device, "running": running}),
        )
    }

    fn by_hand(&mut self, at: i64, device: &str, action: &str) -> Vec<String> {
        self.input(
            at,
            json!({"input": "manual", "device": device, "cmd_type": "override", "action": action, "duration_sec": 3_600, "admin": true}),
        )
    }

    fn pulse(&mut self, at: i64, device: &str, secs: i64) -> Vec<String> {
        self.input(
            at,
            json!({"input": "manual", "device": device, "cmd_type": "pulse", "value": secs}),
        )
    }
}

fn kind_of(line: &Value) -> InputKind {
    use harit_engine::{Manual, ManualKind, Measured, Quantity, RegistryChange, Status};
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    match line["input"].as_str().unwrap() {
        "tick" => InputKind::Tick,
        "device_put" => {
            let device = serde_json::from_value(line["document"].clone()).unwrap();
            InputKind::Registry(vec![RegistryChange::PutDevice(Box::new(device))])
        }
        "resumed" => InputKind::Resumed,
        "reading" => InputKind::Reading {
            sensor: text("sensor").as_str().into(),
            value: Measured::parse(&line["value"].to_string()),
        },
        "device" => InputKind::Status {
            device: text("device").as_str().into(),
            status: Status {
                online: line["online"].as_bool(),
                running: line.as_object().unwrap().get("running").map(Value::as_bool),
                ..Status::default()
            },
        },
        "manual" => InputKind::Manual(Box::new(Manual {
            device: text("device").as_str().into(),
            kind: match line["cmd_type"].as_str().unwrap() {
                "pulse" => ManualKind::Pulse,
                _ => ManualKind::Override,
            },
            action: line["action"].as_str().map(Into::into),
            value: line["value"].as_i64().map(Quantity::from_units),
            duration_sec: line["duration_sec"].as_i64(),
            admin: line["admin"].as_bool().unwrap_or(false),
            owner: None,
        })),
        other => panic!("{other}"),
    }
}

/// An event in one line: its second and what it says of a device; rules' own events are left out by an empty line.
fn told(event: &Value) -> String {
    let mut line = (event["at"].as_i64().unwrap() / 1_000).to_string();
    let kind = event["event"].as_str().unwrap();
    if kind != "command" {
        line = format!("{line} {kind}");
    }
    for key in ["rule", "device", "action", "value", "reason", "cause"] {
        let is_said = key != "value" || event["action"] == "pulse";
        match &event[key] {
            Value::String(text) => line = format!("{line} {text}"),
            Value::Number(n) if is_said => line = format!("{line} {n}"),
            _ => {}
        }
    }
    line
}

/// Without what rules say of themselves.
fn of_devices(told: Vec<String>) -> Vec<String> {
    told.into_iter().filter(|t| !t.contains(" rule_")).collect()
}

#[test]
fn a_machine_stays_on_and_off_for_its_least_times() {
    let limits = json!({"min_on_sec": 60, "min_off_sec": 120});
    let mut farm = Farm::new(&json!([]), &[device("a", "pump", &limits)]);
    assert_eq!(of_devices(farm.soil(0, "a", 20)), ["1 a on r-a"]);
    assert_eq!(
        of_devices(farm.soil(10, "a", 50)),
        ["11 command_held a min_on rest"]
    );
    assert_eq!(of_devices(farm.tick(100)), ["61 a off rest"]);
    assert_eq!(
        of_devices(farm.soil(110, "a", 20)),
        ["111 command_held a min_off r-a"]
    );
    // People are held back too, and may always switch off.
    assert_eq!(
        farm.by_hand(120, "a", "on"),
        ["120 command_refused a min_off"]
    );
    assert_eq!(farm.tick(200), ["181 a on r-a"]);
    assert_eq!(farm.by_hand(201, "a", "off"), ["201 a off manual"]);
}

#[test]
fn starts_within_an_hour_are_counted_pulses_too() {
    let mut farm = Farm::new(
        &json!([]),
        &[device("a", "pump", &json!({"starts_per_hour": 2}))],
    );
    farm.soil(0, "a", 50);
    assert_eq!(farm.pulse(10, "a", 5), ["10 a pulse 5 manual"]);
    // What runs already is not started.
    assert_eq!(farm.pulse(12, "a", 5), ["12 a pulse 5 manual"]);
    assert_eq!(farm.tick(20), ["17 manual_ended a", "17 a off rest"]);
    assert_eq!(farm.pulse(30, "a", 5), ["30 a pulse 5 manual"]);
    assert_eq!(farm.tick(40), ["35 manual_ended a", "35 a off rest"]);
    assert_eq!(farm.pulse(50, "a", 5), ["50 command_refused a starts"]);
    assert_eq!(
        of_devices(farm.soil(60, "a", 20)),
        ["61 command_held a starts r-a"]
    );
    assert_eq!(farm.tick(4_000), ["3610 a on r-a"]);
}

/// Starts from before the last hour are in nobody's way, but were remembered until the next start.
#[test]
fn a_device_that_its_starts_hold_waits_for_those_of_the_last_hour() {
    let starts = |most: i64| device("a", "pump", &json!({"starts_per_hour": most}));
    let mut farm = Farm::new(&json!([]), &[starts(2)]);
    farm.soil(0, "a", 20);
    farm.soil(100, "a", 50);
    farm.soil(1_000, "a", 20);
    farm.soil(1_100, "a", 50);
    farm.input(2_000, json!({"input": "device_put", "document": starts(1)}));
    // That of second 1 counts no more, that of second 1,001 does until 4,601.
    assert_eq!(
        of_devices(farm.soil(3_700, "a", 20)),
        ["3701 command_held a starts r-a"]
    );
    assert_eq!(farm.tick(5_000), ["4601 a on r-a"]);
}

/// What fell into an outage is no deadline any more, of a device that is away either.
#[test]
fn a_device_that_is_away_is_looked_at_after_an_outage() {
    let mut farm = Farm::new(
        &json!([]),
        &[device("a", "pump", &json!({"sec_per_day": 100}))],
    );
    farm.soil(0, "a", 20);
    farm.input(
        10,
        json!({"input": "device", "device": "a", "online": false}),
    );
    let used_up = farm.engine.clone().next_deadline();
    assert_eq!(used_up, Some(Timestamp::from_millis(101_000)));
    farm.input(200, json!({"input": "resumed"}));
    let day_ends = farm.engine.clone().next_deadline();
    assert_eq!(day_ends, Some(Timestamp::from_millis(86_400_000)));
}

#[test]
fn of_a_group_so_many_run_and_the_strongest_is_next() {
    let of = json!({"groups": ["generator"]});
    let mut farm = Farm::new(
        &json!([{"id": "generator", "name": "Generator", "at_most": 1}]),
        &["a", "b", "c"].map(|id| device(id, "pump", &of)),
    );
    assert_eq!(of_devices(farm.soil(0, "b", 20)), ["1 b on r-b"]);
    assert_eq!(
        of_devices(farm.soil(5, "c", 20)),
        ["6 command_held c group r-c", "6 c off limit"]
    );
    assert_eq!(
        of_devices(farm.soil(10, "a", 20)),
        ["11 command_held a group r-a", "11 a off limit"]
    );
    assert_eq!(farm.pulse(12, "a", 5), ["12 command_refused a group"]);
    // The earlier claim comes first, whatever the ids.
    assert_eq!(
        of_devices(farm.soil(20, "b", 50)),
        ["21 b off rest", "21 c on r-c"]
    );
    assert_eq!(
        farm.by_hand(30, "c", "off"),
        ["30 c off manual", "30 a on r-a"]
    );
}

#[test]
fn a_pump_runs_only_behind_an_open_valve_which_closes_after_it() {
    let needs = json!({"needs": {"any": ["v", "w"]}});
    let none = json!({});
    let mut farm = Farm::new(
        &json!([]),
        &[
            device("p", "pump", &needs),
            device("v", "valve", &none),
            device("w", "valve", &none),
        ],
    );
    assert_eq!(
        of_devices(farm.soil(0, "p", 20)),
        ["1 command_held p needs r-p", "1 p off limit"]
    );
    assert_eq!(of_devices(farm.soil(10, "v", 20)), ["11 v on r-v"]);
    assert_eq!(farm.reported(12, "v", Some(true)), [""; 0]);
    assert_eq!(farm.tick(14), [""; 0]);
    let why = farm.engine.explain_device("p").unwrap();
    let needs: Vec<_> = { why.needs.iter() }
        .map(|n| (n.id.as_str(), n.since, n.length.as_millis()))
        .collect();
    let opened = Some(Timestamp::from_millis(12_000));
    assert_eq!(needs, [("v", opened, 3_000), ("w", None, 3_000)]);
    assert_eq!(farm.tick(20), ["15 p on r-p"]);
    // The valve is wanted closed, and stays open until another one carries the pump.
    assert_eq!(
        of_devices(farm.soil(30, "v", 50)),
        ["31 command_held v needed rest"]
    );
    assert_eq!(of_devices(farm.soil(40, "w", 20)), ["41 w on r-w"]);
    assert_eq!(farm.reported(43, "w", Some(true)), ["43 v off rest"]);
    assert_eq!(farm.reported(44, "v", Some(false)), [""; 0]);
    // A person closes it: the pump goes off with it.
    assert_eq!(
        farm.by_hand(50, "w", "off"),
        [
            "50 w off manual",
            "50 limit_reached p needs",
            "50 p off limit",
            "50 command_held p needs r-p"
        ]
    );
}

#[test]
fn a_pump_goes_off_a_minute_after_nobody_knows_of_its_valve() {
    let needs = json!({"needs": {"any": ["v"], "for_sec": 0}});
    let mut farm = Farm::new(
        &json!([]),
        &[
            device("p", "pump", &needs),
            device("v", "valve", &json!({})),
        ],
    );
    farm.soil(0, "v", 20);
    farm.reported(2, "v", Some(true));
    assert_eq!(of_devices(farm.soil(3, "p", 20)), ["4 p on r-p"]);
    assert_eq!(
        farm.input(
            10,
            json!({"input": "device", "device": "v", "online": false, "running": null})
        ),
        [""; 0]
    );
    assert_eq!(
        farm.tick(100),
        [
            "70 limit_reached p needs",
            "70 p off limit",
            "70 command_held p needs r-p"
        ]
    );
}

#[test]
fn a_budget_is_used_up_by_all_and_begins_anew_with_the_day() {
    let limits = json!({"sec_per_day": 100, "ml_per_day": 1_000_000, "ml_per_sec": 1});
    let mut farm = Farm::new(&json!([]), &[device("a", "pump", &limits)]);
    farm.soil(0, "a", 50);
    assert_eq!(farm.pulse(10, "a", 40), ["10 a pulse 40 manual"]);
    assert_eq!(farm.tick(60), ["50 manual_ended a", "50 a off rest"]);
    assert_eq!(of_devices(farm.soil(70, "a", 20)), ["71 a on r-a"]);
    assert_eq!(
        farm.tick(200),
        [
            "131 limit_reached a budget",
            "131 a off limit",
            "131 command_held a budget r-a"
        ]
    );
    assert_eq!(farm.pulse(210, "a", 1), ["210 command_refused a budget"]);
    // The next midnight in UTC: no almanac says when the farm's day ends.
    assert_eq!(
        farm.tick(90_000),
        [
            "86400 a on r-a",
            "86500 limit_reached a budget",
            "86500 a off limit",
            "86500 command_held a budget r-a"
        ]
    );
}

#[test]
fn what_flows_is_counted_exactly() {
    let limits = json!({"ml_per_day": 10, "ml_per_sec": 0.3});
    let mut farm = Farm::new(&json!([]), &[device("a", "dosing_pump", &limits)]);
    assert_eq!(of_devices(farm.soil(0, "a", 20)), ["1 a on r-a"]);
    // 10 ml at 0.3 ml/s are 33,333.3 ms: whole milliseconds, so the first at which they have flown.
    assert_eq!(
        farm.engine.clone().next_deadline(),
        Some(Timestamp::from_millis(34_334))
    );
}

/// A pulse may use up what is left to the last, and a budget is used up at the millisecond at which it is.
#[test]
fn what_is_left_of_a_budget_may_be_used_whole() {
    let limits = json!({"ml_per_day": 60, "ml_per_sec": 2});
    let mut farm = Farm::new(&json!([]), &[device("a", "dosing_pump", &limits)]);
    assert_eq!(of_devices(farm.soil(0, "a", 20)), ["1 a on r-a"]);
    assert_eq!(
        farm.soil(20, "a", 50),
        ["21 rule_stopped r-a stop_condition", "21 a off rest"]
    );
    let left = |farm: &Farm, at: i64| {
        let status = farm
            .engine
            .limits_at("a", Timestamp::from_millis(at * 1_000));
        let status = status.unwrap();
        let micro = |q: harit_engine::Quantity| q.as_micro();
        assert_eq!(status.day_ends, Some(Timestamp::from_millis(86_400_000)));
        assert_eq!(status.starts, 1);
        assert_eq!((status.time_left, status.held), (None, None));
        (
            status.used.as_millis(),
            micro(status.used_ml),
            micro(status.ml_left.unwrap()),
        )
    };
    assert_eq!(left(&farm, 30), (20_000, 40_000_000, 20_000_000));
    assert_eq!(farm.pulse(40, "a", 11), ["40 command_refused a budget"]);
    assert_eq!(farm.pulse(50, "a", 10), ["50 a pulse 10 manual"]);
    assert_eq!(
        farm.pulse(70, "a", 1),
        [
            "60 manual_ended a",
            "60 a off rest",
            "70 command_refused a budget"
        ]
    );

    let mut farm = Farm::new(&json!([]), &[device("a", "dosing_pump", &limits)]);
    farm.soil(0, "a", 20);
    let used_up = farm.engine.clone().next_deadline();
    assert_eq!(used_up, Some(Timestamp::from_millis(31_000)));
    assert_eq!(of_devices(farm.tick(100))[0], "31 limit_reached a budget");
}

/// A document that is put changes what counts from then on, not what was.
#[test]
fn limits_that_are_put_count_with_what_the_device_did_before() {
    let put =
        |limits: &Value| json!({"input": "device_put", "document": device("a", "pump", limits)});
    let rates = |rate: i64| json!({"ml_per_day": 1_000, "ml_per_sec": rate});
    let mut farm = Farm::new(&json!([]), &[device("a", "pump", &rates(1))]);
    farm.soil(0, "a", 20);
    assert_eq!(of_devices(farm.input(101, put(&rates(9)))), [""; 0]);
    assert_eq!(of_devices(farm.tick(300))[0], "201 limit_reached a budget");

    // It was on before it had limits, so the least time on counts from then.
    let mut farm = Farm::new(&json!([]), &[device("a", "pump", &json!({}))]);
    assert_eq!(of_devices(farm.soil(0, "a", 20)), ["1 a on r-a"]);
    farm.input(10, put(&json!({"min_on_sec": 600})));
    assert_eq!(
        of_devices(farm.soil(20, "a", 50)),
        ["21 command_held a min_on rest"]
    );
    assert_eq!(of_devices(farm.tick(700)), ["601 a off rest"]);
}

/// What a controller reports of a device reaches the engine where a need asks for it, from both sides, and not for other limits.
#[test]
fn what_is_reported_counts_where_a_device_needs_or_is_needed() {
    let needs = json!({"needs": {"any": ["valve"], "for_sec": 3}});
    let devices = [
        device("pump", "pump", &needs),
        device("valve", "valve", &json!({})),
        device("fan", "fan", &json!({"min_on_sec": 60})),
        device("light", "fan", &json!({})),
    ];
    let farm = Farm::new(&json!([]), &devices);
    let is_read = |id: &str| farm.engine.is_read(&id.into());
    assert_eq!(
        ["pump", "valve", "fan", "light"].map(is_read),
        [true, true, false, false]
    );
}

/// What people read beside a device that its hours hold: when time alone lets it start.
#[test]
fn a_device_that_its_hours_hold_says_when_they_begin() {
    const MIDNIGHT: i64 = 1_700_006_400;
    let hours = json!({"while": {"any": [
        {"time": {"from": "10:00", "to": "12:00"}},
        {"all": [{"time": {"from": "05:00", "to": "06:00"}}, {"days": ["mon"]}]},
    ]}, "if_unknown": "hold", "for_sec": 120});
    let limits = json!({"hours": hours});
    let mut farm = Farm::new(&json!([]), &[device("pump", "pump", &limits)]);
    // From Wednesday, 15 November 2023, on.
    let day = |n: i64| {
        let from = (MIDNIGHT + n * 86_400) * 1_000;
        json!({"date": format!("2023-11-{}", 15 + n), "from": from, "to": from + 86_400_000, "offset": 0})
    };
    let days = (-1..3).map(|n| serde_json::from_value(day(n)).unwrap());
    let almanac = Input {
        at: Timestamp::from_millis((MIDNIGHT + 1) * 1_000),
        kind: InputKind::Almanac(days.collect()),
    };
    farm.engine.apply(&almanac, &mut Vec::new()).unwrap();
    let held_until = |farm: &Farm, at: i64| {
        let at = Timestamp::from_millis((MIDNIGHT + at) * 1_000);
        let status = farm.engine.limits_at("pump", at).unwrap();
        status.held_until.map(|t| t.as_millis() / 1_000 - MIDNIGHT)
    };
    let ten = 10 * 3_600;
    assert!(
        of_devices(farm.soil(MIDNIGHT + 60, "pump", 20))
            .iter()
            .all(|t| !t.contains(" on"))
    );
    // 05:00 changes nothing on a Wednesday; from 10:00 they have to be so for two minutes.
    assert_eq!(held_until(&farm, 61), Some(ten + 120));
    assert_eq!(held_until(&farm, 5 * 3_600), Some(ten + 120));
    farm.tick(MIDNIGHT + ten + 60);
    assert_eq!(held_until(&farm, ten + 60), Some(ten + 120));
    assert_eq!(
        of_devices(farm.tick(MIDNIGHT + ten + 120)),
        [format!("{} pump on r-pump", MIDNIGHT + ten + 120)]
    );
    assert_eq!(held_until(&farm, ten + 120), None);
    farm.tick(MIDNIGHT + 12 * 3_600);
    assert_eq!(held_until(&farm, 12 * 3_600), Some(86_400 + ten + 120));
}

#[test]
fn documents_that_do_not_fit_are_refused() {
    let refused = |groups: Value, devices: &[Value]| {
        let document = json!({"farm": {"id": "f", "name": "F", "settings": {"groups": groups}}, "devices": devices});
        let read = serde_json::from_value::<FarmDocument>(document).map_err(|e| e.to_string());
        match read {
            Err(e) => e,
            Ok(document) => Engine::new(&document).unwrap_err().to_string(),
        }
    };
    let one = |limits: Value| refused(json!([]), &[device("a", "pump", &limits)]);
    let hours = |tree: Value| json!({"hours": {"while": tree, "if_unknown": "hold"}});
    for (limits, says) in [
        (json!({"min_on_sec": 0}), "limits.min_on_sec"),
        (json!({"starts_per_hour": 61}), "limits.starts_per_hour"),
        (json!({"groups": ["g"]}), "there is no group g"),
        (json!({"groups": ["g", "g"]}), "twice"),
        (json!({"needs": {"any": []}}), "limits.needs.any"),
        (json!({"needs": {"any": ["b"]}}), "there is no device b"),
        (json!({"needs": {"any": ["a"]}}), "needs itself"),
        (json!({"ml_per_day": 5}), "limits.ml_per_sec"),
        (
            json!({"ml_per_day": 0, "ml_per_sec": 1}),
            "limits.ml_per_day: 0 is not above 0",
        ),
        // Eight are not too many.
        (
            json!({"groups": ["1", "2", "3", "4", "5", "6", "7", "8"]}),
            "there is no group 1",
        ),
        (
            json!({"groups": ["1", "2", "3", "4", "5", "6", "7", "8", "9"]}),
            "9 entries are more than 8",
        ),
        (hours(json!({"rule": "r"})), "hours have no rule"),
        (
            hours(json!({"sensor_type": "temperature", "operator": "gt", "setpoint": "day"})),
            "hours have no setpoint",
        ),
        (
            hours(json!({"time": {"from": "06:00", "to": "20:00"}, "hold_sec": 1})),
            "hours have no hold_sec",
        ),
    ] {
        let told = one(limits.clone());
        assert!(told.contains(says), "{limits}: {told}");
    }
    // A circle is found from outside of it, too.
    let needs = |id: &str, other: &str| device(id, "valve", &json!({"needs": {"any": [other]}}));
    let told = refused(
        json!([]),
        &[needs("a", "b"), needs("b", "c"), needs("c", "b")],
    );
    assert!(told.contains("devices.b.limits.needs.any"), "{told}");
    assert!(!told.contains("devices.a."), "{told}");
    let group = json!({"id": "g", "name": "G", "at_most": 1});
    let told = refused(json!([group, group]), &[]);
    assert!(told.contains("twice"), "{told}");
}
