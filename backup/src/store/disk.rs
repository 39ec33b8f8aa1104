//! Files and directories that only their owner reads, and that are there after a power cut.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
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

/// Removes what is in a directory, which is there and empty afterwards.
pub(crate) fn make_empty(path: &Path) -> Result<(), RepositoryError> {
    if path.exists() {
        std::fs::remove_dir_all(path).map_err(at(path))?;
    }
    make_dir(path)
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

/// Locks the file `LOCK` in a directory: against all others, or against those alone who lock it so.
///
/// # Errors
/// When somebody else has it. Where it cannot be made, a lock that is shared is none.
pub(crate) fn lock(dir: &Path, exclusive: bool) -> Result<Option<File>, RepositoryError> {
    let path = dir.join(LOCK);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = match options.open(&path) {
        Ok(file) => file,
        Err(_) if !exclusive => return Ok(None),
        Err(e) => return Err(at(&path)(e)),
    };
    let locked = if exclusive {
        file.try_lock()
    } else {
        file.try_lock_shared()
    };
    match locked {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(RepositoryError::Locked(dir.to_owned())),
        Err(TryLockError::Error(_)) if !exclusive => Ok(None),
        Err(TryLockError::Error(e)) => Err(at(&path)(e)),
    }
}

/// The name of what [`lock`] locks.
pub(crate) const LOCK: &str = "LOCK";
