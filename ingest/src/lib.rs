//! From MQTT bytes to engine inputs, and from engine events to commands.
//!
//! A publish goes through seven steps, each a module: [`mqtt`] receives it, [`harit_protocol`] reads it, the shard
//! stamps and orders it, [`harit_journal`] makes it durable, the engine decides, and [`downlink`] sends what was decided and
//! follows it until the device has done it. [`hub`] is the way in for everybody else.
//!
//! Invariants: only a shard's thread holds `&mut Engine`; an input acts only after it is durable; bytes become a reading
//! in `harit_protocol` and nowhere else; every queue, buffer and table has a named limit.

mod admit;
mod announced;
mod archived;
pub mod backup;
pub mod clock;
pub mod command;
pub mod dead_letter;
pub mod directory;
pub mod export;
pub mod history;
pub mod home_assistant;
pub mod hub;
pub mod lease;
pub mod live;
pub mod log;
pub mod mqtt;
pub mod past;
mod shard;
#[cfg(feature = "simulation")]
pub mod simulation;
pub mod sleeping;
mod view;

pub use admit::AdmitError;
pub use archived::Archived;
pub use command::CommandFilter;
pub use directory::{ControllerDirectory, ControllerKind, ControllerRecord};
pub use harit_farm::{
    AuthoredEntry, CommandLife, CommandState, ControllerStatus, DevicePresence, Reported,
    SensorPresence,
};
pub use hub::{Anew, Health, Hub, HubConfig, OpenError, Urged};
pub use live::{LiveEvent, LiveKind, Telemetry};
