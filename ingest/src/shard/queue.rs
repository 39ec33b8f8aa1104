//! The way to a shard: bounded, in turns between its farms, and with lanes of their own for people and for questions.
//!
//! A publish costs a unit and one more a KiB; units are taken before a batch is put in and given back when it is done, so
//! that what a shard has in memory is bounded, and a transport that finds no units stops reading its sockets. A farm has a
//! limit of its own: its flood fills its own lane and holds up nobody else. The shard takes from the lanes in turn
//! (deficit round robin), and a farm is charged what its work really took. What people decide goes first.
//!
//! Readings may wait for more of them, so that a disk is synced less often ([`Patience`]); whatever else comes takes them along.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use harit_engine::{DeviceId, Event, FarmDocument, FarmId, InputKind};
use harit_protocol::Mac;
use tokio::sync::{Semaphore, oneshot};

use super::TURN_UNITS;
use super::receipt::PartReceipt;
use crate::admit::AdmitError;
use crate::mqtt::{Principal, Publish};

/// How much a shard has in hand at most: publishes, or KiB.
pub(crate) const QUEUE_UNITS: usize = 32_768;
/// How much of it one farm may have.
pub(crate) const FARM_UNITS: usize = 8_192;
/// How many units a farm may spend before it is the next one's turn.
const QUANTUM: i64 = 256;
/// How many questions wait at most.
pub(crate) const MAX_QUESTIONS: usize = 1_024;
/// How much of what people decide waits at most.
const MAX_FIRST: usize = 4_096;
/// How many of what must not wait a shard has in hand at most.
pub(crate) const MAX_URGENT: usize = 1_024;

/// How long readings wait for more of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Patience(pub(crate) Duration);

/// A stop, or a person's switching off: it costs no units and is taken before everything else.
pub(crate) struct Urgent {
    pub(crate) farm: FarmId,
    pub(crate) kind: Box<InputKind>,
    pub(crate) reply: oneshot::Sender<Result<Vec<Event>, AdmitError>>,
    /// Told which devices `off` was sent to, where it cannot be journaled yet.
    pub(crate) sent: Option<oneshot::Sender<Vec<DeviceId>>>,
}

/// Something for a shard to do, in order.
pub(crate) enum Work {
    Batch {
        from: Option<Principal>,
        publishes: Vec<Publish>,
        receipt: PartReceipt,
        arrived: Instant,
        /// Whether it is readings and nothing else.
        only_readings: bool,
        /// Whether a broker had kept them for who comes later: they are old.
        kept: bool,
    },
    Admit {
        farm: FarmId,
        kind: Box<InputKind>,
        /// Whose it is, as an entry for the audit log.
        entry: Option<Box<str>>,
        reply: oneshot::Sender<Result<Vec<Event>, AdmitError>>,
    },
    AddFarm {
        document: Box<FarmDocument>,
        reply: oneshot::Sender<Result<(), AdmitError>>,
    },
    /// The connection of a gateway is there.
    Came { farm: FarmId, mac: Mac },
    /// The connection of a controller is gone.
    Gone { farm: FarmId, mac: Mac },
}

/// Something that is done between inputs.
pub(crate) type Question = Box<dyn FnOnce(&mut super::Shard) + Send>;

/// What a farm's work took from the queue, to be given back when it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) farm: FarmId,
    pub(crate) units: usize,
}

/// Why a question was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotAsked {
    /// [`MAX_QUESTIONS`] wait already.
    Busy,
    /// The shard is gone.
    Closed,
}

/// The work of one farm.
struct Lane {
    work: VecDeque<(Work, usize)>,
    /// What it may still spend in this round; below zero after work that took more than it seemed to.
    credit: i64,
    units: Arc<Semaphore>,
}

impl Lane {
    fn new() -> Self {
        Self {
            work: VecDeque::new(),
            credit: 0,
            units: Arc::new(Semaphore::new(FARM_UNITS)),
        }
    }
}

#[derive(Default)]
struct Lanes {
    urgent: Vec<Urgent>,
    first: VecDeque<(FarmId, Work)>,
    farms: HashMap<FarmId, Lane>,
    /// The farms that have work, in the order of their turns.
    turns: VecDeque<FarmId>,
    questions: VecDeque<Question>,
    /// Since when readings wait, and how many units they have.
    waiting: Option<(Instant, usize)>,
    /// Whether there is work that waits for nothing.
    hurry: bool,
    stopping: bool,
    closed: bool,
}

impl Lanes {
    fn lane(&mut self, farm: &FarmId) -> &mut Lane {
        self.farms.entry(farm.clone()).or_insert_with(Lane::new)
    }

