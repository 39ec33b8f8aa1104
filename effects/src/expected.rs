//! What a device's run is expected to do to a signal: one table, by kind of device and signal.

use harit_engine::{DeviceType, SensorType};
use serde::{Deserialize, Serialize};

/// What a device is there for. Its type says it where nobody said otherwise; a heater, say, is a valve or a pump to a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Moves air out.
    Fan,
    /// Opens to the outside.
    Vent,
    /// Warms.
    Heater,
    /// Moistens the air.
    Fogger,
    /// Lets water to plants.
    Irrigation,
    /// Moves water.
    Pump,
    /// Doses nutrients, acid or base.
    Dosing,
    /// Gives light.
    Light,
    /// Takes light.
    Shade,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Fan,
        Self::Vent,
        Self::Heater,
        Self::Fogger,
        Self::Irrigation,
        Self::Pump,
        Self::Dosing,
        Self::Light,
        Self::Shade,
    ];

    /// What a device of that type can be there for, where nobody says; a valve may water or fog, which its runs show.
    #[must_use]
    pub const fn of(device: DeviceType) -> &'static [Self] {
        match device {
            DeviceType::Fan => &[Self::Fan],
            DeviceType::Vent => &[Self::Vent],
            DeviceType::Pump => &[Self::Pump],
            DeviceType::Valve => &[Self::Irrigation, Self::Fogger],
            DeviceType::DosingPump => &[Self::Dosing],
            DeviceType::Fogger => &[Self::Fogger],
            DeviceType::Heater => &[Self::Heater],
            DeviceType::Light => &[Self::Light],
            DeviceType::Shade => &[Self::Shade],
            // a side that opens is a vent; nothing measures what a tank's stirring or a siren does
            DeviceType::Curtain => &[Self::Vent],
            DeviceType::MixingPump | DeviceType::Siren | DeviceType::Sensor => &[],
        }
    }

    /// Its name in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fan => "fan",
            Self::Vent => "vent",
            Self::Heater => "heater",
            Self::Fogger => "fogger",
            Self::Irrigation => "irrigation",
            Self::Pump => "pump",
            Self::Dosing => "dosing",
            Self::Light => "light",
            Self::Shade => "shade",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == name)
    }

    /// Whether the run of one hides in the signal what a run of the other does at the same time. A pump and the valve behind it are
    /// in one line: what flows went through both.
    #[must_use]
    pub fn hides(self, other: Self) -> bool {
        let air = |k| matches!(k, Self::Fan | Self::Vent);
        self == other || (air(self) && air(other))
    }
}

/// Which way a signal goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Up.
    Rises,
    /// Down, or up less than before.
    Falls,
    /// Up or down: the runs show which.
    Moves,
}

/// How long an effect is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// While the device runs.
    While,
    /// Also after it ran: what it gave is there.
    Lasting,
}

/// What a run of a kind of device is expected to do to a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// The kind of device.
    pub kind: Kind,
    /// The signal.
    pub signal: SensorType,
    /// Which way it goes.
    pub direction: Direction,
    /// For how long.
    pub response: Response,
    /// Minutes after the start before which nothing is to be seen.
    pub delay_min: i64,
    /// Minutes after the start at which it is to be seen at the latest.
    pub window_min: i64,
    /// The least change that is an effect without any statistics, in micro-units: of what is zero while nothing runs.
    pub sure: Option<i64>,
}

/// The minutes that a person may set instead of a row's.
pub const WINDOW_MIN: std::ops::RangeInclusive<i64> = 2..=120;

const fn row(
    kind: Kind,
    signal: SensorType,
    direction: Direction,
    response: Response,
    (delay_min, window_min): (i64, i64),
) -> Expected {
    Expected {
        kind,
        signal,
        direction,
        response,
        delay_min,
        window_min,
        sure: None,
    }
}

const fn sure(kind: Kind, signal: SensorType, least: i64) -> Expected {
    Expected {
        sure: Some(least),
        ..row(kind, signal, Direction::Rises, Response::While, (2, 3))
    }
}

use Direction::{Falls, Moves, Rises};
use Response::{Lasting, While};

/// All that is expected. Of a kind's rows for which its place has a sensor, the one counts in which its runs show best.
pub const TABLE: [Expected; 20] = [
    row(Kind::Fan, SensorType::Temperature, Falls, While, (2, 10)),
    row(Kind::Vent, SensorType::Temperature, Falls, While, (2, 10)),
    row(Kind::Vent, SensorType::Humidity, Falls, While, (2, 10)),
    row(Kind::Heater, SensorType::Temperature, Rises, While, (5, 15)),
    row(Kind::Fogger, SensorType::Humidity, Rises, While, (2, 5)),
    row(
        Kind::Fogger,
        SensorType::VapourPressureDeficit,
        Falls,
        While,
        (2, 5),
    ),
    sure(Kind::Irrigation, SensorType::Flow, 200_000),
    sure(Kind::Irrigation, SensorType::LinePressure, 100_000),
    row(
        Kind::Irrigation,
        SensorType::SoilMoisture,
        Rises,
        Lasting,
        (10, 20),
    ),
    sure(Kind::Pump, SensorType::Flow, 200_000),
    sure(Kind::Pump, SensorType::LinePressure, 100_000),
    row(
        Kind::Pump,
        SensorType::ReservoirLevel,
        Moves,
        Lasting,
        (5, 10),
    ),
    row(
        Kind::Pump,
        SensorType::SoilMoisture,
        Rises,
        Lasting,
        (10, 20),
    ),
    sure(Kind::Pump, SensorType::Power, 20_000_000),
    row(Kind::Dosing, SensorType::Ph, Moves, Lasting, (5, 10)),
    row(Kind::Dosing, SensorType::Ec, Moves, Lasting, (5, 10)),
    row(Kind::Light, SensorType::Par, Rises, While, (2, 5)),
    row(
        Kind::Light,
        SensorType::LightIntensity,
        Rises,
        While,
        (2, 5),
    ),
    row(Kind::Shade, SensorType::Par, Falls, While, (2, 10)),
    row(
        Kind::Shade,
        SensorType::LightIntensity,
        Falls,
        While,
        (2, 10),
    ),
];

/// What is expected of a kind of device, in the table's order.
pub fn expected(kind: Kind) -> impl Iterator<Item = &'static Expected> {
    TABLE.iter().filter(move |row| row.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_expected_to_do_something_and_every_row_can_be_seen() {
        for kind in Kind::ALL {
            assert!(expected(kind).next().is_some(), "{kind:?}");
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        }
        for row in &TABLE {
            assert!(row.delay_min <= row.window_min, "{row:?}");
            assert!(WINDOW_MIN.contains(&row.window_min), "{row:?}");
        }
        assert_eq!(Kind::parse("oven"), None);
    }

    #[test]
    fn a_vent_hides_a_fan_and_a_valve_no_pump() {
        assert!(Kind::Fan.hides(Kind::Vent) && Kind::Vent.hides(Kind::Fan));
        assert!(Kind::Pump.hides(Kind::Pump));
        assert!(!Kind::Irrigation.hides(Kind::Pump));
    }
}
