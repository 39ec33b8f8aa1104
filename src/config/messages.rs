//! How messages reach people: the sections of the gateways, and what of them is half set.

use std::fs;
use std::time::Duration;

use harit_api::{
    DeliveryConfig, PushConfig, Secret, SmsConfig, SmtpConfig, SmtpSecurity, Templates,
    WebhookConfig, WebhookFormat, WhatsAppConfig,
};
use harit_engine::Quantity;
use serde::{Deserialize, Serialize};

use super::{Config, ConfigError};

/// The longest that an alert waits for others of its cause, in seconds.
const MAX_JOIN_SEC: u32 = 120;
/// The highest price of a message.
const MAX_PRICE_MICRO: i64 = 1_000_000_000;

/// `[messages]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Messages {
    pub(crate) log_codes: bool,
    pub(crate) per_person_hour: u32,
    pub(crate) critical_per_person_hour: u32,
    pub(crate) join_sec: u32,
    pub(crate) per_gateway_minute: u32,
    pub(crate) timeout_ms: u64,
    pub(crate) retry_ms: u64,
}

impl Default for Messages {
    fn default() -> Self {
        Self {
            log_codes: false,
            per_person_hour: 20,
            critical_per_person_hour: 60,
            join_sec: 10,
            per_gateway_minute: 120,
            timeout_ms: 15_000,
            retry_ms: 5_000,
        }
    }
}

/// `[smtp]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Smtp {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) security: String,
    pub(crate) username: String,
    pub(crate) password: String,
    pub(crate) password_file: String,
    pub(crate) from: String,
    pub(crate) ca: String,
}

impl Default for Smtp {
    fn default() -> Self {
        Self {
            host: String::new(),
            port: 587,
            security: "starttls".into(),
            username: String::new(),
            password: String::new(),
            password_file: String::new(),
            from: String::new(),
            ca: String::new(),
        }
    }
}

/// `[sms]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Sms {
    pub(crate) gateway: String,
    pub(crate) url: String,
    pub(crate) account: String,
    pub(crate) token: String,
    pub(crate) token_file: String,
    pub(crate) sender: String,
    pub(crate) templates: Vec<String>,
    pub(crate) body: String,
    pub(crate) price: String,
}

/// `[whatsapp]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WhatsApp {
    pub(crate) url: String,
    pub(crate) phone_number_id: String,
    pub(crate) token: String,
    pub(crate) token_file: String,
    pub(crate) app_secret: String,
    pub(crate) app_secret_file: String,
    pub(crate) verify_token: String,
    pub(crate) templates: Vec<String>,
    pub(crate) price: String,
}

impl Default for WhatsApp {
    fn default() -> Self {
        Self {
            url: "https://graph.facebook.com/v23.0".into(),
            phone_number_id: String::new(),
            token: String::new(),
            token_file: String::new(),
            app_secret: String::new(),
            app_secret_file: String::new(),
            verify_token: String::new(),
            templates: Vec::new(),
            price: String::new(),
        }
    }
}

/// `[webhook]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Webhook {
    pub(crate) url: String,
    pub(crate) secret: String,
    pub(crate) secret_file: String,
    pub(crate) format: String,
}

impl Default for Webhook {
    fn default() -> Self {
        Self {
            url: String::new(),
            secret: String::new(),
            secret_file: String::new(),
            format: "harit".into(),
        }
    }
}

/// `[push]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Push {
    pub(crate) contact: String,
    pub(crate) services: Vec<String>,
    pub(crate) loopback: bool,
}

impl Default for Push {
    fn default() -> Self {
        Self {
            contact: String::new(),
            services: PushConfig::SERVICES.map(str::to_owned).to_vec(),
            loopback: false,
        }
    }
}

/// A secret that stands in the setting, else in a file, without the line's end.
fn secret(setting: &str, text: &str, file: &str) -> Result<Secret, ConfigError> {
    if !text.is_empty() && !file.is_empty() {
        return Err(ConfigError::Value(format!(
            "{setting} and {setting}_file: set one of them"
        )));
    }
    if file.is_empty() {
        return Ok(Secret::new(text.to_owned()));
    }
    let read = fs::read_to_string(file).map_err(|source| ConfigError::Read {
        path: file.into(),
        source,
    })?;
    Ok(Secret::new(read.trim_end_matches(['\r', '\n']).to_owned()))
}

fn templates(setting: &str, lines: &[String]) -> Result<Templates, ConfigError> {
    Templates::parse(lines).map_err(|line| {
        ConfigError::Value(format!(
            "{setting}: {line:?} is no template (alert=name, code.hi=name; code, invite, notice, alert)"
        ))
    })
}

