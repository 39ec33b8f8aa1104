//! The few MQTT 3.1.1 packets that a controller under load needs, written and read by hand.
//!
//! The generator shares its cores with the server that it measures, so what it costs is lost to the measurement. A protocol
//! library allocates a packet and its topic for every publish and keeps a store of what is in flight; here a publish is a
//! frame made once, into which its packet id is patched, and an acknowledgement is four bytes that are looked at in place.

use std::ops::Range;

/// A packet cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server sent what is no MQTT packet")]
pub(crate) struct BadPacket;

/// The largest packet that is read: a command is a few hundred bytes.
pub(crate) const MAX_PACKET_BYTES: usize = 64 << 10;

const CONNECT: u8 = 0x10;
const PUBLISH: u8 = 0x30;
const PUBACK: u8 = 0x40;
const SUBSCRIBE: u8 = 0x82;
const DISCONNECT: u8 = 0xe0;
const RETAIN: u8 = 0x01;
const PINGREQ: u8 = 0xc0;

fn length(out: &mut Vec<u8>, mut n: usize) {
    loop {
        let low = u8::try_from(n & 0x7f).unwrap_or(0);
        n >>= 7;
        if n == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.extend_from_slice(&u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_be_bytes());
    out.extend_from_slice(bytes);
}

/// Who connects, with a clean session.
#[derive(Debug)]
pub(crate) struct Connect<'a> {
    pub(crate) client: &'a str,
    pub(crate) user: &'a str,
    pub(crate) password: &'a str,
    /// In seconds.
    pub(crate) keep_alive: u16,
    /// The topic and payload of its will, at QoS 1 and retained.
    pub(crate) will: Option<(&'a str, &'a str)>,
}

/// CONNECT.
pub(crate) fn connect(out: &mut Vec<u8>, who: &Connect<'_>) {
    let will = if who.will.is_some() { 0b0010_1100 } else { 0 };
    let mut body = vec![0, 4, b'M', b'Q', b'T', b'T', 4, 0b1100_0010 | will];
    body.extend_from_slice(&who.keep_alive.to_be_bytes());
    text(&mut body, who.client);
    if let Some((topic, payload)) = who.will {
        text(&mut body, topic);
        text(&mut body, payload);
    }
    text(&mut body, who.user);
    text(&mut body, who.password);
    out.push(CONNECT);
    length(out, body.len());
    out.extend_from_slice(&body);
}

/// SUBSCRIBE to one filter at QoS 1.
pub(crate) fn subscribe(out: &mut Vec<u8>, packet_id: u16, filter: &str) {
    out.push(SUBSCRIBE);
    length(out, 2 + 2 + filter.len() + 1);
    out.extend_from_slice(&packet_id.to_be_bytes());
    text(out, filter);
    out.push(1);
}

/// PUBLISH; returns where its packet id stands, if it has one.
pub(crate) fn publish(
    out: &mut Vec<u8>,
    topic: &str,
    payload: &[u8],
    packet_id: Option<u16>,
    retain: bool,
) -> Option<usize> {
    let id_bytes = if packet_id.is_some() { 2 } else { 0 };
    let flags = u8::from(packet_id.is_some()) << 1 | if retain { RETAIN } else { 0 };
    out.push(PUBLISH | flags);
    length(out, 2 + topic.len() + id_bytes + payload.len());
    text(out, topic);
    let at = packet_id.map(|id| {
        let at = out.len();
        out.extend_from_slice(&id.to_be_bytes());
        at
    });
    out.extend_from_slice(payload);
    at
}

/// PUBACK.
pub(crate) fn puback(out: &mut Vec<u8>, packet_id: u16) {
    let [high, low] = packet_id.to_be_bytes();
    out.extend_from_slice(&[PUBACK, 2, high, low]);
}

/// PINGREQ.
pub(crate) fn pingreq(out: &mut Vec<u8>) {
    out.extend_from_slice(&[PINGREQ, 0]);
}

/// DISCONNECT.
pub(crate) fn disconnect(out: &mut Vec<u8>) {
    out.extend_from_slice(&[DISCONNECT, 0]);
}

/// What a server sends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Packet<'a> {
    /// The connection is accepted (0) or not.
    Connack(u8),
    /// A publish is taken.
    Puback(u16),
    /// The subscription is granted with this QoS, or refused (0x80).
    Suback(u8),
    /// A message for this controller.
    Publish {
        packet_id: Option<u16>,
        payload: &'a [u8],
    },
    /// Anything else.
    Other,
}

