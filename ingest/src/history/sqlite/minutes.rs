//! The minutes of the file: of an hour that is not made yet a row each, by time, so that what comes together is written together; of an hour
//! that is made all minutes of a sensor in one row, [packed].
//!
//! A minute is in the one place or in the other: in `packed` where its hour is before [`Rolled::hour`], in `recent` otherwise.

use std::collections::BTreeMap;
use std::ops::Range;

use rusqlite::types::Type;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use super::levels::{Put, bucket};
use crate::history::packed::{Damaged, pack, unpack};
use crate::history::rollup::{Bucket, Level, Rolled};

/// Of more minutes than that all sensors' are read through; of fewer each is looked for.
const LOOKED_FOR: i64 = 2_000;

/// By series and hour.
type Hours = BTreeMap<(i64, i64), Vec<Bucket>>;

/// A series and one of its minutes.
fn row(r: &Row<'_>) -> rusqlite::Result<(i64, Bucket)> {
    Ok((r.get(0)?, bucket(r, 1, Level::Minute)?))
}

const COLUMNS: &str = "series, minute, count, sum, min, max, last, last_at";

fn damaged(e: Damaged) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(1, Type::Blob, Box::new(e))
}

/// Adds minutes of series to what is there.
pub(super) fn add(
    tx: &Connection,
    rolled: Rolled,
    minutes: impl Iterator<Item = (i64, Bucket)>,
) -> rusqlite::Result<()> {
    let mut upsert = tx.prepare_cached(
        "INSERT INTO recent (series, minute, count, sum, min, max, last, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
         ON CONFLICT (minute, series) DO UPDATE SET count = count + excluded.count, sum = sum + excluded.sum, min = min(min, excluded.min), \
         max = max(max, excluded.max), last = iif(excluded.last_at >= last_at, excluded.last, last), last_at = max(last_at, excluded.last_at)",
    )?;
    let mut late = Hours::new();
    for (series, b) in minutes {
        let hour = Level::Hour.number(b.minute);
        if hour < rolled.hour {
            late.entry((series, hour)).or_default().push(b);
        } else {
            let numbers = [b.minute, b.count, b.sum, b.min, b.max, b.last, b.last_at];
            let [minute, count, sum, min, max, last, last_at] = numbers;
            upsert.execute([series, minute, count, sum, min, max, last, last_at])?;
        }
    }
    let mut packed =
        tx.prepare_cached("SELECT minutes FROM packed WHERE series = ?1 AND hour = ?2")?;
    for ((series, hour), late) in late {
        let mut all = BTreeMap::new();
        let mut join = |b: Bucket| {
            all.entry(b.minute)
                .and_modify(|there: &mut Bucket| there.join(&b))
                .or_insert(b);
        };
        let bytes: Option<Vec<u8>> = packed.query_row([series, hour], |r| r.get(0)).optional()?;
        if let Some(bytes) = bytes {
            unpack(hour, &bytes, &mut join).map_err(damaged)?;
        }
        late.into_iter().for_each(join);
        let all: Vec<_> = all.into_values().collect();
        put(&mut put_packed(tx)?, series, hour, &all)?;
    }
    Ok(())
}

fn put_packed(tx: &Connection) -> rusqlite::Result<CachedStatement<'_>> {
    tx.prepare_cached("INSERT OR REPLACE INTO packed (series, hour, minutes) VALUES (?1, ?2, ?3)")
}

fn put(
    statement: &mut CachedStatement<'_>,
    series: i64,
    hour: i64,
    minutes: &[Bucket],
) -> rusqlite::Result<()> {
    statement.execute(params![series, hour, pack(hour, minutes)])?;
    Ok(())
}

/// Gives a series' minutes of a range, in their order.
pub(super) fn read(
    db: &Connection,
    rolled: Rolled,
    series: i64,
    range: Range<i64>,
    each: &mut dyn FnMut(Bucket),
) -> rusqlite::Result<()> {
    let hours = Level::Hour.number(range.start)..Level::Hour.number(range.end - 1) + 1;
    let mut packed = db.prepare_cached(
        "SELECT hour, minutes FROM packed WHERE series = ?1 AND hour >= ?2 AND hour < ?3 ORDER BY hour",
    )?;
    let mut rows = packed.query([series, hours.start, hours.end.min(rolled.hour)])?;
    while let Some(row) = rows.next()? {
        let bytes = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let mut within = |b: Bucket| {
            if range.contains(&b.minute) {
                each(b);
            }
        };
        unpack(row.get(0)?, bytes, &mut within).map_err(damaged)?;
    }
    let recent = range
        .start
        .max(rolled.hour.saturating_mul(Level::Hour.minutes()))..range.end;
    read_recent(db, series, recent, each)
}

