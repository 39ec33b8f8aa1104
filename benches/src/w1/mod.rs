//! Workload W1: readings that do something.
//!
//! Values wander as on a farm: thresholds are crossed, holds start and break, some complete, and every few milliseconds a timer
//! of some rule is due. Everything follows from a seed by SplitMix64, one stream, in the order in which it stands here, so that
//! the workload can be written anew in any language.

mod floor;
mod index;

use harit_engine::{FarmDocument, Problems};
use serde_json::{Value, json};

pub use floor::Floor;
pub use index::Index;

/// The types of sensors with the ranges of their values; sensor i has type i mod 8.
const TYPES: [(&str, f64, f64); 8] = [
    ("temperature", -10.0, 50.0),
    ("humidity", 0.0, 100.0),
    ("soil_moisture", 0.0, 100.0),
    ("ph", 0.0, 14.0),
    ("ec", 0.0, 10.0),
    ("reservoir_level", 0.0, 100.0),
    ("light_intensity", 0.0, 100_000.0),
    ("co2_level", 0.0, 2_000.0),
];
/// How many sensors a zone has: one of each type.
pub const ZONE: usize = TYPES.len();
/// How many sensors' rules are about the same device.
const SENSORS_A_DEVICE: usize = 10;

/// How large it is and how it wanders.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Sensors.
    pub sensors: usize,
    /// Rules, spread evenly over the sensors.
    pub rules: usize,
    /// Seconds, with a reading of each sensor in each.
    pub seconds: usize,
    /// How far a value wanders in a second at most, as a part of its range.
    pub step: f64,
}

/// When a rule's condition holds, in micro-units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// Above.
    Gt(i64),
    /// Below.
    Lt(i64),
    /// From one to the other, both included.
    Between(i64, i64),
}

/// A rule on one sensor: holds in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The sensor's number.
    pub sensor: usize,
    /// When it starts.
    pub trigger: Condition,
    /// For how long that has to hold.
    pub hold: i64,
    /// When it stops.
    pub stop: Condition,
    /// For how long that has to hold.
    pub stop_hold: i64,
}

/// A workload, made up.
#[derive(Debug)]
pub struct Workload {
    /// Its size.
    pub size: Size,
    /// Its rules.
    pub rules: Vec<Rule>,
    /// Sensor and value in micro-units, in the order of arrival; a second has as many as there are sensors.
    pub readings: Vec<(u32, i64)>,
}

struct SplitMix64(u64);

impl SplitMix64 {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of so many.
    #[allow(clippy::cast_possible_truncation, reason = "below `n`")]
    const fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// From 0 to below 1.
    #[allow(clippy::cast_precision_loss, reason = "53 bits")]
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (-53_f64).exp2()
    }
}

/// Says where a value lies in its sensor's range, as a part of `whole`.
#[must_use]
pub fn scaled(sensor: usize, value: i64, whole: i64) -> i64 {
    let (_, lo, hi) = TYPES[sensor % ZONE];
    (value - micro(lo)) * whole / micro(hi - lo)
}

fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale
}

#[allow(clippy::cast_possible_truncation, reason = "at most 100,000 units")]
fn micro(value: f64) -> i64 {
    (value * 1e6).round() as i64
}

impl Workload {
    /// Makes one up from a seed.
    #[must_use]
    pub fn new(size: Size, seed: u64) -> Self {
        let mut random = SplitMix64(seed);
        let mut order: Vec<usize> = (0..size.sensors).collect();
        for i in (1..size.sensors).rev() {
            order.swap(i, random.below(i + 1));
        }
        let rules = (0..size.rules).map(|j| Rule::new(size, j, &mut random));
        let rules = rules.collect();
        let starts = (0..size.sensors).map(|i| {
            let (_, lo, hi) = TYPES[i % ZONE];
            rounded((hi - lo).mul_add(random.unit(), lo), 2)
        });
        let mut values: Vec<f64> = starts.collect();
        let mut readings = Vec::with_capacity(size.sensors * size.seconds);
        for _ in 0..size.seconds {
            for &i in &order {
                let (_, lo, hi) = TYPES[i % ZONE];
                let wander = (random.unit() - 0.5) * 2.0 * size.step * (hi - lo);
                let moved = values[i] + wander;
                let reflected = if moved < lo {
                    2.0 * lo - moved
                } else if moved > hi {
                    2.0 * hi - moved
                } else {
                    moved
                };
                values[i] = rounded(reflected, 2);
                readings.push((u32::try_from(i).unwrap_or(u32::MAX), micro(values[i])));
            }
        }
        Self {
            size,
            rules,
            readings,
        }
    }

