//! What the engine says: decisions, and what became of them. One flat JSON object an event.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::device::{Cause, Command};
use crate::id::{AlertId, DeviceId, RuleId, SensorId};
use crate::time::Timestamp;

/// Something that happened in a farm at an instant of its clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The instant: a timer's deadline, or that of the input.
    pub at: Timestamp,
    /// What happened.
    pub kind: EventKind,
}

/// The kinds of event, with what each is about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each field is the thing that its type names")]
pub enum EventKind {
    /// A trigger's hold completed and the rule is running.
    RuleFired { rule: RuleId },
    /// A trigger's hold completed, but the rule could not be started.
    RuleBlocked { rule: RuleId, reason: BlockReason },
    /// A running rule ended.
    RuleStopped { rule: RuleId, reason: StopReason },
    /// A rule did not start by its schedule: at this instant, or where it was missed at that and so many in all.
    StartSkipped {
        rule: RuleId,
        reason: SkipReason,
        start: Timestamp,
        count: Option<u32>,
    },
    /// A delayed action came due during an outage and is not made up for.
    ActionMissed { rule: RuleId, device: DeviceId },
    /// A setting, pulse or release is to be sent to a device.
    Command(Command),
    /// A rule's pulse was not sent.
    CommandSuppressed {
        device: DeviceId,
        rule: RuleId,
        reason: SuppressReason,
    },
    /// A person's command was not obeyed.
    CommandRefused {
        device: DeviceId,
        reason: RefuseReason,
    },
    /// A device is not sent what its rules or its rest want, because of its limits.
    CommandHeld {
        device: DeviceId,
        reason: LimitReason,
        cause: Cause,
    },
    /// A device must not run on, because of its limits.
    LimitReached {
        device: DeviceId,
        reason: LimitReason,
    },
    /// A device left manual mode.
    ManualEnded { device: DeviceId },
    /// The engine locked a device.
    DeviceLocked { device: DeviceId, reason: Arc<str> },
    /// An alert became active.
    AlertRaised { alert: AlertId },
    /// An active alert is to be told to its subscribers.
    AlertNotified { alert: AlertId, no_data: bool },
    /// An alert is no longer active.
    AlertResolved {
        alert: AlertId,
        reason: ResolveReason,
    },
    /// A sensor's last value is too old to count.
    SensorExpired { sensor: SensorId },
}

macro_rules! reason {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant,)+ }

        impl $name {
            /// The word for it in events.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    )+};
}

reason! {
    /// Why a rule whose trigger held was not started.
    BlockReason {
        /// What is to be stopped already is not started.
        StopCondition = "stop_condition",
        /// It could not be stopped: its end condition is unknown.
        SignalLost = "signal_lost",
    }
    /// Why a running rule ended.
    StopReason {
        /// Its stop condition held.
        StopCondition = "stop_condition",
        /// It has no stop condition, and its trigger was false for long enough.
        TriggerCleared = "trigger_cleared",
        /// Its end condition became, or stayed, unknown.
        SignalLost = "signal_lost",
        /// It ran for as long as it may.
        RunEnded = "run_ended",
        /// It was edited, deactivated or deleted.
        Deactivated = "deactivated",
    }
    /// Why a rule did not start by its schedule.
    SkipReason {
        /// It was running.
        Running = "running",
        /// Its guard was false.
        Guard = "guard",
        /// Its guard was unknown.
        Unknown = "unknown",
        /// The engine was down, and it was too late afterwards.
        Missed = "missed",
    }
    /// Which limit of a machine holds something back.
    LimitReason {
        /// It stays on for a least time.
        MinOn = "min_on",
        /// What it carries runs.
        Needed = "needed",
        /// It stays off for a least time.
        MinOff = "min_off",
        /// It started as often within an hour as it may.
        Starts = "starts",
        /// As many devices of its group run as may.
        Group = "group",
        /// Nothing carries it.
        Needs = "needs",
        /// Its budget of the day is used up.
        Budget = "budget",
        /// Its hours do not allow it.
        Hours = "hours",
    }
    /// Why an alert is no longer active: for people, and no part of the event as it is written.
    ResolveReason {
        /// Its condition was false for long enough.
        Cleared = "cleared",
        /// It was saved as something else.
        Changed = "changed",
        /// It was switched off.
        Disabled = "disabled",
        /// It was deleted.
        Deleted = "deleted",
        /// Its conditions resolve to other sensors.
        Registry = "registry",
    }
    /// Why a rule's pulse was not sent; the first that applies.
    SuppressReason {
        /// The device is offline.
        Offline = "offline",
        /// The device is locked.
        Locked = "locked",
        /// The device is in safety mode.
        Safety = "safety",
        /// A person has the device.
        Manual = "manual",
        /// A stronger rule has the device.
        Outranked = "outranked",
        /// The device is meant to be on anyway.
        On = "on",
        /// The seconds of pulses in an hour are used up.
        MaxOn = "max_on",
        /// It stays off for a least time.
        MinOff = "min_off",
        /// It started as often within an hour as it may.
        Starts = "starts",
        /// As many devices of its group run as may.
        Group = "group",
        /// Nothing carries it.
        Needs = "needs",
        /// Its budget of the day is used up.
        Budget = "budget",
        /// Its hours do not allow it.
        Hours = "hours",
    }
    /// Why a person's command was not obeyed; the first that applies.
    RefuseReason {
        /// The command makes no sense.
        Invalid = "invalid",
        /// The device is offline.
        Offline = "offline",
        /// The device is locked.
        Locked = "locked",
        /// The device is in safety mode and the user is no admin.
        Safety = "safety",
        /// The seconds of pulses in an hour are used up.
        MaxOn = "max_on",
        /// It stays off for a least time.
        MinOff = "min_off",
        /// It started as often within an hour as it may.
        Starts = "starts",
        /// As many devices of its group run as may.
        Group = "group",
        /// Nothing carries it.
        Needs = "needs",
        /// Its budget of the day is used up.
        Budget = "budget",
        /// Its hours do not allow it.
        Hours = "hours",
    }
}

