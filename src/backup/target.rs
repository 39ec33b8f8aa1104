//! A repository as it was named: where it is, and by which key it is read.

use std::path::PathBuf;

use clap::Args;
use harit_backup::{Key, Repository, RepositoryError};
use harit_bucket::Place;

/// `--key-file` of whatever reads or writes a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct KeyArg {
    /// The key of an encrypted repository, as `harit backup key` made it. A new repository is encrypted with it.
    #[arg(long, value_name = "FILE", env = "HARIT_BACKUP_KEY_FILE")]
    pub(crate) key_file: Option<PathBuf>,
}

/// A repository that is opened when it is needed: it may be on a disk or in a bucket that is not there now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) place: Place,
    pub(crate) key: KeyArg,
}

impl Target {
    pub(crate) fn key(&self) -> Result<Option<Key>, RepositoryError> {
        self.key.key_file.as_deref().map(Key::read).transpose()
    }

    pub(crate) fn for_writing(&self) -> Result<Repository, RepositoryError> {
        Repository::for_writing(&self.place, self.key()?.as_ref())
    }

    pub(crate) fn open(&self) -> Result<Repository, RepositoryError> {
        Repository::open(&self.place, self.key()?.as_ref())
    }

    pub(crate) fn peek(&self) -> Result<Repository, RepositoryError> {
        Repository::peek(&self.place, self.key()?.as_ref())
    }
}
