//! A real PostgreSQL that has the history: what was acknowledged is there once, whoever is killed meanwhile, and control does not
//! wait for it. `make test-services` installs it and runs this.

use std::fs;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harit_testkit::postgres;
use reqwest::Method;
use serde_json::{Value, json};

use crate::controller::{Controller, Link};
use crate::farm::{self, Account, Api, GREEN, now_ms};
use crate::server::{Home, PATIENCE, machine, run, until};

/// What was sent: how many readings, and what they sum up to.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sent {
    count: u64,
    sum: f64,
}

struct World {
    database: postgres::Server,
    url: String,
    server: crate::server::Server,
    api: Api,
    controller: Controller,
    sent: Sent,
}

impl World {
    /// Sends readings, ten an instant, and waits until all are acknowledged.
    async fn publish(&mut self, link: &Link, messages: u32) {
        let mut acknowledged = Vec::new();
        for n in 0..messages {
            let value = |k: u32| f64::from((n * 10 + k) % 40) * 0.25;
            let of = |k| json!({"id": "t-1", "type": "temperature", "unit": "°C", "latestValue": value(k)});
            let sensors: Vec<Value> = (0..10).map(of).collect();
            let ts = now_ms() - 60_000 + i64::from(n);
            acknowledged.push(link.telemetry(&json!({"ts": ts, "sensors": sensors})));
            self.sent.sum += (0..10).map(value).sum::<f64>();
            self.sent.count += 10;
        }
        for acknowledged in join_all(acknowledged).await {
            acknowledged.unwrap();
        }
    }

    /// What the chart says, if it can be had.
    async fn chart(&self) -> Option<(Sent, bool)> {
        let now = now_ms();
        let day = 86_400_000;
        let path = format!(
            "/api/farms/{GREEN}/sensors/t-1/history?from={}&to={}",
            now - day / 4,
            now + day / 4
        );
        let (status, answer) = self.api.send(Method::GET, &path, None).await;
        if status != 200 {
            assert_eq!(status, 503, "{answer}");
            return None;
        }
        let points = answer["points"].as_array().unwrap();
        let sum = |p: &Value| p["mean"].as_f64().unwrap() * p["count"].as_f64().unwrap();
        let found = Sent {
            count: points.iter().map(|p| p["count"].as_u64().unwrap()).sum(),
            sum: points.iter().map(sum).sum(),
        };
        Some((found, answer["incomplete"].as_bool().unwrap()))
    }

    /// The chart has everything, once.
    async fn is_whole(&self, when: &str) {
        let began = Instant::now();
        let chart = until("the chart has all", PATIENCE, async || {
            let (found, incomplete) = self.chart().await?;
            (!incomplete && found.count >= self.sent.count).then_some(found)
        })
        .await;
        eprintln!("{when}: {chart:?} after {:?}", began.elapsed());
        assert_eq!(chart.count, self.sent.count, "{when}");
        assert!(
            (chart.sum - self.sent.sum).abs() < 0.01,
            "{when}: {chart:?} {:?}",
            self.sent
        );
        // And so has the log: each command's entry once.
        let log = self.api.of_farm("logs").await;
        let commands = log["items"].as_array().unwrap().iter();
        let mut told: Vec<String> = commands
            .flat_map(|e| e["commands"].as_array().cloned().unwrap_or_default())
            .map(|c| c["id"].to_string())
            .collect();
        told.sort();
        let all = told.len();
        told.dedup();
        assert_eq!(told.len(), all, "{log}");
    }

