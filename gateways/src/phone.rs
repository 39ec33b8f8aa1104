//! What a person does with a message, and what the gateway then says of it: receipts of delivery and reading, and answers, each signed
//! as the real gateway signs it. Keys are those with which the message was sent.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::{Client, RequestBuilder, Url};
use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::http::signature;
use crate::inbox::{Inbox, Received, now_ms};

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a person does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press<'a> {
    /// The phone has it.
    Delivered,
    /// It was opened.
    Read,
    /// It came nowhere.
    Failed,
    /// These words are sent back, or the button with that label is pressed.
    Answer(&'a str),
}

impl<'a> Press<'a> {
    /// Of a word of the page.
    pub(crate) fn parse(word: &str, text: &'a str) -> Option<Self> {
        match word {
            "delivered" => Some(Self::Delivered),
            "read" => Some(Self::Read),
            "failed" => Some(Self::Failed),
            "answer" if !text.is_empty() => Some(Self::Answer(text)),
            _ => None,
        }
    }
}

/// By what a message's receipts and answers go back.
#[derive(Debug, Clone)]
pub(crate) enum Back {
    Twilio {
        /// With which the message was sent, and what is sent back is signed.
        token: String,
        /// Where its receipts go, as the message said.
        callback: Option<String>,
        sender: String,
    },
    Msg91 {
        authkey: String,
    },
    WhatsApp {
        /// Of the sender.
        number: String,
        /// Of the template.
        language: String,
    },
}

/// Why nothing was sent back.
#[derive(Debug)]
pub enum NotPressed {
    /// There is no such message.
    NoMessage,
    /// The way has nothing like it.
    NotHere,
    /// It is not known where the server is.
    NoServer,
    /// The server did not answer.
    NoAnswer,
}

impl Inbox {
    /// Does with a message what a person would do, and sends what the gateway sends then. What the server answered.
    ///
    /// # Errors
    /// When nothing was sent, or nobody answered.
    pub async fn press(&self, number: u64, press: Press<'_>) -> Result<u16, NotPressed> {
        let all = self.all();
        let message = all.into_iter().find(|m| m.number == number);
        let message = message.ok_or(NotPressed::NoMessage)?;
        let back = message.back.clone().ok_or(NotPressed::NotHere)?;
        let client = Client::builder().timeout(PATIENCE).build();
        let client = client.map_err(|_| NotPressed::NoAnswer)?;
        let times = self.count_press();
        let request = match (&back, press) {
            (
                Back::Twilio {
                    token,
                    callback,
                    sender,
                },
                press,
            ) => {
                let callback = callback.as_deref().ok_or(NotPressed::NoServer)?;
                twilio(&client, &message, (token, callback, sender), press, times)?
            }
            (Back::Msg91 { authkey }, press) => {
                let server = self.server().ok_or(NotPressed::NoServer)?;
                msg91(&client, &message, authkey, &server, press)?
            }
            (Back::WhatsApp { number, .. }, press) => {
                let server = self.server().ok_or(NotPressed::NoServer)?;
                let url = format!("{server}/hooks/whatsapp");
                whatsapp(&client, &message, (number, &url), press, times)?
            }
        };
        let answer = request.send().await.map_err(|_| NotPressed::NoAnswer)?;
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap_or_default();
        let word = match press {
            Press::Delivered => "delivered",
            Press::Read => "read",
            Press::Failed => "failed",
            Press::Answer(text) => text,
        };
        self.note_press(number, format!("{word}: {status}"));
        if let Some(said) = said_back(&text) {
            self.keep(Received {
                number: 0,
                key: None,
                subject: String::new(),
                text: said,
                headers: Value::Null,
                raw: text,
                at: now_ms(),
                back: None,
                pressed: Vec::new(),
                ..message
            });
        }
        Ok(status)
    }
}

