//! The console's files, which are in the binary, and which paths are screens.
//!
//! One server serves console and api, and some paths are both: a browser that opens `/onboarding/assets` wants the screen, a
//! program wants the list. Who asks for HTML gets the console's page for every path that is not the api's own; the console
//! then decides what the path means.
//!
//! The build leaves a file's compressed forms beside it (`x.js.br`, `x.js.gz`): they are sent as they are, and nothing of the
//! console is compressed while somebody waits.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use super::encoding::{Encoding, accepted};
use super::headers::CSP;
use crate::access::AppState;
use crate::error::ApiError;

#[derive(RustEmbed)]
#[folder = "../console/dist"]
#[allow_missing = true]
struct Console;

const PAGE: &str = "index.html";
/// The worker that lets the console open without a connection (docs/decisions/0017).
const WORKER: &str = "/sw.js";
/// What stands in its place where it is switched off: it takes itself and what it kept off the phones.
const WORKER_OFF: &str = include_str!("worker-off.js");
/// The longest path of a file.
const MAX_PATH_BYTES: usize = 256;
/// Paths that are never screens.
const NO_SCREENS: [&str; 7] = [
    // the pages of messages' links
    "/a",
    "/api",
    "/auth",
    "/socket.io",
    "/healthz",
    "/readyz",
    "/metrics",
];

/// Answers with the console's page where a browser opens a screen, before the api's routes are looked at.
pub(super) async fn screens_first(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let asks =
        matches!(*request.method(), Method::GET | Method::HEAD) && wants_html(request.headers());
    if asks && is_screen(path) {
        page(request.headers())
    } else {
        next.run(request).await
    }
}

/// An answer that is compressed already, or is better left as it is.
#[derive(Clone, Copy)]
struct Ready {
    /// A script, style or font that a page is made of, and no document itself.
    is_part: bool,
}

/// Whether an answer is a part of a page, for which no browser heeds what documents may do.
pub(super) fn is_part(response: &Response) -> bool {
    response
        .extensions()
        .get()
        .is_some_and(|ready: &Ready| ready.is_part)
}

/// Whether an answer may still be compressed: files of the console are sent as the build left them.
pub(super) fn may_compress(
    _: StatusCode,
    _: Version,
    _: &HeaderMap,
    extensions: &Extensions,
) -> bool {
    extensions.get::<Ready>().is_none()
}

/// What is no route: a file of the console, or nothing.
pub(super) async fn serve(State(state): State<AppState>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return ApiError::not_found().into_response();
    }
    // Nothing else is at the root, whoever asks: a browser, a proxy's health check, somebody with curl.
    if request.uri().path() == "/" {
        return page(request.headers());
    }
    if request.uri().path() == WORKER && !state.config().console_offline {
        let kind = HeaderValue::from_static("text/javascript; charset=utf-8");
        let cache = HeaderValue::from_static("no-cache");
        return ([(CONTENT_TYPE, kind), (CACHE_CONTROL, cache)], WORKER_OFF).into_response();
    }
    file_name(request.uri().path())
        .and_then(|name| respond(name, request.headers()))
        .unwrap_or_else(|| ApiError::not_found().into_response())
}

fn wants_html(headers: &HeaderMap) -> bool {
    headers
        .get(ACCEPT)
        .and_then(|a| a.to_str().ok())
        .is_some_and(|a| a.contains("text/html"))
}

fn is_screen(path: &str) -> bool {
    let under = |prefix: &str| {
        path.strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let last = path.rsplit('/').next().unwrap_or("");
    !NO_SCREENS.into_iter().any(under) && !last.contains('.')
}

/// What the console's page may do: what every answer may, and run the script that the build put into it.
static PAGE_CSP: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
    let page = Console::get(PAGE)?;
    HeaderValue::try_from(csp_of(std::str::from_utf8(&page.data).ok()?)).ok()
});

/// Names a page's own script by its hash, as it stands between its tags.
fn csp_of(page: &str) -> String {
    let inline = page
        .split_once("<script>")
        .and_then(|(_, rest)| rest.split_once("</script>"));
    match inline {
        None => CSP.to_owned(),
        Some((script, _)) => {
            let hash = STANDARD.encode(Sha256::digest(script));
            CSP.replace(
                "script-src 'self'",
                &format!("script-src 'self' 'sha256-{hash}'"),
            )
        }
    }
}

fn page(headers: &HeaderMap) -> Response {
    let Some(mut page) = respond(PAGE, headers) else {
        return (
            StatusCode::NOT_FOUND,
            [(CONTENT_TYPE, "text/plain; charset=utf-8")],
            "The console is not in this binary: build it (make console), then build the server again.\n",
        )
            .into_response();
    };
    if let Some(policy) = &*PAGE_CSP {
        page.headers_mut()
            .insert(CONTENT_SECURITY_POLICY, policy.clone());
    }
    page
}

