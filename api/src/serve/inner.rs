//! The way between the servers of an installation: what one of them passes on comes here, from another one that has the same keys.
//!
//! Each request says from which address and with whose certificate its client came, and when, sealed by a key that only these
//! servers have. What it says is believed; the caller is authenticated here, as everywhere.

use std::borrow::Cow;
use std::io;
use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, UPGRADE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use harit_ingest::mqtt::Client;
use harit_protocol::Mac;
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::pass_on::MQTT;
use crate::access::AppState;
use crate::address::ClientAddress;
use crate::delivery::Channel;
use crate::delivery::replies::Reply;
use crate::error::ApiError;
use crate::records::now_ms;
use crate::routes::take_passed_reply;
use crate::secret::Seal;

/// Who the client is that another server passes on, sealed.
const CLIENT: HeaderName = HeaderName::from_static("harit-client");
/// Where answers to messages are passed on to.
pub(super) const REPLIES: &str = "/inner/replies";
/// What the seal is for.
const PURPOSE: &str = "client";
/// By how much the clocks of two servers may differ, and how long a request may be on its way.
const FRESH_MS: u64 = 60_000;

/// Who connects to another server, as that one has found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Passed {
    pub(crate) address: IpAddr,
    /// Whose certificate it has verified.
    pub(crate) certificate: Option<Mac>,
}

impl Passed {
    /// Writes it into the headers of a request to another server.
    pub(super) fn write(self, seal: &Seal, headers: &mut HeaderMap) -> io::Result<()> {
        let certificate = self.certificate.as_ref().map_or("", Mac::as_str);
        let said = format!("{} {} {certificate}", now_ms(), self.address);
        let sealed = STANDARD.encode(seal.seal(PURPOSE, said.as_bytes())?);
        headers.insert(
            CLIENT,
            HeaderValue::try_from(sealed).map_err(io::Error::other)?,
        );
        Ok(())
    }

    /// Reads it from a request that another server sent just now.
    fn read(seal: &Seal, headers: &HeaderMap) -> Option<Self> {
        let sealed = STANDARD.decode(headers.get(CLIENT)?).ok()?;
        let said = String::from_utf8(seal.open(PURPOSE, &sealed)?).ok()?;
        let mut parts = said.split(' ');
        let at: i64 = parts.next()?.parse().ok()?;
        let address = parts.next()?.parse().ok()?;
        let certificate = parts.next().filter(|mac| !mac.is_empty());
        let certificate = certificate.map(Mac::parse).transpose().ok()?;
        (now_ms().abs_diff(at) <= FRESH_MS).then_some(Self {
            address,
            certificate,
        })
    }

    /// Removes what only another server may say.
    pub(super) fn remove(headers: &mut HeaderMap) {
        headers.remove(CLIENT);
    }
}

/// Lets in what another server passes on, and nothing else.
pub(super) async fn admit(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(passed) = Passed::read(state.between(), request.headers()) else {
        metrics::counter!("harit_inner_refused_total").increment(1);
        return StatusCode::FORBIDDEN.into_response();
    };
    Passed::remove(request.headers_mut());
    request.extensions_mut().insert(ClientAddress {
        ip: passed.address,
        forwarded: true,
    });
    request.extensions_mut().insert(passed);
    next.run(request).await
}

/// Takes a connection of MQTT that another server passes on. It is the endpoint's: that MQTT closes after HTTP must not wait for it.
pub(super) async fn mqtt(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_mqtt = { request.headers().get(UPGRADE) }.is_some_and(|to| to == MQTT);
    let passed = request.extensions().get::<Passed>().copied();
    let (true, Some(passed)) = (is_mqtt, passed) else {
        return next.run(request).await;
    };
    let Some(endpoint) = state.passed_on().cloned() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        if let Ok(io) = upgraded.await {
            let client = Client {
                address: passed.address,
                certificate: passed.certificate,
            };
            endpoint.serve(TokioIo::new(io), client).await;
        }
    });
    let to = [(CONNECTION, "upgrade"), (UPGRADE, MQTT)];
    (StatusCode::SWITCHING_PROTOCOLS, to).into_response()
}

/// An answer to a message of a farm that is this server's.
#[derive(Serialize, Deserialize)]
pub(super) struct PassedReply<'a> {
    pub(super) channel: Channel,
    pub(super) reply: Cow<'a, Reply>,
}

async fn reply(
    State(state): State<AppState>,
    Json(passed): Json<PassedReply<'static>>,
) -> Result<Json<Option<String>>, ApiError> {
    let said = take_passed_reply(&state, passed.channel, &passed.reply);
    said.await.map(Json)
}

/// Serves what other servers pass on until it is to stop.
pub(super) async fn serve(
    listener: TcpListener,
    app: Router,
    state: AppState,
    stop: CancellationToken,
) {
    let app = app
        .route(REPLIES, post(reply).with_state(state.clone()))
        .layer(from_fn_with_state(state.clone(), mqtt))
        .layer(from_fn_with_state(state, admit));
    let served = axum::serve(listener, app).with_graceful_shutdown(stop.cancelled_owned());
    if let Err(error) = served.await {
        tracing::error!(%error, "what other servers pass on is taken no more");
    }
}
