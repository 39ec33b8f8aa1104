//! Settling devices (section 6), in passes where they have limits or others need them (section 14).

use serde_json::json;

use crate::condition::Truth;
use crate::document::Setting;
use crate::duty::Held;
use crate::mutation::Mutation;
use crate::state::{Model, PULSE_WINDOW_MS};

/// For how long a device goes on whose need is not known.
const PATIENCE_MS: i64 = 60_000;

impl Model {
    /// Settles what is touched or looked at, until nothing is.
    pub(crate) fn settle(&mut self) {
        loop {
            self.watch();
            let pass = self.pass();
            if pass.is_empty() {
                return;
            }
            for id in pass {
                let is_looked_at = self.looked.remove(&id);
                if self.is_limited(&id) {
                    if is_looked_at {
                        self.switch_off_what_must_go_off(&id);
                    }
                    self.settle_limited(&id);
                } else if self.touched.remove(&id) {
                    let (desired, cause) = self.desired(&id);
                    if self.is_free_for_rules(&id) {
                        self.send_what_differs(&id, &desired, &cause);
                    }
                }
                self.watch();
            }
        }
    }

    /// The devices of a pass, in its order.
    fn pass(&mut self) -> Vec<String> {
        let known = |id: &String| self.devices.contains_key(id);
        let touched: Vec<String> = self
            .touched
            .iter()
            .filter(|id| known(id))
            .cloned()
            .collect();
        let looked = self.looked.iter().filter(|id| known(id));
        let looked: Vec<String> = looked.filter(|id| self.is_limited(id)).cloned().collect();
        self.touched.retain(|id| touched.contains(id));
        self.looked.retain(|id| looked.contains(id));
        let mut pass = [touched, looked].concat();
        pass.sort();
        pass.dedup();
        let waits = |id: &String| {
            let names_a_group = !self.devices[id].doc.limits.groups.is_empty();
            let by_id = self.mutation == Some(Mutation::GroupsGoById);
            names_a_group && self.desired(id).0.is_on() && !self.runs(id) && !by_id
        };
        pass.sort_by_cached_key(|id| {
            let winner = self.winner(id).map(|c| self.rank(c));
            waits(id).then(|| (winner.is_none(), winner))
        });
        pass
    }

    fn is_free_for_rules(&self, id: &str) -> bool {
        let device = &self.devices[id];
        let is_free =
            device.online && !device.is_locked() && !device.safety && device.manual.is_none();
        is_free && (device.was_claimed || device.was_commanded)
    }

    /// Sends a setting to a device that is free for rules, unless it is the last one sent, or a pulse was sent in this round.
    fn send_what_differs(&mut self, id: &str, setting: &Setting, cause: &str) {
        let settles_pulsed =
            setting.is_on() || self.mutation == Some(Mutation::PulsedDeviceIsSettled);
        let is_pulsed = self.pulsed.contains(id) && !settles_pulsed;
        if !is_pulsed && self.devices[id].last_sent.as_ref() != Some(setting) {
            self.send_setting(id, setting, cause);
        }
    }

    fn switch_off_what_must_go_off(&mut self, id: &str) {
        let device = &self.devices[id];
        let can_be = device.online && !device.is_locked() && !device.safety;
        if !(can_be && self.runs(id)) {
            return;
        }
        let spares_pulse = self.mutation != Some(Mutation::LimitCutsPulse);
        let is_used_up = self.budgets(id).iter().any(|b| b.is_used_up())
            && !(self.is_pulsing(id) && spares_pulse);
        let is_uncarried = match self.need(id) {
            Some(Truth::False) => true,
            Some(Truth::Unknown) if self.mutation == Some(Mutation::UnknownNeedIsFalse) => true,
            Some(Truth::Unknown) => self.patience_ends(id).is_some_and(|t| t <= self.now),
            Some(Truth::True) | None => false,
        };
        let reason = match (self.hours_are_over(id), is_used_up, is_uncarried) {
            (true, ..) => "hours",
            (_, true, _) => "budget",
            (.., true) => "needs",
            _ => return,
        };
        self.emit("limit_reached", &json!({"device": id, "reason": reason}));
        self.end_manual(id);
        self.send_setting(id, &Setting::off(), "limit");
        self.touch(id);
    }

    /// Whether a device that runs goes off for its hours.
    fn hours_are_over(&self, id: &str) -> bool {
        if self.mutation == Some(Mutation::HoursSparePulses) && self.is_pulsing(id) {
            return false;
        }
        match self.allowed(id) {
            _ if self.mutation == Some(Mutation::HoursLetRunOn) => false,
            Some(Truth::False) => true,
            Some(Truth::Unknown) if self.mutation == Some(Mutation::UnknownHoursEndAtOnce) => true,
            Some(Truth::Unknown) => self.hours_patience_ends(id).is_some_and(|t| t <= self.now),
            Some(Truth::True) | None => false,
        }
    }

