//! The driver: one thread that owns the engines of its farms.
//!
//! It takes everything that waits, reads it into steps and, in the same pass, into one journal batch; makes the batch
//! durable; and only then applies the steps, sends what was decided and resolves the receipts. The more comes in while a
//! batch is written, the larger the next one is: that is the whole of group commit. When an engine's deadline comes, a tick
//! is journaled and applied like any other input, so that the journal folds to the same state.
//!
//! Invariants: nothing else holds `&mut Engine`; a step is applied after its batch is durable, never before; a farm that
//! fails does not stop the others.

mod decided;
mod dispatch;
pub(crate) mod farm;
pub(crate) mod keeper;
mod prepare;
pub(crate) mod queue;
pub(crate) mod receipt;
pub(crate) mod snapshot;
pub(crate) mod tend;
mod urgent;
mod verdict;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use harit_engine::{Event, FarmId, Input, InputKind, Measured, Timestamp};
use harit_protocol::Ack;
use harit_protocol::Mac;
use tokio::sync::{broadcast, oneshot};

use crate::clock::{DriverClock, Now, TimeSource};
use crate::command::CommandLife;
use crate::dead_letter::DeadLetters;
use crate::directory::ControllerDirectory;
use crate::history::store::{Fold, HistoryHandle, Positions};
use crate::hub::AdmitError;
use crate::journal::codec::Encoder;
use crate::journal::storage::Journal;
use crate::live::{LiveEvent, LiveKind};
use crate::mqtt::{Downlink, DownlinkError};
use farm::{Farm, Pending, Readings, Tally};
use queue::{Cost, Question, Queue, Work};
use receipt::PartReceipt;
use urgent::{Waiting, opens_stops};

/// The longest that a shard sleeps: so soon it notices a clock that was set.
const MAX_SLEEP: Duration = Duration::from_millis(100);
/// How long it waits after the journal refused a batch.
const JOURNAL_RETRY: Duration = Duration::from_millis(500);
/// How often a farm's values are told live at most, in milliseconds.
const LIVE_EVERY_MS: i64 = 200;
/// The most command changes that wait for the history store.
const MAX_PENDING_LIVES: usize = 100_000;
/// How many units of work go into one batch: some 20 ms of work, so that nobody waits long for his turn.
pub(crate) const TURN_UNITS: usize = 2_048;
/// How many questions are answered before a batch at most.
const QUESTIONS_A_TURN: usize = 32;

/// What all shards share.
pub(crate) struct Shared {
    pub(crate) source: Arc<dyn TimeSource>,
    pub(crate) directory: Arc<dyn ControllerDirectory>,
    pub(crate) letters: DeadLetters,
    pub(crate) live: broadcast::Sender<Arc<LiveEvent>>,
    pub(crate) downlink: RwLock<Option<Downlink>>,
    pub(crate) positions: Arc<Positions>,
}

impl Shared {
    /// The way out through the downlink that is attached now.
    fn way_out(&self) -> impl FnMut(&str, Bytes) -> Result<(), DownlinkError> + '_ {
        let downlink = self.downlink.read().unwrap_or_else(PoisonError::into_inner);
        move |topic, payload| match &*downlink {
            Some(downlink) => downlink.publish(topic, payload),
            None => Err(DownlinkError::NotConnected),
        }
    }
}

/// How a shard is, for those who ask without waiting.
#[derive(Debug, Default)]
pub(crate) struct ShardHealth {
    /// Whether its thread is at work.
    pub(crate) up: AtomicBool,
    pub(crate) journal_failed: AtomicBool,
    pub(crate) error: Mutex<Option<String>>,
    pub(crate) failed_farms: Mutex<Vec<FarmId>>,
}

/// What a shard is made with.
#[derive(Clone, Copy)]
pub(crate) struct ShardConfig {
    pub(crate) number: usize,
    pub(crate) generation: u64,
    pub(crate) journal_days: u32,
    pub(crate) journal_max_bytes: u64,
    pub(crate) snapshot_every: Duration,
    pub(crate) presence_grace: Duration,
    /// How much goes into one batch.
    pub(crate) turn_units: usize,
}

