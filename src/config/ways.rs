//! What is said of the gateways to who runs the server: what each way does, and what of it is set by half.

use harit_api::{SmsConfig, SmtpSecurity};

use super::Config;

impl Config {
    /// What of the gateways is set by half, or not safe.
    pub(super) fn half_set(&self) -> Vec<String> {
        let mut all = Vec::new();
        let Ok(delivery) = self.delivery() else {
            // `check` says why
            return all;
        };
        let mut say = |text: &str| all.push(text.to_owned());
        let is_near = |host: &str| host == "localhost" || host.starts_with("127.") || host == "::1";
        if let Some(smtp) = &delivery.smtp {
            if !smtp.username.is_empty() && smtp.password.is_empty() {
                say("smtp.username is set without a password");
            }
            if smtp.security == SmtpSecurity::None && !is_near(&smtp.host) {
                say(
                    "smtp.security is \"none\": codes and links go to the mail server in plain text",
                );
            }
        } else if !self.smtp.from.is_empty() || !self.smtp.username.is_empty() {
            say("smtp.host is empty: no mail is sent");
        }
        match &delivery.sms {
            None if !(self.sms.url.is_empty() && self.sms.token.is_empty()) => {
                say("sms.gateway is empty: no SMS is sent");
            }
            Some(SmsConfig::Twilio { token, sender, .. })
                if token.is_empty() || sender.is_empty() =>
            {
                say("sms.token and sms.sender are needed by Twilio");
            }
            Some(SmsConfig::Msg91 {
                token, templates, ..
            }) => {
                if token.is_empty() {
                    say("sms.token is needed by MSG91");
                }
                for purpose in templates.missing() {
                    say(&format!(
                        "sms.templates has none for {purpose}: such messages are not sent"
                    ));
                }
            }
            _ => {}
        }
        if let Some(whatsapp) = &delivery.whatsapp {
            if whatsapp.token.is_empty() {
                say("whatsapp.token is missing: WhatsApp takes nothing without it");
            }
            if whatsapp.app_secret.is_empty() {
                say("whatsapp.app_secret is missing: receipts are refused");
            }
            for purpose in whatsapp.templates.missing() {
                if purpose != "code" {
                    say(&format!(
                        "whatsapp.templates has none for {purpose}: such messages are not sent"
                    ));
                }
            }
        }
        if delivery
            .webhook
            .as_ref()
            .is_some_and(|w| w.secret.is_empty())
        {
            say("webhook.secret is empty: its receiver cannot tell who sends");
        }
        if let Some(push) = &delivery.push {
            if !self.server.console_offline {
                say("server.console_offline is false: no browser can show what is pushed");
            }
            if push.services.is_empty() && !push.loopback {
                say("push.services is empty: no browser can be told");
            }
            if push.loopback {
                say(
                    "push.loopback is true: whoever signs in can have the server send to its own machine",
                );
            }
        }
        let sends = delivery.push.is_some()
            || delivery.smtp.is_some()
            || delivery.sms.is_some()
            || delivery.whatsapp.is_some();
        if sends && self.server.public_url.is_empty() {
            say("server.public_url is empty: messages have no link");
        }
        all
    }

    /// By what each way goes, for who runs the server; nothing is sent.
    pub(crate) fn say_ways(&self) -> Vec<String> {
        let Ok(delivery) = self.delivery() else {
            return Vec::new();
        };
        let security = |s: SmtpSecurity| match s {
            SmtpSecurity::StartTls => "STARTTLS",
            SmtpSecurity::Tls => "TLS",
            SmtpSecurity::None => "plain text",
        };
        let codes = match (delivery.smtp.is_some(), delivery.sms.is_some()) {
            (true, true) => "codes and links go by mail and SMS",
            (true, false) => "codes and links go by mail; those for numbers reach nobody",
            (false, true) => "codes and links go by SMS; those for mail addresses reach nobody",
            (false, false) if self.messages.log_codes => {
                "no gateway is set: codes and links are in the server's log"
            }
            (false, false) => {
                "no gateway is set: codes and links reach nobody (messages.log_codes writes them into the log)"
            }
        };
        let mut all = vec![codes.to_owned()];
        if let Some(s) = &delivery.smtp {
            all.push(format!(
                "mail: as {} by {}:{} ({})",
                s.from,
                s.host,
                s.port,
                security(s.security)
            ));
        }
        match &delivery.sms {
            None => {}
            Some(SmsConfig::Twilio { url, sender, .. }) => {
                all.push(format!("SMS: as {sender} by Twilio at {url}"));
            }
            Some(SmsConfig::Msg91 { url, sender, .. }) => {
                all.push(format!("SMS: as {sender} by MSG91 at {url}"));
            }
            Some(SmsConfig::Http { url, .. }) => all.push(format!("SMS: by POST to {url}")),
        }
        if let Some(w) = &delivery.whatsapp {
            all.push(format!(
                "WhatsApp: as number {} at {}; receipts are taken at {}/hooks/whatsapp",
                w.phone_number_id, w.url, self.server.public_url
            ));
        }
        if let Some(w) = &delivery.webhook {
            all.push(format!("webhook: every alert by POST to {}", w.url));
        }
        if let Some(p) = &delivery.push {
            all.push(format!(
                "Web Push: to browsers by {}; as {}",
                p.services.join(", "),
                p.contact
            ));
        }
        all
    }
}
