//! It does what every journal does.

use std::cell::{Cell, RefCell};
use std::thread::sleep;
use std::time::Duration;

use async_nats::jetstream::object_store::ObjectMetadata;
use harit_cluster::{JetStreamJournal, Nats, Partition, Settings};
use harit_journal::conformance::{self, Place};
use harit_journal::{Journal, JournalError};
use tokio::io::AsyncReadExt as _;

use crate::server::{Administrator, Server, connect, connected, journal, partition, small};

/// A partition on a server, and who administers that.
struct OnServer<'a> {
    nats: &'a Nats,
    administrator: &'a Administrator,
    partition: Partition,
    settings: RefCell<Settings>,
    is_made: Cell<bool>,
    /// Whether the last batch was damaged.
    damaged_end: Cell<bool>,
}

impl OnServer<'_> {
    fn cluster(&self) -> String {
        let stream = self.partition.stream();
        stream.split('-').nth(1).unwrap().to_owned()
    }

    /// `<generation>.<partition>`
    fn place(&self) -> String {
        let subject = self.partition.subject();
        subject.rsplit_once("j.").unwrap().1.to_owned()
    }
}

impl Place for OnServer<'_> {
    fn open(&self) -> Result<Box<dyn Journal>, JournalError> {
        let settings = self.settings.borrow();
        if !self.is_made.replace(true) {
            JetStreamJournal::create(self.nats, &self.partition, &settings)?;
        }
        let journal = JetStreamJournal::open(self.nats, &self.partition, &settings)?;
        Ok(Box::new(journal))
    }

    fn damage_batch(&self, seq: u64) -> Option<()> {
        let stream = self.partition.stream();
        let mut messages = self.administrator.messages(&stream);
        self.damaged_end.set(messages.len() as u64 == seq);
        let message = messages.iter_mut().find(|m| m.sequence == seq).unwrap();
        let mut payload = message.payload.to_vec();
        *payload.last_mut().unwrap() ^= 1;
        message.payload = payload.into();
        self.administrator.rebuild(&stream, messages, None);
        Some(())
    }

    fn lose_batch(&self, seq: u64) -> Option<()> {
        let stream = self.partition.stream();
        let mut messages = self.administrator.messages(&stream);
        // A stream that lost its end gives its numbers again; one that lost what is within does not.
        let lost = (messages.len() as u64 > seq).then_some(seq);
        if lost.is_none() {
            messages.pop();
        }
        self.administrator.rebuild(&stream, messages, lost);
        Some(())
    }

    fn damage_snapshot(&self, seq: u64) -> Option<()> {
        let name = format!("{}.{seq}", self.place());
        let jetstream = &self.administrator.jetstream;
        self.administrator.wait(async {
            let bucket = format!("HS-{}", self.cluster());
            let store = jetstream.get_object_store(bucket).await.unwrap();
            let mut object = store.get(&name).await.unwrap();
            let mut body = Vec::new();
            object.read_to_end(&mut body).await.unwrap();
            *body.last_mut().unwrap() ^= 1;
            let about = ObjectMetadata {
                name,
                metadata: object.info().metadata.clone(),
                ..ObjectMetadata::default()
            };
            store.put(about, &mut &body[..]).await.unwrap();
        });
        Some(())
    }

    /// A message is stored as a whole or not at all, and its number is never given again: so an end that is damaged is damage,
    /// whoever was told of it.
    fn acknowledge_only(&self, through: u64) -> Option<()> {
        if self.damaged_end.get() {
            return None;
        }
        let jetstream = &self.administrator.jetstream;
        self.administrator.wait(async {
            let bucket = format!("HK-{}", self.cluster());
            let store = jetstream.get_key_value(bucket).await.unwrap();
            let key = format!("mark.{}", self.place());
            store.put(key, through.to_string().into()).await.unwrap();
        });
        Some(())
    }

    fn fill(&self, full: bool) -> Option<()> {
        let stream = self.partition.stream();
        let max_bytes = if full {
            // What is kept back, and less than a batch.
            self.administrator.bytes(&stream) + (2 << 20) + 100
        } else {
            64 << 20
        };
        self.administrator.set(&stream, |config| {
            config.max_bytes = i64::try_from(max_bytes).unwrap();
        });
        self.settings.borrow_mut().max_bytes = max_bytes;
        // So long a journal may not notice.
        sleep(Duration::from_millis(1_100));
        Some(())
    }
}

fn conforms(nats: &Nats, administrator: &Administrator, settings: &Settings) {
    let left_out = conformance::run(|| OnServer {
        nats,
        administrator,
        partition: partition(),
        settings: RefCell::new(settings.clone()),
        is_made: Cell::new(false),
        damaged_end: Cell::new(false),
    });
    assert_eq!(
        left_out,
        ["an end that was not acknowledged may be damaged"]
    );
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn it_does_what_a_journal_does() {
    let server = Server::start();
    conforms(&connected(&server), &Administrator::of(&server), &small());
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn it_does_what_a_journal_does_on_three_servers() {
    let servers = Server::three();
    let nats = connect(&[servers[0].port]);
    let settings = Settings {
        replicas: 3,
        ..small()
    };
    // When this is there they are one cluster.
    drop(journal(&nats, &settings));
    conforms(&nats, &Administrator::of(&servers[1]), &settings);
}
