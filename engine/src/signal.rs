//! Signals: the exact mean of a scope's fresh sensors, and which conditions a change of it can flip.
//!
//! The naive way looks at every condition of a signal at every reading. But a condition's truth is a step function of the
//! mean: it changes only where the mean crosses one of the condition's *cuts* (just before or just after a threshold). All
//! cuts of a signal, sorted, divide the line into cells; the signal remembers its cell as two bounds on the *sum* of its
//! values (a cut at v lies at v x count), so a reading that stays in the cell costs two comparisons however many conditions
//! there are, and one that leaves it visits just the conditions whose cuts it crosses.
//!
//! Holds also want to hear of readings that change no truth, as long as they lack samples. They put their leaf on the
//! signal's list of the *hungry*, and are taken off when the list is next walked after they had enough. The list runs through
//! the leaves themselves: most signals have none that is hungry, and a vector would take its room all the same.
//!
//! What is not a mean is a derived signal ([`crate::derived`]): one value in place of a sum, and all of the above as it is.

use crate::derived::{Extreme, Statistic};
use crate::document::Operator;
use crate::place::PlaceIx;
use crate::quantity::{EQ_DISTANCE, Mean, Quantity};
use crate::sensor_type::SensorType;
use crate::table::{Order, make_room};

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
    value: i64,
    value_max: i64,
    pub(crate) signal: u32,
    owner: u32,
    /// The next on its signal's list of the hungry; `END` after the last, `UNLISTED` where it is not on the list.
    next: u32,
    operator: Operator,
    of_alert: bool,
}

/// After the last of the hungry.
const END: u32 = u32::MAX;
/// Not among the hungry.
const UNLISTED: u32 = u32::MAX - 1;

/// A point on the line of means, just before a value or just after it, where the truth of a leaf changes: the leaf's number,
/// and whether it is the second of its points. The point itself stands in the leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut(u32);

impl Cut {
    const fn leaf(self) -> u32 {
        self.0 >> 1
    }

    /// Twice the value for a cut just before it, one more for a cut just after it.
    fn point(self, leaves: &[Option<Leaf>]) -> i64 {
        let leaf = leaves[self.leaf() as usize].as_ref();
        let points = leaf.map(Leaf::points).unwrap_or_default();
        points[(self.0 & 1) as usize].unwrap_or(i64::MAX)
    }

    /// The smallest sum of `count` values whose mean lies beyond the cut.
    fn in_sum(self, count: u32, leaves: &[Option<Leaf>]) -> i64 {
        let point = self.point(leaves);
        let at = i128::from(point >> 1) * i128::from(count) + i128::from(point & 1);
        i64::try_from(at).unwrap_or(if at > 0 { i64::MAX } else { i64::MIN })
    }
}

#[derive(Debug, Clone)]
struct Signal {
    sum: i64,
    /// Sums in `low..=high` are in the cell.
    low: i64,
    high: i64,
    count: u32,
    /// How many cuts the mean lies beyond.
    cell: u32,
    cuts: Vec<Cut>,
    /// The first of the hungry, or `END`.
    hungry: u32,
    of: Of,
}

/// Which signal: of which place and type, and how it follows from the sensors there.
type Of = (PlaceIx, SensorType, Statistic);

/// No sum is between these: whatever comes leaves the cell.
const NOWHERE: (i64, i64) = (i64::MAX, i64::MIN);

/// All signals that a condition watches, and the leaves of all conditions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    by_place: Order,
    signals: Vec<Signal>,
    leaves: Vec<Option<Leaf>>,
    free: Vec<u32>,
    /// What keeps the derived signals in step, by the signal that each is derived from.
    derived: Vec<Extreme>,
}

impl Signals {
    /// The mean of a place.
    pub(crate) fn find(&self, place: PlaceIx, sensor_type: SensorType) -> Option<u32> {
        self.find_of((place, sensor_type, Statistic::Mean))
    }

    fn find_of(&self, of: Of) -> Option<u32> {
        let found = self.by_place.find(&of, |ix| self.signals[ix as usize].of);
        found.ok().map(|p| self.by_place.at(p))
    }

