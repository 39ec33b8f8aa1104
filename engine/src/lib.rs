//! A deterministic telemetry rule engine: readings and commands in, decisions out. No clock, no I/O, no randomness.
//!
//! ```
//! use harit_engine::{Engine, FarmDocument, Input, InputKind, Measured, Timestamp};
//!
//! let farm: FarmDocument = serde_json::from_value(serde_json::json!({
//!     "farm": {"id": "f1", "name": "Farm", "settings": {"min_samples": 2}},
//!     "sensors": [{"id": "t1", "type": "temperature", "scope": {"type": "farm"}}],
//!     "devices": [{"id": "fan-1", "type": "fan", "scope": {"type": "farm"}}],
//!     "rules": [{
//!         "id": "cool", "name": "Cool", "mode": "auto", "deployed": true, "scope": {"type": "farm"},
//!         "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": 300},
//!         "stop_condition": {"sensor_type": "temperature", "operator": "lt", "value": 32, "duration_sec": 60},
//!         "actions": [{"device_id": "fan-1", "command": {"action": "on"}}],
//!     }],
//! }))?;
//! let mut engine = Engine::new(&farm)?;
//! let mut events = Vec::new();
//! let mut at = |engine: &mut Engine, secs: i64, kind| {
//!     engine.apply(&Input { at: Timestamp::from_millis(secs * 1_000), kind }, &mut events)
//! };
//! for secs in [0, 120, 240] {
//!     at(&mut engine, secs, InputKind::Reading { sensor: "t1".into(), value: Measured::parse("36.0") })?;
//! }
//! // The hold completes 300 s after the first reading: a tick (or the next input) lets the engine know that time passed.
//! assert_eq!(engine.next_deadline(), Some(Timestamp::from_millis(300_000)));
//! at(&mut engine, 301, InputKind::Tick)?;
//! let told: Vec<String> = events.iter().map(|e| serde_json::to_string(e).unwrap()).collect();
//! assert_eq!(told, [
//!     r#"{"at":300000,"event":"rule_fired","rule":"cool"}"#,
//!     r#"{"at":300000,"event":"command","command_id":"f1-1","device":"fan-1","action":"on","value":100,"cause":"cool"}"#,
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it is
//!
//! An [`Engine`] is the state machine of one farm, `apply(input) -> events`. It is made from a [`FarmDocument`], fed with
//! [`Input`]s in the order in which they were logged, and appends [`Event`]s. The same inputs give the same events, byte for
//! byte, so live control, recovery after a crash, replay of an incident and a backtest are the same fold over different
//! logs. A process holds as many engines as it likes; they share nothing.
//!
//! Whoever owns an engine does four things: logs an input before applying it, delivers the [`Command`]s among the events,
//! applies a [`InputKind::Tick`] when [`Engine::next_deadline`] has come, and after an outage restores a snapshot
//! ([`Engine::restore`]), applies the rest of the log and then [`InputKind::Resumed`].
//!
//! # What it promises
//!
//! * Numbers are decimal text read into 64-bit micro-units; means are exact rationals. No float enters a decision.
//! * Truth has three values. A hold counts only while there is fresh evidence, and one spike followed by silence never acts.
//! * A deadline at `t` comes before a reading at `t`, and its events bear `t` however late the input comes that reveals it.
//! * A rule claims a device; what is sent is a function of the claims, below locks, safety mode and people.
//! * Time is data: the engine knows no time zone and no sun, it is told days ([`AlmanacDay`]) in the log.
//! * A reading costs what it changes: conditions whose truth it cannot flip are not looked at.
//! * A rule document that is wrong is refused with all its [`Problems`] at once, each with its path.
//!
//! # Limits
//!
//! 1,000,000 sensors a farm; 64 actions a rule; 32 conditions an alert; ids of at most 128 bytes; durations of at most ten
//! years; values within 10⁹ units.

