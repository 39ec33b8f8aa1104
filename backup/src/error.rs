//! Why a repository cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use harit_bucket::ConnectError;
use thiserror::Error;

/// A repository could not be read or written.
#[derive(Debug, Error)]
pub enum RepositoryError {
    /// Another place was meant, perhaps one on a disk that is not mounted.
    #[error("{0} is no repository of backups: it has no file REPOSITORY")]
    NoRepository(PathBuf),
    /// Something else is there.
    #[error("{0} is not empty and no repository of backups: a repository has a place of its own")]
    NotEmpty(PathBuf),
    /// A later program wrote it.
    #[error("{path} has format {format}, and this program knows {known}: a newer harit wrote it")]
    Format {
        /// Which file.
        path: PathBuf,
        /// What it says.
        format: u32,
        /// What is known here.
        known: u32,
    },
    /// Someone else writes, or somebody reads what would be removed.
    #[error("another process uses the repository {0}: try again when it has ended")]
    Locked(PathBuf),
    /// The same in a bucket, which does not see a process end.
    #[error(
        "{path} is used by {who}: try again when it has ended; where it was cut off, after 15 minutes"
    )]
    Leased {
        /// Which repository.
        path: PathBuf,
        /// By whom.
        who: String,
    },
    /// The bucket could not be reached for so long that another may write.
    #[error("{0} could not be reached for minutes, and another may have begun to write it")]
    LeaseLost(PathBuf),
    /// There is no client of the bucket.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// It is encrypted, and the key is missing or another.
    #[error("{path} is encrypted with the key {id}: {why}")]
    OtherKey {
        /// Which repository.
        path: PathBuf,
        /// Which key.
        id: String,
        /// What was given.
        why: &'static str,
    },
    /// A key was given for one that is not encrypted.
    #[error(
        "{0} was made without encryption, and stays so: give no key, or begin another repository"
    )]
    NotEncrypted(PathBuf),
    /// There is no such snapshot.
    #[error("the repository has no snapshot {0}")]
    NoSnapshot(u64),
    /// There is none at all.
    #[error("the repository {0} has no snapshot")]
    Empty(PathBuf),
    /// A manifest is not as it was written.
    #[error("snapshot {number}: its manifest {path} is damaged: {why}")]
    Manifest {
        /// Whose.
        number: u64,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The rule for what is kept would keep nothing.
    #[error(
        "nothing says what to keep: at least one of last, daily and weekly must be more than 0"
    )]
    KeepNothing,
    /// Who asked for it does not want it any more.
    #[error("it was stopped")]
    Stopped,
    /// The file system or the bucket refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Says which file an error is of.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> RepositoryError {
    let path = path.to_owned();
    move |source| RepositoryError::Io { path, source }
}
