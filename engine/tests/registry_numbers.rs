//! Things are kept under numbers, and a number may pass from one to another within a change of the registry. Nobody may notice.

use harit_engine::{
    DeviceId, DeviceSpec, DeviceType, Engine, EventKind, FarmDocument, Input, InputKind, Measured,
    RegistryChange, ScopeSpec, Timestamp,
};
use serde_json::json;

#[test]
fn a_rule_commands_the_device_that_it_names_after_devices_were_registered_anew() {
    let farm = FarmDocument::from_json(&json!({
        "farm": {"id": "f", "settings": {"min_samples": 1}},
        "sensors": [{"id": "t", "type": "temperature", "scope": {"type": "farm"}}],
        "devices": [
            {"id": "a", "type": "fan", "scope": {"type": "farm"}},
            {"id": "b", "type": "fan", "scope": {"type": "farm"}},
        ],
        "rules": [{
            "id": "cool", "name": "Cool", "deployed": true, "scope": {"type": "farm"},
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 30, "duration_sec": 1},
            "actions": [
                {"device_id": "a", "command": {"action": "on"}},
                {"device_id": "a", "command": {"action": "off"}, "delay_sec": 5},
            ],
        }],
    }))
    .unwrap();
    let mut engine = Engine::new(&farm).unwrap();
    let mut events = Vec::new();
    let delete = |id: &str| RegistryChange::DeleteDevice(DeviceId::from(id));
    let put = |id: &str| {
        RegistryChange::PutDevice(Box::new(DeviceSpec::new(
            id,
            DeviceType::Fan,
            ScopeSpec::farm(),
        )))
    };
    let anew = InputKind::Registry(vec![delete("a"), delete("b"), put("a"), put("b")]);
    let reading = InputKind::Reading {
        sensor: "t".into(),
        value: Measured::parse("35"),
    };
    for (at, kind) in [(0, anew), (1_000, reading), (10_000, InputKind::Tick)] {
        let at = Timestamp::from_millis(at);
        engine.apply(&Input { at, kind }, &mut events).unwrap();
    }
    let commanded: Vec<&str> = events
        .iter()
        .filter_map(|e| match &e.kind {
            EventKind::Command(c) => Some(c.device().as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(commanded, ["a", "a"]);
}
