//! Accepts connections and speaks HTTP/1.1 on them. axum's own loop has no limit on connections and none on the time that
//! headers and answers take.
//!
//! Places are limited, in all and by address, so that nobody takes them all. Who comes when all are taken is a guest: one
//! request is read, and answered when there is room in time. Loopback has guests' places of its own, and health checks are
//! answered to every guest at once, so that who watches over the server does not take a crowd for a crash.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::UPGRADE;
use axum::response::{IntoResponse, Response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::stream::Counted;
use crate::address::{TrustedProxies, limited};
use crate::config::ApiConfig;
use crate::error::{ApiError, say};
use crate::places::{Place, Places};

/// A request's headers must be there within this time; an idle connection is closed after it, too.
const HEADER_TIMEOUT: Duration = Duration::from_secs(5);
/// The same for a guest.
const GUEST_HEADER_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a guest's request waits for room.
const GUEST_WAIT: Duration = Duration::from_secs(5);
/// The most guests, and the most of them from loopback beyond those.
const GUESTS: usize = 256;
const LOCAL_GUESTS: usize = 16;
/// The most headers of a request.
const MAX_HEADERS: usize = 64;
/// The largest head of a request.
const MAX_HEAD_BYTES: usize = 32 * 1_024;
/// How long to wait when the system has no more file descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// What guests are answered at once.
const HEALTH: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Who may come in, and who did.
pub(super) struct Door {
    room: Arc<Semaphore>,
    guests: Arc<Semaphore>,
    local_guests: Arc<Semaphore>,
    by_address: Places<IpAddr>,
    most_by_address: usize,
    trusted: Arc<TrustedProxies>,
    write_timeout: Duration,
}

/// As what a connection was let in.
enum Entry {
    /// With a place for as long as it lasts.
    Seated(OwnedSemaphorePermit, Option<Place<IpAddr>>),
    /// For one request. Who has too many places already waits for none.
    Guest {
        permit: OwnedSemaphorePermit,
        waits: bool,
        place: Option<Place<IpAddr>>,
    },
}

impl Door {
    pub(super) fn new(config: &ApiConfig) -> Self {
        let places = |n| Arc::new(Semaphore::new(n));
        Self {
            room: places(config.max_connections),
            guests: places(GUESTS),
            local_guests: places(LOCAL_GUESTS),
            by_address: Places::default(),
            most_by_address: config.connections_per_address,
            trusted: Arc::new(config.trusted_proxies.clone()),
            write_timeout: config.write_timeout,
        }
    }

    fn enter(&self, peer: IpAddr) -> Option<Entry> {
        let local = peer.to_canonical().is_loopback();
        // a proxy has the connections of all of its clients, and limits them itself
        let counted = !self.trusted.contains(peer);
        let place = counted.then(|| self.by_address.take(limited(peer), self.most_by_address));
        let waits = !matches!(place, Some(None));
        let place = place.flatten();
        let free = |places: &Arc<Semaphore>| places.clone().try_acquire_owned().ok();
        if waits && let Some(permit) = free(&self.room) {
            return Some(Entry::Seated(permit, place));
        }
        let local = local.then(|| free(&self.local_guests)).flatten();
        let permit = local.or_else(|| waits.then(|| free(&self.guests)).flatten())?;
        Some(Entry::Guest {
            permit,
            waits,
            place,
        })
    }
}

/// Accepts until `stop`; connections go on in `tasks`.
pub(super) async fn run(
    listener: TcpListener,
    app: Router,
    door: Door,
    tasks: &TaskTracker,
    stop: CancellationToken,
) -> io::Result<()> {
    loop {
        let (stream, address) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) if is_of_one_connection(&error) => continue,
            Err(error) => {
                metrics::counter!("harit_http_accept_errors_total").increment(1);
                tracing::error!(%error, "no connection could be accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let Some(entry) = door.enter(address.ip()) else {
            metrics::counter!("harit_http_connections_refused_total").increment(1);
            continue;
        };
        tasks.spawn(speak(
            stream,
            address,
            entry,
            &door,
            app.clone(),
            stop.clone(),
        ));
    }
}

/// The client went away before it was accepted; that says nothing of the listener.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

/// A guest's way to a place.
#[derive(Clone)]
struct Guest {
    /// Where to wait; none for who has too many places already.
    room: Option<Arc<Semaphore>>,
}

impl Guest {
    /// Room for one request, or the answer that there is none.
    async fn admit(
        &self,
        request: &Request<Incoming>,
    ) -> Result<Option<OwnedSemaphorePermit>, ApiError> {
        if HEALTH.contains(&request.uri().path()) {
            return Ok(None);
        }
        // a live connection would keep the guest's place
        let room = self.room.as_ref().ok_or_else(ApiError::busy)?;
        if request.headers().contains_key(UPGRADE) {
            return Err(ApiError::busy());
        }
        match tokio::time::timeout(GUEST_WAIT, room.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Some(permit)),
            _ => Err(ApiError::busy()),
        }
    }
}

fn speak(
    stream: TcpStream,
    address: SocketAddr,
    entry: Entry,
    door: &Door,
    app: Router,
    stop: CancellationToken,
) -> impl Future<Output = ()> + use<> {
    let (permit, place, guest) = match entry {
        Entry::Seated(permit, place) => (permit, place, None),
        Entry::Guest {
            permit,
            waits,
            place,
        } => {
            let room = waits.then(|| door.room.clone());
            (permit, place, Some(Guest { room }))
        }
    };
    let header_timeout = if guest.is_some() {
        GUEST_HEADER_TIMEOUT
    } else {
        HEADER_TIMEOUT
    };
    let keep_alive = guest.is_none();
    let stream = Counted::new(stream, door.write_timeout, permit, place);
    let trusted = door.trusted.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        answer(
            request,
            address.ip(),
            trusted.clone(),
            guest.clone(),
            app.clone(),
        )
    });
    async move {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(header_timeout)
            .keep_alive(keep_alive)
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        tokio::pin!(connection);
        let result = tokio::select! {
            result = &mut connection => result,
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = result {
            tracing::debug!(%address, %error, "a connection broke off");
        }
    }
}

async fn answer(
    mut request: Request<Incoming>,
    peer: IpAddr,
    trusted: Arc<TrustedProxies>,
    guest: Option<Guest>,
    app: Router,
) -> Result<Response, Infallible> {
    let _permit = match &guest {
        Some(guest) => match guest.admit(&request).await {
            Ok(permit) => permit,
            Err(busy) => return Ok(say(&busy, request.headers()).into_response()),
        },
        None => None,
    };
    let client = trusted.client(peer, request.headers());
    request.extensions_mut().insert(client);
    app.oneshot(request).await
}
