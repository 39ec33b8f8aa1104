//! What went to whom: for the farm's owners and admins, and of a demo for everybody.

use sqlx::FromRow;

use super::super::{FarmRecords, Records};
use crate::records::sql;

/// What became of a message; without what it said.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct SentMessage {
    pub id: String,
    pub recipient: String,
    /// The name of whom it is for, where they have an account.
    pub name: Option<String>,
    pub channel: String,
    pub kind: String,
    pub title: String,
    pub times: i64,
    pub state: String,
    pub reason: Option<String>,
    pub answer: Option<String>,
    pub attempts: i64,
    pub next_try_at: i64,
    pub created_at: i64,
    pub sent_at: Option<i64>,
    pub changed_at: i64,
}

/// What went out by a way in a month.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct MessageMonth {
    /// `2026-11`, by UTC.
    pub month: String,
    pub channel: String,
    pub messages: i64,
    /// On the air: an SMS has parts.
    pub units: i64,
    /// In millionths of a rupee.
    pub cost: Option<i64>,
}

/// A message with what it says, of a demo.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub id: String,
    pub recipient: String,
    pub channel: String,
    pub kind: String,
    pub language: String,
    pub body: String,
    pub secret: String,
    pub created_at: i64,
}

#[derive(FromRow)]
struct Row {
    id: String,
    recipient: String,
    channel: String,
    kind: String,
    language: String,
    sealed: Vec<u8>,
    created_at: i64,
}

impl Records {
    /// The latest messages that are kept with what they say, the latest first; alerts excepted.
    pub(crate) async fn outbox(&self, limit: i64) -> Result<Vec<Message>, sqlx::Error> {
        const Q: &str = "SELECT id, recipient, channel, kind, language, sealed, created_at FROM outbox \
                         WHERE sealed IS NOT NULL AND kind IN ('CODE', 'INVITE', 'NOTICE') ORDER BY id DESC LIMIT $1";
        let rows: Vec<Row> = sql::query_as(Q)
            .bind(limit)
            .fetch_all(&self.db.readers)
            .await?;
        let open = |row: Row| {
            let content = self.opened(&row.id, &row.sealed)?;
            Some(Message {
                id: row.id,
                recipient: row.recipient,
                channel: row.channel,
                kind: row.kind,
                language: row.language,
                body: content.body,
                secret: content.secret,
                created_at: row.created_at,
            })
        };
        Ok(rows.into_iter().filter_map(open).collect())
    }

    /// How many messages wait.
    pub(crate) async fn messages_waiting(&self) -> Result<i64, sqlx::Error> {
        const Q: &str = "SELECT COUNT(*) FROM outbox WHERE state = 'QUEUED'";
        let (count,): (i64,) = sql::query_as(Q).fetch_one(&self.db.readers).await?;
        Ok(count)
    }
}

impl FarmRecords {
    /// The latest messages of the farm and the codes of its people, the latest first.
    pub(crate) async fn messages(&self, limit: i64) -> Result<Vec<SentMessage>, sqlx::Error> {
        const Q: &str = "SELECT o.id, o.recipient, u.name, o.channel, o.kind, o.title, o.times, o.state, o.reason, o.answer, \
            o.attempts, o.next_try_at, o.created_at, o.sent_at, o.changed_at FROM outbox o LEFT JOIN users u ON u.id = o.user_id \
            WHERE o.farm_id = $1 OR (o.farm_id IS NULL AND o.user_id IN (SELECT user_id FROM memberships WHERE farm_id = $1)) \
            ORDER BY o.id DESC LIMIT $2";
        sql::query_as(Q)
            .bind(self.farm())
            .bind(limit)
            .fetch_all(&self.db().readers)
            .await
    }

    /// What went out by each way in a month, for a year, the latest first.
    pub(crate) async fn message_months(&self) -> Result<Vec<MessageMonth>, sqlx::Error> {
        const Q: &str = "SELECT month, channel, messages, units, cost FROM message_months WHERE farm_id = $1 \
            AND month IN (SELECT DISTINCT month FROM message_months WHERE farm_id = $1 ORDER BY month DESC LIMIT 12) \
            ORDER BY month DESC, channel";
        sql::query_as(Q)
            .bind(self.farm())
            .fetch_all(&self.db().readers)
            .await
    }
}
