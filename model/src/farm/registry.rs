//! Own ids and ids of the farm: what a controller has, and what is registered of what it tells.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Controller, Farm};
use crate::document::text;

/// The most sensors of one controller.
const MAX_SENSORS: usize = 4_096;
/// The most devices of one controller.
const MAX_DEVICES: usize = 256;
/// The longest own id in bytes: with a MAC and a slash before it, it is an id of the farm.
const MAX_OWN_ID_BYTES: usize = 115;

/// Documents by id, of sensors or of devices.
type Documents = BTreeMap<String, Value>;

/// Whose a document is, as twelve upper-case hex digits.
pub(super) fn mac_of(doc: &Value) -> Option<String> {
    let label = doc["controller"].as_str()?;
    Some(label.replace([':', '-'], "").to_uppercase())
}

/// The controller's own id of what has that id in the farm.
pub(super) fn own_id<'a>(id: &'a str, mac: &str) -> &'a str {
    let of = id.strip_prefix(mac).and_then(|rest| rest.strip_prefix('/'));
    of.unwrap_or(id)
}

/// What a controller has: own ids, in order, with the ids in the farm.
pub(super) fn of_controller(all: &Documents, mac: &str) -> BTreeMap<String, String> {
    let its = all
        .iter()
        .filter(|(_, doc)| mac_of(doc).as_deref() == Some(mac));
    its.map(|(id, _)| (own_id(id, mac).to_owned(), id.clone()))
        .collect()
}

fn is_usable(own: &str) -> bool {
    (1..=MAX_OWN_ID_BYTES).contains(&own.len()) && !own.chars().any(char::is_control)
}

/// What is registered of an own id that is not known, of that type: the one of that id and type that is nobody's, as it is;
/// else a new one, with an id that is free. The flag says whether it is new.
fn registered(all: &Documents, mac: &str, own: &str, kind: &Value) -> (Value, bool) {
    let taken = all.get(own);
    if let Some(doc) = taken.filter(|d| d["controller"].is_null() && d["type"] == *kind) {
        let mut adopted = doc.clone();
        adopted["controller"] = json!(mac);
        return (adopted, false);
    }
    let id = match taken {
        Some(_) => format!("{mac}/{own}"),
        None => own.to_owned(),
    };
    (json!({"id": id, "type": kind, "controller": mac}), true)
}

impl Farm {
    pub(super) fn scope_of(&self, mac: &str) -> Value {
        let scope = self.controllers.get(mac).and_then(|c| c.scope.clone());
        scope.unwrap_or_else(|| json!({"type": "farm"}))
    }

    /// The document of a sensor whose own id is not known, or why there is none.
    pub(super) fn new_sensor(
        &self,
        all: &Documents,
        mac: &str,
        own: &str,
        kind: &str,
    ) -> Result<Value, &'static str> {
        if !is_usable(own) {
            return Err("bad_id");
        }
        if of_controller(all, mac).len() >= MAX_SENSORS {
            return Err("too_many_things");
        }
        let (mut doc, is_new) = registered(all, mac, own, &json!(kind));
        if is_new {
            doc["scope"] = self.scope_of(mac);
            doc["stale_after_sec"] = json!(900);
        }
        Ok(doc)
    }

    /// The document of a device that is to be put because of a report, if one is; or why there is none.
    pub(super) fn device_to_put(
        &self,
        all: &Documents,
        mac: &str,
        said: &Value,
        online: bool,
    ) -> Result<Option<Value>, &'static str> {
        let own = said["id"].as_str().unwrap_or("");
        let its = of_controller(all, mac);
        if let Some(known) = its.get(own).map(|id| &all[id]) {
            let actions = &said["supportedActions"];
            if known["type"] != said["type"] {
                return Err("other_type");
            }
            if actions.is_null() || known["supportedActions"] == *actions {
                return Ok(None);
            }
            let mut doc = known.clone();
            doc["supportedActions"] = actions.clone();
            return Ok(Some(doc));
        }
        if its.len() >= MAX_DEVICES {
            return Err("too_many_things");
        }
        let (mut doc, is_new) = registered(all, mac, own, &said["type"]);
        if is_new {
            doc["scope"] = self.scope_of(mac);
            doc["name"] = json!(said["name"].as_str().unwrap_or(own));
            doc["supportedActions"] = said["supportedActions"].clone();
            doc["online"] = json!(online);
            if let Some(reason) = said["lock"].as_str() {
                doc["state"]["locks"] = json!([{"kind": "controller", "reason": reason}]);
            }
            if said["safety"] == true {
                doc["state"]["mode"] = json!("safety");
            }
        }
        Ok(Some(doc))
    }

    /// The controllers follow a change that the engine took.
    pub(super) fn follow(&mut self, change: &Value) {
        let sensor = &change["put_sensor"];
        let id = sensor["id"].as_str().unwrap_or("");
        if let Some(mac) = self.sensors.get(id).and_then(mac_of)
            && Some(&mac) != mac_of(sensor).as_ref()
        {
            self.controller(&mac).gone.remove(own_id(id, &mac));
        }
        put(&mut self.sensors, sensor);
        let device = &change["put_device"];
        let id = device["id"].as_str().unwrap_or("");
        if self.devices.get(id).and_then(mac_of) != mac_of(device) {
            self.remembered.remove(id);
        }
        put(&mut self.devices, device);
        if let Some(id) = change["delete_sensor"].as_str()
            && let Some(doc) = self.sensors.remove(id)
            && let Some(mac) = mac_of(&doc)
        {
            self.controller(&mac).gone.remove(own_id(id, &mac));
        }
        if let Some(id) = change["delete_device"].as_str() {
            self.devices.remove(id);
            self.remembered.remove(id);
            self.looks.remove(id);
        }
    }

    /// Which own ids of sensors a controller has and announces.
    pub(super) fn announced(&self, all: &Documents, mac: &str) -> Vec<(String, String)> {
        let nothing = BTreeSet::new();
        let gone = self
            .controllers
            .get(mac)
            .map_or(&nothing, |c: &Controller| &c.gone);
        let its = of_controller(all, mac).into_iter();
        its.filter(|(own, _)| !gone.contains(own)).collect()
    }
}

/// Registers a document, if it is one.
pub(super) fn put(all: &mut Documents, doc: &Value) {
    if let Ok(id) = text(doc, "id") {
        all.insert(id.to_owned(), doc.clone());
    }
}
