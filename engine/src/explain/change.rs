//! What would have to change: the least set of leaves that must come to something else, and by how much.
//!
//! Leaves are looked at one by one: of `all` each must be true, of `any` the cheapest. What one change does to others that look at
//! the same signal is then worked out, and what is still missing is added.

use serde::Serialize;

use super::{NodeExplanation, PartExplanation, PartRole, Said, SignalExplanation};
use crate::document::ConditionSpec;
use crate::engine::Engine;
use crate::program::{Kind, next_change};
use crate::quantity::{EQ_DISTANCE, Mean, Quantity};
use crate::time::{Duration, Timestamp};
use crate::truth::{Operator, Truth};

/// How often what is missing is looked for again.
const ROUNDS: usize = 4;
/// How many changes of the time are looked at, of one leaf.
const MAX_MOMENTS: usize = 32;

/// What would have to change for a rule to start, or to stop.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// Whether the rule has to be deployed, or switched to automatic, before all else.
    pub activate: bool,
    /// The leaves that must come to something else; empty where time and readings are all that is missing.
    pub leaves: Vec<LeafChange>,
    /// For how long that must then hold.
    pub hold: Duration,
    /// How many readings are missing of it, at least.
    pub samples: u8,
    /// When it happens by itself, if everything stays as it is; none where something has to change first.
    pub at: Option<Timestamp>,
    /// Whether these changes are enough. Not so where they contradict each other.
    pub enough: bool,
}

/// A leaf that must come to something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafChange {
    /// In which condition.
    pub part: PartRole,
    /// Which node of it.
    pub node: usize,
    /// Whether it must become true, or false.
    pub to: bool,
    /// Of a comparison: what its mean must be.
    pub goal: Option<Goal>,
    /// Of a leaf of time: when it comes to that, as far as the almanac tells.
    pub at: Option<Timestamp>,
}

/// What a mean must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Goal {
    /// On which side of the value.
    pub bound: Bound,
    /// The value.
    pub value: Quantity,
    /// How far it is from there; none where the mean is not known.
    pub by: Option<Quantity>,
}

/// A side of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// More than it.
    Above,
    /// It, or more.
    AtLeast,
    /// Less than it.
    Below,
    /// It, or less.
    AtMost,
}

impl Goal {
    /// The nearest mean for which a comparison comes to this.
    fn of(condition: &ConditionSpec, mean: Option<Mean>, to: bool) -> Self {
        let value = condition.value;
        let max = condition.value_max.unwrap_or(value);
        let distance = |by: i64| Quantity::from_micro(value.as_micro() + by);
        let d = EQ_DISTANCE.as_micro();
        let below = |edge: Quantity| mean.is_some_and(|m| m.is_below(edge));
        let (bound, value) = match (condition.operator, to) {
            (Operator::Gt, true) | (Operator::Lte, false) => (Bound::Above, value),
            (Operator::Gte, true) | (Operator::Lt, false) => (Bound::AtLeast, value),
            (Operator::Lt, true) | (Operator::Gte, false) => (Bound::Below, value),
            (Operator::Lte, true) | (Operator::Gt, false) => (Bound::AtMost, value),
            (Operator::Eq, true) if below(value) => (Bound::Above, distance(-d)),
            (Operator::Eq, true) => (Bound::Below, distance(d)),
            (Operator::Eq, false) if below(value) => (Bound::AtMost, distance(-d)),
            (Operator::Eq, false) => (Bound::AtLeast, distance(d)),
            (Operator::Between, true) if below(value) => (Bound::AtLeast, value),
            (Operator::Between, true) => (Bound::AtMost, max),
            (Operator::Between, false) if below(middle(value, max)) => (Bound::Below, value),
            (Operator::Between, false) => (Bound::Above, max),
        };
        let by = mean.map(|m| m.distance(value));
        Self { bound, value, by }
    }

    /// The mean nearest to the value that it allows.
    fn mean(self) -> Mean {
        let by = match self.bound {
            Bound::Above => 1,
            Bound::Below => -1,
            Bound::AtLeast | Bound::AtMost => 0,
        };
        let sum = self.value.as_micro() + by;
        Mean { sum, count: 1 }
    }
}

const fn middle(low: Quantity, high: Quantity) -> Quantity {
    Quantity::from_micro(low.as_micro().midpoint(high.as_micro()))
}

