//! How a body is read again: record by record, and as an error where it is cut off or says what cannot be.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::key::Key;
use crate::record::{Record, Telemetry};
use harit_engine::{FarmDocument, Input, InputKind, SensorType, Timestamp};
use harit_protocol::{AckStatus, CommandAck, Mac, MessageNumber, TypeWord, jsonl};

use super::values::{unpack, unzigzag};
use super::{
    ACK, AUTHORED, BACKLOG, BadBody, CONTROLLER, Entry, FAILURE, FARM, FIRST_TYPE, GONE, HAS_ID,
    HAS_UNIT, INPUT, MESSAGE, NO_TYPE, NUMBERED, REPORT, TELEMETRY, TICK, TYPE_SHIFT, UNKNOWN_TYPE,
    UNSENT, VERSION, WAY_OUT,
};

fn bad(what: &str) -> BadBody {
    BadBody(what.to_owned())
}

/// More keys of a controller are forgotten when a batch names it again.
const MAX_KEYS: usize = 8_192;

/// What a batch has named so far.
#[derive(Default)]
struct Names<'a> {
    farms: Vec<&'a str>,
    controllers: Vec<Controller<'a>>,
}

struct Controller<'a> {
    farm: &'a str,
    mac: Mac,
    /// Its place among those that the reader knows.
    known: usize,
    /// The reader's numbers of the keys that the batch has named.
    keys: Vec<u32>,
}

/// A controller of a farm, and the keys that batches have named of it.
struct Known {
    farm: Box<str>,
    keys: Vec<Key<'static>>,
    /// Where the next one is looked for first: messages name their keys in the same order.
    next: usize,
    /// The body that named it last: two connections may name it in one.
    body: u64,
}

impl Known {
    /// The number of a key; one that is new is added.
    fn key(
        &mut self,
        id: Option<&[u8]>,
        sensor_type: TypeWord,
        unit: Option<&[u8]>,
    ) -> Result<usize, BadBody> {
        let is = |key: &Key<'_>| {
            let bytes = |text: &Option<Cow<'_, str>>, other: Option<&[u8]>| {
                text.as_deref().map(str::as_bytes) == other
            };
            bytes(&key.id, id) && key.sensor_type == sensor_type && bytes(&key.unit, unit)
        };
        let next = self.next.min(self.keys.len());
        let (before, after) = self.keys.split_at(next);
        let found = { after.iter().position(is) }.map(|at| next + at);
        let number = match found.or_else(|| before.iter().position(is)) {
            Some(number) => number,
            None => {
                let owned = |bytes| Ok::<_, BadBody>(text(bytes)?.to_owned().into());
                let (id, unit) = (id.map(owned).transpose()?, unit.map(owned).transpose()?);
                self.keys.push(Key::new(id, sensor_type, unit));
                self.keys.len() - 1
            }
        };
        self.next = number + 1;
        Ok(number)
    }
}

/// Reads bodies one after the other. Nearly every batch names keys that others named before: they are kept, with the sensor that
/// was found for each, which is quicker than to make and to find them anew. What a body says does not depend on it.
///
/// A reader belongs to the farms that its records are applied to, as their keys do, from a state of theirs on.
#[derive(Default)]
pub struct BodyReader {
    known: Vec<Known>,
    by_mac: BTreeMap<Mac, Vec<usize>>,
    /// How many bodies were begun.
    bodies: u64,
}

/// Whether a body is of the version that [`read`] takes.
#[must_use]
pub fn is_readable(body: &[u8]) -> bool {
    body.first() == Some(&VERSION)
}

