//! Showing that one is who one is, and that a contact is one's own.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::auth::Me;
use super::client::Client;
use super::codes::{Sent, code};
use super::wrong::Wrong;
use crate::access::{AppState, Caller, Confirmation};
use crate::error::{ApiError, Body, ErrorBody};

/// By what the caller shows that it is them.
#[derive(Deserialize, ToSchema)]
#[schema(as = Confirmation)]
pub(super) struct ConfirmRequest {
    /// This or `otp`.
    password: Option<String>,
    /// From POST /auth/confirm/code.
    otp: Option<String>,
}

/// A contact of the caller's that is not verified yet.
#[derive(Deserialize, ToSchema)]
#[schema(as = ClaimedContact)]
pub(super) struct ContactRequest {
    #[schema(required, value_type = String)]
    contact: Option<String>,
}

/// A code that was sent to such a contact.
#[derive(Deserialize, ToSchema)]
#[schema(as = VerifyContact)]
pub(super) struct VerifyRequest {
    #[schema(required, value_type = String)]
    contact: Option<String>,
    #[schema(required, value_type = String, example = "123456")]
    otp: Option<String>,
}

/// Where codes and links go.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = DeliveryWay)]
pub(super) enum Way {
    /// To people, by a gateway.
    Sent,
    /// To the demo's sign-in page.
    Demo,
    /// Into the server's log: no gateway is set.
    Log,
    /// Nowhere: no gateway is set.
    Nobody,
}

/// How people get codes and links.
#[derive(Serialize, ToSchema)]
#[schema(as = Delivery)]
pub(super) struct Delivery {
    delivery: Way,
}

/// Where codes and links go
///
/// Open to anybody: pages say it instead of claiming that something was sent.
#[utoipa::path(
    get, path = "/auth/delivery", tag = "auth",
    operation_id = "get_delivery", summary = "Get where codes go", security(()),
    responses((status = OK, body = Delivery))
)]
pub(super) async fn delivery(State(state): State<AppState>) -> Json<Delivery> {
    let config = state.config();
    let delivery = if config.demo.is_some() {
        Way::Demo
    } else if config.delivery.smtp.is_some() || config.delivery.sms.is_some() {
        Way::Sent
    } else if config.codes_in_log {
        Way::Log
    } else {
        Way::Nobody
    };
    Json(Delivery { delivery })
}

/// Sends the caller a code to confirm with
///
/// To a verified contact of theirs.
#[utoipa::path(
    post, path = "/auth/confirm/code", tag = "auth",
    operation_id = "send_confirmation", summary = "Send a code to confirm with",
    responses(
        (status = OK, body = Sent),
        (status = NOT_FOUND, description = "No contact is verified", body = ErrorBody),
    )
)]
pub(super) async fn send_confirmation(
    caller: Caller,
    client: Client,
) -> Result<Json<Sent>, ApiError> {
    let contact = caller.send_confirmation(client.origin()).await?;
    Ok(Json(Sent::to(&contact)))
}

/// The caller confirms that it is them
///
/// By password or code. For 5 minutes this sign-in may then change contacts.
#[utoipa::path(
    post, path = "/auth/confirm", tag = "auth", operation_id = "confirm_identity", summary = "Confirm who is signed in",
    request_body = ConfirmRequest,
    responses(
        (status = NO_CONTENT),
        (status = NOT_FOUND, description = "No contact is verified", body = ErrorBody),
    )
)]
pub(super) async fn confirm(
    caller: Caller,
    client: Client,
    Body(request): Body<ConfirmRequest>,
) -> Result<StatusCode, ApiError> {
    let by = match request.password.filter(|p| !p.is_empty()) {
        Some(password) => Confirmation::Password(password),
        None => {
            let mut wrong = Wrong::default();
            let otp = code(&mut wrong, "otp", request.otp.as_deref());
            wrong.done()?;
            Confirmation::Code(otp)
        }
    };
    caller.confirm(by, client.origin()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends a code to a contact of the caller's
///
/// To one that is not verified yet.
#[utoipa::path(
    post, path = "/auth/contacts/code", tag = "auth",
    operation_id = "send_contact_code", summary = "Send a code to a contact", request_body = ContactRequest,
    responses(
        (status = OK, body = Sent),
        (status = NOT_FOUND, description = "It is no contact of the caller's that waits to be verified", body = ErrorBody),
    )
)]
pub(super) async fn send_code(
    caller: Caller,
    client: Client,
    Body(request): Body<ContactRequest>,
) -> Result<Json<Sent>, ApiError> {
    let mut wrong = Wrong::default();
    let contact = wrong.contact("contact", request.contact.as_deref());
    let contact = wrong.read(contact)?;
    caller.send_contact_code(&contact, client.origin()).await?;
    Ok(Json(Sent::to(&contact)))
}

/// Verifies a contact of the caller's
///
/// It takes the place of the verified one before, which is told. All other sign-ins end.
#[utoipa::path(
    post, path = "/auth/contacts/verify", tag = "auth", operation_id = "verify_contact", summary = "Verify a contact",
    request_body = VerifyRequest,
    responses(
        (status = OK, body = Me),
        (status = NOT_FOUND, description = "It is no contact of the caller's that waits to be verified", body = ErrorBody),
        (status = CONFLICT, description = "It is another account's", body = ErrorBody),
    )
)]
pub(super) async fn verify(
    caller: Caller,
    client: Client,
    Body(request): Body<VerifyRequest>,
) -> Result<Json<Me>, ApiError> {
    let mut wrong = Wrong::default();
    let contact = wrong.contact("contact", request.contact.as_deref());
    let otp = code(&mut wrong, "otp", request.otp.as_deref());
    let contact = wrong.read(contact)?;
    caller
        .verify_contact(&contact, &otp, client.origin())
        .await?;
    Ok(Json(Me::again(&caller).await?))
}
