//! The history in one SQLite file: a thread writes, questions read beside it.
//!
//! Writing never holds a shard up: what does not fit into the queue stays with the shard, which hands it over with the next
//! batch. The store is not synced at each commit; if a power loss takes back its last transactions, it takes back the
//! positions stored with them, and the journal gives them again.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use harit_engine::{DeviceId, FarmId, Quantity, SensorId, Timestamp};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use tokio::sync::oneshot;

use super::rollup::{MINUTE_MS, RollupRow};
use super::writer::Writer;
use super::{EventFilter, History, HistoryError, MAX_POINTS, Rollup, StoredEvent, StoredReport};
use crate::clock::TimeSource;
use crate::command::{CommandFilter, CommandLife, MAX_LISTED, RESTARTED};
use crate::dead_letter::DeadLetter;
use crate::log::store::{Imported, LogRow, TABLES as LOG_TABLES};
use crate::log::{LogFilter, LogPage, store as log};

/// How many hand-overs wait for the writer.
const QUEUE: usize = 256;
/// The most shards.
pub(crate) const MAX_SHARDS: usize = 64;
/// The version of the tables.
const SCHEMA: i64 = 3;

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
CREATE TABLE dead_letter (topic TEXT NOT NULL, reason TEXT NOT NULL, payload BLOB NOT NULL, count INTEGER NOT NULL, first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL, PRIMARY KEY (topic, reason)) WITHOUT ROWID;
CREATE INDEX dead_letter_by_time ON dead_letter (last_at);
";

const REPORTED_TABLES: &str = "
CREATE TABLE reported (farm TEXT NOT NULL, device TEXT NOT NULL, at INTEGER NOT NULL, is_on INTEGER, value INTEGER, PRIMARY KEY (farm, device, at)) WITHOUT ROWID;
CREATE INDEX reported_by_time ON reported (at);
";

/// An event on its way to the store.
#[derive(Debug, Clone)]
pub(crate) struct EventRow {
    pub(crate) farm: FarmId,
    pub(crate) at: Timestamp,
    pub(crate) name: &'static str,
    pub(crate) body: String,
}

/// What a device reported, or that it can no longer be asked, on its way to the store.
#[derive(Debug, Clone)]
pub(crate) struct ReportedRow {
    pub(crate) farm: FarmId,
    pub(crate) device: DeviceId,
    pub(crate) at: Timestamp,
    pub(crate) state: Option<(bool, Option<Quantity>)>,
}

/// What follows from a journal up to a batch.
#[derive(Debug, Default)]
pub(crate) struct Fold {
    pub(crate) generation: u64,
    pub(crate) shard: usize,
    /// The last batch that is in it.
    pub(crate) seq: u64,
    pub(crate) rollups: Vec<RollupRow>,
    pub(crate) events: Vec<EventRow>,
    pub(crate) log: Vec<LogRow>,
    pub(crate) reported: Vec<ReportedRow>,
}

/// What the writer is told.
pub(crate) enum Write {
    Fold(Fold),
    Lives(Vec<CommandLife>),
    /// Log entries from elsewhere.
    Imported(Imported),
    DeadLetters(Vec<DeadLetter>),
    /// Everything before this is to be written first.
    Barrier(oneshot::Sender<()>),
    Stop,
}

/// The history's file, its writer and its readers.
pub(crate) struct HistoryStore {
    writer: SyncSender<Write>,
    reader: Arc<Mutex<Connection>>,
    /// Counting a long log must not hold up a chart.
    log_reader: Arc<Mutex<Connection>>,
    positions: Arc<Positions>,
    thread: Mutex<Option<std::thread::JoinHandle<()>>>,
}

/// What of each shard's journal is in the store.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(super) generation: AtomicU64,
    pub(super) shards: Vec<AtomicU64>,
    pub(crate) writable: AtomicBool,
    /// The process is about to end: what cannot be written now is left to the next start.
    pub(crate) closing: AtomicBool,
}

