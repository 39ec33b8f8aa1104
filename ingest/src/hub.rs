//! The way in: recovers everything, takes publishes and inputs, answers questions, and shuts down in order.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use harit_engine::{Engine, Event, FarmDocument, FarmId, InputKind, Problems};
use thiserror::Error;
use tokio::sync::broadcast;

use crate::command::{CommandFilter, CommandLife};
use crate::controller::ControllerStatus;
use crate::dead_letter::DeadLetter;
use crate::directory::ControllerDirectory;
use crate::history::History;
use crate::live::LiveEvent;
use crate::mac::Mac;
use crate::mqtt::{Downlink, Uplink};

/// What a hub is opened with.
#[derive(Clone)]
pub struct HubConfig {
    /// Where everything is stored. One process at a time: it is locked.
    pub data_dir: PathBuf,
    /// How many shards (threads, journals). One a core by default. A changed number is migrated when the hub is opened.
    pub shards: usize,
    /// How many days of rollups, events and commands are kept.
    pub history_days: u32,
    /// For how many days the journal is kept for export and replay.
    pub journal_days: u32,
    /// At how many bytes a shard's journal is trimmed before its days are over.
    pub journal_max_bytes: u64,
    /// How often the engines' states are stored, so that a restart replays little.
    pub snapshot_every: Duration,
    /// How long after the start a controller that was online may stay silent before its devices count as offline.
    pub presence_grace: Duration,
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
}

/// An input was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AdmitError {
    /// No such farm.
    #[error("farm {0} is not known")]
    UnknownFarm(FarmId),
    /// The engine refused it; nothing changed.
    #[error("{0}")]
    Rejected(Problems),
    /// A farm of that id exists already.
    #[error("farm {0} exists already")]
    FarmExists(FarmId),
    /// The journal cannot be written, the farm has failed, or the hub is shutting down.
    #[error("not available: {0}")]
    Unavailable(&'static str),
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
    /// Farms whose engine failed: they are isolated until the next start.
    pub failed_farms: Vec<FarmId>,
    /// Publishes and inputs that wait, in all shards.
    pub queued: usize,
}

/// The pipeline. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Hub;

impl Hub {
    /// Opens the data directory, recovers every farm (snapshot, journal, `Resumed`), and starts the shards.
    ///
    /// # Errors
    /// When the directory is in use, or a journal is damaged: never with less than what was acknowledged.
    pub async fn open(
        _config: HubConfig,
        _controllers: Arc<dyn ControllerDirectory>,
    ) -> Result<Self, OpenError> {
        unimplemented!()
    }

    /// Where commands go from now on.
    pub fn attach(&self, _downlink: Downlink) {
        unimplemented!()
    }

    /// What a transport feeds.
    #[must_use]
    pub fn uplink(&self) -> Arc<dyn Uplink> {
        unimplemented!()
    }

    /// Adds a farm, with whatever it has from the beginning.
    ///
    /// # Errors
    /// When the farm exists, its document is refused, or the journal cannot be written.
    pub async fn add_farm(&self, _doc: FarmDocument) -> Result<(), AdmitError> {
        unimplemented!()
    }

    /// All farms, by id.
    #[must_use]
    pub fn farms(&self) -> Vec<FarmId> {
        unimplemented!()
    }

    /// Stamps an input now, journals it, applies it, and returns what the engine said.
    ///
    /// # Errors
    /// When the farm is unknown, the engine refuses the input, or it cannot be journaled.
    pub async fn admit(&self, _farm: &FarmId, _kind: InputKind) -> Result<Vec<Event>, AdmitError> {
        unimplemented!()
    }

    /// Asks a farm's engine, on its shard's thread between two inputs: keep it short.
    ///
    /// # Errors
    /// When the farm is unknown or has failed.
    pub async fn read<R: Send + 'static>(
        &self,
        _farm: &FarmId,
        _question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<R, AdmitError> {
        unimplemented!()
    }

    /// Live events of all farms. Bounded: a slow reader gets `Lagged` and loads anew.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<LiveEvent>> {
        unimplemented!()
    }

    /// A command's life.
    pub async fn command(&self, _farm: &FarmId, _command_id: &str) -> Option<CommandLife> {
        unimplemented!()
    }

    /// Commands, newest first.
    pub async fn commands(&self, _farm: &FarmId, _filter: CommandFilter) -> Vec<CommandLife> {
        unimplemented!()
    }

    /// What the farm's controllers last said of themselves: online, firmware, reported settings, what is gone.
    ///
    /// # Errors
    /// When the farm is unknown or has failed.
    pub async fn controllers(&self, _farm: &FarmId) -> Result<Vec<ControllerStatus>, AdmitError> {
        unimplemented!()
    }

    /// Forgets what is cached of a controller's record: call it when the record changes.
    pub fn controller_changed(&self, _mac: &Mac) {
        unimplemented!()
    }

    /// Rollups and events.
    #[must_use]
    pub fn history(&self) -> Arc<dyn History> {
        unimplemented!()
    }

    /// Dead letters, the latest first.
    pub async fn dead_letters(&self, _limit: usize) -> Vec<DeadLetter> {
        unimplemented!()
    }

    /// How the hub is.
    #[must_use]
    pub fn health(&self) -> Health {
        unimplemented!()
    }

    /// Takes nothing more, applies what is queued, stores the state and closes everything; under 5 s.
    ///
    /// # Errors
    /// When the state could not be stored; the journal has everything all the same.
    pub async fn shutdown(self) -> Result<(), ShutdownError> {
        unimplemented!()
    }
}

/// The state could not be stored at shutdown.
#[derive(Debug, Error)]
#[error("the state could not be stored: {0}; the journal has everything")]
pub struct ShutdownError(pub String);
