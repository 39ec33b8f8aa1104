//! The driver: one thread that owns the engines of its farms.
//!
//! It takes everything that waits, decodes it into steps and, in the same pass, into one journal batch; makes the batch
//! durable; and only then has the farms apply the steps, does what follows and resolves the receipts. The more comes in while a
//! batch is written, the larger the next one is: that is the whole of group commit. When an engine's deadline comes, a tick
//! is journaled and applied like any other input, so that the journal folds to the same state.
//!
//! Invariants: nothing else holds `&mut Engine`; a step is applied after its batch is durable, never before; a farm that
//! fails does not stop the others.

mod apply;
pub(crate) mod collect;
mod commit;
mod control;
mod decode;
mod derive;
pub(crate) mod farm;
pub(crate) mod hand_over;
pub(crate) mod keeper;
pub(crate) mod queue;
pub(crate) mod receipt;
pub(crate) mod recovery;
mod shared;
#[cfg(feature = "simulation")]
mod simulated;
pub(crate) mod snapshot;
mod step;
pub(crate) mod tend;
mod urgent;

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use harit_engine::{FarmId, InputKind, Measured, Timestamp, planted};
use harit_farm::{CommandAck, CommandLife};
use harit_protocol::Mac;

use crate::admit::AdmitError;
use crate::clock::{DriverClock, Now};
use crate::history::pending::Pending;
use crate::history::store::HistoryHandle;
use crate::history::told::Fold;
use crate::mqtt::Publish;
use crate::view::FarmView;
use collect::Tally;
use decode::Senders;
use farm::Farm;
use hand_over::Readers;
use harit_farm::codec::Encoder;
use harit_journal::Journal;
use queue::{Cost, Queue, Work};
use receipt::PartReceipt;
use step::Step;
use urgent::{Ahead, opens_stops};

pub(crate) use shared::{ShardConfig, ShardHealth, Shared};

/// The longest that a shard sleeps: so soon it notices a clock that was set.
const MAX_SLEEP: Duration = Duration::from_millis(100);
/// How often a farm's values are told live at most, in milliseconds.
const LIVE_EVERY_MS: i64 = 200;
/// The most command changes that wait for the history store.
const MAX_PENDING_LIVES: usize = 100_000;
/// How many units of work go into one batch: some 20 ms of work, so that nobody waits long for his turn.
pub(crate) const TURN_UNITS: usize = 2_048;
const COPY_FAILED: AdmitError = AdmitError::Unavailable("the farm's state cannot be copied");
/// How many questions are answered before a batch at most.
const QUESTIONS_A_TURN: usize = 32;

/// A shard; see the module.
pub(crate) struct Shard {
    config: ShardConfig,
    shared: Arc<Shared>,
    pub(crate) queue: Arc<Queue>,
    health: Arc<ShardHealth>,
    pub(crate) farms: Vec<Farm>,
    by_id: HashMap<FarmId, u32>,
    journal: Box<dyn Journal>,
    encoder: Encoder,
    ahead: Ahead,
    /// Whether the present batch may be in the journal although that did not say so: then it is repeated before all else.
    in_doubt: bool,
    /// Whether the journal is lost for good.
    lost: bool,
    /// When the last batch was appended.
    appended_at: Instant,
    clock: DriverClock,
    now: Now,
    started: Timestamp,
    presence_checked: bool,
    steps: Vec<Step>,
    /// The values of the batch, each with the number of its key.
    items: Vec<(u32, Measured)>,
    /// The publishes of the batch.
    publishes: Vec<Publish>,
    receipts: Vec<(PartReceipt, usize)>,
    senders: Senders,
    /// The commands that could not be published, by farm.
    unsent: Vec<(u32, Vec<u64>)>,
    /// What was answered of commands that went to nobody who answers himself.
    answers: Vec<(u32, Mac, CommandAck)>,
    /// The farms of which leases or profiles changed.
    relock: Vec<u32>,
    /// Sensors whose profile knows how often they come: of a farm's sender, by own id, and every how many seconds.
    paces: Vec<(u32, u32, Vec<String>, u32)>,
    /// Whether there is a new way out, of which the farms are to be told.
    way_out_is_new: bool,
    touched: Vec<u32>,
    schedule: BTreeSet<(Timestamp, u32)>,
    live: Vec<u32>,
    history: HistoryHandle,
    pending: Pending,
    /// What the writer had no room for.
    unwritten: Option<Fold>,
    lives: Vec<CommandLife>,
    /// How many of them were told live.
    lives_told: usize,
    /// While the journal cannot be written: when leases were renewed last.
    renewed_at: Option<Timestamp>,
    readers: Readers,
    history_at: Instant,
    snapshot_at: Instant,
    copies_at: Instant,
    inputs_since_snapshot: u64,
    trimming: Option<u64>,
    /// What the present batch took, besides what its work seemed to cost, in units of the queue.
    units: usize,
    /// What the present batch has of the queue's units.
    costs: Vec<Cost>,
    /// The controllers that the present batch sees leave: nobody says it again.
    leaving: Vec<(FarmId, Mac)>,
    /// The farm that is being worked for.
    at_work: Option<u32>,
    /// The last batch that the history writer was given.
    handed: u64,
}

