//! Web Push: who asks for it in which browser, what their push service is given, what only the browser can read, and when nothing
//! is sent any more.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use harit_api::{ApiConfig, DeliveryConfig, PushConfig, Role};
use harit_gateways::{Gateways, Mode, Received};
use reqwest::{Method, StatusCode};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey as Signer};
#[allow(deprecated, reason = "a browser keeps its key; ring has no other way")]
use ring::test::rand::FixedSliceRandom;
use serde_json::{Value, json};

use crate::deliveries::{came, config, played, raise, start, with_alert};
use crate::pipeline::eventually;
use crate::support::{App, Person};

const PUSH: &str = "/auth/me/push";
const LIST: &str = "/api/farms/a/deliveries";

/// A browser's side of RFC 8291, written from the standard.
struct Browser {
    private: [u8; 32],
    public: Vec<u8>,
    auth: [u8; 16],
}

struct Bytes(usize);

impl KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

impl Browser {
    fn new(seed: u8) -> Self {
        let private = [seed; 32];
        let key = key(&private).compute_public_key().expect("a public key");
        Self {
            private,
            public: key.as_ref().to_vec(),
            auth: [seed; 16],
        }
    }

    /// As `PushSubscription.toJSON()` says it.
    fn subscription(&self, endpoint: &str) -> Value {
        json!({"endpoint": endpoint, "expirationTime": null,
            "keys": {"p256dh": BASE64.encode(&self.public), "auth": BASE64.encode(self.auth)}})
    }

    /// What it reads of a body that came.
    fn open(&self, came: &Received) -> Value {
        let body = BASE64.decode(&came.raw).expect("base64");
        let (salt, rest) = body.split_at(16);
        let (size, rest) = rest.split_at(4);
        assert_eq!(size, 4_096_u32.to_be_bytes());
        assert_eq!(rest[0], 65);
        let (server, sealed) = rest[1..].split_at(65);
        let info: [&[u8]; 3] = [b"WebPush: info\0", &self.public, server];
        let peer = UnparsedPublicKey::new(&ECDH_P256, server);
        let secret = agree_ephemeral(key(&self.private), &peer, |shared| {
            expand(&self.auth, shared, &info, 32)
        });
        let secret = secret.expect("agreed");
        let secret_key = expand(salt, &secret, &[b"Content-Encoding: aes128gcm\0"], 16);
        let nonce = expand(salt, &secret, &[b"Content-Encoding: nonce\0"], 12);
        let opener = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &secret_key).expect("a key"));
        let nonce = Nonce::try_assume_unique_for_key(&nonce).expect("a nonce");
        let mut sealed = sealed.to_vec();
        let plain = opener
            .open_in_place(nonce, Aad::empty(), &mut sealed)
            .expect("it is for this browser");
        let (end, text) = plain.split_last().expect("an end");
        assert_eq!(*end, 2, "one record, without padding");
        serde_json::from_slice(text).expect("JSON")
    }
}

fn key(private: &[u8; 32]) -> EphemeralPrivateKey {
    #[allow(deprecated, reason = "a browser keeps its key; ring has no other way")]
    let random = FixedSliceRandom { bytes: private };
    EphemeralPrivateKey::generate(&ECDH_P256, &random).expect("a key")
}

fn expand(salt: &[u8], secret: &[u8], info: &[&[u8]], len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    let prk = Salt::new(HKDF_SHA256, salt).extract(secret);
    let okm = prk.expand(info, Bytes(len)).expect("short enough");
    okm.fill(&mut out).expect("filled");
    out
}

fn by_push() -> DeliveryConfig {
    let mut push = PushConfig::new("mailto:a@farm.example".to_owned());
    push.loopback = true;
    DeliveryConfig {
        push: Some(push),
        join: Duration::ZERO,
        timeout: Duration::from_millis(700),
        first_wait: Duration::from_millis(100),
        longest_wait: Duration::from_millis(400),
        ..DeliveryConfig::default()
    }
}

/// Asks to be told in a browser; its id.
async fn ask(app: &App, person: &Person, gateways: &Gateways, name: &str, seed: u8) -> String {
    let endpoint = format!("http://{}/push/{name}", gateways.http);
    let subscription = Browser::new(seed).subscription(&endpoint);
    let answer = app.call(person, Method::POST, PUSH, &subscription).await;
    let added = answer.expect(StatusCode::CREATED);
    assert_eq!(added["current"], true);
    added["id"].as_str().expect("an id").to_owned()
}

