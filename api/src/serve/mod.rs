//! The server: routes, live connection and console on one listener, with limits on everything a stranger can do.

mod accept;
mod assets;
mod encoding;
mod headers;
mod inner;
mod mqtt;
mod outlive;
mod pass_on;
mod stream;

use std::borrow::Cow;
use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::timeout::{RequestBodyTimeoutLayer, TimeoutLayer};
use tower_http::trace::TraceLayer;
use tracing::Span;

pub use pass_on::Passing;

use crate::access::AppState;
use crate::error::{ApiError, localise};
use crate::openapi::openapi_json;
use crate::{live, routes};

/// A body whose next part takes longer is given up.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// A request that takes longer is given up.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// How long open requests may go on after the server was told to stop.
const DRAIN: Duration = Duration::from_secs(3);

/// What a server needs that shares the records with others.
pub struct Beside {
    /// Takes what they pass on.
    pub inner: TcpListener,
    /// Passes on to them.
    pub passing: Passing,
}

/// Answers on a listener until `shutdown`, then finishes open requests and closes live connections, in under 5 s.
///
/// # Errors
/// When the listener fails for good.
pub async fn serve(
    listener: TcpListener,
    beside: Option<Beside>,
    state: AppState,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
    let (sockets, io) = live::start(&state, &tasks, &stop);
    tasks.spawn(state.notifier().run(stop.clone()));
    tasks.spawn(state.effect_watch().run(stop.clone()));
    tasks.spawn(state.almanac_keeper().run(stop.clone()));
    tasks.spawn(state.range_keeper().run(stop.clone()));
    let (gateways, records) = state.gateways().map_err(io::Error::other)?;
    tasks.spawn(gateways.run(records, stop.clone()));
    let begun = state.clone();
    tasks.spawn(async move { begun.take_authored().await });
    let app = app(&state, &tasks).layer(sockets).layer(from_fn_with_state(
        live::Handshakes::new(state.config()),
        live::admit,
    ));
    let secured = from_fn_with_state(state.clone(), headers::secure);
    let app = match beside {
        None => app.layer(secured),
        Some(Beside { inner, passing }) => {
            state.passing(Arc::new(passing.clone()));
            let inside = app.clone().layer(secured.clone());
            tasks.spawn(inner::serve(inner, inside, state.clone(), stop.clone()));
            let elsewhere = pass_on::PassedOn {
                state: state.clone(),
                passing,
                tasks: tasks.clone(),
                stop: stop.clone(),
            };
            app.layer(from_fn_with_state(elsewhere, pass_on::elsewhere))
                .layer(secured)
        }
    };
    let door = accept::Door::new(state.config());

    let accepting = accept::run(listener, app, door, &tasks, stop.clone());
    tokio::pin!(shutdown);
    tokio::select! {
        result = accepting => return result,
        () = &mut shutdown => {}
    }
    stop.cancel();
    tasks.close();
    let drained = async {
        // closing waits for each client to take what was written for it, and some never do
        io.close().await;
        tasks.wait().await;
    };
    if tokio::time::timeout(DRAIN, drained).await.is_err() {
        tracing::warn!(open = tasks.len(), "requests were cut off at shutdown");
    }
    Ok(())
}

/// Everything but the live connection, and the headers of every answer.
fn app(state: &AppState, tasks: &TaskTracker) -> Router {
    routes::routes()
        .route("/api/openapi.json", get(document))
        .route("/mqtt", get(mqtt::open))
        .fallback(assets::serve)
        .method_not_allowed_fallback(async || ApiError::method_not_allowed())
        .layer(from_fn(assets::screens_first))
        .layer(from_fn_with_state(state.clone(), routes::once))
        .layer(from_fn_with_state(tasks.clone(), outlive::clients))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(RequestBodyTimeoutLayer::new(BODY_TIMEOUT))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::SERVICE_UNAVAILABLE,
            REQUEST_TIMEOUT,
        ))
        .layer(from_fn(localise))
        .layer(
            CompressionLayer::new()
                .compress_when(DefaultPredicate::new().and(assets::may_compress)),
        )
        .layer(from_fn(count))
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_request(())
                .on_response(|response: &Response, took: Duration, _: &Span| {
                    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                    tracing::info!(status = response.status().as_u16(), ms, "answered");
                })
                .on_failure(()),
        )
        .with_state(state.clone())
}

/// The API's document, which few ask for.
async fn document() -> Result<impl IntoResponse, ApiError> {
    static DOCUMENT: LazyLock<Option<String>> = LazyLock::new(|| {
        openapi_json()
            .inspect_err(|error| tracing::error!(%error, "the API's document cannot be written"))
            .ok()
    });
    let document = DOCUMENT.as_deref().ok_or_else(ApiError::internal)?;
    Ok(([("content-type", "application/json")], document))
}

/// What is logged of a request: no query, no header, no body and no invite's token, because those carry what is private.
fn span(request: &Request) -> Span {
    let id = request
        .headers()
        .get(headers::REQUEST_ID)
        .and_then(|id| id.to_str().ok())
        .unwrap_or("");
    tracing::info_span!("http", id, method = %request.method(), path = %loggable(request.uri().path()))
}

/// The path without the token of an invite's link in its older form.
fn loggable(path: &str) -> Cow<'_, str> {
    for prefix in ["/onboarding/invite/", "/invite/"] {
        if let Some(rest) = path.strip_prefix(prefix) {
            let (token, more) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !["open", "accept"].contains(&token) {
                return Cow::Owned(format!("{prefix}***{more}"));
            }
        }
    }
    Cow::Borrowed(path)
}

fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let message = panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    metrics::counter!("harit_http_panics_total").increment(1);
    tracing::error!(message, "a request panicked");
    ApiError::internal().into_response()
}

/// Counts requests by route and status; a path that is no route is one label, whatever it is.
async fn count(request: Request, next: axum::middleware::Next) -> Response {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("none", |p| p.as_str())
        .to_owned();
    let start = std::time::Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16().to_string();
    metrics::counter!("harit_http_requests_total", "route" => route.clone(), "status" => status)
        .increment(1);
    metrics::histogram!("harit_http_request_seconds", "route" => route)
        .record(start.elapsed().as_secs_f64());
    response
}
