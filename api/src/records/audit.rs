//! Appending to the audit log.

use std::collections::BTreeMap;

use harit_engine::FarmId;
use serde_json::json;

use super::{FarmRecords, Records};
use crate::audit::{Action, Entry, Head, Row};
use crate::records::sql;
use crate::resource::Kind;
use crate::secret::Key;

/// The chain of what belongs to no farm.
pub(super) const SERVER: &str = "";

/// Why an entry was not written.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
    #[error("the entry cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

/// An entry of the log, as it is read.
#[derive(Debug)]
pub(crate) struct AuditRow {
    pub seq: i64,
    pub at: i64,
    /// The actor's id and name.
    pub actor: Option<(String, String)>,
    pub action: String,
    pub subject: String,
    /// The name of the user who is the subject, if it is one.
    pub subject_name: Option<String>,
    /// JSON
    pub details: String,
}

/// What somebody did to an alert.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct AlertDeed {
    pub at: i64,
    /// The actor's name.
    pub actor: Option<String>,
    /// JSON
    pub details: String,
}

/// The latest change of something.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct LastChange {
    pub at: i64,
    /// The actor's name.
    pub actor: Option<String>,
}

impl FarmRecords {
    /// The latest change of something that the audit log has.
    pub(crate) async fn last_change(
        &self,
        subject: &str,
    ) -> Result<Option<LastChange>, sqlx::Error> {
        const LATEST: &str = "SELECT at, actor FROM audit WHERE farm_id = $1 AND subject = $2 ORDER BY seq DESC LIMIT 1";
        sql::query_as(LATEST)
            .bind(self.farm())
            .bind(subject)
            .fetch_optional(&self.db().readers)
            .await
    }

    /// The latest of these deeds to each of these subjects, as far as there was one.
    pub(crate) async fn last_deeds(
        &self,
        subjects: &[&str],
        deeds: &[Action],
    ) -> Result<BTreeMap<String, LastChange>, sqlx::Error> {
        const LATEST: &str = "SELECT subject, at, actor FROM audit WHERE farm_id = $1 AND seq IN (SELECT MAX(seq) FROM audit \
            WHERE farm_id = $1 AND action IN (SELECT value FROM json_each($2)) AND subject IN (SELECT value FROM json_each($3)) GROUP BY subject)";
        if subjects.is_empty() {
            return Ok(BTreeMap::new());
        }
        let words: Vec<_> = deeds.iter().map(|deed| deed.word()).collect();
        let rows: Vec<(String, i64, Option<String>)> = sql::query_as(LATEST)
            .bind(self.farm())
            .bind(json!(words).to_string())
            .bind(json!(subjects).to_string())
            .fetch_all(&self.db().readers)
            .await?;
        let read = |(subject, at, actor)| (subject, LastChange { at, actor });
        Ok(rows.into_iter().map(read).collect())
    }

    /// The latest of these deeds to an alert; nothing where there are no such deeds.
    pub(crate) async fn alert_deed(
        &self,
        alert: &str,
        deeds: &[Action],
    ) -> Result<Option<AlertDeed>, sqlx::Error> {
        const LATEST: &str = "SELECT at, actor, details FROM audit WHERE farm_id = $1 AND subject = $2 \
                              AND (action = $3 OR action = $4) ORDER BY seq DESC LIMIT 1";
        let (Some(first), Some(last)) = (deeds.first(), deeds.last()) else {
            return Ok(None);
        };
        {
            sql::query_as(LATEST)
                .bind(self.farm())
                .bind(alert)
                .bind(first.word())
                .bind(last.word())
                .fetch_optional(&self.db().readers)
                .await
        }
    }
}

