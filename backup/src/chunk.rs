//! A chunk: so many bytes of a file, stored once under their hash.

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::disk;
use crate::error::{RepositoryError, at};

/// How many bytes of a file a chunk has; the last one of a file has what is left. A multiple of every size of SQLite's pages.
pub const CHUNK_BYTES: usize = 1 << 16;
/// zstd's own default: stronger levels save little of database pages.
const LEVEL: i32 = 3;

/// The SHA-256 of what is in a chunk, before it was compressed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// That of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64
            || text
                .bytes()
                .any(|b| !matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        {
            return None;
        }
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom(format!("{text:?} is no SHA-256")))
    }
}

/// The chunks of a repository.
#[derive(Debug)]
pub(crate) struct Chunks {
    dir: PathBuf,
    temporary: PathBuf,
}

impl Chunks {
    pub(crate) fn new(repository: &Path) -> Self {
        Self {
            dir: repository.join("chunks"),
            temporary: repository.join("tmp/chunk"),
        }
    }

    pub(crate) fn path(&self, hash: Hash) -> PathBuf {
        let name = hash.to_string();
        self.dir.join(&name[..2]).join(name)
    }

    pub(crate) fn has(&self, hash: Hash) -> bool {
        self.path(hash).is_file()
    }

    /// Stores a chunk where it is not yet; how many bytes that took. One that is there under its name is whole: it was synced
    /// before it got the name.
    pub(crate) fn put(&self, hash: Hash, bytes: &[u8]) -> Result<Option<u64>, RepositoryError> {
        let path = self.path(hash);
        if path.is_file() {
            return Ok(None);
        }
        if let Some(folder) = path.parent() {
            disk::make_dir(folder)?;
        }
        let packed = zstd::bulk::compress(bytes, LEVEL).map_err(at(&path))?;
        disk::put(&path, &self.temporary, &packed)?;
        Ok(Some(packed.len() as u64))
    }

    /// What is in a chunk; why it cannot be had otherwise.
    pub(crate) fn get(&self, hash: Hash) -> Result<Vec<u8>, String> {
        let mut packed = Vec::new();
        // A compressed chunk is hardly longer than it was: what is much longer is none.
        let limit = 2 * CHUNK_BYTES as u64;
        std::fs::File::open(self.path(hash))
            .and_then(|file| file.take(limit).read_to_end(&mut packed))
            .map_err(|e| match e.kind() {
                std::io::ErrorKind::NotFound => "it is missing".to_owned(),
                _ => format!("it cannot be read: {e}"),
            })?;
        let bytes = zstd::bulk::decompress(&packed, CHUNK_BYTES)
            .map_err(|e| format!("it cannot be unpacked: {e}"))?;
        if Hash::of(&bytes) != hash {
            return Err("it is not as it was written: its SHA-256 is another".to_owned());
        }
        Ok(bytes)
    }

    /// All that are there, and what lies between them.
    pub(crate) fn all(&self) -> Result<Vec<(PathBuf, Option<Hash>)>, RepositoryError> {
        let mut all = Vec::new();
        for folder in entries(&self.dir)? {
            if !folder.is_dir() {
                continue;
            }
            for path in entries(&folder)? {
                let name = path.file_name().and_then(|n| n.to_str());
                let hash = name.and_then(Hash::parse);
                all.push((path, hash));
            }
        }
        Ok(all)
    }

    /// All names are there after a power cut, also those that an interrupted backup left.
    pub(crate) fn sync(&self) -> Result<(), RepositoryError> {
        for folder in entries(&self.dir)? {
            disk::sync_dir(&folder)?;
        }
        disk::sync_dir(&self.dir)
    }
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, RepositoryError> {
    let all = std::fs::read_dir(dir).map_err(at(dir))?;
    let mut all = all
        .map(|entry| entry.map(|e| e.path()))
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(at(dir))?;
    all.sort();
    Ok(all)
}
