//! Derived sensors: what they say enters the log after what it follows from, rules go by it, and a restart needs no formula.

use std::time::{Duration, Instant};

use harit_derived::{Definition, Document};
use harit_engine::{
    FarmDocument, InputKind, Measured, RegistryChange, ScopeSpec, SensorSpec, SensorType,
};
use serde_json::{Value, json};

use crate::world::{FARM, MAC, World};

const GAP: harit_engine::Duration = harit_engine::Duration::from_secs(900);

fn definition(sensor: &str, document: &Value) -> Definition {
    let document: Document = serde_json::from_value(document.clone()).unwrap();
    Definition::new(sensor.into(), &document, GAP).unwrap()
}

fn vpd() -> Definition {
    definition(
        "vpd-1",
        &json!({"kind": "vpd", "scope": {"type": "zone", "zoneId": "z1"}}),
    )
}

fn sensor(id: &str, sensor_type: SensorType) -> RegistryChange {
    RegistryChange::PutSensor(SensorSpec {
        id: id.into(),
        name: None,
        sensor_type,
        scope: ScopeSpec::zone("z1"),
        stale_after: GAP,
        controller: None,
    })
}

/// A farm with a derived VPD.
async fn world() -> World {
    let w = World::new().await;
    w.birth().await;
    let vpd = sensor("vpd-1", SensorType::VapourPressureDeficit);
    w.admit(InputKind::Registry(vec![vpd])).await;
    w.hub.put_derived(&FARM.into(), vec![self::vpd()]);
    // it was looked at before there was anything
    w.pass(1_000).await;
    w
}

async fn air(w: &World, celsius: &str, percent: &str) {
    let payload = format!(
        r#"{{"ts":{},"sensors":[{{"id":"t1","type":"temperature","latestValue":{celsius}}},{{"id":"h1","type":"humidity","latestValue":{percent}}}]}}"#,
        w.now()
    );
    assert_eq!(w.publish(MAC, "telemetry", &payload).await.rejected, 0);
}

/// How long after a look the next one is.
const LOOK: i64 = 1_000;

/// What a sensor reads while that is fresh, and when that was taken.
async fn reads(w: &World, id: &'static str) -> Option<(String, i64)> {
    let status = w.read(move |e| e.sensor(id)).await?;
    Some((status.value?.to_string(), status.read_at?.as_millis()))
}

#[tokio::test]
async fn it_is_a_reading_of_the_instant_of_its_inputs_and_a_restart_needs_no_formula() {
    let w = world().await;
    air(&w, "25", "50").await;
    let first = w.now();
    w.pass(LOOK).await;
    assert_eq!(reads(&w, "vpd-1").await, Some(("1.583889".into(), first)));
    // at most one value in ten seconds
    w.pass(3_000).await;
    air(&w, "25", "40").await;
    let second = w.now();
    w.pass(LOOK).await;
    assert_eq!(reads(&w, "vpd-1").await, Some(("1.583889".into(), first)));
    w.pass(7_000).await;
    let expected = Some(("1.900667".into(), second));
    assert_eq!(reads(&w, "vpd-1").await, expected);
    let journaled = w.read(|e| e.counters().readings).await;
    assert_eq!(journaled, 2 * 2 + 2);
    // recovery folds the readings that stand in the journal, and computes nothing
    let again = w.after_crash(|_| {}).await.unwrap();
    assert_eq!(reads(&again, "vpd-1").await, expected);
    assert_eq!(again.read(|e| e.counters().readings).await, journaled);
    let history = again.hub.history();
    let minute = second - second.rem_euclid(60_000);
    let (from, to) = (minute - 60_000, minute + 60_000);
    let [from, to] = [from, to].map(harit_engine::Timestamp::from_millis);
    let rollups = history
        .rollups(&FARM.into(), &"vpd-1".into(), from, to, 60)
        .await
        .unwrap();
    let read: u64 = rollups.iter().map(|r| r.count).sum();
    assert_eq!(read, 2, "it has a history as every sensor");
}

#[tokio::test]
async fn rules_go_by_it() {
    let w = world().await;
    let rule = json!({
        "id": "mist", "name": "Mist", "mode": "auto", "deployed": true, "scope": {"type": "zone", "zoneId": "z1"},
        "trigger": {"sensor_type": "vapour_pressure_deficit", "operator": "gt", "value": 1.5, "duration_sec": 5},
        "actions": [{"device_id": "fan-1", "command": {"action": "on"}}]
    });
    let rule = serde_json::from_value(rule).unwrap();
    w.admit(InputKind::RulePut(Box::new(rule))).await;
    air(&w, "25", "40").await;
    w.pass(LOOK).await;
    w.pass(10_000).await;
    assert!(w.take_sent().is_empty(), "one sample is not enough");
    air(&w, "26", "40").await;
    w.pass(LOOK).await;
    w.pass(LOOK).await;
    let sent = w.take_sent();
    // it is not acked, and so sent again
    assert!(!sent.is_empty());
    assert_eq!(sent[0]["action"]["on"], true);
}

