//! The readings of a sensor joined exactly, into minutes; into hours and days, which are made of those.

use std::ops::Range;

use harit_engine::{FarmId, SensorId, Timestamp};

/// A minute, in milliseconds.
pub(crate) const MINUTE_MS: i64 = 60_000;
/// An hour, in minutes.
pub(super) const HOUR_MINUTES: i64 = 60;
/// An hour, in milliseconds.
pub(super) const HOUR_MS: i64 = HOUR_MINUTES * MINUTE_MS;

/// A day, in hours.
const DAY_HOURS: i64 = 24;

/// Of up to so many sensors `AT_ONCE` hours, or days, are made at once; of more, one.
const FEW_SERIES: usize = 1_000;
const AT_ONCE: i64 = 24;

/// How long a time it is whose readings are joined. Minutes are written as readings come; each other level is made of the one below it,
/// once that is over, so that a disk is told of it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Minute,
    Hour,
    /// Of UTC.
    Day,
}

impl Level {
    pub(super) const ALL: [Self; 3] = [Self::Minute, Self::Hour, Self::Day];
    /// Those that are made, lowest first.
    pub(super) const MADE: [Self; 2] = [Self::Hour, Self::Day];

    /// Its length.
    pub(super) const fn minutes(self) -> i64 {
        match self {
            Self::Minute => 1,
            Self::Hour => HOUR_MINUTES,
            Self::Day => DAY_HOURS * HOUR_MINUTES,
        }
    }

    /// The number of the one that a minute is in, counted from 1970.
    pub(super) const fn number(self, minute: i64) -> i64 {
        minute.div_euclid(self.minutes())
    }

    /// What it is made of.
    pub(super) const fn below(self) -> Self {
        match self {
            Self::Minute | Self::Hour => Self::Minute,
            Self::Day => Self::Hour,
        }
    }

    /// How many of the level below it is made of.
    pub(super) const fn parts(self) -> i64 {
        self.minutes() / self.below().minutes()
    }

    /// Which are made next, of those before `now`: from that of the first of the level below that is in none.
    pub(super) fn due(self, first: Option<i64>, series: usize, now: i64) -> Range<i64> {
        let from = first.map_or(now, |first| first.div_euclid(self.parts()));
        let at_once = if series > FEW_SERIES { 1 } else { AT_ONCE };
        from..now.min(from.saturating_add(at_once))
    }
}

/// Up to where what is made is there: every hour before `hour`, every day before `day`. No day is there before its hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rolled {
    pub(super) hour: i64,
    pub(super) day: i64,
}

impl Default for Rolled {
    /// Nothing is.
    fn default() -> Self {
        Self {
            hour: i64::MIN,
            day: i64::MIN,
        }
    }
}

impl Rolled {
    /// The number before which all of a level are there.
    pub(super) const fn of(self, level: Level) -> i64 {
        match level {
            Level::Minute => i64::MAX,
            Level::Hour => self.hour,
            Level::Day => self.day,
        }
    }

    pub(super) const fn set(&mut self, level: Level, to: i64) {
        match level {
            Level::Minute => {}
            Level::Hour => self.hour = to,
            Level::Day => self.day = to,
        }
    }

    /// Which of a level are over by `now`, an hour's number, and made of what is there: those before this one.
    pub(super) const fn over(self, level: Level, now: i64) -> i64 {
        match level {
            Level::Minute => i64::MAX,
            Level::Hour => now,
            Level::Day => self.hour.div_euclid(DAY_HOURS),
        }
    }

    /// Whether all is made that is over by `now`, an hour's number.
    pub(super) const fn is_up_to(self, now: i64) -> bool {
        self.hour >= now && self.day >= now.div_euclid(DAY_HOURS)
    }

    /// What is left of it without hours and days from that hour on.
    #[must_use]
    pub(super) fn cut(self, hour: i64) -> Self {
        Self {
            hour: self.hour.min(hour),
            day: self.day.min(hour.div_euclid(DAY_HOURS)),
        }
    }
}

/// What was read in one minute since it was last written, or in another level's time. Sums are exact: 64 bits hold a day of 500 readings
/// a second of the largest value that a type can plausibly have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Bucket {
    /// The number of its minute.
    pub(crate) minute: i64,
    pub(crate) count: i64,
    pub(crate) sum: i64,
    pub(crate) min: i64,
    pub(crate) max: i64,
    pub(crate) last: i64,
    pub(crate) last_at: i64,
}

impl Bucket {
    /// Adds a reading; what was collected of another minute is handed back.
    #[inline]
    pub(crate) fn add(&mut self, at: Timestamp, micro: i64) -> Option<Self> {
        let at = at.as_millis();
        let minute = at.div_euclid(MINUTE_MS);
        if self.count > 0 && self.minute == minute {
            self.count += 1;
            self.sum = self.sum.saturating_add(micro);
            self.min = self.min.min(micro);
            self.max = self.max.max(micro);
            if at >= self.last_at {
                (self.last, self.last_at) = (micro, at);
            }
            return None;
        }
        let fresh = Self {
            minute,
            count: 1,
            sum: micro,
            min: micro,
            max: micro,
            last: micro,
            last_at: at,
        };
        let old = std::mem::replace(self, fresh);
        (old.count > 0).then_some(old)
    }

    /// Adds what was collected later.
    pub(crate) fn join(&mut self, later: &Self) {
        self.count += later.count;
        self.sum = self.sum.saturating_add(later.sum);
        self.min = self.min.min(later.min);
        self.max = self.max.max(later.max);
        if later.last_at >= self.last_at {
            (self.last, self.last_at) = (later.last, later.last_at);
        }
    }

    /// What was collected, leaving nothing.
    pub(crate) fn take(&mut self) -> Option<Self> {
        let old = std::mem::take(self);
        (old.count > 0).then_some(old)
    }
}

/// A bucket on its way to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RollupRow {
    pub(crate) farm: FarmId,
    pub(crate) sensor: SensorId,
    pub(crate) bucket: Bucket,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_minutes() {
        let at = Timestamp::from_millis;
        let mut b = Bucket::default();
        assert_eq!(b.add(at(59_999), 5), None);
        assert_eq!(b.add(at(0), 9), None);
        let full = b.add(at(60_000), -1).unwrap();
        assert_eq!(
            full,
            Bucket {
                minute: 0,
                count: 2,
                sum: 14,
                min: 5,
                max: 9,
                last: 5,
                last_at: 59_999
            }
        );
        // Before the epoch too.
        let full = b.add(at(-1), 3).unwrap();
        assert_eq!((full.minute, full.count, full.sum), (1, 1, -1));
        assert_eq!(b.take().unwrap().minute, -1);
        assert_eq!(b.take(), None);
    }
}