/// One thing to do once the batch is durable.
enum Step {
    Readings {
        farm: u32,
        at: Timestamp,
        backlog: bool,
        from: usize,
        to: usize,
        arrived: Instant,
    },
    Input {
        farm: u32,
        input: Input,
        reply: Option<oneshot::Sender<Result<Vec<Event>, AdmitError>>>,
        arrived: Instant,
    },
    /// A controller's report: the book has it; now the commands hear of it.
    Reported {
        farm: u32,
        controller: u32,
        online: bool,
        changed: bool,
    },
    /// A controller's answer to a command.
    Acked { farm: u32, mac: Mac, ack: Ack },
    Added {
        reply: oneshot::Sender<Result<(), AdmitError>>,
    },
}

impl Step {
    const fn farm(&self) -> Option<u32> {
        match self {
            Self::Readings { farm, .. }
            | Self::Input { farm, .. }
            | Self::Reported { farm, .. }
            | Self::Acked { farm, .. } => Some(*farm),
            Self::Added { .. } => None,
        }
    }
}

/// A shard; see the module.
pub(crate) struct Shard {
    config: ShardConfig,
    shared: Arc<Shared>,
    pub(crate) queue: Arc<Queue>,
    health: Arc<ShardHealth>,
    pub(crate) farms: Vec<Farm>,
    by_id: HashMap<FarmId, u32>,
    journal: Journal,
    encoder: Encoder,
    /// For batches that go before the present one.
    aside: Encoder,
    /// What must not wait and cannot be journaled yet.
    waiting: Vec<Waiting>,
    /// Whether the journal is lost for good.
    lost: bool,
    clock: DriverClock,
    now: Now,
    started: Timestamp,
    presence_checked: bool,
    steps: Vec<Step>,
    values: Vec<(u32, Measured)>,
    receipts: Vec<(PartReceipt, usize)>,
    events: Vec<Event>,
    touched: Vec<u32>,
    schedule: BTreeSet<(Timestamp, u32)>,
    live: Vec<u32>,
    records: HashMap<Mac, prepare::Record>,
    history: HistoryHandle,
    pending: Pending,
    /// What the writer had no room for.
    unsent: Option<Fold>,
    lives: Vec<CommandLife>,
    history_at: Instant,
    snapshot_at: Instant,
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
    pub(crate) journal: Journal,
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
        let floor = crate::recovery::latest_clock(beginning.farms.iter());
        let (wall, mono) = shared.source.read();
        let mut clock = DriverClock::new(wall, mono, floor);
        let now = clock.now(wall, mono);
        Self {
            config,
            queue,
            health,
            by_id: beginning
                .farms
                .iter()
                .zip(0..)
                .map(|(f, i)| (f.id.clone(), i))
                .collect(),
            farms: beginning.farms,
            journal: beginning.journal,
            encoder: Encoder::default(),
            aside: Encoder::aside(),
            waiting: Vec::new(),
            lost: false,
            clock,
            now,
            started: now.at,
            presence_checked: false,
            steps: Vec::new(),
            values: Vec::new(),
            receipts: Vec::new(),
            events: Vec::new(),
            touched: Vec::new(),
            schedule: BTreeSet::new(),
            live: Vec::new(),
            records: HashMap::new(),
            history,
            pending: beginning.pending,
            unsent: None,
            lives: Vec::new(),
            history_at: Instant::now(),
            snapshot_at: Instant::now(),
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
            if self.farms[farm].failed.is_some() {
                continue;
            }
            let farm = u32::try_from(farm).unwrap_or(u32::MAX);
            self.input(farm, InputKind::Resumed, None, Instant::now());
        }
        self.finish(false)
    }

    /// Works until it is told to stop, or its journal fails for good.
    pub(crate) fn run(&mut self) {
        let queue = self.queue.clone();
        loop {
            let taken = queue.take(self.sleep(), QUESTIONS_A_TURN);
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
        let mut spent = 0;
        while spent < self.config.turn_units
            && let Some((work, cost)) = self.queue.next()
        {
            self.units = 0;
            self.costs.push(cost.clone());
            match work {
                // It may have been asked for before the stop, and must not open that.
                Work::Admit { farm, kind, reply }
                    if stopped.contains(&farm) && opens_stops(&kind) =>
                {
                    let _ = reply.send(Err(AdmitError::Unavailable("a stop came first")));
                }
                work => self.prepare(work),
            }
            self.queue.charge(&cost.farm, self.units);
            spent += cost.units.max(1) + self.units;
        }
        self.prepare_ticks();
        self.prepare_deserters();
        self.prepare_absent();
        if planted!(AckBeforeCommit) {
            self.receipts.drain(..).for_each(|(r, n)| r.resolve(n));
        }
    }

    fn sleep(&self) -> Duration {
        let next = self.schedule.first().map(|(at, _)| *at);
        let live = self
            .live
            .iter()
            .map(|f| {
                self.farms[*f as usize].told_at + harit_engine::Duration::from_millis(LIVE_EVERY_MS)
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
    }

    /// Makes the batch durable and does what is in it. False where it could not be made durable and never will be.
    fn finish(&mut self, stopping: bool) -> bool {
        if self.lost || self.encoder.entries() > 0 && !self.commit(stopping) {
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
        self.values.clear();
        count(&tally);
    }

    /// Tells the senders that what they sent is safe, and goes on with the commands.
    pub(crate) fn acknowledge(&mut self) {
        for (receipt, rejected) in self.receipts.drain(..) {
            receipt.resolve(rejected);
        }
        self.run_lives();
        self.reschedule();
        self.give_back();
    }

    /// Appends the batch, again and again while the disk is full.
    pub(crate) fn commit(&mut self, stopping: bool) -> bool {
        if planted!(SendBeforeCommit) {
            self.act();
        }
        let began = Instant::now();
        let mut stopping = stopping;
        loop {
            // First: what a stop made room for on a full disk is for further stops.
            let room = self.journal.keep_reserve();
            let (at, entries) = (self.encoder.at(), self.encoder.entries());
            let append = |()| self.journal.append(at, entries, self.encoder.body());
            match room.and_then(append) {
                Ok(_) => break,
                Err(e) => {
                    let text = e.to_string();
                    tracing::error!(shard = self.config.number, error = %text, "the journal cannot be written: nothing is acknowledged");
                    metrics::counter!("harit_journal_errors_total").increment(1);
                    self.health.journal_failed.store(true, Ordering::Release);
                    *self
                        .health
                        .error
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner) = Some(text);
                    if stopping || !may_recover(&e) {
                        return false;
                    }
                }
            }
            // Leases are renewed and questions answered meanwhile.
            let taken = self.queue.clone().take_questions(JOURNAL_RETRY);
            stopping = taken.stopping;
            self.urgent(taken.urgent);
            if self.lost {
                return false;
            }
            for question in taken.questions {
                question(self);
            }
            self.run_lives();
            self.reschedule();
            self.hand_over_lives();
        }
        if self.health.journal_failed.swap(false, Ordering::AcqRel) {
            tracing::info!(
                shard = self.config.number,
                "the journal can be written again"
            );
            *self
                .health
                .error
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = None;
        }
        metrics::histogram!("harit_journal_commit_seconds").record(began.elapsed());
        #[allow(clippy::cast_precision_loss, reason = "a metric")]
        metrics::histogram!("harit_batch_inputs").record(self.encoder.entries() as f64);
        true
    }

    fn touch(&mut self, farm: u32) {
        let f = &mut self.farms[farm as usize];
        if !f.touched {
            f.touched = true;
            self.touched.push(farm);
        }
    }

    fn apply(&mut self, step: Step, tally: &mut Tally) {
        match step {
            Step::Readings {
                farm,
                at,
                backlog,
                from,
                to,
                arrived,
            } => {
                self.touch(farm);
                let values = std::mem::take(&mut self.values);
                let read = Readings {
                    at,
                    backlog,
                    values: &values[from..to],
                };
                self.farms[farm as usize].readings(
                    farm,
                    read,
                    &mut self.events,
                    Some(&mut self.pending),
                    tally,
                );
                self.values = values;
                self.write_log(farm, None);
                self.dispatch(farm, arrived);
            }
            Step::Input {
                farm,
                input,
                reply,
                arrived,
            } => {
                self.touch(farm);
                let result = self.farms[farm as usize].input(&input, &mut self.events);
                let answer = match &result {
                    None => Err(AdmitError::Unavailable("the farm's engine has failed")),
                    Some(Err(problems)) => {
                        if reply.is_none() {
                            tracing::warn!(farm = %self.farms[farm as usize].id, %problems, "an input of the pipeline was refused");
                        }
                        Err(AdmitError::Rejected(problems.clone()))
                    }
                    Some(Ok(())) => Ok(if reply.is_some() {
                        self.events.clone()
                    } else {
                        Vec::new()
                    }),
                };
                if matches!(result, Some(Ok(()))) {
                    self.write_log(farm, Some(&input));
                }
                let changes_documents = matches!(
                    input.kind,
                    InputKind::Registry(_)
                        | InputKind::RulePut(_)
                        | InputKind::RuleDelete(_)
                        | InputKind::AlertPut(_)
                        | InputKind::AlertDelete(_)
                );
                self.dispatch(farm, arrived);
                if answer.is_ok() && changes_documents {
                    self.tell(farm, LiveKind::Registry);
                }
                if let Some(reply) = reply {
                    // Whoever asked may have gone.
                    let _ = reply.send(answer);
                }
            }
            Step::Reported {
                farm,
                controller,
                online,
                changed,
            } => self.heard_report(farm, controller, online, changed),
            Step::Acked { farm, mac, ack } => self.heard_ack(farm, mac, ack),
            Step::Added { reply } => {
                let _ = reply.send(Ok(()));
            }
        }
    }

    /// Puts the farms that the batch touched where their next deadline is.
    fn reschedule(&mut self) {
        for farm in std::mem::take(&mut self.touched) {
            let f = &mut self.farms[farm as usize];
            f.touched = false;
            let was_failed = f.failed.is_some();
            let next = f.next_deadline();
            let is_failed = f.failed.is_some();
            if let Some(old) = f.scheduled.take() {
                self.schedule.remove(&(old, farm));
            }
            if let Some(at) = next {
                f.scheduled = Some(at);
                self.schedule.insert((at, farm));
            }
            if !f.live.is_empty() && !self.live.contains(&farm) {
                self.live.push(farm);
            }
            if was_failed || is_failed {
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
        let id = &self.farms[farm as usize].id;
        if !failed.contains(id) {
            metrics::gauge!("harit_farm_failed", "farm" => id.to_string()).set(1.0);
            failed.push(id.clone());
        }
    }

    /// The farms that have something to do by now, the longest due first.
    fn due_farms(&self) -> Vec<u32> {
        let due = self
            .schedule
            .iter()
            .take_while(|(at, _)| *at <= self.now.at);
        due.map(|(_, farm)| *farm).collect()
    }

    // ---- questions ----

    pub(crate) fn question<R: Send + 'static>(
        farm: FarmId,
        ask: impl FnOnce(&Farm) -> R + Send + 'static,
        reply: oneshot::Sender<Result<R, AdmitError>>,
    ) -> Question {
        Box::new(move |shard| {
            let answer = match shard.by_id.get(&farm).map(|n| &shard.farms[*n as usize]) {
                None => Err(AdmitError::UnknownFarm(farm)),
                Some(f) if f.failed.is_some() => {
                    Err(AdmitError::Unavailable("the farm's engine has failed"))
                }
                Some(f) => std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ask(f)))
                    .map_err(|_| AdmitError::Unavailable("the question panicked")),
            };
            let _ = reply.send(answer);
        })
    }

    /// Forgets what is known of a controller's record.
    pub(crate) fn forget(&mut self, mac: &Mac) {
        self.records.remove(mac);
        // It may be no controller of its farm any more.
        self.farms.iter_mut().for_each(|f| f.verdict = None);
    }
}

#[cfg(feature = "simulation")]
impl Shard {
    /// How many entries the present batch has.
    pub(crate) const fn entries(&self) -> u64 {
        self.encoder.entries()
    }

    /// When it has something to do by itself.
    pub(crate) fn next_deadline(&self) -> Option<Timestamp> {
        self.schedule.first().map(|(at, _)| *at)
    }

    /// What time it is for the engines.
    pub(crate) const fn present(&self) -> Timestamp {
        self.now.at
    }

    pub(crate) fn farm(&self, id: &FarmId) -> Option<&Farm> {
        self.by_id.get(id).map(|n| &self.farms[*n as usize])
    }
}

/// Whether a journal that refused a batch may take it later. A failed sync may have lost what was written before it, and a
/// second one may say that all is well: after that only a restart is safe.
fn may_recover(e: &rusqlite::Error) -> bool {
    const IOERR_FSYNC: i32 = 1_034;
    const IOERR_DIR_FSYNC: i32 = 1_290;
    const IOERR_TRUNCATE: i32 = 1_546;
    !matches!(
        e.sqlite_error().map(|e| e.extended_code),
        Some(IOERR_FSYNC | IOERR_DIR_FSYNC | IOERR_TRUNCATE)
    ) && !matches!(
        e.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
    )
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

/// Whether the changes are such that later inputs may build on them.
fn is_structural(kind: &InputKind) -> bool {
    !matches!(
        kind,
        InputKind::Reading { .. } | InputKind::Tick | InputKind::Resumed
    )
}
