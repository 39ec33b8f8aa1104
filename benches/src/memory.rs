//! How many bytes an engine keeps for a sensor, a device and a rule, everything counted: documents, indices, timers, signals.
//!
//! The farm is one as the console makes it: ids of the form `rule-1763740800123`, names, descriptions, scopes with the labels
//! that the console writes, eight sensors and two devices a zone, rules of one condition and one delayed action. Engines of the
//! same farm without its rules, and without its devices, are measured in the same way; what a thing costs is the difference.

use harit_engine::{
    DeviceSpec, Engine, Event, FarmDocument, Input, InputKind, Measured, PolyhouseSpec, Problems,
    Quantity, RuleSpec, SensorSpec, Timestamp,
};
use serde_json::{Value, json};

/// The most bytes that an engine may keep for a sensor.
pub const MAX_SENSOR_BYTES: usize = 200;
/// The most bytes that an engine may keep for a rule.
pub const MAX_RULE_BYTES: usize = 300;

const BORN: usize = 1_763_740_800_123;
const FARM: &str = "019aa5b0-5e1c-7c3a-9d1e-3f4a5b6c7d8e";
const OWNER: &str = "019aa5b0-61f0-7e2b-8a4c-0d1e2f3a4b5c";
const SENSORS_A_ZONE: usize = 8;
const DEVICES_A_ZONE: usize = 2;
const ZONES_A_POLYHOUSE: usize = 10;
const RULES_A_ZONE: usize = 8;
/// Type, its name for people, and a value that none of the rules' thresholds reach.
const TYPES: [(&str, &str, i64); 4] = [
    ("temperature", "Canopy temperature", 24),
    ("humidity", "Air humidity", 40),
    ("soil_moisture", "Root zone moisture", 30),
    ("ph", "Drain pH", 6),
];

/// What an engine keeps, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// For a sensor with a fresh value, and its share of the zone and polyhouse.
    pub sensor: usize,
    /// For a device.
    pub device: usize,
    /// For a rule, with its share of the signal that it watches.
    pub rule: usize,
    /// For a rule whose condition holds, so that it waits for its timer.
    pub pending_rule: usize,
    /// For a rule that was saved while the farm ran, and not there from the start.
    pub saved_rule: usize,
}

/// How an engine of the farm comes to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    FromStart,
    Pending,
    Saved,
}

/// Measures. `used` says how many bytes are allocated now.
///
/// # Errors
/// Never, unless the document's rules have changed.
pub fn footprint(
    sensors: usize,
    rules: usize,
    used: impl Fn() -> usize,
) -> Result<Footprint, Problems> {
    let devices = sensors / SENSORS_A_ZONE * DEVICES_A_ZONE;
    let bytes = |sensors, devices, rules, how| -> Result<usize, Problems> {
        let before = used();
        let engine = engine(sensors, devices, rules, how)?;
        let bytes = used() - before;
        drop(engine);
        Ok(bytes)
    };
    let empty = bytes(0, 0, 0, Rules::FromStart)?;
    let bare = bytes(sensors, 0, 0, Rules::FromStart)?;
    let ready = bytes(sensors, devices, 0, Rules::FromStart)?;
    let each = |more: usize, less: usize, n: usize| (more - less).div_ceil(n);
    Ok(Footprint {
        sensor: each(bare, empty, sensors),
        device: each(ready, bare, devices),
        rule: each(
            bytes(sensors, devices, rules, Rules::FromStart)?,
            ready,
            rules,
        ),
        pending_rule: each(
            bytes(sensors, devices, rules, Rules::Pending)?,
            ready,
            rules,
        ),
        saved_rule: each(bytes(sensors, devices, rules, Rules::Saved)?, ready, rules),
    })
}

fn engine(sensors: usize, devices: usize, rules: usize, how: Rules) -> Result<Engine, Problems> {
    let mut farm = FarmDocument::from_json(&json!({
        "farm": {"id": FARM, "name": "Sahyadri Roses", "timezone": "Asia/Kolkata"},
    }))?;
    let polyhouses = sensors.div_ceil(SENSORS_A_ZONE * ZONES_A_POLYHOUSE);
    farm.polyhouses = (0..polyhouses).map(polyhouse).collect::<Result<_, _>>()?;
    farm.sensors = (0..sensors).map(sensor).collect::<Result<_, _>>()?;
    farm.devices = (0..devices).map(device).collect::<Result<_, _>>()?;
    if how != Rules::Saved {
        farm.rules = (0..rules).map(rule).collect::<Result<_, _>>()?;
    }
    let mut engine = Engine::new(&farm)?;
    drop(farm);
    let mut events: Vec<Event> = Vec::new();
    let mut at = 0;
    let mut tell = |engine: &mut Engine, kind| {
        at += 1;
        let at = Timestamp::from_millis(i64::try_from(BORN).unwrap_or(0) + at);
        engine.apply(&Input { at, kind }, &mut events)
    };
    for i in 0..sensors {
        let (_, _, value) = TYPES[i % TYPES.len()];
        let above = if how == Rules::Pending { 5 } else { 0 };
        let reading = InputKind::Reading {
            sensor: sensor_id(i).as_str().into(),
            value: Measured::exact(Quantity::from_units(value + above)),
        };
        tell(&mut engine, reading)?;
    }
    if how == Rules::Saved {
        for i in 0..rules {
            tell(&mut engine, InputKind::RulePut(Box::new(rule(i)?)))?;
        }
    }
    Ok(engine)
}

