//! A device's past, for charts: when it was on, at which value, and who had wanted it so.

use axum::Json;
use harit_engine::{DeviceId, Engine, Timestamp};
use harit_ingest::CommandFilter;
use harit_ingest::command::MAX_LISTED;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, ReadFarm};
use crate::device_past::{COMMAND_BEFORE_MS, Segment, segments, told};
use crate::error::{ApiError, ErrorBody, Item, Params};
use crate::language::Text;
use crate::records::now_ms;

/// What is shown where no time is given: the last day.
const DEFAULT_MS: i64 = 24 * 3_600 * 1_000;
/// The longest time that is shown.
const MAX_MS: i64 = 92 * DEFAULT_MS;
/// The most devices of one answer: each is two questions to the history.
const MAX_DEVICES: usize = 32;

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
    segments: Vec<Segment>,
    /// Whether the latest may be missing, because the history cannot be written at present.
    incomplete: bool,
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
    let device = id.clone();
    let known = access
        .hub()
        .read(move |engine| engine.device(&device).map(|_| rule_names(engine)))
        .await?;
    let rules = known.ok_or_else(ApiError::not_found)?;
    let span = span(query.from, query.to)?;
    past(&access, DeviceId::new(id), span, &rules)
        .await
        .map(Json)
}

/// Which devices and which time.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DeviceHistoriesQuery {
    /// Their ids, separated by commas: at most 32.
    devices: String,
    /// From this instant on; by default a day before `to`. At most 92 days.
    from: Option<i64>,
    /// Up to, and not including, this instant; by default now.
    to: Option<i64>,
}

/// The histories of some devices
///
/// One answer in the order of the ids, for a page that shows a house at once. What the farm does not have is left out.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/history/devices", tag = "automation",
    operation_id = "list_device_histories", summary = "List the histories of devices", params(DeviceHistoriesQuery),
    responses(
        (status = OK, body = Vec<DeviceHistoryBody>),
        (status = UNPROCESSABLE_ENTITY, description = "Too many devices, no time, or too long a time", body = ErrorBody),
    )
)]
pub(super) async fn of_devices(
    access: FarmAccess<ReadFarm>,
    Params(query): Params<DeviceHistoriesQuery>,
) -> Result<Json<Vec<DeviceHistoryBody>>, ApiError> {
    let asked: Vec<String> = query
        .devices
        .split(',')
        .map(|id| id.trim().to_owned())
        .collect();
    if asked.len() > MAX_DEVICES {
        return Err(ApiError::field("devices", "too_many", Text::FieldTooMany));
    }
    let span = span(query.from, query.to)?;
    let (known, rules) = access
        .hub()
        .read(move |engine| {
            let known = asked.into_iter().filter(|id| engine.device(id).is_some());
            (known.collect::<Vec<_>>(), rule_names(engine))
        })
        .await?;
    let mut pasts = Vec::with_capacity(known.len());
    for id in known {
        pasts.push(past(&access, DeviceId::new(id), span, &rules).await?);
    }
    Ok(Json(pasts))
}

/// The names of the rules, by their ids.
fn rule_names(engine: &Engine) -> HashMap<String, String> {
    engine
        .rules()
        .map(|r| (r.spec.id.to_string(), r.spec.name))
        .collect()
}

/// The time that is asked for.
fn span(from: Option<i64>, to: Option<i64>) -> Result<(i64, i64), ApiError> {
    let to = to.unwrap_or_else(now_ms);
    let from = from.unwrap_or_else(|| to.saturating_sub(DEFAULT_MS));
    if from >= to || to.saturating_sub(from) > MAX_MS {
        return Err(ApiError::field(
            "from",
            "out_of_range",
            Text::StepOutOfRange,
        ));
    }
    Ok((from, to))
}

async fn past(
    access: &FarmAccess<ReadFarm>,
    device: DeviceId,
    (from, to): (i64, i64),
    rules: &HashMap<String, String>,
) -> Result<DeviceHistoryBody, ApiError> {
    let hub = access.hub();
    let (start, end) = (Timestamp::from_millis(from), Timestamp::from_millis(to));
    let reports = hub.reports(&device, start, end).await.map_err(|error| {
        tracing::error!(%error, cause = ?std::error::Error::source(&error), "the history failed");
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
    let segments = segments(&changes, &commands, rules);
    let in_time = |s: &Segment| s.until.is_none_or(|until| until > from);
    Ok(DeviceHistoryBody {
        device: device.to_string(),
        from,
        to,
        reported,
        segments: segments.into_iter().filter(in_time).collect(),
        incomplete: found.incomplete,
    })
}
