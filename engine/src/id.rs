//! Identifiers. Each kind is its own type, so that a rule's id never stands where a device's is meant. One of up to 23 bytes
//! is kept in place, so that it is copied without an allocation; longer ones are shared.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// The longest identifier, in bytes.
pub const MAX_ID_BYTES: usize = 128;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(SmolStr);

        impl $name {
            /// Takes the text as it is; documents are checked where they are read.
            #[must_use]
            pub fn new(text: impl Into<SmolStr>) -> Self {
                Self(text.into())
            }

            /// The identifier's text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    )+};
}

id! {
    /// A farm.
    FarmId;
    /// A polyhouse in a farm.
    PolyhouseId;
    /// A zone in a polyhouse.
    ZoneId;
    /// A source of readings.
    SensorId;
    /// What can be commanded.
    DeviceId;
    /// Devices of which so many run at a time.
    GroupId;
    /// A named target.
    SetpointId;
    /// An automation rule.
    RuleId;
    /// An alert rule.
    AlertId;
}

/// A command's identity, `{farm}-{n}`: the same log yields the same ids, so a controller can ignore one that it has done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandId {
    /// The farm that sent it.
    pub farm: FarmId,
    /// The farm's count of commands, from 1.
    pub n: u64,
}

impl fmt::Display for CommandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.farm, self.n)
    }
}
