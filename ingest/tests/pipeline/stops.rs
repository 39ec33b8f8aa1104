//! Locks that are opened by their own only, and stops: what a person with his arm in a fan counts on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use harit_engine::{
    DeviceLock, EventKind, InputKind, Lock, LockKind, Owner, RegistryChange, ScopeSpec, Status,
    Stop, StopScope,
};
use harit_ingest::Urged;
use harit_journal::JournalFiles;
use serde_json::{Value, json};

use crate::world::{FARM, MAC, World};

fn person(id: &str) -> Arc<Owner> {
    Arc::new(Owner {
        user_id: id.into(),
        name: id.into(),
        reason: Some("my arm is in it".into()),
    })
}

fn stop_farm(by: &str) -> Stop {
    Stop {
        scope: StopScope::Place(ScopeSpec::farm()),
        owner: person(by),
    }
}

fn manual(mut line: Value) -> InputKind {
    (line["at"], line["input"]) = (json!(0), json!("manual"));
    harit_protocol::jsonl::parse(&line.to_string())
        .unwrap()
        .kind
}

fn status(lock: Lock, by: &str) -> InputKind {
    InputKind::Status {
        device: "fan-1".into(),
        status: Status {
            lock: Some(lock),
            owner: Some(person(by)),
            ..Status::default()
        },
    }
}

fn open_stop(of: &str, by: &str) -> InputKind {
    let kind = LockKind::Stop;
    let user = Some(of.into());
    status(Lock::Open { kind, user }, by)
}

async fn locks(w: &World, device: &'static str) -> Vec<LockKind> {
    let locks: Vec<DeviceLock> = w.read(move |e| e.device(device).unwrap().locks).await;
    locks.into_iter().map(|l| l.kind).collect()
}

/// Whether any of what was sent since the last time switches on.
fn ons(w: &World) -> Vec<Value> {
    let mut sent = w.take_sent();
    sent.retain(|body| body["action"]["on"] == json!(true) || body["cmd_type"] == "renew");
    sent
}

