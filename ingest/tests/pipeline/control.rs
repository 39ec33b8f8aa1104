//! Control of other people's devices: nothing goes on without a proven lease, and what goes out is answered by what they say.

use std::collections::HashMap;

use bytes::Bytes;
use harit_engine::InputKind;
use harit_ingest::lease::Proofs;
use harit_ingest::mqtt::Publish;
use harit_profiles::{Profile, ProfileDocument};
use serde_json::{Value, json};

use crate::world::{FARM, MAC, World, mac, manual};

const RELAY: &str = "tasmota:bed-1/POWER2";

async fn say(w: &World, topic: &str, payload: &str) {
    let mut batch = World::batch(MAC, "telemetry", &[]);
    batch.publishes.push(Publish {
        topic: topic.into(),
        payload: Bytes::copy_from_slice(payload.as_bytes()),
        retain: false,
        oversized: None,
    });
    assert_eq!(w.receive(batch).await.await.unwrap().rejected, 0);
}

/// A Tasmota of two relays that are off.
async fn tasmota(w: &World) {
    say(w, "tele/bed-1/LWT", "Online").await;
    say(w, "stat/bed-1/RESULT", r#"{"POWER2":"OFF"}"#).await;
    say(w, "tele/bed-1/STATE", r#"{"POWER1":"OFF","POWER2":"OFF"}"#).await;
}

/// The relay is known to go off by itself as it is commanded now.
async fn prove(w: &World) {
    let profiles = w.hub.profiles(&FARM.into());
    let identity = profiles.controlled(RELAY).unwrap().identity();
    let proofs: Proofs = HashMap::from([((mac(MAC), RELAY.to_owned()), identity)]);
    w.hub.put_proofs(&FARM.into(), proofs);
    w.pass(10).await;
}

/// What went out since the last time, by topic.
fn sent(w: &World) -> Vec<String> {
    let all = std::mem::take(&mut *w.sent.lock().unwrap());
    let text = |body: Value| {
        body.as_str()
            .map_or_else(|| body.to_string(), str::to_owned)
    };
    all.into_iter()
        .map(|(topic, body)| format!("{topic} {}", text(body)))
        .collect()
}

async fn switch(w: &World, action: &str) {
    let wish =
        json!({"device": RELAY, "cmd_type": "override", "action": action, "duration_sec": 3000});
    w.admit(manual(wish)).await;
    w.pass(10).await;
}

async fn latest(w: &World) -> (String, &'static str, Option<String>) {
    let all = w.hub.latest_commands(&FARM.into()).await.unwrap();
    let life = all.into_iter().find(|l| l.device.as_str() == RELAY);
    let life = life.expect("a command");
    (life.action, life.state.as_str(), life.message)
}

#[tokio::test]
async fn what_is_not_proven_is_read_and_switched_off_but_never_on() {
    let w = World::new().await;
    tasmota(&w).await;
    let spec = w.read(|e| e.device(RELAY).unwrap()).await;
    assert_eq!(spec.spec.name, "bed-1 POWER2");
    assert!(spec.online);
    assert_eq!(w.lock(RELAY).await.as_deref(), Some("lease_unproven"));
    w.temperature("20").await;
    let rule = json!({
        "id": "cool", "name": "Cool", "mode": "auto", "deployed": true, "scope": {"type": "farm"},
        "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 30, "duration_sec": 2},
        "stop_condition": {"sensor_type": "temperature", "operator": "lt", "value": 25, "duration_sec": 1},
        "actions": [{"device_id": RELAY, "command": {"action": "on"}}]
    });
    w.admit(InputKind::RulePut(Box::new(
        serde_json::from_value(rule).unwrap(),
    )))
    .await;
    w.heat().await;
    w.heat().await;
    switch(&w, "on").await;
    let pulse = json!({"device": RELAY, "cmd_type": "pulse", "duration_sec": 5});
    w.admit(manual(pulse)).await;
    w.pass(10).await;
    assert_eq!(sent(&w), [] as [&str; 0], "neither a rule nor a person");
    switch(&w, "off").await;
    assert_eq!(sent(&w), ["cmnd/bed-1/POWER2 OFF"]);
}

#[tokio::test]
async fn a_safe_setting_that_is_on_needs_a_lease_too() {
    let w = World::new().await;
    tasmota(&w).await;
    prove(&w).await;
    switch(&w, "off").await;
    let mut spec = w.read(|e| e.device(RELAY).unwrap()).await.spec;
    spec.safe = harit_engine::Setting::On { value: None };
    let put = harit_engine::RegistryChange::PutDevice(Box::new(spec));
    w.admit(InputKind::Registry(vec![put])).await;
    sent(&w);
    // The proof is gone: the lock sends the safe setting, and the setting stays here.
    w.hub.put_proofs(&FARM.into(), Proofs::new());
    w.pass(10).await;
    assert_eq!(w.lock(RELAY).await.as_deref(), Some("lease_unproven"));
    w.pass(10).await;
    let failed = ("on".to_owned(), "failed", Some("lease_unproven".to_owned()));
    assert_eq!(latest(&w).await, failed);
    w.pass(61_000).await;
    assert_eq!(sent(&w), [] as [&str; 0]);
}

#[tokio::test]
async fn a_proven_device_is_commanded_renewed_and_answered_by_its_state() {
    let w = World::new().await;
    tasmota(&w).await;
    prove(&w).await;
    assert_eq!(w.lock(RELAY).await, None);
    sent(&w);
    switch(&w, "on").await;
    let on = ["cmnd/bed-1/PulseTime2 280", "cmnd/bed-1/POWER2 ON"];
    assert_eq!(sent(&w), on);
    assert_eq!(latest(&w).await.1, "sent");
    // What another relay does is no answer.
    say(&w, "stat/bed-1/RESULT", r#"{"POWER1":"ON"}"#).await;
    assert_eq!(latest(&w).await.1, "sent");
    w.pass(1_000).await;
    assert_eq!(sent(&w), on, "sent again");
    say(&w, "stat/bed-1/RESULT", r#"{"POWER2":"ON"}"#).await;
    assert_eq!(latest(&w).await.1, "confirmed");
    w.pass(59_500).await;
    assert_eq!(sent(&w), ["cmnd/bed-1/POWER2 ON"], "the same again renews");
    let both = w.hub.controllers(&FARM.into()).await.unwrap();
    let gone = |d: &harit_ingest::DevicePresence| d.gone;
    assert!(!both.iter().flat_map(|c| &c.devices).any(gone));
    switch(&w, "off").await;
    assert_eq!(sent(&w), ["cmnd/bed-1/POWER2 OFF"]);
    say(&w, "stat/bed-1/POWER2", "OFF").await;
    assert_eq!(latest(&w).await.1, "confirmed");
    let release = json!({"device": RELAY, "cmd_type": "release"});
    w.admit(manual(release)).await;
    w.pass(10).await;
    assert_eq!(sent(&w).iter().filter(|s| !s.ends_with("OFF")).count(), 0);
}

#[tokio::test]
async fn a_device_that_says_its_lease_is_gone_is_locked_until_it_has_it_again() {
    let w = World::new().await;
    tasmota(&w).await;
    prove(&w).await;
    say(
        &w,
        "stat/bed-1/RESULT",
        r#"{"PulseTime2":{"Set":0,"Remaining":0}}"#,
    )
    .await;
    say(&w, "tele/bed-1/STATE", r#"{"POWER1":"OFF","POWER2":"OFF"}"#).await;
    assert_eq!(w.lock(RELAY).await.as_deref(), Some("lease_unproven"));
    assert!(sent(&w).contains(&"cmnd/bed-1/PulseTime2 280".to_owned()));
    say(
        &w,
        "stat/bed-1/RESULT",
        r#"{"PulseTime2":{"Set":280,"Remaining":0}}"#,
    )
    .await;
    say(&w, "tele/bed-1/STATE", r#"{"POWER1":"OFF","POWER2":"OFF"}"#).await;
    assert_eq!(w.lock(RELAY).await, None);
}

#[tokio::test]
async fn other_templates_and_a_restart_need_the_proof_anew() {
    let w = World::new().await;
    tasmota(&w).await;
    prove(&w).await;
    assert_eq!(w.lock(RELAY).await, None);
    let own = "id = \"tasmota\"\nname = \"Mine\"\n[[messages]]\ntopics = [\"tele/{dev}/STATE\"]\nreadings = []\ndevices = [{ at = \"/POWER*\", on = [\"ON\"], off = [\"OFF\"] }]\n[[devices]]\nid = \"{dev}/POWER{n}\"\ntype = \"pump\"\non = { topic = \"cmnd/{dev}/POWER{n}\", payload = \"1\" }\noff = { topic = \"cmnd/{dev}/POWER{n}\", payload = \"0\" }\nlease = { kind = \"configured\" }\n";
    let own = Profile::new(&ProfileDocument::from_toml(own).unwrap()).unwrap();
    w.hub.put_profiles(&FARM.into(), vec![own]);
    w.pass(10).await;
    assert_eq!(w.lock(RELAY).await.as_deref(), Some("lease_unproven"));
    w.hub.put_profiles(&FARM.into(), Vec::new());
    w.pass(10).await;
    assert_eq!(w.lock(RELAY).await, None);
    // A process that has not been told of proofs trusts nothing, whatever the farm's log says.
    let again = w.after_crash(|_| {}).await.unwrap();
    tasmota(&again).await;
    assert_eq!(again.lock(RELAY).await.as_deref(), Some("lease_unproven"));
    prove(&again).await;
    assert_eq!(again.lock(RELAY).await, None);
}

#[tokio::test]
async fn a_lease_is_tried_beside_the_engine() {
    let w = World::new().await;
    tasmota(&w).await;
    let farm = FARM.into();
    let device = (mac(MAC), RELAY.to_owned());
    let target = w.hub.device_target(&farm, &RELAY.into()).await.unwrap();
    assert_eq!(target, Some(device.clone()));
    w.hub
        .try_lease(&farm, device.clone(), Some(10))
        .await
        .unwrap();
    assert_eq!(
        sent(&w),
        ["cmnd/bed-1/PulseTime2 110", "cmnd/bed-1/POWER2 ON"]
    );
    say(
        &w,
        "stat/bed-1/RESULT",
        r#"{"PulseTime2":{"Set":110,"Remaining":110}}"#,
    )
    .await;
    say(&w, "stat/bed-1/RESULT", r#"{"POWER2":"ON"}"#).await;
    w.pass(65_000).await;
    assert_eq!(
        sent(&w),
        [] as [&str; 0],
        "nobody renews it, and nobody switches it off"
    );
    assert!(w.hub.end_trial(&farm, &device), "it said that it is set");
    w.hub.try_lease(&farm, device.clone(), None).await.unwrap();
    assert_eq!(sent(&w), ["cmnd/bed-1/POWER2 OFF"]);
    let unknown = (mac(MAC), "fan-1".to_owned());
    assert!(w.hub.try_lease(&farm, unknown, Some(10)).await.is_err());
}