/// What a shard goes on with after recovery.
pub(crate) struct Beginning {
    pub(crate) farms: Vec<Farm>,
    pub(crate) pending: Pending,
    /// The states of commands that the history lacks.
    pub(crate) lives: Vec<CommandLife>,
    pub(crate) journal: Box<dyn Journal>,
    /// The last batch that the history has already.
    pub(crate) in_history: u64,
}

impl Shard {
    pub(crate) fn new(
        config: ShardConfig,
        shared: Arc<Shared>,
        queue: Arc<Queue>,
        health: Arc<ShardHealth>,
        history: HistoryHandle,
        beginning: Beginning,
    ) -> Self {
        let floor = farm::latest_clock(beginning.farms.iter());
        let (wall, mono) = shared.source.read();
        let mut clock = DriverClock::new(wall, mono, floor);
        let now = clock.now(wall, mono);
        let mut beginning = beginning;
        for farm in &mut beginning.farms {
            farm.publish(&shared);
        }
        let snapshot_at = tend::stored_at(&*beginning.journal, now.at, config.snapshot_every);
        Self {
            config,
            queue,
            health,
            by_id: beginning
                .farms
                .iter()
                .zip(0..)
                .map(|(f, i)| (f.id().clone(), i))
                .collect(),
            farms: beginning.farms,
            journal: beginning.journal,
            encoder: Encoder::default(),
            ahead: Ahead::default(),
            in_doubt: false,
            lost: false,
            appended_at: Instant::now(),
            clock,
            now,
            started: now.at,
            presence_checked: false,
            steps: Vec::new(),
            items: Vec::new(),
            publishes: Vec::new(),
            receipts: Vec::new(),
            senders: Senders::default(),
            unsent: Vec::new(),
            answers: Vec::new(),
            relock: Vec::new(),
            paces: Vec::new(),
            way_out_is_new: false,
            touched: Vec::new(),
            schedule: BTreeSet::new(),
            live: Vec::new(),
            history,
            pending: beginning.pending,
            unwritten: None,
            // Who listened before hears nothing of them; the history does.
            lives_told: beginning.lives.len(),
            lives: beginning.lives,
            renewed_at: None,
            readers: Readers::new(),
            history_at: Instant::now(),
            snapshot_at,
            copies_at: Instant::now(),
            inputs_since_snapshot: 0,
            trimming: None,
            units: 0,
            costs: Vec::new(),
            leaving: Vec::new(),
            at_work: None,
            handed: beginning.in_history,
            shared,
        }
    }

    /// Says `Resumed` to every farm, before anything else is done. False where that cannot be journaled.
    pub(crate) fn resume(&mut self) -> bool {
        self.begin();
        for farm in 0..self.farms.len() {
            if planted!(NoResumed) {
                break;
            }
            if self.farms[farm].fold.failed().is_some() {
                continue;
            }
            let farm = u32::try_from(farm).unwrap_or(u32::MAX);
            self.input(farm, InputKind::Resumed, None, None, Instant::now());
        }
        self.finish(false)
    }

    /// Works until it is told to stop, or its journal fails for good.
    pub(crate) fn run(&mut self) {
        let queue = self.queue.clone();
        loop {
            // Nobody is told that what could not be published is sent: the farm learns of that in this turn.
            let questions = if self.unsent.is_empty() {
                QUESTIONS_A_TURN
            } else {
                0
            };
            let taken = queue.take(self.sleep(), questions);
            let stopping = taken.stopping;
            self.gather(taken);
            let durable = self.finish(stopping);
            self.tend();
            if !durable || stopping && !queue.has_work() {
                break;
            }
        }
        self.end();
    }

