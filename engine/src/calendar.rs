//! Calendar values: local dates, weekdays, days of the year, times of day. Plain arithmetic of the Gregorian calendar; nothing
//! here knows a time zone.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::time::{Duration, Timestamp};

/// A local date: days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalDate(i32);

/// The weekdays' words, Monday first.
pub(crate) const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MINUTES_A_DAY: u16 = 24 * 60;

impl LocalDate {
    /// The date of that year, month (1 to 12) and day; `None` where there is none. Years 1900 to 2999.
    #[must_use]
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        if !(1_900..3_000).contains(&year) || day == 0 || day > days_in(year, month)? {
            return None;
        }
        // Days of a year that begins with March, so that the leap day is its last.
        let (y, m) = if month > 2 {
            (year, i32::from(month) - 3)
        } else {
            (year - 1, i32::from(month) + 9)
        };
        let of_years = y * 365 + y / 4 - y / 100 + y / 400;
        Some(Self(
            of_years + (153 * m + 2) / 5 + i32::from(day) - 1 - 719_468,
        ))
    }

    /// Year, month and day.
    #[must_use]
    pub fn parts(self) -> (i32, u8, u8) {
        let z = self.0 + 719_468;
        let era = z.div_euclid(146_097);
        let doe = z.rem_euclid(146_097);
        let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let m = (5 * doy + 2) / 153;
        let day = doy - (153 * m + 2) / 5 + 1;
        let month = if m < 10 { m + 3 } else { m - 9 };
        let year = yoe + era * 400 + i32::from(month <= 2);
        let small = |n: i32| u8::try_from(n).unwrap_or(1);
        (year, small(month), small(day))
    }

    /// Reads `YYYY-MM-DD`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (year, rest) = text.split_once('-')?;
        let MonthDay { month, day } = MonthDay::parse(rest)?;
        (year.len() == 4).then_some(())?;
        Self::new(digits(year)?.into(), month, day)
    }

    /// The date so many days later.
    #[must_use]
    pub const fn plus(self, days: i32) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// How many days later another date is.
    #[must_use]
    pub const fn days_until(self, later: Self) -> i32 {
        later.0.saturating_sub(self.0)
    }

    /// Midnight of the date in UTC.
    #[must_use]
    pub fn midnight_utc(self) -> Timestamp {
        Timestamp::from_millis(i64::from(self.0) * 86_400_000)
    }

    /// The weekday, 0 for Monday.
    #[must_use]
    pub fn weekday(self) -> u8 {
        // The first of January 1970 was a Thursday.
        u8::try_from((self.0 + 3).rem_euclid(7)).unwrap_or(0)
    }

    pub(crate) fn month_day(self) -> MonthDay {
        let (_, month, day) = self.parts();
        MonthDay { month, day }
    }
}

fn days_in(year: i32, month: u8) -> Option<u8> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    Some(match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    })
}

/// Digits alone: no sign, no space.
fn digits(text: &str) -> Option<u16> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// Two digits.
fn two_digits(text: &str) -> Option<u8> {
    digits(text)
        .filter(|_| text.len() == 2)
        .and_then(|n| u8::try_from(n).ok())
}

impl fmt::Display for LocalDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl Serialize for LocalDate {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LocalDate {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        let wrong = || format!("{text:?} is no date (YYYY-MM-DD)");
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(wrong()))
    }
}

/// Some of the seven weekdays, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Weekdays(u8);

impl Weekdays {
    /// All seven.
    pub const ALL: Self = Self(0b111_1111);

    /// Those days, 0 for Monday; `None` without any.
    #[must_use]
    pub fn of(days: impl IntoIterator<Item = u8>) -> Option<Self> {
        let all = { days.into_iter().filter(|d| *d < 7) }.fold(0, |all, d| all | 1 << d);
        (all != 0).then_some(Self(all))
    }

    /// Whether a weekday, 0 for Monday, is among them.
    #[must_use]
    pub const fn contains(self, weekday: u8) -> bool {
        self.0 >> weekday & 1 == 1
    }

    /// Their words, Monday first.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        { WEEKDAYS.into_iter().zip(0..) }.filter_map(move |(w, d)| self.contains(d).then_some(w))
    }
}

/// A day of any year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MonthDay {
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31; 29 for the leap day of February.
    pub day: u8,
}

impl MonthDay {
    /// Reads `MM-DD`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (month, day) = text.split_once('-')?;
        let (month, day) = (two_digits(month)?, two_digits(day)?);
        (day > 0 && day <= days_in(2_000, month)?).then_some(Self { month, day })
    }
}

impl fmt::Display for MonthDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}-{:02}", self.month, self.day)
    }
}

/// A time of day, to the minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeOfDay(u16);

impl TimeOfDay {
    /// So many minutes after midnight; `None` from 24:00 on.
    #[must_use]
    pub fn from_minutes(minutes: u16) -> Option<Self> {
        (minutes < MINUTES_A_DAY).then_some(Self(minutes))
    }

    /// Minutes after midnight.
    #[must_use]
    pub const fn minutes(self) -> u16 {
        self.0
    }

    /// Reads `HH:MM`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (hour, minute) = text.split_once(':')?;
        let (hour, minute) = (two_digits(hour)?, two_digits(minute)?);
        (minute < 60).then_some(())?;
        Self::from_minutes(u16::from(hour) * 60 + u16::from(minute))
    }

    pub(crate) fn after_midnight(self) -> Duration {
        Duration::from_secs(i64::from(self.0) * 60)
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_days_as_the_calendar_does() {
        let mut date = LocalDate::new(1_900, 1, 1).unwrap();
        assert_eq!(date.weekday(), 0, "a Monday");
        let (mut year, mut month, mut day) = (1_900, 1, 1);
        for _ in 0..400_000 {
            assert_eq!(date.parts(), (year, month, day));
            assert_eq!(LocalDate::new(year, month, day), Some(date));
            assert_eq!(LocalDate::parse(&date.to_string()), Some(date));
            let next = date.plus(1);
            assert_eq!(next.weekday(), (date.weekday() + 1) % 7);
            date = next;
            day += 1;
            if Some(day) > days_in(year, month) {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        let epoch = LocalDate::new(1_970, 1, 1).unwrap();
        assert_eq!((epoch.midnight_utc().as_millis(), epoch.weekday()), (0, 3));
        for wrong in [
            "2025-02-29",
            "2025-13-01",
            "2025-1-01",
            "25-01-01",
            "+025-01-01",
            "2025-01-00",
            "x",
        ] {
            assert_eq!(LocalDate::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_and_days_are_read_strictly() {
        assert_eq!(
            TimeOfDay::parse("23:59").map(TimeOfDay::minutes),
            Some(1_439)
        );
        for wrong in ["24:00", "6:00", "06:60", "06:0", "+6:00", "0600", ""] {
            assert_eq!(TimeOfDay::parse(wrong), None, "{wrong}");
        }
        assert_eq!(
            MonthDay::parse("02-29"),
            Some(MonthDay { month: 2, day: 29 })
        );
        for wrong in ["02-30", "02-00", "00-10", "13-01", "1-01", "04-31"] {
            assert_eq!(MonthDay::parse(wrong), None, "{wrong}");
        }
        let some = Weekdays::of([0, 6]).unwrap();
        assert_eq!(some.words().collect::<Vec<_>>(), ["mon", "sun"]);
        assert_eq!(Weekdays::of([7]), None);
    }
}