    /// The derived signal of a mean; it is made of what `extreme` makes where it is not there yet.
    pub(crate) fn derive(
        &mut self,
        base: u32,
        statistic: Statistic,
        extreme: impl FnOnce() -> Extreme,
    ) -> u32 {
        let (place, sensor_type, _) = self.signals[base as usize].of;
        let of = (place, sensor_type, statistic);
        let known = self.find_of(of);
        if let Some(ix) = known
            && self.derived.iter().any(|d| d.signal == ix)
        {
            return ix;
        }
        let mut extreme = extreme();
        let (sum, count) = extreme.value().map_or((0, 0), |value| (value, 1));
        // One that nobody asked for any more was left as it was.
        let ix = known.unwrap_or_else(|| self.insert(of, sum, count));
        let signal = &mut self.signals[ix as usize];
        (signal.sum, signal.count) = (sum, count);
        signal.locate(&self.leaves);
        extreme.signal = ix;
        let at = self.derived.partition_point(|d| d.base <= base);
        self.derived.insert(at, extreme);
        ix
    }

    /// Whether any signal is derived.
    pub(crate) fn has_derived(&self) -> bool {
        !self.derived.is_empty()
    }

    /// A sensor of this signal has this value now, or none: what is derived from the signal follows. Returns those derived
    /// signals.
    pub(crate) fn follow(
        &mut self,
        base: u32,
        sensor: u32,
        value: Option<i64>,
        dirty: &mut Vec<Owner>,
    ) -> [Option<u32>; 2] {
        let mut found = [None; 2];
        let from = self.derived.partition_point(|d| d.base < base);
        for (i, found) in (from..).zip(&mut found) {
            let Some(extreme) = self.derived.get_mut(i).filter(|d| d.base == base) else {
                break;
            };
            let (signal, before) = (extreme.signal, extreme.value());
            extreme.set(sensor, value);
            let after = extreme.value();
            *found = Some(signal);
            if before != after {
                let count = i32::from(after.is_some()) - i32::from(before.is_some());
                let sum = after.unwrap_or(0) - before.unwrap_or(0);
                self.change(signal, sum, count, dirty);
            }
        }
        found
    }

    /// Adds a signal that is not there yet, with its present sum and count.
    pub(crate) fn add(
        &mut self,
        place: PlaceIx,
        sensor_type: SensorType,
        sum: i64,
        count: u32,
    ) -> u32 {
        self.insert((place, sensor_type, Statistic::Mean), sum, count)
    }

    fn insert(&mut self, of: Of, sum: i64, count: u32) -> u32 {
        let ix = u32::try_from(self.signals.len()).unwrap_or(u32::MAX);
        let mut signal = Signal {
            sum,
            low: NOWHERE.0,
            high: NOWHERE.1,
            count,
            cell: 0,
            cuts: Vec::new(),
            hungry: END,
            of,
        };
        signal.locate(&self.leaves);
        let place = self
            .by_place
            .find(&signal.of, |ix| self.signals[ix as usize].of);
        make_room(&mut self.signals);
        self.signals.push(signal);
        if let Err(position) = place {
            self.by_place.insert(position, ix);
        }
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
        let (owner, of_alert) = match owner {
            Owner::Rule(ix) => (ix, false),
            Owner::Alert(ix) => (ix, true),
        };
        let leaf = Leaf {
            value: value.as_micro(),
            value_max,
            signal,
            owner,
            next: UNLISTED,
            operator,
            of_alert,
        };
        let ix = self.free.pop().unwrap_or_else(|| {
            make_room(&mut self.leaves);
            self.leaves.push(None);
            u32::try_from(self.leaves.len() - 1).unwrap_or(u32::MAX)
        });
        self.leaves[ix as usize] = Some(leaf);
        let s = &mut self.signals[signal as usize];
        for (point, second) in leaf.points().into_iter().zip([0, 1]) {
            let Some(point) = point else { continue };
            let cut = Cut(ix << 1 | second);
            let key = |c: Cut| (c.point(&self.leaves), c.0);
            let i = s.cuts.partition_point(|c| key(*c) < (point, cut.0));
            make_room(&mut s.cuts);
            s.cuts.insert(i, cut);
        }
        s.locate(&self.leaves);
        ix
    }

