//! MQTT both ways: Harit's own endpoint for controllers, or a client of an external broker.
//!
//! The transport knows nothing of payloads. It hands every publish to an [`Uplink`] in batches, in the order of arrival per
//! connection, and acknowledges a batch when its [`Receipt`] resolves: by then the pipeline has made it durable or has
//! stored it as a dead letter. The pipeline sends commands through a [`Downlink`].
//!
//! A batch comes from one connection and therefore (behind Harit's own endpoint) from one farm.

mod attempts;
mod broker;
mod certificate;
mod connect;
mod connection;
mod counts;
mod encode;
mod endpoint;
mod frame;
mod handshake;
mod packet_ids;
mod pass_on;
mod permission;
mod properties;
mod reason;
mod refused;
mod registry;
mod session;
mod throttle;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use harit_engine::FarmId;
use harit_protocol::Mac;
use thiserror::Error;
use tokio::sync::oneshot;

pub use broker::{
    BrokerClient, BrokerConfig, BrokerError, BrokerProbe, BrokerTls, Brokers, Keeper, MqttVersion,
    Side, SideEvent, Subscription,
};
pub use endpoint::{
    ClientFiles, Endpoint, EndpointConfig, EndpointStats, TlsEnd, TlsError, TlsFiles, Visitors,
};
pub use pass_on::{Client, Link, PassOn, pass};
pub use refused::Refused;
pub use throttle::ThrottleConfig;

/// The most publishes in one [`Batch`].
pub const MAX_BATCH: usize = 256;

/// The largest payload that is taken, in bytes (protocol.md, "Telemetry").
pub const MAX_PAYLOAD_BYTES: usize = 256 * 1024;

/// How much of an oversized payload is kept for the dead letter store.
pub const OVERSIZED_KEPT_BYTES: usize = 1024;

/// Who a connection is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Principal {
    /// A registered controller: publishes and subscribes under its own topics.
    Controller {
        /// The farm that registered it.
        farm: FarmId,
        /// Its MAC id.
        mac: Mac,
    },
    /// An integration account: reads its farm's topics.
    Integration {
        /// The farm that it may read.
        farm: FarmId,
        /// The account's name.
        name: Arc<str>,
    },
}

impl Principal {
    /// The farm that this principal belongs to.
    #[must_use]
    pub fn farm(&self) -> &FarmId {
        match self {
            Self::Controller { farm, .. } | Self::Integration { farm, .. } => farm,
        }
    }

    /// Whether it may publish to a topic: a controller to its own ones, and to those of other systems.
    #[must_use]
    pub fn may_publish(&self, topic: &str) -> bool {
        let rights = permission::Rights::of(self);
        rights.publish(topic).is_some() || rights.foreign(topic).is_some()
    }
}

/// One message as it came off the wire. Nothing about its payload is known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publish {
    /// The topic. Shared between the messages of one connection, so it is cheap to clone and to compare by address.
    pub topic: Arc<str>,
    /// The payload: a slice of a larger read buffer, so copy what you keep for long.
    pub payload: Bytes,
    /// The retain flag. Harit's own endpoint keeps no retained messages; a broker replays them after a reconnect.
    pub retain: bool,
    /// The message was larger than what is taken: this was the length of its payload, of which `payload` holds only the
    /// first [`OVERSIZED_KEPT_BYTES`]. It is here to be a dead letter.
    pub oversized: Option<usize>,
}

/// Publishes of one connection, in order; at most [`MAX_BATCH`], never empty.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Who sent them. `None` behind an external broker: there the topic says who, and the broker's permissions vouch for it.
    pub from: Option<Principal>,
    /// The messages, oldest first.
    pub publishes: Vec<Publish>,
}

/// What became of a batch that is safe to acknowledge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// How many of its publishes were bad (dead-lettered). They are acknowledged all the same; a connection that sends
    /// many is throttled and then cut off.
    pub rejected: usize,
}

/// The pipeline dropped the batch without deciding (it is shutting down or its journal failed): do not acknowledge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the pipeline gave no receipt")]
pub struct ReceiptLost;

/// Resolves when every publish of a batch is durable or dead-lettered: only then may the batch be acknowledged.
#[derive(Debug)]
pub struct Receipt(ReceiptState);

#[derive(Debug)]
enum ReceiptState {
    Ready(Taken),
    Waiting(oneshot::Receiver<Taken>),
}

/// The pipeline's end of a [`Receipt`]. Dropping it tells the transport that the batch was lost.
#[derive(Debug)]
pub struct ReceiptSender(oneshot::Sender<Taken>);

impl Receipt {
    /// A receipt that resolves when [`ReceiptSender::resolve`] is called.
    #[must_use]
    pub fn pending() -> (ReceiptSender, Self) {
        let (sender, receiver) = oneshot::channel();
        (ReceiptSender(sender), Self(ReceiptState::Waiting(receiver)))
    }

    /// A receipt for a batch that was decided at once (all dead-lettered, say).
    #[must_use]
    pub fn ready(taken: Taken) -> Self {
        Self(ReceiptState::Ready(taken))
    }
}

