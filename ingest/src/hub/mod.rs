//! The way in: recovers everything, takes publishes and inputs, answers questions, and shuts down in order.

mod start;
mod way;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use harit_engine::verdict::{FarmVerdict, Store, What};
use harit_engine::{
    DeviceId, Engine, Event, FarmDocument, FarmId, InputKind, Manual, ManualKind, Stop,
};
use harit_protocol::Mac;
use thiserror::Error;
use tokio::sync::{broadcast, oneshot};

use crate::admit::AdmitError;
use crate::clock::SystemTime;
use crate::command::CommandFilter;
use crate::dead_letter::{DeadLetter, DeadLetters};
use crate::directory::ControllerDirectory;
use crate::history::store::{HistoryStore, Kept, MAX_SHARDS, Write};
use crate::history::{Found, History, HistoryError};
use crate::journal::{DataDir, DataDirError, Generation};
use crate::live::{LIVE_CAPACITY, LiveEvent};
use crate::log::store::Imported;
use crate::log::{LogFilter, LogPage, NewLogEntry};
use crate::mqtt::{Downlink, Uplink};
use crate::shard::queue::{NotAsked, Queue, Urgent, Work};
use crate::shard::{Shard, ShardHealth, Shared};
use harit_farm::CommandLife;
use harit_farm::ControllerStatus;
use start::recover;
use way::Way;

/// How long a page waits for its shard.
const FLUSH_WAIT: Duration = Duration::from_secs(5);
/// How long a shutdown waits for the shards.
const STOP_WITHIN: Duration = Duration::from_millis(4_500);
/// How long a shard may take to say how a farm stands; after that it is not known.
const VERDICT_WITHIN: Duration = Duration::from_secs(2);

/// What a hub is opened with.
#[derive(Clone)]
pub struct HubConfig {
    /// Where everything is stored. One process at a time: it is locked.
    pub data_dir: PathBuf,
    /// How many shards (threads, journals). One a core by default. A changed number is migrated when the hub is opened.
    pub shards: usize,
    /// How many days of rollups, events and commands are kept.
    pub history_days: u32,
    /// How many bytes the history may have: past it the oldest of the farms that have the most goes.
    pub history_max_bytes: u64,
    /// The farms that must be in the journal: without one of them the hub is not opened.
    pub farms: Vec<FarmId>,
    /// For how many days the journal is kept for export and replay.
    pub journal_days: u32,
    /// At how many bytes a shard's journal is trimmed before its days are over.
    pub journal_max_bytes: u64,
    /// How often the engines' states are stored, so that a restart replays little.
    pub snapshot_every: Duration,
    /// How long after the start a controller that was online may stay silent before its devices count as offline.
    pub presence_grace: Duration,
    /// Whether a batch is on the disk before it counts. Off only for a log that can be made again from nothing.
    pub sync: bool,
    /// What time it is; tests bring their own.
    pub clock: Arc<dyn crate::clock::TimeSource>,
}

/// The hub could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process has the data directory.
    #[error("another server has {0}: only one may use a data directory")]
    Locked(PathBuf),
    /// The file system refused.
    #[error("{path}: the data directory could not be used")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The journal could not be read, or is damaged.
    #[error("the journal could not be recovered")]
    Journal(#[from] crate::journal::JournalError),
    /// The history store could not be opened.
    #[error("the history store could not be opened")]
    History(#[source] rusqlite::Error),
    /// The records name a farm that the journal does not have.
    #[error(
        "farm {0} is in the records, and not in the journal: the journal was lost, or is not the one of these records; restore \
         both from one backup; nothing was changed"
    )]
    FarmMissing(FarmId),
    /// Something in the program failed.
    #[error("starting failed: {0}")]
    Panicked(String),
}

/// How the hub is.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Health {
    /// Whether all journals can be written.
    pub journal_writable: bool,
    /// Whether the history store can be written.
    pub history_writable: bool,
    /// What is wrong with a journal.
    pub journal_error: Option<String>,
    /// Shards that are not at work: they are being started again, or were given up.
    pub shards_down: Vec<usize>,
    /// Farms whose engine failed: they are isolated until the next start.
    pub failed_farms: Vec<FarmId>,
    /// Publishes and inputs that wait, in all shards.
    pub queued: usize,
}

