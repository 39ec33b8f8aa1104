//! The life of alerts as messages (raised, repeated, told further, answered, over) while the server is killed at random instants and
//! gateways are away: each message once under its key, to the right person in their language, in order, and none lost.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use harit_api::Role;
use harit_gateways::{Gateways, Mode, Received};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use crate::farm::{self, Account, Api, BLUE, GREEN, now_ms};
use crate::server::{Home, PATIENCE, Server, until};

/// Alerts are told again, and told further, after a minute: the shortest that there is.
const MINUTE_MS: i64 = 60_000;
const SITE: &str = "https://farm.example";

/// How somebody is called, and what alerts are called to them: raised, still raised, over.
struct Told {
    name: &'static str,
    role: Role,
    language: &'static str,
    titles: [&'static str; 3],
}

static OWNER: Told = Told {
    name: "owner",
    role: Role::Owner,
    language: "en",
    titles: ["Alert: ", "Alert still raised: ", "Alert resolved: "],
};
static MANAGERS: [Told; 2] = [
    Told {
        name: "manager",
        role: Role::FarmManager,
        language: "mr",
        titles: ["इशारा: ", "इशारा अजून जारी आहे: ", "इशारा संपला: "],
    },
    Told {
        name: "manager",
        role: Role::FarmManager,
        language: "hi",
        titles: ["चेतावनी: ", "चेतावनी जारी है: ", "चेतावनी ख़त्म हुई: "],
    },
];

/// Where a farm's alert stands.
#[derive(Debug, Clone, PartialEq)]
enum Phase {
    /// Its sensor says too much.
    Begins,
    Raised {
        incident: String,
        at: i64,
    },
    /// Its sensor says what is normal again.
    Ends,
    Over,
}

/// A farm with one alert at a time.
pub(crate) struct Life {
    farm: &'static str,
    manager: &'static Told,
    account: Account,
    client: Client,
    /// The alerts that there were; of those that were answered, whether before they were told again.
    lives: Vec<(String, Option<bool>)>,
    phase: Phase,
}

/// Adds the managers, by the same means as the farms.
pub(crate) async fn people(home: &Home) {
    for (farm, told) in [GREEN, BLUE].into_iter().zip(&MANAGERS) {
        let contact = format!("{}@{farm}.example", told.name);
        farm::add_manager(home, (farm, &contact, None, told.language)).await;
    }
}

impl Life {
    /// A farm with a sensor, whose chain tells the managers at once and the owners after a minute.
    pub(crate) async fn new(server: &Server, api: &Api, which: usize) -> Self {
        let farm = [GREEN, BLUE][which];
        let step = |role: &str, after: i64| json!({"who": {"kind": "role", "role": role}, "afterMin": after, "severities": ["critical"]});
        let chain = json!({"steps": [step("FARM_MANAGER", 0), step("OWNER", 1)], "duties": []});
        let path = format!("/api/farms/{farm}/escalation");
        let (status, answer) = api.send(Method::PUT, &path, Some(&chain)).await;
        assert_eq!(status, 200, "{answer}");
        let mut life = Self {
            farm,
            manager: &MANAGERS[which],
            account: api.register(&format!("AABBCCDDEE0{}", which + 1)).await,
            client: Client::builder().timeout(PATIENCE).build().unwrap(),
            lives: Vec::new(),
            phase: Phase::Over,
        };
        life.reads(server, 20.0).await;
        until("the sensor is there", PATIENCE, async || {
            let all = api.of_farm("sensors").await;
            (!all.as_array()?.is_empty()).then_some(())
        })
        .await;
        life.begin(api, which == 1).await;
        life
    }

    /// Makes an alert that nobody has heard of, of which somebody will answer.
    pub(crate) async fn begin(&mut self, api: &Api, answered: bool) {
        // what is over would be raised again with the next
        for alert in api.of_farm("alerts").await.as_array().unwrap() {
            let id = alert["id"].as_str().unwrap();
            let path = format!("/api/farms/{}/alerts/{id}", self.farm);
            let (status, answer) = api.send(Method::DELETE, &path, None).await;
            assert!(matches!(status, 200 | 204), "{answer}");
        }
        let name = format!("Hot {} {}", self.farm, self.lives.len());
        let alert = json!({
            "name": name, "repeatsIn": 1, "repeatUnit": "minutes", "channels": ["EMAIL"], "severity": "critical",
            "scope": {"type": "polyhouse", "polyhouseId": self.account.polyhouse},
            "conditions": [{"id": "1", "sensor": "Temperature", "operator": ">", "value": 40, "unit": "°C"}],
            "subscribers": [{"email": format!("owner@{}.example", self.farm)}],
        });
        let (status, answer) = api.post("alerts", &alert).await;
        assert_eq!(status, 201, "{answer}");
        self.lives.push((name, answered.then_some(false)));
        self.phase = Phase::Begins;
    }

