//! What a shard does between two batches: telling values, handing history over, snapshots, trimming.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::farm::Farm;
use super::{LIVE_EVERY_MS, Shard, snapshot};
use crate::history::pending::Pending;
use crate::history::rollup::RollupRow;
use crate::history::store::{Fold, Write};
use crate::live::{LiveKind, LiveSensor, Telemetry};

/// How often copies that nobody wants any more are looked for.
const COPIES_EVERY: Duration = Duration::from_secs(1);
/// How often history is handed over while there is little of it.
const HISTORY_EVERY: Duration = Duration::from_secs(1);
/// How often while there is much.
const HISTORY_EVERY_BUSY: Duration = Duration::from_secs(10);
/// What is much, in rollups.
const HISTORY_BUSY: usize = 5_000;
/// How many snapshots are kept besides one a day.
const SNAPSHOTS_KEPT: usize = 2;
const DAY_MS: i64 = 86_400_000;
/// How long the history may have no room for what a shard has at its end.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl Shard {
    /// Everything that waits for a pause: telling, history, snapshots, trimming.
    pub(super) fn tend(&mut self) {
        self.tell_values();
        self.hand_over_lives();
        let busy = self.pending.listed.len() + self.pending.rollups.len() > HISTORY_BUSY;
        if self.history_at.elapsed()
            >= if busy {
                HISTORY_EVERY_BUSY
            } else {
                HISTORY_EVERY
            }
        {
            self.hand_over_history();
        }
        if self.copies_at.elapsed() >= COPIES_EVERY {
            self.copies_at = Instant::now();
            self.farms.iter().for_each(|f| f.published.drop_old());
        }
        if self.inputs_since_snapshot > 0
            && self.snapshot_at.elapsed() >= self.config.snapshot_every
        {
            self.store_snapshot();
        }
        if let Some(seq) = self.trimming {
            match self.journal.trim(seq) {
                Ok(true) => {}
                Ok(false) => self.trimming = None,
                Err(e) => {
                    tracing::warn!(shard = self.config.number, error = %e, "the journal could not be trimmed");
                    self.trimming = None;
                }
            }
        }
        #[allow(clippy::cast_precision_loss, reason = "a metric")]
        metrics::gauge!("harit_queue_depth", "shard" => self.config.number.to_string())
            .set(self.queue.depth() as f64);
    }

    pub(super) fn tell_values(&mut self) {
        let now = self.now.at;
        let listening = self.shared.live.receiver_count() > 0;
        let mut later = Vec::new();
        for farm in std::mem::take(&mut self.live) {
            let Farm {
                fold, collected, ..
            } = &mut self.farms[farm as usize];
            let next = collected.told_at.as_millis().saturating_add(LIVE_EVERY_MS);
            if listening && next > now.as_millis() {
                later.push(farm);
                continue;
            }
            collected.told_at = now;
            let told = collected.take_live().filter(|_| listening);
            let sensors = told.filter_map(|s| {
                let (at, latest_value) = s.latest?;
                Some(LiveSensor {
                    id: s.id.clone(),
                    sensor_type: s.sensor_type,
                    unit: s.sensor_type.unit(),
                    latest_value,
                    at,
                })
            });
            let sensors = sensors.collect();
            if listening {
                let telemetry = LiveKind::Telemetry(Telemetry { sensors });
                self.shared.tell(fold.id(), telemetry);
            }
        }
        self.live = later;
    }

    pub(crate) fn hand_over_lives(&mut self) {
        if !self.lives.is_empty()
            && let Err(Write::Lives(lives)) = self
                .history
                .offer(Write::Lives(std::mem::take(&mut self.lives)))
        {
            self.lives = lives;
        }
        self.lives_told = self.lives.len();
    }

    /// What follows from the journal up to here goes to the history store.
    pub(crate) fn hand_over_history(&mut self) {
        self.history_at = Instant::now();
        if let Some(fold) = self.unwritten.take()
            && !self.hand_over(fold)
        {
            self.pending.bound();
            return;
        }
        if self.pending.is_empty()
            && self.shared.positions.of(self.config.number) == self.journal.last()
        {
            return;
        }
        let fold = self.take_fold();
        self.hand_over(fold);
    }

    fn hand_over(&mut self, fold: Fold) -> bool {
        let seq = fold.seq;
        match self.history.offer(Write::Fold(fold)) {
            Ok(()) => {
                self.handed = seq;
                true
            }
            Err(Write::Fold(fold)) => {
                self.unwritten = Some(fold);
                false
            }
            Err(_) => false,
        }
    }

    pub(super) fn take_fold(&mut self) -> Fold {
        take_fold(
            &mut self.pending,
            &mut self.farms,
            self.config.generation,
            self.config.number,
            self.journal.last(),
        )
    }

    /// Stores the state, so that a restart begins here.
    pub(crate) fn store_snapshot(&mut self) {
        self.snapshot_at = Instant::now();
        if self.farms.iter().any(|f| f.fold.failed().is_some()) {
            // The journal from before the failure must stay: a corrected version folds it anew.
            tracing::warn!(
                shard = self.config.number,
                "no snapshot while a farm has failed"
            );
            return;
        }
        self.hand_over_history();
        let seq = self.journal.last();
        let began = Instant::now();
        let stored = snapshot::store(&self.farms).map_err(|e| e.to_string());
        let stored = stored.and_then(|body| {
            self.journal
                .put_snapshot(seq, self.now.at, &body)
                .map_err(|e| e.to_string())
        });
        match stored {
            Ok(()) => {
                self.inputs_since_snapshot = 0;
                metrics::histogram!("harit_snapshot_seconds").record(began.elapsed());
                self.plan_trimming();
            }
            Err(e) => tracing::error!(
                shard = self.config.number,
                error = e,
                "the state could not be stored"
            ),
        }
    }

    /// Snapshots: the newest ones, and one a day as long as the journal is kept. Batches: from the oldest such snapshot on.
    pub(super) fn plan_trimming(&mut self) {
        let Ok(all) = self.journal.snapshots() else {
            return;
        };
        let oldest_wanted = self
            .now
            .at
            .as_millis()
            .saturating_sub(i64::from(self.config.journal_days) * DAY_MS);
        let full = self.journal.bytes() > self.config.journal_max_bytes;
        let mut last_day = None;
        let mut base = None;
        for (i, (seq, at)) in all.iter().enumerate() {
            let day = at.as_millis().div_euclid(DAY_MS);
            let keep = i < SNAPSHOTS_KEPT || (!full && base.is_none() && last_day != Some(day));
            if !keep {
                if let Err(e) = self.journal.delete_snapshot(*seq) {
                    tracing::warn!(shard = self.config.number, error = %e, "an old snapshot could not be removed");
                }
                continue;
            }
            last_day = Some(day);
            if base.is_none()
                && (at.as_millis() < oldest_wanted || (full && i + 1 == SNAPSHOTS_KEPT))
            {
                base = Some(*seq);
            }
        }
        // Never past what the history store has.
        self.trimming = base.map(|seq| seq.min(self.shared.positions.of(self.config.number)));
    }

    /// The last things, when no more work comes.
    pub(super) fn end(&mut self) {
        self.hand_over_lives();
        let mut last = Vec::new();
        if !self.lives.is_empty() {
            last.push(Write::Lives(std::mem::take(&mut self.lives)));
        }
        last.extend(self.unwritten.take().map(Write::Fold));
        last.push(Write::Fold(self.take_fold()));
        for write in last {
            // What it has no room for, the journal gives it at the next start.
            if !self.history.send_within(write, LAST_WORDS) {
                break;
            }
        }
        let failed = self.lost || self.health.journal_failed.load(Ordering::Acquire);
        if self.inputs_since_snapshot > 0 && !failed {
            self.store_snapshot();
        }
    }
}

/// Everything collected so far, as one piece.
pub(crate) fn take_fold(
    pending: &mut Pending,
    farms: &mut [Farm],
    generation: u64,
    shard: usize,
    seq: u64,
) -> Fold {
    for (farm, n) in std::mem::take(&mut pending.listed) {
        let f = &mut farms[farm as usize];
        let id = f.fold.id();
        let Some(values) = f.collected.values(n) else {
            continue;
        };
        values.rollup_listed = false;
        if let Some(bucket) = values.bucket.take() {
            pending.rollups.push(RollupRow {
                farm: id.clone(),
                sensor: values.id.clone(),
                bucket,
            });
        }
    }
    let Pending {
        rollups,
        events,
        log,
        reported,
        ..
    } = std::mem::take(pending);
    Fold {
        generation,
        shard,
        seq,
        rollups,
        events,
        log,
        reported,
    }
}
