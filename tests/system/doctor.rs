//! `harit doctor`: a directory that is well, beside its server and alone, and one broken in each way; and what systemd is told.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use harit_engine::Timestamp;
use harit_journal::{Journal, JournalFile};
use rusqlite::Connection;
use serde_json::Value;
use tokio::time::timeout;

use crate::farm::{self, Api, GREEN};
use crate::server::{Home, PATIENCE, harit, machine};

/// What it says, and with which code it ends.
struct Said {
    code: i32,
    json: Value,
}

impl Said {
    /// The verdicts and words of a check.
    fn of(&self, check: &str) -> Vec<(String, String)> {
        let all = self.json["checks"].as_array().unwrap().iter();
        let text = |v: &Value| v.as_str().unwrap().to_owned();
        all.filter(|c| c["check"] == check)
            .map(|c| (text(&c["verdict"]), text(&c["said"])))
            .collect()
    }
}

async fn doctor(data: &Path, args: &[&str]) -> Said {
    let output = harit()
        .args(["doctor", "--json", "--data-dir", data.to_str().unwrap()])
        .args(args)
        // as much as any machine has
        .env("HARIT_STORAGE_HISTORY_MAX_MIB", "64")
        .env("HARIT_STORAGE_JOURNAL_MAX_MIB", "64")
        .env("HARIT_MQTT_MAX_CONNECTIONS", "100")
        // nothing answers there
        .env("HARIT_SERVER_HTTP", "127.0.0.1:9")
        .output();
    let output = timeout(PATIENCE, output).await.unwrap().unwrap();
    let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    Said {
        code: output.status.code().unwrap(),
        json,
    }
}

#[tokio::test]
async fn a_machine_without_authorities_is_told_of_it() {
    let home = Home::empty();
    let asked = async |weather: &str| {
        let output = harit()
            .args([
                "doctor",
                "--json",
                "--data-dir",
                home.data().to_str().unwrap(),
            ])
            .env("SSL_CERT_FILE", "/dev/null")
            .env("SSL_CERT_DIR", home.path("none"))
            .env("HARIT_WEATHER_URL", weather)
            .output();
        let output = timeout(PATIENCE, output).await.unwrap().unwrap();
        let json = serde_json::from_slice(&output.stdout).unwrap();
        Said { code: 0, json }.of("authorities")
    };
    assert_eq!(asked("").await[0].0, "warning");
    let (verdict, said) = asked("https://weather.example").await.remove(0);
    assert_eq!(verdict, "fault", "{said}");
}

/// A directory as an orderly stop left it.
async fn stopped() -> Home {
    let home = farm::seeded().await;
    let mut server = farm::server(&home).await;
    // signing in is an entry of the audit log
    let _signed_in = Api::of(&server, GREEN).await;
    let (status, _) = server.terminate().await;
    assert!(status.success());
    home
}

#[tokio::test]
async fn all_is_well_beside_a_running_server_and_without_one() {
    let _machine = machine().await;
    let home = farm::seeded().await;
    let mut server = farm::server(&home).await;
    let http = server.http.strip_prefix("http://").unwrap().to_owned();
    let said = doctor(&home.data(), &["--strict", "--http", &http]).await;
    assert_eq!(
        (said.code, &said.json["verdict"]),
        (0, &"ok".into()),
        "{:#}",
        said.json
    );
    assert!(
        said.of("server")[0].1.contains("is ready"),
        "{:#}",
        said.json
    );
    assert!(said.of("metrics")[0].1.contains("MQTT connections"));
    assert!(
        said.of("open files")[0].1.starts_with("the running server"),
        "{:#}",
        said.json
    );
    // of another directory
    let other = stopped().await;
    let said = doctor(&other.data(), &["--quick", "--http", &http]).await;
    assert!(
        said.of("server")[0]
            .1
            .contains("does not use this directory"),
        "{:#}",
        said.json
    );
    let ready = harit()
        .args(["doctor", "--ready", &server.http])
        .output()
        .await
        .unwrap();
    assert!(
        ready.status.success() && ready.stdout == b"ready\n",
        "{ready:?}"
    );
    let url = server.http.clone();
    server.terminate().await;
    let said = doctor(&home.data(), &["--strict", "--http", &http]).await;
    assert_eq!(said.code, 0, "{:#}", said.json);
    assert!(
        said.of("server")[0].1.contains("none runs"),
        "{:#}",
        said.json
    );
    for check in [
        "permissions",
        "journal",
        "clock",
        "schemas",
        "databases",
        "audit log",
        "disk",
    ] {
        assert_eq!(said.of(check).len(), 1, "{check}");
    }
    let quick = doctor(&home.data(), &["--quick"]).await;
    assert!(quick.of("databases").is_empty() && quick.of("audit log").is_empty());
    let gone = harit()
        .args(["doctor", "--ready", &url])
        .output()
        .await
        .unwrap();
    assert_eq!(gone.status.code(), Some(1), "{gone:?}");
}

