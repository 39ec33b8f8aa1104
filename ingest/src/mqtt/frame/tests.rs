//! Packets cell by cell, and bytes that are no packets. The rest is shown by the endpoint's tests.

use proptest::prelude::*;

use super::*;
use crate::mqtt::connect;

const V4: Version = Version::V4;
const V5: Version = Version::V5;

fn one(version: Version, packet: &[u8]) -> Result<PublishFrame<'_>, Fault> {
    let header = header(packet).unwrap().unwrap();
    publish(version, header, &packet[header.header_len..], true)
}

#[test]
fn headers() {
    assert_eq!(header(&[]), Ok(None));
    assert_eq!(header(&[0x30]), Ok(None));
    assert_eq!(header(&[0x30, 0xff, 0xff]), Ok(None));
    for (bytes, header_len, body_len) in [
        (&[0xc0, 0][..], 2, 0),
        (&[0x30, 0x7f], 2, 127),
        (&[0x30, 0x80, 1], 3, 128),
        (&[0x30, 0xff, 0xff, 0xff, 0x7f], 5, 268_435_455),
    ] {
        let found = header(bytes).unwrap().unwrap();
        assert_eq!((found.header_len, found.body_len), (header_len, body_len));
    }
    assert_eq!(
        header(&[0x30, 0xff, 0xff, 0xff, 0xff]),
        Err(Fault::MALFORMED)
    );
    assert_eq!(
        header(&[0x30, 0xff, 0xff, 0xff, 0xff, 1]),
        Err(Fault::MALFORMED)
    );
}

#[test]
fn publishes() {
    let frame = one(V4, &[0x33, 6, 0, 1, b'a', 0, 7, b'x']).unwrap();
    assert_eq!(
        (frame.topic, frame.delivery, frame.retain, frame.payload),
        ("a", Delivery::AtLeastOnce(7), true, 5..6)
    );
    let frame = one(V4, &[0x3c, 6, 0, 1, b'a', 0, 7, b'x']).unwrap();
    assert_eq!(frame.delivery, Delivery::ExactlyOnce(7));
    let frame = one(V5, &[0x30, 8, 0, 1, b'a', 3, 0x23, 0, 2, b'x']).unwrap();
    assert_eq!(
        (frame.alias, frame.delivery, frame.payload),
        (Some(2), Delivery::AtMostOnce, 7..8)
    );
    // Payload format, expiry, content type, response topic, correlation data, user property: taken, not looked at.
    let properties = b"\x01\x01\x02\0\0\0\x0a\x03\0\x01j\x08\0\x01r\x09\0\x01c\x26\0\x01k\0\x01v\x26\0\x01k\0\x01v";
    let mut packet = vec![0x30, 0, 0, 1, b'a', u8::try_from(properties.len()).unwrap()];
    packet.extend(properties);
    packet.push(b'x');
    packet[1] = u8::try_from(packet.len() - 2).unwrap();
    let payload = one(V5, &packet).unwrap().payload;
    assert_eq!(payload.len(), 1);
}

#[test]
fn properties_that_a_publish_may_not_have() {
    for (properties, fault) in [
        (&b"\x23\0\0"[..], Fault::ALIAS),
        (b"\x23\0\x01\x23\0\x01", Fault::PROTOCOL),
        (b"\x01\0\x01\0", Fault::PROTOCOL),
        (b"\x0b\x01", Fault::PROTOCOL),
        (b"\x11\0\0\0\x01", Fault::PROTOCOL),
        (b"\x08\0\x03a/#", Fault::PROTOCOL),
        (b"\x7f\0", Fault::MALFORMED),
        (b"\x02\0", Fault::MALFORMED),
    ] {
        let mut packet = vec![0x30, 0, 0, 1, b'a', u8::try_from(properties.len()).unwrap()];
        packet.extend(properties);
        packet[1] = u8::try_from(packet.len() - 2).unwrap();
        assert_eq!(one(V5, &packet), Err(fault), "{properties:02x?}");
    }
    assert_eq!(one(V5, &[0x30, 4, 0, 1, b'a', 9]), Err(Fault::MALFORMED));
    assert_eq!(one(V5, &[0x30, 3, 0, 1, b'a']), Err(Fault::MALFORMED));
}

