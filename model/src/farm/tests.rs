//! What section 12 says, by example. Times are in seconds.

mod delivery;

use serde_json::{Value, json};

use super::Farm;

const MAC: &str = "A00000000001";
const OTHER: &str = "A00000000002";
const HOUR: i64 = 3_600;

struct World(Farm);

impl World {
    /// A fan that a controller has announced, and a sensor that is nobody's.
    fn new() -> Self {
        let farm = Farm::new(&json!({
            "farm": {"id": "f", "name": "Farm", "settings": {"min_samples": 1}},
            "polyhouses": [{"id": "p", "name": "House", "zones": [{"id": "z", "name": "Zone"}]}],
            "sensors": [{"id": "mine", "type": "ec", "scope": {"type": "farm"}, "stale_after_sec": 5}],
        }));
        let mut world = Self(farm.unwrap());
        world.line(0, json!({"input": "controller", "mac": MAC}));
        world.fan(0, json!({"on": false}));
        world
    }

    /// Applies a line and returns what is said, without its instants.
    fn line(&mut self, at: i64, mut line: Value) -> Vec<Value> {
        line["at"] = json!(at * 1_000);
        let mut said = self.0.apply(&line).unwrap();
        for line in &mut said {
            line.as_object_mut().unwrap().remove("at");
        }
        said
    }

    fn report(&mut self, at: i64, report: Value) -> Vec<Value> {
        self.line(at, json!({"input": "report", "mac": MAC, "report": report}))
    }

    /// The controller reports its fan.
    fn fan(&mut self, at: i64, mut fan: Value) -> Vec<Value> {
        (fan["id"], fan["type"]) = (json!("fan"), json!("fan"));
        self.report(at, json!({"online": true, "devices": [fan]}))
    }

    fn tick(&mut self, at: i64) -> Vec<Value> {
        self.line(at, json!({"input": "tick"}))
    }

    fn telemetry(&mut self, at: i64, entries: Value) -> Vec<Value> {
        let line = json!({"input": "telemetry", "mac": MAC, "sensors": entries});
        self.line(at, line)
    }

    /// Somebody switches the fan for a week.
    fn switch(&mut self, at: i64, action: &str) -> Vec<Value> {
        self.line(
            at,
            json!({"input": "manual", "device": "fan", "cmd_type": "override", "action": action,
            "duration_sec": 168 * HOUR, "admin": true}),
        )
    }

    fn ack(&mut self, at: i64, mac: &str, command: u64) -> Vec<String> {
        let line = json!({"input": "ack", "mac": mac, "command": command, "status": "ack"});
        effects(&self.line(at, line))
    }

    fn locks(&self) -> Vec<&str> {
        let fan = &self.0.model.devices["fan"];
        fan.locks.keys().map(|(kind, _)| kind.as_str()).collect()
    }

    /// The fan is reported on until it was for a minute, then off.
    fn trip(&mut self, at: i64) -> Vec<String> {
        self.fan(at, json!({"on": true, "value": 100}));
        causes(&self.fan(at + 60, json!({"on": false})))
    }
}

/// The causes of the commands among events.
fn causes(said: &[Value]) -> Vec<String> {
    let commands = said.iter().filter(|e| e["event"] == "command");
    commands
        .map(|e| e["cause"].as_str().unwrap().to_owned())
        .collect()
}

/// The effects in short: `2 sent`, `2 out`, `2 renewed`, or their word.
fn effects(said: &[Value]) -> Vec<String> {
    let short = |e: &Value| {
        let word = e["effect"].as_str()?;
        Some(match word {
            "command" => format!("{} {}", e["command"], e["state"].as_str()?),
            "publish" => format!("{} out", e["command"]),
            "renew" => format!("{} renewed", e["command"]),
            "refused" => e["reject"].as_str()?.to_owned(),
            "ack" => e["outcome"].as_str()?.to_owned(),
            _ => word.to_owned(),
        })
    };
    said.iter().filter_map(short).collect()
}

