//! Any row of inputs on a fixed farm, and what must hold whatever they are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use harit_engine::{
    AlertSpec, Cause, DeviceLock, Engine, Event, EventKind, Input, InputKind, Lock, LockKind,
    Manual, ManualKind, Measured, Owner, Quantity, RuleSpec, ScopeSpec, SentOrder, Status, Stop,
    StopScope, Timestamp,
};
use serde_json::{Value, json};

use crate::documents::{farm, farm_json};

/// The most inputs of one run.
const MAX_INPUTS: usize = 300;
const SENSORS: [&str; 6] = ["t1", "t2", "h1", "ph1", "t3", "nobody"];
const DEVICES: [&str; 4] = ["dose-1", "fan-1", "pump-1", "vent-1"];
const RULES: [&str; 6] = ["air", "cool", "dose", "wet", "new", "nobody"];
const VALUES: [&str; 16] = [
    "31",
    "36",
    "24",
    "20",
    "30",
    "30.000001",
    "35",
    "40",
    "4",
    "7.5",
    "25",
    "null",
    "NaN",
    "90",
    "-41",
    "32.3333333",
];
/// Steps in milliseconds: around the farm's durations, and backwards.
const STEPS: [i64; 16] = [
    0, 1, 999, 1_000, 5_000, 9_999, 10_000, 20_000, 29_999, 30_000, 60_000, 119_999, 300_000,
    3_600_000, -1_000, -90_000,
];
const MAX_ON: i64 = 120_000;
const PULSES_PER_HOUR: i64 = 20;
const HOUR: i64 = 3_600_000;

const PEOPLE: [&str; 2] = ["asha", "ravi"];

fn owner(user: &str) -> Arc<Owner> {
    Arc::new(Owner {
        user_id: user.into(),
        name: user.into(),
        reason: None,
    })
}