impl Positions {
    /// Those of a store that has the first shard's journal up to `seq`.
    #[cfg(feature = "simulation")]
    pub(crate) fn simulated(seq: u64) -> Self {
        Self {
            generation: AtomicU64::new(1),
            shards: vec![AtomicU64::new(seq)],
            writable: AtomicBool::new(true),
            closing: AtomicBool::new(false),
        }
    }

    /// The store has the first shard's journal up to `seq`.
    #[cfg(feature = "simulation")]
    pub(crate) fn reached(&self, seq: u64) {
        if let Some(p) = self.shards.first() {
            p.fetch_max(seq, Ordering::AcqRel);
        }
    }

    /// The last batch of a shard's journal that is in the store.
    pub(crate) fn of(&self, shard: usize) -> u64 {
        self.shards
            .get(shard)
            .map_or(0, |s| s.load(Ordering::Acquire))
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let db = Connection::open(path)?;
    db.busy_timeout(Duration::from_secs(5))?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    let version: i64 = db.pragma_query_value(None, "user_version", |r| r.get(0))?;
    match version {
        0 => db.execute_batch(&format!(
            "BEGIN; {TABLES} {LOG_TABLES} {REPORTED_TABLES} PRAGMA user_version={SCHEMA}; COMMIT;"
        ))?,
        // before the log
        1 => db.execute_batch(&format!(
            "BEGIN; {LOG_TABLES} {REPORTED_TABLES} PRAGMA user_version={SCHEMA}; COMMIT;"
        ))?,
        // before what devices reported was kept
        2 => db.execute_batch(&format!(
            "BEGIN; {REPORTED_TABLES} PRAGMA user_version={SCHEMA}; COMMIT;"
        ))?,
        SCHEMA => {}
        newer => {
            let text =
                format!("the history store has version {newer}, this program reads {SCHEMA}");
            return Err(rusqlite::Error::ToSqlConversionFailure(text.into()));
        }
    }
    Ok(db)
}

impl HistoryStore {
    /// Opens the store and starts its writer.
    pub(crate) fn open(
        path: &Path,
        days: u32,
        clock: Arc<dyn TimeSource>,
    ) -> rusqlite::Result<Self> {
        let db = open(path)?;
        // Who waited for an ack when the process ended waits no more; what still counts is sent anew, under a new id.
        db.execute("UPDATE command SET state = 'timed_out', body = json_set(body, '$.state', 'timed_out', '$.message', ?1) WHERE state IN ('queued', 'sent')", [RESTARTED])?;
        log::close_open(&db)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let read_only = || -> rusqlite::Result<Connection> {
            let reader = Connection::open_with_flags(path, flags)?;
            reader.busy_timeout(Duration::from_secs(5))?;
            Ok(reader)
        };
        let (reader, log_reader) = (read_only()?, read_only()?);
        let positions = Arc::new(Positions {
            generation: AtomicU64::new(0),
            shards: (0..MAX_SHARDS).map(|_| AtomicU64::new(0)).collect(),
            writable: AtomicBool::new(true),
            closing: AtomicBool::new(false),
        });
        let (writer, queue) = sync_channel(QUEUE);
        let mut thread = Writer {
            db,
            positions: positions.clone(),
            series: HashMap::new(),
            numbers: log::Numbers::default(),
            days: i64::from(days),
            clock,
            swept: None,
        };
        let thread = std::thread::Builder::new()
            .name("harit-history".into())
            .spawn(move || thread.run(&queue))
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
        Ok(Self {
            writer,
            reader: Arc::new(Mutex::new(reader)),
            log_reader: Arc::new(Mutex::new(log_reader)),
            positions,
            thread: Mutex::new(Some(thread)),
        })
    }

    pub(crate) fn positions(&self) -> &Arc<Positions> {
        &self.positions
    }

