//! Two farms with an owner each, and the API as the owner uses it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harit_api::{Language, NewFarm, NewUser, Records, RecordsPlace, Role};
use harit_engine::FarmDocument;
use harit_ingest::{Hub, HubConfig};
use harit_protocol::Mac;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::server::{Home, PATIENCE, Server, until};

pub(crate) const GREEN: &str = "green";
pub(crate) const BLUE: &str = "blue";
const HOUSE: &str = "house";
const PASSWORD: &str = "correct-horse-battery";

/// Milliseconds since the epoch.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// Makes the farms in a new data directory, by the same means as the demo's: no screen makes a farm yet.
pub(crate) async fn seeded() -> Home {
    seeded_with(&[]).await
}

/// The same, with these controllers of green's, all in one polyhouse.
pub(crate) async fn seeded_with(controllers: &[Account]) -> Home {
    let home = Home::empty();
    let data = home.data();
    std::fs::create_dir_all(&data).unwrap();
    let records = Records::open(&RecordsPlace::file_in(&data)).await.unwrap();
    let config = HubConfig {
        shards: 1,
        ..HubConfig::new(&data)
    };
    let hub = Hub::open(config, std::sync::Arc::new(records.clone()))
        .await
        .unwrap();
    for farm in [GREEN, BLUE] {
        let owner = NewUser {
            contact: &format!("owner@{farm}.example"),
            phone: None,
            name: "Owner",
            password: Some(PASSWORD),
            language: Language::parse("en").unwrap(),
            onboarding_completed: true,
        };
        let new = NewFarm {
            id: farm,
            name: farm,
            location: None,
            position: None,
            timezone: "Asia/Kolkata",
        };
        let owner = records.create_user(owner).await.unwrap();
        records.create_farm(new).await.unwrap();
        records.set_role(&owner, farm, Role::Owner).await.unwrap();
        let houses = if controllers.is_empty() {
            json!([])
        } else {
            json!([{"id": HOUSE, "name": HOUSE}])
        };
        let document = json!({"farm": {"id": farm, "name": farm, "settings": {"min_samples": 2}}, "polyhouses": houses});
        let document: FarmDocument = serde_json::from_value(document).unwrap();
        hub.add_farm(document).await.unwrap();
    }
    for account in controllers {
        let mac = Mac::parse(&account.mac).unwrap();
        records
            .create_polyhouse_controller(GREEN, mac, &account.mac, &account.secret, HOUSE)
            .await
            .unwrap();
    }
    hub.shutdown().await.unwrap();
    records.close().await;
    home
}

/// Adds a manager to a farm, known by an e-mail address and perhaps a phone, by the same means as the farms.
pub(crate) async fn add_manager(
    home: &Home,
    (farm, contact, phone, language): (&str, &str, Option<&str>, &str),
) {
    let records = Records::open(&RecordsPlace::file_in(&home.data()))
        .await
        .unwrap();
    let user = NewUser {
        contact,
        phone,
        name: "Manager",
        password: None,
        language: Language::parse(language).unwrap(),
        onboarding_completed: true,
    };
    let id = records.create_user(user).await.unwrap();
    records
        .set_role(&id, farm, Role::FarmManager)
        .await
        .unwrap();
    records.close().await;
}

/// A server with the two farms, all on one shard: what one farm does to another shows there first.
pub(crate) async fn server(home: &Home) -> Server {
    home.server(&[], &[("HARIT_STORAGE_SHARDS", "1")]).await
}

/// What a controller connects with.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) mac: String,
    pub(crate) secret: String,
    /// Ends in a slash.
    pub(crate) topic: String,
    /// The polyhouse that came with it.
    pub(crate) polyhouse: String,
}

impl Account {
    /// One of green's in the house that [`seeded_with`] makes; the MAC id is the prefix and the number.
    pub(crate) fn numbered(prefix: &str, n: usize) -> Self {
        let mac = format!("{prefix}{n:06X}");
        Self {
            topic: format!("harit/1/{GREEN}/{mac}/"),
            secret: format!("secret-of-{mac}"),
            polyhouse: HOUSE.to_owned(),
            mac,
        }
    }
}

/// A farm's owner.
#[derive(Clone)]
pub(crate) struct Api {
    client: Client,
    base: String,
    farm: String,
    token: String,
}

impl Api {
    pub(crate) async fn of(server: &Server, farm: &str) -> Self {
        Self::sign_in(server, farm, &format!("owner@{farm}.example"), PASSWORD).await
    }

