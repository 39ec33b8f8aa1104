//! A controller's sensors while somebody goes from one to the next to find out which is which: what each reads, and which of
//! them just rose, because somebody breathed on it or put it into water.

use axum::Json;
use harit_engine::{Quantity, SensorId, SensorType, Timestamp};
use harit_ingest::history::place::{PlaceQuestion, SensorPast};
use harit_protocol::Mac;
use serde::Serialize;
use utoipa::ToSchema;

use super::sensors::{self, RegisteredSensor};
use crate::access::{FarmAccess, ListAssets};
use crate::error::{ApiError, Item};
use crate::records::now_ms;

/// How far back the lowest reading is looked for: long enough for a sensor that reports once a minute, short enough that the
/// next one can be tried soon.
const LOOK_BACK_MS: i64 = 2 * 60_000;
/// A minute is the finest that the history keeps.
const STEP_SEC: u32 = 60;

/// A sensor of a controller, and whether it just rose.
#[derive(Serialize, ToSchema)]
#[schema(as = ControllerSensor)]
pub(super) struct ControllerSensor {
    #[serde(flatten)]
    sensor: RegisteredSensor,
    /// By how much it stands above its lowest reading of the last minutes, where that is more than it wavers by itself.
    #[schema(required, value_type = Option<f64>)]
    risen: Option<Quantity>,
}

/// What a sensor that nobody touches does not rise by within minutes, in micro-units.
pub(super) const fn wavers(sensor_type: SensorType) -> i64 {
    const UNIT: i64 = 1_000_000;
    match sensor_type {
        SensorType::Temperature => UNIT / 2,
        SensorType::Humidity | SensorType::SoilMoisture => 5 * UNIT,
        SensorType::Ph => 3 * UNIT / 10,
        SensorType::Ec => 2 * UNIT / 10,
        SensorType::ReservoirLevel => 3 * UNIT,
        // a cloud that goes by
        SensorType::LightIntensity => 10_000 * UNIT,
        SensorType::Co2Level => 150 * UNIT,
        SensorType::SoilTemperature | SensorType::WaterTemperature => UNIT / 2,
        // of the others a hundredth of what a rule may compare them with
        further => (further.editor_range().1 - further.editor_range().0) * UNIT / 100,
    }
}

/// By how much a sensor rose, and how many times that is what it wavers by, in thousandths: what differs in kind is compared.
fn rise(sensor_type: SensorType, value: Quantity, lowest: Quantity) -> Option<(i64, Quantity)> {
    let risen = value.as_micro().saturating_sub(lowest.as_micro());
    let wavers = wavers(sensor_type);
    (risen >= wavers).then(|| {
        (
            risen.saturating_mul(1_000) / wavers,
            Quantity::from_micro(risen),
        )
    })
}

/// The sensors of a controller
///
/// Those that it announces, with those first that just rose, the clearest before the others: for people who breathe on a
/// sensor to find out which one it is. For OWNER, ADMIN and FARM_MANAGER.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/controllers/{macid}/sensors", tag = "farms",
    operation_id = "list_controller_sensors", summary = "List the sensors of a controller",
    responses((status = OK, body = Vec<ControllerSensor>))
)]
pub(super) async fn list(
    access: FarmAccess<ListAssets>,
    Item(id): Item,
) -> Result<Json<Vec<ControllerSensor>>, ApiError> {
    let mac = Mac::parse(&id).ok();
    let known = mac.and_then(|mac| access.records().controller(mac));
    let mac = known.ok_or_else(ApiError::not_found)?.mac;
    let of_it = |s: &RegisteredSensor| !s.is_gone() && s.is_of(mac.as_str());
    let all = sensors::all(&access).await?.into_iter().filter(of_it);
    let all: Vec<RegisteredSensor> = all.collect();
    let past = past(&access, &all).await;
    let mut found: Vec<(Option<(i64, Quantity)>, RegisteredSensor)> = all
        .into_iter()
        .enumerate()
        .map(|(nth, sensor)| {
            let lowest = past.get(nth).filter(|p| p.count > 0).map(|p| p.min);
            let rose = lowest.and_then(|lowest| {
                let (kind, value) = sensor.reads()?;
                rise(kind, value, lowest)
            });
            (rose, sensor)
        })
        .collect();
    found.sort_by_key(|(rose, _)| std::cmp::Reverse(rose.map(|(times, _)| times)));
    let body = |(rose, sensor): (Option<(i64, Quantity)>, _)| ControllerSensor {
        sensor,
        risen: rose.map(|(_, by)| by),
    };
    Ok(Json(found.into_iter().map(body).collect()))
}

/// What each of them read in the last minutes; nothing where the history cannot be read: what they read now is told all the same.
async fn past(access: &FarmAccess<ListAssets>, sensors: &[RegisteredSensor]) -> Vec<SensorPast> {
    let now = now_ms();
    let question = PlaceQuestion {
        sensors: sensors.iter().map(|s| (SensorId::new(s.id()), 0)).collect(),
        from: Timestamp::from_millis(now.saturating_sub(LOOK_BACK_MS)),
        to: Timestamp::from_millis(now),
        step_sec: STEP_SEC,
        each: false,
    };
    match access.hub().place(question).await {
        Ok(past) => past.sensors,
        Err(error) => {
            tracing::warn!(%error, "which sensor rose is not known");
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breath_is_told_from_what_a_sensor_wavers_by() {
        let of = |v: f64| Quantity::from_f64(v).expect("a quantity");
        let rose = |kind, value, lowest| rise(kind, of(value), of(lowest));
        let none = [
            (SensorType::Temperature, 24.4, 24.0),
            (SensorType::Temperature, 20.0, 24.0),
            (SensorType::Humidity, 64.9, 60.0),
            (SensorType::Co2Level, 540.0, 400.0),
        ];
        for (kind, value, lowest) in none {
            assert_eq!(rose(kind, value, lowest), None, "{kind} {value}");
        }
        let (air, by) = rose(SensorType::Temperature, 26.1, 24.0).expect("a breath");
        assert_eq!(by, of(2.1));
        let (humidity, _) = rose(SensorType::Humidity, 90.0, 60.0).expect("a breath");
        assert!(humidity > air, "{humidity} {air}");
    }
}
