//! The life of a command, as it is stored and shown.

use harit_engine::{Command, DeviceId, FarmId, Owner, Quantity, Timestamp};
use serde::{Deserialize, Serialize};

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandState {
    /// Decided, and not yet taken by the transport.
    Queued,
    /// Published to the controller.
    Sent,
    /// The controller accepted it.
    Acked,
    /// The reported state matches it.
    Confirmed,
    /// The controller refused it.
    Failed,
    /// No ack came in time.
    TimedOut,
    /// A newer command for the device went out first.
    Superseded,
}

impl CommandState {
    /// All states.
    pub const ALL: [Self; 7] = [
        Self::Queued,
        Self::Sent,
        Self::Acked,
        Self::Confirmed,
        Self::Failed,
        Self::TimedOut,
        Self::Superseded,
    ];

    /// The word for it on the wire and in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Acked => "acked",
            Self::Confirmed => "confirmed",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Superseded => "superseded",
        }
    }

    /// The state of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == word)
    }

    /// Whether the controller's answer is still awaited.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Sent)
    }
}

/// A command and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandLife {
    /// Its farm.
    pub farm: FarmId,
    /// Its id, unique in the farm for ever.
    pub command_id: String,
    /// The device, by its id in the farm.
    pub device: DeviceId,
    /// on, off, set_speed, set_position, set_flow_rate, pulse or release.
    pub action: String,
    /// The setting's value, or a pulse's seconds.
    pub value: Option<Quantity>,
    /// A rule's id, or rest, manual, lock, safety, max_on.
    pub cause: String,
    /// The person behind it.
    pub owner: Option<Owner>,
    /// When the engine decided it.
    pub at: Timestamp,
    /// Until when the manual mode lasts that it belongs to.
    pub until: Option<Timestamp>,
    /// Where it stands.
    pub state: CommandState,
    /// Since when.
    pub changed_at: Timestamp,
    /// How often it was published.
    pub attempts: u32,
    /// What the controller said, or why it was given up.
    pub message: Option<String>,
}

impl CommandLife {
    /// The beginning of a life.
    pub(crate) fn new(farm: FarmId, at: Timestamp, command: &Command) -> Self {
        Self {
            farm,
            command_id: command.id().to_string(),
            device: command.device().clone(),
            action: command.order().action().to_owned(),
            value: command.order().value(),
            cause: command.cause().as_str().to_owned(),
            owner: command.owner().map(|o| Owner::clone(o)),
            at,
            until: command.until(),
            state: CommandState::Queued,
            changed_at: at,
            attempts: 0,
            message: None,
        }
    }
}
