//! What one would write first: a table with a row a reading.

use std::collections::HashMap;
use std::path::Path;

use harit_engine::SensorId;
use harit_ingest::history::place::PlaceQuestion;
use rusqlite::{Connection, params};

use super::super::farm::Year;
use super::DAY_MS;

pub(super) struct Rows {
    db: Connection,
    numbers: HashMap<SensorId, isize>,
}

impl Rows {
    /// Writes the year, each day in a transaction.
    pub(super) fn make(path: &Path, year: Year, days: u32) -> rusqlite::Result<Self> {
        let db = Connection::open(path)?;
        db.execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; \
             CREATE TABLE reading (sensor INTEGER NOT NULL, at INTEGER NOT NULL, value REAL, PRIMARY KEY (sensor, at)) WITHOUT ROWID;",
        )?;
        let mut insert =
            db.prepare("INSERT INTO reading (sensor, at, value) VALUES (?1, ?2, ?3)")?;
        let mut day = None;
        year.readings(days, |at, n, value| {
            let today = at.div_euclid(DAY_MS);
            if day != Some(today) {
                db.execute_batch(if day.is_none() {
                    "BEGIN"
                } else {
                    "COMMIT; BEGIN"
                })?;
                day = Some(today);
            }
            insert
                .execute(params![n.cast_signed(), at, value])
                .map(drop)
        })?;
        db.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")?;
        drop(insert);
        let numbers = (0..).zip(year.sensors());
        let numbers = numbers
            .map(|(n, (id, ..))| (SensorId::new(id), n))
            .collect();
        Ok(Self { db, numbers })
    }

    /// Makes a chart's points of its readings, and says how many of these there were.
    pub(super) fn ask(&self, question: &PlaceQuestion) -> rusqlite::Result<u64> {
        let mut statement = self.db.prepare_cached(
            "SELECT at / ?4, count(*), avg(value), min(value), max(value) FROM reading \
             WHERE sensor = ?1 AND at >= ?2 AND at < ?3 AND value IS NOT NULL GROUP BY 1",
        )?;
        let (from, to) = (question.from.as_millis(), question.to.as_millis());
        let step = i64::from(question.step_sec) * 1_000;
        let mut readings = 0;
        for (sensor, _) in &question.sensors {
            let mut rows = statement.query(params![self.numbers.get(sensor), from, to, step])?;
            while let Some(row) = rows.next()? {
                readings += row.get::<_, i64>(1)?.unsigned_abs();
                std::hint::black_box((row.get::<_, f64>(2)?, row.get::<_, f64>(3)?));
            }
        }
        Ok(readings)
    }
}