/// Inputs made from bytes, two and more each.
struct Source<'a> {
    rest: &'a [u8],
    at: i64,
}

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        *first
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    fn manual(&mut self) -> Manual {
        let device = self.pick(&DEVICES);
        let how = self.byte();
        let kind = [
            ManualKind::Override,
            ManualKind::Override,
            ManualKind::Pulse,
            ManualKind::Release,
        ][usize::from(how & 3)];
        let action = ["on", "off", "set_speed", "set_flow_rate"][usize::from(how >> 2 & 3)];
        Manual {
            device: device.into(),
            kind,
            action: (kind == ManualKind::Override).then(|| Arc::from(action)),
            value: Some(Quantity::from_units(i64::from(how >> 4 & 7))),
            duration_sec: Some([1, 30, 120, 600][usize::from(how >> 5 & 3)]),
            admin: how & 0x80 != 0,
            owner: None,
        }
    }

    fn status(&mut self) -> InputKind {
        let device = self.pick(&DEVICES);
        let bits = self.byte();
        let how = if bits >> 2 & 3 == 3 { 0 } else { self.byte() };
        let kind = LockKind::ALL[usize::from(how & 7) % LockKind::ALL.len()];
        let reason = if how & 8 == 0 { "door" } else { "max_on" };
        InputKind::Status {
            device: device.into(),
            status: Status {
                online: [None, Some(true), Some(false), Some(true)][usize::from(bits & 3)],
                lock: match bits >> 2 & 3 {
                    0 => Some(Lock::Engage {
                        kind,
                        reason: reason.into(),
                    }),
                    1 => Some(Lock::Open {
                        kind,
                        user: (how & 16 != 0).then(|| PEOPLE[usize::from(how >> 5 & 1)].into()),
                    }),
                    2 if how & 16 == 0 => Some(Lock::Replace {
                        reason: reason.into(),
                    }),
                    2 => Some(Lock::OpenAll),
                    _ => None,
                },
                safety: [None, Some(true), Some(false), None][usize::from(bits >> 4 & 3)],
                owner: (how & 64 != 0).then(|| owner(PEOPLE[usize::from(how >> 5 & 1)])),
            },
        }
    }

    fn stop(&mut self) -> InputKind {
        let how = self.byte();
        let scope = match how & 3 {
            0 => StopScope::Place(ScopeSpec::farm()),
            1 => StopScope::Place(ScopeSpec::polyhouse("p2")),
            _ => StopScope::Device(DEVICES[usize::from(how >> 3) % DEVICES.len()].into()),
        };
        let owner = owner(PEOPLE[usize::from(how >> 2 & 1)]);
        InputKind::Stop(Box::new(Stop { scope, owner }))
    }

    /// A rule of the farm as it is, switched off, stronger, slower, or for another device; or a new one.
    fn rule(&mut self) -> Option<InputKind> {
        let id = self.pick(&RULES[..5]);
        let how = self.byte();
        let document = farm_json();
        let mut rule = document
            .rules
            .iter()
            .find(|r| r.id.as_str() == id)
            .or(document.rules.first())
            .and_then(|r| serde_json::to_value(r).ok())?;
        rule["id"] = json!(id);
        match how & 7 {
            0 => {}
            1 => rule["mode"] = json!("disabled"),
            2 => rule["priority"] = json!(how >> 4),
            3 => rule["trigger"]["duration_sec"] = json!(how >> 3),
            4 => rule["name"] = json!("Another name"),
            5 => rule["on_signal_lost"] = json!(if how & 8 == 0 { "stop" } else { "hold" }),
            6 => rule["stop_condition"] = Value::Null,
            _ => {
                let device = DEVICES[usize::from(how >> 3) % DEVICES.len()];
                rule["actions"] = json!([{"device_id": device, "command": {"action": "on"}, "delay_sec": how >> 5}]);
            }
        }
        RuleSpec::from_json(&rule)
            .ok()
            .map(|r| InputKind::RulePut(Box::new(r)))
    }

    fn alert(&mut self) -> Option<InputKind> {
        let how = self.byte();
        let id = if how & 1 == 0 { "hot" } else { "acid" };
        if how & 2 != 0 {
            return Some(InputKind::AlertDelete(id.into()));
        }
        let evidence =
            [None, Some("worst"), Some("mean"), Some("worst")][usize::from(how >> 4 & 3)];
        let alert = json!({
            "id": id, "name": id, "repeatsIn": 1 + (how >> 6), "repeatUnit": "minutes",
            "evidence": evidence,
            "isActive": how & 4 == 0, "hold_sec": how >> 5, "match": if how & 8 == 0 { "all" } else { "any" },
            "conditions": [{"sensor": "Temperature", "operator": ">", "value": 30}, {"sensor": "pH", "operator": ">", "value": 5}],
        });
        AlertSpec::from_json(&alert)
            .ok()
            .map(|a| InputKind::AlertPut(Box::new(a)))
    }

    /// Sensors come and go, the demand for samples changes. The devices stay as they are: the invariants count on them.
    fn registry(&mut self) -> Option<InputKind> {
        let how = self.byte();
        let change = match how & 3 {
            0 => json!({"put_sensor": {"id": "t3", "type": "temperature", "stale_after_sec": 30,
                "scope": {"type": "zone", "polyhouseId": "p2", "zoneId": "z3"}}}),
            1 => json!({"delete_sensor": if how & 4 == 0 { "t3" } else { "t2" }}),
            2 => json!({"settings": {"min_samples": 1 + (how >> 6)}}),
            _ => {
                json!({"put_sensor": {"id": "t2", "type": "temperature", "stale_after_sec": 1 + (how >> 2)}})
            }
        };
        let change = serde_json::from_value(change).ok()?;
        Some(InputKind::Registry(vec![change]))
    }
}

