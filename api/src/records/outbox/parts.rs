//! What a waiting message stands for: a part more while it waits, a part less when that has become needless.

use sqlx::FromRow;

use super::super::Records;
use super::alerts::{Recipient, ToTell};
use super::count;
use crate::delivery::{Channel, Joined, Part};
use crate::incidents::IncidentId;
use crate::language::Language;
use crate::records::sql;

/// The most things that one message tells.
const MAX_PARTS: usize = 50;

/// A message that waits and was never tried.
#[derive(FromRow)]
pub(super) struct Waiting {
    pub(super) id: String,
    sealed: Option<Vec<u8>>,
    language: String,
    channel: String,
    pub(super) times: i64,
    pub(super) attempts: i64,
    pub(super) next_try_at: i64,
    pub(super) is_critical: bool,
    pub(super) created_at: i64,
}

/// Which parts are taken back.
pub(super) struct Needless<'a> {
    pub(super) farm: &'a str,
    pub(super) subject: &'a str,
    /// Of one time that it was raised; none is of all.
    pub(super) raised_at: Option<i64>,
    /// Of one contact and way; none is of all.
    pub(super) to: Option<&'a Recipient>,
    /// Why, as a word.
    pub(super) reason: &'static str,
}

/// Which waiting messages are looked through for them.
macro_rules! waiting {
    ($which:literal) => {
        concat!(
            "SELECT DISTINCT o.id, o.sealed, o.language, o.channel, o.times, o.attempts, o.next_try_at, o.is_critical, o.created_at \
             FROM outbox_parts p JOIN outbox o ON o.id = p.message_id WHERE p.farm_id = $1 AND p.subject = $2 \
             AND ($3 IS NULL OR p.raised_at = $3) AND NOT p.is_out AND o.state = 'QUEUED' \
             AND ($4 IS NULL OR (o.recipient = $4 AND o.channel = $5)) AND (o.join_key IS NULL OR o.join_key NOT LIKE 'flap/%') ",
            $which
        )
    };
}

/// What was never tried: a new message tells it too.
pub(super) const NEVER_TRIED: &str = waiting!("AND o.attempts = 0");
/// What tells that it began, and was not taken by a gateway that is away. What is being tried may arrive.
pub(super) const BEGINNING: &str = waiting!(
    "AND p.step <> 'over' AND (o.attempts = 0 OR (o.reason = 'away' AND o.channel <> 'WEBHOOK'))"
);
/// What waits for the morning, or for a later step of the chain.
const LATER: &str = waiting!(
    "AND o.attempts = 0 AND o.channel <> 'WEBHOOK' AND (o.next_try_at > $6 OR o.step > 0)"
);

impl Records {
    /// Takes back the parts that have become needless; a message without any is not sent. How many messages those stood for
    /// that are not sent.
    pub(super) async fn take_back(
        &self,
        tx: &mut sql::Connection,
        which: &'static str,
        needless: &Needless<'_>,
        now: i64,
    ) -> Result<i64, sqlx::Error> {
        const OUT: &str = "UPDATE outbox SET state = 'FAILED', reason = $2, sealed = NULL, changed_at = $3 WHERE id = $1";
        const PART: &str = "UPDATE outbox_parts SET is_out = TRUE WHERE message_id = $1 AND farm_id = $2 AND subject = $3 \
                            AND ($4 IS NULL OR raised_at = $4)";
        let contact = needless.to.map(|to| to.contact.as_str());
        let channel = needless.to.map(|to| to.channel.as_str());
        let rows: Vec<Waiting> = sql::query_as(which)
            .bind(needless.farm)
            .bind(needless.subject)
            .bind(needless.raised_at)
            .bind(contact)
            .bind(channel)
            .bind(now)
            .fetch_all(&mut *tx)
            .await?;
        let mut times = 0;
        for row in rows {
            let mut joined = self.joined(&row);
            if let Some(joined) = &mut joined {
                joined.parts.retain(|p| {
                    let is_other = needless.raised_at.is_some_and(|at| p.raised_at != Some(at));
                    p.subject != needless.subject || is_other
                });
            }
            let left = joined.filter(|j| !j.parts.is_empty());
            match left {
                // what may have arrived says the same when it is sent again
                Some(_) if row.attempts > 0 => continue,
                Some(joined) => self.rewrite(&mut *tx, &row, &joined, now).await?,
                None => {
                    let out = sql::query(OUT).bind(&row.id).bind(needless.reason);
                    out.bind(now).execute(&mut *tx).await?;
                    count(&row.channel, needless.reason);
                    times += row.times;
                }
            }
            sql::query(PART)
                .bind(&row.id)
                .bind(needless.farm)
                .bind(needless.subject)
                .bind(needless.raised_at)
                .execute(&mut *tx)
                .await?;
        }
        Ok(times)
    }

