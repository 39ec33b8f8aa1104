//! What Tasmota, Zigbee2MQTT, Shelly, Homie and servers of LoRaWAN announce, each in its own way.

use serde_json::Value;

use super::{Announcement, Introduced, Said, announced, short, text};
use crate::candidate::candidates;
use crate::document::PayloadKind;
use crate::guess::{Basis, guess};

/// The topic of the sensors of a Tasmota, by its own description: its topic, prefixes and the order of both.
pub(super) fn tasmota_topic(config: &Value) -> Option<String> {
    let topic = text(config, "t")?;
    let order = text(config, "ft").unwrap_or("%prefix%/%topic%/");
    let prefix = config.get("tp").and_then(|all| all.get(2));
    let prefix = prefix.and_then(Value::as_str).unwrap_or("tele");
    let base = order.replace("%prefix%", prefix).replace("%topic%", topic);
    // Other parts of it (%hostname%, %id%) are not told here.
    let base = base.trim_end_matches('/');
    (!base.contains('%')).then(|| format!("{base}/SENSOR"))
}

pub(super) fn tasmota_config(config: &Value, said: &mut Said) {
    if let Some(topic) = text(config, "t") {
        said.things.push(Introduced {
            system: "tasmota",
            thing: topic.to_owned(),
            name: text(config, "dn").map(short),
            model: text(config, "md").map(short),
        });
    }
}

/// The sensors of a Tasmota as it would publish them, with the units that it says.
pub(super) fn tasmota_sensors(topic: &str, body: &Value, said: &mut Said) {
    let Some(sensors) = body.get("sn") else {
        return;
    };
    let Ok((payload, all)) = candidates(topic, sensors.to_string().as_bytes()) else {
        return;
    };
    for mut candidate in all {
        let unit = match candidate.name.as_str() {
            "Temperature" | "DewPoint" => text(sensors, "TempUnit"),
            "Pressure" | "SeaPressure" => text(sensors, "PressureUnit"),
            _ => None,
        };
        if let Some(unit) = unit {
            let again = guess(&candidate.name, &candidate.at, Some(unit), None);
            candidate.types = again.types;
            candidate.unit = again.unit;
            candidate.is_sure = again.is_sure;
        }
        if candidate.is_of_the_message() || candidate.types.is_empty() {
            continue;
        }
        candidate.value = None;
        candidate.basis = Some(Basis::Announced);
        said.numbers.push(Announcement {
            system: "tasmota",
            topic: topic.to_owned(),
            payload,
            candidate,
        });
    }
}

/// The list of a Zigbee2MQTT's devices: each with what it exposes.
pub(super) fn zigbee2mqtt(topic: &str, body: &Value, said: &mut Said) {
    let Some(base) = topic.strip_suffix("/bridge/devices") else {
        return;
    };
    for device in body.as_array().into_iter().flatten() {
        let Some(name) = text(device, "friendly_name") else {
            continue;
        };
        if text(device, "type") == Some("Coordinator") {
            continue;
        }
        let definition = device.get("definition").unwrap_or(&Value::Null);
        said.things.push(Introduced {
            system: "zigbee2mqtt",
            thing: name.rsplit('/').next().unwrap_or(name).to_owned(),
            name: Some(short(name)),
            model: text(definition, "description").map(short),
        });
        let exposes = definition.get("exposes").and_then(Value::as_array);
        for expose in exposes.into_iter().flatten() {
            exposed(&format!("{base}/{name}"), expose, said);
        }
    }
}

fn exposed(topic: &str, expose: &Value, said: &mut Said) {
    // Parts of a light or a thermostat.
    let parts = expose.get("features").and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        if text(part, "type") == Some("numeric") {
            exposed(topic, part, said);
        }
    }
    let Some(property) =
        text(expose, "property").filter(|_| text(expose, "type") == Some("numeric"))
    else {
        return;
    };
    // The first bit says that it is published; without it, it can only be set or asked.
    let is_published = expose
        .get("access")
        .and_then(Value::as_u64)
        .is_none_or(|a| a & 1 == 1);
    let candidate = announced(
        property.replace('~', "~0").replace('/', "~1"),
        property,
        text(expose, "label"),
        None,
        text(expose, "unit"),
    );
    if is_published && !candidate.is_of_the_message() && !candidate.types.is_empty() {
        said.numbers.push(Announcement {
            system: "zigbee2mqtt",
            topic: topic.to_owned(),
            payload: PayloadKind::Json,
            candidate,
        });
    }
}

/// A Shelly of the first generation.
pub(super) fn shelly(body: &Value, said: &mut Said) {
    said.things.extend(text(body, "id").map(|id| Introduced {
        system: "shelly",
        thing: id.to_owned(),
        name: None,
        model: text(body, "model").map(short),
    }));
}

/// A device of Homie 5: nodes with properties.
pub(super) fn homie(topic: &str, body: &Value, said: &mut Said) {
    let Some(base) = topic.strip_suffix("/$description") else {
        return;
    };
    let thing = base.rsplit('/').next().unwrap_or(base);
    said.things.push(Introduced {
        system: "homie",
        thing: thing.to_owned(),
        name: text(body, "name").map(short),
        model: None,
    });
    let members = |of: &Value, key: &str| -> Vec<(String, Value)> {
        let all = of.get(key).and_then(Value::as_object);
        all.into_iter()
            .flatten()
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect()
    };
    for (node, description) in members(body, "nodes") {
        for (property, of) in members(&description, "properties") {
            let is_number = matches!(text(&of, "datatype"), Some("float" | "integer"));
            let candidate = announced(
                String::new(),
                &property,
                text(&of, "name"),
                None,
                text(&of, "unit"),
            );
            if is_number && !candidate.types.is_empty() {
                said.numbers.push(Announcement {
                    system: "homie",
                    topic: format!("{base}/{node}/{property}"),
                    payload: PayloadKind::Text,
                    candidate,
                });
            }
        }
    }
}

/// An uplink of ChirpStack: who the device is and what profile it was given.
pub(super) fn chirpstack(body: &Value, said: &mut Said) {
    let Some(device) = body.get("deviceInfo") else {
        return;
    };
    said.things
        .extend(text(device, "devEui").map(|eui| Introduced {
            system: "lorawan",
            thing: eui.to_owned(),
            name: text(device, "deviceName").map(short),
            model: text(device, "deviceProfileName").map(short),
        }));
}

/// An uplink of The Things Stack.
pub(super) fn things_stack(body: &Value, said: &mut Said) {
    let ids = body.get("end_device_ids").unwrap_or(&Value::Null);
    let uplink = body.get("uplink_message").unwrap_or(&Value::Null);
    let version = uplink.get("version_ids").unwrap_or(&Value::Null);
    said.things
        .extend(text(ids, "device_id").map(|id| Introduced {
            system: "lorawan",
            thing: id.to_owned(),
            name: None,
            model: text(version, "model_id").map(short),
        }));
}
