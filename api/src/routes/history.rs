//! A sensor's past, in steps.

use axum::Json;
use harit_engine::{Engine, Quantity, SensorId, SensorType, Timestamp};
use harit_ingest::history::{HistoryError, Rollup};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, ReadFarm};
use crate::document::SensorTypeDocument;
use crate::error::{ApiError, ErrorBody, Item, Params};
use crate::language::Text;
use crate::records::now_ms;

/// The shortest step, in seconds.
const MIN_STEP_SEC: u32 = 60;
/// The longest step, in seconds: a week.
const MAX_STEP_SEC: u32 = 7 * 24 * 3_600;
/// What is shown where no time is given: the last day.
const DEFAULT_MS: i64 = 24 * 3_600 * 1_000;

/// Which time, and how finely.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct HistoryQuery {
    /// From this instant on; by default a day before `to`.
    from: Option<i64>,
    /// Up to, and not including, this instant; by default now.
    to: Option<i64>,
    /// The length of a step in seconds, 60 to 604800; 60 by default. Rounded up to whole minutes.
    #[param(minimum = 60, maximum = 604_800)]
    step: Option<u32>,
}

/// A sensor's past. Steps without a good reading are absent: a gap stays a gap.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SensorHistory)]
pub(super) struct HistoryBody {
    sensor: String,
    #[serde(rename = "type")]
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    unit: &'static str,
    from: i64,
    to: i64,
    step_sec: u32,
    points: Vec<PointBody>,
    /// Whether the latest may be missing, because the history cannot be written at present.
    incomplete: bool,
}

/// The good readings of one step.
#[derive(Serialize, ToSchema)]
#[schema(as = HistoryPoint)]
struct PointBody {
    /// The step's beginning.
    at: i64,
    count: u64,
    #[schema(value_type = f64)]
    mean: Quantity,
    #[schema(value_type = f64)]
    min: Quantity,
    #[schema(value_type = f64)]
    max: Quantity,
    #[schema(value_type = f64)]
    last: Quantity,
}

impl From<Rollup> for PointBody {
    fn from(r: Rollup) -> Self {
        Self {
            at: r.at.as_millis(),
            count: r.count,
            mean: r.mean,
            min: r.min,
            max: r.max,
            last: r.last,
        }
    }
}

/// A sensor's history
#[utoipa::path(
    get, path = "/api/farms/{farmId}/sensors/{sensorId}/history", tag = "farms",
    operation_id = "get_sensor_history", summary = "Get the history of a sensor", params(HistoryQuery),
    responses(
        (status = OK, body = HistoryBody),
        (status = UNPROCESSABLE_ENTITY, description = "Too many steps, or no time at all", body = ErrorBody),
    )
)]
pub(super) async fn of_sensor(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
    Params(query): Params<HistoryQuery>,
) -> Result<Json<HistoryBody>, ApiError> {
    let sensor = SensorId::new(id);
    let asked = sensor.clone();
    let known = move |engine: &Engine| {
        engine
            .sensors()
            .find(|s| s.spec.id == asked)
            .map(|s| s.spec.sensor_type)
    };
    let sensor_type = access
        .hub()
        .read(known)
        .await?
        .ok_or_else(ApiError::not_found)?;
    let to = query.to.unwrap_or_else(now_ms);
    let from = query.from.unwrap_or_else(|| to.saturating_sub(DEFAULT_MS));
    let step_sec = query.step.unwrap_or(MIN_STEP_SEC);
    let refused = |field| ApiError::field(field, "out_of_range", Text::StepOutOfRange);
    if from >= to {
        return Err(refused("from"));
    }
    if !(MIN_STEP_SEC..=MAX_STEP_SEC).contains(&step_sec) {
        return Err(refused("step"));
    }
    let step_sec = step_sec.next_multiple_of(MIN_STEP_SEC);
    let rollups = access
        .hub()
        .rollups(
            &sensor,
            Timestamp::from_millis(from),
            Timestamp::from_millis(to),
            step_sec,
        )
        .await;
    let rollups = rollups.map_err(|error| match error {
        HistoryError::TooMany { .. } => refused("step"),
        other => {
            tracing::error!(error = %other, cause = ?std::error::Error::source(&other), "the history failed");
            ApiError::unavailable()
        }
    })?;
    Ok(Json(HistoryBody {
        sensor: sensor.to_string(),
        sensor_type,
        unit: sensor_type.unit(),
        from,
        to,
        step_sec,
        points: rollups.into_iter().map(PointBody::from).collect(),
        incomplete: access.hub().history_incomplete(),
    }))
}