/// Whether that deliberate mistake is to be made: never, unless the feature `planted-bugs` is on. For journal, farm and ingest too.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "planted-bugs")]
macro_rules! planted {
    ($bug:ident) => {
        $crate::planted::is_planted($crate::planted::Bug::$bug)
    };
    ($bug:ident, every $n:literal) => {
        $crate::planted::is_planted_every($crate::planted::Bug::$bug, $n)
    };
}
/// Whether that deliberate mistake is to be made: never, unless the feature `planted-bugs` is on. For journal, farm and ingest too.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "planted-bugs"))]
macro_rules! planted {
    ($bug:ident $(, every $n:literal)?) => {
        false
    };
}

mod alert;
mod alert_sight;
mod almanac;
mod attach;
mod calendar;
mod compile;
mod conversion;
mod curve;
mod deadline;
mod derived;
mod device;
mod device_type;
mod document;
mod edit;
mod engine;
mod evaluate;
mod event;
mod evidence;
pub mod explain;
pub mod hazards;
mod hold;
mod hours;
mod id;
mod input;
mod interner;
mod limits;
mod lock;
mod members;
mod memory;
mod only_if;
mod packed;
mod place;
#[cfg(feature = "planted-bugs")]
pub mod planted;
mod problem;
mod program;
mod quantity;
mod reading;
mod registry;
mod round;
mod rule;
mod sensor;
mod sensor_type;
mod setpoint;
mod setpoint_sight;
mod setting;
mod sight;
mod signal;
mod snapshot;
mod state;
mod status;
mod table;
mod time;
mod timer;
mod truth;
pub mod verdict;

pub use alert_sight::{AlertSight, SeenSensor};
pub use almanac::{AlmanacDay, ClockChange, MAX_ALMANAC_DAYS, Moment, SunEvent};
pub use calendar::{LocalDate, MonthDay, TimeOfDay, Weekdays};
pub use conversion::Conversion;
pub use device::{Cause, Command};
pub use device_type::DeviceType;
pub use document::{
    ActionSpec, AlertConditionSpec, AlertEvidence, AlertSensor, AlertSeverity, AlertSpec,
    ConditionSpec, CoursePoint, CurveSpec, DatesSpec, DeviceSpec, DeviceStateSpec, EverySpec,
    FarmDocument, FarmSettings, FarmSpec, GroupSpec, HoursSpec, IfUnknown, LimitsSpec, Match,
    NeedsSpec, NodeKind, NodeSpec, OnSignalLost, PolyhouseSpec, RepeatUnit, RuleMode, RuleSpec,
    ScheduleSpec, ScopeKind, ScopeSpec, SensorSpec, SetpointConditionSpec, SetpointSpec, StageSpec,
    TreeSpec, TriggerSpec, WhenSpec, WindowSpec, ZoneSpec,
};
pub use engine::Engine;
pub use event::{
    BlockReason, Event, EventKind, LimitReason, RefuseReason, ResolveReason, SkipReason,
    StopReason, SuppressReason,
};
pub use id::{
    AlertId, CommandId, DeviceId, FarmId, GroupId, MAX_ID_BYTES, PolyhouseId, RuleId, SensorId,
    SetpointId, ZoneId,
};
pub use input::{Input, InputKind, Manual, ManualKind, RegistryChange, Status, Stop, StopScope};
pub use lock::{DeviceLock, Lock, LockKind, Locks, Owner};
pub use problem::{NumberRange, Problem, Problems};
pub use quantity::{Decimal, Mean, Measured, Quantity};
pub use rule::clear_after;
pub use sensor::{Counters, FaultReason, ReadingOutcome, SensorIx};
pub use sensor_type::SensorType;
pub use setpoint_sight::{CourseCorner, SetpointSight, SetpointUse};
pub use setting::{OrderSpec, SentOrder, Setting};
pub use sight::Sight;
pub use snapshot::SnapshotError;
pub use status::{
    AlertStatus, AwaitedSensor, ClaimStatus, DeviceRef, DeviceStatus, GroupStatus, HoldStatus,
    LimitsStatus, ManualStatus, RulePhase, RuleStatus, SensorStatus,
};
pub use time::{Duration, MAX_DURATION, Timestamp};
pub use truth::{Operator, Truth};
