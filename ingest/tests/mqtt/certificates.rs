//! Controllers that are known by their certificates: who is let in, who is not and why, and that nobody gets another's topics.

use std::fs;
use std::net::Ipv4Addr;
use std::time::Duration;

use crate::certificates::{Secured, client, packet};
use crate::rig::{
    BLOCKED_MAC, FAR_MAC, Hello, MAC, OTHER_MAC, PATIENCE, SECRET, Seen, controller, publish,
    subscribe, topic,
};
use harit_ingest::mqtt::Client;
use harit_testkit::certificates::{Ca, DAY};
use rumqttc::{TlsConfiguration, Transport};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

/// Who says nothing but its client id.
fn nameless(v5: bool) -> Hello<'static> {
    Hello {
        user: None,
        password: "",
        ..Hello::of(v5)
    }
}

fn refusals(secured: &Secured) -> Vec<&'static str> {
    let of = |seen: Seen| match seen {
        Seen::Refused { reason, .. } => Some(reason),
        _ => None,
    };
    secured
        .rig
        .pipeline
        .seen()
        .into_iter()
        .filter_map(of)
        .collect()
}

#[tokio::test]
async fn rumqttc_needs_no_password() {
    use rumqttc::{AsyncClient, Event, MqttOptions, Packet, QoS};
    let secured = Secured::with(|_, config| {
        config
            .tls
            .as_mut()
            .unwrap()
            .clients
            .as_mut()
            .unwrap()
            .required = true;
    })
    .await;
    let shown = secured.ca.client(MAC);
    let mut options = MqttOptions::new("c1", "127.0.0.1", secured.rig.port());
    let tls = TlsConfiguration::Rustls(client(&secured.ca, Some(&shown)));
    options.set_transport(Transport::tls_with_config(tls));
    let (it, mut events) = AsyncClient::new(options, 10);
    let own = topic("command");
    it.subscribe(own, QoS::AtLeastOnce).await.unwrap();
    let said = it.publish(topic("telemetry"), QoS::AtLeastOnce, false, "t");
    said.await.unwrap();
    let heard = timeout(PATIENCE, async {
        let mut acked = false;
        loop {
            match events.poll().await.unwrap() {
                Event::Incoming(Packet::PubAck(_)) => {
                    acked = true;
                    secured.rig.command(b"on").await;
                }
                Event::Incoming(Packet::Publish(heard)) => break (acked, heard.payload),
                _ => {}
            }
        }
    });
    assert_eq!(heard.await.unwrap(), (true, "on".into()));
    let pipeline = &secured.rig.pipeline;
    assert!(pipeline.seen().contains(&Seen::Connected(controller(MAC))));
    assert_eq!(pipeline.publishes(), [(topic("telemetry"), b"t".to_vec())]);
}

#[tokio::test]
async fn rumqttc_5_is_told_why_not() {
    use rumqttc::v5::{AsyncClient, MqttOptions};
    let secured = Secured::start().await;
    let stranger = secured.ca.client("A4CF120B9EFF");
    let mut options = MqttOptions::new("c1", "127.0.0.1", secured.rig.port());
    let tls = TlsConfiguration::Rustls(client(&secured.ca, Some(&stranger)));
    options.set_transport(Transport::tls_with_config(tls));
    let (_it, mut events) = AsyncClient::new(options, 10);
    let refused = timeout(PATIENCE, events.poll()).await.unwrap().unwrap_err();
    assert!(refused.to_string().contains("NotAuthorized"), "{refused}");
    assert_eq!(refusals(&secured), ["unknown_controller"]);
}

#[tokio::test]
async fn passwords_and_certificates_side_by_side() {
    let secured = Secured::start().await;
    let own = secured.ca.client(MAC);
    for v5 in [false, true] {
        // by a password alone
        assert_eq!(secured.hello(None, Hello::of(v5)).await.0, 0);
        // by a certificate alone
        assert_eq!(secured.hello(Some(&own), nameless(v5)).await.0, 0);
        // by a certificate, with a user name that says the same, whatever the password
        for user in [MAC, "a4:cf:12:0b:9e:01", ""] {
            let hello = Hello {
                user: Some(user),
                password: "an old one",
                ..Hello::of(v5)
            };
            assert_eq!(secured.hello(Some(&own), hello).await.0, 0, "{user:?}");
        }
        // without either
        let code = if v5 { 0x87 } else { 5 };
        assert_eq!(secured.hello(None, nameless(v5)).await.0, code);
    }
    assert_eq!(refusals(&secured), ["no_credentials", "no_credentials"]);
}

