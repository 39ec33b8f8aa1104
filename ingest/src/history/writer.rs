//! The history's writer: one thread, one transaction for all that waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::positions::Positions;
use super::rollup::HOUR_MS;
use super::seam::{Store, StoreError};
use super::told::{Kept, Write};
use crate::clock::TimeSource;

/// How many of them go into one transaction.
const PER_TRANSACTION: usize = 64;
/// How long the writer waits after an error.
const RETRY: Duration = Duration::from_millis(500);
/// How often its size is looked at.
const MEASURE: Duration = Duration::from_secs(5);
/// How often what is too old is removed.
const SWEEP: Duration = Duration::from_secs(3_600);
/// How often it is looked whether an hour is over.
const ROLL_UP: Duration = Duration::from_secs(60);

const DAY_MS: i64 = 24 * HOUR_MS;

/// A clock that steps by more than this may be wrong, and what it makes old may be new.
const STEP_MS: i64 = DAY_MS;
/// For how long it has to go on by itself after that until it is believed: time for somebody to set it right.
const TRUSTED_AFTER: Duration = Duration::from_hours(7 * 24);

/// Whether the wall clock can be believed in what is old: it decides what is removed for ever.
#[derive(Debug, Default)]
struct Trust {
    /// By how much the wall clock is ahead of the one that no one sets.
    ahead_ms: Option<i64>,
    stepped: Option<Duration>,
}

impl Trust {
    fn is_believed(&mut self, wall_ms: i64, monotonic: Duration) -> bool {
        let ahead =
            wall_ms.saturating_sub(i64::try_from(monotonic.as_millis()).unwrap_or(i64::MAX));
        let before = self.ahead_ms.replace(ahead);
        let by_ms = before.map_or(0, |before| ahead.saturating_sub(before));
        if by_ms.saturating_abs() > STEP_MS {
            tracing::warn!(
                by_ms,
                "the wall clock stepped: for seven days nothing is removed from the history for its age"
            );
            self.stepped = Some(monotonic);
        }
        let waits = |stepped: Duration| monotonic.saturating_sub(stepped) < TRUSTED_AFTER;
        !self.stepped.is_some_and(waits)
    }
}

/// The writer and when it did what.
pub(super) struct Writer {
    store: Box<dyn Store>,
    positions: Arc<Positions>,
    kept: Kept,
    clock: Arc<dyn TimeSource>,
    /// When its size was looked at last.
    measured: Option<Instant>,
    swept: Option<Instant>,
    trust: Trust,
    /// When all hours and days were there, by its own clock, and up to which hour.
    rolled_at: Option<(Duration, i64)>,
}

impl Writer {
    pub(super) fn new(
        store: Box<dyn Store>,
        positions: Arc<Positions>,
        kept: Kept,
        clock: Arc<dyn TimeSource>,
    ) -> Self {
        Self {
            store,
            positions,
            kept,
            clock,
            measured: None,
            swept: None,
            trust: Trust::default(),
            rolled_at: None,
        }
    }

    /// Writes until it is told to stop. What makes it fail is seen, costs what was being written, and no more.
    pub(super) fn keep(&mut self, queue: &Receiver<Write>) {
        while catch_unwind(AssertUnwindSafe(|| self.run(queue))).is_err() {
            tracing::error!("writing the history failed");
            metrics::counter!("harit_history_errors_total").increment(1);
            self.is_writable(false);
            self.store.forget();
            std::thread::sleep(RETRY);
        }
    }

