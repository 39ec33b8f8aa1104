//! What a controller is built of, what it is told, and what it says.

use std::time::Duration;

use harit_engine::SensorType;

use super::DevicePart;
use crate::model::{Grade, Probe};

/// What a controller was registered as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControllerKind {
    /// It serves a polyhouse.
    Polyhouse,
    /// It serves a fertigation tank.
    Fertigation,
}

impl ControllerKind {
    /// The name of the asset type.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Polyhouse => "POLYHOUSE",
            Self::Fertigation => "FERTIGATION",
        }
    }
}

/// A sensor as it is built.
#[derive(Debug, Clone, PartialEq)]
pub struct SensorPart {
    /// Its id, unique within the farm.
    pub id: String,
    /// What it measures.
    pub sensor_type: SensorType,
    /// Where it measures.
    pub probe: Probe,
    /// How well it measures.
    pub grade: Grade,
}

/// A controller as it is built.
#[derive(Debug, Clone, PartialEq)]
pub struct ControllerSpec {
    /// Its MAC: 12 upper-case hex digits, its MQTT user and its place in topics.
    pub mac: String,
    /// Its MQTT password.
    pub secret: String,
    /// What it was registered as.
    pub kind: ControllerKind,
    /// Its name for people.
    pub name: String,
    /// Its firmware's version.
    pub firmware: String,
    /// Whether it has a clock. Without one it sends no `ts` and cannot tell whether a command is too old.
    pub has_clock: bool,
    /// How often it reports.
    pub report_every: Duration,
    /// Its sensors.
    pub sensors: Vec<SensorPart>,
    /// Its devices.
    pub devices: Vec<DevicePart>,
}

/// An instant, both ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Since the start of the run; never goes back.
    pub since_start: Duration,
    /// Milliseconds since the Unix epoch, by the controller's clock.
    pub wall_ms: i64,
}

/// What a controller publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// To `telemetry`.
    Telemetry(Vec<u8>),
    /// To `state`, retained.
    State(Vec<u8>),
    /// To `ack`.
    Ack(Vec<u8>),
}

impl Outgoing {
    /// The topic below the controller's own, whether the message is retained, and its payload.
    #[must_use]
    pub fn parts(self) -> (&'static str, bool, Vec<u8>) {
        match self {
            Self::Telemetry(bytes) => ("telemetry", false, bytes),
            Self::State(bytes) => ("state", true, bytes),
            Self::Ack(bytes) => ("ack", false, bytes),
        }
    }
}

/// What a controller has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Commands done.
    pub done: u64,
    /// Commands answered by a failure.
    pub refused: u64,
    /// Deliveries of a command that was known already.
    pub repeated: u64,
    /// Commands ignored because they had expired.
    pub expired: u64,
    /// Payloads on the command topic that are no command.
    pub malformed: u64,
    /// Leases prolonged.
    pub renewed: u64,
    /// Devices switched off because their lease ran out.
    pub leases_ended: u64,
    /// Reports published.
    pub reports: u64,
}
