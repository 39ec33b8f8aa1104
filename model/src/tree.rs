//! Conditions as trees: what a node says, and the holds of its branches.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::almanac::{self, MonthDay, Window};
use crate::condition::Truth;
use crate::document::Condition;
use crate::mutation::Mutation;
use crate::state::{Model, Phase};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) what: What,
    pub(crate) hold_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Signal(Condition),
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Time(Window),
    Days(Vec<i64>),
    Dates(MonthDay, MonthDay),
    Rule(String),
    /// A device, and whether it is to be on.
    Device(String, bool),
}

/// The hold of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Branch {
    pub(crate) start: i64,
    pub(crate) samples: i64,
    pub(crate) complete: bool,
}

/// Holds of branches by the way to the node: its tree, then its place among the nodes at each depth.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Branches {
    holds: BTreeMap<Vec<usize>, Branch>,
    /// Of a raised alert: those that were complete until what is below them was not known.
    pub(crate) interrupted: BTreeSet<Vec<usize>>,
    /// Whether they are of a raised alert.
    pub(crate) are_of_raised: bool,
}

impl std::ops::Deref for Branches {
    type Target = BTreeMap<Vec<usize>, Branch>;
    fn deref(&self) -> &Self::Target {
        &self.holds
    }
}

impl std::ops::DerefMut for Branches {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.holds
    }
}

impl Branches {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Whether an alert is raised; what was interrupted counts for nothing in one that is not.
    pub(crate) fn are_of(&mut self, raised: bool) {
        self.are_of_raised = raised;
        if !raised {
            self.interrupted.clear();
        }
    }

    /// What a node comes to whose hold is complete or not.
    fn truth_at(&self, way: &[usize], mutation: Option<Mutation>) -> Truth {
        let is_complete = self.holds.get(way).is_some_and(|b| b.complete);
        let counts = mutation != Some(Mutation::InterruptedIsFalse);
        match self.interrupted.contains(way) && counts {
            true if !is_complete => Truth::Unknown,
            _ => Truth::of(is_complete),
        }
    }
}

/// Why a condition is looked at again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    /// The sensor whose newer reading is the cause.
    pub(crate) sample: Option<&'a str>,
    /// Whether holds may complete.
    pub(crate) completes: bool,
}

impl Node {
    pub(crate) fn leaf(condition: Condition) -> Self {
        Self {
            what: What::Signal(condition),
            hold_ms: 0,
        }
    }

    pub(crate) fn below(&self) -> Vec<&Self> {
        match &self.what {
            What::All(nodes) | What::Any(nodes) => nodes.iter().collect(),
            What::Not(node) => vec![node],
            _ => Vec::new(),
        }
    }

    /// The node and all below it.
    pub(crate) fn nodes(&self) -> Vec<&Self> {
        let mut all = vec![self];
        for node in self.below() {
            all.extend(node.nodes());
        }
        all
    }