    /// Without the database pages say so, and the fan goes on all the same.
    async fn is_missed(&mut self, link: &Link) {
        until("charts say that they cannot be had", PATIENCE, async || {
            self.chart().await.is_none().then_some(())
        })
        .await;
        until("/readyz names the history", PATIENCE, async || {
            let (status, answer) = self.api.send(Method::GET, "/readyz", None).await;
            (status == 503 && answer.to_string().contains("history")).then_some(())
        })
        .await;
        let hot = Instant::now();
        for _ in 0..4 {
            link.reading("t-1", 35.0).1.await.unwrap();
            self.sent.count += 1;
            self.sent.sum += 35.0;
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        let on = |r: &crate::controller::Received| r.on();
        self.controller
            .command("the fan goes on", Duration::from_secs(5), 0, on)
            .await;
        eprintln!(
            "the fan was on after {:?} while the database was away",
            hot.elapsed()
        );
    }

    async fn restart(&mut self) -> Link {
        self.server.start().await;
        self.api.moved(&self.server);
        self.controller.connect(self.server.mqtt).await
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL: make test-services"]
async fn the_history_is_whole_in_postgres_whoever_is_killed() {
    let _machine = machine().await;
    let account = Account::numbered("A4CF16", 1);
    let home = farm::seeded_with(std::slice::from_ref(&account)).await;
    let database = postgres::Server::start();
    let url = database.database();
    let environment = [
        ("HARIT_STORAGE_SHARDS", "2"),
        ("HARIT_HISTORY_URL", url.as_str()),
    ];
    let server = home.server(&[], &environment).await;
    let api = Api::of(&server, GREEN).await;
    let controller = Controller::new(&account, &["t-1"], &["fan-1"]);
    let mut w = World {
        api,
        controller,
        sent: Sent { count: 0, sum: 0.0 },
        url: url.clone(),
        database,
        server,
    };
    let link = w.controller.connect(w.server.mqtt).await;
    w.publish(&link, 50).await;
    w.api.device_online("fan-1").await;
    let scope = json!({"type": "farm", "farmId": GREEN});
    w.api.rule("cool", "fan-1", &scope, 1, 1).await;
    w.is_whole("at first").await;

    // The server is killed with what was not handed over yet.
    w.publish(&link, 30).await;
    drop(link);
    w.server.kill().await;
    let link = w.restart().await;
    w.is_whole("the server was killed").await;

    database_away(&mut w, &link).await;

    // Both are killed, and the server is back without the database.
    w.publish(&link, 20).await;
    drop(link);
    w.database.kill();
    w.server.kill().await;
    let link = w.restart().await;
    w.is_missed(&link).await;
    w.publish(&link, 10).await;
    w.database.run();
    w.is_whole("both were killed").await;
    let dropped = w.api.metric("harit_history_dropped_total", "").await;
    assert!(dropped.abs() < f64::EPSILON, "{dropped}");
    drop(link);
    programs_beside(&mut w, &home).await;
}

/// The database is away: control goes on, pages say so, and it has everything when it is back.
async fn database_away(w: &mut World, link: &Link) {
    let away = std::env::var("HARIT_AWAY_SEC").map_or(60, |s| s.parse().unwrap());
    w.database.kill();
    w.publish(link, 30).await;
    let gone = Instant::now();
    w.is_missed(link).await;
    tokio::time::sleep(Duration::from_secs(away).saturating_sub(gone.elapsed())).await;
    w.publish(link, 5).await;
    w.database.run();
    w.is_whole("the database was away").await;
}

/// The programs beside a stopped server: what cannot be made or copied without the database is said, with what to do.
async fn programs_beside(w: &mut World, home: &Home) {
    let (status, _) = w.server.terminate().await;
    assert!(status.success());
    let data = home.data();
    let data = data.to_str().unwrap();
    let refused = run(&["history", "rebuild", "--data-dir", data]).await;
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("--history-url"),
        "{said}"
    );
    // Told by the settings, it goes on until it misses an archive.
    let settings = home.path("history.toml");
    fs::write(&settings, format!("[history]\nurl = \"{}\"\n", w.url)).unwrap();
    let settings = settings.to_str().unwrap();
    let refused = run(&[
        "history",
        "rebuild",
        "--data-dir",
        data,
        "--config",
        settings,
    ])
    .await;
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("has no readings"), "{said}");
    let copied = home.path("copy");
    let copied = run(&[
        "backup",
        "--data-dir",
        data,
        "--out",
        copied.to_str().unwrap(),
    ])
    .await;
    let said = String::from_utf8_lossy(&copied.stdout).into_owned();
    assert!(
        copied.status.success() && said.contains("pg_dump"),
        "{said}"
    );
    let checked = run(&["doctor", "--data-dir", data, "--json"]).await;
    assert!(checked.status.code() != Some(2), "{checked:?}");
    let name = w.url.rsplit_once('/').unwrap().1.to_owned();
    let rows = w
        .database
        .ask(&name, "SELECT sum(count) FROM harit_history.minute");
    assert_eq!(rows, Some(w.sent.count.to_string()));
}

/// What people see of the past, up to an instant.
async fn past(api: &Api, until: i64) -> Vec<Value> {
    let from = until - 3_600_000;
    let mut all = Vec::new();
    for sensor in ["t-1", "t-2"] {
        let path = format!("sensors/{sensor}/history?from={from}&to={until}");
        all.push(api.of_farm(&path).await);
    }
    for page in [
        format!("logs?pageSize=100&to={until}"),
        "commands?limit=100".to_owned(),
        "dead-letters".to_owned(),
        format!("devices/fan-1/history?from={from}&to={until}"),
    ] {
        let mut page = api.of_farm(&page).await;
        // What came since counts too.
        page.as_object_mut().map(|page| page.remove("total"));
        all.push(page);
    }
    all
}

#[tokio::test]
#[ignore = "needs PostgreSQL: make test-services"]
async fn the_history_of_a_file_comes_to_postgres_as_it_was() {
    let _machine = machine().await;
    let account = Account::numbered("A4CF18", 1);
    let home = farm::seeded_with(std::slice::from_ref(&account)).await;
    let mut server = farm::server(&home).await;
    let mut api = Api::of(&server, GREEN).await;
    let controller = Controller::new(&account, &["t-1", "t-2"], &["fan-1"]);
    let link = controller.connect(server.mqtt).await;
    link.reading("t-2", 28.0).1.await.unwrap();
    link.reading("t-1", 20.0).1.await.unwrap();
    api.device_online("fan-1").await;
    let scope = json!({"type": "farm", "farmId": GREEN});
    api.rule("cool\\dry ठंडा", "fan-1", &scope, 1, 1).await;
    link.telemetry(&json!({"no": "telemetry\n"})).await.ok();
    for value in [35.0, 35.0, 35.0, 35.0, 20.0, 20.0, 20.0, 20.0] {
        link.reading("t-1", value).1.await.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    until("the fan was told to go on and off", PATIENCE, async || {
        let commands = api.of_farm("commands?limit=100").await;
        (commands.as_array().is_some_and(|all| all.len() == 2)).then_some(())
    })
    .await;
    drop(link);
    until("the controller is away", PATIENCE, async || {
        let devices = api.of_farm("devices").await;
        (devices[0]["online"] == false).then_some(())
    })
    .await;
    let (status, _) = server.terminate().await;
    assert!(status.success());
    server.start().await;
    api.moved(&server);
    let now = now_ms();
    let before = past(&api, now).await;
    assert!(
        before.iter().all(|b| b.to_string().len() > 40),
        "{before:#?}"
    );
    let (status, _) = server.terminate().await;
    assert!(status.success());

    let database = postgres::Server::start();
    let url = database.database();
    let data = home.data();
    let data = data.to_str().unwrap();
    let copy = ["history", "copy", "--data-dir", data, "--history-url", &url];
    let copied = run(&copy).await;
    let said = String::from_utf8_lossy(&copied.stdout).into_owned();
    assert!(
        copied.status.success() && said.contains("rows are in"),
        "{copied:?}"
    );
    let again = run(&copy).await;
    assert!(!again.status.success());
    assert!(home.data().join("history.db.copied").exists());
    let environment = [
        ("HARIT_STORAGE_SHARDS", "1"),
        ("HARIT_HISTORY_URL", url.as_str()),
    ];
    let mut server = home.server(&[], &environment).await;
    api.moved(&server);
    let after = until("charts can be had", PATIENCE, async || {
        let path = format!(
            "/api/farms/{GREEN}/sensors/t-1/history?from={}&to={now}",
            now - 60_000
        );
        let (status, answer) = api.send(Method::GET, &path, None).await;
        (status == 200 && answer["incomplete"] == false).then_some(())
    });
    after.await;
    assert_eq!(past(&api, now).await, before);
    // And it goes on behind it.
    let link = controller.connect(server.mqtt).await;
    link.reading("t-1", 22.0).1.await.unwrap();
    until("the log goes on", PATIENCE, async || {
        let log = api.of_farm("logs?pageSize=100").await;
        let newest = log["items"][0]["timestamp"].as_i64()?;
        (newest > now).then_some(())
    })
    .await;
    server.terminate().await;
}
