//! Two servers at work at once, each with its own farms, on one PostgreSQL and three servers of NATS: what concerns a farm of the other one is
//! passed on, and what the other one has goes on without the first.

use std::fs;
use std::sync::atomic::Ordering;
use std::time::Duration;

use harit_testkit::{nats, postgres};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::backup::{done, text};
use crate::controller::{Controller, Received};
use crate::farm::{Api, now_ms};
use crate::random::dice;
use crate::redelivery::{charted, judged};
use crate::server::{Home, SETTINGS, Server, machine, niceness, patience, until};
use crate::standby::{KEYS, OWNER, PROMISES, Pair, WITHOUT_A_NATS, reached, settings};

pub(crate) const CELLS: [&str; 2] = ["north", "south"];

/// The settings of a server that make it one of a cell.
pub(crate) fn of_cell(name: &str) -> String {
    format!("[cell]\nname = \"{name}\"\nlisten = \"127.0.0.1:0\"\n")
}

/// Settings of a cell's server: journals and a history of its own, and the records of all.
pub(crate) fn own_settings(
    name: &str,
    nats: &[nats::Server; 3],
    database: &postgres::Server,
    records: &str,
) -> String {
    let journal = format!("max_mib = 128\ncluster = \"{name}\"\n");
    let all = settings(nats, records, ["journal_max_mib = 64\n", &journal]);
    let history = |url: &str| format!("[history]\nurl = \"{url}\"");
    let own = all.replace(&history(records), &history(&database.database()));
    format!("{own}{}", of_cell(name))
}

/// Gives a home the keys of another one, as all servers have to have the same.
pub(crate) fn keys(from: &Home, to: &Home) {
    fs::create_dir_all(to.data()).unwrap();
    for key in KEYS.iter().filter(|key| from.data().join(key).exists()) {
        fs::copy(from.data().join(key), to.data().join(key)).unwrap();
    }
}

/// A cell with its server and a farm.
struct Cell {
    home: Home,
    server: Server,
    name: &'static str,
    farm: String,
    password: String,
}

impl Cell {
    fn contact(&self) -> String {
        format!("owner@{}.example", self.name)
    }

    /// Its owner, signed in at a server.
    async fn owner(&self, at: &Server) -> Api {
        Api::sign_in(at, &self.farm, &self.contact(), &self.password).await
    }
}

/// Makes the farm of a cell, with its owner.
async fn made(name: &str, home: &Home) -> (String, String) {
    let (data, settings) = (home.data(), home.path(SETTINGS));
    let contact = format!("owner@{name}.example");
    let said = done(&[
        "user",
        "add",
        &contact,
        "--name",
        "Owner",
        "--new-farm",
        name,
        "--data-dir",
        text(&data),
        "--config",
        text(&settings),
    ])
    .await;
    let after = |word: &str| said.lines().find_map(|l| l.split_once(word)).unwrap().1;
    (
        after("owns farm ").to_owned(),
        after("password ").to_owned(),
    )
}

