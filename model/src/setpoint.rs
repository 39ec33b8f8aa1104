//! Setpoints (section 15): targets with a course over the day and over a crop's stages, and the instants at which they step.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::almanac::{self, Date, Moment};
use crate::document::{Condition, Malformed, Place, RuleDoc, list, malformed, micros, text};
use crate::mutation::Mutation;
use crate::number::nearest;
use crate::program::{given, moment, ranged};
use crate::sensor_type::sensor_type;
use crate::state::Model;

const MOST_SETPOINTS: usize = 64;
const MOST_POINTS: usize = 24;
const MOST_STAGES: usize = 16;
const MINUTE_MS: i64 = 60_000;

/// The farm's setpoints by id.
pub(crate) type Setpoints = BTreeMap<String, Setpoint>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setpoint {
    pub(crate) kind: String,
    /// Where it belongs, as the document says.
    scope: Value,
    course: Vec<Point>,
    stages: Vec<Stage>,
}

/// The value of a course from a moment on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Point {
    at: Moment,
    /// Millionths.
    value: i64,
    ramp_min: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Stage {
    from: Date,
    course: Vec<Point>,
    ramp_days: i64,
}

fn course(doc: &Value, kind: &str) -> Result<Vec<Point>, Malformed> {
    let Some((low, high)) = sensor_type(kind).map(|t| t.editor) else {
        return malformed(format!("unknown sensor type {kind}"));
    };
    let range = low * 1_000_000..=high * 1_000_000;
    let points = list(doc, "course");
    if !(1..=MOST_POINTS).contains(&points.len()) {
        return malformed(format!("a course of {} points", points.len()));
    }
    let point = |doc: &Value| {
        let Some(value) = micros(&doc["value"]).filter(|v| range.contains(v)) else {
            return malformed(format!("value of {doc} is not within {low} to {high}"));
        };
        Ok(Point {
            at: moment(&doc["at"])?,
            value,
            ramp_min: ranged(doc, "ramp_min", Some(0), (0, 720))?,
        })
    };
    points.iter().map(point).collect()
}

fn setpoint(doc: &Value) -> Result<Setpoint, Malformed> {
    let kind = text(doc, "sensor_type")?;
    let stage = |doc: &Value| {
        let told = text(doc, "from")?;
        let Some(from) = almanac::date(told) else {
            return malformed(format!("there is no date {told}"));
        };
        Ok(Stage {
            from,
            course: course(doc, kind)?,
            ramp_days: ranged(doc, "ramp_days", Some(0), (0, 60))?,
        })
    };
    let stages: Vec<Stage> = list(doc, "stages")
        .iter()
        .map(stage)
        .collect::<Result<_, _>>()?;
    if stages.len() > MOST_STAGES || !stages.is_sorted_by(|a, b| a.from < b.from) {
        return malformed(format!("stages of {doc}"));
    }
    Ok(Setpoint {
        kind: kind.into(),
        scope: doc["scope"].clone(),
        course: course(doc, kind)?,
        stages,
    })
}

/// The setpoints of the farm's settings.
pub(crate) fn setpoints(settings: &Value) -> Result<Setpoints, Malformed> {
    let told = match given(settings, "setpoints") {
        None => &[],
        Some(Value::Array(setpoints)) => setpoints.as_slice(),
        Some(other) => return malformed(format!("setpoints are a list, not {other}")),
    };
    if told.len() > MOST_SETPOINTS {
        return malformed(format!("{} setpoints, too many", told.len()));
    }
    let mut setpoints = Setpoints::new();
    for doc in told {
        let id = text(doc, "id")?;
        if setpoints.insert(id.into(), setpoint(doc)?).is_some() {
            return malformed(format!("two setpoints {id}"));
        }
    }
    Ok(setpoints)
}

impl RuleDoc {
    /// The setpoints that its conditions name, each with the type that it is to be of.
    pub(crate) fn setpoints_of_conditions(&self) -> Vec<(&str, &str)> {
        let of_conditions = self.trees().into_iter().flat_map(|(_, tree)| {
            let signals = tree.signals().into_iter();
            signals.filter_map(|c| Some((c.target.as_ref()?.setpoint.as_str(), c.kind.as_str())))
        });
        of_conditions.collect()
    }

    /// The setpoints that its conditions and curves name.
    pub(crate) fn setpoints(&self) -> Vec<(&str, &str)> {
        let of_curves = self.actions.iter().filter_map(|action| {
            let curve = action.curve.as_ref()?;
            Some((curve.setpoint.as_deref()?, curve.signal.kind.as_str()))
        });
        let mut all = self.setpoints_of_conditions();
        all.extend(of_curves);
        all
    }
}

impl Model {
    /// Whether the places of setpoints exist.
    pub(crate) fn check_setpoints(&self) -> Result<(), Malformed> {
        let places = (self.setpoints.values()).map(|s| self.place_or(&s.scope, &Place::Farm));
        places.into_iter().try_for_each(|place| place.map(|_| ()))
    }

    /// Whether the setpoints that a rule names exist and are of its types.
    pub(crate) fn check_setpoints_of(&self, rule: &RuleDoc) -> Result<(), Malformed> {
        for (id, kind) in rule.setpoints() {
            if self.setpoints.get(id).is_none_or(|s| s.kind != kind) {
                return malformed(format!("{} names no setpoint of {kind}: {id}", rule.id));
            }
        }
        Ok(())
    }

