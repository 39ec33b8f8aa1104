//! What in a farm is not on automatic, and what would give it back: the reasons of its verdict as far as they are about that, and
//! the alerts that nobody is told of.

use axum::Json;
use harit_engine::verdict::{Reason, Thing, What};
use harit_engine::{AlertStatus, Engine, LockKind, SensorType, Timestamp};
use harit_ingest::lease::LEASE_UNPROVEN;
use harit_protocol::Mac;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{FarmAccess, ReadFarm};
use crate::audit::Action;
use crate::document::SensorTypeDocument;
use crate::error::ApiError;
use crate::incidents::{IncidentId, Standing, State};
use crate::manual_since::ManualSince;
use crate::records::{FarmRecords, now_ms};

/// The most that are listed; further ones are counted.
const MAX_LISTED: usize = 200;

/// What in a farm is not on automatic.
#[derive(Serialize, ToSchema)]
#[schema(as = Exceptions)]
pub(super) struct ExceptionsBody {
    /// How many there are.
    count: usize,
    /// The first 200: what a person stopped or has first, of one kind the longest first.
    items: Vec<ExceptionBody>,
}

/// Something that is not on automatic.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Exception)]
pub(super) struct ExceptionBody {
    kind: ExceptionKind,
    /// Its id: the device's, the rule's, the alert's, of a muted one the incident's, the controller's MAC; null of several sensors.
    #[schema(required)]
    id: Option<String>,
    /// Its name, or the first few of several sensors.
    names: Vec<String>,
    /// How many there are of it: of silent sensors more than one.
    count: usize,
    /// What silent sensors measure.
    #[schema(required, value_type = Option<SensorTypeDocument>)]
    sensor_type: Option<SensorType>,
    /// The polyhouse; null for the farm.
    #[schema(required)]
    polyhouse_id: Option<String>,
    /// Who, where it was a person and is known.
    #[schema(required)]
    by: Option<String>,
    /// Since when, as far as that is known.
    #[schema(required)]
    since: Option<i64>,
    /// When it ends by itself.
    #[schema(required)]
    until: Option<i64>,
    /// Why, in the words of who did it.
    #[schema(required)]
    reason: Option<String>,
}

/// What is so, in the order in which they are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ExceptionKind)]
enum ExceptionKind {
    /// A device is stopped by a person.
    Stop,
    /// A person has a device.
    Override,
    /// A device is locked.
    Lock,
    /// A device is in safety mode.
    Safety,
    /// It was never shown that a device goes off by itself: it is locked until then.
    LeaseUnproven,
    /// A rule that is deployed is disabled.
    RuleDisabled,
    /// A rule that ran is a draft again.
    RuleDraft,
    /// An alert watches nothing.
    AlertDisabled,
    /// Nobody is told again of an alert that is raised.
    AlertMuted,
    /// A controller cannot be reached.
    ControllerOffline,
    /// A device cannot be reached.
    DeviceOffline,
    /// Sensors have no fresh value.
    SensorsSilent,
}

/// What is not on automatic
///
/// Overrides, stops and locks, rules and alerts out of service, alerts of which nobody is told again, and what cannot be heard.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/exceptions", tag = "automation",
    operation_id = "list_exceptions", summary = "List what is not on automatic",
    responses((status = OK, body = ExceptionsBody))
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<ExceptionsBody>, ApiError> {
    let verdict = access.hub().verdict().await?;
    let unknown = |r: &Reason| matches!(r.what, What::NoAnswer | What::EngineFailed);
    if verdict.all.iter().any(unknown) {
        return Err(ApiError::unavailable());
    }
    let records = access.records();
    let mut all: Vec<ExceptionBody> = { verdict.all.iter() }
        .filter_map(|reason| of_reason(reason, &records))
        .collect();
    let by_hand = all.iter().filter(|e| e.kind == ExceptionKind::Override);
    let since = ManualSince::of(&access, by_hand.filter_map(|e| e.id.as_deref())).await?;
    for held in all.iter_mut().filter(|e| e.kind == ExceptionKind::Override) {
        let since = held.id.as_deref().and_then(|id| since.get(id));
        held.since = since.map(Timestamp::as_millis);
    }
    all.extend(alerts(&access).await?);
    switched_off(&mut all, &records).await?;
    all.sort_by_key(|e| (e.kind, e.since.unwrap_or(i64::MAX)));
    let count = all.len();
    all.truncate(MAX_LISTED);
    Ok(Json(ExceptionsBody { count, items: all }))
}

