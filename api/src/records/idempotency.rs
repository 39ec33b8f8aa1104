//! Requests that are carried out once, however often they are sent: their keys, and what was answered.

use serde::{Deserialize, Serialize};

use super::{Records, now_ms};
use crate::records::sql;

/// For how long a key is known.
const KEPT_MS: i64 = 24 * 3_600 * 1_000;
/// The most keys of a person; the oldest are forgotten first.
const MAX_KEYS: i64 = 1_000;
/// For how long a request may be under way; one that has no answer after it was cut off.
const UNDER_WAY_MS: i64 = 60_000;

/// A request's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub status: u16,
    pub etag: Option<String>,
    /// JSON, or nothing.
    pub body: String,
}

/// What is known of a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// It is new, and reserved now.
    New,
    /// Another request came with it.
    OfAnother,
    /// The request is being carried out.
    UnderWay,
    /// The request was cut off: it may have been carried out or not.
    CutOff,
    /// The request was carried out.
    Answered(Answer),
}

impl Records {
    /// Reserves a person's key for a request, unless it is known.
    pub(crate) async fn reserve_key(
        &self,
        user: &str,
        key: &str,
        fingerprint: &str,
    ) -> Result<Key, sqlx::Error> {
        const OLD: &str = "DELETE FROM idempotency WHERE begun_at < $1";
        const TOO_MANY: &str = "DELETE FROM idempotency WHERE user_id = $1 AND begun_at <= \
            (SELECT begun_at FROM idempotency WHERE user_id = $1 ORDER BY begun_at DESC LIMIT 1 OFFSET $2)";
        const RESERVE: &str = "INSERT INTO idempotency (user_id, key, fingerprint, begun_at) VALUES ($1, $2, $3, $4) \
            ON CONFLICT (user_id, key) DO NOTHING";
        const KNOWN: &str =
            "SELECT fingerprint, begun_at, sealed FROM idempotency WHERE user_id = $1 AND key = $2";
        let now = now_ms();
        let mut tx = self.db.write().await?;
        sql::query(OLD)
            .bind(now - KEPT_MS)
            .execute(&mut *tx)
            .await?;
        let rows = sql::query(RESERVE)
            .bind(user)
            .bind(key)
            .bind(fingerprint)
            .bind(now)
            .execute(&mut *tx)
            .await?
            .rows_affected();
        if rows > 0 {
            sql::query(TOO_MANY)
                .bind(user)
                .bind(MAX_KEYS)
                .execute(&mut *tx)
                .await?;
            tx.commit().await?;
            return Ok(Key::New);
        }
        let (known, begun_at, sealed): (String, i64, Option<Vec<u8>>) = sql::query_as(KNOWN)
            .bind(user)
            .bind(key)
            .fetch_one(&mut *tx)
            .await?;
        tx.commit().await?;
        if known != fingerprint {
            return Ok(Key::OfAnother);
        }
        let plain = sealed.and_then(|sealed| self.answers.open(&sealed_id(user, key), &sealed));
        Ok(
            match plain.and_then(|plain| serde_json::from_slice(&plain).ok()) {
                Some(answer) => Key::Answered(answer),
                None if now - begun_at < UNDER_WAY_MS => Key::UnderWay,
                None => Key::CutOff,
            },
        )
    }

    /// Remembers what the request of a reserved key was answered.
    pub(crate) async fn remember_answer(
        &self,
        user: &str,
        key: &str,
        answer: &Answer,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE idempotency SET sealed = $3 WHERE user_id = $1 AND key = $2";
        let plain = serde_json::to_vec(answer).map_err(|e| sqlx::Error::Encode(e.into()))?;
        let sealed = self.answers.seal(&sealed_id(user, key), &plain)?;
        sql::query(Q)
            .bind(user)
            .bind(key)
            .bind(sealed)
            .execute(&self.db.writer)
            .await
            .map(drop)
    }

    /// Forgets a key whose request was refused: nothing was done, and sent again it is a new one.
    pub(crate) async fn release_key(&self, user: &str, key: &str) -> Result<(), sqlx::Error> {
        const Q: &str = "DELETE FROM idempotency WHERE user_id = $1 AND key = $2";
        sql::query(Q)
            .bind(user)
            .bind(key)
            .execute(&self.db.writer)
            .await
            .map(drop)
    }
}

/// To what a sealed answer belongs.
fn sealed_id(user: &str, key: &str) -> String {
    format!("{user}|{key}")
}
