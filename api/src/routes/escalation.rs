//! Who is told of a farm's alerts: the chain, the roster, and whom that means now.

use axum::Json;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::wrong::Wrong;
use crate::access::{FarmAccess, ReadFarm, WriteAlerts};
use crate::audit::Action;
use crate::delivery::Channel;
use crate::error::{ApiError, Body};
use crate::escalation::{
    Chain, ChainStep, Duty, Hours, MAX_AFTER_MIN, MAX_NAMED, MAX_STEPS, Member, Times, Who,
};
use crate::language::Text;
use crate::records::now_ms;
use crate::role::Role;
use crate::version::{Tagged, Versioned, etag};

/// The most times of a roster.
const MAX_DUTIES: usize = 200;

/// When somebody is on duty, every week anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = DutyTime)]
pub(super) struct DutyBody {
    /// The person's id.
    user_id: String,
    /// The weekdays on which it begins: 1 is Monday, 7 is Sunday.
    #[schema(min_items = 1, max_items = 7)]
    days: Vec<i64>,
    /// HH:MM by the farm's clock.
    #[schema(example = "22:00")]
    from: String,
    /// HH:MM; where it is no later than `from`, on the day after.
    #[schema(example = "06:00")]
    to: String,
}

/// The chain and the roster, to be put in place of what is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EscalationInput)]
pub(super) struct EscalationInput {
    /// At most 10, told in the order of their minutes.
    #[schema(max_items = 10)]
    steps: Vec<ChainStep>,
    /// At most 200.
    #[schema(max_items = 200)]
    duties: Vec<DutyBody>,
}

/// Somebody who can be told.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EscalationPerson)]
pub(super) struct PersonBody {
    id: String,
    name: String,
    role: Role,
    /// Whether a message reaches them: a verified contact, and a gateway that is set for it.
    reached: bool,
    /// Whether they are on duty now, by the roster.
    on_duty: bool,
}

/// Who is told of a farm's alerts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Escalation)]
pub(super) struct EscalationBody {
    #[serde(flatten)]
    written: EscalationInput,
    /// Whether it is the chain that every farm begins with.
    is_default: bool,
    /// Everybody who belongs to the farm and is let in, by name.
    people: Vec<PersonBody>,
    /// Whom `on_duty` means now, by id: who is on duty, else who stands in.
    told_now: Vec<String>,
    /// The farm's, an IANA name.
    timezone: String,
    etag: String,
}

impl Versioned for EscalationBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

