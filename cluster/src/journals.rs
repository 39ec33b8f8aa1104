//! The journals of a cluster: a stream a partition, and a key that says which generation of them counts.

use std::time::{Duration, SystemTime};

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::kv::{Operation, Store};
use async_nats::jetstream::stream::Stream;
use futures_util::StreamExt as _;
use harit_journal::{Generation, Journal, JournalError, Journals, ReadJournals, Reader};
use serde::{Deserialize, Serialize};

use crate::journal::{JetStreamJournal, check};
use crate::layout::{BadName, Partition, Settings};
use crate::nats::{Failure, Nats, REQUEST, within};

/// The key of the current generation.
const CURRENT: &str = "current";

/// The journals of a cluster on NATS JetStream. They are made at the first start of a server, with its number of shards.
///
/// Who opens one and appends to it takes it over: whoever had it before is fenced, and its shard ends.
#[derive(Debug, Clone)]
pub struct JetStreamJournals {
    nats: Nats,
    cluster: String,
    settings: Settings,
    owner: Option<String>,
}

/// What the key of the current generation says.
#[derive(Debug, Serialize, Deserialize)]
struct Pointer {
    #[serde(flatten)]
    generation: Generation,
    /// Whose they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
}

impl JetStreamJournals {
    /// Names the journals of a cluster. Nothing is asked yet.
    ///
    /// # Errors
    /// When its name can be none.
    pub fn new(nats: &Nats, cluster: &str, settings: &Settings) -> Result<Self, BadName> {
        Partition::new(cluster, 1, 0)?;
        Ok(Self {
            nats: nats.clone(),
            cluster: cluster.to_owned(),
            settings: settings.clone(),
            owner: None,
        })
    }

    /// Refuses journals that another one owns, and makes its own ones this one's: two installations that gave the same name to
    /// theirs would take them from each other.
    #[must_use]
    pub fn owned_by(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// Whether all journals that count answer: the streams have leaders that this connection reaches. It blocks, for some seconds where
    /// one does not.
    #[must_use]
    pub fn answer(&self) -> bool {
        self.nats.wait(async {
            let Ok(Some((current, _))) = self.pointer().await else {
                return false;
            };
            for shard in 0..current.shards {
                let Ok(partition) = self.partition(current.generation, shard) else {
                    return false;
                };
                if !matches!(self.stream(&partition.stream()).await, Ok(Some(_))) {
                    return false;
                }
            }
            true
        })
    }

    fn partition(&self, generation: u64, shard: usize) -> Result<Partition, JournalError> {
        let number = u16::try_from(shard).map_err(|e| self.failed(e.to_string()))?;
        Partition::new(&self.cluster, generation, number).map_err(|e| self.failed(e.to_string()))
    }

    fn bucket(&self) -> String {
        format!("HK-{}", self.cluster)
    }

    fn failed(&self, what: impl Into<Failure>) -> JournalError {
        what.into().of(&format!("of cluster {}", self.cluster))
    }

    /// The bucket with the key; none where there is none yet.
    async fn keys(&self) -> Result<Option<Store>, JournalError> {
        let bucket = self.bucket();
        let config = self.settings.keys(&bucket);
        let Some(stream) = self.stream(&config.name).await? else {
            return Ok(None);
        };
        check(&config, &stream.cached_info().config)?;
        let store = within(REQUEST, self.nats.jetstream().get_key_value(&bucket)).await;
        store.map(Some).map_err(|e| self.failed(e))
    }

    /// The current generation and the key's revision.
    async fn pointer(&self) -> Result<Option<(Generation, u64)>, JournalError> {
        let Some(keys) = self.keys().await? else {
            return Ok(None);
        };
        let entry = within(REQUEST, keys.entry(CURRENT)).await;
        let entry = entry.map_err(|e| self.failed(e))?;
        let Some(entry) = entry.filter(|entry| entry.operation == Operation::Put) else {
            return Ok(None);
        };
        match serde_json::from_slice::<Pointer>(&entry.value) {
            Ok(Pointer { generation, owner }) => match (&self.owner, owner) {
                (Some(own), Some(of)) if *own != of => {
                    let other = "they are another server's: give this one's a name of their own";
                    Err(self.failed(other.to_owned()))
                }
                _ => Ok(Some((generation, entry.revision))),
            },
            Err(e) => Err(JournalError::Damaged {
                name: format!("of cluster {}", self.cluster),
                what: format!("key {CURRENT} in bucket {}: {e}", self.bucket()),
            }),
        }
    }

    async fn stream(&self, name: &str) -> Result<Option<Stream>, JournalError> {
        match within(REQUEST, self.nats.jetstream().get_stream(name)).await {
            Ok(stream) => Ok(Some(stream)),
            Err(e) if e.is(ErrorCode::STREAM_NOT_FOUND) => Ok(None),
            Err(e) => Err(self.failed(e)),
        }
    }

    /// Refuses where a journal has batches and nothing says whether they count: new ones would hide them.
    async fn refuse_orphans(&self) -> Result<(), JournalError> {
        let prefix = format!("HJ-{}-", self.cluster);
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let mut names = self.nats.jetstream().stream_names();
        loop {
            let next = within(REQUEST, async { Ok::<_, Failure>(names.next().await) }).await;
            let Some(name) = next.map_err(|e| self.failed(e))? else {
                return Ok(());
            };
            let name = name.map_err(|e| self.failed(Failure::from(e)))?;
            // Another cluster's name may begin with this one's.
            let place = name.strip_prefix(&prefix).and_then(|p| p.split_once('-'));
            if !place.is_some_and(|(generation, shard)| is_number(generation) && is_number(shard)) {
                continue;
            }
            let stream = self.stream(&name).await?;
            if stream.is_some_and(|stream| stream.cached_info().state.last_sequence > 0) {
                return Err(self.orphan(&name));
            }
        }
    }

    fn orphan(&self, stream: &str) -> JournalError {
        self.failed(format!(
            "stream {stream} has batches, but key {CURRENT} in bucket {}, which says which journals count, is missing",
            self.bucket()
        ))
    }

    /// How many journals an old generation still has.
    fn shards(&self, generation: u64) -> Result<usize, JournalError> {
        let mut shards = 0;
        loop {
            let name = self.partition(generation, shards)?.stream();
            if self.nats.wait(self.stream(&name))?.is_none() {
                return Ok(shards);
            }
            shards += 1;
        }
    }

    /// Removes the journals of an old generation where nothing was appended for so long.
    fn remove_unused(&self, old: Generation, keep: Duration) -> Result<(), JournalError> {
        for shard in 0..old.shards {
            let partition = self.partition(old.generation, shard)?;
            let Some(stream) = self.nats.wait(self.stream(&partition.stream()))? else {
                continue;
            };
            let info = stream.cached_info();
            let used = SystemTime::from(info.state.last_timestamp.max(info.created));
            if used.elapsed().is_ok_and(|age| age > keep) {
                JetStreamJournal::remove(&self.nats, &partition, &self.settings)?;
            }
        }
        Ok(())
    }
}

impl ReadJournals for JetStreamJournals {
    fn generations(&self) -> Result<Vec<Generation>, JournalError> {
        let Some((current, _)) = self.nats.wait(self.pointer())? else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        for generation in 1..current.generation {
            let shards = self.shards(generation)?;
            if shards > 0 {
                all.push(Generation { generation, shards });
            }
        }
        all.push(current);
        Ok(all)
    }

