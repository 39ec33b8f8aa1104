//! SMS by MSG91: India's law wants every text registered beforehand, so a message names its template and gives the variables
//! (<https://docs.msg91.com/sms/send-sms>). The texts registered have `##var1##`, `##var2##`, `##var3##`: of an alert the title,
//! the text and the link; of a code the code; of an invite and a notice the text and the link.

use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::{Client, Url};
use serde_json::{Map, Value, json};

use super::GatewayError;
use super::channel::{Answer, Gateway, Outgoing};
use super::config::{Secret, Templates};
use super::http;

/// An account.
pub(super) struct Msg91 {
    client: Client,
    url: Url,
    token: Secret,
    sender: String,
    templates: Templates,
}

impl Msg91 {
    pub(super) fn new(
        base: &str,
        token: &Secret,
        sender: &str,
        templates: &Templates,
        timeout: Duration,
    ) -> Result<Self, GatewayError> {
        let path = format!("{}/api/v5/flow", base.trim_end_matches('/'));
        Ok(Self {
            client: http::client(timeout)?,
            url: http::url("sms.url", &path)?,
            token: token.clone(),
            sender: sender.to_owned(),
            templates: templates.clone(),
        })
    }

    fn document(&self, message: &Outgoing<'_>) -> Option<Value> {
        let language = message.language.as_str();
        let template = self.templates.get(message.purpose(), language)?;
        let mut to = Map::new();
        to.insert("mobiles".into(), message.to.trim_start_matches('+').into());
        // given back in its reports
        to.insert("CRQID".into(), message.key.into());
        for (n, param) in message.content.params.iter().enumerate() {
            to.insert(format!("var{}", n + 1), param.as_str().into());
        }
        let mut document = json!({"template_id": template, "short_url": "0", "recipients": [to]});
        if !self.sender.is_empty() {
            document["sender"] = self.sender.as_str().into();
        }
        Some(document)
    }
}

impl Gateway for Msg91 {
    fn send<'a>(&'a self, message: &'a Outgoing<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let Some(document) = self.document(message) else {
                return Answer::Refused("no template is set for it".to_owned());
            };
            let request = self
                .client
                .post(self.url.clone())
                .header("authkey", self.token.expose())
                .json(&document);
            let read = match http::ask(request).await {
                Ok(read) => read,
                Err(answer) => return answer,
            };
            // what is wrong is answered with 200 too
            if read.status.is_success() && read.body["type"] == "success" {
                let id = read.body["message"].as_str().map(str::to_owned);
                return Answer::Taken(id);
            }
            if read.status.is_success() {
                return Answer::Refused("refused by the gateway".to_owned());
            }
            read.failed(None)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::records::{Content, MessageKind};

    #[test]
    fn a_message_names_its_registered_template() {
        let templates = Templates::parse(&["alert.hi=65f0c0".to_owned()]).expect("templates");
        let token = Secret::new("key".into());
        let gateway = Msg91::new(
            "https://control.msg91.com",
            &token,
            "HARITK",
            &templates,
            Duration::from_secs(1),
        );
        let gateway = gateway.expect("a gateway");
        let content = Content {
            params: vec!["चेतावनी".into(), "pH 5.5 से नीचे".into()],
            ..Content::default()
        };
        let mut message = Outgoing {
            key: "7",
            to: "+919876543210",
            kind: MessageKind::Alert,
            language: Language::Hi,
            content: &content,
            rest_secs: 60,
            push: None,
        };
        assert_eq!(
            gateway.url.as_str(),
            "https://control.msg91.com/api/v5/flow"
        );
        assert_eq!(
            gateway.document(&message),
            Some(json!({
                "template_id": "65f0c0", "short_url": "0", "sender": "HARITK",
                "recipients": [{"mobiles": "919876543210", "CRQID": "7", "var1": "चेतावनी", "var2": "pH 5.5 से नीचे"}],
            }))
        );
        message.language = Language::Mr;
        assert_eq!(gateway.document(&message), None);
    }
}
