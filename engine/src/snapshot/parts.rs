//! What is written of sensors, rules and alerts.

use serde::{Deserialize, Serialize};

use crate::hold::Hold;
use crate::id::SensorId;
use crate::program::{Held, Seen};
use crate::rule::{Delayed, End, Phase, Rule, RuleHold};
use crate::time::Timestamp;
use crate::truth::Truth;

#[derive(Serialize, Deserialize)]
pub(super) struct SensorPart {
    pub(super) value: i64,
    pub(super) read_at: Timestamp,
    pub(super) newest: Timestamp,
    pub(super) fresh: bool,
    pub(super) faults: u8,
}

#[derive(Serialize, Deserialize)]
pub(super) struct RulePart {
    pub(super) phase: PhasePart,
    pub(super) delayed: Vec<Delayed>,
    /// Where the holds of its branches stand, of trigger or guard, then of the stop condition; of active programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) branches: Vec<Vec<Option<Held>>>,
    /// What these trees would be without their signals, where that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) without: Vec<Truth>,
    /// Up to when its starts are done with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) handled: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum PhasePart {
    Idle,
    Pending { since: Timestamp, samples: u8 },
    Running { since: Timestamp, end: EndPart },
}

#[derive(Serialize, Deserialize)]
pub(super) enum EndPart {
    Far,
    Near { since: Timestamp, samples: u8 },
    Lost { since: Timestamp },
}

impl PhasePart {
    pub(super) fn of(rule: &Rule, seen: Seen<'_>) -> Self {
        let hold = rule.hold(seen);
        match (rule.phase, hold) {
            (Phase::Idle, _) | (Phase::Pending(_), None) => Self::Idle,
            (Phase::Pending(_), Some(Hold { since, samples })) => Self::Pending { since, samples },
            (Phase::Running { since, end }, hold) => {
                let end = match (end, hold) {
                    (End::Lost { since }, _) => EndPart::Lost { since },
                    (End::Near(_), Some(Hold { since, samples })) => {
                        EndPart::Near { since, samples }
                    }
                    (End::Near(_), None) | (End::Far, _) => EndPart::Far,
                };
                Self::Running { since, end }
            }
        }
    }

    /// The phase, where the rule's signal has counted no sample yet.
    pub(super) fn phase(self) -> Phase {
        let hold = |since, samples| RuleHold::new(Hold { since, samples }, 0);
        match self {
            Self::Idle => Phase::Idle,
            Self::Pending { since, samples } => Phase::Pending(hold(since, samples)),
            Self::Running { since, end } => {
                let end = match end {
                    EndPart::Far => End::Far,
                    EndPart::Near { since, samples } => End::Near(hold(since, samples)),
                    EndPart::Lost { since } => End::Lost { since },
                };
                Phase::Running { since, end }
            }
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct AlertPart {
    pub(super) active: bool,
    /// Snapshots of earlier builds do not have it.
    #[serde(default)]
    pub(super) raised_since: Option<Timestamp>,
    #[serde(default)]
    pub(super) unknown_since: Option<Timestamp>,
    /// What it remembers, while it is raised and is one that does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) memory: Option<Vec<SensorId>>,
    pub(super) hold: Option<Hold>,
    pub(super) last_notified: Option<Timestamp>,
    pub(super) next_notification: Option<Timestamp>,
    pub(super) told_no_data: bool,
    /// Where the holds of its tree's branches stand, and what that would be without its signals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) only_if: Option<(Vec<Option<Held>>, Truth)>,
    /// Which of these holds were interrupted, a bit each.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) interrupted: u32,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}
