//! Harit's own MQTT endpoint: the listener, its limits, and the life of each connection around its loop.
//!
//! It is not a broker: controllers talk to Harit, integration accounts read what their farm's controllers say, and nothing
//! is routed between controllers.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::BytesMut;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{Close, Connection};
use super::encode;
use super::handshake::{Attempts, Gate, handshake};
use super::registry::{Leaving, Registry, count};
use super::session::{Kick, Session};
use super::throttle::ThrottleConfig;
use super::{Batch, Downlink, Principal, Publish, Uplink};

/// How long a connection that ends may wait for the pipeline to take its last batch, or its will.
const SETTLE_PATIENCE: Duration = Duration::from_secs(5);
/// How long it may wait for receipts when the endpoint shuts down.
const RECEIPTS_PATIENCE: Duration = Duration::from_millis(1_500);
/// How long the last words to a client may take to write.
const FAREWELL_PATIENCE: Duration = Duration::from_secs(1);
/// How much is read and dropped after the last words, so that a reset does not overtake them.
const LINGER_BYTES: usize = 4 << 20;
/// How many bad publishes a broken protocol counts as.
const FAULT_COST: usize = 5;
/// How often parked sessions are looked at.
const SWEEP_EVERY: Duration = Duration::from_millis(500);
/// How long a shutdown waits for connections before it drops them.
const SHUTDOWN_PATIENCE: Duration = Duration::from_secs(4);
/// How long the listener rests when the system has no more sockets to give.
const ACCEPT_REST: Duration = Duration::from_millis(100);

/// Certificate and key, PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain, the endpoint's own first.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// How the endpoint is set up.
#[derive(Debug, Clone, PartialEq)]
pub struct EndpointConfig {
    /// Where to listen. Only this machine, unless told otherwise.
    pub listen: SocketAddr,
    /// Serve TLS with these files; plain TCP without.
    pub tls: Option<TlsFiles>,
    /// The most connections in all.
    pub max_connections: usize,
    /// The most connections from one address.
    pub max_connections_per_address: usize,
    /// How long a client may take until its CONNECT is read, the TLS handshake included.
    pub connect_timeout: Duration,
    /// The longest that a session outlives its connection.
    pub session_expiry_max: Duration,
    /// The most sessions that wait for their clients; the one that would end first makes room.
    pub max_parked_sessions: usize,
    /// What one principal may cost.
    pub throttle: ThrottleConfig,
}

impl Default for EndpointConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 1883)),
            tls: None,
            max_connections: 10_000,
            max_connections_per_address: 1_000,
            connect_timeout: Duration::from_secs(10),
            session_expiry_max: Duration::from_secs(24 * 3_600),
            max_parked_sessions: 10_000,
            throttle: ThrottleConfig::default(),
        }
    }
}

/// What the endpoint has seen since it started, and who is here now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndpointStats {
    /// Connections now, those that have not said who they are included.
    pub connections: usize,
    /// Sessions that wait for their clients.
    pub parked_sessions: usize,
    /// Clients that were let in.
    pub connects: u64,
    /// Clients that were turned away, for whatever reason.
    pub refused_connects: u64,
    /// Publishes taken.
    pub received: u64,
    /// Publishes to forbidden topics.
    pub forbidden_publishes: u64,
    /// Refused subscriptions.
    pub forbidden_subscribes: u64,
    /// Publishes larger than the limit.
    pub oversized: u64,
    /// Publishes that the pipeline found bad.
    pub rejected: u64,
    /// Connections closed for breaking the protocol.
    pub faults: u64,
    /// Times that reading was delayed for a principal's cost.
    pub throttled: u64,
    /// Connections cut off for bad publishes.
    pub cut_off: u64,
    /// Wills published.
    pub wills: u64,
    /// Sessions taken over.
    pub takeovers: u64,
    /// Sessions resumed.
    pub resumes: u64,
    /// Messages sent to clients.
    pub sent: u64,
    /// Messages to clients that were dropped.
    pub dropped: u64,
    /// Who is refused for bad publishes, and for how much longer.
    pub backed_off: Vec<(Principal, Duration)>,
}

struct Shared {
    config: EndpointConfig,
    registry: Registry,
    uplink: Arc<dyn Uplink>,
    attempts: Attempts,
    assigned: AtomicU64,
    tls: Option<TlsAcceptor>,
    addresses: Mutex<Addresses>,
    tasks: TaskTracker,
    closing: CancellationToken,
}

