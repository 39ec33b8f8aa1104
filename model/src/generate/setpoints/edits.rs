//! What a person may do to a rule with setpoints or curves: put it again, edit it, break it.

use serde_json::{Value, json};

use super::super::Dice;
use super::super::programs::each_node;
use super::super::world::World;
use super::{curves, follow, leaf, with};

/// The same rule, with what is left out of its setpoints and curves filled in.
pub(in crate::generate) fn same_rule(dice: &mut Dice, mut same: Value) -> Value {
    let scope = same["scope"].clone();
    let mut fill = |node: &mut Value| {
        if node["setpoint"].is_string() && node["offset"].is_null() {
            node["offset"] = dice.pick(&[Value::Null, json!(0), json!(0.0)]).clone();
        }
    };
    let is_schedule = same["trigger"]["schedule"].is_object();
    for tree in [
        &["trigger"][..],
        &["stop_condition"],
        &["trigger", "schedule", "guard"],
    ] {
        if is_schedule != (tree.len() == 1 && tree[0] == "trigger") {
            let node = tree
                .iter()
                .try_fold(&mut same, |node, field| node.get_mut(*field));
            if let Some(node) = node.filter(|node| node.is_object()) {
                each_node(node, &mut fill);
            }
        }
    }
    for action in same["actions"].as_array_mut().into_iter().flatten() {
        let step = match action["command"]["action"].as_str() {
            Some("set_flow_rate") => json!(0.1),
            _ => json!(1.0),
        };
        if let Some(curve) = action.get_mut("curve").filter(|c| c.is_object()) {
            let defaults = [
                ("dead_band", json!(0)),
                ("step", step),
                ("least_sec", json!(60)),
                ("scope", scope.clone()),
                ("setpoint", Value::Null),
            ];
            for (field, default) in defaults {
                if curve[field].is_null() {
                    curve[field] = default;
                }
            }
        } else if dice.chance(20) {
            action["curve"] = Value::Null;
        }
    }
    same
}

/// The rule with something of its setpoints or curves changed.
pub(in crate::generate) fn edited_rule(dice: &mut Dice, world: &World, rule: &Value) -> Value {
    let mut edited = rule.clone();
    let with_curve = |action: &Value| action["curve"].is_object();
    let curved = rule["actions"]
        .as_array()
        .and_then(|a| a.iter().position(with_curve));
    match (dice.below(6), curved) {
        (0, Some(n)) => edited["actions"][n]["curve"]["dead_band"] = json!(0.25),
        (1, Some(n)) => edited["actions"][n]["curve"]["least_sec"] = json!(dice.between(0, 9)),
        (2, Some(n)) => edited["actions"][n]["curve"] = Value::Null,
        (3, Some(n)) => follow(dice, world, &mut edited["actions"][n]),
        (4, _) => edited["trigger"] = with(leaf(dice, world), json!({"duration_sec": 1})),
        _ => curves(dice, world, &mut edited),
    }
    edited
}

/// The rule with something of its setpoints or curves wrong.
pub(in crate::generate) fn broken_rule(dice: &mut Dice, world: &World, rule: &Value) -> Value {
    let mut broken = rule.clone();
    let good = leaf(dice, world);
    let bad_leaves = [
        json!({"setpoint": "nobody"}),
        json!({"operator": *dice.pick(&["eq", "between"])}),
        json!({"value": 5}),
        json!({"value_max": 5}),
        json!({"offset": *dice.pick(&[1_000_001, -1_000_001])}),
        json!({"offset": "much"}),
        json!({"sensor_type": null}),
        json!({"sensor_type": "phase_present"}),
        json!({"hold_sec": 5}),
    ];
    if dice.chance(40) {
        let field = *dice.pick(&["trigger", "stop_condition"]);
        let bad = dice.pick(&bad_leaves).clone();
        broken[field] = with(with(good, json!({"duration_sec": 5})), bad);
        if broken[field]["sensor_type"].is_null() {
            broken[field] = json!({"all": [{"setpoint": "sp0"}], "duration_sec": 5});
        }
        return broken;
    }
    let mut action = json!({"device_id": rule["actions"][0]["device_id"]});
    follow(dice, world, &mut action);
    let flows = action["command"]["action"] == "set_flow_rate";
    let bad_curves = [
        json!({"sensor_type": null}),
        json!({"setpoint": "nobody"}),
        json!({"points": [[1, 5]]}),
        json!({"points": (0..17).map(|x| [x, 5]).collect::<Vec<_>>()}),
        json!({"points": [[1, 5], [1, 6]]}),
        json!({"points": [[2, 5], [1, 6]]}),
        json!({"points": [[1, 5], [2, *dice.pick(&[100.5, -1.0])]]}),
        json!({"points": [[1, 5], [2, 6, 7]]}),
        json!({"dead_band": *dice.pick(&[-0.1, 1_000_000.5])}),
        json!({"step": if flows { *dice.pick(&[0.05, 10.5]) } else { *dice.pick(&[0.5, 100.5]) }}),
        json!({"least_sec": *dice.pick(&[-1, 3_601])}),
        json!({"scope": {"type": "zone", "farmId": "f1", "polyhouseId": "p9", "zoneId": "p9z9"}}),
    ];
    let curve = action["curve"].clone();
    action["curve"] = with(curve, dice.pick(&bad_curves).clone());
    if dice.chance(20) {
        let word = *dice.pick(&["on", "off", "pulse"]);
        action["command"] = json!({"action": word, "value": 5});
    }
    broken["actions"] = json!([action]);
    broken
}
