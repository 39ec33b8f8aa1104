//! Tokens of people that reach the farm, for its owners.

use axum::Json;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::access::{EndPeoplesTokens, FarmAccess};
use crate::audit::Action;
use crate::error::{ApiError, Item};
use crate::records::{FarmToken, TokenScope, now_ms};

/// The tokens that reach the farm.
#[derive(Serialize, ToSchema)]
#[schema(as = FarmTokens)]
pub(super) struct FarmTokensBody {
    /// By their owners' names, then the oldest first.
    tokens: Vec<FarmTokenBody>,
}

/// A token of somebody's that reaches the farm.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FarmToken)]
pub(super) struct FarmTokenBody {
    id: String,
    name: String,
    /// In whose name it acts.
    owner_id: String,
    owner_name: String,
    scope: TokenScope,
    created_at: i64,
    /// In any farm, to 10 minutes; none before its first use.
    #[schema(required)]
    last_used_at: Option<i64>,
    /// None of one that does not end by itself.
    #[schema(required)]
    expires_at: Option<i64>,
    /// Whether its time is over.
    expired: bool,
}

fn body(token: FarmToken) -> Option<FarmTokenBody> {
    Some(FarmTokenBody {
        scope: token.scope()?,
        expired: token.expires_at.is_some_and(|at| at <= now_ms()),
        id: token.id,
        name: token.name,
        owner_id: token.owner_id,
        owner_name: token.owner_name,
        created_at: token.created_at,
        last_used_at: token.last_used_at,
        expires_at: token.expires_at,
    })
}

/// Tokens that reach the farm
///
/// Whose they are, what they may and when they were last used, of everybody who belongs to the farm. Nothing tells what they are
/// known by, or which other farms they reach. For OWNER.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/tokens", tag = "farms",
    operation_id = "list_farm_tokens", summary = "List the tokens of a farm",
    responses((status = OK, body = FarmTokensBody))
)]
pub(super) async fn list(
    access: FarmAccess<EndPeoplesTokens>,
) -> Result<Json<FarmTokensBody>, ApiError> {
    let all = access.records().tokens().await?.into_iter();
    Ok(Json(FarmTokensBody {
        tokens: all.filter_map(body).collect(),
    }))
}

/// Ends a token in this farm
///
/// It does not reach the farm from now on, and its live connections hear nothing more of it; in other farms of its owner's it stays
/// what it is.
/// For OWNER.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/tokens/{tokenId}", tag = "farms",
    operation_id = "end_farm_token", summary = "End a token in a farm",
    responses((status = NO_CONTENT))
)]
pub(super) async fn end(
    access: FarmAccess<EndPeoplesTokens>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let mut write = access.write().await?;
    let ended = write
        .end_token(&id)
        .await?
        .ok_or_else(ApiError::not_found)?;
    let details = json!({"name": ended.name, "owner": ended.owner_name});
    write.commit(Action::TokenRevoked, &id, details).await?;
    Ok(StatusCode::NO_CONTENT)
}
