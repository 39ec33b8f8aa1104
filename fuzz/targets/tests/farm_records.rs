//! The records of a farm, and inputs to programs and limits: the committed corpus, and rows of bytes that a seed gives.

use std::panic::catch_unwind;

use harit_fuzz_targets as targets;

#[test]
fn what_was_found_stays_found() {
    let files = targets::replay("farm_records", targets::farm_records).unwrap();
    assert!(files >= 10, "only {files} files");
    let files = targets::replay("program_inputs", targets::program_inputs).unwrap();
    assert!(files >= 3, "only {files} files");
}

/// The same bytes for a seed each time: a multiplicative generator is enough.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..20 + usize::from(next())).map(|_| next()).collect()
}

fn number_from(variable: &str, default: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.and_then(|t| t.parse().ok()).unwrap_or(default)
}

#[test]
fn what_holds_of_any_records() {
    let first = number_from("HARIT_SEED", 0);
    for seed in first..first + number_from("HARIT_CASES", 2_000) {
        let data = bytes(seed);
        if catch_unwind(|| targets::farm_records(&data)).is_err() {
            panic!(
                "HARIT_SEED={seed} HARIT_CASES=1 cargo test -p harit-fuzz-targets what_holds_of"
            );
        }
    }
}

#[test]
fn what_holds_of_any_inputs_to_programs() {
    let first = number_from("HARIT_SEED", 0);
    for seed in first..first + number_from("HARIT_CASES", 60) {
        let data: Vec<u8> = (0..4).flat_map(|n| bytes(seed * 4 + n)).collect();
        if catch_unwind(|| targets::program_inputs(&data)).is_err() {
            panic!(
                "HARIT_SEED={seed} HARIT_CASES=1 cargo test -p harit-fuzz-targets of_any_inputs_to_programs"
            );
        }
    }
}
