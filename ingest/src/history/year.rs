//! A farm's history of a year, measured: how large it is, how fast it is written, and how long charts take, beside a table with a
//! row a reading. `cargo test --release -p harit-ingest --lib a_farm_of_a_hundred_sensors -- --ignored --nocapture`; `HARIT_YEAR_DAYS` makes it shorter,
//! `HARIT_YEAR_POSTGRES=1` measures Debian's PostgreSQL.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use harit_engine::{SensorId, Timestamp};
use harit_testkit::postgres::Server;
use rusqlite::{Connection, params};

use super::place::PlaceQuestion;
use super::rollup::{Bucket, MINUTE_MS, RollupRow};
use super::store::HistoryStore;
use super::told::{Fold, Kept, Write};
use super::{HistoryPlace, PostgresUrl};
use crate::clock::TimeSource;

const SENSORS: i64 = 100;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
const START: i64 = 1_700_006_400_000;
/// How often each question is asked.
const ASKED: usize = 300;

struct Clock(AtomicI64);

impl TimeSource for Clock {
    fn wall(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Acquire))
    }
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.wall().as_millis().unsigned_abs())
    }
}

/// A value that wanders.
fn value(sensor: i64, minute: i64) -> i64 {
    20_000_000 + (minute * (7 + sensor) * 7_919 % 9_973) * 1_000
}

fn sensor(n: i64) -> SensorId {
    format!("sensor-{n}").as_str().into()
}

fn hour(n: i64) -> Vec<RollupRow> {
    let mut rows = Vec::new();
    for s in 0..SENSORS {
        for m in 0..60 {
            let mut bucket = Bucket::default();
            let at = Timestamp::from_millis(START + n * HOUR_MS + m * MINUTE_MS);
            let _first = bucket.add(at, value(s, n * 60 + m));
            rows.push(RollupRow {
                farm: "f".into(),
                sensor: sensor(s),
                bucket,
            });
        }
    }
    rows
}

fn megabytes(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |m| m.len()) / 1_000_000
}

/// The median and the 99th percentile, in ms.
fn told(mut took: Vec<Duration>) -> String {
    took.sort_unstable();
    let at = |part: usize| took[(took.len() - 1) * part / 100].as_secs_f64() * 1e3;
    format!("{:6.2} {:6.2}", at(50), at(99))
}

