//! Who was told of an incident, and whom the farm's chain tells next.

use harit_engine::AlertSeverity;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::escalation::{Course, Who};
use crate::incidents::{self, Answer, IncidentId};
use crate::notifications::chain_subject;
use crate::records::{FarmRecords, ToldMessage, now_ms};

/// A message that told somebody of an incident.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentTold)]
pub(super) struct ToldBody {
    id: String,
    /// Which step of the farm's chain it was, counted from 0; null where the alert itself names the person, and of its end.
    #[schema(required)]
    step: Option<i64>,
    #[schema(required)]
    user_id: Option<String>,
    /// Null where the account is gone.
    #[schema(required)]
    name: Option<String>,
    /// EMAIL, SMS or WHATSAPP
    channel: String,
    /// QUEUED, SENT, DELIVERED, READ or FAILED
    state: String,
    /// Why it waits or was given up, as the deliveries have it.
    #[schema(required)]
    reason: Option<String>,
    created_at: i64,
    /// Until when it waits, of a QUEUED one.
    #[schema(required)]
    next_try_at: Option<i64>,
    #[schema(required)]
    sent_at: Option<i64>,
}

impl From<ToldMessage> for ToldBody {
    fn from(m: ToldMessage) -> Self {
        Self {
            id: m.id,
            step: m.step,
            user_id: m.user_id,
            name: m.name,
            channel: m.channel,
            next_try_at: (m.state == "QUEUED").then_some(m.next_try_at),
            state: m.state,
            reason: m.reason,
            created_at: m.created_at,
            sent_at: m.sent_at,
        }
    }
}

/// The step that is told next.
#[derive(Serialize, ToSchema)]
#[schema(as = IncidentNextStep)]
pub(super) struct NextStepBody {
    /// Its place in the chain, counted from 0.
    step: usize,
    who: Who,
    at: i64,
    /// The names of whom that would mean now.
    people: Vec<String>,
}

/// The step that is told next of an incident that is raised, if nobody answers.
pub(super) async fn next_step(
    records: &FarmRecords,
    id: &IncidentId,
    severity: AlertSeverity,
    answers: &[Answer],
) -> Result<Option<NextStepBody>, ApiError> {
    let now = now_ms();
    let told = records.told().await?;
    let before = told.get(&chain_subject(id));
    let before = before.map(|t| Course::read(&t.state, t.at));
    let is_open = incidents::is_to_be_told(answers, severity, now);
    let Course::Waits(progress) = Course::next(before, is_open, id.raised_at, now) else {
        return Ok(None);
    };
    let chain = records.chain().await?.unwrap_or_default();
    let Some((step, at)) = chain.following(severity, progress) else {
        return Ok(None);
    };
    let Some(spec) = chain.0.get(step) else {
        return Ok(None);
    };
    let (members, duties) = (records.members().await?, records.duties().await?);
    let times = records.times().await?;
    let people = spec.who.of(&members, &duties, &times, at);
    Ok(Some(NextStepBody {
        step,
        who: spec.who.clone(),
        at,
        people: people.into_iter().map(|m| m.name.clone()).collect(),
    }))
}
