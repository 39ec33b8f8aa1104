//! What is on its way to the history store.

use harit_engine::{Event, EventKind, FarmId, ResolveReason};

use super::rollup::RollupRow;
use super::told::{EventRow, ReportedRow};
use crate::log::NewLogEntry;
use crate::log::store::LogRow;

/// The most rollups and events that wait for the history store; past it the oldest are dropped and counted.
const MAX_PENDING_HISTORY: usize = 2_000_000;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) rollups: Vec<RollupRow>,
    pub(crate) events: Vec<EventRow>,
    pub(crate) log: Vec<LogRow>,
    pub(crate) reported: Vec<ReportedRow>,
    /// Sensors with something collected, by farm and sensor number.
    pub(crate) listed: Vec<(u32, u32)>,
}

impl Pending {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows() == 0 && self.listed.is_empty()
    }

    /// How many rows wait, besides those of the sensors on the list.
    pub(crate) fn rows(&self) -> usize {
        self.rollups.len() + self.events.len() + self.log.len() + self.reported.len()
    }

    /// Whether there is something besides readings.
    pub(crate) fn has_decisions(&self) -> bool {
        self.rows() > self.rollups.len()
    }

    /// Keeps what waits within its limit.
    pub(crate) fn bound(&mut self) {
        for over in [
            self.rollups.len().saturating_sub(MAX_PENDING_HISTORY),
            self.events.len().saturating_sub(MAX_PENDING_HISTORY),
            self.log.len().saturating_sub(MAX_PENDING_HISTORY),
            self.reported.len().saturating_sub(MAX_PENDING_HISTORY),
        ] {
            if over > 0 {
                metrics::counter!("harit_history_dropped_total").increment(over as u64);
            }
        }
        let over = self.rollups.len().saturating_sub(MAX_PENDING_HISTORY);
        self.rollups.drain(..over);
        let over = self.events.len().saturating_sub(MAX_PENDING_HISTORY);
        self.events.drain(..over);
        let over = self.log.len().saturating_sub(MAX_PENDING_HISTORY);
        self.log.drain(..over);
        let over = self.reported.len().saturating_sub(MAX_PENDING_HISTORY);
        self.reported.drain(..over);
    }

    /// Adds what a farm's engine said.
    pub(crate) fn add_events(&mut self, farm: &FarmId, events: &[Event]) {
        for e in events {
            match stored_body(e) {
                Ok(body) => self.events.push(EventRow {
                    farm: farm.clone(),
                    at: e.at,
                    name: e.kind.name(),
                    body,
                }),
                Err(error) => tracing::error!(%farm, %error, "an event cannot be stored"),
            }
        }
    }

    /// Adds entries of a farm's log.
    pub(crate) fn add_log(&mut self, farm: &FarmId, entries: Vec<NewLogEntry>, recovered: bool) {
        self.log.extend(entries.into_iter().map(|entry| LogRow {
            farm: farm.clone(),
            entry,
            recovered,
        }));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::rollup::Bucket;

    #[test]
    fn what_waits_for_the_history_is_bounded() {
        let row = RollupRow {
            farm: "f".into(),
            sensor: "s".into(),
            bucket: Bucket::default(),
        };
        let mut pending = Pending {
            rollups: vec![row; MAX_PENDING_HISTORY + 3],
            ..Pending::default()
        };
        pending.bound();
        assert_eq!(pending.rollups.len(), MAX_PENDING_HISTORY);
    }
}
