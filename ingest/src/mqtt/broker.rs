//! Harit as the client of an external broker.
//!
//! A persistent session under a stable client id, acknowledged by hand: the broker keeps what Harit has not made durable.
//! No message can wedge it: the client takes any size that MQTT allows and this module judges the size, because a limit in
//! the client means a reconnect, and the broker then sends the same message again, for ever.
//!
//! Two tasks. The pump polls the client and reconnects; when its channel is full it does not poll, which pushes back on the
//! broker. The worker hands batches to the pipeline and acknowledges when their receipts resolve. An acknowledgement counts
//! for the connection that it came from only: after a reconnect the same packet id may be another message.

use harit_protocol::{Topic, TopicKind};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use metrics::{Counter, Gauge, counter, gauge};
use rumqttc::{
    AsyncClient, ConnectionError, Event, EventLoop, MqttOptions, NetworkOptions, Packet, QoS,
    SubscribeFilter, SubscribeReasonCode,
};
use thiserror::Error;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use super::{
    Batch, Downlink, DownlinkError, MAX_BATCH, MAX_PAYLOAD_BYTES, OVERSIZED_KEPT_BYTES, Publish,
    Receipt, ReceiptLost, Taken, Uplink,
};

/// The largest packet of MQTT, and so of the client.
const MAX_PACKET_BYTES: usize = 256 << 20;
/// Requests (commands, acknowledgements) that wait for the connection.
const MAX_REQUESTS: usize = 4_096;
/// Commands that the broker has not acknowledged.
const MAX_IN_FLIGHT: u16 = 256;
/// Events that wait for the worker.
const MAX_EVENTS: usize = 256;
/// Messages that wait for the pipeline or for their receipts; beyond them nothing is read from the broker.
const MAX_UNRESOLVED: usize = 8_192;
/// The waits between attempts to connect: from, and up to.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));
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

/// What the worker is told.
enum Told {
    /// A new connection, with its number.
    Connected(u64),
    Subscribed(Vec<SubscribeReasonCode>),
    Publish(rumqttc::Publish),
}

/// Polls the client for ever, and waits between attempts.
async fn pump(mut events: EventLoop, shared: Arc<Shared>, told: mpsc::Sender<Told>) {
    let mut wait = BACKOFF.0;
    loop {
        let event = tokio::select! {
            event = events.poll() => event,
            () = shared.reset.notified() => Err(ConnectionError::RequestsDone),
        };
        let tell = match event {
            Ok(Event::Incoming(Packet::ConnAck(_))) => Told::Connected(*shared.connection()),
            Ok(Event::Incoming(Packet::SubAck(suback))) => {
                wait = BACKOFF.0;
                Told::Subscribed(suback.return_codes)
            }
            Ok(Event::Incoming(Packet::Publish(publish))) => Told::Publish(publish),
            Ok(Event::Outgoing(rumqttc::Outgoing::Disconnect)) if told.is_closed() => return,
            Ok(_) => continue,
            Err(error) => {
                shared.set_up(false);
                {
                    // No acknowledgement of the old connection gets past this point: those that are queued are dropped
                    // with it, and later ones carry another number.
                    let mut connection = shared.connection();
                    *connection += 1;
                    events.clean();
                }
                if told.is_closed() {
                    return;
                }
                shared.reconnects.fetch_add(1, Ordering::Relaxed);
                shared.reconnects_total.increment(1);
                tracing::warn!(%error, "mqtt broker: no connection");
                tokio::time::sleep(jittered(wait)).await;
                wait = (wait * 2).min(BACKOFF.1);
                continue;
            }
        };
        if told.send(tell).await.is_err() {
            // The worker has stopped; go on until the goodbye is written.
            tokio::time::sleep(RETRY).await;
        }
    }
}

/// Between half of it and all of it, so that servers that lost one broker together do not come back together.
fn jittered(wait: Duration) -> Duration {
    // Without randomness all wait the longest.
    let share = getrandom::u32().unwrap_or(u32::MAX);
    wait / 2 + (wait / 2).mul_f64(f64::from(share) / f64::from(u32::MAX))
}

/// A message's packet id, and the connection that it came by. QoS 0 has no id.
#[derive(Debug, Clone, Copy)]
struct Origin {
    connection: u64,
    packet_id: u16,
}

struct Worker<'a> {
    shared: &'a Shared,
    client: &'a AsyncClient,
    uplink: &'a dyn Uplink,
    connection: u64,
    gathered: Vec<(Publish, Origin)>,
    handing: Option<(BoxFuture<'a, Receipt>, Vec<Origin>)>,
    waiting: VecDeque<(Receipt, Vec<Origin>)>,
    unresolved: usize,
    acknowledge: VecDeque<Origin>,
}

/// What woke the worker.
enum Woke {
    Told(Option<Told>),
    Handed(Receipt),
    Resolved(Result<Taken, ReceiptLost>),
    Retry,
    Stop,
}

impl<'a> Worker<'a> {
    fn new(shared: &'a Shared, client: &'a AsyncClient, uplink: &'a dyn Uplink) -> Self {
        Self {
            shared,
            client,
            uplink,
            connection: 0,
            gathered: Vec::new(),
            handing: None,
            waiting: VecDeque::new(),
            unresolved: 0,
            acknowledge: VecDeque::new(),
        }
    }

