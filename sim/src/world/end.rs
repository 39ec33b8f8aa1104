//! What is checked when a run is over: traces, journal, history, state, and whether everything converged.

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::{DeviceStatus, FarmId, Setting, Timestamp};
use harit_ingest::simulation::{Entry, Folded, Server, entries, fold, fold_whole};
use serde_json::Value;

use super::World;
use crate::oracle;
use crate::time::START_MS;
use crate::unit::{Unit, key};

/// A journal's entries.
pub(super) type Journal = [(u64, Timestamp, Entry)];

/// How old a reading may be and drive rules, as protocol.md says.
const MAX_AGE_MS: i64 = 300_000;
/// How far ahead of its arrival a reading may be.
const MAX_AHEAD_MS: i64 = 30_000;
/// A device that was commanded so lately may still be on its way there.
const ON_ITS_WAY_MS: i64 = 20_000;

impl World {
    /// **L1**: when nothing goes wrong any more, every device does what it is meant to do, and the server knows it.
    pub fn converged(&mut self) -> Vec<String> {
        let now = self.now_ms();
        let Some(server) = &self.server else {
            return vec!["the server is not there".to_owned()];
        };
        let mut wrong = Vec::new();
        for (n, farm) in self.farms.iter().enumerate() {
            let Some(engine) = server.engine(&farm.plan.id) else {
                wrong.push(format!("{} is not there", farm.plan.id));
                continue;
            };
            for status in engine.devices() {
                let id = status.spec.id.as_str();
                let unit = self
                    .units
                    .iter()
                    .find(|u| u.farm == n && u.plan.spec.devices.iter().any(|d| d.id == id));
                if let Some(unit) = unit
                    && now - self.checks.last_command(&farm.plan.id, &status.spec.id)
                        > ON_ITS_WAY_MS
                {
                    let by_hand = self.checks.by_hand(&farm.plan.id, &status.spec.id);
                    let limits = engine.limits_at(id, server.now());
                    wrong.extend(device_converged(
                        server,
                        &farm.plan.id,
                        unit,
                        &status,
                        by_hand,
                        limits.is_some_and(|l| l.held.is_some()),
                    ));
                }
            }
        }
        wrong
    }

    /// How many leases have run out at the controllers, since each was switched on.
    #[must_use]
    pub fn leases_ended(&self) -> u64 {
        let all = self.units.iter().map(|u| u.controller.counters());
        all.map(|counters| counters.leases_ended).sum()
    }

