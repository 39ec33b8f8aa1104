//! A connection to NATS, for threads without a runtime of their own.

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::connection::State;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::{Context, ErrorCode};
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use harit_journal::JournalError;
use thiserror::Error;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;

use crate::layout::MAX_MESSAGE;

/// What an append is waited for: then it is repeated. A change of the stream's leader takes several of them.
pub(crate) const ACK: Duration = Duration::from_secs(2);
/// What any other question to the server is waited for.
pub(crate) const REQUEST: Duration = Duration::from_secs(5);
/// A server that does not answer two of these is left for another.
const PING: Duration = Duration::from_secs(2);
/// What is waited between two attempts to connect again, at most.
const RECONNECT: Duration = Duration::from_secs(1);
/// So often it is looked whether the connection is back.
const LOOK: Duration = Duration::from_millis(20);
/// The first version that is used: earlier ones lost streams, and have not all of the settings.
const VERSION: (u32, u32, u32) = (2, 14, 9);

/// Where NATS is, and as whom to connect.
#[derive(Debug, Clone, Default)]
pub struct NatsOptions {
    /// The addresses of its servers, `nats://host:port` or `tls://host:port`.
    pub servers: Vec<String>,
    /// The file with the credentials of the user: the seed of an nkey, or what the tools of NATS write (`.creds`).
    pub credentials: Option<PathBuf>,
    /// The file with the certificates that are trusted beside the system's.
    pub ca: Option<PathBuf>,
    /// What the connection is called in the server's lists.
    pub name: String,
}

/// NATS cannot be used.
#[derive(Debug, Error)]
pub enum NatsError {
    /// What is configured is no address, or a file cannot be read.
    #[error("{what}: {source}")]
    Option {
        /// Which address or file.
        what: String,
        /// Why.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// No server answers, or none takes the credentials.
    #[error("NATS at {servers} cannot be reached: {source}")]
    Unreachable {
        /// The addresses.
        servers: String,
        /// Why.
        source: async_nats::ConnectError,
    },
    /// The server is older than what the journal can rely on.
    #[error("the NATS server is version {0}; 2.14.9 or later is needed")]
    TooOld(String),
    /// The server takes no message of the size that a batch may have.
    #[error("the NATS server takes messages of {0} bytes at most; set max_payload to 8MB")]
    Payload(usize),
    /// The system gives no thread.
    #[error("no thread for the connection to NATS: {0}")]
    Thread(std::io::Error),
}

struct Inner {
    /// Taken when the last of the connection goes.
    runtime: Option<Runtime>,
    handle: Handle,
    jetstream: Context,
    /// How often the connection was lost.
    losses: watch::Receiver<u64>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Also where it is dropped within another runtime.
            runtime.shutdown_background();
        }
    }
}

/// A connection to NATS, with one thread that serves it. Clones are the same connection.
///
/// What uses it blocks; it must not be called from within a runtime.
#[derive(Clone)]
pub struct Nats(Arc<Inner>);

impl fmt::Debug for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let client = self.0.jetstream.client();
        f.debug_tuple("Nats")
            .field(&client.connection_state())
            .finish()
    }
}

impl Nats {
    /// Connects. From then on it connects again by itself, for ever.
    ///
    /// # Errors
    /// When no server answers, or the one that does is older than 2.14.9 or takes only small messages.
    pub fn connect(options: &NatsOptions) -> Result<Self, NatsError> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("nats").enable_all();
        let runtime = builder.build().map_err(NatsError::Thread)?;
        let (lost, losses) = watch::channel(0);
        let client = runtime.block_on(connect(options, lost))?;
        let info = client.server_info();
        if !Self::is_new_enough(&info.version) {
            return Err(NatsError::TooOld(info.version));
        }
        if info.max_payload < MAX_MESSAGE {
            return Err(NatsError::Payload(info.max_payload));
        }
        let builder = ContextBuilder::new().timeout(REQUEST).ack_timeout(ACK);
        let jetstream = {
            // It starts a task.
            let _entered = runtime.enter();
            builder.build(client)
        };
        Ok(Self(Arc::new(Inner {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
            jetstream,
            losses,
        })))
    }

    /// Whether the journals can rely on a server of that version.
    #[must_use]
    pub fn is_new_enough(version: &str) -> bool {
        let mut parts = version.split(['.', '-']).map(|part| part.parse().ok());
        let mut next = || parts.next().flatten().unwrap_or(0);
        (next(), next(), next()) >= VERSION
    }

    pub(crate) fn jetstream(&self) -> &Context {
        &self.0.jetstream
    }

    /// Waits for what takes place on the connection's runtime.
    pub(crate) fn wait<T>(&self, what: impl Future<Output = T>) -> T {
        self.0.handle.block_on(what)
    }

    /// Has it go on by itself.
    pub(crate) fn spawn<F>(&self, what: F) -> tokio::task::JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        self.0.handle.spawn(what)
    }

    /// Waits for what is answered on the connection that there is now; `None` where that is lost first.
    pub(crate) async fn unless_lost<T>(&self, what: impl Future<Output = T>) -> Option<T> {
        let mut losses = self.0.losses.clone();
        losses.mark_unchanged();
        tokio::select! {
            biased;
            done = what => Some(done),
            Ok(()) = losses.changed() => None,
        }
    }

    /// Whether it is connected, or is again within some time. What is published while it is not would be kept and sent late.
    pub(crate) async fn is_connected_within(&self, limit: Duration) -> bool {
        let client = self.0.jetstream.client();
        let until = Instant::now() + limit;
        while client.connection_state() != State::Connected {
            if Instant::now() >= until {
                return false;
            }
            tokio::time::sleep(LOOK).await;
        }
        true
    }
}

