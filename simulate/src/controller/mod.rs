//! A controller: the box that reads sensors, drives devices and speaks MQTT.
//!
//! [`Controller`] is a state machine without I/O: the instant is an argument, what is to be published is appended to a
//! list. Leases, pulses and reports run on the time since the start, which no clock change disturbs; only `ts` and
//! `expires_at` are instants of the calendar. The MQTT connection around it is in `crate::link`.

mod device;
mod trace;
mod wire;

use std::collections::VecDeque;
use std::time::Duration;

use harit_engine::SensorType;

pub use device::{DEFAULT_LEASE, DevicePart};
use device::{Device, Ended};
pub use trace::{MAX_TRACE, OnInterval, Trace};
use wire::{
    AckMessage, AckStatus, CommandMessage, Order, ReadingEntry, SensorEntry, StateMessage,
    TelemetryMessage, bytes,
};
pub use wire::{SupportedAction, supported_actions};

use crate::fault::{FaultBoard, FaultKind};
use crate::model::{Actuator, Grade, Probe};

/// Commands whose answer is remembered. They expire after 15 s, so it takes 17 a second for one to be forgotten early.
pub const REMEMBERED_COMMANDS: usize = 256;
/// The reason of a lock at a device's panel.
const PANEL_LOCK: &str = "locked at the panel";

/// What a controller was registered as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControllerKind {
    /// It serves a polyhouse.
    Polyhouse,
    /// It serves a fertigation tank.
    Fertigation,
}

impl ControllerKind {
    /// The name of the asset type.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Polyhouse => "POLYHOUSE",
            Self::Fertigation => "FERTIGATION",
        }
    }
}

/// A sensor as it is built.
#[derive(Debug, Clone, PartialEq)]
pub struct SensorPart {
    /// Its id, unique within the farm.
    pub id: String,
    /// What it measures.
    pub sensor_type: SensorType,
    /// Where it measures.
    pub probe: Probe,
    /// How well it measures.
    pub grade: Grade,
}

/// A controller as it is built.
#[derive(Debug, Clone, PartialEq)]
pub struct ControllerSpec {
    /// Its MAC: 12 upper-case hex digits, its MQTT user and its place in topics.
    pub mac: String,
    /// Its MQTT password.
    pub secret: String,
    /// What it was registered as.
    pub kind: ControllerKind,
    /// Its name for people.
    pub name: String,
    /// Its firmware's version.
    pub firmware: String,
    /// Whether it has a clock. Without one it sends no `ts` and cannot tell whether a command is too old.
    pub has_clock: bool,
    /// How often it reports.
    pub report_every: Duration,
    /// Its sensors.
    pub sensors: Vec<SensorPart>,
    /// Its devices.
    pub devices: Vec<DevicePart>,
}

/// An instant, both ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Since the start of the run; never goes back.
    pub since_start: Duration,
    /// Milliseconds since the Unix epoch, by the controller's clock.
    pub wall_ms: i64,
}

/// What a controller publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// To `telemetry`.
    Telemetry(Vec<u8>),
    /// To `state`, retained.
    State(Vec<u8>),
    /// To `ack`.
    Ack(Vec<u8>),
}

impl Outgoing {
    /// The topic below the controller's own, whether the message is retained, and its payload.
    #[must_use]
    pub fn parts(self) -> (&'static str, bool, Vec<u8>) {
        match self {
            Self::Telemetry(bytes) => ("telemetry", false, bytes),
            Self::State(bytes) => ("state", true, bytes),
            Self::Ack(bytes) => ("ack", false, bytes),
        }
    }
}

/// What a controller has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Commands done.
    pub done: u64,
    /// Commands answered by a failure.
    pub refused: u64,
    /// Deliveries of a command that was known already.
    pub repeated: u64,
    /// Commands ignored because they had expired.
    pub expired: u64,
    /// Payloads on the command topic that are no command.
    pub malformed: u64,
    /// Leases prolonged.
    pub renewed: u64,
    /// Devices switched off because their lease ran out.
    pub leases_ended: u64,
    /// Reports published.
    pub reports: u64,
}

