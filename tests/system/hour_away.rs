//! Gateways that are away: nothing listens where mail and SMS are taken, alerts are raised and end, the server is killed in between,
//! and then the gateways are back. Each alert that still stands reaches each person by each way, once as raised or, where that was
//! overtaken, as still raised, in the order in which messages were written; what is over and a code that would come too late reach
//! nobody. `HARIT_AWAY_SEC=3600` is the real hour.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use harit_gateways::{Gateways, Received};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpSocket;
use tokio::time::{Instant, sleep_until};

use crate::controller::{Controller, Link};
use crate::farm::{self, Api, GREEN, now_ms};
use crate::server::{PATIENCE, machine, until};

/// Alerts that are raised one after the other while the gateways are away.
const ALERTS: u32 = 12;
/// The longest that a gateway is left alone once it is back: five minutes, and up to a quarter more, between two tries.
const BACK: Duration = Duration::from_secs(420);
/// A code is of no use to who asked for it after this.
const CODE_LIVES: Duration = Duration::from_secs(600);
const PHONE: &str = "+919812345678";

fn away() -> Duration {
    let given = std::env::var("HARIT_AWAY_SEC").ok();
    Duration::from_secs(given.map_or(12, |n| n.parse().expect("HARIT_AWAY_SEC is a number")))
}

/// Takes an address so that who connects to it is refused.
fn refusing(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(address).unwrap();
    socket
}

/// A house with a sensor.
struct House {
    polyhouse: String,
    controller: Controller,
    link: Link,
}

impl House {
    async fn new(api: &Api, port: u16, mac: &str) -> Self {
        let account = api.register(mac).await;
        let controller = Controller::new(&account, &["air"], &[]);
        let link = controller.connect(port).await;
        let house = Self {
            polyhouse: account.polyhouse.clone(),
            controller,
            link,
        };
        house.reads(20).await;
        until("the sensor is there", PATIENCE, async || {
            let all = api.of_farm("sensors").await;
            let mut scopes = all.as_array()?.iter().map(|s| &s["scope"]["polyhouseId"]);
            scopes.any(|id| *id == account.polyhouse).then_some(())
        })
        .await;
        house
    }

    async fn reads(&self, celsius: u32) {
        self.link
            .reading("air", f64::from(celsius))
            .1
            .await
            .unwrap();
    }

    async fn reconnect(&mut self, port: u16) {
        self.link = self.controller.connect(port).await;
    }
}

async fn alert(api: &Api, name: &str, house: &str, above: u32) {
    let alert = json!({
        "name": name, "repeatsIn": 240, "repeatUnit": "minutes", "channels": ["EMAIL", "SMS"], "severity": "critical",
        "scope": {"type": "polyhouse", "polyhouseId": house},
        "conditions": [{"id": "1", "sensor": "Temperature", "operator": ">", "value": above, "unit": "°C"}],
        "subscribers": [{"email": "owner@green.example"}, {"email": "manager@green.example"}],
    });
    let (status, answer) = api.post("alerts", &alert).await;
    assert_eq!(status, 201, "{answer}");
}

/// Since when ways are away, by what the page says.
async fn away_since(api: &Api) -> BTreeMap<String, i64> {
    let list = api.of_farm("deliveries").await;
    let ways = list["channels"].as_array().unwrap().iter();
    ways.filter_map(|w| Some((w["channel"].as_str()?.to_owned(), w["awaySince"].as_i64()?)))
        .collect()
}

async fn is_raised(api: &Api, name: &str, wanted: bool) {
    until(name, PATIENCE, async || {
        let all = api.of_farm("alerts").await;
        let found = all.as_array()?.iter().find(|a| a["name"] == name)?;
        (found["status"]["incident"].is_null() != wanted).then_some(())
    })
    .await;
}

