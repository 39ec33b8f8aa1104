//! Commands: what is sent to a device, with its cause, and where they go.

use std::sync::Arc;

use super::limits::Around;
use crate::almanac::Almanac;
use crate::event::{Event, EventKind};
use crate::id::{CommandId, DeviceId, FarmId, RuleId};
use crate::lock::{MAX_ON, Owner};
use crate::setting::SentOrder;
use crate::time::Timestamp;

/// An order to a device, with its cause. Only the engine makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub(super) id: CommandId,
    pub(super) device: DeviceId,
    pub(super) order: SentOrder,
    pub(super) cause: Cause,
    pub(super) owner: Option<Arc<Owner>>,
    pub(super) until: Option<Timestamp>,
}

impl Command {
    /// Its id: the same log yields the same ids.
    #[must_use]
    pub const fn id(&self) -> &CommandId {
        &self.id
    }

    /// The device it is for.
    #[must_use]
    pub const fn device(&self) -> &DeviceId {
        &self.device
    }

    /// What the device is to do.
    #[must_use]
    pub const fn order(&self) -> SentOrder {
        self.order
    }

    /// Why.
    #[must_use]
    pub const fn cause(&self) -> &Cause {
        &self.cause
    }

    /// The person behind it, if its cause is a manual command or a stop and the person was named.
    #[must_use]
    pub const fn owner(&self) -> Option<&Arc<Owner>> {
        self.owner.as_ref()
    }

    /// Until when the manual mode lasts that it belongs to.
    #[must_use]
    pub const fn until(&self) -> Option<Timestamp> {
        self.until
    }
}

/// Why a command was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// A rule wants it.
    Rule(RuleId),
    /// Nobody claims the device.
    Rest,
    /// A person wants it.
    Manual,
    /// The device is locked.
    Lock,
    /// The device is in safety mode.
    Safety,
    /// The device was on for too long.
    MaxOn,
    /// It must not run on, or may not start: its limits.
    Limit,
    /// A person stopped the device.
    Stop,
    /// The device did not do what holds for it: it is told again.
    Corrected,
}

impl Cause {
    /// The word for it in events: the rule's id, or rest, manual, lock, safety, max_on, limit, stop, corrected.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Rule(id) => id.as_str(),
            Self::Rest => "rest",
            Self::Manual => "manual",
            Self::Lock => "lock",
            Self::Safety => "safety",
            Self::MaxOn => MAX_ON,
            Self::Limit => "limit",
            Self::Stop => "stop",
            Self::Corrected => "corrected",
        }
    }
}

/// Where commands and events of the present instant go.
pub(crate) struct Outbox<'a> {
    pub(crate) now: Timestamp,
    pub(crate) farm: &'a FarmId,
    /// The farm's count of commands.
    pub(crate) commands: &'a mut u64,
    pub(crate) events: &'a mut Vec<Event>,
    pub(crate) almanac: &'a Almanac,
    /// What the device's limits ask of others.
    pub(crate) around: Around,
}

impl Outbox<'_> {
    pub(crate) fn emit(&mut self, kind: EventKind) {
        self.events.push(Event { at: self.now, kind });
    }
}
