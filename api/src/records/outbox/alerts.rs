//! Telling people of alerts by what they chose: a message a person and way, none of it twice, none to a contact that is not
//! verified. What has a cause in common is one message ([`super::join`]).

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::{Records, chains};
use super::Content;
use crate::delivery::{Cause, Channel, Part};
use crate::escalation::{Hours, Member};
use crate::language::Language;
use crate::records::sql;

/// Where an alert stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

/// What a message of alerts says of one, in a language.
pub(crate) type SayPart = Arc<dyn Fn(Language) -> Part + Send + Sync>;

/// How many messages were left out, in a language.
pub(crate) type LeftOut = Arc<dyn Fn(Language, i64) -> Content + Send + Sync>;

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

/// Something to be told of an alert, or of a controller that is offline.
#[derive(Clone)]
pub(crate) struct ToTell {
    /// The alert's id, or `controller/` and a MAC.
    pub subject: String,
    /// When it happened; with subject and step it is told once.
    pub at: i64,
    pub step: Step,
    /// When it was raised that time.
    pub raised_at: Option<i64>,
    pub critical: bool,
    /// What else is told by the same message.
    pub cause: Cause,
    /// The farm's name.
    pub farm: String,
    /// For how many minutes nobody has answered, of a later step of the chain.
    pub unanswered_min: Option<i64>,
    /// Where there is more of all alerts.
    pub all: Option<String>,
    /// Whom it tells instead of its own subscribers.
    pub chain: Option<ChainPeople>,
    /// By which ways its people are told, who chose none.
    pub channels: Vec<Channel>,
    /// The e-mail addresses of who is told.
    pub subscribers: Vec<String>,
    pub say: SayPart,
    pub left_out: LeftOut,
}

impl fmt::Debug for ToTell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToTell({} {})", self.subject, self.step.as_str())
    }
}

/// Whom a message goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recipient {
    pub(super) user: Option<String>,
    pub(super) contact: String,
    pub(super) channel: Channel,
    pub(super) language: Language,
    /// When they are told of nothing but what is critical.
    pub(super) quiet: Option<Hours>,
    /// Why nothing is sent there.
    pub(super) refused: Option<&'static str>,
}

impl ToTell {
    /// What makes it one message by a way to a contact: what a chain tells of a raise at once is what its subscribers are told.
    pub(super) fn cause_to(&self, farm: &str, to: &Recipient) -> String {
        format!("{}/{}", self.cause_by(farm, to.channel), to.contact)
    }

    /// The same without the contact.
    pub(super) fn cause_by(&self, farm: &str, channel: Channel) -> String {
        let (subject, at, channel) = (&self.subject, self.at, channel.as_str());
        let step = match self.later_step() {
            Some(step) => format!("step{step}"),
            None => self.step.as_str().to_owned(),
        };
        format!("ALERT/{farm}/{subject}/{step}/{at}/{channel}")
    }

    /// What has this in common is told by one message: the cause, and how far it came.
    pub(super) fn join_key(&self, cause: &Cause) -> String {
        let cause = cause.key();
        match self.later_step() {
            Some(step) => format!("step{step}/{cause}"),
            None => format!("{}/{cause}", self.step.as_str()),
        }
    }

    fn later_step(&self) -> Option<usize> {
        let chain = self.chain.as_ref().filter(|c| !c.is_raise);
        chain.map(|c| c.step)
    }

    pub(super) fn chain_step(&self) -> Option<i64> {
        self.chain.as_ref().and_then(|c| i64::try_from(c.step).ok())
    }
}

impl Records {
    /// Writes what is to be sent of an alert.
    pub(in crate::records) async fn put_alert(
        &self,
        tx: &mut sql::Connection,
        farm: &str,
        tell: &ToTell,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        let members = chains::members(&mut *tx, farm).await?;
        let times = chains::times(&mut *tx, farm).await?;
        let recipients = match (tell.step, &tell.chain) {
            (Step::Over, _) => return self.put_over(tx, farm, tell, &members, now).await,
            (_, Some(chain)) => self.of_chain(chain, tell, &members),
            (Step::Raised | Step::Repeated, None) => self.recipients(tell, &members),
        };
        self.end_earlier(&mut *tx, farm, tell, now).await?;
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
