//! Receipts of WhatsApp: whether a message was delivered and read
//! (<https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components#statuses-object>). Their signature is checked
//! before anything of them is read.

use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::Sha256;

use super::config::WhatsAppConfig;
use super::replies::Reply;
use crate::records::{Receipt, ReceiptState};

/// Receipts older than this are replayed: WhatsApp gives up after seven days.
const OLDEST_SECS: i64 = 8 * 24 * 3_600;
/// The most receipts of one request.
const MAX_RECEIPTS: usize = 1_000;

/// Why receipts were not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// They are not signed by WhatsApp.
    Forged,
    /// They are none.
    Unreadable,
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    entry: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    value: Option<Value>,
}

#[derive(Deserialize)]
struct Value {
    #[serde(default)]
    statuses: Vec<Status>,
    /// What people answer.
    #[serde(default)]
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    id: String,
    /// Digits alone.
    from: String,
    timestamp: Option<String>,
    text: Option<Text>,
    button: Option<Button>,
    interactive: Option<Interactive>,
    context: Option<Context>,
}

#[derive(Deserialize)]
struct Text {
    body: String,
}

#[derive(Deserialize)]
struct Button {
    text: String,
}

#[derive(Deserialize)]
struct Interactive {
    button_reply: Option<Title>,
}

#[derive(Deserialize)]
struct Title {
    title: String,
}

#[derive(Deserialize)]
struct Context {
    id: Option<String>,
}

impl Message {
    /// What its words or its button say.
    fn reply(self) -> Option<Reply> {
        let button = self.button.map(|b| b.text);
        let pressed = self.interactive.and_then(|i| i.button_reply);
        let text = button.or_else(|| pressed.map(|b| b.title));
        Some(Reply {
            text: text.or_else(|| self.text.map(|t| t.body))?,
            id: self.id,
            from: format!("+{}", self.from.trim_start_matches('+')),
            to: self.context.and_then(|c| c.id),
        })
    }
}

#[derive(Deserialize)]
struct Status {
    id: String,
    status: String,
    /// Seconds, as a text.
    timestamp: Option<String>,
    biz_opaque_callback_data: Option<String>,
    #[serde(default)]
    errors: Vec<Error>,
}

#[derive(Deserialize)]
struct Error {
    code: Option<i64>,
}

/// Whether it is the word that WhatsApp was told to say.
pub(crate) fn is_verified(config: &WhatsAppConfig, given: &str) -> bool {
    use subtle::ConstantTimeEq;
    let word = config.verify_token.expose();
    !word.is_empty() && bool::from(word.as_bytes().ct_eq(given.as_bytes()))
}

/// What a request brought.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Brought {
    pub receipts: Vec<Receipt>,
    pub replies: Vec<Reply>,
    /// How many were too old.
    pub old: usize,
}

/// Reads the receipts and answers of a request, if its signature is right.
pub(crate) fn read(
    config: &WhatsAppConfig,
    signature: &str,
    body: &[u8],
    now_ms: i64,
) -> Result<Brought, NotTaken> {
    if !is_signed(config, signature, body) {
        return Err(NotTaken::Forged);
    }
    let document: Document = serde_json::from_slice(body).map_err(|_| NotTaken::Unreadable)?;
    let changes = document.entry.into_iter().flat_map(|e| e.changes);
    let (mut statuses, mut messages) = (Vec::new(), Vec::new());
    for value in changes.filter_map(|c| c.value) {
        statuses.extend(value.statuses);
        messages.extend(value.messages);
    }
    let (mut all, mut replies, mut old) = (Vec::new(), Vec::new(), 0);
    let is_old = |timestamp: Option<&String>| {
        let at = timestamp.and_then(|t| t.parse().ok());
        at.is_none_or(|at: i64| now_ms / 1_000 - at > OLDEST_SECS)
    };
    for message in messages.into_iter().take(MAX_RECEIPTS) {
        if is_old(message.timestamp.as_ref()) {
            old += 1;
            continue;
        }
        replies.extend(message.reply());
    }
    for status in statuses.into_iter().take(MAX_RECEIPTS) {
        if is_old(status.timestamp.as_ref()) {
            old += 1;
            continue;
        }
        let state = match status.status.as_str() {
            "delivered" => ReceiptState::Delivered,
            "read" => ReceiptState::Read,
            "failed" => ReceiptState::Failed,
            // "sent" says what the answer said
            _ => continue,
        };
        let code = status.errors.first().and_then(|e| e.code);
        all.push(Receipt {
            gateway_id: status.id,
            id: status.biz_opaque_callback_data,
            state,
            answer: code.map(|c| format!("({c})")),
        });
    }
    Ok(Brought {
        receipts: all,
        replies,
        old,
    })
}

