//! Setpoints and curves: what farms have, what changes of them, and readings at which they are decided.

pub(super) mod edits;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::days::Place;
use super::world::World;
use super::{Dice, number};
use crate::Model;
use crate::sensor_type::sensor_type;

const OPERATORS: [&str; 4] = ["gt", "gte", "lt", "lte"];
/// How far from each other what is compared lies, in tenths of millionths.
const NEAR: [i64; 10] = [
    0, 500_000, -500_000, 1_000_000, -1_000_000, 3_000_000, 333_330, -777_770, 10, -30,
];

/// Whether a case has setpoints and curves; the dice are its own, so that those without are as they were.
pub(super) fn are_in(seed: u64, options: super::Options, has_programs: bool) -> bool {
    let mut dice = Dice::new(seed.wrapping_mul(0xc2b2_ae3d_27d4_eb4f) ^ 0x5e7);
    options.setpoints && has_programs && dice.chance(40)
}

fn value(dice: &mut Dice, kind: &str, level: i64) -> Value {
    let (low, high) = sensor_type(kind).map_or((0, 0), |t| t.editor);
    number((level + dice.pick(&NEAR)).clamp(low * 10_000_000, high * 10_000_000))
}

fn course(dice: &mut Dice, place: &Place, kind: &str, level: i64) -> Value {
    let many = if dice.chance(2) {
        24
    } else {
        dice.between(1, 4)
    };
    let points = (0..many).map(|_| {
        let mut point = json!({"at": place.moment(dice), "value": value(dice, kind, level)});
        if dice.chance(70) {
            point["ramp_min"] = json!(*dice.pick(&[0, 1, 2, 2, 3, 3, 5, 7, 10, 30, 720]));
        }
        point
    });
    json!(points.collect::<Vec<_>>())
}

fn stages(dice: &mut Dice, place: &Place, kind: &str, level: i64) -> Value {
    let mut dates: Vec<String> = (0..dice.between(1, 3)).map(|_| place.date(dice)).collect();
    dates.sort();
    dates.dedup();
    let stages = dates.into_iter().map(|from| {
        let mut stage = json!({"from": from, "course": course(dice, place, kind, level)});
        if dice.chance(70) {
            stage["ramp_days"] = json!(*dice.pick(&[0, 1, 1, 2, 2, 3, 6, 60]));
        }
        stage
    });
    json!(stages.collect::<Vec<_>>())
}

fn setpoint(dice: &mut Dice, world: &World, id: &str, kind: &str) -> Option<Value> {
    let place = world.place.as_ref()?;
    let (_, level) = *world.levels.iter().find(|(k, _)| *k == kind)?;
    let mut setpoint = json!({"id": id, "name": "Target", "sensor_type": kind,
        "course": course(dice, place, kind, level)});
    if dice.chance(50) {
        setpoint["stages"] = stages(dice, place, kind, level);
    }
    match dice.below(6) {
        0 => setpoint["scope"] = Value::Null,
        1 | 2 => setpoint["scope"] = dice.pick(&world.scopes).clone(),
        _ => {}
    }
    Some(setpoint)
}

/// Gives a farm its setpoints.
pub(super) fn furnish(dice: &mut Dice, world: &mut World) {
    for n in 0..dice.between(1, 3) {
        let kind = dice.pick(&world.levels).0;
        let setpoint = setpoint(dice, world, &format!("sp{n}"), kind);
        world.setpoints.extend(setpoint);
    }
}

/// A farm's settings with its setpoints, if it has any.
pub(super) fn with_setpoints(world: &World, mut settings: Value) -> Value {
    if !world.setpoints.is_empty() {
        settings["setpoints"] = json!(world.setpoints);
    }
    settings
}

/// A condition that compares with a setpoint.
pub(super) fn leaf(dice: &mut Dice, world: &World) -> Value {
    let setpoint = dice.pick(&world.setpoints);
    let mut leaf = json!({"sensor_type": setpoint["sensor_type"], "operator": *dice.pick(&OPERATORS),
        "setpoint": setpoint["id"]});
    if dice.chance(65) {
        leaf["offset"] = match dice.chance(4) {
            true => json!(*dice.pick(&[-1_000_000, 1_000_000])),
            false => number(*dice.pick(&NEAR)),
        };
    }
    if dice.chance(20) {
        leaf["scope"] = dice.pick(&world.scopes).clone();
    }
    leaf
}

