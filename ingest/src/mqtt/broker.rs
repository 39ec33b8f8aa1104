//! Harit as the client of an external broker.
//!
//! A persistent session under a stable client id, acknowledged by hand: the broker keeps what Harit has not made durable.
//! No message can wedge it: the client takes any size that MQTT allows and this module judges the size, because a limit in
//! the client means a reconnect, and the broker then sends the same message again, for ever.
//!
//! Behind one broker everybody speaks Harit's topics, and the topic says who it is. Of others ([`Subscription`]) the configuration says
//! whose account each subscription is: what comes by it is what that account publishes, whatever the topic says.
//!
//! Two tasks. The pump polls the client and reconnects; when its channel is full it does not poll, which pushes back on the
//! broker. The worker hands batches to the pipeline and acknowledges when their receipts resolve. An acknowledgement counts
//! for the connection that it came from only: after a reconnect the same packet id may be another message.

mod client;
mod hand;
mod presence;
mod pump;
mod routes;
mod tls;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use harit_protocol::{Mac, Topic, TopicKind};
use metrics::{Counter, Gauge, counter, gauge};
use thiserror::Error;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use self::client::Client;
use self::pump::pump;
use self::worker::Worker;
use super::{Downlink, DownlinkError, MAX_PAYLOAD_BYTES, Uplink};

pub use routes::{BrokerProbe, Brokers};
pub use tls::BrokerTls;

/// The largest packet of MQTT, and so of the client.
const MAX_PACKET_BYTES: usize = 256 << 20;
/// Requests (commands, acknowledgements) that wait for the connection.
const MAX_REQUESTS: usize = 4_096;
/// Commands that the broker has not acknowledged.
const MAX_IN_FLIGHT: u16 = 256;
/// Events that wait for the worker.
const MAX_EVENTS: usize = 256;
/// How long the client waits for the broker to answer.
const NETWORK_PATIENCE_SECONDS: u64 = 5;
/// How soon a full request channel is tried again.
const RETRY: Duration = Duration::from_millis(2);
/// How long a shutdown waits for receipts and for the goodbye.
const SHUTDOWN_PATIENCE: Duration = Duration::from_secs(2);
/// How long a try waits for its answer.
const TRY_PATIENCE: Duration = Duration::from_secs(10);

/// The version of MQTT that is spoken with a broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MqttVersion {
    /// 3.1.1.
    #[default]
    V4,
    /// 5.
    V5,
}

/// Topics of a broker, and whose they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The filter.
    pub filter: String,
    /// The controller or gateway as which what comes by it is taken.
    pub account: Mac,
}

/// What a broker's connection is used for beside the farms' messages. Nothing of it is an account's.
#[derive(Clone)]
pub struct Side {
    /// The will: a topic and a payload that the broker keeps.
    pub will: (String, Vec<u8>),
    /// Whether a topic is one of those on which it says something itself. They are passed over as messages of accounts.
    pub is_own: fn(&str) -> bool,
    /// What it subscribes to.
    pub filters: Vec<String>,
    /// Told what happens. Must not block.
    pub told: Arc<dyn Fn(SideEvent<'_>) + Send + Sync>,
}

/// What happens to a [`Side`].
#[derive(Debug)]
pub enum SideEvent<'a> {
    /// The connection is there anew.
    Connected,
    /// A message by one of its filters, with whether the broker had kept it.
    Message(&'a str, &'a [u8], bool),
}

impl std::fmt::Debug for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Side")
            .field("filters", &self.filters)
            .finish_non_exhaustive()
    }
}

/// Where the broker is, and who Harit is there.
#[derive(Debug, Clone)]
pub struct BrokerConfig {
    /// What the log and the metrics call it.
    pub name: String,
    /// Host name or address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// The version of MQTT.
    pub version: MqttVersion,
    /// TLS; without it the connection is plain TCP.
    pub tls: Option<BrokerTls>,
    /// The stable client id that the session hangs on. Two servers with one id take it from each other.
    pub client_id: String,
    /// The user name of Harit's account.
    pub username: Option<String>,
    /// Its password.
    pub password: Option<String>,
    /// How often to ping.
    pub keep_alive: Duration,
    /// What is read, and whose it is. Without any it is the broker of the farms' own controllers: Harit's topics are read there, and
    /// they say who it is.
    pub subscriptions: Vec<Subscription>,
    /// What else the connection is used for.
    pub side: Option<Side>,
}

