//! What a machine really did: its level over time, for tests that ask whether it ran as long as it should and no longer.

use std::collections::VecDeque;
use std::time::Duration;

/// Changes that a trace keeps; older ones are dropped and counted.
pub const MAX_TRACE: usize = 4_096;

/// The changes of one machine's level.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    changes: VecDeque<(Duration, f64)>,
    dropped: u64,
}

/// A time during which a machine was on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnInterval {
    /// Since the start of the run.
    pub from: Duration,
    /// Missing while it is still on.
    pub to: Option<Duration>,
}

impl Trace {
    pub(super) fn record(&mut self, now: Duration, level: f64) {
        let last = self.changes.back().map_or(0.0, |(_, l)| *l);
        if (last - level).abs() < 1e-9 {
            return;
        }
        if self.changes.len() >= MAX_TRACE {
            self.changes.pop_front();
            self.dropped += 1;
        }
        self.changes.push_back((now, level));
    }

    /// Every change that is still known: when, and to what level.
    pub fn changes(&self) -> impl Iterator<Item = (Duration, f64)> + '_ {
        self.changes.iter().copied()
    }

    /// How many changes are no longer known.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// When the machine was on, in order.
    #[must_use]
    pub fn on_intervals(&self) -> Vec<OnInterval> {
        let mut intervals: Vec<OnInterval> = vec![];
        for (at, level) in self.changes() {
            let open = intervals.last_mut().filter(|i| i.to.is_none());
            match (open, level > 0.0) {
                (None, true) => intervals.push(OnInterval { from: at, to: None }),
                (Some(interval), false) => interval.to = Some(at),
                (Some(_), true) | (None, false) => {}
            }
        }
        intervals
    }

    /// How long the machine was on until `now`.
    #[must_use]
    pub fn on_time(&self, now: Duration) -> Duration {
        self.on_intervals()
            .iter()
            .map(|i| i.to.unwrap_or(now).saturating_sub(i.from))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_join_changes_of_level() {
        let mut trace = Trace::default();
        let s = Duration::from_secs;
        for (at, level) in [(1, 0.0), (2, 0.5), (3, 1.0), (5, 0.0), (6, 0.0), (9, 1.0)] {
            trace.record(s(at), level);
        }
        let on = |from, to: Option<u64>| OnInterval {
            from: s(from),
            to: to.map(s),
        };
        assert_eq!(trace.on_intervals(), [on(2, Some(5)), on(9, None)]);
        assert_eq!(trace.on_time(s(10)), s(4));
        assert_eq!(trace.changes().count(), 4);
    }

    #[test]
    fn a_long_trace_drops_its_oldest_changes_and_says_so() {
        let mut trace = Trace::default();
        for i in 0..5_000u32 {
            trace.record(Duration::from_secs(i.into()), f64::from((i + 1) % 2));
        }
        assert_eq!(trace.changes().count(), MAX_TRACE);
        assert_eq!(trace.dropped(), 5_000 - 4_096);
    }
}
