//! One controller under load: as many publishes as its window or its rate allows, acknowledgements, and its probe.
//!
//! A connection is one future that reads, fills and writes until nothing moves. What it sends it takes from a [`Ring`], so
//! that a publish costs two patched bytes and its share of one write.

mod incoming;
mod outgoing;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future as _;
use std::net::SocketAddr;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use crate::farm::{Account, Controller};
use crate::frame::{self, Connect, MAX_PACKET_BYTES, Packet};
use crate::handshake::{Failed, HANDSHAKE, accepted, await_packet};
use crate::probe::Probe;
use crate::ring::Ring;
use crate::stats::{Progress, Stats};
use crate::wander::Step;

/// Seconds; a controller that publishes is never silent for that long.
const KEEP_ALIVE: u16 = 600;
/// How long after the end acknowledgements are waited for.
pub(crate) const DRAIN: Duration = Duration::from_secs(10);

/// When what is to be sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) at_least_once: bool,
    /// Publishes without their acknowledgement.
    pub(crate) window: usize,
    /// The time from one publish to the next, where a rate is kept.
    pub(crate) interval: Option<Duration>,
    /// Values in a message, and how they wander.
    pub(crate) values: u64,
    pub(crate) step: Step,
}

/// The instants of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) begin: Instant,
    pub(crate) measure: Instant,
    pub(crate) end: Instant,
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
    /// Which of its fans are on.
    on: [bool; 2],
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

pub(crate) fn following(id: u16) -> u16 {
    id.checked_add(1).unwrap_or(1)
}

impl Connection {
    /// Connects, subscribes to the commands and says what the controller has.
    pub(crate) async fn open(
        server: &[SocketAddr],
        account: &Account,
        controller: Controller,
        plan: Plan,
        stats: Rc<RefCell<Stats>>,
        progress: std::sync::Arc<Progress>,
    ) -> Result<Self, Failed> {
        let opening = async {
            let who = Connect {
                client: &format!("harit-bench-{}", account.mac),
                user: &account.mac,
                password: &account.secret,
                keep_alive: KEEP_ALIVE,
                will: None,
            };
            let (mut io, mut input) = accepted(server, None, &who).await?;
            let mut out = Vec::new();
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
            ring: Ring::new(&controller, plan.at_least_once, plan.step),
            io,
            plan,
            controller,
            on: [false; 2],
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
}