    /// The farm: one house, a zone for every eight sensors.
    ///
    /// # Errors
    /// Never, unless what a document may be has changed.
    pub fn document(&self) -> Result<FarmDocument, Problems> {
        let zone = |sensor: usize| format!("zone-{}", sensor / ZONE);
        let device = |sensor: usize| format!("fan-{}", sensor / SENSORS_A_DEVICE);
        let sensors = self.size.sensors;
        let rule = |(j, rule): (usize, &Rule)| {
            let i = rule.sensor;
            json!({
                "id": format!("rule-{j}"), "name": "r", "deployed": true, "scope": {"type": "zone", "zoneId": zone(i)},
                "trigger": condition(i, rule.trigger, rule.hold),
                "stop_condition": condition(i, rule.stop, rule.stop_hold),
                "actions": [{"device_id": device(i), "command": {"action": "on"}}],
            })
        };
        FarmDocument::from_json(&json!({
            "farm": {"id": "w1", "name": "W1", "settings": {"min_samples": 1}},
            "polyhouses": [{
                "id": "house", "name": "House",
                "zones": (0..sensors.div_ceil(ZONE)).map(|z| json!({"id": zone(z * ZONE), "name": zone(z * ZONE)})).collect::<Vec<_>>(),
            }],
            "sensors": (0..sensors)
                .map(|i| json!({"id": sensor_id(i), "type": TYPES[i % ZONE].0, "scope": {"type": "zone", "zoneId": zone(i)}}))
                .collect::<Vec<_>>(),
            "devices": (0..sensors.div_ceil(SENSORS_A_DEVICE))
                .map(|d| json!({"id": device(d * SENSORS_A_DEVICE), "type": "fan", "scope": {"type": "farm"}}))
                .collect::<Vec<_>>(),
            "rules": self.rules.iter().enumerate().map(rule).collect::<Vec<_>>(),
        }))
    }
}

/// The id of a sensor.
#[must_use]
pub fn sensor_id(i: usize) -> String {
    format!("sensor-{i}")
}

fn condition(sensor: usize, condition: Condition, hold: i64) -> Value {
    let units = |micro: i64| -> Value {
        let text = format!(
            "{}{}.{:06}",
            if micro < 0 { "-" } else { "" },
            micro.abs() / 1_000_000,
            micro.abs() % 1_000_000
        );
        serde_json::from_str(&text).unwrap_or(Value::Null)
    };
    let (operator, value, to) = match condition {
        Condition::Gt(a) => ("gt", a, None),
        Condition::Lt(a) => ("lt", a, None),
        Condition::Between(a, b) => ("between", a, Some(b)),
    };
    let mut document = json!({
        "sensor_type": TYPES[sensor % ZONE].0, "operator": operator, "value": units(value), "duration_sec": hold,
    });
    if let Some(to) = to {
        document["value_max"] = units(to);
    }
    document
}

impl Rule {
    fn new(size: Size, j: usize, random: &mut SplitMix64) -> Self {
        let sensor = if size.rules >= size.sensors {
            j % size.sensors
        } else {
            j * size.sensors / size.rules
        };
        let (_, lo, hi) = TYPES[sensor % ZONE];
        let range = hi - lo;
        let k = random.below(10);
        let a = rounded(range.mul_add(0.8_f64.mul_add(random.unit(), 0.1), lo), 1);
        let hold = [2, 5, 10, 20, 30][random.below(5)];
        let stop_hold = [2, 5, 10][random.below(3)];
        let clamped = |value: f64| micro(rounded(value, 2).clamp(lo, hi));
        let (below, above) = (
            clamped(0.02_f64.mul_add(-range, a)),
            clamped(0.02_f64.mul_add(range, a)),
        );
        let (trigger, stop) = match k {
            0..4 => (Condition::Gt(micro(a)), Condition::Lt(below)),
            4..8 => (Condition::Lt(micro(a)), Condition::Gt(above)),
            _ => {
                let to = rounded(0.1_f64.mul_add(range, a), 1).min(hi);
                (
                    Condition::Between(micro(a), micro(to)),
                    Condition::Lt(below),
                )
            }
        };
        Self {
            sensor,
            trigger,
            hold,
            stop,
            stop_hold,
        }
    }
}

impl Condition {
    /// Whether it holds.
    #[must_use]
    pub const fn holds(self, value: i64) -> bool {
        match self {
            Self::Gt(a) => value > a,
            Self::Lt(a) => value < a,
            Self::Between(a, b) => a <= value && value <= b,
        }
    }

    /// The values above which its truth may be another one.
    pub fn edges(self) -> impl Iterator<Item = i64> {
        let (first, second) = match self {
            Self::Gt(a) => (a, None),
            Self::Lt(a) => (a - 1, None),
            Self::Between(a, b) => (a - 1, Some(b)),
        };
        std::iter::once(first).chain(second)
    }
}
