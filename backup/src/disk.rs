//! Files and directories that only their owner reads, and that are there after a power cut.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use crate::RepositoryError;
use crate::error::at;

/// Makes a directory, and those above it.
pub(crate) fn make_dir(path: &Path) -> Result<(), RepositoryError> {
    let mut builder = DirBuilder::new();
    builder
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(at(path))
}

/// A new file, which must not be there.
pub(crate) fn create(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode).open(path)
}

/// Puts a whole file in place in one step: by way of `temporary`, on the same file system. The directory is not synced.
pub(crate) fn put(path: &Path, temporary: &Path, bytes: &[u8]) -> Result<(), RepositoryError> {
    let write = || {
        let mut file = create(temporary, 0o600)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(temporary, path)
    };
    write().map_err(|e| {
        // What is left of it is in the way of nobody but the next attempt.
        let _gone = std::fs::remove_file(temporary);
        at(path)(e)
    })
}

/// What was renamed into a directory, or removed from it, stays so after a power cut.
pub(crate) fn sync_dir(path: &Path) -> Result<(), RepositoryError> {
    let sync = || File::open(path)?.sync_all();
    sync().map_err(at(path))
}
