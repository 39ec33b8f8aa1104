//! Rules: pending, running, stopped.

use std::sync::Arc;

use serde_json::json;

use crate::condition::Truth;
use crate::document::RuleDoc;
use crate::mutation::Mutation;
use crate::program::Trigger;
use crate::state::{Hold, Model, Phase, Rule};
use crate::tree::{Branches, Look, Node};

/// How long a running rule waits for a lost signal, if it is told to hold.
pub(crate) const SIGNAL_LOSS_GRACE_MS: i64 = 3_600_000;

/// What a rule's conditions say when a pass begins.
#[derive(Debug, Clone, Copy)]
struct Seen {
    trigger: Truth,
    end: Truth,
    guard: Truth,
    trigger_sample: bool,
    end_sample: bool,
    needs: Needs,
}

/// Whether the holds of a rule's trigger and end condition need samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    pub(crate) trigger: bool,
    pub(crate) end: bool,
}

impl Model {
    /// The tree on which a rule ends, if there is one.
    pub(crate) fn end_tree(doc: &RuleDoc) -> Option<&Node> {
        let stop = doc.stop.as_ref().map(|(tree, _)| tree);
        stop.or(doc.trigger.tree())
    }

    pub(crate) fn end_ms(doc: &RuleDoc) -> i64 {
        match &doc.stop {
            Some((_, length)) => *length,
            None => doc.trigger_ms.min(60_000),
        }
    }

    /// What needs samples now: what has a signal and is not TRUE without its signals.
    pub(crate) fn needs_samples(&self, doc: &RuleDoc, branches: &Branches) -> Needs {
        let always = self.mutation == Some(Mutation::SamplesAlwaysNeeded);
        // The tree's number, and what it is to come to.
        let needs = |tree: Option<&Node>, number: usize, truth: Truth| {
            let is_alone = |t: &Node| self.without_signals(t, &[number], branches) == truth;
            tree.is_some_and(|t| t.has_signal() && (always || !is_alone(t)))
        };
        let end = match &doc.stop {
            Some((tree, _)) => needs(Some(tree), 1, Truth::True),
            None => needs(doc.trigger.tree(), 0, Truth::False),
        };
        Needs {
            trigger: needs(doc.trigger.tree(), 0, Truth::True),
            end,
        }
    }

    /// Looks at rules again, in passes: those that name one that starts or stops running are looked at in the next.
    pub(crate) fn look_at_rules(&mut self, ids: &[String], look: Look<'_>, resumes: bool) {
        let (mut ids, mut look, mut resumes) = (ids.to_vec(), look, resumes);
        while !ids.is_empty() {
            let sees_new = self.mutation == Some(Mutation::PassSeesNewPhases);
            let active = |id: &String| self.rules.get(id).is_some_and(|r| r.doc.is_active());
            ids.retain(active);
            let mut seen: Vec<Seen> = ids.iter().map(|id| self.see(id, look)).collect();
            let before: Vec<bool> = ids.iter().map(|id| self.rules[id].is_running()).collect();
            for (n, id) in ids.iter().enumerate() {
                if sees_new {
                    seen[n] = self.see(
                        id,
                        Look {
                            sample: None,
                            ..look
                        },
                    );
                }
                self.act_on(id, seen[n], look.completes, resumes);
            }
            let changed = ids.iter().zip(before);
            let changed: Vec<&String> = changed
                .filter(|(id, was)| self.rules[*id].is_running() != *was)
                .map(|(id, _)| id)
                .collect();
            let names_one =
                |id: &String| (changed.iter()).any(|named| self.rules[id].doc.names_rule(named));
            let next = self
                .rules_in_order()
                .into_iter()
                .filter(names_one)
                .collect();
            (ids, look.sample, resumes) = (next, None, false);
        }
    }

