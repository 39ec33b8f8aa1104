//! The endpoint against a client made of bytes: what it says to each packet, good and bad, in both versions.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod rig;

use std::time::Duration;

use harit_ingest::mqtt::{
    DownlinkError, Endpoint, EndpointConfig, Principal, ThrottleConfig, TlsFiles,
};
use rig::{
    Hello, MAC, OTHER_MAC, Receipts, Rig, SECRET, Seen, controller, packet, publish, subscribe,
    topic,
};

fn v(v5: bool) -> Hello<'static> {
    if v5 { Hello::v5() } else { Hello::v4() }
}

#[tokio::test]
async fn who_may_connect() {
    let rig = Rig::start().await;
    for (user, password, v4, v5) in [
        (Some(MAC), SECRET, 0, 0),
        (Some("a4:cf:12:0b:9e:01"), SECRET, 0, 0),
        (Some("erp"), SECRET, 0, 0),
        (Some(MAC), "wrong", 4, 0x86),
        (Some("A4CF120B9EFF"), SECRET, 4, 0x86),
        (Some("disabled"), SECRET, 5, 0x87),
        (Some("unavailable"), SECRET, 3, 0x88),
        (None, "", 5, 0x87),
    ] {
        for (is_v5, code) in [(false, v4), (true, v5)] {
            let mut raw = rig.raw().await;
            raw.send(
                &Hello {
                    user,
                    password,
                    ..v(is_v5)
                }
                .bytes(),
            )
            .await;
            let answer = raw.packet().await;
            assert_eq!(
                (answer[0], answer[2], answer[3]),
                (0x20, 0, code),
                "{user:?} v5: {is_v5}"
            );
            if code != 0 {
                raw.closed().await;
            }
        }
    }
}

#[tokio::test]
async fn an_mqtt_5_client_is_told_the_limits() {
    let rig = Rig::start().await;
    let mut raw = rig.raw().await;
    raw.send(
        &Hello {
            id: "",
            keep_alive: 0,
            properties: &[0x11, 0xff, 0xff, 0xff, 0xff],
            ..Hello::v5()
        }
        .bytes(),
    )
    .await;
    let answer = raw.packet().await;
    let (connack, _) =
        mqtt_protocol_core::mqtt::packet::v5_0::Connack::parse(&answer[2..]).unwrap();
    let said = connack.to_string();
    for part in [
        r#""ReceiveMaximum":{"id":33,"val":4096}"#,
        r#""MaximumQos":{"id":36,"val":1}"#,
        r#""MaximumPacketSize":{"id":39,"value":266240}"#,
        r#""TopicAliasMaximum":{"id":34,"val":16}"#,
        r#""AssignedClientIdentifier":{"id":18,"val":"auto-1"}"#,
        r#""ServerKeepAlive":{"id":19,"val":600}"#,
        r#""SessionExpiryInterval":{"id":17,"value":86400}"#,
        r#""SharedSubscriptionAvailable":{"id":42,"val":0}"#,
        r#""SubscriptionIdentifierAvailable":{"id":41,"val":0}"#,
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
}

#[tokio::test]
async fn connects_that_are_refused() {
    let rig = Rig::start().await;
    let with = |body: &[u8]| packet(0x10, body);
    // Without an answer: not MQTT, not a CONNECT, too large, reserved bits in 3.1.1.
    for bytes in [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        publish(false, &topic("telemetry"), None, b"x"),
        vec![0x10, 0xff, 0xff, 0xff, 0xff, 0x01],
        vec![0x10, 0xff, 0xff, 0x7f],
        with(b"\0\x04MQTx\x04\x02\0\x1e\0\0"),
        with(b"\0\x04MQTT\x04\x03\0\x1e\0\0"),
        with(b"\0\x04MQTT\x04\x0a\0\x1e\0\0"),
    ] {
        let mut raw = rig.raw().await;
        raw.send(&bytes).await;
        raw.closed().await;
    }
    for (bytes, answer) in [
        (
            with(b"\0\x06MQIsdp\x03\x02\0\x1e\0\x01a"),
            vec![0x20, 2, 0, 1],
        ),
        (
            with(b"\0\x04MQTT\x06\x02\0\x1e\0\0\x01a"),
            vec![0x20, 3, 0, 0x84, 0],
        ),
        (
            with(b"\0\x04MQTT\x05\x03\0\x1e\0\0\x01a"),
            vec![0x20, 3, 0, 0x81, 0],
        ),
        // An authentication method; a receive maximum of zero; a property given twice.
        (
            with(b"\0\x04MQTT\x05\x02\0\x1e\x04\x15\0\x01m\0\x01a"),
            vec![0x20, 3, 0, 0x8c, 0],
        ),
        (
            Hello {
                properties: &[0x11, 0, 0, 0, 1, 0x11, 0, 0, 0, 1],
                ..Hello::v5()
            }
            .bytes(),
            vec![0x20, 3, 0, 0x82, 0],
        ),
        (
            Hello {
                id: "",
                clean: false,
                ..Hello::v4()
            }
            .bytes(),
            vec![0x20, 2, 0, 2],
        ),
        // A will at QoS 2, and wills to topics that are not the controller's.
        (
            Hello {
                will: Some((&topic("state"), "x")),
                will_qos: 2,
                ..Hello::v5()
            }
            .bytes(),
            vec![0x20, 3, 0, 0x9b, 0],
        ),
        (
            Hello {
                will: Some(("harit/1/green/A4CF120B9E02/state", "x")),
                ..Hello::v5()
            }
            .bytes(),
            vec![0x20, 3, 0, 0x87, 0],
        ),
        (
            Hello {
                will: Some((&topic("command"), "x")),
                ..Hello::v4()
            }
            .bytes(),
            vec![0x20, 2, 0, 5],
        ),
    ] {
        let mut raw = rig.raw().await;
        raw.send(&bytes).await;
        assert_eq!(raw.packet().await, answer, "{bytes:02x?}");
        raw.closed().await;
    }
    assert!(rig.pipeline.seen().is_empty());
}

#[tokio::test]
async fn a_client_that_says_nothing_is_closed() {
    let rig = Rig::with(|config| config.connect_timeout = Duration::from_millis(200)).await;
    let mut silent = rig.raw().await;
    let mut slow = rig.raw().await;
    slow.send(&Hello::v4().bytes()[..9]).await;
    silent.closed().await;
    slow.closed().await;
}

#[tokio::test]
async fn tls() {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, ServerName};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls");
    let files = TlsFiles {
        certificate: dir.join("cert.pem"),
        key: dir.join("key.pem"),
    };
    let rig = Rig::with(|config| config.tls = Some(files.clone())).await;
    let mut roots = rustls::RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(&files.certificate).unwrap())
        .unwrap();
    let client = rustls::ClientConfig::builder_with_provider(std::sync::Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_root_certificates(roots)
    .with_no_client_auth();
    let socket = tokio::net::TcpStream::connect(rig.endpoint.local_addr())
        .await
        .unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = tokio_rustls::TlsConnector::from(std::sync::Arc::new(client))
        .connect(name, socket)
        .await
        .unwrap();
    let mut bytes = Hello::v4().bytes();
    bytes.extend(publish(
        false,
        &topic("telemetry"),
        Some(7),
        &vec![b'x'; 200_000],
    ));
    stream.write_all(&bytes).await.unwrap();
    stream.flush().await.unwrap();
    let mut answer = [0; 8];
    tokio::time::timeout(rig::PATIENCE, stream.read_exact(&mut answer))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(answer, [0x20, 2, 0, 0, 0x40, 2, 0, 7]);
    assert_eq!(rig.pipeline.publishes()[0].1.len(), 200_000);
    // Who speaks plain MQTT here is not understood.
    let mut plain = rig.raw().await;
    plain.send(&Hello::v4().bytes()).await;
    rig.until_stats(|stats| stats.refused_connects == 1).await;
    // Files that are no certificate are named.
    let wrong = TlsFiles {
        certificate: files.key.clone(),
        key: files.key,
    };
    let config = EndpointConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        tls: Some(wrong),
        ..EndpointConfig::default()
    };
    let error = Endpoint::bind(config, rig.pipeline.clone())
        .await
        .err()
        .unwrap();
    assert!(error.to_string().contains("key.pem"), "{error}");
}

