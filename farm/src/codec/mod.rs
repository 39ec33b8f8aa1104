//! How a batch of records is written: compact where there is much (telemetry), plain JSON for the rest.
//!
//! A body is a version byte and a row of records. A record begins with its tag. Farms, controllers and the keys of a
//! controller's entries are named by number, in the order in which the batch names them first; where a number is used for the
//! first time, the name follows it: of a controller its farm and MAC, of a key what an entry says of which sensor it means.
//!
//! | tag | record | content |
//! |---|---|---|
//! | 1 | a farm is added | its document, JSON |
//! | 2 | where a controller stands | controller, scope as JSON |
//! | 3 | values of a controller's sensors | controller, flags, instant, number and checksum of the message, count, then key and value of each |
//! | 4 | what a controller said of itself | controller, JSON |
//! | 5 | a controller's last connection is lost | controller |
//! | 6 | an answer to a command | controller, number of the command, flags, message |
//! | 7 | commands that could not be published | farm, count, numbers |
//! | 8 | messages can be published again | farm |
//! | 9 | time passes | farm |
//! | 10 | any other input | farm, the input as a line of `inputs.jsonl` |
//! | 11 | an input with its author | farm, the entry for the audit log, the input as a line of `inputs.jsonl` |
//!
//! Numbers are LEB128, signed ones in zigzag form; instants are differences from the batch's own. Bodies of version 1, of
//! builds before the controllers were part of the log, are not read.

mod read;
#[cfg(test)]
mod tests;
mod values;

use std::fmt;

use crate::key::Key;
use harit_engine::{FarmDocument, Input, InputKind, Measured, ScopeSpec, SensorType, Timestamp};
use harit_protocol::{AckStatus, CommandAck, Mac, MessageNumber, Report, TypeWord, jsonl};

pub use read::{BodyReader, is_readable, read};
use values::{pack, put_bytes, put_i64, put_u64};

const VERSION: u8 = 2;
const FARM: u8 = 1;
const CONTROLLER: u8 = 2;
const TELEMETRY: u8 = 3;
const REPORT: u8 = 4;
const GONE: u8 = 5;
const ACK: u8 = 6;
const UNSENT: u8 = 7;
const WAY_OUT: u8 = 8;
const TICK: u8 = 9;
const INPUT: u8 = 10;
const AUTHORED: u8 = 11;

/// Flags of telemetry.
const BACKLOG: u8 = 1;
const NUMBERED: u8 = 2;
/// Flags of an ack.
const FAILURE: u8 = 1;
const MESSAGE: u8 = 2;
/// Flags of a key; the rest of its byte is the type.
const HAS_ID: u8 = 1;
const HAS_UNIT: u8 = 2;
const TYPE_SHIFT: u32 = 2;
const NO_TYPE: u8 = 0;
const UNKNOWN_TYPE: u8 = 1;
const FIRST_TYPE: u8 = 2;
/// What is left of a key's byte beside [`TYPE_SHIFT`]; and the types of a message are gathered as bits of 64.
const _: () =
    assert!(SensorType::ALL.len() <= (u8::MAX >> TYPE_SHIFT) as usize - FIRST_TYPE as usize);

/// A body cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadBody(String);

impl BadBody {
    /// An error that says what is wrong.
    pub fn new(what: impl fmt::Display) -> Self {
        Self(what.to_string())
    }
}

/// The number that a batch has for a name; kept beside what is named, so that nothing is looked up.
#[derive(Debug, Clone, Copy, Default)]
pub struct Interned {
    batch: u64,
    number: u32,
}

/// The numbers that a batch has for a controller and for its keys.
#[derive(Debug, Default)]
pub struct InternedController {
    own: Interned,
    keys: Vec<Interned>,
    /// How many keys the batch has.
    named: u32,
}

/// A controller and its farm, as the encoder names them.
pub struct Origin<'a> {
    /// The batch's number of the farm.
    pub farm: &'a mut Interned,
    /// The farm.
    pub farm_id: &'a str,
    /// The controller.
    pub mac: Mac,
    /// The batch's numbers of the controller and its keys.
    pub interned: &'a mut InternedController,
}

