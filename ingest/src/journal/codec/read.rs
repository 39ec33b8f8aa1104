//! How a body is read again: record by record, and as an error where it is cut off or says what cannot be.

use harit_engine::{FarmDocument, Timestamp};
use harit_protocol::Mac;
use harit_protocol::jsonl;

use super::values::{unpack, unzigzag};
use super::{
    BACKLOG, BadBody, DESERTION, Desertion, FARM, INPUT, MESSAGE, READINGS, REPORT, Record, VERSION,
};

fn bad(what: &str) -> BadBody {
    BadBody(what.to_owned())
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

#[cfg(test)]
mod tests {
    use super::super::{Encoder, Interned};
    use super::*;
    use harit_engine::{Input, InputKind, Measured};
    use harit_protocol::Report;

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