fn clock(minutes: i64) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Minutes of the day; none where it is no HH:MM.
pub(super) fn minutes(clock: &str) -> Option<i64> {
    let (hour, minute) = clock.split_once(':')?;
    let part = |text: &str| {
        let digits = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<i64>().ok().filter(|_| digits)
    };
    let (hour, minute) = (part(hour)?, part(minute)?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

impl DutyBody {
    fn of(duty: Duty) -> Self {
        let hours = duty.hours;
        Self {
            user_id: duty.user_id,
            days: (1..=7)
                .filter(|d| hours.days & (1 << (d - 1)) != 0)
                .collect(),
            from: clock(hours.from),
            to: clock(hours.to),
        }
    }

    fn hours(&self) -> Option<Hours> {
        let is_right = self.days.iter().all(|d| (1..=7).contains(d));
        let days = self.days.iter().filter(|_| is_right);
        let days = days.fold(0, |all, d| all | (1 << (d - 1)));
        Hours::new(days, minutes(&self.from)?, minutes(&self.to)?)
    }
}

impl EscalationInput {
    /// What is wrong with it, and the times of its roster.
    fn read(&self, members: &[Member]) -> Result<(Chain, Vec<Duty>), ApiError> {
        let mut wrong = Wrong::default();
        let belongs = |id: &String| members.iter().any(|m| m.id == *id);
        if self.steps.len() > MAX_STEPS {
            wrong.say("steps", "too_many", Text::FieldOutOfRange);
        }
        for (n, step) in self.steps.iter().enumerate() {
            if !(0..=MAX_AFTER_MIN).contains(&step.after_min) {
                let field = format!("steps[{n}].afterMin");
                wrong.say(&field, "out_of_range", Text::FieldOutOfRange);
            }
            if step.severities.is_empty() {
                let field = format!("steps[{n}].severities");
                wrong.say(&field, "required", Text::FieldRequired);
            }
            if let Who::People { people } = &step.who {
                let field = format!("steps[{n}].who.people");
                if people.is_empty() {
                    wrong.say(&field, "required", Text::FieldRequired);
                } else if people.len() > MAX_NAMED {
                    wrong.say(&field, "too_many", Text::FieldOutOfRange);
                } else if !people.iter().all(belongs) {
                    wrong.say(&field, "unknown", Text::NotFound);
                }
            }
        }
        if self.duties.len() > MAX_DUTIES {
            wrong.say("duties", "too_many", Text::FieldOutOfRange);
        }
        let mut duties = Vec::new();
        for (n, duty) in self.duties.iter().enumerate() {
            if !belongs(&duty.user_id) {
                let field = format!("duties[{n}].userId");
                wrong.say(&field, "unknown", Text::NotFound);
            }
            match duty.hours() {
                Some(hours) => duties.push(Duty {
                    user_id: duty.user_id.clone(),
                    hours,
                }),
                None => {
                    let field = format!("duties[{n}].hours");
                    wrong.say(&field, "invalid", Text::FieldOutOfRange);
                }
            }
        }
        wrong.done()?;
        let mut steps = self.steps.clone();
        steps.sort_by_key(|step| step.after_min);
        Ok((Chain(steps), duties))
    }
}

async fn body<N>(access: &FarmAccess<N>) -> Result<EscalationBody, ApiError> {
    let records = access.records();
    let farm = records.farm_row().await?.ok_or_else(ApiError::not_found)?;
    let times = Times::of(&farm.timezone);
    let (chain, duties) = (records.chain().await?, records.duties().await?);
    let members = records.members().await?;
    let (now, ways) = (now_ms(), records.ways());
    let told_now = Who::OnDuty.of(&members, &duties, &times, now);
    let told_now = told_now.into_iter().map(|m| m.id.clone()).collect();
    let leads = |m: &Member| {
        let all = Channel::PEOPLE.iter();
        { all }.any(|c| ways.has(*c) && !m.contacts(*c).is_empty())
    };
    let on_duty = |m: &Member| {
        let mut own = duties.iter().filter(|d| d.user_id == m.id);
        own.any(|d| times.covers(&d.hours, now))
    };
    let person = |m: &Member| PersonBody {
        id: m.id.clone(),
        name: m.name.clone(),
        role: m.role,
        reached: leads(m),
        on_duty: on_duty(m),
    };
    let people = members.iter().map(person).collect();
    let written = EscalationInput {
        steps: chain.clone().unwrap_or_default().0,
        duties: duties.into_iter().map(DutyBody::of).collect(),
    };
    Ok(EscalationBody {
        etag: etag(&written),
        is_default: chain.is_none(),
        written,
        people,
        told_now,
        timezone: farm.timezone,
    })
}

/// Who is told of alerts
///
/// The farm's chain and roster, everybody who can be named in them, and who is on duty now. A step tells when nobody has answered
/// for so many minutes since the alert was raised; whoever answers ends it. A farm begins with: who is on duty at once, where
/// nobody is the farm managers; after 10 minutes the farm managers; after 20 minutes, of what is critical, the owners.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/escalation", tag = "automation", operation_id = "get_escalation",
    summary = "Get who is told of alerts", responses((status = OK, body = EscalationBody))
)]
pub(super) async fn get(access: FarmAccess<ReadFarm>) -> Result<Tagged<EscalationBody>, ApiError> {
    Ok(Tagged(body(&access).await?))
}

/// Says who is told of alerts
///
/// In place of the chain and the roster that were there. A chain without steps tells only whom each alert names.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/escalation", tag = "automation", operation_id = "replace_escalation",
    summary = "Replace who is told of alerts", request_body = EscalationInput,
    responses((status = OK, body = EscalationBody))
)]
pub(super) async fn put(
    access: FarmAccess<WriteAlerts>,
    Body(request): Body<EscalationInput>,
) -> Result<Tagged<EscalationBody>, ApiError> {
    let (chain, duties) = request.read(&access.records().members().await?)?;
    let mut write = access.write().await?;
    let before = body(&access).await?;
    let farm = access.farm().as_str().to_owned();
    access.expect(&farm, &before).await?;
    write.set_chain(&chain, &duties).await?;
    let details = json!({"steps": chain, "duties": duties.len()});
    write
        .commit(Action::EscalationChanged, &farm, details)
        .await?;
    Ok(Tagged(body(&access).await?))
}

