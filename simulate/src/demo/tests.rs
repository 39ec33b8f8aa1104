use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use harit_engine::{
    Engine, Event, EventKind, Input, InputKind, Measured, SentOrder, Setting, Status, Timestamp,
};
use serde_json::{Value, json};

use super::*;
use crate::controller::{Controller, Now, Outgoing, supported_actions};
use crate::model::Probe;
use crate::world::World;

const START_MS: i64 = 1_790_000_000_000;

#[test]
fn the_documents_are_sound_and_the_engine_takes_them() {
    for farm in farms(DemoLanguage::En) {
        let document = farm.document();
        assert_eq!(document.farm.id.as_str(), farm.id);
        assert_eq!(document.farm.name, farm.name);
        Engine::new(&document).unwrap();
    }
    let first = farm_document();
    assert!(first.rules.len() > 10 && first.alerts.len() >= 5);
    assert!(
        first.rules.iter().any(|r| !r.deployed),
        "there is a draft to look at"
    );
}

/// What people read of a farm: every string of its document under a key of names, and what else has a name.
fn names_of(farm: &DemoFarm) -> Vec<String> {
    fn collect(value: &Value, key: &str, found: &mut Vec<String>) {
        let is_name = ["name", "path", "description", "created_by", "device_name"].contains(&key);
        match value {
            Value::String(text) if is_name => found.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| collect(item, key, found)),
            Value::Object(fields) => fields.iter().for_each(|(k, v)| collect(v, k, found)),
            _ => {}
        }
    }
    let mut found = vec![farm.name.to_owned(), farm.location.to_owned()];
    collect(
        &serde_json::to_value(farm.document()).unwrap(),
        "",
        &mut found,
    );
    for controller in farm.controllers() {
        found.push(controller.name);
        found.extend(controller.devices.into_iter().map(|d| d.name));
    }
    let tasks = farm.tasks.iter();
    let of_records = { farm.reservoirs.iter().map(|r| r.name) }
        .chain(farm.derived.iter().map(|d| d.name))
        .chain(tasks.flat_map(|t| [t.title, t.description, t.category]));
    found.extend(of_records.map(|text| farm.language.say(text).to_owned()));
    found.extend(people(farm.language).map(|p| p.name.to_owned()));
    found
}

#[test]
fn farms_can_be_named_in_each_language() {
    let english = farms(DemoLanguage::En);
    for language in [DemoLanguage::Hi, DemoLanguage::Mr] {
        for (farm, english) in farms(language).iter().zip(&english) {
            Engine::new(&farm.document()).unwrap();
            let (names, before) = (names_of(farm), names_of(english));
            assert_eq!(names.len(), before.len());
            assert!(names.len() > 50, "{}", names.len());
            for (name, before) in names.iter().zip(&before) {
                let is_same = name == before && !before.is_empty();
                assert!(!is_same, "{} has no {name:?}", language.code());
            }
        }
    }
}

#[test]
fn each_text_is_there_once_and_in_each_language() {
    let mut seen = BTreeSet::new();
    for line in include_str!("texts.tsv").lines() {
        let columns: Vec<_> = line.split('\t').collect();
        assert_eq!(columns.len(), 3, "{line}");
        assert!(columns.iter().all(|c| !c.trim().is_empty()), "{line}");
        assert!(seen.insert(columns[0]), "{line}");
    }
}

#[test]
fn the_language_is_that_of_the_terminal() {
    let of = |set: &[(&str, &str)]| {
        DemoLanguage::of_locale(|name| {
            let found = set.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, locale)| (*locale).to_owned())
        })
    };
    assert_eq!(of(&[]), DemoLanguage::En);
    assert_eq!(of(&[("LANG", "mr_IN")]), DemoLanguage::Mr);
    assert_eq!(of(&[("LANG", "hi_IN.UTF-8")]), DemoLanguage::Hi);
    assert_eq!(of(&[("LANG", "de_DE.UTF-8")]), DemoLanguage::En);
    assert_eq!(of(&[("LANG", "C.UTF-8")]), DemoLanguage::En);
    let both = [("LC_ALL", ""), ("LC_MESSAGES", "mr"), ("LANG", "hi_IN")];
    assert_eq!(of(&both), DemoLanguage::Mr);
    assert_eq!(of(&[("LC_ALL", "C"), ("LANG", "mr_IN")]), DemoLanguage::En);
}

