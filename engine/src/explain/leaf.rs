//! A condition as its nodes, and what each of them comes to now.

use super::{BranchHold, ComparedSetpoint, NodeExplanation, Said};
use crate::document::{ConditionSpec, NodeKind, NodeSpec, ScopeSpec, SetpointConditionSpec};
use crate::engine::Engine;
use crate::hold::HoldRequirement;
use crate::program::{Held, Kind};
use crate::quantity::Quantity;
use crate::setpoint;
use crate::time::{Duration, Timestamp};
use crate::truth::Truth;

/// The instant of an engine that has no clock yet.
const BEFORE_ALL: Timestamp = Timestamp::from_millis(i64::MIN);

/// Lists the nodes of a tree.
pub(super) struct Lister<'a> {
    pub(super) engine: &'a Engine,
    /// Where its comparisons look that name no place.
    pub(super) place: &'a ScopeSpec,
    /// The holds of its branches, in the order of the compiled tree: each node after those below it. Empty of one that is not
    /// active.
    pub(super) held: &'a [Option<Held>],
    /// Whether the sensors of comparisons are listed.
    pub(super) listed: bool,
    /// How many nodes were compiled so far.
    compiled: usize,
    nodes: Vec<NodeExplanation>,
}

impl<'a> Lister<'a> {
    pub(super) const fn new(
        engine: &'a Engine,
        place: &'a ScopeSpec,
        held: &'a [Option<Held>],
        listed: bool,
    ) -> Self {
        Self {
            engine,
            place,
            held,
            listed,
            compiled: 0,
            nodes: Vec::new(),
        }
    }

    pub(super) fn list(mut self, root: &NodeSpec) -> Vec<NodeExplanation> {
        self.add(root, 0);
        self.nodes
    }

    fn add(&mut self, spec: &NodeSpec, depth: u8) -> Truth {
        let at = self.nodes.len();
        let (said, leaf) = self.said(spec);
        self.nodes.push(NodeExplanation {
            depth,
            said,
            truth: Truth::Unknown,
            below: Truth::Unknown,
            held: None,
        });
        let branches = spec.branches().iter();
        let truths: Vec<Truth> = branches.map(|b| self.add(b, depth + 1)).collect();
        let truths = truths.into_iter();
        let below = match &spec.kind {
            NodeKind::All(_) => Truth::all(truths),
            NodeKind::Any(_) => Truth::any(truths),
            NodeKind::Not(_) => Truth::all(truths).not(),
            _ => leaf,
        };
        let held = self.held.get(self.compiled).copied().flatten();
        self.compiled += 1;
        let held = (spec.hold > Duration::ZERO).then(|| {
            let samples = match spec.has_signal() {
                true => self.engine.state.min_samples(),
                false => 0,
            };
            BranchHold {
                length: spec.hold,
                since: held.map(|h| h.hold.since),
                samples: held.map_or(0, |h| h.hold.samples),
                samples_needed: HoldRequirement::new(spec.hold, samples).samples,
                complete: held.is_some_and(|h| h.complete),
            }
        });
        let truth = match held {
            Some(held) if below == Truth::True && !held.complete => Truth::False,
            _ => below,
        };
        if let Some(node) = self.nodes.get_mut(at) {
            (node.truth, node.below, node.held) = (truth, below, held);
        }
        truth
    }

    /// A comparison with a setpoint, as one with the number that this comes to now.
    fn compared(&self, compared: &SetpointConditionSpec) -> (Said, Truth) {
        let state = &self.engine.state;
        let now = state.clock.unwrap_or(BEFORE_ALL);
        let setpoint = setpoint::find(&state.farm.settings.setpoints, &compared.setpoint);
        let value = setpoint.and_then(|s| s.value(&state.almanac, now));
        let threshold = value.map(|v| v.as_micro() + compared.offset.as_micro());
        let condition = ConditionSpec {
            sensor_type: compared.sensor_type,
            operator: compared.operator,
            value: Quantity::from_micro(threshold.unwrap_or_default()),
            value_max: None,
            duration: Duration::ZERO,
            scope: compared.scope.clone(),
        };
        let mut signal = self
            .engine
            .explain_signal(&condition, self.place, self.listed);
        let truth = match signal.mean.filter(|_| value.is_some()) {
            None => Truth::Unknown,
            Some(mean) if condition.holds(mean) => Truth::True,
            Some(_) => Truth::False,
        };
        signal.setpoint = Some(ComparedSetpoint {
            id: compared.setpoint.clone(),
            name: setpoint.map_or_else(String::new, |s| s.name.clone()),
            offset: compared.offset,
            value,
        });
        (Said::Signal(Box::new(signal)), truth)
    }

    /// What a node says, and of a leaf what it comes to.
    fn said(&self, spec: &NodeSpec) -> (Said, Truth) {
        let engine = self.engine;
        let kind = match &spec.kind {
            NodeKind::All(_) => return (Said::All, Truth::Unknown),
            NodeKind::Any(_) => return (Said::Any, Truth::Unknown),
            NodeKind::Not(_) => return (Said::Not, Truth::Unknown),
            NodeKind::Signal(condition) => {
                let signal = engine.explain_signal(condition, self.place, self.listed);
                let truth = match signal.mean {
                    None => Truth::Unknown,
                    Some(mean) if condition.holds(mean) => Truth::True,
                    Some(_) => Truth::False,
                };
                return (Said::Signal(Box::new(signal)), truth);
            }
            NodeKind::Setpoint(compared) => return self.compared(compared),
            NodeKind::Time(window) => Kind::Time(*window),
            NodeKind::Days(days) => Kind::Days(*days),
            NodeKind::Dates(dates) => Kind::Dates(*dates),
            NodeKind::Rule(id) => Kind::Rule(id.clone()),
            NodeKind::Device { id, on } => Kind::Device {
                id: id.clone(),
                on: *on,
            },
        };
        let now = engine.state.clock.unwrap_or(BEFORE_ALL);
        let truth = engine.state.surroundings(now).truth(&kind, now);
        let said = match kind {
            Kind::Days(days) => Said::Days(days),
            Kind::Dates(dates) => Said::Dates(dates),
            Kind::Rule(id) => Said::Rule {
                name: engine.rule_name(id.as_str()).unwrap_or_default(),
                id,
            },
            Kind::Device { id, on } => {
                let device = engine.device_ref(id.as_str());
                Said::Device {
                    name: device.map_or_else(String::new, |d| d.spec.name.clone()),
                    reported: device.filter(|d| d.online).and_then(|d| d.running),
                    id,
                    on,
                }
            }
            Kind::Time(window) => Said::Time(window),
            Kind::Signal(_) | Kind::All(_) | Kind::Any(_) | Kind::Not => Said::All,
        };
        (said, truth)
    }
}
