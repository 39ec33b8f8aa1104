//! Unknown senders: what nobody reads yet, grouped, each number with what it probably is; and taking numbers over, by which the
//! farm gets a profile of its own and the sensors a place.

use std::collections::BTreeMap;

use axum::Json;
use harit_engine::SensorType;
use harit_ingest::dead_letter::{DeadLetter, MAX_STORED, OTHER_TOPICS};
use harit_profiles::{
    Announcement, Announcements, Basis, Candidate, Heard, PayloadKind, Profiles, Sender, grouped,
};
use harit_protocol::Mac;
use harit_protocol::topic::farm_prefix;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{FarmAccess, OperateFarm};
use crate::document::SensorTypeDocument;
use crate::error::ApiError;

/// The most groups of one listing; others are counted.
const MAX_LISTED: usize = 200;
/// Stand for what no profile has, and for what one has and reads nothing of.
const REASONS: [&str; 2] = ["no_profile", "nothing_read"];

/// What nobody reads yet.
#[derive(Serialize, ToSchema)]
#[schema(as = UnknownSenders)]
pub(super) struct UnknownSendersBody {
    senders: Vec<SenderBody>,
    /// How many messages and groups are not listed, because there are too many different ones.
    overflow: u64,
}

/// Messages that look alike, of one controller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UnknownSender)]
pub(super) struct SenderBody {
    /// The MAC of the controller whose account sent them; null of messages from before that was kept.
    #[schema(required)]
    controller: Option<String>,
    /// Their topics as one: levels that vary are captures.
    pattern: String,
    /// Some of them, the latest first.
    topics: Vec<String>,
    /// What the device calls itself.
    #[schema(required)]
    name: Option<String>,
    /// What it says that it is.
    #[schema(required)]
    model: Option<String>,
    /// The latest one, of at most 4,096 bytes; null where messages were announced and none was heard.
    #[schema(required)]
    payload: Option<String>,
    /// How they are written; null of what is neither JSON nor a number.
    #[schema(required)]
    format: Option<FormatBody>,
    count: u64,
    #[schema(required)]
    first_at: Option<i64>,
    #[schema(required)]
    last_at: Option<i64>,
    /// Its numbers, those first of which it can be said what they are.
    numbers: Vec<NumberBody>,
}

/// How messages are written.
#[derive(Debug, Clone, Copy, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = UnknownFormat)]
pub(crate) enum FormatBody {
    /// JSON.
    Json,
    /// A number alone.
    Text,
}

/// On what a proposal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = UnknownBasis)]
enum BasisBody {
    /// The name of the value.
    Name,
    /// Its unit alone, which several types have.
    Unit,
    /// What the device announced.
    Announced,
}

/// A number of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UnknownNumber)]
struct NumberBody {
    /// Where it stands; empty of a message that is the number.
    at: String,
    /// The key or the level of the topic that names it.
    key: String,
    /// What the device calls it.
    #[schema(required)]
    name: Option<String>,
    /// As it is written; null where it was announced and not heard.
    #[schema(required)]
    value: Option<String>,
    /// What it can be, the likeliest first.
    #[schema(value_type = Vec<SensorTypeDocument>)]
    types: Vec<SensorType>,
    /// Its unit, as far as that is known.
    #[schema(required)]
    unit: Option<String>,
    /// Whether type and unit need no second look.
    sure: bool,
    #[schema(required)]
    basis: Option<BasisBody>,
    /// Whether the farm reads it by now.
    read: bool,
}

impl From<PayloadKind> for FormatBody {
    fn from(kind: PayloadKind) -> Self {
        match kind {
            PayloadKind::Json => Self::Json,
            _ => Self::Text,
        }
    }
}

impl From<FormatBody> for PayloadKind {
    fn from(format: FormatBody) -> Self {
        match format {
            FormatBody::Json => Self::Json,
            FormatBody::Text => Self::Text,
        }
    }
}

impl From<Basis> for BasisBody {
    fn from(basis: Basis) -> Self {
        match basis {
            Basis::Name => Self::Name,
            Basis::Unit => Self::Unit,
            Basis::Announced => Self::Announced,
        }
    }
}

/// What the listing is made of.
struct Known<'a> {
    announced: &'a BTreeMap<Mac, Announcements>,
    profiles: &'a Profiles,
}

