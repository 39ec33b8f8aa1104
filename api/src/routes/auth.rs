//! Signing in by password, who is signed in, signing out.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::client::Client;
use crate::access::{AppState, Caller};
use crate::error::{ApiError, Body, ErrorBody};
use crate::language::Text;
use crate::records::UserRow;
use crate::role::Role;

/// What is needed to sign in by password.
#[derive(Deserialize, ToSchema)]
#[schema(as = LoginRequest)]
pub(super) struct Login {
    /// E-mail address or mobile number.
    #[serde(default)]
    #[schema(required, example = "owner@demo.harit")]
    contact: String,
    #[serde(default)]
    #[schema(required)]
    password: String,
}

/// A new sign-in.
#[derive(Serialize, ToSchema)]
#[schema(as = SignedIn)]
pub(super) struct SignedIn {
    /// To be sent as `Authorization: Bearer <token>`. It ends 30 days after its last use, 90
    /// days after it was made, or with POST /auth/logout.
    token: String,
    user: UserBody,
    /// Whether onboarding is still to be done.
    #[serde(rename = "firstTime")]
    first_time: bool,
}

/// A user.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = User)]
pub(super) struct UserBody {
    id: String,
    name: String,
    #[schema(required)]
    email: Option<String>,
    /// Whether the address was shown to be theirs, by a code or a link that was sent to it: only then does it sign in by code.
    email_verified: bool,
    /// What takes the address's place once it is verified.
    #[schema(required)]
    pending_email: Option<String>,
    #[schema(required)]
    phone: Option<String>,
    phone_verified: bool,
    #[schema(required)]
    pending_phone: Option<String>,
    /// The role in the first farm; null for somebody who belongs to none. GET /api/farms tells the role in each.
    #[schema(required)]
    role: Option<Role>,
    /// en, hi or mr.
    language_pref: String,
    is_active: bool,
    onboarding_completed: bool,
    created_at: i64,
}

/// The signed-in user.
#[derive(Serialize, ToSchema)]
#[schema(as = Me)]
pub(super) struct Me {
    user: UserBody,
}

impl SignedIn {
    /// Of a token that was just made.
    pub(super) async fn of(state: &AppState, token: String) -> Result<Self, ApiError> {
        let caller = Caller::of_token(state, &token).await?;
        Ok(Self {
            token,
            first_time: !caller.user().onboarding_completed,
            user: describe(&caller).await?,
        })
    }
}

impl Me {
    /// The caller as stored now.
    pub(super) async fn again(caller: &Caller) -> Result<Self, ApiError> {
        let user = describe(&caller.again().await?).await?;
        Ok(Self { user })
    }
}

impl UserBody {
    fn new(user: &UserRow, role: Option<Role>) -> Self {
        Self {
            id: user.id.clone(),
            name: user.name.clone(),
            email: user.shown_email().cloned(),
            email_verified: user.email.is_some(),
            pending_email: user.claimed_email.clone().filter(|_| user.email.is_some()),
            phone: user.shown_phone().cloned(),
            phone_verified: user.phone.is_some(),
            pending_phone: user.claimed_phone.clone().filter(|_| user.phone.is_some()),
            role,
            language_pref: user.language.clone(),
            is_active: user.is_active,
            onboarding_completed: user.onboarding_completed,
            created_at: user.created_at,
        }
    }
}

async fn describe(caller: &Caller) -> Result<UserBody, ApiError> {
    let role = caller.farms().await?.first().map(|(_, role)| *role);
    Ok(UserBody::new(caller.user(), role))
}

/// Signs in by password
///
/// Open to anybody. An unknown contact and a wrong password get the same answer. Failed tries are limited: 429 says in
/// Retry-After how many seconds to wait.
#[utoipa::path(
    post, path = "/auth/login", tag = "auth", operation_id = "sign_in", summary = "Sign in by password", security(()),
    request_body = Login,
    responses(
        (status = OK, body = SignedIn),
        (status = UNAUTHORIZED, description = "Unknown contact or wrong password", body = ErrorBody),
    )
)]
pub(super) async fn login(
    State(state): State<AppState>,
    client: Client,
    Body(login): Body<Login>,
) -> Result<Json<SignedIn>, ApiError> {
    let mut wrong = Vec::new();
    if login.contact.trim().is_empty() {
        wrong.push(("contact".to_owned(), "required", Text::ContactRequired));
    }
    if login.password.is_empty() {
        wrong.push(("password".to_owned(), "required", Text::PasswordRequired));
    }
    if !wrong.is_empty() {
        return Err(ApiError::fields(wrong));
    }
    let (token, _) = state
        .accounts()
        .sign_in(&login.contact, &login.password, client.origin())
        .await?;
    Ok(Json(SignedIn::of(&state, token).await?))
}

/// Who is signed in
#[utoipa::path(
    get, path = "/auth/me", tag = "auth", operation_id = "get_me", summary = "Get who is signed in",
    responses((status = OK, body = Me))
)]
pub(super) async fn me(caller: Caller) -> Result<Json<Me>, ApiError> {
    Ok(Json(Me {
        user: describe(&caller).await?,
    }))
}

/// Ends this sign-in
///
/// Its token is refused from now on, and its live connections are closed.
#[utoipa::path(
    post, path = "/auth/logout", tag = "auth", operation_id = "sign_out", summary = "Sign out",
    responses((status = NO_CONTENT))
)]
pub(super) async fn logout(caller: Caller) -> Result<StatusCode, ApiError> {
    caller.sign_out().await?;
    Ok(StatusCode::NO_CONTENT)
}
