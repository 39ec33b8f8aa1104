//! Questions to the file: each on a thread that may block, with a connection of its own beside the writer's.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use harit_engine::{DeviceId, FarmId, Quantity, SensorId, Timestamp};
use harit_farm::CommandLife;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use tokio::sync::Semaphore;

use super::steps;
use crate::command::{CommandFilter, MAX_LISTED};
use crate::dead_letter::DeadLetter;
use crate::history::place::{self, PlacePast, PlaceQuestion};
use crate::history::seam::Reads;
use crate::history::steps::Span;
use crate::history::{
    EventFilter, History, HistoryError, READ_WAIT, READS, Rollup, StoredEvent, StoredReport, limit,
};
use crate::log::{LogFilter, LogPage, page, store as log};

/// Connections that only read, each opened when it is needed, and again after an error: the file may have been put in its place
/// meanwhile.
pub(in crate::history) struct SqliteReads {
    path: PathBuf,
    reader: Reader,
    /// Counting a long log must not hold up a chart.
    log_reader: Reader,
    /// Nor must the past of a large place.
    place_reader: Reader,
    /// How many questions may be at work at once; each blocks a thread.
    reads: Arc<Semaphore>,
}

type Reader = Arc<Mutex<Option<Connection>>>;

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(Duration::from_secs(5))?;
    Ok(db)
}

impl SqliteReads {
    /// Reads that file, once there is something to read.
    pub(in crate::history) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            reader: Reader::default(),
            log_reader: Reader::default(),
            place_reader: Reader::default(),
            reads: Arc::new(Semaphore::new(READS)),
        }
    }

    /// Does something that may block, on one of the few threads that the history has for it.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HistoryError> {
        let waiting = tokio::time::timeout(READ_WAIT, self.reads.clone().acquire_owned());
        let permit = waiting.await.map_err(|_| HistoryError::Busy)?;
        let permit = permit.map_err(|_| HistoryError::Closed)?;
        let answer = tokio::task::spawn_blocking(move || {
            // Whoever stopped waiting leaves the thread at work: it counts until it is done.
            let _permit = permit;
            work()
        });
        let answer = tokio::time::timeout(READ_WAIT, answer).await;
        answer
            .map_err(|_| HistoryError::Busy)?
            .map_err(|_| HistoryError::Closed)
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, HistoryError> {
        self.ask_of(&self.reader, question).await
    }

    async fn ask_of<T: Send + 'static, E: Into<HistoryError>>(
        &self,
        reader: &Reader,
        question: impl FnOnce(&mut Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, HistoryError> {
        let (reader, path) = (reader.clone(), self.path.clone());
        let answer = self.blocking(move || {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            let mut db = match reader.take() {
                Some(db) => db,
                None => open(&path)?,
            };
            let answer = question(&mut db).map_err(Into::into)?;
            *reader = Some(db);
            Ok(answer)
        });
        answer.await?
    }
}

impl From<rusqlite::Error> for HistoryError {
    fn from(e: rusqlite::Error) -> Self {
        Self::Store(e.into())
    }
}

impl Reads for SqliteReads {
    fn command<'a>(
        &'a self,
        farm: &'a FarmId,
        command_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<CommandLife>, HistoryError>> {
        let (farm, command_id) = (farm.clone(), command_id.to_owned());
        Box::pin(self.ask(move |db| {
            let body: Option<String> = db
                .query_row(
                    "SELECT body FROM command WHERE farm = ?1 AND command_id = ?2",
                    params![farm.as_str(), command_id],
                    |r| r.get(0),
                )
                .optional()?;
            Ok(body.and_then(|b| serde_json::from_str(&b).ok()))
        }))
    }