#[tokio::test]
async fn a_certificate_names_one_controller() {
    let secured = Secured::start().await;
    let made = |name, dns: &[&str]| secured.ca.client_between(name, dns, -DAY, DAY);
    for (name, dns) in [
        ("a4-cf-12-0b-9e-01", vec![]),
        ("", vec![MAC]),
        (
            "Green Valley, house 3",
            vec!["house3.farm.example", "a4cf120b9e01"],
        ),
        (MAC, vec![MAC]),
    ] {
        let (code, _) = secured.hello(Some(&made(name, &dns)), nameless(true)).await;
        assert_eq!(code, 0, "{name:?} {dns:?}");
    }
    assert_eq!(refusals(&secured), [""; 0]);
    let own = secured.ca.client(MAC);
    let no = |user, v4: u8, v5: u8, why: &'static str, shown| (user, v4, v5, why, shown);
    for (user, v4, v5, why, shown) in [
        no(None, 5, 0x87, "certificate", made("house 3", &[])),
        no(None, 5, 0x87, "certificate", made(MAC, &[OTHER_MAC])),
        no(None, 5, 0x87, "certificate", made("", &["erp"])),
        no(
            None,
            5,
            0x87,
            "unknown_controller",
            made("A4CF120B9EFF", &[]),
        ),
        no(None, 5, 0x87, "disabled", made(BLOCKED_MAC, &[])),
        // another's name, and even its password
        no(Some(OTHER_MAC), 4, 0x86, "certificate", own.clone()),
        no(Some("erp"), 4, 0x86, "certificate", own.clone()),
        no(Some(MAC), 5, 0x87, "certificate", made("house 3", &[])),
    ] {
        for (is_v5, expected) in [(false, v4), (true, v5)] {
            let before = refusals(&secured).len();
            let hello = Hello {
                user,
                password: SECRET,
                ..Hello::of(is_v5)
            };
            let (code, mut stream) = secured.hello(Some(&shown), hello).await;
            assert_eq!(code, expected, "{user:?} {why}");
            assert!(packet(&mut stream).await.is_err(), "it is closed");
            assert_eq!(refusals(&secured)[before..], [why], "{user:?}");
        }
    }
    let only = Seen::Connected(controller(MAC));
    let came = |seen: &&Seen| matches!(seen, Seen::Connected(_));
    let seen = secured.rig.pipeline.seen();
    assert!(
        seen.iter().filter(came).all(|seen| *seen == only),
        "{seen:?}"
    );
}

#[tokio::test]
async fn who_is_refused_at_the_handshake() {
    let secured = Secured::with(|_, config| {
        config
            .tls
            .as_mut()
            .unwrap()
            .clients
            .as_mut()
            .unwrap()
            .required = true;
    })
    .await;
    let ca = &secured.ca;
    let revoked = ca.client(MAC);
    fs::write(secured.path("crl.pem"), ca.revoke(&[&revoked], DAY)).unwrap();
    secured.rig.endpoint.reloader()();
    let (stranger, impostor) = (Ca::new("Another CA"), Ca::new("Green Valley CA"));
    let count = |seen: &[Seen]| {
        let refused = |seen: &&Seen| matches!(seen, Seen::Refused { .. });
        seen.iter().filter(refused).count()
    };
    let mut told = 0;
    for (shown, alert) in [
        (None, "CertificateRequired"),
        (Some(stranger.client(MAC)), "UnknownCA"),
        // its CA has the same name
        (Some(impostor.client(MAC)), "DecryptError"),
        (
            Some(ca.client_between(MAC, &[], -2 * DAY, -1)),
            "CertificateExpired",
        ),
        (
            Some(ca.client_between(MAC, &[], 100, DAY)),
            "CertificateExpired",
        ),
        (Some(revoked), "CertificateRevoked"),
        // for servers only
        (Some(ca.server()), "UnsupportedCertificate"),
    ] {
        // The list is read in a moment.
        let why = timeout(PATIENCE, async {
            loop {
                let client = client(ca, shown.as_ref());
                let Ok(mut stream) = secured.open(&client).await else {
                    continue;
                };
                let read = timeout(Duration::from_millis(300), packet(&mut stream)).await;
                if let Ok(Err(why)) = read {
                    break why;
                }
            }
        });
        let why = why.await.expect(alert);
        assert!(why.contains(alert), "{alert}: {why}");
        told += 1;
        secured
            .rig
            .pipeline
            .until("a refusal", |seen| count(seen) >= told)
            .await;
    }
    let refused = refusals(&secured);
    assert!(
        refused.iter().filter(|w| **w == "certificate").count() >= told,
        "{refused:?}"
    );
    let seen = secured.rig.pipeline.seen();
    assert!(
        !seen.iter().any(|s| matches!(s, Seen::Connected(_))),
        "{seen:?}"
    );
    // A WebSocket cannot show one.
    assert!(secured.rig.endpoint.visitors().is_none());
    // Nor does it help to come by a server that asks for none.
    let (mut io, other) = tokio::io::duplex(64);
    let nobody = Client {
        address: Ipv4Addr::LOCALHOST.into(),
        certificate: None,
    };
    let passed_on = secured.rig.endpoint.passed_on();
    passed_on.serve(other, nobody).await;
    assert_eq!(io.read(&mut [0; 1]).await.unwrap(), 0);
    // Who has one is let in.
    let good = ca.client(MAC);
    assert_eq!(secured.hello(Some(&good), nameless(true)).await.0, 0);
}

