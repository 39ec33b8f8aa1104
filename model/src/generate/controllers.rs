//! Farms with controllers, and what happens to them: messages, reports, lost connections, answers, people.
//!
//! The controllers are imagined as far as it takes: each has sensors and devices, does what is published to it or not, and
//! says so or not. A farm of the model follows, so that lines fall on, just before and just after its deadlines.

mod people;
mod reports;
mod telemetry;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::farm::farm;
use super::world::World;
use super::{Dice, Options};
use crate::farm::Farm;
use crate::sensor_type::SENSOR_TYPES;
use crate::vector::Case;

const MACS: [&str; 3] = ["A00000000001", "A00000000002", "A00000000003"];
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// How many deadlines are ticked one by one before time leaps.
const MOST_TICKS: usize = 25;

/// A device as its machine is.
#[derive(Debug, Clone)]
struct Machine {
    own: String,
    kind: &'static str,
    on: bool,
    value: Value,
    lock: Option<&'static str>,
    safety: bool,
}

/// A controller as it is.
#[derive(Debug, Clone)]
struct Station {
    mac: &'static str,
    sensors: Vec<(String, String)>,
    machines: Vec<Machine>,
    seq: u64,
    /// The last message with a number.
    numbered: Option<Value>,
}

/// How often a case does what, in percent.
#[derive(Debug, Clone, Copy)]
struct Habits {
    /// How often every deadline has its tick before anything else happens.
    punctual: usize,
    /// How often a machine does what is published to it.
    obeys: usize,
    /// How often a station answers.
    answers: usize,
    /// How often a report is what a station really does.
    honest: usize,
}

struct Maker {
    dice: Dice,
    world: World,
    farm: Farm,
    options: Options,
    habits: Habits,
    stations: Vec<Station>,
    /// Device, action and value of each command.
    commands: BTreeMap<u64, (String, String, Value)>,
    /// What was published and not answered: to whom, and which.
    unanswered: Vec<(String, u64)>,
    at: i64,
    lines: Vec<Value>,
}

/// The case of a seed, with controllers.
#[must_use]
pub fn case_with_controllers(seed: u64, options: Options) -> Case {
    let mut dice = Dice::new(seed.wrapping_mul(0xa076_1d64_78bd_642f) ^ 0xc0de);
    let place = super::place(seed, options);
    let parts = super::farm::Parts::of(seed, options, place.is_some());
    let (mut world, mut document) = farm(&mut dice, place, parts);
    let stations = stations(&mut dice, &mut world, &mut document);
    let followed = match Farm::new(&document) {
        Ok(farm) => farm,
        Err(problem) => unreachable!("generated farms make sense, but {problem} in {document}"),
    };
    let habits = Habits {
        punctual: *dice.pick(&[0, 50, 90, 100, 100]),
        obeys: *dice.pick(&[0, 50, 90, 100]),
        answers: *dice.pick(&[0, 50, 90, 100]),
        honest: *dice.pick(&[50, 90, 95]),
    };
    let at = *dice.pick(&[1_760_000_000_000, 1_700_000_000_001, 0, -5_000]);
    let at = world.place.as_ref().map_or(at, |p| p.start);
    let mut maker = Maker {
        dice,
        world,
        farm: followed,
        options,
        habits,
        stations,
        commands: BTreeMap::new(),
        unanswered: Vec::new(),
        at,
        lines: Vec::new(),
    };
    maker.run();
    let until = maker.at + maker.dice.between(0, 2 * HOUR_MS);
    Case {
        farm: document,
        inputs: maker.lines,
        until,
    }
}

/// Two or three controllers; some of the farm's things become theirs, others have the ids that they are about to use.
fn stations(dice: &mut Dice, world: &mut World, document: &mut Value) -> Vec<Station> {
    let count = dice.between(2, 3);
    let mut stations = Vec::new();
    for mac in MACS.iter().take(usize::try_from(count).unwrap_or(2)) {
        let mut station = Station {
            mac,
            sensors: Vec::new(),
            machines: Vec::new(),
            seq: 0,
            numbered: None,
        };
        for _ in 0..dice.between(1, 3) {
            let kind = match dice.chance(80) {
                true => dice.pick(&world.levels).0,
                false => dice.pick(&SENSOR_TYPES).name,
            };
            let mut own = format!("t{}", dice.below(4));
            if dice.chance(30) {
                own = dice.pick(&world.sensors)["id"]
                    .as_str()
                    .unwrap_or("s")
                    .into();
            } else if dice.chance(15) {
                own = kind.to_owned();
            }
            if station.sensors.iter().all(|(known, _)| *known != own) {
                station.sensors.push((own, kind.to_owned()));
            }
        }
        for _ in 0..dice.between(1, 3) {
            let kind = *dice.pick(&["fan", "vent", "pump", "valve", "dosing_pump"]);
            let own = match dice.chance(30) {
                true => dice.pick(&world.devices)["id"]
                    .as_str()
                    .unwrap_or("d")
                    .into(),
                false => format!("m{}", dice.below(4)),
            };
            station.add_machine(own, kind);
        }
        stations.push(station);
    }
    for doc in &mut world.devices {
        if dice.chance(60) {
            let station = dice.below(stations.len());
            adopt(doc, &mut stations[station], dice);
        }
    }
    for doc in &mut world.sensors {
        if dice.chance(60) {
            let station = dice.below(stations.len());
            let (own, kind) = (text(doc, "id"), text(doc, "type"));
            doc["controller"] = json!(stations[station].mac);
            stations[station].sensors.retain(|(known, _)| *known != own);
            stations[station].sensors.push((own, kind));
        }
    }
    document["devices"] = json!(world.devices);
    document["sensors"] = json!(world.sensors);
    stations
}