#[tokio::test]
async fn gateways_that_were_away_are_told_each_alert_that_stands_once_and_in_order() {
    let _machine = machine().await;
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    let (http, smtp) = {
        let gateways = Gateways::start(free, free).await.unwrap();
        (gateways.http, gateways.smtp)
    };
    let port = smtp.port().to_string();
    let sms = format!("http://{http}/sms");
    let settings = [
        ("HARIT_STORAGE_SHARDS", "1"),
        ("HARIT_SMTP_HOST", "127.0.0.1"),
        ("HARIT_SMTP_PORT", port.as_str()),
        ("HARIT_SMTP_SECURITY", "none"),
        ("HARIT_SMTP_FROM", "harit@farm.example"),
        ("HARIT_SMS_GATEWAY", "http"),
        ("HARIT_SMS_URL", sms.as_str()),
    ];
    let home = farm::seeded().await;
    farm::add_manager(&home, (GREEN, "manager@green.example", Some(PHONE), "mr")).await;
    let refused = [refusing(http), refusing(smtp)];
    let mut server = home.server(&[], &settings).await;
    let mut api = Api::of(&server, GREEN).await;
    let mut hot = House::new(&api, server.mqtt, "A4CF120E0001").await;
    let mut passing = House::new(&api, server.mqtt, "A4CF120E0002").await;
    for n in 0..ALERTS {
        alert(&api, &format!("Hot {n:02}"), &hot.polyhouse, 30 + n).await;
    }
    alert(&api, "Passing", &passing.polyhouse, 30).await;
    let code = json!({"contact": PHONE});
    let (status, answer) = api.send(Method::POST, "/auth/send-otp", Some(&code)).await;
    assert_eq!(status, 200, "{answer}");

    let (began, began_ms) = (Instant::now(), now_ms());
    for n in 0..ALERTS {
        sleep_until(began + away() * n / ALERTS).await;
        if n == ALERTS / 2 {
            server.kill().await;
            server.start().await;
            api.moved(&server);
            hot.reconnect(server.mqtt).await;
            passing.reconnect(server.mqtt).await;
        }
        hot.reads(31 + n).await;
        is_raised(&api, &format!("Hot {n:02}"), true).await;
        if n == 2 {
            passing.reads(31).await;
            is_raised(&api, "Passing", true).await;
        }
        if n == 8 {
            passing.reads(20).await;
            is_raised(&api, "Passing", false).await;
        }
    }
    sleep_until(began + away()).await;
    let ways = away_since(&api).await;
    assert!(ways.keys().eq(["EMAIL", "SMS"]), "{ways:?}");
    // a server that was started anew knows it since then
    let half = began_ms + i64::try_from(away().as_millis()).unwrap() / 2;
    for since in ways.values() {
        assert!(
            (began_ms..half + 20_000).contains(since),
            "{ways:?} of {began_ms}"
        );
    }

    drop(refused);
    let gateways = Gateways::start(http, smtp).await.unwrap();
    let back = Instant::now();
    until("everything was sent", BACK, async || {
        let list = api.of_farm("deliveries?limit=500").await;
        let messages = list["messages"].as_array()?.iter();
        let mut waiting = messages.filter(|m| m["state"] == "QUEUED");
        waiting.next().is_none().then_some(())
    })
    .await;
    let took = back.elapsed();
    assert_eq!(away_since(&api).await, BTreeMap::new());
    let came = gateways.inbox.all();
    eprintln!(
        "away for {:?}, then {} messages within {took:?}",
        away(),
        came.len()
    );
    judge(&came);
    let codes = list_of(&api, "CODE").await;
    assert!(!codes.is_empty(), "the code is among the messages");
    let is_late = away() > CODE_LIVES;
    assert!(
        codes.iter().all(|m| (m["reason"] == "too_late") == is_late),
        "{codes:?}"
    );
}

/// Each person got each alert that stands by each way, and nothing that is over.
fn judge(came: &[Received]) {
    let names: Vec<String> = (0..ALERTS).map(|n| format!("Hot {n:02}")).collect();
    for to in ["owner@green.example", "manager@green.example", PHONE] {
        let is_alert = |m: &&Received| {
            names
                .iter()
                .any(|n| m.subject.contains(n) || m.text.contains(n))
        };
        let own = came.iter().filter(|m| m.to == to);
        let theirs: Vec<_> = own
            .filter(|m| is_alert(m) || m.text.contains("Passing"))
            .collect();
        let keys: Vec<_> = theirs.iter().map(|m| m.key.as_deref()).collect();
        // the ids of messages are in the order in which they were written
        assert!(keys.is_sorted(), "{to}: {theirs:#?}");
        let told = |m: &&Received| [m.subject.as_str(), m.text.as_str()].join("\n");
        let texts: Vec<String> = theirs.iter().map(told).collect();
        assert!(!texts.iter().any(|t| t.contains("Passing")), "{texts:?}");
        for name in &names {
            // raised and, where nobody answered for long, still raised
            let of = texts.iter().filter(|t| t.contains(name.as_str())).count();
            assert!((1..=2).contains(&of), "{to}: {name} in {of} of {texts:#?}");
        }
    }
}

async fn list_of(api: &Api, kind: &str) -> Vec<Value> {
    let list = api.of_farm("deliveries?limit=500").await;
    let all = list["messages"].as_array().unwrap().iter();
    all.filter(|m| m["kind"] == kind).cloned().collect()
}
