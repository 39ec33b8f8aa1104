//! From files to farms: the newest good snapshot, then every record of the journal after it, as it was applied then.
//!
//! What follows from a record was done before the restart. Only what the history store lacks of it goes there now.

use std::collections::HashMap;
use std::path::Path;

use harit_engine::{Engine, Event, EventKind, FarmId, ResolveReason, Timestamp};
use harit_farm::CommandLife;

use crate::history::store::EventRow;
use crate::journal::JournalError;
use crate::journal::storage::Journal;
use crate::log::NewLogEntry;
use crate::log::store::LogRow;
use crate::shard::farm::{Collector, Farm, Pending, Tally};
use crate::shard::snapshot;
use harit_farm::codec::{self, BadBody, Entry};

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

/// Recovers a shard. `in_history` is the last batch that the history store has.
pub(crate) fn recover(journal: &Journal, in_history: u64) -> Result<Recovered, JournalError> {
    let path = journal.path();
    let (base, farms) = base(journal, path, in_history)?;
    let mut all = Recovered {
        by_id: (0..)
            .zip(&farms)
            .map(|(n, f)| (f.id().clone(), n))
            .collect(),
        farms,
        seq: journal.last(),
        ..Recovered::default()
    };
    journal.read_after::<JournalError>(base, |batch| {
        let (at, seq) = (batch.at, batch.seq);
        if planted!(LastBatchNotFolded) && seq == journal.last() {
            return Ok(());
        }
        let to_history = seq > in_history || planted!(HistoryDoubled);
        codec::read(&batch.body, at, |entry| all.apply(at, entry, to_history)).map_err(|source| {
            JournalError::Body {
                path: path.to_owned(),
                seq,
                source,
            }
        })
    })?;
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

/// The newest snapshot that is good, and not newer than the history: what lies between would be missing there.
fn base(journal: &Journal, path: &Path, in_history: u64) -> Result<(u64, Vec<Farm>), JournalError> {
    let before_first = journal.before_first()?;
    let snapshots = journal.snapshots()?;
    let usable = |seq: u64| seq >= before_first;
    let preferred = snapshots
        .iter()
        .filter(|(seq, _)| usable(*seq) && *seq <= in_history);
    // A history store that is new, or lost, does not have what is older: then it begins here.
    let others = snapshots
        .iter()
        .filter(|(seq, _)| usable(*seq) && *seq > in_history);
    let genesis = before_first == 0;
    for (seq, _) in preferred.chain(others.filter(|_| !genesis || in_history == 0)) {
        let read = journal
            .snapshot(*seq)
            .map_err(|e| e.to_string())
            .and_then(|bytes| snapshot::restore(&bytes));
        match read {
            Ok(farms) => return Ok((*seq, farms)),
            Err(e) => {
                tracing::warn!(path = %path.display(), seq, error = e, "a snapshot cannot be used; trying an older one");
            }
        }
    }
    if genesis {
        return Ok((0, Vec::new()));
    }
    Err(JournalError::Damaged {
        path: path.to_owned(),
        what: format!(
            "it begins after batch {before_first}, and no snapshot from there on is good"
        ),
    })
}

/// Puts events on their way to the history store.
pub(crate) fn collect_events(farm: &FarmId, events: &[Event], pending: &mut Pending) {
    for e in events {
        if let Ok(body) = stored_body(e) {
            pending.events.push(EventRow {
                farm: farm.clone(),
                at: e.at,
                name: e.kind.name(),
                body,
            });
        }
    }
}

/// An event as it is stored: as in `events.jsonl`, and why an alert ended, where that is not because all is well.
fn stored_body(event: &Event) -> serde_json::Result<String> {
    match &event.kind {
        EventKind::AlertResolved { reason, .. } if *reason != ResolveReason::Cleared => {
            let mut body = serde_json::to_value(event)?;
            body["reason"] = reason.as_str().into();
            serde_json::to_string(&body)
        }
        _ => serde_json::to_string(event),
    }
}

/// Puts entries of the log on their way to the history store.
pub(crate) fn collect_log(
    farm: &FarmId,
    entries: Vec<NewLogEntry>,
    recovered: bool,
    pending: &mut Pending,
) {
    pending.log.extend(entries.into_iter().map(|entry| LogRow {
        farm: farm.clone(),
        entry,
        recovered,
    }));
}

/// The latest instant that any of the farms knows.
pub(crate) fn latest_clock<'a>(farms: impl Iterator<Item = &'a Farm>) -> Option<Timestamp> {
    farms.filter_map(|f| f.fold.engine().clock()).max()
}
