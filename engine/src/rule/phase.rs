//! The phases of a rule, and the holds that they are about.

use crate::hold::{Hold, MAX_MIN_SAMPLES};
use crate::signal::ComparisonEvidence;
use crate::time::Timestamp;

/// Where a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Idle,
    Pending(RuleHold),
    Running { since: Timestamp, end: End },
}

/// How a running rule stands to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Its end condition is false.
    Far,
    /// A hold on its end condition exists.
    Near(RuleHold),
    /// Its end condition is unknown, and it is patient.
    Lost { since: Timestamp },
}

/// A hold of a rule. Its samples are those that its signal counted since: a sample that comes in touches no rule. Twelve bytes,
/// so that a phase is three words and not four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(Rust, packed(4))]
pub(crate) struct RuleHold {
    since: Timestamp,
    /// What the signal had counted before the first sample that counts here.
    counted: u32,
}

impl RuleHold {
    /// A hold that starts now: the reading that starts it is its first sample.
    #[inline]
    pub(super) fn start(since: Timestamp, evidence: &ComparisonEvidence) -> Self {
        let samples = u8::from(evidence.sample);
        Self::new(Hold { since, samples }, evidence.counted)
    }

    /// A hold that has so many samples when its signal has counted so many.
    #[inline]
    pub(crate) fn new(Hold { since, samples }: Hold, counted: u32) -> Self {
        Self {
            since,
            counted: counted.wrapping_sub(samples.into()),
        }
    }

    /// The hold when its signal has counted so many samples.
    #[inline]
    pub(super) fn at(self, counted: u32) -> Hold {
        let samples = counted.wrapping_sub(self.counted);
        Hold {
            since: self.since,
            samples: u8::try_from(samples).map_or(MAX_MIN_SAMPLES, |s| s.min(MAX_MIN_SAMPLES)),
        }
    }
}

impl Phase {
    /// The present hold, wherever it is.
    #[inline]
    pub(super) const fn hold(self) -> Option<RuleHold> {
        match self {
            Self::Pending(hold)
            | Self::Running {
                end: End::Near(hold),
                ..
            } => Some(hold),
            Self::Idle | Self::Running { .. } => None,
        }
    }

    #[inline]
    pub(super) const fn hold_mut(&mut self) -> Option<&mut RuleHold> {
        match self {
            Self::Pending(hold)
            | Self::Running {
                end: End::Near(hold),
                ..
            } => Some(hold),
            Self::Idle | Self::Running { .. } => None,
        }
    }
}
