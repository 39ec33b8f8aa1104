//! Devices: who may set them, what is sent to them, and nothing without a cause.
//!
//! A rule never sends anything. It puts a *claim* on a device, and what the device should do is a pure function of its
//! claims: the winner's setting, or the rest setting without any. At the end of each round every device that was touched is
//! *settled*: if nothing outranks the rules (locks, then safety, then people) and what it should do differs from what was
//! last sent, that is sent. This is the only place that makes a [`Command`].

use std::cmp::{Ordering, Reverse};
use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::document::{DeviceSpec, DeviceStateSpec};
use crate::event::{Event, EventKind, RefuseReason, SuppressReason};
use crate::id::{CommandId, DeviceId, FarmId, RuleId};
use crate::input::{Lock, Manual, ManualKind, Owner, Status};
use crate::setting::{Order, SentOrder, Setting};
use crate::table::Keyed;
use crate::time::{Duration, MAX_DURATION, Timestamp};

/// The reason of the lock that a device gets when it was on for too long.
const MAX_ON: &str = "max_on";
/// Over which time the seconds of pulses are summed.
const PULSE_WINDOW: Duration = Duration::from_secs(3_600);

/// An order to a device, with its cause. Only the engine makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    id: CommandId,
    device: DeviceId,
    order: SentOrder,
    cause: Cause,
    owner: Option<Arc<Owner>>,
    until: Option<Timestamp>,
}

impl Command {
    /// Its id: the same log yields the same ids.
    #[must_use]
    pub const fn id(&self) -> &CommandId {
        &self.id
    }

    /// The device it is for.
    #[must_use]
    pub const fn device(&self) -> &DeviceId {
        &self.device
    }

    /// What the device is to do.
    #[must_use]
    pub const fn order(&self) -> SentOrder {
        self.order
    }

    /// Why.
    #[must_use]
    pub const fn cause(&self) -> &Cause {
        &self.cause
    }

    /// The person behind it, if its cause is a manual command and the person was named.
    #[must_use]
    pub const fn owner(&self) -> Option<&Arc<Owner>> {
        self.owner.as_ref()
    }

    /// Until when the manual mode lasts that it belongs to.
    #[must_use]
    pub const fn until(&self) -> Option<Timestamp> {
        self.until
    }
}

/// Why a command was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// A rule wants it.
    Rule(RuleId),
    /// Nobody claims the device.
    Rest,
    /// A person wants it.
    Manual,
    /// The device is locked.
    Lock,
    /// The device is in safety mode.
    Safety,
    /// The device was on for too long.
    MaxOn,
}

impl Cause {
    /// The word for it in events: the rule's id, or rest, manual, lock, safety, max_on.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Rule(id) => id.as_str(),
            Self::Rest => "rest",
            Self::Manual => "manual",
            Self::Lock => "lock",
            Self::Safety => "safety",
            Self::MaxOn => MAX_ON,
        }
    }
}

/// Where commands and events of the present instant go.
pub(crate) struct Outbox<'a> {
    pub(crate) now: Timestamp,
    pub(crate) farm: &'a FarmId,
    /// The farm's count of commands.
    pub(crate) commands: &'a mut u64,
    pub(crate) events: &'a mut Vec<Event>,
}

impl Outbox<'_> {
    pub(crate) fn tell(&mut self, kind: EventKind) {
        self.events.push(Event { at: self.now, kind });
    }
}

/// A rule's hold on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) rule: u32,
    pub(crate) rule_id: RuleId,
    pub(crate) priority: u8,
    pub(crate) narrowness: u8,
    pub(crate) at: Timestamp,
    pub(crate) setting: Setting,
}

impl Claim {
    fn by_strength(&self, other: &Self) -> Ordering {
        let key = |c: &Self| (Reverse(c.priority), Reverse(c.narrowness), c.at);
        key(self)
            .cmp(&key(other))
            .then_with(|| match planted!(UnstableTieBreak) {
                true => other.rule_id.cmp(&self.rule_id),
                false => self.rule_id.cmp(&other.rule_id),
            })
    }
}

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pulse {
    pub(crate) at: Timestamp,
    pub(crate) secs: u8,
}

