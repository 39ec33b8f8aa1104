//! An incident as files: what a journal's export says when it is replayed is what happened.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;

use harit_engine::{Engine, Event, Input, Problems};
use harit_farm::{CommandLife, Controllers, Effect, Farm, FarmFile, Observer};
use harit_ingest::history::EventFilter;
use harit_ingest::mqtt::Principal;
use harit_ingest::{CommandFilter, CommandState};
use harit_protocol::jsonl::Line;
use serde_json::{Value, json};

use crate::world::{FARM, MAC, World, mac, manual};

/// What a replay says.
#[derive(Default)]
struct Said {
    events: Vec<Value>,
    /// Each command as it is at the end.
    lives: BTreeMap<String, CommandLife>,
}

impl Observer for Said {
    fn applied(
        &mut self,
        _: &Engine,
        _: &Controllers,
        _: Option<(&Input, &Result<(), Problems>)>,
        events: &[Event],
    ) {
        let events = events.iter().map(|e| serde_json::to_value(e).unwrap());
        self.events.extend(events);
    }

    fn effect(&mut self, effect: Effect<'_>) {
        if let Effect::Command(life) = effect {
            self.lives.insert(life.command_id.clone(), life.clone());
        }
    }
}

/// A farm that was folded over an export.
pub(crate) struct Replayed {
    farm: Farm,
    pub(crate) has_past: bool,
    /// The kinds of the lines.
    pub(crate) inputs: Vec<String>,
    said: Said,
}

