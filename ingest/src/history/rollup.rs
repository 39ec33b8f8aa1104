//! One minute of a sensor, exactly.

use std::ops::Range;

use harit_engine::{FarmId, SensorId, Timestamp};

/// A minute, in milliseconds.
pub(crate) const MINUTE_MS: i64 = 60_000;
/// An hour, in minutes.
pub(super) const HOUR_MINUTES: i64 = 60;
/// An hour, in milliseconds.
pub(super) const HOUR_MS: i64 = HOUR_MINUTES * MINUTE_MS;

/// Up to so many sensors a day's hours are made at once; of more, an hour's.
const FEW_SERIES: usize = 1_000;
const DAY_HOURS: i64 = 24;

/// Which hours are made next, of those before `now`: from that of the first minute that is not in one.
pub(super) fn hours_due(first_minute: Option<i64>, series: usize, now: i64) -> Range<i64> {
    let from = first_minute.map_or(now, |minute| minute.div_euclid(HOUR_MINUTES));
    let at_once = if series > FEW_SERIES { 1 } else { DAY_HOURS };
    from..now.min(from.saturating_add(at_once))
}

/// What was read in one minute since it was last written. Sums are exact: 64 bits hold 4,000 readings a second of the
/// largest value that a type can plausibly have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Bucket {
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
