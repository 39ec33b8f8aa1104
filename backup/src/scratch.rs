//! A directory for copies of databases, which are there while they are cut into chunks.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::RepositoryError;
use crate::repository::Repository;
use crate::store::disk;

const NAME: &str = "backup-tmp";

/// A directory that one process at a time has.
#[derive(Debug)]
pub struct Scratch {
    dir: PathBuf,
    /// Held where the directory is beside the data, and removed with it.
    lock: Option<File>,
}

impl Repository {
    /// A directory of the repository; where it is on no disk, one beside the data, which is removed afterwards.
    ///
    /// # Errors
    /// When another process has it, or it cannot be made.
    pub fn scratch(&self, data_dir: &Path) -> Result<Scratch, RepositoryError> {
        if let Some(dir) = self.store.temporary() {
            return Ok(Scratch {
                dir: dir.to_owned(),
                lock: None,
            });
        }
        let whole = data_dir.join(NAME);
        disk::make_dir(&whole)?;
        let lock = disk::lock(&whole, true)?;
        // What one that was cut off left.
        let dir = whole.join("copies");
        disk::make_empty(&dir)?;
        Ok(Scratch { dir, lock })
    }
}

impl Scratch {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.lock.is_some()
            && let Some(whole) = self.dir.parent()
        {
            // Left, the next one empties it.
            let _left = std::fs::remove_dir_all(whole);
        }
    }
}