#[test]
fn entries_are_refused_one_by_one() {
    let mut world = World::new();
    let said = world.telemetry(
        1,
        json!([
            {"id": "t1", "type": "temperature", "unit": "K", "value": 1},
            {"id": "t1", "type": "heat", "value": 1},
            {"value": 1},
            {"id": "", "type": "ec", "value": 1},
            {"id": "t1", "value": 1},
            {"type": "ph", "value": 7}, {"type": "ph", "value": 7},
            {"id": "t1", "type": "temperature", "unit": "°C", "value": 20},
            {"id": "t1", "type": "humidity", "value": 20},
        ]),
    );
    let expected = [
        "unit",
        "unknown_type",
        "bad_id",
        "bad_id",
        "bad_id",
        "ambiguous",
        "ambiguous",
        "other_type",
    ];
    assert_eq!(effects(&said), expected);
    assert_eq!(world.0.model.sensors["t1"].value, Some((20_000_000, 1_000)));
    world.telemetry(2, json!([{"type": "temperature", "value": 21}]));
    assert_eq!(world.0.model.sensors["t1"].value, Some((21_000_000, 2_000)));
    world.telemetry(3, json!([{"id": "t2", "type": "temperature", "value": 21}]));
    assert_eq!(
        effects(&world.telemetry(4, json!([{"type": "temperature", "value": 1}]))),
        ["ambiguous"]
    );
}

#[test]
fn what_is_nobodys_is_adopted_as_it_is() {
    let mut world = World::new();
    world.telemetry(1, json!([{"id": "mine", "type": "ec", "value": 1}]));
    assert_eq!(world.0.sensors["mine"]["controller"], MAC);
    assert_eq!(world.0.sensors["mine"]["stale_after_sec"], 5);
    let line = json!({"input": "telemetry", "mac": OTHER, "sensors": [{"id": "mine", "type": "ec", "value": 2}]});
    world.line(2, line);
    assert_eq!(world.0.sensors["A00000000002/mine"]["stale_after_sec"], 900);
    assert_eq!(
        world.0.model.sensors["mine"].value,
        Some((1_000_000, 1_000))
    );
}

#[test]
fn a_place_that_is_not_there_refuses_the_message() {
    let mut world = World::new();
    let scope = json!({"type": "zone", "zoneId": "elsewhere"});
    world.line(
        1,
        json!({"input": "controller", "mac": MAC, "scope": scope}),
    );
    let entries =
        json!([{"id": "t1", "type": "ec", "value": 1}, {"id": "mine", "type": "ec", "value": 1}]);
    assert_eq!(effects(&world.telemetry(2, entries)), ["refused"]);
    assert!(world.0.model.sensors["mine"].value.is_none());
    assert!(world.0.sensors["mine"]["controller"].is_null());
}

#[test]
fn the_last_sixteen_messages_are_remembered() {
    let mut world = World::new();
    let mut send = |at, seq: i64, crc: i64| {
        let line = json!({"input": "telemetry", "mac": MAC, "seq": seq, "crc": crc, "sensors": []});
        effects(&world.line(at, line))
    };
    for seq in 0..16 {
        assert!(send(1, seq, 7).is_empty());
    }
    assert_eq!(send(2, 0, 7), ["repeated"]);
    assert!(send(2, 0, 8).is_empty());
    assert!(send(2, 0, 7).is_empty());
}

#[test]
fn what_becomes_known_is_sent_nothing() {
    let mut world = World::new();
    let pump = json!({"id": "pump", "type": "pump", "on": true, "lock": "door", "safety": true});
    let said = world.report(
        1,
        json!({"online": true, "devices": [pump, {"id": "fan", "type": "pump"}]}),
    );
    assert_eq!(
        (effects(&said), causes(&said)),
        (vec!["other_type".into(), "reported".into()], vec![])
    );
    let pump = &world.0.model.devices["pump"];
    assert!(pump.online && pump.safety && pump.holds("controller"));
}

#[test]
fn what_is_left_out_is_gone_until_it_is_named() {
    let mut world = World::new();
    let online = |world: &World| world.0.model.devices["fan"].online;
    world.report(1, json!({"online": true, "devices": []}));
    assert!(!online(&world));
    world.report(2, json!({"online": true}));
    assert!(!online(&world), "it was left out before");
    world.fan(3, json!({}));
    assert!(online(&world));
    assert_eq!(
        effects(&world.line(4, json!({"input": "gone", "mac": MAC}))),
        ["reported", "controller"]
    );
    assert!(!online(&world));
    assert!(
        world
            .line(5, json!({"input": "gone", "mac": MAC}))
            .is_empty()
    );
    world.report(6, json!({"online": true}));
    assert!(online(&world));
}

