//! What came of a run: a table for people, a line of CSV for machines.

use std::fmt::{self, Write as _};
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use crate::args::LoadArgs;
use crate::run::{Arrival, Seen};
use crate::server::Counters;
use crate::stats::{Latencies, Stats};

/// How many instants of the server's memory are told.
const MEMORY_POINTS: usize = 5;
/// Failures that are told.
const TOLD: usize = 3;
/// What must not have grown on a server that took everything.
const TROUBLE: [&str; 5] = [
    "harit_dead_letters_total",
    "harit_late_total",
    "harit_faults_total",
    "harit_unknown_sensor_total",
    "harit_mqtt_throttled_total",
];

/// What rules did and what became of commands.
const DONE: [&str; 6] = [
    r#"harit_events_total{event="rule_fired"}"#,
    r#"harit_events_total{event="rule_stopped"}"#,
    r#"harit_events_total{event="command"}"#,
    r#"harit_commands_total{state="confirmed"}"#,
    r#"harit_commands_total{state="failed"}"#,
    r#"harit_commands_total{state="timed_out"}"#,
];

/// What the server says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Counted {
    readings: u64,
    commands: u64,
    done: [u64; DONE.len()],
    trouble: Vec<(&'static str, u64)>,
}

/// The results of one run.
#[derive(Debug)]
pub struct Outcome {
    args: LoadArgs,
    frame_bytes: usize,
    stats: Stats,
    seen: Seen,
    counted: Option<Counted>,
}

impl Outcome {
    pub(crate) fn new(
        args: &LoadArgs,
        frame_bytes: usize,
        stats: Stats,
        seen: Seen,
        before: Option<Counters>,
        after: Option<Counters>,
    ) -> Self {
        let counted = before.zip(after).map(|(before, after)| Counted {
            readings: after.since(&before, "harit_readings_total"),
            commands: after.since(&before, "harit_mqtt_sent_total"),
            done: DONE.map(|series| after.since(&before, series)),
            trouble: TROUBLE
                .map(|name| (name, after.since(&before, name)))
                .into_iter()
                .filter(|(_, n)| *n > 0)
                .collect(),
        });
        Self {
            args: args.clone(),
            frame_bytes,
            stats,
            seen,
            counted,
        }
    }

    /// Whether every connection lived to the end and the server has what it acknowledged.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let lost = |c: &Counted| c.readings < self.stats.values;
        self.stats.failures.is_empty()
            && self.stats.taken == self.stats.sent
            && !self.counted.as_ref().is_some_and(lost)
    }

    fn rate(&self, n: u64) -> u64 {
        n / u64::from(self.args.seconds)
    }

    fn mode(&self) -> String {
        let a = &self.args;
        let pace = match (a.rate, a.window) {
            (Some(rate), _) => format!("{rate} messages/s"),
            (None, 1) => "each waits for each acknowledgement".to_owned(),
            (None, window) => format!("up to {window} unacknowledged each"),
        };
        let idle = match (a.idle, a.reconnects) {
            (0, _) => String::new(),
            (idle, 0) => format!("{idle} idle, "),
            (idle, reconnects) => format!("{idle} idle ({reconnects} a second reconnect), "),
        };
        let values = if a.wander.wanders() {
            format!("wandering by {}", a.wander.part())
        } else {
            "calm".to_owned()
        };
        format!(
            "{} connections, {idle}{pace}, QoS {}, {} values a message ({} bytes), {values}, {} s",
            a.connections, a.qos, a.values, self.frame_bytes, a.seconds
        )
    }
}

fn ms(d: Duration) -> String {
    format!("{:.2}", d.as_secs_f64() * 1_000.0)
}

fn latencies(out: &mut String, what: &str, l: &Latencies) {
    if l.count() == 0 {
        return;
    }
    let [p50, p90, p99, p999, max] = [50.0, 90.0, 99.0, 99.9, 100.0].map(|p| ms(l.at(p)));
    // Writing to a string does not fail, here and below.
    let _ = writeln!(
        out,
        "{what:<22} p50 {p50} ms   p90 {p90}   p99 {p99}   p99.9 {p999}   max {max}   ({} measured)",
        l.count()
    );
}

#[allow(clippy::cast_precision_loss, reason = "told with one decimal")]
fn mib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 20))
}

/// How the idle controllers came in.
fn arrival(out: &mut String, idle: u32, a: &Arrival) {
    let each = f64::from(idle);
    let within = a.within.as_secs_f64();
    let _ = write!(
        out,
        "{:<22} {idle} connected within {within:.1} s, {:.0}/s",
        "idle controllers",
        each / within
    );
    if let Some(time) = a.server {
        let us = time.as_secs_f64() * 1e6 / each;
        let _ = write!(out, ", {us:.0} µs of the server's processor each");
    }
    out.push('\n');
    if let Some((before, after)) = a.memory {
        let _ = writeln!(
            out,
            "{:<22} {} MiB before them, {} with them, {} bytes each",
            "server memory",
            mib(before),
            mib(after),
            after.saturating_sub(before) / u64::from(idle)
        );
    }
}