/// What Twilio's answer has the number told, without its markup.
fn said_back(twiml: &str) -> Option<String> {
    let (_, rest) = twiml.split_once("<Message>")?;
    let (text, _) = rest.split_once("</Message>")?;
    let plain = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    Some(plain.replace("&amp;", "&"))
}

/// A form signed as Twilio signs it: the address, and the fields by their names.
fn twilio(
    client: &Client,
    message: &Received,
    (token, callback, sender): (&str, &str, &str),
    press: Press<'_>,
    times: u64,
) -> Result<RequestBuilder, NotPressed> {
    let sid = message.gateway_id();
    // another one than before a restart
    let reply = format!("SM{:016x}{times:016x}", now_ms());
    let (url, mut fields) = match press {
        Press::Read => return Err(NotPressed::NotHere),
        Press::Delivered | Press::Failed => {
            let status = if press == Press::Delivered {
                "delivered"
            } else {
                "undelivered"
            };
            let mut fields = vec![
                ("MessageSid", sid.as_str()),
                ("MessageStatus", status),
                ("To", message.to.as_str()),
                ("From", sender),
            ];
            if press == Press::Failed {
                fields.push(("ErrorCode", "30003"));
            }
            (callback, fields)
        }
        Press::Answer(text) => {
            let url = callback.split('?').next().unwrap_or(callback);
            let fields = vec![
                ("MessageSid", reply.as_str()),
                ("From", message.to.as_str()),
                ("To", sender),
                ("Body", text),
                ("NumMedia", "0"),
            ];
            (url, fields)
        }
    };
    fields.sort_unstable();
    let signature = twilio_signature(token, url, &fields);
    let mut form = Url::parse("http://form/").map_err(|_| NotPressed::NoServer)?;
    form.query_pairs_mut().extend_pairs(fields);
    let request = client
        .post(url)
        .header("content-type", "application/x-www-form-urlencoded")
        .header("x-twilio-signature", signature);
    Ok(request.body(form.query().unwrap_or_default().to_owned()))
}

/// The HMAC-SHA1 of the address and the fields, which are in the order of their names.
fn twilio_signature(token: &str, url: &str, fields: &[(&str, &str)]) -> String {
    let text = { fields.iter() }.fold(url.to_owned(), |text, (k, v)| text + *k + *v);
    let key = Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes());
    STANDARD.encode(ring::hmac::sign(&key, text.as_bytes()))
}

/// A report of MSG91; its address carries a word that follows from the auth key.
fn msg91(
    client: &Client,
    message: &Received,
    authkey: &str,
    server: &str,
    press: Press<'_>,
) -> Result<RequestBuilder, NotPressed> {
    let (status, desc) = match press {
        Press::Delivered => ("1", "DELIVERED"),
        Press::Failed => ("2", "FAILED"),
        Press::Read | Press::Answer(_) => return Err(NotPressed::NotHere),
    };
    let mac = Hmac::<Sha256>::new_from_slice(authkey.as_bytes());
    let mut mac = mac.map_err(|_| NotPressed::NoServer)?;
    mac.update(b"harit receipts");
    let bytes = mac.finalize().into_bytes();
    let word = bytes.iter().fold(String::new(), |mut hex, b| {
        // Writing to a string does not fail.
        let _ = write!(hex, "{b:02x}");
        hex
    });
    let document = json!({"requestId": message.gateway_id(), "CRQID": message.key, "status": status, "desc": desc,
        "telNum": message.to.trim_start_matches('+')});
    let url = format!("{server}/hooks/msg91?token={word}");
    Ok(client.post(url).json(&document))
}