/// A reason of the verdict, as far as something is not on automatic by it.
fn of_reason(reason: &Reason, records: &FarmRecords) -> Option<ExceptionBody> {
    let (kind, id, names) = match &reason.what {
        What::Locked {
            device,
            kind,
            reason,
            ..
        } => {
            let kind = match kind {
                LockKind::Stop => ExceptionKind::Stop,
                LockKind::Controller if &**reason == LEASE_UNPROVEN => ExceptionKind::LeaseUnproven,
                _ => ExceptionKind::Lock,
            };
            one(kind, &device.id, device)
        }
        What::Override { device, .. } => one(ExceptionKind::Override, &device.id, device),
        What::Safety(device) => one(ExceptionKind::Safety, &device.id, device),
        What::DeviceOffline(device) => one(ExceptionKind::DeviceOffline, &device.id, device),
        What::RuleOff { rule, draft: true } => one(ExceptionKind::RuleDraft, &rule.id, rule),
        What::RuleOff { rule, .. } => one(ExceptionKind::RuleDisabled, &rule.id, rule),
        What::ControllerOffline { controller, .. } => {
            let mac = Mac::parse(controller).ok();
            let known = mac.and_then(|mac| records.controller(mac));
            let name = known.map(|c| c.name).filter(|n| !n.is_empty());
            let name = name.unwrap_or_else(|| controller.to_string());
            let kind = ExceptionKind::ControllerOffline;
            (kind, Some(controller.to_string()), vec![name])
        }
        What::NoSignal { sensors, .. } => {
            let names = sensors.iter().map(|s| shown(&s.name, s.id.as_str()));
            let only = sensors.first().filter(|_| sensors.len() == 1);
            let id = only.map(|s| s.id.to_string());
            (ExceptionKind::SensorsSilent, id, names.collect())
        }
        _ => return None,
    };
    let (count, sensor_type) = match &reason.what {
        What::NoSignal {
            silent,
            sensor_type,
            ..
        } => (*silent, Some(*sensor_type)),
        _ => (1, None),
    };
    let (by, why, until) = match &reason.what {
        What::Override { by, until, .. } => (by.clone(), None, Some(until.as_millis())),
        // an engine's lock has a word for a reason
        What::Locked {
            by, reason, kind, ..
        } => (
            by.clone(),
            kind.is_personal().then(|| reason.to_string()),
            None,
        ),
        _ => (None, None, None),
    };
    Some(ExceptionBody {
        kind,
        id,
        names,
        count,
        sensor_type,
        polyhouse_id: reason.house.as_ref().map(ToString::to_string),
        by: by.map(|by| by.to_string()),
        since: reason.since.map(Timestamp::as_millis),
        until,
        // a stop without one has the word of its kind
        reason: why.filter(|why| LockKind::parse(why).is_none()),
    })
}

fn one<Id: std::fmt::Display>(
    kind: ExceptionKind,
    id: &Id,
    thing: &Thing<Id>,
) -> (ExceptionKind, Option<String>, Vec<String>) {
    let id = id.to_string();
    let name = shown(&thing.name, &id);
    (kind, Some(id), vec![name])
}

/// A name, or where there is none the id.
fn shown(name: &str, id: &str) -> String {
    if name.is_empty() { id } else { name }.to_owned()
}

/// Adds who switched rules and alerts off, and since when, as the audit log has it.
async fn switched_off(all: &mut [ExceptionBody], records: &FarmRecords) -> Result<(), ApiError> {
    const DEEDS: [Action; 3] = [
        Action::RuleDisabled,
        Action::RuleWithdrawn,
        Action::AlertDisabled,
    ];
    let is_off = |e: &ExceptionBody| {
        use ExceptionKind::{AlertDisabled, RuleDisabled, RuleDraft};
        matches!(e.kind, RuleDisabled | RuleDraft | AlertDisabled)
    };
    let off = all.iter().filter(|e| is_off(e));
    let ids: Vec<&str> = off.filter_map(|e| e.id.as_deref()).collect();
    let deeds = records.last_deeds(&ids, &DEEDS).await?;
    for exception in all.iter_mut().filter(|e| is_off(e)) {
        let deed = exception.id.as_deref().and_then(|id| deeds.get(id));
        if let Some(deed) = deed {
            exception.since = exception.since.or(Some(deed.at));
            exception.by.clone_from(&deed.actor);
        }
    }
    Ok(())
}

impl ExceptionBody {
    fn of_alert(kind: ExceptionKind, id: String, alert: &AlertStatus) -> Self {
        let scope = alert.spec.scope.as_ref();
        Self {
            kind,
            id: Some(id),
            names: vec![shown(&alert.spec.name, alert.spec.id.as_str())],
            count: 1,
            sensor_type: None,
            polyhouse_id: scope.and_then(|s| Some(s.polyhouse_id.as_ref()?.to_string())),
            by: None,
            since: None,
            until: None,
            reason: None,
        }
    }
}

/// Alerts that watch nothing, and raised ones of which nobody is told again.
async fn alerts(access: &FarmAccess<ReadFarm>) -> Result<Vec<ExceptionBody>, ApiError> {
    let question = |engine: &Engine| engine.alerts().collect::<Vec<AlertStatus>>();
    let alerts = access.hub().read(question).await?;
    let answers = access.records().open_answers().await?;
    let now = now_ms();
    let mut all = Vec::new();
    for alert in &alerts {
        let id = alert.spec.id.as_str();
        if !alert.spec.is_active {
            let kind = ExceptionKind::AlertDisabled;
            all.push(ExceptionBody::of_alert(kind, id.to_owned(), alert));
            continue;
        }
        let Some(raised) = alert.raised_since else {
            continue;
        };
        let incident = IncidentId::new(id, raised.as_millis());
        let Some(answered) = answers.get(&incident) else {
            continue;
        };
        let standing = Standing::of(answered, now);
        let is_quiet = matches!(
            standing.state(),
            State::Snoozed | State::Acknowledged | State::FalseAlarm
        );
        if !is_quiet || standing.is_to_be_told(alert.spec.severity) {
            continue;
        }
        let kind = ExceptionKind::AlertMuted;
        let mut muted = ExceptionBody::of_alert(kind, incident.to_string(), alert);
        muted.by = standing.by().map(|by| by.name.clone());
        muted.until = standing.until();
        muted.since = answered.last().map(|a| a.at);
        all.push(muted);
    }
    Ok(all)
}
