//! The pipeline from publish to command over real files, without sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod announce;
mod broker;
mod commands;
mod failures;
mod history;
mod log;
mod recovery;
mod stops;
mod verdict;
mod world;