/// `sha256=` and the HMAC-SHA256 of the body in hex.
fn is_signed(config: &WhatsAppConfig, signature: &str, body: &[u8]) -> bool {
    let secret = config.app_secret.expose();
    let Some(given) = signature.strip_prefix("sha256=").and_then(from_hex) else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return false;
    };
    mac.update(body);
    !secret.is_empty() && mac.verify_slice(&given).is_ok()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits.filter(|d| d.len() % 2 == 0)?;
    let bytes = digits
        .chunks(2)
        .map(|d| u8::try_from(d[0] * 16 + d[1]).ok());
    bytes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::{Secret, Templates};
    use crate::secret::hex;

    fn config(secret: &str) -> WhatsAppConfig {
        WhatsAppConfig {
            url: "https://graph.facebook.com/v23.0".into(),
            phone_number_id: "1".into(),
            token: Secret::default(),
            app_secret: Secret::new(secret.into()),
            verify_token: Secret::new("word".into()),
            templates: Templates::default(),
        }
    }

    fn signed(secret: &str, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
        mac.update(body);
        format!("sha256={}", hex(&mac.finalize().into_bytes()))
    }

    #[test]
    fn only_what_is_signed_is_read() {
        let body = br#"{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages","value":{
            "messaging_product":"whatsapp","statuses":[
            {"id":"wamid.A","status":"delivered","timestamp":"1700000000","recipient_id":"919876543210","biz_opaque_callback_data":"k"},
            {"id":"wamid.B","status":"failed","timestamp":"1700000000","errors":[{"code":131026,"title":"Message undeliverable"}]},
            {"id":"wamid.C","status":"read","timestamp":"1600000000"},
            {"id":"wamid.D","status":"sent","timestamp":"1700000000"}]}}]}]}"#;
        let now = 1_700_000_100_000;
        let brought = read(&config("s"), &signed("s", body), body, now).expect("receipts");
        let receipts = brought.receipts;
        assert_eq!(brought.old, 1);
        let states: Vec<_> = receipts
            .iter()
            .map(|r| (r.gateway_id.as_str(), r.state))
            .collect();
        assert_eq!(
            states,
            [
                ("wamid.A", ReceiptState::Delivered),
                ("wamid.B", ReceiptState::Failed)
            ]
        );
        assert_eq!(receipts[0].id.as_deref(), Some("k"));
        assert_eq!(receipts[1].answer.as_deref(), Some("(131026)"));
        let answered = br#"{"entry":[{"changes":[{"value":{"messages":[
            {"id":"wamid.E","from":"919876543210","timestamp":"1700000000","type":"button","button":{"text":"I am on it","payload":"x"},
             "context":{"id":"wamid.A"}},
            {"id":"wamid.F","from":"919876543210","timestamp":"1700000000","type":"text","text":{"body":"2"}},
            {"id":"wamid.G","from":"919876543210","timestamp":"1600000000","type":"text","text":{"body":"2"}},
            {"id":"wamid.H","from":"919876543210","timestamp":"1700000000","type":"image"}]}}]}]}"#;
        let brought = read(&config("s"), &signed("s", answered), answered, now).expect("answers");
        let said: Vec<_> = { brought.replies.iter() }
            .map(|r| (r.from.as_str(), r.text.as_str(), r.to.as_deref()))
            .collect();
        let from = "+919876543210";
        assert_eq!(
            said,
            [(from, "I am on it", Some("wamid.A")), (from, "2", None)]
        );
        assert_eq!(brought.old, 1);
        for wrong in [signed("other", body), String::new(), "sha256=zz".to_owned()] {
            assert_eq!(read(&config("s"), &wrong, body, now), Err(NotTaken::Forged));
        }
        // nothing is believed without a secret
        assert_eq!(
            read(&config(""), &signed("", body), body, now),
            Err(NotTaken::Forged)
        );
        let junk = signed("s", b"{");
        assert_eq!(
            read(&config("s"), &junk, b"{", now),
            Err(NotTaken::Unreadable)
        );
        assert!(is_verified(&config("s"), "word") && !is_verified(&config("s"), "sword"));
    }
}
