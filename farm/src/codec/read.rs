//! How a body is read again: record by record, and as an error where it is cut off or says what cannot be.

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

/// What a batch has named so far.
#[derive(Default)]
struct Names<'a> {
    farms: Vec<&'a str>,
    controllers: Vec<Controller<'a>>,
}

struct Controller<'a> {
    farm: &'a str,
    mac: Mac,
    keys: Vec<Key<'a>>,
}

/// Whether a body is of the version that [`read`] takes.
#[must_use]
pub fn is_readable(body: &[u8]) -> bool {
    body.first() == Some(&VERSION)
}

/// Reads a body, handing each record to `each`.
///
/// # Errors
/// When the body is damaged or of another version; those of `each`.
pub fn read<E: From<BadBody>>(
    body: &[u8],
    at: Timestamp,
    mut each: impl FnMut(Entry<'_>) -> Result<(), E>,
) -> Result<(), E> {
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
                let place = r.controller(&mut names)?;
                let from = &mut names.controllers[place];
                let (farm, mac) = (from.farm, from.mac);
                match tag {
                    CONTROLLER => {
                        let scope = &serde_json::from_slice(r.bytes()?).map_err(BadBody::new)?;
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
                            items.push((r.key(&mut from.keys)?, unpack(r.u64()?)));
                        }
                        let record = Record::Telemetry(Telemetry {
                            mac,
                            at: Timestamp::from_millis(at.as_millis().wrapping_add(delta)),
                            backlog: flags & BACKLOG != 0,
                            number,
                            keys: &from.keys,
                            items: &items,
                        });
                        each(Entry::Of { farm, record })?;
                    }
                    REPORT => {
                        let report = &serde_json::from_slice(r.bytes()?).map_err(BadBody::new)?;
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
        std::str::from_utf8(self.bytes()?).map_err(|_| bad("a text is not UTF-8"))
    }

    /// The place of a controller among those that the batch has named; a new one is added.
    fn controller(&mut self, names: &mut Names<'a>) -> Result<usize, BadBody> {
        let number = self.number()?;
        if number == names.controllers.len() {
            let farm = self.name(&mut names.farms)?;
            let mac = self.mac()?;
            names.controllers.push(Controller {
                farm,
                mac,
                keys: Vec::new(),
            });
        }
        if number < names.controllers.len() {
            Ok(number)
        } else {
            Err(bad("a controller is used before it is named"))
        }
    }

    fn key(&mut self, keys: &mut Vec<Key<'a>>) -> Result<u32, BadBody> {
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
            let id = (byte & HAS_ID != 0).then(|| self.text()).transpose()?;
            let unit = (byte & HAS_UNIT != 0).then(|| self.text()).transpose()?;
            keys.push(Key::new(
                id.map(Into::into),
                sensor_type,
                unit.map(Into::into),
            ));
        }
        if number < keys.len() {
            u32::try_from(number).map_err(|_| bad("a number is too large"))
        } else {
            Err(bad("a key is used before it is named"))
        }
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

#[cfg(test)]
mod tests {
    use super::super::{Encoder, Interned, InternedController, Origin};
    use super::*;
    use harit_engine::{Measured, ScopeSpec};
    use harit_protocol::Report;

    fn sample() -> (Encoder, Timestamp) {
        let at = Timestamp::from_millis(1_000);
        let mut e = Encoder::default();
        let (mut farm, mut interned) = (Interned::default(), InternedController::default());
        let known = TypeWord::Known(SensorType::ALL[1]);
        let keys = [
            Key::new(Some("t1".into()), known, Some("furlongs".into())),
            Key::new(None, TypeWord::Missing, Some("%".into())),
            Key::new(Some("x".into()), TypeWord::Unknown, None),
        ];
        for _ in 0..2 {
            e.begin(at);
            e.farm(&FarmDocument::empty("f1", "F")).unwrap();
            macro_rules! from {
                () => {
                    Origin {
                        farm: &mut farm,
                        farm_id: "f1",
                        mac: Mac::parse("A4CF120B9E01").unwrap(),
                        interned: &mut interned,
                    }
                };
            }
            e.controller(from!(), &ScopeSpec::farm()).unwrap();
            e.telemetry(from!(), Timestamp::from_millis(900), false, None, 2);
            e.value(&mut interned, 0, &keys[0], Measured::parse("1.5"));
            e.value(&mut interned, 2, &keys[2], Measured::Null);
            let number = MessageNumber {
                seq: u64::MAX,
                crc: 7,
            };
            e.telemetry(from!(), Timestamp::from_millis(-5), true, Some(number), 2);
            e.value(&mut interned, 2, &keys[2], Measured::parse("2"));
            e.value(&mut interned, 1, &keys[1], Measured::parse("3"));
            let tick = Input {
                at,
                kind: InputKind::Tick,
            };
            e.input(&mut farm, "f1", &tick).unwrap();
            e.report(from!(), &Report::OFFLINE).unwrap();
            e.gone(from!());
            let mut ack = CommandAck {
                command: 300,
                status: AckStatus::Ack,
                message: None,
            };
            e.ack(from!(), &ack);
            (ack.status, ack.message) = (AckStatus::Failure, Some("dry".into()));
            e.ack(from!(), &ack);
            e.unsent(&mut farm, "f1", &[7, 300]);
            e.way_out(&mut farm, "f1");
            let resumed = Input {
                at,
                kind: InputKind::Resumed,
            };
            e.input(&mut farm, "f1", &resumed).unwrap();
            e.authored(&mut farm, "f1", &resumed, "by whom").unwrap();
        }
        (e, at)
    }

    #[test]
    fn a_batch_reads_back() {
        let (e, at) = sample();
        assert_eq!(e.entries(), 15);
        let mut told = vec![];
        read::<BadBody>(e.body(), at, |entry| {
            told.push(match entry {
                Entry::Of {
                    farm,
                    record: Record::Telemetry(t),
                } => {
                    let said = t.items.iter().map(|(k, v)| {
                        let key = &t.keys[*k as usize];
                        (key.id.clone(), key.sensor_type, key.unit.clone(), *v)
                    });
                    let said: Vec<_> = said.collect();
                    format!(
                        "{farm} {} {} {:?} {said:?}",
                        t.at.as_millis(),
                        t.backlog,
                        t.number
                    )
                }
                other => format!("{other:?}"),
            });
            Ok(())
        })
        .unwrap();
        let expected = [
            "Farm(",
            "scope: ScopeSpec",
            "f1 900 false None [(Some(\"t1\"), Known(Humidity), Some(\"furlongs\"), Value",
            "f1 -5 true Some(MessageNumber { seq: 18446744073709551615, crc: 7 }) [(Some(\"x\"), Unknown, None, Value",
            "kind: Tick",
            "Report { mac: Mac(A4CF120B9E01), report: Report { online: false",
            "Gone {",
            "CommandAck { command: 300, status: Ack, message: None }",
            "CommandAck { command: 300, status: Failure, message: Some(\"dry\") }",
            "Unsent { commands: [7, 300] }",
            "WayOut",
            "kind: Resumed",
            "kind: Resumed }, entry: \"by whom\" }",
        ];
        assert_eq!(told.len(), expected.len(), "{told:#?}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.contains(expected), "{told} has no {expected}");
        }
        assert!(
            told[3].contains("(None, Missing, Some(\"%\"), Value"),
            "{}",
            told[3]
        );
    }

    #[test]
    fn no_prefix_panics_and_none_passes_for_more() {
        let (e, at) = sample();
        let mut whole = 0;
        read::<BadBody>(e.body(), at, |_| {
            whole += 1;
            Ok(())
        })
        .unwrap();
        for n in 0..e.body().len() {
            let mut seen = 0;
            let end = read::<BadBody>(&e.body()[..n], at, |_| {
                seen += 1;
                Ok(())
            });
            assert!(seen < whole, "{n}: {end:?}");
        }
    }

    #[test]
    fn a_right_unit_is_not_written_and_types_keep_their_numbers() {
        let t = SensorType::ALL[0];
        assert_eq!(t.as_str(), "temperature");
        let mut bodies = ["°C", "furlongs"].map(|unit| {
            let (mut e, mut interned) = (Encoder::default(), InternedController::default());
            e.begin(Timestamp::from_millis(0));
            let key = Key::new(None, TypeWord::Known(t), Some(unit.into()));
            e.value(&mut interned, 0, &key, Measured::Null);
            e.body().len()
        });
        bodies.sort_unstable();
        assert_eq!(bodies[1] - bodies[0], "furlongs".len() + 1);
    }

    #[test]
    fn a_batch_of_the_first_version_is_refused_with_what_to_do() {
        let at = Timestamp::from_millis(0);
        let end = read::<BadBody>(&[1], at, |_| Ok(()));
        assert!(end.unwrap_err().to_string().contains("earlier build"));
    }
}
