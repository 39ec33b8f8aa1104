//! One client's connection, as one task that never blocks on one of its parts.
//!
//! A step looks at everything that may move: receipts that resolved become acknowledgements, messages for the client
//! become packets, bytes that were read become one batch, the output becomes one write. There is no task, channel message
//! or system call per publish. A batch that the pipeline does not take yet stops the reading, and TCP tells the client.

use std::collections::VecDeque;
use std::future::Future as _;
use std::pin::{Pin, pin};
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::time::{Instant, Sleep};

use super::encode;
use super::frame::{self, Control, Fault, Header, Version};
use super::handshake::Ready;
use super::registry::Registry;
use super::session::{Kick, Window};
use super::throttle::{Throttle, Verdict};
use super::{
    Batch, MAX_BATCH, MAX_PAYLOAD_BYTES, OVERSIZED_KEPT_BYTES, Publish, Receipt, Uplink, reason,
};

/// The largest packet that is taken whole: a payload and room for its topic and properties. MQTT 5 clients are told.
pub(super) const MAX_PACKET_BYTES: usize = MAX_PAYLOAD_BYTES + 4_096;
/// The largest packet that is read past (its payload dropped) instead of closing the connection, for 3.1.1 clients, which
/// nobody tells a limit: they would send it again for ever.
const MAX_SKIPPED_BYTES: usize = 16 << 20;
/// How much of an oversized publish is looked at: its topic and what the dead letter store keeps.
const OVERSIZED_LOOK_BYTES: usize = 2_048 + OVERSIZED_KEPT_BYTES;
/// QoS 1 publishes that an MQTT 5 client may have unacknowledged.
pub(super) const RECEIVE_MAXIMUM: u16 = 4_096;
/// Topic aliases that an MQTT 5 client may use.
pub(super) const TOPIC_ALIASES: u16 = 16;
/// Publishes of one connection that wait for their receipts; more stay in the socket.
const MAX_UNRESOLVED: usize = 8_192;
/// Their bytes.
const MAX_UNRESOLVED_BYTES: usize = 4 << 20;
/// Output that waits for the client to read; above it nothing is read from the client either.
const MAX_OUTPUT_BYTES: usize = 256 << 10;
/// The first and the largest size of a read.
const SMALL_READ: usize = 2 << 10;
const LARGE_READ: usize = 64 << 10;
/// How long a client may take to read its output, or to finish a packet that it began.
const STALL_PATIENCE: Duration = Duration::from_secs(60);
/// Filters in one SUBSCRIBE or UNSUBSCRIBE.
const MAX_FILTERS: usize = 64;

/// Why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    /// The socket closed or failed.
    Gone,
    /// The client said goodbye; with its will or without it.
    Goodbye { with_will: bool },
    /// The client broke the protocol.
    Fault(Fault),
    /// Nothing was heard in one and a half keep-alives.
    Silent,
    /// A packet or the output stalled.
    Stalled,
    /// Somebody asked for it.
    Kicked(Kick),
    /// Too many bad publishes.
    CutOff,
    /// The pipeline lost a batch.
    ReceiptLost,
}

impl Close {
    /// What an MQTT 5 client is told.
    pub(super) fn code(self) -> Option<u8> {
        match self {
            Self::Gone | Self::Goodbye { .. } => None,
            Self::Fault(Fault(code)) => Some(code),
            Self::Silent | Self::Stalled => Some(reason::KEEP_ALIVE_TIMEOUT),
            Self::Kicked(Kick::TakenOver) => Some(reason::SESSION_TAKEN_OVER),
            Self::Kicked(Kick::Shutdown) => Some(reason::SHUTTING_DOWN),
            Self::Kicked(Kick::Revoked) => Some(reason::ADMINISTRATIVE),
            Self::CutOff => Some(reason::RATE_TOO_HIGH),
            Self::ReceiptLost => Some(reason::SERVER_BUSY),
        }
    }
}

/// An acknowledgement that is owed.
#[derive(Debug, Clone, Copy)]
struct Ack {
    packet_id: u16,
    code: u8,
}

/// What is owed for a batch once its receipt resolves.
#[derive(Debug, Default)]
struct Owed {
    acks: Vec<Ack>,
    messages: usize,
    bytes: usize,
}

/// A payload that is read past.
#[derive(Debug)]
struct Skip {
    left: usize,
    /// The acknowledgement when it is through.
    packet_id: Option<u16>,
    publish: Option<Publish>,
}