/// Harit's own MQTT endpoint.
pub struct Endpoint {
    shared: Arc<Shared>,
    local: SocketAddr,
    /// Drops whatever did not end by itself.
    drop_all: CancellationToken,
}

impl Endpoint {
    /// Binds and serves. Install a metrics recorder before, or nothing is recorded.
    ///
    /// # Errors
    /// When the address cannot be bound, or the TLS files are not what they should be.
    pub async fn bind(
        config: EndpointConfig,
        uplink: Arc<dyn Uplink>,
    ) -> io::Result<(Self, Downlink)> {
        let tls = config.tls.as_ref().map(acceptor).transpose()?;
        let listener = TcpListener::bind(config.listen).await?;
        let local = listener.local_addr()?;
        let shared = Arc::new(Shared {
            registry: Registry::new(config.throttle, config.max_parked_sessions),
            config,
            uplink,
            attempts: Attempts::default(),
            assigned: AtomicU64::new(0),
            tls,
            addresses: Mutex::default(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        });
        let drop_all = CancellationToken::new();
        shared
            .tasks
            .spawn(accept(Arc::clone(&shared), listener, drop_all.clone()));
        shared.tasks.spawn(sweep(Arc::clone(&shared)));
        let downlink = {
            // The pipeline may keep the downlink for longer than the endpoint lives.
            let shared = Arc::downgrade(&shared);
            Downlink::new(move |topic, payload| {
                let shared = shared.upgrade().ok_or(super::DownlinkError::NotConnected)?;
                shared.registry.publish(topic, &payload, Instant::now())
            })
        };
        tracing::info!(%local, tls = shared.tls.is_some(), "mqtt endpoint listens");
        Ok((
            Self {
                shared,
                local,
                drop_all,
            },
            downlink,
        ))
    }

    /// Where it listens.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// What it has seen.
    #[must_use]
    pub fn stats(&self) -> EndpointStats {
        let counts = &self.shared.registry.counts;
        EndpointStats {
            connections: self.shared.connections(),
            parked_sessions: self.shared.registry.parked(),
            connects: counts.connects.get(),
            refused_connects: [
                &counts.bad_credentials,
                &counts.backed_off,
                &counts.over_limit,
                &counts.unavailable,
                &counts.bad_connects,
            ]
            .iter()
            .map(|count| count.get())
            .sum(),
            received: counts.received.get(),
            forbidden_publishes: counts.forbidden_publishes.get(),
            forbidden_subscribes: counts.forbidden_subscribes.get(),
            oversized: counts.oversized.get(),
            rejected: counts.rejected.get(),
            faults: counts.faults.get(),
            throttled: counts.throttled.get(),
            cut_off: counts.cut_off.get(),
            wills: counts.wills.get(),
            takeovers: counts.takeovers.get(),
            resumes: counts.resumes.get(),
            sent: counts.sent.get(),
            dropped: counts.dropped_expired.get()
                + counts.dropped_full.get()
                + counts.dropped_too_large.get(),
            backed_off: self.shared.registry.backed_off(Instant::now()),
        }
    }

    /// Ends a principal's connections and sessions at once, because its account was removed or its secret changed. How many
    /// connections that were.
    #[must_use = "the number of connections that were asked to end"]
    pub fn disconnect(&self, principal: &Principal) -> usize {
        self.shared.registry.revoke(principal)
    }

    /// The same, for who keeps it.
    #[must_use]
    pub fn revoker(&self) -> Arc<dyn Fn(&Principal) -> usize + Send + Sync> {
        let shared = Arc::clone(&self.shared);
        Arc::new(move |principal| shared.registry.revoke(principal))
    }

    /// Stops listening, lets the connections hear of what is durable by now, and closes them. Wills are not published: it
    /// is not the controllers that went away.
    pub async fn shutdown(self) {
        self.shared.closing.cancel();
        self.shared.tasks.close();
        let patience = tokio::time::sleep(SHUTDOWN_PATIENCE);
        tokio::pin!(patience);
        loop {
            // Again and again: a connection may get its session only now.
            self.shared.registry.kick_all(Kick::Shutdown);
            tokio::select! {
                () = self.shared.tasks.wait() => break,
                () = &mut patience => {
                    self.drop_all.cancel();
                    self.shared.tasks.wait().await;
                    break;
                }
                () = tokio::time::sleep(ACCEPT_REST) => {}
            }
        }
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.shared.closing.cancel();
        self.drop_all.cancel();
    }
}

impl Shared {
    fn connections(&self) -> usize {
        self.addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .all
    }
}

fn acceptor(files: &TlsFiles) -> io::Result<TlsAcceptor> {
    let bad = |file: &PathBuf, why: &dyn std::fmt::Display| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{}: {why}", file.display()),
        )
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&files.certificate)
        .map_err(|error| bad(&files.certificate, &error))?
        .collect::<Result<_, _>>()
        .map_err(|error| bad(&files.certificate, &error))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| bad(&files.key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| bad(&files.certificate, &error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// How many connections there are.
#[derive(Debug, Default)]
struct Addresses {
    all: usize,
    of_each: HashMap<IpAddr, usize>,
}

/// A connection's place within the limits.
struct Place {
    shared: Arc<Shared>,
    address: IpAddr,
}

impl Place {
    fn take(shared: &Arc<Shared>, address: IpAddr) -> Option<Self> {
        let mut addresses = shared
            .addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let here = addresses.of_each.get(&address).copied().unwrap_or_default();
        if addresses.all >= shared.config.max_connections
            || here >= shared.config.max_connections_per_address
        {
            return None;
        }
        addresses.of_each.insert(address, here + 1);
        addresses.all += 1;
        shared.registry.counts.connections.set(count(addresses.all));
        Some(Self {
            shared: Arc::clone(shared),
            address,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut addresses = self
            .shared
            .addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        addresses.all -= 1;
        if let Some(here) = addresses.of_each.get_mut(&self.address) {
            *here -= 1;
            if *here == 0 {
                addresses.of_each.remove(&self.address);
            }
        }
        self.shared
            .registry
            .counts
            .connections
            .set(count(addresses.all));
    }
}

async fn accept(shared: Arc<Shared>, listener: TcpListener, drop_all: CancellationToken) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shared.closing.cancelled() => return,
        };
        let (socket, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "mqtt: no connection could be accepted");
                tokio::time::sleep(ACCEPT_REST).await;
                continue;
            }
        };
        let Some(place) = Place::take(&shared, peer.ip().to_canonical()) else {
            shared.registry.counts.over_limit.one();
            continue;
        };
        let drop_all = drop_all.clone();
        shared.tasks.spawn(async move {
            tokio::select! {
                () = serve(&place, socket) => {}
                () = drop_all.cancelled() => {}
            }
        });
    }
}

