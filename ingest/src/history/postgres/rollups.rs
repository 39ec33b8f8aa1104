//! Minutes, hours that are made of them, and both made anew.

use std::collections::{BTreeMap, HashMap};

use harit_engine::{FarmId, SensorId};
use sqlx::PgConnection;
use tokio::runtime::Runtime;

use super::write::{ROWS, text};
use super::{Known, PostgresUrl, prepare, runtime};
use crate::history::rebuild::{Anew, LastBatches};
use crate::history::rollup::{Bucket, HOUR_MINUTES, HOUR_MS, MINUTE_MS, RollupRow, hours_due};
use crate::history::seam::StoreError;
use crate::history::told::MAX_SERIES_CACHED;

/// Adds what is of the same series and time to what is there.
macro_rules! upsert {
    ($table:literal) => {
        concat!(
            "INSERT INTO ", $table, " AS t SELECT * FROM UNNEST($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], \
             $7::bigint[], $8::bigint[]) ON CONFLICT (series, ", $table, ") DO UPDATE SET count = t.count + excluded.count, \
             sum = t.sum + excluded.sum, min = least(t.min, excluded.min), max = greatest(t.max, excluded.max), \
             last = CASE WHEN excluded.last_at >= t.last_at THEN excluded.last ELSE t.last END, last_at = greatest(t.last_at, excluded.last_at)"
        )
    };
}

const MINUTES: &str = upsert!("minute");
const HOURS: &str = upsert!("hour");

/// Adds minutes to what is there; to their hours too, where those are made.
pub(super) async fn write(
    c: &mut PgConnection,
    known: &mut Known,
    rows: &[RollupRow],
) -> Result<(), StoreError> {
    for rows in rows.chunks(ROWS) {
        let series = number(c, &mut known.series, rows).await?;
        let (mut minutes, mut hours) = (BTreeMap::new(), BTreeMap::new());
        for (row, series) in rows.iter().zip(series) {
            let b = &row.bucket;
            join(&mut minutes, (series, b.minute), b);
            let hour = b.minute.div_euclid(HOUR_MINUTES);
            if hour < known.rolled {
                join(&mut hours, (series, hour), b);
            }
        }
        put(c, MINUTES, &minutes).await?;
        put(c, HOURS, &hours).await?;
    }
    Ok(())
}

type Buckets = BTreeMap<(i64, i64), Bucket>;

fn join(all: &mut Buckets, key: (i64, i64), bucket: &Bucket) {
    all.entry(key)
        .and_modify(|b| b.join(bucket))
        .or_insert(*bucket);
}

async fn put(c: &mut PgConnection, sql: &'static str, rows: &Buckets) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let column = |of: fn(&Bucket) -> i64| rows.values().map(of).collect::<Vec<i64>>();
    sqlx::query(sql)
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

/// The hour before which all hours are there; the lowest number where none is.
pub(super) async fn rolled(c: &mut PgConnection) -> Result<i64, sqlx::Error> {
    let hour = sqlx::query_scalar("SELECT hour FROM rolled")
        .fetch_optional(c)
        .await?;
    Ok(hour.unwrap_or(i64::MIN))
}

async fn roll_to(c: &mut PgConnection, hour: i64) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO rolled (hour) VALUES ($1) ON CONFLICT (only_one) DO UPDATE SET hour = excluded.hour")
        .bind(hour)
        .execute(c)
        .await?;
    Ok(())
}

/// Makes some of the hours that are over by `now`, an hour's number, and returns up to where they are there.
pub(super) async fn roll_up(
    c: &mut PgConnection,
    rolled: i64,
    now: i64,
) -> Result<i64, StoreError> {
    let series: i64 = sqlx::query_scalar("SELECT count(*) FROM series")
        .fetch_one(&mut *c)
        .await?;
    // Where a past has a gap, or an instant that somebody's clock made up, what lies between is passed over.
    let first = sqlx::query_scalar(
        "SELECT min(first) FROM series s CROSS JOIN LATERAL \
         (SELECT min(minute) AS first FROM minute WHERE series = s.id AND minute >= $1) m",
    )
    .bind(rolled.saturating_mul(HOUR_MINUTES))
    .fetch_one(&mut *c)
    .await?;
    let due = hours_due(first, usize::try_from(series).unwrap_or(usize::MAX), now);
    if !due.is_empty() {
        // A minute's values are its own: what was last in an hour is the latest by its own instant.
        sqlx::query(
            "INSERT INTO hour SELECT s.id, m.* FROM series s CROSS JOIN LATERAL (\
             SELECT floor(minute / 60.0)::bigint AS hour, sum(count)::bigint, sum(sum)::bigint, min(min), max(max), \
             (array_agg(last ORDER BY last_at DESC, minute DESC))[1], max(last_at) \
             FROM minute WHERE series = s.id AND minute >= $1 AND minute < $2 GROUP BY 1) m \
             ON CONFLICT (series, hour) DO UPDATE SET count = excluded.count, sum = excluded.sum, min = excluded.min, max = excluded.max, \
             last = excluded.last, last_at = excluded.last_at",
        )
        .bind(due.start * HOUR_MINUTES)
        .bind(due.end * HOUR_MINUTES)
        .execute(&mut *c)
        .await?;
    }
    let to = due.end.max(rolled);
    roll_to(c, to).await?;
    Ok(to)
}

/// Removes minutes from before an instant, and hours from before another, in milliseconds.
pub(super) async fn sweep(
    c: &mut PgConnection,
    before: i64,
    hours_before: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "DELETE FROM minute WHERE (series, minute) IN (SELECT s.id, m.minute FROM series s CROSS JOIN LATERAL \
         (SELECT minute FROM minute WHERE series = s.id AND minute < $1) m)",
    )
    .bind(before.div_euclid(MINUTE_MS))
    .execute(&mut *c)
    .await?;
    sqlx::query(
        "DELETE FROM hour WHERE (series, hour) IN (SELECT s.id, h.hour FROM series s CROSS JOIN LATERAL \
         (SELECT hour FROM hour WHERE series = s.id AND hour < $1) h)",
    )
    .bind(hours_before.div_euclid(HOUR_MS))
    .execute(c)
    .await?;
    Ok(())
}

/// Minutes and hours that are made anew, in one transaction.
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
        known.rolled = known.rolled.min(first);
        runtime.block_on(async {
            sqlx::query("BEGIN").execute(&mut *c).await?;
            for (sql, from) in [
                (
                    "DELETE FROM minute WHERE minute >= $1",
                    first * HOUR_MINUTES,
                ),
                ("DELETE FROM hour WHERE hour >= $1", first),
            ] {
                sqlx::query(sql).bind(from).execute(&mut *c).await?;
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
