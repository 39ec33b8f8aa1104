//! A start without its history: control goes on, and the history has everything once it can be opened.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::time::{Duration, Instant};

use harit_engine::{FarmId, SensorId, Timestamp};
use harit_ingest::history::{EventFilter, HistoryPlace, PostgresUrl};
use harit_ingest::log::LogFilter;
use harit_ingest::{CommandFilter, HubConfig, OpenError};
use harit_journal::{JournalRead as _, JournalReader};

use super::failures::until;
use crate::world::{FARM, TestClock, World, copy_dir};

/// Puts something into the place of the history's file that is none, and the file aside.
fn put_aside(dir: &Path, keep: bool) {
    let aside = dir.join("aside");
    std::fs::create_dir(&aside).unwrap();
    for name in ["history.db", "history.db-wal", "history.db-shm"] {
        let file = dir.join(name);
        if file.exists() && keep {
            std::fs::rename(&file, aside.join(name)).unwrap();
        } else if file.exists() {
            std::fs::remove_file(file).unwrap();
        }
    }
    std::fs::write(dir.join("history.db"), "no database").unwrap();
}

/// Puts the file back, or makes room for a new one.
fn put_back(dir: &Path) {
    std::fs::remove_file(dir.join("history.db")).unwrap();
    for file in std::fs::read_dir(dir.join("aside")).unwrap() {
        let file = file.unwrap();
        std::fs::rename(file.path(), dir.join(file.file_name())).unwrap();
    }
}

/// A farm on which something was decided, some of it not handed over to the history; with snapshots, or with a journal alone.
async fn world(snapshots: bool, configure: impl Fn(&mut HubConfig) + Copy) -> World {
    let w = World::empty(configure).await;
    w.hub.add_farm(crate::world::farm()).await.unwrap();
    w.birth().await;
    w.cooling_rule().await;
    for _ in 0..3 {
        w.temperature("21").await;
        w.pass(1_000).await;
        w.hub.flush_history().await;
        if snapshots {
            w.hub.snapshot().await;
        }
    }
    w.heat().await;
    w.ack("f1-1").await;
    w
}

/// What would be there after a power cut, as `change` makes it, on a clock of its own.
async fn restarted(
    w: &World,
    change: impl FnOnce(&Path),
    configure: impl FnOnce(&mut HubConfig),
) -> Result<World, OpenError> {
    let copy = tempfile::tempdir().unwrap();
    copy_dir(w.dir.path(), copy.path());
    change(copy.path());
    let clock = Arc::new(TestClock(AtomicI64::new(w.now()), AtomicBool::new(false)));
    World::open(copy, clock, w.records.clone(), configure).await
}

/// What happens after the restart: the rule stops and fires again.
async fn go_on(w: &World) -> usize {
    w.birth().await;
    for value in ["20", "20", "20"] {
        w.temperature(value).await;
        w.pass(1_000).await;
        w.hub.snapshot().await;
    }
    w.heat().await;
    w.take_sent().len()
}

/// All that people can look up.
async fn looked_up(w: &World) -> String {
    let (farm, sensor) = (FarmId::from(FARM), SensorId::from("t1"));
    let history = w.hub.history();
    let (from, to) = (w.now() - 3_600_000, w.now() + 3_600_000);
    let at = Timestamp::from_millis;
    let readings = history.rollups(&farm, &sensor, at(from - from % 60_000), at(to), 60);
    let readings = readings.await.unwrap();
    assert!(readings.iter().map(|r| r.count).sum::<u64>() > 6);
    let events = history.events(&farm, EventFilter::default());
    let events = events.await.unwrap();
    let commands = w.hub.commands(&farm, CommandFilter::default());
    let commands = commands.await.unwrap();
    let page = LogFilter {
        take: 100,
        ..LogFilter::default()
    };
    let log = w.hub.log(&farm, page).await.unwrap();
    assert!(!commands.incomplete && !log.incomplete);
    let told: Vec<_> = { log.entries.iter() }
        .map(|e| (e.at, &e.body, e.result))
        .collect();
    let events: Vec<_> = { events.iter() }.map(|e| (e.at, &e.body)).collect();
    format!("{readings:?}\n{events:?}\n{:?}\n{told:?}", commands.items)
}

