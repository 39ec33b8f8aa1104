//! What the engine tells of itself: each thing by its id, names of places, counters, and who is behind a command.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod inputs;
mod readings;
mod sights;
mod things;

use harit_engine::{Engine, Event, FarmDocument, Input, InputKind, Measured, Timestamp};
use serde_json::json;

struct Farm(Engine);

impl Farm {
    fn new() -> Self {
        let farm = json!({"type": "farm"});
        let rule = |id: &str, device: &str, lost: &str| {
            json!({
                "id": id, "name": id, "deployed": true, "scope": farm, "on_signal_lost": lost, "priority": 7,
                "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": 60},
                "actions": [{"device_id": device, "command": {"action": "on"}}],
            })
        };
        let alert = |id: &str| {
            json!({
                "id": id, "name": id, "repeatsIn": 30, "repeatUnit": "minutes",
                "conditions": [{"sensor": "Temperature", "operator": ">", "value": 35}],
            })
        };
        let document = FarmDocument::from_json(&json!({
            "farm": {"id": "f1", "name": "Nashik"},
            "polyhouses": [{"id": "p1", "name": "One", "zones": [{"id": "z1", "name": "Bed 1"}, {"id": "z2", "name": "Bed 2"}]}],
            "sensors": [
                {"id": "t2", "type": "temperature", "scope": {"type": "zone", "zoneId": "z1"}},
                {"id": "t1", "type": "temperature", "scope": {"type": "zone", "zoneId": "z1"}},
                {"id": "h1", "type": "humidity", "scope": {"type": "zone", "zoneId": "z2"}},
            ],
            "devices": [
                {"id": "pump-1", "type": "pump", "scope": farm},
                {"id": "fan-1", "type": "fan", "scope": farm},
            ],
            "rules": [rule("water", "pump-1", "hold"), rule("cool", "fan-1", "stop")],
            "alerts": [alert("warm"), alert("hot")],
        }))
        .unwrap();
        Self(Engine::new(&document).unwrap())
    }

    fn apply(&mut self, secs: i64, kind: InputKind) -> Vec<Event> {
        let mut events = Vec::new();
        let at = Timestamp::from_millis(secs * 1_000);
        self.0.apply(&Input { at, kind }, &mut events).unwrap();
        events
    }

    fn read(&mut self, secs: i64, sensor: &str, value: &str) {
        let (sensor, value) = (sensor.into(), Measured::parse(value));
        self.apply(secs, InputKind::Reading { sensor, value });
    }

    /// Both rules are running since 60 s.
    fn running() -> Self {
        let mut farm = Self::new();
        for secs in [0, 30] {
            farm.read(secs, "t1", "36");
        }
        farm.apply(60, InputKind::Tick);
        farm
    }

    fn refused(&self, kind: InputKind) -> String {
        let at = Timestamp::from_millis(0);
        self.0.check(&Input { at, kind }).unwrap_err().to_string()
    }
}

fn at(secs: i64) -> Timestamp {
    Timestamp::from_millis(secs * 1_000)
}
