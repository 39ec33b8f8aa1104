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

use harit_engine::{Decimal, FarmDocument, Input, Measured, Quantity, Timestamp};

use crate::jsonl;
use crate::mac::Mac;
use crate::wire::Report;

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

fn bad(what: &str) -> BadBody {
    BadBody(what.to_owned())
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

/// Reads a body, handing each record to `each`.
pub(crate) fn read<E: From<BadBody>>(
    body: &[u8],
    at: Timestamp,
    mut each: impl FnMut(Record<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut r = Reader { rest: body };
    let version = r.byte()?;
    if version != VERSION {
        return Err(BadBody(format!("batch version {version} is not {VERSION}")).into());
    }
    let (mut farms, mut sensors, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let instant = |delta: i64| Timestamp::from_millis(at.as_millis().wrapping_add(delta));
    while !r.rest.is_empty() {
        match r.byte()? {
            FARM => {
                let json: serde_json::Value =
                    serde_json::from_slice(r.bytes()?).map_err(|e| BadBody(e.to_string()))?;
                let document =
                    FarmDocument::from_json(&json).map_err(|e| BadBody(e.to_string()))?;
                each(Record::Farm(Box::new(document)))?;
            }
            READINGS => {
                let farm = r.name(&mut farms)?;
                let at = instant(r.i64()?);
                let backlog = r.byte()? & BACKLOG != 0;
                let count = r.u64()?;
                values.clear();
                for _ in 0..count {
                    let sensor = r.name(&mut sensors)?;
                    values.push((sensor, unpack(r.u64()?)));
                }
                each(Record::Readings {
                    farm,
                    at,
                    backlog,
                    values: &values,
                })?;
            }
            INPUT => {
                let farm = r.name(&mut farms)?;
                let line =
                    std::str::from_utf8(r.bytes()?).map_err(|_| bad("an input is not UTF-8"))?;
                let input = jsonl::parse(line).map_err(|e| BadBody(e.to_string()))?;
                each(Record::Input { farm, input })?;
            }
            REPORT => {
                let farm = r.name(&mut farms)?;
                let at = instant(r.i64()?);
                let mac = r.mac()?;
                let report =
                    serde_json::from_slice(r.bytes()?).map_err(|e| BadBody(e.to_string()))?;
                each(Record::Report {
                    farm,
                    at,
                    mac,
                    report,
                })?;
            }
            MESSAGE => {
                let farm = r.name(&mut farms)?;
                let mac = r.mac()?;
                let seq = r.u64()?;
                let crc = u32::try_from(r.u64()?).map_err(|_| bad("a checksum is too large"))?;
                each(Record::Message {
                    farm,
                    mac,
                    seq,
                    crc,
                })?;
            }
            DESERTION => {
                let farm = r.name(&mut farms)?;
                let at = instant(r.i64()?);
                let device =
                    std::str::from_utf8(r.bytes()?).map_err(|_| bad("an id is not UTF-8"))?;
                let what = Desertion::ALL
                    .get(usize::from(r.byte()?))
                    .copied()
                    .ok_or_else(|| bad("an unknown decision"))?;
                each(Record::Desertion {
                    farm,
                    at,
                    device,
                    what,
                })?;
            }
            tag => return Err(BadBody(format!("unknown record {tag}")).into()),
        }
    }
    Ok(())
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
        let n = usize::try_from(self.u64()?).map_err(|_| bad("a length is too large"))?;
        self.take(n)
    }

    fn name(&mut self, names: &mut Vec<&'a str>) -> Result<&'a str, BadBody> {
        let number = usize::try_from(self.u64()?).map_err(|_| bad("a number is too large"))?;
        if number == names.len() {
            names.push(std::str::from_utf8(self.bytes()?).map_err(|_| bad("a name is not UTF-8"))?);
        }
        names
            .get(number)
            .copied()
            .ok_or_else(|| bad("a name is used before it is told"))
    }
}

fn put_u64(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push((value & 0x7f) as u8);
}

fn put_i64(out: &mut Vec<u8>, value: i64) {
    put_u64(out, zigzag(value));
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u64(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

const fn zigzag(value: i64) -> u64 {
    (value.unsigned_abs() << 1).wrapping_sub((value < 0) as u64)
}

const fn unzigzag(value: u64) -> i64 {
    let half = (value >> 1).cast_signed();
    if value & 1 == 1 { !half } else { half }
}

/// The lowest two bits say what it is; see [`crate::wire::canonical`] for why three kinds of number are enough.
fn pack(value: Measured) -> u64 {
    const EXACT: u64 = 0;
    const ABOVE: u64 = 1;
    const BELOW: u64 = 2;
    const NONE: u64 = 3;
    match value {
        Measured::Null => NONE,
        Measured::NotFinite => NONE | 1 << 2,
        Measured::Value(d) => {
            let q = d.rounded();
            let kind = match q.as_units() {
                Some(units) if d != Decimal::exact(q) => {
                    if d.within(units, units.saturating_add(1)) {
                        ABOVE
                    } else {
                        BELOW
                    }
                }
                _ => EXACT,
            };
            zigzag(q.as_micro()) << 2 | kind
        }
    }
}

fn unpack(word: u64) -> Measured {
    let q = Quantity::from_micro(unzigzag(word >> 2));
    match word & 3 {
        0 => Measured::exact(q),
        3 if word >> 2 == 0 => Measured::Null,
        3 => Measured::NotFinite,
        side => {
            // Rare: a number that was rounded to a whole unit. Its side is found again by reading such a number.
            let tenths =
                i128::from(q.as_units().unwrap_or(0)) * 10_000_000 + if side == 1 { 1 } else { -1 };
            let sign = if tenths < 0 { "-" } else { "" };
            let n = tenths.unsigned_abs();
            Measured::parse(&format!("{sign}{}.{:07}", n / 10_000_000, n % 10_000_000))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harit_engine::InputKind;

    #[test]
    fn values_survive() {
        for text in [
            "0",
            "27.4",
            "-40",
            "-0.000001",
            "100.0000001",
            "99.9999999",
            "-0.0000001",
            "-39.99999999",
            "-40.00000001",
            "1e308",
            "-1e308",
            "null",
            "NaN",
            "123456789.123456",
        ] {
            let value = crate::wire::canonical(Measured::parse(text));
            assert_eq!(unpack(pack(value)), value, "{text}");
            assert_eq!(
                Measured::parse(crate::jsonl::measured_text(value).trim_matches('"')),
                value,
                "{text}"
            );
        }
        for n in [0, 1, -1, i64::MAX, i64::MIN] {
            assert_eq!(unzigzag(zigzag(n)), n);
        }
    }

    fn sample() -> (Encoder, Timestamp) {
        let at = Timestamp::from_millis(1_000);
        let mut e = Encoder::default();
        let (mut f, mut s, mut t) = (
            Interned::default(),
            Interned::default(),
            Interned::default(),
        );
        for _ in 0..2 {
            e.begin(at);
            e.farm(&FarmDocument::empty("f1", "F")).unwrap();
            e.readings(&mut f, "f1", Timestamp::from_millis(900), false, 2);
            e.reading(&mut s, "s", Measured::parse("1.5"));
            e.reading(&mut t, "t", Measured::Null);
            e.input(
                &mut f,
                "f1",
                &Input {
                    at,
                    kind: InputKind::Tick,
                },
            )
            .unwrap();
            e.readings(&mut f, "f1", Timestamp::from_millis(-5), true, 1);
            e.reading(&mut t, "t", Measured::parse("2"));
            e.report(
                &mut f,
                "f1",
                at,
                Mac::parse("A4CF120B9E01").unwrap(),
                &Report::OFFLINE,
            )
            .unwrap();
            e.message(
                &mut f,
                "f1",
                Mac::parse("A4CF120B9E01").unwrap(),
                (u64::MAX, 7),
            );
            for what in Desertion::ALL {
                e.desertion(&mut f, "f1", at, "fan-1", what);
            }
        }
        (e, at)
    }

    #[test]
    fn a_batch_reads_back() {
        let (e, at) = sample();
        assert_eq!(e.entries(), 12);
        let mut told = vec![];
        read::<BadBody>(e.body(), at, |r| {
            told.push(format!("{r:?}"));
            Ok(())
        })
        .unwrap();
        assert_eq!(told.len(), 12);
        assert!(told[5].ends_with("seq: 18446744073709551615, crc: 7 }"));
        for (told, what) in told[6..].iter().zip(Desertion::ALL) {
            assert!(
                told.ends_with(&format!("device: \"fan-1\", what: {what:?} }}")),
                "{told}"
            );
        }
        assert!(
            told[1].contains("at: Timestamp(900), backlog: false")
                && told[1].contains("(\"t\", Null)"),
            "{}",
            told[1]
        );
        assert!(
            told[3].contains("at: Timestamp(-5), backlog: true"),
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
}
