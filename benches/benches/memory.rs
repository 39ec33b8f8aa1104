//! Bytes a sensor and bytes a rule, by a counting allocator: `cargo bench -p harit-benches --bench memory`.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark is no library"
)]

use std::alloc::System;

use cap::Cap;
use harit_benches::memory::{MAX_RULE_BYTES, MAX_SENSOR_BYTES, footprint};

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

fn main() {
    println!(
        "bytes that an engine keeps (at most {MAX_SENSOR_BYTES} a sensor and {MAX_RULE_BYTES} a rule)"
    );
    println!("sensors/rules    sensor  device    rule  pending rule  saved rule");
    for n in [10_000, 100_000] {
        let f = footprint(n, n, || ALLOCATOR.allocated()).expect("the farm is well-formed");
        println!(
            "{n:>13}  {:>8}{:>8}{:>8}{:>14}{:>12}",
            f.sensor, f.device, f.rule, f.pending_rule, f.saved_rule
        );
    }
}
