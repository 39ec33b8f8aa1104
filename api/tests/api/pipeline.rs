//! From a registered asset to a confirmed command: the api, the hub and the MQTT endpoint, with a controller that we did not
//! write on the other end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use harit_api::{ApiConfig, NoProvider, Role};
use harit_ingest::mqtt::{Endpoint, EndpointConfig};
use reqwest::{Method, StatusCode};
use rumqttc::{AsyncClient, Event, EventLoop, MqttOptions, Packet, QoS};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::support::{App, Person};

const PATIENCE: Duration = Duration::from_secs(10);

/// A client with what onboarding showed.
fn client(endpoint: &Endpoint, mqtt: &Value) -> (AsyncClient, EventLoop) {
    let text = |key: &str| mqtt[key].as_str().expect("a text");
    let address = endpoint.local_addr();
    let mut options = MqttOptions::new(text("username"), address.ip().to_string(), address.port());
    options.set_credentials(text("username"), text("password"));
    AsyncClient::new(options, 16)
}

/// A controller, as its firmware would be.
pub(crate) struct Controller {
    client: AsyncClient,
    events: EventLoop,
    topic: String,
}

impl Controller {
    /// Connects with what onboarding showed, subscribes to its commands, and announces itself.
    pub(crate) async fn start(endpoint: &Endpoint, mqtt: &Value) -> Self {
        let (client, events) = client(endpoint, mqtt);
        let mut controller = Self {
            client,
            events,
            topic: mqtt["topic"].as_str().expect("a text").to_owned(),
        };
        let commands = format!("{}command", controller.topic);
        controller
            .client
            .subscribe(commands, QoS::AtLeastOnce)
            .await
            .expect("queued");
        controller
            .until(|packet| matches!(packet, Packet::SubAck(_)))
            .await;
        controller
    }

    async fn until(&mut self, wanted: impl Fn(&Packet) -> bool) -> Packet {
        let found = async {
            loop {
                if let Event::Incoming(packet) = self.events.poll().await.expect("connected")
                    && wanted(&packet)
                {
                    return packet;
                }
            }
        };
        tokio::time::timeout(PATIENCE, found)
            .await
            .expect("a packet in time")
    }

    /// Publishes, and waits for the acknowledgement.
    pub(crate) async fn publish(&mut self, kind: &str, payload: impl Into<Vec<u8>>) {
        let topic = format!("{}{kind}", self.topic);
        self.client
            .publish(topic, QoS::AtLeastOnce, false, payload)
            .await
            .expect("queued");
        self.until(|packet| matches!(packet, Packet::PubAck(_)))
            .await;
    }

    /// Waits until the server ends the connection.
    pub(crate) async fn ended(&mut self) {
        let ended = async { while self.events.poll().await.is_ok() {} };
        tokio::time::timeout(PATIENCE, ended)
            .await
            .expect("the connection ends");
    }

    /// The next command.
    pub(crate) async fn command(&mut self) -> Value {
        match self
            .until(|packet| matches!(packet, Packet::Publish(_)))
            .await
        {
            Packet::Publish(publish) => serde_json::from_slice(&publish.payload).expect("JSON"),
            other => panic!("{other:?}"),
        }
    }
}

/// Whether a controller can connect with that.
pub(crate) async fn connects(endpoint: &Endpoint, mqtt: &Value) -> bool {
    let (_client, mut events) = client(endpoint, mqtt);
    let first = tokio::time::timeout(PATIENCE, events.poll()).await;
    matches!(
        first.expect("an answer"),
        Ok(Event::Incoming(Packet::ConnAck(_)))
    )
}

pub(crate) fn state(on: bool) -> Vec<u8> {
    json!({
        "online": true,
        "sensors": [{"id": "air", "type": "temperature", "unit": "°C"}],
        "devices": [{"id": "fan", "type": "fan", "name": "Exhaust fan", "supportedActions": [{"action": "on"}, {"action": "off"}, {"action": "pulse"}],
            "on": on, "value": if on { 100 } else { 0 }, "lock": null, "safety": false}],
    })
    .to_string()
    .into_bytes()
}

