//! From files to farms: the newest good snapshot, then the journal after it.
//!
//! What the engines say while the journal is folded again was said before the restart: commands are not sent again. What of
//! it the history store does not have yet goes there now.

use std::collections::HashMap;
use std::path::Path;

use harit_engine::{
    Engine, Event, EventKind, FarmId, InputKind, ResolveReason, SensorType, Timestamp,
};

use crate::history::store::EventRow;
use crate::journal::JournalError;
use crate::journal::codec::{self, BadBody, Record};
use crate::journal::file::StoredBatch;
use crate::journal::storage::Journal;
use crate::log::NewLogEntry;
use crate::log::store::LogRow;
use crate::shard::farm::{Farm, Pending, Readings, Tally};
use crate::shard::snapshot;

/// A shard's farms as they were, and what the history store lacks.
pub(crate) struct Recovered {
    pub(crate) farms: Vec<Farm>,
    pub(crate) pending: Pending,
    /// The last batch.
    pub(crate) seq: u64,
    pub(crate) tally: Tally,
}

enum Failure {
    Journal(JournalError),
    Body(BadBody),
}

impl From<JournalError> for Failure {
    fn from(e: JournalError) -> Self {
        Self::Journal(e)
    }
}

impl From<BadBody> for Failure {
    fn from(e: BadBody) -> Self {
        Self::Body(e)
    }
}

/// Recovers a shard. `in_history` is the last batch that the history store has.
pub(crate) fn recover(journal: &Journal, in_history: u64) -> Result<Recovered, JournalError> {
    let path = journal.path();
    let (base, farms) = base(journal, path, in_history)?;
    let mut fold = Folding {
        by_id: farms
            .iter()
            .zip(0..)
            .map(|(f, i)| (f.id.clone(), i))
            .collect(),
        farms,
        pending: Pending::default(),
        events: Vec::new(),
        values: Vec::new(),
        tally: Tally::default(),
    };
    journal.read_after::<JournalError>(base, |batch| {
        let seq = batch.seq;
        if planted!(LastBatchNotFolded) && seq == journal.last() {
            return Ok(());
        }
        fold.batch(&batch, seq > in_history || planted!(HistoryDoubled))
            .map_err(|e| match e {
                Failure::Journal(e) => e,
                Failure::Body(source) => JournalError::Body {
                    path: path.to_owned(),
                    seq,
                    source,
                },
            })
    })?;
    Ok(Recovered {
        farms: fold.farms,
        pending: fold.pending,
        seq: journal.last(),
        tally: fold.tally,
    })
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

struct Folding {
    farms: Vec<Farm>,
    by_id: HashMap<FarmId, u32>,
    pending: Pending,
    events: Vec<Event>,
    values: Vec<(u32, harit_engine::Measured)>,
    tally: Tally,
}

impl Folding {
    fn batch(&mut self, batch: &StoredBatch, to_history: bool) -> Result<(), Failure> {
        codec::read::<Failure>(&batch.body, batch.at, |record| {
            self.record(record, to_history)
        })
    }

    fn farm(&self, id: &str) -> Result<u32, BadBody> {
        self.by_id
            .get(id)
            .copied()
            .ok_or_else(|| BadBody::new(format!("farm {id} was never added")))
    }

    fn record(&mut self, record: Record<'_>, to_history: bool) -> Result<(), Failure> {
        let mut applied = None;
        let mut entries = Vec::new();
        let n = match record {
            Record::Farm(document) => {
                let engine = Engine::new(&document).map_err(|e| BadBody::new(e.to_string()))?;
                let farm = Farm::new(engine);
                self.by_id.insert(
                    farm.id.clone(),
                    u32::try_from(self.farms.len()).unwrap_or(u32::MAX),
                );
                self.farms.push(farm);
                return Ok(());
            }
            Record::Readings {
                farm,
                at,
                backlog,
                values,
            } => {
                let n = self.farm(farm)?;
                let farm = &mut self.farms[n as usize];
                self.values.clear();
                for (sensor, value) in values {
                    // The type matters only for one that is deleted by now, whose values go nowhere.
                    self.values
                        .push((farm.book.sensor(sensor, SensorType::Temperature), *value));
                }
                let history = to_history.then_some(&mut self.pending);
                let values = Readings {
                    at,
                    backlog,
                    values: &self.values,
                };
                farm.readings(n, values, &mut self.events, history, &mut self.tally);
                n
            }
            Record::Input { farm, input } => {
                let n = self.farm(farm)?;
                if input.kind == InputKind::Resumed {
                    self.farms[n as usize].book.resumed(input.at);
                }
                // Refused again, as it was then.
                if let Some(Ok(())) = self.farms[n as usize].input(&input, &mut self.events) {
                    applied = Some(input);
                }
                n
            }
            Record::Message {
                farm,
                mac,
                seq,
                crc,
            } => {
                let n = self.farm(farm)?;
                let book = &mut self.farms[n as usize].book;
                let c = book.controller(mac);
                book.controllers[c as usize].repeats(seq, crc);
                return Ok(());
            }
            Record::Desertion {
                farm,
                at,
                device,
                what,
            } => {
                let n = self.farm(farm)?;
                let book = &mut self.farms[n as usize].book;
                if !planted!(DesertionNotFolded) {
                    book.note_desertion(&device.into(), at, what);
                }
                return Ok(());
            }
            Record::Report {
                farm,
                at,
                mac,
                report,
            } => {
                let n = self.farm(farm)?;
                if !planted!(ReportsNotFolded) {
                    entries.extend(self.farms[n as usize].recovered_report(
                        at,
                        mac,
                        &report,
                        to_history.then_some(&mut self.pending),
                    ));
                }
                n
            }
        };
        let farm = &mut self.farms[n as usize];
        farm.lives.recovered(&self.events);
        if to_history {
            entries.extend(farm.log_of(applied.as_ref(), &self.events));
            collect_events(&farm.id, &self.events, &mut self.pending);
            collect_log(&farm.id, entries, true, &mut self.pending);
        }
        self.events.clear();
        Ok(())
    }
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
    farms.filter_map(|f| f.engine.clock()).max()
}
