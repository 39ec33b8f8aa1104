//! A recorded log as text: what `harit replay --telemetry` reads.

use harit_engine::{Decimal, InputKind};

use harit_protocol::csv::{self, Row};
use harit_protocol::{canonical, jsonl as lines};

/// A row is refused with a reason, or it has exactly its three fields; written plainly it is the same row, and where its
/// value is a number of JSON, the same reading as in a line of inputs.
pub fn replay_csv(data: &[u8]) {
    for line in data.split(|b| *b == b'\n') {
        let read = csv::parse(line);
        if csv::is_header(line) {
            assert!(read.is_err(), "the header is a row: {read:?}");
        }
        match read {
            Err(reason) => assert!(!reason.is_empty()),
            Ok(None) => assert!(line.trim_ascii().is_empty()),
            Ok(Some(row)) => holds(&row, line),
        }
    }
}

fn holds(row: &Row<'_>, line: &[u8]) {
    assert_eq!(line.iter().filter(|b| **b == b',').count(), 2);
    assert!(!row.sensor.is_empty());
    let plain = format!("{},{},{}", row.at.as_millis(), row.sensor, row.text);
    for end in ["", "\r", " "] {
        let line = format!("{plain}{end}");
        let again = csv::parse(line.as_bytes());
        assert_eq!(again.as_ref(), Ok(&Some(Row { ..*row })), "{line:?}");
    }
    // The engine's numbers are wider than JSON's grammar (`+5`, `.5`); what JSON has must mean the same in both.
    if Decimal::parse(row.text).is_some() && serde_json::from_str::<f64>(row.text).is_ok() {
        let sensor = serde_json::to_string(row.sensor).expect("text is JSON");
        let line = format!(
            r#"{{"at":{},"input":"reading","sensor":{sensor},"value":{}}}"#,
            row.at.as_millis(),
            row.text
        );
        let input = lines::parse(&line).expect("a reading");
        let reading = InputKind::Reading {
            sensor: row.sensor.into(),
            value: canonical(row.value),
        };
        assert_eq!((input.at, input.kind), (row.at, reading), "{line}");
    }
}
