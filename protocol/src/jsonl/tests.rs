//! Lines of every kind, read and written.

use super::*;
use harit_engine::{DeviceSpec, DeviceType, FarmSettings, Lock, RegistryChange};

fn round_trip(line: &str) -> Input {
    let input = parse(line).unwrap();
    let mut out = vec![];
    write(&input, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.ends_with('\n') && text.lines().count() == 1, "{text}");
    assert_eq!(parse(text.trim_end()).unwrap(), input, "{text}");
    input
}

#[test]
fn a_reading_is_read_as_it_is_journaled() {
    for (text, written) in [
        ("2.77777777771", "2.777778"),
        ("40.00000000001", "40.0000001"),
        ("-9.99999999999", "-9.9999999"),
    ] {
        let line = format!(r#"{{"at":1,"input":"reading","sensor":"s","value":{text}}}"#);
        let InputKind::Reading { value, .. } = round_trip(&line).kind else {
            panic!("{line}");
        };
        assert_eq!(measured_text(value), written);
    }
}

#[test]
fn every_kind_reads_back() {
    for line in [
        r#"{"at":1,"input":"reading","sensor":"t1","value":27.4}"#,
        r#"{"at":1,"input":"reading","sensor":"t\"1","value":null}"#,
        r#"{"at":1,"input":"reading","sensor":"t1","value":"NaN"}"#,
        r#"{"at":1,"input":"reading","sensor":"t1","value":100.0000001}"#,
        r#"{"at":1,"input":"reading","sensor":"t1","value":-0.00000001}"#,
        r#"{"at":1,"input":"reading","sensor":"t1","value":-40.00000001}"#,
        r#"{"at":1,"input":"reading","sensor":"t1","value":-39.99999999}"#,
        r#"{"at":-5,"input":"tick"}"#,
        r#"{"at":1,"input":"resumed","more":[]}"#,
        r#"{"at":1,"input":"manual","device":"d","cmd_type":"override","action":"on","value":null,"duration_sec":5,"admin":true}"#,
        r#"{"at":1,"input":"manual","device":"d","cmd_type":"pulse","value":5,"owner":{"user_id":"u","name":"N","reason":"why"}}"#,
        r#"{"at":1,"input":"manual","device":"d","cmd_type":"release"}"#,
        r#"{"at":1,"input":"device","device":"d","online":true}"#,
        r#"{"at":1,"input":"device","device":"d","lock":"door","safety":false}"#,
        r#"{"at":1,"input":"device","device":"d","lock":null}"#,
        r#"{"at":1,"input":"device","device":"d","lock":"door","lock_kind":"controller"}"#,
        r#"{"at":1,"input":"device","device":"d","lock":null,"lock_kind":"stop","lock_user":"u","owner":{"user_id":"v","name":"V"}}"#,
        r#"{"at":1,"input":"device","device":"d","lock":null,"lock_kind":"max_on"}"#,
        r#"{"at":1,"input":"stop","device":"d","owner":{"user_id":"u","name":"N","reason":"my arm"}}"#,
        r#"{"at":1,"input":"stop","scope":{"type":"polyhouse","polyhouseId":"p1"},"owner":{"user_id":"u","name":"N"}}"#,
        r#"{"at":1,"input":"rule","delete":"r"}"#,
        r#"{"at":1,"input":"alert","delete":"a"}"#,
        r#"{"at":1,"input":"rule","rule":{"id":"r","name":"R","scope":{"type":"farm"},"trigger":{"sensor_type":"ph","operator":"gt","value":7},"actions":[]}}"#,
        r#"{"at":1,"input":"alert","alert":{"id":"a","name":"A","repeatsIn":1,"repeatUnit":"hours","conditions":[{"id":1,"sensor":"pH","operator":">","value":7,"unit":""}]}}"#,
        r#"{"at":1,"input":"registry","changes":[{"delete_sensor":"s"}]}"#,
    ] {
        round_trip(line);
    }
    let input = round_trip(r#"{"at":1,"input":"device","device":"d","lock":null}"#);
    let InputKind::Status { status, .. } = input.kind else {
        panic!()
    };
    assert_eq!((status.lock, status.online), (Some(Lock::OpenAll), None));
}

#[test]
fn registry_changes_read_back() {
    let device = DeviceSpec::new("d", DeviceType::DosingPump, ScopeSpec::zone("z"));
    let changes = vec![
        RegistryChange::PutDevice(Box::new(device)),
        RegistryChange::Settings(FarmSettings {
            min_samples: 3,
            ..FarmSettings::default()
        }),
        RegistryChange::PutPolyhouse(
            serde_json::from_str(r#"{"id":"p","name":"P","zones":[{"id":"z","name":"Z"}]}"#)
                .unwrap(),
        ),
        RegistryChange::PutSensor(
            serde_json::from_str(r#"{"id":"s","type":"ec","scope":{"type":"zone","zoneId":"z"}}"#)
                .unwrap(),
        ),
    ];
    let input = Input {
        at: Timestamp::from_millis(7),
        kind: InputKind::Registry(changes),
    };
    let mut out = vec![];
    write(&input, &mut out).unwrap();
    assert_eq!(parse(std::str::from_utf8(&out).unwrap()).unwrap(), input);
}

#[test]
fn controllers_lines_read_back_as_they_stand() {
    for line in [
        r#"{"at":-5,"input":"controller","mac":"A4CF120B9E01","scope":{"type":"zone","polyhouseId":"p","zoneId":"z"}}"#,
        r#"{"at":1,"input":"telemetry","mac":"A4CF120B9E01","ts":-7,"backlog":true,"seq":18446744073709551615,"crc":4294967295,"sensors":[{"value":27.4,"id":"t\"1","type":"temperature","unit":"°C"},{"value":null,"type":"unknown"},{"value":"NaN","id":""},{"value":100.0000001}]}"#,
        r#"{"at":1,"input":"telemetry","mac":"A4CF120B9E01","ts":1,"sensors":[]}"#,
        r#"{"at":1,"input":"report","mac":"A4CF120B9E01","report":{"online":false}}"#,
        r#"{"at":1,"input":"report","mac":"A4CF120B9E01","report":{"online":true,"firmware":"1","sensors":[{"id":"t","type":"ph"}],"devices":[{"id":"f","type":"fan","name":"F","supportedActions":["on",1.5],"on":true,"value":40.25,"lock":null,"safety":false,"lease_over":true},{"id":"v","type":"vent","lock":"wind"}]}}"#,
        r#"{"at":1,"input":"gone","mac":"A4CF120B9E01"}"#,
        r#"{"at":1,"input":"ack","mac":"A4CF120B9E01","command":7,"status":"ack"}"#,
        r#"{"at":1,"input":"ack","mac":"A4CF120B9E01","command":0,"status":"failure","message":"dry \n \"tank\""}"#,
        r#"{"at":1,"input":"unsent","commands":[1,18446744073709551615]}"#,
        r#"{"at":1,"input":"way_out"}"#,
    ] {
        let read = Line::parse(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        let mut out = vec![];
        read.write(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), format!("{line}\n"));
        let e = parse(line).unwrap_err().to_string();
        assert_eq!(e, "not an input of the engine, but of its farm");
    }
}

#[test]
fn what_is_left_out_of_a_controllers_line_has_its_default() {
    let line = r#"{"at":5,"input":"telemetry","mac":"a4:cf:12:0b:9e:01","ts":null,"backlog":null,"seq":null,"x":[],"sensors":[{"id":null,"type":"salt","value":1}]}"#;
    let LineKind::Telemetry {
        mac,
        ts,
        backlog,
        number,
        sensors,
    } = Line::parse(line).unwrap().kind
    else {
        panic!("{line}");
    };
    assert_eq!((mac.as_str(), ts.as_millis()), ("A4CF120B9E01", 5));
    assert_eq!((backlog, number), (false, None));
    let expected = Item {
        id: None,
        sensor_type: crate::TypeWord::Unknown,
        unit: None,
        value: harit_engine::Measured::parse("1"),
    };
    assert_eq!(sensors, [expected]);
    let line = r#"{"at":5,"input":"controller","mac":"A4CF120B9E01"}"#;
    let LineKind::Controller { scope, .. } = Line::parse(line).unwrap().kind else {
        panic!("{line}");
    };
    assert_eq!(scope, ScopeSpec::farm());
}

#[test]
fn errors_of_controllers_lines_name_what_is_wrong() {
    let many = format!(
        r#""telemetry","mac":"A4CF120B9E01","sensors":[{}]"#,
        vec![r#"{"value":1}"#; 4_097].join(",")
    );
    for (rest, expected) in [
        (r#""gone""#, "gone needs mac"),
        (
            r#""gone","mac":"A4CF""#,
            r#"mac: "A4CF" is not a MAC: expected 12 hex digits"#,
        ),
        (r#""gone","mac":7"#, "mac: invalid type"),
        (
            r#""controller","mac":"A4CF120B9E01","scope":{"type":"site"}"#,
            "scope: type:",
        ),
        (
            r#""telemetry","mac":"A4CF120B9E01""#,
            "telemetry needs sensors",
        ),
        (
            r#""telemetry","mac":"A4CF120B9E01","ts":"noon","sensors":[]"#,
            "ts: invalid type",
        ),
        (
            r#""telemetry","mac":"A4CF120B9E01","seq":1,"sensors":[]"#,
            "seq needs crc",
        ),
        (
            r#""telemetry","mac":"A4CF120B9E01","crc":1,"sensors":[]"#,
            "crc needs seq",
        ),
        (
            r#""telemetry","mac":"A4CF120B9E01","seq":1,"crc":4294967296,"sensors":[]"#,
            "crc: invalid value",
        ),
        (
            r#""telemetry","mac":"A4CF120B9E01","sensors":[{"id":"t"}]"#,
            "an entry of sensors needs value",
        ),
        (
            r#""telemetry","mac":"A4CF120B9E01","sensors":[["t"]]"#,
            "sensors: expected an object, found a list",
        ),
        (
            r#""telemetry","mac":"A4CF120B9E01","sensors":[{"value":true}]"#,
            "value true is not a number or null",
        ),
        (&*many, "sensors has 4097 entries, more than 4096"),
        (r#""report","mac":"A4CF120B9E01""#, "report needs report"),
        (
            r#""report","mac":"A4CF120B9E01","report":[true]"#,
            "report: expected an object, found a list",
        ),
        (
            r#""report","mac":"A4CF120B9E01","report":{"online":true,"devices":[{"id":"","type":"fan"}]}"#,
            r#"an id of the report, "", is not 1 to 115 bytes"#,
        ),
        (r#""ack","mac":"A4CF120B9E01""#, "ack needs command"),
        (
            r#""ack","mac":"A4CF120B9E01","command":-1,"status":"ack""#,
            "command: invalid value",
        ),
        (
            r#""ack","mac":"A4CF120B9E01","command":1,"status":"done""#,
            r#"status "done" is none of ack, failure"#,
        ),
        (r#""unsent""#, "unsent needs commands"),
        (r#""unsent","commands":7"#, "commands: invalid type"),
    ] {
        let line = format!(r#"{{"at":1,"input":{rest}}}"#);
        let e = Line::parse(&line).unwrap_err().to_string();
        assert!(e.contains(expected), "{line:.200}: {e}");
    }
}

#[test]
fn fields_of_other_kinds_may_be_anything() {
    round_trip(
        r#"{"at":1,"input":"tick","mac":7,"ts":"x","sensors":{},"report":[],"command":null,"status":0}"#,
    );
}

#[test]
fn errors_name_what_is_wrong() {
    for (line, expected) in [
        ("", "not an input: EOF"),
        ("7", "not an input: invalid type"),
        (r#"[1,"tick"]"#, "expected an object"),
        (r#"{"input":"tick"}"#, "missing field `at`"),
        (
            r#"{"at":1.5,"input":"tick"}"#,
            "invalid type: floating point",
        ),
        (
            r#"{"at":1,"input":"jump"}"#,
            r#"input "jump" is none of reading"#,
        ),
        (
            r#"{"at":1,"input":"reading","value":1}"#,
            "reading needs sensor",
        ),
        (
            r#"{"at":1,"input":"reading","sensor":"s"}"#,
            "reading needs value",
        ),
        (
            r#"{"at":1,"input":"reading","sensor":"s","value":true}"#,
            "value true is not a number or null",
        ),
        (
            r#"{"at":1,"input":"manual","device":"d","cmd_type":"x"}"#,
            r#"cmd_type "x" is none of override"#,
        ),
        (
            r#"{"at":1,"input":"manual","device":"d","cmd_type":"pulse","value":"5"}"#,
            "is not a number",
        ),
        (
            r#"{"at":1,"input":"manual","cmd_type":"pulse"}"#,
            "manual needs device",
        ),
        (
            r#"{"at":1,"input":"device","device":"d","lock":5}"#,
            "invalid type",
        ),
        (
            r#"{"at":1,"input":"device","device":"d","lock":"x","lock_kind":"door"}"#,
            r#"lock_kind "door" is none of controller"#,
        ),
        (
            r#"{"at":1,"input":"device","device":"d","lock_kind":"person"}"#,
            "lock_kind needs lock",
        ),
        (
            r#"{"at":1,"input":"stop","owner":{"user_id":"u","name":"N"}}"#,
            "stop needs either device or scope",
        ),
        (
            r#"{"at":1,"input":"stop","device":"d"}"#,
            "stop needs owner",
        ),
        (
            r#"{"at":1,"input":"rule"}"#,
            "rule needs either rule or delete",
        ),
        (
            r#"{"at":1,"input":"rule","rule":{"id":"r"}}"#,
            "rule: name: name is required",
        ),
        (
            r#"{"at":1,"input":"registry","changes":[{"x":1}]}"#,
            "unknown variant",
        ),
    ] {
        let e = parse(line).unwrap_err().to_string();
        assert!(e.contains(expected), "{line}: {e}");
    }
}
