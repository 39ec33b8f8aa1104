//! The history in one SQLite file: its tables, the way to the thread that writes, and how far that is.
//!
//! Writing never holds a shard up: what does not fit into the queue stays with the shard, which hands it over with the next
//! batch. The store is not synced at each commit; if a power loss takes back its last transactions, it takes back the
//! positions stored with them, and the journal gives them again: it is not trimmed past what is synced here.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use tokio::sync::{Semaphore, oneshot};

use super::positions::Positions;
use super::told::{Kept, Write, signed};
use super::writer::Writer;
use super::{HistoryError, hours};
use crate::clock::TimeSource;
use crate::log::store::{self as log, TABLES as LOG_TABLES};

/// How many hand-overs wait for the writer.
const QUEUE: usize = 256;
/// The most shards.
pub(crate) const MAX_SHARDS: usize = 64;
/// The version of the tables.
const SCHEMA: i64 = 5;
/// How long a page waits for what is not written yet.
const BARRIER_WAIT: Duration = Duration::from_secs(2);
/// How long it waits for room in the writer's queue.
const ROOM_WAIT: Duration = Duration::from_secs(1);
/// How long a question to the store may take.
const READ_WAIT: Duration = Duration::from_secs(10);
/// How many questions are at work at once; each blocks a thread.
const READS: usize = 16;

const TABLES: &str = "
CREATE TABLE watermark (generation INTEGER NOT NULL, shard INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (generation, shard)) WITHOUT ROWID;
CREATE TABLE series (id INTEGER PRIMARY KEY, farm TEXT NOT NULL, sensor TEXT NOT NULL, UNIQUE (farm, sensor));
CREATE TABLE rollup (series INTEGER NOT NULL, minute INTEGER NOT NULL, count INTEGER NOT NULL, sum INTEGER NOT NULL, min INTEGER NOT NULL,
  max INTEGER NOT NULL, last INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (series, minute)) WITHOUT ROWID;
CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, farm TEXT NOT NULL, at INTEGER NOT NULL, event TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX event_by_farm ON event (farm, id);
CREATE INDEX event_by_time ON event (at);
CREATE TABLE command (n INTEGER PRIMARY KEY AUTOINCREMENT, farm TEXT NOT NULL, command_id TEXT NOT NULL, device TEXT NOT NULL, at INTEGER NOT NULL,
  state TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (farm, command_id));
CREATE INDEX command_by_device ON command (farm, device, n);
CREATE INDEX command_by_time ON command (at);
";

const LETTER_TABLES: &str = "
CREATE TABLE dead_letter (farm TEXT NOT NULL, topic TEXT NOT NULL, reason TEXT NOT NULL, payload BLOB NOT NULL, count INTEGER NOT NULL,
  first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (farm, topic, reason)) WITHOUT ROWID;
CREATE INDEX dead_letter_by_time ON dead_letter (farm, last_at);
";

/// Letters belonged to nobody before: whose they are stands in their topic.
const LETTERS_BEFORE: &str = "
DROP INDEX dead_letter_by_time;
ALTER TABLE dead_letter RENAME TO dead_letter_before;
";
const LETTERS_AFTER: &str = "
INSERT INTO dead_letter SELECT CASE WHEN topic LIKE 'harit/1/_%/%' THEN substr(topic, 9, instr(substr(topic, 9), '/') - 1) ELSE '' END,
  topic, reason, payload, count, first_at, last_at FROM dead_letter_before;
DROP TABLE dead_letter_before;
";

const REPORTED_TABLES: &str = "
CREATE TABLE reported (farm TEXT NOT NULL, device TEXT NOT NULL, at INTEGER NOT NULL, is_on INTEGER, value INTEGER, PRIMARY KEY (farm, device, at)) WITHOUT ROWID;
CREATE INDEX reported_by_time ON reported (at);
";

/// What follows from the minutes of whole hours, so that a year is read in 8,760 rows a sensor: of every hour before `rolled`.
const HOUR_TABLES: &str = "
CREATE TABLE hour (series INTEGER NOT NULL, hour INTEGER NOT NULL, count INTEGER NOT NULL, sum INTEGER NOT NULL, min INTEGER NOT NULL,
  max INTEGER NOT NULL, last INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (series, hour)) WITHOUT ROWID;
CREATE TABLE rolled (hour INTEGER NOT NULL);
";

/// The history's file, its writer and its readers.
pub(crate) struct HistoryStore {
    writer: SyncSender<Write>,
    pub(super) reader: Arc<Mutex<Connection>>,
    /// Counting a long log must not hold up a chart.
    pub(super) log_reader: Arc<Mutex<Connection>>,
    /// Nor must the past of a large place.
    pub(super) place_reader: Arc<Mutex<Connection>>,
    positions: Arc<Positions>,
    reads: Arc<Semaphore>,
    thread: Mutex<Option<std::thread::JoinHandle<()>>>,
}