    /// When a device that runs goes off if its hours stay UNKNOWN.
    fn hours_patience_ends(&self, id: &str) -> Option<i64> {
        Some(self.devices[id].duty.shut_since? + PATIENCE_MS)
    }

    /// When a device that runs goes off if its need stays UNKNOWN.
    fn patience_ends(&self, id: &str) -> Option<i64> {
        Some(self.devices[id].duty.unmet_since? + PATIENCE_MS)
    }

    /// Settles a device with limits, or that another needs, if it is touched or was held.
    fn settle_limited(&mut self, id: &str) {
        let is_touched = self.touched.remove(id);
        let was = self.devices[id].duty.held.clone();
        if !is_touched && was.is_none() {
            return;
        }
        if !self.is_free_for_rules(id) {
            self.device_mut(id).duty.held = None;
            return;
        }
        let (desired, cause) = self.desired(id);
        let (setting, reason) = self.within_limits(id, &desired);
        let held = reason.map(|reason| Held {
            reason,
            cause: cause.clone(),
        });
        let is_told = match self.mutation {
            Some(Mutation::HeldIsToldOnce) => was.is_some(),
            _ => held == was,
        };
        if let Some(Held { reason, cause }) = held.as_ref().filter(|_| !is_told) {
            let fields = json!({"device": id, "reason": reason, "cause": cause});
            self.emit("command_held", &fields);
        }
        let cause = if held.is_some() { "limit" } else { &cause };
        self.device_mut(id).duty.held = held;
        self.send_what_differs(id, &setting, cause);
    }

    /// What is sent where that is desired, and which limit holds it back.
    pub(crate) fn within_limits(
        &self,
        id: &str,
        desired: &Setting,
    ) -> (Setting, Option<&'static str>) {
        let device = &self.devices[id];
        let last_on = device.duty.last_on.as_ref();
        let last_on = last_on.filter(|_| device.on_since.is_some() && !desired.is_on());
        if desired.is_on() && !self.runs(id) {
            if let Some(reason) = self.hinders_start(id) {
                return (Setting::off(), Some(reason));
            }
        } else if let Some((on, reason)) = last_on.zip(self.keeps_on(id)) {
            return (on.clone(), Some(reason));
        }
        (desired.clone(), None)
    }

