//! What a running server says of itself, asked where its configuration says that it listens.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::finding::Findings;
use crate::config::Config;
use crate::readiness::{Asked, Readiness, own_url};

const CHECK: &str = "server";

/// Asks it; where none answers, looks whether one has the directory.
pub(super) fn look(config: &Config, dir: &Path, all: &mut Findings) {
    let url = own_url(config.server.http);
    let Ok(runtime) = super::runtime() else {
        return;
    };
    let token = &config.server.metrics_token;
    let asked = Asked::at(&url);
    let (readiness, metrics) = runtime.block_on(async {
        match asked {
            Ok(asked) => (asked.readiness().await, Some(asked.metrics(token).await)),
            Err(e) => (Err(e), None),
        }
    });
    match readiness {
        Ok(_) if !is_taken(dir) => {
            let said = format!("a server answers at {url}, but it does not use this directory");
            all.warning(
                CHECK,
                said,
                "--config and --data-dir as the server has them?",
            );
        }
        Ok(found) => {
            ready(&url, &found, all);
            match metrics {
                Some(Ok(text)) => counted(&text, all),
                _ => {
                    let to_do = "with server.behind_tls they need server.metrics_token";
                    all.warning("metrics", format!("{url}/metrics refuses"), to_do);
                }
            }
        }
        Err(_) if is_taken(dir) => {
            let said = format!("a server has the directory, and {url}/readyz does not answer");
            let to_do = "--config as the server has it? Else it hangs or still replays its journal: see its log";
            all.fault(CHECK, said, to_do);
        }
        Err(_) if runtime.block_on(is_elsewhere(config)) => {
            let said = format!(
                "none is at work here: another one has the records, and nothing answers at {url}"
            );
            all.ok(CHECK, said);
        }
        Err(_) => all.ok(CHECK, format!("none runs: nothing answers at {url}")),
    }
}

/// Whether the records are where another server may have them, and one has.
async fn is_elsewhere(config: &Config) -> bool {
    let Ok(records) = config.records() else {
        return false;
    };
    match records.postgres() {
        Some(url) => records.is_written(url).await.unwrap_or(false),
        None => false,
    }
}

fn ready(url: &str, found: &Readiness, all: &mut Findings) {
    if found.ready {
        return all.ok(CHECK, format!("{url} is ready"));
    }
    for (problem, reason) in found.problems.iter().zip(&found.reasons) {
        let to_do = match problem.as_str() {
            "journal" | "history" | "store" => {
                "is the disk full or failing? The server goes on by itself when it can write again"
            }
            "shard" => {
                "the log says why; it is tried again for ten minutes, after that restart the server"
            }
            "farm" => {
                "restart the server; if the farm fails again, report the log and keep the journal"
            }
            "broker" => "harit check-config --connect says what the broker answers",
            _ => "the server's log says why",
        };
        all.fault(CHECK, reason.as_str(), to_do);
    }
}

/// Whether a process holds the directory's lock.
fn is_taken(dir: &Path) -> bool {
    // shared and for an instant: two that look do not disturb each other
    File::open(dir.join("LOCK"))
        .is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The process that holds it, as far as the system says.
pub(super) fn holder(dir: &Path) -> Option<u32> {
    let inode = format!(":{}", fs::metadata(dir.join("LOCK")).ok()?.ino());
    let locks = fs::read_to_string("/proc/locks").ok()?;
    // 1: FLOCK  ADVISORY  WRITE 4711 fd:01:131073 0 EOF
    locks.lines().find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, "FLOCK", _, "WRITE", pid, file, ..] = words[..] else {
            return None;
        };
        file.ends_with(&inode).then(|| pid.parse().ok())?
    })
}

