//! The almanac: what the engine was told of local days. It knows no time zone and no sun: both arrive as days, in the log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::calendar::{LocalDate, TimeOfDay};
use crate::problem::Problems;
use crate::time::{Duration, Timestamp};

/// The most days that are known at a time.
pub const MAX_ALMANAC_DAYS: usize = 16;
/// The most that a clock may be off UTC, and the sun may lie outside of its day, in seconds.
const MAX_OFFSET: i64 = 86_400;

/// A local date: when it begins and ends, what its clock shows, and when the sun rises and sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlmanacDay {
    /// The local date.
    pub date: LocalDate,
    /// When it begins.
    pub from: Timestamp,
    /// When it is over.
    pub to: Timestamp,
    /// How many seconds its clock is ahead of UTC at its beginning.
    pub offset: i32,
    /// Where the clock is set on that day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ClockChange>,
    /// Sunrise; none where it does not rise, or where the farm's place is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sunrise: Option<Timestamp>,
    /// Sunset, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sunset: Option<Timestamp>,
}

/// A clock that is set forward or back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockChange {
    /// When.
    pub at: Timestamp,
    /// How many seconds it is ahead of UTC from then on.
    pub offset: i32,
}

/// An event of the sun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SunEvent {
    /// It rises.
    Sunrise,
    /// It sets.
    Sunset,
}

/// An instant of a day, as people say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moment {
    /// What the clock shows.
    Clock(TimeOfDay),
    /// So many minutes after the sun rises or sets, or before.
    Sun {
        /// Which.
        event: SunEvent,
        /// -720 to 720.
        offset_min: i16,
    },
}

impl AlmanacDay {
    /// Whether an instant is of this day.
    fn holds(&self, at: Timestamp) -> bool {
        self.from <= at && at < self.to
    }

    /// When a moment is on this day. A time of day that the clock leaves out is the instant at which it is set; one that it
    /// shows twice is the first.
    pub(crate) fn instant(&self, moment: Moment) -> Option<Timestamp> {
        match moment {
            Moment::Clock(time) => {
                let utc = self.date.midnight_utc() + time.after_midnight();
                let local = |offset: i32| utc - Duration::from_secs(offset.into());
                let first = local(self.offset);
                Some(match self.change {
                    Some(change) if first >= change.at => local(change.offset).max(change.at),
                    _ => first,
                })
            }
            Moment::Sun { event, offset_min } => {
                let sun = match event {
                    SunEvent::Sunrise => self.sunrise,
                    SunEvent::Sunset => self.sunset,
                };
                Some(sun? + Duration::from_secs(i64::from(offset_min) * 60))
            }
        }
    }

    fn check(&self, problems: &mut Problems, path: &str) {
        let mut wrong = |field: &str, message: String| {
            problems.add(format!("{path}.{field}"), "out_of_range", message);
        };
        let (from, to) = (self.from, self.to);
        if to <= from {
            wrong("to", format!("{to} is not after {from}"));
        }
        let far = |offset: i32| i64::from(offset).abs() > MAX_OFFSET;
        if far(self.offset) {
            wrong("offset", format!("{} s is more than a day", self.offset));
        }
        if let Some(change) = self.change {
            if change.at <= from || change.at >= to {
                wrong("change.at", format!("{} is not within the day", change.at));
            }
            if far(change.offset) {
                wrong(
                    "change.offset",
                    format!("{} s is more than a day", change.offset),
                );
            }
        }
        let day = Duration::from_secs(MAX_OFFSET);
        for (field, sun) in [("sunrise", self.sunrise), ("sunset", self.sunset)] {
            if let Some(at) = sun.filter(|at| *at < from - day || *at > to + day) {
                wrong(field, format!("{at} is more than a day outside of the day"));
            }
        }
    }
}

/// The days that are known, by date.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Almanac(BTreeMap<LocalDate, AlmanacDay>);

impl Almanac {
    /// Whether days can be taken.
    pub(crate) fn check(days: &[AlmanacDay]) -> Result<(), Problems> {
        let mut problems = Problems::default();
        if days.is_empty() || days.len() > MAX_ALMANAC_DAYS {
            let message = format!("{} days are not 1 to {MAX_ALMANAC_DAYS}", days.len());
            problems.add("days", "out_of_range", message);
        }
        for (i, day) in days.iter().enumerate() {
            let path = format!("days[{i}]");
            if days[..i].iter().any(|d| d.date == day.date) {
                let message = format!("{} is there twice", day.date);
                problems.add(format!("{path}.date"), "duplicate", message);
            }
            day.check(&mut problems, &path);
        }
        problems.into_result(())
    }

    /// Takes days, each in the place of the one of its date; the oldest are forgotten.
    pub(crate) fn put(&mut self, days: &[AlmanacDay]) {
        self.0.extend(days.iter().map(|day| (day.date, *day)));
        while self.0.len() > MAX_ALMANAC_DAYS {
            self.0.pop_first();
        }
    }

    /// The day of a date.
    pub(crate) fn day(&self, date: LocalDate) -> Option<&AlmanacDay> {
        self.0.get(&date)
    }

    /// The day of an instant.
    pub(crate) fn day_of(&self, at: Timestamp) -> Option<&AlmanacDay> {
        self.days().find(|day| day.holds(at))
    }

    /// All days, by date.
    pub(crate) fn days(&self) -> impl DoubleEndedIterator<Item = &AlmanacDay> {
        self.0.values()
    }
}
