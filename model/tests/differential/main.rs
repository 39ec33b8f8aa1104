//! The engine against the naive model, over random farms and inputs.
//!
//! `HARIT_CASES` is how many cases each test runs, `HARIT_SEED` the first seed. A failure prints the one command that
//! repeats it, and the shortest list of inputs that still shows it.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what is wrong by panicking"
)]

mod cases;
mod controllers;
mod engine_side;
mod explanations;
mod hazards;
mod invariance;
mod mutations;
mod numbers;
mod shrink;
mod vectors;
mod verdict;

use cases::{cases, first_failures, options, report};
use engine_side::compare;
use harit_model::generate::case;

#[test]
fn engine_and_model_agree() {
    let failures = first_failures(cases(500), |seed| {
        compare(&case(seed, options()), None, seed).err()
    });
    assert!(
        failures.is_empty(),
        "{}",
        report("engine_and_model_agree", &failures)
    );
}
