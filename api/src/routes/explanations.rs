//! Why: explanations of a device and of a rule, now or at an instant past; why a rule did not act; what other rules would have done.

use std::time::Duration;

use axum::Json;
use axum::http::HeaderMap;
use harit_engine::explain::Subject;
use harit_engine::{DeviceId, Engine, RuleId, RuleSpec, Timestamp};
use harit_ingest::past::{
    Edit, LEARN, Log, MAX_EDITS, PastError, Stop, backtest, backtest_with_twin, lanes, why_not,
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, ReadFarm};
use crate::error::{ApiError, Body, ErrorBody, Item, Params};
use crate::explain::{BacktestBody, DeviceExplanationBody, RuleExplanationBody, WhyNotBody};
use crate::lanes::{LanesBody, Stored};
use crate::language::{Language, Text};
use crate::records::now_ms;

const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// The longest span of why a rule did not act.
const MAX_SPAN_MS: i64 = DAY_MS;
/// The longest span over which rules are tried.
const MAX_TRIAL_MS: i64 = 14 * DAY_MS;
/// How long an answer about the past may take.
const WITHIN: Duration = Duration::from_secs(20);
/// How long a trial of rules may take: less than any request.
const TRIAL_WITHIN: Duration = Duration::from_secs(25);

/// Which instant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AtQuery {
    /// The instant that is explained, in epoch milliseconds; by default now.
    at: Option<i64>,
}

/// Which span.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SpanQuery {
    /// From this instant on; by default a day before `to`. At most 24 hours.
    from: Option<i64>,
    /// Up to this instant; by default now.
    to: Option<i64>,
}

/// What is explained, of the farm as it is now or was at an instant.
async fn ask<R: Send + 'static>(
    access: &FarmAccess<ReadFarm>,
    at: Option<i64>,
    question: impl FnOnce(&Engine, Timestamp) -> Option<R> + Send + 'static,
) -> Result<Json<R>, ApiError> {
    let now = now_ms();
    let found = match at {
        None => {
            let now = Timestamp::from_millis(now);
            access
                .hub()
                .read(move |engine| question(engine, now))
                .await?
        }
        Some(at) if at > now => {
            return Err(ApiError::field("at", "out_of_range", Text::StepOutOfRange));
        }
        Some(at) => {
            let at = Timestamp::from_millis(at);
            let question = move |engine: &Engine| question(engine, at);
            access
                .hub()
                .read_at(at, Stop::within(WITHIN), question)
                .await?
        }
    };
    found.map(Json).ok_or_else(ApiError::not_found)
}

/// Explain a device
///
/// Everything that has a say about it in order of precedence, now or at an instant past, as far as the journal is kept.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/devices/{deviceId}/explanation", tag = "automation",
    operation_id = "explain_device", summary = "Explain a device", params(AtQuery),
    responses(
        (status = OK, body = DeviceExplanationBody),
        (status = UNPROCESSABLE_ENTITY, description = "An instant that lies ahead, or before the journal", body = ErrorBody),
    )
)]
pub(super) async fn device(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
    Params(query): Params<AtQuery>,
    headers: HeaderMap,
) -> Result<Json<DeviceExplanationBody>, ApiError> {
    let language = Language::of(&headers);
    let question = move |engine: &Engine, at| {
        let explained = engine.explain_device(&id)?;
        Some(DeviceExplanationBody::new(&explained, at, language))
    };
    ask(&access, query.at, question).await
}

/// Explain a rule
///
/// Where it stands now or stood at an instant past: each part of its conditions with its truth and evidence, and what would have
/// to change.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/rules/{ruleId}/explanation", tag = "automation",
    operation_id = "explain_rule", summary = "Explain a rule", params(AtQuery),
    responses(
        (status = OK, body = RuleExplanationBody),
        (status = UNPROCESSABLE_ENTITY, description = "An instant that lies ahead, or before the journal", body = ErrorBody),
    )
)]
pub(super) async fn rule(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
    Params(query): Params<AtQuery>,
    headers: HeaderMap,
) -> Result<Json<RuleExplanationBody>, ApiError> {
    let language = Language::of(&headers);
    let question = move |engine: &Engine, at| {
        let explained = engine.explain_rule(&id)?;
        Some(RuleExplanationBody::new(&explained, at, language))
    };
    ask(&access, query.at, question).await
}

