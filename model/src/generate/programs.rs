//! Programs: rules with trees, schedules, runs and claims that end, and what a person may do to one.

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::Dice;
use super::days::Place;
use super::rules::{OPERATORS, condition};
use super::world::World;

const HOLDS: [i64; 5] = [1, 2, 5, 10, 30];

fn leaf(dice: &mut Dice, world: &World, place: &Place, id: &str) -> Value {
    if !world.setpoints.is_empty() && dice.chance(25) {
        return super::setpoints::leaf(dice, world);
    }
    let others: Vec<&Value> = world.rules.iter().filter(|r| r["id"] != id).collect();
    match dice.below(14) {
        0..=2 => {
            let mut window =
                json!({"time": {"from": place.moment(dice), "to": place.moment(dice)}});
            if dice.chance(35) {
                window["days"] = place.weekdays(dice);
            }
            window
        }
        3 => json!({"days": place.weekdays(dice)}),
        4 => json!({"dates": place.dates(dice)}),
        5..=7 if !others.is_empty() => json!({"rule": dice.pick(&others)["id"]}),
        8 | 9 if !world.devices.is_empty() => {
            json!({"device": dice.pick(&world.devices)["id"], "is": *dice.pick(&["on", "off"])})
        }
        _ => condition(dice, world, &OPERATORS),
    }
}

/// A node with at most `deep` levels.
fn node(dice: &mut Dice, world: &World, place: &Place, id: &str, deep: i64) -> Value {
    let mut node = if deep > 1 && dice.chance(55) {
        let many = *dice.pick(&[1, 2, 2, 2, 3]);
        let deep = if many > 1 { deep.min(4) } else { deep } - 1;
        match dice.below(5) {
            0 => json!({"not": self::node(dice, world, place, id, deep)}),
            n => {
                let nodes: Vec<Value> = (0..many)
                    .map(|_| self::node(dice, world, place, id, deep))
                    .collect();
                json!({*["all", "any"].get(n % 2).unwrap_or(&"all"): nodes})
            }
        }
    } else {
        leaf(dice, world, place, id)
    };
    if dice.chance(25) {
        node["hold_sec"] = json!(*dice.pick(&HOLDS));
    } else if dice.chance(10) {
        node["hold_sec"] = json!(0);
    }
    node
}

fn count(node: &Value) -> usize {
    let lists = [&node["all"], &node["any"]]
        .into_iter()
        .filter_map(Value::as_array)
        .flatten();
    1 + lists.map(count).sum::<usize>() + node.get("not").map_or(0, count)
}

pub(super) fn tree(dice: &mut Dice, world: &World, place: &Place, id: &str) -> Value {
    let deep = *dice.pick(&[1, 2, 3, 3, 4, 6]);
    let mut tree = node(dice, world, place, id, deep);
    if dice.chance(6) {
        tree = leaf(dice, world, place, id);
        for n in 0..5 {
            let field = *dice.pick(&["not", "all", "any"]);
            tree = match field {
                "not" => json!({"not": tree}),
                _ => json!({field: [tree, {"days": ["mon", "thu"]}]}),
            };
            if n < 4 && dice.chance(25) {
                tree["hold_sec"] = json!(*dice.pick(&HOLDS));
            }
        }
    }
    while count(&tree) > 32 {
        tree = node(dice, world, place, id, 3);
    }
    tree
}

/// The tree of a trigger or stop condition.
fn whole(dice: &mut Dice, world: &World, place: &Place, id: &str) -> Value {
    let mut tree = tree(dice, world, place, id);
    if let Some(object) = tree.as_object_mut() {
        object.remove("hold_sec");
    }
    // Short ones alone make a rule act every second as long as time leaps.
    if dice.chance(93) || tree.get("sensor_type").is_some() {
        tree["duration_sec"] = json!(*dice.pick(&[1, 2, 5, 10, 30, 30, 60, 60, 120]));
    }
    tree
}