/// What the faults at work do to one sensor.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Impaired {
    silent: bool,
    stuck: bool,
    null: bool,
    drift: Option<(Duration, f64)>,
}

struct Sensor {
    part: SensorPart,
    last: Option<f64>,
    impaired: Impaired,
}

/// A controller.
pub struct Controller {
    spec: ControllerSpec,
    sensors: Vec<Sensor>,
    devices: Vec<Device>,
    lost_acks: Vec<String>,
    cut_off: bool,
    connected: bool,
    seq: u64,
    next_report: Duration,
    answers: VecDeque<(String, String, Vec<u8>)>,
    counters: Counters,
}

impl Controller {
    /// A controller that was just switched on: everything off.
    #[must_use]
    pub fn new(spec: ControllerSpec) -> Self {
        let sensor = |part: &SensorPart| Sensor {
            part: part.clone(),
            last: None,
            impaired: Impaired::default(),
        };
        Self {
            sensors: spec.sensors.iter().map(sensor).collect(),
            devices: spec.devices.iter().cloned().map(Device::new).collect(),
            lost_acks: vec![],
            cut_off: false,
            connected: false,
            seq: 0,
            next_report: Duration::ZERO,
            answers: VecDeque::new(),
            counters: Counters::default(),
            spec,
        }
    }

    /// As it is built.
    #[must_use]
    pub const fn spec(&self) -> &ControllerSpec {
        &self.spec
    }

    /// What it has seen so far.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Whether its connection is up.
    #[must_use]
    pub const fn is_connected(&self) -> bool {
        self.connected
    }

    /// Whether a fault keeps it from the network.
    #[must_use]
    pub const fn is_cut_off(&self) -> bool {
        self.cut_off
    }

