//! The gateways that speak HTTP: Twilio, MSG91, one of one's own, WhatsApp, a webhook, and a push service.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post, put};
use axum::{Form, Json, Router};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::inbox::{Inbox, Mode, Received, now_ms};
use crate::phone::Back;
use crate::{APP_SECRET, page, phone};

type Shared = State<Arc<Inbox>>;

pub(crate) fn router(inbox: Arc<Inbox>) -> Router {
    Router::new()
        .route("/", get(phones))
        .route("/messages", get(messages))
        .route("/messages/{number}/{press}", post(press))
        .route("/mode/{mode}", put(set_mode).post(set_mode))
        .route("/2010-04-01/Accounts/{account}/Messages.json", post(twilio))
        .route("/api/v5/flow", post(msg91))
        .route("/sms", post(own))
        .route("/whatsapp/{number}/messages", post(whatsapp))
        .route("/webhook", post(webhook))
        .route("/push/{browser}", post(push))
        .with_state(inbox)
}

async fn phones(State(inbox): Shared) -> Html<String> {
    Html(page::phones(&inbox))
}

async fn messages(State(inbox): Shared) -> Json<Value> {
    Json(json!({"mode": inbox.mode(), "refused": inbox.refused(), "messages": inbox.all()}))
}

/// What a press says.
#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    text: String,
}

/// Does with a message what its button on the page says. A page of somebody else's cannot ask for it.
async fn press(
    State(inbox): Shared,
    Path((number, word)): Path<(u64, String)>,
    headers: HeaderMap,
    Form(said): Form<Said>,
) -> Response {
    let host = header(&headers, "host").unwrap_or_default();
    let is_ours = |origin: String| origin == format!("http://{host}");
    if !header(&headers, "origin").is_none_or(is_ours) {
        return StatusCode::FORBIDDEN.into_response();
    }
    match phone::press(&inbox, number, &word, &said.text).await {
        Some(_) => Redirect::to("/").into_response(),
        None => StatusCode::BAD_GATEWAY.into_response(),
    }
}

async fn set_mode(State(inbox): Shared, Path(mode): Path<String>) -> StatusCode {
    match serde_json::from_value::<Mode>(mode.into()) {
        Ok(mode) => {
            inbox.set_mode(mode);
            StatusCode::NO_CONTENT
        }
        Err(_) => StatusCode::NOT_FOUND,
    }
}

/// Takes a message as the mode says, and answers.
async fn take(inbox: &Inbox, message: Received, taken: impl FnOnce(u64) -> Response) -> Response {
    let mode = inbox.mode();
    if !mode.takes() {
        inbox.refuse();
    }
    match mode {
        Mode::Refuse => {
            let error = json!({"code": 21_211, "message": "invalid number", "status": 400});
            return (StatusCode::BAD_REQUEST, Json(error)).into_response();
        }
        Mode::Busy => {
            let wait = [("retry-after", "1")];
            return (StatusCode::TOO_MANY_REQUESTS, wait, Json(json!({}))).into_response();
        }
        Mode::Broken => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        _ => {}
    }
    let number = inbox.keep(message);
    match mode {
        Mode::Slow => tokio::time::sleep(Duration::from_secs(2)).await,
        Mode::Never => return std::future::pending().await,
        _ => {}
    }
    taken(number)
}

