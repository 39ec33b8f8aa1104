//! What a seed stands for: a farm with its controllers, its rules, and what people will do to it.
//!
//! The documents come from the model's generator, made fit for hardware: every sensor and device has a controller, rules ask
//! devices only for what such devices can do, and times are those of a farm rather than of a test of single instants.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use harit_engine::{DeviceType, FarmDocument, FarmId, InputKind, SensorType};
use harit_ingest::simulation::{Archive, ServerConfig, Storage};
use harit_journal::MemoryDisk;
use harit_model::generate::{Dice, Options, Programs, case};
use harit_protocol::{Mac, may_go_on};
use harit_simulate::controller::{ControllerKind, ControllerSpec, DevicePart, SensorPart};
use harit_simulate::model::{Actuator, Grade, Probe};
use serde_json::{Value, json};

use crate::time::{START_MS, VirtualTime};
use crate::wire::{Records, Wire};

/// The most inputs that the generator is asked for; people do as many of them as there are.
const WISHES: (i64, i64) = (60, 220);

/// A farm as it is built.
#[derive(Debug, Clone)]
pub struct FarmPlan {
    /// Its id.
    pub id: FarmId,
    /// Its document, as it is added to the server.
    pub document: FarmDocument,
    /// The same as JSON, for the model.
    pub json: Value,
    /// Its controllers.
    pub controllers: Vec<ControllerPlan>,
    /// What people would do, in order.
    pub wishes: Vec<InputKind>,
    /// Where the thresholds of each type lie.
    pub levels: Vec<(SensorType, f64)>,
}

/// A controller as it is built.
#[derive(Debug, Clone)]
pub struct ControllerPlan {
    /// Its MAC.
    pub mac: Mac,
    /// Its sensors, devices and habits.
    pub spec: ControllerSpec,
    /// How far its clock is off, in milliseconds.
    pub skew_ms: i64,
    /// Whether what it has not yet got rid of survives its restart.
    pub keeps_outbox: bool,
}

/// A number of the type's unit.
fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

fn sensor_type(word: &str) -> Option<SensorType> {
    SensorType::ALL.into_iter().find(|t| t.as_str() == word)
}

fn device_type(word: &str) -> DeviceType {
    match word {
        "fan" => DeviceType::Fan,
        "vent" => DeviceType::Vent,
        "pump" => DeviceType::Pump,
        "valve" => DeviceType::Valve,
        _ => DeviceType::DosingPump,
    }
}

/// Turns an order into the nearest that a device of the type can do.
fn fit_order(order: &mut Value, of: &str) {
    let action = order["action"].as_str().unwrap_or("on").to_owned();
    match (of, action.as_str()) {
        (_, "on" | "off") | ("pump" | "valve" | "dosing_pump", "pulse") => {}
        ("fan", "set_speed") | ("vent", "set_position") | ("dosing_pump", "set_flow_rate") => {}
        ("fan", "set_position") => order["action"] = json!("set_speed"),
        ("vent", "set_speed") => order["action"] = json!("set_position"),
        ("dosing_pump", _) => *order = json!({"action": "set_flow_rate", "value": 2.5}),
        _ => *order = json!({"action": "on"}),
    }
}

/// Seconds of a farm: rules and overrides of a test's few seconds become minutes.
fn slower(seconds: &mut Value, by: i64) {
    if let Some(s) = seconds.as_i64().filter(|s| *s > 0 && *s <= 120) {
        *seconds = json!(s * by);
    }
}

fn fit_rule(dice: &mut Dice, rule: &mut Value, types: &[(String, String)]) {
    let by = *dice.pick(&[1, 4, 10]);
    for part in ["trigger", "stop_condition"] {
        if rule[part].get("duration_sec").is_some() {
            slower(&mut rule[part]["duration_sec"], by);
        }
    }
    for action in rule["actions"].as_array_mut().into_iter().flatten() {
        let id = action["device_id"].as_str().unwrap_or("").to_owned();
        let of = types.iter().find(|(d, _)| *d == id).map_or("fan", |t| &t.1);
        let percent = |action: &Value| {
            let command = action["command"]["action"].as_str();
            matches!(command, Some("set_speed" | "set_position"))
        };
        let (before, was_percent) = (action["command"].clone(), percent(action));
        fit_order(&mut action["command"], of);
        // A curve is for the commands that it was made for.
        let fits = action["command"] == before || was_percent && percent(action);
        if let Some(action) = action.as_object_mut().filter(|_| !fits) {
            action.remove("curve");
        }
        slower(&mut action["delay_sec"], by);
    }
}

