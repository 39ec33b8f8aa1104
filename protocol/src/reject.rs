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
    /// No profile has the topic.
    NoProfile,
    /// A profile has the topic, and none of the message's numbers.
    NothingRead,
    /// A metric has an alias that no birth message has told.
    UnknownAlias,
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
    /// A device that would go on at the end of a lease, of a kind that has to go off.
    UnsafeLeaseEnd,
    /// The transport refused it: not this account's topic.
    NotAllowed,
    /// A last will to a topic that is not this account's: the connection was taken, the will is passed over.
    ForeignWill,
    /// A subscription beyond this account's topics, or to what is no filter here.
    ForeignFilter,
    /// No user name where one connects.
    NoCredentials,
    /// An unknown user name, or not its password.
    BadCredentials,
    /// A certificate that is not taken, that names no controller, or another one than the user name.
    Certificate,
    /// Connects, fails to, or sends what is refused, more often than one may.
    TooManyConnects,
    /// More connections or sessions than one account or address may have.
    TooManySessions,
    /// A client id that is too long, or none where one is needed.
    ClientId,
    /// The first bytes of a connection are no CONNECT of MQTT 3.1.1 or 5.
    NoMqtt,
    /// The server could not check who it was, or an older connection did not let go.
    Unavailable,
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
            Self::NoProfile => "no_profile",
            Self::NothingRead => "nothing_read",
            Self::UnknownAlias => "unknown_alias",
            Self::UnknownType => "unknown_type",
            Self::BadId => "bad_id",
            Self::Ambiguous => "ambiguous",
            Self::OtherType => "other_type",
            Self::TooManyThings => "too_many_things",
            Self::Refused => "refused",
            Self::BadDevice => "bad_device",
            Self::UnsafeLeaseEnd => "unsafe_lease_end",
            Self::NotAllowed => "not_allowed",
            Self::ForeignWill => "foreign_will",
            Self::ForeignFilter => "foreign_filter",
            Self::NoCredentials => "no_credentials",
            Self::BadCredentials => "bad_credentials",
            Self::Certificate => "certificate",
            Self::TooManyConnects => "too_many_connects",
            Self::TooManySessions => "too_many_sessions",
            Self::ClientId => "client_id",
            Self::NoMqtt => "no_mqtt",
            Self::Unavailable => "unavailable",
            Self::FarmFailed => "farm_failed",
        }
    }
}
