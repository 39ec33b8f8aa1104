//! The latest readings, and their means over the farm and each polyhouse.

use std::collections::BTreeMap;

use axum::Json;
use harit_engine::{Engine, Quantity, ScopeSpec, SensorStatus, SensorType};
use harit_protocol::Mac;
use serde::Serialize;
use utoipa::ToSchema;

use super::house_means::{HouseMeans, of_houses};
use crate::access::{FarmAccess, ReadFarm};
use crate::document::ScopeDocument;
use crate::error::ApiError;
use crate::records::ReservoirNames;

/// The latest telemetry of a farm.
#[derive(Serialize, ToSchema)]
#[schema(as = LatestTelemetry)]
pub(super) struct Latest {
    /// Every sensor with its latest good value, while that is fresh.
    sensors: Vec<SensorBody>,
    #[serde(flatten)]
    means: Means,
}

/// The means of what is fresh.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct Means {
    /// The mean over the farm of each type that has a fresh value, keyed by the sensor type as on the wire: `ph`, `ec`,
    /// `temperature`, ... (what people see as "pH" and "EC" are the keys `ph` and `ec`).
    latest: BTreeMap<&'static str, MeanBody>,
    /// The means over each polyhouse that has fresh values, by its id, then as `latest`; and `vpd`, the vapour pressure
    /// deficit in kPa, where it has a temperature and a humidity.
    houses: HouseMeans,
}

/// A sensor and what it said last.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Sensor)]
pub(super) struct SensorBody {
    id: String,
    #[schema(required)]
    name: Option<String>,
    #[serde(rename = "type")]
    #[schema(value_type = crate::document::SensorTypeDocument)]
    sensor_type: SensorType,
    /// Empty for pH.
    unit: &'static str,
    /// Null when no reading is fresh.
    #[schema(required, value_type = Option<f64>)]
    latest_value: Option<Quantity>,
    /// When the latest good reading was taken.
    #[schema(required)]
    at: Option<i64>,
    #[schema(value_type = ScopeDocument)]
    pub(super) scope: ScopeSpec,
    /// How long a reading counts, in seconds.
    stale_after_sec: i64,
    /// The MAC of its controller.
    #[schema(required)]
    controller: Option<String>,
}

impl SensorBody {
    /// Whether it is the sensor of that id.
    pub(super) fn is(&self, id: &str) -> bool {
        self.id == id
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn controller(&self) -> Option<&str> {
        self.controller.as_deref()
    }

    /// What it measures and reads, while that is fresh.
    pub(super) fn reads(&self) -> Option<(SensorType, Quantity)> {
        Some((self.sensor_type, self.latest_value?))
    }
}

/// A mean over the farm.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TelemetryMean)]
pub(crate) struct MeanBody {
    /// Rounded to two decimals.
    #[schema(value_type = f64)]
    value: Quantity,
    unit: &'static str,
    /// When the newest of its readings was taken.
    at: i64,
    /// For pH and EC: the value that is farthest outside its optimal range (6 to 7; 1 to 1.5 mS/cm), or nearest to
    /// leaving it, because a mean hides one bad tank.
    #[schema(required)]
    worst: Option<WorstBody>,
}

/// The value that a mean hides.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = WorstReading)]
pub(crate) struct WorstBody {
    /// The reservoir's name, or the sensor's.
    name: String,
    #[schema(value_type = f64)]
    value: Quantity,
}

/// The optimal range that the dashboard shows.
fn optimal(sensor_type: SensorType) -> Option<(Quantity, Quantity)> {
    match sensor_type {
        SensorType::Ph => Some((Quantity::from_units(6), Quantity::from_units(7))),
        SensorType::Ec => Some((Quantity::from_units(1), Quantity::from_micro(1_500_000))),
        _ => None,
    }
}

/// The latest telemetry
///
/// `latest` is keyed by the sensor type as on the wire (`ph`, `ec`, ...).
#[utoipa::path(
    get, path = "/api/farms/{farmId}/latest-telemetry", tag = "farms",
    operation_id = "get_latest_telemetry", summary = "Get the latest telemetry",
    responses((status = OK, body = Latest))
)]
pub(super) async fn latest(access: FarmAccess<ReadFarm>) -> Result<Json<Latest>, ApiError> {
    let reservoirs = access.records().reservoir_names().await?;
    let latest = access
        .hub()
        .read(move |engine| summarise(engine, &reservoirs))
        .await?;
    Ok(Json(latest))
}

fn summarise(engine: &Engine, reservoirs: &ReservoirNames) -> Latest {
    let sensors: Vec<SensorStatus> = engine.sensors().collect();
    Latest {
        means: means_of(engine, &sensors, reservoirs),
        sensors: sensors.into_iter().map(body).collect(),
    }
}

/// The means over the farm and its houses.
pub(crate) fn means(engine: &Engine, reservoirs: &ReservoirNames) -> Means {
    let sensors: Vec<SensorStatus> = engine.sensors().collect();
    means_of(engine, &sensors, reservoirs)
}

fn means_of(engine: &Engine, sensors: &[SensorStatus], reservoirs: &ReservoirNames) -> Means {
    let mean = |t: SensorType| {
        let value = engine.signal(&ScopeSpec::farm(), t)?.shown();
        let of_it = |s: &&SensorStatus| s.spec.sensor_type == t && s.value.is_some();
        let fresh: Vec<&SensorStatus> = sensors.iter().filter(of_it).collect();
        let at = fresh.iter().filter_map(|s| s.read_at).max()?.as_millis();
        let body = MeanBody {
            value,
            unit: t.unit(),
            at,
            worst: worst(t, &fresh, reservoirs),
        };
        Some((t.as_str(), body))
    };
    Means {
        latest: SensorType::ALL.into_iter().filter_map(mean).collect(),
        houses: of_houses(engine),
    }
}

fn worst(
    sensor_type: SensorType,
    fresh: &[&SensorStatus],
    reservoirs: &ReservoirNames,
) -> Option<WorstBody> {
    let (low, high) = optimal(sensor_type)?;
    // how far outside the range, negative inside it
    let distance =
        |v: Quantity| (low.as_micro() - v.as_micro()).max(v.as_micro() - high.as_micro());
    let (value, sensor) = fresh
        .iter()
        .filter_map(|s| Some((s.value?, s)))
        .max_by_key(|(v, _)| distance(*v))?;
    let reservoir = sensor
        .spec
        .controller
        .as_deref()
        .and_then(|c| Mac::parse(c).ok())
        .and_then(|m| reservoirs.get(&m));
    let name = reservoir
        .or(sensor.spec.name.as_ref())
        .cloned()
        .unwrap_or_else(|| sensor.spec.id.to_string());
    Some(WorstBody { name, value })
}

pub(super) fn body(s: SensorStatus) -> SensorBody {
    SensorBody {
        id: s.spec.id.to_string(),
        name: s.spec.name,
        sensor_type: s.spec.sensor_type,
        unit: s.spec.sensor_type.unit(),
        latest_value: s.value,
        at: s.read_at.map(harit_engine::Timestamp::as_millis),
        scope: s.spec.scope,
        stale_after_sec: s.spec.stale_after.as_secs(),
        controller: s.spec.controller,
    }
}
