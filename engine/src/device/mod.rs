//! Devices: who may set them, what is sent to them, and nothing without a cause.
//!
//! A rule never sends anything. It puts a *claim* on a device, and what the device should do is a pure function of its
//! claims: the winner's setting, or the rest setting without any. At the end of each round every device that needs it is
//! *settled*: if nothing outranks the rules (locks, then safety, then people) and what it should do differs from what was
//! last sent, that is sent. Only here (`send`) is a [`Command`] made. What people want stands in `manual`.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::document::{DeviceSpec, DeviceStateSpec};
use crate::event::{EventKind, RefuseReason, SuppressReason};
use crate::id::RuleId;
use crate::input::Status;
use crate::lock::{Lock, LockKind, Locks, MAX_ON, Owner};
use crate::setting::Setting;
use crate::table::Keyed;
use crate::time::{Duration, Timestamp};

mod claims;
mod command;
mod ledger;
mod limits;
mod manual;
mod send;

pub(crate) use claims::{Claim, Claims};
pub(crate) use command::Outbox;
pub use command::{Cause, Command};
pub(crate) use ledger::Ledger;
pub(crate) use limits::{Around, Limited, Seen, by_turn};

/// For how long a device stays off after its last lock was opened and that opened a stop.
const AFTER_STOP: Duration = Duration::from_secs(10);

/// A person has the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ManualMode {
    /// The setting to keep; `None` while a pulse runs.
    pub(crate) setting: Option<Setting>,
    pub(crate) until: Timestamp,
    pub(crate) admin: bool,
    pub(crate) owner: Option<Arc<Owner>>,
}

/// Seconds of a pulse that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pulse {
    pub(crate) at: Timestamp,
    pub(crate) secs: u8,
    /// Whose it is, if a rule's; snapshots of before do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<RuleId>,
}

/// A device and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Device {
    pub(crate) spec: Box<DeviceSpec>,
    pub(crate) online: bool,
    pub(crate) locks: Locks,
    pub(crate) safety: bool,
    /// Whether it is reported to be on.
    pub(crate) running: Option<bool>,
    pub(crate) manual: Option<ManualMode>,
    pub(crate) claims: Claims,
    /// The last setting sent; `None` while it is unknown.
    pub(crate) last_sent: Option<Setting>,
    /// Whether anything was ever sent to it, or it came online.
    pub(crate) commanded: bool,
    pub(crate) ever_claimed: bool,
    /// Since when it is on, as far as what was sent tells.
    pub(crate) on_since: Option<Timestamp>,
    pub(crate) pulses: VecDeque<Pulse>,
    /// What it remembers for its limits, where it has some or another device needs it.
    pub(crate) limited: Option<Box<Limited>>,
    /// Whether it is to be settled in the present round.
    pub(crate) needs_settle: bool,
    /// Whether a pulse was sent to it in the present round.
    pub(crate) pulsed: bool,
    /// Whether something was done to it in the present round.
    pub(crate) in_round: bool,
}

impl Keyed for Device {
    type Key = [u8];
    fn key(&self) -> &[u8] {
        self.spec.id.as_str().as_bytes()
    }
}

impl Device {
    pub(crate) fn new(spec: DeviceSpec) -> Self {
        Self {
            online: spec.online,
            locks: Locks::of_document(&spec.state.locks, spec.state.lock.as_deref()),
            safety: spec.state.mode.as_deref() == Some("safety"),
            spec: Box::new(spec),
            running: None,
            manual: None,
            claims: Claims::default(),
            last_sent: None,
            commanded: false,
            ever_claimed: false,
            on_since: None,
            pulses: VecDeque::new(),
            limited: None,
            needs_settle: false,
            pulsed: false,
            in_round: false,
        }
    }

    /// The document as it is stored now, with the present status.
    pub(crate) fn document(&self) -> DeviceSpec {
        let mode = if self.safety {
            Some("safety".to_owned())
        } else {
            None
        };
        let state = DeviceStateSpec {
            lock: self.locks.iter().next().map(|l| l.reason.to_string()),
            locks: self.locks.to_vec(),
            mode,
        };
        DeviceSpec {
            online: self.online,
            state,
            ..(*self.spec).clone()
        }
    }

    /// What it should do, and why, as far as rules go.
    pub(crate) fn desired(&self) -> (Setting, Cause) {
        match self.claims.winner() {
            Some(w) => (w.setting, Cause::Rule(w.rule_id.clone())),
            None => (self.spec.rest, Cause::Rest),
        }
    }

    pub(crate) fn manual_deadline(&self) -> Option<Timestamp> {
        let manual = self
            .manual
            .as_ref()
            .filter(|_| !planted!(OverrideNeverEnds));
        manual.map(|m| m.until)
    }

    pub(crate) fn max_on_deadline(&self) -> Option<Timestamp> {
        let since = self.on_since.filter(|_| !planted!(MaxOnIgnored));
        Some(since? + self.spec.max_on?)
    }

    // ---- rules ----

    pub(crate) fn claim(&mut self, claim: Claim) {
        self.ever_claimed = true;
        // The same again is no change of the claim.
        self.needs_settle |= self.claims.put(claim);
    }

