//! Where journals lie: one data directory for one process, generations of files in it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Journal, JournalError, JournalFile, JournalRead as _, put_file, sync_dir};

/// A locked data directory.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    /// Held as long as the process lives; the system frees it after a crash.
    _lock: File,
}

/// Why a data directory cannot be had.
#[derive(Debug, Error)]
pub enum DataDirError {
    /// Another process has it.
    #[error("another process has the data directory")]
    Locked,
    /// The file system refused.
    #[error("{0}: {1}")]
    Io(PathBuf, std::io::Error),
}

/// Which files are the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub generation: u64,
    /// How many files it has.
    pub shards: usize,
}

impl Generation {
    /// The shard of a farm: stable, whatever else is there.
    #[must_use]
    pub fn shard_of(self, farm: &str) -> usize {
        shard_of(farm, self.shards)
    }
}

/// The shard of a farm among so many. FNV-1a: the same on every machine and in every version.
#[must_use]
pub fn shard_of(farm: &str, shards: usize) -> usize {
    let hash = farm.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    });
    usize::try_from(hash % shards.max(1) as u64).unwrap_or(0)
}

impl DataDir {
    /// Creates the directory where needed, and locks it.
    ///
    /// # Errors
    /// When another process has it, or it cannot be written.
    pub fn lock(path: &Path) -> Result<Self, DataDirError> {
        let io = |p: &Path| {
            let p = p.to_owned();
            move |e| DataDirError::Io(p, e)
        };
        let journal = path.join("journal");
        std::fs::create_dir_all(&journal).map_err(io(&journal))?;
        let lock_path = path.join("LOCK");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(io(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => Err(DataDirError::Locked),
            Err(TryLockError::Error(e)) => Err(DataDirError::Io(lock_path, e)),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The current generation; none in a new directory.
    ///
    /// # Errors
    /// When the pointer to it cannot be read.
    pub fn current(&self) -> Result<Option<Generation>, JournalError> {
        current(&self.path)
    }

    /// Refuses where journals have data and nothing says which of them counts: a new one would hide or remove them.
    ///
    /// A crash before the first switch leaves files, but none that anything was acknowledged in.
    ///
    /// # Errors
    /// [`JournalError::NoPointer`] where that is so; otherwise when the directory cannot be read.
    pub fn refuse_orphans(&self) -> Result<(), JournalError> {
        let journal = self.path.join("journal");
        let io = |source| JournalError::Io {
            path: journal.clone(),
            source,
        };
        for generation in std::fs::read_dir(&journal).map_err(io)? {
            let folder = generation.map_err(io)?.path();
            if !folder.is_dir() {
                continue;
            }
            for file in std::fs::read_dir(&folder).map_err(io)? {
                let file = file.map_err(io)?.path();
                let is_journal = file.extension().is_some_and(|e| e == "db");
                let empty = !is_journal || is_empty(&file);
                if !empty {
                    return Err(JournalError::NoPointer(folder));
                }
            }
        }
        Ok(())
    }

    /// The journal file of a shard.
    #[must_use]
    pub fn file(&self, generation: Generation, shard: usize) -> PathBuf {
        shard_file(&self.path, generation.generation, shard)
    }

    /// Makes empty files for a new generation, which is not yet the current one. What an earlier attempt left is removed.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn prepare(&self, generation: Generation) -> Result<Vec<JournalFile>, JournalError> {
        let dir = generation_dir(&self.path, generation.generation);
        let io = |source| JournalError::Io {
            path: dir.clone(),
            source,
        };
        if dir.exists() {
            std::fs::remove_dir_all(&dir).map_err(io)?;
        }
        std::fs::create_dir_all(&dir).map_err(io)?;
        (0..generation.shards)
            .map(|shard| JournalFile::create(&self.file(generation, shard)))
            .collect()
    }

    /// Makes a generation the current one, in one step.
    ///
    /// # Errors
    /// When the pointer cannot be written; then it is that of before.
    pub fn switch(&self, generation: Generation) -> Result<(), JournalError> {
        let target = pointer(&self.path);
        let write = || -> std::io::Result<()> {
            sync_dir(&generation_dir(&self.path, generation.generation))?;
            put_file(&target, serde_json::to_string(&generation)?.as_bytes())
        };
        write().map_err(|source| JournalError::Io {
            path: target.clone(),
            source,
        })
    }

    /// Removes generations before the current one that are older than `keep`.
    pub fn remove_old(&self, current: Generation, keep: std::time::Duration) {
        for old in old_generations(&self.path, current.generation) {
            let dir = generation_dir(&self.path, old);
            let age = dir
                .metadata()
                .and_then(|m| m.modified())
                .ok()
                .and_then(|t| t.elapsed().ok());
            if age.is_some_and(|a| a > keep)
                && let Err(e) = std::fs::remove_dir_all(&dir)
            {
                tracing::warn!(dir = %dir.display(), error = %e, "an old journal could not be removed");
            }
        }
    }
}

/// Whether a journal's file has nothing in it; one that cannot be read may have.
fn is_empty(file: &Path) -> bool {
    let nothing = |journal: JournalFile| {
        let snapshots = journal.snapshots().is_ok_and(|all| all.is_empty());
        journal.last() == 0 && snapshots
    };
    JournalFile::open(file).is_ok_and(nothing)
}

fn pointer(data_dir: &Path) -> PathBuf {
    data_dir.join("journal/CURRENT")
}

fn generation_dir(data_dir: &Path, generation: u64) -> PathBuf {
    data_dir.join(format!("journal/{generation:06}"))
}

/// The journal file of a shard, in a data directory that need not be locked.
#[must_use]
pub fn shard_file(data_dir: &Path, generation: u64, shard: usize) -> PathBuf {
    generation_dir(data_dir, generation).join(format!("shard-{shard}.db"))
}

/// The current generation of a data directory; none where there is no pointer to one.
///
/// # Errors
/// When the pointer cannot be read.
pub fn current(data_dir: &Path) -> Result<Option<Generation>, JournalError> {
    let path = pointer(data_dir);
    match std::fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|e| JournalError::Damaged {
                name: path.display().to_string(),
                what: e.to_string(),
            }),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            // A crash before the first switch leaves files, but none that anything was acknowledged in.
            Ok(None)
        }
        Err(source) => Err(JournalError::Io { path, source }),
    }
}