    /// Has the sensor say something.
    async fn reads(&mut self, server: &Server, celsius: f64) {
        let url = format!(
            "{}/intake?topic={}telemetry",
            server.http, self.account.topic
        );
        let telemetry = json!({"sensors": [{"id": "air", "type": "temperature", "unit": "°C", "latestValue": celsius}]});
        let request = self.client.post(url).body(telemetry.to_string());
        let sent = request.basic_auth(&self.account.mac, Some(&self.account.secret));
        let status = sent.send().await.unwrap().status();
        assert_eq!(status, StatusCode::NO_CONTENT);
    }

    fn current(&self) -> &(String, Option<bool>) {
        self.lives.last().expect("an alert")
    }

    /// Goes one step on, if it is time for it.
    pub(crate) async fn go_on(&mut self, server: &Server, api: &Api, gateways: &Gateways) {
        let hot = matches!(self.phase, Phase::Begins | Phase::Raised { .. });
        self.reads(server, if hot { 45.0 } else { 20.0 }).await;
        let all = api.of_farm("alerts").await;
        let (name, answered) = self.current().clone();
        let mut all = all.as_array().unwrap().iter();
        let alert = all.find(|a| a["name"] == name.as_str()).unwrap();
        let incident = &alert["status"]["incident"];
        match self.phase.clone() {
            Phase::Begins if !incident.is_null() => {
                let incident = incident["id"].as_str().unwrap().to_owned();
                let seen = self.incident(api, &incident).await;
                let at = seen["raisedAt"].as_i64().unwrap();
                self.phase = Phase::Raised { incident, at };
            }
            Phase::Raised { incident, at } if answered.is_some() => {
                let seen = self.incident(api, &incident).await;
                match seen["answers"][0]["at"].as_i64() {
                    None => self.answer(server, gateways, &name).await,
                    Some(answered_at) => {
                        let last = self.lives.last_mut().expect("an alert");
                        last.1 = Some(answered_at < at + MINUTE_MS);
                    }
                }
            }
            Phase::Ends if incident.is_null() => self.phase = Phase::Over,
            _ => {}
        }
    }

    async fn incident(&self, api: &Api, id: &str) -> Value {
        api.of_farm(&format!("incidents/{id}")).await
    }

    /// The manager says by the link that came that they are on it, once it has come.
    async fn answer(&self, server: &Server, gateways: &Gateways, name: &str) {
        let to = format!("{}@{}.example", self.manager.name, self.farm);
        let is_ours = |m: &&Received| m.to == to && m.subject.contains(name);
        let all = gateways.inbox.all();
        let Some(message) = all.iter().find(is_ours) else {
            return;
        };
        let link = message
            .text
            .split_whitespace()
            .find(|w| w.starts_with(SITE));
        let path = link
            .and_then(|l| l.strip_prefix(SITE))
            .expect(&message.text);
        let form = self.client.post(format!("{}{path}", server.http));
        let form = form.header("content-type", "application/x-www-form-urlencoded");
        let answer = form.body("what=on_it&seen=0").send().await.unwrap();
        assert!(answer.status().is_success(), "{:?}", answer.status());
    }

    /// Whether all is told that is told while it is raised: to who answers no more, else again and further.
    pub(crate) async fn is_told(&self, api: &Api) -> bool {
        let Phase::Raised { incident, at } = &self.phase else {
            return false;
        };
        let seen = self.incident(api, incident).await;
        let is_late = now_ms() > at + MINUTE_MS + 3_000;
        let messages = seen["told"].as_array().unwrap();
        let is_done = messages.iter().all(|m| m["state"] != "QUEUED");
        let further = messages.iter().any(|m| m["step"] == 1);
        let answered = seen["answers"] != json!([]);
        is_late
            && is_done
            && (if self.current().1.is_some() {
                answered
            } else {
                further
            })
    }

    /// Whether somebody has still to answer it.
    pub(crate) fn waits_for_answer(&self) -> bool {
        self.current().1 == Some(false)
    }

    /// How many of its alerts were answered before they were told again.
    pub(crate) fn answered_in_time(&self) -> usize {
        let in_time = |(_, answered): &&(String, Option<bool>)| *answered == Some(true);
        self.lives.iter().filter(in_time).count()
    }

