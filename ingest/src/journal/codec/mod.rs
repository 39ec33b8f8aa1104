//! How a batch of inputs is written: compact where there is much (readings), plain JSON for the rest.
//!
//! A body is a version byte and a row of records. A record begins with its tag. Farms and sensors are named by number, in
//! the order in which the batch names them first; where a number is used for the first time, the name follows it.
//!
//! | tag | record | content |
//! |---|---|---|
//! | 1 | a farm is added | its document, JSON |
//! | 2 | readings of one instant | farm, instant, flags, count, then sensor and value of each |
//! | 3 | any other input | farm, the input as a line of `inputs.jsonl` |
//! | 4 | what a controller said of itself | farm, instant, MAC, JSON |
//! | 5 | which message the next readings came in | farm, MAC, number, checksum |
//! | 6 | what was decided about a device that does not do what it should | farm, instant, device, decision |
//!
//! Numbers are LEB128, signed ones in zigzag form; instants are differences from the batch's own.

mod read;
mod values;

use harit_engine::{FarmDocument, Input, Measured, Timestamp};
use harit_protocol::Mac;
use harit_protocol::Report;
use harit_protocol::jsonl;

pub(crate) use read::read;
use values::{pack, put_bytes, put_i64, put_u64};

const VERSION: u8 = 1;
const FARM: u8 = 1;
const READINGS: u8 = 2;
const INPUT: u8 = 3;
const REPORT: u8 = 4;
const MESSAGE: u8 = 5;
const DESERTION: u8 = 6;
const BACKLOG: u8 = 1;

/// A body cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadBody(String);

impl BadBody {
    pub(crate) fn new(what: String) -> Self {
        Self(what)
    }
}

/// The number that a batch has for a name; kept beside what is named, so that nothing is looked up.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Interned {
    batch: u64,
    number: u32,
}

/// What was decided about a device that does not do what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Desertion {
    /// It did, and does not any more: it is seen later whether it is told again.
    Begun,
    /// It never did: likewise.
    Unheeded,
    /// It was told again, which counts.
    ToldAgain,
    /// It was told again, and is not to blame.
    ToldFreely,
    /// It was locked.
    GivenUp,
    /// It does what it should, or nothing else is meant of it any more.
    Over,
}

impl Desertion {
    const ALL: [Self; 6] = [
        Self::Begun,
        Self::Unheeded,
        Self::ToldAgain,
        Self::ToldFreely,
        Self::GivenUp,
        Self::Over,
    ];
}

/// Writes one batch after the other.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    body: Vec<u8>,
    batch: u64,
    at: i64,
    farms: u32,
    sensors: u32,
    entries: u64,
}

impl Encoder {
    /// A second one beside another, whose batches have other numbers.
    pub(crate) fn aside() -> Self {
        Self {
            batch: 1 << 63,
            ..Self::default()
        }
    }

    /// The present batch's instant, which the others in it are told from.
    pub(crate) const fn at(&self) -> Timestamp {
        Timestamp::from_millis(self.at)
    }

    /// Begins a batch.
    pub(crate) fn begin(&mut self, at: Timestamp) {
        self.body.clear();
        self.body.push(VERSION);
        self.batch += 1;
        self.at = at.as_millis();
        (self.farms, self.sensors, self.entries) = (0, 0, 0);
    }

    /// How many inputs the batch has.
    pub(crate) const fn entries(&self) -> u64 {
        self.entries
    }

