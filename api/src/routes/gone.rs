//! Removing what is gone: sensors and devices that their controller no longer announces, or whose controller was taken away.

use axum::http::StatusCode;
use harit_engine::{DeviceId, Engine, InputKind, RegistryChange, SensorId};
use serde_json::json;

use super::refusals::{ByRole, OfFarm, WithSession};
use crate::access::{FarmAccess, WriteAssets};
use crate::error::{ApiError, ErrorBody, Item};
use crate::language::Text;

/// Removes a sensor that is gone
///
/// Its history stays. Rules and alerts whose conditions it alone answered are not known from then on. For OWNER and ADMIN.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/sensors/{sensorId}", tag = "farms", operation_id = "remove_sensor",
    params(("farmId" = String, Path), ("sensorId" = String, Path, description = "`/` in an id is written `%2F`")),
    responses(
        (status = NO_CONTENT),
        WithSession, OfFarm, ByRole,
        (status = CONFLICT, description = "Its controller still announces it", body = ErrorBody),
    )
)]
pub(super) async fn remove_sensor(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let _edit = access.editing().await;
    let asked = id.clone();
    let question = move |engine: &Engine| {
        let mut all = engine.sensors();
        all.find(|s| s.spec.id.as_str() == asked).map(|s| s.spec)
    };
    let found = access.hub().read(question).await?;
    let spec = found.ok_or_else(ApiError::not_found)?;
    let controllers = access.hub().controllers().await?;
    let mut sensors = controllers.iter().flat_map(|c| &c.sensors);
    if !sensors.any(|s| s.id.as_str() == id && s.gone) {
        return Err(ApiError::not_gone());
    }
    let change = RegistryChange::DeleteSensor(SensorId::new(id.clone()));
    let removed = access.hub().admit(InputKind::Registry(vec![change])).await;
    removed.map_err(ApiError::or_in_use)?;
    let details = json!({"name": spec.name, "type": spec.sensor_type});
    access.audit("sensor_removed", &id, details).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a device that is gone
///
/// As long as no rule names it; else 409 names the rules that do. For OWNER and ADMIN.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/devices/{deviceId}", tag = "automation", operation_id = "remove_device",
    params(("farmId" = String, Path), ("deviceId" = String, Path, description = "`/` in an id is written `%2F`")),
    responses(
        (status = NO_CONTENT),
        WithSession, OfFarm, ByRole,
        (status = CONFLICT, description = "Its controller still announces it, or rules name it", body = ErrorBody),
    )
)]
pub(super) async fn remove_device(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let _edit = access.editing().await;
    let asked = id.clone();
    let question = move |engine: &Engine| {
        let device = engine.device(&asked)?;
        let names = |r: &harit_engine::RuleSpec| {
            let mut actions = r.actions.iter();
            actions.any(|a| a.device_id.as_str() == asked)
        };
        let rules = engine.document().rules.into_iter().filter(names);
        let uses = rules.map(|r| (format!("rules.{}", r.id), Text::UsedByRule, r.name));
        Some((device.spec, uses.collect::<Vec<_>>()))
    };
    let found = access.hub().read(question).await?;
    let (spec, uses) = found.ok_or_else(ApiError::not_found)?;
    let controllers = access.hub().controllers().await?;
    let mut devices = controllers.iter().flat_map(|c| &c.devices);
    if !devices.any(|d| d.id.as_str() == id && d.gone) {
        return Err(ApiError::not_gone());
    }
    if !uses.is_empty() {
        return Err(ApiError::in_use(uses));
    }
    let change = RegistryChange::DeleteDevice(DeviceId::new(id.clone()));
    let removed = access.hub().admit(InputKind::Registry(vec![change])).await;
    // a rule was saved just now
    removed.map_err(ApiError::or_in_use)?;
    access
        .audit("device_removed", &id, json!({"name": spec.name}))
        .await;
    Ok(StatusCode::NO_CONTENT)
}