#[tokio::test]
async fn acknowledgements_wait_for_receipts_and_come_in_order() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        rig.pipeline.receipts(Receipts::Held);
        let mut raw = rig.client(v(v5)).await;
        for id in 1..=3 {
            raw.send(&publish(v5, &topic("telemetry"), Some(id), b"{}"))
                .await;
            rig.pipeline.until_publishes(usize::from(id)).await;
        }
        raw.quiet().await;
        rig.pipeline.release(true);
        for id in 1..=3 {
            assert_eq!(raw.packet().await, [0x40, 2, 0, id]);
        }
    }
}

#[tokio::test]
async fn many_publishes_in_one_read_are_few_batches() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v4()).await;
    let mut bytes = Vec::new();
    for id in 1..=1_000_u16 {
        bytes.extend(publish(
            false,
            &topic("telemetry"),
            Some(id),
            format!("{id}").as_bytes(),
        ));
    }
    raw.send(&bytes).await;
    for id in 1..=1_000_u16 {
        let [high, low] = id.to_be_bytes();
        assert_eq!(raw.packet().await, [0x40, 2, high, low]);
    }
    let payloads: Vec<_> = rig
        .pipeline
        .publishes()
        .into_iter()
        .map(|(_, payload)| payload)
        .collect();
    assert_eq!(
        payloads,
        (1..=1_000)
            .map(|id| format!("{id}").into_bytes())
            .collect::<Vec<_>>()
    );
    let batches = rig
        .pipeline
        .batches
        .load(std::sync::atomic::Ordering::Relaxed);
    assert!(batches < 100, "{batches} batches");
}

#[tokio::test]
async fn a_full_pipeline_stops_the_reading() {
    let rig = Rig::start().await;
    rig.pipeline
        .room
        .forget_permits(tokio::sync::Semaphore::MAX_PERMITS);
    let mut raw = rig
        .client(Hello {
            keep_alive: 1,
            ..Hello::v4()
        })
        .await;
    // Far more than the socket's buffers hold: the write must block.
    let one = publish(false, &topic("telemetry"), None, &[b'x'; 60_000]);
    let sent = tokio::time::timeout(Duration::from_millis(2_500), async {
        for _ in 0..1_000 {
            tokio::io::AsyncWriteExt::write_all(&mut raw.stream, &one)
                .await
                .unwrap();
        }
    });
    assert!(sent.await.is_err(), "60 MB were read into a full pipeline");
    // The client was not heard for more than its keep-alive, because nobody listened: it is still there.
    assert_eq!(rig.endpoint.stats().connections, 1);
    rig.pipeline.room.add_permits(1_000_000);
    rig.pipeline.until_publishes(10).await;
    assert_eq!(rig.endpoint.stats().connections, 1);
}

#[tokio::test]
async fn a_lost_receipt_is_never_acknowledged() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        rig.pipeline.receipts(Receipts::Lost);
        let mut raw = rig.client(v(v5)).await;
        raw.send(&publish(v5, &topic("telemetry"), Some(1), b"{}"))
            .await;
        if v5 {
            assert_eq!(raw.packet().await, [0xe0, 2, 0x89, 0]);
        }
        raw.closed().await;
    }
}

