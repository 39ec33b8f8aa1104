//! Incidents and what people answered to them. That one began or is over is written with what is told of it
//! ([`FarmRecords::tell`]); an answer is a change like any other.

use std::collections::BTreeMap;

use harit_engine::AlertSeverity;
use sqlx::FromRow;

use super::{FarmRecords, Write, new_id, now_ms};
use crate::incidents::{Answer, AnswerKind, Answerer, IncidentId, MAX_ANSWERS};
use crate::records::sql;

/// The most incidents of a farm, raised ones aside; the oldest go first.
const MAX_INCIDENTS: i64 = 1_000;

/// That an incident began, or is over.
#[derive(Debug, Clone)]
pub(crate) struct IncidentChange {
    pub id: IncidentId,
    /// JSON: what the alert was called and watched.
    pub watch: String,
    /// Since when it is over, and how it ended where its condition did not end it.
    pub over: Option<(i64, Option<&'static str>)>,
}

/// An incident as stored.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct IncidentRow {
    pub alert_id: String,
    pub raised_at: i64,
    /// JSON
    pub watch: String,
    pub over_at: Option<i64>,
    pub ended: Option<String>,
}

/// An answer to be written.
#[derive(Debug, Clone)]
pub(crate) struct NewAnswer<'a> {
    pub kind: AnswerKind,
    pub severity: AlertSeverity,
    pub until: Option<i64>,
    pub note: Option<&'a str>,
    /// By what, other than the console.
    pub way: Option<&'a str>,
    pub by: (&'a str, &'a str),
}

/// An answer was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnswerError {
    #[error("the incident has as many answers as it may have")]
    TooMany,
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
}

#[derive(FromRow)]
struct Row {
    alert_id: String,
    raised_at: i64,
    id: String,
    user_id: Option<String>,
    user_name: String,
    kind: AnswerKind,
    severity: String,
    until: Option<i64>,
    note: Option<String>,
    way: Option<String>,
    at: i64,
}

impl Row {
    fn read(self) -> (IncidentId, Answer) {
        let severity = match self.severity.as_str() {
            "critical" => AlertSeverity::Critical,
            "info" => AlertSeverity::Info,
            _ => AlertSeverity::Warning,
        };
        let answer = Answer {
            id: self.id,
            by: Answerer {
                id: self.user_id,
                name: self.user_name,
            },
            kind: self.kind,
            severity,
            until: self.until,
            note: self.note,
            way: self.way,
            at: self.at,
        };
        (IncidentId::new(self.alert_id, self.raised_at), answer)
    }
}

const fn word(severity: AlertSeverity) -> &'static str {
    match severity {
        AlertSeverity::Critical => "critical",
        AlertSeverity::Warning => "warning",
        AlertSeverity::Info => "info",
    }
}

const INSERT: &str = "INSERT INTO incidents (farm_id, alert_id, raised_at, watch, over_at, ended) \
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (farm_id, alert_id, raised_at) DO UPDATE \
    SET over_at = coalesce(incidents.over_at, excluded.over_at), ended = coalesce(incidents.ended, excluded.ended)";

/// Writes down that incidents began or are over. What is written already stays.
pub(super) async fn note(
    tx: &mut sql::Connection,
    farm: &str,
    changes: &[IncidentChange],
) -> Result<(), sqlx::Error> {
    // an alert is raised once at a time: an end that was never heard of was before the next beginning
    const BEFORE: &str = "UPDATE incidents SET over_at = $3 WHERE farm_id = $1 AND alert_id = $2 AND raised_at < $3 \
                          AND over_at IS NULL";
    const TRIM: &str = "DELETE FROM incidents WHERE farm_id = $1 AND over_at IS NOT NULL AND (alert_id, raised_at) IN \
        (SELECT alert_id, raised_at FROM incidents WHERE farm_id = $1 AND over_at IS NOT NULL \
        ORDER BY raised_at DESC, alert_id LIMIT 9223372036854775807 OFFSET $2)";
    for change in changes {
        let IncidentId { alert, raised_at } = &change.id;
        sql::query(BEFORE)
            .bind(farm)
            .bind(alert)
            .bind(raised_at)
            .execute(&mut *tx)
            .await?;
        sql::query(INSERT)
            .bind(farm)
            .bind(alert)
            .bind(raised_at)
            .bind(&change.watch)
            .bind(change.over.map(|(at, _)| at))
            .bind(change.over.and_then(|(_, ended)| ended))
            .execute(&mut *tx)
            .await?;
    }
    if !changes.is_empty() {
        let trim = sql::query(TRIM).bind(farm).bind(MAX_INCIDENTS);
        trim.execute(tx).await?;
    }
    Ok(())
}