/// A device and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Device {
    pub(crate) spec: Box<DeviceSpec>,
    pub(crate) online: bool,
    pub(crate) lock: Option<Arc<str>>,
    pub(crate) safety: bool,
    pub(crate) manual: Option<ManualMode>,
    pub(crate) claims: Vec<Claim>,
    /// The last setting sent; `None` while it is unknown.
    pub(crate) last_sent: Option<Setting>,
    /// Whether anything was ever sent to it, or it came online.
    pub(crate) commanded: bool,
    pub(crate) ever_claimed: bool,
    /// Since when it is on, as far as what was sent tells.
    pub(crate) on_since: Option<Timestamp>,
    pub(crate) pulses: VecDeque<Pulse>,
    /// Whether it is to be settled in the present round.
    pub(crate) touched: bool,
    /// Whether a pulse was sent to it in the present round.
    pub(crate) pulsed: bool,
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
            lock: spec.state.lock.as_deref().map(Arc::from),
            safety: spec.state.mode.as_deref() == Some("safety"),
            spec: Box::new(spec),
            manual: None,
            claims: Vec::new(),
            last_sent: None,
            commanded: false,
            ever_claimed: false,
            on_since: None,
            pulses: VecDeque::new(),
            touched: false,
            pulsed: false,
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
            lock: self.lock.as_deref().map(str::to_owned),
            mode,
        };
        DeviceSpec {
            online: self.online,
            state,
            ..(*self.spec).clone()
        }
    }

    /// The claim that decides: the highest priority, then the narrower scope, the earlier claim, the smaller rule id.
    pub(crate) fn winner(&self) -> Option<&Claim> {
        self.claims.iter().min_by(|a, b| a.by_strength(b))
    }

    /// All claims, the winner first.
    pub(crate) fn claims_by_strength(&self) -> Vec<&Claim> {
        let mut claims: Vec<&Claim> = self.claims.iter().collect();
        claims.sort_by(|a, b| a.by_strength(b));
        claims
    }

    /// What it should do, and why, as far as rules go.
    pub(crate) fn desired(&self) -> (Setting, Cause) {
        self.winner().map_or((self.spec.rest, Cause::Rest), |w| {
            (w.setting, Cause::Rule(w.rule_id.clone()))
        })
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
        match self.claims.iter_mut().find(|c| c.rule == claim.rule) {
            // The same again is no change of the claim.
            Some(own) if own.setting == claim.setting => {}
            Some(own) => {
                own.setting = claim.setting;
                self.touched = true;
            }
            None => {
                self.claims.push(claim);
                self.touched = true;
            }
        }
    }

    pub(crate) fn drop_claim(&mut self, rule: u32) {
        let before = self.claims.len();
        self.claims.retain(|c| c.rule != rule);
        self.touched |= self.claims.len() != before;
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
            .winner()
            .is_some_and(|w| w.rule != rule && w.priority > priority);
        let reason = if !self.online {
            Some(SuppressReason::Offline)
        } else if self.lock.is_some() {
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
            None
        };
        match reason {
            Some(reason) => out.tell(EventKind::CommandSuppressed {
                device: self.spec.id.clone(),
                rule: rule_id.clone(),
                reason,
            }),
            None => self.send_pulse(secs, Cause::Rule(rule_id.clone()), None, out),
        }
    }

    /// Sends what it should do, if nothing outranks the rules and that is not what was last sent.
    pub(crate) fn settle(&mut self, out: &mut Outbox<'_>) {
        self.touched = false;
        let available = self.online && self.lock.is_none() && !self.safety && self.manual.is_none();
        if !available || !(self.commanded || self.ever_claimed) {
            return;
        }
        let (setting, cause) = self.desired();
        if self.last_sent == Some(setting) || (self.pulsed && !setting.is_on()) {
            return;
        }
        self.send(setting, cause, None, out);
    }

    // ---- people ----

    pub(crate) fn manual(&mut self, m: &Manual, out: &mut Outbox<'_>) {
        let Some(wish) = Wish::of(m, self) else {
            return self.refuse(RefuseReason::Invalid, out);
        };
        let outranked = if self.lock.is_some() && !(planted!(AdminPassesLock) && m.admin) {
            Some(RefuseReason::Locked)
        } else {
            (self.safety && !m.admin).then_some(RefuseReason::Safety)
        };
        if !self.online {
            return self.refuse(RefuseReason::Offline, out);
        }
        if let Some(reason) = outranked {
            // Everyone may switch off.
            let may = !planted!(LockedCannotBeSwitchedOff);
            if may
                && matches!(
                    wish,
                    Wish::Override {
                        setting: Setting::Off,
                        ..
                    }
                )
            {
                self.end_manual(out);
                self.send(Setting::Off, Cause::Manual, m.owner.clone(), out);
            } else {
                self.refuse(reason, out);
            }
            return;
        }
        match wish {
            Wish::Override { length: None, .. } => self.refuse(RefuseReason::Invalid, out),
            Wish::Override {
                setting,
                length: Some(length),
            } => {
                self.manual = Some(ManualMode {
                    setting: Some(setting),
                    until: out.now + length,
                    admin: m.admin,
                    owner: m.owner.clone(),
                });
                self.send(setting, Cause::Manual, m.owner.clone(), out);
            }
            Wish::Pulse { secs } if !self.pulse_fits(secs, out.now) => {
                self.refuse(RefuseReason::MaxOn, out);
            }
            Wish::Pulse { secs } => {
                let until = out.now + Duration::from_secs(secs.into());
                self.manual = Some(ManualMode {
                    setting: None,
                    until,
                    admin: m.admin,
                    owner: m.owner.clone(),
                });
                self.send_pulse(secs, Cause::Manual, m.owner.clone(), out);
            }
            Wish::Release => {
                self.manual = None;
                self.last_sent = None;
                self.emit(SentOrder::Release, Cause::Manual, m.owner.clone(), out);
                if self.safety {
                    self.send_safe(Cause::Safety, out);
                }
                self.touched = true;
            }
        }
    }

    fn refuse(&self, reason: RefuseReason, out: &mut Outbox<'_>) {
        out.tell(EventKind::CommandRefused {
            device: self.spec.id.clone(),
            reason,
        });
    }

    /// The manual mode's deadline has come.
    pub(crate) fn manual_due(&mut self, out: &mut Outbox<'_>) {
        self.end_manual(out);
        if self.safety {
            self.send_safe(Cause::Safety, out);
        }
        self.touched = true;
    }

    fn end_manual(&mut self, out: &mut Outbox<'_>) {
        if self.manual.take().is_some() {
            out.tell(EventKind::ManualEnded {
                device: self.spec.id.clone(),
            });
        }
    }

    // ---- status, lock and safety ----

    pub(crate) fn status(&mut self, status: &Status, out: &mut Outbox<'_>) {
        if let Some(Lock::Engage(reason)) = &status.lock
            && self.lock.replace(reason.clone()).is_none()
        {
            self.end_manual(out);
            self.send_safe(Cause::Lock, out);
        }
        if status.safety == Some(true) && !self.safety {
            self.safety = true;
            self.end_manual(out);
            self.send_safe(Cause::Safety, out);
        }
        match status.online {
            Some(true) if !self.online => self.came_online(out),
            Some(online) => self.online = online,
            None => {}
        }
        if status.lock == Some(Lock::Clear) && self.lock.is_some() {
            if self.online {
                self.lock = None;
                self.last_sent = None;
                self.touched = true;
            } else {
                self.refuse(RefuseReason::Offline, out);
            }
        }
        if status.safety == Some(false) && self.safety {
            self.safety = false;
            self.last_sent = None;
            self.touched = true;
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
        if self.lock.is_some() {
            self.send_safe(Cause::Lock, out);
        } else if let Some(m) = self.manual.clone().filter(|m| m.admin || !self.safety) {
            if let Some(setting) = m.setting {
                self.send(setting, Cause::Manual, m.owner, out);
            }
        } else if self.safety {
            self.send_safe(Cause::Safety, out);
        } else {
            self.last_sent = None;
            self.touched = true;
        }
    }

    /// The safe setting, also if that was the last one sent: it ends a pulse too.
    fn send_safe(&mut self, cause: Cause, out: &mut Outbox<'_>) {
        if self.online && self.commanded {
            let setting = if self.lock.as_deref() == Some(MAX_ON) {
                Setting::Off
            } else {
                self.spec.safe
            };
            self.send(setting, cause, None, out);
        }
    }

    /// It was on for as long as it may.
    pub(crate) fn max_on_due(&mut self, out: &mut Outbox<'_>) {
        self.on_since = None;
        if self.lock.is_some() {
            return;
        }
        self.lock = Some(MAX_ON.into());
        out.tell(EventKind::DeviceLocked {
            device: self.spec.id.clone(),
            reason: MAX_ON.into(),
        });
        self.end_manual(out);
        if self.online {
            self.send(Setting::Off, Cause::MaxOn, None, out);
        }
    }

    // ---- sending ----

    fn pulse_fits(&mut self, secs: u8, now: Timestamp) -> bool {
        while self
            .pulses
            .front()
            .is_some_and(|p| p.at <= now - PULSE_WINDOW)
        {
            self.pulses.pop_front();
        }
        let sum: i64 = self.pulses.iter().map(|p| i64::from(p.secs)).sum();
        self.spec
            .max_pulse
            .is_none_or(|max| sum + i64::from(secs) <= max.as_secs() || planted!(PulsesUncounted))
    }

    fn send_pulse(
        &mut self,
        secs: u8,
        cause: Cause,
        owner: Option<Arc<Owner>>,
        out: &mut Outbox<'_>,
    ) {
        self.pulses.push_back(Pulse { at: out.now, secs });
        self.pulsed = true;
        self.last_sent = None;
        self.emit(SentOrder::Pulse { secs }, cause, owner, out);
    }

    fn send(
        &mut self,
        setting: Setting,
        cause: Cause,
        owner: Option<Arc<Owner>>,
        out: &mut Outbox<'_>,
    ) {
        self.last_sent = Some(setting);
        self.on_since = if setting.is_on() {
            self.on_since.or(Some(out.now))
        } else {
            None
        };
        self.emit(SentOrder::Set(setting), cause, owner, out);
    }

    fn emit(
        &mut self,
        order: SentOrder,
        cause: Cause,
        owner: Option<Arc<Owner>>,
        out: &mut Outbox<'_>,
    ) {
        self.commanded = true;
        *out.commands += 1;
        let id = CommandId {
            farm: out.farm.clone(),
            n: *out.commands,
        };
        let until = self
            .manual
            .as_ref()
            .filter(|_| cause == Cause::Manual)
            .map(|m| m.until);
        out.tell(EventKind::Command(Command {
            id,
            device: self.spec.id.clone(),
            order,
            cause,
            owner,
            until,
        }));
    }
}

/// A manual command that makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// `length` is `None` where switching off needs none.
    Override {
        setting: Setting,
        length: Option<Duration>,
    },
    Pulse {
        secs: u8,
    },
    Release,
}

impl Wish {
    fn of(m: &Manual, device: &Device) -> Option<Self> {
        match m.kind {
            ManualKind::Release => Some(Self::Release),
            ManualKind::Pulse => match Order::parse("pulse", m.value) {
                Ok(Order::Pulse { secs }) => Some(Self::Pulse { secs }),
                _ => None,
            },
            ManualKind::Override => {
                let setting = Order::parse(m.action.as_deref()?, m.value)
                    .ok()?
                    .setting_for(device.spec.device_type)?;
                let length = m
                    .duration_sec
                    .filter(|s| (1..=MAX_DURATION.as_secs()).contains(s))
                    .map(Duration::from_secs);
                let needs_none = setting == Setting::Off
                    && device.online
                    && (device.lock.is_some() || (device.safety && !m.admin));
                (length.is_some() || needs_none).then_some(Self::Override { setting, length })
            }
        }
    }
}
