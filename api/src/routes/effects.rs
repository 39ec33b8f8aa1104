//! Did it work: where devices stand, what each run came to, and what people set about it; sensors that left their neighbours.

use std::collections::BTreeMap;

use axum::Json;
use harit_effects::{Direction, Kind, Response};
use harit_engine::{Quantity, SensorType};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::devices::name;
use crate::access::{FarmAccess, Needs, ReadFarm, WriteAssets};
use crate::audit::Action;
use crate::document::SensorTypeDocument;
use crate::effects::{MarkBody, NumbersBody, plan, setting_problem};
use crate::error::{ApiError, Body, ErrorBody, Item, Params};
use crate::language::Text;
use crate::records::{EffectSetting, EffectStanding, now_ms};

const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// The longest time of which marks are asked.
const MAX_MS: i64 = 92 * DAY_MS;

/// How a device's runs are judged.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EffectSetting)]
pub(super) struct SettingBody {
    /// Its runs are not judged.
    off: bool,
    /// What it is there for: fan, vent, heater, fogger, irrigation, pump, dosing, light or shade; null by its type.
    #[schema(required)]
    kind: Option<String>,
    /// The sensor in which it shows; null for those of its place.
    #[schema(required)]
    sensor_id: Option<String>,
    /// Within how many minutes, 2 to 120; null by the table.
    #[schema(required)]
    window_min: Option<i64>,
}

/// What is expected of a device in a signal of its place.
#[derive(Serialize, ToSchema)]
#[schema(as = ExpectedEffect)]
struct ExpectedBody {
    #[schema(value_type = SensorTypeDocument)]
    signal: SensorType,
    /// rises, falls or moves
    #[schema(value_type = String)]
    direction: Direction,
    /// while it runs, or lasting
    #[schema(value_type = String)]
    response: Response,
    /// Nothing is to be seen before so many minutes.
    delay_min: i64,
    /// It is to be seen within so many minutes.
    window_min: i64,
    /// The sensors.
    sensors: Vec<String>,
}

/// What a row of runs without effect came to.
#[derive(Serialize, ToSchema)]
#[schema(as = FailingEffect)]
struct FailingBody {
    /// When the first of them began.
    since: i64,
    /// How many minutes the last of them had run when it was looked at.
    minutes: i64,
    runs: usize,
    #[schema(required)]
    numbers: Option<NumbersBody>,
}

/// Where a device stands.
#[derive(Serialize, ToSchema)]
#[schema(as = DeviceEffect)]
struct StandingBody {
    device_id: String,
    setting: SettingBody,
    /// Empty where nothing in its place measures what it does.
    expected: Vec<ExpectedBody>,
    /// So many of the latest runs that can be told, at most 15.
    told: i64,
    /// So many of them worked.
    worked: i64,
    #[schema(required)]
    failing: Option<FailingBody>,
}

/// A sensor that left those of the same quantity in the same place.
#[derive(Serialize, ToSchema)]
#[schema(as = SensorDrift)]
struct DriftBody {
    sensor_id: String,
    /// The other one, where nobody can say which of two it is.
    #[schema(required)]
    or_other: Option<String>,
    /// When it was first seen.
    since: i64,
    /// How far it lies from the middle of the others.
    #[schema(value_type = f64)]
    now: Quantity,
    /// How far it did before.
    #[schema(value_type = f64)]
    usual: Quantity,
    /// How far it may lie from that.
    #[schema(value_type = f64)]
    at_most: Quantity,
}

/// Whether what the devices do has an effect.
#[derive(Serialize, ToSchema)]
#[schema(as = Effects)]
pub(super) struct EffectsBody {
    devices: Vec<StandingBody>,
    drifts: Vec<DriftBody>,
}

/// A device's marks.
#[derive(Serialize, ToSchema)]
#[schema(as = RunEffects)]
pub(super) struct MarksBody {
    from: i64,
    to: i64,
    /// Oldest first. A run without a mark was not looked at yet.
    marks: Vec<MarkBody>,
}

/// Which time.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct MarksQuery {
    /// From this instant on; by default a day before `to`. At most 92 days.
    from: Option<i64>,
    /// Up to, and not including, this instant; by default now.
    to: Option<i64>,
}

impl SettingBody {
    fn of(setting: Option<&EffectSetting>) -> Self {
        let setting = setting.cloned().unwrap_or_default();
        Self {
            off: setting.is_off,
            kind: setting.kind,
            sensor_id: setting.sensor_id,
            window_min: setting.window_min,
        }
    }
}

