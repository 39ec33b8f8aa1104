//! Links and webhooks that are forged, expired or sent a second time, on the running program: each is refused, answers nothing, and
//! is counted.

use std::fmt::Write as _;
use std::net::SocketAddr;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use harit_gateways::{APP_SECRET, Gateways};
use reqwest::Client;
use ring::hmac;
use serde_json::json;

use crate::farm::{self, Api, GREEN, now_ms};
use crate::incident_messages::{Life, people};
use crate::server::{Home, PATIENCE, Server, machine, until};

pub(crate) const SITE: &str = "https://farm.example";
pub(crate) const TOKEN: &str = "token-of-twilio";
const FORM: &str = "application/x-www-form-urlencoded";

/// What this server would have written into a message of that id, of which the time is over.
fn expired(home: &Home, message: &str) -> String {
    let key = std::fs::read(home.data().join("codes.key")).unwrap();
    let hex: Vec<u8> = message.bytes().filter(|b| *b != b'-').collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let id: Vec<u8> = hex.chunks(2).map(byte).collect();
    let minute = u32::try_from(now_ms() / 60_000).unwrap().to_be_bytes();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let code = hmac::sign(&key, &[&b"answer an incident\0"[..], &id, &minute].concat());
    BASE64_URL_SAFE_NO_PAD.encode([&id[..], &minute, &code.as_ref()[..16]].concat())
}

/// Who reaches a server from outside.
pub(crate) struct Outside<'a> {
    pub(crate) client: Client,
    pub(crate) server: &'a Server,
}

impl Outside<'_> {
    async fn answers(&self, token: &str, form: &str) -> u16 {
        let url = format!("{}/a/{token}", self.server.http);
        let request = self.client.post(url).header("content-type", FORM);
        let answer = request.body(form.to_owned()).send().await.unwrap();
        answer.status().as_u16()
    }

    pub(crate) async fn twilio(&self, id: &str, from: &str, text: &str, token: &str) -> u16 {
        let fields = [("Body", text), ("From", from), ("MessageSid", id)];
        let mut signed = format!("{SITE}/hooks/twilio");
        for (name, value) in fields {
            write!(signed, "{name}{value}").unwrap();
        }
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes());
        let signature = BASE64_STANDARD.encode(hmac::sign(&key, signed.as_bytes()));
        let mut form = reqwest::Url::parse("http://form/").unwrap();
        form.query_pairs_mut().extend_pairs(fields);
        let request = self
            .client
            .post(format!("{}/hooks/twilio", self.server.http));
        let request = request
            .header("content-type", FORM)
            .header("x-twilio-signature", signature);
        let body = form.query().unwrap_or_default().to_owned();
        request.body(body).send().await.unwrap().status().as_u16()
    }

    async fn whatsapp(&self, message: &str, secret: &str) -> u16 {
        let status = json!({"id": "wamid.1", "status": "read", "timestamp": "1", "biz_opaque_callback_data": message});
        let body = json!({"entry": [{"changes": [{"value": {"statuses": [status]}}]}]}).to_string();
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let signature = hmac::sign(&key, body.as_bytes());
        let hex = signature
            .as_ref()
            .iter()
            .fold(String::new(), |mut hex, byte| {
                write!(hex, "{byte:02x}").unwrap();
                hex
            });
        let request = self
            .client
            .post(format!("{}/hooks/whatsapp", self.server.http));
        let request = request
            .header("content-type", "application/json")
            .header("x-hub-signature-256", format!("sha256={hex}"));
        request.body(body).send().await.unwrap().status().as_u16()
    }
}

/// How often something was counted of a way, with a result.
async fn counted(api: &Api, name: &str, of: &str, result: &str) -> f64 {
    let text = api.get("/metrics").await;
    let result = format!("result=\"{result}\"");
    let lines = text.as_str().unwrap().lines();
    lines
        .filter(|l| l.starts_with(name) && l.contains(of) && l.contains(&result))
        .filter_map(|l| l.rsplit_once(' ')?.1.parse::<f64>().ok())
        .sum()
}

