//! What one farm's controllers do, another farm's commands do not feel.
//!
//! The blue farm measures how long a command takes, quiet and while green's controllers go mad on the same server and the
//! same shard: from a reading that completes a hold to the command's arrival at the controller, and from a person's
//! request to the same. Green's people are no better: their profile and their formulas take as much as they may.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harit_testkit::Times;
use serde_json::json;
use tokio::time::sleep;

use crate::attack::{Attack, hostile_formula, hostile_profile};
use crate::controller::{Controller, Link};
use crate::farm::{self, Api, BLUE, GREEN, now_ms};
use crate::server::{PATIENCE, machine_alone};

/// Controllers, rules and devices that measure.
const HOUSES: usize = 24;
/// How often each rule fires and stops. Two samples each time.
const ROUNDS: usize = 7;
/// A person's commands.
const REQUESTS: usize = 300;
/// Controllers that go mad, a new one every second.
const ATTACKERS: usize = 12;
/// Formulas of the other farm.
const FORMULAS: usize = 64;
/// The promise, in milliseconds.
const P99: Duration = Duration::from_millis(200);

struct House {
    controller: Controller,
    link: Link,
    sensor: String,
    fan: String,
}

impl House {
    async fn new(api: &Api, port: u16, n: usize) -> Self {
        let account = api.register(&format!("A4CF120E00{n:02X}")).await;
        let (sensor, fan, hand) = (format!("t-{n}"), format!("fan-{n}"), format!("hand-{n}"));
        let controller = Controller::new(&account, &[&sensor], &[&fan, &hand]);
        let link = controller.connect(port).await;
        api.device_online(&fan).await;
        let scope = json!({"type": "polyhouse", "farmId": BLUE, "polyhouseId": account.polyhouse});
        api.rule(&format!("cool-{n}"), &fan, &scope, 1, 1).await;
        Self {
            controller,
            link,
            sensor,
            fan,
        }
    }

    /// How long rules take, in ms: the reading that is the hold's second sample comes after its deadline, and so acts at once.
    async fn rules(&self, delay: Duration) -> Vec<Duration> {
        sleep(delay).await;
        let mut taken = Vec::new();
        for (value, on) in [(35.0, true), (20.0, false)]
            .into_iter()
            .cycle()
            .take(2 * ROUNDS)
        {
            let seen = self.controller.received().len();
            self.link.reading(&self.sensor, value).1.await.unwrap();
            sleep(Duration::from_millis(1_030)).await;
            let (published, _) = self.link.reading(&self.sensor, value);
            let mine =
                |r: &crate::controller::Received| r.body["device_id"] == *self.fan && r.on() == on;
            let command = self
                .controller
                .command("the rule's command", PATIENCE, seen, mine)
                .await;
            taken.push(command.after(published));
        }
        taken
    }
}

/// How long a person's commands take.
async fn requests(api: &Api, houses: &[House]) -> Vec<Duration> {
    let mut taken = Vec::new();
    for n in 0..REQUESTS {
        let house = &houses[n % houses.len()];
        let hand = house.fan.replace("fan", "hand");
        let on = (n / houses.len()).is_multiple_of(2);
        let seen = house.controller.received().len();
        let body = json!({"cmd_type": "override", "device_id": hand, "action": {"on": on}, "duration_sec": 600});
        let asked = now_ms();
        let (status, answer) = api.post("commands", &body).await;
        assert_eq!(
            (status, &answer["status"]),
            (200, &json!("ack")),
            "{answer}"
        );
        let mine = |r: &crate::controller::Received| r.body["command_id"] == answer["command_id"];
        let command = house
            .controller
            .command("the person's command", PATIENCE, seen, mine)
            .await;
        taken.push(command.after(asked));
    }
    taken
}

async fn measure(what: &str, api: &Api, houses: &[House]) -> [Times; 2] {
    let rules = houses
        .iter()
        .zip(0..)
        .map(|(house, n)| house.rules(Duration::from_millis(43 * n)));
    let (rules, requests) = tokio::join!(join_all(rules), requests(api, houses));
    let rules = Times::of(rules.into_iter().flatten().collect());
    let requests = Times::of(requests);
    eprintln!("{what}: reading to command {rules}; request to command {requests}");
    [rules, requests]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mad_controller_slows_nobody_else() {
    let _machine = machine_alone().await;
    let home = farm::seeded().await;
    let server = farm::server(&home).await;
    let (blue, green) = (Api::of(&server, BLUE).await, Api::of(&server, GREEN).await);
    let mut houses = Vec::new();
    for n in 0..HOUSES {
        houses.push(House::new(&blue, server.mqtt, n).await);
    }
    let mut attackers = Vec::new();
    for n in 0..ATTACKERS {
        attackers.push(green.register(&format!("A4CF120F00{n:02X}")).await);
    }
    let first = attackers[0].clone();
    let profile = json!({"document": hostile_profile()});
    let (status, answer) = green.post("device-profiles", &profile).await;
    assert_eq!(status, 201, "{answer}");
    let warm = Controller::new(&first, &["t1"], &[])
        .connect(server.mqtt)
        .await;
    warm.reading("t1", 21.0).1.await.unwrap();
    for n in 0..FORMULAS {
        let inputs = json!({"t": {"scope": {"type": "farm"}, "type": "temperature"}});
        let formula = json!({"name": format!("Hostile {n}"), "kind": "formula", "scope": {"type": "farm"},
            "formula": hostile_formula(), "inputs": inputs, "intervalSec": 1});
        let (status, answer) = green.post("derived-sensors", &formula).await;
        assert_eq!(status, 201, "{answer}");
    }
    drop(warm);

    let quiet = measure("quiet", &blue, &houses).await;
    let strangers_topic = format!("harit/1/{BLUE}/A4CF120E0000/");
    let attack = Attack::start(server.mqtt, &attackers, &strangers_topic);
    sleep(Duration::from_millis(200)).await;
    let began = Instant::now();
    let attacked = measure("under attack", &blue, &houses).await;
    eprintln!("{:?} of {:?}", attack.sent, began.elapsed());
    assert!(
        attack.sent.bytes.load(std::sync::atomic::Ordering::Relaxed) > 1 << 20,
        "it attacked"
    );
    drop(attack);
    for times in attacked.into_iter().chain(quiet) {
        assert!(times.p99 <= P99, "{times}");
    }

    // It shows, and only in the farm that it comes from.
    for (name, label) in [
        ("harit_dead_letters_total", "malformed"),
        ("harit_dead_letters_total", "too_large"),
        ("harit_dead_letters_total", "not_allowed"),
        ("harit_dead_letters_total", "too_many_sensors"),
        ("harit_mqtt_forbidden_total", ""),
        ("harit_mqtt_oversized_total", ""),
        ("harit_mqtt_throttled_total", ""),
    ] {
        let count = green.metric(name, label).await;
        eprintln!("{name} {label}: {count}");
        assert!(count > 0.0, "{name} {label}");
    }
    let letters = green.of_farm("dead-letters?limit=500").await;
    for reason in ["malformed", "too_large", "not_allowed"] {
        let found = letters.as_array().unwrap().iter().find(|l| {
            l["reason"] == reason && l["topic"].as_str().unwrap().starts_with(&first.topic)
        });
        let found = found.unwrap_or_else(|| panic!("no {reason} of {}: {letters}", first.topic));
        eprintln!("{} {reason}: {}", found["topic"], found["count"]);
    }
    assert_eq!(blue.of_farm("dead-letters").await, json!([]));
}
