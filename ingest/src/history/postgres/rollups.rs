//! Minutes, hours and days that are made of them, and all made anew.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use harit_engine::{FarmId, SensorId};
use sqlx::{AssertSqlSafe, PgConnection};
use tokio::runtime::Runtime;

use super::write::{ROWS, text};
use super::{Known, PostgresUrl, prepare, runtime};
use crate::history::rebuild::{Anew, LastBatches};
use crate::history::rollup::{Bucket, HOUR_MINUTES, Level, MINUTE_MS, Rolled, RollupRow};
use crate::history::seam::StoreError;
use crate::history::told::MAX_SERIES_CACHED;

/// The table of a level, which its column of numbers is named after.
pub(super) const fn table(level: Level) -> &'static str {
    match level {
        Level::Minute => "minute",
        Level::Hour => "hour",
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

/// Adds minutes to what is there; to their hours and days too, where those are made.
pub(super) async fn write(
    c: &mut PgConnection,
    known: &mut Known,
    rows: &[RollupRow],
) -> Result<(), StoreError> {
    for rows in rows.chunks(ROWS) {
        let series = number(c, &mut known.series, rows).await?;
        for level in Level::ALL {
            let mut buckets = BTreeMap::new();
            for (row, series) in rows.iter().zip(&series) {
                let n = level.number(row.bucket.minute);
                if n < known.rolled.of(level) {
                    join(&mut buckets, (*series, n), &row.bucket);
                }
            }
            put(c, level, &buckets).await?;
        }
    }
    Ok(())
}

type Buckets = BTreeMap<(i64, i64), Bucket>;

fn join(all: &mut Buckets, key: (i64, i64), bucket: &Bucket) {
    all.entry(key)
        .and_modify(|b| b.join(bucket))
        .or_insert(*bucket);
}

/// Adds what is of the same series and time to what is there.
async fn put(c: &mut PgConnection, level: Level, rows: &Buckets) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let table = table(level);
    let sql = format!(
        "INSERT INTO {table} AS t SELECT * FROM UNNEST($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], \
         $7::bigint[], $8::bigint[]) ON CONFLICT (series, {table}) DO UPDATE SET count = t.count + excluded.count, \
         sum = t.sum + excluded.sum, min = least(t.min, excluded.min), max = greatest(t.max, excluded.max), \
         last = CASE WHEN excluded.last_at >= t.last_at THEN excluded.last ELSE t.last END, last_at = greatest(t.last_at, excluded.last_at)"
    );
    let column = |of: fn(&Bucket) -> i64| rows.values().map(of).collect::<Vec<i64>>();
    sqlx::query(AssertSqlSafe(sql))
        .bind(rows.keys().map(|k| k.0).collect::<Vec<i64>>())
        .bind(rows.keys().map(|k| k.1).collect::<Vec<i64>>())
        .bind(column(|b| b.count))
        .bind(column(|b| b.sum))
        .bind(column(|b| b.min))
        .bind(column(|b| b.max))
        .bind(column(|b| b.last))
        .bind(column(|b| b.last_at))
        .execute(c)
        .await?;
    Ok(())
}

