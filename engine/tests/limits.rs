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
    use harit_engine::{Manual, ManualKind, Measured, Quantity, Status};
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    match line["input"].as_str().unwrap() {
        "tick" => InputKind::Tick,
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
            "limits.ml_per_day",
        ),
    ] {
        let told = one(limits.clone());
        assert!(told.contains(says), "{limits}: {told}");
    }
    let group = json!({"id": "g", "name": "G", "at_most": 1});
    let told = refused(json!([group, group]), &[]);
    assert!(told.contains("twice"), "{told}");
}
