//! The farm under load: controllers, their sensors, rules that watch them, and what the controllers send.
//!
//! Every controller has a zone of its own with `values` sensors, whose readings start and stop the zone's rules as they wander
//! (calm ones cross no threshold), and beside it a probe: one sensor in another zone whose rule switches one fan. The probe's
//! rule needs a hold of 1 s, the least that a rule can have, and two samples: so the sample that completes the hold can be sent
//! long after its second, and from its publish to the command's arrival no timer is waited for.

use serde_json::{Value, json};

use crate::tasmota;
use crate::wander::{self, Step};

/// A type of sensor, and what is sent of it: its digits lie from `low` to below `high`, which have as many of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    unit: &'static str,
    pub(crate) low: u32,
    pub(crate) high: u32,
    pub(crate) decimals: usize,
}

pub(crate) const fn kind(
    name: &'static str,
    unit: &'static str,
    low: u32,
    high: u32,
    decimals: usize,
) -> Kind {
    Kind {
        name,
        unit,
        low,
        high,
        decimals,
    }
}

const KINDS: [Kind; 8] = [
    kind("temperature", "°C", 200, 300, 1),
    kind("humidity", "%", 500, 700, 1),
    kind("soil_moisture", "%", 300, 500, 1),
    kind("ph", "", 550, 650, 2),
    kind("ec", "mS/cm", 100, 250, 2),
    kind("reservoir_level", "%", 600, 800, 1),
    kind("light_intensity", "lux", 20_000, 40_000, 0),
    kind("co2_level", "ppm", 400, 700, 0),
];
/// The probe's values; its rule's threshold lies between them.
const PROBE_LOW: &str = "20.0";
const PROBE_HIGH: &str = "40.0";
const PROBE_THRESHOLD: i32 = 30;
/// Where a farm's idle controllers are.
const IDLE_ZONE: &str = "idle-zone";
/// What the probe is called among a Tasmota's chips.
const PROBE: &str = "probe";
/// What a controller's will says.
pub(crate) const FAREWELL: &str = r#"{"online":false}"#;
/// How old a hold of the probe's rule has to be, in seconds.
pub const PROBE_HOLD_SEC: u32 = 1;

/// How the entries of a telemetry message look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    /// Id, type, unit and value.
    Full,
    /// Id and value only.
    Short,
    /// Tasmota's SENSOR message, which a profile reads.
    Tasmota,
}

impl Shape {
    /// Its name on the command line and in the CSV.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Short => "short",
            Self::Tasmota => "tasmota",
        }
    }

    /// What its sensors measure, in turn.
    const fn kinds(self) -> &'static [Kind; 8] {
        match self {
            Self::Tasmota => &tasmota::KINDS,
            _ => &KINDS,
        }
    }

    /// The id of a controller's sensor.
    fn sensor_id(self, controller: usize, k: usize) -> String {
        match self {
            Self::Tasmota => tasmota::sensor_id(controller, &chip(k), &self.kinds()[k % 8]),
            _ => format!("c{controller}-s{k}"),
        }
    }

    /// The id of a controller's probe, a temperature.
    fn probe_id(self, controller: usize) -> String {
        match self {
            Self::Tasmota => tasmota::sensor_id(controller, PROBE, &self.kinds()[0]),
            _ => format!("c{controller}-probe"),
        }
    }
}

/// A controller's account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The farm that registered it.
    pub farm: String,
    /// Its MAC id, which is its MQTT user.
    pub mac: String,
    /// Its MQTT password.
    pub secret: String,
}

/// How large the farms under load are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenchFarms {
    /// Farms; their number bounds how many shards have work.
    pub farms: usize,
    /// Controllers, spread evenly over the farms.
    pub controllers: usize,
    /// Further controllers that publish nothing, with a sensor and a fan each and no rule.
    pub idle: usize,
    /// Sensors of each controller, all of them in every message.
    pub values: usize,
    /// Rules of each controller that watch those sensors.
    pub rules: usize,
    /// How the values wander.
    pub step: Step,
    /// By which messages they come: it says what the sensors are called.
    pub shape: Shape,
}

fn farm_id(farm: usize) -> String {
    format!("bench-{farm}")
}

impl BenchFarms {
    /// The account of a controller.
    #[must_use]
    pub fn account(&self, controller: usize) -> Account {
        Account {
            farm: farm_id(controller % self.farms.max(1)),
            mac: format!("BE{controller:010X}"),
            secret: format!("bench-secret-{controller:06}"),
        }
    }