    pub(crate) fn signals(&self) -> Vec<&Condition> {
        (self.nodes().into_iter())
            .filter_map(|n| match &n.what {
                What::Signal(condition) => Some(condition),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn has_signal(&self) -> bool {
        !self.signals().is_empty()
    }

    /// The node at the end of a way.
    pub(crate) fn at(&self, way: &[usize]) -> Option<&Self> {
        match way {
            [] => Some(self),
            [n, rest @ ..] => self.below().get(*n)?.at(rest),
        }
    }
}

impl Model {
    /// Whether a reading of this sensor is a sample of a node.
    pub(crate) fn is_sample_of(&self, node: &Node, sample: Option<&str>) -> bool {
        let Some(sensor) = sample else {
            return false;
        };
        let mut signals = node.signals().into_iter();
        signals.any(|c| self.sensors_of(c).iter().any(|s| s == sensor))
    }

    /// The truth of a node now; the holds of branches in it are brought up to date.
    pub(crate) fn node_truth(
        &self,
        node: &Node,
        way: &[usize],
        branches: &mut Branches,
        look: Look<'_>,
    ) -> Truth {
        let nodes: Vec<Truth> = (node.below().into_iter().enumerate())
            .map(|(n, below)| self.node_truth(below, &[way, &[n]].concat(), branches, look))
            .collect();
        let truth = match &node.what {
            What::Signal(condition) => self.truth(condition),
            what => self.joined_or_leaf(what, &nodes),
        };
        if node.hold_ms == 0 {
            return truth;
        }
        if truth != Truth::True {
            let was_complete = branches.remove(way).is_some_and(|b| b.complete);
            if truth == Truth::False && self.mutation != Some(Mutation::FalseIsNoInterruption) {
                branches.interrupted.remove(way);
            } else if was_complete && branches.are_of_raised {
                branches.interrupted.insert(way.to_vec());
            }
            return truth;
        }
        let needs = match self.branch_needs_samples(node, way, branches) {
            true => self.min_samples,
            false => 0,
        };
        let branch = branches.entry(way.to_vec()).or_insert(Branch {
            start: self.now,
            samples: 0,
            complete: false,
        });
        branch.samples += i64::from(self.is_sample_of(node, look.sample));
        let is_over = branch.start + node.hold_ms <= self.now && branch.samples >= needs;
        branch.complete |= look.completes && is_over;
        if branch.complete {
            branches.interrupted.remove(way);
        }
        branches.truth_at(way, self.mutation)
    }

    /// What a node is that joins others, or a leaf that is no signal.
    fn joined_or_leaf(&self, what: &What, below: &[Truth]) -> Truth {
        match what {
            What::All(_) => Truth::all(below),
            What::Any(_) => Truth::any(below),
            What::Not(_) => below[0].not(),
            What::Rule(id) => Truth::of(
                (self.rules.get(id)).is_some_and(|r| matches!(r.phase, Phase::Running { .. })),
            ),
            What::Device(id, on) => match self.devices.get(id).filter(|d| d.online) {
                Some(device) => device
                    .running
                    .map_or(Truth::Unknown, |r| Truth::of(r == *on)),
                None => Truth::Unknown,
            },
            _ => self.time_truth(what, self.now),
        }
    }

    /// What is below a node's own hold, where each signal is UNKNOWN; holds further down count as they stand.
    fn below_without_signals(&self, node: &Node, way: &[usize], branches: &Branches) -> Truth {
        let nodes: Vec<Truth> = (node.below().into_iter().enumerate())
            .map(|(n, below)| self.without_signals(below, &[way, &[n]].concat(), branches))
            .collect();
        match &node.what {
            What::Signal(_) => Truth::Unknown,
            what => self.joined_or_leaf(what, &nodes),
        }
    }

    /// What a node comes to without its signals.
    pub(crate) fn without_signals(&self, node: &Node, way: &[usize], branches: &Branches) -> Truth {
        let truth = self.below_without_signals(node, way, branches);
        let forgets = self.mutation == Some(Mutation::HoldsBelowAreForgotten);
        if node.hold_ms == 0 || truth != Truth::True || forgets {
            return truth;
        }
        branches.truth_at(way, self.mutation)
    }

    /// Whether the hold of a branch needs samples now.
    fn branch_needs_samples(&self, node: &Node, way: &[usize], branches: &Branches) -> bool {
        match self.mutation {
            Some(Mutation::BranchNeedsNoSamples) => return false,
            Some(Mutation::SamplesAlwaysNeeded) => return node.has_signal(),
            _ => {}
        }
        let is_alone = || self.below_without_signals(node, way, branches) == Truth::True;
        node.has_signal() && !is_alone()
    }

    /// Whether it matters what a device is reported to do: a condition of an active rule or what a watched alert is
    /// bound to names it, hours do, it needs another, or another needs it.
    pub(crate) fn is_watched(&self, device: &str) -> bool {
        let mut rules = self.rules.values();
        rules.any(|r| r.doc.is_active() && r.doc.names_device(device))
            || self.is_named_by_alert(device)
            || self.is_named_by_hours(device)
            || self.is_needed(device)
            || self.devices[device].doc.limits.needs.is_some()
    }

    /// What a leaf of time says of an instant.
    pub(crate) fn time_truth(&self, leaf: &What, t: i64) -> Truth {
        let date = || almanac::date_of(&self.almanac, t);
        match leaf {
            What::Time(window) => almanac::in_window(&self.almanac, window, t, self.mutation),
            What::Days(days) => date().map_or(Truth::Unknown, |d| {
                Truth::of(days.contains(&almanac::weekday(d)))
            }),
            What::Dates(from, to) => date().map_or(Truth::Unknown, |d| {
                Truth::of(almanac::is_between(d, (*from, *to)))
            }),
            _ => Truth::Unknown,
        }
    }

    /// The first instant after the clock at which a leaf of time below a node says something else than just before.
    pub(crate) fn boundary(&self, tree: &Node) -> Option<i64> {
        let clock = self.clock?;
        let mut found = Vec::new();
        for node in tree.nodes() {
            let window = match &node.what {
                What::Time(window) => Some(window),
                What::Days(_) | What::Dates(..) => None,
                _ => continue,
            };
            let mut bounds = almanac::bounds(&self.almanac, window, self.mutation);
            bounds.retain(|t| *t > clock);
            bounds.sort_unstable();
            let changes =
                |t: &i64| self.time_truth(&node.what, *t) != self.time_truth(&node.what, *t - 1);
            found.extend(bounds.into_iter().find(changes));
        }
        found.into_iter().min()
    }

    /// When the holds of branches complete by timer, of one tree; those that miss samples as well, if asked.
    pub(crate) fn branch_deadlines(
        &self,
        tree: &Node,
        number: usize,
        branches: &Branches,
        missing: bool,
    ) -> Vec<i64> {
        let deadline = |(way, branch): (&Vec<usize>, &Branch)| {
            if way[0] != number || branch.complete {
                return None;
            }
            let node = tree.at(&way[1..])?;
            let has_samples = branch.samples >= self.min_samples
                || !self.branch_needs_samples(node, way, branches);
            (missing || has_samples).then_some(branch.start + node.hold_ms)
        };
        branches.iter().filter_map(deadline).collect()
    }
}
