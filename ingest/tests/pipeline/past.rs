//! A farm at an instant past, from its journal; why a rule did not act; other rules on the same log.

use std::time::Duration;

use harit_engine::explain::{DeviceExplanation, RuleExplanation, Tried};
use harit_engine::{Engine, FarmId, RuleSpec, Timestamp};
use harit_ingest::Hub;
use harit_ingest::past::{Backtest, Edit, PastError, Stop, WhyNot, backtest, why_not};
use serde_json::json;

use crate::world::{FARM, START, World, fan_says, switch, tell_lock};

fn stop() -> Stop {
    Stop::within(Duration::from_secs(20))
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

/// All that is explained of a farm.
type Explained = (Vec<DeviceExplanation>, Vec<RuleExplanation>);

fn explained(engine: &Engine) -> Explained {
    let devices = engine
        .devices()
        .filter_map(|d| engine.explain_device(d.spec.id.as_str()));
    let rules = engine
        .rules()
        .filter_map(|r| engine.explain_rule(r.spec.id.as_str()));
    (devices.collect(), rules.collect())
}

async fn asked(hub: &Hub, from: i64, to: i64) -> Result<WhyNot, PastError> {
    let ask = move |log: &mut dyn harit_ingest::past::Log, stop: &Stop| {
        why_not(log, &"cool".into(), (at(from), at(to)), stop)
    };
    hub.ask_past(&FARM.into(), at(from), stop(), ask).await
}

async fn tried(hub: &Hub, edits: Vec<Edit>, from: i64, to: i64) -> Result<Backtest, PastError> {
    let ask = move |log: &mut dyn harit_ingest::past::Log, stop: &Stop| {
        backtest(log, &edits, (at(from), at(to)), stop)
    };
    hub.ask_past(&FARM.into(), at(from), stop(), ask).await
}

/// What happens on a day: it gets hot, a person and a lock come in between, the server dies, it cools.
async fn day(mut w: World, seen: &mut Vec<(i64, Explained)>) -> World {
    w.birth().await;
    w.cooling_rule().await;
    for step in 0..9 {
        // What was seen is of an instant before.
        w.pass(1).await;
        match step {
            0 | 4 => w.temperature("35").await,
            1 | 5 | 8 => w.temperature("36.25").await,
            2 => fan_says(&w, true).await,
            3 => switch(&w, "off").await,
            6 => {
                // What the next process begins with is of a later instant.
                w.pass(500).await;
                w.hub.snapshot().await;
                w = w.after_crash(|_| {}).await.unwrap();
            }
            _ => {
                let reason = "belt".into();
                let kind = harit_engine::LockKind::Person;
                tell_lock(&w, harit_engine::Lock::Engage { kind, reason }).await;
            }
        }
        w.pass(1_000).await;
        w.hub.settled(&FARM.into()).await.unwrap();
        let now = w.now();
        let then = move |engine: &Engine| {
            let mut engine = engine.clone();
            let tick = harit_engine::Input {
                at: at(now),
                kind: harit_engine::InputKind::Tick,
            };
            engine.apply(&tick, &mut Vec::new()).unwrap();
            explained(&engine)
        };
        seen.push((now, w.read(then).await));
    }
    w
}

#[tokio::test]
async fn an_instant_past_is_explained_as_it_was() {
    let mut seen = Vec::new();
    let w = day(World::new().await, &mut seen).await;
    let decided: Vec<String> = { seen.iter() }
        .map(|(_, (devices, _))| format!("{:?}", devices[0].steps[0].what))
        .collect();
    assert!(
        decided.iter().any(|d| d.starts_with("Claim")),
        "{decided:?}"
    );
    assert!(
        decided.iter().any(|d| d.starts_with("Manual")),
        "{decided:?}"
    );
    assert!(decided.iter().any(|d| d.starts_with("Lock")), "{decided:?}");
    // Twice: what the first question kept must not be what the second begins with, if it is later.
    for (instant, was) in seen.iter().rev().chain(&seen) {
        let now = w
            .hub
            .read_at(&FARM.into(), at(*instant), stop(), explained)
            .await
            .unwrap();
        assert_eq!(now, *was, "at {}", instant - START);
    }
    let early = w
        .hub
        .read_at(&FARM.into(), at(START - 1), stop(), explained)
        .await;
    assert!(
        matches!(early, Err(PastError::TooEarly { begins: Some(_) })),
        "{early:?}"
    );
    let cancelled = stop();
    cancelled.cancel();
    let cancelled = w
        .hub
        .read_at(&FARM.into(), at(w.now()), cancelled, explained)
        .await;
    assert!(
        matches!(cancelled, Err(PastError::Cancelled)),
        "{cancelled:?}"
    );
    let other = w
        .hub
        .read_at(&FarmId::from("f9"), at(w.now()), stop(), explained)
        .await;
    assert!(
        matches!(other, Err(PastError::TooEarly { .. })),
        "{other:?}"
    );
}

#[tokio::test]
async fn what_kept_a_rule_from_acting_is_told() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    let from = w.now();
    w.temperature("28").await;
    w.pass(1_000).await;
    // Hot for a second and a half of two.
    w.temperature("31").await;
    w.pass(1_500).await;
    w.temperature("29.5").await;
    w.pass(4_000).await;
    w.temperature("29.25").await;
    w.pass(1_000).await;
    let found = asked(&w.hub, from, w.now()).await.unwrap();
    let tracer = &found.tracer;
    assert_eq!((tracer.tried.len(), tracer.edits), (0, 0));
    let nearest = tracer.nearest.unwrap();
    assert_eq!(
        (nearest.held.as_millis(), nearest.length.as_millis()),
        (1_500, 2_000)
    );
    assert_eq!((nearest.samples, nearest.samples_needed), (1, 2));
    let trigger = &tracer.leaves()[0];
    let lasted = trigger.lasted.map(harit_engine::Duration::as_millis);
    assert_eq!(lasted[0], 1_500, "{lasted:?}");
    assert_eq!(lasted.iter().sum::<i64>(), w.now() - from);
    // 29.5 and more held for two seconds.
    assert_eq!(trigger.sustained.unwrap().to_string(), "29.5");
    // With that it acts, and with a hundredth more it does not.
    for (value, fired) in [("29.49", 1), ("29.51", 0)] {
        let edit = vec![Edit::Put(Box::new(rule(value)))];
        let tried = tried(&w.hub, edit, from, w.now()).await.unwrap();
        assert_eq!(tried.would.rules[0].fired, fired, "{value}");
        assert_eq!(tried.was.rules[0].fired, 0);
    }
    assert!(matches!(
        asked(&w.hub, START - 9_000, START - 1).await,
        Err(PastError::TooEarly { .. })
    ));
}