#[tokio::test]
async fn forbidden_publishes_and_subscriptions() {
    let rig = Rig::start().await;
    let mut old = rig.client(Hello::v4()).await;
    let mut new = rig
        .client(Hello {
            id: "c2",
            ..Hello::v5()
        })
        .await;
    let mut erp = rig
        .client(Hello {
            user: Some("erp"),
            ..Hello::v5()
        })
        .await;
    let foreign = format!("harit/1/green/{OTHER_MAC}/telemetry");
    for name in [
        foreign.clone(),
        topic("command"),
        "harit/1/other/A4CF120B9E01/state".into(),
        "$SYS/x".into(),
    ] {
        old.send(&publish(false, &name, Some(5), b"{}")).await;
        assert_eq!(old.packet().await, [0x40, 2, 0, 5], "{name}");
        new.send(&publish(true, &name, Some(5), b"{}")).await;
        assert_eq!(new.packet().await, [0x40, 3, 0, 5, 0x87], "{name}");
        new.send(&publish(true, &name, None, b"{}")).await;
        new.ping().await;
    }
    erp.send(&publish(true, &topic("telemetry"), Some(9), b"{}"))
        .await;
    assert_eq!(erp.packet().await, [0x40, 3, 0, 9, 0x87]);
    for (filter, code) in [
        (topic("command"), 1),
        (topic("#"), 1),
        (foreign, 0x87),
        ("harit/1/green/+/command".into(), 0x87),
        ("#".into(), 0x87),
        (topic("a#"), 0x8f),
        (format!("$share/g/{}", topic("command")), 0x9e),
    ] {
        old.send(&subscribe(false, 3, &filter, 2)).await;
        assert_eq!(
            old.packet().await,
            [0x90, 3, 0, 3, if code == 1 { 1 } else { 0x80 }],
            "{filter}"
        );
        new.send(&subscribe(true, 3, &filter, 2)).await;
        assert_eq!(new.packet().await, [0x90, 4, 0, 3, 0, code], "{filter}");
    }
    // With a subscription identifier, which was said not to be available.
    let mut body = vec![0, 3, 2, 0x0b, 1, 0, 1];
    body.extend(b"x\0");
    new.send(&packet(0x82, &body)).await;
    assert_eq!(new.packet().await, [0x90, 4, 0, 3, 0, 0xa1]);
    assert!(rig.pipeline.publishes().is_empty());
    let refused = rig
        .pipeline
        .seen()
        .iter()
        .filter(|seen| matches!(seen, Seen::Refused { .. }))
        .count();
    assert_eq!(
        (refused, rig.endpoint.stats().forbidden_publishes),
        (13, 13)
    );
    assert_eq!(rig.endpoint.stats().forbidden_subscribes, 11);
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn packets_that_end_a_connection() {
    let bare = |v5: bool, first: u8, rest: &[u8]| {
        let mut body = vec![0, 1, b't'];
        body.extend(rest);
        if v5 {
            body.push(0);
        }
        packet(first, &body)
    };
    let alias = |id: u16| {
        let mut body = vec![0, 0];
        body.extend([3, 0x23]);
        body.extend(id.to_be_bytes());
        packet(0x30, &body)
    };
    for (what, v4, v5) in [
        (
            "QoS 2",
            Some(bare(false, 0x34, &[0, 1])),
            Some((bare(true, 0x34, &[0, 1]), 0x9b)),
        ),
        (
            "QoS 3",
            Some(bare(false, 0x36, &[0, 1])),
            Some((bare(true, 0x36, &[0, 1]), 0x81)),
        ),
        (
            "duplicate at QoS 0",
            Some(bare(false, 0x38, &[])),
            Some((bare(true, 0x38, &[]), 0x81)),
        ),
        (
            "packet id 0",
            Some(bare(false, 0x32, &[0, 0])),
            Some((bare(true, 0x32, &[0, 0]), 0x81)),
        ),
        (
            "wildcard",
            Some(publish(false, "a/+", None, b"")),
            Some((publish(true, "a/#", None, b""), 0x81)),
        ),
        (
            "no topic",
            Some(publish(false, "", None, b"")),
            Some((publish(true, "", None, b""), 0x82)),
        ),
        (
            "bad UTF-8",
            Some(packet(0x30, &[0, 2, 0xc3, 0x28])),
            Some((packet(0x30, &[0, 2, 0xc3, 0x28, 0]), 0x81)),
        ),
        (
            "topic past the end",
            Some(packet(0x30, &[0, 9, b'a'])),
            Some((packet(0x30, &[0, 9, b'a']), 0x81)),
        ),
        (
            "second CONNECT",
            Some(Hello::v4().bytes()),
            Some((Hello::v5().bytes(), 0x82)),
        ),
        (
            "SUBACK",
            Some(packet(0x90, &[0, 1, 0])),
            Some((packet(0x90, &[0, 1, 0, 0]), 0x82)),
        ),
        (
            "SUBSCRIBE without flags",
            Some(packet(0x80, &[0, 1, 0, 1, b'a', 0])),
            Some((packet(0x80, &[0, 1, 0]), 0x81)),
        ),
        (
            "SUBSCRIBE of nothing",
            Some(packet(0x82, &[0, 1])),
            Some((packet(0x82, &[0, 1, 0]), 0x82)),
        ),
        (
            "PINGREQ with a body",
            Some(packet(0xc0, &[1])),
            Some((packet(0xc0, &[1]), 0x81)),
        ),
        ("type 0", Some(packet(0, &[])), Some((packet(0, &[]), 0x82))),
        (
            "length that never ends",
            Some(vec![0x30, 0xff, 0xff, 0xff, 0xff]),
            Some((vec![0x30, 0xff, 0xff, 0xff, 0xff], 0x81)),
        ),
        ("alias 0", None, Some((alias(0), 0x94))),
        ("alias never set", None, Some((alias(3), 0x94))),
        ("alias over the maximum", None, Some((alias(17), 0x94))),
        ("AUTH", None, Some((packet(0xf0, &[]), 0x82))),
        (
            "large SUBSCRIBE",
            Some(vec![0x82, 0xff, 0xff, 0x7f]),
            Some((vec![0x82, 0xff, 0xff, 0x7f], 0x95)),
        ),
    ] {
        let rig = Rig::start().await;
        if let Some(bytes) = v4 {
            let mut raw = rig.client(Hello::v4()).await;
            raw.send(&bytes).await;
            raw.closed().await;
        }
        if let Some((bytes, code)) = v5 {
            let mut raw = rig.client(Hello::v5()).await;
            raw.send(&bytes).await;
            assert_eq!(raw.packet().await, [0xe0, 2, code, 0], "{what}");
            raw.closed().await;
        }
        rig.until_stats(|stats| stats.faults >= 1 && stats.connections == 0)
            .await;
        assert!(rig.pipeline.publishes().is_empty(), "{what}");
    }
}

#[tokio::test]
async fn what_came_before_a_bad_packet_is_not_lost() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v5()).await;
    let mut bytes = publish(true, &topic("telemetry"), None, b"first");
    bytes.extend(publish(true, &topic("state"), None, b"second"));
    bytes.extend([0, 0]);
    raw.send(&bytes).await;
    assert_eq!(raw.packet().await, [0xe0, 2, 0x82, 0]);
    assert_eq!(rig.pipeline.publishes().len(), 2);
}

/// A small generator, so that a failure can be run again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }
}

