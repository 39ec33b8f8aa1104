//! Rules: pending, running, stopped.

use std::sync::Arc;

use serde_json::json;

use crate::condition::Truth;
use crate::document::RuleDoc;
use crate::mutation::Mutation;
use crate::state::{Hold, Model, Phase, Rule};

/// How long a running rule waits for a lost signal, if it is told to hold.
pub(crate) const SIGNAL_LOSS_GRACE_MS: i64 = 3_600_000;

impl Model {
    pub(crate) fn end_truth(&self, doc: &RuleDoc) -> Truth {
        match &doc.stop {
            Some((condition, _)) => self.truth(condition),
            None => self.truth(&doc.trigger).not(),
        }
    }

    pub(crate) fn end_ms(doc: &RuleDoc) -> i64 {
        match &doc.stop {
            Some((_, length)) => *length,
            None => doc.trigger_ms.min(60_000),
        }
    }

    /// Looks at a rule again. `sample` is the sensor whose newer reading is the cause; `completes` allows holds to act.
    pub(crate) fn evaluate_rule(&mut self, id: &str, sample: Option<&str>, completes: bool) {
        let Rule { doc, phase } = self.rules[id].clone();
        if !doc.is_active() {
            return;
        }
        let is_sample =
            |condition| sample.is_some_and(|s| self.sensors_of(condition).iter().any(|x| x == s));
        match phase {
            Phase::Idle | Phase::Pending(_) => {
                let before = if let Phase::Pending(hold) = phase {
                    Some(hold)
                } else {
                    None
                };
                let hold = self.held(before, self.truth(&doc.trigger), is_sample(&doc.trigger));
                self.set_phase(id, hold.map_or(Phase::Idle, Phase::Pending));
                if completes && self.is_complete(hold, doc.trigger_ms) {
                    self.trigger_completes(&doc, hold);
                }
            }
            Phase::Running {
                hold,
                unknown_since,
                actions,
            } => {
                let truth = self.end_truth(&doc);
                if truth == Truth::Unknown && doc.on_signal_lost != "hold" {
                    return self.stop_rule(id, "signal_lost");
                }
                let end = doc
                    .stop
                    .as_ref()
                    .map_or(&doc.trigger, |(condition, _)| condition);
                let hold = self.held(hold, truth, is_sample(end));
                let unknown_since = match truth {
                    Truth::Unknown => Some(unknown_since.unwrap_or(self.now)),
                    Truth::True | Truth::False => None,
                };
                self.set_phase(
                    id,
                    Phase::Running {
                        hold,
                        unknown_since,
                        actions,
                    },
                );
                if completes && self.is_complete(hold, Self::end_ms(&doc)) {
                    let reason = if doc.stop.is_some() {
                        "stop_condition"
                    } else {
                        "trigger_cleared"
                    };
                    self.stop_rule(id, reason);
                } else if completes
                    && unknown_since.is_some_and(|t| t + SIGNAL_LOSS_GRACE_MS <= self.now)
                {
                    self.stop_rule(id, "signal_lost");
                }
            }
        }
    }

    pub(crate) fn set_phase(&mut self, id: &str, phase: Phase) {
        if let Some(rule) = self.rules.get_mut(id) {
            rule.phase = phase;
        }
    }

    fn trigger_completes(&mut self, doc: &RuleDoc, hold: Option<Hold>) {
        let end = self.end_truth(doc);
        let blocked = match end {
            Truth::True => Some("stop_condition"),
            Truth::Unknown if doc.on_signal_lost != "hold" => Some("signal_lost"),
            Truth::Unknown | Truth::False => None,
        };
        if let Some(reason) = blocked {
            self.emit("rule_blocked", &json!({"rule": doc.id, "reason": reason}));
            let samples = match (self.mutation, hold) {
                (Some(Mutation::BlockKeepsSamples), Some(hold)) => hold.samples,
                _ => 0,
            };
            return self.set_phase(
                &doc.id,
                Phase::Pending(Hold {
                    start: self.now,
                    samples,
                }),
            );
        }
        self.emit("rule_fired", &json!({"rule": doc.id}));
        let is_patient =
            end == Truth::Unknown && self.mutation != Some(Mutation::PatienceIsForgottenOnFiring);
        let later = doc
            .actions
            .iter()
            .enumerate()
            .filter(|(_, a)| a.delay_ms > 0);
        let actions = later.map(|(n, a)| (self.now + a.delay_ms, n)).collect();
        let unknown_since = is_patient.then_some(self.now);
        self.set_phase(
            &doc.id,
            Phase::Running {
                hold: None,
                unknown_since,
                actions,
            },
        );
        for action in doc.actions.iter().filter(|a| a.delay_ms == 0) {
            self.act(doc, action);
        }
    }

