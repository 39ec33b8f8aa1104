//! Two farms on one shard, each with its neighbour and without.
//!
//! `HARIT_NEIGHBOURS` is how many seeds, `HARIT_SEED` the first.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what is wrong by panicking"
)]

use harit_sim::neighbours::alike;
use harit_sim::seeds::{report, run, seeds};

/// Days and logs are made of small messages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[test]
fn a_neighbour_makes_no_difference() {
    match run(seeds("HARIT_NEIGHBOURS", 200), alike) {
        Ok(all) => {
            let told: usize = all.iter().map(|c| c.told).sum();
            let sent: usize = all.iter().map(|c| c.sent).sum();
            let journal: usize = all.iter().map(|c| c.journal).sum();
            println!(
                "{} pairs of farms: {told} things told, {sent} sent, {journal} journaled",
                all.len()
            );
            assert!(told > 0 && sent > 0 && journal > 0, "nothing happened");
        }
        Err(failures) => panic!("{}", report("neighbours a_neighbour_makes", &failures)),
    }
}
