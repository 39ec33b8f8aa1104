//! The journal as a log: from the newest state before an instant on.

use std::collections::VecDeque;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use harit_engine::{Engine, FarmId, Timestamp};
use harit_farm::codec::{self, BadBody, BodyReader, Entry};
use harit_farm::{Farm, Record};
use harit_journal::{JournalError, JournalRead, ReadJournals, Reader, StoredBatch};

use super::trace::RecordId;
use super::{Heard, Log, PastError, Stop, Watch};
use crate::shard::snapshot;

/// So many batches are read at once: a reader that stays keeps the journal from being tidied.
const BATCHES: u64 = 512;
/// So many parts that were read wait at most.
const MAX_WAITING: usize = 2;
/// After so many batches the state is kept, so that the next question about that time begins there.
const KEEP_EVERY: u64 = 4_096;
/// After fewer none is kept.
const WORTH_KEEPING: u64 = 256;
/// How many states are kept.
const MAX_PLACES: usize = 24;

/// A place in a journal: the file and the last batch that was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    generation: u64,
    seq: u64,
}

/// States of farms in the middle of their journals, kept for who asks next. Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub struct Places(Arc<Mutex<VecDeque<Place>>>);

struct Place {
    position: Position,
    at: Timestamp,
    farm: Arc<Farm>,
}

impl Places {
    fn put(&self, position: Position, at: Timestamp, farm: &Farm) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |p: &Place| p.position == position && p.farm.id() == farm.id();
        if all.iter().any(same) {
            return;
        }
        while all.len() >= MAX_PLACES {
            all.pop_front();
        }
        let farm = Arc::new(farm.clone());
        all.push_back(Place { position, at, farm });
    }

    /// The newest of a generation that is not after an instant, and from which all is still there.
    fn before(
        &self,
        farm: &FarmId,
        generation: u64,
        first: u64,
        at: Timestamp,
    ) -> Option<(Position, Timestamp, Farm)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |p: &&Place| {
            p.position.generation == generation
                && p.position.seq >= first
                && p.at <= at
                && p.farm.id() == farm
        };
        let best = all.iter().filter(fits).max_by_key(|p| p.position.seq)?;
        Some((best.position, best.at, (*best.farm).clone()))
    }
}

/// Writes records as lines.
struct Lines<'a> {
    out: &'a mut dyn Write,
    line: Vec<u8>,
    count: u64,
}

impl Watch for Lines<'_> {
    fn record(&mut self, _: RecordId, at: Timestamp, record: &Record<'_>) -> Result<(), PastError> {
        self.line.clear();
        record.line(at).write(&mut self.line)?;
        self.count += 1;
        Ok(self.out.write_all(&self.line)?)
    }

    fn after(&mut self, _: &Farm, _: &Heard) {}
}

/// A farm's journal, read from an instant on.
pub struct JournalLog {
    id: FarmId,
    farm: Farm,
    /// The files that are still to be read, each with the batch after which.
    files: VecDeque<(u64, Reader, u64)>,
    at: Timestamp,
    position: Option<Position>,
    places: Places,
    bodies: BodyReader,
    heard: Heard,
}

impl JournalLog {
    /// Opens the journal of a farm so that everything up to an instant, and after it, can be applied.
    ///
    /// # Errors
    /// When it cannot be read, or begins later.
    pub fn open(
        journals: &dyn ReadJournals,
        farm: &FarmId,
        at: Timestamp,
        places: &Places,
    ) -> Result<Self, PastError> {
        let mut later = VecDeque::new();
        let mut begins = None;
        for of in journals.generations()?.into_iter().rev() {
            let generation = of.generation;
            let Some(reader) = journals.reader(generation, of.shard_of(farm.as_str()))? else {
                continue;
            };
            match start(&*reader, farm, generation, at, places)? {
                Start::At(seq, since, fold) => {
                    later.push_front((generation, reader, seq));
                    return Ok(Self {
                        id: farm.clone(),
                        farm: fold,
                        files: later,
                        at: since,
                        position: None,
                        places: places.clone(),
                        bodies: BodyReader::default(),
                        heard: Heard::default(),
                    });
                }
                Start::Later(first) => {
                    begins = first.or(begins);
                    let before = reader.before_first()?;
                    later.push_front((generation, reader, before));
                }
                Start::Came => break,
            }
        }
        Err(PastError::TooEarly { begins })
    }

