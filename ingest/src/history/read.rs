//! Questions to the history: each on a thread that may block, with a connection of its own beside the writer's.

use std::sync::PoisonError;

use futures_util::future::BoxFuture;
use harit_engine::{DeviceId, FarmId, Quantity, SensorId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::place::{self, PlacePast, PlaceQuestion};
use super::steps::{self, Span};
use super::store::HistoryStore;
use super::{
    EventFilter, Found, History, HistoryError, MAX_POINTS, Rollup, StoredEvent, StoredReport,
};
use crate::command::{CommandFilter, MAX_LISTED};
use crate::dead_letter::DeadLetter;
use crate::log::{LogFilter, LogPage, page, store as log};
use harit_farm::CommandLife;

impl HistoryStore {
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, HistoryError> + Send + 'static,
    ) -> Result<T, HistoryError> {
        let reader = self.reader.clone();
        self.blocking(move || question(&reader.lock().unwrap_or_else(PoisonError::into_inner)))
            .await?
    }

    pub(crate) async fn command(
        &self,
        farm: FarmId,
        command_id: String,
    ) -> Result<Option<CommandLife>, HistoryError> {
        self.barrier().await;
        self.ask(move |db| {
            let body: Option<String> = db
                .query_row(
                    "SELECT body FROM command WHERE farm = ?1 AND command_id = ?2",
                    params![farm.as_str(), command_id],
                    |r| r.get(0),
                )
                .optional()
                .map_err(HistoryError::Store)?;
            Ok(body.and_then(|b| serde_json::from_str(&b).ok()))
        })
        .await
    }

    pub(crate) async fn commands(
        &self,
        farm: FarmId,
        f: CommandFilter,
    ) -> Result<Found<CommandLife>, HistoryError> {
        let incomplete = !self.barrier().await;
        self.ask(move |db| {
            let mut statement = db
                .prepare_cached(
                    "SELECT body FROM command WHERE farm = ?1 AND (?2 IS NULL OR device = ?2) AND (?3 IS NULL OR state = ?3) \
                     AND (?4 IS NULL OR at >= ?4) AND (?5 IS NULL OR at < ?5) ORDER BY n DESC LIMIT ?6",
                )
                .map_err(HistoryError::Store)?;
            let rows = statement
                .query_map(
                    params![
                        farm.as_str(),
                        f.device.as_ref().map(DeviceId::as_str),
                        f.state.map(harit_farm::CommandState::as_str),
                        f.from.map(Timestamp::as_millis),
                        f.to.map(Timestamp::as_millis),
                        limit(f.limit)
                    ],
                    |r| r.get::<_, String>(0),
                )
                .map_err(HistoryError::Store)?;
            let mut all = Vec::new();
            for body in rows {
                if let Ok(life) = serde_json::from_str(&body.map_err(HistoryError::Store)?) {
                    all.push(life);
                }
            }
            Ok(Found {
                items: all,
                incomplete,
            })
        })
        .await
    }

    /// A page of a farm's log.
    pub(crate) async fn log(&self, farm: FarmId, f: LogFilter) -> Result<LogPage, HistoryError> {
        let incomplete = !self.barrier().await;
        let page = self.ask_log(move |db| page::page(db, &farm, &f)).await?;
        Ok(LogPage { incomplete, ..page })
    }

    /// How far a source of a farm's log was read.
    pub(crate) async fn log_position(
        &self,
        farm: FarmId,
        source: &'static str,
    ) -> Result<i64, HistoryError> {
        self.barrier().await;
        self.ask_log(move |db| log::position(db, &farm, source))
            .await
    }

    async fn ask_log<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, HistoryError> {
        let reader = self.log_reader.clone();
        let answer = self
            .blocking(move || question(&mut reader.lock().unwrap_or_else(PoisonError::into_inner)));
        answer.await?.map_err(HistoryError::Store)
    }

    pub(crate) async fn dead_letters(
        &self,
        farm: FarmId,
        n: usize,
    ) -> Result<Vec<DeadLetter>, HistoryError> {
        self.barrier().await;
        self.ask(move |db| {
            let mut statement = db
                .prepare_cached("SELECT topic, reason, payload, count, first_at, last_at FROM dead_letter WHERE farm = ?1 ORDER BY last_at DESC, topic LIMIT ?2")
                .map_err(HistoryError::Store)?;
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
            rows.and_then(Iterator::collect).map_err(HistoryError::Store)
        })
        .await
    }
}

impl History for HistoryStore {
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
            let points = span.minutes() / span.step;
            if points > i64::try_from(MAX_POINTS).unwrap_or(i64::MAX) {
                return Err(HistoryError::TooMany { points });
            }
            self.ask(move |db| rollups(db, &farm, &sensor, span).map_err(HistoryError::Store))
                .await
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
            let reader = self.place_reader.clone();
            let answer = self.blocking(move || {
                let db = reader.lock().unwrap_or_else(PoisonError::into_inner);
                place::past(&db, &farm, &question)
            });
            answer.await?.map_err(HistoryError::Store)
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
            self.ask(move |db| reports(db, &farm, &device, from, to).map_err(HistoryError::Store))
                .await
        })
    }

    fn events<'a>(
        &'a self,
        farm: &'a FarmId,
        filter: EventFilter,
    ) -> BoxFuture<'a, Result<Vec<StoredEvent>, HistoryError>> {
        let farm = farm.clone();
        Box::pin(async move {
            self.ask(move |db| events(db, &farm, &filter).map_err(HistoryError::Store))
                .await
        })
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
                    .prepare_cached("SELECT id, at, event, body FROM event WHERE farm = ?1 AND id > ?2 ORDER BY id LIMIT ?3")
                    .map_err(HistoryError::Store)?;
                let rows = statement.query_map(params![farm.as_str(), after, limit(n)], stored);
                rows.and_then(Iterator::collect).map_err(HistoryError::Store)
            })
            .await
        })
    }

    fn last_event(&self) -> BoxFuture<'_, Result<i64, HistoryError>> {
        Box::pin(self.ask(|db| {
            db.query_row("SELECT coalesce(max(id), 0) FROM event", [], |r| r.get(0))
                .map_err(HistoryError::Store)
        }))
    }
}

fn rollups(
    db: &Connection,
    farm: &FarmId,
    sensor: &SensorId,
    span: Span,
) -> rusqlite::Result<Vec<Rollup>> {
    let mut all = Vec::new();
    if let Some(series) = steps::series(db, farm, sensor)? {
        steps::steps(db, series, span, &mut |step| all.push(step.rollup()))?;
    }
    Ok(all)
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

fn limit(n: usize) -> i64 {
    let n = if n == 0 {
        MAX_LISTED
    } else {
        n.min(MAX_LISTED)
    };
    i64::try_from(n).unwrap_or(i64::MAX)
}