#[tokio::test]
async fn however_the_bytes_arrive() {
    for seed in 1..=20 {
        let mut dice = Dice(seed * 0x9e37_79b9);
        let v5 = seed % 2 == 0;
        let rig = Rig::start().await;
        let mut raw = rig.client(v(v5)).await;
        let (mut bytes, mut payloads, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        for id in 1..=60_u16 {
            match dice.below(4) {
                0 => {
                    bytes.extend([0xc0, 0]);
                    answers.push(vec![0xd0, 0]);
                }
                1 => {
                    bytes.extend(subscribe(v5, id, &topic("command"), 0));
                    let answer: &[u8] = if v5 {
                        &[0x90, 4, 0, 0, 0, 0]
                    } else {
                        &[0x90, 3, 0, 0, 0]
                    };
                    answers.push(answer.to_vec());
                    answers.last_mut().unwrap()[3] = u8::try_from(id).unwrap();
                }
                kind => {
                    let size = if dice.below(20) == 0 {
                        100_000
                    } else {
                        dice.below(300)
                    };
                    let payload = vec![u8::try_from(id).unwrap(); size];
                    bytes.extend(publish(
                        v5,
                        &topic("telemetry"),
                        (kind == 2).then_some(id),
                        &payload,
                    ));
                    payloads.push(payload);
                    if kind == 2 {
                        answers.push(vec![0x40, 2, 0, u8::try_from(id).unwrap()]);
                    }
                }
            }
        }
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let limit = if dice.below(3) == 0 { 40_000 } else { 30 };
            let (now, later) = rest.split_at((1 + dice.below(limit)).min(rest.len()));
            raw.send(now).await;
            if dice.below(4) == 0 {
                tokio::task::yield_now().await;
            }
            rest = later;
        }
        let mut got = Vec::new();
        for _ in 0..answers.len() {
            got.push(raw.packet().await);
        }
        // Acknowledgements wait for their receipts, other answers do not: each kind keeps its order.
        for kind in [0x40, 0x90, 0xd0] {
            let of = |all: &[Vec<u8>]| {
                all.iter()
                    .filter(|one| one[0] == kind)
                    .cloned()
                    .collect::<Vec<_>>()
            };
            assert_eq!(of(&got), of(&answers), "seed {seed}");
        }
        rig.pipeline.until_publishes(payloads.len()).await;
        let seen: Vec<_> = rig
            .pipeline
            .publishes()
            .into_iter()
            .map(|(_, payload)| payload)
            .collect();
        assert!(
            seen == payloads,
            "seed {seed}: other payloads, or another order"
        );
    }
}

#[tokio::test]
async fn garbage_never_hurts_the_others() {
    let rig = Rig::with(|config| config.throttle.bad_until_cut = u32::MAX).await;
    let mut other = rig
        .client(Hello {
            user: Some(OTHER_MAC),
            ..Hello::v4()
        })
        .await;
    let mut dice = Dice(0xdead_beef);
    for round in 0..300 {
        let v5 = round % 2 == 0;
        let mut raw = rig.raw().await;
        let mut bytes = if round % 3 > 0 {
            v(v5).bytes()
        } else {
            Vec::new()
        };
        let good = [
            v(v5).bytes(),
            publish(v5, &topic("telemetry"), Some(1), b"{}"),
            subscribe(v5, 2, &topic("#"), 1),
            vec![0xe0, 0],
        ];
        for _ in 0..5 {
            let mut next = good[dice.below(good.len())].clone();
            for _ in 0..dice.below(4) {
                let at = dice.below(next.len());
                next[at] = u8::try_from(dice.below(256)).unwrap();
            }
            bytes.extend(next);
        }
        bytes.extend((0..dice.below(50)).map(|_| u8::try_from(dice.below(256)).unwrap()));
        // It may close at any byte.
        let _ = tokio::io::AsyncWriteExt::write_all(&mut raw.stream, &bytes).await;
        if round % 10 == 0 {
            other.ping().await;
        }
    }
    rig.until_stats(|stats| stats.connections == 1).await;
    other.ping().await;
}

#[tokio::test]
async fn topic_aliases() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v5()).await;
    let with_alias = |name: &str, payload: &[u8]| {
        let mut body = u16::try_from(name.len()).unwrap().to_be_bytes().to_vec();
        body.extend(name.as_bytes());
        body.extend([3, 0x23, 0, 16]);
        body.extend(payload);
        packet(0x30, &body)
    };
    raw.send(&with_alias(&topic("telemetry"), b"1")).await;
    raw.send(&with_alias("", b"2")).await;
    raw.send(&with_alias(&topic("state"), b"3")).await;
    raw.send(&with_alias("", b"4")).await;
    rig.pipeline.until_publishes(4).await;
    let seen: Vec<_> = rig
        .pipeline
        .publishes()
        .into_iter()
        .map(|(name, payload)| (name, payload[0]))
        .collect();
    let (one, two) = (topic("telemetry"), topic("state"));
    assert_eq!(
        seen,
        [
            (one.clone(), b'1'),
            (one, b'2'),
            (two.clone(), b'3'),
            (two, b'4')
        ]
    );
    // An alias hides no topic from the permissions.
    raw.send(&with_alias("harit/1/green/A4CF120B9E02/state", b"5"))
        .await;
    raw.send(&with_alias("", b"6")).await;
    raw.ping().await;
    assert_eq!(
        (
            rig.pipeline.publishes().len(),
            rig.endpoint.stats().forbidden_publishes
        ),
        (4, 2)
    );
}

#[tokio::test]
async fn oversized_publishes() {
    let rig = Rig::start().await;
    let large = vec![b'x'; 1 << 20];
    // 3.1.1 has no way to know the limit: the message is a dead letter, acknowledged, and the connection goes on.
    let mut old = rig.client(Hello::v4()).await;
    old.send(&publish(false, &topic("telemetry"), Some(1), &large))
        .await;
    assert_eq!(old.packet().await, [0x40, 2, 0, 1]);
    old.send(&publish(false, &topic("telemetry"), Some(2), b"{}"))
        .await;
    assert_eq!(old.packet().await, [0x40, 2, 0, 2]);
    let dead = Seen::Publish {
        topic: topic("telemetry"),
        payload: large[..1_024].to_vec(),
        retain: false,
        oversized: Some(large.len()),
    };
    assert!(rig.pipeline.seen().contains(&dead));
    // MQTT 5 clients were told: they are disconnected, and the message is a dead letter too.
    let mut new = rig
        .client(Hello {
            id: "c2",
            ..Hello::v5()
        })
        .await;
    new.send(&publish(true, &topic("telemetry"), Some(1), &large))
        .await;
    assert_eq!(new.packet().await, [0xe0, 2, 0x95, 0]);
    assert_eq!(
        rig.pipeline
            .seen()
            .iter()
            .filter(|seen| **seen == dead)
            .count(),
        2
    );
    // The largest payload that is allowed.
    old.send(&publish(
        false,
        &topic("telemetry"),
        Some(3),
        &large[..256 * 1024],
    ))
    .await;
    assert_eq!(old.packet().await, [0x40, 2, 0, 3]);
    assert_eq!(rig.pipeline.publishes().last().unwrap().1.len(), 256 * 1024);
    // A packet that nobody would wait for.
    old.send(&[0x32, 0xff, 0xff, 0xff, 0x7f]).await;
    let mut start = topic("telemetry").into_bytes();
    start.splice(0..0, [0, u8::try_from(start.len()).unwrap()]);
    start.extend([0, 4]);
    start.resize(8_192, b'y');
    old.send(&start).await;
    old.closed().await;
    assert_eq!(rig.endpoint.stats().oversized, 3);
}

