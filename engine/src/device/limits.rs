//! Limits of machines: what a device remembers of its starts and of what it used, whether it may start, and what becomes of
//! what it is wanted to do. What that takes to know of other devices comes from [`crate::limits`] as [`Around`].

use std::collections::VecDeque;

use super::command::{Cause, Outbox};
use super::ledger::Ledger;
use super::{Claim, Device};
use crate::almanac::Almanac;
use crate::document::LimitsSpec;
use crate::event::{EventKind, LimitReason};
use crate::hours::HoursSeen;
use crate::quantity::Quantity;
use crate::setting::Setting;
use crate::status::LimitsStatus;
use crate::time::{Duration, Timestamp};
use crate::truth::Truth;

/// Over which time starts are counted.
const STARTS_WINDOW: Duration = Duration::from_secs(3_600);
/// For how long a device runs on while it is not known to be carried.
pub(crate) const NEED_PATIENCE: Duration = Duration::from_secs(60);

/// What a device with limits, or one that another needs, remembers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Limited {
    /// When its last on period ended.
    pub(crate) off_since: Option<Timestamp>,
    /// When its last pulse ends or ended.
    pub(crate) pulse_until: Option<Timestamp>,
    /// When it started, of the last hour.
    pub(crate) starts: VecDeque<Timestamp>,
    pub(crate) ledger: Option<Ledger>,
    /// The last setting sent that was on.
    pub(crate) last_on: Option<Setting>,
    /// Why it is not sent what is desired, and for whom.
    pub(crate) held: Option<(LimitReason, Cause)>,
    /// Since when its need is not true, while it runs.
    pub(crate) unmet_since: Option<Timestamp>,
    /// Since when it carries those that need it, while it does.
    pub(crate) carries_since: Option<Timestamp>,
    /// Since when its hours allow it, while they do; none where it has no hours.
    pub(crate) allowed_since: Option<Timestamp>,
    /// Since when they do not, while it runs.
    pub(crate) shut_since: Option<Timestamp>,
    /// What was seen of it, to know whether that changes.
    pub(crate) seen: Option<Seen>,
    /// What its hours came to, likewise.
    pub(crate) allowed: Option<Truth>,
    /// When it is looked at next.
    pub(crate) due: Option<Timestamp>,
    /// Whether it is to be looked at in the present round.
    pub(crate) look: bool,
}

/// What its neighbours look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) runs: bool,
    pub(crate) online: bool,
    pub(crate) running: Option<bool>,
    pub(crate) carries: Truth,
}

/// What a device's limits ask of other devices, at one instant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around {
    /// Whether in one of its groups as many run as may.
    pub(crate) group_full: bool,
    /// Whether what it needs has carried it for long enough.
    pub(crate) carried: bool,
    /// Whether what it needs carries it.
    pub(crate) need: Truth,
    /// Whether a device that runs is carried by this one, and by no other.
    pub(crate) needed: bool,
    /// Whether its hours allow it.
    pub(crate) allowed: Truth,
    /// Whether they have done so for long enough.
    pub(crate) may_start: bool,
}

impl Around {
    /// Of a device that asks nothing of others, and of which they ask nothing.
    pub(crate) const NOTHING: Self = Self {
        group_full: false,
        carried: true,
        need: Truth::True,
        needed: false,
        allowed: Truth::True,
        may_start: true,
    };
}

impl Device {
    /// Whether it is on, as far as what was sent tells.
    pub(crate) fn runs(&self, now: Timestamp) -> bool {
        self.on_since.is_some() || self.pulse_ends().is_some_and(|until| until > now)
    }

    /// When its last pulse ends or ended, as far as its limits remember one.
    pub(super) fn pulse_ends(&self) -> Option<Timestamp> {
        self.limited.as_ref()?.pulse_until
    }

    pub(super) fn limits(&self) -> Option<&LimitsSpec> {
        self.spec.limits.as_deref()
    }

    /// Whether it carries those that need it.
    pub(crate) fn carries(&self) -> Truth {
        match (self.last_sent, self.running.filter(|_| self.online)) {
            (Some(sent), _) if !sent.is_on() => Truth::False,
            (_, None) => Truth::Unknown,
            (_, Some(true)) => Truth::True,
            (_, Some(false)) => Truth::False,
        }
    }

    /// When it ran last.
    fn ran_until(&self) -> Option<Timestamp> {
        let off = self.limited.as_ref().and_then(|l| l.off_since);
        off.max(self.pulse_ends())
    }

    // ---- whether it may start ----

    /// Why it may not start now; the first reason that holds.
    pub(super) fn may_not_start(&self, out: &Outbox<'_>) -> Option<LimitReason> {
        let (limits, limited) = (self.limits()?, self.limited.as_ref()?);
        let soon = |least| {
            self.ran_until()
                .is_some_and(|until| until + least > out.now)
        };
        let started = limited.recent_starts(out.now);
        if !out.around.may_start {
            Some(LimitReason::Hours)
        } else if limits.min_off.is_some_and(soon) {
            Some(LimitReason::MinOff)
        } else if { limits.starts_per_hour }.is_some_and(|most| started >= usize::from(most)) {
            Some(LimitReason::Starts)
        } else if out.around.group_full {
            Some(LimitReason::Group)
        } else if !out.around.carried {
            Some(LimitReason::Needs)
        } else if self.is_used_up() {
            Some(LimitReason::Budget)
        } else {
            None
        }
    }

