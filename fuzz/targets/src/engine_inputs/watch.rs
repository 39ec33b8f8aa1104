//! What must hold of devices whatever the inputs are.

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::{
    Cause, DeviceLock, Engine, Event, EventKind, FarmDocument, Input, InputKind, Lock, LockKind,
    SentOrder, Status, Timestamp,
};

use super::HOUR;

const MAX_ON: i64 = 120_000;
const PULSES_PER_HOUR: i64 = 20;

/// What is known of the devices from the inputs and events alone.
#[derive(Default)]
pub(super) struct Watch {
    offline: BTreeSet<String>,
    /// Kind and whose.
    locked: BTreeMap<String, BTreeSet<(LockKind, String)>>,
    pulses: BTreeMap<String, Vec<(i64, i64)>>,
    on_since: BTreeMap<String, i64>,
    off_since: BTreeMap<String, i64>,
    /// The least times off, in milliseconds.
    least_off: BTreeMap<String, i64>,
}

impl Watch {
    pub(super) fn of(document: &FarmDocument) -> Self {
        let devices = serde_json::to_value(&document.devices).expect("devices are JSON");
        let devices = devices.as_array().into_iter().flatten();
        let least_off = devices.filter_map(|d| {
            let secs = d["limits"]["min_off_sec"].as_i64()?;
            Some((d["id"].as_str()?.to_owned(), secs * 1_000))
        });
        Self {
            least_off: least_off.collect(),
            ..Self::default()
        }
    }

    /// An input takes effect on locks and presence: what engages at once; what ends in favour of the device at once too.
    pub(super) fn before(&mut self, engine: &Engine, input: &Input) {
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

    pub(super) fn events(&mut self, events: &[Event]) {
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
    pub(super) fn look(&mut self, engine: &Engine) {
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
                    if !self.on_since.contains_key(&device) {
                        self.starts(&device, event);
                    }
                    self.on_since.entry(device.clone()).or_insert(at);
                } else if self.on_since.remove(&device).is_some() {
                    self.off_since.insert(device.clone(), at);
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

    fn starts(&self, device: &str, event: &Event) {
        let least = self.least_off.get(device).zip(self.off_since.get(device));
        if let Some((least, since)) = least {
            let off = event.at.as_millis() - since;
            assert!(off >= *least, "{device} was off for {off} ms: {event:?}");
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
