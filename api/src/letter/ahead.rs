//! What to look at tomorrow, as the farm is now.

use harit_engine::{Engine, RulePhase, Timestamp};
use harit_ingest::log::Named;
use serde::Serialize;
use utoipa::ToSchema;

use super::happened::Open;
use crate::access::{FarmAccess, Needs};
use crate::error::ApiError;
use crate::farm::Unit;
use crate::records::{Decimal, TaskStatus};

/// What to look at tomorrow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterAhead)]
pub(crate) struct Ahead {
    /// Alerts that are raised.
    alerts: Vec<Since>,
    /// Devices that somebody has in manual mode.
    manual: Vec<Held>,
    /// Devices that are locked or in safety mode.
    locked: Vec<Thing>,
    /// Controllers that cannot be reached.
    away: Vec<Thing>,
    /// Sensors whose last reading is too old to count.
    silent: Vec<Since>,
    /// Tasks that are due tomorrow at the latest.
    tasks: Vec<Due>,
    /// What runs low in the store.
    stock: Vec<Low>,
}

/// Something by its name.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = LetterThing)]
pub(crate) struct Thing {
    id: String,
    name: String,
}

/// Something that has been so for a while.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = LetterSince)]
pub(crate) struct Since {
    id: String,
    name: String,
    /// Null where that is not known.
    #[schema(required)]
    since: Option<i64>,
}

/// A device in manual mode.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = LetterHeld)]
pub(crate) struct Held {
    id: String,
    name: String,
    until: i64,
    /// Who has it.
    #[schema(required)]
    by: Option<String>,
}

/// A task that is due.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterTask)]
pub(crate) struct Due {
    id: String,
    title: String,
    /// YYYY-MM-DD
    due_date: String,
    overdue: bool,
}

/// An item that runs low.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = LetterLow)]
pub(crate) struct Low {
    id: String,
    name: String,
    left: Decimal,
    #[schema(value_type = Unit)]
    unit: String,
}

/// What is raised and runs now since before an instant.
pub(super) fn open_before(engine: &Engine, until: i64) -> Open {
    let before = |since: Timestamp| since.as_millis() < until;
    let alerts = engine
        .alerts()
        .filter(|a| a.active && a.raised_since.is_none_or(before));
    let rules = engine
        .rules()
        .filter(|r| matches!(r.phase, RulePhase::Running { since, .. } if before(since)));
    Open {
        alerts: alerts
            .map(|a| Named::new(a.spec.id.to_string(), a.spec.name))
            .collect(),
        rules: rules
            .map(|r| Named::new(r.spec.id.to_string(), r.spec.name))
            .collect(),
    }
}

fn ask(engine: &Engine) -> Ahead {
    let thing = |id: String, name: String| Thing {
        name: if name.is_empty() { id.clone() } else { name },
        id,
    };
    let mut ahead = Ahead::default();
    for a in engine.alerts().filter(|a| a.active) {
        ahead.alerts.push(Since {
            id: a.spec.id.to_string(),
            name: a.spec.name,
            since: a.raised_since.map(Timestamp::as_millis),
        });
    }
    for d in engine.devices() {
        let Thing { id, name } = thing(d.spec.id.to_string(), d.spec.name);
        if !d.locks.is_empty() || d.safety {
            ahead.locked.push(Thing { id, name });
        } else if let Some(manual) = d.manual {
            ahead.manual.push(Held {
                id,
                name,
                until: manual.until.as_millis(),
                by: manual.owner.map(|o| o.name.to_string()),
            });
        }
    }
    // one that never said anything is not set up yet
    let silent = engine.sensors().filter(|s| s.value.is_none());
    for s in silent {
        let Some(read_at) = s.read_at else { continue };
        let Thing { id, name } = thing(s.spec.id.to_string(), s.spec.name.unwrap_or_default());
        let since = Some(read_at.as_millis());
        ahead.silent.push(Since { id, name, since });
    }
    ahead
}

/// What to look at tomorrow, where today and tomorrow are these days.
pub(super) async fn ahead<N: Needs>(
    access: &FarmAccess<N>,
    today: &str,
    tomorrow: &str,
) -> Result<Ahead, ApiError> {
    let hub = access.hub();
    let records = access.records();
    let mut ahead = hub.read(ask).await?;
    let names = records.controllers();
    for status in hub.controllers().await?.into_iter().filter(|c| !c.online) {
        if let Some(known) = names.iter().find(|c| c.mac == status.mac && c.enabled) {
            ahead.away.push(Thing {
                id: known.mac.as_str().to_owned(),
                name: known.name.clone(),
            });
        }
    }
    let tasks = records.tasks().await?.into_iter();
    let due = tasks.filter(|t| t.status != TaskStatus::Closed && *t.due_date <= *tomorrow);
    ahead.tasks = due
        .map(|t| Due {
            overdue: *t.due_date < *today,
            id: t.id,
            title: t.title,
            due_date: t.due_date,
        })
        .collect();
    ahead
        .tasks
        .sort_by(|a, b| (&a.due_date, &a.id).cmp(&(&b.due_date, &b.id)));
    let low = records.low_stock().await?.into_iter();
    ahead.stock = low
        .map(|i| Low {
            id: i.id,
            name: i.name,
            left: i.stock,
            unit: i.unit,
        })
        .collect();
    Ok(ahead)
}