    /// Whether the setpoint of a condition, if it has one, exists and is of its type.
    pub(crate) fn check_target(&self, condition: &Condition, of: &str) -> Result<(), Malformed> {
        let Some(id) = condition.target.as_ref().map(|t| &t.setpoint) else {
            return Ok(());
        };
        match self.setpoints.get(id) {
            Some(setpoint) if setpoint.kind == condition.kind => Ok(()),
            _ => malformed(format!(
                "{of} names no setpoint of {}: {id}",
                condition.kind
            )),
        }
    }

    /// The value of a setpoint at an instant, in millionths; none is UNKNOWN.
    pub(crate) fn setpoint_value(&self, id: &str, t: i64) -> Option<i64> {
        let setpoint = self.setpoints.get(id)?;
        let mut date = almanac::date_of(&self.almanac, t)?;
        if self.mutation == Some(Mutation::StageByThePointsDay) {
            let course = |date| setpoint.course_of(setpoint.stage_of(date));
            let is_of_today = self.latest_point(course(date), date, t).is_some();
            date -= i64::from(!is_of_today);
        }
        let number = setpoint.stage_of(date);
        let value = self.course_value(setpoint.course_of(number), t)?;
        let Some(stage) = number.map(|n| &setpoint.stages[n]) else {
            return Some(value);
        };
        let (days, ramp) = (date - stage.from, stage.ramp_days);
        if days >= ramp {
            return Some(value);
        }
        let before = number.and_then(|n| n.checked_sub(1));
        let from = self.course_value(setpoint.course_of(before), t)?;
        let share = match self.mutation {
            Some(Mutation::StageBeginsADayLate) => days,
            _ => days + 1,
        };
        Some(self.between(from, value, share, ramp + 1))
    }

    /// The value of a course at an instant, in millionths.
    fn course_value(&self, course: &[Point], t: i64) -> Option<i64> {
        let today = almanac::date_of(&self.almanac, t)?;
        let of_yesterday = || match self.mutation {
            Some(Mutation::YesterdaysPointIsForgotten) => None,
            _ => self.latest_point(course, today - 1, t),
        };
        let (n, since) = self.latest_point(course, today, t).or_else(of_yesterday)?;
        let Point {
            value, ramp_min, ..
        } = course[n];
        let (share, whole) = match self.mutation {
            Some(Mutation::RampIsContinuous) => (t - since, ramp_min * MINUTE_MS),
            _ => ((t - since) / MINUTE_MS, ramp_min),
        };
        if share >= whole {
            return Some(value);
        }
        let before = match self.mutation {
            Some(Mutation::PointBeforeByInstant) => {
                let earlier = self.latest_point(course, today, since - 1);
                earlier
                    .or_else(|| self.latest_point(course, today - 1, since - 1))?
                    .0
            }
            _ => n.checked_sub(1).unwrap_or(course.len() - 1),
        };
        Some(self.between(course[before].value, value, share, whole))
    }

    /// What lies so far on the way from one value to another.
    fn between(&self, from: i64, to: i64, share: i64, whole: i64) -> i64 {
        let [from, to, share, whole] = [from, to, share, whole].map(i128::from);
        let scaled = from * whole + (to - from) * share;
        match self.mutation {
            Some(Mutation::SetpointsRoundTowardsZero) => {
                i64::try_from(scaled / whole).unwrap_or(i64::MAX)
            }
            _ => nearest(scaled, whole),
        }
    }

    /// The place in the list of the latest point of a date at or before an instant, and its own instant.
    fn latest_point(&self, course: &[Point], date: Date, t: i64) -> Option<(usize, i64)> {
        let instant = |p: &Point| almanac::instant(&self.almanac, date, &p.at, self.mutation);
        let points = course.iter().enumerate();
        let instants = points.filter_map(|(n, p)| instant(p).map(|at| (n, at)));
        let past = instants.filter(|(_, at)| *at <= t);
        past.max_by_key(|(n, at)| (*at, *n))
    }

    /// Finds the instants at which setpoints have another value than just before, as days and settings are now.
    pub(crate) fn find_steps(&mut self) {
        let steps = self.setpoints.iter();
        let steps = steps.map(|(id, setpoint)| (id.clone(), self.steps_of(id, setpoint)));
        self.steps = steps.collect();
    }

    fn steps_of(&self, id: &str, setpoint: &Setpoint) -> BTreeSet<i64> {
        let mut instants = almanac::bounds(&self.almanac, None, self.mutation);
        let stages = setpoint.stages.iter().map(|s| &s.course);
        for point in std::iter::once(&setpoint.course).chain(stages).flatten() {
            for date in self.almanac.keys() {
                let at = almanac::instant(&self.almanac, *date, &point.at, self.mutation);
                let minutes = 0..=point.ramp_min;
                instants.extend(minutes.filter_map(|minute| Some(at? + minute * MINUTE_MS)));
            }
        }
        let steps = |t: &i64| self.setpoint_value(id, *t) != self.setpoint_value(id, *t - 1);
        let instants: BTreeSet<i64> = instants.into_iter().collect();
        instants.into_iter().filter(steps).collect()
    }

    /// The first step of a setpoint after the clock.
    pub(crate) fn next_step(&self, id: &str) -> Option<i64> {
        let after = self.clock?.checked_add(1)?;
        self.steps.get(id)?.range(after..).next().copied()
    }
}

impl Setpoint {
    /// The place of the stage that a date belongs to; none before the first.
    fn stage_of(&self, date: Date) -> Option<usize> {
        self.stages.iter().rposition(|s| s.from <= date)
    }

    fn course_of(&self, stage: Option<usize>) -> &[Point] {
        stage.map_or(&self.course, |n| &self.stages[n].course)
    }
}
