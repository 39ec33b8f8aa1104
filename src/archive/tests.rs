//! The demo's farms live for a day; what they measured is archived, and made into charts again.

use std::path::Path;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use harit_engine::Timestamp;
use harit_ingest::HubConfig;
use harit_ingest::past::Stop;
use harit_journal::JournalFiles;
use object_store::memory::InMemory;
use object_store::{ObjectStore as _, ObjectStoreExt as _};
use rusqlite::Connection;
use tempfile::TempDir;

use super::copy::BucketCopy;
use super::layout::{Day, FarmDay, Part, days, parts, size};
use super::write::Archived;
use super::{Source, archive, positions_file};
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
        &JournalFiles::to_read(dir),
        &dir.join("archive"),
        before,
        2,
        &stop,
        &mut |_, _, _| {},
    )
    .unwrap()
}

/// All hours that the history has, by sensor, and those of the minutes that are in none yet.
fn hours(dir: &Path) -> Vec<String> {
    let db = Connection::open(dir.join("history.db")).unwrap();
    let sql = "SELECT s.farm || ' ' || s.sensor || ' ' || concat_ws(',', hour, sum(count), sum(sum), min(min), max(max), max(last_at)) FROM \
        (SELECT series, hour, count, sum, min, max, last_at FROM hour UNION ALL \
         SELECT series, minute / 60, count, sum, min, max, last_at FROM recent) t \
        JOIN series s ON s.id = t.series GROUP BY s.id, hour ORDER BY 1";
    let mut statement = db.prepare(sql).unwrap();
    let rows = statement.query_map([], |r| r.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

fn count(dir: &Path, sql: &str) -> i64 {
    let db = Connection::open(dir.join("history.db")).unwrap();
    db.query_row(sql, [], |r| r.get(0)).unwrap()
}

fn readings(dir: &Path) -> i64 {
    let sum = "SELECT (SELECT coalesce(sum(count), 0) FROM hour) + (SELECT coalesce(sum(count), 0) FROM recent)";
    count(dir, sum)
}

/// How many good readings the archive has.
fn archived(dir: &Path) -> i64 {
    let folder = dir.join("archive");
    let mut n = 0;
    for of in days(&folder).unwrap() {
        for part in parts(&folder, &of).unwrap() {
            columnar::good_values(&part.path(&folder), &mut |_, _, _| n += 1).unwrap();
        }
    }
    n
}

#[tokio::test(flavor = "multi_thread")]
async fn every_reading_is_archived_once_and_makes_the_same_charts() {
    let dir = lived().await;
    let dir = dir.path();
    let shown = hours(dir);
    let made_hours = "SELECT count(*) FROM hour";
    let hours_before = count(dir, made_hours);
    assert!(hours_before > 0);
    assert!(shown.len() > 500, "{}", shown.len());

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
    let all = readings(dir);
    let made = crate::history::rebuild_all(dir).unwrap();
    assert_eq!(i64::try_from(made).unwrap(), all, "once all the same");
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
        .map(|of| size(&folder, of).unwrap())
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
        assert_eq!(hours(dir), shown);
        assert_eq!(count(dir, made_hours), hours_before);
    }
}

fn not_stopped() -> Stop {
    Stop::within(std::time::Duration::from_secs(120))
}

fn copy_in(objects: &Arc<InMemory>) -> BucketCopy {
    let bucket = "s3://farms/pi-1/archive".parse().unwrap();
    BucketCopy::over(&bucket, objects.clone()).unwrap()
}

/// A file of an archive.
fn put_part(archive: &Path, farm: &str, day: &str, first: u64, bytes: &[u8]) -> Part {
    let part = Part {
        of: FarmDay {
            day: Day::parse(day).unwrap(),
            farm: farm.to_owned(),
        },
        generation: 1,
        shard: 0,
        first,
        is_late: false,
    };
    let path = part.path(archive);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
    part
}

#[test]
fn a_prefix_is_one_servers() {
    let objects = Arc::new(InMemory::new());
    let copy = copy_in(&objects);
    copy.claim("a1").unwrap();
    copy.claim("a1").unwrap();
    let refused = copy.claim("b2").unwrap_err().to_string();
    assert!(
        refused.starts_with("s3://farms/pi-1/archive has the archive of another server"),
        "{refused}"
    );
    copy.claim("a1").unwrap();
    let elsewhere = "s3://farms/pi-2/archive".parse().unwrap();
    let elsewhere = BucketCopy::over(&elsewhere, objects.clone()).unwrap();
    elsewhere.claim("b2").unwrap();
    let fetched = Source::fetching(copy).unwrap();
    assert_eq!(fetched.days().count(), 0, "it is none of its files");
}

#[test]
fn a_bucket_gets_what_it_lacks_and_gives_it_back() {
    let dir = tempfile::tempdir().unwrap();
    let objects = Arc::new(InMemory::new());
    let copy = copy_in(&objects);
    // Of a length that is sent in parts, and a name that has to be written in another way.
    let large: Vec<u8> = (0..20_u32 << 20)
        .map(|n| (n / 7).to_le_bytes()[0])
        .collect();
    let first = put_part(dir.path(), "green", "2026-11-23", 1, &large);
    let other = put_part(dir.path(), "Ravi's farm/2", "2026-11-24", 7, b"short");
    std::fs::write(
        positions_file(dir.path()),
        b"{\"version\":1,\"journals\":[]}",
    )
    .unwrap();
    // What is being written is none of its files.
    let writing = other
        .path(dir.path())
        .with_file_name(".late-1-0-8.parquet.part");
    std::fs::write(writing, b"half").unwrap();

    let missing = copy.missing(dir.path()).unwrap();
    let all: Vec<&Part> = missing.values().flatten().collect();
    assert_eq!(all, [&first, &other]);
    for part in [&first, &other] {
        copy.put(dir.path(), part, &not_stopped()).unwrap();
    }
    copy.put_positions(dir.path()).unwrap();
    assert!(copy.missing(dir.path()).unwrap().is_empty());

    let fetched = Source::fetching(copy_in(&objects)).unwrap();
    let of: Vec<&FarmDay> = fetched.days().collect();
    assert_eq!(of, [&first.of, &other.of]);
    assert_eq!(fetched.parts(&other.of), std::slice::from_ref(&other));
    let read = |part| std::fs::read(fetched.file(part).unwrap()).unwrap();
    assert!(read(&first) == large);
    assert_eq!(read(&other), b"short");
    assert_eq!(fetched.positions().unwrap(), Positions::default());

    // One that was cut off here and written anew, which the bucket has as it was.
    put_part(dir.path(), "Ravi's farm/2", "2026-11-24", 7, b"longer");
    let missing = copy.missing(dir.path()).unwrap();
    assert_eq!(missing.values().flatten().collect::<Vec<_>>(), [&other]);

    // What else lies there is left alone, and is no day.
    let stranger = "pi-1/archive/farm=green/day=2026-11-24/../x".replace("/../", "/");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let put = async { objects.put(&stranger.as_str().into(), "x".into()).await };
    runtime.block_on(put).unwrap();
    assert_eq!(
        Source::fetching(copy_in(&objects)).unwrap().days().count(),
        2
    );
}

#[test]
fn a_copy_that_is_stopped_leaves_no_half_file() {
    let dir = tempfile::tempdir().unwrap();
    let objects = Arc::new(InMemory::new());
    let copy = copy_in(&objects);
    let part = put_part(dir.path(), "green", "2026-11-23", 1, &vec![1; 20 << 20]);
    let stop = not_stopped();
    stop.cancel();
    assert!(copy.put(dir.path(), &part, &stop).is_err());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let left = runtime.block_on(objects.list(None).try_collect::<Vec<_>>());
    assert_eq!(left.unwrap(), []);
}
