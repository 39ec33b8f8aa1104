//! A person's share of an hour: what is more than that is told as a number.

use sqlx::SqliteConnection;

use super::super::{Records, new_id};
use super::alerts::{Recipient, ToTell};
use super::{MessageKind, NewRow};

const HOUR_MS: i64 = 3_600 * 1_000;
/// What is critical and beyond a person's share is gathered for this long into one message.
const TOGETHER_MS: i64 = 3_000;

impl Records {
    /// When a person's share of an hour is used up: from when on there is room again. What is critical has a larger one.
    pub(super) async fn share_is_used(
        &self,
        tx: &mut SqliteConnection,
        tell: &ToTell,
        to: &Recipient,
        now: i64,
    ) -> Result<Option<i64>, sqlx::Error> {
        // what goes to all of a person's browsers at once is one message
        const Q: &str = "SELECT COUNT(DISTINCT CASE channel WHEN 'PUSH' THEN about || created_at ELSE id END), MIN(created_at) \
            FROM outbox WHERE user_id = $1 AND created_at > $2 AND kind = 'ALERT' AND about NOT IN ('rest', 'dire') \
            AND state <> 'FAILED' AND NOT (channel = 'PUSH' AND $3 = 'PUSH' AND about = $4 AND created_at = $5)";
        let (count, first): (i64, Option<i64>) = sqlx::query_as(Q)
            .bind(&to.user)
            .bind(now - HOUR_MS)
            .bind(to.channel.as_str())
            .bind(&tell.subject)
            .bind(now)
            .fetch_one(tx)
            .await?;
        let share = self.ways.share(tell.critical);
        let full = count >= i64::from(share);
        let free_at = if tell.critical {
            // it waits for nothing: beyond the share it is told together
            now + TOGETHER_MS
        } else {
            first.unwrap_or(now) + HOUR_MS
        };
        Ok(full.then_some(free_at))
    }

    /// Counts what is left out in one message that goes when there is room again.
    pub(super) async fn put_rest(
        &self,
        tx: &mut SqliteConnection,
        farm: &str,
        tell: &ToTell,
        to: &Recipient,
        free_at: i64,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const WAITS: &str = "SELECT id, times FROM outbox WHERE user_id = $1 AND recipient = $2 AND channel = $3 AND about = $4 \
                             AND state = 'QUEUED' AND attempts = 0";
        let about = if tell.critical { "dire" } else { "rest" };
        const MORE: &str = "UPDATE outbox SET times = $2, sealed = $3, title = $4 WHERE id = $1";
        let waits: Option<(String, i64)> = sqlx::query_as(WAITS)
            .bind(&to.user)
            .bind(&to.contact)
            .bind(to.channel.as_str())
            .bind(about)
            .fetch_optional(&mut *tx)
            .await?;
        if let Some((id, times)) = waits {
            let content = (tell.left_out)(to.language, times + 1);
            return sqlx::query(MORE)
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
            about,
            incident: (None, None),
            critical: tell.critical,
            times: 1,
            not_before: Some(free_at),
            given_up: None,
            join: None,
        };
        self.insert(tx, row, now).await
    }
}
