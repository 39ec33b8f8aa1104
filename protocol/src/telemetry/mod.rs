//! Telemetry: what a payload says that sensors measured, whatever its format.
//!
//! A format reads a payload in one pass into [`Telemetry`], with everything borrowed from it that can be.

mod json;
mod scan;

use std::borrow::Cow;

use harit_engine::{Measured, SensorType};

use crate::Reject;

/// What an entry says of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// The unit, as it stands there.
    pub unit: Option<Cow<'a, str>>,
    /// The value, in canonical form.
    pub value: Measured,
}

/// A message: when, and which of the items are its.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The controller's instant, in milliseconds since 1970.
    pub ts: Option<i64>,
    /// The controller's number of the message.
    pub seq: Option<u64>,
    /// Which of all items.
    pub items: std::ops::Range<usize>,
}

/// Everything in one payload.
#[derive(Debug, Default, PartialEq)]
pub struct Telemetry<'a> {
    /// The messages, in their order.
    pub messages: Vec<Message>,
    /// The entries of all of them.
    pub items: Vec<Item<'a>>,
}

impl Telemetry<'_> {
    /// Reads a payload: a message or an array of them.
    ///
    /// # Errors
    /// When it is not the JSON that the protocol asks for, too deep, or a message has more than [`crate::MAX_SENSORS`] sensors.
    pub fn read(payload: &[u8]) -> Result<Telemetry<'_>, Reject> {
        let text = std::str::from_utf8(payload).map_err(|_| Reject::Malformed)?;
        // Ordinary messages go the short way.
        scan::scan(text).map_or_else(|| json::read(text), Ok)
    }
}
