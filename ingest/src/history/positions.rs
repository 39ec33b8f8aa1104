//! How much of the journals the history has.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What of each shard's journal is in the store.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(super) generation: AtomicU64,
    pub(super) shards: Vec<AtomicU64>,
    /// How much of it is synced: a power cut cannot take it back.
    pub(super) durable: Vec<AtomicU64>,
    /// Whether it is known what the store has: not before it was opened.
    known: AtomicBool,
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
            known: AtomicBool::new(true),
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
            known: AtomicBool::new(true),
            writable: AtomicBool::new(true),
            closing: AtomicBool::new(false),
        }
    }

    /// The store has the first shard's journal up to `seq`.
    #[cfg(feature = "simulation")]
    pub(crate) fn simulated_reached(&self, seq: u64) {
        self.reached(1, 0, seq);
        self.synced();
    }

    /// The store is not open: what it has is known once it is ([`Self::begin`]).
    pub(super) fn lost_sight(&self) {
        self.known.store(false, Ordering::Release);
        self.writable.store(false, Ordering::Release);
    }

    /// Whether it is known what the store has.
    pub(crate) fn are_known(&self) -> bool {
        self.known.load(Ordering::Acquire)
    }

    /// From now on they are those of this generation of journals.
    pub(super) fn begin(&self, generation: u64, stored: Vec<(usize, u64)>) {
        for p in self.shards.iter().chain(&self.durable) {
            p.store(0, Ordering::Release);
        }
        self.generation.store(generation, Ordering::Release);
        for (shard, seq) in stored {
            self.reached(generation, shard, seq);
        }
        self.known.store(true, Ordering::Release);
    }

    /// The store has a shard's journal up to `seq`.
    pub(super) fn reached(&self, generation: u64, shard: usize, seq: u64) {
        if generation == self.generation.load(Ordering::Acquire)
            && let Some(p) = self.shards.get(shard)
        {
            p.fetch_max(seq, Ordering::AcqRel);
        }
    }

    /// A shard's journal has no more than that.
    pub(super) fn set_back(&self, shard: usize, seq: u64) {
        for p in [&self.shards, &self.durable] {
            if let Some(p) = p.get(shard) {
                p.fetch_min(seq, Ordering::AcqRel);
            }
        }
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
