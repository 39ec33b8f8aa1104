//! Unknown senders: what nobody reads is grouped and proposed, and a tap makes readings of it; gateways, and MQTT over WebSocket.

use harit_api::{ApiConfig, Role};
use harit_testkit::mqtt::{Hello, publish};
use harit_testkit::web::WebSocket;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::pipeline::{Field, eventually, field_with};
use crate::support::{App, Person};

const UNKNOWN: &str = "/api/farms/a/unknown-senders";
const TAKE: &str = "/api/farms/a/unknown-senders/take";
const SENSORS: &str = "/api/farms/a/sensors";
const MAC: &str = "AABBCCDDEE10";

struct Yard {
    field: Field,
}

impl Yard {
    async fn new() -> Self {
        let field = field_with(ApiConfig::default()).await;
        Self { field }
    }

    /// Has the controller's account say something.
    async fn say(&self, topic: &str, payload: &str) {
        let mqtt = &self.field.asset["mqtt"];
        let request = self
            .field
            .app
            .request(Method::POST, &format!("/intake?topic={topic}"))
            .body(payload.to_owned())
            .basic_auth(
                mqtt["username"].as_str().unwrap(),
                Some(mqtt["password"].as_str().unwrap()),
            );
        let answer = self.field.app.send(request).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{}", answer.text);
    }

    async fn unknown(&self) -> Vec<Value> {
        let Field { app, owner, .. } = &self.field;
        let all = app.get(owner, UNKNOWN).await.expect(StatusCode::OK);
        all["senders"].as_array().unwrap().clone()
    }

    async fn take(&self, body: &Value) -> crate::support::Answer {
        let Field { app, owner, .. } = &self.field;
        app.call(owner, Method::POST, TAKE, body).await
    }
}

fn taken(group: &Value, number: &Value) -> Value {
    json!({
        "controller": group["controller"], "pattern": group["pattern"], "topics": group["topics"], "format": group["format"],
        "numbers": [{"at": number["at"], "type": number["types"][0], "unit": number["unit"]}],
        "scope": {"type": "farm"},
    })
}

