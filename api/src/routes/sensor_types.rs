//! What can be measured: the engine's table of sensor types.

use axum::Json;
use harit_engine::SensorType;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Caller;
use crate::document::{AlertSensorDocument, SensorTypeDocument};

/// A sensor type with its unit and its ranges.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SensorTypeRow)]
pub(crate) struct SensorTypeBody {
    #[serde(rename = "type")]
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    /// Its name in alert rules.
    #[schema(value_type = AlertSensorDocument)]
    alert_name: &'static str,
    /// Its unit; empty where it has none.
    unit: &'static str,
    /// The least value that a rule may compare it with.
    min: i64,
    /// The greatest value that a rule may compare it with.
    max: i64,
    /// Below this a reading is a fault.
    plausible_min: i64,
    /// Above this a reading is a fault.
    plausible_max: i64,
}

impl SensorTypeBody {
    /// The whole table, in its order.
    pub(crate) fn all() -> Vec<Self> {
        SensorType::ALL
            .map(|t| Self {
                sensor_type: t,
                alert_name: t.alert_name(),
                unit: t.unit(),
                min: t.editor_range().0,
                max: t.editor_range().1,
                plausible_min: t.plausible_range().0,
                plausible_max: t.plausible_range().1,
            })
            .into()
    }
}

/// The sensor types
///
/// Everything that can be measured, with units and ranges, in the order in which it is listed to people. For everybody who is signed in.
#[utoipa::path(
    get, path = "/api/sensor-types", tag = "farms",
    operation_id = "list_sensor_types", summary = "List the sensor types",
    responses((status = OK, body = Vec<SensorTypeBody>))
)]
pub(super) async fn list(_: Caller) -> Json<Vec<SensorTypeBody>> {
    Json(SensorTypeBody::all())
}
