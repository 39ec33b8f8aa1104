//! What a snapshot has: each file with its chunks, how far its journals go, and what the farms' states were.

use serde::{Deserialize, Serialize};

use crate::chunk::{CHUNK_BYTES, Hash};

/// The format of manifests and of the repository.
pub(crate) const FORMAT: u32 = 1;

/// A file of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Where it lies in the data directory, with `/` between the parts.
    pub path: String,
    /// Its bytes.
    pub size: u64,
    /// Its permissions.
    pub mode: u32,
    /// When it was changed, in nanoseconds since the epoch: of files that never change once they are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_ns: Option<u64>,
    /// What is in it, [`CHUNK_BYTES`] each.
    pub chunks: Vec<Hash>,
}

impl FileEntry {
    /// Whether the number of chunks fits to the size.
    fn adds_up(&self) -> bool {
        self.size.div_ceil(CHUNK_BYTES as u64) == self.chunks.len() as u64
    }

    /// How many bytes the chunk of that number has.
    pub(crate) fn bytes_of(&self, number: usize) -> u64 {
        let before = number as u64 * CHUNK_BYTES as u64;
        self.size.saturating_sub(before).min(CHUNK_BYTES as u64)
    }
}

/// How far a journal goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalEnd {
    /// The shard.
    pub shard: u64,
    /// Its last batch.
    pub last: u64,
}

/// What a farm's state was at its journal's end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FarmState {
    /// The farm.
    pub farm: String,
    /// Its shard.
    pub shard: u64,
    /// The SHA-256 of its state.
    pub sha256: String,
}

/// What a snapshot added to the repository.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    /// Chunks that were not there.
    pub chunks: u64,
    /// Their bytes, compressed.
    pub bytes: u64,
}

/// A snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The format of this document.
    pub format: u32,
    /// The version of the program that wrote it.
    pub harit: String,
    /// Its number, from 1.
    pub number: u64,
    /// When it was begun, in milliseconds since the epoch.
    pub at_ms: i64,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// The generation of journals that counts.
    pub generation: u64,
    /// How far its journals go.
    pub journals: Vec<JournalEnd>,
    /// What the farms were there.
    pub farms: Vec<FarmState>,
    /// What of it was new.
    pub stored: Stored,
    /// All files, in the order in which they were read.
    pub files: Vec<FileEntry>,
    /// The SHA-256 of all the above, as compact JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<Hash>,
}

impl Manifest {
    /// How many bytes its files have.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|f| f.size).sum()
    }

    /// As it is stored.
    pub(crate) fn sealed(mut self) -> serde_json::Result<(Self, Vec<u8>)> {
        self.sum = Some(self.sum_now()?);
        let mut bytes = serde_json::to_vec(&self)?;
        bytes.push(b'\n');
        Ok((self, bytes))
    }

    /// Reads what [`Self::sealed`] wrote.
    pub(crate) fn read(bytes: &[u8], number: u64) -> Result<Self, String> {
        let read: Self = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        let sum = read.sum_now().map_err(|e| e.to_string())?;
        if read.sum != Some(sum) {
            return Err("it is not as it was written: its SHA-256 is another".to_owned());
        }
        if read.number != number {
            return Err(format!("it is that of snapshot {}", read.number));
        }
        for file in &read.files {
            if !stays_inside(&file.path) {
                return Err(format!("{:?} is no path in a data directory", file.path));
            }
            if !file.adds_up() {
                return Err(format!("the chunks of {} are not all there", file.path));
            }
        }
        Ok(read)
    }

    fn sum_now(&self) -> serde_json::Result<Hash> {
        let unsealed = Self {
            sum: None,
            ..self.clone()
        };
        Ok(Hash::of(&serde_json::to_vec(&unsealed)?))
    }
}

/// Whether a path leads nowhere but into the directory that it is joined to.
fn stays_inside(path: &str) -> bool {
    path.split('/')
        .all(|part| !matches!(part, "" | "." | "..") && !part.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_lead_out() {
        for path in ["records.db", "journal/000001/shard-0.db", "a..b"] {
            assert!(stays_inside(path), "{path}");
        }
        for path in ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/"] {
            assert!(!stays_inside(path), "{path}");
        }
    }

    #[test]
    fn a_manifest_with_a_path_that_leads_out_is_refused_whatever_its_sum() {
        let manifest = Manifest {
            format: FORMAT,
            harit: "0".into(),
            number: 1,
            at_ms: 0,
            took_ms: 0,
            generation: 1,
            journals: Vec::new(),
            farms: Vec::new(),
            stored: Stored::default(),
            files: vec![FileEntry {
                path: "../x".into(),
                size: 0,
                mode: 0o600,
                modified_ns: None,
                chunks: Vec::new(),
            }],
            sum: None,
        };
        let (_, bytes) = manifest.sealed().unwrap();
        let why = Manifest::read(&bytes, 1).unwrap_err();
        assert!(why.contains("no path in a data directory"), "{why}");
    }
}
