//! A chunk: so many bytes of a file, stored once under their hash.

use std::fmt;
use std::io::ErrorKind;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::RepositoryError;

/// How many bytes of a file a chunk has; the last one of a file has what is left. A multiple of every size of SQLite's pages.
pub const CHUNK_BYTES: usize = 1 << 16;
/// zstd's own default: stronger levels save little of database pages.
const LEVEL: i32 = 3;
/// The folder of all chunks.
pub(crate) const CHUNKS: &str = "chunks";
/// A compressed chunk is hardly longer than it was: what is much longer is none.
pub(crate) const PACKED_MOST: u64 = 2 * CHUNK_BYTES as u64;

/// The SHA-256 of what is in a chunk, before it was compressed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// That of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Reads what [`fmt::Display`] writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
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

    pub(crate) const fn bytes(self) -> [u8; 32] {
        self.0
    }

    /// The name of the object that has such a chunk.
    pub(crate) fn name(self) -> String {
        let name = self.to_string();
        format!("{CHUNKS}/{}/{name}", &name[..2])
    }

    /// Of which chunk an object is.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        name.rsplit('/').next().and_then(Self::parse)
    }
}

impl From<[u8; 32]> for Hash {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
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

/// A chunk as it is stored.
pub(crate) fn pack(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    zstd::bulk::compress(bytes, LEVEL)
}

/// What is in a chunk that was stored; why it cannot be had otherwise.
pub(crate) fn unpack(
    hash: Hash,
    read: Result<Option<Vec<u8>>, RepositoryError>,
) -> Result<Vec<u8>, String> {
    let packed = match read {
        Ok(Some(packed)) => packed,
        Ok(None) => return Err("it is missing".to_owned()),
        // The file is named where this is said.
        Err(RepositoryError::Io { source, .. }) if source.kind() == ErrorKind::InvalidData => {
            return Err(source.to_string());
        }
        Err(RepositoryError::Io { source, .. }) => {
            return Err(format!("it cannot be read: {source}"));
        }
        Err(e) => return Err(format!("it cannot be read: {e}")),
    };
    let bytes = zstd::bulk::decompress(&packed, CHUNK_BYTES)
        .map_err(|e| format!("it cannot be unpacked: {e}"))?;
    if Hash::of(&bytes) != hash {
        return Err("it is not as it was written: its SHA-256 is another".to_owned());
    }
    Ok(bytes)
}
