//! The browsers in which the caller asks to be told of alerts (Web Push).

use axum::Json;
use axum::http::StatusCode;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::wrong::Wrong;
use crate::access::Caller;
use crate::delivery::push::{AUTH_BYTES, BadEndpoint, PUBLIC_BYTES, PushTarget, is_public_key};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::records::Browser;

/// The browsers in which the caller is told.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Push)]
pub(super) struct PushBody {
    /// The key for which a browser subscribes (`applicationServerKey`); none where Web Push is not set.
    #[schema(required)]
    public_key: Option<String>,
    /// The first first.
    browsers: Vec<BrowserBody>,
}

/// A browser in which the caller is told.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PushBrowser)]
pub(super) struct BrowserBody {
    id: String,
    /// As it names itself.
    #[schema(required)]
    user_agent: Option<String>,
    created_at: i64,
    /// When its push service last took a message, of the last 30 days.
    #[schema(required)]
    sent_at: Option<i64>,
    /// Whether it is the one of this sign-in.
    current: bool,
}

/// What a browser says of its subscription: `PushSubscription.toJSON()`.
#[derive(Deserialize, ToSchema)]
#[schema(as = PushSubscription)]
pub(super) struct SubscriptionRequest {
    /// Of a push service that the server sends to; at most 1,024 bytes.
    #[schema(required, value_type = String, max_length = 1024, example = "https://fcm.googleapis.com/fcm/send/abc")]
    endpoint: Option<String>,
    #[schema(required, value_type = KeysRequest)]
    keys: Option<KeysRequest>,
}

/// The keys of a browser, in base64url.
#[derive(Deserialize, ToSchema)]
#[schema(as = PushKeys)]
pub(super) struct KeysRequest {
    /// A point on P-256, 65 bytes.
    p256dh: String,
    /// 16 bytes.
    auth: String,
}

fn body(browser: Browser, session: &str) -> BrowserBody {
    BrowserBody {
        current: browser.session_id == session,
        id: browser.id,
        user_agent: browser.user_agent,
        created_at: browser.created_at,
        sent_at: browser.sent_at,
    }
}

/// Where the caller is told by Web Push
///
/// The browsers in which they asked for it, and the key for which a browser subscribes.
#[utoipa::path(
    get, path = "/auth/me/push", tag = "auth", operation_id = "get_push", summary = "Get one's browsers that are told",
    responses((status = OK, body = PushBody))
)]
pub(super) async fn get(caller: Caller) -> Result<Json<PushBody>, ApiError> {
    let session = caller.sign_in()?.id.clone();
    let browsers = caller.browsers().await?.into_iter();
    Ok(Json(PushBody {
        public_key: caller.push_key(),
        browsers: browsers.map(|b| body(b, &session)).collect(),
    }))
}

/// Tells the caller in this browser
///
/// Of the alerts that they are told of, from now on, as long as this sign-in lasts. One browser a sign-in: another one takes its place.
/// Whoever chose their ways has Web Push among them then.
#[utoipa::path(
    post, path = "/auth/me/push", tag = "auth", operation_id = "add_push", summary = "Be told in a browser",
    request_body = SubscriptionRequest,
    responses(
        (status = CREATED, body = BrowserBody),
        (status = CONFLICT, description = "Web Push is not set", body = ErrorBody),
    )
)]
pub(super) async fn add(
    caller: Caller,
    Body(request): Body<SubscriptionRequest>,
) -> Result<(StatusCode, Json<BrowserBody>), ApiError> {
    let session = caller.sign_in()?.id.clone();
    let target = read(&caller, request)?;
    let browser = caller.add_browser(&target).await?;
    Ok((StatusCode::CREATED, Json(body(browser, &session))))
}

fn read(caller: &Caller, request: SubscriptionRequest) -> Result<PushTarget, ApiError> {
    let mut wrong = Wrong::default();
    let endpoint = request.endpoint.unwrap_or_default();
    match caller.endpoint(&endpoint) {
        None => return Err(ApiError::no_gateway()),
        Some(Ok(())) => {}
        Some(Err(BadEndpoint::Invalid)) => wrong.say("endpoint", "invalid", Text::PushAddress),
        Some(Err(BadEndpoint::Unknown)) => {
            wrong.say("endpoint", "unknown_service", Text::PushService);
        }
    }
    let bytes = |text: &str| BASE64.decode(text.trim_end_matches('=')).ok();
    let keys = request.keys.as_ref();
    let p256dh = keys.and_then(|k| bytes(&k.p256dh));
    let p256dh = p256dh.filter(|key| key.len() == PUBLIC_BYTES && is_public_key(key));
    let auth = keys.and_then(|k| bytes(&k.auth));
    let auth = auth.filter(|auth| auth.len() == AUTH_BYTES);
    if p256dh.is_none() {
        wrong.say("keys.p256dh", "invalid", Text::PushKeys);
    }
    if auth.is_none() {
        wrong.say("keys.auth", "invalid", Text::PushKeys);
    }
    let (p256dh, auth) = wrong.read(p256dh.zip(auth))?;
    Ok(PushTarget {
        endpoint,
        p256dh,
        auth,
    })
}

/// Tells the caller in a browser no more
#[utoipa::path(
    delete, path = "/auth/me/push/{browserId}", tag = "auth", operation_id = "remove_push",
    summary = "Be told in a browser no more", responses((status = NO_CONTENT))
)]
pub(super) async fn remove(caller: Caller, Item(id): Item) -> Result<StatusCode, ApiError> {
    caller.sign_in()?;
    caller.remove_browser(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends the caller a message to a browser
///
/// To see whether it comes. Five an hour.
#[utoipa::path(
    post, path = "/auth/me/push/{browserId}/test", tag = "auth", operation_id = "test_push",
    summary = "Send a message to a browser of one's own",
    responses(
        (status = ACCEPTED),
        (status = CONFLICT, description = "Web Push is not set", body = ErrorBody),
    )
)]
pub(super) async fn test(caller: Caller, Item(id): Item) -> Result<StatusCode, ApiError> {
    caller.sign_in()?;
    caller.test_browser(&id).await?;
    Ok(StatusCode::ACCEPTED)
}
