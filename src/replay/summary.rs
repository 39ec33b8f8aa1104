//! What a replay found, in numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use harit_engine::{Counters, Event};

#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) bad_lines: u64,
    events: BTreeMap<&'static str, u64>,
    counters: Counters,
    took: Duration,
    /// What the thread that applies had of the processor, and with it the one that reads, if that is another; unlike the time,
    /// it does not grow with what else runs.
    processor: Option<Duration>,
    beside: Option<Duration>,
    peak_kib: Option<u64>,
}

impl Summary {
    pub(super) fn count(&mut self, event: &Event) {
        *self.events.entry(event.kind.name()).or_default() += 1;
    }

    /// Another thread worked, for so long.
    pub(super) const fn beside(&mut self, processor: Option<Duration>) {
        self.beside = processor;
    }

    pub(super) fn finish(&mut self, counters: Counters, took: Duration) {
        self.counters = counters;
        self.took = took;
        self.processor = processor_time().map(|own| own + self.beside.unwrap_or_default());
        self.peak_kib = peak_memory();
    }
}

/// Of this thread so far, where the kernel tells it.
pub(crate) fn processor_time() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos = told.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

/// The most memory that this process had, in KiB, where the kernel tells it.
fn peak_memory() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = told.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = &self.counters;
        writeln!(f, "readings   {:>12}", c.readings)?;
        writeln!(f, "  applied  {:>12}", c.applied)?;
        writeln!(f, "  late     {:>12}", c.late)?;
        let (null, not_finite, range) = (c.faults_null, c.faults_not_finite, c.faults_out_of_range);
        writeln!(
            f,
            "  faults   {:>12}  (null {null}, not finite {not_finite}, out of range {range})",
            c.faults()
        )?;
        writeln!(f, "  unknown  {:>12}", c.unknown)?;
        if self.bad_lines > 0 {
            writeln!(f, "bad lines  {:>12}  skipped", self.bad_lines)?;
        }
        writeln!(f, "events     {:>12}", self.events.values().sum::<u64>())?;
        for (kind, n) in &self.events {
            writeln!(f, "  {kind:<20} {n:>12}")?;
        }
        let secs = self.took.as_secs_f64();
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "shown to people"
        )]
        let rate = (c.readings as f64 / secs.max(1e-9)) as u64;
        writeln!(f, "took       {secs:>12.3} s  ({rate} readings/s)")?;
        if let Some(busy) = self.processor {
            writeln!(f, "processor  {:>12.3} s", busy.as_secs_f64())?;
        }
        if let Some(kib) = self.peak_kib {
            writeln!(f, "memory     {:>12} MiB at most", kib >> 10)?;
        }
        Ok(())
    }
}
