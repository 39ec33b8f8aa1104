//! What the composition root decides of messages: gateways, limits and times.

use std::fmt;
use std::time::Duration;

/// A password or key, which is shown nowhere.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Takes it.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text itself.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// How a connection to a mail server is secured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpSecurity {
    /// It begins in plain text and must change to TLS.
    StartTls,
    /// TLS from the first byte.
    Tls,
    /// Plain text: for a relay on this machine.
    None,
}

/// A mail server that takes mail for everybody.
#[derive(Debug, Clone)]
pub struct SmtpConfig {
    /// Its name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is secured.
    pub security: SmtpSecurity,
    /// Nothing where it asks for none.
    pub username: String,
    /// Of that user.
    pub password: Secret,
    /// Whom mails are from: `Harit <alerts@farm.example>`.
    pub from: String,
    /// Certificates of authorities that count beside the public ones, as PEM; nothing where those are enough.
    pub ca: String,
}

/// A gateway for SMS.
#[derive(Debug, Clone)]
pub enum SmsConfig {
    /// Twilio, or what speaks like it.
    Twilio {
        /// `https://api.twilio.com`
        url: String,
        /// The account's SID.
        account: String,
        /// Its auth token.
        token: Secret,
        /// A number, or the SID of a messaging service.
        sender: String,
    },
    /// MSG91: India's registered templates.
    Msg91 {
        /// `https://control.msg91.com`
        url: String,
        /// The auth key.
        token: Secret,
        /// The registered header.
        sender: String,
        /// The registered templates.
        templates: Templates,
    },
    /// Anything that takes a JSON document by HTTP.
    Http {
        /// Where it takes it.
        url: String,
        /// Sent as a bearer token, where there is one.
        token: Secret,
        /// `{sender}` of the body.
        sender: String,
        /// A JSON document with `{to}`, `{text}`, `{key}`, `{sender}` in its texts.
        body: String,
    },
}

/// The Cloud API of WhatsApp.
#[derive(Debug, Clone)]
pub struct WhatsAppConfig {
    /// `https://graph.facebook.com/v23.0`
    pub url: String,
    /// The id of the number that messages come from.
    pub phone_number_id: String,
    /// The access token.
    pub token: Secret,
    /// With which receipts are signed.
    pub app_secret: Secret,
    /// What WhatsApp shows when it asks whether this is the place for receipts.
    pub verify_token: Secret,
    /// The registered templates.
    pub templates: Templates,
}

/// The shape of a webhook's document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookFormat {
    /// Harit's own.
    Harit,
    /// That of Prometheus' Alertmanager, version 4.
    Alertmanager,
}

/// An address that is told of every alert.
#[derive(Debug, Clone)]
pub struct WebhookConfig {
    /// The address.
    pub url: String,
    /// With which requests are signed.
    pub secret: Secret,
    /// The shape of the document.
    pub format: WebhookFormat,
}

/// Web Push, by the push services of people's browsers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushConfig {
    /// Whom a push service turns to: `mailto:...` or `https://...`.
    pub contact: String,
    /// The names of the push services that are sent to; `*.` stands for what is below a name.
    pub services: Vec<String>,
    /// Whether one on this machine is sent to, without TLS: for a demo and tests.
    pub loopback: bool,
}

impl PushConfig {
    /// The push services of Chrome, Edge, Firefox and Safari.
    pub const SERVICES: [&str; 4] = [
        "fcm.googleapis.com",
        "*.notify.windows.com",
        "updates.push.services.mozilla.com",
        "*.push.apple.com",
    ];

    /// With the push services of the browsers in use.
    #[must_use]
    pub fn new(contact: String) -> Self {
        Self {
            contact,
            services: Self::SERVICES.map(str::to_owned).to_vec(),
            loopback: false,
        }
    }
}

/// Registered templates by what they are for and in which language: `alert.hi=harit_alert_hi`, or `alert=harit_alert` for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Templates(Vec<(String, String)>);

/// What templates are for.
const PURPOSES: [&str; 4] = ["code", "invite", "notice", "alert"];
const LANGUAGES: [&str; 3] = ["en", "hi", "mr"];

