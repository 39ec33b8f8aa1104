//! Hours and days, made of what they consist of once they are over.
//!
//! Every one before [`rolled`] is there, and is what its minutes are; what comes late is added to all. So the disk of a farm is told of an
//! hour once, and not with each of its minutes.

use std::ops::Range;

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use super::minutes;
use crate::history::rollup::{Bucket, Level, Rolled};

/// The table of what is made, which its column of numbers is named after.
const fn table(level: Level) -> &'static str {
    match level {
        Level::Minute | Level::Hour => "hour",
        Level::Day => "day",
    }
}

/// The table that says before which number all of a level are there.
const fn mark(level: Level) -> &'static str {
    match level {
        Level::Minute | Level::Hour => "rolled",
        Level::Day => "rolled_day",
    }
}

/// A bucket of a level, from the column of its number on.
pub(super) fn bucket(r: &Row<'_>, at: usize, level: Level) -> rusqlite::Result<Bucket> {
    Ok(Bucket {
        minute: r.get::<_, i64>(at)?.saturating_mul(level.minutes()),
        count: r.get(at + 1)?,
        sum: r.get(at + 2)?,
        min: r.get(at + 3)?,
        max: r.get(at + 4)?,
        last: r.get(at + 5)?,
        last_at: r.get(at + 6)?,
    })
}

/// Gives a series' hours or days from one number to before another, oldest first; by the first minute of each.
pub(super) fn read(
    db: &Connection,
    level: Level,
    series: i64,
    range: &Range<i64>,
    each: &mut dyn FnMut(Bucket),
) -> rusqlite::Result<()> {
    let n = table(level);
    let mut statement = db.prepare_cached(&format!(
        "SELECT {n}, count, sum, min, max, last, last_at FROM {n} WHERE series = ?1 AND {n} >= ?2 AND {n} < ?3 ORDER BY {n}"
    ))?;
    let bucket = |r: &Row<'_>| bucket(r, 0, level);
    for found in statement.query_map(params![series, range.start, range.end], bucket)? {
        each(found?);
    }
    Ok(())
}

/// Adds a bucket to what is there of its time.
pub(super) struct Upsert<'a> {
    level: Level,
    statement: CachedStatement<'a>,
}

impl<'a> Upsert<'a> {
    pub(super) fn new(db: &'a Connection, level: Level) -> rusqlite::Result<Self> {
        let n = table(level);
        let sql = format!(
            "INSERT INTO {n} (series, {n}, count, sum, min, max, last, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
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

/// Puts a bucket in the place of what is there of its time.
pub(super) struct Put<'a>(CachedStatement<'a>);

impl<'a> Put<'a> {
    pub(super) fn new(db: &'a Connection, level: Level) -> rusqlite::Result<Self> {
        let n = table(level);
        let sql = format!(
            "INSERT OR REPLACE INTO {n} (series, {n}, count, sum, min, max, last, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        );
        db.prepare_cached(&sql).map(Self)
    }

    pub(super) fn put(&mut self, series: i64, n: i64, b: &Bucket) -> rusqlite::Result<()> {
        self.0
            .execute([series, n, b.count, b.sum, b.min, b.max, b.last, b.last_at])?;
        Ok(())
    }
}

/// Removes what is of the minutes of an hour or later.
pub(super) fn remove_from(tx: &Connection, hour: i64) -> rusqlite::Result<()> {
    minutes::remove_from(tx, hour)?;
    let minute = hour.saturating_mul(Level::Hour.minutes());
    for level in Level::MADE {
        let n = table(level);
        let sql = format!("DELETE FROM {n} WHERE {n} >= ?1");
        tx.execute(&sql, [level.number(minute)])?;
    }
    Ok(())
}

/// Removes a series' minutes from before one, and its hours and days from before those of another.
pub(super) fn remove_before(
    tx: &Connection,
    series: i64,
    minute: i64,
    of_made: i64,
) -> rusqlite::Result<()> {
    minutes::remove_before(tx, series, minute)?;
    for level in Level::MADE {
        let n = table(level);
        let sql = format!("DELETE FROM {n} WHERE series = ?1 AND {n} < ?2");
        tx.prepare_cached(&sql)?
            .execute([series, level.number(of_made)])?;
    }
    Ok(())
}

/// Up to where hours and days are there.
pub(super) fn rolled(db: &Connection) -> rusqlite::Result<Rolled> {
    let mut rolled = Rolled::default();
    for level in Level::MADE {
        let (mark, n) = (mark(level), table(level));
        let to = db
            .prepare_cached(&format!("SELECT {n} FROM {mark}"))?
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
        let (mark, n) = (mark(level), table(level));
        tx.execute(&format!("DELETE FROM {mark}"), [])?;
        let insert = format!("INSERT INTO {mark} ({n}) VALUES (?1)");
        tx.execute(&insert, [rolled.of(level)])?;
    }
    Ok(())
}

/// Makes some of the hours and days that are over by `now`, an hour's number, and returns up to where they are there. Where a past has a
/// gap, or an instant that somebody's clock made up, what lies between is passed over.
pub(super) fn roll_up(tx: &Connection, mut rolled: Rolled, now: i64) -> rusqlite::Result<Rolled> {
    let series: Vec<i64> = tx
        .prepare_cached("SELECT id FROM series")?
        .query_map([], |r| r.get(0))?
        .collect::<Result<_, _>>()?;
    for level in Level::MADE {
        let (made, over) = (rolled.of(level), rolled.over(level, now));
        if made >= over {
            continue;
        }
        let of_hours = level == Level::Hour;
        let first = match of_hours {
            true => minutes::first(tx, rolled)?,
            false => first_hour(tx, rolled, &series)?,
        };
        let due = level.due(first, series.len(), over);
        if !due.is_empty() {
            match of_hours {
                true => minutes::make_hours(tx, &due)?,
                false => make_days(tx, &series, &due)?,
            }
        }
        rolled.set(level, due.end.max(made));
    }
    roll_to(tx, rolled)?;
    Ok(rolled)
}

/// The first hour that is of no day that is made.
fn first_hour(tx: &Connection, rolled: Rolled, series: &[i64]) -> rusqlite::Result<Option<i64>> {
    let mut oldest =
        tx.prepare_cached("SELECT min(hour) FROM hour WHERE series = ?1 AND hour >= ?2")?;
    let after = rolled.day.saturating_mul(Level::Day.parts());
    let mut first: Option<i64> = None;
    for s in series {
        let hour: Option<i64> = oldest.query_row([*s, after], |r| r.get(0))?;
        first = first.into_iter().chain(hour).min();
    }
    Ok(first)
}

/// Makes days of the hours that they consist of.
fn make_days(tx: &Connection, series: &[i64], due: &Range<i64>) -> rusqlite::Result<()> {
    let mut days = Put::new(tx, Level::Day)?;
    let hours = due.start * Level::Day.parts()..due.end * Level::Day.parts();
    for s in series {
        let mut all: Vec<(i64, Bucket)> = Vec::new();
        read(tx, Level::Hour, *s, &hours, &mut |b| {
            let day = Level::Day.number(b.minute);
            match all.last_mut().filter(|(of, _)| *of == day) {
                Some((_, joined)) => joined.join(&b),
                None => all.push((day, b)),
            }
        })?;
        for (day, joined) in all {
            days.put(*s, day, &joined)?;
        }
    }
    Ok(())
}
