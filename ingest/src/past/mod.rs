//! A farm at an instant past, why a rule did not act in a span, and what other rules would have done: the same fold over the log
//! that is kept, beside the running server and without a word to it.

mod backtest;
mod explain;
mod journal;
mod lanes;
mod means;
mod meter;
mod readings;
mod trace;
mod tried;
mod twin;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use harit_engine::explain::Report;
use harit_engine::{DeviceId, Engine, Event, Input, InputKind, Measured, Problems, Timestamp};
use harit_farm::codec::BadBody;
use harit_farm::{Applied, CommandLife, Effect, Farm, Observer, Reading, Record, Sensor};
use harit_journal::JournalError;
use thiserror::Error;

use crate::history::HistoryError;

pub use backtest::{Backtest, Edit, Feedback, MAX_EDITS, PastHazard, backtest};
pub use explain::{WhyNot, at_instant, why_not};
pub use journal::{JournalLog, Places};
pub use lanes::{Lanes, lanes};
pub(crate) use means::{MINUTE, MeansLog};
pub use meter::{DeviceRun, MAX_INTERVALS, RuleRun, Run};
pub use readings::{Follower, ReadTo, Said, ShardJournal, readings, shard_journals};
pub use trace::{MAX_TRACED, Origin, RecordId, Step, Traced, trace};
pub use twin::{
    DeviceEffect, LEARN, MAX_MODELS, PlaceTwin, Refused, TwinReport, Unknown, backtest_with_twin,
};