/// What WhatsApp sends, signed with the app's secret.
fn whatsapp(
    client: &Client,
    message: &Received,
    (number, url): (&str, &str),
    press: Press<'_>,
    times: u64,
) -> Result<RequestBuilder, NotPressed> {
    let at = (now_ms() / 1_000).to_string();
    let id = message.gateway_id();
    let status = |status: &str| {
        let mut said = json!({"id": id, "status": status, "timestamp": at, "biz_opaque_callback_data": message.key});
        if status == "failed" {
            said["errors"] = json!([{"code": 131_026, "title": "Message undeliverable"}]);
        }
        json!({"statuses": [said]})
    };
    let mut value = match press {
        Press::Delivered => status("delivered"),
        Press::Read => status("read"),
        Press::Failed => status("failed"),
        Press::Answer(text) => {
            json!({"messages": [{"id": format!("wamid.reply{at}.{times}"), "from": message.to.trim_start_matches('+'),
                "timestamp": at, "type": "button", "button": {"text": text, "payload": text}, "context": {"id": id}}]})
        }
    };
    value["messaging_product"] = "whatsapp".into();
    value["metadata"] = json!({"phone_number_id": number});
    let body = json!({"object": "whatsapp_business_account",
        "entry": [{"id": "1", "changes": [{"field": "messages", "value": value}]}]});
    let body = body.to_string();
    let request = client
        .post(url)
        .header("content-type", "application/json")
        .header("x-hub-signature-256", signature(body.as_bytes()));
    Ok(request.body(body))
}

impl Received {
    /// What the gateway calls it.
    pub(crate) fn gateway_id(&self) -> String {
        let n = self.number;
        match &self.back {
            Some(Back::Twilio { .. }) => format!("SM{n:032x}"),
            Some(Back::Msg91 { .. }) => format!("{n:024x}"),
            _ => format!("wamid.{n}"),
        }
    }

    /// What a person can do with it: the words of the page, each with what it says.
    pub(crate) fn presses(&self) -> Vec<(&'static str, &'static str)> {
        const SMS: [&str; 4] = ["1", "2", "3", "4"];
        const BUTTONS: [[&str; 3]; 3] = [
            ["I am on it", "Seen", "False alarm"],
            ["ज़िम्मेदारी मेरी", "देख लिया", "झूठी चेतावनी"],
            ["जबाबदारी माझी", "पाहिले", "खोटा इशारा"],
        ];
        let answers = |texts: &'static [&'static str]| texts.iter().map(|t| ("answer", *t));
        let (receipts, texts): (&[&str], &[&str]) = match &self.back {
            None => return Vec::new(),
            Some(Back::Twilio { .. }) => (&["delivered", "failed"], &SMS),
            Some(Back::Msg91 { .. }) => (&["delivered", "failed"], &[]),
            Some(Back::WhatsApp { language, .. }) => {
                let which = match language.as_str() {
                    "hi" => 1,
                    "mr" => 2,
                    _ => 0,
                };
                (&["delivered", "read", "failed"], &BUTTONS[which])
            }
        };
        let receipts = receipts.iter().map(|r| (*r, ""));
        receipts.chain(answers(texts)).collect()
    }
}

/// Presses what a page asks for.
pub(crate) async fn press(inbox: &Arc<Inbox>, number: u64, word: &str, text: &str) -> Option<u16> {
    let press = Press::parse(word, text)?;
    match inbox.press(number, press).await {
        Ok(status) => Some(status),
        Err(why) => {
            inbox.note_press(number, format!("{word}: {why:?}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twilios_signature_is_that_of_its_documentation() {
        let fields = [
            ("CallSid", "CA1234567890ABCDE"),
            ("Caller", "+14158675310"),
            ("Digits", "1234"),
            ("From", "+14158675310"),
            ("To", "+18005551212"),
        ];
        assert_eq!(
            twilio_signature(
                "12345",
                "https://example.com/myapp.php?foo=1&bar=2",
                &fields
            ),
            "L/OH5YylLD5NRKLltdqwSvS0BnU="
        );
    }

    #[test]
    fn what_is_said_back_is_plain() {
        let twiml = "<Response><Message>A &amp; B: &lt;seen&gt;</Message></Response>";
        assert_eq!(said_back(twiml).as_deref(), Some("A & B: <seen>"));
        assert_eq!(said_back("<Response></Response>"), None);
    }
}