fn message(channel: &'static str, to: &str, text: String, raw: String) -> Received {
    Received {
        number: 0,
        channel,
        to: to.to_owned(),
        key: None,
        subject: String::new(),
        text,
        headers: Value::Null,
        raw,
        at: now_ms(),
        back: None,
        pressed: Vec::new(),
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

async fn twilio(
    State(inbox): Shared,
    Path(account): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Response {
    if !header(&headers, "authorization").is_some_and(|h| h.starts_with("Basic ")) {
        let error = json!({"code": 20_003, "message": "Authenticate", "status": 401});
        return (StatusCode::UNAUTHORIZED, Json(error)).into_response();
    }
    let url = reqwest::Url::parse(&format!("http://form/?{body}"));
    let fields: Vec<(String, String)> = url
        .map(|u| u.query_pairs().into_owned().collect())
        .unwrap_or_default();
    let field = |name: &str| {
        let found = fields.iter().find(|(k, _)| k == name);
        found.map_or("", |(_, v)| v.as_str()).to_owned()
    };
    let mut sms = message("sms", &field("To"), field("Body"), body.clone());
    let callback = field("StatusCallback");
    sms.back = Some(Back::Twilio {
        token: password(&headers),
        callback: Some(callback).filter(|url| !url.is_empty()),
        sender: field("From"),
    });
    let to = sms.to.clone();
    take(&inbox, sms, |n| {
        let answer = json!({"sid": format!("SM{n:032x}"), "account_sid": account, "status": "queued", "to": to,
            "error_code": null, "error_message": null});
        (StatusCode::CREATED, Json(answer)).into_response()
    })
    .await
}

/// The password of a basic authorization.
fn password(headers: &HeaderMap) -> String {
    let given = header(headers, "authorization").unwrap_or_default();
    let bytes = BASE64_STANDARD.decode(given.trim_start_matches("Basic "));
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
    text.split_once(':')
        .map_or_else(String::new, |(_, p)| p.to_owned())
}

async fn msg91(State(inbox): Shared, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    let Some(authkey) = header(&headers, "authkey") else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    let to = &body["recipients"][0];
    let vars = ["var1", "var2", "var3"].map(|v| to[v].as_str().unwrap_or("").to_owned());
    let text = format!(
        "[{}] {}",
        body["template_id"].as_str().unwrap_or(""),
        vars.join(" ").trim()
    );
    let number = format!("+{}", to["mobiles"].as_str().unwrap_or(""));
    let mut sms = message("sms", &number, text, body.to_string());
    sms.key = to["CRQID"].as_str().map(str::to_owned);
    sms.back = Some(Back::Msg91 { authkey });
    take(&inbox, sms, |n| {
        Json(json!({"message": format!("{n:024x}"), "type": "success"})).into_response()
    })
    .await
}

async fn own(State(inbox): Shared, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    let text = body["text"].as_str().unwrap_or("").to_owned();
    let to = body["to"].as_str().unwrap_or("").to_owned();
    let mut sms = message("sms", &to, text, body.to_string());
    sms.key = header(&headers, "idempotency-key");
    take(&inbox, sms, |n| {
        Json(json!({"id": format!("own-{n}")})).into_response()
    })
    .await
}

async fn whatsapp(
    State(inbox): Shared,
    headers: HeaderMap,
    Path(number): Path<String>,
    Json(body): Json<Value>,
) -> Response {
    if !header(&headers, "authorization").is_some_and(|h| h.starts_with("Bearer ")) {
        let error =
            json!({"error": {"code": 190, "type": "OAuthException", "message": "no token"}});
        return (StatusCode::UNAUTHORIZED, Json(error)).into_response();
    }
    let template = &body["template"];
    let parameters = template["components"][0]["parameters"].as_array();
    let texts: Vec<&str> = parameters
        .into_iter()
        .flatten()
        .filter_map(|p| p["text"].as_str())
        .collect();
    let text = format!(
        "[{} {}] {}",
        template["name"].as_str().unwrap_or(""),
        template["language"]["code"].as_str().unwrap_or(""),
        texts.join("\n")
    );
    let to = format!("+{}", body["to"].as_str().unwrap_or(""));
    let key = body["biz_opaque_callback_data"].as_str().map(str::to_owned);
    let mut sent = message("whatsapp", &to, text, body.to_string());
    sent.key.clone_from(&key);
    let language = template["language"]["code"].as_str().unwrap_or("");
    sent.back = Some(Back::WhatsApp {
        number: number.clone(),
        language: language.to_owned(),
    });
    let mode = inbox.mode();
    let receipts = Arc::clone(&inbox);
    take(&inbox, sent, |n| {
        let id = format!("wamid.{n}");
        tokio::spawn(send_receipts(receipts, mode, number, id.clone(), key));
        Json(json!({"messaging_product": "whatsapp", "contacts": [{"input": to, "wa_id": to}], "messages": [{"id": id}]}))
            .into_response()
    })
    .await
}

/// Tells where it was told to that a message was delivered and read.
async fn send_receipts(
    inbox: Arc<Inbox>,
    mode: Mode,
    number: String,
    id: String,
    key: Option<String>,
) {
    let Some(url) = inbox.receipts_to() else {
        return;
    };
    let mut states = vec!["delivered", "read"];
    match mode {
        Mode::OutOfOrder => states.reverse(),
        Mode::Twice => states = vec!["delivered", "delivered", "read", "read"],
        _ => {}
    }
    let client = reqwest::Client::new();
    for state in states {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let at = (now_ms() / 1_000).to_string();
        let body = json!({"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [{"field": "messages", "value": {
            "messaging_product": "whatsapp", "metadata": {"phone_number_id": number},
            "statuses": [{"id": id, "status": state, "timestamp": at, "biz_opaque_callback_data": key}]}}]}]});
        let body = body.to_string();
        let request = client
            .post(&url)
            .header("content-type", "application/json")
            .header("x-hub-signature-256", signature(body.as_bytes()));
        let _lost = request.body(body).send().await;
    }
}

