//! The documents of a farm: places, sensors, devices, automation rules and alert rules, with the field names that people,
//! the console and the API use. Reading one reports all its problems at once; compiling it against a farm is done where it
//! is put to use ([`crate::Engine::check`]).

mod alert;
mod curve;
mod farm;
mod limits;
mod pack;
pub(crate) use pack::PackedAction;
mod reader;
mod rule;
mod schedule;
mod scope;
mod setpoint;
mod tree;

pub use alert::{
    AlertConditionSpec, AlertEvidence, AlertSensor, AlertSeverity, AlertSpec, Match, RepeatUnit,
};
pub use curve::CurveSpec;
pub use farm::{
    DeviceSpec, DeviceStateSpec, FarmDocument, FarmSettings, FarmSpec, PolyhouseSpec, SensorSpec,
    ZoneSpec,
};
pub use limits::{GroupSpec, HoursSpec, LimitsSpec, NeedsSpec};
pub use rule::{
    ActionSpec, ConditionSpec, OnSignalLost, RuleMode, RuleSpec, TriggerSpec, WhenSpec,
};
pub use schedule::{EverySpec, IfUnknown, ScheduleSpec};
pub use scope::{ScopeKind, ScopeSpec};
pub use setpoint::{CoursePoint, SetpointConditionSpec, SetpointSpec, StageSpec};
pub(crate) use tree::MAX_NODES;
pub use tree::{DatesSpec, NodeKind, NodeSpec, TreeSpec, WindowSpec};
