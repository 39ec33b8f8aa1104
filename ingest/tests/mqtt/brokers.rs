//! Harit as a client of other people's brokers: Debian's Mosquitto, both versions of MQTT, with and without TLS.
//!
//! Without mosquitto these tests fail, unless `HARIT_SKIP_INTEROP=1`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::rig::{Pipeline, Receipts, Seen, controller};
use crate::world::{FARM, World, mac, manual};
use harit_engine::ScopeSpec;
use harit_ingest::lease::Proofs;
use harit_ingest::mqtt::{
    BrokerConfig, BrokerTls, Brokers, Downlink, DownlinkError, MqttVersion, Subscription, Uplink,
};
use harit_ingest::{ControllerKind, ControllerRecord};
use harit_testkit::leased::{Leased, System};
use harit_testkit::mosquitto::{self, Broker};
use harit_testkit::mqtt::{MAC, OTHER_MAC, SECRET};
use harit_testkit::{PATIENCE, skipped};
use serde_json::json;
use tokio::time::timeout;

/// The account of the device at the broker.
const DEVICE: &str = "devices";

/// A Mosquitto of a farm's own, without Harit's permissions.
async fn start(change: impl FnOnce(String) -> String) -> Broker {
    let accounts = ["harit", DEVICE].map(|user| (user, SECRET));
    let open = |config: String| {
        let lines = config.lines().filter(|line| !line.starts_with("acl_file"));
        change(lines.fold(String::new(), |all, line| all + line + "\n"))
    };
    Broker::start(&accounts, open).await
}

fn subscription(filter: &str, account: &str) -> Subscription {
    Subscription {
        filter: filter.into(),
        account: mac(account),
    }
}

fn config(broker: &Broker, version: MqttVersion) -> BrokerConfig {
    BrokerConfig {
        name: "own".into(),
        port: broker.port,
        version,
        username: Some("harit".into()),
        password: Some(SECRET.into()),
        client_id: "harit-own".into(),
        keep_alive: Duration::from_secs(5),
        subscriptions: vec![
            subscription("zigbee2mqtt/#", MAC),
            subscription("tele/#", OTHER_MAC),
        ],
        ..BrokerConfig::default()
    }
}

async fn publish(broker: &Broker, arguments: &[&str]) {
    let run = mosquitto::client("mosquitto_pub", broker.port, (DEVICE, SECRET), arguments).status();
    assert!(timeout(PATIENCE, run).await.unwrap().unwrap().success());
}