/// Publishes delayed wills, and lets go of sessions whose time is over.
async fn sweep(shared: Arc<Shared>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(SWEEP_EVERY) => {}
            () = shared.closing.cancelled() => return,
        }
        for will in shared.registry.sweep(Instant::now()) {
            publish_will(&shared, will).await;
        }
    }
}

async fn publish_will(shared: &Shared, will: Batch) {
    if tokio::time::timeout(SETTLE_PATIENCE, shared.uplink.receive(will))
        .await
        .is_ok()
    {
        shared.registry.counts.wills.one();
    } else {
        tracing::warn!(
            "mqtt: a will was dropped, because the pipeline was full for {SETTLE_PATIENCE:?}"
        );
    }
}

async fn serve(place: &Place, socket: TcpStream) {
    let shared = &place.shared;
    let deadline = Instant::now() + shared.config.connect_timeout;
    // Without it an acknowledgement waits for the client's delayed TCP ack: 40 ms each.
    if socket.set_nodelay(true).is_err() {
        return;
    }
    match &shared.tls {
        None => converse(place, socket, deadline).await,
        Some(tls) => match tokio::time::timeout_at(deadline, tls.accept(socket)).await {
            Ok(Ok(stream)) => converse(place, stream, deadline).await,
            Ok(Err(_)) | Err(_) => shared.registry.counts.bad_connects.one(),
        },
    }
}

