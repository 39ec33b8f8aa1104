//! The CONNECT packet: who a client says that it is, and what it wants kept for it.

use bytes::Bytes;
use mqtt_protocol_core::mqtt::packet::{Properties, Property, v3_1_1, v5_0};

use super::frame::{Fault, Header, Seen, Version, exact};
use super::properties::Said;
use super::reason;

/// The largest CONNECT, in bytes. A will fits; nobody has shown who they are yet, so no more is buffered for them.
pub(super) const MAX_CONNECT_BYTES: usize = 16 * 1024;

/// A will: published for the client when its connection ends without a goodbye.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Will {
    pub(super) topic: String,
    pub(super) payload: Bytes,
    pub(super) retain: bool,
    /// How long to wait for the client to come back first, in seconds.
    pub(super) delay: u32,
    pub(super) said: Said,
}

/// A CONNECT that is well formed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Connect {
    pub(super) version: Version,
    pub(super) client_id: String,
    pub(super) clean: bool,
    /// Seconds; 0 is none.
    pub(super) keep_alive: u16,
    pub(super) will: Option<Will>,
    pub(super) username: Option<String>,
    pub(super) password: Vec<u8>,
    /// Seconds that the session outlives the connection; `u32::MAX` is for ever.
    pub(super) session_expiry: u32,
    /// How many publishes the client takes before it has acknowledged one.
    pub(super) receive_maximum: u16,
    /// The largest packet that the client takes.
    pub(super) maximum_packet_size: usize,
}

/// Why the first bytes of a connection are no acceptable CONNECT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadConnect {
    /// Not MQTT at all, or so broken that no version is known: close without a word.
    Close,
    /// Answer with this code, in this version's form.
    Refuse(Version, u8),
}

/// Reads a CONNECT's body.
pub(super) fn parse(header: Header, first: u8, body: &[u8]) -> Result<Connect, BadConnect> {
    if header.kind() != 1 || first != 0x10 {
        return Err(BadConnect::Close);
    }
    // MQTT 3.1 has another protocol name, and is told that 3.1.1 is spoken here.
    if body.starts_with(b"\x00\x06MQIsdp") {
        return Err(BadConnect::Refuse(Version::V4, reason::UNSUPPORTED_VERSION));
    }
    if !body.starts_with(b"\x00\x04MQTT") {
        return Err(BadConnect::Close);
    }
    match body.get(6) {
        Some(4) => v4(body).map_err(|fault| BadConnect::Refuse(Version::V4, fault.0)),
        // Mosquitto's bridges set the highest bit. Nothing here depends on it: nothing comes back to who published it.
        Some(0x84) => {
            let mut plain = body.to_vec();
            plain[6] = 4;
            v4(&plain).map_err(|fault| BadConnect::Refuse(Version::V4, fault.0))
        }
        Some(5) => v5(body).map_err(|fault| BadConnect::Refuse(Version::V5, fault.0)),
        Some(0..=3) => Err(BadConnect::Refuse(Version::V4, reason::UNSUPPORTED_VERSION)),
        Some(_) => Err(BadConnect::Refuse(Version::V5, reason::UNSUPPORTED_VERSION)),
        None => Err(BadConnect::Close),
    }
}

/// Checks the flags byte as both specifications want it.
fn flags(body: &[u8]) -> Result<(), Fault> {
    let flags = *body.get(7).ok_or(Fault::MALFORMED)?;
    let (reserved, will, will_qos, will_retain) =
        (flags & 1, flags & 4, (flags >> 3) & 3, flags & 0x20);
    if reserved != 0 || will_qos == 3 || (will == 0 && (will_qos != 0 || will_retain != 0)) {
        return Err(Fault::MALFORMED);
    }
    Ok(())
}

fn v4(body: &[u8]) -> Result<Connect, Fault> {
    flags(body)?;
    let packet = exact(v3_1_1::Connect::parse(body), body)?;
    Ok(Connect {
        version: Version::V4,
        client_id: packet.client_id().to_owned(),
        clean: packet.clean_session(),
        keep_alive: packet.keep_alive(),
        will: packet.will_flag().then(|| Will {
            topic: packet.will_topic().unwrap_or_default().to_owned(),
            payload: Bytes::copy_from_slice(packet.will_payload().unwrap_or_default()),
            retain: packet.will_retain(),
            delay: 0,
            said: Said::default(),
        }),
        username: packet.user_name().map(str::to_owned),
        password: packet.password().unwrap_or_default().to_vec(),
        session_expiry: if packet.clean_session() { 0 } else { u32::MAX },
        receive_maximum: u16::MAX,
        maximum_packet_size: usize::MAX,
    })
}

fn v5(body: &[u8]) -> Result<Connect, Fault> {
    flags(body)?;
    let packet = exact(v5_0::Connect::parse(body), body)?;
    let mut connect = Connect {
        version: Version::V5,
        client_id: packet.client_id().to_owned(),
        clean: packet.clean_start(),
        keep_alive: packet.keep_alive(),
        will: None,
        username: packet.user_name().map(str::to_owned),
        password: packet.password().unwrap_or_default().to_vec(),
        session_expiry: 0,
        receive_maximum: u16::MAX,
        maximum_packet_size: usize::MAX,
    };
    let mut seen = Seen::default();
    for property in packet.props() {
        seen.check(property)?;
        match property {
            Property::SessionExpiryInterval(given) => connect.session_expiry = given.val(),
            Property::ReceiveMaximum(given) if given.val() == 0 => return Err(Fault::PROTOCOL),
            Property::ReceiveMaximum(given) => connect.receive_maximum = given.val(),
            Property::MaximumPacketSize(given) if given.val() == 0 => return Err(Fault::PROTOCOL),
            Property::MaximumPacketSize(given) => {
                connect.maximum_packet_size = usize::try_from(given.val()).unwrap_or(usize::MAX);
            }
            // There is no method that the endpoint knows; a name and a password are what it takes.
            Property::AuthenticationMethod(_) => {
                return Err(Fault(reason::BAD_AUTHENTICATION_METHOD));
            }
            Property::AuthenticationData(_) => return Err(Fault::PROTOCOL),
            _ => {}
        }
    }
    if packet.will_flag() {
        connect.will = Some(Will {
            topic: packet.will_topic().unwrap_or_default().to_owned(),
            payload: Bytes::copy_from_slice(packet.will_payload().unwrap_or_default()),
            retain: packet.will_retain(),
            delay: will_delay(&packet.will_props)?,
            said: Said::of(&packet.will_props),
        });
    }
    Ok(connect)
}

fn will_delay(properties: &Properties) -> Result<u32, Fault> {
    let mut seen = Seen::default();
    let mut delay = 0;
    for property in properties {
        seen.check(property)?;
        match property {
            Property::WillDelayInterval(given) => delay = given.val(),
            Property::ResponseTopic(topic) if topic.val().contains(['+', '#']) => {
                return Err(Fault::PROTOCOL);
            }
            _ => {}
        }
    }
    Ok(delay)
}
