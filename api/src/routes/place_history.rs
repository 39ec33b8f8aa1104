//! The past of a place: every quantity that is measured for it, in one answer.

use axum::Json;
use harit_engine::{Engine, Quantity, ScopeSpec, SensorId, SensorType, Timestamp};
use harit_ingest::history::place::{PlacePoint, PlaceQuestion, SensorPast};
use harit_ingest::history::{HistoryError, Rollup};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, ReadFarm};
use crate::document::{ScopeDocument, SensorTypeDocument};
use crate::error::{ApiError, ErrorBody, Params};
use crate::language::Text;
use crate::records::now_ms;

/// What is shown where no time is given: the last day.
const DEFAULT_MS: i64 = 24 * 3_600 * 1_000;
/// The most steps of one quantity: what a chart can show.
const MAX_STEPS: i64 = 400;
/// The most steps of all sensors together, where each is asked for.
const MAX_EACH: i64 = 20_000;
/// The steps that the server chooses from, in minutes; the last is a week.
const STEPS: [i64; 13] = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 720, 1_440, 10_080];

/// Which place, which quantities and which time.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PlaceHistoryQuery {
    /// The polyhouse; without one and without a zone the whole farm.
    polyhouse: Option<String>,
    /// The zone.
    zone: Option<String>,
    /// The sensor types, separated by commas; all by default.
    types: Option<String>,
    /// From this instant on; by default a day before `to`.
    from: Option<i64>,
    /// Up to, and not including, this instant; by default now.
    to: Option<i64>,
    /// Whether the steps of each sensor are asked for too; the steps are longer then.
    #[serde(default)]
    each: bool,
}

/// The past of a place. Steps without a good reading are absent: a gap stays a gap.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlaceHistory)]
pub(super) struct PlaceHistoryBody {
    from: i64,
    to: i64,
    /// The length of a step, chosen by the server: at most 400 of them, and at most 20,000 of all sensors together.
    step_sec: u32,
    /// The quantities that are measured for the place.
    quantities: Vec<QuantityBody>,
    /// Whether the latest may be missing, because the history cannot be written at present.
    incomplete: bool,
}

/// A quantity of a place.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlaceQuantity)]
struct QuantityBody {
    #[serde(rename = "type")]
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    /// Empty for pH.
    unit: &'static str,
    /// Where it is measured: the place, or the nearest enclosing one that has a sensor of it.
    #[schema(value_type = ScopeDocument)]
    scope: ScopeSpec,
    /// The mean of the steps that have one; null where none has.
    #[schema(required, value_type = Option<f64>)]
    mean: Option<Quantity>,
    points: Vec<PlacePointBody>,
    sensors: Vec<SensorPastBody>,
}

/// The good readings of all sensors in one step.
#[derive(Serialize, ToSchema)]
#[schema(as = PlaceHistoryPoint)]
struct PlacePointBody {
    /// The step's beginning.
    at: i64,
    /// How many sensors had a good reading.
    sensors: u64,
    /// The mean of the sensors' means.
    #[schema(value_type = f64)]
    mean: Quantity,
    /// The smallest reading.
    #[schema(value_type = f64)]
    min: Quantity,
    /// The largest reading.
    #[schema(value_type = f64)]
    max: Quantity,
}

/// What a sensor's good readings come to.
#[derive(Serialize, ToSchema)]
#[schema(as = SensorPast)]
struct SensorPastBody {
    id: String,
    #[schema(required)]
    name: Option<String>,
    /// How many good readings.
    count: u64,
    /// Null where there is no good reading, like the others.
    #[schema(required, value_type = Option<f64>)]
    mean: Option<Quantity>,
    #[schema(required, value_type = Option<f64>)]
    min: Option<Quantity>,
    #[schema(required, value_type = Option<f64>)]
    max: Option<Quantity>,
    /// The steps, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Vec<SensorStepBody>>,
}

/// The good readings of one sensor in one step.
#[derive(Serialize, ToSchema)]
#[schema(as = SensorStep)]
struct SensorStepBody {
    at: i64,
    #[schema(value_type = f64)]
    mean: Quantity,
    #[schema(value_type = f64)]
    min: Quantity,
    #[schema(value_type = f64)]
    max: Quantity,
}

