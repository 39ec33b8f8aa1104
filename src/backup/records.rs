//! Records that are in a PostgreSQL: a backup has them as the file that they would be.

use std::path::{Path, PathBuf};

use harit_api::{RecordsPlace, copy_records};
use harit_ingest::backup::BackupError;

/// Says where they are, where nobody said so.
pub(super) fn are_named(data_dir: &Path, records: &RecordsPlace) -> Result<(), BackupError> {
    match RecordsPlace::elsewhere(data_dir) {
        Some(url) if records.postgres().is_none() => Err(BackupError::Records(
            format!("they are in {url}: say so with --records-url").into(),
        )),
        _ => Ok(()),
    }
}

/// Makes a file of them, as of one instant, in a folder that is empty.
pub(super) fn file_of(records: &RecordsPlace, folder: &Path) -> Result<PathBuf, BackupError> {
    let file = RecordsPlace::file_in(folder);
    let copied = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| BackupError::Records(e.into()))?
        .block_on(copy_records(records, &file));
    copied.map_err(|e| BackupError::Records(e.into()))?;
    Ok(file.file())
}
