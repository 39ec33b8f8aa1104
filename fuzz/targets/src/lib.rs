//! What must hold of arbitrary bytes at every boundary.
//!
//! Each function takes bytes and panics if a promise is broken. The fuzzer calls them with bytes that it makes up
//! (`fuzz/fuzz_targets`), ordinary tests with those that are committed under `fuzz/corpus` ([`replay`]).

#![allow(
    clippy::expect_used,
    reason = "a promise that is broken is to panic: that is what the fuzzer sees"
)]

mod documents;
mod engine_inputs;
mod farm_records;
mod journal_batch;
mod payloads;
mod profiles;
mod replay_csv;

pub use documents::{alert_document, farm_document, number, rule_document};
pub use engine_inputs::{engine_inputs, program_inputs, snapshot};
pub use farm_records::farm_records;
pub use journal_batch::{journal_batch, jsonl};
pub use payloads::{ack, senml, state, telemetry, topic};
pub use profiles::{command_template, foreign_payload, profile_document};
pub use replay_csv::replay_csv;

use std::path::Path;

/// Runs a target on every file of its corpus; how many there were.
///
/// # Errors
/// When the corpus cannot be read.
pub fn replay(name: &str, target: fn(&[u8])) -> std::io::Result<usize> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../corpus")
        .join(name);
    let mut files: Vec<_> = std::fs::read_dir(corpus)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    for file in &files {
        target(&std::fs::read(file)?);
    }
    Ok(files.len())
}
