//! Looks for a situation in which a formula is true: an hour, means of signals, reports of devices. Every hour and mean that makes a
//! difference is tried, so where nothing is found in time there is nothing.

use std::collections::BTreeSet;

use super::excerpt::{Clock, Excerpt};
use super::form::{Form, Leaves, TRUE};
use crate::almanac::{Almanac, AlmanacDay, MAX_ALMANAC_DAYS};
use crate::calendar::LocalDate;
use crate::document::DatesSpec;
use crate::program::{Kind, next_change, truth_at};
use crate::quantity::{EQ_DISTANCE, Quantity};
use crate::time::{Duration, Timestamp};
use crate::truth::{Operator, Truth};

/// How many formulas are worked out before one gives up.
const MAX_STEPS: usize = 20_000;
/// How many situations are tried, and how many of one hour.
const MAX_TRIES: usize = 8;
const MAX_TRIES_OF_AN_HOUR: usize = 2;
/// How many changes of a leaf are looked at.
const MAX_CHANGES: usize = 1_500;
const MAX_STEPS_OF_A_SETPOINT: usize = 150;
/// How many days are looked at from one on: all weekdays, and those around them.
const DAYS: usize = 10;
/// How many days ahead parts of the year are looked for.
const MAX_AHEAD: i32 = 366;
const DAY: Duration = Duration::from_secs(86_400);

/// A situation.
#[derive(Debug, Clone)]
pub(super) struct Situation {
    /// The days that are known.
    pub(super) days: Vec<AlmanacDay>,
    /// The hour.
    pub(super) at: Timestamp,
    /// Whether that is a part of it.
    pub(super) by_clock: bool,
    /// The mean of each signal; none where it does not matter.
    pub(super) signals: Vec<Option<i64>>,
    /// What each device is reported to do; none where that follows from what it is told.
    pub(super) reports: Vec<Option<bool>>,
}

/// What a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// One was taken.
    Yes,
    /// There is none.
    No,
    /// There are some, and none was taken, or it took too long.
    Unclear,
}

/// An hour that makes a difference.
struct Hour {
    days: Vec<AlmanacDay>,
    at: Timestamp,
    clocks: Vec<Truth>,
    thresholds: Vec<Option<(i64, i64)>>,
}

struct Search<'s> {
    excerpt: &'s Excerpt<'s>,
    goal: &'s Form,
    unknown: bool,
    steps: usize,
    tries: usize,
    signals: Vec<Option<Option<i64>>>,
    reports: Vec<Option<Option<bool>>>,
}