    /// Ends a running rule; then it is idle, and pending at once if its trigger is TRUE.
    pub(crate) fn stop_rule(&mut self, id: &str, reason: &str) {
        self.emit("rule_stopped", &json!({"rule": id, "reason": reason}));
        self.drop_claims(id);
        let samples = match (self.mutation, &self.rules[id].phase) {
            (
                Some(Mutation::StopKeepsSamples),
                Phase::Running {
                    hold: Some(hold), ..
                },
            ) => hold.samples,
            _ => 0,
        };
        let is_true = self.truth(&self.rules[id].doc.trigger) == Truth::True;
        let pending = Phase::Pending(Hold {
            start: self.now,
            samples,
        });
        self.set_phase(id, if is_true { pending } else { Phase::Idle });
    }

    /// Ends whatever the rule does because its document, or what its conditions resolve to, changes.
    pub(crate) fn deactivate_rule(&mut self, id: &str) {
        if matches!(self.rules[id].phase, Phase::Running { .. }) {
            self.stop_rule(id, "deactivated");
        }
        self.set_phase(id, Phase::Idle);
    }

    pub(crate) fn put_rule(&mut self, doc: RuleDoc) {
        let id = doc.id.clone();
        if let Some(stored) = self.rules.get(&id) {
            if *stored.doc == doc && self.mutation != Some(Mutation::EqualPutIsAnEdit) {
                return;
            }
            self.deactivate_rule(&id);
        }
        self.rules.insert(
            id.clone(),
            Rule {
                doc: Arc::new(doc),
                phase: Phase::Idle,
            },
        );
        self.evaluate_rule(&id, None, true);
    }

    pub(crate) fn delete_rule(&mut self, id: &str) {
        if !self.rules.contains_key(id) {
            return;
        }
        let before: Vec<_> = self
            .devices
            .values()
            .map(|d| (d.doc.id.clone(), d.claims.clone()))
            .collect();
        self.deactivate_rule(id);
        self.rules.remove(id);
        if self.mutation == Some(Mutation::DeleteKeepsClaims) {
            for (device, claims) in before {
                self.device_mut(&device).claims = claims;
            }
        }
    }

    /// The delayed actions due by now, as (when, rank of the rule, place in the list, rule), in that order.
    pub(crate) fn actions_due(&self) -> Vec<(i64, usize, usize, String)> {
        let mut due = Vec::new();
        for (rank, id) in self.rules_in_order().into_iter().enumerate() {
            if let Phase::Running { actions, .. } = &self.rules[&id].phase {
                due.extend(
                    actions
                        .iter()
                        .filter(|(at, _)| *at <= self.now)
                        .map(|(at, n)| (*at, rank, *n, id.clone())),
                );
            }
        }
        due.sort();
        due
    }

    /// Takes an action off a running rule's list and returns it with its rule.
    pub(crate) fn take_action(
        &mut self,
        id: &str,
        place: usize,
    ) -> Option<(Arc<RuleDoc>, crate::document::Action)> {
        let rule = self.rules.get_mut(id)?;
        let Phase::Running { actions, .. } = &mut rule.phase else {
            return None;
        };
        actions.retain(|(_, n)| *n != place);
        Some((rule.doc.clone(), rule.doc.actions[place].clone()))
    }
}
