//! A crash at every point of recorded logs: every turn, and every stage within it.
//!
//! `HARIT_CRASH_POINTS` is how many, `HARIT_SEED` the first log's seed.
#![allow(
    clippy::panic,
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
    let test = format!("crash_points {test}");
    let explored = seeds::points(&test, "HARIT_CRASH_POINTS", points, |seed| {
        explore(seed, PER_LOG, false, programs)
    });
    println!("{}", explored.unwrap_or_else(|why| panic!("{why}")));
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