#[test]
fn the_document_and_the_controllers_name_the_same_parts() {
    for farm in farms(DemoLanguage::En) {
        let document = farm.document();
        let wanted = |unit: &Option<String>| unit.clone().unwrap();
        let mut documented = BTreeSet::new();
        let derived: BTreeSet<_> = { farm.derived.iter() }
            .map(|d| format!("derived-{}", d.id))
            .collect();
        let (computed, measured): (Vec<_>, Vec<_>) =
            { document.sensors.iter() }.partition(|s| derived.contains(s.id.as_str()));
        assert_eq!(computed.len(), farm.derived.len());
        assert!(computed.iter().all(|s| s.controller.is_none()));
        for s in measured {
            documented.insert((
                wanted(&s.controller),
                s.id.to_string(),
                s.sensor_type.to_string(),
            ));
        }
        for d in &document.devices {
            let supported = serde_json::to_value(supported_actions(d.device_type)).unwrap();
            let numbers = |v: &Value| v.to_string().replace(".0", "");
            assert_eq!(
                numbers(&supported),
                numbers(&d.supported_actions),
                "{}",
                d.id
            );
            assert!(
                !d.online,
                "{} is offline until its controller announces it",
                d.id
            );
            let kind = d.device_type.as_str().to_owned();
            documented.insert((wanted(&d.controller), d.id.to_string(), kind));
        }
        let mut built = BTreeSet::new();
        for c in farm.controllers() {
            built.extend(
                c.sensors
                    .iter()
                    .map(|s| (c.mac.clone(), s.id.clone(), s.sensor_type.to_string())),
            );
            for d in &c.devices {
                built.insert((
                    c.mac.clone(),
                    d.id.clone(),
                    d.device_type.as_str().to_owned(),
                ));
                let documented = document
                    .devices
                    .iter()
                    .find(|x| x.id.as_str() == d.id)
                    .unwrap();
                assert_eq!(documented.name, d.name);
            }
        }
        assert_eq!(documented, built);
    }
}

#[test]
fn everything_on_the_site_is_driven_and_seen_by_exactly_one_part() {
    for farm in farms(DemoLanguage::En) {
        let field = crate::model::Farm::new(&farm.site(), 1, START);
        let mut actuators = BTreeSet::new();
        for c in farm.controllers() {
            for s in &c.sensors {
                assert!(field.value(s.probe).is_some(), "{} measures nothing", s.id);
            }
            for d in &c.devices {
                assert!(
                    actuators.insert(format!("{:?}", d.actuator)),
                    "{} drives what another does",
                    d.id
                );
            }
        }
        let document = farm.document();
        let zones: usize = document.polyhouses.iter().map(|p| p.zones.len()).sum();
        assert_eq!(
            zones,
            farm.site()
                .houses
                .iter()
                .map(|h| h.zones.len())
                .sum::<usize>()
        );
    }
}

#[test]
fn every_controller_serves_a_place_of_the_document() {
    for farm in farms(DemoLanguage::En) {
        let document = farm.document();
        for c in farm.controllers() {
            let asset = farm.assets.iter().find(|a| a.mac == c.mac).unwrap();
            assert!(
                document
                    .polyhouses
                    .iter()
                    .any(|p| p.id.as_str() == asset.polyhouse_id)
            );
            let reservoir = farm.reservoirs.iter().find(|r| r.controller == c.mac);
            assert_eq!(asset.reservoir_id, reservoir.map(|r| r.id));
            assert_eq!(
                asset.reservoir_id.is_some(),
                c.kind.as_str() == "FERTIGATION"
            );
        }
        assert_eq!(farm.assets.len(), farm.controllers().len());
    }
}