    fn push(&mut self, farm: FarmId, work: Work, units: usize) {
        let lane = self.lane(&farm);
        let waits = !lane.work.is_empty();
        lane.work.push_back((work, units));
        if !waits {
            self.turns.push_back(farm);
        }
    }

    fn has_work(&self) -> bool {
        !self.first.is_empty() || !self.turns.is_empty()
    }

    /// How long the readings may wait yet, if nothing but readings waits.
    fn may_wait(&self, patience: Patience) -> Option<Duration> {
        let (since, units) = self.waiting.filter(|_| !self.hurry && !self.stopping)?;
        let left = patience.0.checked_sub(since.elapsed())?;
        (units < TURN_UNITS && !left.is_zero()).then_some(left)
    }

    /// Whether a shard is to be woken now.
    fn is_ready(&self, patience: Patience) -> bool {
        let work = self.has_work() && self.may_wait(patience).is_none();
        work || !self.urgent.is_empty() || !self.questions.is_empty() || self.stopping
    }
}

/// What a shard is woken for.
pub(crate) struct Taken {
    /// Whether nothing but readings is there, which wait for more.
    pub(crate) may_wait: bool,
    pub(crate) urgent: Vec<Urgent>,
    pub(crate) questions: Vec<Question>,
    pub(crate) stopping: bool,
}

/// The queue of one shard.
pub(crate) struct Queue {
    lanes: Mutex<Lanes>,
    wake: Condvar,
    units: Semaphore,
    patience: Patience,
}

impl Queue {
    pub(crate) fn new(patience: Patience) -> Self {
        Self {
            patience,
            lanes: Mutex::default(),
            wake: Condvar::new(),
            units: Semaphore::new(QUEUE_UNITS),
        }
    }

    fn lanes(&self) -> std::sync::MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room in the farm's lane and in the shard, and puts the work in; gives it back where the shard is closed.
    pub(crate) async fn put(&self, farm: FarmId, work: Work, units: usize) -> Result<(), Work> {
        let units = units.clamp(1, FARM_UNITS);
        let wanted = u32::try_from(units).unwrap_or(1);
        let own = self.lanes().lane(&farm).units.clone();
        let Ok(own) = own.acquire_many(wanted).await else {
            return Err(work);
        };
        let Ok(shared) = self.units.acquire_many(wanted).await else {
            return Err(work);
        };
        let mut lanes = self.lanes();
        if lanes.closed || lanes.stopping {
            return Err(work);
        }
        own.forget();
        shared.forget();
        match &work {
            Work::Batch {
                only_readings: true,
                ..
            } => {
                let waiting = lanes.waiting.get_or_insert((Instant::now(), 0));
                waiting.1 += units;
            }
            _ => lanes.hurry = true,
        }
        lanes.push(farm, work, units);
        drop(lanes);
        self.wake.notify_one();
        Ok(())
    }

    /// Puts in what must not wait; false where the shard is closed or has too many of these.
    pub(crate) fn put_urgent(&self, urgent: Urgent) -> bool {
        let mut lanes = self.lanes();
        if lanes.closed || lanes.stopping || lanes.urgent.len() >= MAX_URGENT {
            return false;
        }
        lanes.urgent.push(urgent);
        drop(lanes);
        self.wake.notify_one();
        true
    }

    /// Puts in what a person decided: it waits for nobody else's work, and takes none of the farm's units.
    pub(crate) fn put_first(&self, farm: FarmId, work: Work) -> Result<(), NotAsked> {
        let mut lanes = self.lanes();
        if lanes.closed || lanes.stopping {
            return Err(NotAsked::Closed);
        }
        if lanes.first.len() >= MAX_FIRST {
            return Err(NotAsked::Busy);
        }
        lanes.hurry = true;
        lanes.first.push_back((farm, work));
        drop(lanes);
        self.wake.notify_one();
        Ok(())
    }

    /// Puts work in without waiting and without a cost: there is at most one of these a connection.
    pub(crate) fn put_now(&self, farm: FarmId, work: Work) {
        let mut lanes = self.lanes();
        if !lanes.closed && !lanes.stopping {
            lanes.hurry = true;
            lanes.push(farm, work, 0);
        }
        drop(lanes);
        self.wake.notify_one();
    }

    /// Asks something between two inputs.
    pub(crate) fn ask(&self, question: Question) -> Result<(), NotAsked> {
        self.ask_within(MAX_QUESTIONS, question)
    }

    /// Says something that must not be lost, whoever else asks: there are few of these.
    pub(crate) fn tell(&self, question: Question) {
        // A shard that is gone has nothing to do with it.
        let _ = self.ask_within(usize::MAX, question);
    }

