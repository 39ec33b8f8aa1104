//! The repository: where it lies, who may write it, and which snapshots it has.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use harit_bucket::Place;

use crate::chunk::{CHUNKS, Hash, pack};
use crate::error::{RepositoryError, at};
use crate::manifest::{FORMAT, Manifest};
use crate::seal::{Key, Sealed};
use crate::store::{self, Access, Store};

/// The object that says what it is.
pub(crate) const MARK: &str = "REPOSITORY";
const SNAPSHOTS: &str = "snapshots";

/// What the mark, and every manifest, begins with.
#[derive(Serialize, Deserialize)]
struct Format {
    format: u32,
    /// What the key is called by which all but the mark is sealed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// A repository of snapshots.
#[derive(Debug)]
pub struct Repository {
    pub(crate) store: Box<dyn Store>,
    /// The chunks that are there, where it is written.
    known: Mutex<BTreeSet<Hash>>,
}

impl Repository {
    /// Opens a repository for writing, and makes it where the place is new or empty. One process at a time has it so. A new one is
    /// encrypted where there is a key.
    ///
    /// # Errors
    /// When something else is in the place, another process has the repository, it cannot be written, or the key is not its own.
    pub fn for_writing(place: &Place, key: Option<&Key>) -> Result<Self, RepositoryError> {
        let store = store::open(place, Access::Write)?;
        if store.get(MARK, u64::MAX)?.is_none() {
            let key = key.map(Key::id);
            let format = Format {
                format: FORMAT,
                key,
            };
            let mut bytes =
                serde_json::to_vec(&format).map_err(|e| at(&store.path(MARK))(e.into()))?;
            bytes.push(b'\n');
            store.put(MARK, bytes)?;
            store.sync("")?;
        }
        let repository = Self::of(store, key)?;
        let chunks = repository.store.list(CHUNKS)?;
        let known = chunks.iter().filter_map(|c| Hash::of_name(&c.name));
        repository.known().extend(known);
        Ok(repository)
    }

    /// Opens a repository for reading. Nothing is removed from it meanwhile.
    ///
    /// # Errors
    /// When it is none, or of a later format, another process writes it, or the key is not its own.
    pub fn open(place: &Place, key: Option<&Key>) -> Result<Self, RepositoryError> {
        Self::of(store::open(place, Access::Read)?, key)
    }

    /// Opens a repository without a lock, to see which snapshots there are. They may be removed meanwhile.
    ///
    /// # Errors
    /// When it is none, or of a later format, or the key is not its own.
    pub fn peek(place: &Place, key: Option<&Key>) -> Result<Self, RepositoryError> {
        Self::of(store::open(place, Access::Peek)?, key)
    }

    fn of(store: Box<dyn Store>, key: Option<&Key>) -> Result<Self, RepositoryError> {
        let path = store.path(MARK);
        let bytes = store.get(MARK, u64::MAX)?;
        let bytes = bytes.ok_or_else(|| RepositoryError::NoRepository(store.path("")))?;
        let format = serde_json::from_slice(&bytes).map_err(|e| at(&path)(e.into()))?;
        known(&path, &format)?;
        let other = |id, why| RepositoryError::OtherKey {
            path: store.path(""),
            id,
            why,
        };
        let store = match (format.key, key) {
            (None, None) => store,
            (Some(id), Some(key)) if key.id() == id => Box::new(Sealed::new(store, key)?),
            (Some(id), Some(_)) => return Err(other(id, "the one that was given is another")),
            (Some(id), None) => return Err(other(id, "none was given")),
            (None, Some(_)) => return Err(RepositoryError::NotEncrypted(store.path(""))),
        };
        Ok(Self {
            store,
            known: Mutex::default(),
        })
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeSet<Hash>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn has(&self, hash: Hash) -> bool {
        self.known().contains(&hash)
    }

    /// Stores a chunk where it is not yet; how many bytes that took. One that is there under its name is whole.
    pub(crate) fn put_chunk(
        &self,
        hash: Hash,
        bytes: &[u8],
    ) -> Result<Option<u64>, RepositoryError> {
        if self.has(hash) {
            return Ok(None);
        }
        let name = hash.name();
        let packed = pack(bytes).map_err(at(&self.store.path(&name)))?;
        let size = packed.len() as u64;
        self.store.put(&name, packed)?;
        self.known().insert(hash);
        Ok(Some(size))
    }

    /// The numbers of all snapshots, oldest first.
    ///
    /// # Errors
    /// When they cannot be listed.
    pub fn numbers(&self) -> Result<Vec<u64>, RepositoryError> {
        let listed = self.store.list(SNAPSHOTS)?;
        let number = |name: &str| {
            let name = name.rsplit('/').next()?.strip_suffix(".json")?;
            name.parse::<u64>().ok()
        };
        let mut all: Vec<u64> = listed.iter().filter_map(|o| number(&o.name)).collect();
        all.sort_unstable();
        Ok(all)
    }

    /// The number of the newest snapshot.
    ///
    /// # Errors
    /// When there is none.
    pub fn newest(&self) -> Result<u64, RepositoryError> {
        let none = || RepositoryError::Empty(self.store.path(""));
        self.numbers()?.last().copied().ok_or_else(none)
    }

    pub(crate) fn manifest_path(&self, number: u64) -> PathBuf {
        self.store.path(&manifest_name(number))
    }

    /// What a snapshot has.
    ///
    /// # Errors
    /// When it is not there, not as it was written, or of a later format.
    pub fn manifest(&self, number: u64) -> Result<Manifest, RepositoryError> {
        let path = self.manifest_path(number);
        let bytes = match self.store.get(&manifest_name(number), u64::MAX) {
            Ok(bytes) => bytes.ok_or(RepositoryError::NoSnapshot(number))?,
            Err(RepositoryError::Io { path, source })
                if source.kind() == ErrorKind::InvalidData =>
            {
                let why = source.to_string();
                return Err(RepositoryError::Manifest { number, path, why });
            }
            Err(e) => return Err(e),
        };
        Manifest::read(&bytes, number).map_err(|why| {
            // A later one has fields that this program does not know.
            let later = serde_json::from_slice::<Format>(&bytes).ok();
            let later = later.and_then(|format| known(&path, &format).err());
            later.unwrap_or(RepositoryError::Manifest { number, path, why })
        })
    }

    /// Stores a manifest: with it the snapshot is there.
    pub(crate) fn put_manifest(&self, number: u64, bytes: Vec<u8>) -> Result<(), RepositoryError> {
        self.store.put(&manifest_name(number), bytes)?;
        self.store.sync(SNAPSHOTS)
    }

    /// Removes manifests: the snapshots are gone.
    pub(crate) fn remove_manifests(&self, numbers: &[u64]) -> Result<(), RepositoryError> {
        let names: Vec<String> = numbers.iter().copied().map(manifest_name).collect();
        for some in names.chunks(self.store.removes_at_once()) {
            self.store.remove(some)?;
        }
        self.store.sync(SNAPSHOTS)
    }
}

fn manifest_name(number: u64) -> String {
    format!("{SNAPSHOTS}/{number:06}.json")
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
