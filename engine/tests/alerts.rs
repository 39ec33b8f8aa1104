//! Where an alert stands, as people are told it.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use harit_engine::{
    AlertSeverity, AlertSpec, AlertStatus, Engine, Event, EventKind, FarmDocument, Input,
    InputKind, Measured, RegistryChange, ResolveReason, Timestamp,
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

/// Two beds, and an alert on the worse of them.
struct Beds {
    engine: Engine,
    events: Vec<Event>,
}

impl Beds {
    fn new() -> Self {
        let sensor = |id: &str, name: &str| json!({"id": id, "name": name, "type": "temperature", "scope": {"type": "farm"}, "stale_after_sec": 100});
        let document = FarmDocument::from_json(&json!({
            "farm": {"id": "f1", "name": "Farm"},
            "sensors": [sensor("b", "South bed"), sensor("a", "North bed"), sensor("c", "Door")],
            "alerts": [hot("worst", "warning")],
        }));
        Self {
            engine: Engine::new(&document.unwrap()).unwrap(),
            events: Vec::new(),
        }
    }

    fn apply(&mut self, secs: i64, kind: InputKind) {
        let at = Timestamp::from_millis(secs * 1_000);
        self.engine
            .apply(&Input { at, kind }, &mut self.events)
            .unwrap();
    }

    fn read(&mut self, secs: i64, sensor: &str, value: &str) {
        let (sensor, value) = (sensor.into(), Measured::parse(value));
        self.apply(secs, InputKind::Reading { sensor, value });
    }

    fn put(&mut self, secs: i64, alert: &Value) {
        let spec = AlertSpec::from_json(alert).unwrap();
        self.apply(secs, InputKind::AlertPut(Box::new(spec)));
    }

    fn status(&self) -> AlertStatus {
        self.engine.alert("hot").unwrap()
    }

    fn awaited(&self) -> Vec<String> {
        let all = self.status().waits_for.into_iter();
        all.map(|s| s.name.unwrap()).collect()
    }

    /// Why the alert was resolved, each time.
    fn resolved(&mut self) -> Vec<ResolveReason> {
        let reason = |e: Event| match e.kind {
            EventKind::AlertResolved { reason, .. } => Some(reason),
            _ => None,
        };
        std::mem::take(&mut self.events)
            .into_iter()
            .filter_map(reason)
            .collect()
    }
}

fn hot(evidence: &str, severity: &str) -> Value {
    json!({
        "id": "hot", "name": "Hot", "repeatsIn": 30, "repeatUnit": "minutes", "evidence": evidence, "severity": severity,
        "conditions": [{"sensor": "Temperature", "operator": ">", "value": 35}],
    })
}

#[test]
fn an_alert_that_lost_its_evidence_tells_since_when_and_whom_it_waits_for() {
    let mut beds = Beds::new();
    beds.read(0, "a", "40");
    beds.read(10, "b", "38");
    beds.read(20, "c", "20");
    // One is silent, the other is still known to be hot.
    beds.apply(105, InputKind::Tick);
    assert_eq!(
        (beds.status().condition, beds.status().unknown_since),
        (Some(true), None)
    );
    assert_eq!(beds.awaited(), ["North bed"]);
    beds.read(106, "c", "20");
    beds.apply(115, InputKind::Tick);
    let lost = beds.status();
    assert_eq!((lost.active, lost.condition), (true, None));
    assert_eq!(lost.unknown_since, secs(110));
    assert_eq!(beds.awaited(), ["North bed", "South bed"]);
    beds.engine = Engine::restore(&beds.engine.snapshot()).unwrap();
    assert_eq!(beds.status(), lost);
    // One that comes back does not resolve it; a person says that the other will not.
    beds.read(190, "a", "25");
    assert_eq!(beds.awaited(), ["South bed"]);
    assert!(beds.status().active && beds.resolved().is_empty());
    beds.apply(
        200,
        InputKind::Registry(vec![RegistryChange::DeleteSensor("b".into())]),
    );
    assert_eq!(beds.resolved(), [ResolveReason::Cleared]);
    assert_eq!(beds.status().unknown_since, None);
}

#[test]
fn how_much_it_matters_disturbs_nothing_and_what_it_watches_starts_it_anew() {
    let mut beds = Beds::new();
    beds.read(0, "a", "40");
    beds.read(0, "b", "32");
    beds.put(10, &hot("worst", "critical"));
    assert_eq!(beds.status().spec.severity, AlertSeverity::Critical);
    assert_eq!(beds.status().raised_since, secs(0));
    assert!(beds.resolved().is_empty());
    beds.put(20, &hot("mean", "critical"));
    assert_eq!(beds.resolved(), [ResolveReason::Changed]);
    assert_eq!(beds.status().raised_since, secs(20), "36 is above 35 too");
    let mut old = hot("mean", "info");
    old["evidence"] = Value::Null;
    beds.put(30, &old);
    assert_eq!(beds.resolved(), [ResolveReason::Changed]);
    let stored = serde_json::to_value(beds.status().spec).unwrap();
    assert_eq!(
        (stored.get("evidence"), &stored["severity"]),
        (None, &json!("info"))
    );
    beds.apply(
        40,
        InputKind::Registry(vec![RegistryChange::DeleteSensor("c".into())]),
    );
    assert_eq!(beds.resolved(), [ResolveReason::Registry]);
    let mut off = old.clone();
    off["isActive"] = json!(false);
    beds.put(50, &off);
    assert_eq!(beds.resolved(), [ResolveReason::Disabled]);
    beds.put(60, &old);
    beds.apply(70, InputKind::AlertDelete("hot".into()));
    assert_eq!(beds.resolved(), [ResolveReason::Deleted]);
}

#[test]
fn words_that_are_none_are_refused() {
    for (field, word) in [("evidence", "median"), ("severity", "urgent")] {
        let mut alert = hot("worst", "info");
        alert[field] = json!(word);
        let problems = AlertSpec::from_json(&alert).unwrap_err();
        assert_eq!(
            (problems.0[0].path.as_str(), problems.0[0].code),
            (field, "unknown_word")
        );
    }
}
