//! `[journal]`: the NATS that has the journals, where they are not in files of the data directory.

use std::path::PathBuf;

use harit_cluster::{NatsOptions, Partition, Settings};
use serde::{Deserialize, Serialize};

use super::{Config, ConfigError};
use crate::journals::NatsPlace;

/// How many servers of NATS may have each batch.
const REPLICAS: [usize; 3] = [1, 3, 5];

/// `[journal]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Journal {
    /// The servers of NATS; none: files of the data directory.
    pub(crate) nats: Vec<String>,
    pub(crate) monitors: Vec<String>,
    pub(crate) cluster: String,
    pub(crate) credentials: PathBuf,
    pub(crate) ca: PathBuf,
    pub(crate) replicas: usize,
    pub(crate) max_mib: u64,
}

impl Default for Journal {
    fn default() -> Self {
        Self {
            nats: Vec::new(),
            monitors: Vec::new(),
            cluster: "harit".into(),
            credentials: PathBuf::new(),
            ca: PathBuf::new(),
            replicas: 3,
            max_mib: 8_192,
        }
    }
}

impl Config {
    /// The NATS that has the journals, where one is set.
    ///
    /// # Errors
    /// When what is set can be no NATS, or the rest of the settings does not go with one.
    pub(crate) fn journals(&self) -> Result<Option<NatsPlace>, ConfigError> {
        let Journal {
            nats,
            monitors,
            cluster,
            credentials,
            ca,
            replicas,
            max_mib,
        } = &self.journal;
        if nats.is_empty() {
            return match self.journal == Journal::default() {
                true => Ok(None),
                false => wrong("journal: without journal.nats nothing else of it says anything"),
            };
        }
        let is_address = |url: &String| url.starts_with("nats://") || url.starts_with("tls://");
        if nats.iter().any(|url| url.contains('@')) {
            return wrong("journal.nats: an address has no password, see journal.credentials");
        }
        if let Some(url) = nats.iter().find(|url| !is_address(url)) {
            return wrong(&format!(
                "journal.nats: {url:?} must begin with nats:// or tls://"
            ));
        }
        if let Some(url) = monitors.iter().find(|url| !url.starts_with("http://")) {
            return wrong(&format!(
                "journal.monitors: {url:?} must begin with http://"
            ));
        }
        if !REPLICAS.contains(replicas) {
            return wrong("journal.replicas must be 1, 3 or 5");
        }
        if *max_mib <= self.storage.journal_max_mib {
            return wrong(
                "journal.max_mib must be more than storage.journal_max_mib: a stream that is full takes nothing more",
            );
        }
        Partition::new(cluster, 1, 0)
            .map_err(|e| ConfigError::Value(format!("journal.cluster: {e}")))?;
        for (section, url) in [
            ("records", &self.records.url),
            ("history", &self.history.url),
        ] {
            if url.is_empty() {
                return wrong(&format!(
                    "journal.nats needs {section}.url: the server that takes over must have the same {section}"
                ));
            }
        }
        let given = |path: &PathBuf| (!path.as_os_str().is_empty()).then(|| path.clone());
        Ok(Some(NatsPlace {
            options: NatsOptions {
                servers: nats.clone(),
                credentials: given(credentials),
                ca: given(ca),
                name: format!("harit {cluster}"),
            },
            monitors: monitors.clone(),
            cluster: cluster.clone(),
            settings: Settings {
                replicas: *replicas,
                max_bytes: max_mib << 20,
                ..Settings::default()
            },
        }))
    }

