//! Devices that do not do what they should although they did and nobody told them otherwise: when they are told again, and
//! which are locked until a person has looked.
//!
//! A lease ran out that was not renewed in time, somebody switched the machine by hand, its thermal switch tripped: the
//! controller says that it is off, and nobody sent it anything. Telling it again is right for the first two and may ruin the
//! third. So it is done a few times, and then the device is locked: that tells people, and one of them unlocks it. A
//! controller that says that the lease ran out says that it is not the third: the network lost the renewals. (A device that
//! goes on at the end of a lease, in a setting of its controller's, does not what it was told either.)
//!
//! A device that kept to it for a while is told at once. One that did not, or never did, is told when it has drifted for
//! as long: what trips at once is not pressed, and a report that crossed a command on its way is no drift. It needs no
//! report for that, because none may come (a command is lost, or ignored by a controller whose clock is ahead): the time is
//! a deadline of the farm.

mod retries;

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::{
    DeviceId, DeviceRef, Duration, Engine, InputKind, Lock, LockKind, Setting, Status, Timestamp,
    planted,
};
use harit_protocol::Report;

use super::{Controllers, Device};
use crate::status::Reported;
use retries::Note;
pub(crate) use retries::Retries;

/// For how long a device must have done what it should, so that it is told again at once; and for how long it must have
/// drifted, so that it is told again where it did not.
const STEADY: Duration = Duration::from_secs(30);
/// What is looked at, and when: the devices that drift, and those that were commanded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reconciler {
    drifting: BTreeSet<DeviceId>,
    /// When it is seen whether a device that was commanded did it.
    seen_at: BTreeMap<DeviceId, Timestamp>,
    in_order: BTreeSet<(Timestamp, DeviceId)>,
}

impl Reconciler {
    /// When devices that were commanded are looked at.
    pub(crate) fn commanded(&self) -> BTreeMap<DeviceId, Timestamp> {
        self.seen_at
            .iter()
            .map(|(d, at)| (d.clone(), *at))
            .collect()
    }

    pub(crate) fn look_at(&mut self, device: &DeviceId, seen: Timestamp) {
        self.overlook(device);
        self.seen_at.insert(device.clone(), seen);
        self.in_order.insert((seen, device.clone()));
    }

    pub(crate) fn drifts(&mut self, device: &DeviceId) {
        self.drifting.insert(device.clone());
    }

    pub(crate) fn ends(&mut self, device: &DeviceId) {
        self.drifting.remove(device);
    }

    /// The device is there no more.
    pub(crate) fn forget(&mut self, device: &DeviceId) {
        self.ends(device);
        self.overlook(device);
    }

    fn overlook(&mut self, device: &DeviceId) {
        if let Some(seen) = self.seen_at.remove(device) {
            self.in_order.remove(&(seen, device.clone()));
        }
    }

    fn next(&self) -> Option<Timestamp> {
        self.in_order.first().map(|(at, _)| *at)
    }

    fn take_due(&mut self, at: Timestamp) -> Option<DeviceId> {
        self.next().filter(|next| *next <= at)?;
        let (_, device) = self.in_order.pop_first()?;
        self.seen_at.remove(&device);
        Some(device)
    }
}

/// What is done about a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    /// Nothing now.
    None,
    /// It is looked at then, if not before.
    LookAt(Timestamp),
    /// What holds for it is sent under a new id, because a controller ignores the one that it knows.
    Correct,
    /// It is locked, which sends its safe setting.
    Lock(LockKind),
}

/// What is decided about a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) device: DeviceId,
    note: Option<Note>,
    action: Action,
}

impl Decision {
    /// The engine's input that it leads to.
    pub(crate) fn input(&self) -> Option<InputKind> {
        match self.action {
            Action::None | Action::LookAt(_) => None,
            Action::Correct => Some(InputKind::Correct(self.device.clone())),
            Action::Lock(kind) => Some(InputKind::Status {
                device: self.device.clone(),
                status: Status {
                    lock: Some(Lock::Engage {
                        kind,
                        reason: kind.as_str().replace('_', " ").into(),
                    }),
                    ..Status::default()
                },
            }),
        }
    }
}

