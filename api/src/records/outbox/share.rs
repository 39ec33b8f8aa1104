//! A person's share of an hour: what is more than that is told as a number, and what is critical together.

use super::super::{Records, new_id};
use super::alerts::{Recipient, ToTell};
use super::{MessageKind, NewRow};
use crate::records::sql;

const HOUR_MS: i64 = 3_600 * 1_000;
/// So many critical messages a person reads within a minute: all that comes after them is told together.
const CRITICAL_A_MINUTE: i64 = 12;
const MINUTE_MS: i64 = 60_000;
/// For how long what is critical is gathered then.
pub(super) const TOGETHER_MS: i64 = 3_000;

impl Records {
    /// When a person's share of an hour is used up: from when on there is room again.
    pub(super) async fn share_is_used(
        &self,
        tx: &mut sql::Connection,
        tell: &ToTell,
        to: &Recipient,
        now: i64,
    ) -> Result<Option<i64>, sqlx::Error> {
        // what goes to all of a person's browsers at once is one message
        const Q: &str = "SELECT COUNT(DISTINCT CASE channel WHEN 'PUSH' THEN about || created_at ELSE id END), MIN(created_at) \
            FROM outbox WHERE user_id = $1 AND created_at > $2 AND kind = 'ALERT' AND about <> 'rest' \
            AND state <> 'FAILED' AND NOT (channel = 'PUSH' AND $3 = 'PUSH' AND about = $4 AND created_at = $5)";
        let (count, first): (i64, Option<i64>) = sql::query_as(Q)
            .bind(&to.user)
            .bind(now - HOUR_MS)
            .bind(to.channel.as_str())
            .bind(&tell.subject)
            .bind(now)
            .fetch_one(tx)
            .await?;
        let full = count >= i64::from(self.ways.share());
        Ok(full.then_some(first.unwrap_or(now) + HOUR_MS))
    }

    /// Whether a person has got so much of what is critical that more of it is told together, whatever its cause.
    pub(super) async fn is_flooded(
        &self,
        tx: &mut sql::Connection,
        to: &Recipient,
        now: i64,
    ) -> Result<bool, sqlx::Error> {
        const Q: &str = "SELECT COUNT(*), COUNT(CASE WHEN created_at > $3 THEN 1 END) FROM ( \
            SELECT MIN(created_at) AS created_at FROM outbox WHERE user_id = $1 AND created_at > $2 AND kind = 'ALERT' AND is_critical \
            AND state <> 'FAILED' GROUP BY CASE channel WHEN 'PUSH' THEN about || created_at ELSE id END) AS told";
        let (hour, minute): (i64, i64) = sql::query_as(Q)
            .bind(&to.user)
            .bind(now - HOUR_MS)
            .bind(now - MINUTE_MS)
            .fetch_one(tx)
            .await?;
        Ok(minute >= CRITICAL_A_MINUTE || hour >= i64::from(self.ways.critical_share()))
    }

    /// Counts what is left out in one message that goes when there is room again.
    pub(super) async fn put_rest(
        &self,
        tx: &mut sql::Connection,
        farm: &str,
        tell: &ToTell,
        to: &Recipient,
        free_at: i64,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const WAITS: &str = "SELECT id, times FROM outbox WHERE user_id = $1 AND recipient = $2 AND channel = $3 AND about = 'rest' \
                             AND state = 'QUEUED' AND attempts = 0";
        const MORE: &str = "UPDATE outbox SET times = $2, sealed = $3, title = $4 WHERE id = $1";
        let waits: Option<(String, i64)> = sql::query_as(WAITS)
            .bind(&to.user)
            .bind(&to.contact)
            .bind(to.channel.as_str())
            .fetch_optional(&mut *tx)
            .await?;
        if let Some((id, times)) = waits {
            let content = (tell.left_out)(to.language, times + 1);
            return sql::query(MORE)
                .bind(&id)
                .bind(times + 1)
                .bind(self.sealed(&id, &content)?)
                .bind(&content.title)
                .execute(tx)
                .await
                .map(drop);
        }
        let content = (tell.left_out)(to.language, 1);
        let row = NewRow {
            id: new_id(),
            cause: format!("REST/{free_at}/{now}/{}", to.channel.as_str()),
            farm: Some(farm),
            user: to.user.as_deref(),
            recipient: &to.contact,
            channel: to.channel,
            kind: MessageKind::Alert,
            language: to.language,
            content: &content,
            about: "rest",
            incident: (None, None),
            critical: false,
            times: 1,
            not_before: Some(free_at),
            given_up: None,
            join: None,
        };
        self.insert(tx, row, now).await
    }
}
