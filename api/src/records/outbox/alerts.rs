//! Telling people of alerts by what they chose: a message a person and channel, none of it twice, none to a contact that is not
//! verified. What flaps waits and is told once, with how often; past a person's share of an hour the rest is told as a number.

use std::fmt;
use std::sync::Arc;

use sqlx::{FromRow, SqliteConnection};

use super::super::{Records, chains, new_id};
use super::{Content, MessageKind, NewRow, count};
use crate::delivery::Channel;
use crate::escalation::{Hours, Member, Times};
use crate::language::Language;

const HOUR_MS: i64 = 3_600 * 1_000;
/// So many messages of one alert to one recipient within [`FLAPS_MS`] are told one by one.
const FLAPS: i64 = 3;
const FLAPS_MS: i64 = 10 * 60 * 1_000;
/// What is critical and beyond a person's share is gathered for this long into one message.
const TOGETHER_MS: i64 = 3_000;

/// Where an alert stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Raised,
    Repeated,
    /// Resolved, or taken away while it was raised.
    Over,
}

impl Step {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Repeated => "repeated",
            Self::Over => "over",
        }
    }
}

/// What an alert says, in a language; of how often it happened, and where its recipient answers.
pub(crate) type Say = Arc<dyn Fn(Language, i64, Option<&str>) -> Content + Send + Sync>;

/// Whom a step of the farm's chain tells.
#[derive(Debug, Clone)]
pub(crate) struct ChainPeople {
    /// Its place in the chain.
    pub step: usize,
    /// Whether it tells the raise itself, as the alert's own subscribers are told it.
    pub is_raise: bool,
    /// By id.
    pub people: Vec<String>,
}

/// Something to be told of an alert.
#[derive(Clone)]
pub(crate) struct ToTell {
    pub alert: String,
    /// When it happened; with alert and step it is told once.
    pub at: i64,
    pub step: Step,
    /// When it was raised that time.
    pub raised_at: Option<i64>,
    pub critical: bool,
    /// Whom it tells instead of its own subscribers.
    pub chain: Option<ChainPeople>,
    /// By which ways its people are told, who chose none.
    pub channels: Vec<Channel>,
    /// The e-mail addresses of who is told.
    pub subscribers: Vec<String>,
    pub say: Say,
    /// How many messages were left out, in a language.
    pub left_out: Say,
}

impl fmt::Debug for ToTell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToTell({} {})", self.alert, self.step.as_str())
    }
}

/// Whom a message goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Recipient {
    user: Option<String>,
    contact: String,
    channel: Channel,
    language: Language,
    /// When they are told of nothing but what is critical.
    quiet: Option<Hours>,
    /// Why nothing is sent there.
    refused: Option<&'static str>,
}

#[derive(FromRow)]
struct WasTold {
    user_id: Option<String>,
    recipient: String,
    channel: String,
    language: String,
}

impl ToTell {
    /// What makes it one message by a way: what a chain tells of a raise at once is what its subscribers are told.
    fn cause(&self, farm: &str, channel: Channel) -> String {
        let (alert, at, channel) = (&self.alert, self.at, channel.as_str());
        match &self.chain {
            Some(ChainPeople {
                step,
                is_raise: false,
                ..
            }) => format!("ALERT/{farm}/{alert}/step{step}/{at}/{channel}"),
            _ => format!("ALERT/{farm}/{alert}/{}/{at}/{channel}", self.step.as_str()),
        }
    }

    fn chain_step(&self) -> Option<i64> {
        self.chain.as_ref().and_then(|c| i64::try_from(c.step).ok())
    }
}

impl Records {
    /// Writes what is to be sent of an alert.
    pub(in crate::records) async fn put_alert(
        &self,
        tx: &mut SqliteConnection,
        farm: &str,
        tell: &ToTell,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        let members = chains::members(&mut *tx, farm).await?;
        let times = chains::times(&mut *tx, farm).await?;
        let recipients = match (tell.step, &tell.chain) {
            (Step::Over, _) => end(&mut *tx, farm, tell, &members, now).await?,
            (_, Some(chain)) => self.of_chain(chain, tell, &members),
            (Step::Raised | Step::Repeated, None) => self.recipients(tell, &members),
        };
        for to in recipients {
            self.put_to(&mut *tx, farm, tell, &to, &times, now).await?;
        }
        self.trim(tx, now).await
    }