#[tokio::test]
async fn a_certificate_gives_nobody_anothers_topics() {
    let secured = Secured::start().await;
    let far = secured.ca.client(FAR_MAC);
    let (code, mut stream) = secured.hello(Some(&far), nameless(true)).await;
    assert_eq!(code, 0);
    let own = format!("harit/1/other/{FAR_MAC}/telemetry");
    for (id, topic, expected) in [
        (1, own.as_str(), None),
        (2, &topic("telemetry"), Some(0x87)),
        (3, &format!("harit/1/green/{FAR_MAC}/telemetry"), Some(0x87)),
        (4, &format!("harit/1/other/{MAC}/telemetry"), Some(0x87)),
    ] {
        stream
            .write_all(&publish(true, topic, Some(id), b"x"))
            .await
            .unwrap();
        let answer = packet(&mut stream).await.unwrap();
        assert_eq!((answer[0], answer[3]), (0x40, u8::try_from(id).unwrap()));
        assert_eq!(answer.get(4).copied(), expected, "{topic}");
    }
    for filter in [
        topic("command"),
        "harit/1/other/#".to_owned(),
        "#".to_owned(),
    ] {
        stream
            .write_all(&subscribe(true, 9, &filter, 1))
            .await
            .unwrap();
        let answer = packet(&mut stream).await.unwrap();
        assert_eq!(
            (answer[0], *answer.last().unwrap()),
            (0x90, 0x87),
            "{filter}"
        );
    }
    assert_eq!(secured.rig.pipeline.publishes(), [(own, b"x".to_vec())]);
}

#[tokio::test]
async fn a_session_is_not_resumed_without_its_certificate() {
    let secured = Secured::start().await;
    let shown = secured.ca.client(MAC);
    // one memory of sessions, as a client keeps it
    let client = client(&secured.ca, Some(&shown));
    for _ in 0..2 {
        let mut stream = secured.open(&client).await.unwrap();
        stream.write_all(&nameless(true).bytes()).await.unwrap();
        assert_eq!(packet(&mut stream).await.unwrap()[3], 0);
        let kind = stream.get_ref().1.handshake_kind().unwrap();
        assert_ne!(kind, rustls::HandshakeKind::Resumed);
    }
}

#[tokio::test]
async fn an_address_whose_handshakes_fail_waits() {
    let secured = Secured::start().await;
    let before = secured.rig.endpoint.stats().refused_connects;
    for _ in 0..220 {
        let mut raw = secured.rig.raw().await;
        raw.send(b"GET / HTTP/1.1\r\n\r\n").await;
        // an alert, or nothing at all
        let mut said = Vec::new();
        let read = timeout(PATIENCE, raw.stream.read_to_end(&mut said)).await;
        // a reset is an end too
        let _ = read.expect("in time");
    }
    let stats =
        |n| move |stats: &harit_ingest::mqtt::EndpointStats| stats.refused_connects >= before + n;
    secured.rig.until_stats(stats(220)).await;
    let hasty = |why: &&&str| **why == "too_many_connects";
    assert!(
        refusals(&secured).iter().filter(hasty).count() > 0,
        "nobody waited"
    );
    // And it is let in again.
    let own = secured.ca.client(MAC);
    let again = timeout(PATIENCE, async {
        while secured
            .open(&client(&secured.ca, Some(&own)))
            .await
            .is_err()
        {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    assert!(again.await.is_ok());
}
