//! Rule and alert documents, and what a person may do to one that is stored.

use serde_json::{Value, json};

use super::only_if::{bind, rebound};
use super::programs::{broken_program, edited_program, is_program, program, same_program};
use super::setpoints::curves;
use super::world::World;
use super::{Dice, number};
use crate::sensor_type::sensor_type;

pub(super) const OPERATORS: [&str; 8] = ["gt", "gt", "gte", "lt", "lt", "lte", "eq", "between"];

pub(super) fn condition(dice: &mut Dice, world: &World, operators: &[&str]) -> Value {
    let (kind, level) = *dice.pick(&world.levels);
    let operator = *dice.pick(operators);
    let value = level + dice.pick(&[0, 0, 0, 500_000, -500_000, 1_000_000]);
    let mut condition = json!({"sensor_type": kind, "operator": operator, "value": number(value)});
    if operator == "between" {
        condition["value_max"] = number(value + dice.pick(&[0, 500_000, 2_000_000]));
    }
    if dice.chance(25) {
        condition["scope"] = dice.pick(&world.scopes).clone();
    }
    condition
}

pub(super) fn order(dice: &mut Dice) -> Value {
    match dice.below(9) {
        0..=2 => json!({"action": "on"}),
        3 => json!({"action": "off"}),
        4 => json!({"action": "set_speed", "value": *dice.pick(&[0, 40, 100])}),
        5 => json!({"action": "set_position", "value": *dice.pick(&[0, 30, 100])}),
        6 => json!({"action": "set_flow_rate", "value": *dice.pick(&[0.1, 2.5, 10.0])}),
        _ => json!({"action": "pulse", "value": *dice.pick(&[1, 5, 10, 20, 60])}),
    }
}

fn action(dice: &mut Dice, world: &World) -> Value {
    let mut action = json!({"device_id": dice.pick(&world.devices)["id"], "device_name": "Device", "command": order(dice)});
    match dice.below(4) {
        0 => action["delay_sec"] = json!(0),
        1 => action["delay_sec"] = json!(*dice.pick(&[1, 2, 5, 30, 120])),
        _ => {}
    }
    action
}

pub(super) fn rule(dice: &mut Dice, world: &World, id: &str) -> Value {
    let mut trigger = condition(dice, world, &OPERATORS);
    if dice.chance(96) {
        trigger["duration_sec"] = json!(*dice.pick(&[1, 1, 2, 5, 5, 10, 30, 60, 120]));
    }
    let mut rule = json!({
        "id": id, "name": "Rule", "description": "", "mode": "auto", "scope": dice.pick(&world.scopes), "trigger": trigger,
        "actions": (0..dice.between(1, 3)).map(|_| action(dice, world)).collect::<Vec<_>>(),
        "created_by": "somebody", "created_at": "2026-01-01T00:00:00Z", "deployed": !dice.chance(8),
    });
    if dice.chance(75) {
        rule["priority"] = json!(*dice.pick(&[1, 4, 5, 5, 6, 10]));
    }
    if dice.chance(5) {
        rule["mode"] = json!("disabled");
    }
    if dice.chance(50) {
        let mut stop = condition(dice, world, &["gt", "gte", "lt", "lte", "eq"]);
        if dice.chance(90) {
            stop["duration_sec"] = json!(*dice.pick(&[1, 2, 5, 30]));
        }
        if dice.chance(60) {
            // A band: it stops on the other side of what starts it.
            stop["sensor_type"] = rule["trigger"]["sensor_type"].clone();
            stop["value"] = rule["trigger"]["value"].clone();
            stop["operator"] = json!(if rule["trigger"]["operator"] == "gt" {
                "lte"
            } else {
                "gt"
            });
        }
        rule["stop_condition"] = stop;
    }
    match dice.below(4) {
        0 | 1 => rule["on_signal_lost"] = json!("hold"),
        2 => rule["on_signal_lost"] = json!("stop"),
        _ => {}
    }
    if world.place.is_some() {
        program(dice, world, &mut rule);
    }
    if !world.setpoints.is_empty() {
        curves(dice, world, &mut rule);
    }
    rule
}

pub(super) fn alert(dice: &mut Dice, world: &World, id: &str) -> Option<Value> {
    let mut conditions = Vec::new();
    for n in 0..dice.between(1, 2) {
        let (kind, level) = *dice.pick(&world.levels);
        let of_type = sensor_type(kind)?;
        let (sensor, unit) = (of_type.alert, of_type.unit);
        let value = number(level + dice.pick(&[0, 0, 500_000]));
        let operator = dice.pick(&[">", "<", "=", ">=", "<="]);
        conditions.push(json!({"id": format!("c{n}"), "sensor": sensor, "operator": operator, "value": value, "unit": unit}));
    }
    let mut alert = json!({
        "id": id, "name": "Alert", "repeatsIn": *dice.pick(&[1, 1, 2]), "repeatUnit": *dice.pick(&["minutes", "minutes", "minutes", "hours", "days"]),
        "isActive": !dice.chance(10), "channels": ["EMAIL"], "conditions": conditions,
        "subscribers": [{"email": "a@example.org"}], "createdAt": "2026-01-01",
    });
    for (field, values) in [("hold_sec", [0, 1, 5, 30]), ("clear_sec", [0, 1, 5, 60])] {
        if dice.chance(60) {
            alert[field] = json!(*dice.pick(&values));
        }
    }
    if dice.chance(50) {
        alert["match"] = json!(*dice.pick(&["all", "any"]));
    }
    if dice.chance(25) {
        alert["scope"] = dice.pick(&world.scopes).clone();
    }
    match dice.below(3) {
        0 => {}
        1 => alert["evidence"] = json!("mean"),
        _ => alert["evidence"] = json!("worst"),
    }
    if world.only_if && dice.chance(80) {
        bind(dice, world, &mut alert);
    }
    Some(alert)
}

