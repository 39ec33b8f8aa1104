//! What goes wrong: servers that are killed, answers that are lost, others that write, streams that are full.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use harit_cluster::{JetStreamJournal, Nats, Partition, Settings};
use harit_journal::{Journal, JournalError, JournalRead as _, WriteError};

use crate::proxy::{Lose, Proxy};
use crate::server::{AT, Administrator, PATIENCE, Server, all, connect, connected, journal, small};

/// Numbers that follow from a seed (xorshift).
pub(crate) struct Dice(u64);

impl Dice {
    /// From the environment, or a new one; it is printed.
    pub(crate) fn new() -> Self {
        let given = std::env::var("HARIT_SEED").ok().map(|s| s.parse().unwrap());
        let now = std::time::UNIX_EPOCH.elapsed().unwrap().subsec_nanos();
        let seed = given.unwrap_or(u64::from(now));
        println!("HARIT_SEED={seed}");
        Self::of(seed)
    }

    pub(crate) const fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// Bytes that no compression makes smaller.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let bytes = std::iter::repeat_with(|| self.below(256).to_le_bytes()[0]);
        bytes.take(count).collect()
    }
}

/// Opens it as soon as the server has its streams again.
fn open_again(nats: &Nats, partition: &Partition, settings: &Settings) -> JetStreamJournal {
    let until = Instant::now() + PATIENCE;
    loop {
        match JetStreamJournal::open(nats, partition, settings) {
            Ok(journal) => return journal,
            Err(JournalError::Storage { .. }) if Instant::now() < until => {
                sleep(Duration::from_millis(100));
            }
            Err(e) => panic!("{e}"),
        }
    }
}

/// Appends until it is known to be there; returns how often it was not known.
fn persist(journal: &mut dyn Journal, body: &[u8]) -> u32 {
    let (after, until) = (journal.last(), Instant::now() + PATIENCE);
    let mut refused = 0;
    loop {
        match journal.append(after, AT, 1, body) {
            Ok(seq) => {
                assert_eq!((seq, journal.last()), (after + 1, after + 1));
                return refused;
            }
            Err(WriteError::Unavailable(_)) if Instant::now() < until => refused += 1,
            Err(e) => panic!("after {after}: {e}"),
        }
        sleep(Duration::from_millis(10));
    }
}

