//! From a reading to a confirmed command with Debian's clients, at the server's own endpoint and through a Mosquitto.

use std::time::Duration;

use harit_testkit::mosquitto::Broker;
use harit_testkit::mqtt::{MAC, OTHER_MAC, SECRET};
use harit_testkit::skipped;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::farm::{self, Account, Api, GREEN, now_ms};
use crate::incident::what_happened_is_explained_tried_and_given_away;
use crate::mosquitto::{Subscriber, publish, publish_own};
use crate::server::{PATIENCE, machine, until};

const HOLD: Duration = Duration::from_secs(2);
/// For how long nothing may follow: longer than the last resend of a command that nobody acknowledged.
const SILENCE: Duration = Duration::from_secs(10);

fn state(on: bool) -> Value {
    json!({
        "online": true, "firmware": "1.0",
        "sensors": [{"id": "t1", "type": "temperature", "unit": "°C"}],
        "devices": [{"id": "fan-1", "type": "fan", "name": "Exhaust fan", "on": on, "value": if on { 100 } else { 0 },
                     "lock": null, "safety": false}],
    })
}

fn telemetry(celsius: f64) -> Value {
    json!({"sensors": [{"id": "t1", "type": "temperature", "unit": "°C", "latestValue": celsius}]})
}

/// The farm's side of the story.
struct Story<'a> {
    port: u16,
    api: &'a Api,
    me: &'a Account,
    commands: Subscriber,
}

impl Story<'_> {
    /// Does what a controller does with a command, and sees it confirmed.
    async fn obey(&self, command: &Value) {
        let id = command["command_id"].as_str().unwrap();
        let ack = json!({"command_id": id, "status": "ack"});
        publish_own(self.port, self.me, "ack", &ack).await;
        let on = command["action"]["on"] == true;
        publish_own(self.port, self.me, "state", &state(on)).await;
        let life = self.api.command_is(id, "confirmed").await;
        // each of these clients is a process: on a busy machine an ack may take longer than the wait before the next attempt
        let attempts = life["attempts"].as_i64();
        assert!(matches!(attempts, Some(1..=3)), "{life}");
    }

    /// Publishes a value every 700 ms until a command comes, and says when the first was published.
    async fn until_command(&mut self, celsius: f64) -> (i64, Value) {
        let first = now_ms();
        for _ in 0..12 {
            publish_own(self.port, self.me, "telemetry", &telemetry(celsius)).await;
            if let Some(command) = self.commands.message(Duration::from_millis(700)).await {
                return (first, command);
            }
        }
        panic!("no command at {celsius} °C");
    }

    /// The value goes on being what it is, and no command comes.
    async fn nothing_more(&mut self, celsius: f64) {
        publish_own(self.port, self.me, "telemetry", &telemetry(celsius)).await;
        let more = self.commands.message(SILENCE).await;
        assert_eq!(more, None, "one command is enough");
    }
}

/// Announce, rule, readings, one command, ack, confirmed; stop value, off. The subscription goes on.
async fn from_reading_to_command(port: u16, api: &Api, me: &Account) -> Subscriber {
    let topic = format!("{}command", me.topic);
    let (commands, answer) = Subscriber::start(port, me, &topic).await;
    assert!(answer.ends_with(": 1"), "QoS 1 was granted: {answer}");
    let mut story = Story {
        port,
        api,
        me,
        commands,
    };
    publish_own(port, me, "state", &state(false)).await;
    api.device_online("fan-1").await;

    let scope = json!({"type": "polyhouse", "farmId": GREEN, "polyhouseId": me.polyhouse});
    api.rule("cool", "fan-1", &scope, HOLD.as_secs(), HOLD.as_secs())
        .await;
    publish_own(port, me, "telemetry", &telemetry(28.0)).await;
    let (since, on) = story.until_command(35.5).await;
    let after = now_ms() - since;
    assert!(after >= 2_000, "the hold of 2 s was over after {after} ms");
    assert_eq!(
        (&on["cmd_type"], &on["device_id"], &on["action"]["on"]),
        (&json!("override"), &json!("fan-1"), &json!(true)),
        "{on}"
    );
    assert_eq!(on["owner"]["rule_id"], "cool", "{on}");
    story.obey(&on).await;
    story.nothing_more(35.0).await;

    let (since, off) = story.until_command(20.0).await;
    let after = now_ms() - since;
    assert!(
        after >= 2_000,
        "the stop's hold of 2 s was over after {after} ms"
    );
    assert_eq!(off["action"]["on"], false, "{off}");
    story.obey(&off).await;
    story.nothing_more(20.0).await;
    let number = |c: &Value| {
        let id = c["command_id"].as_str().unwrap();
        id.strip_prefix("green-").unwrap().parse::<u64>().unwrap()
    };
    assert!(number(&on) < number(&off));
    let listed = api.of_farm("commands").await;
    assert_eq!(listed.as_array().unwrap().len(), 2, "{listed}");
    story.commands
}