    /// Why a pulse may not be sent now.
    pub(super) fn may_not_pulse(&self, secs: u8, out: &Outbox<'_>) -> Option<LimitReason> {
        let starts = (!self.runs(out.now)).then(|| self.may_not_start(out));
        let over = self.is_used_up() || self.exceeds_budget(secs);
        starts.flatten().or(over.then_some(LimitReason::Budget))
    }

    /// What it is sent where that is wanted, and which limit holds it back.
    pub(super) fn within_limits(
        &self,
        wanted: Setting,
        out: &Outbox<'_>,
    ) -> (Setting, Option<LimitReason>) {
        let last_on = self.limited.as_ref().and_then(|l| l.last_on);
        let reason = self.hold_back(wanted, out);
        let setting = match reason {
            Some(LimitReason::MinOn | LimitReason::Needed) => last_on.unwrap_or(wanted),
            Some(_) => Setting::OFF,
            None => wanted,
        };
        (setting, reason)
    }

    // ---- what is sent ----

    /// Remembers a start, before what makes it run is sent.
    pub(super) fn note_start(&mut self, now: Timestamp) {
        let runs = self.runs(now);
        if let Some(limited) = self.limited.as_mut().filter(|_| !runs) {
            while { limited.starts.front() }.is_some_and(|at| *at <= now - STARTS_WINDOW) {
                limited.starts.pop_front();
            }
            limited.starts.push_back(now);
        }
    }

    /// Counts a pulse that was sent.
    pub(super) fn count_pulse(&mut self, secs: u8, out: &Outbox<'_>) {
        if let Some(limited) = self.limited.as_mut() {
            limited.pulse_until = Some(out.now + Duration::from_secs(secs.into()));
        }
        self.count_until(out.now, out.almanac, false);
        let rate = self.rate();
        if let Some(ledger) = self.limited.as_mut().and_then(|l| l.ledger.as_mut()) {
            ledger.count(i64::from(secs) * 1_000, rate);
        }
    }

    /// A pulse is over, because something else is sent.
    pub(super) fn end_pulse(&mut self, now: Timestamp) {
        if let Some(until) = self.limited.as_mut().and_then(|l| l.pulse_until.as_mut()) {
            *until = now.min(*until);
        }
    }

    /// Remembers an on-setting, and the end of an on period.
    pub(super) fn note_sent(&mut self, setting: Setting, was_on: bool, now: Timestamp) {
        let Some(limited) = self.limited.as_mut() else {
            return;
        };
        if setting.is_on() {
            limited.last_on = Some(setting);
        } else if was_on {
            limited.off_since = Some(now);
        }
    }

    // ---- settling ----

    /// Whether it wants to start and is of a group: then those that do not are settled before it.
    pub(crate) fn waits_for_its_turn(&self, now: Timestamp) -> bool {
        let grouped = self.limits().is_some_and(|l| !l.groups.is_empty());
        grouped && !self.runs(now) && self.wanted().is_on()
    }

    /// Settles a device of which something is remembered.
    pub(super) fn settle_limited(&mut self, touched: bool, looked: bool, out: &mut Outbox<'_>) {
        let held = self.limited.as_ref().is_some_and(|l| l.held.is_some());
        let ended = looked && self.end_what_must(out);
        if !(touched || held || ended) {
            return;
        }
        let wanted = self.wanted();
        let (setting, reason) = match self.is_free() {
            true => self.within_limits(wanted, out),
            false => (wanted, None),
        };
        let held = reason.map(|reason| (reason, self.desired().1));
        let Some(limited) = self.limited.as_mut() else {
            return;
        };
        if let Some((reason, cause)) = held.clone().filter(|h| limited.held.as_ref() != Some(h)) {
            out.emit(EventKind::CommandHeld {
                device: self.spec.id.clone(),
                reason,
                cause,
            });
        }
        limited.held = held;
        self.settle_on(setting, reason.map(|_| Cause::Limit), out);
    }

    /// Switches off what must not run on. Returns whether that was so.
    fn end_what_must(&mut self, out: &mut Outbox<'_>) -> bool {
        let reaches = self.online && !self.is_locked() && !self.safety;
        if !reaches || !self.runs(out.now) {
            return false;
        }
        let limited = self.limited.as_ref();
        let over = |truth, since: Option<Timestamp>| {
            truth == Truth::False || since.is_some_and(|since| since + NEED_PATIENCE <= out.now)
        };
        let lost = over(out.around.need, limited.and_then(|l| l.unmet_since));
        let shut = over(out.around.allowed, limited.and_then(|l| l.shut_since));
        let pulses = self.pulse_ends().is_some_and(|until| until > out.now);
        let reason = if shut {
            LimitReason::Hours
        } else if !pulses && self.is_used_up() {
            LimitReason::Budget
        } else if lost {
            LimitReason::Needs
        } else {
            return false;
        };
        out.emit(EventKind::LimitReached {
            device: self.spec.id.clone(),
            reason,
        });
        self.end_manual(out);
        self.send(Setting::OFF, Cause::Limit, None, out);
        true
    }