/// Why a rule did not act
///
/// When it came nearest in a span of at most a day, and what kept it.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/rules/{ruleId}/why-not", tag = "automation",
    operation_id = "why_rule_did_not_act", summary = "Say why a rule did not act", params(SpanQuery),
    responses(
        (status = OK, body = WhyNotBody),
        (status = UNPROCESSABLE_ENTITY, description = "No span, too long a one, or one before the journal", body = ErrorBody),
    )
)]
pub(super) async fn rule_why_not(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
    Params(query): Params<SpanQuery>,
    headers: HeaderMap,
) -> Result<Json<WhyNotBody>, ApiError> {
    let language = Language::of(&headers);
    let (from, to) = span(query.from, query.to, MAX_SPAN_MS)?;
    let id = RuleId::new(id);
    let question = move |log: &mut dyn Log, stop: &Stop, from: Timestamp| {
        let found = why_not(log, &id, (from, to), stop)?;
        Ok(WhyNotBody::new(&found, language))
    };
    let hub = access.hub();
    Ok(Json(hub.ask_past((from, to), WITHIN, question).await?))
}

/// A day as lanes of a device or a rule.
async fn day(
    access: &FarmAccess<ReadFarm>,
    subject: Subject,
    query: &SpanQuery,
    language: Language,
) -> Result<Json<LanesBody>, ApiError> {
    let (from, to) = span(query.from, query.to, MAX_SPAN_MS)?;
    let hub = access.hub();
    let whose = subject.clone();
    let question =
        move |log: &mut dyn Log, stop: &Stop, from: Timestamp| lanes(log, &whose, (from, to), stop);
    let folded = match hub.ask_kept((from, to), WITHIN, question).await {
        Ok(folded) => Some(folded),
        // What was stored is known for longer, of what is there now.
        Err(PastError::TooEarly { .. }) if is_there(access, &subject).await? => None,
        Err(PastError::TooEarly { .. }) => return Err(ApiError::not_found()),
        Err(error) => return Err(error.into()),
    };
    let stored = Stored::read(access, &subject, (from, to)).await?;
    let (span, reader) = ((from, to), access.role());
    let body = LanesBody::new(&subject, span, folded.as_ref(), &stored, language, reader);
    Ok(Json(body))
}

async fn is_there(access: &FarmAccess<ReadFarm>, subject: &Subject) -> Result<bool, ApiError> {
    let subject = subject.clone();
    let is_there = move |engine: &Engine| match &subject {
        Subject::Device(id) => engine.device_ref(id.as_str()).is_some(),
        Subject::Rule(id) => engine.rule(id.as_str()).is_some(),
    };
    access.hub().read(is_there).await
}

/// A device's day as lanes
///
/// What was so when, over at most a day: what decided about it, what it reported, what became of its commands, its locks, what people
/// did, the phases, holds and truths of its rules, alerts of its place, and when its controller or the server was away.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/devices/{deviceId}/lanes", tag = "automation",
    operation_id = "get_device_lanes", summary = "Get the day of a device as lanes", params(SpanQuery),
    responses(
        (status = OK, body = LanesBody),
        (status = UNPROCESSABLE_ENTITY, description = "No span, or too long a one", body = ErrorBody),
    )
)]
pub(super) async fn device_lanes(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
    Params(query): Params<SpanQuery>,
    headers: HeaderMap,
) -> Result<Json<LanesBody>, ApiError> {
    let subject = Subject::Device(DeviceId::new(id));
    day(&access, subject, &query, Language::of(&headers)).await
}