/// Another controller of the same farm reaches nothing of the first one's; the first one hears nothing from it.
async fn other_controller_is_shut_out(
    port: u16,
    api: &Api,
    me: &Account,
    mut mine: Subscriber,
    other: &Account,
) -> String {
    let (mut spy, answer) = Subscriber::start(port, other, &format!("{}#", me.topic)).await;
    let latest = |telemetry: &Value| {
        let sensors = telemetry["sensors"].as_array().unwrap();
        sensors.iter().find(|s| s["id"] == "t1").unwrap().clone()
    };
    let before = latest(&api.of_farm("latest-telemetry").await);
    for (last, payload) in [
        ("telemetry", telemetry(49.0)),
        ("state", json!({"online": false})),
        (
            "command",
            json!({"command_id": "green-999", "cmd_type": "override", "device_id": "fan-1", "action": {"on": true}}),
        ),
    ] {
        let topic = format!("{}{last}", me.topic);
        for version in ["5", "311"] {
            publish(port, other, &topic, &payload, &["-V", version]).await;
        }
    }
    // A command to the first one is none of the second one's business.
    let body = json!({"cmd_type": "override", "device_id": "fan-1", "action": {"on": true}, "duration_sec": 60});
    let (status, sent) = api.post("commands", &body).await;
    assert_eq!(status, 200, "{sent}");
    let heard = mine.message(PATIENCE).await.expect("its own command");
    assert_eq!(heard["command_id"], sent["command_id"], "{heard}");
    let ack = json!({"command_id": heard["command_id"], "status": "ack"});
    publish_own(port, me, "ack", &ack).await;
    assert_eq!(spy.message(Duration::from_millis(500)).await, None);
    let other_than = |m: &Value| m["command_id"] != sent["command_id"];
    let forged = mine
        .message(Duration::from_millis(500))
        .await
        .filter(other_than);
    assert_eq!(forged, None, "only the server commands");
    assert_eq!(latest(&api.of_farm("latest-telemetry").await), before);
    api.device_online("fan-1").await;
    let letters = api.of_farm("dead-letters").await;
    let named = |l: &&Value| l["topic"].as_str().unwrap().starts_with(&me.topic);
    let in_its_name: Vec<&Value> = letters.as_array().unwrap().iter().filter(named).collect();
    assert_eq!(in_its_name, Vec::<&Value>::new());
    answer
}

#[tokio::test]
async fn debians_clients_at_the_endpoint() {
    if skipped() {
        return;
    }
    let _machine = machine().await;
    let home = farm::seeded().await;
    let server = farm::server(&home).await;
    let api = Api::of(&server, GREEN).await;
    let (me, other) = (api.register(MAC).await, api.register(OTHER_MAC).await);
    let since = now_ms();
    let mine = from_reading_to_command(server.mqtt, &api, &me).await;
    what_happened_is_explained_tried_and_given_away(&home, since).await;

    let before = api.metric("harit_mqtt_forbidden_total", "").await;
    let answer = other_controller_is_shut_out(server.mqtt, &api, &me, mine, &other).await;
    assert!(
        answer.ends_with(": 128"),
        "the subscription was refused: {answer}"
    );
    let refused = api.metric("harit_mqtt_forbidden_total", "").await - before;
    assert!(
        refused >= 7.0,
        "six publishes and a subscription are counted: {refused}"
    );
    let letters = api.of_farm("dead-letters").await;
    let senders = format!("{} -> {}", other.topic.trim_end_matches('/'), me.topic);
    let sent_by = |l: &&Value| l["topic"].as_str().unwrap().starts_with(&senders);
    let of_sender = letters.as_array().unwrap().iter().filter(sent_by);
    assert_eq!(
        of_sender.count(),
        4,
        "three topics and a filter are told in the sender's name: {letters}"
    );
}

#[tokio::test]
async fn debians_clients_through_a_mosquitto() {
    if skipped() {
        return;
    }
    let _machine = machine().await;
    let mut broker = Broker::start(&[("harit", SECRET)], |config| config).await;
    let home = farm::seeded().await;
    let port = broker.port.to_string();
    let environment = [
        ("HARIT_MQTT_MODE", "broker"),
        ("HARIT_MQTT_BROKER_PORT", &port),
        ("HARIT_MQTT_BROKER_USERNAME", "harit"),
        ("HARIT_MQTT_BROKER_PASSWORD", SECRET),
    ];
    let server = home.server(&[], &environment).await;
    assert_eq!(server.mqtt, broker.port);
    let api = Api::of(&server, GREEN).await;
    let ready = async |wanted: u16| {
        until(&format!("/readyz says {wanted}"), PATIENCE, async || {
            let (status, answer) = api.send(Method::GET, "/readyz", None).await;
            (status == wanted).then_some(answer)
        })
        .await
    };
    ready(200).await;
    let (me, other) = (api.register(MAC).await, api.register(OTHER_MAC).await);
    for account in [&me, &other] {
        broker.account(&account.mac, &account.secret).await;
    }
    sleep(Duration::from_millis(300)).await;
    let mine = from_reading_to_command(broker.port, &api, &me).await;
    other_controller_is_shut_out(broker.port, &api, &me, mine, &other).await;

    broker.down(false).await;
    assert_eq!(ready(503).await["problems"], json!(["mqtt"]));
    broker.up().await;
    ready(200).await;
}
