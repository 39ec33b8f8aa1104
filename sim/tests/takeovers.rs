//! A takeover at every point of recorded logs, while the server that was at work goes on.
//!
//! `HARIT_TAKEOVERS` is how many, `HARIT_SEED` the first log's seed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what is wrong by panicking"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use harit_sim::seeds::{self, report};
use harit_sim::takeover::explore;

/// Logs are made of small messages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How many points a log gives at most: short logs, many of them.
const PER_LOG: usize = 400;

#[test]
fn two_servers_decide_what_one_decides() {
    everywhere("two_servers_decide_what_one_decides", 1_500, false);
}

#[test]
fn also_where_rules_know_the_clock_and_machines_have_limits() {
    let test = "also_where_rules_know_the_clock_and_machines_have_limits";
    everywhere(test, 1_000, true);
}

/// Takeovers at so many points, or as many as are asked for.
fn everywhere(test: &str, points: u64, programs: bool) {
    let points: u64 = std::env::var("HARIT_TAKEOVERS").map_or(points, |n| n.parse().unwrap());
    let first: u64 = std::env::var("HARIT_SEED").map_or(0, |n| n.parse().unwrap());
    // Logs differ in length: more are offered than are needed.
    let so_far = AtomicU64::new(0);
    let done = seeds::run(first..first + points.div_ceil(50), |seed| {
        if so_far.load(Ordering::Relaxed) >= points {
            return Ok(0);
        }
        let count = explore(seed, PER_LOG, programs)?;
        so_far.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    });
    match done {
        Ok(counts) => {
            let sum: usize = counts.iter().sum();
            let logs = counts.iter().filter(|c| **c > 0).count();
            println!("{sum} takeovers in {logs} logs from seed {first}");
            assert!(sum as u64 >= points, "only {sum} points");
        }
        Err(failures) => panic!("{}", report(&format!("takeovers {test}"), &failures)),
    }
}
