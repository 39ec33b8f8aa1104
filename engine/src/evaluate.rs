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

impl Engine {
    /// Re-evaluates whose conditions may have changed: rules by priority and id, then alerts by id.
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
        let (mut rules, mut alerts) = (Vec::new(), Vec::new());
        for owner in std::mem::take(&mut self.dirty) {
            match owner {
                Owner::Rule(ix) => {
                    if let Some(rule) = self.state.rules.get_mut(ix).filter(|r| !r.dirty) {
                        rule.dirty = true;
                        rules.push(ix);
                    }
                }
                Owner::Alert(ix) => {
                    if let Some(alert) = self.state.alerts.get_mut(ix).filter(|a| !a.dirty) {
                        alert.dirty = true;
                        alerts.push(ix);
                    }
                }
            }
        }
        self.sort_rules(&mut rules);
        self.sort_alerts(&mut alerts);
        for ix in rules {
            self.evaluate_rule(ix, now, sampled, completion, events);
        }
        for ix in alerts {
            self.evaluate_alert(ix, now, sampled, completion, events);
        }
    }

    pub(crate) fn sort_rules(&self, rules: &mut [u32]) {
        rules.sort_by(|a, b| {
            let key = |ix: &u32| {
                self.state
                    .rules
                    .get(*ix)
                    .map(|r| (std::cmp::Reverse(r.priority), r.key()))
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

    pub(crate) fn evaluate_rule(
        &mut self,
        ix: u32,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
        events: &mut Vec<Event>,
    ) {
        let min_samples = self.state.min_samples();
        let signals = &self.state.signals;
        let Some(rule) = self.state.rules.get_mut(ix) else {
            return;
        };
        rule.dirty = false;
        let evidence = |comparison: u32| {
            let sample = signals
                .comparison(comparison)
                .is_some_and(|l| sampled.contains(&l.signal));
            Evidence {
                truth: signals.truth(comparison),
                sample,
            }
        };
        let Some(trigger) = rule.conditions.trigger().map(evidence) else {
            return;
        };
        let end = rule.conditions.stop().map(evidence).unwrap_or(Evidence {
            truth: trigger.truth.not(),
            ..trigger
        });
        let transition = rule.evaluate(
            now,
            trigger,
            end,
            min_samples,
            completion == Completion::Acts,
        );
        if transition != Transition::None {
            self.perform(ix, transition, now, events);
        }
        self.watch_rule(ix);
    }

    /// Sees to it that the rule's hold gets its samples and completes in time.
    pub(crate) fn watch_rule(&mut self, ix: u32) {
        let min_samples = self.state.min_samples();
        let Some(rule) = self.state.rules.get(ix) else {
            return;
        };
        if let Some(deadline) = rule.deadline(min_samples) {
            self.timers.set(Timer::RuleHold, ix, deadline);
        }
        if let Some(comparison) = rule.awaiting_comparison(min_samples) {
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
                for action in self.state.actions_at_once(ix) {
                    self.act(ix, action, now, events);
                }
            }
        }
    }

    pub(crate) fn watch_actions(&mut self, ix: u32) {
        if let Some(due) = self.state.deadline(Timer::Action, ix) {
            self.timers.set(Timer::Action, ix, due);
        }
    }

    /// Does one of a rule's actions.
    pub(crate) fn act(&mut self, ix: u32, action: usize, now: Timestamp, events: &mut Vec<Event>) {
        let Some((Action { device, effect }, rule)) =
            self.state.action(ix, action).zip(self.state.rules.get(ix))
        else {
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
                self.devices_in_round.push(device);
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
        alert.dirty = false;
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
