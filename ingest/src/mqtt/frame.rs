//! Bytes into MQTT packets, both versions, for the server's side.
//!
//! CONNECT, SUBSCRIBE, UNSUBSCRIBE, PUBACK, PUBREL and DISCONNECT are parsed by mqtt-protocol-core; this module adds what that
//! crate leaves to its caller (reserved flag bits, packet ids of zero, topics with wildcards, properties given twice).
//! PUBLISH is parsed here without a copy: it is nearly all of the traffic, and its payload stays a slice of the read
//! buffer. The crate's `Connection` is not used: it answers every packet with a list of events, and its count of unanswered
//! publishes goes below zero when a session resumes.

use std::ops::Range;

use mqtt_protocol_core::mqtt::packet::{
    Properties, PropertiesParse as _, Property, Qos, v3_1_1, v5_0,
};

use super::reason;

/// The longest fixed header: type, and four bytes of remaining length.
const MAX_HEADER_BYTES: usize = 5;

/// The protocol version of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// MQTT 3.1.1, whose protocol level is 4.
    V4,
    /// MQTT 5.
    V5,
}

/// What is wrong with a packet, as the reason code that MQTT 5 has for it; 3.1.1 can only close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault(pub(super) u8);

impl Fault {
    pub(super) const MALFORMED: Self = Self(reason::MALFORMED);
    pub(super) const PROTOCOL: Self = Self(reason::PROTOCOL_ERROR);
    pub(super) const TOO_LARGE: Self = Self(reason::PACKET_TOO_LARGE);
    pub(super) const ALIAS: Self = Self(reason::TOPIC_ALIAS_INVALID);
    pub(super) const RECEIVE_MAXIMUM: Self = Self(reason::RECEIVE_MAXIMUM_EXCEEDED);
}

/// A packet's fixed header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    first: u8,
    /// How long the header itself is.
    pub(super) header_len: usize,
    /// How many bytes follow it.
    pub(super) body_len: usize,
}

impl Header {
    /// The packet's length with its header.
    pub(super) fn total(&self) -> usize {
        self.header_len + self.body_len
    }

    /// The packet type, 1 to 15.
    pub(super) fn kind(&self) -> u8 {
        self.first >> 4
    }

    pub(super) fn is_publish(&self) -> bool {
        self.kind() == 3
    }
}

/// Reads a fixed header. `None` when more bytes are needed.
pub(super) fn header(bytes: &[u8]) -> Result<Option<Header>, Fault> {
    let Some(&first) = bytes.first() else {
        return Ok(None);
    };
    let mut body_len = 0;
    for (at, &byte) in bytes.iter().enumerate().take(MAX_HEADER_BYTES).skip(1) {
        body_len |= usize::from(byte & 0x7f) << (7 * (at - 1));
        if byte & 0x80 == 0 {
            return Ok(Some(Header {
                first,
                header_len: at + 1,
                body_len,
            }));
        }
    }
    if bytes.len() >= MAX_HEADER_BYTES {
        Err(Fault::MALFORMED)
    } else {
        Ok(None)
    }
}

/// How surely a publish is to arrive, with its packet id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::enum_variant_names, reason = "the standard's names")]
pub(super) enum Delivery {
    /// QoS 0.
    AtMostOnce,
    /// QoS 1.
    AtLeastOnce(u16),
    /// QoS 2.
    ExactlyOnce(u16),
}

/// A PUBLISH, its topic borrowed and its payload a range of the body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PublishFrame<'a> {
    /// Empty when an alias stands for it.
    pub(super) topic: &'a str,
    pub(super) alias: Option<u16>,
    pub(super) delivery: Delivery,
    pub(super) retain: bool,
    /// The properties, their length before them; empty in 3.1.1.
    pub(super) properties: Range<usize>,
    pub(super) payload: Range<usize>,
}

/// Reads a PUBLISH. With `whole` false, `body` is only the start of a larger packet, and the payload's range ends with it.
pub(super) fn publish(
    version: Version,
    header: Header,
    body: &[u8],
    whole: bool,
) -> Result<PublishFrame<'_>, Fault> {
    let qos = (header.first >> 1) & 3;
    let duplicate = header.first & 8 != 0;
    if qos == 3 || (qos == 0 && duplicate) {
        return Err(Fault::MALFORMED);
    }
    let (topic, mut at) = text(body)?;
    if topic.bytes().any(|byte| matches!(byte, b'+' | b'#' | 0)) {
        return Err(Fault::MALFORMED);
    }
    let delivery = if qos == 0 {
        Delivery::AtMostOnce
    } else {
        let id = packet_id(body, at)?;
        at += 2;
        if qos == 1 {
            Delivery::AtLeastOnce(id)
        } else {
            Delivery::ExactlyOnce(id)
        }
    };
    let mut alias = None;
    let properties_at = at;
    if version == Version::V5 {
        let (length, used) = varint(&body[at..])?;
        let end = at + used + length;
        if end <= body.len() {
            if length > 0 {
                alias = publish_properties(&body[at..end])?;
            }
            at = end;
        } else if whole {
            return Err(Fault::MALFORMED);
        } else {
            at = body.len();
        }
    }
    if topic.is_empty() && alias.is_none() {
        return Err(if version == Version::V5 {
            Fault::PROTOCOL
        } else {
            Fault::MALFORMED
        });
    }
    Ok(PublishFrame {
        topic,
        alias,
        delivery,
        retain: header.first & 1 != 0,
        properties: properties_at..at,
        payload: at..body.len(),
    })
}