    /// Writes everything up to an instant as lines of inputs, which `harit replay` takes, and applies it. Returns how many.
    ///
    /// # Errors
    /// When the log cannot be read, it is to stop, or the output cannot be written.
    pub fn export(
        &mut self,
        to: Timestamp,
        stop: &Stop,
        out: &mut dyn Write,
    ) -> Result<u64, PastError> {
        let mut lines = Lines {
            out,
            line: Vec::new(),
            count: 0,
        };
        self.apply_until(to, stop, &mut lines)?;
        Ok(lines.count)
    }

    fn batch(
        &mut self,
        generation: u64,
        batch: &StoredBatch,
        watch: &mut dyn Watch,
    ) -> Result<(), PastError> {
        let Self {
            id,
            farm: fold,
            bodies,
            heard,
            ..
        } = self;
        let mut next = RecordId {
            generation,
            batch: batch.seq,
            record: 0,
        };
        bodies.read::<PastError>(&batch.body, batch.at, |entry| {
            if let Entry::Of { farm, record } = entry
                && farm == id.as_str()
            {
                next.record += 1;
                if makes_sense(fold, &record) {
                    watch.record(next, batch.at, &record)?;
                    watch.before(fold, batch.at);
                    heard.clear();
                    fold.apply(batch.at, record, heard);
                    watch.after(fold, heard);
                }
            }
            Ok(())
        })?;
        self.at = batch.at;
        match self.farm.failed() {
            Some(why) => Err(PastError::Failed(why.to_owned())),
            None => Ok(()),
        }
    }
}

/// Whether an input is still one when its turn comes.
fn makes_sense(farm: &Farm, record: &Record<'_>) -> bool {
    match record {
        Record::Input(input) | Record::Authored { input, .. } => farm.engine().check(input).is_ok(),
        _ => true,
    }
}

#[allow(clippy::large_enum_variant, reason = "one is made a question")]
enum Start {
    /// After this batch, the farm being so since then.
    At(u64, Timestamp, Farm),
    /// What there is begins later: then.
    Later(Option<Timestamp>),
    /// It begins without the farm, which came later: nothing older leads to it.
    Came,
}

/// Where to begin in a file.
fn start(
    reader: &dyn JournalRead,
    farm: &FarmId,
    generation: u64,
    at: Timestamp,
    places: &Places,
) -> Result<Start, PastError> {
    let before = reader.before_first()?;
    let kept = places.before(farm, generation, before, at);
    let snapshots = reader.snapshots()?;
    let usable = || snapshots.iter().filter(|(seq, _)| *seq >= before);
    for (seq, since) in usable().filter(|(_, since)| *since <= at) {
        if let Some((position, since, fold)) = kept.clone().filter(|(p, ..)| p.seq >= *seq) {
            return Ok(Start::At(position.seq, since, fold));
        }
        let Ok(farms) = snapshot::restore(&reader.snapshot(*seq)?) else {
            continue;
        };
        if let Some(found) = farms.into_iter().find(|f| f.id() == farm) {
            return Ok(Start::At(*seq, *since, found.fold));
        }
    }
    if let Some((position, since, fold)) = kept {
        return Ok(Start::At(position.seq, since, fold));
    }
    let oldest = usable().next_back().map(|(_, since)| *since);
    if before > 0 {
        let is_without = snapshot::begins_without(reader, farm.as_str())?;
        return Ok(match is_without {
            true => Start::Came,
            false => Start::Later(oldest),
        });
    }
    match added(reader, farm)? {
        Some((seq, since, fold)) if since <= at => Ok(Start::At(seq, since, fold)),
        found => Ok(Start::Later(found.map(|(_, since, _)| since).or(oldest))),
    }
}

