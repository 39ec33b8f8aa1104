//! What alerts and dashboards outside need beside what the parts count: counters that are there before anything went wrong, and
//! how much room the disk has.
//!
//! `increase()` of a counter that begins with 1 is 0, so the first error of a process would raise no alert.

use std::path::Path;

use metrics::{counter, gauge};
use rustix::fs::statvfs;

/// Counters of `packaging/prometheus/harit.rules.yml` that are 0 from the start.
const COUNTERS: &[&str] = &[
    "harit_archive_copy_failures_total",
    "harit_archive_failures_total",
    "harit_archive_lost_total",
    "harit_archive_skipped_total",
    "harit_audit_errors_total",
    "harit_backup_failures_total",
    "harit_clock_steps_total",
    "harit_history_dropped_total",
    "harit_history_errors_total",
    "harit_history_trimmed_total",
    "harit_http_connections_refused_total",
    "harit_http_panics_total",
    "harit_journal_errors_total",
    "harit_notification_errors_total",
    "harit_readings_total",
    "harit_records_errors_total",
];
/// The same where one label tells them apart.
const BY_LABEL: &[(&str, &str, &[&str])] = &[
    (
        "harit_commands_total",
        "state",
        &["queued", "failed", "timed_out"],
    ),
    ("harit_sign_ins_total", "result", &["failed"]),
];
/// How messages to people go, and how they are given up.
const CHANNELS: [&str; 5] = ["EMAIL", "SMS", "WHATSAPP", "WEBHOOK", "PUSH"];
const GIVEN_UP: [&str; 6] = [
    "refused",
    "too_late",
    "undelivered",
    "too_many",
    "unreadable",
    "no_gateway",
];

/// Has the counters be there.
pub(super) fn begin(shards: usize) {
    for name in COUNTERS {
        counter!(*name).increment(0);
    }
    for (name, label, values) in BY_LABEL {
        for value in *values {
            counter!(*name, *label => *value).increment(0);
        }
    }
    for shard in 0..shards {
        counter!("harit_shard_failures_total", "shard" => shard.to_string()).increment(0);
    }
    for channel in CHANNELS {
        for result in GIVEN_UP {
            counter!("harit_messages_total", "channel" => channel, "result" => result).increment(0);
        }
    }
}

