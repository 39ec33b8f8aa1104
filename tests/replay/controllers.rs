//! Files with what controllers say: the whole farm is folded.

use harit_farm::{Farm, FarmFile};
use harit_protocol::jsonl::Line;
use serde_json::{Value, json};

use super::{Case, FARM, fired, stderr};

const MAC: &str = "A4CF120B9E01";

/// A fan that is told to run after a minute of heat, and does not.
fn lines() -> Vec<Value> {
    let telemetry = json!({"at": 0, "input": "telemetry", "mac": MAC, "ts": 0, "seq": 1, "crc": 7,
        "sensors": [{"id": "t1", "type": "temperature", "unit": "°C", "value": 36}]});
    vec![
        json!({"at": 0, "input": "controller", "mac": MAC, "scope": {"type": "farm"}}),
        json!({"at": 0, "input": "report", "mac": MAC,
            "report": {"online": true, "devices": [{"id": "fan-1", "type": "fan", "on": false}]}}),
        telemetry.clone(),
        // The same message again is no second sample.
        telemetry,
        json!({"at": 60_000, "input": "tick"}),
        json!({"at": 60_000, "input": "unsent", "commands": [1]}),
        json!({"at": 60_500, "input": "way_out"}),
        json!({"at": 61_000, "input": "ack", "mac": MAC, "command": 1, "status": "ack"}),
        json!({"at": 90_000, "input": "tick"}),
        json!({"at": 91_000, "input": "gone", "mac": MAC}),
    ]
}

fn file(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn told_again() -> Value {
    json!({"at": 90000, "event": "command", "command_id": "f1-2", "device": "fan-1", "action": "on", "value": 100, "cause": "corrected"})
}

/// The readings of a summary.
fn readings(summary: &[u8]) -> String {
    let summary = String::from_utf8(summary.to_vec()).unwrap();
    let line = summary.lines().find(|l| l.starts_with("readings"));
    line.unwrap().split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
fn a_device_that_does_not_obey_is_told_again_with_its_cause() {
    let case = Case::new();
    case.file("inputs.jsonl", file(&lines()).as_bytes());
    let output = case.run(&["--inputs", "inputs.jsonl", "--out", "events.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let expected = [fired(), vec![told_again()]].concat();
    assert_eq!(case.events("events.jsonl"), expected);
    assert_eq!(readings(&output.stdout), "1");
}

#[test]
fn a_farm_with_its_state_goes_on_from_there() {
    let (before, after) = (&lines()[..7], &lines()[7..]);
    let mut farm: Farm = FarmFile::read(&serde_json::from_str(FARM).unwrap()).unwrap();
    for line in before {
        let text = line.to_string();
        farm.apply_line(Line::parse(&text).unwrap(), &mut ())
            .unwrap();
    }
    let whole = serde_json::to_value(FarmFile::of(&farm).unwrap()).unwrap();
    let case = Case::new();
    case.file("farm.json", whole.to_string().as_bytes());
    case.file("inputs.jsonl", file(after).as_bytes());
    let output = case.run(&["--inputs", "inputs.jsonl", "--out", "events.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(case.events("events.jsonl"), [told_again()]);
    assert_eq!(readings(&output.stdout), "0");
    // Readings alone go on from there too.
    case.file("t.csv", b"at,sensor,value\n95000,t1,36\n");
    let output = case.run(&["--telemetry", "t.csv"]);
    assert_eq!(readings(&output.stdout), "1", "{}", stderr(&output));
    // With another document beside it nobody would know which holds.
    let mut other = whole;
    other["rules"] = json!([]);
    case.file("farm.json", other.to_string().as_bytes());
    let output = case.run(&["--inputs", "inputs.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("farm.json: the document is not the snapshot's"),
        "{}",
        stderr(&output)
    );
    // Without the state it is a farm that never did anything.
    other["snapshot"] = Value::Null;
    case.file("farm.json", other.to_string().as_bytes());
    let output = case.run(&["--inputs", "inputs.jsonl", "--out", "events.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(case.events("events.jsonl"), [Value::Null; 0]);
}

#[test]
fn a_line_of_a_controller_that_is_malformed_is_named() {
    let case = Case::new();
    let bad = json!({"at": 5, "input": "gone", "mac": "A4CF"});
    let lines = [&lines()[..2], &[bad]].concat();
    case.file("i.jsonl", file(&lines).as_bytes());
    let output = case.run(&["--inputs", "i.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    let expected = "i.jsonl:3: mac: \"A4CF\" is not a MAC";
    assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    let output = case.run(&["--inputs", "i.jsonl", "--skip-bad"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}
