//! Signals: the exact mean of a scope's fresh sensors, and which conditions a change of it can flip.
//!
//! The naive way looks at every condition of a signal at every reading. But a condition's truth is a step function of the
//! mean: it changes only where the mean crosses one of the condition's *breakpoints* (just before or just after a threshold).
//! All breakpoints of a signal, sorted, divide the line into cells; the signal remembers its cell as two bounds on the *sum*
//! of its values (a breakpoint at v lies at v x count), so a reading that stays in the cell costs two tests however many
//! conditions there are, and one that leaves it visits just the conditions whose breakpoints it crosses.
//!
//! Holds also want to hear of readings that change no truth, as long as they lack samples. They put their comparison on the
//! signal's list of those that *await samples*, and are taken off when the list is next walked after they had enough. The
//! list runs through the comparisons themselves: most signals have none that awaits any, and a vector would take its room
//! all the same.
//!
//! What is not a mean is a derived signal ([`crate::derived`]): one value in place of a sum, and all of the above as it is.

mod comparison;
#[cfg(test)]
mod tests;

use crate::derived::{Extreme, Statistic};
use crate::place::PlaceIx;
use crate::quantity::{Mean, Quantity};
use crate::sensor_type::SensorType;
use crate::table::{Order, make_room};
use crate::truth::{Operator, Truth};
use comparison::{Breakpoint, Comparison, END, UNLISTED};

pub(crate) use comparison::Owner;

#[derive(Debug, Clone)]
struct Signal {
    sum: i64,
    /// Sums in `low..=high` are in the cell.
    low: i64,
    high: i64,
    count: u32,
    /// How many breakpoints the mean lies beyond.
    cell: u32,
    breakpoints: Vec<Breakpoint>,
    /// The first that awaits samples, or `END`.
    awaiting: u32,
    of: Of,
}

/// Which signal: of which place and type, and how it follows from the sensors there.
type Of = (PlaceIx, SensorType, Statistic);

/// No sum is between these: whatever comes leaves the cell.
const NOWHERE: (i64, i64) = (i64::MAX, i64::MIN);