/// Some of them, evenly spread, the first and the last among them.
fn spread(all: &[u64]) -> Vec<u64> {
    let points = MEMORY_POINTS.min(all.len());
    (0..points)
        .map(|i| all[i * (all.len() - 1) / (points - 1).max(1)])
        .collect()
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = &self.stats;
        let mut out = format!("{}\n", self.mode());
        if let Some(a) = &self.seen.arrival {
            arrival(&mut out, self.args.idle, a);
        }
        let _ = writeln!(
            out,
            "{:<22} {} messages/s, {} readings/s",
            "acknowledged",
            self.rate(s.measured),
            self.rate(s.measured_values)
        );
        latencies(&mut out, "publish to PUBACK", &s.ack);
        latencies(&mut out, "publish to command", &s.command);
        if s.no_command > 0 {
            let _ = writeln!(out, "{:<22} {} never came", "commands", s.no_command);
        }
        latencies(&mut out, "reconnect to CONNACK", &s.accepted);
        latencies(&mut out, "reconnect to PUBACK", &s.born);
        latencies(&mut out, "generator late by", &s.late);
        let _ = writeln!(
            out,
            "{:<22} {} messages sent, {} acknowledged, {} readings in them",
            "in all", s.sent, s.taken, s.values
        );
        match &self.counted {
            None => {
                let _ = writeln!(out, "{:<22} not asked (--http)", "server counted");
            }
            Some(c) => {
                let verdict = match c.readings.cmp(&s.values) {
                    std::cmp::Ordering::Equal => "nothing lost".to_owned(),
                    std::cmp::Ordering::Less => format!("{} LOST", s.values - c.readings),
                    std::cmp::Ordering::Greater => {
                        format!("{} more than acknowledged", c.readings - s.values)
                    }
                };
                let _ = writeln!(
                    out,
                    "{:<22} {} readings: {verdict}; {} messages to controllers",
                    "server counted", c.readings, c.commands
                );
                let [fired, stopped, commands, confirmed, failed, silent] = c.done;
                let _ = writeln!(
                    out,
                    "{:<22} {fired} rules fired, {stopped} stopped; {commands} commands, {confirmed} confirmed, {failed} failed, {silent} timed out",
                    ""
                );
                for (name, n) in &c.trouble {
                    let _ = writeln!(out, "{:<22} {name} {n}", "");
                }
            }
        }
        if !self.seen.memory.is_empty() {
            let points: Vec<String> = spread(&self.seen.memory).into_iter().map(mib).collect();
            let most = self.seen.memory.iter().copied().max().unwrap_or(0);
            let _ = writeln!(
                out,
                "{:<22} {} MiB over time, {} at most",
                "server memory",
                points.join(", "),
                mib(most)
            );
        }
        for (who, time) in [("server", self.seen.server), ("generator", self.seen.own)] {
            if let Some(time) = time {
                let us = time.as_secs_f64() * 1e6;
                #[allow(clippy::cast_precision_loss, reason = "told with two decimals")]
                let each = us / s.measured.max(1) as f64;
                let cores = time.as_secs_f64() / f64::from(self.args.seconds);
                let _ = writeln!(
                    out,
                    "{:<22} {cores:.2} cores, {each:.2} µs a message",
                    format!("{who} processor")
                );
            }
        }
        for failure in s.failures.iter().take(TOLD) {
            let _ = writeln!(out, "{:<22} {failure}", "a connection failed");
        }
        if s.failures.len() > TOLD {
            let more = s.failures.len() - TOLD;
            let _ = writeln!(out, "{:<22} {more} more failed", "");
        }
        f.write_str(&out)
    }
}

const COLUMNS: &str = "connections,window,rate,qos,values,shape,message_bytes,seconds,messages_per_sec,readings_per_sec,\
ack_p50_us,ack_p90_us,ack_p99_us,ack_p999_us,ack_max_us,commands,command_p50_us,command_p90_us,command_p99_us,\
command_p999_us,command_max_us,sent,acknowledged,readings,counted,server_memory_first,server_memory_last,\
server_memory_max,server_cpu_ms,generator_cpu_ms,idle,reconnects,idle_within_ms,server_memory_without_idle,\
server_memory_with_idle,server_cpu_idle_ms,reconnected,connack_p50_us,connack_p90_us,connack_p99_us,connack_p999_us,connack_max_us,\
birth_p50_us,birth_p90_us,birth_p99_us,birth_p999_us,birth_max_us,wander,rules_fired,rules_stopped,commands_made,\
commands_confirmed,commands_failed,commands_timed_out";

