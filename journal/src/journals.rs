//! The journals of a server: one a shard, in generations. A change of the number of shards makes a new generation.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Journal, JournalError, JournalRead};

/// Which journals count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub generation: u64,
    /// How many journals it has.
    pub shards: usize,
}

impl Generation {
    /// The shard of a farm: stable, whatever else is there.
    #[must_use]
    pub fn shard_of(self, farm: &str) -> usize {
        shard_of(farm, self.shards)
    }
}

/// The shard of a farm among so many. FNV-1a: the same on every machine and in every version.
fn shard_of(farm: &str, shards: usize) -> usize {
    let hash = farm.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    });
    usize::try_from(hash % shards.max(1) as u64).unwrap_or(0)
}

/// A journal that is read, also beside its writer.
pub type Reader = Box<dyn JournalRead + Send>;

/// Journals as they can be read.
pub trait ReadJournals: Send + Sync {
    /// The generations that are there, oldest first; the last is the current one. None where nothing was ever journaled.
    ///
    /// # Errors
    /// When that cannot be read.
    fn generations(&self) -> Result<Vec<Generation>, JournalError>;

    /// Opens a shard's journal of a generation for reading; none where it is not there.
    ///
    /// # Errors
    /// When it is no journal of this version, or cannot be read.
    fn reader(&self, generation: u64, shard: usize) -> Result<Option<Reader>, JournalError>;
}

/// Journals as a server has them, which is the only one that writes.
pub trait Journals: ReadJournals {
    /// The current generation; none where nothing was ever journaled.
    ///
    /// # Errors
    /// When that cannot be read, or journals have data and nothing says which of them count: new ones would hide them.
    fn current(&self) -> Result<Option<Generation>, JournalError>;

    /// Makes empty journals of a generation, which is not the current one yet. What an earlier attempt left of it is removed.
    ///
    /// # Errors
    /// When they cannot be made.
    fn prepare(&self, generation: Generation) -> Result<Vec<Box<dyn Journal>>, JournalError>;

    /// Makes a generation the current one, in one step.
    ///
    /// # Errors
    /// When that cannot be stored; then it is the one of before.
    fn switch(&self, generation: Generation) -> Result<(), JournalError>;

    /// Opens a shard's journal for writing.
    ///
    /// # Errors
    /// When it is missing, damaged or has lost its end.
    fn open(&self, generation: Generation, shard: usize) -> Result<Box<dyn Journal>, JournalError>;

    /// Takes back that more of a shard's journal was acknowledged than is there, so that it can be opened. Nothing happens to one that has not
    /// lost its end.
    ///
    /// # Errors
    /// When it is not there, or cannot be read or written.
    fn accept_loss(&self, generation: Generation, shard: usize) -> Result<(), JournalError>;

    /// Removes generations before the current one that are older than `keep`.
    fn remove_old(&self, current: Generation, keep: Duration);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn farms_stay_on_their_shards() {
        let shards: Vec<usize> = ["demo-farm-1", "f1", "f2", "f3", ""]
            .iter()
            .map(|f| shard_of(f, 4))
            .collect();
        assert_eq!(shards, [3, 0, 1, 2, 1]);
        assert!((0..100).all(|i| shard_of(&format!("farm-{i}"), 7) < 7));
    }
}
