//! Whom the journal talks to, and whom it does not.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;

use harit_cluster::{Nats, NatsError, NatsOptions};
use harit_journal::Journal as _;

use crate::server::{AT, Server, journal, small};

/// Made up: takes one connection and says that it is this; returns its port.
fn server(version: &str, max_payload: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let info = format!(
        "INFO {{\"server_id\":\"x\",\"server_name\":\"x\",\"version\":\"{version}\",\"go\":\"\",\"host\":\"127.0.0.1\",\"port\":{port},\
         \"headers\":true,\"max_payload\":{max_payload},\"proto\":1}}\r\n"
    );
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(info.as_bytes()).unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            if line == "PING" && stream.write_all(b"PONG\r\n").is_err() {
                break;
            }
        }
    });
    port
}

fn options(address: String) -> NatsOptions {
    NatsOptions {
        servers: vec![address],
        ..NatsOptions::default()
    }
}

fn refused(port: u16) -> NatsError {
    Nats::connect(&options(format!("nats://127.0.0.1:{port}"))).unwrap_err()
}

#[test]
fn a_server_that_is_too_old_or_takes_too_little_is_refused() {
    const ENOUGH: usize = 8 << 20;
    for old in ["2.9.10", "2.14.8", "2.10.29", "1.4.0"] {
        let e = refused(server(old, ENOUGH));
        assert!(matches!(e, NatsError::TooOld(_)), "{e}");
        assert!(e.to_string().contains(old), "{e}");
    }
    let e = refused(server("2.14.9", 1 << 20));
    assert!(matches!(e, NatsError::Payload(1_048_576)), "{e}");
    for good in ["2.14.9", "2.15.0", "3.0.0"] {
        let port = server(good, ENOUGH);
        Nats::connect(&options(format!("nats://127.0.0.1:{port}"))).unwrap();
    }
}

#[test]
fn what_is_wrong_with_the_options_is_named() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = nobody.local_addr().unwrap().port();
    drop(nobody);
    let e = refused(port);
    assert!(matches!(e, NatsError::Unreachable { .. }), "{e}");
    assert!(e.to_string().contains(&format!("127.0.0.1:{port}")), "{e}");
    let e = Nats::connect(&options("http://127.0.0.1:1".to_owned())).unwrap_err();
    assert!(e.to_string().contains("\"http://127.0.0.1:1\""), "{e}");
    let none = NatsOptions {
        credentials: Some("/nowhere/a.creds".into()),
        ..options(format!("nats://127.0.0.1:{port}"))
    };
    let e = Nats::connect(&none).unwrap_err();
    assert!(
        e.to_string().contains("credentials /nowhere/a.creds"),
        "{e}"
    );
}

/// A user of the server's, and what only that one has: the example of NATS's documentation.
const USER: &str = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
const SEED: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn a_server_with_a_certificate_and_users_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let ca = file("server.pem", &made.cert.pem());
    let key = file("server.key", &made.signing_key.serialize_pem());
    let seed = file("user.nkey", &format!("{SEED}\n"));
    let server = Server::with(&format!(
        "tls {{ cert_file: \"{}\", key_file: \"{}\" }}\nauthorization {{ users: [ {{ nkey: {USER} }} ] }}\n",
        ca.display(),
        key.display()
    ));
    let address = format!("tls://127.0.0.1:{}", server.port);
    let all = NatsOptions {
        credentials: Some(seed),
        ca: Some(ca),
        ..options(address)
    };
    let (_, mut journal) = journal(&Nats::connect(&all).unwrap(), &small());
    assert_eq!(journal.append(0, AT, 1, b"body"), Ok(1));
    for less in [
        NatsOptions {
            ca: None,
            ..all.clone()
        },
        NatsOptions {
            credentials: None,
            ..all.clone()
        },
    ] {
        let e = Nats::connect(&less).unwrap_err();
        assert!(matches!(e, NatsError::Unreachable { .. }), "{e}");
    }
}
