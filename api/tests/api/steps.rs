//! Operations one after another, each with its entry in the audit log; also by a client that closes its socket in the middle of each.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::support::{App, Person};

pub(crate) const FARM: &str = "/api/farms/{farmId}";

/// An owner who carries out one operation after another.
pub(crate) struct Steps<'a> {
    pub(crate) app: &'a App,
    pub(crate) owner: &'a Person,
    /// Whether each request's client closes its socket in the middle of the change.
    pub(crate) hangs_up: bool,
    /// The operations that were carried out.
    pub(crate) done: BTreeSet<String>,
}

impl Steps<'_> {
    /// Carries out an operation on these resources, and asks for its entry.
    pub(crate) async fn step(
        &mut self,
        method: Method,
        template: &str,
        ids: &[&str],
        body: &Value,
    ) -> Value {
        let template = template.replace(FARM, "/api/farms/{farmId}");
        let mut path = template.replace("{farmId}", "a");
        for id in ids {
            let (from, to) = (path.find('{'), path.find('}'));
            let (from, to) = from.zip(to).expect("a place for the id");
            path.replace_range(from..=to, id);
        }
        let before = self.entries().await;
        let key = format!("lost-{before}");
        let mut answer = if self.hangs_up {
            self.hang_up(&method, &path, body, &key).await;
            Value::Null
        } else {
            self.answered(&method, &path, body, None).await
        };
        // a stop is answered before its entry is written
        let mut looks = 0;
        while self.entries().await == before {
            assert!(looks < 1_000, "{method} {template} left no entry");
            looks += 1;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let template = template.split('?').next().unwrap_or(&template);
        let keyless = ["/stop", "/stop/open", "/lock", "/auth/login"];
        if self.hangs_up && method == Method::POST && !keyless.iter().any(|s| path.ends_with(s)) {
            // the answer was lost: the same request with the same key gets it, and does nothing more
            answer = self.answered(&method, &path, body, Some(&key)).await;
        }
        self.done.insert(format!("{method} {template}"));
        answer
    }

    async fn entries(&self) -> usize {
        self.app.audited("a", "%").await.len()
    }

    async fn answered(
        &self,
        method: &Method,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> Value {
        let mut looks = 0;
        let answer = loop {
            let mut request = self.app.request(method.clone(), path);
            if let Some(key) = key {
                request = request.header("Idempotency-Key", key);
            }
            let request = request.bearer_auth(&self.owner.token).json(body);
            let answer = self.app.send(request).await;
            // the entry is there a moment before the answer is kept
            let under_way = key.is_some() && answer.status == StatusCode::CONFLICT;
            if !under_way || looks == 1_000 {
                break answer;
            }
            looks += 1;
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        let signed_out = answer.status == StatusCode::UNAUTHORIZED && key.is_some();
        if key.is_some() && !signed_out {
            let replayed = answer.headers.get("idempotency-replayed");
            assert!(replayed.is_some(), "{method} {path}: {}", answer.text);
        }
        assert!(
            answer.status.is_success() || signed_out,
            "{method} {path}: {} {}",
            answer.status,
            answer.text
        );
        if answer.text.is_empty() {
            Value::Null
        } else {
            answer.json()
        }
    }

    /// Sends a request and closes its socket while the change waits for the one writer of the records.
    async fn hang_up(&self, method: &Method, path: &str, body: &Value, key: &str) {
        let mut writer = self.app.database().await;
        writer.take_writer().await;
        let address = self.app.base.trim_start_matches("http://");
        let mut client = TcpStream::connect(address).await.expect("a connection");
        let body = body.to_string();
        // the answer of what is created is asked for again
        let key = if *method == Method::POST {
            format!("Idempotency-Key: {key}\r\n")
        } else {
            String::new()
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n{key}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.owner.token,
            body.len(),
        );
        client.write_all(request.as_bytes()).await.expect("sent");
        // until the change waits
        tokio::time::sleep(Duration::from_millis(40)).await;
        drop(client);
        // until the server has seen that nobody waits for it
        tokio::time::sleep(Duration::from_millis(20)).await;
        writer.give_back().await;
    }

    /// Creates, replaces and deletes a resource of the farm; gives its id before it is deleted.
    pub(crate) async fn created(&mut self, list: &str, body: &Value) -> String {
        let made = self
            .step(Method::POST, &format!("{FARM}/{list}"), &[], body)
            .await;
        made["id"].as_str().expect("an id").to_owned()
    }
}
