//! One cause, one message: what is told goes into the message of its cause while that waits, else into one of its own. What is raised
//! and over again and again is told once, then with how often ([decision 30](../../../../docs/decisions/0030-one-cause-one-message.md)).

use super::super::{Records, new_id};
use super::alerts::{Recipient, Step, ToTell};
use super::parts::{NEVER_TRIED, Needless, Waiting, cause, is_known};
use super::share::TOGETHER_MS;
use super::{MessageKind, NewRow};
use crate::delivery::{Cause, Channel, Flaps, Joined, Part};
use crate::escalation::Times;
use crate::records::sql;

/// An alert that is raised so often within [`FLAPS_MS`] comes and goes.
const FLAPS: i64 = 2;
const FLAPS_MS: i64 = 10 * 60 * 1_000;
/// It is quiet when nothing has changed for this long; of what is critical people hear sooner how it stands.
const QUIET_MS: i64 = 10 * 60 * 1_000;
const CRITICAL_QUIET_MS: i64 = 60 * 1_000;
/// While it goes on people are told at least this often with how often.
const FLAPS_TOLD_MS: i64 = 3_600 * 1_000;
/// What is critical waits for others of its cause no longer than this.
const CRITICAL_JOIN_MS: i64 = 2_000;
/// Controllers that lose power are missed one after the other, as their keep-alives end.
const OUTAGE_JOINS: i64 = 3;

/// How an alert that comes and goes is told.
enum Going {
    /// It does not.
    No,
    /// It begins: that is told.
    Begins,
    /// It goes on: a message that waits until it is quiet counts.
    On(Option<Waiting>),
}

impl Records {
    /// For how long something waits for others of its cause.
    fn join_ms(&self, tell: &ToTell) -> i64 {
        let wait = self.ways.join_ms();
        match tell.cause {
            _ if tell.critical => wait.min(CRITICAL_JOIN_MS),
            Cause::Outage { .. } if tell.step != Step::Over => wait * OUTAGE_JOINS,
            _ => wait,
        }
    }

    /// Tells a recipient something: by the message of its cause that waits, else by a new one. What waits of the same alert is
    /// told by it too.
    pub(super) async fn put_to(
        &self,
        tx: &mut sql::Connection,
        farm: &str,
        tell: &ToTell,
        to: &Recipient,
        times: &Times,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        let part = (tell.say)(to.language);
        self.put_parts(tx, farm, tell, to, times, vec![part], now)
            .await
    }

    /// Tells a recipient something of which there are several parts; the first makes it one message.
    #[allow(clippy::too_many_arguments, reason = "a row has as many columns")]
    pub(super) async fn put_parts(
        &self,
        tx: &mut sql::Connection,
        farm: &str,
        tell: &ToTell,
        to: &Recipient,
        times: &Times,
        parts: Vec<Part>,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        let known_by = tell.cause_to(farm, to);
        if is_known(&mut *tx, &known_by).await? {
            // it stands for nothing that waits
            return Ok(());
        }
        let is_person = to.refused.is_none() && to.channel != Channel::Webhook;
        let flooded = is_person && tell.critical && self.is_flooded(&mut *tx, to, now).await?;
        let (cause, wait) = match &tell.cause {
            Cause::Place { .. } | Cause::Reservoir { .. } if flooded => (Cause::FARM, TOGETHER_MS),
            cause => (cause.clone(), self.join_ms(tell)),
        };
        let key = (wait > 0).then(|| tell.join_key(&cause));
        let mut joined = Joined {
            cause,
            step: tell.step,
            farm: tell.farm.clone(),
            parts,
            unanswered_min: tell.unanswered_min,
            times: 1,
            flaps: None,
            link: None,
        };
        // what is over is no news in the middle of the night either
        let quiet = to.quiet.filter(|_| !tell.critical);
        let morning = quiet.and_then(|hours| times.end_of(&hours, now));
        let mut row = Row {
            farm,
            key,
            not_before: Some(now + wait).max(morning),
            refused: to.refused,
        };
        if is_person {
            match self.going(&mut *tx, farm, tell, to, now).await? {
                // what comes and goes in a flood is told with the rest of it
                Going::Begins if !flooded => {
                    joined.flaps = Some(Flaps::Begins);
                    row.key = Some(flap_key(&tell.subject));
                    row.not_before = morning;
                }
                Going::No | Going::Begins => {
                    let needless = Needless {
                        farm,
                        subject: &tell.subject,
                        raised_at: None,
                        to: Some(to),
                        reason: "folded",
                    };
                    joined.times += self
                        .take_back(&mut *tx, NEVER_TRIED, &needless, now)
                        .await?;
                }
                Going::On(Some(waits)) => {
                    let quiet = Some(quiet_at(tell, waits.created_at, now)).max(morning);
                    return self
                        .count_on(tx, farm, tell, (waits, joined), &known_by, quiet, now)
                        .await;
                }
                Going::On(None) => {
                    joined.flaps = Some(Flaps::Counted);
                    joined.times = i64::from(tell.step != Step::Over);
                    row.key = Some(flap_key(&tell.subject));
                    row.not_before = Some(quiet_at(tell, now, now)).max(morning);
                }
            }
        }
        self.put_row(tx, tell, to, row, joined, &known_by, now)
            .await
    }

