//! Explanations: why a device does what it does, where a rule stands, and what would have to change. For people, never for a
//! decision: they are read from the state beside the fold, and change nothing in it.
//!
//! A rule's conditions are told as a list of nodes, each before those below it, with what every node comes to and on what
//! evidence; a condition of version 1 is a list of one. [`Change`] is the least set of leaves that would have to come to
//! something else.

mod change;
mod device;
mod evidence;
mod lanes;
mod leaf;
mod rule;
mod sustained;
mod tracer;

use serde::Serialize;

use crate::calendar::Weekdays;
use crate::document::{ConditionSpec, DatesSpec, ScopeSpec, WindowSpec};
use crate::event::LimitReason;
use crate::id::{DeviceId, GroupId, RuleId, SensorId, SetpointId};
use crate::lock::DeviceLock;
use crate::quantity::{Mean, Quantity};
use crate::setting::Setting;
use crate::status::{
    ClaimStatus, DeviceStatus, HoldStatus, LimitsStatus, ManualStatus, RuleStatus,
};
use crate::time::{Duration, Timestamp};
use crate::truth::Truth;

pub use change::{Bound, Change, Goal, LeafChange};
pub use lanes::{
    Lane, LaneKey, LaneSpan, LaneState, LaneTracer, Report, Standing as Phase, Subject,
};
pub use tracer::{Kept, LeafSpan, Nearest, RuleTracer, Tried};

/// The most sensors that are listed of one comparison; those left out come first.
pub const MAX_EVIDENCE: usize = 24;

/// Where a rule stands, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleExplanation {
    /// Its document, phase, run and next start.
    pub status: RuleStatus,
    /// Its conditions: trigger or guard, then the stop condition. Empty parts are left out.
    pub parts: Vec<PartExplanation>,
    /// What would have to change for it to start; none while it runs.
    pub to_start: Option<Change>,
    /// What would have to change for it to stop; none while it does not run.
    pub to_stop: Option<Change>,
    /// Its devices, and what becomes there of what it wants.
    pub devices: Vec<DeviceOutcome>,
}

impl RuleExplanation {
    /// Whether it may run: deployed, and automatic.
    #[must_use]
    pub fn active(&self) -> bool {
        self.status.spec.is_active()
    }
}

/// Which condition of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartRole {
    /// What starts it.
    Trigger,
    /// What must hold for it to start by its schedule.
    Guard,
    /// What stops it.
    Stop,
}

/// One condition of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct PartExplanation {
    /// Which.
    pub role: PartRole,
    /// What it comes to.
    pub truth: Truth,
    /// How long it has to hold; zero of a guard.
    pub length: Duration,
    /// The hold on it (or, where the rule has no stop condition, on its opposite), while there is one.
    pub hold: Option<HoldStatus>,
    /// Its nodes, each before those below it.
    pub nodes: Vec<NodeExplanation>,
}

/// A node of a condition.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeExplanation {
    /// How far below the root.
    pub depth: u8,
    /// What it says.
    pub said: Said,
    /// What it comes to, its own hold counted.
    pub truth: Truth,
    /// What it comes to without its own hold.
    pub below: Truth,
    /// Its own hold, where it has one.
    pub held: Option<BranchHold>,
}

/// The hold of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchHold {
    /// How long it has to be.
    pub length: Duration,
    /// Since when it runs, while it does.
    pub since: Option<Timestamp>,
    /// Its samples so far.
    pub samples: u8,
    /// How many it needs.
    pub samples_needed: u8,
    /// Whether it is full.
    pub complete: bool,
}

/// What a node says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// All of those below.
    All,
    /// Any of those below.
    Any,
    /// The opposite of what is below.
    Not,
    /// A signal compared.
    Signal(Box<SignalExplanation>),
    /// The time is in a window.
    Time(WindowSpec),
    /// The weekday.
    Days(Weekdays),
    /// The part of the year.
    Dates(DatesSpec),
    /// Another rule is running.
    Rule {
        /// Which.
        id: RuleId,
        /// Its name.
        name: String,
    },
    /// A device is reported to be on, or off.
    Device {
        /// Which.
        id: DeviceId,
        /// Its name.
        name: String,
        /// Whether it is to be on.
        on: bool,
        /// What is reported, while it is online and that is known.
        reported: Option<bool>,
    },
}

