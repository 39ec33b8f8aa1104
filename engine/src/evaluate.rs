//! Evaluation: whose conditions may have changed, in order, and what follows from it: rules fire and stop, alerts are raised,
//! resolved and notified.

use crate::alert::Change;
use crate::device::Claim;
use crate::engine::Engine;
use crate::event::{Event, EventKind, ResolveReason, StopReason};
use crate::hold::{Completion, Evidence};
use crate::program::Program;
use crate::rule::{Action, ActionEffect, Form, Skip, Transition};
use crate::sensor::{NOTHING_SAMPLED, Sampled};
use crate::signal::Owner;
use crate::table::Keyed;
use crate::time::{Duration, Timestamp};
use crate::timer::{NEVER, Timer};

/// So many rules are put in order by their ids; more, by their ranks.
const FEW: usize = 16;
/// For so many rules the memory is waited for at once.
const AT_ONCE: usize = 64;

/// What a first look at a rule finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// It does nothing now.
    Quiet,
    /// It is about to act.
    Acts,
    /// Its conditions have to be worked out first.
    Program,
}

impl Engine {
    /// Re-evaluates whose conditions may have changed: rules by priority and id, then alerts by id.
    ///
    /// Where what rules do changes what others see, those are looked at in a further pass.
    pub(crate) fn reevaluate(
        &mut self,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
        events: &mut Vec<Event>,
    ) {
        if self.dirty.is_empty() {
            return;
        }
        let mut alerts = std::mem::take(&mut self.alerts);
        self.pass(now, sampled, completion, &mut alerts, events);
        let further = match completion {
            Completion::Resumes => Completion::Acts,
            other => other,
        };
        while !self.dirty.is_empty() {
            self.pass(now, NOTHING_SAMPLED, further, &mut alerts, events);
        }
        if !self.curves.is_empty() {
            self.follow_curves(now);
        }
        self.sort_alerts(&mut alerts);
        alerts.dedup();
        for ix in alerts.drain(..) {
            self.evaluate_alert(ix, now, sampled, completion, events);
        }
        self.alerts = alerts;
    }

    /// Looks at the curves whose signals have left their dead bands.
    fn follow_curves(&mut self, now: Timestamp) {
        let mut curves = std::mem::take(&mut self.curves);
        curves.sort_unstable();
        curves.dedup();
        for ix in curves.drain(..) {
            self.follow_curve(ix, now);
        }
        self.curves = curves;
    }

    /// Looks at the rules that are dirty once.
    ///
    /// None sees what another does in this pass. So each is looked at in any order first, and holds that only start or break are
    /// done with; what acts is put in order.
    fn pass(
        &mut self,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
        alerts: &mut Vec<u32>,
        events: &mut Vec<Event>,
    ) {
        let mut dirty = std::mem::take(&mut self.dirty);
        let mut acting = std::mem::take(&mut self.acting);
        let mut programs = std::mem::take(&mut self.programs);
        for some in dirty.chunks(AT_ONCE) {
            self.state.load_rules(some);
            for owner in some {
                match *owner {
                    Owner::Rule(ix) => match self.evaluate_hold(ix, now, sampled, completion) {
                        Look::Quiet => {}
                        Look::Acts => acting.push(ix),
                        Look::Program => programs.push(ix),
                    },
                    Owner::Alert(ix) => alerts.push(ix),
                    Owner::Curve(ix) => self.curves.push(ix),
                    Owner::Hours(ix) => self.look_at_hours(ix, now),
                }
            }
        }
        dirty.clear();
        self.dirty = dirty;
        if !programs.is_empty() {
            programs.sort_unstable();
            programs.dedup();
            self.observe_programs(&programs, now, sampled, completion);
            for ix in programs.drain(..) {
                if self.program_acts(ix, now, completion) {
                    acting.push(ix);
                }
            }
        }
        self.sort_rules(&mut acting);
        acting.dedup();
        for some in acting.chunks(AT_ONCE) {
            self.state.load_documents(some);
            for ix in some {
                self.evaluate_rule(*ix, now, sampled, completion, events);
            }
        }
        acting.clear();
        (self.acting, self.programs) = (acting, programs);
    }

    /// Puts rules in the order in which they act: by priority, then by id.
    pub(crate) fn sort_rules(&mut self, rules: &mut [u32]) {
        if rules.len() > FEW {
            if !self.state.ranked {
                self.state.rank_rules();
            }
            rules.sort_unstable_by_key(|ix| self.state.rules.get(*ix).map(|r| r.rank));
            return;
        }
        rules.sort_by(|a, b| {
            let key = |ix: &u32| {
                let rule = self.state.rules.get(*ix);
                rule.map(|r| (std::cmp::Reverse(r.priority), r.key()))
            };
            key(a).cmp(&key(b))
        });
    }

