//! Limits of machines: what devices have, what changes of them, and what is asked of a device that has some.

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::setpoints::with_setpoints;
use super::world::World;
use super::{Dice, number};

/// Whether a case has devices with limits; the dice are its own, so that those without are as they were.
pub(super) fn are_in(seed: u64, options: super::Options) -> bool {
    let mut dice = Dice::new(seed.wrapping_mul(0xbea2_25f9_eb34_556d) ^ 0x11e);
    options.limits && dice.chance(50)
}

/// A farm's groups, some more devices, and the limits of all of them.
pub(super) fn furnish(dice: &mut Dice, world: &mut World) {
    for n in 0..dice.between(1, 2) {
        let at_most = *dice.pick(&[1, 1, 1, 2]);
        world
            .groups
            .push(json!({"id": format!("g{n}"), "name": "Group", "at_most": at_most}));
    }
    for _ in 0..dice.between(1, 2) {
        let device = world.device(dice);
        world.devices.push(device);
    }
    for n in 0..world.devices.len() {
        let earlier = ids(&world.devices[..n]);
        let device = &mut world.devices[n];
        give_limits(dice, &world.groups, &earlier, device);
        // What is locked or away most of the time starts nothing.
        if dice.chance(70) {
            device["max_on_sec"] = Value::Null;
            for field in ["online", "state"] {
                device.as_object_mut().and_then(|d| d.remove(field));
            }
        }
    }
}

/// Rules that switch a device on and off again as its sensors cross their level, so that there is something to limit.
pub(super) fn switches(dice: &mut Dice, world: &mut World) {
    for n in 0..dice.between(2, 3) {
        let (kind, level) = *dice.pick(&world.levels);
        let (on, off) = *dice.pick(&[("gt", "lte"), ("lt", "gte")]);
        let condition = |operator: &str| json!({"sensor_type": kind, "operator": operator, "value": number(level), "duration_sec": 1});
        let which = dice.below(world.devices.len());
        let device = world.devices[which]["id"].clone();
        let order = match dice.below(6) {
            0 | 1 => {
                let device = &mut world.devices[which];
                device["max_pulse_sec_per_hour"] = json!(3_600);
                if dice.chance(50) {
                    device["limits"]["min_off_sec"] = json!(*dice.pick(&[10, 60, 300]));
                }
                json!({"action": "pulse", "value": *dice.pick(&[1, 5, 20])})
            }
            2 => json!({"action": "set_flow_rate", "value": *dice.pick(&[0.1, 2.5, 10.0])}),
            _ => json!({"action": "on"}),
        };
        world.rules.push(json!({
            "id": format!("q{n}"), "name": "Rule", "mode": "auto", "deployed": true, "scope": {"type": "farm", "farmId": "f1"},
            "priority": *dice.pick(&[1, 5, 9]), "trigger": condition(on), "stop_condition": condition(off),
            "actions": [{"device_id": device, "command": order}],
        }));
    }
}

pub(super) fn ids(devices: &[Value]) -> Vec<String> {
    let id = |d: &Value| d["id"].as_str().map(Into::into);
    devices.iter().filter_map(id).collect()
}

/// Gives a device limits, or none; it may need those that are named.
pub(super) fn give_limits(
    dice: &mut Dice,
    groups: &[Value],
    others: &[String],
    device: &mut Value,
) {
    if dice.chance(15) {
        device["limits"] = dice.pick(&[Value::Null, json!({})]).clone();
        return;
    }
    let mut limits = json!({});
    let seconds = [1, 2, 5, 10, 30, 60, 300];
    for field in ["min_on_sec", "min_off_sec"] {
        if dice.chance(30) {
            limits[field] = json!(*dice.pick(&seconds));
        }
    }
    if dice.chance(30) {
        limits["starts_per_hour"] = json!(*dice.pick(&[1, 1, 2, 2, 3, 5]));
    }
    if dice.chance(45) && !groups.is_empty() {
        let mut named = ids(groups);
        if dice.chance(70) {
            named = vec![dice.pick(&named).clone()];
        }
        limits["groups"] = json!(named);
    }
    if dice.chance(45) && !others.is_empty() {
        let mut any = vec![dice.pick(others)];
        let more = dice.pick(others);
        if dice.chance(40) && more != any[0] {
            any.push(more);
        }
        limits["needs"] = json!({"any": any});
        if dice.chance(75) {
            limits["needs"]["for_sec"] = json!(*dice.pick(&[0, 0, 1, 3, 5, 10, 60]));
        }
    }
    if dice.chance(20) {
        limits["sec_per_day"] = json!(*dice.pick(&[5, 20, 30, 60, 60, 300, 1_000]));
    }
    if dice.chance(15) {
        limits["ml_per_day"] = dice
            .pick(&[
                json!(0.5),
                json!(12.5),
                json!(50),
                json!(100),
                json!(333.333),
            ])
            .clone();
        limits["ml_per_sec"] = dice
            .pick(&[json!(0.7), json!(1), json!(2.5), json!(3), json!(10_000)])
            .clone();
    } else if dice.chance(10) {
        limits["ml_per_sec"] = json!(2);
    }
    if dice.chance(10) {
        let field = *dice.pick(&["min_on_sec", "groups", "needs", "sec_per_day"]);
        limits[field] = Value::Null;
    }
    device["limits"] = limits;
}

