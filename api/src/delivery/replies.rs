//! What Twilio and MSG91 send: what became of an SMS, and what somebody answered to it. Nothing of it is read before it is shown to
//! come from the gateway: Twilio signs (<https://www.twilio.com/docs/usage/webhooks/webhooks-security>); MSG91 does not, so its
//! address carries a word that follows from the auth key.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Url;
use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, verify};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::config::SmsConfig;
use super::receipts::NotTaken;
use crate::records::{Receipt, ReceiptState};
use crate::secret::hex;

/// From which MSG91's word is made.
const MSG91_PURPOSE: &[u8] = b"harit receipts";
/// The most reports of one request.
const MAX_REPORTS: usize = 1_000;

/// What somebody answered, by the contact from which it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reply {
    /// The gateway's name for it: the same when it is sent a second time.
    pub id: String,
    /// Plus sign and digits.
    pub from: String,
    pub text: String,
    /// The gateway's name for the message that it answers, where it says so.
    pub to: Option<String>,
}

/// What Twilio says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FromTwilio {
    Receipt(Receipt),
    Reply(Reply),
    /// Nothing that is new or of use.
    Nothing,
}

/// The fields of a form as it was sent.
fn fields(body: &str) -> Vec<(String, String)> {
    let url = Url::parse(&format!("http://form/?{body}"));
    let read = |url: Url| url.query_pairs().into_owned().collect();
    url.map(read).unwrap_or_default()
}

fn field<'a>(all: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = all.iter().find(|(k, _)| k == name);
    found.map(|(_, v)| v.as_str()).filter(|v| !v.is_empty())
}

/// Whether an HMAC-SHA1 of the address and the fields, by their names, is Twilio's.
fn is_twilios(token: &str, url: &str, fields: &[(String, String)], signature: &str) -> bool {
    let mut sorted: Vec<_> = fields.iter().collect();
    sorted.sort();
    let text = sorted
        .iter()
        .fold(url.to_owned(), |t, (k, v)| t + k.as_str() + v.as_str());
    let key = Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes());
    let given = BASE64.decode(signature).unwrap_or_default();
    !token.is_empty() && verify(&key, text.as_bytes(), &given).is_ok()
}

/// Reads what Twilio sent to an address.
pub(crate) fn twilio(
    config: &SmsConfig,
    url: &str,
    signature: &str,
    body: &str,
) -> Result<FromTwilio, NotTaken> {
    let SmsConfig::Twilio { token, .. } = config else {
        return Err(NotTaken::Forged);
    };
    let all = fields(body);
    if !is_twilios(token.expose(), url, &all, signature) {
        return Err(NotTaken::Forged);
    }
    let id = field(&all, "MessageSid").ok_or(NotTaken::Unreadable)?;
    let Some(status) = field(&all, "MessageStatus") else {
        let reply = |from: &str| Reply {
            id: id.to_owned(),
            from: from.to_owned(),
            text: field(&all, "Body").unwrap_or_default().to_owned(),
            to: field(&all, "OriginalRepliedMessageSid").map(str::to_owned),
        };
        return Ok(field(&all, "From").map_or(FromTwilio::Nothing, |f| FromTwilio::Reply(reply(f))));
    };
    let state = match status {
        "delivered" => ReceiptState::Delivered,
        "read" => ReceiptState::Read,
        "failed" | "undelivered" => ReceiptState::Failed,
        _ => return Ok(FromTwilio::Nothing),
    };
    let key = Url::parse(url).ok();
    let key = key.and_then(|url| {
        let mut pairs = url.query_pairs();
        pairs.find(|(k, _)| k == "key").map(|(_, v)| v.into_owned())
    });
    Ok(FromTwilio::Receipt(Receipt {
        gateway_id: id.to_owned(),
        id: key,
        state,
        answer: field(&all, "ErrorCode").map(|code| format!("({code})")),
    }))
}

/// The word in the address to which MSG91 sends.
fn msg91_word(config: &SmsConfig) -> Option<String> {
    let SmsConfig::Msg91 { token, .. } = config else {
        return None;
    };
    let mut mac = Hmac::<Sha256>::new_from_slice(token.expose().as_bytes()).ok()?;
    mac.update(MSG91_PURPOSE);
    (!token.is_empty()).then(|| hex(&mac.finalize().into_bytes()))
}

/// Reads MSG91's reports: a document of one message, or a form with many in it.
pub(crate) fn msg91(config: &SmsConfig, word: &str, body: &str) -> Result<Vec<Receipt>, NotTaken> {
    let right = msg91_word(config).ok_or(NotTaken::Forged)?;
    if !bool::from(right.as_bytes().ct_eq(word.as_bytes())) {
        return Err(NotTaken::Forged);
    }
    let form = fields(body);
    let text = field(&form, "data").unwrap_or(body);
    let document: Value = serde_json::from_str(text).map_err(|_| NotTaken::Unreadable)?;
    let requests = match document {
        Value::Array(all) => all,
        one => vec![one],
    };
    let mut all = Vec::new();
    for request in requests {
        let gateway_id = request["requestId"].as_str().unwrap_or_default();
        let reports = match request["report"].as_array() {
            Some(reports) => reports.clone(),
            None => vec![request.clone()],
        };
        for report in reports {
            all.extend(report_of(gateway_id, &report));
        }
    }
    if all.len() > MAX_REPORTS {
        return Err(NotTaken::Unreadable);
    }
    Ok(all)
}