impl Excerpt<'_> {
    /// Looks for a situation in which a formula is true, until one is taken. With `unknown`, signals and reports may be unknown too.
    pub(super) fn search(
        &self,
        goal: &Form,
        unknown: bool,
        take: &mut dyn FnMut(&Situation) -> bool,
    ) -> Found {
        let (hours, all) = self.hours_that_matter(goal);
        let mut search = Search {
            excerpt: self,
            goal,
            unknown,
            steps: 0,
            tries: 0,
            signals: vec![None; self.signals.len()],
            reports: vec![None; self.reports.len()],
        };
        for hour in &hours {
            let before = search.tries;
            if search.look(hour, before, take) {
                return Found::Yes;
            }
            if search.steps > MAX_STEPS || search.tries >= MAX_TRIES {
                return Found::Unclear;
            }
        }
        match all && search.tries == 0 {
            true => Found::No,
            false => Found::Unclear,
        }
    }

    /// The hours between which no leaf changes, and whether these are all.
    fn hours_that_matter(&self, goal: &Form) -> (Vec<Hour>, bool) {
        let mut leaves = Vec::new();
        goal.leaves(&mut leaves);
        let clocks: BTreeSet<usize> = { leaves.iter() }
            .filter_map(|f| match f {
                Form::Clock(n) => Some(*n),
                _ => None,
            })
            .collect();
        let mut seen = BTreeSet::new();
        let (mut hours, mut all) = (Vec::new(), true);
        for days in self.seasons() {
            let mut almanac = Almanac::default();
            almanac.put(&days);
            let begin = if days.iter().any(|d| d.from <= self.now && self.now < d.to) {
                self.now
            } else {
                days[1].from
            };
            let end = days[days.len() - 2].to;
            let mut instants = BTreeSet::from([begin]);
            for clock in clocks.iter().filter_map(|n| self.clocks.get(*n)) {
                all &= clock.changes(&almanac, begin, end, &mut instants);
            }
            for compare in &self.compares {
                if let super::form::Threshold::Setpoint(id, _) = &compare.threshold
                    && let Some(setpoint) = self.setpoint(id)
                {
                    let next = |at: &Timestamp| setpoint.next_change(&almanac, *at);
                    let changes = std::iter::successors(next(&begin), next);
                    let mut changes = changes.take_while(|t| *t < end);
                    instants.extend(changes.by_ref().take(MAX_STEPS_OF_A_SETPOINT));
                    all &= changes.next().is_none();
                }
            }
            for at in instants {
                let truth = |clock: &Clock| clock.truth_at(&almanac, at);
                let clocks: Vec<Truth> = self.clocks.iter().map(truth).collect();
                let thresholds = self.thresholds(&almanac, at);
                let words: Vec<u8> = clocks.iter().map(|t| *t as u8).collect();
                if seen.insert((words, thresholds.clone())) {
                    hours.push(Hour {
                        days: days.clone(),
                        at,
                        clocks,
                        thresholds,
                    });
                }
            }
        }
        (hours, all)
    }

    /// Days in a row, for each part of the year that makes a difference.
    fn seasons(&self) -> Vec<Vec<AlmanacDay>> {
        let base = self.days();
        let dates: Vec<DatesSpec> = { self.clocks.iter() }
            .filter_map(|clock| match clock {
                Clock::Leaf(Kind::Dates(dates)) => Some(*dates),
                Clock::Runs(schedule, _) => schedule.dates(),
                Clock::Leaf(_) => None,
            })
            .collect();
        let parts = |ahead: i32| {
            let day = base[1].date.plus(ahead).month_day();
            dates.iter().map(|d| d.contains(day)).collect::<Vec<bool>>()
        };
        let mut seen = BTreeSet::from([parts(0)]);
        let mut seasons = vec![base.clone()];
        for ahead in 1..=MAX_AHEAD {
            if !dates.is_empty() && seen.insert(parts(ahead)) {
                seasons.push(base.iter().map(|day| ahead_of(day, ahead)).collect());
            }
        }
        seasons
    }

    /// The days that the farm knows about now, or such days as there might be.
    fn days(&self) -> Vec<AlmanacDay> {
        let known = self.almanac().days().copied();
        let mut days: Vec<AlmanacDay> = known.filter(|d| d.to > self.now - DAY).collect();
        if days.first().is_none_or(|d| d.from > self.now) {
            let days_since = self.now.as_millis().div_euclid(DAY.as_millis());
            let epoch = LocalDate::new(1970, 1, 1);
            let date = epoch.map(|d| d.plus(i32::try_from(days_since - 1).unwrap_or(0)));
            let from = Timestamp::from_millis((days_since - 1) * DAY.as_millis());
            let hours = |n: i64| Some(from + Duration::from_secs(n * 3_600));
            days = { date.into_iter() }
                .map(|date| AlmanacDay {
                    date,
                    from,
                    to: from + DAY,
                    offset: 0,
                    change: None,
                    sunrise: hours(6),
                    sunset: hours(18),
                })
                .collect();
        }
        while days.len() < DAYS
            && let Some(last) = days.last()
        {
            days.push(ahead_of(last, 1));
        }
        days.truncate(MAX_ALMANAC_DAYS);
        days
    }
}

/// The same day so many days later.
fn ahead_of(day: &AlmanacDay, days: i32) -> AlmanacDay {
    let by = Duration::from_millis(DAY.as_millis() * i64::from(days));
    AlmanacDay {
        date: day.date.plus(days),
        from: day.from + by,
        to: day.to + by,
        offset: day.offset,
        change: None,
        sunrise: day.sunrise.map(|at| at + by),
        sunset: day.sunset.map(|at| at + by),
    }
}

impl Clock {
    fn truth_at(&self, almanac: &Almanac, at: Timestamp) -> Truth {
        match self {
            Self::Leaf(kind) => truth_at(kind, almanac, at).unwrap_or(Truth::Unknown),
            Self::Runs(schedule, run) => {
                let begun = schedule.starts(almanac, at - *run, at);
                if begun.is_empty() {
                    Truth::False
                } else {
                    Truth::True
                }
            }
        }
    }

    /// Adds the instants at which it changes. Returns whether these are all.
    fn changes(
        &self,
        almanac: &Almanac,
        begin: Timestamp,
        end: Timestamp,
        all: &mut BTreeSet<Timestamp>,
    ) -> bool {
        match self {
            Self::Leaf(kind) => {
                let mut at = begin;
                for _ in 0..MAX_CHANGES {
                    match next_change(kind, almanac, &[], at).filter(|t| *t < end) {
                        Some(next) => at = next,
                        None => return true,
                    }
                    all.insert(at);
                }
                false
            }
            Self::Runs(schedule, run) => {
                let starts = schedule.starts(almanac, begin - *run, end);
                let few = starts.iter().take(MAX_CHANGES);
                all.extend(few.flat_map(|s| [*s, *s + *run]).filter(|t| *t >= begin));
                starts.len() <= MAX_CHANGES
            }
        }
    }
}

