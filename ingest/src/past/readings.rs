//! Every value that sensors said, as a shard's journal has it: what an archive is made of. The same fold, beside the running server.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use harit_engine::{Engine, FarmId, Timestamp};
use harit_farm::codec::{BadBody, BodyReader, Entry};
use harit_farm::{Farm, Observer, Reading, Sensor};
use harit_journal::{JournalError, JournalRead, ReadJournals, Reader, StoredBatch};

use super::{PastError, Stop};
use crate::shard::snapshot;

/// So many batches are read at once: a reader that stays keeps the journal from being tidied.
const BATCHES: u64 = 512;

/// A shard's journal of one generation.
#[derive(Clone)]
pub struct ShardJournal {
    /// The generation.
    pub generation: u64,
    /// The shard.
    pub shard: usize,
    journals: Arc<dyn ReadJournals>,
}

impl ShardJournal {
    fn reader(&self) -> Result<Option<Reader>, JournalError> {
        self.journals.reader(self.generation, self.shard)
    }
}

impl fmt::Debug for ShardJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardJournal")
            .field("generation", &self.generation)
            .field("shard", &self.shard)
            .finish_non_exhaustive()
    }
}

/// The journals of a server that are still there, the oldest generation first.
///
/// # Errors
/// When they cannot be read, or there is none.
pub fn shard_journals(journals: &Arc<dyn ReadJournals>) -> Result<Vec<ShardJournal>, PastError> {
    let all = journals.generations()?;
    let Some(current) = all.last().map(|g| g.generation) else {
        return Err(PastError::TooEarly { begins: None });
    };
    let mut there = Vec::new();
    for of in all {
        for shard in 0..of.shards {
            let journal = ShardJournal {
                generation: of.generation,
                shard,
                journals: journals.clone(),
            };
            // Those of an older generation are removed one by one.
            if of.generation == current || journal.reader()?.is_some() {
                there.push(journal);
            }
        }
    }
    Ok(there)
}

/// A value that a sensor said.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// The farm.
    pub farm: &'a FarmId,
    /// When it was journaled.
    pub journaled_at: Timestamp,
    /// The batch of the journal.
    pub batch: u64,
    /// The sensor.
    pub sensor: &'a Sensor,
    /// The value, and when it was true.
    pub reading: Reading,
}

/// Up to where a journal was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadTo {
    /// The last batch.
    pub batch: u64,
    /// Batches that were asked for and are not there any more.
    pub missing: u64,
}

