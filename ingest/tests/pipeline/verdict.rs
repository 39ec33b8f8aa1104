//! A farm's verdict through the whole pipeline: what is wrong is told, each thing by itself, and what is mended is well.

use std::sync::Arc;
use std::time::{Duration, Instant};

use harit_engine::verdict::{Act, FarmVerdict, Store, Verdict, What};
use harit_engine::{FarmDocument, InputKind, Timestamp};
use serde_json::json;

use crate::world::{FARM, MAC, OTHER_MAC, START, World, mac};

const MINUTE: i64 = 60_000;

async fn verdict(w: &World) -> Arc<FarmVerdict> {
    // What only readings changed is told within 200 ms of the farm's own time.
    w.pass(250).await;
    w.hub.verdict(&FARM.into()).await.unwrap()
}

/// The kinds of the farm's reasons, for a test's message and its comparison.
fn kinds(verdict: &FarmVerdict) -> Vec<&'static str> {
    let kind = |what: &What| match what {
        What::NoAnswer => "no answer",
        What::CannotWrite(_) => "cannot write",
        What::EngineFailed => "engine failed",
        What::ControllerOffline { .. } => "controller offline",
        What::NoSignal { .. } => "no signal",
        What::RuleBlind { .. } => "rule blind",
        What::AlertBlind { .. } => "alert blind",
        What::SensorGone { .. } => "sensor gone",
        What::DeviceGone(_) => "device gone",
        What::DeviceOffline(_) => "device offline",
        What::Locked { .. } => "locked",
        What::NotFollowing(_) => "not following",
        What::AlertRaised { .. } => "alert",
        What::OutsideRange { .. } => "outside range",
        What::Override { .. } => "override",
        What::Safety(_) => "safety",
        What::RuleOff { .. } => "rule off",
    };
    verdict.farm.reasons.iter().map(|r| kind(&r.what)).collect()
}

/// A house with a thermometer, a fan and its rule on one controller, and a pump on another.
async fn set_up() -> World {
    let w = World::new().await;
    w.birth().await;
    let pump = r#"{"online":true,"sensors":[{"id":"l1","type":"reservoir_level","unit":"%"}],
        "devices":[{"id":"pump-1","type":"pump","on":false,"lock":null,"safety":false}]}"#;
    assert_eq!(w.publish(OTHER_MAC, "state", pump).await.rejected, 0);
    w.cooling_rule().await;
    readings(&w).await;
    w
}

async fn readings(w: &World) {
    w.temperature("20").await;
    let level = r#"{"sensors":[{"id":"l1","latestValue":60}]}"#;
    assert_eq!(w.publish(OTHER_MAC, "telemetry", level).await.rejected, 0);
}

fn manual(line: serde_json::Value) -> InputKind {
    let mut line = line;
    (line["at"], line["input"]) = (json!(0), json!("manual"));
    harit_protocol::jsonl::parse(&line.to_string())
        .unwrap()
        .kind
}

