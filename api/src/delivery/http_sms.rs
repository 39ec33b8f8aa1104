//! SMS by anything that takes a JSON document by HTTP: an operator writes the document with `{to}`, `{text}`, `{key}` and
//! `{sender}` in its texts. Whatever 2xx it answers, it took the message.

use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::{Client, Url};
use serde_json::Value;

use super::GatewayError;
use super::channel::{Answer, Gateway, Outgoing};
use super::config::Secret;
use super::http;

/// A gateway of one's own.
pub(super) struct HttpSms {
    client: Client,
    url: Url,
    token: Secret,
    sender: String,
    body: Value,
}

impl HttpSms {
    pub(super) fn new(
        url: &str,
        token: &Secret,
        sender: &str,
        body: &str,
        timeout: Duration,
    ) -> Result<Self, GatewayError> {
        let document: Value = serde_json::from_str(body)
            .map_err(|e| GatewayError(format!("sms.body is no JSON document: {e}")))?;
        if !(body.contains("{to}") && body.contains("{text}")) {
            return Err(GatewayError(
                "sms.body must have {to} and {text} in its texts".to_owned(),
            ));
        }
        Ok(Self {
            client: http::client(timeout)?,
            url: http::url("sms.url", url)?,
            token: token.clone(),
            sender: sender.to_owned(),
            body: document,
        })
    }

    fn document(&self, message: &Outgoing<'_>) -> Value {
        let fields = [
            ("to", message.to),
            ("text", message.content.body.as_str()),
            ("key", message.key),
            ("sender", self.sender.as_str()),
        ];
        filled(&self.body, &fields)
    }
}

/// The document with its fields in place; what is put in is not looked at again.
fn filled(body: &Value, fields: &[(&str, &str)]) -> Value {
    match body {
        Value::String(text) => Value::String(filled_text(text, fields)),
        Value::Array(items) => items.iter().map(|v| filled(v, fields)).collect(),
        Value::Object(map) => {
            let all = map.iter().map(|(k, v)| (k.clone(), filled(v, fields)));
            Value::Object(all.collect())
        }
        other => other.clone(),
    }
}

fn filled_text(text: &str, fields: &[(&str, &str)]) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        said.push_str(before);
        let field = after
            .split_once('}')
            .and_then(|(name, tail)| Some((fields.iter().find(|(f, _)| *f == name)?.1, tail)));
        match field {
            Some((value, tail)) => {
                said.push_str(value);
                rest = tail;
            }
            None => {
                said.push('{');
                rest = after;
            }
        }
    }
    said + rest
}

impl Gateway for HttpSms {
    fn send<'a>(&'a self, message: &'a Outgoing<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let mut request = self
                .client
                .post(self.url.clone())
                .header("idempotency-key", message.key)
                .json(&self.document(message));
            if !self.token.is_empty() {
                request = request.bearer_auth(self.token.expose());
            }
            match http::ask(request).await {
                Ok(read) if read.status.is_success() => {
                    Answer::Taken(read.body["id"].as_str().map(str::to_owned))
                }
                Ok(read) => read.failed(None),
                Err(answer) => answer,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_are_put_in_once() {
        let body = json!({"to": ["{to}"], "msg": "{sender}: {text} {x} {", "n": 1});
        let fields = [("to", "+91"), ("text", "{to} \"hot\""), ("sender", "H")];
        assert_eq!(
            filled(&body, &fields),
            json!({"to": ["+91"], "msg": "H: {to} \"hot\" {x} {", "n": 1})
        );
    }

    #[test]
    fn a_body_without_a_text_is_refused() {
        for (body, said) in [("{\"to\": \"{to}\"}", "must have"), ("{to}", "no JSON")] {
            let made = HttpSms::new(
                "https://sms.example",
                &Secret::default(),
                "",
                body,
                Duration::from_secs(1),
            );
            let error = made.err().expect("an error").to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