/// Appends without end while `kill` does what it does, so many times, and looks at what is there then.
fn under_kills(
    nats: &Nats,
    settings: &Settings,
    dice: &mut Dice,
    kills: u32,
    mut kill: impl FnMut(&mut Dice),
) {
    let (partition, mut journal) = journal(nats, settings);
    let (over, mut bodies_dice) = (AtomicBool::new(false), Dice(dice.below(u64::MAX) | 1));
    let bodies = thread::scope(|scope| {
        let appender = scope.spawn(|| {
            let (mut bodies, mut unknown, mut longest) = (Vec::new(), 0, Duration::ZERO);
            // Some at least, also on a machine that is busy with something else.
            while !over.load(Ordering::SeqCst) || bodies.len() < 20 {
                let size = usize::try_from(bodies_dice.below(20_000)).unwrap();
                let body = bodies_dice.bytes(size);
                let started = Instant::now();
                unknown += persist(&mut journal, &body);
                longest = longest.max(started.elapsed());
                bodies.push(body);
            }
            let count = bodies.len();
            println!("{count} batches, {unknown} times not known, {longest:?} at most");
            bodies
        });
        for _ in 0..kills {
            kill(dice);
        }
        sleep(Duration::from_millis(500));
        over.store(true, Ordering::SeqCst);
        appender.join().unwrap()
    });
    drop(journal);
    let journal = open_again(nats, &partition, settings);
    let (found, wrong) = all(&journal);
    assert!(wrong.is_none(), "{wrong:?}");
    let wanted: Vec<(u64, Vec<u8>)> = (1..).zip(bodies).collect();
    assert!(found == wanted, "{} and {}", found.len(), wanted.len());
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn a_server_that_is_killed_loses_nothing_and_has_nothing_twice() {
    let mut dice = Dice::new();
    let mut server = Server::start();
    let nats = connected(&server);
    under_kills(&nats, &small(), &mut dice, 10, |dice| {
        sleep(Duration::from_millis(dice.below(800)));
        server.kill();
        sleep(Duration::from_millis(dice.below(300)));
        server.run();
    });
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn one_of_three_servers_that_is_killed_loses_nothing_and_has_nothing_twice() {
    let mut dice = Dice::new();
    let mut servers = Server::three();
    let nats = connect(&servers.each_ref().map(|server| server.port));
    let settings = Settings {
        replicas: 3,
        max_bytes: 1 << 30,
        ..small()
    };
    under_kills(&nats, &settings, &mut dice, 6, |dice| {
        sleep(Duration::from_millis(dice.below(3_000)));
        let server = &mut servers[usize::try_from(dice.below(3)).unwrap()];
        server.kill();
        // Long enough for another leader, or not.
        sleep(Duration::from_millis(dice.below(12_000)));
        server.run();
    });
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn a_server_that_is_killed_between_two_appends_is_found_again() {
    let mut server = Server::start();
    let nats = connected(&server);
    let (partition, mut journal) = journal(&nats, &small());
    for seq in 1..=4_u8 {
        server.kill();
        let refused = journal.append(u64::from(seq) - 1, AT, 1, &[seq]);
        assert!(
            matches!(refused, Err(WriteError::Unavailable(_))),
            "{refused:?}"
        );
        server.run();
        persist(&mut journal, &[seq]);
    }
    drop(journal);
    let found = all(&open_again(&nats, &partition, &small())).0;
    assert_eq!(
        found,
        (1..=4).map(|n| (u64::from(n), vec![n])).collect::<Vec<_>>()
    );
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn reading_goes_on_after_a_server_was_killed() {
    const COUNT: u64 = 1_500;
    let mut server = Server::start();
    let (partition, mut journal) = journal(&connected(&server), &small());
    for after in 0..COUNT {
        journal.append(after, AT, 1, &after.to_le_bytes()).unwrap();
    }
    drop(journal);
    let journal = open_again(&connected(&server), &partition, &small());
    let mut next = 1_u64;
    let read = journal.read(0, u64::MAX, &mut |batch| {
        assert_eq!(
            (batch.seq, batch.body),
            (next, (next - 1).to_le_bytes().to_vec())
        );
        if next.is_multiple_of(400) {
            server.kill();
            server.run();
        }
        next += 1;
        ControlFlow::Continue(())
    });
    read.unwrap();
    assert_eq!(next, COUNT + 1);
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn of_two_that_write_the_second_fences_the_first() {
    let server = Server::start();
    let (partition, mut first) = journal(&connected(&server), &small());
    persist(&mut first, b"one");
    // On another connection, as from another machine.
    let mut second = JetStreamJournal::open(&connected(&server), &partition, &small()).unwrap();
    // The same to the letter, but not its own.
    assert_eq!(second.append(1, AT, 1, b"two"), Ok(2));
    let fenced = |last| Err(WriteError::Fenced { after: 1, last });
    assert_eq!(first.append(1, AT, 1, b"two"), fenced(2));
    assert_eq!(second.append(2, AT, 1, b"three"), Ok(3));
    assert_eq!(first.append(1, AT, 1, b"other"), fenced(3));
    assert_eq!((first.last(), second.last()), (1, 3));
    let bodies = [&b"one"[..], b"two", b"three"].map(<[u8]>::to_vec);
    assert_eq!(all(&second).0, (1..).zip(bodies).collect::<Vec<_>>());
    // Trimming takes no number away from who writes.
    assert_eq!(first.trim(9), Ok(false));
    assert_eq!(all(&second).0.len(), 2);
}

/// An append or its answer is lost; after `pause` the same one is made until it is known.
fn lost(servers: &[Server], what: Lose, duplicate_window: Duration, pause: Duration) {
    let server = &servers[0];
    let proxy = Proxy::before(server.port);
    let settings = Settings {
        replicas: servers.len(),
        duplicate_window,
        ..small()
    };
    let (partition, mut journal) = journal(&connect(&[proxy.port]), &settings);
    persist(&mut journal, b"one");
    proxy.lose(what);
    let refused = journal.append(1, AT, 1, b"two").unwrap_err();
    assert!(matches!(refused, WriteError::Unavailable(_)), "{refused:?}");
    assert_eq!(proxy.lost(), 1, "{what:?}");
    let stored = Administrator::of(server).messages(&partition.stream());
    assert_eq!(stored.len(), if what == Lose::Answer { 2 } else { 1 });
    // Until then there is no other.
    for (after, body) in [(1, b"not"), (2, b"two"), (0, b"one")] {
        let refused = journal.append(after, AT, 1, body).unwrap_err();
        assert!(matches!(refused, WriteError::Unavailable(_)), "{refused:?}");
    }
    sleep(pause);
    persist(&mut journal, b"two");
    persist(&mut journal, b"three");
    let bodies = [&b"one"[..], b"two", b"three"].map(<[u8]>::to_vec);
    assert_eq!(all(&journal).0, (1..).zip(bodies).collect::<Vec<_>>());
}

const LONG: Duration = Duration::from_secs(120);

/// One server looks at the place before it looks at the id.
#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn an_append_whose_answer_is_lost_is_known_by_what_is_there() {
    lost(&[Server::start()], Lose::Answer, LONG, Duration::ZERO);
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn an_append_whose_answer_is_lost_is_known_by_its_id() {
    lost(&Server::three(), Lose::Answer, LONG, Duration::ZERO);
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn an_append_whose_answer_is_lost_is_known_by_what_is_there_when_its_id_is_forgotten() {
    let (window, pause) = (Duration::from_millis(100), Duration::from_secs(2));
    lost(&Server::three(), Lose::Answer, window, pause);
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn an_append_that_is_lost_is_made_again() {
    lost(&[Server::start()], Lose::Append, LONG, Duration::ZERO);
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn an_append_that_is_not_known_is_fenced_where_another_was_faster() {
    let server = Server::start();
    let proxy = Proxy::before(server.port);
    let (partition, mut first) = journal(&connect(&[proxy.port]), &small());
    persist(&mut first, b"one");
    proxy.lose(Lose::Append);
    assert!(first.append(1, AT, 1, b"two").is_err());
    let mut second = JetStreamJournal::open(&connected(&server), &partition, &small()).unwrap();
    persist(&mut second, b"two");
    let until = Instant::now() + PATIENCE;
    let refused = loop {
        match first.append(1, AT, 1, b"two") {
            Err(WriteError::Unavailable(_)) if Instant::now() < until => {}
            other => break other,
        }
    };
    assert_eq!(refused, Err(WriteError::Fenced { after: 1, last: 2 }));
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn a_full_stream_refuses_until_there_is_room() {
    const BATCH: usize = 60_000;
    let server = Server::start();
    let settings = Settings {
        max_bytes: 4 << 20,
        ..small()
    };
    let nats = connected(&server);
    let (partition, mut journal) = journal(&nats, &settings);
    let mut dice = Dice(1);
    let mut fill = |journal: &mut JetStreamJournal| {
        let started = Instant::now();
        loop {
            let after = journal.last();
            match journal.append(after, AT, 1, &dice.bytes(BATCH)) {
                Ok(_) => assert!(started.elapsed() < PATIENCE),
                Err(WriteError::Full(text)) => break (after, text),
                Err(e) => panic!("{e}"),
            }
        }
    };
    assert_eq!(journal.keep_reserve(), Ok(()));
    let (without_reserve, text) = fill(&mut journal);
    assert!(text.contains("kept back for stops"), "{text}");
    assert!((30..36).contains(&without_reserve), "{without_reserve}");
    assert!(journal.give_up_reserve());
    let (last, text) = fill(&mut journal);
    assert!(text.contains("maximum bytes exceeded"), "{text}");
    assert!((60..70).contains(&last), "{last}");
    assert!(matches!(journal.keep_reserve(), Err(WriteError::Full(_))));
    // What was refused is not there, and the same or another one goes in when there is room.
    assert_eq!(all(&journal).0.len() as u64, last);
    while journal.trim(last / 2).unwrap() {}
    persist(&mut journal, b"small");
    drop(journal);
    let journal = JetStreamJournal::open(&nats, &partition, &settings).unwrap();
    assert_eq!(
        (journal.before_first().unwrap(), journal.last()),
        (last / 2, last + 1)
    );
    assert_eq!(
        all(&journal).0.last().unwrap(),
        &(last + 1, b"small".to_vec())
    );
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn an_end_that_was_lost_and_written_anew_is_found() {
    let server = Server::start();
    let (nats, administrator) = (connected(&server), Administrator::of(&server));
    let written = |word: &str| {
        let (partition, mut journal) = journal(&nats, &small());
        for n in 1..=4 {
            persist(&mut journal, format!("{word} {n}").as_bytes());
        }
        partition
    };
    let (one, other) = (written("one"), written("other"));
    let mut messages = administrator.messages(&one.stream());
    // Whole, of the right number, but not what was written after the second.
    messages[2].payload = administrator.messages(&other.stream())[2].payload.clone();
    administrator.rebuild(&one.stream(), messages, None);
    let journal = JetStreamJournal::open(&nats, &one, &small()).unwrap();
    let (found, wrong) = all(&journal);
    assert_eq!(found.len(), 2);
    let wrong = wrong.unwrap().to_string();
    assert!(
        wrong.contains("batch 3 was not written after batch 2"),
        "{wrong}"
    );
    // Also where reading begins there.
    let read = journal.read(2, 3, &mut |_| ControlFlow::Continue(()));
    assert!(read.is_err());
}

#[test]
#[ignore = "needs nats-server: make test-cluster"]
fn a_batch_that_is_too_large_is_refused_and_one_that_is_not_is_stored() {
    let server = Server::start();
    let (_, mut journal) = journal(&connected(&server), &small());
    let mut dice = Dice(1);
    let large = dice.bytes((8 << 20) - 300);
    persist(&mut journal, &large);
    let refused = journal.append(1, AT, 1, &dice.bytes(8 << 20)).unwrap_err();
    assert!(matches!(refused, WriteError::Broken(_)), "{refused:?}");
    // What is compressed may be more.
    let wide = vec![7; 30 << 20];
    persist(&mut journal, &wide);
    journal.put_snapshot(2, AT, &large).unwrap();
    assert!(journal.snapshot(2).unwrap() == large);
    let found = all(&journal).0;
    assert!(found == [(1, large), (2, wide)]);
}
