//! Devices and their locks, from command to command and from look to look.

use harit_engine::{
    Cause, Command, DeviceId, DeviceLock, DeviceStatus, Event, EventKind, FarmId, Lock, LockKind,
    SentOrder,
};

use super::{Checks, When};

impl Checks {
    /// Somebody switched a device at its machine.
    pub fn switched_by_hand(&mut self, farm: &FarmId, device: &str, now_ms: i64, on: bool) {
        let key = (farm.clone(), DeviceId::from(device));
        self.devices
            .entry(key)
            .or_default()
            .hands
            .push((now_ms, on));
    }

    /// Whether a device was ever switched at its machine.
    #[must_use]
    pub fn by_hand(&self, farm: &FarmId, device: &DeviceId) -> bool {
        let key = (farm.clone(), device.clone());
        self.devices.get(&key).is_some_and(|w| !w.hands.is_empty())
    }

    /// When a device was last commanded, in true time.
    #[must_use]
    pub fn last_command(&self, farm: &FarmId, device: &DeviceId) -> i64 {
        let key = (farm.clone(), device.clone());
        self.devices.get(&key).map_or(0, |w| w.last_command_ms)
    }

    /// Whether a lock may open in this turn.
    #[must_use]
    pub fn expects_opening(&self) -> bool {
        !self.may_open.is_empty() || !self.panel_opened.is_empty()
    }

    /// A person opens locks in this turn.
    pub fn person_unlocks(&mut self, farm: &FarmId, device: &DeviceId, change: Lock) {
        let key = (farm.clone(), device.clone());
        self.may_open.entry(key).or_default().push(change);
    }

    /// A controller says in this turn that a device is not locked.
    pub fn panel_unlocks(&mut self, farm: &FarmId, device: &str) {
        self.panel_opened
            .insert((farm.clone(), DeviceId::from(device)));
    }

    pub(super) fn command(&mut self, farm: &FarmId, when: When, command: &Command) {
        let watched = self
            .devices
            .entry((farm.clone(), command.device().clone()))
            .or_default();
        watched.last_command_ms = when.now_ms;
        let energises = match command.order() {
            SentOrder::Set(s) if s.is_on() => {
                // Also where it is over before anybody looks: the server may die right after it sent this.
                if !matches!(watched.wanted.last(), Some((_, None))) {
                    watched.wanted.push((when.now_ms, Some(when.now_ms)));
                }
                true
            }
            SentOrder::Set(_) => {
                watched.offs.push(when.now_ms);
                false
            }
            SentOrder::Pulse { secs } => {
                watched.pulses.push((when.now_ms, i64::from(secs) * 1_000));
                true
            }
            SentOrder::Release => false,
        };
        // **I12**: what is locked is switched on by nobody. (The safe setting of a lock may be one that is on, unless it was
        // stopped or was on for too long.)
        let key = (farm.clone(), command.device().clone());
        let panel = self.panel_opened.contains(&key);
        let opened = self.may_open.get(&key).map_or(&[][..], |all| all);
        let left = watched.locks.iter();
        let left: Vec<_> = left.filter(|l| !may_be_gone(l, opened, panel)).collect();
        let safe = matches!(
            command.cause(),
            Cause::Lock | Cause::Safety | Cause::Corrected
        ) && watched.safe_is_on
            && !left
                .iter()
                .any(|l| matches!(l.kind, LockKind::Stop | LockKind::MaxOn));
        if energises && !safe && !left.is_empty() {
            let what = format!(
                "{} is locked ({left:?}) and gets {} {:?}, cause {}",
                command.device(),
                command.id(),
                command.order(),
                command.cause().as_str()
            );
            self.blame("I12", when.at_ms, what);
        }
    }

