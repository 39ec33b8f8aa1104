//! Which commands to list.

use harit_engine::{DeviceId, Timestamp};
use harit_farm::CommandState;

/// Which commands to list, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandFilter {
    /// Of this device only.
    pub device: Option<DeviceId>,
    /// In this state only.
    pub state: Option<CommandState>,
    /// Decided at or after this instant.
    pub from: Option<Timestamp>,
    /// Decided before this instant.
    pub to: Option<Timestamp>,
    /// At most so many; 0 means [`MAX_LISTED`].
    pub limit: usize,
}

/// The most commands (or events) that one question gets.
pub const MAX_LISTED: usize = 1_000;
