//! What a server of NATS says of itself on its monitoring port: above all whether it syncs what it acknowledges.

use std::time::Duration;

use harit_cluster::Nats;
use serde::Deserialize;

use crate::readiness::plain_client;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The part of `/varz` that matters here.
#[derive(Debug, Deserialize)]
struct About {
    server_name: String,
    version: String,
    #[serde(default)]
    jetstream: JetStream,
}

#[derive(Debug, Default, Deserialize)]
struct JetStream {
    config: Option<Store>,
}

#[derive(Debug, Deserialize)]
struct Store {
    /// Left out where it is false.
    #[serde(default)]
    sync_always: bool,
}

impl About {
    /// What the journals cannot rely on.
    fn wrong(&self) -> Option<&'static str> {
        match &self.jetstream.config {
            _ if !Nats::is_new_enough(&self.version) => Some("2.14.9 or later is needed"),
            None => Some("it has no JetStream"),
            Some(store) if !store.sync_always => Some(
                "it does not sync what it acknowledges, and a power loss takes it: sync_interval: always",
            ),
            Some(_) => None,
        }
    }
}

/// Asks each of these monitoring ports, such as `http://nats-1:8222`; says of each what it is, or what is wrong.
pub(crate) async fn ask(monitors: &[String]) -> Vec<Result<String, String>> {
    let mut all = Vec::new();
    for url in monitors {
        let found = about(url).await.map_err(|e| format!("{url}: {e}"));
        all.push(found.and_then(|about| {
            let is = format!("{url}: {}, NATS {}", about.server_name, about.version);
            match about.wrong() {
                Some(wrong) => Err(format!("{is}: {wrong}")),
                None => Ok(format!("{is}, syncs what it acknowledges")),
            }
        }));
    }
    all
}

async fn about(url: &str) -> Result<About, reqwest::Error> {
    let url = format!("{}/varz", url.trim_end_matches('/'));
    let answer = plain_client(PATIENCE)?.get(url).send().await?;
    answer.error_for_status()?.json().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_journals_cannot_rely_on_is_wrong() {
        let wrong = |version: &str, jetstream: &str| {
            let about = format!(
                r#"{{"server_name": "nats-1", "version": "{version}", "port": 4222, "jetstream": {jetstream}}}"#
            );
            let about: About = serde_json::from_str(&about).unwrap();
            about.wrong().unwrap_or("nothing")
        };
        let synced = r#"{"config": {"sync_interval": 120000000000, "sync_always": true}}"#;
        assert_eq!(wrong("2.14.9", synced), "nothing");
        assert_eq!(wrong("2.15.0-RC.1", synced), "nothing");
        assert!(wrong("2.14.8", synced).contains("2.14.9"));
        let later = r#"{"config": {"sync_interval": 120000000000}}"#;
        assert!(wrong("2.14.9", later).contains("sync_interval: always"));
        assert!(wrong("2.14.9", "{}").contains("no JetStream"));
    }
}