/// Asks until the answer is right.
pub(crate) async fn eventually(
    app: &App,
    person: &Person,
    path: &str,
    right: impl Fn(&Value) -> bool,
) -> Value {
    let began = Instant::now();
    loop {
        let answer = app.get(person, path).await.expect(StatusCode::OK);
        if right(&answer) {
            return answer;
        }
        assert!(
            began.elapsed() < PATIENCE,
            "{path} does not become right: {answer}"
        );
        // a person has so many requests a minute
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A farm with a registered controller that is connected and has announced itself.
pub(crate) struct Field {
    pub(crate) app: App,
    pub(crate) endpoint: Endpoint,
    pub(crate) owner: Person,
    pub(crate) asset: Value,
    pub(crate) controller: Controller,
}

async fn field() -> Field {
    field_with(ApiConfig::default()).await
}

pub(crate) async fn field_with(config: ApiConfig) -> Field {
    let app = App::with(config, Arc::new(NoProvider)).await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let config = EndpointConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        ..EndpointConfig::default()
    };
    let (endpoint, downlink) = Endpoint::bind(config, app.hub.uplink())
        .await
        .expect("a port");
    app.hub.attach(downlink);
    let asset = json!({"assets": [{"type": "POLYHOUSE", "name": "North house", "macid": "AA:BB:CC:DD:EE:10"}]});
    let made = app
        .call(&owner, Method::POST, "/onboarding/assets", &asset)
        .await
        .expect(StatusCode::CREATED);
    let asset = made["assets"][0].clone();
    let mut controller = Controller::start(&endpoint, &asset["mqtt"]).await;
    controller.publish("state", state(false)).await;
    Field {
        app,
        endpoint,
        owner,
        asset,
        controller,
    }
}

/// Whether a list of devices has one of that id which is so.
pub(crate) fn device(list: &Value, id: &str, so: impl Fn(&Value) -> bool) -> bool {
    list.as_array()
        .is_some_and(|devices| devices.iter().any(|d| d["id"] == id && so(d)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_controller_announces_and_reads_is_shown_live() {
    let Field {
        app,
        endpoint,
        owner,
        asset,
        mut controller,
    } = field().await;
    let path = "/api/farms/a/devices";
    let devices = eventually(&app, &owner, path, |list| device(list, "fan", |_| true)).await;
    let fan = devices
        .as_array()
        .expect("a list")
        .iter()
        .find(|d| d["id"] == "fan")
        .expect("the fan");
    assert_eq!(
        (&fan["name"], &fan["online"], &fan["gone"]),
        (&json!("Exhaust fan"), &json!(true), &json!(false))
    );
    assert_eq!(
        (&fan["state"]["on"], &fan["state"]["value"]),
        (&json!(false), &json!(0))
    );
    assert_eq!(fan["scope"]["polyhouseId"], asset["polyhouseId"]);

    let mut socket = Socket::signed_in(&app, &owner).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    let reading = json!({"sensors": [{"id": "air", "type": "temperature", "unit": "°C", "latestValue": 27.4}]});
    controller.publish("telemetry", reading.to_string()).await;
    let told = socket.event("telemetry").await;
    let sensor = &told["sensors"][0];
    assert_eq!(
        (&sensor["id"], &sensor["type"]),
        (&json!("air"), &json!("temperature"))
    );
    assert_eq!(
        (&sensor["latestValue"], &sensor["unit"]),
        (&json!(27.4), &json!("°C"))
    );
    let latest = app
        .get(&owner, "/api/farms/a/latest-telemetry")
        .await
        .expect(StatusCode::OK);
    assert_eq!(latest["latest"]["temperature"]["value"], 27.4);

    controller
        .publish("state", json!({"online": false}).to_string())
        .await;
    assert_eq!(
        socket.event("controller").await,
        json!({"mac": "AABBCCDDEE10", "online": false})
    );
    endpoint.shutdown().await;
}

/// The history of a device is the same beside others, what the farm does not have is left out, and there are limits.
async fn beside_others(app: &App, owner: &Person, history: &Value) {
    let of = |devices: &str, from: &Value| {
        let to = &history["to"];
        format!("/api/farms/a/history/devices?devices={devices}&from={from}&to={to}")
    };
    let from = &history["from"];
    let list = app.get(owner, &of("nobody,fan", from)).await;
    assert_eq!(list.expect(StatusCode::OK), json!([history]));
    let many = vec!["fan"; 33].join(",");
    for (path, field) in [
        (of(&many, from), "devices"),
        (of("fan", &history["to"]), "from"),
        (of("fan", &json!(0)), "from"),
    ] {
        let answer = app.get(owner, &path).await;
        let problem = answer.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(problem["problems"][0]["path"], field, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_is_acked_and_then_confirmed() {
    let Field {
        app,
        endpoint,
        owner,
        mut controller,
        ..
    } = field().await;
    let path = "/api/farms/a/devices";
    eventually(&app, &owner, path, |list| device(list, "fan", |_| true)).await;
    let mut socket = Socket::signed_in(&app, &owner).await;
    socket.subscribe(&json!({"farmId": "a"})).await;

    let command = json!({"cmd_type": "override", "device_id": "fan", "action": {"action": "on"}, "duration_sec": 120, "reason": "hot"});
    let controlled = async {
        let received = controller.command().await;
        let ack = json!({"command_id": received["command_id"], "status": "ack"});
        controller.publish("ack", ack.to_string()).await;
        controller.publish("state", state(true)).await;
        received
    };
    let asked = app.call(&owner, Method::POST, "/api/farms/a/commands", &command);
    let (answer, received) = tokio::join!(asked, controlled);
    let result = answer.expect(StatusCode::OK);
    assert_eq!(
        (&result["status"], &result["command_id"]),
        (&json!("ack"), &received["command_id"])
    );
    assert_eq!(
        (&received["owner"]["name"], &received["reason"]),
        (&json!("Asha Patil"), &json!("hot"))
    );

    let life = format!(
        "/api/farms/a/commands/{}",
        result["command_id"].as_str().expect("an id")
    );
    eventually(&app, &owner, &life, |life| life["state"] == "confirmed").await;
    eventually(&app, &owner, path, |list| {
        device(list, "fan", |d| d["state"]["on"] == true)
    })
    .await;
    let held = app.get(&owner, "/api/farms/a/holders").await;
    let held = held.expect(StatusCode::OK);
    assert!(
        device(&held["devices"], "fan", |d| d["reported"] == true
            && d["lane"] == "manual"),
        "{held}"
    );
    for _ in 0..2 {
        assert_eq!(
            socket.event("command").await["command_id"],
            result["command_id"]
        );
    }
    let told = app
        .get(&owner, "/api/farms/a/logs?type=manual_command")
        .await
        .expect(StatusCode::OK);
    let entry = &told["items"][0];
    assert_eq!(
        (&entry["result"], &entry["errorMessage"], &told["matching"]),
        (&json!("success"), &Value::Null, &json!(1))
    );
    assert_eq!(entry["details"]["commands"][0]["state"], "confirmed");

    // what it did: as its controller reported, with who was behind it, and nothing while that is away
    controller
        .publish("state", json!({"online": false}).to_string())
        .await;
    let path = "/api/farms/a/devices/fan/history";
    let history = eventually(&app, &owner, path, |h| h["segments"][1]["until"].is_i64()).await;
    assert_eq!(history["reported"], true);
    let did: Vec<_> = history["segments"]
        .as_array()
        .expect("segments")
        .iter()
        .map(|s| json!([s["on"], s["value"], s["cause"], s["by"]]))
        .collect();
    assert_eq!(
        did,
        [
            json!([false, 0, "device", null]),
            json!([true, 100, "manual", "Asha Patil"])
        ]
    );
    assert_eq!(
        history["segments"][0]["until"],
        history["segments"][1]["at"]
    );

    beside_others(&app, &owner, &history).await;
    endpoint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_controllers_refusal_is_a_failure_in_its_own_words() {
    let Field {
        app,
        endpoint,
        owner,
        mut controller,
        ..
    } = field().await;
    eventually(&app, &owner, "/api/farms/a/devices", |list| {
        device(list, "fan", |_| true)
    })
    .await;
    let command = json!({"cmd_type": "pulse", "device_id": "fan", "action": {"duration_sec": 5}});
    let refused = async {
        let received = controller.command().await;
        let ack = json!({"command_id": received["command_id"], "status": "failure", "message": "breaker is open"});
        controller.publish("ack", ack.to_string()).await;
    };
    let asked = app.call(&owner, Method::POST, "/api/farms/a/commands", &command);
    let (answer, ()) = tokio::join!(asked, refused);
    let result = answer.expect(StatusCode::OK);
    assert_eq!(
        (&result["status"], &result["message"]),
        (&json!("failure"), &json!("breaker is open"))
    );
    endpoint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_makes_no_sense_is_kept_for_the_farms_own_operators() {
    let Field {
        app,
        endpoint,
        owner,
        mut controller,
        ..
    } = field().await;
    app.farm("b").await;
    let neighbour = app.person("b", Role::Owner).await;
    controller.publish("telemetry", "garbage").await;
    let some = |letters: &Value| letters.as_array().is_some_and(|l| !l.is_empty());
    let letters = eventually(&app, &owner, "/api/farms/a/dead-letters", some).await;
    assert_eq!(letters[0]["topic"], "harit/1/a/AABBCCDDEE10/telemetry");
    assert_eq!(
        (&letters[0]["payload"], &letters[0]["count"]),
        (&json!("garbage"), &json!(1))
    );
    let none = app
        .get(&neighbour, "/api/farms/b/dead-letters")
        .await
        .expect(StatusCode::OK);
    assert_eq!(none, json!([]));
    endpoint.shutdown().await;
}