/// The number of each row's series; those that are new get one.
async fn number(
    c: &mut PgConnection,
    known: &mut HashMap<(FarmId, SensorId), i64>,
    rows: &[RollupRow],
) -> Result<Vec<i64>, StoreError> {
    if known.len() > MAX_SERIES_CACHED {
        known.clear();
    }
    let key = |r: &RollupRow| (r.farm.clone(), r.sensor.clone());
    let unknown: Vec<_> = rows
        .iter()
        .map(key)
        .filter(|k| !known.contains_key(k))
        .collect();
    if !unknown.is_empty() {
        let farms: Vec<_> = unknown.iter().map(|(f, _)| text(f.as_str())).collect();
        let sensors: Vec<_> = unknown.iter().map(|(_, s)| text(s.as_str())).collect();
        sqlx::query(
            "INSERT INTO series (farm, sensor) SELECT DISTINCT farm, sensor FROM UNNEST($1::text[], $2::text[]) AS t (farm, sensor) \
             ON CONFLICT DO NOTHING",
        )
        .bind(&farms)
        .bind(&sensors)
        .execute(&mut *c)
        .await?;
        let numbers: Vec<i64> = sqlx::query_scalar(
            "SELECT s.id FROM UNNEST($1::text[], $2::text[]) WITH ORDINALITY AS t (farm, sensor, n) \
             JOIN series s ON s.farm = t.farm AND s.sensor = t.sensor ORDER BY n",
        )
        .bind(&farms)
        .bind(&sensors)
        .fetch_all(&mut *c)
        .await?;
        known.extend(unknown.into_iter().zip(numbers));
    }
    let numbers = rows.iter().map(|r| known.get(&key(r)).copied());
    let all: Option<Vec<i64>> = numbers.collect();
    all.ok_or_else(|| "a series has no number".into())
}

/// Up to where hours and days are there.
pub(super) async fn rolled(c: &mut PgConnection) -> Result<Rolled, sqlx::Error> {
    let (hour, day): (Option<i64>, Option<i64>) =
        sqlx::query_as("SELECT (SELECT hour FROM rolled), (SELECT day FROM rolled_day)")
            .fetch_one(c)
            .await?;
    let none = Rolled::default();
    Ok(Rolled {
        hour: hour.unwrap_or(none.hour),
        day: day.unwrap_or(none.day),
    })
}

