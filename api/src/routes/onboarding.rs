//! Registering assets: a controller, and the polyhouse or reservoir that it controls.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::assets::{self, AssetBody, AssetRequest, RegisteredAsset};
use crate::access::{AppState, Caller, FarmAccess, ListAssets, RegisterAssets};
use crate::error::{ApiError, Body, ErrorBody, Params};
use crate::language::Text;

/// The most assets of one request.
const MAX_ASSETS: usize = 64;

/// Assets to be registered.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RegisterAssets)]
pub(super) struct RegisterRequest {
    #[serde(default)]
    #[schema(required, min_items = 1, max_items = 64)]
    assets: Vec<AssetRequest>,
    /// In which farm; the caller's first one by default.
    farm_id: Option<String>,
}

/// Registered assets, with their controllers' secrets.
#[derive(Serialize, ToSchema)]
#[schema(as = RegisteredAssets)]
pub(super) struct Registered {
    assets: Vec<RegisteredAsset>,
}

/// The assets of a farm.
#[derive(Serialize, ToSchema)]
#[schema(as = Assets)]
pub(super) struct Assets {
    assets: Vec<AssetBody>,
}

/// Which farm's.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(super) struct AssetQuery {
    /// The caller's first farm by default.
    farm_id: Option<String>,
}

/// The registered assets
///
/// For OWNER, ADMIN and FARM_MANAGER.
#[utoipa::path(
    get, path = "/onboarding/assets", tag = "onboarding", operation_id = "list_assets", summary = "List assets",
    params(AssetQuery),
    responses(
        (status = OK, body = Assets),
        (status = CONFLICT, description = "The caller belongs to no farm", body = ErrorBody),
    )
)]
pub(super) async fn list(
    caller: Caller,
    Params(query): Params<AssetQuery>,
) -> Result<Json<Assets>, ApiError> {
    let access: FarmAccess<ListAssets> = caller.in_farm_or_first(query.farm_id.as_deref()).await?;
    Ok(Json(Assets {
        assets: access
            .records()
            .controllers()
            .into_iter()
            .map(AssetBody::from)
            .collect(),
    }))
}

/// Registers assets
///
/// All of them, or none. POLYHOUSE creates a polyhouse of that name with one zone, FERTIGATION a reservoir. A MAC that is
/// registered in this farm already is said as such (`already_registered`); of one that another farm has, only that it is taken
/// (`mac_taken`): who runs the server can give it free (`harit controllers release`). For OWNER and ADMIN.
#[utoipa::path(
    post, path = "/onboarding/assets", tag = "onboarding", operation_id = "register_assets", summary = "Register assets",
    request_body = RegisterRequest,
    responses(
        (status = CREATED, body = Registered),
        (status = CONFLICT, description = "The caller belongs to no farm", body = ErrorBody),
    )
)]
pub(super) async fn register(
    State(state): State<AppState>,
    caller: Caller,
    Body(request): Body<RegisterRequest>,
) -> Result<(StatusCode, Json<Registered>), ApiError> {
    let access: FarmAccess<RegisterAssets> =
        caller.in_farm_or_first(request.farm_id.as_deref()).await?;
    if request.assets.is_empty() {
        return Err(ApiError::field("assets", "required", Text::AssetsRequired));
    }
    if request.assets.len() > MAX_ASSETS {
        return Err(ApiError::field("assets", "too_many", Text::TooManyAssets));
    }
    let path = |n: usize, field: &str| format!("assets[{n}].{field}");
    let assets = assets::register(&state, &access, &request.assets, path).await?;
    Ok((StatusCode::CREATED, Json(Registered { assets })))
}
