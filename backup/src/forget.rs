//! Removing snapshots, and then the chunks that nobody names.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;

use crate::chunk::{CHUNKS, Hash};
use crate::error::RepositoryError;
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
        let gone = numbers.into_iter().filter(|n| !kept.contains(n));
        let mut forgotten = Forgotten {
            snapshots: gone.collect(),
            ..Forgotten::default()
        };
        self.remove_manifests(&forgotten.snapshots)?;
        let mut unneeded = self.store.list(CHUNKS)?;
        unneeded.retain(|o| Hash::of_name(&o.name).is_none_or(|hash| !needed.contains(&hash)));
        for some in unneeded.chunks(self.store.removes_at_once()) {
            let names: Vec<String> = some.iter().map(|o| o.name.clone()).collect();
            self.store.remove(&names)?;
            forgotten.chunks += some.len();
            forgotten.bytes += some.iter().map(|o| o.bytes).sum::<u64>();
            if !pace() {
                return Err(RepositoryError::Stopped);
            }
        }
        Ok(forgotten)
    }
}