/// Takes one packet off the input; none where it is not complete.
pub(crate) fn take<'a>(input: &mut &'a [u8]) -> Result<Option<Packet<'a>>, BadPacket> {
    // Nearly all that comes is this.
    if let [PUBACK, 2, high, low, rest @ ..] = *input {
        *input = rest;
        return Ok(Some(Packet::Puback(u16::from_be_bytes([*high, *low]))));
    }
    let Some((kind, body)) = whole(input)? else {
        return Ok(None);
    };
    let (bytes, after) = input.split_at(body.end);
    *input = after;
    let body = &bytes[body];
    let byte = |at: usize| body.get(at).copied().ok_or(BadPacket);
    let packet = match kind >> 4 {
        2 => Packet::Connack(byte(1)?),
        4 => Packet::Puback(u16::from_be_bytes([byte(0)?, byte(1)?])),
        9 => Packet::Suback(byte(2)?),
        3 => {
            let topic = usize::from(u16::from_be_bytes([byte(0)?, byte(1)?]));
            let after = 2 + topic;
            let with_id = kind & 0b0110 != 0;
            let packet_id = with_id
                .then(|| Ok(u16::from_be_bytes([byte(after)?, byte(after + 1)?])))
                .transpose()?;
            let payload = body
                .get(after + if with_id { 2 } else { 0 }..)
                .ok_or(BadPacket)?;
            Packet::Publish { packet_id, payload }
        }
        _ => Packet::Other,
    };
    Ok(Some(packet))
}

/// The first byte and the body's place, if the packet is complete.
fn whole(input: &[u8]) -> Result<Option<(u8, Range<usize>)>, BadPacket> {
    let Some((kind, rest)) = input.split_first() else {
        return Ok(None);
    };
    let mut length = 0;
    for (i, b) in rest.iter().take(4).enumerate() {
        length |= usize::from(b & 0x7f) << (7 * i);
        if b & 0x80 == 0 {
            if length > MAX_PACKET_BYTES {
                return Err(BadPacket);
            }
            let from = i + 2;
            let complete = input.len() >= from + length;
            return Ok(complete.then_some((*kind, from..from + length)));
        }
    }
    if rest.len() < 4 {
        Ok(None)
    } else {
        Err(BadPacket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_those_of_the_standard() {
        let mut out = vec![];
        let mut who = Connect {
            client: "c",
            user: "u",
            password: "p",
            keep_alive: 600,
            will: None,
        };
        connect(&mut out, &who);
        assert_eq!(
            out,
            [
                0x10, 19, 0, 4, b'M', b'Q', b'T', b'T', 4, 0xc2, 2, 0x58, 0, 1, b'c', 0, 1, b'u',
                0, 1, b'p'
            ]
        );
        out.clear();
        (who.keep_alive, who.will) = (60, Some(("w", "x")));
        connect(&mut out, &who);
        assert_eq!(
            out[2..],
            [
                0, 4, b'M', b'Q', b'T', b'T', 4, 0xee, 0, 60, 0, 1, b'c', 0, 1, b'w', 0, 1, b'x',
                0, 1, b'u', 0, 1, b'p'
            ]
        );
        out.clear();
        subscribe(&mut out, 7, "a/b");
        assert_eq!(out, [0x82, 8, 0, 7, 0, 3, b'a', b'/', b'b', 1]);
        out.clear();
        assert_eq!(publish(&mut out, "t", b"xy", Some(258), true), Some(5));
        assert_eq!(out, [0x33, 7, 0, 1, b't', 1, 2, b'x', b'y']);
        out.clear();
        assert_eq!(publish(&mut out, "t", &[0; 200], None, false), None);
        assert_eq!(out[..4], [0x30, 203, 1, 0]);
    }

    #[test]
    fn packets_are_read_whole_or_not_at_all() {
        let mut bytes = vec![0x20, 2, 0, 5];
        puback(&mut bytes, 513);
        bytes.extend([0x90, 3, 0, 1, 0x80, 0xd0, 0]);
        publish(&mut bytes, "topic", &[7; 300], Some(9), false);
        publish(&mut bytes, "topic", b"q0", None, false);
        for cut in 0..=bytes.len() {
            let (mut rest, mut seen) = (&bytes[..cut], 0);
            while let Some(packet) = take(&mut rest).unwrap() {
                let expected = [
                    Packet::Connack(5),
                    Packet::Puback(513),
                    Packet::Suback(0x80),
                    Packet::Other,
                    Packet::Publish {
                        packet_id: Some(9),
                        payload: &[7; 300],
                    },
                    Packet::Publish {
                        packet_id: None,
                        payload: b"q0",
                    },
                ];
                assert_eq!(packet, expected[seen]);
                seen += 1;
            }
            assert_eq!(seen == 6, cut == bytes.len(), "{cut}");
        }
        assert_eq!(
            take(&mut &[0x30, 0xff, 0xff, 0xff, 0xff][..]),
            Err(BadPacket)
        );
        assert_eq!(take(&mut &[0x30, 3, 0, 9, b'x'][..]), Err(BadPacket));
    }
}