/// A controller that repeats the reason of the engine's lock and then lets go of it opened that lock.
#[tokio::test]
async fn a_dosing_pump_that_was_on_for_too_long_is_not_unlocked_by_its_controller() {
    let w = World::new().await;
    let says = |lock: &str| {
        format!(
            r#"{{"online":true,"devices":[{{"id":"dose-1","type":"dosing_pump","on":false,"lock":{lock},"safety":false}}]}}"#
        )
    };
    w.publish(MAC, "state", &says("null")).await;
    w.admit(manual(
        json!({"device": "dose-1", "cmd_type": "override", "action": "on", "duration_sec": 600}),
    ))
    .await;
    w.pass(61_000).await;
    assert_eq!(locks(&w, "dose-1").await, [LockKind::MaxOn]);
    w.publish(MAC, "state", &says(r#""max_on""#)).await;
    assert_eq!(
        locks(&w, "dose-1").await,
        [LockKind::Controller, LockKind::MaxOn]
    );
    w.take_sent();
    w.publish(MAC, "state", &says("null")).await;
    assert_eq!(locks(&w, "dose-1").await, [LockKind::MaxOn]);
    assert_eq!(ons(&w), [] as [Value; 0]);
}

#[tokio::test]
async fn nothing_starts_what_was_stopped_before_every_stop_is_opened() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    assert_eq!(ons(&w).len(), 1, "the rule has it");
    for by in ["asha", "ravi"] {
        let told = w.hub.stop(&FARM.into(), stop_farm(by)).await.unwrap();
        let Urged::Recorded(events) = told else {
            panic!("{told:?}");
        };
        let off = events
            .iter()
            .filter(|e| matches!(&e.kind, EventKind::Command(c) if c.cause().as_str() == "stop"));
        assert_eq!(off.count(), 1);
    }
    let sent = w.take_sent();
    assert!(sent.iter().all(|s| s["action"]["on"] == json!(false)));
    assert_eq!(sent[0]["reason"], "my arm is in it");
    // The rule goes on wanting it, its lease is not renewed, a person gives it back or switches it on.
    w.heat().await;
    w.pass(70_000).await;
    let on = json!({"device": "fan-1", "cmd_type": "override", "action": "on", "duration_sec": 60, "admin": true});
    for refused in [on, json!({"device": "fan-1", "cmd_type": "release"})] {
        w.admit(manual(refused)).await;
    }
    // Its controller comes back, locks it at the panel and lets go of it, another lock is opened, safety ends.
    let birth = r#"{"online":true,"devices":[{"id":"fan-1","type":"fan","on":false,"lock":null,"safety":false}]}"#;
    for state in [
        r#"{"online":false}"#,
        birth,
        &birth.replace("null", r#""stop""#),
        birth,
    ] {
        w.publish(MAC, "state", state).await;
    }
    for lock in [
        Lock::Engage {
            kind: LockKind::Person,
            reason: "cleaning".into(),
        },
        Lock::Open {
            kind: LockKind::Person,
            user: None,
        },
    ] {
        w.admit(status(lock, "owner")).await;
    }
    for safety in [true, false] {
        w.admit(InputKind::Status {
            device: "fan-1".into(),
            status: Status {
                safety: Some(safety),
                ..Status::default()
            },
        })
        .await;
    }
    // It is put again, and cannot be deleted.
    let spec = w.read(|e| e.device("fan-1").unwrap().spec).await;
    let put = RegistryChange::PutDevice(Box::new(spec));
    w.admit(InputKind::Registry(vec![put])).await;
    // One of the two is opened; another server takes over.
    w.admit(open_stop("asha", "owner")).await;
    assert_eq!(locks(&w, "fan-1").await, [LockKind::Stop]);
    assert_eq!(ons(&w), [] as [Value; 0]);
    let w = w.after_crash(|_| {}).await.unwrap();
    assert_eq!(locks(&w, "fan-1").await, [LockKind::Stop]);
    w.publish(MAC, "state", birth).await;
    w.heat().await;
    assert_eq!(ons(&w), [] as [Value; 0]);
    // The last is opened: what the rule wants is seen for ten seconds, then it starts.
    w.admit(open_stop("ravi", "owner")).await;
    assert_eq!(locks(&w, "fan-1").await, []);
    w.pass(9_000).await;
    let seen = w.read(|e| e.device("fan-1").unwrap()).await;
    assert_eq!((seen.desired.is_on(), seen.manual.is_some()), (true, true));
    assert_eq!(ons(&w), [] as [Value; 0]);
    w.pass(2_000).await;
    assert_eq!(ons(&w).len(), 1);
}

#[tokio::test]
async fn what_is_offline_is_stopped_when_it_comes_back() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    w.publish(MAC, "state", r#"{"online":false}"#).await;
    w.take_sent();
    w.hub.stop(&FARM.into(), stop_farm("asha")).await.unwrap();
    assert_eq!(w.take_sent().len(), 0);
    w.birth().await;
    let sent = w.take_sent();
    assert_eq!((sent.len(), &sent[0]["action"]["on"]), (1, &json!(false)));
}

#[tokio::test]
async fn a_stop_gets_out_while_the_journal_cannot_be_written() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    assert_eq!(ons(&w).len(), 1);
    // Another process holds the file, as a full disk would.
    let db = rusqlite::Connection::open(w.dir.path().join("journal/000001/shard-0.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    // What waits before it would switch on.
    let reading = r#"{"sensors":[{"id":"t1","latestValue":50}]}"#;
    let waiting = w.receive(World::batch(MAC, "telemetry", &[reading])).await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let began = Instant::now();
    let told = w.hub.stop(&FARM.into(), stop_farm("asha")).await.unwrap();
    assert_eq!(told, Urged::Sent(vec!["fan-1".into()]));
    assert!(began.elapsed() < Duration::from_secs(5));
    let sent = w.take_sent();
    assert_eq!(sent[0]["action"]["on"], json!(false), "{sent:?}");
    // No lease is renewed from then on.
    w.pass(70_000).await;
    assert_eq!(ons(&w), [] as [Value; 0]);
    db.execute_batch("ROLLBACK").unwrap();
    tokio::time::timeout(Duration::from_secs(10), waiting)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(locks(&w, "fan-1").await, [LockKind::Stop]);
    assert_eq!(ons(&w), [] as [Value; 0]);
    // It is in the journal, once.
    let w = w.after_crash(|_| {}).await.unwrap();
    assert_eq!(locks(&w, "fan-1").await, [LockKind::Stop]);
    let mut lines = vec![];
    harit_ingest::export::export(&JournalFiles::of(w.dir.path()), FARM, &mut lines).unwrap();
    let stops = String::from_utf8(lines).unwrap();
    let stops = stops.matches(r#""input":"stop""#).count();
    assert_eq!(stops, 1);
}