#[test]
fn a_controller_opens_its_own_lock_and_safety_only() {
    let mut world = World::new();
    let lock = |kind| json!({"input": "device", "device": "fan", "lock": "x", "lock_kind": kind, "safety": true});
    world.line(1, lock("person"));
    world.fan(2, json!({"on": false, "lock": null, "safety": false}));
    assert_eq!(world.locks(), ["person"]);
    assert!(
        world.0.model.devices["fan"].safety,
        "the controller never said so"
    );
    world.fan(3, json!({"on": false, "lock": "wind", "safety": true}));
    world.fan(4, json!({"on": false, "lock": null, "safety": false}));
    assert_eq!(world.locks(), ["person"]);
    let is_safe = world.0.model.devices["fan"].safety;
    assert!(!is_safe, "the controller said so, too");
}

#[test]
fn one_that_crossed_its_command_is_told_after_thirty_seconds() {
    let mut world = World::new();
    world.switch(10, "on");
    assert!(causes(&world.fan(11, json!({"on": false}))).is_empty());
    assert!(causes(&world.tick(40)).is_empty());
    assert_eq!(causes(&world.tick(41)), ["corrected"]);
    // 300 s later again, then 600 s, then 1,200 s, 2,400 s, 4,800 s, and 4,800 s.
    let mut at = 41;
    for wait in [300, 600, 1_200, 2_400, 4_800, 4_800] {
        assert!(causes(&world.tick(at + wait - 1)).is_empty());
        at += wait;
        assert_eq!(causes(&world.tick(at)), ["corrected"], "after {wait}");
    }
    assert!(
        world.locks().is_empty(),
        "it never did it: that does not count"
    );
}

#[test]
fn one_that_reports_nothing_is_told_too() {
    let mut world = World::new();
    world.switch(10, "on");
    assert!(causes(&world.tick(39)).is_empty());
    assert_eq!(causes(&world.tick(40)), ["corrected"]);
    assert_eq!(world.0.controllers_deadline(), Some(41_000), "a resend");
    world.tick(339);
    assert_eq!(causes(&world.tick(340)), ["corrected"]);
}

#[test]
fn three_times_an_hour_then_it_is_locked() {
    let mut world = World::new();
    world.switch(10, "on");
    for n in 0..3 {
        assert_eq!(world.trip(100 + n * 100), ["corrected"]);
    }
    assert_eq!(world.trip(400), ["lock"]);
    assert_eq!(world.locks(), ["keeps_stopping"]);
    // The controller does not open it, and a person makes counting begin anew.
    world.fan(500, json!({"on": false, "lock": null}));
    assert_eq!(world.locks(), ["keeps_stopping"]);
    world.line(
        501,
        json!({"input": "device", "device": "fan", "lock": null, "lock_kind": "keeps_stopping"}),
    );
    world.switch(502, "on");
    assert_eq!(world.trip(600), ["corrected"]);
}

#[test]
fn an_hour_later_it_may_be_told_and_eight_times_a_day() {
    let mut world = World::new();
    world.switch(10, "on");
    let mut at = 100;
    for n in 0..8 {
        assert_eq!(world.trip(at), ["corrected"], "telling {n}");
        // The third-last is an hour ago by then.
        at += HOUR / 3;
    }
    assert_eq!(world.trip(at), ["lock"]);
}

#[test]
fn a_lease_that_ran_out_does_not_count() {
    let mut world = World::new();
    world.switch(10, "on");
    for n in 0..9 {
        world.fan(100 + n * 100, json!({"on": true}));
        let over = json!({"on": false, "lease_over": true});
        assert_eq!(causes(&world.fan(160 + n * 100, over)), ["corrected"]);
    }
    assert!(world.locks().is_empty());
}

#[test]
fn one_that_goes_on_when_its_lease_ran_out_is_told_again_and_confirms_nothing() {
    let mut world = World::new();
    world.switch(10, "on");
    let over = json!({"on": true, "value": 40, "lease_over": true});
    for n in 0..9 {
        world.fan(100 + n * 100, json!({"on": true}));
        let said = world.fan(160 + n * 100, over.clone());
        assert_eq!(causes(&said), ["corrected"]);
        assert!(!said.iter().any(|l| l["state"] == "confirmed"), "{said:?}");
    }
    assert!(world.locks().is_empty());
    // What goes on although it is meant to be off is no doing of its own either.
    world.switch(2_000, "off");
    world.fan(2_001, json!({"on": false}));
    assert_eq!(causes(&world.fan(2_100, over)), ["corrected"]);
    assert!(world.0.remembered["fan"].tellings.is_empty());
}