/// Says what happens to the connection.
fn tell(event: &Event, lost: &watch::Sender<u64>) {
    match event {
        Event::Connected => tracing::info!("connected to NATS"),
        Event::Disconnected => {
            lost.send_modify(|losses| *losses += 1);
            tracing::warn!("the connection to NATS is lost");
        }
        event => tracing::warn!(%event, "NATS"),
    }
}

async fn connect(options: &NatsOptions, lost: watch::Sender<u64>) -> Result<Client, NatsError> {
    let not = |what: String| {
        move |source: std::io::Error| NatsError::Option {
            what,
            source: source.into(),
        }
    };
    let servers = options.servers.iter().map(|server| {
        let address = server.parse::<ServerAddr>();
        address.map_err(not(format!("{server:?} is no address of a NATS server")))
    });
    let servers = servers.collect::<Result<Vec<_>, _>>()?;
    let mut wanted = ConnectOptions::new()
        .name(&options.name)
        .event_callback(move |event| {
            tell(&event, &lost);
            std::future::ready(())
        })
        .ping_interval(PING)
        .connection_timeout(REQUEST)
        .request_timeout(Some(REQUEST))
        .reconnect_delay_callback(|attempts| {
            let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
            Duration::from_millis(50)
                .saturating_mul(attempts)
                .min(RECONNECT)
        });
    if let Some(file) = &options.credentials {
        let what = || format!("credentials {}", file.display());
        let text = std::fs::read_to_string(file).map_err(not(what()))?;
        wanted = if text.contains("BEGIN NATS USER JWT") {
            wanted.credentials(&text).map_err(not(what()))?
        } else {
            wanted.nkey(text.trim().to_owned())
        };
    }
    if let Some(file) = &options.ca {
        wanted = wanted.add_root_certificates(file.clone());
    }
    let connected = wanted.connect(servers).await;
    connected.map_err(|source| NatsError::Unreachable {
        servers: options.servers.join(", "),
        source,
    })
}

/// Why a question to the server failed.
#[derive(Debug, Error)]
#[error("{text}")]
pub(crate) struct Failure {
    text: String,
    /// What the server answered, where it did.
    pub(crate) code: Option<ErrorCode>,
}

impl<K> From<async_nats::error::Error<K>> for Failure
where
    K: Clone + fmt::Debug + fmt::Display + PartialEq + Send + Sync + 'static,
{
    fn from(e: async_nats::error::Error<K>) -> Self {
        // The answer is either what the error is, or where it comes from.
        let mut code = code_of(&e.kind());
        let mut source = e.source();
        while let Some(error) = source {
            let answered = error.downcast_ref::<async_nats::jetstream::Error>();
            code = code.or(answered.map(async_nats::jetstream::Error::error_code));
            source = error.source();
        }
        Self {
            text: e.to_string(),
            code,
        }
    }
}

/// The server's answer that a kind of error has within; each question has its own.
fn code_of(kind: &dyn Any) -> Option<ErrorCode> {
    use async_nats::jetstream::context::{CreateStreamErrorKind, GetStreamErrorKind};
    use async_nats::jetstream::stream::RawMessageErrorKind;
    if let Some(GetStreamErrorKind::JetStream(answered)) = kind.downcast_ref() {
        return Some(answered.error_code());
    }
    match kind.downcast_ref() {
        Some(CreateStreamErrorKind::JetStream(answered)) => return Some(answered.error_code()),
        Some(CreateStreamErrorKind::NotFound) => return Some(ErrorCode::STREAM_NOT_FOUND),
        _ => {}
    }
    match kind.downcast_ref() {
        Some(RawMessageErrorKind::JetStream(answered)) => Some(answered.error_code()),
        Some(RawMessageErrorKind::NoMessageFound) => Some(ErrorCode::NO_MESSAGE_FOUND),
        _ => None,
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self { text, code: None }
    }
}

impl Failure {
    /// Whether the server answered with this.
    pub(crate) fn is(&self, code: ErrorCode) -> bool {
        self.code == Some(code)
    }

    /// What it is for who opens or reads a journal.
    pub(crate) fn of(self, name: &str) -> JournalError {
        JournalError::Storage {
            name: name.to_owned(),
            source: self.into(),
        }
    }
}

/// What is awaited, no longer than this.
pub(crate) async fn within<T, E: Into<Failure>>(
    limit: Duration,
    what: impl IntoFuture<Output = Result<T, E>>,
) -> Result<T, Failure> {
    match tokio::time::timeout(limit, what).await {
        Ok(done) => done.map_err(Into::into),
        Err(_) => Err(Failure::from(format!(
            "no answer from NATS within {limit:?}"
        ))),
    }
}