impl From<PlacePoint> for PlacePointBody {
    fn from(p: PlacePoint) -> Self {
        Self {
            at: p.at.as_millis(),
            sensors: p.sensors,
            mean: p.mean,
            min: p.min,
            max: p.max,
        }
    }
}

impl From<Rollup> for SensorStepBody {
    fn from(r: Rollup) -> Self {
        Self {
            at: r.at.as_millis(),
            mean: r.mean,
            min: r.min,
            max: r.max,
        }
    }
}

/// A quantity and the sensors that measure it for the place.
struct Measured {
    sensor_type: SensorType,
    scope: ScopeSpec,
    sensors: Vec<(SensorId, Option<String>)>,
}

/// A place's history
///
/// Every quantity of the place in one answer: the mean of its sensors, their extremes, and what each sensor comes to. A
/// quantity that has no sensor there is that of the nearest enclosing place, as rules see it.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/history", tag = "farms",
    operation_id = "get_place_history", summary = "Get the history of a place", params(PlaceHistoryQuery),
    responses(
        (status = OK, body = PlaceHistoryBody),
        (status = UNPROCESSABLE_ENTITY, description = "Too many sensors for the time, or no time at all", body = ErrorBody),
    )
)]
pub(super) async fn of_place(
    access: FarmAccess<ReadFarm>,
    Params(query): Params<PlaceHistoryQuery>,
) -> Result<Json<PlaceHistoryBody>, ApiError> {
    let types = types(query.types.as_deref())?;
    let field = if query.zone.is_some() {
        "zone"
    } else {
        "polyhouse"
    };
    let asked = place(query.zone, query.polyhouse);
    let measured = access
        .hub()
        .read(move |engine| measured(engine, &asked, &types))
        .await?
        .ok_or_else(|| ApiError::field(field, "unknown", Text::PlaceUnknown))?;
    let to = query.to.unwrap_or_else(now_ms);
    let from = query.from.unwrap_or_else(|| to.saturating_sub(DEFAULT_MS));
    if from >= to {
        return Err(ApiError::field(
            "from",
            "out_of_range",
            Text::StepOutOfRange,
        ));
    }
    let sensors: Vec<(SensorId, usize)> = (measured.iter().enumerate())
        .flat_map(|(group, m)| m.sensors.iter().map(move |(id, _)| (id.clone(), group)))
        .collect();
    let lines = if query.each { sensors.len() } else { 0 };
    let step_sec = step_sec(from, to, lines)
        .ok_or_else(|| ApiError::field("from", "out_of_range", Text::StepOutOfRange))?;
    let question = PlaceQuestion {
        sensors,
        from: Timestamp::from_millis(from),
        to: Timestamp::from_millis(to),
        step_sec,
        each: query.each,
    };
    let past = access
        .hub()
        .place(question)
        .await
        .map_err(|error| match error {
            HistoryError::TooLong { .. } => {
                ApiError::field("from", "out_of_range", Text::StepOutOfRange)
            }
            other => {
                tracing::error!(error = %other, cause = ?std::error::Error::source(&other), "the history failed");
                ApiError::unavailable()
            }
        })?;
    let mut pasts = past.sensors.into_iter();
    let quantities = (measured.into_iter().zip(past.groups))
        .map(|(m, points)| QuantityBody {
            sensor_type: m.sensor_type,
            unit: m.sensor_type.unit(),
            scope: m.scope,
            mean: mean_of(&points),
            points: points.into_iter().map(PlacePointBody::from).collect(),
            sensors: (m.sensors.into_iter().zip(pasts.by_ref()))
                .map(|((id, name), past)| sensor(&id, name, past, query.each))
                .collect(),
        })
        .collect();
    Ok(Json(PlaceHistoryBody {
        from,
        to,
        step_sec,
        quantities,
        incomplete: access.hub().history_incomplete(),
    }))
}

/// The mean over time: steps are of one length.
fn mean_of(points: &[PlacePoint]) -> Option<Quantity> {
    let sum: i128 = points.iter().map(|p| i128::from(p.mean.as_micro())).sum();
    let mean = sum / i128::try_from(points.len()).ok().filter(|n| *n > 0)?;
    i64::try_from(mean).ok().map(Quantity::from_micro)
}

