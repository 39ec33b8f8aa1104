//! A journal in memory, for simulations: what survives a crash is what was synced, and sometimes half of the last batch.
//!
//! It stores what [`crate::JournalFile`] stores and checks what that checks. The disk outlives the journal that
//! writes to it, as a disk does.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound::{Excluded, Included};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harit_engine::{Timestamp, planted};

use crate::journal::checksum;
use crate::{Each, Journal, JournalError, JournalRead, StoredBatch, WriteError};

/// What errors name.
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

impl Stored {
    fn new(seq: u64, at: Timestamp, body: &[u8]) -> Self {
        Self {
            at,
            crc: checksum(seq, at, body),
            body: body.to_vec(),
        }
    }

    fn is_whole(&self, seq: u64) -> bool {
        checksum(seq, self.at, &self.body) == self.crc
    }
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
    /// The next appends that are not answered, and what becomes of each.
    unanswered: VecDeque<Unanswered>,
    /// What is still on its way.
    delayed: Option<Append>,
    /// Where what was not answered is, by its writer and the batch that it comes after: so long it is known there.
    known: BTreeMap<(u64, u64), u64>,
    /// How many journals were opened on it.
    writers: u64,
}

/// What becomes of an append that is not answered.
#[derive(Debug, Clone, Copy)]
enum Unanswered {
    Stored,
    Lost,
    Delayed,
}

/// An append on its way.
#[derive(Debug, Clone)]
struct Append {
    writer: u64,
    after: u64,
    at: Timestamp,
    body: Vec<u8>,
}

impl Platter {
    fn last(&self) -> u64 {
        let last = |m: &BTreeMap<u64, Stored>| m.last_key_value().map_or(0, |(seq, _)| *seq);
        last(&self.batches).max(last(&self.snapshots))
    }

    /// Stores an append of a journal whose last batch is `own`, unless it is there already, and gives its number.
    fn store(&mut self, append: &Append, own: u64) -> Result<u64, WriteError> {
        let Append {
            writer,
            after,
            at,
            ref body,
        } = *append;
        if let Some(seq) = self.known.get(&(writer, after)) {
            return Ok(*seq);
        }
        let last = self.last();
        let is_elsewhere = after != last || after != own;
        if is_elsewhere && !planted!(AppendedAnywhere) {
            let is_that = |b: &Stored| b.at == at && b.body == *body && b.is_whole(last);
            let is_there =
                last.checked_sub(1) == Some(after) && self.batches.get(&last).is_some_and(is_that);
            return if is_there {
                Ok(last)
            } else {
                Err(WriteError::Fenced { after, last })
            };
        }
        if self.full {
            self.room = self.room.checked_sub(1).ok_or_else(full)?;
        }
        let seq = last + 1;
        self.batches.insert(seq, Stored::new(seq, at, body));
        Ok(seq)
    }

    /// What is on its way arrives.
    fn deliver(&mut self) {
        if let Some(append) = self.delayed.take() {
            self.store_unanswered(&append);
        }
    }

    /// Stores what nobody is told of; whatever becomes of it is said to the one that repeats it.
    fn store_unanswered(&mut self, append: &Append) {
        if let Ok(seq) = self.store(append, append.after) {
            self.known.insert((append.writer, append.after), seq);
        }
    }
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

    /// Loses what the next append says, as a network may: what it appends is stored, or is not.
    pub fn lose_answer(&self, is_stored: bool) {
        let becomes = if is_stored {
            Unanswered::Stored
        } else {
            Unanswered::Lost
        };
        self.platter().unanswered.push_back(becomes);
    }

    /// Holds the next append up on its way, until just before the one after it arrives; it is not answered.
    pub fn delay_append(&self) {
        self.platter().unanswered.push_back(Unanswered::Delayed);
    }

    /// Forgets who appended what was not answered: where other batches came after it, one that repeats it is told of those.
    pub fn forget_writers(&self) {
        self.platter().known.clear();
    }

    /// Every append is answered from now on.
    pub fn answer_all(&self) {
        self.platter().unanswered.clear();
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

    /// The number of the last batch or snapshot; 0 if there is none.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.platter().last()
    }

    /// Forgets all snapshots, so that the next start folds everything.
    pub fn drop_snapshots(&self) {
        self.platter().snapshots.clear();
    }
}

/// A journal on a [`MemoryDisk`].
#[derive(Debug)]
pub struct MemoryJournal {
    disk: MemoryDisk,
    /// Which of those that were opened on the disk this one is.
    writer: u64,
    last: u64,
    /// The append that was not answered.
    unknown: Option<Append>,
}

fn damaged(what: String) -> JournalError {
    JournalError::Damaged {
        name: NAME.to_owned(),
        what,
    }
}

fn unanswered() -> WriteError {
    WriteError::Unavailable("it is not known whether the last append is there".to_owned())
}

fn full() -> WriteError {
    WriteError::Full("the disk in memory is full".to_owned())
}

