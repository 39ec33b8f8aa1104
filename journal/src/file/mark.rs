//! The mark beside a journal: the number of the last batch that was acknowledged, and its checksum.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::JournalError;

#[derive(Debug)]
pub(super) struct Mark(File);

impl Mark {
    /// Opens the mark of a journal, and makes it where there is none.
    pub(super) fn open(journal: &Path) -> Result<Self, JournalError> {
        let path = journal.with_extension("mark");
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map(Self)
            .map_err(|source| JournalError::Io { path, source })
    }

    pub(super) fn write(&self, seq: u64) -> std::io::Result<()> {
        let mut bytes = [0; 12];
        bytes[..8].copy_from_slice(&seq.to_le_bytes());
        bytes[8..].copy_from_slice(&crc32fast::hash(&seq.to_le_bytes()).to_le_bytes());
        self.0.write_all_at(&bytes, 0)
    }

    /// What was acknowledged at least; `None` where the mark itself cannot be read.
    pub(super) fn read(&self) -> Option<u64> {
        let mut bytes = [0; 12];
        self.0.read_exact_at(&mut bytes, 0).ok()?;
        let (seq, crc) = bytes.split_at(8);
        let seq: [u8; 8] = seq.try_into().ok()?;
        (crc == crc32fast::hash(&seq).to_le_bytes()).then(|| u64::from_le_bytes(seq))
    }
}
