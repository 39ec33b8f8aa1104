//! The driver: one thread that owns the engines of its farms.
//!
//! It takes everything that waits, reads it into steps and, in the same pass, into one journal batch; makes the batch
//! durable; and only then applies the steps, sends what was decided and resolves the receipts. The more comes in while a
//! batch is written, the larger the next one is: that is the whole of group commit. When an engine's deadline comes, a tick
//! is journaled and applied like any other input, so that the journal folds to the same state.
//!
//! Invariants: nothing else holds `&mut Engine`; a step is applied after its batch is durable, never before; a farm that
//! fails does not stop the others.

pub(crate) mod farm;
mod prepare;
pub(crate) mod queue;
pub(crate) mod receipt;
pub(crate) mod snapshot;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use harit_engine::{Event, EventKind, FarmId, Input, InputKind, Measured, Timestamp};
use tokio::sync::{broadcast, oneshot};

use crate::clock::{DriverClock, Now, TimeSource};
use crate::command::CommandLife;
use crate::dead_letter::DeadLetters;
use crate::directory::ControllerDirectory;
use crate::downlink::Target;
use crate::history::rollup::RollupRow;
use crate::history::store::{Fold, HistoryHandle, Positions, Write};
use crate::hub::AdmitError;
use crate::journal::codec::Encoder;
use crate::journal::file::JournalFile;
use crate::live::{LiveEvent, LiveKind, LiveSensor, Telemetry};
use crate::mac::Mac;
use crate::mqtt::{Downlink, DownlinkError};
use crate::recovery::collect_events;
use farm::{Farm, Pending, Readings, Tally};
use queue::{Question, Queue};
use receipt::PartReceipt;

/// The longest that a shard sleeps: so soon it notices a clock that was set.
const MAX_SLEEP: Duration = Duration::from_millis(100);
/// How long it waits after the journal refused a batch.
const JOURNAL_RETRY: Duration = Duration::from_millis(500);
/// How often a farm's values are told live at most, in milliseconds.
const LIVE_EVERY_MS: i64 = 200;
/// How often history is handed over while there is little of it.
const HISTORY_EVERY: Duration = Duration::from_secs(1);
/// How often while there is much.
const HISTORY_EVERY_BUSY: Duration = Duration::from_secs(10);
/// What is much, in rollups.
const HISTORY_BUSY: usize = 5_000;
/// How many snapshots are kept besides one a day.
const SNAPSHOTS_KEPT: usize = 2;
/// The most command changes that wait for the history store.
const MAX_PENDING_LIVES: usize = 100_000;
const DAY_MS: i64 = 86_400_000;

/// What all shards share.
pub(crate) struct Shared {
    pub(crate) source: Arc<dyn TimeSource>,
    pub(crate) directory: Arc<dyn ControllerDirectory>,
    pub(crate) letters: DeadLetters,
    pub(crate) live: broadcast::Sender<Arc<LiveEvent>>,
    pub(crate) downlink: RwLock<Option<Downlink>>,
    pub(crate) positions: Arc<Positions>,
}

/// How a shard is, for those who ask without waiting.
#[derive(Debug, Default)]
pub(crate) struct ShardHealth {
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
    Added {
        reply: oneshot::Sender<Result<(), AdmitError>>,
    },
}

/// A shard; see the module.
pub(crate) struct Shard {
    config: ShardConfig,
    shared: Arc<Shared>,
    pub(crate) queue: Arc<Queue>,
    health: Arc<ShardHealth>,
    pub(crate) farms: Vec<Farm>,
    by_id: HashMap<FarmId, u32>,
    journal: JournalFile,
    encoder: Encoder,
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
    unsent: Option<Write>,
    lives: Vec<CommandLife>,
    history_at: Instant,
    snapshot_at: Instant,
    inputs_since_snapshot: u64,
    trimming: Option<u64>,
}