    /// The controllers of a farm, the idle ones last.
    pub fn controllers_of(&self, farm: usize) -> impl Iterator<Item = usize> + use<> {
        (farm..self.controllers + self.idle).step_by(self.farms.max(1))
    }

    /// What a controller publishes while values do not wander; each `turn` has other values.
    #[must_use]
    pub fn payload(&self, controller: usize, turn: usize, shape: Shape) -> String {
        let controller = Controller::new(controller, &self.account(controller), self.values, shape);
        controller.telemetry(controller.calm(turn))
    }

    /// The polyhouse in which a farm's controllers are.
    pub const HOUSE: &str = "house";

    /// A farm's id and its document.
    #[must_use]
    pub fn document(&self, farm: usize) -> (String, Value) {
        let id = farm_id(farm);
        let scope =
            |zone: &str| json!({"type": "zone", "polyhouseId": Self::HOUSE, "zoneId": zone});
        let (mut zones, mut sensors, mut devices, mut rules) = (vec![], vec![], vec![], vec![]);
        if self.idle > 0 {
            zones.push(json!({"id": IDLE_ZONE, "name": IDLE_ZONE}));
        }
        for c in self.controllers_of(farm) {
            let mac = self.account(c).mac;
            if c >= self.controllers {
                sensors.push(json!({"id": Shape::Full.sensor_id(c, 0), "type": KINDS[0].name, "scope": scope(IDLE_ZONE), "controller": mac}));
                devices.push(json!({"id": fan_id(c), "type": "fan", "scope": scope(IDLE_ZONE), "controller": mac}));
                continue;
            }
            let (zone, probe) = (format!("zone-{c}"), format!("probe-zone-{c}"));
            zones.extend([&zone, &probe].map(|z| json!({"id": z, "name": z})));
            for k in 0..self.values {
                let kind = self.shape.kinds()[k % KINDS.len()].name;
                sensors.push(json!({"id": self.shape.sensor_id(c, k), "type": kind, "scope": scope(&zone), "controller": mac}));
            }
            sensors.push(json!({"id": self.shape.probe_id(c), "type": "temperature", "scope": scope(&probe), "controller": mac}));
            for device in [fan_id(c), other_fan_id(c)] {
                devices.push(
                    json!({"id": device, "type": "fan", "scope": scope(&zone), "controller": mac}),
                );
            }
            let watched = self.shape.kinds().iter().take(self.values).copied().cycle();
            let watched = watched.take(self.rules);
            let mut rule = |r: usize, name: &str, mut body: Value| {
                body["id"] = format!("rule-{c}-{r}").into();
                body["name"] = name.into();
                body["deployed"] = true.into();
                body["scope"] = scope(&zone);
                body["actions"] =
                    json!([{"device_id": other_fan_id(c), "command": {"action": "on"}}]);
                rules.push(body);
            };
            if self.step.wanders() {
                for (r, (trigger, stop)) in wander::conditions(c, watched).enumerate() {
                    let body = json!({"trigger": trigger, "stop_condition": stop});
                    rule(r, "Starts and stops", body);
                }
            } else {
                for (r, kind) in watched.enumerate() {
                    let above = 1 + u32::try_from(r / KINDS.len()).unwrap_or(0) % 20;
                    let value = number(kind.high + above, kind.decimals);
                    let trigger = json!({"sensor_type": kind.name, "operator": "gt", "duration_sec": 60, "value": value});
                    rule(r, "Never fires", json!({"trigger": trigger}));
                }
            }
            rules.push(json!({
                "id": format!("probe-rule-{c}"), "name": "Publish to command", "deployed": true, "scope": scope(&probe),
                "trigger": {"sensor_type": "temperature", "operator": "gt", "value": PROBE_THRESHOLD, "duration_sec": PROBE_HOLD_SEC},
                "actions": [{"device_id": fan_id(c), "command": {"action": "on"}}],
            }));
        }
        let document = json!({
            "farm": {"id": id, "name": format!("Farm {farm} under load"), "settings": {"min_samples": 2}},
            "polyhouses": [{"id": Self::HOUSE, "name": "House", "zones": zones}],
            "sensors": sensors, "devices": devices, "rules": rules,
        });
        (id, document)
    }
}

/// What a sensor's chip is called in Tasmota's messages.
fn chip(k: usize) -> String {
    format!("S{k}")
}

