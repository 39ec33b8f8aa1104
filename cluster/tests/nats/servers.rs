//! Servers whose journals are in NATS: one goes on where another one ended, and of two only the later one decides.

use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use harit_cluster::{JetStreamJournals, Nats};
use harit_engine::{Engine, FarmDocument, FarmId, Owner, ScopeSpec, Stop, StopScope};
use harit_ingest::Urged;
use harit_ingest::mqtt::{Principal, Refusal};
use harit_ingest::{AdmitError, ControllerDirectory, ControllerRecord, Hub, HubConfig, OpenError};
use harit_journal::{Journals as _, ReadJournals as _};
use harit_protocol::Mac;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::server::{Administrator, PATIENCE, Server, connected, partition, small};

const FARMS: [&str; 4] = ["f1", "f2", "f3", "f4"];

/// The records of a server without controllers.
struct Nobody;

impl ControllerDirectory for Nobody {
    fn lookup(&self, _: &Mac) -> Option<ControllerRecord> {
        None
    }

    fn verify<'a>(
        &'a self,
        _: &'a Mac,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<ControllerRecord, Refusal>> {
        Box::pin(async { Err(Refusal::BadCredentials) })
    }

    fn verify_integration<'a>(
        &'a self,
        _: &'a str,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<Principal, Refusal>> {
        Box::pin(async { Err(Refusal::BadCredentials) })
    }
}

fn farm(id: &str) -> FarmDocument {
    let fan = json!({"id": "fan", "name": "Fan", "type": "fan", "scope": {"type": "farm"}, "online": true});
    let document = json!({"farm": {"id": id, "name": id}, "devices": [fan]});
    FarmDocument::from_json(&document).unwrap()
}

/// A server with a data directory of its own.
struct Harit {
    runtime: Runtime,
    hub: Hub,
    dir: tempfile::TempDir,
}

impl Harit {
    fn open(journals: &Arc<JetStreamJournals>, shards: usize) -> Result<Self, OpenError> {
        let dir = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let hub = runtime.block_on(Hub::open(
            Self::config(dir.path(), journals, shards),
            Arc::new(Nobody),
        ))?;
        Ok(Self { runtime, hub, dir })
    }

    fn config(dir: &Path, journals: &Arc<JetStreamJournals>, shards: usize) -> HubConfig {
        HubConfig {
            journals: Some(journals.clone()),
            shards,
            ..HubConfig::new(dir)
        }
    }

    /// The first one of a cluster, with farms.
    fn first(journals: &Arc<JetStreamJournals>, shards: usize) -> Self {
        let first = Self::open(journals, shards).unwrap();
        for id in FARMS {
            first
                .runtime
                .block_on(first.hub.add_farm(farm(id)))
                .unwrap();
        }
        first
    }

    fn stop(&self, id: &str, by: &str) -> Result<Urged, AdmitError> {
        let stop = Stop {
            scope: StopScope::Place(ScopeSpec::farm()),
            owner: Arc::new(Owner {
                user_id: by.into(),
                name: by.into(),
                reason: None,
            }),
        };
        self.runtime.block_on(self.hub.stop(&id.into(), stop))
    }

    /// Whose stops hold a farm's fan.
    fn stopped_by(&self, id: &str) -> Vec<String> {
        let farm = FarmId::from(id);
        let read = self.hub.read(&farm, |engine: &Engine| {
            let locks = engine.device("fan").map(|fan| fan.locks);
            let owners = locks.into_iter().flatten().filter_map(|lock| lock.owner);
            owners.map(|owner| owner.user_id.to_string()).collect()
        });
        self.runtime.block_on(read).unwrap()
    }

    fn end(self) {
        self.runtime.block_on(self.hub.shutdown()).unwrap();
    }
}

fn is_recorded(urged: &Result<Urged, AdmitError>) -> bool {
    matches!(urged, Ok(Urged::Recorded(_)))
}

/// The journals of a cluster that no other test has.
fn journals(nats: &Nats) -> Arc<JetStreamJournals> {
    let stream = partition().stream();
    let cluster = stream.split('-').nth(1).unwrap();
    Arc::new(JetStreamJournals::new(nats, cluster, &small()).unwrap())
}

