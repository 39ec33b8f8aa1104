//! What a hub is opened with, how it is, and why it could not be opened or closed.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use harit_engine::FarmId;
use harit_journal::{JournalError, JournalFiles, Journals, ReadJournals};
use thiserror::Error;

use crate::Archived;
use crate::clock::SystemTime;
use crate::history::{HistoryPlace, StoreError};

/// What a hub is opened with.
#[derive(Clone)]
pub struct HubConfig {
    /// Where everything is stored. One process at a time: it is locked.
    pub data_dir: PathBuf,
    /// Where the journals are; without it in files of the data directory.
    pub journals: Option<Arc<dyn Journals>>,
    /// The journals that are moved to `journals`, where those have none yet.
    pub moved_from: Option<Arc<dyn Journals>>,
    /// Whether new journals begin with the farms as they are in those that are there, as where the number of shards changes.
    pub anew: Option<Anew>,
    /// How many shards (threads, journals). One a core by default. A changed number is migrated when the hub is opened.
    pub shards: usize,
    /// Where the history is kept; without it in a file of the data directory.
    pub history: Option<HistoryPlace>,
    /// How many days of rollups, events and commands are kept.
    pub history_days: u32,
    /// For how many days values by hour and by day are kept.
    pub history_hours_days: u32,
    /// How many bytes the history's file may have: past it the oldest of the farms that have the most goes.
    pub history_max_bytes: u64,
    /// The farms that must be in the journal: without one of them the hub is not opened.
    pub farms: Vec<FarmId>,
    /// For how many days the journal is kept for export and replay.
    pub journal_days: u32,
    /// At how many bytes a shard's journal is trimmed before its days are over.
    pub journal_max_bytes: u64,
    /// How far an archive has what is journaled; without one no journal waits for it.
    pub archived: Option<Arc<Archived>>,
    /// How often the engines' states are stored, so that a restart replays little.
    pub snapshot_every: Duration,
    /// How often the history is given what is new while nobody reads it; who reads it sees everything up to now.
    pub history_every: Duration,
    /// How long readings may wait before they are committed, so that the disk is synced less often. What waits with QoS 0 is
    /// lost in a power cut; what waits with QoS 1 is acknowledged that much later, and rules decide that much later.
    pub telemetry_wait: Duration,
    /// How long after the start a controller that was online may stay silent before its devices count as offline.
    pub presence_grace: Duration,
    /// Whether a batch in a file is on the disk before it counts. Off only for a log that can be made again from nothing.
    pub sync: bool,
    /// What time it is; tests bring their own.
    pub clock: Arc<dyn crate::clock::TimeSource>,
}

/// With which farms new journals begin, as they are at the end of those that are there.
#[derive(Clone)]
pub enum Anew {
    /// With all.
    All,
    /// With all but one, which other journals have now.
    Without(FarmId),
    /// With one more, as it is at the end of these; what was there of it is left behind.
    With(FarmId, Arc<dyn ReadJournals>),
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
    Journal(#[from] JournalError),
    /// The history store could not be opened.
    #[error("the history store could not be opened")]
    History(#[source] StoreError),
    /// The records name a farm that the journal does not have.
    #[error(
        "farm {0} is in the records, and not in the journal: the journal was lost, or is not the one of these records; restore \
         both from one backup; nothing was changed"
    )]
    FarmMissing(FarmId),
    /// Another server has the journals.
    #[error("another server appends to the journals: it goes on, and this one ends")]
    AtWork,
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
            journals: None,
            moved_from: None,
            anew: None,
            shards: std::thread::available_parallelism().map_or(1, usize::from),
            history: None,
            history_days: 400,
            history_hours_days: 3_650,
            history_max_bytes: 8 << 30,
            farms: Vec::new(),
            journal_days: 7,
            journal_max_bytes: 4 << 30,
            archived: None,
            snapshot_every: Duration::from_secs(300),
            history_every: Duration::from_secs(10),
            telemetry_wait: Duration::ZERO,
            presence_grace: Duration::from_secs(60),
            sync: true,
            clock: Arc::new(SystemTime::default()),
        }
    }

    /// The same, but nothing is removed because of its age or for want of room: for who opens a hub for a moment, and does not know what its
    /// server is to keep.
    #[must_use]
    pub fn keeping_all(self) -> Self {
        Self {
            history_days: u32::MAX,
            history_hours_days: u32::MAX,
            history_max_bytes: u64::MAX,
            journal_days: u32::MAX,
            journal_max_bytes: u64::MAX,
            ..self
        }
    }

    /// Where the journals are.
    pub(super) fn journals(&self) -> Arc<dyn Journals> {
        self.journals.clone().unwrap_or_else(|| {
            let files = JournalFiles::of(&self.data_dir);
            Arc::new(if self.sync { files } else { files.unsynced() })
        })
    }
}

/// The state could not be stored at shutdown.
#[derive(Debug, Error)]
#[error("the state could not be stored: {0}; the journal has everything")]
pub struct ShutdownError(pub String);
