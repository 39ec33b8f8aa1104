//! Journals on a server of NATS, and what its administrator can do to them.

use std::sync::atomic::{AtomicU16, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::Config;
use async_nats::jetstream::{self, message::StreamMessage};
use harit_cluster::{JetStreamJournal, Nats, NatsOptions, Partition, Settings};
use harit_engine::Timestamp;
use harit_journal::{Journal, JournalError};
pub(crate) use harit_testkit::nats::{PATIENCE, Server};
use tokio::runtime::Runtime;

pub(crate) const AT: Timestamp = Timestamp::from_millis(1_700_000_000_000);

/// What the tests set streams to: there is one server, and many streams on it.
pub(crate) fn small() -> Settings {
    Settings {
        replicas: 1,
        max_bytes: 64 << 20,
        ..Settings::default()
    }
}

/// Connects to a server.
pub(crate) fn connected(server: &Server) -> Nats {
    connect(&[server.port])
}

/// Connects to a server on any of these ports.
pub(crate) fn connect(ports: &[u16]) -> Nats {
    let servers = ports.iter().map(|port| format!("nats://127.0.0.1:{port}"));
    let options = NatsOptions {
        servers: servers.collect(),
        name: "test".to_owned(),
        ..NatsOptions::default()
    };
    Nats::connect(&options).unwrap()
}

/// A partition of a cluster that no other test has.
pub(crate) fn partition() -> Partition {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Partition::new(&format!("c{number}"), 1, number).unwrap()
}

/// A new journal, and its partition.
pub(crate) fn journal(nats: &Nats, settings: &Settings) -> (Partition, JetStreamJournal) {
    let partition = partition();
    // Three servers take a while to become one cluster.
    let until = Instant::now() + PATIENCE;
    loop {
        let made = JetStreamJournal::create(nats, &partition, settings);
        match made.and_then(|()| JetStreamJournal::open(nats, &partition, settings)) {
            Ok(journal) => return (partition, journal),
            Err(e) => assert!(Instant::now() < until, "{e}"),
        }
        sleep(Duration::from_millis(100));
    }
}

/// The numbers and bodies of all batches, and what is wrong.
pub(crate) fn all(journal: &dyn Journal) -> (Vec<(u64, Vec<u8>)>, Option<JournalError>) {
    let mut all = Vec::new();
    let read = journal.read(0, u64::MAX, &mut |batch| {
        all.push((batch.seq, batch.body));
        std::ops::ControlFlow::Continue(())
    });
    (all, read.err())
}

/// What an administrator does, by the server's own interface.
pub(crate) struct Administrator {
    runtime: Runtime,
    pub(crate) jetstream: jetstream::Context,
}

impl Administrator {
    pub(crate) fn of(server: &Server) -> Self {
        let runtime = Runtime::new().unwrap();
        let address = format!("nats://127.0.0.1:{}", server.port);
        let client = runtime.block_on(async_nats::connect(address)).unwrap();
        let jetstream = {
            let _entered = runtime.enter();
            jetstream::new(client)
        };
        Self { runtime, jetstream }
    }

    pub(crate) fn wait<T>(&self, what: impl Future<Output = T>) -> T {
        let limited = async { tokio::time::timeout(PATIENCE, what).await };
        self.runtime.block_on(limited).unwrap()
    }

    /// Changes a stream's settings.
    pub(crate) fn set(&self, stream: &str, change: impl FnOnce(&mut Config)) {
        self.wait(async {
            let info = self.jetstream.get_stream(stream).await.unwrap();
            let mut config = info.cached_info().config.clone();
            change(&mut config);
            self.jetstream.update_stream(config).await.unwrap();
        });
    }

    pub(crate) fn bytes(&self, stream: &str) -> u64 {
        let stream = self.wait(self.jetstream.get_stream(stream)).unwrap();
        stream.cached_info().state.bytes
    }

    /// All messages of a stream that begins with number 1.
    pub(crate) fn messages(&self, stream: &str) -> Vec<StreamMessage> {
        self.wait(async {
            let stream = self.jetstream.get_stream(stream).await.unwrap();
            let mut all = Vec::new();
            for seq in 1..=stream.cached_info().state.last_sequence {
                all.push(stream.get_raw_message(seq).await.unwrap());
            }
            all
        })
    }

    /// Makes a stream anew, of these messages, without number `lost`.
    pub(crate) fn rebuild(&self, stream: &str, messages: Vec<StreamMessage>, lost: Option<u64>) {
        self.wait(async {
            let old = self.jetstream.get_stream(stream).await.unwrap();
            let mut config = old.cached_info().config.clone();
            self.jetstream.delete_stream(stream).await.unwrap();
            config.deny_delete = false;
            let new = self.jetstream.create_stream(&config).await.unwrap();
            for message in messages {
                let sent = self.jetstream.publish(message.subject, message.payload);
                sent.await.unwrap().await.unwrap();
            }
            if let Some(lost) = lost {
                new.delete_message(lost).await.unwrap();
            }
            config.deny_delete = true;
            self.jetstream.update_stream(config).await.unwrap();
        });
    }
}
