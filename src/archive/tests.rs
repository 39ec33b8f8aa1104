//! The demo's farms live for a day; what they measured is archived, and made into charts again.

use std::path::Path;

use harit_engine::Timestamp;
use harit_ingest::HubConfig;
use harit_ingest::past::Stop;
use rusqlite::Connection;
use tempfile::TempDir;

use super::layout::size;
use super::write::Archived;
use super::{archive, days, parts, positions_file};
use crate::columnar;
use crate::positions::Positions;

/// A data directory in which the demo's farms have lived for a day, without a server.
async fn lived() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut config = HubConfig::new(dir.path());
    config.shards = 2;
    let farms = harit_simulate::demo::farms(Default::default());
    crate::serve::make_demos_past(&config, &farms, 1)
        .await
        .unwrap();
    dir
}

fn now() -> Timestamp {
    Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
}

fn run(dir: &Path, before: Timestamp) -> Archived {
    let stop = Stop::within(std::time::Duration::from_secs(120));
    archive(
        dir,
        &dir.join("archive"),
        before,
        2,
        &stop,
        &mut |_, _, _| {},
    )
    .unwrap()
}

/// All rows of a table of the history, by sensor.
fn rows(dir: &Path, table: &str) -> Vec<String> {
    let db = Connection::open(dir.join("history.db")).unwrap();
    let sql = format!(
        "SELECT s.farm || ' ' || s.sensor || ' ' || concat_ws(',', t.{table}, count, sum, min, max, last, last_at) FROM {name} t \
         JOIN series s ON s.id = t.series ORDER BY 1",
        name = if table == "minute" { "rollup" } else { "hour" },
    );
    let mut statement = db.prepare(&sql).unwrap();
    let rows = statement.query_map([], |r| r.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

fn readings(dir: &Path) -> i64 {
    let db = Connection::open(dir.join("history.db")).unwrap();
    db.query_row("SELECT sum(count) FROM rollup", [], |r| r.get(0))
        .unwrap()
}

/// How many good readings the archive has.
fn archived(dir: &Path) -> i64 {
    let folder = dir.join("archive");
    let mut n = 0;
    for (day, farm) in days(&folder).unwrap() {
        for part in parts(&folder, &farm, day).unwrap() {
            columnar::good_values(&part.path(&folder), &mut |_, _, _| n += 1).unwrap();
        }
    }
    n
}

#[tokio::test(flavor = "multi_thread")]
async fn every_reading_is_archived_once_and_makes_the_same_charts() {
    let dir = lived().await;
    let dir = dir.path();
    let minutes = rows(dir, "minute");
    assert!(minutes.len() > 10_000, "{}", minutes.len());

    // Up to an instant; the same again does nothing.
    let earlier = Timestamp::from_millis(now().as_millis() - 8 * 3_600_000);
    let first = run(dir, earlier);
    assert!(first.missing == 0 && first.files >= 2, "{first:?}");
    assert_eq!(run(dir, earlier), Archived::default());
    let folder = dir.join("archive");
    let before = archived(dir);
    assert!(before > 0 && before < readings(dir));

    // A run that was interrupted left files without a position: they are written anew.
    let positions = std::fs::read(positions_file(&folder)).unwrap();
    let second = run(dir, now());
    std::fs::write(positions_file(&folder), positions).unwrap();
    assert_eq!(run(dir, now()).readings, second.readings);
    assert_eq!(archived(dir), readings(dir), "each of them once");
    assert!(
        Positions::load(&positions_file(&folder))
            .unwrap()
            .iter()
            .all(|(_, _, p)| p.batch > 0)
    );
    let bytes: u64 = days(&folder)
        .unwrap()
        .iter()
        .map(|(day, farm)| size(&folder, farm, *day).unwrap())
        .sum();
    let a_reading = bytes / u64::try_from(readings(dir)).unwrap();
    assert!(a_reading <= 8, "{a_reading} bytes a reading");

    // From the archive alone, from the journal alone, and from both: what charts show stays what it was.
    for before in [now(), earlier] {
        if before == earlier {
            std::fs::remove_dir_all(&folder).unwrap();
            run(dir, earlier);
        }
        let made = crate::history::rebuild_all(dir).unwrap();
        assert_eq!(i64::try_from(made).unwrap(), readings(dir));
        assert_eq!(rows(dir, "minute"), minutes);
        assert!(
            rows(dir, "hour").is_empty(),
            "they are made when a server runs"
        );
    }
}
