//! Removing what is gone: sensors and devices that their controller no longer announces, or whose controller was taken away.

use axum::http::StatusCode;
use harit_engine::{
    DeviceId, DeviceStatus, Engine, GroupSpec, HoursSpec, InputKind, NodeKind, RegistryChange,
    RuleSpec, SensorId,
};
use harit_ingest::ControllerStatus;
use serde_json::{Value, json};

use super::devices::name;
use crate::access::{FarmAccess, WriteAssets};
use crate::audit::Action;
use crate::derived_sensors::is_derived;
use crate::error::{ApiError, ErrorBody, Item};
use crate::language::Text;

/// Removes a sensor
///
/// One that is gone. Its history stays. Rules and alerts whose conditions it alone answered are not known from then on. For OWNER and ADMIN.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/sensors/{sensorId}", tag = "farms",
    operation_id = "remove_sensor", summary = "Remove a sensor",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "Its controller still announces it", body = ErrorBody),
    )
)]
pub(super) async fn remove_sensor(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    if is_derived(&id) {
        return Err(ApiError::derived());
    }
    let asked = id.clone();
    let find = move |engine: &Engine| {
        let mut all = engine.sensors();
        let spec = all.find(|s| s.spec.id.as_str() == asked)?.spec;
        Some(Found {
            change: RegistryChange::DeleteSensor(SensorId::new(asked)),
            action: Action::SensorRemoved,
            details: json!({"name": spec.name, "type": spec.sensor_type}),
            uses: Vec::new(),
        })
    };
    let is_gone = |c: &ControllerStatus| c.sensors.iter().any(|s| s.id.as_str() == id && s.gone);
    remove(access, &id, find, is_gone).await
}

/// Removes a device
///
/// One that is gone, as long as no rule names it and no device needs it; else 409 names those that do. For OWNER and ADMIN.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/devices/{deviceId}", tag = "automation",
    operation_id = "remove_device", summary = "Remove a device",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "Its controller still announces it, rules name it, or devices need it", body = ErrorBody),
    )
)]
pub(super) async fn remove_device(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let asked = id.clone();
    let find = move |engine: &Engine| {
        let spec = engine.device(&asked)?.spec;
        let names = |r: &RuleSpec| {
            let mut actions = r.actions.iter();
            actions.any(|a| a.device_id.as_str() == asked)
        };
        let rules = engine.document().rules.into_iter().filter(names);
        let rules = rules.map(|r| (format!("rules.{}", r.id), Text::UsedByRule, r.name));
        let needs = |d: &DeviceStatus| {
            let needs = d.spec.limits.as_deref().and_then(|l| l.needs.as_ref());
            let hours = d.spec.limits.as_deref().and_then(|l| l.hours.as_ref());
            needs.is_some_and(|n| n.any.iter().any(|id| id.as_str() == asked))
                || hours.is_some_and(|h| names_device(h, &asked))
        };
        let groups = engine.document().farm.settings.groups.into_iter();
        let hours = |g: &GroupSpec| g.hours.as_ref().is_some_and(|h| names_device(h, &asked));
        let groups = groups.filter(hours).map(|g| {
            let path = format!("device-groups.{}", g.id);
            (path, Text::NeededByDevice, g.name)
        });
        let needing = engine.devices().filter(needs).map(|d| {
            let path = format!("devices.{}", d.spec.id);
            (path, Text::NeededByDevice, name(&d.spec))
        });
        let uses = rules.chain(needing).chain(groups);
        Some(Found {
            action: Action::DeviceRemoved,
            details: json!({"name": spec.name}),
            uses: uses.collect(),
            change: RegistryChange::DeleteDevice(DeviceId::new(asked)),
        })
    };
    let is_gone = |c: &ControllerStatus| c.devices.iter().any(|d| d.id.as_str() == id && d.gone);
    remove(access, &id, find, is_gone).await
}

/// Whether hours look at what a device is reported to do.
fn names_device(hours: &HoursSpec, device: &str) -> bool {
    let nodes = hours.node.nodes().into_iter();
    let mut kinds = nodes.map(|node| &node.kind);
    kinds.any(|kind| matches!(kind, NodeKind::Device { id, .. } if id.as_str() == device))
}

/// What is to be removed.
struct Found {
    change: RegistryChange,
    action: Action,
    details: Value,
    /// What names it: paths, why, and names.
    uses: Vec<(String, Text, String)>,
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
    if !found.uses.is_empty() {
        return Err(ApiError::in_use(found.uses));
    }
    let change = InputKind::Registry(vec![found.change]);
    // a rule was saved just now
    let removed = access.admit(change, found.action, id, found.details);
    removed.await.map_err(ApiError::or_in_use)?;
    Ok(StatusCode::NO_CONTENT)
}