#[tokio::test]
async fn a_retained_state_is_taken_and_not_kept() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v4()).await;
    let mut bytes = publish(false, &topic("state"), Some(1), b"{}");
    bytes[0] |= 1;
    raw.send(&bytes).await;
    assert_eq!(raw.packet().await, [0x40, 2, 0, 1]);
    assert!(matches!(
        &rig.pipeline.seen()[..],
        [_, Seen::Publish { retain: true, .. }]
    ));
    let mut erp = rig
        .client(Hello {
            user: Some("erp"),
            ..Hello::v4()
        })
        .await;
    erp.send(&subscribe(false, 1, "harit/1/green/#", 1)).await;
    assert_eq!(erp.packet().await, [0x90, 3, 0, 1, 1]);
    erp.quiet().await;
}

#[tokio::test]
async fn wills() {
    let state = topic("state");
    for v5 in [false, true] {
        let hello = Hello {
            will: Some((&state, "gone")),
            ..v(v5)
        };
        let will = Seen::publish(&state, b"gone");
        // A goodbye takes the will back.
        let rig = Rig::start().await;
        let mut raw = rig.client(hello).await;
        raw.send(&[0xe0, 0]).await;
        raw.closed().await;
        rig.pipeline
            .until("the end", |seen| {
                seen.contains(&Seen::Disconnected(controller(MAC)))
            })
            .await;
        assert!(!rig.pipeline.seen().contains(&will));
        // No goodbye, a protocol error, and a keep-alive that ran out do not.
        drop(rig.client(hello).await);
        rig.pipeline
            .until("a will", |seen| seen.contains(&will))
            .await;
        let rig = Rig::start().await;
        let mut raw = rig.client(hello).await;
        raw.send(&packet(0, &[])).await;
        rig.pipeline
            .until("a will", |seen| seen.contains(&will))
            .await;
        let rig = Rig::start().await;
        let started = std::time::Instant::now();
        let mut raw = rig
            .client(Hello {
                keep_alive: 1,
                ..hello
            })
            .await;
        rig.pipeline
            .until("a will", |seen| seen.contains(&will))
            .await;
        let silence = started.elapsed();
        assert!(
            silence >= Duration::from_millis(1_450) && silence < Duration::from_secs(4),
            "{silence:?}"
        );
        if v5 {
            assert_eq!(raw.packet().await, [0xe0, 2, 0x8d, 0]);
        }
        raw.closed().await;
    }
}

#[tokio::test]
async fn a_goodbye_with_the_will() {
    let rig = Rig::start().await;
    let state = topic("state");
    let mut raw = rig
        .client(Hello {
            will: Some((&state, "gone")),
            ..Hello::v5()
        })
        .await;
    raw.send(&[0xe0, 1, 4]).await;
    rig.pipeline
        .until("a will", |seen| {
            seen.contains(&Seen::publish(&state, b"gone"))
        })
        .await;
}

#[tokio::test]
async fn a_delayed_will_is_not_published_if_the_client_returns() {
    let rig = Rig::start().await;
    let state = topic("state");
    let hello = Hello {
        will: Some((&state, "gone")),
        will_delay: 1,
        properties: &[0x11, 0, 0, 0, 60],
        ..Hello::v5()
    };
    drop(rig.client(hello).await);
    rig.until_stats(|stats| stats.parked_sessions == 1).await;
    let raw = rig
        .client(Hello {
            clean: false,
            ..hello
        })
        .await;
    tokio::time::sleep(Duration::from_millis(1_800)).await;
    assert!(rig.pipeline.publishes().is_empty());
    drop(raw);
    rig.pipeline
        .until("a will", |seen| {
            seen.contains(&Seen::publish(&state, b"gone"))
        })
        .await;
}

#[tokio::test]
async fn a_will_is_not_published_while_the_controller_has_another_connection() {
    let rig = Rig::start().await;
    let state = topic("state");
    let first = rig
        .client(Hello {
            will: Some((&state, "gone")),
            ..Hello::v4()
        })
        .await;
    let second = rig
        .client(Hello {
            id: "c2",
            will: Some((&state, "gone")),
            ..Hello::v4()
        })
        .await;
    drop(first);
    rig.until_stats(|stats| stats.connections == 1).await;
    assert!(rig.pipeline.publishes().is_empty());
    assert!(
        !rig.pipeline
            .seen()
            .contains(&Seen::Disconnected(controller(MAC)))
    );
    drop(second);
    rig.pipeline
        .until("a will", |seen| {
            seen.contains(&Seen::publish(&state, b"gone"))
        })
        .await;
    rig.pipeline
        .until("the end", |seen| {
            seen.contains(&Seen::Disconnected(controller(MAC)))
        })
        .await;
}

#[tokio::test]
async fn takeover_by_the_same_principal_only() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        let state = topic("state");
        let mut first = rig
            .client(Hello {
                will: Some((&state, "gone")),
                ..v(v5)
            })
            .await;
        // Another principal may use the client id: it is another session.
        let mut other = rig
            .client(Hello {
                user: Some(OTHER_MAC),
                ..v(v5)
            })
            .await;
        first.ping().await;
        let mut second = rig.client(v(v5)).await;
        if v5 {
            assert_eq!(first.packet().await, [0xe0, 2, 0x8e, 0]);
        }
        first.closed().await;
        second.send(&publish(v5, &state, Some(1), b"birth")).await;
        assert_eq!(second.packet().await, [0x40, 2, 0, 1]);
        other.ping().await;
        let about: Vec<_> = rig
            .pipeline
            .seen()
            .into_iter()
            .filter(|seen| *seen != Seen::Connected(controller(OTHER_MAC)))
            .collect();
        let here = Seen::Connected(controller(MAC));
        let expected = [
            here.clone(),
            Seen::publish(&state, b"gone"),
            here,
            Seen::publish(&state, b"birth"),
        ];
        assert_eq!(
            about, expected,
            "the will of the first comes before anything of the second"
        );
        assert_eq!(rig.endpoint.stats().takeovers, 1);
    }
}

