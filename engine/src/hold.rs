//! Holds: how long a condition has been true on evidence, without a break.

use serde::{Deserialize, Serialize};

use crate::time::{Duration, Timestamp};
use crate::truth::Truth;

/// The most samples that a farm may require of a hold.
pub(crate) const MAX_MIN_SAMPLES: u8 = 10;

/// A condition has been true since an instant, confirmed by so many samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hold {
    pub(crate) since: Timestamp,
    pub(crate) samples: u8,
}

/// What a hold must reach to be complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HoldRequirement {
    pub(crate) length: Duration,
    /// None needed where the length is zero.
    pub(crate) samples: u8,
}

impl HoldRequirement {
    pub(crate) const fn new(length: Duration, min_samples: u8) -> Self {
        Self {
            length,
            samples: if length.as_millis() == 0 {
                0
            } else {
                min_samples
            },
        }
    }
}

impl Hold {
    pub(crate) const fn new(since: Timestamp) -> Self {
        Self { since, samples: 0 }
    }

    /// Samples are counted as far as any setting may ask for them: the setting can change while the hold goes on.
    pub(crate) const fn counts_samples(self, requirement: HoldRequirement) -> bool {
        requirement.samples > 0 && self.samples < MAX_MIN_SAMPLES
    }

    /// When it completes by time alone; `None` while samples are missing.
    pub(crate) fn deadline(self, requirement: HoldRequirement) -> Option<Timestamp> {
        let late = Duration::from_millis(i64::from(planted!(HoldDeadlineExclusive)));
        (self.samples >= requirement.samples).then(|| self.since + requirement.length + late)
    }

    pub(crate) fn is_complete(self, requirement: HoldRequirement, now: Timestamp) -> bool {
        self.deadline(requirement).is_some_and(|d| d <= now)
    }
}

/// Whether a hold may complete in this evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completion {
    Acts,
    /// It may, after an outage: starts that were missed are no starts.
    Resumes,
    Waits,
}

impl Completion {
    pub(crate) const fn acts(self) -> bool {
        matches!(self, Self::Acts | Self::Resumes)
    }
}

/// What an evaluation of an alert's joined condition found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence {
    pub(crate) truth: Truth,
    /// Whether the reading that caused the evaluation is a sample for this condition.
    pub(crate) sample: bool,
}

/// Goes on with a hold, starts one, or ends it. Samples count towards what it can have to reach, also while it needs none.
pub(crate) fn observe(
    hold: &mut Option<Hold>,
    evidence: Evidence,
    requirement: HoldRequirement,
    now: Timestamp,
) {
    if evidence.truth != Truth::True {
        *hold = None;
        return;
    }
    let h = hold.get_or_insert(Hold::new(now));
    if evidence.sample && h.counts_samples(requirement) {
        h.samples += 1;
    }
}
