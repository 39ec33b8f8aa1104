//! Web Push: a message to a browser by its push service (RFC 8030), signed with the server's key (RFC 8292) and encrypted for the
//! browser alone (RFC 8291). The console's service worker shows it, whether the console is open or not.

mod encrypt;
mod endpoint;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use futures_util::future::BoxFuture;
use reqwest::{Client, StatusCode, Url};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::GatewayError;
use super::channel::{Answer, Gateway, Outgoing};
use super::config::PushConfig;
use super::http;
use crate::records::Content;
use crate::secret::VapidKey;

pub(crate) use encrypt::{AUTH_BYTES, PUBLIC_BYTES, is_public_key};
pub(crate) use endpoint::BadEndpoint;

/// A signature counts for so long; push services take at most 24 hours (RFC 8292, section 2).
const SIGNED_SECS: i64 = 12 * 3_600;
/// The most characters of a topic (RFC 8030, section 5.4).
const TOPIC_CHARS: usize = 32;
/// So many characters of a text are shown, or fewer where it is too long even so.
const TEXT_CHARS: [usize; 4] = [800, 400, 200, 100];

/// A browser that somebody is told in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PushTarget {
    /// Its address at its push service.
    pub(crate) endpoint: String,
    /// Its public key.
    pub(crate) p256dh: Vec<u8>,
    /// The secret that it shares with who sends to it.
    pub(crate) auth: Vec<u8>,
}

/// The push services of browsers.
pub(super) struct Push {
    client: Client,
    key: Arc<VapidKey>,
    config: PushConfig,
}

/// Whether the settings can be used.
pub(super) fn check(config: &PushConfig) -> Result<(), GatewayError> {
    let contact = Url::parse(&config.contact).ok();
    let is_contact = contact.is_some_and(|url| {
        (url.scheme() == "mailto" && url.path().contains('@')) || url.scheme() == "https"
    });
    if !is_contact {
        let contact = &config.contact;
        let what = format!("push.contact: {contact:?} is no mailto:... or https://...");
        return Err(GatewayError(what));
    }
    match config.services.iter().find(|s| !endpoint::is_service(s)) {
        None => Ok(()),
        Some(wrong) => Err(GatewayError(format!(
            "push.services: {wrong:?} is no name (fcm.googleapis.com, *.push.apple.com)"
        ))),
    }
}

impl Push {
    pub(super) fn new(
        config: &PushConfig,
        timeout: Duration,
        key: Arc<VapidKey>,
    ) -> Result<Self, GatewayError> {
        check(config)?;
        Ok(Self {
            client: http::builder(timeout, |b| b.dns_resolver(Arc::new(endpoint::PublicNames)))?,
            key,
            config: config.clone(),
        })
    }