impl Search<'_> {
    fn leaves<'l>(&'l self, hour: &'l Hour) -> Leaves<'l> {
        Leaves {
            compares: &self.excerpt.compares,
            thresholds: &hour.thresholds,
            clocks: &hour.clocks,
            signals: &self.signals,
            devices: &self.reports,
            unknown: self.unknown,
        }
    }

    /// Tries what is not said yet, one leaf after the other. Returns whether one was taken.
    fn look(
        &mut self,
        hour: &Hour,
        before: usize,
        take: &mut dyn FnMut(&Situation) -> bool,
    ) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS
            || self.tries >= MAX_TRIES
            || self.tries - before >= MAX_TRIES_OF_AN_HOUR
        {
            return false;
        }
        let truths = self.goal.truths(&self.leaves(hour));
        if truths & TRUE == 0 {
            return false;
        }
        let mut leaves = Vec::new();
        self.goal.leaves(&mut leaves);
        let open = leaves.into_iter().find_map(|leaf| match leaf {
            Form::Compare(n) => {
                let signal = self.excerpt.compares[*n].signal;
                self.signals[signal].is_none().then_some((signal, true))
            }
            Form::Device(n, _) => self.reports[*n].is_none().then_some((*n, false)),
            _ => None,
        });
        match open {
            Some((signal, true)) if truths != TRUE => {
                let unknown = self.unknown.then_some(None);
                for mean in self
                    .means(signal, hour)
                    .into_iter()
                    .map(Some)
                    .chain(unknown)
                {
                    self.signals[signal] = Some(mean);
                    if self.look(hour, before, take) {
                        return true;
                    }
                }
                self.signals[signal] = None;
                false
            }
            Some((device, false)) if truths != TRUE => {
                let unknown = self.unknown.then_some(None);
                for on in [Some(false), Some(true)].into_iter().chain(unknown) {
                    self.reports[device] = Some(on);
                    if self.look(hour, before, take) {
                        return true;
                    }
                }
                self.reports[device] = None;
                false
            }
            _ => {
                self.tries += 1;
                let situation = self.situation(hour);
                take(&situation)
            }
        }
    }

    fn situation(&self, hour: &Hour) -> Situation {
        let mut leaves = Vec::new();
        self.goal.leaves(&mut leaves);
        let setpoint = |f: &Form| match f {
            Form::Compare(n) => !matches!(
                self.excerpt.compares[*n].threshold,
                super::form::Threshold::Value(..)
            ),
            Form::Clock(_) => true,
            _ => false,
        };
        Situation {
            days: hour.days.clone(),
            at: hour.at,
            by_clock: leaves.into_iter().any(setpoint),
            signals: self.signals.iter().map(|s| s.flatten()).collect(),
            reports: self.reports.iter().map(|r| r.flatten()).collect(),
        }
    }

    /// Means that stand for all: the thresholds of a signal, and one between each two, that nearest to them which people would say
    /// first.
    fn means(&self, signal: usize, hour: &Hour) -> Vec<i64> {
        let sensor_type = self.excerpt.signals[signal].sensor_type;
        let micro = |units| Quantity::from_units(units).as_micro();
        let (low, high) = sensor_type.plausible_range();
        let (low, high) = (micro(low), micro(high));
        let mut edges = BTreeSet::new();
        for (compare, threshold) in self.excerpt.compares.iter().zip(&hour.thresholds) {
            let Some((value, max)) = threshold.filter(|_| compare.signal == signal) else {
                continue;
            };
            let d = EQ_DISTANCE.as_micro();
            match compare.operator {
                Operator::Eq => edges.extend([value - d, value, value + d]),
                _ => edges.extend([value, max]),
            }
        }
        let step = said_step(sensor_type.editor_range());
        let edges: Vec<i64> = edges
            .into_iter()
            .filter(|e| (low..=high).contains(e))
            .collect();
        let mut all = Vec::new();
        let mut below = low - 1;
        for edge in edges.iter().copied().chain([high + 1]) {
            if edge - below > 1 {
                let first = below == low - 1;
                let said = match (first, edge == high + 1) {
                    (true, true) => (low + high) / 2,
                    (true, false) => edge - step,
                    (false, _) => below + step,
                };
                let middle = below + (edge - below) / 2;
                all.push(if below < said && said < edge {
                    said
                } else {
                    middle
                });
            }
            below = edge;
        }
        all.extend(edges);
        all
    }
}

/// A step in which people speak of a quantity: a power of ten, a twentieth of its range at most.
fn said_step((low, high): (i64, i64)) -> i64 {
    let mut step = 1;
    while step * 200 <= (high - low) * 1_000_000 {
        step *= 10;
    }
    step
}
