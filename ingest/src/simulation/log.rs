//! What a journal has, and what follows from it.

use std::collections::BTreeMap;

use harit_engine::{Engine, FarmDocument, FarmId, Input, Measured, Timestamp};
use harit_farm::codec::{self, BadBody};
use harit_farm::{Observer, Reading, Record, Sensor};
use harit_journal::{Journal, JournalError, StoredBatch, until_error};

use super::Storage;
use crate::shard::farm::Farm;
use crate::shard::recovery;
use crate::shard::snapshot;

/// What a record of a journal did, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A farm was added.
    Farm(Box<FarmDocument>),
    /// Sensors said values, in one message.
    Readings {
        /// Whose.
        farm: FarmId,
        /// When they were true.
        at: Timestamp,
        /// For the history only.
        backlog: bool,
        /// Sensor and value of each.
        values: Vec<(String, Measured)>,
    },
    /// The engine was told something else.
    Input {
        /// Whose.
        farm: FarmId,
        /// What.
        input: Input,
    },
    /// Anything else that a farm was told.
    Other {
        /// Whose.
        farm: FarmId,
    },
}

impl Entry {
    /// The farm whose it is.
    #[must_use]
    pub fn farm(&self) -> &FarmId {
        match self {
            Self::Farm(document) => &document.farm.id,
            Self::Readings { farm, .. } | Self::Input { farm, .. } | Self::Other { farm } => farm,
        }
    }
}

/// Everything that follows for the engines from a journal, with the batch of each and that batch's instant.
///
/// # Errors
/// When it cannot be read.
pub fn entries(storage: &Storage) -> Result<Vec<(u64, Timestamp, Entry)>, JournalError> {
    let journal = storage.open()?;
    let mut farms: BTreeMap<FarmId, harit_farm::Farm> = BTreeMap::new();
    let mut all = Vec::new();
    let each = |batch: StoredBatch| {
        let (seq, at) = (batch.seq, batch.at);
        codec::read::<BadBody>(&batch.body, at, |entry| {
            match entry {
                codec::Entry::Farm(document) => {
                    let engine = Engine::new(&document).map_err(BadBody::new)?;
                    farms.insert(document.farm.id.clone(), harit_farm::Farm::new(engine));
                    all.push((seq, at, Entry::Farm(document)));
                }
                codec::Entry::Of { farm, record } => {
                    let id = FarmId::from(farm);
                    let mut told = Told {
                        farm: id.clone(),
                        entries: Vec::new(),
                    };
                    if !matches!(record, Record::Input(_) | Record::Authored { .. }) {
                        told.entries.push(Entry::Other { farm: id.clone() });
                    }
                    if let Some(farm) = farms.get_mut(&id) {
                        farm.apply(at, record, &mut told);
                    }
                    all.extend(told.entries.into_iter().map(|entry| (seq, at, entry)));
                }
            }
            Ok(())
        })
        .map_err(|source| JournalError::Body {
            name: journal.name().to_owned(),
            seq,
            source: source.into(),
        })
    };
    until_error(|batch| journal.read(0, u64::MAX, batch), each)?;
    Ok(all)
}

/// Writes down what engines are told.
struct Told {
    farm: FarmId,
    entries: Vec<Entry>,
}

impl Observer for Told {
    fn before(&mut self, _: &Engine, input: &Input) {
        self.entries.push(Entry::Input {
            farm: self.farm.clone(),
            input: input.clone(),
        });
    }

    fn reading(&mut self, _: u32, sensor: &Sensor, reading: Reading) {
        let said = (sensor.id.to_string(), reading.value);
        if let Some(Entry::Readings { values, .. }) = self.entries.last_mut() {
            values.push(said);
        } else {
            self.entries.push(Entry::Readings {
                farm: self.farm.clone(),
                at: reading.at,
                backlog: reading.backlog,
                values: vec![said],
            });
        }
    }
}

/// Folds a journal as a restart would, and gives what a snapshot of that would have.
///
/// # Errors
/// When it cannot be folded.
pub fn fold(storage: &Storage) -> Result<Vec<u8>, JournalError> {
    let journal = storage.open()?;
    let recovered = recovery::recover(&*journal, u64::MAX, journal.last())?;
    stored(&recovered.farms, &*journal)
}

fn stored(farms: &[Farm], journal: &dyn Journal) -> Result<Vec<u8>, JournalError> {
    snapshot::store(farms).map_err(|e| JournalError::Damaged {
        name: journal.name().to_owned(),
        what: e.to_string(),
    })
}

/// What follows from a journal.
#[derive(Debug)]
pub struct Folded {
    /// What a snapshot of it would have.
    pub state: Vec<u8>,
    /// Every event: farm, instant and body.
    pub events: Vec<(FarmId, Timestamp, String)>,
}

/// Folds a journal from its first batch on; snapshots have no part in it, where it is in memory.
///
/// # Errors
/// When it cannot be folded.
pub fn fold_whole(storage: &Storage) -> Result<Folded, JournalError> {
    let journal = match storage {
        Storage::File(_) => storage.open()?,
        Storage::Memory(disk) => {
            let whole = disk.copy();
            whole.drop_snapshots();
            Storage::Memory(whole).open()?
        }
    };
    let recovered = recovery::recover(&*journal, 0, journal.last())?;
    let rows = recovered.pending.events.into_iter();
    Ok(Folded {
        state: stored(&recovered.farms, &*journal)?,
        events: rows.map(|row| (row.farm, row.at, row.body)).collect(),
    })
}

/// Every event that follows from a journal, from its first batch on: farm, instant and body.
///
/// # Errors
/// When it cannot be folded.
pub fn events_of(storage: &Storage) -> Result<Vec<(FarmId, Timestamp, String)>, JournalError> {
    fold_whole(storage).map(|folded| folded.events)
}
