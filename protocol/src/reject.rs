//! Why payloads are refused.

/// Why a payload, or one entry of it, was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reject {
    /// The topic is none of the protocol's, or not the sender's own.
    Topic,
    /// The topic is not one on which controllers publish.
    NotForControllers,
    /// No such farm, or no such controller in it.
    UnknownController,
    /// The controller is disabled.
    Disabled,
    /// Longer than 256 KiB.
    TooLarge,
    /// More than 4,096 sensors in a message.
    TooManySensors,
    /// Deeper than 8 levels.
    TooDeep,
    /// Not the JSON that the protocol asks for.
    Malformed,
    /// A retained message where none may be.
    Retained,
    /// The unit is not the type's.
    Unit,
    /// Something that is no number where a number belongs.
    NotANumber,
    /// No such sensor type.
    UnknownType,
    /// No id and no type, or an id that is not usable.
    BadId,
    /// No id, and the controller has several sensors of the type.
    Ambiguous,
    /// The sensor or device is of another type.
    OtherType,
    /// The controller has too many sensors or devices.
    TooManyThings,
    /// The engine refused what was announced.
    Refused,
    /// A device entry that cannot be read.
    BadDevice,
    /// The transport refused it: not this account's topic.
    NotAllowed,
    /// The farm is not served until the next start, because its messages made the server fail.
    FarmFailed,
}

impl Reject {
    /// The word for it in the dead letter store and in metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::NotForControllers => "not_for_controllers",
            Self::UnknownController => "unknown_controller",
            Self::Disabled => "disabled",
            Self::TooLarge => "too_large",
            Self::TooManySensors => "too_many_sensors",
            Self::TooDeep => "too_deep",
            Self::Malformed => "malformed",
            Self::Retained => "retained",
            Self::Unit => "unit",
            Self::NotANumber => "not_a_number",
            Self::UnknownType => "unknown_type",
            Self::BadId => "bad_id",
            Self::Ambiguous => "ambiguous",
            Self::OtherType => "other_type",
            Self::TooManyThings => "too_many_things",
            Self::Refused => "refused",
            Self::BadDevice => "bad_device",
            Self::NotAllowed => "not_allowed",
            Self::FarmFailed => "farm_failed",
        }
    }
}
