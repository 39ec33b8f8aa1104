//! Up to where the journals were read, for whoever follows them, in a file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use harit_journal::put_file;
use serde::{Deserialize, Serialize};
use thiserror::Error;

const VERSION: u32 = 1;

/// The file cannot be read or written, or makes no sense.
#[derive(Debug, Error)]
#[error("{}: {reason}", path.display())]
pub(crate) struct PositionsError {
    path: PathBuf,
    reason: String,
}

/// How far one journal was read.
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

/// How far the journals were read, by generation and shard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Positions(BTreeMap<(u64, usize), Position>);

impl Positions {
    /// Those in a file; none where it is not there.
    pub(crate) fn load(path: &Path) -> Result<Self, PositionsError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(e) => return Err(bad(path, e)),
        };
        let document: Document = serde_json::from_str(&text).map_err(|e| bad(path, e))?;
        if document.version != VERSION {
            let newer = format!(
                "its version is {}, this program reads {VERSION}",
                document.version
            );
            return Err(bad(path, newer));
        }
        let rows = document.journals.into_iter();
        Ok(Self(
            rows.map(|r| ((r.generation, r.shard), r.position))
                .collect(),
        ))
    }

    /// Writes them in one step, safe from a power cut.
    pub(crate) fn store(&self, path: &Path) -> Result<(), PositionsError> {
        let row = |(&(generation, shard), &position): (&(u64, usize), &Position)| Row {
            generation,
            shard,
            position,
        };
        let document = Document {
            version: VERSION,
            journals: self.0.iter().map(row).collect(),
        };
        let text = serde_json::to_vec_pretty(&document).map_err(|e| bad(path, e))?;
        put_file(path, &text).map_err(|e| bad(path, e))
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

fn bad(path: &Path, reason: impl ToString) -> PositionsError {
    PositionsError {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}
