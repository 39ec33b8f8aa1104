//! What a controller does with what arrives on its command topic, and what it answers.

use std::time::Duration;

use super::device::Ended;
use super::wire::{AckMessage, AckStatus, CommandMessage, Order, bytes};
use super::{Controller, Now, Outgoing};

/// Commands whose answer is remembered. They expire after 15 s, so it takes 17 a second for one to be forgotten early.
pub const REMEMBERED_COMMANDS: usize = 256;
impl Controller {
    /// Takes what arrived on the command topic.
    pub fn command(&mut self, now: Now, payload: &[u8], out: &mut Vec<Outgoing>) {
        let Ok(message) = serde_json::from_slice::<CommandMessage>(payload) else {
            self.counters.malformed += 1;
            return;
        };
        let order = message.order();
        if order == Ok(Order::Renew) {
            self.renew(now, &message, out);
            return;
        }
        if let Some((_, device, answer)) = self
            .answers
            .iter()
            .find(|(id, _, _)| *id == message.command_id)
        {
            self.counters.repeated += 1;
            if !self.lost_acks.contains(device) {
                out.push(Outgoing::Ack(answer.clone()));
            }
            return;
        }
        let wall_ms = Duration::try_from_secs_f64(message.expires_at.unwrap_or(0.0) / 1_000.0);
        let expires_ms = wall_ms.ok().and_then(|d| i64::try_from(d.as_millis()).ok());
        let too_old = expires_ms.is_none_or(|ms| now.wall_ms >= ms);
        if self.spec.has_clock && message.expires_at.is_some() && too_old {
            self.counters.expired += 1;
            return;
        }
        let result = order.and_then(|order| self.obey(now, &message, order));
        let changed = result.is_ok();
        let status = if changed {
            AckStatus::Ack
        } else {
            AckStatus::Failure
        };
        let command_id = message.command_id.clone();
        let answer = bytes(&AckMessage {
            command_id,
            status,
            message: result.err(),
        });
        if changed {
            self.counters.done += 1;
        } else {
            self.counters.refused += 1;
        }
        if !self.lost_acks.contains(&message.device_id) {
            out.push(Outgoing::Ack(answer.clone()));
        }
        if self.answers.len() >= REMEMBERED_COMMANDS {
            self.answers.pop_front();
        }
        self.answers
            .push_back((message.command_id, message.device_id, answer));
        if changed {
            self.publish_state(now, out);
        }
    }

    fn obey(&mut self, now: Now, message: &CommandMessage, order: Order) -> Result<(), String> {
        let device = self
            .devices
            .iter_mut()
            .find(|d| d.part.id == message.device_id);
        let device = device.ok_or_else(|| format!("unknown device {:?}", message.device_id))?;
        // A device whose time was over at this instant is off before it hears anything new.
        if device.expire(now.since_start) == Some(Ended::Lease) {
            self.counters.leases_ended += 1;
        }
        device
            .obey(
                now.since_start,
                &message.command_id,
                order,
                message.lease_sec,
            )
            .map_err(|e| e.to_string())
    }

    /// A renewal is not acked: its id is that of a command that was. One that comes too late is answered by the state.
    fn renew(&mut self, now: Now, message: &CommandMessage, out: &mut Vec<Outgoing>) {
        let device = self
            .devices
            .iter_mut()
            .find(|d| d.part.id == message.device_id);
        if device.is_some_and(|d| d.renew(now.since_start, &message.command_id, message.lease_sec))
        {
            self.counters.renewed += 1;
        } else {
            self.publish_state(now, out);
        }
    }
}
