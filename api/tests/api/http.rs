//! What a stranger can do: limits, headers, and paths that are not the api's.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use harit_api::{ApiConfig, DemoSignIn, NoProvider, Role};
use reqwest::{Method, StatusCode, header};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::App;

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[tokio::test]
async fn alive_and_ready() {
    let app = App::start().await;
    let alive = app
        .send(app.request(Method::GET, "/healthz"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(alive, json!({"status": "ok"}));
    let ready = app
        .send(app.request(Method::GET, "/readyz"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(ready, json!({"ready": true, "problems": [], "reasons": []}));
    app.mqtt_up.store(false, Ordering::Relaxed);
    let ready = app
        .send(app.request(Method::GET, "/readyz"))
        .await
        .expect(StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        (&ready["problems"], &ready["reasons"]),
        (&json!(["mqtt"]), &json!(["controllers cannot connect"]))
    );
    app.records.close().await;
    let ready = app
        .send(app.request(Method::GET, "/readyz"))
        .await
        .expect(StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        (&ready["ready"], &ready["problems"]),
        (&json!(false), &json!(["mqtt", "store"]))
    );
    let body = json!({"contact": "a@b.test", "password": "x"});
    app.send(app.request(Method::POST, "/auth/login").json(&body))
        .await
        .expect(StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn the_demo_tells_how_to_sign_in_and_nobody_else_does() {
    let app = App::start().await;
    app.send(app.request(Method::GET, "/api/demo"))
        .await
        .expect(StatusCode::NOT_FOUND);
    let demo = DemoSignIn {
        farm: "demo-farm-1".into(),
        users: vec!["owner@demo.harit".into()],
        password: "polyhouse-demo".into(),
    };
    let app = App::with(
        ApiConfig {
            demo: Some(demo),
            ..ApiConfig::default()
        },
        Arc::new(NoProvider),
    )
    .await;
    let told = app
        .send(app.request(Method::GET, "/api/demo"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        told,
        json!({"farm": "demo-farm-1", "users": ["owner@demo.harit"], "password": "polyhouse-demo"})
    );
}

#[tokio::test]
async fn what_is_not_there_is_a_json_404() {
    let app = App::start().await;
    for path in [
        "/api",
        "/api/",
        "/api/nothing",
        "/api/..;/x",
        "/..%2f..%2fCargo.toml",
        "/.git/config",
        "/assets/nothing.js",
        "/%00",
        "/nothing",
    ] {
        for accept in ["*/*", "application/json"] {
            let answer = app
                .send(
                    app.request(Method::GET, path)
                        .header(header::ACCEPT, accept),
                )
                .await;
            assert_eq!(
                (answer.status, answer.text.as_str()),
                (
                    StatusCode::NOT_FOUND,
                    r#"{"error":"Not found","code":"not_found"}"#
                ),
                "{path}"
            );
        }
    }
    // not even for browsers
    let answer = app
        .send(
            app.request(Method::GET, "/api/nothing")
                .header(header::ACCEPT, BROWSER),
        )
        .await;
    assert_eq!(answer.expect(StatusCode::NOT_FOUND)["code"], "not_found");
    let answer = app.send(app.request(Method::DELETE, "/auth/login")).await;
    assert_eq!(answer.headers[header::ALLOW], "POST");
    assert_eq!(
        answer.expect(StatusCode::METHOD_NOT_ALLOWED)["code"],
        "method_not_allowed"
    );
}

#[tokio::test]
async fn who_asks_for_html_gets_the_screen_and_who_does_not_the_api() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    // at the root there is nothing else, so that it is the screen for everybody
    for (path, accept) in [
        ("/onboarding/assets", BROWSER),
        ("/", BROWSER),
        ("/", "*/*"),
    ] {
        let screen = app
            .send(
                app.request(Method::GET, path)
                    .header(header::ACCEPT, accept),
            )
            .await;
        // the page, or where the console is not built a text that says so; in no case the api's 401
        let kind = screen.headers[header::CONTENT_TYPE].to_str().expect("text");
        assert!(kind.starts_with("text/"), "{path} {accept}: {kind}");
        assert!(
            screen.status == StatusCode::OK
                || screen.text.contains("console is not in this binary"),
            "{path} {accept}: {}",
            screen.text
        );
    }
    let list = app
        .request(Method::GET, "/onboarding/assets")
        .header(header::ACCEPT, "application/json")
        .bearer_auth(&owner.token);
    assert_eq!(
        app.send(list).await.expect(StatusCode::OK),
        json!({"assets": []})
    );
}

#[tokio::test]
async fn every_answer_has_its_headers() {
    let app = App::start().await;
    for path in [
        "/healthz",
        "/api/farms",
        "/nothing",
        "/dashboard",
        "/socket.io/?EIO=4&transport=polling",
        "/socket.io/?EIO=9",
    ] {
        let answer = app.send(app.request(Method::GET, path)).await;
        let header = |name: &str| {
            answer
                .headers
                .get(name)
                .and_then(|v| v.to_str().ok())
                .unwrap_or("")
                .to_owned()
        };
        assert!(
            header("content-security-policy").contains("script-src 'self';"),
            "{path}"
        );
        assert!(
            header("content-security-policy").contains("frame-ancestors 'none'"),
            "{path}"
        );
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(header("cache-control"), "no-store", "{path}");
        // the code on a controller's box is read with the camera; nobody else's page may use it, and nothing is listened to
        let policy = header("permissions-policy");
        assert!(policy.contains("camera=(self)"), "{path}: {policy}");
        assert!(policy.contains("microphone=()"), "{path}: {policy}");
        assert_eq!(header("x-request-id").len(), 36, "{path}");
        assert!(
            header("access-control-allow-origin").is_empty()
                && header("strict-transport-security").is_empty(),
            "{path}"
        );
    }
}

#[tokio::test]
async fn answers_are_compressed_for_who_can_read_it() {
    let app = App::start().await;
    let request = app
        .request(Method::GET, "/api/openapi.json")
        .header(header::ACCEPT_ENCODING, "gzip");
    let answer = request.send().await.expect("an answer");
    assert_eq!(answer.headers()[header::CONTENT_ENCODING], "gzip");
    assert!(
        answer
            .bytes()
            .await
            .expect("a body")
            .starts_with(&[0x1f, 0x8b])
    );
}

#[tokio::test]
async fn the_console_is_sent_in_the_form_that_the_caller_takes() {
    let app = App::start().await;
    let get = async |path: &str, encodings: &str| {
        let request = app
            .request(Method::GET, path)
            .header(header::ACCEPT, BROWSER)
            .header(header::ACCEPT_ENCODING, encodings);
        let answer = request.send().await.expect("an answer");
        let headers = answer.headers().clone();
        let status = answer.status();
        (status, headers, answer.bytes().await.expect("a body"))
    };
    let (status, headers, plain) = get("/", "identity").await;
    if status == StatusCode::NOT_FOUND {
        assert!(plain.starts_with(b"The console is not in this binary"));
        return;
    }
    assert!(!headers.contains_key(header::CONTENT_ENCODING));
    let page = String::from_utf8_lossy(&plain).into_owned();
    let (_, rest) = page.split_once("src=\"/assets/start-").expect("a script");
    let (end, _) = rest.split_once('"').expect("its name");
    let script = format!("/assets/start-{end}");
    let mut etags = Vec::new();
    for (path, cache) in [
        ("/", "no-cache"),
        (script.as_str(), "public, max-age=31536000, immutable"),
    ] {
        let (_, _, whole) = get(path, "identity").await;
        for (encodings, form) in [
            ("identity", None),
            ("gzip", Some("gzip")),
            ("gzip, deflate, br", Some("br")),
            ("br;q=0.1, gzip;q=0.2", Some("gzip")),
        ] {
            let (status, headers, body) = get(path, encodings).await;
            let of = |name: header::HeaderName| {
                let value = headers.get(name).and_then(|v| v.to_str().ok());
                value.map(str::to_owned)
            };
            assert_eq!(status, StatusCode::OK, "{path} {encodings}");
            assert_eq!(of(header::CONTENT_ENCODING).as_deref(), form, "{path}");
            assert_eq!(of(header::CACHE_CONTROL).as_deref(), Some(cache), "{path}");
            assert_eq!(
                of(header::X_CONTENT_TYPE_OPTIONS).as_deref(),
                Some("nosniff")
            );
            // what only documents heed comes with documents
            let policy = of(header::CONTENT_SECURITY_POLICY);
            assert_eq!(policy.is_some(), path == "/", "{path}");
            // the page's own script is named, and nothing else may stand in it
            let named = |policy: &str| policy.contains("script-src 'self' 'sha256-");
            assert!(policy.is_none_or(|policy| named(&policy)), "{path}");
            let varies = of(header::VARY).expect("what it varies by");
            assert!(varies.contains("accept-encoding"), "{path}: {varies}");
            assert_eq!(form.is_some(), body.len() < whole.len(), "{path}");
            let etag = of(header::ETAG).expect("an etag");
            if !etags.contains(&(path.to_owned(), form, etag.clone())) {
                assert!(!etags.iter().any(|(_, _, other)| *other == etag), "{path}");
                etags.push((path.to_owned(), form, etag.clone()));
            }
            let again = app
                .request(Method::GET, path)
                .header(header::ACCEPT, BROWSER)
                .header(header::ACCEPT_ENCODING, encodings)
                .header(header::IF_NONE_MATCH, etag);
            assert_eq!(app.send(again).await.status, StatusCode::NOT_MODIFIED);
        }
        // a form is no file of its own
        let (status, ..) = get(&format!("{script}.br"), "identity").await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn the_consoles_worker_can_be_switched_off() {
    let off = ApiConfig {
        console_offline: false,
        ..ApiConfig::default()
    };
    for (config, is_off) in [(ApiConfig::default(), false), (off, true)] {
        let app = App::with(config, Arc::new(NoProvider)).await;
        let answer = app.send(app.request(Method::GET, "/sw.js")).await;
        let goes = answer.text.contains("registration.unregister()");
        assert_eq!(goes, is_off, "{}", answer.text);
        if is_off {
            assert_eq!(answer.status, StatusCode::OK);
            assert_eq!(answer.headers[header::CACHE_CONTROL], "no-cache");
            let kind = answer.headers[header::CONTENT_TYPE].to_str().expect("text");
            assert!(kind.starts_with("text/javascript"), "{kind}");
        }
    }
}

#[tokio::test]
async fn metrics_are_for_loopback_or_a_token() {
    let app = App::start().await;
    let answer = app.send(app.request(Method::GET, "/metrics")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(
        answer.headers[header::CONTENT_TYPE]
            .to_str()
            .expect("text")
            .starts_with("text/plain; version=0.0.4")
    );
    // Sent on by a proxy that nobody called trusted.
    for name in ["x-forwarded-for", "x-real-ip", "forwarded", "via"] {
        let request = app.request(Method::GET, "/metrics");
        let answer = app.send(request.header(name, "203.0.113.9")).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{name}");
    }
}

#[tokio::test]
async fn bodies_have_limits() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let padded = |bytes: usize| json!({"name": "x".repeat(bytes)});
    for (path, bytes, status) in [
        (
            "/onboarding/assets",
            60_000,
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        ("/onboarding/assets", 70_000, StatusCode::PAYLOAD_TOO_LARGE),
        (
            "/api/farms/a/rules",
            250_000,
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        ("/api/farms/a/rules", 270_000, StatusCode::PAYLOAD_TOO_LARGE),
        (
            "/api/farms/a/alerts",
            270_000,
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
    ] {
        let answer = app.call(&owner, Method::POST, path, &padded(bytes)).await;
        assert_eq!(answer.status, status, "{path} {bytes}: {}", answer.text);
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let request = app
        .request(Method::POST, "/api/farms/a/rules")
        .bearer_auth(&owner.token);
    let answer = app
        .send(
            request
                .header(header::CONTENT_TYPE, "application/json")
                .body(deep),
        )
        .await;
    assert_eq!(answer.expect(StatusCode::BAD_REQUEST)["code"], "bad_json");
}

#[tokio::test]
async fn a_client_that_says_nothing_is_cut_off() {
    let app = App::start().await;
    let address = app.base.trim_start_matches("http://").to_owned();
    let start = Instant::now();
    let slow = |beginning: &'static str| {
        let address = address.clone();
        async move {
            let mut stream = TcpStream::connect(address).await.expect("connected");
            stream.write_all(beginning.as_bytes()).await.expect("sent");
            let mut answer = Vec::new();
            let read =
                tokio::time::timeout(Duration::from_secs(9), stream.read_to_end(&mut answer)).await;
            assert!(read.is_ok(), "{beginning:?} is still open");
        }
    };
    tokio::join!(
        slow(""),
        slow("GET /healthz HTTP/1.1\r\n"),
        slow("GET /healthz HTTP/1.1\r\nhost: a\r\nx-slow: ")
    );
    assert!(
        start.elapsed() >= Duration::from_secs(4),
        "too early: {:?}",
        start.elapsed()
    );
    // and others never noticed
    app.send(app.request(Method::GET, "/healthz"))
        .await
        .expect(StatusCode::OK);
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_room() {
    let app = App::with(
        ApiConfig {
            max_connections: 2,
            ..ApiConfig::default()
        },
        Arc::new(NoProvider),
    )
    .await;
    let address = app.base.trim_start_matches("http://").to_owned();
    let ask = async |stream: &mut TcpStream| {
        stream
            .write_all(b"GET /auth/me HTTP/1.1\r\nhost: a\r\n\r\n")
            .await
            .expect("sent");
        let mut answer = [0; 15];
        stream
            .read_exact(&mut answer)
            .await
            .map(|_| answer == *b"HTTP/1.1 401 Un")
    };
    let (mut a, mut b) = (
        TcpStream::connect(&address).await.expect("a"),
        TcpStream::connect(&address).await.expect("b"),
    );
    assert!(ask(&mut a).await.expect("answered") && ask(&mut b).await.expect("answered"));
    let mut c = TcpStream::connect(&address).await.expect("a guest");
    assert!(
        tokio::time::timeout(Duration::from_millis(500), ask(&mut c))
            .await
            .is_err(),
        "a third connection was served"
    );
    drop(a);
    let mut answer = [0; 15];
    let served = tokio::time::timeout(Duration::from_secs(5), c.read_exact(&mut answer)).await;
    assert!(served.expect("in time").is_ok());
}
