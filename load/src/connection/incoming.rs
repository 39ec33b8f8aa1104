//! What comes: acknowledgements, in their order, and commands, which are answered.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead as _, ReadBuf};
use tokio::time::Instant;

use super::{Connection, What, following};
use crate::frame::{self, Packet};
use crate::handshake::Failed;

impl Connection {
    pub(super) fn read(&mut self, cx: &mut Context<'_>, now: Instant) -> Result<bool, Failed> {
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
        let fan = command["device_id"].as_str();
        let Some(fan) = fan.and_then(|id| self.controller.fan(id)) else {
            return;
        };
        self.on[fan] = on;
        let state = self.controller.switched(self.on);
        self.say("state", &state, true, What::Other, now);
        // The probe's is the first.
        if fan == 0
            && let Some(latency) = self.probe.as_mut().and_then(|p| p.commanded(on, now))
            && now >= self.times.measure
        {
            self.stats.borrow_mut().command.record(latency, 1);
        }
    }
}