/// A device of the document is a controller's from the beginning.
fn adopt(doc: &mut Value, station: &mut Station, dice: &mut Dice) {
    const KINDS: [&str; 11] = [
        "fan",
        "vent",
        "pump",
        "valve",
        "dosing_pump",
        "fogger",
        "heater",
        "curtain",
        "mixing_pump",
        "siren",
        "sensor",
    ];
    let own = text(doc, "id");
    let kind = KINDS.into_iter().find(|k| doc["type"] == **k);
    doc["controller"] = json!(station.mac);
    if dice.chance(60) {
        // Whoever is announced first is offline until then.
        doc["online"] = json!(false);
    }
    station.machines.retain(|m| m.own != own);
    station.add_machine(own, kind.unwrap_or("fan"));
}

fn text(doc: &Value, field: &str) -> String {
    doc[field].as_str().unwrap_or("").to_owned()
}

impl Station {
    fn add_machine(&mut self, own: String, kind: &'static str) {
        if self.machines.iter().all(|m| m.own != own) {
            self.machines.push(Machine {
                own,
                kind,
                on: false,
                value: Value::Null,
                lock: None,
                safety: false,
            });
        }
    }
}

impl Maker {
    fn run(&mut self) {
        let (least, most) = self.options.inputs;
        let length = self.dice.between(least, most);
        for station in 0..self.stations.len() {
            if self.dice.chance(90) {
                self.controller(station);
            }
            if self.dice.chance(85) {
                self.report(station);
            }
        }
        // Telemetry, reports, gone, acks, unsent, ways out, controllers, ticks, outages, people, registry, readings, episodes.
        let mut weights = [25, 30, 4, 20, 4, 4, 1, 10, 1, 12, 3, 10, 4];
        for weight in &mut weights {
            *weight = *self.dice.pick(&[0, *weight, *weight, 3 * *weight]);
        }
        (weights[1], weights[7]) = (weights[1].max(10), weights[7].max(3));
        let mut steps = [15, 30, 30, 20, 4, 1];
        for weight in &mut steps {
            *weight = *self.dice.pick(&[*weight, *weight, 3 * *weight]);
        }
        while i64::try_from(self.lines.len()).unwrap_or(i64::MAX) < length {
            self.step(&steps);
            if self.world.place.is_some() && self.dice.chance(6) {
                self.of_programs();
                continue;
            }
            if self.world.limits && self.dice.chance(5) {
                self.of_limits();
                continue;
            }
            if !self.world.setpoints.is_empty() && self.dice.chance(10) {
                self.of_setpoints();
                continue;
            }
            let kind = self.dice.weighted(&weights);
            self.line(kind);
            if self.dice.chance(30) && !self.unanswered.is_empty() {
                self.ack();
            }
        }
    }

    fn line(&mut self, kind: usize) {
        let station = self.dice.below(self.stations.len());
        match kind {
            0 => self.telemetry(station),
            1 => self.report(station),
            2 => _ = self.add(json!({"input": "gone", "mac": self.stations[station].mac})),
            3 => self.ack(),
            4 => self.unsent(),
            5 => _ = self.add(json!({"input": "way_out"})),
            6 => self.controller(station),
            7 => _ = self.add(json!({"input": "tick"})),
            8 => _ = self.add(json!({"input": "resumed"})),
            9 => self.person(),
            10 => self.registry(),
            11 => self.reading(),
            _ => self.episode(station),
        }
    }

    /// Time goes on: not at all, a little, to a deadline, by what matters, by an hour or a day.
    fn step(&mut self, steps: &[usize]) {
        let by = match self.dice.weighted(steps) {
            0 => 0,
            1 => *self.dice.pick(&[1, 300, 1_000, 1_000, 2_000, 5_000]),
            2 => {
                let ahead = self.farm.next_deadline().map_or(1_000, |d| d - self.at);
                ahead.clamp(0, DAY_MS) + self.dice.pick(&[-1, 0, 0, 1])
            }
            3 => *self
                .dice
                .pick(&[9_000, 15_000, 29_999, 30_000, 30_001, 60_000, 300_000]),
            4 => *self
                .dice
                .pick(&[600_000, 1_200_000, HOUR_MS - 1, HOUR_MS, HOUR_MS]),
            _ => DAY_MS,
        };
        // A program may act every second until then.
        let most = self.world.place.as_ref().map_or(DAY_MS, |_| HOUR_MS);
        self.pass(by.clamp(0, most));
    }

