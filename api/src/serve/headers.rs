//! Headers of every response: what browsers may do with it, how long it may be kept, and its request's id.

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::AppState;

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Scripts come from this server alone ([`assets`](super::assets) adds the one that stands in the console's page), and nobody may
/// frame it. Styles may be inline because Mantine writes the theme's
/// variables into a `<style>` element and sizes into `style` attributes, both at run time, so neither a hash nor a nonce in a
/// static page can name them; inline styles run no code. For the same reason there is no `require-trusted-types-for`: the
/// theme's `<style>` element is filled through `innerHTML`.
pub(super) const CSP: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/// HTTP/1.1 has exactly one Host: with none or two of them, a proxy and this server may not mean the same.
fn names_one_host(request: &Request) -> bool {
    let hosts = request.headers().get_all(HOST).iter().count();
    hosts == 1 || (hosts == 0 && request.version() < Version::HTTP_11)
}

pub(super) async fn secure(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    // a client's own id is not taken: ids are for telling requests apart in the log
    let id =
        HeaderValue::try_from(crate::records::new_id()).unwrap_or(HeaderValue::from_static("none"));
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let mut response = if names_one_host(&request) {
        next.run(request).await
    } else {
        StatusCode::BAD_REQUEST.into_response()
    };
    let is_part = super::assets::is_part(&response);
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
    // The rest is for documents, workers and data; repeated with each part of the page it would be a good part of a slow start.
    if is_part {
        return response;
    }
    headers.insert(REQUEST_ID, id);
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(CSP));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    // the place of a new polyhouse, and the code on a controller's box
    headers.insert(
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("geolocation=(self), camera=(self), microphone=(), payment=()"),
    );
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    if state.config().behind_tls {
        headers.insert(
            STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000"),
        );
    }
    response
}