impl Mean {
    fn is_below(self, edge: Quantity) -> bool {
        i128::from(self.sum) < i128::from(edge.as_micro()) * i128::from(self.count)
    }

    /// How far it is from a value, rounded up to a hundredth.
    fn distance(self, value: Quantity) -> Quantity {
        let n = i128::from(self.count.max(1));
        let apart = (i128::from(self.sum) - i128::from(value.as_micro()) * n).abs();
        let hundredths = (apart + n * 10_000 - 1) / (n * 10_000);
        let micro = i64::try_from(hundredths).unwrap_or(i64::MAX);
        Quantity::from_micro(micro.saturating_mul(10_000))
    }
}

/// What must be so, in one condition.
#[derive(Debug, Clone, Default)]
struct Need {
    leaves: Vec<(usize, bool)>,
    /// How long holds below take then.
    delay: Duration,
    samples: u8,
    possible: bool,
}

impl Need {
    fn nothing() -> Self {
        Self {
            possible: true,
            ..Self::default()
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.leaves.extend(other.leaves);
        self.delay = self.delay.max(other.delay);
        self.samples = self.samples.max(other.samples);
        self.possible &= other.possible;
        self
    }

    fn cost(&self) -> (bool, usize, Duration) {
        (!self.possible, self.leaves.len(), self.delay)
    }
}

/// A condition as it would be.
struct Supposed<'a> {
    nodes: &'a [NodeExplanation],
    /// What each leaf would come to.
    truths: Vec<Truth>,
    now: Timestamp,
}

impl<'a> Supposed<'a> {
    fn new(nodes: &'a [NodeExplanation], now: Timestamp) -> Self {
        let truths = nodes.iter().map(|n| n.below).collect();
        Self { nodes, truths, now }
    }

    fn branches(&self, node: usize) -> impl Iterator<Item = usize> {
        let depth = self.nodes[node].depth;
        let after = self.nodes.iter().enumerate().skip(node + 1);
        let below = after.take_while(move |(_, n)| n.depth > depth);
        below
            .filter(move |(_, n)| n.depth == depth + 1)
            .map(|(i, _)| i)
    }

    /// What a node would come to without its own hold; the holds below count as full, as they are once all has changed.
    fn truth(&self, node: usize) -> Truth {
        let truths = || self.branches(node).map(|b| self.truth(b));
        match self.nodes[node].said {
            Said::All => Truth::all(truths()),
            Said::Any => Truth::any(truths()),
            Said::Not => Truth::all(truths()).not(),
            _ => self.truths[node],
        }
    }

    /// Whether a node is true now and its own hold runs: how long that takes still, and how many samples it lacks.
    fn rest_of_hold(&self, node: usize) -> (Duration, u8) {
        let Some(held) = self.nodes[node].held.filter(|h| !h.complete) else {
            return (Duration::ZERO, 0);
        };
        match held.since {
            Some(since) => (
                (since + held.length - self.now).max(Duration::ZERO),
                held.samples_needed.saturating_sub(held.samples),
            ),
            None => (held.length, held.samples_needed),
        }
    }

    /// The least that must change for a node to come to `to`, and to stay so for `lasts`.
    fn need(&self, node: usize, to: bool, lasts: Duration) -> Need {
        let n = &self.nodes[node];
        let mut need = match (&n.said, to) {
            (Said::All, true) | (Said::Any, false) => {
                let all = self.branches(node).map(|b| self.need(b, to, lasts));
                all.fold(Need::nothing(), Need::and)
            }
            (Said::All, false) | (Said::Any, true) => {
                let all = self.branches(node).map(|b| self.need(b, to, lasts));
                all.min_by_key(Need::cost).unwrap_or_default()
            }
            (Said::Not, _) => {
                let below = self.branches(node).next();
                below.map_or_else(Need::default, |b| self.need(b, !to, lasts))
            }
            _ => {
                let wanted = if to { Truth::True } else { Truth::False };
                let leaves = match self.truths[node] == wanted {
                    true => Vec::new(),
                    false => vec![(node, to)],
                };
                Need {
                    leaves,
                    ..Need::nothing()
                }
            }
        };
        if n.held.is_some() && to {
            let (rest, samples) = match need.leaves.is_empty() && n.below == Truth::True {
                true => self.rest_of_hold(node),
                false => n
                    .held
                    .map_or((Duration::ZERO, 0), |h| (h.length, h.samples_needed)),
            };
            need.delay = need.delay + rest;
            need.samples = need.samples.max(samples);
        } else if n.held.is_some() && n.truth == Truth::False && n.below == Truth::True {
            // It is false until its hold is full.
            if self.rest_of_hold(node).0 > lasts {
                need.leaves.clear();
            }
        }
        need
    }

