//! What a publisher says of its message besides the payload, for those who read it.

use bytes::Bytes;
use mqtt_protocol_core::mqtt::packet::{Properties, PropertiesParse as _, Property};

/// The properties of a publish that are passed on as they came: payload format, content type, response topic, correlation
/// data, user properties, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// As on the wire, without their length; empty in 3.1.1.
    pub(super) properties: Bytes,
    /// How long the message is worth something, in seconds, if the publisher says so.
    pub(super) expires_in: Option<u32>,
}

impl Said {
    /// Reads the properties of a PUBLISH, with their length before them. Those that cannot be read say nothing: whoever
    /// accepted the packet has read them before.
    pub(super) fn read(block: &[u8]) -> Self {
        // The usual cases by far: nothing, or nothing but a topic alias.
        if block.len() <= 1 || matches!(block, [3, 0x23, _, _]) {
            return Self::default();
        }
        Properties::parse(block).map_or_else(|_| Self::default(), |(all, _)| Self::of(&all))
    }

    /// Those of a will or a publish: what is between the publisher and this server is left out.
    pub(super) fn of(all: &Properties) -> Self {
        let expires_in = all.iter().find_map(|property| match property {
            Property::MessageExpiryInterval(given) => Some(given.val()),
            _ => None,
        });
        Self {
            properties: all.iter().filter_map(forwarded).flatten().collect(),
            expires_in,
        }
    }
}

fn forwarded(property: &Property) -> Option<Vec<u8>> {
    Some(match property {
        Property::PayloadFormatIndicator(given) => given.to_continuous_buffer(),
        Property::ContentType(given) => given.to_continuous_buffer(),
        Property::ResponseTopic(given) => given.to_continuous_buffer(),
        Property::CorrelationData(given) => given.to_continuous_buffer(),
        Property::UserProperty(given) => given.to_continuous_buffer(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_readers_is_passed_on_as_it_came() {
        let kept = b"\x26\0\x01k\0\x01v\x01\x01\x03\0\x01j\x08\0\x01r\x09\0\x01c\x26\0\x01k\0\x01w";
        let mut block = vec![0];
        block.extend(b"\x23\0\x02");
        block.extend(&kept[..7]);
        block.extend(b"\x02\0\0\0\x0a");
        block.extend(&kept[7..]);
        block[0] = u8::try_from(block.len() - 1).unwrap();
        let said = Said::read(&block);
        assert_eq!(said.properties, &kept[..]);
        assert_eq!(said.expires_in, Some(10));
        for nothing in [&b""[..], b"\0", b"\x03\x23\0\x01", b"\x09\x26"] {
            assert_eq!(Said::read(nothing), Said::default());
        }
    }
}