    async fn run(&mut self, mut told: mpsc::Receiver<Told>, stop: &Notify) {
        let mut stopping = None;
        loop {
            self.hand_over(&mut told, stopping.is_none());
            self.flush();
            let idle =
                self.handing.is_none() && self.waiting.is_empty() && self.acknowledge.is_empty();
            if stopping.is_some_and(|deadline| idle || tokio::time::Instant::now() >= deadline) {
                return;
            }
            let listen = stopping.is_none() && self.unresolved < MAX_UNRESOLVED;
            let (handing, waiting) = (self.handing.as_mut(), self.waiting.front_mut());
            let woke = tokio::select! {
                told = told.recv(), if listen => Woke::Told(told),
                receipt = maybe(handing.map(|(handing, _)| handing.as_mut())) => Woke::Handed(receipt),
                taken = maybe(waiting.map(|(receipt, _)| Pin::new(receipt))) => Woke::Resolved(taken),
                () = tokio::time::sleep(RETRY), if !self.acknowledge.is_empty() || stopping.is_some() => Woke::Retry,
                () = stop.notified(), if stopping.is_none() => Woke::Stop,
            };
            match woke {
                Woke::Told(None) => return,
                Woke::Told(Some(told)) => self.on(told),
                Woke::Handed(receipt) => {
                    if let Some((_, origins)) = self.handing.take() {
                        self.waiting.push_back((receipt, origins));
                    }
                }
                Woke::Resolved(taken) => self.resolved(taken),
                Woke::Retry => {}
                Woke::Stop => {
                    stopping = Some(tokio::time::Instant::now() + SHUTDOWN_PATIENCE / 2);
                    told.close();
                }
            }
        }
    }

    fn on(&mut self, told: Told) {
        match told {
            Told::Connected(connection) => {
                self.connection = connection;
                // Whether the broker kept the session or not: to subscribe again changes nothing, and brings the
                // retained states.
                let filters = TopicKind::PUBLISHED
                    .map(|kind| SubscribeFilter::new(kind.filter(), QoS::AtLeastOnce));
                if self.client.try_subscribe_many(filters).is_err() {
                    self.shared.reset.notify_one();
                }
            }
            Told::Subscribed(codes) => {
                if codes.contains(&SubscribeReasonCode::Failure) {
                    tracing::error!(filters = ?TopicKind::PUBLISHED.map(TopicKind::filter), "mqtt broker: refuses the subscriptions: check Harit's permissions there");
                    self.shared.reset.notify_one();
                } else {
                    self.shared.set_up(true);
                    tracing::info!("mqtt broker: connected and subscribed");
                }
            }
            Told::Publish(publish) => {
                self.shared.received.increment(1);
                let oversized =
                    (publish.payload.len() > MAX_PAYLOAD_BYTES).then_some(publish.payload.len());
                let payload = if oversized.is_some() {
                    self.shared.oversized.increment(1);
                    Bytes::copy_from_slice(&publish.payload[..OVERSIZED_KEPT_BYTES])
                } else {
                    publish.payload
                };
                let origin = Origin {
                    connection: self.connection,
                    packet_id: publish.pkid,
                };
                let publish = Publish {
                    topic: publish.topic.into(),
                    payload,
                    retain: publish.retain,
                    oversized,
                };
                self.gathered.push((publish, origin));
                self.unresolved += 1;
            }
        }
    }

    /// Gathers what has come by now, and hands it over if the pipeline took the last batch.
    fn hand_over(&mut self, told: &mut mpsc::Receiver<Told>, listen: bool) {
        while listen && self.gathered.len() < MAX_BATCH && self.unresolved < MAX_UNRESOLVED {
            let Ok(next) = told.try_recv() else { break };
            self.on(next);
        }
        if self.handing.is_some() || self.gathered.is_empty() {
            return;
        }
        let rest = self.gathered.split_off(self.gathered.len().min(MAX_BATCH));
        let (publishes, origins) = std::mem::replace(&mut self.gathered, rest)
            .into_iter()
            .unzip();
        self.handing = Some((
            self.uplink.receive(Batch {
                from: None,
                publishes,
            }),
            origins,
        ));
    }

    fn resolved(&mut self, taken: Result<Taken, ReceiptLost>) {
        let Some((_, origins)) = self.waiting.pop_front() else {
            return;
        };
        self.unresolved -= origins.len();
        match taken {
            Ok(taken) => {
                self.shared
                    .rejected
                    .increment(u64::try_from(taken.rejected).unwrap_or(u64::MAX));
                self.acknowledge
                    .extend(origins.into_iter().filter(|origin| origin.packet_id != 0));
            }
            Err(lost) => {
                self.shared.lost.increment(1);
                tracing::warn!(%lost, messages = origins.len(), "mqtt broker: reconnecting, to be sent them again");
                if origins
                    .iter()
                    .any(|origin| origin.connection == self.connection)
                {
                    self.shared.reset.notify_one();
                }
            }
        }
    }

    /// Queues acknowledgements; those of a connection that is gone are dropped, for the broker sends the message again.
    fn flush(&mut self) {
        let connection = self.shared.connection();
        while let Some(origin) = self.acknowledge.front() {
            if origin.connection == *connection {
                let mut publish = rumqttc::Publish::new("", QoS::AtLeastOnce, Vec::new());
                publish.pkid = origin.packet_id;
                if self.client.try_ack(&publish).is_err() {
                    return;
                }
            }
            self.acknowledge.pop_front();
        }
    }
}

/// The future's value, or nothing for ever.
async fn maybe<F: Future + Unpin>(mut future: Option<F>) -> F::Output {
    std::future::poll_fn(|cx| match &mut future {
        Some(future) => Pin::new(future).poll(cx),
        None => Poll::Pending,
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_never_less_than_half() {
        for _ in 0..1_000 {
            let wait = jittered(Duration::from_secs(4));
            assert!(
                (Duration::from_secs(2)..=Duration::from_secs(4)).contains(&wait),
                "{wait:?}"
            );
        }
    }
}
