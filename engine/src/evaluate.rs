//! Evaluation: whose conditions may have changed, in order, and what follows from it: rules fire and stop, alerts are raised,
//! resolved and notified.

use crate::alert::Change;
use crate::device::Claim;
use crate::engine::Engine;
use crate::event::{Event, EventKind, ResolveReason, StopReason};
use crate::hold::{Completion, Evidence};
use crate::rule::{Action, ActionEffect, Transition};
use crate::sensor::Sampled;
use crate::signal::Owner;
use crate::table::Keyed;
use crate::time::Timestamp;
use crate::timer::Timer;

/// So many rules are put in order by their ids; more, by their ranks.
const FEW: usize = 16;
/// For so many rules the memory is waited for at once.
const AT_ONCE: usize = 64;

impl Engine {
    /// Re-evaluates whose conditions may have changed: rules by priority and id, then alerts by id.
    ///
    /// A rule depends on no other one until something acts. So each is looked at in any order first, and holds that only start
    /// or break are done with; what acts is put in order.
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
        let mut dirty = std::mem::take(&mut self.dirty);
        let mut acting = std::mem::take(&mut self.acting);
        let mut alerts = std::mem::take(&mut self.alerts);
        for some in dirty.chunks(AT_ONCE) {
            self.state.load_rules(some);
            for owner in some {
                match *owner {
                    Owner::Rule(ix) => {
                        if self.evaluate_hold(ix, now, sampled, completion) {
                            acting.push(ix);
                        }
                    }
                    Owner::Alert(ix) => alerts.push(ix),
                }
            }
        }
        dirty.clear();
        self.sort_rules(&mut acting);
        acting.dedup();
        for some in acting.chunks(AT_ONCE) {
            self.state.load_documents(some);
            for ix in some {
                self.evaluate_rule(*ix, now, sampled, completion, events);
            }
        }
        acting.clear();
        self.sort_alerts(&mut alerts);
        alerts.dedup();
        for ix in alerts.drain(..) {
            self.evaluate_alert(ix, now, sampled, completion, events);
        }
        (self.dirty, self.acting, self.alerts) = (dirty, acting, alerts);
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

    /// Evaluates a rule as far as it concerns nobody else. True where it is about to act: then nothing has changed.
    fn evaluate_hold(
        &mut self,
        ix: u32,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
    ) -> bool {
        let (min_samples, signals) = (self.state.min_samples(), &self.state.signals);
        let Some(rule) = self.state.rules.get_mut(ix) else {
            return false;
        };
        let evidence = |comparison| signals.evidence(comparison, sampled);
        let acts = completion == Completion::Acts;
        let (phase, transition) = rule.evaluate(now, evidence, min_samples, acts);
        if transition != Transition::None {
            return true;
        }
        rule.enter(phase, transition);
        self.watch_rule(ix);
        false
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
        let evidence = |comparison| signals.evidence(comparison, sampled);
        let acts = completion == Completion::Acts;
        let (phase, transition) = rule.evaluate(now, evidence, min_samples, acts);
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
        if let Some(deadline) = rule.deadline(min_samples, &self.state.signals) {
            self.timers.set(Timer::RuleHold, ix, deadline);
        } else if let Some(comparison) = rule.awaited(min_samples, &self.state.signals) {
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
        let mut tell = |kind| events.push(Event { at: now, kind });
        match transition {
            Transition::None => {}
            Transition::Blocked(reason) => tell(EventKind::RuleBlocked { rule, reason }),
            Transition::Stopped(reason) => {
                tell(EventKind::RuleStopped { rule, reason });
                if !(planted!(DeleteKeepsClaim) && reason == StopReason::Deactivated) {
                    self.drop_claims(ix);
                }
            }
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
        self.with_device_ix(device, now, events, |d, out| match effect {
            ActionEffect::Claim(setting) => d.claim(Claim {
                rule: ix,
                rule_id,
                priority,
                specificity,
                at: now,
                setting,
            }),
            ActionEffect::Pulse { secs } => d.rule_pulse(ix, &rule_id, priority, secs, out),
        });
    }

    fn drop_claims(&mut self, ix: u32) {
        for device in self.state.devices_of(ix) {
            if let Some(d) = self.state.devices.get_mut(device) {
                d.drop_claim(ix);
                if !std::mem::replace(&mut d.in_round, true) {
                    self.devices_in_round.push(device);
                }
            }
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
        let min_samples = self.state.min_samples();
        let truth = self.state.alert_truth(ix);
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
        let joined = Evidence { truth, sample };
        let id = alert.spec.id.clone();
        match alert.evaluate(now, joined, min_samples, completion == Completion::Acts) {
            Change::None => {}
            Change::Resolved => {
                self.state.memory.forget(ix);
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
        for timer in [Timer::AlertHold, Timer::Repeat] {
            if let Some(deadline) = self.state.deadline(timer, ix) {
                self.timers.set(timer, ix, deadline);
            }
        }
        let min_samples = self.state.min_samples();
        if let Some(alert) = self
            .state
            .alerts
            .get(ix)
            .filter(|a| a.counts_samples(min_samples))
        {
            for comparison in &alert.comparisons {
                self.state.signals.await_samples(*comparison);
            }
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