/// What is asked of the past could not be answered.
#[derive(Debug, Error)]
pub enum PastError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A batch cannot be understood.
    #[error("a batch of the journal cannot be read: {0}")]
    Body(#[from] BadBody),
    /// The log of the farm begins later, or is not there.
    #[error("the log of the farm begins later{}", .begins.map(|at| format!(": at {at}")).unwrap_or_default())]
    TooEarly {
        /// When, where there is any.
        begins: Option<Timestamp>,
    },
    /// The history cannot be read.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The output could not be written.
    #[error("the inputs could not be written")]
    Write(#[from] std::io::Error),
    /// Something of the farm cannot be written as text.
    #[error("the farm cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Nobody wants it any more.
    #[error("it was cancelled")]
    Cancelled,
    /// It took too long.
    #[error("it took longer than {} s", .0.as_secs())]
    TooLong(Duration),
    /// As many are being answered as may be at a time.
    #[error("as many questions about the past are being answered as may be at a time")]
    Busy,
    /// The farm's engine failed in the log.
    #[error("the farm failed: {0}")]
    Failed(String),
    /// A line of a file makes no sense.
    #[error("{0}")]
    Line(String),
    /// The rules to be tried make no sense.
    #[error(transparent)]
    Rules(#[from] Problems),
    /// There is no such thing then.
    #[error("there is no {0} {1} then")]
    Unknown(&'static str, String),
}

/// When an answer is not wanted any more, and how far it has come.
#[derive(Debug, Clone)]
pub struct Stop {
    cancelled: Arc<AtomicBool>,
    until: Instant,
    within: Duration,
    /// In thousandths.
    done: Arc<AtomicU32>,
}

impl Stop {
    /// Stops what takes longer than this.
    #[must_use]
    pub fn within(within: Duration) -> Self {
        Self {
            cancelled: Arc::default(),
            until: Instant::now() + within,
            within,
            done: Arc::default(),
        }
    }

    /// Nobody wants it any more.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// How much of it is done, in thousandths.
    #[must_use]
    pub fn done(&self) -> u32 {
        self.done.load(Ordering::Acquire)
    }

    fn has_done(&self, from: Timestamp, to: Timestamp, now: Timestamp) {
        let of = (to - from).as_millis().max(1);
        let part = (now - from).as_millis().clamp(0, of);
        let done = u32::try_from(part.saturating_mul(1_000) / of).unwrap_or(1_000);
        self.done.store(done, Ordering::Release);
    }

    /// Whether it may go on.
    ///
    /// # Errors
    /// When it was cancelled, or took too long.
    pub fn check(&self) -> Result<(), PastError> {
        if self.cancelled.load(Ordering::Acquire) {
            Err(PastError::Cancelled)
        } else if Instant::now() > self.until {
            Err(PastError::TooLong(self.within))
        } else {
            Ok(())
        }
    }
}

/// Follows a log, record by record.
pub trait Watch {
    /// A record of a journal comes, from its place there; other logs have none.
    ///
    /// # Errors
    /// Where it cannot be taken: then no more are told of.
    fn record(
        &mut self,
        id: RecordId,
        at: Timestamp,
        record: &Record<'_>,
    ) -> Result<(), PastError> {
        let _ = (id, at, record);
        Ok(())
    }

    /// A record comes, at an instant; the farm is as it was before.
    fn before(&mut self, farm: &Farm, at: Timestamp) {
        let _ = (farm, at);
    }

    /// A record was applied.
    fn after(&mut self, farm: &Farm, heard: &Heard);
}

/// Is told what came of each record.
struct Each<'a>(&'a mut dyn FnMut(&Farm, &Heard));

impl Watch for Each<'_> {
    fn after(&mut self, farm: &Farm, heard: &Heard) {
        (self.0)(farm, heard);
    }
}

/// A farm and the log of what it was told after.
pub trait Log {
    /// The farm after what was applied so far.
    fn farm(&self) -> &Farm;

    /// Whether it is only near to what the farm was told: not the journal.
    fn is_approximate(&self) -> bool {
        false
    }

    /// Applies every record up to an instant, and tells of each, before and after.
    ///
    /// # Errors
    /// When the log cannot be read, or it is to stop.
    fn follow(
        &mut self,
        to: Timestamp,
        stop: &Stop,
        watch: &mut dyn Watch,
    ) -> Result<(), PastError>;

    /// Applies every record up to an instant, and tells what came of each.
    ///
    /// # Errors
    /// As [`Self::follow`].
    fn advance(
        &mut self,
        to: Timestamp,
        stop: &Stop,
        each: &mut dyn FnMut(&Farm, &Heard),
    ) -> Result<(), PastError> {
        self.follow(to, stop, &mut Each(each))
    }
}

/// What a farm's engine was told and took.
#[derive(Debug, Clone)]
pub enum Told {
    /// A reading.
    Reading {
        /// The sensor's number among the farm's.
        sensor: u32,
        /// When it was true.
        at: Timestamp,
        /// The value.
        value: Measured,
    },
    /// Anything else.
    Input(Box<Input>),
}

impl Told {
    /// What it is, where it is no reading of a sensor of the farm.
    #[must_use]
    pub fn kind(&self) -> Option<&InputKind> {
        match self {
            Self::Reading { .. } => None,
            Self::Input(input) => Some(&input.kind),
        }
    }
}

/// What came of a record.
#[derive(Debug, Default)]
pub struct Heard {
    /// What the engine said.
    pub events: Vec<Event>,
    /// What the engine was told and took, readings included.
    pub told: Vec<Told>,
    /// What became of commands.
    pub lives: Vec<CommandLife>,
    /// What controllers reported of devices; none of those that cannot be asked.
    pub reports: Vec<(DeviceId, Option<Report>)>,
}

impl Heard {
    /// Forgets it, for the next record.
    pub fn clear(&mut self) {
        self.events.clear();
        self.told.clear();
        self.lives.clear();
        self.reports.clear();
    }
}

impl Observer for Heard {
    fn reading(&mut self, number: u32, _: &Sensor, reading: Reading) {
        if !reading.backlog {
            self.told.push(Told::Reading {
                sensor: number,
                at: reading.at,
                value: reading.value,
            });
        }
    }

    fn applied(&mut self, applied: Applied<'_>) {
        self.events.extend_from_slice(applied.events);
        if let Some((input, Ok(()))) = applied.input {
            self.told.push(Told::Input(Box::new(input.clone())));
        }
    }

    fn effect(&mut self, effect: Effect<'_>) {
        match effect {
            Effect::Command(life) => self.lives.push(life.clone()),
            Effect::Reported { device, state } => self.reports.push((device.clone(), state)),
            _ => {}
        }
    }
}

/// The engine of a log at an instant: with what time alone did until then.
fn engine_at(log: &dyn Log, at: Timestamp) -> (Engine, Vec<Event>) {
    let mut engine = log.farm().engine().clone();
    let (mut events, kind) = (Vec::new(), InputKind::Tick);
    // A tick is refused nowhere.
    let _ = engine.apply(&Input { at, kind }, &mut events);
    (engine, events)
}
