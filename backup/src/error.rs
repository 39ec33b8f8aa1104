//! Why a repository cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A repository could not be read or written.
#[derive(Debug, Error)]
pub enum RepositoryError {
    /// Another directory was meant, perhaps one on a disk that is not mounted.
    #[error("{0} is no repository of backups: it has no file REPOSITORY")]
    NoRepository(PathBuf),
    /// Something else is there.
    #[error(
        "{0} is not empty and no repository of backups: a repository is a directory of its own"
    )]
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
    /// The file system refused.
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