    pub(crate) fn sort_alerts(&self, alerts: &mut [u32]) {
        alerts.sort_by_key(|ix| self.state.alerts.get(*ix).map(|a| &a.spec.id));
    }

    pub(crate) fn sort_devices(&self, devices: &mut [u32]) {
        devices.sort_by_key(|ix| self.state.devices.get(*ix).map(|d| &d.spec.id));
    }

    /// Evaluates a rule as far as it concerns nobody else. Where it is about to act nothing has changed.
    fn evaluate_hold(
        &mut self,
        ix: u32,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
    ) -> Look {
        let (min_samples, signals) = (self.state.min_samples(), &self.state.signals);
        let Some(rule) = self.state.rules.get_mut(ix) else {
            return Look::Quiet;
        };
        if rule.form() != Form::Conditions {
            return Look::Program;
        }
        let evidence = |comparison| signals.evidence(comparison, sampled);
        let (phase, transition) = rule.evaluate(now, evidence, min_samples, completion.acts());
        if transition != Transition::None {
            return Look::Acts;
        }
        rule.enter(phase, transition);
        self.watch_rule(ix);
        Look::Quiet
    }

    fn evaluate_rule(
        &mut self,
        ix: u32,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
        events: &mut Vec<Event>,
    ) {
        let (min_samples, signals) = (self.state.min_samples(), &self.state.signals);
        let Some(rule) = self.state.rules.get_mut(ix) else {
            return;
        };
        if rule.form() != Form::Conditions {
            return self.run_program(ix, now, completion, events);
        }
        let evidence = |comparison| signals.evidence(comparison, sampled);
        let (phase, transition) = rule.evaluate(now, evidence, min_samples, completion.acts());
        rule.enter(phase, transition);
        self.perform(ix, transition, now, events);
        self.watch_rule(ix);
    }

    /// Sees to it that the rule's hold gets the samples that it lacks, and completes in time.
    pub(crate) fn watch_rule(&mut self, ix: u32) {
        let min_samples = self.state.min_samples();
        let Some(rule) = self.state.rules.get(ix) else {
            return;
        };
        if rule.form() != Form::Conditions {
            return self.watch_program(ix);
        }
        if let Some(deadline) = rule.deadline(min_samples, self.state.seen()) {
            self.timers.set(Timer::RuleHold, ix, deadline);
        } else if let Some(comparison) = rule.awaited(min_samples, self.state.seen()) {
            self.state.signals.await_samples(comparison);
        }
    }

    pub(crate) fn perform(
        &mut self,
        ix: u32,
        transition: Transition,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) {
        let Some(rule) = self.state.rules.get(ix) else {
            return;
        };
        let rule = rule.id();
        if matches!(transition, Transition::Fired | Transition::Stopped(_)) {
            self.touch_readers_of_rule(&rule);
        }
        let mut tell = |kind| events.push(Event { at: now, kind });
        match transition {
            Transition::None => {}
            Transition::Blocked(reason) => tell(EventKind::RuleBlocked { rule, reason }),
            Transition::Stopped(reason) => {
                tell(EventKind::RuleStopped { rule, reason });
                if reason != StopReason::Deactivated {
                    self.let_go(ix, now);
                }
            }
            Transition::Skipped(Skip {
                reason,
                start,
                count,
            }) => tell(EventKind::StartSkipped {
                rule,
                reason,
                start,
                count,
            }),
            Transition::Fired => {
                tell(EventKind::RuleFired { rule });
                self.watch_actions(ix);
                let mut actions = std::mem::take(&mut self.actions);
                actions.extend(self.state.actions_at_once(ix));
                for action in actions.drain(..) {
                    self.act(ix, action, now, events);
                }
                self.actions = actions;
            }
        }
    }

    pub(crate) fn watch_actions(&mut self, ix: u32) {
        if let Some(due) = self.state.deadline(Timer::Action, ix) {
            self.timers.set(Timer::Action, ix, due);
        }
    }

    /// Does one of a rule's actions.
    pub(crate) fn act(
        &mut self,
        ix: u32,
        Action { device, effect }: Action,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) {
        let Some(rule) = self.state.rules.get(ix) else {
            return;
        };
        let (rule_id, priority, specificity) = (rule.id(), rule.priority, rule.specificity);
        let effect_curve = match effect {
            ActionEffect::Claim {
                setting,
                curve: Some(action),
                ..
            } => self.state.start_curve(ix, device, action, setting, now),
            _ => None,
        };
        self.with_device_ix(device, now, events, |d, out| match effect {
            ActionEffect::Claim {
                setting,
                lasts,
                linger,
                curve: _,
            } => d.claim(Claim {
                rule: ix,
                rule_id,
                priority,
                specificity,
                at: now,
                setting: effect_curve.map_or(setting, |(_, first)| first),
                curve: effect_curve.map(|(curve, _)| curve),
                until: match lasts {
                    0 => NEVER,
                    secs => now + Duration::from_secs(secs.into()),
                },
                linger,
            }),
            ActionEffect::Pulse { secs } => d.rule_pulse(ix, &rule_id, priority, secs, out),
        });
        if let Some((curve, _)) = effect_curve {
            self.watch_curve(curve);
        }
        self.release_curves(device);
    }

