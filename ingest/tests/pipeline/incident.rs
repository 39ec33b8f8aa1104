//! An incident as files: what a journal's export says when it is replayed is what happened.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;

use harit_engine::Engine;
use harit_ingest::history::EventFilter;
use harit_ingest::mqtt::Principal;
use harit_ingest::{CommandFilter, CommandLife, CommandState};
use harit_journal::JournalFiles;
use serde_json::json;

use crate::world::{FARM, MAC, World, fan_says, mac, switch};

/// A farm that was folded over an export.
pub(crate) struct Replayed {
    pub(crate) folded: harit_testkit::Replayed,
    pub(crate) has_past: bool,
}

/// Exports the farm from a data directory, as text, and replays that.
pub(crate) fn replayed(data_dir: &Path) -> Replayed {
    let mut text = Vec::new();
    let exported =
        harit_ingest::export::export(&JournalFiles::of(data_dir), FARM, &mut text).unwrap();
    let file = serde_json::to_string(&exported.farm).unwrap();
    let folded = harit_testkit::Replayed::new(&file, std::str::from_utf8(&text).unwrap());
    assert_eq!(u64::try_from(folded.inputs.len()).unwrap(), exported.inputs);
    Replayed {
        folded,
        has_past: exported.farm.has_past(),
    }
}

impl Replayed {
    /// The replayed farm is as the running one is now.
    pub(crate) async fn is_as_in(&self, w: &World) {
        let engine = w.read(Engine::snapshot).await;
        assert!(
            self.folded.farm.engine().snapshot() == engine,
            "engines differ"
        );
        let mut live = w.hub.controllers(&FARM.into()).await.unwrap();
        let mut replayed = self.folded.farm.controllers().status(&FARM.into());
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
        assert_eq!(self.folded.recorded.events, events.collect::<Vec<_>>());
        let lives = w.hub.commands(&FARM.into(), CommandFilter::default()).await;
        let lives = lives.unwrap().items.into_iter();
        let lives: BTreeMap<_, _> = lives.map(|l| (l.command_id.clone(), l)).collect();
        assert_eq!(self.folded.recorded.lives, lives);
    }

    /// The causes of its commands, in their order.
    fn causes(&self) -> Vec<&str> {
        let commands = self
            .folded
            .recorded
            .events
            .iter()
            .filter(|e| e["event"] == "command");
        commands.map(|c| c["cause"].as_str().unwrap()).collect()
    }
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
        replayed.folded.recorded.events.len() >= 4,
        "{:?}",
        replayed.folded.recorded.events
    );
    replayed.says_what_is_in_the_history_of(&w).await;
    replayed.is_as_in(&w).await;
    assert!(
        harit_ingest::export::export(&JournalFiles::of(w.dir.path()), "f2", &mut Vec::new())
            .is_err()
    );
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
    assert_eq!(causes.len(), replayed.folded.recorded.lives.len());
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
        assert!(
            replayed.folded.inputs.iter().any(|i| i == kind),
            "no {kind}"
        );
    }
    // What followed from them is not among them.
    for kind in ["device", "registry", "correct", "reading"] {
        assert!(replayed.folded.inputs.iter().all(|i| i != kind), "{kind}");
    }
}
