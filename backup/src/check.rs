//! Whether all is as it was written, and files made of chunks again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::chunk::{CHUNKS, Hash, PACKED_MOST, unpack};
use crate::error::{RepositoryError, at};
use crate::manifest::FileEntry;
use crate::repository::Repository;
use crate::store::disk;
use crate::write::Pace;

/// Something of a repository is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file of the repository.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
    /// What cannot be restored without it: the file of the data directory, and the snapshots. Of a manifest only the snapshot.
    pub needed_by: BTreeMap<String, BTreeSet<u64>>,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)?;
        for (n, (file, snapshots)) in self.needed_by.iter().enumerate() {
            let said = if n == 0 { "; needed by" } else { "," };
            let numbers: Vec<String> = snapshots.iter().map(u64::to_string).collect();
            let plural = if numbers.len() == 1 { "" } else { "s" };
            write!(
                f,
                "{said} {file} of snapshot{plural} {}",
                numbers.join(", ")
            )?;
        }
        Ok(())
    }
}

/// What a check found.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Checked {
    /// How many snapshots there are.
    pub snapshots: usize,
    /// How many chunks were read.
    pub chunks: usize,
    /// How many chunks nobody names: what was interrupted left them, and forgetting removes them.
    pub unneeded: usize,
    /// What is wrong.
    pub damage: Vec<Damage>,
}

impl Repository {
    /// Reads every manifest and every chunk that one of them names.
    ///
    /// # Errors
    /// When the repository cannot be listed, or `pace` stops it; what is damaged is in the answer.
    pub fn check(&self, pace: Pace<'_>) -> Result<Checked, RepositoryError> {
        let mut checked = Checked::default();
        let mut needed: BTreeMap<Hash, u64> = BTreeMap::new();
        for number in self.numbers()? {
            checked.snapshots += 1;
            match self.manifest(number) {
                Ok(manifest) => {
                    for file in &manifest.files {
                        let chunks = file.chunks.iter().enumerate();
                        needed.extend(chunks.map(|(n, hash)| (*hash, file.bytes_of(n))));
                    }
                }
                Err(e) => checked.damage.push(Damage {
                    path: self.manifest_path(number),
                    why: match e {
                        RepositoryError::Manifest { why, .. } => why,
                        other => other.to_string(),
                    },
                    needed_by: BTreeMap::from([("all".to_owned(), BTreeSet::from([number]))]),
                }),
            }
        }
        let wanted: Vec<(Hash, u64)> = needed.iter().map(|(hash, bytes)| (*hash, *bytes)).collect();
        let mut damaged = Vec::new();
        self.chunks(&wanted, &mut |hash, chunk| {
            checked.chunks += 1;
            damaged.extend(chunk.err().map(|why| (hash, why)));
            pace()
        });
        if checked.chunks < wanted.len() {
            return Err(RepositoryError::Stopped);
        }
        let damaged = damaged.into_iter();
        let damage = damaged.map(|(hash, why)| self.damage(hash, why));
        checked.damage.extend(damage);
        let is_needed = |name| Hash::of_name(name).is_some_and(|h| needed.contains_key(&h));
        let all = self.store.list(CHUNKS)?;
        checked.unneeded = all.iter().filter(|o| !is_needed(&o.name)).count();
        Ok(checked)
    }

    /// Makes a file of a snapshot again, below `to`. The directories above it are made.
    ///
    /// # Errors
    /// When the file is there, or cannot be written. Chunks that are damaged are in the answer; the file is removed then.
    pub fn extract(&self, file: &FileEntry, to: &Path) -> Result<Vec<Damage>, RepositoryError> {
        let path = to.join(&file.path);
        if let Some(folder) = path.parent() {
            disk::make_dir(folder)?;
        }
        // Others had no business with it before, and have none now.
        let mut out = disk::create(&path, file.mode & 0o700).map_err(at(&path))?;
        let chunks = file.chunks.iter().enumerate();
        let wanted: Vec<(Hash, u64)> = chunks.map(|(n, hash)| (*hash, file.bytes_of(n))).collect();
        let (mut damaged, mut written) = (Vec::new(), Ok(()));
        self.chunks(&wanted, &mut |hash, chunk| {
            match chunk {
                Ok(bytes) => written = out.write_all(&bytes),
                Err(why) => damaged.push((hash, why)),
            }
            written.is_ok()
        });
        written.map_err(at(&path))?;
        out.sync_all().map_err(at(&path))?;
        if !damaged.is_empty() {
            std::fs::remove_file(&path).map_err(at(&path))?;
        }
        let damaged = damaged.into_iter();
        Ok(damaged.map(|(hash, why)| self.damage(hash, why)).collect())
    }

    /// Reads chunks in this order, each with the length that it has to have; `take` ends it with false.
    fn chunks(
        &self,
        wanted: &[(Hash, u64)],
        take: &mut dyn FnMut(Hash, Result<Vec<u8>, String>) -> bool,
    ) {
        let names: Vec<String> = wanted.iter().map(|(hash, _)| hash.name()).collect();
        self.store.get_each(&names, PACKED_MOST, &mut |n, read| {
            let Some((hash, bytes)) = wanted.get(n).copied() else {
                return false;
            };
            let chunk = unpack(hash, read).and_then(|chunk| match chunk.len() as u64 {
                length if length == bytes => Ok(chunk),
                length => Err(format!("it has {length} bytes in place of {bytes}")),
            });
            take(hash, chunk)
        });
    }

    /// Who needs a chunk.
    fn damage(&self, hash: Hash, why: String) -> Damage {
        let mut needed_by: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        let manifests = self.numbers().unwrap_or_default().into_iter();
        for manifest in manifests.filter_map(|n| self.manifest(n).ok()) {
            let with_it = manifest.files.iter().filter(|f| f.chunks.contains(&hash));
            for file in with_it {
                let snapshots = needed_by.entry(file.path.clone()).or_default();
                snapshots.insert(manifest.number);
            }
        }
        Damage {
            path: self.store.path(&hash.name()),
            why,
            needed_by,
        }
    }
}