fn report_of(gateway_id: &str, report: &Value) -> Option<Receipt> {
    let status = match &report["status"] {
        Value::String(text) => text.to_lowercase(),
        other => other.to_string(),
    };
    let state = match status.as_str() {
        "1" | "delivered" => ReceiptState::Delivered,
        "2" | "9" | "16" | "17" | "25" | "failed" | "rejected" | "blocked" | "ndnc" => {
            ReceiptState::Failed
        }
        _ => return None,
    };
    let key = report["CRQID"].as_str().filter(|k| k.len() > 1);
    let named = !gateway_id.is_empty() || key.is_some();
    named.then(|| Receipt {
        gateway_id: gateway_id.to_owned(),
        id: key.map(str::to_owned),
        state,
        answer: (state == ReceiptState::Failed).then(|| {
            let digits = status.chars().all(|c| c.is_ascii_digit());
            let code = if digits { status.as_str() } else { "failed" };
            format!("({code})")
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::{Secret, Templates};

    fn by_twilio(token: &str) -> SmsConfig {
        SmsConfig::Twilio {
            url: String::new(),
            account: "AC1".into(),
            token: Secret::new(token.into()),
            sender: String::new(),
        }
    }

    #[test]
    fn twilios_signature_is_that_of_its_documentation() {
        // the example of Twilio's page on the security of webhooks
        let url = "https://example.com/myapp.php?foo=1&bar=2";
        let body = "CallSid=CA1234567890ABCDE&Caller=%2B14158675310&Digits=1234&From=%2B14158675310&To=%2B18005551212";
        let signature = "L/OH5YylLD5NRKLltdqwSvS0BnU=";
        assert!(is_twilios("12345", url, &fields(body), signature));
        for (token, url, signature) in [
            ("12346", url, signature),
            ("12345", "https://example.com/", signature),
            ("12345", url, "AAAA"),
            ("", url, signature),
        ] {
            assert!(!is_twilios(token, url, &fields(body), signature));
        }
    }

    fn sign(token: &str, url: &str, body: &str) -> String {
        let mut all = fields(body);
        all.sort();
        let text = all
            .iter()
            .fold(url.to_owned(), |t, (k, v)| t + k.as_str() + v.as_str());
        let key = Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes());
        BASE64.encode(ring::hmac::sign(&key, text.as_bytes()))
    }

    #[test]
    fn an_sms_is_receipt_or_reply() {
        let url = "https://farm.example/hooks/twilio?key=k1";
        let read = |body: &str| twilio(&by_twilio("t"), url, &sign("t", url, body), body);
        let delivered = read("MessageSid=SM1&MessageStatus=delivered").expect("a receipt");
        let FromTwilio::Receipt(receipt) = delivered else {
            panic!("{delivered:?}");
        };
        assert_eq!(
            (receipt.gateway_id.as_str(), receipt.id.as_deref()),
            ("SM1", Some("k1"))
        );
        let failed = read("MessageSid=SM1&MessageStatus=undelivered&ErrorCode=30003");
        let Ok(FromTwilio::Receipt(failed)) = failed else {
            panic!("{failed:?}");
        };
        assert_eq!(failed.answer.as_deref(), Some("(30003)"));
        let reply = read("MessageSid=SM2&From=%2B919812345678&Body=on+it").expect("a reply");
        let expected = Reply {
            id: "SM2".into(),
            from: "+919812345678".into(),
            text: "on it".into(),
            to: None,
        };
        assert_eq!(reply, FromTwilio::Reply(expected));
        let forged = twilio(&by_twilio("t"), url, "AAAA", "MessageSid=SM2");
        assert_eq!(forged, Err(NotTaken::Forged));
        assert_eq!(read("x=1"), Err(NotTaken::Unreadable));
    }

    #[test]
    fn msg91s_reports_are_read_in_both_shapes_behind_the_word() {
        let config = SmsConfig::Msg91 {
            url: String::new(),
            token: Secret::new("auth key".into()),
            sender: String::new(),
            templates: Templates::default(),
        };
        let word = msg91_word(&config).expect("a word");
        let one = r#"{"requestId":"r1","CRQID":"k1","status":"1","desc":"DELIVERED"}"#;
        let read = msg91(&config, &word, one).expect("reports");
        assert_eq!(read.len(), 1);
        assert_eq!(
            (read[0].id.as_deref(), read[0].state),
            (Some("k1"), ReceiptState::Delivered)
        );
        let many = "data=%5B%7B%22requestId%22%3A%22r2%22%2C%22report%22%3A%5B%7B%22CRQID%22%3A%220%22%2C%22status%22%3A%222%22%7D%5D%7D%5D";
        let read = msg91(&config, &word, many).expect("reports");
        assert_eq!(
            (read[0].gateway_id.as_str(), read[0].id.as_deref()),
            ("r2", None)
        );
        assert_eq!(read[0].answer.as_deref(), Some("(2)"));
        assert_eq!(msg91(&config, "guess", one), Err(NotTaken::Forged));
        assert_eq!(msg91(&by_twilio("t"), &word, one), Err(NotTaken::Forged));
        assert_eq!(msg91(&config, &word, "{"), Err(NotTaken::Unreadable));
    }
}