fn read_recent(
    db: &Connection,
    series: i64,
    range: Range<i64>,
    each: &mut dyn FnMut(Bucket),
) -> rusqlite::Result<()> {
    // Each from an end of the table: it has little but what is new.
    let ends = "SELECT (SELECT min(minute) FROM recent), (SELECT max(minute) FROM recent)";
    let ends: (Option<i64>, Option<i64>) = db
        .prepare_cached(ends)?
        .query_row([], |r| Ok((r.get(0)?, r.get(1)?)))?;
    let (Some(first), Some(last)) = ends else {
        return Ok(());
    };
    let range = range.start.max(first)..range.end.min(last + 1);
    if range.end.saturating_sub(range.start) > LOOKED_FOR {
        let sql = format!(
            "SELECT {COLUMNS} FROM recent WHERE minute >= ?2 AND minute < ?3 AND series = ?1 ORDER BY minute"
        );
        let mut all = db.prepare_cached(&sql)?;
        let rows = all.query_map([series, range.start, range.end], row)?;
        for found in rows {
            each(found?.1);
        }
        return Ok(());
    }
    let sql = format!("SELECT {COLUMNS} FROM recent WHERE minute = ?2 AND series = ?1");
    let mut one = db.prepare_cached(&sql)?;
    for minute in range {
        if let Some((_, b)) = one.query_row([series, minute], row).optional()? {
            each(b);
        }
    }
    Ok(())
}

/// The first minute that is of no hour that is made.
pub(super) fn first(tx: &Connection, rolled: Rolled) -> rusqlite::Result<Option<i64>> {
    let after = rolled.hour.saturating_mul(Level::Hour.minutes());
    tx.prepare_cached("SELECT min(minute) FROM recent WHERE minute >= ?1")?
        .query_row([after], |r| r.get(0))
}

/// Packs the minutes of hours, and makes the hours of them.
pub(super) fn make_hours(tx: &Connection, due: &Range<i64>) -> rusqlite::Result<()> {
    let sql =
        format!("SELECT {COLUMNS} FROM recent WHERE minute >= ?1 AND minute < ?2 ORDER BY minute");
    let mut recent = tx.prepare_cached(&sql)?;
    let mut remove = tx.prepare_cached("DELETE FROM recent WHERE minute >= ?1 AND minute < ?2")?;
    let (mut packed, mut hours) = (put_packed(tx)?, Put::new(tx, Level::Hour)?);
    for hour in due.clone() {
        let minutes = [hour, hour + 1].map(|hour| hour * Level::Hour.minutes());
        let mut all: BTreeMap<i64, Vec<Bucket>> = BTreeMap::new();
        for found in recent.query_map(minutes, row)? {
            let (series, b) = found?;
            all.entry(series).or_default().push(b);
        }
        for (series, minutes) in all {
            put(&mut packed, series, hour, &minutes)?;
            let joined = minutes.into_iter().reduce(|mut joined, b| {
                joined.join(&b);
                joined
            });
            if let Some(joined) = joined {
                hours.put(series, hour, &joined)?;
            }
        }
        remove.execute(minutes)?;
    }
    Ok(())
}

/// Removes all from the beginning of an hour on.
pub(super) fn remove_from(tx: &Connection, hour: i64) -> rusqlite::Result<()> {
    let minute = hour.saturating_mul(Level::Hour.minutes());
    tx.execute("DELETE FROM recent WHERE minute >= ?1", [minute])?;
    tx.execute("DELETE FROM packed WHERE hour >= ?1", [hour])?;
    Ok(())
}

/// Removes a series' from before the hour of a minute.
pub(super) fn remove_before(tx: &Connection, series: i64, minute: i64) -> rusqlite::Result<()> {
    let hour = Level::Hour.number(minute);
    tx.prepare_cached("DELETE FROM packed WHERE series = ?1 AND hour < ?2")?
        .execute([series, hour])?;
    Ok(())
}

/// Converts the minutes of a file of before, a row each by series.
pub(super) fn convert(tx: &Connection, rolled: Rolled) -> rusqlite::Result<()> {
    let series: Vec<i64> = tx
        .prepare("SELECT id FROM series")?
        .query_map([], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    let sql = format!("SELECT {COLUMNS} FROM rollup WHERE series = ?1 ORDER BY minute");
    let mut before = tx.prepare(&sql)?;
    for s in series {
        let mut open: Option<(i64, Vec<Bucket>)> = None;
        let (mut packed, mut recent) = (put_packed(tx)?, Vec::new());
        for found in before.query_map([s], row)? {
            let (_, b) = found?;
            let hour = Level::Hour.number(b.minute);
            if hour >= rolled.hour {
                recent.push((s, b));
                continue;
            }
            match open.as_mut().filter(|(of, _)| *of == hour) {
                Some((_, minutes)) => minutes.push(b),
                None => {
                    if let Some((hour, minutes)) = open.replace((hour, vec![b])) {
                        put(&mut packed, s, hour, &minutes)?;
                    }
                }
            }
        }
        if let Some((hour, minutes)) = open {
            put(&mut packed, s, hour, &minutes)?;
        }
        add(tx, rolled, recent.into_iter())?;
    }
    Ok(())
}

/// Gives the minutes of a row of `packed`: its series, its hour, and they.
pub(in crate::history) fn of_packed(
    r: &Row<'_>,
    each: &mut dyn FnMut(i64, Bucket),
) -> rusqlite::Result<()> {
    let (series, bytes) = (r.get(0)?, r.get_ref(2)?);
    let bytes = bytes.as_blob().map_err(rusqlite::Error::from)?;
    unpack(r.get(1)?, bytes, &mut |b| each(series, b)).map_err(damaged)
}
