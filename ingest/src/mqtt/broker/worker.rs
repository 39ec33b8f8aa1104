//! Hands batches to the pipeline, and acknowledges when their receipts resolve.

use std::collections::VecDeque;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use harit_protocol::{Mac, Reject};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use super::client::{Client, Incoming};
use super::hand::{InHand, Is, Origin};
use super::presence::Presence;
use super::pump::Told;
use super::{BrokerConfig, RETRY, SHUTDOWN_PATIENCE, Shared, SideEvent};
use crate::mqtt::permission::matches;
use crate::mqtt::{
    Batch, MAX_BATCH, MAX_PAYLOAD_BYTES, OVERSIZED_KEPT_BYTES, Publish, Receipt, ReceiptLost,
    Refused, Taken, Uplink,
};

/// Messages that wait for the pipeline or for their receipts; beyond them nothing is read from the broker.
const MAX_UNRESOLVED: usize = 8_192;
/// How often it is asked which accounts there are.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Whose a message is, and whether the broker had kept it. Of a broker of the farms' own controllers the topic says who it is.
type Whose = Option<(Mac, bool)>;

pub(super) struct Worker<'a> {
    config: &'a BrokerConfig,
    shared: &'a Shared,
    client: &'a Client,
    uplink: &'a dyn Uplink,
    connection: u64,
    presence: Presence<'a>,
    hand: InHand,
    gathered: Vec<(Publish, Origin, Whose)>,
    handing: Option<(BoxFuture<'a, Receipt>, Vec<Origin>)>,
    waiting: VecDeque<(Receipt, Vec<Origin>)>,
    unresolved: usize,
    acknowledge: VecDeque<Origin>,
    /// Whether it was said of this connection that messages come which nobody asked for.
    unasked_told: bool,
}

