//! What goes: telemetry as the window or the rate allows, the probe's messages, and answers.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite as _;
use tokio::time::Instant;

use super::{Connection, InFlight, What, following};
use crate::frame;
use crate::handshake::Failed;

impl Connection {
    /// A message beside the ring's.
    pub(super) fn say(
        &mut self,
        kind: &str,
        payload: &str,
        retain: bool,
        what: What,
        now: Instant,
    ) {
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

    pub(super) fn fill(&mut self, now: Instant) {
        if !self.frames.is_empty() || now >= self.times.end || now < self.times.begin {
            return;
        }
        if let Some(probe) = &mut self.probe {
            let (next, gave_up) = probe.next(now, self.plan.at_least_once);
            if gave_up {
                self.stats.borrow_mut().no_command += 1;
            }
            if let Some(message) = next {
                let payload = match self.ring.digits() {
                    Some(digits) => self.controller.probe(digits, message.high),
                    None => {
                        let calm = self.controller.calm(message.turn);
                        self.controller.probe(calm, message.high)
                    }
                };
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

    pub(super) fn write(&mut self, cx: &mut Context<'_>) -> Result<bool, Failed> {
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