/// A principal that is here; dropping it is leaving, also when the connection's task panics.
struct Presence<'a> {
    shared: &'a Shared,
    session: Arc<Session>,
    leaving: Option<Leaving>,
    gone: Option<watch::Sender<()>>,
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        let leaving = self.leaving.take().unwrap_or_default();
        if self
            .shared
            .registry
            .leave(&self.session, leaving, Instant::now())
        {
            self.shared.uplink.disconnected(&self.session.key.principal);
        }
        drop(self.gone.take());
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(place: &Place, mut io: S, deadline: Instant) {
    let shared = &*place.shared;
    let gate = Gate {
        registry: &shared.registry,
        uplink: &*shared.uplink,
        attempts: &shared.attempts,
        session_expiry_max: shared.config.session_expiry_max,
        assigned: &shared.assigned,
        peer: place.address,
    };
    let ready = tokio::select! {
        ready = handshake(&mut io, &gate, deadline) => ready,
        () = shared.closing.cancelled() => None,
    };
    let Some(mut ready) = ready else { return };
    let mut presence = Presence {
        shared,
        session: Arc::clone(&ready.held.session),
        leaving: None,
        gone: ready.held.gone.take(),
    };
    let will = ready.connect.will.take();
    let version = ready.connect.version;
    let mut connection = Connection::new(io, ready, &shared.registry, &*shared.uplink);
    let close = connection.run().await;
    note(shared, &presence.session, close);
    if matches!(close, Close::Fault(_)) {
        // Who breaks the protocol again and again is refused for a while like who sends bad publishes.
        connection.throttle(|throttle| throttle.bad(FAULT_COST, Instant::now()));
    }

    let shutdown = close == Close::Kicked(Kick::Shutdown);
    let patience = if shutdown {
        RECEIPTS_PATIENCE
    } else {
        SETTLE_PATIENCE
    };
    if tokio::time::timeout(patience, connection.settle(shutdown))
        .await
        .is_err()
    {
        tracing::debug!(principal = ?presence.session.key.principal, "mqtt: closed before the pipeline took all");
    }
    let expiry = if close == Close::Kicked(Kick::Revoked) {
        Duration::ZERO
    } else {
        connection.ready.expiry
    };
    let mut leaving = Leaving {
        expiry,
        later: None,
    };
    let unwanted = shutdown || close == (Close::Goodbye { with_will: false });
    if let Some(will) = will.filter(|_| !unwanted)
        && let Some(topic) = connection.ready.rights.publish(&will.topic)
    {
        let publish = Publish {
            topic: Arc::clone(topic),
            payload: will.payload,
            retain: will.retain,
            oversized: None,
        };
        let delay = Duration::from_secs(u64::from(will.delay)).min(expiry);
        let readers = &connection.ready.held.readers;
        if shared.registry.has_others(&presence.session) {
            shared.registry.counts.wills_superseded.one();
        } else {
            if readers.any() {
                readers.deliver(
                    &publish.topic,
                    &publish.payload,
                    true,
                    Instant::now(),
                    &shared.registry.counts,
                );
            }
            let batch = Batch {
                from: Some(presence.session.key.principal.clone()),
                publishes: vec![publish],
            };
            if delay.is_zero() {
                publish_will(shared, batch).await;
            } else {
                leaving.later = Some((Instant::now() + delay, batch));
            }
        }
    }
    presence.leaving = Some(leaving);
    drop(presence);
    if let Some(code) = close.code() {
        encode::disconnect(&mut connection.output, version, code);
    }
    let Connection { io, output, .. } = connection;
    farewell(io, &output).await;
}

/// Counts and tells why a connection ended.
fn note(shared: &Shared, session: &Session, close: Close) {
    let counts = &shared.registry.counts;
    match close {
        Close::Fault(_) => counts.faults.one(),
        Close::Silent | Close::Stalled => counts.timeouts.one(),
        Close::CutOff => {
            counts.cut_off.one();
            tracing::warn!(principal = ?session.key.principal, "mqtt: cut off for bad publishes");
        }
        // A lost receipt was counted where it was seen.
        Close::ReceiptLost | Close::Gone | Close::Goodbye { .. } | Close::Kicked(_) => {}
    }
    tracing::debug!(principal = ?session.key.principal, client = %session.key.client_id, ?close, "mqtt: closed");
}

/// Writes the last words, and reads for a moment longer: data that arrives at a closed socket resets the connection, and
/// the reset can overtake the words.
async fn farewell<S: AsyncRead + AsyncWrite + Unpin>(mut io: S, output: &[u8]) {
    let last = async {
        io.write_all(output).await?;
        io.shutdown().await?;
        let mut dropped = BytesMut::with_capacity(16 << 10);
        let mut left = LINGER_BYTES;
        while left > 0 {
            dropped.clear();
            let read = io.read_buf(&mut dropped).await?;
            if read == 0 {
                break;
            }
            left = left.saturating_sub(read);
        }
        io::Result::Ok(())
    };
    // The client may be gone, and nobody is left to tell.
    let _ = tokio::time::timeout(FAREWELL_PATIENCE, last).await;
}
