//! A history brought from the data directory into a PostgreSQL, while no server runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use harit_journal::{DataDir, DataDirError};
use thiserror::Error;

use super::seam::StoreError;
use super::{HistoryPlace, PostgresUrl, note, sqlite};

/// The history could not be brought there. The database has none of it then.
#[derive(Debug, Error)]
pub enum CopyError {
    /// There is none.
    #[error("{0} is not there")]
    Nothing(PathBuf),
    /// A server uses the data directory, or it cannot be used.
    #[error("the data directory cannot be used: {0}")]
    Data(DataDirError),
    /// The file, or the database.
    #[error("{0}")]
    Store(StoreError),
    /// The file was copied, and could not be put away.
    #[error("it is there, but the data directory does not say so")]
    Note(#[source] io::Error),
}

/// Copies the history of a data directory into a PostgreSQL that has none, puts the file away as `history.db.copied`, and writes down where
/// the history is. Says how many rows there were.
///
/// # Errors
/// When there is no file, it cannot be read, a server runs, or the database has a history or cannot be written.
pub fn copy_to_postgres(data_dir: &Path, url: &PostgresUrl) -> Result<u64, CopyError> {
    let path = data_dir.join("history.db");
    if !path.exists() {
        return Err(CopyError::Nothing(path));
    }
    let _lock = DataDir::lock(data_dir).map_err(CopyError::Data)?;
    let store = |e: StoreError| CopyError::Store(e);
    let file = sqlite::open(&path).map_err(|e| store(e.into()))?;
    let rows = url.take_over(&file).map_err(store)?;
    file.close().map_err(|(_, e)| store(e.into()))?;
    note(data_dir, &HistoryPlace::Postgres(url.clone())).map_err(CopyError::Note)?;
    fs::rename(&path, path.with_extension("db.copied")).map_err(CopyError::Note)?;
    Ok(rows)
}
