//! What a thread of the generator collects, and what is told while it runs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hdrhistogram::Histogram;

/// The longest latency that is told apart from longer ones, in microseconds.
const LONGEST_US: u64 = 120_000_000;

/// Latencies in microseconds, three digits of each.
#[derive(Debug, Clone)]
pub(crate) struct Latencies(Option<Histogram<u64>>);

impl Latencies {
    pub(crate) fn new() -> Self {
        // The bounds are constants that the histogram takes; without it nothing would be told, which the report shows.
        Self(Histogram::new_with_bounds(1, LONGEST_US, 3).ok())
    }

    pub(crate) fn record(&mut self, latency: Duration, count: u64) {
        let us = u64::try_from(latency.as_nanos().div_ceil(1_000)).unwrap_or(LONGEST_US);
        if let Some(h) = &mut self.0 {
            h.saturating_record_n(us.clamp(1, LONGEST_US), count);
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        if let (Some(mine), Some(theirs)) = (&mut self.0, &other.0) {
            // Both have the same bounds.
            let _ = mine.add(theirs);
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, Histogram::len)
    }

    /// The latency that so many of a hundred stay within.
    pub(crate) fn at(&self, percent: f64) -> Duration {
        let us = self
            .0
            .as_ref()
            .map_or(0, |h| h.value_at_quantile(percent / 100.0));
        Duration::from_micros(us)
    }
}

/// What was counted.
#[derive(Debug, Clone)]
pub(crate) struct Stats {
    /// Publish to PUBACK.
    pub(crate) ack: Latencies,
    /// Publish to command.
    pub(crate) command: Latencies,
    /// How late the generator itself was, where it keeps a rate.
    pub(crate) late: Latencies,
    /// Connect to CONNACK, and to the PUBACK of the birth message, of idle controllers that connect again.
    pub(crate) accepted: Latencies,
    pub(crate) born: Latencies,
    /// Telemetry messages in all, and those of them that the server took (all of them at QoS 0).
    pub(crate) sent: u64,
    pub(crate) taken: u64,
    /// The values in the messages that were taken.
    pub(crate) values: u64,
    /// Messages taken, and their values, in the measured time.
    pub(crate) measured: u64,
    pub(crate) measured_values: u64,
    /// Probes whose command never came.
    pub(crate) no_command: u64,
    /// Why connections ended early.
    pub(crate) failures: Vec<String>,
}

impl Stats {
    pub(crate) fn new() -> Self {
        Self {
            ack: Latencies::new(),
            command: Latencies::new(),
            late: Latencies::new(),
            accepted: Latencies::new(),
            born: Latencies::new(),
            sent: 0,
            taken: 0,
            values: 0,
            measured: 0,
            measured_values: 0,
            no_command: 0,
            failures: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.ack.add(&other.ack);
        self.command.add(&other.command);
        self.late.add(&other.late);
        self.accepted.add(&other.accepted);
        self.born.add(&other.born);
        self.sent += other.sent;
        self.taken += other.taken;
        self.values += other.values;
        self.measured += other.measured;
        self.measured_values += other.measured_values;
        self.no_command += other.no_command;
        self.failures.extend(other.failures);
    }
}

/// What is told while it runs.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    taken: AtomicU64,
}

impl Progress {
    pub(crate) fn took(&self, messages: u64) {
        self.taken.fetch_add(messages, Ordering::Relaxed);
    }

    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_microseconds_rounded_up() {
        let mut l = Latencies::new();
        l.record(Duration::from_nanos(1), 98);
        l.record(Duration::from_millis(7), 1);
        l.record(Duration::from_secs(3_600), 1);
        let mut sum = Latencies::new();
        sum.add(&l);
        assert_eq!(sum.count(), 100);
        assert_eq!(sum.at(50.0), Duration::from_micros(1));
        assert!(sum.at(99.0).abs_diff(Duration::from_millis(7)) < Duration::from_micros(8));
        assert!(sum.at(100.0) >= Duration::from_secs(119));
    }
}