#[tokio::test]
async fn it_is_unknown_as_soon_as_an_input_is_and_known_again_with_it() {
    let w = world().await;
    air(&w, "25", "50").await;
    w.pass(LOOK).await;
    w.pass(600_000).await;
    w.temperature("26").await;
    w.pass(LOOK).await;
    assert!(reads(&w, "vpd-1").await.is_some());
    // the humidity expires, the temperature does not, and the derived value would not yet
    w.pass(300_000).await;
    w.pass(LOOK).await;
    assert_eq!(reads(&w, "vpd-1").await, None);
    let faults = w.read(|e| e.counters().faults_null).await;
    assert_eq!(faults, 2);
    w.pass(20_000).await;
    air(&w, "25", "50").await;
    w.pass(LOOK).await;
    assert!(reads(&w, "vpd-1").await.is_some());
    assert_eq!(w.read(|e| e.counters().faults_null).await, 2);
}

#[tokio::test]
async fn what_is_derived_of_what_is_derived_follows_in_the_same_instant() {
    let w = world().await;
    let number = sensor("n-1", SensorType::Number);
    w.admit(InputKind::Registry(vec![number])).await;
    let formula = json!({"kind": "formula", "scope": {"type": "zone", "zoneId": "z1"}, "formula": "v * 1000",
        "inputs": {"v": {"scope": {"type": "zone", "zoneId": "z1"}, "type": "vapour_pressure_deficit"}}});
    let all = vec![definition("n-1", &formula), vpd()];
    w.hub.put_derived(&FARM.into(), all);
    w.pass(1_000).await;
    air(&w, "25", "50").await;
    let read = w.now();
    w.pass(LOOK).await;
    w.pass(LOOK).await;
    assert_eq!(reads(&w, "n-1").await, Some(("1583.889".into(), read)));
    // taken away: nothing is computed any more
    w.hub.put_derived(&FARM.into(), Vec::new());
    w.pass(20_000).await;
    let before = w.read(|e| e.counters().readings).await;
    air(&w, "30", "50").await;
    assert_eq!(w.read(|e| e.counters().readings).await, before + 2);
}

/// A farm with as many derived sensors as there may be, each with the costliest formula, does not hold up its neighbour: a turn of
/// all of them takes as long as it takes, once in ten seconds, and is bounded by the length of a formula.
#[tokio::test]
async fn a_farm_full_of_costly_formulas_holds_up_no_other_for_long() {
    let w = World::new().await;
    let busy = json!({"farm": {"id": "busy", "name": "B"},
        "sensors": [{"id": "t", "type": "temperature", "scope": {"type": "farm"}}]});
    let mut farm = FarmDocument::from_json(&busy).unwrap();
    let mut formula = String::from("let x = t;");
    while formula.len() + 16 < harit_derived::MAX_FORMULA_BYTES {
        formula.push_str("x=exp(ln(x));");
    }
    formula.push('x');
    let document = json!({"kind": "formula", "scope": {"type": "farm"}, "formula": formula,
        "inputs": {"t": {"sensor": "t"}}});
    let ids: Vec<String> = { 0..harit_derived::MAX_DERIVED }
        .map(|n| format!("d{n}"))
        .collect();
    let spec = farm.sensors[0].clone();
    farm.sensors.extend(ids.iter().map(|id| SensorSpec {
        id: id.as_str().into(),
        sensor_type: SensorType::Number,
        ..spec.clone()
    }));
    w.hub.add_farm(farm).await.unwrap();
    let all = ids.iter().map(|id| definition(id, &document)).collect();
    w.hub.put_derived(&"busy".into(), all);
    w.pass(1_000).await;
    let value = Measured::parse("25");
    let sensor = "t".into();
    let reading = InputKind::Reading { sensor, value };
    w.hub.admit(&"busy".into(), reading).await.unwrap();
    // now all are due at once
    w.clock
        .0
        .fetch_add(LOOK, std::sync::atomic::Ordering::SeqCst);
    let began = Instant::now();
    w.temperature("25").await;
    let waited = began.elapsed();
    println!("the neighbour waited {waited:?}");
    assert!(waited < Duration::from_secs(3), "{waited:?}");
    w.pass(LOOK).await;
    let busy = "busy".into();
    let known = w
        .hub
        .read(&busy, |e| e.sensors().filter(|s| s.value.is_some()).count());
    assert_eq!(known.await.unwrap(), 1 + harit_derived::MAX_DERIVED);
}
