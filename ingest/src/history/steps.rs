//! The readings of one sensor joined into steps of time: of its days where each step is of whole days, of its hours where it is of whole
//! hours, of its minutes otherwise.

use std::ops::Range;

use harit_engine::{Quantity, Timestamp};

use super::rollup::{Level, MINUTE_MS, Rolled};
use super::{HistoryError, MAX_POINTS, Rollup};

/// The good readings of a sensor in one step; of at least one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The step's beginning, in minutes.
    pub(super) at: i64,
    pub(super) sum: i128,
    pub(super) count: u64,
    pub(super) min: i64,
    pub(super) max: i64,
    pub(super) last: i64,
    pub(super) last_at: i64,
}

impl Step {
    pub(super) fn timestamp(&self) -> Timestamp {
        Timestamp::from_millis(self.at.saturating_mul(MINUTE_MS))
    }

    /// The mean, halves away from zero.
    pub(super) fn mean(&self) -> i64 {
        mean(self.sum, self.count)
    }

    pub(super) fn rollup(&self) -> Rollup {
        Rollup {
            at: self.timestamp(),
            count: self.count,
            mean: Quantity::from_micro(self.mean()),
            min: Quantity::from_micro(self.min),
            max: Quantity::from_micro(self.max),
            last: Quantity::from_micro(self.last),
            sum_micro: i64::try_from(self.sum).unwrap_or(i64::MAX),
        }
    }

    fn join(&mut self, later: &Self) {
        self.count += later.count;
        self.sum += later.sum;
        (self.min, self.max) = (self.min.min(later.min), self.max.max(later.max));
        if later.last_at >= self.last_at {
            (self.last, self.last_at) = (later.last, later.last_at);
        }
    }
}

/// The mean, halves away from zero.
pub(super) fn mean(total: i128, n: u64) -> i64 {
    let n = i128::from(n.max(1));
    let mean = (total.abs() * 2 + n) / (n * 2) * total.signum();
    i64::try_from(mean).unwrap_or(i64::MAX)
}

/// Which minutes, and in steps of how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) first: i64,
    /// The minute after the last.
    pub(super) end: i64,
    /// At least 1.
    pub(super) step: i64,
}

impl Span {
    /// The span of minutes that has [from, to), in steps of whole minutes.
    pub(super) fn new(from: Timestamp, to: Timestamp, step_sec: u32) -> Self {
        let end = to.as_millis().saturating_add(MINUTE_MS - 1);
        Self {
            first: from.as_millis().div_euclid(MINUTE_MS),
            end: end.div_euclid(MINUTE_MS),
            step: i64::from(step_sec).max(1).saturating_add(59) / 60,
        }
    }

    /// Whether it has no more steps than one question gets.
    pub(super) fn check(self) -> Result<(), HistoryError> {
        let points = self.minutes() / self.step;
        if points > i64::try_from(MAX_POINTS).unwrap_or(i64::MAX) {
            return Err(HistoryError::TooMany { points });
        }
        Ok(())
    }

    const fn minutes(self) -> i64 {
        self.end.saturating_sub(self.first)
    }

    const fn has_whole(self, level: Level) -> bool {
        self.step % level.minutes() == 0
    }

    /// The most rows that are read of a sensor where what is made is there.
    pub(super) const fn rows(self) -> i64 {
        let level = if self.has_whole(Level::Day) {
            Level::Day
        } else if self.has_whole(Level::Hour) {
            Level::Hour
        } else {
            Level::Minute
        };
        self.minutes() / level.minutes()
    }

    /// What of it is read of which level, by the level's numbers, oldest first.
    pub(super) fn parts(self, rolled: Rolled) -> Vec<(Level, Range<i64>)> {
        let mut parts = Vec::new();
        self.cover(Level::Day, self.first..self.end, rolled, &mut parts);
        parts
    }

    /// Takes whole ones of a level out of some minutes, and what is before and after them of the level below.
    fn cover(
        self,
        level: Level,
        minutes: Range<i64>,
        rolled: Rolled,
        to: &mut Vec<(Level, Range<i64>)>,
    ) {
        if minutes.is_empty() {
            return;
        }
        if level == Level::Minute {
            return to.push((level, minutes));
        }
        let n = level.minutes();
        let first = minutes.start.saturating_add(n - 1).div_euclid(n);
        let end = minutes.end.div_euclid(n).min(rolled.of(level));
        if !self.has_whole(level) || first >= end {
            return self.cover(level.below(), minutes, rolled, to);
        }
        self.cover(level.below(), minutes.start..first * n, rolled, to);
        to.push((level, first..end));
        self.cover(level.below(), end * n..minutes.end, rolled, to);
    }
}

/// Joins what is read, oldest first, into steps.
pub(super) struct Joining<'a> {
    step: i64,
    open: Option<Step>,
    each: &'a mut dyn FnMut(Step),
}

impl<'a> Joining<'a> {
    pub(super) fn new(span: Span, each: &'a mut dyn FnMut(Step)) -> Self {
        Self {
            step: span.step,
            open: None,
            each,
        }
    }

    pub(super) fn add(&mut self, mut next: Step) {
        next.at -= next.at.rem_euclid(self.step);
        match self.open.as_mut().filter(|s| s.at == next.at) {
            Some(s) => s.join(&next),
            None => {
                if let Some(done) = self.open.replace(next) {
                    (self.each)(done);
                }
            }
        }
    }

    pub(super) fn end(self) {
        if let Some(done) = self.open {
            (self.each)(done);
        }
    }
}
