//! One farm as a state machine: the engine, its controllers, and the delivery of commands.
//!
//! [`Farm::apply`] is the only way to change a farm. It takes the [`Record`]s of the farm's log in order and tells an
//! [`Observer`] what follows from each: what the engine said, what is to be published, what became of commands. Live control,
//! recovery and replay apply the same records and differ in nothing but what their observer does. docs/semantics.md is the text
//! of it, section 12 of what is beside the engine.
//!
//! Invariants: no I/O, clock, thread or randomness; the same records give the same effects and the same snapshot, whatever
//! [`Key`]s remember; time is an argument and never goes back.

mod authored;
pub mod codec;
mod command;
mod controllers;
mod delivery;
mod farm;
mod file;
mod key;
mod line;
mod observer;
mod record;
mod reported;
mod snapshot;
mod status;
#[cfg(test)]
mod tests;

pub use authored::{AuthoredEntry, KEPT_ENTRIES};
pub use command::{CommandLife, CommandState};
pub use controllers::{Controllers, STALE_AFTER, Sensor};
pub use delivery::{Delivery, RENEW_EVERY};
pub use farm::Farm;
pub use file::{FarmFile, FileError};
pub use harit_protocol::{CommandAck, MessageNumber};
pub use key::Key;
pub use observer::{AckOutcome, Applied, Effect, Observer, Reading};
pub use record::{Record, Telemetry};
pub use snapshot::RestoreError;
pub use status::{ControllerStatus, DevicePresence, Reported, SensorPresence};
