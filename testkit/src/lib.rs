//! What the tests of several crates need. A dev-dependency, of no program: scripts/check-features.sh says so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot go on fails"
)]

pub mod certificates;
pub mod leased;
pub mod mosquitto;
pub mod mqtt;
pub mod nats;
mod ports;
pub mod postgres;
mod replay;
mod times;
pub mod web;

use std::time::Duration;

pub use harit_model::generate::Dice;
pub use ports::port;
pub use replay::{Recorded, Replayed};
pub use times::Times;
use tokio::process::{Child, Command};

/// Nothing that a test waits for may take longer.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Whether tests with programs of others are to be left out.
#[must_use]
pub fn skipped() -> bool {
    std::env::var_os("HARIT_SKIP_INTEROP").is_some_and(|value| value == "1")
}

/// Sends a signal to a process that runs.
pub async fn signal(name: &str, child: &Child) {
    let id = child.id().expect("it runs").to_string();
    let sent = Command::new("kill").args([name, &id]).status().await;
    assert!(sent.unwrap().success());
}
