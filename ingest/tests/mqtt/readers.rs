//! What integration accounts get of what their farm's controllers say.

use std::time::Duration;

use crate::rig::{Hello, Raw, Rig, Seen, packet, publish, subscribe, topic};

/// Payload format, content type, response topic, correlation data, two user properties.
const SAID: &[u8] =
    b"\x01\x01\x03\0\x01j\x08\0\x01r\x09\0\x01c\x26\0\x01k\0\x01v\x26\0\x01k\0\x01w";

/// A reader in MQTT 5.
async fn reader(rig: &Rig, hello: Hello<'_>) -> Raw {
    let mut raw = rig
        .client(Hello {
            user: Some("erp"),
            ..hello
        })
        .await;
    raw.send(&subscribe(true, 1, "harit/1/green/#", 1)).await;
    assert_eq!(raw.packet().await, [0x90, 4, 0, 1, 0, 1]);
    raw
}

/// A PUBLISH at QoS 1 with properties.
fn said(properties: &[u8], id: u8) -> Vec<u8> {
    let topic = topic("telemetry");
    let mut body = vec![0, u8::try_from(topic.len()).unwrap()];
    body.extend(topic.as_bytes());
    body.extend([0, id, u8::try_from(properties.len()).unwrap()]);
    body.extend(properties);
    body.push(b'x');
    packet(0x32, &body)
}

#[tokio::test]
async fn what_a_publisher_says_of_a_message_is_passed_on() {
    let rig = Rig::start().await;
    let mut old = rig.integration().await;
    let mut new = reader(
        &rig,
        Hello {
            id: "n",
            ..Hello::v5()
        },
    )
    .await;
    let mut raw = rig.client(Hello::v5()).await;
    // With what is between the publisher and the server: an expiry, which counts, and an alias, which does not.
    let mut properties = b"\x02\0\0\0\x3c\x23\0\x01".to_vec();
    properties.extend(SAID);
    raw.send(&said(&properties, 1)).await;
    assert_eq!(raw.packet().await[0], 0x40);
    let mut expected = b"\x02\0\0\0\x3c".to_vec();
    expected.extend(SAID);
    assert_eq!(new.packet().await, said(&expected, 1));
    let plain = publish(false, &topic("telemetry"), Some(1), b"x");
    assert_eq!(old.packet().await, plain, "3.1.1 has no properties");
    // A publisher who says nothing leaves it at the server's own expiry.
    raw.send(&said(b"\x23\0\x01", 2)).await;
    assert_eq!(new.packet().await, said(b"\x02\0\0\x01\x2c", 2));
}

#[tokio::test]
async fn a_message_is_kept_no_longer_than_its_publisher_says() {
    let rig = Rig::start().await;
    let away = Hello {
        clean: false,
        properties: &[0x11, 0, 0, 0, 60],
        ..Hello::v5()
    };
    drop(reader(&rig, away).await);
    rig.until_stats(|stats| stats.parked_sessions == 1).await;
    let mut raw = rig.client(Hello::v5()).await;
    raw.send(&said(b"\x02\0\0\0\x01", 1)).await;
    raw.send(&said(b"\x02\0\0\0\x3c", 2)).await;
    raw.quiet_after_acks(2).await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let mut back = rig.raw().await;
    let hello = Hello {
        user: Some("erp"),
        ..away
    };
    back.send(&hello.bytes()).await;
    assert_eq!(back.packet().await[2..4], [1, 0]);
    let message = back.packet().await;
    let left = &message[message.len() - 5..message.len() - 1];
    let left = u32::from_be_bytes(left.try_into().unwrap());
    assert!((50..60).contains(&left), "{left} s are left of 60");
    back.quiet().await;
}

#[tokio::test]
async fn readers_hear_of_a_will_when_the_pipeline_does() {
    let rig = Rig::start().await;
    let mut erp = reader(
        &rig,
        Hello {
            id: "n",
            ..Hello::v5()
        },
    )
    .await;
    let state = topic("state");
    let hello = Hello {
        will: Some((&state, "gone")),
        will_delay: 1,
        will_properties: SAID,
        properties: &[0x11, 0, 0, 0, 60],
        ..Hello::v5()
    };
    drop(rig.client(hello).await);
    rig.until_stats(|stats| stats.parked_sessions == 1).await;
    // It is back in time: nobody hears anything.
    let back = rig
        .client(Hello {
            clean: false,
            ..hello
        })
        .await;
    tokio::time::sleep(Duration::from_millis(1_800)).await;
    erp.quiet().await;
    drop(back);
    erp.quiet().await;
    let will = erp.packet().await;
    assert!(
        will.windows(SAID.len()).any(|part| part == SAID) && will.ends_with(b"gone"),
        "{will:02x?}"
    );
    rig.pipeline
        .until_seen(&Seen::publish(&state, b"gone"))
        .await;
    erp.quiet().await;
}
