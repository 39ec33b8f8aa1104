//! People: commands, stops, locks, safety, and what they register and delete.

use serde_json::{Value, json};

use super::super::limits::give_limits;
use super::super::rules::rule;
use super::super::setpoints::{change, near_curve, near_setpoint};
use super::{MACS, Maker};

impl Maker {
    fn any_device(&mut self) -> Option<String> {
        let ids: Vec<&String> = self.farm.devices.keys().collect();
        let n = self.dice.below(ids.len());
        ids.get(n).map(|id| (*id).clone())
    }

    pub(super) fn person(&mut self) {
        let Some(device) = self.any_device() else {
            return;
        };
        match self.dice.below(20) {
            0..=12 => self.manual(&device),
            13 | 14 => {
                let mut stop =
                    json!({"input": "stop", "owner": {"user_id": "asha", "name": "Asha"}});
                if self.dice.chance(70) {
                    stop["device"] = json!(device);
                } else {
                    stop["scope"] = self.dice.pick(&self.world.scopes).clone();
                }
                self.add(stop);
            }
            15..=18 => self.lock(&device),
            _ => _ = self.add(json!({"input": "correct", "device": device})),
        }
    }

    fn manual(&mut self, device: &str) {
        let admin = self.dice.chance(60);
        let mut line = json!({"input": "manual", "device": device, "admin": admin});
        match self.dice.below(10) {
            0..=5 => {
                let order = match self.dice.below(4) {
                    0 => json!({"action": "off"}),
                    1 => json!({"action": "set_position", "value": *self.dice.pick(&[0, 40])}),
                    _ => json!({"action": "on"}),
                };
                line["cmd_type"] = json!("override");
                line["action"] = order["action"].clone();
                line["value"] = order["value"].clone();
                line["duration_sec"] =
                    json!(*self.dice.pick(&[10, 60, 600, 3_600, 86_400, 864_000]));
            }
            6 | 7 => {
                line["cmd_type"] = json!("pulse");
                line["action"] = json!("pulse");
                line["value"] = json!(*self.dice.pick(&[1, 5, 20, 60]));
            }
            _ => line["cmd_type"] = json!("release"),
        }
        self.add(line);
    }

    /// What programs look at, and rules that are put.
    pub(super) fn of_programs(&mut self) {
        let Some(place) = self.world.place.clone() else {
            return;
        };
        if self.dice.chance(40) {
            let days = place.days(&mut self.dice, self.at);
            self.add(json!({"input": "almanac", "days": days}));
            return;
        }
        let id = format!("r{}", self.dice.below(6));
        let mut world = self.world.clone();
        world.devices = self.farm.devices.values().cloned().collect();
        if world.devices.is_empty() {
            return;
        }
        let rule = rule(&mut self.dice, &world, &id);
        if self.add(json!({"input": "rule", "rule": rule})) {
            self.world.rules.retain(|r| r["id"] != rule["id"]);
            self.world.rules.push(rule);
        }
    }

    /// Setpoints change, or readings come near them.
    pub(super) fn of_setpoints(&mut self) {
        let (at, mut world) = (self.at, self.world.clone());
        let min_samples = self.farm.model.min_samples;
        let readings = match self.dice.below(10) {
            0 | 1 => {
                if let Some(change) = change(&mut self.dice, &mut world, min_samples)
                    && self.add(json!({"input": "registry", "changes": [change]}))
                {
                    self.world = world;
                }
                return;
            }
            2..=5 => near_setpoint(&mut self.dice, &self.farm.model, at),
            _ => near_curve(&mut self.dice, &self.farm.model, at),
        };
        for (sensor, value) in readings {
            self.add(json!({"input": "reading", "sensor": sensor, "value": value}));
        }
    }

    /// A device gets other limits; it may need any other one.
    pub(super) fn of_limits(&mut self) {
        if self.dice.chance(60) {
            return self.carries();
        }
        let Some(id) = self.any_device() else {
            return;
        };
        let others: Vec<String> = self.farm.devices.keys().cloned().collect();
        let others: Vec<String> = others.into_iter().filter(|o| *o != id).collect();
        let mut doc = self.farm.devices[&id].clone();
        doc["max_on_sec"] = Value::Null;
        give_limits(&mut self.dice, &self.world.groups, &others, &mut doc);
        self.add(json!({"input": "registry", "changes": [{"put_device": doc}]}));
    }

