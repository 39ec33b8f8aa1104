//! SMS by Twilio, or what speaks like it: the Message resource of its REST API
//! (<https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource>).

use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::{Client, StatusCode, Url};

use super::GatewayError;
use super::channel::{Answer, Gateway, Outgoing};
use super::config::Secret;
use super::http;

/// An account.
pub(super) struct Twilio {
    client: Client,
    url: Url,
    account: String,
    token: Secret,
    sender: String,
    /// Where it says what became of a message.
    receipts: Option<String>,
}

impl Twilio {
    pub(super) fn new(
        base: &str,
        account: &str,
        token: &Secret,
        sender: &str,
        timeout: Duration,
    ) -> Result<Self, GatewayError> {
        let is_name =
            |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_name(account) {
            return Err(GatewayError(format!(
                "sms.account: {account:?} is no account of Twilio's (AC...)"
            )));
        }
        let base = base.trim_end_matches('/');
        let path = format!("{base}/2010-04-01/Accounts/{account}/Messages.json");
        Ok(Self {
            client: http::client(timeout)?,
            url: http::url("sms.url", &path)?,
            account: account.to_owned(),
            token: token.clone(),
            sender: sender.to_owned(),
            receipts: None,
        })
    }

    /// It says what became of messages to the server at that address.
    pub(super) fn telling(mut self, public_url: Option<&str>) -> Self {
        self.receipts = public_url.map(|url| format!("{}/hooks/twilio", url.trim_end_matches('/')));
        self
    }

    /// The form's fields: a service chooses the number by itself.
    fn form(&self, message: &Outgoing<'_>) -> Vec<(&'static str, String)> {
        let from = if self.sender.starts_with("MG") {
            "MessagingServiceSid"
        } else {
            "From"
        };
        let mut fields = vec![
            ("To", message.to.to_owned()),
            (from, self.sender.clone()),
            ("Body", message.content.body.clone()),
        ];
        if let Some(receipts) = &self.receipts {
            fields.push(("StatusCallback", format!("{receipts}?key={}", message.key)));
        }
        fields
    }
}

impl Gateway for Twilio {
    fn send<'a>(&'a self, message: &'a Outgoing<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let request = self
                .client
                .post(self.url.clone())
                .basic_auth(&self.account, Some(self.token.expose()))
                .header("content-type", "application/x-www-form-urlencoded")
                .body(form(&self.form(message)));
            let read = match http::ask(request).await {
                Ok(read) => read,
                Err(answer) => return answer,
            };
            if read.status == StatusCode::CREATED || read.status == StatusCode::OK {
                let sid = read.body["sid"].as_str().map(str::to_owned);
                return Answer::Taken(sid);
            }
            read.failed(read.body.get("code"))
        })
    }
}

/// A form as browsers send it.
fn form(fields: &[(&str, String)]) -> String {
    let mut url = Url::parse("http://form/").ok();
    if let Some(url) = &mut url {
        url.query_pairs_mut().extend_pairs(fields);
    }
    let query = url.as_ref().and_then(Url::query);
    query.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::records::{Content, MessageKind};

    #[test]
    fn a_message_is_asked_for_as_the_documentation_has_it() {
        let twilio = |sender: &str| {
            Twilio::new(
                "https://api.twilio.com",
                "AC0123456789abcdef",
                &Secret::new("token".into()),
                sender,
                Duration::from_secs(1),
            )
            .expect("a gateway")
        };
        let content = Content {
            body: "Alert: Too hot & dry".into(),
            ..Content::default()
        };
        let message = Outgoing {
            key: "1",
            to: "+919876543210",
            kind: MessageKind::Alert,
            language: Language::En,
            content: &content,
            rest_secs: 60,
            push: None,
        };
        let by_number = twilio("+15017122661");
        assert_eq!(
            by_number.url.as_str(),
            "https://api.twilio.com/2010-04-01/Accounts/AC0123456789abcdef/Messages.json"
        );
        assert_eq!(
            form(&by_number.form(&message)),
            "To=%2B919876543210&From=%2B15017122661&Body=Alert%3A+Too+hot+%26+dry"
        );
        let told = twilio("+1").telling(Some("https://farm.example/"));
        assert!(
            form(&told.form(&message))
                .ends_with("&StatusCallback=https%3A%2F%2Ffarm.example%2Fhooks%2Ftwilio%3Fkey%3D1")
        );
        let by_service = form(&twilio("MG0123").form(&message));
        assert!(
            by_service.contains("&MessagingServiceSid=MG0123&"),
            "{by_service}"
        );
    }
}
