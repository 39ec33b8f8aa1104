//! What is stored: input lines and batches of them.

use harit_engine::{InputKind, Measured, SensorId, SensorType, Timestamp};
use harit_farm::codec::{self, BadBody, Encoder, Entry, Interned, InternedController, Origin};
use harit_farm::{Key, MessageNumber, Record};
use harit_protocol::jsonl::Line;
use harit_protocol::{Mac, TypeWord, canonical};

/// The most records of a batch that is built from bytes.
const MAX_RECORDS: usize = 200;

/// A line that can be read is written as one line that reads as the same.
pub fn jsonl(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for line in text.lines() {
        match Line::parse(line) {
            Err(e) => assert!(!e.to_string().is_empty()),
            Ok(read) => {
                let mut out = vec![];
                read.write(&mut out).expect("a line can be written");
                let written = String::from_utf8(out).expect("as text");
                let (one, rest) = written.split_once('\n').expect("with its end");
                assert!(rest.is_empty(), "two lines: {written}");
                assert_eq!(Line::parse(one).expect("it reads back"), read, "{one}");
            }
        }
    }
}

/// A damaged batch is refused; a batch that was written reads back.
pub fn journal_batch(data: &[u8]) {
    let at = Timestamp::from_millis(1_700_000_000_000);
    let mut values = 0;
    let _ = codec::read::<BadBody>(data, at, |entry| {
        if let Entry::Of {
            record: Record::Telemetry(telemetry),
            ..
        } = entry
        {
            values += telemetry.items.len();
            assert!(telemetry.keys.len() <= data.len(), "more keys than bytes");
        }
        Ok(())
    });
    assert!(values <= data.len(), "more values than bytes");
    round_trip(data, at);
}

/// Messages and inputs made from the bytes, eight a record.
fn round_trip(data: &[u8], at: Timestamp) {
    let mut encoder = Encoder::default();
    encoder.begin(at);
    let mut farms = [Interned::default(); 4];
    let mut controllers: [InternedController; 4] = Default::default();
    let keys = [
        Key::new(Some("t1".into()), TypeWord::Known(SensorType::ALL[0]), None),
        Key::new(None, TypeWord::Missing, Some("%".into())),
        Key::new(Some("x".into()), TypeWord::Unknown, None),
        Key::new(
            None,
            TypeWord::Known(SensorType::ALL[7]),
            Some("furlongs".into()),
        ),
    ];
    let mut expected = vec![];
    for record in data.chunks_exact(8).take(MAX_RECORDS) {
        let word = i64::from_le_bytes(record.try_into().expect("eight bytes"));
        let farm = usize::from(record[0] & 3);
        let key = usize::from(record[0] >> 4 & 3);
        let farm_id = format!("farm {farm}");
        let when = Timestamp::from_millis(at.as_millis().wrapping_add(word >> 20));
        let value = match record[1] & 7 {
            0 => Measured::Null,
            1 => Measured::NotFinite,
            2 => Measured::parse(&format!("{}.0000000001", word >> 40)),
            _ => Measured::parse(&format!("{}.{:06}", word >> 40, record[2])),
        };
        let value = canonical(value);
        if record[1] & 16 == 0 {
            let backlog = record[1] & 8 != 0;
            let number = (record[1] & 32 != 0).then_some(MessageNumber {
                seq: word.unsigned_abs(),
                crc: 7,
            });
            let from = Origin {
                farm: &mut farms[farm],
                farm_id: &farm_id,
                mac: Mac::parse(&format!("A4CF120B9E0{farm}")).expect("it is one"),
                interned: &mut controllers[farm],
            };
            encoder.telemetry(from, when, backlog, number, 1);
            let place = u32::try_from(key).expect("it is small");
            encoder.value(&mut controllers[farm], place, &keys[key], value);
            expected.push(format!(
                "{farm_id} {when:?} {backlog} {number:?} {:?} {:?} {:?} {value:?}",
                keys[key].id, keys[key].sensor_type, keys[key].unit
            ));
        } else {
            let input = harit_engine::Input {
                at: when,
                kind: InputKind::Reading {
                    sensor: SensorId::from("s"),
                    value,
                },
            };
            encoder
                .input(&mut farms[farm], &farm_id, &input)
                .expect("an input can be written");
            expected.push(format!("{farm_id} {input:?}"));
        }
    }
    let mut read = vec![];
    let done = codec::read::<BadBody>(encoder.body(), at, |entry| {
        match entry {
            Entry::Of {
                farm,
                record: Record::Telemetry(t),
            } => {
                for (key, value) in t.items {
                    let key = &t.keys[*key as usize];
                    read.push(format!(
                        "{farm} {:?} {} {:?} {:?} {:?} {:?} {value:?}",
                        t.at, t.backlog, t.number, key.id, key.sensor_type, key.unit
                    ));
                }
            }
            Entry::Of {
                farm,
                record: Record::Input(input),
            } => read.push(format!("{farm} {input:?}")),
            other => panic!("{other:?} was never written"),
        }
        Ok(())
    });
    assert_eq!(done, Ok(()));
    assert_eq!(read, expected);
}
