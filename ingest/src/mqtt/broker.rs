//! Harit as the client of an external broker.
//!
//! A persistent session under a stable client id, acknowledged by hand: the broker keeps what Harit has not made durable.
//! No message can wedge it: the client takes any size that MQTT allows and this module judges the size, because a limit in
//! the client means a reconnect, and the broker then sends the same message again, for ever.
//!
//! Two tasks. The pump polls the client and reconnects; when its channel is full it does not poll, which pushes back on the
//! broker. The worker hands batches to the pipeline and acknowledges when their receipts resolve. An acknowledgement counts
//! for the connection that it came from only: after a reconnect the same packet id may be another message.

mod pump;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use harit_protocol::Topic;
use metrics::{Counter, Gauge, counter, gauge};
use rumqttc::{AsyncClient, MqttOptions, NetworkOptions, QoS};
use thiserror::Error;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use self::pump::pump;
use self::worker::Worker;
use super::{Downlink, DownlinkError, MAX_PAYLOAD_BYTES, Uplink};

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

/// Where the broker is, and who Harit is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerConfig {
    /// Host name or address.
    pub host: String,
    /// Port; plain TCP. A broker elsewhere is reached through a tunnel (docs/mosquitto).
    pub port: u16,
    /// The stable client id that the session hangs on. Two servers with one id take it from each other.
    pub client_id: String,
    /// The user name of Harit's account.
    pub username: Option<String>,
    /// Its password.
    pub password: Option<String>,
    /// How often to ping.
    pub keep_alive: Duration,
}

impl Default for BrokerConfig {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".into(),
            port: 1883,
            client_id: "harit".into(),
            username: None,
            password: None,
            keep_alive: Duration::from_secs(15),
        }
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
}

struct Shared {
    up: AtomicBool,
    /// Which connection is the current one. The lock is held while an acknowledgement is queued.
    connection: Mutex<u64>,
    /// A batch was lost: reconnect, so that the broker sends it again.
    reset: Notify,
    reconnects: AtomicU64,
    up_gauge: Gauge,
    reconnects_total: Counter,
    received: Counter,
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

    fn set_up(&self, up: bool) {
        self.up.store(up, Ordering::Release);
        self.up_gauge.set(if up { 1.0 } else { 0.0 });
    }
}

/// A client of an external broker. Dropping it ends it without a goodbye.
pub struct BrokerClient {
    shared: Arc<Shared>,
    client: AsyncClient,
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
        let mut options = MqttOptions::new(config.client_id, config.host, config.port);
        options
            .set_clean_session(false)
            .set_manual_acks(true)
            .set_keep_alive(config.keep_alive)
            .set_inflight(MAX_IN_FLIGHT)
            .set_max_packet_size(MAX_PACKET_BYTES, MAX_PACKET_BYTES);
        if let Some(username) = config.username {
            options.set_credentials(username, config.password.unwrap_or_default());
        }
        let (client, mut events) = AsyncClient::new(options, MAX_REQUESTS);
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        network.set_connection_timeout(NETWORK_PATIENCE_SECONDS);
        events.set_network_options(network);

        let shared = Arc::new(Shared {
            up: AtomicBool::new(false),
            connection: Mutex::new(0),
            reset: Notify::new(),
            reconnects: AtomicU64::new(0),
            up_gauge: gauge!("harit_mqtt_broker_up"),
            reconnects_total: counter!("harit_mqtt_broker_reconnects_total"),
            received: counter!("harit_mqtt_broker_received_total"),
            oversized: counter!("harit_mqtt_broker_oversized_total"),
            rejected: counter!("harit_mqtt_broker_rejected_total"),
            lost: counter!("harit_mqtt_broker_receipts_lost_total"),
        });
        shared.set_up(false);
        let (send, receive) = mpsc::channel(MAX_EVENTS);
        let stop = Arc::new(Notify::new());
        let pump = tokio::spawn(pump(events, Arc::clone(&shared), send));
        let worker = {
            let (shared, client, stop) = (Arc::clone(&shared), client.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                Worker::new(&shared, &client, &*uplink)
                    .run(receive, &stop)
                    .await;
            })
        };
        let downlink = {
            let (shared, client) = (Arc::clone(&shared), client.clone());
            Downlink::new(move |topic, payload| send_command(&shared, &client, topic, payload))
        };
        Ok((
            Self {
                shared,
                client,
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
        self.shared.up.load(Ordering::Acquire)
    }

    /// The same question for somebody who does not hold the client.
    #[must_use]
    pub fn probe(&self) -> Arc<dyn Fn() -> bool + Send + Sync> {
        let shared = Arc::clone(&self.shared);
        Arc::new(move || shared.up.load(Ordering::Acquire))
    }

    /// How often a connection ended, or could not be made.
    #[must_use]
    pub fn reconnects(&self) -> u64 {
        self.shared.reconnects.load(Ordering::Relaxed)
    }

    /// Acknowledges what is durable by now, and says goodbye. The session stays with the broker.
    pub async fn shutdown(mut self) {
        self.shared.set_up(false);
        self.stop.notify_one();
        let calm = async {
            // Either may have ended by itself, or panicked: there is nothing more to wait for then.
            let _ = (&mut self.worker).await;
            if self.client.disconnect().await.is_ok() {
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

fn send_command(
    shared: &Shared,
    client: &AsyncClient,
    topic: &str,
    payload: Bytes,
) -> Result<(), DownlinkError> {
    if Topic::parse(topic).is_err()
        || topic.contains(['+', '#', '\0'])
        || payload.len() > MAX_PAYLOAD_BYTES
    {
        return Err(DownlinkError::Invalid);
    }
    if !shared.up.load(Ordering::Acquire) {
        return Err(DownlinkError::NotConnected);
    }
    client
        .try_publish(topic, QoS::AtLeastOnce, false, payload)
        .map_err(|_| DownlinkError::Full)
}
