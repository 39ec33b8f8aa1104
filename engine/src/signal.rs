//! Signals: the exact mean of a scope's fresh sensors, and which conditions a change of it can flip.
//!
//! The naive way looks at every condition of a signal at every reading. But a condition's truth is a step function of the
//! mean: it changes only where the mean crosses one of the condition's *cuts* (just before or just after a threshold). All
//! cuts of a signal, sorted, divide the line into cells; the signal remembers its cell as two bounds on the *sum* of its
//! values (a cut at v lies at v x count), so a reading that stays in the cell costs two comparisons however many conditions
//! there are, and one that leaves it visits just the conditions whose cuts it crosses.
//!
//! Holds also want to hear of readings that change no truth, as long as they lack samples. They put their leaf on the
//! signal's list of the *hungry*, and are taken off when the list is next walked after they had enough.

use std::collections::BTreeMap;

use crate::document::Operator;
use crate::place::PlaceIx;
use crate::quantity::{EQ_DISTANCE, Mean, Quantity};
use crate::sensor_type::SensorType;

/// True, false, or without evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truth {
    True,
    False,
    Unknown,
}

impl Truth {
    pub(crate) const fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
        }
    }

    pub(crate) fn all(truths: impl Iterator<Item = Self>) -> Self {
        let mut all = Self::True;
        for t in truths {
            match t {
                Self::False => return Self::False,
                Self::Unknown => all = Self::Unknown,
                Self::True => {}
            }
        }
        all
    }

    pub(crate) fn any(truths: impl Iterator<Item = Self>) -> Self {
        Self::all(truths.map(Self::not)).not()
    }
}

/// Whose condition a leaf belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Rule(u32),
    Alert(u32),
}

/// A comparison of one signal with a threshold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) signal: u32,
    pub(crate) owner: Owner,
    operator: Operator,
    value: i64,
    value_max: i64,
    /// Whether it stands on its signal's list of the hungry.
    listed: bool,
}

/// A point on the line of means: just before the value (`side` 0) or just after it (`side` 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cut {
    value: i64,
    side: i64,
    leaf: u32,
}

impl Cut {
    /// The smallest sum of `count` values whose mean lies beyond the cut.
    fn in_sum(self, count: u32) -> i64 {
        let at = i128::from(self.value) * i128::from(count) + i128::from(self.side);
        i64::try_from(at).unwrap_or(if at > 0 { i64::MAX } else { i64::MIN })
    }
}

#[derive(Debug, Clone)]
struct Signal {
    sum: i64,
    count: u32,
    /// How many cuts the mean lies beyond.
    cell: usize,
    /// Sums in `low..=high` are in the cell.
    low: i64,
    high: i64,
    cuts: Vec<Cut>,
    hungry: Vec<u32>,
}

/// No sum is between these: whatever comes leaves the cell.
const NOWHERE: (i64, i64) = (i64::MAX, i64::MIN);

/// All signals that a condition watches, and the leaves of all conditions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    by_place: BTreeMap<(PlaceIx, SensorType), u32>,
    signals: Vec<Signal>,
    leaves: Vec<Option<Leaf>>,
    free: Vec<u32>,
}

impl Signals {
    pub(crate) fn find(&self, place: PlaceIx, sensor_type: SensorType) -> Option<u32> {
        self.by_place.get(&(place, sensor_type)).copied()
    }

    /// Adds a signal with its present sum and count.
    pub(crate) fn add(
        &mut self,
        place: PlaceIx,
        sensor_type: SensorType,
        sum: i64,
        count: u32,
    ) -> u32 {
        let ix = u32::try_from(self.signals.len()).unwrap_or(u32::MAX);
        let mut signal = Signal {
            sum,
            count,
            cell: 0,
            low: NOWHERE.0,
            high: NOWHERE.1,
            cuts: Vec::new(),
            hungry: Vec::new(),
        };
        signal.locate();
        self.signals.push(signal);
        self.by_place.insert((place, sensor_type), ix);
        ix
    }

    pub(crate) fn add_leaf(
        &mut self,
        signal: u32,
        owner: Owner,
        operator: Operator,
        value: Quantity,
        value_max: Option<Quantity>,
    ) -> u32 {
        let value_max = value_max.unwrap_or(value).as_micro();
        let leaf = Leaf {
            signal,
            owner,
            operator,
            value: value.as_micro(),
            value_max,
            listed: false,
        };
        let ix = self.free.pop().unwrap_or_else(|| {
            self.leaves.push(None);
            u32::try_from(self.leaves.len() - 1).unwrap_or(u32::MAX)
        });
        self.leaves[ix as usize] = Some(leaf);
        let s = &mut self.signals[signal as usize];
        for (value, side) in leaf.cuts().into_iter().flatten() {
            let cut = Cut {
                value,
                side,
                leaf: ix,
            };
            let i = s.cuts.partition_point(|c| *c < cut);
            s.cuts.insert(i, cut);
        }
        s.locate();
        ix
    }

