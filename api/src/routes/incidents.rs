//! Incidents: an alert that was raised, what it stands on, what helps, and what people answer to it.

use axum::Json;
use axum::http::HeaderMap;
use harit_engine::{AlertStatus, Engine, ScopeSpec, Timestamp};
use harit_ingest::log::{LogEntry, LogFilter, LogType};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::incident_answer::{AnswerBody, AnswerRequest, action, may};
use super::incident_brief::{Brief, incident_of};
use super::incident_chain::{NextStepBody, ToldBody, next_step};
use super::incident_conditions::{IncidentConditionBody, conditions};
use super::incident_remedy::{Houses, RemedyBody, remedy};
use super::logs::{self, LogEntryBody};
use crate::access::{AnswerAlerts, FarmAccess, ReadFarm};
use crate::delivery::Channel;
use crate::document::{ScopeDocument, SeverityDocument};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::incidents::{Answer, AnswerKind, IncidentId, Standing, State};
use crate::language::Language;
use crate::notifications::{Ended, Watch};
use crate::records::{AnswerError, NewAnswer, now_ms};

/// The entries of the log that are looked through, a page at a time, and those that are told.
const LOG_PAGE: usize = 200;
const LOG_PAGES: u64 = 5;
const LOG_TOLD: usize = 50;

/// An incident: an alert that was raised.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Incident)]
pub(super) struct IncidentBody {
    #[serde(flatten)]
    brief: Brief,
    alert_id: String,
    /// What the alert is called; empty where nothing is known of it any more.
    name: String,
    #[schema(value_type = SeverityDocument)]
    severity: harit_engine::AlertSeverity,
    #[schema(value_type = ScopeDocument)]
    place: ScopeSpec,
    /// Whether one of the conditions is enough.
    any: bool,
    /// How long they held before it was raised, in seconds.
    hold_sec: i64,
    raised_at: i64,
    /// Since when it is over; null while it is raised, and where that was not heard of.
    #[schema(required)]
    over_at: Option<i64>,
    /// How it ended, where its condition did not end it.
    #[schema(required)]
    ended: Option<Ended>,
    /// Since when it is not known any more whether it is as bad still, while it is raised.
    #[schema(required)]
    unknown_since: Option<i64>,
    conditions: Vec<IncidentConditionBody>,
    /// What people answered, oldest first.
    answers: Vec<AnswerBody>,
    /// Who was told by which message, oldest first.
    told: Vec<ToldBody>,
    /// Whom the farm's chain tells next, and when, if nobody answers; null where it has come to its end or was answered.
    #[schema(required)]
    next: Option<NextStepBody>,
    /// What helps besides looking, as far as something is known to.
    #[schema(required)]
    remedy: Option<RemedyBody>,
}

/// An incident as it was found.
struct Found {
    id: IncidentId,
    watch: Watch,
    over_at: Option<i64>,
    ended: Option<Ended>,
    /// The alert, while this is the incident that it is raised for.
    now: Option<AlertStatus>,
}

impl Found {
    const fn is_over(&self) -> bool {
        self.now.is_none()
    }
}

/// An incident as a message's page shows it.
pub(super) struct Shown {
    pub(super) watch: Watch,
    pub(super) answers: Vec<Answer>,
    pub(super) is_over: bool,
}

/// What a message's page shows of an incident.
pub(super) async fn shown<N>(access: &FarmAccess<N>, id: &IncidentId) -> Result<Shown, ApiError> {
    let found = find(access, &id.to_string()).await?;
    Ok(Shown {
        answers: access.records().answers(&found.id).await?,
        is_over: found.is_over(),
        watch: found.watch,
    })
}

