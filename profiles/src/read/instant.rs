//! The instant that a word of a payload is.

use harit_protocol::Time;
use jiff::Timestamp as Instant;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::document::TimeKind;

impl TimeKind {
    /// The instant that a word is.
    pub(super) fn instant(self, word: &str) -> Option<Time> {
        if self == TimeKind::Rfc3339 {
            let instant: Instant = word.parse().ok()?;
            return Some(Time::At(instant.as_millisecond()));
        }
        if self == TimeKind::Utc {
            let civil: DateTime = word.parse().ok()?;
            let instant = Offset::UTC.to_timestamp(civil).ok()?;
            return Some(Time::At(instant.as_millisecond()));
        }
        // As decimal text; micro-units are enough for every kind but nanoseconds, which are whole.
        let millis = match self {
            TimeKind::Ns => word.parse::<i64>().ok()? / 1_000_000,
            TimeKind::Us => word.parse::<i64>().ok()? / 1_000,
            TimeKind::Ms => whole(word)?,
            TimeKind::S | TimeKind::Rfc3339 | TimeKind::Utc => {
                let (secs, part) = word.split_once('.').unwrap_or((word, ""));
                let part: String = part.chars().chain("000".chars()).take(3).collect();
                let secs = secs.parse::<i64>().ok()?.checked_mul(1_000)?;
                secs.checked_add(part.parse::<i64>().ok()?)?
            }
        };
        Some(Time::At(millis))
    }
}

fn whole(word: &str) -> Option<i64> {
    word.split('.').next()?.parse().ok()
}