/// One step's worth of parsed packets.
#[derive(Debug, Default)]
struct Parsed {
    publishes: Vec<Publish>,
    owed: Owed,
}

/// A connection that is up.
pub(super) struct Connection<'u, S> {
    pub(super) io: S,
    pub(super) ready: Ready,
    registry: &'u Registry,
    uplink: &'u dyn Uplink,
    pub(super) output: BytesMut,
    read_size: usize,
    aliases: Vec<Option<Arc<str>>>,
    handing: Option<(BoxFuture<'u, Receipt>, Owed)>,
    waiting: VecDeque<(Receipt, Owed)>,
    unresolved: usize,
    unresolved_bytes: usize,
    unacknowledged: usize,
    skip: Option<Skip>,
    closing: Option<Close>,
    paused_until: Option<Instant>,
    /// When the client was last heard, or could not have been because nobody listened.
    heard: Instant,
    listening: bool,
    /// Since when a packet is incomplete.
    partial_since: Option<Instant>,
    /// Since when no output could be written.
    stuck_since: Option<Instant>,
    timer: Pin<Box<Sleep>>,
}

impl<'u, S: AsyncRead + AsyncWrite + Unpin> Connection<'u, S> {
    pub(super) fn new(io: S, ready: Ready, registry: &'u Registry, uplink: &'u dyn Uplink) -> Self {
        let now = Instant::now();
        Self {
            io,
            ready,
            registry,
            uplink,
            output: BytesMut::new(),
            read_size: SMALL_READ,
            aliases: Vec::new(),
            handing: None,
            waiting: VecDeque::new(),
            unresolved: 0,
            unresolved_bytes: 0,
            unacknowledged: 0,
            skip: None,
            closing: None,
            paused_until: None,
            heard: now,
            listening: true,
            partial_since: None,
            stuck_since: None,
            timer: Box::pin(tokio::time::sleep_until(now)),
        }
    }

    /// Runs until there is a reason to end.
    pub(super) async fn run(&mut self) -> Close {
        std::future::poll_fn(|cx| match self.step(cx) {
            Ok(()) => Poll::Pending,
            Err(close) => Poll::Ready(close),
        })
        .await
    }

    /// After the end: hands over what was read, so that a publish right before a goodbye is not lost, and waits for the
    /// receipts that are still to come if the client is there to hear of them.
    pub(super) async fn settle(&mut self, with_receipts: bool) {
        if let Some((handing, owed)) = self.handing.take() {
            let receipt = handing.await;
            self.waiting.push_back((receipt, owed));
        }
        if with_receipts {
            while let Some((receipt, owed)) = self.waiting.pop_front() {
                if receipt.await.is_err() {
                    return;
                }
                self.acknowledge(&owed);
            }
        }
    }

    /// Moves all that can move, until nothing does.
    fn step(&mut self, cx: &mut Context<'_>) -> Result<(), Close> {
        if let Some(kick) = self.ready.held.control.kicked(cx.waker()) {
            return Err(Close::Kicked(kick));
        }
        loop {
            let now = Instant::now();
            let mut moved = self.receipts(cx, now)?;
            moved |= self.hand_over(cx);
            if self.handing.is_none()
                && let Some(close) = self.closing
            {
                return Err(close);
            }
            self.drain(now);
            moved |= self.take(now);
            moved |= self.write(cx, now)?;
            moved |= self.read(cx, now)?;
            if !moved {
                return self.wait(cx, now);
            }
        }
    }

    /// Turns receipts that resolved into acknowledgements, in order.
    fn receipts(&mut self, cx: &mut Context<'_>, now: Instant) -> Result<bool, Close> {
        let mut moved = false;
        while let Some((receipt, _)) = self.waiting.front_mut() {
            let Poll::Ready(taken) = Pin::new(receipt).poll(cx) else {
                break;
            };
            let Some((_, owed)) = self.waiting.pop_front() else {
                break;
            };
            let Ok(taken) = taken else {
                self.registry.counts.receipts_lost.one();
                return Err(Close::ReceiptLost);
            };
            self.acknowledge(&owed);
            moved = true;
            if taken.rejected > 0 {
                self.registry.counts.rejected.add(taken.rejected);
                self.bad(taken.rejected, now);
            }
        }
        Ok(moved)
    }

