//! Up to where an archive has what is journaled, so that no journal is trimmed of what the archive lacks.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How far the journals are archived, by generation and shard. Whoever archives says it; the shards ask before they trim.
#[derive(Debug, Default)]
pub struct Archived {
    batches: Mutex<HashMap<(u64, usize), u64>>,
    is_urgent: AtomicBool,
}

impl Archived {
    /// Everything up to this batch is in the archive, and safe from a power cut.
    pub fn set(&self, generation: u64, shard: usize, batch: u64) {
        let mut all = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert((generation, shard), batch);
    }

    /// The last batch that is archived; 0 where none is.
    #[must_use]
    pub fn through(&self, generation: u64, shard: usize) -> u64 {
        let all = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&(generation, shard)).copied().unwrap_or(0)
    }

    /// A journal is larger than it may be and waits for the archive.
    pub(crate) fn hurry(&self) {
        self.is_urgent.store(true, Ordering::Release);
    }

    /// Whether a journal has waited since this was asked last.
    pub fn take_urgent(&self) -> bool {
        self.is_urgent.swap(false, Ordering::AcqRel)
    }
}
