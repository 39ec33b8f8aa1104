//! MQTT packets into bytes, both versions, for the server's side. Written straight into the connection's output, because
//! one write carries many of them.

use bytes::{BufMut as _, BytesMut};
use mqtt_protocol_core::mqtt::packet as core;
use mqtt_protocol_core::mqtt::packet::{Property, v5_0};
use mqtt_protocol_core::mqtt::result_code::{ConnectReasonCode, MqttError};

use super::frame::Version;
use super::reason;

/// What a CONNACK of success tells an MQTT 5 client.
#[derive(Debug, Clone)]
pub(super) struct Welcome {
    pub(super) session_present: bool,
    pub(super) assigned_client_id: Option<String>,
    pub(super) server_keep_alive: Option<u16>,
    /// Present when it is less than the client asked for.
    pub(super) session_expiry: Option<u32>,
    pub(super) receive_maximum: u16,
    pub(super) maximum_packet_size: u32,
    pub(super) topic_alias_maximum: u16,
}

/// Accepts a connection.
pub(super) fn welcome(
    out: &mut BytesMut,
    version: Version,
    welcome: &Welcome,
) -> Result<(), MqttError> {
    if version == Version::V4 {
        out.put_slice(&[0x20, 2, u8::from(welcome.session_present), 0]);
        return Ok(());
    }
    let mut properties: Vec<Property> = vec![
        core::ReceiveMaximum::new(welcome.receive_maximum)?.into(),
        core::MaximumPacketSize::new(welcome.maximum_packet_size)?.into(),
        core::TopicAliasMaximum::new(welcome.topic_alias_maximum)?.into(),
        core::SubscriptionIdentifierAvailable::new(0)?.into(),
        core::SharedSubscriptionAvailable::new(0)?.into(),
    ];
    if let Some(id) = &welcome.assigned_client_id {
        properties.push(core::AssignedClientIdentifier::new(id.as_str())?.into());
    }
    if let Some(seconds) = welcome.server_keep_alive {
        properties.push(core::ServerKeepAlive::new(seconds)?.into());
    }
    if let Some(seconds) = welcome.session_expiry {
        properties.push(core::SessionExpiryInterval::new(seconds)?.into());
    }
    let packet = v5_0::Connack::builder()
        .session_present(welcome.session_present)
        .reason_code(ConnectReasonCode::Success)
        .props(properties)
        .build()?;
    out.put_slice(&packet.to_continuous_buffer());
    Ok(())
}

/// Refuses a connection. 3.1.1 has no words for most reasons: then nothing is written.
pub(super) fn refuse(out: &mut BytesMut, version: Version, code: u8) {
    match version {
        Version::V5 => out.put_slice(&[0x20, 3, 0, code, 0]),
        Version::V4 => {
            if let Some(code) = reason::connack_3_1_1(code) {
                out.put_slice(&[0x20, 2, 0, code]);
            }
        }
    }
}

/// Acknowledges a QoS 1 publish.
pub(super) fn puback(out: &mut BytesMut, version: Version, packet_id: u16, code: u8) {
    acknowledge(out, 0x40, version, packet_id, code);
}

/// Acknowledges a QoS 2 publish: it is safe, and its id is not taken for another until the client releases it.
pub(super) fn pubrec(out: &mut BytesMut, version: Version, packet_id: u16, code: u8) {
    acknowledge(out, 0x50, version, packet_id, code);
}

/// Answers a PUBREL: the id is free.
pub(super) fn pubcomp(out: &mut BytesMut, version: Version, packet_id: u16, code: u8) {
    acknowledge(out, 0x70, version, packet_id, code);
}

/// 3.1.1 has no reason codes.
fn acknowledge(out: &mut BytesMut, first: u8, version: Version, packet_id: u16, code: u8) {
    let [high, low] = packet_id.to_be_bytes();
    if version == Version::V5 && code != reason::SUCCESS {
        out.put_slice(&[first, 3, high, low, code]);
    } else {
        out.put_slice(&[first, 2, high, low]);
    }
}

/// Answers a SUBSCRIBE, a code per entry.
pub(super) fn suback(out: &mut BytesMut, version: Version, packet_id: u16, codes: &[u8]) {
    answer(out, 0x90, version, packet_id, codes);
}