impl Templates {
    /// Reads the lines of a setting.
    ///
    /// # Errors
    /// The first line that is none.
    pub fn parse(lines: &[String]) -> Result<Self, String> {
        let read = |line: &String| {
            let (key, name) = line.split_once('=')?;
            let (key, name) = (key.trim(), name.trim());
            let (purpose, language) = match key.split_once('.') {
                Some((purpose, language)) => (purpose, Some(language)),
                None => (key, None),
            };
            let is_known =
                PURPOSES.contains(&purpose) && language.is_none_or(|l| LANGUAGES.contains(&l));
            (is_known && !name.is_empty()).then(|| (key.to_owned(), name.to_owned()))
        };
        let all = lines.iter().map(|l| read(l).ok_or_else(|| l.clone()));
        all.collect::<Result<_, _>>().map(Self)
    }

    /// The template for a purpose in a language, else the one for all languages.
    pub(super) fn get(&self, purpose: &str, language: &str) -> Option<&str> {
        let find = |key: &str| {
            self.0
                .iter()
                .find(|(k, _)| k == key)
                .map(|(_, n)| n.as_str())
        };
        find(&format!("{purpose}.{language}")).or_else(|| find(purpose))
    }

    /// The purposes for which there is none.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let has = |p: &str| self.0.iter().any(|(k, _)| k.split('.').next() == Some(p));
        PURPOSES.into_iter().filter(|p| !has(p)).collect()
    }
}

/// By what messages go, and how often.
#[derive(Debug, Clone)]
pub struct DeliveryConfig {
    /// Mail.
    pub smtp: Option<SmtpConfig>,
    /// SMS.
    pub sms: Option<SmsConfig>,
    /// WhatsApp.
    pub whatsapp: Option<WhatsAppConfig>,
    /// A webhook.
    pub webhook: Option<WebhookConfig>,
    /// Web Push.
    pub push: Option<PushConfig>,
    /// What a part of an SMS costs, in millionths of a rupee; nothing where it is not known.
    pub sms_price: Option<i64>,
    /// What a message by WhatsApp costs, likewise.
    pub whatsapp_price: Option<i64>,
    /// Messages of alerts that a person gets in an hour, by all ways together.
    pub per_person_hour: u32,
    /// The same where critical alerts are counted too.
    pub critical_per_person_hour: u32,
    /// For how long an alert waits for others of its cause, to be told by one message; two seconds at most where it is critical; none does where it is zero.
    pub join: Duration,
    /// Messages that a gateway is given in a minute.
    pub per_gateway_minute: u32,
    /// How long a gateway may take to answer.
    pub timeout: Duration,
    /// How long a message waits after its first failure; twice as long after each further one, up to [`Self::longest_wait`].
    pub first_wait: Duration,
    /// The longest wait between two tries.
    pub longest_wait: Duration,
}

impl Default for DeliveryConfig {
    fn default() -> Self {
        Self {
            smtp: None,
            sms: None,
            whatsapp: None,
            webhook: None,
            push: None,
            sms_price: None,
            whatsapp_price: None,
            per_person_hour: 20,
            critical_per_person_hour: 60,
            join: Duration::from_secs(10),
            per_gateway_minute: 120,
            timeout: Duration::from_secs(15),
            first_wait: Duration::from_secs(5),
            longest_wait: Duration::from_secs(300),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_found_by_purpose_and_language() {
        let lines = ["alert = a", "alert.hi=b", "code.en=c"].map(str::to_owned);
        let templates = Templates::parse(&lines).expect("templates");
        assert_eq!(templates.get("alert", "mr"), Some("a"));
        assert_eq!(templates.get("alert", "hi"), Some("b"));
        assert_eq!(templates.get("code", "hi"), None);
        assert_eq!(templates.missing(), ["invite", "notice"]);
        for wrong in ["alert", "alarm=a", "alert.de=a", "alert="] {
            assert_eq!(
                Templates::parse(&[wrong.to_owned()]),
                Err(wrong.to_owned()),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_secret_is_shown_nowhere() {
        let config = SmtpConfig {
            host: "mail.example".into(),
            port: 587,
            security: SmtpSecurity::StartTls,
            username: "harit".into(),
            password: Secret::new("do not tell".into()),
            from: "harit@farm.example".into(),
            ca: String::new(),
        };
        assert!(!format!("{config:?}").contains("do not tell"));
    }
}
