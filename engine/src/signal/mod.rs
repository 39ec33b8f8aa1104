//! Signals: the exact mean of a scope's fresh sensors, and which conditions a change of it can flip.
//!
//! The naive way looks at every condition of a signal at every reading. But a condition's truth is a step function of the
//! mean: it changes only where the mean crosses one of the condition's *breakpoints* (just before or just after a threshold).
//! All breakpoints of a signal, sorted, divide the line into cells; the signal remembers its cell as two bounds on the *sum*
//! of its values (a breakpoint at v lies at v x count), so a reading that stays in the cell costs two tests however many
//! conditions there are, and one that leaves it visits just the conditions whose breakpoints it crosses.
//!
//! Holds also want samples, readings that change no truth. A signal counts its samples, and a rule's hold remembers what the
//! count was when it started, so that a sample touches no rule. Only a hold that lacks samples has to hear of the one that it
//! lacked: it puts its comparison on the signal's list of those that *await samples*, and is taken off when it has them. The
//! list runs through the comparisons themselves: most signals have none that awaits any, and a vector would take its room
//! all the same.
//!
//! What every reading touches of a signal stands apart from the rest ([`Level`]).
//!
//! What is not a mean is a derived signal ([`crate::derived`]): one value in place of a sum, and all of the above as it is.

mod comparison;
#[cfg(test)]
mod tests;

use crate::derived::{Extreme, Statistic};
use crate::place::PlaceIx;
use crate::quantity::Mean;
use crate::sensor::Sampled;
use crate::sensor_type::SensorType;
use crate::table::{Order, make_room};
use crate::truth::{Operator, Truth};
use comparison::{Breakpoint, Comparison, END, UNLISTED};

pub(crate) use comparison::{Bounds, ComparisonEvidence, Owner, Wants};

/// What a reading touches of a signal: half a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Level {
    sum: i64,
    /// Sums in `low..=high` concern nobody: they are in the signal's cell, and nobody awaits samples.
    low: i64,
    high: i64,
    /// How many samples there were; only differences count, and a hold of ten years would need 13 a second to go round.
    samples: u32,
    /// The first comparison that awaits samples, or `END`.
    awaiting: u32,
}

/// The rest of a signal.
#[derive(Debug, Clone)]
struct Signal {
    count: u32,
    /// How many breakpoints the mean lies beyond.
    cell: u32,
    /// In order, and no longer than they are: most signals have few.
    breakpoints: Box<[Breakpoint]>,
    of: Of,
}

/// Which signal: of which place and type, and how it follows from the sensors there.
type Of = (PlaceIx, SensorType, Statistic);

/// No sum is between these: whatever comes concerns somebody.
const NOWHERE: (i64, i64) = (i64::MAX, i64::MIN);
/// How many breakpoints are passed one by one before the cell is searched for.
const STEPS: usize = 8;