/// The incident of that id; of an alert's id, the one that it is raised for, else its last.
async fn find<N>(access: &FarmAccess<N>, id: &str) -> Result<Found, ApiError> {
    let (records, asked) = (access.records(), id.to_owned());
    let parsed = IncidentId::parse(id);
    let named = parsed.as_ref().map(|p| p.alert.clone());
    let question = move |engine: &Engine| {
        let of_incident = named.and_then(|alert| engine.alert(&alert));
        (of_incident, engine.alert(&asked))
    };
    let (of_incident, of_alert) = access.hub().read(question).await?;
    let now = { [of_incident, of_alert].into_iter().flatten() }.find_map(|alert| {
        let current = incident_of(&alert)?;
        let meant = parsed.as_ref() == Some(&current) || current.alert == id;
        meant.then_some((current, alert))
    });
    if let Some((current, alert)) = now {
        let watch = Watch::of(&alert.spec, None);
        return Ok(Found {
            id: current,
            watch,
            over_at: None,
            ended: None,
            now: Some(alert),
        });
    }
    let row = match &parsed {
        Some(parsed) => records.incident(parsed).await?,
        None => None,
    };
    let row = match row {
        None => records.last_incident(id).await?,
        row => row,
    };
    let row = row.ok_or_else(ApiError::not_found)?;
    let watch = serde_json::from_str(&row.watch).map_err(|_| ApiError::internal())?;
    Ok(Found {
        id: IncidentId::new(row.alert_id, row.raised_at),
        watch,
        over_at: row.over_at,
        ended: row.ended.as_deref().and_then(Ended::parse),
        now: None,
    })
}

async fn body<N>(access: &FarmAccess<N>, found: Found) -> Result<IncidentBody, ApiError> {
    let records = access.records();
    let answers = records.answers(&found.id).await?;
    let told = records.told_of(&found.id).await?;
    let next = match &found.now {
        Some(alert) => next_step(&records, &found.id, alert.spec.severity, &answers).await?,
        None => None,
    };
    let verdict = access.hub().verdict().await?;
    let Found { id, watch, .. } = &found;
    let scope = watch.scope.clone().unwrap_or_else(ScopeSpec::farm);
    let (alert, seen) = (id.alert.clone(), watch.clone());
    let unknown_since = found.now.as_ref().and_then(|a| a.unknown_since);
    let (asked, raised) = (scope.clone(), !found.is_over());
    let question = move |engine: &Engine| {
        let remedy = raised.then(|| remedy(engine, &verdict, &seen, unknown_since.is_some()));
        (
            engine.labelled(&asked),
            conditions(engine, &alert, &seen),
            remedy.flatten(),
        )
    };
    let (place, conditions, remedy) = access.hub().read(question).await?;
    Ok(IncidentBody {
        brief: Brief::of(id, &answers, found.is_over()),
        alert_id: id.alert.clone(),
        name: watch.name.clone(),
        severity: watch.severity,
        place: place.unwrap_or(scope),
        any: watch.any,
        hold_sec: watch.hold_sec,
        raised_at: id.raised_at,
        over_at: found.over_at,
        ended: found.ended,
        unknown_since: unknown_since.map(Timestamp::as_millis),
        conditions,
        answers: answers.into_iter().map(AnswerBody::from).collect(),
        told: told.into_iter().map(ToldBody::from).collect(),
        next,
        remedy,
    })
}

/// An incident
///
/// Each time that an alert is raised is an incident. By its id, or by the alert's: then the one that it is raised for, else its
/// last. The latest 1,000 of a farm that are over are kept.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/incidents/{incidentId}", tag = "automation",
    operation_id = "get_incident", summary = "Get an incident",
    responses((status = OK, body = IncidentBody))
)]
pub(super) async fn get(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
) -> Result<Json<IncidentBody>, ApiError> {
    let found = find(&access, &id).await?;
    Ok(Json(body(&access, found).await?))
}

