//! The kinds of derived sensors: the one table of what each needs and what it gives.

use harit_engine::SensorType::{self, *};
use serde::{Deserialize, Serialize};

/// What derived sensors measure: nothing that is measured by a real sensor has one of these types, so that no derived value becomes
/// part of the mean of what was measured.
pub const OUTPUTS: [SensorType; 9] = [
    VapourPressureDeficit,
    DewPoint,
    WetBulb,
    AbsoluteHumidity,
    DailyLightIntegral,
    GrowingDegreeDays,
    RateOfChange,
    Hours,
    Number,
];

/// By what a derived sensor is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Vapour pressure deficit of the air.
    Vpd,
    /// The same between leaf and air, with the leaf so many K warmer than the air (most often below zero).
    LeafVpd,
    /// Dew point.
    DewPoint,
    /// Water in a cubic metre of air.
    AbsoluteHumidity,
    /// Wet bulb temperature.
    WetBulb,
    /// Daily light integral, of PAR or of illuminance.
    DailyLight,
    /// Growing degree days of the day so far.
    DegreeDays,
    /// Mean over the last minutes, weighted by time.
    MovingMean,
    /// Slope over the last minutes, an hour.
    RateOfChange,
    /// Hours above a threshold today.
    TimeAbove,
    /// a - b.
    Difference,
    /// A formula of one's own.
    Formula,
}

/// An input that a kind needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputOf {
    /// Its name.
    pub name: &'static str,
    /// What it may measure, what is meant where nothing is said first; any type where the list is empty.
    pub types: &'static [SensorType],
}

/// A number that a kind needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// What it is where nothing is said; none where it must be said.
    pub default: Option<f64>,
    /// The least that it may be.
    pub min: f64,
    /// The most.
    pub max: f64,
}

const fn input(name: &'static str, types: &'static [SensorType]) -> InputOf {
    InputOf { name, types }
}

const fn constant(name: &'static str, default: Option<f64>, min: f64, max: f64) -> Constant {
    Constant {
        name,
        default,
        min,
        max,
    }
}

const AIR: &[InputOf] = &[
    input("temperature", &[Temperature]),
    input("humidity", &[Humidity]),
];
const ANY: &[InputOf] = &[input("input", &[])];

impl Kind {
    /// All kinds, in the order in which they are listed to people.
    pub const ALL: [Self; 12] = [
        Self::Vpd,
        Self::LeafVpd,
        Self::DewPoint,
        Self::AbsoluteHumidity,
        Self::WetBulb,
        Self::DailyLight,
        Self::DegreeDays,
        Self::MovingMean,
        Self::RateOfChange,
        Self::TimeAbove,
        Self::Difference,
        Self::Formula,
    ];

    /// What it needs, by position; a formula names its own.
    #[must_use]
    pub const fn inputs(self) -> &'static [InputOf] {
        match self {
            Self::Vpd | Self::LeafVpd | Self::DewPoint | Self::AbsoluteHumidity | Self::WetBulb => {
                AIR
            }
            Self::DailyLight => const { &[input("light", &[Par, LightIntensity])] },
            Self::DegreeDays => {
                const {
                    &[input(
                        "temperature",
                        &[Temperature, SoilTemperature, WaterTemperature],
                    )]
                }
            }
            Self::MovingMean | Self::RateOfChange | Self::TimeAbove => ANY,
            Self::Difference => const { &[input("a", &[]), input("b", &[])] },
            Self::Formula => &[],
        }
    }

    /// Its constants, by position; a formula names its own.
    #[must_use]
    pub const fn constants(self) -> &'static [Constant] {
        match self {
            Self::LeafVpd => const { &[constant("leaf_offset", Some(-2.0), -10.0, 10.0)] },
            // kPa, at sea level
            Self::WetBulb => const { &[constant("pressure", Some(101.325), 30.0, 120.0)] },
            // of sunlight: Thimijan and Heins 1983, table 3
            Self::DailyLight => const { &[constant("lux_per_par", Some(54.0), 10.0, 200.0)] },
            Self::DegreeDays => {
                const {
                    &[
                        constant("base", Some(10.0), -10.0, 40.0),
                        constant("upper", Some(30.0), -10.0, 60.0),
                    ]
                }
            }
            Self::MovingMean => const { &[constant("minutes", Some(30.0), 1.0, 1_440.0)] },
            Self::RateOfChange => const { &[constant("minutes", Some(15.0), 1.0, 1_440.0)] },
            Self::TimeAbove => const { &[constant("threshold", None, -1e8, 1e8)] },
            Self::Vpd
            | Self::DewPoint
            | Self::AbsoluteHumidity
            | Self::Difference
            | Self::Formula => &[],
        }
    }

    /// What it measures; of a formula, where nothing is said.
    #[must_use]
    pub const fn output(self) -> SensorType {
        match self {
            Self::Vpd | Self::LeafVpd => VapourPressureDeficit,
            Self::DewPoint => DewPoint,
            Self::AbsoluteHumidity => AbsoluteHumidity,
            Self::WetBulb => WetBulb,
            Self::DailyLight => DailyLightIntegral,
            Self::DegreeDays => GrowingDegreeDays,
            Self::RateOfChange => RateOfChange,
            Self::TimeAbove => Hours,
            Self::MovingMean | Self::Difference | Self::Formula => Number,
        }
    }

    /// Whether it counts over the local day.
    #[must_use]
    pub const fn accumulates(self) -> bool {
        matches!(self, Self::DailyLight | Self::DegreeDays | Self::TimeAbove)
    }
}
