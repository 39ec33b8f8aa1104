//! What a shard does between two batches: telling values, snapshots, trimming.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use harit_engine::Timestamp;
use harit_journal::Journal;

use super::farm::Farm;
use super::{LIVE_EVERY_MS, Shard, snapshot};
use crate::history::told::Write;
use crate::live::{LiveKind, LiveSensor, Telemetry};

/// How often copies that nobody wants any more are looked for.
const COPIES_EVERY: Duration = Duration::from_secs(1);
/// How many snapshots are kept besides those of the days.
const SNAPSHOTS_KEPT: usize = 2;
/// How many snapshots of a day are kept, as far as there is room for them: what is asked about the past begins at one.
const MOST_A_DAY: u64 = 24;
/// Which part of what a journal may have is for them: one in so many; a snapshot a day is kept in any case.
const PART_FOR_SNAPSHOTS: u64 = 16;
const DAY_MS: i64 = 86_400_000;
/// How long the history may have no room for what a shard has at its end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// When the newest state was stored, at most `every` ago: an end without a last state, as by a power cut, does not put off the next
/// one, or servers that never live that long would fold more at each start.
pub(super) fn stored_at(journal: &dyn Journal, now: Timestamp, every: Duration) -> Instant {
    let age = match journal.snapshots().unwrap_or_default().first() {
        None if journal.last() == 0 => Duration::ZERO,
        None => every,
        Some((seq, _)) if *seq == journal.last() => Duration::ZERO,
        Some((_, at)) => {
            let age = now.as_millis().saturating_sub(at.as_millis());
            Duration::from_millis(u64::try_from(age).unwrap_or(0)).min(every)
        }
    };
    let begins = Instant::now();
    begins.checked_sub(age).unwrap_or(begins)
}

impl Shard {
    /// Everything that waits for a pause: telling, history, snapshots, trimming.
    pub(super) fn tend(&mut self) {
        self.tell_values();
        self.tend_history();
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
        // Where the writer has no room, the next one does it.
        let _ = self.history.offer(Write::Sync);
        let seq = self.journal.last();
        let began = Instant::now();
        let stored = snapshot::store(&self.farms).map_err(|e| e.to_string());
        let stored = stored.and_then(|body| {
            let put = self.journal.put_snapshot(seq, self.now.at, &body);
            put.map(|()| body.len() as u64).map_err(|e| e.to_string())
        });
        match stored {
            Ok(size) => {
                self.inputs_since_snapshot = 0;
                metrics::histogram!("harit_snapshot_seconds").record(began.elapsed());
                self.plan_trimming(size);
            }
            Err(e) => tracing::error!(
                shard = self.config.number,
                error = e,
                "the state could not be stored"
            ),
        }
    }

    /// The newest snapshot from which an archive can be gone on with, if it has to be waited for: not past one and a half
    /// times what a journal may have, as a full disk stops more than an archive.
    fn archive_base(&self, all: &[(u64, Timestamp)], full: bool) -> Option<u64> {
        let archived = self.config.archived.as_ref()?;
        let most = self.config.journal_max_bytes;
        if self.journal.bytes() > most.saturating_add(most / 2) {
            metrics::counter!("harit_archive_skipped_total").increment(1);
            tracing::error!(
                shard = self.config.number,
                "the journal is trimmed of what the archive lacks"
            );
            return None;
        }
        if full {
            archived.hurry();
        }
        let through = archived.through(self.config.generation, self.config.number);
        let mut seqs = all.iter().map(|(seq, _)| *seq);
        // Without one it begins with the first batch, or, where that is gone, with the oldest state.
        let is_whole = self.journal.before_first().is_ok_and(|before| before == 0);
        let begins = if is_whole {
            Some(0)
        } else {
            seqs.clone().next_back()
        };
        seqs.find(|seq| *seq <= through).or(begins)
    }

    /// Snapshots: the newest ones, some a day as long as the journal is kept (one, and up to 24 where those of the size of the newest
    /// fit into a sixteenth of what a journal may have), and the one from which a restart folds what the
    /// history lacks, also where a power cut took back what is not synced there; and that for the archive. Batches: from the oldest such snapshot on.
    pub(super) fn plan_trimming(&mut self, size: u64) {
        let Ok(all) = self.journal.snapshots() else {
            return;
        };
        let oldest_wanted = self
            .now
            .at
            .as_millis()
            .saturating_sub(i64::from(self.config.journal_days) * DAY_MS);
        let full = self.journal.bytes() > self.config.journal_max_bytes;
        let durable = self.shared.positions.durable(self.config.number);
        let known = self.shared.positions.are_known();
        // While nobody knows what the history has, the oldest one, from which it can get whatever it lacks.
        let mut seqs = all.iter().map(|(seq, _)| *seq);
        let refold = if known {
            seqs.find(|seq| *seq <= durable)
        } else {
            seqs.next_back()
        };
        let archive = self.archive_base(&all, full);
        let room = self.config.journal_max_bytes / PART_FOR_SNAPSHOTS / size.max(1);
        let days = u64::from(self.config.journal_days).max(1);
        let a_day = i64::try_from((room / days).clamp(1, MOST_A_DAY)).unwrap_or(1);
        let mut last_part = None;
        let mut base = None;
        for (i, (seq, at)) in all.iter().enumerate() {
            let part = at.as_millis().div_euclid(DAY_MS / a_day);
            let keep = i < SNAPSHOTS_KEPT
                || refold == Some(*seq)
                || archive == Some(*seq)
                || (!full && base.is_none() && last_part != Some(part));
            if !keep {
                if let Err(e) = self.journal.delete_snapshot(*seq) {
                    tracing::warn!(shard = self.config.number, error = %e, "an old snapshot could not be removed");
                }
                continue;
            }
            last_part = Some(part);
            if base.is_none()
                && (at.as_millis() < oldest_wanted || (full && i + 1 == SNAPSHOTS_KEPT))
            {
                base = Some(*seq);
            }
        }
        self.trimming = base
            .filter(|_| known)
            .zip(refold)
            .map(|(base, refold)| base.min(refold).min(archive.unwrap_or(u64::MAX)));
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