async fn until(what: &str, mut is: impl AsyncFnMut() -> bool) {
    let waited = timeout(PATIENCE, async {
        while !is().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert!(waited.await.is_ok(), "{what}");
}

async fn connect(config: BrokerConfig, uplink: Arc<dyn Uplink>) -> Brokers {
    let mut brokers = Brokers::default();
    brokers.add(config, uplink).await.unwrap();
    brokers
}

async fn until_up(brokers: &Brokers, up: bool) {
    until("the broker's state is known", async || {
        brokers.probes().iter().all(|(_, is_up)| is_up() == up)
    })
    .await;
}

#[tokio::test]
async fn nothing_is_lost_and_nothing_comes_twice_over_a_restart_of_the_broker() {
    if skipped() {
        return;
    }
    for version in [MqttVersion::V4, MqttVersion::V5] {
        let mut broker = start(|config| config).await;
        let pipeline = Pipeline::new();
        let uplink = Arc::clone(&pipeline) as Arc<dyn Uplink>;
        let brokers = connect(config(&broker, version), uplink).await;
        until_up(&brokers, true).await;
        pipeline.until_seen(&Seen::Connected(controller(MAC))).await;
        pipeline
            .until_seen(&Seen::Connected(controller(OTHER_MAC)))
            .await;
        let say = async |n: usize| {
            let payload = n.to_string();
            let topic = ["zigbee2mqtt/p", "tele/x/SENSOR"][n % 2];
            publish(&broker, &["-q", "1", "-t", topic, "-m", &payload]).await;
        };
        pipeline.receipts(Receipts::Held);
        for n in 0..6 {
            say(n).await;
        }
        pipeline.until_publishes(6).await;
        // Handed over and not acknowledged: the broker has to send them again, and they are not to be handed over again.
        broker.down(true).await;
        pipeline
            .until_seen(&Seen::Disconnected(controller(MAC)))
            .await;
        until_up(&brokers, false).await;
        broker.up().await;
        until_up(&brokers, true).await;
        pipeline.receipts(Receipts::AtOnce);
        pipeline.release(false);
        let say = async |n: usize| {
            let payload = n.to_string();
            let topic = ["zigbee2mqtt/p", "tele/x/SENSOR"][n % 2];
            publish(&broker, &["-q", "1", "-t", topic, "-m", &payload]).await;
        };
        for n in 6..9 {
            say(n).await;
        }
        pipeline.until_publishes(9).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let mut seen: Vec<_> = { pipeline.publishes().into_iter() }
            .map(|(_, payload)| String::from_utf8(payload).unwrap())
            .collect();
        seen.sort();
        let expected: Vec<_> = (0..9).map(|n| n.to_string()).collect();
        assert_eq!(seen, expected, "{version:?}");
        // Everything was acknowledged: a new start is sent nothing.
        brokers.shutdown().await;
        let again = Pipeline::new();
        let uplink = Arc::clone(&again) as Arc<dyn Uplink>;
        let brokers = connect(config(&broker, version), uplink).await;
        until_up(&brokers, true).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(again.publishes(), [], "{version:?}");
        brokers.shutdown().await;
    }
}

#[tokio::test]
async fn what_was_not_taken_comes_again() {
    if skipped() {
        return;
    }
    let broker = start(|config| config).await;
    let pipeline = Pipeline::new();
    let uplink = Arc::clone(&pipeline) as Arc<dyn Uplink>;
    let brokers = connect(config(&broker, MqttVersion::V5), uplink).await;
    until_up(&brokers, true).await;
    pipeline.receipts(Receipts::Lost);
    publish(&broker, &["-q", "1", "-t", "tele/x/SENSOR", "-m", "1"]).await;
    pipeline.until_publishes(2).await;
    pipeline.receipts(Receipts::AtOnce);
    let now = pipeline.publishes().len();
    pipeline.until_publishes(now + 1).await;
    brokers.shutdown().await;
}

/// A certificate authority, and what it signed for a server on this machine and for Harit.
fn certificates(dir: &std::path::Path) -> impl Fn(&str) -> PathBuf {
    let dir = dir.to_owned();
    let openssl = |arguments: &str| {
        let mut command = Command::new("openssl");
        command.current_dir(&dir).args(arguments.split_whitespace());
        let out = command.output().expect("openssl is there");
        assert!(out.status.success(), "{arguments}: {out:?}");
    };
    let new = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(&format!(
        "{new} -x509 -keyout ca.key -out ca.pem -subj /CN=ca -days 30"
    ));
    for (name, alternative) in [("server", "IP:127.0.0.1"), ("client", "DNS:harit")] {
        openssl(&format!(
            "{new} -keyout {name}.key -out {name}.csr -subj /CN={name}"
        ));
        std::fs::write(
            dir.join("ext"),
            format!("subjectAltName={alternative}\nbasicConstraints=CA:FALSE\n"),
        )
        .unwrap();
        openssl(&format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out {name}.pem -days 30 -extfile ext"
        ));
    }
    for name in ["ca.pem", "server.pem", "server.key"] {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(dir.join(name), std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    move |name| dir.join(name)
}

#[tokio::test]
async fn with_tls_and_a_certificate_of_its_own() {
    if skipped() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let file = certificates(dir.path());
    let of = |name: &str| file(name).to_str().unwrap().to_owned();
    let secured = format!(
        "cafile {}\ncertfile {}\nkeyfile {}\nrequire_certificate true\n",
        of("ca.pem"),
        of("server.pem"),
        of("server.key")
    );
    let broker =
        start(|config| config.replace("allow_anonymous", &format!("{secured}allow_anonymous")))
            .await;
    for version in [MqttVersion::V4, MqttVersion::V5] {
        let tls = BrokerTls {
            ca: Some(file("ca.pem")),
            client: Some((file("client.pem"), file("client.key"))),
        };
        let config = BrokerConfig {
            tls: Some(tls.clone()),
            ..config(&broker, version)
        };
        assert_eq!(config.attempt().await, Ok(()), "{version:?}");
        let pipeline = Pipeline::new();
        let uplink = Arc::clone(&pipeline) as Arc<dyn Uplink>;
        let brokers = connect(config.clone(), uplink).await;
        until_up(&brokers, true).await;
        let (ca, certificate, key) = (of("ca.pem"), of("client.pem"), of("client.key"));
        let secured = ["--cafile", &ca, "--cert", &certificate, "--key", &key];
        let message = ["-q", "1", "-t", "tele/x/SENSOR", "-m", "1"];
        publish(&broker, &[secured.as_slice(), &message].concat()).await;
        pipeline.until_publishes(1).await;
        brokers.shutdown().await;

        // A file that is put right counts at the next try.
        let renewed = dir.path().join("renewed-ca.pem");
        std::fs::copy(file("client.pem"), &renewed).unwrap();
        let later = BrokerConfig {
            tls: Some(BrokerTls {
                ca: Some(renewed.clone()),
                ..tls.clone()
            }),
            ..config.clone()
        };
        let brokers = connect(later, Pipeline::new() as Arc<dyn Uplink>).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        until_up(&brokers, false).await;
        std::fs::copy(file("ca.pem"), &renewed).unwrap();
        until_up(&brokers, true).await;
        brokers.shutdown().await;

        // Who cannot be believed, and who does not show who it is.
        for wrong in [
            BrokerTls {
                ca: Some(file("client.pem")),
                ..tls.clone()
            },
            BrokerTls {
                client: None,
                ..tls
            },
        ] {
            let config = BrokerConfig {
                tls: Some(wrong),
                ..config.clone()
            };
            assert!(config.attempt().await.is_err(), "{version:?}");
        }
    }
    let missing = BrokerConfig {
        tls: Some(BrokerTls {
            ca: Some(file("none.pem")),
            client: None,
        }),
        ..config(&broker, MqttVersion::V4)
    };
    let said = missing.attempt().await.unwrap_err();
    assert!(said.contains("none.pem"), "{said}");
}

#[tokio::test]
async fn a_try_says_what_is_wrong_and_changes_nothing() {
    if skipped() {
        return;
    }
    let broker = start(|config| config).await;
    for version in [MqttVersion::V4, MqttVersion::V5] {
        let good = config(&broker, version);
        let pipeline = Pipeline::new();
        let brokers = connect(good.clone(), Arc::clone(&pipeline) as Arc<dyn Uplink>).await;
        until_up(&brokers, true).await;
        assert_eq!(good.attempt().await, Ok(()));
        let wrong = BrokerConfig {
            password: Some("wrong".into()),
            ..good
        };
        let said = wrong.attempt().await.unwrap_err();
        assert!(said.contains("refused"), "{said}");
        // The connection that is there was not disturbed.
        tokio::time::sleep(Duration::from_millis(200)).await;
        let lost = Seen::Disconnected(controller(MAC));
        assert!(!pipeline.seen().contains(&lost), "{version:?}");
        brokers.shutdown().await;
    }
}

fn gateway(w: &World, account: &str) {
    w.put_controller(ControllerRecord {
        farm: FARM.into(),
        mac: mac(account),
        kind: ControllerKind::Gateway,
        scope: ScopeSpec::zone("z1"),
        enabled: true,
    });
}

async fn is_online(w: &World, account: &str) -> bool {
    let all = w.hub.controllers(&FARM.into()).await.unwrap();
    all.iter().any(|c| c.mac == mac(account) && c.online)
}

#[tokio::test]
async fn messages_are_the_accounts_own() {
    if skipped() {
        return;
    }
    let broker = start(|config| config).await;
    let w = World::new().await;
    let own = |last: &str| format!("harit/1/{FARM}/{OTHER_MAC}/{last}");
    let old = r#"{"temperature":11}"#;
    publish(
        &broker,
        &["-q", "1", "-r", "-t", "zigbee2mqtt/old", "-m", old],
    )
    .await;
    let mut settings = config(&broker, MqttVersion::V5);
    settings.subscriptions = vec![
        subscription("zigbee2mqtt/#", MAC),
        subscription("harit/#", OTHER_MAC),
        subscription("odd/#", MAC),
    ];
    // Not registered yet: nothing is subscribed.
    w.records.0.lock().unwrap().clear();
    let brokers = connect(settings, w.hub.uplink()).await;
    until_up(&brokers, true).await;
    publish(
        &broker,
        &[
            "-q",
            "1",
            "-t",
            "zigbee2mqtt/early",
            "-m",
            r#"{"temperature":12}"#,
        ],
    )
    .await;
    gateway(&w, MAC);
    gateway(&w, OTHER_MAC);
    until("it is there once it is registered", async || {
        is_online(&w, MAC).await && is_online(&w, OTHER_MAC).await
    })
    .await;
    publish(
        &broker,
        &[
            "-q",
            "1",
            "-t",
            "zigbee2mqtt/probe",
            "-m",
            r#"{"temperature":21.5}"#,
        ],
    )
    .await;
    let known = async |w: &World| {
        w.read(|e| {
            e.sensors()
                .map(|s| s.spec.id.as_str().to_owned())
                .collect::<Vec<_>>()
        })
        .await
    };
    until("the reading comes", async || !known(&w).await.is_empty()).await;
    let all = known(&w).await;
    assert_eq!(
        all,
        ["probe/temperature"],
        "what a broker kept is no reading"
    );
    // Harit's own topics too, and of nobody else.
    let reading = r#"{"sensors":[{"id":"t9","type":"temperature","latestValue":20}]}"#;
    publish(
        &broker,
        &["-q", "1", "-t", &own("telemetry"), "-m", reading],
    )
    .await;
    let others = format!("harit/1/{FARM}/{MAC}/telemetry");
    publish(
        &broker,
        &["-q", "1", "-t", &others, "-m", &reading.replace("t9", "t8")],
    )
    .await;
    publish(&broker, &["-q", "1", "-t", "odd/one", "-m", "17.5"]).await;
    until(
        "an unknown sender is filed in its account's name",
        async || {
            let letters = w.hub.dead_letters(&FARM.into(), 100).await.unwrap();
            let of = format!("harit/1/{FARM}/{MAC} -> odd/one");
            letters.iter().any(|l| l.topic == of)
        },
    )
    .await;
    let mut all = known(&w).await;
    all.sort();
    assert_eq!(all, ["probe/temperature", "t9"]);
    // Blocked: it is gone, and what it says is not taken.
    let mut record = w.records.0.lock().unwrap()[&mac(MAC)].clone();
    record.enabled = false;
    w.put_controller(record);
    w.hub.controller_changed(&mac(MAC));
    until("who is blocked is gone", async || !is_online(&w, MAC).await).await;
    brokers.shutdown().await;
}

#[tokio::test]
async fn a_device_behind_a_broker_is_commanded_through_it_and_only_with_a_lease() {
    if skipped() {
        return;
    }
    let broker = start(|config| config).await;
    let w = World::new().await;
    gateway(&w, MAC);
    let mut settings = config(&broker, MqttVersion::V4);
    settings.subscriptions = ["tele/#", "stat/#"].map(|f| subscription(f, MAC)).into();
    let brokers = connect(settings, w.hub.uplink()).await;
    let other = Downlink::new(|_, _| Err(DownlinkError::NotConnected));
    w.hub.attach(brokers.beside(other));
    until_up(&brokers, true).await;
    let relay = Leased::start(System::Tasmota, broker.port, DEVICE, SECRET);
    let own = System::Tasmota.own_id();
    until("it is found", async || {
        let known = move |e: &harit_engine::Engine| e.device(own).is_some_and(|d| d.online);
        w.read(known).await
    })
    .await;
    assert_eq!(w.lock(own).await.as_deref(), Some("lease_unproven"));
    // The trial of its lease goes the same way.
    relay.run_faster(20);
    let device = (mac(MAC), own.to_owned());
    let tried = w
        .hub
        .try_lease(&FARM.into(), device.clone(), Some(10))
        .await;
    assert_eq!(tried, Ok(()));
    until("it goes on for the trial", async || relay.is_on()).await;
    until("and off by itself", async || !relay.is_on()).await;
    assert!(
        w.hub.end_trial(&FARM.into(), &device),
        "it showed its lease"
    );
    let identity = w
        .hub
        .profiles(&FARM.into())
        .controlled(own)
        .unwrap()
        .identity();
    let proofs: Proofs = HashMap::from([(device, identity)]);
    w.hub.put_proofs(&FARM.into(), proofs);
    until("it is unlocked", async || w.lock(own).await.is_none()).await;
    let wish = json!({"device": own, "cmd_type": "override", "action": "on", "duration_sec": 3000});
    w.admit(manual(wish)).await;
    until("it is on", async || relay.is_on()).await;
    until("and that is confirmed", async || {
        let all = w.hub.latest_commands(&FARM.into()).await.unwrap();
        all.iter().any(|l| l.state.as_str() == "confirmed")
    })
    .await;
    brokers.shutdown().await;
    until("without a server it goes off", async || !relay.is_on()).await;
}