/// Reads a body alone, handing each record to `each`.
///
/// # Errors
/// Those of [`BodyReader::read`].
pub fn read<E: From<BadBody>>(
    body: &[u8],
    at: Timestamp,
    each: impl FnMut(Entry<'_>) -> Result<(), E>,
) -> Result<(), E> {
    BodyReader::default().read(body, at, each)
}

impl BodyReader {
    /// The place of a controller among those that are known; a new one is added.
    fn place(&mut self, farm: &str, mac: Mac) -> usize {
        let of_mac = self.by_mac.entry(mac).or_default();
        let found = of_mac
            .iter()
            .find(|place| *self.known[**place].farm == *farm);
        if let Some(place) = found.copied() {
            let known = &mut self.known[place];
            if known.keys.len() > MAX_KEYS && known.body != self.bodies {
                known.keys.clear();
            }
            known.body = self.bodies;
            return place;
        }
        of_mac.push(self.known.len());
        self.known.push(Known {
            farm: farm.into(),
            keys: Vec::new(),
            next: 0,
            body: self.bodies,
        });
        self.known.len() - 1
    }

    /// Has the keys of a farm, which begins anew, forget their sensors.
    fn forget(&self, farm: &str) {
        let known = self.known.iter().filter(|k| *k.farm == *farm);
        known.flat_map(|k| &k.keys).for_each(Key::forget);
    }

    /// Reads a body, handing each record to `each`.
    ///
    /// # Errors
    /// When the body is damaged or of another version; those of `each`.
    #[allow(clippy::too_many_lines, reason = "a tag after the other")]
    pub fn read<E: From<BadBody>>(
        &mut self,
        body: &[u8],
        at: Timestamp,
        mut each: impl FnMut(Entry<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.bodies += 1;
        let mut r = Reader {
            rest: records(body)?,
        };
        let (mut names, mut items) = (Names::default(), Vec::new());
        while !r.rest.is_empty() {
            let tag = r.byte()?;
            match tag {
                FARM => {
                    let json: serde_json::Value =
                        serde_json::from_slice(r.bytes()?).map_err(BadBody::new)?;
                    let document = FarmDocument::from_json(&json).map_err(BadBody::new)?;
                    self.forget(document.farm.id.as_str());
                    each(Entry::Farm(Box::new(document)))?;
                }
                UNSENT => {
                    let farm = r.name(&mut names.farms)?;
                    let count = r.number()?;
                    // No more than there are bytes.
                    let mut commands = Vec::with_capacity(count.min(r.rest.len()));
                    for _ in 0..count {
                        commands.push(r.u64()?);
                    }
                    let record = Record::Unsent {
                        commands: &commands,
                    };
                    each(Entry::Of { farm, record })?;
                }
                WAY_OUT => {
                    let farm = r.name(&mut names.farms)?;
                    let record = Record::WayOut;
                    each(Entry::Of { farm, record })?;
                }
                TICK | INPUT => {
                    let farm = r.name(&mut names.farms)?;
                    let kind = InputKind::Tick;
                    let input = match tag {
                        TICK => Input { at, kind },
                        _ => jsonl::parse(r.text()?).map_err(BadBody::new)?,
                    };
                    let record = Record::Input(&input);
                    each(Entry::Of { farm, record })?;
                }
                AUTHORED => {
                    let farm = r.name(&mut names.farms)?;
                    let entry = r.text()?;
                    let input = &jsonl::parse(r.text()?).map_err(BadBody::new)?;
                    let record = Record::Authored { input, entry };
                    each(Entry::Of { farm, record })?;
                }
                CONTROLLER | TELEMETRY | REPORT | GONE | ACK => {
                    let place = r.controller(&mut names, self)?;
                    let from = &mut names.controllers[place];
                    let (farm, mac) = (from.farm, from.mac);
                    match tag {
                        CONTROLLER => {
                            let scope =
                                &serde_json::from_slice(r.bytes()?).map_err(BadBody::new)?;
                            let record = Record::Controller { mac, scope };
                            each(Entry::Of { farm, record })?;
                        }
                        TELEMETRY => {
                            let flags = r.byte()?;
                            let delta = r.i64()?;
                            let number = (flags & NUMBERED != 0).then(|| r.message_number());
                            let number = number.transpose()?;
                            let count = r.u64()?;
                            items.clear();
                            for _ in 0..count {
                                let key = r.key(&mut from.keys, &mut self.known[from.known])?;
                                items.push((key, unpack(r.u64()?)));
                            }
                            let record = Record::Telemetry(Telemetry {
                                mac,
                                at: Timestamp::from_millis(at.as_millis().wrapping_add(delta)),
                                backlog: flags & BACKLOG != 0,
                                number,
                                keys: &self.known[from.known].keys,
                                items: &items,
                            });
                            each(Entry::Of { farm, record })?;
                        }
                        REPORT => {
                            let report =
                                &serde_json::from_slice(r.bytes()?).map_err(BadBody::new)?;
                            let record = Record::Report { mac, report };
                            each(Entry::Of { farm, record })?;
                        }
                        GONE => {
                            let record = Record::Gone { mac };
                            each(Entry::Of { farm, record })?;
                        }
                        _ => {
                            let ack = &r.ack()?;
                            let record = Record::Ack { mac, ack };
                            each(Entry::Of { farm, record })?;
                        }
                    }
                }
                tag => return Err(BadBody(format!("unknown record {tag}")).into()),
            }
        }
        Ok(())
    }
}

/// What follows a body's version.
fn records(body: &[u8]) -> Result<&[u8], BadBody> {
    match body.split_first() {
        Some((&VERSION, records)) => Ok(records),
        Some((1, _)) => Err(bad(
            "it was written by an earlier build, before its last snapshot: start and stop that build once more",
        )),
        Some((version, _)) => Err(BadBody(format!("batch version {version} is not {VERSION}"))),
        None => Err(bad("it is empty")),
    }
}

fn text(bytes: &[u8]) -> Result<&str, BadBody> {
    std::str::from_utf8(bytes).map_err(|_| bad("a text is not UTF-8"))
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], BadBody> {
        let (taken, rest) = self
            .rest
            .split_at_checked(n)
            .ok_or_else(|| bad("the batch is cut off"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn message_number(&mut self) -> Result<MessageNumber, BadBody> {
        let seq = self.u64()?;
        let crc = self
            .take(4)?
            .try_into()
            .map_err(|_| bad("a checksum is cut off"))?;
        let crc = u32::from_le_bytes(crc);
        Ok(MessageNumber { seq, crc })
    }

    fn ack(&mut self) -> Result<CommandAck, BadBody> {
        let command = self.u64()?;
        let flags = self.byte()?;
        let message = (flags & MESSAGE != 0).then(|| self.text()).transpose()?;
        Ok(CommandAck {
            command,
            status: if flags & FAILURE == 0 {
                AckStatus::Ack
            } else {
                AckStatus::Failure
            },
            message: message.map(str::to_owned),
        })
    }

    fn mac(&mut self) -> Result<Mac, BadBody> {
        std::str::from_utf8(self.take(12)?)
            .ok()
            .and_then(|m| Mac::parse(m).ok())
            .ok_or_else(|| bad("a MAC cannot be read"))
    }

    fn byte(&mut self) -> Result<u8, BadBody> {
        Ok(self.take(1)?[0])
    }

    fn u64(&mut self) -> Result<u64, BadBody> {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let b = self.byte()?;
            value |= u64::from(b & 0x7f) << shift;
            if b & 0x80 == 0 {
                return Ok(value);
            }
            shift += 7;
            if shift > 63 {
                return Err(bad("a number is too long"));
            }
        }
    }

    fn i64(&mut self) -> Result<i64, BadBody> {
        self.u64().map(unzigzag)
    }

    fn bytes(&mut self) -> Result<&'a [u8], BadBody> {
        let n = self.number()?;
        self.take(n)
    }

    fn text(&mut self) -> Result<&'a str, BadBody> {
        text(self.bytes()?)
    }

    /// The place of a controller among those that the batch has named; a new one is added.
    fn controller(
        &mut self,
        names: &mut Names<'a>,
        reader: &mut BodyReader,
    ) -> Result<usize, BadBody> {
        let number = self.number()?;
        if number == names.controllers.len() {
            let farm = self.name(&mut names.farms)?;
            let mac = self.mac()?;
            names.controllers.push(Controller {
                farm,
                mac,
                known: reader.place(farm, mac),
                keys: Vec::new(),
            });
        }
        if number < names.controllers.len() {
            Ok(number)
        } else {
            Err(bad("a controller is used before it is named"))
        }
    }

    /// The number that the reader has for a key; one that the batch names anew is added.
    fn key(&mut self, keys: &mut Vec<u32>, known: &mut Known) -> Result<u32, BadBody> {
        let number = self.number()?;
        if number == keys.len() {
            let byte = self.byte()?;
            let sensor_type = match byte >> TYPE_SHIFT {
                NO_TYPE => TypeWord::Missing,
                UNKNOWN_TYPE => TypeWord::Unknown,
                n => SensorType::ALL
                    .get(usize::from(n - FIRST_TYPE))
                    .map(|t| TypeWord::Known(*t))
                    .ok_or_else(|| bad("a type that is none"))?,
            };
            let id = (byte & HAS_ID != 0).then(|| self.bytes()).transpose()?;
            let unit = (byte & HAS_UNIT != 0).then(|| self.bytes()).transpose()?;
            let number = known.key(id, sensor_type, unit)?;
            keys.push(u32::try_from(number).map_err(|_| bad("a number is too large"))?);
        }
        let number = keys.get(number).copied();
        number.ok_or_else(|| bad("a key is used before it is named"))
    }

    fn number(&mut self) -> Result<usize, BadBody> {
        usize::try_from(self.u64()?).map_err(|_| bad("a number is too large"))
    }

    fn name(&mut self, names: &mut Vec<&'a str>) -> Result<&'a str, BadBody> {
        let number = self.number()?;
        if number == names.len() {
            names.push(self.text()?);
        }
        names
            .get(number)
            .copied()
            .ok_or_else(|| bad("a name is used before it is told"))
    }
}
