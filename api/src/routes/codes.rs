//! Signing in by a one-time code: by e-mail address or mobile number, and in the older form by e-mail alone.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::auth::SignedIn;
use super::client::Client;
use super::wrong::Wrong;
use crate::access::AppState;
use crate::auth::CODE_DIGITS;
use crate::contact::Contact;
use crate::error::{ApiError, Body, ErrorBody};
use crate::language::{Language, Text};
use crate::records::Message;

/// The most messages that the demo shows.
const MAX_SHOWN: i64 = 50;

/// Who wants a code.
#[derive(Deserialize, ToSchema)]
#[schema(as = SendOtp)]
pub(super) struct SendRequest {
    /// E-mail address or mobile number.
    #[schema(required, value_type = String, example = "owner@demo.harit")]
    contact: Option<String>,
}

/// Where the code went, if there is an account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OtpSent)]
pub(super) struct Sent {
    /// What was typed, with most of it hidden.
    #[schema(example = "o***@demo.harit")]
    masked_contact: String,
}

impl Sent {
    pub(super) fn to(contact: &Contact) -> Self {
        Self {
            masked_contact: contact.masked(),
        }
    }
}

/// A code as typed.
#[derive(Deserialize, ToSchema)]
#[schema(as = VerifyOtp)]
pub(super) struct VerifyRequest {
    #[schema(required, value_type = String)]
    contact: Option<String>,
    #[schema(required, value_type = String, example = "123456")]
    otp: Option<String>,
}

/// Who wants a code by e-mail.
#[derive(Deserialize, ToSchema)]
#[schema(as = RequestEmailOtp)]
pub(super) struct EmailRequest {
    #[schema(required, value_type = String)]
    email: Option<String>,
}

/// What is said in any case.
#[derive(Serialize, ToSchema)]
#[schema(as = EmailOtpRequested)]
pub(super) struct EmailRequested {
    #[schema(example = "If the email exists, we sent a code.")]
    message: &'static str,
}

/// A code as typed.
#[derive(Deserialize, ToSchema)]
#[schema(as = VerifyEmailOtp)]
pub(super) struct VerifyEmailRequest {
    #[schema(required, value_type = String)]
    email: Option<String>,
    #[schema(required, value_type = String, example = "123456")]
    code: Option<String>,
}

/// What waits to be sent.
#[derive(Serialize, ToSchema)]
#[schema(as = Outbox)]
pub(super) struct Outbox {
    /// The latest first.
    messages: Vec<MessageBody>,
}

/// A message that waits to be sent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OutboxMessage)]
pub(super) struct MessageBody {
    id: String,
    to: String,
    /// EMAIL or SMS
    channel: String,
    /// CODE, INVITE or NOTICE
    kind: String,
    language: String,
    body: String,
    /// The code alone, of a CODE.
    #[schema(required)]
    code: Option<String>,
    /// The link alone, of an INVITE.
    #[schema(required)]
    link: Option<String>,
    created_at: i64,
}

impl From<Message> for MessageBody {
    fn from(m: Message) -> Self {
        let (code, link) = match m.kind.as_str() {
            "CODE" => (Some(m.secret), None),
            "INVITE" => (None, Some(m.secret)),
            _ => (None, None),
        };
        Self {
            id: m.id,
            to: m.recipient,
            channel: m.channel,
            kind: m.kind,
            language: m.language,
            body: m.body,
            code,
            link,
            created_at: m.created_at,
        }
    }
}

/// Sends a code
///
/// Open to anybody; the answer is the same whether or not the contact has an account. A code has 6 digits, is good for 5
/// minutes, 5 tries and one use, for the device (`X-Harit-Device`) or the address that asked for it, and makes the one before
/// void. That asker gets one a minute and 5 an hour: 429 says in Retry-After how many seconds to wait.
#[utoipa::path(
    post, path = "/auth/send-otp", tag = "auth", operation_id = "send_otp", summary = "Send a code", security(()),
    request_body = SendRequest,
    responses(
        (status = OK, body = Sent),
        (status = UNPROCESSABLE_ENTITY, description = "No contact", body = ErrorBody),
    )
)]
pub(super) async fn send(
    State(state): State<AppState>,
    client: Client,
    Body(request): Body<SendRequest>,
) -> Result<Json<Sent>, ApiError> {
    let mut wrong = Wrong::default();
    let contact = wrong.contact("contact", request.contact.as_deref());
    let contact = wrong.read(contact)?;
    state
        .accounts()
        .send_code(&contact, client.origin())
        .await?;
    Ok(Json(Sent::to(&contact)))
}