/// Earlier generations that are still there, oldest first.
#[must_use]
pub fn old_generations(data_dir: &Path, current: u64) -> Vec<u64> {
    (1..current)
        .filter(|g| generation_dir(data_dir, *g).is_dir())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_may_have_it() {
        let dir = tempfile::tempdir().unwrap();
        let first = DataDir::lock(dir.path()).unwrap();
        assert!(matches!(
            DataDir::lock(dir.path()),
            Err(DataDirError::Locked)
        ));
        drop(first);
        assert!(DataDir::lock(dir.path()).is_ok());
    }

    #[test]
    fn a_generation_counts_when_it_is_switched_to() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataDir::lock(dir.path()).unwrap();
        let g = Generation {
            generation: 1,
            shards: 2,
        };
        assert_eq!(data.prepare(g).unwrap().len(), 2);
        assert_eq!(data.current().unwrap(), None);
        data.switch(g).unwrap();
        assert_eq!(data.current().unwrap(), Some(g));
        std::fs::write(pointer(dir.path()), "x").unwrap();
        assert!(matches!(data.current(), Err(JournalError::Damaged { .. })));
    }

    #[test]
    fn what_has_data_is_never_taken_for_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataDir::lock(dir.path()).unwrap();
        let g = Generation {
            generation: 1,
            shards: 1,
        };
        data.refuse_orphans().unwrap();
        let mut files = data.prepare(g).unwrap();
        data.refuse_orphans().unwrap();
        let at = harit_engine::Timestamp::from_millis(1);
        files[0].append(0, at, 1, b"x").unwrap();
        drop(files);
        let refused = data.refuse_orphans().unwrap_err().to_string();
        assert!(refused.contains("CURRENT"), "{refused}");
        std::fs::write(data.file(g, 0), "no database at all").unwrap();
        assert!(data.refuse_orphans().is_err(), "what cannot be read");
    }

    #[test]
    fn farms_stay_on_their_shards() {
        let shards: Vec<usize> = ["demo-farm-1", "f1", "f2", "f3", ""]
            .iter()
            .map(|f| shard_of(f, 4))
            .collect();
        assert_eq!(shards, [3, 0, 1, 2, 1]);
        assert!((0..100).all(|i| shard_of(&format!("farm-{i}"), 7) < 7));
    }
}
