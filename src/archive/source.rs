//! Where an archive is read: its folder, or its copy in a bucket, of which a file is fetched when it is wanted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use harit_bucket::Place;
use tempfile::TempDir;

use super::copy::BucketCopy;
use super::layout;
use super::{ArchiveError, FarmDay, POSITIONS, Part, positions_file};
use crate::positions::Positions;

/// An archive that is read, as it was when it was opened.
pub(crate) struct Source {
    /// The archive, or what was fetched of it.
    folder: PathBuf,
    elsewhere: Option<(BucketCopy, TempDir)>,
    parts: BTreeMap<FarmDay, Vec<Part>>,
}

impl Source {
    /// What is fetched of a bucket is kept in the directory for temporary files (`TMPDIR`) until this is dropped.
    pub(crate) fn open(place: &Place) -> Result<Self, ArchiveError> {
        let dir = match place {
            Place::Directory(dir) => dir.clone(),
            Place::Bucket(bucket) => return Self::fetching(BucketCopy::open(bucket)?),
        };
        let mut parts = BTreeMap::new();
        for of in layout::days(&dir)? {
            parts.insert(of.clone(), layout::parts(&dir, &of)?);
        }
        Ok(Self {
            folder: dir,
            elsewhere: None,
            parts,
        })
    }

    pub(super) fn fetching(copy: BucketCopy) -> Result<Self, ArchiveError> {
        let mut parts = BTreeMap::<FarmDay, Vec<Part>>::new();
        for part in copy.parts()? {
            parts.entry(part.of.clone()).or_default().push(part);
        }
        parts.values_mut().for_each(|parts| parts.sort());
        let dir = tempfile::tempdir().map_err(ArchiveError::io(&std::env::temp_dir()))?;
        Ok(Self {
            folder: dir.path().to_owned(),
            elsewhere: Some((copy, dir)),
            parts,
        })
    }

    /// The farms and days that there are, the oldest day first.
    pub(crate) fn days(&self) -> impl Iterator<Item = &FarmDay> {
        self.parts.keys()
    }

    /// The files of a farm's day, in the order of what is in them.
    pub(crate) fn parts(&self, of: &FarmDay) -> &[Part] {
        self.parts.get(of).map_or(&[], Vec::as_slice)
    }

    /// Where a file is on this machine.
    pub(crate) fn file(&self, part: &Part) -> Result<PathBuf, ArchiveError> {
        if let Some((copy, _)) = &self.elsewhere {
            copy.fetch(&part.name(), &self.folder)?;
        }
        Ok(part.path(&self.folder))
    }

    /// Up to where the journals are archived.
    pub(crate) fn positions(&self) -> Result<Positions, ArchiveError> {
        if let Some((copy, _)) = &self.elsewhere {
            copy.fetch(POSITIONS, &self.folder)?;
        }
        Ok(Positions::load(&positions_file(&self.folder))?)
    }
}