/// Nobody takes another cell's journals, nor all farms beside a cell.
async fn nothing_else_begins(
    nats: &[nats::Server; 3],
    database: &postgres::Server,
    records: &str,
    other: &Home,
) {
    for (cell, why) in [
        (of_cell("west"), "is that of cell"),
        (String::new(), "stands by"),
    ] {
        let own = own_settings(CELLS[1], nats, database, records);
        let home = Home::empty();
        let path = home.path(SETTINGS);
        fs::write(&path, own.replace(&of_cell(CELLS[1]), &cell)).unwrap();
        keys(other, &home);
        let mut server = home.stopped(&["--config", text(&path)], &[]);
        server.spawn();
        until(why, patience(), async || {
            server.said().contains(why).then_some(())
        })
        .await;
        server.kill().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server and PostgreSQL: make test-cluster"]
async fn each_server_passes_on_what_is_the_other_ones() {
    let _machine = machine().await;
    let (nats, database) = (nats::Server::three(), postgres::Server::start());
    let records = database.database();
    let homes = [Home::empty(), Home::empty()];
    for (home, cell) in homes.iter().zip(CELLS) {
        let own = own_settings(cell, &nats, &database, &records);
        fs::write(home.path(SETTINGS), own).unwrap();
    }
    reached(&homes[0]).await;
    let first = made(CELLS[0], &homes[0]).await;
    keys(&homes[0], &homes[1]);
    let second = made(CELLS[1], &homes[1]).await;
    let mut cells = Vec::new();
    let made = CELLS.into_iter().zip([first, second]);
    for (home, (name, (farm, password))) in homes.into_iter().zip(made) {
        let settings = home.path(SETTINGS);
        let server = home.server(&["--config", text(&settings)], &[]).await;
        cells.push(Cell {
            home,
            server,
            name,
            farm,
            password,
        });
    }
    let [north, mut south] = <[Cell; 2]>::try_from(cells).ok().unwrap();

    // A person of the one at the server of the other.
    let api = south.owner(&north.server).await;
    assert_eq!(api.of_farm("rules").await, json!([]));
    let account = api.register("A4CF120B9E01").await;
    let scope = json!({"type": "farm", "farmId": south.farm});
    let controller = Controller::new(&account, &["t1"], &["fan"]);
    let link = controller.connect(north.server.mqtt).await;
    api.device_online("fan").await;
    api.rule("heat", "fan", &scope, 1, 1).await;
    let on = until("the fan starts", patience(), async || {
        link.reading("t1", 34.0).1.await.unwrap();
        let received = controller.received();
        received.into_iter().find(Received::on)
    });
    let on = on.await;
    api.command_is(on.id(), "confirmed").await;
    // What names its farm only by who sends it, or not at all.
    let message = json!({"ts": now_ms(), "sensors": [{"id": "t1", "type": "temperature", "unit": "°C", "latestValue": 33.0}]});
    let url = format!(
        "{}/intake?topic={}telemetry",
        north.server.http, account.topic
    );
    let sent = Client::new()
        .post(url)
        .basic_auth(&account.mac, Some(&account.secret));
    let answer = sent.json(&message).send().await.unwrap();
    assert!(answer.status().is_success(), "{answer:?}");
    let assets =
        json!({"assets": [{"type": "POLYHOUSE", "name": "Second house", "macid": "A4CF120B9E02"}]});
    let (status, answer) = api
        .send(Method::POST, "/onboarding/assets", Some(&assets))
        .await;
    assert_eq!(status, 201, "{answer}");
    // A live connection that begins at the one is the other one's.
    let at = |server: &Server, more: &str| {
        let farm = &south.farm;
        format!(
            "{}/socket.io/?EIO=4&transport=polling&farm={farm}{more}",
            server.http
        )
    };
    let opened = reqwest::get(at(&north.server, "")).await.unwrap();
    let opened = opened.text().await.unwrap();
    let opened: Value = serde_json::from_str(opened.strip_prefix('0').unwrap()).unwrap();
    let sid = format!("&sid={}", opened["sid"].as_str().unwrap());
    let body = format!("40{}", json!({"token": api.token()}));
    let joined = Client::new().post(at(&south.server, &sid)).body(body);
    assert_eq!(joined.send().await.unwrap().status(), 200);
    let said = reqwest::get(at(&north.server, &sid)).await.unwrap();
    let said = said.text().await.unwrap();
    assert!(said.contains("40{\"sid\""), "{said}");
    // The same is there at its own server.
    let at_home = south.owner(&south.server).await;
    assert_eq!(at_home.of_farm("rules").await[0]["id"], "heat");

    nothing_else_begins(&nats, &database, &records, &north.home).await;
    // Without the server of the south its farms are not available, and those of the north are.
    south.server.kill().await;
    let path = format!("/api/farms/{}/rules", south.farm);
    let (status, _) = api.send(Method::GET, &path, None).await;
    assert_eq!(status, 503);
    let own = north.owner(&north.server).await;
    assert_eq!(own.of_farm("rules").await, json!([]));
    south.server.start().await;
    until("the south is there again", patience(), async || {
        let (status, _) = api.send(Method::GET, &path, None).await;
        (status == 200).then_some(())
    })
    .await;
    api.device_online("fan").await;
    drop(link);
    drop(south.home);
}

/// The south has two servers, one at work and one that stands by, and its controllers connect at the north, which passes them on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server and PostgreSQL: make test-cluster"]
async fn what_is_passed_on_is_neither_lost_nor_doubled() {
    let _machine = machine().await;
    let mut south = Pair::new(dice("cells")).await;
    let records = south.records.clone();
    // Farms that are of no cell become those of the one that has their journals.
    south.set(&of_cell(CELLS[1]));
    south.servers[0].start().await;
    south.stand_by().await;
    let home = Home::empty();
    let own = own_settings(CELLS[0], &south.nats, &south.database, &records);
    fs::write(home.path(SETTINGS), own).unwrap();
    keys(&south.homes[0], &home);
    let settings = home.path(SETTINGS);
    let mut north = home.server(&["--config", text(&settings)], &[]).await;
    south.door = Some(north.mqtt);
    for (end, promise) in PROMISES {
        south.takes_over(end, promise).await;
    }
    let took = south.without_a_nats().await;
    eprintln!("a server of NATS is killed: nothing is acknowledged for {took:.1?}");
    assert!(niceness() > 0 || took < WITHOUT_A_NATS, "{took:?}");
    // The one that passes on is killed.
    let (load, lives) = south.connect().await;
    sleep(Duration::from_secs(1)).await;
    load.killed.store(true, Ordering::Relaxed);
    north.kill().await;
    south.disconnected(lives).await;
    north.start().await;
    south.door = Some(north.mqtt);
    let (load, lives) = south.connect().await;
    load.ending.store(true, Ordering::Relaxed);
    south.disconnected(lives).await;

    let sent: Vec<u64> = south.senders.iter().map(|s| s.sent).collect();
    let home = &south.homes[0];
    let (messages, again) = judged(home, &home.data(), &south.senders, &sent).await;
    charted(&north, (OWNER, &south.password), &south.senders).await;
    eprintln!(
        "{messages} messages passed on, {again} of which were journaled once more; none lost, none doubled"
    );
}