/// Answers an UNSUBSCRIBE, a code per entry (which 3.1.1 does not carry).
pub(super) fn unsuback(out: &mut BytesMut, version: Version, packet_id: u16, codes: &[u8]) {
    answer(
        out,
        0xb0,
        version,
        packet_id,
        if version == Version::V5 { codes } else { &[] },
    );
}

fn answer(out: &mut BytesMut, first: u8, version: Version, packet_id: u16, codes: &[u8]) {
    out.put_u8(first);
    varint(out, 2 + usize::from(version == Version::V5) + codes.len());
    out.put_u16(packet_id);
    if version == Version::V5 {
        out.put_u8(0);
    }
    out.put_slice(codes);
}

/// Answers a PINGREQ.
pub(super) fn pong(out: &mut BytesMut) {
    out.put_slice(&[0xd0, 0]);
}

/// Says why the connection ends. 3.1.1 servers cannot say it.
pub(super) fn disconnect(out: &mut BytesMut, version: Version, code: u8) {
    if version == Version::V5 {
        out.put_slice(&[0xe0, 2, code, 0]);
    }
}

/// A PUBLISH to a client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outbound<'a> {
    pub(super) topic: &'a str,
    pub(super) payload: &'a [u8],
    /// `Some` at QoS 1.
    pub(super) packet_id: Option<u16>,
    pub(super) duplicate: bool,
    /// How long the message is still worth something; MQTT 5 tells the client.
    pub(super) expires_in_seconds: Option<u32>,
    /// Further properties, as MQTT 5 has them on the wire.
    pub(super) properties: &'a [u8],
}

impl Outbound<'_> {
    fn property_len(&self) -> usize {
        let expiry = if self.expires_in_seconds.is_some() {
            5
        } else {
            0
        };
        expiry + self.properties.len()
    }

    fn body_len(&self, version: Version) -> usize {
        2 + self.topic.len()
            + if self.packet_id.is_some() { 2 } else { 0 }
            + if version == Version::V5 {
                varint_len(self.property_len()) + self.property_len()
            } else {
                0
            }
            + self.payload.len()
    }

    /// The size of the packet on the wire.
    pub(super) fn size(&self, version: Version) -> usize {
        let body = self.body_len(version);
        1 + varint_len(body) + body
    }

    /// Writes the packet. The topic is at most 65,535 bytes: the downlink checks it.
    pub(super) fn write(&self, out: &mut BytesMut, version: Version) {
        out.reserve(self.size(version));
        let qos = u8::from(self.packet_id.is_some()) << 1;
        out.put_u8(0x30 | qos | u8::from(self.duplicate) << 3);
        varint(out, self.body_len(version));
        out.put_u16(u16::try_from(self.topic.len()).unwrap_or(u16::MAX));
        out.put_slice(self.topic.as_bytes());
        if let Some(id) = self.packet_id {
            out.put_u16(id);
        }
        if version == Version::V5 {
            varint(out, self.property_len());
            if let Some(seconds) = self.expires_in_seconds {
                out.put_u8(0x02);
                out.put_u32(seconds);
            }
            out.put_slice(self.properties);
        }
        out.put_slice(self.payload);
    }
}

fn varint_len(value: usize) -> usize {
    match value {
        0..=0x7f => 1,
        0x80..=0x3fff => 2,
        0x4000..=0x1f_ffff => 3,
        _ => 4,
    }
}