impl Iterator for Source<'_> {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        if self.rest.is_empty() {
            return None;
        }
        let op = self.byte();
        let step = STEPS[usize::from(op >> 4)];
        let kind = match op & 15 {
            0..=7 => {
                let what = self.byte();
                InputKind::Reading {
                    sensor: SENSORS[usize::from(what & 15) % SENSORS.len()].into(),
                    value: Measured::parse(VALUES[usize::from(what >> 4)]),
                }
            }
            8 => InputKind::Tick,
            9 => InputKind::Resumed,
            10 | 11 => InputKind::Manual(Box::new(self.manual())),
            12 | 13 => self.status(),
            14 => match self.byte() & 3 {
                0 => InputKind::RuleDelete(self.pick(&RULES).into()),
                1 => self.alert().unwrap_or(InputKind::Tick),
                2 => self.stop(),
                _ => self.rule().unwrap_or(InputKind::Tick),
            },
            _ => self.registry().unwrap_or(InputKind::Tick),
        };
        let at = Timestamp::from_millis(self.at + step);
        // What is stamped in the past does not take the story back with it.
        self.at += step.max(0);
        Some(Input { at, kind })
    }
}

fn inputs(data: &[u8]) -> Vec<Input> {
    Source {
        rest: data,
        at: 1_700_000_000_000,
    }
    .take(MAX_INPUTS)
    .collect()
}

/// Whatever the inputs are:
///
/// - `check` says what `apply` does, and what is refused changes nothing;
/// - the same inputs give the same events, also with a tick whenever something is due and with a snapshot and restore in
///   between;
/// - the events' instants never fall, and lie between the clock before and after; command ids count without a gap;
/// - a device that is offline gets nothing, one that is locked gets nothing that switches it on except its safe setting,
///   and not even that if it was locked for having been on for too long, or stopped by a person whose stop nobody opened;
/// - a rule fires and stops in turn, an alert is raised and resolved in turn;
/// - no on period outlasts `max_on_sec`, and no hour has more seconds of pulses than the device allows.
pub fn engine_inputs(data: &[u8]) {
    let inputs = inputs(data);
    let (mut plain, mut again, mut ticked) = (farm(), farm(), farm());
    let (mut said, mut said_again, mut said_ticked) = (vec![], vec![], vec![]);
    let mut watch = Watch::default();
    for (n, input) in inputs.iter().enumerate() {
        let checked = plain.check(input);
        let before = (checked.is_err()).then(|| plain.snapshot());
        let applied = plain.apply(input, &mut said);
        assert_eq!(applied, checked, "{input:?}");
        let _ = again.apply(input, &mut said_again);
        if let Some(before) = before {
            assert!(
                plain.snapshot() == before,
                "refused, but changed: {input:?}"
            );
            continue;
        }
        if n % 29 == 3 {
            ticked = reopened(&ticked);
        }
        if input.kind != InputKind::Resumed {
            tick_until(&mut ticked, input.at, &mut said_ticked, &mut watch);
        }
        watch.before(&ticked, input);
        let from = said_ticked.len();
        ticked
            .apply(input, &mut said_ticked)
            .expect("accepted above");
        watch.events(&said_ticked[from..]);
        watch.look(&ticked);
    }
    let now = inputs.last().map_or(0, |i| i.at.as_millis());
    let end = Input {
        at: Timestamp::from_millis(now + 4 * HOUR),
        kind: InputKind::Tick,
    };
    for (engine, said) in [(&mut plain, &mut said), (&mut again, &mut said_again)] {
        engine.apply(&end, said).expect("a tick");
    }
    tick_until(&mut ticked, end.at, &mut said_ticked, &mut watch);
    ticked.apply(&end, &mut said_ticked).expect("a tick");
    assert_eq!(said, said_again, "the same inputs, other events");
    assert_eq!(said, said_ticked, "ticks and restores changed the events");
    assert!(plain.snapshot() == ticked.snapshot(), "or the state");
    check_order(&said);
}

