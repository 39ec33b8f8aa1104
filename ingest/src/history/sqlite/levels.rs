//! Hours and days, made of what they consist of once they are over.
//!
//! Every one before [`rolled`] is there, and is what its minutes are; what comes late is added to all. So the disk of a farm is told of an
//! hour once, and not with each of its minutes.

use std::ops::Range;

use rusqlite::{CachedStatement, Connection, OptionalExtension, Transaction, params};

use crate::history::rollup::{Bucket, Level, Rolled};

/// The table of a level, and its column of numbers.
const fn table(level: Level) -> (&'static str, &'static str) {
    match level {
        Level::Minute => ("rollup", "minute"),
        Level::Hour => ("hour", "hour"),
        Level::Day => ("day", "day"),
    }
}

/// The table that says before which number all of a level are there.
const fn mark(level: Level) -> &'static str {
    match level {
        Level::Minute | Level::Hour => "rolled",
        Level::Day => "rolled_day",
    }
}

/// Gives a series' buckets from one number to before another, oldest first. `last` and its instant stand at a row's end: whoever does not
/// ask for them has them not decoded.
pub(super) fn select(
    db: &Connection,
    level: Level,
    with_last: bool,
) -> rusqlite::Result<CachedStatement<'_>> {
    let (table, n) = table(level);
    let last = if with_last { ", last, last_at" } else { "" };
    db.prepare_cached(&format!(
        "SELECT {n}, count, sum, min, max{last} FROM {table} WHERE series = ?1 AND {n} >= ?2 AND {n} < ?3 ORDER BY {n}"
    ))
}

/// Adds a bucket to what is there of its time.
pub(super) struct Upsert<'a> {
    level: Level,
    statement: CachedStatement<'a>,
}

impl<'a> Upsert<'a> {
    pub(super) fn new(db: &'a Connection, level: Level) -> rusqlite::Result<Self> {
        let (table, n) = table(level);
        let sql = format!(
            "INSERT INTO {table} (series, {n}, count, sum, min, max, last, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
             ON CONFLICT (series, {n}) DO UPDATE SET count = count + excluded.count, sum = sum + excluded.sum, min = min(min, excluded.min), \
             max = max(max, excluded.max), last = iif(excluded.last_at >= last_at, excluded.last, last), last_at = max(last_at, excluded.last_at)"
        );
        let statement = db.prepare_cached(&sql)?;
        Ok(Self { level, statement })
    }

    /// Adds it, unless that time is to be made still.
    pub(super) fn add(&mut self, series: i64, rolled: Rolled, b: &Bucket) -> rusqlite::Result<()> {
        let n = self.level.number(b.minute);
        if n < rolled.of(self.level) {
            self.statement
                .execute([series, n, b.count, b.sum, b.min, b.max, b.last, b.last_at])?;
        }
        Ok(())
    }
}

/// Removes a level's from that of a minute on.
pub(super) fn remove_from(tx: &Connection, level: Level, minute: i64) -> rusqlite::Result<()> {
    let (table, n) = table(level);
    let sql = format!("DELETE FROM {table} WHERE {n} >= ?1");
    tx.execute(&sql, [level.number(minute)])?;
    Ok(())
}

/// Removes a series' from before that of a minute.
pub(super) fn remove_before(
    tx: &Connection,
    level: Level,
    series: i64,
    minute: i64,
) -> rusqlite::Result<()> {
    let (table, n) = table(level);
    let sql = format!("DELETE FROM {table} WHERE series = ?1 AND {n} < ?2");
    let mut remove = tx.prepare_cached(&sql)?;
    remove.execute([series, level.number(minute)])?;
    Ok(())
}

/// Up to where hours and days are there.
pub(super) fn rolled(db: &Connection) -> rusqlite::Result<Rolled> {
    let mut rolled = Rolled::default();
    for level in Level::MADE {
        let (_, n) = table(level);
        let to = db
            .prepare_cached(&format!("SELECT {n} FROM {}", mark(level)))?
            .query_row([], |r| r.get(0))
            .optional()?;
        if let Some(to) = to {
            rolled.set(level, to);
        }
    }
    Ok(rolled)
}

/// From now on all up to there are there, or are to be.
pub(super) fn roll_to(tx: &Connection, rolled: Rolled) -> rusqlite::Result<()> {
    for level in Level::MADE {
        let (mark, (_, n)) = (mark(level), table(level));
        tx.execute(&format!("DELETE FROM {mark}"), [])?;
        let insert = format!("INSERT INTO {mark} ({n}) VALUES (?1)");
        tx.execute(&insert, [rolled.of(level)])?;
    }
    Ok(())
}

/// Makes some of the hours and days that are over by `now`, an hour's number, and returns up to where they are there.
pub(super) fn roll_up(
    tx: &Transaction<'_>,
    mut rolled: Rolled,
    now: i64,
) -> rusqlite::Result<Rolled> {
    let series: Vec<i64> = tx
        .prepare_cached("SELECT id FROM series")?
        .query_map([], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    for level in Level::MADE {
        let (made, over) = (rolled.of(level), rolled.over(level, now));
        if made < over {
            let due = level.due(first(tx, level, made, &series)?, series.len(), over);
            if !due.is_empty() {
                for s in &series {
                    make(tx, level, *s, &due)?;
                }
            }
            rolled.set(level, due.end.max(made));
        }
    }
    roll_to(tx, rolled)?;
    Ok(rolled)
}

/// The first of the level below that is in none of those that are there. Where a past has a gap, or an instant that somebody's clock made up,
/// what lies between is passed over.
fn first(
    tx: &Connection,
    level: Level,
    made: i64,
    series: &[i64],
) -> rusqlite::Result<Option<i64>> {
    let (table, n) = table(level.below());
    let sql = format!("SELECT min({n}) FROM {table} WHERE series = ?1 AND {n} >= ?2");
    let mut oldest = tx.prepare_cached(&sql)?;
    let after = made.saturating_mul(level.parts());
    let mut first: Option<i64> = None;
    for s in series {
        let n: Option<i64> = oldest.query_row([*s, after], |r| r.get(0))?;
        first = first.into_iter().chain(n).min();
    }
    Ok(first)
}

/// Makes a series' of what they consist of.
fn make(tx: &Connection, level: Level, series: i64, due: &Range<i64>) -> rusqlite::Result<()> {
    let (table, n) = table(level);
    let put = format!(
        "INSERT OR REPLACE INTO {table} (series, {n}, count, sum, min, max, last, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    );
    let mut put = tx.prepare_cached(&put)?;
    let mut put = |n: i64, b: &Bucket| {
        put.execute([series, n, b.count, b.sum, b.min, b.max, b.last, b.last_at])
    };
    let parts = level.parts();
    let mut below = select(tx, level.below(), true)?;
    let mut rows = below.query(params![series, due.start * parts, due.end * parts])?;
    let mut open: Option<(i64, Bucket)> = None;
    while let Some(row) = rows.next()? {
        let part: i64 = row.get(0)?;
        let bucket = Bucket {
            minute: part.saturating_mul(level.below().minutes()),
            count: row.get(1)?,
            sum: row.get(2)?,
            min: row.get(3)?,
            max: row.get(4)?,
            last: row.get(5)?,
            last_at: row.get(6)?,
        };
        let n = part.div_euclid(parts);
        match open.as_mut().filter(|(of, _)| *of == n) {
            Some((_, sum)) => sum.join(&bucket),
            None => {
                if let Some((of, done)) = open.replace((n, bucket)) {
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
