//! What the streams of a cluster are called, and what they are set to.

use std::time::Duration;

use async_nats::jetstream::stream::{
    Compression, Config, DiscardPolicy, PersistenceMode, Placement, RetentionPolicy, StorageType,
};
use thiserror::Error;

/// The largest message, headers included.
pub(crate) const MAX_MESSAGE: usize = 8 << 20;
/// How many characters the name of a cluster has at most.
const MAX_NAME: usize = 32;

/// One journal of a cluster: that of a partition, which is what a shard is there, in a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    cluster: String,
    generation: u64,
    number: u16,
}

/// The name of a cluster that can be none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{0:?} cannot be the name of a cluster: it has 1 to 32 characters, of a to z, A to Z, 0 to 9, - and _"
)]
pub struct BadName(String);

impl Partition {
    /// Names a journal.
    ///
    /// # Errors
    /// When the name of the cluster is empty, longer than 32 characters, or has others than letters, digits, `-` and `_`.
    pub fn new(cluster: &str, generation: u64, number: u16) -> Result<Self, BadName> {
        let is_good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if cluster.is_empty() || cluster.len() > MAX_NAME || !cluster.chars().all(is_good) {
            return Err(BadName(cluster.to_owned()));
        }
        Ok(Self {
            cluster: cluster.to_owned(),
            generation,
            number,
        })
    }

    /// The name of its stream.
    #[must_use]
    pub fn stream(&self) -> String {
        let Self {
            cluster,
            generation,
            number,
        } = self;
        format!("HJ-{cluster}-{generation}-{number:03}")
    }

    /// The subject of its batches.
    #[must_use]
    pub fn subject(&self) -> String {
        format!("harit.{}.j.{}", self.cluster, self.place())
    }

    /// The bucket with the marks of the cluster, and the key of this one.
    pub(crate) fn marks(&self) -> (String, String) {
        (
            format!("HK-{}", self.cluster),
            format!("mark.{}", self.place()),
        )
    }

    /// The store with the snapshots of the cluster.
    pub(crate) fn snapshots(&self) -> String {
        format!("HS-{}", self.cluster)
    }

    /// What the names of its snapshots begin with.
    pub(crate) fn snapshot_prefix(&self) -> String {
        format!("{}.", self.place())
    }

    fn place(&self) -> String {
        format!("{}.{:03}", self.generation, self.number)
    }
}

/// What may differ from cluster to cluster in the settings of its streams. Everything else is fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How many servers have each message: 3, or 1 where there is one server.
    pub replicas: usize,
    /// How many bytes the batches of a partition take at most: then the stream refuses more.
    pub max_bytes: u64,
    /// For how long the server knows the id of a message again. After that it is read and compared.
    pub duplicate_window: Duration,
}

impl Default for Settings {
    /// Three servers, 8 GiB, two minutes.
    fn default() -> Self {
        Self {
            replicas: 3,
            max_bytes: 8 << 30,
            duplicate_window: Duration::from_secs(120),
        }
    }
}

impl Settings {
    /// What all streams have in common.
    fn stream(&self, name: String, subjects: Vec<String>) -> Config {
        Config {
            name,
            subjects,
            storage: StorageType::File,
            num_replicas: self.replicas,
            retention: RetentionPolicy::Limits,
            discard: DiscardPolicy::New,
            max_bytes: -1,
            max_messages: -1,
            max_messages_per_subject: -1,
            max_message_size: -1,
            max_consumers: -1,
            duplicate_window: self.duplicate_window,
            compression: Some(Compression::None),
            persist_mode: Some(PersistenceMode::Default),
            placement: Some(Placement {
                cluster: None,
                tags: vec!["sync:always".to_owned()],
            }),
            ..Config::default()
        }
    }

    /// The stream of a journal.
    pub(crate) fn journal(&self, partition: &Partition) -> Config {
        Config {
            max_bytes: i64::try_from(self.max_bytes).unwrap_or(i64::MAX),
            max_message_size: i32::try_from(MAX_MESSAGE).unwrap_or(i32::MAX),
            deny_delete: true,
            ..self.stream(partition.stream(), vec![partition.subject()])
        }
    }

