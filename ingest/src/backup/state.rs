//! What the farms of a journal are at its end, as hashes: by them a restored journal shows that it folds to the same.

use std::collections::BTreeMap;
use std::path::Path;

use harit_engine::{Engine, FarmId};
use harit_farm::Farm;
use harit_farm::codec::{BadBody, BodyReader, Entry};
use harit_journal::{JournalError, JournalRead as _, JournalReader, until_error};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::shard::snapshot;

/// From where a journal is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldFrom {
    /// The newest state that is stored, as a server's start does.
    Newest,
    /// The oldest: all that the journal has is folded.
    Oldest,
}

/// A journal's end, and its farms there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardState {
    /// After which batch was folded; 0 where from nothing.
    pub from: u64,
    /// The last batch.
    pub last: u64,
    /// Each farm with the SHA-256 (hex) of its state.
    pub farms: Vec<(FarmId, String)>,
}

/// A journal could not be folded.
#[derive(Debug, Error)]
pub enum StateError {
    /// It cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A batch cannot be understood.
    #[error("a batch of the journal cannot be read: {0}")]
    Body(#[from] BadBody),
    /// A state cannot be written.
    #[error("the state of a farm cannot be written: {0}")]
    Json(#[from] serde_json::Error),
    /// There is nothing to begin with.
    #[error("it begins after batch {0}, and no state that is stored from there on is good")]
    NoState(u64),
}

/// Folds a shard's journal to its end.
///
/// # Errors
/// When it is damaged, or there is no state from which it can be folded.
pub fn fold(journal: &Path, from: FoldFrom) -> Result<ShardState, StateError> {
    let reader = JournalReader::open(journal)?;
    let before_first = reader.before_first()?;
    let mut bases: Vec<u64> = reader.snapshots()?.iter().map(|(seq, _)| *seq).collect();
    bases.retain(|seq| *seq >= before_first);
    if before_first == 0 {
        bases.push(0);
    }
    if from == FoldFrom::Oldest {
        bases.reverse();
    }
    let mut failed = StateError::NoState(before_first);
    for base in bases {
        match fold_after(&reader, base) {
            Ok(state) => return Ok(state),
            // All of it is to be good. What an earlier version wrote in another form is no damage.
            Err(e @ StateError::Journal(_)) if from == FoldFrom::Oldest => return Err(e),
            Err(e) => failed = e,
        }
    }
    Err(failed)
}

fn fold_after(reader: &JournalReader, base: u64) -> Result<ShardState, StateError> {
    let mut farms: BTreeMap<FarmId, Farm> = BTreeMap::new();
    if base > 0 {
        let stored = snapshot::restore(&reader.snapshot(base)?).map_err(BadBody::new)?;
        farms.extend(stored.into_iter().map(|f| (f.id().clone(), f.fold)));
    }
    let (mut last, mut bodies) = (base, BodyReader::default());
    until_error::<StateError>(
        |each| reader.read(base, u64::MAX, each),
        |batch| {
            last = batch.seq;
            bodies.read::<StateError>(&batch.body, batch.at, |entry| {
                match entry {
                    Entry::Farm(document) => {
                        let engine = Engine::new(&document).map_err(BadBody::new)?;
                        farms.insert(document.farm.id.clone(), Farm::new(engine));
                    }
                    Entry::Of { farm, record } => {
                        let none = || BadBody::new(format!("farm {farm} was never added"));
                        farms
                            .get_mut(farm)
                            .ok_or_else(none)?
                            .apply(batch.at, record, &mut ());
                    }
                }
                Ok(())
            })
        },
    )?;
    let hashed = |(id, farm): (&FarmId, &Farm)| Ok((id.clone(), hash(farm)?));
    Ok(ShardState {
        from: base,
        last,
        farms: farms
            .iter()
            .map(hashed)
            .collect::<Result<_, StateError>>()?,
    })
}

fn hash(farm: &Farm) -> serde_json::Result<String> {
    let mut hash = Sha256::new();
    for part in farm.snapshot()? {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(&part);
    }
    let hash = hash.finalize();
    Ok(hash.iter().map(|b| format!("{b:02x}")).collect())
}
