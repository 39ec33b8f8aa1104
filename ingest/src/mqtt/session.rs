//! A session: what a client subscribed to and what is on its way to it. It outlives its connection for a while.
//!
//! Everything that is not of the session itself (rights, topic aliases, acknowledgements owed) belongs to the connection.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::task::AtomicWaker;
use tokio::sync::watch;
use tokio::time::Instant;

use super::counts::Counts;
use super::encode::Outbound;
use super::frame::Version;
use super::packet_ids::PacketIds;
use super::permission::matches;
use super::properties::Said;
use super::{Batch, Principal, Receipt};

/// The most subscriptions of one session.
pub(super) const MAX_SUBSCRIPTIONS: usize = 32;
/// The longest topic filter, in bytes.
pub(super) const MAX_FILTER_BYTES: usize = 512;
/// The most messages that wait for one client.
pub(super) const MAX_QUEUED: usize = 1_024;
/// The most bytes that wait for one client.
pub(super) const MAX_QUEUED_BYTES: usize = 1 << 20;
/// The most bytes that wait for all clients together.
pub(super) const MAX_ALL_QUEUED_BYTES: usize = 256 << 20;
/// The most QoS 1 messages that a client has not acknowledged yet.
pub(super) const MAX_IN_FLIGHT: usize = 64;
/// What a queued message costs besides its payload.
const MESSAGE_OVERHEAD: usize = 128;

/// Which session: a client id is unique per principal only, so that nobody can take or probe another's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SessionKey {
    pub(super) principal: Principal,
    pub(super) client_id: Box<str>,
}

/// Why a connection is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kick {
    /// A newer connection has the same client id.
    TakenOver = 1,
    /// The endpoint shuts down.
    Shutdown = 2,
    /// The principal may not be here any more.
    Revoked = 3,
}

/// How others reach a connection's task.
#[derive(Debug, Default)]
pub(super) struct Control {
    kick: AtomicU8,
    waker: AtomicWaker,
}

impl Control {
    pub(super) fn kick(&self, why: Kick) {
        // The first reason stands.
        let _ = self
            .kick
            .compare_exchange(0, why as u8, Ordering::AcqRel, Ordering::Acquire);
        self.waker.wake();
    }

    pub(super) fn wake(&self) {
        self.waker.wake();
    }

    /// Registers the task, and tells whether it was asked to end.
    pub(super) fn kicked(&self, waker: &Waker) -> Option<Kick> {
        self.waker.register(waker);
        match self.kick.load(Ordering::Acquire) {
            1 => Some(Kick::TakenOver),
            2 => Some(Kick::Shutdown),
            3 => Some(Kick::Revoked),
            _ => None,
        }
    }
}

/// A message on its way to a client.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) topic: Arc<str>,
    pub(super) payload: Bytes,
    /// At QoS 1, or 0.
    pub(super) at_least_once: bool,
    /// When it stops being worth anything.
    pub(super) expires: Option<Instant>,
    /// What its publisher says of it, as on the wire in MQTT 5.
    pub(super) properties: Bytes,
}

impl Message {
    fn cost(&self) -> usize {
        MESSAGE_OVERHEAD + self.topic.len() + self.properties.len() + self.payload.len()
    }

    fn expired(&self, now: Instant) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

/// What a full queue does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenFull {
    /// Says so.
    Refuse,
    /// Drops its oldest message.
    DropOldest,
}

/// What became of an offered message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offered {
    Queued,
    NotSubscribed,
    Full,
}

/// The connection that holds a session.
#[derive(Debug)]
pub(super) struct Holder {
    pub(super) control: Arc<Control>,
    /// Closed when the connection has let go.
    pub(super) gone: watch::Receiver<()>,
}

/// A will that is to be published.
#[derive(Debug)]
pub(super) struct LeftWill {
    pub(super) batch: Batch,
    pub(super) said: Said,
}

/// A session that waits for its client.
#[derive(Debug)]
pub(super) struct Parked {
    /// Its number: together with an instant it is its place among the parked.
    pub(super) number: u64,
    pub(super) until: Instant,
    /// A will that is published at this instant, unless the client is back by then.
    pub(super) will: Option<(Instant, LeftWill)>,
}

#[derive(Debug)]
struct Subscription {
    filter: Box<str>,
    at_least_once: bool,
}

#[derive(Debug)]
struct InFlight {
    packet_id: u16,
    message: Message,
    /// Sent on this connection already.
    sent: bool,
}

/// The part of a session that changes.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) holder: Option<Holder>,
    pub(super) parked: Option<Parked>,
    /// Nobody will come back for it.
    pub(super) ended: bool,
    subscriptions: Vec<Subscription>,
    queue: VecDeque<Message>,
    queued_bytes: usize,
    in_flight: VecDeque<InFlight>,
    last_packet_id: u16,
    /// QoS 2 publishes that came in and were not released yet: what comes again under such an id is the same publish.
    unreleased: PacketIds,
    /// Those of them whose connection ended before their receipts resolved.
    unsettled: Vec<Unsettled>,
}