fn sensor(id: &SensorId, name: Option<String>, past: SensorPast, each: bool) -> SensorPastBody {
    let known = |value| (past.count > 0).then_some(value);
    SensorPastBody {
        id: id.to_string(),
        name,
        count: past.count,
        mean: known(past.mean),
        min: known(past.min),
        max: known(past.max),
        points: each.then(|| past.steps.into_iter().map(SensorStepBody::from).collect()),
    }
}

fn types(asked: Option<&str>) -> Result<Vec<SensorType>, ApiError> {
    let Some(asked) = asked else {
        return Ok(SensorType::ALL.to_vec());
    };
    let all: Option<Vec<_>> = asked
        .split(',')
        .take(64)
        .map(|name| SensorType::parse(name.trim()))
        .collect();
    let all = all.ok_or_else(|| ApiError::field("types", "unknown", Text::FieldUnknown))?;
    // each once, in the order of the types
    Ok(SensorType::ALL
        .into_iter()
        .filter(|t| all.contains(t))
        .collect())
}

fn place(zone: Option<String>, polyhouse: Option<String>) -> ScopeSpec {
    match (zone, polyhouse) {
        (Some(zone), _) => ScopeSpec::zone(zone.as_str()),
        (None, Some(house)) => ScopeSpec::polyhouse(house.as_str()),
        (None, None) => ScopeSpec::farm(),
    }
}

/// What is measured for a place, type by type; none where there is no such place.
fn measured(engine: &Engine, asked: &ScopeSpec, types: &[SensorType]) -> Option<Vec<Measured>> {
    engine.labelled(asked)?;
    let of_type = |sensor_type: &SensorType| {
        let sight = engine.sight(asked, *sensor_type)?;
        let sensors = engine.sensors_seen(asked, *sensor_type).into_iter();
        Some(Measured {
            sensor_type: *sensor_type,
            scope: sight.place,
            sensors: sensors.map(|s| (s.id, s.name)).collect(),
        })
    };
    Some(types.iter().filter_map(of_type).collect())
}

/// The step of a place's history, in seconds: the shortest that keeps to the limits; none where no step does. `lines` is how many sensors
/// are asked for by themselves.
#[must_use]
pub fn step_sec(from: i64, to: i64, lines: usize) -> Option<u32> {
    let minutes = to.saturating_sub(from).saturating_add(59_999) / 60_000;
    let lines = i64::try_from(lines).unwrap_or(i64::MAX);
    let fits = |step: &i64| {
        let steps = minutes.saturating_add(step - 1) / step;
        steps <= MAX_STEPS && steps.saturating_mul(lines) <= MAX_EACH
    };
    let step = STEPS.into_iter().find(|step| fits(step))?;
    u32::try_from(step * 60).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_is_the_shortest_that_a_chart_can_show() {
        const HOUR: i64 = 3_600_000;
        for (hours, lines, step) in [
            (6, 0, Some(60)),
            (24, 0, Some(300)),
            (7 * 24, 0, Some(1_800)),
            (30 * 24, 0, Some(7_200)),
            // 200 sensors have a hundred steps each.
            (24, 200, Some(900)),
            (24, 20_001, None),
            (24 * 366 * 20, 0, None),
        ] {
            assert_eq!(step_sec(0, hours * HOUR, lines), step, "{hours} h, {lines}");
        }
    }

    #[test]
    fn the_mean_of_steps_is_their_mean_over_time() {
        let step = |mean| PlacePoint {
            at: Timestamp::from_millis(0),
            sensors: 1,
            mean: Quantity::from_units(mean),
            min: Quantity::from_units(0),
            max: Quantity::from_units(99),
        };
        assert_eq!(mean_of(&[]), None);
        let steps = [step(20), step(21), step(29)];
        assert_eq!(mean_of(&steps), Some(Quantity::from_micro(23_333_333)));
    }

    #[test]
    fn types_are_each_asked_for_once() {
        let two = types(Some("ph, temperature,ph")).expect("types");
        assert_eq!(two, [SensorType::Temperature, SensorType::Ph]);
        assert!(types(Some("ph,wind")).is_err());
        assert_eq!(types(None).expect("types").len(), SensorType::ALL.len());
    }
}
