//! Where a rule stands, and why.

use std::collections::BTreeSet;

use super::change::Wanted;
use super::leaf::Lister;
use super::{Change, DeviceOutcome, Outcome, PartExplanation, PartRole, RuleExplanation, StepKind};
use crate::document::{
    IfUnknown, NodeKind, NodeSpec, OnSignalLost, RuleSpec, ScopeSpec, TriggerSpec, WhenSpec,
};
use crate::engine::Engine;
use crate::program::{Held, Tree};
use crate::rule::clear_after;
use crate::status::{HoldStatus, RulePhase, RuleStatus};
use crate::time::{Duration, Timestamp};
use crate::truth::Truth;

impl Engine {
    /// Where a rule stands at the engine's clock, and why; none of one that is not known.
    #[must_use]
    pub fn explain_rule(&self, id: &str) -> Option<RuleExplanation> {
        let ix = self.state.rules.index(id)?;
        let status = self.rule(id)?;
        let parts = self.explain_parts(ix, &status, true);
        let (to_start, to_stop) = match status.phase {
            RulePhase::Running { .. } => (None, Some(self.to_stop(&status, &parts))),
            _ => (Some(self.to_start(&status, &parts)), None),
        };
        let devices = self.outcomes(&status.spec);
        Some(RuleExplanation {
            status,
            parts,
            to_start,
            to_stop,
            devices,
        })
    }

    /// The conditions of a rule, each with what it comes to; the sensors of comparisons only where they are to be listed.
    pub(super) fn explain_parts(
        &self,
        ix: u32,
        status: &RuleStatus,
        listed: bool,
    ) -> Vec<PartExplanation> {
        let spec = &status.spec;
        let program = self.state.programs.get(ix);
        let trigger_place = spec.trigger.as_condition().and_then(|c| c.scope.as_ref());
        let trigger_place = trigger_place.unwrap_or(&spec.scope);
        let stop_place = match &spec.stop_condition {
            Some(WhenSpec::Condition(_)) => trigger_place,
            _ => &spec.scope,
        };
        let (pending, ending) = match status.phase {
            RulePhase::Pending { hold } => (Some(hold), None),
            RulePhase::Running { ending, .. } => (None, ending),
            RulePhase::Idle => (None, None),
        };
        let mut parts = Vec::new();
        let trigger = program.and_then(|p| p.trigger.tree());
        match &spec.trigger {
            TriggerSpec::When(when) => {
                let ends = ending.filter(|_| spec.stop_condition.is_none());
                let of = (PartRole::Trigger, when.duration(), pending.or(ends));
                parts.push(self.part(of, &root_of(when), &spec.scope, (trigger, listed)));
            }
            TriggerSpec::Schedule(schedule) => {
                if let Some(guard) = &schedule.guard {
                    let of = (PartRole::Guard, Duration::ZERO, None);
                    parts.push(self.part(of, guard, &spec.scope, (trigger, listed)));
                }
            }
        }
        if let Some(stop) = &spec.stop_condition {
            let of = (PartRole::Stop, stop.duration(), ending);
            let tree = program.and_then(|p| p.stop.as_ref());
            parts.push(self.part(of, &root_of(stop), stop_place, (tree, listed)));
        }
        parts
    }

    fn part(
        &self,
        (role, length, hold): (PartRole, Duration, Option<HoldStatus>),
        root: &NodeSpec,
        place: &ScopeSpec,
        (tree, listed): (Option<&Tree>, bool),
    ) -> PartExplanation {
        let held: &[Option<Held>] = tree.map_or(&[], Tree::standing);
        let nodes = Lister::new(self, place, held, listed).list(root);
        PartExplanation {
            role,
            truth: nodes.first().map_or(Truth::Unknown, |n| n.truth),
            length,
            hold,
            nodes,
        }
    }

    fn now(&self) -> Timestamp {
        self.state.clock.unwrap_or(Timestamp::from_millis(0))
    }

