//! What is stored: input lines and batches of them.

use harit_engine::{InputKind, Measured, SensorId, Timestamp};

use crate::codec::{self, BadBody, Encoder, Interned, Record};
use harit_protocol::{canonical, jsonl as lines};

/// The most records of a batch that is built from bytes.
const MAX_RECORDS: usize = 200;

/// A line that is an input is written as one line that is the same input.
pub fn jsonl(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for line in text.lines() {
        match lines::parse(line) {
            Err(e) => assert!(!e.to_string().is_empty()),
            Ok(input) => {
                let mut out = vec![];
                lines::write(&input, &mut out).expect("an input can be written");
                let written = String::from_utf8(out).expect("as text");
                let (one, rest) = written.split_once('\n').expect("with its end");
                assert!(rest.is_empty(), "two lines: {written}");
                assert_eq!(lines::parse(one).expect("it reads back"), input, "{one}");
            }
        }
    }
}

/// A damaged batch is refused; a batch that was written reads back.
pub fn journal_batch(data: &[u8]) {
    let at = Timestamp::from_millis(1_700_000_000_000);
    let mut values = 0;
    let _ = codec::read::<BadBody>(data, at, |record| {
        if let Record::Readings { values: v, .. } = record {
            values += v.len();
        }
        Ok(())
    });
    assert!(values <= data.len(), "more values than bytes");
    round_trip(data, at);
}

/// Readings and inputs made from the bytes, eight a record.
fn round_trip(data: &[u8], at: Timestamp) {
    let mut encoder = Encoder::default();
    encoder.begin(at);
    let mut farms = [Interned::default(); 4];
    let mut sensors = [Interned::default(); 16];
    let mut expected = vec![];
    for record in data.chunks_exact(8).take(MAX_RECORDS) {
        let word = i64::from_le_bytes(record.try_into().expect("eight bytes"));
        let farm = usize::from(record[0] & 3);
        let sensor = usize::from(record[0] >> 4);
        let (farm_id, sensor_id) = (format!("farm {farm}"), format!("sensor {sensor}"));
        let when = Timestamp::from_millis(at.as_millis().wrapping_add(word >> 20));
        let value = match record[1] & 7 {
            0 => Measured::Null,
            1 => Measured::NotFinite,
            2 => Measured::parse(&format!("{}.0000000001", word >> 40)),
            _ => Measured::parse(&format!("{}.{:06}", word >> 40, record[2])),
        };
        let value = canonical(value);
        let backlog = record[1] & 8 != 0;
        if record[1] & 16 == 0 {
            encoder.readings(&mut farms[farm], &farm_id, when, backlog, 1);
            encoder.reading(&mut sensors[sensor], &sensor_id, value);
        } else {
            let input = harit_engine::Input {
                at: when,
                kind: InputKind::Reading {
                    sensor: SensorId::from(sensor_id.as_str()),
                    value,
                },
            };
            encoder
                .input(&mut farms[farm], &farm_id, &input)
                .expect("an input can be written");
        }
        expected.push((farm_id, when, sensor_id, value));
    }
    let mut read = vec![];
    let done = codec::read::<BadBody>(encoder.body(), at, |record| {
        match record {
            Record::Readings {
                farm, at, values, ..
            } => {
                for (sensor, value) in values {
                    read.push((farm.to_owned(), at, (*sensor).to_owned(), *value));
                }
            }
            Record::Input { farm, input } => {
                let InputKind::Reading { sensor, value } = input.kind else {
                    panic!("another kind of input came back");
                };
                read.push((farm.to_owned(), input.at, sensor.to_string(), value));
            }
            other => panic!("{other:?} was never written"),
        }
        Ok(())
    });
    assert_eq!(done, Ok(()));
    assert_eq!(read, expected);
}