    pub(crate) fn remove_leaf(&mut self, ix: u32) {
        let Some(leaf) = self.leaves[ix as usize].take() else {
            return;
        };
        let s = &mut self.signals[leaf.signal as usize];
        s.cuts.retain(|c| c.leaf != ix);
        s.hungry.retain(|l| *l != ix);
        s.locate();
        self.free.push(ix);
    }

    pub(crate) fn leaf(&self, ix: u32) -> Option<&Leaf> {
        self.leaves.get(ix as usize)?.as_ref()
    }

    pub(crate) fn truth(&self, leaf: u32) -> Truth {
        let Some(leaf) = self.leaf(leaf) else {
            return Truth::Unknown;
        };
        let signal = &self.signals[leaf.signal as usize];
        leaf.truth(signal.sum, signal.count)
    }

    pub(crate) fn mean(&self, signal: u32) -> Option<Mean> {
        let s = &self.signals[signal as usize];
        (s.count > 0).then_some(Mean {
            sum: s.sum,
            count: s.count,
        })
    }

    /// Changes a signal; whose conditions may have changed their truth goes to `dirty`.
    pub(crate) fn change(&mut self, signal: u32, sum: i64, count: i32, dirty: &mut Vec<Owner>) {
        let s = &mut self.signals[signal as usize];
        s.sum += sum;
        if count == 0 && s.sum >= s.low && s.sum <= s.high {
            return;
        }
        self.change_cell(signal, count, dirty);
    }

    #[inline(never)]
    fn change_cell(&mut self, signal: u32, count: i32, dirty: &mut Vec<Owner>) {
        let s = &mut self.signals[signal as usize];
        let was_known = s.count > 0;
        s.count = s.count.saturating_add_signed(count);
        let from = s.cell;
        s.locate();
        let crossed = if was_known && s.count > 0 {
            from.min(s.cell)..from.max(s.cell)
        } else {
            0..s.cuts.len()
        };
        let leaves = &self.leaves;
        dirty.extend(
            s.cuts[crossed]
                .iter()
                .filter_map(|c| leaves[c.leaf as usize].map(|l| l.owner)),
        );
    }

    /// A hold on this leaf's condition wants samples.
    pub(crate) fn feed(&mut self, leaf: u32) {
        if let Some(l) = self.leaves[leaf as usize].as_mut()
            && !l.listed
        {
            l.listed = true;
            self.signals[l.signal as usize].hungry.push(leaf);
        }
    }

    pub(crate) fn has_hungry(&self, signal: u32) -> bool {
        !self.signals[signal as usize].hungry.is_empty()
    }

    /// Whose holds still want samples of this signal; those that `wants` denies are taken off the list.
    pub(crate) fn hungry(
        &mut self,
        signal: u32,
        wants: impl Fn(u32, Owner) -> bool,
        dirty: &mut Vec<Owner>,
    ) {
        let leaves = &mut self.leaves;
        self.signals[signal as usize].hungry.retain(|&ix| {
            let Some(leaf) = leaves[ix as usize].as_mut() else {
                return false;
            };
            leaf.listed = wants(ix, leaf.owner);
            if leaf.listed {
                dirty.push(leaf.owner);
            }
            leaf.listed
        });
    }
}

impl Signal {
    /// Finds the cell and its bounds from the sum and the count.
    fn locate(&mut self) {
        if self.count == 0 {
            (self.low, self.high) = NOWHERE;
            return;
        }
        let (sum, count) = (self.sum, self.count);
        self.cell = self.cuts.partition_point(|c| c.in_sum(count) <= sum);
        self.low = self
            .cell
            .checked_sub(1)
            .map_or(i64::MIN, |i| self.cuts[i].in_sum(count));
        self.high = self
            .cuts
            .get(self.cell)
            .map_or(i64::MAX, |c| c.in_sum(count).saturating_sub(1));
    }
}

impl Leaf {
    fn truth(&self, sum: i64, count: u32) -> Truth {
        if count == 0 {
            return Truth::Unknown;
        }
        let (sum, n) = (i128::from(sum), i128::from(count));
        let (value, max) = (i128::from(self.value) * n, i128::from(self.value_max) * n);
        let eq = i128::from(EQ_DISTANCE.as_micro()) * n;
        let holds = match self.operator {
            Operator::Gt => sum > value,
            Operator::Gte => sum >= value,
            Operator::Lt => sum < value,
            Operator::Lte => sum <= value,
            Operator::Eq => (sum - value).abs() < eq,
            Operator::Between => value <= sum && sum <= max,
        };
        if holds { Truth::True } else { Truth::False }
    }

