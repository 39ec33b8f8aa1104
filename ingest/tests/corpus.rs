//! The committed corpora of the fuzz targets of this crate's parsers and of the replay's rows, run as ordinary tests.

use harit_fuzz_targets as targets;

#[test]
fn what_was_found_stays_found() {
    for (name, target) in [
        ("telemetry", targets::telemetry as fn(&[u8])),
        ("senml", targets::senml),
        ("topic", targets::topic),
        ("state", targets::state),
        ("ack", targets::ack),
        ("jsonl", targets::jsonl),
        ("replay_csv", targets::replay_csv),
        ("journal_batch", targets::journal_batch),
    ] {
        let files = targets::replay(name, target).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(files >= 3, "{name}: only {files} files");
    }
}
