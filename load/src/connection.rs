//! One controller under load: as many publishes as its window or its rate allows, acknowledgements, and its probe.
//!
//! A connection is one future that reads, fills and writes until nothing moves. What it sends it takes from a [`Ring`], so
//! that a publish costs two patched bytes and its share of one write.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future as _;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWrite as _, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use crate::farm::{Account, Controller};
use crate::frame::{self, BadPacket, MAX_PACKET_BYTES, Packet};
use crate::probe::Probe;
use crate::ring::Ring;
use crate::stats::{Progress, Stats};

/// How long after the end acknowledgements are waited for.
const DRAIN: Duration = Duration::from_secs(10);
/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(30);

/// When what is to be sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) at_least_once: bool,
    /// Publishes without their acknowledgement.
    pub(crate) window: usize,
    /// The time from one publish to the next, where a rate is kept.
    pub(crate) interval: Option<Duration>,
    /// Values in a message.
    pub(crate) values: u64,
}

/// The instants of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) begin: Instant,
    pub(crate) measure: Instant,
    pub(crate) end: Instant,
}

/// Why a connection ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Packet(#[from] BadPacket),
    #[error("the server refused {0}")]
    Refused(&'static str),
    #[error("the server closed the connection")]
    Closed,
    #[error("packet {got} was acknowledged where {expected} was next")]
    Order { got: u16, expected: u16 },
    #[error("the server did not answer the handshake in time")]
    Silent,
    #[error("{0} messages were not acknowledged")]
    Unacknowledged(usize),
}

/// What publishes that were handed over together are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Telemetry,
    ProbeStart,
    ProbeEnd,
    /// Acks and states.
    Other,
}

#[derive(Debug)]
struct InFlight {
    at: Instant,
    count: usize,
    what: What,
}

/// A controller that is connected.
pub(crate) struct Connection {
    io: TcpStream,
    plan: Plan,
    controller: Controller,
    ring: Ring,
    input: Vec<u8>,
    filled: usize,
    /// Frames of the ring that are being written.
    frames: Range<usize>,
    /// Other packets, to be written after those frames and before any further ones.
    other: Vec<u8>,
    next_id: u16,
    next_ack: u16,
    in_flight: VecDeque<InFlight>,
    unacknowledged: usize,
    due: Instant,
    probe: Option<Probe>,
    times: Times,
    timer: Pin<Box<Sleep>>,
    stats: Rc<RefCell<Stats>>,
    progress: std::sync::Arc<Progress>,
}

fn following(id: u16) -> u16 {
    id.checked_add(1).unwrap_or(1)
}