/// Rupees, in millionths; nothing where none is set.
fn price(setting: &str, text: &str) -> Result<Option<i64>, ConfigError> {
    if text.is_empty() {
        return Ok(None);
    }
    let price = serde_json::from_str::<Quantity>(text)
        .ok()
        .map(Quantity::as_micro);
    let price = price.filter(|price| (0..=MAX_PRICE_MICRO).contains(price));
    price.map(Some).ok_or_else(|| {
        ConfigError::Value(format!(
            "{setting}: {text:?} is no price in rupees (0.18; 1000 at most)"
        ))
    })
}

fn or(text: &str, default: &str) -> String {
    if text.is_empty() { default } else { text }.to_owned()
}

impl Config {
    /// By what messages reach people.
    pub(crate) fn delivery(&self) -> Result<DeliveryConfig, ConfigError> {
        let m = &self.messages;
        let config = DeliveryConfig {
            smtp: self.smtp()?,
            sms: self.sms()?,
            whatsapp: self.whatsapp()?,
            webhook: self.webhook()?,
            push: self.push(),
            sms_price: price("sms.price", &self.sms.price)?,
            whatsapp_price: price("whatsapp.price", &self.whatsapp.price)?,
            per_person_hour: m.per_person_hour,
            critical_per_person_hour: m.critical_per_person_hour,
            join: Duration::from_secs(m.join_sec.into()),
            per_gateway_minute: m.per_gateway_minute,
            timeout: Duration::from_millis(m.timeout_ms),
            first_wait: Duration::from_millis(m.retry_ms),
            ..DeliveryConfig::default()
        };
        let limits = [
            m.per_person_hour,
            m.critical_per_person_hour,
            m.per_gateway_minute,
        ];
        if limits.contains(&0) || m.timeout_ms == 0 || m.retry_ms == 0 {
            return Err(ConfigError::Value(
                "each number of [messages] must be at least 1".to_owned(),
            ));
        }
        if m.join_sec > MAX_JOIN_SEC {
            return Err(ConfigError::Value(format!(
                "messages.join_sec: {} is more than {MAX_JOIN_SEC}",
                m.join_sec
            )));
        }
        let checked = config.check();
        checked.map_err(|e| ConfigError::Value(e.to_string()))?;
        Ok(config)
    }

    fn smtp(&self) -> Result<Option<SmtpConfig>, ConfigError> {
        let s = &self.smtp;
        let security = match s.security.as_str() {
            "starttls" => SmtpSecurity::StartTls,
            "tls" => SmtpSecurity::Tls,
            "none" => SmtpSecurity::None,
            other => {
                return Err(ConfigError::Value(format!(
                    "smtp.security: {other:?} is none of starttls, tls, none"
                )));
            }
        };
        let password = secret("smtp.password", &s.password, &s.password_file)?;
        let ca = if s.ca.is_empty() {
            String::new()
        } else {
            fs::read_to_string(&s.ca).map_err(|source| ConfigError::Read {
                path: s.ca.as_str().into(),
                source,
            })?
        };
        Ok((!s.host.is_empty()).then(|| SmtpConfig {
            host: s.host.clone(),
            port: s.port,
            security,
            username: s.username.clone(),
            password,
            from: s.from.clone(),
            ca,
        }))
    }

    fn sms(&self) -> Result<Option<SmsConfig>, ConfigError> {
        let s = &self.sms;
        let token = secret("sms.token", &s.token, &s.token_file)?;
        let templates = templates("sms.templates", &s.templates)?;
        let config = match s.gateway.as_str() {
            "" => return Ok(None),
            "twilio" => SmsConfig::Twilio {
                url: or(&s.url, "https://api.twilio.com"),
                account: s.account.clone(),
                token,
                sender: s.sender.clone(),
            },
            "msg91" => SmsConfig::Msg91 {
                url: or(&s.url, "https://control.msg91.com"),
                token,
                sender: s.sender.clone(),
                templates,
            },
            "http" => SmsConfig::Http {
                url: s.url.clone(),
                token,
                sender: s.sender.clone(),
                body: or(&s.body, "{\"to\": \"{to}\", \"text\": \"{text}\"}"),
            },
            other => {
                return Err(ConfigError::Value(format!(
                    "sms.gateway: {other:?} is none of twilio, msg91, http"
                )));
            }
        };
        Ok(Some(config))
    }

    fn whatsapp(&self) -> Result<Option<WhatsAppConfig>, ConfigError> {
        let w = &self.whatsapp;
        let token = secret("whatsapp.token", &w.token, &w.token_file)?;
        let app_secret = secret("whatsapp.app_secret", &w.app_secret, &w.app_secret_file)?;
        let templates = templates("whatsapp.templates", &w.templates)?;
        Ok((!w.phone_number_id.is_empty()).then(|| WhatsAppConfig {
            url: w.url.clone(),
            phone_number_id: w.phone_number_id.clone(),
            token,
            app_secret,
            verify_token: Secret::new(w.verify_token.clone()),
            templates,
        }))
    }