    /// What is sound of the journals in NATS and yet not safe.
    pub(super) fn warnings_of_journals(&self) -> Vec<String> {
        let Ok(Some(place)) = self.journals() else {
            return Vec::new();
        };
        let mut all = Vec::new();
        let is_here = |host: &str| {
            host.starts_with("127.") || host.starts_with("localhost") || host.starts_with("[::1]")
        };
        let plain = { place.options.servers.iter() }.filter_map(|url| url.strip_prefix("nats://"));
        for host in plain.filter(|host| !is_here(host)) {
            all.push(format!(
                "journal.nats has nats://{host}, in plain text: readings and commands can be read and changed on the way. Use tls://, or \
                 let it not leave a private network"
            ));
        }
        if place.monitors.is_empty() {
            all.push(
                "journal.monitors is empty: nobody looks whether the servers of NATS sync what they acknowledge"
                    .to_owned(),
            );
        }
        if place.settings.replicas == 1 {
            all.push(
                "journal.replicas is 1: one server of NATS has the journal, and what is decided is gone with its disk"
                    .to_owned(),
            );
        }
        if self.archive.enabled && self.archive.dir.as_os_str().is_empty() {
            all.push(
                "the archive is in the data directory, and the server that takes over begins its own with what the journal still has: set \
                 archive.dir to a folder that both have, or keep both archives"
                    .to_owned(),
            );
        }
        all
    }
}

fn wrong<T>(what: &str) -> Result<T, ConfigError> {
    Err(ConfigError::Value(what.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(set: impl FnOnce(&mut Config)) -> Config {
        let mut config = Config::default();
        config.journal.nats = vec!["nats://127.0.0.1:4222".into()];
        config.records.url = "postgres://harit@127.0.0.1/harit".into();
        config.history.url = config.records.url.clone();
        set(&mut config);
        config
    }

    #[test]
    fn journals_are_in_nats_where_both_servers_have_the_rest() {
        assert!(Config::default().journals().unwrap().is_none());
        let place = config(|_| {}).journals().unwrap().unwrap();
        assert_eq!(place.say(), "nats://127.0.0.1:4222, cluster harit");
        assert_eq!(
            (place.settings.replicas, place.settings.max_bytes),
            (3, 8 << 30)
        );
        let refused = |set: fn(&mut Config)| config(set).journals().unwrap_err().to_string();
        assert!(refused(|c| c.records.url.clear()).contains("needs records.url"));
        assert!(refused(|c| c.history.url.clear()).contains("needs history.url"));
        assert!(refused(|c| c.journal.replicas = 2).contains("1, 3 or 5"));
        assert!(refused(|c| c.journal.max_mib = 4_096).contains("more than storage"));
        assert!(refused(|c| c.journal.monitors = vec!["nats-1:8222".into()]).contains("http://"));
        assert!(refused(|c| c.journal.cluster = "a.b".into()).starts_with("journal.cluster: "));
        assert!(refused(|c| c.journal.nats = vec!["127.0.0.1".into()]).contains("must begin"));
        let secret = refused(|c| c.journal.nats = vec!["nats://u:s3cret@nats-1".into()]);
        assert!(secret.contains("journal.credentials") && !secret.contains("s3cret"));
        let alone = refused(|c| {
            c.journal.nats.clear();
            c.journal.replicas = 1;
        });
        assert!(alone.contains("without journal.nats"), "{alone}");
    }

    #[test]
    fn what_is_not_safe_is_warned_of() {
        let said = |set: fn(&mut Config)| config(set).warnings_of_journals().join("\n");
        assert!(said(|_| {}).contains("archive.dir"));
        assert!(said(|_| {}).contains("journal.monitors is empty"));
        let safe = said(|c| {
            c.archive.dir = "/mnt/nas/archive".into();
            c.journal.monitors = vec!["http://127.0.0.1:8222".into()];
        });
        assert_eq!(safe, "");
        let said = said(|c| {
            c.archive.enabled = false;
            c.journal.replicas = 1;
            c.journal.nats = vec!["nats://10.0.0.7:4222".into(), "tls://nats-2:4222".into()];
        });
        assert!(
            said.contains("nats://10.0.0.7:4222, in plain text"),
            "{said}"
        );
        assert!(
            said.contains("journal.replicas is 1") && !said.contains("nats-2"),
            "{said}"
        );
    }
}
