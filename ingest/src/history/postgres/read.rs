//! Questions to the database: on connections of their own beside the writer's, each answered from one moment.

use futures_util::TryStreamExt as _;
use futures_util::future::BoxFuture;
use harit_engine::{DeviceId, FarmId, Quantity, SensorId, Timestamp};
use harit_farm::{CommandLife, CommandState};
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, PgConnection, Postgres, Transaction};

use super::write::text;
use super::{PostgresUrl, SCHEMA, log, page, rollups};
use crate::command::{CommandFilter, MAX_LISTED};
use crate::dead_letter::DeadLetter;
use crate::history::place::{self, Joined, PlacePast, PlaceQuestion};
use crate::history::rollup::Rolled;
use crate::history::seam::Reads;
use crate::history::steps::{Joining, Span, Step};
use crate::history::{
    EventFilter, History, HistoryError, READ_WAIT, READS, Rollup, StoredEvent, StoredReport, limit,
};
use crate::log::{LogFilter, LogPage};

/// How long a question waits for a connection: where the database is away it says so soon.
const AWAY_WAIT: std::time::Duration = std::time::Duration::from_secs(3);

/// Connections that only read.
pub(in crate::history) struct PostgresReads(PgPool);

type Answer<'a, T> = BoxFuture<'a, Result<T, HistoryError>>;

impl From<sqlx::Error> for HistoryError {
    fn from(e: sqlx::Error) -> Self {
        match e {
            sqlx::Error::PoolTimedOut => Self::Busy,
            e => Self::Store(e.into()),
        }
    }
}

impl PostgresReads {
    /// Connects when somebody asks.
    pub(in crate::history) fn new(url: &PostgresUrl) -> Self {
        let wait = READ_WAIT.as_millis().to_string();
        let options = url.options(SCHEMA).options([
            ("statement_timeout", wait.as_str()),
            // What a filter leaves out is no part of the plan.
            ("plan_cache_mode", "force_custom_plan"),
        ]);
        let pool = PgPoolOptions::new()
            .max_connections(u32::try_from(READS).unwrap_or(u32::MAX))
            .acquire_timeout(AWAY_WAIT)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_lazy_with(options);
        Self(pool)
    }

    /// A connection that sees one moment. Dropped, it is given back.
    async fn moment(&self) -> Result<Transaction<'static, Postgres>, HistoryError> {
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        Ok(self.0.begin_with(begin).await?)
    }
}

/// An answer, in time.
async fn soon<T>(answer: impl Future<Output = Result<T, HistoryError>>) -> Result<T, HistoryError> {
    let in_time = tokio::time::timeout(READ_WAIT, answer).await;
    in_time.map_err(|_| HistoryError::Busy)?
}

impl Reads for PostgresReads {
    fn command<'a>(
        &'a self,
        farm: &'a FarmId,
        command_id: &'a str,
    ) -> Answer<'a, Option<CommandLife>> {
        Box::pin(soon(async move {
            let c = &mut *self.moment().await?;
            let sql = "SELECT body FROM command WHERE farm = $1 AND command_id = $2";
            let body: Option<String> = sqlx::query_scalar(sql)
                .bind(text(farm.as_str()))
                .bind(text(command_id))
                .fetch_optional(c)
                .await?;
            Ok(body.and_then(|b| serde_json::from_str(&b).ok()))
        }))
    }

    fn commands<'a>(&'a self, farm: &'a FarmId, f: CommandFilter) -> Answer<'a, Vec<CommandLife>> {
        Box::pin(soon(async move {
            let c = &mut *self.moment().await?;
            let bodies: Vec<String> = sqlx::query_scalar(
                "SELECT body FROM command WHERE farm = $1 AND ($2::text IS NULL OR device = $2) AND ($3::text IS NULL OR state = $3) \
                 AND ($4::bigint IS NULL OR at >= $4) AND ($5::bigint IS NULL OR at < $5) ORDER BY n DESC LIMIT $6",
            )
            .bind(text(farm.as_str()))
            .bind(f.device.as_ref().map(|d| text(d.as_str())))
            .bind(f.state.map(CommandState::as_str))
            .bind(f.from.map(Timestamp::as_millis))
            .bind(f.to.map(Timestamp::as_millis))
            .bind(limit(f.limit))
            .fetch_all(c)
            .await?;
            let read = |b: &String| serde_json::from_str(b).ok();
            Ok(bodies.iter().filter_map(read).collect())
        }))
    }

    fn log<'a>(&'a self, farm: &'a FarmId, filter: LogFilter) -> Answer<'a, LogPage> {
        Box::pin(soon(async move {
            let c = &mut *self.moment().await?;
            Ok(page::page(c, farm, &filter).await?)
        }))
    }

    fn log_position<'a>(&'a self, farm: &'a FarmId, source: &'static str) -> Answer<'a, i64> {
        Box::pin(soon(async move {
            let c = &mut *self.moment().await?;
            Ok(log::position(c, farm, source).await?)
        }))
    }

    fn dead_letters<'a>(&'a self, farm: &'a FarmId, n: usize) -> Answer<'a, Vec<DeadLetter>> {
        Box::pin(soon(async move {
            let c = &mut *self.moment().await?;
            let rows: Vec<(String, String, Vec<u8>, i64, i64, i64)> = sqlx::query_as(
                "SELECT topic, reason, payload, count, first_at, last_at FROM dead_letter WHERE farm = $1 \
                 ORDER BY last_at DESC, topic, reason LIMIT $2",
            )
            .bind(text(farm.as_str()))
            .bind(limit(n))
            .fetch_all(c)
            .await?;
            let letter =
                |(topic, reason, payload, count, first_at, last_at): (_, _, _, i64, _, _)| {
                    DeadLetter {
                        farm: farm.clone(),
                        topic,
                        reason,
                        payload,
                        count: count.unsigned_abs(),
                        first_at: Timestamp::from_millis(first_at),
                        last_at: Timestamp::from_millis(last_at),
                    }
                };
            Ok(rows.into_iter().map(letter).collect())
        }))
    }
}

