#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]
#![cfg(feature = "planted-bugs")]
use harit_engine::planted::{Bug, plant};
use harit_engine::{Engine, Event, FarmDocument, Input, InputKind, Measured, RuleSpec, Timestamp};
use serde_json::json;

/// The mistake restarts holds, it does not lose them: the other rule fires a full hold after the edit.
#[test]
fn an_edit_that_restarts_other_holds_lets_them_complete() {
    let rule = |id: &str, secs: i64| {
        json!({"id": id, "name": "R", "deployed": true, "scope": {"type": "farm"},
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": secs},
            "actions": [{"device_id": "fan-1", "command": {"action": "on"}}]})
    };
    let document = FarmDocument::from_json(&json!({
        "farm": {"id": "f1", "name": "Farm"}, "polyhouses": [],
        "sensors": [{"id": "t1", "type": "temperature", "scope": {"type": "farm"}}],
        "devices": [{"id": "fan-1", "type": "fan", "scope": {"type": "farm"}}],
        "rules": [rule("r1", 60)],
    }))
    .unwrap();
    let mut engine = Engine::new(&document).unwrap();
    let mut fired = Vec::new();
    plant(Some(Bug::EditRestartsOtherHolds));
    for secs in (0..=300).step_by(10) {
        let kind = if secs == 40 {
            InputKind::RulePut(Box::new(RuleSpec::from_json(&rule("r2", 3_000)).unwrap()))
        } else {
            InputKind::Reading { sensor: "t1".into(), value: Measured::parse("36") }
        };
        let mut events: Vec<Event> = Vec::new();
        engine.apply(&Input { at: Timestamp::from_millis(secs * 1_000), kind }, &mut events).unwrap();
        let told = events.iter().map(|e| serde_json::to_value(e).unwrap());
        fired.extend(told.filter(|e| e["event"] == "rule_fired").map(|e| e["at"].clone()));
    }
    plant(None);
    assert_eq!(fired, [json!(100_000)]);
}