fn curve(dice: &mut Dice, world: &World, action: &str) -> Value {
    let (kind, level) = *dice.pick(&world.levels);
    let mut curve = json!({"sensor_type": kind});
    let of_kind: Vec<&Value> = (world.setpoints.iter())
        .filter(|s| s["sensor_type"] == kind)
        .collect();
    let mut x = level;
    if !of_kind.is_empty() && dice.chance(55) {
        curve["setpoint"] = dice.pick(&of_kind)["id"].clone();
        x = 0;
    }
    x -= dice.pick(&[0, 1_000_000, 3_000_000]);
    let mut points = Vec::new();
    for _ in 0..*dice.pick(&[2, 2, 2, 3, 4, 16]) {
        let y = match action {
            "set_flow_rate" => number(*dice.pick(&[1, 10, 25, 33, 100]) * 1_000_000),
            _ => number(*dice.pick(&[0, 5, 20, 33, 50, 75, 95, 100]) * 10_000_000),
        };
        points.push(json!([number(x), y]));
        x += dice.pick(&[30, 500_000, 1_000_000, 2_000_000, 7_000_000]);
    }
    curve["points"] = json!(points);
    if dice.chance(75) {
        curve["dead_band"] = number(*dice.pick(&[0, 10, 300_000, 500_000, 1_000_000, 2_000_000]));
    }
    if dice.chance(60) {
        curve["step"] = match action {
            "set_flow_rate" => dice.pick(&[json!(0.1), json!(0.3), json!(10)]).clone(),
            _ => dice
                .pick(&[json!(1), json!(2.5), json!(10), json!(7), json!(100)])
                .clone(),
        };
    }
    if dice.chance(80) {
        curve["least_sec"] = json!(*dice.pick(&[0, 0, 1, 2, 5, 10, 30, 60, 3_600]));
    }
    if dice.chance(20) {
        curve["scope"] = dice.pick(&world.scopes).clone();
    }
    curve
}

/// A command with a curve.
fn follow(dice: &mut Dice, world: &World, action: &mut Value) {
    let (word, value) = match dice.below(5) {
        0 | 1 => ("set_speed", json!(*dice.pick(&[0, 40, 100]))),
        2 | 3 => ("set_position", json!(*dice.pick(&[0, 30, 100]))),
        _ => ("set_flow_rate", json!(*dice.pick(&[0.1, 2.5, 10.0]))),
    };
    action["command"] = json!({"action": word, "value": value});
    action["curve"] = curve(dice, world, word);
}

/// Some actions of a rule get curves.
pub(super) fn curves(dice: &mut Dice, world: &World, rule: &mut Value) {
    for action in rule["actions"].as_array_mut().into_iter().flatten() {
        if dice.chance(35) {
            follow(dice, world, action);
        }
    }
}