/// How somebody is told; what they chose.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ToldChoice)]
pub(super) struct ChoiceBody {
    /// EMAIL, SMS, WHATSAPP, PUSH; null leaves it to each alert.
    #[serde(default)]
    #[schema(required)]
    ways: Option<Vec<String>>,
    /// When they are told of nothing but what is critical; null for never.
    #[serde(default)]
    #[schema(required)]
    quiet: Option<QuietBody>,
}

/// From one time of every day to another, by the clock of the farm that tells.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = QuietHours)]
pub(super) struct QuietBody {
    /// HH:MM
    #[schema(example = "22:00")]
    from: String,
    /// HH:MM
    #[schema(example = "06:00")]
    to: String,
}

pub(super) mod own {
    //! What a person chooses of how they are told.

    use super::{
        ApiError, Body, Channel, ChoiceBody, Json, QuietBody, Text, Wrong, clock, minutes,
    };
    use crate::access::Caller;
    use crate::records::ToldChoice;

    /// How the caller is told
    #[utoipa::path(
        get, path = "/auth/me/told", tag = "auth", operation_id = "get_told_choice", summary = "Get how one is told",
        responses((status = OK, body = ChoiceBody))
    )]
    pub(in crate::routes) async fn get(caller: Caller) -> Result<Json<ChoiceBody>, ApiError> {
        Ok(Json(shown(&caller.told_choice().await?)))
    }

    fn shown(choice: &ToldChoice) -> ChoiceBody {
        let words = |all: &Vec<Channel>| all.iter().map(|w| w.as_str().to_owned()).collect();
        ChoiceBody {
            ways: choice.ways.as_ref().map(words),
            quiet: choice.quiet.map(|(from, to)| QuietBody {
                from: clock(from),
                to: clock(to),
            }),
        }
    }

    /// Chooses how the caller is told
    ///
    /// By which ways, where a contact for them is verified, and when not: in quiet hours a message waits until they end, unless
    /// the alert is critical, and is not sent if the alert is over or answered by then.
    #[utoipa::path(
        put, path = "/auth/me/told", tag = "auth", operation_id = "put_told_choice", summary = "Choose how one is told",
        request_body = ChoiceBody, responses((status = OK, body = ChoiceBody))
    )]
    pub(in crate::routes) async fn put(
        caller: Caller,
        Body(request): Body<ChoiceBody>,
    ) -> Result<Json<ChoiceBody>, ApiError> {
        let mut wrong = Wrong::default();
        let way = |word: &String| Channel::parse(word).filter(|c| Channel::PEOPLE.contains(c));
        let ways = { request.ways.as_ref() }.map(|all| {
            let read: Vec<Channel> = all.iter().filter_map(way).collect();
            if read.is_empty() || read.len() < all.len() {
                wrong.say("ways", "invalid", Text::FieldRequired);
            }
            let mut read = read;
            read.sort_unstable();
            read.dedup();
            read
        });
        let quiet = request.quiet.as_ref().and_then(|quiet| {
            let read = minutes(&quiet.from).zip(minutes(&quiet.to));
            let read = read.filter(|(from, to)| from != to);
            if read.is_none() {
                wrong.say("quiet", "invalid", Text::FieldOutOfRange);
            }
            read
        });
        wrong.done()?;
        let choice = ToldChoice { ways, quiet };
        caller.choose_told(&choice).await?;
        Ok(Json(shown(&choice)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_two_digits_and_two() {
        assert_eq!(minutes("00:00"), Some(0));
        assert_eq!(minutes("23:59"), Some(1_439));
        for wrong in [
            "24:00", "12:60", "1:00", "", "aa:bb", "12:0", "+1:00", "12:00:00",
        ] {
            assert_eq!(minutes(wrong), None, "{wrong}");
        }
        for n in [0, 75, 1_439] {
            assert_eq!(minutes(&clock(n)), Some(n));
        }
    }

    #[test]
    fn days_are_kept() {
        let body = DutyBody {
            user_id: "a".into(),
            days: vec![1, 5, 7],
            from: "22:00".into(),
            to: "06:00".into(),
        };
        let hours = body.hours().expect("hours");
        let user_id = "a".to_owned();
        assert_eq!(DutyBody::of(Duty { user_id, hours }), body);
        let wrong = DutyBody {
            days: vec![0, 8],
            ..body
        };
        assert!(wrong.hours().is_none());
    }
}