    /// Finds what the conditions of a rule say now; holds of its branches start, complete and end.
    fn see(&mut self, id: &str, look: Look<'_>) -> Seen {
        let doc = self.rules[id].doc.clone();
        let mut branches = self.rules[id].branches.clone();
        let mut truths = [Truth::False; 3];
        for (number, tree) in doc.trees() {
            truths[number] = self.node_truth(tree, &[number], &mut branches, look);
        }
        let needs = self.needs_samples(&doc, &branches);
        if let Some(rule) = self.rules.get_mut(id) {
            rule.branches = branches;
        }
        let [trigger, stop, guard] = truths;
        let end = match (&doc.stop, &doc.trigger) {
            (Some(_), _) => stop,
            (None, Trigger::Tree(_)) => trigger.not(),
            (None, Trigger::Schedule(_)) => Truth::False,
        };
        let is_sample =
            |tree: Option<&Node>| tree.is_some_and(|t| self.is_sample_of(t, look.sample));
        Seen {
            trigger,
            end,
            guard,
            trigger_sample: is_sample(doc.trigger.tree()),
            end_sample: is_sample(Self::end_tree(&doc)),
            needs,
        }
    }

    /// A rule does what follows from what its conditions say; `completes` allows holds to act.
    fn act_on(&mut self, id: &str, seen: Seen, completes: bool, resumes: bool) {
        let Rule { doc, phase, .. } = self.rules[id].clone();
        match phase {
            Phase::Idle | Phase::Pending(_) => {
                let before = if let Phase::Pending(hold) = phase {
                    Some(hold)
                } else {
                    None
                };
                let hold = self.held(before, seen.trigger, seen.trigger_sample);
                self.set_phase(id, hold.map_or(Phase::Idle, Phase::Pending));
                if completes && self.is_complete(hold, doc.trigger_ms, seen.needs.trigger) {
                    self.begin_run(&doc, seen.end, hold);
                }
            }
            Phase::Running {
                hold,
                unknown_since,
                actions,
                until,
            } => {
                let hold = self.held(hold, seen.end, seen.end_sample);
                let unknown_since = match seen.end {
                    Truth::Unknown => Some(unknown_since.unwrap_or(self.now)),
                    Truth::True | Truth::False => None,
                };
                self.set_phase(
                    id,
                    Phase::Running {
                        hold,
                        unknown_since,
                        actions,
                        until,
                    },
                );
                let ends = self.is_complete(hold, Self::end_ms(&doc), seen.needs.end);
                let is_over = completes && until.is_some_and(|t| t <= self.now);
                let runs_end_first = self.mutation == Some(Mutation::RunEndsFirst);
                let is_lost = seen.end == Truth::Unknown && doc.on_signal_lost != "hold"
                    || completes
                        && unknown_since.is_some_and(|t| t + SIGNAL_LOSS_GRACE_MS <= self.now);
                let reason = if is_over && runs_end_first {
                    Some("run_ended")
                } else if completes && ends {
                    Some(match doc.stop {
                        Some(_) => "stop_condition",
                        None => "trigger_cleared",
                    })
                } else if is_lost {
                    Some("signal_lost")
                } else {
                    is_over.then_some("run_ended")
                };
                if let Some(reason) = reason {
                    self.stop_rule(id, reason, seen.trigger);
                }
            }
        }
        if completes {
            self.handle_starts(&doc, seen, resumes);
        }
    }

    fn handle_starts(&mut self, doc: &RuleDoc, seen: Seen, resumes: bool) {
        let Trigger::Schedule(schedule) = &doc.trigger else {
            return;
        };
        let handled = self.rules[&doc.id].handled;
        let starts = self.starts(doc).into_iter();
        let mut due: Vec<i64> = starts.filter(|s| *s > handled && *s <= self.now).collect();
        if let Some(rule) = self.rules.get_mut(&doc.id) {
            rule.handled = rule.handled.max(self.now);
        }
        if resumes {
            let (now, most) = (self.now, schedule.catch_up_ms);
            let is_caught_up = |s: &i64| most > 0 && now - s <= most;
            let takes_all = self.mutation == Some(Mutation::CatchUpTakesAll);
            let kept = match due.last().copied().filter(is_caught_up) {
                Some(_) if takes_all => std::mem::take(&mut due),
                Some(last) => {
                    due.pop();
                    vec![last]
                }
                None => Vec::new(),
            };
            if let Some(first) = due.first() {
                self.emit(
                    "start_skipped",
                    &json!({"rule": doc.id, "reason": "missed", "start": first, "count": due.len()}),
                );
            }
            due = kept;
        }
        for start in due {
            self.handle_start(doc, start, seen);
        }
    }

