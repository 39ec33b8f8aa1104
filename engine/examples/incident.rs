//! A power cut in the middle of a hold: snapshot, restore, resume. Run it with
//! `cargo run -p harit-engine --example incident`.
//!
//! A rule wants 300 s above 35 °C. The server goes away after 200 s and is back 60 s later: the hold goes on, but nothing
//! acts before new evidence arrives.

use std::error::Error;
use std::io::Write;

use harit_engine::{Engine, Event, FarmDocument, Input, InputKind, Measured, Timestamp};

fn main() -> Result<(), Box<dyn Error>> {
    let farm: FarmDocument = serde_json::from_value(serde_json::json!({
        "farm": {"id": "nashik-1", "name": "Nashik"},
        "polyhouses": [{"id": "north", "name": "North", "zones": [{"id": "bed-1", "name": "Bed 1"}]}],
        "sensors": [{"id": "t1", "type": "temperature", "scope": {"type": "zone", "zoneId": "bed-1"}}],
        "devices": [{"id": "fan-1", "type": "fan", "scope": {"type": "polyhouse", "polyhouseId": "north"}}],
        "rules": [{
            "id": "cool", "name": "Cool the north house", "deployed": true,
            "scope": {"type": "polyhouse", "polyhouseId": "north"},
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": 300},
            "actions": [{"device_id": "fan-1", "command": {"action": "set_speed", "value": 80}}],
        }],
    }))?;
    let mut engine = Engine::new(&farm)?;
    let mut out = std::io::stdout().lock();

    for secs in [0, 60, 120, 180] {
        let told = apply(&mut engine, secs, reading("36.5"))?;
        writeln!(out, "{secs:>4} s  36.5 °C: {told:?}")?;
    }
    let snapshot = engine.snapshot();
    drop(engine);
    writeln!(
        out,
        "      power cut: {} bytes of snapshot remain",
        snapshot.len()
    )?;

    let mut engine = Engine::restore(&snapshot)?;
    writeln!(
        out,
        " 260 s  back: {:?}",
        apply(&mut engine, 260, InputKind::Resumed)?
    )?;
    writeln!(
        out,
        " 300 s  the hold is old enough, but nobody knows: {:?}",
        apply(&mut engine, 300, InputKind::Tick)?
    )?;
    writeln!(
        out,
        " 305 s  36.4 °C: {:?}",
        apply(&mut engine, 305, reading("36.4"))?
    )?;
    Ok(())
}

fn reading(value: &str) -> InputKind {
    InputKind::Reading {
        sensor: "t1".into(),
        value: Measured::parse(value),
    }
}

fn apply(engine: &mut Engine, secs: i64, kind: InputKind) -> Result<Vec<String>, Box<dyn Error>> {
    let mut events: Vec<Event> = Vec::new();
    engine.apply(
        &Input {
            at: Timestamp::from_millis(secs * 1_000),
            kind,
        },
        &mut events,
    )?;
    Ok(events
        .iter()
        .map(serde_json::to_string)
        .collect::<Result<_, _>>()?)
}
