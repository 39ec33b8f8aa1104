//! Journals in the files of a data directory, which one process has.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::journals::Reader;
use crate::{
    Generation, Journal, JournalError, JournalFile, JournalRead as _, JournalReader, Journals,
    ReadJournals, put_file, sync_dir,
};

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
}

/// The journals in the files of a data directory: to be read by anybody, to be written by whoever has locked it.
#[derive(Debug, Clone)]
pub struct JournalFiles {
    data_dir: PathBuf,
    sync: bool,
}

impl JournalFiles {
    /// The journals of a data directory, for who only reads them, also beside a server.
    #[must_use]
    pub fn to_read(data_dir: &Path) -> Arc<dyn ReadJournals> {
        Arc::new(Self::of(data_dir))
    }

    /// Those of a data directory.
    #[must_use]
    pub fn of(data_dir: &Path) -> Self {
        Self {
            data_dir: data_dir.to_owned(),
            sync: true,
        }
    }

    /// Leaves it to the system when what is appended reaches the disk: for logs that can be made again from nothing.
    #[must_use]
    pub const fn unsynced(mut self) -> Self {
        self.sync = false;
        self
    }

    /// The journal file of a shard.
    #[must_use]
    pub fn file(&self, generation: u64, shard: usize) -> PathBuf {
        shard_file(&self.data_dir, generation, shard)
    }

    fn opened(&self, file: JournalFile) -> Result<Box<dyn Journal>, JournalError> {
        if !self.sync {
            file.leave_unsynced()?;
        }
        Ok(Box::new(file))
    }

    /// Refuses where journals have data and nothing says which of them counts: a new one would hide or remove them.
    ///
    /// A crash before the first switch leaves files, but none that anything was acknowledged in.
    fn refuse_orphans(&self) -> Result<(), JournalError> {
        let journal = self.data_dir.join("journal");
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

    /// How many shards a generation has: as many as it has files.
    fn shards(&self, generation: u64) -> usize {
        (0..)
            .take_while(|shard| self.file(generation, *shard).exists())
            .count()
    }
}

impl ReadJournals for JournalFiles {
    fn generations(&self) -> Result<Vec<Generation>, JournalError> {
        let Some(current) = current(&self.data_dir)? else {
            return Ok(Vec::new());
        };
        let older = old_generations(&self.data_dir, current.generation);
        let older = older.into_iter().map(|generation| Generation {
            generation,
            shards: self.shards(generation),
        });
        Ok(older.chain([current]).collect())
    }

    fn reader(&self, generation: u64, shard: usize) -> Result<Option<Reader>, JournalError> {
        let path = self.file(generation, shard);
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(Box::new(JournalReader::open(&path)?)))
    }
}

impl Journals for JournalFiles {
    fn current(&self) -> Result<Option<Generation>, JournalError> {
        let current = current(&self.data_dir)?;
        if current.is_none() {
            self.refuse_orphans()?;
        }
        Ok(current)
    }

    fn prepare(&self, generation: Generation) -> Result<Vec<Box<dyn Journal>>, JournalError> {
        let dir = generation_dir(&self.data_dir, generation.generation);
        let io = |source| JournalError::Io {
            path: dir.clone(),
            source,
        };
        if dir.exists() {
            std::fs::remove_dir_all(&dir).map_err(io)?;
        }
        std::fs::create_dir_all(&dir).map_err(io)?;
        (0..generation.shards)
            .map(|shard| JournalFile::create(&self.file(generation.generation, shard)))
            .map(|file| self.opened(file?))
            .collect()
    }

    fn switch(&self, generation: Generation) -> Result<(), JournalError> {
        let target = pointer(&self.data_dir);
        let write = || -> std::io::Result<()> {
            sync_dir(&generation_dir(&self.data_dir, generation.generation))?;
            put_file(&target, serde_json::to_string(&generation)?.as_bytes())
        };
        write().map_err(|source| JournalError::Io {
            path: target.clone(),
            source,
        })
    }

    fn open(&self, generation: Generation, shard: usize) -> Result<Box<dyn Journal>, JournalError> {
        self.opened(JournalFile::open(&self.file(generation.generation, shard))?)
    }

    fn accept_loss(&self, generation: Generation, shard: usize) -> Result<(), JournalError> {
        JournalFile::accept_loss(&self.file(generation.generation, shard))
    }

    fn remove_old(&self, current: Generation, keep: Duration) {
        for old in old_generations(&self.data_dir, current.generation) {
            let dir = generation_dir(&self.data_dir, old);
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
    JournalFile::is_unfinished(file) || JournalFile::open(file).is_ok_and(nothing)
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
fn old_generations(data_dir: &Path, current: u64) -> Vec<u64> {
    (1..current)
        .filter(|g| generation_dir(data_dir, *g).is_dir())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(dir: &Path) -> JournalFiles {
        std::fs::create_dir_all(dir.join("journal")).unwrap();
        JournalFiles::of(dir)
    }

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
        let data = files(dir.path());
        let g = Generation {
            generation: 1,
            shards: 2,
        };
        assert_eq!(data.prepare(g).unwrap().len(), 2);
        assert_eq!(data.current().unwrap(), None);
        assert!(data.generations().unwrap().is_empty());
        data.switch(g).unwrap();
        assert_eq!(data.current().unwrap(), Some(g));
        let next = Generation {
            generation: 2,
            shards: 3,
        };
        data.prepare(next).unwrap();
        data.switch(next).unwrap();
        assert_eq!(data.generations().unwrap(), [g, next]);
        assert!(data.reader(1, 1).unwrap().is_some());
        assert!(data.reader(1, 2).unwrap().is_none());
        std::fs::write(pointer(dir.path()), "x").unwrap();
        assert!(matches!(data.current(), Err(JournalError::Damaged { .. })));
    }

    #[test]
    fn a_first_start_that_was_cut_off_while_it_made_files_is_begun_anew() {
        let dir = tempfile::tempdir().unwrap();
        let data = files(dir.path());
        let g = Generation {
            generation: 1,
            shards: 2,
        };
        drop(data.prepare(g).unwrap());
        for cut_off in 0..2 {
            let path = data.file(1, 1);
            std::fs::remove_file(&path).unwrap();
            let db = rusqlite::Connection::open(&path).unwrap();
            if cut_off == 1 {
                db.pragma_update(None, "journal_mode", "WAL").unwrap();
            }
            drop(db);
            assert!(JournalFile::open(&path).is_err());
            assert_eq!(data.current().unwrap(), None);
        }
        assert_eq!(data.prepare(g).unwrap().len(), 2);
    }

    #[test]
    fn what_has_data_is_never_taken_for_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let data = files(dir.path());
        let g = Generation {
            generation: 1,
            shards: 1,
        };
        assert_eq!(data.current().unwrap(), None);
        let mut files = data.prepare(g).unwrap();
        assert_eq!(data.current().unwrap(), None);
        let at = harit_engine::Timestamp::from_millis(1);
        files[0].append(0, at, 1, b"x").unwrap();
        drop(files);
        let refused = data.current().unwrap_err().to_string();
        assert!(refused.contains("CURRENT"), "{refused}");
        std::fs::write(data.file(1, 0), "no database at all").unwrap();
        assert!(data.current().is_err(), "what cannot be read");
    }
}