/// Reads packets until one is what is waited for.
async fn await_packet(
    io: &mut TcpStream,
    input: &mut Vec<u8>,
    mut is_it: impl FnMut(&Packet<'_>) -> Option<Result<(), Failed>>,
) -> Result<(), Failed> {
    loop {
        let mut rest = &input[..];
        while let Some(packet) = frame::take(&mut rest)? {
            if let Some(answer) = is_it(&packet) {
                let used = input.len() - rest.len();
                input.drain(..used);
                return answer;
            }
        }
        let used = input.len() - rest.len();
        input.drain(..used);
        if io.read_buf(input).await? == 0 {
            return Err(Failed::Closed);
        }
    }
}

impl Connection {
    /// Connects, subscribes to the commands and says what the controller has.
    pub(crate) async fn open(
        server: &str,
        account: &Account,
        controller: Controller,
        plan: Plan,
        stats: Rc<RefCell<Stats>>,
        progress: std::sync::Arc<Progress>,
    ) -> Result<Self, Failed> {
        let opening = async {
            let mut io = TcpStream::connect(server).await?;
            io.set_nodelay(true)?;
            let (mut input, mut out) = (Vec::new(), Vec::new());
            let client = format!("harit-bench-{}", account.mac);
            frame::connect(&mut out, &client, &account.mac, &account.secret);
            io.write_all(&out).await?;
            await_packet(&mut io, &mut input, |p| match p {
                Packet::Connack(0) => Some(Ok(())),
                _ => Some(Err(Failed::Refused("the account"))),
            })
            .await?;
            out.clear();
            frame::subscribe(&mut out, 1, &controller.topic("command"));
            let birth = controller.birth();
            frame::publish(
                &mut out,
                &controller.topic("state"),
                birth.as_bytes(),
                Some(2),
                true,
            );
            io.write_all(&out).await?;
            await_packet(&mut io, &mut input, |p| match p {
                Packet::Suback(0x80..) => Some(Err(Failed::Refused("the subscription"))),
                Packet::Puback(2) => Some(Ok(())),
                _ => None,
            })
            .await?;
            Ok((io, input))
        };
        let (io, mut input) = tokio::time::timeout(HANDSHAKE, opening)
            .await
            .unwrap_or(Err(Failed::Silent))?;
        let filled = input.len();
        input.resize(MAX_PACKET_BYTES + 16, 0);
        let now = Instant::now();
        Ok(Self {
            ring: Ring::new(&controller, plan.at_least_once),
            io,
            plan,
            controller,
            input,
            filled,
            frames: 0..0,
            other: Vec::new(),
            next_id: 3,
            next_ack: 3,
            in_flight: VecDeque::new(),
            unacknowledged: 0,
            due: now,
            probe: None,
            times: Times {
                begin: now,
                measure: now,
                end: now,
            },
            timer: Box::pin(tokio::time::sleep_until(now)),
            stats,
            progress,
        })
    }

    /// The mean length of a publish.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.ring.frame_bytes()
    }

    /// Sends until the end, then waits for the acknowledgements. `share` in 0..1 spreads the connections over an interval.
    pub(crate) async fn run(mut self, times: Times, share: f64, probe: bool) -> Result<(), Failed> {
        self.times = times;
        let offset = |d: Duration| times.begin + d.mul_f64(share);
        self.due = offset(self.plan.interval.unwrap_or_default());
        self.probe = probe.then(|| Probe::new(offset(Duration::from_secs(1))));
        let end = std::future::poll_fn(|cx| self.poll(cx)).await;
        let mut out = Vec::new();
        frame::disconnect(&mut out);
        let _gone = self.io.write_all(&out).await;
        end
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Failed>> {
        loop {
            let now = Instant::now();
            let mut moved = self.read(cx, now)?;
            self.fill(now);
            moved |= self.write(cx)?;
            let over = now >= self.times.end;
            if over && self.unacknowledged == 0 && self.frames.is_empty() && self.other.is_empty() {
                return Poll::Ready(Ok(()));
            }
            if now >= self.times.end + DRAIN {
                return Poll::Ready(Err(Failed::Unacknowledged(self.unacknowledged)));
            }
            if !moved {
                let next = self.next_instant(now);
                if self.timer.deadline() != next {
                    self.timer.as_mut().reset(next);
                }
                ready!(self.timer.as_mut().poll(cx));
            }
        }
    }

    /// When there is something to do even if nothing arrives.
    fn next_instant(&self, now: Instant) -> Instant {
        if now >= self.times.end {
            return self.times.end + DRAIN;
        }
        let mut next = self.times.end;
        if self.plan.interval.is_some() && self.unacknowledged < self.plan.window {
            next = next.min(self.due);
        } else if now < self.times.begin {
            next = next.min(self.times.begin);
        }
        if let Some(at) = self.probe.as_ref().and_then(Probe::wakes) {
            next = next.min(at);
        }
        next
    }

    // ---- what comes ----

    fn read(&mut self, cx: &mut Context<'_>, now: Instant) -> Result<bool, Failed> {
        let mut moved = false;
        loop {
            let mut buffer = ReadBuf::new(&mut self.input[self.filled..]);
            match Pin::new(&mut self.io).poll_read(cx, &mut buffer)? {
                Poll::Pending => return Ok(moved),
                Poll::Ready(()) => {
                    let read = buffer.filled().len();
                    if read == 0 {
                        return Err(Failed::Closed);
                    }
                    self.filled += read;
                }
            }
            moved = true;
            self.packets(now)?;
        }
    }

    fn packets(&mut self, now: Instant) -> Result<(), Failed> {
        let input = std::mem::take(&mut self.input);
        let mut rest = &input[..self.filled];
        let mut acks = 0;
        let mut end = Ok(());
        loop {
            match frame::take(&mut rest) {
                Ok(Some(Packet::Puback(id))) => {
                    if id != self.next_ack {
                        let expected = self.next_ack;
                        end = Err(Failed::Order { got: id, expected });
                        break;
                    }
                    self.next_ack = following(id);
                    acks += 1;
                }
                Ok(Some(Packet::Publish { packet_id, payload })) => {
                    self.command(packet_id, payload, now);
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(e) => {
                    end = Err(e.into());
                    break;
                }
            }
        }
        let left = rest.len();
        let used = self.filled - left;
        self.input = input;
        self.input.copy_within(used..self.filled, 0);
        self.filled = left;
        self.acknowledged(acks, now);
        end
    }

    fn acknowledged(&mut self, mut acks: usize, now: Instant) {
        if acks == 0 {
            return;
        }
        self.unacknowledged -= acks.min(self.unacknowledged);
        let measured = now >= self.times.measure && now < self.times.end;
        let mut stats = self.stats.borrow_mut();
        let mut messages = 0;
        while let Some(first) = self.in_flight.front_mut() {
            let n = first.count.min(acks);
            first.count -= n;
            acks -= n;
            if first.what != What::Other {
                messages += n as u64;
                if measured {
                    stats.ack.record(now - first.at, n as u64);
                }
            }
            if first.count > 0 {
                break;
            }
            if first.what == What::ProbeStart
                && let Some(probe) = &mut self.probe
            {
                probe.started(now);
            }
            self.in_flight.pop_front();
            if acks == 0 {
                break;
            }
        }
        stats.taken += messages;
        stats.values += messages * self.plan.values;
        if measured {
            stats.measured += messages;
            stats.measured_values += messages * self.plan.values;
        }
        self.progress.took(messages);
    }

    fn command(&mut self, packet_id: Option<u16>, payload: &[u8], now: Instant) {
        if let Some(id) = packet_id {
            frame::puback(&mut self.other, id);
        }
        let text = String::from_utf8_lossy(payload);
        let Ok(command) = serde_json::from_str::<serde_json::Value>(&text) else {
            return;
        };
        if command["cmd_type"] == "renew" {
            return;
        }
        let on = command["action"]["on"] == true;
        let ack = serde_json::json!({"command_id": command["command_id"], "status": "ack"});
        self.say("ack", &ack.to_string(), false, What::Other, now);
        let state = self.controller.switched(on);
        self.say("state", &state, true, What::Other, now);
        if let Some(latency) = self.probe.as_mut().and_then(|p| p.commanded(on, now))
            && now >= self.times.measure
        {
            self.stats.borrow_mut().command.record(latency, 1);
        }
    }

    // ---- what goes ----

    /// A message beside the ring's.
    fn say(&mut self, kind: &str, payload: &str, retain: bool, what: What, now: Instant) {
        let telemetry = what != What::Other;
        let id = (self.plan.at_least_once || !telemetry).then(|| {
            let id = self.next_id;
            self.next_id = following(id);
            id
        });
        let topic = self.controller.topic(kind);
        frame::publish(&mut self.other, &topic, payload.as_bytes(), id, retain);
        if telemetry {
            self.stats.borrow_mut().sent += 1;
        }
        if id.is_some() {
            self.in_flight.push_back(InFlight {
                at: now,
                count: 1,
                what,
            });
            self.unacknowledged += 1;
        } else {
            self.sent_at_most_once(1, now);
        }
    }

    /// At QoS 0 what was handed over counts as taken; the server's own count says whether it was.
    fn sent_at_most_once(&mut self, messages: u64, now: Instant) {
        let mut stats = self.stats.borrow_mut();
        stats.taken += messages;
        stats.values += messages * self.plan.values;
        if now >= self.times.measure {
            stats.measured += messages;
            stats.measured_values += messages * self.plan.values;
        }
        self.progress.took(messages);
    }

    fn fill(&mut self, now: Instant) {
        if !self.frames.is_empty() || now >= self.times.end || now < self.times.begin {
            return;
        }
        if let Some(probe) = &mut self.probe {
            let (next, gave_up) = probe.next(now, self.plan.at_least_once);
            if gave_up {
                self.stats.borrow_mut().no_command += 1;
            }
            if let Some(message) = next {
                let payload = self.controller.probe(message.turn, message.high);
                let what = if message.completes {
                    What::ProbeEnd
                } else {
                    What::ProbeStart
                };
                self.say("telemetry", &payload, false, what, now);
            }
        }
        // What stands in `other` has earlier ids: it goes first.
        if self.other.is_empty() {
            self.fill_frames(now);
        }
    }

    fn fill_frames(&mut self, now: Instant) {
        let mut room = self.plan.window.saturating_sub(self.unacknowledged);
        if let Some(interval) = self.plan.interval {
            let behind = now.saturating_duration_since(self.due);
            if now < self.due {
                return;
            }
            let due = behind.as_nanos() / interval.as_nanos().max(1) + 1;
            room = room.min(usize::try_from(due).unwrap_or(usize::MAX));
        }
        if room == 0 {
            return;
        }
        let next = &mut self.next_id;
        let (count, frames) = self.ring.take(room, || {
            let id = *next;
            *next = following(id);
            id
        });
        self.frames = frames;
        let messages = count as u64;
        {
            let mut stats = self.stats.borrow_mut();
            stats.sent += messages;
            if let Some(interval) = self.plan.interval {
                for _ in 0..count {
                    if now >= self.times.measure {
                        stats.late.record(now - self.due, 1);
                    }
                    self.due += interval;
                }
            }
        }
        if self.plan.at_least_once {
            self.unacknowledged += count;
            self.in_flight.push_back(InFlight {
                at: now,
                count,
                what: What::Telemetry,
            });
        } else {
            self.sent_at_most_once(messages, now);
        }
    }

    fn write(&mut self, cx: &mut Context<'_>) -> Result<bool, Failed> {
        let mut moved = false;
        while !self.frames.is_empty() {
            let bytes = self.ring.bytes(self.frames.clone());
            match Pin::new(&mut self.io).poll_write(cx, bytes)? {
                Poll::Pending => return Ok(moved),
                Poll::Ready(written) => self.frames.start += written,
            }
            moved = true;
        }
        while !self.other.is_empty() {
            match Pin::new(&mut self.io).poll_write(cx, &self.other)? {
                Poll::Pending => return Ok(moved),
                Poll::Ready(written) => drop(self.other.drain(..written)),
            }
            moved = true;
        }
        Ok(moved)
    }
}