    fn commands<'a>(
        &'a self,
        farm: &'a FarmId,
        filter: CommandFilter,
    ) -> BoxFuture<'a, Result<Vec<CommandLife>, HistoryError>> {
        let farm = farm.clone();
        Box::pin(self.ask(move |db| commands(db, &farm, &filter)))
    }

    fn log<'a>(
        &'a self,
        farm: &'a FarmId,
        filter: LogFilter,
    ) -> BoxFuture<'a, Result<LogPage, HistoryError>> {
        let farm = farm.clone();
        Box::pin(self.ask_of(&self.log_reader, move |db| page::page(db, &farm, &filter)))
    }

    fn log_position<'a>(
        &'a self,
        farm: &'a FarmId,
        source: &'static str,
    ) -> BoxFuture<'a, Result<i64, HistoryError>> {
        let farm = farm.clone();
        Box::pin(self.ask_of(&self.log_reader, move |db| log::position(db, &farm, source)))
    }

    fn dead_letters<'a>(
        &'a self,
        farm: &'a FarmId,
        n: usize,
    ) -> BoxFuture<'a, Result<Vec<DeadLetter>, HistoryError>> {
        let farm = farm.clone();
        Box::pin(self.ask(move |db| dead_letters(db, &farm, n)))
    }
}

impl History for SqliteReads {
    fn rollups<'a>(
        &'a self,
        farm: &'a FarmId,
        sensor: &'a SensorId,
        from: Timestamp,
        to: Timestamp,
        step_sec: u32,
    ) -> BoxFuture<'a, Result<Vec<Rollup>, HistoryError>> {
        let (farm, sensor) = (farm.clone(), sensor.clone());
        Box::pin(async move {
            let span = Span::new(from, to, step_sec);
            span.check()?;
            self.ask(move |db| rollups(db, &farm, &sensor, span)).await
        })
    }

    fn place<'a>(
        &'a self,
        farm: &'a FarmId,
        question: PlaceQuestion,
    ) -> BoxFuture<'a, Result<PlacePast, HistoryError>> {
        let farm = farm.clone();
        Box::pin(async move {
            place::check(&question)?;
            self.ask_of(&self.place_reader, move |db| past(db, &farm, &question))
                .await
        })
    }

    fn reports<'a>(
        &'a self,
        farm: &'a FarmId,
        device: &'a DeviceId,
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<StoredReport>, HistoryError>> {
        let (farm, device) = (farm.clone(), device.clone());
        Box::pin(async move {
            self.ask(move |db| reports(db, &farm, &device, from, to))
                .await
        })
    }

    fn events<'a>(
        &'a self,
        farm: &'a FarmId,
        filter: EventFilter,
    ) -> BoxFuture<'a, Result<Vec<StoredEvent>, HistoryError>> {
        let farm = farm.clone();
        Box::pin(async move { self.ask(move |db| events(db, &farm, &filter)).await })
    }

    fn events_after<'a>(
        &'a self,
        farm: &'a FarmId,
        after: i64,
        n: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredEvent>, HistoryError>> {
        let farm = farm.clone();
        Box::pin(async move {
            self.ask(move |db| {
                let mut statement = db
                    .prepare_cached("SELECT id, at, event, body FROM event WHERE farm = ?1 AND id > ?2 ORDER BY id LIMIT ?3")?;
                let rows = statement.query_map(params![farm.as_str(), after, limit(n)], stored);
                rows.and_then(Iterator::collect)
            })
            .await
        })
    }

    fn last_event(&self) -> BoxFuture<'_, Result<i64, HistoryError>> {
        Box::pin(
            self.ask(|db| db.query_row("SELECT coalesce(max(id), 0) FROM event", [], |r| r.get(0))),
        )
    }
}

fn commands(
    db: &Connection,
    farm: &FarmId,
    f: &CommandFilter,
) -> rusqlite::Result<Vec<CommandLife>> {
    let mut statement = db.prepare_cached(
        "SELECT body FROM command WHERE farm = ?1 AND (?2 IS NULL OR device = ?2) AND (?3 IS NULL OR state = ?3) \
         AND (?4 IS NULL OR at >= ?4) AND (?5 IS NULL OR at < ?5) ORDER BY n DESC LIMIT ?6",
    )?;
    let rows = statement.query_map(
        params![
            farm.as_str(),
            f.device.as_ref().map(DeviceId::as_str),
            f.state.map(harit_farm::CommandState::as_str),
            f.from.map(Timestamp::as_millis),
            f.to.map(Timestamp::as_millis),
            limit(f.limit)
        ],
        |r| r.get::<_, String>(0),
    )?;
    let mut all = Vec::new();
    for body in rows {
        all.extend(serde_json::from_str(&body?).ok());
    }
    Ok(all)
}

