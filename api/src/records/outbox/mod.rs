//! What is sent to people: a row a recipient and channel, written in the transaction of its cause and kept until its gateway took
//! it or it was given up. Texts and secrets are sealed under a key that is not in the database, and erased when they were sent,
//! used or are too old.

mod alerts;
mod join;
mod link;
mod list;
mod over;
mod parts;
mod share;
mod test;
mod work;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Records;
use super::codes::CODE_LIFE_MS;
use super::invites::INVITE_LIFE_MS;
use crate::contact::Contact;
use crate::delivery::{Channel, Joined, Ways};
use crate::language::Language;
use crate::records::sql;

pub(crate) use alerts::{ChainPeople, SayPart, Step, ToTell};
pub(crate) use link::{BadLink, ToldBy};
pub(crate) use list::{Message, MessageMonth, SentMessage};
pub(crate) use work::{Due, Ending, Receipt, ReceiptState};

/// The most messages that are kept; those that ended first go first.
const MAX_MESSAGES: i64 = 20_000;
/// The most messages that wait: a further one, unless it is a code, is given up at once.
const MAX_QUEUED: i64 = 5_000;
/// What became of a message is kept for this long.
const KEPT_MS: i64 = 30 * DAY_MS;
const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// A code that arrives with less of its life left is of no use.
const CODE_REST_MS: i64 = 30_000;
/// A message to try a channel is for who waits for it.
const TEST_LIFE_MS: i64 = 10 * 60 * 1_000;
/// An alert is told this late at most.
const ALERT_LIFE_MS: i64 = 6 * 3_600 * 1_000;

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageKind {
    Code,
    Invite,
    Notice,
    Alert,
    Test,
}

impl MessageKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "CODE",
            Self::Invite => "INVITE",
            Self::Notice => "NOTICE",
            Self::Alert => "ALERT",
            Self::Test => "TEST",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        let all = [
            Self::Code,
            Self::Invite,
            Self::Notice,
            Self::Alert,
            Self::Test,
        ];
        all.into_iter().find(|kind| kind.as_str() == word)
    }

    /// For how long it is worth sending.
    const fn life_ms(self) -> i64 {
        match self {
            Self::Code => CODE_LIFE_MS - CODE_REST_MS,
            Self::Invite => INVITE_LIFE_MS,
            Self::Notice => DAY_MS,
            Self::Alert => ALERT_LIFE_MS,
            Self::Test => TEST_LIFE_MS,
        }
    }
}

/// What a message says; sealed as long as it is kept.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Content {
    /// The subject of a mail.
    pub title: String,
    /// The whole text, with its link.
    pub body: String,
    /// The code or the link alone.
    pub secret: String,
    /// Where there is more.
    pub link: Option<String>,
    /// The variables of a template that is registered with a gateway, in their order.
    pub params: Vec<String>,
    /// The document for a webhook.
    pub event: Option<Value>,
    /// Of alerts, what it tells: for what is told with it while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined: Option<Box<Joined>>,
}

/// A message to be sent to a contact, by the channel of the contact.
#[derive(Debug, Clone)]
pub(crate) struct NewMessage<'a> {
    pub to: &'a Contact,
    pub kind: MessageKind,
    pub language: Language,
    pub content: Content,
    /// The code's challenge or the invite's id, with which the message goes; with kind and recipient it is one message.
    pub about: &'a str,
    pub farm: Option<&'a str>,
    pub user: Option<&'a str>,
}

/// A row to be written.
struct NewRow<'a> {
    id: String,
    cause: String,
    farm: Option<&'a str>,
    user: Option<&'a str>,
    recipient: &'a str,
    channel: Channel,
    kind: MessageKind,
    language: Language,
    content: &'a Content,
    about: &'a str,
    /// Of which incident, and for which step of the chain.
    incident: (Option<i64>, Option<i64>),
    critical: bool,
    times: i64,
    /// Not before this; nothing is at once.
    not_before: Option<i64>,
    /// Why it is given up at once.
    given_up: Option<&'static str>,
    /// What others have to share to be told by it, and that cause as JSON.
    join: Option<(String, String)>,
}

/// A message that was written; what follows once that is durable.
pub(super) struct Waiting {
    to: String,
    kind: &'static str,
    /// Where no gateway takes it.
    unsent: Option<String>,
}

impl Waiting {
    /// Wakes who sends it. Where nobody does, says that it reaches nobody, or where the server's setting says so the message
    /// itself.
    pub(super) fn tell(&self, records: &Records) {
        let Self { to, kind, unsent } = self;
        match unsent {
            None => records.ways.wake(),
            Some(body) if records.codes_in_log => {
                tracing::info!(
                    to,
                    kind,
                    body,
                    "no gateway is set: the message is in this log"
                );
            }
            Some(_) => tracing::warn!(to, kind, "no gateway is set: the message reaches nobody"),
        }
    }
}

impl Records {
    /// By which ways messages go.
    pub(crate) const fn ways(&self) -> &Ways {
        &self.ways
    }

    /// Puts a message among those that wait to be sent.
    pub(crate) async fn put_in_outbox(
        &self,
        message: NewMessage<'_>,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        let mut tx = self.db.write().await?;
        let waiting = self.put_message(&mut tx, message, now).await?;
        tx.commit().await?;
        waiting.tell(self);
        Ok(())
    }