impl ReceiptSender {
    /// The batch is durable (or dead-lettered): acknowledge it.
    pub fn resolve(self, taken: Taken) {
        // The connection may be gone; then nobody waits, and the sender will deliver the batch again.
        let _ = self.0.send(taken);
    }
}

impl Future for Receipt {
    type Output = Result<Taken, ReceiptLost>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.get_mut().0 {
            ReceiptState::Ready(taken) => Poll::Ready(Ok(*taken)),
            ReceiptState::Waiting(receiver) => Pin::new(receiver).poll(cx).map_err(|_| ReceiptLost),
        }
    }
}

/// Why somebody may not connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Unknown user or wrong secret. The two are not told apart, so that nobody can probe which controllers exist.
    #[error("bad user name or password")]
    BadCredentials,
    /// No controller of that MAC is registered. Told only to who has shown that it is its.
    #[error("the controller is not registered")]
    Unknown,
    /// The account is known and disabled.
    #[error("the account is disabled")]
    Disabled,
    /// The check could not be made (too many at once, records unreachable); the client should try again.
    #[error("authentication is unavailable")]
    Unavailable,
}

/// What the transport needs from the pipeline.
pub trait Uplink: Send + Sync + 'static {
    /// Who is this? The user name comes as sent; a controller's is its MAC in any form that [`Mac::parse`] reads.
    fn authenticate<'a>(
        &'a self,
        username: &'a str,
        password: &'a [u8],
        client_id: &'a str,
    ) -> BoxFuture<'a, Result<Principal, Refusal>>;

    /// Who is the controller of that MAC, which a certificate names? Whether that is to be believed was seen to.
    ///
    /// # Errors
    /// When no such controller may connect.
    fn certified(&self, mac: &Mac) -> Result<Principal, Refusal> {
        self.account(mac).ok_or(Refusal::Unknown)
    }

    /// Takes a batch. Waits while the pipeline is full: the transport stops reading the socket meanwhile. Batches of one
    /// connection are handed over one after the other, and are to be ordered as handed over.
    fn receive(&self, batch: Batch) -> BoxFuture<'_, Receipt>;

    /// Takes a batch that a broker had kept: it is old, and says at most what is there and how it is called.
    fn receive_kept(&self, batch: Batch) -> BoxFuture<'_, Receipt> {
        self.receive(batch)
    }

    /// Who that controller is, if it is registered and not blocked: for messages that come by a broker as its own.
    fn account(&self, mac: &Mac) -> Option<Principal> {
        let _ = mac;
        None
    }

    /// The transport refused a connection, a will, a subscription, or a publish to a topic that is not the sender's. Must not
    /// block. For the dead letter store: the transport counts it, and throttles and cuts off who does it often.
    fn refused(&self, refused: &Refused<'_>) {
        let _ = refused;
    }

    /// Whether a controller may subscribe to a filter of another system: commands go out on a topic of it.
    fn may_subscribe(&self, principal: &Principal, filter: &str) -> bool {
        let _ = (principal, filter);
        false
    }

    /// A principal's connection is up (called after authentication, before its first publish is handed over).
    fn connected(&self, principal: &Principal);

    /// A principal's connection is gone and no newer one of its has taken its place. Its will, if any, arrived through
    /// [`Uplink::receive`] before.
    fn disconnected(&self, principal: &Principal);
}

/// Why a message to a controller was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DownlinkError {
    /// No live or resumable session subscribes to the topic.
    #[error("no session subscribes to the topic")]
    NotConnected,
    /// The queue to the controller (or to the broker) is full.
    #[error("the outgoing queue is full")]
    Full,
    /// The topic or the payload is not one that MQTT can carry.
    #[error("the topic or payload cannot be published")]
    Invalid,
}

/// Where commands go. Cheap to clone.
#[derive(Clone)]
pub struct Downlink(Arc<PublishFn>);

type PublishFn = dyn Fn(Option<&Principal>, &str, Bytes) -> Result<(), DownlinkError> + Send + Sync;

impl Downlink {
    /// A downlink over any way to publish (the endpoint's, the broker client's, or a test's).
    pub fn new(
        publish: impl Fn(&str, Bytes) -> Result<(), DownlinkError> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(move |_, topic, payload| publish(topic, payload)))
    }

    /// A downlink that can be told to whom a message goes, where its topic does not say it.
    pub fn addressed(
        publish: impl Fn(Option<&Principal>, &str, Bytes) -> Result<(), DownlinkError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self(Arc::new(publish))
    }

    /// Publishes at QoS 1, without waiting. A call is delivered at most once to a connection that stays up; `Ok` means
    /// queued, not received: the controller's ack says that.
    ///
    /// # Errors
    /// When no session can take it, or its queue is full.
    pub fn publish(&self, topic: &str, payload: Bytes) -> Result<(), DownlinkError> {
        (self.0)(None, topic, payload)
    }

    /// The same on a topic of another system, to that account alone.
    ///
    /// # Errors
    /// As [`Downlink::publish`].
    pub fn publish_to(
        &self,
        to: &Principal,
        topic: &str,
        payload: Bytes,
    ) -> Result<(), DownlinkError> {
        (self.0)(Some(to), topic, payload)
    }
}

impl std::fmt::Debug for Downlink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Downlink")
    }
}