#[tokio::test]
async fn commands_reach_a_controller_and_are_sent_again_after_a_break() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        assert_eq!(
            rig.downlink.publish(&topic("command"), "x".into()),
            Err(DownlinkError::NotConnected)
        );
        assert_eq!(
            rig.downlink.publish("nonsense", "x".into()),
            Err(DownlinkError::Invalid)
        );
        let hello = Hello {
            clean: false,
            properties: &[0x11, 0, 0, 0, 60],
            ..v(v5)
        };
        let mut raw = rig.client(hello).await;
        assert_eq!(
            rig.downlink.publish(&topic("command"), "x".into()),
            Err(DownlinkError::NotConnected)
        );
        raw.send(&subscribe(v5, 1, &topic("command"), 1)).await;
        raw.packet().await;
        rig.command(b"one").await;
        rig.command(b"two").await;
        let command = |first: u8, id: u16, payload: &[u8]| {
            let mut expected = publish(v5, &topic("command"), Some(id), payload);
            expected[0] = first;
            if v5 {
                // Where the empty properties were is how long the command is good for.
                let at = expected.len() - payload.len() - 1;
                expected.splice(at..=at, [5, 2, 0, 0, 0, 15]);
                expected[1] += 5;
            }
            expected
        };
        assert_eq!(raw.packet().await, command(0x32, 1, b"one"));
        assert_eq!(raw.packet().await, command(0x32, 2, b"two"));
        raw.send(&[0x40, 2, 0, 1]).await;
        raw.ping().await;
        drop(raw);
        rig.until_stats(|stats| stats.parked_sessions == 1).await;
        // Away, the session still takes a command.
        rig.downlink
            .publish(&topic("command"), "three".into())
            .unwrap();
        let mut raw = rig.raw().await;
        raw.send(&hello.bytes()).await;
        assert_eq!(raw.packet().await[2], 1, "session present");
        let again = raw.packet().await;
        assert_eq!(
            (again[0], &again[again.len() - 3..]),
            (0x3a, &b"two"[..]),
            "unacknowledged, sent again as a duplicate"
        );
        let late = raw.packet().await;
        assert_eq!((late[0], &late[late.len() - 5..]), (0x32, &b"three"[..]));
        assert_eq!(rig.endpoint.stats().resumes, 1);
        // A clean start drops all of it.
        drop(raw);
        rig.until_stats(|stats| stats.parked_sessions == 1).await;
        let mut raw = rig.raw().await;
        raw.send(
            &Hello {
                clean: true,
                ..hello
            }
            .bytes(),
        )
        .await;
        assert_eq!(raw.packet().await[2], 0);
        raw.quiet().await;
        assert_eq!(
            rig.downlink.publish(&topic("command"), "x".into()),
            Err(DownlinkError::NotConnected)
        );
    }
}

#[tokio::test]
async fn a_client_gets_no_more_than_it_said() {
    let rig = Rig::start().await;
    // Receive maximum 2, maximum packet size 100.
    let mut raw = rig
        .client(Hello {
            properties: &[0x21, 0, 2, 0x27, 0, 0, 0, 100],
            ..Hello::v5()
        })
        .await;
    raw.send(&subscribe(true, 1, &topic("command"), 1)).await;
    raw.packet().await;
    rig.downlink
        .publish(&topic("command"), vec![b'x'; 200].into())
        .unwrap();
    for payload in [&b"a"[..], b"b", b"c"] {
        rig.downlink
            .publish(&topic("command"), bytes::Bytes::from_static(payload))
            .unwrap();
    }
    let (first, second) = (raw.packet().await, raw.packet().await);
    assert_eq!((first.last(), second.last()), (Some(&b'a'), Some(&b'b')));
    raw.quiet().await;
    let id = &first[first.len() - 9..first.len() - 7];
    raw.send(&[0x40, 2, id[0], id[1]]).await;
    assert_eq!(raw.packet().await.last(), Some(&b'c'));
    assert_eq!(rig.endpoint.stats().dropped, 1);
}

#[tokio::test]
async fn a_full_queue_says_so() {
    let rig = Rig::start().await;
    // Receive maximum 1, and the client never acknowledges.
    let mut raw = rig
        .client(Hello {
            properties: &[0x21, 0, 1],
            ..Hello::v5()
        })
        .await;
    raw.send(&subscribe(true, 1, &topic("command"), 1)).await;
    raw.packet().await;
    let mut taken = 0;
    let full = loop {
        match rig.downlink.publish(&topic("command"), "x".into()) {
            Ok(()) => taken += 1,
            Err(error) => break error,
        }
        assert!(taken < 5_000, "no limit");
    };
    assert_eq!(full, DownlinkError::Full);
    assert!(taken >= 1_024, "{taken}");
}

#[tokio::test]
async fn integrations_read_their_farm() {
    let rig = Rig::start().await;
    let mut erp = rig
        .client(Hello {
            user: Some("erp"),
            ..Hello::v4()
        })
        .await;
    erp.send(&subscribe(false, 1, "harit/1/green/#", 1)).await;
    erp.packet().await;
    let mut spy = rig
        .client(Hello {
            user: Some("spy"),
            ..Hello::v4()
        })
        .await;
    spy.send(&subscribe(false, 1, "harit/1/green/#", 1)).await;
    assert_eq!(spy.packet().await, [0x90, 3, 0, 1, 0x80]);
    spy.send(&subscribe(false, 1, "harit/1/other/#", 1)).await;
    spy.packet().await;
    let mut raw = rig.client(Hello::v4()).await;
    raw.send(&publish(false, &topic("telemetry"), Some(1), b"warm"))
        .await;
    raw.send(&publish(false, &topic("state"), None, b"on"))
        .await;
    assert_eq!(
        erp.packet().await,
        publish(false, &topic("telemetry"), Some(1), b"warm")
    );
    assert_eq!(
        erp.packet().await,
        publish(false, &topic("state"), None, b"on")
    );
    spy.quiet().await;
    raw.quiet_after_acks(1).await;
}

