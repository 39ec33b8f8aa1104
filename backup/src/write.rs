//! A snapshot being made: files go in one by one, and count when the manifest is there.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Instant;

use crate::chunk::{CHUNK_BYTES, CHUNKS, Hash};
use crate::error::{RepositoryError, at};
use crate::manifest::{FORMAT, FarmState, FileEntry, JournalEnd, Manifest, Stored};
use crate::repository::Repository;

/// Is asked after each chunk, and may take its time; false stops the work.
pub type Pace<'a> = &'a dyn Fn() -> bool;

/// A snapshot that is being made. Dropped before [`Self::finish`], it is none.
#[derive(Debug)]
pub struct NewSnapshot<'a> {
    repository: &'a Repository,
    began: Instant,
    manifest: Manifest,
    /// Files of the snapshot before that never change.
    before: Vec<FileEntry>,
}

impl Repository {
    /// Begins a snapshot. The repository must be open for writing.
    ///
    /// # Errors
    /// When the snapshots that there are cannot be listed.
    pub fn begin(&self, harit: &str, at_ms: i64) -> Result<NewSnapshot<'_>, RepositoryError> {
        let newest = self.numbers()?.last().copied();
        // Where it is damaged, everything is read.
        let before = newest.and_then(|n| self.manifest(n).ok());
        let before = before.map(|m| m.files).unwrap_or_default();
        Ok(NewSnapshot {
            repository: self,
            began: Instant::now(),
            manifest: Manifest {
                format: FORMAT,
                harit: harit.to_owned(),
                number: newest.unwrap_or_default() + 1,
                at_ms,
                took_ms: 0,
                generation: 0,
                journals: Vec::new(),
                farms: Vec::new(),
                stored: Stored::default(),
                files: Vec::new(),
                sum: None,
            },
            before: before
                .into_iter()
                .filter(|f| f.modified_ns.is_some())
                .collect(),
        })
    }
}

impl NewSnapshot<'_> {
    /// Adds a file, read as it is now.
    ///
    /// # Errors
    /// When it cannot be read, the repository cannot be written, or `pace` stops it.
    pub fn file(&mut self, path: &str, from: &Path, pace: Pace<'_>) -> Result<(), RepositoryError> {
        self.read(path, from, None, pace)
    }

    /// Adds a file that never changes once it is there: where the last snapshot has it, it is not read again.
    ///
    /// # Errors
    /// As [`Self::file`].
    pub fn unchanging(
        &mut self,
        path: &str,
        from: &Path,
        pace: Pace<'_>,
    ) -> Result<(), RepositoryError> {
        let found = std::fs::metadata(from).map_err(at(from))?;
        let since = found.modified().map_err(at(from))?;
        let since = since.duration_since(std::time::UNIX_EPOCH).ok();
        let modified = since.and_then(|s| u64::try_from(s.as_nanos()).ok());
        let same =
            |f: &&FileEntry| f.path == path && f.size == found.len() && f.modified_ns == modified;
        let known = self.before.iter().find(same).cloned();
        match known {
            Some(entry) if modified.is_some() && self.has_all(&entry) => {
                self.manifest.files.push(entry);
                Ok(())
            }
            _ => self.read(path, from, modified, pace),
        }
    }

    fn has_all(&self, entry: &FileEntry) -> bool {
        entry.chunks.iter().all(|hash| self.repository.has(*hash))
    }

    fn read(
        &mut self,
        path: &str,
        from: &Path,
        modified_ns: Option<u64>,
        pace: Pace<'_>,
    ) -> Result<(), RepositoryError> {
        let mut file = File::open(from).map_err(at(from))?;
        let mode = file.metadata().map_err(at(from))?.mode() & 0o777;
        let (mut size, mut chunks) = (0, Vec::new());
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        loop {
            chunk.clear();
            let limit = CHUNK_BYTES as u64;
            let n = file
                .by_ref()
                .take(limit)
                .read_to_end(&mut chunk)
                .map_err(at(from))?;
            if n == 0 {
                break;
            }
            size += n as u64;
            let hash = Hash::of(&chunk);
            if let Some(bytes) = self.repository.put_chunk(hash, &chunk)? {
                self.manifest.stored.chunks += 1;
                self.manifest.stored.bytes += bytes;
            }
            chunks.push(hash);
            if !pace() {
                return Err(RepositoryError::Stopped);
            }
            if n < CHUNK_BYTES {
                break;
            }
        }
        self.manifest.files.push(FileEntry {
            path: path.to_owned(),
            size,
            mode,
            modified_ns,
            chunks,
        });
        Ok(())
    }

    /// Notes how far a journal goes, and what its farms are there.
    pub fn journal(&mut self, end: JournalEnd, farms: Vec<FarmState>) {
        self.manifest.journals.push(end);
        self.manifest.farms.extend(farms);
    }

    /// Writes the manifest: now it is a snapshot.
    ///
    /// # Errors
    /// When the repository cannot be written; then there is no such snapshot.
    pub fn finish(mut self, generation: u64) -> Result<Manifest, RepositoryError> {
        // All that it names is there before it is.
        self.repository.store.sync(CHUNKS)?;
        self.manifest.generation = generation;
        self.manifest.took_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let number = self.manifest.number;
        let (manifest, bytes) = self
            .manifest
            .sealed()
            .map_err(|e| at(&self.repository.manifest_path(number))(e.into()))?;
        self.repository.put_manifest(number, bytes)?;
        Ok(manifest)
    }
}
