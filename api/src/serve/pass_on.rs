//! Requests and connections of farms that another server of the installation has, passed on to it.
//!
//! A request that may have arrived there is not answered for: whoever sent it with an `Idempotency-Key` is told that it is under way, and asks
//! again.

use std::borrow::Cow;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    CONNECTION, CONTENT_TYPE, EXPECT, FORWARDED, HOST, TRANSFER_ENCODING, UPGRADE,
};
use axum::http::uri::{Authority, PathAndQuery, Scheme};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::future::BoxFuture;
use harit_engine::FarmId;
use harit_ingest::Hub;
use harit_ingest::mqtt::{Client, Link, PassOn, pass};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::inner::{Passed, PassedReply, REPLIES};
use crate::access::{AppState, Elsewhere};
use crate::address::ClientAddress;
use crate::delivery::Channel;
use crate::delivery::replies::Reply;
use crate::error::{ApiError, say};
use crate::records::{FarmServer, Records};

/// What is asked of a server for a connection of MQTT, and its answer to it.
pub(super) const MQTT: &str = "harit-mqtt";
/// The path of that.
pub(super) const MQTT_PATH: &str = "/mqtt";
/// How long another server may take to answer at all: longer than it gives itself.
const PATIENCE: Duration = Duration::from_secs(40);
/// The longest that is said to who answered a message.
const MAX_SAID: usize = 16 << 10;
const CONNECT: Duration = Duration::from_secs(2);
/// How long a connection to another server is kept: less than it keeps it.
const KEPT: Duration = Duration::from_secs(3);

/// What belongs to one connection and not to a request (RFC 9110, 7.6.1), and what says from where it came.
const OF_THE_CONNECTION: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("te"),
    HeaderName::from_static("trailer"),
    TRANSFER_ENCODING,
    EXPECT,
    FORWARDED,
    HeaderName::from_static("x-forwarded-for"),
];

/// Sends to other servers.
#[derive(Clone)]
pub struct Passing(Arc<Inner>);

struct Inner {
    records: Records,
    hub: Hub,
    client: legacy::Client<HttpConnector, Body>,
}

/// What passes requests on, and what waits for connections that became something else.
#[derive(Clone)]
pub(super) struct PassedOn {
    pub(super) state: AppState,
    pub(super) passing: Passing,
    pub(super) tasks: TaskTracker,
    pub(super) stop: CancellationToken,
}

impl Passing {
    /// Sends to where the records say that a farm is.
    #[must_use]
    pub fn new(records: Records, hub: Hub) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT));
        let client = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(KEPT)
            .build(connector);
        Self(Arc::new(Inner {
            records,
            hub,
            client,
        }))
    }

    /// The server of a farm that is another one's.
    async fn server(&self, farm: &FarmId) -> Result<Option<Authority>, ApiError> {
        match self.0.records.server_of(farm).await? {
            FarmServer::Own => Ok(None),
            FarmServer::Other(address) => {
                let address = address.and_then(|at| at.parse().ok());
                address.map(Some).ok_or_else(ApiError::unavailable)
            }
        }
    }
}

/// Passes on what is of a farm that this server has not.
pub(super) async fn elsewhere(
    State(to): State<PassedOn>,
    mut request: Request,
    next: Next,
) -> Response {
    // Nobody outside says who somebody is, and what came from another server goes to no third one.
    if request.extensions().get::<Passed>().is_some() {
        return next.run(request).await;
    }
    Passed::remove(request.headers_mut());
    let farm = match to.state.farm_of(&mut request).await {
        Ok(Some(farm)) if !to.state.has(&farm) => farm,
        Ok(_) => return next.run(request).await,
        Err(error) => return say(&error, request.headers()),
    };
    let server = match to.passing.server(&farm).await {
        Ok(Some(server)) => server,
        Ok(None) => return next.run(request).await,
        Err(error) => return say(&error, request.headers()),
    };
    let headers = request.headers().clone();
    let passed = to.pass(server, request).await;
    passed.unwrap_or_else(|error| say(&error, &headers))
}

impl PassedOn {
    async fn pass(&self, server: Authority, mut request: Request) -> Result<Response, ApiError> {
        let to = server.clone();
        let client = request.extensions().get::<ClientAddress>().copied();
        let client = client.ok_or_else(ApiError::unavailable)?;
        let lost = lost(&request);
        let upgrades = request.headers().contains_key(UPGRADE);
        let here = upgrades.then(|| hyper::upgrade::on(&mut request));
        let (mut parts, body) = request.into_parts();
        parts.uri = at(server, parts.uri.path_and_query().cloned());
        own(&mut parts.headers, upgrades);
        let passed = Passed {
            address: client.ip,
            certificate: None,
        };
        let written = passed.write(self.passing.0.records.between(), &mut parts.headers);
        written.map_err(|_| ApiError::internal())?;
        parts.extensions.clear();
        let client = &self.passing.0.client;
        let asked = client.request(Request::from_parts(parts, body));
        let answered = tokio::time::timeout(PATIENCE, asked).await;
        let mut response = match answered {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_connect() => {
                tracing::debug!(%error, %to, "a server does not answer");
                count("away");
                return Err(ApiError::unavailable());
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, %to, "a server gave no answer");
                count("lost");
                return Err(lost);
            }
            Err(_) => {
                tracing::warn!(%to, "a server takes too long");
                count("late");
                return Err(lost);
            }
        };
        count("passed");
        if response.status() == StatusCode::SWITCHING_PROTOCOLS
            && let Some(here) = here
        {
            let there = hyper::upgrade::on(&mut response);
            let stop = self.stop.clone();
            self.tasks.spawn(async move {
                let (Ok(here), Ok(there)) = tokio::join!(here, there) else {
                    return;
                };
                tokio::select! {
                    () = pass(TokioIo::new(here), TokioIo::new(there)) => {}
                    () = stop.cancelled() => {}
                }
            });
        } else {
            own(response.headers_mut(), false);
        }
        Ok(response.map(Body::new))
    }
}

