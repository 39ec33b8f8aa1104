//! Two servers at work at once, each with its own farms, on one PostgreSQL and three servers of NATS: what concerns a farm of the other one is
//! passed on, and what the other one has goes on without the first.

use std::fs;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use harit_gateways::Gateways;
use harit_testkit::certificates::Ca;
use harit_testkit::mqtt::publish;
use harit_testkit::web::WebSocket;
use harit_testkit::{nats, postgres};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::backup::{done, text};
use crate::certificates::{files, publishes};
use crate::controller::{Controller, Link, Received};
use crate::farm::{Api, now_ms};
use crate::random::dice;
use crate::redelivery::{charted, judged};
use crate::refused_answers::{Outside, SITE, TOKEN};
use crate::server::{Home, SETTINGS, Server, machine, patience, until};
use crate::standby::{KEYS, OWNER, PROMISES, Pair, WITHOUT_A_NATS, farms, reached, settings};
use crate::standby_beside::restored;
use crate::standby_faults::told;
use crate::unit::hello;

pub(crate) const CELLS: [&str; 2] = ["north", "south"];

/// Of the south's owner.
const PHONE: &str = "+919812345678";

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
pub(crate) struct Cell {
    pub(crate) home: Home,
    pub(crate) server: Server,
    owner: &'static str,
    pub(crate) farm: String,
    password: String,
}

impl Cell {
    /// Its owner, signed in at a server.
    pub(crate) async fn owner(&self, at: &Server) -> Api {
        Api::sign_in(at, &self.farm, self.owner, &self.password).await
    }
}