    /// Writes until it is told to stop.
    fn run(&mut self, queue: &Receiver<Write>) {
        loop {
            let first = match queue.recv_timeout(Duration::from_secs(60)) {
                Ok(write) => Some(write),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let batch: Vec<Write> = first
                .into_iter()
                .chain(std::iter::from_fn(|| queue.try_recv().ok()))
                .take(PER_TRANSACTION)
                .collect();
            let stop = batch.iter().any(|w| matches!(w, Write::Stop));
            self.write(batch, stop);
            if stop {
                return;
            }
            self.tend();
        }
    }

    /// What is done between two transactions.
    fn tend(&mut self) {
        if self.measured.is_none_or(|t| t.elapsed() > MEASURE) {
            self.measured = Some(Instant::now());
            match self.trim() {
                // There is more to remove: it goes on after what waits.
                Ok(true) => self.measured = None,
                Ok(false) => {}
                Err(e) => tracing::warn!(error = e, "the history could not be trimmed"),
            }
        }
        if let Err(e) = self.roll_up() {
            tracing::warn!(error = e, "hours and days could not be made");
        }
        // No minute goes before its hour is made.
        let removes = self.kept.days < u32::MAX;
        if removes && self.rolled_at.is_some() && self.swept.is_none_or(|t| t.elapsed() > SWEEP) {
            self.swept = Some(Instant::now());
            let (now, monotonic) = self.clock.read();
            let now = now.as_millis();
            if !self.trust.is_believed(now, monotonic) {
                return;
            }
            let before = |days: u32| now.saturating_sub(i64::from(days) * DAY_MS);
            let (minutes, hours) = (before(self.kept.days), before(self.kept.hour_days));
            if let Err(e) = self.store.sweep(minutes, hours) {
                tracing::warn!(error = e, "old history could not be removed");
            }
        }
    }

    /// Writes everything in one transaction, again and again until it works: what is refused now is kept. False where it is closing
    /// before: the journal has it, and the next start writes it.
    fn store(&mut self, batch: &[Write], stopping: bool) -> bool {
        let mut attempts = 0;
        let was_writable = self.positions.writable.load(Ordering::Acquire);
        loop {
            match self.store.write(batch) {
                Ok(()) => return true,
                Err(e) => {
                    self.is_writable(false);
                    metrics::counter!("harit_history_errors_total").increment(1);
                    tracing::error!(
                        error = e,
                        "the history store could not be written; trying again"
                    );
                    // A series may have been numbered in the transaction that failed.
                    self.store.forget();
                    attempts += 1;
                    let closing = stopping || self.positions.closing.load(Ordering::Acquire);
                    if closing && (attempts > 2 || !was_writable) {
                        return false;
                    }
                    std::thread::sleep(RETRY);
                }
            }
        }
    }

    /// Stores everything, and says so to whoever waits for it.
    fn write(&mut self, batch: Vec<Write>, stopping: bool) {
        if batch.iter().any(Write::is_stored) && !self.store(&batch, stopping) {
            return;
        }
        self.is_writable(true);
        for write in &batch {
            match write {
                Write::Fold(f) => self.positions.reached(f.generation, f.shard, f.seq),
                Write::SetBack { shard, seq, .. } => self.positions.set_back(*shard, *seq),
                _ => {}
            }
        }
        if batch.iter().any(|w| matches!(w, Write::Sync)) {
            self.sync();
        }
        for write in batch {
            match write {
                // Whoever waits may have gone.
                Write::Begin(generation, begun) => drop(begun.send(self.begin(generation))),
                Write::Barrier(done) => drop(done.send(())),
                _ => {}
            }
        }
    }

    fn begin(&mut self, generation: u64) -> Result<(), StoreError> {
        let watermarks = self.store.watermarks(generation)?;
        self.positions.begin(generation, watermarks);
        Ok(())
    }

    fn sync(&mut self) {
        match self.store.sync() {
            Ok(true) => self.positions.synced(),
            Ok(false) => {}
            Err(e) => {
                tracing::error!(
                    error = e,
                    "the history could not be synced: the journal is not trimmed until the next start"
                );
                metrics::counter!("harit_history_errors_total").increment(1);
            }
        }
    }

    fn is_writable(&self, writable: bool) {
        self.positions.writable.store(writable, Ordering::Release);
        metrics::gauge!("harit_history_writable").set(f64::from(u8::from(writable)));
    }

    /// Removes some of the oldest while there is more than is kept; true where it is still too much. Whoever fills the
    /// history pays for it first: it is taken from the farm that has the most.
    fn trim(&mut self) -> Result<bool, StoreError> {
        let used = self.store.bytes()?;
        #[allow(clippy::cast_precision_loss, reason = "a metric")]
        metrics::gauge!("harit_history_bytes").set(used as f64);
        if used <= self.kept.bytes {
            return Ok(false);
        }
        let Some(removed) = self.store.trim()? else {
            return Ok(false);
        };
        metrics::counter!("harit_history_trimmed_total").increment(removed as u64);
        tracing::warn!(
            used,
            limit = self.kept.bytes,
            removed,
            "the history has reached its limit: the oldest goes"
        );
        Ok(removed > 0 && self.store.bytes()? > self.kept.bytes)
    }

    /// Makes hours and days: a few at a time where there is much of a past.
    fn roll_up(&mut self) -> Result<(), StoreError> {
        let (wall, at) = self.clock.read();
        if (self.rolled_at).is_some_and(|(before, _)| at.saturating_sub(before) < ROLL_UP) {
            return Ok(());
        }
        let now = wall.as_millis().div_euclid(HOUR_MS);
        let is_there = self.rolled_at.is_some_and(|(_, rolled)| rolled >= now);
        self.rolled_at = (is_there || self.store.roll_up(now)?).then_some((at, now));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_stepped_makes_nothing_old_for_a_week() {
        let mut trust = Trust::default();
        let (hour, day) = (Duration::from_hours(1), Duration::from_hours(24));
        let mut is_believed = |ahead: i64, since: Duration| {
            let passed = i64::try_from(since.as_millis()).unwrap();
            trust.is_believed(1_790_000_000_000 + ahead + passed, since)
        };
        assert!(is_believed(0, Duration::ZERO));
        // Half a day is a clock that was set late.
        assert!(is_believed(DAY_MS / 2, hour));
        assert!(is_believed(0, hour * 2));
        assert!(!is_believed(700 * DAY_MS, hour * 3));
        assert!(!is_believed(700 * DAY_MS, day * 7));
        // It is set right.
        assert!(!is_believed(0, day * 8));
        assert!(!is_believed(0, day * 14));
        assert!(is_believed(0, day * 15 + hour));
    }
}
