//! `harit replay` as people run it: the binary, files, exit codes.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod columns;
mod controllers;

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

/// The binary; `HARIT_BIN` names another one, such as a release build or one of another architecture.
fn binary() -> OsString {
    let given = std::env::var_os("HARIT_BIN");
    given.unwrap_or_else(|| env!("CARGO_BIN_EXE_harit").into())
}

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
        Command::new(binary())
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
        let output = Command::new(binary())
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