/// Says up to where hours and days are there.
pub(super) async fn roll_to(c: &mut PgConnection, rolled: Rolled) -> Result<(), sqlx::Error> {
    for level in Level::MADE {
        let (mark, n) = (mark(level), table(level));
        let sql = format!(
            "INSERT INTO {mark} ({n}) VALUES ($1) ON CONFLICT (only_one) DO UPDATE SET {n} = excluded.{n}"
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(rolled.of(level))
            .execute(&mut *c)
            .await?;
    }
    Ok(())
}

/// Makes some of the hours and days that are over by `now`, an hour's number, and returns up to where they are there.
pub(super) async fn roll_up(
    c: &mut PgConnection,
    mut rolled: Rolled,
    now: i64,
) -> Result<Rolled, StoreError> {
    let series: i64 = sqlx::query_scalar("SELECT count(*) FROM series")
        .fetch_one(&mut *c)
        .await?;
    let series = usize::try_from(series).unwrap_or(usize::MAX);
    for level in Level::MADE {
        let (made, over) = (rolled.of(level), rolled.over(level, now));
        if made < over {
            let due = level.due(first(c, level, made).await?, series, over);
            if !due.is_empty() {
                make(c, level, &due).await?;
            }
            rolled.set(level, due.end.max(made));
        }
    }
    roll_to(c, rolled).await?;
    Ok(rolled)
}

/// The first of the level below that is in none of those that are there. Where a past has a gap, or an instant that somebody's clock made up,
/// what lies between is passed over.
async fn first(c: &mut PgConnection, level: Level, made: i64) -> Result<Option<i64>, sqlx::Error> {
    let below = table(level.below());
    let sql = format!(
        "SELECT min(first) FROM series s CROSS JOIN LATERAL \
         (SELECT min({below}) AS first FROM {below} WHERE series = s.id AND {below} >= $1) m"
    );
    sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(made.saturating_mul(level.parts()))
        .fetch_one(c)
        .await
}

/// Makes those of what they consist of. A bucket's values are its own: what was last in a longer one is the latest by its own instant.
async fn make(c: &mut PgConnection, level: Level, due: &Range<i64>) -> Result<(), sqlx::Error> {
    let (table, below, parts) = (table(level), table(level.below()), level.parts());
    let sql = format!(
        "INSERT INTO {table} SELECT s.id, m.* FROM series s CROSS JOIN LATERAL (\
         SELECT floor({below} / {parts}.0)::bigint, sum(count)::bigint, sum(sum)::bigint, min(min), max(max), \
         (array_agg(last ORDER BY last_at DESC, {below} DESC))[1], max(last_at) \
         FROM {below} WHERE series = s.id AND {below} >= $1 AND {below} < $2 GROUP BY 1) m \
         ON CONFLICT (series, {table}) DO UPDATE SET count = excluded.count, sum = excluded.sum, min = excluded.min, max = excluded.max, \
         last = excluded.last, last_at = excluded.last_at"
    );
    sqlx::query(AssertSqlSafe(sql))
        .bind(due.start * parts)
        .bind(due.end * parts)
        .execute(c)
        .await?;
    Ok(())
}

/// Removes minutes from before an instant, and hours and days from before another, in milliseconds.
pub(super) async fn sweep(
    c: &mut PgConnection,
    before: i64,
    hours_before: i64,
) -> Result<(), sqlx::Error> {
    for level in Level::ALL {
        let before = match level {
            Level::Minute => before,
            Level::Hour | Level::Day => hours_before,
        };
        let table = table(level);
        let sql = format!(
            "DELETE FROM {table} WHERE (series, {table}) IN (SELECT s.id, m.{table} FROM series s CROSS JOIN LATERAL \
             (SELECT {table} FROM {table} WHERE series = s.id AND {table} < $1) m)"
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(level.number(before.div_euclid(MINUTE_MS)))
            .execute(&mut *c)
            .await?;
    }
    Ok(())
}

/// Minutes, hours and days that are made anew, in one transaction.
pub(in crate::history) struct PostgresAnew {
    runtime: Runtime,
    c: PgConnection,
    known: Known,
}

impl PostgresAnew {
    pub(in crate::history) fn open(url: &PostgresUrl) -> Result<Self, StoreError> {
        let runtime = runtime()?;
        let (c, rolled) = runtime.block_on(async {
            let mut c = url.connect().await?;
            // A server that writes meanwhile would be told that it does not any more.
            let (_, rolled) = prepare(&mut c).await?;
            Ok::<_, StoreError>((c, rolled))
        })?;
        Ok(Self {
            runtime,
            c,
            known: Known {
                rolled,
                ..Known::default()
            },
        })
    }
}

impl Anew for PostgresAnew {
    fn watermarks(&mut self) -> Result<LastBatches, StoreError> {
        let rows: Vec<(i64, i64, i64)> = self.runtime.block_on(
            sqlx::query_as("SELECT generation, shard, seq FROM watermark").fetch_all(&mut self.c),
        )?;
        let row = |(generation, shard, seq): (i64, i64, i64)| {
            let shard = usize::try_from(shard).unwrap_or(usize::MAX);
            ((generation.unsigned_abs(), shard), seq.unsigned_abs())
        };
        Ok(rows.into_iter().map(row).collect())
    }

    fn begin(&mut self, first: i64) -> Result<(), StoreError> {
        let Self { runtime, c, known } = self;
        known.rolled = known.rolled.cut(first);
        runtime.block_on(async {
            sqlx::query("BEGIN").execute(&mut *c).await?;
            for level in Level::ALL {
                let table = table(level);
                let sql = format!("DELETE FROM {table} WHERE {table} >= $1");
                sqlx::query(AssertSqlSafe(sql))
                    .bind(level.number(first * HOUR_MINUTES))
                    .execute(&mut *c)
                    .await?;
            }
            roll_to(c, known.rolled).await?;
            Ok(())
        })
    }

    fn add(&mut self, rows: &[RollupRow]) -> Result<(), StoreError> {
        let Self { runtime, c, known } = self;
        runtime.block_on(write(c, known, rows))
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.runtime
            .block_on(sqlx::query("COMMIT").execute(&mut self.c))?;
        Ok(())
    }
}
