//! What can be commanded, by type: one table, from which the names, limits and what else depends on a type follow.

use serde::{Deserialize, Serialize};

use crate::time::Duration;

/// Makes the types and what is asked of them from the table's rows: the name, the longest time on and the longest pulses of an hour,
/// where there is one.
macro_rules! device_types {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $max_on:expr, $max_pulse:expr;)*) => {
        /// What kind of device it is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum DeviceType {
            $($(#[$doc])* $variant,)*
        }

        pub(crate) const DEVICE_TYPES: [(&str, DeviceType); [$($name),*].len()] =
            [$(($name, DeviceType::$variant)),*];

        impl DeviceType {
            /// All types, in the order in which they are listed to people.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The type of that name.
            #[must_use]
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            /// The name in documents and on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The longest that it may stay on, unless the device says otherwise.
            #[must_use]
            pub const fn default_max_on(self) -> Option<Duration> {
                match self { $(Self::$variant => $max_on,)* }
            }

            /// The most seconds of pulses in an hour, unless the device says otherwise.
            #[must_use]
            pub const fn default_max_pulse(self) -> Option<Duration> {
                match self { $(Self::$variant => $max_pulse,)* }
            }
        }
    };
}

const fn sec(count: i64) -> Option<Duration> {
    Some(Duration::from_secs(count))
}

device_types! {
    /// Moves air.
    Fan, "fan", None, None;
    /// Opens to the outside.
    Vent, "vent", None, None;
    /// Moves water.
    Pump, "pump", sec(3_600), None;
    /// Lets water through.
    Valve, "valve", sec(1_800), None;
    /// Doses nutrients, acid or base.
    DosingPump, "dosing_pump", sec(60), sec(300);
    /// Makes fog.
    Fogger, "fogger", sec(900), None;
    /// Heats air. A winter's night is long: it has no longest time on by itself.
    Heater, "heater", None, None;
    /// Lights the crop.
    Light, "light", None, None;
    /// Draws a net or a screen over the crop.
    Shade, "shade", None, None;
    /// Opens a side.
    Curtain, "curtain", None, None;
    /// Stirs a tank.
    MixingPump, "mixing_pump", sec(3_600), None;
    /// Calls people.
    Siren, "siren", sec(600), None;
    /// Only measures.
    Sensor, "sensor", None, None;
}

impl DeviceType {
    /// Whether its value is how far it is open.
    #[must_use]
    pub const fn opens(self) -> bool {
        matches!(self, Self::Vent | Self::Valve | Self::Shade | Self::Curtain)
    }

    /// Whether water comes out of it, or is moved by it from where it is.
    #[must_use]
    pub const fn moves_water(self) -> bool {
        matches!(
            self,
            Self::Pump | Self::Valve | Self::DosingPump | Self::Fogger
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_reads_as_it_is_written() {
        for of in DeviceType::ALL {
            assert_eq!(DeviceType::parse(of.as_str()), Some(of));
            let json = serde_json::to_string(&of).unwrap();
            assert_eq!(json, format!("\"{}\"", of.as_str()));
            assert_eq!(serde_json::from_str::<DeviceType>(&json).unwrap(), of);
        }
        assert_eq!(DeviceType::parse("relay"), None);
    }

    #[test]
    fn what_floods_or_frightens_has_a_longest_time_on() {
        for of in DeviceType::ALL {
            let bound =
                of.moves_water() || matches!(of, DeviceType::MixingPump | DeviceType::Siren);
            assert_eq!(of.default_max_on().is_some(), bound, "{of:?}");
        }
    }
}
