//! WhatsApp by its Cloud API: what a business says first is a registered template
//! (<https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates>). Its variables are, of an alert, the
//! title, the text and the link; of a code the code; of an invite and a notice the text and the link. `biz_opaque_callback_data`
//! comes back in receipts.

use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::{Client, Url};
use serde_json::{Value, json};

use super::GatewayError;
use super::channel::{Answer, Gateway, Outgoing};
use super::config::{Secret, Templates, WhatsAppConfig};
use super::http;
use crate::records::MessageKind;

/// The longest variable, in characters; the whole text of a template has 1,024.
const MAX_PARAM: usize = 400;

/// A business's number.
pub(super) struct WhatsApp {
    client: Client,
    url: Url,
    token: Secret,
    templates: Templates,
}

impl WhatsApp {
    pub(super) fn new(config: &WhatsAppConfig, timeout: Duration) -> Result<Self, GatewayError> {
        let id = &config.phone_number_id;
        if id.is_empty() || !id.bytes().all(|b| b.is_ascii_digit()) {
            return Err(GatewayError(format!(
                "whatsapp.phone_number_id: {id:?} is no id of a number (digits)"
            )));
        }
        let path = format!("{}/{id}/messages", config.url.trim_end_matches('/'));
        Ok(Self {
            client: http::client(timeout)?,
            url: http::url("whatsapp.url", &path)?,
            token: config.token.clone(),
            templates: config.templates.clone(),
        })
    }

    fn document(&self, message: &Outgoing<'_>) -> Option<Value> {
        let language = message.language.as_str();
        let template = self.templates.get(message.purpose(), language)?;
        let texts: Vec<Value> = message
            .content
            .params
            .iter()
            .map(|p| json!({"type": "text", "text": one_line(p)}))
            .collect();
        let mut components = vec![json!({"type": "body", "parameters": texts})];
        if message.kind == MessageKind::Code {
            // an authentication template has a button that copies the code
            components.push(json!({
                "type": "button", "sub_type": "url", "index": "0",
                "parameters": [{"type": "text", "text": message.content.secret}],
            }));
        }
        Some(json!({
            "messaging_product": "whatsapp", "recipient_type": "individual",
            "to": message.to.trim_start_matches('+'), "type": "template",
            "template": {"name": template, "language": {"policy": "deterministic", "code": language}, "components": components},
            "biz_opaque_callback_data": message.key,
        }))
    }
}

/// A variable must have no line break, tab or more than four spaces together, and must not be empty.
fn one_line(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(MAX_PARAM).collect();
    if short.is_empty() {
        "-".to_owned()
    } else {
        short
    }
}

impl Gateway for WhatsApp {
    fn send<'a>(&'a self, message: &'a Outgoing<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let Some(document) = self.document(message) else {
                return Answer::Refused("no template is set for it".to_owned());
            };
            let request = self
                .client
                .post(self.url.clone())
                .bearer_auth(self.token.expose())
                .json(&document);
            let read = match http::ask(request).await {
                Ok(read) => read,
                Err(answer) => return answer,
            };
            if read.status.is_success() {
                let id = read.body["messages"][0]["id"].as_str();
                return Answer::Taken(id.map(str::to_owned));
            }
            read.failed(read.body["error"].get("code"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::records::Content;

    #[test]
    fn a_message_names_its_registered_template() {
        let config = WhatsAppConfig {
            url: "https://graph.facebook.com/v23.0".into(),
            phone_number_id: "106540352242922".into(),
            token: Secret::new("t".into()),
            app_secret: Secret::default(),
            verify_token: Secret::default(),
            templates: Templates::parse(&["alert=harit_alert".into(), "code=harit_code".into()])
                .expect("templates"),
        };
        let gateway = WhatsApp::new(&config, Duration::from_secs(1)).expect("a gateway");
        let content = Content {
            secret: "123456".into(),
            params: vec!["Alert:\n Too hot".into(), String::new()],
            ..Content::default()
        };
        let mut message = Outgoing {
            key: "7",
            to: "+919876543210",
            kind: MessageKind::Alert,
            language: Language::Mr,
            content: &content,
            rest_secs: 60,
            push: None,
        };
        assert_eq!(
            gateway.url.as_str(),
            "https://graph.facebook.com/v23.0/106540352242922/messages"
        );
        assert_eq!(
            gateway.document(&message),
            Some(json!({
                "messaging_product": "whatsapp", "recipient_type": "individual", "to": "919876543210", "type": "template",
                "template": {"name": "harit_alert", "language": {"policy": "deterministic", "code": "mr"}, "components": [
                    {"type": "body", "parameters": [{"type": "text", "text": "Alert: Too hot"}, {"type": "text", "text": "-"}]},
                ]},
                "biz_opaque_callback_data": "7",
            }))
        );
        message.kind = MessageKind::Code;
        let code = gateway.document(&message).expect("a document");
        assert_eq!(
            code["template"]["components"][1]["parameters"][0]["text"],
            "123456"
        );
        message.kind = MessageKind::Invite;
        assert_eq!(gateway.document(&message), None);
    }
}
