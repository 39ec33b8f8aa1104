//! Messages over `kill -9` at random instants, and over a gateway that is away: what was answered with "invited" reaches whom it is
//! for, and the life of alerts is told (`incident_messages`), under one key, whatever the server or the gateway was doing.
//! `HARIT_KILLS` makes it longer.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use harit_gateways::{Gateways, Mode, Received};
use reqwest::Method;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::farm::{self, Api, BLUE, GREEN};
use crate::incident_messages::{Life, people, until_all};
use crate::random::{between, dice};
use crate::server::{machine, until};

/// An alert is told again, and told further, after a minute: kills of its life, and those of them in which it ends.
const KILLS_OF_LIFE: usize = 24;
const KILLS_OF_END: usize = 6;
/// In these of its life no gateway takes anything.
const AWAY: std::ops::Range<usize> = 10..13;
/// Invites of a farm in a day.
const INVITES: usize = 20;
const PATIENCE: Duration = Duration::from_secs(60);

fn kills() -> usize {
    let given = std::env::var("HARIT_KILLS").ok();
    given.map_or(24, |n| n.parse().expect("HARIT_KILLS is a number"))
}

fn is_invite(message: &Received) -> bool {
    message.text.contains("/invite?")
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
        ("HARIT_MESSAGES_PER_PERSON_HOUR", "100000"),
        ("HARIT_MESSAGES_CRITICAL_PER_PERSON_HOUR", "100000"),
        ("HARIT_SERVER_PUBLIC_URL", "https://farm.example"),
    ];
    let home = farm::seeded().await;
    people(&home).await;
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
    let takes = [Mode::Ok, Mode::Slow, Mode::Never];
    let (mut invited, mut doubtful) = (BTreeSet::new(), BTreeSet::new());
    let mut lives = [
        Life::new(&server, &farms[0], 0).await,
        Life::new(&server, &farms[1], 1).await,
    ];
    let kills = kills();
    let each = guests.len().div_ceil(kills.max(1));
    let mut waiting = guests.into_iter();
    for kill in 0..kills {
        let (round, part) = (kill / KILLS_OF_LIFE, kill % KILLS_OF_LIFE);
        let all = (&server, &farms[..], &gateways);
        if kill > 0 && part == 0 {
            until_all(&mut lives, all, async |life, _| life.is_over()).await;
            for (n, (life, api)) in lives.iter_mut().zip(&farms).enumerate() {
                life.begin(api, (n + round) % 2 == 1).await;
            }
        }
        if part == KILLS_OF_LIFE - KILLS_OF_END {
            until_all(&mut lives, all, Life::is_told).await;
            lives.iter_mut().for_each(Life::end);
        }
        gateways.inbox.set_mode(if AWAY.contains(&part) {
            Mode::Broken
        } else if lives.iter().any(Life::waits_for_answer) {
            takes[dice.below(takes.len())]
        } else {
            modes[dice.below(modes.len())]
        });
        for (life, api) in lives.iter_mut().zip(&farms) {
            life.go_on(&server, api, &gateways).await;
        }
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
        // long enough for a minute to pass in the life of an alert
        let ends = part >= KILLS_OF_LIFE - KILLS_OF_END;
        let longest = if ends { 700 } else { 5_000 };
        sleep(between(&mut dice, 0, longest)).await;
        server.kill().await;
        server.start().await;
        farms.iter_mut().for_each(|api| api.moved(&server));
    }
    let all = (&server, &farms[..], &gateways);
    if kills % KILLS_OF_LIFE != 0 && kills % KILLS_OF_LIFE <= KILLS_OF_LIFE - KILLS_OF_END {
        until_all(&mut lives, all, Life::is_told).await;
        lives.iter_mut().for_each(Life::end);
    }
    until_all(&mut lives, all, async |life, _| life.is_over()).await;
    assert_eq!(
        doubtful,
        BTreeSet::new(),
        "nobody was asked while the server was down"
    );
    until("every message has arrived", PATIENCE, async || {
        let all = gateways.inbox.all().into_iter();
        let came: BTreeSet<String> = all.filter(|m| is_invite(m)).map(|m| m.to).collect();
        (came == invited).then_some(())
    })
    .await;
    until("the server knows it", PATIENCE, async || {
        for api in &farms {
            let list = api.of_farm("deliveries?limit=500").await;
            let mut messages = list["messages"].as_array()?.clone();
            messages.retain(|m| m["kind"] == "INVITE");
            if messages.len() != INVITES || messages.iter().any(|m| m["state"] != "SENT") {
                return None;
            }
        }
        Some(())
    })
    .await;
    // sent again or not, a message has one key and says one thing; nobody has two
    let mut keys: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    let everything = gateways.inbox.all();
    let mut told = 0;
    for (life, api) in lives.iter().zip(&farms) {
        told += life.check(&life.rows(api).await, &everything);
    }
    assert!(lives.iter().any(|life| life.answered_in_time() > 0));
    let all: Vec<_> = everything.iter().filter(|m| is_invite(m)).collect();
    for message in &all {
        let key = message.key.clone().expect("a key");
        let said = (key, message.text.clone());
        keys.entry(message.to.clone()).or_default().insert(said);
    }
    for (to, said) in &keys {
        assert_eq!(said.len(), 1, "{to}: {said:?}");
    }
    assert!(all.iter().all(|m| m.text.contains("/invite?lang=hi#")));
    let messages = invited.len() + told;
    eprintln!(
        "{kills} kills, {messages} messages, {told} of alerts, {} sent again, {} times not taken",
        everything.len() - messages,
        gateways.inbox.refused()
    );
    let ended = timeout(PATIENCE, server.terminate()).await.unwrap();
    assert!(ended.0.success());
}
