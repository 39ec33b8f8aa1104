//! The verdict of a farm and of each of its polyhouses: one word that is never better than what is known, and the reasons
//! for it, worst first. For people, never for a decision. What counts as what: `docs/verdict.md`.
//!
//! The engine knows values, conditions, locks and people. What only the pipeline knows (whether a controller can be
//! reached, whether a device does what it was told, whether the server can write) comes in as [`Facts`].

mod judge;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::id::{AlertId, DeviceId, PolyhouseId, RuleId, SensorId};
use crate::lock::LockKind;
use crate::quantity::Quantity;
use crate::sensor_type::SensorType;
use crate::time::{Duration, Timestamp};

/// The most reasons that are listed of a place; further ones are counted.
pub const MAX_REASONS: usize = 8;
/// The most things that one reason names.
const MAX_NAMED: usize = 4;
/// For how long a device must not have done what it should, so that it counts.
pub const NOT_FOLLOWING_AFTER: Duration = Duration::from_secs(120);
/// For how long a mean must be outside what the crops want, so that it counts.
pub const OUTSIDE_AFTER: Duration = Duration::from_secs(15 * 60);

/// How a place stands, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Something that matters is not known.
    NotKnown,
    /// Something is dangerous, or stopped by a lock.
    Danger,
    /// An alert is raised, or something is not as the crops want it.
    OutOfRange,
    /// A person decides what otherwise the rules do.
    ByHand,
    /// All is known, and none of the above.
    Well,
    /// Nothing is there of which something could be known.
    NotSetUp,
}

/// The verdict of a farm and of its polyhouses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FarmVerdict {
    /// Of the farm: the worst of its houses and of what lies in none.
    pub farm: PlaceVerdict,
    /// Of each polyhouse, by id.
    pub houses: Vec<HouseVerdict>,
    /// Every reason of the farm, each once, in the farm's order.
    pub all: Vec<Reason>,
}

/// The verdict of a polyhouse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HouseVerdict {
    /// Its id.
    pub id: PolyhouseId,
    /// Its name.
    pub name: String,
    /// The verdict.
    pub place: PlaceVerdict,
}

/// How a place stands and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceVerdict {
    /// How.
    pub verdict: Verdict,
    /// Why: the worst first, at most [`MAX_REASONS`].
    pub reasons: Vec<Reason>,
    /// How many more there are.
    pub more: usize,
}

/// One reason of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What it is.
    pub what: What,
    /// The polyhouse that it is told of; none for the farm.
    pub house: Option<PolyhouseId>,
    /// Since when, as far as that is known.
    pub since: Option<Timestamp>,
}

/// A thing with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thing<Id> {
    /// Its id.
    pub id: Id,
    /// Its name; empty where nobody gave it one.
    pub name: String,
}

/// The kinds of reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The server does not answer for the farm.
    NoAnswer,
    /// The server cannot store what it is told.
    CannotWrite(Store),
    /// The farm's engine failed.
    EngineFailed,
    /// A controller cannot be reached.
    ControllerOffline {
        /// Its MAC id.
        controller: Arc<str>,
        /// How many sensors it carries.
        sensors: usize,
        /// How many devices.
        devices: usize,
    },
    /// Sensors of a type have no fresh value. Since: the last value of the last of them where all are silent, of the first
    /// of them where others speak; none where there never was one.
    NoSignal {
        /// What they measure.
        sensor_type: SensorType,
        /// The silent ones, the first few.
        sensors: Vec<Thing<SensorId>>,
        /// How many are silent.
        silent: usize,
        /// How many the place has.
        of: usize,
    },
    /// A rule's condition is unknown: it cannot act as it was written.
    RuleBlind {
        /// The rule.
        rule: Thing<RuleId>,
        /// What it lacks.
        sensor_type: SensorType,
        /// The devices that it drives, the first few.
        devices: Vec<Thing<DeviceId>>,
        /// Whether all of these were last told to be off.
        all_off: bool,
    },
    /// An alert's condition is unknown.
    AlertBlind {
        /// The alert.
        alert: Thing<AlertId>,
        /// Whether it is raised all the same.
        raised: bool,
    },
    /// A controller no longer announces a sensor.
    SensorGone {
        /// The sensor.
        sensor: Thing<SensorId>,
        /// What it measured.
        sensor_type: SensorType,
    },
    /// A controller no longer announces a device.
    DeviceGone(Thing<DeviceId>),
    /// A device cannot be reached, although no controller of it is known to be offline.
    DeviceOffline(Thing<DeviceId>),
    /// A device is locked.
    Locked {
        /// The device.
        device: Thing<DeviceId>,
        /// By whom or what.
        kind: LockKind,
        /// The lock's reason.
        reason: Arc<str>,
        /// The person's name.
        by: Option<Arc<str>>,
    },
    /// A device does not do what it was told.
    NotFollowing(Thing<DeviceId>),
    /// An alert is raised.
    AlertRaised {
        /// The alert.
        alert: Thing<AlertId>,
        /// Whether it is critical.
        critical: bool,
    },
    /// A polyhouse's mean is not in the range that its crops want.
    OutsideRange {
        /// What is measured.
        sensor_type: SensorType,
        /// The mean, rounded to two decimals.
        value: Quantity,
        /// The least that they want.
        low: Quantity,
        /// The most.
        high: Quantity,
    },
    /// A person has a device.
    Override {
        /// The device.
        device: Thing<DeviceId>,
        /// Until when.
        until: Timestamp,
        /// Whether it is to be on; a pulse is.
        on: bool,
        /// The person's name.
        by: Option<Arc<str>>,
    },
    /// A device is in safety mode.
    Safety(Thing<DeviceId>),
    /// A rule that was deployed is disabled, or a draft again.
    RuleOff {
        /// The rule.
        rule: Thing<RuleId>,
        /// Whether it is a draft.
        draft: bool,
    },
}

