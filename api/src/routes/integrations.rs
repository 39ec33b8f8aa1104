//! The farm's integrations: accounts that read its topics by MQTT and can send nothing.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::wrong::{TextField, Wrong};
use crate::access::{AppState, FarmAccess, WriteIntegrations};
use crate::audit::Action;
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::records::Integration;
use crate::secret::new_secret;

const NAME: TextField = TextField {
    name: "name",
    max_chars: 80,
    too_long: Text::TokenNameTooLong,
    lines: false,
};

/// An account that reads the farm's topics.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Integration)]
pub(super) struct IntegrationBody {
    /// What it signs in with.
    #[schema(example = "integration-3f09ab12cd45")]
    id: String,
    name: String,
    /// Whether it may connect.
    enabled: bool,
    created_at: i64,
    /// When its present password was made and told; none of one from before this was written down.
    #[schema(required)]
    password_at: Option<i64>,
    /// When it last connected, to a minute; none before it did.
    #[schema(required)]
    last_connected_at: Option<i64>,
}

/// The farm's integrations.
#[derive(Serialize, ToSchema)]
#[schema(as = Integrations)]
pub(super) struct IntegrationsBody {
    /// In the order in which they were made.
    integrations: Vec<IntegrationBody>,
    /// Whether this server has the connections of MQTT. Behind a broker they are the broker's, and so are its accounts: these
    /// here open nothing.
    endpoint: bool,
}

/// What an integration connects with. The password is shown here and never again.
#[derive(Serialize, ToSchema)]
#[schema(as = IntegrationAccount)]
struct AccountBody {
    /// host:port
    address: String,
    username: String,
    password: String,
    /// What it may subscribe to.
    #[schema(example = "harit/1/demo-farm-1/#")]
    topic: String,
}

/// An integration with its new password.
#[derive(Serialize, ToSchema)]
#[schema(as = NewIntegration)]
pub(super) struct NewIntegrationBody {
    integration: IntegrationBody,
    mqtt: AccountBody,
}

/// An integration to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = IntegrationRequest)]
pub(super) struct IntegrationRequest {
    /// 1 to 80 characters.
    #[schema(required, value_type = String, max_length = 80)]
    name: Option<String>,
}

/// What is to be changed of an integration; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = IntegrationChange)]
pub(super) struct IntegrationChange {
    /// Whether it may connect. One that may not is cut off at once.
    enabled: Option<bool>,
    /// 1 to 80 characters.
    #[schema(max_length = 80)]
    name: Option<String>,
}

impl From<Integration> for IntegrationBody {
    fn from(i: Integration) -> Self {
        Self {
            id: i.username,
            name: i.name,
            enabled: i.enabled,
            created_at: i.created_at,
            password_at: i.password_at,
            last_connected_at: i.last_connected_at,
        }
    }
}

/// The integrations
///
/// For OWNER and ADMIN.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/integrations", tag = "farms",
    operation_id = "list_integrations", summary = "List integrations",
    responses((status = OK, body = IntegrationsBody))
)]
pub(super) async fn list(
    State(state): State<AppState>,
    access: FarmAccess<WriteIntegrations>,
) -> Json<IntegrationsBody> {
    let all = access.records().integrations().into_iter();
    Json(IntegrationsBody {
        integrations: all.map(IntegrationBody::from).collect(),
        endpoint: state.has_endpoint(),
    })
}

/// Makes an integration
///
/// An account of MQTT that subscribes under `harit/1/{farm}/` and can publish nothing. The answer shows its password, and
/// nothing does again; it can be renewed. A farm has at most 50. For OWNER and ADMIN.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/integrations", tag = "farms",
    operation_id = "create_integration", summary = "Make an integration", request_body = IntegrationRequest,
    responses(
        (status = CREATED, body = NewIntegrationBody),
        (status = CONFLICT, description = "There are 50 already", body = ErrorBody),
    )
)]
pub(super) async fn create(
    State(state): State<AppState>,
    access: FarmAccess<WriteIntegrations>,
    Body(request): Body<IntegrationRequest>,
) -> Result<(StatusCode, Json<NewIntegrationBody>), ApiError> {
    let mut wrong = Wrong::default();
    let name = wrong.required_text(
        &NAME,
        request.name.as_deref(),
        Text::IntegrationNameRequired,
    );
    wrong.done()?;
    let secret = new_secret().map_err(|_| ApiError::unavailable())?;
    let username = Integration::new_username().map_err(|_| ApiError::unavailable())?;
    let mut write = access.write().await?;
    // asked while the one writer is held
    if access.records().is_full_of_integrations() {
        return Err(ApiError::too_many_records());
    }
    let made = write.add_integration(&username, &name, &secret).await?;
    let details = json!({"name": name});
    write
        .commit(Action::IntegrationMade, &username, details)
        .await?;
    let body = shown(&state, &access, made, secret);
    Ok((StatusCode::CREATED, Json(body)))
}

