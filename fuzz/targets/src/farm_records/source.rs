//! Records made from bytes.

use harit_engine::{DeviceType, Input, InputKind, Measured, Quantity, ScopeSpec, Timestamp};
use harit_engine::{SensorType, SensorType as T};
use harit_farm::{CommandAck, Key, MessageNumber};

use harit_protocol::{
    AckStatus, DeviceReport, Mac, Report, SensorReport, TypeWord, canonical, jsonl,
};
use serde_json::{Value, json};

const START: i64 = 1_700_000_000_000;
/// Steps in milliseconds, around the durations of the section on controllers.
const STEPS: [i64; 16] = [
    0, 0, 0, 1, 500, 1_000, 2_000, 6_000, 9_000, 15_000, 29_999, 30_000, 60_000, 300_000,
    1_200_000, 3_600_000,
];
const MACS: [&str; 2] = ["A4CF120B9E01", "A4CF120B9E02"];
const VALUES: [&str; 8] = ["31", "35", "29", "30", "null", "NaN", "-41", "32.3333333"];
/// The own ids that controllers say.
const OWN_SENSORS: [(&str, SensorType); 4] = [
    ("t1", T::Temperature),
    ("a1", T::Humidity),
    ("x1", T::Temperature),
    ("temperature", T::Ph),
];
const OWN_DEVICES: [(&str, DeviceType); 5] = [
    ("fan-1", DeviceType::Fan),
    ("pump-1", DeviceType::Pump),
    ("valve-1", DeviceType::Valve),
    ("vent-1", DeviceType::Vent),
    ("new-1", DeviceType::DosingPump),
];
/// The ids that people say.
const SENSORS: [&str; 4] = ["t1", "a1", "x1", "A4CF120B9E02/t1"];
const DEVICES: [&str; 8] = [
    "fan-1",
    "pump-1",
    "vent-1",
    "fan-1",
    "pump-1",
    "valve-1",
    "new-1",
    "A4CF120B9E02/fan-1",
];

/// A record, or what is done between two.
#[derive(Debug)]
pub(super) enum Step {
    Controller(Mac, ScopeSpec),
    Telemetry(Message),
    Report(Mac, Report),
    Gone(Mac),
    Ack(Mac, CommandAck),
    Unsent(Vec<u64>),
    WayOut,
    Input(Input),
    /// Ticks as long as something is due.
    Ticks,
    /// The farm is stored and read again.
    Restore,
}

#[derive(Debug)]
pub(super) struct Message {
    /// The controller's place among [`MACS`].
    pub(super) place: usize,
    pub(super) mac: Mac,
    pub(super) at: Timestamp,
    pub(super) backlog: bool,
    pub(super) number: Option<MessageNumber>,
    /// Each with the place of its key among [`keys`].
    pub(super) items: Vec<(u32, Measured)>,
}

/// What entries say of which sensor they mean.
pub(super) fn keys() -> Vec<Key<'static>> {
    let known = TypeWord::Known;
    let key = |id: Option<&'static str>, word, unit: Option<&'static str>| {
        Key::new(id.map(Into::into), word, unit.map(Into::into))
    };
    vec![
        key(Some("t1"), known(T::Temperature), Some("°C")),
        key(None, known(T::Temperature), None),
        key(Some("t1"), TypeWord::Missing, None),
        key(None, known(T::Humidity), Some("%")),
        key(Some("a1"), known(T::Humidity), None),
        key(Some("x1"), known(T::Temperature), None),
        key(Some("x1"), TypeWord::Missing, Some("lux")),
        key(Some("temperature"), TypeWord::Missing, None),
        key(Some("a1"), known(T::Temperature), Some("furlongs")),
        key(Some("a1"), TypeWord::Unknown, None),
        key(None, TypeWord::Missing, None),
        key(None, TypeWord::Unknown, None),
        key(None, known(T::Ph), None),
        key(Some(""), known(T::Ph), None),
        key(Some("t1"), known(T::Humidity), None),
        key(Some("t9"), known(T::Temperature), None),
    ]
}

/// Reads bytes as steps, two and more each.
pub(super) struct Source<'a> {
    rest: &'a [u8],
    pub(super) now: i64,
}