    /// Time goes on by so many milliseconds, with a tick at each deadline if that is the habit.
    fn pass(&mut self, by: i64) {
        let until = self.at + by;
        let mut ticks = 0;
        while self.dice.chance(self.habits.punctual)
            && ticks < MOST_TICKS
            && let Some(due) = self.farm.next_deadline().filter(|d| *d <= until)
        {
            self.at = self.at.max(due);
            self.add(json!({"input": "tick"}));
            ticks += 1;
        }
        self.at = until;
    }

    /// Adds a line, unless it makes no sense and such are not wanted; the stations hear what is published.
    fn add(&mut self, mut line: Value) -> bool {
        line["at"] = json!(self.at);
        let said = self.farm.apply(&line);
        if said.is_ok() || self.options.malformed && self.dice.chance(30) {
            self.lines.push(line);
        }
        let is_good = said.is_ok();
        for said in said.unwrap_or_default() {
            self.hear(&said);
        }
        is_good
    }

    fn hear(&mut self, said: &Value) {
        if said["event"] == "command" {
            let id = text(said, "command_id");
            let number = id.rsplit_once('-').and_then(|(_, n)| n.parse().ok());
            let command = (
                text(said, "device"),
                text(said, "action"),
                said["value"].clone(),
            );
            self.commands.insert(number.unwrap_or(0), command);
        } else if said["effect"] == "publish" {
            let (mac, number) = (text(said, "mac"), said["command"].as_u64().unwrap_or(0));
            if self.dice.chance(self.habits.obeys) {
                self.obey(&mac, number);
            }
            self.unanswered.push((mac, number));
            let spare = self.unanswered.len().saturating_sub(8);
            self.unanswered.drain(..spare);
        }
    }

    fn obey(&mut self, mac: &str, number: u64) {
        let Some((device, action, value)) = self.commands.get(&number) else {
            return;
        };
        let own = device
            .strip_prefix(mac)
            .map_or(device.as_str(), |own| &own[1..]);
        let machines = self.stations.iter_mut().filter(|s| s.mac == mac);
        let machine = machines
            .flat_map(|s| &mut s.machines)
            .find(|m| m.own == own);
        if let Some(machine) = machine.filter(|m| m.lock.is_none() && !m.safety) {
            machine.on = match action.as_str() {
                "off" | "release" => false,
                "on" | "pulse" => true,
                _ => value.as_f64().is_some_and(|v| v > 0.0),
            };
            machine.value = value.clone();
        }
    }

    fn controller(&mut self, station: usize) {
        let mut line = json!({"input": "controller", "mac": self.stations[station].mac});
        if self.dice.chance(60) {
            line["scope"] = self.dice.pick(&self.world.scopes).clone();
        } else if self.dice.chance(5) {
            line["scope"] = json!({"type": "zone", "zoneId": "elsewhere"});
        }
        self.add(line);
    }

    /// An answer: mostly to what was published, and by whom it was published to.
    fn ack(&mut self) {
        let latest = self.commands.keys().next_back().copied().unwrap_or(0);
        let (mut mac, mut number) = match self.unanswered.is_empty() {
            true => (MACS[0].to_owned(), latest),
            false => {
                let n = self.dice.below(self.unanswered.len());
                match self.dice.chance(80) {
                    true => self.unanswered.remove(n),
                    false => self.unanswered[n].clone(),
                }
            }
        };
        if !self.dice.chance(self.habits.answers) {
            return;
        }
        match self.dice.below(20) {
            0 => mac = (*self.dice.pick(&MACS)).to_owned(),
            1 => number = latest + 1,
            2 => number = u64::try_from(self.dice.below(5)).unwrap_or(0),
            _ => {}
        }
        let number = number.max(1);
        let status = if self.dice.chance(12) {
            "failure"
        } else {
            "ack"
        };
        self.add(json!({"input": "ack", "mac": mac, "command": number, "status": status}));
    }

    fn unsent(&mut self) {
        let latest = self.commands.keys().next_back().copied().unwrap_or(0);
        let mut numbers = Vec::new();
        for _ in 0..self.dice.between(1, 2) {
            numbers.push(latest.saturating_sub(u64::try_from(self.dice.below(3)).unwrap_or(0)));
        }
        numbers.dedup();
        self.add(json!({"input": "unsent", "commands": numbers}));
    }
}