    /// The same in a transaction that does more.
    pub(super) async fn put_message(
        &self,
        tx: &mut sql::Connection,
        message: NewMessage<'_>,
        now: i64,
    ) -> Result<Waiting, sqlx::Error> {
        let kind = message.kind;
        let channel = self.ways.to(message.to);
        let is_set = self.ways.has(channel);
        // what has no name of its own is another message each time
        let name = if message.about.is_empty() {
            super::new_id()
        } else {
            message.about.to_owned()
        };
        let row = NewRow {
            id: super::new_id(),
            cause: format!("{}/{name}/{}", kind.as_str(), channel.as_str()),
            farm: message.farm,
            user: message.user,
            recipient: message.to.key(),
            channel,
            kind,
            language: message.language,
            content: &message.content,
            about: message.about,
            incident: (None, None),
            critical: false,
            times: 1,
            not_before: None,
            given_up: (!is_set).then_some("no_gateway"),
            join: None,
        };
        self.insert(&mut *tx, row, now).await?;
        self.trim(tx, now).await?;
        Ok(Waiting {
            to: message.to.masked(),
            kind: kind.as_str(),
            unsent: (!is_set).then_some(message.content.body),
        })
    }

    /// Writes a row, unless there is one of the same cause.
    async fn insert(
        &self,
        tx: &mut sql::Connection,
        row: NewRow<'_>,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const WAIT: &str = "SELECT COUNT(*) FROM outbox WHERE state = 'QUEUED'";
        const INSERT: &str = "INSERT INTO outbox (id, cause, farm_id, user_id, recipient, channel, kind, language, title, sealed, \
            about, is_critical, times, state, reason, attempts, next_try_at, deadline, created_at, changed_at, raised_at, step, join_key, joined_by, units, cost) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, $16, $17, $18, $18, $19, $20, $21, $22, $23, $24) \
            ON CONFLICT (cause) DO NOTHING";
        let id = row.id;
        let mut given_up = row.given_up;
        if given_up.is_none() && row.kind != MessageKind::Code {
            let (waiting,): (i64,) = sql::query_as(WAIT).fetch_one(&mut *tx).await?;
            if waiting >= MAX_QUEUED {
                given_up = Some("too_many");
            }
        }
        if let Some(reason) = given_up {
            count(row.channel.as_str(), reason);
        }
        // the demo shows what it sent on its sign-in page
        let is_kept = given_up.is_none() || self.ways.keeps_sent();
        let sealed = is_kept.then(|| self.sealed(&id, row.content)).transpose()?;
        let (units, cost) = self.ways.cost(row.channel, &row.content.body);
        let title = match row.kind {
            MessageKind::Alert => row.content.title.as_str(),
            _ => "",
        };
        sql::query(INSERT)
            .bind(&id)
            .bind(format!("{}/{}", row.cause, row.recipient))
            .bind(row.farm)
            .bind(row.user)
            .bind(row.recipient)
            .bind(row.channel.as_str())
            .bind(row.kind.as_str())
            .bind(row.language.as_str())
            .bind(title)
            .bind(sealed)
            .bind(row.about)
            .bind(row.critical)
            .bind(row.times)
            .bind(if given_up.is_some() {
                "FAILED"
            } else {
                "QUEUED"
            })
            .bind(given_up)
            .bind(row.not_before.unwrap_or(now))
            .bind(row.not_before.unwrap_or(now) + row.kind.life_ms())
            .bind(now)
            .bind(row.incident.0)
            .bind(row.incident.1)
            .bind(row.join.as_ref().map(|(key, _)| key))
            .bind(row.join.as_ref().map(|(_, cause)| cause))
            .bind(units)
            .bind(cost)
            .execute(tx)
            .await
            .map(drop)
    }

    fn sealed(&self, id: &str, content: &Content) -> Result<Vec<u8>, sqlx::Error> {
        let plain = serde_json::to_vec(content).map_err(|e| sqlx::Error::Encode(e.into()))?;
        self.seal.seal(id, &plain).map_err(sqlx::Error::Io)
    }

    fn opened(&self, id: &str, sealed: &[u8]) -> Option<Content> {
        let plain = self.seal.open(id, sealed)?;
        serde_json::from_slice(&plain).ok()
    }

    /// Forgets what ended long ago, and what a demo kept of codes that are too old.
    async fn trim(&self, tx: &mut sql::Connection, now: i64) -> Result<(), sqlx::Error> {
        const OLD: &str = "DELETE FROM outbox WHERE state <> 'QUEUED' AND (created_at < $1 OR id IN \
            (SELECT id FROM outbox WHERE state <> 'QUEUED' ORDER BY id DESC LIMIT 9223372036854775807 OFFSET $2))";
        const CODES: &str = "UPDATE outbox SET sealed = NULL WHERE kind = 'CODE' AND sealed IS NOT NULL AND created_at < $1 \
            AND state <> 'QUEUED'";
        sql::query(OLD)
            .bind(now - KEPT_MS)
            .bind(MAX_MESSAGES - MAX_QUEUED)
            .execute(&mut *tx)
            .await?;
        sql::query(CODES)
            .bind(now - CODE_LIFE_MS)
            .execute(tx)
            .await
            .map(drop)
    }
}

/// Erases what carries a code or a link that was used or taken back; it is not sent any more.
pub(super) async fn erase(
    tx: &mut sql::Connection,
    about: &str,
    now: i64,
) -> Result<(), sqlx::Error> {
    const Q: &str = "UPDATE outbox SET sealed = NULL, changed_at = $2, \
        reason = CASE WHEN state = 'QUEUED' THEN 'over' ELSE reason END, \
        state = CASE WHEN state = 'QUEUED' THEN 'FAILED' ELSE state END \
        WHERE about = $1 AND (sealed IS NOT NULL OR state = 'QUEUED')";
    sql::query(Q)
        .bind(about)
        .bind(now)
        .execute(tx)
        .await
        .map(drop)
}

/// Counts what became of a message.
fn count(channel: &str, result: &'static str) {
    metrics::counter!("harit_messages_total", "channel" => channel.to_owned(), "result" => result)
        .increment(1);
}
