//! Documents that are wrong are refused with all their problems at once, each with its path.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod alerts;
mod farms;
mod rules;
mod trees;

use harit_engine::{Engine, FarmDocument, Input, InputKind, Problems, RuleSpec, Timestamp};
use serde_json::{Value, json};

fn farm() -> Value {
    json!({
        "farm": {"id": "f1", "name": "Farm"},
        "polyhouses": [{"id": "p1", "name": "One", "zones": [{"id": "z1", "name": "Bed"}]}],
        "sensors": [{"id": "t1", "type": "temperature", "scope": {"type": "zone", "polyhouseId": "p1", "zoneId": "z1"}}],
        "devices": [{"id": "fan-1", "type": "fan", "scope": {"type": "farm"}}],
    })
}

fn rule() -> Value {
    json!({
        "id": "r1", "name": "Cool", "scope": {"type": "polyhouse", "polyhouseId": "p1"},
        "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35},
        "actions": [{"device_id": "fan-1", "command": {"action": "on"}}],
    })
}

/// The document with some of its fields replaced, each named by its JSON pointer.
fn with(mut document: Value, changes: &[(&str, Value)]) -> Value {
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = document
            .pointer_mut(parent)
            .unwrap_or_else(|| panic!("no {pointer}"));
        match parent {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value.clone(),
            object => object[key] = value.clone(),
        }
    }
    document
}

fn paths(problems: &Problems) -> Vec<(&str, &str)> {
    problems
        .0
        .iter()
        .map(|p| (p.path.as_str(), p.code))
        .collect()
}

/// The problems of saving a rule: those of its text, or else those of compiling it.
fn save(rule: &Value) -> Problems {
    let engine = Engine::new(&FarmDocument::from_json(&farm()).unwrap()).unwrap();
    match RuleSpec::from_json(rule) {
        Err(problems) => problems,
        Ok(spec) => {
            let input = Input {
                at: Timestamp::from_millis(0),
                kind: InputKind::RulePut(Box::new(spec)),
            };
            engine.check(&input).err().unwrap_or_default()
        }
    }
}
