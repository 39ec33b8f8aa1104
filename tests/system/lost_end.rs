//! A journal that has lost its end: no server starts with it, until whoever runs it accepts that.

use std::fs;

use serde_json::{Value, json};

use crate::backup::{done, text};
use crate::controller::Controller;
use crate::farm::{self, Api, GREEN};
use crate::server::{PATIENCE, machine, run, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_end_is_accepted_by_a_person() {
    let _machine = machine().await;
    let home = farm::seeded().await;
    let (data, folder) = (home.data(), home.data().join("journal/000001"));
    let mut server = farm::server(&home).await;
    let api = Api::of(&server, GREEN).await;
    let account = api.register("A4CF120D0001").await;
    let controller = Controller::new(&account, &["t1"], &["fan-1"]);
    let link = controller.connect(server.mqtt).await;
    api.device_online("fan-1").await;
    let scope = json!({"type": "farm", "farmId": GREEN});
    api.rule("kept", "fan-1", &scope, 1, 1).await;
    drop(link);
    assert!(server.terminate().await.0.success());
    let journals: Vec<_> = fs::read_dir(&folder).unwrap().map(|f| f.unwrap()).collect();
    let journals = journals
        .into_iter()
        .filter(|f| f.path().extension().unwrap() == "db");
    let journals: Vec<_> = journals
        .map(|f| (f.path(), fs::read(f.path()).unwrap()))
        .collect();
    assert!(!journals.is_empty());

    // What is journaled now the disk forgets, though it said that it is there.
    server.start().await;
    let api = Api::of(&server, GREEN).await;
    api.rule("gone", "fan-1", &scope, 1, 1).await;
    assert!(server.terminate().await.0.success());
    for (journal, bytes) in &journals {
        fs::write(journal, bytes).unwrap();
    }
    server.spawn();
    assert!(!server.ended().await.success());
    assert!(
        server.said().contains("harit journal accept-loss"),
        "{}",
        server.said()
    );

    let accept = ["journal", "accept-loss", "--data-dir", text(&data)];
    let asked = run(&accept).await;
    assert!(!asked.status.success());
    let said = String::from_utf8(asked.stderr).unwrap();
    assert!(
        said.contains("it has lost its end") && said.contains("--yes"),
        "{said}"
    );
    let said = done(&[&accept[..], &["--yes"]].concat()).await;
    assert!(
        said.contains("the server starts with what is left"),
        "{said}"
    );
    assert!(done(&accept).await.contains("no journal has lost its end"));

    server.start().await;
    let api = Api::of(&server, GREEN).await;
    let rules = api.of_farm("rules").await;
    let rules: Vec<&Value> = rules.as_array().unwrap().iter().map(|r| &r["id"]).collect();
    assert_eq!(rules, ["kept"]);
    let link = controller.connect(server.mqtt).await;
    api.device_online("fan-1").await;
    until("it is measured", PATIENCE, async || {
        link.reading("t1", 35.0).1.await.ok()
    })
    .await;
    // The past is still told.
    let now = farm::now_ms().to_string();
    let explain = ["explain", "--farm", GREEN, "--rule", "kept", "--at", &now];
    done(&[&explain[..], &["--data-dir", text(&data)]].concat()).await;
    drop(link);
    assert!(server.terminate().await.0.success());
}