#[test]
fn what_a_client_says() {
    let said = |version, packet: &[u8]| {
        let header = header(packet).unwrap().unwrap();
        control(version, header, &packet[header.header_len..])
    };
    assert_eq!(
        said(V4, &[0x40, 2, 1, 0]),
        Ok(Control::Puback { packet_id: 256 })
    );
    assert_eq!(
        said(V5, &[0x40, 4, 0, 1, 0x10, 0]),
        Ok(Control::Puback { packet_id: 1 })
    );
    assert_eq!(said(V5, &[0x40, 2, 0, 0]), Err(Fault::MALFORMED));
    assert_eq!(said(V4, &[0x40, 3, 0, 1, 0]), Err(Fault::MALFORMED));
    let wanted = vec![Wanted {
        filter: "a".into(),
        qos: 2,
    }];
    let expected = Control::Subscribe {
        packet_id: 1,
        wanted,
        identifier: false,
    };
    assert_eq!(said(V4, &[0x82, 6, 0, 1, 0, 1, b'a', 2]), Ok(expected));
    // MQTT 5's options in 3.1.1 are reserved bits.
    assert_eq!(
        said(V4, &[0x82, 6, 0, 1, 0, 1, b'a', 4]),
        Err(Fault::MALFORMED)
    );
    let goodbye = |with_will, session_expiry| {
        Ok(Control::Disconnect {
            with_will,
            session_expiry,
        })
    };
    assert_eq!(said(V4, &[0xe0, 0]), goodbye(false, None));
    assert_eq!(said(V5, &[0xe0, 0]), goodbye(false, None));
    assert_eq!(said(V5, &[0xe0, 1, 4]), goodbye(true, None));
    assert_eq!(
        said(V5, &[0xe0, 7, 0, 5, 0x11, 0, 0, 0, 9]),
        goodbye(false, Some(9))
    );
    assert_eq!(
        said(V4, &[0x62, 2, 0, 1]),
        Ok(Control::Pubrel { packet_id: 1 })
    );
    assert_eq!(
        said(V5, &[0x62, 4, 0, 1, 0x92, 0]),
        Ok(Control::Pubrel { packet_id: 1 })
    );
    assert_eq!(said(V4, &[0x62, 3, 0, 1, 0]), Err(Fault::MALFORMED));
    assert_eq!(said(V5, &[0x62, 2, 0, 0]), Err(Fault::MALFORMED));
    assert_eq!(said(V4, &[0x70, 2, 0, 1]), Err(Fault::PROTOCOL));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), v5: bool) {
        let version = if v5 { V5 } else { V4 };
        if let Ok(Some(found)) = header(&bytes) {
            let body = &bytes[found.header_len..bytes.len().min(found.total())];
            for whole in [true, false] {
                if let Ok(frame) = publish(version, found, body, whole) {
                    prop_assert!(body.get(frame.payload).is_some());
                }
            }
            let _ = control(version, found, body);
            let _ = connect::parse(found, 0x10, body);
        }
    }

    #[test]
    fn no_changed_connect_panics(changes in proptest::collection::vec((0_usize..60, any::<u8>()), 0..6), v5: bool) {
        let mut body = b"\0\x04MQTT\x04\xc6\0\x1e\0\x02id\0\x01w\0\x01p\0\x01u\0\x01s".to_vec();
        if v5 {
            body = b"\0\x04MQTT\x05\xc6\0\x1e\x08\x11\0\0\0\x05\x21\0\x05\0\x02id\x05\x18\0\0\0\x01\0\x01w\0\x01p\0\x01u\0\x01s".to_vec();
        }
        let packet = [&[0x10, u8::try_from(body.len()).unwrap()], &body[..]].concat();
        let found = header(&packet).unwrap().unwrap();
        prop_assert!(connect::parse(found, 0x10, &body).is_ok());
        for (at, byte) in changes {
            let at = at % body.len();
            body[at] = byte;
        }
        let _ = connect::parse(found, 0x10, &body);
    }

    #[test]
    fn a_prefix_is_never_a_packet(length in 0_usize..300, cut in 0_usize..300) {
        let mut packet = vec![0x30];
        let body = vec![0; length];
        if length < 128 { packet.push(u8::try_from(length).unwrap()); } else {
            packet.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            packet.push(u8::try_from(length >> 7).unwrap());
        }
        packet.extend(body);
        let cut = cut.min(packet.len() - 1);
        if let Ok(Some(found)) = header(&packet[..cut]) {
            prop_assert!(found.total() > cut);
        }
    }
}
