//! What a controller says of itself and its devices.

use serde_json::{Value, json};

use super::registry::{mac_of, of_controller, put};
use super::{Does, Farm, Remembered};
use crate::document::{Malformed, list, malformed};
use crate::number::text_of_micros;

impl Farm {
    /// The last connection of a controller is lost: a report that it is offline, where that is news.
    pub(super) fn gone(&mut self, mac: &str) {
        let is_online = |id: &String| self.model.devices[id].online;
        let its = of_controller(&self.devices, mac);
        if self.is_online(mac) || its.values().any(is_online) {
            self.take(mac, &json!({"online": false}), false);
        }
    }

    pub(super) fn report(&mut self, mac: &str, report: &Value) -> Result<(), Malformed> {
        let Some(online) = report["online"].as_bool() else {
            return malformed("a report that does not say whether it is online");
        };
        self.take(mac, report, online);
        Ok(())
    }

    fn take(&mut self, mac: &str, report: &Value, online: bool) {
        let was_online = self.is_online(mac);
        let found = match online && was_online {
            true => self.found(mac, report),
            false => Vec::new(),
        };
        self.register_reported(mac, report, online);
        let statuses = self.statuses(mac, report, online);
        self.remember(mac, report, online);
        for status in &statuses {
            self.own_input(status);
        }
        for decision in found {
            self.carry_out(decision);
        }
        self.tell_reported(mac, report, online);
        if online {
            self.controller_is_there(mac);
        }
        if online != was_online {
            self.tell("controller", &json!({"mac": mac, "online": online}));
        }
    }

