use harit_engine::{FarmDocument, Input, InputKind, Measured, ScopeSpec, SensorType, Timestamp};
use harit_protocol::{AckStatus, CommandAck, Mac, MessageNumber, Report, TypeWord};

use super::{BadBody, BodyReader, Encoder, Entry, Interned, InternedController, Origin, read};
use crate::key::Key;
use crate::record::Record;

fn sample() -> (Encoder, Timestamp) {
    let at = Timestamp::from_millis(1_000);
    let mut e = Encoder::default();
    let (mut farm, mut interned) = (Interned::default(), InternedController::default());
    let known = TypeWord::Known(SensorType::ALL[9]);
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
        "f1 900 false None [(Some(\"t1\"), Known(WaterTemperature), Some(\"furlongs\"), Value",
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

/// What a reader says of a body, with every key in full.
fn said(reader: &mut BodyReader, body: &[u8]) -> Vec<String> {
    let mut said = Vec::new();
    let read = reader.read::<BadBody>(body, Timestamp::from_millis(0), |entry| {
        said.push(match entry {
            Entry::Of {
                farm,
                record: Record::Telemetry(t),
            } => {
                let key = |k: u32| {
                    let key = &t.keys[k as usize];
                    (&key.id, key.sensor_type, &key.unit)
                };
                let items: Vec<_> = t.items.iter().map(|(k, v)| (key(*k), v)).collect();
                format!("{farm} {:?} {items:?}", t.mac)
            }
            other => format!("{other:?}"),
        });
        Ok(())
    });
    read.unwrap();
    said
}

#[test]
fn a_reader_that_knows_keys_says_what_one_says_that_knows_none() {
    let word = TypeWord::Known(SensorType::ALL[2]);
    let key = |id: usize, unit: Option<&'static str>| {
        Key::new(Some(format!("t{id}").into()), word, unit.map(Into::into))
    };
    // Keys in order, backwards, some alone, one of another unit, and two connections of a controller in one batch.
    let orders: [&[usize]; 6] = [
        &[0, 1, 2, 3],
        &[3, 2, 1, 0],
        &[2],
        &[7, 0],
        &[1, 3],
        &[9, 9, 0],
    ];
    let macs = ["A4CF120B9E01", "A4CF120B9E01", "A4CF120B9E02"];
    let mut known = BodyReader::default();
    for round in 0..24 {
        let mut e = Encoder::default();
        e.begin(Timestamp::from_millis(round));
        let round = usize::try_from(round).unwrap();
        for (n, mac) in macs.iter().enumerate() {
            let (mut farm, mut interned) = (Interned::default(), InternedController::default());
            let farm_id = ["f1", "f2"][(round + n) % 2];
            let origin = Origin {
                farm: &mut farm,
                farm_id,
                mac: Mac::parse(mac).unwrap(),
                interned: &mut interned,
            };
            let order = orders[(round + n) % orders.len()];
            let at = Timestamp::from_millis(0);
            e.telemetry(origin, at, false, None, order.len());
            for (place, id) in order.iter().enumerate() {
                let unit = (round % 5 == place).then_some("furlongs");
                let number = u32::try_from(place).unwrap();
                e.value(&mut interned, number, &key(*id, unit), Measured::parse("1"));
            }
            if round == 11 && farm_id == "f1" {
                // The farm begins anew, and a key is used that was named before.
                e.farm(&FarmDocument::empty("f1", "F")).unwrap();
                let origin = Origin {
                    farm: &mut farm,
                    farm_id,
                    mac: Mac::parse(mac).unwrap(),
                    interned: &mut interned,
                };
                e.telemetry(origin, at, false, None, 1);
                e.value(&mut interned, 0, &key(order[0], None), Measured::parse("2"));
            }
        }
        let fresh = said(&mut BodyReader::default(), e.body());
        assert_eq!(fresh.len(), if round == 11 { 5 } else { 3 });
        assert_eq!(said(&mut known, e.body()), fresh, "body {round}");
    }
}