async fn value_of(app: &App, owner: &Person, id: &str, value: f64) -> Value {
    let is_it = |all: &Value| {
        let mut all = all.as_array().unwrap().iter();
        all.any(|s| s["id"] == id && s["latestValue"].as_f64() == Some(value))
    };
    eventually(app, owner, SENSORS, is_it).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_tap_a_number_makes_readings_of_an_unknown_sender() {
    let yard = Yard::new().await;
    let payload =
        r#"{"Time":"2026-01-01T00:00:00","AM2301":{"Temperature":21.5,"Humidity":55,"Raw":7}}"#;
    for bed in ["bed-1", "bed-2"] {
        yard.say(&format!("{bed}/tele/SENSOR"), payload).await;
    }
    let all = yard.unknown().await;
    let [group] = &all[..] else { panic!("{all:?}") };
    assert_eq!(group["controller"], MAC);
    assert_eq!(group["pattern"], "{dev}/tele/SENSOR");
    assert_eq!(
        (&group["count"], &group["format"]),
        (&json!(2), &json!("json"))
    );
    let numbers = group["numbers"].as_array().unwrap();
    assert_eq!(
        numbers[0],
        json!({"at": "AM2301/Humidity", "key": "Humidity", "name": null, "value": "55", "types": ["humidity"], "unit": "%",
            "sure": true, "basis": "name", "read": false})
    );
    assert_eq!(numbers[1]["types"], json!(["temperature"]));
    assert_eq!(numbers[2]["types"], json!([]), "nobody knows what is raw");

    let Field { app, owner, .. } = &yard.field;
    let done = yard
        .take(&taken(group, &numbers[1]))
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(
        done["sensors"],
        json!(["bed-2/AM2301/Temperature", "bed-1/AM2301/Temperature"])
    );
    // The second tap adds to the same profile, and what is read by now is said.
    let again = yard.unknown().await;
    let read: Vec<_> = again[0]["numbers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| &n["read"])
        .collect();
    assert_eq!(read, [&json!(false), &json!(true), &json!(false)]);
    let more = yard
        .take(&taken(group, &numbers[0]))
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(more["profile"], done["profile"]);
    let own = app.get(owner, "/api/farms/a/device-profiles").await.json();
    assert_eq!(own.as_array().unwrap().len(), 1);
    assert_eq!(
        yard.unknown().await,
        Vec::<Value>::new(),
        "nothing is left to be said of it"
    );

    yard.say("bed-1/tele/SENSOR", &payload.replace("21.5", "22.5"))
        .await;
    let all = value_of(app, owner, "bed-1/AM2301/Temperature", 22.5).await;
    let placed = all
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["id"] == "bed-1/AM2301/Temperature");
    assert_eq!(
        placed.unwrap()["scope"]["type"],
        "farm",
        "where the person said"
    );
    value_of(app, owner, "bed-1/AM2301/Humidity", 55.0).await;
    // The next device of the kind is read without a tap.
    yard.say("bed-3/tele/SENSOR", payload).await;
    value_of(app, owner, "bed-3/AM2301/Temperature", 21.5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_announced_is_proposed_before_it_is_heard_and_after() {
    let yard = Yard::new().await;
    let config = r#"{"name":"Barrel","stat_t":"yard/sensor/barrel/state","unit_of_meas":"%","dev":{"name":"yard","mdl":"esp32"}}"#;
    yard.say("homeassistant/sensor/yard/barrel/config", config)
        .await;
    // What the shipped profile reads as announced is no news.
    let air = r#"{"stat_t":"yard/sensor/air_temperature/state","dev_cla":"temperature","unit_of_meas":"°C"}"#;
    yard.say("homeassistant/sensor/yard/air/config", air).await;
    let all = yard.unknown().await;
    let [group] = &all[..] else { panic!("{all:?}") };
    assert_eq!(
        (&group["payload"], &group["model"]),
        (&json!(null), &json!("esp32"))
    );
    let number = &group["numbers"][0];
    assert_eq!(
        (&number["name"], &number["sure"]),
        (&json!("Barrel"), &json!(false))
    );
    let may = number["types"].to_string();
    assert!(
        may.contains("reservoir_level") && may.contains("humidity"),
        "percent is asked: {may}"
    );
    // The profile of ESPHome has the topic, and reads nothing of it.
    yard.say("yard/sensor/barrel/state", "68").await;
    let all = yard.unknown().await;
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(
        (&all[0]["payload"], &all[0]["count"]),
        (&json!("68"), &json!(1))
    );
    assert_eq!(all[0]["numbers"][0]["name"], "Barrel");
    let mut body = taken(
        &all[0],
        &json!({"at": "", "types": ["reservoir_level"], "unit": "%"}),
    );
    body["numbers"][0]["name"] = json!("Barrel");
    let done = yard.take(&body).await.expect(StatusCode::CREATED);
    assert_eq!(done["sensors"], json!(["yard/barrel"]));
    yard.say("yard/sensor/barrel/state", "70").await;
    let Field { app, owner, .. } = &yard.field;
    let all = value_of(app, owner, "yard/barrel", 70.0).await;
    let named = all
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["id"] == "yard/barrel");
    assert_eq!(named.unwrap()["name"], "Barrel");
    assert_eq!(yard.unknown().await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_taken_over_is_told_and_changes_nothing() {
    let yard = Yard::new().await;
    let good = json!({"controller": MAC, "pattern": "barn/1", "topics": ["barn/1"], "format": "text",
        "numbers": [{"at": "", "type": "temperature"}]});
    let with = |path: &str, value: Value| {
        let mut body = good.clone();
        *body.pointer_mut(path).unwrap() = value;
        body
    };
    for (body, field) in [
        (with("/controller", json!("AABBCCDDEE99")), "controller"),
        (with("/numbers/0/type", json!("salt")), "numbers[0].type"),
        (with("/numbers", json!([])), "numbers"),
        (with("/pattern", json!("harit/1/a")), "numbers"),
        (with("/pattern", json!("a/#")), "numbers"),
    ] {
        let answer = yard.take(&body).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        assert_eq!(
            answer.json()["problems"][0]["path"],
            field,
            "{}",
            answer.text
        );
    }
    let mut lux = good.clone();
    lux["numbers"][0]["unit"] = json!("lux");
    let answer = yard.take(&lux).await;
    assert_eq!(answer.json()["problems"][0]["path"], "numbers[0].unit");
    let Field { app, owner, .. } = &yard.field;
    let own = app.get(owner, "/api/farms/a/device-profiles").await.json();
    assert_eq!(own, json!([]));
    let viewer = app.person("a", Role::Viewer).await;
    let refused = app.call(&viewer, Method::POST, TAKE, &good).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateway_makes_no_polyhouse() {
    let (app, owner) = App::with_owner().await;
    let houses = app.get(&owner, "/api/farms/a/polyhouses").await.json();
    let body = json!({"type": "GATEWAY", "macid": "AA:BB:CC:DD:EE:20"});
    let path = "/api/farms/a/controllers";
    let made = app
        .call(&owner, Method::POST, path, &body)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(
        (&made["type"], &made["name"]),
        (&json!("GATEWAY"), &json!("Gateway 1"))
    );
    assert_eq!(
        (&made["polyhouseId"], &made["reservoirId"]),
        (&json!(null), &json!(null))
    );
    let body = json!({"type": "GATEWAY", "macid": "AA:BB:CC:DD:EE:21"});
    let made = app
        .call(&owner, Method::POST, path, &body)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(made["name"], "Gateway 2");
    assert_eq!(
        app.get(&owner, "/api/farms/a/polyhouses").await.json(),
        houses
    );
    let body = json!({"type": "GATEWAY", "macid": "AA:BB:CC:DD:EE:22", "polyhouseId": "p1"});
    let refused = app.call(&owner, Method::POST, path, &body).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
}

/// A WebSocket of MQTT.
async fn web(app: &App, protocol: Option<&str>) -> Result<WebSocket, String> {
    let host = app.base.trim_start_matches("http://");
    WebSocket::open(host, "/mqtt", protocol).await
}

fn connect(name: &str, secret: &str) -> Vec<u8> {
    let hello = Hello {
        id: "web",
        user: Some(name),
        password: secret,
        keep_alive: 60,
        ..Hello::v4()
    };
    hello.bytes()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mqtt_comes_over_a_websocket_with_the_same_accounts_and_permissions() {
    let Field {
        app,
        endpoint,
        owner,
        asset,
        ..
    } = field_with(ApiConfig::default()).await;
    let refused = web(&app, Some("mqtt")).await;
    assert!(
        refused.is_err_and(|head| head.contains("404")),
        "it is off until there is an endpoint"
    );
    let _app_with_it = app.state.clone().taking(endpoint.visitors().unwrap());
    let other = web(&app, None).await;
    assert!(
        other.is_err_and(|head| head.contains("400")),
        "the protocol has to be named"
    );
    let mqtt = &asset["mqtt"];
    let (name, secret) = (
        mqtt["username"].as_str().unwrap(),
        mqtt["password"].as_str().unwrap(),
    );

    let mut link = web(&app, Some("mqtt")).await.unwrap();
    link.binary(&connect(name, "wrong")).await;
    assert_eq!(link.next().await, Some(vec![0x20, 2, 0, 4]));
    assert_eq!(link.next().await, None);

    let mut link = web(&app, Some("mqtt")).await.unwrap();
    // Packets do not end where frames do.
    let whole = connect(name, secret);
    let (one, two) = whole.split_at(7);
    link.binary(one).await;
    link.binary(two).await;
    assert_eq!(link.next().await, Some(vec![0x20, 2, 0, 0]));
    for (id, topic) in [
        (1, "tele/web/SENSOR"),
        (2, "harit/1/b/AABBCCDDEE99/telemetry"),
    ] {
        let payload = br#"{"AM2301":{"Temperature":19.5}}"#;
        link.binary(&publish(false, topic, Some(id), payload)).await;
        let [high, low] = id.to_be_bytes();
        assert_eq!(link.next().await, Some(vec![0x40, 2, high, low]));
    }
    value_of(&app, &owner, "web/AM2301/Temperature", 19.5).await;
    let letters = app.get(&owner, "/api/farms/a/dead-letters").await.json();
    assert!(letters.to_string().contains("not_allowed"), "{letters}");
    assert_eq!(endpoint.stats().connections, 1);
    drop(link);
    let began = std::time::Instant::now();
    while endpoint.stats().connections > 0 {
        assert!(
            began.elapsed() < std::time::Duration::from_secs(5),
            "it is noticed"
        );
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    endpoint.shutdown().await;
}

/// What mqtt.js says over a WebSocket, with that password.
async fn mqtt_js(app: &App, mqtt: &Value, version: &str, secret: &str) -> String {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let clients = here.join("../target/interop");
    assert!(
        clients.join("node_modules/mqtt").exists(),
        "mqtt.js is not here: run scripts/install-test-clients.sh, or set HARIT_SKIP_INTEROP=1 to leave the interop tests out"
    );
    let client = tokio::process::Command::new("node")
        .arg(here.join("tests/mqttjs_websocket.cjs"))
        .env("CLIENTS", clients)
        .env("URL", format!("{}/mqtt", app.base.replace("http", "ws")))
        .env("VERSION", version)
        .env("BASE", mqtt["topic"].as_str().unwrap())
        .env("MAC", mqtt["username"].as_str().unwrap())
        .env("SECRET", secret)
        .kill_on_drop(true)
        .output();
    let patience = std::time::Duration::from_secs(60);
    let output = tokio::time::timeout(patience, client).await;
    let output = output.expect("it ends in time").expect("node");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mqtt_js_speaks_both_versions_over_a_websocket() {
    if std::env::var("HARIT_SKIP_INTEROP").is_ok_and(|skip| skip == "1") {
        return;
    }
    let Field {
        app,
        endpoint,
        owner,
        asset,
        ..
    } = field_with(ApiConfig::default()).await;
    let _with_it = app.state.clone().taking(endpoint.visitors().unwrap());
    let mqtt = &asset["mqtt"];
    let secret = mqtt["password"].as_str().unwrap();
    for version in ["4", "5"] {
        let said = mqtt_js(&app, mqtt, version, secret).await;
        let expected = "{\"granted\":[1],\"acked\":true}\n{\"done\":true}\n";
        assert_eq!(said, expected, "version {version}");
        let id = format!("js{version}/AM2301/Temperature");
        value_of(&app, &owner, &id, 18.5).await;
    }
    let refused = mqtt_js(&app, mqtt, "4", "wrong").await;
    assert!(refused.contains("refused"), "{refused}");
    endpoint.shutdown().await;
}
