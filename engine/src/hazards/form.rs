//! What rules come to, as formulas over signals, hours and reports of devices.

use super::excerpt::Excerpt;
use crate::document::{
    NodeKind, NodeSpec, OnSignalLost, RuleSpec, ScopeSpec, TriggerSpec, WhenSpec,
};
use crate::id::{DeviceId, SetpointId};
use crate::quantity::Quantity;
use crate::time::Timestamp;
use crate::truth::{Operator, Truth};

/// A set of truths, a bit each.
pub(super) type Truths = u8;
pub(super) const TRUE: Truths = 1;
pub(super) const FALSE: Truths = 2;
pub(super) const UNKNOWN: Truths = 4;

/// A formula.
#[derive(Debug, Clone)]
pub(super) enum Form {
    Known(Truth),
    /// A comparison, by its number in the excerpt.
    Compare(usize),
    /// A leaf of time, by its number there.
    Clock(usize),
    /// What a device is reported to do, by its number there, and whether it is to be on.
    Device(usize, bool),
    All(Vec<Form>),
    Any(Vec<Form>),
    Not(Box<Form>),
    /// Whether another's truth is one of these.
    Is(Box<Form>, Truths),
}

/// A comparison of a signal of the excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Compare {
    pub(super) signal: usize,
    pub(super) operator: Operator,
    pub(super) threshold: Threshold,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Threshold {
    Value(Quantity, Quantity),
    Setpoint(SetpointId, Quantity),
}

/// What is known of all leaves.
pub(super) struct Leaves<'a> {
    pub(super) compares: &'a [Compare],
    /// What each is compared with, where that is known.
    pub(super) thresholds: &'a [Option<(i64, i64)>],
    pub(super) clocks: &'a [Truth],
    /// By signal: nothing said yet, or its mean, or that it is not known.
    pub(super) signals: &'a [Option<Option<i64>>],
    /// By device, likewise.
    pub(super) devices: &'a [Option<Option<bool>>],
    /// Whether what is not said may be unknown.
    pub(super) unknown: bool,
}

const fn bit(truth: Truth) -> Truths {
    match truth {
        Truth::True => TRUE,
        Truth::False => FALSE,
        Truth::Unknown => UNKNOWN,
    }
}

const fn not(of: Truths) -> Truths {
    (of & UNKNOWN) | ((of & TRUE) << 1) | ((of & FALSE) >> 1)
}

const fn both(a: Truths, b: Truths) -> Truths {
    let known = UNKNOWN | TRUE;
    let mut all = a & b & TRUE;
    if a & FALSE != 0 || b & FALSE != 0 {
        all |= FALSE;
    }
    if (a & UNKNOWN != 0 && b & known != 0) || (b & UNKNOWN != 0 && a & known != 0) {
        all |= UNKNOWN;
    }
    all
}

impl Form {
    pub(super) fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    pub(super) fn is(self, truths: Truths) -> Self {
        Self::Is(Box::new(self), truths)
    }

    /// What it may come to.
    pub(super) fn truths(&self, leaves: &Leaves<'_>) -> Truths {
        let open = TRUE | FALSE | if leaves.unknown { UNKNOWN } else { 0 };
        match self {
            Self::Known(truth) => bit(*truth),
            Self::Clock(n) => bit(leaves.clocks[*n]),
            Self::Device(n, on) => match leaves.devices[*n] {
                None => open,
                Some(None) => UNKNOWN,
                Some(Some(is)) if is == *on => TRUE,
                Some(Some(_)) => FALSE,
            },
            Self::Compare(n) => {
                let compare = &leaves.compares[*n];
                match (leaves.thresholds[*n], leaves.signals[compare.signal]) {
                    (None, _) | (_, Some(None)) => UNKNOWN,
                    (Some(_), None) => open,
                    (Some((value, max)), Some(Some(mean))) => {
                        match compare.operator.holds(value, max, mean, 1) {
                            true => TRUE,
                            false => FALSE,
                        }
                    }
                }
            }
            Self::All(of) => { of.iter() }.fold(TRUE, |all, f| both(all, f.truths(leaves))),
            Self::Any(of) => {
                not({ of.iter() }.fold(TRUE, |all, f| both(all, not(f.truths(leaves)))))
            }
            Self::Not(of) => not(of.truths(leaves)),
            Self::Is(of, truths) => {
                let of = of.truths(leaves);
                let holds = if of & truths != 0 { TRUE } else { 0 };
                holds | if of & !truths != 0 { FALSE } else { 0 }
            }
        }
    }

