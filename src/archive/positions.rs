//! Up to where the journals are archived, in a file of its own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::ArchiveError;

const FILE: &str = "_archived.json";
const VERSION: u32 = 1;

/// How far one journal is archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The last batch.
    pub(crate) batch: u64,
    /// Everything that was journaled before this instant, in epoch milliseconds.
    pub(crate) before_ms: i64,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    journals: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    generation: u64,
    shard: usize,
    #[serde(flatten)]
    position: Position,
}

/// How far the journals are archived, by generation and shard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Positions(BTreeMap<(u64, usize), Position>);

impl Positions {
    /// Those of an archive; none where there is none.
    pub(crate) fn load(archive: &Path) -> Result<Self, ArchiveError> {
        let path = archive.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(e) => return Err(ArchiveError::io(&path)(e)),
        };
        let document: Document = serde_json::from_str(&text).map_err(|e| bad(&path, e))?;
        if document.version != VERSION {
            let newer = format!(
                "its version is {}, this program reads {VERSION}",
                document.version
            );
            return Err(bad(&path, newer));
        }
        let rows = document.journals.into_iter();
        Ok(Self(
            rows.map(|r| ((r.generation, r.shard), r.position))
                .collect(),
        ))
    }

    /// Writes them in one step, safe from a power cut.
    pub(crate) fn store(&self, archive: &Path) -> Result<(), ArchiveError> {
        let path = archive.join(FILE);
        let row = |(&(generation, shard), &position): (&(u64, usize), &Position)| Row {
            generation,
            shard,
            position,
        };
        let document = Document {
            version: VERSION,
            journals: self.0.iter().map(row).collect(),
        };
        let text = serde_json::to_vec_pretty(&document).map_err(|e| bad(&path, e))?;
        let part = archive.join(format!(".{FILE}.part"));
        let write = || -> io::Result<()> {
            let mut file = File::create(&part)?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&part, &path)?;
            File::open(archive)?.sync_all()
        };
        write().map_err(ArchiveError::io(&path))
    }

    pub(crate) fn of(&self, generation: u64, shard: usize) -> Position {
        self.0
            .get(&(generation, shard))
            .copied()
            .unwrap_or_default()
    }

    pub(crate) fn set(&mut self, generation: u64, shard: usize, position: Position) {
        self.0.insert((generation, shard), position);
    }

    /// Forgets journals that are not there any more.
    pub(crate) fn keep(&mut self, is_there: impl Fn(u64, usize) -> bool) {
        self.0
            .retain(|(generation, shard), _| is_there(*generation, *shard));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, usize, Position)> {
        self.0.iter().map(|(&(g, s), &p)| (g, s, p))
    }
}

fn bad(path: &Path, reason: impl ToString) -> ArchiveError {
    ArchiveError::Positions {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}