#[tokio::test]
#[ignore = "minutes, and some gigabytes: see the module"]
async fn a_farm_of_a_hundred_sensors_for_a_year() {
    let days = std::env::var("HARIT_YEAR_DAYS").map_or(365, |d| d.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("history.db");
    let clock = Arc::new(Clock(AtomicI64::new(START)));
    let kept = Kept {
        days: 400,
        hour_days: 3_650,
        bytes: u64::MAX,
    };
    let server = std::env::var_os("HARIT_YEAR_POSTGRES").map(|_| Server::start());
    let place = match &server {
        Some(server) => HistoryPlace::Postgres(PostgresUrl::new(&server.database(), "").unwrap()),
        None => HistoryPlace::File(path.clone()),
    };
    let store = HistoryStore::open(&place, kept, clock.clone())
        .unwrap()
        .now()
        .unwrap();
    store.begin(1).unwrap();
    let rows = days * 24 * 60 * SENSORS;
    let began = Instant::now();
    for n in 0..days * 24 {
        clock.0.store(START + (n + 1) * HOUR_MS, Ordering::Release);
        store.handle().send(Write::Fold(Fold {
            generation: 1,
            seq: n.unsigned_abs() + 1,
            rollups: hour(n),
            ..Fold::default()
        }));
    }
    store.barrier_blocking();
    let took = began.elapsed().as_secs_f64();
    #[allow(clippy::cast_precision_loss, reason = "a figure to read")]
    let rate = rows as f64 / took / 1e3;
    println!("{days} days of {SENSORS} sensors, a reading a minute: {rows} readings");
    let size = match &server {
        Some(server) => server.ask("history_0", "SELECT sum(pg_total_relation_size(oid)) / 1000000 FROM pg_class WHERE relnamespace = 'harit_history'::regnamespace AND relkind = 'r'").unwrap(),
        None => megabytes(&path).to_string(),
    };
    println!("harit: {rate:.0} k readings/s, {size} MB");
    // Whatever hours are still to be made are made now.
    tokio::time::sleep(Duration::from_secs(61)).await;
    for _ in 0..=days {
        store.handle().send(Write::Sync);
        store.barrier_blocking();
    }

    let plain = dir.path().join("plain.db");
    let rate = write_plain(&plain, days);
    println!(
        "a row a reading: {rate:.0} k readings/s, {} MB",
        megabytes(&plain)
    );
    let db = Connection::open(&plain).unwrap();

    println!("chart            harit p50, p99 ms   a row a reading p50, p99 ms");
    for (name, span, step) in [
        ("day, minutes", DAY_MS, 60),
        ("month, 2 hours", 30 * DAY_MS, 7_200),
        ("year, 12 hours", 365 * DAY_MS, 43_200),
    ] {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for k in 0..ASKED {
            let k = i64::try_from(k).unwrap();
            let to = START + days * DAY_MS - (k % 7) * HOUR_MS;
            let of = sensor(k * 37 % SENSORS);
            let (from, to) = (
                Timestamp::from_millis(to - span),
                Timestamp::from_millis(to),
            );
            let began = Instant::now();
            let points = store
                .reads()
                .rollups(&"f".into(), &of, from, to, step)
                .await
                .unwrap();
            ours.push(began.elapsed());
            if k % 10 == 0 {
                let began = Instant::now();
                let n = plain_points(&db, k * 37 % SENSORS, from, to, i64::from(step) * 1_000);
                theirs.push(began.elapsed());
                assert_eq!(points.len(), n);
            }
        }
        println!("{name:<16} {}     {}", told(ours), told(theirs));
    }
    let mut took = Vec::new();
    for _ in 0..20 {
        let question = PlaceQuestion {
            sensors: (0..SENSORS).map(|s| (sensor(s), 0)).collect(),
            from: Timestamp::from_millis(START + (days - 365) * DAY_MS),
            to: Timestamp::from_millis(START + days * DAY_MS),
            step_sec: 43_200,
            each: true,
        };
        let began = Instant::now();
        store.reads().place(&"f".into(), question).await.unwrap();
        took.push(began.elapsed());
    }
    println!("year, all {SENSORS}   {}", told(took));
    store.stop();
}

fn write_plain(path: &Path, days: i64) -> f64 {
    let mut db = Connection::open(path).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
         CREATE TABLE reading (series INTEGER, at INTEGER, value INTEGER, PRIMARY KEY (series, at)) WITHOUT ROWID;",
    )
    .unwrap();
    let began = Instant::now();
    for n in 0..days * 24 {
        let tx = db.transaction().unwrap();
        let mut insert = tx
            .prepare_cached("INSERT INTO reading VALUES (?1, ?2, ?3)")
            .unwrap();
        for s in 0..SENSORS {
            for m in 0..60 {
                let at = START + n * HOUR_MS + m * MINUTE_MS;
                insert
                    .execute(params![s, at, value(s, n * 60 + m)])
                    .unwrap();
            }
        }
        drop(insert);
        tx.commit().unwrap();
    }
    #[allow(clippy::cast_precision_loss, reason = "a figure to read")]
    let rows = (days * 24 * 60 * SENSORS) as f64;
    rows / began.elapsed().as_secs_f64() / 1e3
}

/// How many points a chart has, made of a row a reading.
fn plain_points(db: &Connection, series: i64, from: Timestamp, to: Timestamp, step: i64) -> usize {
    let mut statement = db
        .prepare_cached(
            "SELECT at / ?4, count(*), sum(value), min(value), max(value) FROM reading WHERE series = ?1 AND at >= ?2 AND at < ?3 GROUP BY 1",
        )
        .unwrap();
    let mut rows = statement
        .query(params![series, from.as_millis(), to.as_millis(), step])
        .unwrap();
    let mut points = HashMap::new();
    while let Some(row) = rows.next().unwrap() {
        let (at, n): (i64, i64) = (row.get(0).unwrap(), row.get(1).unwrap());
        points.insert(at, n);
    }
    points.len()
}
