//! What is backed up: a data directory, and records and journals that are elsewhere. A backup has those as the files that they would be.

use std::path::{Path, PathBuf};

use harit_api::{RecordsPlace, copy_records};
use harit_backup::Pace;
use harit_ingest::backup::{BackupError, CURRENT, FromElsewhere, MakeFiles};
use harit_journal::{CopyError, JournalFiles};

use super::BackupFailed;
use crate::config::{Config, ConfigError};
use crate::journals::NatsPlace;

/// A server's data, wherever it is.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) data_dir: PathBuf,
    pub(crate) records: RecordsPlace,
    pub(crate) journals: Option<NatsPlace>,
}

impl Source {
    /// That of the server that has these settings.
    ///
    /// # Errors
    /// When the settings are not sound.
    pub(crate) fn of(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self {
            data_dir: config.server.data_dir.clone(),
            records: config.records()?,
            journals: config.journals()?,
        })
    }

    /// Refuses where there is no data, or where nobody said where the records are.
    pub(super) fn check(&self) -> Result<(), BackupError> {
        let dir = &self.data_dir;
        if self.journals.is_none() && !dir.join(CURRENT).exists() {
            return Err(BackupError::NoData(dir.clone()));
        }
        match RecordsPlace::elsewhere(dir) {
            Some(url) if self.records.postgres().is_none() => Err(BackupError::Records(
                format!("they are in {url}: say so with --records-url").into(),
            )),
            _ => Ok(()),
        }
    }

    /// Calls `take` with what makes files of what is in none, in a folder that is empty and has room for them.
    pub(super) fn with<T>(
        &self,
        folder: &Path,
        pace: Pace<'_>,
        take: impl FnOnce(FromElsewhere<'_>) -> Result<T, BackupFailed>,
    ) -> Result<T, BackupFailed> {
        let records = || file_of(&self.records, folder);
        let copy = |place| move || files_of(place, &folder.join("journals"), pace);
        let journals = self.journals.as_ref().map(copy);
        take(FromElsewhere {
            records: self.records.postgres().map(|_| &records as MakeFiles<'_>),
            journals: journals.as_ref().map(|journals| journals as MakeFiles<'_>),
        })
    }
}

/// Makes a file of records, as of one instant.
fn file_of(records: &RecordsPlace, folder: &Path) -> Result<PathBuf, BackupError> {
    let file = RecordsPlace::file_in(folder);
    let copied = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| BackupError::Records(e.into()))?
        .block_on(copy_records(records, &file));
    copied.map_err(|e| BackupError::Records(e.into()))?;
    Ok(file.file())
}

/// Makes a data directory with the journals of a NATS.
fn files_of(place: &NatsPlace, folder: &Path, pace: Pace<'_>) -> Result<PathBuf, BackupError> {
    let journals = place.open().map_err(|e| BackupError::Journals(e.into()))?;
    // It is read at once, and made again where the machine fails.
    let files = JournalFiles::of(folder).unsynced();
    match harit_journal::copy(&journals, &files, pace) {
        Ok(_) => Ok(folder.to_owned()),
        Err(CopyError::Trimmed) => Err(BackupError::Changed),
        Err(CopyError::Stopped) => Err(BackupError::Stopped),
        Err(e) => Err(BackupError::Journals(e.into())),
    }
}