/// A batch with QoS 2 publishes of a connection that is gone.
#[derive(Debug)]
pub(super) struct Unsettled {
    pub(super) receipt: Receipt,
    /// The ids of its QoS 2 publishes.
    pub(super) packet_ids: Vec<u16>,
    /// How much it is, as the connection counts it.
    pub(super) messages: usize,
    pub(super) bytes: usize,
}

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) key: SessionKey,
    state: Mutex<State>,
    all_queued_bytes: Arc<AtomicUsize>,
}

/// What a connection may send at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub(super) version: Version,
    /// Unacknowledged QoS 1 messages.
    pub(super) in_flight: usize,
    /// The largest packet that the client takes.
    pub(super) packet_size: usize,
    /// Stop when the output is this long.
    pub(super) output: usize,
}

impl Session {
    pub(super) fn new(key: SessionKey, all_queued_bytes: Arc<AtomicUsize>) -> Self {
        Self {
            key,
            state: Mutex::default(),
            all_queued_bytes,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while holding it leaves at worst a message lost, and the connection that panicked is gone.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes. False when there are too many already.
    pub(super) fn subscribe(&self, filter: &str, at_least_once: bool) -> bool {
        let mut state = self.lock();
        if let Some(known) = state
            .subscriptions
            .iter_mut()
            .find(|known| known.filter.as_ref() == filter)
        {
            known.at_least_once = at_least_once;
            return true;
        }
        if state.subscriptions.len() >= MAX_SUBSCRIPTIONS || filter.len() > MAX_FILTER_BYTES {
            return false;
        }
        state.subscriptions.push(Subscription {
            filter: filter.into(),
            at_least_once,
        });
        true
    }

    /// Unsubscribes. False when there was no such subscription.
    pub(super) fn unsubscribe(&self, filter: &str) -> bool {
        let mut state = self.lock();
        let before = state.subscriptions.len();
        state
            .subscriptions
            .retain(|known| known.filter.as_ref() != filter);
        state.subscriptions.len() != before
    }

    /// Queues a message if the client subscribes to its topic.
    pub(super) fn offer(
        &self,
        message: &Message,
        when_full: WhenFull,
        now: Instant,
        counts: &Counts,
    ) -> Offered {
        let mut state = self.lock();
        let granted = state
            .subscriptions
            .iter()
            .filter(|subscription| matches(&subscription.filter, &message.topic))
            .map(|subscription| subscription.at_least_once)
            .max();
        let Some(granted) = granted else {
            return Offered::NotSubscribed;
        };
        let at_least_once = granted && message.at_least_once;
        // Nothing at QoS 0 waits for a client that is away.
        if state.ended || (state.holder.is_none() && !at_least_once) {
            return Offered::NotSubscribed;
        }
        let cost = message.cost();
        if state.holder.is_none() {
            state.drop_expired(now, counts, &self.all_queued_bytes);
        }
        while state.queue.len() >= MAX_QUEUED || state.queued_bytes + cost > MAX_QUEUED_BYTES {
            if when_full == WhenFull::Refuse || state.pop(&self.all_queued_bytes).is_none() {
                counts.dropped_full.one();
                return Offered::Full;
            }
            counts.dropped_full.one();
        }
        if self.all_queued_bytes.load(Ordering::Relaxed) + cost > MAX_ALL_QUEUED_BYTES {
            counts.dropped_full.one();
            return Offered::Full;
        }
        self.all_queued_bytes.fetch_add(cost, Ordering::Relaxed);
        state.queued_bytes += cost;
        state.queue.push_back(Message {
            at_least_once,
            ..message.clone()
        });
        if let Some(holder) = &state.holder {
            holder.control.wake();
        }
        Offered::Queued
    }

    /// Writes what the client may have now: first what an earlier connection sent and saw no acknowledgement of.
    pub(super) fn drain(&self, out: &mut BytesMut, window: Window, now: Instant, counts: &Counts) {
        let mut state = self.lock();
        let state = &mut *state;
        let limit = window.in_flight.min(MAX_IN_FLIGHT);
        let mut open = state
            .in_flight
            .iter()
            .filter(|waiting| waiting.sent)
            .count();
        state.in_flight.retain_mut(|waiting| {
            if !waiting.sent && open < limit {
                let (message, packet_id) = (&waiting.message, Some(waiting.packet_id));
                // What is too large for the client, which takes less than it did before, is dropped.
                waiting.sent = write(out, window, message, packet_id, true, now, counts);
                open += usize::from(waiting.sent);
                return waiting.sent;
            }
            true
        });
        while out.len() < window.output {
            let Some(next) = state.queue.front() else {
                break;
            };
            if next.at_least_once && state.in_flight.len() >= limit {
                break;
            }
            let Some(message) = state.pop(&self.all_queued_bytes) else {
                break;
            };
            if message.expired(now) {
                counts.dropped_expired.one();
                continue;
            }
            if message.at_least_once {
                let packet_id = state.next_packet_id();
                if write(out, window, &message, Some(packet_id), false, now, counts) {
                    state.in_flight.push_back(InFlight {
                        packet_id,
                        message,
                        sent: true,
                    });
                }
            } else {
                write(out, window, &message, None, false, now, counts);
            }
        }
    }

    /// The client has a message. Ids that are not known are late answers of an earlier connection: no harm.
    pub(super) fn acknowledged(&self, packet_id: u16) {
        self.lock()
            .in_flight
            .retain(|waiting| waiting.packet_id != packet_id);
    }

    /// A QoS 2 publish came in. False when it came before and was not released since.
    pub(super) fn receive_once(&self, packet_id: u16) -> bool {
        self.lock().unreleased.insert(packet_id)
    }

    /// The client knows that a QoS 2 publish is safe. False when there is none of that id.
    pub(super) fn release(&self, packet_id: u16) -> bool {
        self.lock().unreleased.remove(packet_id)
    }

    /// QoS 2 publishes were lost before they were safe: they are taken when they come again.
    pub(super) fn lose(&self, packet_ids: &[u16]) {
        let mut state = self.lock();
        for id in packet_ids {
            state.unreleased.remove(*id);
        }
    }

    /// A connection ends whose QoS 2 publishes are not all safe yet: the next one waits for their receipts before it says
    /// that they are.
    pub(super) fn leave_unsettled(&self, unsettled: Vec<Unsettled>) {
        self.lock().unsettled.extend(unsettled);
    }

    pub(super) fn take_unsettled(&self) -> Vec<Unsettled> {
        std::mem::take(&mut self.lock().unsettled)
    }

    /// Another connection holds the session now: what the last one sent and nobody acknowledged is sent again.
    pub(super) fn resume(&self, holder: Holder) {
        let mut state = self.lock();
        state.parked = None;
        state.holder = Some(holder);
        for waiting in &mut state.in_flight {
            waiting.sent = false;
        }
    }

    /// Nobody comes back: what waits is let go.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        state.holder = None;
        state.parked = None;
        state.subscriptions.clear();
        state.in_flight.clear();
        state.unreleased.clear();
        state.unsettled.clear();
        while state.pop(&self.all_queued_bytes).is_some() {}
    }

    /// How many messages wait or are unacknowledged.
    #[cfg(test)]
    pub(super) fn backlog(&self) -> usize {
        let state = self.lock();
        state.queue.len() + state.in_flight.len()
    }
}

impl State {
    fn pop(&mut self, all_queued_bytes: &AtomicUsize) -> Option<Message> {
        let message = self.queue.pop_front()?;
        self.queued_bytes -= message.cost();
        all_queued_bytes.fetch_sub(message.cost(), Ordering::Relaxed);
        Some(message)
    }