    pub(crate) async fn sign_in(
        server: &Server,
        farm: &str,
        contact: &str,
        password: &str,
    ) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        // The server closes what is idle for five seconds; a test that blocks meanwhile would not see it.
        let client = Client::builder()
            .timeout(PATIENCE)
            .pool_idle_timeout(Duration::from_secs(2))
            .build()
            .unwrap();
        let mut api = Self {
            client,
            base: server.http.clone(),
            farm: farm.to_owned(),
            token: String::new(),
        };
        let body = json!({"contact": contact, "password": password});
        let (status, answer) = api.send(Method::POST, "/auth/login", Some(&body)).await;
        assert_eq!(status, 200, "{answer}");
        answer["token"].as_str().unwrap().clone_into(&mut api.token);
        api
    }

    /// The same sign-in after a restart.
    pub(crate) fn moved(&mut self, server: &Server) {
        self.base.clone_from(&server.http);
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> (u16, Value) {
        let mut request = self
            .client
            .request(method, format!("{}{path}", self.base))
            .bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        (status, body)
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let (status, answer) = self.send(Method::GET, path, None).await;
        assert_eq!(status, 200, "GET {path}: {answer}");
        answer
    }

    /// What it signed in with.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Something of the farm.
    pub(crate) async fn of_farm(&self, rest: &str) -> Value {
        self.get(&format!("/api/farms/{}/{rest}", self.farm)).await
    }

    pub(crate) async fn post(&self, rest: &str, body: &Value) -> (u16, Value) {
        let path = format!("/api/farms/{}/{rest}", self.farm);
        self.send(Method::POST, &path, Some(body)).await
    }

    /// Registers a controller of a polyhouse of its own.
    pub(crate) async fn register(&self, mac: &str) -> Account {
        let body = json!({"farmId": self.farm, "assets": [{"type": "POLYHOUSE", "name": format!("House {mac}"), "macid": mac}]});
        let (status, answer) = self
            .send(Method::POST, "/onboarding/assets", Some(&body))
            .await;
        assert_eq!(status, 201, "{answer}");
        let asset = &answer["assets"][0];
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Account {
            mac: text(&asset["mqtt"]["username"]),
            secret: text(&asset["mqtt"]["password"]),
            topic: text(&asset["mqtt"]["topic"]),
            polyhouse: text(&asset["polyhouseId"]),
        }
    }

    /// Makes a deployed rule: a temperature above 30 switches the device on, one below 25 switches it off.
    pub(crate) async fn rule(
        &self,
        id: &str,
        device: &str,
        scope: &Value,
        hold_sec: u64,
        stop_sec: u64,
    ) {
        let rule = json!({
            "id": id, "name": id, "mode": "auto", "deployed": true, "scope": scope,
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 30, "duration_sec": hold_sec, "scope": scope},
            "actions": [{"device_id": device, "command": {"action": "on"}, "delay_sec": 0}],
            "stop_condition": {"sensor_type": "temperature", "operator": "lt", "value": 25, "duration_sec": stop_sec},
        });
        let (status, answer) = self.post("rules", &rule).await;
        assert_eq!(status, 201, "{answer}");
    }

    /// Waits until the device is there and its controller online.
    pub(crate) async fn device_online(&self, id: &str) {
        until(&format!("{id} online"), PATIENCE, async || {
            let devices = self.of_farm("devices").await;
            let found = devices.as_array()?.iter().find(|d| d["id"] == id)?;
            (found["online"] == true).then_some(())
        })
        .await;
    }

    /// Waits until the command is in that state.
    pub(crate) async fn command_is(&self, id: &str, state: &str) -> Value {
        let mut last = Value::Null;
        let waited = tokio::time::timeout(Duration::from_secs(5), async {
            loop {
                last = self.of_farm(&format!("commands/{id}")).await;
                if last["state"] == state {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        })
        .await;
        assert!(waited.is_ok(), "never {state}: {last}");
        last
    }

    /// A counter's sum over its labels that contain the text.
    pub(crate) async fn metric(&self, name: &str, label: &str) -> f64 {
        let text = self.get("/metrics").await;
        text.as_str()
            .unwrap()
            .lines()
            .filter(|l| {
                l.strip_prefix(name)
                    .is_some_and(|r| r.starts_with([' ', '{']))
                    && l.contains(label)
            })
            .filter_map(|l| l.rsplit_once(' ')?.1.parse::<f64>().ok())
            .sum()
    }
}