/// The batch in which a farm was added, with what it was then: as after all that this batch has of it.
fn added(
    reader: &dyn JournalRead,
    id: &FarmId,
) -> Result<Option<(u64, Timestamp, Farm)>, PastError> {
    let (mut found, mut failed): (Option<(u64, Timestamp, Farm)>, _) = (None, None);
    reader.read(0, u64::MAX, &mut |batch| {
        let mut fold = None;
        let read = codec::read::<BadBody>(&batch.body, batch.at, |entry| {
            match entry {
                Entry::Farm(document) if document.farm.id == *id => {
                    let engine = Engine::new(&document).map_err(BadBody::new)?;
                    fold = Some(Farm::new(engine));
                }
                Entry::Of { farm, record } if farm == id.as_str() => {
                    if let Some(fold) = fold.as_mut()
                        && makes_sense(fold, &record)
                    {
                        fold.apply(batch.at, record, &mut ());
                    }
                }
                _ => {}
            }
            Ok(())
        });
        failed = read.err();
        found = fold.map(|fold| (batch.seq, batch.at, fold));
        match found.is_some() || failed.is_some() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    match failed {
        Some(e) => Err(e.into()),
        None => Ok(found),
    }
}

/// Some batches in their order, or why there are none.
type Part = Result<Vec<StoredBatch>, JournalError>;

/// Reads what comes after a batch in parts, up to the part that goes past an instant or ends before it is full.
fn read_ahead(
    reader: &mut (dyn JournalRead + Send),
    after: u64,
    to: Timestamp,
    parts: &SyncSender<Part>,
) {
    let mut last = after;
    loop {
        let mut batches = Vec::new();
        let through = last.saturating_add(BATCHES);
        let read = reader.read(last, through, &mut |batch| {
            batches.push(batch);
            ControlFlow::Continue(())
        });
        last = through;
        let goes_on =
            read.is_ok() && is_full(&batches) && batches.last().is_some_and(|b| b.at <= to);
        let sent = parts.send(read.map(|_| batches));
        if sent.is_err() || !goes_on {
            return;
        }
    }
}

const fn is_full(part: &[StoredBatch]) -> bool {
    part.len() as u64 == BATCHES
}

impl JournalLog {
    /// Applies everything up to an instant, while another thread reads what comes next. Returns after how many batches.
    pub(super) fn apply_until(
        &mut self,
        to: Timestamp,
        stop: &Stop,
        watch: &mut dyn Watch,
    ) -> Result<u64, PastError> {
        let from = self.at;
        let mut applied = 0;
        while let Some((generation, mut reader, after)) = self.files.pop_front() {
            let mut last = after;
            let ended = thread::scope(|scope| {
                let (send, parts) = mpsc::sync_channel(MAX_WAITING);
                let reader = &mut *reader;
                scope.spawn(move || read_ahead(reader, after, to, &send));
                for part in parts {
                    let part = part?;
                    for batch in &part {
                        if batch.at > to {
                            return Ok(false);
                        }
                        if batch.seq != last + 1 {
                            // Trimmed meanwhile.
                            let begins = Some(batch.at);
                            return Err(PastError::TooEarly { begins });
                        }
                        stop.check()?;
                        self.batch(generation, batch, watch)?;
                        last = batch.seq;
                        self.position = Some(Position {
                            generation,
                            seq: last,
                        });
                        applied += 1;
                        if applied % KEEP_EVERY == 0 {
                            self.keep_place();
                        }
                        stop.has_done(from, to, batch.at);
                    }
                    if !is_full(&part) {
                        return Ok(true);
                    }
                }
                Ok(false)
            });
            let goes_on = matches!(ended, Ok(true)) && !self.files.is_empty();
            if !goes_on {
                self.files.push_front((generation, reader, last));
                ended?;
                break;
            }
        }
        Ok(applied)
    }

    fn keep_place(&self) {
        if let Some(position) = self.position {
            self.places.put(position, self.at, &self.farm);
        }
    }
}

impl Log for JournalLog {
    fn farm(&self) -> &Farm {
        &self.farm
    }

    fn follow(
        &mut self,
        to: Timestamp,
        stop: &Stop,
        watch: &mut dyn Watch,
    ) -> Result<(), PastError> {
        if self.apply_until(to, stop, watch)? >= WORTH_KEEPING {
            self.keep_place();
        }
        Ok(())
    }
}
