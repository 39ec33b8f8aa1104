//! A schedule: at which instants of its days a rule starts.

use serde::Serialize;

use super::reader::Fields;
use super::rule::as_secs;
use super::tree::{DatesSpec, NodeSpec, read_dates, read_days, read_moment, read_time};
use crate::almanac::Moment;
use crate::calendar::{TimeOfDay, Weekdays};
use crate::time::Duration;

/// The most moments of a schedule.
const MAX_MOMENTS: usize = 24;
/// The most minutes between two starts.
const MAX_EVERY: i64 = 720;
/// The most seconds after which a missed start is made up for.
const MAX_CATCH_UP: i64 = 86_400;

/// When a rule starts by the clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScheduleSpec {
    /// At these moments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<Moment>,
    /// And every so many minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<EverySpec>,
    /// On these weekdays.
    #[serde(skip_serializing_if = "is_all")]
    pub days: Weekdays,
    /// In this part of the year.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dates: Option<DatesSpec>,
    /// Only while this is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<NodeSpec>,
    /// What it does while the guard is unknown; given where there is a guard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_unknown: Option<IfUnknown>,
    /// How late a start that was missed may still be made up for; zero: not at all.
    #[serde(rename = "catch_up_sec", serialize_with = "as_secs")]
    pub catch_up: Duration,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn is_all(days: &Weekdays) -> bool {
    *days == Weekdays::ALL
}

/// Every so many minutes, from a time of day to a later one, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EverySpec {
    /// 1 to 720.
    pub minutes: u16,
    /// The first start.
    pub from: TimeOfDay,
    /// None is later.
    pub to: TimeOfDay,
}

/// What a schedule does while its guard is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IfUnknown {
    /// It starts.
    Run,
    /// It does not.
    Skip,
}

impl ScheduleSpec {
    pub(super) fn read(f: &mut Fields<'_>) -> Self {
        let at = read_moments(f);
        let every = f.nested("every", EverySpec::read).flatten();
        if !f.has("at") && !f.has("every") {
            f.problem_here("required", "a schedule has at, every or both");
        }
        let days = if f.has("days") { read_days(f) } else { None };
        let dates = read_dates(f);
        let guard = f.nested("guard", NodeSpec::read_tree);
        let words = [("run", IfUnknown::Run), ("skip", IfUnknown::Skip)];
        let if_unknown = f.one_of("if_unknown", &words);
        match (guard.is_some(), f.has("if_unknown")) {
            (true, false) => f.missing_unless_reported("if_unknown"),
            (false, true) => f.problem("if_unknown", "not_here", "there is no guard"),
            _ => {}
        }
        let catch_up = f.whole("catch_up_sec", 0, MAX_CATCH_UP).unwrap_or(0);
        Self {
            at,
            every,
            days: days.unwrap_or(Weekdays::ALL),
            dates,
            guard,
            if_unknown,
            catch_up: Duration::from_secs(catch_up),
        }
    }
}

/// The field `at`: times of day and moments of the sun.
fn read_moments(f: &mut Fields<'_>) -> Vec<Moment> {
    let count = f.length("at");
    if count > MAX_MOMENTS {
        let message = format!("{count} entries are more than {MAX_MOMENTS}");
        f.problem("at", "too_many", message);
        return Vec::new();
    }
    let moments = f.entries("at", read_moment);
    if f.has("at") && moments.is_empty() {
        f.missing_unless_reported("at");
    }
    moments.into_iter().flatten().collect()
}

impl EverySpec {
    fn read(f: &mut Fields<'_>) -> Option<Self> {
        let minutes = f.whole("minutes", 1, MAX_EVERY);
        if !f.has("minutes") {
            f.missing_unless_reported("minutes");
        }
        let (from, to) = (read_time(f, "from"), read_time(f, "to"));
        if let Some((from, to)) = from.zip(to).filter(|(from, to)| from >= to) {
            let message = format!("{to} is not after {from}");
            f.problem("to", "out_of_range", message);
        }
        Some(Self {
            minutes: u16::try_from(minutes?).ok()?,
            from: from?,
            to: to?,
        })
    }
}
