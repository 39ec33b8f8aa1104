//! A controller by certificate against the whole program: registered, blocked, let in again, removed; its files read anew at SIGHUP;
//! and what `harit check-config` says of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use harit_testkit::certificates::{Ca, DAY, Signed};
use reqwest::Method;
use rumqttc::{AsyncClient, Event, MqttOptions, Packet, QoS, TlsConfiguration, Transport};
use serde_json::json;
use tokio::time::timeout;

use crate::farm::{self, Account, Api, BLUE, GREEN};
use crate::server::{Home, PATIENCE, Server, machine, run, until};

const MAC: &str = "A4CF120B9E01";

/// Publishes a reading with that certificate; whether it was acknowledged, or why the connection ended.
pub(crate) async fn publishes(
    server: &Server,
    ca: &Ca,
    shown: &Signed,
    topic: &str,
) -> Result<(), String> {
    let mut options = MqttOptions::new("by-certificate", "127.0.0.1", server.mqtt);
    options.set_transport(Transport::Tls(TlsConfiguration::Simple {
        ca: ca.pem().into_bytes(),
        alpn: None,
        client_auth: Some((
            shown.pem.clone().into_bytes(),
            shown.key.clone().into_bytes(),
        )),
    }));
    let (client, mut events) = AsyncClient::new(options, 10);
    let reading = json!({"sensors": [{"id": "t1", "type": "temperature", "latestValue": 21.5}]});
    let topic = format!("{topic}telemetry");
    let sent = client.publish(topic, QoS::AtLeastOnce, false, reading.to_string());
    sent.await.unwrap();
    let heard = timeout(PATIENCE, async {
        loop {
            match events.poll().await {
                Ok(Event::Incoming(Packet::PubAck(_))) => break Ok(()),
                Ok(_) => {}
                Err(why) => break Err(why.to_string()),
            }
        }
    });
    heard.await.expect("in time")
}

