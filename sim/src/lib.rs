//! Server, network, controllers and field on virtual time, from one seed.
//!
//! The server is the real one (`harit_ingest::simulation` is its shard without threads), the controllers are those of
//! `harit-simulate`; the network between them and the field about them are this crate's. Everything that can go wrong is
//! drawn from the seed, everything that must not go wrong is a checker with a name ([`check`]). A seed gives the same run,
//! byte for byte, so that a failure is one line that repeats it.
//!
//! [`day::run`] plays a day, [`crash::explore`] a short log with a crash at each of its points,
//! [`takeover::explore`] one with another server at each of them,
//! [`neighbours::alike`] one of two farms on one shard with its neighbour and without.

pub mod check;
pub mod crash;
pub mod day;
pub mod field;
pub mod log;
pub mod neighbours;
pub mod oracle;
pub mod plan;
mod player;
pub mod rates;
mod recording;
pub mod seeds;
pub mod takeover;
pub mod time;
pub mod unit;
pub mod wire;
pub mod world;

pub use check::Violation;