/// What happened in the place of an incident
///
/// Of the log since it was raised, until it was over, what rules, people and safety did in its house, newest first: at most 50.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/incidents/{incidentId}/log", tag = "automation",
    operation_id = "list_incident_log", summary = "List an incident log",
    responses((status = OK, body = Vec<LogEntryBody>))
)]
pub(super) async fn log(
    access: FarmAccess<ReadFarm>,
    headers: HeaderMap,
    Item(id): Item,
) -> Result<Json<Vec<LogEntryBody>>, ApiError> {
    let found = find(&access, &id).await?;
    let houses = access.hub().read(Houses::of).await?;
    let house = { found.watch.scope.as_ref() }.and_then(|s| houses.of_scope(s));
    let is_there = |entry: &LogEntry| {
        let scope = entry.body.scope.as_ref();
        let there = house.is_none() || scope.and_then(|s| houses.of_scope(s)) == house;
        there && !matches!(entry.log_type, LogType::Other | LogType::RuleDeploy)
    };
    let mut entries = Vec::new();
    for page in 0..LOG_PAGES {
        let filter = LogFilter {
            from: Some(Timestamp::from_millis(found.id.raised_at)),
            to: found.over_at.map(Timestamp::from_millis),
            skip: page * LOG_PAGE as u64,
            take: LOG_PAGE,
            ..LogFilter::default()
        };
        let all = access.log(filter).await?.entries;
        let last = all.len() < LOG_PAGE;
        entries.extend(all.into_iter().filter(is_there));
        if last || entries.len() >= LOG_TOLD {
            break;
        }
    }
    entries.truncate(LOG_TOLD);
    let language = Language::of(&headers);
    let told = |entry| logs::body(entry, language, access.role());
    Ok(Json(entries.into_iter().map(told).collect()))
}

/// Answers an incident
///
/// `on_it` says that the caller looks after it; whoever reads the alert may say so, and take it back with `reopen`. `acknowledge`,
/// `snooze` and `false_alarm`, and to take back what others said, are for OWNER, ADMIN and FARM_MANAGER. As long as it is answered
/// nobody is told again that the alert is raised still; a snooze that ends, and an alert that matters more than when it was
/// answered, are told once more. 409 `incident_over` with what it is now (`current`) once the alert is raised no more. At most 100
/// answers.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/incidents/{incidentId}/answers", tag = "automation",
    operation_id = "answer_incident", summary = "Answer an incident", request_body = AnswerRequest,
    responses(
        (status = OK, body = IncidentBody),
        (status = CONFLICT, description = "It is over, or has too many answers", body = ErrorBody),
    )
)]
pub(super) async fn answer(
    access: FarmAccess<AnswerAlerts>,
    Item(id): Item,
    Body(request): Body<AnswerRequest>,
) -> Result<Json<IncidentBody>, ApiError> {
    Ok(Json(give(&access, &id, &request, None, None).await?))
}

/// Gives an answer: by a message's way, or in the console; where somebody saw so many answers before, only if there are no more.
pub(super) async fn give<N>(
    access: &FarmAccess<N>,
    id: &str,
    request: &AnswerRequest,
    way: Option<Channel>,
    seen: Option<usize>,
) -> Result<IncidentBody, ApiError> {
    let (note, minutes) = request.read()?;
    let mut write = access.write().await?;
    let found = find(access, id).await?;
    if found.is_over() {
        drop(write);
        return Err(ApiError::incident_over(&body(access, found).await?));
    }
    let answers = access.records().answers(&found.id).await?;
    if seen.is_some_and(|seen| seen != answers.len()) {
        return Err(ApiError::answered_meanwhile());
    }
    let standing = Standing::of(&answers, now_ms());
    let me = (access.user().id.as_str(), access.user().name.as_str());
    may(access, request.kind, &standing)?;
    if request.kind == AnswerKind::Reopen && standing.state() == State::Open {
        drop(write);
        return body(access, found).await;
    }
    let watch = Watch {
        raised_at: Some(found.id.raised_at),
        ..found.watch.clone()
    };
    let stored = serde_json::to_string(&watch).map_err(|_| ApiError::internal())?;
    let new = NewAnswer {
        kind: request.kind,
        severity: watch.severity,
        until: minutes.map(|minutes| now_ms() + minutes * 60_000),
        note: note.as_deref(),
        way: way.map(Channel::as_str),
        by: me,
    };
    write
        .answer_incident(&found.id, &stored, new)
        .await
        .map_err(|error| match error {
            AnswerError::TooMany => ApiError::too_many_answers(),
            AnswerError::Records(error) => error.into(),
        })?;
    let details = json!({
        "name": watch.name, "minutes": minutes, "note": note, "scope": watch.scope, "alert": found.id.alert,
        "way": way.map(Channel::as_str),
    });
    let subject = found.id.to_string();
    write
        .commit(action(request.kind), &subject, details)
        .await?;
    body(access, found).await
}