    fn reader(&self, generation: u64, shard: usize) -> Result<Option<Reader>, JournalError> {
        let partition = self.partition(generation, shard)?;
        if self.nats.wait(self.stream(&partition.stream()))?.is_none() {
            return Ok(None);
        }
        let journal = JetStreamJournal::open(&self.nats, &partition, &self.settings)?;
        Ok(Some(Box::new(journal)))
    }
}

impl Journals for JetStreamJournals {
    fn current(&self) -> Result<Option<Generation>, JournalError> {
        self.nats.wait(async {
            let pointer = self.pointer().await?;
            if pointer.is_none() {
                self.refuse_orphans().await?;
            }
            Ok(pointer.map(|(generation, _)| generation))
        })
    }

    fn prepare(&self, generation: Generation) -> Result<Vec<Box<dyn Journal>>, JournalError> {
        let current = self.current()?;
        if let Some(current) = current.filter(|c| c.generation >= generation.generation) {
            let text = format!(
                "generation {} counts already: another server has made it",
                current.generation
            );
            return Err(self.failed(text));
        }
        let prepare = |shard| -> Result<Box<dyn Journal>, JournalError> {
            let partition = self.partition(generation.generation, shard)?;
            if current.is_some() {
                JetStreamJournal::remove(&self.nats, &partition, &self.settings)?;
            }
            JetStreamJournal::create(&self.nats, &partition, &self.settings)?;
            let journal = JetStreamJournal::open(&self.nats, &partition, &self.settings)?;
            match journal.last() {
                0 => Ok(Box::new(journal)),
                // A snapshot that its stream was taken from.
                _ => Err(self.orphan(&partition.stream())),
            }
        };
        (0..generation.shards).map(prepare).collect()
    }

    fn switch(&self, generation: Generation) -> Result<(), JournalError> {
        let owner = self.owner.clone();
        let pointer = Pointer { generation, owner };
        let value = serde_json::to_vec(&pointer).map_err(|e| self.failed(e.to_string()))?;
        self.nats.wait(async {
            let before = self.pointer().await?;
            let revision = before.map_or(0, |(_, revision)| revision);
            let Some(keys) = self.keys().await? else {
                return Err(self.failed(format!("bucket {} is missing", self.bucket())));
            };
            let updated = within(REQUEST, keys.update(CURRENT, value.into(), revision)).await;
            updated.map(drop).map_err(|e| self.failed(e))
        })
    }

    fn open(&self, generation: Generation, shard: usize) -> Result<Box<dyn Journal>, JournalError> {
        let partition = self.partition(generation.generation, shard)?;
        let journal = JetStreamJournal::open(&self.nats, &partition, &self.settings)?;
        Ok(Box::new(journal))
    }

    fn accept_loss(&self, generation: Generation, shard: usize) -> Result<(), JournalError> {
        let partition = self.partition(generation.generation, shard)?;
        JetStreamJournal::accept_loss(&self.nats, &partition, &self.settings)
    }

    fn remove_old(&self, current: Generation, keep: Duration) {
        let removed = self.generations().and_then(|all| {
            let mut older = all
                .into_iter()
                .filter(|g| g.generation < current.generation);
            older.try_for_each(|old| self.remove_unused(old, keep))
        });
        if let Err(error) = removed {
            tracing::warn!(%error, "an old journal could not be removed");
        }
    }
}
