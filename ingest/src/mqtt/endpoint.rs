//! Harit's own MQTT endpoint: how it is set up, what it has seen, and how it starts and stops. `accept` lets connections in,
//! `life` is what each of them goes through.
//!
//! It is not a broker: controllers talk to Harit, integration accounts read what their farm's controllers say, and nothing
//! is routed between controllers.

mod accept;
mod files;
mod life;
mod peers;
mod tls;
mod verifier;

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::accept::{Addresses, accept, visit};
pub use self::files::{ClientFiles, TlsEnd, TlsError, TlsFiles};
use self::life::publish_will;
use self::peers::Peers;
use self::tls::Tls;
use super::attempts::Attempts;
use super::registry::Registry;
use super::session::Kick;
use super::throttle::ThrottleConfig;
use super::{Client, Downlink, PassOn, Principal, Uplink};

/// How often parked sessions are looked at.
const SWEEP_EVERY: Duration = Duration::from_millis(500);
/// How long a shutdown waits for connections before it drops them.
const SHUTDOWN_PATIENCE: Duration = Duration::from_secs(4);
/// How long the listener rests when the system has no more sockets to give.
const ACCEPT_REST: Duration = Duration::from_millis(100);

/// How the endpoint is set up.
#[derive(Debug, Clone, PartialEq)]
pub struct EndpointConfig {
    /// Where to listen. Only this machine, unless told otherwise.
    pub listen: SocketAddr,
    /// Serve TLS with these files; plain TCP without.
    pub tls: Option<TlsFiles>,
    /// How often these are looked at.
    pub tls_read_every: Duration,
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
            tls_read_every: Duration::from_secs(60),
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
    tls: Option<Tls>,
    /// Somebody asks for the files of TLS to be read again.
    reload: Notify,
    peers: Peers,
    pass_on: OnceLock<Arc<dyn PassOn>>,
    addresses: Addresses,
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
        let tls = config.tls.clone().map(Tls::open).transpose();
        let tls = tls.map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
        let listener = TcpListener::bind(config.listen).await?;
        let local = listener.local_addr()?;
        let shared = Arc::new(Shared {
            registry: Registry::new(config.throttle, config.max_parked_sessions),
            config,
            uplink,
            attempts: Attempts::default(),
            assigned: AtomicU64::new(0),
            tls,
            reload: Notify::new(),
            peers: Peers::default(),
            pass_on: OnceLock::new(),
            addresses: Addresses::default(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        });
        let drop_all = CancellationToken::new();
        shared
            .tasks
            .spawn(accept(Arc::clone(&shared), listener, drop_all.clone()));
        shared.tasks.spawn(sweep(Arc::clone(&shared)));
        if shared.tls.is_some() {
            shared.tasks.spawn(tend_tls(Arc::clone(&shared)));
        }
        let downlink = {
            // The pipeline may keep the downlink for longer than the endpoint lives.
            let shared = Arc::downgrade(&shared);
            Downlink::addressed(move |to, topic, payload| {
                let shared = shared.upgrade().ok_or(super::DownlinkError::NotConnected)?;
                let now = Instant::now();
                shared.registry.publish(to, topic, &payload, now)
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
            connections: self.shared.addresses.all(),
            parked_sessions: self.shared.registry.parked(),
            connects: counts.connects.get(),
            refused_connects: [
                &counts.bad_credentials,
                &counts.no_credentials,
                &counts.certificate,
                &counts.disabled,
                &counts.client_id,
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

    /// Passes on what is another server's.
    pub fn pass_on(&self, by: Arc<dyn PassOn>) {
        let _first = self.shared.pass_on.set(by);
    }

    /// Takes in connections that come another way than by its listener. `None` where everybody has to show a certificate:
    /// there they cannot.
    #[must_use]
    pub fn visitors(&self) -> Option<Visitors> {
        let requires = self.shared.tls.as_ref().is_some_and(Tls::requires);
        (!requires).then(|| self.passed_on())
    }

    /// Takes in connections that another server passes on, which saw to their certificates.
    #[must_use]
    pub fn passed_on(&self) -> Visitors {
        Visitors {
            shared: Arc::clone(&self.shared),
            drop_all: self.drop_all.clone(),
        }
    }

    /// Has the files of TLS be read again, also if nobody changed them.
    #[must_use]
    pub fn reloader(&self) -> Arc<dyn Fn() + Send + Sync> {
        let shared = Arc::clone(&self.shared);
        Arc::new(move || shared.reload.notify_one())
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

/// The way in for connections that another listener took, such as WebSockets: the same accounts, limits and permissions.
#[derive(Clone)]
pub struct Visitors {
    shared: Arc<Shared>,
    drop_all: CancellationToken,
}

impl Visitors {
    /// Serves a client's connection until it ends. It must be encrypted already, where it has to be.
    pub async fn serve<S>(&self, io: S, client: Client)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        if self.shared.closing.is_cancelled() {
            return;
        }
        let client = Client {
            address: client.address.to_canonical(),
            ..client
        };
        let visit = visit(&self.shared, io, client);
        let visit = async {
            tokio::select! {
                () = visit => {}
                () = self.drop_all.cancelled() => {}
            }
        };
        // The endpoint waits for it at its end.
        self.shared.tasks.track_future(visit).await;
    }
}

impl std::fmt::Debug for Visitors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Visitors")
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.shared.closing.cancel();
        self.drop_all.cancel();
    }
}

/// Why a handshake failed, if that was for the client's certificate.
fn certificate_refused(error: &io::Error) -> Option<String> {
    let error = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    let of_certificate = matches!(
        error,
        rustls::Error::InvalidCertificate(_)
            | rustls::Error::InvalidCertRevocationList(_)
            | rustls::Error::NoCertificatesPresented
    );
    of_certificate.then(|| error.to_string())
}

/// Reads the files of TLS again when they have changed or somebody asks for it, and ends connections by certificates that are
/// not taken any more.
async fn tend_tls(shared: Arc<Shared>) {
    loop {
        let asked = tokio::select! {
            () = tokio::time::sleep(shared.config.tls_read_every) => false,
            () = shared.reload.notified() => true,
            () = shared.closing.cancelled() => return,
        };
        let reading = Arc::clone(&shared);
        let read = tokio::task::spawn_blocking(move || {
            let Some(tls) = &reading.tls else { return 0 };
            let others = tls.reload(asked, tls::now());
            tls.warn(tls::now());
            reading.judge(others, tls::now())
        });
        if let Ok(ended) = read.await
            && ended > 0
        {
            tracing::warn!(
                ended,
                "tls: connections were ended, whose certificates are not taken any more"
            );
        }
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