    fn ask_within(&self, limit: usize, question: Question) -> Result<(), NotAsked> {
        let mut lanes = self.lanes();
        if lanes.closed {
            return Err(NotAsked::Closed);
        }
        if lanes.questions.len() >= limit {
            metrics::counter!("harit_questions_refused_total").increment(1);
            return Err(NotAsked::Busy);
        }
        lanes.questions.push_back(question);
        drop(lanes);
        self.wake.notify_one();
        Ok(())
    }

    /// Waits until there is something, at most for `timeout`, and takes up to so many questions.
    pub(crate) fn take(&self, timeout: Duration, questions: usize) -> Taken {
        let mut lanes = self.lanes();
        let until = Instant::now() + timeout;
        while !lanes.is_ready(self.patience) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let left = lanes
                .may_wait(self.patience)
                .map_or(left, |wait| wait.min(left));
            (lanes, _) = self
                .wake
                .wait_timeout(lanes, left)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let taken = lanes.questions.len().min(questions);
        Taken {
            may_wait: !lanes.is_ready(self.patience),
            urgent: std::mem::take(&mut lanes.urgent),
            questions: lanes.questions.drain(..taken).collect(),
            stopping: lanes.stopping,
        }
    }

    /// The next work: what people decide, then that of the farm whose turn it is.
    pub(crate) fn next(&self) -> Option<(Work, Cost)> {
        let mut lanes = self.lanes();
        if let Some((farm, work)) = lanes.first.pop_front() {
            return Some((work, Cost { farm, units: 0 }));
        }
        loop {
            let Some(farm) = lanes.turns.front().cloned() else {
                (lanes.waiting, lanes.hurry) = (None, false);
                return None;
            };
            // What does not fit into this batch is for the next, which comes at once.
            lanes.hurry = true;
            let lane = lanes.lane(&farm);
            if lane.credit <= 0 {
                lane.credit += QUANTUM;
                lanes.turns.rotate_left(1);
                continue;
            }
            let Some((work, units)) = lane.work.pop_front() else {
                lanes.turns.pop_front();
                continue;
            };
            lane.credit -= i64::try_from(units.max(1)).unwrap_or(QUANTUM);
            if lane.work.is_empty() {
                // Who has nothing to do saves nothing up.
                lane.credit = lane.credit.min(0);
                lanes.turns.pop_front();
            }
            return Some((work, Cost { farm, units }));
        }
    }

    /// A farm's work took so much more than its cost said.
    pub(crate) fn charge(&self, farm: &FarmId, units: usize) {
        let mut lanes = self.lanes();
        lanes.lane(farm).credit -= i64::try_from(units).unwrap_or(QUANTUM);
    }

    /// Takes the questions and what must not wait only, after at most `timeout`: while the journal cannot be written.
    pub(crate) fn take_questions(&self, timeout: Duration) -> Taken {
        let lanes = self.lanes();
        let empty = |l: &mut Lanes| l.urgent.is_empty() && l.questions.is_empty() && !l.stopping;
        let (mut lanes, _) = self
            .wake
            .wait_timeout_while(lanes, timeout, empty)
            .unwrap_or_else(PoisonError::into_inner);
        Taken {
            may_wait: false,
            urgent: std::mem::take(&mut lanes.urgent),
            questions: lanes.questions.drain(..).collect(),
            stopping: lanes.stopping,
        }
    }

    /// Work of that cost is done.
    pub(crate) fn give_back(&self, costs: &[Cost]) {
        let mut all = 0;
        let mut lanes = self.lanes();
        for cost in costs.iter().filter(|c| c.units > 0) {
            lanes.lane(&cost.farm).units.add_permits(cost.units);
            all += cost.units;
        }
        drop(lanes);
        self.units.add_permits(all);
    }

    /// Whether there is work.
    pub(crate) fn has_work(&self) -> bool {
        let lanes = self.lanes();
        lanes.has_work() || !lanes.urgent.is_empty()
    }

    /// Whether no more work is taken.
    pub(crate) fn is_stopping(&self) -> bool {
        self.lanes().stopping
    }

    /// Takes no more work; what is in is done first.
    pub(crate) fn stop(&self) {
        self.lanes().stopping = true;
        self.wake.notify_one();
    }

    /// The shard is gone: whatever waits is dropped, which tells everyone who waits for it.
    pub(crate) fn close(&self) {
        let mut lanes = self.lanes();
        lanes.closed = true;
        lanes.urgent.clear();
        lanes.first.clear();
        lanes.turns.clear();
        lanes.questions.clear();
        for lane in lanes.farms.values_mut() {
            lane.work.clear();
            lane.units.close();
        }
        drop(lanes);
        self.units.close();
    }

    /// How much is in hand.
    pub(crate) fn depth(&self) -> usize {
        QUEUE_UNITS.saturating_sub(self.units.available_permits())
    }
}

#[cfg(test)]
mod tests;
