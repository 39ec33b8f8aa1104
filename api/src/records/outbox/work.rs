//! Sending what waits: what is due, that it is tried, and what became of it. A try is written down before it is made: after a
//! power cut the message is sent again, under the same id.

use sqlx::FromRow;

use super::super::Records;
use super::{Content, MessageKind, count};
use crate::delivery::Channel;
use crate::language::Language;
use crate::records::sql;

/// A message that is to be sent now.
#[derive(Debug, Clone)]
pub(crate) struct Due {
    pub id: String,
    pub recipient: String,
    pub kind: MessageKind,
    pub language: Language,
    pub content: Content,
    /// How often it was tried before.
    pub attempts: i64,
    /// It is not sent after this.
    pub deadline: i64,
}

/// What became of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The gateway took it, under a name of its own.
    Sent(Option<String>),
    /// It is tried again then.
    Later { at: i64, answer: String },
    /// It never will be taken.
    GivenUp {
        reason: &'static str,
        answer: String,
    },
}

impl Ending {
    /// Its recipient is there no more.
    pub(crate) const fn gone() -> Self {
        Self::GivenUp {
            reason: "gone",
            answer: String::new(),
        }
    }
}

/// What a gateway says later of a message that it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Receipt {
    pub gateway_id: String,
    /// The message's own id, where the gateway gives it back.
    pub id: Option<String>,
    pub state: ReceiptState,
    /// Why it was not delivered.
    pub answer: Option<String>,
}

/// How far it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReceiptState {
    Delivered,
    Read,
    Failed,
}

#[derive(FromRow)]
struct Row {
    id: String,
    recipient: String,
    kind: String,
    language: String,
    sealed: Option<Vec<u8>>,
    attempts: i64,
    deadline: i64,
}

