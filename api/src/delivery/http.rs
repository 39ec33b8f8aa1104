//! HTTP to gateways: one client that follows no redirect, and what its answers mean.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, RequestBuilder, StatusCode, Url};
use serde_json::Value;

use super::GatewayError;
use super::channel::Answer;

/// The most of an answer that is read.
const MAX_ANSWER_BYTES: usize = 64 * 1_024;

/// A client for one gateway.
pub(super) fn client(timeout: Duration) -> Result<Client, GatewayError> {
    builder(timeout, |client| client)
}

/// The same with further settings.
pub(super) fn builder(
    timeout: Duration,
    more: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client, GatewayError> {
    // the client has no cryptography of its own; the first provider in the process stays
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .timeout(timeout)
        .redirect(Policy::none())
        .user_agent("harit");
    let made = more(client).build();
    made.map_err(|_| GatewayError("no HTTP client can be made".to_owned()))
}

/// An address of a setting.
pub(super) fn url(setting: &str, text: &str) -> Result<Url, GatewayError> {
    let url = Url::parse(text).ok().filter(|u| {
        matches!(u.scheme(), "http" | "https") && u.host().is_some() && u.username().is_empty()
    });
    url.ok_or_else(|| GatewayError(format!("{setting}: {text:?} is no address (https://...)")))
}

/// An answer that was read: its status and its document, if it has one.
pub(super) struct Read {
    pub(super) status: StatusCode,
    pub(super) body: Value,
    after_secs: Option<u64>,
}

impl Read {
    /// What it means where it took nothing: `code` is the gateway's own number of what is wrong.
    pub(super) fn failed(&self, code: Option<&Value>) -> Answer {
        let code = code
            .and_then(|c| c.as_i64())
            .map_or_else(String::new, |c| format!(" ({c})"));
        let why = format!("HTTP {}{code}", self.status.as_u16());
        let is_passing = self.status.is_server_error()
            || matches!(
                self.status,
                StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY
            )
            // a key that is wrong, or has no more credit, is put right by who runs the server: the message waits for it
            || matches!(
                self.status,
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::PAYMENT_REQUIRED
            );
        if is_passing {
            Answer::NotNow {
                after_secs: self.after_secs,
                why,
            }
        } else {
            Answer::Refused(why)
        }
    }
}

/// Sends a request and reads the answer.
pub(super) async fn ask(request: RequestBuilder) -> Result<Read, Answer> {
    let failed = |error: &reqwest::Error| {
        let why = if error.is_timeout() {
            "no answer in time"
        } else if error.is_connect() {
            "no connection"
        } else {
            "the connection broke"
        };
        Answer::NotNow {
            after_secs: None,
            why: why.to_owned(),
        }
    };
    let mut response = request.send().await.map_err(|e| failed(&e))?;
    let status = response.status();
    let after_secs = response
        .headers()
        .get(reqwest::header::RETRY_AFTER)
        .and_then(|h| h.to_str().ok())
        .and_then(retry_after);
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|e| failed(&e))? {
        if bytes.len() + chunk.len() > MAX_ANSWER_BYTES {
            break;
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Read {
        status,
        body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        after_secs,
    })
}

/// Seconds, or a date as HTTP writes it.
fn retry_after(text: &str) -> Option<u64> {
    if let Ok(seconds) = text.trim().parse() {
        return Some(seconds);
    }
    let at = jiff::fmt::rfc2822::parse(text.trim()).ok()?;
    let seconds = at.timestamp().as_second() - jiff::Timestamp::now().as_second();
    u64::try_from(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_says_when_in_seconds_or_as_a_date() {
        assert_eq!(retry_after("120"), Some(120));
        let later = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(60);
        let date = later.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        assert!(
            retry_after(&date).is_some_and(|s| (55..=61).contains(&s)),
            "{date}"
        );
        assert_eq!(retry_after("soon"), None);
    }

    #[test]
    fn an_address_is_one_of_the_web() {
        assert!(url("x.url", "https://api.example/v1").is_ok());
        for wrong in [
            "",
            "api.example",
            "ftp://a.example",
            "https://user@a.example",
        ] {
            let said = url("x.url", wrong).expect_err(wrong).to_string();
            assert!(said.starts_with("x.url: "), "{said}");
        }
    }
}