/// Puts the farm's own id where the generator wrote its one.
fn renamed(value: &Value, id: &str) -> Value {
    let text = value
        .to_string()
        .replace(r#""farmId":"f1""#, &format!(r#""farmId":"{id}""#));
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

/// The farm of a seed. Its number decides id and MACs, and nothing else. With programs most seeds have rules of version 2, and
/// what these wait for lies within so many milliseconds of the start.
#[must_use]
pub fn farm(seed: u64, n: usize, programs: Option<i64>) -> FarmPlan {
    let options = Options {
        inputs: WISHES,
        malformed: false,
        registry: false,
        kinds: true,
        programs: programs.map_or(Programs::None, |span| Programs::About {
            from: START_MS,
            to: START_MS + span,
        }),
        limits: programs.is_some(),
        setpoints: true,
        only_if: true,
        hours: programs.is_some(),
    };
    let case = case(seed, options);
    let mut dice = Dice::new(seed ^ 0xFA23);
    let id = format!("farm-{n}");
    let mut doc = renamed(&case.farm, &id);
    doc["farm"]["id"] = json!(id);
    let count = 1 + usize::from(dice.chance(67)) + usize::from(dice.chance(15));
    let macs: Vec<String> = (0..count)
        .map(|c| format!("A4CF12{n:02X}00{c:02X}"))
        .collect();
    let report_every = Duration::from_secs(*dice.pick(&[10, 20, 30, 30, 60, 60]));
    for sensor in doc["sensors"].as_array_mut().into_iter().flatten() {
        sensor["controller"] = json!(dice.pick(&macs));
        sensor["stale_after_sec"] = json!(*dice.pick(&[45, 120, 300, 900]));
    }
    let mut types = Vec::new();
    for device in doc["devices"].as_array_mut().into_iter().flatten() {
        device["controller"] = json!(dice.pick(&macs));
        device["online"] = json!(false);
        if device["type"] == "sensor" {
            device["type"] = json!("valve");
        }
        let of = device["type"].as_str().unwrap_or("").to_owned();
        for field in ["rest", "safe"] {
            if device[field].is_object() {
                fit_order(&mut device[field], &of);
            }
        }
        slower(&mut device["max_on_sec"], 10);
        types.push((device["id"].as_str().unwrap_or("").to_owned(), of));
    }
    for rule in doc["rules"].as_array_mut().into_iter().flatten() {
        fit_rule(&mut dice, rule, &types);
    }
    let levels = levels(&doc);
    let wished = case.inputs.iter();
    let wished = wished.filter_map(|input| wish(&mut dice, renamed(input, &id), &types));
    let wishes = programs.map(|_| almanac()).into_iter().chain(wished);
    let wishes = wishes.collect();
    let controllers = macs
        .iter()
        .map(|mac| controller(&mut dice, &doc, mac, report_every))
        .collect();
    let document = match FarmDocument::from_json(&doc) {
        Ok(document) => document,
        Err(problems) => unreachable!("a planned farm makes sense, but {problems} in {doc}"),
    };
    FarmPlan {
        id: FarmId::from(id.as_str()),
        document,
        json: doc,
        controllers,
        wishes,
        levels,
    }
}

/// The days about the start, in India.
fn almanac() -> InputKind {
    const DAY_MS: i64 = 86_400_000;
    const OFFSET: i64 = 19_800;
    let today = (START_MS + OFFSET * 1_000).div_euclid(DAY_MS);
    let day = |n: i64| {
        let from = n * DAY_MS - OFFSET * 1_000;
        json!({"date": harit_model::generate::date(n), "from": from, "to": from + DAY_MS, "offset": OFFSET,
            "sunrise": from + 6 * 3_600_000, "sunset": from + 18 * 3_600_000})
    };
    let days: Vec<Value> = (today - 1..=today + 2).map(day).collect();
    match serde_json::from_value(json!(days)) {
        Ok(days) => InputKind::Almanac(days),
        Err(e) => unreachable!("days make sense: {e}"),
    }
}

/// The conditions on signals in a part of a rule, a tree or a schedule's guard too.
fn gather_conditions<'a>(part: &'a Value, found: &mut Vec<&'a Value>) {
    if part.get("sensor_type").is_some() {
        found.push(part);
    }
    let below = part
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.values());
    for value in below {
        match value {
            Value::Array(all) => all.iter().for_each(|v| gather_conditions(v, found)),
            Value::Object(_) => gather_conditions(value, found),
            _ => {}
        }
    }
}

fn levels(doc: &Value) -> Vec<(SensorType, f64)> {
    let mut levels: Vec<(SensorType, f64)> = Vec::new();
    let mut conditions = Vec::new();
    for rule in doc["rules"].as_array().into_iter().flatten() {
        gather_conditions(&rule["trigger"], &mut conditions);
        gather_conditions(&rule["stop_condition"], &mut conditions);
    }
    for condition in conditions {
        let (Some(t), Some(value)) = (
            condition["sensor_type"].as_str().and_then(sensor_type),
            number(&condition["value"]),
        ) else {
            continue;
        };
        if !levels.iter().any(|(known, _)| *known == t) {
            levels.push((t, value));
        }
    }
    levels
}

