//! The way to a shard: bounded, in batches, and with a second lane for questions.
//!
//! A publish costs a unit and one more a KiB; units are taken before a batch is put in and given back when it is done, so
//! that what a shard has in memory is bounded, and a transport that finds no units stops reading its sockets.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use harit_engine::{DeviceId, Event, FarmDocument, FarmId, InputKind};
use tokio::sync::{Semaphore, oneshot};

use super::receipt::PartReceipt;
use crate::hub::AdmitError;
use crate::mac::Mac;
use crate::mqtt::{Principal, Publish};

/// How much a shard has in hand at most: publishes, or KiB.
pub(crate) const QUEUE_UNITS: usize = 32_768;

/// How many of what must not wait a shard has in hand at most.
pub(crate) const MAX_URGENT: usize = 1_024;

/// A stop, or a person's switching off: it costs no units and is taken first.
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
    },
    Admit {
        farm: FarmId,
        kind: Box<InputKind>,
        reply: oneshot::Sender<Result<Vec<Event>, AdmitError>>,
    },
    AddFarm {
        document: Box<FarmDocument>,
        reply: oneshot::Sender<Result<(), AdmitError>>,
    },
    /// The connection of a controller is gone.
    Gone { farm: FarmId, mac: Mac },
}

/// Something that is done between inputs.
pub(crate) type Question = Box<dyn FnOnce(&mut super::Shard) + Send>;

#[derive(Default)]
struct Lanes {
    urgent: Vec<Urgent>,
    work: Vec<(Work, usize)>,
    questions: Vec<Question>,
    stopping: bool,
    closed: bool,
}

/// What a shard takes out at once.
pub(crate) struct Taken {
    pub(crate) urgent: Vec<Urgent>,
    pub(crate) work: Vec<(Work, usize)>,
    pub(crate) questions: Vec<Question>,
    pub(crate) stopping: bool,
}

/// The queue of one shard.
pub(crate) struct Queue {
    lanes: Mutex<Lanes>,
    wake: Condvar,
    units: Semaphore,
}

impl Queue {
    pub(crate) fn new() -> Self {
        Self {
            lanes: Mutex::default(),
            wake: Condvar::new(),
            units: Semaphore::new(QUEUE_UNITS),
        }
    }

    fn lanes(&self) -> std::sync::MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room and puts the work in; gives it back where the shard is closed.
    pub(crate) async fn put(&self, work: Work, cost: usize) -> Result<(), Work> {
        let cost = cost.clamp(1, QUEUE_UNITS);
        let Ok(permit) = self
            .units
            .acquire_many(u32::try_from(cost).unwrap_or(1))
            .await
        else {
            return Err(work);
        };
        let mut lanes = self.lanes();
        if lanes.closed || lanes.stopping {
            return Err(work);
        }
        permit.forget();
        lanes.work.push((work, cost));
        drop(lanes);
        self.wake.notify_one();
        Ok(())
    }

    /// Puts work in without waiting and without a cost: there is at most one of these a connection.
    pub(crate) fn put_now(&self, work: Work) {
        let mut lanes = self.lanes();
        if !lanes.closed && !lanes.stopping {
            lanes.work.push((work, 0));
        }
        drop(lanes);
        self.wake.notify_one();
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

    /// Asks something between two inputs; false where the shard is closed.
    pub(crate) fn ask(&self, question: Question) -> bool {
        let mut lanes = self.lanes();
        if lanes.closed {
            return false;
        }
        lanes.questions.push(question);
        drop(lanes);
        self.wake.notify_one();
        true
    }

    /// Takes everything out, after at most `timeout`.
    pub(crate) fn take(&self, timeout: Duration) -> Taken {
        let lanes = self.lanes();
        let empty = |l: &mut Lanes| {
            l.urgent.is_empty() && l.work.is_empty() && l.questions.is_empty() && !l.stopping
        };
        let (mut lanes, _) = self
            .wake
            .wait_timeout_while(lanes, timeout, empty)
            .unwrap_or_else(PoisonError::into_inner);
        Taken {
            urgent: std::mem::take(&mut lanes.urgent),
            work: std::mem::take(&mut lanes.work),
            questions: std::mem::take(&mut lanes.questions),
            stopping: lanes.stopping,
        }
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
            urgent: std::mem::take(&mut lanes.urgent),
            work: Vec::new(),
            questions: std::mem::take(&mut lanes.questions),
            stopping: lanes.stopping,
        }
    }

    /// Work of that cost is done.
    pub(crate) fn give_back(&self, cost: usize) {
        self.units.add_permits(cost);
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
        lanes.work.clear();
        lanes.questions.clear();
        drop(lanes);
        self.units.close();
    }

    /// How much is in hand.
    pub(crate) fn depth(&self) -> usize {
        QUEUE_UNITS.saturating_sub(self.units.available_permits())
    }
}
