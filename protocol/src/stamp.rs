//! When values were true, and values as they are journaled.

use harit_engine::{Decimal, Measured, Timestamp};

/// How far a controller's timestamp may lie before its arrival and still drive rules, in milliseconds.
pub const MAX_AGE_MS: i64 = 300_000;
/// How far a controller's timestamp may lie after its arrival, in milliseconds.
pub const MAX_AHEAD_MS: i64 = 30_000;

/// When a message's values were true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamp {
    /// At this instant: the controller's, or that of the arrival.
    At(Timestamp),
    /// The controller's was in the future: the arrival's stands for it.
    Replaced(Timestamp),
    /// Long ago: for the history only.
    Backlog(Timestamp),
}

/// Judges a controller's timestamp. `now` is the driver's time, `ahead_ms` by how much it is ahead of the wall clock.
#[must_use]
pub fn stamp(ts: Option<i64>, now: Timestamp, ahead_ms: i64) -> Stamp {
    let Some(ts) = ts else { return Stamp::At(now) };
    let arrival = now.as_millis().saturating_sub(ahead_ms);
    let age = arrival.saturating_sub(ts);
    if age > MAX_AGE_MS {
        Stamp::Backlog(Timestamp::from_millis(ts))
    } else if age < -MAX_AHEAD_MS {
        Stamp::Replaced(now)
    } else {
        Stamp::At(Timestamp::from_millis(ts.saturating_add(ahead_ms)))
    }
}

/// A value as it is journaled and applied. How a number was rounded matters only where it lies on the edge of a plausible
/// range, and edges are whole units; everywhere else the rounded number says all, and says it in fewer bytes.
#[must_use]
pub fn canonical(value: Measured) -> Measured {
    match value {
        Measured::Value(d) if d.rounded().as_units().is_none() => {
            Measured::Value(Decimal::exact(d.rounded()))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_judged_by_arrival() {
        let now = Timestamp::from_millis(10_000_000);
        let ms = Timestamp::from_millis;
        for (ts, ahead, expected) in [
            (None, 0, Stamp::At(now)),
            (Some(10_000_000), 0, Stamp::At(now)),
            (Some(9_700_000), 0, Stamp::At(ms(9_700_000))),
            (Some(9_699_999), 0, Stamp::Backlog(ms(9_699_999))),
            (Some(10_030_000), 0, Stamp::At(ms(10_030_000))),
            (Some(10_030_001), 0, Stamp::Replaced(now)),
            (Some(i64::MIN), 0, Stamp::Backlog(ms(i64::MIN))),
            (Some(i64::MAX), 0, Stamp::Replaced(now)),
            // The driver is an hour ahead of the wall clock: what is fresh by the wall is fresh.
            (Some(6_400_000), 3_600_000, Stamp::At(now)),
            (Some(6_000_000), 3_600_000, Stamp::Backlog(ms(6_000_000))),
        ] {
            assert_eq!(stamp(ts, now, ahead), expected, "{ts:?} {ahead}");
        }
    }

    #[test]
    fn rounding_is_kept_where_it_matters() {
        for text in [
            "100.0000001",
            "99.9999999",
            "-0.0000001",
            "0",
            "27",
            "null",
            "NaN",
        ] {
            let m = Measured::parse(text);
            assert_eq!(canonical(m), m, "{text}");
        }
        let m = canonical(Measured::parse("27.399999618530273"));
        assert_eq!(m, Measured::parse("27.4"));
    }
}
