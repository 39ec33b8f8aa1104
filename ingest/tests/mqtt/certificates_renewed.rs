//! Files of TLS that change while the endpoint runs: its own certificate, the clients' CA, what is revoked. Who is here goes on,
//! unless its certificate is not taken any more.

use std::fs;
use std::time::Duration;

use crate::certificates::{Secured, client, packet};
use crate::rig::{Hello, MAC, OTHER_MAC, PATIENCE, publish, topic};
use harit_ingest::mqtt::{ClientFiles, TlsFiles};
use harit_testkit::certificates::{Ca, DAY, Signed};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;

/// Long enough for the files to be looked at several times.
const A_WHILE: Duration = Duration::from_millis(400);

fn nameless() -> Hello<'static> {
    Hello {
        user: None,
        password: "",
        ..Hello::v5()
    }
}

/// What the server shows to a new client.
async fn shown(secured: &Secured) -> CertificateDer<'static> {
    let stream = secured.open(&client(&secured.ca, None)).await.unwrap();
    let chain = stream.get_ref().1.peer_certificates().unwrap();
    chain[0].clone().into_owned()
}

fn der(signed: &Signed) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(signed.pem.as_bytes()).unwrap()
}

async fn until_shown(secured: &Secured, expected: &Signed) {
    let until = timeout(PATIENCE, async {
        while shown(secured).await != der(expected) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert!(until.await.is_ok(), "the new certificate is never shown");
}

/// Whether a connection is there: something that is published is acknowledged.
async fn lives(stream: &mut TlsStream<TcpStream>) -> bool {
    let sent = publish(true, &topic("telemetry"), Some(7), b"x");
    stream.write_all(&sent).await.is_ok()
        && packet(stream)
            .await
            .is_ok_and(|p| p[..4] == [0x40, 2, 0, 7])
}

/// It is told that it may not be here any more.
async fn is_ended(stream: &mut TlsStream<TcpStream>) {
    let said = packet(stream).await.unwrap();
    assert_eq!((said[0], said[2]), (0xe0, 0x98), "{said:02x?}");
}

#[tokio::test]
async fn a_new_certificate_is_for_new_connections() {
    let secured = Secured::start().await;
    let (_, mut old) = secured.hello(None, Hello::v5()).await;
    let first = shown(&secured).await;
    let renewed = secured.ca.server();
    let _files = renewed.write(secured.dir.path(), "server");
    until_shown(&secured, &renewed).await;
    assert_ne!(first, der(&renewed));
    assert!(lives(&mut old).await);
    assert_eq!(old.get_ref().1.peer_certificates().unwrap()[0], first);

    // What cannot be used is left alone, and the one before goes on.
    let certificate = secured.path("server.pem");
    let other = secured.ca.server();
    for text in [
        "",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
        &other.pem, // not this key's
    ] {
        fs::write(&certificate, text).unwrap();
        tokio::time::sleep(A_WHILE).await;
        assert_eq!(shown(&secured).await, der(&renewed), "{text}");
    }
    fs::remove_file(&certificate).unwrap();
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(shown(&secured).await, der(&renewed), "no file");
    for (from, until) in [(-2 * DAY, -DAY), (DAY, 2 * DAY)] {
        let wrong = secured.ca.server_between(from, until);
        let _files = wrong.write(secured.dir.path(), "server");
        tokio::time::sleep(A_WHILE).await;
        assert_eq!(shown(&secured).await, der(&renewed), "{from} {until}");
    }
    let _files = other.write(secured.dir.path(), "server");
    until_shown(&secured, &other).await;
    assert!(lives(&mut old).await);
}

#[tokio::test]
async fn a_renewed_certificate_does_not_wait_for_a_broken_list() {
    let secured = Secured::start().await;
    fs::write(secured.path("crl.pem"), "nothing").unwrap();
    let renewed = secured.ca.server();
    let _files = renewed.write(secured.dir.path(), "server");
    until_shown(&secured, &renewed).await;
    let own = secured.ca.client(MAC);
    assert_eq!(secured.hello(Some(&own), nameless()).await.0, 0);
}

#[tokio::test]
async fn a_revoked_certificate_is_out_at_once() {
    let secured = Secured::start().await;
    let (own, other) = (secured.ca.client(MAC), secured.ca.client(OTHER_MAC));
    let (_, mut it) = secured.hello(Some(&own), nameless()).await;
    let (_, mut its_other) = secured.hello(Some(&other), nameless()).await;
    let (_, mut by_password) = secured
        .hello(
            None,
            Hello {
                id: "p",
                ..Hello::v5()
            },
        )
        .await;
    let list = secured.ca.revoke(&[&own], DAY);
    fs::write(secured.path("crl.pem"), list).unwrap();
    is_ended(&mut it).await;
    let refused = secured.refusal(&client(&secured.ca, Some(&own))).await;
    assert!(refused.contains("CertificateRevoked"), "{refused}");
    assert!(lives(&mut by_password).await, "the same controller's");
    its_other.write_all(&[0xc0, 0]).await.unwrap();
    assert_eq!(packet(&mut its_other).await.unwrap(), [0xd0, 0]);
    // Its successor is nobody's business of the list.
    let next = secured.ca.client(MAC);
    assert_eq!(secured.hello(Some(&next), nameless()).await.0, 0);
}

#[tokio::test]
async fn another_ca_is_taken_and_the_one_before_is_not() {
    let secured = Secured::start().await;
    let own = secured.ca.client(MAC);
    let (_, mut it) = secured.hello(Some(&own), nameless()).await;
    let next = Ca::new("Green Valley CA 2");
    // First both, then the new one alone; the lists come along.
    let both = [secured.ca.pem(), next.pem()].concat();
    let lists = [secured.ca.revoke(&[], DAY), next.revoke(&[], DAY)].concat();
    fs::write(secured.path("crl.pem"), lists).unwrap();
    fs::write(secured.path("ca.pem"), both).unwrap();
    let of_next = next.client(OTHER_MAC);
    let new_client = || async {
        let mut stream = secured
            .open(&client(&secured.ca, Some(&of_next)))
            .await
            .ok()?;
        stream.write_all(&nameless().bytes()).await.ok()?;
        (packet(&mut stream).await.ok()?[3] == 0).then_some(stream)
    };
    let until = timeout(PATIENCE, async {
        while new_client().await.is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert!(until.await.is_ok());
    assert!(lives(&mut it).await);
    fs::write(secured.path("ca.pem"), next.pem()).unwrap();
    is_ended(&mut it).await;
    let refused = secured.refusal(&client(&secured.ca, Some(&own))).await;
    assert!(refused.contains("UnknownCA"), "{refused}");
    assert!(new_client().await.is_some());
}

#[tokio::test]
async fn a_certificate_that_ends_ends_its_connection() {
    let secured = Secured::start().await;
    let short = secured.ca.client_between(MAC, &[], -DAY, 2);
    let (code, mut it) = secured.hello(Some(&short), nameless()).await;
    assert_eq!(code, 0);
    is_ended(&mut it).await;
    let refused = secured.refusal(&client(&secured.ca, Some(&short))).await;
    assert!(refused.contains("CertificateExpired"), "{refused}");
}

#[tokio::test]
async fn an_overdue_list_lets_nobody_in() {
    let secured = Secured::start().await;
    let own = secured.ca.client(MAC);
    let (_, mut it) = secured.hello(Some(&own), nameless()).await;
    let soon = secured.ca.revoke(&[], 1);
    fs::write(secured.path("crl.pem"), soon).unwrap();
    let until = timeout(PATIENCE, async {
        loop {
            let client = client(&secured.ca, Some(&own));
            let mut stream = secured.open(&client).await.unwrap();
            let read = timeout(Duration::from_millis(300), packet(&mut stream)).await;
            if let Ok(Err(why)) = read {
                break why;
            }
        }
    });
    let why = until.await.expect("nobody is let in");
    assert!(why.contains("alert"), "{why}");
    assert!(lives(&mut it).await, "who is here goes on");
    fs::write(secured.path("crl.pem"), secured.ca.revoke(&[], DAY)).unwrap();
    let again = timeout(PATIENCE, async {
        loop {
            let mut stream = secured
                .open(&client(&secured.ca, Some(&own)))
                .await
                .unwrap();
            stream.write_all(&nameless().bytes()).await.unwrap();
            if packet(&mut stream).await.is_ok_and(|p| p[3] == 0) {
                break;
            }
        }
    });
    assert!(again.await.is_ok());
}

#[test]
fn what_the_files_say_is_said() {
    let ca = Ca::until("short", 5 * DAY);
    let dir = tempfile::tempdir().unwrap();
    let (certificate, key) = ca.server_between(-DAY, 3 * DAY).write(dir.path(), "server");
    let path = |name: &str| dir.path().join(name);
    fs::write(path("ca.pem"), ca.pem()).unwrap();
    fs::write(path("crl.pem"), ca.revoke(&[], 4 * DAY)).unwrap();
    let files = TlsFiles {
        certificate,
        key,
        clients: Some(ClientFiles {
            ca: path("ca.pem"),
            crl: Some(path("crl.pem")),
            required: false,
        }),
    };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.unwrap().as_secs();
    let ends = files.ends().unwrap();
    let days: Vec<_> = ends
        .iter()
        .map(|end| (end.what, (end.at + 60 - now) / 86_400))
        .collect();
    assert_eq!(
        days,
        [("certificate", 3), ("client_ca", 5), ("client_crl", 4)]
    );
    for (name, text, why) in [
        ("crl.pem", ca.pem(), "has no revocation list"),
        ("ca.pem", String::new(), "has no certificate"),
        ("server.key", ca.client(MAC).key, "server.pem"),
    ] {
        let before = fs::read(path(name)).unwrap();
        fs::write(path(name), text).unwrap();
        let error = files.ends().unwrap_err().to_string();
        assert!(error.contains(why), "{name}: {error}");
        fs::write(path(name), before).unwrap();
    }
}