impl<'a> Source<'a> {
    pub(super) const fn new(rest: &'a [u8]) -> Self {
        Self { rest, now: START }
    }

    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        *first
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    /// The next step; `due` is when the farm has something to do, `latest` the number of its latest command.
    pub(super) fn next(&mut self, due: Option<Timestamp>, latest: u64) -> Option<Step> {
        if self.rest.is_empty() {
            return None;
        }
        let op = self.byte();
        self.now += STEPS[usize::from(op >> 4)];
        Some(match op & 15 {
            0..=2 => self.message(),
            3..=5 => self.report(),
            6 | 7 => self.ack(latest),
            8 | 9 => {
                // The next deadline, where it is not far: else time passes in steps.
                if let Some(due) = due.map(Timestamp::as_millis) {
                    self.now = self.now.max(due.min(self.now + 4_800_000));
                }
                Step::Ticks
            }
            10 => self.tick(),
            11 => self.way(latest),
            12 | 13 => self.person(),
            14 => self.registry(),
            _ => self.rare(),
        })
    }

    fn mac(&mut self) -> (usize, Mac) {
        let place = usize::from(self.byte()) % MACS.len();
        (place, Mac::parse(MACS[place]).expect("it is one"))
    }

    fn message(&mut self) -> Step {
        let (place, mac) = self.mac();
        let how = self.byte();
        let ago = [0, 0, 0, -20_000, 1_000, 240_000, 0, 600_000][usize::from(how & 7)];
        let items = (0..=(how >> 3 & 3)).map(|_| {
            let what = self.byte();
            let value = canonical(Measured::parse(VALUES[usize::from(what >> 4 & 7)]));
            (u32::from(what & 15), value)
        });
        let items = items.collect();
        Step::Telemetry(Message {
            place,
            mac,
            at: Timestamp::from_millis(self.now - ago),
            backlog: how & 7 == 7,
            number: (how & 0x80 != 0).then(|| MessageNumber {
                seq: u64::from(how >> 5 & 3),
                crc: 7,
            }),
            items,
        })
    }

    fn report(&mut self) -> Step {
        let (_, mac) = self.mac();
        let how = self.byte();
        let sensors = (how & 6 == 2).then(|| {
            let said = self.byte();
            let named = OWN_SENSORS.iter().enumerate();
            let named = named.filter(|(n, _)| said >> n & 1 != 0);
            let other = said & 0x80 != 0;
            named
                .map(|(_, (id, sensor_type))| SensorReport {
                    id: (*id).to_owned(),
                    sensor_type: if other { T::Ec } else { *sensor_type },
                })
                .collect()
        });
        let devices = (how & 8 == 0).then(|| {
            let said = how >> 4;
            (0..OWN_DEVICES.len().min(4))
                .filter(|n| said >> n & 1 != 0)
                .map(|n| self.device(n))
                .collect()
        });
        Step::Report(
            mac,
            Report {
                online: how & 7 != 7,
                firmware: None,
                sensors,
                devices,
            },
        )
    }

    fn device(&mut self, n: usize) -> DeviceReport {
        let how = self.byte();
        let more = if how & 0x80 != 0 { self.byte() } else { 0 };
        let (id, device_type) = match (n, more >> 6) {
            (2, 1) => OWN_DEVICES[4],
            _ => OWN_DEVICES[n],
        };
        let of_other_type = more >> 6 == 3;
        DeviceReport {
            id: id.to_owned(),
            device_type: if of_other_type {
                DeviceType::Valve
            } else {
                device_type
            },
            name: None,
            supported_actions: if more & 0x20 == 0 {
                Value::Null
            } else {
                json!([more & 1])
            },
            on: [Some(true), Some(false), Some(true), None][usize::from(how & 3)],
            value: [None, Some(100), Some(80), Some(0)][usize::from(how >> 2 & 3)]
                .map(Quantity::from_units),
            lock: match how >> 4 & 3 {
                1 => Some(Some("panel".to_owned())),
                2 => Some(None),
                _ => None,
            },
            safety: [None, None, Some(true), Some(false)][usize::from(more & 3)],
            lease_over: (how >> 6 & 1 != 0).then_some(true),
            lease_end: None,
        }
    }

    fn ack(&mut self, latest: u64) -> Step {
        let (_, mac) = self.mac();
        let how = self.byte();
        let ack = CommandAck {
            // One too many, too: nobody sent that.
            command: (latest + 1).saturating_sub(u64::from(how & 7)),
            status: if how & 0x38 == 0 {
                AckStatus::Failure
            } else {
                AckStatus::Ack
            },
            message: (how & 0x40 != 0).then(|| "well".to_owned()),
        };
        Step::Ack(mac, ack)
    }

    fn way(&mut self, latest: u64) -> Step {
        let how = self.byte();
        if how & 1 == 0 {
            return Step::WayOut;
        }
        let number = |n: u8| (latest + 1).saturating_sub(n.into());
        let commands = (0..7).filter(|n| how >> (n + 1) & 1 != 0).map(number);
        Step::Unsent(commands.collect())
    }

