//! What people are told, a row a person, and what was told last of each thing, written in one transaction.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, FromRow};

use super::incidents::{self, IncidentChange};
use super::{FarmRecords, Records, ToTell, now_ms};
use crate::records::sql;
use crate::resource::Kind;

/// The most notifications of a person in a farm; older ones go first.
pub(crate) const MAX_NOTIFICATIONS: i64 = 200;
/// What happens again within this time, and was not read in between, stays one row.
const AGAIN_MS: i64 = 3_600 * 1_000;
/// What was told of single commands is remembered for this long.
const COMMANDS_KEPT_MS: i64 = 24 * 3_600 * 1_000;

/// Whom something is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// All of a farm.
    Everybody,
    /// Who is told of evening letters.
    LetterReaders,
}

/// Something to be told to people of a farm.
#[derive(Debug, Clone)]
pub(crate) struct NewNotification {
    pub id: String,
    /// JSON
    pub body: String,
    /// Of what it is; the next of the same topic may take its place.
    pub topic: String,
    pub at: i64,
    /// Only for those who belonged to the farm then: what is over is told to those who were told that it began.
    pub since: Option<i64>,
    pub to: Audience,
}

/// What was told last of a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub state: String,
    pub at: i64,
}

/// A change of what was told last; `None` forgets it.
pub(crate) type ToldChange = (String, Option<Told>);

/// A notification as stored.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Notification {
    pub id: String,
    pub body: String,
    pub times: i64,
    pub at: i64,
    pub is_read: bool,
}

impl Records {
    /// The number of the event in this server's history after which notifications began: what is given, the first time.
    pub(crate) async fn notifications_begin(&self, now: i64) -> Result<i64, sqlx::Error> {
        const SET: &str = "INSERT INTO notification_begins (cell, event_id) VALUES ($1, $2) ON CONFLICT (cell) DO NOTHING";
        const GET: &str = "SELECT event_id FROM notification_begins WHERE cell = $1";
        let set = sql::query(SET).bind(self.cell()).bind(now);
        set.execute(&self.db.writer).await?;
        let get = sql::query_scalar(GET).bind(self.cell());
        get.fetch_one(&self.db.writer).await
    }
}

impl FarmRecords {
    /// What was told last of each thing.
    pub(crate) async fn told(&self) -> Result<BTreeMap<String, Told>, sqlx::Error> {
        const Q: &str = "SELECT subject, state, at FROM notification_states WHERE farm_id = $1";
        let rows: Vec<(String, String, i64)> = sql::query_as(Q)
            .bind(self.farm())
            .fetch_all(&self.db().writer)
            .await?;
        let told = |(subject, state, at)| (subject, Told { state, at });
        Ok(rows.into_iter().map(told).collect())
    }

