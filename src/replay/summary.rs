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
}

impl Summary {
    pub(super) fn count(&mut self, event: &Event) {
        *self.events.entry(event.kind.name()).or_default() += 1;
    }

    pub(super) fn finish(&mut self, counters: &Counters, took: Duration) {
        self.counters = *counters;
        self.took = took;
    }
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
        writeln!(f, "took       {secs:>12.3} s  ({rate} readings/s)")
    }
}