impl Outcome {
    fn csv(&self) -> String {
        let (a, s) = (&self.args, &self.stats);
        let or_empty = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
        let ms_of = |d: Option<Duration>| d.map(|d| u64::try_from(d.as_millis()).unwrap_or(0));
        let five = |l: &Latencies| {
            [50.0, 90.0, 99.0, 99.9, 100.0].map(|p| l.at(p).as_micros().to_string())
        };
        let mut fields = vec![
            a.connections.to_string(),
            a.window.to_string(),
            or_empty(a.rate.map(u64::from)),
            a.qos.to_string(),
            a.values.to_string(),
            a.shape.as_str().to_owned(),
            self.frame_bytes.to_string(),
            a.seconds.to_string(),
            self.rate(s.measured).to_string(),
            self.rate(s.measured_values).to_string(),
        ];
        fields.extend(five(&s.ack));
        fields.push(s.command.count().to_string());
        fields.extend(five(&s.command));
        fields.extend([s.sent, s.taken, s.values].map(|n| n.to_string()));
        let memory = &self.seen.memory;
        fields.extend([
            or_empty(self.counted.as_ref().map(|c| c.readings)),
            or_empty(memory.first().copied()),
            or_empty(memory.last().copied()),
            or_empty(memory.iter().copied().max()),
            or_empty(ms_of(self.seen.server)),
            or_empty(ms_of(self.seen.own)),
            a.idle.to_string(),
            a.reconnects.to_string(),
        ]);
        let arrival = self.seen.arrival.as_ref();
        let around = arrival.and_then(|a| a.memory);
        fields.extend([
            or_empty(ms_of(arrival.map(|a| a.within))),
            or_empty(around.map(|(before, _)| before)),
            or_empty(around.map(|(_, after)| after)),
            or_empty(ms_of(arrival.and_then(|a| a.server))),
            s.born.count().to_string(),
        ]);
        fields.extend(five(&s.accepted));
        fields.extend(five(&s.born));
        fields.push(a.wander.part().to_string());
        let done = self.counted.as_ref().map(|c| c.done);
        fields.extend((0..DONE.len()).map(|n| or_empty(done.map(|d| d[n]))));
        fields.join(",")
    }
}

/// Adds a line to a CSV file; a new file gets its header first.
///
/// # Errors
/// When the file cannot be written.
pub fn append_csv(path: &Path, outcome: &Outcome) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if file.metadata()?.len() == 0 {
        writeln!(file, "{COLUMNS}")?;
    }
    writeln!(file, "{}", outcome.csv())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: LoadArgs,
    }

    fn outcome(counted: u64) -> Outcome {
        let args = [
            "bench",
            "--window",
            "64",
            "--seconds",
            "2",
            "--idle",
            "1024",
        ];
        let args = Cli::parse_from(args).args;
        let mut stats = Stats::new();
        stats.ack.record(Duration::from_millis(3), 10);
        (stats.sent, stats.taken, stats.values) = (10, 10, 80);
        (stats.measured, stats.measured_values) = (10, 80);
        let seen = Seen {
            memory: (0..60).map(|n| n << 20).collect(),
            arrival: Some(Arrival {
                within: Duration::from_secs(2),
                memory: Some((10 << 20, 15 << 20)),
                server: Some(Duration::from_millis(500)),
            }),
            ..Seen::default()
        };
        let mut outcome = Outcome::new(&args, 500, stats, seen, None, None);
        outcome.counted = Some(Counted {
            readings: counted,
            commands: 1,
            done: [6, 5, 4, 3, 2, 1],
            trouble: vec![("harit_late_total", 2)],
        });
        outcome
    }

    #[test]
    fn the_table_says_what_matters() {
        let table = outcome(80).to_string();
        for text in [
            "100 connections, 1024 idle, up to 64 unacknowledged each",
            "1024 connected within 2.0 s, 512/s, 488 µs of the server's processor each",
            "10.0 MiB before them, 15.0 with them, 5120 bytes each",
            "5 messages/s, 40 readings/s",
            "p99 3.00",
            "nothing lost",
            "harit_late_total 2",
            "wandering by 0.005",
            "6 rules fired, 5 stopped; 4 commands, 3 confirmed, 2 failed, 1 timed out",
            "0.0, 14.0, 29.0, 44.0, 59.0 MiB",
        ] {
            assert!(table.contains(text), "{text}\n{table}");
        }
        assert!(outcome(79).to_string().contains("1 LOST"));
        assert!(outcome(80).is_whole() && !outcome(79).is_whole());
    }

    #[test]
    fn a_csv_file_has_one_header_and_a_field_a_column() {
        let name = format!("harit-load-{}.csv", std::process::id());
        let path = std::env::temp_dir().join(name);
        for _ in 0..2 {
            append_csv(&path, &outcome(80)).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        for line in &lines {
            assert_eq!(
                line.split(',').count(),
                COLUMNS.split(',').count(),
                "{line}"
            );
        }
    }
}