/// Somebody who signs in once more, elsewhere.
async fn elsewhere(app: &App, person: &Person) -> Person {
    Person {
        id: person.id.clone(),
        email: person.email.clone(),
        token: app.sign_in(&person.email).await,
    }
}

/// Once the latest message has that state and reason.
async fn ended(app: &App, owner: &Person, state: &str, reason: &str) -> Value {
    let list = eventually(app, owner, LIST, |list| {
        let latest = &list["messages"][0];
        latest["state"] == state && latest["reason"].as_str().unwrap_or("") == reason
    });
    list.await["messages"][0].clone()
}

#[tokio::test]
async fn an_alert_comes_to_a_browser_that_alone_reads_it_and_is_answered_from_there() {
    let gateways = played().await;
    let (app, owner) = start(by_push()).await;
    app.meddle("UPDATE users SET language = 'hi'").await;
    with_alert(&app, &owner, &["PUSH"], json!({"severity": "critical"})).await;
    ask(&app, &owner, &gateways, "phone", 7).await;
    raise(&app, 5_000_000).await;
    let raised = came(&gateways, 1).await.remove(0);
    assert_eq!((raised.channel, raised.to.as_str()), ("push", "phone"));
    let said = Browser::new(7).open(&raised);
    assert_eq!(
        (&said["lang"], &said["critical"]),
        (&json!("hi"), &json!(true))
    );
    let text = format!("{} {}", said["title"], said["body"]);
    assert!(
        text.contains("Acid") && text.contains("Green Valley: "),
        "{text}"
    );
    assert!(text.contains("चेतावनी"), "{text}");
    let ttl: i64 = raised.headers["ttl"]
        .as_str()
        .and_then(|t| t.parse().ok())
        .expect("TTL");
    assert!((21_500..=21_600).contains(&ttl), "{ttl}");
    assert_eq!(raised.headers["urgency"], "high");
    let topic = raised.headers["topic"]
        .as_str()
        .expect("a topic")
        .to_owned();
    assert!(
        topic.len() <= 32 && BASE64.decode(&topic).is_ok(),
        "{topic}"
    );

    // who sends shows it with the key that browsers subscribe for, to this push service alone
    let own = app.get(&owner, PUSH).await.expect(StatusCode::OK);
    let authorization = raised.headers["authorization"].as_str().expect("signed");
    let (token, key) = { authorization.strip_prefix("vapid t=") }
        .and_then(|rest| rest.split_once(", k="))
        .expect(authorization);
    assert_eq!(key, own["publicKey"]);
    let (signed, signature) = token.rsplit_once('.').expect("a signature");
    let signer = Signer::new(
        &ECDSA_P256_SHA256_FIXED,
        BASE64.decode(key).expect("base64"),
    );
    let signature = BASE64.decode(signature).expect("base64");
    assert!(signer.verify(signed.as_bytes(), &signature).is_ok());
    let claims = signed.split_once('.').expect("claims").1;
    let claims: Value =
        serde_json::from_slice(&BASE64.decode(claims).expect("base64")).expect("JSON");
    assert_eq!(claims["aud"], format!("http://{}", gateways.http));

    // its link answers, without a sign-in
    let link = said["url"].as_str().expect("a link");
    let path = link.strip_prefix("https://farm.example").expect(link);
    let form = app.request(Method::POST, path);
    let form = form.header("content-type", "application/x-www-form-urlencoded");
    let answer = app.send(form.body("what=on_it&seen=0")).await;
    assert_eq!(answer.status, StatusCode::OK);
    let entries = app.audited("a", "incident_taken").await;
    assert_eq!(entries[0].1["way"], "PUSH");

    // what is over takes its place, and is no emergency
    raise(&app, 6_000_000).await;
    let over = came(&gateways, 2).await.remove(1);
    assert_eq!(
        (&over.headers["topic"], &over.headers["urgency"]),
        (&json!(topic), &json!("normal"))
    );
    assert_eq!(Browser::new(7).open(&over)["tag"], said["tag"]);
    let latest = ended(&app, &owner, "SENT", "").await;
    assert_eq!(
        (&latest["channel"], &latest["to"]),
        (&json!("PUSH"), &json!("browser"))
    );
}