/// A rule's day as lanes
///
/// What was so when, over at most a day: its phases, holds and the truths of its conditions, what became of it at its devices, what
/// people did, alerts of its place, and when controllers or the server were away.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/rules/{ruleId}/lanes", tag = "automation",
    operation_id = "get_rule_lanes", summary = "Get the day of a rule as lanes", params(SpanQuery),
    responses(
        (status = OK, body = LanesBody),
        (status = UNPROCESSABLE_ENTITY, description = "No span, or too long a one", body = ErrorBody),
    )
)]
pub(super) async fn rule_lanes(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
    Params(query): Params<SpanQuery>,
    headers: HeaderMap,
) -> Result<Json<LanesBody>, ApiError> {
    let subject = Subject::Rule(RuleId::new(id));
    day(&access, subject, &query, Language::of(&headers)).await
}

/// A span that ends now at the latest.
fn span(
    from: Option<i64>,
    to: Option<i64>,
    longest: i64,
) -> Result<(Timestamp, Timestamp), ApiError> {
    let now = now_ms();
    let to = to.unwrap_or(now).min(now);
    let from = { from.unwrap_or_else(|| to.saturating_sub(DAY_MS)) }.max(0);
    if from >= to || to.saturating_sub(from) > longest {
        return Err(ApiError::field(
            "from",
            "out_of_range",
            Text::StepOutOfRange,
        ));
    }
    Ok((Timestamp::from_millis(from), Timestamp::from_millis(to)))
}

/// Rules to be tried.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BacktestInput)]
pub(super) struct BacktestInput {
    /// From this instant on; by default a day before `to`. At most 14 days.
    from: Option<i64>,
    /// Up to this instant; by default now.
    to: Option<i64>,
    /// Rule documents, each in the place of the rule of its id; they are tried as deployed and automatic only where they say so.
    #[serde(default)]
    #[schema(value_type = Vec<crate::document::RuleDocument>, max_items = 32)]
    rules: Vec<Value>,
    /// The ids of rules that are left out.
    #[serde(default)]
    #[schema(max_items = 32)]
    without: Vec<String>,
    /// Whether readings follow a twin: a model of what the farm's houses do, fitted to the days before `from`. It takes longer.
    #[serde(default)]
    twin: bool,
}

/// Try rules on the past
///
/// What these rules would have done on the farm's own journal, beside what was. What people and controllers reported stays as
/// it was, unless with a twin: then readings of the places in which the rules switch something follow what devices would have done, by a
/// model that says how far off it is. Nothing is stored or sent; who does not wait for the answer has cancelled it.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/backtests", tag = "automation",
    operation_id = "backtest_rules", summary = "Try rules on the past", request_body = BacktestInput,
    responses(
        (status = OK, body = BacktestBody),
        (status = UNPROCESSABLE_ENTITY, description = "A rule that makes no sense, or a span before the journal", body = ErrorBody),
    )
)]
pub(super) async fn try_rules(
    access: FarmAccess<ReadFarm>,
    Body(input): Body<BacktestInput>,
) -> Result<Json<BacktestBody>, ApiError> {
    let (from, to) = span(input.from, input.to, MAX_TRIAL_MS)?;
    if input.rules.len() + input.without.len() > MAX_EDITS {
        return Err(ApiError::field("rules", "too_many", Text::StepOutOfRange));
    }
    let without = input
        .without
        .into_iter()
        .map(|id| Edit::Delete(RuleId::new(id)));
    let mut edits: Vec<Edit> = without.collect();
    for rule in &input.rules {
        edits.push(Edit::Put(Box::new(RuleSpec::from_json(rule)?)));
    }
    let twin = input.twin;
    let question = move |log: &mut dyn Log, stop: &Stop, begins: Timestamp| {
        let span = (from.max(begins), to);
        let found = match twin {
            true => backtest_with_twin(log, &edits, span, stop)?,
            false => backtest(log, &edits, span, stop)?,
        };
        Ok(BacktestBody::new(&found))
    };
    let hub = access.hub();
    let since = if twin { from - LEARN } else { from };
    let answer = hub.ask_past((since, to), TRIAL_WITHIN, question);
    Ok(Json(answer.await?))
}