    /// A rule has stopped: its claims end, or linger.
    fn let_go(&mut self, ix: u32, now: Timestamp) {
        let mut devices = self.state.devices_of(ix);
        // Several actions may be about one device; its claim lets go once.
        devices.sort_unstable();
        devices.dedup();
        for device in devices {
            if let Some(d) = self.state.devices.get_mut(device) {
                d.let_go(ix, now);
                if let Some(end) = d.claims.first_end() {
                    self.timers.set(Timer::Claim, device, end);
                }
                if !std::mem::replace(&mut d.in_round, true) {
                    self.devices_in_round.push(device);
                }
            }
            self.release_curves(device);
        }
    }

    /// A rule's document goes: so do its claims.
    pub(crate) fn drop_claims(&mut self, ix: u32) {
        for device in self.state.devices_of(ix) {
            if let Some(d) = self.state.devices.get_mut(device) {
                d.drop_claim(ix);
                if !std::mem::replace(&mut d.in_round, true) {
                    self.devices_in_round.push(device);
                }
            }
            self.release_curves(device);
        }
    }

    pub(crate) fn evaluate_alert(
        &mut self,
        ix: u32,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
        events: &mut Vec<Event>,
    ) {
        self.observe_only_if(ix, now, sampled, completion);
        let min_samples = self.state.min_samples();
        let truth = self.state.alert_truth(ix);
        let free = self.state.clears_without_samples(ix);
        let beside = self.state.only_if(ix).is_some_and(|tree| tree.sample);
        let signals = &self.state.signals;
        let Some(alert) = self.state.alerts.get_mut(ix) else {
            return;
        };
        if alert.comparisons.is_empty() {
            return;
        }
        let sample = alert.comparisons.iter().any(|l| {
            signals
                .base_of(*l)
                .is_some_and(|base| sampled.contains(&base))
        });
        let sample = sample || beside;
        let joined = Evidence { truth, sample };
        let id = alert.spec.id.clone();
        match alert.evaluate(now, joined, (min_samples, free), completion.acts()) {
            Change::None => {}
            Change::Resolved => {
                self.state.memory.forget(ix);
                // What was interrupted counts no more.
                self.observe_only_if(ix, now, NOTHING_SAMPLED, Completion::Waits);
                events.push(Event {
                    at: now,
                    kind: EventKind::AlertResolved {
                        alert: id,
                        reason: ResolveReason::Cleared,
                    },
                });
            }
            Change::Raised => {
                self.state.remember(ix);
                events.push(Event {
                    at: now,
                    kind: EventKind::AlertRaised { alert: id },
                });
                if self.state.deadline(Timer::Repeat, ix) == Some(now) {
                    self.notify(ix, now, events);
                }
            }
        }
        self.watch_alert(ix);
    }

    /// Sees to it that the alert's hold gets its samples, and that the alert is resolved and notified in time.
    pub(crate) fn watch_alert(&mut self, ix: u32) {
        for timer in [Timer::AlertBoundary, Timer::AlertHold, Timer::Repeat] {
            if let Some(deadline) = self.state.deadline(timer, ix) {
                self.timers.set(timer, ix, deadline);
            }
        }
        if !self.state.alert_counts_samples(ix) {
            return;
        }
        let own = { self.state.alerts.get(ix) }.map_or(&[][..], |a| &a.comparisons);
        let beside = self.state.only_if.get(ix).map(Program::comparisons);
        for comparison in own.iter().copied().chain(beside.into_iter().flatten()) {
            self.state.signals.await_samples(comparison);
        }
    }

    /// A notification of an active alert is due.
    pub(crate) fn notify(&mut self, ix: u32, now: Timestamp, events: &mut Vec<Event>) {
        let truth = self.state.alert_truth(ix);
        let Some(alert) = self.state.alerts.get_mut(ix) else {
            return;
        };
        if let Some(no_data) = alert.notify(now, truth) {
            let kind = EventKind::AlertNotified {
                alert: alert.spec.id.clone(),
                no_data: no_data.0,
            };
            events.push(Event { at: now, kind });
        }
        self.watch_alert(ix);
    }
}