/// Writes one batch after the other.
#[derive(Debug, Default)]
pub struct Encoder {
    body: Vec<u8>,
    batch: u64,
    at: i64,
    farms: u32,
    controllers: u32,
    entries: u64,
}

impl Encoder {
    /// A second one beside another, whose batches have other numbers.
    #[must_use]
    pub fn aside() -> Self {
        Self {
            batch: 1 << 63,
            ..Self::default()
        }
    }

    /// The present batch's instant, which the others in it are told from.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        Timestamp::from_millis(self.at)
    }

    /// Begins a batch.
    pub fn begin(&mut self, at: Timestamp) {
        self.body.clear();
        self.body.push(VERSION);
        self.batch += 1;
        self.at = at.as_millis();
        (self.farms, self.controllers, self.entries) = (0, 0, 0);
    }

    /// How many inputs the batch has; each value is one.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.entries
    }

    /// The number of the present batch, from 1.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.batch
    }

    /// The present batch.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    fn of_farm(&mut self, tag: u8, farm: &mut Interned, farm_id: &str) {
        self.body.push(tag);
        self.farm_name(farm, farm_id);
        self.entries += 1;
    }

    fn farm_name(&mut self, farm: &mut Interned, farm_id: &str) {
        if farm.batch == self.batch {
            return put_u64(&mut self.body, farm.number.into());
        }
        *farm = Interned {
            batch: self.batch,
            number: self.farms,
        };
        put_u64(&mut self.body, self.farms.into());
        put_bytes(&mut self.body, farm_id.as_bytes());
        self.farms += 1;
    }

    fn of_controller(&mut self, tag: u8, from: Origin<'_>) {
        self.body.push(tag);
        self.entries += 1;
        let InternedController { own, named, .. } = from.interned;
        if own.batch == self.batch {
            return put_u64(&mut self.body, own.number.into());
        }
        *own = Interned {
            batch: self.batch,
            number: self.controllers,
        };
        *named = 0;
        put_u64(&mut self.body, self.controllers.into());
        self.farm_name(from.farm, from.farm_id);
        self.body.extend_from_slice(from.mac.as_str().as_bytes());
        self.controllers += 1;
    }

    /// A farm is added.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn farm(&mut self, document: &FarmDocument) -> serde_json::Result<()> {
        let json = serde_json::to_vec(document)?;
        self.body.push(FARM);
        put_bytes(&mut self.body, &json);
        self.entries += 1;
        Ok(())
    }

    /// Where a controller stands.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn controller(&mut self, from: Origin<'_>, scope: &ScopeSpec) -> serde_json::Result<()> {
        let json = serde_json::to_vec(scope)?;
        self.of_controller(CONTROLLER, from);
        put_bytes(&mut self.body, &json);
        Ok(())
    }

    /// Begins a message with values; exactly `count` [`Self::value`]s of its controller must follow.
    pub fn telemetry(
        &mut self,
        from: Origin<'_>,
        at: Timestamp,
        backlog: bool,
        number: Option<MessageNumber>,
        count: usize,
    ) {
        self.of_controller(TELEMETRY, from);
        let flags = u8::from(backlog) * BACKLOG + u8::from(number.is_some()) * NUMBERED;
        self.body.push(flags);
        put_i64(&mut self.body, at.as_millis().wrapping_sub(self.at));
        if let Some(MessageNumber { seq, crc }) = number {
            put_u64(&mut self.body, seq);
            self.body.extend_from_slice(&crc.to_le_bytes());
        }
        put_u64(&mut self.body, count as u64);
        self.entries += (count as u64).saturating_sub(1);
    }

    /// A value of the message that was begun last. `number` is the key's among those of its controller.
    pub fn value(
        &mut self,
        interned: &mut InternedController,
        number: u32,
        key: &Key<'_>,
        value: Measured,
    ) {
        let place = number as usize;
        if interned.keys.len() <= place {
            interned.keys.resize(place + 1, Interned::default());
        }
        let slot = &mut interned.keys[place];
        if slot.batch == self.batch {
            put_u64(&mut self.body, slot.number.into());
        } else {
            *slot = Interned {
                batch: self.batch,
                number: interned.named,
            };
            put_u64(&mut self.body, interned.named.into());
            interned.named += 1;
            self.key(key);
        }
        put_u64(&mut self.body, pack(value));
    }

    fn key(&mut self, key: &Key<'_>) {
        let (word, unit) = match key.sensor_type {
            TypeWord::Missing => (NO_TYPE, key.unit.as_deref()),
            TypeWord::Unknown => (UNKNOWN_TYPE, None),
            TypeWord::Known(t) => {
                // A unit that is right says nothing more than the type.
                let wrong = |u: &&str| !harit_protocol::unit_matches(t, u);
                let place = SensorType::ALL.iter().position(|other| *other == t);
                let place = u8::try_from(place.unwrap_or(0)).unwrap_or(0);
                (FIRST_TYPE + place, key.unit.as_deref().filter(wrong))
            }
        };
        let has = u8::from(key.id.is_some()) * HAS_ID + u8::from(unit.is_some()) * HAS_UNIT;
        self.body.push(has | word << TYPE_SHIFT);
        for text in [key.id.as_deref(), unit].into_iter().flatten() {
            put_bytes(&mut self.body, text.as_bytes());
        }
    }

    /// What a controller said of itself.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn report(&mut self, from: Origin<'_>, report: &Report) -> serde_json::Result<()> {
        let json = serde_json::to_vec(report)?;
        self.of_controller(REPORT, from);
        put_bytes(&mut self.body, &json);
        Ok(())
    }

    /// A controller's last connection is lost.
    pub fn gone(&mut self, from: Origin<'_>) {
        self.of_controller(GONE, from);
    }

    /// An answer to a command.
    pub fn ack(&mut self, from: Origin<'_>, ack: &CommandAck) {
        self.of_controller(ACK, from);
        put_u64(&mut self.body, ack.command);
        let failure = u8::from(ack.status == AckStatus::Failure) * FAILURE;
        let message = u8::from(ack.message.is_some()) * MESSAGE;
        self.body.push(failure + message);
        if let Some(text) = &ack.message {
            put_bytes(&mut self.body, text.as_bytes());
        }
    }

    /// Commands that could not be published.
    pub fn unsent(&mut self, farm: &mut Interned, farm_id: &str, commands: &[u64]) {
        self.of_farm(UNSENT, farm, farm_id);
        put_u64(&mut self.body, commands.len() as u64);
        for command in commands {
            put_u64(&mut self.body, *command);
        }
    }

    /// Messages can be published again.
    pub fn way_out(&mut self, farm: &mut Interned, farm_id: &str) {
        self.of_farm(WAY_OUT, farm, farm_id);
    }

    /// An input of the engine at the batch's instant.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn input(
        &mut self,
        farm: &mut Interned,
        farm_id: &str,
        input: &Input,
    ) -> serde_json::Result<()> {
        if input.kind == InputKind::Tick {
            self.of_farm(TICK, farm, farm_id);
            return Ok(());
        }
        let mut line = Vec::new();
        jsonl::write(input, &mut line)?;
        self.of_farm(INPUT, farm, farm_id);
        put_bytes(&mut self.body, line.trim_ascii_end());
        Ok(())
    }

    /// An input of the engine at the batch's instant, with the entry that says whose it is.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn authored(
        &mut self,
        farm: &mut Interned,
        farm_id: &str,
        input: &Input,
        entry: &str,
    ) -> serde_json::Result<()> {
        let mut line = Vec::new();
        jsonl::write(input, &mut line)?;
        self.of_farm(AUTHORED, farm, farm_id);
        put_bytes(&mut self.body, entry.as_bytes());
        put_bytes(&mut self.body, line.trim_ascii_end());
        Ok(())
    }
}

/// A record of a batch.
#[derive(Debug)]
pub enum Entry<'a> {
    /// A farm is added.
    Farm(Box<FarmDocument>),
    /// Something happened in a farm.
    Of {
        /// The farm.
        farm: &'a str,
        /// What.
        record: crate::record::Record<'a>,
    },
}