impl HubConfig {
    /// The defaults, for a data directory.
    #[must_use]
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            shards: std::thread::available_parallelism().map_or(1, usize::from),
            history_days: 400,
            history_max_bytes: 8 << 30,
            farms: Vec::new(),
            journal_days: 7,
            journal_max_bytes: 4 << 30,
            snapshot_every: Duration::from_secs(300),
            presence_grace: Duration::from_secs(60),
            sync: true,
            clock: Arc::new(SystemTime::default()),
        }
    }
}

/// The pipeline. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    shards: Vec<Handle>,
    generation: Generation,
    farms: RwLock<BTreeMap<FarmId, usize>>,
    history: Arc<HistoryStore>,
    stopped: Arc<AtomicBool>,
    threads: Mutex<Vec<std::thread::JoinHandle<()>>>,
    /// Held until everything is closed.
    data: Mutex<Option<DataDir>>,
}

struct Handle {
    queue: Arc<Queue>,
    health: Arc<ShardHealth>,
}

impl Hub {
    /// Opens the data directory, recovers every farm (snapshot, journal, `Resumed`), and starts the shards.
    ///
    /// # Errors
    /// When the directory is in use, or a journal is damaged: never with less than what was acknowledged.
    pub async fn open(
        config: HubConfig,
        controllers: Arc<dyn ControllerDirectory>,
    ) -> Result<Self, OpenError> {
        let opened = tokio::task::spawn_blocking(move || Self::open_blocking(&config, controllers));
        opened
            .await
            .unwrap_or_else(|e| Err(OpenError::Panicked(e.to_string())))
    }

    fn open_blocking(
        config: &HubConfig,
        directory: Arc<dyn ControllerDirectory>,
    ) -> Result<Self, OpenError> {
        let shards = config.shards.clamp(1, MAX_SHARDS);
        let data = DataDir::lock(&config.data_dir).map_err(|e| match e {
            DataDirError::Locked => OpenError::Locked(config.data_dir.clone()),
            DataDirError::Io(path, source) => OpenError::Io { path, source },
        })?;
        let history = HistoryStore::open(
            &data.path().join("history.db"),
            Kept {
                days: config.history_days,
                bytes: config.history_max_bytes,
            },
            config.clock.clone(),
        )
        .map_err(OpenError::History)?;
        let history = Arc::new(history);
        let (generation, beginnings) = match recover(&data, &history, shards, &config.farms) {
            Ok(recovered) => recovered,
            Err(e) => {
                history.stop();
                return Err(e);
            }
        };
        data.remove_old(
            generation,
            Duration::from_secs(u64::from(config.journal_days) * 86_400),
        );
        let shared = Arc::new(Shared {
            source: config.clock.clone(),
            directory,
            letters: DeadLetters::default(),
            live: broadcast::Sender::new(LIVE_CAPACITY),
            downlink: RwLock::new(None),
            positions: history.positions().clone(),
        });
        let mut inner = Inner {
            shared,
            shards: Vec::new(),
            generation,
            farms: RwLock::default(),
            history,
            stopped: Arc::new(AtomicBool::new(false)),
            threads: Mutex::default(),
            data: Mutex::new(Some(data)),
        };
        for (number, beginning) in beginnings.into_iter().enumerate() {
            if !config.sync {
                beginning.journal.leave_unsynced()?;
            }
            inner.start(config, number, beginning)?;
        }
        inner.start_letters()?;
        Ok(Self(Arc::new(inner)))
    }

    /// Where commands go from now on.
    pub fn attach(&self, downlink: Downlink) {
        *self
            .0
            .shared
            .downlink
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Some(downlink);
        for shard in &self.0.shards {
            shard.queue.tell(Box::new(Shard::attached));
        }
    }

    /// What a transport feeds.
    #[must_use]
    pub fn uplink(&self) -> Arc<dyn Uplink> {
        Arc::new(Way(self.0.clone()))
    }