    /// Its leaves.
    pub(super) fn leaves<'f>(&'f self, all: &mut Vec<&'f Self>) {
        match self {
            Self::All(of) | Self::Any(of) => of.iter().for_each(|f| f.leaves(all)),
            Self::Not(of) | Self::Is(of, _) => of.leaves(all),
            leaf => all.push(leaf),
        }
    }
}

impl Excerpt<'_> {
    /// What a tree says; holds of its branches are left to the fold.
    pub(super) fn form(&mut self, node: &NodeSpec, place: &ScopeSpec) -> Form {
        let named = |scope: &Option<ScopeSpec>| scope.clone().unwrap_or_else(|| place.clone());
        let mut of = |of: &[NodeSpec]| of.iter().map(|n| self.form(n, place)).collect();
        match &node.kind {
            NodeKind::All(branches) => Form::All(of(branches)),
            NodeKind::Any(branches) => Form::Any(of(branches)),
            NodeKind::Not(branch) => self.form(branch, place).not(),
            NodeKind::Signal(c) => {
                let max = c.value_max.unwrap_or(c.value);
                let threshold = Threshold::Value(c.value, max);
                self.compare(&named(&c.scope), c.sensor_type, c.operator, threshold)
            }
            NodeKind::Setpoint(c) => {
                let threshold = Threshold::Setpoint(c.setpoint.clone(), c.offset);
                self.compare(&named(&c.scope), c.sensor_type, c.operator, threshold)
            }
            NodeKind::Device { id, on } => Form::Device(self.report(id), *on),
            NodeKind::Rule(id) => match self.rule(id.as_str()).cloned() {
                Some(rule) if rule.is_active() => self.running(&rule).is(TRUE),
                _ => Form::Known(Truth::False),
            },
            NodeKind::Time(_) | NodeKind::Days(_) | NodeKind::Dates(_) => self.clock(&node.kind),
        }
    }

    fn when(&mut self, when: &WhenSpec, place: &ScopeSpec) -> Form {
        match when {
            WhenSpec::Tree(tree) => self.form(&tree.node, place),
            WhenSpec::Condition(c) => {
                let node = NodeSpec {
                    kind: NodeKind::Signal(c.clone()),
                    hold: crate::time::Duration::ZERO,
                };
                self.form(&node, place)
            }
        }
    }

    /// What starts a rule.
    pub(super) fn trigger(&mut self, rule: &RuleSpec) -> Form {
        match &rule.trigger {
            TriggerSpec::When(when) => self.when(when, &rule.scope),
            TriggerSpec::Schedule(schedule) => {
                let run = rule.run.unwrap_or_default();
                let started = self.runs(schedule, run);
                let guard = schedule.guard.as_ref();
                let guard = guard.map(|g| self.form(g, &rule.scope));
                Form::All(std::iter::once(started).chain(guard).collect())
            }
        }
    }

    /// What ends it, apart from the time.
    pub(super) fn end(&mut self, rule: &RuleSpec) -> Form {
        let trigger = rule.trigger.as_condition().and_then(|c| c.scope.clone());
        match &rule.stop_condition {
            Some(stop @ WhenSpec::Condition(_)) => {
                let place = trigger.unwrap_or_else(|| rule.scope.clone());
                self.when(stop, &place)
            }
            Some(stop) => self.when(stop, &rule.scope),
            None if rule.trigger.when().is_none() => Form::Known(Truth::False),
            None => self.trigger(rule).not(),
        }
    }

    /// Whether it starts and goes on.
    pub(super) fn running(&mut self, rule: &RuleSpec) -> Form {
        let lets = match rule.on_signal_lost {
            OnSignalLost::Stop => FALSE,
            OnSignalLost::Hold => FALSE | UNKNOWN,
        };
        Form::All(vec![self.trigger(rule), self.end(rule).is(lets)])
    }

    /// Whether the hours of a device allow it.
    pub(super) fn hours(&mut self, device: &DeviceId) -> Form {
        let all = self.hours_of(device);
        let of = all.into_iter().map(|(hours, place)| {
            let lets = if hours.allows_unknown {
                TRUE | UNKNOWN
            } else {
                TRUE
            };
            self.form(&hours.node, &place).is(lets)
        });
        Form::All(of.collect())
    }

    /// What the thresholds of all comparisons are at an instant.
    pub(super) fn thresholds(
        &self,
        almanac: &crate::almanac::Almanac,
        at: Timestamp,
    ) -> Vec<Option<(i64, i64)>> {
        let of = |compare: &Compare| match &compare.threshold {
            Threshold::Value(value, max) => Some((value.as_micro(), max.as_micro())),
            Threshold::Setpoint(id, offset) => {
                let value = self.setpoint(id)?.value(almanac, at)?;
                let value = value.as_micro() + offset.as_micro();
                Some((value, value))
            }
        };
        self.compares.iter().map(of).collect()
    }
}