    /// Everything that can only be told at the end.
    pub fn end(&mut self) {
        let (now, at_ms) = (self.now_ms(), self.now_ms() - START_MS);
        for unit in &mut self.units {
            unit.copy_traces();
        }
        if !self.clock_stepped {
            for unit in &self.units {
                let farm = &self.farms[unit.farm].plan.id;
                for (device, trace) in &unit.traces {
                    self.checks.trace(farm, device, trace, START_MS, now);
                }
            }
        }
        let Some(server) = &mut self.server else {
            return;
        };
        server.file();
        let state = server.state();
        let storage = self.config.storage.clone();
        let mut wrong: Vec<(&'static str, String)> = Vec::new();
        let with_snapshots = fold(&storage);
        match (&with_snapshots, state) {
            (Ok(folded), Ok(state)) if *folded == state => {}
            (Ok(folded), Ok(state)) => wrong.push((
                "I3 state",
                format!(
                    "the journal folds to another state: {}",
                    first_difference(folded, &state)
                ),
            )),
            (Err(e), _) => wrong.push(("I3 state", e.to_string())),
            (_, Err(e)) => wrong.push(("I3 state", e.to_string())),
        }
        match (fold_whole(&storage), entries(&storage)) {
            (Ok(whole), Ok(journal)) => {
                if let Ok(with) = &with_snapshots
                    && *with != whole.state
                {
                    wrong.push((
                        "I1 fold",
                        format!(
                            "with snapshots and without differ: {}",
                            first_difference(&whole.state, with)
                        ),
                    ));
                }
                wrong.extend(self.journal_says(&journal));
                wrong.extend(self.history_says(&whole));
                self.told = Some((journal.into(), whole));
            }
            (Err(e), _) | (_, Err(e)) => wrong.push(("I1 fold", e.to_string())),
        }
        for (checker, what) in wrong {
            self.checks.blame(checker, at_ms, what);
        }
    }

    /// **D1, I4, I21**: what was acknowledged is there, what was repeated is there once, and what is old drives nothing.
    fn journal_says(&self, journal: &Journal) -> Vec<(&'static str, String)> {
        let mut wrong = Vec::new();
        let mut taken: BTreeMap<String, u64> = BTreeMap::new();
        for (_, batch_at, entry) in journal {
            let Entry::Readings {
                at,
                backlog,
                values,
                ..
            } = entry
            else {
                continue;
            };
            let said = key(values.iter().map(|(s, v)| (s.as_str(), *v)));
            *taken.entry(said).or_default() += 1;
            let age = batch_at.as_millis() - at.as_millis();
            if !backlog && !(-MAX_AHEAD_MS..=MAX_AGE_MS).contains(&age) {
                wrong.push(("I21", format!("a reading {age} ms old drives rules")));
            }
            if *backlog && age <= MAX_AGE_MS {
                wrong.push(("I21", format!("a reading {age} ms old drives nothing")));
            }
        }
        // Messages that are equal byte for byte, number included, are one and its repetitions.
        let mut safe: BTreeMap<&str, BTreeSet<(usize, &[u8])>> = BTreeMap::new();
        for (unit, letter) in &self.acknowledged {
            if let Some(said) = &letter.said {
                safe.entry(&said.key)
                    .or_default()
                    .insert((*unit, &letter.payload));
            }
        }
        for (key, letters) in &safe {
            let there = taken.get(*key).copied().unwrap_or(0);
            if there < letters.len() as u64 {
                wrong.push((
                    "D1",
                    format!(
                        "{} messages {key} were acknowledged, {there} are in the journal",
                        letters.len()
                    ),
                ));
            }
        }
        for (key, there) in &taken {
            let delivered = self.deliveries.get(key).copied().unwrap_or(0);
            if *there > delivered {
                wrong.push((
                    "I4",
                    format!(
                        "{key} was delivered {delivered} times, and is in the journal {there} times"
                    ),
                ));
            }
        }
        wrong.truncate(3);
        wrong
    }

    /// **I5, I24, oracle**: every command that went out has its cause in the journal; the history has everything once; and
    /// what was decided is what the naive model decides on the same log.
    fn history_says(&self, whole: &Folded) -> Vec<(&'static str, String)> {
        let filed = self.config.archive.filed();
        let folded = &whole.events;
        let mut wrong = Vec::new();
        for farm in &self.farms {
            let of = |all| bodies(all, &farm.plan.id);
            let (history, folded) = (of(&filed.events), of(folded));
            if history != folded {
                let n = history
                    .iter()
                    .zip(&folded)
                    .take_while(|(a, b)| a == b)
                    .count();
                wrong.push((
                    "I24 history",
                    format!(
                        "the history has {} events, the journal folds to {}; from {n} on {:?} and {:?}",
                        history.len(),
                        folded.len(),
                        history.get(n),
                        folded.get(n)
                    ),
                ));
            }
        }
        let commands: BTreeMap<String, String> = folded
            .iter()
            .filter(|(.., body)| body.contains(r#""event":"command""#))
            .filter_map(|(.., body)| {
                let event: Value = serde_json::from_str(body).ok()?;
                Some((
                    event["command_id"].as_str()?.to_owned(),
                    event["device"].as_str()?.to_owned(),
                ))
            })
            .collect();
        for (id, device) in self.checks.published_ids() {
            match commands.get(id) {
                Some(of) if of == device => {}
                other => wrong.push((
                    "I5",
                    format!("{id} went out to {device}; the journal has it for {other:?}"),
                )),
            }
        }
        for life in &filed.lives {
            if !commands.contains_key(&life.command_id) {
                wrong.push((
                    "I24",
                    format!("{} has a life and no cause", life.command_id),
                ));
            }
        }
        wrong.truncate(3);
        wrong
    }

    /// **Oracle** (I2, I6, I7, I8, I11, I14): what the server decided is what the naive model decides on the same log.
    pub fn oracle(&mut self) {
        let at_ms = self.now_ms() - START_MS;
        let Some((journal, whole)) = &self.told else {
            return;
        };
        let inputs = match oracle::inputs(journal) {
            Ok(inputs) => inputs,
            Err(what) => return self.checks.blame("oracle", at_ms, what),
        };
        for (farm, (document, inputs)) in &inputs {
            let said: Vec<Value> = whole
                .events
                .iter()
                .filter(|(f, ..)| f == farm)
                .filter_map(|(.., body)| serde_json::from_str(body).ok())
                .collect();
            if let Err(what) = oracle::compare(document, inputs, &said) {
                self.checks
                    .blame("oracle", at_ms, format!("{farm}: {what}"));
            }
        }
    }

    /// **I23**: the size of the state.
    pub fn measure(&mut self) {
        let when = self.when();
        if let Some(server) = &self.server
            && let Ok(state) = server.state()
        {
            self.checks.size(when, state.len());
        }
    }

    /// Everything that this run was, in a few words: two runs of a seed must agree on it.
    #[must_use]
    pub fn digest(&self) -> String {
        let filed = self.config.archive.filed();
        let mut text = format!("{:?}\n", self.totals);
        for (farm, at, body) in &filed.events {
            text += &format!("{farm} {} {body}\n", at.as_millis());
        }
        for unit in &self.units {
            text += &format!("{} {:?}\n", unit.plan.mac, unit.traces);
        }
        text
    }

    /// The events of one farm in the history.
    #[must_use]
    pub fn events_of_farm(&self, farm: &str) -> Vec<String> {
        let filed = self.config.archive.filed();
        filed
            .events
            .iter()
            .filter(|(f, ..)| f.as_str() == farm)
            .map(|(.., body)| body.clone())
            .collect()
    }
}

/// The bodies of a farm's events.
fn bodies<'a>(all: &'a [(FarmId, Timestamp, String)], farm: &FarmId) -> Vec<&'a str> {
    let of_it = all.iter().filter(|(f, ..)| f == farm);
    of_it.map(|(.., body)| body.as_str()).collect()
}

/// Where two states differ, in a few words.
pub(crate) fn first_difference(a: &[u8], b: &[u8]) -> String {
    // The header has a checksum, which differs whatever differs.
    let header = 80.min(a.len()).min(b.len());
    let same = a[header..].iter().zip(&b[header..]);
    let n = header + same.take_while(|(a, b)| a == b).count();
    let around = |s: &[u8]| {
        let (from, to) = (n.saturating_sub(60).min(s.len()), (n + 80).min(s.len()));
        String::from_utf8_lossy(&s[from..to]).into_owned()
    };
    format!("{:?} and {:?}", around(a), around(b))
}

/// Whether a device does what it is meant to do.
fn device_converged(
    server: &Server,
    farm: &FarmId,
    unit: &Unit,
    status: &DeviceStatus,
    by_hand: bool,
    is_held: bool,
) -> Option<String> {
    let id = status.spec.id.as_str();
    let level = unit.level(id);
    if !status.online {
        return Some(format!(
            "{id} counts as offline, and its controller has {:?}, the server {:?}, lost {:?}, waiting {}",
            unit.conn,
            unit.server_conn,
            unit.broken,
            unit.outbox.len()
        ));
    }
    let meant = match (status.locks.first(), &status.manual) {
        // A lock's safe setting is sent once, and a new reason for it sends nothing; what a person did under it (switch off)
        // is the last word.
        (Some(_), _) => status.last_sent,
        (None, Some(manual)) => manual.setting,
        (None, None) if status.safety => status.last_sent,
        // A pulse ends in off, a little later than it was sent to.
        (None, None) if status.last_sent.is_none() => status
            .pulse_until
            .filter(|until| {
                *until + harit_engine::Duration::from_millis(ON_ITS_WAY_MS) <= server.now()
            })
            .map(|_| Setting::Off),
        // Its limits hold back what rules or rest want; the model says whether rightly.
        (None, None) if is_held => status.last_sent,
        (None, None) => Some(status.desired),
    };
    let meant = meant?;
    if status.locks.is_empty() && status.last_sent.is_some_and(|sent| sent != meant) {
        return Some(format!(
            "{id} is meant to be {meant:?}, and {:?} was sent",
            status.last_sent
        ));
    }
    // Switched at its machine, and told again while nothing arrived there, or too often: the server knows when it is next.
    let known = server.remedied_at(farm, &status.spec.id);
    if by_hand && known.is_some_and(|at| at > server.now()) {
        return None;
    }
    if (level > 0.0) != meant.is_on() {
        return Some(format!(
            "{id} is meant to be {meant:?}, and its machine runs at {level}; {:?}",
            server
                .controllers(farm)
                .into_iter()
                .flat_map(|c| c.devices)
                .find(|d| d.id == status.spec.id)
        ));
    }
    let reported = server
        .controllers(farm)
        .into_iter()
        .flat_map(|c| c.devices)
        .find(|d| d.id == status.spec.id)
        .and_then(|d| d.reported);
    if reported.is_none_or(|r| r.on != meant.is_on()) {
        return Some(format!(
            "{id} is meant to be {meant:?}, and reported {reported:?}"
        ));
    }
    None
}