/// As WhatsApp signs what it sends.
#[must_use]
pub(crate) fn signature(body: &[u8]) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(APP_SECRET.as_bytes()) else {
        return String::new();
    };
    mac.update(body);
    let bytes = mac.finalize().into_bytes();
    let hex: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    format!("sha256={}", hex.concat())
}

async fn webhook(State(inbox): Shared, headers: HeaderMap, body: String) -> Response {
    let document: Value = serde_json::from_str(&body).unwrap_or(Value::Null);
    let text = document["title"]
        .as_str()
        .or(document["alerts"][0]["annotations"]["summary"].as_str());
    let text = text.unwrap_or("").to_owned();
    let mut event = message("webhook", "webhook", text, body);
    event.key = header(&headers, "idempotency-key");
    event.headers = json!({"timestamp": header(&headers, "x-harit-timestamp"),
        "signature": header(&headers, "x-harit-signature")});
    take(&inbox, event, |_| StatusCode::NO_CONTENT.into_response()).await
}

/// A push service (RFC 8030): what it is given only the browser can read. Where it refuses, the browser is gone.
async fn push(
    State(inbox): Shared,
    Path(browser): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let of = |name: &str| header(&headers, name);
    if !of("authorization").is_some_and(|h| h.starts_with("vapid ")) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if of("ttl").is_none() || of("content-encoding").as_deref() != Some("aes128gcm") {
        return StatusCode::BAD_REQUEST.into_response();
    }
    if inbox.mode() == Mode::Refuse {
        inbox.refuse();
        return StatusCode::GONE.into_response();
    }
    let (ttl, urgency) = (of("ttl").unwrap_or_default(), of("urgency"));
    let text = format!(
        "{} bytes for a browser alone, for {ttl} s, urgency {}",
        body.len(),
        urgency.as_deref().unwrap_or("normal")
    );
    let mut sent = message("push", &browser, text, BASE64_URL_SAFE_NO_PAD.encode(&body));
    sent.headers = json!({"ttl": ttl, "urgency": urgency, "topic": of("topic"), "authorization": of("authorization")});
    take(&inbox, sent, |n| {
        (
            StatusCode::CREATED,
            [("location", format!("/push/messages/{n}"))],
        )
            .into_response()
    })
    .await
}