    /// A device that another needs is switched on and reported, the other starts, and the first is reported again.
    fn carries(&mut self) {
        let devices = self.farm.model.devices.values();
        let pairs = devices.flat_map(|d| {
            let needed = d.doc.limits.needed().iter();
            needed.map(|n| (d.doc.id.clone(), n.clone()))
        });
        let pairs: Vec<(String, String)> = pairs.collect();
        if pairs.is_empty() {
            return;
        }
        let (needing, needed) = self.dice.pick(&pairs).clone();
        // The first may end while the other runs.
        let first = *self.dice.pick(&[15, 15, 60, 600]);
        for (device, lasts) in [(needed.clone(), first), (needing, 600)] {
            self.add(json!({"input": "manual", "device": device, "admin": true,
                "cmd_type": "override", "action": "on", "duration_sec": lasts}));
            self.reports_of(&device, true);
            self.pass(5_000);
        }
        self.pass(5_000);
        let on = self.dice.chance(60);
        self.reports_of(&needed, on);
    }

    /// The station of a device reports, and that the device is on or off.
    fn reports_of(&mut self, device: &str, on: bool) {
        let mac = self.farm.devices[device]["controller"].clone();
        let Some(station) = self.stations.iter().position(|s| mac == s.mac) else {
            return;
        };
        let prefix = format!("{}/", self.stations[station].mac);
        let own = device.strip_prefix(&prefix).unwrap_or(device);
        let mut said = Vec::new();
        for n in 0..self.stations[station].machines.len() {
            let machine = &mut self.stations[station].machines[n];
            if machine.own == own {
                (machine.on, machine.lock, machine.safety) = (on, None, false);
            }
            said.push(self.machine(station, n));
        }
        self.say(station, json!({"online": true, "devices": said}));
    }

    fn lock(&mut self, device: &str) {
        let mut line = json!({"input": "device", "device": device});
        if self.dice.chance(15) {
            line["safety"] = json!(self.dice.chance(40));
        } else {
            let kinds = [
                "person",
                "person",
                "max_on",
                "keeps_stopping",
                "keeps_starting",
            ];
            line["lock_kind"] = json!(*self.dice.pick(&kinds));
            line["lock"] = match self.dice.chance(30) {
                true => json!("repair"),
                false => Value::Null,
            };
            if line["lock"].is_null() && self.dice.chance(40) {
                line["lock_kind"] = json!("stop");
            }
        }
        self.add(line);
    }

    /// One or two changes that a person makes.
    pub(super) fn registry(&mut self) {
        let mut changes = Vec::new();
        for _ in 0..self.dice.between(1, 2) {
            changes.extend(self.change());
        }
        if !changes.is_empty() {
            self.add(json!({"input": "registry", "changes": changes}));
        }
    }

    fn change(&mut self) -> Option<Value> {
        let device = self.any_device()?;
        let ids: Vec<&String> = self.farm.sensors.keys().collect();
        let n = self.dice.below(ids.len());
        let sensor = (*ids.get(n)?).clone();
        let scope = self.dice.pick(&self.world.scopes).clone();
        Some(match self.dice.below(10) {
            0 | 1 => json!({"delete_device": device}),
            2 | 3 => json!({"delete_sensor": sensor}),
            4 | 5 => {
                let mut doc = self.farm.devices[&device].clone();
                doc["scope"] = scope;
                doc["name"] = json!("Another name");
                if self.dice.chance(10) {
                    doc["controller"] = Value::Null;
                }
                if doc["type"] != "dosing_pump" && self.dice.chance(40) {
                    doc["rest"] = json!({"action": *self.dice.pick(&["on", "off"])});
                }
                json!({"put_device": doc})
            }
            6 => {
                let mut doc = self.farm.sensors[&sensor].clone();
                doc["scope"] = scope;
                if self.dice.chance(20) {
                    doc["controller"] = Value::Null;
                }
                json!({"put_sensor": doc})
            }
            7 => {
                let kind = self.dice.pick(&self.world.levels).0;
                let id = format!("t{}", self.dice.below(4));
                let is_new = !self.farm.sensors.contains_key(&id);
                is_new.then(|| json!({"put_sensor": {"id": id, "type": kind, "scope": scope}}))?
            }
            8 => {
                let kind = *self.dice.pick(&["fan", "vent", "pump", "valve"]);
                let id = format!("m{}", self.dice.below(4));
                let is_new = !self.farm.devices.contains_key(&id);
                is_new.then(|| json!({"put_device": {"id": id, "type": kind, "name": "New", "scope": scope}}))?
            }
            _ => {
                // A person says whose a thing is that was nobody's.
                let mut doc = self.farm.devices[&device].clone();
                let mac = *self.dice.pick(&MACS);
                // What two of a controller's things with one own id mean is written nowhere.
                let has_one = self.farm.devices.contains_key(&format!("{mac}/{device}"));
                if has_one || !doc["controller"].is_null() {
                    return None;
                }
                doc["controller"] = json!(mac);
                json!({"put_device": doc})
            }
        })
    }
}
