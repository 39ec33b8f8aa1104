//! What can be wrong with a journal, and why a write is refused.

use std::error::Error as StdError;
use std::path::PathBuf;

use thiserror::Error;

/// The journal could not be opened or read.
#[derive(Debug, Error)]
pub enum JournalError {
    /// What it is stored in refused.
    #[error("journal {name}: {source}")]
    Storage {
        /// Which journal.
        name: String,
        /// Why.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// What must be there is not.
    #[error("journal {name} is missing: restore it from a backup{otherwise}")]
    Missing {
        /// Which journal.
        name: String,
        /// What else there is to know or to do, after a comma or a semicolon.
        otherwise: String,
    },
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
        "journal {name} ends at batch {last}, but batch {acknowledged} was acknowledged: it has lost its end; restore it from a backup, or go on with what is left \
         (`harit journal accept-loss`)"
    )]
    Lost {
        /// Which journal.
        name: String,
        /// The last batch that is there.
        last: u64,
        /// The last that was acknowledged.
        acknowledged: u64,
    },
    /// Something in it is damaged.
    #[error("journal {name} is damaged: {what}; restore it from a backup")]
    Damaged {
        /// Which journal.
        name: String,
        /// What.
        what: String,
    },
    /// Reading it failed inside the program.
    #[error("recovering a journal panicked: see the log")]
    Panicked,
    /// A batch cannot be understood.
    #[error("journal {name}, batch {seq}: {source}")]
    Body {
        /// Which journal.
        name: String,
        /// Which batch.
        seq: u64,
        /// Why.
        source: Box<dyn StdError + Send + Sync>,
    },
}

/// Why something was not written, by what the caller is to do.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    /// There is no room, and nothing was written. It is waited out; a stop has the room that is kept back.
    #[error("{0}")]
    Full(String),
    /// Busy, or not to be reached. It is waited out, and the same write is tried again.
    #[error("{0}")]
    Unavailable(String),
    /// Somebody else appends to this journal, and nothing was written. The shard ends and leaves no snapshot.
    #[error("the journal ends at batch {last}, not at {after}: somebody else writes to it")]
    Fenced {
        /// After which batch it was to be appended.
        after: u64,
        /// The last one that is there.
        last: u64,
    },
    /// What is stored cannot be relied on before it was opened anew. The shard ends.
    #[error("{0}")]
    Broken(String),
}

impl WriteError {
    /// Whether trying again is of no use.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Fenced { .. } | Self::Broken(_))
    }
}
