//! A takeover at every point of recorded logs, while the server that was at work goes on.
//!
//! `HARIT_TAKEOVERS` is how many, `HARIT_SEED` the first log's seed.
#![allow(
    clippy::panic,
    clippy::print_stdout,
    reason = "a test says what is wrong by panicking"
)]

use harit_sim::seeds;
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
    let test = format!("takeovers {test}");
    let explored = seeds::points(&test, "HARIT_TAKEOVERS", points, |seed| {
        explore(seed, PER_LOG, programs)
    });
    println!("{}", explored.unwrap_or_else(|why| panic!("{why}")));
}