/// Changes an integration
///
/// Names it, lets it connect, or does not. One that may not is cut off at once. For OWNER and ADMIN.
#[utoipa::path(
    patch, path = "/api/farms/{farmId}/integrations/{integrationId}", tag = "farms",
    operation_id = "change_integration", summary = "Change an integration", request_body = IntegrationChange,
    responses((status = NO_CONTENT))
)]
pub(super) async fn change(
    access: FarmAccess<WriteIntegrations>,
    Item(id): Item,
    Body(request): Body<IntegrationChange>,
) -> Result<StatusCode, ApiError> {
    let before = found(&access, &id)?;
    let mut wrong = Wrong::default();
    let mut typed =
        |name: String| wrong.required_text(&NAME, Some(&name), Text::IntegrationNameRequired);
    let name = request.name.map(&mut typed).filter(|n| *n != before.name);
    wrong.done()?;
    let enabled = request.enabled.filter(|e| *e != before.enabled);
    let mut done = Vec::new();
    let mut write = access.write().await?;
    if let Some(name) = name {
        write.rename_integration(&id, &name).await?;
        let details = json!({"name": name, "before": before.name});
        done.push((Action::IntegrationRenamed, details));
    }
    if let Some(enabled) = enabled {
        write.enable_integration(&id, enabled).await?;
        let action = if enabled {
            Action::IntegrationEnabled
        } else {
            Action::IntegrationDisabled
        };
        done.push((action, json!({"name": before.name})));
    }
    let Some((last, details)) = done.pop() else {
        return Ok(StatusCode::NO_CONTENT);
    };
    for (action, details) in done {
        write.also(action, &id, details);
    }
    write.commit(last, &id, details).await?;
    if enabled == Some(false) {
        access.integration_revoked(&id);
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Gives an integration a new password
///
/// The answer shows it, and nothing does again. The old one is void at once, and connections with it end. For OWNER and ADMIN.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/integrations/{integrationId}/secret", tag = "farms",
    operation_id = "renew_integration_secret", summary = "Renew the password of an integration",
    responses((status = CREATED, body = NewIntegrationBody))
)]
pub(super) async fn renew_secret(
    State(state): State<AppState>,
    access: FarmAccess<WriteIntegrations>,
    Item(id): Item,
) -> Result<(StatusCode, Json<NewIntegrationBody>), ApiError> {
    let before = found(&access, &id)?;
    let secret = new_secret().map_err(|_| ApiError::unavailable())?;
    let mut write = access.write().await?;
    write.renew_integration(&id, &secret).await?;
    let action = Action::IntegrationSecretRenewed;
    write
        .commit(action, &id, json!({"name": before.name}))
        .await?;
    access.integration_revoked(&id);
    let now = found(&access, &id)?;
    let body = shown(&state, &access, now, secret);
    Ok((StatusCode::CREATED, Json(body)))
}

/// Removes an integration
///
/// Its connections end at once. For OWNER and ADMIN.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/integrations/{integrationId}", tag = "farms",
    operation_id = "remove_integration", summary = "Remove an integration",
    responses((status = NO_CONTENT))
)]
pub(super) async fn remove(
    access: FarmAccess<WriteIntegrations>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let before = found(&access, &id)?;
    let mut write = access.write().await?;
    write.remove_integration(&id).await?;
    let action = Action::IntegrationRemoved;
    write
        .commit(action, &id, json!({"name": before.name}))
        .await?;
    access.integration_revoked(&id);
    Ok(StatusCode::NO_CONTENT)
}

fn found(access: &FarmAccess<WriteIntegrations>, id: &str) -> Result<Integration, ApiError> {
    access
        .records()
        .integration(id)
        .ok_or_else(ApiError::not_found)
}

fn shown(
    state: &AppState,
    access: &FarmAccess<WriteIntegrations>,
    integration: Integration,
    secret: String,
) -> NewIntegrationBody {
    NewIntegrationBody {
        mqtt: AccountBody {
            address: state.config().mqtt_address.clone(),
            username: integration.username.clone(),
            password: secret,
            topic: Integration::topic(access.farm()),
        },
        integration: integration.into(),
    }
}
