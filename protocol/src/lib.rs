//! The protocol of controllers, and inputs as text: bytes become values here and nowhere else, and values bytes.
//!
//! Everything is pure and stateless: no I/O, no clock, nothing remembered between two payloads. A number is taken through its
//! own decimal text, so that no float stands between the wire and the engine. What is not understood is refused with a stable
//! word ([`Reject`]); a message with one bad sensor keeps its good ones. docs/protocol.md is the text of it.
//!
//! A further payload format of telemetry is a file in [`telemetry`], a line in [`Format`], and a fuzz target.

pub mod ack;
pub mod command;
pub mod csv;
pub mod jsonl;
mod mac;
mod reject;
mod report;
mod stamp;
pub mod telemetry;
pub mod topic;
mod unit;
mod words;

pub use ack::{Ack, AckStatus, CommandAck};
pub use mac::{BadMac, Mac};
pub use reject::Reject;
pub use report::{DeviceReport, Report, SensorReport, may_go_on};
pub use stamp::{MAX_AGE_MS, MAX_AHEAD_MS, Stamp, canonical, stamp};
pub use telemetry::{Format, Item, Message, MessageNumber, Telemetry, Time, TypeWord};
pub use topic::{Topic, TopicKind};
pub use unit::conversion;
pub use words::{sensor_type, unit_matches, usable_id};

/// The most sensors in one telemetry message.
pub const MAX_SENSORS: usize = 4_096;
/// The deepest nesting of a payload.
pub const MAX_NESTING: usize = 8;
