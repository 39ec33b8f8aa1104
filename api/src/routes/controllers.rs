//! The farm's controllers at any time: how each is, one more, another name, a new secret, whether it may connect, and taking it away.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use harit_ingest::ControllerStatus;
use harit_ingest::dead_letter::{DeadLetter, MAX_STORED};
use harit_protocol::Mac;
use harit_protocol::topic::controller_prefix;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::assets::{self, AssetBody, AssetRequest, MqttAccount, RegisteredAsset};
use super::uses::{Going, refuse_used};
use super::wrong::{TextField, Wrong};
use crate::access::{AppState, FarmAccess, ListAssets, OperateFarm, RegisterAssets};
use crate::audit::Action;
use crate::error::{ApiError, Body, ErrorBody, Item, Params};
use crate::language::Text;
use crate::records::Controller;
use crate::secret::new_secret;

const NAME: TextField = TextField {
    name: "name",
    max_chars: 120,
    too_long: Text::NameTooLong,
    lines: false,
};

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
    /// Since when it cannot; none while it can, and where it was never heard.
    #[schema(required)]
    offline_since: Option<i64>,
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
    /// When its present password was made and told; none of one from before this was written down.
    #[schema(required)]
    password_at: Option<i64>,
    /// What was refused of it; none where it is not known, and for FARM_MANAGER.
    #[schema(required)]
    dead_letters: Option<DeadLettersOf>,
}

/// What was refused of a controller.
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ControllerDeadLetters)]
struct DeadLettersOf {
    /// How many messages, as far as they are kept.
    count: u64,
    /// When the last one was.
    #[schema(required)]
    last_at: Option<i64>,
    /// Why, as a stable word.
    #[schema(required)]
    last_reason: Option<String>,
}

impl DeadLettersOf {
    /// Those of one controller among its farm's, of which the latest is the first: on its own topics, and what it wanted
    /// elsewhere, whose topic begins with who it was (`harit/1/{farm}/{mac} -> {topic}`).
    fn of(controller: &Controller, all: &[DeadLetter]) -> Self {
        let prefix = controller_prefix(&controller.farm, controller.mac);
        let who = prefix.trim_end_matches('/');
        let is_own = |l: &&DeadLetter| {
            let rest = l.topic.strip_prefix(who);
            rest.is_some_and(|rest| rest.starts_with(['/', ' ']))
        };
        let mut own = all.iter().filter(is_own).peekable();
        let last = own.peek().copied();
        Self {
            last_at: last.map(|l| l.last_at.as_millis()),
            last_reason: last.map(|l| l.reason.clone()),
            count: own.map(|l| l.count).sum(),
        }
    }
}

/// What is to be changed of a controller.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ControllerChange)]
pub(super) struct ControllerChange {
    /// Whether it may connect. One that may not is cut off at once.
    enabled: Option<bool>,
    /// 1 to 120 characters.
    #[schema(max_length = 120)]
    name: Option<String>,
}

/// A controller with its new secret.
#[derive(Serialize, ToSchema)]
#[schema(as = RenewedSecret)]
pub(super) struct RenewedSecret {
    mqtt: MqttAccount,
}

fn body(
    controller: Controller,
    status: Option<&ControllerStatus>,
    refused: Option<&[DeadLetter]>,
) -> ControllerBody {
    let Controller {
        enabled,
        password_at,
        ..
    } = controller;
    ControllerBody {
        dead_letters: refused.map(|all| DeadLettersOf::of(&controller, all)),
        asset: controller.into(),
        enabled,
        password_at,
        online: status.is_some_and(|s| s.online),
        offline_since: status
            .and_then(|s| s.offline_since)
            .map(|at| at.as_millis()),
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
    // how the controllers are is told where the history cannot be read, too
    let refused = if access.may::<OperateFarm>() {
        access.hub().dead_letters(MAX_STORED).await.ok()
    } else {
        None
    };
    let all = access.records().controllers().into_iter();
    Ok(Json(
        all.map(|c| {
            let s = known.get(&c.mac);
            body(c, s, refused.as_deref())
        })
        .collect(),
    ))
}

/// Registers a controller
///
/// At any time. The answer shows its password, and nothing does again; it can be renewed. Of a place that is there already where
/// the request names one, else with a new one, as in onboarding. For OWNER and ADMIN.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/controllers", tag = "farms",
    operation_id = "create_controller", summary = "Register a controller", request_body = AssetRequest,
    responses((status = CREATED, body = RegisteredAsset))
)]
pub(super) async fn create(
    State(state): State<AppState>,
    access: FarmAccess<RegisterAssets>,
    Body(request): Body<AssetRequest>,
) -> Result<(StatusCode, Json<RegisteredAsset>), ApiError> {
    let path = |_, field: &str| field.to_owned();
    let made = assets::register(&state, &access, &[request], path).await?;
    let made = made.into_iter().next().ok_or_else(ApiError::internal)?;
    Ok((StatusCode::CREATED, Json(made)))
}

/// Changes a controller
///
/// Names it, lets it connect, or does not.
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
    let mut wrong = Wrong::default();
    let mut typed = |name: String| wrong.required_text(&NAME, Some(&name), Text::PlaceNameRequired);
    let name = request.name.map(&mut typed).filter(|n| *n != before.name);
    wrong.done()?;
    let enabled = request.enabled.filter(|e| *e != before.enabled);
    let mac = before.mac.as_str();
    let mut done = Vec::new();
    let mut write = access.write().await?;
    if let Some(name) = name {
        write.rename_controller(&before, &name).await?;
        let details = json!({"name": name, "before": before.name});
        done.push((Action::ControllerRenamed, details));
    }
    if let Some(enabled) = enabled {
        write.enable_controller(&before, enabled).await?;
        let action = if enabled {
            Action::ControllerEnabled
        } else {
            Action::ControllerDisabled
        };
        done.push((action, json!({"name": before.name})));
    }
    let Some((last, details)) = done.pop() else {
        return Ok(StatusCode::NO_CONTENT);
    };
    for (action, details) in done {
        write.also(action, mac, details);
    }
    write.commit(last, mac, details).await?;
    if enabled.is_some() {
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

/// How sure who removes something is.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Removal {
    /// Whether it is removed although something goes by it.
    anyway: Option<bool>,
}

/// Takes a controller away
///
/// It cannot connect any more, and its MAC can be registered again, here or elsewhere. Its sensors and devices count as gone and
/// can be removed; its polyhouse or reservoir stays. 409 names the rules, alerts, devices and derived sensors that go by its sensors
/// and devices alone; `anyway=true` says that this is meant. For OWNER and ADMIN.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/controllers/{macid}", tag = "farms",
    operation_id = "remove_controller", summary = "Remove a controller", params(Removal),
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "Something goes by what it has", body = ErrorBody),
    )
)]
pub(super) async fn remove(
    access: FarmAccess<RegisterAssets>,
    Item(id): Item,
    Params(removal): Params<Removal>,
) -> Result<StatusCode, ApiError> {
    let controller = found(&access, &id)?;
    if !removal.anyway.unwrap_or_default() {
        let all = access.hub().controllers().await?;
        let of_it = all.into_iter().filter(|c| c.mac == controller.mac);
        let mut going = Going::default();
        for c in of_it {
            going.sensors.extend(c.sensors.into_iter().map(|s| s.id));
            going.devices.extend(c.devices.into_iter().map(|d| d.id));
        }
        refuse_used(&access, going).await?;
    }
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
