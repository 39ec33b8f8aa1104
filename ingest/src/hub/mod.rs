//! The way in: recovers everything, takes publishes and inputs, answers questions, and shuts down in order.

mod claim;
mod config;
mod derived;
mod history;
mod past;
mod profiles;
mod read;
mod start;
mod way;
mod write;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use harit_engine::FarmId;
use harit_protocol::Mac;
use tokio::sync::{broadcast, watch};

use crate::admit::AdmitError;
use crate::announced::Announced;
use crate::dead_letter::DeadLetters;
use crate::directory::ControllerDirectory;
use crate::history::HistoryPlace;
use crate::history::store::{HistoryStore, MAX_SHARDS};
use crate::history::told::Kept;
use crate::lease::Leases;
use crate::live::{LIVE_CAPACITY, LiveEvent};
use crate::mqtt::{Downlink, Uplink};
use crate::shard::queue::{NotAsked, Queue};
use crate::shard::{Shard, ShardHealth, Shared};
use harit_journal::{DataDir, DataDirError, Generation, Journals, ReadJournals};
use start::recover;
use way::Way;

pub use config::{Anew, Health, HubConfig, OpenError, ShutdownError};
pub use write::Urged;

/// How long a shutdown waits for the shards and the history.
const STOP_WITHIN: Duration = Duration::from_millis(4_500);

/// The pipeline. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    shards: Vec<Handle>,
    journals: Arc<dyn Journals>,
    generation: Generation,
    /// Whether readings wait for more of them.
    waits: bool,
    farms: RwLock<BTreeMap<FarmId, usize>>,
    history: Arc<HistoryStore>,
    stopped: Arc<AtomicBool>,
    threads: Mutex<Vec<std::thread::JoinHandle<()>>>,
    /// Held until everything is closed.
    data: Mutex<Option<DataDir>>,
    past: past::Past,
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
        let journals = config.journals();
        if config.journals.is_some() {
            claim::claim(&*journals, config.clock.wall())?;
        }
        let place = config.history.clone();
        let place = place.unwrap_or_else(|| HistoryPlace::File(data.path().join("history.db")));
        crate::history::note(data.path(), &place).map_err(|source| OpenError::Io {
            path: data.path().to_owned(),
            source,
        })?;
        let history = HistoryStore::open(
            &place,
            Kept {
                days: config.history_days,
                hour_days: config.history_hours_days,
                bytes: config.history_max_bytes,
            },
            config.clock.clone(),
        )
        .map_err(|source| OpenError::Io {
            path: data.path().to_owned(),
            source,
        })?;
        let (history, generation, beginnings) = recover(&journals, history, shards, config)?;
        journals.remove_old(
            generation,
            Duration::from_secs(u64::from(config.journal_days) * 86_400),
        );
        let shared = Arc::new(Shared {
            source: config.clock.clone(),
            directory,
            letters: DeadLetters::default(),
            announced: Announced::default(),
            live: broadcast::Sender::new(LIVE_CAPACITY),
            downlink: RwLock::new(None),
            positions: history.positions().clone(),
            published: RwLock::default(),
            profiles: RwLock::default(),
            leases: Leases::default(),
            sleeping: crate::sleeping::Sleeping::default(),
            taken_over: watch::Sender::new(false),
        });
        let mut inner = Inner {
            shared,
            shards: Vec::new(),
            journals,
            generation,
            waits: !config.telemetry_wait.is_zero(),
            farms: RwLock::default(),
            history,
            stopped: Arc::new(AtomicBool::new(false)),
            threads: Mutex::default(),
            data: Mutex::new(Some(data)),
            past: past::Past::default(),
        };
        for (number, beginning) in beginnings.into_iter().enumerate() {
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

    /// Its journals, for who reads them beside it.
    #[must_use]
    pub fn journals(&self) -> Arc<dyn ReadJournals> {
        self.0.journals.clone()
    }

    /// Returns once another server has taken a journal over: nothing that this one decides counts from then on, and it is to end.
    pub async fn taken_over(&self) {
        let mut taken_over = self.0.shared.taken_over.subscribe();
        // What is shared outlives this.
        let _ = taken_over.wait_for(|is| *is).await;
    }

    /// Whether another server has taken a journal over.
    #[must_use]
    pub fn is_taken_over(&self) -> bool {
        *self.0.shared.taken_over.borrow()
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

    /// Whether that farm is here.
    #[must_use]
    pub fn has(&self, farm: &FarmId) -> bool {
        let farms = self.0.farms.read().unwrap_or_else(PoisonError::into_inner);
        farms.contains_key(farm)
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

    /// Forgets what is cached of a controller's record: call it when the record changes.
    pub fn controller_changed(&self, mac: &Mac) {
        for shard in &self.0.shards {
            let mac = *mac;
            shard.queue.tell(Box::new(move |s| s.forget(&mac)));
        }
    }

    /// Stores the engines' states now, so that a restart begins here.
    pub async fn snapshot(&self) {
        for shard in &self.0.shards {
            read::flush(shard, Shard::store_snapshot).await;
        }
    }

    /// Whether a journal does not answer: what is decided waits.
    #[must_use]
    pub fn is_journal_away(&self) -> bool {
        let mut shards = self.0.shards.iter();
        shards.any(|s| s.health.journal_is_away.load(Ordering::Acquire))
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
        let until = tokio::time::Instant::now() + STOP_WITHIN;
        let (shards, history) = (self.0.clone(), self.0.clone());
        stopped("shards", until, move || shards.stop_shards()).await?;
        stopped("history", until, move || history.stop_history()).await?;
        let error = self.health().journal_error;
        error.map_or(Ok(()), |e| Err(ShutdownError(e)))
    }
}

/// Stops a part on a thread of its own.
async fn stopped(
    what: &str,
    until: tokio::time::Instant,
    stop: impl FnOnce() + Send + 'static,
) -> Result<(), ShutdownError> {
    let stopping = tokio::task::spawn_blocking(stop);
    match tokio::time::timeout_at(until, stopping).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(e)) => Err(ShutdownError(e.to_string())),
        Err(_) => Err(ShutdownError(format!("the {what} did not stop in time"))),
    }
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
        self.stop_shards();
        self.stop_history();
    }
}