impl FarmRecords {
    /// An incident that is written down.
    pub(crate) async fn incident(
        &self,
        id: &IncidentId,
    ) -> Result<Option<IncidentRow>, sqlx::Error> {
        const ONE: &str = "SELECT alert_id, raised_at, watch, over_at, ended FROM incidents \
                           WHERE farm_id = $1 AND alert_id = $2 AND raised_at = $3";
        sql::query_as(ONE)
            .bind(self.farm())
            .bind(&id.alert)
            .bind(id.raised_at)
            .fetch_optional(&self.db().readers)
            .await
    }

    /// The latest incident of an alert.
    pub(crate) async fn last_incident(
        &self,
        alert: &str,
    ) -> Result<Option<IncidentRow>, sqlx::Error> {
        const LAST: &str = "SELECT alert_id, raised_at, watch, over_at, ended FROM incidents \
                            WHERE farm_id = $1 AND alert_id = $2 ORDER BY raised_at DESC LIMIT 1";
        sql::query_as(LAST)
            .bind(self.farm())
            .bind(alert)
            .fetch_optional(&self.db().readers)
            .await
    }

    /// The incidents that are not over, as far as that was told.
    pub(crate) async fn open_incidents(&self) -> Result<Vec<IncidentId>, sqlx::Error> {
        const OPEN: &str = "SELECT alert_id, raised_at FROM incidents WHERE farm_id = $1 AND over_at IS NULL ORDER BY raised_at";
        let rows: Vec<(String, i64)> = sql::query_as(OPEN)
            .bind(self.farm())
            .fetch_all(&self.db().readers)
            .await?;
        let id = |(alert, raised_at)| IncidentId { alert, raised_at };
        Ok(rows.into_iter().map(id).collect())
    }

    /// What was answered to an incident, oldest first.
    pub(crate) async fn answers(&self, id: &IncidentId) -> Result<Vec<Answer>, sqlx::Error> {
        const ALL: &str = "SELECT * FROM incident_answers WHERE farm_id = $1 AND alert_id = $2 AND raised_at = $3 ORDER BY id";
        let rows: Vec<Row> = sql::query_as(ALL)
            .bind(self.farm())
            .bind(&id.alert)
            .bind(id.raised_at)
            .fetch_all(&self.db().readers)
            .await?;
        Ok(rows.into_iter().map(|row| row.read().1).collect())
    }

    /// What was answered to the incidents that are not over, oldest first.
    pub(crate) async fn open_answers(
        &self,
    ) -> Result<BTreeMap<IncidentId, Vec<Answer>>, sqlx::Error> {
        const OPEN: &str = "SELECT a.* FROM incident_answers a JOIN incidents i ON i.farm_id = a.farm_id \
            AND i.alert_id = a.alert_id AND i.raised_at = a.raised_at WHERE i.farm_id = $1 AND i.over_at IS NULL ORDER BY a.id";
        let rows: Vec<Row> = sql::query_as(OPEN)
            .bind(self.farm())
            .fetch_all(&self.db().readers)
            .await?;
        let mut all: BTreeMap<IncidentId, Vec<Answer>> = BTreeMap::new();
        for (id, answer) in rows.into_iter().map(Row::read) {
            all.entry(id).or_default().push(answer);
        }
        Ok(all)
    }
}

impl Write {
    /// Answers an incident; it is written down too, where that it began was not told yet.
    pub(crate) async fn answer_incident(
        &mut self,
        id: &IncidentId,
        watch: &str,
        new: NewAnswer<'_>,
    ) -> Result<(), AnswerError> {
        const COUNT: &str = "SELECT COUNT(*) FROM incident_answers WHERE farm_id = $1 AND alert_id = $2 AND raised_at = $3";
        const ANSWER: &str = "INSERT INTO incident_answers (id, farm_id, alert_id, raised_at, user_id, user_name, kind, \
            severity, until, note, at, way) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        let records = self.records().records.clone();
        let (farm, tx) = self.parts();
        sql::query(INSERT)
            .bind(farm)
            .bind(&id.alert)
            .bind(id.raised_at)
            .bind(watch)
            .bind(None::<i64>)
            .bind(None::<&str>)
            .execute(&mut *tx)
            .await?;
        let (count,): (i64,) = sql::query_as(COUNT)
            .bind(farm)
            .bind(&id.alert)
            .bind(id.raised_at)
            .fetch_one(&mut *tx)
            .await?;
        if usize::try_from(count).unwrap_or(usize::MAX) >= MAX_ANSWERS {
            return Err(AnswerError::TooMany);
        }
        sql::query(ANSWER)
            .bind(new_id())
            .bind(farm)
            .bind(&id.alert)
            .bind(id.raised_at)
            .bind(new.by.0)
            .bind(new.by.1)
            .bind(new.kind)
            .bind(word(new.severity))
            .bind(new.until)
            .bind(new.note)
            .bind(now_ms())
            .bind(new.way)
            .execute(&mut *tx)
            .await?;
        if new.kind != AnswerKind::Reopen {
            records.take_back_answered(tx, farm, id, now_ms()).await?;
        }
        Ok(())
    }
}
