//! A device's past, for charts: when it was on, at which value, and who had wanted it so.

use axum::Json;
use harit_engine::{DeviceId, Engine, Quantity, Timestamp};
use harit_ingest::command::MAX_LISTED;
use harit_ingest::history::StoredReport;
use harit_ingest::{CommandFilter, CommandLife, CommandState};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, ReadFarm};
use crate::error::{ApiError, ErrorBody, Item, Params};
use crate::language::Text;
use crate::records::now_ms;

/// What is shown where no time is given: the last day.
const DEFAULT_MS: i64 = 24 * 3_600 * 1_000;
/// The longest time that is shown.
const MAX_MS: i64 = 92 * DEFAULT_MS;
/// How long before a change the command behind it may have been decided: a controller that was away does it when it is back.
const COMMAND_BEFORE_MS: i64 = 3_600 * 1_000;

/// Which time.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DeviceHistoryQuery {
    /// From this instant on; by default a day before `to`. At most 92 days.
    from: Option<i64>,
    /// Up to, and not including, this instant; by default now.
    to: Option<i64>,
}

/// What a device did. Where nothing is known of it, as while its controller could not be reached, there is no segment.
#[derive(Serialize, ToSchema)]
#[schema(as = DeviceHistory)]
pub(super) struct DeviceHistoryBody {
    device: String,
    /// Later than asked for where there were more than 1,000 changes.
    from: i64,
    to: i64,
    /// Whether the segments are what its controller reported; else, of a device that never reported anything, they are what
    /// it was told.
    reported: bool,
    /// Oldest first.
    segments: Vec<SegmentBody>,
    /// Whether the latest may be missing, because the history cannot be written at present.
    incomplete: bool,
}

/// A time in which nothing changed.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = DeviceSegment)]
struct SegmentBody {
    /// When it began; of the first segment it may lie before `from`.
    at: i64,
    /// When it ended; null if it goes on at `to`.
    #[schema(required)]
    until: Option<i64>,
    on: bool,
    /// The value, where the device has one.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// rule, rest, manual, lock, safety, max_on or corrected; `device` where no command led to it.
    cause: &'static str,
    /// The person's or the rule's name.
    #[schema(required)]
    by: Option<String>,
}

/// A device's history
#[utoipa::path(
    get, path = "/api/farms/{farmId}/devices/{deviceId}/history", tag = "automation",
    operation_id = "get_device_history", summary = "Get the history of a device", params(DeviceHistoryQuery),
    responses(
        (status = OK, body = DeviceHistoryBody),
        (status = UNPROCESSABLE_ENTITY, description = "No time, or too long a time", body = ErrorBody),
    )
)]
pub(super) async fn of_device(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
    Params(query): Params<DeviceHistoryQuery>,
) -> Result<Json<DeviceHistoryBody>, ApiError> {
    let hub = access.hub();
    let device = DeviceId::new(id.clone());
    let question = move |engine: &Engine| {
        let names: HashMap<String, String> = engine
            .rules()
            .map(|r| (r.spec.id.to_string(), r.spec.name))
            .collect();
        engine.device(&id).map(|_| names)
    };
    let rules = hub.read(question).await?.ok_or_else(ApiError::not_found)?;
    let to = query.to.unwrap_or_else(now_ms);
    let from = query.from.unwrap_or_else(|| to.saturating_sub(DEFAULT_MS));
    if from >= to || to.saturating_sub(from) > MAX_MS {
        return Err(ApiError::field(
            "from",
            "out_of_range",
            Text::StepOutOfRange,
        ));
    }
    let (start, end) = (Timestamp::from_millis(from), Timestamp::from_millis(to));
    let reports = hub.reports(&device, start, end).await.map_err(|error| {
        tracing::error!(%error, "the history failed");
        ApiError::unavailable()
    })?;
    let reported = !reports.is_empty();
    // the latest ones, as of the reports
    let found = hub
        .commands(CommandFilter {
            device: Some(device.clone()),
            from: Some(Timestamp::from_millis(
                from.saturating_sub(COMMAND_BEFORE_MS),
            )),
            to: Some(end),
            limit: MAX_LISTED,
            state: None,
        })
        .await?;
    let mut commands = found.items;
    commands.reverse();
    let changes = if reported { reports } else { told(&commands) };
    let cut = changes.len() >= MAX_LISTED;
    let from = changes
        .first()
        .filter(|_| cut)
        .map_or(from, |c| c.at.as_millis().max(from));
    let segments = segments(&changes, &commands, &rules);
    let in_time = |s: &SegmentBody| s.until.is_none_or(|until| until > from);
    Ok(Json(DeviceHistoryBody {
        device: device.to_string(),
        from,
        to,
        reported,
        segments: segments.into_iter().filter(in_time).collect(),
        incomplete: found.incomplete,
    }))
}