    /// Why it is not sent what is wanted.
    fn hold_back(&self, wanted: Setting, out: &Outbox<'_>) -> Option<LimitReason> {
        if wanted.is_on() {
            return (!self.runs(out.now)).then(|| self.may_not_start(out))?;
        }
        let last_on = self.limited.as_ref().and_then(|l| l.last_on);
        let (since, _) = self.on_since.zip(last_on)?;
        let least = self.limits().and_then(|l| l.min_on);
        if least.is_some_and(|least| since + least > out.now) {
            Some(LimitReason::MinOn)
        } else {
            out.around.needed.then_some(LimitReason::Needed)
        }
    }

    /// When time alone may end what holds it, but for its hours: the first instant. `carriers` are the instants since which what it
    /// needs carries it.
    pub(crate) fn held_ends(
        &self,
        now: Timestamp,
        carriers: impl Iterator<Item = Timestamp>,
    ) -> Option<Timestamp> {
        let (limited, limits) = (self.limited.as_ref()?, self.limits()?);
        let (since, lasts) = match limited.held.as_ref()?.0 {
            LimitReason::MinOn => (self.on_since?, limits.min_on?),
            LimitReason::MinOff => (self.ran_until()?, limits.min_off?),
            LimitReason::Starts => {
                let most = limits.starts_per_hour?;
                let enough = limited.recent_starts(now).checked_sub(most.into())?;
                let first = limited.starts.len() - limited.recent_starts(now);
                (*limited.starts.get(first + enough)?, STARTS_WINDOW)
            }
            LimitReason::Needs => {
                let carried = limits.needs.as_ref().map_or(Duration::ZERO, |n| n.carried);
                let ends = carriers.map(|since| since + carried);
                return ends.filter(|at| *at > now).min();
            }
            LimitReason::Budget => (limited.ledger?.ends, Duration::ZERO),
            LimitReason::Group | LimitReason::Needed | LimitReason::Hours => return None,
        };
        Some(since + lasts)
    }

    /// When time alone makes something of its limits: the next instant after now. `carriers` as in [`Self::held_ends`].
    pub(crate) fn next_look(
        &self,
        now: Timestamp,
        need: Truth,
        hours: HoursSeen,
        carriers: impl Iterator<Item = Timestamp>,
    ) -> Option<Timestamp> {
        let limited = self.limited.as_ref()?;
        let held = limited.held.as_ref().map(|(reason, _)| *reason);
        let mut next: Vec<Timestamp> = self.held_ends(now, carriers).into_iter().collect();
        if held == Some(LimitReason::Hours) {
            let allowed = limited.allowed_since.zip(hours.lasts);
            next.extend(allowed.map(|(since, lasts)| since + lasts));
        }
        next.extend(hours.boundary);
        if self.on_since.is_some() {
            next.extend(self.used_up_at());
            next.extend(limited.ledger.map(|l| l.ends));
        }
        next.extend(self.pulse_ends());
        for (truth, since) in [
            (need, limited.unmet_since),
            (hours.allowed, limited.shut_since),
        ] {
            if truth == Truth::Unknown && self.runs(now) {
                next.extend(since.map(|since| since + NEED_PATIENCE));
            }
        }
        next.into_iter().filter(|at| *at > now).min()
    }
}

impl Device {
    /// Where it stands with its limits at an instant that is not before the clock: for people.
    pub(crate) fn limits_status(
        &self,
        now: Timestamp,
        almanac: &Almanac,
        held_until: Option<Timestamp>,
    ) -> Option<LimitsStatus> {
        let limited = self.limited.as_ref()?;
        let ledger = self.ledger_at(now, almanac, false);
        let held = limited.held.as_ref().map(|(reason, _)| *reason);
        let (time_left, ml_left) = self.left_of(ledger);
        Some(LimitsStatus {
            held,
            held_until,
            starts: limited.recent_starts(now),
            used: Duration::from_millis(ledger.map_or(0, |l| l.time_ms)),
            used_ml: Quantity::from_micro(ledger.map_or(0, |l| l.flow / 1_000)),
            time_left: time_left.map(|ms| Duration::from_millis(ms.max(0))),
            ml_left: ml_left.map(|left| Quantity::from_micro(left.max(0) / 1_000)),
            day_ends: ledger.map(|l| l.ends),
        })
    }
}

impl Limited {
    /// How often it started within the last hour.
    fn recent_starts(&self, now: Timestamp) -> usize {
        let old = |at: &&Timestamp| **at <= now - STARTS_WINDOW;
        self.starts.len() - self.starts.iter().take_while(old).count()
    }
}

/// The order in which devices that wait for their turn are settled: their winners as claims are ordered, those without after
/// all others.
pub(crate) fn by_turn(a: Option<&Claim>, b: Option<&Claim>) -> std::cmp::Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.by_strength(b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}
