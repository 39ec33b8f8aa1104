//! A farm announces itself on a Mosquitto, as Home Assistant hears it there.
//!
//! Without mosquitto these tests fail, unless `HARIT_SKIP_INTEROP=1`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use harit_engine::{InputKind, RegistryChange, ScopeSpec, SensorSpec, SensorType};
use harit_ingest::home_assistant::{self, Announcement};
use harit_ingest::mqtt::{BrokerConfig, Brokers};
use harit_testkit::mosquitto::{self, Broker};
use harit_testkit::mqtt::SECRET;
use harit_testkit::{PATIENCE, skipped};
use serde_json::Value;
use tokio::time::timeout;
use world::{FARM, World, switch};

async fn start() -> Broker {
    let accounts = ["harit", "ha"].map(|user| (user, SECRET));
    let open = |config: String| {
        let lines = config.lines().filter(|line| !line.starts_with("acl_file"));
        lines.fold(String::new(), |all, line| all + line + "\n")
    };
    Broker::start(&accounts, open).await
}

async fn announce(w: &World, broker: &Broker, commands: bool) -> Brokers {
    announce_with(w, broker, commands, &[]).await
}

async fn announce_with(w: &World, broker: &Broker, commands: bool, on: &[&str]) -> Brokers {
    let announcement = Announcement {
        farm: FARM.into(),
        broker: "home".into(),
        commands,
        on: on.iter().map(|id| (*id).into()).collect::<BTreeSet<_>>(),
    };
    let (side, inbox) = announcement.side();
    let config = BrokerConfig {
        name: "home".into(),
        port: broker.port,
        username: Some("harit".into()),
        password: Some(SECRET.into()),
        client_id: "harit-home".into(),
        side: Some(side),
        ..BrokerConfig::default()
    };
    let mut brokers = Brokers::default();
    let keeper = brokers.add(config, w.hub.uplink()).await.unwrap();
    let run = home_assistant::run(w.hub.clone(), announcement, keeper, inbox);
    tokio::spawn(run);
    brokers
}