    /// A claim's curve has moved.
    pub(crate) fn follow(&mut self, rule: u32, setting: Setting) {
        self.needs_settle |= self.claims.set(rule, setting);
    }

    pub(crate) fn drop_claim(&mut self, rule: u32) {
        self.needs_settle |= self.claims.drop(rule);
    }

    /// A rule has stopped: its claim ends, if it does not linger.
    pub(crate) fn let_go(&mut self, rule: u32, now: Timestamp) {
        self.needs_settle |= self.claims.let_go(rule, now);
    }

    /// Claims that end by themselves are over.
    pub(crate) fn claims_due(&mut self, out: &mut Outbox<'_>) {
        self.needs_settle |= self.claims.end_due(out.now);
    }

    /// A rule's pulse: sent, or reported with the first reason why not.
    pub(crate) fn rule_pulse(
        &mut self,
        rule: u32,
        rule_id: &RuleId,
        priority: u8,
        secs: u8,
        out: &mut Outbox<'_>,
    ) {
        let outranked = self
            .claims
            .winner()
            .is_some_and(|w| w.rule != rule && w.priority > priority);
        let reason = if !self.online {
            Some(SuppressReason::Offline)
        } else if self.is_locked() {
            Some(SuppressReason::Locked)
        } else if self.safety {
            Some(SuppressReason::Safety)
        } else if self.manual.is_some() {
            Some(SuppressReason::Manual)
        } else if outranked {
            Some(SuppressReason::Outranked)
        } else if self.desired().0.is_on() {
            Some(SuppressReason::On)
        } else if !self.pulse_fits(secs, out.now) {
            Some(SuppressReason::MaxOn)
        } else {
            self.may_not_pulse(secs, out).map(Into::into)
        };
        match reason {
            Some(reason) => out.emit(EventKind::CommandSuppressed {
                device: self.spec.id.clone(),
                rule: rule_id.clone(),
                reason,
            }),
            None => self.send_pulse(secs, Cause::Rule(rule_id.clone()), None, out),
        }
    }

    /// Sees to what its limits require, and sends what it should do, if nothing outranks the rules and that is not what was
    /// last sent.
    pub(crate) fn settle(&mut self, out: &mut Outbox<'_>) {
        let touched = std::mem::take(&mut self.needs_settle);
        match self.limited.as_mut() {
            Some(limited) => {
                let looked = std::mem::take(&mut limited.look);
                self.settle_limited(touched, looked, out);
            }
            None => self.settle_on(self.wanted(), None, out),
        }
    }

    /// Whether it does what rules want.
    pub(super) fn is_free(&self) -> bool {
        let available =
            self.online && self.locks.is_empty() && !self.safety && self.manual.is_none();
        available && (self.commanded || self.ever_claimed)
    }

    /// Sends a setting if the device is free for it and that is not what was last sent; for the winner, unless another cause is
    /// given.
    pub(super) fn settle_on(
        &mut self,
        wanted: Setting,
        cause: Option<Cause>,
        out: &mut Outbox<'_>,
    ) {
        let is_sent = self.last_sent == Some(wanted) || (self.pulsed && !wanted.is_on());
        if !self.is_free() || is_sent {
            return;
        }
        let cause = cause.unwrap_or_else(|| self.desired().1);
        self.send(wanted, cause, None, out);
    }

    /// What it should do as far as rules go.
    pub(super) fn wanted(&self) -> Setting {
        self.claims.winner().map_or(self.spec.rest, |w| w.setting)
    }

    // ---- status, locks and safety ----

    pub(crate) fn status(&mut self, status: &Status, out: &mut Outbox<'_>) {
        let opening = status.lock.as_ref().filter(|l| l.is_opening());
        if let Some(change) = status.lock.as_ref().filter(|l| !l.is_opening()) {
            self.engage(change, status.owner.as_ref(), out);
        }
        if status.safety == Some(true) && !self.safety {
            self.safety = true;
            self.end_manual(out);
            self.send_safe(Cause::Safety, out);
        }
        self.running = status.running.unwrap_or(self.running);
        match status.online {
            Some(true) if !self.online => self.came_online(out),
            Some(online) => self.online = online,
            None => {}
        }
        if let Some(change) = opening.filter(|change| self.locks.opens(change)) {
            let stays_safe = self.safety && status.safety != Some(false);
            self.open(change, status.owner.as_ref(), stays_safe, out);
        }
        if status.safety == Some(false) && self.safety {
            self.safety = false;
            self.last_sent = None;
            self.needs_settle = true;
        }
    }

    /// Locks it, by one lock more or one that is there already.
    fn engage(&mut self, change: &Lock, owner: Option<&Arc<Owner>>, out: &mut Outbox<'_>) {
        let (was_locked, had) = (self.is_locked(), self.safe_setting());
        self.locks.change(change, owner, out.now);
        if !was_locked {
            self.end_manual(out);
            self.send_safe(self.lock_cause(), out);
        } else if self.safe_setting() != had && matches!(change, Lock::Engage { .. }) {
            self.send_safe(self.lock_cause(), out);
        }
    }

