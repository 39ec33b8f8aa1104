//! Hours, made of their minutes once they are over.
//!
//! Every hour before [`rolled`] is there, and is what its minutes are; what comes late is added to both. So the disk of a farm is
//! told of an hour once, and not with each of its minutes.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::history::rollup::{Bucket, HOUR_MINUTES, hours_due};

pub(super) const UPSERT: &str = "INSERT INTO hour (series, hour, count, sum, min, max, last, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
     ON CONFLICT (series, hour) DO UPDATE SET count = count + excluded.count, sum = sum + excluded.sum, min = min(min, excluded.min), \
     max = max(max, excluded.max), last = iif(excluded.last_at >= last_at, excluded.last, last), last_at = max(last_at, excluded.last_at)";

/// The hour before which all hours are there; the lowest number where none is.
pub(super) fn rolled(db: &Connection) -> rusqlite::Result<i64> {
    let hour = db
        .prepare_cached("SELECT hour FROM rolled")?
        .query_row([], |r| r.get(0))
        .optional()?;
    Ok(hour.unwrap_or(i64::MIN))
}

/// From now on all hours before that one are there, or are to be.
pub(super) fn roll_to(tx: &Connection, hour: i64) -> rusqlite::Result<()> {
    tx.execute("DELETE FROM rolled", [])?;
    tx.execute("INSERT INTO rolled (hour) VALUES (?1)", [hour])?;
    Ok(())
}

/// Makes some of the hours that are over by `now`, an hour's number, and returns up to where they are there.
pub(super) fn roll_up(tx: &Transaction<'_>, rolled: i64, now: i64) -> rusqlite::Result<i64> {
    let series: Vec<i64> = tx
        .prepare_cached("SELECT id FROM series")?
        .query_map([], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    // Where a past has a gap, or an instant that somebody's clock made up, what lies between is passed over.
    let after = rolled.saturating_mul(HOUR_MINUTES);
    let mut oldest =
        tx.prepare_cached("SELECT min(minute) FROM rollup WHERE series = ?1 AND minute >= ?2")?;
    let mut first: Option<i64> = None;
    for s in &series {
        let minute: Option<i64> = oldest.query_row([*s, after], |r| r.get(0))?;
        first = first.into_iter().chain(minute).min();
    }
    let due = hours_due(first, series.len(), now);
    if !due.is_empty() {
        for s in series {
            roll_up_series(tx, s, due.start, due.end)?;
        }
    }
    let to = due.end.max(rolled);
    roll_to(tx, to)?;
    Ok(to)
}

fn roll_up_series(tx: &Transaction<'_>, series: i64, from: i64, to: i64) -> rusqlite::Result<()> {
    let mut minutes = tx.prepare_cached(
        "SELECT minute, count, sum, min, max, last, last_at FROM rollup WHERE series = ?1 AND minute >= ?2 AND minute < ?3 ORDER BY minute",
    )?;
    let mut put = tx.prepare_cached(
        "INSERT OR REPLACE INTO hour (series, hour, count, sum, min, max, last, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut put = |hour: i64, b: &Bucket| {
        put.execute([
            series, hour, b.count, b.sum, b.min, b.max, b.last, b.last_at,
        ])
    };
    let mut rows = minutes.query(params![series, from * HOUR_MINUTES, to * HOUR_MINUTES])?;
    let mut open: Option<(i64, Bucket)> = None;
    while let Some(row) = rows.next()? {
        let minute = Bucket {
            minute: row.get(0)?,
            count: row.get(1)?,
            sum: row.get(2)?,
            min: row.get(3)?,
            max: row.get(4)?,
            last: row.get(5)?,
            last_at: row.get(6)?,
        };
        let hour = minute.minute.div_euclid(HOUR_MINUTES);
        match open.as_mut().filter(|(of, _)| *of == hour) {
            Some((_, sum)) => sum.join(&minute),
            None => {
                if let Some((of, done)) = open.replace((hour, minute)) {
                    put(of, &done)?;
                }
            }
        }
    }
    if let Some((of, done)) = open {
        put(of, &done)?;
    }
    Ok(())
}