impl MemoryJournal {
    /// Opens the journal on a disk and checks its end, as a file's is.
    ///
    /// # Errors
    /// When it is damaged, or has lost what was acknowledged.
    pub fn open(disk: MemoryDisk) -> Result<Self, JournalError> {
        let mut platter = disk.platter();
        let last = platter.last();
        if platter.mark > last {
            return Err(JournalError::Lost {
                name: NAME.to_owned(),
                last,
                acknowledged: platter.mark,
            });
        }
        if platter
            .batches
            .get(&last)
            .is_some_and(|tail| !tail.is_whole(last))
        {
            if platter.mark >= last {
                return Err(damaged(format!("batch {last}")));
            }
            platter.batches.remove(&last);
        }
        let last = platter.last();
        platter.writers += 1;
        let writer = platter.writers;
        drop(platter);
        Ok(Self {
            disk,
            writer,
            last,
            unknown: None,
        })
    }
}

impl JournalRead for MemoryJournal {
    fn name(&self) -> &str {
        NAME
    }

    fn before_first(&self) -> Result<u64, JournalError> {
        let platter = self.disk.platter();
        let first = platter.batches.first_key_value();
        Ok(first.map_or_else(|| platter.last(), |(seq, _)| seq - 1))
    }

    fn read(&self, after: u64, through: u64, each: Each<'_>) -> Result<(), JournalError> {
        if through <= after {
            return Ok(());
        }
        // Copied, so that the disk is free while each is folded.
        let platter = self.disk.platter();
        let first = platter.batches.keys().next().copied().unwrap_or_default();
        let range = platter.batches.range((Excluded(after), Included(through)));
        let batches: Vec<(u64, Stored)> = range.map(|(seq, b)| (*seq, b.clone())).collect();
        drop(platter);
        let mut before = after;
        for (seq, stored) in batches {
            if !stored.is_whole(seq) {
                return Err(damaged(format!("batch {seq}")));
            }
            if seq != first.max(before + 1) {
                return Err(damaged(format!("a batch before {seq} is missing")));
            }
            before = seq;
            let Stored { at, body, .. } = stored;
            if each(StoredBatch { seq, at, body }).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn snapshots(&self) -> Result<Vec<(u64, Timestamp)>, JournalError> {
        let platter = self.disk.platter();
        let newest_first = platter.snapshots.iter().rev();
        Ok(newest_first.map(|(seq, s)| (*seq, s.at)).collect())
    }

    fn snapshot(&self, seq: u64) -> Result<Vec<u8>, JournalError> {
        let platter = self.disk.platter();
        let stored = platter.snapshots.get(&seq);
        let stored = stored.ok_or_else(|| damaged(format!("snapshot {seq} is missing")))?;
        if !stored.is_whole(seq) {
            return Err(damaged(format!("snapshot {seq}")));
        }
        Ok(stored.body.clone())
    }
}

impl Journal for MemoryJournal {
    fn last(&self) -> u64 {
        self.last
    }

    fn append(
        &mut self,
        after: u64,
        at: Timestamp,
        _: u64,
        body: &[u8],
    ) -> Result<u64, WriteError> {
        let is_another = |a: &Append| (a.after, a.at, &*a.body) != (after, at, body);
        if self.unknown.as_ref().is_some_and(is_another) {
            return Err(unanswered());
        }
        let append = Append {
            writer: self.writer,
            after,
            at,
            body: body.to_vec(),
        };
        let mut platter = self.disk.platter();
        platter.deliver();
        match platter.unanswered.pop_front() {
            None => {
                self.unknown = None;
                let seq = platter.store(&append, self.last)?;
                platter.known.remove(&(self.writer, after));
                platter.mark = platter.mark.max(seq);
                self.last = seq;
                return Ok(seq);
            }
            Some(Unanswered::Stored) => platter.store_unanswered(&append),
            Some(Unanswered::Delayed) => platter.delayed = Some(append.clone()),
            Some(Unanswered::Lost) => {}
        }
        drop(platter);
        self.unknown = Some(append);
        Err(unanswered())
    }

    fn put_snapshot(&mut self, seq: u64, at: Timestamp, body: &[u8]) -> Result<(), WriteError> {
        let stored = Stored::new(seq, at, body);
        self.disk.platter().snapshots.insert(seq, stored);
        self.last = self.last.max(seq);
        Ok(())
    }

    fn delete_snapshot(&mut self, seq: u64) -> Result<(), WriteError> {
        self.disk.platter().snapshots.remove(&seq);
        Ok(())
    }

    fn trim(&mut self, through: u64) -> Result<bool, WriteError> {
        let mut platter = self.disk.platter();
        let old = platter.batches.range(..=through).take(TRIM_CHUNK);
        let old: Vec<u64> = old.map(|(seq, _)| *seq).collect();
        for seq in &old {
            platter.batches.remove(seq);
        }
        Ok(old.len() == TRIM_CHUNK)
    }

    fn bytes(&self) -> u64 {
        let platter = self.disk.platter();
        platter.batches.values().map(|b| b.body.len() as u64).sum()
    }

    fn keep_reserve(&mut self) -> Result<(), WriteError> {
        let mut platter = self.disk.platter();
        if platter.full && !platter.reserve {
            return Err(full());
        }
        platter.reserve = true;
        Ok(())
    }

    fn give_up_reserve(&mut self) -> bool {
        let mut platter = self.disk.platter();
        let had = std::mem::take(&mut platter.reserve);
        if had {
            platter.room = RESERVE;
        }
        had
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{self, Place};

    impl Place for MemoryDisk {
        fn open(&self) -> Result<Box<dyn Journal>, JournalError> {
            Ok(Box::new(MemoryJournal::open(self.clone())?))
        }

        fn damage_batch(&self, seq: u64) -> Option<()> {
            self.platter().batches.get_mut(&seq).unwrap().body.push(0);
            Some(())
        }

        fn lose_batch(&self, seq: u64) -> Option<()> {
            self.platter().batches.remove(&seq).unwrap();
            Some(())
        }

        fn damage_snapshot(&self, seq: u64) -> Option<()> {
            self.platter().snapshots.get_mut(&seq).unwrap().body.push(0);
            Some(())
        }

        fn acknowledge_only(&self, through: u64) -> Option<()> {
            self.platter().mark = through;
            Some(())
        }

        fn fill(&self, full: bool) -> Option<()> {
            Self::fill(self, full);
            Some(())
        }
    }

    #[test]
    fn it_does_what_a_journal_does() {
        assert_eq!(conformance::run(MemoryDisk::default), [""; 0]);
    }

    #[test]
    fn an_append_that_is_not_answered_is_repeated_before_any_other() {
        let at = Timestamp::from_millis(1);
        for is_stored in [true, false] {
            let disk = MemoryDisk::default();
            let mut j = MemoryJournal::open(disk.clone()).unwrap();
            disk.lose_answer(is_stored);
            assert_eq!(j.append(0, at, 1, b"a"), Err(unanswered()));
            assert_eq!((j.last(), disk.last()), (0, u64::from(is_stored)));
            let later = Timestamp::from_millis(2);
            assert_eq!(j.append(0, later, 1, b"a"), Err(unanswered()));
            assert_eq!(j.append(0, at, 1, b"b"), Err(unanswered()));
            assert_eq!(j.append(0, at, 1, b"a"), Ok(1));
            assert_eq!(j.append(1, later, 1, b"b"), Ok(2));
            // Who opens it anew finds what is there.
            disk.lose_answer(is_stored);
            assert_eq!(j.append(2, later, 1, b"c"), Err(unanswered()));
            let anew = MemoryJournal::open(disk).unwrap();
            assert_eq!(anew.last(), 2 + u64::from(is_stored));
        }
    }

    #[test]
    fn an_append_that_was_held_up_arrives_before_the_next_one() {
        let at = Timestamp::from_millis(1);
        let disk = MemoryDisk::default();
        let mut old = MemoryJournal::open(disk.clone()).unwrap();
        disk.delay_append();
        assert_eq!(old.append(0, at, 1, b"old"), Err(unanswered()));
        let mut new = MemoryJournal::open(disk.clone()).unwrap();
        assert_eq!((new.last(), disk.last()), (0, 0));
        let fenced = WriteError::Fenced { after: 0, last: 1 };
        assert_eq!(new.append(0, at, 1, b"new"), Err(fenced));
        assert_eq!(old.append(0, at, 1, b"old"), Ok(1));
    }

    #[test]
    fn one_that_was_stored_is_known_although_others_came_after_it() {
        let at = Timestamp::from_millis(1);
        for forgotten in [false, true] {
            let disk = MemoryDisk::default();
            let mut old = MemoryJournal::open(disk.clone()).unwrap();
            disk.lose_answer(true);
            assert_eq!(old.append(0, at, 1, b"old"), Err(unanswered()));
            let mut new = MemoryJournal::open(disk.clone()).unwrap();
            assert_eq!(new.append(1, at, 1, b"new"), Ok(2));
            if forgotten {
                disk.forget_writers();
                let fenced = WriteError::Fenced { after: 0, last: 2 };
                assert_eq!(old.append(0, at, 1, b"old"), Err(fenced));
            } else {
                assert_eq!(old.append(0, at, 1, b"old"), Ok(1));
                let fenced = WriteError::Fenced { after: 1, last: 2 };
                assert_eq!(old.append(1, at, 1, b"more"), Err(fenced));
            }
        }
    }

    #[test]
    fn what_was_appended_survives_and_what_was_not_told_may_not() {
        let disk = MemoryDisk::default();
        let mut j = MemoryJournal::open(disk.clone()).unwrap();
        for after in 0..5 {
            let at = Timestamp::from_millis(1);
            j.append(after, at, 1, b"some body").unwrap();
        }
        let copy = disk.copy();
        disk.tear_last_batch();
        assert_eq!(MemoryJournal::open(disk.clone()).unwrap().last(), 4);
        disk.lose_last_batch();
        assert_eq!(MemoryJournal::open(disk).unwrap().last(), 3);
        assert_eq!(MemoryJournal::open(copy).unwrap().last(), 5);
    }
}
