//! Controllers after they were registered: how each is, a new secret, whether it may connect, and taking it away.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use harit_ingest::ControllerStatus;
use harit_protocol::Mac;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::onboarding::{AssetBody, MqttAccount};
use crate::access::{AppState, FarmAccess, ListAssets, RegisterAssets};
use crate::audit::Action;
use crate::error::{ApiError, Body, Item};
use crate::records::Controller;
use crate::secret::new_secret;

/// A controller of the farm, and how it is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Controller)]
pub(super) struct ControllerBody {
    #[serde(flatten)]
    asset: AssetBody,
    /// Whether it may connect.
    enabled: bool,
    /// Whether it can be reached.
    online: bool,
    /// When it last published anything that was good, since the server's start.
    #[schema(required)]
    last_seen: Option<i64>,
    /// As it said.
    #[schema(required)]
    firmware: Option<String>,
    /// How many sensors it has, gone ones too.
    sensors: usize,
    /// How many devices it has, gone ones too.
    devices: usize,
}

/// What is to be changed of a controller.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ControllerChange)]
pub(super) struct ControllerChange {
    /// Whether it may connect. One that may not is cut off at once.
    enabled: bool,
}

/// A controller with its new secret.
#[derive(Serialize, ToSchema)]
#[schema(as = RenewedSecret)]
pub(super) struct RenewedSecret {
    mqtt: MqttAccount,
}

fn body(controller: Controller, status: Option<&ControllerStatus>) -> ControllerBody {
    let enabled = controller.enabled;
    ControllerBody {
        asset: controller.into(),
        enabled,
        online: status.is_some_and(|s| s.online),
        last_seen: status.and_then(|s| s.last_seen).map(|at| at.as_millis()),
        firmware: status.and_then(|s| s.firmware.clone()),
        sensors: status.map_or(0, |s| s.sensors.len()),
        devices: status.map_or(0, |s| s.devices.len()),
    }
}

/// The controllers
///
/// In the order in which they were registered. For OWNER, ADMIN and FARM_MANAGER.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/controllers", tag = "farms",
    operation_id = "list_controllers", summary = "List controllers",
    responses((status = OK, body = Vec<ControllerBody>))
)]
pub(super) async fn list(
    access: FarmAccess<ListAssets>,
) -> Result<Json<Vec<ControllerBody>>, ApiError> {
    let known = access.hub().controllers().await?;
    let known: HashMap<Mac, ControllerStatus> = known.into_iter().map(|c| (c.mac, c)).collect();
    let all = access.records().controllers().into_iter();
    Ok(Json(
        all.map(|c| {
            let s = known.get(&c.mac);
            body(c, s)
        })
        .collect(),
    ))
}

/// Changes a controller
///
/// Lets it connect, or does not.
/// One that may not connect is cut off at once; nothing of it is forgotten. For OWNER and ADMIN.
#[utoipa::path(
    patch, path = "/api/farms/{farmId}/controllers/{macid}", tag = "farms",
    operation_id = "change_controller", summary = "Change a controller", request_body = ControllerChange,
    responses((status = NO_CONTENT))
)]
pub(super) async fn change(
    access: FarmAccess<RegisterAssets>,
    Item(id): Item,
    Body(request): Body<ControllerChange>,
) -> Result<StatusCode, ApiError> {
    let before = found(&access, &id)?;
    if before.enabled != request.enabled {
        let enabled = request.enabled;
        let mut write = access.write().await?;
        write.enable_controller(&before, enabled).await?;
        let action = if enabled {
            Action::ControllerEnabled
        } else {
            Action::ControllerDisabled
        };
        let details = json!({"name": before.name});
        write.commit(action, before.mac.as_str(), details).await?;
        access.controller_revoked(before.mac);
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Gives a controller a new secret
///
/// The answer shows it, and nothing does again. The old one is void at once, and a connection with it ends. For OWNER and ADMIN.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/controllers/{macid}/secret", tag = "farms",
    operation_id = "renew_secret", summary = "Renew the secret of a controller",
    responses((status = CREATED, body = RenewedSecret))
)]
pub(super) async fn renew_secret(
    State(state): State<AppState>,
    access: FarmAccess<RegisterAssets>,
    Item(id): Item,
) -> Result<(StatusCode, Json<RenewedSecret>), ApiError> {
    let controller = found(&access, &id)?;
    let mac = controller.mac;
    let secret = new_secret().map_err(|_| ApiError::unavailable())?;
    let mut write = access.write().await?;
    write.renew_secret(&controller, &secret).await?;
    let details = json!({"name": controller.name});
    let action = Action::ControllerSecretRenewed;
    write.commit(action, mac.as_str(), details).await?;
    access.controller_revoked(mac);
    let mqtt = MqttAccount::of(&state, access.farm(), mac, secret);
    Ok((StatusCode::CREATED, Json(RenewedSecret { mqtt })))
}

/// Takes a controller away
///
/// It cannot connect any more, and its MAC can be registered again, here or elsewhere. Its sensors and devices count as gone and
/// can be removed; its polyhouse or reservoir stays. For OWNER and ADMIN.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/controllers/{macid}", tag = "farms",
    operation_id = "remove_controller", summary = "Remove a controller",
    responses((status = NO_CONTENT))
)]
pub(super) async fn remove(
    access: FarmAccess<RegisterAssets>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let controller = found(&access, &id)?;
    let mut write = access.write().await?;
    write.remove_controller(controller.mac).await?;
    let details = json!({"name": controller.name});
    let (action, mac) = (Action::ControllerRemoved, controller.mac.as_str());
    write.commit(action, mac, details).await?;
    access.controller_revoked(controller.mac);
    Ok(StatusCode::NO_CONTENT)
}

fn found(access: &FarmAccess<RegisterAssets>, id: &str) -> Result<Controller, ApiError> {
    let mac = Mac::parse(id).ok();
    mac.and_then(|mac| access.records().controller(mac))
        .ok_or_else(ApiError::not_found)
}
