//! The caller's tokens of programs.

use axum::Json;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::wrong::{TextField, Wrong};
use crate::access::{Caller, WantedToken};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::records::{Token, TokenScope, now_ms};

/// The longest time that a token may be good for, where it ends at all: five years, in milliseconds.
const MAX_LIFE_MS: i64 = 5 * 366 * 24 * 3_600 * 1_000;
const NAME: TextField = TextField {
    name: "name",
    max_chars: 80,
    too_long: Text::TokenNameTooLong,
    lines: false,
};

/// The caller's tokens.
#[derive(Serialize, ToSchema)]
#[schema(as = Tokens)]
pub(super) struct Tokens {
    /// The oldest first; those that have ended stay until they are removed, or make room.
    tokens: Vec<TokenBody>,
}

/// A token of a program.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Token)]
pub(super) struct TokenBody {
    id: String,
    name: String,
    /// Its first characters.
    #[schema(example = "harit_3f09ab")]
    start: String,
    scope: TokenScope,
    /// The farms that it is for; those that its owner left are gone from it.
    farms: Vec<String>,
    created_at: i64,
    /// To 10 minutes; none before its first use.
    #[schema(required)]
    last_used_at: Option<i64>,
    /// None of one that does not end by itself.
    #[schema(required)]
    expires_at: Option<i64>,
    /// Whether its time is over.
    expired: bool,
}

/// A token that was just made.
#[derive(Serialize, ToSchema)]
#[schema(as = NewToken)]
pub(super) struct NewTokenBody {
    /// To be sent as `Authorization: Bearer <token>`. It is shown here and never again.
    secret: String,
    token: TokenBody,
}

/// A token to be made.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TokenRequest)]
pub(super) struct TokenRequest {
    /// 1 to 80 characters.
    #[schema(required, value_type = String, max_length = 80)]
    name: Option<String>,
    #[schema(required, value_type = TokenScope)]
    scope: Option<String>,
    /// Farms of the caller's: at least one.
    #[serde(default)]
    #[schema(required)]
    farms: Vec<String>,
    /// When it ends, at most five years from now; without one it does not end by itself.
    expires_at: Option<i64>,
}

impl From<Token> for TokenBody {
    fn from(token: Token) -> Self {
        Self {
            expired: token.expires_at.is_some_and(|at| at <= now_ms()),
            id: token.id,
            name: token.name,
            start: token.start,
            scope: token.scope,
            farms: token.farms,
            created_at: token.created_at,
            last_used_at: token.last_used_at,
            expires_at: token.expires_at,
        }
    }
}

/// The caller's tokens
///
/// What programs may do in the caller's name. No token lists them.
#[utoipa::path(
    get, path = "/auth/tokens", tag = "auth", operation_id = "list_tokens", summary = "List tokens",
    responses((status = OK, body = Tokens))
)]
pub(super) async fn list(caller: Caller) -> Result<Json<Tokens>, ApiError> {
    let tokens = caller.tokens().await?.into_iter().map(TokenBody::from);
    Ok(Json(Tokens {
        tokens: tokens.collect(),
    }))
}

/// Makes a token
///
/// READ looks at what the caller's role shows; CONTROL also commands devices, stops and locks them. In the farms that are
/// named, and never more than the caller's role there allows at the time of each request. No token changes anything else: rules,
/// people, controllers, invitations, passwords, tokens. It needs a sign-in that was confirmed within 5 minutes
/// (POST /auth/confirm). A person has at most 20.
#[utoipa::path(
    post, path = "/auth/tokens", tag = "auth", operation_id = "create_token", summary = "Make a token",
    request_body = TokenRequest,
    responses(
        (status = CREATED, body = NewTokenBody),
        (status = FORBIDDEN, description = "Confirm first that it is you", body = ErrorBody),
        (status = CONFLICT, description = "There are 20 already", body = ErrorBody),
    )
)]
pub(super) async fn create(
    caller: Caller,
    Body(request): Body<TokenRequest>,
) -> Result<(StatusCode, Json<NewTokenBody>), ApiError> {
    let wanted = read(&caller, request).await?;
    let (secret, token) = caller.make_token(&wanted).await?;
    let body = NewTokenBody {
        secret,
        token: token.into(),
    };
    Ok((StatusCode::CREATED, Json(body)))
}

/// Ends a token
///
/// It is refused from now on, and its live connections are closed.
#[utoipa::path(
    delete, path = "/auth/tokens/{id}", tag = "auth", operation_id = "revoke_token", summary = "Revoke a token",
    responses((status = NO_CONTENT))
)]
pub(super) async fn revoke(caller: Caller, Item(id): Item) -> Result<StatusCode, ApiError> {
    caller.revoke_token(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read(caller: &Caller, request: TokenRequest) -> Result<WantedToken, ApiError> {
    let mut wrong = Wrong::default();
    let name = wrong.required_text(&NAME, request.name.as_deref(), Text::TokenNameRequired);
    let scope = request.scope.as_deref().and_then(TokenScope::parse);
    if scope.is_none() {
        wrong.say("scope", "invalid", Text::TokenScopeRequired);
    }
    let own = caller.farms().await?;
    let is_own = |id: &String| own.iter().any(|(farm, _)| farm.id == *id);
    let mut farms = request.farms;
    farms.sort();
    farms.dedup();
    if farms.is_empty() || !farms.iter().all(is_own) {
        wrong.say("farms", "invalid", Text::TokenFarms);
    }
    let now = now_ms();
    let in_time = |at: i64| at > now && at <= now + MAX_LIFE_MS;
    if request.expires_at.is_some_and(|at| !in_time(at)) {
        wrong.say("expiresAt", "invalid", Text::TokenExpiry);
    }
    let scope = wrong.read(scope)?;
    Ok(WantedToken {
        name,
        scope,
        farms,
        expires_at: request.expires_at,
    })
}