#[test]
fn people_tasks_and_reservoirs_fit_together() {
    let emails: Vec<_> = people(DemoLanguage::En).iter().map(|p| p.email).collect();
    for farm in farms(DemoLanguage::En) {
        let members: BTreeMap<_, _> = farm.roles.iter().copied().collect();
        assert!(members.keys().all(|m| emails.contains(m)));
        for task in farm.tasks {
            assert!(members.contains_key(task.assignee), "{}", task.title);
        }
        for (reservoir, tank) in farm.reservoirs.iter().zip(&farm.site().tanks) {
            assert!((reservoir.capacity_litres - tank.tank.capacity_l).abs() < 1e-9);
            let found = farm
                .controllers()
                .into_iter()
                .find(|c| c.mac == reservoir.controller)
                .unwrap();
            assert_eq!(found.kind.as_str(), "FERTIGATION");
        }
        for alert in farm.document().alerts {
            let subscribers = alert.subscribers.as_array().unwrap().clone();
            assert!(
                subscribers
                    .iter()
                    .all(|s| members.contains_key(s["email"].as_str().unwrap()))
            );
        }
    }
    let first = farm();
    let roles: BTreeSet<_> = first.roles.iter().map(|(_, role)| *role).collect();
    assert_eq!(roles.len(), 4);
    let overdue = first
        .tasks
        .iter()
        .filter(|t| t.due_in_days < 0 && t.status != TaskStatus::Closed)
        .count();
    assert_eq!(overdue, 2);
}

/// Engine, controllers and farm in one loop, without a network and in no time: what the demo does, to the second.
struct Loop {
    engine: Engine,
    world: World,
    controllers: Vec<Controller>,
    now: Duration,
    events: Vec<Event>,
    renewals: BTreeMap<String, (String, Duration)>,
}

impl Loop {
    fn new(speed: f64, start: f64) -> Self {
        let mut all = Self {
            engine: Engine::new(&farm_document()).unwrap(),
            world: World::new(&site(), SEED, speed, start),
            controllers: controllers().into_iter().map(Controller::new).collect(),
            now: Duration::ZERO,
            events: vec![],
            renewals: BTreeMap::new(),
        };
        let now = all.instant();
        let document = farm_document();
        for controller in &mut all.controllers {
            controller.connected(now, &mut vec![]);
        }
        for d in document.devices {
            let status = Status {
                online: Some(true),
                ..Status::default()
            };
            all.apply(InputKind::Status {
                device: d.id,
                status,
            });
        }
        all
    }

    fn instant(&self) -> Now {
        let ms = i64::try_from(self.now.as_millis()).unwrap();
        Now {
            since_start: self.now,
            wall_ms: START_MS + ms,
        }
    }

    fn apply(&mut self, kind: InputKind) {
        let at = Timestamp::from_millis(self.instant().wall_ms);
        let before = self.events.len();
        self.engine
            .apply(&Input { at, kind }, &mut self.events)
            .unwrap();
        let fresh = self.events[before..].to_vec();
        for event in fresh {
            if let EventKind::Command(command) = &event.kind {
                self.deliver(command);
            }
        }
    }

    fn deliver(&mut self, command: &harit_engine::Command) {
        let (id, device) = (command.id().to_string(), command.device().to_string());
        let (cmd_type, action) = match command.order() {
            SentOrder::Set(setting) => {
                let value = setting.value().map(harit_engine::Quantity::to_f64);
                (
                    "override",
                    json!({"mode": "manual", "on": setting.is_on(), "value": value}),
                )
            }
            SentOrder::Pulse { secs } => ("pulse", json!({"on": true, "duration_sec": secs})),
            SentOrder::Release => ("release", json!({"mode": "auto"})),
        };
        match command.order() {
            SentOrder::Set(setting) if setting != Setting::Off => {
                self.renewals.insert(
                    device.clone(),
                    (id.clone(), self.now + Duration::from_secs(60)),
                );
            }
            _ => drop(self.renewals.remove(&device)),
        }
        let now = self.instant();
        let expires = now.wall_ms + 15_000;
        self.send(
            &json!({"command_id": id, "cmd_type": cmd_type, "device_id": device, "action": action,
            "expires_at": expires, "lease_sec": 180}),
        );
    }