fn polyhouse(i: usize) -> Result<PolyhouseSpec, Problems> {
    let zone = |z: usize| json!({"id": zone_id(i * ZONES_A_POLYHOUSE + z), "name": zone_name(z)});
    PolyhouseSpec::from_json(&json!({
        "id": polyhouse_id(i), "name": polyhouse_name(i), "capacity": 1_200, "isActive": true,
        "zones": (0..ZONES_A_POLYHOUSE).map(zone).collect::<Vec<_>>(),
    }))
}

fn polyhouse_id(i: usize) -> String {
    format!("polyhouse-{}", BORN + i)
}

fn polyhouse_name(i: usize) -> String {
    format!("Polyhouse {}", i + 1)
}

fn zone_id(i: usize) -> String {
    format!("zone-{}", BORN + i)
}

fn zone_name(z: usize) -> String {
    format!("Zone {}", z + 1)
}

fn sensor_id(i: usize) -> String {
    format!("{}/s{}", mac(i / SENSORS_A_ZONE), i % SENSORS_A_ZONE + 1)
}

fn device_id(i: usize) -> String {
    format!("{}/fan-{}", mac(i / DEVICES_A_ZONE), i % DEVICES_A_ZONE + 1)
}

/// One controller a zone.
fn mac(zone: usize) -> String {
    format!(
        "A4:CF:12:{:02X}:{:02X}:{:02X}",
        zone >> 16 & 255,
        zone >> 8 & 255,
        zone & 255
    )
}

/// A zone as the console writes it into what lies there.
fn scope(zone: usize) -> Value {
    let (polyhouse, z) = (zone / ZONES_A_POLYHOUSE, zone % ZONES_A_POLYHOUSE);
    json!({
        "type": "zone", "farmId": FARM, "polyhouseId": polyhouse_id(polyhouse), "zoneId": zone_id(zone),
        "name": zone_name(z), "path": format!("{} / {}", polyhouse_name(polyhouse), zone_name(z)),
    })
}

fn sensor(i: usize) -> Result<SensorSpec, Problems> {
    let (kind, name, _) = TYPES[i % TYPES.len()];
    let zone = i / SENSORS_A_ZONE;
    SensorSpec::from_json(&json!({
        "id": sensor_id(i), "name": format!("{name} {}", i % SENSORS_A_ZONE / TYPES.len() + 1), "type": kind,
        "scope": scope(zone), "stale_after_sec": 900, "controller": mac(zone),
    }))
}

fn device(i: usize) -> Result<DeviceSpec, Problems> {
    let zone = i / DEVICES_A_ZONE;
    DeviceSpec::from_json(&json!({
        "id": device_id(i), "name": format!("Exhaust fan {}", i % DEVICES_A_ZONE + 1), "type": "fan",
        "supportedActions": ["on", "off", "set_speed"], "scope": scope(zone), "online": true, "controller": mac(zone),
    }))
}

fn rule(i: usize) -> Result<RuleSpec, Problems> {
    let (kind, name, value) = TYPES[i % TYPES.len()];
    let zone = i / RULES_A_ZONE;
    RuleSpec::from_json(&json!({
        "id": format!("rule-{}", BORN + i * 1_000), "name": format!("{name} too high {}", i % RULES_A_ZONE + 1),
        "description": "Runs the fan until the air is better", "mode": "auto", "priority": 5, "deployed": true,
        "scope": scope(zone),
        "trigger": {"sensor_type": kind, "operator": "gt", "value": value + 1, "duration_sec": 300, "scope": scope(zone)},
        "actions": [{
            "device_id": device_id(zone * DEVICES_A_ZONE), "device_name": "Exhaust fan 1", "command": {"action": "on"},
            "delay_sec": 30,
        }],
        "created_by": OWNER, "created_at": BORN + i * 1_000,
    }))
}