#[tokio::test]
async fn a_person_has_a_browser_a_sign_in_and_one_that_is_gone_is_forgotten() {
    let gateways = played().await;
    let (app, owner) = start(by_push()).await;
    with_alert(&app, &owner, &["PUSH"], json!({})).await;
    let desk = elsewhere(&app, &owner).await;
    ask(&app, &owner, &gateways, "old", 1).await;
    ask(&app, &owner, &gateways, "phone", 2).await;
    ask(&app, &desk, &gateways, "desk", 3).await;
    raise(&app, 5_000_000).await;
    let mut to: Vec<String> = came(&gateways, 2).await.into_iter().map(|m| m.to).collect();
    to.sort();
    assert_eq!(
        to,
        ["desk", "phone"],
        "another one took the place of the old"
    );

    gateways.inbox.set_mode(Mode::Refuse);
    raise(&app, 6_000_000).await;
    ended(&app, &owner, "FAILED", "gone").await;
    let left = eventually(&app, &owner, PUSH, |own| own["browsers"] == json!([])).await;
    assert!(left["publicKey"].is_string());
    gateways.inbox.set_mode(Mode::Ok);
    let none = json!({"channel": "PUSH"});
    let none = app
        .call(&owner, Method::POST, "/api/farms/a/deliveries/test", &none)
        .await;
    assert_eq!(none.expect(StatusCode::CONFLICT)["code"], "no_browser");
    // who has no browser is told that it cannot be told
    raise(&app, 5_000_000).await;
    ended(&app, &owner, "FAILED", "no_browser").await;
    came(&gateways, 2).await;
}

#[tokio::test]
async fn who_signed_out_was_removed_or_left_gets_nothing_not_even_what_waited() {
    let gateways = played().await;
    let (app, owner) = start(by_push()).await;
    let manager = app.person("a", Role::FarmManager).await;
    let both = json!({"subscribers": [{"email": owner.email}, {"email": manager.email}]});
    with_alert(&app, &owner, &["PUSH"], both).await;
    let phone = elsewhere(&app, &owner).await;
    ask(&app, &phone, &gateways, "phone", 1).await;
    ask(&app, &manager, &gateways, "manager", 2).await;
    gateways.inbox.set_mode(Mode::Busy);
    raise(&app, 5_000_000).await;
    eventually(&app, &owner, LIST, |list| {
        let all = list["messages"].as_array().expect("messages");
        all.len() == 2 && all.iter().all(|m| m["reason"] == "away")
    })
    .await;
    let out = app
        .call(&phone, Method::POST, "/auth/logout", &json!({}))
        .await;
    assert!(out.status.is_success());
    let path = format!("/api/farms/a/users/{}/deactivate", manager.id);
    let off = app.call(&owner, Method::POST, &path, &json!({})).await;
    assert!(off.status.is_success(), "{}", off.text);
    gateways.inbox.set_mode(Mode::Ok);
    eventually(&app, &owner, LIST, |list| {
        let all = list["messages"].as_array().expect("messages");
        all.iter().all(|m| m["reason"] == "gone")
    })
    .await;
    came(&gateways, 0).await;
    assert_eq!(
        app.get(&owner, PUSH).await.expect(StatusCode::OK)["browsers"],
        json!([])
    );

    // a sign-in whose time is over is one no more
    let phone = elsewhere(&app, &owner).await;
    ask(&app, &phone, &gateways, "phone", 1).await;
    app.meddle("UPDATE sessions SET expires_at = 1 WHERE id IN (SELECT session_id FROM push_subscriptions)")
        .await;
    raise(&app, 6_000_000).await;
    raise(&app, 5_000_000).await;
    eventually(&app, &owner, LIST, |list| {
        list["messages"][0]["reason"] == "no_browser"
    })
    .await;
    came(&gateways, 0).await;
}

