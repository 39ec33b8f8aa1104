//! A server that starts beside one that is at work, on journals that both reach.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use harit_farm::codec::Encoder;
use harit_ingest::{Hub, HubConfig, OpenError};
use harit_journal::{
    Generation, Journal, JournalError, JournalFiles, Journals, ReadJournals, Reader,
};

use crate::world::{World, copy_dir};

/// Journals in files; while somebody is at work, that one appends as soon as another has opened one.
struct Shared {
    files: JournalFiles,
    is_at_work: AtomicBool,
}

impl ReadJournals for Shared {
    fn generations(&self) -> Result<Vec<Generation>, JournalError> {
        self.files.generations()
    }

    fn reader(&self, generation: u64, shard: usize) -> Result<Option<Reader>, JournalError> {
        self.files.reader(generation, shard)
    }
}

impl Journals for Shared {
    fn current(&self) -> Result<Option<Generation>, JournalError> {
        self.files.current()
    }

    fn prepare(&self, generation: Generation) -> Result<Vec<Box<dyn Journal>>, JournalError> {
        self.files.prepare(generation)
    }

    fn switch(&self, generation: Generation) -> Result<(), JournalError> {
        self.files.switch(generation)
    }

    fn open(&self, generation: Generation, shard: usize) -> Result<Box<dyn Journal>, JournalError> {
        let opened = self.files.open(generation, shard)?;
        if self.is_at_work.load(Ordering::Relaxed) {
            let mut other = self.files.open(generation, shard)?;
            let mut nothing = Encoder::default();
            nothing.begin(harit_engine::Timestamp::from_millis(0));
            let last = other.last();
            let appended = other.append(last, nothing.at(), 0, nothing.body());
            assert_eq!(appended, Ok(last + 1));
        }
        Ok(opened)
    }

    fn accept_loss(&self, generation: Generation, shard: usize) -> Result<(), JournalError> {
        self.files.accept_loss(generation, shard)
    }

    fn remove_old(&self, _: Generation, _: Duration) {}
}

#[tokio::test]
async fn whoever_appends_meanwhile_keeps_the_journals_and_the_history() {
    let w = World::new().await;
    w.birth().await;
    w.temperature("20").await;
    let (there, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_dir(w.dir.path(), there.path());
    let shared = Arc::new(Shared {
        files: JournalFiles::of(there.path()),
        is_at_work: AtomicBool::new(true),
    });
    let open = async || {
        let config = HubConfig {
            journals: Some(shared.clone()),
            clock: w.clock.clone(),
            shards: 1,
            ..HubConfig::new(own.path())
        };
        Hub::open(config, w.records.clone()).await
    };
    let refused = open().await.err().expect("the other one is at work");
    assert!(matches!(refused, OpenError::AtWork), "{refused:?}");
    assert!(!own.path().join("history.db").exists(), "it was not opened");

    shared.is_at_work.store(false, Ordering::Relaxed);
    let generation = shared.current().unwrap().unwrap();
    let mut left = shared.open(generation, 0).unwrap();
    let last = left.last();
    let hub = open().await.unwrap();
    // Whoever had them is refused.
    let late = left.append(last, harit_engine::Timestamp::from_millis(0), 0, b"");
    assert!(late.unwrap_err().is_final());
    hub.shutdown().await.unwrap();
}