    fn input(&self, mut line: Value) -> Step {
        line["at"] = json!(self.now);
        let input = jsonl::parse(&line.to_string()).expect("a line of inputs");
        Step::Input(input)
    }

    fn tick(&self) -> Step {
        self.input(json!({"input": "tick"}))
    }

    fn person(&mut self) -> Step {
        let device = self.pick(&DEVICES);
        let how = self.byte();
        let person = json!({"user_id": if how & 0x80 == 0 { "asha" } else { "ravi" }, "name": "A"});
        self.input(match how & 7 {
            0 | 1 => {
                let action = ["on", "off", "set_position", "on"][usize::from(how >> 3 & 3)];
                json!({"input": "manual", "device": device, "cmd_type": "override", "action": action,
                    "value": (action == "set_position").then_some(40),
                    "duration_sec": ([10, 60, 600, 7_200][usize::from(how >> 5 & 3)]), "admin": how & 0x80 != 0})
            }
            2 => {
                json!({"input": "manual", "device": device, "cmd_type": "pulse", "value": 1 + (how >> 3)})
            }
            3 => json!({"input": "manual", "device": device, "cmd_type": "release"}),
            4 if how & 8 != 0 => {
                json!({"input": "stop", "scope": {"type": "farm"}, "owner": person})
            }
            4 => json!({"input": "stop", "device": device, "owner": person}),
            5 => {
                let kind = ["person", "stop", "max_on", "keeps_stopping"][usize::from(how >> 4 & 3)];
                let kind = if how & 0x40 == 0 { kind } else { "keeps_starting" };
                json!({"input": "device", "device": device, "lock": null, "lock_kind": kind})
            }
            6 => {
                json!({"input": "device", "device": device, "lock": "repair", "lock_kind": "person", "owner": person})
            }
            _ if how & 8 != 0 => json!({"input": "correct", "device": device}),
            _ => json!({"input": "device", "device": device, "safety": how & 16 != 0}),
        })
    }

    /// What people register, relabel and delete.
    fn registry(&mut self) -> Step {
        let how = self.byte();
        let (sensor, device) = (self.pick(&SENSORS), DEVICES[usize::from(how >> 5)]);
        let label = [
            None,
            Some(MACS[0]),
            Some(MACS[1]),
            Some("a4:cf:12:0b:9e:02"),
        ][usize::from(how >> 3 & 3)];
        let put_device = |id: &str| {
            let kind = match id {
                "fan-1" | "A4CF120B9E02/fan-1" => "fan",
                "pump-1" => "pump",
                "vent-1" => "vent",
                "valve-1" => "valve",
                _ => "dosing_pump",
            };
            json!({"put_device": {"id": id, "name": "D", "type": kind, "controller": label}})
        };
        let changes = match how & 7 {
            0 | 1 => json!([{"delete_sensor": sensor}]),
            2 => {
                let kind = if sensor == "a1" {
                    "humidity"
                } else {
                    "temperature"
                };
                json!([{"put_sensor": {"id": sensor, "type": kind, "controller": label}}])
            }
            3 => json!([{"delete_device": device}]),
            4 => json!([{"delete_device": device}, put_device(device)]),
            5 => json!([put_device(device)]),
            6 => {
                json!([{"put_sensor": {"id": "A4CF120B9E01/x1", "type": "ph"}}, {"settings": {"min_samples": 1 + (how >> 6)}}])
            }
            _ => json!([{"delete_sensor": sensor}, put_device(device)]),
        };
        self.input(json!({"input": "registry", "changes": changes}))
    }

    fn rare(&mut self) -> Step {
        let how = self.byte();
        match how & 7 {
            0 | 1 => Step::Restore,
            2 => self.input(json!({"input": "resumed"})),
            3 | 4 => Step::Gone(self.mac().1),
            5 => {
                let scope = match how >> 6 {
                    0 => ScopeSpec::farm(),
                    1 => ScopeSpec::polyhouse("p1"),
                    2 => ScopeSpec::polyhouse("nowhere"),
                    _ => ScopeSpec::zone("z1"),
                };
                Step::Controller(self.mac().1, scope)
            }
            6 => self.input(
                json!({"input": "rule", "delete": if how & 8 == 0 { "cool" } else { "wet" }}),
            ),
            _ => Step::Input(Input {
                at: Timestamp::from_millis(self.now),
                kind: InputKind::Reading {
                    sensor: self.pick(&SENSORS).into(),
                    value: Measured::parse("33"),
                },
            }),
        }
    }
}
