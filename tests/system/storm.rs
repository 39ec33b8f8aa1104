//! A storm: a thousand alerts a minute in all houses at once, half of them critical, by gateways that work. Nobody gets more than their share, nothing
//! critical comes late, and another farm's commands on the same shard do not feel it. `HARIT_STORM_HOUSES=20` has it last for a
//! minute.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use harit_gateways::{Gateways, Received};
use harit_testkit::Times;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use crate::controller::{Controller, Link};
use crate::farm::{self, Api, BLUE, GREEN, now_ms};
use crate::server::{PATIENCE, machine_alone, until};

/// Of each house: above 31, 32, ... degrees; every second one is critical.
const ALERTS: usize = 50;
/// What a house adds to the storm's length: a thousand a minute.
const HOUSE: Duration = Duration::from_secs(3);
/// The promise for what is critical.
const LATE: Duration = Duration::from_secs(5);
/// As `neighbour` has it.
const P99: Duration = Duration::from_millis(200);
const PHONE: &str = "+919812345678";
const WAYS: usize = 2;

fn houses() -> usize {
    let given = std::env::var("HARIT_STORM_HOUSES").ok();
    given.map_or(4, |n| n.parse().expect("HARIT_STORM_HOUSES is a number"))
}

/// A house with its alerts and a sensor.
async fn house(api: &Api, port: u16, n: usize) -> Link {
    let account = api.register(&format!("A4CF120D00{n:02X}")).await;
    let link = Controller::new(&account, &["air"], &[]).connect(port).await;
    link.reading("air", 20.0).1.await.unwrap();
    until("the sensor is there", PATIENCE, async || {
        let all = api.of_farm("sensors").await;
        let mut scopes = all.as_array()?.iter().map(|s| &s["scope"]["polyhouseId"]);
        scopes.any(|id| *id == account.polyhouse).then_some(())
    })
    .await;
    for degree in 0..ALERTS {
        let severity = if degree % 2 == 0 {
            "critical"
        } else {
            "warning"
        };
        let alert = json!({
            "name": format!("House {n} above {}", 31 + degree), "repeatsIn": 60, "repeatUnit": "minutes",
            "channels": ["EMAIL", "SMS"], "severity": severity,
            "scope": {"type": "polyhouse", "polyhouseId": account.polyhouse},
            "conditions": [{"id": "1", "sensor": "Temperature", "operator": ">", "value": 31 + degree, "unit": "°C"}],
            "subscribers": [{"email": "owner@green.example"}, {"email": "manager@green.example"}],
        });
        let (status, answer) = api.post("alerts", &alert).await;
        assert_eq!(status, 201, "{answer}");
    }
    link
}

/// Has a house grow hot, degree by degree until the storm is over.
async fn heat(link: &Link, begin: Instant, lasting: Duration) {
    for n in 0..u32::try_from(ALERTS).unwrap() {
        sleep_until(begin + lasting * n / u32::try_from(ALERTS).unwrap()).await;
        let acknowledged = link.reading("air", f64::from(32 + n));
        acknowledged.1.await.unwrap();
    }
}