    /// From now on its sensor says what is normal.
    pub(crate) fn end(&mut self) {
        self.phase = Phase::Ends;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Waits until the end of each alert is written and nothing of the farm waits; the messages of its alerts, as the server knows
    /// them.
    pub(crate) async fn rows(&self, api: &Api) -> Vec<Value> {
        let ends = [&OWNER, self.manager].map(|who| who.titles[2]);
        let patience = Duration::from_secs(120);
        until("nothing waits any more", patience, async || {
            let list = api.of_farm("deliveries?limit=500").await;
            let all = list["messages"].as_array()?.clone();
            let alerts: Vec<Value> = all.into_iter().filter(|m| m["kind"] == "ALERT").collect();
            let is_end = |m: &&Value| ends.iter().any(|end| title(m).starts_with(end));
            let are_over = alerts.iter().filter(is_end).count() >= ends.len() * self.lives.len();
            let wait = alerts.iter().any(|m| m["state"] == "QUEUED");
            (are_over && !wait).then_some(alerts)
        })
        .await
    }

    /// What came is what the server sent, each once and in order.
    pub(crate) fn check(&self, rows: &[Value], came: &[Received]) -> usize {
        // that a controller is offline is told too: it is gone while the server is
        let is_told = |title: &str| self.lives.iter().any(|(name, _)| title.ends_with(name));
        let is_ours = |row: &&Value| is_told(title(row));
        let rows: Vec<&Value> = rows.iter().filter(is_ours).collect();
        let known: BTreeSet<&str> = { rows.iter().filter(|r| r["state"] == "SENT") }
            .filter_map(|r| r["id"].as_str())
            .collect();
        let mut texts: BTreeMap<&str, &Received> = BTreeMap::new();
        let mut order: Vec<&Received> = Vec::new();
        for message in came {
            if !is_told(&message.subject) {
                continue;
            }
            let key = message.key.as_deref().expect("a key");
            match texts.insert(key, message) {
                None => order.push(message),
                Some(first) => {
                    assert_eq!(
                        (&first.to, &first.text),
                        (&message.to, &message.text),
                        "{key}"
                    );
                }
            }
        }
        let keys: BTreeSet<&str> = texts.keys().copied().collect();
        let apart: Vec<_> = keys.symmetric_difference(&known).collect();
        assert!(
            apart.is_empty(),
            "sent and not come, or come and not sent: {apart:?}"
        );
        for row in rows.iter().filter(|r| r["state"] != "SENT") {
            assert_eq!(row["reason"], "folded", "{row}");
        }
        for (name, answered) in &self.lives {
            for who in [&OWNER, self.manager] {
                let to = format!("{}@{}.example", who.name, self.farm);
                let told: Vec<&Received> = { order.iter().copied() }
                    .filter(|m| m.to == to && m.subject.ends_with(name.as_str()))
                    .collect();
                let kind = |m: &&Received| {
                    let said = m.subject.strip_suffix(name.as_str()).unwrap_or_default();
                    let found = who.titles.iter().position(|t| *t == said);
                    found.unwrap_or_else(|| panic!("{to} reads {}: {}", who.language, m.subject))
                };
                let kinds: Vec<usize> = told.iter().map(kind).collect();
                let again = kinds.iter().filter(|k| **k == 1).count();
                assert!(kinds.is_sorted(), "{to}: {name}: {kinds:?}");
                assert_eq!(
                    kinds.iter().filter(|k| **k == 0).count(),
                    1,
                    "{to}: {name}: {kinds:?}"
                );
                assert_eq!(kinds.last(), Some(&2), "{to}: {name}: {kinds:?}");
                assert_eq!(
                    kinds.iter().filter(|k| **k == 2).count(),
                    1,
                    "{to}: {name}: {kinds:?}"
                );
                let further = told
                    .iter()
                    .any(|m| m.text.contains("Nobody has answered for 1 min."));
                let is_owner = who.role == Role::Owner;
                if *answered == Some(true) || !is_owner {
                    assert_eq!((again, further), (0, false), "{to}: {name}: {kinds:?}");
                } else if answered.is_none() {
                    assert!(again >= 1 && further, "{to}: {name}: {kinds:?}");
                }
            }
        }
        order.len()
    }
}

fn title(row: &Value) -> &str {
    row["title"].as_str().unwrap_or_default()
}

/// Goes on with all, the gateways working, until each has come so far.
pub(crate) async fn until_all(
    lives: &mut [Life],
    (server, apis, gateways): (&Server, &[Api], &Gateways),
    far: impl AsyncFn(&Life, &Api) -> bool,
) {
    gateways.inbox.set_mode(Mode::Ok);
    until(
        "each alert has come so far",
        Duration::from_secs(150),
        async || {
            let mut all = true;
            for (life, api) in lives.iter_mut().zip(apis) {
                life.go_on(server, api, gateways).await;
                all &= far(&*life, api).await;
            }
            all.then_some(())
        },
    )
    .await;
}