    /// Tells the farm's active people, and writes down what is sent to them, that it was told, and which incidents began and are
    /// over: all, or nothing.
    pub(crate) async fn tell(
        &self,
        new: &[NewNotification],
        messages: &[ToTell],
        told: &[ToldChange],
        incidents: &[IncidentChange],
    ) -> Result<(), sqlx::Error> {
        const AGAIN: &str = "UPDATE notifications SET body = $3, at = $4, times = times + 1 \
                             WHERE farm_id = $1 AND topic = $2 AND NOT is_read AND at >= $5";
        let insert = format!(
            "INSERT INTO notifications (farm_id, user_id, id, body, topic, times, at, is_read) \
            SELECT m.farm_id, m.user_id, $2, $3, $4, 1, $5, FALSE FROM memberships m JOIN users u ON u.id = m.user_id \
            WHERE m.farm_id = $1 AND m.is_active AND u.is_active AND ($7 IS NULL OR m.created_at <= $7) AND NOT EXISTS (SELECT 1 FROM notifications o \
            WHERE o.farm_id = m.farm_id AND o.user_id = m.user_id AND o.topic = $4 AND NOT o.is_read AND o.at >= $6) \
            AND ($8 OR m.role <> 'WORKER' AND COALESCE((SELECT l.is_told FROM letter_choices l \
            WHERE l.user_id = m.user_id AND l.farm_id = m.farm_id), {}))",
            super::letters::BY_ROLE
        );
        const TRIM: &str = "DELETE FROM notifications WHERE farm_id = $1 AND (user_id, id) IN (SELECT user_id, id FROM \
            (SELECT user_id, id, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY at DESC, id DESC) AS n \
            FROM notifications WHERE farm_id = $1) AS counted WHERE n > $2)";
        const TOLD: &str = "INSERT INTO notification_states (farm_id, subject, state, at) VALUES ($1, $2, $3, $4) \
            ON CONFLICT (farm_id, subject) DO UPDATE SET state = excluded.state, at = excluded.at";
        const FORGET: &str = "DELETE FROM notification_states WHERE farm_id = $1 AND subject = $2";
        const OLD: &str = "DELETE FROM notification_states WHERE farm_id = $1 AND subject LIKE 'command/%' AND at < $2";
        let done: Result<(), sqlx::Error> = async {
            let mut tx = self.db().write().await?;
            for n in new {
                let since = n.at - AGAIN_MS;
                sql::query(AGAIN)
                    .bind(self.farm())
                    .bind(&n.topic)
                    .bind(&n.body)
                    .bind(n.at)
                    .bind(since)
                    .execute(&mut *tx)
                    .await?;
                sql::query(AssertSqlSafe(insert.clone()))
                    .bind(self.farm())
                    .bind(&n.id)
                    .bind(&n.body)
                    .bind(&n.topic)
                    .bind(n.at)
                    .bind(since)
                    .bind(n.since)
                    .bind(n.to == Audience::Everybody)
                    .execute(&mut *tx)
                    .await?;
            }
            incidents::note(&mut tx, self.farm(), incidents).await?;
            if !new.is_empty() {
                sql::query(TRIM)
                    .bind(self.farm())
                    .bind(MAX_NOTIFICATIONS)
                    .execute(&mut *tx)
                    .await?;
                sql::query(OLD)
                    .bind(self.farm())
                    .bind(now_ms() - COMMANDS_KEPT_MS)
                    .execute(&mut *tx)
                    .await?;
            }
            for message in messages {
                self.records
                    .put_alert(&mut tx, self.farm(), message, now_ms())
                    .await?;
            }
            for (subject, told) in told {
                match told {
                    Some(t) => {
                        sql::query(TOLD)
                            .bind(self.farm())
                            .bind(subject)
                            .bind(&t.state)
                            .bind(t.at)
                            .execute(&mut *tx)
                            .await?
                    }
                    None => {
                        sql::query(FORGET)
                            .bind(self.farm())
                            .bind(subject)
                            .execute(&mut *tx)
                            .await?
                    }
                };
            }
            tx.commit().await
        }
        .await;
        done?;
        if !messages.is_empty() {
            self.ways().wake();
        }
        if !new.is_empty() {
            self.note(Kind::Notifications);
        }
        if !incidents.is_empty() {
            self.note(Kind::Incidents);
        }
        Ok(())
    }

    /// Somebody's notifications, the latest first, and how many in all are unread.
    pub(crate) async fn notifications(
        &self,
        user_id: &str,
        limit: i64,
    ) -> Result<(Vec<Notification>, i64), sqlx::Error> {
        const Q: &str = "SELECT id, body, times, at, is_read FROM notifications WHERE farm_id = $1 AND user_id = $2 \
                         ORDER BY at DESC, id DESC LIMIT $3";
        const UNREAD: &str = "SELECT COUNT(*) FROM notifications WHERE farm_id = $1 AND user_id = $2 AND NOT is_read";
        {
            let rows = sql::query_as(Q)
                .bind(self.farm())
                .bind(user_id)
                .bind(limit)
                .fetch_all(&self.db().readers)
                .await?;
            let (unread,): (i64,) = sql::query_as(UNREAD)
                .bind(self.farm())
                .bind(user_id)
                .fetch_one(&self.db().readers)
                .await?;
            Ok((rows, unread))
        }
    }

    /// Marks one of somebody's notifications read; `false` where there is none of that id.
    pub(crate) async fn read_notification(
        &self,
        user_id: &str,
        id: &str,
    ) -> Result<bool, sqlx::Error> {
        const Q: &str = "UPDATE notifications SET is_read = TRUE WHERE farm_id = $1 AND user_id = $2 AND id = $3";
        let rows = sql::query(Q)
            .bind(self.farm())
            .bind(user_id)
            .bind(id)
            .execute(&self.db().writer)
            .await?
            .rows_affected();
        if rows > 0 {
            self.note(Kind::Notifications);
        }
        Ok(rows > 0)
    }

    /// Marks all of somebody's notifications read.
    pub(crate) async fn read_notifications(&self, user_id: &str) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE notifications SET is_read = TRUE WHERE farm_id = $1 AND user_id = $2 AND NOT is_read";
        sql::query(Q)
            .bind(self.farm())
            .bind(user_id)
            .execute(&self.db().writer)
            .await
            .map(drop)?;
        self.note(Kind::Notifications);
        Ok(())
    }

    /// Removes all of somebody's notifications.
    pub(crate) async fn clear_notifications(&self, user_id: &str) -> Result<(), sqlx::Error> {
        const Q: &str = "DELETE FROM notifications WHERE farm_id = $1 AND user_id = $2";
        sql::query(Q)
            .bind(self.farm())
            .bind(user_id)
            .execute(&self.db().writer)
            .await
            .map(drop)?;
        self.note(Kind::Notifications);
        Ok(())
    }
}
