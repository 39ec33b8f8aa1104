//! How a store is opened: before a start goes on or, where it refuses or does not answer, beside it.
//!
//! Farms that are there must not wait for their charts: a power cut may take the database's disk and leave the fans. A start goes on
//! without the store then. What is decided meanwhile waits in the writer's queue and with the shards; once the store
//! opens, it is given what it lacks of the journals up to that start, and then what waited.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError};
use std::time::{Duration, Instant};

use harit_journal::JournalError;

use super::positions::Positions;
use super::seam::{NotOpen, Store, StoreError};
use super::store::HistoryStore;
use super::told::{Fold, Write};
use super::{HistoryPlace, postgres, sqlite};

/// How long a start waits for a store before it goes on without.
const START_WAIT: Duration = Duration::from_secs(5);
/// How long a start waits that cannot go on without: the first one of a data directory.
const FIRST_WAIT: Duration = Duration::from_secs(60);
/// How often opening it is tried.
const AGAIN: Duration = Duration::from_secs(1);
/// How often it is told in the log that it is not there.
const TELL_AGAIN: Duration = Duration::from_secs(60);

/// What a shard's journal has after a batch, up to the start.
pub(crate) type Missing = Box<dyn Fn(usize, u64) -> Result<Vec<Write>, JournalError> + Send>;

/// What a store is to have that was not there at the start.
pub(crate) struct Lacking {
    pub(crate) generation: u64,
    /// Where each shard's journal ended at the start.
    pub(crate) ends: Vec<u64>,
    pub(crate) missing: Missing,
}

/// How the writer begins.
pub(super) enum Begin {
    /// The start knows what the store has.
    Open,
    /// The start went on without it.
    Later(Lacking),
}

/// A store that was asked to open.
pub(crate) enum Opened {
    There(HistoryStore),
    Away(Away),
}

/// A store that is not open yet.
pub(crate) struct Away {
    store: HistoryStore,
    why: StoreError,
    link: Link,
}

/// The start's side of the writer's thread.
pub(super) struct Link {
    pub(super) attempts: Receiver<Result<(), NotOpen>>,
    pub(super) begin: Sender<Begin>,
}

impl Opened {
    /// Waits for the first attempt to open it.
    pub(super) fn of(store: HistoryStore, link: Link) -> Self {
        let why = match link.attempts.recv_timeout(START_WAIT) {
            Ok(Ok(())) => {
                // The thread waits for this.
                let _ = link.begin.send(Begin::Open);
                return Self::There(store);
            }
            Ok(Err(e)) => e.why,
            Err(_) => "it does not answer in time".into(),
        };
        Self::Away(Away { store, why, link })
    }

    /// The store, for whoever can do nothing without it.
    pub(crate) fn now(self) -> Result<HistoryStore, StoreError> {
        match self {
            Self::There(store) => Ok(store),
            Self::Away(away) => away.wait(),
        }
    }
}

impl Away {
    /// Waits while it may come.
    fn wait(self) -> Result<HistoryStore, StoreError> {
        let began = Instant::now();
        let mut why = self.why;
        loop {
            let left = FIRST_WAIT.saturating_sub(began.elapsed());
            match self.link.attempts.recv_timeout(left) {
                Ok(Ok(())) => {
                    let _ = self.link.begin.send(Begin::Open);
                    return Ok(self.store);
                }
                Ok(Err(e)) if e.may_come => why = e.why,
                Ok(Err(e)) => return Err(e.why),
                Err(_) => return Err(why),
            }
        }
    }

    /// Goes on without it: as soon as it opens it is given what it lacks.
    pub(crate) fn later(self, lacking: Lacking) -> HistoryStore {
        tracing::error!(
            error = self.why,
            "the history cannot be opened: control goes on without charts and log, and it gets what it lacks as soon as it can be"
        );
        metrics::gauge!("harit_history_writable").set(0.0);
        let _ = self.link.begin.send(Begin::Later(lacking));
        self.store
    }
}