    /// The number of the present batch, from 1.
    pub(crate) const fn number(&self) -> u64 {
        self.batch
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    fn name(&mut self, slot: &mut Interned, name: &str, sensor: bool) {
        if slot.batch == self.batch {
            put_u64(&mut self.body, slot.number.into());
            return;
        }
        let next = if sensor {
            &mut self.sensors
        } else {
            &mut self.farms
        };
        *slot = Interned {
            batch: self.batch,
            number: *next,
        };
        *next += 1;
        put_u64(&mut self.body, slot.number.into());
        put_bytes(&mut self.body, name.as_bytes());
    }

    pub(crate) fn farm(&mut self, document: &FarmDocument) -> serde_json::Result<()> {
        self.body.push(FARM);
        put_bytes(&mut self.body, &serde_json::to_vec(document)?);
        self.entries += 1;
        Ok(())
    }

    /// Begins the readings of one instant; exactly `count` [`Self::reading`]s must follow.
    pub(crate) fn readings(
        &mut self,
        farm: &mut Interned,
        farm_id: &str,
        at: Timestamp,
        backlog: bool,
        count: usize,
    ) {
        self.body.push(READINGS);
        self.name(farm, farm_id, false);
        put_i64(&mut self.body, at.as_millis().wrapping_sub(self.at));
        self.body.push(if backlog { BACKLOG } else { 0 });
        put_u64(&mut self.body, count as u64);
        self.entries += count as u64;
    }

    pub(crate) fn reading(&mut self, sensor: &mut Interned, sensor_id: &str, value: Measured) {
        self.name(sensor, sensor_id, true);
        put_u64(&mut self.body, pack(value));
    }

    pub(crate) fn input(
        &mut self,
        farm: &mut Interned,
        farm_id: &str,
        input: &Input,
    ) -> serde_json::Result<()> {
        let mut line = Vec::new();
        jsonl::write(input, &mut line)?;
        self.body.push(INPUT);
        self.name(farm, farm_id, false);
        put_bytes(&mut self.body, line.trim_ascii_end());
        self.entries += 1;
        Ok(())
    }

    /// Which message the readings that follow came in, so that its repetition is known also after a restart.
    pub(crate) fn message(
        &mut self,
        farm: &mut Interned,
        farm_id: &str,
        mac: Mac,
        (seq, crc): (u64, u32),
    ) {
        self.body.push(MESSAGE);
        self.name(farm, farm_id, false);
        self.body.extend_from_slice(mac.as_str().as_bytes());
        put_u64(&mut self.body, seq);
        put_u64(&mut self.body, crc.into());
    }

    pub(crate) fn report(
        &mut self,
        farm: &mut Interned,
        farm_id: &str,
        at: Timestamp,
        mac: Mac,
        report: &Report,
    ) -> serde_json::Result<()> {
        let json = serde_json::to_vec(report)?;
        self.body.push(REPORT);
        self.name(farm, farm_id, false);
        put_i64(&mut self.body, at.as_millis().wrapping_sub(self.at));
        self.body.extend_from_slice(mac.as_str().as_bytes());
        put_bytes(&mut self.body, &json);
        self.entries += 1;
        Ok(())
    }

    pub(crate) fn desertion(
        &mut self,
        farm: &mut Interned,
        farm_id: &str,
        at: Timestamp,
        device: &str,
        what: Desertion,
    ) {
        self.body.push(DESERTION);
        self.name(farm, farm_id, false);
        put_i64(&mut self.body, at.as_millis().wrapping_sub(self.at));
        put_bytes(&mut self.body, device.as_bytes());
        self.body.push(what as u8);
        self.entries += 1;
    }
}

/// One record of a batch.
#[derive(Debug, PartialEq)]
pub(crate) enum Record<'a> {
    Farm(Box<FarmDocument>),
    Readings {
        farm: &'a str,
        at: Timestamp,
        backlog: bool,
        values: &'a [(&'a str, Measured)],
    },
    Input {
        farm: &'a str,
        input: Input,
    },
    Report {
        farm: &'a str,
        at: Timestamp,
        mac: Mac,
        report: Report,
    },
    Message {
        farm: &'a str,
        mac: Mac,
        seq: u64,
        crc: u32,
    },
    Desertion {
        farm: &'a str,
        at: Timestamp,
        device: &'a str,
        what: Desertion,
    },
}
