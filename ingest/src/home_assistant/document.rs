//! What a farm says to Home Assistant, as messages that a broker keeps: pure, from the engine's state.
//!
//! Each thing has a document under `homeassistant/COMPONENT/harit-FARM/OBJECT/config`, a state and whether that is known under
//! `harit-ha/FARM/`. Ids of things become words of Home Assistant's by [`object`], so that different ones stay different.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use harit_engine::{DeviceId, DeviceSpec, DeviceType, Engine, FarmId, ScopeSpec, SensorType};
use serde_json::{Value, json};

/// What is said of a farm at most.
pub(super) const MAX_ENTITIES: usize = 2_000;
/// Where Home Assistant says that it is there.
pub(super) const BIRTH: &str = "homeassistant/status";

/// What begins the names of a farm's nodes, and the topics of states.
const NODE: &str = "harit-";
const STATES: &str = "harit-ha";

/// An id as a word of letters, digits, hyphens and `_xx`. Different ids have different words.
pub(super) fn object(id: &str) -> String {
    use std::fmt::Write as _;
    let mut word = String::with_capacity(id.len());
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            word.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(word, "_{byte:02x}");
        }
    }
    word
}

/// Whether a topic is one of those that are said here, by any farm.
pub(super) fn is_own(topic: &str) -> bool {
    let mut levels = topic.split('/');
    match levels.next() {
        Some(STATES) => true,
        Some("homeassistant") => levels.nth(1).is_some_and(|node| node.starts_with(NODE)),
        _ => false,
    }
}

/// The topics of a farm.
#[derive(Debug, Clone)]
pub(super) struct Names {
    farm: String,
}

impl Names {
    pub(super) fn new(farm: &FarmId) -> Self {
        Self {
            farm: object(farm.as_str()),
        }
    }

    /// Whether the farm is there.
    pub(super) fn status(&self) -> String {
        format!("{STATES}/{}/status", self.farm)
    }

    /// All documents of the farm that a broker may have kept.
    pub(super) fn kept_configs(&self) -> String {
        format!("homeassistant/+/{NODE}{}/+/config", self.farm)
    }

    /// All other topics of it: its states, which a broker may have kept, and commands.
    pub(super) fn topics(&self) -> String {
        format!("{STATES}/{}/#", self.farm)
    }

    /// The device that is commanded on a topic, if it is one of those.
    pub(super) fn commanded<'t>(&self, topic: &'t str) -> Option<&'t str> {
        let rest = topic.strip_prefix(STATES)?.strip_prefix('/')?;
        let rest = rest.strip_prefix(self.farm.as_str())?;
        let device = rest.strip_prefix("/device/")?.strip_suffix("/set")?;
        (!device.contains('/')).then_some(device)
    }

    /// The state of the switch of a device, by its word.
    pub(super) fn state_of(&self, device: &str) -> String {
        format!("{STATES}/{}/switch/{device}/state", self.farm)
    }

    fn of(&self, kind: &str, id: &str, last: &str) -> String {
        format!("{STATES}/{}/{kind}/{}/{last}", self.farm, object(id))
    }
}

/// Whether devices are reported to be on, by id.
pub(super) type Reports = BTreeMap<DeviceId, bool>;

/// Whether a device can be switched on from there where that is allowed: no doser, for nobody sees there what it gives, and nothing that
/// takes only a speed or a position.
pub(super) fn takes_on(spec: &DeviceSpec) -> bool {
    let said = spec.supported_actions.as_array().filter(|a| !a.is_empty());
    let has_on = said.is_none_or(|all| all.iter().any(|a| a["action"] == "on"));
    spec.device_type != DeviceType::DosingPump && has_on
}

/// What a farm says.
pub(super) struct Document {
    /// By topic.
    pub(super) messages: BTreeMap<String, Bytes>,
    /// How much there was no room for.
    pub(super) left_out: usize,
    /// Whether nothing is known of the farm.
    pub(super) is_away: bool,
}