    /// The work of the batch is done.
    fn give_back(&mut self) {
        self.queue.give_back(&self.costs);
        self.costs.clear();
        self.leaving.clear();
    }

    /// Answers what is asked, and reads what waits, as much as fits, and all that is due into one batch.
    pub(crate) fn gather(&mut self, taken: queue::Taken) {
        let stopped = Self::stopped_by(&taken.urgent);
        self.urgent(taken.urgent);
        for question in taken.questions {
            question(self);
        }
        self.begin();
        self.decode_way_out();
        self.decode_answers();
        self.decode_relocked();
        self.decode_paces();
        let mut spent = self.derive();
        // What is due comes after the readings that came before it.
        let waits = taken.may_wait && self.is_calm();
        while !waits
            && spent < self.config.turn_units
            && let Some((work, cost)) = self.queue.next()
        {
            self.units = 0;
            self.costs.push(cost.clone());
            match work {
                // It may have been asked for before the stop, and must not open that.
                Work::Admit {
                    farm, kind, reply, ..
                } if stopped.contains(&farm) && opens_stops(&kind) => {
                    let _ = reply.send(Err(AdmitError::Unavailable("a stop came first")));
                }
                work => self.decode(work),
            }
            self.queue.charge(&cost.farm, self.units);
            spent += cost.units.max(1) + self.units;
        }
        self.decode_ticks();
        self.decode_absent();
        if planted!(AckBeforeCommit) {
            self.receipts.drain(..).for_each(|(r, n)| r.resolve(n));
        }
    }

    /// Whether a farm is to be told of something at once.
    const fn has_to_tell(&self) -> bool {
        !self.unsent.is_empty()
            || self.way_out_is_new
            || !self.answers.is_empty()
            || !self.relock.is_empty()
            || !self.paces.is_empty()
    }

    fn sleep(&self) -> Duration {
        if self.has_to_tell() {
            return Duration::ZERO;
        }
        let next = self.schedule.first().map(|(at, _)| *at);
        let live = self
            .live
            .iter()
            .map(|f| {
                self.farms[*f as usize].collected.told_at
                    + harit_engine::Duration::from_millis(LIVE_EVERY_MS)
            })
            .min();
        let wake = match (next, live) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let until = wake.map_or(i64::MAX, |w| (w - self.now.at).as_millis());
        // What waits for the journal is tried again with that, after `MAX_SLEEP` at the latest.
        Duration::from_millis(until.clamp(0, 60_000).unsigned_abs()).min(MAX_SLEEP)
    }

    fn tell_time(&mut self) {
        let (wall, mono) = self.shared.source.read();
        self.now = self.clock.now(wall, mono);
    }

    /// Begins a batch.
    fn begin(&mut self) {
        self.tell_time();
        self.encoder.begin(self.now.at);
        self.senders.begin();
    }

    /// Makes the batch durable and does what is in it. False where it could not be made durable and never will be.
    fn finish(&mut self, stopping: bool) -> bool {
        let is_due = self.encoder.entries() > 0 || self.wants_proof();
        if self.lost || is_due && !self.commit(stopping) {
            // Whoever waits learns that it is lost when this is dropped.
            self.steps.clear();
            self.receipts.clear();
            return false;
        }
        self.act();
        self.acknowledge();
        true
    }

    /// Does what is in the batch that is now durable.
    pub(crate) fn act(&mut self) {
        self.inputs_since_snapshot += self.encoder.entries();
        let mut tally = Tally::default();
        let mut steps = std::mem::take(&mut self.steps);
        for step in steps.drain(..) {
            self.at_work = step.farm();
            self.apply(step, &mut tally);
        }
        self.at_work = None;
        self.steps = steps;
        self.items.clear();
        self.publishes.clear();
        count(&tally);
    }

    /// Tells the senders that what they sent is safe.
    pub(crate) fn acknowledge(&mut self) {
        for (receipt, rejected) in self.receipts.drain(..) {
            receipt.resolve(rejected);
        }
        self.reschedule();
        self.give_back();
    }

