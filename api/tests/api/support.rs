//! A running server with farms and people.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use harit_api::{
    ApiConfig, Language, NewFarm, NewUser, NoProvider, Records, RecordsPlace, Role, Weather, serve,
};
use harit_engine::{FarmDocument, FarmId, InputKind, Measured, Quantity};
use harit_ingest::{Hub, HubConfig};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::database::{Database, new_place};
use crate::openapi::documented;

pub(crate) const PASSWORD: &str = "polyhouse-test";

/// A server that stops when it is dropped or told to.
pub(crate) struct App {
    pub(crate) base: String,
    pub(crate) records: Records,
    pub(crate) hub: Hub,
    pub(crate) mqtt_up: Arc<AtomicBool>,
    pub(crate) state: harit_api::AppState,
    client: Client,
    stop: Option<oneshot::Sender<()>>,
    server: Option<JoinHandle<std::io::Result<()>>>,
    place: RecordsPlace,
    dir: TempDir,
}

/// Somebody who is signed in.
pub(crate) struct Person {
    pub(crate) id: String,
    pub(crate) email: String,
    pub(crate) token: String,
}

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }

    pub(crate) fn expect(self, status: StatusCode) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        if self.text.is_empty() {
            Value::Null
        } else {
            self.json()
        }
    }
}

impl App {
    pub(crate) async fn start() -> Self {
        let config = ApiConfig {
            // tests change more than people
            changes_per_user: 100_000,
            ..ApiConfig::default()
        };
        Self::with(config, Arc::new(NoProvider)).await
    }

    /// A server with the farm "a", and its owner.
    pub(crate) async fn with_owner() -> (Self, Person) {
        let app = Self::start().await;
        app.farm("a").await;
        let owner = app.person("a", Role::Owner).await;
        (app, owner)
    }

    pub(crate) async fn with(config: ApiConfig, weather: Arc<dyn Weather>) -> Self {
        let dir = TempDir::new().expect("a directory");
        let place = new_place(dir.path()).await;
        let records = Records::open(&place).await.expect("records");
        Self::over(records, place, dir, config, weather).await
    }