/// What woke the worker.
enum Woke {
    Told(Option<Told>),
    Handed(Receipt),
    Resolved(Result<Taken, ReceiptLost>),
    Look,
    Retry,
    Stop,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        config: &'a BrokerConfig,
        shared: &'a Shared,
        client: &'a Client,
        uplink: &'a dyn Uplink,
    ) -> Self {
        Self {
            config,
            shared,
            client,
            uplink,
            connection: 0,
            presence: Presence::new(config),
            hand: InHand::default(),
            gathered: Vec::new(),
            handing: None,
            waiting: VecDeque::new(),
            unresolved: 0,
            acknowledge: VecDeque::new(),
            unasked_told: false,
        }
    }

    pub(super) async fn run(&mut self, mut told: mpsc::Receiver<Told>, stop: &Notify) {
        let mut stopping = None;
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            self.hand_over(&mut told, stopping.is_none());
            self.flush();
            let idle =
                self.handing.is_none() && self.waiting.is_empty() && self.acknowledge.is_empty();
            if stopping.is_some_and(|deadline| idle || Instant::now() >= deadline) {
                return;
            }
            let listen = stopping.is_none() && self.unresolved < MAX_UNRESOLVED;
            let (handing, waiting) = (self.handing.as_mut(), self.waiting.front_mut());
            let woke = tokio::select! {
                told = told.recv(), if listen => Woke::Told(told),
                receipt = maybe(handing.map(|(handing, _)| handing.as_mut())) => Woke::Handed(receipt),
                taken = maybe(waiting.map(|(receipt, _)| Pin::new(receipt))) => Woke::Resolved(taken),
                () = tokio::time::sleep(RETRY), if !self.acknowledge.is_empty() || stopping.is_some() => Woke::Retry,
                _ = look.tick(), if stopping.is_none() => Woke::Look,
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
                Woke::Look => self.presence.look(self.shared, self.client, self.uplink),
                Woke::Retry => {}
                Woke::Stop => {
                    stopping = Some(Instant::now() + SHUTDOWN_PATIENCE / 2);
                    told.close();
                }
            }
        }
    }

    fn on(&mut self, told: Told) {
        match told {
            Told::Connected(connection, session) => {
                self.connection = connection;
                self.unasked_told = false;
                if !session {
                    self.hand.forget_all();
                }
                self.presence
                    .connected(self.shared, self.client, self.uplink);
            }
            Told::Lost => self.presence.lost(self.uplink),
            Told::Subscribed(answers) => {
                self.presence.answered(&answers, self.shared, self.uplink);
            }
            Told::Publish(message) => self.message(message),
        }
    }

    fn message(&mut self, message: Incoming) {
        self.shared.received.increment(1);
        let origin = Origin {
            connection: self.connection,
            packet_id: message.packet_id,
        };
        let whose = if self.config.is_farms_own() {
            None
        } else if self.is_beside(&message) {
            self.done(origin);
            return;
        } else if let Some(subscription) = self.presence.subscription(&message.topic) {
            Some((subscription.account, message.retain))
        } else {
            // The session may know subscriptions of an earlier configuration.
            if !std::mem::replace(&mut self.unasked_told, true) {
                tracing::warn!(
                    broker = self.shared.name,
                    topic = message.topic,
                    "mqtt broker: a message that no subscription is for is passed over: the session there has others than the configuration"
                );
            }
            self.shared.rejected.increment(1);
            self.done(origin);
            return;
        };
        match self.hand.came(self.connection, &message) {
            Is::New => {}
            Is::Open(before) => {
                self.shared.repeated.increment(1);
                self.owe(before, origin);
                return;
            }
            Is::Durable => {
                self.shared.repeated.increment(1);
                self.done(origin);
                return;
            }
        }
        let length = message.payload.len();
        let oversized = (length > MAX_PAYLOAD_BYTES).then_some(length);
        let payload = if oversized.is_some() {
            self.shared.oversized.increment(1);
            Bytes::copy_from_slice(&message.payload[..OVERSIZED_KEPT_BYTES])
        } else {
            message.payload
        };
        let publish = Publish {
            topic: Arc::from(message.topic),
            payload,
            retain: message.retain,
            oversized,
        };
        self.gathered.push((publish, origin, whose));
        self.unresolved += 1;
    }

    /// Whether a message is not the accounts': it is told to whom it is for.
    fn is_beside(&self, message: &Incoming) -> bool {
        let Some(side) = &self.config.side else {
            return false;
        };
        let Incoming {
            topic,
            payload,
            retain,
            ..
        } = message;
        let is_own = (side.is_own)(topic);
        if side.filters.iter().any(|filter| matches(filter, topic)) {
            (side.told)(SideEvent::Message(topic, payload, *retain));
        }
        is_own
    }

    /// Its acknowledgement may go out.
    fn done(&mut self, origin: Origin) {
        if origin.packet_id != 0 {
            self.acknowledge.push_back(origin);
        }
    }

    /// A message in hand is owed to another connection than it came by.
    fn owe(&mut self, before: u64, to: Origin) {
        let gathered = self.gathered.iter_mut().map(|(_, origin, _)| origin);
        let handing = self.handing.iter_mut().flat_map(|(_, origins)| origins);
        let waiting = self.waiting.iter_mut().flat_map(|(_, origins)| origins);
        let mut all = gathered.chain(handing).chain(waiting);
        let from = Origin {
            connection: before,
            ..to
        };
        if let Some(origin) = all.find(|origin| **origin == from) {
            *origin = to;
        }
    }

    /// Gathers what has come by now, and hands over what is of one sender if the pipeline took the last batch.
    fn hand_over(&mut self, told: &mut mpsc::Receiver<Told>, listen: bool) {
        while listen && self.gathered.len() < MAX_BATCH && self.unresolved < MAX_UNRESOLVED {
            let Ok(next) = told.try_recv() else { break };
            self.on(next);
        }
        let Some((_, _, whose)) = self.gathered.first().filter(|_| self.handing.is_none()) else {
            return;
        };
        let whose = *whose;
        let others = self.gathered.iter().take(MAX_BATCH);
        let alike = others.take_while(|(_, _, of)| *of == whose).count();
        let rest = self.gathered.split_off(alike);
        let taken = std::mem::replace(&mut self.gathered, rest).into_iter();
        let (publishes, origins): (Vec<_>, Vec<_>) = taken.map(|(p, o, _)| (p, o)).unzip();
        let from = match whose {
            None => None,
            Some((mac, _)) => {
                let Some(principal) = self.uplink.account(&mac) else {
                    let rejected = publishes.len();
                    for publish in &publishes {
                        self.refuse(mac, publish);
                    }
                    let receipt = Receipt::ready(Taken { rejected });
                    self.waiting.push_back((receipt, origins));
                    return;
                };
                Some(principal)
            }
        };
        let batch = Batch { from, publishes };
        let handing = match whose {
            Some((_, true)) => self.uplink.receive_kept(batch),
            _ => self.uplink.receive(batch),
        };
        self.handing = Some((handing, origins));
    }

    /// Files a message of an account that is not registered, or is blocked.
    fn refuse(&self, mac: Mac, publish: &Publish) {
        self.uplink.refused(&Refused {
            reason: Reject::UnknownController,
            from: None,
            username: &mac.to_string(),
            client_id: &self.config.name,
            address: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            topic: Some(&publish.topic),
            payload: &publish.payload,
            detail: "",
        });
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
                for origin in origins {
                    self.hand.durable(origin);
                    self.done(origin);
                }
            }
            Err(lost) => {
                self.shared.lost.increment(1);
                tracing::warn!(broker = self.shared.name, %lost, messages = origins.len(), "mqtt broker: reconnecting, to be sent them again");
                if origins
                    .iter()
                    .any(|origin| origin.connection == self.connection)
                {
                    self.shared.reset.notify_one();
                }
                for origin in origins {
                    self.hand.lost(origin);
                }
            }
        }
    }

    /// Queues acknowledgements; those of a connection that is gone are dropped, for the broker sends the message again.
    fn flush(&mut self) {
        let connection = self.shared.connection();
        while let Some(origin) = self.acknowledge.front() {
            if origin.connection == *connection {
                if self.client.acknowledge(origin.packet_id).is_err() {
                    return;
                }
                self.hand.acknowledged(*origin);
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