impl Records {
    /// A farm's entries after that one, in order.
    pub(crate) async fn audit_after(
        &self,
        farm: &FarmId,
        seq: i64,
        limit: usize,
    ) -> Result<Vec<AuditRow>, sqlx::Error> {
        const AFTER: &str = "SELECT a.seq, a.at, a.actor_id, a.actor, a.action, a.subject, u.name, a.details FROM audit a \
                             LEFT JOIN users u ON u.id = a.subject WHERE a.farm_id = $1 AND a.seq > $2 ORDER BY a.seq LIMIT $3";
        type Columns = (
            i64,
            i64,
            Option<String>,
            Option<String>,
            String,
            String,
            Option<String>,
            String,
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows: Vec<Columns> = {
            sql::query_as(AFTER)
                .bind(farm.as_str())
                .bind(seq)
                .bind(limit)
                .fetch_all(&self.db.readers)
                .await?
        };
        let row =
            |(seq, at, id, actor, action, subject, subject_name, details): Columns| AuditRow {
                seq,
                at,
                actor: id.zip(actor),
                action,
                subject,
                subject_name,
                details,
            };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Appends to a farm's chain. What was done is done: a failure is counted and logged, and undoes nothing.
    pub(crate) async fn audit(&self, farm: &str, entry: &Entry) {
        if let Err(error) = self.append(farm, entry).await {
            metrics::counter!("harit_audit_errors_total").increment(1);
            tracing::error!(%error, cause = ?std::error::Error::source(&error), farm, ?entry, "an audit entry was not written");
        }
    }

    /// Appends to the chains of a person's farms, or to the server's own for somebody who has none.
    pub(crate) async fn audit_person(&self, user_id: Option<&str>, entry: &Entry) {
        let farms = match user_id {
            Some(id) => self.farms_of(id).await.unwrap_or_default(),
            None => Vec::new(),
        };
        if farms.is_empty() {
            self.audit(SERVER, entry).await;
        }
        for (farm, _) in farms {
            self.audit(&farm.id, entry).await;
        }
    }

    async fn append(&self, farm: &str, entry: &Entry) -> Result<(), AuditError> {
        let mut tx = self.db.write().await?;
        let head = append(&mut tx, &self.audit_key, farm, super::now_ms(), entry).await?;
        self.seal(tx, vec![(farm.to_owned(), head)]).await
    }

    /// Commits a transaction in which farms' chains got new ends, and writes those ends to the anchor.
    pub(super) async fn seal(
        &self,
        tx: sql::Transaction,
        heads: Vec<(String, Head)>,
    ) -> Result<(), AuditError> {
        // taken while the one writer is held and given back after the end is written, so that ends are written in their order
        let mut anchor = self.anchor.lock().await;
        tx.commit().await?;
        for (farm, head) in heads {
            if let Err(error) = anchor.put(&farm, head) {
                // what was done is done: the next entry writes the end anew
                metrics::counter!("harit_audit_errors_total").increment(1);
                tracing::error!(%error, farm, "the end of the audit log was not written to its anchor");
            }
            self.audited.note(&farm, Kind::Log);
        }
        Ok(())
    }
}

/// Appends an entry to a farm's chain in a transaction; gives the chain's new end.
pub(super) async fn append(
    tx: &mut sql::Connection,
    key: &Key,
    farm: &str,
    at: i64,
    entry: &Entry,
) -> Result<Head, AuditError> {
    const START: &str = "INSERT INTO audit_heads (farm_id, seq, hash) VALUES ($1, 0, '') ON CONFLICT (farm_id) DO NOTHING";
    const NEXT: &str =
        "UPDATE audit_heads SET seq = seq + 1 WHERE farm_id = $1 RETURNING seq, hash";
    const INSERT: &str = "INSERT INTO audit (farm_id, seq, at, actor_id, actor, action, subject, details, address, hash) \
                          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    const HEAD: &str = "UPDATE audit_heads SET hash = $2 WHERE farm_id = $1";
    let details = serde_json::to_string(&entry.details)?;
    let action = entry.action.word();
    let (actor_id, actor) = entry.actor.as_ref().map_or((None, None), |(id, name)| {
        (Some(id.as_str()), Some(name.as_str()))
    });
    sql::query(START).bind(farm).execute(&mut *tx).await?;
    let (seq, previous): (i64, String) = sql::query_as(NEXT).bind(farm).fetch_one(&mut *tx).await?;
    let row = Row {
        farm,
        seq,
        at,
        actor_id,
        actor,
        action: &action,
        subject: &entry.subject,
        details: &details,
        address: entry.address.as_deref(),
    };
    let hash = row.hash(key, &previous)?;
    sql::query(INSERT)
        .bind(farm)
        .bind(seq)
        .bind(at)
        .bind(actor_id)
        .bind(actor)
        .bind(&*action)
        .bind(&entry.subject)
        .bind(&details)
        .bind(entry.address.as_deref())
        .bind(&hash)
        .execute(&mut *tx)
        .await?;
    sql::query(HEAD).bind(farm).bind(&hash).execute(tx).await?;
    Ok(Head { seq, hash })
}
