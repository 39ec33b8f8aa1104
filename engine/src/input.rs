//! What the engine is told: everything that may change what a device does is an input.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::almanac::AlmanacDay;
use crate::document::{
    AlertSpec, DeviceSpec, FarmSettings, PolyhouseSpec, RuleSpec, ScopeSpec, SensorSpec,
};
use crate::id::{AlertId, DeviceId, PolyhouseId, RuleId, SensorId};
use crate::lock::{Lock, Owner};
use crate::quantity::{Measured, Quantity};
use crate::time::Timestamp;

/// One entry of a farm's input log.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The instant; for a reading, its own timestamp. Before the farm's clock it is applied at the clock.
    pub at: Timestamp,
    /// What happened.
    pub kind: InputKind,
}

/// The kinds of input.
#[derive(Debug, Clone, PartialEq)]
pub enum InputKind {
    /// A sensor's value at the input's instant.
    Reading {
        /// The sensor; one that is not registered is counted and dropped.
        sensor: SensorId,
        /// What it reported.
        value: Measured,
    },
    /// Time passes.
    Tick,
    /// The engine was down from its clock until now.
    Resumed,
    /// A person's command.
    Manual(Box<Manual>),
    /// A person stops what may hurt somebody.
    Stop(Box<Stop>),
    /// What a device reports of itself, or a person's lock and safety switches.
    Status {
        /// The device.
        device: DeviceId,
        /// What is new.
        status: Status,
    },
    /// A device that can be reached does not do what holds for it: it is sent again. What controls the farm's devices makes
    /// it of their reports.
    Correct(DeviceId),
    /// A rule is saved, whole.
    RulePut(Box<RuleSpec>),
    /// A rule is deleted.
    RuleDelete(RuleId),
    /// An alert rule is saved, whole.
    AlertPut(Box<AlertSpec>),
    /// An alert rule is deleted.
    AlertDelete(AlertId),
    /// Places, sensors, devices or settings change; all of them together, or none.
    Registry(Vec<RegistryChange>),
    /// Local days: what the clock shows, and when the sun rises and sets.
    Almanac(Vec<AlmanacDay>),
}

/// A person's command as it was asked for; the engine refuses what makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manual {
    /// The device.
    pub device: DeviceId,
    /// What is asked.
    pub kind: ManualKind,
    /// The action's name, of an override.
    pub action: Option<Arc<str>>,
    /// The action's value, or a pulse's seconds.
    pub value: Option<Quantity>,
    /// How long an override lasts, in seconds.
    pub duration_sec: Option<i64>,
    /// Whether the person may command a device in safety mode.
    pub admin: bool,
    /// Who asked, and why: told to the controller, no part in any decision.
    pub owner: Option<Arc<Owner>>,
}

/// The kinds of manual command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ManualKind {
    /// Keep a setting for a while, whatever the rules want.
    Override,
    /// On for some seconds.
    Pulse,
    /// Back to the rules.
    Release,
}

/// Everything in a place is off, and locked by the person who says so until it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// What is stopped.
    pub scope: StopScope,
    /// Who stops it, and why.
    pub owner: Arc<Owner>,
}

/// What a stop reaches: the devices that are there when it comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopScope {
    /// One device.
    Device(DeviceId),
    /// Every device in a place and in what lies in it.
    Place(ScopeSpec),
}

/// What changes of a device's status; `None` leaves it as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// Whether its controller can be reached.
    pub online: Option<bool>,
    /// Its locks.
    pub lock: Option<Lock>,
    /// Whether it is in safety mode.
    pub safety: Option<bool>,
    /// Whether it is reported to be on; none where nobody knows.
    pub running: Option<Option<bool>>,
    /// Who says so, where it is a person, and why: for people, no part in any decision.
    pub owner: Option<Arc<Owner>>,
}

/// One change of what is registered in a farm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegistryChange {
    /// A polyhouse with all its zones is new, or replaces the one of its id.
    PutPolyhouse(PolyhouseSpec),
    /// A polyhouse goes; nothing may lie in it any more.
    DeletePolyhouse(PolyhouseId),
    /// A sensor is new, or replaces the one of its id.
    PutSensor(SensorSpec),
    /// A sensor goes.
    DeleteSensor(SensorId),
    /// A device is new, or replaces the one of its id (its status and claims stay).
    PutDevice(Box<DeviceSpec>),
    /// A device goes; no rule may name it any more.
    DeleteDevice(DeviceId),
    /// The farm's settings.
    Settings(FarmSettings),
}