/// Opens the file for writing and brings its tables up to date.
pub(super) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let db = Connection::open(path)?;
    db.busy_timeout(Duration::from_secs(5))?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    let version: i64 = db.pragma_query_value(None, "user_version", |r| r.get(0))?;
    // What came with the version after each.
    let letters = format!("{LETTERS_BEFORE} {LETTER_TABLES} {LETTERS_AFTER}");
    let steps = [LOG_TABLES, REPORTED_TABLES, letters.as_str(), HOUR_TABLES];
    let tables = match version {
        0 => [
            TABLES,
            LETTER_TABLES,
            LOG_TABLES,
            REPORTED_TABLES,
            HOUR_TABLES,
        ]
        .join(" "),
        1..SCHEMA => steps[usize::try_from(version - 1).unwrap_or(0)..].join(" "),
        SCHEMA => return Ok(db),
        newer => {
            let text =
                format!("the history store has version {newer}, this program reads {SCHEMA}");
            return Err(rusqlite::Error::ToSqlConversionFailure(text.into()));
        }
    };
    db.execute_batch(&format!(
        "BEGIN; {tables} PRAGMA user_version={SCHEMA}; COMMIT;"
    ))?;
    Ok(db)
}

impl HistoryStore {
    /// Opens the store and starts its writer.
    pub(crate) fn open(
        path: &Path,
        kept: Kept,
        clock: Arc<dyn TimeSource>,
    ) -> rusqlite::Result<Self> {
        let db = open(path)?;
        // Who waited for an ack when the process ended waits no more; what still counts is sent anew, under a new id.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let read_only = || -> rusqlite::Result<Connection> {
            let reader = Connection::open_with_flags(path, flags)?;
            reader.busy_timeout(Duration::from_secs(5))?;
            Ok(reader)
        };
        let (reader, log_reader, place_reader) = (read_only()?, read_only()?, read_only()?);
        let positions = Arc::new(Positions::of_an_empty_store(MAX_SHARDS));
        let (writer, queue) = sync_channel(QUEUE);
        let mut thread = Writer {
            positions: positions.clone(),
            series: HashMap::new(),
            numbers: log::Numbers::default(),
            kept,
            measured: None,
            log: Some(path.with_extension("db-wal")),
            clock,
            swept: None,
            rolled: hours::rolled(&db)?,
            rolled_at: None,
            db,
        };
        let thread = std::thread::Builder::new()
            .name("harit-history".into())
            .spawn(move || thread.keep(&queue))
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
        Ok(Self {
            writer,
            reader: Arc::new(Mutex::new(reader)),
            log_reader: Arc::new(Mutex::new(log_reader)),
            place_reader: Arc::new(Mutex::new(place_reader)),
            positions,
            reads: Arc::new(Semaphore::new(READS)),
            thread: Mutex::new(Some(thread)),
        })
    }

    pub(crate) fn positions(&self) -> &Arc<Positions> {
        &self.positions
    }

    /// From now on positions are those of this generation of journals, as far as they are stored.
    pub(crate) fn begin(&self, generation: u64) -> rusqlite::Result<()> {
        let Positions {
            shards, durable, ..
        } = &*self.positions;
        for p in shards.iter().chain(durable) {
            p.store(0, Ordering::Release);
        }
        self.positions
            .generation
            .store(generation, Ordering::Release);
        let db = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut statement = db.prepare("SELECT shard, seq FROM watermark WHERE generation = ?1")?;
        let mut rows = statement.query([signed(generation)])?;
        while let Some(row) = rows.next()? {
            let shard = usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX);
            if let Some(p) = self.positions.shards.get(shard) {
                p.store(row.get::<_, i64>(1)?.unsigned_abs(), Ordering::Release);
            }
        }
        Ok(())
    }

    /// Waits until everything handed over before is written; for threads that may block.
    pub(crate) fn barrier_blocking(&self) {
        let (done, wait) = oneshot::channel();
        if self.writer.send(Write::Barrier(done)).is_ok() {
            let _ = wait.blocking_recv();
        }
    }

    pub(crate) fn handle(&self) -> HistoryHandle {
        HistoryHandle {
            writer: self.writer.clone(),
        }
    }

    /// Waits until everything handed over before is written; false where it is not in time, or cannot be now.
    pub(crate) async fn barrier(&self) -> bool {
        if !self.positions.writable.load(Ordering::Acquire) {
            return false;
        }
        let (done, wait) = oneshot::channel();
        self.handle().send_soon(Write::Barrier(done)).await
            && matches!(tokio::time::timeout(BARRIER_WAIT, wait).await, Ok(Ok(())))
    }

    /// Does something that may block, on one of the few threads that the history has for it.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HistoryError> {
        let waiting = tokio::time::timeout(READ_WAIT, self.reads.clone().acquire_owned());
        let permit = waiting.await.map_err(|_| HistoryError::Busy)?;
        let permit = permit.map_err(|_| HistoryError::Closed)?;
        let answer = tokio::task::spawn_blocking(move || {
            // Whoever stopped waiting leaves the thread at work: it counts until it is done.
            let _permit = permit;
            work()
        });
        let answer = tokio::time::timeout(READ_WAIT, answer).await;
        answer
            .map_err(|_| HistoryError::Busy)?
            .map_err(|_| HistoryError::Closed)
    }

    /// Ends the writer after everything handed over before is written.
    pub(crate) fn stop(&self) {
        let _ = self.writer.send(Write::Stop);
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

/// A shard's way to the writer.
#[derive(Debug, Clone)]
pub(crate) struct HistoryHandle {
    writer: SyncSender<Write>,
}

impl HistoryHandle {
    /// A way to whoever reads the other end.
    #[cfg(feature = "simulation")]
    pub(crate) const fn simulated(writer: SyncSender<Write>) -> Self {
        Self { writer }
    }

    /// Hands something over, or gives it back where the queue is full.
    pub(crate) fn offer(&self, write: Write) -> Result<(), Write> {
        self.writer.try_send(write).map_err(|e| match e {
            TrySendError::Full(w) | TrySendError::Disconnected(w) => w,
        })
    }

    /// Hands something over, waiting for room a moment; false where there was none.
    pub(crate) async fn send_soon(&self, write: Write) -> bool {
        let began = Instant::now();
        let mut write = write;
        loop {
            write = match self.writer.try_send(write) {
                Ok(()) => return true,
                Err(TrySendError::Disconnected(_)) => return false,
                Err(TrySendError::Full(write)) => write,
            };
            if began.elapsed() >= ROOM_WAIT {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Hands something over, waiting for room as long as that; false where there was none.
    pub(crate) fn send_within(&self, write: Write, limit: Duration) -> bool {
        let began = Instant::now();
        let mut write = write;
        loop {
            write = match self.writer.try_send(write) {
                Ok(()) => return true,
                Err(TrySendError::Disconnected(_)) => return false,
                Err(TrySendError::Full(write)) => write,
            };
            if began.elapsed() >= limit {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Hands something over, waiting for room: at the start and at the end only.
    pub(crate) fn send(&self, write: Write) {
        let _ = self.writer.send(write);
    }
}

#[cfg(test)]
mod tests {
    use super::super::told::{EventRow, Fold};
    use super::*;
    use crate::clock::SystemTime;

    fn opened(path: &Path, bytes: u64) -> HistoryStore {
        let kept = Kept {
            days: 400,
            hour_days: 3_650,
            bytes,
        };
        let store = HistoryStore::open(path, kept, Arc::new(SystemTime::default())).unwrap();
        store.begin(1).unwrap();
        store
    }

    fn events(farm: &str, n: usize) -> Write {
        let now = SystemTime::default().wall();
        let event = |_| EventRow {
            farm: farm.into(),
            at: now,
            name: "command",
            body: "x".repeat(500),
        };
        Write::Fold(Fold {
            generation: 1,
            events: (0..n).map(event).collect(),
            ..Fold::default()
        })
    }

    #[test]
    fn a_history_has_a_limit_and_whoever_fills_it_pays() {
        let dir = tempfile::tempdir().unwrap();
        let limit = 4 << 20;
        let store = opened(&dir.path().join("history.db"), limit);
        store.handle().send(events("quiet", 500));
        for _ in 0..40 {
            store.handle().send(events("noisy", 1_000));
        }
        let count = |farm: &str| -> i64 {
            let db = store.reader.lock().unwrap();
            db.query_row("SELECT count(*) FROM event WHERE farm = ?1", [farm], |r| {
                r.get(0)
            })
            .unwrap()
        };
        // Its size is looked at every few seconds.
        let began = Instant::now();
        let mut left = i64::MAX;
        while began.elapsed() < Duration::from_secs(30) && left > 8_000 {
            std::thread::sleep(Duration::from_millis(200));
            store.handle().send(events("noisy", 1));
            store.barrier_blocking();
            left = count("noisy");
        }
        assert!(left <= 8_000, "{left} events of half a KiB in 4 MiB");
        assert_eq!(count("quiet"), 500, "who has little keeps it");
        store.stop();
    }

    #[test]
    fn letters_of_before_belong_to_the_farm_of_their_topic() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("history.db");
        let old = "CREATE TABLE dead_letter (topic TEXT NOT NULL, reason TEXT NOT NULL, payload BLOB NOT NULL, count INTEGER NOT NULL,
            first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (topic, reason)) WITHOUT ROWID;
            CREATE INDEX dead_letter_by_time ON dead_letter (last_at);
            INSERT INTO dead_letter VALUES ('harit/1/f1/A4CF120B9E01/state', 'malformed', x'00', 1, 1, 1), ('x', 'topic', x'00', 1, 1, 1);";
        let db = Connection::open(&path).unwrap();
        db.execute_batch(&format!(
            "{TABLES} {old} {LOG_TABLES} {REPORTED_TABLES} PRAGMA user_version=3;"
        ))
        .unwrap();
        drop(db);
        let store = opened(&path, u64::MAX);
        let farms: Vec<String> = {
            let db = store.reader.lock().unwrap();
            let mut all = db
                .prepare("SELECT farm FROM dead_letter ORDER BY farm")
                .unwrap();
            let rows = all.query_map([], |r| r.get(0)).unwrap();
            rows.collect::<Result<_, _>>().unwrap()
        };
        assert_eq!(farms, ["", "f1"]);
        store.stop();
    }
}