/// A comparison, and what it sees.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalExplanation {
    /// What it says; of a comparison with a setpoint, with the number that this comes to now.
    pub condition: ConditionSpec,
    /// The setpoint that it is compared with.
    pub setpoint: Option<ComparedSetpoint>,
    /// Where its sensors are; none where no place has one.
    pub place: Option<ScopeSpec>,
    /// The mean of the fresh sensors.
    pub mean: Option<Mean>,
    /// How many sensors there are.
    pub sensors: usize,
    /// How many of them count.
    pub fresh: usize,
    /// The sensors by id, those that do not count first; at most [`MAX_EVIDENCE`].
    pub evidence: Vec<SensorEvidence>,
}

impl SignalExplanation {
    /// Whether it is known what is compared with.
    #[must_use]
    pub fn has_threshold(&self) -> bool {
        self.setpoint.as_ref().is_none_or(|s| s.value.is_some())
    }
}

/// A setpoint that a comparison names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedSetpoint {
    /// Its id.
    pub id: SetpointId,
    /// Its name.
    pub name: String,
    /// What is added to it.
    pub offset: Quantity,
    /// What it is now, without that; none while that is not known.
    pub value: Option<Quantity>,
}

/// A sensor as evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensorEvidence {
    /// Its id.
    pub id: SensorId,
    /// Its name.
    pub name: Option<String>,
    /// Its value, while it counts.
    pub value: Option<Quantity>,
    /// When its latest good reading was taken.
    pub read_at: Option<Timestamp>,
    /// Whether it counts, or why not.
    pub standing: Standing,
}

/// Whether a sensor counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is fresh.
    Counts,
    /// It is silent for longer than its values are good for.
    Stale,
    /// It sent two faults in a row.
    Fault,
    /// It never sent a value.
    Never,
}

/// What becomes of what a rule wants of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceOutcome {
    /// The device.
    pub id: DeviceId,
    /// Its name.
    pub name: String,
    /// What the rule claims of it now.
    pub wanted: Option<Setting>,
    /// What becomes of that, or would.
    pub outcome: Outcome,
}

/// What stands between a rule and a device: the first that holds, by precedence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is locked.
    Locked,
    /// It is in safety mode.
    Safety,
    /// A person has it.
    Manual,
    /// A stronger rule has it.
    Outranked {
        /// Which.
        rule: RuleId,
        /// Its name.
        name: String,
    },
    /// A limit of the machine holds back what is wanted.
    Held(LimitReason),
    /// It cannot be reached.
    Offline,
    /// Nothing.
    Free,
}

/// Why a device does what it does.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceExplanation {
    /// Its document and where it stands.
    pub status: DeviceStatus,
    /// What it is reported to do, while that is known.
    pub reported: Option<bool>,
    /// Everything that has a say, the strongest first; the last is its rest setting.
    pub steps: Vec<Step>,
    /// Which of them decides.
    pub decides: usize,
    /// What it is to do.
    pub setting: Option<Setting>,
    /// Where it stands with its limits.
    pub limits: Option<LimitsStatus>,
    /// The devices of which one must carry it.
    pub needs: Vec<Need>,
    /// Its groups.
    pub groups: Vec<GroupStanding>,
    /// When the deciding step ends by itself, as far as that is known.
    pub until: Option<Timestamp>,
    /// What decides when the deciding step is gone.
    pub next: Option<usize>,
}

/// Something that has a say about a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What.
    pub what: StepKind,
    /// What it wants; none of a pulse.
    pub setting: Option<Setting>,
    /// Since when, as far as that is known.
    pub since: Option<Timestamp>,
    /// Until when, if it ends by itself.
    pub until: Option<Timestamp>,
}

/// The kinds of what has a say, in order of precedence.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// A lock.
    Lock(DeviceLock),
    /// Safety mode.
    Safety,
    /// A person; an admin's stands before safety.
    Manual(ManualStatus),
    /// A limit of the machine, that holds back the winner.
    Limit(LimitReason),
    /// A rule's claim.
    Claim {
        /// The claim.
        claim: ClaimStatus,
        /// The rule's name.
        name: String,
    },
    /// Its rest setting.
    Rest,
}

/// A device that another needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// Which.
    pub id: DeviceId,
    /// Its name.
    pub name: String,
    /// Whether it carries.
    pub carries: Truth,
    /// Since when, while it does.
    pub since: Option<Timestamp>,
    /// For how long it must before the other starts.
    pub length: Duration,
}

/// A group of devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupStanding {
    /// Which.
    pub id: GroupId,
    /// Its name.
    pub name: String,
    /// How many may run at a time.
    pub at_most: u8,
    /// Who runs.
    pub running: Vec<DeviceId>,
}
