//! What a shard writes its journal to: a file, or in simulations a disk in memory that can lose its tail.

use std::path::Path;

use harit_engine::Timestamp;

use super::JournalError;
use super::file::{JournalFile, StoredBatch};
#[cfg(feature = "simulation")]
use super::memory::MemoryJournal;

/// A shard's journal, open for writing.
#[derive(Debug)]
pub(crate) enum Journal {
    /// As in operation.
    File(JournalFile),
    /// In a simulation.
    #[cfg(feature = "simulation")]
    Memory(MemoryJournal),
}

/// The same call on whichever it is.
macro_rules! on {
    ($journal:expr, $j:ident => $call:expr) => {
        match $journal {
            Journal::File($j) => $call,
            #[cfg(feature = "simulation")]
            Journal::Memory($j) => $call,
        }
    };
}

impl Journal {
    /// The number of the last batch; 0 if there is none.
    pub(crate) fn last(&self) -> u64 {
        on!(self, j => j.last())
    }

    /// Leaves it to the system when batches reach the disk; nothing for a disk in memory.
    pub(crate) fn leave_unsynced(&self) -> Result<(), JournalError> {
        match self {
            Self::File(j) => j.leave_unsynced(),
            #[cfg(feature = "simulation")]
            Self::Memory(_) => Ok(()),
        }
    }

    /// Appends a batch and makes it durable. After an error the batch is not there.
    pub(crate) fn append(
        &mut self,
        at: Timestamp,
        entries: u64,
        body: &[u8],
    ) -> rusqlite::Result<u64> {
        on!(self, j => j.append(at, entries, body))
    }

    /// Gives up the room that is kept back for a stop on a full disk; false where there is none.
    pub(crate) fn give_up_reserve(&mut self) -> bool {
        on!(self, j => j.give_up_reserve())
    }

    /// Keeps room back for stops, if none is kept; an error where there is no room for it.
    pub(crate) fn keep_reserve(&mut self) -> rusqlite::Result<()> {
        on!(self, j => j.keep_reserve())
    }

    /// All batches after `seq`, in order, each checked.
    pub(crate) fn read_after<E: From<JournalError>>(
        &self,
        seq: u64,
        each: impl FnMut(StoredBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        on!(self, j => j.read_after(seq, each))
    }

    /// The number before the first batch that is still there.
    pub(crate) fn before_first(&self) -> Result<u64, JournalError> {
        on!(self, j => j.before_first())
    }

    /// Stores what the engines were after batch `seq`.
    pub(crate) fn put_snapshot(
        &mut self,
        seq: u64,
        at: Timestamp,
        body: &[u8],
    ) -> rusqlite::Result<()> {
        on!(self, j => j.put_snapshot(seq, at, body))
    }

    /// The numbers and instants of all snapshots, newest first.
    pub(crate) fn snapshots(&self) -> Result<Vec<(u64, Timestamp)>, JournalError> {
        on!(self, j => j.snapshots())
    }

    /// A snapshot, if it is undamaged.
    pub(crate) fn snapshot(&self, seq: u64) -> Result<Vec<u8>, JournalError> {
        on!(self, j => j.snapshot(seq))
    }

    pub(crate) fn delete_snapshot(&mut self, seq: u64) -> rusqlite::Result<()> {
        on!(self, j => j.delete_snapshot(seq))
    }

    /// Removes some of the batches up to `seq`; returns whether there are more.
    pub(crate) fn trim(&mut self, seq: u64) -> rusqlite::Result<bool> {
        on!(self, j => j.trim(seq))
    }

    /// The bytes of the stored batches, about.
    pub(crate) fn bytes(&self) -> u64 {
        on!(self, j => j.bytes())
    }

    /// What errors name.
    pub(crate) fn path(&self) -> &Path {
        on!(self, j => j.path())
    }
}
