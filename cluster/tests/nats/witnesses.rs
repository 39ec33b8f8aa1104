//! What is beside the stream, by which it is known what must be in it: the mark and the snapshots.

use std::thread::sleep;
use std::time::{Duration, Instant};

use harit_cluster::{JetStreamJournal, JetStreamJournals, Partition};
use harit_journal::{Generation, Journal as _, JournalError, JournalRead as _, Journals as _};

use crate::server::{AT, Administrator, PATIENCE, Server, connected, journal, small};

fn cluster(partition: &Partition) -> String {
    let stream = partition.stream();
    stream.split('-').nth(1).unwrap().to_owned()
}

fn key(partition: &Partition) -> String {
    let subject = partition.subject();
    format!("mark.{}", subject.rsplit_once("j.").unwrap().1)
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn the_mark_follows_what_is_acknowledged_and_does_not_slow_it() {
    let server = Server::start();
    let (nats, administrator) = (connected(&server), Administrator::of(&server));
    let (partition, mut journal) = journal(&nats, &small());
    let store = format!("HK-{}", cluster(&partition));
    let store = administrator.wait(administrator.jetstream.get_key_value(store));
    let store = store.unwrap();
    let entry = || {
        administrator
            .wait(store.entry(key(&partition)))
            .unwrap()
            .unwrap()
    };
    let started = Instant::now();
    for after in 0..200 {
        journal.append(after, AT, 1, b"body").unwrap();
    }
    let seconds = started.elapsed().as_secs();
    // Without closing it.
    while entry().value != "200" {
        assert!(started.elapsed() < PATIENCE, "{:?}", entry().value);
        sleep(Duration::from_millis(50));
    }
    let writes = entry().revision;
    assert!(writes <= 4 + seconds, "{writes} in {seconds} s");
    journal.append(200, AT, 1, b"body").unwrap();
    drop(journal);
    assert_eq!(entry().value, "201", "closing writes the last");
    // One that opens and writes nothing does not take it back.
    drop(JetStreamJournal::open(&nats, &partition, &small()).unwrap());
    assert_eq!(entry().value, "201");
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn a_stream_that_ends_before_a_snapshot_has_lost_its_end_until_that_is_accepted() {
    let server = Server::start();
    let (nats, administrator) = (connected(&server), Administrator::of(&server));
    let (partition, mut journal) = journal(&nats, &small());
    for after in 0..5 {
        journal.append(after, AT, 1, b"body").unwrap();
    }
    journal.put_snapshot(5, AT, b"state").unwrap();
    drop(journal);
    let store = format!("HK-{}", cluster(&partition));
    administrator.wait(async {
        let store = administrator.jetstream.get_key_value(store).await.unwrap();
        store.put(key(&partition), "2".into()).await.unwrap();
    });
    let mut messages = administrator.messages(&partition.stream());
    messages.truncate(3);
    administrator.rebuild(&partition.stream(), messages, None);
    let e = JetStreamJournal::open(&nats, &partition, &small()).unwrap_err();
    let JournalError::Lost {
        last: 3,
        acknowledged: 5,
        ..
    } = e
    else {
        panic!("{e}");
    };
    let journals = JetStreamJournals::new(&nats, &cluster(&partition), &small()).unwrap();
    let stream = partition.stream();
    let number = stream.rsplit_once('-').unwrap().1.parse().unwrap();
    let of = Generation {
        generation: 1,
        shards: number + 1,
    };
    journals.accept_loss(of, number).unwrap();
    let mut journal = journals.open(of, number).unwrap();
    assert_eq!(journal.last(), 3);
    assert_eq!(journal.snapshots().unwrap(), [], "that has what is gone");
    assert_eq!(journal.append(3, AT, 1, b"another"), Ok(4));
    drop(journal);
    // What has lost nothing stays as it is.
    journals.accept_loss(of, number).unwrap();
    assert_eq!(journals.open(of, number).unwrap().last(), 4);
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn a_journal_that_begins_with_a_snapshot_goes_on_after_it_also_when_that_was_cut_off() {
    let server = Server::start();
    let (nats, administrator) = (connected(&server), Administrator::of(&server));
    let (partition, mut journal) = journal(&nats, &small());
    journal.put_snapshot(7, AT, b"state").unwrap();
    drop(journal);
    // As if the snapshot was stored and the process died.
    administrator.rebuild(&partition.stream(), Vec::new(), None);
    let mut journal = JetStreamJournal::open(&nats, &partition, &small()).unwrap();
    assert_eq!((journal.last(), journal.before_first().unwrap()), (7, 7));
    assert_eq!(journal.append(7, AT, 1, b"body"), Ok(8));
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn of_a_snapshot_that_is_deleted_nothing_is_left() {
    let server = Server::start();
    let (nats, administrator) = (connected(&server), Administrator::of(&server));
    let (partition, mut journal) = journal(&nats, &small());
    // More than a message, and nothing to compress.
    let mut state = 1_u32;
    let any = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_le_bytes()[3]
    });
    let body: Vec<u8> = any.take(20_000_000).collect();
    for after in 0..3 {
        journal.append(after, AT, 1, b"body").unwrap();
        journal.put_snapshot(after + 1, AT, &body).unwrap();
    }
    journal.put_snapshot(3, AT, b"another").unwrap();
    assert!(journal.snapshot(2).unwrap() == body);
    assert_eq!(journal.snapshot(3).unwrap(), b"another");
    for seq in 1..=3 {
        journal.delete_snapshot(seq).unwrap();
    }
    assert_eq!(journal.snapshots().unwrap(), []);
    let objects = format!("OBJ_HS-{}", cluster(&partition));
    assert_eq!(administrator.bytes(&objects), 0);
}
