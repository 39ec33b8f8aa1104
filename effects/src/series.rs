//! The minutes of a signal.

use harit_engine::{Quantity, Timestamp};

use crate::MINUTE_MS;
use crate::robust::median;

/// A signal's means, minute by minute; minutes without a reading are gaps.
#[derive(Debug, Clone, Default)]
pub struct Series {
    first: i64,
    /// The sums and counts up to, and not including, each minute.
    sums: Vec<(i128, u32)>,
    gap: i64,
}

impl Series {
    /// Of points in ascending order; of several in a minute the last counts.
    #[must_use]
    pub fn new(points: impl IntoIterator<Item = (Timestamp, Quantity)>) -> Self {
        let mut minutes: Vec<(i64, i64)> = Vec::new();
        for (at, value) in points {
            let minute = at.as_millis().div_euclid(MINUTE_MS);
            match minutes.last_mut() {
                Some(last) if last.0 == minute => last.1 = value.as_micro(),
                Some(last) if last.0 > minute => {}
                _ => minutes.push((minute, value.as_micro())),
            }
        }
        let Some(&(first, _)) = minutes.first() else {
            return Self::default();
        };
        let mut sums = vec![(0, 0)];
        let mut total = (0_i128, 0_u32);
        for (minute, value) in &minutes {
            let place = usize::try_from(minute - first).unwrap_or(0);
            sums.resize(place + 1, total);
            total = (total.0 + i128::from(*value), total.1 + 1);
            sums.push(total);
        }
        let steps = minutes.windows(2).map(|w| w[1].0 - w[0].0);
        Self {
            first,
            sums,
            gap: median(steps.collect()).unwrap_or(1),
        }
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// How many minutes there are between two readings, as a rule.
    pub(crate) fn gap(&self) -> i64 {
        self.gap.max(1)
    }

    /// The first minute, and the one after the last.
    pub(crate) fn span(&self) -> (i64, i64) {
        let minutes = i64::try_from(self.sums.len()).unwrap_or(i64::MAX);
        (self.first, self.first.saturating_add(minutes - 1))
    }

    /// The mean over the minutes from `from` on and before `to`; none without a reading there.
    pub(crate) fn mean(&self, from: i64, to: i64) -> Option<i64> {
        let last = self.sums.len().checked_sub(1)?;
        let place = |minute: i64| {
            let place = minute.saturating_sub(self.first).max(0);
            usize::try_from(place).unwrap_or(usize::MAX).min(last)
        };
        let (a, b) = (self.sums.get(place(from))?, self.sums.get(place(to))?);
        let count = i128::from(b.1.checked_sub(a.1)?);
        i64::try_from((b.0 - a.0).checked_div(count)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(minute: i64, value: i64) -> (Timestamp, Quantity) {
        (
            Timestamp::from_millis(minute * MINUTE_MS + 7),
            Quantity::from_micro(value),
        )
    }

    #[test]
    fn a_gap_stays_a_gap() {
        let series = Series::new([point(10, 4), point(11, 6), point(15, 100), point(15, 20)]);
        assert_eq!(series.mean(10, 12), Some(5));
        assert_eq!(series.mean(0, 100), Some(10));
        assert_eq!(series.mean(12, 15), None);
        assert_eq!(series.mean(15, 16), Some(20));
        assert_eq!((series.mean(16, 99), series.mean(-9, 10)), (None, None));
        assert_eq!(series.span(), (10, 16));
        assert_eq!(Series::new([]).mean(0, 9), None);
    }
}