    /// Adds a farm, with whatever it has from the beginning.
    ///
    /// # Errors
    /// When the farm exists, its document is refused, or the journal cannot be written.
    pub async fn add_farm(&self, doc: FarmDocument) -> Result<(), AdmitError> {
        let id = doc.farm.id.clone();
        let shard = self.0.generation.shard_of(id.as_str());
        let (reply, answer) = oneshot::channel();
        let document = Box::new(doc);
        self.put(shard, &id, Work::AddFarm { document, reply })?;
        answer.await.map_err(|_| CLOSING)??;
        self.0
            .farms
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, shard);
        Ok(())
    }

    /// All farms, by id.
    #[must_use]
    pub fn farms(&self) -> Vec<FarmId> {
        self.0
            .farms
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .keys()
            .cloned()
            .collect()
    }

    /// Stamps an input now, journals it, applies it, and returns what the engine said.
    ///
    /// # Errors
    /// When the farm is unknown, the engine refuses the input, or it cannot be journaled.
    pub async fn admit(&self, farm: &FarmId, kind: InputKind) -> Result<Vec<Event>, AdmitError> {
        let shard = self.shard_of(farm)?;
        let (reply, answer) = oneshot::channel();
        let work = Work::Admit {
            farm: farm.clone(),
            kind: Box::new(kind),
            reply,
        };
        self.put(shard, farm, work)?;
        answer.await.map_err(|_| CLOSING)?
    }

    /// Stops devices before anything else is done, also while the journal cannot be written.
    ///
    /// # Errors
    /// As [`Self::admit`], but for a journal that cannot be written now; also when too many of these wait already.
    pub async fn stop(&self, farm: &FarmId, stop: Stop) -> Result<Urged, AdmitError> {
        self.urge(farm, InputKind::Stop(Box::new(stop))).await
    }

    /// A person's command; one that switches off goes the way of a stop.
    ///
    /// # Errors
    /// As [`Self::stop`] for what switches off, and [`Self::admit`] for the rest.
    pub async fn command_by_hand(
        &self,
        farm: &FarmId,
        manual: Manual,
    ) -> Result<Urged, AdmitError> {
        let off = manual.kind == ManualKind::Override && manual.action.as_deref() == Some("off");
        let kind = InputKind::Manual(Box::new(manual));
        if off {
            self.urge(farm, kind).await
        } else {
            self.admit(farm, kind).await.map(Urged::Recorded)
        }
    }

    async fn urge(&self, farm: &FarmId, kind: InputKind) -> Result<Urged, AdmitError> {
        let shard = self.shard_of(farm)?;
        let (reply, answer) = oneshot::channel();
        let (sent, early) = oneshot::channel();
        let urgent = Urgent {
            farm: farm.clone(),
            kind: Box::new(kind),
            reply,
            sent: Some(sent),
        };
        if !self.0.shards[shard].queue.put_urgent(urgent) {
            return Err(AdmitError::Unavailable(
                "the hub is shutting down, or too many stops wait",
            ));
        }
        tokio::select! {
            biased;
            Ok(devices) = early => Ok(Urged::Sent(devices)),
            answer = answer => answer.map_err(|_| CLOSING)?.map(Urged::Recorded),
        }
    }

    /// Asks a farm's engine, on its shard's thread between two inputs: keep it short.
    ///
    /// # Errors
    /// When the farm is unknown or has failed.
    pub async fn read<R: Send + 'static>(
        &self,
        farm: &FarmId,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<R, AdmitError> {
        self.ask(farm, |f| question(f.fold.engine())).await
    }

    async fn ask<R: Send + 'static>(
        &self,
        farm: &FarmId,
        question: impl FnOnce(&crate::shard::farm::Farm) -> R + Send + 'static,
    ) -> Result<R, AdmitError> {
        let shard = self.shard_of(farm)?;
        let (reply, answer) = oneshot::channel();
        let question = Shard::question(farm.clone(), question, reply);
        let asked = self.0.shards[shard].queue.ask(question);
        asked.map_err(not_asked)?;
        answer.await.map_err(|_| CLOSING)?
    }

    fn put(&self, shard: usize, farm: &FarmId, work: Work) -> Result<(), AdmitError> {
        if self.0.shards[shard]
            .health
            .journal_failed
            .load(Ordering::Acquire)
        {
            return Err(AdmitError::Unavailable("the journal cannot be written"));
        }
        let put = self.0.shards[shard].queue.put_first(farm.clone(), work);
        put.map_err(not_asked)
    }

    fn shard_of(&self, farm: &FarmId) -> Result<usize, AdmitError> {
        let farms = self.0.farms.read().unwrap_or_else(PoisonError::into_inner);
        farms
            .get(farm)
            .copied()
            .ok_or_else(|| AdmitError::UnknownFarm(farm.clone()))
    }

    /// Live events of all farms. Bounded: a slow reader gets `Lagged` and loads anew.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<LiveEvent>> {
        self.0.shared.live.subscribe()
    }

    /// A command's life.
    ///
    /// # Errors
    /// When the history cannot be read, and it is not remembered without it.
    pub async fn command(
        &self,
        farm: &FarmId,
        command_id: &str,
    ) -> Result<Option<CommandLife>, HistoryError> {
        let id = command_id.to_owned();
        if let Ok(Some(life)) = self
            .ask(farm, move |f| f.fold.delivery().find(&id).cloned())
            .await
        {
            return Ok(Some(life));
        }
        self.0
            .history
            .command(farm.clone(), command_id.to_owned())
            .await
    }

    /// The latest command of each device, as far as they are remembered without the disk: by device.
    ///
    /// # Errors
    /// When the farm is unknown or has failed.
    pub async fn latest_commands(&self, farm: &FarmId) -> Result<Vec<CommandLife>, AdmitError> {
        self.ask(farm, |f| f.fold.delivery().latest().cloned().collect())
            .await
    }

    /// Commands, newest first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub async fn commands(
        &self,
        farm: &FarmId,
        filter: CommandFilter,
    ) -> Result<Found<CommandLife>, HistoryError> {
        let flushed = self.flush(farm, Shard::hand_over_lives).await;
        let mut found = self.0.history.commands(farm.clone(), filter).await?;
        found.incomplete |= !flushed;
        Ok(found)
    }

    /// A page of the farm's log; it has everything that was applied before.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub async fn log(&self, farm: &FarmId, filter: LogFilter) -> Result<LogPage, HistoryError> {
        let flushed = self
            .flush(farm, |shard| {
                shard.hand_over_lives();
                shard.hand_over_history();
            })
            .await;
        let mut page = self.0.history.log(farm.clone(), filter).await?;
        page.incomplete |= !flushed;
        Ok(page)
    }

    /// How far a source of the farm's log was read: up to this number of its own.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub async fn log_position(
        &self,
        farm: &FarmId,
        source: &'static str,
    ) -> Result<i64, HistoryError> {
        self.0.history.log_position(farm.clone(), source).await
    }

    /// Writes into the farm's log what was written down elsewhere, in order, each with its number there; `None` is read and
    /// has no entry. What was written from that source before is left out. What was applied before comes before it, also
    /// within a millisecond. False where the history takes nothing at present.
    pub async fn import_log(
        &self,
        farm: &FarmId,
        source: &'static str,
        entries: Vec<(i64, Option<NewLogEntry>)>,
    ) -> bool {
        let imported = Imported {
            farm: farm.clone(),
            source,
            entries,
        };
        self.flush(farm, Shard::hand_over_history).await;
        let handle = self.0.history.handle();
        self.0.shared.positions.writable.load(Ordering::Acquire)
            && handle.send_soon(Write::Imported(imported)).await
    }

    /// What the farm's controllers last said of themselves: online, firmware, reported settings, what is gone.
    ///
    /// # Errors
    /// When the farm is unknown or has failed.
    pub async fn controllers(&self, farm: &FarmId) -> Result<Vec<ControllerStatus>, AdmitError> {
        self.ask(farm, |f| f.controllers()).await
    }

    /// How the farm and its houses stand. A farm that failed, a shard that is gone and one that does not answer have a
    /// verdict too: not known.
    ///
    /// # Errors
    /// When the farm is unknown.
    pub async fn verdict(&self, farm: &FarmId) -> Result<Arc<FarmVerdict>, AdmitError> {
        let shard = &self.0.shards[self.shard_of(farm)?];
        let (reply, answer) = oneshot::channel();
        let asked = farm.clone();
        // A shard that is gone drops the question, and with it the answer.
        let _ = shard.queue.ask(Box::new(move |shard: &mut Shard| {
            let _ = reply.send(shard.verdict(&asked));
        }));
        let answer = tokio::time::timeout(VERDICT_WITHIN, answer).await;
        Ok(answer.ok().and_then(Result::ok).unwrap_or_else(|| {
            let failed = shard.health.journal_failed.load(Ordering::Acquire);
            let what = if failed {
                What::CannotWrite(Store::Journal)
            } else {
                What::NoAnswer
            };
            Arc::new(FarmVerdict::unasked(what))
        }))
    }

    /// Forgets what is cached of a controller's record: call it when the record changes.
    pub fn controller_changed(&self, mac: &Mac) {
        for shard in &self.0.shards {
            let mac = *mac;
            shard.queue.tell(Box::new(move |s| s.forget(&mac)));
        }
    }

    /// Rollups and events.
    #[must_use]
    pub fn history(&self) -> Arc<dyn History> {
        self.0.history.clone()
    }

    /// Writes to the history what it lacks; questions asked after this see everything applied before it.
    pub async fn flush_history(&self) {
        for shard in &self.0.shards {
            flush(shard, Shard::hand_over_history).await;
        }
        self.0.history.barrier().await;
    }

    /// Has the farm's shard hand over what it has; false where it does not in time.
    async fn flush(&self, farm: &FarmId, what: fn(&mut Shard)) -> bool {
        let shard = self.0.generation.shard_of(farm.as_str());
        flush(&self.0.shards[shard], what).await
    }

    /// Stores the engines' states now, so that a restart begins here.
    pub async fn snapshot(&self) {
        for shard in &self.0.shards {
            flush(shard, Shard::store_snapshot).await;
        }
    }

    /// A farm's dead letters, the latest first. Those of nobody's are those of the empty id.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub async fn dead_letters(
        &self,
        farm: &FarmId,
        limit: usize,
    ) -> Result<Vec<DeadLetter>, HistoryError> {
        let letters = self.0.shared.letters.take();
        if !letters.is_empty() {
            // What finds no room is counted already, and the least of what the history has to tell.
            let handle = self.0.history.handle();
            handle.send_soon(Write::DeadLetters(letters)).await;
        }
        self.0.history.dead_letters(farm.clone(), limit).await
    }

    /// How the hub is.
    #[must_use]
    pub fn health(&self) -> Health {
        let shards = &self.0.shards;
        let failed = |s: &Handle| s.health.journal_failed.load(Ordering::Acquire);
        let lock =
            |m: &Mutex<Vec<FarmId>>| m.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Health {
            journal_writable: !shards.iter().any(failed) && !self.0.stopped.load(Ordering::Acquire),
            history_writable: self.0.shared.positions.writable.load(Ordering::Acquire),
            journal_error: shards.iter().find_map(|s| {
                s.health
                    .error
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clone()
            }),
            shards_down: (0..)
                .zip(shards)
                .filter(|(_, s)| !s.health.up.load(Ordering::Acquire))
                .map(|(n, _)| n)
                .collect(),
            failed_farms: shards
                .iter()
                .flat_map(|s| lock(&s.health.failed_farms))
                .collect(),
            queued: shards.iter().map(|s| s.queue.depth()).sum(),
        }
    }

    /// Takes nothing more, applies what is queued, stores the state and closes everything; under 5 s.
    ///
    /// # Errors
    /// When the state could not be stored; the journal has everything all the same.
    pub async fn shutdown(self) -> Result<(), ShutdownError> {
        let inner = self.0.clone();
        let stopping = tokio::task::spawn_blocking(move || inner.stop());
        match tokio::time::timeout(STOP_WITHIN, stopping).await {
            Ok(Ok(())) => {}
            Ok(Err(e)) => return Err(ShutdownError(e.to_string())),
            Err(_) => return Err(ShutdownError("the shards did not stop in time".to_owned())),
        }
        let error = self.health().journal_error;
        error.map_or(Ok(()), |e| Err(ShutdownError(e)))
    }
}