/// What a server stores things in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    /// Without it nothing that comes in is acted on.
    Journal,
    /// Without it charts and the log end.
    History,
}

/// What helps against a reason: one act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Whoever runs the server is needed.
    CallOperator,
    /// See to the controller's power and network.
    CheckController,
    /// See to the sensor.
    CheckSensor,
    /// See to the machine itself.
    CheckDevice,
    /// Remove what is no longer there.
    Remove,
    /// Look at the alert and do what it asks for.
    SeeAlert,
    /// Look at the house's day: what ran, what the rules want.
    SeeDay,
    /// Find out why it is locked, and unlock it.
    Unlock,
    /// Give the device back to its rules.
    GiveBack,
    /// Let the rule run again, or delete it.
    StartRule,
}

/// What the engine does not know itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// What time it is.
    pub now: Timestamp,
    /// The stores that cannot be written.
    pub unwritable: BTreeSet<Store>,
    /// Controllers that cannot be reached, by id.
    pub offline: BTreeMap<Arc<str>, OfflineController>,
    /// Devices that do not do what they were told, and since when.
    pub astray: BTreeMap<DeviceId, Timestamp>,
    /// Sensors that their controller no longer announces.
    pub gone_sensors: BTreeSet<SensorId>,
    /// Devices that their controller no longer announces.
    pub gone_devices: BTreeSet<DeviceId>,
    /// Ranges that were found left, each polyhouse and type once.
    pub left_ranges: Vec<LeftRange>,
}

/// A range in which the crops of a polyhouse want a mean, which was found outside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftRange {
    /// The polyhouse.
    pub house: PolyhouseId,
    /// What is measured.
    pub sensor_type: SensorType,
    /// The least that they want.
    pub low: Quantity,
    /// The most; not below it.
    pub high: Quantity,
    /// Since when the mean is outside.
    pub since: Timestamp,
}

/// A controller that cannot be reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfflineController {
    /// Since when; none if it was never heard.
    pub since: Option<Timestamp>,
    /// The sensors that it carries.
    pub sensors: Vec<SensorId>,
    /// The devices that it carries.
    pub devices: Vec<DeviceId>,
}

impl Facts {
    /// Nothing is wrong beyond what the engine knows.
    #[must_use]
    pub const fn nothing(now: Timestamp) -> Self {
        Self {
            now,
            unwritable: BTreeSet::new(),
            offline: BTreeMap::new(),
            astray: BTreeMap::new(),
            gone_sensors: BTreeSet::new(),
            gone_devices: BTreeSet::new(),
            left_ranges: Vec::new(),
        }
    }
}

impl FarmVerdict {
    /// The verdict of a farm that cannot be asked, for one reason.
    #[must_use]
    pub fn unasked(what: What) -> Self {
        let reason = Reason {
            what,
            house: None,
            since: None,
        };
        Self {
            farm: PlaceVerdict::of(vec![reason.clone()], true),
            houses: Vec::new(),
            all: vec![reason],
        }
    }
}

/// Puts the worst first. Stable: what is equally bad stays in the order of ids.
fn worst_first(reasons: &mut [Reason]) {
    reasons.sort_by_key(|r| (r.what.verdict(), r.what.rank(), r.since));
}

