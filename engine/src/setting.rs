//! Settings of devices, and the orders that rules and people give.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::device_type::DeviceType;
use crate::problem::{NumberRange, Problem};
use crate::quantity::Quantity;

/// What a document says: an action's name and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderSpec {
    /// on, off, set_speed, set_position, set_flow_rate or pulse.
    pub action: String,
    /// The value, where the action has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Quantity>,
}

/// What a device can be set to and stay at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Setting {
    /// On, at full value where the device has one (fans and pumps: 100).
    On {
        /// 100 for fans and pumps.
        value: Option<Quantity>,
    },
    /// Off, value 0.
    Off,
    /// A speed, 0 to 100 %.
    Speed(Quantity),
    /// A position, 0 to 100 %.
    Position(Quantity),
    /// A flow, 0.1 to 10 ml/s.
    FlowRate(Quantity),
}

impl Setting {
    /// Off.
    pub const OFF: Self = Self::Off;

    /// Whether the device is on in this setting.
    #[must_use]
    pub fn is_on(self) -> bool {
        match self {
            Self::On { .. } => true,
            Self::Off => false,
            Self::Speed(v) | Self::Position(v) | Self::FlowRate(v) => v > Quantity::default(),
        }
    }

    /// The action's name.
    #[must_use]
    pub const fn action(self) -> &'static str {
        match self {
            Self::On { .. } => "on",
            Self::Off => "off",
            Self::Speed(_) => "set_speed",
            Self::Position(_) => "set_position",
            Self::FlowRate(_) => "set_flow_rate",
        }
    }

    /// The value that goes with it.
    #[must_use]
    pub const fn value(self) -> Option<Quantity> {
        match self {
            Self::On { value } => value,
            Self::Off => Some(Quantity::from_units(0)),
            Self::Speed(v) | Self::Position(v) | Self::FlowRate(v) => Some(v),
        }
    }
}

impl Serialize for Setting {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        OrderSpec {
            action: self.action().into(),
            value: self.value(),
        }
        .serialize(s)
    }
}

/// What is sent to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SentOrder {
    /// To stay at a setting.
    Set(Setting),
    /// To be on for so many seconds and end in off.
    Pulse {
        /// 1 to 60.
        secs: u8,
    },
    /// To go back to automatic control.
    Release,
}

impl SentOrder {
    /// The action's name.
    #[must_use]
    pub const fn action(self) -> &'static str {
        match self {
            Self::Set(s) => s.action(),
            Self::Pulse { .. } => "pulse",
            Self::Release => "release",
        }
    }

    /// The setting's value, or a pulse's seconds.
    #[must_use]
    pub fn value(self) -> Option<Quantity> {
        match self {
            Self::Set(s) => s.value(),
            Self::Pulse { secs } => Some(Quantity::from_units(secs.into())),
            Self::Release => None,
        }
    }
}

/// An order that makes sense, not yet for a device of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    On,
    Set(Setting),
    Pulse { secs: u8 },
}

/// Why an order makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OrderError {
    #[error("{0:?} is none of on, off, set_speed, set_position, set_flow_rate, pulse")]
    UnknownAction(Arc<str>),
    #[error("{action} needs a value from {range}")]
    ValueMissing {
        action: &'static str,
        range: NumberRange,
    },
    #[error("{value} is outside {range}")]
    OutOfRange { value: Quantity, range: NumberRange },
    #[error("a pulse lasts whole seconds, {0} is none")]
    NotWhole(Quantity),
}

impl OrderError {
    pub(crate) const fn field(&self) -> &'static str {
        match self {
            Self::UnknownAction(_) => "action",
            Self::ValueMissing { .. } | Self::OutOfRange { .. } | Self::NotWhole(_) => "value",
        }
    }

    /// As what is wrong with a document there.
    pub(crate) fn at(&self, path: String) -> Problem {
        let (code, range) = match self {
            Self::UnknownAction(_) => ("unknown_word", None),
            Self::ValueMissing { range, .. } => ("required", Some(*range)),
            Self::OutOfRange { range, .. } => ("out_of_range", Some(*range)),
            Self::NotWhole(_) => ("not_whole", None),
        };
        Problem {
            path,
            code,
            message: self.to_string(),
            range,
        }
    }
}

impl Order {
    pub(crate) fn compile(spec: &OrderSpec) -> Result<Self, OrderError> {
        Self::parse(&spec.action, spec.value)
    }

    pub(crate) fn parse(action: &str, value: Option<Quantity>) -> Result<Self, OrderError> {
        let percent = |action| in_range(action, value, NumberRange::of_units(0, 100));
        match action {
            "on" => Ok(Self::On),
            "off" => Ok(Self::Set(Setting::Off)),
            "set_speed" => percent("set_speed").map(|v| Self::Set(Setting::Speed(v))),
            "set_position" => percent("set_position").map(|v| Self::Set(Setting::Position(v))),
            "set_flow_rate" => {
                let range =
                    NumberRange::new(Quantity::from_micro(100_000), Quantity::from_units(10));
                in_range("set_flow_rate", value, range).map(|v| Self::Set(Setting::FlowRate(v)))
            }
            "pulse" => {
                let v = in_range("pulse", value, NumberRange::of_units(1, 60))?;
                let secs = v
                    .as_units()
                    .and_then(|s| u8::try_from(s).ok())
                    .ok_or(OrderError::NotWhole(v))?;
                Ok(Self::Pulse { secs })
            }
            other => Err(OrderError::UnknownAction(other.into())),
        }
    }

    /// The setting for a device of that type; a pulse is none.
    pub(crate) fn setting_for(self, device_type: DeviceType) -> Option<Setting> {
        match self {
            Self::On => {
                let full = matches!(device_type, DeviceType::Fan | DeviceType::Pump);
                Some(Setting::On {
                    value: full.then_some(Quantity::from_units(100)),
                })
            }
            Self::Set(s) => Some(s),
            Self::Pulse { .. } => None,
        }
    }
}

fn in_range(
    action: &'static str,
    value: Option<Quantity>,
    range: NumberRange,
) -> Result<Quantity, OrderError> {
    match value {
        None => Err(OrderError::ValueMissing { action, range }),
        Some(value) if value < range.min || value > range.max => {
            Err(OrderError::OutOfRange { value, range })
        }
        Some(value) => Ok(value),
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(v) => write!(f, "{} {v}", self.action()),
            None => f.write_str(self.action()),
        }
    }
}
