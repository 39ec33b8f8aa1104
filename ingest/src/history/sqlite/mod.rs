//! The history in one SQLite file: its tables, who writes and who reads it.
//!
//! It is not synced at each commit; what a power loss takes back it takes back with the positions that were written with it.

mod anew;
mod levels;
pub(super) mod minutes;
mod read;
mod steps;
mod write;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use harit_engine::{FarmId, SensorId};
use rusqlite::Connection;

use super::rollup::Rolled;
use super::seam::StoreError;
use crate::log::store::{self as log, TABLES as LOG_TABLES};

pub(super) use anew::SqliteAnew;
pub(super) use read::SqliteReads;

/// The version of the tables.
const SCHEMA: i64 = 7;

const TABLES: &str = "
CREATE TABLE watermark (generation INTEGER NOT NULL, shard INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (generation, shard)) WITHOUT ROWID;
CREATE TABLE series (id INTEGER PRIMARY KEY, farm TEXT NOT NULL, sensor TEXT NOT NULL, UNIQUE (farm, sensor));
CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, farm TEXT NOT NULL, at INTEGER NOT NULL, event TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX event_by_farm ON event (farm, id);
CREATE INDEX event_by_time ON event (at);
CREATE TABLE command (n INTEGER PRIMARY KEY AUTOINCREMENT, farm TEXT NOT NULL, command_id TEXT NOT NULL, device TEXT NOT NULL, at INTEGER NOT NULL,
  state TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (farm, command_id));
CREATE INDEX command_by_device ON command (farm, device, n);
CREATE INDEX command_by_time ON command (at);
";

const LETTER_TABLES: &str = "
CREATE TABLE dead_letter (farm TEXT NOT NULL, topic TEXT NOT NULL, reason TEXT NOT NULL, payload BLOB NOT NULL, count INTEGER NOT NULL,
  first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (farm, topic, reason)) WITHOUT ROWID;
CREATE INDEX dead_letter_by_time ON dead_letter (farm, last_at);
";

/// Letters belonged to nobody before: whose they are stands in their topic.
const LETTERS_BEFORE: &str = "
DROP INDEX dead_letter_by_time;
ALTER TABLE dead_letter RENAME TO dead_letter_before;
";
const LETTERS_AFTER: &str = "
INSERT INTO dead_letter SELECT CASE WHEN topic LIKE 'harit/1/_%/%' THEN substr(topic, 9, instr(substr(topic, 9), '/') - 1) ELSE '' END,
  topic, reason, payload, count, first_at, last_at FROM dead_letter_before;
DROP TABLE dead_letter_before;
";

const REPORTED_TABLES: &str = "
CREATE TABLE reported (farm TEXT NOT NULL, device TEXT NOT NULL, at INTEGER NOT NULL, is_on INTEGER, value INTEGER, PRIMARY KEY (farm, device, at)) WITHOUT ROWID;
CREATE INDEX reported_by_time ON reported (at);
";

/// What follows from the minutes of whole hours, so that a year is read in 8,760 rows a sensor: of every hour before `rolled`.
const HOUR_TABLES: &str = "
CREATE TABLE hour (series INTEGER NOT NULL, hour INTEGER NOT NULL, count INTEGER NOT NULL, sum INTEGER NOT NULL, min INTEGER NOT NULL,
  max INTEGER NOT NULL, last INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (series, hour)) WITHOUT ROWID;
CREATE TABLE rolled (hour INTEGER NOT NULL);
";

/// What follows from whole hours, so that a year of many sensors is read in 365 rows each: of every day before `rolled_day`.
const DAY_TABLES: &str = "
CREATE TABLE day (series INTEGER NOT NULL, day INTEGER NOT NULL, count INTEGER NOT NULL, sum INTEGER NOT NULL, min INTEGER NOT NULL,
  max INTEGER NOT NULL, last INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (series, day)) WITHOUT ROWID;
CREATE TABLE rolled_day (day INTEGER NOT NULL);
";

/// Where [minutes] are.
const MINUTE_TABLES: &str = "
CREATE TABLE recent (minute INTEGER NOT NULL, series INTEGER NOT NULL, count INTEGER NOT NULL, sum INTEGER NOT NULL, min INTEGER NOT NULL,
  max INTEGER NOT NULL, last INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (minute, series)) WITHOUT ROWID;
CREATE TABLE packed (series INTEGER NOT NULL, hour INTEGER NOT NULL, minutes BLOB NOT NULL, PRIMARY KEY (series, hour)) WITHOUT ROWID;
";

