//! A real QuestDB beside the server: what is journaled is there once, whoever is killed meanwhile. `make test-services` installs it
//! and runs this.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::controller::{Controller, Link};
use crate::farm::{self, Account, now_ms};
use crate::server::{machine, until};

/// A database of this kind starts slowly.
const SLOWLY: Duration = Duration::from_secs(120);

struct Database {
    root: TempDir,
    port: u16,
    child: Option<Child>,
}

impl Database {
    async fn start() -> Self {
        // the client of this test asks for one
        let _ = rustls::crypto::ring::default_provider().install_default();
        let root = tempfile::tempdir().unwrap();
        let port = harit_testkit::port();
        let settings = format!(
            "http.bind.to=127.0.0.1:{port}\nhttp.min.enabled=false\npg.enabled=false\nline.tcp.enabled=false\nline.udp.enabled=false\n\
             telemetry.enabled=false\nshared.worker.count=1\n"
        );
        std::fs::create_dir(root.path().join("conf")).unwrap();
        std::fs::write(root.path().join("conf/server.conf"), settings).unwrap();
        let mut database = Self {
            root,
            port,
            child: None,
        };
        database.run().await;
        database
    }

    async fn run(&mut self) {
        let jar = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/questdb/questdb.jar");
        assert!(
            jar.exists(),
            "{} is not there: make test-services",
            jar.display()
        );
        let log = std::fs::File::create(self.root.path().join("log")).unwrap();
        let child = Command::new("java")
            .arg("-Xmx512m")
            .arg("-p")
            .arg(jar)
            .args(["-m", "io.questdb/io.questdb.ServerMain", "-d"])
            .arg(self.root.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        self.child = Some(child);
        until("QuestDB answers", SLOWLY, async || {
            self.ask("SELECT 1").await
        })
        .await;
    }

    async fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().await.unwrap();
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The first row of an answer.
    async fn ask(&self, sql: &str) -> Option<Value> {
        let url =
            reqwest::Url::parse_with_params(&format!("{}/exec", self.url()), [("query", sql)]);
        let answer = reqwest::get(url.unwrap()).await.ok()?;
        let answer: Value = answer.json().await.ok()?;
        answer["dataset"].get(0).cloned()
    }

    /// Waits for so many readings, and says what their values sum up to.
    async fn has(&self, readings: usize) -> Value {
        let sql = "SELECT count(), count_distinct(pos), sum(value) FROM readings WHERE farm = 'green' AND good";
        let row = until("QuestDB has every reading", SLOWLY, async || {
            let row = self.ask(sql).await?;
            (row[0].as_u64()? >= readings as u64).then_some(row)
        })
        .await;
        assert_eq!(row[0], json!(readings), "none is there twice");
        assert_eq!(row[1], json!(readings), "each has its position");
        row[2].clone()
    }
}

/// Publishes readings in messages of ten, two of each with one instant, and waits until all are acknowledged. Returns their sum.
async fn publish(link: &Link, messages: usize, first: usize) -> f64 {
    let mut sum = 0.0;
    let mut acknowledged = Vec::new();
    for n in 0..messages {
        let ts = now_ms() - 60_000 + i64::try_from(n).unwrap();
        let values: Vec<f64> = (0..10)
            .map(|k| ((first + n * 10 + k) % 97) as f64 * 0.25)
            .collect();
        sum += values.iter().sum::<f64>();
        let sensors: Vec<Value> = values
            .iter()
            .enumerate()
            .map(|(k, v)| json!({"id": format!("t-{}", k / 2), "type": "temperature", "unit": "°C", "latestValue": v}))
            .collect();
        acknowledged.push(link.telemetry(&json!({"ts": ts, "sensors": sensors})));
    }
    for acknowledged in join_all(acknowledged).await {
        acknowledged.unwrap();
    }
    sum
}

#[tokio::test]
#[ignore = "needs QuestDB: make test-services"]
async fn every_reading_is_in_questdb_once_whoever_is_killed() {
    let _machine = machine().await;
    let account = Account::numbered("A4CF15", 1);
    let home = farm::seeded_with(std::slice::from_ref(&account)).await;
    let mut database = Database::start().await;
    let url = database.url();
    let mut server = home
        .server(
            &[],
            &[("HARIT_STORAGE_SHARDS", "2"), ("HARIT_QUESTDB_URL", &url)],
        )
        .await;
    let sensors: Vec<String> = (0..5).map(|n| format!("t-{n}")).collect();
    let sensors: Vec<&str> = sensors.iter().map(String::as_str).collect();
    let controller = Controller::new(&account, &sensors, &[]);
    let link = controller.connect(server.mqtt).await;
    let mut sum = publish(&link, 50, 0).await;
    assert_eq!(database.has(500).await, json!(sum));

    // The database is killed: readings are acknowledged all the same, and it has them when it is back.
    database.kill().await;
    sum += publish(&link, 30, 500).await;
    database.run().await;
    assert_eq!(database.has(800).await, json!(sum));

    // The server is killed: it tells again what it does not know to be safe, and nothing is there twice.
    drop(link);
    server.kill().await;
    server.start().await;
    let link = controller.connect(server.mqtt).await;
    sum += publish(&link, 20, 800).await;
    assert_eq!(database.has(1_000).await, json!(sum));

    // Both at once.
    drop(link);
    database.kill().await;
    server.kill().await;
    server.start().await;
    database.run().await;
    let link = controller.connect(server.mqtt).await;
    sum += publish(&link, 10, 1_000).await;
    assert_eq!(database.has(1_100).await, json!(sum));
    let (status, _) = server.terminate().await;
    assert!(status.success());
}
