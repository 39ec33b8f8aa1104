//! The endpoint and the broker clients over real sockets: clients of others, certificates, sessions, abuse.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod certificates;
mod mosquitto;
mod rig;
mod world;

mod mqtt {
    mod abuse;
    mod broker;
    mod brokers;
    mod certificates;
    mod certificates_openssl;
    mod certificates_renewed;
    mod clients;
    mod endpoint;
    mod exactly_once;
    mod handshake;
    mod readers;
    mod refusals;
    mod rumqttc;
    mod sessions;
    mod throughput;
}
