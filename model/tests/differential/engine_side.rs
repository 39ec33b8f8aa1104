//! The engine behind the model's interface: JSON inputs in, JSON events out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use harit_engine::{
    AlertSpec, Decimal, Engine, FarmDocument, Input, InputKind, Lock, LockKind, Manual, ManualKind,
    Measured, Owner, RuleSpec, ScopeSpec, Status, Stop, StopScope, Timestamp,
};
use harit_model::vector::{Case, difference};
use harit_model::{Model, Mutation};
use serde_json::Value;

/// An input in the engine's words; `None` when it is malformed already as a document.
pub(crate) fn input(json: &Value) -> Option<Input> {
    let text = |field: &str| json[field].as_str().unwrap().to_owned();
    let kind = match json["input"].as_str()? {
        "reading" => InputKind::Reading {
            sensor: text("sensor").as_str().into(),
            value: measured(&json["value"]),
        },
        "tick" => InputKind::Tick,
        "correct" => InputKind::Correct(text("device").as_str().into()),
        "resumed" => InputKind::Resumed,
        "manual" => InputKind::Manual(Box::new(manual(json))),
        "device" => InputKind::Status {
            device: text("device").as_str().into(),
            status: Status {
                online: json["online"].as_bool(),
                lock: lock(json),
                safety: json["safety"].as_bool(),
                running: json.get("running").map(Value::as_bool),
                owner: owner(json),
            },
        },
        "stop" => InputKind::Stop(Box::new(Stop {
            scope: match json["device"].as_str() {
                Some(id) => StopScope::Device(id.into()),
                None => StopScope::Place(ScopeSpec::from_json(&json["scope"]).ok()?),
            },
            owner: owner(json)?,
        })),
        "rule" => match json["delete"].as_str() {
            Some(id) => InputKind::RuleDelete(id.into()),
            None => InputKind::RulePut(Box::new(RuleSpec::from_json(&json["rule"]).ok()?)),
        },
        "alert" => match json["delete"].as_str() {
            Some(id) => InputKind::AlertDelete(id.into()),
            None => InputKind::AlertPut(Box::new(AlertSpec::from_json(&json["alert"]).ok()?)),
        },
        "almanac" => InputKind::Almanac(serde_json::from_value(json["days"].clone()).ok()?),
        "registry" => InputKind::Registry(serde_json::from_value(json["changes"].clone()).ok()?),
        other => panic!("unknown input {other}"),
    };
    Some(Input {
        at: Timestamp::from_millis(json["at"].as_i64().unwrap()),
        kind,
    })
}

fn measured(value: &Value) -> Measured {
    match value {
        Value::Number(number) => Measured::parse(&number.to_string()),
        _ => Measured::Null,
    }
}

fn manual(json: &Value) -> Manual {
    Manual {
        device: json["device"].as_str().unwrap().into(),
        kind: match json["cmd_type"].as_str().unwrap() {
            "override" => ManualKind::Override,
            "pulse" => ManualKind::Pulse,
            _ => ManualKind::Release,
        },
        action: json["action"].as_str().map(Into::into),
        value: match &json["value"] {
            Value::Number(number) => Decimal::parse(&number.to_string()).map(Decimal::rounded),
            _ => None,
        },
        duration_sec: json["duration_sec"].as_i64(),
        admin: json["admin"].as_bool().unwrap(),
        owner: None,
    }
}

pub(crate) fn engine(farm: &Value) -> Result<Engine, String> {
    let doc =
        FarmDocument::from_json(farm).map_err(|p| format!("the engine refuses the farm: {p}"))?;
    Engine::new(&doc).map_err(|p| format!("the engine refuses the farm: {p}"))
}

/// Applies one input; readings take the short way on request. `None` when it was refused.
pub(crate) fn apply(engine: &mut Engine, json: &Value, short_way: bool) -> Option<Vec<Value>> {
    let input = input(json)?;
    let mut out = Vec::new();
    match (&input.kind, short_way) {
        (InputKind::Reading { sensor, value }, true)
            if engine.sensor_index(sensor.as_str()).is_some() =>
        {
            let index = engine.sensor_index(sensor.as_str())?;
            engine.apply_reading(input.at, index, *value, &mut out);
        }
        _ => {
            let checked = engine.check(&input).is_ok();
            let applied = engine.apply(&input, &mut out).is_ok();
            assert_eq!(checked, applied, "check and apply disagree on {json}");
            if !applied {
                assert!(out.is_empty(), "events of a refused input: {json}");
                return None;
            }
        }
    }
    Some(
        out.iter()
            .map(|event| serde_json::to_value(event).unwrap())
            .collect(),
    )
}

/// All events of a case.
pub(crate) fn run(case: &Case) -> Result<Vec<Value>, String> {
    let mut engine = engine(&case.farm)?;
    Ok(case
        .all_inputs()
        .filter_map(|input| apply(&mut engine, &input, false))
        .flatten()
        .collect())
}

/// Runs a case on both sides: what was refused, the events, and the engine's next deadline after each input. Returns after how many.
pub(crate) fn compare(case: &Case, mutation: Option<Mutation>, seed: u64) -> Result<usize, String> {
    catch_unwind(AssertUnwindSafe(|| compare_unguarded(case, mutation, seed))).unwrap_or_else(
        |panic| {
            let text = panic.downcast_ref::<String>().cloned();
            Err(format!(
                "panic: {}",
                text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                    .unwrap_or_default()
            ))
        },
    )
}

fn compare_unguarded(case: &Case, mutation: Option<Mutation>, seed: u64) -> Result<usize, String> {
    let mut model =
        Model::new(&case.farm).map_err(|m| format!("the model refuses the farm: {m}"))?;
    if let Some(mutation) = mutation {
        model = model.with_mutation(mutation);
    }
    let mut engine = engine(&case.farm)?;
    let mut compared = 0;
    for input in case.all_inputs() {
        compared += 1;
        let (said, expected) = (
            apply(&mut engine, &input, seed % 2 == 1),
            model.apply(&input),
        );
        match (said, expected) {
            (Some(said), Ok(expected)) => {
                if let Some((at, model, engine)) = difference(&expected, &said) {
                    return Err(format!(
                        "at {at} only the model says {model:#?}, only the engine {engine:#?}"
                    ));
                }
            }
            (None, Err(_)) => {}
            (Some(_), Err(why)) => return Err(format!("only the model refuses {input}: {why}")),
            (None, Ok(_)) => return Err(format!("only the engine refuses {input}")),
        }
        let (next, expected) = (
            engine.next_deadline().map(Timestamp::as_millis),
            model.next_deadline(),
        );
        if mutation.is_none() && next != expected {
            return Err(format!(
                "after {input} the engine's next deadline is {next:?}, the model's {expected:?}"
            ));
        }
    }
    Ok(compared)
}

fn lock(json: &Value) -> Option<Lock> {
    let reason = json.get("lock")?.as_str();
    let kind = json["lock_kind"].as_str().and_then(LockKind::parse);
    Some(match (reason, kind) {
        (Some(reason), Some(kind)) => Lock::Engage {
            kind,
            reason: reason.into(),
        },
        (Some(reason), None) => Lock::Replace {
            reason: reason.into(),
        },
        (None, Some(kind)) => Lock::Open {
            kind,
            user: json["lock_user"].as_str().map(Into::into),
        },
        (None, None) => Lock::OpenAll,
    })
}

fn owner(json: &Value) -> Option<std::sync::Arc<Owner>> {
    serde_json::from_value(json.get("owner")?.clone()).ok()
}