    fn webhook(&self) -> Result<Option<WebhookConfig>, ConfigError> {
        let w = &self.webhook;
        let format = match w.format.as_str() {
            "harit" => WebhookFormat::Harit,
            "alertmanager" => WebhookFormat::Alertmanager,
            other => {
                return Err(ConfigError::Value(format!(
                    "webhook.format: {other:?} is none of harit, alertmanager"
                )));
            }
        };
        let secret = secret("webhook.secret", &w.secret, &w.secret_file)?;
        Ok((!w.url.is_empty()).then(|| WebhookConfig {
            url: w.url.clone(),
            secret,
            format,
        }))
    }

    fn push(&self) -> Option<PushConfig> {
        let p = &self.push;
        (!p.contact.is_empty()).then(|| PushConfig {
            contact: p.contact.clone(),
            services: p.services.clone(),
            loopback: p.loopback,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Result<Config, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("harit.toml");
        fs::write(&path, text).unwrap();
        Config::load(Some(&path), |_| None)
    }

    #[test]
    fn a_gateway_that_cannot_be_used_is_refused_by_its_setting() {
        for (text, said) in [
            ("[smtp]\nhost = \"mail\"\nfrom = \"harit\"", "smtp.from"),
            ("[smtp]\nsecurity = \"ssl\"", "smtp.security"),
            ("[sms]\ngateway = \"pigeon\"", "none of twilio, msg91, http"),
            (
                "[sms]\ngateway = \"twilio\"\naccount = \"a/b\"",
                "sms.account",
            ),
            ("[sms]\ngateway = \"http\"\nurl = \"sms\"", "sms.url"),
            ("[sms]\ntemplates = [\"alarm=1\"]", "sms.templates"),
            (
                "[whatsapp]\nphone_number_id = \"x\"",
                "whatsapp.phone_number_id",
            ),
            ("[webhook]\nurl = \"example\"", "webhook.url"),
            ("[webhook]\nformat = \"xml\"", "webhook.format"),
            ("[push]\ncontact = \"a@farm.example\"", "push.contact"),
            (
                "[push]\ncontact = \"mailto:a@farm.example\"\nservices = [\"https://x.example\"]",
                "push.services",
            ),
            ("[messages]\nper_person_hour = 0", "at least 1"),
            ("[sms]\nprice = \"-0.18\"", "is no price"),
            ("[whatsapp]\nprice = \"₹1\"", "is no price"),
            ("[messages]\njoin_sec = 121", "more than 120"),
            ("[smtp]\npassword_file = \"/not/there\"", "/not/there"),
            (
                "[smtp]\npassword = \"a\"\npassword_file = \"b\"",
                "set one of them",
            ),
        ] {
            let error = config(text).expect_err(text).to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn a_secret_comes_from_a_file_and_is_never_said() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("password");
        fs::write(&file, "do not tell\n").unwrap();
        let text = format!(
            "[smtp]\nhost = \"mail.example\"\nfrom = \"harit@farm.example\"\nusername = \"harit\"\npassword_file = {:?}\n",
            file.to_str().unwrap()
        );
        let config = config(&text).unwrap();
        let password = config.delivery().unwrap().smtp.unwrap().password;
        assert_eq!(password, Secret::new("do not tell".into()));
        let said = [config.say_ways(), config.warnings()].concat().join("\n");
        assert!(said.contains("mail: as harit@farm.example by mail.example:587 (STARTTLS)"));
        assert!(said.contains("server.public_url is empty"), "{said}");
        assert!(!said.contains("do not tell"));
    }

    #[test]
    fn what_is_set_by_half_is_warned_of() {
        let half = "[server]\npublic_url = \"https://farm.example\"\n[sms]\ngateway = \"msg91\"\ntemplates = [\"code=1\", \"alert=2\"]\n\
                    [push]\ncontact = \"mailto:a@farm.example\"\nloopback = true\n\
                    [whatsapp]\nphone_number_id = \"1\"\ntoken = \"t\"\n[webhook]\nurl = \"https://hook.example\"\n";
        let said = config(half).unwrap().warnings().join("\n");
        for part in [
            "sms.token is needed",
            "sms.templates has none for invite",
            "whatsapp.app_secret is missing",
            "whatsapp.templates has none for alert",
            "webhook.secret is empty",
            "push.loopback is true",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!said.contains("public_url"), "{said}");
        let ways = config(half).unwrap().say_ways().join("\n");
        assert!(
            ways.contains("Web Push: to browsers by fcm.googleapis.com, "),
            "{ways}"
        );
    }
}