    pub(crate) fn remove_leaf(&mut self, ix: u32) {
        let Some(leaf) = self.leaves[ix as usize] else {
            return;
        };
        if leaf.next != UNLISTED {
            self.walk_hungry(leaf.signal, |l, _| l != ix);
        }
        self.leaves[ix as usize] = None;
        let s = &mut self.signals[leaf.signal as usize];
        s.cuts.retain(|c| c.leaf() != ix);
        s.locate(&self.leaves);
        if s.cuts.is_empty() {
            self.derived.retain(|d| d.signal != leaf.signal);
        }
        self.free.push(ix);
    }

    pub(crate) fn leaf(&self, ix: u32) -> Option<&Leaf> {
        self.leaves.get(ix as usize)?.as_ref()
    }

    fn signal_of(&self, leaf: u32) -> Option<&Signal> {
        self.signals.get(self.leaf(leaf)?.signal as usize)
    }

    /// Of which place and type a condition is.
    pub(crate) fn place_of(&self, leaf: u32) -> Option<(PlaceIx, SensorType)> {
        self.signal_of(leaf).map(|s| (s.of.0, s.of.1))
    }

    /// What a condition compares.
    pub(crate) fn statistic_of(&self, leaf: u32) -> Statistic {
        self.signal_of(leaf).map_or(Statistic::Mean, |s| s.of.2)
    }

    /// The signal of the sensors from which a condition's signal follows.
    pub(crate) fn base_of(&self, leaf: u32) -> Option<u32> {
        let signal = self.leaf(leaf)?.signal;
        match self.signals.get(signal as usize)?.of {
            (_, _, Statistic::Mean) => Some(signal),
            (place, sensor_type, _) => self.find_of((place, sensor_type, Statistic::Mean)),
        }
    }

    /// Whether a condition would be true of a value.
    pub(crate) fn is_satisfied_by(&self, leaf: u32, value: i64) -> bool {
        self.leaf(leaf)
            .is_some_and(|l| l.truth(value, 1) == Truth::True)
    }

    pub(crate) fn truth(&self, leaf: u32) -> Truth {
        let Some(leaf) = self.leaf(leaf) else {
            return Truth::Unknown;
        };
        let signal = &self.signals[leaf.signal as usize];
        leaf.truth(signal.sum, signal.count)
    }

    /// Which signal a leaf watches.
    pub(crate) fn watched(&self, leaf: u32) -> Option<(PlaceIx, SensorType)> {
        let leaf = self.leaf(leaf)?;
        let (place, sensor_type, _) = self.signals[leaf.signal as usize].of;
        Some((place, sensor_type))
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
        s.locate(&self.leaves);
        let crossed = if was_known && s.count > 0 {
            from.min(s.cell) as usize..from.max(s.cell) as usize
        } else {
            0..s.cuts.len()
        };
        let leaves = &self.leaves;
        dirty.extend(
            s.cuts[crossed]
                .iter()
                .filter_map(|c| leaves[c.leaf() as usize].map(|l| l.owner())),
        );
    }

    /// A hold on this leaf's condition wants samples.
    pub(crate) fn feed(&mut self, leaf: u32) {
        if let Some(l) = self.leaves[leaf as usize].as_mut()
            && l.next == UNLISTED
        {
            let first = &mut self.signals[l.signal as usize].hungry;
            l.next = std::mem::replace(first, leaf);
        }
    }

    pub(crate) fn has_hungry(&self, signal: u32) -> bool {
        self.signals[signal as usize].hungry != END
    }

    /// Whose holds still want samples of this signal; those that `wants` denies are taken off the list.
    pub(crate) fn hungry(
        &mut self,
        signal: u32,
        wants: impl Fn(u32, Owner) -> bool,
        dirty: &mut Vec<Owner>,
    ) {
        self.walk_hungry(signal, |leaf, owner| {
            let wants = wants(leaf, owner);
            if wants {
                dirty.push(owner);
            }
            wants
        });
    }

    /// Takes off the list of the hungry whom `keep` denies.
    fn walk_hungry(&mut self, signal: u32, mut keep: impl FnMut(u32, Owner) -> bool) {
        let first = &mut self.signals[signal as usize].hungry;
        let mut at = std::mem::replace(first, END);
        let mut last = END;
        while let Some(leaf) = self.leaves.get_mut(at as usize).and_then(Option::as_mut) {
            let next = leaf.next;
            if keep(at, leaf.owner()) {
                leaf.next = END;
                match self.leaves.get_mut(last as usize).and_then(Option::as_mut) {
                    Some(last) => last.next = at,
                    None => self.signals[signal as usize].hungry = at,
                }
                last = at;
            } else {
                leaf.next = UNLISTED;
            }
            at = next;
        }
    }
}

