//! What controllers send.

use harit_protocol::{Ack, Format, MAX_SENSORS, Report, Topic, canonical};

/// A telemetry payload ends with an answer: messages whose items are all there, or a reason.
pub fn telemetry(data: &[u8]) {
    telemetry_in(Format::Json, data);
}

/// A SenML pack likewise.
pub fn senml(data: &[u8]) {
    telemetry_in(Format::SenMl, data);
}

fn telemetry_in(format: Format, data: &[u8]) {
    let Ok(read) = format.read(data) else {
        return;
    };
    let mut next = 0;
    for message in &read.messages {
        let items = &message.items;
        assert!(items.start >= next && items.start <= items.end, "{items:?}");
        assert!(items.end <= read.items.len(), "{items:?}");
        assert!(items.len() <= MAX_SENSORS, "{items:?}");
        next = items.end;
    }
    for item in &read.items {
        let once = canonical(item.value);
        assert_eq!(canonical(once), once);
    }
    assert_eq!(format.read(data), Ok(read));
}

/// A topic that is understood has one spelling.
pub fn topic(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(topic) = Topic::parse(text) {
        let spelled = format!(
            "harit/1/{}/{}/{}",
            topic.farm,
            topic.mac,
            topic.kind.as_str()
        );
        assert_eq!(spelled, text);
    }
}

/// A state payload that is understood reads back as it was journaled.
pub fn state(data: &[u8]) {
    let mut bad = vec![];
    if let Ok(report) = Report::read(data, &mut bad) {
        let journaled = serde_json::to_string(&report).expect("a report is JSON");
        let back: Report = serde_json::from_str(&journaled).expect("and reads back");
        assert_eq!(back, report, "{journaled}");
    }
}

/// An ack ends with an answer, the same each time.
pub fn ack(data: &[u8]) {
    let read = Ack::read(data);
    assert_eq!(Ack::read(data), read);
}