fn rule(above: &str) -> RuleSpec {
    let above: f64 = above.parse().unwrap();
    serde_json::from_value(json!({
        "id": "cool", "name": "Cool the house", "mode": "auto", "deployed": true, "scope": {"type": "farm"},
        "trigger": {"sensor_type": "temperature", "operator": "gt", "value": above, "duration_sec": 2},
        "stop_condition": {"sensor_type": "temperature", "operator": "lt", "value": 25, "duration_sec": 1},
        "actions": [{"device_id": "fan-1", "command": {"action": "on"}}]
    }))
    .unwrap()
}

#[tokio::test]
async fn the_rules_that_there_were_do_what_they_did() {
    let mut seen = Vec::new();
    let w = day(World::new().await, &mut seen).await;
    let (from, to) = (START + 500, w.now());
    for edits in [Vec::new(), vec![Edit::Put(Box::new(rule("30")))]] {
        let same = tried(&w.hub, edits, from, to).await.unwrap();
        assert_eq!(same.was, same.would);
        assert_eq!((same.left_out, same.feedback.len()), (0, 0));
        assert_eq!(same.was.rules[0].fired, 1);
        let fan = &same.was.devices[0];
        assert!(fan.starts >= 1 && fan.on.as_millis() > 0, "{fan:?}");
    }
    let none = tried(&w.hub, vec![Edit::Delete("cool".into())], from, to)
        .await
        .unwrap();
    assert_eq!(none.would.devices[0].on.as_millis(), 0, "{none:?}");
    assert!(none.was.devices[0].on.as_millis() > 0);
    let later = tried(&w.hub, vec![Edit::Put(Box::new(rule("36")))], from, to)
        .await
        .unwrap();
    assert!(
        later.would.devices[0].on < later.was.devices[0].on,
        "{later:?}"
    );
    assert!(
        !later.feedback.is_empty(),
        "the fan cools what the rule sees"
    );
    let mut senseless = rule("30");
    senseless.actions[0].device_id = "fan-9".into();
    let refused = tried(&w.hub, vec![Edit::Put(Box::new(senseless))], from, to).await;
    assert!(matches!(refused, Err(PastError::Rules(_))), "{refused:?}");
    // Nothing of it reached the farm.
    assert_eq!(w.read(|e| e.rules().count()).await, 1);
    let told = asked(&w.hub, from, to).await.unwrap();
    assert_eq!(told.tracer.tried[0].1, Tried::Fired);
    assert!(
        told.tracer
            .kept
            .keys()
            .any(|(device, _)| device.as_str() == "fan-1")
    );
}
