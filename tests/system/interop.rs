//! The endpoint of the running server under what the Eclipse Paho interoperability suite asks, `tests/interop`: Paho's client for
//! Python in MQTT 3.1.1 and 5, and bytes of our own where no client would send them.

use std::path::Path;
use std::process::Stdio;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::timeout;

use crate::farm::{self, Api, GREEN};
use crate::server::{PATIENCE, machine};

/// How many behaviours there are accounts for: a reader and two controllers each.
const PLACES: usize = 50;

/// The Python of `scripts/install-test-clients.sh`.
pub(crate) fn python() -> Command {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/interop/venv/bin/python");
    assert!(
        installed.exists(),
        "run scripts/install-test-clients.sh, or set HARIT_SKIP_INTEROP=1 to leave these tests out"
    );
    Command::new(installed)
}

#[tokio::test]
async fn what_pahos_suite_asks_holds() {
    if harit_testkit::skipped() {
        return;
    }
    let _machine = machine().await;
    let controllers: Vec<_> = (0..2 * PLACES)
        .map(|n| farm::Account::numbered("A4CF13", n))
        .collect();
    let home = farm::seeded_with(&controllers).await;
    let server = farm::server(&home).await;
    let api = Api::of(&server, GREEN).await;
    let mut readers = Vec::new();
    for n in 0..PLACES {
        let body = json!({"name": format!("reader {n}")});
        let path = format!("/api/farms/{GREEN}/integrations");
        let (status, made) = api.send(Method::POST, &path, Some(&body)).await;
        assert_eq!(status, 201, "{made}");
        let of = |key: &str| made["mqtt"][key].clone();
        readers.push(json!({"user": of("username"), "password": of("password")}));
    }
    let controllers: Vec<Value> = (controllers.iter())
        .map(|c| json!({"user": c.mac, "password": c.secret, "topic": c.topic}))
        .collect();
    let world = json!({"port": server.mqtt, "all": format!("harit/1/{GREEN}/#"), "controllers": controllers, "readers": readers});
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/behaviours.py");
    let mut asked = python()
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut input = asked.stdin.take().unwrap();
    input.write_all(world.to_string().as_bytes()).await.unwrap();
    drop(input);
    let output = timeout(4 * PATIENCE, asked.wait_with_output()).await;
    let output = output.expect("it ends").unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let passed = told.lines().filter(|line| line.starts_with("ok ")).count();
    assert!(!told.contains("FAILED "), "{told}");
    assert_eq!(passed, 46, "{told}");
}
