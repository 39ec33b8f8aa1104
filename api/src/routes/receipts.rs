//! Where gateways say what became of messages. Nobody signs in here: a receipt counts by its signature.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::IntoParams;

use super::replies::take_reply;
use crate::access::AppState;
use crate::delivery::Channel;
use crate::delivery::receipts::{self, NotTaken};
use crate::error::{ApiError, ErrorBody, Params};
use crate::records::now_ms;

/// What WhatsApp asks when the address is set there.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Challenge {
    /// subscribe
    #[serde(rename = "hub.mode")]
    mode: Option<String>,
    /// The word of `whatsapp.verify_token`.
    #[serde(rename = "hub.verify_token")]
    token: Option<String>,
    /// Answered as it came.
    #[serde(rename = "hub.challenge")]
    challenge: Option<String>,
}

fn counted(result: &'static str, n: u64) {
    metrics::counter!("harit_receipts_total", "channel" => "WHATSAPP", "result" => result)
        .increment(n);
}

/// Answers WhatsApp that this is the place
///
/// Not there without `whatsapp` in the server's settings.
#[utoipa::path(
    get, path = "/hooks/whatsapp", tag = "operation",
    operation_id = "verify_whatsapp", summary = "Verify the address of receipts", security(()), params(Challenge),
    responses(
        (status = OK, body = String, content_type = "text/plain"),
        (status = NOT_FOUND, body = ErrorBody),
    )
)]
pub(super) async fn verify(
    State(state): State<AppState>,
    Params(asked): Params<Challenge>,
) -> Result<String, ApiError> {
    let config = state.config().delivery.whatsapp.as_ref();
    let config = config.ok_or_else(ApiError::not_found)?;
    let token = asked.token.unwrap_or_default();
    if asked.mode.as_deref() != Some("subscribe") || !receipts::is_verified(config, &token) {
        counted("forged", 1);
        return Err(ApiError::not_found());
    }
    Ok(asked.challenge.unwrap_or_default())
}

/// Takes WhatsApp's receipts, and what people answer there
///
/// What is not signed with the app's secret is refused; what says nothing new, because it came before, is counted and changes
/// nothing.
#[utoipa::path(
    post, path = "/hooks/whatsapp", tag = "operation",
    operation_id = "take_whatsapp_receipts", summary = "Take WhatsApp's receipts", security(()),
    request_body(content = serde_json::Value, content_type = "application/json"),
    responses(
        (status = NO_CONTENT),
        (status = NOT_FOUND, description = "WhatsApp is not set, or it is not signed by it", body = ErrorBody),
    )
)]
pub(super) async fn take(
    State(state): State<AppState>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let config = state.config().delivery.whatsapp.as_ref();
    let config = config.ok_or_else(ApiError::not_found)?;
    let signature = headers.get("x-hub-signature-256");
    let signature = signature.and_then(|h| h.to_str().ok()).unwrap_or("");
    let now = now_ms();
    let brought = receipts::read(config, signature, &body, now).map_err(|why| match why {
        NotTaken::Forged => {
            counted("forged", 1);
            ApiError::not_found()
        }
        NotTaken::Unreadable => {
            counted("unreadable", 1);
            ApiError::bad_json()
        }
    })?;
    counted("replayed", brought.old as u64);
    for reply in &brought.replies {
        // what is said back would be another message; the page of the console and of the link show what was answered
        take_reply(&state, Channel::WhatsApp, reply).await?;
    }
    for receipt in brought.receipts {
        let is_news = state.take_receipt(Channel::WhatsApp, &receipt, now).await?;
        counted(if is_news { "taken" } else { "replayed" }, 1);
    }
    Ok(StatusCode::NO_CONTENT)
}