#[tokio::test]
async fn a_push_service_that_is_busy_or_broken_is_waited_for() {
    let gateways = played().await;
    let (app, owner) = start(by_push()).await;
    let id = ask(&app, &owner, &gateways, "phone", 1).await;
    let test = format!("{PUSH}/{id}/test");
    for (n, mode) in [Mode::Busy, Mode::Broken].into_iter().enumerate() {
        gateways.inbox.set_mode(mode);
        app.call(&owner, Method::POST, &test, &json!({}))
            .await
            .expect(StatusCode::ACCEPTED);
        let waits = ended(&app, &owner, "QUEUED", "away").await;
        let answer = if mode == Mode::Busy {
            "HTTP 429"
        } else {
            "HTTP 500"
        };
        assert_eq!(waits["answer"], answer);
        gateways.inbox.set_mode(Mode::Ok);
        let told = came(&gateways, n + 1).await.remove(n);
        let said = Browser::new(1).open(&told);
        assert_eq!(said["title"], "Test message from Harit");
        assert_eq!(said["body"], "This way works: alerts reach you here.");
        assert_eq!(said["url"], "https://farm.example/profile");
        ended(&app, &owner, "SENT", "").await;
    }
    let own = app.get(&owner, PUSH).await.expect(StatusCode::OK);
    assert!(own["browsers"][0]["sentAt"].is_i64(), "{own}");
    for _ in 0..3 {
        app.call(&owner, Method::POST, &test, &json!({}))
            .await
            .expect(StatusCode::ACCEPTED);
    }
    let sixth = app.call(&owner, Method::POST, &test, &json!({})).await;
    sixth.expect(StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one story, told in its order")]
async fn what_a_browser_says_is_checked_and_it_is_whose_who_asked_last() {
    let (app, owner) = start(by_push()).await;
    let right = Browser::new(1).subscription("https://fcm.googleapis.com/fcm/send/abc");
    let wrong = |path: &[&str], value: Value| {
        let mut document = right.clone();
        let mut place = &mut document;
        for key in path {
            place = &mut place[*key];
        }
        *place = value;
        document
    };
    let off_curve = BASE64.encode([4; 65]);
    for (document, path, code) in [
        (
            wrong(&["endpoint"], json!("https://192.168.1.1/x")),
            "endpoint",
            "unknown_service",
        ),
        (
            wrong(&["endpoint"], json!("https://router.local/x")),
            "endpoint",
            "unknown_service",
        ),
        (
            wrong(&["endpoint"], json!("http://fcm.googleapis.com/x")),
            "endpoint",
            "invalid",
        ),
        (
            wrong(&["endpoint"], json!("file:///etc/passwd")),
            "endpoint",
            "invalid",
        ),
        (
            wrong(
                &["endpoint"],
                json!(format!("https://fcm.googleapis.com/{}", "a".repeat(1_024))),
            ),
            "endpoint",
            "invalid",
        ),
        (wrong(&["endpoint"], Value::Null), "endpoint", "invalid"),
        (
            wrong(&["keys", "p256dh"], json!(off_curve)),
            "keys.p256dh",
            "invalid",
        ),
        (
            wrong(&["keys", "p256dh"], json!("%%")),
            "keys.p256dh",
            "invalid",
        ),
        (
            wrong(&["keys", "auth"], json!("AAAA")),
            "keys.auth",
            "invalid",
        ),
        (wrong(&["keys"], Value::Null), "keys.p256dh", "invalid"),
    ] {
        let refused = app.call(&owner, Method::POST, PUSH, &document).await;
        let refused = refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let first = &refused["problems"][0];
        assert_eq!(
            (&first["path"], &first["code"]),
            (&json!(path), &json!(code)),
            "{document}"
        );
    }
    app.call(&owner, Method::POST, PUSH, &right)
        .await
        .expect(StatusCode::CREATED);

    // nobody sees or removes another's
    let viewer = app.person("a", Role::Viewer).await;
    let own = app.get(&owner, PUSH).await.expect(StatusCode::OK);
    let path = format!(
        "{PUSH}/{}",
        own["browsers"][0]["id"].as_str().expect("an id")
    );
    assert_eq!(
        app.get(&viewer, PUSH).await.expect(StatusCode::OK)["browsers"],
        json!([])
    );
    for path in [path.clone(), format!("{path}/test")] {
        let method = if path.ends_with("test") {
            Method::POST
        } else {
            Method::DELETE
        };
        let refused = app.call(&viewer, method, &path, &json!({})).await;
        refused.expect(StatusCode::NOT_FOUND);
    }
    // a browser that two people sign in with is the one's who asked last
    app.call(&viewer, Method::POST, PUSH, &right)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(
        app.get(&owner, PUSH).await.expect(StatusCode::OK)["browsers"],
        json!([])
    );
    let own = app.get(&viewer, PUSH).await.expect(StatusCode::OK);
    let path = format!(
        "{PUSH}/{}",
        own["browsers"][0]["id"].as_str().expect("an id")
    );
    app.call(&viewer, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    app.call(&viewer, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn it_is_one_of_a_persons_ways_and_keeps_their_quiet_hours() {
    let gateways = played().await;
    let delivery = DeliveryConfig {
        smtp: crate::deliveries::all_ways(&gateways).smtp,
        ..by_push()
    };
    let (app, owner) = start(delivery).await;
    with_alert(&app, &owner, &["EMAIL"], json!({})).await;
    let told = "/auth/me/told";
    // whoever chose ways before chooses one more by asking
    let choice = json!({"ways": ["EMAIL"], "quiet": null});
    app.call(&owner, Method::PUT, told, &choice)
        .await
        .expect(StatusCode::OK);
    ask(&app, &owner, &gateways, "phone", 1).await;
    let chosen = app.get(&owner, told).await.expect(StatusCode::OK);
    assert_eq!(chosen["ways"], json!(["EMAIL", "PUSH"]));
    raise(&app, 5_000_000).await;
    let mut ways: Vec<&str> = came(&gateways, 2).await.iter().map(|m| m.channel).collect();
    ways.sort_unstable();
    assert_eq!(ways, ["email", "push"]);
    // who chose nothing is told in their browser beside what the alert says
    let choice = json!({"ways": null, "quiet": null});
    app.call(&owner, Method::PUT, told, &choice)
        .await
        .expect(StatusCode::OK);
    raise(&app, 6_000_000).await;
    came(&gateways, 4).await;
    app.meddle("UPDATE outbox SET created_at = 1").await;
    let whole_day = json!({"ways": ["PUSH"], "quiet": {"from": "00:00", "to": "23:59"}});
    app.call(&owner, Method::PUT, told, &whole_day)
        .await
        .expect(StatusCode::OK);
    raise(&app, 5_000_000).await;
    let waits = eventually(&app, &owner, LIST, |list| {
        list["messages"][0]["state"] == "QUEUED"
    })
    .await;
    let waits = &waits["messages"][0];
    assert_eq!(waits["channel"], "PUSH");
    let (due, made) = (waits["nextTryAt"].as_i64(), waits["createdAt"].as_i64());
    assert!(
        due.zip(made).is_some_and(|(due, made)| due > made),
        "{waits}"
    );
    came(&gateways, 4).await;
}

#[tokio::test]
async fn the_key_stays_over_restarts_and_is_missed_where_browsers_need_it() {
    let gateways = played().await;
    let (app, owner) = start(by_push()).await;
    ask(&app, &owner, &gateways, "phone", 1).await;
    let key = app.get(&owner, PUSH).await.expect(StatusCode::OK)["publicKey"].clone();
    let mut app = app.restart(config(by_push())).await;
    assert_eq!(
        app.get(&owner, PUSH).await.expect(StatusCode::OK)["publicKey"],
        key
    );
    app.shut_down().await;
    app.records.close().await;
    let file = app.dir().join("push.key");
    std::fs::remove_file(&file).expect("removed");
    let refused = harit_api::Records::open(app.place()).await;
    let refused = std::error::Error::source(&refused.expect_err("lost")).map(ToString::to_string);
    assert!(refused.is_some_and(|why| why.contains("push.key is missing")));
    app.meddle("DELETE FROM push_subscriptions").await;
    let records = harit_api::Records::open(app.place()).await;
    records.expect("nobody needs the lost one");
    assert!(file.exists());
}

#[tokio::test]
async fn without_a_setting_there_is_no_web_push() {
    let app = App::with(
        ApiConfig::default(),
        std::sync::Arc::new(harit_api::NoProvider),
    )
    .await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let own = app.get(&owner, PUSH).await.expect(StatusCode::OK);
    assert_eq!(own, json!({"publicKey": null, "browsers": []}));
    let right = Browser::new(1).subscription("https://fcm.googleapis.com/fcm/send/abc");
    let refused = app.call(&owner, Method::POST, PUSH, &right).await;
    assert_eq!(refused.expect(StatusCode::CONFLICT)["code"], "no_gateway");
}
