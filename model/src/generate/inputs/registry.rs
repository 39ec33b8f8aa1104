//! Changes of the registry.

use serde_json::{Value, json};

use super::super::Dice;
use super::super::limits::{give_limits, ids, settings};
use super::super::setpoints::with_setpoints;
use super::super::world::World;
use super::Maker;
use crate::sensor_type::SENSOR_TYPES;

impl Maker {
    /// Up to three changes together. Sensors and devices come under a new id, or go, or are put again as they are; of a
    /// device also its limit of pulses changes. What else could change has no meaning that is written down.
    pub(super) fn registry(&mut self, at: i64) {
        let mut world = self.world.clone();
        let mut changes = Vec::new();
        for _ in 0..self.dice.between(1, 3) {
            changes.extend(change(&mut self.dice, &mut world));
        }
        if !changes.is_empty()
            && self.add(json!({"at": at, "input": "registry", "changes": changes}))
        {
            self.above.resize(world.levels.len(), true);
            self.world = world;
        }
    }
}

fn change(dice: &mut Dice, world: &mut World) -> Option<Value> {
    let sensor = (!world.sensors.is_empty()).then(|| dice.below(world.sensors.len()));
    let device = (!world.devices.is_empty()).then(|| dice.below(world.devices.len()));
    Some(match dice.below(9) {
        0 | 1 => {
            let of_type = dice.pick(&SENSOR_TYPES);
            let (kind, low, high) = (of_type.name, of_type.editor.0 * 10, of_type.editor.1 * 10);
            let kind = if dice.chance(80) {
                dice.pick(&world.levels).0
            } else {
                kind
            };
            if !world.levels.iter().any(|(k, _)| *k == kind) {
                world
                    .levels
                    .push((kind, dice.between(low + 2, high - 4) * 1_000_000));
            }
            let sensor = world.sensor(dice, kind);
            world.sensors.push(sensor.clone());
            json!({"put_sensor": sensor})
        }
        2 | 3 => {
            if world.sensors.len() == 1 {
                return None;
            }
            let gone = world.sensors.remove(sensor?);
            if !world.sensors.iter().any(|s| s["type"] == gone["type"]) {
                world.levels.retain(|(kind, _)| gone["type"] != *kind);
            }
            json!({"delete_sensor": gone["id"]})
        }
        4 => json!({"put_sensor": world.sensors[sensor?]}),
        5 => {
            let mut new = world.device(dice);
            if world.limits {
                let others = ids(&world.devices);
                give_limits(dice, &world.groups, &others, &mut new);
            }
            world.devices.push(new.clone());
            json!({"put_device": new})
        }
        6 => {
            let again = &mut world.devices[device?];
            if dice.chance(50) {
                again["name"] = json!("Another name");
                again["max_pulse_sec_per_hour"] = json!(*dice.pick(&[5, 20, 60, 100]));
            }
            json!({"put_device": again})
        }
        7 => {
            let gone = world.devices.remove(device?);
            json!({"delete_device": gone["id"]})
        }
        _ => match dice.below(3) {
            0 => json!({"put_polyhouse": world.add_polyhouse(dice)}),
            _ if world.limits => settings(dice, world),
            _ => {
                let settings = json!({"min_samples": dice.between(1, 3)});
                json!({"settings": with_setpoints(world, settings)})
            }
        },
    })
}
