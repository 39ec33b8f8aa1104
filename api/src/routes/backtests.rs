//! What if: what other rules would have done on the farm's own past.

use std::time::Duration;

use axum::Json;
use harit_engine::{RuleId, RuleSpec, Timestamp};
use harit_ingest::past::{
    Edit, LEARN, Log, MAX_EDITS, PastError, Stop, backtest, backtest_with_twin,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::explanations::{DAY_MS, span};
use crate::access::{FarmAccess, ReadFarm};
use crate::almanac;
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::explain::BacktestBody;
use crate::language::Text;

/// The longest span over which rules are tried.
const MAX_TRIAL_MS: i64 = 31 * DAY_MS;
/// How long a trial of rules may take: less than any request.
const WITHIN: Duration = Duration::from_secs(25);
/// The longest name of a trial.
const MAX_NAME: usize = 64;
/// Where the journal has less than three quarters of a span, minute means of all of it say more.
const JOURNAL_ENOUGH: (i64, i64) = (3, 4);

/// Rules to be tried.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BacktestInput)]
pub(super) struct BacktestInput {
    /// From this instant on; by default a day before `to`. At most 31 days.
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
    /// A name of the asker's choice, by which how far it has come can be asked meanwhile.
    #[schema(max_length = 64)]
    name: Option<String>,
    /// Whether readings follow a twin: a model of what the farm's houses do, fitted to the days before `from`. It takes longer.
    #[serde(default)]
    twin: bool,
}

/// How far a trial has come.
#[derive(Serialize, ToSchema)]
#[schema(as = BacktestProgress)]
pub(super) struct ProgressBody {
    /// How much of the span is folded, in thousandths; null where no such trial is being computed: it has not begun, or is over.
    #[schema(required)]
    done: Option<u32>,
}

/// Try rules on the past
///
/// What these rules would have done on the farm's own journal, beside what was. What people and controllers reported stays as
/// it was, unless with a twin: then readings of the places in which the rules switch something follow what devices would have done, by a
/// model that says how far off it is. Where the journal no longer reaches back, both are computed from minute means, and `approximate`
/// is true. Nothing is stored or sent; who does not wait for the answer has cancelled it.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/backtests", tag = "automation",
    operation_id = "backtest_rules", summary = "Try rules on the past", request_body = BacktestInput,
    responses(
        (status = OK, body = BacktestBody),
        (status = UNPROCESSABLE_ENTITY, description = "A rule that makes no sense, or no span", body = ErrorBody),
    )
)]
pub(super) async fn try_rules(
    access: FarmAccess<ReadFarm>,
    Body(input): Body<BacktestInput>,
) -> Result<Json<BacktestBody>, ApiError> {
    let span = span(input.from, input.to, MAX_TRIAL_MS)?;
    if input.rules.len() + input.without.len() > MAX_EDITS {
        return Err(ApiError::field("rules", "too_many", Text::StepOutOfRange));
    }
    if input.name.as_ref().is_some_and(|n| n.len() > MAX_NAME) {
        return Err(ApiError::field("name", "too_long", Text::StepOutOfRange));
    }
    let without = input
        .without
        .into_iter()
        .map(|id| Edit::Delete(RuleId::new(id)));
    let mut edits: Vec<Edit> = without.collect();
    for rule in &input.rules {
        edits.push(Edit::Put(Box::new(RuleSpec::from_json(rule)?)));
    }
    let stop = Stop::within(WITHIN);
    let name = input.name.filter(|name| !name.is_empty());
    let _running = name.and_then(|name| access.trials().begin(access.farm(), name, &stop));
    Ok(Json(
        answer(&access, span, (edits, input.twin), stop).await?,
    ))
}

/// By the journal where it has most of the span, or nothing is known from before it; else by minute means.
async fn answer(
    access: &FarmAccess<ReadFarm>,
    (from, to): (Timestamp, Timestamp),
    (edits, twin): (Vec<Edit>, bool),
    stop: Stop,
) -> Result<BacktestBody, ApiError> {
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
    let begins = match hub.ask_from(since, stop.clone(), question.clone()).await {
        Err(PastError::TooEarly { begins }) => begins,
        answer => return Ok(answer?),
    };
    let (part, of) = JOURNAL_ENOUGH;
    let is_enough = |begins: &Timestamp| {
        (to - *begins).as_millis().saturating_mul(of)
            >= (to - from).as_millis().saturating_mul(part)
    };
    if let Some(begins) = begins.filter(is_enough) {
        return Ok(hub.ask_from(begins, stop, question).await?);
    }
    let row = access.records().farm_row().await?;
    let row = row.ok_or_else(ApiError::not_found)?;
    let days = almanac::days_of(&row, (from, to));
    let older = (from, begins.map_or(to, |begins| begins.min(to)));
    let answer = hub.ask_means(older, days, stop.clone(), question.clone());
    match (answer.await, begins.filter(|begins| *begins < to)) {
        // A farm that is younger than the span.
        (Err(PastError::TooEarly { .. }), Some(begins)) => {
            Ok(hub.ask_from(begins, stop, question).await?)
        }
        (answer, _) => Ok(answer?),
    }
}

/// How far a trial has come
///
/// Of one that was given a name and is being computed.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/backtests/{name}", tag = "automation",
    operation_id = "get_backtest_progress", summary = "Get how far a trial of rules has come",
    responses((status = OK, body = ProgressBody))
)]
pub(super) async fn progress(
    access: FarmAccess<ReadFarm>,
    Item(name): Item,
) -> Result<Json<ProgressBody>, ApiError> {
    let done = access.trials().done(access.farm(), &name);
    Ok(Json(ProgressBody { done }))
}
