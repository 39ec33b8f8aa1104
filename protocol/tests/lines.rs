//! Lines of input files: what is written reads back as it was.

use harit_engine::{DeviceType, Measured, Quantity, ScopeSpec, SensorType, Timestamp};
use harit_protocol::jsonl::{Line, LineKind};
use harit_protocol::{
    AckStatus, CommandAck, DeviceReport, Item, Mac, MessageNumber, Report, SensorReport, TypeWord,
    canonical,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn mac() -> impl Strategy<Value = Mac> {
    "[0-9A-F]{12}".prop_filter_map("a MAC", |text| Mac::parse(&text).ok())
}

fn at() -> impl Strategy<Value = Timestamp> {
    any::<i64>().prop_map(Timestamp::from_millis)
}

fn id() -> impl Strategy<Value = String> {
    "[a-z/\"\\\\é ]{1,9}"
}

fn sensor_type() -> impl Strategy<Value = SensorType> {
    proptest::sample::select(SensorType::ALL.to_vec())
}

fn value() -> impl Strategy<Value = Measured> {
    let number = (any::<i32>(), 0..10_000_000_u32)
        .prop_map(|(whole, part)| Measured::parse(&format!("{whole}.{part:07}")));
    prop_oneof![Just(Measured::Null), Just(Measured::NotFinite), number].prop_map(canonical)
}

fn item() -> impl Strategy<Value = Item<'static>> {
    let word = prop_oneof![
        Just(TypeWord::Missing),
        Just(TypeWord::Unknown),
        sensor_type().prop_map(TypeWord::Known),
    ];
    (option::of(".{0,9}"), word, option::of(".{0,5}"), value()).prop_map(
        |(id, sensor_type, unit, value)| Item {
            id: id.map(Into::into),
            sensor_type,
            unit: unit.map(Into::into),
            value,
        },
    )
}

fn device() -> impl Strategy<Value = DeviceReport> {
    let kind = proptest::sample::select(vec![DeviceType::Fan, DeviceType::DosingPump]);
    let actions = prop_oneof![
        Just(serde_json::Value::Null),
        vec(any::<f64>(), 0..3).prop_map(Into::into),
    ];
    let said = (
        option::of(any::<bool>()),
        option::of(-1_000_000_000_i64..1_000_000_000),
        option::of(option::of(".{1,9}")),
        option::of(any::<bool>()),
        option::of(any::<bool>()),
        option::of(0_i64..100_000_000),
    );
    (id(), kind, option::of(".{0,9}"), actions, said).prop_map(
        |(id, device_type, name, supported_actions, (on, value, lock, safety, lease_over, end))| {
            DeviceReport {
                id,
                device_type,
                name,
                supported_actions,
                on,
                value: value.map(Quantity::from_micro),
                lock,
                safety,
                lease_over,
                lease_end: end.map(Quantity::from_micro),
            }
        },
    )
}

fn report() -> impl Strategy<Value = Report> {
    let sensor =
        (id(), sensor_type()).prop_map(|(id, sensor_type)| SensorReport { id, sensor_type });
    (
        any::<bool>(),
        option::of(".{0,9}"),
        option::of(vec(sensor, 0..4)),
        option::of(vec(device(), 0..4)),
    )
        .prop_map(|(online, firmware, sensors, devices)| Report {
            online,
            firmware,
            sensors,
            devices,
        })
}

fn kind() -> impl Strategy<Value = LineKind<'static>> {
    let scope = prop_oneof![
        Just(ScopeSpec::farm()),
        id().prop_map(|id| ScopeSpec::polyhouse(id.as_str())),
        id().prop_map(|id| ScopeSpec::zone(id.as_str())),
    ];
    let number = (any::<u64>(), any::<u32>()).prop_map(|(seq, crc)| MessageNumber { seq, crc });
    let telemetry = (
        mac(),
        at(),
        any::<bool>(),
        option::of(number),
        vec(item(), 0..5),
    );
    let status = prop_oneof![Just(AckStatus::Ack), Just(AckStatus::Failure)];
    let ack = (any::<u64>(), status, option::of(".{0,20}"));
    let ack = ack.prop_map(|(command, status, message)| CommandAck {
        command,
        status,
        message,
    });
    prop_oneof![
        (mac(), scope).prop_map(|(mac, scope)| LineKind::Controller { mac, scope }),
        telemetry.prop_map(|(mac, ts, backlog, number, sensors)| LineKind::Telemetry {
            mac,
            ts,
            backlog,
            number,
            sensors,
        }),
        (mac(), report()).prop_map(|(mac, report)| LineKind::Report { mac, report }),
        mac().prop_map(|mac| LineKind::Gone { mac }),
        (mac(), ack).prop_map(|(mac, ack)| LineKind::Ack { mac, ack }),
        vec(any::<u64>(), 0..5).prop_map(|commands| LineKind::Unsent { commands }),
        Just(LineKind::WayOut),
    ]
}

proptest! {
    #[test]
    fn what_is_written_reads_back(at in at(), kind in kind()) {
        let line = Line { at, kind };
        let mut out = vec![];
        line.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        prop_assert_eq!(text.find('\n'), Some(text.len() - 1));
        prop_assert_eq!(Line::parse(&text).unwrap(), line);
    }

    /// Whatever is in a line, reading it ends with an answer, and what was read reads back.
    #[test]
    fn no_line_panics(at in at(), kind in kind(), cuts in vec((0_usize..300, any::<char>()), 0..4)) {
        let mut out = vec![];
        Line { at, kind }.write(&mut out).unwrap();
        let mut text: Vec<char> = String::from_utf8(out).unwrap().chars().collect();
        for (place, c) in cuts {
            if let Some(other) = text.get_mut(place) {
                *other = c;
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(line) = Line::parse(&text) {
            let mut again = vec![];
            line.write(&mut again).unwrap();
            prop_assert_eq!(Line::parse(std::str::from_utf8(&again).unwrap()).unwrap(), line);
        }
    }
}
