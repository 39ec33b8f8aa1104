//! Hands batches to the pipeline, and acknowledges when their receipts resolve.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use harit_protocol::TopicKind;
use rumqttc::{AsyncClient, QoS, SubscribeFilter, SubscribeReasonCode};
use tokio::sync::{Notify, mpsc};

use super::pump::Told;
use super::{RETRY, SHUTDOWN_PATIENCE, Shared};
use crate::mqtt::{
    Batch, MAX_BATCH, MAX_PAYLOAD_BYTES, OVERSIZED_KEPT_BYTES, Publish, Receipt, ReceiptLost,
    Taken, Uplink,
};

/// Messages that wait for the pipeline or for their receipts; beyond them nothing is read from the broker.
const MAX_UNRESOLVED: usize = 8_192;

/// A message's packet id, and the connection that it came by. QoS 0 has no id.
#[derive(Debug, Clone, Copy)]
struct Origin {
    connection: u64,
    packet_id: u16,
}

pub(super) struct Worker<'a> {
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
    pub(super) fn new(shared: &'a Shared, client: &'a AsyncClient, uplink: &'a dyn Uplink) -> Self {
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

    pub(super) async fn run(&mut self, mut told: mpsc::Receiver<Told>, stop: &Notify) {
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