    /// From now on positions are those of this generation of journals, as far as they are stored.
    pub(crate) fn begin(&self, generation: u64) -> rusqlite::Result<()> {
        for p in &self.positions.shards {
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

    /// Waits until everything handed over before is written.
    pub(crate) async fn barrier(&self) {
        let (done, wait) = oneshot::channel();
        let writer = self.writer.clone();
        let sent =
            tokio::task::spawn_blocking(move || writer.send(Write::Barrier(done)).is_ok()).await;
        if sent.unwrap_or(false) {
            // A writer that is gone has nothing more to write.
            let _ = tokio::time::timeout(Duration::from_secs(5), wait).await;
        }
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

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, HistoryError> + Send + 'static,
    ) -> Result<T, HistoryError> {
        let reader = self.reader.clone();
        tokio::task::spawn_blocking(move || {
            question(&reader.lock().unwrap_or_else(PoisonError::into_inner))
        })
        .await
        .map_err(|_| HistoryError::Closed)?
    }

    pub(crate) async fn command(&self, farm: FarmId, command_id: String) -> Option<CommandLife> {
        self.barrier().await;
        let found = self.ask(move |db| {
            let body: Option<String> = db
                .query_row(
                    "SELECT body FROM command WHERE farm = ?1 AND command_id = ?2",
                    params![farm.as_str(), command_id],
                    |r| r.get(0),
                )
                .optional()
                .map_err(HistoryError::Store)?;
            Ok(body.and_then(|b| serde_json::from_str(&b).ok()))
        });
        found.await.ok().flatten()
    }

    pub(crate) async fn commands(
        &self,
        farm: FarmId,
        f: CommandFilter,
    ) -> Result<Vec<CommandLife>, HistoryError> {
        self.barrier().await;
        self.ask(move |db| {
            let mut statement = db
                .prepare_cached(
                    "SELECT body FROM command WHERE farm = ?1 AND (?2 IS NULL OR device = ?2) AND (?3 IS NULL OR state = ?3) \
                     AND (?4 IS NULL OR at >= ?4) AND (?5 IS NULL OR at < ?5) ORDER BY n DESC LIMIT ?6",
                )
                .map_err(HistoryError::Store)?;
            let rows = statement
                .query_map(
                    params![
                        farm.as_str(),
                        f.device.as_ref().map(DeviceId::as_str),
                        f.state.map(crate::command::CommandState::as_str),
                        f.from.map(Timestamp::as_millis),
                        f.to.map(Timestamp::as_millis),
                        limit(f.limit)
                    ],
                    |r| r.get::<_, String>(0),
                )
                .map_err(HistoryError::Store)?;
            let mut all = Vec::new();
            for body in rows {
                if let Ok(life) = serde_json::from_str(&body.map_err(HistoryError::Store)?) {
                    all.push(life);
                }
            }
            Ok(all)
        })
        .await
    }

    /// A page of a farm's log.
    pub(crate) async fn log(&self, farm: FarmId, f: LogFilter) -> Result<LogPage, HistoryError> {
        self.barrier().await;
        self.ask_log(move |db| log::page(db, &farm, &f)).await
    }

    /// How far a source of a farm's log was read.
    pub(crate) async fn log_position(
        &self,
        farm: FarmId,
        source: &'static str,
    ) -> Result<i64, HistoryError> {
        self.barrier().await;
        self.ask_log(move |db| log::position(db, &farm, source))
            .await
    }

    async fn ask_log<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, HistoryError> {
        let reader = self.log_reader.clone();
        let answer = tokio::task::spawn_blocking(move || {
            question(&mut reader.lock().unwrap_or_else(PoisonError::into_inner))
        });
        answer
            .await
            .map_err(|_| HistoryError::Closed)?
            .map_err(HistoryError::Store)
    }

    pub(crate) async fn dead_letters(&self, n: usize) -> Vec<DeadLetter> {
        self.barrier().await;
        let found = self.ask(move |db| {
            let mut statement = db
                .prepare_cached("SELECT topic, reason, payload, count, first_at, last_at FROM dead_letter ORDER BY last_at DESC, topic LIMIT ?1")
                .map_err(HistoryError::Store)?;
            let rows = statement.query_map([limit(n)], |r| {
                Ok(DeadLetter {
                    topic: r.get(0)?,
                    reason: r.get(1)?,
                    payload: r.get(2)?,
                    count: r.get::<_, i64>(3)?.unsigned_abs(),
                    first_at: Timestamp::from_millis(r.get(4)?),
                    last_at: Timestamp::from_millis(r.get(5)?),
                })
            });
            rows.and_then(Iterator::collect).map_err(HistoryError::Store)
        });
        found.await.unwrap_or_default()
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

    /// Hands something over, waiting for room: at the start and at the end only.
    pub(crate) fn send(&self, write: Write) {
        let _ = self.writer.send(write);
    }
}

fn limit(n: usize) -> i64 {
    let n = if n == 0 {
        MAX_LISTED
    } else {
        n.min(MAX_LISTED)
    };
    i64::try_from(n).unwrap_or(i64::MAX)
}

pub(super) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

impl History for HistoryStore {
    fn rollups<'a>(
        &'a self,
        farm: &'a FarmId,
        sensor: &'a SensorId,
        from: Timestamp,
        to: Timestamp,
        step_sec: u32,
    ) -> BoxFuture<'a, Result<Vec<Rollup>, HistoryError>> {
        let (farm, sensor) = (farm.clone(), sensor.clone());
        Box::pin(async move {
            let step = i64::from(step_sec).max(1).saturating_add(59) / 60;
            let first = from.as_millis().div_euclid(MINUTE_MS);
            let last = to
                .as_millis()
                .saturating_add(MINUTE_MS - 1)
                .div_euclid(MINUTE_MS);
            let points = last.saturating_sub(first) / step;
            if points > i64::try_from(MAX_POINTS).unwrap_or(i64::MAX) {
                return Err(HistoryError::TooMany { points });
            }
            self.ask(move |db| {
                rollups(db, &farm, &sensor, first, last, step).map_err(HistoryError::Store)
            })
            .await
        })
    }

    fn reports<'a>(
        &'a self,
        farm: &'a FarmId,
        device: &'a DeviceId,
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<StoredReport>, HistoryError>> {
        let (farm, device) = (farm.clone(), device.clone());
        Box::pin(async move {
            self.ask(move |db| reports(db, &farm, &device, from, to).map_err(HistoryError::Store))
                .await
        })
    }

    fn events<'a>(
        &'a self,
        farm: &'a FarmId,
        filter: EventFilter,
    ) -> BoxFuture<'a, Result<Vec<StoredEvent>, HistoryError>> {
        let farm = farm.clone();
        Box::pin(async move {
            self.ask(move |db| events(db, &farm, &filter).map_err(HistoryError::Store))
                .await
        })
    }

