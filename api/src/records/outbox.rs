//! What is to be sent to people. Without a gateway for mail and SMS it stays here, for the operator to pass on; the demo
//! shows it on the sign-in page.

use sqlx::FromRow;

use super::Records;
use super::db::on;
use crate::auth::Contact;
use crate::language::Language;

/// The most messages that are kept; older ones go first.
const MAX_MESSAGES: i64 = 1_000;
/// Messages are kept for this long.
const KEPT_MS: i64 = 7 * 24 * 3_600 * 1_000;

/// A message as stored.
#[derive(Debug, Clone, FromRow)]
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

/// A message to be sent.
#[derive(Debug, Clone)]
pub(crate) struct NewMessage<'a> {
    pub to: &'a Contact,
    /// CODE or INVITE.
    pub kind: &'static str,
    pub language: Language,
    pub body: String,
    /// The code or the link alone.
    pub secret: &'a str,
}

impl Records {
    pub(crate) async fn put_in_outbox(
        &self,
        message: NewMessage<'_>,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const INSERT: &str = "INSERT INTO outbox (id, recipient, channel, kind, language, body, secret, created_at) \
                              VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        const TRIM: &str = "DELETE FROM outbox WHERE created_at < $1 OR id NOT IN (SELECT id FROM outbox ORDER BY id DESC LIMIT $2)";
        let channel = match message.to {
            Contact::Email(_) => "EMAIL",
            Contact::Phone(_) => "SMS",
        };
        on!(&self.db, write p => {
            let mut tx = p.begin().await?;
            sqlx::query(INSERT).bind(super::new_id()).bind(message.to.key()).bind(channel).bind(message.kind)
                .bind(message.language.as_str()).bind(&message.body).bind(message.secret).bind(now).execute(&mut *tx).await?;
            sqlx::query(TRIM).bind(now - KEPT_MS).bind(MAX_MESSAGES).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        tracing::info!(to = message.to.key(), kind = message.kind, body = %message.body, "no gateway is configured: the message is in the outbox");
        Ok(())
    }

    /// The latest messages, the latest first.
    pub(crate) async fn outbox(&self, limit: i64) -> Result<Vec<Message>, sqlx::Error> {
        const Q: &str = "SELECT id, recipient, channel, kind, language, body, secret, created_at FROM outbox ORDER BY id DESC LIMIT $1";
        on!(&self.db, read p => sqlx::query_as(Q).bind(limit).fetch_all(p).await)
    }
}