impl PlaceVerdict {
    /// The verdict for these reasons of a place that has something in it, or has not.
    fn of(mut reasons: Vec<Reason>, set_up: bool) -> Self {
        worst_first(&mut reasons);
        let none = if set_up {
            Verdict::Well
        } else {
            Verdict::NotSetUp
        };
        let verdict = reasons.first().map_or(none, |r| r.what.verdict());
        let more = reasons.len().saturating_sub(MAX_REASONS);
        reasons.truncate(MAX_REASONS);
        Self {
            verdict,
            reasons,
            more,
        }
    }
}

impl Verdict {
    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotKnown => "not_known",
            Self::Danger => "danger",
            Self::OutOfRange => "out_of_range",
            Self::ByHand => "by_hand",
            Self::Well => "well",
            Self::NotSetUp => "not_set_up",
        }
    }
}

impl Act {
    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CallOperator => "call_operator",
            Self::CheckController => "check_controller",
            Self::CheckSensor => "check_sensor",
            Self::CheckDevice => "check_device",
            Self::Remove => "remove",
            Self::SeeAlert => "see_alert",
            Self::SeeDay => "see_day",
            Self::Unlock => "unlock",
            Self::GiveBack => "give_back",
            Self::StartRule => "start_rule",
        }
    }
}

impl What {
    /// What a place is for this reason alone.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::NoAnswer
            | Self::CannotWrite(_)
            | Self::EngineFailed
            | Self::ControllerOffline { .. }
            | Self::NoSignal { .. }
            | Self::RuleBlind { .. }
            | Self::AlertBlind { .. }
            | Self::SensorGone { .. }
            | Self::DeviceGone(_)
            | Self::DeviceOffline(_) => Verdict::NotKnown,
            Self::Locked {
                kind: LockKind::Person,
                ..
            } => Verdict::ByHand,
            Self::Locked { .. } | Self::NotFollowing(_) => Verdict::Danger,
            Self::AlertRaised { critical, .. } => {
                if *critical {
                    Verdict::Danger
                } else {
                    Verdict::OutOfRange
                }
            }
            Self::OutsideRange { .. } => Verdict::OutOfRange,
            Self::Override { .. } | Self::Safety(_) | Self::RuleOff { .. } => Verdict::ByHand,
        }
    }

    /// Which comes first of what is equally bad: causes before what follows from them.
    const fn rank(&self) -> u8 {
        match self {
            Self::NoAnswer => 0,
            Self::CannotWrite(_) => 1,
            Self::EngineFailed => 2,
            Self::ControllerOffline { .. } => 3,
            // A place without any value of a type is worse off than one that lost a sensor of several.
            Self::NoSignal { silent, of, .. } => {
                if *silent == *of {
                    4
                } else {
                    7
                }
            }
            Self::RuleBlind { .. } => 5,
            Self::AlertBlind { .. } => 6,
            Self::DeviceOffline(_) => 8,
            Self::DeviceGone(_) => 9,
            Self::SensorGone { .. } => 10,
            Self::Locked {
                kind: LockKind::Stop,
                ..
            } => 0,
            Self::AlertRaised { .. } => 1,
            Self::NotFollowing(_) | Self::OutsideRange { .. } => 2,
            Self::Locked { .. } => 3,
            Self::Override { .. } => 0,
            Self::Safety(_) => 4,
            Self::RuleOff { .. } => 5,
        }
    }

    /// The one act that helps.
    #[must_use]
    pub const fn act(&self) -> Act {
        match self {
            Self::NoAnswer | Self::CannotWrite(_) | Self::EngineFailed => Act::CallOperator,
            Self::ControllerOffline { .. } => Act::CheckController,
            Self::NoSignal { .. } | Self::RuleBlind { .. } | Self::AlertBlind { .. } => {
                Act::CheckSensor
            }
            Self::SensorGone { .. } | Self::DeviceGone(_) => Act::Remove,
            Self::DeviceOffline(_) | Self::NotFollowing(_) | Self::Safety(_) => Act::CheckDevice,
            // Its own panel opens it, and nothing else.
            Self::Locked {
                kind: LockKind::Controller,
                ..
            } => Act::CheckDevice,
            Self::Locked { .. } => Act::Unlock,
            Self::AlertRaised { .. } => Act::SeeAlert,
            Self::OutsideRange { .. } => Act::SeeDay,
            Self::Override { .. } => Act::GiveBack,
            Self::RuleOff { .. } => Act::StartRule,
        }
    }
}