fn varint(out: &mut BytesMut, mut value: usize) {
    loop {
        let low = u8::try_from(value & 0x7f).unwrap_or_default();
        value >>= 7;
        if value == 0 {
            out.put_u8(low);
            return;
        }
        out.put_u8(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mqtt_protocol_core::mqtt::packet::v3_1_1;

    use super::*;
    use crate::mqtt::frame::header;

    fn body(out: &BytesMut) -> &[u8] {
        let header = header(out).unwrap().unwrap();
        assert_eq!(header.total(), out.len());
        &out[header.header_len..]
    }

    #[test]
    fn a_welcome_tells_the_limits() {
        let mut out = BytesMut::new();
        let said = Welcome {
            session_present: true,
            assigned_client_id: Some("auto-1".into()),
            server_keep_alive: Some(300),
            session_expiry: Some(86_400),
            receive_maximum: 4096,
            maximum_packet_size: 270_000,
            topic_alias_maximum: 16,
        };
        welcome(&mut out, Version::V5, &said).unwrap();
        let (packet, used) = v5_0::Connack::parse(body(&out)).unwrap();
        assert_eq!(used, body(&out).len());
        assert!(packet.session_present());
        assert_eq!(packet.props().len(), 8);
        out.clear();
        welcome(&mut out, Version::V4, &said).unwrap();
        assert_eq!(&out[..], [0x20, 2, 1, 0]);
    }

    #[test]
    fn refusals_have_a_code_in_both_versions() {
        let mut out = BytesMut::new();
        refuse(&mut out, Version::V5, reason::BAD_CREDENTIALS);
        let (packet, _) = v5_0::Connack::parse(body(&out)).unwrap();
        assert_eq!(
            packet.reason_code(),
            ConnectReasonCode::BadUserNameOrPassword
        );
        out.clear();
        refuse(&mut out, Version::V4, reason::NOT_AUTHORIZED);
        assert_eq!(&out[..], [0x20, 2, 0, 5]);
        out.clear();
        refuse(&mut out, Version::V4, reason::MALFORMED);
        assert!(out.is_empty());
    }

    #[test]
    fn answers_parse_in_both_versions() {
        let mut out = BytesMut::new();
        suback(&mut out, Version::V5, 7, &[1, reason::NOT_AUTHORIZED]);
        assert_eq!(
            v5_0::Suback::parse(body(&out))
                .unwrap()
                .0
                .reason_codes()
                .len(),
            2
        );
        out.clear();
        suback(&mut out, Version::V4, 7, &[1, reason::SUBACK_FAILURE]);
        assert_eq!(v3_1_1::Suback::parse(body(&out)).unwrap().0.packet_id(), 7);
        out.clear();
        unsuback(
            &mut out,
            Version::V5,
            9,
            &[0, reason::NO_SUBSCRIPTION_EXISTED],
        );
        assert_eq!(v5_0::Unsuback::parse(body(&out)).unwrap().0.packet_id(), 9);
        out.clear();
        unsuback(&mut out, Version::V4, 9, &[0]);
        assert_eq!(&out[..], [0xb0, 2, 0, 9]);
        out.clear();
        puback(&mut out, Version::V5, 3, reason::NOT_AUTHORIZED);
        assert_eq!(v5_0::Puback::parse(body(&out)).unwrap().0.packet_id(), 3);
        out.clear();
        pubrec(&mut out, Version::V5, 3, reason::NOT_AUTHORIZED);
        assert_eq!(v5_0::Pubrec::parse(body(&out)).unwrap().0.packet_id(), 3);
        out.clear();
        pubcomp(&mut out, Version::V5, 3, reason::PACKET_ID_NOT_FOUND);
        assert_eq!(v5_0::Pubcomp::parse(body(&out)).unwrap().0.packet_id(), 3);
        out.clear();
        pubcomp(&mut out, Version::V4, 3, reason::PACKET_ID_NOT_FOUND);
        assert_eq!(&out[..], [0x70, 2, 0, 3]);
        out.clear();
        disconnect(&mut out, Version::V5, reason::PROTOCOL_ERROR);
        assert!(v5_0::Disconnect::parse(body(&out)).is_ok());
    }

    #[test]
    fn a_publish_has_the_size_that_it_says() {
        let user = b"\x26\0\x01k\0\x01v".repeat(30);
        for (version, expires, payload) in [
            (Version::V4, None, vec![7; 3]),
            (Version::V5, None, vec![7; 200]),
            (Version::V5, Some(15), vec![7; 20_000]),
            (Version::V4, None, vec![7; 2_100_000]),
        ] {
            let sent = Outbound {
                topic: "harit/1/f/A4CF120B9E01/command",
                payload: &payload,
                packet_id: Some(4),
                duplicate: true,
                expires_in_seconds: expires,
                properties: &user,
            };
            let mut out = BytesMut::new();
            sent.write(&mut out, version);
            assert_eq!(out.len(), sent.size(version));
            let bytes: Arc<[u8]> = body(&out).into();
            let flags = out[0] & 0x0f;
            assert_eq!(flags, 0b1010);
            let seen = match version {
                Version::V4 => v3_1_1::Publish::parse(flags, bytes)
                    .unwrap()
                    .0
                    .payload()
                    .as_slice()
                    .len(),
                Version::V5 => v5_0::Publish::parse(flags, bytes)
                    .unwrap()
                    .0
                    .payload()
                    .as_slice()
                    .len(),
            };
            assert_eq!(seen, payload.len());
        }
    }
}