    /// Who is told: the alert's subscribers, as far as they belong to the farm and their contact is verified; and the webhook.
    fn recipients(&self, tell: &ToTell, members: &[Member]) -> Vec<Recipient> {
        let mut all = Vec::new();
        for email in &tell.subscribers {
            let email = email.to_lowercase();
            let is = |m: &&Member| m.email.as_ref() == Some(&email);
            let member = members.iter().find(is);
            let ways = member.map_or_else(|| tell.channels.clone(), |m| ways_of(m, &tell.channels));
            // an alert that stays on the screen is not told by what somebody chose
            if !tell.channels.is_empty() {
                let by = |channel| self.recipients_by(&email, member, channel);
                all.extend(ways.into_iter().flat_map(by));
            }
        }
        if self.ways.has(Channel::Webhook) {
            all.push(Recipient {
                user: None,
                contact: "webhook".to_owned(),
                channel: Channel::Webhook,
                language: Language::En,
                quiet: None,
                refused: None,
            });
        }
        all
    }

    /// Whom a step of the chain tells: each by what they chose, else by the alert's ways, else by all that there are. Whoever
    /// is reached by none of them is told by any other.
    fn of_chain(&self, chain: &ChainPeople, tell: &ToTell, members: &[Member]) -> Vec<Recipient> {
        let is_told = |m: &&Member| chain.people.contains(&m.id);
        let mut all = Vec::new();
        for member in members.iter().filter(is_told) {
            let name = member.email.as_ref().or(member.phone.as_ref());
            let name = name.map_or(member.id.as_str(), String::as_str);
            let by = |channel| self.recipients_by(name, Some(member), channel);
            let wanted = ways_of(member, &tell.channels);
            let wanted: Vec<Recipient> = wanted.into_iter().flat_map(by).collect();
            if wanted.iter().any(|r| r.refused.is_none()) {
                all.extend(wanted);
                continue;
            }
            let others = Channel::PEOPLE.into_iter().flat_map(by);
            let others: Vec<Recipient> = others.filter(|r| r.refused.is_none()).collect();
            all.extend(if others.is_empty() { wanted } else { others });
        }
        all
    }

    /// Where somebody is told by a way: at one contact, but in each of their browsers.
    fn recipients_by(
        &self,
        name: &str,
        member: Option<&Member>,
        channel: Channel,
    ) -> Vec<Recipient> {
        let contacts = member.map_or(&[][..], |m| m.contacts(channel));
        let refused = if !self.ways.has(channel) {
            Some("no_gateway")
        } else if !contacts.is_empty() {
            None
        } else if channel == Channel::Push {
            Some("no_browser")
        } else {
            Some("unverified")
        };
        let recipient = |contact: &str| Recipient {
            user: member.map(|m| m.id.clone()),
            contact: contact.to_owned(),
            channel,
            language: member.map(|m| m.language).unwrap_or_default(),
            quiet: member.and_then(|m| m.quiet),
            refused,
        };
        if contacts.is_empty() {
            return vec![recipient(name)];
        }
        contacts.iter().map(|contact| recipient(contact)).collect()
    }

    /// One message to one recipient; what waits of the same alert goes into it.
    async fn put_to(
        &self,
        tx: &mut SqliteConnection,
        farm: &str,
        tell: &ToTell,
        to: &Recipient,
        times: &Times,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const KNOWN: &str = "SELECT 1 FROM outbox WHERE cause = $1";
        let cause = tell.cause(farm, to.channel);
        let known = sqlx::query(KNOWN).bind(format!("{cause}/{}", to.contact));
        if known.fetch_optional(&mut *tx).await?.is_some() {
            // it stands for nothing that waits
            return Ok(());
        }
        let mut row = NewRow {
            id: new_id(),
            cause,
            farm: Some(farm),
            user: to.user.as_deref(),
            recipient: &to.contact,
            channel: to.channel,
            kind: MessageKind::Alert,
            language: to.language,
            content: &Content::default(),
            about: &tell.alert,
            incident: (tell.raised_at, tell.chain_step()),
            critical: tell.critical,
            times: 1,
            not_before: None,
            given_up: to.refused,
        };
        if to.refused.is_none() && to.channel != Channel::Webhook {
            let (waited, lately) = fold(&mut *tx, farm, tell, to, now).await?;
            row.times += waited;
            if lately >= FLAPS && tell.step != Step::Repeated {
                row.not_before = Some(now + FLAPS_MS);
            }
            // what is over is no news in the middle of the night either
            let quiet = to.quiet.filter(|_| !tell.critical);
            let until = quiet.and_then(|hours| times.end_of(&hours, now));
            row.not_before = row.not_before.max(until);
            if let Some(free_at) = self.share_is_used(&mut *tx, tell, to, now).await? {
                row.given_up = Some("over_share");
                self.put_rest(&mut *tx, farm, tell, to, free_at, now)
                    .await?;
            }
        }
        let answers = to.user.is_some() && tell.step != Step::Over && to.refused.is_none();
        let link = answers.then(|| self.answer_link(&row.id, now)).flatten();
        let content = (tell.say)(to.language, row.times, link.as_deref());
        row.content = &content;
        self.insert(tx, row, now).await
    }

