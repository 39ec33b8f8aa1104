//! From files to farms: the newest good snapshot, then every record of the journal after it, as it was applied then.
//!
//! What follows from a record was done before the restart. Only what the history store lacks of it goes there now.

use std::collections::HashMap;

use harit_engine::{Engine, FarmId, Timestamp, planted};
use harit_farm::CommandLife;

use crate::history::pending::Pending;
use crate::shard::collect::{Collector, Tally};
use crate::shard::farm::Farm;
use crate::shard::snapshot;
use harit_farm::codec::{BadBody, BodyReader, Entry};
use harit_journal::{JournalError, JournalRead, StoredBatch, until_error};

/// A shard's farms as they were, and what the history store lacks.
#[derive(Default)]
pub(crate) struct Recovered {
    pub(crate) farms: Vec<Farm>,
    by_id: HashMap<FarmId, u32>,
    pub(crate) pending: Pending,
    /// The states of commands.
    pub(crate) lives: Vec<CommandLife>,
    /// The last batch.
    pub(crate) seq: u64,
    pub(crate) tally: Tally,
}

/// Recovers a shard as it was after batch `through`. `in_history` is the last batch that the history store has.
pub(crate) fn recover(
    journal: &dyn JournalRead,
    in_history: u64,
    through: u64,
) -> Result<Recovered, JournalError> {
    let (base, farms) = snapshot::newest(journal, in_history, through)?;
    let mut all = Recovered {
        by_id: (0..)
            .zip(&farms)
            .map(|(n, f)| (f.id().clone(), n))
            .collect(),
        farms,
        seq: through,
        ..Recovered::default()
    };
    let mut bodies = BodyReader::default();
    let apply = |batch: StoredBatch| {
        let (at, seq) = (batch.at, batch.seq);
        if planted!(LastBatchNotFolded) && seq == through {
            return Ok(());
        }
        let to_history = seq > in_history || planted!(HistoryDoubled);
        let read =
            bodies.read::<BadBody>(&batch.body, at, |entry| all.apply(at, entry, to_history));
        read.map_err(|source| JournalError::Body {
            name: journal.name().to_owned(),
            seq,
            source: source.into(),
        })
    };
    until_error(|each| journal.read(base, through, each), apply)?;
    Ok(all)
}

impl Recovered {
    fn apply(&mut self, at: Timestamp, entry: Entry<'_>, to_history: bool) -> Result<(), BadBody> {
        let (farm, record) = match entry {
            Entry::Farm(document) => {
                let engine = Engine::new(&document).map_err(BadBody::new)?;
                let number = u32::try_from(self.farms.len()).unwrap_or(u32::MAX);
                self.by_id.insert(document.farm.id.clone(), number);
                self.farms.push(Farm::new(harit_farm::Farm::new(engine)));
                return Ok(());
            }
            Entry::Of { farm, record } => (farm, record),
        };
        let none = || BadBody::new(format!("farm {farm} was never added"));
        let number = *self.by_id.get(farm).ok_or_else(none)?;
        let Farm {
            fold, collected, ..
        } = &mut self.farms[number as usize];
        let id = fold.id().clone();
        let mut collector = Collector {
            number,
            id: &id,
            at,
            collected,
            pending: to_history.then_some(&mut self.pending),
            lives: to_history.then_some(&mut self.lives),
            tally: &mut self.tally,
            recovered: true,
            presence: Vec::new(),
        };
        fold.apply(at, record, &mut collector);
        collector.end(fold.engine(), fold.controllers());
        Ok(())
    }
}