/// Ticks whenever something is due, as the driver of an engine does.
fn tick_until(engine: &mut Engine, at: Timestamp, said: &mut Vec<Event>, watch: &mut Watch) {
    while let Some(due) = engine.next_deadline().filter(|due| *due <= at) {
        let tick = Input {
            at: due,
            kind: InputKind::Tick,
        };
        let from = said.len();
        engine.apply(&tick, said).expect("a tick");
        watch.events(&said[from..]);
        let next = engine.next_deadline();
        assert!(next.is_none_or(|next| next > due), "{next:?} after {due}");
    }
}

fn reopened(engine: &Engine) -> Engine {
    let bytes = engine.snapshot();
    let mut restored = Engine::restore(&bytes).expect("a snapshot reads back");
    assert!(restored.snapshot() == bytes, "a restored engine differs");
    let mut engine = Engine::restore(&bytes).expect("a snapshot reads back");
    assert_eq!(restored.next_deadline(), engine.next_deadline());
    restored
}

fn check_order(said: &[Event]) {
    assert!(said.is_sorted_by_key(|e| e.at), "instants fall");
    let mut commands = 0_u64;
    let (mut running, mut active) = (BTreeSet::new(), BTreeSet::new());
    for event in said {
        match &event.kind {
            EventKind::Command(c) => {
                commands += 1;
                assert_eq!(c.id().to_string(), format!("f1-{commands}"));
            }
            EventKind::RuleFired { rule } => assert!(running.insert(rule), "{rule} fired twice"),
            EventKind::RuleStopped { rule, .. } => {
                assert!(running.remove(rule), "{rule} stopped twice");
            }
            EventKind::RuleBlocked { rule, .. } => {
                assert!(!running.contains(rule), "{rule} was running");
            }
            EventKind::AlertRaised { alert } => {
                assert!(active.insert(alert), "{alert} raised twice");
            }
            EventKind::AlertResolved { alert, .. } => {
                assert!(active.remove(alert), "{alert} resolved twice");
            }
            EventKind::AlertNotified { alert, .. } => {
                assert!(active.contains(alert), "{alert} is not active");
            }
            _ => {}
        }
    }
}

/// What is known of the devices from the inputs and events alone.
#[derive(Default)]
struct Watch {
    offline: BTreeSet<String>,
    /// With the reason.
    /// Kind and whose.
    locked: BTreeMap<String, BTreeSet<(LockKind, String)>>,
    pulses: BTreeMap<String, Vec<(i64, i64)>>,
    on_since: BTreeMap<String, i64>,
}

impl Watch {
    /// An input takes effect on locks and presence: what engages at once; what ends in favour of the device at once too.
    fn before(&mut self, engine: &Engine, input: &Input) {
        match &input.kind {
            InputKind::Stop(stop) => {
                for device in engine.devices_in(&stop.scope) {
                    let lock = (LockKind::Stop, stop.owner.user_id.to_string());
                    self.locked
                        .entry(device.to_string())
                        .or_default()
                        .insert(lock);
                }
            }
            InputKind::Status { device, status } => self.status(device.as_str(), status),
            _ => {}
        }
    }

    fn status(&mut self, device: &str, status: &Status) {
        if status.online == Some(true) {
            self.offline.remove(device);
        }
        let user = |kind: LockKind| {
            let owner = status.owner.as_ref().filter(|_| kind.is_personal());
            owner.map(|o| o.user_id.to_string()).unwrap_or_default()
        };
        let locks = self.locked.entry(device.to_owned()).or_default();
        match &status.lock {
            Some(Lock::Engage { kind, .. }) => {
                locks.insert((*kind, user(*kind)));
            }
            Some(Lock::Replace { reason }) => {
                locks.remove(&(LockKind::MaxOn, String::new()));
                locks.remove(&(LockKind::Person, String::new()));
                let kind = match &**reason {
                    "max_on" => LockKind::MaxOn,
                    _ => LockKind::Person,
                };
                locks.insert((kind, String::new()));
            }
            // Refused where it is offline; nothing is sent then anyway.
            Some(Lock::Open { kind, user }) => {
                let own = user.as_deref().filter(|_| kind.is_personal());
                locks.retain(|(k, whose)| k != kind || own.is_some_and(|user| user != whose));
            }
            Some(Lock::OpenAll) => locks.clear(),
            None => {}
        }
    }