/// Makes a farm of a cell, with its owner; its id and the password.
pub(crate) async fn made(name: &str, contact: &str, home: &Home) -> (String, String) {
    let (data, settings) = (home.data(), home.path(SETTINGS));
    let said = done(&[
        "user",
        "add",
        contact,
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

/// Cells by their names and owners, with a farm each.
pub(crate) async fn started<const N: usize>(
    cells: [(&'static str, &'static str); N],
    nats: &[nats::Server; 3],
    database: &postgres::Server,
    environment: &[(&str, &str)],
) -> [Cell; N] {
    let (records, homes) = (database.database(), [(); N].map(|()| Home::empty()));
    let mut all = Vec::new();
    for (n, (name, owner)) in cells.into_iter().enumerate() {
        let home = &homes[n];
        let own = own_settings(name, nats, database, &records);
        fs::write(home.path(SETTINGS), own).unwrap();
        reached(home).await;
        if n > 0 {
            keys(&homes[0], home);
        }
        all.push((owner, made(name, owner, home).await));
    }
    let mut started = Vec::new();
    for (home, (owner, (farm, password))) in homes.into_iter().zip(all) {
        let settings = home.path(SETTINGS);
        let with = ["--config", text(&settings)];
        let server = home.server(&with, environment).await;
        started.push(Cell {
            home,
            server,
            owner,
            farm,
            password,
        });
    }
    <[Cell; N]>::try_from(started).ok().unwrap()
}

/// An alert of the south is told by SMS, and what its owner answers comes to the north: it is carried out once, where the farm is.
async fn is_answered(api: &Api, farm: &str, link: &Link, gateways: &Gateways, north: &Server) {
    let to_owners = json!({"who": {"kind": "role", "role": "OWNER"}, "afterMin": 0, "severities": ["critical"]});
    let chain = json!({"steps": [to_owners], "duties": []});
    let path = format!("/api/farms/{farm}/escalation");
    let (status, answer) = api.send(Method::PUT, &path, Some(&chain)).await;
    assert_eq!(status, 200, "{answer}");
    let alert = json!({
        "name": "Hot", "repeatsIn": 240, "repeatUnit": "minutes", "channels": ["SMS"], "severity": "critical",
        "scope": {"type": "farm", "farmId": farm}, "subscribers": [{"email": "nobody@else.test"}],
        "conditions": [{"id": "1", "sensor": "Temperature", "operator": ">", "value": 40, "unit": "°C"}],
    });
    let (status, answer) = api.post("alerts", &alert).await;
    assert_eq!(status, 201, "{answer}");
    until("the owner is told", patience(), async || {
        link.reading("t1", 45.0).1.await.unwrap();
        let told = gateways.inbox.all();
        told.iter().any(|m| m.to == PHONE).then_some(())
    })
    .await;
    let client = Client::new();
    let outside = Outside {
        client,
        server: north,
    };
    for _ in 0..2 {
        assert_eq!(outside.twilio("SM1", PHONE, "1", TOKEN).await, 200);
        let alerts = api.of_farm("alerts").await;
        let incident = alerts[0]["status"]["incident"]["id"].as_str().unwrap();
        let seen = api.of_farm(&format!("incidents/{incident}")).await;
        assert_eq!(seen["answers"].as_array().unwrap().len(), 1, "{seen}");
    }
}

/// Nobody takes the south's journals in another cell, nor all farms beside cells.
async fn nothing_else_begins(south: &Cell) {
    let own = fs::read_to_string(south.home.path(SETTINGS)).unwrap();
    for (cell, why) in [
        (of_cell("west"), "is that of cell"),
        (String::new(), "stands by"),
    ] {
        let home = Home::empty();
        let path = home.path(SETTINGS);
        fs::write(&path, own.replace(&of_cell(CELLS[1]), &cell)).unwrap();
        keys(&south.home, &home);
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
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    let gateways = Gateways::start(free, free).await.unwrap();
    let twilio = format!("http://{}", gateways.http);
    let gateway = [
        ("HARIT_SMS_GATEWAY", "twilio"),
        ("HARIT_SMS_URL", twilio.as_str()),
        ("HARIT_SMS_ACCOUNT", "ACsimulated"),
        ("HARIT_SMS_TOKEN", TOKEN),
        ("HARIT_SMS_SENDER", "+15005550006"),
        ("HARIT_SERVER_PUBLIC_URL", SITE),
    ];
    let cells = [(CELLS[0], "owner@north.example"), (CELLS[1], PHONE)];
    let [north, mut south] = started(cells, &nats, &database, &gateway).await;

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

    is_answered(&api, &south.farm, &link, &gateways, &north.server).await;
    nothing_else_begins(&south).await;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server and PostgreSQL: make test-cluster"]
async fn a_connection_is_passed_on_with_its_certificate_and_by_websocket() {
    let _machine = machine().await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (nats, database) = (nats::Server::three(), postgres::Server::start());
    let (ca, home) = (Ca::new("Both CA"), Home::empty());
    let files = files(&ca, &home.path(""));
    let with = files.each_ref().map(|(name, path)| (*name, path.as_str()));
    let cells = [
        (CELLS[0], "owner@north.example"),
        (CELLS[1], "owner@south.example"),
    ];
    let [north, mut south] = started(cells, &nats, &database, &with).await;
    let api = south.owner(&north.server).await;
    let account = api.register("A4CF120B9E01").await;

    // By its certificate, which the north has verified, and by no other one's.
    let (own, other) = (ca.client("A4CF120B9E01"), ca.client("A4CF120B9E77"));
    let by = async |shown| publishes(&north.server, &ca, shown, &account.topic).await;
    assert_eq!(by(&own).await, Ok(()));
    let refused = by(&other).await.unwrap_err();
    assert!(refused.contains("NotAuthorized"), "{refused}");
    assert_eq!(api.of_farm("sensors").await[0]["id"], "t1");

    // By WebSocket, with its secret.
    let host = north.server.http.trim_start_matches("http://");
    let open = || WebSocket::open(host, "/mqtt", Some("mqtt"));
    let mut link = open().await.unwrap();
    link.binary(&hello(&account)).await;
    assert_eq!(link.next().await, Some(vec![0x20, 2, 0, 0]));
    let reading = json!({"sensors": [{"id": "t2", "type": "temperature", "unit": "°C", "latestValue": 21.5}]});
    let topic = format!("{}telemetry", account.topic);
    let message = publish(false, &topic, Some(1), reading.to_string().as_bytes());
    link.binary(&message).await;
    assert_eq!(link.next().await, Some(vec![0x40, 2, 0, 1]));
    assert_eq!(api.of_farm("sensors").await[1]["id"], "t2");

    // What happens, to a person at the north.
    let path = format!("/socket.io/?EIO=4&transport=websocket&farm={}", south.farm);
    let mut live = WebSocket::open(host, &path, None).await.unwrap();
    let said = async |live: &mut WebSocket| String::from_utf8(live.next().await.unwrap()).unwrap();
    assert!(said(&mut live).await.starts_with("0{"));
    live.text(&format!("40{}", json!({"token": api.token()})))
        .await;
    let mut joined = said(&mut live).await;
    if joined == "2" {
        // A ping, which comes whenever it is due.
        joined = said(&mut live).await;
    }
    assert!(joined.starts_with("40{"), "{joined}");

    // While its cell has no server, the controller is told that there is none, whichever way it comes.
    south.server.kill().await;
    assert_eq!(link.next().await, None);
    let refused = by(&own).await.unwrap_err();
    assert!(refused.contains("ServiceUnavailable"), "{refused}");
    let mut link = open().await.unwrap();
    link.binary(&hello(&account)).await;
    assert_eq!(link.next().await, Some(vec![0x20, 2, 0, 3]));
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
    let backups = south.homes[0].path("backups");
    let backup = format!("[backup]\nto = \"{}\"\n", text(&backups));
    south.set(&format!("{}{backup}", of_cell(CELLS[1])));
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
    told("a server of NATS is killed", took, WITHOUT_A_NATS);
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
    // What the server at work made by itself, of its own cell.
    restored(&backups, farms().farms).await;
    eprintln!(
        "{messages} messages passed on, {again} of which were journaled once more; none lost, none doubled"
    );
}
