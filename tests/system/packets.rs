//! The few MQTT packets that a client needs that is not to cost much.

use crate::farm::Account;

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
    out.extend(text.as_bytes());
}

fn packet(first: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![first];
    let mut left = body.len();
    loop {
        let low = u8::try_from(left & 0x7f).unwrap();
        left >>= 7;
        out.push(if left > 0 { low | 0x80 } else { low });
        if left == 0 {
            break;
        }
    }
    out.extend(body);
    out
}

/// A PUBLISH at QoS 1.
pub(crate) fn publish(out: &mut Vec<u8>, topic: &str, id: u16, payload: &[u8]) {
    let mut body = Vec::new();
    put_text(&mut body, topic);
    body.extend(id.to_be_bytes());
    body.extend(payload);
    out.extend(packet(0x32, &body));
}

/// A CONNECT with a clean session.
pub(crate) fn connect(account: &Account) -> Vec<u8> {
    let mut body = b"\0\x04MQTT\x04\xc2\0\x3c".to_vec();
    for text in [&account.mac, &account.mac, &account.secret] {
        put_text(&mut body, text);
    }
    packet(0x10, &body)
}

/// A SUBSCRIBE to one topic at QoS 1.
pub(crate) fn subscribe(topic: &str, id: u16) -> Vec<u8> {
    let mut body = id.to_be_bytes().to_vec();
    put_text(&mut body, topic);
    body.push(1);
    packet(0x82, &body)
}
