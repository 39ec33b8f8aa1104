//! What people change of themselves: name, number, language, password, sign-ins.

use axum::Json;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::auth::Me;
use super::client::Client;
use super::wrong::Wrong;
use crate::access::Caller;
use crate::contact::Contact;
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Language;
use crate::records::UserChange;

/// What is to be changed; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ProfileChange)]
pub(super) struct Change {
    name: Option<String>,
    /// Blank takes it away, where there is an e-mail address.
    phone: Option<String>,
    language_pref: Option<Language>,
}

/// A new password.
#[derive(Deserialize, ToSchema)]
#[schema(as = SetPassword)]
pub(super) struct SetPassword {
    #[serde(default)]
    #[schema(required, min_length = 8)]
    password: String,
}

/// A new password in place of the old one.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChangePassword)]
pub(super) struct ChangePassword {
    #[serde(default)]
    #[schema(required)]
    current_password: String,
    #[serde(default)]
    #[schema(required, min_length = 8)]
    password: String,
}

/// The caller's sign-ins.
#[derive(Serialize, ToSchema)]
#[schema(as = Sessions)]
pub(super) struct Sessions {
    /// The last used first.
    sessions: Vec<SessionBody>,
}

/// A sign-in.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub(super) struct SessionBody {
    id: String,
    /// Whether it is the one that asks.
    current: bool,
    /// PASSWORD, CODE, REGISTRATION or INVITE
    method: String,
    #[schema(required)]
    address: Option<String>,
    #[schema(required)]
    user_agent: Option<String>,
    created_at: i64,
    last_used_at: i64,
    expires_at: i64,
}

/// Changes the caller's own data
///
/// Another number needs a sign-in that was confirmed within 5 minutes (POST /auth/confirm). It is a claim until its code was
/// used (POST /auth/contacts/verify); until then the number before stays.
#[utoipa::path(
    patch, path = "/auth/me", tag = "auth", operation_id = "change_me", summary = "Change who is signed in",
    request_body = Change,
    responses(
        (status = OK, body = Me),
        (status = FORBIDDEN, description = "Confirm first that it is you", body = ErrorBody),
    )
)]
pub(super) async fn change(
    caller: Caller,
    Body(request): Body<Change>,
) -> Result<Json<Me>, ApiError> {
    let mut wrong = Wrong::default();
    let mut change = UserChange {
        language: request.language_pref.map(|l| l.as_str().to_owned()),
        ..UserChange::default()
    };
    if request.name.is_some() {
        change.name = Some(wrong.name(request.name.as_deref()));
    }
    if let Some(typed) = &request.phone {
        let phone = if typed.trim().is_empty() && caller.user().shown_email().is_none() {
            // the account would have nothing to sign in with
            wrong.contact("phone", None)
        } else {
            wrong.mobile("phone", Some(typed))
        };
        // a form sends everything
        let phone = phone.as_ref().map(Contact::key).map(str::to_owned);
        let user = caller.user();
        let stays = phone.as_ref() == user.shown_phone()
            || (phone.is_some() && phone == user.claimed_phone);
        change.phone = (!stays).then_some(phone);
    }
    wrong.done()?;
    caller.change(&change).await?;
    Ok(Json(Me::again(&caller).await?))
}

/// Sets a password
///
/// Within 10 minutes after a sign-in by code, once. All other sign-ins end. So ends "Forgot your password?".
#[utoipa::path(
    post, path = "/auth/set-password", tag = "auth", operation_id = "set_password", summary = "Set a password",
    request_body = SetPassword,
    responses(
        (status = NO_CONTENT),
        (status = FORBIDDEN, description = "The sign-in was not by code, or is not fresh", body = ErrorBody),
    )
)]
pub(super) async fn set_password(
    caller: Caller,
    Body(request): Body<SetPassword>,
) -> Result<StatusCode, ApiError> {
    let mut wrong = Wrong::default();
    wrong.password(&request.password, &caller.user().own_words());
    wrong.done()?;
    caller.set_password(&request.password).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets a password in place of the old one
///
/// All other sign-ins end. An account without a password gets its first one by POST /auth/set-password.
#[utoipa::path(
    post, path = "/auth/change-password", tag = "auth",
    operation_id = "change_password", summary = "Change the password", request_body = ChangePassword,
    responses(
        (status = NO_CONTENT),
        (status = UNPROCESSABLE_ENTITY, description = "The old one is wrong, or the new one is too short", body = ErrorBody),
    )
)]
pub(super) async fn change_password(
    caller: Caller,
    client: Client,
    Body(request): Body<ChangePassword>,
) -> Result<StatusCode, ApiError> {
    let mut wrong = Wrong::default();
    wrong.password(&request.password, &caller.user().own_words());
    wrong.done()?;
    caller
        .change_password(
            &request.current_password,
            &request.password,
            client.origin(),
        )
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The caller's sign-ins
#[utoipa::path(
    get, path = "/auth/sessions", tag = "auth", operation_id = "list_sessions", summary = "List sign-ins",
    responses((status = OK, body = Sessions))
)]
pub(super) async fn sessions(caller: Caller) -> Result<Json<Sessions>, ApiError> {
    let sessions = caller.sessions().await?.into_iter().map(|s| SessionBody {
        current: caller.is_this(&s),
        id: s.id,
        method: s.method,
        address: s.address,
        user_agent: s.user_agent,
        created_at: s.created_at,
        last_used_at: s.last_used_at,
        expires_at: s.expires_at,
    });
    Ok(Json(Sessions {
        sessions: sessions.collect(),
    }))
}

/// Ends all of the caller's sign-ins
///
/// This one included: sign out everywhere.
#[utoipa::path(
    delete, path = "/auth/sessions", tag = "auth", operation_id = "end_sessions", summary = "End all sign-ins",
    responses((status = NO_CONTENT))
)]
pub(super) async fn end_sessions(caller: Caller) -> Result<StatusCode, ApiError> {
    caller.end_sessions().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends one of the caller's sign-ins
#[utoipa::path(
    delete, path = "/auth/sessions/{id}", tag = "auth", operation_id = "end_session", summary = "End a sign-in",
    responses((status = NO_CONTENT))
)]
pub(super) async fn end_session(caller: Caller, Item(id): Item) -> Result<StatusCode, ApiError> {
    caller.end_session(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}
