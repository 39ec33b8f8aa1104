//! That an alert is over, or a controller back: told to those who were told that it began, once, when all is over that their messages
//! told together with it.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::FromRow;

use super::super::{Records, chains};
use super::alerts::{Recipient, ToTell};
use super::parts::{BEGINNING, Needless};
use crate::delivery::{CONTROLLER, Cause, Channel, Part};
use crate::escalation::Member;
use crate::language::Language;
use crate::records::sql;

/// The most messages that are followed from one thing to what was told with it.
const MAX_FOLLOWED: usize = 200;

#[derive(FromRow)]
struct WasTold {
    user_id: Option<String>,
    recipient: String,
    channel: String,
    language: String,
}

/// Something that was told by one message with something else.
#[derive(Debug, FromRow)]
struct Beside {
    subject: String,
    raised_at: Option<i64>,
    name: String,
    over_at: Option<i64>,
    joined_by: Option<String>,
}

impl Records {
    /// An alert is raised once at a time: an end that was never heard of was before the next beginning.
    pub(super) async fn end_earlier(
        &self,
        tx: &mut sql::Connection,
        farm: &str,
        tell: &ToTell,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE outbox_parts SET over_at = $4 WHERE farm_id = $1 AND subject = $2 AND raised_at < $3 \
                         AND over_at IS NULL";
        sql::query(Q)
            .bind(farm)
            .bind(&tell.subject)
            .bind(tell.raised_at)
            .bind(now)
            .execute(tx)
            .await
            .map(drop)
    }

    /// Takes back what was not told of what is over, and tells its end to whom it was told, once all is over that was told with it.
    pub(super) async fn put_over(
        &self,
        tx: &mut sql::Connection,
        farm: &str,
        tell: &ToTell,
        members: &[Member],
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const OVER: &str = "UPDATE outbox_parts SET over_at = $4 WHERE farm_id = $1 AND subject = $2 AND raised_at = $3 \
                            AND over_at IS NULL";
        // what was tried may have arrived; what waits until it is quiet tells how it stands then
        const TOLD: &str = "SELECT DISTINCT o.user_id, o.recipient, o.channel, o.language FROM outbox_parts p \
            JOIN outbox o ON o.id = p.message_id WHERE p.farm_id = $1 AND p.subject = $2 AND p.raised_at = $3 AND p.step <> 'over' \
            AND NOT p.is_out AND (o.state IN ('SENT', 'DELIVERED', 'READ') OR o.attempts > 0 \
            OR (o.state = 'QUEUED' AND o.join_key LIKE 'flap/%'))";
        let (subject, raised_at) = (&tell.subject, tell.raised_at);
        sql::query(OVER)
            .bind(farm)
            .bind(subject)
            .bind(raised_at)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        let needless = Needless {
            farm,
            subject,
            raised_at,
            to: None,
            reason: "over",
        };
        self.take_back(&mut *tx, BEGINNING, &needless, now).await?;
        let told: Vec<WasTold> = sql::query_as(TOLD)
            .bind(farm)
            .bind(subject)
            .bind(raised_at)
            .fetch_all(&mut *tx)
            .await?;
        let times = chains::times(&mut *tx, farm).await?;
        for to in told.into_iter().filter_map(|t| recipient(t, members)) {
            let beside = beside(&mut *tx, farm, tell, &to).await?;
            if beside.iter().any(|b| b.over_at.is_none()) {
                continue;
            }
            let own = (tell.say)(to.language);
            let mut over = tell.clone();
            over.cause = cause_of(tell, &beside);
            let others = beside.into_iter().filter(|b| b.subject != tell.subject);
            let others: BTreeMap<String, Beside> = others.map(|b| (b.subject.clone(), b)).collect();
            let others = others.into_values().map(|b| other(b, &own));
            let parts: Vec<Part> = std::iter::once(own.clone()).chain(others).collect();
            self.put_parts(&mut *tx, farm, &over, &to, &times, parts, now)
                .await?;
        }
        self.trim(tx, now).await
    }
}

fn recipient(told: WasTold, members: &[Member]) -> Option<Recipient> {
    let is = |m: &&Member| Some(&m.id) == told.user_id.as_ref();
    let quiet = members.iter().find(is).and_then(|m| m.quiet);
    Some(Recipient {
        user: told.user_id,
        contact: told.recipient,
        channel: Channel::parse(&told.channel)?,
        language: Language::parse(&told.language).unwrap_or_default(),
        quiet,
        refused: None,
    })
}

/// All that a recipient's messages told together with something, itself included.
async fn beside(
    tx: &mut sql::Connection,
    farm: &str,
    tell: &ToTell,
    to: &Recipient,
) -> Result<Vec<Beside>, sqlx::Error> {
    const BESIDE: &str = "SELECT p.subject, p.raised_at, p.name, p.over_at, o.joined_by FROM outbox_parts q \
        JOIN outbox o ON o.id = q.message_id JOIN outbox_parts p ON p.message_id = o.id \
        WHERE q.farm_id = $1 AND q.subject = $2 AND q.raised_at = $3 AND o.recipient = $4 AND o.channel = $5 \
        AND q.step <> 'over' AND NOT q.is_out AND NOT p.is_out \
        AND (o.state IN ('SENT', 'DELIVERED', 'READ') OR o.attempts > 0)";
    let mut seen = BTreeSet::new();
    let mut waiting = vec![(tell.subject.clone(), tell.raised_at)];
    let mut all: Vec<Beside> = Vec::new();
    while let Some((subject, raised_at)) = waiting.pop() {
        if seen.len() >= MAX_FOLLOWED || !seen.insert((subject.clone(), raised_at)) {
            continue;
        }
        let found: Vec<Beside> = sql::query_as(BESIDE)
            .bind(farm)
            .bind(subject)
            .bind(raised_at)
            .bind(&to.contact)
            .bind(to.channel.as_str())
            .fetch_all(&mut *tx)
            .await?;
        waiting.extend(found.iter().map(|b| (b.subject.clone(), b.raised_at)));
        all.extend(found);
    }
    Ok(all)
}

/// What is over has the cause that it was told with: of several places the farm, of an outage all its controllers.
fn cause_of(tell: &ToTell, beside: &[Beside]) -> Cause {
    let is_controller = tell.subject.starts_with(CONTROLLER);
    let mut cause: Option<Cause> = None;
    for told in beside.iter().filter_map(|b| b.joined_by.as_deref()) {
        let Ok(told) = serde_json::from_str::<Cause>(told) else {
            continue;
        };
        if matches!(told, Cause::Outage { .. }) != is_controller {
            continue;
        }
        match &mut cause {
            None => cause = Some(told),
            Some(known) if known.key() == told.key() => known.absorb(told),
            Some(known) => {
                *known = Cause::Place {
                    id: None,
                    name: None,
                }
            }
        }
    }
    if let Some(Cause::Outage { controllers }) = &mut cause {
        let is_back =
            |mac: &str| { beside.iter() }.any(|b| b.subject.strip_prefix(CONTROLLER) == Some(mac));
        controllers.retain(|c| is_back(&c.mac));
    }
    cause.unwrap_or_else(|| tell.cause.clone())
}

/// What else is over with it, by its name.
fn other(beside: Beside, own: &Part) -> Part {
    Part {
        event: serde_json::json!({"alertName": beside.name, "at": own.event["at"], "kind": own.event["kind"]}),
        title: beside.name.clone(),
        text: String::new(),
        subject: beside.subject,
        raised_at: beside.raised_at,
        name: beside.name,
    }
}