    fn send(&mut self, message: &Value) {
        let now = self.instant();
        let device = message["device_id"].as_str().unwrap();
        let controller = self
            .controllers
            .iter_mut()
            .find(|c| c.trace(device).is_some())
            .unwrap();
        let mut out = vec![];
        controller.command(now, &serde_json::to_vec(message).unwrap(), &mut out);
        for o in out {
            if let Outgoing::Ack(bytes) = o {
                let ack: Value = serde_json::from_slice(&bytes).unwrap();
                assert_eq!(ack["status"], "ack", "{message} was refused: {ack}");
            }
        }
        self.world.drive(controller);
    }

    /// Half a second of the demo.
    fn step(&mut self) {
        self.now += Duration::from_millis(500);
        let now = self.instant();
        self.world.advance(self.now);
        self.apply(InputKind::Tick);
        let mut out = vec![];
        for controller in &mut self.controllers {
            controller.faults(now, &self.world.faults, &mut out);
            controller.tick(now, &mut |s, n| self.world.measure(s, n), &mut out);
            self.world.drive(controller);
        }
        for o in out {
            if let Outgoing::Telemetry(bytes) = o {
                let message: Value = serde_json::from_slice(&bytes).unwrap();
                for reading in message["sensors"].as_array().unwrap() {
                    let sensor = reading["id"].as_str().unwrap().into();
                    let value = Measured::parse(&reading["latestValue"].to_string());
                    self.apply(InputKind::Reading { sensor, value });
                }
            }
        }
        let due: Vec<_> = self
            .renewals
            .iter()
            .filter(|(_, (_, at))| *at <= self.now)
            .collect();
        for (device, (id, _)) in due
            .into_iter()
            .map(|(d, r)| (d.clone(), r.clone()))
            .collect::<Vec<_>>()
        {
            self.send(&json!({"command_id": id, "cmd_type": "renew", "device_id": device, "lease_sec": 180}));
            self.renewals
                .insert(device, (id, self.now + Duration::from_secs(60)));
        }
    }

    fn run(&mut self, seconds: u64) {
        while self.now < Duration::from_secs(seconds) {
            self.step();
        }
    }

    fn run_for(&mut self, seconds: u64) {
        self.run(self.now.as_secs() + seconds);
    }

    fn count(&self, name: &str, of: &str) -> usize {
        let text = |e: &Event| serde_json::to_value(e).unwrap();
        let mut found = self
            .events
            .iter()
            .filter(|e| e.kind.name() == name)
            .map(text);
        found
            .by_ref()
            .filter(|e| of.is_empty() || e["rule"] == of || e["device"] == of || e["alert"] == of)
            .count()
    }

    fn starts(&self, device: &str) -> usize {
        self.controllers
            .iter()
            .find_map(|c| c.trace(device))
            .unwrap()
            .on_intervals()
            .len()
    }

    fn value(&self, probe: Probe) -> f64 {
        self.world.value(probe).unwrap()
    }
}

#[test]
fn within_two_minutes_something_happens_in_both_houses() {
    let mut demo = Loop::new(SPEED, START);
    demo.run(120);
    assert!(demo.count("rule_fired", "rule-ph1-cool") >= 1);
    assert!(
        demo.count("rule_stopped", "rule-ph1-cool") >= 1,
        "a whole cycle"
    );
    assert!(demo.starts("ph2-fan") + demo.starts("ph2-vent") >= 1);
}

