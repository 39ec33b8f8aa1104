//! Giving a device back to the rules: when a release is done, and when it has failed.

use harit_ingest::CommandState;
use harit_ingest::log::{LogFilter, LogKind, LogResult};
use serde_json::json;

use crate::world::{FARM, MAC, World, fan_says, manual};

async fn held_on_by_hand() -> (World, serde_json::Value) {
    let w = World::new().await;
    w.birth().await;
    let owner = json!({"user_id": "u1", "name": "Asha"});
    w.admit(manual(
        json!({"device": "fan-1", "cmd_type": "override", "action": "on", "duration_sec": 600, "owner": owner}),
    ))
    .await;
    w.ack("f1-1").await;
    fan_says(&w, true).await;
    assert_eq!(w.state_of("f1-1").await, "confirmed");
    let release = json!({"device": "fan-1", "cmd_type": "release", "owner": owner});
    w.admit(manual(release.clone())).await;
    (w, release)
}

#[tokio::test]
async fn a_release_is_done_when_the_device_does_what_then_holds() {
    let (w, _) = held_on_by_hand().await;
    assert_eq!(
        (w.state_of("f1-2").await, w.state_of("f1-3").await),
        ("sent", "sent"),
        "the command that follows does not replace the release"
    );
    w.ack("f1-2").await;
    w.ack("f1-3").await;
    assert_eq!(w.state_of("f1-2").await, "acked");
    fan_says(&w, false).await;
    assert_eq!(
        (w.state_of("f1-2").await, w.state_of("f1-3").await),
        ("confirmed", "confirmed")
    );
    let page = w
        .hub
        .log(
            &FARM.into(),
            LogFilter {
                take: 1,
                ..LogFilter::default()
            },
        )
        .await
        .unwrap();
    assert_eq!(
        (page.entries[0].body.kind, page.entries[0].result),
        (LogKind::Release, LogResult::Success)
    );
    let states: Vec<_> = page.entries[0].states.iter().map(|s| s.state).collect();
    assert_eq!(states, [CommandState::Confirmed, CommandState::Confirmed]);
}

#[tokio::test]
async fn a_release_whose_ack_is_lost_is_done_all_the_same() {
    let (w, _) = held_on_by_hand().await;
    w.ack("f1-3").await;
    fan_says(&w, false).await;
    assert_eq!(
        (w.state_of("f1-2").await, w.state_of("f1-3").await),
        ("confirmed", "confirmed")
    );
    w.ack("f1-2").await;
    assert_eq!(w.state_of("f1-2").await, "confirmed", "only forward");
}

#[tokio::test]
async fn a_release_that_nobody_answers_is_given_up_and_not_resent_after_what_followed() {
    let (w, _) = held_on_by_hand().await;
    w.take_sent();
    w.pass(1_500).await;
    w.pass(15_000).await;
    assert_eq!(
        (w.state_of("f1-2").await, w.state_of("f1-3").await),
        ("timed_out", "timed_out")
    );
    let again = w.take_sent();
    assert!(
        !again.is_empty() && again.iter().all(|body| body["command_id"] == "f1-3"),
        "{again:?}"
    );
}

#[tokio::test]
async fn a_release_that_the_controller_refuses_has_failed() {
    let (w, _) = held_on_by_hand().await;
    let refusal = r#"{"command_id":"f1-2","status":"failure","message":"jammed"}"#;
    w.publish(MAC, "ack", refusal).await;
    w.ack("f1-3").await;
    fan_says(&w, false).await;
    assert_eq!(
        (w.state_of("f1-2").await, w.state_of("f1-3").await),
        ("failed", "confirmed")
    );
}

#[tokio::test]
async fn only_a_person_replaces_a_release() {
    let (w, release) = held_on_by_hand().await;
    w.cooling_rule().await;
    w.heat().await;
    assert_eq!(
        (
            w.state_of("f1-2").await,
            w.state_of("f1-3").await,
            w.state_of("f1-4").await
        ),
        ("sent", "superseded", "sent"),
        "what a rule wants now is what then holds"
    );
    w.admit(manual(release)).await;
    assert_eq!(
        (w.state_of("f1-2").await, w.state_of("f1-5").await),
        ("superseded", "sent")
    );
}
