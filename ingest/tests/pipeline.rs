//! The pipeline from publish to command over real files, without sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod world;

mod pipeline {
    mod announce;
    mod asleep;
    mod broker;
    mod claimed;
    mod commands;
    mod control;
    mod corrections;
    mod derived;
    mod failures;
    mod foreign;
    mod hand_over;
    mod history;
    mod incident;
    mod leased;
    mod locked_machines;
    mod log;
    mod past;
    mod reads;
    mod recovery;
    mod refusals;
    mod releases;
    mod reports;
    mod stops;
    mod verdict;
    mod waiting;
    mod without_history;
}
