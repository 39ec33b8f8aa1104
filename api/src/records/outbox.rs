//! What is to be sent to people. Without a gateway for mail and SMS it stays here; the demo shows it on the sign-in page, and
//! a server whose setting says so writes it into its log. Texts and secrets are sealed under a key that is not in the database,
//! and go when they are used or too old.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use super::Records;
use super::codes::CODE_LIFE_MS;
use crate::contact::Contact;
use crate::language::Language;

/// The most messages that are kept; older ones go first.
const MAX_MESSAGES: i64 = 1_000;
/// Messages are kept for this long.
const KEPT_MS: i64 = 7 * 24 * 3_600 * 1_000;

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageKind {
    Code,
    Invite,
    Notice,
}

impl MessageKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "CODE",
            Self::Invite => "INVITE",
            Self::Notice => "NOTICE",
        }
    }
}

/// A message.
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

/// A message to be sent.
#[derive(Debug, Clone)]
pub(crate) struct NewMessage<'a> {
    pub to: &'a Contact,
    pub kind: MessageKind,
    pub language: Language,
    pub body: String,
    /// The code or the link alone; a notice has none.
    pub secret: &'a str,
    /// The code's challenge or the invite's id, with which the message goes.
    pub about: &'a str,
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

/// What is sealed.
#[derive(Serialize, Deserialize)]
struct Content {
    body: String,
    secret: String,
}

/// A message that waits to be sent.
pub(super) struct Waiting {
    to: String,
    kind: &'static str,
    body: String,
}

impl Waiting {
    /// Says that it reaches nobody, or where the server's setting says so the message itself.
    pub(super) fn tell(&self, records: &Records) {
        let Self { to, kind, body } = self;
        if records.codes_in_log {
            tracing::info!(
                to,
                kind,
                body,
                "no gateway is set: the message is in this log"
            );
        } else {
            tracing::warn!(to, kind, "no gateway is set: the message reaches nobody");
        }
    }
}

impl Records {
    /// Puts a message among those that wait to be sent.
    pub(crate) async fn put_in_outbox(
        &self,
        message: NewMessage<'_>,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        let mut tx = self.db.writer.begin().await?;
        let waiting = self.put_message(&mut tx, message, now).await?;
        tx.commit().await?;
        waiting.tell(self);
        Ok(())
    }

    /// The same in a transaction that does more.
    pub(super) async fn put_message(
        &self,
        tx: &mut SqliteConnection,
        message: NewMessage<'_>,
        now: i64,
    ) -> Result<Waiting, sqlx::Error> {
        const INSERT: &str = "INSERT INTO outbox (id, recipient, channel, kind, language, sealed, about, created_at) \
                              VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        const TRIM: &str = "DELETE FROM outbox WHERE created_at < $1 OR (kind = 'CODE' AND created_at < $2) \
                            OR id NOT IN (SELECT id FROM outbox ORDER BY id DESC LIMIT $3)";
        let channel = match message.to {
            Contact::Email(_) => "EMAIL",
            Contact::Phone(_) => "SMS",
        };
        let id = super::new_id();
        let content = Content {
            body: message.body,
            secret: message.secret.to_owned(),
        };
        let plain = serde_json::to_vec(&content).map_err(|e| sqlx::Error::Encode(e.into()))?;
        let sealed = self.seal.seal(&id, &plain).map_err(sqlx::Error::Io)?;
        sqlx::query(INSERT)
            .bind(&id)
            .bind(message.to.key())
            .bind(channel)
            .bind(message.kind.as_str())
            .bind(message.language.as_str())
            .bind(sealed)
            .bind(message.about)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        sqlx::query(TRIM)
            .bind(now - KEPT_MS)
            .bind(now - CODE_LIFE_MS)
            .bind(MAX_MESSAGES)
            .execute(tx)
            .await?;
        Ok(Waiting {
            to: message.to.masked(),
            kind: message.kind.as_str(),
            body: content.body,
        })
    }

    /// The latest messages, the latest first.
    pub(crate) async fn outbox(&self, limit: i64) -> Result<Vec<Message>, sqlx::Error> {
        const Q: &str = "SELECT id, recipient, channel, kind, language, sealed, created_at FROM outbox ORDER BY id DESC LIMIT $1";
        let rows: Vec<Row> = sqlx::query_as(Q)
            .bind(limit)
            .fetch_all(&self.db.readers)
            .await?;
        let open = |row: Row| {
            let plain = self.seal.open(&row.id, &row.sealed)?;
            let content: Content = serde_json::from_slice(&plain).ok()?;
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
}
