//! Registering, and the end of onboarding.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;

use super::auth::{Me, SignedIn};
use super::client::Client;
use super::wrong::Wrong;
use crate::access::{AppState, Caller, Registration};
use crate::error::{ApiError, Body, ErrorBody};
use crate::language::{Language, Text};

/// The longest address, in characters.
const MAX_ADDRESS_CHARS: usize = 500;

/// Who registers.
#[derive(Deserialize, ToSchema)]
#[schema(as = RegisterRequest)]
pub(super) struct Register {
    #[schema(required, value_type = String, min_length = 2)]
    name: Option<String>,
    /// This or `mobile`.
    email: Option<String>,
    mobile: Option<String>,
    /// Where the farm is, in words.
    address: Option<String>,
    /// At least 8 characters; without one the account signs in by code only.
    password: Option<String>,
    location: Option<Location>,
}

/// Where the farm is.
#[derive(Deserialize, ToSchema)]
#[schema(as = Location)]
pub(super) struct Location {
    lat: f64,
    lng: f64,
    /// What a map service calls it; not kept.
    #[serde(default)]
    #[schema(required = false)]
    #[expect(dead_code, reason = "clients may send it; nothing needs it")]
    place_id: Option<String>,
}

/// Registers
///
/// Open to anybody. The new user becomes the owner of a new farm, and is signed in. A contact that is taken fails as
/// "Registration failed".
#[utoipa::path(
    post, path = "/auth/register", tag = "auth", operation_id = "register_user", summary = "Register", security(()),
    request_body = Register,
    responses(
        (status = CREATED, body = SignedIn),
        (status = CONFLICT, body = ErrorBody),
    )
)]
pub(super) async fn register(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    Body(request): Body<Register>,
) -> Result<(StatusCode, Json<SignedIn>), ApiError> {
    let mut wrong = Wrong::default();
    let name = wrong.name(request.name.as_deref());
    let (email, mobile) = (request.email.as_deref(), request.mobile.as_deref());
    let (email, phone) = wrong.contacts(email, "mobile", mobile);
    let password = {
        let typed = [&request.name, &request.email, &request.mobile];
        let own: Vec<&str> = typed.into_iter().flatten().map(String::as_str).collect();
        wrong.optional_password(request.password, &own)
    };
    let address = request
        .address
        .as_deref()
        .map(str::trim)
        .filter(|a| !a.is_empty());
    if address.is_some_and(|a| a.chars().count() > MAX_ADDRESS_CHARS) {
        wrong.say("address", "too_long", Text::AddressTooLong);
    }
    let position = request.location.map(|l| (l.lat, l.lng));
    let on_earth = |(lat, lng): (f64, f64)| lat.abs() <= 90.0 && lng.abs() <= 180.0;
    if position.is_some_and(|p| !on_earth(p)) {
        wrong.say("location", "invalid", Text::LocationInvalid);
    }
    wrong.done()?;
    let new = Registration {
        name,
        email,
        phone,
        password,
        address: address.map(str::to_owned),
        position,
        language: Language::of(&headers),
    };
    let (token, _) = state.register(new, client.origin()).await?;
    let signed_in = SignedIn::of(&state, token).await?;
    Ok((StatusCode::CREATED, Json(signed_in)))
}

/// Ends onboarding
#[utoipa::path(
    post, path = "/auth/complete-onboarding", tag = "auth",
    operation_id = "complete_onboarding", summary = "Complete onboarding",
    responses((status = OK, body = Me))
)]
pub(super) async fn complete_onboarding(caller: Caller) -> Result<Json<Me>, ApiError> {
    caller.complete_onboarding().await?;
    Ok(Json(Me::again(&caller).await?))
}