    fn events(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::Command(command) => self.command(event, command),
                EventKind::DeviceLocked { device, reason } => {
                    assert_eq!(&**reason, "max_on");
                    let lock = (LockKind::MaxOn, String::new());
                    self.locked
                        .entry(device.to_string())
                        .or_default()
                        .insert(lock);
                    self.on_since.remove(device.as_str());
                }
                _ => {}
            }
        }
    }

    /// The engine's own account of the devices, after an input.
    fn look(&mut self, engine: &Engine) {
        let now = engine.clock().map_or(i64::MIN, Timestamp::as_millis);
        for device in engine.devices() {
            let id = device.spec.id.to_string();
            if device.online {
                self.offline.remove(&id);
            } else {
                self.offline.insert(id.clone());
            }
            let whose = |l: &DeviceLock| {
                let owner = l.owner.as_ref();
                owner.map(|o| o.user_id.to_string()).unwrap_or_default()
            };
            let locks = device.locks.iter().map(|l| (l.kind, whose(l))).collect();
            let is_locked = !device.locks.is_empty();
            self.locked.insert(id.clone(), locks);
            if is_locked {
                continue;
            }
            if let Some(since) = self.on_since.get(&id)
                && id == "pump-1"
            {
                assert!(now < since + MAX_ON, "{id} on for longer than max_on_sec");
            }
        }
    }

    fn command(&mut self, event: &Event, command: &harit_engine::Command) {
        let (device, at) = (command.device().to_string(), event.at.as_millis());
        assert!(
            !self.offline.contains(&device),
            "{device} is offline: {event:?}"
        );
        let on = match command.order() {
            SentOrder::Set(setting) => {
                if setting.is_on() {
                    self.on_since.entry(device.clone()).or_insert(at);
                } else {
                    self.on_since.remove(&device);
                }
                setting.is_on()
            }
            SentOrder::Pulse { secs } => {
                self.pulse(&device, at, secs.into());
                true
            }
            SentOrder::Release => false,
        };
        let locks = self.locked.get(&device).filter(|_| on);
        if let Some(locks) = locks.filter(|locks| !locks.is_empty()) {
            let safe = matches!(command.cause(), Cause::Lock | Cause::Safety);
            let off = |(kind, _): &(LockKind, _)| matches!(kind, LockKind::MaxOn | LockKind::Stop);
            assert!(
                safe && !locks.iter().any(off),
                "{device} is locked: {event:?}"
            );
        }
    }

    fn pulse(&mut self, device: &str, at: i64, secs: i64) {
        let sent = self.pulses.entry(device.to_owned()).or_default();
        sent.push((at, secs));
        sent.retain(|(then, _)| *then > at - HOUR);
        let sum: i64 = sent.iter().map(|(_, secs)| secs).sum();
        assert!(
            device != "dose-1" || sum <= PULSES_PER_HOUR,
            "{sum} s of pulses in an hour"
        );
    }
}

/// Bytes as a snapshot, and as the body of one with the right checksum: refused, or an engine that is stored as it was read.
pub fn snapshot(data: &[u8]) {
    let header = format!(
        "harit-snapshot 1 {:08x} {}\n",
        crc32fast::hash(data),
        data.len()
    );
    for bytes in [data.to_vec(), [header.as_bytes(), data].concat()] {
        match Engine::restore(&bytes) {
            Err(e) => assert!(!e.to_string().is_empty()),
            Ok(mut engine) => {
                let stored = engine.snapshot();
                let again = Engine::restore(&stored).expect("a snapshot reads back");
                assert!(again.snapshot() == stored, "a restored engine differs");
                let _ = engine.next_deadline();
            }
        }
    }
}