    /// Takes back what waits to tell an incident that somebody has answered: in the morning, or by a later step of the chain.
    pub(in crate::records) async fn take_back_answered(
        &self,
        tx: &mut sql::Connection,
        farm: &str,
        id: &IncidentId,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        let needless = Needless {
            farm,
            subject: &id.alert,
            raised_at: Some(id.raised_at),
            to: None,
            reason: "answered",
        };
        self.take_back(tx, LATER, &needless, now).await.map(drop)
    }

    /// What a waiting message tells; none of what an earlier version wrote.
    pub(super) fn joined(&self, row: &Waiting) -> Option<Joined> {
        let content = self.opened(&row.id, row.sealed.as_deref()?)?;
        content.joined.map(|joined| *joined)
    }

    /// Writes anew what a waiting message says.
    pub(super) async fn rewrite(
        &self,
        tx: &mut sql::Connection,
        row: &Waiting,
        joined: &Joined,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE outbox SET sealed = $2, title = $3, joined_by = $4, changed_at = $5, times = $6, next_try_at = $7, \
                         is_critical = $8, deadline = CASE WHEN deadline > $7 + $9 THEN deadline ELSE $7 + $9 END, units = $10, cost = $11 WHERE id = $1";
        let language = Language::parse(&row.language).unwrap_or_default();
        let channel = Channel::parse(&row.channel).unwrap_or(Channel::Email);
        let content = joined.content(language, channel);
        let (units, cost) = self.ways.cost(channel, &content.body);
        let times = match joined.parts.len() {
            0 | 1 => joined.times.max(1),
            parts => i64::try_from(parts).unwrap_or(i64::MAX),
        };
        sql::query(Q)
            .bind(&row.id)
            .bind(self.sealed(&row.id, &content)?)
            .bind(&content.title)
            .bind(cause(joined)?)
            .bind(now)
            .bind(times)
            .bind(row.next_try_at)
            .bind(row.is_critical)
            .bind(super::ALERT_LIFE_MS)
            .bind(units)
            .bind(cost)
            .execute(tx)
            .await
            .map(drop)
    }

    /// A waiting message of that key to a recipient that has room for a part more.
    pub(super) async fn joinable(
        &self,
        tx: &mut sql::Connection,
        farm: &str,
        to: &Recipient,
        key: &str,
    ) -> Result<Option<(Waiting, Joined)>, sqlx::Error> {
        const Q: &str = "SELECT id, sealed, language, channel, times, attempts, next_try_at, is_critical, created_at FROM outbox \
            WHERE farm_id = $1 AND recipient = $2 AND channel = $3 AND join_key = $4 AND state = 'QUEUED' AND attempts = 0 \
            ORDER BY id DESC LIMIT 1";
        let row: Option<Waiting> = sql::query_as(Q)
            .bind(farm)
            .bind(&to.contact)
            .bind(to.channel.as_str())
            .bind(key)
            .fetch_optional(tx)
            .await?;
        let found = row.and_then(|row| Some((self.joined(&row)?, row)));
        let roomy = found.filter(|(joined, _)| joined.parts.len() < MAX_PARTS);
        Ok(roomy.map(|(joined, row)| (row, joined)))
    }

    /// Writes down that a message tells something, under what makes it one.
    pub(super) async fn note_part(
        &self,
        tx: &mut sql::Connection,
        message: &str,
        farm: &str,
        tell: &ToTell,
        (cause, part): (&str, &Part),
        is_out: bool,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "INSERT INTO outbox_parts (cause, message_id, farm_id, subject, raised_at, name, step, is_out) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (cause) DO NOTHING";
        sql::query(Q)
            .bind(cause)
            .bind(message)
            .bind(farm)
            .bind(&part.subject)
            .bind(part.raised_at)
            .bind(&part.name)
            .bind(tell.step.as_str())
            .bind(is_out)
            .execute(tx)
            .await
            .map(drop)
    }
}

/// The cause as it stands in the table.
pub(super) fn cause(joined: &Joined) -> Result<String, sqlx::Error> {
    serde_json::to_string(&joined.cause).map_err(|e| sqlx::Error::Encode(e.into()))
}

/// Whether something was told before, or taken back.
pub(super) async fn is_known(tx: &mut sql::Connection, cause: &str) -> Result<bool, sqlx::Error> {
    const KNOWN: &str = "SELECT 1 FROM outbox_parts WHERE cause = $1";
    let known = sql::query(KNOWN).bind(cause).fetch_optional(tx).await?;
    Ok(known.is_some())
}