/// Signs in by code
///
/// Open to anybody. A wrong code, a void one and an unknown contact get the same answer.
#[utoipa::path(
    post, path = "/auth/verify-otp", tag = "auth",
    operation_id = "verify_otp", summary = "Sign in by code", security(()), request_body = VerifyRequest,
    responses(
        (status = OK, body = SignedIn),
        (status = UNAUTHORIZED, description = "Not the code, or no longer", body = ErrorBody),
    )
)]
pub(super) async fn verify(
    State(state): State<AppState>,
    client: Client,
    Body(request): Body<VerifyRequest>,
) -> Result<Json<SignedIn>, ApiError> {
    let mut wrong = Wrong::default();
    let contact = wrong.contact("contact", request.contact.as_deref());
    let code = code(&mut wrong, "otp", request.otp.as_deref());
    let contact = wrong.read(contact)?;
    match sign_in(&state, &contact, &code, &client).await? {
        Some(signed_in) => Ok(Json(signed_in)),
        None => Err(ApiError::invalid_code()),
    }
}

/// Sends a code by e-mail
///
/// As POST /auth/send-otp, for e-mail addresses alone.
#[utoipa::path(
    post, path = "/api/auth/request-email-otp", tag = "auth",
    operation_id = "request_email_otp", summary = "Request a code by e-mail", security(()), request_body = EmailRequest,
    responses(
        (status = OK, body = EmailRequested),
        (status = UNPROCESSABLE_ENTITY, description = "No e-mail address", body = ErrorBody),
    )
)]
pub(super) async fn request_by_email(
    State(state): State<AppState>,
    client: Client,
    headers: axum::http::HeaderMap,
    Body(request): Body<EmailRequest>,
) -> Result<Json<EmailRequested>, ApiError> {
    let mut wrong = Wrong::default();
    let email = wrong.email(request.email.as_deref());
    let email = wrong.read(email)?;
    state.accounts().send_code(&email, client.origin()).await?;
    Ok(Json(EmailRequested {
        message: Text::CodeSentIfKnown.say(Language::of(&headers)),
    }))
}

/// Signs in by a code that came by e-mail
///
/// As POST /auth/verify-otp. A failure says what is wrong in `message` too.
#[utoipa::path(
    post, path = "/api/auth/verify-email-otp", tag = "auth",
    operation_id = "verify_email_otp", summary = "Sign in by a code sent by e-mail", security(()),
    request_body = VerifyEmailRequest,
    responses(
        (status = OK, body = SignedIn),
        (status = UNAUTHORIZED, description = "Not the code, or no longer", body = ErrorBody),
    )
)]
pub(super) async fn verify_by_email(
    State(state): State<AppState>,
    client: Client,
    Body(request): Body<VerifyEmailRequest>,
) -> Result<Json<SignedIn>, ApiError> {
    let mut wrong = Wrong::default();
    let email = wrong.email(request.email.as_deref());
    let code = code(&mut wrong, "code", request.code.as_deref());
    let email = wrong.read(email)?;
    match sign_in(&state, &email, &code, &client).await? {
        Some(signed_in) => Ok(Json(signed_in)),
        None => Err(ApiError::invalid_email_code()),
    }
}

/// What waits to be sent
///
/// Not there on a server that is no demo: whoever reads this can sign in as anybody.
#[utoipa::path(
    get, path = "/api/demo/outbox", tag = "operation",
    operation_id = "get_demo_outbox", summary = "Get the messages that wait to be sent", security(()),
    responses(
        (status = OK, body = Outbox),
        (status = NOT_FOUND, body = ErrorBody),
    )
)]
pub(super) async fn outbox(State(state): State<AppState>) -> Result<Json<Outbox>, ApiError> {
    let messages = state.demo_outbox(MAX_SHOWN).await?;
    Ok(Json(Outbox {
        messages: messages.into_iter().map(MessageBody::from).collect(),
    }))
}

pub(super) fn code(wrong: &mut Wrong, field: &str, typed: Option<&str>) -> String {
    let typed = typed.unwrap_or("").trim();
    if typed.len() != CODE_DIGITS || !typed.bytes().all(|b| b.is_ascii_digit()) {
        wrong.say(field, "incomplete", Text::OtpIncomplete);
    }
    typed.to_owned()
}

async fn sign_in(
    state: &AppState,
    contact: &Contact,
    code: &str,
    client: &Client,
) -> Result<Option<SignedIn>, ApiError> {
    let signed_in = state
        .accounts()
        .sign_in_by_code(contact, code, client.origin())
        .await?;
    match signed_in {
        Some((token, _)) => Ok(Some(SignedIn::of(state, token).await?)),
        None => Ok(None),
    }
}