impl Known<'_> {
    fn announcements(&self, from: Option<&str>) -> Option<&Announcements> {
        self.announced.get(&Mac::parse(from?).ok()?)
    }

    /// Whether the farm reads a number by now.
    fn reads(&self, topic: &str, kind: PayloadKind, number: &Candidate) -> bool {
        let values = number.value.as_deref().into_iter().chain(["50"]);
        values
            .map(|value| self.profiles.read_at(topic, kind, &number.at, value))
            .any(|readings| !readings.is_empty())
    }

    fn number(&self, topic: &str, kind: PayloadKind, number: Candidate) -> NumberBody {
        NumberBody {
            read: self.reads(topic, kind, &number),
            at: number.at,
            key: number.name,
            name: number.called,
            value: number.value,
            types: number.types,
            unit: number.unit,
            sure: number.is_sure,
            basis: number.basis.map(BasisBody::from),
        }
    }

    fn sender(&self, group: Sender<DeadLetter>) -> Option<SenderBody> {
        let latest = group.heard.first()?;
        let topic = latest.topic.clone();
        let announced = self.announcements(group.from.as_deref());
        let kind = group.payload.unwrap_or_default();
        let of = |c: &Candidate| announced.and_then(|all| all.of(&topic, &c.at));
        let with_news = |c: Candidate| match of(&c) {
            Some(news) => Candidate {
                value: c.value,
                ..news.candidate.clone()
            },
            None => c,
        };
        let numbers = group.candidates.into_iter().map(with_news);
        let numbers: Vec<_> = numbers.map(|c| self.number(&topic, kind, c)).collect();
        let thing = announced.and_then(|all| all.thing_of(&topic));
        let letters = || group.heard.iter().map(|h| &h.more);
        let body = SenderBody {
            topics: group.heard.iter().map(|h| h.topic.clone()).collect(),
            payload: Some(String::from_utf8_lossy(&latest.payload).into_owned()),
            format: group.payload.map(FormatBody::from),
            count: letters().map(|l| l.count).sum(),
            first_at: letters().map(|l| l.first_at.as_millis()).min(),
            last_at: letters().map(|l| l.last_at.as_millis()).max(),
            name: thing.and_then(|t| t.name.clone()),
            model: thing.and_then(|t| t.model.clone()),
            controller: group.from,
            pattern: group.pattern,
            numbers,
        };
        let is_known = self.profiles.knows(&topic) && latest.more.reason == "no_profile";
        let left = |n: &NumberBody| !n.read && !n.types.is_empty();
        let any = body.numbers.iter().any(left);
        let nothing_read = !is_known && !body.numbers.iter().any(|n| n.read);
        (any || nothing_read).then_some(body)
    }

    /// What was announced and is not read as that, of topics that are not among the heard ones.
    fn announced_only(&self, heard: &[SenderBody]) -> Vec<SenderBody> {
        let mut all: BTreeMap<(Mac, &str), Vec<&Announcement>> = BTreeMap::new();
        for (mac, of_it) in self.announced {
            for news in of_it.numbers().filter(|news| !self.profiles.reads(news)) {
                let is_heard = |s: &SenderBody| {
                    s.controller.as_deref() == Some(mac.as_str()) && s.topics.contains(&news.topic)
                };
                // What people took over otherwise than it was announced is read, too.
                let own = self.reads(&news.topic, news.payload, &news.candidate)
                    && self.profiles.is_own(&news.topic);
                if !own && !heard.iter().any(is_heard) {
                    all.entry((*mac, &news.topic)).or_default().push(news);
                }
            }
        }
        let body = |((mac, topic), news): ((Mac, &str), Vec<&Announcement>)| {
            let thing = self.announced.get(&mac)?.thing_of(topic);
            let numbers = news.iter().map(|n| {
                let mut number = self.number(topic, n.payload, n.candidate.clone());
                number.read = false;
                number
            });
            Some(SenderBody {
                controller: Some(mac.to_string()),
                pattern: topic.to_owned(),
                topics: vec![topic.to_owned()],
                name: thing.and_then(|t| t.name.clone()),
                model: thing.and_then(|t| t.model.clone()),
                payload: None,
                format: news.first().map(|n| n.payload.into()),
                count: 0,
                first_at: None,
                last_at: None,
                numbers: numbers.collect(),
            })
        };
        all.into_iter().filter_map(body).collect()
    }
}

/// The unknown senders
///
/// What controllers' accounts sent on topics that no profile has, or of which it reads nothing, and what devices announced
/// and nobody reads; the latest first. What it probably is, is proposed: a person decides. For OWNER and ADMIN.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/unknown-senders", tag = "operation",
    operation_id = "list_unknown_senders", summary = "List unknown senders",
    responses((status = OK, body = UnknownSendersBody))
)]
pub(super) async fn list(
    access: FarmAccess<OperateFarm>,
) -> Result<Json<UnknownSendersBody>, ApiError> {
    let letters = access.hub().dead_letters(MAX_STORED).await?;
    let prefix = farm_prefix(access.farm());
    let (mut heard, mut overflow) = (Vec::new(), 0);
    for letter in letters {
        if !REASONS.contains(&letter.reason.as_str()) {
            continue;
        }
        if letter.topic == OTHER_TOPICS {
            overflow += letter.count;
            continue;
        }
        let own = letter.topic.strip_prefix(&prefix);
        let (from, topic) = match own.and_then(|rest| rest.split_once(" -> ")) {
            Some((mac, topic)) => (Some(mac.to_owned()), topic.to_owned()),
            None => (None, letter.topic.clone()),
        };
        heard.push(Heard {
            from,
            topic,
            payload: letter.payload.clone(),
            more: letter,
        });
    }
    let mut announced = access.hub().announced();
    announced.retain(|mac, _| access.records().controller(*mac).is_some());
    let profiles = access.hub().profiles();
    let known = Known {
        announced: &announced,
        profiles: &profiles,
    };
    let groups = grouped(heard).into_iter();
    let mut senders: Vec<_> = groups.filter_map(|group| known.sender(group)).collect();
    senders.extend(known.announced_only(&senders));
    overflow += announced.values().map(Announcements::overflow).sum::<u64>();
    overflow += senders.len().saturating_sub(MAX_LISTED) as u64;
    senders.truncate(MAX_LISTED);
    Ok(Json(UnknownSendersBody { senders, overflow }))
}