/// Exports the farm from a data directory, as text, and replays that.
pub(crate) fn replayed(data_dir: &Path) -> Replayed {
    let mut text = Vec::new();
    let exported = harit_ingest::export::export(data_dir, FARM, &mut text).unwrap();
    let file = serde_json::to_string(&exported.farm).unwrap();
    let mut farm = FarmFile::read(&serde_json::from_str(&file).unwrap()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut said = Said::default();
    let mut inputs = Vec::new();
    for line in text.lines() {
        let read = Line::parse(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        let json: Value = serde_json::from_str(line).unwrap();
        inputs.push(json["input"].as_str().unwrap().to_owned());
        let applied = farm.apply_line(read, &mut said);
        assert_eq!(applied, Ok(()), "{line}");
    }
    assert_eq!(u64::try_from(inputs.len()).unwrap(), exported.inputs);
    Replayed {
        farm,
        has_past: exported.farm.has_past(),
        inputs,
        said,
    }
}

impl Replayed {
    /// The replayed farm is as the running one is now.
    pub(crate) async fn is_as_in(&self, w: &World) {
        let engine = w.read(Engine::snapshot).await;
        assert!(self.farm.engine().snapshot() == engine, "engines differ");
        let mut live = w.hub.controllers(&FARM.into()).await.unwrap();
        let mut replayed = self.farm.controllers().status(&FARM.into());
        for controller in live.iter_mut().chain(&mut replayed) {
            // No part of the state: a start begins without it.
            controller.last_seen = None;
        }
        assert_eq!(replayed, live);
    }

    /// It said what the running farm has in its history, and the commands of both came to the same.
    async fn says_what_is_in_the_history_of(&self, w: &World) {
        w.hub.flush_history().await;
        let stored = w.hub.history();
        let events = stored.events(&FARM.into(), EventFilter::default()).await;
        let events = events.unwrap().into_iter().rev().map(|e| e.body);
        assert_eq!(self.said.events, events.collect::<Vec<_>>());
        let lives = w.hub.commands(&FARM.into(), CommandFilter::default()).await;
        let lives = lives.unwrap().items.into_iter();
        let lives: BTreeMap<_, _> = lives.map(|l| (l.command_id.clone(), l)).collect();
        assert_eq!(self.said.lives, lives);
    }

    /// The causes of its commands, in their order.
    fn causes(&self) -> Vec<&str> {
        let commands = self.said.events.iter().filter(|e| e["event"] == "command");
        commands.map(|c| c["cause"].as_str().unwrap()).collect()
    }
}

async fn fan_says(w: &World, on: bool) {
    let payload = format!(r#"{{"devices":[{{"id":"fan-1","type":"fan","on":{on}}}]}}"#);
    w.publish(MAC, "state", &payload).await;
}

async fn switch(w: &World, action: &str) {
    w.admit(manual(
        json!({"device": "fan-1", "cmd_type": "override", "action": action, "duration_sec": 600}),
    ))
    .await;
}

/// The fan's command that counts.
async fn latest(w: &World) -> CommandLife {
    let mut all = w.hub.latest_commands(&FARM.into()).await.unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[tokio::test]
async fn the_exported_journal_replays_to_the_same_events() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    w.temperature("100.00000001").await;
    w.pass(1_000).await;
    w.temperature("20").await;
    w.pass(1_500).await;
    w.temperature("20").await;
    w.pass(2_000).await;
    // Beside the running server.
    let replayed = replayed(w.dir.path());
    assert!(!replayed.has_past);
    assert!(
        replayed.said.events.len() >= 4,
        "{:?}",
        replayed.said.events
    );
    replayed.says_what_is_in_the_history_of(&w).await;
    replayed.is_as_in(&w).await;
    assert!(harit_ingest::export::export(w.dir.path(), "f2", &mut Vec::new()).is_err());
}

/// Commands that are lost, refused, not sent and not obeyed; a controller that goes; crashes; a person in between.
#[tokio::test]
async fn an_incident_replays_with_each_command_and_its_cause() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    // Sent again after a second, then answered; it runs, and stops by itself: it is told again at once.
    w.pass(1_000).await;
    w.ack("f1-1").await;
    fan_says(&w, true).await;
    w.pass(30_000).await;
    fan_says(&w, false).await;
    w.ack("f1-2").await;
    assert_eq!(w.state_of("f1-2").await, "acked");
    // The same message twice, and one of a sensor that nobody has registered.
    let twice = format!(
        r#"{{"ts":{},"seq":7,"sensors":[{{"id":"t9","type":"humidity","latestValue":50}},{{"id":"t1","type":"humidity","latestValue":1}}]}}"#,
        w.now()
    );
    for _ in 0..2 {
        w.publish(MAC, "telemetry", &twice).await;
    }
    // The server dies with the command acked; what it comes back with holds again, and cannot be sent.
    let w = w.after_crash(|_| {}).await.unwrap();
    w.reachable.store(false, Ordering::SeqCst);
    switch(&w, "off").await;
    let off = latest(&w).await;
    assert_eq!(off.state, CommandState::Queued);
    w.reachable.store(true, Ordering::SeqCst);
    fan_says(&w, true).await;
    assert_eq!(w.state_of(&off.command_id).await, "sent");
    // The controller refuses the next, and is cut off.
    switch(&w, "on").await;
    let on = latest(&w).await.command_id;
    let refusal = json!({"command_id": on, "status": "failure", "message": "relay \"stuck\""});
    w.publish(MAC, "ack", &refusal.to_string()).await;
    assert_eq!(w.state_of(&on).await, "failed");
    let from = Principal::Controller {
        farm: FARM.into(),
        mac: mac(MAC),
    };
    w.hub.uplink().connected(&from);
    w.hub.uplink().disconnected(&from);
    w.pass(20_000).await;
    assert!(!w.read(|e| e.device("fan-1").unwrap().online).await);

    let replayed = replayed(w.dir.path());
    replayed.says_what_is_in_the_history_of(&w).await;
    replayed.is_as_in(&w).await;
    let causes = replayed.causes();
    assert_eq!(causes[..2], ["cool", "corrected"], "{causes:?}");
    assert_eq!(causes.len(), replayed.said.lives.len());
    for kind in [
        "controller",
        "telemetry",
        "report",
        "gone",
        "ack",
        "unsent",
        "tick",
        "resumed",
        "manual",
        "rule",
    ] {
        assert!(replayed.inputs.iter().any(|i| i == kind), "no {kind}");
    }
    // What followed from them is not among them.
    for kind in ["device", "registry", "correct", "reading"] {
        assert!(replayed.inputs.iter().all(|i| i != kind), "{kind}");
    }
}