#[tokio::test]
async fn what_is_forged_expired_or_sent_again_is_refused_and_counted() {
    let _machine = machine().await;
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    let gateways = Gateways::start(free, free).await.unwrap();
    let port = gateways.smtp.port().to_string();
    let (twilio, whatsapp) = (
        format!("http://{}", gateways.http),
        format!("http://{}/whatsapp", gateways.http),
    );
    let settings = [
        ("HARIT_SMTP_HOST", "127.0.0.1"),
        ("HARIT_SMTP_PORT", port.as_str()),
        ("HARIT_SMTP_SECURITY", "none"),
        ("HARIT_SMTP_FROM", "harit@farm.example"),
        ("HARIT_SMS_GATEWAY", "twilio"),
        ("HARIT_SMS_URL", twilio.as_str()),
        ("HARIT_SMS_ACCOUNT", "ACsimulated"),
        ("HARIT_SMS_TOKEN", TOKEN),
        ("HARIT_SMS_SENDER", "+15005550006"),
        ("HARIT_WHATSAPP_URL", whatsapp.as_str()),
        ("HARIT_WHATSAPP_PHONE_NUMBER_ID", "1"),
        ("HARIT_WHATSAPP_TOKEN", "simulated"),
        ("HARIT_WHATSAPP_APP_SECRET", APP_SECRET),
        ("HARIT_SERVER_PUBLIC_URL", SITE),
    ];
    let home = farm::seeded().await;
    people(&home).await;
    let server = home.server(&[], &settings).await;
    let apis = [Api::of(&server, GREEN).await];
    let mut lives = [Life::new(&server, &apis[0], 0).await];
    let came = until("the manager was told", PATIENCE, async || {
        lives[0].go_on(&server, &apis[0], &gateways).await;
        let all = gateways.inbox.all();
        all.into_iter().find(|m| m.to == "manager@green.example")
    })
    .await;
    let link = came
        .text
        .split_whitespace()
        .find_map(|w| w.strip_prefix("https://farm.example/a/"));
    let (token, message) = (link.unwrap(), came.key.as_deref().unwrap());
    let outside = Outside {
        client: Client::builder().timeout(PATIENCE).build().unwrap(),
        server: &server,
    };
    let answers = async |way: &str, result: &str| {
        counted(
            &apis[0],
            "harit_answers_total",
            &format!("way=\"{way}\""),
            result,
        )
        .await
    };
    let receipts = async |channel: &str, result: &str| {
        let of = format!("channel=\"{channel}\"");
        counted(&apis[0], "harit_receipts_total", &of, result).await
    };

    let mut forged = token.to_owned();
    let last = forged.pop().unwrap();
    forged.push(if last == 'A' { 'Q' } else { 'A' });
    assert_eq!(outside.answers(&forged, "what=on_it&seen=0").await, 404);
    assert!(answers("LINK", "forged").await >= 1.0);
    assert_eq!(
        outside
            .answers(&expired(&home, message), "what=on_it&seen=0")
            .await,
        410
    );
    assert!(answers("LINK", "expired").await >= 1.0);
    assert_eq!(outside.answers(token, "what=on_it&seen=0").await, 200);
    assert_eq!(outside.answers(token, "what=on_it&seen=0").await, 409);
    assert!(answers("EMAIL", "replayed").await >= 1.0);

    assert_eq!(
        outside.twilio("SM1", "+919812345678", "1", "another").await,
        404
    );
    assert!(receipts("SMS", "forged").await >= 1.0);
    assert_eq!(
        outside.twilio("SM1", "+919812345678", "1", TOKEN).await,
        200
    );
    assert!(
        answers("SMS", "unknown").await >= 1.0,
        "a number that nobody told"
    );
    assert_eq!(outside.whatsapp(message, "another").await, 404);
    assert!(receipts("WHATSAPP", "forged").await >= 1.0);
    assert_eq!(outside.whatsapp(message, APP_SECRET).await, 204);
    assert!(
        receipts("WHATSAPP", "replayed").await >= 1.0,
        "a mail is none of WhatsApp's"
    );

    // one answer was given, whatever was tried
    let alerts = apis[0].of_farm("alerts").await;
    let incident = alerts[0]["status"]["incident"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let seen = apis[0].of_farm(&format!("incidents/{incident}")).await;
    assert_eq!(seen["answers"].as_array().unwrap().len(), 1, "{seen}");
}