fn dead_letters(db: &Connection, farm: &FarmId, n: usize) -> rusqlite::Result<Vec<DeadLetter>> {
    let mut statement = db.prepare_cached(
        "SELECT topic, reason, payload, count, first_at, last_at FROM dead_letter WHERE farm = ?1 ORDER BY last_at DESC, topic, reason LIMIT ?2",
    )?;
    let rows = statement.query_map(params![farm.as_str(), limit(n)], |r| {
        Ok(DeadLetter {
            farm: farm.clone(),
            topic: r.get(0)?,
            reason: r.get(1)?,
            payload: r.get(2)?,
            count: r.get::<_, i64>(3)?.unsigned_abs(),
            first_at: Timestamp::from_millis(r.get(4)?),
            last_at: Timestamp::from_millis(r.get(5)?),
        })
    });
    rows.and_then(Iterator::collect)
}

fn rollups(
    db: &mut Connection,
    farm: &FarmId,
    sensor: &SensorId,
    span: Span,
) -> rusqlite::Result<Vec<Rollup>> {
    let db = db.transaction()?;
    let mut all = Vec::new();
    if let Some(series) = steps::series(&db, farm, sensor)? {
        steps::steps(&db, series, span, &mut |step| all.push(step.rollup()))?;
    }
    Ok(all)
}

/// All of one moment: what is written meanwhile is in none of the sensors.
fn past(
    db: &mut Connection,
    farm: &FarmId,
    question: &PlaceQuestion,
) -> rusqlite::Result<PlacePast> {
    let db = db.transaction()?;
    let span = place::span(question);
    let mut joined = place::Joined::new(question);
    for (sensor, _) in &question.sensors {
        let series = steps::series(&db, farm, sensor)?;
        joined.add(|each| match series {
            Some(series) => steps::steps(&db, series, span, each),
            None => Ok(()),
        })?;
    }
    Ok(joined.past())
}

/// What a device reported on [from, to), oldest first, and what it had reported last before.
fn reports(
    db: &Connection,
    farm: &FarmId,
    device: &DeviceId,
    from: Timestamp,
    to: Timestamp,
) -> rusqlite::Result<Vec<StoredReport>> {
    let report = |r: &rusqlite::Row<'_>| {
        let value: Option<i64> = r.get(2)?;
        Ok(StoredReport {
            at: Timestamp::from_millis(r.get(0)?),
            on: r.get(1)?,
            value: value.map(Quantity::from_micro),
        })
    };
    let (farm, device) = (farm.as_str(), device.as_str());
    let before = db
        .prepare_cached("SELECT at, is_on, value FROM reported WHERE farm = ?1 AND device = ?2 AND at < ?3 ORDER BY at DESC LIMIT 1")?
        .query_row(params![farm, device, from.as_millis()], report)
        .optional()?;
    // the newest are kept where there are too many
    let mut all: Vec<StoredReport> = db
        .prepare_cached("SELECT at, is_on, value FROM reported WHERE farm = ?1 AND device = ?2 AND at >= ?3 AND at < ?4 ORDER BY at DESC LIMIT ?5")?
        .query_map(
            params![farm, device, from.as_millis(), to.as_millis(), limit(MAX_LISTED)],
            report,
        )?
        .collect::<Result<_, _>>()?;
    if all.len() < MAX_LISTED {
        all.extend(before);
    }
    all.reverse();
    Ok(all)
}

fn events(db: &Connection, farm: &FarmId, f: &EventFilter) -> rusqlite::Result<Vec<StoredEvent>> {
    let names = serde_json::to_string(&f.events).unwrap_or_else(|_| "[]".to_owned());
    let mut statement = db.prepare_cached(
        "SELECT id, at, event, body FROM event WHERE farm = ?1 AND (?2 IS NULL OR id < ?2) AND (?3 IS NULL OR at >= ?3) AND (?4 IS NULL OR at < ?4) \
         AND (?5 = '[]' OR event IN (SELECT value FROM json_each(?5))) ORDER BY id DESC LIMIT ?6",
    )?;
    let rows = statement.query_map(
        params![
            farm.as_str(),
            f.before,
            f.from.map(Timestamp::as_millis),
            f.to.map(Timestamp::as_millis),
            names,
            limit(f.limit)
        ],
        stored,
    )?;
    rows.collect()
}

