//! Handing history over to its writer: seldom while nobody looks, as each hand-over costs whole pages of the disk, and as
//! soon as somebody is about to read what was not handed over yet.
//!
//! Nothing of it is lost with the process or the machine: a restart folds again what the history lacks.

use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::Shard;
use super::farm::Farm;
use crate::history::pending::Pending;
use crate::history::rollup::RollupRow;
use crate::history::told::{Fold, Write};

/// How often history is handed over at most while there is much of it.
const EVERY_BUSY: Duration = Duration::from_secs(10);
/// What is much, in rollups.
const BUSY: usize = 5_000;
/// With so many rows it is handed over at once, besides a row for each sensor.
const MAX_ROWS: usize = 20_000;
/// How many hand-overs readers may have in a row.
const READS_AT_ONCE: u32 = 8;
/// How often they have one after that.
const READS_EVERY: Duration = Duration::from_secs(1);
/// How many readers wait for one at most.
const MAX_WAITING: usize = 1_024;

/// What a reader of the history wants to see up to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Minute values: they may be a second old where readers come that often.
    Readings,
    /// What was decided, commanded and reported.
    Decisions,
}

/// Who is about to read the history.
#[derive(Debug)]
pub(super) struct Readers {
    /// They wait for the next hand-over.
    waiting: Vec<oneshot::Sender<()>>,
    /// When they may have the next one, if all that they may have in a row were had.
    next: Instant,
}

impl Readers {
    pub(super) fn new() -> Self {
        Self {
            waiting: Vec::new(),
            next: Instant::now(),
        }
    }

    /// Whether they may have a hand-over now, which is counted.
    fn take(&mut self) -> bool {
        let now = Instant::now();
        let next = self.next.max(now) + READS_EVERY;
        let may = next <= now + READS_EVERY * READS_AT_ONCE;
        if may {
            self.next = next;
        }
        may
    }
}

impl Shard {
    /// Hands over what is due.
    pub(super) fn tend_history(&mut self) {
        let collected = self.pending.listed.len() + self.pending.rollups.len();
        let every = self.config.history_every;
        let every = if collected > BUSY {
            every.max(EVERY_BUSY)
        } else {
            every
        };
        let rows = self.pending.rows() + self.lives.len();
        let since = self.history_at.elapsed();
        // A writer that had no room is not asked in each turn.
        if since >= every || rows > MAX_ROWS && (self.unwritten.is_none() || since >= READS_EVERY) {
            self.hand_over_history();
        }
        self.serve_readers();
    }

    /// Has the history what somebody is about to read: now, or with the next hand-over that readers may have.
    pub(crate) fn reads(&mut self, wanted: Wanted, done: oneshot::Sender<()>) {
        let waits = self.lacks(wanted)
            && if self.readers.take() || self.readers.waiting.len() >= MAX_WAITING {
                self.hand_over_history();
                false
            } else {
                wanted == Wanted::Decisions
            };
        if waits {
            self.readers.waiting.push(done);
        } else {
            // Whoever asked may have gone.
            let _ = done.send(());
        }
    }

    /// Answers the readers that wait, as soon as they may have a hand-over or need none any more.
    pub(super) fn serve_readers(&mut self) {
        if self.readers.waiting.is_empty() {
            return;
        }
        if self.lacks(Wanted::Decisions) {
            if !self.readers.take() {
                return;
            }
            self.hand_over_history();
        }
        for done in self.readers.waiting.drain(..) {
            let _ = done.send(());
        }
    }

    /// Whether there is something that was not handed over.
    fn lacks(&self, wanted: Wanted) -> bool {
        let p = &self.pending;
        self.unwritten.is_some()
            || match wanted {
                Wanted::Readings => !p.listed.is_empty() || !p.rollups.is_empty(),
                Wanted::Decisions => p.has_decisions() || !self.lives.is_empty(),
            }
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

    /// What follows from the journal up to here goes to the history store: the commands' states first, as the store counts all
    /// of a batch as its own with the batch's number.
    pub(crate) fn hand_over_history(&mut self) {
        self.history_at = Instant::now();
        self.hand_over_lives();
        let has_room = self.lives.is_empty()
            && self
                .unwritten
                .take()
                .is_none_or(|fold| self.hand_over(fold));
        if !has_room {
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