    /// The stream that a bucket of keys is. Its values are read from the leader alone: an old mark would be no witness.
    pub(crate) fn keys(&self, bucket: &str) -> Config {
        Config {
            max_messages_per_subject: 1,
            allow_rollup: true,
            deny_delete: true,
            ..self.stream(format!("KV_{bucket}"), vec![format!("$KV.{bucket}.>")])
        }
    }

    /// The stream that a store of objects is.
    pub(crate) fn objects(&self, bucket: &str) -> Config {
        let subjects = ["C", "M"].map(|what| format!("$O.{bucket}.{what}.>"));
        Config {
            allow_rollup: true,
            ..self.stream(format!("OBJ_{bucket}"), subjects.to_vec())
        }
    }
}

/// What a stream is set to that it must not be, as an operator reads it.
pub(crate) fn differences(wanted: &Config, found: &Config) -> Vec<String> {
    let mut all = Vec::new();
    macro_rules! compare {
        ($($name:literal: $get:expr,)*) => {$({
            let get: fn(&Config) -> _ = $get;
            let (wanted, found) = (get(wanted), get(found));
            if wanted != found {
                all.push(format!("{} is {found:?} and must be {wanted:?}", $name));
            }
        })*};
    }
    compare! {
        "subjects": |c| c.subjects.clone(),
        "storage": |c| c.storage,
        "num_replicas": |c| c.num_replicas,
        "retention": |c| c.retention,
        "discard": |c| c.discard,
        "discard_new_per_subject": |c| c.discard_new_per_subject,
        "max_bytes": |c| c.max_bytes,
        "max_msgs": |c| c.max_messages,
        "max_msgs_per_subject": |c| c.max_messages_per_subject,
        "max_msg_size": |c| c.max_message_size,
        "max_age": |c| c.max_age,
        "duplicate_window": |c| c.duplicate_window,
        "no_ack": |c| c.no_ack,
        "sealed": |c| c.sealed,
        "allow_rollup_hdrs": |c| c.allow_rollup,
        "deny_delete": |c| c.deny_delete,
        "deny_purge": |c| c.deny_purge,
        "allow_direct": |c| c.allow_direct,
        "mirror": |c| c.mirror.clone(),
        "sources": |c| c.sources.clone().unwrap_or_default(),
        "republish": |c| c.republish.clone(),
        "subject_transform": |c| c.subject_transform.clone(),
        "compression": |c| c.compression.clone().unwrap_or(Compression::None),
        "placement.tags": |c| c.placement.clone().unwrap_or_default().tags,
        "persist_mode": |c| c.persist_mode.unwrap_or_default(),
        "allow_msg_ttl": |c| c.allow_message_ttl,
        "allow_atomic": |c| c.allow_atomic_publish,
        "allow_batched": |c| c.allow_batch_publish,
        "allow_msg_counter": |c| c.allow_message_counter,
        "allow_msg_schedules": |c| c.allow_message_schedules,
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_streams_are_called() {
        let p = Partition::new("harit", 2, 7).unwrap();
        assert_eq!(
            (p.stream(), p.subject()),
            (
                "HJ-harit-2-007".to_owned(),
                "harit.harit.j.2.007".to_owned()
            )
        );
        assert_eq!(p.marks(), ("HK-harit".to_owned(), "mark.2.007".to_owned()));
        assert_eq!(
            (p.snapshots(), p.snapshot_prefix()),
            ("HS-harit".to_owned(), "2.007.".to_owned())
        );
        for bad in ["", "a.b", "a b", "a*", "a>", "ä", &"a".repeat(33)] {
            assert_eq!(
                Partition::new(bad, 1, 0),
                Err(BadName(bad.to_owned())),
                "{bad}"
            );
        }
    }

    #[test]
    fn what_differs_is_named() {
        let wanted = Settings::default().journal(&Partition::new("harit", 1, 0).unwrap());
        assert_eq!(differences(&wanted, &wanted), [""; 0]);
        let mut found = wanted.clone();
        found.max_age = Duration::from_secs(60);
        found.persist_mode = Some(PersistenceMode::Async);
        found.placement = None;
        assert_eq!(
            differences(&wanted, &found),
            [
                "max_age is 60s and must be 0ns",
                "placement.tags is [] and must be [\"sync:always\"]",
                "persist_mode is Async and must be Default",
            ]
        );
    }
}
