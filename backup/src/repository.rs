//! The repository as a directory: who may write it, and which snapshots it has.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::chunk::Chunks;
use crate::disk;
use crate::error::{RepositoryError, at};
use crate::manifest::{FORMAT, Manifest};

const MARK: &str = "REPOSITORY";
const LOCK: &str = "LOCK";

/// What the mark, and every manifest, begins with.
#[derive(Serialize, Deserialize)]
struct Format {
    format: u32,
}

/// A repository of snapshots.
#[derive(Debug)]
pub struct Repository {
    pub(crate) dir: PathBuf,
    pub(crate) chunks: Chunks,
    /// None where it is not locked: on a disk that nobody can write to, or to look at it.
    _lock: Option<File>,
}

impl Repository {
    /// Opens a repository for writing, and makes it where the directory is new or empty. One process at a time has it so.
    ///
    /// # Errors
    /// When something else is in the directory, another process has the repository, or it cannot be written.
    pub fn for_writing(dir: &Path) -> Result<Self, RepositoryError> {
        disk::make_dir(dir)?;
        let mark = dir.join(MARK);
        if !mark.exists() {
            let foreign =
                |name: &std::ffi::OsStr| name != LOCK && name != "lost+found" && name != "tmp";
            for entry in std::fs::read_dir(dir).map_err(at(dir))? {
                if foreign(&entry.map_err(at(dir))?.file_name()) {
                    return Err(RepositoryError::NotEmpty(dir.to_owned()));
                }
            }
        }
        let lock = lock(dir, true)?;
        for folder in ["chunks", "snapshots"] {
            disk::make_dir(&dir.join(folder))?;
        }
        // What an interrupted one left.
        let temporary = dir.join("tmp");
        if temporary.exists() {
            std::fs::remove_dir_all(&temporary).map_err(at(&temporary))?;
        }
        disk::make_dir(&temporary)?;
        if !mark.exists() {
            let format = format!("{{\"format\":{FORMAT}}}\n");
            disk::put(&mark, &temporary.join("mark"), format.as_bytes())?;
            disk::sync_dir(dir)?;
        }
        Self::of(dir, lock)
    }

    /// Opens a repository for reading. Nothing is removed from it meanwhile.
    ///
    /// # Errors
    /// When it is none, or of a later format, or another process writes it.
    pub fn open(dir: &Path) -> Result<Self, RepositoryError> {
        if !dir.join(MARK).exists() {
            return Err(RepositoryError::NoRepository(dir.to_owned()));
        }
        let lock = lock(dir, false)?;
        Self::of(dir, lock)
    }

    /// Opens a repository without a lock, to see which snapshots there are. They may be removed meanwhile.
    ///
    /// # Errors
    /// When it is none, or of a later format.
    pub fn peek(dir: &Path) -> Result<Self, RepositoryError> {
        if !dir.join(MARK).exists() {
            return Err(RepositoryError::NoRepository(dir.to_owned()));
        }
        Self::of(dir, None)
    }

    fn of(dir: &Path, lock: Option<File>) -> Result<Self, RepositoryError> {
        let mark = dir.join(MARK);
        let bytes = std::fs::read(&mark).map_err(at(&mark))?;
        let format = serde_json::from_slice(&bytes).map_err(|e| at(&mark)(e.into()))?;
        known(&mark, &format)?;
        Ok(Self {
            dir: dir.to_owned(),
            chunks: Chunks::new(dir),
            _lock: lock,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// A directory for what is only there while something is written.
    #[must_use]
    pub fn temporary(&self) -> PathBuf {
        self.dir.join("tmp")
    }

    /// The numbers of all snapshots, oldest first.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn numbers(&self) -> Result<Vec<u64>, RepositoryError> {
        let folder = self.dir.join("snapshots");
        let mut all = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(at(&folder))? {
            let name = entry.map_err(at(&folder))?.file_name();
            let number = name.to_str().and_then(|n| n.strip_suffix(".json"));
            all.extend(number.and_then(|n| n.parse::<u64>().ok()));
        }
        all.sort_unstable();
        Ok(all)
    }

    /// The number of the newest snapshot.
    ///
    /// # Errors
    /// When there is none.
    pub fn newest(&self) -> Result<u64, RepositoryError> {
        let none = || RepositoryError::Empty(self.dir.clone());
        self.numbers()?.last().copied().ok_or_else(none)
    }

    pub(crate) fn manifest_path(&self, number: u64) -> PathBuf {
        self.dir.join(format!("snapshots/{number:06}.json"))
    }

    /// What a snapshot has.
    ///
    /// # Errors
    /// When it is not there, not as it was written, or of a later format.
    pub fn manifest(&self, number: u64) -> Result<Manifest, RepositoryError> {
        let path = self.manifest_path(number);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(RepositoryError::NoSnapshot(number));
            }
            Err(e) => return Err(at(&path)(e)),
        };
        Manifest::read(&bytes, number).map_err(|why| {
            // A later one has fields that this program does not know.
            let later = serde_json::from_slice::<Format>(&bytes).ok();
            let later = later.and_then(|format| known(&path, &format).err());
            later.unwrap_or(RepositoryError::Manifest { number, path, why })
        })
    }
}

fn known(path: &Path, format: &Format) -> Result<(), RepositoryError> {
    if format.format == FORMAT {
        return Ok(());
    }
    Err(RepositoryError::Format {
        path: path.to_owned(),
        format: format.format,
        known: FORMAT,
    })
}

/// Locks a repository: against all others to write, against those who write to read.
fn lock(dir: &Path, write: bool) -> Result<Option<File>, RepositoryError> {
    let path = dir.join(LOCK);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = match options.open(&path) {
        Ok(file) => file,
        Err(_) if !write => return Ok(None),
        Err(e) => return Err(at(&path)(e)),
    };
    let locked = if write {
        file.try_lock()
    } else {
        file.try_lock_shared()
    };
    match locked {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(RepositoryError::Locked(dir.to_owned())),
        Err(TryLockError::Error(_)) if !write => Ok(None),
        Err(TryLockError::Error(e)) => Err(at(&path)(e)),
    }
}
