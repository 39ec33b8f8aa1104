//! A webhook: an address of the operator's that is told of every alert, signed. `X-Harit-Signature` is `sha256=` and the
//! HMAC-SHA256, in hex, of `X-Harit-Timestamp`, a dot and the body; whoever checks it refuses old timestamps. Its document is
//! Harit's own or that of Alertmanager (<https://prometheus.io/docs/alerting/latest/configuration/#webhook_config>).

use std::time::Duration;

use futures_util::future::BoxFuture;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::{Client, Url};
use serde_json::{Value, json};
use sha2::Sha256;

use super::GatewayError;
use super::channel::{Answer, Gateway, Outgoing};
use super::config::{Secret, WebhookConfig, WebhookFormat};
use super::http;
use crate::secret::hex;

/// An address that is told of every alert.
pub(super) struct Webhook {
    client: Client,
    url: Url,
    secret: Secret,
    format: WebhookFormat,
}

impl Webhook {
    pub(super) fn new(config: &WebhookConfig, timeout: Duration) -> Result<Self, GatewayError> {
        Ok(Self {
            client: http::client(timeout)?,
            url: http::url("webhook.url", &config.url)?,
            secret: config.secret.clone(),
            format: config.format,
        })
    }

    fn document(&self, message: &Outgoing<'_>) -> Value {
        let mut event = message.content.event.clone().unwrap_or_else(|| {
            json!({"kind": "test", "title": message.content.title, "message": message.content.body})
        });
        match self.format {
            WebhookFormat::Harit => {
                event["id"] = message.key.into();
                event["version"] = 1.into();
                event
            }
            WebhookFormat::Alertmanager => alertmanager(&event),
        }
    }
}

/// The document as Alertmanager writes it, version 4.
fn alertmanager(event: &Value) -> Value {
    const NEVER: &str = "0001-01-01T00:00:00Z";
    let is_over = event["kind"] == "alert_over";
    let status = if is_over { "resolved" } else { "firing" };
    let text = |field: &str| event[field].as_str().unwrap_or_default();
    let (starts, ends) = if is_over {
        (NEVER, text("at"))
    } else {
        (text("at"), NEVER)
    };
    let labels = |of: &Value| {
        let text = |field: &str| of[field].as_str().unwrap_or_default();
        json!({
            "alertname": text("alertName"), "alert_id": text("alertId"), "farm": event["farmId"].as_str().unwrap_or_default(),
            "place": text("place"), "severity": text("severity"),
        })
    };
    let one = |of: &Value| {
        let text = |field: &str| of[field].as_str().unwrap_or_default();
        json!({
            "status": status, "labels": labels(of), "annotations": {"summary": text("title"), "description": text("message")},
            "startsAt": starts, "endsAt": ends, "generatorURL": text("url"), "fingerprint": text("alertId"),
        })
    };
    let own = vec![event.clone()];
    let all = event["incidents"].as_array().filter(|all| !all.is_empty());
    let alerts: Vec<Value> = all.unwrap_or(&own).iter().map(one).collect();
    // what is not the same of all of them is common to none
    let common = |mut of: Value| {
        if alerts.len() > 1
            && let Some(fields) = of.as_object_mut()
        {
            let is_of_all =
                |name: &str, value: &Value| { alerts.iter() }.all(|a| a["labels"][name] == *value);
            fields.retain(|name, value| is_of_all(name, value));
        }
        of
    };
    json!({
        "version": "4", "groupKey": format!("{{}}:{{farm=\"{}\"}}", text("farmId")), "truncatedAlerts": 0,
        "status": status, "receiver": "harit", "groupLabels": {"farm": text("farmId")},
        "commonLabels": common(labels(event)), "commonAnnotations": {"summary": text("title"), "description": text("message")},
        "externalURL": text("url"), "alerts": alerts,
    })
}

/// The signature of a body that is sent at an instant, in seconds.
fn signature(secret: &str, at: i64, body: &[u8]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(at.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(format!("sha256={}", hex(&mac.finalize().into_bytes())))
}

impl Gateway for Webhook {
    fn send<'a>(&'a self, message: &'a Outgoing<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let at = jiff::Timestamp::now().as_second();
            let body = self.document(message).to_string();
            let signature = signature(self.secret.expose(), at, body.as_bytes());
            let request = self
                .client
                .post(self.url.clone())
                .header("content-type", "application/json")
                .header("idempotency-key", message.key)
                .header("x-harit-timestamp", at)
                .header("x-harit-signature", signature.unwrap_or_default())
                .body(body);
            match http::ask(request).await {
                Ok(read) if read.status.is_success() => Answer::Taken(None),
                Ok(read) => read.failed(None),
                Err(answer) => answer,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_signed_with_its_instant() {
        // `printf '1700000000.{}' | openssl dgst -sha256 -hmac secret`
        let openssl = "sha256=b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163";
        let signed = signature("secret", 1_700_000_000, b"{}").expect("a signature");
        assert_eq!(signed, openssl);
        assert_ne!(signature("secret", 1_700_000_001, b"{}"), Some(signed));
    }

    #[test]
    fn alertmanagers_document_has_what_its_readers_need() {
        let event = json!({"kind": "alert_raised", "alertId": "a1", "alertName": "Hot", "farmId": "f", "place": "Polyhouse 1",
            "severity": "critical", "title": "Alert: Hot", "message": "above 35 °C", "at": "2026-01-31T08:15:00Z",
            "url": "https://farm.example/alerts"});
        let document = alertmanager(&event);
        assert_eq!(document["version"], "4");
        assert_eq!(document["status"], "firing");
        let alert = &document["alerts"][0];
        assert_eq!(alert["labels"]["alertname"], "Hot");
        assert_eq!(alert["startsAt"], "2026-01-31T08:15:00Z");
        assert_eq!(alert["endsAt"], "0001-01-01T00:00:00Z");
        let mut several = event.clone();
        several["incidents"] = json!([
            {"id": "1-a1", "alertId": "a1", "alertName": "Hot", "severity": "critical", "place": "Polyhouse 1"},
            {"id": "1-a2", "alertId": "a2", "alertName": "Dry", "severity": "critical", "place": "Polyhouse 1"},
        ]);
        let document = alertmanager(&several);
        assert_eq!(document["alerts"][1]["fingerprint"], "a2");
        assert_eq!(
            document["commonLabels"],
            json!({"farm": "f", "place": "Polyhouse 1", "severity": "critical"})
        );
        let mut over = event;
        over["kind"] = "alert_over".into();
        assert_eq!(alertmanager(&over)["alerts"][0]["status"], "resolved");
    }
}