/// The name of a file that a path may name: plain characters, no step upwards, nothing hidden, no source map, no compressed form.
fn file_name(path: &str) -> Option<&str> {
    let name = path.strip_prefix('/')?;
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"._-/@".contains(&c);
    let ok = !name.is_empty()
        && name.len() <= MAX_PATH_BYTES
        && name.bytes().all(plain)
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.'))
        && ![".map", ".br", ".gz"]
            .into_iter()
            .any(|end| name.ends_with(end));
    ok.then_some(name)
}

/// A file in the form that the caller takes and that is the shortest.
fn respond(name: &str, headers: &HeaderMap) -> Option<Response> {
    let plain = Console::get(name)?;
    let mime = plain.metadata.mimetype();
    // a browser that is told no charset guesses one
    let mime = match mime.starts_with("text/") {
        true => format!("{mime}; charset=utf-8"),
        false => mime.to_owned(),
    };
    let form = |encoding: Encoding| Console::get(&format!("{name}{}", encoding.suffix()));
    let has_forms = [Encoding::Brotli, Encoding::Gzip]
        .into_iter()
        .any(|encoding| form(encoding).is_some());
    let (encoding, file) = accepted(headers)
        .into_iter()
        .find_map(|encoding| Some((Some(encoding), form(encoding)?)))
        .unwrap_or((None, plain));
    // of the bytes that are sent: each form of a file has its own
    let hash: String = file
        .metadata
        .sha256_hash()
        .iter()
        .take(16)
        .map(|b| format!("{b:02x}"))
        .collect();
    // the build puts a hash into the names under assets/, so what is there never changes
    let is_part = name.starts_with("assets/")
        && [".js", ".css", ".woff2"]
            .into_iter()
            .any(|end| name.ends_with(end));
    let cache = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let known = headers
        .get(IF_NONE_MATCH)
        .and_then(|h| h.to_str().ok())
        .is_some_and(|h| h.contains(&hash));
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let body = match file.data {
            Cow::Borrowed(bytes) => Body::from(Bytes::from_static(bytes)),
            Cow::Owned(bytes) => Body::from(bytes),
        };
        let mut response = ([(CONTENT_TYPE, mime)], body).into_response();
        if let Some(encoding) = encoding {
            let name = HeaderValue::from_static(encoding.name());
            response.headers_mut().insert(CONTENT_ENCODING, name);
        }
        response
    };
    response.extensions_mut().insert(Ready { is_part });
    let out = response.headers_mut();
    out.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Ok(etag) = HeaderValue::try_from(format!("\"{hash}\"")) {
        out.insert(ETAG, etag);
    }
    let varies = match (has_forms, name == PAGE) {
        (true, true) => "accept-encoding, accept",
        (true, false) => "accept-encoding",
        (false, true) => "accept",
        (false, false) => return Some(response),
    };
    out.insert(VARY, HeaderValue::from_static(varies));
    Some(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_may_run_the_script_that_stands_in_it_and_no_other() {
        let page = "<head><script>alert(1)</script></head><script src=\"/x.js\"></script>";
        // by `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`
        let hash = "bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=";
        assert_eq!(
            csp_of(page),
            CSP.replace(
                "script-src 'self'",
                &format!("script-src 'self' 'sha256-{hash}'")
            )
        );
        assert_eq!(csp_of("<script src=\"/x.js\"></script>"), CSP);
    }

    #[test]
    fn screens_are_what_is_not_the_apis() {
        for path in [
            "/",
            "/dashboard",
            "/onboarding/assets",
            "/invite/abc",
            "/apiary",
            "/unknown/path",
        ] {
            assert!(is_screen(path), "{path}");
        }
        for path in [
            "/a/AZq-3_x",
            "/api",
            "/api/farms",
            "/auth/me",
            "/socket.io/",
            "/metrics",
            "/favicon.svg",
            "/assets/index-1.js",
        ] {
            assert!(!is_screen(path), "{path}");
        }
    }

    #[test]
    fn only_plain_paths_name_files() {
        for path in [
            "/index.html",
            "/assets/index-BX1c_2.js",
            "/fonts/a@2x.woff2",
        ] {
            assert!(file_name(path).is_some(), "{path}");
        }
        for path in [
            "/",
            "//etc/passwd",
            "/../Cargo.toml",
            "/assets/../../x",
            "/..%2fx",
            "/%2e%2e/x",
            "/a\\..\\b",
            "/.git/config",
            "/a/.env",
            "/assets/index.js.map",
            "/assets/index.js.br",
            "/assets/index.js.gz",
            "/a\0b",
            "index.html",
            "/a//b",
            "/api/..;/x",
        ] {
            assert!(file_name(path).is_none(), "{path}");
        }
    }
}