/// What the commands that were not refused told a device.
fn told(commands: &[CommandLife]) -> Vec<StoredReport> {
    let change = |life: &CommandLife| {
        let (on, value) = setting(life)?;
        Some(StoredReport {
            at: life.at,
            on: Some(on),
            value,
        })
    };
    commands.iter().filter_map(change).collect()
}

/// What a command sets its device to; none where it was refused, or sets nothing that lasts.
fn setting(life: &CommandLife) -> Option<(bool, Option<Quantity>)> {
    if life.state == CommandState::Failed {
        return None;
    }
    match life.action.as_str() {
        "off" => Some((false, None)),
        "on" => Some((true, life.value)),
        "pulse" => Some((true, None)),
        "set_speed" | "set_position" | "set_flow_rate" => Some((
            life.value.is_some_and(|v| v > Quantity::default()),
            life.value,
        )),
        _ => None,
    }
}

fn segments(
    changes: &[StoredReport],
    commands: &[CommandLife],
    rules: &HashMap<String, String>,
) -> Vec<SegmentBody> {
    let mut segments: Vec<SegmentBody> = Vec::new();
    let mut before: Option<(Option<bool>, Option<Quantity>)> = None;
    for change in changes {
        if before == Some((change.on, change.value)) {
            // written anew after a restart
            continue;
        }
        before = Some((change.on, change.value));
        let at = change.at.as_millis();
        if let Some(last) = segments.last_mut()
            && last.until.is_none()
        {
            last.until = Some(at);
        }
        let Some(on) = change.on else { continue };
        let (cause, by) = behind(change.at, on, change.value, commands, rules);
        segments.push(SegmentBody {
            at,
            until: None,
            on,
            value: change.value,
            cause,
            by,
        });
    }
    segments
}

/// Whose command led to a change: the last one before it, if that wanted just this.
fn behind(
    at: Timestamp,
    on: bool,
    value: Option<Quantity>,
    commands: &[CommandLife],
    rules: &HashMap<String, String>,
) -> (&'static str, Option<String>) {
    let earlier = commands.iter().rev().filter(|life| life.at <= at);
    let last = earlier
        .clone()
        .find_map(|life| Some((life, setting(life)?)));
    let Some((life, (wanted, wanted_value))) = last else {
        return ("device", None);
    };
    let too_old = at.as_millis().saturating_sub(life.at.as_millis()) > COMMAND_BEFORE_MS;
    let same_value = !on || value.is_none() || wanted_value.is_none() || value == wanted_value;
    // a pulse ends by itself
    let pulse_over = life.action == "pulse" && !on;
    if too_old || !(pulse_over || (wanted == on && same_value)) {
        return ("device", None);
    }
    let person = || life.owner.as_ref().map(|o| o.name.to_string());
    match life.cause.as_str() {
        "rest" => ("rest", None),
        "manual" | "stop" => ("manual", person()),
        "lock" => ("lock", None),
        "safety" => ("safety", None),
        "max_on" => ("max_on", None),
        "corrected" => ("corrected", None),
        rule => (
            "rule",
            Some(rules.get(rule).cloned().unwrap_or_else(|| rule.to_owned())),
        ),
    }
}