/// Says what it does, and what of it went wrong since its start.
fn counted(text: &str, all: &mut Findings) {
    const CHECK: &str = "metrics";
    let sum = |name: &str, label: &str| {
        samples(text, name)
            .filter(|(l, _)| l.contains(label))
            .map(|(_, v)| v)
            .sum::<f64>()
    };
    for (name, what, to_do) in [
        (
            "harit_journal_errors_total",
            "batches could not be written to the journal at once",
            "is the disk full or failing?",
        ),
        (
            "harit_records_errors_total",
            "reads or writes of the records failed",
            "is the disk full or failing?",
        ),
        (
            "harit_audit_errors_total",
            "entries of the audit log could not be written",
            "harit verify-log",
        ),
        (
            "harit_shard_failures_total",
            "times a shard failed and was started again",
            "report the log's lines",
        ),
        (
            "harit_history_dropped_total",
            "entries are missing in the history",
            "was the disk full?",
        ),
        (
            "harit_http_panics_total",
            "requests ended in a fault of the program",
            "report the log's lines with \"panicked\"",
        ),
    ] {
        let n = sum(name, "");
        if n > 0.0 {
            all.warning(CHECK, format!("since its start {n} {what}"), to_do);
        }
    }
    for (labels, _) in samples(text, "harit_gateway_up").filter(|(_, v)| *v < 1.0) {
        let to_do = "the log has its answer: a password, credit, the network. Messages wait";
        all.warning(CHECK, format!("a gateway takes nothing: {labels}"), to_do);
    }
    let failed = sum("harit_commands_total", "timed_out") + sum("harit_commands_total", "failed");
    if failed > 0.0 {
        let said = format!("since its start {failed} commands failed or were not answered");
        all.warning(
            CHECK,
            said,
            "the farm's log says of which device; is its controller online?",
        );
    }
    let said = format!(
        "{} readings and {} refused messages since its start; {} MQTT connections, {} messages wait for shards, {} for gateways",
        sum("harit_readings_total", ""),
        sum("harit_dead_letters_total", ""),
        sum("harit_mqtt_connections", ""),
        sum("harit_queue_depth", ""),
        sum("harit_messages_waiting", ""),
    );
    all.ok(CHECK, said);
}

/// The samples of a metric: labels and value.
fn samples<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
    text.lines().filter_map(move |line| {
        let rest = line.strip_prefix(name)?;
        let (labels, value) = rest.rsplit_once(' ')?;
        let is_its = labels.is_empty() || labels.starts_with('{');
        Some((labels, value.parse().ok().filter(|_| is_its)?))
    })
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn what_went_wrong_is_told_from_the_metrics() {
        let calm = "# HELP harit_readings_total Readings taken\nharit_readings_total 12\nharit_readings_total_more 5\n\
                    harit_journal_errors_total 0\nharit_gateway_up{channel=\"SMS\"} 1\n\
                    harit_commands_total{state=\"acked\"} 7\n";
        let mut all = Findings::default();
        counted(calm, &mut all);
        assert_eq!(all.verdict(), Verdict::Ok, "{}", all.text());
        assert!(all.text().contains("12 readings"), "{}", all.text());
        for wrong in [
            "harit_journal_errors_total 3",
            "harit_gateway_up{channel=\"SMS\"} 0",
            "harit_commands_total{state=\"timed_out\"} 1",
            "harit_shard_failures_total{shard=\"1\"} 1",
        ] {
            let mut all = Findings::default();
            counted(wrong, &mut all);
            assert_eq!(all.verdict(), Verdict::Warning, "{wrong}");
        }
    }

    #[test]
    fn each_reason_is_a_fault() {
        let found = Readiness {
            ready: false,
            problems: vec!["journal".into(), "broker".into()],
            reasons: vec![
                "the journal cannot be written".into(),
                "not connected to: ttn".into(),
            ],
        };
        let mut all = Findings::default();
        ready("http://farm", &found, &mut all);
        let text = all.text();
        assert!(
            text.contains("not connected to: ttn") && text.contains("--connect"),
            "{text}"
        );
        assert_eq!(all.of(CHECK).len(), 2);
        assert_eq!(all.verdict(), Verdict::Fault);
    }

    #[test]
    fn who_has_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_taken(dir.path()));
        let lock = File::create(dir.path().join("LOCK")).unwrap();
        assert!(!is_taken(dir.path()));
        assert_eq!(holder(dir.path()), None);
        lock.try_lock().unwrap();
        assert!(is_taken(dir.path()));
        assert_eq!(holder(dir.path()), Some(std::process::id()));
    }
}