fn stored(r: &rusqlite::Row<'_>) -> rusqlite::Result<StoredEvent> {
    Ok(StoredEvent {
        id: r.get(0)?,
        at: Timestamp::from_millis(r.get(1)?),
        event: r.get(2)?,
        body: serde_json::from_str(&r.get::<_, String>(3)?).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{DAY_TABLES, HOUR_TABLES, MINUTE_TABLES, TABLES};
    use super::*;
    use crate::history::place::PlacePoint;
    use crate::history::place::tests::ask;
    use crate::history::rollup::MINUTE_MS;

    const FARM: &str = "farm";

    /// A store with minutes of sensors: (sensor, minute, readings).
    fn store(minutes: &[(&str, i64, &[i64])]) -> Connection {
        let db = Connection::open_in_memory().expect("a store");
        db.execute_batch(&[TABLES, HOUR_TABLES, DAY_TABLES, MINUTE_TABLES].join(" "))
            .expect("tables");
        for (sensor, minute, readings) in minutes {
            let (farm, sensor) = sensor.split_once('/').unwrap_or((FARM, sensor));
            db.execute(
                "INSERT OR IGNORE INTO series (farm, sensor) VALUES (?1, ?2)",
                [farm, sensor],
            )
            .expect("a series");
            let sum: i64 = readings.iter().sum();
            let (min, max) = (readings.iter().min(), readings.iter().max());
            db.execute(
                "INSERT INTO recent (series, minute, count, sum, min, max, last, last_at) \
                 SELECT id, ?3, ?4, ?5, ?6, ?7, ?8, ?3 * 60000 + 1 FROM series WHERE farm = ?1 AND sensor = ?2",
                rusqlite::params![farm, sensor, minute, i64::try_from(readings.len()).expect("few"), sum, min, max, readings.last()],
            )
            .expect("a minute");
        }
        db
    }

    #[test]
    fn a_place_is_the_mean_of_its_sensors_step_by_step() {
        let mut db = store(&[
            // Reports often, and so counts no more than the other.
            ("t1", 0, &[10, 20, 30]),
            ("t1", 1, &[40]),
            ("t2", 1, &[100]),
            ("t2", 6, &[7]),
            ("ph", 6, &[-3]),
            ("other/t1", 0, &[9_999]),
            ("t2", 10, &[5_000]),
        ]);
        let question = ask(
            &[("t2", 1), ("ph", 0), ("t1", 1), ("none", 1)],
            10,
            120,
            true,
        );
        let past = past(&mut db, &FARM.into(), &question).expect("an answer");
        let points: Vec<Vec<_>> = (past.groups.iter())
            .map(|points| {
                let of = |p: &PlacePoint| {
                    let micro = [p.mean, p.min, p.max].map(Quantity::as_micro);
                    (p.at.as_millis() / MINUTE_MS, p.sensors, micro)
                };
                points.iter().map(of).collect()
            })
            .collect();
        assert_eq!(
            points,
            [
                vec![(6, 1, [-3, -3, -3])],
                // t1: 100 over 4 readings; t2: 100
                vec![(0, 2, [63, 10, 100]), (6, 1, [7, 7, 7])],
            ]
        );
        let sensors: Vec<_> = (past.sensors.iter())
            .map(|s| {
                (
                    s.count,
                    s.mean.as_micro(),
                    s.min.as_micro(),
                    s.max.as_micro(),
                    s.steps.len(),
                )
            })
            .collect();
        assert_eq!(
            sensors,
            [
                (2, 54, 7, 100, 2),
                (1, -3, -3, -3, 1),
                (4, 25, 10, 40, 1),
                (0, 0, 0, 0, 0)
            ]
        );
        let none = super::past(&mut db, &"nobody".into(), &question).expect("an answer");
        assert_eq!(none.groups, [vec![], vec![]]);
    }
}
