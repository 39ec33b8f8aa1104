//! The history as the hub has it: the way to the thread that writes, how far that is, and who answers questions.
//!
//! Writing never holds a shard up: what does not fit into the queue stays with the shard, which hands it over with the next
//! batch. A store may lose its last transactions to a power loss; then it loses the positions that were written with them, and the
//! journal gives them again: it is not trimmed past what is synced here.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use harit_engine::FarmId;
use harit_farm::CommandLife;
use tokio::sync::oneshot;

use super::opening::{Link, Opened, opened};
use super::positions::Positions;
use super::seam::{Reads, StoreError};
use super::told::{Kept, Write};
use super::writer::Writer;
use super::{Found, HistoryError, HistoryPlace, postgres, sqlite};
use crate::clock::TimeSource;
use crate::command::CommandFilter;
use crate::dead_letter::DeadLetter;
use crate::log::{LogFilter, LogPage};

/// How many hand-overs wait for the writer.
const QUEUE: usize = 256;
/// The most shards.
pub(crate) const MAX_SHARDS: usize = 64;
/// How long a page waits for what is not written yet.
const BARRIER_WAIT: Duration = Duration::from_secs(2);
/// How long it waits for room in the writer's queue.
const ROOM_WAIT: Duration = Duration::from_secs(1);
/// How long the end waits for a store that is not open.
const STOP_OPENING: Duration = Duration::from_secs(1);

/// The history's writer and its readers.
pub(crate) struct HistoryStore {
    writer: SyncSender<Write>,
    reads: Box<dyn Reads>,
    positions: Arc<Positions>,
    thread: Mutex<Option<std::thread::JoinHandle<()>>>,
}

impl HistoryStore {
    /// Starts the writer, which opens the store.
    pub(crate) fn open(
        place: &HistoryPlace,
        kept: Kept,
        clock: Arc<dyn TimeSource>,
    ) -> std::io::Result<Opened> {
        let positions = Arc::new(Positions::of_an_empty_store(MAX_SHARDS));
        positions.lost_sight();
        let (writer, queue) = sync_channel(QUEUE);
        // The start looks at the first attempt, and at further ones where it can do nothing without.
        let (tried, attempts) = sync_channel(1);
        let (begin, begun) = mpsc::channel();
        let (of_writer, at) = (positions.clone(), place.clone());
        let thread = std::thread::Builder::new()
            .name("harit-history".into())
            .spawn(move || {
                if let Some(store) = opened(&at, &tried, &begun, &of_writer) {
                    Writer::new(store, of_writer, kept, clock).keep(&queue);
                }
            })?;
        let reads: Box<dyn Reads> = match place {
            HistoryPlace::File(path) => Box::new(sqlite::SqliteReads::new(path)),
            HistoryPlace::Postgres(url) => Box::new(postgres::PostgresReads::new(url)),
        };
        let store = Self {
            writer,
            reads,
            positions,
            thread: Mutex::new(Some(thread)),
        };
        Ok(Opened::of(store, Link { attempts, begin }))
    }

    pub(crate) fn positions(&self) -> &Arc<Positions> {
        &self.positions
    }

    /// Who answers questions, from what is stored.
    pub(crate) fn reads(&self) -> &dyn Reads {
        &*self.reads
    }

    /// From now on positions are those of this generation of journals, as far as they are stored.
    pub(crate) fn begin(&self, generation: u64) -> Result<(), StoreError> {
        let (begun, wait) = mpsc::channel();
        let closed = || StoreError::from("the history is shut down");
        self.writer
            .send(Write::Begin(generation, begun))
            .map_err(|_| closed())?;
        wait.recv().map_err(|_| closed())?
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

    pub(crate) async fn command(
        &self,
        farm: &FarmId,
        command_id: &str,
    ) -> Result<Option<CommandLife>, HistoryError> {
        self.barrier().await;
        self.reads.command(farm, command_id).await
    }

    pub(crate) async fn commands(
        &self,
        farm: &FarmId,
        filter: CommandFilter,
    ) -> Result<Found<CommandLife>, HistoryError> {
        let incomplete = !self.barrier().await;
        let items = self.reads.commands(farm, filter).await?;
        Ok(Found { items, incomplete })
    }

    /// A page of a farm's log.
    pub(crate) async fn log(
        &self,
        farm: &FarmId,
        filter: LogFilter,
    ) -> Result<LogPage, HistoryError> {
        let incomplete = !self.barrier().await;
        let page = self.reads.log(farm, filter).await?;
        Ok(LogPage { incomplete, ..page })
    }

    /// How far a source of a farm's log was read.
    pub(crate) async fn log_position(
        &self,
        farm: &FarmId,
        source: &'static str,
    ) -> Result<i64, HistoryError> {
        self.barrier().await;
        self.reads.log_position(farm, source).await
    }

    pub(crate) async fn dead_letters(
        &self,
        farm: &FarmId,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, HistoryError> {
        self.barrier().await;
        self.reads.dead_letters(farm, limit).await
    }

    /// Ends the writer after everything handed over before is written. What a store that is not open does not get, the next start
    /// gives it; a try to open it that its host does not answer is not waited for.
    pub(crate) fn stop(&self) {
        self.positions.closing.store(true, Ordering::Release);
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(thread) = thread else {
            return;
        };
        let began = Instant::now();
        let mut told = false;
        while !(thread.is_finished() || told && self.positions.are_known()) {
            if !self.positions.are_known() && began.elapsed() > STOP_OPENING {
                return;
            }
            told = told || self.writer.try_send(Write::Stop).is_ok();
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = thread.join();
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
