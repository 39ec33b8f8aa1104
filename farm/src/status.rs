//! What a controller last said of itself.

use harit_engine::{DeviceId, FarmId, Quantity, SensorId, Timestamp};
use harit_protocol::{DeviceReport, Mac};
use serde::{Deserialize, Serialize};

/// A controller as the pipeline knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ControllerStatus {
    /// Its farm.
    pub farm: FarmId,
    /// Its MAC id.
    pub mac: Mac,
    /// Whether it can be reached.
    pub online: bool,
    /// Since when it cannot; `None` while it can, and where it was never heard.
    pub offline_since: Option<Timestamp>,
    /// Its firmware, as it said.
    pub firmware: Option<String>,
    /// When it last published anything that was good.
    pub last_seen: Option<Timestamp>,
    /// How many of its messages bore a timestamp from the future since the start: its clock is wrong.
    pub future_timestamps: u64,
    /// Its sensors, by id in the farm.
    pub sensors: Vec<SensorPresence>,
    /// Its devices, by id in the farm.
    pub devices: Vec<DevicePresence>,
}

/// A sensor of a controller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SensorPresence {
    /// Its id.
    pub id: SensorId,
    /// Whether the controller no longer announces it.
    pub gone: bool,
}

/// A device of a controller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DevicePresence {
    /// Its id.
    pub id: DeviceId,
    /// Whether the controller no longer announces it.
    pub gone: bool,
    /// What the controller reported of it last.
    pub reported: Option<Reported>,
    /// At how many per cent it goes on at the end of a lease, as its controller announces; none where it goes off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_end: Option<Quantity>,
}

/// What a controller reported of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reported {
    /// Whether it is on.
    pub on: bool,
    /// Its value, if it has one.
    pub value: Option<Quantity>,
    /// When that was said.
    pub at: Timestamp,
    /// Whether it is on because its lease ran out, in the setting of its controller and none that was sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_lease_end: bool,
}

impl Reported {
    /// What a report says of a device, where it says whether it is on.
    pub(crate) fn of(said: &DeviceReport, at: Timestamp) -> Option<Self> {
        let on = said.on?;
        Some(Self {
            on,
            value: said.value,
            at,
            by_lease_end: on && said.lease_over == Some(true),
        })
    }
}
