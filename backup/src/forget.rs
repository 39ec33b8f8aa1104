//! Removing snapshots, and then the chunks that nobody names.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;

use crate::chunk::Hash;
use crate::disk;
use crate::error::{RepositoryError, at};
use crate::repository::Repository;
use crate::retention::{Keep, Made, kept};
use crate::write::Pace;

/// What was removed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// The numbers of the snapshots.
    pub snapshots: Vec<u64>,
    /// How many chunks.
    pub chunks: usize,
    /// Their bytes.
    pub bytes: u64,
}

impl Repository {
    /// Removes the snapshots that are not to be kept, and all chunks that none of the others names. Days and weeks are those of
    /// `zone`. The repository must be open for writing.
    ///
    /// Manifests go first: interrupted, it leaves chunks that nobody names, and the next one removes them.
    ///
    /// # Errors
    /// When nothing would be kept, a manifest cannot be read (then nothing is removed, for nobody knows what it needs), something
    /// cannot be removed, or `pace` stops it.
    pub fn forget(
        &self,
        keep: Keep,
        zone: &TimeZone,
        pace: Pace<'_>,
    ) -> Result<Forgotten, RepositoryError> {
        if keep.is_nothing() {
            return Err(RepositoryError::KeepNothing);
        }
        let numbers = self.numbers()?;
        let mut made = Vec::new();
        for number in &numbers {
            let at_ms = self.manifest(*number)?.at_ms;
            let at = jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default();
            let day = at.to_zoned(zone.clone()).date();
            made.push(Made {
                number: *number,
                day,
            });
        }
        let kept = kept(&made, keep);
        let mut needed: BTreeSet<Hash> = BTreeSet::new();
        for number in &kept {
            let files = self.manifest(*number)?.files;
            needed.extend(files.into_iter().flat_map(|f| f.chunks));
        }
        let mut forgotten = Forgotten::default();
        for number in numbers.into_iter().filter(|n| !kept.contains(n)) {
            let path = self.manifest_path(number);
            std::fs::remove_file(&path).map_err(at(&path))?;
            forgotten.snapshots.push(number);
        }
        disk::sync_dir(&self.dir.join("snapshots"))?;
        for (path, hash) in self.chunks.all()? {
            if hash.is_some_and(|h| needed.contains(&h)) {
                continue;
            }
            let bytes = std::fs::metadata(&path).map_err(at(&path))?.len();
            std::fs::remove_file(&path).map_err(at(&path))?;
            forgotten.chunks += 1;
            forgotten.bytes += bytes;
            if !pace() {
                return Err(RepositoryError::Stopped);
            }
        }
        Ok(forgotten)
    }
}
