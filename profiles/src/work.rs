//! What reading one message may cost, whatever profiles and payload say: a farm's profiles are read on the thread that other farms
//! wait for.

use std::cell::Cell;

use crate::{MAX_WORK, Unread};

/// How much may still be done.
#[derive(Debug)]
pub(crate) struct Work(Cell<usize>);

impl Default for Work {
    fn default() -> Self {
        Self(Cell::new(MAX_WORK))
    }
}

impl Work {
    /// Takes so many steps, each some nanoseconds.
    pub(crate) fn spend(&self, steps: usize) -> Result<(), Unread> {
        let left = self.0.get().checked_sub(steps);
        self.0.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or(Unread::TooMany)
    }

    /// What comparing a word with patterns costs.
    pub(crate) fn spend_globs(&self, patterns: &[String], word: &str) -> Result<(), Unread> {
        let steps = patterns.iter().map(|p| Self::of_glob(p, word));
        self.spend(steps.sum())
    }

    /// A pattern with several stars may look at a word several times.
    pub(crate) fn of_glob(pattern: &str, word: &str) -> usize {
        let stars = pattern.bytes().filter(|b| *b == b'*').count();
        1 + stars.saturating_sub(1) * word.len() / 4
    }
}
