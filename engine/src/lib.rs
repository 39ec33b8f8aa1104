//! A deterministic telemetry rule engine.
#![doc = ""]
mod alert;
mod deadline;
mod device;
pub mod document;
mod engine;
mod event;
mod hold;
mod id;
mod input;
mod place;
mod quantity;
mod registry;
mod round;
mod rule;
mod sensor;
mod sensor_type;
mod setting;
mod signal;
mod state;
mod status;
mod table;
mod time;
mod timer;

pub use device::{Cause, Command};
pub use document::*;
pub use engine::Engine;
pub use event::{BlockReason, Event, EventKind, RefuseReason, StopReason, SuppressReason};
pub use id::*;
pub use input::*;
pub use quantity::{Decimal, Mean, Measured, Quantity};
pub use sensor::{Counters, FaultReason, ReadingOutcome, SensorIx};
pub use sensor_type::SensorType;
pub use setting::{OrderSpec, SentOrder, Setting};
pub use status::*;
pub use time::{Duration, MAX_DURATION, Timestamp};