#[tokio::test]
async fn a_slow_integration_loses_the_oldest_and_slows_nobody() {
    let rig = Rig::with(|config| config.throttle = fast()).await;
    let mut erp = rig
        .client(Hello {
            user: Some("erp"),
            ..Hello::v4()
        })
        .await;
    erp.send(&subscribe(false, 1, "harit/1/green/#", 1)).await;
    erp.packet().await;
    let mut raw = rig.client(Hello::v4()).await;
    let started = std::time::Instant::now();
    for _ in 0..10 {
        let mut bytes = Vec::new();
        for id in 1..=500_u16 {
            bytes.extend(publish(
                false,
                &topic("telemetry"),
                Some(id),
                &[b'x'; 1_000],
            ));
        }
        raw.send(&bytes).await;
        for _ in 0..500 {
            raw.packet().await;
        }
    }
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    assert!(
        rig.endpoint.stats().dropped > 3_000,
        "{:?}",
        rig.endpoint.stats()
    );
    erp.packet().await;
}

fn fast() -> ThrottleConfig {
    ThrottleConfig {
        messages_per_second: u32::MAX,
        messages_burst: u32::MAX,
        bytes_per_second: u32::MAX,
        bytes_burst: u32::MAX,
        ..ThrottleConfig::default()
    }
}

#[tokio::test]
async fn a_fast_controller_is_slowed_and_nobody_else() {
    let rig = Rig::with(|config| {
        config.throttle = ThrottleConfig {
            messages_per_second: 100,
            messages_burst: 100,
            ..ThrottleConfig::default()
        };
    })
    .await;
    let mut fast = rig.client(Hello::v4()).await;
    let mut other = rig
        .client(Hello {
            user: Some(OTHER_MAC),
            ..Hello::v4()
        })
        .await;
    let started = std::time::Instant::now();
    for id in 1..=250_u16 {
        fast.send(&publish(false, &topic("telemetry"), Some(id), b"{}"))
            .await;
    }
    let their = format!("harit/1/green/{OTHER_MAC}/telemetry");
    for id in 1..=50 {
        let sent = std::time::Instant::now();
        other.send(&publish(false, &their, Some(id), b"{}")).await;
        other.packet().await;
        assert!(
            sent.elapsed() < Duration::from_millis(200),
            "{:?}",
            sent.elapsed()
        );
    }
    for _ in 1..=250 {
        fast.packet().await;
    }
    // 150 messages beyond the burst, at 100 a second, of which the last read is not waited for.
    assert!(
        started.elapsed() > Duration::from_millis(500),
        "{:?}",
        started.elapsed()
    );
    assert!(rig.endpoint.stats().throttled > 0);
}

#[tokio::test]
async fn a_bad_controller_is_cut_off_and_refused_for_a_while() {
    for v5 in [false, true] {
        let rig = Rig::with(|config| {
            config.throttle = ThrottleConfig {
                bad_burst: 5,
                bad_until_cut: 5,
                first_backoff: Duration::from_millis(1_200),
                ..ThrottleConfig::default()
            };
        })
        .await;
        let mut raw = rig.client(v(v5)).await;
        let mut bytes = Vec::new();
        for id in 1..=20 {
            bytes.extend(publish(v5, &topic("telemetry"), Some(id), b"bad"));
        }
        raw.send(&bytes).await;
        let mut last = raw.packet().await;
        while last[0] == 0x40 {
            match tokio::time::timeout(rig::PATIENCE, raw.try_packet())
                .await
                .unwrap()
            {
                Some(next) => last = next,
                None => break,
            }
        }
        if v5 {
            assert_eq!(last, [0xe0, 2, 0x96, 0]);
        }
        rig.until_stats(|stats| stats.cut_off == 1 && stats.connections == 0)
            .await;
        assert!(
            matches!(&rig.endpoint.stats().backed_off[..], [(who, _)] if *who == controller(MAC))
        );
        let mut again = rig.raw().await;
        again.send(&v(v5).bytes()).await;
        assert_eq!(again.packet().await[3], if v5 { 0x9f } else { 3 });
        // Nobody else is refused, and it may come back later.
        rig.client(Hello {
            user: Some(OTHER_MAC),
            ..v(v5)
        })
        .await;
        tokio::time::sleep(Duration::from_millis(1_300)).await;
        rig.client(v(v5)).await;
        assert!(rig.endpoint.stats().backed_off.is_empty());
    }
}

#[tokio::test]
async fn who_breaks_the_protocol_again_and_again_is_refused() {
    let rig = Rig::with(|config| {
        config.throttle = ThrottleConfig {
            bad_burst: 5,
            bad_until_cut: 5,
            ..ThrottleConfig::default()
        };
    })
    .await;
    for _ in 0..3 {
        let mut raw = rig.client(Hello::v4()).await;
        raw.send(&[0, 0]).await;
        raw.closed().await;
    }
    let mut raw = rig.raw().await;
    raw.send(&Hello::v4().bytes()).await;
    assert_eq!(raw.packet().await, [0x20, 2, 0, 3]);
}