    /// Writes what is told: into the message of its cause that waits, else as a new one.
    #[allow(clippy::too_many_arguments, reason = "a row has as many columns")]
    async fn put_row(
        &self,
        tx: &mut sql::Connection,
        tell: &ToTell,
        to: &Recipient,
        new: Row<'_>,
        mut joined: Joined,
        known_by: &str,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        let farm = new.farm;
        if let (Some(key), None, None) = (&new.key, to.refused, joined.flaps)
            && let Some((mut waits, mut before)) = self.joinable(&mut *tx, farm, to, key).await?
        {
            before.cause.absorb(joined.cause);
            waits.is_critical |= tell.critical;
            waits.next_try_at = new.not_before.map_or(now, |at| at.min(waits.next_try_at));
            for (n, part) in joined.parts.into_iter().enumerate() {
                let cause = nth(known_by, n);
                self.note_part(
                    &mut *tx,
                    &waits.id,
                    farm,
                    tell,
                    (cause.as_str(), &part),
                    false,
                )
                .await?;
                before.parts.push(part);
            }
            before.times = 1;
            if before.parts.len() > 1 && before.link.is_none() {
                before.link.clone_from(&tell.all);
            }
            return self.rewrite(tx, &waits, &before, now).await;
        }
        let mut row = NewRow {
            id: new_id(),
            cause: tell.cause_by(farm, to.channel),
            farm: Some(farm),
            user: to.user.as_deref(),
            recipient: &to.contact,
            channel: to.channel,
            kind: MessageKind::Alert,
            language: to.language,
            content: &super::Content::default(),
            about: &tell.subject,
            incident: (tell.raised_at, tell.chain_step()),
            critical: tell.critical,
            times: joined.times.max(1),
            not_before: new.not_before,
            given_up: new.refused,
            join: None,
        };
        if to.refused.is_none()
            && to.channel != Channel::Webhook
            && !tell.critical
            && let Some(free_at) = self.share_is_used(&mut *tx, tell, to, now).await?
        {
            row.given_up = Some("over_share");
            self.put_rest(&mut *tx, farm, tell, to, free_at, now)
                .await?;
        }
        let is_answered = joined.parts.iter().any(Part::is_alert);
        let answers = to.user.is_some() && tell.step != Step::Over && to.refused.is_none();
        joined.link = (answers && is_answered)
            .then(|| self.answer_link(&row.id, now))
            .flatten();
        if joined.parts.len() > 1 && joined.link.is_none() {
            joined.link.clone_from(&tell.all);
        }
        let content = joined.content(to.language, to.channel);
        row.content = &content;
        row.join = new.key.clone().zip(Some(cause(&joined)?));
        let (id, is_out) = (row.id.clone(), row.given_up.is_some());
        self.insert(&mut *tx, row, now).await?;
        for (n, part) in joined.parts.iter().enumerate() {
            let cause = nth(known_by, n);
            self.note_part(&mut *tx, &id, farm, tell, (cause.as_str(), part), is_out)
                .await?;
        }
        Ok(())
    }