/// What became of a stop, or of switching off.
#[derive(Debug, Clone, PartialEq)]
pub enum Urged {
    /// It is recorded and done; what the engine said.
    Recorded(Vec<Event>),
    /// It cannot be recorded yet, because the journal cannot be written: `off` was sent to these devices, and the rest
    /// follows as soon as it can.
    Sent(Vec<DeviceId>),
}

/// Has a shard hand over what it has; false where it does not in time.
async fn flush(shard: &Handle, what: fn(&mut Shard)) -> bool {
    let (done, wait) = oneshot::channel();
    let asked = shard.queue.ask(Box::new(move |s: &mut Shard| {
        what(s);
        // Whoever asked may have gone.
        let _ = done.send(());
    }));
    asked.is_ok() && matches!(tokio::time::timeout(FLUSH_WAIT, wait).await, Ok(Ok(())))
}

const fn not_asked(why: NotAsked) -> AdmitError {
    match why {
        NotAsked::Busy => AdmitError::Unavailable("too much is asked at once: try again"),
        NotAsked::Closed => CLOSING,
    }
}

const CLOSING: AdmitError =
    AdmitError::Unavailable("the hub is shutting down, or its journal has failed");

impl Drop for Inner {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The state could not be stored at shutdown.
#[derive(Debug, Error)]
#[error("the state could not be stored: {0}; the journal has everything")]
pub struct ShutdownError(pub String);
