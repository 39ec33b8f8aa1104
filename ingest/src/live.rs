//! What happens in the farms, as it happens: for screens, never for a decision.
//!
//! The channel is bounded ([`LIVE_CAPACITY`]). Who reads too slowly gets `Lagged` and loads the present state anew.

use harit_engine::{Event, FarmId, Quantity, SensorId, SensorType, Timestamp};
use harit_protocol::Mac;
use serde::Serialize;

use harit_farm::CommandLife;

/// How many events the channel keeps for a slow reader.
pub const LIVE_CAPACITY: usize = 4_096;

/// Something that happened in a farm.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveEvent {
    /// The farm.
    pub farm: FarmId,
    /// What happened.
    pub kind: LiveKind,
}

/// The kinds of live event.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveKind {
    /// Sensors reported. Several messages may be joined: only the latest value of each sensor is told.
    Telemetry(Telemetry),
    /// The engine decided something.
    Engine(Event),
    /// A command's life went on.
    Command(Box<CommandLife>),
    /// A controller came or went.
    Controller {
        /// Which.
        mac: Mac,
        /// Whether it can be reached.
        online: bool,
    },
    /// Places, sensors, devices, rules or alerts changed: load them again.
    Registry,
    /// The farm's log has new entries.
    Log,
}

/// The telemetry message of the product specification, with each sensor's id and instant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Telemetry {
    /// The sensors that reported.
    pub sensors: Vec<LiveSensor>,
}

/// A sensor's latest report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveSensor {
    /// The sensor's id in the farm.
    pub id: SensorId,
    /// What it measures.
    #[serde(rename = "type")]
    pub sensor_type: SensorType,
    /// The unit.
    pub unit: &'static str,
    /// The value; none after a fault.
    pub latest_value: Option<Quantity>,
    /// The reading's own timestamp.
    pub at: Timestamp,
}
