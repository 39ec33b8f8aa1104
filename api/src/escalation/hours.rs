//! Hours of the week in a farm's time zone: duty, and quiet.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Minutes of a day.
pub(crate) const DAY_MIN: i64 = 1_440;

/// From one minute of the day to another, on some days of the week. One that ends no later than it begins ends on the day after;
/// its days are those on which it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hours {
    /// A bit a weekday, Monday first.
    pub days: i64,
    pub from: i64,
    pub to: i64,
}

impl Hours {
    /// None where a part is out of its range.
    pub(crate) fn new(days: i64, from: i64, to: i64) -> Option<Self> {
        let minute = 0..DAY_MIN;
        let is_right = (1..=127).contains(&days) && minute.contains(&from) && minute.contains(&to);
        is_right.then_some(Self { days, from, to })
    }

    const fn passes_midnight(&self) -> bool {
        self.to <= self.from
    }

    const fn begins_on(&self, weekday: i8) -> bool {
        self.days & (1 << weekday) != 0
    }
}

/// That somebody is on duty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Duty {
    pub user_id: String,
    pub hours: Hours,
}

/// A farm's clock.
#[derive(Debug, Clone)]
pub(crate) struct Times(TimeZone);

impl Times {
    /// By an IANA name; UTC where that is unknown.
    pub(crate) fn of(timezone: &str) -> Self {
        Self(TimeZone::get(timezone).unwrap_or(TimeZone::UTC))
    }

    fn zoned(&self, at: i64) -> Zoned {
        let at = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
        at.to_zoned(self.0.clone())
    }

    /// Whether an instant lies in these hours: by what the clock on the wall shows.
    pub(crate) fn covers(&self, hours: &Hours, at: i64) -> bool {
        let at = self.zoned(at);
        let minute = i64::from(at.hour()) * 60 + i64::from(at.minute());
        let weekday = at.weekday().to_monday_zero_offset();
        let yesterday = (weekday + 6) % 7;
        if hours.passes_midnight() {
            (hours.begins_on(weekday) && minute >= hours.from)
                || (hours.begins_on(yesterday) && minute < hours.to)
        } else {
            hours.begins_on(weekday) && (hours.from..hours.to).contains(&minute)
        }
    }

    /// When the hours end in which an instant lies; none where it lies in none.
    pub(crate) fn end_of(&self, hours: &Hours, at: i64) -> Option<i64> {
        if !self.covers(hours, at) {
            return None;
        }
        let now = self.zoned(at);
        let (hour, minute) = (hours.to / 60, hours.to % 60);
        let time = jiff::civil::time(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0);
        let on = |date: jiff::civil::Date| {
            let end = date.to_datetime(time).to_zoned(self.0.clone()).ok()?;
            Some(end.timestamp().as_millisecond())
        };
        // today's, unless that is past
        let today = on(now.date()).filter(|end| *end > at);
        today.or_else(|| on(now.date().tomorrow().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(timezone: &str, local: &str) -> i64 {
        let zone = TimeZone::get(timezone).expect("a zone");
        let local: jiff::civil::DateTime = local.parse().expect("a time");
        let zoned = local.to_zoned(zone).expect("an instant");
        zoned.timestamp().as_millisecond()
    }

    #[test]
    fn hours_are_those_of_the_farms_wall_and_may_pass_midnight() {
        let india = Times::of("Asia/Kolkata");
        // Fridays from 22:00 to 06:00
        let night = Hours::new(1 << 4, 22 * 60, 6 * 60).expect("hours");
        // 2026-11-27 is a Friday
        for (local, covered) in [
            ("2026-11-27T21:59:59", false),
            ("2026-11-27T22:00:00", true),
            ("2026-11-28T05:59:59", true),
            ("2026-11-28T06:00:00", false),
            ("2026-11-27T05:00:00", false),
            ("2026-11-28T22:30:00", false),
        ] {
            assert_eq!(
                india.covers(&night, at("Asia/Kolkata", local)),
                covered,
                "{local}"
            );
        }
        let day = Hours::new(127, 360, 1_080).expect("hours");
        assert!(india.covers(&day, at("Asia/Kolkata", "2026-11-29T06:00:00")));
        assert!(!india.covers(&day, at("Asia/Kolkata", "2026-11-29T18:00:00")));
        // the whole day
        let whole = Hours::new(127, 0, 0).expect("hours");
        assert!(india.covers(&whole, at("Asia/Kolkata", "2026-11-29T00:00:00")));
        assert!(Hours::new(0, 0, 1).is_none() && Hours::new(1, 1_440, 0).is_none());
    }

    #[test]
    fn quiet_ends_in_the_morning_also_where_the_clock_is_changed() {
        let night = Hours::new(127, 22 * 60, 6 * 60).expect("hours");
        let end = |zone: &str, local| Times::of(zone).end_of(&night, at(zone, local));
        let india = "Asia/Kolkata";
        let six = at(india, "2026-11-28T06:00:00");
        assert_eq!(end(india, "2026-11-27T23:00:00"), Some(six));
        assert_eq!(end(india, "2026-11-28T03:00:00"), Some(six));
        assert_eq!(end(india, "2026-11-28T12:00:00"), None);
        // the night on which Berlin's summer ends has an hour more
        let berlin = "Europe/Berlin";
        let from = at(berlin, "2026-10-24T22:00:00");
        let to = end(berlin, "2026-10-24T22:00:00").expect("an end");
        assert_eq!(to - from, 9 * 3_600 * 1_000);
    }
}