    /// Over records that are open.
    pub(crate) async fn over(
        records: Records,
        place: RecordsPlace,
        dir: TempDir,
        config: ApiConfig,
        weather: Arc<dyn Weather>,
    ) -> Self {
        let hub = Hub::open(hub_config(&dir), Arc::new(records.clone()))
            .await
            .expect("a hub");
        let mqtt_up = Arc::new(AtomicBool::new(true));
        let probe = mqtt_up.clone();
        let probe: harit_api::Probe = Arc::new(move || probe.load(Ordering::Relaxed));
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        let state = harit_api::AppState::new(
            config,
            records.clone(),
            hub.clone(),
            weather,
            Some(recorder.handle()),
            probe,
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(serve(listener, None, state.clone(), async move {
            let _ = stopped.await;
        }));
        Self {
            base,
            records,
            hub,
            mqtt_up,
            state,
            client: client(),
            stop: Some(stop),
            server: Some(server),
            place,
            dir,
        }
    }

    /// Where the server keeps its files.
    pub(crate) fn dir(&self) -> &std::path::Path {
        self.dir.path()
    }

    /// Where its records are.
    pub(crate) fn place(&self) -> &RecordsPlace {
        &self.place
    }

    /// A connection to its records.
    pub(crate) async fn database(&self) -> Database {
        Database::of(&self.place).await
    }

    /// Changes what is recorded, behind the server's back: time passes, say.
    pub(crate) async fn meddle(&self, sql: &'static str) -> u64 {
        let mut database = self.database().await;
        let rows = database.execute(sql).await.expect("done");
        database.close().await;
        rows
    }

    /// The audit entries of a farm whose action is like that, oldest first: action and details.
    pub(crate) async fn audited(&self, farm: &str, like: &str) -> Vec<(String, Value)> {
        const LIKE: &str =
            "SELECT action, details FROM audit WHERE farm_id = $1 AND action LIKE $2 ORDER BY seq";
        let mut database = self.database().await;
        let rows = database.pairs(LIKE, [farm, like]).await;
        database.close().await;
        rows.into_iter()
            .map(|(action, details)| (action, serde_json::from_str(&details).expect("JSON")))
            .collect()
    }

    /// A demo, whose outbox can be read, without limits by address: all tests come from one.
    pub(crate) async fn demo() -> Self {
        let config = ApiConfig {
            demo: Some(harit_api::DemoSignIn {
                farm: "a".into(),
                users: Vec::new(),
                password: PASSWORD.into(),
            }),
            sign_ins_per_address: 100_000,
            codes_per_address: 100_000,
            registrations_per_address: 100_000,
            ..ApiConfig::default()
        };
        Self::with(config, Arc::new(NoProvider)).await
    }

    /// The latest code or link that was sent to a contact; waits for it.
    pub(crate) async fn sent(&self, to: &str) -> Value {
        for _ in 0..200 {
            let outbox = self
                .send(self.request(Method::GET, "/api/demo/outbox"))
                .await
                .expect(StatusCode::OK);
            let messages = outbox["messages"].as_array().expect("messages");
            if let Some(message) = messages.iter().find(|m| m["to"] == to) {
                return message.clone();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("nothing was sent to {to}");
    }

    /// A request by nobody.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// Stops the server and waits for it.
    pub(crate) async fn shut_down(&mut self) {
        drop(self.stop.take());
        let server = self.server.take().expect("running");
        tokio::time::timeout(Duration::from_secs(5), server)
            .await
            .expect("stops in time")
            .expect("no panic")
            .expect("stops well");
    }

    /// Stops the server and starts one on the same files.
    pub(crate) async fn restart(self, config: ApiConfig) -> Self {
        self.restart_after(Duration::ZERO, config).await
    }

    /// The same after a time in which it is off.
    pub(crate) async fn restart_after(mut self, off: Duration, config: ApiConfig) -> Self {
        if self.server.is_some() {
            self.shut_down().await;
        }
        self.hub.clone().shutdown().await.expect("shut down");
        self.records.close().await;
        tokio::time::sleep(off).await;
        let elsewhere = TempDir::new().expect("a directory");
        let dir = std::mem::replace(&mut self.dir, elsewhere);
        let place = self.place.clone();
        let records = Records::open(&place).await.expect("records");
        Self::over(records, place, dir, config, Arc::new(NoProvider)).await
    }

    /// A farm with a polyhouse, a zone, sensors, devices and nothing else; its row and its engine.
    pub(crate) async fn farm(&self, id: &str) {
        let farm = NewFarm {
            id,
            name: "Green Valley",
            location: Some("Nashik"),
            position: None,
            timezone: "Asia/Kolkata",
        };
        self.records.create_farm(farm).await.expect("a farm");
        let document = FarmDocument::from_json(&document(id)).expect("a document");
        self.hub.add_farm(document).await.expect("an engine");
    }

    /// A user with a role in a farm, signed in.
    pub(crate) async fn person(&self, farm: &str, role: Role) -> Person {
        let person = self
            .stranger(&format!("{}@{farm}.test", role.as_str().to_lowercase()))
            .await;
        self.records
            .set_role(&person.id, farm, role)
            .await
            .expect("a role");
        person
    }

    /// A user who belongs to no farm, signed in.
    pub(crate) async fn stranger(&self, email: &str) -> Person {
        let user = NewUser {
            contact: email,
            phone: None,
            name: "Asha Patil",
            password: Some(PASSWORD),
            language: Language::En,
            onboarding_completed: true,
        };
        let id = self.records.create_user(user).await.expect("a user");
        let token = self.sign_in(email).await;
        Person {
            id,
            email: email.to_owned(),
            token,
        }
    }

    pub(crate) async fn sign_in(&self, email: &str) -> String {
        let body = json!({"contact": email, "password": PASSWORD});
        let answer = self
            .send(self.request(Method::POST, "/auth/login").json(&body))
            .await
            .expect(StatusCode::OK);
        answer["token"].as_str().expect("a token").to_owned()
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    pub(crate) async fn send(&self, request: RequestBuilder) -> Answer {
        let request = request.build().expect("a request");
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let response = self.client.execute(request).await.expect("an answer");
        documented(&method, &path, response.status(), response.headers());
        let (status, headers) = (response.status(), response.headers().clone());
        Answer {
            status,
            headers,
            text: response.text().await.expect("a body"),
        }
    }

    pub(crate) async fn get(&self, person: &Person, path: &str) -> Answer {
        self.send(self.request(Method::GET, path).bearer_auth(&person.token))
            .await
    }

    pub(crate) async fn call(
        &self,
        person: &Person,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Answer {
        self.send(
            self.request(method, path)
                .bearer_auth(&person.token)
                .json(body),
        )
        .await
    }

    /// A reading of a sensor, now.
    pub(crate) async fn reading(&self, farm: &str, sensor: &str, micro: i64) {
        let value = Measured::exact(Quantity::from_micro(micro));
        let input = InputKind::Reading {
            sensor: sensor.into(),
            value,
        };
        self.hub
            .admit(&FarmId::from(farm), input)
            .await
            .expect("admitted");
    }
}

pub(crate) fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .timeout(Duration::from_secs(10))
        .build()
        .expect("a client")
}

fn hub_config(dir: &TempDir) -> HubConfig {
    HubConfig {
        shards: 1,
        ..HubConfig::new(dir.path().join("data"))
    }
}

fn document(id: &str) -> Value {
    json!({
        "farm": {"id": id, "name": "Green Valley"},
        "polyhouses": [{"id": "ph-1", "name": "Polyhouse 1", "capacity": "500 m²", "zones": [{"id": "z-1", "name": "North"}, {"id": "z-2", "name": "South"}]}],
        "sensors": [
            {"id": "t-1", "name": "North air", "type": "temperature", "scope": {"type": "zone", "zoneId": "z-1"}},
            {"id": "t-2", "name": "South air", "type": "temperature", "scope": {"type": "zone", "zoneId": "z-2"}},
            {"id": "ph-a", "name": "pH A", "type": "ph", "scope": {"type": "farm"}},
            {"id": "ph-b", "name": "pH B", "type": "ph", "scope": {"type": "farm"}, "controller": "AABBCCDDEE01"},
            {"id": "level-1", "type": "reservoir_level", "scope": {"type": "farm"}, "controller": "AABBCCDDEE01"},
        ],
        "devices": [
            {"id": "fan-1", "name": "Fan", "type": "fan", "scope": {"type": "zone", "zoneId": "z-1"}, "supportedActions": [{"action": "on"}, {"action": "off"}]},
            {"id": "valve-1", "name": "Drip valve", "type": "valve", "scope": {"type": "zone", "zoneId": "z-1"}, "online": false},
            {"id": "pump-1", "name": "Pump", "type": "pump", "scope": {"type": "farm"}, "state": {"mode": "safety"}},
        ],
    })
}

/// A rule that is right.
pub(crate) fn rule() -> Value {
    json!({
        "name": "Cool the house",
        "scope": {"type": "polyhouse", "polyhouseId": "ph-1"},
        "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": 60},
        "actions": [{"device_id": "fan-1", "command": {"action": "on"}}],
        "stop_condition": {"sensor_type": "temperature", "operator": "lt", "value": 30},
    })
}

/// An alert that is right.
pub(crate) fn alert() -> Value {
    json!({
        "name": "Acid", "repeatsIn": 30, "repeatUnit": "minutes", "channels": ["EMAIL"],
        "conditions": [{"id": "1", "sensor": "pH", "operator": "<", "value": 5.5, "unit": ""}],
        "subscribers": [{"email": "a@b.test"}],
    })
}