/// A thing that is told of.
struct Entity<'a> {
    component: &'static str,
    kind: &'static str,
    id: &'a str,
    name: String,
    scope: &'a ScopeSpec,
    /// Its state, as long as one is known.
    state: Option<String>,
    more: Value,
}

impl Document {
    /// All of a farm, with what its controllers report of devices. With `commands` these can be switched off, and those that are
    /// named there on.
    pub(super) fn new(
        names: &Names,
        engine: &Engine,
        on: &Reports,
        commands: Option<&BTreeSet<DeviceId>>,
    ) -> Self {
        let mut this = Self {
            messages: BTreeMap::from([(names.status(), Bytes::from_static(b"online"))]),
            left_out: 0,
            is_away: false,
        };
        let mut told = 0;
        let mut add = |this: &mut Self, entity: Entity<'_>| {
            if told < MAX_ENTITIES {
                told += 1;
                this.add(names, engine, entity);
            } else {
                this.left_out += 1;
            }
        };
        for alert in engine.alerts() {
            let state = alert.spec.is_active.then(|| word(alert.active));
            let entity = Entity {
                component: "binary_sensor",
                kind: "alert",
                id: alert.spec.id.as_str(),
                name: alert.spec.name.clone(),
                scope: &ScopeSpec::farm(),
                state,
                more: json!({"device_class": "problem"}),
            };
            add(&mut this, entity);
        }
        for device in engine.devices() {
            let spec = &device.spec;
            if spec.device_type == DeviceType::Sensor {
                continue;
            }
            let running = on.get(&spec.id).copied().filter(|_| device.online);
            let set = names.of("device", spec.id.as_str(), "set");
            let entity = |component, kind, name, more| Entity {
                component,
                kind,
                id: spec.id.as_str(),
                name,
                scope: &spec.scope,
                state: running.map(word),
                more,
            };
            let class = match spec.device_type {
                of if of.opens() => "opening",
                DeviceType::Heater => "heat",
                DeviceType::Light => "light",
                _ => "running",
            };
            let class = json!({"device_class": class});
            let name = spec.name.clone();
            add(&mut this, entity("binary_sensor", "device", name, class));
            let Some(may_be_on) = commands else { continue };
            if may_be_on.contains(&spec.id) && takes_on(spec) {
                let both = json!({"command_topic": set, "payload_on": "ON", "payload_off": "OFF"});
                add(
                    &mut this,
                    entity("switch", "switch", spec.name.clone(), both),
                );
            } else {
                let off = json!({"command_topic": set, "payload_press": "PRESS"});
                let name = format!("{}: off", spec.name);
                add(&mut this, entity("button", "off", name, off));
            }
        }
        for sensor in engine.sensors() {
            let spec = &sensor.spec;
            let what = spec.sensor_type;
            let name = spec.name.clone();
            let name = name.unwrap_or_else(|| format!("{} {}", what.alert_name(), spec.id));
            let (class, unit) = measured(what);
            let counted = matches!(
                what,
                SensorType::Rain | SensorType::Volume | SensorType::Energy
            );
            let state_class = if counted {
                "total_increasing"
            } else {
                "measurement"
            };
            let mut more = json!({"state_class": state_class});
            if let Some(class) = class {
                more["device_class"] = class.into();
            }
            if !unit.is_empty() {
                more["unit_of_measurement"] = unit.into();
            }
            let entity = Entity {
                component: "sensor",
                kind: "sensor",
                id: spec.id.as_str(),
                name,
                scope: &spec.scope,
                state: sensor.value.map(|value| value.to_string()),
                more,
            };
            add(&mut this, entity);
        }
        this
    }

    /// Of a farm of which nothing is known.
    pub(super) fn away(names: &Names) -> Self {
        Self {
            messages: BTreeMap::from([(names.status(), Bytes::from_static(b"offline"))]),
            left_out: 0,
            is_away: true,
        }
    }

    fn add(&mut self, names: &Names, engine: &Engine, entity: Entity<'_>) {
        let Entity {
            component,
            kind,
            id,
            name,
            scope,
            state,
            more,
        } = entity;
        let word = object(id);
        let unique = format!("harit__{}__{kind}__{word}", names.farm);
        let (known, state_topic) = (names.of(kind, id, "known"), names.of(kind, id, "state"));
        let mut config = json!({
            "name": name,
            "unique_id": unique,
            // What its entity is called, for those before 2025.10 and since.
            "object_id": unique,
            "default_entity_id": format!("{component}.{unique}"),
            "availability": [{"topic": names.status()}, {"topic": known}],
            "availability_mode": "all",
            "device": place(names, engine, scope),
            "origin": {"name": "Harit", "sw_version": env!("CARGO_PKG_VERSION")},
        });
        if component != "button" {
            config["state_topic"] = state_topic.as_str().into();
        }
        if let (Value::Object(config), Value::Object(more)) = (&mut config, more) {
            config.extend(more);
        }
        let said = if state.is_some() { "online" } else { "offline" };
        self.messages
            .insert(known, Bytes::from_static(said.as_bytes()));
        if let Some(state) = state.filter(|_| component != "button") {
            self.messages.insert(state_topic, Bytes::from(state));
        }
        let topic = format!(
            "homeassistant/{component}/{NODE}{}/{kind}-{word}/config",
            names.farm
        );
        self.messages.insert(topic, Bytes::from(config.to_string()));
    }
}