impl History for PostgresReads {
    fn rollups<'a>(
        &'a self,
        farm: &'a FarmId,
        sensor: &'a SensorId,
        from: Timestamp,
        to: Timestamp,
        step_sec: u32,
    ) -> Answer<'a, Vec<Rollup>> {
        Box::pin(soon(async move {
            let span = Span::new(from, to, step_sec);
            span.check()?;
            let c = &mut *self.moment().await?;
            let rolled = rollups::rolled(c).await?;
            let read = read(c, farm, sensor, (span, rolled)).await?;
            let mut all = Vec::new();
            join(span, read, &mut |step| all.push(step.rollup()));
            Ok(all)
        }))
    }

    fn place<'a>(&'a self, farm: &'a FarmId, question: PlaceQuestion) -> Answer<'a, PlacePast> {
        Box::pin(soon(async move {
            place::check(&question)?;
            let span = place::span(&question);
            let c = &mut *self.moment().await?;
            let rolled = rollups::rolled(c).await?;
            let mut joined = Joined::new(&question);
            for (sensor, _) in &question.sensors {
                let read = read(c, farm, sensor, (span, rolled)).await?;
                joined.add(|each| {
                    join(span, read, each);
                    Ok::<_, HistoryError>(())
                })?;
            }
            Ok(joined.past())
        }))
    }

    fn reports<'a>(
        &'a self,
        farm: &'a FarmId,
        device: &'a DeviceId,
        from: Timestamp,
        to: Timestamp,
    ) -> Answer<'a, Vec<StoredReport>> {
        Box::pin(soon(async move {
            let c = &mut *self.moment().await?;
            Ok(reports(c, farm, device, from, to).await?)
        }))
    }

    fn events<'a>(&'a self, farm: &'a FarmId, f: EventFilter) -> Answer<'a, Vec<StoredEvent>> {
        Box::pin(soon(async move {
            let c = &mut *self.moment().await?;
            let rows: Vec<(i64, i64, String, String)> = sqlx::query_as(
                "SELECT id, at, event, body FROM event WHERE farm = $1 AND ($2::bigint IS NULL OR id < $2) AND ($3::bigint IS NULL OR at >= $3) \
                 AND ($4::bigint IS NULL OR at < $4) AND ($5::text[] = '{}' OR event = ANY($5)) ORDER BY id DESC LIMIT $6",
            )
            .bind(text(farm.as_str()))
            .bind(f.before)
            .bind(f.from.map(Timestamp::as_millis))
            .bind(f.to.map(Timestamp::as_millis))
            .bind(f.events.iter().map(|e| text(e)).collect::<Vec<_>>())
            .bind(limit(f.limit))
            .fetch_all(c)
            .await?;
            Ok(rows.into_iter().map(stored).collect())
        }))
    }

    fn events_after<'a>(
        &'a self,
        farm: &'a FarmId,
        after: i64,
        n: usize,
    ) -> Answer<'a, Vec<StoredEvent>> {
        Box::pin(soon(async move {
            let c = &mut *self.moment().await?;
            let rows: Vec<(i64, i64, String, String)> = sqlx::query_as(
                "SELECT id, at, event, body FROM event WHERE farm = $1 AND id > $2 ORDER BY id LIMIT $3",
            )
            .bind(text(farm.as_str()))
            .bind(after)
            .bind(limit(n))
            .fetch_all(c)
            .await?;
            Ok(rows.into_iter().map(stored).collect())
        }))
    }

    fn last_event(&self) -> Answer<'_, i64> {
        Box::pin(soon(async move {
            let c = &mut *self.moment().await?;
            Ok(sqlx::query_scalar("SELECT coalesce(max(id), 0) FROM event")
                .fetch_one(c)
                .await?)
        }))
    }
}

