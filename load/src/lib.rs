//! `harit bench`: load on a Harit, or on a broker with a Harit behind it, and what comes back.
//!
//! Controllers connect as real MQTT clients and publish telemetry: each waits for each acknowledgement (`--window 1`), keeps
//! several publishes in flight, or keeps a rate. What is measured is the time from publish to PUBACK and from publish to
//! command, and at the end what the server says it took is compared with what was acknowledged. Further controllers may be
//! held that only keep their connections alive, some of which connect again.

mod args;
mod connection;
mod farm;
mod frame;
mod handshake;
mod idle;
mod probe;
mod progress;
mod report;
mod ring;
mod run;
mod server;
mod stats;
mod tasmota;
mod wander;

pub use args::{AccountsError, LoadArgs};
pub use farm::{Account, BenchFarms, PROBE_HOLD_SEC, Shape};
pub use report::{Outcome, append_csv};
pub use run::{LoadError, Target, run};
pub use wander::Step;