    /// **I13**: switching off is never refused for any reason but that nobody can hear it.
    pub fn off_answered(&mut self, when: When, device: &DeviceId, events: &[Event]) {
        let of_it = |e: &&Event| match &e.kind {
            EventKind::Command(c) => {
                c.device() == device
                    && *c.cause() == Cause::Manual
                    && !matches!(c.order(), SentOrder::Set(s) if s.is_on())
            }
            EventKind::CommandRefused { device: d, reason } => {
                d == device && matches!(reason.as_str(), "offline" | "invalid")
            }
            _ => false,
        };
        if !events.iter().any(|e| of_it(&e)) {
            let what = format!("{device} was to be switched off by a person, and {events:?}");
            self.blame("I13", when.at_ms, what);
        }
    }

    pub(super) fn look_at_device(&mut self, farm: &FarmId, when: When, status: &DeviceStatus) {
        self.looked += 1;
        let key = (farm.clone(), status.spec.id.clone());
        let panel = self.panel_opened.contains(&key);
        let opened = self.may_open.get(&key).map_or(&[][..], |all| all);
        let watched = self.devices.entry(key).or_default();
        watched.max_on_ms = status.spec.max_on.map(harit_engine::Duration::as_millis);
        watched.max_pulse_s = status.spec.max_pulse.map(harit_engine::Duration::as_secs);
        watched.safe_is_on = status.spec.safe.is_on();
        let mut wrong = Vec::new();
        if status.locks != watched.locks {
            watched.steady_since = when.now_ms;
            if status.locks.is_empty() {
                watched.offs.push(when.now_ms);
            }
            // **I12**: a lock is opened by its own: a controller's by its panel, a person's and the engine's by a person.
            for lock in &watched.locks {
                let holds = status.locks.iter().any(|l| is_same(l, lock));
                if !holds && !may_be_gone(lock, opened, panel) {
                    wrong.push((
                        "I12 lock",
                        format!(
                            "the lock {lock:?} of {} is gone, and nobody opened it",
                            status.spec.id
                        ),
                    ));
                }
            }
            watched.locks.clone_from(&status.locks);
        }
        let wanted = status.online && status.last_sent.is_some_and(harit_engine::Setting::is_on);
        match (wanted, watched.wanted.last_mut()) {
            (true, None | Some((_, Some(_)))) => watched.wanted.push((when.now_ms, None)),
            (false, Some((_, end @ None))) => *end = Some(when.now_ms),
            _ => {}
        }
        // **I10**: an override ends when it should, and is not there afterwards.
        if let Some(manual) = &status.manual
            && manual.until.as_millis() <= when.engine_ms
        {
            wrong.push((
                "I10",
                format!(
                    "the manual mode of {} ended {} ms ago and is still there",
                    status.spec.id,
                    when.engine_ms - manual.until.as_millis()
                ),
            ));
        }
        // **I9**: an on period does not outlive its limit.
        if let Some(until) = status.max_on_at
            && until.as_millis() <= when.engine_ms
        {
            wrong.push((
                "I9 period",
                format!("{} is on for longer than it may", status.spec.id),
            ));
        }
        for (checker, what) in wrong {
            self.blame(checker, when.at_ms, what);
        }
    }
}

/// The id of whose lock it is.
fn whose(lock: &DeviceLock) -> &str {
    lock.owner.as_deref().map_or("", |o| &o.user_id)
}

fn is_same(a: &DeviceLock, b: &DeviceLock) -> bool {
    a.kind == b.kind && whose(a) == whose(b)
}

/// Whether somebody opened the lock who may: its panel, or a person who named it.
fn may_be_gone(lock: &DeviceLock, opened: &[Lock], panel: bool) -> bool {
    let by = |change: &Lock| match change {
        Lock::Engage { .. } => false,
        Lock::Open { kind, user } => {
            // Whose it is matters only where each person has one.
            let own = |user: &str| !kind.is_personal() || user == whose(lock);
            lock.kind == *kind && user.as_deref().is_none_or(own)
        }
        // The first version's lock takes the place of another of that version.
        Lock::Replace { .. } => match lock.kind {
            LockKind::MaxOn => true,
            LockKind::Person => whose(lock).is_empty(),
            _ => false,
        },
        Lock::OpenAll => true,
    };
    panel && lock.kind == LockKind::Controller || opened.iter().any(by)
}