/// One way in which a directory breaks: what is done to it, which check finds it, how bad it is, and part of what it says.
type Broken = (fn(&Path), &'static str, &'static str, &'static str);

const WAYS: &[Broken] = &[
    (
        |d| overwrite(&d.join("records.db"), 8_192),
        "databases",
        "fault",
        "records.db is damaged",
    ),
    (
        |d| {
            let _ = fs::remove_file(d.join("history.db-wal"));
            fs::write(d.join("history.db"), "no database").unwrap();
        },
        "databases",
        "fault",
        "history.db cannot be read",
    ),
    (
        |d| fs::remove_file(d.join("journal/CURRENT")).unwrap(),
        "journal",
        "fault",
        "CURRENT is missing",
    ),
    (
        |d| fs::write(d.join("journal/CURRENT"), "x").unwrap(),
        "journal",
        "fault",
        "CURRENT",
    ),
    (
        |d| fs::remove_file(shard(d)).unwrap(),
        "journal",
        "fault",
        "shard-0.db is missing",
    ),
    (
        |d| {
            append(d, Timestamp::from_millis(farm::now_ms()));
            sql(
                &shard(d),
                "UPDATE batch SET body = x'00' WHERE seq = (SELECT max(seq) FROM batch)",
            );
        },
        "journal",
        "fault",
        "shard-0.db",
    ),
    (
        |d| sql(&shard(d), "PRAGMA user_version = 99"),
        "journal",
        "fault",
        "version",
    ),
    (
        |d| append(d, Timestamp::from_millis(farm::now_ms() + 3_600_000)),
        "clock",
        "fault",
        "newest entry",
    ),
    (
        |d| sql(&d.join("history.db"), "PRAGMA user_version = 99"),
        "schemas",
        "fault",
        "history.db has schema 99",
    ),
    (
        |d| {
            sql(
                &d.join("records.db"),
                "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9999, 'later', 1, x'00', 0)",
            );
        },
        "schemas",
        "fault",
        "records.db has schema 9999",
    ),
    (
        |d| fs::remove_file(d.join("audit.heads")).unwrap(),
        "audit log",
        "fault",
        "audit.heads is missing",
    ),
    (
        |d| {
            sql(
                &d.join("records.db"),
                "INSERT INTO audit VALUES ('green', 999, 0, NULL, NULL, 'x', 'x', '{}', NULL, '00')",
            );
        },
        "audit log",
        "fault",
        "farm green, entry",
    ),
    (
        |d| fs::remove_file(d.join("codes.key")).unwrap(),
        "data directory",
        "fault",
        "codes.key is missing",
    ),
    (
        |d| fs::set_permissions(d.join("codes.key"), Permissions::from_mode(0o644)).unwrap(),
        "permissions",
        "warning",
        "codes.key",
    ),
    (
        |d| fs::write(d.join("DEMO"), "").unwrap(),
        "data directory",
        "warning",
        "a demo's",
    ),
];

fn shard(data: &Path) -> PathBuf {
    let current = harit_journal::current(data).unwrap().unwrap();
    harit_journal::shard_file(data, current.generation, 0)
}

fn append(data: &Path, at: Timestamp) {
    let mut journal = JournalFile::open(&shard(data)).unwrap();
    journal.append(journal.last(), at, 1, b"batch").unwrap();
}

fn sql(file: &Path, text: &str) {
    Connection::open(file).unwrap().execute_batch(text).unwrap();
}

/// Garbage over a page.
fn overwrite(file: &Path, at: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at..at + 2_048].fill(0x5a);
    fs::write(file, bytes).unwrap();
}

