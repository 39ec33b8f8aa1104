//! The life of a command.

use std::sync::atomic::Ordering;

use harit_ingest::{CommandFilter, CommandState, LiveKind};
use serde_json::json;

use crate::world::{FARM, MAC, OTHER_MAC, World, fan_says, manual};

#[tokio::test]
async fn from_reading_to_confirmed() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    let mut live = w.hub.subscribe();
    w.heat().await;
    let sent = w.take_sent();
    assert_eq!(sent.len(), 1, "{sent:?}");
    let now = w.now();
    assert_eq!(
        sent[0],
        json!({"command_id": "f1-1", "cmd_type": "override", "device_id": "fan-1",
            "action": {"mode": "manual", "value": 100, "on": true},
            "owner": {"user_id": null, "rule_id": "cool", "name": "Cool the house"}, "reason": "cool",
            "timestamp": now, "expires_at": now + 15_000, "lease_sec": 180})
    );
    assert_eq!(w.state_of("f1-1").await, "sent");
    w.ack("f1-1").await;
    assert_eq!(w.state_of("f1-1").await, "acked");
    w.publish(
        MAC,
        "state",
        r#"{"devices":[{"id":"fan-1","type":"fan","on":true,"value":100}]}"#,
    )
    .await;
    assert_eq!(w.state_of("f1-1").await, "confirmed");
    let states: Vec<_> = std::iter::from_fn(|| live.try_recv().ok())
        .filter_map(|e| match &e.kind {
            LiveKind::Command(life) => Some(life.state),
            _ => None,
        })
        .collect();
    use CommandState::{Acked, Confirmed, Queued, Sent};
    assert_eq!(states, [Queued, Sent, Acked, Confirmed]);
    // Nothing is resent after that, and the stop sends off.
    w.pass(20_000).await;
    assert_eq!(w.take_sent().len(), 0);
    w.temperature("20").await;
    w.pass(1_000).await;
    w.temperature("20").await;
    let sent = w.take_sent();
    assert_eq!(
        (sent.len(), &sent[0]["command_id"], &sent[0]["action"]["on"]),
        (1, &json!("f1-2"), &json!(false))
    );
    assert!(sent[0].get("lease_sec").is_none());
    let all = w
        .hub
        .commands(&FARM.into(), CommandFilter::default())
        .await
        .unwrap()
        .items;
    let ids: Vec<_> = all
        .iter()
        .map(|l| (l.command_id.as_str(), l.state))
        .collect();
    assert_eq!(ids, [("f1-2", Sent), ("f1-1", Confirmed)]);
    let filter = CommandFilter {
        state: Some(Confirmed),
        device: Some("fan-1".into()),
        ..CommandFilter::default()
    };
    assert_eq!(
        w.hub
            .commands(&FARM.into(), filter)
            .await
            .unwrap()
            .items
            .len(),
        1
    );
}

#[tokio::test]
async fn resent_after_1_3_and_9_seconds_and_given_up_at_15() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    let first = w.take_sent().remove(0);
    let mut at = 0;
    for (seconds, resent) in [(1, 1), (2, 0), (3, 1), (8, 0), (9, 1), (14, 0), (15, 0)] {
        w.pass((seconds - at) * 1_000).await;
        at = seconds;
        let sent = w.take_sent();
        assert_eq!(sent.len(), resent, "after {seconds} s");
        assert!(sent.iter().all(|s| *s == first), "the same command, whole");
    }
    assert_eq!(w.state_of("f1-1").await, "timed_out");
    let life = w.hub.command(&FARM.into(), "f1-1").await.unwrap().unwrap();
    assert_eq!(
        (life.attempts, life.message.as_deref()),
        (4, Some("the controller did not answer"))
    );
    // The controller is there again and the engine still counts on it: the same id, a new expiry.
    w.publish(
        MAC,
        "state",
        r#"{"devices":[{"id":"fan-1","type":"fan","on":false}]}"#,
    )
    .await;
    let again = w.take_sent().remove(0);
    assert_eq!(again["command_id"], first["command_id"]);
    assert_eq!(again["expires_at"], json!(w.now() + 15_000));
    w.ack("f1-1").await;
    assert_eq!(w.state_of("f1-1").await, "acked");
}

#[tokio::test]
async fn what_cannot_be_published_waits_for_the_controller() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.reachable.store(false, Ordering::SeqCst);
    w.heat().await;
    assert_eq!(w.state_of("f1-1").await, "queued");
    w.reachable.store(true, Ordering::SeqCst);
    w.publish(
        MAC,
        "state",
        r#"{"devices":[{"id":"fan-1","type":"fan","on":false}]}"#,
    )
    .await;
    assert_eq!(w.take_sent().len(), 1);
    assert_eq!(w.state_of("f1-1").await, "sent");
}

