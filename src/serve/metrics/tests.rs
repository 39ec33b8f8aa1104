//! That what the program counts is described.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use metrics_exporter_prometheus::PrometheusBuilder;

use super::*;

/// The names that the program's own code gives to one macro.
fn used(dir: &Path, macro_name: &str, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            used(&path, macro_name, names);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let call = format!("{macro_name}!(");
            let calls = text.split(call.as_str()).skip(1);
            let literals = calls.filter_map(|c| c.trim_start().strip_prefix("\"harit_"));
            names.extend(literals.map(|l| format!("harit_{}", l.split('"').next().unwrap())));
        }
    }
}

#[test]
fn every_metric_says_what_it_is_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (macro_name, table) in [
        ("counter", COUNTERS),
        ("gauge", GAUGES),
        ("histogram", HISTOGRAMS),
    ] {
        let mut names = BTreeSet::new();
        for part in [
            "src",
            "api/src",
            "ingest/src",
            "journal/src",
            "farm/src",
            "gateways/src",
        ] {
            used(&root.join(part), macro_name, &mut names);
        }
        let told: BTreeSet<String> = table.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(names, told, "{macro_name}");
    }
}

#[test]
fn the_text_has_a_help_line_a_family() {
    let recorder = PrometheusBuilder::new().build_recorder();
    metrics::with_local_recorder(&recorder, || {
        describe();
        metrics::counter!("harit_readings_total").increment(1);
    });
    let text = recorder.handle().render();
    assert!(
        text.contains("# HELP harit_readings_total Readings taken\n"),
        "{text}"
    );
    let version = env!("CARGO_PKG_VERSION");
    let build = format!("harit_build_info{{version=\"{version}\"}} 1");
    assert!(text.contains(&build), "{text}");
}