    /// Opens locks that hold. What the rest of them requires is sent where it is something else than before.
    fn open(
        &mut self,
        change: &Lock,
        owner: Option<&Arc<Owner>>,
        stays_safe: bool,
        out: &mut Outbox<'_>,
    ) {
        if !self.online {
            return self.refuse(RefuseReason::Offline, out);
        }
        let had = self.safe_setting();
        let opened = self.locks.change(change, owner, out.now);
        let other = self.safe_setting() != had;
        if self.is_locked() {
            if other {
                self.send_safe(self.lock_cause(), out);
            }
            return;
        }
        self.last_sent = None;
        self.needs_settle = true;
        if stays_safe {
            // The first version's unlocking sends nothing in safety.
            if other && *change != Lock::OpenAll {
                self.send_safe(Cause::Safety, out);
            }
        } else if opened.iter().any(|lock| lock.kind == LockKind::Stop) {
            // What the rules want is seen before it starts.
            self.manual = Some(ManualMode {
                setting: Some(Setting::Off),
                until: out.now + AFTER_STOP,
                admin: false,
                owner: owner.cloned(),
            });
            self.send(Setting::Off, Cause::Manual, owner.cloned(), out);
        }
    }

    /// Stops it: off and locked by that person, whatever its safe setting says, was sent before or locks it already.
    pub(crate) fn stop(&mut self, owner: &Arc<Owner>, out: &mut Outbox<'_>) {
        if planted!(StopMissesTheOffline) && !self.online {
            return;
        }
        let reason = owner.reason.clone().filter(|r| !r.is_empty());
        let change = Lock::Engage {
            kind: LockKind::Stop,
            reason: reason.unwrap_or_else(|| LockKind::Stop.as_str().into()),
        };
        self.locks.change(&change, Some(owner), out.now);
        self.end_manual(out);
        if self.online {
            self.send(Setting::Off, Cause::Stop, Some(owner.clone()), out);
        }
    }

    fn came_online(&mut self, out: &mut Outbox<'_>) {
        self.online = true;
        self.commanded = true;
        self.last_sent = None;
        if planted!(OnlineSendsNothing) {
            return;
        }
        self.send_what_holds(out);
    }

    /// Sends again what holds for it now, after something may have been lost.
    pub(crate) fn send_what_holds(&mut self, out: &mut Outbox<'_>) {
        if self.is_locked() {
            self.send_safe(self.lock_cause(), out);
        } else if let Some(m) = self.manual.clone().filter(|m| m.admin || !self.safety) {
            if let Some(setting) = m.setting {
                self.send(setting, Cause::Manual, m.owner, out);
            }
        } else if self.safety {
            self.send_safe(Cause::Safety, out);
        } else {
            self.last_sent = None;
            self.needs_settle = true;
        }
    }

    /// Sends again what holds for it, under a new id, because it does not do it.
    pub(crate) fn correct(&mut self, out: &mut Outbox<'_>) {
        if !self.online {
            return;
        }
        self.commanded = true;
        self.last_sent = None;
        if self.is_locked() {
            self.send_safe(Cause::Corrected, out);
        } else if let Some(m) = self.manual.clone().filter(|m| m.admin || !self.safety) {
            if let Some(setting) = m.setting {
                self.send(setting, Cause::Corrected, m.owner, out);
            }
        } else if self.safety {
            self.send_safe(Cause::Corrected, out);
        } else {
            let (setting, held) = self.within_limits(self.wanted(), out);
            self.needs_settle |= held.is_some();
            self.send(setting, Cause::Corrected, None, out);
        }
    }

    /// The safe setting, also if that was the last one sent: it ends a pulse too.
    fn send_safe(&mut self, cause: Cause, out: &mut Outbox<'_>) {
        if self.online && self.commanded {
            self.send(self.safe_setting(), cause, None, out);
        }
    }

    pub(crate) const fn is_locked(&self) -> bool {
        !self.locks.is_empty()
    }

    /// Why it gets what its locks require.
    fn lock_cause(&self) -> Cause {
        if self.locks.holds(LockKind::Stop) {
            Cause::Stop
        } else {
            Cause::Lock
        }
    }

    /// What it is to do while it is locked or in safety mode.
    pub(crate) fn safe_setting(&self) -> Setting {
        if self.locks.require_off() {
            Setting::Off
        } else {
            self.spec.safe
        }
    }

    /// It was on for as long as it may.
    pub(crate) fn max_on_due(&mut self, out: &mut Outbox<'_>) {
        let was_on = self.on_since.take().is_some();
        self.note_sent(Setting::OFF, was_on, out.now);
        if self.is_locked() {
            return;
        }
        let change = Lock::Engage {
            kind: LockKind::MaxOn,
            reason: MAX_ON.into(),
        };
        self.locks.change(&change, None, out.now);
        out.emit(EventKind::DeviceLocked {
            device: self.spec.id.clone(),
            reason: MAX_ON.into(),
        });
        self.end_manual(out);
        if self.online {
            self.send(Setting::Off, Cause::MaxOn, None, out);
        }
    }
}
