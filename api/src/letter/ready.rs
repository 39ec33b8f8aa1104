//! When an evening letter is ready, and whose day it is.

use jiff::Timestamp;
use jiff::civil::{Date, time};
use jiff::tz::TimeZone;

use super::minutes::Span;
use crate::sun::midnight;

/// The hour of the farm's evening at which the day's letter is told.
const READY_HOUR: i8 = 19;

/// A time zone by its name; UTC where there is none of it.
pub(crate) fn zone_of(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

/// The farm's day at an instant, in epoch milliseconds.
pub(crate) fn day_at(zone: &TimeZone, at: i64) -> Date {
    let instant = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
    instant.to_zoned(zone.clone()).date()
}

/// The whole of a day, 23 to 25 hours long.
pub(crate) fn span_of(zone: &TimeZone, day: Date) -> Option<Span> {
    Some(Span {
        from: midnight(day, zone)?,
        until: midnight(day.tomorrow().ok()?, zone)?,
    })
}

/// When a day's letter is ready.
pub(crate) fn ready_at(zone: &TimeZone, day: Date) -> Option<i64> {
    let evening = day.to_datetime(time(READY_HOUR, 0, 0, 0));
    let evening = evening.to_zoned(zone.clone()).ok()?;
    Some(evening.timestamp().as_millisecond())
}

/// The day of the latest letter that is ready at an instant.
pub(crate) fn latest(zone: &TimeZone, at: i64) -> Option<Date> {
    let today = day_at(zone, at);
    let ready = ready_at(zone, today)? <= at;
    if ready {
        Some(today)
    } else {
        today.yesterday().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(zone: &TimeZone, text: &str) -> i64 {
        let civil: jiff::civil::DateTime = text.parse().expect("a time");
        let zoned = civil.to_zoned(zone.clone()).expect("a time");
        zoned.timestamp().as_millisecond()
    }

    #[test]
    fn a_letter_is_ready_at_seven_in_the_evening_of_the_farm() {
        let zone = zone_of("Asia/Kolkata");
        let told = |text| latest(&zone, at(&zone, text)).map(|d| d.to_string());
        assert_eq!(told("2026-11-25T18:59:59"), Some("2026-11-24".into()));
        assert_eq!(told("2026-11-25T19:00:00"), Some("2026-11-25".into()));
        assert_eq!(told("2026-11-26T00:00:00"), Some("2026-11-25".into()));
    }

    #[test]
    fn a_day_is_as_long_as_the_clocks_make_it() {
        let zone = zone_of("Europe/Amsterdam");
        let hours = |m, d| {
            let span = span_of(&zone, jiff::civil::date(2026, m, d)).expect("a day");
            span.seconds() / 3_600
        };
        assert_eq!((hours(3, 29), hours(3, 30), hours(10, 25)), (23, 24, 25));
        // 19:00 of a long day is 20 hours after it began
        let day = jiff::civil::date(2026, 10, 25);
        let began = span_of(&zone, day).expect("a day").from;
        assert_eq!(
            ready_at(&zone, day).map(|r| (r - began) / 3_600_000),
            Some(20)
        );
    }
}
