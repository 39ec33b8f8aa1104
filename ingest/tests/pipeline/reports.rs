//! Reports of controllers: what they bring online, lock and make safe, in which order, and what is refused.

use harit_engine::{InputKind, Lock, LockKind, Quantity, Status};
use harit_ingest::LiveKind;

use crate::world::{FARM, MAC, OTHER_MAC, World, reason};

#[tokio::test]
async fn online_lock_and_safety_follow_the_reports() {
    let w = World::new().await;
    w.birth().await;
    let device = || w.read(|e| e.device("fan-1").unwrap());
    let says = |fields: &str| {
        let payload = format!(
            r#"{{"online":true,"devices":[{{"id":"fan-1","type":"fan","on":false,{fields}}}]}}"#
        );
        let w = &w;
        async move { assert_eq!(w.publish(MAC, "state", &payload).await.rejected, 0) }
    };
    says(r#""lock":"door","safety":true"#).await;
    let d = device().await;
    assert_eq!((reason(&d), d.safety), (Some("door"), true));
    says(r#""lock":null,"safety":false"#).await;
    let d = device().await;
    assert_eq!((reason(&d), d.safety), (None, false));
    // A person's lock is not the controller's to clear.
    let lock = Status {
        lock: Some(Lock::Engage {
            kind: LockKind::Person,
            reason: "cleaning".into(),
        }),
        safety: Some(true),
        ..Status::default()
    };
    w.admit(InputKind::Status {
        device: "fan-1".into(),
        status: lock,
    })
    .await;
    says(r#""lock":null,"safety":false"#).await;
    let d = device().await;
    assert_eq!((reason(&d), d.safety), (Some("cleaning"), true));
    // Not even after somebody locked and unlocked the device at its panel meanwhile: both hold, and each opens its own.
    says(r#""lock":"panel","safety":false"#).await;
    let kinds = || async {
        device()
            .await
            .locks
            .into_iter()
            .map(|l| l.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds().await, [LockKind::Controller, LockKind::Person]);
    says(r#""lock":null,"safety":false"#).await;
    assert_eq!(kinds().await, [LockKind::Person]);
    // The will, and a lost connection.
    let mut live = w.hub.subscribe();
    w.publish(MAC, "state", r#"{"online":false}"#).await;
    assert!(!device().await.online);
    let told = std::iter::from_fn(|| live.try_recv().ok())
        .any(|e| matches!(e.kind, LiveKind::Controller { online: false, .. }));
    assert!(told);
    says(r#""lock":null"#).await;
    assert!(device().await.online);
    let principal = World::batch(MAC, "state", &[]).from.unwrap();
    w.hub.uplink().disconnected(&principal);
    w.pass(0).await;
    assert!(!device().await.online);
}

#[tokio::test]
async fn births_in_one_batch_are_taken_in_order() {
    let w = World::new().await;
    w.birth().await;
    let (off, on) = (
        r#"{"online":false}"#,
        r#"{"online":true,"devices":[{"id":"fan-1","type":"fan","on":false}]}"#,
    );
    for (payloads, online) in [
        (vec![off, on], true),
        (vec![on, off, on, off], false),
        (vec![off, on, on], true),
    ] {
        w.receive(World::batch(MAC, "state", &payloads))
            .await
            .await
            .unwrap();
        assert_eq!(
            w.read(|e| e.device("fan-1").unwrap().online).await,
            online,
            "{payloads:?}"
        );
    }
}

#[tokio::test]
async fn what_follows_a_first_birth_in_its_batch_counts() {
    let birth = r#"{"online":true,"devices":[{"id":"fan-1","type":"fan","on":false,"lock":null,"safety":false}]}"#;
    let locked = r#"{"online":true,"devices":[{"id":"fan-1","type":"fan","on":false,"lock":"door","safety":true}]}"#;
    let gone = r#"{"online":false}"#;
    for (payloads, online, lock, safety) in [
        (vec![birth, gone], false, None, false),
        (vec![birth, locked], true, Some("door"), true),
        (vec![birth, locked, gone], false, Some("door"), true),
        (vec![birth, locked, birth], true, None, false),
        (vec![gone, birth], true, None, false),
        (vec![birth, gone, locked], true, Some("door"), true),
    ] {
        let w = World::new().await;
        let batch = World::batch(MAC, "state", &payloads);
        w.receive(batch).await.await.unwrap();
        // A repetition of the last one says nothing new: the farm is as it said.
        for again in [false, true] {
            let is = w.read(|e| e.device("fan-1").unwrap()).await;
            assert_eq!(
                (is.online, reason(&is), is.safety),
                (online, lock, safety),
                "{payloads:?} {again}"
            );
            w.publish(MAC, "state", payloads[payloads.len() - 1]).await;
        }
    }
}

/// Presence: nothing but a report brings a controller back that said it goes.
#[tokio::test]
async fn who_said_goodbye_is_away_until_its_next_report() {
    let w = World::new().await;
    w.birth().await;
    w.publish(MAC, "state", r#"{"online":false}"#).await;
    let online = || w.read(|e| e.device("fan-1").unwrap().online);
    assert!(!online().await);
    w.temperature("20").await;
    w.publish(MAC, "ack", r#"{"command_id":"f1-1","status":"ack"}"#)
        .await;
    let principal = World::batch(MAC, "state", &[]).from.unwrap();
    w.hub.uplink().connected(&principal);
    w.pass(120_000).await;
    w.temperature("20").await;
    assert!(!online().await);
    let controllers = w.hub.controllers(&FARM.into()).await.unwrap();
    assert!(!controllers[0].online && controllers[0].last_seen.is_some());
    w.publish(MAC, "state", "{}").await;
    assert!(online().await);
}

#[tokio::test]
async fn what_is_bad_is_kept_for_operators_and_acknowledged() {
    let w = World::new().await;
    w.birth().await;
    let many = format!(
        r#"{{"sensors":[{}]}}"#,
        vec![r#"{"id":"t1","latestValue":1}"#; 4_097].join(",")
    );
    for (kind, payload, reason) in [
        ("telemetry", "garbage", "malformed"),
        (
            "telemetry",
            r#"{"sensors":[],"x":[[[[[[[[]]]]]]]]}"#,
            "too_deep",
        ),
        ("telemetry", &many, "too_many_sensors"),
        ("state", "[]", "malformed"),
        ("ack", "{}", "malformed"),
        ("command", "{}", "not_for_controllers"),
        ("nonsense", "{}", "topic"),
    ] {
        assert_eq!(
            w.publish(MAC, kind, payload).await.rejected,
            1,
            "{kind} {reason}"
        );
        let letters = w.hub.dead_letters(&FARM.into(), 100).await.unwrap();
        assert!(
            letters
                .iter()
                .any(|l| l.reason == reason && l.topic.ends_with(kind)),
            "{kind} {reason}"
        );
    }
    // One bad sensor does not spoil a message, and is no reason to cut the connection off.
    let payload = r#"{"sensors":[{"id":"t1","unit":"lux","latestValue":300},{"id":"t1","latestValue":21},{"id":"t1","type":"ph","latestValue":7},{"latestValue":1}]}"#;
    assert_eq!(w.publish(MAC, "telemetry", payload).await.rejected, 0);
    assert_eq!(
        w.read(|e| e.sensors().next().unwrap().value).await,
        Some(Quantity::from_units(21))
    );
    let letters = w.hub.dead_letters(&FARM.into(), 100).await.unwrap();
    for reason in ["unit", "other_type", "bad_id"] {
        assert!(letters.iter().any(|l| l.reason == reason), "{reason}");
    }
    // A client that asks its server to keep a value says it now.
    let mut batch = World::batch(
        MAC,
        "telemetry",
        &[r#"{"sensors":[{"id":"t1","latestValue":22}]}"#],
    );
    batch.publishes[0].retain = true;
    assert_eq!(w.receive(batch).await.await.unwrap().rejected, 0);
    assert_eq!(
        w.read(|e| e.sensors().next().unwrap().value).await,
        Some(Quantity::from_units(22))
    );
    // What a broker kept is old; a controller that is not registered, or disabled, is nobody.
    let mut batch = World::batch(MAC, "telemetry", &[r#"{"sensors":[]}"#]);
    batch.publishes[0].retain = true;
    batch.from = None;
    assert_eq!(w.receive(batch).await.await.unwrap().rejected, 1);
    w.records
        .0
        .lock()
        .unwrap()
        .get_mut(&crate::world::mac(OTHER_MAC))
        .unwrap()
        .enabled = false;
    assert_eq!(w.publish(OTHER_MAC, "state", "{}").await.rejected, 1);
    let mut batch = World::batch("000000000000", "state", &["{}"]);
    batch.from = None;
    assert_eq!(w.receive(batch).await.await.unwrap().rejected, 1);
    let letters = w.hub.dead_letters(&FARM.into(), 100).await.unwrap();
    for reason in ["retained", "disabled", "unknown_controller"] {
        assert!(letters.iter().any(|l| l.reason == reason), "{reason}");
    }
}
