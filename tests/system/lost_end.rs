//! A journal that has lost its end: no server starts with it, until whoever runs it accepts that. In files, and in NATS (`make test-cluster`).

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, Context, stream::Info};
use futures_util::TryStreamExt as _;
use harit_testkit::{nats, postgres};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::backup::{done, text};
use crate::cells::{CELLS, started};
use crate::controller::Controller;
use crate::farm::{self, Api, GREEN};
use crate::farm_moves::{FAN, goes_off, lives};
use crate::server::{PATIENCE, SETTINGS, machine, run, until};

/// Accepts the loss, which is asked for once.
async fn accepted(place: &[&str]) {
    let accept = [&["journal", "accept-loss"], place].concat();
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
}

async fn rules(api: &Api) -> Vec<String> {
    let rules = api.of_farm("rules").await;
    let id = |rule: &Value| rule["id"].as_str().unwrap().to_owned();
    rules.as_array().unwrap().iter().map(id).collect()
}

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

    accepted(&["--data-dir", text(&data)]).await;
    server.start().await;
    let api = Api::of(&server, GREEN).await;
    assert_eq!(rules(&api).await, ["kept"]);
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

/// The streams that are journals, and their ends.
async fn journals(jetstream: &Context) -> BTreeMap<String, u64> {
    let all: Vec<_> = jetstream.streams().try_collect().await.unwrap();
    let journals = all.into_iter().filter(|s| s.config.name.starts_with("HJ-"));
    let end = |stream: Info| (stream.config.name, stream.state.last_sequence);
    journals.map(end).collect()
}

/// Makes a stream anew that ends there; what is beside it stays.
async fn ends_at(jetstream: &Context, stream: &str, end: u64) {
    let old = jetstream.get_stream(stream).await.unwrap();
    let Info { config, state, .. } = old.cached_info().clone();
    assert_eq!(state.first_sequence, 1);
    let mut messages = Vec::new();
    for n in 1..=end {
        messages.push(old.get_raw_message(n).await.unwrap());
    }
    jetstream.delete_stream(stream).await.unwrap();
    jetstream.create_stream(&config).await.unwrap();
    for message in messages {
        let sent = jetstream.publish(message.subject, message.payload);
        sent.await.unwrap().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server and PostgreSQL: make test-cluster"]
async fn a_lost_end_in_nats_is_accepted_by_a_person() {
    let _machine = machine().await;
    let (nats, database) = (nats::Server::three(), postgres::Server::start());
    let url = format!("nats://127.0.0.1:{}", nats[0].port);
    let cells = [(CELLS[0], "owner@north.example")];
    let [mut cell] = started(cells, &nats, &database, &[]).await;
    let jetstream = jetstream::new(async_nats::connect(url).await.unwrap());
    let (controller, link, mut api) = lives(&cell, "A4CF120B9E01").await;
    let then = journals(&jetstream).await;
    let scope = json!({"type": "farm", "farmId": cell.farm});
    api.rule("gone", FAN, &scope, 1, 1).await;
    drop(link);
    // Where a journal ends is noted beside it once a second.
    sleep(Duration::from_secs(2)).await;
    assert!(cell.server.terminate().await.0.success());
    for (stream, end) in journals(&jetstream).await {
        if then[&stream] < end {
            ends_at(&jetstream, &stream, then[&stream]).await;
        }
    }
    let began = Instant::now();
    cell.server.spawn();
    assert!(!cell.server.ended().await.success());
    let said = cell.server.said();
    assert!(said.contains("harit journal accept-loss"), "{said}");
    // A server of NATS that had stood still could have said so of what it had then.
    assert!(began.elapsed() > Duration::from_secs(20));

    let (data, settings) = (cell.home.data(), cell.home.path(SETTINGS));
    accepted(&["--data-dir", text(&data), "--config", text(&settings)]).await;
    cell.server.start().await;
    api.moved(&cell.server);
    assert_eq!(rules(&api).await, ["heat"]);
    goes_off(&cell, &controller, &cell.server).await;
}
