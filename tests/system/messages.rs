//! Messages over `kill -9` at random instants, and over a gateway that is away: what was answered with "invited" reaches whom it is
//! for, under one key, whatever the server or the gateway was doing. `HARIT_KILLS` makes it longer.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use harit_gateways::{Gateways, Mode};
use reqwest::Method;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::farm::{self, Api, BLUE, GREEN};
use crate::random::{between, dice};
use crate::server::{machine, until};

/// Invites of a farm in a day.
const INVITES: usize = 20;
const PATIENCE: Duration = Duration::from_secs(60);

fn kills() -> usize {
    let given = std::env::var("HARIT_KILLS").ok();
    given.map_or(24, |n| n.parse().expect("HARIT_KILLS is a number"))
}

#[tokio::test]
async fn every_message_arrives_under_one_key_over_kills_and_a_gateway_that_is_away() {
    let _machine = machine().await;
    let mut dice = dice("messages");
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
        ("HARIT_MESSAGES_RETRY_MS", "100"),
        ("HARIT_MESSAGES_TIMEOUT_MS", "1000"),
        ("HARIT_MESSAGES_PER_GATEWAY_MINUTE", "100000"),
    ];
    let home = farm::seeded().await;
    let mut server = home.server(&[], &settings).await;
    let mut farms = [Api::of(&server, GREEN).await, Api::of(&server, BLUE).await];
    let mut guests = Vec::new();
    for n in 0..INVITES {
        for (which, farm) in [GREEN, BLUE].into_iter().enumerate() {
            let contact = if n % 2 == 0 {
                json!({"email": format!("guest{n}@{farm}.example")})
            } else {
                json!({"mobile": format!("+9198765{which}{n:04}")})
            };
            guests.push((which, farm, contact));
        }
    }
    let modes = [Mode::Ok, Mode::Busy, Mode::Broken, Mode::Slow, Mode::Never];
    let (mut invited, mut doubtful) = (BTreeSet::new(), BTreeSet::new());
    let kills = kills();
    let each = guests.len().div_ceil(kills.max(1));
    let mut waiting = guests.into_iter();
    for _ in 0..kills {
        gateways.inbox.set_mode(modes[dice.below(modes.len())]);
        for (which, farm, contact) in waiting.by_ref().take(each) {
            let body = json!({"role": "VIEWER", "languagePref": "hi", "farmId": farm, "email": contact["email"], "mobile": contact["mobile"]});
            let to = contact["email"].as_str().or(contact["mobile"].as_str());
            let to = to.unwrap().to_owned();
            let (status, answer) = farms[which]
                .send(Method::POST, "/onboarding/invite-user", Some(&body))
                .await;
            if status == 201 {
                invited.insert(to);
            } else {
                doubtful.insert(format!("{to}: {answer}"));
            }
        }
        sleep(between(&mut dice, 0, 700)).await;
        server.kill().await;
        server.start().await;
        farms.iter_mut().for_each(|api| api.moved(&server));
    }
    gateways.inbox.set_mode(Mode::Ok);
    assert_eq!(
        doubtful,
        BTreeSet::new(),
        "nobody was asked while the server was down"
    );
    until("every message has arrived", PATIENCE, async || {
        let came: BTreeSet<String> = gateways.inbox.all().into_iter().map(|m| m.to).collect();
        (came == invited).then_some(())
    })
    .await;
    until("the server knows it", PATIENCE, async || {
        for api in &farms {
            let list = api.of_farm("deliveries?limit=500").await;
            let messages = list["messages"].as_array()?.clone();
            if messages.len() != INVITES || messages.iter().any(|m| m["state"] != "SENT") {
                return None;
            }
        }
        Some(())
    })
    .await;
    // sent again or not, a message has one key and says one thing; nobody has two
    let mut keys: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    let all = gateways.inbox.all();
    for message in &all {
        let key = message.key.clone().expect("a key");
        let said = (key, message.text.clone());
        keys.entry(message.to.clone()).or_default().insert(said);
    }
    for (to, said) in &keys {
        assert_eq!(said.len(), 1, "{to}: {said:?}");
    }
    assert!(all.iter().all(|m| m.text.contains("/invite?lang=hi#")));
    eprintln!(
        "{kills} kills, {} messages, {} sent again, {} times not taken",
        invited.len(),
        all.len() - invited.len(),
        gateways.inbox.refused()
    );
    let ended = timeout(PATIENCE, server.terminate()).await.unwrap();
    assert!(ended.0.success());
}
