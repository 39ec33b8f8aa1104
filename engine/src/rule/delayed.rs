//! The actions of a rule that wait for their time since it fired.

use serde::{Deserialize, Serialize};

use super::{Phase, Rule};
use crate::document::RuleSpec;
use crate::interner::Interner;
use crate::time::{Duration, Timestamp};

/// An action that waits for its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Delayed {
    pub(crate) due: Timestamp,
    pub(crate) action: usize,
}

impl Rule {
    /// Delayed actions not yet due, by due time and place in the list.
    pub(crate) fn delayed(&self, words: &Interner) -> Vec<Delayed> {
        let Phase::Running { since, .. } = self.phase else {
            return Vec::new();
        };
        let mut delayed: Vec<Delayed> = RuleSpec::unpack_actions(&self.document, words)
            .enumerate()
            .filter(|(_, a)| a.delay > Duration::ZERO)
            .map(|(action, a)| Delayed {
                due: since + a.delay,
                action,
            })
            .collect();
        delayed.sort_unstable();
        delayed.drain(..delayed.len().min(self.done.into()));
        delayed
    }

    /// When its next delayed action is due.
    pub(crate) fn next_action(&self, words: &Interner) -> Option<Timestamp> {
        self.delayed(words).first().map(|d| d.due)
    }

    /// Takes the delayed actions that are due at `now`.
    pub(crate) fn take_due(&mut self, now: Timestamp, words: &Interner) -> Vec<Delayed> {
        let mut due = self.delayed(words);
        due.retain(|d| d.due <= now);
        self.done += u8::try_from(due.len()).unwrap_or(u8::MAX);
        due
    }

    /// Only the last so many of its delayed actions are still to be done.
    pub(crate) fn leave_delayed(&mut self, left: usize, words: &Interner) {
        self.done = 0;
        let all = self.delayed(words).len();
        self.done = u8::try_from(all.saturating_sub(left)).unwrap_or(u8::MAX);
    }
}
