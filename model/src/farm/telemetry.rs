//! Messages of readings: which sensor an entry means, and what is registered first.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Farm;
use super::registry::{of_controller, put};
use crate::document::{list, plausible};
use crate::sensor_type::sensor_type;

/// How many messages of a controller are remembered.
const REMEMBERED: usize = 16;

impl Farm {
    pub(super) fn telemetry(&mut self, mac: &str, message: &Value) {
        let controller = self.controller(mac);
        if let (Some(seq), Some(crc)) = (message["seq"].as_u64(), message["crc"].as_u64()) {
            if controller.messages.contains(&(seq, crc)) {
                return self.tell("repeated", &json!({}));
            }
            controller.messages.push((seq, crc));
            if controller.messages.len() > REMEMBERED {
                controller.messages.remove(0);
            }
        }
        let entries = list(message, "sensors");
        let mut sensors = self.sensors.clone();
        let mut changes = Vec::new();
        let mut readings = Vec::new();
        for entry in entries {
            match self.sensor_of(&mut sensors, mac, entry, entries, &mut changes) {
                Ok(id) => readings.push((id, entry["value"].clone())),
                Err(reject) => self.refuse(reject),
            }
        }
        let input = json!({"at": self.at, "input": "registry", "changes": changes});
        if !changes.is_empty() && self.input(&input).is_err() {
            return self.refuse("refused");
        }
        if message["backlog"] == true {
            return;
        }
        let at = message["ts"].as_i64().unwrap_or(self.at);
        for (sensor, value) in readings {
            self.own_input(
                &json!({"at": at, "input": "reading", "sensor": sensor, "value": value}),
            );
        }
    }

    /// The id of the sensor that an entry means; what is to be registered for it goes to `sensors` and `changes`.
    fn sensor_of(
        &self,
        sensors: &mut BTreeMap<String, Value>,
        mac: &str,
        entry: &Value,
        entries: &[Value],
        changes: &mut Vec<Value>,
    ) -> Result<String, &'static str> {
        let kind = entry["type"].as_str();
        let its = of_controller(sensors, mac);
        let own = match (entry["id"].as_str(), kind) {
            (Some(own), _) => own.to_owned(),
            (None, None) => return Err("bad_id"),
            (None, Some(kind)) => {
                if plausible(kind).is_none() {
                    return Err("unknown_type");
                }
                let is_like = |e: &&Value| e["id"].is_null() && e["type"] == kind;
                let of_type: Vec<String> = (self.announced(sensors, mac).into_iter())
                    .filter(|(_, id)| sensors[id]["type"] == kind)
                    .map(|(own, _)| own)
                    .collect();
                if entries.iter().filter(is_like).count() > 1 || of_type.len() > 1 {
                    return Err("ambiguous");
                }
                of_type.first().map_or(kind, String::as_str).to_owned()
            }
        };
        if kind.is_some_and(|kind| plausible(kind).is_none()) {
            return Err("unknown_type");
        }
        if let Some(id) = its.get(&own) {
            let known = sensors[id]["type"].as_str().unwrap_or("");
            if kind.is_some_and(|kind| kind != known) {
                return Err("other_type");
            }
            check_unit(entry, known)?;
            return Ok(id.clone());
        }
        let Some(kind) = kind else {
            return Err("bad_id");
        };
        check_unit(entry, kind)?;
        let doc = self.new_sensor(sensors, mac, &own, kind)?;
        put(sensors, &doc);
        let id = doc["id"].as_str().unwrap_or("").to_owned();
        changes.push(json!({"put_sensor": doc}));
        Ok(id)
    }
}

fn check_unit(entry: &Value, kind: &str) -> Result<(), &'static str> {
    let unit = sensor_type(kind).map_or("", |t| t.unit);
    match entry["unit"].as_str() {
        Some(said) if said != unit && (kind, said) != ("ph", "pH") => Err("unit"),
        _ => Ok(()),
    }
}
