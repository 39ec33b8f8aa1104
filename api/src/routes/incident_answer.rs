//! An answer to an incident: what a request says, whether the caller may say it, and what was answered.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::wrong::{TextField, Wrong};
use crate::access::{FarmAccess, Needs, QuietAlerts};
use crate::audit::Action;
use crate::error::ApiError;
use crate::incidents::{Answer, AnswerKind, Answerer, Standing, State};
use crate::language::Text;

/// The shortest and the longest snooze, in minutes.
const SNOOZE_MINUTES: std::ops::RangeInclusive<i64> = 5..=1_440;
const NOTE: TextField = TextField {
    name: "note",
    max_chars: 500,
    too_long: Text::FieldTooLong,
    lines: true,
};

/// What somebody answered to an incident.
#[derive(Serialize, ToSchema)]
#[schema(as = IncidentAnswer)]
pub(super) struct AnswerBody {
    id: String,
    kind: AnswerKind,
    by: Answerer,
    at: i64,
    /// Until when, of a snooze.
    #[schema(required)]
    until: Option<i64>,
    #[schema(required)]
    note: Option<String>,
    /// By what, other than the console: EMAIL, SMS or WHATSAPP.
    #[schema(required)]
    way: Option<String>,
}

impl From<Answer> for AnswerBody {
    fn from(answer: Answer) -> Self {
        Self {
            id: answer.id,
            kind: answer.kind,
            by: answer.by,
            at: answer.at,
            until: answer.until,
            note: answer.note,
            way: answer.way,
        }
    }
}

/// An answer to an incident.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewIncidentAnswer)]
pub(super) struct AnswerRequest {
    pub(super) kind: AnswerKind,
    /// For how long, of a snooze, which needs it: 5 to 1440.
    #[schema(minimum = 5, maximum = 1440)]
    minutes: Option<i64>,
    /// In the person's words, up to 500 characters.
    #[schema(max_length = 500)]
    note: Option<String>,
}

impl AnswerRequest {
    /// An answer without a note.
    pub(super) const fn of(kind: AnswerKind, minutes: Option<i64>) -> Self {
        Self {
            kind,
            minutes,
            note: None,
        }
    }

    /// The note, and the minutes of a snooze.
    pub(super) fn read(&self) -> Result<(Option<String>, Option<i64>), ApiError> {
        let mut wrong = Wrong::default();
        let note = wrong.text(&NOTE, self.note.as_deref());
        match (self.kind, self.minutes) {
            (AnswerKind::Snooze, Some(minutes)) if SNOOZE_MINUTES.contains(&minutes) => {}
            (AnswerKind::Snooze, None) => {
                wrong.say("minutes", "required", Text::FieldRequired);
            }
            (AnswerKind::Snooze, _) | (_, Some(_)) => {
                wrong.say("minutes", "out_of_range", Text::FieldOutOfRange);
            }
            (_, None) => {}
        }
        wrong.done()?;
        Ok((note, self.minutes))
    }
}

/// Whether the caller may answer so.
pub(super) fn may<N>(
    access: &FarmAccess<N>,
    kind: AnswerKind,
    standing: &Standing,
) -> Result<(), ApiError> {
    let own = || {
        let id = standing.by().and_then(|by| by.id.as_deref());
        standing.state() == State::Open || id == Some(access.user().id.as_str())
    };
    let may = match kind {
        AnswerKind::OnIt => true,
        AnswerKind::Reopen => QuietAlerts::allows(access.role()) || own(),
        AnswerKind::Acknowledge | AnswerKind::Snooze | AnswerKind::FalseAlarm => {
            QuietAlerts::allows(access.role())
        }
    };
    may.then_some(()).ok_or_else(ApiError::not_permitted)
}

pub(super) const fn action(kind: AnswerKind) -> Action {
    match kind {
        AnswerKind::OnIt => Action::IncidentTaken,
        AnswerKind::Acknowledge => Action::IncidentAcknowledged,
        AnswerKind::Snooze => Action::IncidentSnoozed,
        AnswerKind::FalseAlarm => Action::IncidentFalse,
        AnswerKind::Reopen => Action::IncidentReopened,
    }
}
