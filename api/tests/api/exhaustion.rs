//! One client does not close the server for the others: who does not read is cut off, places are limited by address and by
//! user, health checks are answered when there is no room, and an orderly stop waits for nobody.

use std::sync::Arc;
use std::time::{Duration, Instant};

use harit_api::{ApiConfig, NoProvider, Role, TrustedProxies};
use reqwest::{Method, StatusCode};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::live::Socket;
use crate::support::{App, PASSWORD, Person};

const WRITE_TIMEOUT: Duration = Duration::from_millis(500);

async fn app(config: ApiConfig) -> (App, Person) {
    let app = App::with(config, Arc::new(NoProvider)).await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    (app, owner)
}

/// A connection with room for little that is sent to it.
async fn narrow(app: &App) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4_096).expect("a small buffer");
    let address = app.base.trim_start_matches("http://").parse();
    socket
        .connect(address.expect("an address"))
        .await
        .expect("connected")
}

/// A WebSocket of that person that reads nothing. Its answers are in the language with the most bytes.
async fn unread(app: &App, person: &Person) -> TcpStream {
    let mut stream = narrow(app).await;
    let upgrade = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\naccept-language: mr\r\n\
                   sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(upgrade.as_bytes()).await.expect("sent");
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 101");
    stream
        .write_all(&text(&format!("40{}", json!({"token": person.token}))))
        .await
        .expect("sent");
    let mut heard = Vec::new();
    let signed_in = async {
        while !heard.windows(4).any(|w| w == b"40{\"") {
            let n = stream.read_buf(&mut heard).await.expect("an answer");
            assert!(n > 0, "{}", String::from_utf8_lossy(&heard));
        }
    };
    tokio::time::timeout(Duration::from_secs(10), signed_in)
        .await
        .expect("signed in");
    stream
}