    /// How an alert that comes and goes is told to a recipient.
    async fn going(
        &self,
        tx: &mut sql::Connection,
        farm: &str,
        tell: &ToTell,
        to: &Recipient,
        now: i64,
    ) -> Result<Going, sqlx::Error> {
        const WAITS: &str = "SELECT id, sealed, language, channel, times, attempts, next_try_at, is_critical, created_at FROM outbox \
            WHERE farm_id = $1 AND recipient = $2 AND channel = $3 AND join_key = $4 AND state = 'QUEUED' AND attempts = 0 \
            ORDER BY id DESC LIMIT 1";
        const LATELY: &str = "SELECT 1 FROM outbox WHERE farm_id = $1 AND recipient = $2 AND channel = $3 AND join_key = $4 \
            AND state <> 'FAILED' AND COALESCE(sent_at, created_at) > $5 LIMIT 1";
        const RAISED: &str = "SELECT COUNT(DISTINCT raised_at) FROM outbox_parts WHERE farm_id = $1 AND subject = $2 \
            AND step = 'raised' AND raised_at > $3 AND raised_at <> $4";
        if tell.step == Step::Repeated {
            return Ok(Going::No);
        }
        let key = flap_key(&tell.subject);
        let waits: Option<Waiting> = sql::query_as(WAITS)
            .bind(farm)
            .bind(&to.contact)
            .bind(to.channel.as_str())
            .bind(&key)
            .fetch_optional(&mut *tx)
            .await?;
        if waits.is_some() {
            return Ok(Going::On(waits));
        }
        let lately = sql::query(LATELY)
            .bind(farm)
            .bind(&to.contact)
            .bind(to.channel.as_str())
            .bind(&key)
            .bind(now - FLAPS_MS)
            .fetch_optional(&mut *tx)
            .await?;
        if lately.is_some() {
            return Ok(Going::On(None));
        }
        let (raised,): (i64,) = sql::query_as(RAISED)
            .bind(farm)
            .bind(&tell.subject)
            .bind(tell.at - FLAPS_MS)
            .bind(tell.raised_at)
            .fetch_one(tx)
            .await?;
        let begins = tell.step == Step::Raised && raised + 1 >= FLAPS;
        Ok(if begins { Going::Begins } else { Going::No })
    }

    /// One time more that an alert comes or goes, in the message that waits until it is quiet.
    #[allow(clippy::too_many_arguments, reason = "a row has as many columns")]
    async fn count_on(
        &self,
        tx: &mut sql::Connection,
        farm: &str,
        tell: &ToTell,
        (mut waits, mut joined): (Waiting, Joined),
        known_by: &str,
        quiet: Option<i64>,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const EARLIER: &str = "UPDATE outbox_parts SET is_out = TRUE WHERE message_id = $1";
        let before = self.joined(&waits);
        let counted = before.as_ref().map_or(waits.times, |j| j.times);
        joined.flaps = Some(Flaps::Counted);
        joined.times = counted + i64::from(tell.step != Step::Over);
        if tell.step != Step::Over {
            joined.link = self.answer_link(&waits.id, now);
        }
        waits.next_try_at = quiet.unwrap_or(now);
        waits.is_critical |= tell.critical;
        sql::query(EARLIER)
            .bind(&waits.id)
            .execute(&mut *tx)
            .await?;
        if let Some(part) = joined.parts.first() {
            self.note_part(&mut *tx, &waits.id, farm, tell, (known_by, part), false)
                .await?;
        }
        self.rewrite(tx, &waits, &joined, now).await
    }
}

/// A row to be, before it is known whether it is one of its own.
struct Row<'a> {
    farm: &'a str,
    key: Option<String>,
    not_before: Option<i64>,
    refused: Option<&'static str>,
}

fn flap_key(subject: &str) -> String {
    format!("flap/{subject}")
}

/// When it has been quiet for long enough, or has gone on for long enough.
fn quiet_at(tell: &ToTell, began: i64, now: i64) -> i64 {
    let quiet = if tell.critical {
        CRITICAL_QUIET_MS
    } else {
        QUIET_MS
    };
    (now + quiet).min((began + FLAPS_TOLD_MS).max(now))
}

/// What makes a part one: the first is what the message is known by.
fn nth(known_by: &str, n: usize) -> String {
    if n == 0 {
        known_by.to_owned()
    } else {
        format!("{known_by}#{n}")
    }
}
