//! A snapshot of a data directory in a repository, with what the farms were in it.

use std::path::Path;

use harit_backup::{
    FarmState, Forgotten, JournalEnd, Keep, Manifest, NewSnapshot, Pace, RepositoryError, Scratch,
};
use harit_ingest::backup::{self, BackupError, FoldFrom, StateError, Taker};
use jiff::tz::TimeZone;
use tempfile::TempDir;

use super::{Source, Target};
use crate::journals::JournalsError;

/// How often one is begun, where a server makes its keys or its journals meanwhile: at its first start, and seldom after.
const TRIES: u32 = 3;

/// There is no new snapshot.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BackupFailed {
    #[error(transparent)]
    Data(#[from] BackupError),
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    #[error("{name} cannot be folded, and a server would not start with it: {source}")]
    State { name: String, source: StateError },
    #[error(transparent)]
    Journals(#[from] JournalsError),
}

impl BackupFailed {
    /// Whether somebody else has the repository: it is there in a while.
    pub(crate) const fn is_busy(&self) -> bool {
        matches!(
            self,
            Self::Repository(RepositoryError::Locked(_) | RepositoryError::Leased { .. })
        )
    }

    /// Whether who asked for it stopped it.
    pub(crate) const fn is_stopped(&self) -> bool {
        matches!(
            self,
            Self::Repository(RepositoryError::Stopped) | Self::Data(BackupError::Stopped)
        )
    }
}

/// Makes a snapshot of a server's data, beside it or without it.
pub(crate) fn make(source: &Source, to: &Target, pace: Pace<'_>) -> Result<Manifest, BackupFailed> {
    source.check()?;
    let data_dir = &source.data_dir;
    let repository = to.for_writing()?;
    let scratch = repository.scratch(data_dir)?;
    let mut tries = 0;
    loop {
        tries += 1;
        let at_ms = jiff::Timestamp::now().as_millisecond();
        let mut taking = Taking {
            scratch: &scratch,
            new: repository.begin(env!("CARGO_PKG_VERSION"), at_ms)?,
            pace,
        };
        let folder = folder_in(&scratch)?;
        let taken = source.with(folder.path(), pace, |elsewhere| {
            backup::take(data_dir, elsewhere, &mut taking)
        });
        match taken {
            // What was stored is there: another attempt reads, and writes little.
            Err(BackupFailed::Data(BackupError::Changed)) if tries < TRIES => {}
            counts => return Ok(taking.new.finish(counts?.generation)?),
        }
    }
}

/// Removes the snapshots that are not to be kept. Days are those of this machine.
pub(crate) fn forget(from: &Target, keep: Keep, pace: Pace<'_>) -> Result<Forgotten, BackupFailed> {
    let repository = from.for_writing()?;
    Ok(repository.forget(keep, &TimeZone::system(), pace)?)
}

fn folder_in(scratch: &Scratch) -> Result<TempDir, BackupFailed> {
    let io = |source| {
        let path = scratch.path().to_owned();
        BackupFailed::Repository(RepositoryError::Io { path, source })
    };
    tempfile::tempdir_in(scratch.path()).map_err(io)
}

struct Taking<'a> {
    scratch: &'a Scratch,
    new: NewSnapshot<'a>,
    pace: Pace<'a>,
}

impl Taker for Taking<'_> {
    type Error = BackupFailed;

    fn file(&mut self, name: &str, from: &Path) -> Result<(), BackupFailed> {
        Ok(self.new.file(name, from, self.pace)?)
    }

    fn unchanging(&mut self, name: &str, from: &Path) -> Result<(), BackupFailed> {
        Ok(self.new.unchanging(name, from, self.pace)?)
    }

    fn database(
        &mut self,
        name: &str,
        from: &Path,
        shard: Option<usize>,
    ) -> Result<(), BackupFailed> {
        // Beside the chunks and not beside the data: an SD card that holds the data is not written for it. A folder of its
        // own, for what SQLite puts beside it.
        let folder = folder_in(self.scratch)?;
        let copy = folder.path().join("copy.db");
        backup::copy_pages(from, &copy, self.pace)?;
        self.new.file(name, &copy, self.pace)?;
        if let Some(shard) = shard {
            self.journal(name, &copy, shard as u64)?;
        }
        Ok(())
    }
}

impl Taking<'_> {
    /// Notes what the farms of a journal are at its end.
    fn journal(&mut self, name: &str, copy: &Path, shard: u64) -> Result<(), BackupFailed> {
        let failed = |source| BackupFailed::State {
            name: name.to_owned(),
            source,
        };
        let state = backup::fold(copy, FoldFrom::Newest).map_err(failed)?;
        let farms = state.farms.into_iter();
        let farms = farms.map(|(farm, sha256)| FarmState {
            farm: farm.to_string(),
            shard,
            sha256,
        });
        let last = state.last;
        self.new
            .journal(JournalEnd { shard, last }, farms.collect());
        Ok(())
    }
}