/// Starts without the history, goes on, has it opened, and compares with a start that had it.
async fn comes_later(w: World, keep: bool, configure: impl Fn(&mut HubConfig) + Copy) {
    let expected = restarted(
        &w,
        |dir| {
            if !keep {
                put_aside(dir, false);
                put_back(dir);
            }
        },
        configure,
    )
    .await
    .unwrap();
    let decided = go_on(&expected).await;
    assert!(decided > 1, "{decided}");

    let late = restarted(&w, |dir| put_aside(dir, keep), configure)
        .await
        .unwrap();
    let health = late.hub.health();
    assert!(!health.history_writable && health.journal_writable);
    assert_eq!(go_on(&late).await, decided, "control goes on");
    assert!(
        late.hub
            .log(&FARM.into(), LogFilter::default())
            .await
            .is_err()
    );
    put_back(late.dir.path());
    until(&late, "the history is there", |h| h.history_writable).await;
    assert_eq!(looked_up(&late).await, looked_up(&expected).await);
    // A restart finds it as it left it.
    let again = late.after_crash(|_| {}).await.unwrap();
    assert!(again.hub.health().history_writable);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_history_that_cannot_be_opened_keeps_nobody_from_control_and_gets_everything_once() {
    comes_later(world(true, |_| {}).await, true, |_| {}).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_new_gets_what_the_journal_has() {
    comes_later(world(false, |_| {}).await, false, |_| {}).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_journal_keeps_what_nobody_knows_that_the_history_has() {
    // A journal that was trimmed, and would be again with each snapshot.
    let trims = |c: &mut HubConfig| c.journal_days = 0;
    let w = world(true, trims).await;
    let journal = JournalReader::open(&w.dir.path().join("journal/000001/shard-0.db")).unwrap();
    assert!(journal.before_first().unwrap() > 0);
    comes_later(w, true, trims).await;
}

#[tokio::test]
async fn what_waited_is_not_lost_where_the_server_ends_before_the_history_comes() {
    let w = world(true, |_| {}).await;
    let expected = restarted(&w, |_| {}, |_| {}).await.unwrap();
    let late = restarted(&w, |dir| put_aside(dir, true), |_| {})
        .await
        .unwrap();
    for w in [&expected, &late] {
        go_on(w).await;
        let soon = Duration::from_secs(10);
        tokio::time::timeout(soon, w.hub.clone().shutdown())
            .await
            .unwrap()
            .unwrap();
    }
    put_back(late.dir.path());
    let expected = restarted(&expected, |_| {}, |_| {}).await.unwrap();
    let again = restarted(&late, |_| {}, |_| {}).await.unwrap();
    assert_eq!(looked_up(&again).await, looked_up(&expected).await);
}

#[tokio::test]
async fn farms_are_moved_to_other_shards_by_a_start_that_has_the_history() {
    let w = world(true, |_| {}).await;
    let late = restarted(&w, |dir| put_aside(dir, true), |c| c.shards = 3)
        .await
        .unwrap();
    assert!(go_on(&late).await > 1);
    put_back(late.dir.path());
    until(&late, "the history is there", |h| h.history_writable).await;
    let before = looked_up(&late).await;
    let moved = late.after_crash(|c| c.shards = 3).await.unwrap();
    assert!(moved.dir.path().join("journal/000002").exists());
    assert_eq!(
        before.lines().next(),
        looked_up(&moved).await.lines().next()
    );
}

#[tokio::test]
async fn a_first_start_says_that_its_history_cannot_be_opened() {
    let w = World::empty(|_| {}).await;
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("history.db"), "no database").unwrap();
    let refused = World::open(dir, w.clock.clone(), w.records.clone(), |_| {}).await;
    assert!(matches!(refused.err(), Some(OpenError::History(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_whose_host_does_not_answer_holds_up_neither_start_nor_end() {
    let w = world(true, |_| {}).await;
    // It takes connections and says nothing.
    let host = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://harit@{}/harit", host.local_addr().unwrap());
    let place = HistoryPlace::Postgres(PostgresUrl::new(&url, "").unwrap());
    let began = Instant::now();
    let late = restarted(&w, |_| {}, |c| c.history = Some(place))
        .await
        .unwrap();
    let took = began.elapsed();
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert!(go_on(&late).await > 1, "control goes on");
    let began = Instant::now();
    late.hub.clone().shutdown().await.unwrap();
    let took = began.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
}