#[tokio::test]
async fn payloads_that_are_read_past_cost_their_bytes() {
    let rig = Rig::with(|config| {
        config.throttle = ThrottleConfig {
            bytes_per_second: 2 << 20,
            bytes_burst: 1 << 20,
            ..ThrottleConfig::default()
        };
    })
    .await;
    let mut raw = rig.client(Hello::v4()).await;
    let started = std::time::Instant::now();
    raw.send(&publish(
        false,
        &topic("telemetry"),
        Some(1),
        &vec![b'x'; 4 << 20],
    ))
    .await;
    assert_eq!(raw.packet().await, [0x40, 2, 0, 1]);
    assert!(
        started.elapsed() > Duration::from_millis(1_000),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn guessing_a_password_is_slowed() {
    let rig = Rig::start().await;
    let mut refused = 0;
    for _ in 0..12 {
        let mut raw = rig.raw().await;
        raw.send(
            &Hello {
                password: "guess",
                ..Hello::v5()
            }
            .bytes(),
        )
        .await;
        refused += usize::from(raw.packet().await[3] == 0x9f);
    }
    assert_eq!(refused, 2);
    // From here even the right one has to wait; other names do not.
    let mut raw = rig.raw().await;
    raw.send(&Hello::v5().bytes()).await;
    assert_eq!(raw.packet().await[3], 0x9f);
    rig.client(Hello {
        user: Some(OTHER_MAC),
        ..Hello::v5()
    })
    .await;
}

#[tokio::test]
async fn hasty_reconnecting_is_slowed() {
    let rig = Rig::start().await;
    let mut refused = 0;
    for _ in 0..230 {
        let mut raw = rig.raw().await;
        raw.send(&Hello::v5().bytes()).await;
        refused += usize::from(raw.packet().await[3] == 0x9f);
    }
    assert!(refused > 0, "nobody was refused");
    rig.client(Hello {
        user: Some(OTHER_MAC),
        ..Hello::v5()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_worst_controller_is_not_noticed_by_the_others() {
    let rig = std::sync::Arc::new(Rig::start().await);
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let mut attackers = Vec::new();
    for kind in 0..4_u8 {
        let (rig, stop) = (std::sync::Arc::clone(&rig), std::sync::Arc::clone(&stop));
        attackers.push(tokio::spawn(async move {
            let bytes = match kind {
                0 => publish(false, &topic("telemetry"), Some(1), &vec![b'x'; 1 << 20]),
                1 => publish(false, "harit/1/nowhere/X/telemetry", Some(1), b"{}").repeat(500),
                2 => publish(false, &topic("telemetry"), None, b"bad").repeat(500),
                _ => [publish(false, &topic("state"), Some(1), b"{}"), vec![0, 0]].concat(),
            };
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let mut raw = rig.raw().await;
                let id = format!("attacker-{kind}");
                let mut all = Hello {
                    id: &id,
                    ..Hello::v4()
                }
                .bytes();
                all.extend(bytes.repeat(3));
                // Cut off at any point, it comes back at once.
                let _ = tokio::io::AsyncWriteExt::write_all(&mut raw.stream, &all).await;
                tokio::task::yield_now().await;
            }
        }));
    }
    let mut other = rig
        .client(Hello {
            user: Some(OTHER_MAC),
            ..Hello::v4()
        })
        .await;
    let their = format!("harit/1/green/{OTHER_MAC}/telemetry");
    let mut waits = Vec::new();
    for id in 1..=500 {
        let sent = std::time::Instant::now();
        other.send(&publish(false, &their, Some(id), b"{}")).await;
        other.packet().await;
        waits.push(sent.elapsed());
        tokio::time::sleep(Duration::from_millis(4)).await;
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    for attacker in attackers {
        attacker.abort();
    }
    waits.sort();
    let stats = rig.endpoint.stats();
    assert!(
        waits[494] < Duration::from_millis(200),
        "p99 is {:?}; {stats:?}",
        waits[494]
    );
    assert!(stats.cut_off > 0 && stats.throttled > 0, "{stats:?}");
    assert!(
        stats
            .backed_off
            .iter()
            .any(|(who, _)| *who == controller(MAC)),
        "{stats:?}"
    );
}

#[tokio::test]
async fn connection_limits() {
    let rig = Rig::with(|config| config.max_connections_per_address = 2).await;
    let first = rig.client(Hello::v4()).await;
    let _second = rig
        .client(Hello {
            id: "c2",
            ..Hello::v4()
        })
        .await;
    let mut third = rig.raw().await;
    third.closed().await;
    drop(first);
    rig.until_stats(|stats| stats.connections == 1).await;
    rig.client(Hello {
        id: "c3",
        ..Hello::v4()
    })
    .await;
    // And one principal has only so many sessions.
    let rig = Rig::start().await;
    let mut all = Vec::new();
    for n in 0..16 {
        all.push(
            rig.client(Hello {
                id: &format!("c{n}"),
                ..Hello::v5()
            })
            .await,
        );
    }
    let mut more = rig.raw().await;
    more.send(
        &Hello {
            id: "more",
            ..Hello::v5()
        }
        .bytes(),
    )
    .await;
    assert_eq!(more.packet().await[3], 0x97);
}

#[tokio::test]
async fn revoked_and_shut_down() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v5()).await;
    let mut other = rig
        .client(Hello {
            user: Some("erp"),
            ..Hello::v5()
        })
        .await;
    assert_eq!(rig.endpoint.disconnect(&controller(MAC)), 1);
    assert_eq!(raw.packet().await, [0xe0, 2, 0x98, 0]);
    raw.closed().await;
    other.ping().await;
    // What is durable by the end is acknowledged; wills stay unsaid, for it is not the controller that goes.
    let state = topic("state");
    let mut raw = rig
        .client(Hello {
            will: Some((&state, "gone")),
            ..Hello::v5()
        })
        .await;
    rig.pipeline.receipts(Receipts::Held);
    raw.send(&publish(true, &topic("telemetry"), Some(1), b"{}"))
        .await;
    rig.pipeline.until_publishes(1).await;
    let pipeline = std::sync::Arc::clone(&rig.pipeline);
    let shutdown = tokio::spawn(rig.endpoint.shutdown());
    tokio::time::sleep(Duration::from_millis(200)).await;
    pipeline.release(false);
    assert_eq!(raw.packet().await, [0x40, 2, 0, 1]);
    assert_eq!(raw.packet().await, [0xe0, 2, 0x8b, 0]);
    tokio::time::timeout(Duration::from_secs(5), shutdown)
        .await
        .unwrap()
        .unwrap();
    assert!(!pipeline.seen().contains(&Seen::publish(&state, b"gone")));
    let erp = Principal::Integration {
        farm: "green".into(),
        name: "erp".into(),
    };
    assert!(pipeline.seen().contains(&Seen::Disconnected(erp)));
}

impl rig::Raw {
    /// The next packet, or `None` at the end.
    async fn try_packet(&mut self) -> Option<Vec<u8>> {
        use tokio::io::AsyncReadExt as _;
        let mut start = [0; 2];
        self.stream.read_exact(&mut start).await.ok()?;
        let mut packet = start.to_vec();
        packet.resize(2 + usize::from(start[1]), 0);
        self.stream.read_exact(&mut packet[2..]).await.ok()?;
        Some(packet)
    }

    /// Nothing but acknowledgements comes.
    async fn quiet_after_acks(&mut self, acks: usize) {
        for _ in 0..acks {
            assert_eq!(self.packet().await[0], 0x40);
        }
        self.quiet().await;
    }
}
