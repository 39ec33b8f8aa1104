//! Backups beside a server under load, `kill -9`, and what is restored: the same state, and every acknowledged reading.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use harit_backup::{Manifest, Repository};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::controller::Controller;
use crate::farm::{self, Api, BLUE, GREEN};
use crate::random::{between, dice};
use crate::server::{Home, PATIENCE, Server, harit, machine, run, until};

/// The timestamps of readings that were acknowledged, each of them once.
type Acknowledged = Arc<Mutex<HashSet<i64>>>;

/// A controller that measures as fast as it is acknowledged.
struct Publisher {
    farm: &'static str,
    acknowledged: Acknowledged,
    stop: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl Publisher {
    async fn new(server: &Server, farm: &'static str, n: u8) -> Self {
        let api = Api::of(server, farm).await;
        let account = api.register(&format!("A4CF120D00{n:02X}")).await;
        let controller = Controller::new(&account, &["t1"], &["fan-1"]);
        let link = controller.connect(server.mqtt).await;
        api.device_online("fan-1").await;
        let scope = json!({"type": "farm", "farmId": farm});
        api.rule("cool", "fan-1", &scope, 1, 1).await;
        let (acknowledged, stop) = (Acknowledged::default(), Arc::new(AtomicBool::new(false)));
        let (all, stopped) = (acknowledged.clone(), stop.clone());
        let task = tokio::spawn(async move {
            let mut n = 0;
            while !stopped.load(Ordering::Relaxed) {
                // It crosses the rule's thresholds all the time.
                let value = if n % 40 < 20 { 35.0 } else { 20.0 };
                let (ts, acknowledgement) = link.reading("t1", value);
                n += 1;
                if timeout(PATIENCE, acknowledgement)
                    .await
                    .expect("an answer or the end")
                    .is_err()
                {
                    return;
                }
                all.lock().unwrap().insert(ts);
                // Timestamps are milliseconds, and each is to be another one.
                sleep(Duration::from_millis(2)).await;
            }
        });
        Self {
            farm,
            acknowledged,
            stop,
            task,
        }
    }

    fn so_far(&self) -> HashSet<i64> {
        self.acknowledged.lock().unwrap().clone()
    }

    async fn end(self) -> (&'static str, HashSet<i64>) {
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.unwrap();
        (self.farm, self.acknowledged.lock().unwrap().clone())
    }
}

pub(crate) async fn done(args: &[&str]) -> String {
    let output = run(args).await;
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) async fn backed_up(data: &Path, to: &Path) -> Manifest {
    done(&["backup", "--data-dir", text(data), "--to", text(to)]).await;
    let repository = Repository::open(&to.to_owned().into(), None).unwrap();
    repository.manifest(repository.newest().unwrap()).unwrap()
}

pub(crate) async fn restored(from: &Path, number: u64, to: &Path) -> String {
    let (from, to, number) = (text(from), text(to), number.to_string());
    done(&[
        "restore",
        "--from",
        from,
        "--snapshot",
        &number,
        "--data-dir",
        to,
    ])
    .await
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The timestamps of a farm's readings in the journal of a data directory.
async fn journaled(home: &Home, data: &Path, farm: &str) -> HashSet<i64> {
    let [_, inputs] = home.exported_from(data, farm).await;
    let lines = fs::read_to_string(inputs).unwrap();
    let lines = lines
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap());
    lines.flat_map(|line| instants(&line)).collect()
}

/// Every `ts` in a line, wherever it stands.
fn instants(value: &Value) -> Vec<i64> {
    match value {
        Value::Object(fields) => {
            let own = fields.get("ts").and_then(Value::as_i64);
            own.into_iter()
                .chain(fields.values().flat_map(instants))
                .collect()
        }
        Value::Array(all) => all.iter().flat_map(instants).collect(),
        _ => Vec::new(),
    }
}

/// `harit backup`, killed after some milliseconds, again and again: the repository has whole snapshots, and nothing damaged.
async fn killed_backups(home: &Home, takes_ms: u64) {
    let mut dice = dice("killed backups");
    let (data, repository) = (home.data(), home.path("backups"));
    let (mut killed, mut made) = (0, 0);
    for _ in 0..12 {
        let mut command = harit();
        command.args([
            "backup",
            "--data-dir",
            text(&data),
            "--to",
            text(&repository),
        ]);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        // Starting takes some time too.
        sleep(between(&mut dice, 5, 2 * takes_ms + 100)).await;
        match child.try_wait().unwrap() {
            Some(status) => {
                assert!(status.success());
                made += 1;
            }
            None => {
                child.kill().await.unwrap();
                killed += 1;
            }
        }
    }
    let checked = Repository::open(&repository.clone().into(), None)
        .unwrap()
        .check(&|| true)
        .unwrap();
    eprintln!("{killed} backups killed, {made} made: {checked:?}");
    assert_eq!(checked.damage, []);
    // One may have been killed after it was whole.
    assert!((2 + made..=2 + made + killed).contains(&checked.snapshots));
    assert!(killed > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_load_restores_the_same_state() {
    let _machine = machine().await;
    let home = farm::seeded().await;
    let mut server = farm::server(&home).await;
    let publishers = [
        Publisher::new(&server, GREEN, 1).await,
        Publisher::new(&server, BLUE, 2).await,
    ];
    until("readings", PATIENCE, async || {
        publishers
            .iter()
            .all(|p| p.so_far().len() > 150)
            .then_some(())
    })
    .await;
    let (data, repository) = (home.data(), home.path("backups"));
    let before: Vec<_> = publishers.iter().map(|p| (p.farm, p.so_far())).collect();
    let first = backed_up(&data, &repository).await;
    let second = backed_up(&data, &repository).await;
    killed_backups(&home, second.took_ms).await;
    server.kill().await;
    let mut all = Vec::new();
    for publisher in publishers {
        all.push(publisher.end().await);
    }
    // Of what was killed, as it lies there; and once more, when nothing has changed.
    let third = backed_up(&data, &repository).await;
    let fourth = backed_up(&data, &repository).await;
    for (what, made) in [
        ("first", &first),
        ("second, under load", &second),
        ("after kill -9", &third),
        ("unchanged", &fourth),
    ] {
        eprintln!(
            "{what}: {} bytes in {} files, {} chunks and {} bytes new, {} ms",
            made.bytes(),
            made.files.len(),
            made.stored.chunks,
            made.stored.bytes,
            made.took_ms
        );
        assert_eq!(made.farms.len(), 2);
    }
    assert!(second.stored.bytes < first.stored.bytes / 2, "{second:?}");
    assert_eq!(fourth.stored.chunks, 0);
    assert_eq!(fourth.farms, third.farms);
    assert_ne!(
        first.farms[0].sha256, third.farms[0].sha256,
        "it went on meanwhile"
    );
    for (made, acknowledged) in [(&first, &before), (&fourth, &all)] {
        let to = home.path(&format!("restored-{}", made.number));
        let said = restored(&repository, made.number, &to).await;
        assert!(
            said.contains("2 farms fold to the states that they had, from batch 0"),
            "{said}"
        );
        assert!(
            said.contains("entries in") && said.contains("databases: 3 are sound"),
            "{said}"
        );
        // Folded anew, from what was restored, by another process.
        let again = backed_up(&to, &home.path(&format!("again-{}", made.number))).await;
        assert_eq!(
            (&again.farms, &again.journals),
            (&made.farms, &made.journals)
        );
        for (farm, readings) in acknowledged {
            let stored = journaled(&home, &to, farm).await;
            let lost = readings.difference(&stored).count();
            eprintln!(
                "snapshot {}: {farm} has {} readings, {} acknowledged before, {lost} lost",
                made.number,
                stored.len(),
                readings.len()
            );
            assert_eq!(lost, 0);
        }
    }
    // A server goes on with it.
    fs::remove_dir_all(&data).unwrap();
    fs::rename(home.path(&format!("restored-{}", fourth.number)), &data).unwrap();
    server.start().await;
    let api = Api::of(&server, GREEN).await;
    assert_eq!(api.of_farm("rules").await.as_array().unwrap().len(), 1);
    let (status, _) = server.terminate().await;
    assert!(status.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_makes_backups_by_itself() {
    let _machine = machine().await;
    let home = farm::seeded().await;
    let repository = home.path("backups");
    let environment = [
        ("HARIT_STORAGE_SHARDS", "1"),
        ("HARIT_BACKUP_TO", text(&repository)),
        ("HARIT_BACKUP_EVERY_HOURS", "1"),
    ];
    let mut server = home.server(&[], &environment).await;
    let api = Api::of(&server, GREEN).await;
    const SUCCESS: &str = "harit_backup_last_success_timestamp_seconds";
    let log = async |server: &Server, what: &str| {
        // Of a priority that is low where other tests want the machine.
        until(what, 3 * PATIENCE, async || {
            fs::read_to_string(&server.log)
                .ok()?
                .contains(what)
                .then_some(())
        })
        .await;
    };
    log(&server, "a backup was made").await;
    // Old ones are still being looked for.
    let made = Repository::peek(&repository.clone().into(), None)
        .unwrap()
        .manifest(1)
        .unwrap();
    assert_eq!(made.farms.len(), 2);
    until("its instant", PATIENCE, async || {
        let at = api.metric(SUCCESS, "").await;
        #[allow(clippy::cast_precision_loss, reason = "seconds")]
        let is_it = (at - (made.at_ms / 1_000) as f64).abs() < 1.5;
        is_it.then_some(())
    })
    .await;
    assert!(api.metric("harit_backup_failures_total", "").await < 0.5);
    until("nobody writes", PATIENCE, async || {
        Repository::open(&repository.clone().into(), None).ok()
    })
    .await;
    restored(&repository, 1, &home.path("restored")).await;
    // A restart within the hour makes none.
    assert!(server.terminate().await.0.success());
    server.start().await;
    sleep(Duration::from_millis(500)).await;
    assert_eq!(
        Repository::peek(&repository.clone().into(), None)
            .unwrap()
            .numbers()
            .unwrap(),
        [1]
    );
    assert!(server.terminate().await.0.success());
    // One that cannot be made is counted and told, and the server is ready all the same.
    fs::remove_dir_all(&repository).unwrap();
    fs::write(&repository, "a file").unwrap();
    server.start().await;
    log(&server, "the backup failed").await;
    let api = Api::of(&server, GREEN).await;
    assert!((api.metric("harit_backup_failures_total", "").await - 1.0).abs() < 0.5);
    assert!(api.metric(SUCCESS, "").await < 0.5);
    let (status, _) = api.send(reqwest::Method::GET, "/readyz", None).await;
    assert_eq!(status, 200);
    assert!(server.terminate().await.0.success());
}
