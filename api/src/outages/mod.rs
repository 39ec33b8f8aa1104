//! The ledger of outages: when the server was off, controllers could not be reached and phases had no power, and what came of it.
//! All of it is read from the log and the history; nothing is stored for it, and nothing is guessed: what the log does not tell
//! is not in it.

mod consequences;
mod power;

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::Timestamp;
use harit_ingest::log::{LogEntry, LogFilter, LogKind, LogType, Named};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::FarmAccess;
use crate::error::ApiError;
use crate::log::is_of_controller;

pub(crate) use consequences::{ConsequenceKind, consequences};
pub(crate) use power::power;

/// Controllers that are lost within this time are lost together: that is how far apart their keep-alives end.
const TOGETHER_MS: i64 = 120_000;
/// Entries of the log that are read at once.
pub(super) const PAGE: usize = 200;
/// So many pages of comings and goings are read at most, the latest first.
const MAX_PAGES: u64 = 50;

/// What could not be reached or did not work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = OutageKind)]
pub(crate) enum OutageKind {
    /// The server was off: nothing was decided.
    Server,
    /// A controller could not be reached.
    Controller,
    /// A phase sensor said that there is no power.
    Power,
}

/// A time in which something did not work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outage {
    pub(crate) kind: OutageKind,
    /// The controller, or the phase sensor.
    pub(crate) of: Option<Named>,
    pub(crate) from: i64,
    /// None while it goes on.
    pub(crate) until: Option<i64>,
    /// The names of the controller's devices then.
    pub(crate) devices: Vec<String>,
    /// How many other controllers were lost at about the same time.
    pub(crate) with: usize,
    /// The rules whose holds went on over an outage of the server.
    pub(crate) held_on: Vec<String>,
    /// Those whose holds did not.
    pub(crate) holds_lost: Vec<String>,
}

impl Outage {
    fn new(kind: OutageKind, of: Option<Named>, from: i64, until: Option<i64>) -> Self {
        Self {
            kind,
            of,
            from,
            until,
            devices: Vec::new(),
            with: 0,
            held_on: Vec::new(),
            holds_lost: Vec::new(),
        }
    }

    /// For how many seconds of a span it lasted.
    pub(crate) fn seconds_within(&self, (from, to): (i64, i64)) -> i64 {
        let until = self.until.unwrap_or(to).min(to);
        (until - self.from.max(from)).max(0) / 1_000
    }
}

/// The comings and goings of a span, oldest first, each controller's led by its last one before; and whether earlier ones of the
/// span were left out.
pub(crate) async fn comings<N>(
    access: &FarmAccess<N>,
    (from, to): (i64, i64),
) -> Result<(Vec<LogEntry>, bool), ApiError> {
    let mut entries = Vec::new();
    let mut cut = true;
    for page in 0..MAX_PAGES {
        let filter = LogFilter {
            log_type: Some(LogType::DeviceOffline),
            from: Some(Timestamp::from_millis(from)),
            to: Some(Timestamp::from_millis(to)),
            skip: page * PAGE as u64,
            take: PAGE,
            ..LogFilter::default()
        };
        let found = access.log(filter).await?.entries;
        cut = found.len() == PAGE;
        entries.extend(found);
        if !cut {
            break;
        }
    }
    let registered = access.records().controllers().into_iter();
    let mut macs: BTreeSet<String> = registered.map(|c| c.mac.to_string()).collect();
    let seen = entries.iter().filter(|e| is_of_controller(e.body.kind));
    macs.extend(seen.filter_map(|e| Some(e.body.device.as_ref()?.id.clone())));
    for mac in macs {
        let filter = LogFilter {
            log_type: Some(LogType::DeviceOffline),
            device: Some(mac),
            to: Some(Timestamp::from_millis(from - 1)),
            take: 1,
            ..LogFilter::default()
        };
        entries.extend(access.log(filter).await?.entries);
    }
    entries.sort_by_key(|e| (e.at, e.id));
    // what came while the pages were read moved the others
    entries.dedup_by_key(|e| e.id);
    Ok((entries, cut))
}

