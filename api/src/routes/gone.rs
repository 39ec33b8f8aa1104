//! Removing what is gone: sensors and devices that their controller no longer announces, or whose controller was taken away.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use harit_engine::{DeviceId, Engine, InputKind, RegistryChange, SensorId};
use harit_ingest::ControllerStatus;
use serde_json::{Value, json};

use super::uses::{Going, refuse_used};
use crate::access::{FarmAccess, WriteAssets};
use crate::audit::Action;
use crate::error::{ApiError, ErrorBody, Item};

/// Removes a sensor
///
/// One that is gone. Its history stays. 409 names the rules, alerts and derived sensors that go by it alone. For OWNER and ADMIN.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/sensors/{sensorId}", tag = "farms",
    operation_id = "remove_sensor", summary = "Remove a sensor",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "Its controller still announces it, or something goes by it", body = ErrorBody),
    )
)]
pub(super) async fn remove_sensor(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    if harit_derived::is_sensor(&id) {
        return Err(ApiError::derived());
    }
    let asked = id.clone();
    let find = move |engine: &Engine| {
        let mut all = engine.sensors();
        let spec = all.find(|s| s.spec.id.as_str() == asked)?.spec;
        Some(Found {
            change: RegistryChange::DeleteSensor(SensorId::new(asked.as_str())),
            action: Action::SensorRemoved,
            details: json!({"name": spec.name, "type": spec.sensor_type}),
            going: Going {
                sensors: BTreeSet::from([SensorId::new(asked)]),
                ..Going::default()
            },
        })
    };
    let is_gone = |c: &ControllerStatus| c.sensors.iter().any(|s| s.id.as_str() == id && s.gone);
    remove(access, &id, find, is_gone).await
}

/// Removes a device
///
/// One that is gone, as long as no rule or alert names it and no device needs it; else 409 names those that do. For OWNER and ADMIN.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/devices/{deviceId}", tag = "automation",
    operation_id = "remove_device", summary = "Remove a device",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "Its controller still announces it, or something goes by it", body = ErrorBody),
    )
)]
pub(super) async fn remove_device(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let asked = id.clone();
    let find = move |engine: &Engine| {
        let spec = engine.device(&asked)?.spec;
        Some(Found {
            action: Action::DeviceRemoved,
            details: json!({"name": spec.name}),
            change: RegistryChange::DeleteDevice(DeviceId::new(asked.as_str())),
            going: Going {
                devices: BTreeSet::from([DeviceId::new(asked)]),
                ..Going::default()
            },
        })
    };
    let is_gone = |c: &ControllerStatus| c.devices.iter().any(|d| d.id.as_str() == id && d.gone);
    remove(access, &id, find, is_gone).await
}

/// What is to be removed.
struct Found {
    change: RegistryChange,
    action: Action,
    details: Value,
    going: Going,
}

/// Removes what no controller has any more and nothing names.
async fn remove(
    access: FarmAccess<WriteAssets>,
    id: &str,
    find: impl FnOnce(&Engine) -> Option<Found> + Send + 'static,
    is_gone: impl Fn(&ControllerStatus) -> bool,
) -> Result<StatusCode, ApiError> {
    let _edit = access.editing().await;
    let found = access.hub().read(find).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    if !access.hub().controllers().await?.iter().any(is_gone) {
        return Err(ApiError::not_gone());
    }
    refuse_used(&access, found.going).await?;
    let change = InputKind::Registry(vec![found.change]);
    // a rule was saved just now
    let removed = access.admit(change, found.action, id, found.details);
    removed.await.map_err(ApiError::or_in_use)?;
    Ok(StatusCode::NO_CONTENT)
}
