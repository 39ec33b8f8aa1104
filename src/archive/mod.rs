//! The archive: every reading that was ever journaled, as Apache Parquet files, for as long as somebody wants.
//!
//! It is made of the journal, a day at a time, by the same fold, and before the journal is trimmed; so nothing is written twice
//! while readings come in, and a power cut costs nothing: what is not in the archive is in the journal. A file holds what was
//! journaled of a farm on a day (UTC), or, where a journal has no room for a whole day, a part of it:
//!
//! ```text
//! archive/farm=green-valley/day=2026-11-24/readings-0001-00-000000012346.parquet
//!                                          late-0001-00-000000012346.parquet
//! ```
//!
//! `readings` are those that rules saw, in the order in which they did; `late` are those for the history alone. The columns are `at`
//! (when it was true), `sensor`, `value`, `type` and `good` (plausible for its type: what charts show). Tools that know folders of
//! this form (DuckDB, pandas, Spark) add the columns `farm` and `day`.
//!
//! A bucket may get a copy of each file ([`copy`]), and an archive is read there or here ([`source`]).
//!
//! `_archived.json` (a name that tools leave out) says up to which batch each journal is archived; it is written after the files are on the disk.

mod copy;
mod layout;
mod source;
#[cfg(test)]
mod tests;
mod worker;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use harit_bucket::ConnectError;
use harit_ingest::past::PastError;
use thiserror::Error;

use crate::columnar::ColumnarError;
use crate::positions::PositionsError;

pub(crate) use layout::{Day, FarmDay, Part};
pub(crate) use source::Source;
pub(crate) use worker::{Keep, Settings, load, start};
pub(crate) use write::archive;

/// Its folder below the data directory.
pub(crate) const FOLDER: &str = "archive";

/// What says up to where the journals are archived.
const POSITIONS: &str = "_archived.json";

/// What says in a bucket whose archive it has.
const SERVER: &str = "_server";

fn positions_file(archive: &Path) -> PathBuf {
    archive.join(POSITIONS)
}

/// The archive cannot be read or written.
#[derive(Debug, Error)]
pub(crate) enum ArchiveError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] PastError),
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written or read as Parquet.
    #[error("{}: {source}", path.display())]
    Columns {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: ColumnarError,
    },
    /// The positions cannot be read or kept.
    #[error(transparent)]
    Positions(#[from] PositionsError),
    /// Another server copies there.
    #[error(
        "{0} has the archive of another server: give each a prefix of its own; where it is this one, whose key is another now, remove {SERVER} there"
    )]
    Taken(String),
    /// There is no client of the bucket.
    #[error(transparent)]
    Connect(#[from] ConnectError),
}

impl ArchiveError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    fn columns(path: &Path) -> impl Fn(ColumnarError) -> Self {
        move |source| Self::Columns {
            path: path.to_owned(),
            source,
        }
    }
}
