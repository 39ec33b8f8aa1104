//! A controller: the box that reads sensors, drives devices and speaks MQTT.
//!
//! [`Controller`] is a state machine without I/O: the instant is an argument, what is to be published is appended to a
//! list. Leases, pulses and reports run on the time since the start, which no clock change disturbs; only `ts` and
//! `expires_at` are instants of the calendar. The MQTT connection around it is in `crate::link`.

mod device;
mod orders;
mod parts;
mod trace;
mod wire;

use std::collections::VecDeque;
use std::time::Duration;

pub use device::{DEFAULT_LEASE, DevicePart};
use device::{Device, Ended};
pub use orders::REMEMBERED_COMMANDS;
pub use parts::{ControllerKind, ControllerSpec, Counters, Now, Outgoing, SensorPart};
pub use trace::{MAX_TRACE, OnInterval, Trace};
use wire::{ReadingEntry, SensorEntry, StateMessage, TelemetryMessage, bytes};
pub use wire::{SupportedAction, supported_actions};

use crate::fault::{FaultBoard, FaultKind};
use crate::model::Actuator;

/// The reason of a lock at a device's panel.
const PANEL_LOCK: &str = "locked at the panel";

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
                    tracing::info!(
                        device = device.part.id,
                        on = device.relay() > 0.0,
                        "lease ran out"
                    );
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