impl Controllers {
    /// What is decided about devices of a report. Those that come back, that their controller locks or whose lock it opens
    /// get what holds for them anyway.
    pub(crate) fn judge(
        &self,
        engine: &Engine,
        c: u32,
        at: Timestamp,
        report: &Report,
    ) -> Vec<Decision> {
        let controller = self.get(c);
        if !report.online || !controller.online {
            return Vec::new();
        }
        let said = report.devices.iter().flatten();
        said.filter_map(|said| {
            let known = controller.devices.get(&*said.id)?;
            let is = engine.device_ref(known.id.as_str())?;
            let meant = Intended::of(is)?;
            let locked = match &said.lock {
                Some(lock) => lock.is_some(),
                None => known.lock.is_some(),
            };
            let safety = said.safety.unwrap_or(known.safety);
            if !is.online || locked || safety {
                return None;
            }
            // What its panel locked and now opens is locked here by somebody else, or was unlocked here before: no lock opens
            // here with it, and what was sent meanwhile was refused.
            let others = is.locks.iter().any(|l| l.kind != LockKind::Controller);
            let freed = known.lock.is_some() && (others || is.locks.is_empty())
                || known.safety && !is.safety;
            let rests = !meant.on && said.on == Some(false);
            let (note, action) = if freed && rests {
                return None;
            } else if freed {
                (None, Action::Correct)
            } else {
                let lease_over = said.lease_over == Some(true);
                known.judge(meant, Reported::of(said, at)?, lease_over)?
            };
            Some(Decision {
                device: known.id.clone(),
                note,
                action,
            })
        })
        .collect()
    }

    /// Everything is told anew: what drifts has its time from now on, and every device is looked at. (Not everything is sent
    /// anew: what a pulse is at work on, for one.)
    pub(crate) fn resumed(&mut self, at: Timestamp) {
        let devices: Vec<DeviceId> = self.reachable().cloned().collect();
        for device in devices {
            self.reconciler.look_at(&device, at + STEADY);
        }
        for device in self.reconciler.drifting.clone() {
            if let Some(known) = self.device_mut(&device)
                && let Some(drift) = &mut known.retries.drift
            {
                drift.since = at;
            }
        }
    }

    /// A setting was sent to a device.
    pub(crate) fn commanded(&mut self, device: &DeviceId, at: Timestamp) {
        self.reconciler.look_at(device, at + STEADY);
    }

    /// When something is to be decided about a device that may drift.
    pub(crate) fn next_deadline(&self, engine: &Engine) -> Option<Timestamp> {
        let drifting = self.reconciler.drifting.iter().filter_map(|id| {
            let (known, meant) = self.can_be_told(engine, id)?;
            known.decided_at(meant)
        });
        drifting.chain(self.reconciler.next()).min()
    }

    /// When something is to be decided about that device.
    #[must_use]
    pub fn decided_at(&self, engine: &Engine, device: &DeviceId) -> Option<Timestamp> {
        let (known, meant) = self.can_be_told(engine, device)?;
        let seen = self.reconciler.seen_at.get(device).copied();
        known.decided_at(meant).into_iter().chain(seen).min()
    }

    /// What is decided by now about devices that have drifted for long enough.
    pub(crate) fn overdue(&mut self, engine: &Engine, at: Timestamp) -> Vec<Decision> {
        let mut all = Vec::new();
        for id in &self.reconciler.drifting {
            if let Some((known, meant)) = self.can_be_told(engine, id)
                && let Some((note, action)) = known.decide(meant, at)
            {
                all.push(Decision {
                    device: known.id.clone(),
                    note,
                    action,
                });
            }
        }
        let mut at_work = Vec::new();
        while let Some(device) = self.reconciler.take_due(at) {
            let Some((known, meant)) = self.can_be_told(engine, &device) else {
                continue;
            };
            let Some(meant) = known.contradicts(meant) else {
                continue;
            };
            if known.retries.is_drifting() || planted!(DriftForgotten) {
                continue;
            }
            if meant.from > at {
                at_work.push((device, meant.from));
            } else {
                all.push(Decision {
                    device,
                    note: Some(Note::ToldFreely),
                    action: Action::Correct,
                });
            }
        }
        for (device, ends) in at_work {
            self.reconciler.look_at(&device, ends);
        }
        all
    }

    /// Notes what was decided about a device.
    pub(crate) fn note(&mut self, decision: &Decision, at: Timestamp) {
        if let Action::LookAt(then) = decision.action
            && !self.reconciler.seen_at.contains_key(&decision.device)
        {
            self.reconciler.look_at(&decision.device, then);
        }
        let Some(note) = decision.note else { return };
        let Some(known) = self.device_mut(&decision.device) else {
            return;
        };
        known.retries.note(at, note);
        if known.retries.is_drifting() && !planted!(DriftForgotten) {
            self.reconciler.drifts(&decision.device);
        } else {
            self.reconciler.ends(&decision.device);
        }
    }

    /// The devices that do not do what they were told, and since when.
    pub(crate) fn drifting(
        &self,
        engine: &Engine,
        now: Timestamp,
    ) -> impl Iterator<Item = (DeviceId, Timestamp)> {
        self.reconciler.drifting.iter().filter_map(move |id| {
            let (known, meant) = self.can_be_told(engine, id)?;
            let meant = known.contradicts(meant)?;
            let began = known.retries.drift?.began();
            (meant.from <= now).then(|| (id.clone(), began))
        })
    }