impl Default for BrokerConfig {
    fn default() -> Self {
        Self {
            name: "mqtt".into(),
            host: "127.0.0.1".into(),
            port: 1883,
            version: MqttVersion::V4,
            tls: None,
            client_id: "harit".into(),
            username: None,
            password: None,
            keep_alive: Duration::from_secs(15),
            subscriptions: Vec::new(),
            side: None,
        }
    }
}

impl BrokerConfig {
    /// All filters that it subscribes to.
    fn filters(&self) -> Vec<String> {
        let own = self.subscriptions.iter().map(|s| s.filter.clone());
        let side = self.side.iter().flat_map(|side| side.filters.clone());
        let mut all: Vec<String> = own.chain(side).collect();
        if self.is_farms_own() {
            all.extend(TopicKind::PUBLISHED.map(TopicKind::filter));
        }
        all
    }

    /// Whether the farms' controllers themselves are there.
    fn is_farms_own(&self) -> bool {
        self.subscriptions.is_empty() && self.side.is_none()
    }

    /// Connects and subscribes, and ends that again: in a session of its own, so that nothing changes there or here.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub async fn attempt(&self) -> Result<(), String> {
        client::attempt(self, TRY_PATIENCE).await
    }
}

/// Why the client cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BrokerError {
    /// A persistent session needs a name.
    #[error("the client id for the broker is empty")]
    NoClientId,
    /// The client takes whole seconds.
    #[error("the keep-alive for the broker is {0:?}, less than a second")]
    KeepAlive(Duration),
    /// The client takes no shorter one in MQTT 5.
    #[error("the keep-alive for the broker is {0:?}, less than 5 s")]
    KeepAliveV5(Duration),
    /// A file for TLS cannot be used.
    #[error("{0}: {1}")]
    Tls(String, String),
}

struct Shared {
    up: AtomicBool,
    /// Which connection is the current one. The lock is held while an acknowledgement is queued.
    connection: Mutex<u64>,
    name: String,
    /// A batch was lost: reconnect, so that the broker sends it again.
    reset: Notify,
    reconnects: AtomicU64,
    up_gauge: Gauge,
    reconnects_total: Counter,
    received: Counter,
    repeated: Counter,
    oversized: Counter,
    rejected: Counter,
    lost: Counter,
}

impl Shared {
    fn connection(&self) -> MutexGuard<'_, u64> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn is_up(&self) -> bool {
        self.up.load(Ordering::Acquire)
    }

    fn set_up(&self, up: bool) {
        self.up.store(up, Ordering::Release);
        self.up_gauge.set(if up { 1.0 } else { 0.0 });
    }
}

/// A client of an external broker. Dropping it ends it without a goodbye.
pub struct BrokerClient {
    shared: Arc<Shared>,
    client: Client,
    will: Option<(String, Vec<u8>)>,
    stop: Arc<Notify>,
    pump: JoinHandle<()>,
    worker: JoinHandle<()>,
}