/// Gives every value in the batches after `after` that were journaled before an instant, in order, of the farms that are wanted.
/// What begins after a gap begins with the oldest state after it.
///
/// # Errors
/// When the journal cannot be read, it is to stop, or `each` fails.
pub fn readings<E: From<PastError>>(
    journal: &ShardJournal,
    after: u64,
    before: Timestamp,
    wanted: impl Fn(&str) -> bool,
    stop: &Stop,
    each: &mut dyn FnMut(Said<'_>) -> Result<(), E>,
) -> Result<ReadTo, E> {
    let mut follower = Follower::open(journal, after, wanted)?;
    while follower.advance(before, stop, each)? {}
    Ok(follower.read_to())
}

/// Goes through a journal as it grows, and keeps the state up to where it is.
pub struct Follower<W> {
    reader: Reader,
    wanted: W,
    farms: BTreeMap<FarmId, Farm>,
    bodies: BodyReader,
    /// What is in batches up to here was told before.
    after: u64,
    began: u64,
    last: u64,
}

impl<W: Fn(&str) -> bool> Follower<W> {
    /// Begins with the newest state that is not newer than batch `after`; only what comes after that batch is told. After a gap it
    /// begins with the oldest state after it.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn open(journal: &ShardJournal, after: u64, wanted: W) -> Result<Self, PastError> {
        let reader = journal.reader()?;
        let reader = reader.ok_or(PastError::TooEarly { begins: None })?;
        let (began, farms) = beginning(&*reader, after, &wanted)?;
        Ok(Self {
            reader,
            wanted,
            farms,
            bodies: BodyReader::default(),
            after,
            began,
            last: began,
        })
    }

    /// Up to where it is.
    #[must_use]
    pub fn read_to(&self) -> ReadTo {
        ReadTo {
            batch: self.last.max(self.after),
            missing: self.began.saturating_sub(self.after),
        }
    }

    /// Gives the values of some further batches, as far as they were journaled before an instant; whether there may be more.
    ///
    /// # Errors
    /// When the journal cannot be read or was trimmed of what comes next, it is to stop, or `each` fails; then it is of no use any more.
    pub fn advance<E: From<PastError>>(
        &mut self,
        before: Timestamp,
        stop: &Stop,
        each: &mut dyn FnMut(Said<'_>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut batches: Vec<StoredBatch> = Vec::new();
        let through = self.last.saturating_add(BATCHES);
        let read = self.reader.read(self.last, through, &mut |batch| {
            batches.push(batch);
            ControlFlow::Continue(())
        });
        read.map_err(PastError::from)?;
        for batch in &batches {
            stop.check()?;
            if batch.seq != self.last + 1 {
                let begins = Some(batch.at);
                return Err(PastError::TooEarly { begins }.into());
            }
            if batch.at >= before {
                return Ok(false);
            }
            self.apply(batch, each)?;
            self.last = batch.seq;
        }
        let more = batches.len() as u64 == BATCHES;
        if !more {
            // A journal that ends before what was read of it was put back from a backup: what comes now is new.
            self.after = self.after.min(self.last);
        }
        Ok(more)
    }

    fn apply<E: From<PastError>>(
        &mut self,
        batch: &StoredBatch,
        each: &mut dyn FnMut(Said<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_new = batch.seq > self.after;
        let (wanted, farms) = (&self.wanted, &mut self.farms);
        let mut failed = Ok(());
        let read = { &mut self.bodies }.read::<BadBody>(&batch.body, batch.at, |entry| {
            match entry {
                Entry::Farm(document) if wanted(document.farm.id.as_str()) => {
                    let engine = Engine::new(&document).map_err(BadBody::new)?;
                    let farm = Farm::new(engine);
                    farms.insert(document.farm.id.clone(), farm);
                }
                Entry::Of { farm, record } => {
                    if let Some(fold) = farms.get_mut(farm) {
                        let id = fold.id().clone();
                        let mut telling = Telling {
                            id: &id,
                            batch,
                            each: is_new.then_some(&mut *each),
                            failed: &mut failed,
                        };
                        fold.apply(batch.at, record, &mut telling);
                    }
                }
                Entry::Farm(_) => {}
            }
            Ok(())
        });
        failed?;
        Ok(read.map_err(PastError::from)?)
    }
}

/// The newest state that is not newer than a batch and from which all is still there, else the oldest one.
fn beginning(
    reader: &dyn JournalRead,
    after: u64,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<(u64, BTreeMap<FarmId, Farm>), PastError> {
    let before = reader.before_first()?;
    let snapshots = reader.snapshots()?;
    let usable = snapshots.iter().map(|(seq, _)| *seq);
    let usable = usable.filter(|seq| *seq >= before);
    let (not_newer, newer): (Vec<u64>, Vec<u64>) = usable.partition(|seq| *seq <= after);
    let genesis = before == 0;
    // Newest first, and then those after it from the oldest on; a journal that is whole can be read from its first batch.
    let newer = newer.into_iter().rev().filter(|_| !genesis);
    for seq in not_newer.into_iter().chain(newer) {
        let Ok(farms) = snapshot::restore(&reader.snapshot(seq)?) else {
            continue;
        };
        let farms = farms.into_iter().map(|f| (f.id().clone(), f.fold));
        return Ok((seq, farms.filter(|(id, _)| wanted(id.as_str())).collect()));
    }
    match genesis {
        true => Ok((0, BTreeMap::new())),
        false => Err(PastError::TooEarly { begins: None }),
    }
}

/// Is given each value.
type Each<'e, E> = dyn FnMut(Said<'_>) -> Result<(), E> + 'e;

struct Telling<'a, 'e, E> {
    id: &'a FarmId,
    batch: &'a StoredBatch,
    each: Option<&'a mut Each<'e, E>>,
    failed: &'a mut Result<(), E>,
}

impl<E> Observer for Telling<'_, '_, E> {
    fn reading(&mut self, _: u32, sensor: &Sensor, reading: Reading) {
        if self.failed.is_ok()
            && let Some(each) = &mut self.each
        {
            *self.failed = each(Said {
                farm: self.id,
                journaled_at: self.batch.at,
                batch: self.batch.seq,
                sensor,
                reading,
            });
        }
    }
}