/// Whether devices work
///
/// Of each device whose effect can be measured: what is expected, and how its latest runs went. And the sensors that left their neighbours.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/effects", tag = "automation",
    operation_id = "list_effects", summary = "List whether devices work", responses((status = OK, body = EffectsBody))
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<EffectsBody>, ApiError> {
    let records = access.records();
    let settings = records.effect_settings().await?;
    let asked = settings.clone();
    let plan = access.hub().read(move |e| plan(e, &asked)).await?;
    let standings = records.effect_standings().await?.into_iter();
    let standings: BTreeMap<String, EffectStanding> =
        standings.map(|s| (s.device_id.clone(), s)).collect();
    let devices = plan.into_iter().map(|p| {
        let id = p.id.to_string();
        let standing = standings.get(&id);
        let failing = standing
            .filter(|_| !p.is_off)
            .and_then(EffectStanding::failing);
        StandingBody {
            setting: SettingBody::of(settings.get(&id)),
            expected: { p.signals.into_iter() }
                .map(|s| ExpectedBody {
                    signal: s.expected.signal,
                    direction: s.expected.direction,
                    response: s.expected.response,
                    delay_min: s.expected.delay_min,
                    window_min: s.expected.window_min,
                    sensors: s.sensors.iter().map(ToString::to_string).collect(),
                })
                .collect(),
            told: standing.map_or(0, |s| s.told),
            worked: standing.map_or(0, |s| s.worked),
            failing: failing.map(|f| FailingBody {
                since: f.since,
                minutes: f.minutes,
                runs: f.runs,
                numbers: f.numbers.map(NumbersBody::from),
            }),
            device_id: id,
        }
    });
    let drifts = records
        .sensor_drifts()
        .await?
        .into_iter()
        .map(|d| DriftBody {
            sensor_id: d.sensor_id,
            or_other: d.or_other,
            since: d.since,
            now: Quantity::from_micro(d.now_apart),
            usual: Quantity::from_micro(d.usual_apart),
            at_most: Quantity::from_micro(d.at_most),
        });
    Ok(Json(EffectsBody {
        devices: devices.collect(),
        drifts: drifts.collect(),
    }))
}

/// What a device's runs came to
#[utoipa::path(
    get, path = "/api/farms/{farmId}/devices/{deviceId}/effects", tag = "automation",
    operation_id = "get_device_effects", summary = "Get what the runs of a device came to", params(MarksQuery),
    responses(
        (status = OK, body = MarksBody),
        (status = UNPROCESSABLE_ENTITY, description = "No time, or too long a time", body = ErrorBody),
    )
)]
pub(super) async fn of_device(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
    Params(query): Params<MarksQuery>,
) -> Result<Json<MarksBody>, ApiError> {
    exists(&access, &id).await?;
    let to = query.to.unwrap_or_else(now_ms);
    let from = query.from.unwrap_or_else(|| to.saturating_sub(DAY_MS));
    if from >= to || to.saturating_sub(from) > MAX_MS {
        return Err(ApiError::field(
            "from",
            "out_of_range",
            Text::StepOutOfRange,
        ));
    }
    let marks = access.records().effect_marks(&id, from, to).await?;
    Ok(Json(MarksBody {
        from,
        to,
        marks: marks.into_iter().map(MarkBody::from).collect(),
    }))
}

async fn exists<N: Needs>(
    access: &FarmAccess<N>,
    id: &str,
) -> Result<harit_engine::DeviceSpec, ApiError> {
    let asked = id.to_owned();
    let device = access.hub().read(move |e| e.device(&asked)).await?;
    Ok(device.ok_or_else(ApiError::not_found)?.spec)
}

/// Sets how a device's runs are judged
///
/// All at once. Marks that were given stay.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/devices/{deviceId}/effects", tag = "automation",
    operation_id = "put_device_effects", summary = "Set how the runs of a device are judged", request_body = SettingBody,
    responses((status = OK, body = SettingBody))
)]
pub(super) async fn put(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
    Body(request): Body<SettingBody>,
) -> Result<Json<SettingBody>, ApiError> {
    let device = exists(&access, &id).await?;
    let setting = EffectSetting {
        is_off: request.off,
        kind: request.kind,
        sensor_id: request.sensor_id,
        window_min: request.window_min,
    };
    let (spec, asked) = (device.clone(), setting.clone());
    let problem = move |e: &harit_engine::Engine| setting_problem(e, &spec, &asked);
    if let Some(field) = access.hub().read(problem).await? {
        let text = match field {
            "kind" => Text::NoSuchEffect,
            "sensor_id" => Text::SensorShowsNothing,
            _ => Text::MinutesOutOfRange,
        };
        return Err(ApiError::field(field, "invalid", text));
    }
    let mut write = access.write().await?;
    write.put_effect_setting(&id, &setting).await?;
    let body = SettingBody::of(Some(&setting));
    let details = json!({"name": name(&device), "kind": Kind::parse(body.kind.as_deref().unwrap_or_default()),
        "off": body.off, "sensor_id": body.sensor_id, "window_min": body.window_min});
    write.commit(Action::EffectSet, &id, details).await?;
    Ok(Json(body))
}