fn word(on: bool) -> String {
    if on { "ON" } else { "OFF" }.to_owned()
}

/// A place as what Home Assistant calls a device: its things stand together there.
fn place(names: &Names, engine: &Engine, scope: &ScopeSpec) -> Value {
    let labelled = engine.labelled(scope);
    let name = labelled.and_then(|s| s.path.or(s.name));
    let id = match (&scope.polyhouse_id, &scope.zone_id) {
        (_, Some(zone)) => format!("zone__{}", object(zone.as_str())),
        (Some(polyhouse), None) => format!("polyhouse__{}", object(polyhouse.as_str())),
        (None, None) => "farm".to_owned(),
    };
    json!({
        "identifiers": [format!("harit__{}__{id}", names.farm)],
        "name": name.unwrap_or_else(|| id.clone()),
        "manufacturer": "Harit",
    })
}

/// The class that Home Assistant knows for what is measured, if any, and the unit as it spells it.
fn measured(what: SensorType) -> (Option<&'static str>, &'static str) {
    use SensorType as S;
    let class = match what {
        S::Temperature | S::SoilTemperature | S::WaterTemperature | S::DewPoint | S::WetBulb => {
            "temperature"
        }
        S::Humidity => "humidity",
        S::SoilMoisture => "moisture",
        S::Ph => "ph",
        S::LightIntensity => "illuminance",
        S::Co2Level => "carbon_dioxide",
        S::CoLevel => "carbon_monoxide",
        S::AirPressure => "atmospheric_pressure",
        S::LinePressure | S::VapourPressureDeficit => "pressure",
        S::WindSpeed => "wind_speed",
        S::Rain => "precipitation",
        S::RainRate => "precipitation_intensity",
        S::Flow => "volume_flow_rate",
        S::Volume => "water",
        S::SolarRadiation => "irradiance",
        S::Battery => "battery",
        S::Voltage => "voltage",
        S::Current => "current",
        S::Power => "power",
        S::Energy => "energy",
        S::Frequency => "frequency",
        S::Weight => "weight",
        S::Distance => "distance",
        S::Hours => "duration",
        // Others have no class there, or one that earlier versions refuse.
        _ => return (None, what.unit()),
    };
    let unit = match what {
        S::LightIntensity => "lx",
        _ => what.unit(),
    };
    (Some(class), unit)
}

#[cfg(test)]
mod tests;