#[tokio::test]
async fn what_is_broken_is_found_and_said_with_what_to_do() {
    let _machine = machine().await;
    let home = stopped().await;
    for (n, (break_it, check, verdict, part)) in WAYS.iter().enumerate() {
        let copy = home.path(&format!("broken-{n}"));
        let copied = Command::new("cp")
            .arg("-a")
            .arg(home.data())
            .arg(&copy)
            .status();
        assert!(copied.unwrap().success());
        break_it(&copy);
        let said = doctor(&copy, &["--strict"]).await;
        let found = said.of(check);
        assert!(
            found.iter().any(|(v, s)| v == verdict && s.contains(part)),
            "{n}, {check}: {part}: {:#}",
            said.json
        );
        assert_eq!(
            said.code,
            if *verdict == "fault" { 2 } else { 1 },
            "{n}: {:#}",
            said.json
        );
        let all = said.json["checks"].as_array().unwrap();
        let told = all
            .iter()
            .filter(|c| c["verdict"] != "ok")
            .all(|c| c["to_do"].is_string());
        assert!(told, "{n}: {:#}", said.json);
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_and_settings_that_are_not_sound() {
    let home = Home::empty();
    let config = home.path("harit.toml");
    fs::write(&config, "[server]\nhtttp = \"127.0.0.1:80\"\n").unwrap();
    let said = doctor(&home.data(), &["--config", config.to_str().unwrap()]).await;
    assert_eq!(said.code, 2);
    assert!(
        said.of("configuration")[0].1.contains("htttp"),
        "{:#}",
        said.json
    );
    assert_eq!(
        said.of("data directory")[0].0,
        "fault",
        "the rest is looked at too"
    );

    let _machine = machine().await;
    let home = stopped().await;
    let lock = fs::File::open(home.data().join("LOCK")).unwrap();
    lock.try_lock().unwrap();
    let said = doctor(&home.data(), &[]).await;
    assert_eq!(said.code, 2);
    assert!(
        said.of("server")[0].1.contains("does not answer"),
        "{:#}",
        said.json
    );
}

/// Hears what a server says to systemd.
pub(crate) struct Ear(Arc<UnixDatagram>);

impl Ear {
    pub(crate) fn at(path: &Path) -> Self {
        let socket = UnixDatagram::bind(path).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(Arc::new(socket))
    }

    pub(crate) async fn hear(&self) -> String {
        let socket = Arc::clone(&self.0);
        let heard = tokio::task::spawn_blocking(move || {
            let mut bytes = [0; 512];
            let n = socket.recv(&mut bytes).unwrap();
            String::from_utf8(bytes[..n].to_vec()).unwrap()
        });
        heard.await.unwrap()
    }
}

#[tokio::test]
async fn systemd_is_told_what_the_server_does() {
    let _machine = machine().await;
    let home = Home::empty();
    let path = home.path("notify");
    let ear = Ear::at(&path);
    let environment = [
        ("NOTIFY_SOCKET", path.to_str().unwrap()),
        ("WATCHDOG_USEC", "300000"),
    ];
    let mut server = home.server(&[], &environment).await;
    assert_eq!(ear.hear().await, "STATUS=at work");
    assert_eq!(ear.hear().await, "READY=1");
    let began = Instant::now();
    for _ in 0..4 {
        assert_eq!(ear.hear().await, "WATCHDOG=1");
    }
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "well before its time is over"
    );
    let (status, after) = server.terminate().await;
    assert!(
        status.success() && after < Duration::from_secs(5),
        "{status} {after:?}"
    );
    while let said = ear.hear().await
        && said != "STOPPING=1"
    {
        assert_eq!(said, "WATCHDOG=1");
    }
}

#[tokio::test]
async fn systemd_is_told_of_a_start_that_waits_for_its_records() {
    let home = Home::empty();
    let path = home.path("notify");
    let ear = Ear::at(&path);
    let environment = [
        ("NOTIFY_SOCKET", path.to_str().unwrap()),
        ("HARIT_RECORDS_URL", "postgres://harit@127.0.0.1:9/harit"),
    ];
    let mut server = home.stopped(&[], &environment);
    server.spawn();
    // Again and again: one that was at work before is to be left alone for as long as it takes.
    for _ in 0..2 {
        assert_eq!(ear.hear().await, "STATUS=waits for the records\nWATCHDOG=1");
    }
    server.kill().await;
}

#[tokio::test]
async fn a_broker_that_is_away_is_told_and_no_reason_to_kill_the_server() {
    let _machine = machine().await;
    let home = Home::empty();
    let path = home.path("notify");
    let ear = Ear::at(&path);
    let config = home.path("harit.toml");
    let broker = "[[brokers]]\nname = \"away\"\nurl = \"mqtt://127.0.0.1:9\"\n\
                  subscriptions = [{ topic = \"x\", account = \"A4:CF:12:0B:9E:01\" }]\n";
    fs::write(&config, broker).unwrap();
    let environment = [
        ("NOTIFY_SOCKET", path.to_str().unwrap()),
        ("WATCHDOG_USEC", "300000"),
    ];
    let _server = home
        .server(&["--config", config.to_str().unwrap()], &environment)
        .await;
    assert_eq!(ear.hear().await, "STATUS=not connected to: away");
    for _ in 0..5 {
        // not READY yet: half a minute is for it to come
        assert_eq!(ear.hear().await, "WATCHDOG=1");
    }
}