fn set(doc: &mut Value, field: &str, value: Value) {
    doc[field] = value;
}

/// The same rule in other words.
pub(super) fn same_rule(dice: &mut Dice, rule: &Value) -> Value {
    if is_program(rule) {
        return same_program(dice, rule);
    }
    let mut same = rule.clone();
    for _ in 0..dice.between(0, 3) {
        match dice.below(10) {
            0 => same["name"] = json!(format!("Rule {}", dice.below(9))),
            1 => same["created_at"] = json!("2026-02-02T00:00:00Z"),
            2 if same["priority"].is_null() => same["priority"] = json!(5),
            3 if same["on_signal_lost"].is_null() => same["on_signal_lost"] = json!("stop"),
            4 => set(&mut same["scope"], "name", json!("A label")),
            5 => same["actions"][0]["device_name"] = json!("Another label"),
            6 if same["actions"][0]["delay_sec"].is_null() => {
                same["actions"][0]["delay_sec"] = json!(0);
            }
            7 if same["trigger"]["scope"].is_null() => {
                same["trigger"]["scope"] = same["scope"].clone();
            }
            8 if same["stop_condition"].is_null() => same["stop_condition"] = Value::Null,
            9 if same["stop_condition"].is_object()
                && same["stop_condition"]["duration_sec"].is_null() =>
            {
                same["stop_condition"]["duration_sec"] = json!(300);
            }
            _ => same["description"] = json!("Other words"),
        }
    }
    same
}

/// The rule with one thing changed.
pub(super) fn edited_rule(dice: &mut Dice, world: &World, rule: &Value) -> Value {
    if is_program(rule) && dice.chance(70) || rule["trigger"]["schedule"].is_object() {
        return edited_program(dice, world, rule);
    }
    let mut edited = rule.clone();
    match dice.below(7) {
        0 => edited["deployed"] = json!(!edited["deployed"].as_bool().unwrap_or(false)),
        1 => {
            edited["mode"] = json!(if edited["mode"] == "auto" {
                "disabled"
            } else {
                "auto"
            });
        }
        2 => edited["priority"] = json!(dice.between(1, 10)),
        3 => edited["trigger"]["duration_sec"] = json!(*dice.pick(&[1, 2, 3])),
        4 => edited["scope"] = dice.pick(&world.scopes).clone(),
        5 => edited["actions"][0]["command"] = order(dice),
        _ => edited["on_signal_lost"] = json!(*dice.pick(&["hold", "stop"])),
    }
    edited
}

/// The rule with one thing wrong.
pub(super) fn broken_rule(dice: &mut Dice, rule: &Value) -> Value {
    if is_program(rule) {
        return broken_program(dice, rule);
    }
    let mut broken = rule.clone();
    match dice.below(10) {
        0 => broken["actions"][0]["device_id"] = json!("nobody"),
        1 => broken["actions"][0]["command"] = json!({"action": "explode"}),
        2 => broken["actions"][0]["command"] = json!({"action": "set_speed"}),
        3 => broken["actions"][0]["command"] = json!({"action": "set_flow_rate", "value": 0.09}),
        4 => {
            broken["actions"][0]["command"] =
                json!({"action": "pulse", "value": *dice.pick(&[0.0, 61.0, 1.5])});
        }
        5 => broken["trigger"]["duration_sec"] = json!(0),
        6 => broken["priority"] = json!(*dice.pick(&[0, 11])),
        7 => {
            broken["trigger"]["scope"] =
                json!({"type": "zone", "farmId": "f1", "polyhouseId": "p9", "zoneId": "p9z9"});
        }
        8 => {
            let value = broken["trigger"]["value"].as_f64().unwrap_or(0.0);
            broken["trigger"]["operator"] = json!("between");
            broken["trigger"]["value_max"] = json!(value - 0.1);
        }
        _ => broken["on_signal_lost"] = json!("panic"),
    }
    broken
}

/// An alert with something changed, or nothing that counts.
pub(super) fn edited_alert(dice: &mut Dice, world: &World, alert: &Value, clock: i64) -> Value {
    if world.only_if && dice.chance(40) {
        return rebound(dice, world, alert);
    }
    let mut edited = alert.clone();
    match dice.below(9) {
        0 => edited["name"] = json!("Another name"),
        1 => edited["lastTriggered"] = json!(clock - dice.between(0, 90) * 1_000),
        2 => edited["channels"] = json!(["SMS"]),
        3 => edited["isActive"] = json!(!edited["isActive"].as_bool().unwrap_or(true)),
        4 => edited["hold_sec"] = json!(dice.between(0, 3)),
        5 => {
            edited["clear_sec"] = json!(dice.between(0, 3));
            edited["lastTriggered"] = json!(clock - dice.between(0, 90) * 1_000);
        }
        6 => edited["severity"] = json!(*dice.pick(&["critical", "warning", "info"])),
        7 => edited["evidence"] = json!(*dice.pick(&[None, Some("mean"), Some("worst")])),
        _ => edited["conditions"][0]["unit"] = json!("?"),
    }
    edited
}
