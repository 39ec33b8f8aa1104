//! A store in a directory, with a lock that ends with its process.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use super::disk::{self, LOCK};
use super::{Access, Object, Store};
use crate::error::{RepositoryError, at};
use crate::repository::MARK;

/// A directory that has the objects as files.
#[derive(Debug)]
pub(super) struct Directory {
    dir: PathBuf,
    temporary: PathBuf,
    /// None where it is not locked: on a disk that nobody can write to, or to look at it.
    _lock: Option<File>,
}

impl Directory {
    pub(super) fn open(dir: &Path, access: Access) -> Result<Self, RepositoryError> {
        let lock = match access {
            Access::Write => Some(for_writing(dir)?),
            Access::Read | Access::Peek if !dir.join(MARK).exists() => {
                return Err(RepositoryError::NoRepository(dir.to_owned()));
            }
            Access::Read => disk::lock(dir, false)?,
            Access::Peek => None,
        };
        Ok(Self {
            dir: dir.to_owned(),
            temporary: dir.join("tmp"),
            _lock: lock,
        })
    }

    fn files(&self, folder: &Path, name: &str, all: &mut Vec<Object>) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(part) = entry.file_name().into_string() else {
                continue;
            };
            let name = format!("{name}/{part}");
            let found = entry.metadata()?;
            if found.is_dir() {
                self.files(&entry.path(), &name, all)?;
            } else {
                let bytes = found.len();
                all.push(Object { name, bytes });
            }
        }
        Ok(())
    }
}

/// Makes what a repository has besides its mark, and empties what an interrupted one left.
fn for_writing(dir: &Path) -> Result<File, RepositoryError> {
    disk::make_dir(dir)?;
    if !dir.join(MARK).exists() {
        let foreign = |name: &OsStr| name != LOCK && name != "lost+found" && name != "tmp";
        for entry in std::fs::read_dir(dir).map_err(at(dir))? {
            if foreign(&entry.map_err(at(dir))?.file_name()) {
                return Err(RepositoryError::NotEmpty(dir.to_owned()));
            }
        }
    }
    let Some(lock) = disk::lock(dir, true)? else {
        return Err(RepositoryError::Locked(dir.to_owned()));
    };
    for folder in ["chunks", "snapshots"] {
        disk::make_dir(&dir.join(folder))?;
    }
    disk::make_empty(&dir.join("tmp"))?;
    Ok(lock)
}

impl Store for Directory {
    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn list(&self, folder: &str) -> Result<Vec<Object>, RepositoryError> {
        let path = self.path(folder);
        let mut all = Vec::new();
        self.files(&path, folder, &mut all).map_err(at(&path))?;
        all.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    fn get(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, RepositoryError> {
        let path = self.path(name);
        let mut bytes = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(most).read_to_end(&mut bytes));
        match read {
            Ok(_) => Ok(Some(bytes)),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(at(&path)(e)),
        }
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), RepositoryError> {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            disk::make_dir(folder)?;
        }
        disk::put(&path, &self.temporary.join("object"), &bytes)
    }

    fn sync(&self, folder: &str) -> Result<(), RepositoryError> {
        let path = self.path(folder);
        for entry in std::fs::read_dir(&path).map_err(at(&path))? {
            let below = entry.map_err(at(&path))?.path();
            if below.is_dir() {
                disk::sync_dir(&below)?;
            }
        }
        disk::sync_dir(&path)
    }

    fn removes_at_once(&self) -> usize {
        1
    }

    fn remove(&self, names: &[String]) -> Result<(), RepositoryError> {
        for name in names {
            let path = self.path(name);
            match std::fs::remove_file(&path) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(at(&path)(e)),
                _ => {}
            }
        }
        Ok(())
    }

    fn temporary(&self) -> Option<&Path> {
        Some(&self.temporary)
    }
}
