//! Socket.IO, spoken by hand over polling: what is sent is text that a test can read.

use std::time::{Duration, Instant};

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::openapi::{DOCUMENT, resolved};
use crate::support::{App, Person};

/// A Socket.IO connection over polling.
pub(crate) struct Socket<'a> {
    app: &'a App,
    sid: String,
    waiting: Vec<String>,
    heard: Vec<String>,
}

impl<'a> Socket<'a> {
    /// Opens the transport; nobody is signed in yet.
    async fn open(app: &'a App) -> Self {
        let answer = app
            .send(app.request(Method::GET, "/socket.io/?EIO=4&transport=polling"))
            .await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        let hello: Value =
            serde_json::from_str(answer.text.strip_prefix('0').expect("an open packet"))
                .expect("JSON");
        let sid = hello["sid"].as_str().expect("a sid").to_owned();
        Self {
            app,
            sid,
            waiting: Vec::new(),
            heard: Vec::new(),
        }
    }

    /// Opens and signs in.
    pub(crate) async fn signed_in(app: &'a App, person: &Person) -> Self {
        let mut socket = Self::open(app).await;
        socket
            .say(&format!("40{}", json!({"token": person.token})))
            .await;
        let answer = socket.hear().await;
        assert!(answer.starts_with("40"), "{answer}");
        socket
    }

    /// Opens, and is told at signing in that there is no room.
    pub(crate) async fn refused(app: &'a App, person: &Person) {
        let answer = Self::answer(app, person).await;
        assert!(
            answer.starts_with("44") && answer.contains("busy"),
            "{answer}"
        );
    }

    /// Whether there is room for that person; what was opened is left to itself.
    pub(crate) async fn signed_in_if_there_is_room(app: &'a App, person: &Person) -> bool {
        Self::answer(app, person).await.starts_with("40")
    }

    async fn answer(app: &'a App, person: &Person) -> String {
        let mut socket = Self::open(app).await;
        socket
            .say(&format!("40{}", json!({"token": person.token})))
            .await;
        socket.hear().await
    }

    fn path(&self) -> String {
        format!("/socket.io/?EIO=4&transport=polling&sid={}", self.sid)
    }

    async fn say(&self, packet: &str) {
        let request = self
            .app
            .request(Method::POST, &self.path())
            .header("content-type", "text/plain")
            .body(packet.to_owned());
        assert_eq!(self.app.send(request).await.status, StatusCode::OK);
    }

    /// The next packet that is no ping; empty when the server has ended the connection.
    async fn hear(&mut self) -> String {
        loop {
            while !self.waiting.is_empty() {
                let packet = self.waiting.remove(0);
                self.heard.push(packet.clone());
                match packet.as_str() {
                    "2" => self.say("3").await,
                    "1" => return String::new(),
                    _ => return packet,
                }
            }
            let answer = self
                .app
                .send(self.app.request(Method::GET, &self.path()))
                .await;
            if answer.status != StatusCode::OK {
                return String::new();
            }
            self.waiting = answer.text.split('\u{1e}').map(str::to_owned).collect();
        }
    }

    /// Asks for a farm, and returns the acknowledgement.
    pub(crate) async fn subscribe(&mut self, farm: &Value) -> Value {
        self.say(&format!("420{}", json!(["subscribe", farm])))
            .await;
        loop {
            let packet = self.hear().await;
            if let Some(ack) = packet.strip_prefix("430") {
                let ack: Value = serde_json::from_str(ack).expect("JSON");
                return ack[0].clone();
            }
            assert!(!packet.is_empty(), "the server ended the connection");
        }
    }

    /// How many events of that name were heard so far.
    pub(crate) fn heard_of(&self, name: &str) -> usize {
        let begins = format!("42[\"{name}\"");
        self.heard.iter().filter(|p| p.starts_with(&begins)).count()
    }

