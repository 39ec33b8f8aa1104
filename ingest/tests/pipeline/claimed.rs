//! A server that starts beside one that is at work, on journals that both reach.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use harit_farm::codec::Encoder;
use harit_ingest::{Hub, HubConfig, OpenError};
use harit_journal::{
    Generation, Journal, JournalError, JournalFiles, Journals, ReadJournals, Reader,
};

use crate::world::{World, copy_dir};

/// Journals in files; somebody is at work, who appends to these as soon as another has opened one, once.
struct Shared {
    files: JournalFiles,
    appends: Mutex<Vec<usize>>,
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
        let mut appends = self.appends.lock().unwrap();
        if let Some(n) = appends.iter().position(|s| *s == shard) {
            appends.remove(n);
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
async fn whoever_appends_to_the_first_of_them_meanwhile_keeps_them_and_the_history() {
    let w = World::new()
        .await
        .after_crash(|c| c.shards = 2)
        .await
        .unwrap();
    w.birth().await;
    w.temperature("20").await;
    let (there, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_dir(w.dir.path(), there.path());
    let shared = Arc::new(Shared {
        files: JournalFiles::of(there.path()),
        appends: Mutex::default(),
    });
    let generation = shared.current().unwrap().unwrap();
    let both = 0..2;
    assert_eq!(generation.shards, both.end);
    let ends = || {
        both.clone()
            .map(|n| shared.open(generation, n).unwrap().last())
    };
    let open = async |appends: &[usize]| {
        *shared.appends.lock().unwrap() = appends.to_vec();
        let config = HubConfig {
            journals: Some(shared.clone()),
            clock: w.clock.clone(),
            shards: generation.shards,
            ..HubConfig::new(own.path())
        };
        Hub::open(config, w.records.clone()).await
    };
    let before: Vec<_> = ends().collect();
    let refused = open(&[0]).await.err().expect("the other one is at work");
    assert!(matches!(refused, OpenError::AtWork), "{refused:?}");
    assert!(!own.path().join("history.db").exists(), "it was not opened");
    let after: Vec<_> = ends().collect();
    assert_eq!(after, [before[0] + 1, before[1]]);

    // Who has lost the first one has lost all, also those to which it still appends.
    let mut left: Vec<_> = both.map(|n| shared.open(generation, n).unwrap()).collect();
    let hub = open(&[1, 1, 1]).await.unwrap();
    for journal in &mut left {
        let late = journal.append(
            journal.last(),
            harit_engine::Timestamp::from_millis(0),
            0,
            b"",
        );
        assert!(late.unwrap_err().is_final());
    }
    hub.shutdown().await.unwrap();
}
