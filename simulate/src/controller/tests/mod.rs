//! A controller at a test bench, without a connection: time moves when the test says so.

mod leases;
mod obeying;
mod reports;

use std::time::Duration;

use harit_engine::{DeviceType, SensorType};
use serde_json::{Value, json};

use super::*;
use crate::fault::Fault;
use crate::model::{Grade, Probe};

const START_MS: i64 = 1_790_000_000_000;

/// A controller at a test bench: time moves when the test says so.
struct Bench {
    controller: Controller,
    board: FaultBoard,
    now: Duration,
    out: Vec<Outgoing>,
}

impl Bench {
    fn new() -> Self {
        let device = |id: &str, device_type, actuator| DevicePart {
            id: id.into(),
            name: id.to_uppercase(),
            device_type,
            actuator,
            lease_end: (id == "vent").then_some(30.0),
        };
        let sensor = |id: &str, sensor_type, probe| SensorPart {
            id: id.into(),
            sensor_type,
            probe,
            grade: Grade::usual(sensor_type),
        };
        let reagent = crate::model::Reagent::Acid;
        let controller = Controller::new(ControllerSpec {
            mac: "240AC4000001".into(),
            secret: "s".into(),
            kind: ControllerKind::Polyhouse,
            name: "Bench".into(),
            firmware: "test".into(),
            has_clock: true,
            report_every: Duration::from_secs(5),
            sensors: vec![
                sensor("t1", SensorType::Temperature, Probe::Temperature(0)),
                sensor("h1", SensorType::Humidity, Probe::Humidity(0)),
            ],
            devices: vec![
                device("fan", DeviceType::Fan, Actuator::Fan { house: 0, fan: 0 }),
                device("vent", DeviceType::Vent, Actuator::Vent { house: 0 }),
                device(
                    "valve",
                    DeviceType::Valve,
                    Actuator::Drip { house: 0, zone: 0 },
                ),
                device(
                    "acid",
                    DeviceType::DosingPump,
                    Actuator::Dose { tank: 0, reagent },
                ),
            ],
        });
        let mut bench = Self {
            controller,
            board: FaultBoard::default(),
            now: Duration::ZERO,
            out: vec![],
        };
        let now = bench.instant();
        bench.controller.connected(now, &mut bench.out);
        bench.take();
        bench
    }

    fn instant(&self) -> Now {
        let ms = i64::try_from(self.now.as_millis()).unwrap();
        Now {
            since_start: self.now,
            wall_ms: START_MS + ms,
        }
    }

    fn command(&mut self, command: &Value) -> Vec<Value> {
        let now = self.instant();
        self.controller
            .command(now, &serde_json::to_vec(command).unwrap(), &mut self.out);
        self.take()
    }

    fn wait(&mut self, secs: f64) -> Vec<Value> {
        self.now += Duration::from_secs_f64(secs);
        let now = self.instant();
        self.controller.faults(now, &self.board, &mut self.out);
        self.controller.tick(
            now,
            &mut |_, n| Some(20.0 + f64::from(u32::try_from(n).unwrap())),
            &mut self.out,
        );
        self.take()
    }

    fn fault(&mut self, text: &str) -> Vec<Value> {
        self.board
            .set(self.now, text.parse::<Fault>().unwrap())
            .unwrap();
        self.wait(0.0)
    }

    /// What was published since, without telemetry.
    fn take(&mut self) -> Vec<Value> {
        let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
        let kept = self.out.drain(..).filter_map(|o| match o {
            Outgoing::Telemetry(_) => None,
            Outgoing::State(b) => Some(json!({"state": json(&b)})),
            Outgoing::Ack(b) => Some(json(&b)),
        });
        kept.collect()
    }

    fn report(&mut self, secs: f64) -> Value {
        self.now += Duration::from_secs_f64(secs);
        let now = self.instant();
        self.controller.tick(
            now,
            &mut |_, n| Some(20.0 + f64::from(u32::try_from(n).unwrap())),
            &mut self.out,
        );
        let found = self.out.drain(..).find_map(|o| match o {
            Outgoing::Telemetry(b) => Some(serde_json::from_slice(&b).unwrap()),
            _ => None,
        });
        found.expect("a report is due")
    }

    fn on_intervals(&self, device: &str) -> Vec<(f64, Option<f64>)> {
        let trace = self.controller.trace(device).unwrap();
        let secs = |i: OnInterval| (i.from.as_secs_f64(), i.to.map(|t| t.as_secs_f64()));
        trace.on_intervals().into_iter().map(secs).collect()
    }
}

fn set(id: &str, device: &str, on: bool, value: Option<f64>) -> Value {
    json!({
        "command_id": id, "cmd_type": "override", "device_id": device,
        "action": {"mode": "manual", "on": on, "value": value},
        "expires_at": START_MS + 3_600_000, "lease_sec": 180, "timestamp": START_MS,
        "owner": {"user_id": null, "rule_id": "r", "name": "Rule"}
    })
}

fn pulse(id: &str, device: &str, secs: f64) -> Value {
    json!({
        "command_id": id, "cmd_type": "pulse", "device_id": device,
        "action": {"mode": "manual", "on": true, "duration_sec": secs},
        "expires_at": START_MS + 3_600_000
    })
}

fn state_of<'a>(out: &'a [Value], device: &str) -> &'a Value {
    let state = out
        .iter()
        .rev()
        .find_map(|o| o.get("state"))
        .expect("a state is published");
    state["devices"]
        .as_array()
        .unwrap()
        .iter()
        .find(|d| d["id"] == device)
        .unwrap()
}

fn status(out: &[Value]) -> &str {
    assert_eq!(
        out.iter().filter(|o| o.get("status").is_some()).count(),
        1,
        "one ack: {out:?}"
    );
    out.iter()
        .find_map(|o| o.get("status"))
        .unwrap()
        .as_str()
        .unwrap()
}
