//! Telemetry: what a payload says that sensors measured, whatever its format.
//!
//! A format reads a payload in one pass into [`Telemetry`], with everything borrowed from it that can be.

mod json;
mod scan;
mod senml;

use std::borrow::Cow;

use harit_engine::{Measured, SensorType};

use crate::{Reject, unit};

/// What an entry says of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeWord {
    /// Nothing.
    Missing,
    /// One that exists.
    Known(SensorType),
    /// A word that is none.
    Unknown,
}

/// One sensor's entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Item<'a> {
    /// The controller's own id of the sensor.
    pub id: Option<Cow<'a, str>>,
    /// What it measures.
    pub sensor_type: TypeWord,
    /// The unit: that of the type where what stands there is a spelling of it, else as it stands there.
    pub unit: Option<Cow<'a, str>>,
    /// The value, in canonical form.
    pub value: Measured,
}

/// A message: when, and which of the items are its.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// When its values were true; none is the arrival.
    pub time: Option<Time>,
    /// The controller's number of the message.
    pub seq: Option<u64>,
    /// Which of all items.
    pub items: std::ops::Range<usize>,
}

/// Number and checksum of a message. Numbers begin anew with the controller, so they alone tell nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageNumber {
    /// The controller's number of the message.
    pub seq: u64,
    /// CRC-32 of the payload.
    pub crc: u32,
}

/// When values were true, as a controller says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// So many milliseconds since 1970.
    At(i64),
    /// So many milliseconds after the arrival, mostly below zero.
    SinceArrival(i64),
}

impl Time {
    /// In milliseconds since 1970, of what arrived then.
    #[must_use]
    pub const fn millis(self, arrival: i64) -> i64 {
        match self {
            Self::At(at) => at,
            Self::SinceArrival(after) => arrival.saturating_add(after),
        }
    }
}

/// How telemetry is written. Each format has a topic of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Harit's own JSON: a message or an array of them.
    Json,
    /// A SenML pack in JSON (RFC 8428).
    SenMl,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Json, Self::SenMl];

    /// The last level of its topic.
    #[must_use]
    pub const fn topic(self) -> &'static str {
        match self {
            Self::Json => "telemetry",
            Self::SenMl => "senml",
        }
    }

    /// Reads a payload.
    ///
    /// # Errors
    /// When it is not what the format asks for, too deep, or has more than [`crate::MAX_SENSORS`] sensors.
    pub fn read(self, payload: &[u8]) -> Result<Telemetry<'_>, Reject> {
        let text = std::str::from_utf8(payload).map_err(|_| Reject::Malformed)?;
        let mut all = match self {
            // Ordinary messages go the short way.
            Self::Json => scan::scan(text).map_or_else(|| json::read(text), Ok),
            Self::SenMl => senml::read(text),
        }?;
        for item in &mut all.items {
            unit::settle(item);
        }
        Ok(all)
    }
}

/// Everything in one payload.
#[derive(Debug, Default, PartialEq)]
pub struct Telemetry<'a> {
    /// The messages, in their order.
    pub messages: Vec<Message>,
    /// The entries of all of them.
    pub items: Vec<Item<'a>>,
    /// How many of them have something that is no number where a number belongs. Their values are faults.
    pub not_numbers: usize,
}