/// What the broker keeps, by topic.
async fn kept(broker: &Broker) -> BTreeMap<String, String> {
    let listen = ["-v", "-W", "1", "-t", "homeassistant/#", "-t", "harit-ha/#"];
    let listen = listen.as_slice();
    let run = mosquitto::client("mosquitto_sub", broker.port, ("ha", SECRET), listen).output();
    let out = timeout(PATIENCE, run).await.unwrap().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let line = |line: &str| {
        let (topic, payload) = line.split_once(' ')?;
        Some((topic.to_owned(), payload.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

async fn until(
    broker: &Broker,
    what: &str,
    is: impl Fn(&BTreeMap<String, String>) -> bool,
) -> BTreeMap<String, String> {
    let mut last = BTreeMap::new();
    let waited = timeout(PATIENCE, async {
        loop {
            last = kept(broker).await;
            if is(&last) {
                return;
            }
        }
    });
    assert!(waited.await.is_ok(), "{what}: {last:#?}");
    last
}

async fn publish(broker: &Broker, arguments: &[&str]) {
    let run = mosquitto::client("mosquitto_pub", broker.port, ("ha", SECRET), arguments).status();
    assert!(timeout(PATIENCE, run).await.unwrap().unwrap().success());
}

/// Leaves what was said for `scripts/check-home-assistant.py`, where that is asked for.
fn dump(name: &str, all: &BTreeMap<String, String>) {
    if let Some(path) = std::env::var_os("HARIT_HOME_ASSISTANT_DUMP") {
        let path = format!("{}.{name}", path.display());
        std::fs::write(path, serde_json::to_string(all).unwrap()).unwrap();
    }
}

fn has<'a>(topic: &'a str, payload: &'a str) -> impl Fn(&BTreeMap<String, String>) -> bool + 'a {
    move |all| all.get(topic).is_some_and(|said| said == payload)
}

/// A sensor of each type.
async fn of_each_type(w: &World) {
    let put = |what: SensorType| {
        RegistryChange::PutSensor(SensorSpec {
            id: what.as_str().into(),
            name: None,
            sensor_type: what,
            scope: ScopeSpec::farm(),
            stale_after: harit_engine::Duration::from_secs(60),
            controller: None,
        })
    };
    let all = SensorType::ALL.into_iter().map(put).collect();
    w.admit(InputKind::Registry(all)).await;
}

#[tokio::test]
async fn sensors_of_each_type_are_told() {
    if skipped() {
        return;
    }
    let broker = start().await;
    let w = World::new().await;
    of_each_type(&w).await;
    let brokers = announce(&w, &broker, false).await;
    let config = |what: &SensorType| {
        let word = what.as_str().replace('_', "_5f");
        format!("homeassistant/sensor/harit-f1/sensor-{word}/config")
    };
    let all = until(&broker, "all are told", |all| {
        SensorType::ALL
            .iter()
            .all(|what| all.contains_key(&config(what)))
    })
    .await;
    dump("types", &all);
    brokers.shutdown().await;
}

const T1: &str = "harit-ha/f1/sensor/t1";
const FAN: &str = "harit-ha/f1/device/fan-1";

#[tokio::test]
async fn a_farm_is_told_and_what_is_gone_is_taken_away() {
    if skipped() {
        return;
    }
    let broker = start().await;
    // Of an earlier time: of a sensor that is gone since, of another farm, and of somebody else.
    let old = "homeassistant/sensor/harit-f1/sensor-gone/config";
    let others = [
        "homeassistant/sensor/harit-f2/sensor-t1/config",
        "homeassistant/sensor/x/config",
    ];
    for topic in [old, "harit-ha/f1/sensor/gone/state", others[0], others[1]] {
        publish(&broker, &["-r", "-q", "1", "-t", topic, "-m", "{}"]).await;
    }
    let w = World::new().await;
    w.birth().await;
    w.temperature("21.5").await;
    let brokers = announce(&w, &broker, false).await;
    let state = format!("{T1}/state");
    let of_t1 = "homeassistant/sensor/harit-f1/sensor-t1/config";
    let all = until(&broker, "the value is told", |all| {
        let others = [format!("{T1}/known"), format!("{FAN}/state")];
        has(&state, "21.5")(all)
            && has("harit-ha/f1/status", "online")(all)
            && all.contains_key(of_t1)
            && others.iter().all(|topic| all.contains_key(topic))
    })
    .await;
    let config = &all[of_t1];
    let config: Value = serde_json::from_str(config).unwrap();
    assert_eq!(config["state_topic"], state);
    assert_eq!(config["unit_of_measurement"], "°C");
    assert_eq!(config["device"]["name"], "P / Z");
    assert_eq!(all["harit-ha/f1/status"], "online");
    assert_eq!(all[&format!("{T1}/known")], "online");
    assert_eq!(all[&format!("{FAN}/state")], "OFF");
    assert!(
        !all.values().any(|said| said.contains("command_topic")),
        "read-only: {all:#?}"
    );
    let all = until(&broker, "what is gone is taken away", |all| {
        !all.contains_key(old) && !all.contains_key("harit-ha/f1/sensor/gone/state")
    })
    .await;
    assert!(others.iter().all(|topic| all.contains_key(*topic)));
    // A command that nobody offered.
    let set = format!("{FAN}/set");
    publish(&broker, &["-q", "1", "-t", &set, "-m", "ON"]).await;
    w.pass(1_000_000).await;
    let known = format!("{T1}/known");
    until(
        &broker,
        "a value that is too old is none",
        has(&known, "offline"),
    )
    .await;
    assert_eq!(w.take_sent(), Vec::<Value>::new());
    // A goodbye says that the farm is not there.
    brokers.shutdown().await;
    until(&broker, "it is away", has("harit-ha/f1/status", "offline")).await;
}

/// The next override that goes out.
async fn commanded(w: &World) -> Value {
    let waited = timeout(PATIENCE, async {
        loop {
            let sent = w.take_sent();
            if let Some(command) = sent.into_iter().find(|c| c["cmd_type"] == "override") {
                return command;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    waited.await.expect("a command goes out")
}

#[tokio::test]
async fn off_is_taken_and_on_never() {
    if skipped() {
        return;
    }
    let broker = start().await;
    let w = World::new().await;
    w.birth().await;
    let set = format!("{FAN}/set");
    // What was asked for before is no command now.
    publish(&broker, &["-r", "-q", "1", "-t", &set, "-m", "ON"]).await;
    let brokers = announce(&w, &broker, true).await;
    let off = "homeassistant/button/harit-f1/off-fan-1/config";
    let all = until(&broker, "it can be switched off", |all| {
        all.contains_key(off)
    })
    .await;
    dump("commands", &all);
    assert!(
        !all.keys()
            .any(|topic| topic.starts_with("homeassistant/switch/"))
    );
    until(&broker, "what was kept is taken away", |all| {
        !all.contains_key(&set)
    })
    .await;
    publish(&broker, &["-q", "1", "-t", &set, "-m", "ON"]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(w.take_sent(), Vec::<Value>::new());
    switch(&w, "on").await;
    w.take_sent();
    publish(&broker, &["-q", "1", "-t", &set, "-m", "PRESS"]).await;
    let command = commanded(&w).await;
    assert_eq!(command["action"]["on"], false);
    assert_eq!(command["owner"]["name"], "Home Assistant (home)");
    brokers.shutdown().await;
}

/// A fan, and what is never switched on from there though it is named: a doser, and a valve that its controller has locked because
/// its lease is not proven.
const STATE: &str = r#"{"online":true,"firmware":"1.0","sensors":[],"devices":[
    {"id":"fan-1","type":"fan","on":FAN,"value":0,"lock":null,"safety":false},
    {"id":"doser-1","type":"dosing_pump","on":false,"value":0,"lock":null,"safety":false},
    {"id":"valve-1","type":"valve","on":false,"value":0,"lock":"lease_unproven","safety":false}]}"#;

async fn state(w: &World, fan: &str) {
    let said = STATE.replace("FAN", fan);
    let taken = w.publish("A4CF120B9E01", "state", &said).await;
    assert_eq!(taken.rejected, 0);
}

async fn ask(broker: &Broker, device: &str, word: &str) {
    let set = format!("harit-ha/f1/device/{device}/set");
    publish(broker, &["-q", "1", "-t", &set, "-m", word]).await;
}

/// Nothing that was sent since switches anything on.
fn nothing_on(w: &World) {
    let sent = w.take_sent();
    assert!(sent.iter().all(|c| c["action"]["on"] != true), "{sent:?}");
}

/// As long as what comes by a new connection may be old.
const SETTLED: Duration = Duration::from_millis(5_300);

#[tokio::test]
async fn an_on_is_for_what_is_named_and_for_a_while() {
    if skipped() {
        return;
    }
    let broker = start().await;
    let w = World::new().await;
    state(&w, "false").await;
    let brokers = announce_with(&w, &broker, true, &["fan-1", "doser-1", "valve-1"]).await;
    let config = "homeassistant/switch/harit-f1/switch-fan-1/config";
    let all = until(&broker, "it can be switched on", |all| {
        all.contains_key(config)
    })
    .await;
    dump("switches", &all);
    assert!(!all.keys().any(|t| t.ends_with("switch-doser-1/config")));
    // Just connected: what comes may have waited at the broker.
    ask(&broker, "fan-1", "ON").await;
    tokio::time::sleep(SETTLED).await;
    nothing_on(&w);
    for refused in ["doser-1", "valve-1", "fan-2"] {
        ask(&broker, refused, "ON").await;
    }
    ask(&broker, "fan-1", "on").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    nothing_on(&w);

    ask(&broker, "fan-1", "ON").await;
    let command = commanded(&w).await;
    assert_eq!(command["action"]["on"], true);
    assert_eq!(command["owner"]["name"], "Home Assistant (home)");
    state(&w, "true").await;
    let told = "harit-ha/f1/switch/fan-1/state";
    until(&broker, "it is told to be on", has(told, "ON")).await;
    let manual = w.read(|e| e.device("fan-1").unwrap().manual).await;
    let until_ms = manual.expect("a person has it").until.as_millis();
    assert_eq!(until_ms, w.now() + 900_000);
    // Off by the same switch, and nobody has it after half an hour.
    ask(&broker, "fan-1", "OFF").await;
    assert_eq!(commanded(&w).await["action"]["on"], false);
    state(&w, "false").await;
    until(&broker, "it is told to be off", has(told, "OFF")).await;
    ask(&broker, "fan-1", "ON").await;
    assert_eq!(commanded(&w).await["action"]["on"], true);
    state(&w, "true").await;
    // It ends by itself.
    w.pass(899_000).await;
    w.take_sent();
    w.pass(2_000).await;
    let off = commanded(&w).await;
    assert_eq!(off["action"]["on"], false, "{off}");
    assert_eq!(off["reason"], "rest", "{off}");
    assert!(
        w.read(|e| e.device("fan-1").unwrap().manual)
            .await
            .is_none()
    );
    brokers.shutdown().await;
}

#[tokio::test]
async fn what_waited_at_the_broker_switches_nothing_on() {
    if skipped() {
        return;
    }
    let broker = start().await;
    let w = World::new().await;
    state(&w, "false").await;
    let brokers = announce_with(&w, &broker, true, &["fan-1"]).await;
    let told = "harit-ha/f1/switch/fan-1/state";
    until(&broker, "it can be switched", has(told, "OFF")).await;
    brokers.shutdown().await;
    ask(&broker, "fan-1", "ON").await;
    let brokers = announce_with(&w, &broker, true, &["fan-1"]).await;
    until(
        &broker,
        "it is here again",
        has("harit-ha/f1/status", "online"),
    )
    .await;
    tokio::time::sleep(SETTLED).await;
    nothing_on(&w);
    brokers.shutdown().await;
}
