//! Devices that sleep: what is sent waits for them, once, and what they measure counts as long as they need to say it again.

use std::collections::HashMap;

use bytes::Bytes;
use harit_engine::Duration;
use harit_ingest::lease::Proofs;
use harit_ingest::mqtt::Publish;
use harit_ingest::sleeping::WHEN_IT_WAKES;
use harit_profiles::{Profile, ProfileDocument};
use serde_json::json;

use crate::world::{FARM, MAC, World, mac, manual};

const VALVE: &str = "class-a:bed/valve";

const PROFILE: &str = r#"
id = "class-a"
name = "Class A"

[[messages]]
topics = ["up/{dev}"]
expected_every_sec = 3600
readings = [{ at = ["moisture"], type = "soil_moisture" }]
devices = [{ at = "/valve*", on = ["open"], off = ["shut"] }]

[[devices]]
id = "{dev}/valve"
type = "valve"
on = { topic = "down/{dev}/replace", payload = '{"open":{seconds}}' }
off = { topic = "down/{dev}/replace", payload = '{"shut":1}' }
lease = { kind = "per_command", seconds = 600 }
wakes_every_sec = 3600
"#;

fn profile(text: &str) -> Result<Profile, String> {
    let document = ProfileDocument::from_toml(text).unwrap();
    Profile::new(&document).map_err(|all| {
        let all: Vec<_> = all.iter().map(ToString::to_string).collect();
        all.join("\n")
    })
}

async fn say(w: &World, payload: &str) {
    let mut batch = World::batch(MAC, "telemetry", &[]);
    batch.publishes.push(Publish {
        topic: "up/bed".into(),
        payload: Bytes::copy_from_slice(payload.as_bytes()),
        retain: false,
        oversized: None,
    });
    assert_eq!(w.receive(batch).await.await.unwrap().rejected, 0);
}

fn sent(w: &World) -> Vec<String> {
    let all = std::mem::take(&mut *w.sent.lock().unwrap());
    let text = |(topic, body)| format!("{topic} {body}");
    all.into_iter().map(text).collect()
}

async fn world() -> World {
    let w = World::new().await;
    let profile = profile(PROFILE).unwrap();
    w.hub.put_profiles(&FARM.into(), vec![profile]);
    say(&w, r#"{"moisture":31,"valve":"shut"}"#).await;
    w.pass(10).await;
    w
}

async fn prove(w: &World) {
    let profiles = w.hub.profiles(&FARM.into());
    let identity = profiles.controlled(VALVE).unwrap().identity();
    let proofs: Proofs = HashMap::from([((mac(MAC), VALVE.to_owned()), identity)]);
    w.hub.put_proofs(&FARM.into(), proofs);
    w.pass(10).await;
}

async fn switch(w: &World, action: &str) {
    let wish =
        json!({"device": VALVE, "cmd_type": "override", "action": action, "duration_sec": 7200});
    w.admit(manual(wish)).await;
    w.pass(10).await;
}

async fn moisture(w: &World) -> harit_engine::SensorStatus {
    w.read(|e| e.sensor("bed/moisture").unwrap()).await
}

#[tokio::test]
async fn a_value_counts_as_long_as_its_device_needs_to_say_it_again() {
    let w = world().await;
    assert_eq!(
        moisture(&w).await.spec.stale_after,
        Duration::from_secs(9_000)
    );
    // An hour and a half later it still counts; two and a half hours later no more.
    w.pass(5_400_000).await;
    assert!(moisture(&w).await.value.is_some());
    // What comes again changes nothing more.
    say(&w, r#"{"moisture":30,"valve":"shut"}"#).await;
    assert_eq!(
        moisture(&w).await.spec.stale_after,
        Duration::from_secs(9_000)
    );
    w.pass(9_100_000).await;
    assert!(moisture(&w).await.value.is_none());
}

#[tokio::test]
async fn what_is_sent_waits_once_and_is_never_renewed() {
    let w = world().await;
    switch(&w, "on").await;
    let opened = |all: &[String]| all.iter().filter(|s| s.contains("open")).count();
    assert_eq!(opened(&sent(&w)), 0, "without a proven lease");
    prove(&w).await;
    sent(&w);
    switch(&w, "on").await;
    let all = sent(&w);
    assert_eq!(all, [r#"down/bed/replace {"open":600}"#]);
    let lives = w.hub.latest_commands(&FARM.into()).await.unwrap();
    let life = lives.iter().find(|l| l.device.as_str() == VALVE).unwrap();
    assert_eq!(life.state.as_str(), "acked");
    assert_eq!(life.message.as_deref(), Some(WHEN_IT_WAKES));
    // Neither again nor renewed while time passes until it wakes (less than the half hour that a valve may be on): corrections find it
    // waiting.
    for _ in 0..12 {
        w.pass(120_000).await;
    }
    assert_eq!(sent(&w), Vec::<String>::new());
    say(&w, r#"{"moisture":30,"valve":"open"}"#).await;
    w.pass(10).await;
    let lives = w.hub.latest_commands(&FARM.into()).await.unwrap();
    let life = lives.iter().find(|l| l.device.as_str() == VALVE).unwrap();
    assert_eq!(life.state.as_str(), "confirmed");
    // Another order goes at once, and takes the place of what waits.
    switch(&w, "off").await;
    assert_eq!(sent(&w), [r#"down/bed/replace {"shut":1}"#]);
    switch(&w, "on").await;
    assert_eq!(sent(&w), [r#"down/bed/replace {"open":600}"#]);
}

#[test]
fn what_sleeps_has_its_lease_told_with_each_order() {
    let configured = PROFILE.replace("per_command", "configured");
    let said = profile(&configured).unwrap_err();
    assert!(said.contains("hears no renewal"), "{said}");
    let hasty = PROFILE.replace("wakes_every_sec = 3600", "wakes_every_sec = 5");
    assert!(profile(&hasty).unwrap_err().contains("5: 60 to 86400"));
    let slow = PROFILE.replace("expected_every_sec = 3600", "expected_every_sec = 100000");
    assert!(profile(&slow).unwrap_err().contains("100000: 60 to 86400"));
}