    /// When a person's share of an hour is used up: from when on there is room again. What is critical has a larger one.
    async fn share_is_used(
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
            .bind(&tell.alert)
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
    async fn put_rest(
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
            let content = (tell.left_out)(to.language, times + 1, None);
            return sqlx::query(MORE)
                .bind(&id)
                .bind(times + 1)
                .bind(self.sealed(&id, &content)?)
                .bind(&content.title)
                .execute(tx)
                .await
                .map(drop);
        }
        let content = (tell.left_out)(to.language, 1, None);
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
        };
        self.insert(tx, row, now).await
    }
}

/// By which ways somebody is told: what they chose, else what the alert says, and in the browsers in which they asked for it. Who
/// chose these alone and has none any more is told as the alert says.
fn ways_of(member: &Member, alert: &[Channel]) -> Vec<Channel> {
    let has_browsers = !member.browsers.is_empty();
    let chosen = { member.ways.as_ref() }.filter(|w| has_browsers || w[..] != [Channel::Push]);
    if let Some(chosen) = chosen {
        return chosen.clone();
    }
    let mut ways = alert.to_vec();
    if has_browsers && !ways.is_empty() && !ways.contains(&Channel::Push) {
        ways.push(Channel::Push);
    }
    ways
}

/// Takes back what still waits of the same alert to the same recipient and was never tried: the new message stands for it too.
/// How many those were, and how many were told lately.
async fn fold(
    tx: &mut SqliteConnection,
    farm: &str,
    tell: &ToTell,
    to: &Recipient,
    now: i64,
) -> Result<(i64, i64), sqlx::Error> {
    const FOLDED: &str = "UPDATE outbox SET state = 'FAILED', reason = 'folded', sealed = NULL, changed_at = $5 \
        WHERE farm_id = $1 AND about = $2 AND recipient = $3 AND channel = $4 AND kind = 'ALERT' AND state = 'QUEUED' \
        AND attempts = 0 RETURNING times";
    const LATELY: &str = "SELECT COUNT(*) FROM outbox WHERE farm_id = $1 AND about = $2 AND recipient = $3 AND channel = $4 \
        AND kind = 'ALERT' AND created_at > $5 AND state <> 'FAILED'";
    let folded: Vec<(i64,)> = sqlx::query_as(FOLDED)
        .bind(farm)
        .bind(&tell.alert)
        .bind(&to.contact)
        .bind(to.channel.as_str())
        .bind(now)
        .fetch_all(&mut *tx)
        .await?;
    for _ in &folded {
        count(to.channel.as_str(), "folded");
    }
    let (lately,): (i64,) = sqlx::query_as(LATELY)
        .bind(farm)
        .bind(&tell.alert)
        .bind(&to.contact)
        .bind(to.channel.as_str())
        .bind(now - FLAPS_MS)
        .fetch_one(tx)
        .await?;
    Ok((folded.iter().map(|(times,)| times).sum(), lately))
}

/// Takes back what was not told of an alert that is over, and finds whom it was told to.
async fn end(
    tx: &mut SqliteConnection,
    farm: &str,
    tell: &ToTell,
    members: &[Member],
    now: i64,
) -> Result<Vec<Recipient>, sqlx::Error> {
    const OVER: &str = "UPDATE outbox SET state = 'FAILED', reason = 'over', sealed = NULL, changed_at = $3 \
        WHERE farm_id = $1 AND about = $2 AND kind = 'ALERT' AND state = 'QUEUED' AND cause NOT LIKE $4 \
        AND (attempts = 0 OR (reason = 'away' AND channel <> 'WEBHOOK'))";
    // what was tried may have arrived; what is being tried (no reason yet) does
    const TOLD: &str = "SELECT DISTINCT user_id, recipient, channel, language FROM outbox WHERE farm_id = $1 AND about = $2 \
        AND kind = 'ALERT' AND cause NOT LIKE $4 AND (state IN ('SENT', 'DELIVERED', 'READ') OR attempts > 0) AND created_at > \
        COALESCE((SELECT MAX(created_at) FROM outbox WHERE farm_id = $1 AND about = $2 AND kind = 'ALERT' AND cause LIKE $4 \
        AND state <> 'FAILED' AND created_at < $3), 0)";
    let overs = format!("ALERT/{farm}/{}/over/%", tell.alert);
    sqlx::query(OVER)
        .bind(farm)
        .bind(&tell.alert)
        .bind(now)
        .bind(&overs)
        .execute(&mut *tx)
        .await?;
    let told: Vec<WasTold> = sqlx::query_as(TOLD)
        .bind(farm)
        .bind(&tell.alert)
        .bind(now)
        .bind(&overs)
        .fetch_all(tx)
        .await?;
    let recipient = |told: WasTold| {
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
    };
    Ok(told.into_iter().filter_map(recipient).collect())
}
