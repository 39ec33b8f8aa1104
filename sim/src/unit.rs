//! A controller in the simulation: the one of `harit-simulate`, its MQTT session, and the record of what its machines did.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use harit_engine::{FarmId, Measured};
use harit_ingest::mqtt::{Batch, Principal, Publish};
use harit_protocol::Mac;
use harit_simulate::FaultBoard;
use harit_simulate::controller::{Controller, Now, Outgoing};

use crate::field::Field;
use crate::log::topic;
use crate::plan::ControllerPlan;

/// The most publishes that wait at a controller; past it the oldest telemetry goes.
const MAX_OUTBOX: usize = 1_000;
/// How many publishes are under way at a time.
pub const WINDOW: usize = 16;

/// What a telemetry message says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// In a form that the journal has too.
    pub key: String,
    /// Its values.
    pub values: Vec<(String, Measured)>,
}

impl Said {
    fn read(payload: &[u8]) -> Self {
        let Ok(message) = serde_json::from_slice::<serde_json::Value>(payload) else {
            return Self::default();
        };
        let values: Vec<_> = (message["sensors"].as_array().into_iter().flatten())
            .filter_map(|e| {
                let value = Measured::parse(&e["latestValue"].to_string());
                Some((e["id"].as_str()?.to_owned(), value))
            })
            .collect();
        Self {
            key: key(values.iter().map(|(s, v)| (s.as_str(), *v))),
            values,
        }
    }
}

/// Values in a form that tells one message from another.
pub fn key<'a>(values: impl Iterator<Item = (&'a str, Measured)>) -> String {
    let mut key = String::new();
    for (sensor, value) in values {
        // Writing to a text does not fail.
        let _ = match value {
            Measured::Value(d) => write!(key, "{sensor}={} ", d.rounded().as_micro()),
            _ => write!(key, "{sensor}=null "),
        };
    }
    key
}

/// A publish that the controller has not got rid of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Its number at this controller, for ever.
    pub id: u64,
    /// The last level of its topic.
    pub kind: &'static str,
    /// Its payload.
    pub payload: Bytes,
    /// What it says, if it is telemetry.
    pub said: Option<Arc<Said>>,
    /// When it was written, in true time.
    pub written_ms: i64,
    /// When it was last put on its way.
    pub sent_ms: i64,
}

impl Letter {
    /// As a controller of a farm publishes it.
    #[must_use]
    pub fn batch(&self, farm: FarmId, mac: Mac) -> Batch {
        let publish = Publish {
            topic: topic(&farm, mac, self.kind).into(),
            payload: self.payload.clone(),
            retain: false,
            oversized: None,
        };
        Batch {
            from: Some(Principal::Controller { farm, mac }),
            publishes: vec![publish],
        }
    }
}

/// A controller with its session.
pub struct Unit {
    /// Which farm's.
    pub farm: usize,
    /// As it is built.
    pub plan: ControllerPlan,
    /// The box itself.
    pub controller: Controller,
    /// Its faults.
    pub board: FaultBoard,
    /// When it was switched on.
    pub booted_ms: i64,
    /// The connection that it believes to have.
    pub conn: Option<u64>,
    /// Since when it has its connection.
    pub conn_since: i64,
    /// Since when the server has not had a connection of it.
    pub gone_since: i64,
    /// The connection that the server believes to have.
    pub server_conn: Option<u64>,
    /// Until when nothing passes.
    pub cut_off_until: i64,
    /// What it has not got rid of, oldest first.
    pub outbox: VecDeque<Letter>,
    /// Up to which letter it has sent on the present connection.
    pub sent_upto: u64,
    /// How many letters are under way on it.
    pub in_flight: usize,
    /// How many letters it ever wrote.
    pub letters: u64,
    /// When the last publish on each topic arrives.
    pub last_up: BTreeMap<&'static str, i64>,
    /// When the last message to it arrives.
    pub last_down: i64,
    /// The connection on which something got lost: nothing passes on it any more.
    pub broken: Option<u64>,
    /// For which commands it wrote an ack.
    pub answered: BTreeSet<String>,
    /// How far ahead the timestamps of its next telemetry are.
    pub ahead_once_ms: i64,
    /// Levels of its machines over time, in true time.
    pub traces: BTreeMap<String, Vec<(i64, f64)>>,
    /// How many changes of the present trace are copied.
    copied: BTreeMap<String, u64>,
    /// When it is next looked after.
    pub tick_at: Option<i64>,
}

impl Unit {
    /// A controller that is switched on now.
    #[must_use]
    pub fn new(farm: usize, plan: ControllerPlan, now_ms: i64) -> Self {
        Self {
            farm,
            controller: Controller::new(plan.spec.clone()),
            plan,
            board: FaultBoard::default(),
            booted_ms: now_ms,
            conn: None,
            conn_since: now_ms,
            gone_since: now_ms,
            server_conn: None,
            cut_off_until: 0,
            outbox: VecDeque::new(),
            sent_upto: 0,
            in_flight: 0,
            letters: 0,
            last_up: BTreeMap::new(),
            last_down: 0,
            broken: None,
            answered: BTreeSet::new(),
            ahead_once_ms: 0,
            traces: BTreeMap::new(),
            copied: BTreeMap::new(),
            tick_at: None,
        }
    }