#[test]
fn one_that_trips_at_once_waits_and_counts() {
    let mut world = World::new();
    world.switch(10, "on");
    world.fan(20, json!({"on": true}));
    assert!(causes(&world.fan(49, json!({"on": false}))).is_empty());
    assert!(causes(&world.tick(78)).is_empty());
    assert_eq!(causes(&world.tick(79)), ["corrected"]);
    assert_eq!(world.0.remembered["fan"].tellings, [79_000]);
}

#[test]
fn one_that_keeps_starting_is_switched_off_then_locked() {
    let mut world = World::new();
    world.switch(10, "off");
    world.fan(20, json!({"on": false}));
    let said = world.fan(100, json!({"on": true}));
    assert_eq!(causes(&said), ["corrected"]);
    assert!(
        world.0.remembered["fan"].tellings.is_empty(),
        "the first time does not count"
    );
    for at in [130, 430, 1_030] {
        assert_eq!(causes(&world.tick(at)), ["corrected"], "at {at}");
    }
    assert_eq!(causes(&world.tick(2_230)), ["lock"]);
    assert_eq!(world.locks(), ["keeps_starting"]);
}

#[test]
fn a_pulse_is_meant_to_be_over_thirty_seconds_after_its_end() {
    let mut world = World::new();
    let rule = json!({
        "id": "r", "name": "Rule", "scope": {"type": "farm"}, "deployed": true,
        "trigger": {"sensor_type": "ec", "operator": "gt", "value": 5, "duration_sec": 1},
        "actions": [{"device_id": "fan", "command": {"action": "pulse", "value": 10}}],
    });
    world.line(9, json!({"input": "rule", "rule": rule}));
    world.line(
        10,
        json!({"input": "reading", "sensor": "mine", "value": 6}),
    );
    assert_eq!(causes(&world.tick(11)), ["r"]);
    world.fan(12, json!({"on": true}));
    assert!(causes(&world.tick(50)).is_empty());
    assert_eq!(causes(&world.tick(51)), ["corrected"]);
}

#[test]
fn a_panel_that_lets_go_is_told_what_was_refused_there() {
    let mut world = World::new();
    world.fan(1, json!({"on": false, "lock": "door"}));
    world.line(
        2,
        json!({"input": "device", "device": "fan", "lock": "x", "lock_kind": "person"}),
    );
    let said = world.fan(3, json!({"on": false, "lock": null}));
    assert!(causes(&said).is_empty(), "it is off and meant to be");
    world.fan(4, json!({"on": true, "lock": "door"}));
    let said = world.fan(5, json!({"on": true, "lock": null}));
    assert_eq!(causes(&said), ["corrected"]);
}

#[test]
fn a_start_looks_at_every_device() {
    let mut world = World::new();
    world.switch(10, "on");
    world.fan(20, json!({"on": true}));
    let sent = world.line(100, json!({"input": "resumed"}));
    assert_eq!(causes(&sent), ["manual"]);
    world.fan(110, json!({"on": true}));
    assert_eq!(world.0.looks["fan"], 130_000);
    world.tick(130);
    assert!(world.0.looks.is_empty());
}

#[test]
fn what_a_needed_device_does_reaches_the_engine_without_a_rule_that_names_it() {
    let mut world = World::new();
    let pump = |limits: Value| {
        let device =
            json!({"id": "pump", "type": "pump", "scope": {"type": "farm"}, "limits": limits});
        json!({"input": "registry", "changes": [{"put_device": device}]})
    };
    world.fan(1, json!({"on": true}));
    assert_eq!(world.0.model.devices["fan"].running, None, "nobody asks");
    // With the change it is told what the last report said, and from then on what the next ones say.
    world.line(2, pump(json!({"needs": {"any": ["fan"]}})));
    assert_eq!(world.0.model.devices["fan"].running, Some(true));
    world.fan(3, json!({"on": false}));
    assert_eq!(world.0.model.devices["fan"].running, Some(false));
    world.line(4, pump(json!(null)));
    world.fan(5, json!({"on": true}));
    assert_eq!(world.0.model.devices["fan"].running, Some(false));
}
