//! Where the journals are: in files of the data directory, or in streams of a NATS.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use harit_cluster::{BadName, JetStreamJournals, Nats, NatsError, NatsOptions, Settings};
use harit_ingest::HubConfig;
use harit_ingest::history::HistoryPlace;
use harit_journal::{JournalError, JournalFiles, Journals as _, ReadJournals, put_file};

use crate::config::{Config, ConfigError};
use crate::data_dir::{DataDirArg, SERVER_KEY, server_id};
use crate::serve::configured;

/// Says in a data directory that its journals are elsewhere, and where.
const ELSEWHERE: &str = "journal.url";
/// How often NATS is tried where it does not answer.
const AGAIN: Duration = Duration::from_secs(2);

/// The NATS that has the journals of a server.
#[derive(Debug, Clone)]
pub(crate) struct NatsPlace {
    pub(crate) options: NatsOptions,
    /// Where its servers say of themselves how they are set.
    pub(crate) monitors: Vec<String>,
    pub(crate) cluster: String,
    pub(crate) settings: Settings,
}

/// The journals cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JournalsError {
    #[error(transparent)]
    Nats(#[from] NatsError),
    #[error(transparent)]
    Name(#[from] BadName),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the journals are in {0}: say so with journal.nats of the settings (--config)")]
    Elsewhere(String),
    #[error(
        "{} has journals, and journal.nats is set: `harit journal move` brings them there; to begin anew, move the whole data directory away",
        .0.display()
    )]
    InFiles(PathBuf),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl NatsPlace {
    /// Connects.
    pub(crate) fn open(&self) -> Result<JetStreamJournals, JournalsError> {
        let nats = Nats::connect(&self.options)?;
        Ok(JetStreamJournals::new(
            &nats,
            &self.cluster,
            &self.settings,
        )?)
    }

    /// Connects; a NATS that does not answer is waited for: after a power cut it may come later.
    pub(crate) fn wait(&self) -> Result<JetStreamJournals, JournalsError> {
        loop {
            match self.open() {
                Err(JournalsError::Nats(e @ NatsError::Unreachable { .. })) => {
                    tracing::warn!(error = %e, "the start waits for the journals");
                }
                opened => return opened,
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// Where that is, for people.
    pub(crate) fn say(&self) -> String {
        format!(
            "{}, cluster {}",
            self.options.servers.join(", "),
            self.cluster
        )
    }
}

/// Where the journals of a data directory are, if they are not in it.
pub(crate) fn elsewhere(data_dir: &Path) -> Option<String> {
    fs::read_to_string(data_dir.join(ELSEWHERE)).ok()
}

/// Writes down in a data directory where its journals are.
pub(crate) fn note(data_dir: &Path, place: &NatsPlace) -> Result<(), JournalsError> {
    let (path, said) = (data_dir.join(ELSEWHERE), place.say());
    if elsewhere(data_dir).is_some_and(|noted| noted == said) {
        return Ok(());
    }
    put_file(&path, said.as_bytes()).map_err(|source| JournalsError::Io { path, source })
}

/// Journals that a command reads, beside a running server too.
#[derive(Debug, Clone, Args)]
pub(crate) struct JournalsArg {
    #[command(flatten)]
    pub(crate) place: DataDirArg,
    #[command(flatten)]
    pub(crate) settings: SettingsArg,
}

/// The settings of a server, for where it has what is not in its data directory.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SettingsArg {
    /// The server's settings, for what is not in the data directory: journals in NATS, databases.
    #[arg(long, value_name = "FILE", env = "HARIT_CONFIG", global = true)]
    config: Option<PathBuf>,
}

impl JournalsArg {
    /// The journals.
    pub(crate) fn open(&self) -> Result<Arc<dyn ReadJournals>, JournalsError> {
        self.settings.open(&self.place.data_dir)
    }
}

impl SettingsArg {
    /// The journals of a data directory, or of the NATS that the settings name.
    pub(crate) fn open(&self, data_dir: &Path) -> Result<Arc<dyn ReadJournals>, JournalsError> {
        Ok(match of(&self.of(data_dir)?)? {
            Some(place) => Arc::new(place.open()?),
            None => JournalFiles::to_read(data_dir),
        })
    }

    /// The settings of the server that has a data directory.
    pub(crate) fn of(&self, data_dir: &Path) -> Result<Config, ConfigError> {
        let mut config = self.read()?;
        data_dir.clone_into(&mut config.server.data_dir);
        Ok(config)
    }

    pub(crate) fn read(&self) -> Result<Config, ConfigError> {
        configured(self.config.as_deref())
    }
}

/// The NATS that has a server's journals; none where the data directory has them.
///
/// # Errors
/// When the settings say another place than the data directory.
pub(crate) fn of(config: &Config) -> Result<Option<NatsPlace>, JournalsError> {
    let data_dir = &config.server.data_dir;
    let Some(place) = config.journals()? else {
        return elsewhere(data_dir).map_or(Ok(None), |place| Err(JournalsError::Elsewhere(place)));
    };
    match harit_journal::current(data_dir)? {
        Some(_) => Err(JournalsError::InFiles(data_dir.join("journal"))),
        None => Ok(Some(place)),
    }
}

/// What a command opens a hub with that no server has: where the settings say that its journals and its history are. The records are
/// open by then, which have the keys.
pub(crate) fn hub_config(config: &Config) -> Result<HubConfig, JournalsError> {
    let hub = HubConfig {
        history: config.history()?.map(HistoryPlace::Postgres),
        ..HubConfig::new(config.server.data_dir.clone()).keeping_all()
    };
    match of(config)? {
        Some(place) => {
            note(&config.server.data_dir, &place)?;
            over(place.open()?, 0, hub)
        }
        None => Ok(hub),
    }
}

/// What a hub over journals in NATS is opened with: they keep their number of shards where none is `chosen`, because the servers that
/// have them in turn may differ in cores.
pub(crate) fn over(
    journals: JetStreamJournals,
    chosen: usize,
    hub: HubConfig,
) -> Result<HubConfig, JournalsError> {
    let id = server_id(&hub.data_dir, "journal").map_err(|source| {
        let path = hub.data_dir.join(SERVER_KEY);
        JournalsError::Io { path, source }
    })?;
    let journals = journals.owned_by(id);
    let there = journals.current()?.map(|there| there.shards);
    Ok(HubConfig {
        shards: there.filter(|_| chosen == 0).unwrap_or(hub.shards),
        journals: Some(Arc::new(journals)),
        ..hub
    })
}
