//! What a shard asks of its journal, whatever that is stored in.

use std::ops::ControlFlow;

use harit_engine::Timestamp;

use crate::{JournalError, WriteError};

/// The log of one shard, as it can be read: by its writer, and beside it.
pub trait JournalRead {
    /// What errors name: the path of a file, the name of a stream.
    fn name(&self) -> &str;

    /// The number before the first batch that is still there, or would be: a trimmed journal without any goes on there.
    ///
    /// # Errors
    /// When it cannot be read.
    fn before_first(&self) -> Result<u64, JournalError>;

    /// Gives the batches after `after` up to `through` (`u64::MAX`: all) to `each`, in order and checked, until it breaks.
    ///
    /// # Errors
    /// At the first that is damaged, or missing before one that is there; what comes before it was given.
    fn read(&self, after: u64, through: u64, each: Each<'_>) -> Result<(), JournalError>;

    /// The numbers and instants of all snapshots, newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn snapshots(&self) -> Result<Vec<(u64, Timestamp)>, JournalError>;

    /// A snapshot's body.
    ///
    /// # Errors
    /// When it is damaged or not there.
    fn snapshot(&self, seq: u64) -> Result<Vec<u8>, JournalError>;
}

/// The log of one shard, open for writing. Batches and snapshots are numbered from 1, batches without a gap.
///
/// It has one writer, which says after which batch it appends; so a second one is found out and not mixed in.
pub trait Journal: JournalRead + Send {
    /// The number of the newest batch or snapshot: what there was when it was opened, and what was written since through it.
    /// 0 if there is none.
    fn last(&self) -> u64;

    /// Appends a batch of so many `entries` after batch `after`, which must be the last one, makes it durable, and returns its
    /// number.
    ///
    /// After [`WriteError::Unavailable`] a journal that is elsewhere may not know whether the batch is there. The caller repeats
    /// the append with the same arguments; where it is there already, that returns its number and stores nothing. Until
    /// then such a journal answers every other append with [`WriteError::Unavailable`] too.
    ///
    /// # Errors
    /// [`WriteError::Fenced`] where `after` is not the last one; otherwise as the storage says. The batch is not there then, but
    /// for the case above.
    fn append(
        &mut self,
        after: u64,
        at: Timestamp,
        entries: u64,
        body: &[u8],
    ) -> Result<u64, WriteError>;

    /// Stores what follows from all batches up to `seq`, in place of what is stored for that number. Where it is newer than every
    /// batch, their numbers go on after it.
    ///
    /// # Errors
    /// As [`Self::append`].
    fn put_snapshot(&mut self, seq: u64, at: Timestamp, body: &[u8]) -> Result<(), WriteError>;

    /// Removes a snapshot, if it is there.
    ///
    /// # Errors
    /// As [`Self::append`].
    fn delete_snapshot(&mut self, seq: u64) -> Result<(), WriteError>;

    /// Removes some of the batches up to `through`, so few that it takes no time to speak of; returns whether there may be more.
    /// What is left, a batch or a snapshot, must keep the last number.
    ///
    /// # Errors
    /// As [`Self::append`].
    fn trim(&mut self, through: u64) -> Result<bool, WriteError>;

    /// How many bytes the batches have, about.
    fn bytes(&self) -> u64;

    /// Keeps room back for stops on a full disk, where none is kept yet.
    ///
    /// # Errors
    /// [`WriteError::Full`] where there is no room for it: what is left is for stops.
    fn keep_reserve(&mut self) -> Result<(), WriteError>;

    /// Gives up the room that is kept back; returns whether there was any.
    fn give_up_reserve(&mut self) -> bool;
}

/// What is given each batch that is read, and may end the reading.
pub type Each<'a> = &'a mut dyn FnMut(StoredBatch) -> ControlFlow<()>;

/// A batch as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBatch {
    /// Its number.
    pub seq: u64,
    /// When it was written, and what is in it took place.
    pub at: Timestamp,
    /// What is in it.
    pub body: Vec<u8>,
}

/// Calls `read`, a [`JournalRead::read`] of some range, with an `each` that may fail; its first error ends the reading.
///
/// # Errors
/// Those of both.
pub fn until_error<E: From<JournalError>>(
    read: impl FnOnce(Each<'_>) -> Result<(), JournalError>,
    mut each: impl FnMut(StoredBatch) -> Result<(), E>,
) -> Result<(), E> {
    let mut ended = Ok(());
    read(&mut |batch| {
        ended = each(batch);
        if ended.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    ended
}

/// What is stored beside a batch or a snapshot: CRC-32 of number, instant and body.
pub(crate) fn checksum(seq: u64, at: Timestamp, body: &[u8]) -> u32 {
    let mut h = crc32fast::Hasher::new();
    h.update(&seq.to_le_bytes());
    h.update(&at.as_millis().to_le_bytes());
    h.update(body);
    h.finalize()
}