    /// Why a device that does not run may not start now.
    fn hinders_start(&self, id: &str) -> Option<&'static str> {
        let limits = &self.devices[id].doc.limits;
        let is_full = |group: &String| self.running_in(group) >= self.groups[group];
        let is_carried = |n: &String| {
            let since = self.devices[n].duty.carries_since;
            let for_ms = limits.needs.as_ref().map_or(0, |n| n.for_ms);
            let is_long = |since: i64| {
                since + for_ms <= self.now || self.mutation == Some(Mutation::ForSecIsForgotten)
            };
            self.carries(n) == Truth::True && is_long(since.unwrap_or(self.now))
        };
        let most = limits.starts_per_hour.unwrap_or(usize::MAX);
        let is_uncarried = limits.needs.is_some() && !limits.needed().iter().any(is_carried);
        let mut reasons = [
            ("hours", self.is_outside_hours(id)),
            (
                "min_off",
                self.min_off_ends(id).is_some_and(|t| t > self.now),
            ),
            ("starts", self.starts_that_count(id).len() >= most),
            ("group", limits.groups.iter().any(is_full)),
            ("needs", is_uncarried),
            ("budget", self.budgets(id).iter().any(|b| b.is_used_up())),
        ];
        if self.mutation == Some(Mutation::ReasonsAreSwapped) {
            reasons.reverse();
        }
        let first = reasons.into_iter().find(|(_, holds)| *holds);
        first.map(|(reason, _)| reason)
    }

    /// Why no pulse of so many seconds may be sent.
    pub(crate) fn hinders_pulse(&self, id: &str, seconds: i64) -> Option<&'static str> {
        let hinders = match self.runs(id) {
            true => None,
            false => self.hinders_start(id),
        };
        let may_exceed = self.mutation == Some(Mutation::PulseMayExceedBudget);
        let lacks = |b: &crate::ledger::Budget| b.is_used_up() || b.lacks(seconds) && !may_exceed;
        hinders.or_else(|| self.budgets(id).iter().any(lacks).then_some("budget"))
    }

    /// Why a person's override may not be sent.
    pub(crate) fn hinders_override(
        &self,
        id: &str,
        setting: &Setting,
        admin: bool,
    ) -> Option<&'static str> {
        let may = admin && self.mutation == Some(Mutation::AdminMayStart);
        let starts = setting.is_on() && !self.runs(id) && !may;
        let binds = |reason: &&str| {
            *reason != "hours" || self.mutation != Some(Mutation::HoursDoNotBindPeople)
        };
        starts
            .then(|| self.hinders_start(id))
            .flatten()
            .filter(binds)
    }

    /// Why a device that is not desired on stays on.
    fn keeps_on(&self, id: &str) -> Option<&'static str> {
        let device = &self.devices[id];
        if self.min_on_ends(id).is_some_and(|t| t > self.now) {
            return Some("min_on");
        }
        let carries_alone = |needing: &String| {
            let other = &self.devices[needing];
            let mut needed = other.doc.limits.needed().iter();
            (self.runs(needing) || other.running == Some(true))
                && other.online
                && needed.all(|n| (n == id) == (self.carries(n) == Truth::True))
        };
        let is_needed = self.needing(&device.doc.id).iter().any(carries_alone);
        (is_needed && self.mutation != Some(Mutation::NeededGoesFirst)).then_some("needed")
    }

    fn min_on_ends(&self, id: &str) -> Option<i64> {
        let device = &self.devices[id];
        Some(device.on_since? + device.doc.limits.min_on_ms?)
    }

    fn min_off_ends(&self, id: &str) -> Option<i64> {
        let device = &self.devices[id];
        let from = match self.mutation {
            Some(Mutation::MinOffFromTheStart) => device.duty.starts.last().copied(),
            _ => device.duty.ran_until(),
        };
        Some(from? + device.doc.limits.min_off_ms?)
    }

    /// The starts within the last hour.
    fn starts_that_count(&self, id: &str) -> Vec<i64> {
        let closed = i64::from(self.mutation == Some(Mutation::StartsWindowIsClosed));
        let starts = self.devices[id].duty.starts.iter().copied();
        starts
            .filter(|at| at + PULSE_WINDOW_MS + closed > self.now)
            .collect()
    }

    /// How many devices of a group run.
    fn running_in(&self, group: &String) -> usize {
        let counts = |id: &&String| {
            let device = &self.devices[*id];
            let runs = match self.mutation {
                Some(Mutation::GroupForgetsPulses) => device.on_since.is_some(),
                _ => self.runs(id),
            };
            device.doc.limits.groups.contains(group) && runs
        };
        self.devices.keys().filter(counts).count()
    }

    /// The devices that are looked at because of an instant.
    pub(crate) fn limits_due(&self, at: i64) -> Vec<String> {
        let is_due = |id: &String| self.limit_deadlines(id).into_iter().any(|t| t <= at);
        self.device_ids().into_iter().filter(is_due).collect()
    }

    /// The instants after the clock at which a device is looked at.
    pub(crate) fn limit_deadlines(&self, id: &str) -> Vec<i64> {
        if !self.is_limited(id) {
            return Vec::new();
        }
        let device = &self.devices[id];
        let (duty, limits) = (&device.duty, &device.doc.limits);
        let ledger_ends = self.ledger(id).map(|l| l.until);
        let mut deadlines: Vec<Option<i64>> = Vec::new();
        deadlines.push(match duty.held.as_ref().map(|h| h.reason) {
            Some("min_on") => self.min_on_ends(id),
            Some("min_off") => self.min_off_ends(id),
            Some("starts") => {
                let starts = self.starts_that_count(id);
                let spare = starts.len() - limits.starts_per_hour.unwrap_or(0).min(starts.len());
                let closed = i64::from(self.mutation == Some(Mutation::StartsWindowIsClosed));
                starts.get(spare).map(|at| at + PULSE_WINDOW_MS + closed)
            }
            Some("needs") => {
                let carry = limits
                    .needed()
                    .iter()
                    .filter(|n| self.carries(n) == Truth::True);
                let for_ms = limits.needs.as_ref().map_or(0, |n| n.for_ms);
                let long = carry.filter_map(|n| self.devices[n].duty.carries_since);
                long.map(|since| since + for_ms).min()
            }
            Some("budget") => ledger_ends,
            Some("hours") => (duty.allowed_since).map(|since| since + self.hours_last_ms(id)),
            _ => None,
        });
        if device.on_since.is_some() {
            let used_up = |b: &crate::ledger::Budget| Some(self.now.saturating_add(b.lasts_ms()));
            deadlines.extend(self.budgets(id).iter().map(used_up));
            deadlines.push(ledger_ends);
        }
        deadlines.push(duty.pulse_until);
        deadlines.extend(self.hours_boundaries(id).into_iter().map(Some));
        if self.runs(id) && self.allowed(id) == Some(Truth::Unknown) {
            deadlines.push(self.hours_patience_ends(id));
        }
        if self.runs(id) && self.need(id) == Some(Truth::Unknown) {
            deadlines.push(self.patience_ends(id));
        }
        let clock = self.clock.unwrap_or(i64::MAX);
        let deadlines = deadlines.into_iter().flatten();
        deadlines.filter(|t| *t > clock).collect()
    }
}
