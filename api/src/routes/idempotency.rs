//! Requests that are carried out once. A client that lost the answer to a change sends it again with the same
//! `Idempotency-Key` and gets that answer, and a pump does not dose twice.
//!
//! What stops or locks a device never waits for a key to be written down: done twice, it does no more. Records that cannot be written
//! hold up nothing but a pulse.

use axum::body::{Body, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::DOCUMENT_BYTES;
use super::command_request::CommandRequest;
use super::work::{PHOTO_BYTES, WorkCommand};
use crate::access::{AppState, Caller};
use crate::error::ApiError;
use crate::records::{Answer, RequestKey};
use crate::secret::sha256_hex;

/// The request's key.
const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
/// Says of an answer that it is the one of an earlier request.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The longest key.
const MAX_KEY: usize = 128;
/// The largest request that any handler takes; each has its own limit.
const MAX_REQUEST: usize = if PHOTO_BYTES > DOCUMENT_BYTES {
    PHOTO_BYTES
} else {
    DOCUMENT_BYTES
};
/// The largest answer that is kept.
const MAX_ANSWER: usize = 1_024 * 1_024;

/// Carries out a request that comes with a key once.
pub(crate) async fn once(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if request.method().is_safe() || !request.headers().contains_key(HEADER) {
        return next.run(request).await;
    }
    match keyed(&state, request, next).await {
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

async fn keyed(state: &AppState, request: Request, next: Next) -> Result<Response, ApiError> {
    let key = key(request.headers())?;
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, MAX_REQUEST)
        .await
        .map_err(|_| ApiError::too_large())?;
    let command = command(&body);
    let route = parts.extensions.get::<MatchedPath>();
    let route = route.map_or("", MatchedPath::as_str);
    let stops =
        !takes_key(&parts.method, route) || command.as_ref().is_some_and(CommandRequest::stops);
    let is_pulse = command.is_some_and(|command| command.is_pulse());
    let fingerprint = fingerprint(&parts, &body);
    // who is not signed in is told so by the handler
    let caller = Caller::of_request(&parts, state).await.ok();
    let request = Request::from_parts(parts, Body::from(body));
    let Some(caller) = caller.filter(|_| !stops) else {
        return Ok(next.run(request).await);
    };
    let known = match caller.reserve_key(&key, &fingerprint).await {
        Ok(known) => known,
        Err(error) if is_pulse => return Err(error),
        // what the request needs of the records fails by itself
        Err(_) => return Ok(next.run(request).await),
    };
    match known {
        RequestKey::New => {}
        RequestKey::OfAnother => return Err(ApiError::key_reused()),
        RequestKey::UnderWay => return Err(ApiError::under_way()),
        RequestKey::CutOff => return Err(ApiError::outcome_unknown()),
        RequestKey::Answered(answer) => return replay(answer),
    }
    let response = next.run(request).await;
    if response.status().is_client_error() {
        caller.release_key(&key).await?;
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, MAX_ANSWER)
        .await
        .map_err(|_| ApiError::internal())?;
    let answer = Answer {
        status: parts.status.as_u16(),
        etag: parts
            .headers
            .get(ETAG)
            .and_then(|t| t.to_str().ok())
            .map(str::to_owned),
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    caller.remember_answer(&key, &answer).await;
    Ok(Response::from_parts(parts, Body::from(body)))
}

/// The command that a request gives a device, whoever gives it.
fn command(body: &[u8]) -> Option<CommandRequest> {
    let command = serde_json::from_slice(body).ok();
    command.or_else(|| Some(serde_json::from_slice::<WorkCommand>(body).ok()?.into()))
}

/// The key: 1 to 128 printable ASCII characters.
fn key(headers: &HeaderMap) -> Result<String, ApiError> {
    let mut all = headers.get_all(HEADER).into_iter();
    let (Some(key), None) = (all.next(), all.next()) else {
        return Err(ApiError::bad_key());
    };
    let key = key.to_str().map_err(|_| ApiError::bad_key())?.trim();
    if key.is_empty() || key.len() > MAX_KEY {
        return Err(ApiError::bad_key());
    }
    Ok(key.to_owned())
}

/// Whether a request by that method to that route is carried out once if it has a key: what changes something, and neither
/// stops devices, nor opens that, nor locks one, nor signs somebody in.
pub(super) fn takes_key(method: &Method, route: &str) -> bool {
    let ends = [
        "/stop",
        "/stop/open",
        "/lock",
        "/auth/login",
        "/auth/register",
        "-otp",
    ];
    !method.is_safe() && !ends.iter().any(|end| route.ends_with(end))
}

fn fingerprint(parts: &Parts, body: &[u8]) -> String {
    let request = format!("{} {}\n", parts.method, parts.uri);
    sha256_hex(&[request.as_bytes(), body].concat())
}

fn replay(answer: Answer) -> Result<Response, ApiError> {
    let Answer { status, etag, body } = answer;
    let status = StatusCode::from_u16(status).map_err(|_| ApiError::internal())?;
    let mut response = (status, Body::from(body)).into_response();
    let headers = response.headers_mut();
    if status != StatusCode::NO_CONTENT {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    if let Some(tag) = etag.and_then(|tag| HeaderValue::try_from(tag).ok()) {
        headers.insert(ETAG, tag);
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_short_line() {
        let read = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(HEADER, HeaderValue::from_str(value).expect("a header"));
            }
            key(&headers).ok()
        };
        assert_eq!(read(&["a-b"]), Some("a-b".to_owned()));
        assert_eq!(read(&[&"k".repeat(MAX_KEY)]), Some("k".repeat(MAX_KEY)));
        for bad in [&[""][..], &[" "], &["a", "b"], &[&"k".repeat(MAX_KEY + 1)]] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }
}
