//! One client's connection, as one task that never blocks on one of its parts.
//!
//! A step looks at everything that may move: receipts that resolved become acknowledgements, messages for the client
//! become packets, bytes that were read become one batch, the output becomes one write. There is no task, channel message
//! or system call per publish. A batch that the pipeline does not take yet stops the reading, and TCP tells the client.

mod intake;
mod owed;

use std::collections::VecDeque;
use std::future::Future as _;
use std::pin::{Pin, pin};
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf as _, BytesMut};
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::time::{Instant, Sleep};

use self::intake::{Parsed, Skip};
use self::owed::{Ack, Owed};
use super::encode;
use super::frame::{self, Fault};
use super::handshake::Ready;
use super::registry::Registry;
use super::session::{Kick, Window};
use super::throttle::{Throttle, Verdict};
use super::{Batch, MAX_PAYLOAD_BYTES, Receipt, Uplink, reason};

/// The largest packet that is taken whole: a payload and room for its topic and properties. MQTT 5 clients are told.
pub(super) const MAX_PACKET_BYTES: usize = MAX_PAYLOAD_BYTES + 4_096;
/// QoS 1 publishes that an MQTT 5 client may have unacknowledged, and QoS 2 publishes unreleased.
pub(super) const RECEIVE_MAXIMUM: u16 = 4_096;
/// Topic aliases that an MQTT 5 client may use.
pub(super) const TOPIC_ALIASES: u16 = 16;
/// Publishes of one connection that wait for their receipts; more stay in the socket.
const MAX_UNRESOLVED: usize = 8_192;
/// Their bytes.
const MAX_UNRESOLVED_BYTES: usize = 4 << 20;
/// Output that waits for the client to read; above it nothing is read from the client either.
const MAX_OUTPUT_BYTES: usize = 256 << 10;
/// The first and the largest size of a read. An idle connection keeps a buffer of the first.
const SMALL_READ: usize = 512;
const LARGE_READ: usize = 64 << 10;
/// How long a client may take to read its output, or to finish a packet that it began.
const STALL_PATIENCE: Duration = Duration::from_secs(60);

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
    /// QoS 1 publishes that were not acknowledged, and QoS 2 publishes that were not released. What an earlier connection left
    /// is not in it, and may be taken from it: then the client may have a few more than it was told.
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
        let earlier = ready.held.session.take_unsettled();
        let unresolved = earlier.iter().map(|batch| batch.messages).sum();
        let unresolved_bytes = earlier.iter().map(|batch| batch.bytes).sum();
        Self {
            io,
            ready,
            registry,
            uplink,
            output: BytesMut::new(),
            read_size: SMALL_READ,
            aliases: Vec::new(),
            handing: None,
            waiting: earlier.into_iter().map(Owed::of_earlier).collect(),
            unresolved,
            unresolved_bytes,
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
                self.ready.held.session.lose(&owed.once());
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
        let version = self.ready.connect.version;
        for ack in &owed.acks {
            let answer = if ack.exactly_once {
                encode::pubrec
            } else {
                encode::puback
            };
            answer(&mut self.output, version, ack.packet_id, ack.code);
        }
        let done = owed.acks.iter().filter(|ack| !ack.awaits_release());
        self.unacknowledged = self.unacknowledged.saturating_sub(done.count());
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
