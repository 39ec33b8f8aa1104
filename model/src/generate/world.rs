//! What a case is made of: places, sensors and devices that exist, and the levels about which everything happens.

use serde_json::{Value, json};

use super::days::Place;
use super::{Dice, number};
use crate::sensor_type::sensor_type;

/// What the inputs and documents of a case are made of.
#[derive(Debug, Clone)]
pub(super) struct World {
    /// Scopes as documents have them; the first is the farm.
    pub(super) scopes: Vec<Value>,
    pub(super) sensors: Vec<Value>,
    pub(super) devices: Vec<Value>,
    pub(super) rules: Vec<Value>,
    pub(super) alerts: Vec<Value>,
    pub(super) polyhouses: Vec<Value>,
    /// A threshold of each type in use, in tenths of millionths, about which everything happens.
    pub(super) levels: Vec<(&'static str, i64)>,
    /// How many sensors and devices were ever named, so that no id is used twice.
    pub(super) named: usize,
    /// Where it is, if rules may be programs.
    pub(super) place: Option<Place>,
    /// Whether devices have limits, and the farm's groups.
    pub(super) limits: bool,
    pub(super) groups: Vec<Value>,
    /// The farm's setpoints; none in a case without setpoints and curves.
    pub(super) setpoints: Vec<Value>,
    /// Whether alerts may be bound to trees.
    pub(super) only_if: bool,
    /// What hours are made by, in a case that has some: dice of their own, so that other cases are as they were.
    pub(super) hours: Option<Dice>,
}

impl World {
    /// A new polyhouse with its zones; their scopes can be used from now on.
    pub(super) fn add_polyhouse(&mut self, dice: &mut Dice) -> Value {
        let house = format!("p{}", self.polyhouses.len());
        self.scopes
            .push(json!({"type": "polyhouse", "farmId": "f1", "polyhouseId": house}));
        let mut zones = Vec::new();
        for n in 0..dice.between(1, 2) {
            let zone = format!("{house}z{n}");
            self.scopes.push(
                json!({"type": "zone", "farmId": "f1", "polyhouseId": house, "zoneId": zone}),
            );
            zones.push(json!({"id": zone, "name": "Zone"}));
        }
        let house = json!({"id": house, "name": "Polyhouse", "zones": zones});
        self.polyhouses.push(house.clone());
        house
    }

    pub(super) fn sensor(&mut self, dice: &mut Dice, kind: &str) -> Value {
        self.named += 1;
        let mut sensor = json!({"id": format!("s{}", self.named), "type": kind, "scope": dice.pick(&self.scopes)});
        let stale = *dice.pick(&[1, 3, 10, 10, 60, 60, 300, 900, 900, 4_000, 8_000]);
        if stale != 900 || dice.chance(50) {
            sensor["stale_after_sec"] = json!(stale);
        }
        sensor
    }

    pub(super) fn device(&mut self, dice: &mut Dice) -> Value {
        self.named += 1;
        let kind = *dice.pick(&[
            "fan",
            "vent",
            "pump",
            "valve",
            "dosing_pump",
            "dosing_pump",
            "sensor",
        ]);
        // every fourth is of another type that is much like it
        let kind = match (kind, self.named % 4) {
            ("fan", 3) => "heater",
            ("vent", 3) => "curtain",
            ("pump", 3) => "mixing_pump",
            ("valve", 3) => "fogger",
            ("sensor", 3) => "siren",
            (kind, _) => kind,
        };
        let mut device = json!({"id": format!("d{}", self.named), "name": "Device", "type": kind, "scope": dice.pick(&self.scopes)});
        Self::settings(dice, &mut device);
        match dice.below(6) {
            0 => device["max_on_sec"] = Value::Null,
            1 | 2 => device["max_on_sec"] = json!(*dice.pick(&[1, 5, 10, 25, 60, 300])),
            _ => {}
        }
        match dice.below(12) {
            0 => device["online"] = json!(false),
            1 => device["state"] = json!({"lock": dice.pick(&["maintenance", "max_on"])}),
            2 => device["state"] = json!({"mode": "safety"}),
            3 => device["state"] = json!({"mode": "auto", "lock": null}),
            4 => device["online"] = json!(true),
            _ => {}
        }
        device
    }

    fn settings(dice: &mut Dice, device: &mut Value) {
        if device["type"] != "dosing_pump" {
            for field in ["rest", "safe"] {
                if dice.chance(25) {
                    device[field] = match dice.below(6) {
                        0 => json!({"action": "off"}),
                        1 => json!({"action": "on"}),
                        2 => json!({"action": "set_speed", "value": 0}),
                        3 => json!({"action": "set_flow_rate", "value": 2.5}),
                        _ => json!({"action": "set_position", "value": 30}),
                    };
                }
            }
        }
        if dice.chance(40) {
            device["max_pulse_sec_per_hour"] = json!(*dice.pick(&[5, 20, 60, 100]));
        }
    }

    /// A value of a type near its level, on one side of it or anywhere; now and then one that is no value.
    pub(super) fn value(&self, dice: &mut Dice, kind: &str, above: bool) -> Value {
        let level = self
            .levels
            .iter()
            .find(|(k, _)| *k == kind)
            .map_or(0, |(_, l)| *l);
        let (low, high) = sensor_type(kind).map_or((0, 0), |t| t.plausible);
        let side = if above { 1 } else { -1 };
        let edges = [
            low * 10_000_000,
            low * 10_000_000 - 1,
            high * 10_000_000,
            high * 10_000_000 + 1,
        ];
        match dice.below(40) {
            0 => dice
                .pick(&[Value::Null, json!(100_000_000), json!(-1000)])
                .clone(),
            1 => number(*dice.pick(&edges)),
            2..=9 => number(
                level
                    + dice.pick(&[
                        0, 5, -5, 4, -4, 10, -10, 499_990, 499_995, 500_000, -500_000, -499_990,
                    ]),
            ),
            10..=12 => number(level + dice.between(-20, 20) * 500_000),
            _ => number(
                (level + side * dice.pick(&[1_000_000, 3_000_000, 700_000]))
                    .clamp(low * 10_000_000, high * 10_000_000),
            ),
        }
    }
}