/// All signals that a condition watches, and the comparisons of all conditions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    by_place: Order,
    levels: Vec<Level>,
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
        self.levels[ix as usize].sum = sum;
        self.signals[ix as usize].count = count;
        self.locate(ix);
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
        let place = self.by_place.find(&of, |ix| self.signals[ix as usize].of);
        make_room(&mut self.levels);
        self.levels.push(Level {
            sum,
            low: NOWHERE.0,
            high: NOWHERE.1,
            samples: 0,
            awaiting: END,
        });
        make_room(&mut self.signals);
        self.signals.push(Signal {
            count,
            cell: 0,
            breakpoints: Box::default(),
            of,
        });
        self.locate(ix);
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
        bounds: Option<Bounds>,
    ) -> u32 {
        let comparison = Comparison::new(signal, owner, operator, bounds);
        let ix = self.free.pop().unwrap_or_else(|| {
            make_room(&mut self.comparisons);
            self.comparisons.push(None);
            u32::try_from(self.comparisons.len() - 1).unwrap_or(u32::MAX)
        });
        self.comparisons[ix as usize] = Some(comparison);
        let s = &mut self.signals[signal as usize];
        for breakpoint in comparison.breakpoints() {
            let mut all = std::mem::take(&mut s.breakpoints).into_vec();
            all.reserve_exact(1);
            all.insert(all.partition_point(|b| *b < breakpoint), breakpoint);
            s.breakpoints = all.into();
        }
        self.locate(signal);
        ix
    }

    pub(crate) fn remove_comparison(&mut self, ix: u32) {
        let Some(comparison) = self.comparisons[ix as usize] else {
            return;
        };
        if comparison.next != UNLISTED {
            self.walk_awaiting(comparison.signal, |_, c, _| c != ix);
        }
        self.comparisons[ix as usize] = None;
        let s = &mut self.signals[comparison.signal as usize];
        for breakpoint in comparison.breakpoints() {
            let mut all = std::mem::take(&mut s.breakpoints).into_vec();
            if let Ok(at) = all.binary_search(&breakpoint) {
                all.remove(at);
            }
            s.breakpoints = all.into();
        }
        if s.breakpoints.is_empty() {
            self.derived.retain(|d| d.signal != comparison.signal);
        }
        self.locate(comparison.signal);
        self.free.push(ix);
    }

    /// Has the condition of a comparison compare with something else; returns its new number.
    pub(crate) fn replace_comparison(&mut self, old: u32, bounds: Option<Bounds>) -> Option<u32> {
        let of = *self.comparison(old)?;
        self.remove_comparison(old);
        Some(self.add_comparison(of.signal, of.owner(), of.operator, bounds))
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
        let (level, signal) = self.of(comparison);
        comparison.truth(level.sum, signal.count)
    }

    /// Whether a comparison is unknown because its signal has no value, and not because its threshold is not known.
    pub(crate) fn lacks_value(&self, comparison: u32) -> bool {
        let comparison = self.comparison(comparison);
        comparison.is_some_and(|c| c.is_known && self.of(c).1.count == 0)
    }

    fn of(&self, comparison: &Comparison) -> (&Level, &Signal) {
        let ix = comparison.signal as usize;
        (&self.levels[ix], &self.signals[ix])
    }

    /// How many samples a signal has counted.
    pub(crate) fn counted(&self, signal: u32) -> u32 {
        self.levels.get(signal as usize).map_or(0, |l| l.samples)
    }

    /// How many samples a comparison's signal has counted.
    pub(crate) fn samples(&self, comparison: u32) -> u32 {
        self.comparison(comparison)
            .map_or(0, |c| self.levels[c.signal as usize].samples)
    }

    /// What an evaluation finds of a rule's comparison, after a reading that is a sample of these signals.
    pub(crate) fn evidence(&self, comparison: u32, sampled: Sampled) -> ComparisonEvidence {
        let Some(comparison) = self.comparison(comparison) else {
            return ComparisonEvidence {
                truth: Truth::Unknown,
                without: Truth::Unknown,
                counted: 0,
                sample: false,
            };
        };
        let (level, signal) = self.of(comparison);
        ComparisonEvidence {
            truth: comparison.truth(level.sum, signal.count),
            without: Truth::Unknown,
            counted: level.samples,
            sample: sampled.contains(&comparison.signal),
        }
    }

    /// Which signal a comparison watches.
    pub(crate) fn watched(&self, comparison: u32) -> Option<(PlaceIx, SensorType)> {
        let comparison = self.comparison(comparison)?;
        let (place, sensor_type, _) = self.signals[comparison.signal as usize].of;
        Some((place, sensor_type))
    }

    pub(crate) fn mean(&self, signal: u32) -> Option<Mean> {
        let (sum, count) = (
            self.levels[signal as usize].sum,
            self.signals[signal as usize].count,
        );
        (count > 0).then_some(Mean { sum, count })
    }

    /// Changes a signal; whose conditions may have changed their truth goes to `dirty`.
    pub(crate) fn change(&mut self, signal: u32, sum: i64, count: i32, dirty: &mut Vec<Owner>) {
        self.read(signal, sum, count, false, dirty);
    }

    /// Changes a signal by a reading that is a sample or not; whose conditions may have changed their truth goes to `dirty`.
    /// Returns whether anybody awaits samples of it.
    #[inline]
    pub(crate) fn read(
        &mut self,
        signal: u32,
        sum: i64,
        count: i32,
        sample: bool,
        dirty: &mut Vec<Owner>,
    ) -> bool {
        let level = &mut self.levels[signal as usize];
        level.sum += sum;
        level.samples = level.samples.wrapping_add(sample.into());
        if count == 0 && level.sum >= level.low && level.sum <= level.high {
            return false;
        }
        self.leave_cell(signal, count, dirty);
        self.has_awaiting(signal)
    }

    #[cold]
    fn leave_cell(&mut self, signal: u32, count: i32, dirty: &mut Vec<Owner>) {
        let s = &mut self.signals[signal as usize];
        let (was_known, from) = (s.count > 0, s.cell);
        s.count = s.count.saturating_add_signed(count);
        self.locate(signal);
        let s = &self.signals[signal as usize];
        let crossed = if was_known && s.count > 0 {
            from.min(s.cell) as usize..from.max(s.cell) as usize
        } else {
            0..s.breakpoints.len()
        };
        dirty.extend(s.breakpoints[crossed].iter().map(|b| b.owner()));
    }

    /// Finds a signal's cell and its bounds from its sum and its count, beginning with the cell where it was.
    fn locate(&mut self, signal: u32) {
        let (level, s) = (
            &mut self.levels[signal as usize],
            &mut self.signals[signal as usize],
        );
        if s.count == 0 {
            (level.low, level.high) = NOWHERE;
            return;
        }
        let in_sum = |b: &Breakpoint| b.in_sum(s.count);
        let (sum, all) = (level.sum, &s.breakpoints[..]);
        let from = all.len().min(s.cell as usize);
        let (before, after) = all.split_at(from);
        let up = after.iter().take(STEPS).take_while(|b| in_sum(b) <= sum);
        let down = before
            .iter()
            .rev()
            .take(STEPS)
            .take_while(|b| in_sum(b) > sum);
        let cell = match (down.count(), up.count()) {
            (STEPS, _) | (_, STEPS) => all.partition_point(|b| in_sum(b) <= sum),
            (down, up) => from + up - down,
        };
        // Comparisons are counted in 32 bits and have two breakpoints at most; a farm of two thousand million conditions does not exist.
        s.cell = u32::try_from(cell).unwrap_or(u32::MAX);
        (level.low, level.high) = if level.awaiting == END {
            (
                cell.checked_sub(1).map_or(i64::MIN, |i| in_sum(&all[i])),
                all.get(cell)
                    .map_or(i64::MAX, |b| in_sum(b).saturating_sub(1)),
            )
        } else {
            NOWHERE
        };
    }

    /// A hold on this comparison's condition lacks samples.
    pub(crate) fn await_samples(&mut self, comparison: u32) {
        if let Some(c) = self.comparisons[comparison as usize].as_mut()
            && c.next == UNLISTED
        {
            let signal = c.signal as usize;
            c.next = std::mem::replace(&mut self.levels[signal].awaiting, comparison);
            (self.levels[signal].low, self.levels[signal].high) = NOWHERE;
        }
    }

    fn has_awaiting(&self, signal: u32) -> bool {
        self.levels[signal as usize].awaiting != END
    }

    /// A sample of the signal came in: those that await one and whom `wants` makes [`Wants::now`] go to `dirty`.
    pub(crate) fn offer_sample(
        &mut self,
        signal: u32,
        wants: impl Fn(&Self, u32, Owner) -> Wants,
        dirty: &mut Vec<Owner>,
    ) {
        self.walk_awaiting(signal, |signals, comparison, owner| {
            let wants = wants(signals, comparison, owner);
            if wants.now {
                dirty.push(owner);
            }
            wants.further
        });
    }

    /// Takes off the list of those that await samples whom `keep` denies.
    fn walk_awaiting(&mut self, signal: u32, mut keep: impl FnMut(&Self, u32, Owner) -> bool) {
        if !self.has_awaiting(signal) {
            return;
        }
        let first = &mut self.levels[signal as usize].awaiting;
        let mut at = std::mem::replace(first, END);
        let mut last = END;
        while let Some(Comparison { next, .. }) = self.comparison(at) {
            let next = *next;
            let kept = self
                .comparison(at)
                .is_some_and(|c| keep(self, at, c.owner()));
            if kept {
                match self.comparisons.get_mut(last as usize) {
                    Some(Some(last)) => last.next = at,
                    _ => self.levels[signal as usize].awaiting = at,
                }
                last = at;
            }
            if let Some(comparison) = &mut self.comparisons[at as usize] {
                comparison.next = if kept { END } else { UNLISTED };
            }
            at = next;
        }
        if last == END {
            self.locate(signal);
        }
    }
}