impl Signal {
    /// Finds the cell and its bounds from the sum and the count.
    fn locate(&mut self, leaves: &[Option<Leaf>]) {
        if self.count == 0 {
            (self.low, self.high) = NOWHERE;
            return;
        }
        let (sum, count) = (self.sum, self.count);
        let cell = self
            .cuts
            .partition_point(|c| c.in_sum(count, leaves) <= sum);
        // Leaves are counted in 32 bits and have two cuts at most; a farm of two thousand million conditions does not exist.
        self.cell = u32::try_from(cell).unwrap_or(u32::MAX);
        self.low = cell
            .checked_sub(1)
            .map_or(i64::MIN, |i| self.cuts[i].in_sum(count, leaves));
        self.high = self
            .cuts
            .get(cell)
            .map_or(i64::MAX, |c| c.in_sum(count, leaves).saturating_sub(1));
    }
}

impl Leaf {
    const fn owner(&self) -> Owner {
        if self.of_alert {
            Owner::Alert(self.owner)
        } else {
            Owner::Rule(self.owner)
        }
    }

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

    /// Where the truth changes as the mean grows: points as [`Cut::point`] tells them.
    fn points(&self) -> [Option<i64>; 2] {
        let before = |value: i64| Some(value.saturating_mul(2));
        let after = |value: i64| Some(value.saturating_mul(2) | 1);
        match self.operator {
            Operator::Gt | Operator::Lte => [after(self.value), None],
            Operator::Gte | Operator::Lt => [before(self.value), None],
            Operator::Eq => {
                let d = EQ_DISTANCE.as_micro();
                [after(self.value - d), before(self.value + d)]
            }
            Operator::Between => [before(self.value), after(self.value_max)],
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

    /// However often rules and alerts are edited, the conditions are those of the documents that stand.
    #[test]
    fn an_edit_takes_away_the_conditions_that_were() {
        use crate::{AlertSpec, Engine, FarmDocument, Input, InputKind, RuleSpec, Timestamp};
        let scope = serde_json::json!({"type": "farm"});
        let farm = serde_json::json!({
            "farm": {"id": "f1", "name": "Farm"},
            "sensors": [{"id": "s", "type": "ph", "scope": scope}],
            "devices": [{"id": "d", "type": "fan", "scope": scope}],
        });
        let mut engine = Engine::new(&FarmDocument::from_json(&farm).unwrap()).unwrap();
        let apply = |engine: &mut Engine, kind| {
            let at = Timestamp::from_millis(0);
            engine.apply(&Input { at, kind }, &mut vec![]).unwrap();
        };
        for value in 1..20 {
            let condition =
                serde_json::json!({"sensor_type": "ph", "operator": "gt", "value": value % 14});
            let rule = RuleSpec::from_json(&serde_json::json!({
                "id": "r", "name": "R", "deployed": true, "scope": scope, "trigger": condition, "stop_condition": condition,
                "actions": [{"device_id": "d", "command": {"action": "on"}}],
            }));
            let alert = AlertSpec::from_json(&serde_json::json!({
                "id": "a", "name": "A", "repeatsIn": 1, "repeatUnit": "days",
                "conditions": [{"sensor": "pH", "operator": ">", "value": value}],
            }));
            apply(&mut engine, InputKind::RulePut(Box::new(rule.unwrap())));
            apply(&mut engine, InputKind::AlertPut(Box::new(alert.unwrap())));
            assert_eq!(engine.state.signals.leaves.iter().flatten().count(), 3);
            assert_eq!(engine.state.signals.leaves.len(), 3);
        }
        apply(&mut engine, InputKind::RuleDelete("r".into()));
        apply(&mut engine, InputKind::AlertDelete("a".into()));
        assert_eq!(engine.state.signals.leaves.iter().flatten().count(), 0);
        assert!(engine.state.signals.signals[0].cuts.is_empty());
    }
}