fn stored((id, at, event, body): (i64, i64, String, String)) -> StoredEvent {
    StoredEvent {
        id,
        at: Timestamp::from_millis(at),
        event,
        body: serde_json::from_str(&body).unwrap_or_default(),
    }
}

/// Joins what was read into steps.
fn join(span: Span, read: Vec<Step>, each: &mut dyn FnMut(Step)) {
    let mut joining = Joining::new(span, each);
    read.into_iter().for_each(|step| joining.add(step));
    joining.end();
}

/// The minutes, hours and days of a sensor in a span, oldest first.
async fn read(
    c: &mut PgConnection,
    farm: &FarmId,
    sensor: &SensorId,
    (span, rolled): (Span, Rolled),
) -> Result<Vec<Step>, sqlx::Error> {
    type Row = (i64, i64, i64, i64, i64, i64, i64);
    let number = "SELECT id FROM series WHERE farm = $1 AND sensor = $2";
    let series: Option<i64> = sqlx::query_scalar(number)
        .bind(text(farm.as_str()))
        .bind(text(sensor.as_str()))
        .fetch_optional(&mut *c)
        .await?;
    let mut all = Vec::new();
    let Some(series) = series else {
        return Ok(all);
    };
    for (level, range) in span.parts(rolled) {
        let n = rollups::table(level);
        let sql = format!(
            "SELECT {n}, count, sum, min, max, last, last_at FROM {n} WHERE series = $1 AND {n} >= $2 AND {n} < $3 ORDER BY {n}"
        );
        let asked = sqlx::query_as(AssertSqlSafe(sql))
            .bind(series)
            .bind(range.start)
            .bind(range.end);
        let mut rows = asked.fetch(&mut *c);
        while let Some(row) = rows.try_next().await? {
            let (at, count, sum, min, max, last, last_at): Row = row;
            all.push(Step {
                at: at.saturating_mul(level.minutes()),
                count: count.unsigned_abs(),
                sum: i128::from(sum),
                min,
                max,
                last,
                last_at,
            });
        }
    }
    Ok(all)
}

/// What a device reported on [from, to), oldest first, and what it had reported last before.
async fn reports(
    c: &mut PgConnection,
    farm: &FarmId,
    device: &DeviceId,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<StoredReport>, sqlx::Error> {
    type Report = (i64, Option<bool>, Option<i64>);
    let before: Option<Report> = sqlx::query_as(
        "SELECT at, is_on, value FROM reported WHERE farm = $1 AND device = $2 AND at < $3 ORDER BY at DESC LIMIT 1",
    )
    .bind(text(farm.as_str()))
    .bind(text(device.as_str()))
    .bind(from.as_millis())
    .fetch_optional(&mut *c)
    .await?;
    // the newest are kept where there are too many
    let mut all: Vec<Report> = sqlx::query_as(
        "SELECT at, is_on, value FROM reported WHERE farm = $1 AND device = $2 AND at >= $3 AND at < $4 ORDER BY at DESC LIMIT $5",
    )
    .bind(text(farm.as_str()))
    .bind(text(device.as_str()))
    .bind(from.as_millis())
    .bind(to.as_millis())
    .bind(limit(MAX_LISTED))
    .fetch_all(c)
    .await?;
    if all.len() < MAX_LISTED {
        all.extend(before);
    }
    let report = |(at, on, value): Report| StoredReport {
        at: Timestamp::from_millis(at),
        on,
        value: value.map(Quantity::from_micro),
    };
    Ok(all.into_iter().rev().map(report).collect())
}