#[test]
fn over_ten_minutes_every_part_works_and_nothing_leaves_its_range() {
    let mut demo = Loop::new(SPEED, START);
    while demo.now < Duration::from_secs(600) {
        demo.step();
        for (probe, min, max) in [
            (Probe::Temperature(0), 26.0, 35.0),
            (Probe::Temperature(1), 26.0, 35.0),
            (Probe::Humidity(0), 25.0, 85.0),
            (Probe::SoilMoisture(0, 0), 33.5, 42.0),
            (Probe::SoilMoisture(1, 0), 33.5, 42.0),
            (Probe::Level(0), 35.0, 85.0),
            (Probe::Level(1), 35.0, 85.0),
            (Probe::Ph(0), 6.0, 7.2),
            (Probe::Ph(1), 6.0, 7.2),
            (Probe::Ec(0), 1.0, 1.9),
            (Probe::Ec(1), 1.0, 1.9),
        ] {
            let v = demo.value(probe);
            assert!(
                (min..=max).contains(&v),
                "{probe:?} = {v} after {:?}",
                demo.now
            );
        }
    }
    for device in [
        "ph1-fan-1",
        "ph1-fan-2",
        "ph2-fan",
        "ph1-vent",
        "ph2-vent",
        "ph1-drip-a",
        "ph2-drip",
    ] {
        assert!(demo.starts(device) >= 1, "{device} never ran");
    }
    for device in ["ft1-refill", "ft1-acid", "ft1-nutrient"] {
        assert!(demo.starts(device) >= 1, "{device} never ran");
    }
    assert!(
        demo.count("command", "ph1-vent") >= 3,
        "the roof vents follow the temperature"
    );
    assert_eq!(demo.count("alert_raised", ""), 0, "all is well");
    assert_eq!(demo.count("device_locked", ""), 0);
    assert_eq!(demo.count("sensor_expired", ""), 0);
}

#[test]
fn a_day_and_a_night_pass_without_an_alert_and_without_a_lease_running_out() {
    let mut demo = Loop::new(SPEED, START);
    // A day of the farm is 2.4 hours of the run.
    demo.run(8_640);
    assert_eq!(
        demo.count("alert_raised", ""),
        0,
        "{:?}",
        demo.events.last()
    );
    assert_eq!(demo.count("device_locked", ""), 0);
    let leases: u64 = demo
        .controllers
        .iter()
        .map(|c| c.counters().leases_ended)
        .sum();
    assert_eq!(leases, 0, "renewed in time");
    let renewed: u64 = demo.controllers.iter().map(|c| c.counters().renewed).sum();
    assert!(renewed > 0, "some ran for more than a minute");
    assert!(demo.value(Probe::Temperature(0)) > 10.0);
}

#[test]
fn at_real_speed_the_fans_still_cycle() {
    let mut demo = Loop::new(1.0, START);
    demo.run(1_800);
    assert!(demo.count("rule_stopped", "rule-ph1-cool") >= 1);
}

#[test]
fn a_silent_sensor_expires_and_its_rule_lets_go() {
    let mut demo = Loop::new(SPEED, START);
    while demo.count("rule_fired", "rule-ph1-cool") == 0 {
        demo.run_for(1);
        assert!(demo.now < Duration::from_secs(300));
    }
    for sensor in ["ph1-temp-1", "ph1-temp-2"] {
        let fault = format!("silent-sensor:{sensor}").parse().unwrap();
        demo.world.faults.set(demo.now, fault).unwrap();
    }
    demo.run_for(40);
    assert_eq!(demo.count("sensor_expired", ""), 2);
    let lost = demo.events.iter().any(|e| {
        let e = serde_json::to_value(e).unwrap();
        e["rule"] == "rule-ph1-cool" && e["reason"] == "signal_lost"
    });
    assert!(lost, "the rule does not cool on blindly");
}

#[test]
fn stuck_fans_and_vents_end_in_an_alert() {
    let mut demo = Loop::new(SPEED, START);
    for device in ["ph1-fan-1", "ph1-fan-2", "ph1-vent", "ph2-fan"] {
        let fault = format!("stuck-relay:{device}").parse().unwrap();
        demo.world.faults.set(demo.now, fault).unwrap();
    }
    demo.run(600);
    assert!(demo.count("rule_fired", "rule-ph1-cool") >= 1);
    assert_eq!(demo.starts("ph1-fan-1"), 0);
    assert!(
        demo.count("alert_raised", "alert-heat") >= 1,
        "{}",
        demo.value(Probe::Temperature(0))
    );
}
