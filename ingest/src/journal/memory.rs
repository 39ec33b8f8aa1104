//! A journal in memory, for simulations: what survives a crash is what was synced, and sometimes half of the last batch.
//!
//! It stores what [`super::file::JournalFile`] stores and checks what that checks. The disk outlives the journal that
//! writes to it, as a disk does.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harit_engine::Timestamp;

use super::JournalError;
use super::file::{StoredBatch, checksum, disk_full};

/// What errors name in place of a path.
const NAME: &str = "(memory)";
/// How many batches have room in what is kept back.
const RESERVE: usize = 3;
/// How many batches one trimming removes at most.
const TRIM_CHUNK: usize = 512;

#[derive(Debug, Clone)]
struct Stored {
    at: Timestamp,
    crc: u32,
    body: Vec<u8>,
}

#[derive(Debug, Clone, Default)]
struct Platter {
    batches: BTreeMap<u64, Stored>,
    snapshots: BTreeMap<u64, Stored>,
    /// What was acknowledged at least.
    mark: u64,
    /// Whether nothing can be written, and whether room is kept back for stops.
    full: bool,
    reserve: bool,
    /// How many batches there is room for all the same: what was kept back.
    room: usize,
}

/// A disk in memory. Clones are the same disk.
#[derive(Debug, Clone, Default)]
pub struct MemoryDisk(Arc<Mutex<Platter>>);

impl MemoryDisk {
    fn platter(&self) -> MutexGuard<'_, Platter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another disk with the same on it.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self(Arc::new(Mutex::new(self.platter().clone())))
    }

    /// Fills the disk, but for what is kept back, or makes room again.
    pub fn fill(&self, full: bool) {
        let mut platter = self.platter();
        (platter.full, platter.room) = (full, 0);
    }

    /// Damages the last batch and takes back the mark: the write of it was cut off half-way, and nobody was told of it.
    pub fn tear_last_batch(&self) {
        let mut platter = self.platter();
        if let Some((seq, mut last)) = platter.batches.pop_last() {
            let half = last.body.len() / 2;
            last.body.truncate(half);
            platter.batches.insert(seq, last);
            platter.mark = platter.mark.min(seq.saturating_sub(1));
        }
    }

    /// Takes away the last batch and its mark: the write of it never reached the disk, and nobody was told of it.
    pub fn lose_last_batch(&self) {
        let mut platter = self.platter();
        if let Some((seq, _)) = platter.batches.pop_last() {
            platter.mark = platter.mark.min(seq.saturating_sub(1));
        }
    }

    /// The number of the last batch; 0 if there is none.
    #[must_use]
    pub fn last(&self) -> u64 {
        let platter = self.platter();
        let last = |m: &BTreeMap<u64, Stored>| m.last_key_value().map_or(0, |(seq, _)| *seq);
        last(&platter.batches).max(last(&platter.snapshots))
    }

    /// Forgets all snapshots, so that the next start folds everything.
    pub fn drop_snapshots(&self) {
        self.platter().snapshots.clear();
    }
}

/// A journal on a [`MemoryDisk`].
#[derive(Debug)]
pub(crate) struct MemoryJournal {
    disk: MemoryDisk,
    last: u64,
}

fn damaged(what: String) -> JournalError {
    JournalError::Damaged {
        path: NAME.into(),
        what,
    }
}

fn verified(seq: u64, stored: &Stored) -> Result<StoredBatch, JournalError> {
    if checksum(seq, stored.at, &stored.body) != stored.crc {
        return Err(damaged(format!("batch {seq}")));
    }
    Ok(StoredBatch {
        seq,
        at: stored.at,
        body: stored.body.clone(),
    })
}

