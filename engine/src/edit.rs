//! Rules and alerts come and go: saved, edited, deleted while the farm runs.
//!
//! Both in the same way: a document that says the same in all that matters disturbs nothing; else what was there ends, the
//! document is compiled anew and its conditions are evaluated in the same step.

use crate::alert::Alert;
use crate::compile::{CompiledConditions, CompiledRule};
use crate::document::{AlertSpec, ConditionSpec, CurveSpec, RuleSpec, WhenSpec};
use crate::engine::Engine;
use crate::event::{Event, EventKind, ResolveReason, StopReason};
use crate::id::{AlertId, RuleId};
use crate::place::PlaceIx;
use crate::problem::Problems;
use crate::rule::{Phase, Transition};
use crate::signal::Owner;
use crate::state::{MAX_REMEMBERED, State};
use crate::time::Timestamp;

impl Engine {
    pub(crate) fn put_rule(
        &mut self,
        spec: &RuleSpec,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<(), Problems> {
        let compiled = self.state.compile_rule(spec)?;
        self.state.check_dependencies(spec)?;
        if let Some(ix) = self.state.rules.index(spec.id.as_str()) {
            if self.state.same_rule(ix, spec, &compiled) {
                self.state.relabel_rule(ix, spec);
                return Ok(());
            }
            self.end_rule(ix, now, events);
            self.state.note_withdrawn(ix, spec, now);
        }
        if planted!(EditRestartsOtherHolds) {
            self.restart_holds(now);
        }
        let ix = self.state.put_rule(spec, &compiled);
        self.state.attach_rule(ix, spec, &compiled);
        self.dirty.push(Owner::Rule(ix));
        Ok(())
    }

    /// Part of a planted mistake.
    fn restart_holds(&mut self, now: Timestamp) {
        for ix in self.state.rules.indices() {
            if let Some(rule) = self.state.rules.get_mut(ix) {
                let seen = crate::program::Seen {
                    signals: &self.state.signals,
                    programs: &self.state.programs,
                };
                rule.change_hold(seen, |_| crate::hold::Hold::new(now));
            }
            self.watch_rule(ix);
        }
    }

    pub(crate) fn delete_rule(&mut self, id: &RuleId, now: Timestamp, events: &mut Vec<Event>) {
        if let Some(ix) = self.state.rules.index(id.as_str()) {
            self.end_rule(ix, now, events);
            self.state.withdrawn.remove(id);
            self.state.remove_rule(id);
        }
    }

    /// The rule stops if it is running, and ends in any case; what becomes of it then is the caller's.
    pub(crate) fn end_rule(&mut self, ix: u32, now: Timestamp, events: &mut Vec<Event>) {
        let Some(rule) = self.state.rules.get_mut(ix) else {
            return;
        };
        let was_running = matches!(rule.phase, Phase::Running { .. });
        rule.phase = Phase::Idle;
        if !(planted!(DeleteKeepsClaim) && was_running) {
            self.drop_claims(ix);
        }
        if was_running {
            self.perform(
                ix,
                Transition::Stopped(StopReason::Deactivated),
                now,
                events,
            );
        }
        self.state.detach_rule(ix);
    }

    pub(crate) fn put_alert(
        &mut self,
        spec: &AlertSpec,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<(), Problems> {
        let watches = self.state.compile_alert(spec)?;
        let mut last_notified = self.state.remembered.remove(&spec.id);
        if let Some(ix) = self.state.alerts.index(spec.id.as_str()) {
            if self.state.same_alert(ix, spec) {
                if let Some(alert) = self.state.alerts.get_mut(ix) {
                    *alert.spec = spec.clone();
                }
                return Ok(());
            }
            let reason = if spec.is_active {
                ResolveReason::Changed
            } else {
                ResolveReason::Disabled
            };
            self.end_alert(ix, reason, now, events);
            last_notified = self.state.alerts.get(ix).and_then(|a| a.last_notified);
        }
        let (ix, _) = self.state.alerts.put(Alert::new(spec, last_notified));
        self.state.attach_alert(ix, &watches);
        self.dirty.push(Owner::Alert(ix));
        Ok(())
    }

    pub(crate) fn delete_alert(&mut self, id: &AlertId, now: Timestamp, events: &mut Vec<Event>) {
        let Some(ix) = self.state.alerts.index(id.as_str()) else {
            return;
        };
        self.end_alert(ix, ResolveReason::Deleted, now, events);
        if let Some(last) = self
            .state
            .alerts
            .remove(id.as_str())
            .and_then(|a| a.last_notified)
        {
            self.state.remembered.insert(id.clone(), last);
            if self.state.remembered.len() > MAX_REMEMBERED {
                let oldest = self
                    .state
                    .remembered
                    .iter()
                    .min_by_key(|(_, at)| **at)
                    .map(|(id, _)| id.clone());
                oldest.map(|id| self.state.remembered.remove(&id));
            }
        }
    }

    /// The alert is resolved if it is active, and ends in any case; what becomes of it then is the caller's.
    pub(crate) fn end_alert(
        &mut self,
        ix: u32,
        reason: ResolveReason,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) {
        let Some(alert) = self.state.alerts.get_mut(ix) else {
            return;
        };
        if alert.end() {
            events.push(Event {
                at: now,
                kind: EventKind::AlertResolved {
                    alert: alert.spec.id.clone(),
                    reason,
                },
            });
        }
        self.state.memory.forget(ix);
        self.state.detach_alert(ix);
    }
}

impl State {
    /// Whether a rule document says the same as the stored one in all that matters.
    fn same_rule(&self, ix: u32, new: &RuleSpec, compiled: &CompiledRule) -> bool {
        let Some(old) = &self.rule_spec(ix) else {
            return false;
        };
        let Ok(was) = self.compile_rule(old) else {
            return false;
        };
        let conditions = match (&was.conditions, &compiled.conditions) {
            (CompiledConditions::Program(old), CompiledConditions::Program(new)) => {
                old.says_the_same(new)
            }
            (CompiledConditions::Signals { .. }, CompiledConditions::Signals { .. }) => {
                let condition =
                    |c: &ConditionSpec| (c.sensor_type, c.operator, c.value, c.value_max);
                let all = |spec: &RuleSpec, compiled: &CompiledRule| -> Vec<_> {
                    let stop = spec.stop_condition.iter().flat_map(WhenSpec::conditions);
                    let all = spec.trigger.conditions().into_iter().chain(stop);
                    let named = compiled.watches().into_iter().map(|w| w.named);
                    all.map(condition).zip(named).collect()
                };
                all(old, &was) == all(new, compiled)
            }
            _ => false,
        };
        let durations = |r: &RuleSpec| {
            let trigger = r.trigger.when().map(WhenSpec::duration);
            (trigger, r.stop_condition.as_ref().map(WhenSpec::duration))
        };
        let actions = |r: &RuleSpec| -> Vec<_> {
            r.actions
                .iter()
                .map(|a| {
                    let ends = (a.lasts, a.linger);
                    // The place of a curve is compared by what it names.
                    let curve = a.curve.as_deref().map(|c| CurveSpec {
                        scope: None,
                        ..c.clone()
                    });
                    (a.device_id.clone(), a.command.clone(), a.delay, ends, curve)
                })
                .collect()
        };
        let named = |r: &CompiledRule| -> Vec<_> { r.curves.iter().map(|w| w.named).collect() };
        was.place == compiled.place
            && conditions
            && named(&was) == named(compiled)
            && durations(old) == durations(new)
            && actions(old) == actions(new)
            && (old.mode, old.priority, old.deployed, old.on_signal_lost)
                == (new.mode, new.priority, new.deployed, new.on_signal_lost)
    }

    /// Whether an alert document says the same as the stored one in all that matters.
    fn same_alert(&self, ix: u32, new: &AlertSpec) -> bool {
        let Some(old) = self.alerts.get(ix).map(|a| &*a.spec) else {
            return false;
        };
        let place = |s: &AlertSpec| {
            s.scope
                .as_ref()
                .map_or(Ok(PlaceIx::FARM), |s| self.places.resolve(&self.farm, s))
                .ok()
        };
        let conditions = |s: &AlertSpec| -> Vec<_> {
            s.conditions
                .iter()
                .map(|c| (c.sensor, c.operator, c.value))
                .collect()
        };
        let rest = |s: &AlertSpec| {
            (
                s.repeats_in,
                s.repeat_unit,
                s.is_active,
                s.matching,
                s.hold,
                s.clear,
                s.evidence,
            )
        };
        let beside = |s: &AlertSpec| {
            let place = place(s)?;
            self.compile_only_if(s, place, &mut Problems::default())
        };
        let same = match (beside(old), beside(new)) {
            (Some(old), Some(new)) => old.says_the_same(&new),
            (old, new) => old.is_none() && new.is_none(),
        };
        same && place(old) == place(new)
            && conditions(old) == conditions(new)
            && rest(old) == rest(new)
    }
}
