//! What can be wrong with a journal.

use std::path::PathBuf;

use thiserror::Error;

use harit_farm::codec::BadBody;

/// The journal could not be read or written.
#[derive(Debug, Error)]
pub enum JournalError {
    /// SQLite refused.
    #[error("journal {path}: {source}")]
    Sqlite {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that must be there is not.
    #[error(
        "journal {0} is missing: restore it from a backup, or move the data directory away to begin anew"
    )]
    Missing(PathBuf),
    /// Which of the journals that are there counts is not known.
    #[error(
        "{0} has journals with data, but the file CURRENT beside it, which says which journal counts, is missing: put it back \
         from the backup (`harit backup` copies it), or move the data directory away to begin anew; nothing was changed"
    )]
    NoPointer(PathBuf),
    /// Not a journal, or one of a newer version.
    #[error(
        "{path} is no journal that this version reads (application {application:#x}, version {version})"
    )]
    Version {
        /// Which file.
        path: PathBuf,
        /// What it says that it is.
        application: i64,
        /// Of which version.
        version: i64,
    },
    /// The end is missing.
    #[error(
        "journal {path} ends at batch {last}, but batch {acknowledged} was acknowledged: it has lost its end; restore it from a backup"
    )]
    Lost {
        /// Which file.
        path: PathBuf,
        /// The last batch that is there.
        last: u64,
        /// The last that was acknowledged.
        acknowledged: u64,
    },
    /// Something in it is damaged.
    #[error("journal {path} is damaged: {what}; restore it from a backup")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What.
        what: String,
    },
    /// Reading it failed inside the program.
    #[error("recovering a journal panicked: see the log")]
    Panicked,
    /// A batch cannot be understood.
    #[error("journal {path}, batch {seq}: {source}")]
    Body {
        /// Which file.
        path: PathBuf,
        /// Which batch.
        seq: u64,
        /// Why.
        source: BadBody,
    },
}
