//! What follows from a record, told while it is applied.

use harit_engine::{
    Command, DeviceId, Engine, Event, Input, Measured, Problems, Quantity, ReadingOutcome,
    Timestamp,
};
use harit_protocol::command::CommandMessage;
use harit_protocol::{Mac, Reject};

use crate::command::CommandLife;
use crate::controllers::{Controllers, Sensor};

/// Hears what follows from each record, in order. Everything is optional: recovery of what the history has already hears
/// nothing.
pub trait Observer {
    /// The engine is about to apply an input.
    fn before(&mut self, engine: &Engine, input: &Input) {
        let _ = (engine, input);
    }

    /// The engine has applied an input or the readings of a message, or refused an input and changed nothing.
    fn applied(&mut self, applied: Applied<'_>) {
        let _ = applied;
    }

    /// A sensor, of that number among the farm's, said a value. It is told of readings for the history only too, and goes on
    /// where the farm has failed.
    fn reading(&mut self, number: u32, sensor: &Sensor, reading: Reading) {
        let _ = (number, sensor, reading);
    }

    /// What the engine made of a reading.
    fn outcome(&mut self, outcome: ReadingOutcome) {
        let _ = outcome;
    }

    /// Anything else.
    fn effect(&mut self, effect: Effect<'_>) {
        let _ = effect;
    }
}

/// Nobody listens.
impl Observer for () {}

/// Keeps the engine's events.
impl Observer for Vec<Event> {
    fn applied(&mut self, applied: Applied<'_>) {
        self.extend_from_slice(applied.events);
    }
}

/// What the engine was told, and what it said.
#[derive(Clone, Copy)]
pub struct Applied<'a> {
    /// The engine afterwards.
    pub engine: &'a Engine,
    /// The farm's controllers afterwards.
    pub controllers: &'a Controllers,
    /// The input, and whether it was refused; `None` are the readings of a message.
    pub input: Option<(&'a Input, &'a Result<(), Problems>)>,
    /// What it said.
    pub events: &'a [Event],
}

/// A value that a sensor said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// When it was true.
    pub at: Timestamp,
    /// The value.
    pub value: Measured,
    /// Whether it is for the history only.
    pub backlog: bool,
}

/// An effect beside what the engine says.
#[derive(Debug, Clone, Copy)]
pub enum Effect<'a> {
    /// A command is to be published to a controller. Where that fails, [`crate::Record::Unsent`] is to follow.
    Publish {
        /// The controller.
        mac: Mac,
        /// The command's number.
        command: u64,
        /// What is to be published.
        message: &'a CommandMessage,
    },
    /// The lease of a command is to be renewed.
    Renew {
        /// The controller.
        mac: Mac,
        /// The command.
        message: &'a CommandMessage,
        /// For how long, in seconds.
        lease_sec: i64,
    },
    /// The engine made a command for a device.
    Commanded(&'a Command),
    /// A command has a new state.
    Command(&'a CommandLife),
    /// A controller reported what a device does: on and its value; none while it cannot be asked.
    Reported {
        /// The device.
        device: &'a DeviceId,
        /// What it does.
        state: Option<(bool, Option<Quantity>)>,
    },
    /// A controller came or went.
    Presence {
        /// The controller.
        mac: Mac,
        /// Whether it can be reached.
        online: bool,
    },
    /// An entry, or a whole message, was refused.
    Refused(Reject),
    /// A message was here before.
    Repeated,
    /// What became of an ack.
    Ack(AckOutcome),
}

/// What became of an ack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AckOutcome {
    /// It was awaited.
    Taken,
    /// Its command is over already, or it is a repetition.
    Late,
    /// The farm never sent that controller such a command.
    Foreign,
}

impl AckOutcome {
    /// The word for it in metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Late => "late",
            Self::Foreign => "foreign",
        }
    }
}
