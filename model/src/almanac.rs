//! The almanac: local days, the instants that times of day are on them, and what windows and dates say of an instant.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::condition::Truth;
use crate::document::{Malformed, malformed, text};
use crate::mutation::Mutation;

const DAY_MS: i64 = 86_400_000;
/// How many days are known at most, and how many an input may tell.
pub(crate) const MOST_DAYS: usize = 16;

/// A date as days since 1970-01-01.
pub(crate) type Date = i64;
/// A month and a day of it.
pub(crate) type MonthDay = (i64, i64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Day {
    from: i64,
    to: i64,
    offset_ms: i64,
    /// When the clock is set, and what its offset is from then on.
    change: Option<(i64, i64)>,
    sunrise: Option<i64>,
    sunset: Option<i64>,
}

/// What is known of days, by date.
pub(crate) type Almanac = BTreeMap<Date, Day>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Milliseconds after midnight by the clock.
    Clock(i64),
    /// From sunrise or, if false, sunset.
    Sun(bool, i64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from: Moment,
    pub(crate) to: Moment,
    /// Weekdays, Monday is 0.
    pub(crate) days: Vec<i64>,
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_before_year(year: i64) -> i64 {
    let y = year - 1;
    y * 365 + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) - 719_162
}

fn two_digits(text: &str) -> Option<i64> {
    let is_number = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// `YYYY-MM-DD` of a date that exists.
pub(crate) fn date(text: &str) -> Option<Date> {
    let year = text
        .get(..4)
        .filter(|y| y.bytes().all(|b| b.is_ascii_digit()))?;
    let year: i64 = year.parse().ok()?;
    let (month, day) = month_day_of(text.get(4..)?.strip_prefix('-')?, year)?;
    let before: i64 = (1..month).map(|m| days_of_month(year, m)).sum();
    Some(days_before_year(year) + before + day - 1)
}

fn month_day_of(text: &str, year: i64) -> Option<MonthDay> {
    let (month, day) = text.split_once('-')?;
    let (month, day) = (two_digits(month)?, two_digits(day)?);
    let exists = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    exists.then_some((month, day))
}

/// `MM-DD`; 02-29 is one.
pub(crate) fn month_day(text: &str) -> Option<MonthDay> {
    month_day_of(text, 2_000)
}

/// `HH:MM` as milliseconds after midnight.
pub(crate) fn time_of_day(text: &str) -> Option<i64> {
    let (hour, minute) = text.split_once(':')?;
    let (hour, minute) = (two_digits(hour)?, two_digits(minute)?);
    (hour < 24 && minute < 60).then_some((hour * 60 + minute) * 60_000)
}

pub(crate) fn weekday(date: Date) -> i64 {
    // The epoch was a Thursday.
    (date + 3).rem_euclid(7)
}

pub(crate) fn year_of(date: Date) -> i64 {
    // Not later than it is, whether before or after the epoch.
    let mut year = 1970 + date.div_euclid(if date < 0 { 365 } else { 366 });
    while days_before_year(year + 1) <= date {
        year += 1;
    }
    year
}

pub(crate) fn month_and_day(date: Date) -> MonthDay {
    let year = year_of(date);
    let (mut left, mut month) = (date - days_before_year(year), 1);
    while left >= days_of_month(year, month) {
        left -= days_of_month(year, month);
        month += 1;
    }
    (month, left + 1)
}

/// Whether a date lies between two days of the year, both inclusive.
pub(crate) fn is_between(date: Date, (from, to): (MonthDay, MonthDay)) -> bool {
    let day = month_and_day(date);
    match from <= to {
        true => from <= day && day <= to,
        false => from <= day || day <= to,
    }
}

/// A day as an input tells it.
pub(crate) fn read_day(doc: &Value) -> Result<(Date, Day), Malformed> {
    let told = text(doc, "date")?;
    let Some(date) = date(told) else {
        return malformed(format!("there is no date {told}"));
    };
    let instant = |value: &Value| match value {
        Value::Null => Ok(None),
        _ => match value.as_i64() {
            Some(at) => Ok(Some(at)),
            None => malformed(format!("{value} is no instant in {doc}")),
        },
    };
    let offset = |doc: &Value| match doc["offset"].as_i64() {
        Some(s) if s.abs() <= 86_400 => Ok(s * 1_000),
        _ => malformed(format!("offset of {doc}")),
    };
    let (Some(from), Some(to)) = (instant(&doc["from"])?, instant(&doc["to"])?) else {
        return malformed(format!("from and to of {doc}"));
    };
    if to <= from {
        return malformed(format!("{told} ends before it begins"));
    }
    let change = match &doc["change"] {
        Value::Null => None,
        change => match instant(&change["at"])? {
            Some(at) if from < at && at < to => Some((at, offset(change)?)),
            _ => return malformed(format!("change outside of {told}")),
        },
    };
    let sun = |value: &Value| match instant(value)? {
        Some(at) if at < from - DAY_MS || at > to + DAY_MS => {
            malformed(format!("the sun far outside of {told}"))
        }
        at => Ok(at),
    };
    let day = Day {
        from,
        to,
        offset_ms: offset(doc)?,
        change,
        sunrise: sun(&doc["sunrise"])?,
        sunset: sun(&doc["sunset"])?,
    };
    Ok((date, day))
}

/// The days of an input.
pub(crate) fn read_days(input: &Value) -> Result<Vec<(Date, Day)>, Malformed> {
    let told = crate::document::list(input, "days");
    if !(1..=MOST_DAYS).contains(&told.len()) {
        return malformed(format!("an almanac of {} days", told.len()));
    }
    let days = told.iter().map(read_day).collect::<Result<Vec<_>, _>>()?;
    let by_date: BTreeMap<_, _> = days.iter().map(|(date, _)| (date, ())).collect();
    match by_date.len() == days.len() {
        true => Ok(days),
        false => malformed("two days of one date"),
    }
}

/// Adds days; of too many those of the smallest dates go.
pub(crate) fn learn(almanac: &mut Almanac, days: Vec<(Date, Day)>) {
    almanac.extend(days);
    while almanac.len() > MOST_DAYS {
        almanac.pop_first();
    }
}

/// The date of an instant.
pub(crate) fn date_of(almanac: &Almanac, t: i64) -> Option<Date> {
    let mut days = almanac.iter();
    days.find(|(_, day)| day.from <= t && t < day.to)
        .map(|(date, _)| *date)
}

/// The end of the day of an instant.
pub(crate) fn end_of_day(almanac: &Almanac, t: i64) -> Option<i64> {
    date_of(almanac, t).map(|date| almanac[&date].to)
}

/// The instant of a moment on a date, if it is known.
pub(crate) fn instant(
    almanac: &Almanac,
    date: Date,
    moment: &Moment,
    mutation: Option<Mutation>,
) -> Option<i64> {
    let day = almanac.get(&date)?;
    match moment {
        Moment::Sun(rise, after) => Some(if *rise { day.sunrise } else { day.sunset }? + after),
        Moment::Clock(time) => {
            let local = date * DAY_MS + time;
            let before = local - day.offset_ms;
            let Some((change, offset_ms)) = day.change else {
                return Some(before);
            };
            let after = local - offset_ms;
            if mutation == Some(Mutation::FoldIsTheSecond) && after >= change {
                Some(after)
            } else if before < change {
                Some(before)
            } else if after >= change {
                Some(after)
            } else {
                (mutation != Some(Mutation::GapIsSkipped)).then_some(change)
            }
        }
    }
}

/// What a window says of an instant.
pub(crate) fn in_window(
    almanac: &Almanac,
    window: &Window,
    t: i64,
    mutation: Option<Mutation>,
) -> Truth {
    let Some(today) = date_of(almanac, t) else {
        return Truth::Unknown;
    };
    let begins_on = |date: Date| {
        if !window.days.contains(&weekday(date)) {
            return Truth::False;
        }
        let instant = |date, moment| instant(almanac, date, moment, mutation);
        let (Some(from), Some(to)) = (instant(date, &window.from), instant(date, &window.to))
        else {
            return Truth::Unknown;
        };
        if t < from {
            return Truth::False;
        }
        let end = match to > from {
            true => Some(to),
            false => instant(date + 1, &window.to),
        };
        let last = i64::from(mutation == Some(Mutation::WindowEndIsInside));
        match end {
            None => Truth::Unknown,
            Some(end) if t < end + last => Truth::True,
            Some(_) => Truth::False,
        }
    };
    match mutation {
        Some(Mutation::YesterdaysWindowIsForgotten) => begins_on(today),
        _ => Truth::any(&[begins_on(today), begins_on(today - 1)]),
    }
}

/// Every instant at which a leaf of time may change: bounds of days, and what its moments are on them.
pub(crate) fn bounds(
    almanac: &Almanac,
    window: Option<&Window>,
    mutation: Option<Mutation>,
) -> Vec<i64> {
    let mut all: Vec<i64> = almanac.values().flat_map(|d| [d.from, d.to]).collect();
    if let Some(window) = window {
        for date in almanac.keys() {
            for moment in [&window.from, &window.to] {
                all.extend(instant(almanac, *date, moment, mutation));
            }
        }
        if mutation == Some(Mutation::WindowEndIsInside) {
            all.extend(all.iter().map(|t| t + 1).collect::<Vec<_>>());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date("1970-01-01"), Some(0));
        assert_eq!(date("2000-03-01"), Some(11_017));
        assert_eq!(date("2025-10-09"), Some(20_370));
        assert_eq!(date("2025-02-29"), None);
        assert_eq!(date("2025-2-03"), None);
        assert_eq!(weekday(20_370), 3, "a Thursday");
        let mut last = month_and_day(-801);
        for day in -800..40_000 {
            let now = month_and_day(day);
            let follows = now == (last.0, last.1 + 1) || now == (last.0 % 12 + 1, 1);
            assert!(follows, "{now:?} after {last:?}");
            last = now;
        }
        assert_eq!(month_and_day(date("2024-02-29").unwrap()), (2, 29));
        assert_eq!(month_and_day(date("1969-12-31").unwrap()), (12, 31));
    }
}