/// Writes what a server by certificate reads into that folder; its settings.
pub(crate) fn files(ca: &Ca, dir: &Path) -> [(&'static str, String); 4] {
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    let (pem, key) = ca.server_between(-DAY, 10 * DAY).write(dir, "server");
    fs::write(dir.join("ca.pem"), ca.pem()).unwrap();
    fs::write(dir.join("crl.pem"), ca.revoke(&[], DAY)).unwrap();
    [
        ("HARIT_MQTT_TLS_CERTIFICATE", text(pem)),
        ("HARIT_MQTT_TLS_KEY", text(key)),
        ("HARIT_MQTT_TLS_CLIENT_CA", text(dir.join("ca.pem"))),
        ("HARIT_MQTT_TLS_CLIENT_CRL", text(dir.join("crl.pem"))),
    ]
}

async fn secured(ca: &Ca, home: &Home) -> Server {
    let files = files(ca, &home.path(""));
    let with = files.each_ref().map(|(name, path)| (*name, path.as_str()));
    home.server(&[], &with).await
}

#[tokio::test]
async fn a_controller_by_certificate_is_registered_blocked_and_removed() {
    let _machine = machine().await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let home = farm::seeded().await;
    let ca = Ca::new("Green Valley CA");
    let server = secured(&ca, &home).await;
    let api = Api::of(&server, GREEN).await;
    let shown = ca.client("a4:cf:12:0b:9e:01");
    let topic = format!("harit/1/{GREEN}/{MAC}/");
    let try_it = || publishes(&server, &ca, &shown, &topic);
    let refused = |tried: Result<(), String>| {
        assert!(
            tried.as_ref().is_err_and(|e| e.contains("NotAuthorized")),
            "{tried:?}"
        );
    };
    refused(try_it().await);
    let Account { topic: told, .. } = api.register(MAC).await;
    assert_eq!(told, topic);
    assert_eq!(try_it().await, Ok(()));
    let path = format!("/api/farms/{GREEN}/controllers/{MAC}");
    let enable = async |on: bool| {
        let body = json!({"enabled": on});
        let (status, answer) = api.send(Method::PATCH, &path, Some(&body)).await;
        assert_eq!(status, 204, "{answer}");
    };
    enable(false).await;
    refused(try_it().await);
    enable(true).await;
    assert_eq!(try_it().await, Ok(()));
    // Why it was kept out stands on the farm's page.
    let letters = api.of_farm("dead-letters").await.to_string();
    assert!(
        letters.contains(&format!("{MAC} -> (connect)")),
        "{letters}"
    );
    // What is the other farm's stays the other farm's: the topic is refused, and nothing is there.
    let other = format!("harit/1/{BLUE}/{MAC}/");
    assert_eq!(
        publishes(&server, &ca, &shown, &other).await,
        Ok(()),
        "acknowledged, and dropped"
    );
    let blue = Api::of(&server, BLUE).await;
    assert_eq!(blue.of_farm("sensors").await, json!([]));
    let letters = blue.of_farm("dead-letters").await.to_string();
    assert!(!letters.contains(MAC), "{letters}");

    let (status, answer) = api
        .send(Method::DELETE, &format!("{path}?anyway=true"), None)
        .await;
    assert!((200..300).contains(&status), "{answer}");
    refused(try_it().await);

    // At SIGHUP the new list counts, and the program goes on.
    let account = api.register(MAC).await;
    assert_eq!(try_it().await, Ok(()));
    fs::write(home.path("crl.pem"), ca.revoke(&[&shown], DAY)).unwrap();
    server.hang_up().await;
    until("it is revoked", Duration::from_secs(10), async || {
        let tried = publishes(&server, &ca, &shown, &account.topic).await;
        tried
            .is_err_and(|why| why.contains("CertificateRevoked"))
            .then_some(())
    })
    .await;
    let letters = api.of_farm("dead-letters").await.to_string();
    assert!(letters.contains("Revoked"), "{letters}");
    let log = fs::read_to_string(&server.log).unwrap();
    let soon = |what: &str| {
        let told = |l: &&str| l.contains("it ends soon") && l.contains(what);
        log.lines().filter(told).count()
    };
    assert_eq!(
        soon("\"certificate\""),
        2,
        "at the start and when it was asked for"
    );
    let expiry = "harit_tls_certificate_expiry_timestamp_seconds";
    let days = |at: f64| (at - farm::now_ms() as f64 / 1_000.0) / 86_400.0;
    let left = days(api.metric(expiry, "file=\"certificate\"").await);
    assert!((9.0..10.1).contains(&left), "{left}");
    let left = days(api.metric(expiry, "file=\"client_crl\"").await);
    assert!((0.0..1.1).contains(&left), "{left}");
}

#[tokio::test]
async fn check_config_names_the_days_that_are_left() {
    let home = Home::empty();
    let ca = Ca::until("short", 100 * DAY + 60);
    let (pem, key) = ca
        .server_between(-DAY, 30 * DAY + 60)
        .write(home.path("").as_path(), "server");
    fs::write(home.path("ca.pem"), ca.pem()).unwrap();
    let settings = format!(
        "[mqtt]\ntls_certificate = {pem:?}\ntls_key = {key:?}\ntls_client_ca = {:?}\n",
        home.path("ca.pem")
    );
    let config = home.path("harit.toml");
    fs::write(&config, settings).unwrap();
    let checked = async || {
        let checked = run(&["check-config", "--config", config.to_str().unwrap()]).await;
        let said = [checked.stdout, checked.stderr].concat();
        (checked.status.code(), String::from_utf8(said).unwrap())
    };
    let (code, said) = checked().await;
    assert_eq!(code, Some(0), "{said}");
    for (what, days) in [("tls_certificate", 30), ("tls_client_ca", 100)] {
        let line = said.lines().find(|l| l.contains(&format!("mqtt.{what} ")));
        assert!(
            line.is_some_and(|l| l.contains(&format!("{days} days left"))),
            "{said}"
        );
    }
    fs::write(&key, ca.client(MAC).key).unwrap();
    let (code, said) = checked().await;
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("server.pem"), "{said}");
}