/// Asks and asks for that long; whether the server has cut it off.
async fn flood(stream: &mut TcpStream, span: Duration) -> bool {
    let asks = text("420[\"subscribe\",{\"farmId\":\"none\"}]").repeat(64);
    let cut_off = async {
        while stream.write_all(&asks).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(span, cut_off).await.is_ok()
}

/// A client's text frame; the mask is zero.
fn text(payload: &str) -> Vec<u8> {
    let length = u8::try_from(payload.len()).ok().filter(|n| *n < 126);
    let mut frame = vec![0x81];
    match length {
        Some(n) => frame.push(0x80 | n),
        None => {
            frame.push(0x80 | 126);
            let n = u16::try_from(payload.len()).expect("a short text");
            frame.extend(n.to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload.as_bytes());
    frame
}

#[tokio::test]
async fn who_does_not_read_an_answer_is_cut_off() {
    let (app, _) = app(ApiConfig {
        max_connections: 1,
        write_timeout: WRITE_TIMEOUT,
        ..ApiConfig::default()
    })
    .await;
    // the tests' own connection goes first
    tokio::time::sleep(Duration::from_millis(5_500)).await;
    let mut stream = narrow(&app).await;
    let asks = "GET /api/openapi.json HTTP/1.1\r\nhost: a\r\n\r\n".repeat(30);
    stream.write_all(asks.as_bytes()).await.expect("sent");
    tokio::time::sleep(Duration::from_millis(200)).await;
    let start = Instant::now();
    app.send(app.request(Method::GET, "/auth/me"))
        .await
        .expect(StatusCode::UNAUTHORIZED);
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
    drop(stream);
}

#[tokio::test]
async fn health_checks_are_answered_when_all_places_are_taken() {
    let (app, _) = app(ApiConfig {
        connections_per_address: 3,
        ..ApiConfig::default()
    })
    .await;
    let address = app.base.trim_start_matches("http://").to_owned();
    let mut crowd = Vec::new();
    for _ in 0..200 {
        crowd.push(TcpStream::connect(&address).await.expect("connected"));
    }
    // those that found no room are gone; the first ones sit, and say nothing for as long as they may
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let ask = |path: &'static str| {
        let client = crate::support::client();
        let url = format!("{}{path}", app.base);
        async move { client.get(url).send().await.expect("an answer").status() }
    };
    for path in ["/healthz", "/readyz"] {
        assert_eq!(ask(path).await, StatusCode::OK, "{path}");
    }
    let start = Instant::now();
    assert_eq!(ask("/auth/me").await, StatusCode::SERVICE_UNAVAILABLE);
    assert!(start.elapsed() < Duration::from_secs(1), "nobody waits");
    drop(crowd);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(ask("/auth/me").await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_user_has_so_many_sockets() {
    let (app, owner) = app(ApiConfig {
        sockets_per_user: 1,
        write_timeout: WRITE_TIMEOUT,
        ..ApiConfig::default()
    })
    .await;
    let other = app.person("a", Role::Viewer).await;
    let mut stuck = unread(&app, &owner).await;
    Socket::refused(&app, &owner).await;
    drop(Socket::signed_in(&app, &other).await);
    // the one that reads nothing is cut off, and its place is free
    assert!(flood(&mut stuck, Duration::from_secs(30)).await);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if Socket::signed_in_if_there_is_room(&app, &owner).await {
            drop(stuck);
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("a socket that does not read keeps its place");
}

#[tokio::test]
async fn sessions_that_nobody_signed_in_on_are_limited_by_address() {
    let (app, _) = app(ApiConfig {
        sockets_per_address: 3,
        ..ApiConfig::default()
    })
    .await;
    let open = async || {
        let request = app.request(Method::GET, "/socket.io/?EIO=4&transport=polling");
        app.send(request).await.status
    };
    for _ in 0..3 {
        assert_eq!(open().await, StatusCode::OK);
    }
    assert_eq!(open().await, StatusCode::SERVICE_UNAVAILABLE);
    // they are given up soon, and their places with them
    tokio::time::sleep(Duration::from_millis(6_500)).await;
    assert_eq!(open().await, StatusCode::OK);
}

#[tokio::test]
async fn a_stop_does_not_wait_for_who_does_not_read() {
    let (mut app, owner) = app(ApiConfig::default()).await;
    let mut stuck = Vec::new();
    for _ in 0..3 {
        let mut stream = unread(&app, &owner).await;
        assert!(!flood(&mut stream, Duration::from_secs(4)).await);
        stuck.push(stream);
    }
    let start = Instant::now();
    app.shut_down().await;
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn a_trusted_proxy_says_from_where_a_request_comes() {
    let config = |proxies: &[&str]| ApiConfig {
        sign_ins_per_address: 3,
        trusted_proxies: TrustedProxies::parse(proxies).expect("networks"),
        ..ApiConfig::default()
    };
    for (proxies, own_budget) in [(&["127.0.0.0/8"][..], true), (&[], false)] {
        let app = App::with(config(proxies), Arc::new(NoProvider)).await;
        let body = json!({"contact": "nobody@kheti.test", "password": PASSWORD});
        let from = async |address: &str| {
            let request = app.request(Method::POST, "/auth/login").json(&body);
            let request = request.header("x-forwarded-for", format!("1.2.3.4, {address}"));
            app.send(request).await.status
        };
        for _ in 0..3 {
            assert_eq!(from("198.51.100.1").await, StatusCode::UNAUTHORIZED);
        }
        assert_eq!(from("198.51.100.1").await, StatusCode::TOO_MANY_REQUESTS);
        let expected = if own_budget {
            StatusCode::UNAUTHORIZED
        } else {
            StatusCode::TOO_MANY_REQUESTS
        };
        assert_eq!(from("198.51.100.2").await, expected);
        // what a proxy sends on does not come from this machine
        let metrics = app.request(Method::GET, "/metrics");
        let status = app
            .send(metrics.header("x-forwarded-for", "127.0.0.1"))
            .await;
        assert_eq!(status.status, StatusCode::UNAUTHORIZED);
        app.send(app.request(Method::GET, "/metrics"))
            .await
            .status
            .is_success()
            .then_some(())
            .expect("loopback reads what is counted");
    }
    let app = App::with(
        ApiConfig {
            behind_tls: true,
            ..ApiConfig::default()
        },
        Arc::new(NoProvider),
    )
    .await;
    app.send(app.request(Method::GET, "/metrics"))
        .await
        .expect(StatusCode::UNAUTHORIZED);
}
