//! The latest readings, and their means over the farm and each polyhouse.

use std::collections::BTreeMap;

use axum::Json;
use harit_engine::{Engine, Quantity, ScopeSpec, SensorSpec, SensorStatus, SensorType};
use harit_protocol::Mac;
use serde::Serialize;
use utoipa::ToSchema;

use super::house_means::{HouseMeans, RangeBody, of_houses};
use crate::access::{FarmAccess, ReadFarm};
use crate::document::ScopeDocument;
use crate::error::ApiError;
use crate::farm::wanted;
use crate::ranges::{Range, Ranges};
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
    /// For pH and EC: what all crops want, or 6 to 7 and 1 to 1.5 mS/cm on a farm of which nobody has written that down; null
    /// where they exclude each other.
    #[schema(required)]
    optimal: Option<RangeBody>,
    /// For pH and EC: the value that is farthest outside the optimal range of its place, or nearest to leaving it, because
    /// a mean hides one bad tank.
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
    optimal: RangeBody,
}

/// The range of what is judged over the whole farm, where no crop is known to want another.
fn usual(sensor_type: SensorType) -> Option<Range> {
    match sensor_type {
        SensorType::Ph => Some(Range {
            low: Quantity::from_units(6),
            high: Quantity::from_units(7),
        }),
        SensorType::Ec => Some(Range {
            low: Quantity::from_units(1),
            high: Quantity::from_micro(1_500_000),
        }),
        _ => None,
    }
}

/// What a sensor should read: what the crops of its house want, or what is usual on a farm of which nobody has written that
/// down. None where it is not judged; none within where the crops exclude each other.
fn optimal(engine: &Engine, ranges: &Ranges, sensor: &SensorSpec) -> Option<Option<Range>> {
    let kind = sensor.sensor_type;
    let usual = usual(kind)?;
    let house = engine.house_of(&sensor.scope);
    let wanted = house.and_then(|house| ranges.get(house, kind));
    wanted.or_else(|| (!ranges.has(kind)).then_some(Some(usual)))
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
    let records = access.records();
    let reservoirs = records.reservoir_names().await?;
    let wanted = wanted(&records, &access.today().await?).await?;
    let look = move |engine: &Engine| {
        let ranges = Ranges::of(engine, &wanted);
        (summarise(engine, &reservoirs, &ranges), ranges)
    };
    let (latest, ranges) = access.hub().read(look).await?;
    access.put_ranges(ranges);
    Ok(Json(latest))
}

fn summarise(engine: &Engine, reservoirs: &ReservoirNames, ranges: &Ranges) -> Latest {
    let sensors: Vec<SensorStatus> = engine.sensors().collect();
    Latest {
        means: means_of(engine, &sensors, reservoirs, ranges),
        sensors: sensors.into_iter().map(body).collect(),
    }
}

/// The means over the farm and its houses.
pub(crate) fn means(engine: &Engine, reservoirs: &ReservoirNames, ranges: &Ranges) -> Means {
    let sensors: Vec<SensorStatus> = engine.sensors().collect();
    means_of(engine, &sensors, reservoirs, ranges)
}

fn means_of(
    engine: &Engine,
    sensors: &[SensorStatus],
    reservoirs: &ReservoirNames,
    ranges: &Ranges,
) -> Means {
    let mean = |t: SensorType| {
        let value = engine.signal(&ScopeSpec::farm(), t)?.shown();
        let of_it = |s: &&SensorStatus| s.spec.sensor_type == t && s.value.is_some();
        let fresh: Vec<&SensorStatus> = sensors.iter().filter(of_it).collect();
        let at = fresh.iter().filter_map(|s| s.read_at).max()?.as_millis();
        let judged = fresh.iter();
        let judged: Vec<(&SensorStatus, Option<Range>)> = judged
            .filter_map(|s| Some((*s, optimal(engine, ranges, &s.spec)?)))
            .collect();
        let all = judged.iter().map(|(_, range)| *range);
        let common = all.reduce(|a, b| a.zip(b).and_then(|(a, b)| a.and(b)));
        let body = MeanBody {
            value,
            unit: t.unit(),
            at,
            optimal: common.flatten().map(RangeBody::from),
            worst: worst(&judged, reservoirs),
        };
        Some((t.as_str(), body))
    };
    Means {
        latest: SensorType::ALL.into_iter().filter_map(mean).collect(),
        houses: of_houses(engine, ranges),
    }
}

fn worst(
    judged: &[(&SensorStatus, Option<Range>)],
    reservoirs: &ReservoirNames,
) -> Option<WorstBody> {
    // how far outside the range, negative inside it
    let distance = |v: Quantity, range: Range| {
        let below = range.low.as_micro() - v.as_micro();
        below.max(v.as_micro() - range.high.as_micro())
    };
    let known = judged.iter();
    let (value, sensor, range) = known
        .filter_map(|(s, range)| Some((s.value?, s, (*range)?)))
        .max_by_key(|(v, _, range)| distance(*v, *range))?;
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
    Some(WorstBody {
        name,
        value,
        optimal: range.into(),
    })
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
