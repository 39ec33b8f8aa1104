//! The journal on a real server of NATS: what every journal does, and what goes wrong on the way to one.
//!
//! `make test-cluster` installs the server and runs them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and says from which seed"
)]

mod conforms;
mod connection;
mod cost;
mod faults;
mod power;
mod proxy;
mod server;
mod servers;
mod settings;
mod witnesses;
