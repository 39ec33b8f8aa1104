//! What the durable log says must have happened: the naive model's word against the server's.

use std::collections::BTreeMap;

use harit_engine::{FarmId, Input, InputKind, Timestamp};
use harit_ingest::simulation::Entry;
use harit_model::Model;
use harit_model::vector::difference;
use serde_json::Value;

/// Everything that a farm's engine was told, in order, as the model reads it.
///
/// # Errors
/// When the journal makes no sense.
pub fn inputs(
    journal: &[(u64, Timestamp, Entry)],
) -> Result<BTreeMap<FarmId, (Value, Vec<Value>)>, String> {
    let mut farms: BTreeMap<FarmId, (Value, Vec<Value>)> = BTreeMap::new();
    for (_, _, entry) in journal {
        match entry {
            Entry::Farm(document) => {
                let json = serde_json::to_value(&**document).map_err(|e| e.to_string())?;
                farms.insert(document.farm.id.clone(), (json, Vec::new()));
            }
            Entry::Readings {
                farm,
                at,
                backlog: false,
                values,
            } => {
                let all = farms.get_mut(farm).ok_or("readings of no farm")?;
                for (sensor, value) in values {
                    let kind = InputKind::Reading {
                        sensor: sensor.as_str().into(),
                        value: *value,
                    };
                    all.1.push(json(&Input { at: *at, kind })?);
                }
            }
            Entry::Input { farm, input } => {
                let all = farms.get_mut(farm).ok_or("an input of no farm")?;
                all.1.push(json(input)?);
            }
            Entry::Readings { .. } | Entry::Other { .. } => {}
        }
    }
    Ok(farms)
}

fn json(input: &Input) -> Result<Value, String> {
    let mut line = Vec::new();
    harit_protocol::jsonl::write(input, &mut line).map_err(|e| e.to_string())?;
    serde_json::from_slice(&line).map_err(|e| e.to_string())
}

/// Compares what the server decided with what the model decides on the same log. `said` is every event of the farm.
///
/// # Errors
/// The first difference.
pub fn compare(farm: &Value, inputs: &[Value], said: &[Value]) -> Result<(), String> {
    let mut model = Model::new(farm).map_err(|e| format!("the model refuses the farm: {e}"))?;
    let mut expected = Vec::new();
    for input in inputs {
        // What is refused is refused by both, and says nothing.
        if let Ok(events) = model.apply(input) {
            expected.extend(events);
        }
    }
    // Why an alert ended is for people, and not of the model's.
    let said: Vec<Value> = said.iter().cloned().map(without_why).collect();
    match difference(&expected, &said) {
        None => Ok(()),
        Some((at, model, server)) => Err(format!(
            "at {at} only the model says {model:?}, only the server {server:?}"
        )),
    }
}

fn without_why(mut event: Value) -> Value {
    if event["event"] == "alert_resolved"
        && let Some(fields) = event.as_object_mut()
    {
        fields.remove("reason");
    }
    event
}
