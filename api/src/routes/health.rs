//! Whether the server is alive, ready, and what it counts.

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

use crate::access::{AppState, bearer};
use crate::address::ClientAddress;
use crate::error::{ApiError, ErrorBody};

/// The server is alive.
#[derive(Serialize, ToSchema)]
#[schema(as = Alive)]
pub(super) struct Alive {
    #[schema(example = "ok")]
    status: &'static str,
}

/// Whether the server can do its work.
#[derive(Serialize, ToSchema)]
#[schema(as = Readiness)]
pub(super) struct Readiness {
    ready: bool,
    /// What does not work: `journal`, `history`, `shard`, `farm`, `mqtt`, `broker`, `store`.
    problems: Vec<&'static str>,
    /// The same in words, for operators.
    reasons: Vec<String>,
}

/// How to sign in to the demo.
#[derive(Serialize, ToSchema)]
#[schema(as = Demo)]
pub(super) struct DemoBody {
    farm: String,
    users: Vec<String>,
    password: String,
}

/// Whether the server is alive
#[utoipa::path(
    get, path = "/healthz", tag = "operation",
    operation_id = "check_health", summary = "Check that the server is alive", security(()),
    responses((status = OK, body = Alive))
)]
pub(super) async fn healthz() -> Json<Alive> {
    Json(Alive { status: "ok" })
}

/// Whether the server can do its work
///
/// The journal and the history can be written, shards and farms are at work, controllers can connect, all brokers of the configuration are connected, the records answer.
#[utoipa::path(
    get, path = "/readyz", tag = "operation",
    operation_id = "check_readiness", summary = "Check that the server is ready", security(()),
    responses(
        (status = OK, body = Readiness),
        (status = SERVICE_UNAVAILABLE, body = Readiness),
    )
)]
pub(super) async fn readyz(State(state): State<AppState>) -> (StatusCode, Json<Readiness>) {
    let health = state.pipeline();
    let (down, failed) = (health.shards_down.len(), health.failed_farms.len());
    let brokers = state.brokers_down();
    let looked_at = [
        (
            health.journal_writable,
            "journal",
            "the journal cannot be written: nothing is acknowledged".to_owned(),
        ),
        (
            health.history_writable,
            "history",
            "the history cannot be written: it is caught up with from the journal later".to_owned(),
        ),
        (
            down == 0,
            "shard",
            format!("{down} shard(s) not at work: their farms are not controlled"),
        ),
        (
            failed == 0,
            "farm",
            format!("{failed} farm(s) failed and are isolated until the next start"),
        ),
        (
            state.mqtt_up(),
            "mqtt",
            "controllers cannot connect".to_owned(),
        ),
        (
            brokers.is_empty(),
            "broker",
            format!("not connected to: {}", brokers.join(", ")),
        ),
        (
            state.records_up().await,
            "store",
            "the records do not answer".to_owned(),
        ),
    ];
    let wrong = looked_at.into_iter().filter(|(well, ..)| !well);
    let (problems, reasons): (Vec<_>, Vec<_>) = wrong.map(|(_, what, why)| (what, why)).unzip();
    let ready = problems.is_empty();
    let status = if ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let body = Readiness {
        ready,
        problems,
        reasons,
    };
    (status, Json(body))
}

/// What proxies say of whom they ask for.
const PROXIES_SAY: [&str; 4] = ["x-forwarded-for", "x-real-ip", "forwarded", "via"];

/// The metrics
///
/// What the server counts, in Prometheus' text format.
/// Readable with the configured metrics token as bearer token. Without it from loopback, unless a proxy sent the request on
/// (`X-Forwarded-For`, `X-Real-IP`, `Forwarded`, `Via`), or `server.behind_tls` says that one is in front. A proxy on the same machine
/// that sends none of these makes every caller look like loopback: let it not pass this path on.
#[utoipa::path(
    get, path = "/metrics", tag = "operation",
    operation_id = "get_metrics", summary = "Get the metrics", security((), ("bearer" = [])),
    responses(
        (status = OK, body = String, content_type = "text/plain"),
        (status = UNAUTHORIZED, description = "Not from this machine, and without the token", body = ErrorBody),
        (status = NOT_FOUND, description = "No metrics are kept", body = ErrorBody),
    )
)]
pub(super) async fn metrics(
    State(state): State<AppState>,
    client: Option<Extension<ClientAddress>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let config = state.config();
    let direct = client.is_some_and(|Extension(c)| c.ip.is_loopback() && !c.forwarded);
    // Also where nobody said that the proxy is to be trusted.
    let sent_on = PROXIES_SAY.iter().any(|name| headers.contains_key(*name));
    let local = direct && !sent_on && !config.behind_tls;
    if !may_read(local, config.metrics_token.as_deref(), bearer(&headers)) {
        return Err(ApiError::unauthenticated());
    }
    let text = state.metrics().ok_or_else(ApiError::not_found)?.render();
    Ok((
        [(
            header::CONTENT_TYPE,
            "text/plain; version=0.0.4; charset=utf-8",
        )],
        text,
    )
        .into_response())
}

/// Whoever is on this machine, or has the token, if there is one.
fn may_read(local: bool, expected: Option<&str>, given: Option<&str>) -> bool {
    let token = expected.filter(|t| !t.is_empty()).zip(given);
    local
        || token.is_some_and(|(expected, given)| expected.as_bytes().ct_eq(given.as_bytes()).into())
}

/// How to sign in to the demo
///
/// Not there on a server that is no demo.
#[utoipa::path(
    get, path = "/api/demo", tag = "operation",
    operation_id = "get_demo", summary = "Get the sign-ins of the demo", security(()),
    responses(
        (status = OK, body = DemoBody),
        (status = NOT_FOUND, body = ErrorBody),
    )
)]
pub(super) async fn demo(State(state): State<AppState>) -> Result<Json<DemoBody>, ApiError> {
    let demo = state
        .config()
        .demo
        .clone()
        .ok_or_else(ApiError::not_found)?;
    Ok(Json(DemoBody {
        farm: demo.farm,
        users: demo.users,
        password: demo.password,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_for_this_machine_or_the_token() {
        assert!(may_read(true, None, None));
        assert!(!may_read(false, None, None));
        assert!(!may_read(false, None, Some("")));
        assert!(!may_read(false, Some(""), Some("")));
        assert!(!may_read(false, Some("secret"), Some("secrets")));
        assert!(may_read(false, Some("secret"), Some("secret")));
    }
}