/// The writer's side.
pub(super) struct SqliteStore {
    db: Connection,
    series: HashMap<(FarmId, SensorId), i64>,
    numbers: log::Numbers,
    /// The file that has what was committed and is not in the store's own file yet. None once it could not be synced: what a
    /// later sync says of what was written before is not to be believed.
    log: Option<PathBuf>,
    rolled: Rolled,
}

impl SqliteStore {
    /// Opens the file, and makes it where there is none.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let db = open(path)?;
        Ok(Self {
            rolled: levels::rolled(&db)?,
            db,
            series: HashMap::new(),
            numbers: log::Numbers::default(),
            log: Some(path.with_extension("db-wal")),
        })
    }
}

/// Opens the file for writing and brings its tables up to date.
pub(super) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let mut db = Connection::open(path)?;
    db.busy_timeout(Duration::from_secs(5))?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    let version: i64 = db.pragma_query_value(None, "user_version", |r| r.get(0))?;
    if version == SCHEMA {
        return Ok(db);
    }
    // What came with the version after each.
    let letters = format!("{LETTERS_BEFORE} {LETTER_TABLES} {LETTERS_AFTER}");
    let steps = [
        LOG_TABLES,
        REPORTED_TABLES,
        letters.as_str(),
        HOUR_TABLES,
        DAY_TABLES,
        MINUTE_TABLES,
    ];
    let tx = db.transaction()?;
    match version {
        0 => tx.execute_batch(
            &[
                TABLES,
                LETTER_TABLES,
                LOG_TABLES,
                REPORTED_TABLES,
                HOUR_TABLES,
                DAY_TABLES,
                MINUTE_TABLES,
            ]
            .join(" "),
        )?,
        1..SCHEMA => {
            tx.execute_batch(&steps[usize::try_from(version - 1).unwrap_or(0)..].join(" "))?;
            minutes::convert(&tx, levels::rolled(&tx)?)?;
            tx.execute_batch("DROP TABLE rollup")?;
        }
        newer => {
            let text =
                format!("the history store has version {newer}, this program reads {SCHEMA}");
            return Err(rusqlite::Error::ToSqlConversionFailure(text.into()));
        }
    }
    tx.pragma_update(None, "user_version", SCHEMA)?;
    tx.commit()?;
    Ok(db)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Instant;

    use super::*;
    use crate::clock::{SystemTime, TimeSource as _};
    use crate::history::HistoryPlace;
    use crate::history::seam::Store as _;
    use crate::history::steps::Span;
    use crate::history::store::HistoryStore;
    use crate::history::told::{EventRow, Fold, Kept, Write};

    /// Where minutes were, a row each by series.
    const ROLLUP_BEFORE: &str = "CREATE TABLE rollup (series INTEGER NOT NULL, minute INTEGER NOT NULL, count INTEGER NOT NULL,
        sum INTEGER NOT NULL, min INTEGER NOT NULL, max INTEGER NOT NULL, last INTEGER NOT NULL, last_at INTEGER NOT NULL,
        PRIMARY KEY (series, minute)) WITHOUT ROWID;";

    fn opened(path: &Path, bytes: u64) -> HistoryStore {
        let kept = Kept {
            days: 400,
            hour_days: 3_650,
            bytes,
        };
        let place = HistoryPlace::File(path.to_owned());
        let store = HistoryStore::open(&place, kept, Arc::new(SystemTime::default()))
            .unwrap()
            .now()
            .unwrap();
        store.begin(1).unwrap();
        store
    }

    fn events(farm: &str, n: usize) -> Write {
        static SEQ: AtomicU64 = AtomicU64::new(1);
        let now = SystemTime::default().wall();
        let event = |_| EventRow {
            farm: farm.into(),
            at: now,
            name: "command",
            body: "x".repeat(500),
        };
        Write::Fold(Fold {
            generation: 1,
            seq: SEQ.fetch_add(1, Ordering::Relaxed),
            events: (0..n).map(event).collect(),
            ..Fold::default()
        })
    }

    #[test]
    fn a_history_has_a_limit_and_whoever_fills_it_pays() {
        let dir = tempfile::tempdir().unwrap();
        let limit = 4 << 20;
        let path = dir.path().join("history.db");
        let store = opened(&path, limit);
        let db = Connection::open(&path).unwrap();
        store.handle().send(events("quiet", 500));
        for _ in 0..40 {
            store.handle().send(events("noisy", 1_000));
        }
        let count = |farm: &str| -> i64 {
            db.query_row("SELECT count(*) FROM event WHERE farm = ?1", [farm], |r| {
                r.get(0)
            })
            .unwrap()
        };
        // Its size is looked at every few seconds.
        let began = Instant::now();
        let mut left = i64::MAX;
        while began.elapsed() < Duration::from_secs(30) && left > 8_000 {
            std::thread::sleep(Duration::from_millis(200));
            store.handle().send(events("noisy", 1));
            store.barrier_blocking();
            left = count("noisy");
        }
        assert!(left <= 8_000, "{left} events of half a KiB in 4 MiB");
        assert_eq!(count("quiet"), 500, "who has little keeps it");
        store.stop();
    }

    #[test]
    fn minutes_and_hours_of_a_history_of_before_are_what_it_is_made_of() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("history.db");
        drop(open(&path).unwrap());
        let db = Connection::open(&path).unwrap();
        // Two and a half days of hours, of which the minutes are gone but for the last, and a minute after that.
        db.execute_batch(&format!(
            "DROP TABLE day; DROP TABLE rolled_day; DROP TABLE packed; DROP TABLE recent; {ROLLUP_BEFORE} PRAGMA user_version = 5;
             INSERT INTO series VALUES (1, 'f', 'a'); INSERT INTO rolled VALUES (60);
             WITH RECURSIVE h (n) AS (SELECT -24 UNION ALL SELECT n + 1 FROM h WHERE n < 59)
             INSERT INTO hour SELECT 1, n, 2, n, n - 1, n + 1, n, n * 3600000 FROM h;
             INSERT INTO rollup VALUES (1, 59 * 60, 2, 59, 58, 60, 59, 59 * 3600000), (1, 60 * 60 + 7, 1, 5, 5, 5, 5, 3601 * 60000);"
        ))
        .unwrap();
        drop(db);
        let mut store = SqliteStore::open(&path).unwrap();
        let mut minutes = Vec::new();
        let span = Span {
            first: -99_999,
            end: 99_999,
            step: 1,
        };
        steps::steps(&store.db, 1, span, &mut |step| {
            minutes.push((step.at, step.count, step.min, step.last));
        })
        .unwrap();
        assert_eq!(minutes, [(59 * 60, 2, 58, 59), (60 * 60 + 7, 1, 5, 5)]);
        let now = 20_000 * 24;
        while !store.roll_up(now).unwrap() {}
        let mut days = store.db.prepare("SELECT * FROM day ORDER BY day").unwrap();
        let days = days
            .query_map([], |r| {
                let row: [i64; 8] = std::array::from_fn(|n| r.get(n).unwrap());
                Ok(row)
            })
            .unwrap();
        let days: Vec<_> = days.map(Result::unwrap).collect();
        let day = |n: i64, hours: std::ops::Range<i64>| {
            let (first, last) = (hours.start, hours.end - 1);
            let count = hours.end - hours.start;
            let sum = hours.sum();
            let rest = [2 * count, sum, first - 1, last + 1, last, last * 3_600_000];
            let [a, b, c, d, e, f] = rest;
            [1, n, a, b, c, d, e, f]
        };
        let expected = [(-1, -24..0), (0, 0..24), (1, 24..48)];
        assert_eq!(days[..3], expected.map(|(n, hours)| day(n, hours)));
        // The hour of the last minute was made, and is in its day.
        assert_eq!(days[3][..6], [1, 2, 25, (48..60).sum::<i64>() + 5, 5, 60]);
    }

    #[test]
    fn letters_of_before_belong_to_the_farm_of_their_topic() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("history.db");
        let old = "CREATE TABLE dead_letter (topic TEXT NOT NULL, reason TEXT NOT NULL, payload BLOB NOT NULL, count INTEGER NOT NULL,
            first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (topic, reason)) WITHOUT ROWID;
            CREATE INDEX dead_letter_by_time ON dead_letter (last_at);
            INSERT INTO dead_letter VALUES ('harit/1/f1/A4CF120B9E01/state', 'malformed', x'00', 1, 1, 1), ('x', 'topic', x'00', 1, 1, 1);";
        let db = Connection::open(&path).unwrap();
        db.execute_batch(&format!(
            "{TABLES} {ROLLUP_BEFORE} {old} {LOG_TABLES} {REPORTED_TABLES} PRAGMA user_version=3;"
        ))
        .unwrap();
        drop(db);
        let store = opened(&path, u64::MAX);
        let farms: Vec<String> = {
            let db = Connection::open(&path).unwrap();
            let mut all = db
                .prepare("SELECT farm FROM dead_letter ORDER BY farm")
                .unwrap();
            let rows = all.query_map([], |r| r.get(0)).unwrap();
            rows.collect::<Result<_, _>>().unwrap()
        };
        assert_eq!(farms, ["", "f1"]);
        store.stop();
    }
}