impl MemoryJournal {
    /// Opens the journal on a disk and checks its end, as a file's is.
    pub(crate) fn open(disk: MemoryDisk) -> Result<Self, JournalError> {
        let last = disk.last();
        let mut platter = disk.platter();
        if platter.mark > last {
            return Err(JournalError::Lost {
                path: NAME.into(),
                last,
                acknowledged: platter.mark,
            });
        }
        if let Some(tail) = platter.batches.get(&last)
            && let Err(e) = verified(last, tail)
        {
            if platter.mark >= last {
                return Err(e);
            }
            platter.batches.remove(&last);
        }
        drop(platter);
        Ok(Self {
            last: disk.last(),
            disk,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(NAME)
    }

    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    #[allow(clippy::unnecessary_wraps, reason = "as the file does")]
    pub(crate) fn append(&mut self, at: Timestamp, _: u64, body: &[u8]) -> rusqlite::Result<u64> {
        let seq = self.last + 1;
        let stored = Stored {
            at,
            crc: checksum(seq, at, body),
            body: body.to_vec(),
        };
        let mut platter = self.disk.platter();
        if platter.full {
            platter.room = platter.room.checked_sub(1).ok_or_else(disk_full)?;
        }
        platter.batches.insert(seq, stored);
        platter.mark = seq;
        self.last = seq;
        Ok(seq)
    }

    pub(crate) fn give_up_reserve(&mut self) -> bool {
        let mut platter = self.disk.platter();
        let had = std::mem::take(&mut platter.reserve);
        if had {
            platter.room = RESERVE;
        }
        had
    }

    pub(crate) fn keep_reserve(&mut self) -> rusqlite::Result<()> {
        let mut platter = self.disk.platter();
        if platter.full && !platter.reserve {
            return Err(disk_full());
        }
        platter.reserve = true;
        Ok(())
    }

    pub(crate) fn read_after<E: From<JournalError>>(
        &self,
        seq: u64,
        mut each: impl FnMut(StoredBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        // Copied, so that the disk is free while each is folded.
        let batches: Vec<(u64, Stored)> = self
            .disk
            .platter()
            .batches
            .range(seq + 1..)
            .map(|(seq, b)| (*seq, b.clone()))
            .collect();
        let mut expected = None;
        for (seq, stored) in &batches {
            if expected.is_some_and(|e| e != *seq) {
                return Err(damaged(format!("a batch before {seq} is missing")).into());
            }
            expected = Some(seq + 1);
            each(verified(*seq, stored)?)?;
        }
        Ok(())
    }

    #[allow(clippy::unnecessary_wraps, reason = "as the file does")]
    pub(crate) fn before_first(&self) -> Result<u64, JournalError> {
        let platter = self.disk.platter();
        let first = platter.batches.first_key_value();
        Ok(first.map_or(self.last, |(seq, _)| seq - 1))
    }

    #[allow(clippy::unnecessary_wraps, reason = "as the file does")]
    pub(crate) fn put_snapshot(
        &mut self,
        seq: u64,
        at: Timestamp,
        body: &[u8],
    ) -> rusqlite::Result<()> {
        let stored = Stored {
            at,
            crc: checksum(seq, at, body),
            body: body.to_vec(),
        };
        self.disk.platter().snapshots.insert(seq, stored);
        self.last = self.last.max(seq);
        Ok(())
    }

    #[allow(clippy::unnecessary_wraps, reason = "as the file does")]
    pub(crate) fn snapshots(&self) -> Result<Vec<(u64, Timestamp)>, JournalError> {
        let platter = self.disk.platter();
        Ok(platter
            .snapshots
            .iter()
            .rev()
            .map(|(seq, s)| (*seq, s.at))
            .collect())
    }

    pub(crate) fn snapshot(&self, seq: u64) -> Result<Vec<u8>, JournalError> {
        let platter = self.disk.platter();
        let stored = platter.snapshots.get(&seq);
        let stored = stored.ok_or_else(|| damaged(format!("snapshot {seq} is missing")))?;
        if checksum(seq, stored.at, &stored.body) != stored.crc {
            return Err(damaged(format!("snapshot {seq}")));
        }
        Ok(stored.body.clone())
    }

    #[allow(clippy::unnecessary_wraps, reason = "as the file does")]
    pub(crate) fn delete_snapshot(&mut self, seq: u64) -> rusqlite::Result<()> {
        self.disk.platter().snapshots.remove(&seq);
        Ok(())
    }

    #[allow(clippy::unnecessary_wraps, reason = "as the file does")]
    pub(crate) fn trim(&mut self, seq: u64) -> rusqlite::Result<bool> {
        let mut platter = self.disk.platter();
        let old: Vec<u64> = platter
            .batches
            .range(..=seq)
            .map(|(seq, _)| *seq)
            .take(TRIM_CHUNK)
            .collect();
        for seq in &old {
            platter.batches.remove(seq);
        }
        Ok(old.len() == TRIM_CHUNK)
    }

    pub(crate) fn bytes(&self) -> u64 {
        let platter = self.disk.platter();
        platter.batches.values().map(|b| b.body.len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seqs(j: &MemoryJournal) -> Vec<u64> {
        let mut all = vec![];
        j.read_after::<JournalError>(0, |b| {
            all.push(b.seq);
            Ok(())
        })
        .unwrap();
        all
    }

    #[test]
    fn what_was_appended_survives_and_a_torn_tail_does_not() {
        let disk = MemoryDisk::default();
        let mut j = MemoryJournal::open(disk.clone()).unwrap();
        for i in 1..=5 {
            j.append(Timestamp::from_millis(i), 1, b"some body")
                .unwrap();
        }
        assert_eq!(
            seqs(&MemoryJournal::open(disk.copy()).unwrap()),
            [1, 2, 3, 4, 5]
        );
        disk.tear_last_batch();
        let j = MemoryJournal::open(disk.clone()).unwrap();
        assert_eq!((j.last(), seqs(&j)), (4, vec![1, 2, 3, 4]));
        disk.lose_last_batch();
        assert_eq!(MemoryJournal::open(disk.clone()).unwrap().last(), 3);
        // What was acknowledged must be there.
        disk.platter().mark = 4;
        assert!(matches!(
            MemoryJournal::open(disk),
            Err(JournalError::Lost { last: 3, .. })
        ));
    }
}
