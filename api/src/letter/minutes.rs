//! What was measured in each minute of a day. A reading stands for the time after it as long as the engine holds it fresh;
//! a minute for which nothing stands is not known.

use harit_engine::Quantity;
use harit_ingest::history::place::PlacePoint;
use serde::Serialize;
use utoipa::ToSchema;

pub(super) const MINUTE_MS: i64 = 60_000;
const HOUR_MINUTES: usize = 60;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// An hour of which less is known has no mean.
const KNOWN_MINUTES: usize = 30;

/// A time in which something was so, in epoch milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = LetterSpan)]
pub(crate) struct Span {
    pub(crate) from: i64,
    pub(crate) until: i64,
}

impl Span {
    /// Its length in whole seconds.
    pub(crate) const fn seconds(self) -> i64 {
        (self.until - self.from) / 1_000
    }

    /// The part of it that lies in another; none where there is none.
    pub(crate) fn within(self, other: Self) -> Option<Self> {
        let (from, until) = (self.from.max(other.from), self.until.min(other.until));
        (from < until).then_some(Self { from, until })
    }

    /// What is left of it without others, which do not overlap and are in order.
    pub(crate) fn without(self, others: &[Self]) -> Vec<Self> {
        let mut left = Vec::new();
        let mut from = self.from;
        for other in others.iter().filter_map(|o| o.within(self)) {
            if from < other.from {
                let until = other.from;
                left.push(Self { from, until });
            }
            from = other.until;
        }
        if from < self.until {
            left.push(Self { from, ..self });
        }
        left
    }
}

/// An hour with its mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[schema(as = LetterHour)]
pub(crate) struct Hour {
    from: i64,
    until: i64,
    /// Rounded to two decimals.
    #[schema(value_type = f64)]
    pub(crate) mean: Quantity,
}

/// A reading with its minute.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[schema(as = LetterReading)]
pub(crate) struct Reading {
    at: i64,
    #[schema(value_type = f64)]
    value: Quantity,
}

/// The minutes of a day up to where it is known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Minutes {
    from: i64,
    values: Vec<Option<Quantity>>,
}

impl Minutes {
    /// Of a place's steps of a minute; each stands for at most `fresh` milliseconds.
    pub(super) fn of(points: &[PlacePoint], day: Span, fresh: i64) -> Self {
        let count = usize::try_from((day.until - day.from) / MINUTE_MS).unwrap_or(0);
        let mut values = vec![None; count];
        for (i, point) in points.iter().enumerate() {
            let at = point.at.as_millis();
            let next = points.get(i + 1).map_or(i64::MAX, |p| p.at.as_millis());
            let last = next.min(at.saturating_add(fresh.max(MINUTE_MS)));
            let place = |at: i64| usize::try_from((at - day.from).max(0) / MINUTE_MS).unwrap_or(0);
            let end = place(last).min(count);
            for value in values.get_mut(place(at)..end).into_iter().flatten() {
                *value = Some(point.mean);
            }
        }
        Self {
            from: day.from,
            values,
        }
    }

    /// What follows from two measured quantities; not known where one is not.
    pub(super) fn joined(
        &self,
        other: &Self,
        join: impl Fn(Quantity, Quantity) -> Option<Quantity>,
    ) -> Self {
        let pairs = self.values.iter().zip(&other.values);
        Self {
            from: self.from,
            values: pairs.map(|(a, b)| join((*a)?, (*b)?)).collect(),
        }
    }

    pub(super) fn values(&self) -> &[Option<Quantity>] {
        &self.values
    }

    /// For how many seconds something is known.
    pub(super) fn known_sec(&self) -> i64 {
        seconds(self.values.iter().flatten().count())
    }

    /// For how many seconds nothing is known.
    pub(super) fn unknown_sec(&self) -> i64 {
        seconds(self.values.iter().filter(|v| v.is_none()).count())
    }

    /// The mean over what is known.
    pub(super) fn mean(&self) -> Option<Quantity> {
        mean(self.values.iter().flatten())
    }

