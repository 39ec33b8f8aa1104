//! What limits depend on: reports, people who start devices, and changes of limits.

use serde_json::{Value, json};

use super::super::limits::{broken_limits, change_of_limits};
use super::Maker;
use crate::document::Setting;

impl Maker {
    /// What limits depend on: reports, people who start devices, days, and changes of limits.
    pub(super) fn of_limits(&mut self, at: i64) {
        match self.dice.below(20) {
            0 if self.options.registry && self.options.malformed => {
                let change = broken_limits(&mut self.dice, &mut self.world);
                self.add(json!({"at": at, "input": "registry", "changes": [change]}));
            }
            0..=2 if self.options.registry => {
                let mut world = self.world.clone();
                if let Some(change) = change_of_limits(&mut self.dice, &mut world)
                    && self.add(json!({"at": at, "input": "registry", "changes": [change]}))
                {
                    self.world = world;
                }
            }
            3..=6 => self.starts(at),
            7..=9 => self.crosses(at),
            10 | 11 => self.frees(at, None),
            12 | 13 => self.carries(at),
            _ => self.reports(at),
        }
    }

    /// A device, mostly one that others need.
    fn needed_device(&mut self) -> String {
        let needed: Vec<String> = (self.model.devices.values())
            .flat_map(|d| d.doc.limits.needed().to_vec())
            .collect();
        match needed.is_empty() || self.dice.chance(30) {
            true => self.any_device(),
            false => self.dice.pick(&needed).clone(),
        }
    }

    /// Readings cross the level of a type.
    fn crosses(&mut self, at: i64) {
        let n = self.dice.below(self.above.len());
        self.above[n] = !self.above[n];
        let (kind, above) = (self.world.levels[n].0, self.above[n]);
        for round in 0..3 {
            for sensor in self.world.sensors.clone() {
                if sensor["type"] == kind {
                    let value = self.world.value(&mut self.dice, kind, above);
                    self.add(json!({"at": at + round * 600, "input": "reading",
                        "sensor": sensor["id"], "value": value}));
                }
            }
        }
    }

    /// Nothing keeps a device from being commanded any more.
    fn frees(&mut self, at: i64, device: Option<&str>) {
        let device = device.map_or_else(|| self.needed_device(), Into::into);
        self.add(
            json!({"at": at, "input": "device", "device": device, "online": true,
            "lock": null, "safety": false}),
        );
    }

    /// Somebody starts a device, or lets go of it.
    fn starts(&mut self, at: i64) {
        let device = match self.dice.chance(50) {
            true => self.needed_device(),
            false => self.any_device(),
        };
        let admin = self.dice.chance(50);
        let mut input = json!({"at": at, "input": "manual", "device": device, "admin": admin});
        let kind = self.dice.below(10);
        if kind < 2 {
            input["cmd_type"] = json!("release");
            input["action"] = Value::Null;
            input["value"] = Value::Null;
            input["duration_sec"] = json!(0);
        } else if kind < 6 {
            input["cmd_type"] = json!("pulse");
            input["action"] = json!("pulse");
            input["value"] = json!(*self.dice.pick(&[1, 5, 10, 20, 30, 60]));
            input["duration_sec"] = json!(0);
        } else {
            input["cmd_type"] = json!("override");
            input["action"] = json!("on");
            input["duration_sec"] = json!(*self.dice.pick(&[1, 5, 30, 600]));
            if self.dice.chance(25) {
                input["action"] = json!("set_flow_rate");
                input["value"] = json!(*self.dice.pick(&[0.1, 2.5, 10.0]));
            }
        }
        if self
            .world
            .devices
            .iter()
            .any(|d| d["id"] == device.as_str())
        {
            self.add(input);
        }
    }

    /// A device, mostly one that others need, is reported to do what was sent to it, or something else.
    fn reports(&mut self, at: i64) {
        let device = self.needed_device();
        let sent = self.model.devices.get(&device);
        let is_on = sent
            .and_then(|d| d.last_sent.as_ref())
            .is_some_and(Setting::is_on);
        let running = match self.dice.below(10) {
            0..=5 => json!(is_on),
            6 | 7 => json!(true),
            8 => json!(false),
            _ => Value::Null,
        };
        let mut input = json!({"at": at, "input": "device", "device": device, "running": running});
        if self.dice.chance(15) {
            input["online"] = json!(self.dice.chance(75));
        }
        self.add(input);
    }

    /// A device comes to carry another, that one starts, and then something happens to the first.
    fn carries(&mut self, at: i64) {
        let devices = self.model.devices.values();
        let pairs = devices.flat_map(|d| {
            let needed = d.doc.limits.needed().iter();
            needed.map(|n| (d.doc.id.clone(), n.clone()))
        });
        let pairs: Vec<(String, String)> = pairs.collect();
        if pairs.is_empty() {
            return;
        }
        let (needing, needed) = self.dice.pick(&pairs).clone();
        let override_of = |at: i64, id: &str, action: &str, sec: i64| {
            json!({"at": at, "input": "manual", "device": id, "admin": true, "cmd_type": "override",
                "action": action, "value": null, "duration_sec": sec})
        };
        let reported = |at: i64, id: &str, running: Value| json!({"at": at, "input": "device", "device": id, "running": running});
        self.frees(at, Some(&needed));
        self.frees(at, Some(&needing));
        let lasts = *self.dice.pick(&[8, 30, 600]);
        self.add(override_of(at, &needed, "on", lasts));
        self.add(reported(at, &needed, json!(true)));
        let at = at + *self.dice.pick(&[0, 999, 1_000, 3_000, 5_000, 10_000]);
        let lasts = *self.dice.pick(&[1, 30, 600]);
        self.add(override_of(at, &needing, "on", lasts));
        if self.dice.chance(40) {
            self.add(reported(at, &needing, json!(true)));
        }
        let at = at + *self.dice.pick(&[0, 1, 2_000, 20_000]);
        let then = match self.dice.below(6) {
            0 => reported(at, &needed, json!(false)),
            1 => reported(at, &needed, Value::Null),
            2 => override_of(at, &needed, "off", 30),
            3 => json!({"at": at, "input": "device", "device": needed, "online": false}),
            4 => json!({"at": at, "input": "stop", "device": needed, "owner": self.person()}),
            _ => json!({"at": at, "input": "tick"}),
        };
        self.add(then);
        let at = at + *self.dice.pick(&[0, 1_000, 59_999, 60_000]);
        self.reports(at);
    }
}
