//! Where an alert stands, as people are told it.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use harit_engine::{
    AlertSpec, AlertStatus, Engine, FarmDocument, Input, InputKind, Measured, Timestamp,
};
use serde_json::{Value, json};

struct Farm(Engine);

impl Farm {
    /// A sensor of each type that no alert could watch before, and an alert of a minute on soil moisture.
    fn new() -> Self {
        let document = FarmDocument::from_json(&json!({
            "farm": {"id": "f1", "name": "Farm"},
            "sensors": [
                {"id": "s1", "type": "soil_moisture", "scope": {"type": "farm"}},
                {"id": "l1", "type": "light_intensity", "scope": {"type": "farm"}},
                {"id": "c1", "type": "co2_level", "scope": {"type": "farm"}},
            ],
            "alerts": [alert(true)],
        }))
        .unwrap();
        Self(Engine::new(&document).unwrap())
    }

    fn apply(&mut self, secs: i64, kind: InputKind) {
        let at = Timestamp::from_millis(secs * 1_000);
        self.0.apply(&Input { at, kind }, &mut Vec::new()).unwrap();
    }

    fn read(&mut self, secs: i64, value: &str) {
        let value = Measured::parse(value);
        let sensor = "s1".into();
        self.apply(secs, InputKind::Reading { sensor, value });
    }

    fn status(&self) -> AlertStatus {
        self.0.alert("dry").unwrap()
    }
}

fn alert(active: bool) -> Value {
    json!({
        "id": "dry", "name": "Dry bed", "repeatsIn": 30, "repeatUnit": "minutes", "isActive": active, "hold_sec": 60, "clear_sec": 30,
        "conditions": [{"sensor": "Soil Moisture", "operator": "<", "value": 30}],
    })
}

fn secs(s: i64) -> Option<Timestamp> {
    Some(Timestamp::from_millis(s * 1_000))
}

#[test]
fn an_alert_tells_what_it_waits_for_and_since_when_it_is_raised() {
    let mut farm = Farm::new();
    assert_eq!((farm.status().condition, farm.status().hold), (None, None));
    farm.read(0, "50");
    assert_eq!(
        (farm.status().condition, farm.status().raised_since),
        (Some(false), None)
    );
    farm.read(100, "20");
    farm.read(130, "20");
    let waiting = farm.status().hold.unwrap();
    assert_eq!(farm.status().condition, Some(true));
    assert_eq!(Some(waiting.hold_since), secs(100));
    assert_eq!(waiting.length.as_millis(), 60_000);
    farm.apply(170, InputKind::Tick);
    assert_eq!(
        (farm.status().active, farm.status().raised_since),
        (true, secs(160))
    );
    // A restart in between changes nothing of it.
    farm.0 = Engine::restore(&farm.0.snapshot()).unwrap();
    assert_eq!(farm.status().raised_since, secs(160));
    farm.read(180, "50");
    let clearing = farm.status().hold.unwrap();
    assert_eq!(Some(clearing.hold_since), secs(180));
    assert_eq!(clearing.length.as_millis(), 30_000);
    farm.read(200, "50");
    farm.apply(220, InputKind::Tick);
    assert_eq!(
        (farm.status().active, farm.status().raised_since),
        (false, None)
    );
}

#[test]
fn missing_data_is_told_and_keeps_an_alert_raised() {
    let mut farm = Farm::new();
    for s in [0, 30, 60] {
        farm.read(s, "20");
    }
    assert!(farm.status().active);
    farm.apply(100_000, InputKind::Tick);
    assert_eq!(
        (farm.status().active, farm.status().condition),
        (true, None)
    );
    assert_eq!(farm.status().raised_since, secs(60));
}

#[test]
fn an_alert_that_is_switched_off_says_nothing_of_its_condition() {
    let mut farm = Farm::new();
    for s in [0, 30, 60] {
        farm.read(s, "20");
    }
    let off = AlertSpec::from_json(&alert(false)).unwrap();
    farm.apply(90, InputKind::AlertPut(Box::new(off)));
    let status = farm.status();
    assert_eq!(
        (status.active, status.raised_since, status.condition),
        (false, None, None)
    );
}

#[test]
fn an_alert_may_watch_every_type_of_sensor() {
    for sensor in ["Soil Moisture", "Light Intensity", "CO2 Level"] {
        let mut document = alert(true);
        document["conditions"][0]["sensor"] = sensor.into();
        let spec = AlertSpec::from_json(&document).unwrap();
        let mut farm = Farm::new();
        farm.apply(0, InputKind::AlertPut(Box::new(spec)));
        let kept = serde_json::to_value(farm.status().spec).unwrap();
        assert_eq!(kept["conditions"][0]["sensor"], sensor);
    }
}
