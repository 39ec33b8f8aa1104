//! Farms of any size for benchmarks, and the floor that they are measured against.

pub mod memory;
pub mod programs;
pub mod w1;

use harit_engine::{FarmDocument, Problems};
use serde_json::{Value, json};

const TYPES: [(&str, i64); 4] = [
    ("temperature", 30),
    ("humidity", 30),
    ("soil_moisture", 30),
    ("ph", 10),
];

/// How many sensors' rules are about the same fan.
const SENSORS_A_DEVICE: usize = 10;

/// A farm of `sensors` sensors, each in a zone of its own, and `rules` active rules spread over them, whose triggers are
/// thresholds just above what [`values`] yields.
///
/// # Errors
/// Never, unless the document's rules have changed.
pub fn farm(sensors: usize, rules: usize) -> Result<FarmDocument, Problems> {
    let zone = |i: usize| format!("zone-{i}");
    let device = |d: usize| format!("fan-{d}");
    let zones: Vec<Value> = (0..sensors)
        .map(|i| json!({"id": zone(i), "name": zone(i)}))
        .collect();
    let sensor = |i: usize| {
        let (kind, _) = TYPES[i % TYPES.len()];
        json!({"id": sensor_id(i), "type": kind, "scope": {"type": "zone", "zoneId": zone(i)}})
    };
    let rule = |i: usize| {
        let s = i % sensors;
        let (kind, above) = TYPES[s % TYPES.len()];
        let value: Value =
            serde_json::from_str(&format!("{above}.{:04}", i / sensors)).unwrap_or(json!(above));
        json!({
            "id": format!("rule-{i}"), "name": "r", "deployed": true, "scope": {"type": "zone", "zoneId": zone(s)},
            "trigger": {"sensor_type": kind, "operator": "gt", "value": value, "duration_sec": 60},
            "actions": [{"device_id": device(s / SENSORS_A_DEVICE), "command": {"action": "on"}}],
        })
    };
    FarmDocument::from_json(&json!({
        "farm": {"id": "bench", "name": "Bench"},
        "polyhouses": [{"id": "house", "name": "House", "zones": zones}],
        "sensors": (0..sensors).map(sensor).collect::<Vec<_>>(),
        "devices": (0..sensors.div_ceil(SENSORS_A_DEVICE))
            .map(|d| json!({"id": device(d), "type": "fan", "scope": {"type": "farm"}}))
            .collect::<Vec<_>>(),
        "rules": (0..rules).map(rule).collect::<Vec<_>>(),
    }))
}

/// The id of a sensor of [`farm`].
#[must_use]
pub fn sensor_id(i: usize) -> String {
    format!("sensor-{i}")
}

/// Values in micro-units that cross none of the thresholds of [`farm`], all different from their neighbours.
#[must_use]
pub fn values() -> Vec<i64> {
    (0..1_024)
        .map(|i| 5_000_000 + (i * 7_919) % 4_000_000)
        .collect()
}

/// A value in micro-units above all thresholds of the rules on that sensor of [`farm`].
#[must_use]
pub const fn high_value(sensor: usize) -> i64 {
    (TYPES[sensor % TYPES.len()].1 + 2) * 1_000_000
}

/// The least that a rule engine could do: an array slot and one compare a reading.
#[derive(Debug, Clone)]
pub struct Floor {
    slots: Vec<(i64, i64, i64)>,
    /// Readings above their threshold.
    pub hits: u64,
}

impl Floor {
    /// A slot a sensor, each with one threshold.
    #[must_use]
    pub fn new(sensors: usize) -> Self {
        Self {
            slots: vec![(0, 0, 30_000_000); sensors],
            hits: 0,
        }
    }

    /// Stores the reading and compares it.
    pub fn apply(&mut self, at: i64, sensor: usize, value: i64) {
        let slot = &mut self.slots[sensor];
        slot.0 = value;
        slot.1 = at;
        self.hits += u64::from(value > slot.2);
    }
}
