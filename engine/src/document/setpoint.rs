//! Setpoints: named targets with a course over the day and over a crop's stages.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::reader::Fields;
use super::scope::ScopeSpec;
use super::tree::read_moment;
use crate::almanac::Moment;
use crate::calendar::{LocalDate, TimeOfDay};
use crate::id::SetpointId;
use crate::problem::NumberRange;
use crate::quantity::{Decimal, Quantity};
use crate::sensor_type::SensorType;
use crate::truth::Operator;

/// The most setpoints of a farm.
const MAX_SETPOINTS: usize = 64;
/// The most points of a day's course.
const MAX_POINTS: usize = 24;
/// The most stages of a setpoint.
const MAX_STAGES: usize = 16;
/// The longest ramp between two points, in minutes.
const MAX_RAMP_MIN: i64 = 720;
/// The longest ramp between two stages, in days.
const MAX_RAMP_DAYS: i64 = 60;
/// The furthest that a condition is from its setpoint, in units.
const MAX_OFFSET: i64 = 1_000_000;
const NOTHING: Decimal = Decimal::exact(Quantity::from_micro(0));

/// A named target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetpointSpec {
    /// Its id.
    pub id: SetpointId,
    /// Its name; a label.
    pub name: String,
    /// What it is a target of.
    pub sensor_type: SensorType,
    /// Where it belongs; none: the farm. A label, but the place exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeSpec>,
    /// The day, before the first stage begins.
    pub course: Vec<CoursePoint>,
    /// The days from a date on, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageSpec>,
}

/// What a course comes to from a moment of the day on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CoursePoint {
    /// From when.
    pub at: Moment,
    /// To what.
    pub value: Quantity,
    /// In so many steps of a minute, from the value of the point before it in the list.
    #[serde(skip_serializing_if = "is_zero")]
    pub ramp_min: u16,
}

/// A stage of a crop: another course from a date on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageSpec {
    /// Its first day.
    pub from: LocalDate,
    /// Its day.
    pub course: Vec<CoursePoint>,
    /// Within so many days, from the course before.
    #[serde(skip_serializing_if = "is_zero")]
    pub ramp_days: u16,
}

/// A signal compared with a setpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetpointConditionSpec {
    /// What is measured.
    pub sensor_type: SensorType,
    /// How it is compared: greater or less, with or without equal.
    pub operator: Operator,
    /// With what.
    pub setpoint: SetpointId,
    /// How much is added to the setpoint.
    pub offset: Quantity,
    /// Where; the rule's scope by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeSpec>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
const fn is_zero(n: &u16) -> bool {
    *n == 0
}

impl SetpointSpec {
    /// The field `setpoints` of a farm's settings.
    pub(super) fn read_all(f: &mut Fields<'_>) -> Vec<Self> {
        let all = f.list("setpoints", MAX_SETPOINTS, Self::read);
        for (i, one) in all.iter().enumerate() {
            if all[..i].iter().any(|other| other.id == one.id) {
                let message = format!("{} stands there twice", one.id);
                f.problem(&format!("setpoints[{i}].id"), "duplicate", message);
            }
        }
        all
    }

    fn read(f: &mut Fields<'_>) -> Self {
        let words = SensorType::ALL.map(|t| (t.as_str(), t));
        let sensor_type = f.required_one_of("sensor_type", &words);
        let stage = |s: &mut Fields<'_>| {
            let text = s.text("from");
            let from = LocalDate::parse(&text);
            if from.is_none() && !text.is_empty() {
                s.problem(
                    "from",
                    "invalid",
                    format!("{text:?} is no date (YYYY-MM-DD)"),
                );
            }
            let (course, ramp_days) = (
                read_course(s, sensor_type),
                small(s, "ramp_days", MAX_RAMP_DAYS),
            );
            from.map(|from| StageSpec {
                from,
                course,
                ramp_days,
            })
        };
        let course = read_course(f, sensor_type);
        let stages = f.list("stages", MAX_STAGES, stage);
        let spec = Self {
            id: SetpointId::new(f.id("id")),
            name: f.text_or_empty("name"),
            sensor_type: sensor_type.unwrap_or(SensorType::Temperature),
            scope: f.nested("scope", ScopeSpec::read),
            course,
            stages: stages.into_iter().flatten().collect(),
        };
        for (i, two) in spec.stages.windows(2).enumerate() {
            if two[1].from <= two[0].from {
                let message = format!("{} is not after {}", two[1].from, two[0].from);
                f.problem(&format!("stages[{}].from", i + 1), "out_of_order", message);
            }
        }
        spec
    }
}

fn small(f: &mut Fields<'_>, key: &str, max: i64) -> u16 {
    let n = f.whole(key, 0, max).and_then(|n| u16::try_from(n).ok());
    n.unwrap_or(0)
}

fn read_course(f: &mut Fields<'_>, sensor_type: Option<SensorType>) -> Vec<CoursePoint> {
    let midnight = || TimeOfDay::from_minutes(0).map(Moment::Clock);
    let course = f.list("course", MAX_POINTS, |p| {
        if !p.has("at") {
            p.missing_unless_reported("at");
        }
        let at = if p.has("at") {
            read_moment(p, "at")
        } else {
            None
        };
        let value = p.required_decimal("value");
        let value = value.unwrap_or(NOTHING);
        if let Some(t) = sensor_type {
            let (min, max) = t.editor_range();
            if !value.within(min, max) {
                let range = NumberRange::of_units(min, max).in_unit(t.unit());
                p.outside("value", value.rounded(), range);
            }
        }
        let point = CoursePoint {
            at: at.or_else(midnight)?,
            value: value.rounded(),
            ramp_min: small(p, "ramp_min", MAX_RAMP_MIN),
        };
        Some(point)
    });
    if course.is_empty() {
        f.missing_unless_reported("course");
    }
    course.into_iter().flatten().collect()
}

const OPERATORS: [(&str, Operator); 4] = [
    ("gt", Operator::Gt),
    ("gte", Operator::Gte),
    ("lt", Operator::Lt),
    ("lte", Operator::Lte),
];

impl SetpointConditionSpec {
    pub(super) fn read(f: &mut Fields<'_>) -> Self {
        let words = SensorType::ALL.map(|t| (t.as_str(), t));
        let offset = f.decimal("offset").unwrap_or(NOTHING);
        if !offset.within(-MAX_OFFSET, MAX_OFFSET) {
            let range = NumberRange::of_units(-MAX_OFFSET, MAX_OFFSET);
            f.outside("offset", offset.rounded(), range);
        }
        for key in ["value", "value_max"] {
            if f.has(key) {
                let message = "a condition has a setpoint or a value";
                f.problem(key, "not_here", message);
            }
        }
        let sensor_type = f.required_one_of("sensor_type", &words);
        Self {
            sensor_type: sensor_type.unwrap_or(SensorType::Temperature),
            operator: f
                .required_one_of("operator", &OPERATORS)
                .unwrap_or(Operator::Gt),
            setpoint: SetpointId::new(f.id("setpoint")),
            offset: offset.rounded(),
            scope: f.nested("scope", ScopeSpec::read),
        }
    }

    /// Its fields, without those of a node.
    pub(super) fn fields(&self) -> Map<String, Value> {
        let mut map = match json!(self) {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        if self.offset == Quantity::default() {
            map.remove("offset");
        }
        map
    }
}
