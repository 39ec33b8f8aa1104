//! The console's files, which are in the binary, and which paths are screens.
//!
//! One server serves console and api, and some paths are both: a browser that opens `/onboarding/assets` wants the screen, a
//! program wants the list. Who asks for HTML gets the console's page for every path that is not the api's own; the console
//! then decides what the path means.

use axum::extract::Request;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::error::ApiError;

#[derive(RustEmbed)]
#[folder = "../console/dist"]
#[allow_missing = true]
struct Console;

const PAGE: &str = "index.html";
/// The longest path of a file.
const MAX_PATH_BYTES: usize = 256;
/// Paths that are never screens.
const NO_SCREENS: [&str; 6] = [
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

/// What is no route: a file of the console, or nothing.
pub(super) async fn serve(request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return ApiError::not_found().into_response();
    }
    // Nothing else is at the root, whoever asks: a browser, a proxy's health check, somebody with curl.
    if request.uri().path() == "/" {
        return page(request.headers());
    }
    let found = file_name(request.uri().path()).and_then(|name| Some((name, Console::get(name)?)));
    match found {
        Some((name, file)) => respond(name, file, request.headers()),
        None => ApiError::not_found().into_response(),
    }
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

fn page(headers: &HeaderMap) -> Response {
    match Console::get(PAGE) {
        Some(file) => respond(PAGE, file, headers),
        None => (
            StatusCode::NOT_FOUND,
            [(CONTENT_TYPE, "text/plain; charset=utf-8")],
            "The console is not in this binary: build it (make console), then build the server again.\n",
        )
            .into_response(),
    }
}

/// The name of a file that a path may name: plain characters, no step upwards, nothing hidden, no source map.
fn file_name(path: &str) -> Option<&str> {
    let name = path.strip_prefix('/')?;
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"._-/@".contains(&c);
    let ok = !name.is_empty()
        && name.len() <= MAX_PATH_BYTES
        && name.bytes().all(plain)
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.'))
        && !name.ends_with(".map");
    ok.then_some(name)
}

fn respond(name: &str, file: EmbeddedFile, headers: &HeaderMap) -> Response {
    let hash: String = file
        .metadata
        .sha256_hash()
        .iter()
        .take(16)
        .map(|b| format!("{b:02x}"))
        .collect();
    let etag = format!("\"{hash}\"");
    // the build puts a hash into the names under assets/, so what is there never changes
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
        let mime = file.metadata.mimetype();
        // a browser that is told no charset guesses one
        let mime = match mime.starts_with("text/") {
            true => format!("{mime}; charset=utf-8"),
            false => mime.to_owned(),
        };
        ([(CONTENT_TYPE, mime)], file.data.into_owned()).into_response()
    };
    let out = response.headers_mut();
    out.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Ok(etag) = HeaderValue::try_from(etag) {
        out.insert(ETAG, etag);
    }
    if name == PAGE {
        out.append(VARY, HeaderValue::from_static("accept"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "/a\0b",
            "index.html",
            "/a//b",
            "/api/..;/x",
        ] {
            assert!(file_name(path).is_none(), "{path}");
        }
    }
}
