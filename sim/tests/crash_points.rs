//! A crash at every point of recorded logs: every turn, and every stage within it.
//!
//! `HARIT_CRASH_POINTS` is how many, `HARIT_SEED` the first log's seed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what is wrong by panicking"
)]

use harit_sim::crash::explore;
use harit_sim::seeds::{self, report};

/// Days and crash points are made of small messages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How many points a log gives at most: short logs, many of them.
const PER_LOG: usize = 400;

#[test]
fn a_crash_makes_no_difference() {
    everywhere("a_crash_makes_no_difference", 5_000, false);
}

#[test]
fn nor_where_rules_know_the_clock_and_machines_have_limits() {
    let test = "nor_where_rules_know_the_clock_and_machines_have_limits";
    everywhere(test, 2_500, true);
}

/// Crashes at so many points, or as many as are asked for.
fn everywhere(test: &str, points: u64, programs: bool) {
    let points: u64 = std::env::var("HARIT_CRASH_POINTS").map_or(points, |n| n.parse().unwrap());
    let first: u64 = std::env::var("HARIT_SEED").map_or(0, |n| n.parse().unwrap());
    // Logs differ in length: more are offered than are needed.
    let enough = std::sync::atomic::AtomicU64::new(0);
    let done = seeds::run(first..first + points.div_ceil(50), |seed| {
        let so_far = enough.load(std::sync::atomic::Ordering::Relaxed);
        if so_far >= points {
            return Ok(0);
        }
        let count = explore(seed, PER_LOG, false, programs)?;
        enough.fetch_add(count as u64, std::sync::atomic::Ordering::Relaxed);
        Ok(count)
    });
    match done {
        Ok(counts) => {
            let sum: usize = counts.iter().sum();
            let logs = counts.iter().filter(|c| **c > 0).count();
            println!("{sum} crash points of {logs} logs from seed {first}");
            assert!(sum as u64 >= points, "only {sum} points");
        }
        Err(failures) => panic!("{}", report(&format!("crash_points {test}"), &failures)),
    }
}

/// Logs in which a controller said several things in one batch (what it then says twice, the server hears twice), one in which
/// what was done at an instant made something due at that instant, and one in
/// which the server died before it looked whether a command had come to nothing. With programs: one in which a pulse got lost
/// that was to end a manual mode.
#[test]
fn seeds_that_found_something() {
    let plain = [1_002, 1_015, 1_114, 1_244, 9_609, 10_383].map(|seed| (seed, false));
    for (seed, programs) in plain.into_iter().chain([(900_434, true)]) {
        if let Err(why) = explore(seed, PER_LOG, false, programs) {
            panic!("seed {seed}: {why}");
        }
    }
}

#[test]
fn a_crash_with_a_journal_in_a_file_makes_none_either() {
    let done = seeds::run(0..3, |seed| explore(seed, 40, true, true));
    match done {
        Ok(counts) => println!("{counts:?} crash points"),
        Err(failures) => panic!(
            "{}",
            report("crash_points a_crash_with_a_journal", &failures)
        ),
    }
}