/// All signals that a condition watches, and the comparisons of all conditions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    by_place: Order,
    signals: Vec<Signal>,
    comparisons: Vec<Option<Comparison>>,
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
        signal.locate(&self.comparisons);
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
            breakpoints: Vec::new(),
            awaiting: END,
            of,
        };
        signal.locate(&self.comparisons);
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

    pub(crate) fn add_comparison(
        &mut self,
        signal: u32,
        owner: Owner,
        operator: Operator,
        value: Quantity,
        value_max: Option<Quantity>,
    ) -> u32 {
        let comparison = Comparison::new(signal, owner, operator, value, value_max);
        let ix = self.free.pop().unwrap_or_else(|| {
            make_room(&mut self.comparisons);
            self.comparisons.push(None);
            u32::try_from(self.comparisons.len() - 1).unwrap_or(u32::MAX)
        });
        self.comparisons[ix as usize] = Some(comparison);
        let s = &mut self.signals[signal as usize];
        for (point, second) in comparison.points().into_iter().zip([0, 1]) {
            let Some(point) = point else { continue };
            let breakpoint = Breakpoint::new(ix, second);
            let key = |c: Breakpoint| (c.point(&self.comparisons), c);
            let i = s
                .breakpoints
                .partition_point(|c| key(*c) < (point, breakpoint));
            make_room(&mut s.breakpoints);
            s.breakpoints.insert(i, breakpoint);
        }
        s.locate(&self.comparisons);
        ix
    }

    pub(crate) fn remove_comparison(&mut self, ix: u32) {
        let Some(comparison) = self.comparisons[ix as usize] else {
            return;
        };
        if comparison.next != UNLISTED {
            self.walk_awaiting(comparison.signal, |l, _| l != ix);
        }
        self.comparisons[ix as usize] = None;
        let s = &mut self.signals[comparison.signal as usize];
        s.breakpoints.retain(|c| c.comparison() != ix);
        s.locate(&self.comparisons);
        if s.breakpoints.is_empty() {
            self.derived.retain(|d| d.signal != comparison.signal);
        }
        self.free.push(ix);
    }

    pub(crate) fn comparison(&self, ix: u32) -> Option<&Comparison> {
        self.comparisons.get(ix as usize)?.as_ref()
    }

    fn signal_of(&self, comparison: u32) -> Option<&Signal> {
        self.signals
            .get(self.comparison(comparison)?.signal as usize)
    }

    /// Of which place and type a condition is.
    pub(crate) fn place_of(&self, comparison: u32) -> Option<(PlaceIx, SensorType)> {
        self.signal_of(comparison).map(|s| (s.of.0, s.of.1))
    }

    /// What a condition compares.
    pub(crate) fn statistic_of(&self, comparison: u32) -> Statistic {
        self.signal_of(comparison)
            .map_or(Statistic::Mean, |s| s.of.2)
    }

    /// The signal of the sensors from which a condition's signal follows.
    pub(crate) fn base_of(&self, comparison: u32) -> Option<u32> {
        let signal = self.comparison(comparison)?.signal;
        match self.signals.get(signal as usize)?.of {
            (_, _, Statistic::Mean) => Some(signal),
            (place, sensor_type, _) => self.find_of((place, sensor_type, Statistic::Mean)),
        }
    }

    /// Whether a condition would be true of a value.
    pub(crate) fn is_satisfied_by(&self, comparison: u32, value: i64) -> bool {
        self.comparison(comparison)
            .is_some_and(|l| l.truth(value, 1) == Truth::True)
    }

    pub(crate) fn truth(&self, comparison: u32) -> Truth {
        let Some(comparison) = self.comparison(comparison) else {
            return Truth::Unknown;
        };
        let signal = &self.signals[comparison.signal as usize];
        comparison.truth(signal.sum, signal.count)
    }

    /// Which signal a comparison watches.
    pub(crate) fn watched(&self, comparison: u32) -> Option<(PlaceIx, SensorType)> {
        let comparison = self.comparison(comparison)?;
        let (place, sensor_type, _) = self.signals[comparison.signal as usize].of;
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
        s.locate(&self.comparisons);
        let crossed = if was_known && s.count > 0 {
            from.min(s.cell) as usize..from.max(s.cell) as usize
        } else {
            0..s.breakpoints.len()
        };
        let comparisons = &self.comparisons;
        dirty.extend(
            s.breakpoints[crossed]
                .iter()
                .filter_map(|c| comparisons[c.comparison() as usize].map(|l| l.owner())),
        );
    }

    /// A hold on this comparison's condition wants samples.
    pub(crate) fn await_samples(&mut self, comparison: u32) {
        if let Some(l) = self.comparisons[comparison as usize].as_mut()
            && l.next == UNLISTED
        {
            let first = &mut self.signals[l.signal as usize].awaiting;
            l.next = std::mem::replace(first, comparison);
        }
    }

    pub(crate) fn has_awaiting(&self, signal: u32) -> bool {
        self.signals[signal as usize].awaiting != END
    }

    /// Whose holds still want samples of this signal; those that `wants` denies are taken off the list.
    pub(crate) fn offer_sample(
        &mut self,
        signal: u32,
        wants: impl Fn(u32, Owner) -> bool,
        dirty: &mut Vec<Owner>,
    ) {
        self.walk_awaiting(signal, |comparison, owner| {
            let wants = wants(comparison, owner);
            if wants {
                dirty.push(owner);
            }
            wants
        });
    }

    /// Takes off the list of those that await samples whom `keep` denies.
    fn walk_awaiting(&mut self, signal: u32, mut keep: impl FnMut(u32, Owner) -> bool) {
        let first = &mut self.signals[signal as usize].awaiting;
        let mut at = std::mem::replace(first, END);
        let mut last = END;
        while let Some(comparison) = self
            .comparisons
            .get_mut(at as usize)
            .and_then(Option::as_mut)
        {
            let next = comparison.next;
            if keep(at, comparison.owner()) {
                comparison.next = END;
                match self
                    .comparisons
                    .get_mut(last as usize)
                    .and_then(Option::as_mut)
                {
                    Some(last) => last.next = at,
                    None => self.signals[signal as usize].awaiting = at,
                }
                last = at;
            } else {
                comparison.next = UNLISTED;
            }
            at = next;
        }
    }
}

impl Signal {
    /// Finds the cell and its bounds from the sum and the count.
    fn locate(&mut self, comparisons: &[Option<Comparison>]) {
        if self.count == 0 {
            (self.low, self.high) = NOWHERE;
            return;
        }
        let (sum, count) = (self.sum, self.count);
        let cell = self
            .breakpoints
            .partition_point(|c| c.in_sum(count, comparisons) <= sum);
        // Leaves are counted in 32 bits and have two breakpoints at most; a farm of two thousand million conditions does not exist.
        self.cell = u32::try_from(cell).unwrap_or(u32::MAX);
        self.low = cell
            .checked_sub(1)
            .map_or(i64::MIN, |i| self.breakpoints[i].in_sum(count, comparisons));
        self.high = self
            .breakpoints
            .get(cell)
            .map_or(i64::MAX, |c| c.in_sum(count, comparisons).saturating_sub(1));
    }
}