    /// What a report names that is known, in its order, with the ids in the farm.
    pub(super) fn named<'a>(&self, mac: &str, report: &'a Value) -> Vec<(String, &'a Value)> {
        let its = of_controller(&self.devices, mac);
        let said = list(report, "devices").iter();
        said.filter_map(|said| Some((its.get(said["id"].as_str()?)?.clone(), said)))
            .collect()
    }

    /// What is new or of another type is registered, all together.
    fn register_reported(&mut self, mac: &str, report: &Value, online: bool) {
        let (mut changes, mut refused) = (Vec::new(), Vec::new());
        let mut sensors = self.sensors.clone();
        for said in list(report, "sensors") {
            let (own, kind) = (said["id"].as_str().unwrap_or(""), &said["type"]);
            let doc = match of_controller(&sensors, mac).get(own).map(|id| &sensors[id]) {
                Some(known) if known["type"] == *kind => continue,
                Some(known) => {
                    let mut doc = known.clone();
                    doc["type"] = kind.clone();
                    Ok(doc)
                }
                None => self.new_sensor(&sensors, mac, own, kind.as_str().unwrap_or("")),
            };
            match doc {
                Ok(doc) => {
                    put(&mut sensors, &doc);
                    changes.push(json!({"put_sensor": doc}));
                }
                Err(reject) => refused.push(reject),
            }
        }
        let mut devices = self.devices.clone();
        for said in list(report, "devices") {
            match self.device_to_put(&devices, mac, said, online) {
                Ok(Some(doc)) => {
                    put(&mut devices, &doc);
                    changes.push(json!({"put_device": doc}));
                }
                Ok(None) => {}
                Err(reject) => refused.push(reject),
            }
        }
        let input = json!({"at": self.at, "input": "registry", "changes": changes});
        for reject in refused {
            self.refuse(reject);
        }
        if !changes.is_empty() && self.input(&input).is_err() {
            self.refuse("refused");
        }
    }

    /// The status inputs, by own id: what differs from what the engine knows.
    fn statuses(&self, mac: &str, report: &Value, online: bool) -> Vec<Value> {
        let mut statuses = Vec::new();
        for (own, id) in of_controller(&self.devices, mac) {
            let before = self.remembered.get(&id).cloned().unwrap_or_default();
            let device = &self.model.devices[&id];
            let said = list(report, "devices").iter().find(|d| d["id"] == *own);
            let is_there = match report["devices"].is_null() {
                true => online && !before.gone,
                false => online && said.is_some(),
            };
            let mut line = json!({"at": self.at, "input": "device", "device": id});
            if is_there != device.online {
                line["online"] = json!(is_there);
            }
            let own_lock = device.locks.get(&("controller".into(), String::new()));
            match said.and_then(|s| s.get("lock")) {
                Some(Value::String(reason)) if own_lock != Some(reason) => {
                    line["lock"] = json!(reason);
                    line["lock_kind"] = json!("controller");
                }
                Some(Value::Null) if own_lock.is_some() && is_there => {
                    line["lock"] = Value::Null;
                    line["lock_kind"] = json!("controller");
                }
                _ => {}
            }
            match said.and_then(|s| s["safety"].as_bool()) {
                Some(true) if !before.safety && !device.safety => line["safety"] = json!(true),
                Some(false) if before.safety && device.safety => line["safety"] = json!(false),
                _ => {}
            }
            let running = self.reported_running(&id, report, online, said);
            if self.model.is_watched(&id) && running != device.running {
                line["running"] = json!(running);
            }
            if line.as_object().is_some_and(|line| line.len() > 3) {
                statuses.push(line);
            }
        }
        statuses
    }

    /// Whether a device is on by this report.
    fn reported_running(
        &self,
        id: &str,
        report: &Value,
        online: bool,
        said: Option<&Value>,
    ) -> Option<bool> {
        match (online, report["devices"].is_null()) {
            (false, _) => None,
            (true, true) => self.remembered.get(id)?.running,
            (true, false) => said?["on"].as_bool(),
        }
    }

    /// Of the devices that active rules name, or others need, the engine is told what their controllers last reported.
    pub(super) fn tell_rules_what_runs(&mut self) {
        for id in self.model.device_ids() {
            let mac = self.controller_of(&id).filter(|mac| self.is_online(mac));
            let running = mac.and_then(|_| self.remembered.get(&id)?.running);
            if self.model.is_watched(&id) && self.model.devices[&id].running != running {
                self.own_input(
                    &json!({"at": self.at, "input": "device", "device": id, "running": running}),
                );
            }
        }
    }

    fn remember(&mut self, mac: &str, report: &Value, online: bool) {
        let at = self.at;
        self.controller(mac).online = online;
        if !report["sensors"].is_null() {
            let is_named = |own: &String| list(report, "sensors").iter().any(|s| s["id"] == **own);
            let its = of_controller(&self.sensors, mac).into_keys();
            self.controller(mac).gone = its.filter(|own| !is_named(own)).collect();
        }
        for (own, id) in of_controller(&self.devices, mac) {
            let said = list(report, "devices").iter().find(|d| d["id"] == *own);
            let running = self.reported_running(&id, report, online, said);
            let device = self.remembered(&id);
            device.running = running;
            if !report["devices"].is_null() {
                device.gone = said.is_none();
            }
            if let Some(said) = said {
                device.hear(said, at);
            }
            if !online || device.lock || device.safety {
                device.astray = None;
            }
        }
    }

    /// Tells what a report says that devices do; their commands hear of it.
    fn tell_reported(&mut self, mac: &str, report: &Value, online: bool) {
        if !online {
            for device in of_controller(&self.devices, mac).into_values() {
                self.tell("reported", &json!({"device": device, "on": null}));
            }
        }
        for (device, said) in self.named(mac, report) {
            let Some(does) = Does::of(said) else {
                continue;
            };
            if online {
                let shown: Option<Value> = does.value.and_then(|v| text_of_micros(v).parse().ok());
                self.tell(
                    "reported",
                    &json!({"device": device, "on": does.on, "value": shown}),
                );
            }
            self.heard(&device, does);
        }
    }

    /// The controller that a device belongs to.
    pub(super) fn controller_of(&self, device: &str) -> Option<String> {
        mac_of(self.devices.get(device)?)
    }
}

impl Remembered {
    fn hear(&mut self, said: &Value, at: i64) {
        if let Some(does) = Does::of(said) {
            if self.does.is_none_or(|before| before.on != does.on) {
                self.since = at;
            }
            self.does = Some(does);
        }
        if let Some(reason) = said.get("lock") {
            self.lock = !reason.is_null();
        }
        if let Some(safety) = said["safety"].as_bool() {
            self.safety = safety;
        }
    }
}