    fn acknowledge(&mut self, owed: &Owed) {
        for ack in &owed.acks {
            encode::puback(
                &mut self.output,
                self.ready.connect.version,
                ack.packet_id,
                ack.code,
            );
        }
        self.unacknowledged -= owed.acks.len();
        self.unresolved -= owed.messages;
        self.unresolved_bytes -= owed.bytes;
    }

    /// Lets the pipeline take the batch.
    fn hand_over(&mut self, cx: &mut Context<'_>) -> bool {
        let Some((handing, _)) = &mut self.handing else {
            return false;
        };
        let Poll::Ready(receipt) = handing.as_mut().poll(cx) else {
            return false;
        };
        if let Some((_, owed)) = self.handing.take() {
            self.waiting.push_back((receipt, owed));
        }
        true
    }

    /// Writes what waits for the client into the output.
    fn drain(&mut self, now: Instant) {
        let connect = &self.ready.connect;
        let window = Window {
            version: connect.version,
            in_flight: usize::from(connect.receive_maximum),
            packet_size: connect.maximum_packet_size,
            output: MAX_OUTPUT_BYTES,
        };
        self.ready
            .held
            .session
            .drain(&mut self.output, window, now, &self.registry.counts);
    }

    /// Whether more may be taken from the client.
    fn may_take(&mut self, now: Instant) -> bool {
        if self.paused_until.is_some_and(|until| until <= now) {
            self.paused_until = None;
        }
        self.closing.is_none()
            && self.handing.is_none()
            && self.paused_until.is_none()
            && self.unresolved < MAX_UNRESOLVED
            && self.unresolved_bytes < MAX_UNRESOLVED_BYTES
            && self.output.len() < MAX_OUTPUT_BYTES
    }

    /// Parses what was read, up to one batch.
    fn take(&mut self, now: Instant) -> bool {
        if self.ready.input.is_empty() || !self.may_take(now) {
            return false;
        }
        let before = self.ready.input.len();
        let mut parsed = Parsed::default();
        if let Err(close) = self.parse(&mut parsed, now) {
            self.closing = Some(close);
        }
        let used = before - self.ready.input.len();
        if used > 0 {
            self.partial_since = None;
        }
        if self.ready.input.is_empty() {
            self.partial_since = None;
        } else if self.partial_since.is_none() {
            self.partial_since = Some(now);
        }
        self.submit(parsed, used, now);
        used > 0 || self.closing.is_some()
    }

    fn submit(&mut self, mut parsed: Parsed, used: usize, now: Instant) {
        let counts = &self.registry.counts;
        counts.received.add(parsed.owed.messages);
        counts.received_bytes.add(used);
        if used > 0 {
            // Payloads that are read past and packets without a publish cost bytes as well.
            let verdict = self.throttle(|throttle| throttle.took(parsed.owed.messages, used, now));
            self.obey(verdict, now);
        }
        if parsed.owed.messages == 0 {
            return;
        }
        parsed.owed.bytes = used;
        self.unresolved += parsed.owed.messages;
        self.unresolved_bytes += used;
        self.unacknowledged += parsed.owed.acks.len();
        if parsed.publishes.is_empty() {
            // All were refused: their acknowledgements still come after those of earlier publishes.
            self.waiting
                .push_back((Receipt::ready(super::Taken::default()), parsed.owed));
            return;
        }
        let batch = Batch {
            from: Some(self.ready.held.session.key.principal.clone()),
            publishes: parsed.publishes,
        };
        self.handing = Some((self.uplink.receive(batch), parsed.owed));
    }

    fn bad(&mut self, count: usize, now: Instant) {
        let verdict = self.throttle(|throttle| throttle.bad(count, now));
        self.obey(verdict, now);
    }

    /// The principal's account.
    pub(super) fn throttle<T>(&self, act: impl FnOnce(&mut Throttle) -> T) -> T {
        act(&mut self
            .ready
            .held
            .throttle
            .lock()
            .unwrap_or_else(PoisonError::into_inner))
    }

    fn obey(&mut self, verdict: Verdict, now: Instant) {
        match verdict {
            Verdict::Go => {}
            Verdict::Wait(pause) => {
                self.registry.counts.throttled.one();
                self.paused_until = self.paused_until.max(Some(now + pause));
            }
            Verdict::Cut => self.closing = Some(Close::CutOff),
        }
    }

