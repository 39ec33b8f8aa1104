//! One farm's flood is its own affair: how long its neighbour and its people wait meanwhile, and how long the end takes.
//!
//! A program of its own, because it takes the whole machine and other tests wait for instants.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod world;

mod flood {
    mod readers;
}

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use harit_engine::{FarmDocument, FarmId, ScopeSpec};
use harit_ingest::mqtt::{Batch, Principal, Publish};
use harit_ingest::{ControllerKind, ControllerRecord, Hub};
use harit_testkit::Times;
use serde_json::json;

use crate::world::{World, mac};

fn manual(mut line: serde_json::Value) -> harit_engine::InputKind {
    (line["at"], line["input"]) = (json!(0), json!("manual"));
    harit_protocol::jsonl::parse(&line.to_string())
        .unwrap()
        .kind
}

/// What nobody waits longer for, also where the machine has other things to do: it was seven seconds.
const LIMIT: Duration = Duration::from_secs(1);

const NOISY: &str = "noisy";
const QUIET: &str = "quiet";

/// A controller that says something again and again.
struct Unit {
    hub: Hub,
    from: Principal,
    topic: Arc<str>,
}

impl Unit {
    fn new(w: &World, farm: &str, number: usize) -> Self {
        let mac = mac(&format!("A4CF12{number:06X}"));
        let record = ControllerRecord {
            farm: farm.into(),
            mac,
            kind: ControllerKind::Polyhouse,
            scope: ScopeSpec::farm(),
            enabled: true,
        };
        w.records.0.lock().unwrap().insert(mac, record);
        Self {
            hub: w.hub.clone(),
            from: Principal::Controller {
                farm: farm.into(),
                mac,
            },
            topic: format!("harit/1/{farm}/{mac}/state").into(),
        }
    }

    fn batch(&self, payload: &str, times: usize) -> Batch {
        self.batch_to(&self.topic, payload, times)
    }

    fn telemetry(&self, payload: &str, times: usize) -> Batch {
        let topic = self.topic.replace("/state", "/telemetry").into();
        self.batch_to(&topic, payload, times)
    }

    fn batch_to(&self, topic: &Arc<str>, payload: &str, times: usize) -> Batch {
        let publish = Publish {
            topic: topic.clone(),
            payload: Bytes::copy_from_slice(payload.as_bytes()),
            retain: false,
            oversized: None,
        };
        Batch {
            from: Some(self.from.clone()),
            publishes: vec![publish; times],
        }
    }

    async fn say(&self, payload: &str) {
        let receipt = self.hub.uplink().receive(self.batch(payload, 1)).await;
        assert_eq!(receipt.await.expect("a receipt").rejected, 0);
    }
}

/// What it says of so many devices, named after the controller's number.
fn birth(number: usize, devices: usize) -> String {
    let all: Vec<_> = (0..devices)
        .map(|d| json!({"id": format!("d{number}-{d}"), "type": "fan", "on": false}))
        .collect();
    json!({"online": true, "devices": all}).to_string()
}

/// Eight values of as many sensors.
fn values(value: usize) -> String {
    let all: Vec<_> = (0..8)
        .map(|s| json!({"id": format!("s{s}"), "type": "temperature", "unit": "°C", "latestValue": value % 40 + s}))
        .collect();
    json!({ "sensors": all }).to_string()
}

/// What is said again and again.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Said {
    Births,
    BirthsWithDevices,
    Telemetry,
}

/// How many controllers say what, how many messages at once, and how often.
struct Flood {
    controllers: usize,
    said: Said,
    messages: usize,
    every: Duration,
}