/// Reads a PUBLISH's properties (with their length before them); only the topic alias matters here: [`super::properties`] has the rest.
fn publish_properties(bytes: &[u8]) -> Result<Option<u16>, Fault> {
    // The usual case by far: nothing but a topic alias.
    if let [3, 0x23, high, low] = *bytes {
        return nonzero_alias(u16::from_be_bytes([high, low])).map(Some);
    }
    let (properties, _) = Properties::parse(bytes).map_err(|_| Fault::MALFORMED)?;
    let mut alias = None;
    let mut seen = Seen::default();
    for property in &properties {
        seen.check(property)?;
        match property {
            Property::TopicAlias(given) => alias = Some(nonzero_alias(given.val())?),
            Property::ResponseTopic(topic) if topic.val().contains(['+', '#']) => {
                return Err(Fault::PROTOCOL);
            }
            Property::PayloadFormatIndicator(_)
            | Property::MessageExpiryInterval(_)
            | Property::ContentType(_)
            | Property::ResponseTopic(_)
            | Property::CorrelationData(_)
            | Property::UserProperty(_) => {}
            // Among them the subscription identifier, which only a server may send.
            _ => return Err(Fault::PROTOCOL),
        }
    }
    Ok(alias)
}

fn nonzero_alias(alias: u16) -> Result<u16, Fault> {
    if alias == 0 {
        Err(Fault::ALIAS)
    } else {
        Ok(alias)
    }
}

/// Which properties came already: all but the user property may come once.
#[derive(Default)]
pub(super) struct Seen(u64);

impl Seen {
    pub(super) fn check(&mut self, property: &Property) -> Result<(), Fault> {
        if matches!(property, Property::UserProperty(_)) {
            return Ok(());
        }
        let bit = 1_u64 << (property.id().as_u8() & 63);
        if self.0 & bit != 0 {
            return Err(Fault::PROTOCOL);
        }
        self.0 |= bit;
        Ok(())
    }
}

/// One entry of a SUBSCRIBE.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) filter: String,
    /// The most that is asked for, 0 to 2.
    pub(super) qos: u8,
}

/// What a connected client may send besides PUBLISH.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Control {
    Puback {
        packet_id: u16,
    },
    Pubrel {
        packet_id: u16,
    },
    Subscribe {
        packet_id: u16,
        wanted: Vec<Wanted>,
        identifier: bool,
    },
    Unsubscribe {
        packet_id: u16,
        filters: Vec<String>,
    },
    Ping,
    Disconnect {
        with_will: bool,
        session_expiry: Option<u32>,
    },
}

/// Reads a packet that is not a PUBLISH.
pub(super) fn control(version: Version, header: Header, body: &[u8]) -> Result<Control, Fault> {
    let flags = header.first & 0x0f;
    let expected = if matches!(header.kind(), 6 | 8 | 10) {
        2
    } else {
        0
    };
    if flags != expected {
        return Err(Fault::MALFORMED);
    }
    match (header.kind(), version) {
        (kind @ (4 | 6), _) => {
            let packet_id = packet_id(body, 0)?;
            match version {
                Version::V4 if body.len() != 2 => return Err(Fault::MALFORMED),
                Version::V5 if body.len() > 2 && kind == 4 => {
                    exact(v5_0::Puback::parse(body), body)?;
                }
                Version::V5 if body.len() > 2 => {
                    exact(v5_0::Pubrel::parse(body), body)?;
                }
                _ => {}
            }
            Ok(if kind == 4 {
                Control::Puback { packet_id }
            } else {
                Control::Pubrel { packet_id }
            })
        }
        (8, _) => subscribe(version, body),
        (10, Version::V4) => {
            let packet = exact(v3_1_1::Unsubscribe::parse(body), body)?;
            unsubscribe(packet.packet_id(), packet.entries())
        }
        (10, Version::V5) => {
            let packet = exact(v5_0::Unsubscribe::parse(body), body)?;
            unsubscribe(packet.packet_id(), packet.entries())
        }
        (12, _) if body.is_empty() => Ok(Control::Ping),
        (14, Version::V4) if body.is_empty() => Ok(Control::Disconnect {
            with_will: false,
            session_expiry: None,
        }),
        (14, Version::V5) => {
            let packet = exact(v5_0::Disconnect::parse(body), body)?;
            let session_expiry =
                packet
                    .props()
                    .iter()
                    .flatten()
                    .find_map(|property| match property {
                        Property::SessionExpiryInterval(interval) => Some(interval.val()),
                        _ => None,
                    });
            let with_will = body.first().is_some_and(|&code| code != 0);
            Ok(Control::Disconnect {
                with_will,
                session_expiry,
            })
        }
        (12 | 14, _) => Err(Fault::MALFORMED),
        // A second CONNECT, an answer to a QoS 2 publish, which no client gets, a packet that only servers send, or AUTH.
        _ => Err(Fault::PROTOCOL),
    }
}

