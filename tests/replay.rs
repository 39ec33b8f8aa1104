//! `harit replay` as people run it: the binary, files, exit codes.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Value, json};

const FARM: &str = r#"{
    "farm": {"id": "f1", "name": "Farm", "settings": {"min_samples": 1}},
    "sensors": [{"id": "t1", "type": "temperature", "scope": {"type": "farm"}}],
    "devices": [{"id": "fan-1", "type": "fan", "scope": {"type": "farm"}}],
    "rules": [{"id": "cool", "name": "Cool", "deployed": true, "scope": {"type": "farm"},
        "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": 60},
        "actions": [{"device_id": "fan-1", "command": {"action": "on"}}]}]
}"#;
const TELEMETRY: &str = "at,sensor,value\n0,t1,36\n30000,t1,36.5\n61000,t1,\n62000,t1,NaN\n63000,elsewhere,1\n500,t1,20\n";

struct Case {
    dir: tempfile::TempDir,
}

impl Case {
    fn new() -> Self {
        let case = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        case.file("farm.json", FARM.as_bytes());
        case
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        self.harit(&[&["replay", "--farm", "farm.json"], args].concat())
    }

    fn harit(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_harit"))
            .current_dir(self.dir.path())
            .args(args)
            .output()
            .unwrap()
    }

    fn convert(&self, from: &str, to: &str) {
        let output = self.harit(&["convert", "--telemetry", from, "--out", to]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }

    /// The events of a log, and the numbers of its summary.
    fn outcome(&self, log: &str, until: Option<&str>) -> (String, String) {
        let mut args = vec!["--telemetry", log, "--out", "outcome"];
        args.extend(until.map(|u| ["--until", u]).into_iter().flatten());
        let output = self.run(&args);
        assert_eq!(output.status.code(), Some(0), "{log}: {}", stderr(&output));
        let summary = String::from_utf8(output.stdout).unwrap();
        let numbers = summary.split("took ").next().unwrap().to_owned();
        (fs::read_to_string(self.path("outcome")).unwrap(), numbers)
    }

    fn events(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(name)).unwrap();
        text.lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect()
    }

    fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.dir.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn fired() -> Vec<Value> {
    vec![
        json!({"at": 60000, "event": "rule_fired", "rule": "cool"}),
        json!({"at": 60000, "event": "command", "command_id": "f1-1", "device": "fan-1", "action": "on", "value": 100, "cause": "cool"}),
    ]
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn telemetry_in_any_packing_gives_events_and_a_summary() {
    let gzip = {
        let mut e = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        e.write_all(TELEMETRY.as_bytes()).unwrap();
        e.finish().unwrap()
    };
    let zstd = zstd::encode_all(TELEMETRY.as_bytes(), 1).unwrap();
    for (name, bytes) in [
        ("plain.csv", TELEMETRY.as_bytes()),
        ("packed", &gzip),
        ("other", &zstd),
    ] {
        let case = Case::new();
        case.file(name, bytes);
        let output = case.run(&["--telemetry", name, "--out", "events.jsonl"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(case.events("events.jsonl")[..2], fired(), "{name}");
        let summary = String::from_utf8(output.stdout).unwrap();
        let number = |word: &str| {
            let line = summary
                .lines()
                .find(|l| l.split_whitespace().next() == Some(word))
                .unwrap_or_else(|| panic!("{word}: {summary}"));
            line.split_whitespace()
                .nth(1)
                .unwrap()
                .parse::<u64>()
                .unwrap()
        };
        let numbers = [
            "readings",
            "applied",
            "late",
            "faults",
            "unknown",
            "rule_fired",
        ]
        .map(number);
        assert_eq!(numbers, [6, 2, 1, 2, 1, 1], "{summary}");
        assert!(summary.contains("readings/s"));
    }
}

#[test]
fn the_end_of_the_file_does_not_move_the_clock_but_until_does() {
    let case = Case::new();
    case.file("t.csv", b"at,sensor,value\n0,t1,36\n");
    case.run(&["--telemetry", "t.csv", "--out", "a"]);
    assert_eq!(case.events("a"), [Value::Null; 0]);
    case.run(&["--telemetry", "t.csv", "--out", "b", "--until", "60000"]);
    assert_eq!(case.events("b"), fired());
}

#[test]
fn inputs_of_every_kind_are_taken() {
    let case = Case::new();
    let rule: Value = serde_json::from_str::<Value>(FARM).unwrap()["rules"][0].clone();
    let lines = [
        json!({"at": 0, "input": "reading", "sensor": "t1", "value": 36}),
        json!({"at": 60000, "input": "tick"}),
        json!({"at": 61000, "input": "manual", "device": "fan-1", "cmd_type": "override", "action": "off", "value": null, "duration_sec": 60, "admin": false}),
        json!({"at": 62000, "input": "device", "device": "fan-1", "online": false}),
        json!({"at": 63000, "input": "resumed"}),
        json!({"at": 64000, "input": "rule", "rule": rule}),
        json!({"at": 65000, "input": "rule", "delete": "cool"}),
        json!({"at": 66000, "input": "alert", "delete": "none"}),
    ];
    let text: String = lines.iter().map(|l| format!("{l}\n")).collect();
    case.file("inputs.jsonl", text.as_bytes());
    let output = case.run(&["--inputs", "inputs.jsonl", "--out", "events.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let events = case.events("events.jsonl");
    assert_eq!(events[..2], fired());
    let rest: Vec<(&str, i64)> = events[2..]
        .iter()
        .map(|e| (e["event"].as_str().unwrap(), e["at"].as_i64().unwrap()))
        .collect();
    assert_eq!(rest, [("command", 61000), ("rule_stopped", 65000)]);
}

#[test]
fn a_malformed_line_stops_with_its_place_and_leaves_no_result() {
    for (name, text, place) in [
        (
            "t.csv",
            "at,sensor,value\n0,t1,36\nnow,t1,36\n",
            "t.csv:3: \"now\" is neither epoch milliseconds nor RFC 3339",
        ),
        (
            "t.csv",
            "0,t1,36\n",
            "t.csv:1: the first line is not the header `at,sensor,value`",
        ),
        (
            "t.csv",
            "",
            "t.csv:1: the first line is not the header `at,sensor,value`",
        ),
        (
            "i.jsonl",
            "{\"at\":0,\"input\":\"tick\"}\n\n{\"at\":0,\"input\":\"dance\"}\n",
            "i.jsonl:3: ",
        ),
        (
            "i.jsonl",
            "{\"at\":0,\"input\":\"device\",\"device\":\"pump\",\"online\":true}\n",
            "i.jsonl:1: device: there is no device pump",
        ),
        (
            "i.jsonl",
            "{\"at\":0,\"input\":\"rule\",\"rule\":{\"id\":\"r\"}}\n",
            "i.jsonl:1: ",
        ),
        ("i.jsonl", "{\"at\":0,\"input\":", "i.jsonl:1: "),
    ] {
        let case = Case::new();
        case.file(name, text.as_bytes());
        case.file("events.jsonl", b"from an earlier replay\n");
        let kind = if Path::new(name).extension().unwrap() == "csv" {
            "--telemetry"
        } else {
            "--inputs"
        };
        let output = case.run(&[kind, name, "--out", "events.jsonl"]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(
            stderr(&output).contains(place),
            "{} does not say {place}",
            stderr(&output)
        );
        assert_eq!(
            case.files(),
            ["farm.json", name],
            "nothing is left that looks like a result"
        );
        let output = case.run(&[kind, name, "--out", "events.jsonl", "--skip-bad"]);
        let skippable = !place.contains("header");
        assert_eq!(
            output.status.code(),
            Some(if skippable { 0 } else { 2 }),
            "{text}"
        );
        if skippable {
            assert!(
                String::from_utf8(output.stdout)
                    .unwrap()
                    .contains("bad lines")
            );
        }
    }
}

#[test]
fn a_farm_that_does_not_fit_together_is_refused_with_all_its_problems() {
    let case = Case::new();
    case.file("t.csv", TELEMETRY.as_bytes());
    case.file(
        "farm.json",
        FARM.replace("\"fan-1\", \"command\"", "\"fan-2\", \"command\"")
            .replace("\"value\": 35", "\"value\": 99")
            .as_bytes(),
    );
    let output = case.run(&["--telemetry", "t.csv"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("rules[0].trigger.value: 99 is outside -10 to 50 °C"),
        "{}",
        stderr(&output)
    );
    case.file("farm.json", b"{");
    assert_eq!(case.run(&["--telemetry", "t.csv"]).status.code(), Some(2));
}

#[test]
fn a_damaged_archive_is_malformed_and_a_missing_file_is_not() {
    let case = Case::new();
    let packed = zstd::encode_all(TELEMETRY.repeat(100).as_bytes(), 1).unwrap();
    case.file("cut.zst", &packed[..packed.len() - 10]);
    let output = case.run(&["--telemetry", "cut.zst"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("cut.zst:"), "{}", stderr(&output));
    let output = case.run(&["--telemetry", "none.csv"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("none.csv"));
}

/// The vectors in testdata/vectors, made by the reference model: the same events, in any order within an instant.
#[test]
fn vectors_replay_to_the_expected_events() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors");
    let mut count = 0;
    for entry in fs::read_dir(&root).unwrap() {
        let vector = entry.unwrap().path();
        if !vector.is_dir() {
            continue;
        }
        count += 1;
        let out = tempfile::tempdir().unwrap();
        let events = out.path().join("events.jsonl");
        let output = Command::new(env!("CARGO_BIN_EXE_harit"))
            .arg("replay")
            .args(["--farm".as_ref(), vector.join("farm.json").as_os_str()])
            .args(["--inputs".as_ref(), vector.join("inputs.jsonl").as_os_str()])
            .args([
                "--until",
                fs::read_to_string(vector.join("until")).unwrap().trim(),
            ])
            .args(["--out".as_ref(), events.as_os_str()])
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}: {}",
            vector.display(),
            stderr(&output)
        );
        assert_eq!(
            sorted(&events),
            sorted(&vector.join("events.jsonl")),
            "{}",
            vector.display()
        );
    }
    assert!(count >= 40, "only {count} vectors");
}

/// Events in order of their instants, and within an instant in order of their text.
fn sorted(path: &Path) -> Vec<(i64, String)> {
    let normal = |line: &str| {
        let mut event: Value = serde_json::from_str(line).unwrap();
        if let Some(value) = event.get("value").and_then(Value::as_f64) {
            event["value"] = json!(value);
        }
        (event["at"].as_i64().unwrap(), event.to_string())
    };
    let mut events: Vec<_> = fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(normal)
        .collect();
    events.sort();
    events
}

/// A Parquet file as another tool would write it: `schema` is its columns, and `row` writes each of them.
fn columns(
    path: &Path,
    schema: &str,
    mut write: impl FnMut(usize, &mut parquet::file::writer::SerializedColumnWriter<'_>),
) {
    let schema = parse_message_type(&format!("message schema {{ {schema} }}")).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .build();
    let file = fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema.into(), properties.into()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut n = 0;
    while let Some(mut column) = group.next_column().unwrap() {
        write(n, &mut column);
        column.close().unwrap();
        n += 1;
    }
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn telemetry_in_columns_gives_the_same_events_as_text() {
    let case = Case::new();
    let odd = "70000,t1,84.99999999\n71000,t1,85.0000001\n2020-01-01T00:00:00Z,t1,35.0000004\n\n1577836800000,t1,-Infinity\n";
    case.file("t.csv", format!("{TELEMETRY}{odd}").as_bytes());
    case.convert("t.csv", "t.parquet");
    let expected = case.outcome("t.csv", Some("1577836900000"));
    assert!(expected.0.contains("rule_fired"));
    assert_eq!(case.outcome("t.parquet", Some("1577836900000")), expected);
    // Told by its content.
    fs::rename(case.path("t.parquet"), case.path("log")).unwrap();
    assert_eq!(case.outcome("log", Some("1577836900000")), expected);
    // Nothing in it.
    case.file("t.csv", b"at,sensor,value\n");
    case.convert("t.csv", "t.parquet");
    assert_eq!(case.outcome("t.parquet", None), case.outcome("t.csv", None));
}

/// The readings of the vectors, as text and in columns.
#[test]
fn vectors_in_columns_give_the_same_events_as_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors");
    let mut fired = 0;
    for entry in fs::read_dir(&root).unwrap() {
        let vector = entry.unwrap().path();
        if !vector.is_dir() {
            continue;
        }
        let case = Case::new();
        fs::copy(vector.join("farm.json"), case.path("farm.json")).unwrap();
        let mut csv = String::from("at,sensor,value\n");
        for line in fs::read_to_string(vector.join("inputs.jsonl"))
            .unwrap()
            .lines()
        {
            let input: Value = serde_json::from_str(line).unwrap();
            if input["input"] == "reading" {
                let value = match &input["value"] {
                    Value::Null => String::new(),
                    Value::String(word) => word.clone(),
                    number => number.to_string(),
                };
                csv += &format!(
                    "{},{},{value}\n",
                    input["at"],
                    input["sensor"].as_str().unwrap()
                );
            }
        }
        case.file("t.csv", csv.as_bytes());
        case.convert("t.csv", "t.parquet");
        let until = fs::read_to_string(vector.join("until")).unwrap();
        let expected = case.outcome("t.csv", Some(until.trim()));
        fired += expected.0.matches("\"rule_fired\"").count();
        assert_eq!(
            case.outcome("t.parquet", Some(until.trim())),
            expected,
            "{}",
            vector.display()
        );
    }
    assert!(fired > 10, "only {fired} rules fired");
}

#[test]
fn columns_of_other_tools_are_taken() {
    let case = Case::new();
    case.file(
        "t.csv",
        b"at,sensor,value\n0,t1,36.1\n30000,t1,36.5\n61000,t1,\n62000,elsewhere,1\n",
    );
    let expected = case.outcome("t.csv", None);
    assert!(expected.0.contains("rule_fired"));
    for (instant, unit) in [
        ("int64 at (TIMESTAMP(MILLIS, false))", 1),
        ("int64 at (TIMESTAMP(MICROS, true))", 1_000),
        ("int64 at (TIMESTAMP(NANOS, true))", 1_000_000),
        ("int64 at", 1),
    ] {
        for single in [false, true] {
            let float = if single { "float" } else { "double" };
            let schema = format!(
                "optional boolean good; optional {float} value; optional {instant}; optional binary sensor (STRING);"
            );
            columns(&case.path("t.parquet"), &schema, |n, column| {
                let all = Some([1_i16; 4]);
                let all = all.as_ref().map(|a| &a[..]);
                let written = match n {
                    0 => column
                        .typed::<BoolType>()
                        .write_batch(&[], Some(&[0; 4]), None),
                    1 if single => column.typed::<FloatType>().write_batch(
                        &[36.1, 36.5, 1.0],
                        Some(&[1, 1, 0, 1]),
                        None,
                    ),
                    1 => column.typed::<DoubleType>().write_batch(
                        &[36.1, 36.5, 1.0],
                        Some(&[1, 1, 0, 1]),
                        None,
                    ),
                    2 => column.typed::<Int64Type>().write_batch(
                        &[0, 30_000, 61_000, 62_000].map(|t| t * unit),
                        all,
                        None,
                    ),
                    _ => column.typed::<ByteArrayType>().write_batch(
                        &["t1", "t1", "t1", "elsewhere"].map(ByteArray::from),
                        all,
                        None,
                    ),
                };
                assert_eq!(
                    written.unwrap(),
                    if n == 0 {
                        0
                    } else if n == 1 {
                        3
                    } else {
                        4
                    }
                );
            });
            assert_eq!(case.outcome("t.parquet", None), expected, "{schema}");
        }
    }
}

#[test]
fn columns_that_are_not_telemetry_are_refused() {
    let case = Case::new();
    let empty = |_: usize, _: &mut parquet::file::writer::SerializedColumnWriter<'_>| {};
    for (schema, reason) in [
        (
            "required int64 time; required binary sensor (STRING); required double value;",
            "t.parquet: there is no column \"at\"; the columns are time, sensor, value",
        ),
        (
            "required binary at (STRING); required binary sensor (STRING); required double value;",
            "the column \"at\" is BYTE_ARRAY (String); expected a timestamp, or 64-bit integers (epoch milliseconds)",
        ),
        (
            "required int64 at (TIME(MICROS, true)); required binary sensor (STRING); required double value;",
            "expected a timestamp",
        ),
        (
            "required int64 at; required int64 sensor; required double value;",
            "the column \"sensor\" is INT64; expected strings",
        ),
        (
            "required int64 at; required binary sensor (STRING); repeated double value;",
            "the column \"value\" is a list of DOUBLE; expected doubles or floats",
        ),
        (
            "required int64 at; required binary sensor (STRING); required binary value (STRING);",
            "the column \"value\" is BYTE_ARRAY (String); expected doubles or floats",
        ),
    ] {
        columns(&case.path("t.parquet"), schema, empty);
        let output = case.run(&["--telemetry", "t.parquet", "--out", "events"]);
        assert_eq!(output.status.code(), Some(2), "{schema}");
        assert!(
            stderr(&output).contains(reason),
            "{} does not say {reason}",
            stderr(&output)
        );
    }
    // Rows that are none.
    let schema = "optional int64 at; optional binary sensor; optional double value;";
    for (at, sensor, reason) in [
        (None, Some("t1"), "t.parquet:2: the instant is null"),
        (Some(1), None, "t.parquet:2: the sensor is null"),
        (Some(1), Some(""), "t.parquet:2: the sensor is empty"),
    ] {
        columns(&case.path("t.parquet"), schema, |n, column| {
            let levels = |second: bool| [1, i16::from(second)];
            let written = match n {
                0 => column.typed::<Int64Type>().write_batch(
                    &[Some(0), at].into_iter().flatten().collect::<Vec<_>>(),
                    Some(&levels(at.is_some())),
                    None,
                ),
                1 => column.typed::<ByteArrayType>().write_batch(
                    &[Some("t1"), sensor]
                        .into_iter()
                        .flatten()
                        .map(ByteArray::from)
                        .collect::<Vec<_>>(),
                    Some(&levels(sensor.is_some())),
                    None,
                ),
                _ => column.typed::<DoubleType>().write_batch(
                    &[36.0, 36.0],
                    Some(&levels(true)),
                    None,
                ),
            };
            written.unwrap();
        });
        let output = case.run(&["--telemetry", "t.parquet"]);
        assert_eq!(output.status.code(), Some(2), "{reason}");
        assert!(
            stderr(&output).contains(reason),
            "{} does not say {reason}",
            stderr(&output)
        );
        let output = case.run(&["--telemetry", "t.parquet", "--skip-bad"]);
        assert_eq!(output.status.code(), Some(0), "{reason}");
        assert!(
            String::from_utf8(output.stdout)
                .unwrap()
                .contains("bad lines")
        );
    }
}

#[test]
fn damaged_columns_are_malformed() {
    let case = Case::new();
    let rows: String = (0..2_000)
        .map(|n| format!("{},t1,{}\n", n * 1_000, n % 50))
        .collect();
    case.file("t.csv", format!("at,sensor,value\n{rows}").as_bytes());
    case.convert("t.csv", "t.parquet");
    let whole = fs::read(case.path("t.parquet")).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        case.file("t.parquet", bytes);
        let output = case.run(&["--telemetry", "t.parquet", "--out", "events"]);
        assert_eq!(output.status.code(), Some(2), "{what}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("t.parquet: "),
            "{what}: {}",
            stderr(&output)
        );
        assert!(!case.path("events").exists(), "{what}");
    };
    for length in [4, 11, 100, whole.len() / 2, whole.len() - 1] {
        refused(&whole[..length], &format!("cut to {length}"));
    }
    refused(&whole[4..], "without its beginning");
    refused(b"at,sensor,value\n", "text with that name");
    // A damaged byte anywhere: found, or without consequence; never a crash.
    let mut found = 0;
    for n in (4..whole.len()).step_by(whole.len() / 60) {
        let mut damaged = whole.clone();
        damaged[n] ^= 0x55;
        case.file("t.parquet", &damaged);
        let output = case.run(&["--telemetry", "t.parquet"]);
        assert!(
            matches!(output.status.code(), Some(0 | 2)),
            "{n}: {}",
            stderr(&output)
        );
        found += usize::from(output.status.code() == Some(2));
    }
    assert!(found > 20, "only {found} of 60 were found");
}

#[test]
fn what_cannot_be_converted_leaves_nothing() {
    let case = Case::new();
    case.file("bad.csv", b"at,sensor,value\n0,t1,36\n1,t1,warm\n");
    let output = case.harit(&["convert", "--telemetry", "bad.csv", "--out", "t.parquet"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("bad.csv:3: \"warm\" is not a number"),
        "{}",
        stderr(&output)
    );
    assert_eq!(case.files(), ["bad.csv", "farm.json"]);
    let output = case.harit(&[
        "convert",
        "--telemetry",
        "bad.csv",
        "--out",
        "t.parquet",
        "--skip-bad",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        case.outcome("t.parquet", None)
            .1
            .contains("readings              1")
    );
    let output = case.harit(&["convert", "--telemetry", "t.parquet", "--out", "u.parquet"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("in columns already"),
        "{}",
        stderr(&output)
    );
}
