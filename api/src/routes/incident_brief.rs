//! Where an incident stands, in brief: as lists show it of the alerts that are raised.

use std::collections::BTreeMap;

use harit_engine::{AlertStatus, Engine};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::FarmAccess;
use crate::error::ApiError;
use crate::incidents::{Answer, Answerer, IncidentId, Standing, State};
use crate::records::now_ms;

/// Where an incident stands.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = IncidentBrief)]
pub(super) struct Brief {
    id: String,
    state: State,
    /// Whose answer that is.
    #[schema(required)]
    by: Option<Answerer>,
    /// Until when it is snoozed.
    #[schema(required)]
    until: Option<i64>,
    /// Who looks after it.
    #[schema(required)]
    taken: Option<Answerer>,
}

impl Brief {
    pub(super) fn of(id: &IncidentId, answers: &[Answer], over: bool) -> Self {
        let standing = Standing::of(answers, now_ms());
        if over {
            return Self {
                id: id.to_string(),
                state: State::Over,
                by: None,
                until: None,
                taken: standing.taken().cloned(),
            };
        }
        Self {
            id: id.to_string(),
            state: standing.state(),
            by: standing.by().cloned(),
            until: standing.until(),
            taken: standing.taken().cloned(),
        }
    }

    /// Whether it is that one.
    pub(super) fn is(&self, id: &IncidentId) -> bool {
        self.id == id.to_string()
    }

    /// One that is over, whatever was answered.
    pub(super) fn over(id: &IncidentId) -> Self {
        Self::of(id, &[], true)
    }
}

/// The incidents of the alerts that are raised, by alert.
pub(super) async fn briefs<N>(access: &FarmAccess<N>) -> Result<BTreeMap<String, Brief>, ApiError> {
    let raised = access.hub().read(raised).await?;
    if raised.is_empty() {
        return Ok(BTreeMap::new());
    }
    let answers = access.records().open_answers().await?;
    let brief = |id: IncidentId| {
        let answers = answers.get(&id).map_or(&[][..], Vec::as_slice);
        let brief = Brief::of(&id, answers, false);
        (id.alert, brief)
    };
    Ok(raised.into_iter().map(brief).collect())
}

fn raised(engine: &Engine) -> Vec<IncidentId> {
    engine.alerts().filter_map(|a| incident_of(&a)).collect()
}

/// The incident of an alert that is raised.
pub(super) fn incident_of(alert: &AlertStatus) -> Option<IncidentId> {
    let raised_at = alert.raised_since.filter(|_| alert.active)?;
    Some(IncidentId::new(&alert.spec.id, raised_at.as_millis()))
}
