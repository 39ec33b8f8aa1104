//! Messages as JSON, read.

use harit_engine::SensorType;

use super::super::Format;
use super::*;

fn read(text: &str) -> Result<Telemetry<'_>, Reject> {
    Format::Json.read(text.as_bytes())
}

#[test]
fn a_message() {
    let all = read(
        r#"{"ts": 17, "seq": 3, "extra": [{"a": 1}], "sensors": [
            {"id": "t1", "type": "temperature", "unit": "°C", "latestValue": 27.4},
            {"type": "pH", "latestValue": null, "x": {}}, {"id": "\u0041", "type": "salt", "latestValue": "7.1"}]}"#,
    )
    .unwrap();
    assert_eq!(all.messages.len(), 1);
    assert_eq!(
        (
            all.messages[0].time,
            all.messages[0].seq,
            all.messages[0].items.clone()
        ),
        (Some(Time::At(17)), Some(3), 0..3)
    );
    let [a, b, c] = &all.items[..] else { panic!() };
    assert!(matches!(a.id, Some(Cow::Borrowed("t1"))));
    assert_eq!(a.sensor_type, TypeWord::Known(SensorType::Temperature));
    assert_eq!(a.unit.as_deref(), Some("°C"));
    assert_eq!(a.value, Measured::parse("27.4"));
    assert_eq!(b.sensor_type, TypeWord::Known(SensorType::Ph));
    assert_eq!((b.id.as_deref(), b.value), (None, Measured::Null));
    assert_eq!(
        (c.id.as_deref(), c.sensor_type),
        (Some("A"), TypeWord::Unknown)
    );
    assert_eq!(c.value, Measured::parse("7.1"));
    assert_eq!(all.not_numbers, 0);
}

#[test]
fn a_number_as_text_is_one_and_a_word_is_told() {
    let values = r#"{"sensors":[{"latestValue":"21.8"},{"latestValue":" -4 "},{"latestValue":""},{"latestValue":"NaN"},
        {"latestValue":"-Infinity"},{"latestValue":"No Sensor"},{"latestValue":true},{"latestValue":"2\u0031"}]}"#;
    let all = read(values).unwrap();
    let read: Vec<_> = all.items.iter().map(|item| item.value).collect();
    let expected = ["21.8", "-4", "null", "NaN", "NaN", "NaN", "NaN", "NaN"];
    assert_eq!(read, expected.map(Measured::parse));
    assert_eq!(all.not_numbers, 3);
}

#[test]
fn units_become_those_of_the_type() {
    let all = read(
        r#"{"sensors":[{"type":"temperature","unit":"°F","latestValue":"68"},{"id":"a","unit":"uS/cm","latestValue":1500},
        {"type":"ec","unit":"cm","latestValue":1}]}"#,
    )
    .unwrap();
    let read: Vec<_> = (all.items.iter())
        .map(|item| (item.unit.as_deref().unwrap(), item.value))
        .collect();
    let expected = [("°C", "20"), ("mS/cm", "1.5"), ("cm", "1")];
    assert_eq!(read, expected.map(|(unit, v)| (unit, Measured::parse(v))));
}

#[test]
fn an_array_of_messages() {
    let all = read(
        r#"[{"sensors":[{"type":"ec","latestValue":1}]},{"ts":5,"sensors":[]},{"sensors":[{"id":"a"},{"id":"b"}]}]"#,
    )
    .unwrap();
    let ranges: Vec<_> = all.messages.iter().map(|m| m.items.clone()).collect();
    assert_eq!(ranges, [0..1, 1..1, 1..3]);
    assert_eq!(read("[]").unwrap().messages, []);
}

#[test]
fn what_is_refused() {
    let deep = |n: usize| format!(r#"{{"sensors":[],"x":{}{}}}"#, "[".repeat(n), "]".repeat(n));
    assert!(read(&deep(7)).is_ok());
    let many = |n: usize| format!(r#"{{"sensors":[{}]}}"#, vec!["{}"; n].join(","));
    assert!(read(&many(MAX_SENSORS)).is_ok());
    for (text, reject) in [
        (deep(8).as_str(), Reject::TooDeep),
        (&deep(100_000), Reject::TooDeep),
        (&many(MAX_SENSORS + 1), Reject::TooManySensors),
        ("", Reject::Malformed),
        ("{}", Reject::Malformed),
        ("7", Reject::Malformed),
        (r#"{"sensors":[]} x"#, Reject::Malformed),
        (r#"{"sensors":[],"sensors":[]}"#, Reject::Malformed),
        (r#"{"sensors":[1]}"#, Reject::Malformed),
        (r#"{"ts":"now","sensors":[]}"#, Reject::Malformed),
        (r#"{"sensors":[{"id":7}]}"#, Reject::Malformed),
        (r#"{"sensors":[{"latestValue":NaN}]}"#, Reject::Malformed),
        (r#"[[{"sensors":[]}]]"#, Reject::Malformed),
    ] {
        assert_eq!(read(text), Err(reject), "{}", &text[..text.len().min(80)]);
    }
    assert_eq!(
        Format::Json.read(b"{\"sensors\":[]}\xff"),
        Err(Reject::Malformed)
    );
}

#[test]
fn values_are_exact_or_faults() {
    for (text, expected) in [
        ("1e-320", "0.0000000000000000000000000000001"),
        ("1e308", "1e308"),
        ("-0.0", "0"),
        ("true", "NaN"),
        ("[1]", "NaN"),
        ("{\"a\":[]}", "NaN"),
        ("27.39999961", "27.4"),
    ] {
        let payload = format!(r#"{{"sensors":[{{"latestValue":{text}}}]}}"#);
        let all = read(&payload).unwrap();
        assert_eq!(all.items[0].value, Measured::parse(expected), "{text}");
    }
}