/// What a shard goes on with after recovery.
pub(crate) struct Beginning {
    pub(crate) farms: Vec<Farm>,
    pub(crate) pending: Pending,
    pub(crate) journal: JournalFile,
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
        let (wall, mono) = (shared.source.wall(), shared.source.monotonic());
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
            shared,
        }
    }

    /// Says `Resumed` to every farm, before anything else is done. False where that cannot be journaled.
    pub(crate) fn resume(&mut self) -> bool {
        self.begin();
        for farm in 0..self.farms.len() {
            let farm = u32::try_from(farm).unwrap_or(u32::MAX);
            self.input(farm, InputKind::Resumed, None, Instant::now());
        }
        self.finish(false)
    }

    /// Works until it is told to stop.
    pub(crate) fn run(mut self) {
        let queue = self.queue.clone();
        loop {
            let taken = queue.take(self.sleep());
            for question in taken.questions {
                question(&mut self);
            }
            self.begin();
            let cost: usize = taken.work.iter().map(|(_, cost)| cost).sum();
            for (work, _) in taken.work {
                self.prepare(work);
            }
            self.prepare_ticks();
            self.prepare_absent();
            let durable = self.finish(taken.stopping);
            queue.give_back(cost);
            self.tend();
            if !durable || taken.stopping {
                break;
            }
        }
        self.end();
        queue.close();
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
        Duration::from_millis(until.clamp(0, 60_000).unsigned_abs()).min(MAX_SLEEP)
    }

    fn tell_time(&mut self) {
        self.now = self
            .clock
            .now(self.shared.source.wall(), self.shared.source.monotonic());
    }

    /// Begins a batch.
    fn begin(&mut self) {
        self.tell_time();
        self.encoder.begin(self.now.at);
    }

    /// Makes the batch durable and does what is in it. False where it could not be made durable and never will be.
    fn finish(&mut self, stopping: bool) -> bool {
        if self.encoder.entries() > 0 && !self.commit(stopping) {
            // Whoever waits learns that it is lost when this is dropped.
            self.steps.clear();
            self.receipts.clear();
            return false;
        }
        self.inputs_since_snapshot += self.encoder.entries();
        let mut tally = Tally::default();
        let mut steps = std::mem::take(&mut self.steps);
        for step in steps.drain(..) {
            self.apply(step, &mut tally);
        }
        self.steps = steps;
        self.values.clear();
        for (receipt, rejected) in self.receipts.drain(..) {
            receipt.resolve(rejected);
        }
        count(&tally);
        self.run_lives();
        self.reschedule();
        true
    }

    /// Appends the batch, again and again while the disk is full.
    fn commit(&mut self, stopping: bool) -> bool {
        let began = Instant::now();
        let mut stopping = stopping;
        loop {
            match self
                .journal
                .append(self.now.at, self.encoder.entries(), self.encoder.body())
            {
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
            let (questions, stop) = self.queue.clone().take_questions(JOURNAL_RETRY);
            stopping = stop;
            for question in questions {
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
            Step::Added { reply } => {
                let _ = reply.send(Ok(()));
            }
        }
    }

    /// Sends the commands among the events, and tells everybody.
    fn dispatch(&mut self, farm: u32, arrived: Instant) {
        if self.events.is_empty() {
            return;
        }
        let events = std::mem::take(&mut self.events);
        let f = &mut self.farms[farm as usize];
        collect_events(&f.id, &events, &mut self.pending);
        let now = self.now.at;
        let downlink = self
            .shared
            .downlink
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        for e in &events {
            let EventKind::Command(command) = &e.kind else {
                continue;
            };
            let rule_name = match command.cause() {
                harit_engine::Cause::Rule(id) => f.engine.rule(id.as_str()).map(|r| r.spec.name),
                _ => None,
            };
            let target = f.book.target(command.device()).map(|(mac, local)| Target {
                mac,
                local: local.into(),
            });
            let publish = &mut |topic: &str, payload| {
                downlink
                    .as_ref()
                    .map_or(Err(DownlinkError::NotConnected), |d| {
                        d.publish(topic, payload)
                    })
            };
            f.lives.decided(
                now,
                e.at,
                command,
                rule_name,
                target,
                publish,
                &mut self.lives,
            );
            metrics::histogram!("harit_publish_to_command_seconds").record(arrived.elapsed());
        }
        drop(downlink);
        for e in &events {
            metrics::counter!("harit_events_total", "event" => e.kind.name()).increment(1);
        }
        if self.shared.live.receiver_count() > 0 {
            for e in events {
                self.tell(farm, LiveKind::Engine(e));
            }
        } else {
            self.events = events;
            self.events.clear();
        }
        self.tell_lives();
    }

    fn tell(&self, farm: u32, kind: LiveKind) {
        if self.shared.live.receiver_count() > 0 {
            let farm = self.farms[farm as usize].id.clone();
            // Nobody listening is no error.
            let _ = self.shared.live.send(Arc::new(LiveEvent { farm, kind }));
        }
    }

    /// The controller said what its devices do, and that it is there.
    fn heard_report(&mut self, farm: u32, controller: u32, online: bool, changed: bool) {
        self.touch(farm);
        let now = self.now.at;
        let f = &mut self.farms[farm as usize];
        let mac = f.book.controllers[controller as usize].mac;
        let reports: Vec<_> = f
            .book
            .reports(controller)
            .filter(|(_, r)| r.at >= now)
            .map(|(d, r)| (d.clone(), r))
            .collect();
        for (device, report) in reports {
            f.lives.reported(now, &device, report, &mut self.lives);
        }
        if online {
            let downlink = self
                .shared
                .downlink
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            let publish = &mut |topic: &str, payload| {
                downlink
                    .as_ref()
                    .map_or(Err(DownlinkError::NotConnected), |d| {
                        d.publish(topic, payload)
                    })
            };
            let engine = &f.engine;
            let counts_on = |device: &harit_engine::DeviceId| {
                engine
                    .device(device.as_str())
                    .filter(|d| d.online)
                    .and_then(|d| d.last_sent)
            };
            f.lives
                .controller_seen(now, mac, counts_on, publish, &mut self.lives);
        }
        if changed {
            self.tell(farm, LiveKind::Controller { mac, online });
        }
        self.tell_lives();
    }

    /// A new downlink: what waited for one goes out.
    pub(crate) fn attached(&mut self) {
        self.tell_time();
        let now = self.now.at;
        let downlink = self
            .shared
            .downlink
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let publish = &mut |topic: &str, payload| {
            downlink
                .as_ref()
                .map_or(Err(DownlinkError::NotConnected), |d| {
                    d.publish(topic, payload)
                })
        };
        for f in &mut self.farms {
            f.lives.attached(now, publish, &mut self.lives);
        }
        drop(downlink);
        self.tell_lives();
    }

    /// Resends and renews what is due.
    fn run_lives(&mut self) {
        self.tell_time();
        let now = self.now.at;
        let due: Vec<u32> = self
            .schedule
            .iter()
            .take_while(|(at, _)| *at <= now)
            .map(|(_, f)| *f)
            .collect();
        for farm in due {
            self.touch(farm);
            let f = &mut self.farms[farm as usize];
            if f.lives.next_deadline().is_none_or(|d| d > now) {
                continue;
            }
            let downlink = self
                .shared
                .downlink
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            let publish = &mut |topic: &str, payload| {
                downlink
                    .as_ref()
                    .map_or(Err(DownlinkError::NotConnected), |d| {
                        d.publish(topic, payload)
                    })
            };
            let engine = &f.engine;
            let failed = f.failed.is_some();
            let is_on = |device: &harit_engine::DeviceId| {
                !failed
                    && engine.device(device.as_str()).is_some_and(|d| {
                        d.online && d.last_sent.is_some_and(harit_engine::Setting::is_on)
                    })
            };
            f.lives.due(now, is_on, publish, &mut self.lives);
        }
        self.tell_lives();
    }

    /// Tells the new states of commands; the history store gets them with the next hand-over.
    fn tell_lives(&mut self) {
        let told = self.lives.iter().rposition(|l| l.told).map_or(0, |i| i + 1);
        for i in told..self.lives.len() {
            self.lives[i].told = true;
            let life = self.lives[i].clone();
            metrics::counter!("harit_commands_total", "state" => life.state.as_str()).increment(1);
            if self.shared.live.receiver_count() > 0 {
                let event = LiveEvent {
                    farm: life.farm.clone(),
                    kind: LiveKind::Command(Box::new(life)),
                };
                let _ = self.shared.live.send(Arc::new(event));
            }
        }
        if self.lives.len() > MAX_PENDING_LIVES {
            let over = self.lives.len() - MAX_PENDING_LIVES;
            metrics::counter!("harit_history_dropped_total").increment(over as u64);
            self.lives.drain(..over);
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
                let mut failed = self
                    .health
                    .failed_farms
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                let id = &self.farms[farm as usize].id;
                if !failed.contains(id) {
                    failed.push(id.clone());
                }
            }
        }
    }

    /// Everything that waits for a pause: telling, history, snapshots, trimming.
    fn tend(&mut self) {
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

    fn tell_values(&mut self) {
        let now = self.now.at;
        let listening = self.shared.live.receiver_count() > 0;
        let mut later = Vec::new();
        for farm in std::mem::take(&mut self.live) {
            let f = &mut self.farms[farm as usize];
            if listening && f.told_at.as_millis().saturating_add(LIVE_EVERY_MS) > now.as_millis() {
                later.push(farm);
                continue;
            }
            f.told_at = now;
            let mut sensors = Vec::new();
            for n in std::mem::take(&mut f.live) {
                let s = &mut f.book.sensors[n as usize];
                s.live_listed = false;
                if let Some((at, latest_value)) = s.latest.filter(|_| listening) {
                    sensors.push(LiveSensor {
                        id: s.id.clone(),
                        sensor_type: s.sensor_type,
                        unit: s.sensor_type.unit(),
                        latest_value,
                        at,
                    });
                }
            }
            if listening {
                self.tell(farm, LiveKind::Telemetry(Telemetry { sensors }));
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
    }

    /// What follows from the journal up to here goes to the history store.
    pub(crate) fn hand_over_history(&mut self) {
        self.history_at = Instant::now();
        if let Some(write) = self.unsent.take()
            && let Err(write) = self.history.offer(write)
        {
            self.unsent = Some(write);
            self.pending.bound();
            return;
        }
        if self.pending.is_empty()
            && self.shared.positions.of(self.config.number) == self.journal.last()
        {
            return;
        }
        let fold = self.take_fold();
        self.unsent = self.history.offer(Write::Fold(fold)).err();
    }

    fn take_fold(&mut self) -> Fold {
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
        if self.farms.iter().any(|f| f.failed.is_some()) {
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
    fn plan_trimming(&mut self) {
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
    fn end(&mut self) {
        self.hand_over_lives();
        if !self.lives.is_empty() {
            self.history
                .send(Write::Lives(std::mem::take(&mut self.lives)));
        }
        if let Some(write) = self.unsent.take() {
            self.history.send(write);
        }
        let fold = self.take_fold();
        self.history.send(Write::Fold(fold));
        if self.inputs_since_snapshot > 0 && !self.health.journal_failed.load(Ordering::Acquire) {
            self.store_snapshot();
        }
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
        let s = &mut f.book.sensors[n as usize];
        s.rollup_listed = false;
        if let Some(bucket) = s.bucket.take() {
            pending.rollups.push(RollupRow {
                farm: f.id.clone(),
                sensor: s.id.clone(),
                bucket,
            });
        }
    }
    let Pending {
        rollups, events, ..
    } = std::mem::take(pending);
    Fold {
        generation,
        shard,
        seq,
        rollups,
        events,
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
