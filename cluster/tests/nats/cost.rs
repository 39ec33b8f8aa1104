//! What an append costs beside one to a file, on the disk of this machine. A measurement, not a test: it is asked for by name.

use std::time::{Duration, Instant};

use harit_cluster::Settings;
use harit_journal::{Journal, JournalFile};

use crate::server::{AT, Server, connect, connected, journal, small};

/// How long each is measured.
const TIME: Duration = Duration::from_secs(3);

/// Appends batches of so many bytes, one after another; returns how many a second, and says more.
fn appends(what: &str, journal: &mut dyn Journal, bytes: usize) -> f64 {
    let mut state = 1_u32;
    let any = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_le_bytes()[3]
    });
    let body: Vec<u8> = any.take(bytes).collect();
    let (started, mut times) = (Instant::now(), Vec::new());
    while started.elapsed() < TIME {
        let (after, begun) = (journal.last(), Instant::now());
        journal.append(after, AT, 1, &body).unwrap();
        times.push(begun.elapsed());
    }
    let rate = f64::from(u32::try_from(times.len()).unwrap()) / started.elapsed().as_secs_f64();
    times.sort_unstable();
    let of = |hundredths: usize| times[(times.len() - 1) * hundredths / 100];
    let megabytes = rate * f64::from(u32::try_from(bytes).unwrap()) / 1e6;
    println!(
        "{bytes:>6} bytes, {what:<13} {rate:>6.0}/s, {megabytes:>6.1} MB/s, p50 {:?}, p99 {:?}",
        of(50),
        of(99)
    );
    rate
}

/// Reads it all; says how many a second.
fn reads(what: &str, journal: &dyn Journal) {
    let (started, mut count, mut bytes) = (Instant::now(), 0_u32, 0);
    let read = journal.read(0, u64::MAX, &mut |batch| {
        count += 1;
        bytes += batch.body.len();
        std::ops::ControlFlow::Continue(())
    });
    read.unwrap();
    let seconds = started.elapsed().as_secs_f64();
    let rate = f64::from(count) / seconds;
    let megabytes = f64::from(u32::try_from(bytes >> 10).unwrap()) / 1_024.0 / seconds;
    println!("       read, {what:<13} {rate:>6.0}/s, {megabytes:>6.1} MiB/s");
}

#[test]
#[ignore = "a measurement of some seconds: cargo test -p harit-cluster --test nats cost -- --ignored --nocapture"]
fn cost() {
    let folder = tempfile::tempdir().unwrap();
    let (one, three) = (Server::start(), Server::three());
    let (to_one, to_three) = (connected(&one), connect(&three.each_ref().map(|s| s.port)));
    let settings = |replicas| Settings {
        replicas,
        max_bytes: 2 << 30,
        ..small()
    };
    for bytes in [200, 64 << 10] {
        let path = folder.path().join(format!("{bytes}.db"));
        let mut file = JournalFile::create(&path).unwrap();
        let floor = appends("a file", &mut file, bytes);
        reads("a file", &file);
        for (what, nats, replicas) in [("one server", &to_one, 1), ("three servers", &to_three, 3)]
        {
            let (_, mut stream) = journal(nats, &settings(replicas));
            let rate = appends(what, &mut stream, bytes);
            reads(what, &stream);
            println!("              {what:<13} {:.2} of a file's", rate / floor);
        }
    }
}
