//! What can be commanded, by type.

use serde::{Deserialize, Serialize};

use crate::time::Duration;

/// What kind of device it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceType {
    /// Moves air.
    Fan,
    /// Opens to the outside.
    Vent,
    /// Moves water.
    Pump,
    /// Lets water through.
    Valve,
    /// Doses nutrients, acid or base.
    DosingPump,
    /// Only measures.
    Sensor,
}

pub(crate) const DEVICE_TYPES: [(&str, DeviceType); 6] = [
    ("fan", DeviceType::Fan),
    ("vent", DeviceType::Vent),
    ("pump", DeviceType::Pump),
    ("valve", DeviceType::Valve),
    ("dosing_pump", DeviceType::DosingPump),
    ("sensor", DeviceType::Sensor),
];

impl DeviceType {
    /// The type of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        DEVICE_TYPES
            .into_iter()
            .find(|(w, _)| *w == name)
            .map(|(_, t)| t)
    }

    /// The name in documents and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        DEVICE_TYPES
            .into_iter()
            .find(|(_, t)| *t == self)
            .map_or("sensor", |(w, _)| w)
    }

    /// The longest that it may stay on, unless the device says otherwise.
    #[must_use]
    pub const fn default_max_on(self) -> Option<Duration> {
        match self {
            Self::DosingPump => Some(Duration::from_secs(60)),
            Self::Valve => Some(Duration::from_secs(1_800)),
            Self::Pump => Some(Duration::from_secs(3_600)),
            Self::Fan | Self::Vent | Self::Sensor => None,
        }
    }

    /// The most seconds of pulses in an hour, unless the device says otherwise.
    #[must_use]
    pub const fn default_max_pulse(self) -> Option<Duration> {
        match self {
            Self::DosingPump => Some(Duration::from_secs(300)),
            Self::Fan | Self::Vent | Self::Pump | Self::Valve | Self::Sensor => None,
        }
    }
}