    /// Where the truth changes as the mean grows.
    fn cuts(&self) -> [Option<(i64, i64)>; 2] {
        const BEFORE: i64 = 0;
        const AFTER: i64 = 1;
        match self.operator {
            Operator::Gt | Operator::Lte => [Some((self.value, AFTER)), None],
            Operator::Gte | Operator::Lt => [Some((self.value, BEFORE)), None],
            Operator::Eq => {
                let d = EQ_DISTANCE.as_micro();
                [
                    Some((self.value - d, AFTER)),
                    Some((self.value + d, BEFORE)),
                ]
            }
            Operator::Between => [Some((self.value, BEFORE)), Some((self.value_max, AFTER))],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATORS: [Operator; 6] = [
        Operator::Gt,
        Operator::Gte,
        Operator::Lt,
        Operator::Lte,
        Operator::Eq,
        Operator::Between,
    ];

    /// Whatever the mean does, a leaf whose truth changes is among the dirty.
    #[test]
    fn every_flip_is_noticed() {
        let mut signals = Signals::default();
        let s = signals.add(PlaceIx::FARM, SensorType::Ph, 0, 0);
        let mut leaves = vec![];
        for (i, op) in (0..).zip(OPERATORS.into_iter().cycle().take(36)) {
            let v = Quantity::from_micro(i64::from(i) * 25_000);
            let max = Quantity::from_micro(v.as_micro() + 110_000);
            leaves.push(signals.add_leaf(s, Owner::Rule(i), op, v, Some(max)));
        }
        let mut state: u64 = 7;
        let mut random = |n: i64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i64::try_from(state >> 33).unwrap() % n
        };
        let mut flips = 0;
        for _ in 0..20_000 {
            let before: Vec<Truth> = leaves.iter().map(|l| signals.truth(*l)).collect();
            let count = match (signals.signals[0].count, random(10)) {
                (c, 0) if c < 3 => 1,
                (c, 1) if c > 0 => -1,
                _ => 0,
            };
            let target = random(40) * 25_000 + random(3) - 1;
            let sum = if signals.signals[0].count == 0 && count == 0 {
                0
            } else {
                target - signals.signals[0].sum
            };
            let mut dirty = vec![];
            signals.change(s, sum, count, &mut dirty);
            for (i, l) in leaves.iter().enumerate() {
                let owner = Owner::Rule(u32::try_from(i).unwrap());
                if signals.truth(*l) != before[i] {
                    flips += 1;
                    assert!(dirty.contains(&owner), "leaf {i} flipped unnoticed");
                }
            }
        }
        assert!(flips > 10_000);
    }

    #[test]
    fn three_values_join_as_the_page_says() {
        use Truth::{False, True, Unknown};
        for (truths, all, any) in [
            (vec![True, True], True, True),
            (vec![True, Unknown], Unknown, True),
            (vec![False, Unknown], False, Unknown),
            (vec![Unknown], Unknown, Unknown),
            (vec![False, True], False, True),
        ] {
            assert_eq!(
                (
                    Truth::all(truths.iter().copied()),
                    Truth::any(truths.iter().copied())
                ),
                (all, any)
            );
        }
    }

    #[test]
    fn a_condition_that_goes_leaves_nothing_behind() {
        let mut signals = Signals::default();
        let s = signals.add(PlaceIx::FARM, SensorType::Ph, 0, 0);
        let seven = Quantity::from_units(7);
        let gone = signals.add_leaf(s, Owner::Rule(0), Operator::Eq, seven, None);
        signals.add_leaf(s, Owner::Rule(1), Operator::Gt, seven, None);
        signals.feed(gone);
        signals.remove_leaf(gone);
        assert!(signals.leaf(gone).is_none() && !signals.has_hungry(s));
        assert_eq!(signals.truth(gone), Truth::Unknown);
        let mut dirty = vec![];
        signals.change(s, 8_000_000, 1, &mut dirty);
        assert_eq!(dirty, [Owner::Rule(1)]);
        let new = signals.add_leaf(s, Owner::Rule(2), Operator::Lt, seven, None);
        assert_eq!(new, gone, "its number is free again");
    }

    /// A reading costs what it changes: only conditions whose cut the mean crosses are looked at, also when a sensor comes or
    /// goes; all of them where the mean becomes known or unknown.
    #[test]
    fn only_what_can_have_flipped_is_dirty() {
        let mut signals = Signals::default();
        let s = signals.add(PlaceIx::FARM, SensorType::Ph, 0, 0);
        for (rule, units) in [(0, 7), (1, 9)] {
            let value = Quantity::from_units(units);
            signals.add_leaf(s, Owner::Rule(rule), Operator::Gt, value, None);
        }
        for (units, count, expected) in [
            (5, 1, vec![Owner::Rule(0), Owner::Rule(1)]),
            (5, 1, vec![]),
            (6, 0, vec![Owner::Rule(0)]),
            (-8, -1, vec![]),
            (2, 0, vec![Owner::Rule(1)]),
            (-10, -1, vec![Owner::Rule(0), Owner::Rule(1)]),
        ] {
            let mut dirty = vec![];
            signals.change(s, units * 1_000_000, count, &mut dirty);
            assert_eq!(dirty, expected, "{units} {count}");
        }
    }
}