    /// Who sends, for a push service, at an instant in seconds.
    fn authorization(&self, to: &Url, at: i64) -> Option<String> {
        let claims = json!({"aud": to.origin().ascii_serialization(), "exp": at + SIGNED_SECS,
            "sub": self.config.contact});
        let head = BASE64.encode(r#"{"typ":"JWT","alg":"ES256"}"#);
        let text = format!("{head}.{}", BASE64.encode(claims.to_string()));
        let signature = BASE64.encode(self.key.sign(text.as_bytes())?);
        Some(format!(
            "vapid t={text}.{signature}, k={}",
            self.key.public()
        ))
    }
}

/// By what a later message takes the place of an earlier one: the alert, else the message itself.
fn topic(message: &Outgoing<'_>) -> String {
    let event = message.content.event.as_ref();
    let alert = event.map_or(&Value::Null, |e| &e["alertId"]);
    let name = match alert.as_str() {
        Some(alert) => format!("{}/{alert}", event.map_or(&Value::Null, |e| &e["farmId"])),
        None => message.key.to_owned(),
    };
    let mut topic = BASE64.encode(Sha256::digest(name.as_bytes()));
    topic.truncate(TOPIC_CHARS);
    topic
}

fn is_urgent(content: &Content) -> bool {
    let event = content.event.as_ref();
    event.is_some_and(|e| e["severity"] == "critical" && e["kind"] != "alert_over")
}

/// What the worker is given: what it shows, and where a tap leads. It holds no secret but the link.
fn payload(message: &Outgoing<'_>, topic: &str) -> Vec<u8> {
    let content = message.content;
    let text = match content.params.as_slice() {
        [_, text, _] | [text, _] => text.as_str(),
        _ => content.body.as_str(),
    };
    let cut = |text: &str, chars: usize| -> String { text.chars().take(chars).collect() };
    let document = |chars: usize| {
        json!({
            "title": cut(&content.title, 100), "body": cut(text, chars), "lang": message.language.as_str(), "tag": topic,
            "url": content.link, "critical": is_urgent(content),
        })
        .to_string()
        .into_bytes()
    };
    let fits = |bytes: &Vec<u8>| bytes.len() <= encrypt::MAX_PLAIN_BYTES;
    let found = TEXT_CHARS.into_iter().map(document).find(fits);
    // too long even so: then it is not sent
    found.unwrap_or_else(|| document(usize::MAX))
}

impl Gateway for Push {
    fn send<'a>(&'a self, message: &'a Outgoing<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let refused = |why: &str| Answer::Refused(why.to_owned());
            let Some(target) = message.push else {
                return Answer::Gone;
            };
            // the settings may have changed since the browser gave it
            let Ok(url) = self.config.endpoint(&target.endpoint) else {
                return refused("no push service that is set");
            };
            let topic = topic(message);
            let plain = payload(message, &topic);
            let Some(body) = encrypt::encrypted(&plain, &target.p256dh, &target.auth) else {
                return refused("it cannot be encrypted");
            };
            let now = jiff::Timestamp::now().as_second();
            let Some(authorization) = self.authorization(&url, now) else {
                return refused("it cannot be signed");
            };
            let urgency = if is_urgent(message.content) {
                "high"
            } else {
                "normal"
            };
            let request = self
                .client
                .post(url)
                .header("authorization", authorization)
                .header("content-encoding", "aes128gcm")
                .header("content-type", "application/octet-stream")
                .header("ttl", message.rest_secs)
                .header("urgency", urgency)
                .header("topic", topic)
                .body(body);
            match http::ask(request).await {
                Ok(read) if read.status.is_success() => Answer::Taken(None),
                Ok(read) if matches!(read.status, StatusCode::NOT_FOUND | StatusCode::GONE) => {
                    Answer::Gone
                }
                Ok(read) => read.failed(None),
                Err(answer) => answer,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::records::MessageKind;

    fn push() -> Push {
        let dir = tempfile::TempDir::new().expect("a directory");
        let key = VapidKey::open(&dir.path().join("push.key"), true).expect("a key");
        let config = PushConfig::new("mailto:a@farm.example".to_owned());
        Push::new(&config, Duration::from_secs(1), Arc::new(key)).expect("push")
    }

    #[test]
    fn who_sends_is_signed_for_one_service_and_half_a_day() {
        use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
        let push = push();
        let url = Url::parse("https://fcm.googleapis.com/fcm/send/x").expect("an address");
        let header = push.authorization(&url, 1_700_000_000).expect("signed");
        let (token, key) = { header.strip_prefix("vapid t=") }
            .and_then(|rest| rest.split_once(", k="))
            .expect(&header);
        let (text, signature) = token.rsplit_once('.').expect("a signature");
        let key = BASE64.decode(key).expect("base64");
        let signature = BASE64.decode(signature).expect("base64");
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key);
        assert!(key.verify(text.as_bytes(), &signature).is_ok());
        let parts = text.split('.').map(|p| BASE64.decode(p).expect("base64"));
        let parts: Vec<Value> = parts
            .map(|p| serde_json::from_slice(&p).expect("JSON"))
            .collect();
        assert_eq!(parts[0], json!({"typ": "JWT", "alg": "ES256"}));
        let claims = json!({"aud": "https://fcm.googleapis.com", "exp": 1_700_043_200, "sub": "mailto:a@farm.example"});
        assert_eq!(parts[1], claims);
    }

    fn outgoing<'a>(content: &'a Content, key: &'a str) -> Outgoing<'a> {
        Outgoing {
            key,
            to: "1",
            kind: MessageKind::Alert,
            language: Language::Mr,
            content,
            rest_secs: 60,
            push: None,
        }
    }

    #[test]
    fn a_repeat_takes_the_place_of_what_the_same_alert_said() {
        let content = |alert: &str| Content {
            event: Some(json!({"farmId": "f", "alertId": alert})),
            ..Content::default()
        };
        let (one, other, none) = (content("a"), content("b"), Content::default());
        let topic_of = |content, key| topic(&outgoing(content, key));
        assert_eq!(topic_of(&one, "1"), topic_of(&one, "2"));
        assert_ne!(topic_of(&one, "1"), topic_of(&other, "1"));
        assert_ne!(topic_of(&none, "1"), topic_of(&none, "2"));
        assert_eq!(topic_of(&one, "1").len(), TOPIC_CHARS);
    }

    #[test]
    fn the_longest_text_in_any_letters_fits() {
        let mut content = Content {
            title: "\u{905}".repeat(500),
            params: vec![String::new(), "\u{1}".repeat(5_000), String::new()],
            link: Some("https://farm.example/a/x".to_owned()),
            event: Some(json!({"kind": "alert_raised", "severity": "critical"})),
            ..Content::default()
        };
        let made = payload(&outgoing(&content, "1"), "t");
        assert!(made.len() <= encrypt::MAX_PLAIN_BYTES, "{}", made.len());
        let made: Value = serde_json::from_slice(&made).expect("JSON");
        assert_eq!(made["critical"], true);
        assert_eq!(
            (&made["lang"], &made["url"]),
            (&json!("mr"), &json!("https://farm.example/a/x"))
        );
        // what is over is no emergency
        content.event = Some(json!({"kind": "alert_over", "severity": "critical"}));
        assert!(!is_urgent(&content));
    }

    #[test]
    fn settings_that_cannot_be_used_are_named() {
        let said = |contact: &str, service: &str| {
            let mut config = PushConfig::new(contact.to_owned());
            config.services = vec![service.to_owned()];
            check(&config)
                .err()
                .map(|e| e.to_string())
                .unwrap_or_default()
        };
        assert_eq!(said("mailto:a@farm.example", "push.example"), "");
        assert_eq!(said("https://farm.example", "*.push.example"), "");
        for contact in ["a@farm.example", "mailto:a", "http://farm.example"] {
            assert!(
                said(contact, "push.example").starts_with("push.contact: "),
                "{contact}"
            );
        }
        assert!(said("mailto:a@b", "https://x").starts_with("push.services: "));
    }
}