fn schedule(dice: &mut Dice, world: &World, place: &Place, id: &str) -> Value {
    let mut schedule = json!({});
    let kind = dice.below(3);
    if kind != 1 {
        let times: Vec<Value> = (0..dice.between(1, 4))
            .map(|_| place.moment(dice))
            .collect();
        schedule["at"] = json!(times);
    }
    if kind != 0 {
        let mut times = [place.time_of_day(dice), place.time_of_day(dice)];
        times.sort();
        if times[0] == times[1] {
            times = ["00:00".into(), "23:59".into()];
        }
        let is_long = times[0][..2] != times[1][..2];
        let minutes = *dice.pick(if is_long { &[90, 240, 720] } else { &[1, 2, 5] });
        schedule["every"] = json!({"minutes": minutes, "from": times[0], "to": times[1]});
    }
    if dice.chance(25) {
        schedule["days"] = place.weekdays(dice);
    }
    if dice.chance(20) {
        schedule["dates"] = place.dates(dice);
    }
    if dice.chance(55) {
        schedule["guard"] = tree(dice, world, place, id);
        schedule["if_unknown"] = json!(*dice.pick(&["run", "skip"]));
    }
    if dice.chance(60) {
        schedule["catch_up_sec"] = json!(*dice.pick(&[0, 30, 60, 120, 600, 3_600, 86_400]));
    }
    schedule
}

/// Makes a program of a rule, or leaves it as it is.
pub(super) fn program(dice: &mut Dice, world: &World, rule: &mut Value) {
    let Some(place) = world.place.clone().filter(|_| dice.chance(75)) else {
        return;
    };
    let id = rule["id"].as_str().unwrap_or("").to_owned();
    let kind = dice.below(10);
    if kind < 4 {
        rule["trigger"] = json!({"schedule": schedule(dice, world, &place, &id)});
        if dice.chance(50) {
            rule["stop_condition"] = Value::Null;
        }
    } else if kind < 8 {
        rule["trigger"] = whole(dice, world, &place, &id);
    }
    if dice.chance(35) {
        let mut stop = whole(dice, world, &place, &id);
        if stop["operator"] == "between" {
            // A stop condition of version 1 is no band.
            stop["operator"] = json!("gte");
            stop["value_max"] = Value::Null;
        }
        rule["stop_condition"] = stop;
    }
    if kind < 4 || dice.chance(35) {
        rule["run_sec"] = json!(*dice.pick(&[1, 2, 5, 10, 30, 60, 60, 120, 180, 600]));
    }
    for action in rule["actions"].as_array_mut().into_iter().flatten() {
        if action["command"]["action"] == "pulse" {
            continue;
        }
        if dice.chance(30) {
            action["for_sec"] = json!(*dice.pick(&[1, 2, 5, 30, 60]));
        }
        if dice.chance(45) {
            action["linger_sec"] = json!(*dice.pick(&[1, 2, 5, 10, 60]));
        }
    }
}

pub(super) fn is_program(rule: &Value) -> bool {
    rule["trigger"]["sensor_type"].is_null()
        || !rule["stop_condition"].is_null() && rule["stop_condition"]["sensor_type"].is_null()
        || !rule["run_sec"].is_null()
}

/// Every node of a rule, as a function sees it.
pub(super) fn each_node(node: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    for field in ["all", "any"] {
        for below in node[field].as_array_mut().into_iter().flatten() {
            each_node(below, visit);
        }
        if node[field].is_null()
            && let Some(object) = node.as_object_mut()
        {
            object.remove(field);
        }
    }
    if node.get("not").is_some() {
        each_node(&mut node["not"], visit);
    }
    visit(node);
}

/// The same program in other words.
pub(super) fn same_program(dice: &mut Dice, rule: &Value) -> Value {
    let mut same = rule.clone();
    let scope = rule["scope"].clone();
    let fills = dice.chance(70);
    let mut fill = |node: &mut Value| {
        if fills && node["hold_sec"].is_null() && node.get("duration_sec").is_none() {
            node["hold_sec"] = json!(0);
        }
        if fills && node["sensor_type"].is_string() && node.get("scope").is_none() {
            node["scope"] = scope.clone();
        }
        if node["time"].is_object() && node.get("days").is_none() {
            node["days"] = json!(["sun", "sat", "fri", "thu", "wed", "tue", "mon"]);
        }
        for field in ["from", "to"] {
            if node["time"][field].is_object() && node["time"][field]["offset_min"].is_null() {
                node["time"][field]["offset_min"] = json!(0);
            }
        }
    };
    let schedule = &mut same["trigger"]["schedule"];
    if schedule.is_object() {
        if schedule["guard"].is_object() {
            each_node(&mut schedule["guard"], &mut fill);
        }
        if schedule["catch_up_sec"].is_null() {
            schedule["catch_up_sec"] = json!(0);
        }
    } else if let Some(trigger) = same["trigger"].as_object_mut() {
        trigger.remove("schedule");
        for field in ["all", "any"] {
            for below in same["trigger"][field].as_array_mut().into_iter().flatten() {
                each_node(below, &mut fill);
            }
        }
    }
    for action in same["actions"].as_array_mut().into_iter().flatten() {
        for field in ["for_sec", "linger_sec"] {
            if action[field].is_null() {
                action[field] = Value::Null;
            }
        }
    }
    same["name"] = json!("Other words");
    same
}