    /// What each of its machines does: 0 to 1, or ml/s for a dosing pump.
    pub fn levels(&self) -> impl Iterator<Item = (Actuator, f64)> + '_ {
        self.devices.iter().map(|d| (d.part.actuator, d.relay()))
    }

    /// What a device's machine did so far.
    #[must_use]
    pub fn trace(&self, device: &str) -> Option<&Trace> {
        self.devices
            .iter()
            .find(|d| d.part.id == device)
            .map(|d| &d.trace)
    }

    /// The connection is up and the command topic subscribed: it announces itself, and reports at once.
    pub fn connected(&mut self, now: Now, out: &mut Vec<Outgoing>) {
        self.connected = true;
        self.next_report = now.since_start;
        self.publish_state(now, out);
    }

    /// The connection is gone. Leases and pulses go on.
    pub const fn disconnected(&mut self) {
        self.connected = false;
    }

    /// The state that it leaves behind when it is switched off properly; also its will.
    #[must_use]
    pub fn farewell() -> Vec<u8> {
        br#"{"online":false}"#.to_vec()
    }

    fn publish_state(&self, now: Now, out: &mut Vec<Outgoing>) {
        if !self.connected {
            return;
        }
        let sensors = self.sensors.iter().map(|s| SensorEntry {
            id: &s.part.id,
            sensor_type: s.part.sensor_type,
            unit: s.part.sensor_type.unit(),
        });
        out.push(Outgoing::State(bytes(&StateMessage {
            ts: self.ts(now),
            online: true,
            firmware: &self.spec.firmware,
            sensors: sensors.collect(),
            devices: self.devices.iter().map(Device::entry).collect(),
        })));
    }

    fn ts(&self, now: Now) -> Option<i64> {
        self.spec.has_clock.then_some(now.wall_ms)
    }

    /// Takes what arrived on the command topic.
    pub fn command(&mut self, now: Now, payload: &[u8], out: &mut Vec<Outgoing>) {
        let Ok(message) = serde_json::from_slice::<CommandMessage>(payload) else {
            self.counters.malformed += 1;
            return;
        };
        let order = message.order();
        if order == Ok(Order::Renew) {
            self.renew(now, &message, out);
            return;
        }
        if let Some((_, device, answer)) = self
            .answers
            .iter()
            .find(|(id, _, _)| *id == message.command_id)
        {
            self.counters.repeated += 1;
            if !self.lost_acks.contains(device) {
                out.push(Outgoing::Ack(answer.clone()));
            }
            return;
        }
        let wall_ms = Duration::try_from_secs_f64(message.expires_at.unwrap_or(0.0) / 1_000.0);
        let expires_ms = wall_ms.ok().and_then(|d| i64::try_from(d.as_millis()).ok());
        let too_old = expires_ms.is_none_or(|ms| now.wall_ms >= ms);
        if self.spec.has_clock && message.expires_at.is_some() && too_old {
            self.counters.expired += 1;
            return;
        }
        let result = order.and_then(|order| self.obey(now, &message, order));
        let changed = result.is_ok();
        let status = if changed {
            AckStatus::Ack
        } else {
            AckStatus::Failure
        };
        let command_id = message.command_id.clone();
        let answer = bytes(&AckMessage {
            command_id,
            status,
            message: result.err(),
        });
        if changed {
            self.counters.done += 1;
        } else {
            self.counters.refused += 1;
        }
        if !self.lost_acks.contains(&message.device_id) {
            out.push(Outgoing::Ack(answer.clone()));
        }
        if self.answers.len() >= REMEMBERED_COMMANDS {
            self.answers.pop_front();
        }
        self.answers
            .push_back((message.command_id, message.device_id, answer));
        if changed {
            self.publish_state(now, out);
        }
    }

    fn obey(&mut self, now: Now, message: &CommandMessage, order: Order) -> Result<(), String> {
        let device = self
            .devices
            .iter_mut()
            .find(|d| d.part.id == message.device_id);
        let device = device.ok_or_else(|| format!("unknown device {:?}", message.device_id))?;
        // A device whose time was over at this instant is off before it hears anything new.
        if device.expire(now.since_start) == Some(Ended::Lease) {
            self.counters.leases_ended += 1;
        }
        device
            .obey(
                now.since_start,
                &message.command_id,
                order,
                message.lease_sec,
            )
            .map_err(|e| e.to_string())
    }

    /// A renewal is not acked: its id is that of a command that was. One that comes too late is answered by the state.
    fn renew(&mut self, now: Now, message: &CommandMessage, out: &mut Vec<Outgoing>) {
        let device = self
            .devices
            .iter_mut()
            .find(|d| d.part.id == message.device_id);
        if device.is_some_and(|d| d.renew(now.since_start, &message.command_id, message.lease_sec))
        {
            self.counters.renewed += 1;
        } else {
            self.publish_state(now, out);
        }
    }

    /// Applies the faults that are at work now.
    pub fn faults(&mut self, now: Now, board: &FaultBoard, out: &mut Vec<Outgoing>) {
        let active: Vec<_> = board.active(now.since_start).collect();
        for sensor in &mut self.sensors {
            let mut impaired = Impaired::default();
            for (since, fault) in active.iter().filter(|(_, f)| f.target == sensor.part.id) {
                match fault.kind {
                    FaultKind::SilentSensor => impaired.silent = true,
                    FaultKind::StuckValue => impaired.stuck = true,
                    FaultKind::NullValue => impaired.null = true,
                    FaultKind::Drift { per_hour } => impaired.drift = Some((*since, per_hour)),
                    FaultKind::LostAck
                    | FaultKind::StuckRelay
                    | FaultKind::Lock
                    | FaultKind::Safety
                    | FaultKind::Offline => {}
                }
            }
            sensor.impaired = impaired;
        }
        let has = |kind: &FaultKind, target: &str| {
            active
                .iter()
                .any(|(_, f)| f.kind == *kind && f.target == target)
        };
        let mut changed = false;
        for device in &mut self.devices {
            let id = device.part.id.clone();
            device.set_stuck(now.since_start, has(&FaultKind::StuckRelay, &id));
            let lock = has(&FaultKind::Lock, &id).then_some(PANEL_LOCK);
            changed |= device.set_lock(now.since_start, lock);
            changed |= device.set_safety(has(&FaultKind::Safety, &id));
        }
        let lost = active.iter().filter(|(_, f)| f.kind == FaultKind::LostAck);
        self.lost_acks = lost.map(|(_, f)| f.target.clone()).collect();
        self.cut_off = has(&FaultKind::Offline, &self.spec.mac);
        if changed {
            self.publish_state(now, out);
        }
    }

    /// Somebody switches a device on or off at its machine, where its panel is not locked.
    pub fn switch_by_hand(&mut self, now: Now, device: &str, on: bool, out: &mut Vec<Outgoing>) {
        if let Some(device) = self.devices.iter_mut().find(|d| d.part.id == device) {
            device.switch_by_hand(now.since_start, on);
            self.publish_state(now, out);
        }
    }

    /// Ends leases and pulses whose time is over, and reports if it is time to. `measure` gives the reading of a sensor
    /// for the report of that number.
    pub fn tick(
        &mut self,
        now: Now,
        measure: &mut dyn FnMut(&SensorPart, u64) -> Option<f64>,
        out: &mut Vec<Outgoing>,
    ) {
        let mut changed = false;
        for device in &mut self.devices {
            if let Some(ended) = device.expire(now.since_start) {
                changed = true;
                if ended == Ended::Lease {
                    self.counters.leases_ended += 1;
                    tracing::info!(device = device.part.id, "lease ran out: off");
                }
            }
        }
        if changed {
            self.publish_state(now, out);
        }
        if self.connected && now.since_start >= self.next_report {
            self.report(now, measure, out);
            // On a fixed grid, but without making up for reports that were missed.
            self.next_report += self.spec.report_every;
            if self.next_report <= now.since_start {
                self.next_report = now.since_start + self.spec.report_every;
            }
        }
    }

    fn report(
        &mut self,
        now: Now,
        measure: &mut dyn FnMut(&SensorPart, u64) -> Option<f64>,
        out: &mut Vec<Outgoing>,
    ) {
        self.seq += 1;
        let ts = self.ts(now);
        let mut readings = vec![];
        for sensor in &mut self.sensors {
            let measured = measure(&sensor.part, self.seq);
            let impaired = sensor.impaired;
            let value = match (impaired, measured) {
                (Impaired { null: true, .. }, _) => None,
                (Impaired { stuck: true, .. }, measured) => sensor.last.or(measured),
                (
                    Impaired {
                        drift: Some((since, per_hour)),
                        ..
                    },
                    Some(v),
                ) => {
                    let hours = now.since_start.saturating_sub(since).as_secs_f64() / 3_600.0;
                    Some(((v + per_hour * hours) * 100.0).round() / 100.0)
                }
                (_, measured) => measured,
            };
            sensor.last = value.or(sensor.last);
            if !impaired.silent {
                let SensorPart {
                    id, sensor_type, ..
                } = &sensor.part;
                readings.push(ReadingEntry {
                    id,
                    sensor_type: *sensor_type,
                    unit: sensor_type.unit(),
                    latest_value: value,
                });
            }
        }
        if !readings.is_empty() {
            self.counters.reports += 1;
            let message = TelemetryMessage {
                ts,
                seq: self.seq,
                sensors: readings,
            };
            out.push(Outgoing::Telemetry(bytes(&message)));
        }
    }

    /// The next instant at which [`Self::tick`] has something to do.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        let report = self.connected.then_some(self.next_report);
        self.devices
            .iter()
            .filter_map(Device::deadline)
            .chain(report)
            .min()
    }
}

#[cfg(test)]
mod tests;
