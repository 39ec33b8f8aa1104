//! Alerts that are bound to trees, and what a person may do to what they are bound to.

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::programs::{each_node, tree};
use super::world::World;
use super::{Dice, Options, Programs};
use crate::vector::Case;

/// Whether alerts of a case are bound to trees; the dice are its own, so that those of other cases are as they were.
pub(super) fn is_in(seed: u64, options: Options, has_programs: bool) -> bool {
    let mut dice = Dice::new(seed.wrapping_mul(0x8f1b_ad5e_31c9_70a3) ^ 0x01f);
    options.only_if && has_programs && dice.chance(30)
}

/// A case of one raised alert that asks for a device which goes on and off within the time that the alert takes to end, while its
/// sensor is read now and then: what counts while nothing has to. None for most seeds.
pub(super) fn lapses(seed: u64, options: Options) -> Option<Case> {
    const START: i64 = 1_760_000_000_000;
    let mut dice = Dice::new(seed.wrapping_mul(0xc2b2_ae3d_27d4_eb4f) ^ 0x1a5);
    let is_whole = options.programs == Programs::Anywhere && options.registry;
    if !(options.only_if && is_whole && dice.chance(4)) {
        return None;
    }
    let device = json!({"device": "d0", "is": "on", "hold_sec": dice.pick(&[0, 1, 5, 30])});
    let cold = json!({"sensor_type": "temperature", "operator": "lt", "value": 10});
    let only_if = match dice.below(4) {
        0 => json!({"all": [device, cold]}),
        1 => json!({"any": [device, cold], "hold_sec": 1}),
        2 => json!({"not": device}),
        _ => device,
    };
    let farm = json!({
        "farm": {"id": "f1", "name": "Farm", "timezone": "Asia/Kolkata", "settings": {"min_samples": dice.between(1, 3)}},
        "polyhouses": [],
        "rules": [],
        "sensors": [{"id": "s0", "type": "temperature", "scope": {"type": "farm"}, "stale_after_sec": dice.pick(&[20, 45, 300])}],
        "devices": [{"id": "d0", "name": "Pump", "type": "pump", "scope": {"type": "farm"}}],
        "alerts": [{"id": "a0", "name": "Alert", "repeatsIn": 1, "repeatUnit": "minutes", "evidence": dice.pick(&["mean", "worst"]),
            "hold_sec": dice.pick(&[0, 1]), "clear_sec": dice.pick(&[5, 30, 60]), "only_if": only_if,
            "conditions": [{"sensor": "Temperature", "operator": "<", "value": 10}]}],
    });
    let mut at = START;
    let mut inputs = vec![
        json!({"at": at, "input": "device", "device": "d0", "online": true, "running": false}),
    ];
    let steps = dice.between(40, 160);
    let mut value = 9;
    for _ in 0..steps {
        at += *dice.pick(&[0, 1, 200, 1_000, 5_000, 5_000, 20_000]);
        inputs.push(match dice.below(10) {
            0..=3 => {
                if dice.chance(30) {
                    value = 20 - value;
                }
                json!({"at": at, "input": "reading", "sensor": "s0", "value": value})
            }
            4..=7 => {
                json!({"at": at, "input": "device", "device": "d0", "running": dice.chance(50)})
            }
            8 => json!({"at": at, "input": "tick"}),
            _ if dice.chance(20) => json!({"at": at, "input": "resumed"}),
            _ => json!({"at": at, "input": "device", "device": "d0", "online": dice.chance(70)}),
        });
    }
    Some(Case {
        farm,
        inputs,
        until: at + 120_000,
    })
}

/// Binds an alert to a tree.
pub(super) fn bind(dice: &mut Dice, world: &World, alert: &mut Value) {
    let Some(place) = &world.place else {
        return;
    };
    let device = match world.devices.is_empty() {
        true => Value::Null,
        false => dice.pick(&world.devices)["id"].clone(),
    };
    let hold = *dice.pick(&[0, 1, 5, 30]);
    alert["only_if"] = match dice.below(5) {
        0 if device.is_string() => json!({"device": device, "is": "on", "hold_sec": hold}),
        1 => {
            let time = json!({"time": {"from": place.moment(dice), "to": place.moment(dice)}});
            // By night, or whatever a tree says.
            json!({"any": [time, tree_below(dice, world, alert)]})
        }
        _ => tree(dice, world, place, ""),
    };
}

fn tree_below(dice: &mut Dice, world: &World, alert: &Value) -> Value {
    let rules = world.rules.iter().map(|r| json!({"rule": r["id"]}));
    let rules: Vec<Value> = rules.collect();
    match rules.is_empty() || dice.chance(30) {
        true => super::rules::condition(dice, world, &["gt", "lt"]),
        false => match alert["hold_sec"].as_i64() {
            Some(hold) => json!({"not": dice.pick(&rules), "hold_sec": hold}),
            None => json!({"not": dice.pick(&rules)}),
        },
    }
}

/// The alert bound to something else, to the same in other words, to nothing, or to what makes no sense.
pub(super) fn rebound(dice: &mut Dice, world: &World, alert: &Value) -> Value {
    let mut edited = alert.clone();
    match dice.below(8) {
        0..=2 => bind(dice, world, &mut edited),
        3 => edited["only_if"] = Value::Null,
        4 | 5 if edited["only_if"].is_object() => {
            each_node(&mut edited["only_if"], &mut |node: &mut Value| {
                if node["hold_sec"].is_null() {
                    node["hold_sec"] = json!(0);
                }
                if let Some(object) = node.as_object_mut() {
                    object.retain(|_, v| !v.is_null());
                }
            });
        }
        _ => {
            let wrong = [
                json!({"rule": "r99"}),
                json!({"device": "nobody", "is": "on"}),
                json!({"device": "nobody"}),
                json!({"all": []}),
                json!({"days": ["monday"]}),
                json!({"days": ["mon"], "duration_sec": 5}),
                json!({"not": {"not": {"not": {"not": {"not": {"not": {"days": ["mon"]}}}}}}}),
                json!({"sensor_type": "ph", "operator": "gt", "setpoint": "nobody"}),
                json!({}),
            ];
            edited["only_if"] = dice.pick(&wrong).clone();
        }
    }
    edited
}