/// The program with one thing changed.
pub(super) fn edited_program(dice: &mut Dice, world: &World, rule: &Value) -> Value {
    let mut edited = rule.clone();
    match dice.below(6) {
        0 => edited["run_sec"] = json!(*dice.pick(&[1, 7, 61])),
        1 => edited["deployed"] = json!(!edited["deployed"].as_bool().unwrap_or(false)),
        2 if edited["actions"][0]["command"]["action"] != "pulse" => {
            edited["actions"][0]["linger_sec"] = json!(dice.between(1, 60));
        }
        3 => edited["priority"] = json!(dice.between(1, 10)),
        4 => edited["on_signal_lost"] = json!(*dice.pick(&["hold", "stop"])),
        _ => program(dice, world, &mut edited),
    }
    edited
}

/// The program with one thing wrong, and whatever else that makes wrong.
pub(super) fn broken_program(dice: &mut Dice, rule: &Value) -> Value {
    let mut broken = rule.clone();
    let good = json!({"days": ["mon"]});
    let bad = match dice.below(24) {
        0 => json!({"all": []}),
        1 => json!({"any": vec![good; 17]}),
        2 => json!({"not": {"not": {"not": {"not": {"not": {"not": good}}}}}}),
        3 => json!({"all": vec![json!({"any": vec![good; 7]}); 4]}),
        4 => json!({"days": ["mon"], "rule": "r0"}),
        5 => json!({"rule": "r99"}),
        6 => json!({"rule": rule["id"]}),
        7 => json!({"device": "nobody", "is": "on"}),
        8 => json!({"device": "nobody", "is": "maybe"}),
        9 => json!({"days": ["monday"]}),
        10 => json!({"dates": {"from": *dice.pick(&["02-30", "13-01", "2-1"]), "to": "03-01"}}),
        11 => json!({"time": {"from": *dice.pick(&["24:00", "7:00", "07:60"]), "to": "08:00"}}),
        12 => json!({"time": {"from": {"sun": "noon"}, "to": "08:00"}}),
        13 => {
            json!({"time": {"from": {"sun": "sunset", "offset_min": *dice.pick(&[721, -721])}, "to": "08:00"}})
        }
        14 => json!({"time": {"from": "07:00"}}),
        15 => json!({"days": ["mon"], "hold_sec": -1}),
        16 => json!({}),
        17 => {
            broken["run_sec"] = json!(*dice.pick(&[0, 86_401]));
            good
        }
        18 => {
            broken["actions"][0]["command"] = json!({"action": "on"});
            let (field, value) = *dice.pick(&[
                ("for_sec", 0),
                ("for_sec", 86_401),
                ("linger_sec", 0),
                ("linger_sec", 61),
            ]);
            broken["actions"][0][field] = json!(value);
            good
        }
        19 => {
            broken["actions"][0]["command"] = json!({"action": "pulse", "value": 5});
            broken["actions"][0]["linger_sec"] = json!(5);
            good
        }
        n => {
            broken["run_sec"] = json!(10);
            broken["trigger"] = json!({"schedule": *dice.pick(&[
                &json!({}),
                &json!({"at": []}),
                &json!({"at": vec!["07:00"; 25]}),
                &json!({"every": {"minutes": 0, "from": "07:00", "to": "08:00"}}),
                &json!({"every": {"minutes": 721, "from": "07:00", "to": "08:00"}}),
                &json!({"every": {"minutes": 5, "from": "08:00", "to": "08:00"}}),
                &json!({"at": ["07:00"], "guard": {"days": ["mon"]}}),
                &json!({"at": ["07:00"], "if_unknown": "run"}),
                &json!({"at": ["07:00"], "catch_up_sec": 86_401}),
                &json!({"at": ["07:00"], "guard": {"days": ["mon"]}, "if_unknown": "wait"}),
            ])});
            if n == 20 {
                broken["trigger"] = json!({"schedule": {"at": ["07:00"]}});
                broken["run_sec"] = Value::Null;
            }
            return broken;
        }
    };
    match dice.below(3) {
        0 => broken["stop_condition"] = bad,
        1 => {
            broken["run_sec"] = json!(broken["run_sec"].as_i64().unwrap_or(5));
            broken["trigger"] =
                json!({"schedule": {"at": ["07:00"], "guard": bad, "if_unknown": "skip"}});
        }
        _ => broken["trigger"] = bad,
    }
    broken
}