    /// Its own idea of an instant.
    #[must_use]
    pub fn now(&self, now_ms: i64) -> Now {
        Now {
            since_start: self.since(now_ms),
            wall_ms: now_ms + self.plan.skew_ms,
        }
    }

    fn since(&self, now_ms: i64) -> Duration {
        Duration::from_millis((now_ms - self.booted_ms).max(0).unsigned_abs())
    }

    /// When it has something to do by itself.
    #[must_use]
    pub fn next_deadline(&self) -> Option<i64> {
        let at = self.controller.next_deadline()?;
        // Rounded up: a deadline between two milliseconds is over at the second.
        let ms = i64::try_from(at.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX);
        Some(self.booted_ms.saturating_add(ms))
    }

    /// Power off and on: what it did is over, its machines are off, its memory of commands is empty.
    pub fn reboot(&mut self, now_ms: i64) {
        self.copy_traces();
        for trace in self.traces.values_mut() {
            if trace.last().is_some_and(|(_, level)| *level > 0.0) {
                trace.push((now_ms, 0.0));
            }
        }
        self.controller = Controller::new(self.plan.spec.clone());
        self.booted_ms = now_ms;
        self.conn = None;
        self.copied.clear();
        self.board = FaultBoard::default();
        if !self.plan.keeps_outbox {
            self.outbox.clear();
        }
    }

    /// Copies what its machines did since the last time.
    pub fn copy_traces(&mut self) {
        for device in &self.plan.spec.devices {
            let Some(trace) = self.controller.trace(&device.id) else {
                continue;
            };
            let copied = self.copied.entry(device.id.clone()).or_default();
            let skip = copied.saturating_sub(trace.dropped());
            let all = self.traces.entry(device.id.clone()).or_default();
            let fresh = trace
                .changes()
                .skip(usize::try_from(skip).unwrap_or(usize::MAX));
            for (at, level) in fresh {
                let ms = i64::try_from(at.as_millis()).unwrap_or(i64::MAX);
                all.push((self.booted_ms.saturating_add(ms), level));
                *copied += 1;
            }
        }
    }

    /// What a device's machine does now.
    #[must_use]
    pub fn level(&self, device: &str) -> f64 {
        self.controller
            .trace(device)
            .and_then(|t| t.changes().last())
            .map_or(0.0, |(_, level)| level)
    }

    /// How much of all its machines is on, 0 to 1.
    #[must_use]
    pub fn on(&self) -> f64 {
        let mut count = 0.0_f64;
        let mut on = 0.0_f64;
        for (_, level) in self.controller.levels() {
            count += 1.0;
            on += f64::from(u8::from(level > 0.0));
        }
        on / count.max(1.0)
    }

    /// Looks after leases, pulses and reports; what it has to say goes to `out`.
    pub fn tick(&mut self, now_ms: i64, field: &mut Field, out: &mut Vec<Outgoing>) {
        let now = self.now(now_ms);
        self.controller
            .tick(now, &mut |sensor, _| field.read(sensor.sensor_type), out);
    }

    /// The message with a timestamp that is ahead, once.
    fn ahead(&mut self, payload: &[u8]) -> Vec<u8> {
        let by = std::mem::take(&mut self.ahead_once_ms);
        let Ok(mut message) = serde_json::from_slice::<serde_json::Value>(payload) else {
            return payload.to_vec();
        };
        if let Some(ts) = message["ts"].as_i64() {
            message["ts"] = serde_json::json!(ts + by);
        }
        message.to_string().into_bytes()
    }

    /// Puts what it says into the outbox.
    pub fn write(&mut self, now_ms: i64, out: Vec<Outgoing>) {
        for message in out {
            let (kind, payload) = match message {
                Outgoing::Telemetry(p) => ("telemetry", p),
                Outgoing::State(p) => ("state", p),
                Outgoing::Ack(p) => ("ack", p),
            };
            if kind == "ack"
                && let Ok(ack) = serde_json::from_slice::<serde_json::Value>(&payload)
                && let Some(id) = ack["command_id"].as_str()
            {
                self.answered.insert(id.to_owned());
            }
            let payload = if kind == "telemetry" && self.ahead_once_ms != 0 {
                self.ahead(&payload)
            } else {
                payload
            };
            self.letters += 1;
            let said = (kind == "telemetry").then(|| Arc::new(Said::read(&payload)));
            let letter = Letter {
                id: self.letters,
                kind,
                payload: payload.into(),
                said,
                written_ms: now_ms,
                sent_ms: 0,
            };
            if self.outbox.len() >= MAX_OUTBOX {
                self.outbox.pop_front();
            }
            self.outbox.push_back(letter);
        }
    }

    /// The next letter that is to be sent, if the window has room; it is under way then.
    pub fn next_letter(&mut self, now_ms: i64) -> Option<Letter> {
        if self.in_flight >= WINDOW || self.conn.is_none() {
            return None;
        }
        let from = self.outbox.partition_point(|l| l.id <= self.sent_upto);
        let letter = self.outbox.get_mut(from)?;
        letter.sent_ms = now_ms;
        self.sent_upto = letter.id;
        self.in_flight += 1;
        Some(letter.clone())
    }

    /// The transport says that a letter is safe.
    pub fn is_safe(&mut self, id: u64) {
        if let Ok(at) = self.outbox.binary_search_by_key(&id, |l| l.id) {
            self.outbox.remove(at);
        }
        self.in_flight = self.in_flight.saturating_sub(1);
    }
}