/// Rules that run for long and follow, and such that switch as their sensors cross a setpoint.
pub(super) fn followers(dice: &mut Dice, world: &mut World) {
    for n in 0..dice.between(1, 2) {
        let trigger = match dice.below(5) {
            0 => with(leaf(dice, world), json!({"duration_sec": 1})),
            1 => {
                let (kind, level) = *dice.pick(&world.levels);
                json!({"sensor_type": kind, "operator": "gte", "value": number(level), "duration_sec": 1})
            }
            _ => {
                json!({"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "duration_sec": 1})
            }
        };
        let mut actions = Vec::new();
        for _ in 0..*dice.pick(&[1, 1, 2]) {
            let mut action = json!({"device_id": dice.pick(&world.devices)["id"]});
            follow(dice, world, &mut action);
            for (field, often, values) in [
                ("linger_sec", 40, [5, 30, 60]),
                ("for_sec", 15, [5, 60, 600]),
                ("delay_sec", 25, [1, 5, 30]),
            ] {
                if dice.chance(often) {
                    action[field] = json!(*dice.pick(&values));
                }
            }
            actions.push(action);
        }
        let mut rule = rule(dice, &format!("c{n}"), trigger, json!(actions));
        if dice.chance(30) {
            rule["run_sec"] = json!(*dice.pick(&[10, 60, 600]));
        }
        world.rules.push(rule);
    }
    for n in 0..dice.between(0, 2) {
        let (mut start, mut stop) = (leaf(dice, world), Value::Null);
        let (on, off) = *dice.pick(&[("gt", "lte"), ("lt", "gte")]);
        start["operator"] = json!(on);
        if dice.chance(75) {
            stop = start.clone();
            stop["operator"] = json!(off);
            if let Some(place) = world.place.clone().filter(|_| dice.chance(60)) {
                let device = dice.pick(&world.devices)["id"].clone();
                let other = match dice.below(3) {
                    0 => json!({"time": {"from": place.moment(dice), "to": place.moment(dice)}}),
                    1 => json!({"rule": "c0"}),
                    _ => json!({"device": device, "is": "on"}),
                };
                let other = held(dice, other);
                stop = json!({*dice.pick(&["any", "any", "all"]): [stop, other]});
            }
            stop["duration_sec"] = json!(*dice.pick(&[1, 5, 30, 60]));
        }
        start["duration_sec"] = json!(*dice.pick(&[1, 1, 5]));
        let device = dice.pick(&world.devices)["id"].clone();
        let actions = json!([{"device_id": device, "command": {"action": "on"}}]);
        let mut rule = rule(dice, &format!("t{n}"), start, actions);
        rule["stop_condition"] = stop;
        world.rules.push(rule);
    }
}

fn held(dice: &mut Dice, mut node: Value) -> Value {
    if dice.chance(60) {
        node["hold_sec"] = json!(*dice.pick(&[5, 30, 60, 300]));
    }
    node
}

fn rule(dice: &mut Dice, id: &str, trigger: Value, actions: Value) -> Value {
    json!({"id": id, "name": "Rule", "mode": "auto", "deployed": true, "scope": {"type": "farm", "farmId": "f1"},
        "priority": *dice.pick(&[1, 5, 9]), "trigger": trigger, "actions": actions,
        "on_signal_lost": *dice.pick(&["hold", "hold", "stop"])})
}

fn with(mut doc: Value, more: Value) -> Value {
    if let (Some(doc), Value::Object(more)) = (doc.as_object_mut(), more) {
        doc.extend(more);
    }
    doc
}

/// A change of the settings that moves setpoints; the world follows it, for the case that it is taken.
pub(super) fn change(dice: &mut Dice, world: &mut World, min_samples: i64) -> Option<Value> {
    let place = world.place.clone()?;
    let n = dice.below(world.setpoints.len());
    let kind = world.setpoints.get(n)?["sensor_type"].as_str()?.to_owned();
    let level = (world.levels.iter())
        .find(|(k, _)| *k == kind)
        .map(|(_, level)| *level)?;
    let many = world.setpoints[n]["course"].as_array().map_or(1, Vec::len);
    let point = dice.below(many);
    match dice.below(10) {
        0..=2 => world.setpoints[n]["course"][point]["value"] = value(dice, &kind, level),
        3 => world.setpoints[n]["course"][point]["ramp_min"] = json!(dice.between(0, 9)),
        4 => world.setpoints[n]["course"][point]["at"] = place.moment(dice),
        5 => world.setpoints[n]["stages"] = stages(dice, &place, &kind, level),
        6 => world.setpoints[n]["stages"] = Value::Null,
        7 => world.setpoints[n]["name"] = json!("Another name"),
        8 if world.setpoints.len() > 1 => _ = world.setpoints.remove(n),
        _ => {
            let id = format!("sp{}", dice.below(4));
            let setpoint = setpoint(dice, world, &id, &kind)?;
            world.setpoints.retain(|s| s["id"] != id.as_str());
            world.setpoints.push(setpoint);
        }
    }
    let min_samples = match dice.chance(80) {
        true => min_samples,
        false => dice.between(1, 3),
    };
    Some(json!({"settings": settings(world, min_samples)}))
}

fn settings(world: &World, min_samples: i64) -> Value {
    let mut settings = json!({"min_samples": min_samples});
    if world.limits {
        settings["groups"] = json!(world.groups);
    }
    with_setpoints(world, settings)
}

/// Settings with one thing wrong.
pub(super) fn broken_settings(dice: &mut Dice, world: &World) -> Option<Value> {
    let mut settings = settings(world, 2);
    let n = dice.below(world.setpoints.len());
    let (low, high) = sensor_type(world.setpoints.get(n)?["sensor_type"].as_str()?)?.editor;
    let setpoints = &mut settings["setpoints"];
    let point = json!({"at": "07:00", "value": low});
    let course = json!([point]);
    match dice.below(17) {
        0 => setpoints[n]["id"] = json!("another"),
        1 => setpoints[n]["sensor_type"] = json!("speed"),
        2 => setpoints[n]["scope"] = json!({"type": "zone", "farmId": "f1", "zoneId": "p9z9"}),
        3 => setpoints[n]["course"] = json!([]),
        4 => setpoints[n]["course"] = json!(vec![point; 25]),
        5 => setpoints[n]["course"][0]["value"] = json!(low - 1),
        6 => setpoints[n]["course"][0]["value"] = json!(high + 1),
        7 => setpoints[n]["course"][0]["value"] = Value::Null,
        8 => setpoints[n]["course"][0]["at"] = json!(*dice.pick(&["24:00", "noon"])),
        9 => setpoints[n]["course"][0]["ramp_min"] = json!(*dice.pick(&[-1, 721])),
        10 => setpoints[n]["stages"] = json!([{"from": "2025-02-29", "course": course}]),
        11 => setpoints[n]["stages"] = json!([{"from": "2025-02-01", "course": []}]),
        12 => {
            let ramp = *dice.pick(&[-1, 61]);
            setpoints[n]["stages"] =
                json!([{"from": "2025-02-01", "course": course, "ramp_days": ramp}]);
        }
        13 => {
            setpoints[n]["stages"] = json!([{"from": "2025-02-02", "course": course},
                {"from": "2025-02-01", "course": course}]);
        }
        14 => {
            let stages =
                (1..=17).map(|day| json!({"from": format!("2025-03-{day:02}"), "course": course}));
            setpoints[n]["stages"] = json!(stages.collect::<Vec<_>>());
        }
        15 => {
            let again = setpoints[n].clone();
            setpoints.as_array_mut()?.push(again);
        }
        _ => {
            let more = (0..64).map(|n| {
                json!({"id": format!("x{n}"), "name": "x", "sensor_type": "ph",
                "course": [{"at": "07:00", "value": 6}]})
            });
            setpoints.as_array_mut()?.extend(more);
        }
    }
    Some(json!({"settings": settings}))
}

/// Readings that are at a setpoint, or as far from it as conditions are, of all sensors of its type.
pub(super) fn near_setpoint(dice: &mut Dice, model: &Model, at: i64) -> Vec<(String, Value)> {
    let ids: Vec<&String> = model.setpoints.keys().collect();
    if ids.is_empty() {
        return Vec::new();
    }
    let id = *dice.pick(&ids);
    let now = model.clock().map_or(at, |clock| clock.max(at));
    let Some(value) = model.setpoint_value(id, now) else {
        return Vec::new();
    };
    let trees = model.rules.values().flat_map(|r| r.doc.trees());
    let targets = trees
        .flat_map(|(_, tree)| tree.signals())
        .filter_map(|c| c.target.as_ref());
    let offsets = targets.filter(|t| t.setpoint == *id).map(|t| t.offset * 10);
    let offsets: Vec<i64> = offsets.chain([0]).collect();
    let about = dice.pick(&offsets) + dice.pick(&[0, 0, 0, 10, -10, 500_000, -500_000]);
    let value = number(value * 10 + about);
    let of_kind = (model.sensors.values()).filter(|s| s.doc.kind == model.setpoints[id].kind);
    of_kind.map(|s| (s.doc.id.clone(), value.clone())).collect()
}

/// Readings at an end of the dead band of a claim that follows a curve, or nulls, of all its sensors.
pub(super) fn near_curve(dice: &mut Dice, model: &Model, at: i64) -> Vec<(String, Value)> {
    let claims = model.devices.values().flat_map(|d| &d.claims);
    let following: Vec<_> = claims.filter_map(|c| c.following.as_ref()).collect();
    if following.is_empty() {
        return Vec::new();
    }
    let following = *dice.pick(&following);
    let sensors = model.sensors_of(&following.curve.signal);
    if dice.chance(12) {
        return sensors.into_iter().map(|s| (s, Value::Null)).collect();
    }
    let now = model.clock().map_or(at, |clock| clock.max(at));
    let target = match &following.curve.setpoint {
        Some(id) => model.setpoint_value(id, now).unwrap_or(0),
        None => 0,
    };
    let mut xs: Vec<i64> = following.curve.points.iter().map(|p| p.0).collect();
    xs.extend(following.reference.iter().flat_map(|x| {
        let band = following.curve.dead_band;
        [
            x - band,
            x + band,
            x - band,
            x + band,
            x - band - 200_000,
            x + band + 200_000,
        ]
    }));
    let x = dice.pick(&xs) + dice.pick(&[0, 0, 0, 1, -1, 30_000, -30_000]);
    let value = number((x + target) * 10);
    sensors.into_iter().map(|s| (s, value.clone())).collect()
}
