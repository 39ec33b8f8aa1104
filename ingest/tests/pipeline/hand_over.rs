//! What the history's file is told, and when: seldom while nobody reads, and everything as soon as somebody does.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harit_engine::{DeviceId, FarmId, SensorId, Timestamp};
use harit_ingest::history::EventFilter;
use harit_ingest::{CommandFilter, Hub, HubConfig};
use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use crate::world::{FARM, MAC, World, fan_says, farm, manual};

const MINUTE: Duration = Duration::from_secs(60);

async fn world(configure: impl FnOnce(&mut HubConfig)) -> World {
    let w = World::empty(|config| {
        config.history_every = MINUTE;
        configure(config);
    })
    .await;
    w.hub.add_farm(farm()).await.unwrap();
    w.birth().await;
    w
}

/// The history's file, beside the server that writes it.
fn file(w: &World) -> Connection {
    let path = w.dir.path().join("history.db");
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

/// How far the journal is in the history's file.
fn watermark(db: &Connection) -> i64 {
    let max = "SELECT coalesce(max(seq), 0) FROM watermark";
    db.query_row(max, [], |r| r.get(0)).unwrap()
}

/// How many readings of the sensor the history has, as a page sees it.
async fn readings(hub: &Hub) -> u64 {
    let (farm, sensor) = (FarmId::from(FARM), SensorId::from("t1"));
    let at = Timestamp::from_millis;
    let history = hub.history();
    let from = 1_699_999_980_000;
    let all = history.rollups(&farm, &sensor, at(from), at(from + 3_600_000), 60);
    all.await.unwrap().iter().map(|r| r.count).sum()
}

#[tokio::test]
async fn who_reads_sees_everything_up_to_now() {
    let w = world(|_| {}).await;
    let (hub, farm) = (&w.hub, FarmId::from(FARM));
    w.temperature("21").await;
    assert_eq!(readings(hub).await, 1);
    w.temperature("21").await;
    assert_eq!(readings(hub).await, 2);
    w.cooling_rule().await;
    w.pass(1_000).await;
    w.heat().await;
    let found = hub.commands(&farm, CommandFilter::default()).await.unwrap();
    let states: Vec<_> = found.items.iter().map(|c| c.state.as_str()).collect();
    assert_eq!((states, found.incomplete), (vec!["sent"], false));
    w.ack("f1-1").await;
    let found = hub.commands(&farm, CommandFilter::default()).await.unwrap();
    assert_eq!(found.items[0].state.as_str(), "acked");
    fan_says(&w, true).await;
    let (from, to) = (w.now() - 60_000, w.now() + 1);
    let history = hub.history();
    let fan = DeviceId::from("fan-1");
    let said = history.reports(
        &farm,
        &fan,
        Timestamp::from_millis(from),
        Timestamp::from_millis(to),
    );
    assert_eq!(said.await.unwrap().last().and_then(|r| r.on), Some(true));
    // Past what readers may have in a row, they wait for the next; none sees less.
    let events = || history.events(&farm, EventFilter::default());
    let mut expected = events().await.unwrap().len();
    for action in ["off", "on"].iter().cycle().take(12) {
        let wish = json!({"device": "fan-1", "cmd_type": "override", "action": action, "duration_sec": 3000});
        expected += w.admit(manual(wish)).await.len();
        assert_eq!(events().await.unwrap().len(), expected);
    }
    assert!(expected > 12);
}

#[tokio::test]
async fn while_nobody_reads_the_disk_has_rest() {
    let every = Duration::from_secs(2);
    let w = world(|config| config.history_every = every).await;
    let db = file(&w);
    let (began, mut seen) = (Instant::now(), BTreeSet::new());
    while began.elapsed() < every * 5 / 2 {
        w.temperature("21").await;
        seen.insert(watermark(&db));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    seen.remove(&0);
    assert_eq!(seen.len(), 2, "{seen:?}: one in two seconds");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_readers_cost_one_hand_over_a_second() {
    let w = world(|_| {}).await;
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..50)
        .map(|_| {
            let (hub, done) = (w.hub.clone(), done.clone());
            tokio::spawn(async move {
                let mut longest = Duration::ZERO;
                while !done.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    readings(&hub).await;
                    longest = longest.max(began.elapsed());
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                longest
            })
        })
        .collect();
    let db = file(&w);
    let (began, mut seen, mut sent) = (Instant::now(), BTreeSet::new(), 0);
    while began.elapsed() < Duration::from_secs(3) {
        w.temperature("21").await;
        sent += 1;
        seen.insert(watermark(&db));
    }
    done.store(true, Ordering::Relaxed);
    let seconds = usize::try_from(began.elapsed().as_secs()).unwrap();
    assert!(seen.len() <= 8 + seconds + 2, "{} of {sent}", seen.len());
    for reader in readers {
        reader.await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(readings(&w.hub).await, sent);
}

#[tokio::test]
async fn a_stop_of_the_server_hands_everything_over() {
    let w = world(|_| {}).await;
    w.cooling_rule().await;
    w.heat().await;
    let db = file(&w);
    let count = |table: &str| -> i64 {
        let count = format!("SELECT count(*) FROM {table}");
        db.query_row(&count, [], |r| r.get(0)).unwrap()
    };
    let tables = ["recent", "event", "command", "log", "reported"];
    assert_eq!(tables.map(count), [0; 5]);
    w.hub.clone().shutdown().await.unwrap();
    let [minutes, events, commands, log, reported] = tables.map(count);
    assert_eq!((minutes, events, commands, reported), (1, 2, 1, 1));
    assert!(log > 0);
}

#[tokio::test]
async fn much_history_does_not_wait_in_memory() {
    let w = world(|_| {}).await;
    let db = file(&w);
    let before = watermark(&db);
    let now = w.now();
    for page in 0..41 {
        // Each reading is the first of its minute, so each is a row.
        let mut batch = String::from("[");
        for n in 0..500 {
            let at = now - (page * 500 + n + 100) * 60_000;
            let comma = if n == 0 { "" } else { "," };
            write!(
                batch,
                r#"{comma}{{"ts":{at},"sensors":[{{"id":"t1","latestValue":20}}]}}"#
            )
            .unwrap();
        }
        batch.push(']');
        assert_eq!(w.publish(MAC, "telemetry", &batch).await.rejected, 0);
    }
    let began = Instant::now();
    while watermark(&db) == before {
        assert!(
            began.elapsed() < Duration::from_secs(10),
            "20,500 rows wait"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_journal_keeps_what_the_history_lacks_and_the_state_to_fold_it_from() {
    // A journal that is always full: whatever may go, goes.
    let w = world(|config| config.journal_max_bytes = 0).await;
    let journaled = || async {
        w.temperature("21").await;
        w.hub.snapshot().await;
        w.pass(0).await;
    };
    journaled().await;
    w.hub.flush_history().await;
    // Another process holds the file, as a full disk would: what is written then is not there after a power cut either.
    let db = Connection::open(w.dir.path().join("history.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    for _ in 0..4 {
        journaled().await;
    }
    let again = w.after_crash(|_| {}).await.unwrap();
    assert_eq!(readings(&again.hub).await, 5);
    db.execute_batch("COMMIT").unwrap();
}