/// How long a person's commands to a machine take, for so long.
async fn commands(api: &Api, box_: &Controller, lasting: Duration) -> Times {
    let end = Instant::now() + lasting;
    let mut taken = Vec::new();
    while Instant::now() < end {
        let on = taken.len().is_multiple_of(2);
        let seen = box_.received().len();
        let body = json!({"cmd_type": "override", "device_id": "hand", "action": {"on": on}, "duration_sec": 600});
        let asked = now_ms();
        let (status, answer) = api.post("commands", &body).await;
        assert_eq!(status, 200, "{answer}");
        let command = box_
            .command("the command", PATIENCE, seen, |r| {
                r.body["command_id"] == answer["command_id"]
            })
            .await;
        taken.push(command.after(asked));
        sleep(Duration::from_millis(20)).await;
    }
    Times::of(taken)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_alerts_a_minute() {
    let _machine = machine_alone().await;
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    let gateways = Gateways::start(free, free).await.unwrap();
    let port = gateways.smtp.port().to_string();
    let sms = format!("http://{}/sms", gateways.http);
    let settings = [
        ("HARIT_STORAGE_SHARDS", "1"),
        ("HARIT_SMTP_HOST", "127.0.0.1"),
        ("HARIT_SMTP_PORT", port.as_str()),
        ("HARIT_SMTP_SECURITY", "none"),
        ("HARIT_SMTP_FROM", "harit@farm.example"),
        ("HARIT_SMS_GATEWAY", "http"),
        ("HARIT_SMS_URL", sms.as_str()),
        ("HARIT_SERVER_PUBLIC_URL", "https://farm.example"),
    ];
    let home = farm::seeded().await;
    farm::add_manager(&home, (GREEN, "manager@green.example", Some(PHONE), "mr")).await;
    let server = home.server(&[], &settings).await;
    let (green, blue) = (Api::of(&server, GREEN).await, Api::of(&server, BLUE).await);
    let chain = json!({"steps": [{"who": {"kind": "role", "role": "FARM_MANAGER"}, "afterMin": 0, "severities": ["critical"]}], "duties": []});
    let path = format!("/api/farms/{GREEN}/escalation");
    let (status, answer) = green.send(Method::PUT, &path, Some(&chain)).await;
    assert_eq!(status, 200, "{answer}");
    let account = blue.register("A4CF120C0001").await;
    let machine = Controller::new(&account, &[], &["hand"]);
    let _machine_is_up = machine.connect(server.mqtt).await;
    blue.device_online("hand").await;
    let mut links = Vec::new();
    for n in 0..houses() {
        links.push(house(&green, server.mqtt, n).await);
    }

    let lasting = HOUSE * u32::try_from(houses()).unwrap();
    let quiet = commands(&blue, &machine, lasting / 2).await;
    let begin = Instant::now();
    let hot = links
        .iter()
        .zip(0..)
        .map(|(link, n)| heat(link, begin + Duration::from_millis(37) * n, lasting));
    let (_, stormy) = tokio::join!(join_all(hot), commands(&blue, &machine, lasting));
    eprintln!("request to command: quiet {quiet}; in the storm {stormy}");

    let incidents = raised(&green).await;
    let kept = until("nothing is on its way", PATIENCE, async || {
        let mut kept = Vec::new();
        for id in &incidents {
            let incident = green.of_farm(&format!("incidents/{id}")).await;
            let told = incident["told"].as_array()?.clone();
            let waits = |m: &Value| m["state"] == "QUEUED" && incident["severity"] == "critical";
            if told.is_empty() || told.iter().any(waits) {
                return None;
            }
            kept.push((incident, told));
        }
        Some(kept)
    })
    .await;
    judge(&kept, &gateways.inbox.all(), lasting);
    assert!(
        stormy.p99 <= P99.max(quiet.p99 * 2),
        "a storm of alerts delays another farm: {stormy}"
    );
}

/// All incidents, once every alert is raised.
async fn raised(api: &Api) -> Vec<String> {
    until("all alerts are raised", PATIENCE, async || {
        let all = api.of_farm("alerts").await;
        let ids = all.as_array()?.iter().map(|alert| {
            let id = alert["status"]["incident"]["id"].as_str();
            id.map(str::to_owned)
        });
        ids.collect::<Option<Vec<_>>>()
    })
    .await
}

/// Everything critical came in time, and nobody got more than their share.
fn judge(kept: &[(Value, Vec<Value>)], came: &[Received], lasting: Duration) {
    let by_key: BTreeMap<&str, &Received> = { came.iter() }
        .filter_map(|m| Some((m.key.as_deref()?, m)))
        .collect();
    assert_eq!(
        by_key.len(),
        came.len(),
        "each message has a key, and came once"
    );
    let (mut late, mut critical) = (Vec::new(), BTreeSet::new());
    for (incident, told) in kept.iter().filter(|(i, _)| i["severity"] == "critical") {
        // the owner has no phone
        let sent = told.iter().filter(|m| m["reason"] != "unverified");
        let ways: BTreeSet<(&str, &str)> = sent
            .filter_map(|m| Some((m["name"].as_str()?, m["channel"].as_str()?)))
            .collect();
        let wanted = [("Manager", "EMAIL"), ("Manager", "SMS"), ("Owner", "EMAIL")];
        assert_eq!(ways, BTreeSet::from(wanted), "{incident}");
        for (name, way) in ways {
            let messages = told
                .iter()
                .filter(|m| m["name"] == name && m["channel"] == way);
            let arrived = messages.filter_map(|m| by_key.get_key_value(m["id"].as_str()?));
            let (key, first) = arrived.min_by_key(|(_, m)| m.at).expect("it was told");
            critical.insert(*key);
            let name = incident["name"].as_str().expect("a name");
            assert!(!name.is_empty());
            let after = first.at - incident["raisedAt"].as_i64().expect("an instant");
            late.push(Duration::from_millis(u64::try_from(after).unwrap_or(0)));
        }
    }
    let late = Times::of(late);
    eprintln!(
        "{} incidents, {} messages; critical ones after {late}",
        kept.len(),
        came.len()
    );
    assert!(late.longest <= LATE, "what is critical came after {late}");

    let most_critical = 12 + WAYS * (usize::try_from(lasting.as_secs()).unwrap() / 3 + 2);
    for person in [
        &["owner@green.example"][..],
        &["manager@green.example", PHONE],
    ] {
        let theirs = came.iter().filter(|m| person.contains(&m.to.as_str()));
        let (dire, mild): (Vec<_>, Vec<_>) = theirs.partition(|m| {
            let key = m.key.as_deref().unwrap_or_default();
            critical.contains(key)
        });
        eprintln!(
            "{}: {} critical, {} others",
            person[0],
            dire.len(),
            mild.len()
        );
        assert!(
            dire.len() <= most_critical,
            "{person:?}: {} critical",
            dire.len()
        );
        assert!(mild.len() <= 20, "{person:?}: {} others", mild.len());
    }
}