fn until(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < end, "{what}");
        sleep(Duration::from_millis(50));
    }
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn one_goes_on_elsewhere_where_another_one_ended() {
    let server = Server::start();
    let journals = journals(&connected(&server));
    assert_eq!(journals.current().unwrap(), None);
    let first = Harit::first(&journals, 2);
    for id in FARMS {
        assert!(is_recorded(&first.stop(id, "asha")));
    }
    first.end();
    let second = Harit::open(&journals, 2).unwrap();
    for id in FARMS {
        assert_eq!(second.stopped_by(id), ["asha"], "{id}");
        assert!(is_recorded(&second.stop(id, "ravi")));
    }
    // It ends without a word, and its data directory is lost with it.
    second.runtime.block_on(second.hub.snapshot());
    assert!(is_recorded(&second.stop("f1", "meera")));
    let third = Harit::open(&journals, 2).unwrap();
    assert_eq!(third.stopped_by("f1"), ["asha", "meera", "ravi"]);
    assert_eq!(third.stopped_by("f4"), ["asha", "ravi"]);
    assert_eq!(journals.generations().unwrap().len(), 1);
    drop(second.dir);
    third.end();
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn of_two_only_the_later_one_decides() {
    let server = Server::start();
    // A connection each, as on two machines.
    let of_first = journals(&connected(&server));
    let first = Harit::first(&of_first, 1);
    assert!(is_recorded(&first.stop("f1", "asha")));
    let later = Harit::open(&of_first, 1).unwrap();
    assert!(!is_recorded(&first.stop("f1", "nobody")), "it is fenced");
    until("it is down", || {
        first.hub.health().shards_down == [0] || !first.hub.health().journal_writable
    });
    assert!(is_recorded(&later.stop("f1", "ravi")));
    assert_eq!(later.stopped_by("f1"), ["asha", "ravi"]);
    // Whatever the first one does at its end, it leaves nothing.
    let _ = first.runtime.block_on(first.hub.shutdown());
    assert!(is_recorded(&later.stop("f2", "meera")));
    later.end();
    let last = Harit::open(&of_first, 1).unwrap();
    assert_eq!(last.stopped_by("f1"), ["asha", "ravi"]);
    assert_eq!(last.stopped_by("f2"), ["meera"]);
    last.end();
}

/// Two installations gave the same name to theirs.
#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn journals_of_another_server_are_left_to_it() {
    let server = Server::start();
    let there = journals(&connected(&server));
    let owned = |by: &str| Arc::new((*there).clone().owned_by(by));
    let first = Harit::first(&owned("a"), 1);
    let refused = Harit::open(&owned("b"), 1).err().expect("it is refused");
    assert!(matches!(refused, OpenError::Journal(_)), "{refused:?}");
    assert!(is_recorded(&first.stop("f1", "asha")), "it goes on");
    assert!(there.current().unwrap().is_some(), "who only reads may");
    first.end();
    Harit::open(&owned("a"), 1).unwrap().end();
}

/// Nobody asks the first one anything: it looks by itself whether its journals are still its own.
#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn who_was_taken_over_from_learns_of_it() {
    let server = Server::start();
    let journals = journals(&connected(&server));
    let first = Harit::first(&journals, 2);
    sleep(Duration::from_secs(6));
    assert!(!first.hub.is_taken_over(), "its own batches are no other's");
    let later = Harit::open(&journals, 2).unwrap();
    let learns = async { tokio::time::timeout(PATIENCE, first.hub.taken_over()).await };
    first.runtime.block_on(learns).unwrap();
    let _ = first.runtime.block_on(first.hub.shutdown());
    assert!(is_recorded(&later.stop("f1", "ravi")));
    later.end();
}

/// Two stops while no server answers: the one that may be there already is repeated as it was, and the other one follows it.
#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn stops_are_recorded_once_nats_is_there_again() {
    let mut server = Server::start();
    let journals = journals(&connected(&server));
    let first = Harit::first(&journals, 1);
    server.kill();
    assert!(!is_recorded(&first.stop("f1", "asha")));
    assert!(!is_recorded(&first.stop("f1", "ravi")));
    server.run();
    until("both are recorded", || {
        first.stopped_by("f1") == ["asha", "ravi"]
    });
    assert!(is_recorded(&first.stop("f1", "meera")));
    first.end();
    let second = Harit::open(&journals, 1).unwrap();
    assert_eq!(second.stopped_by("f1"), ["asha", "meera", "ravi"]);
    second.end();
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn another_number_of_shards_is_another_generation() {
    let server = Server::start();
    let journals = journals(&connected(&server));
    let first = Harit::first(&journals, 1);
    assert!(is_recorded(&first.stop("f3", "asha")));
    first.end();
    for (shards, generation) in [(3, 2), (2, 3)] {
        let next = Harit::open(&journals, shards).unwrap();
        assert_eq!(next.stopped_by("f3"), ["asha"]);
        assert!(is_recorded(&next.stop("f1", &format!("p{generation}"))));
        next.end();
        let current = journals.current().unwrap().unwrap();
        assert_eq!((current.generation, current.shards), (generation, shards));
    }
    let all: Vec<usize> = journals
        .generations()
        .unwrap()
        .iter()
        .map(|g| g.shards)
        .collect();
    assert_eq!(all, [1, 3, 2]);
    assert!(journals.reader(2, 2).unwrap().is_some());
    assert!(journals.reader(2, 3).unwrap().is_none());
    let current = journals.current().unwrap().unwrap();
    journals.remove_old(current, Duration::ZERO);
    assert_eq!(journals.generations().unwrap(), [current]);
    let last = Harit::open(&journals, 2).unwrap();
    assert_eq!(last.stopped_by("f1"), ["p2", "p3"]);
    last.end();
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn journals_of_which_nobody_says_that_they_count_are_left_alone() {
    let server = Server::start();
    let (nats, administrator) = (connected(&server), Administrator::of(&server));
    let stream = partition().stream();
    let cluster = stream.split('-').nth(1).unwrap();
    let journals = JetStreamJournals::new(&nats, cluster, &small()).unwrap();
    let journals = Arc::new(journals);
    Harit::first(&journals, 1).end();
    let stream = format!("HJ-{cluster}-1-000");
    let before = administrator.messages(&stream).len();
    let bucket = format!("HK-{cluster}");
    administrator.wait(async {
        administrator
            .jetstream
            .delete_key_value(bucket)
            .await
            .unwrap();
    });
    let refused = Harit::open(&journals, 1).err().unwrap();
    let refused = format!("{refused}: {:?}", std::error::Error::source(&refused));
    assert!(refused.contains("is missing"), "{refused}");
    assert_eq!(administrator.messages(&stream).len(), before);
    assert!(before > 0);
}
