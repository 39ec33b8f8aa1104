//! The automation log: what happened in a farm, an entry a happening, as people look back at it.
//!
//! Three things tell of what happens: the engine's events, the lives of commands, and what people did elsewhere (the api's
//! audit log). They are joined when they are written, not when they are read: an entry is made once, from one input and what
//! the engine said to it ([`collect`]), together with the commands that it led to; later states of those commands change the
//! entry's result. So a page and its exact count are two questions to one table ([`page`], [`store`]), however long ago the page is.
//!
//! Exactly once: an entry from the journal is written in the transaction that stores the journal's position, and one from
//! elsewhere in the transaction that stores how far its source was read. `docs/decisions/0005-automation-log.md` has the why.

mod collect;
pub(crate) mod page;
mod sparing;
pub(crate) mod store;

use harit_engine::{Quantity, ScopeSpec, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) use collect::{Before, collect, controller};
pub(crate) use sparing::Sparing;

use harit_farm::CommandState;

/// The most entries of one page.
pub const MAX_PAGE: usize = 200;

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word for it on the wire and in the store.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The one of that word.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|w| w.as_str() == word)
            }
        }
    )+};
}

macro_rules! numbered {
    ($($name:ident),+) => {$(
        impl $name {
            /// Its number in the store's index.
            pub(crate) const fn number(self) -> i64 {
                self as i64
            }

            pub(crate) fn numbered(n: i64) -> Option<Self> {
                Self::ALL.iter().copied().find(|w| w.number() == n)
            }
        }
    )+};
}

numbered!(LogType, LogResult);

words! {
    /// What an entry is about, as people filter it. New ones go to the end: the store has their numbers.
    LogType {
        /// A person's command, obeyed or refused; the end of a manual mode.
        ManualCommand = "manual_command",
        /// A rule fired, was blocked or stopped, and what a rule had sent.
        RuleTrigger = "rule_trigger",
        /// A rule was made, changed, deployed, switched or deleted.
        RuleDeploy = "rule_deploy",
        /// Locks and safety mode, engaged and cleared.
        SafetyOverride = "safety_override",
        /// A controller or a device went or came.
        DeviceOffline = "device_offline",
        /// All the rest.
        Other = "other",
    }
    /// How it came out.
    LogResult {
        /// It was done.
        Success = "success",
        /// It was not.
        Failure = "failure",
        /// The controllers have not answered yet.
        Pending = "pending",
    }
    /// What the pipeline itself writes entries of.
    LogKind {
        /// A person set a device for a while.
        Override = "override",
        /// A person switched a device on for some seconds.
        Pulse = "pulse",
        /// A person gave a device back to the rules.
        Release = "release",
        /// A manual mode is over.
        ManualEnded = "manual_ended",
        /// A trigger held long enough and the rule runs.
        RuleFired = "rule_fired",
        /// A trigger held long enough, but the rule could not be started.
        RuleBlocked = "rule_blocked",
        /// A running rule ended.
        RuleStopped = "rule_stopped",
        /// A rule did not start by its schedule.
        StartSkipped = "start_skipped",
        /// A running rule's setting was sent later than it fired: after a delay, or because it has the device again.
        RuleCommand = "rule_command",
        /// A delayed action came due during an outage.
        ActionMissed = "action_missed",
        /// A rule's pulse was not sent.
        PulseSuppressed = "pulse_suppressed",
        /// What a rule, or its rest, wants of a device is held back by the device's limits.
        CommandHeld = "command_held",
        /// A device was switched off by its limits.
        LimitReached = "limit_reached",
        /// A device that nobody claims was set to its rest.
        RestCommand = "rest_command",
        /// A device was locked.
        Locked = "locked",
        /// A device was unlocked.
        Unlocked = "unlocked",
        /// A person stopped a device, or everything in a place.
        Stopped = "stopped",
        /// A device went into safety mode.
        SafetyOn = "safety_on",
        /// A device left safety mode.
        SafetyOff = "safety_off",
        /// A locked device, or one in safety mode, was set to what is safe.
        SafeCommand = "safe_command",
        /// A device that did not do what holds for it was told again.
        Corrected = "corrected",
        /// A device cannot be reached.
        DeviceOffline = "device_offline",
        /// A device can be reached again.
        DeviceOnline = "device_online",
        /// A controller cannot be reached, and with it its devices.
        ControllerOffline = "controller_offline",
        /// A controller can be reached again.
        ControllerOnline = "controller_online",
        /// The server works again after a time in which it did not.
        Resumed = "resumed",
        /// An alert was raised.
        AlertRaised = "alert_raised",
        /// An alert was resolved.
        AlertResolved = "alert_resolved",
        /// A sensor's last value is too old to count.
        SensorStale = "sensor_stale",
        /// Something that is written down elsewhere; `action` in the facts says what.
        Record = "record",
    }
}

