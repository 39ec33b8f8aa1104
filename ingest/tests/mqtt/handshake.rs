//! Who may connect to the endpoint, how often, how many, and what each is told, in both versions and over TLS.

use std::time::Duration;

use crate::rig::{Hello, MAC, OTHER_MAC, Rig, SECRET, Seen, packet, publish, topic};
use harit_ingest::mqtt::{Endpoint, EndpointConfig, TlsFiles};

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
                    ..Hello::of(is_v5)
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
    // QoS 2 is taken, and so is the retain flag: neither is limited.
    for part in ["MaximumQos", "RetainAvailable"] {
        assert!(!said.contains(part), "{part} is in {said}");
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
    ] {
        let mut raw = rig.raw().await;
        raw.send(&bytes).await;
        assert_eq!(raw.packet().await, answer, "{bytes:02x?}");
        raw.closed().await;
    }
    let let_in = |seen: &Seen| !matches!(seen, Seen::Refused { topic: None, .. });
    assert!(!rig.pipeline.seen().iter().any(let_in));
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
        clients: None,
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
    tokio::time::timeout(crate::rig::PATIENCE, stream.read_exact(&mut answer))
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
        clients: None,
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
async fn a_client_that_says_nothing_is_closed() {
    let rig = Rig::with(|config| config.connect_timeout = Duration::from_millis(200)).await;
    let mut silent = rig.raw().await;
    let mut slow = rig.raw().await;
    slow.send(&Hello::v4().bytes()[..9]).await;
    silent.closed().await;
    slow.closed().await;
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