    /// A signal has this mean now: what looks at it follows.
    fn suppose(&mut self, of: &SignalExplanation, mean: Mean) {
        for (node, truth) in self.nodes.iter().zip(&mut self.truths) {
            let Said::Signal(signal) = &node.said else {
                continue;
            };
            if !signal.has_threshold() {
                continue;
            }
            if signal.condition.sensor_type == of.condition.sensor_type && signal.place == of.place
            {
                *truth = match signal.condition.holds(mean) {
                    true => Truth::True,
                    false => Truth::False,
                };
            }
        }
    }
}

/// What conditions must come to, and what that takes.
pub(super) struct Wanted<'a> {
    engine: &'a Engine,
    parts: &'a [PartExplanation],
    now: Timestamp,
    supposed: Vec<Supposed<'a>>,
    pub(super) change: Change,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(engine: &'a Engine, parts: &'a [PartExplanation], now: Timestamp) -> Self {
        let supposed = parts.iter().map(|p| Supposed::new(&p.nodes, now));
        Self {
            engine,
            parts,
            now,
            supposed: supposed.collect(),
            change: Change {
                enough: true,
                ..Change::default()
            },
        }
    }

    /// What a condition comes to after the changes so far.
    pub(super) fn truth(&self, role: PartRole) -> Option<Truth> {
        let at = self.parts.iter().position(|p| p.role == role)?;
        match self.change.leaves.is_empty() {
            true => Some(self.parts[at].truth),
            false => Some(self.supposed[at].truth(0)),
        }
    }

    /// Adds what must change for a condition to come to this, and to stay so for `lasts`. Returns how long holds within it take.
    pub(super) fn want(&mut self, role: PartRole, to: bool, lasts: Duration) -> Duration {
        let Some(at) = self.parts.iter().position(|p| p.role == role) else {
            self.change.enough = false;
            return Duration::ZERO;
        };
        let mut delay = Duration::ZERO;
        for _ in 0..ROUNDS {
            let need = self.supposed[at].need(0, to, lasts + delay);
            delay = delay.max(need.delay);
            self.change.samples = self.change.samples.max(need.samples);
            self.change.enough &= need.possible;
            if need.leaves.is_empty() {
                return delay;
            }
            for (node, to) in need.leaves {
                self.change_leaf(at, node, to);
            }
        }
        self.change.enough = false;
        delay
    }

    /// What a condition came to must stay so for `lasts` after the changes.
    pub(super) fn keeps(&mut self, role: PartRole, to: bool, lasts: Duration) {
        let at = self.parts.iter().position(|p| p.role == role);
        let lost = at.is_some_and(|at| !self.supposed[at].need(0, to, lasts).leaves.is_empty());
        self.change.enough &= !lost;
    }

    fn change_leaf(&mut self, part: usize, node: usize, to: bool) {
        let role = self.parts[part].role;
        let said = &self.parts[part].nodes[node].said;
        let goal = match said {
            Said::Signal(signal) if signal.has_threshold() => {
                Some(Goal::of(&signal.condition, signal.mean, to))
            }
            _ => None,
        };
        match (said, goal) {
            (Said::Signal(signal), Some(goal)) => {
                for supposed in &mut self.supposed {
                    supposed.suppose(signal, goal.mean());
                }
            }
            _ => {
                self.supposed[part].truths[node] = if to { Truth::True } else { Truth::False };
            }
        }
        let at = self.moment(said, to);
        let same = |l: &LeafChange| l.part == role && l.node == node;
        match self.change.leaves.iter().position(same) {
            // The changes contradict each other.
            Some(_) => self.change.enough = false,
            None => self.change.leaves.push(LeafChange {
                part: role,
                node,
                to,
                goal,
                at,
            }),
        }
    }

    /// When a leaf of time comes to this.
    fn moment(&self, said: &Said, to: bool) -> Option<Timestamp> {
        let kind = match said {
            Said::Time(window) => Kind::Time(*window),
            Said::Days(days) => Kind::Days(*days),
            Said::Dates(dates) => Kind::Dates(*dates),
            _ => return None,
        };
        let almanac = &self.engine.state.almanac;
        let wanted = if to { Truth::True } else { Truth::False };
        let setpoints = &self.engine.state.farm.settings.setpoints;
        let next = |after: &Timestamp| next_change(&kind, almanac, setpoints, *after);
        let around = self.engine.state.surroundings(self.now);
        std::iter::successors(next(&self.now), next)
            .take(MAX_MOMENTS)
            .find(|at| around.truth(&kind, *at) == wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_type::SensorType;

    const OPERATORS: [Operator; 6] = [
        Operator::Gt,
        Operator::Gte,
        Operator::Lt,
        Operator::Lte,
        Operator::Eq,
        Operator::Between,
    ];

    /// The micro unit next to `from` on the way to `to`, and `from` itself where it is there.
    const fn towards(from: i64, to: i64) -> i64 {
        from + (to - from).signum()
    }

    #[test]
    fn a_goal_is_the_nearest_mean_for_which_the_comparison_comes_to_the_other() {
        let mut met = 0;
        for operator in OPERATORS {
            let condition = ConditionSpec {
                sensor_type: SensorType::Temperature,
                operator,
                value: Quantity::from_micro(20_000_000),
                value_max: (operator == Operator::Between)
                    .then(|| Quantity::from_micro(30_000_000)),
                duration: Duration::ZERO,
                scope: None,
            };
            for sum in [
                -5_000_000, 19_940_000, 19_950_000, 19_999_999, 20_000_000, 20_000_001, 20_050_000,
                24_999_999, 25_000_000, 25_000_001, 30_000_000, 30_000_001, 45_000_000,
            ] {
                let mean = Mean { sum, count: 1 };
                let to = !condition.holds(mean);
                let goal = Goal::of(&condition, Some(mean), to);
                let at = goal.mean().sum;
                let holds = |sum| condition.holds(Mean { sum, count: 1 });
                assert_eq!(holds(at), to, "{operator:?} {sum}: {goal:?}");
                // In the middle between two edges both are as near.
                assert_ne!(holds(towards(at, sum)), to, "{operator:?} {sum}: {goal:?}");
                let apart = (sum - goal.value.as_micro()).abs();
                let by = goal.by.map(Quantity::as_micro);
                assert_eq!(by, Some((apart + 9_999) / 10_000 * 10_000));
                met += 1;
            }
            // Whatever the mean is, its goal can be met.
            for to in [true, false] {
                let goal = Goal::of(&condition, None, to);
                assert_eq!((condition.holds(goal.mean()), goal.by), (to, None));
            }
        }
        assert_eq!(met, 78);
    }

    #[test]
    fn out_of_a_range_leads_the_nearer_edge() {
        let mut condition = ConditionSpec {
            sensor_type: SensorType::Temperature,
            operator: Operator::Between,
            value: Quantity::from_micro(20_000_000),
            value_max: Some(Quantity::from_micro(30_000_000)),
            duration: Duration::ZERO,
            scope: None,
        };
        let bound = |condition: &ConditionSpec, sum, count, to| {
            Goal::of(condition, Some(Mean { sum, count }), to).bound
        };
        assert_eq!(bound(&condition, 24_999_999, 1, false), Bound::Below);
        assert_eq!(bound(&condition, 25_000_000, 1, false), Bound::Above);
        // The mean of three.
        assert_eq!(bound(&condition, 74_999_999, 3, false), Bound::Below);
        assert_eq!(bound(&condition, 75_000_000, 3, false), Bound::Above);
        condition.operator = Operator::Eq;
        condition.value_max = None;
        assert_eq!(bound(&condition, 59_999_999, 3, false), Bound::AtMost);
        assert_eq!(bound(&condition, 60_000_000, 3, false), Bound::AtLeast);
    }

    #[test]
    fn how_far_it_is_is_rounded_up_to_a_hundredth() {
        let distance = |sum, count| {
            let by = Mean { sum, count }.distance(Quantity::from_micro(20_000_000));
            by.as_micro()
        };
        assert_eq!([distance(20_000_000, 1), distance(60_000_000, 3)], [0, 0]);
        assert_eq!(
            [distance(19_999_999, 1), distance(20_000_001, 1)],
            [10_000; 2]
        );
        assert_eq!(distance(20_010_000, 1), 10_000);
        assert_eq!(distance(61_000_000, 3), 340_000);
    }
}