impl BrokerClient {
    /// Starts the client. It connects, and connects again, in the background: [`BrokerClient::is_up`] tells.
    ///
    /// # Errors
    /// When the configuration cannot work.
    pub async fn connect(
        config: BrokerConfig,
        uplink: Arc<dyn Uplink>,
    ) -> Result<(Self, Downlink), BrokerError> {
        if config.client_id.is_empty() {
            return Err(BrokerError::NoClientId);
        }
        if config.keep_alive < Duration::from_secs(1) {
            return Err(BrokerError::KeepAlive(config.keep_alive));
        }
        if config.version == MqttVersion::V5 && config.keep_alive < Duration::from_secs(5) {
            return Err(BrokerError::KeepAliveV5(config.keep_alive));
        }
        let (client, events) = client::make(&config, false)?;
        let is_farms_own = config.is_farms_own();
        let will = config.side.as_ref().map(|side| side.will.clone());
        let of = || [("broker", config.name.clone())];
        let shared = Arc::new(Shared {
            up: AtomicBool::new(false),
            connection: Mutex::new(0),
            name: config.name.clone(),
            reset: Notify::new(),
            reconnects: AtomicU64::new(0),
            up_gauge: gauge!("harit_mqtt_broker_up", &of()),
            reconnects_total: counter!("harit_mqtt_broker_reconnects_total", &of()),
            received: counter!("harit_mqtt_broker_received_total", &of()),
            repeated: counter!("harit_mqtt_broker_repeated_total", &of()),
            oversized: counter!("harit_mqtt_broker_oversized_total", &of()),
            rejected: counter!("harit_mqtt_broker_rejected_total", &of()),
            lost: counter!("harit_mqtt_broker_receipts_lost_total", &of()),
        });
        shared.set_up(false);
        let (tell, receive) = mpsc::channel(MAX_EVENTS);
        let stop = Arc::new(Notify::new());
        let files = config.tls.clone();
        let pump = tokio::spawn(pump(events, files, Arc::clone(&shared), tell));
        let worker = {
            let (shared, client, stop) = (Arc::clone(&shared), client.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                Worker::new(&config, &shared, &client, &*uplink)
                    .run(receive, &stop)
                    .await;
            })
        };
        let downlink = {
            let (shared, client) = (Arc::clone(&shared), client.clone());
            Downlink::addressed(move |to, topic, payload| match to {
                // A profile says the topic, and never one of Harit's.
                Some(_) if !is_farms_own => send(&shared, &client, topic, payload, false),
                _ => send_command(&shared, &client, topic, payload),
            })
        };
        Ok((
            Self {
                shared,
                client,
                will,
                stop,
                pump,
                worker,
            },
            downlink,
        ))
    }

    /// Whether it is connected and subscribed.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.shared.is_up()
    }

    /// The same question for somebody who does not hold the client.
    #[must_use]
    pub fn probe(&self) -> Arc<dyn Fn() -> bool + Send + Sync> {
        let shared = Arc::clone(&self.shared);
        Arc::new(move || shared.is_up())
    }

    /// How often a connection ended, or could not be made.
    #[must_use]
    pub fn reconnects(&self) -> u64 {
        self.shared.reconnects.load(Ordering::Relaxed)
    }

    /// What publishes messages that the broker keeps, for a [`Side`].
    #[must_use]
    pub fn keeper(&self) -> Keeper {
        Keeper {
            shared: Arc::clone(&self.shared),
            client: self.client.clone(),
        }
    }

    /// Acknowledges what is durable by now, and says goodbye. The session stays with the broker.
    pub async fn shutdown(mut self) {
        let was_up = self.shared.is_up();
        self.shared.set_up(false);
        self.stop.notify_one();
        // After a goodbye the broker says no will.
        if let Some((topic, payload)) = self.will.take().filter(|_| was_up) {
            let _full = self.client.publish(&topic, payload.into(), true);
        }
        let calm = async {
            // Either may have ended by itself, or panicked: there is nothing more to wait for then.
            let _ = (&mut self.worker).await;
            if self.client.disconnect().await {
                let _ = (&mut self.pump).await;
            }
        };
        let _ = tokio::time::timeout(SHUTDOWN_PATIENCE, calm).await;
    }
}

impl Drop for BrokerClient {
    fn drop(&mut self) {
        self.shared.set_up(false);
        self.worker.abort();
        self.pump.abort();
    }
}

/// Publishes messages that the broker keeps.
#[derive(Clone)]
pub struct Keeper {
    shared: Arc<Shared>,
    client: Client,
}

impl Keeper {
    /// Publishes a message that is kept; an empty one is no longer kept. `Ok` means queued.
    ///
    /// # Errors
    /// When there is no connection, or no room.
    pub fn keep(&self, topic: &str, payload: Bytes) -> Result<(), DownlinkError> {
        send(&self.shared, &self.client, topic, payload, true)
    }
}

fn send_command(
    shared: &Shared,
    client: &Client,
    topic: &str,
    payload: Bytes,
) -> Result<(), DownlinkError> {
    if Topic::parse(topic).is_err() {
        return Err(DownlinkError::Invalid);
    }
    send(shared, client, topic, payload, false)
}

fn send(
    shared: &Shared,
    client: &Client,
    topic: &str,
    payload: Bytes,
    keep: bool,
) -> Result<(), DownlinkError> {
    if topic.is_empty() || topic.contains(['+', '#', '\0']) || payload.len() > MAX_PAYLOAD_BYTES {
        return Err(DownlinkError::Invalid);
    }
    if !shared.is_up() {
        return Err(DownlinkError::NotConnected);
    }
    client
        .publish(topic, payload, keep)
        .map_err(|_| DownlinkError::Full)
}
