//! The mark of a journal: the number of the newest batch that was acknowledged, as a key beside the stream.
//!
//! It finds what the servers would not tell: a stream that has lost its end. It is written beside the appends, at most once a
//! second, and when the journal is closed; so what was acknowledged in the last second before a crash has no witness.

use std::time::Duration;

use async_nats::jetstream::kv::{Entry, Operation, Store, UpdateErrorKind};
use harit_journal::JournalError;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::nats::{Failure, Nats, REQUEST, within};

/// What is waited between two writes.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a journal that is closed waits for its last mark.
const CLOSING: Duration = Duration::from_secs(2);

/// Where a mark is.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    bucket: Store,
    key: String,
}

impl Mark {
    pub(crate) fn new(bucket: Store, key: String) -> Self {
        Self { bucket, key }
    }

    /// What was acknowledged at least; `None` where there is no such key.
    pub(crate) async fn read(&self, journal: &str) -> Result<Option<u64>, JournalError> {
        match self.entry().await.map_err(|e| e.of(journal))? {
            None => Ok(None),
            Some(entry) => match number(&entry) {
                Some(mark) => Ok(Some(mark)),
                None => Err(JournalError::Damaged {
                    name: journal.to_owned(),
                    what: format!(
                        "key {} in bucket {} is no number",
                        self.key, self.bucket.name
                    ),
                }),
            },
        }
    }

    async fn entry(&self) -> Result<Option<Entry>, Failure> {
        let entry = within(REQUEST, self.bucket.entry(&*self.key)).await?;
        Ok(entry.filter(|entry| entry.operation == Operation::Put))
    }

    /// Makes it, where there is none.
    pub(crate) async fn create(&self) -> Result<(), Failure> {
        if self.entry().await?.is_none() {
            within(REQUEST, self.bucket.put(&self.key, "0".into())).await?;
        }
        Ok(())
    }

    /// Lowers it to what is there.
    pub(crate) async fn lower(&self, last: u64) -> Result<(), Failure> {
        let value = last.to_string().into();
        within(REQUEST, self.bucket.put(&self.key, value)).await?;
        Ok(())
    }

    /// Takes it away.
    pub(crate) async fn remove(&self) -> Result<(), Failure> {
        within(REQUEST, self.bucket.delete(&self.key)).await
    }

    /// Raises it; where it is higher already it stays.
    async fn raise(&self, mark: u64) -> Result<(), Failure> {
        // Another writer may raise it meanwhile: then it is looked at again.
        loop {
            let entry = self.entry().await?;
            if entry.as_ref().and_then(number).is_some_and(|m| m >= mark) {
                return Ok(());
            }
            let revision = entry.map_or(0, |entry| entry.revision);
            let value = mark.to_string().into();
            let updated = self.bucket.update(&self.key, value, revision).await;
            match updated {
                Ok(_) => return Ok(()),
                Err(e) if e.kind() == UpdateErrorKind::WrongLastRevision => {}
                Err(e) => return Err(e.into()),
            }
        }
    }
}

fn number(entry: &Entry) -> Option<u64> {
    std::str::from_utf8(&entry.value).ok()?.parse().ok()
}

/// Keeps a mark up with what is acknowledged.
#[derive(Debug)]
pub(crate) struct Marker {
    nats: Nats,
    acknowledged: Option<watch::Sender<u64>>,
    task: Option<JoinHandle<()>>,
}

impl Marker {
    pub(crate) fn start(nats: Nats, mark: Mark, journal: String) -> Self {
        let (acknowledged, mut news) = watch::channel(0);
        let task = nats.spawn(async move {
            while news.changed().await.is_ok() {
                let newest = *news.borrow_and_update();
                let raised = mark.raise(newest).await;
                if let Err(error) = &raised {
                    // Only the check for a lost end suffers.
                    tracing::warn!(journal, %error, "the journal's mark could not be written");
                }
                // Where the journal is closed meanwhile, the last one is written at once.
                let closed = tokio::time::timeout(PAUSE, news.wait_for(|_| false))
                    .await
                    .is_ok();
                if *news.borrow() != newest || raised.is_err() && !closed {
                    news.mark_changed();
                }
            }
        });
        Self {
            nats,
            acknowledged: Some(acknowledged),
            task: Some(task),
        }
    }

    pub(crate) fn acknowledge(&self, seq: u64) {
        if let Some(acknowledged) = &self.acknowledged {
            acknowledged.send_replace(seq);
        }
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        self.acknowledged = None;
        // A thread of a runtime may not wait; then it is written beside it.
        if let Some(task) = self.task.take()
            && tokio::runtime::Handle::try_current().is_err()
        {
            let _ = self
                .nats
                .wait(async { tokio::time::timeout(CLOSING, task).await });
        }
    }
}