/// What is said of a request that may have arrived, and of which nobody knows what became.
fn lost(request: &Request) -> ApiError {
    let may_repeat = matches!(*request.method(), Method::GET | Method::HEAD);
    let has_key = request.headers().contains_key("idempotency-key");
    match has_key && !may_repeat {
        true => ApiError::under_way(),
        false => ApiError::unavailable(),
    }
}

fn count(how: &'static str) {
    metrics::counter!("harit_passed_on_total", "how" => how).increment(1);
}

fn at(server: Authority, path: Option<PathAndQuery>) -> Uri {
    let mut parts = axum::http::uri::Parts::default();
    parts.scheme = Some(Scheme::HTTP);
    parts.authority = Some(server);
    parts.path_and_query = Some(path.unwrap_or_else(|| PathAndQuery::from_static("/")));
    Uri::from_parts(parts).unwrap_or_default()
}

/// Leaves in the headers what is the request's or the answer's own.
fn own(headers: &mut HeaderMap, upgrades: bool) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let keep = |name: &HeaderName| upgrades && (*name == UPGRADE || *name == CONNECTION);
    for name in named.iter().chain(&OF_THE_CONNECTION).chain([&UPGRADE]) {
        if !keep(name) {
            headers.remove(name);
        }
    }
    if upgrades {
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    }
}

impl Elsewhere for Passing {
    fn reply<'a>(
        &'a self,
        farm: &'a FarmId,
        channel: Channel,
        reply: &'a Reply,
    ) -> BoxFuture<'a, Result<Option<String>, ApiError>> {
        Box::pin(async move {
            let server = self.server(farm).await?.ok_or_else(ApiError::unavailable)?;
            let reply = Cow::Borrowed(reply);
            let body = serde_json::to_vec(&PassedReply { channel, reply });
            let mut request = Request::new(Body::from(body.map_err(|_| ApiError::internal())?));
            *request.method_mut() = Method::POST;
            *request.uri_mut() = at(server, Some(PathAndQuery::from_static(REPLIES)));
            let headers = request.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            let nobody = Passed {
                address: Ipv4Addr::UNSPECIFIED.into(),
                certificate: None,
            };
            let written = nobody.write(self.0.records.between(), headers);
            written.map_err(|_| ApiError::internal())?;
            let asked = async {
                let response = self.0.client.request(request).await.ok()?;
                let is_done = response.status() == StatusCode::OK;
                let body = to_bytes(Body::new(response.into_body()), MAX_SAID)
                    .await
                    .ok()?;
                is_done.then(|| serde_json::from_slice(&body).ok())?
            };
            let said = tokio::time::timeout(PATIENCE, asked).await.ok().flatten();
            count(if said.is_some() { "passed" } else { "lost" });
            // The gateway sends it again, and what was done is known.
            said.ok_or_else(ApiError::unavailable)
        })
    }
}

impl PassOn for Passing {
    fn is_elsewhere(&self, farm: &FarmId) -> bool {
        !self.0.hub.has(farm)
    }

    fn open<'a>(
        &'a self,
        farm: &'a FarmId,
        client: Client,
    ) -> BoxFuture<'a, io::Result<Box<dyn Link>>> {
        Box::pin(async move {
            let server = self.server(farm).await.ok().flatten();
            let server = server.ok_or(io::ErrorKind::NotConnected)?;
            let mut request = Request::new(Body::empty());
            let host = HeaderValue::try_from(server.as_str()).map_err(io::Error::other)?;
            *request.uri_mut() = at(server, Some(PathAndQuery::from_static(MQTT_PATH)));
            let headers = request.headers_mut();
            headers.insert(HOST, host);
            headers.insert(UPGRADE, HeaderValue::from_static(MQTT));
            headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
            let passed = Passed {
                address: client.address,
                certificate: client.certificate,
            };
            passed.write(self.0.records.between(), headers)?;
            let asked = self.0.client.request(request).await;
            let mut response = asked.map_err(io::Error::other)?;
            if response.status() != StatusCode::SWITCHING_PROTOCOLS {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            let link = hyper::upgrade::on(&mut response).await;
            let link = TokioIo::new(link.map_err(io::Error::other)?);
            Ok(Box::new(link) as Box<dyn Link>)
        })
    }
}