    /// The coldest and the hottest hour by the farm's clock; the first of equal ones.
    pub(super) fn extremes(&self) -> Option<(Hour, Hour)> {
        let mut found: Option<(Hour, Hour)> = None;
        let mut from = self.from;
        for minutes in self.values.chunks(HOUR_MINUTES) {
            let until = from + HOUR_MS;
            let known = minutes.iter().flatten().count() >= KNOWN_MINUTES;
            if let Some(mean) = mean(minutes.iter().flatten()).filter(|_| known) {
                let hour = Hour { from, until, mean };
                let (low, high) = found.get_or_insert((hour, hour));
                if mean < low.mean {
                    *low = hour;
                }
                if mean > high.mean {
                    *high = hour;
                }
            }
            from = until;
        }
        found
    }
}

/// The lowest and the highest reading, each with its minute; the first of equal ones.
pub(super) fn readings(points: &[PlacePoint]) -> Option<(Reading, Reading)> {
    let reading = |at: i64, value| Reading { at, value };
    let first = points.first()?;
    let at = first.at.as_millis();
    let (mut low, mut high) = (reading(at, first.min), reading(at, first.max));
    for point in points {
        let at = point.at.as_millis();
        if point.min < low.value {
            low = reading(at, point.min);
        }
        if point.max > high.value {
            high = reading(at, point.max);
        }
    }
    Some((low, high))
}

pub(super) fn seconds(minutes: usize) -> i64 {
    i64::try_from(minutes)
        .unwrap_or(i64::MAX)
        .saturating_mul(60)
}

/// Two decimals, halves away from zero.
fn mean<'a>(values: impl Iterator<Item = &'a Quantity>) -> Option<Quantity> {
    const HUNDREDTH: i128 = 10_000;
    let (mut sum, mut count) = (0_i128, 0_i128);
    for value in values {
        sum += i128::from(value.as_micro());
        count += 1;
    }
    let step = count * HUNDREDTH;
    let rounded = (sum.abs() * 2 + step).checked_div(step * 2)? * HUNDREDTH * sum.signum();
    i64::try_from(rounded).ok().map(Quantity::from_micro)
}

#[cfg(test)]
mod tests {
    use harit_engine::Timestamp;

    use super::*;

    fn point(minute: i64, mean: i64) -> PlacePoint {
        let value = Quantity::from_micro(mean * 1_000_000);
        PlacePoint {
            at: Timestamp::from_millis(minute * MINUTE_MS),
            sensors: 1,
            mean: value,
            min: value,
            max: value,
        }
    }

    const fn hours(count: i64) -> Span {
        Span {
            from: 0,
            until: count * 60 * MINUTE_MS,
        }
    }

    #[test]
    fn a_reading_stands_until_the_next_or_as_long_as_it_is_fresh() {
        let points = [point(0, 20), point(5, 30), point(40, 10)];
        let minutes = Minutes::of(&points, hours(1), 15 * MINUTE_MS);
        assert_eq!(minutes.known_sec(), (5 + 15 + 15) * 60);
        assert_eq!(minutes.unknown_sec(), 25 * 60);
        assert_eq!(minutes.values()[19], Some(Quantity::from_micro(30_000_000)));
        assert_eq!((minutes.values()[20], minutes.values()[39]), (None, None));
    }

    #[test]
    fn an_hour_that_is_hardly_known_is_neither_hottest_nor_coldest() {
        // the second hour is the hottest by what is known of it, which is 20 minutes
        let mut points: Vec<PlacePoint> = (0..60).map(|m| point(m, 20)).collect();
        points.extend((60..80).map(|m| point(m, 40)));
        points.extend((120..180).map(|m| point(m, 25)));
        let minutes = Minutes::of(&points, hours(3), MINUTE_MS);
        let (low, high) = minutes.extremes().expect("hours");
        assert_eq!((low.from, high.from), (0, 120 * MINUTE_MS));
        assert_eq!(high.mean, Quantity::from_micro(25_000_000));
        let (lowest, highest) = readings(&points).expect("readings");
        assert_eq!((lowest.at, highest.at), (0, 60 * MINUTE_MS));
        assert_eq!(Minutes::of(&[], hours(3), MINUTE_MS).extremes(), None);
    }

    #[test]
    fn a_mean_is_rounded_to_two_decimals() {
        let of = |values: &[i64]| {
            let values: Vec<_> = values.iter().map(|v| Quantity::from_micro(*v)).collect();
            mean(values.iter()).map(Quantity::as_micro)
        };
        assert_eq!(of(&[20_000_000, 20_010_000]), Some(20_010_000));
        assert_eq!(of(&[-20_000_000, -20_010_000]), Some(-20_010_000));
        assert_eq!(of(&[]), None);
    }
}