impl Records {
    /// Frees what was being tried when the server stopped. Where other servers send too, what was being tried is due when its time is over: one of
    /// them may be trying it.
    pub(crate) async fn resume_messages(&self, now: i64) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE outbox SET next_try_at = $1 WHERE state = 'QUEUED' AND attempts > 0 AND next_try_at > $1 \
                         AND ($2 = '' OR reason = 'away')";
        let free = sql::query(Q).bind(now).bind(self.cell());
        free.execute(&self.db.writer).await.map(drop)
    }

    /// Lets what waits for a channel be tried at once: it works again.
    pub(crate) async fn retry_channel(
        &self,
        channel: Channel,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE outbox SET next_try_at = $2 WHERE state = 'QUEUED' AND attempts > 0 AND channel = $1 \
                         AND next_try_at > $2 AND reason = 'away'";
        let done = sql::query(Q)
            .bind(channel.as_str())
            .bind(now)
            .execute(&self.db.writer)
            .await;
        done.map(drop)
    }

    /// Gives up what is too late, and takes what is due: codes first, then what is critical, then what waits longest; of one
    /// recipient in the order in which it was written. Each is written down as tried until `until`.
    pub(crate) async fn take_due(
        &self,
        channel: Channel,
        limit: usize,
        now: i64,
        until: i64,
    ) -> Result<Vec<Due>, sqlx::Error> {
        const ANY: &str = "SELECT 1 FROM outbox WHERE state = 'QUEUED' AND channel = $1 AND (next_try_at <= $2 OR deadline <= $2) LIMIT 1";
        const LATE: &str = "UPDATE outbox SET state = 'FAILED', reason = 'too_late', sealed = CASE WHEN $3 THEN sealed END, \
            changed_at = $2 WHERE state = 'QUEUED' AND channel = $1 AND deadline <= $2";
        // whoever waits for an earlier one of the same recipient waits; codes wait for nothing
        const DUE: &str = "SELECT id, recipient, kind, language, sealed, attempts, deadline FROM outbox o \
            WHERE state = 'QUEUED' AND channel = $1 AND next_try_at <= $2 AND (kind IN ('CODE', 'INVITE', 'TEST') OR NOT EXISTS \
            (SELECT 1 FROM outbox e WHERE e.recipient = o.recipient AND e.channel = o.channel AND e.state = 'QUEUED' AND e.id < o.id \
            AND e.kind IN ('ALERT', 'NOTICE') AND (e.attempts > 0 OR e.next_try_at <= $2))) \
            ORDER BY kind = 'CODE' DESC, is_critical DESC, id LIMIT $3";
        const TRY: &str = "UPDATE outbox SET attempts = attempts + 1, reason = NULL, next_try_at = $2 WHERE id = $1 AND state = 'QUEUED'";
        let any = sql::query(ANY)
            .bind(channel.as_str())
            .bind(now)
            .fetch_optional(&self.db.readers);
        if any.await?.is_none() {
            return Ok(Vec::new());
        }
        let mut tx = self.db.write().await?;
        let late = sql::query(LATE)
            .bind(channel.as_str())
            .bind(now)
            .bind(self.ways.keeps_sent())
            .execute(&mut *tx)
            .await?
            .rows_affected();
        for _ in 0..late {
            count(channel.as_str(), "too_late");
        }
        let rows: Vec<Row> = sql::query_as(DUE)
            .bind(channel.as_str())
            .bind(now)
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(&mut *tx)
            .await?;
        let mut due = Vec::new();
        let mut unreadable = Vec::new();
        for row in rows {
            let id = row.id.clone();
            match self.read(row) {
                Some(message) => {
                    sql::query(TRY)
                        .bind(&message.id)
                        .bind(until)
                        .execute(&mut *tx)
                        .await?;
                    due.push(message);
                }
                None => unreadable.push(id),
            }
        }
        tx.commit().await?;
        for id in unreadable {
            let ending = Ending::GivenUp {
                reason: "unreadable",
                answer: String::new(),
            };
            self.end_try(&id, channel, &ending, now).await?;
        }
        Ok(due)
    }

    fn read(&self, row: Row) -> Option<Due> {
        Some(Due {
            content: self.opened(&row.id, row.sealed.as_deref()?)?,
            kind: MessageKind::parse(&row.kind)?,
            language: Language::parse(&row.language).unwrap_or_default(),
            id: row.id,
            recipient: row.recipient,
            attempts: row.attempts,
            deadline: row.deadline,
        })
    }

    /// Writes down what became of a try. What was sent or given up is erased, but by a demo.
    pub(crate) async fn end_try(
        &self,
        id: &str,
        channel: Channel,
        ending: &Ending,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const SENT: &str = "UPDATE outbox SET state = 'SENT', reason = NULL, answer = NULL, gateway_id = $2, sent_at = $3, changed_at = $3, \
            sealed = CASE WHEN $4 THEN sealed END WHERE id = $1 AND state = 'QUEUED'";
        const LATER: &str = "UPDATE outbox SET reason = 'away', next_try_at = $2, answer = $3, changed_at = $4 WHERE id = $1 AND state = 'QUEUED'";
        const GIVEN_UP: &str = "UPDATE outbox SET state = 'FAILED', reason = $2, answer = $3, changed_at = $4, \
            sealed = CASE WHEN $5 THEN sealed END WHERE id = $1 AND state = 'QUEUED'";
        let query = match ending {
            Ending::Sent(gateway_id) => {
                count(channel.as_str(), "sent");
                sql::query(SENT)
                    .bind(id)
                    .bind(gateway_id)
                    .bind(now)
                    .bind(self.ways.keeps_sent())
            }
            Ending::Later { at, answer } => {
                count(channel.as_str(), "retried");
                sql::query(LATER).bind(id).bind(at).bind(answer).bind(now)
            }
            Ending::GivenUp { reason, answer } => {
                count(channel.as_str(), reason);
                sql::query(GIVEN_UP)
                    .bind(id)
                    .bind(*reason)
                    .bind(answer)
                    .bind(now)
                    .bind(self.ways.keeps_sent())
            }
        };
        query.execute(&self.db.writer).await.map(drop)
    }

    /// Takes a receipt; `false` where it says nothing new, or is of no message of ours.
    pub(crate) async fn take_receipt(
        &self,
        channel: Channel,
        receipt: &Receipt,
        now: i64,
    ) -> Result<bool, sqlx::Error> {
        // receipts come in any order, before the gateway's answer too: what was read was delivered
        const DELIVERED: &str = "UPDATE outbox SET state = 'DELIVERED', changed_at = $4, sent_at = COALESCE(sent_at, $4), \
            sealed = CASE WHEN $5 THEN sealed END \
            WHERE (gateway_id = $1 OR id = $2) AND channel = $3 AND attempts > 0 AND state IN ('QUEUED', 'SENT')";
        const READ: &str = "UPDATE outbox SET state = 'READ', changed_at = $4, sent_at = COALESCE(sent_at, $4), \
            sealed = CASE WHEN $5 THEN sealed END \
            WHERE (gateway_id = $1 OR id = $2) AND channel = $3 AND attempts > 0 AND state IN ('QUEUED', 'SENT', 'DELIVERED')";
        const FAILED: &str = "UPDATE outbox SET state = 'FAILED', reason = 'undelivered', answer = $6, changed_at = $4, \
            sealed = CASE WHEN $5 THEN sealed END \
            WHERE (gateway_id = $1 OR id = $2) AND channel = $3 AND attempts > 0 AND state IN ('QUEUED', 'SENT')";
        let (query, word) = match receipt.state {
            ReceiptState::Delivered => (DELIVERED, "delivered"),
            ReceiptState::Read => (READ, "read"),
            ReceiptState::Failed => (FAILED, "undelivered"),
        };
        let mut query = sql::query(query)
            .bind(&receipt.gateway_id)
            .bind(&receipt.id)
            .bind(channel.as_str())
            .bind(now)
            .bind(self.ways.keeps_sent());
        if receipt.state == ReceiptState::Failed {
            query = query.bind(&receipt.answer);
        }
        let changed = query.execute(&self.db.writer).await?.rows_affected() > 0;
        if changed {
            count(channel.as_str(), word);
        }
        Ok(changed)
    }
}
