//! The committed corpora of the fuzz targets that need the engine alone, run as ordinary tests.

use harit_fuzz_targets as targets;

#[test]
fn what_was_found_stays_found() {
    for (name, target) in [
        ("number", targets::number as fn(&[u8])),
        ("rule_document", targets::rule_document),
        ("alert_document", targets::alert_document),
        ("farm_document", targets::farm_document),
        ("snapshot", targets::snapshot),
        ("engine_inputs", targets::engine_inputs),
    ] {
        let files = targets::replay(name, target).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(files >= 3, "{name}: only {files} files");
    }
}