#[tokio::test]
async fn a_bad_day_is_told_each_thing_by_itself() {
    let w = set_up().await;
    let well = verdict(&w).await;
    assert_eq!((well.farm.verdict, kinds(&well)), (Verdict::Well, vec![]));
    assert_eq!(well.houses[0].place.verdict, Verdict::Well);

    // The thermometer falls silent: the house has no temperature, and its rule is blind.
    w.pass(10 * MINUTE).await;
    let level = r#"{"sensors":[{"id":"l1","latestValue":61}]}"#;
    w.publish(OTHER_MAC, "telemetry", level).await;
    w.pass(5 * MINUTE).await;
    let silent = verdict(&w).await;
    assert_eq!(silent.farm.verdict, Verdict::NotKnown);
    assert_eq!(kinds(&silent), ["no signal", "rule blind"]);
    let reason = &silent.houses[0].place.reasons[0];
    assert_eq!(reason.since, Some(Timestamp::from_millis(START)));
    assert_eq!(reason.what.act(), Act::CheckSensor);
    readings(&w).await;
    assert_eq!(verdict(&w).await.farm.verdict, Verdict::Well);

    // The vent's panel locks it.
    let locked = r#"{"devices":[{"id":"fan-1","type":"fan","on":false,"lock":"door"}]}"#;
    w.publish(MAC, "state", locked).await;
    let locked = verdict(&w).await;
    assert_eq!(
        (locked.farm.verdict, kinds(&locked)),
        (Verdict::Danger, vec!["locked"])
    );
    let opened = r#"{"devices":[{"id":"fan-1","type":"fan","on":false,"lock":null}]}"#;
    w.publish(MAC, "state", opened).await;
    assert_eq!(verdict(&w).await.farm.verdict, Verdict::Well);

    // A controller is gone: the house is not known, though its values are still fresh.
    let gone_at = w.now();
    w.publish(MAC, "state", r#"{"online":false}"#).await;
    w.pass(1_000).await;
    let gone = verdict(&w).await;
    assert_eq!(
        (gone.farm.verdict, kinds(&gone)),
        (Verdict::NotKnown, vec!["controller offline"]),
        "its devices are not told one by one"
    );
    let since = gone.farm.reasons[0].since.unwrap();
    assert!((since.as_millis() - gone_at).abs() < 1_000, "{since:?}");
    // It is known since when, also after the server died and came back.
    let again = w.after_crash(|_| {}).await.unwrap();
    let told = verdict(&again).await;
    assert!(kinds(&told).contains(&"controller offline"), "{told:?}");
    let offline = |v: &FarmVerdict| {
        let found = v.farm.reasons.iter().find_map(|r| match &r.what {
            What::ControllerOffline { controller, .. } if &**controller == MAC => Some(r.since),
            _ => None,
        });
        found.unwrap()
    };
    assert_eq!(offline(&told), Some(since));
    drop(again);
    w.birth().await;
    readings(&w).await;
    assert_eq!(verdict(&w).await.farm.verdict, Verdict::Well);

    // The pump runs by hand.
    let on = manual(
        json!({"device": "pump-1", "cmd_type": "override", "action": "on",
        "duration_sec": 600, "admin": true, "owner": {"user_id": "u1", "name": "Ganesh"}}),
    );
    w.admit(on).await;
    let by_hand = verdict(&w).await;
    assert_eq!(
        (by_hand.farm.verdict, kinds(&by_hand)),
        (Verdict::ByHand, vec!["override"])
    );
    let What::Override { by, on, .. } = &by_hand.farm.reasons[0].what else {
        panic!("{by_hand:?}")
    };
    assert_eq!((by.as_deref(), *on), (Some("Ganesh"), true));
    w.admit(manual(
        json!({"device": "pump-1", "cmd_type": "release", "admin": true}),
    ))
    .await;
    assert_eq!(verdict(&w).await.farm.verdict, Verdict::Well);
}

#[tokio::test]
async fn a_machine_that_does_not_follow_counts_after_two_minutes_however_often_it_is_told_again() {
    let w = set_up().await;
    w.pass(1_000).await;
    w.heat().await;
    assert_eq!(w.take_sent().len(), 1, "the fan is told to run");
    let fan = |on| {
        format!(
            r#"{{"devices":[{{"id":"fan-1","type":"fan","on":{on},"lock":null,"safety":false}}]}}"#
        )
    };
    w.publish(MAC, "state", &fan(true)).await;
    assert_eq!(verdict(&w).await.farm.verdict, Verdict::Well);
    w.pass(31_000).await;
    let stopped_at = w.now();
    w.publish(MAC, "state", &fan(false)).await;
    for _ in 0..3 {
        w.pass(30_000).await;
        readings_warm(&w).await;
        w.publish(MAC, "state", &fan(false)).await;
        let told = kinds(&*verdict(&w).await).join(", ");
        assert!(!told.contains("not following"), "{told}");
    }
    w.pass(31_000).await;
    readings_warm(&w).await;
    let disobeys = verdict(&w).await;
    assert_eq!(
        (disobeys.farm.verdict, kinds(&disobeys)),
        (Verdict::Danger, vec!["not following"])
    );
    let since = disobeys.farm.reasons[0].since.unwrap().as_millis();
    assert!((since - stopped_at).abs() < 1_000, "{since} {stopped_at}");
    w.publish(MAC, "state", &fan(true)).await;
    assert_eq!(verdict(&w).await.farm.verdict, Verdict::Well);
}

/// Warm enough that the fan goes on.
async fn readings_warm(w: &World) {
    w.temperature("35").await;
}

#[tokio::test]
async fn what_a_controller_no_longer_has_is_not_known() {
    let w = set_up().await;
    let without = r#"{"online":true,"sensors":[],"devices":[]}"#;
    w.publish(MAC, "state", without).await;
    let gone = verdict(&w).await;
    assert_eq!(gone.farm.verdict, Verdict::NotKnown);
    let told = kinds(&gone);
    assert!(
        told.contains(&"sensor gone") && told.contains(&"device gone"),
        "{told:?}"
    );
    assert!(
        gone.farm
            .reasons
            .iter()
            .any(|r| r.what.act() == Act::Remove)
    );
}

/// A controller that was taken away will not come back: what it had is to be removed, and there is no controller to look for.
#[tokio::test]
async fn what_a_controller_that_was_taken_away_had_is_gone() {
    let w = set_up().await;
    let ours = mac(MAC);
    let record = w.records.0.lock().unwrap().remove(&ours).unwrap();
    w.hub.controller_changed(&ours);
    let taken = verdict(&w).await;
    assert_eq!(
        (taken.farm.verdict, kinds(&taken)),
        (Verdict::NotKnown, vec!["device gone", "sensor gone"])
    );
    let acts = taken.farm.reasons.iter().map(|r| r.what.act());
    assert!(acts.eq([Act::Remove, Act::Remove]));
    // The same controller is registered for another farm, and then here again.
    let mut elsewhere = record.clone();
    elsewhere.farm = "f2".into();
    for (record, known) in [(elsewhere, Verdict::NotKnown), (record, Verdict::Well)] {
        w.records.0.lock().unwrap().insert(ours, record);
        w.hub.controller_changed(&ours);
        assert_eq!(verdict(&w).await.farm.verdict, known);
    }
    // While it is away it is a controller of the farm that cannot be reached; taken away, it is none.
    w.publish(MAC, "state", r#"{"online":false}"#).await;
    assert_eq!(kinds(&*verdict(&w).await), ["controller offline"]);
    w.records.0.lock().unwrap().remove(&ours);
    w.hub.controller_changed(&ours);
    assert_eq!(kinds(&*verdict(&w).await), ["device gone", "sensor gone"]);
}

#[tokio::test]
async fn a_rule_that_ran_and_was_switched_off_is_by_hand_also_after_a_restart() {
    let w = set_up().await;
    let mut rule = w.read(|e| e.rule("cool").unwrap().spec).await;
    rule.deployed = false;
    w.admit(InputKind::RulePut(Box::new(rule.clone()))).await;
    let off = verdict(&w).await;
    assert_eq!(
        (off.farm.verdict, kinds(&off)),
        (Verdict::ByHand, vec!["rule off"])
    );
    w.hub.snapshot().await;
    let again = w.after_crash(|_| {}).await.unwrap();
    let told = kinds(&*verdict(&again).await).join(", ");
    assert!(told.contains("rule off"), "{told}");
    drop(again);
    rule.deployed = true;
    w.admit(InputKind::RulePut(Box::new(rule))).await;
    assert_eq!(verdict(&w).await.farm.verdict, Verdict::Well);
}

#[tokio::test]
async fn a_server_that_cannot_write_or_answer_knows_nothing() {
    let w = set_up().await;
    assert_eq!(verdict(&w).await.farm.verdict, Verdict::Well);
    let db = rusqlite::Connection::open(w.dir.path().join("journal/000001/shard-0.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    let reading = r#"{"sensors":[{"id":"t1","latestValue":20}]}"#;
    let taken = w.receive(World::batch(MAC, "telemetry", &[reading])).await;
    let health = async {
        while w.hub.health().journal_writable {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), health)
        .await
        .unwrap();
    let full = verdict(&w).await;
    assert_eq!(full.farm.verdict, Verdict::NotKnown);
    assert_eq!(
        full.farm.reasons[0].what,
        What::CannotWrite(Store::Journal),
        "{full:?}"
    );
    assert_eq!(full.houses[0].place.verdict, Verdict::NotKnown);
    db.execute_batch("ROLLBACK").unwrap();
    tokio::time::timeout(Duration::from_secs(20), taken)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(verdict(&w).await.farm.verdict, Verdict::Well);
    w.hub.clone().shutdown().await.unwrap();
    let closed = w.hub.verdict(&FARM.into()).await.unwrap();
    assert_eq!(
        (closed.farm.verdict, kinds(&closed)),
        (Verdict::NotKnown, vec!["no answer"])
    );
}

/// 50 people look at a farm with 1,500 sensors, each twenty times, while readings come in.
#[tokio::test]
async fn many_may_look() {
    let w = World::empty(|_| {}).await;
    let sensors: Vec<_> = (0..1_500)
        .map(|n| {
            json!({"id": format!("s{n}"), "type": "temperature",
                "scope": {"type": "polyhouse", "polyhouseId": format!("p{}", n % 30)}})
        })
        .collect();
    let houses: Vec<_> = (0..30)
        .map(|n| json!({"id": format!("p{n}"), "name": "P", "zones": []}))
        .collect();
    let doc = json!({"farm": {"id": FARM, "name": "Farm"}, "polyhouses": houses, "sensors": sensors,
        "devices": [], "rules": [], "alerts": []});
    let doc = FarmDocument::from_json(&doc).unwrap();
    w.hub.add_farm(doc).await.unwrap();
    let began = Instant::now();
    let one = w.hub.verdict(&FARM.into()).await.unwrap();
    let first = began.elapsed();
    assert_eq!(one.farm.verdict, Verdict::NotKnown);
    assert_eq!((one.farm.reasons.len(), one.farm.more), (8, 22));
    let began = Instant::now();
    let pollers = (0..50).map(|_| async {
        for _ in 0..20 {
            w.hub.verdict(&FARM.into()).await.unwrap();
        }
    });
    futures_util::future::join_all(pollers).await;
    let all = began.elapsed();
    println!("first {first:?}, 1,000 more {all:?}");
    assert!(all < Duration::from_secs(5), "{all:?}");
}