fn fan_id(controller: usize) -> String {
    format!("c{controller}-fan")
}

fn other_fan_id(controller: usize) -> String {
    format!("c{controller}-fan-2")
}

/// A number of so many decimals, from its digits.
fn text(digits: u32, decimals: usize) -> String {
    let unit = 10_u32.pow(u32::try_from(decimals).unwrap_or(0));
    match decimals {
        0 => digits.to_string(),
        _ => format!("{}.{:0decimals$}", digits / unit, digits % unit),
    }
}

pub(crate) fn number(digits: u32, decimals: usize) -> Value {
    serde_json::from_str(&text(digits, decimals)).unwrap_or(Value::Null)
}

/// A value's entry; `chip` is what has it in Tasmota's messages.
fn entry(out: &mut String, shape: Shape, id: &str, chip: &str, kind: &Kind, value: &str) {
    use std::fmt::Write as _;

    if !out.ends_with(['[', ',']) {
        out.push(',');
    }
    // Writing to a string does not fail.
    let _ = match shape {
        Shape::Full => write!(
            out,
            r#"{{"id":"{id}","type":"{}","unit":"{}","latestValue":{value}}}"#,
            kind.name, kind.unit
        ),
        Shape::Short => write!(out, r#"{{"id":"{id}","latestValue":{value}}}"#),
        Shape::Tasmota => write!(out, "{}", tasmota::entry(chip, kind, value)),
    };
}

/// What an idle controller says when it connects, and when its fan was switched.
pub(crate) fn idle_state(controller: usize, on: bool) -> String {
    json!({
        "online": true, "firmware": "bench",
        "sensors": [{"id": Shape::Full.sensor_id(controller, 0), "type": KINDS[0].name}],
        "devices": [{"id": fan_id(controller), "type": "fan", "on": on, "lock": null, "safety": false}],
    })
    .to_string()
}

/// What one controller sends.
#[derive(Debug, Clone)]
pub(crate) struct Controller {
    n: usize,
    values: usize,
    shape: Shape,
    base: String,
}

impl Controller {
    pub(crate) fn new(n: usize, account: &Account, values: usize, shape: Shape) -> Self {
        Self {
            n,
            values,
            shape,
            base: format!("harit/1/{}/{}", account.farm, account.mac),
        }
    }

    pub(crate) fn topic(&self, kind: &str) -> String {
        if self.shape == Shape::Tasmota && kind == "telemetry" {
            return tasmota::topic(self.n);
        }
        format!("{}/{kind}", self.base)
    }

    pub(crate) const fn number(&self) -> usize {
        self.n
    }

    /// What its sensors are.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> + use<> {
        self.shape.kinds().iter().cycle().take(self.values).copied()
    }

    /// The digits of values that cross nothing, others in each turn.
    pub(crate) fn calm(&self, turn: usize) -> impl Iterator<Item = u32> + use<> {
        let n = self.n;
        self.kinds().enumerate().map(move |(k, kind)| {
            let step = u32::try_from((turn * 37 + k * 11 + n * 7) % 1_009).unwrap_or(0);
            kind.low + step % (kind.high - kind.low)
        })
    }

    /// A message with values of those digits.
    pub(crate) fn telemetry(&self, digits: impl Iterator<Item = u32>) -> String {
        self.message(|out| self.values_of(out, digits))
    }

    fn message(&self, entries: impl FnOnce(&mut String)) -> String {
        let (begin, end) = match self.shape {
            Shape::Tasmota => (tasmota::BEGIN, tasmota::END),
            _ => (r#"{"sensors":["#, "]}"),
        };
        let mut out = String::from(begin);
        entries(&mut out);
        out.push_str(end);
        out
    }

    fn values_of(&self, out: &mut String, digits: impl Iterator<Item = u32>) {
        for ((k, kind), digits) in self.kinds().enumerate().zip(digits) {
            let value = text(digits, kind.decimals);
            let id = self.shape.sensor_id(self.n, k);
            entry(out, self.shape, &id, &chip(k), &kind, &value);
        }
    }

    /// A message of the same size whose last value is the probe's.
    pub(crate) fn probe(&self, digits: impl Iterator<Item = u32>, high: bool) -> String {
        let (value, id) = (
            if high { PROBE_HIGH } else { PROBE_LOW },
            self.shape.probe_id(self.n),
        );
        self.message(|out| {
            self.values_of(out, digits.take(self.values.saturating_sub(1)));
            entry(out, self.shape, &id, PROBE, &KINDS[0], value);
        })
    }

    /// Which of its two fans a command is for: the probe's first.
    pub(crate) fn fan(&self, device: &str) -> Option<usize> {
        [fan_id(self.n), other_fan_id(self.n)]
            .iter()
            .position(|id| id == device)
    }

    /// The first message: what it has, and that it is there.
    pub(crate) fn birth(&self) -> String {
        let mut sensors: Vec<Value> = (0..self.values)
            .map(|k| json!({"id": self.shape.sensor_id(self.n, k), "type": self.shape.kinds()[k % KINDS.len()].name}))
            .collect();
        sensors.push(json!({"id": self.shape.probe_id(self.n), "type": "temperature"}));
        let fan = |id: String| json!({"id": id, "type": "fan", "on": false, "lock": null, "safety": false});
        let devices = [fan(fan_id(self.n)), fan(other_fan_id(self.n))];
        json!({"online": true, "firmware": "bench", "sensors": sensors, "devices": devices})
            .to_string()
    }

    /// What it says when one of its fans was switched: what both do.
    pub(crate) fn switched(&self, on: [bool; 2]) -> String {
        let fan = |id: String, on: bool| json!({"id": id, "type": "fan", "on": on, "value": if on { 100 } else { 0 }});
        let devices = [fan(fan_id(self.n), on[0]), fan(other_fan_id(self.n), on[1])];
        json!({"online": true, "devices": devices}).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FARMS: BenchFarms = BenchFarms {
        farms: 2,
        controllers: 5,
        idle: 3,
        values: 10,
        rules: 10,
        step: Step::CALM,
        shape: Shape::Full,
    };

    #[test]
    fn the_documents_are_farms_and_share_the_controllers() {
        let mut controllers = vec![];
        for farm in 0..FARMS.farms {
            let (id, document) = FARMS.document(farm);
            let document = harit_engine::FarmDocument::from_json(&document).unwrap();
            let engine = harit_engine::Engine::new(&document).unwrap();
            for c in FARMS.controllers_of(farm) {
                assert_eq!(FARMS.account(c).farm, id);
                let own = if c < FARMS.controllers {
                    Shape::Full.probe_id(c)
                } else {
                    Shape::Full.sensor_id(c, 0)
                };
                assert!(engine.sensor_index(&own).is_some());
                controllers.push(c);
            }
        }
        controllers.sort_unstable();
        assert_eq!(controllers, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    /// Otherwise a bench would measure rules that act, or faults.
    #[test]
    fn calm_values_are_plausible_and_cross_nothing() {
        use harit_engine::{Engine, Event, Measured, ReadingOutcome, Timestamp};

        let document = harit_engine::FarmDocument::from_json(&FARMS.document(0).1).unwrap();
        let mut engine = Engine::new(&document).unwrap();
        let controller = Controller::new(2, &FARMS.account(2), FARMS.values, Shape::Full);
        let mut events: Vec<Event> = vec![];
        for turn in 0..2_000 {
            let message: Value =
                serde_json::from_str(&controller.telemetry(controller.calm(turn))).unwrap();
            let sensors = message["sensors"].as_array().unwrap();
            assert_eq!(sensors.len(), FARMS.values);
            for s in sensors {
                let ix = engine.sensor_index(s["id"].as_str().unwrap()).unwrap();
                let value = Measured::parse(&s["latestValue"].to_string());
                let at = Timestamp::from_millis(i64::try_from(turn).unwrap() * 1_000);
                let outcome = engine.apply_reading(at, ix, value, &mut events);
                assert_eq!(outcome, ReadingOutcome::Applied, "{s}");
            }
        }
        assert!(events.is_empty(), "{events:?}");
    }

    #[test]
    fn a_probe_has_the_size_of_any_message() {
        for shape in [Shape::Full, Shape::Short] {
            let controller = Controller::new(1, &FARMS.account(1), 8, shape);
            let (probe, any) = (
                controller.probe(controller.calm(3), true),
                controller.telemetry(controller.calm(3)),
            );
            let message: Value = serde_json::from_str(&probe).unwrap();
            assert_eq!(message["sensors"].as_array().unwrap().len(), 8);
            assert_eq!(message["sensors"][7]["id"], "c1-probe");
            assert!(probe.len().abs_diff(any.len()) < 16, "{probe} {any}");
        }
    }
}