    fn samples_needed(&self, part: PartRole, parts: &[PartExplanation]) -> u8 {
        let has_signal = |p: &&PartExplanation| {
            let is_signal = |n: &super::NodeExplanation| matches!(n.said, super::Said::Signal(_));
            p.role == part && p.nodes.iter().any(is_signal)
        };
        match parts.iter().find(has_signal) {
            Some(_) => self.state.min_samples(),
            None => 0,
        }
    }

    /// What must come together for a rule that does not run to start.
    fn to_start(&self, status: &RuleStatus, parts: &[PartExplanation]) -> Change {
        let (spec, now) = (&status.spec, self.now());
        let mut wanted = Wanted::new(self, parts, now);
        wanted.change.activate = !spec.is_active();
        let mut due = None;
        match &spec.trigger {
            TriggerSpec::When(when) => {
                let delay = wanted.want(PartRole::Trigger, true, when.duration());
                let fresh = wanted.change.leaves.is_empty() && delay == Duration::ZERO;
                let pending = match status.phase {
                    RulePhase::Pending { hold } if fresh => Some(hold),
                    _ => None,
                };
                let needed = self.samples_needed(PartRole::Trigger, parts);
                let (hold, samples) = match pending {
                    Some(h) => (rest_of(h, now), h.samples_needed.saturating_sub(h.samples)),
                    None => (delay + when.duration(), needed),
                };
                wanted.change.hold = hold;
                wanted.change.samples = wanted.change.samples.max(samples);
                due = Some(now + hold);
            }
            TriggerSpec::Schedule(schedule) => {
                let skips = schedule.if_unknown != Some(IfUnknown::Run);
                match wanted.truth(PartRole::Guard) {
                    None | Some(Truth::True) => {}
                    Some(Truth::Unknown) if !skips => {}
                    Some(_) => {
                        wanted.change.hold = wanted.want(PartRole::Guard, true, Duration::ZERO);
                    }
                }
                due = status.next_start.or(due);
            }
        }
        let may_block = match wanted.truth(PartRole::Stop) {
            None => false,
            Some(Truth::Unknown) => spec.on_signal_lost == OnSignalLost::Stop,
            // Where it is false, a branch of it may be about to be full.
            Some(Truth::True | Truth::False) => true,
        };
        if may_block {
            let hold = wanted.change.hold;
            let delay = wanted.want(PartRole::Stop, false, hold);
            wanted.change.hold = hold.max(delay);
            // What lets it start must not keep it from starting.
            let role = match &spec.trigger {
                TriggerSpec::When(_) => PartRole::Trigger,
                TriggerSpec::Schedule(_) => PartRole::Guard,
            };
            wanted.keeps(role, true, hold);
        }
        finish(wanted.change, due)
    }

    /// What must come together for a rule that runs to stop.
    fn to_stop(&self, status: &RuleStatus, parts: &[PartExplanation]) -> Change {
        let (spec, now) = (&status.spec, self.now());
        let mut wanted = Wanted::new(self, parts, now);
        let end = match (&spec.stop_condition, &spec.trigger) {
            (Some(stop), _) => Some((PartRole::Stop, true, stop.duration())),
            (None, TriggerSpec::When(when)) => {
                Some((PartRole::Trigger, false, clear_after(when.duration())))
            }
            (None, TriggerSpec::Schedule(_)) => None,
        };
        let Some((role, to, length)) = end else {
            let change = wanted.change;
            return finish(change, status.run_until);
        };
        let delay = wanted.want(role, to, length);
        let fresh = wanted.change.leaves.is_empty() && delay == Duration::ZERO;
        let ending = match status.phase {
            RulePhase::Running { ending, .. } if fresh => ending,
            _ => None,
        };
        let needed = self.samples_needed(role, parts);
        let (hold, samples) = match ending {
            Some(h) => (rest_of(h, now), h.samples_needed.saturating_sub(h.samples)),
            None => (delay + length, needed),
        };
        wanted.change.hold = hold;
        wanted.change.samples = wanted.change.samples.max(samples);
        let by_itself = finish(wanted.change.clone(), Some(now + hold)).at;
        Change {
            at: by_itself.into_iter().chain(status.run_until).min(),
            ..wanted.change
        }
    }

