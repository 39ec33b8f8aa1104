//! What must be there, and how it must be set.

use std::time::Duration;

use harit_cluster::{JetStreamJournal, Settings};
use harit_journal::{Journal as _, JournalError};

use crate::server::{AT, Administrator, Server, all, connected, journal, partition, small};

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn what_is_not_there_is_missing_and_never_made() {
    let server = Server::start();
    let (nats, administrator) = (connected(&server), Administrator::of(&server));
    let unmade = partition();
    let missing = |partition, what: &str| {
        let e = JetStreamJournal::open(&nats, partition, &small()).unwrap_err();
        assert!(matches!(e, JournalError::Missing { .. }), "{e}");
        assert!(e.to_string().contains(what), "{e}");
    };
    for _ in 0..2 {
        missing(&unmade, &unmade.stream());
    }
    let (made, journal) = journal(&nats, &small());
    drop(journal);
    let cluster = made.stream().split('-').nth(1).unwrap().to_owned();
    let keys = format!("HK-{cluster}");
    administrator.wait(async {
        let store = administrator.jetstream.get_key_value(&keys).await.unwrap();
        let key = made.subject().rsplit_once("j.").unwrap().1.to_owned();
        store.delete(format!("mark.{key}")).await.unwrap();
    });
    missing(&made, "key mark.1.");
    for bucket in [format!("KV_{keys}"), format!("OBJ_HS-{cluster}")] {
        let deleted = administrator.jetstream.delete_stream(&bucket);
        administrator.wait(deleted).unwrap();
        missing(&made, &format!("stream {bucket}"));
    }
    JetStreamJournal::create(&nats, &made, &small()).unwrap();
    JetStreamJournal::open(&nats, &made, &small()).unwrap();
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn what_is_set_otherwise_is_named() {
    let server = Server::start();
    let (nats, administrator) = (connected(&server), Administrator::of(&server));
    let (partition, mut first) = journal(&nats, &small());
    first.append(0, AT, 1, b"body").unwrap();
    drop(first);
    // Again it is as it was.
    JetStreamJournal::create(&nats, &partition, &small()).unwrap();
    let again = JetStreamJournal::open(&nats, &partition, &small()).unwrap();
    assert_eq!(all(&again).0, [(1, b"body".to_vec())]);
    administrator.set(&partition.stream(), |config| {
        config.max_age = Duration::from_secs(3_600);
        config.allow_direct = true;
    });
    for refused in [
        JetStreamJournal::open(&nats, &partition, &small()).map(|_| ()),
        JetStreamJournal::create(&nats, &partition, &small()),
    ] {
        let e = refused.unwrap_err().to_string();
        assert!(
            e.contains("max_age is 3600s and must be 0ns; allow_direct is true and must be false"),
            "{e}"
        );
    }
    let other = Settings {
        max_bytes: 1 << 20,
        ..small()
    };
    administrator.set(&partition.stream(), |config| {
        config.max_age = Duration::ZERO;
        config.allow_direct = false;
    });
    let e = JetStreamJournal::open(&nats, &partition, &other).unwrap_err();
    assert!(
        e.to_string()
            .contains("max_bytes is 67108864 and must be 1048576"),
        "{e}"
    );
}
