//! Setpoints and curves as the OpenAPI document describes them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::clock::MomentDocument;
use super::{OperatorDocument, ScopeDocument, SensorTypeDocument};

/// What a setpoint comes to from a moment of the day on.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CoursePoint)]
pub struct CoursePointDocument {
    /// From when.
    pub at: MomentDocument,
    /// To what; within the range of its sensor type.
    pub value: f64,
    /// In so many steps of a minute, from the value of the point before it in the list; 0 by default: at once.
    #[schema(default = 0, minimum = 0, maximum = 720)]
    pub ramp_min: Option<u16>,
}

/// A stage of a crop: another course from a date on.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SetpointStage)]
pub struct SetpointStageDocument {
    /// Its first day, `YYYY-MM-DD`; after that of the stage before it.
    pub from: String,
    /// Its day.
    #[schema(min_items = 1, max_items = 24)]
    pub course: Vec<CoursePointDocument>,
    /// Within so many days, from the course before; 0 by default: at once.
    #[schema(default = 0, minimum = 0, maximum = 60)]
    pub ramp_days: Option<u16>,
}

/// How an action's value follows a signal: straight between its points, level beyond them. The command's own value is what is set while
/// the signal is not known.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Curve)]
pub struct CurveDocument {
    /// What is measured.
    pub sensor_type: SensorTypeDocument,
    /// Where; the rule's scope by default.
    pub scope: Option<ScopeDocument>,
    /// A setpoint of that type: what is followed is the signal less that.
    pub setpoint: Option<String>,
    /// The signal, ascending, and the command's value there.
    #[schema(min_items = 2, max_items = 16)]
    pub points: Vec<[f64; 2]>,
    /// How far the signal moves, in its unit, until it is followed again; 0 by default.
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub dead_band: Option<f64>,
    /// What the command's value is a multiple of: 1 to 100 for a speed or position (1 by default), 0.1 to 10 for a flow rate (0.1 by default).
    pub step: Option<f64>,
    /// The least time between two changes, in seconds; 60 by default.
    #[schema(default = 60, minimum = 0, maximum = 3600)]
    pub least_sec: Option<i64>,
}

/// A trigger or a stop condition that compares a signal with a setpoint.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SetpointCondition)]
pub struct SetpointConditionDocument {
    /// What is measured; what the setpoint is a target of.
    pub sensor_type: SensorTypeDocument,
    /// How it is compared: greater or less, with or without equal.
    pub operator: OperatorDocument,
    /// The setpoint's id.
    pub setpoint: String,
    /// How much is added to the setpoint; 0 by default.
    #[schema(default = 0, minimum = -1_000_000, maximum = 1_000_000)]
    pub offset: Option<f64>,
    /// How long it must hold, in seconds; 300 by default.
    #[schema(default = 300, minimum = 1)]
    pub duration_sec: i64,
    /// Where; the rule's scope by default.
    pub scope: Option<ScopeDocument>,
}