    fn parse(&mut self, parsed: &mut Parsed, now: Instant) -> Result<(), Close> {
        while parsed.owed.messages < MAX_BATCH && self.closing.is_none() {
            if self.skip.is_some() {
                if !self.skip_on(parsed) {
                    return Ok(());
                }
                continue;
            }
            let Some(header) = frame::header(&self.ready.input).map_err(Close::Fault)? else {
                return Ok(());
            };
            if header.total() > MAX_PACKET_BYTES {
                if !self.oversized(header, parsed, now)? {
                    return Ok(());
                }
                continue;
            }
            if self.ready.input.len() < header.total() {
                return Ok(());
            }
            let packet = self.ready.input.split_to(header.total());
            if header.is_publish() {
                self.publish(
                    header,
                    packet.freeze().slice(header.header_len..),
                    parsed,
                    now,
                )?;
            } else {
                let body = &packet[header.header_len..];
                self.control(
                    frame::control(self.ready.connect.version, header, body)
                        .map_err(Close::Fault)?,
                )?;
            }
        }
        Ok(())
    }

    fn publish(
        &mut self,
        header: Header,
        body: Bytes,
        parsed: &mut Parsed,
        now: Instant,
    ) -> Result<(), Close> {
        let version = self.ready.connect.version;
        let frame = frame::publish(version, header, &body, true).map_err(Close::Fault)?;
        let topic = self.topic(frame.topic, frame.alias).map_err(Close::Fault)?;
        if let Some(packet_id) = frame.packet_id {
            self.owe(packet_id, topic.is_ok(), parsed)?;
        }
        parsed.owed.messages += 1;
        let at_least_once = frame.packet_id.is_some();
        let (retain, payload) = (frame.retain, body.slice(frame.payload));
        match topic {
            Ok(topic) => {
                let readers = &self.ready.held.readers;
                if readers.any() {
                    readers.deliver(&topic, &payload, at_least_once, now, &self.registry.counts);
                }
                parsed.publishes.push(Publish {
                    topic,
                    payload,
                    retain,
                    oversized: None,
                });
            }
            Err(topic) => self.forbidden(&topic, &payload, now),
        }
        Ok(())
    }

    /// Notes that an acknowledgement is owed. 3.1.1 cannot refuse: there a forbidden publish is acknowledged like any other.
    fn owe(&self, packet_id: u16, allowed: bool, parsed: &mut Parsed) -> Result<(), Close> {
        let version = self.ready.connect.version;
        if version == Version::V5
            && self.unacknowledged + parsed.owed.acks.len() >= usize::from(RECEIVE_MAXIMUM)
        {
            return Err(Close::Fault(Fault::RECEIVE_MAXIMUM));
        }
        let code = if allowed || version == Version::V4 {
            reason::SUCCESS
        } else {
            reason::NOT_AUTHORIZED
        };
        parsed.owed.acks.push(Ack { packet_id, code });
        Ok(())
    }

    fn forbidden(&mut self, topic: &str, payload: &[u8], now: Instant) {
        self.registry.counts.forbidden_publishes.one();
        let kept = &payload[..payload.len().min(OVERSIZED_KEPT_BYTES)];
        self.uplink
            .refused(&self.ready.held.session.key.principal, topic, kept);
        self.bad(1, now);
    }

    /// The topic of a publish, if the client may publish to it; the inner error is the topic that it may not.
    fn topic(
        &mut self,
        given: &str,
        alias: Option<u16>,
    ) -> Result<Result<Arc<str>, Arc<str>>, Fault> {
        let own = |topic: &str| self.ready.rights.publish(topic).cloned();
        let Some(alias) = alias else {
            return Ok(own(given).ok_or_else(|| given.into()));
        };
        if alias > TOPIC_ALIASES {
            return Err(Fault::ALIAS);
        }
        let at = usize::from(alias) - 1;
        if given.is_empty() {
            let known = self
                .aliases
                .get(at)
                .cloned()
                .flatten()
                .ok_or(Fault::ALIAS)?;
            return Ok(if own(&known).is_some() {
                Ok(known)
            } else {
                Err(known)
            });
        }
        let allowed = own(given).ok_or_else(|| Arc::from(given));
        if self.aliases.len() <= at {
            self.aliases.resize(at + 1, None);
        }
        self.aliases[at] = Some(match &allowed {
            Ok(topic) | Err(topic) => Arc::clone(topic),
        });
        Ok(allowed)
    }