    /// A device that hears what it is told and is not kept from it at its panel, with what is meant of it.
    fn can_be_told(
        &self,
        engine: &Engine,
        device: &DeviceId,
    ) -> Option<(&Device, Option<Intended>)> {
        let (controller, known) = self.device(device)?;
        let is = engine.device_ref(device.as_str())?;
        let hears = controller.online && is.online && !known.gone;
        let kept_off = known.lock.is_some() || known.safety;
        (hears && !kept_off).then_some((known, Intended::of(is)))
    }
}

/// What a device is to do.
#[derive(Debug, Clone, Copy)]
struct Intended {
    on: bool,
    /// From when on: a pulse that was sent may be at work for a little longer than it takes.
    from: Timestamp,
    /// Whether it is locked.
    locked: bool,
}

impl Intended {
    /// As far as the device was told: a pulse ends in off, and a lock has a safe setting even where nothing was ever sent.
    /// `None` of a device that was left to its people so far.
    fn of(is: DeviceRef<'_>) -> Option<Self> {
        let always = Timestamp::from_millis(i64::MIN);
        let locked = !is.locks.is_empty();
        let (setting, from) = match (is.last_sent, is.pulse_until) {
            (Some(sent), _) => (sent, always),
            (None, _) if locked => (is.safe, always),
            (None, Some(until)) => (Setting::Off, until + STEADY),
            (None, None) => return None,
        };
        Some(Self {
            on: setting.is_on(),
            from,
            locked,
        })
    }

    /// Whether a device that reports this does it.
    fn is_done_by(self, report: Reported) -> bool {
        report.on == self.on && !report.by_lease_end
    }
}

impl Device {
    /// What a report says of whether it keeps to what it was told.
    fn judge(
        &self,
        meant: Intended,
        does: Reported,
        lease_over: bool,
    ) -> Option<(Option<Note>, Action)> {
        let at = does.at;
        if meant.is_done_by(does) {
            return (self.retries.is_drifting()).then_some((Some(Note::Over), Action::None));
        }
        if at < meant.from {
            // A pulse is at work, and ends by itself.
            return Some((None, Action::LookAt(meant.from)));
        }
        let did = self.reported.is_some_and(|r| meant.is_done_by(r));
        let steady = self.since.is_some_and(|since| since + STEADY <= at);
        if !did && self.retries.is_drifting() {
            // What was noted has its deadline.
            return None;
        }
        Some(if !did || lease_over && !steady {
            (Some(Note::Unheeded), Action::None)
        } else if !steady {
            (Some(Note::Begun), Action::None)
        } else if lease_over {
            // The network's fault, and none of the machine's.
            (Some(Note::ToldFreely), Action::Correct)
        } else if does.on {
            // What goes on by itself is always switched off, and looked at again.
            (Some(Note::Begun), Action::Correct)
        } else {
            self.correct_or_lock(meant, true, at)
        })
    }

    /// What is done about it now.
    fn correct_or_lock(
        &self,
        meant: Intended,
        counts: bool,
        at: Timestamp,
    ) -> (Option<Note>, Action) {
        if !counts {
            return (Some(Note::ToldFreely), Action::Correct);
        }
        // Where it is locked and off, people know, and switching off burns nothing.
        if self.retries.allowed_from() <= at || meant.locked && !meant.on {
            return (Some(Note::ToldAgain), Action::Correct);
        }
        if meant.locked {
            // People know. It is told again when it may be.
            return (Some(Note::Begun), Action::None);
        }
        let why = if meant.on {
            LockKind::KeepsStopping
        } else {
            LockKind::KeepsStarting
        };
        (Some(Note::GivenUp), Action::Lock(why))
    }

    /// What is meant of it now, if it does not do that.
    fn contradicts(&self, meant: Option<Intended>) -> Option<Intended> {
        meant.filter(|meant| self.reported.is_some_and(|r| !meant.is_done_by(r)))
    }

    /// When something is decided about it.
    fn decided_at(&self, meant: Option<Intended>) -> Option<Timestamp> {
        let drift = self.retries.drift?;
        let Some(meant) = self.contradicts(meant) else {
            // Something else is meant of it now than when it began, or nothing: that is over, at once.
            return Some(drift.since);
        };
        let ends = drift.patience_ends().max(meant.from);
        Some(if drift.counts && meant.locked && meant.on {
            ends.max(self.retries.allowed_from())
        } else {
            ends
        })
    }

    /// What is decided about it when that time has come.
    fn decide(&self, meant: Option<Intended>, at: Timestamp) -> Option<(Option<Note>, Action)> {
        let drift = self.retries.drift?;
        let due = self.decided_at(meant)? <= at;
        due.then(|| match self.contradicts(meant) {
            Some(meant) => self.correct_or_lock(meant, drift.counts, at),
            None => (Some(Note::Over), Action::None),
        })
    }
}