/// The outages of the server and of controllers that the comings and goings tell, which are oldest first, as far as they reach
/// into the span.
pub(crate) fn outages(entries: &[LogEntry], (from, to): (i64, i64)) -> Vec<Outage> {
    let mut all = Vec::new();
    let mut lost: BTreeMap<String, Outage> = BTreeMap::new();
    for entry in entries {
        let (at, facts) = (entry.at.as_millis(), &entry.body.facts);
        let names = |fact: &str| -> Vec<String> {
            let names = facts.get(fact).and_then(|names| names.as_array());
            let name = |n: &serde_json::Value| {
                let name = n.as_str().or_else(|| n.get("name")?.as_str());
                name.map(str::to_owned)
            };
            names.into_iter().flatten().filter_map(name).collect()
        };
        match (entry.body.kind, &entry.body.device) {
            (LogKind::Resumed, _) => {
                if let Some(since) = facts.get("since").and_then(serde_json::Value::as_i64) {
                    let mut outage = Outage::new(OutageKind::Server, None, since, Some(at));
                    outage.held_on = names("heldOn");
                    outage.holds_lost = names("holdsLost");
                    all.push(outage);
                }
            }
            (LogKind::ControllerOffline, Some(controller)) => {
                lost.entry(controller.id.clone()).or_insert_with(|| {
                    let kind = OutageKind::Controller;
                    let mut outage = Outage::new(kind, Some(controller.clone()), at, None);
                    outage.devices = names("devices");
                    outage
                });
            }
            (LogKind::ControllerOnline, Some(controller)) => {
                if let Some(mut outage) = lost.remove(&controller.id) {
                    outage.until = Some(at);
                    all.push(outage);
                }
            }
            _ => {}
        }
    }
    all.extend(lost.into_values());
    let begins: Vec<i64> = { all.iter() }
        .filter(|o| o.kind == OutageKind::Controller)
        .map(|o| o.from)
        .collect();
    for outage in { all.iter_mut() }.filter(|o| o.kind == OutageKind::Controller) {
        let at = outage.from;
        let near = begins.iter().filter(|b| (*b - at).abs() <= TOGETHER_MS);
        outage.with = near.count() - 1;
    }
    all.retain(|o| o.from <= to && o.until.is_none_or(|until| until >= from));
    all
}

/// Puts the latest first.
pub(crate) fn latest_first(outages: &mut [Outage]) {
    outages.sort_by(|a, b| {
        let key = |o: &Outage| (o.from, o.kind, o.of.as_ref().map(|n| n.id.clone()));
        key(b).cmp(&key(a))
    });
}

#[cfg(test)]
mod tests {
    use harit_ingest::log::{LogBody, LogResult};
    use serde_json::json;

    use super::*;

    pub(super) fn entry(kind: LogKind, at: i64, device: Option<&str>) -> LogEntry {
        let mut body = LogBody::new(kind);
        body.device = device.map(|d| Named::new(d, d));
        LogEntry {
            id: at,
            at: Timestamp::from_millis(at),
            log_type: LogType::DeviceOffline,
            result: LogResult::Success,
            body,
            states: Vec::new(),
        }
    }

    #[test]
    fn a_controller_is_away_from_its_going_to_its_coming() {
        let minute = 60_000;
        let entries = [
            // before the span, still away in it
            entry(LogKind::ControllerOffline, 10 * minute, Some("A")),
            // came for the first time: away from nothing
            entry(LogKind::ControllerOnline, 101 * minute, Some("B")),
            entry(LogKind::ControllerOnline, 110 * minute, Some("A")),
            // lost together
            entry(LogKind::ControllerOffline, 120 * minute, Some("A")),
            // told twice
            entry(LogKind::ControllerOffline, 121 * minute, Some("A")),
            entry(LogKind::ControllerOffline, 122 * minute, Some("B")),
            entry(LogKind::ControllerOnline, 130 * minute, Some("A")),
        ];
        let span = (100 * minute, 140 * minute);
        let mut all = outages(&entries, span);
        latest_first(&mut all);
        let told: Vec<_> = (all.iter())
            .map(|o| {
                let name = o.of.as_ref().unwrap().name.clone();
                let until = o.until.map(|u| u / minute);
                (name, o.from / minute, until, o.with)
            })
            .collect();
        assert_eq!(
            told,
            [
                ("B".to_owned(), 122, None, 1),
                ("A".to_owned(), 120, Some(130), 1),
                ("A".to_owned(), 10, Some(110), 0),
            ]
        );
        let seconds: Vec<i64> = all.iter().map(|o| o.seconds_within(span) / 60).collect();
        assert_eq!(seconds, [18, 10, 10]);
    }

    #[test]
    fn the_server_was_off_since_the_farms_last_record() {
        let mut resumed = entry(LogKind::Resumed, 9_000, None);
        let facts = json!({"since": 4_000, "heldOn": [{"id": "r", "name": "Cool"}]});
        resumed.body.facts = facts.as_object().unwrap().clone();
        let all = outages(&[resumed], (0, 10_000));
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].from, all[0].until), (4_000, Some(9_000)));
        assert_eq!(
            (&*all[0].held_on, all[0].holds_lost.len()),
            (&["Cool".to_owned()][..], 0)
        );
    }
}