    /// A packet larger than the limit. A publish becomes a dead letter; a 3.1.1 client, which does not know the limit, is
    /// read past it and goes on. False when more bytes are needed to know the topic.
    fn oversized(
        &mut self,
        header: Header,
        parsed: &mut Parsed,
        now: Instant,
    ) -> Result<bool, Close> {
        let version = self.ready.connect.version;
        if !header.is_publish() {
            return Err(Close::Fault(Fault::TOO_LARGE));
        }
        if self.ready.input.len() < header.header_len + OVERSIZED_LOOK_BYTES {
            return Ok(false);
        }
        self.registry.counts.oversized.one();
        let start = self
            .ready
            .input
            .split_to(header.header_len + OVERSIZED_LOOK_BYTES)
            .freeze();
        let body = start.slice(header.header_len..);
        let frame = frame::publish(version, header, &body, false).map_err(Close::Fault)?;
        let topic = self.topic(frame.topic, frame.alias).map_err(Close::Fault)?;
        let (packet_id, retain) = (frame.packet_id, frame.retain);
        let length = header.body_len - frame.payload.start;
        let kept = body
            .slice(frame.payload.start..body.len().min(frame.payload.start + OVERSIZED_KEPT_BYTES));
        let publish = match topic {
            // A copy: what is kept of it must not keep a read buffer.
            Ok(topic) => Some(Publish {
                topic,
                payload: Bytes::copy_from_slice(&kept),
                retain,
                oversized: Some(length),
            }),
            Err(topic) => {
                self.forbidden(&topic, &kept, now);
                None
            }
        };
        self.bad(1, now);
        if version == Version::V5 || header.total() > MAX_SKIPPED_BYTES {
            parsed.owed.messages += 1;
            parsed.publishes.extend(publish);
            return Err(Close::Fault(Fault::TOO_LARGE));
        }
        self.skip = Some(Skip {
            left: header.body_len - OVERSIZED_LOOK_BYTES,
            packet_id,
            publish,
        });
        Ok(true)
    }

    /// Reads past an oversized payload. False when it goes on.
    fn skip_on(&mut self, parsed: &mut Parsed) -> bool {
        let Some(skip) = &mut self.skip else {
            return true;
        };
        let step = skip.left.min(self.ready.input.len());
        self.ready.input.advance(step);
        skip.left -= step;
        if skip.left > 0 {
            return false;
        }
        if let Some(skip) = self.skip.take() {
            parsed.owed.messages += 1;
            parsed.owed.acks.extend(skip.packet_id.map(|packet_id| Ack {
                packet_id,
                code: reason::SUCCESS,
            }));
            parsed.publishes.extend(skip.publish);
        }
        true
    }

    fn control(&mut self, packet: Control) -> Result<(), Close> {
        let version = self.ready.connect.version;
        match packet {
            Control::Ping => encode::pong(&mut self.output),
            Control::Puback { packet_id } => self.ready.held.session.acknowledged(packet_id),
            Control::Subscribe {
                packet_id,
                wanted,
                identifier,
            } => {
                if wanted.len() > MAX_FILTERS {
                    return Err(Close::Fault(Fault(reason::QUOTA_EXCEEDED)));
                }
                let codes: Vec<u8> = wanted
                    .iter()
                    .map(|wanted| self.subscribe(wanted, identifier))
                    .collect();
                encode::suback(&mut self.output, version, packet_id, &codes);
            }
            Control::Unsubscribe { packet_id, filters } => {
                if filters.len() > MAX_FILTERS {
                    return Err(Close::Fault(Fault(reason::QUOTA_EXCEEDED)));
                }
                let session = &self.ready.held.session;
                let code = |known| {
                    if known {
                        reason::SUCCESS
                    } else {
                        reason::NO_SUBSCRIPTION_EXISTED
                    }
                };
                let codes: Vec<u8> = filters
                    .iter()
                    .map(|filter| code(session.unsubscribe(filter)))
                    .collect();
                encode::unsuback(&mut self.output, version, packet_id, &codes);
            }
            Control::Disconnect {
                with_will,
                session_expiry,
            } => {
                if let Some(seconds) = session_expiry {
                    if self.ready.connect.session_expiry == 0 && seconds != 0 {
                        return Err(Close::Fault(Fault::PROTOCOL));
                    }
                    self.ready.expiry = self
                        .ready
                        .expiry_max
                        .min(Duration::from_secs(u64::from(seconds)));
                }
                return Err(Close::Goodbye { with_will });
            }
        }
        Ok(())
    }

