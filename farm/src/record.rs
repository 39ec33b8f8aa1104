//! The records of a farm's log.

use harit_engine::{Input, Measured, ScopeSpec, Timestamp};
use harit_protocol::{CommandAck, Mac, MessageNumber, Report};

use crate::key::Key;

/// Something that happened, as the log has it.
#[derive(Debug)]
pub enum Record<'a> {
    /// A controller belongs to the farm and stands there: what it registers from now on gets this place.
    Controller {
        /// The controller.
        mac: Mac,
        /// Where it stands.
        scope: &'a ScopeSpec,
    },
    /// A message of a controller with values of its sensors.
    Telemetry(Telemetry<'a>),
    /// A controller said what it is and has.
    Report {
        /// The controller.
        mac: Mac,
        /// What it said.
        report: &'a Report,
    },
    /// The last connection of a controller is lost, or nothing was heard of it since a start.
    Gone {
        /// The controller.
        mac: Mac,
    },
    /// A controller answered a command.
    Ack {
        /// The controller.
        mac: Mac,
        /// Its answer.
        ack: &'a CommandAck,
    },
    /// The latest attempts to publish these commands failed.
    Unsent {
        /// Their numbers.
        commands: &'a [u64],
    },
    /// Messages can be published again.
    WayOut,
    /// An input of the engine: time, people, rules, what is registered. It is at the record's instant.
    Input(&'a Input),
    /// The same of somebody who is named: where the engine takes it, the farm keeps the entry; see
    /// [`crate::AuthoredEntry`].
    Authored {
        /// The input.
        input: &'a Input,
        /// The entry.
        entry: &'a str,
    },
}

/// Values of a controller's sensors at one instant.
#[derive(Debug, Clone, Copy)]
pub struct Telemetry<'a> {
    /// The controller.
    pub mac: Mac,
    /// When the values were true.
    pub at: Timestamp,
    /// Whether that is so long ago that they are for the history only.
    pub backlog: bool,
    /// By what a repetition of the message is known.
    pub number: Option<MessageNumber>,
    /// The keys of the controller's entries, of this message and others.
    pub keys: &'a [Key<'a>],
    /// The values, each with the place of its key.
    pub items: &'a [(u32, Measured)],
}