/// Something with an id and the name that it had then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// Its name at the time.
    pub name: String,
}

impl Named {
    /// One without a name is called by its id.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Self {
        let (id, name) = (id.into(), name.into());
        let name = if name.is_empty() { id.clone() } else { name };
        Self { id, name }
    }
}

/// A command that followed from what an entry tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogOrder {
    /// Its id.
    pub command_id: String,
    /// The device.
    pub device: Named,
    /// on, off, set_speed, set_position, set_flow_rate, pulse or release.
    pub action: String,
    /// The setting's value, or a pulse's seconds.
    pub value: Option<Quantity>,
}

/// An entry, as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLogEntry {
    /// When it happened.
    pub at: Timestamp,
    /// What it is about.
    pub log_type: LogType,
    /// How it came out, as far as that is known; with orders, their answers decide.
    pub result: LogResult,
    /// What is told.
    pub body: LogBody,
    /// Further names by which a search for devices finds it.
    pub also: Vec<String>,
}

impl NewLogEntry {
    /// The names by which it is found: of its devices, a line each; of its rule; of its user.
    pub(crate) fn names(&self) -> (String, &str, &str) {
        let body = &self.body;
        let mut devices: Vec<&str> = body.device.iter().map(|d| d.name.as_str()).collect();
        let also = self.also.iter().map(String::as_str);
        for name in also.chain(body.orders.iter().map(|o| o.device.name.as_str())) {
            if !devices.contains(&name) {
                devices.push(name);
            }
        }
        let rule = body.rule.as_ref().map_or("", |r| &r.name);
        let user = body.user.as_ref().map_or("", |u| &u.name);
        (devices.join("\n"), rule, user)
    }

    /// How it came out before anything is known of its commands.
    pub(crate) const fn first_result(&self) -> LogResult {
        match self.body.orders.is_empty() {
            true => self.result,
            false => LogResult::Pending,
        }
    }
}

/// What an entry tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogBody {
    /// What happened.
    pub kind: LogKind,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<Named>,
    /// The rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Named>,
    /// The device, or the controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Named>,
    /// Where, with the names of then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeSpec>,
    /// The rest, by kind.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub facts: Map<String, Value>,
    /// The commands that followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<LogOrder>,
}

impl LogBody {
    /// One that tells nothing but its kind.
    #[must_use]
    pub fn new(kind: LogKind) -> Self {
        Self {
            kind,
            user: None,
            rule: None,
            device: None,
            scope: None,
            facts: Map::new(),
            orders: Vec::new(),
        }
    }

    /// Adds a fact, unless there is nothing to say.
    pub(crate) fn fact(&mut self, name: &str, value: impl Serialize) {
        match serde_json::to_value(value) {
            Ok(Value::Null) | Err(_) => {}
            Ok(value) => {
                self.facts.insert(name.to_owned(), value);
            }
        }
    }
}

/// What became of one of an entry's commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderState {
    /// Which.
    pub command_id: String,
    /// Where it stands; one that was acked and then replaced counts as acked.
    pub state: CommandState,
    /// What the controller said, or why it was given up.
    pub message: Option<String>,
}

/// An entry, as it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEntry {
    /// Its number.
    pub id: i64,
    /// When it happened.
    pub at: Timestamp,
    /// What it is about.
    pub log_type: LogType,
    /// How it came out.
    pub result: LogResult,
    /// What is told.
    pub body: LogBody,
    /// What became of its commands, as far as they were heard of.
    pub states: Vec<OrderState>,
}

/// Which entries, and which page of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// About this only.
    pub log_type: Option<LogType>,
    /// That came out so only.
    pub result: Option<LogResult>,
    /// Whose device or rule has this in its name, whatever the case.
    pub device: Option<String>,
    /// Where a device is asked for: the MACs of controllers whose names of now have it, since the log knows them by their MACs alone.
    pub controllers: Vec<String>,
    /// Whose user has this in their name, whatever the case.
    pub user: Option<String>,
    /// At or after this instant.
    pub from: Option<Timestamp>,
    /// At or before this instant.
    pub to: Option<Timestamp>,
    /// How many to skip, newest first.
    pub skip: u64,
    /// How many to give, at most [`MAX_PAGE`].
    pub take: usize,
}

/// A page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogPage {
    /// How many entries the farm has.
    pub total: u64,
    /// How many of them the filter finds.
    pub matching: u64,
    /// Those of the page, newest first.
    pub entries: Vec<LogEntry>,
    /// Whether the latest may be missing, because the history cannot be written at present.
    pub incomplete: bool,
}
