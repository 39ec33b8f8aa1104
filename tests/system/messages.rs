//! Messages over `kill -9` at random instants, and over a gateway that is away: what was answered with "invited" reaches whom it is
//! for, and the life of alerts is told (`incident_messages`), under one key, whatever the server or the gateway was doing.
//! `HARIT_KILLS` makes it longer.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use harit_gateways::{Gateways, Mode, Received};
use reqwest::Method;
use serde_json::{Value, json};
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

/// People who are invited one after the other, by mail and by SMS.
struct Guests {
    waiting: std::vec::IntoIter<(usize, Value)>,
    each: usize,
    /// To whom the server said that they are.
    invited: BTreeSet<String>,
}

impl Guests {
    fn new(kills: usize) -> Self {
        let mut all = Vec::new();
        for n in 0..INVITES {
            for (which, farm) in [GREEN, BLUE].into_iter().enumerate() {
                let contact = if n % 2 == 0 {
                    json!({"email": format!("guest{n}@{farm}.example")})
                } else {
                    json!({"mobile": format!("+9198765{which}{n:04}")})
                };
                all.push((which, contact));
            }
        }
        Self {
            each: all.len().div_ceil(kills.max(1)),
            waiting: all.into_iter(),
            invited: BTreeSet::new(),
        }
    }

    /// Invites those of one round.
    async fn invite(&mut self, farms: &[Api; 2]) {
        for (which, contact) in self.waiting.by_ref().take(self.each) {
            let farm = [GREEN, BLUE][which];
            let body = json!({"role": "VIEWER", "languagePref": "hi", "farmId": farm, "email": contact["email"], "mobile": contact["mobile"]});
            let path = "/onboarding/invite-user";
            let (status, answer) = farms[which].send(Method::POST, path, Some(&body)).await;
            assert_eq!(
                status, 201,
                "nobody is asked while the server is down: {answer}"
            );
            let to = contact["email"].as_str().or(contact["mobile"].as_str());
            self.invited.insert(to.unwrap().to_owned());
        }
    }

    /// Each has an invitation, and the server knows it: sent again or not, under one key, saying one thing.
    async fn check(&self, farms: &[Api], gateways: &Gateways) {
        until("every message has arrived", PATIENCE, async || {
            let all = gateways.inbox.all().into_iter();
            let came: BTreeSet<String> = all.filter(is_invite).map(|m| m.to).collect();
            (came == self.invited).then_some(())
        })
        .await;
        until("the server knows it", PATIENCE, async || {
            for api in farms {
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
        let mut keys: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
        for message in gateways.inbox.all().iter().filter(|m| is_invite(m)) {
            assert!(
                message.text.contains("/invite?lang=hi#"),
                "{}",
                message.text
            );
            let said = (message.key.clone().expect("a key"), message.text.clone());
            keys.entry(message.to.clone()).or_default().insert(said);
        }
        for (to, said) in &keys {
            assert_eq!(said.len(), 1, "{to}: {said:?}");
        }
    }
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
    let modes = [Mode::Ok, Mode::Busy, Mode::Broken, Mode::Slow, Mode::Never];
    let takes = [Mode::Ok, Mode::Slow, Mode::Never];
    let mut lives = [
        Life::new(&server, &farms[0], 0).await,
        Life::new(&server, &farms[1], 1).await,
    ];
    let kills = kills();
    let mut guests = Guests::new(kills);
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
        guests.invite(&farms).await;
        // long enough for a minute to pass in the life of an alert
        let ends = part >= KILLS_OF_LIFE - KILLS_OF_END;
        let longest = if ends { 700 } else { 5_000 };
        sleep(between(&mut dice, 0, longest)).await;
        server.kill().await;
        server.start().await;
        farms.iter_mut().for_each(|api| api.moved(&server));
    }
    let all = (&server, &farms[..], &gateways);
    let part = kills % KILLS_OF_LIFE;
    if part != 0 && part <= KILLS_OF_LIFE - KILLS_OF_END {
        until_all(&mut lives, all, Life::is_told).await;
        lives.iter_mut().for_each(Life::end);
    }
    until_all(&mut lives, all, async |life, _| life.is_over()).await;
    guests.check(&farms, &gateways).await;
    let mut told = 0;
    for (life, api) in lives.iter().zip(&farms) {
        let rows = life.rows(api).await;
        told += life.check(&rows, &gateways.inbox.all());
    }
    assert!(lives.iter().any(|life| life.answered_in_time() > 0));
    let messages = guests.invited.len() + told;
    let came = gateways.inbox.all();
    eprintln!(
        "{kills} kills, {messages} messages, {told} of alerts, {} sent again, {} times not taken",
        came.len() - messages,
        gateways.inbox.refused()
    );
    let ended = timeout(PATIENCE, server.terminate()).await.unwrap();
    assert!(ended.0.success());
}