    fn events_after<'a>(
        &'a self,
        farm: &'a FarmId,
        after: i64,
        n: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredEvent>, HistoryError>> {
        let farm = farm.clone();
        Box::pin(async move {
            self.ask(move |db| {
                let mut statement = db
                    .prepare_cached("SELECT id, at, event, body FROM event WHERE farm = ?1 AND id > ?2 ORDER BY id LIMIT ?3")
                    .map_err(HistoryError::Store)?;
                let rows = statement.query_map(params![farm.as_str(), after, limit(n)], stored);
                rows.and_then(Iterator::collect).map_err(HistoryError::Store)
            })
            .await
        })
    }

    fn last_event(&self) -> BoxFuture<'_, Result<i64, HistoryError>> {
        Box::pin(self.ask(|db| {
            db.query_row("SELECT coalesce(max(id), 0) FROM event", [], |r| r.get(0))
                .map_err(HistoryError::Store)
        }))
    }
}

/// Joins minutes into steps, oldest first.
fn rollups(
    db: &Connection,
    farm: &FarmId,
    sensor: &SensorId,
    first: i64,
    last: i64,
    step: i64,
) -> rusqlite::Result<Vec<Rollup>> {
    let mut statement = db.prepare_cached(
        "SELECT minute, count, sum, min, max, last, last_at FROM rollup WHERE series = (SELECT id FROM series WHERE farm = ?1 AND sensor = ?2) \
         AND minute >= ?3 AND minute < ?4 ORDER BY minute",
    )?;
    let mut rows = statement.query(params![farm.as_str(), sensor.as_str(), first, last])?;
    let mut all: Vec<Rollup> = Vec::new();
    let mut latest = i64::MIN;
    while let Some(row) = rows.next()? {
        let minute: i64 = row.get(0)?;
        let at =
            Timestamp::from_millis((minute - minute.rem_euclid(step)).saturating_mul(MINUTE_MS));
        let (count, sum): (i64, i64) = (row.get(1)?, row.get(2)?);
        let (min, max) = (
            Quantity::from_micro(row.get(3)?),
            Quantity::from_micro(row.get(4)?),
        );
        let (value, value_at) = (Quantity::from_micro(row.get(5)?), row.get::<_, i64>(6)?);
        match all.last_mut().filter(|r| r.at == at) {
            Some(r) => {
                r.count += count.unsigned_abs();
                r.sum_micro = r.sum_micro.saturating_add(sum);
                (r.min, r.max) = (r.min.min(min), r.max.max(max));
                if value_at >= latest {
                    (r.last, latest) = (value, value_at);
                }
            }
            None => {
                latest = value_at;
                all.push(Rollup {
                    at,
                    count: count.unsigned_abs(),
                    mean: Quantity::default(),
                    min,
                    max,
                    last: value,
                    sum_micro: sum,
                });
            }
        }
    }
    for r in &mut all {
        let n = i128::from(r.count.max(1));
        let sum = i128::from(r.sum_micro);
        let mean = (sum.abs() * 2 + n) / (n * 2) * sum.signum();
        r.mean = Quantity::from_micro(i64::try_from(mean).unwrap_or(i64::MAX));
    }
    Ok(all)
}

