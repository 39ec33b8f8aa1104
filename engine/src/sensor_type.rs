//! What can be measured: the sensor types with their units and ranges.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SensorType {
    /// Air temperature, °C.
    Temperature,
    /// Relative humidity, %.
    Humidity,
    /// Soil moisture, %.
    SoilMoisture,
    /// Acidity, pH.
    Ph,
    /// Electrical conductivity, mS/cm.
    Ec,
    /// Level of a reservoir, % of its capacity.
    ReservoirLevel,
    /// Illuminance, lux.
    LightIntensity,
    /// Carbon dioxide, ppm.
    Co2Level,
}

impl SensorType {
    /// All types, in the order in which they are listed to people.
    pub const ALL: [Self; 8] = [
        Self::Temperature,
        Self::Humidity,
        Self::SoilMoisture,
        Self::Ph,
        Self::Ec,
        Self::ReservoirLevel,
        Self::LightIntensity,
        Self::Co2Level,
    ];

    /// The name in documents and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::Humidity => "humidity",
            Self::SoilMoisture => "soil_moisture",
            Self::Ph => "ph",
            Self::Ec => "ec",
            Self::ReservoirLevel => "reservoir_level",
            Self::LightIntensity => "light_intensity",
            Self::Co2Level => "co2_level",
        }
    }

    /// The type of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.as_str() == name)
    }

    /// The unit; empty for pH.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Temperature => "°C",
            Self::Humidity | Self::SoilMoisture | Self::ReservoirLevel => "%",
            Self::Ph => "",
            Self::Ec => "mS/cm",
            Self::LightIntensity => "lux",
            Self::Co2Level => "ppm",
        }
    }

    /// The closed range, in units, that a rule's value may have.
    #[must_use]
    pub const fn editor_range(self) -> (i64, i64) {
        match self {
            Self::Temperature => (-10, 50),
            Self::Humidity | Self::SoilMoisture | Self::ReservoirLevel => (0, 100),
            Self::Ph => (0, 14),
            Self::Ec => (0, 10),
            Self::LightIntensity => (0, 100_000),
            Self::Co2Level => (0, 2_000),
        }
    }

    /// The closed range, in units, outside of which a reading is a fault.
    #[must_use]
    pub const fn plausible_range(self) -> (i64, i64) {
        match self {
            Self::Temperature => (-40, 85),
            Self::Humidity | Self::SoilMoisture | Self::ReservoirLevel => (0, 100),
            Self::Ph => (0, 14),
            Self::Ec => (0, 20),
            Self::LightIntensity => (0, 200_000),
            Self::Co2Level => (0, 10_000),
        }
    }
}

impl fmt::Display for SensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