    fn handle_start(&mut self, doc: &RuleDoc, start: i64, seen: Seen) {
        let Trigger::Schedule(schedule) = &doc.trigger else {
            return;
        };
        let starts_unknown = |run: bool| run || self.mutation == Some(Mutation::UnknownGuardStarts);
        let guarded = match &schedule.guard {
            Some(_) if seen.guard == Truth::False => Some("guard"),
            Some((_, run)) if seen.guard == Truth::Unknown && !starts_unknown(*run) => {
                Some("unknown")
            }
            _ => None,
        };
        let skipped = match self.rules[&doc.id].is_running() {
            true => Some("running"),
            false => guarded,
        };
        match skipped {
            Some(reason) => self.emit(
                "start_skipped",
                &json!({"rule": doc.id, "reason": reason, "start": start}),
            ),
            None => self.begin_run(doc, seen.end, None),
        }
    }

    pub(crate) fn set_phase(&mut self, id: &str, phase: Phase) {
        if let Some(rule) = self.rules.get_mut(id) {
            rule.phase = phase;
        }
    }

    /// A trigger's hold is complete, or a start has come: the rule fires, or is blocked.
    fn begin_run(&mut self, doc: &RuleDoc, end: Truth, hold: Option<Hold>) {
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
            let again = hold.map(|_| Hold {
                start: self.now,
                samples,
            });
            return self.set_phase(&doc.id, again.map_or(Phase::Idle, Phase::Pending));
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
                until: doc.run_ms.map(|ms| self.now + ms),
            },
        );
        for action in doc.actions.iter().filter(|a| a.delay_ms == 0) {
            self.act(doc, action);
        }
    }

    /// Ends a running rule; then it is idle, and pending at once if its trigger is TRUE.
    fn stop_rule(&mut self, id: &str, reason: &str, trigger: Truth) {
        self.emit("rule_stopped", &json!({"rule": id, "reason": reason}));
        self.drop_claims(id, reason != "deactivated");
        let samples = match (self.mutation, &self.rules[id].phase) {
            (
                Some(Mutation::StopKeepsSamples),
                Phase::Running {
                    hold: Some(hold), ..
                },
            ) => hold.samples,
            _ => 0,
        };
        let pending = Phase::Pending(Hold {
            start: self.now,
            samples,
        });
        self.set_phase(
            id,
            if trigger == Truth::True {
                pending
            } else {
                Phase::Idle
            },
        );
    }

    /// Ends whatever the rule does because its document, or what its conditions resolve to, changes.
    pub(crate) fn deactivate_rule(&mut self, id: &str) {
        if self.rules[id].is_running() {
            self.stop_rule(id, "deactivated", Truth::False);
        }
        self.drop_claims(id, false);
        let keeps = self.mutation == Some(Mutation::EditKeepsBranches);
        let now = self.now;
        if let Some(rule) = self.rules.get_mut(id) {
            rule.phase = Phase::Idle;
            rule.handled = now;
            if !keeps {
                rule.branches.clear();
            }
        }
    }

    pub(crate) fn put_rule(&mut self, doc: RuleDoc) {
        let id = doc.id.clone();
        if let Some(stored) = self.rules.get(&id) {
            if *stored.doc == doc && self.mutation != Some(Mutation::EqualPutIsAnEdit) {
                return;
            }
            self.deactivate_rule(&id);
        }
        let branches = match (self.mutation, self.rules.get(&id)) {
            (Some(Mutation::EditKeepsBranches), Some(rule)) => rule.branches.clone(),
            _ => Branches::new(),
        };
        let rule = Rule {
            branches,
            ..Rule::new(doc, self.now)
        };
        self.rules.insert(id, rule);
        self.evaluate_all(None, true);
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
        self.evaluate_all(None, true);
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