fn subscribe(version: Version, body: &[u8]) -> Result<Control, Fault> {
    let wanted = |entries: &[mqtt_protocol_core::mqtt::packet::SubEntry]| {
        entries
            .iter()
            .map(|entry| Wanted {
                filter: entry.topic_filter().to_owned(),
                qos: match entry.sub_opts().qos() {
                    Qos::AtMostOnce => 0,
                    Qos::AtLeastOnce => 1,
                    Qos::ExactlyOnce => 2,
                },
            })
            .collect::<Vec<_>>()
    };
    let (packet_id, wanted, identifier) = match version {
        Version::V4 => {
            let packet = exact(v3_1_1::Subscribe::parse(body), body)?;
            // The upper bits of the requested QoS are reserved in 3.1.1; the crate reads them as MQTT 5 options.
            if packet
                .entries()
                .iter()
                .any(|entry| entry.sub_opts().to_buffer()[0] > 2)
            {
                return Err(Fault::MALFORMED);
            }
            (packet.packet_id(), wanted(packet.entries()), false)
        }
        Version::V5 => {
            let packet = exact(v5_0::Subscribe::parse(body), body)?;
            let identifier = packet
                .props()
                .iter()
                .any(|property| matches!(property, Property::SubscriptionIdentifier(_)));
            (packet.packet_id(), wanted(packet.entries()), identifier)
        }
    };
    if packet_id == 0 {
        return Err(Fault::MALFORMED);
    }
    Ok(Control::Subscribe {
        packet_id,
        wanted,
        identifier,
    })
}

fn unsubscribe(
    packet_id: u16,
    filters: &[mqtt_protocol_core::mqtt::packet::MqttString],
) -> Result<Control, Fault> {
    if packet_id == 0 {
        return Err(Fault::MALFORMED);
    }
    Ok(Control::Unsubscribe {
        packet_id,
        filters: filters
            .iter()
            .map(|filter| filter.as_str().to_owned())
            .collect(),
    })
}

/// The packet, if it parsed and nothing is left over.
pub(super) fn exact<T>(
    parsed: Result<(T, usize), mqtt_protocol_core::mqtt::result_code::MqttError>,
    body: &[u8],
) -> Result<T, Fault> {
    match parsed {
        Ok((packet, used)) if used == body.len() => Ok(packet),
        Ok(_) => Err(Fault::MALFORMED),
        // The crate's protocol errors keep their code; all else that it finds is a malformed packet.
        Err(mqtt_protocol_core::mqtt::result_code::MqttError::ProtocolError) => {
            Err(Fault::PROTOCOL)
        }
        Err(_) => Err(Fault::MALFORMED),
    }
}

fn text(bytes: &[u8]) -> Result<(&str, usize), Fault> {
    let end = 2 + usize::from(u16_at(bytes, 0)?);
    let text = bytes.get(2..end).ok_or(Fault::MALFORMED)?;
    Ok((
        std::str::from_utf8(text).map_err(|_| Fault::MALFORMED)?,
        end,
    ))
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, Fault> {
    match bytes.get(at..at + 2) {
        Some(&[high, low]) => Ok(u16::from_be_bytes([high, low])),
        _ => Err(Fault::MALFORMED),
    }
}

fn packet_id(bytes: &[u8], at: usize) -> Result<u16, Fault> {
    match u16_at(bytes, at)? {
        0 => Err(Fault::MALFORMED),
        id => Ok(id),
    }
}

fn varint(bytes: &[u8]) -> Result<(usize, usize), Fault> {
    let mut value = 0;
    for (at, &byte) in bytes.iter().enumerate().take(4) {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Ok((value, at + 1));
        }
    }
    Err(Fault::MALFORMED)
}

#[cfg(test)]
mod tests;
