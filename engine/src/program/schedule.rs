//! A schedule compiled: the instants at which a rule starts, from the days that are known.

use super::tree::Tree;
use crate::almanac::{Almanac, AlmanacDay, Moment};
use crate::document::{DatesSpec, IfUnknown, ScheduleSpec};
use crate::time::{Duration, Timestamp};
use crate::truth::Truth;

/// A schedule, and which starts were handled.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    spec: Box<ScheduleSpec>,
    pub(crate) guard: Option<Tree>,
    /// Starts at or before this are done with.
    pub(crate) handled: Timestamp,
    /// The first start after that.
    next: Option<Timestamp>,
}

/// Starts that were missed while the engine was down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Missed {
    /// The earliest.
    pub(crate) first: Timestamp,
    /// How many.
    pub(crate) count: u32,
}

impl Schedule {
    /// A schedule none of whose starts up to an instant count.
    pub(crate) fn new(spec: &ScheduleSpec, guard: Option<Tree>, handled: Timestamp) -> Self {
        Self {
            spec: Box::new(spec.clone()),
            guard,
            handled,
            next: None,
        }
    }

    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let without_guard = |s: &Self| ScheduleSpec {
            guard: None,
            ..(*s.spec).clone()
        };
        let guards = match (&self.guard, &other.guard) {
            (Some(one), Some(another)) => one.says_the_same(another),
            (one, another) => one.is_none() && another.is_none(),
        };
        guards && without_guard(self) == without_guard(other)
    }

    /// The next start that was not handled.
    pub(crate) const fn next(&self) -> Option<Timestamp> {
        self.next
    }

    /// The starts after an instant, up to another, in order.
    pub(crate) fn starts(
        &self,
        almanac: &Almanac,
        after: Timestamp,
        until: Timestamp,
    ) -> Vec<Timestamp> {
        let mut all: Vec<Timestamp> = { almanac.days() }
            .filter(|day| self.is_on(day))
            .flat_map(|day| self.starts_of(day))
            .filter(|s| *s > after && *s <= until)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The part of the year in which it starts.
    pub(crate) fn dates(&self) -> Option<DatesSpec> {
        self.spec.dates
    }

    fn is_on(&self, day: &AlmanacDay) -> bool {
        let dates = self.spec.dates;
        self.spec.days.contains(day.date.weekday())
            && dates.is_none_or(|d| d.contains(day.date.month_day()))
    }

    fn starts_of<'a>(&'a self, day: &'a AlmanacDay) -> impl Iterator<Item = Timestamp> + 'a {
        let moments = { self.spec.at.iter() }.filter_map(|moment| day.instant(*moment));
        let every = self.spec.every.iter().flat_map(|every| {
            let instant = |time| day.instant(Moment::Clock(time));
            let last = instant(every.to);
            let step = Duration::from_secs(i64::from(every.minutes) * 60);
            let first = instant(every.from);
            std::iter::successors(first, move |s| Some(*s + step))
                .take_while(move |s| last.is_some_and(|last| *s <= last))
        });
        moments.chain(every)
    }

    /// Starts up to an instant are done with; looks for the next.
    pub(crate) fn handle_until(&mut self, at: Timestamp, almanac: &Almanac) {
        self.handled = self.handled.max(at);
        let end = Timestamp::from_millis(i64::MAX);
        self.next = { self.starts(almanac, self.handled, end) }.first().copied();
    }

    /// After an outage: the start that is made up for, and what was missed. All of them are done with.
    pub(crate) fn resume(
        &mut self,
        now: Timestamp,
        almanac: &Almanac,
    ) -> (Option<Missed>, Option<Timestamp>) {
        let mut missed = self.starts(almanac, self.handled, now);
        let late = |s: &Timestamp| now - *s <= self.spec.catch_up;
        let made_up = match missed.last().copied() {
            Some(last) if self.spec.catch_up > Duration::ZERO && late(&last) => missed.pop(),
            _ => None,
        };
        self.handle_until(now, almanac);
        let told = missed.first().map(|first| Missed {
            first: *first,
            count: u32::try_from(missed.len()).unwrap_or(u32::MAX),
        });
        (told, made_up)
    }

    /// Whether its guard lets a start through; else why not.
    pub(crate) fn is_let(&self) -> Result<(), crate::event::SkipReason> {
        use crate::event::SkipReason;
        match self.guard.as_ref().map(|guard| guard.truth) {
            None | Some(Truth::True) => Ok(()),
            Some(Truth::False) => Err(SkipReason::Guard),
            Some(Truth::Unknown) if self.spec.if_unknown == Some(IfUnknown::Run) => Ok(()),
            Some(Truth::Unknown) => Err(SkipReason::Unknown),
        }
    }
}