fn open(place: &HistoryPlace) -> Result<Box<dyn Store>, NotOpen> {
    match place {
        HistoryPlace::File(path) => sqlite::SqliteStore::open(path)
            .map(|store| Box::new(store) as _)
            .map_err(|why| NotOpen {
                why,
                may_come: false,
            }),
        HistoryPlace::Postgres(url) => {
            postgres::PostgresStore::open(url).map(|store| Box::new(store) as _)
        }
    }
}

/// Opens the store, as often as it takes, and gives it what it lacks; `None` where nobody wants it any more. For the writer's thread.
pub(super) fn opened(
    place: &HistoryPlace,
    attempts: &SyncSender<Result<(), NotOpen>>,
    begin: &Receiver<Begin>,
    positions: &Positions,
) -> Option<Box<dyn Store>> {
    let mut told: Option<Instant> = None;
    let mut lacking = None;
    loop {
        let why = match open(place) {
            Ok(mut store) => {
                if lacking.is_none() {
                    let _ = attempts.send(Ok(()));
                    lacking = begin.recv().ok();
                }
                let given = match &lacking {
                    None => return None,
                    Some(Begin::Open) => return Some(store),
                    Some(Begin::Later(lacking)) => give(&mut *store, lacking, positions),
                };
                match given {
                    Ok(()) => return Some(store),
                    Err(why) => why,
                }
            }
            Err(e) => {
                let why = e.why.to_string();
                let _ = attempts.try_send(Err(e));
                why.into()
            }
        };
        metrics::counter!("harit_history_errors_total").increment(1);
        if told.is_none_or(|t| t.elapsed() >= TELL_AGAIN) {
            told = Some(Instant::now());
            tracing::warn!(error = why, "the history cannot be opened; trying again");
        }
        // Whoever closes waits for this thread.
        let again = Instant::now() + AGAIN;
        while Instant::now() < again {
            if positions.closing.load(Ordering::Acquire) {
                return None;
            }
            match begin.try_recv() {
                Ok(b) => lacking = Some(b),
                Err(TryRecvError::Disconnected) if lacking.is_none() => return None,
                Err(_) => {}
            }
            std::thread::sleep(AGAIN / 20);
        }
    }
}

/// Gives the store what it lacks of the journals up to the start.
fn give(store: &mut dyn Store, lacking: &Lacking, positions: &Positions) -> Result<(), StoreError> {
    let stored = store.watermarks(lacking.generation)?;
    let mut writes = Vec::new();
    for (shard, &end) in lacking.ends.iter().enumerate() {
        let has = stored.iter().find(|(s, _)| *s == shard).map_or(0, |s| s.1);
        if has > end {
            writes.push(set_back(lacking.generation, shard, end, has));
        } else if has < end {
            writes.extend(missing(lacking, shard, has, end));
        }
    }
    if !writes.is_empty() {
        store.write(&writes)?;
    }
    let ends = lacking.ends.iter().copied().enumerate().collect();
    positions.begin(lacking.generation, ends);
    positions.writable.store(true, Ordering::Release);
    metrics::gauge!("harit_history_writable").set(1.0);
    tracing::info!("the history is open, and has what it lacked");
    Ok(())
}

/// What the journal has after batch `has`. What it cannot give stays a gap: it must not keep everything else out.
fn missing(lacking: &Lacking, shard: usize, has: u64, end: u64) -> Vec<Write> {
    let read = catch_unwind(AssertUnwindSafe(|| (lacking.missing)(shard, has)));
    read.unwrap_or(Err(JournalError::Panicked)).unwrap_or_else(|e| {
        tracing::error!(shard, from = has, to = end, error = %e, "what the history lacks cannot be read from the journal: it stays a gap");
        metrics::counter!("harit_history_errors_total").increment(1);
        vec![Write::Fold(Fold {
            generation: lacking.generation,
            shard,
            seq: end,
            ..Fold::default()
        })]
    })
}

/// A journal that ends before what is stored of it: it was put back to an older state, and what comes next has numbers that the store has
/// seen.
pub(crate) fn set_back(generation: u64, shard: usize, seq: u64, stored: u64) -> Write {
    tracing::warn!(
        shard,
        seq,
        stored,
        "the history has more than the journal, which was put back to an older state: it goes on from there"
    );
    Write::SetBack {
        generation,
        shard,
        seq,
    }
}
