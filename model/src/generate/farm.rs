//! Documents of whole farms.

use serde_json::{Value, json};

use super::days::Place;
use super::limits::{furnish, switches};
use super::rules::{alert, rule};
use super::world::World;
use super::{Dice, Options};
use crate::sensor_type::SENSOR_TYPES;

/// What a farm has beside what all have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    limits: bool,
    setpoints: bool,
    only_if: bool,
    hours: Option<u64>,
}

impl Parts {
    pub(super) fn of(seed: u64, options: Options, has_programs: bool) -> Self {
        Self {
            limits: super::limits::are_in(seed, options),
            setpoints: super::setpoints::are_in(seed, options, has_programs),
            only_if: super::only_if::is_in(seed, options, has_programs),
            hours: super::hours::are_in(seed, options),
        }
    }
}

pub(super) fn farm(dice: &mut Dice, place: Option<Place>, parts: Parts) -> (World, Value) {
    let Parts {
        limits, setpoints, ..
    } = parts;
    let mut world = World {
        scopes: vec![json!({"type": "farm", "farmId": "f1"})],
        sensors: Vec::new(),
        devices: Vec::new(),
        rules: Vec::new(),
        alerts: Vec::new(),
        polyhouses: Vec::new(),
        levels: Vec::new(),
        named: 0,
        place,
        limits,
        groups: Vec::new(),
        setpoints: Vec::new(),
        only_if: parts.only_if,
        hours: parts.hours.map(Dice::new),
    };
    for _ in 0..dice.between(0, 3).min(2) {
        world.add_polyhouse(dice);
    }
    for _ in 0..dice.between(1, 3) {
        let of_type = dice.pick(&SENSOR_TYPES);
        let (kind, low, high) = (of_type.name, of_type.editor.0 * 10, of_type.editor.1 * 10);
        if !world.levels.iter().any(|(k, _)| *k == kind) {
            // Far enough inside the range for the thresholds and readings about it.
            let level = dice.between(low + 2, high - 4) * 1_000_000 + *dice.pick(&[0, 0, 500_000]);
            world.levels.push((kind, level));
            let sensor = world.sensor(dice, kind);
            world.sensors.push(sensor);
        }
    }
    let is_large = dice.chance(6);
    for _ in 0..if is_large {
        dice.between(8, 20)
    } else {
        dice.between(0, 4)
    } {
        let kind = dice.pick(&world.levels).0;
        let sensor = world.sensor(dice, kind);
        world.sensors.push(sensor);
    }
    for _ in 0..dice.between(1, 3) {
        let device = world.device(dice);
        world.devices.push(device);
    }
    if limits {
        furnish(dice, &mut world);
        super::hours::furnish(&mut world);
    }
    if setpoints {
        super::setpoints::furnish(dice, &mut world);
    }
    for n in 0..if is_large {
        dice.between(6, 15)
    } else {
        dice.between(1, 5)
    } {
        let rule = rule(dice, &world, &format!("r{n}"));
        world.rules.push(rule);
    }
    if limits {
        switches(dice, &mut world);
    }
    if setpoints {
        super::setpoints::followers(dice, &mut world);
    }
    for n in 0..dice.between(i64::from(parts.only_if), 2) {
        world.alerts.extend(alert(dice, &world, &format!("a{n}")));
    }
    let mut settings = match dice.below(5) {
        0 => json!({}),
        1 | 2 => json!({"min_samples": 1}),
        3 => json!({"min_samples": 2}),
        _ => json!({"min_samples": 3}),
    };
    if limits {
        settings["groups"] = json!(world.groups);
    }
    let settings = super::setpoints::with_setpoints(&world, settings);
    let farm = json!({
        "farm": {"id": "f1", "name": "Farm", "timezone": "Asia/Kolkata", "settings": settings},
        "polyhouses": world.polyhouses,
        "sensors": world.sensors,
        "devices": world.devices,
        "rules": world.rules,
        "alerts": world.alerts,
    });
    (world, farm)
}
