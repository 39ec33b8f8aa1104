//! The whole state of an engine as bytes, and back.
//!
//! A snapshot is one header line, `harit-snapshot 1 CRC32 LENGTH`, and a JSON body: the farm's documents, and beside them
//! what has happened to each thing. Whatever follows from the documents (signals, comparisons, deadlines) is built anew. JSON,
//! because a snapshot must still be readable by the next version, and by a person who wants to know what was lost.

mod devices;
mod parts;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::almanac::Almanac;
use crate::document::FarmDocument;
use crate::engine::Engine;
use crate::id::{AlertId, DeviceId, RuleId, SensorId};
use crate::problem::Problems;
use crate::program::Program;
use crate::sensor::Counters;
use crate::state::State;
use crate::time::Timestamp;
use crate::timer::Timers;
use crate::truth::Truth;
use devices::DevicePart;
use parts::{AlertPart, PhasePart, RulePart, SensorPart};

const MAGIC: &str = "harit-snapshot";
/// The version of the body. A body of another version is refused.
const VERSION: u32 = 1;

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// It does not begin like one.
    #[error("not a snapshot: it does not begin with a `{MAGIC}` line")]
    NotASnapshot,
    /// It was written by another version.
    #[error("snapshot version {0} is not {VERSION}")]
    Version(u32),
    /// It is damaged.
    #[error("the snapshot is damaged: {0}")]
    Damaged(&'static str),
    /// Its body is not what this version writes.
    #[error("the snapshot's body cannot be read")]
    Body(#[source] serde_json::Error),
    /// Its documents do not fit together.
    #[error("the snapshot's documents do not fit together")]
    Documents(#[source] Problems),
}

#[derive(Serialize, Deserialize)]
struct Body {
    document: FarmDocument,
    clock: Option<Timestamp>,
    commands: u64,
    counters: Counters,
    registry_version: u64,
    sensors: BTreeMap<SensorId, SensorPart>,
    rules: BTreeMap<RuleId, RulePart>,
    devices: BTreeMap<DeviceId, DevicePart>,
    alerts: BTreeMap<AlertId, AlertPart>,
    remembered: BTreeMap<AlertId, Timestamp>,
    /// Snapshots of earlier builds do not have it.
    #[serde(default)]
    withdrawn: BTreeMap<RuleId, Timestamp>,
    #[serde(default)]
    almanac: Almanac,
}

impl Engine {
    /// The whole state: an engine restored from it behaves as this one from here on.
    #[must_use]
    #[allow(
        clippy::expect_used,
        reason = "the body has only string keys and finite numbers, so it always serialises"
    )]
    pub fn snapshot(&self) -> Vec<u8> {
        let body = serde_json::to_vec(&self.state.body()).expect("a snapshot body serialises");
        let mut bytes = format!(
            "{MAGIC} {VERSION} {:08x} {}\n",
            crc32fast::hash(&body),
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(&body);
        bytes
    }

    /// The engine of which this is a snapshot.
    ///
    /// # Errors
    /// The bytes are no snapshot, of another version, or damaged.
    pub fn restore(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let body = open(bytes)?;
        let body: Body = serde_json::from_slice(body).map_err(SnapshotError::Body)?;
        let state = State::from_body(body).map_err(SnapshotError::Documents)?;
        let mut engine = Self {
            // Nothing has changed for those that were looked at already.
            dirty: state.owners_of_trees(),
            state,
            timers: Timers::default(),
            acting: Vec::new(),
            alerts: Vec::new(),
            programs: Vec::new(),
            curves: Vec::new(),
            actions: Vec::new(),
            devices_in_round: Vec::new(),
            resumes: false,
        };
        engine.state.follow_all_limits();
        engine.look_at_only_ifs();
        engine.watch_everything();
        Ok(engine)
    }
}

/// Checks the header and returns the body.
fn open(bytes: &[u8]) -> Result<&[u8], SnapshotError> {
    let end = bytes
        .iter()
        .take(128)
        .position(|b| *b == b'\n')
        .ok_or(SnapshotError::NotASnapshot)?;
    let (header, body) = (
        std::str::from_utf8(&bytes[..end]).map_err(|_| SnapshotError::NotASnapshot)?,
        &bytes[end + 1..],
    );
    let mut words = header.split(' ');
    if words.next() != Some(MAGIC) {
        return Err(SnapshotError::NotASnapshot);
    }
    let version = words
        .next()
        .and_then(|w| w.parse().ok())
        .ok_or(SnapshotError::Damaged("the header has no version"))?;
    if version != VERSION {
        return Err(SnapshotError::Version(version));
    }
    let crc = words
        .next()
        .and_then(|w| u32::from_str_radix(w, 16).ok())
        .ok_or(SnapshotError::Damaged("the header has no checksum"))?;
    let length: usize = words
        .next()
        .and_then(|w| w.parse().ok())
        .ok_or(SnapshotError::Damaged("the header has no length"))?;
    if body.len() != length {
        return Err(SnapshotError::Damaged(
            "its length is not that of its header",
        ));
    }
    if crc32fast::hash(body) != crc {
        return Err(SnapshotError::Damaged("its checksum does not match"));
    }
    Ok(body)
}

impl State {
    fn body(&self) -> Body {
        let sensors = self.sensors.iter().map(|(ix, s)| {
            let r = &self.readings[ix as usize];
            let part = SensorPart {
                value: r.value,
                read_at: r.read_at,
                newest: r.newest,
                fresh: r.fresh,
                faults: r.faults,
            };
            (s.document.id().into(), part)
        });
        let rules = self.rules.iter().map(|(ix, r)| {
            let program = self.programs.get(ix);
            let trees = || program.into_iter().flat_map(Program::trees);
            let without: Vec<Truth> = trees().map(|tree| tree.without).collect();
            let handled = program.and_then(Program::schedule).map(|s| s.handled);
            (
                r.id(),
                RulePart {
                    branches: trees().map(|tree| tree.standing().to_vec()).collect(),
                    without: Some(without)
                        .filter(|all| all.iter().any(|t| *t != Truth::Unknown))
                        .unwrap_or_default(),
                    handled,
                    phase: match PhasePart::of(r, self.seen()) {
                        PhasePart::Pending { .. } if planted!(SnapshotForgetsHold) => {
                            PhasePart::Idle
                        }
                        phase => phase,
                    },
                    delayed: r.delayed(&self.words),
                },
            )
        });
        let alerts = self.alerts.iter().map(|(ix, a)| {
            let part = AlertPart {
                active: a.active,
                raised_since: a.raised_since,
                unknown_since: a.unknown_since,
                memory: (self.remembers(ix)).then(|| self.remembered_ids(self.memory.of(ix))),
                hold: a.hold,
                last_notified: a.last_notified,
                next_notification: a.next_notification,
                told_no_data: a.told_no_data,
                only_if: { self.only_if(ix) }.map(|tree| (tree.standing().to_vec(), tree.without)),
                interrupted: self.only_if(ix).map_or(0, |tree| tree.interrupted),
            };
            (a.spec.id.clone(), part)
        });
        Body {
            document: self.document(),
            clock: self.clock,
            commands: self.commands,
            counters: self.counters,
            registry_version: self.registry_version,
            sensors: sensors.collect(),
            rules: rules.collect(),
            devices: self.device_parts(),
            alerts: alerts.collect(),
            remembered: self.remembered.clone(),
            withdrawn: self.withdrawn.clone(),
            almanac: self.almanac.clone(),
        }
    }

    fn from_body(body: Body) -> Result<Self, Problems> {
        let mut state = Self::from_document(&body.document)?;
        state.clock = body.clock;
        state.commands = body.commands;
        state.counters = body.counters;
        state.registry_version = body.registry_version;
        state.remembered = body.remembered;
        state.withdrawn = body.withdrawn;
        state.almanac = body.almanac;
        for (id, part) in body.sensors {
            if let Some(r) = state
                .sensors
                .index(id.as_str())
                .map(|ix| &mut state.readings[ix as usize])
            {
                (r.value, r.read_at, r.newest, r.fresh, r.faults) = (
                    part.value,
                    part.read_at,
                    part.newest,
                    part.fresh,
                    part.faults,
                );
            }
        }
        state.recount_signals();
        for (id, part) in body.rules {
            if let Some(rule) = state
                .rules
                .index(id.as_str())
                .and_then(|ix| state.rules.get_mut(ix))
            {
                rule.phase = part.phase.phase();
                rule.leave_delayed(part.delayed.len(), &state.words);
            }
            let ix = state.rules.index(id.as_str());
            if let Some(program) = ix.and_then(|ix| state.programs.get_mut(ix)) {
                let mut without = part.without.into_iter();
                for (tree, held) in program.trees_mut().zip(&part.branches) {
                    tree.take_up(held, without.next().unwrap_or(Truth::Unknown));
                }
                if let Some((schedule, handled)) = program.schedule_mut().zip(part.handled) {
                    schedule.handled = handled;
                }
            }
        }
        for ix in state.programs.rules() {
            state.look_ahead(ix);
        }
        for (id, part) in body.alerts {
            let ix = state.alerts.index(id.as_str());
            if let Some((ix, (held, without))) = ix.zip(part.only_if) {
                state.restore_only_if(ix, (&held, without), part.interrupted);
            }
            if let Some((ix, sensors)) = ix.zip(part.memory) {
                state.recall(ix, &sensors);
            }
            if let Some(alert) = ix.and_then(|ix| state.alerts.get_mut(ix)) {
                (alert.active, alert.hold, alert.told_no_data) =
                    (part.active, part.hold, part.told_no_data);
                (alert.raised_since, alert.unknown_since) = (part.raised_since, part.unknown_since);
                (alert.last_notified, alert.next_notification) =
                    (part.last_notified, part.next_notification);
            }
        }
        for (id, part) in body.devices {
            state.restore_device(&id, part);
        }
        Ok(state)
    }
}