    fn subscribe(&self, wanted: &frame::Wanted, identifier: bool) -> u8 {
        let allowed = if identifier {
            Err(reason::SUBSCRIPTION_IDENTIFIERS)
        } else {
            self.ready.rights.subscribe(&wanted.filter)
        };
        let granted = allowed.and_then(|()| {
            let fits = self
                .ready
                .held
                .session
                .subscribe(&wanted.filter, wanted.qos > 0);
            if fits {
                Ok(wanted.qos.min(1))
            } else {
                Err(reason::QUOTA_EXCEEDED)
            }
        });
        granted.unwrap_or_else(|code| {
            self.registry.counts.forbidden_subscribes.one();
            if self.ready.connect.version == Version::V5 {
                code
            } else {
                reason::SUBACK_FAILURE
            }
        })
    }

    fn write(&mut self, cx: &mut Context<'_>, now: Instant) -> Result<bool, Close> {
        let mut moved = false;
        while !self.output.is_empty() {
            match Pin::new(&mut self.io).poll_write(cx, &self.output) {
                Poll::Ready(Ok(0) | Err(_)) => return Err(Close::Gone),
                Poll::Ready(Ok(written)) => {
                    self.output.advance(written);
                    self.stuck_since = None;
                    moved = true;
                }
                Poll::Pending => {
                    self.stuck_since.get_or_insert(now);
                    return Ok(moved);
                }
            }
        }
        // TLS holds back what it has not sealed yet.
        if moved && matches!(Pin::new(&mut self.io).poll_flush(cx), Poll::Ready(Err(_))) {
            return Err(Close::Gone);
        }
        Ok(moved)
    }

    fn read(&mut self, cx: &mut Context<'_>, now: Instant) -> Result<bool, Close> {
        let listening = self.may_take(now);
        if listening && !self.listening {
            // The client may have spoken while nobody listened: its silence counts from here.
            self.heard = now;
            self.partial_since = self.partial_since.map(|_| now);
        }
        self.listening = listening;
        if !listening {
            return Ok(false);
        }
        let input = &mut self.ready.input;
        let wanted = match frame::header(input) {
            Ok(Some(header)) if header.total() <= MAX_PACKET_BYTES => {
                header.total().saturating_sub(input.len())
            }
            _ => 0,
        };
        // What is left of the last buffer is used up first: a new one for every small message would cost more than it.
        if input.capacity() - input.len() < wanted.max(self.read_size / 4) {
            input.reserve(wanted.max(self.read_size));
        }
        let room = input.capacity() - input.len();
        let read = pin!(self.io.read_buf(input)).poll(cx);
        match read {
            Poll::Pending => Ok(false),
            Poll::Ready(Ok(0) | Err(_)) => Err(Close::Gone),
            Poll::Ready(Ok(read)) => {
                self.heard = now;
                if read >= room {
                    self.read_size = (self.read_size * 4).min(LARGE_READ);
                } else if read < self.read_size / 8 {
                    self.read_size = (self.read_size / 2).max(SMALL_READ);
                }
                Ok(true)
            }
        }
    }

    /// Nothing moves: sleep until the next thing that could be late.
    fn wait(&mut self, cx: &mut Context<'_>, now: Instant) -> Result<(), Close> {
        let mut next = now + STALL_PATIENCE;
        if let Some(since) = self.stuck_since {
            if since + STALL_PATIENCE <= now {
                return Err(Close::Stalled);
            }
            next = next.min(since + STALL_PATIENCE);
        }
        if let Some(until) = self.paused_until {
            next = next.min(until);
        }
        if self.listening {
            let silent = self.heard + self.ready.silence;
            if silent <= now {
                return Err(Close::Silent);
            }
            next = next.min(silent);
            if let Some(since) = self.partial_since {
                if since + STALL_PATIENCE <= now {
                    return Err(Close::Stalled);
                }
                next = next.min(since + STALL_PATIENCE);
            }
        }
        // A timer that is set too early only wakes once more; setting it costs more than that.
        if self.timer.deadline() > next || self.timer.deadline() <= now {
            self.timer.as_mut().reset(next);
        }
        if self.timer.as_mut().poll(cx).is_ready() {
            // It went off between two looks at the clock: look again.
            cx.waker().wake_by_ref();
        }
        Ok(())
    }
}