/// What a person may do: commands, locks, edits. The rest of the generator's inputs are made by the simulated farm itself.
fn wish(dice: &mut Dice, mut input: Value, types: &[(String, String)]) -> Option<InputKind> {
    match input["input"].as_str()? {
        "manual" => {
            let id = input["device"].as_str()?.to_owned();
            let of = types.iter().find(|(d, _)| *d == id).map(|t| t.1.clone())?;
            if input["cmd_type"] == "override" {
                let mut order = json!({"action": input["action"], "value": input["value"]});
                fit_order(&mut order, &of);
                if order["action"] == "pulse" {
                    order = json!({"action": "on"});
                }
                input["action"] = order["action"].clone();
                input["value"] = order["value"].clone();
                slower(&mut input["duration_sec"], 5);
            } else if input["cmd_type"] == "pulse" && matches!(of.as_str(), "fan" | "vent") {
                return None;
            }
        }
        "rule" if input["rule"].is_object() => {
            let mut rule = input["rule"].clone();
            fit_rule(dice, &mut rule, types);
            input["rule"] = rule;
        }
        "rule" | "alert" | "stop" | "almanac" => {}
        "device" => {
            // Whether a device is there its controller says, and what it locked itself; a person locks and unlocks.
            let fields = input.as_object_mut()?;
            fields.remove("online");
            if fields
                .get("lock_kind")
                .is_some_and(|kind| kind == "controller")
            {
                return None;
            }
            if !fields.contains_key("lock") && !fields.contains_key("safety") {
                return None;
            }
        }
        _ => return None,
    }
    harit_protocol::jsonl::parse(&input.to_string())
        .ok()
        .map(|i| i.kind)
}

/// At which per cent a machine goes on when its lease runs out: what no rule or person sends, so that a trace tells it.
pub(crate) const LEASE_END: f64 = 11.1;

fn controller(dice: &mut Dice, doc: &Value, mac: &str, report_every: Duration) -> ControllerPlan {
    let own = |list: &str| -> Vec<Value> {
        let all = doc[list].as_array().cloned().unwrap_or_default();
        all.into_iter().filter(|t| t["controller"] == mac).collect()
    };
    let sensors = own("sensors")
        .iter()
        .filter_map(|s| {
            let sensor_type = sensor_type(s["type"].as_str()?)?;
            Some(SensorPart {
                id: s["id"].as_str()?.to_owned(),
                sensor_type,
                // The field of this simulation is its own; the probe has no part in it.
                probe: Probe::Temperature(0),
                grade: Grade::usual(sensor_type),
            })
        })
        .collect();
    let devices = own("devices")
        .iter()
        .filter_map(|d| {
            let (id, device_type) = (d["id"].as_str()?, device_type(d["type"].as_str()?));
            // About half of those that may: by its name, so that it is none of the dice's.
            let goes_on = may_go_on(device_type) && id.bytes().map(u32::from).sum::<u32>() % 2 == 0;
            Some(DevicePart {
                id: id.to_owned(),
                name: "Device".to_owned(),
                device_type,
                actuator: Actuator::Vent { house: 0 },
                lease_end: goes_on.then_some(LEASE_END),
            })
        })
        .collect();
    let Ok(parsed) = Mac::parse(mac) else {
        unreachable!("{mac} is a MAC")
    };
    ControllerPlan {
        mac: parsed,
        spec: ControllerSpec {
            mac: mac.to_owned(),
            secret: String::new(),
            kind: ControllerKind::Polyhouse,
            name: mac.to_owned(),
            firmware: "1.0".to_owned(),
            has_clock: dice.chance(75),
            report_every,
            sensors,
            devices,
        },
        skew_ms: *dice.pick(&[0, 0, 0, 1_500, -2_000, 4_000]),
        keeps_outbox: dice.chance(50),
    }
}

/// What a server of these farms is started with: its journal is a file in `folder`, or in memory.
pub(crate) fn server(
    plans: &[FarmPlan],
    folder: Option<&Path>,
    time: &Arc<VirtualTime>,
    wire: &Wire,
    presence_grace: Duration,
) -> Result<ServerConfig, String> {
    let storage = match folder {
        Some(folder) => {
            let folder = folder.join("journal-0");
            std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
            Storage::File(folder)
        }
        None => Storage::Memory(MemoryDisk::default()),
    };
    let records = plans
        .iter()
        .flat_map(|p| p.controllers.iter().map(|c| (c.mac, p.id.clone())));
    Ok(ServerConfig {
        storage,
        archive: Archive::default(),
        clock: time.clone(),
        directory: Arc::new(Records::new(records)),
        downlink: wire.downlink(),
        presence_grace,
        journal_max_bytes: u64::MAX,
    })
}
