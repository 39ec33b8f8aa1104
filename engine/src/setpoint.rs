//! Setpoints at work: what a named target is at an instant, by the days that are known, and when it is another.

use crate::almanac::{Almanac, AlmanacDay};
use crate::calendar::LocalDate;
use crate::document::{CoursePoint, SetpointSpec};
use crate::id::SetpointId;
use crate::problem::Problems;
use crate::quantity::Quantity;
use crate::sensor_type::SensorType;
use crate::state::State;
use crate::time::{Duration, Timestamp};

const MINUTE: i64 = 60_000;

/// The quotient rounded to nearest, ties away from zero; the divisor is above 0.
pub(crate) fn rounded(dividend: i128, divisor: i128) -> i64 {
    let whole = (dividend.abs() * 2 + divisor) / (divisor * 2);
    i64::try_from(whole * dividend.signum()).unwrap_or(i64::MAX)
}

/// So many parts of the way from one value to another.
fn between(from: Quantity, to: Quantity, parts: i64, of: i64) -> Quantity {
    let way = i128::from(to.as_micro() - from.as_micro()) * i128::from(parts);
    let whole = i128::from(from.as_micro()) * i128::from(of) + way;
    Quantity::from_micro(rounded(whole, of.into()))
}

/// The point of a course that counts at an instant: its place in the list, and since when it counts.
fn in_effect(
    course: &[CoursePoint],
    day: &AlmanacDay,
    almanac: &Almanac,
    at: Timestamp,
) -> Option<(usize, Timestamp)> {
    let of_day = |day: &AlmanacDay| {
        let points = course.iter().enumerate();
        let begun = points.filter_map(|(i, p)| Some((i, day.instant(p.at)?)));
        // Of several at one instant the last of the list.
        begun.filter(|(_, t)| *t <= at).max_by_key(|(_, t)| *t)
    };
    of_day(day).or_else(|| of_day(almanac.day(day.date.plus(-1))?))
}

fn value_of(
    course: &[CoursePoint],
    day: &AlmanacDay,
    almanac: &Almanac,
    at: Timestamp,
) -> Option<Quantity> {
    let (ix, since) = in_effect(course, day, almanac, at)?;
    let point = course[ix];
    let (steps, of) = ((at - since).as_millis() / MINUTE, i64::from(point.ramp_min));
    if steps >= of || planted!(RampAtOnce) {
        return Some(point.value);
    }
    let before = course[(ix + course.len() - 1) % course.len()];
    Some(between(before.value, point.value, steps, of))
}

impl SetpointSpec {
    /// How many of its stages have begun on a date.
    fn begun(&self, date: LocalDate) -> usize {
        self.stages.iter().filter(|s| s.from <= date).count()
    }

    /// The course after so many stages have begun.
    fn course_after(&self, begun: usize) -> &[CoursePoint] {
        match begun.checked_sub(1).and_then(|last| self.stages.get(last)) {
            Some(stage) => &stage.course,
            None => &self.course,
        }
    }

    /// What it is at an instant; none where the days that say so are not known.
    pub(crate) fn value(&self, almanac: &Almanac, at: Timestamp) -> Option<Quantity> {
        let day = almanac.day_of(at)?;
        let begun = self.begun(day.date);
        let value = value_of(self.course_after(begun), day, almanac, at)?;
        let Some(before) = begun.checked_sub(1) else {
            return Some(value);
        };
        let stage = &self.stages[before];
        let days = i64::from(stage.from.days_until(day.date));
        let ramp = i64::from(stage.ramp_days);
        if days >= ramp {
            return Some(value);
        }
        let from = value_of(self.course_after(before), day, almanac, at)?;
        Some(between(from, value, days + 1, ramp + 1))
    }

    /// The first instant after another at which it is another than a millisecond before.
    pub(crate) fn next_change(&self, almanac: &Almanac, after: Timestamp) -> Option<Timestamp> {
        let step = Duration::from_millis(1);
        let mut from = after;
        while let Some(at) = self.next_step(almanac, from) {
            if self.value(almanac, at) != self.value(almanac, at - step) {
                return Some(at);
            }
            from = at;
        }
        None
    }

    /// The first instant after another at which it may change: a day begins or ends, a point begins, a ramp goes on.
    fn next_step(&self, almanac: &Almanac, after: Timestamp) -> Option<Timestamp> {
        let ends = almanac.days().flat_map(|day| [day.from, day.to]);
        let mut all: Vec<Timestamp> = ends.collect();
        if let Some(day) = almanac.day_of(after) {
            let begun = self.begun(day.date);
            for begun in [Some(begun), begun.checked_sub(1)].into_iter().flatten() {
                let course = self.course_after(begun);
                let days = [almanac.day(day.date.plus(-1)), Some(day)];
                for day in days.into_iter().flatten() {
                    all.extend(course.iter().filter_map(|p| day.instant(p.at)));
                }
                if let Some((ix, since)) = in_effect(course, day, almanac, after) {
                    let steps = (after - since).as_millis() / MINUTE;
                    if steps < i64::from(course[ix].ramp_min) {
                        all.push(since + Duration::from_millis((steps + 1) * MINUTE));
                    }
                }
            }
        }
        all.into_iter().filter(|at| *at > after).min()
    }
}

/// The setpoint of an id, where there is one.
pub(crate) fn find<'a>(all: &'a [SetpointSpec], id: &SetpointId) -> Option<&'a SetpointSpec> {
    all.iter().find(|s| s.id == *id)
}

impl State {
    /// Whether a condition or a curve of a type may name a setpoint.
    pub(crate) fn check_setpoint(
        &self,
        id: &SetpointId,
        sensor_type: SensorType,
        path: &str,
        problems: &mut Problems,
    ) {
        match find(&self.farm.settings.setpoints, id) {
            None => problems.add(path, "unknown", format!("there is no setpoint {id}")),
            Some(s) if s.sensor_type != sensor_type => {
                let message = format!("setpoint {id} is one of {}", s.sensor_type);
                problems.add(path, "other_type", message);
            }
            Some(_) => {}
        }
    }

    /// Whether each setpoint lies somewhere.
    pub(crate) fn check_setpoints(&self, problems: &mut Problems) {
        for setpoint in &self.farm.settings.setpoints {
            let scope = setpoint.scope.as_ref();
            if let Some(Err(e)) = scope.map(|s| self.places.resolve(&self.farm, s)) {
                let path = format!("setpoints.{}.scope", setpoint.id);
                problems.0.extend(e.under(&path).0);
            }
        }
    }

    /// What a setpoint is at an instant.
    pub(crate) fn setpoint_at(&self, id: &SetpointId, at: Timestamp) -> Option<Quantity> {
        find(&self.farm.settings.setpoints, id)?.value(&self.almanac, at)
    }
}
