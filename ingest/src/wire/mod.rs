//! Payloads of controllers: the only place where bytes become readings, reports and acks.
//!
//! Telemetry is read in one pass over the payload with everything borrowed from it. A number is taken through its own
//! decimal text, so that no float stands between the wire and the engine. What is not understood is refused with a stable
//! word ([`Reject`]); a message with one bad sensor keeps its good ones.

mod scan;
mod state;
mod telemetry;

pub(crate) use state::{
    Ack, AckStatus, DeviceReport, Report, read_ack, read_state, unit_matches, usable_id,
};
pub(crate) use telemetry::{Item, TypeWord, read_telemetry};

use harit_engine::{Decimal, Measured, Timestamp};

/// The most sensors in one telemetry message.
pub const MAX_SENSORS: usize = 4_096;
/// The deepest nesting of a payload.
pub const MAX_NESTING: usize = 8;
/// How far a controller's timestamp may lie before its arrival and still drive rules, in milliseconds.
pub const MAX_AGE_MS: i64 = 300_000;
/// How far a controller's timestamp may lie after its arrival, in milliseconds.
pub const MAX_AHEAD_MS: i64 = 30_000;

/// Why a payload, or one entry of it, was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reject {
    /// The topic is none of the protocol's, or not the sender's own.
    Topic,
    /// The topic is not one on which controllers publish.
    NotForControllers,
    /// No such farm, or no such controller in it.
    UnknownController,
    /// The controller is disabled.
    Disabled,
    /// Longer than 256 KiB.
    TooLarge,
    /// More than 4,096 sensors in a message.
    TooManySensors,
    /// Deeper than 8 levels.
    TooDeep,
    /// Not the JSON that the protocol asks for.
    Malformed,
    /// A retained message where none may be.
    Retained,
    /// The unit is not the type's.
    Unit,
    /// No such sensor type.
    UnknownType,
    /// No id and no type, or an id that is not usable.
    BadId,
    /// No id, and the controller has several sensors of the type.
    Ambiguous,
    /// The sensor or device is of another type.
    OtherType,
    /// The controller has too many sensors or devices.
    TooManyThings,
    /// The engine refused what was announced.
    Refused,
    /// A device entry that cannot be read.
    BadDevice,
    /// The transport refused it: not this account's topic.
    NotAllowed,
    /// The farm is not served until the next start, because its messages made the server fail.
    FarmFailed,
}

impl Reject {
    /// The word for it in the dead letter store and in metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::NotForControllers => "not_for_controllers",
            Self::UnknownController => "unknown_controller",
            Self::Disabled => "disabled",
            Self::TooLarge => "too_large",
            Self::TooManySensors => "too_many_sensors",
            Self::TooDeep => "too_deep",
            Self::Malformed => "malformed",
            Self::Retained => "retained",
            Self::Unit => "unit",
            Self::UnknownType => "unknown_type",
            Self::BadId => "bad_id",
            Self::Ambiguous => "ambiguous",
            Self::OtherType => "other_type",
            Self::TooManyThings => "too_many_things",
            Self::Refused => "refused",
            Self::BadDevice => "bad_device",
            Self::NotAllowed => "not_allowed",
            Self::FarmFailed => "farm_failed",
        }
    }
}

/// When a message's values were true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stamp {
    /// At this instant: the controller's, or that of the arrival.
    At(Timestamp),
    /// The controller's was in the future: the arrival's stands for it.
    Replaced(Timestamp),
    /// Long ago: for the history only.
    Backlog(Timestamp),
}

/// Judges a controller's timestamp. `now` is the driver's time, `ahead_ms` by how much it is ahead of the wall clock.
pub(crate) fn stamp(ts: Option<i64>, now: Timestamp, ahead_ms: i64) -> Stamp {
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
pub(crate) fn canonical(value: Measured) -> Measured {
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

    proptest::proptest! {
        /// Whatever a controller sends, reading it ends with an answer.
        #[test]
        fn no_payload_panics(cuts in proptest::collection::vec((0_usize..400, proptest::num::u8::ANY), 0..6), n in 0_usize..400) {
            let mut payload = r#"[{"ts":1700000000000,"seq":7,"x":[[{"a":"\u00e9"}]],"sensors":[{"id":"t\n1","type":"temperature","unit":"°C","latestValue":-27.4e-3},{"type":"ph","latestValue":null}]},{"online":true,"devices":[{"id":"fan-1","type":"fan","on":true,"value":1e400,"lock":null}],"command_id":"f-1","status":"ack"}]"#.as_bytes().to_vec();
            for (at, byte) in cuts {
                if let Some(b) = payload.get_mut(at) {
                    *b = byte;
                }
            }
            payload.truncate(payload.len().saturating_sub(n % 40));
            for from in [0, 1, payload.len().min(n)] {
                let part = &payload[from.min(payload.len())..];
                let _ = read_telemetry(part);
                let _ = read_ack(part);
                let mut bad = vec![];
                let _ = read_state(part, &mut bad);
                let _ = std::str::from_utf8(part).map(crate::jsonl::parse);
            }
        }
    }
}