/// A change of the registry that has to do with limits; the world follows it, for the case that it is taken.
pub(super) fn change_of_limits(dice: &mut Dice, world: &mut World) -> Option<Value> {
    if dice.chance(30) {
        return Some(settings(dice, world));
    }
    let n = (!world.devices.is_empty()).then(|| dice.below(world.devices.len()))?;
    let earlier = ids(&world.devices[..n]);
    let groups = world.groups.clone();
    let device = &mut world.devices[n];
    match dice.below(4) {
        // One limit goes or becomes another.
        0 => {
            let field = *dice.pick(&["min_on_sec", "min_off_sec", "starts_per_hour", "groups"]);
            device["limits"][field] = Value::Null;
        }
        1 => {
            let field = *dice.pick(&["min_on_sec", "min_off_sec", "sec_per_day"]);
            device["limits"][field] = json!(*dice.pick(&[1, 5, 20, 60]));
        }
        _ => give_limits(dice, &groups, &earlier, device),
    }
    super::hours::change_device(world, n);
    Some(json!({"put_device": world.devices[n]}))
}

/// The farm's settings, with groups as they are or of another width.
pub(super) fn settings(dice: &mut Dice, world: &mut World) -> Value {
    let samples = dice.between(1, 3);
    if dice.chance(60) && !world.groups.is_empty() {
        let n = dice.below(world.groups.len());
        world.groups[n]["at_most"] = json!(dice.between(1, 3));
    }
    super::hours::change_groups(world);
    let settings = json!({"min_samples": samples, "groups": world.groups});
    json!({"settings": with_setpoints(world, settings)})
}

/// Changes with one thing wrong.
pub(super) fn broken_limits(dice: &mut Dice, world: &mut World) -> Option<Value> {
    if let Some(change) = super::hours::broken(world) {
        return Some(change);
    }
    let mut device = (!world.devices.is_empty()).then(|| dice.pick(&world.devices).clone())?;
    let id = device["id"].clone();
    let group = |id: &str, at_most: i64| json!({"id": id, "name": "Group", "at_most": at_most});
    let groups = match dice.below(24) {
        0 => vec![group("g0", 1), group("g1", 1), group("g0", 2)],
        1 => vec![group("g0", 0), group("g1", 1)],
        2 => vec![group("g0", 1), group("g1", 101)],
        3 => (0..65).map(|n| group(&format!("g{n}"), 1)).collect(),
        n => {
            let limits = [
                json!({"min_on_sec": 0}),
                json!({"min_on_sec": 3_601}),
                json!({"min_off_sec": 0}),
                json!({"min_off_sec": 3_601}),
                json!({"starts_per_hour": 0}),
                json!({"starts_per_hour": 61}),
                json!({"groups": []}),
                json!({"groups": ["g0", "g0"]}),
                json!({"groups": ["nobody"]}),
                json!({"needs": {"any": []}}),
                json!({"needs": {"any": ["nobody"]}}),
                json!({"needs": {"any": [id]}}),
                json!({"needs": {"any": ["d1", "d1"]}}),
                json!({"needs": {"any": ["d1"], "for_sec": 61}}),
                json!({"sec_per_day": *dice.pick(&[0, 86_401])}),
                json!({"ml_per_day": *dice.pick(&[0, 100_000_001]), "ml_per_sec": 1}),
                json!({"ml_per_day": 5}),
                json!({"ml_per_sec": *dice.pick(&[0, 10_001])}),
                json!({"needs": {"any": ids(&world.devices)}}),
                json!({"needs": {"for_sec": 1}}),
            ];
            device["limits"] = limits[n - 4].clone();
            return Some(json!({"put_device": device}));
        }
    };
    Some(json!({"settings": {"min_samples": 2, "groups": groups}}))
}