#[tokio::test]
async fn leases_are_renewed_while_the_device_is_meant_to_be_on() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    w.ack("f1-1").await;
    fan_says(&w, true).await;
    w.take_sent();
    for _ in 0..2 {
        w.pass(59_000).await;
        assert_eq!(w.take_sent().len(), 0);
        w.temperature("35").await;
        w.pass(1_000).await;
        assert_eq!(
            w.take_sent(),
            [
                json!({"command_id": "f1-1", "cmd_type": "renew", "device_id": "fan-1", "lease_sec": 180})
            ]
        );
    }
    // Off: no more.
    w.temperature("20").await;
    w.pass(1_000).await;
    w.temperature("20").await;
    w.ack("f1-2").await;
    fan_says(&w, false).await;
    w.take_sent();
    w.pass(61_000).await;
    assert_eq!(w.take_sent(), Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn an_offline_device_gets_nothing_until_it_is_back() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    w.ack("f1-1").await;
    w.publish(MAC, "state", r#"{"online":false}"#).await;
    w.take_sent();
    w.pass(61_000).await;
    assert_eq!(
        w.take_sent(),
        Vec::<serde_json::Value>::new(),
        "no lease for what cannot be reached"
    );
    w.publish(
        MAC,
        "state",
        r#"{"devices":[{"id":"fan-1","type":"fan","on":false}]}"#,
    )
    .await;
    let sent = w.take_sent();
    assert_eq!(
        (sent.len(), &sent[0]["command_id"], &sent[0]["action"]["on"]),
        (1, &json!("f1-2"), &json!(true))
    );
    assert_eq!(w.state_of("f1-1").await, "superseded");
}

#[tokio::test]
async fn people_pulses_releases_and_refusals() {
    let w = World::new().await;
    w.birth().await;
    let owner = json!({"user_id": "u1", "name": "Asha", "reason": "hot"});
    w.admit(manual(json!({"device": "fan-1", "cmd_type": "override", "action": "set_speed", "value": 40, "duration_sec": 60, "owner": owner})))
        .await;
    w.admit(manual(
        json!({"device": "fan-1", "cmd_type": "pulse", "value": 5, "owner": owner}),
    ))
    .await;
    let sent = w.take_sent();
    let person = json!({"user_id": "u1", "name": "Asha"});
    assert_eq!(
        (&sent[0]["owner"], &sent[0]["reason"]),
        (&person, &json!("hot"))
    );
    assert_eq!(
        (&sent[0]["duration_sec"], &sent[0]["action"]["value"]),
        (&json!(60), &json!(40))
    );
    assert_eq!(
        (&sent[1]["cmd_type"], &sent[1]["action"]["duration_sec"]),
        (&json!("pulse"), &json!(5))
    );
    assert!(sent[1].get("lease_sec").is_none(), "a pulse times itself");
    assert_eq!(
        (w.state_of("f1-1").await, w.state_of("f1-2").await),
        ("superseded", "sent")
    );
    // Late, foreign and unknown acks are harmless.
    w.ack("f1-1").await;
    w.ack("f1-99").await;
    w.ack("other-1").await;
    w.publish(OTHER_MAC, "ack", r#"{"command_id":"f1-2","status":"ack"}"#)
        .await;
    assert_eq!(
        (w.state_of("f1-1").await, w.state_of("f1-2").await),
        ("superseded", "sent")
    );
    w.publish(
        MAC,
        "ack",
        r#"{"command_id":"f1-2","status":"failure","message":"no water"}"#,
    )
    .await;
    let life = w.hub.command(&FARM.into(), "f1-2").await.unwrap().unwrap();
    assert_eq!(
        (life.state, life.message.as_deref()),
        (CommandState::Failed, Some("no water"))
    );
    w.pass(3_000).await;
    assert_eq!(w.take_sent().len(), 0, "a refused command is not resent");
    w.admit(manual(
        json!({"device": "fan-1", "cmd_type": "release", "owner": owner}),
    ))
    .await;
    let sent = w.take_sent();
    assert_eq!(
        (
            &sent[0]["cmd_type"],
            &sent[0]["action"]["mode"],
            &sent[0]["duration_sec"]
        ),
        (&json!("release"), &json!("auto"), &json!(0))
    );
    assert_eq!(sent[1]["action"]["on"], json!(false), "back to rest");
}
