//! How much of the journals the history has.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What of each shard's journal is in the store.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(super) generation: AtomicU64,
    pub(super) shards: Vec<AtomicU64>,
    /// How much of it is synced: a power cut cannot take it back.
    pub(super) durable: Vec<AtomicU64>,
    pub(crate) writable: AtomicBool,
    /// The process is about to end: what cannot be written now is left to the next start.
    pub(crate) closing: AtomicBool,
}

impl Positions {
    /// Those of a store that has nothing yet.
    pub(super) fn of_an_empty_store(shards: usize) -> Self {
        let none = || (0..shards).map(|_| AtomicU64::new(0)).collect();
        Self {
            generation: AtomicU64::new(0),
            shards: none(),
            durable: none(),
            writable: AtomicBool::new(true),
            closing: AtomicBool::new(false),
        }
    }

    /// Those of a store that has the first shard's journal up to `seq`.
    #[cfg(feature = "simulation")]
    pub(crate) fn simulated(seq: u64) -> Self {
        Self {
            generation: AtomicU64::new(1),
            shards: vec![AtomicU64::new(seq)],
            durable: vec![AtomicU64::new(seq)],
            writable: AtomicBool::new(true),
            closing: AtomicBool::new(false),
        }
    }

    /// The store has the first shard's journal up to `seq`.
    #[cfg(feature = "simulation")]
    pub(crate) fn reached(&self, seq: u64) {
        if let Some(p) = self.shards.first() {
            p.fetch_max(seq, Ordering::AcqRel);
        }
        self.synced();
    }

    /// All that is in the store is synced.
    pub(super) fn synced(&self) {
        for (durable, seq) in self.durable.iter().zip(&self.shards) {
            durable.fetch_max(seq.load(Ordering::Acquire), Ordering::AcqRel);
        }
    }

    /// The last batch of a shard's journal that is in the store.
    pub(crate) fn of(&self, shard: usize) -> u64 {
        let at = self.shards.get(shard);
        at.map_or(0, |s| s.load(Ordering::Acquire))
    }

    /// The last one of those that a power cut cannot take back.
    pub(crate) fn durable(&self, shard: usize) -> u64 {
        let at = self.durable.get(shard);
        at.map_or(0, |s| s.load(Ordering::Acquire))
    }
}