/// Says how much room the disk of the data directory has for the server's own user. Where the system does not say, it stays
/// what it was.
#[allow(clippy::cast_precision_loss, reason = "metrics")]
pub(super) fn disk(data_dir: &Path) {
    let Ok(found) = statvfs(data_dir) else { return };
    gauge!("harit_disk_bytes").set((found.f_blocks * found.f_frsize) as f64);
    gauge!("harit_disk_free_bytes").set((found.f_bavail * found.f_frsize) as f64);
    // some file systems have no table of inodes
    if found.f_files > 0 {
        gauge!("harit_disk_free_inodes").set(found.f_favail as f64);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use metrics_exporter_prometheus::PrometheusBuilder;
    use serde_json::Value;

    use super::super::metrics::{is_histogram, names};
    use super::*;

    const RULES: &str = include_str!("../../packaging/prometheus/harit.rules.yml");
    const RULE_TESTS: &str = include_str!("../../packaging/prometheus/harit.rules.test.yml");
    const DASHBOARD: &str = include_str!("../../packaging/grafana/harit.json");

    /// The metrics that a text names; a summary's sum and count are the summary's.
    fn named(text: &str) -> BTreeSet<String> {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = text.split(|c| !word(c)).filter(|w| w.starts_with("harit_"));
        words
            .map(|w| {
                let base = ["_sum", "_count"].iter().find_map(|s| w.strip_suffix(s));
                base.filter(|b| is_histogram(b)).unwrap_or(w).to_owned()
            })
            .collect()
    }

    /// The lines' values after a key: `- alert: NAME`.
    fn values<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
        text.lines()
            .filter_map(|l| l.trim_start_matches([' ', '-']).strip_prefix(key))
            .map(str::trim)
            .collect()
    }

    fn dashboard() -> Value {
        serde_json::from_str(DASHBOARD).unwrap()
    }

    fn panels(dashboard: &Value) -> &[Value] {
        dashboard["panels"].as_array().unwrap()
    }

    fn expressions(dashboard: &Value) -> Vec<&str> {
        let targets = panels(dashboard)
            .iter()
            .filter_map(|p| p["targets"].as_array())
            .flatten();
        targets.map(|t| t["expr"].as_str().unwrap()).collect()
    }

    #[test]
    fn rules_and_dashboard_name_metrics_that_are_there() {
        let dashboard = dashboard();
        let expressions = expressions(&dashboard).join(" ");
        assert!(named(RULES).len() > 20 && named(&expressions).len() > 20);
        let groups = values(RULES, "name:");
        for name in named(RULES).into_iter().chain(named(&expressions)) {
            let is_known = names().any(|n| n == name) || groups.contains(&name.as_str());
            assert!(is_known, "{name}");
        }
    }

    #[test]
    fn every_alert_says_how_bad_it_is_and_what_to_do_and_is_tested() {
        let alerts = values(RULES, "alert:");
        let count = |key| values(RULES, key).into_iter().filter(|v| v.len() > 10);
        assert_eq!(alerts.len(), count("summary:").count());
        assert_eq!(alerts.len(), count("to_do:").count());
        let severities = values(RULES, "labels:");
        assert_eq!(alerts.len(), severities.len());
        for severity in severities {
            assert!(["{severity: critical}", "{severity: warning}"].contains(&severity));
        }
        for alert in alerts {
            assert!(
                RULE_TESTS.contains(&format!("name: {alert} fires")),
                "{alert}"
            );
        }
    }

    #[test]
    fn what_alerts_count_is_there_from_the_start() {
        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || begin(2));
        let text = recorder.handle().render();
        for line in [
            "harit_journal_errors_total 0",
            "harit_commands_total{state=\"timed_out\"} 0",
            "harit_shard_failures_total{shard=\"1\"} 0",
            "harit_messages_total{channel=\"SMS\",result=\"too_late\"} 0",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }

    #[test]
    fn the_disk_has_room() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let dir = tempfile::tempdir().unwrap();
        metrics::with_local_recorder(&recorder, || disk(dir.path()));
        let text = recorder.handle().render();
        let value = |name: &str| {
            let line = text.lines().find_map(|l| l.strip_prefix(name));
            line.and_then(|l| l.trim().parse::<f64>().ok()).unwrap()
        };
        let free = value("harit_disk_free_bytes ");
        assert!(free > 0.0 && free <= value("harit_disk_bytes "));
    }

    #[test]
    fn panels_stand_beside_each_other() {
        let dashboard = dashboard();
        let mut ids = BTreeSet::new();
        let mut taken = BTreeSet::new();
        for panel in panels(&dashboard) {
            let title = panel["title"].as_str().unwrap();
            assert!(
                ids.insert(panel["id"].as_u64().unwrap()),
                "{title}: its id is another's"
            );
            let of = |key: &str| panel["gridPos"][key].as_u64().unwrap();
            assert!(of("x") + of("w") <= 24, "{title} is beyond the edge");
            for x in of("x")..of("x") + of("w") {
                for y in of("y")..of("y") + of("h") {
                    assert!(taken.insert((x, y)), "{title} covers another panel");
                }
            }
            if panel["type"] == "row" {
                continue;
            }
            assert!(
                ["stat", "timeseries", "table"].contains(&panel["type"].as_str().unwrap()),
                "{title}"
            );
            assert_eq!(panel["datasource"]["uid"], "${datasource}", "{title}");
            assert!(!panel["targets"].as_array().unwrap().is_empty(), "{title}");
            assert!(
                panel["fieldConfig"]["defaults"]["unit"].is_string(),
                "{title} has no unit"
            );
        }
        for expression in expressions(&dashboard) {
            assert!(
                expression.contains("instance=~\"$instance\""),
                "{expression} is of every server"
            );
        }
    }
}
