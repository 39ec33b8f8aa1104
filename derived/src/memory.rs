//! What derived sensors remember: the day so far, or the last minutes.

use std::collections::VecDeque;

use harit_engine::{Duration, Timestamp};

use crate::present::Day;

/// The most values of a window; what comes faster takes the place of the value before.
const MAX_WINDOW: i64 = 1_000;
const HOUR_MS: f64 = 3_600_000.0;

/// What a sensor that counts over the day had counted before a restart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Carried {
    /// When.
    pub at: Timestamp,
    /// How much.
    pub value: f64,
}

/// The length of an interval as a float, in milliseconds.
#[allow(clippy::cast_precision_loss, reason = "days in milliseconds are exact")]
const fn millis(from: Timestamp, to: Timestamp) -> f64 {
    to.as_millis().saturating_sub(from.as_millis()) as f64
}

/// What was counted since midnight.
#[derive(Debug, Clone, Default)]
pub(crate) struct Today {
    day: Option<Day>,
    sum: f64,
    last: Option<(Timestamp, f64)>,
}

/// A stretch between two values of an input.
pub(crate) struct Stretch {
    pub(crate) millis: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Today {
    /// The input is not known: what lies until its next value does not count.
    pub(crate) const fn lose(&mut self) {
        self.last = None;
    }

    /// What is counted with this value of the input; what `much` says of each stretch is added up. A stretch longer than `gap` counts
    /// nothing. Where the day begins anew, only what lies in it counts.
    pub(crate) fn add(
        &mut self,
        (at, value): (Timestamp, f64),
        day: Day,
        gap: Duration,
        carried: Option<Carried>,
        much: impl Fn(Stretch) -> f64,
    ) -> f64 {
        if self.last.is_some_and(|(last, _)| at < last) {
            return self.sum;
        }
        let last = self.last.filter(|(last, _)| at - *last <= gap);
        let (mut from, is_new) = (last, self.day.is_none_or(|d| d.from != day.from));
        if is_new {
            let today = carried.filter(|c| day.from <= c.at && c.at < day.to);
            self.sum = { today.filter(|_| self.day.is_none()) }.map_or(0.0, |c| c.value);
            self.day = Some(day);
            from = last.map(|(last, before)| {
                if last >= day.from {
                    return (last, before);
                }
                let share = millis(last, day.from) / millis(last, at);
                (day.from, before + share * (value - before))
            });
        }
        if let Some((last, before)) = from {
            self.sum += much(Stretch {
                millis: millis(last, at),
                from: before,
                to: value,
            });
        }
        self.last = Some((at, value));
        self.sum
    }
}

/// The values of the last minutes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Window(VecDeque<(Timestamp, f64)>);

impl Window {
    /// The input is not known: the window begins anew.
    pub(crate) fn lose(&mut self) {
        self.0.clear();
    }

    /// Adds a value, and forgets what is older than the window is long.
    pub(crate) fn add(&mut self, (at, value): (Timestamp, f64), length: Duration) {
        let Self(values) = self;
        let spacing = Duration::from_millis(length.as_millis() / MAX_WINDOW);
        while let Some((last, _)) = values.back() {
            let before = values.len().checked_sub(2).map(|n| values[n].0);
            if *last > at {
                return;
            }
            if *last < at && before.is_none_or(|before| at - before >= spacing) {
                break;
            }
            values.pop_back();
        }
        values.push_back((at, value));
        while values
            .front()
            .is_some_and(|(first, _)| at - *first > length)
        {
            values.pop_front();
        }
    }

    /// The mean, each value weighted by the time for which it stands.
    pub(crate) fn mean(&self) -> Option<f64> {
        let (first, last) = (self.0.front()?, self.0.back()?);
        let pairs = self.0.iter().zip(self.0.iter().skip(1));
        let sums = pairs.map(|(a, b)| millis(a.0, b.0) * f64::midpoint(a.1, b.1));
        let length = millis(first.0, last.0);
        Some(if length > 0.0 {
            sums.sum::<f64>() / length
        } else {
            last.1
        })
    }

    /// The slope of the line of least squares, an hour; none before half of the window has passed.
    pub(crate) fn slope(&self, length: Duration) -> Option<f64> {
        let (first, last) = (self.0.front()?.0, self.0.back()?.0);
        if (last - first).as_millis() * 2 < length.as_millis() {
            return None;
        }
        #[allow(clippy::cast_precision_loss, reason = "at most a thousand")]
        let n = self.0.len() as f64;
        let points = || {
            self.0
                .iter()
                .map(|(at, v)| (millis(first, *at) / HOUR_MS, *v))
        };
        let (x, y) = points().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
        let (x, y) = (x / n, y / n);
        let (up, over) = points().fold((0.0, 0.0), |(up, over), (a, b)| {
            (up + (a - x) * (b - y), over + (a - x) * (a - x))
        });
        (over > 0.0).then(|| up / over)
    }
}

/// Light in mol/m² of a stretch in µmol/m²/s.
pub(crate) fn light(s: Stretch) -> f64 {
    f64::midpoint(s.from, s.to) * s.millis / 1_000.0 / 1e6
}

/// Degree days of a stretch.
pub(crate) fn degree_days(s: Stretch, base: f64, upper: f64) -> f64 {
    let above = |t: f64| t.clamp(base, upper) - base;
    f64::midpoint(above(s.from), above(s.to)) * s.millis / (24.0 * HOUR_MS)
}

/// How many hours of a stretch lie above a threshold, if it is a straight line.
pub(crate) fn hours_above(s: Stretch, threshold: f64) -> f64 {
    let (from, to) = (s.from - threshold, s.to - threshold);
    let share = match (from > 0.0, to > 0.0) {
        (true, true) => 1.0,
        (false, false) => 0.0,
        (true, false) => from / (from - to),
        (false, true) => to / (to - from),
    };
    share * s.millis / HOUR_MS
}
