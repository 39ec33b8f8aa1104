//! Entries of inputs: what people command, stop and lock, and how devices change.

use harit_engine::{
    DeviceId, DeviceLock, DeviceSpec, Event, EventKind, Lock, LockKind, Manual, ManualKind, Owner,
    Status, Stop, StopScope, Timestamp,
};

use super::{Before, Collecting, pending};
use crate::log::{LogBody, LogKind, LogResult, LogType, Named};

impl Collecting<'_> {
    pub(super) fn manual(&mut self, at: Timestamp, manual: &Manual, events: &[Event]) {
        let kind = match manual.kind {
            ManualKind::Override => LogKind::Override,
            ManualKind::Pulse => LogKind::Pulse,
            ManualKind::Release => LogKind::Release,
        };
        let mut body = self.of_device(kind, &manual.device);
        body.by(manual.owner.as_deref());
        body.fact("action", &manual.action);
        body.fact("value", manual.value);
        body.fact("durationSec", manual.duration_sec);
        let refused = refusal(events, &manual.device);
        body.fact("refused", refused);
        let entry = self.add(at, LogType::ManualCommand, body);
        if refused.is_some() {
            entry.result = LogResult::Failure;
        }
    }

    /// A body about a lock of a device.
    fn of_lock(
        &self,
        kind: LogKind,
        id: &DeviceId,
        lock: &DeviceLock,
        by: Option<&Owner>,
    ) -> LogBody {
        let mut body = self.of_device(kind, id);
        body.by(by);
        body.fact("lock", &lock.reason);
        body.fact("lockKind", lock.kind);
        let owner = lock.owner.as_deref();
        body.fact("lockOf", owner.map(|o| Named::new(&*o.user_id, &*o.name)));
        body
    }

    /// One entry, however many devices a stop reaches.
    pub(super) fn stop(&mut self, at: Timestamp, stop: &Stop) {
        let mut body = match &stop.scope {
            StopScope::Device(id) => self.of_device(LogKind::Stopped, id),
            StopScope::Place(scope) => LogBody {
                scope: self.engine.labelled(scope),
                ..LogBody::new(LogKind::Stopped)
            },
        };
        let place = body.device.as_ref().map(|d| d.name.clone());
        let scope = body.scope.as_ref().and_then(|s| s.name.clone());
        body.fact("place", place.or(scope));
        body.by(Some(&stop.owner));
        let ids = self.engine.devices_in(&stop.scope);
        let devices: Vec<_> = ids
            .iter()
            .filter_map(|id| self.engine.device(id.as_str()))
            .collect();
        body.fact("count", devices.len());
        // They are stopped when they come back, and nothing was sent to them.
        let away = devices.iter().filter(|d| !d.online);
        let away: Vec<String> = away.map(|d| name_of(&d.spec)).collect();
        body.fact("offline", Some(away).filter(|away| !away.is_empty()));
        let also = devices.iter().map(|d| name_of(&d.spec)).collect();
        self.add(at, LogType::SafetyOverride, body).also = also;
    }

    /// The server was off. The first `resumed` of a farm ends no outage.
    pub(super) fn resumed(&mut self, at: Timestamp) {
        let Some(Before::Outage { since, held }) = self.before else {
            return;
        };
        let still = pending(self.engine);
        let (on, lost): (Vec<_>, Vec<_>) = { held.iter() }.partition(|r| still.contains(r));
        let mut body = LogBody::new(LogKind::Resumed);
        body.fact("since", since);
        body.fact("durationSec", (at - *since).as_secs());
        body.fact("heldOn", Some(on).filter(|all| !all.is_empty()));
        body.fact("holdsLost", Some(lost).filter(|all| !all.is_empty()));
        self.add(at, LogType::DeviceOffline, body);
    }

    /// What changed of a device's status, as the engine has it now.
    pub(super) fn status(
        &mut self,
        at: Timestamp,
        id: &DeviceId,
        status: &Status,
        events: &[Event],
        has_controller: bool,
    ) {
        let Some(Before::Device {
            online,
            locks,
            safety,
        }) = self.before
        else {
            return;
        };
        let Some(now) = self.engine.device(id.as_str()) else {
            return;
        };
        let owner = status.owner.as_deref();
        if now.online != *online && !has_controller {
            let kind = if now.online {
                LogKind::DeviceOnline
            } else {
                LogKind::DeviceOffline
            };
            let body = self.of_device(kind, id);
            self.add(at, LogType::DeviceOffline, body);
        }
        let by_engine = events
            .iter()
            .any(|e| matches!(&e.kind, EventKind::DeviceLocked { device, .. } if device == id));
        let refused = refusal(events, id);
        let opening = status.lock.as_ref().filter(|l| l.is_opening());
        let same = |a: &DeviceLock, b: &DeviceLock| a.kind == b.kind && whose(a) == whose(b);
        for lock in &now.locks {
            let known = |l: &DeviceLock| same(l, lock) && l.reason == lock.reason;
            let timed = by_engine && lock.kind == LockKind::MaxOn;
            if !locks.iter().any(known) && !timed {
                let body = self.of_lock(LogKind::Locked, id, lock, owner);
                self.add(at, LogType::SafetyOverride, body);
            }
        }
        for lock in locks.iter().filter(|_| opening.is_some()) {
            if !now.locks.iter().any(|l| same(l, lock)) {
                let mut body = self.of_lock(LogKind::Unlocked, id, lock, owner);
                let left: Vec<LockKind> = now.locks.iter().map(|l| l.kind).collect();
                body.fact("left", Some(left).filter(|left| !left.is_empty()));
                self.add(at, LogType::SafetyOverride, body);
            }
        }
        if opening.is_some() && refused.is_some() {
            let kept = locks.iter().find(|lock| match opening {
                Some(Lock::Open { kind, .. }) => lock.kind == *kind,
                _ => true,
            });
            let mut body = match kept {
                Some(lock) => self.of_lock(LogKind::Unlocked, id, lock, owner),
                None => self.of_device(LogKind::Unlocked, id),
            };
            body.fact("refused", refused);
            self.add(at, LogType::SafetyOverride, body).result = LogResult::Failure;
        }
        if now.safety != *safety {
            let kind = if now.safety {
                LogKind::SafetyOn
            } else {
                LogKind::SafetyOff
            };
            let mut body = self.of_device(kind, id);
            body.by(owner);
            self.add(at, LogType::SafetyOverride, body);
        }
    }
}

fn name_of(device: &DeviceSpec) -> String {
    Named::new(device.id.as_str(), &*device.name).name
}

/// The id of the person whose lock it is, of a kind that each has his own of.
fn whose(lock: &DeviceLock) -> Option<&str> {
    lock.owner.as_deref().map(|o| &*o.user_id)
}

/// Why the engine refused what was asked of a device.
fn refusal(events: &[Event], id: &DeviceId) -> Option<&'static str> {
    events.iter().find_map(|e| match &e.kind {
        EventKind::CommandRefused { device, reason } if device == id => Some(reason.as_str()),
        _ => None,
    })
}
