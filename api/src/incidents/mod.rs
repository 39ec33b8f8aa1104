//! Incidents: each time that an alert is raised is one, with an id that links name, and with what people answered to it. What was
//! answered says who looks after it and whether it is told again; nothing that the engine does depends on it
//! ([decision 18](../../../docs/decisions/0018-incidents-are-answered.md)).

mod standing;

use std::fmt;

use harit_engine::AlertSeverity;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub(crate) use standing::{Standing, State};

/// The most answers of an incident.
pub(crate) const MAX_ANSWERS: usize = 100;

/// Which incident: the alert, and when it was raised.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct IncidentId {
    pub alert: String,
    pub raised_at: i64,
}

impl IncidentId {
    pub(crate) fn new(alert: impl fmt::Display, raised_at: i64) -> Self {
        Self {
            alert: alert.to_string(),
            raised_at,
        }
    }

    /// Reads `{raised at}-{alert}`; none where it is something else, such as an alert's id alone.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (raised_at, alert) = text.split_once('-')?;
        let digits = !raised_at.is_empty() && raised_at.bytes().all(|b| b.is_ascii_digit());
        Some(Self::new(alert, raised_at.parse().ok().filter(|_| digits)?))
    }
}

impl fmt::Display for IncidentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.raised_at, self.alert)
    }
}

/// What somebody answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[schema(as = AnswerKind)]
pub(crate) enum AnswerKind {
    /// Looks after it.
    OnIt,
    /// Has seen it, and wants to be told no more.
    Acknowledge,
    /// Wants to be told no more for a while.
    Snooze,
    /// There is nothing wrong, whatever the sensors say.
    FalseAlarm,
    /// Takes back what was answered.
    Reopen,
}

/// Who answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Answerer)]
pub(crate) struct Answerer {
    /// Null where the account is gone.
    #[schema(required)]
    pub id: Option<String>,
    pub name: String,
}

/// What somebody answered to an incident.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub id: String,
    pub by: Answerer,
    pub kind: AnswerKind,
    /// How much the alert mattered then.
    pub severity: AlertSeverity,
    /// Until when, of a snooze.
    pub until: Option<i64>,
    pub note: Option<String>,
    /// By what, other than the console: a word.
    pub way: Option<String>,
    pub at: i64,
}

/// Whether an incident that is raised is to be told now: when it repeats, and to whoever is next when nobody answers. The raise
/// itself and its end are always told.
pub(crate) fn is_to_be_told(answers: &[Answer], severity: AlertSeverity, now: i64) -> bool {
    Standing::of(answers, now).is_to_be_told(severity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back_and_an_alerts_id_is_none() {
        let id = IncidentId::new("alert-17-b", 1_764_000_000_000);
        assert_eq!(id.to_string(), "1764000000000-alert-17-b");
        assert_eq!(IncidentId::parse(&id.to_string()), Some(id));
        for other in [
            "alert-17",
            "-5-a",
            "+5-a",
            "5",
            "",
            "99999999999999999999-a",
        ] {
            assert_eq!(IncidentId::parse(other), None, "{other}");
        }
    }
}