    /// The next event of that name.
    pub(crate) async fn event(&mut self, name: &str) -> Value {
        let next = async {
            loop {
                let packet = self.hear().await;
                assert!(!packet.is_empty(), "the server ended the connection");
                let Some(event) = packet.strip_prefix("42") else {
                    continue;
                };
                let event: Value = serde_json::from_str(event).expect("JSON");
                documented(&event);
                if event[0] == name {
                    return event[1].clone();
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(5), next)
            .await
            .unwrap_or_else(|_| panic!("no {name} came"))
    }

    /// Every packet so far.
    pub(crate) fn heard(&self) -> &[String] {
        &self.heard
    }

    /// Waits until the server ends the connection, or has the socket leave the namespace.
    pub(crate) async fn ended(&mut self) {
        let ended = async {
            loop {
                let packet = self.hear().await;
                if packet.is_empty() || packet.starts_with("41") {
                    return;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(5), ended)
            .await
            .expect("the connection ends");
    }
}

/// Fails on an event that the document does not know, and on one that lacks what it should have or has what it should not.
fn documented(event: &Value) {
    fn check(message: &Value, schema: &'static Value, what: &str) {
        let schema = resolved(schema);
        if let (Some(each), Some(items)) = (schema.get("items"), message.as_array()) {
            for item in items {
                check(item, each, what);
            }
        }
        let (Some(known), Some(fields)) = (schema.get("properties"), message.as_object()) else {
            return;
        };
        for required in schema["required"].as_array().into_iter().flatten() {
            let name = required.as_str().expect("a name");
            assert!(fields.contains_key(name), "{what} lacks {name}: {message}");
        }
        for (name, value) in fields {
            match known.get(name) {
                Some(schema) => check(value, schema, &format!("{what}.{name}")),
                // what else an event of the engine has depends on which it is
                None => assert_eq!(what, "event", "{name}: {message}"),
            }
        }
    }
    let name = event[0].as_str().expect("a name");
    let place = &DOCUMENT["x-events"][name]["message"];
    assert!(place.is_object(), "{name} is not documented");
    check(&event[1], place, name);
}

#[tokio::test]
async fn nobody_connects_without_a_live_token() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    for auth in [
        "".to_owned(),
        json!({}).to_string(),
        json!({"token": "x"}).to_string(),
        json!({"token": owner.id}).to_string(),
        json!([1]).to_string(),
    ] {
        let mut socket = Socket::open(&app).await;
        socket.say(&format!("40{auth}")).await;
        let refused = socket.hear().await;
        assert_eq!(
            refused, r#"44{"message":"Authentication required"}"#,
            "{auth}"
        );
    }
}

#[tokio::test]
async fn a_subscriber_hears_its_farm_and_no_other() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let (a, b) = (
        app.person("a", Role::Viewer).await,
        app.person("b", Role::Viewer).await,
    );
    let (mut of_a, mut of_b) = (
        Socket::signed_in(&app, &a).await,
        Socket::signed_in(&app, &b).await,
    );
    assert_eq!(
        of_a.subscribe(&json!({"farmId": "a"})).await,
        json!({"ok": true, "farmId": "a"})
    );
    assert_eq!(of_b.subscribe(&json!({"farmId": "b"})).await["ok"], true);

    let manager = app.person("a", Role::FarmManager).await;
    let alert = crate::support::alert();
    app.call(&manager, Method::POST, "/api/farms/a/alerts", &alert)
        .await
        .expect(StatusCode::CREATED);
    app.reading("a", "ph-a", 4_000_000).await;
    let raised = of_a.event("event").await;
    assert_eq!(raised["event"], "alert_raised");
    // the first one that it is told may be from before the reading
    while of_a.event("means").await["latest"]["ph"]["value"] != 4.0 {}

    // the other one hears of its own farm first, so nothing of this one came before
    let manager = app.person("b", Role::FarmManager).await;
    let mut other = alert;
    other["id"] = json!("of-b");
    app.call(&manager, Method::POST, "/api/farms/b/alerts", &other)
        .await
        .expect(StatusCode::CREATED);
    app.reading("b", "ph-a", 4_000_000).await;
    let raised = of_b.event("event").await;
    assert_eq!(
        (&raised["event"], &raised["alert"]),
        (&json!("alert_raised"), &json!("of-b"))
    );
}

#[tokio::test]
async fn anothers_farm_cannot_be_followed() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let b = app.person("b", Role::Owner).await;
    let mut socket = Socket::signed_in(&app, &b).await;
    for wish in [
        json!({"farmId": "a"}),
        json!({"farmId": "no-such-farm"}),
        json!({"farmId": "*"}),
        json!({"farmId": ["a"]}),
        json!("a"),
        json!(null),
    ] {
        let refused = socket.subscribe(&wish).await;
        assert_eq!(
            refused,
            json!({"ok": false, "error": "Not found", "code": "not_found"}),
            "{wish}"
        );
    }
}

#[tokio::test]
async fn the_end_of_a_sign_in_ends_its_sockets() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let mut socket = Socket::signed_in(&app, &owner).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    let start = Instant::now();
    app.call(&owner, Method::POST, "/auth/logout", &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    socket.ended().await;
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn the_end_of_a_membership_ends_what_is_told() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let person = app.person("a", Role::Viewer).await;
    app.records
        .set_role(&person.id, "b", Role::Viewer)
        .await
        .expect("a role");
    let mut socket = Socket::signed_in(&app, &person).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    app.records
        .remove_role(&person.id, "a")
        .await
        .expect("stored");
    tokio::time::sleep(Duration::from_secs(1)).await;

    let manager = app.person("a", Role::FarmManager).await;
    app.call(
        &manager,
        Method::POST,
        "/api/farms/a/alerts",
        &crate::support::alert(),
    )
    .await
    .expect(StatusCode::CREATED);
    app.reading("a", "ph-a", 4_000_000).await;
    // the socket lives on, and hears answers, but nothing of that farm
    assert_eq!(
        socket.subscribe(&json!({"farmId": "a"})).await["code"],
        "not_found"
    );
    assert_eq!(socket.subscribe(&json!({"farmId": "b"})).await["ok"], true);
    assert!(
        !socket
            .heard
            .iter()
            .any(|packet| packet.contains("alert_raised")),
        "{:?}",
        socket.heard
    );
}

#[tokio::test]
async fn sockets_end_with_the_server() {
    let mut app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let _socket = Socket::signed_in(&app, &owner).await;
    let start = Instant::now();
    app.shut_down().await;
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}
