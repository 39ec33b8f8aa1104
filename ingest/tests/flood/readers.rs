//! Who reads a large farm again and again does not keep its people and rules waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use harit_engine::{DeviceStatus, FarmDocument, FarmId, InputKind, SensorStatus};
use harit_testkit::Times;
use serde_json::json;

use crate::world::World;
use crate::{LIMIT, Unit, birth, manual};

const FARM: &str = "large";
const CONTROLLERS: usize = 10;
const SENSORS_EACH: usize = 150;
const RULES: usize = 100;
const READERS: usize = 50;
/// How many messages a controller publishes at once, a hundred times a second.
const AT_ONCE: usize = if cfg!(debug_assertions) { 1 } else { 10 };

fn readings(from: usize, sensors: usize) -> String {
    let all: Vec<_> = (from..from + sensors)
        .map(|s| json!({"id": format!("s{s}"), "type": "temperature", "unit": "°C", "latestValue": 20 + s % 9}))
        .collect();
    json!({ "sensors": all }).to_string()
}

fn rule(n: usize) -> InputKind {
    let rule = json!({
        "id": format!("rule-{n}"), "name": "Cool", "mode": "auto", "deployed": true, "scope": {"type": "farm"},
        "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 30 + n % 10, "duration_sec": 60},
        "actions": [{"device_id": "d0-0", "command": {"action": "on"}}]
    });
    InputKind::RulePut(Box::new(serde_json::from_value(rule).unwrap()))
}

/// How long a person's `off` takes in the farm, with so many readers of it, and how many pages they read.
async fn offs(readers: usize) -> (Times, usize) {
    let w = World::empty(|_| {}).await;
    w.hub
        .add_farm(FarmDocument::empty(FARM, FARM))
        .await
        .unwrap();
    let farm = FarmId::from(FARM);
    let units: Vec<_> = (0..CONTROLLERS).map(|n| Unit::new(&w, FARM, n)).collect();
    for (n, unit) in units.iter().enumerate() {
        unit.say(&birth(n, 20)).await;
        let all = unit.telemetry(&readings(0, SENSORS_EACH), 1);
        let receipt = unit.hub.uplink().receive(all).await;
        assert_eq!(receipt.await.unwrap().rejected, 0);
    }
    for n in 0..RULES {
        w.hub.admit(&farm, rule(n)).await.unwrap();
    }
    let sensors = |e: &harit_engine::Engine| e.sensors().count();
    assert_eq!(
        w.hub.read(&farm, sensors).await,
        Ok(CONTROLLERS * SENSORS_EACH)
    );
    let (over, pages) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let mut tasks = Vec::new();
    for unit in units {
        let over = over.clone();
        tasks.push(tokio::spawn(async move {
            let (uplink, mut n) = (unit.hub.uplink(), 0);
            while !over.load(Ordering::Relaxed) {
                n = (n + 8) % (SENSORS_EACH - 8);
                let receipt = uplink
                    .receive(unit.telemetry(&readings(n, 8), AT_ONCE))
                    .await;
                assert_eq!(receipt.await.unwrap().rejected, 0);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }));
    }
    for _ in 0..readers {
        let (hub, farm, over, pages) = (w.hub.clone(), farm.clone(), over.clone(), pages.clone());
        tasks.push(tokio::spawn(async move {
            while !over.load(Ordering::Relaxed) {
                hub.read(&farm, |e| e.devices().collect::<Vec<DeviceStatus>>())
                    .await
                    .unwrap();
                hub.read(&farm, |e| e.sensors().collect::<Vec<SensorStatus>>())
                    .await
                    .unwrap();
                hub.read(&farm, harit_engine::Engine::document)
                    .await
                    .unwrap();
                hub.controllers(&farm).await.unwrap();
                hub.verdict(&farm).await.unwrap();
                pages.fetch_add(5, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        }));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let lasting = std::env::var("HARIT_FLOOD_SEC").map_or(3, |s| s.parse().unwrap());
    let end = Instant::now() + Duration::from_secs(lasting);
    let mut times = Vec::new();
    while Instant::now() < end {
        let owner = json!({"user_id": "u1", "name": "Asha"});
        let off = json!({"device": "d0-0", "cmd_type": "override", "action": "off", "duration_sec": 60, "owner": owner});
        let at = Instant::now();
        w.hub.admit(&farm, manual(off)).await.unwrap();
        times.push(at.elapsed());
        tokio::time::sleep(Duration::from_millis(11)).await;
    }
    over.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.unwrap();
    }
    w.hub.clone().shutdown().await.unwrap();
    (Times::of(times), pages.load(Ordering::Relaxed))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_readers_of_a_farm_with_1500_sensors_hold_up_nobody() {
    for readers in [0, READERS] {
        let (times, pages) = offs(readers).await;
        println!("{readers} readers, {pages} pages\n  the farm's own off: {times}");
        assert!(times.p99 < LIMIT, "{times}");
    }
}
