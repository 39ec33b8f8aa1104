//! Hours of machines and of groups.

use serde_json::{Value, json};

use super::limits::ids;
use super::world::World;
use super::{Dice, Options};

/// The seed of the dice by which a case has hours, if it has some.
pub(super) fn are_in(seed: u64, options: Options) -> Option<u64> {
    let seed = seed.wrapping_mul(0x9e6c_63d0_876a_46ad) ^ 0x40;
    let mut dice = Dice::new(seed);
    (options.hours && dice.chance(60)).then(|| dice.roll())
}

/// Gives some devices and groups of a case with limits hours.
pub(super) fn furnish(world: &mut World) {
    for n in 0..world.devices.len() {
        change_device(world, n);
    }
    change_groups(world);
}

/// A device gets hours, other ones, or loses them.
pub(super) fn change_device(world: &mut World, n: usize) {
    let Some(mut dice) = world.hours.clone() else {
        return;
    };
    let own = ids(&world.devices[n..=n]);
    let others: Vec<String> = ids(&world.devices)
        .into_iter()
        .filter(|id| !own.contains(id) && is_no_member(world, id))
        .collect();
    let hours = match dice.below(10) {
        0..=3 => Some(hours(&mut dice, world, &others)),
        4 => Some(Value::Null),
        _ => None,
    };
    if let Some(hours) = hours {
        if !world.devices[n]["limits"].is_object() {
            world.devices[n]["limits"] = json!({});
        }
        world.devices[n]["limits"]["hours"] = hours;
    }
    world.hours = Some(dice);
}

/// Groups get hours, other ones, or lose them.
pub(super) fn change_groups(world: &mut World) {
    let Some(mut dice) = world.hours.clone() else {
        return;
    };
    let all = ids(&world.devices).into_iter();
    let others: Vec<String> = all.filter(|id| is_no_member(world, id)).collect();
    for n in 0..world.groups.len() {
        match dice.below(10) {
            0..=3 => world.groups[n]["hours"] = hours(&mut dice, world, &others),
            4 => world.groups[n]["hours"] = Value::Null,
            _ => {}
        }
    }
    world.hours = Some(dice);
}

fn is_no_member(world: &World, id: &str) -> bool {
    let device = world.devices.iter().find(|d| d["id"] == id);
    device.is_none_or(|d| d["limits"]["groups"].is_null())
}

fn hours(dice: &mut Dice, world: &World, others: &[String]) -> Value {
    let node = match dice.below(6) {
        0 => json!({"not": leaf(dice, world, others)}),
        1 => json!({"all": [leaf(dice, world, others), leaf(dice, world, others)]}),
        2 => json!({"any": [leaf(dice, world, others), leaf(dice, world, others)]}),
        _ => leaf(dice, world, others),
    };
    let mut hours = json!({"while": node, "if_unknown": *dice.pick(&["hold", "allow"])});
    if dice.chance(35) {
        hours["for_sec"] = json!(*dice.pick(&[0, 1, 5, 30, 60, 600]));
    }
    hours
}

/// A signal about its level, a device, or the clock.
fn leaf(dice: &mut Dice, world: &World, others: &[String]) -> Value {
    match (dice.below(6), &world.place) {
        (0..=2, Some(place)) => match dice.below(6) {
            0 => json!({"days": place.weekdays(dice)}),
            1 => json!({"dates": place.dates(dice)}),
            n => {
                let mut window =
                    json!({"time": {"from": place.moment(dice), "to": place.moment(dice)}});
                if n == 2 {
                    window["days"] = place.weekdays(dice);
                }
                window
            }
        },
        (0 | 3, _) if !others.is_empty() => {
            json!({"device": dice.pick(others), "is": *dice.pick(&["on", "on", "off"])})
        }
        // Of the whole farm: there is a sensor of the type wherever that goes.
        _ => {
            let (kind, level) = *dice.pick(&world.levels);
            let operator = *dice.pick(&["gt", "gte", "lt", "lte"]);
            json!({"sensor_type": kind, "operator": operator, "value": super::number(level),
                "scope": {"type": "farm", "farmId": "f1"}})
        }
    }
}

/// A change with one thing wrong about hours, in some of the cases that have them.
pub(super) fn broken(world: &mut World) -> Option<Value> {
    let mut dice = world.hours.clone().filter(|_| !world.devices.is_empty())?;
    let change = dice.chance(50).then(|| {
        let mut device = dice.pick(&world.devices).clone();
        let id = device["id"].clone();
        let days = json!({"days": ["mon"]});
        let wrong = [
            json!({"while": days}),
            json!({"if_unknown": "hold"}),
            json!({"while": days, "if_unknown": "skip"}),
            json!({"while": days, "if_unknown": "hold", "for_sec": *dice.pick(&[-1, 3_601])}),
            json!({"while": {"device": id, "is": "on"}, "if_unknown": "hold"}),
            json!({"while": {"not": {"device": "nobody", "is": "on"}}, "if_unknown": "hold"}),
            json!({"while": {"rule": "r0"}, "if_unknown": "allow"}),
            json!({"while": {"days": ["mon"], "hold_sec": 5}, "if_unknown": "allow"}),
            json!({"while": {"sensor_type": "ph", "operator": "gt", "setpoint": "sp0"}, "if_unknown": "allow"}),
            json!({"while": {"sensor_type": "ph", "operator": "gt", "value": 5,
                "scope": {"type": "zone", "zoneId": "nowhere"}}, "if_unknown": "allow"}),
            json!({"while": {"all": []}, "if_unknown": "allow"}),
        ];
        let hours = dice.pick(&wrong).clone();
        if dice.chance(50) {
            if !device["limits"].is_object() {
                device["limits"] = json!({});
            }
            device["limits"]["hours"] = hours;
            return json!({"put_device": device});
        }
        let mut groups = world.groups.clone();
        match groups.first_mut() {
            // The only one that is no mistake in a group that the device is not of.
            Some(group) if hours["while"]["device"].is_null() => group["hours"] = hours,
            _ => groups = vec![json!({"id": "g0", "at_most": 0})],
        }
        json!({"settings": {"min_samples": 2, "groups": groups}})
    });
    world.hours = Some(dice);
    change
}
