//! A record of a farm's log on its way through a batch.

use std::time::Instant;

use harit_engine::{Event, Input, ScopeSpec, Timestamp};
use harit_farm::{CommandAck, MessageNumber};
use harit_protocol::{Mac, Report};
use tokio::sync::oneshot;

use crate::admit::AdmitError;

/// A record of a farm's log that is applied once the batch is durable.
pub(super) enum Step {
    /// A controller's message; its items, its publish and the receipt of that stand in the batch.
    Telemetry {
        farm: u32,
        sender: u32,
        at: Timestamp,
        backlog: bool,
        number: Option<MessageNumber>,
        from: usize,
        to: usize,
        publish: usize,
        receipt: usize,
        arrived: Instant,
    },
    Report {
        farm: u32,
        mac: Mac,
        report: Box<Report>,
        publish: usize,
        arrived: Instant,
    },
    Controller {
        farm: u32,
        mac: Mac,
        scope: ScopeSpec,
    },
    Gone {
        farm: u32,
        mac: Mac,
    },
    Ack {
        farm: u32,
        mac: Mac,
        ack: CommandAck,
    },
    Unsent {
        farm: u32,
        commands: Vec<u64>,
    },
    WayOut {
        farm: u32,
    },
    Input {
        farm: u32,
        input: Input,
        /// Whose it is, as an entry for the audit log.
        entry: Option<Box<str>>,
        reply: Option<oneshot::Sender<Result<Vec<Event>, AdmitError>>>,
        arrived: Instant,
    },
    Added {
        reply: oneshot::Sender<Result<(), AdmitError>>,
    },
}

impl Step {
    /// Of which farm it is a record.
    pub(super) const fn farm(&self) -> Option<u32> {
        match self {
            Self::Telemetry { farm, .. }
            | Self::Report { farm, .. }
            | Self::Controller { farm, .. }
            | Self::Gone { farm, .. }
            | Self::Ack { farm, .. }
            | Self::Unsent { farm, .. }
            | Self::WayOut { farm }
            | Self::Input { farm, .. } => Some(*farm),
            Self::Added { .. } => None,
        }
    }
}