    fn touch(&mut self, farm: u32) {
        let f = &mut self.farms[farm as usize];
        if !f.touched {
            f.touched = true;
            self.touched.push(farm);
        }
    }

    /// Puts the farms that the batch touched where their next deadline is.
    fn reschedule(&mut self) {
        for farm in std::mem::take(&mut self.touched) {
            let f = &mut self.farms[farm as usize];
            f.touched = false;
            let next = [f.fold.next_deadline(), f.next_look()];
            let next = next.into_iter().flatten().min();
            let is_failed = f.fold.failed().is_some();
            if let Some(old) = f.scheduled.take() {
                self.schedule.remove(&(old, farm));
            }
            if let Some(at) = next {
                f.scheduled = Some(at);
                self.schedule.insert((at, farm));
            }
            if !f.collected.live.is_empty() && !self.live.contains(&farm) {
                self.live.push(farm);
            }
            if is_failed {
                self.tell_failed(farm);
            }
        }
    }

    fn tell_failed(&self, farm: u32) {
        let mut failed = self
            .health
            .failed_farms
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let fold = &self.farms[farm as usize].fold;
        let id = fold.id();
        if !failed.contains(id) {
            let why = fold.failed().unwrap_or_default();
            tracing::error!(farm = %id, panic = why, "the farm failed: it is isolated until the next start");
            metrics::counter!("harit_farm_failures_total").increment(1);
            metrics::gauge!("harit_farm_failed", "farm" => id.to_string()).set(1.0);
            failed.push(id.clone());
        }
    }

    /// Whether nothing is due, so that readings may wait. After a start they do not until it is known who is there.
    fn is_calm(&self) -> bool {
        let next = self.schedule.first();
        let is_due = next.is_some_and(|(at, _)| *at <= self.now.at);
        !is_due && self.presence_checked && self.encoder.entries() == 0
    }

    /// Whether nothing is due, and no farm is to be told of anything.
    pub(crate) fn is_at_rest(&mut self) -> bool {
        self.tell_time();
        let next = self.schedule.first();
        !self.has_to_tell() && next.is_none_or(|(at, _)| *at > self.now.at)
    }

    /// The farms that have something to do by now, the longest due first.
    fn due_farms(&self) -> Vec<u32> {
        let due = self
            .schedule
            .iter()
            .take_while(|(at, _)| *at <= self.now.at);
        due.map(|(_, farm)| *farm).collect()
    }

    /// There is a new way out.
    pub(crate) const fn attached(&mut self) {
        self.way_out_is_new = true;
    }

    /// What time it is for a farm of this shard, and whether the farm has failed.
    pub(crate) fn time_of(&mut self, farm: &FarmId) -> Option<(Timestamp, bool)> {
        self.tell_time();
        let farm = &self.farms[*self.by_id.get(farm)? as usize];
        Some((self.now.at, farm.fold.failed().is_some()))
    }

    /// A copy of a farm that has everything up to that version.
    pub(crate) fn view(&mut self, farm: &FarmId, wanted: u64) -> Result<Arc<FarmView>, AdmitError> {
        let farm = self.by_id.get(farm).map(|n| &self.farms[*n as usize]);
        let f = farm.ok_or(AdmitError::Unavailable("the farm is not there yet"))?;
        let copy = || f.published.copy(&f.fold, &f.future_timestamps);
        f.published.since(wanted).map_or_else(
            || catch_unwind(AssertUnwindSafe(copy)).map_err(|_| COPY_FAILED),
            Ok,
        )
    }

    /// Forgets what is known of a controller's record.
    pub(crate) fn forget(&mut self, mac: &Mac) {
        self.senders.forget(mac);
        // It may be no controller of its farm any more.
        self.farms.iter().for_each(|f| f.published.advance(false));
    }
}

fn count(t: &Tally) {
    if t.readings == 0 {
        return;
    }
    metrics::counter!("harit_readings_total").increment(t.readings);
    metrics::counter!("harit_late_total").increment(t.late);
    metrics::counter!("harit_backlog_total").increment(t.backlog);
    metrics::counter!("harit_unknown_sensor_total").increment(t.unknown);
    metrics::counter!("harit_faults_total", "reason" => "null").increment(t.null);
    metrics::counter!("harit_faults_total", "reason" => "not_finite").increment(t.not_finite);
    metrics::counter!("harit_faults_total", "reason" => "out_of_range").increment(t.out_of_range);
}
