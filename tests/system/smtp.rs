//! A real mail server (`tests/interop/smtp.py`): codes and alerts reach it over STARTTLS with a certificate of an authority of one's
//! own, after signing in; what it reads of them; what it puts off and what it refuses. `make test-services` installs it and runs this.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use harit_testkit::certificates::{Ca, DAY};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::controller::Controller;
use crate::farm::{self, Api, GREEN};
use crate::server::{Home, PATIENCE, machine, until};

struct MailServer {
    port: String,
    said: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

impl MailServer {
    async fn start(home: &Home, ca: &Ca) -> Self {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let python = root.join("target/smtp/bin/python");
        assert!(python.exists(), "{}: make test-services", python.display());
        let (pem, key) = { ca.server_between(-DAY, 10 * DAY) }.write(&home.path(""), "mail");
        let mut child = Command::new(python)
            .arg(root.join("tests/interop/smtp.py"))
            .args([pem, key])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = Self {
            port: String::new(),
            said,
            _child: child,
        };
        server.port = server.next().await.to_string();
        server
    }

    /// What it says next.
    async fn next(&mut self) -> Value {
        let line = timeout(PATIENCE, self.said.next_line()).await;
        serde_json::from_str(&line.expect("in time").unwrap().expect("a line")).unwrap()
    }
}

#[tokio::test]
#[ignore = "make test-services installs the mail server"]
async fn mail_goes_by_a_real_server() {
    let _machine = machine().await;
    let home = farm::seeded().await;
    for (contact, language) in [
        ("mr@b.test", "mr"),
        ("grey@b.test", "hi"),
        ("gone@b.test", "en"),
    ] {
        farm::add_manager(&home, (GREEN, contact, None, language)).await;
    }
    let ca = Ca::new("mail");
    fs::write(home.path("ca.pem"), ca.pem()).unwrap();
    let mut mail = MailServer::start(&home, &ca).await;
    let authorities = home.path("ca.pem").to_str().unwrap().to_owned();
    let port = mail.port.clone();
    let settings = [
        ("HARIT_SMTP_HOST", "127.0.0.1"),
        ("HARIT_SMTP_PORT", port.as_str()),
        ("HARIT_SMTP_USERNAME", "harit"),
        ("HARIT_SMTP_PASSWORD", "पासवर्ड"),
        ("HARIT_SMTP_FROM", "Harit <harit@farm.example>"),
        ("HARIT_SMTP_CA", authorities.as_str()),
        ("HARIT_SERVER_PUBLIC_URL", "https://farm.example"),
        ("HARIT_MESSAGES_RETRY_MS", "200"),
    ];
    let mut server = home.server(&[], &settings).await;
    let api = Api::of(&server, GREEN).await;

    let asked = json!({"contact": "mr@b.test"});
    let (status, answer) = api.send(Method::POST, "/auth/send-otp", Some(&asked)).await;
    assert_eq!(status, 200, "{answer}");
    let code = mail.next().await;
    well_formed(&code, "mr@b.test");
    assert_eq!(code["headers"]["List-Unsubscribe"], Value::Null, "{code}");

    let account = api.register("AABBCCDDEE01").await;
    let link = { Controller::new(&account, &["air"], &[]) }
        .connect(server.mqtt)
        .await;
    link.reading("air", 20.0).1.await.unwrap();
    until("the sensor is there", PATIENCE, async || {
        let all = api.of_farm("sensors").await;
        (!all.as_array()?.is_empty()).then_some(())
    })
    .await;
    let name = "खूप गरम";
    let alert = json!({
        "name": name, "repeatsIn": 60, "repeatUnit": "minutes", "channels": ["EMAIL"], "severity": "critical",
        "scope": {"type": "polyhouse", "polyhouseId": account.polyhouse},
        "conditions": [{"id": "1", "sensor": "Temperature", "operator": ">", "value": 40, "unit": "°C"}],
        "subscribers": [{"email": "mr@b.test"}, {"email": "grey@b.test"}, {"email": "gone@b.test"}],
    });
    let (status, answer) = api.post("alerts", &alert).await;
    assert_eq!(status, 201, "{answer}");
    link.reading("air", 45.5).1.await.unwrap();

    let (mut said, mut mails) = (Vec::new(), Vec::new());
    while mails.len() < 2 || said.len() < 2 {
        let next = mail.next().await;
        if next["refused"].is_string() {
            &mut said
        } else {
            &mut mails
        }
        .push(next);
    }
    said.sort_by_key(|refusal| refusal["code"].as_i64());
    assert_eq!(
        said,
        [
            json!({"refused": "grey@b.test", "code": 451}),
            json!({"refused": "gone@b.test", "code": 550}),
        ]
    );
    for (to, said) in [("mr@b.test", "इशारा: "), ("grey@b.test", "चेतावनी: ")]
    {
        let ours = |mail: &&Value| mail["to"] == json!([to]);
        let mail = mails.iter().find(ours).expect("a mail");
        well_formed(mail, to);
        assert_eq!(mail["headers"]["Subject"], format!("{said}{name}"));
        let unsubscribe = &mail["headers"]["List-Unsubscribe"];
        assert_eq!(*unsubscribe, "<https://farm.example/alerts>");
        for part in ["text/plain", "text/html"] {
            let text = mail["parts"][part].as_str().expect(part);
            assert!(text.contains("https://farm.example/a/"), "{text}");
            assert!(text.contains("45.5") || text.contains("४५.५"), "{text}");
        }
    }
    is_given_up(&api).await;

    // whose certificate nobody vouches for gets nothing, and the server says so
    assert!(server.terminate().await.0.success());
    let without: Vec<_> = { settings.into_iter() }
        .filter(|(name, _)| *name != "HARIT_SMTP_CA")
        .collect();
    let server = home.server(&[], &without).await;
    let api = Api::of(&server, GREEN).await;
    let asked = json!({"contact": "grey@b.test"});
    let (status, answer) = api.send(Method::POST, "/auth/send-otp", Some(&asked)).await;
    assert_eq!(status, 200, "{answer}");
    let heard = timeout(Duration::from_secs(2), mail.said.next_line()).await;
    assert!(heard.is_err(), "{heard:?}");
}

/// What a mail server refuses is not tried again, and says so.
async fn is_given_up(api: &Api) {
    let refused = until(
        "what is refused is given up",
        Duration::from_secs(10),
        async || {
            let list = api.of_farm("deliveries").await;
            let all = list["messages"].as_array()?.clone();
            all.into_iter().find(|m| m["state"] == "FAILED")
        },
    )
    .await;
    assert_eq!(refused["reason"], "refused", "{refused}");
    assert_eq!(refused["answer"], "SMTP 550", "{refused}");
}

/// What a reader of mail asks of each.
fn well_formed(mail: &Value, to: &str) {
    assert_eq!(mail["to"], json!([to]), "{mail}");
    assert_eq!(
        (&mail["tls"], &mail["defects"]),
        (&json!(true), &json!([])),
        "{mail}"
    );
    assert_eq!(mail["from"], "harit@farm.example", "{mail}");
    let headers = &mail["headers"];
    assert_eq!(headers["From"], "Harit <harit@farm.example>", "{mail}");
    assert_eq!(headers["MIME-Version"], "1.0", "{mail}");
    for name in ["Date", "Subject", "Message-ID"] {
        assert!(
            headers[name].as_str().is_some_and(|h| !h.is_empty()),
            "{name}: {mail}"
        );
    }
    let id = headers["Message-ID"].as_str().unwrap_or_default();
    assert!(id.ends_with("@farm.example>"), "{mail}");
    // RFC 5322, 2.1.1
    assert!(mail["longest_line"].as_i64() <= Some(998), "{mail}");
}