/// How long the neighbour's publish to ack takes meanwhile, its `off`, and that of the farm itself.
async fn flood(flood: Flood) -> [Times; 3] {
    let w = World::empty(|_| {}).await;
    w.hub
        .add_farm(FarmDocument::empty(NOISY, NOISY))
        .await
        .unwrap();
    w.hub
        .add_farm(FarmDocument::empty(QUIET, QUIET))
        .await
        .unwrap();
    let mut flooders = Vec::new();
    for n in 0..flood.controllers.max(8) {
        let unit = Unit::new(&w, NOISY, n);
        unit.say(&birth(n, 250)).await;
        let batch = match flood.said {
            Said::BirthsWithDevices => unit.batch(&birth(n, 250), flood.messages),
            Said::Births => unit.batch(r#"{"online":true}"#, flood.messages),
            Said::Telemetry => unit.telemetry(&values(n), flood.messages),
        };
        flooders.push((unit, batch));
    }
    flooders.truncate(flood.controllers);
    let quiet = Unit::new(&w, QUIET, 99);
    quiet.say(&birth(99, 1)).await;
    let over = Arc::new(AtomicBool::new(false));
    let Flood {
        messages, every, ..
    } = flood;
    let tasks: Vec<_> = flooders
        .into_iter()
        .map(|(unit, batch)| {
            let over = over.clone();
            tokio::spawn(async move {
                let uplink = unit.hub.uplink();
                let mut waiting = VecDeque::new();
                while !over.load(Ordering::Relaxed) {
                    waiting.push_back(uplink.receive(batch.clone()).await);
                    // As many as a connection has under way.
                    if waiting.len() > 8_192 / messages {
                        waiting.pop_front().unwrap().await.unwrap();
                    }
                    tokio::time::sleep(every).await;
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let lasting = std::env::var("HARIT_FLOOD_SEC").map_or(3, |s| s.parse().unwrap());
    let end = Instant::now() + Duration::from_secs(lasting);
    let publishes = async {
        let mut times = Vec::new();
        while Instant::now() < end {
            let at = Instant::now();
            quiet.say(r#"{"online":true}"#).await;
            times.push(at.elapsed());
            tokio::time::sleep(Duration::from_millis(7)).await;
        }
        times
    };
    let offs = async {
        let mut times = [Vec::new(), Vec::new()];
        while Instant::now() < end {
            for ((farm, device), times) in [(QUIET, "d99-0"), (NOISY, "d7-3")]
                .into_iter()
                .zip(&mut times)
            {
                let owner = json!({"user_id": "u1", "name": "Asha"});
                let off = json!({"device": device, "cmd_type": "override", "action": "off", "duration_sec": 60, "owner": owner});
                let at = Instant::now();
                w.hub.admit(&FarmId::from(farm), manual(off)).await.unwrap();
                times.push(at.elapsed());
            }
            tokio::time::sleep(Duration::from_millis(11)).await;
        }
        times
    };
    let (publishes, [offs, own]) = tokio::join!(publishes, offs);
    over.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.unwrap();
    }
    w.hub.clone().shutdown().await.unwrap();
    [publishes, offs, own].map(Times::of)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn controllers_that_say_more_than_they_should_hold_up_nobody() {
    // 2,000 messages a second each, as the endpoint lets through; then as fast as they are taken, also with all that they have.
    for (controllers, said, messages, every) in [
        (4, Said::Births, 100, Duration::from_millis(50)),
        (4, Said::Births, 256, Duration::ZERO),
        (4, Said::BirthsWithDevices, 16, Duration::ZERO),
        (12, Said::Telemetry, 256, Duration::ZERO),
    ] {
        let [publish, off, own] = flood(Flood {
            controllers,
            said,
            messages,
            every,
        })
        .await;
        println!(
            "{controllers} controllers, {messages} {said:?} every {every:?}\n  the neighbour's publish to ack: {publish}\n  its off: {off}\n  the farm's own off: {own}"
        );
        for times in [publish, off, own] {
            assert!(times.p99 < LIMIT, "{times}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_controllers_may_leave_at_once() {
    let w = World::empty(|_| {}).await;
    w.hub
        .add_farm(FarmDocument::empty(NOISY, NOISY))
        .await
        .unwrap();
    let mut units = Vec::new();
    for n in 0..2_048 {
        let unit = Unit::new(&w, NOISY, n);
        unit.say(&birth(n, 1)).await;
        units.push(unit);
    }
    let at = Instant::now();
    for unit in &units {
        unit.hub.uplink().disconnected(&unit.from);
    }
    w.hub.clone().shutdown().await.unwrap();
    println!(
        "2,048 controllers left and everything was stored in {:?}",
        at.elapsed()
    );
    let again = w.after_crash(|_| {}).await.unwrap();
    let all = again.hub.controllers(&NOISY.into()).await.unwrap();
    assert_eq!(
        (all.len(), all.iter().filter(|c| c.online).count()),
        (2_048, 0)
    );
}