    fn drop_expired(&mut self, now: Instant, counts: &Counts, all_queued_bytes: &AtomicUsize) {
        // The queue is in order of expiry but for mixed kinds; what stays behind a longer-lived one goes when sent.
        while self
            .queue
            .front()
            .is_some_and(|message| message.expired(now))
        {
            self.pop(all_queued_bytes);
            counts.dropped_expired.one();
        }
    }

    fn next_packet_id(&mut self) -> u16 {
        loop {
            self.last_packet_id = self.last_packet_id.checked_add(1).unwrap_or(1);
            let id = self.last_packet_id;
            // At most MAX_IN_FLIGHT ids are taken, so this ends.
            if self.in_flight.iter().all(|waiting| waiting.packet_id != id) {
                return id;
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end();
    }
}

fn write(
    out: &mut BytesMut,
    window: Window,
    message: &Message,
    packet_id: Option<u16>,
    duplicate: bool,
    now: Instant,
    counts: &Counts,
) -> bool {
    let left = |expires: Instant| {
        let seconds =
            (expires.saturating_duration_since(now) + Duration::from_millis(999)).as_secs();
        u32::try_from(seconds).unwrap_or(u32::MAX)
    };
    let outbound = Outbound {
        topic: &message.topic,
        payload: &message.payload,
        packet_id,
        duplicate,
        expires_in_seconds: message.expires.map(left),
        properties: &message.properties,
    };
    if outbound.size(window.version) > window.packet_size {
        counts.dropped_too_large.one();
        return false;
    }
    outbound.write(out, window.version);
    counts.sent.one();
    true
}

#[cfg(test)]
mod tests;