    /// What becomes of what a rule wants, device by device, in the order of its actions.
    pub(super) fn outcomes(&self, spec: &RuleSpec) -> Vec<DeviceOutcome> {
        let mut seen = BTreeSet::new();
        let named = spec.actions.iter().map(|a| &a.device_id);
        let named = named.filter(|id| seen.insert(*id));
        named
            .filter_map(|id| self.outcome(spec, id.as_str()))
            .collect()
    }

    fn outcome(&self, spec: &RuleSpec, id: &str) -> Option<DeviceOutcome> {
        let device = self.explain_device(id)?;
        let own = |s: &&super::Step| matches!(&s.what, StepKind::Claim { claim, .. } if claim.rule == spec.id.as_str());
        let claim = device.steps.iter().find(own).and_then(|s| s.setting);
        let outcome = match device.steps.get(device.decides).map(|s| &s.what) {
            Some(StepKind::Lock(_)) => Outcome::Locked,
            Some(StepKind::Safety) => Outcome::Safety,
            Some(StepKind::Manual(_)) => Outcome::Manual,
            Some(StepKind::Limit(reason)) => match device.status.desired_by == spec.id.as_str() {
                true => Outcome::Held(*reason),
                false => self
                    .outranked(spec, &device)
                    .unwrap_or(Outcome::Held(*reason)),
            },
            _ => self.outranked(spec, &device).unwrap_or(Outcome::Free),
        };
        let outcome = match outcome {
            Outcome::Free | Outcome::Held(_) if !device.status.online => Outcome::Offline,
            other => other,
        };
        Some(DeviceOutcome {
            id: device.status.spec.id.clone(),
            name: device.status.spec.name.clone(),
            wanted: claim,
            outcome,
        })
    }

    /// The rule that has a device, where it is another and would keep it.
    fn outranked(&self, spec: &RuleSpec, device: &super::DeviceExplanation) -> Option<Outcome> {
        let winner = device.status.claims.first()?;
        let has_claim = device
            .status
            .claims
            .iter()
            .any(|c| c.rule == spec.id.as_str());
        let stronger = winner.rule != spec.id.as_str()
            && (has_claim || !self.would_win(spec, &winner.rule, winner.priority));
        stronger.then(|| Outcome::Outranked {
            rule: winner.rule.as_str().into(),
            name: self.rule_name(&winner.rule).unwrap_or_default(),
        })
    }

    /// Whether a claim of this rule, put now, would be stronger than another's that is there.
    fn would_win(&self, spec: &RuleSpec, other: &str, priority: u8) -> bool {
        let width = |id: &str| {
            let rule = self.state.rules.get(self.state.rules.index(id)?)?;
            Some(rule.specificity)
        };
        (spec.priority, width(spec.id.as_str())) > (priority, width(other))
    }
}

/// The tree of a condition; one of version 1 is a leaf.
fn root_of(when: &WhenSpec) -> NodeSpec {
    match when {
        WhenSpec::Tree(tree) => tree.node.clone(),
        WhenSpec::Condition(condition) => NodeSpec {
            kind: NodeKind::Signal(condition.clone()),
            hold: Duration::ZERO,
        },
    }
}

fn rest_of(hold: HoldStatus, now: Timestamp) -> Duration {
    (hold.hold_since + hold.length - now).max(Duration::ZERO)
}

/// Something happens by itself where nothing but time is missing.
fn finish(change: Change, due: Option<Timestamp>) -> Change {
    let by_itself =
        !change.activate && change.leaves.is_empty() && change.samples == 0 && change.enough;
    Change {
        at: due.filter(|_| by_itself),
        ..change
    }
}
