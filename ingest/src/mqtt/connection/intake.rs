//! What a client sends, packet by packet: publishes become one batch and what is owed for them, everything else is answered
//! at once.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf as _, Bytes};
use harit_protocol::Reject;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::{Ack, Close, Connection, MAX_PACKET_BYTES, Owed, RECEIVE_MAXIMUM, TOPIC_ALIASES};
use crate::mqtt::frame::{self, Control, Delivery, Fault, Header, Version};
use crate::mqtt::properties::Said;
use crate::mqtt::{MAX_BATCH, OVERSIZED_KEPT_BYTES, Publish, Refused, encode, reason};

/// The largest packet that is read past (its payload dropped) instead of closing the connection, for 3.1.1 clients, which
/// nobody tells a limit: they would send it again for ever.
const MAX_SKIPPED_BYTES: usize = 16 << 20;
/// How much of an oversized publish is looked at: its topic and what the dead letter store keeps.
const OVERSIZED_LOOK_BYTES: usize = 2_048 + OVERSIZED_KEPT_BYTES;
/// Filters in one SUBSCRIBE or UNSUBSCRIBE.
const MAX_FILTERS: usize = 64;

/// A payload that is read past.
#[derive(Debug)]
pub(super) struct Skip {
    left: usize,
    /// How it is acknowledged when it is through.
    delivery: Delivery,
    publish: Option<Publish>,
}

/// One step's worth of parsed packets.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) publishes: Vec<Publish>,
    pub(super) owed: Owed,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<'_, S> {
    /// Takes packets off the input, up to one batch of publishes.
    pub(super) fn parse(&mut self, parsed: &mut Parsed, now: Instant) -> Result<(), Close> {
        while parsed.owed.messages < MAX_BATCH && self.closing.is_none() {
            if self.skip.is_some() {
                if !self.skip_on(parsed)? {
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
        self.owe(frame.delivery, topic.is_ok(), parsed)?;
        parsed.owed.messages += 1;
        if topic.is_ok() && self.came_before(frame.delivery) {
            return Ok(());
        }
        let at_least_once = frame.delivery != Delivery::AtMostOnce;
        let (retain, payload) = (frame.retain, body.slice(frame.payload));
        let properties = frame.properties;
        match topic {
            Ok(topic) => {
                let readers = &self.ready.held.readers;
                if readers.any() {
                    let said = Said::read(&body[properties]);
                    let counts = &self.registry.counts;
                    readers.deliver(&topic, &payload, at_least_once, &said, now, counts);
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

    /// Whether it is a QoS 2 publish that is known already: it is acknowledged and says nothing new.
    fn came_before(&self, delivery: Delivery) -> bool {
        let Delivery::ExactlyOnce(packet_id) = delivery else {
            return false;
        };
        let known = !self.ready.held.session.receive_once(packet_id);
        if known {
            self.registry.counts.repeated.one();
        }
        known
    }

    /// Notes that an acknowledgement is owed. 3.1.1 cannot refuse: there a forbidden publish is acknowledged like any other.
    fn owe(&self, delivery: Delivery, allowed: bool, parsed: &mut Parsed) -> Result<(), Close> {
        let (packet_id, exactly_once) = match delivery {
            Delivery::AtMostOnce => return Ok(()),
            Delivery::AtLeastOnce(id) => (id, false),
            Delivery::ExactlyOnce(id) => (id, true),
        };
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
        parsed.owed.acks.push(Ack {
            packet_id,
            code,
            exactly_once,
        });
        Ok(())
    }

    fn forbidden(&mut self, topic: &str, payload: &[u8], now: Instant) {
        self.registry.counts.forbidden_publishes.one();
        let kept = &payload[..payload.len().min(OVERSIZED_KEPT_BYTES)];
        self.refused(Reject::NotAllowed, topic, kept, now);
        self.bad(1, now);
    }

    /// Tells what of the client was refused.
    fn refused(&self, reason: Reject, topic: &str, payload: &[u8], now: Instant) {
        let refused = Refused {
            reason,
            from: Some(&self.ready.held.session.key.principal),
            username: self.ready.connect.username.as_deref().unwrap_or_default(),
            client_id: &self.ready.connect.client_id,
            address: self.ready.peer,
            topic: Some(topic),
            payload,
            detail: "",
        };
        self.registry.refusals.tell(self.uplink, &refused, now);
    }

    /// The topic of a publish, if the client may publish to it; the inner error is the topic that it may not.
    fn topic(
        &mut self,
        given: &str,
        alias: Option<u16>,
    ) -> Result<Result<Arc<str>, Arc<str>>, Fault> {
        let rights = &self.ready.rights;
        let own = |topic: &str| {
            let own = rights.publish(topic).cloned();
            own.or_else(|| rights.foreign(topic))
        };
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
        let (delivery, retain) = (frame.delivery, frame.retain);
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
            delivery,
            publish,
        });
        Ok(true)
    }

    /// Reads past an oversized payload. False when it goes on.
    fn skip_on(&mut self, parsed: &mut Parsed) -> Result<bool, Close> {
        let Some(skip) = &mut self.skip else {
            return Ok(true);
        };
        let step = skip.left.min(self.ready.input.len());
        self.ready.input.advance(step);
        skip.left -= step;
        if skip.left > 0 {
            return Ok(false);
        }
        if let Some(skip) = self.skip.take() {
            self.owe(skip.delivery, true, parsed)?;
            parsed.owed.messages += 1;
            if skip.publish.is_some() && !self.came_before(skip.delivery) {
                parsed.publishes.extend(skip.publish);
            }
        }
        Ok(true)
    }

    fn control(&mut self, packet: Control) -> Result<(), Close> {
        let version = self.ready.connect.version;
        match packet {
            Control::Ping => encode::pong(&mut self.output),
            Control::Puback { packet_id } => self.ready.held.session.acknowledged(packet_id),
            Control::Pubrel { packet_id } => {
                let code = if self.ready.held.session.release(packet_id) {
                    self.unacknowledged = self.unacknowledged.saturating_sub(1);
                    reason::SUCCESS
                } else {
                    reason::PACKET_ID_NOT_FOUND
                };
                encode::pubcomp(&mut self.output, version, packet_id, code);
            }
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

    /// Whether commands of another system go out to the account on a topic of this filter.
    fn may_subscribe(&self, filter: &str) -> bool {
        let principal = &self.ready.held.session.key.principal;
        self.uplink.may_subscribe(principal, filter)
    }

    fn subscribe(&self, wanted: &frame::Wanted, identifier: bool) -> u8 {
        let allowed = if identifier {
            Err(reason::SUBSCRIPTION_IDENTIFIERS)
        } else {
            let own = self.ready.rights.subscribe(&wanted.filter);
            match own {
                Err(reason::NOT_AUTHORIZED) if self.may_subscribe(&wanted.filter) => Ok(()),
                own => own,
            }
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
            self.refused(Reject::ForeignFilter, &wanted.filter, b"", Instant::now());
            if self.ready.connect.version == Version::V5 {
                code
            } else {
                reason::SUBACK_FAILURE
            }
        })
    }
}
