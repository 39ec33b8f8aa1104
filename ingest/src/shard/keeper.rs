//! Keeps a shard at work: what makes its thread fail costs a restart from the journal, and no more.
//!
//! Everything that a shard has in memory follows from its journal, so a new one takes over where the batch before the
//! failure ended; what was not durable was not acknowledged and comes again. A farm whose work fails twice is isolated, so
//! that the others of its shard go on. A shard that fails again and again is given up, and seen in the server's health.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use harit_engine::FarmId;
use harit_journal::{Generation, JournalError, Journals};
use harit_protocol::Mac;

use super::queue::{Cost, Queue, Work};
use super::recovery;
use super::{Beginning, Shard, ShardConfig, ShardHealth, Shared};
use crate::history::store::HistoryHandle;

/// How long before each restart; after the last one the shard is given up.
const WAITS: [Duration; 6] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(4),
    Duration::from_secs(15),
    Duration::from_secs(60),
];
/// After how long without a failure the earlier ones are forgotten.
const CALM: Duration = Duration::from_secs(600);
/// How often a farm's work may fail before the farm is isolated.
const FAILURES_A_FARM: u32 = 2;
/// How often a waiting restart looks whether the server stops.
const LOOK: Duration = Duration::from_millis(50);
/// What a shard is made anew from.
pub(crate) struct Keeper {
    pub(crate) config: ShardConfig,
    pub(crate) shared: Arc<Shared>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) health: Arc<ShardHealth>,
    pub(crate) history: HistoryHandle,
    pub(crate) journals: Arc<dyn Journals>,
    pub(crate) generation: Generation,
}

/// What a shard that failed leaves behind.
struct Remains {
    /// For whom it was at work.
    farm: Option<FarmId>,
    costs: Vec<Cost>,
    leaving: Vec<(FarmId, Mac)>,
    handed: u64,
}

impl Shard {
    fn remains(&mut self) -> Remains {
        self.hand_over_lives();
        let id = |f: &super::Farm| f.id().clone();
        Remains {
            farm: self
                .at_work
                .and_then(|n| self.farms.get(n as usize).map(id)),
            costs: std::mem::take(&mut self.costs),
            leaving: std::mem::take(&mut self.leaving),
            handed: self.handed,
        }
    }

    /// Its controllers are connected as before, so nobody has to be heard of first.
    fn takes_over(&mut self, blamed: &HashMap<FarmId, u32>) {
        self.presence_checked = true;
        for n in 0..self.farms.len() {
            let f = &mut self.farms[n];
            if blamed.get(f.id()).is_some_and(|n| *n >= FAILURES_A_FARM) {
                tracing::error!(farm = %f.id(), "the farm's messages made its shard fail: the farm is isolated until the next start");
                f.fold.isolate("its work made the shard fail");
                f.quarantined = true;
                self.tell_failed(u32::try_from(n).unwrap_or(u32::MAX));
            }
        }
    }
}

impl Keeper {
    /// The shard that goes on from there.
    pub(crate) fn make(&self, beginning: Beginning) -> Shard {
        Shard::new(
            self.config.clone(),
            self.shared.clone(),
            self.queue.clone(),
            self.health.clone(),
            self.history.clone(),
            beginning,
        )
    }

    /// Runs the shard until it is told to stop, its journal fails for good, or it fails too often. `ready` hears when it
    /// takes work for the first time.
    pub(crate) fn keep(self, shard: Shard, ready: Sender<()>) {
        let mut ready = Some(ready);
        let mut failures = VecDeque::new();
        let mut blamed = HashMap::new();
        let mut next = Some(shard);
        while let Some(mut shard) = next.take() {
            let run = || {
                if shard.resume() {
                    self.is_up(true);
                    if let Some(ready) = ready.take() {
                        // Whoever starts the shard waits for this.
                        let _ = ready.send(());
                    }
                    shard.run();
                }
            };
            let ended = catch_unwind(AssertUnwindSafe(run));
            self.is_up(false);
            let Err(panic) = ended else { break };
            // A shard that fails before it was ever ready is a server that does not start.
            if ready.is_some() {
                break;
            }
            let remains = shard.remains();
            drop(shard);
            self.tell(&*panic, &remains);
            if let Some(farm) = &remains.farm {
                *blamed.entry(farm.clone()).or_insert(0) += 1;
            }
            next = self.start_again(&remains, &blamed, &mut failures);
        }
        self.queue.close();
    }

    fn tell(&self, panic: &(dyn Any + Send), remains: &Remains) {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("a panic");
        let number = self.config.number;
        let farm = remains.farm.as_ref().map_or("none", FarmId::as_str);
        tracing::error!(
            shard = number,
            panic = text,
            farm,
            "a shard failed: it is started again from its journal"
        );
        metrics::counter!("harit_shard_failures_total", "shard" => number.to_string()).increment(1);
    }

    /// The shard that takes over, as soon as one can; none where that is given up, or the server stops.
    fn start_again(
        &self,
        remains: &Remains,
        blamed: &HashMap<FarmId, u32>,
        failures: &mut VecDeque<Instant>,
    ) -> Option<Shard> {
        self.queue.give_back(&remains.costs);
        loop {
            let now = Instant::now();
            failures.retain(|t: &Instant| now.duration_since(*t) < CALM);
            let Some(wait) = WAITS.get(failures.len()) else {
                tracing::error!(
                    shard = self.config.number,
                    "a shard failed too often: its farms are not served until the next start"
                );
                return None;
            };
            failures.push_back(now);
            while now.elapsed() < *wait {
                if self.queue.is_stopping() {
                    return None;
                }
                std::thread::sleep(LOOK);
            }
            let recover = || {
                let mut shard = self.make(self.recover(remains.handed)?);
                shard.takes_over(blamed);
                Ok::<_, JournalError>(shard)
            };
            match catch_unwind(AssertUnwindSafe(recover)) {
                Ok(Ok(shard)) => {
                    for (farm, mac) in &remains.leaving {
                        let gone = Work::Gone {
                            farm: farm.clone(),
                            mac: *mac,
                        };
                        self.queue.put_now(farm.clone(), gone);
                    }
                    return Some(shard);
                }
                Ok(Err(e)) => {
                    tracing::error!(shard = self.config.number, error = %e, "a shard cannot be recovered");
                }
                Err(panic) => self.tell(&*panic, remains),
            }
        }
    }

    fn recover(&self, in_history: u64) -> Result<Beginning, JournalError> {
        let journal = self.journals.open(self.generation, self.config.number)?;
        let recovered = recovery::recover(&*journal, in_history, journal.last())?;
        Ok(Beginning {
            farms: recovered.farms,
            pending: recovered.pending,
            lives: recovered.lives,
            journal,
            in_history,
        })
    }

    fn is_up(&self, up: bool) {
        self.health.up.store(up, Ordering::Release);
        metrics::gauge!("harit_shard_up", "shard" => self.config.number.to_string())
            .set(f64::from(u8::from(up)));
    }
}