/// What a device reported on [from, to), oldest first, and what it had reported last before.
fn reports(
    db: &Connection,
    farm: &FarmId,
    device: &DeviceId,
    from: Timestamp,
    to: Timestamp,
) -> rusqlite::Result<Vec<StoredReport>> {
    let report = |r: &rusqlite::Row<'_>| {
        let value: Option<i64> = r.get(2)?;
        Ok(StoredReport {
            at: Timestamp::from_millis(r.get(0)?),
            on: r.get(1)?,
            value: value.map(Quantity::from_micro),
        })
    };
    let (farm, device) = (farm.as_str(), device.as_str());
    let before = db
        .prepare_cached("SELECT at, is_on, value FROM reported WHERE farm = ?1 AND device = ?2 AND at < ?3 ORDER BY at DESC LIMIT 1")?
        .query_row(params![farm, device, from.as_millis()], report)
        .optional()?;
    // the newest are kept where there are too many
    let mut all: Vec<StoredReport> = db
        .prepare_cached("SELECT at, is_on, value FROM reported WHERE farm = ?1 AND device = ?2 AND at >= ?3 AND at < ?4 ORDER BY at DESC LIMIT ?5")?
        .query_map(
            params![farm, device, from.as_millis(), to.as_millis(), limit(MAX_LISTED)],
            report,
        )?
        .collect::<Result<_, _>>()?;
    if all.len() < MAX_LISTED {
        all.extend(before);
    }
    all.reverse();
    Ok(all)
}

fn events(db: &Connection, farm: &FarmId, f: &EventFilter) -> rusqlite::Result<Vec<StoredEvent>> {
    let names = serde_json::to_string(&f.events).unwrap_or_else(|_| "[]".to_owned());
    let mut statement = db.prepare_cached(
        "SELECT id, at, event, body FROM event WHERE farm = ?1 AND (?2 IS NULL OR id < ?2) AND (?3 IS NULL OR at >= ?3) AND (?4 IS NULL OR at < ?4) \
         AND (?5 = '[]' OR event IN (SELECT value FROM json_each(?5))) ORDER BY id DESC LIMIT ?6",
    )?;
    let rows = statement.query_map(
        params![
            farm.as_str(),
            f.before,
            f.from.map(Timestamp::as_millis),
            f.to.map(Timestamp::as_millis),
            names,
            limit(f.limit)
        ],
        stored,
    )?;
    rows.collect()
}

fn stored(r: &rusqlite::Row<'_>) -> rusqlite::Result<StoredEvent> {
    Ok(StoredEvent {
        id: r.get(0)?,
        at: Timestamp::from_millis(r.get(1)?),
        event: r.get(2)?,
        body: serde_json::from_str(&r.get::<_, String>(3)?).unwrap_or_default(),
    })
}
