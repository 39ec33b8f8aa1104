//! Whatever bytes come, reading them ends with an answer.

use harit_protocol::{Ack, Format, Report};

proptest::proptest! {
    /// Whatever a controller sends, reading it ends with an answer.
    #[test]
    fn no_payload_panics(cuts in proptest::collection::vec((0_usize..400, proptest::num::u8::ANY), 0..6), n in 0_usize..400) {
        let mut payload = r#"[{"ts":1700000000000,"seq":7,"x":[[{"a":"\u00e9"}]],"sensors":[{"id":"t\n1","type":"temperature","unit":"°C","latestValue":-27.4e-3},{"type":"ph","latestValue":null}]},{"online":true,"devices":[{"id":"fan-1","type":"fan","on":true,"value":1e400,"lock":null}],"command_id":"f-1","status":"ack"}]"#.as_bytes().to_vec();
        for (at, byte) in cuts {
            if let Some(b) = payload.get_mut(at) {
                *b = byte;
            }
        }
        payload.truncate(payload.len().saturating_sub(n % 40));
        for from in [0, 1, payload.len().min(n)] {
            let part = &payload[from.min(payload.len())..];
            for format in Format::ALL {
                let _ = format.read(part);
            }
            let _ = Ack::read(part);
            let mut bad = vec![];
            let _ = Report::read(part, &mut bad);
            let _ = std::str::from_utf8(part).map(harit_protocol::jsonl::Line::parse);
        }
    }
}