/// Limits that hold back a start, among the reasons of what asks for one.
macro_rules! of_limit {
    ($($reason:ident)+) => {$(
        impl From<LimitReason> for $reason {
            fn from(reason: LimitReason) -> Self {
                match reason {
                    LimitReason::MinOff => Self::MinOff,
                    LimitReason::Starts => Self::Starts,
                    LimitReason::Group => Self::Group,
                    LimitReason::Needs => Self::Needs,
                    LimitReason::Hours => Self::Hours,
                    // The others hold back no start.
                    LimitReason::Budget | LimitReason::MinOn | LimitReason::Needed => Self::Budget,
                }
            }
        }
    )+};
}
of_limit!(SuppressReason RefuseReason);

impl EventKind {
    /// The event's name in files and on the wire.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::RuleFired { .. } => "rule_fired",
            Self::RuleBlocked { .. } => "rule_blocked",
            Self::RuleStopped { .. } => "rule_stopped",
            Self::StartSkipped { .. } => "start_skipped",
            Self::ActionMissed { .. } => "action_missed",
            Self::Command(_) => "command",
            Self::CommandSuppressed { .. } => "command_suppressed",
            Self::CommandRefused { .. } => "command_refused",
            Self::CommandHeld { .. } => "command_held",
            Self::LimitReached { .. } => "limit_reached",
            Self::ManualEnded { .. } => "manual_ended",
            Self::DeviceLocked { .. } => "device_locked",
            Self::AlertRaised { .. } => "alert_raised",
            Self::AlertNotified { .. } => "alert_notified",
            Self::AlertResolved { .. } => "alert_resolved",
            Self::SensorExpired { .. } => "sensor_expired",
        }
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("at", &self.at)?;
        m.serialize_entry("event", self.kind.name())?;
        match &self.kind {
            EventKind::RuleFired { rule } => m.serialize_entry("rule", rule)?,
            EventKind::RuleBlocked { rule, reason } => {
                m.serialize_entry("rule", rule)?;
                m.serialize_entry("reason", reason.as_str())?;
            }
            EventKind::RuleStopped { rule, reason } => {
                m.serialize_entry("rule", rule)?;
                m.serialize_entry("reason", reason.as_str())?;
            }
            EventKind::StartSkipped {
                rule,
                reason,
                start,
                count,
            } => {
                m.serialize_entry("rule", rule)?;
                m.serialize_entry("reason", reason.as_str())?;
                m.serialize_entry("start", start)?;
                if let Some(count) = count {
                    m.serialize_entry("count", count)?;
                }
            }
            EventKind::ActionMissed { rule, device } => {
                m.serialize_entry("rule", rule)?;
                m.serialize_entry("device", device)?;
            }
            EventKind::Command(c) => {
                m.serialize_entry("command_id", &c.id().to_string())?;
                m.serialize_entry("device", c.device())?;
                m.serialize_entry("action", c.order().action())?;
                m.serialize_entry("value", &c.order().value())?;
                m.serialize_entry("cause", c.cause().as_str())?;
            }
            EventKind::CommandSuppressed {
                device,
                rule,
                reason,
            } => {
                m.serialize_entry("device", device)?;
                m.serialize_entry("rule", rule)?;
                m.serialize_entry("reason", reason.as_str())?;
            }
            EventKind::CommandRefused { device, reason } => {
                m.serialize_entry("device", device)?;
                m.serialize_entry("reason", reason.as_str())?;
            }
            EventKind::CommandHeld {
                device,
                reason,
                cause,
            } => {
                m.serialize_entry("device", device)?;
                m.serialize_entry("reason", reason.as_str())?;
                m.serialize_entry("cause", cause.as_str())?;
            }
            EventKind::LimitReached { device, reason } => {
                m.serialize_entry("device", device)?;
                m.serialize_entry("reason", reason.as_str())?;
            }
            EventKind::ManualEnded { device } => m.serialize_entry("device", device)?,
            EventKind::DeviceLocked { device, reason } => {
                m.serialize_entry("device", device)?;
                m.serialize_entry("reason", reason)?;
            }
            EventKind::AlertNotified { alert, no_data } => {
                m.serialize_entry("alert", alert)?;
                if *no_data {
                    m.serialize_entry("no_data", &true)?;
                }
            }
            EventKind::AlertRaised { alert } | EventKind::AlertResolved { alert, .. } => {
                m.serialize_entry("alert", alert)?;
            }
            EventKind::SensorExpired { sensor } => m.serialize_entry("sensor", sensor)?,
        }
        m.end()
    }
}
