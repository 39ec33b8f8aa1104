//! What is asked of a farm's past: answered beside its shard, from the files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use harit_engine::{Engine, FarmId, Input, Timestamp};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Hub;
use crate::past::{JournalLog, Log, MINUTE, MeansLog, PastError, Places, Stop, at_instant};

/// How many questions about the past are answered at a time: each takes a core.
const AT_ONCE: usize = 2;
/// How long a question waits for its turn.
const TURN_WITHIN: Duration = Duration::from_secs(3);
/// The step of what is read in place of a journal.
const MINUTE_SEC: u32 = 60;

/// What questions about the past share.
pub(super) struct Past {
    turns: Arc<Semaphore>,
    places: Places,
}

impl Default for Past {
    fn default() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            places: Places::default(),
        }
    }
}

/// Cancels what nobody waits for any more.
struct Asked(Option<Stop>);

impl Drop for Asked {
    fn drop(&mut self) {
        if let Some(stop) = &self.0 {
            stop.cancel();
        }
    }
}

impl Hub {
    /// Reads a farm's engine as it was at an instant.
    ///
    /// # Errors
    /// When the journal begins later or cannot be read, it takes too long, or too much is asked at once.
    pub async fn read_at<R: Send + 'static>(
        &self,
        farm: &FarmId,
        at: Timestamp,
        stop: Stop,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<R, PastError> {
        let ask = move |log: &mut dyn Log, stop: &Stop| {
            let engine = at_instant(log, at, stop)?;
            Ok(question(&engine))
        };
        self.ask_past(farm, at, stop, ask).await
    }

    /// Asks a farm's log something, from an instant on. Who does not wait for the answer any more has cancelled it.
    ///
    /// # Errors
    /// As [`Self::read_at`], and what `question` says.
    pub async fn ask_past<R: Send + 'static>(
        &self,
        farm: &FarmId,
        from: Timestamp,
        stop: Stop,
        question: impl FnOnce(&mut dyn Log, &Stop) -> Result<R, PastError> + Send + 'static,
    ) -> Result<R, PastError> {
        let turn = self.turn().await?;
        let (journals, farm) = (self.0.journals.clone(), farm.clone());
        let places = self.0.past.places.clone();
        answer(turn, stop, question, move || {
            JournalLog::open(&*journals, &farm, from, &places)
        })
        .await
    }

    /// Asks the minute means of a farm something, from an instant on: of the farm as it is set now, which is told these days.
    ///
    /// # Errors
    /// When the history has nothing before `before` or cannot be read, it takes too long, or too much is asked at once; and what
    /// `question` says.
    pub async fn ask_means<R: Send + 'static>(
        &self,
        farm: &FarmId,
        (from, before): (Timestamp, Timestamp),
        days: Vec<Input>,
        stop: Stop,
        question: impl FnOnce(&mut dyn Log, &Stop) -> Result<R, PastError> + Send + 'static,
    ) -> Result<R, PastError> {
        let turn = self.turn().await?;
        let document = self.read(farm, Engine::document).await;
        let document = document.map_err(|e| PastError::Failed(e.to_string()))?;
        let (history, farm, handle) = (self.history(), farm.clone(), Handle::current());
        let found = Arc::new(AtomicBool::new(false));
        let has_any = Arc::clone(&found);
        let answered = answer(turn, stop, question, move || {
            let sensors: Vec<_> = document.sensors.iter().map(|s| s.id.clone()).collect();
            let read = move |from, to| {
                let mut all = Vec::new();
                for sensor in &sensors {
                    let rollups = history.rollups(&farm, sensor, from, to, MINUTE_SEC);
                    let rollups = handle.block_on(rollups)?.into_iter();
                    all.extend(rollups.map(|r| (r.at, sensor.clone(), r.mean)));
                }
                let is_before = all.iter().any(|(minute, ..)| *minute + MINUTE <= before);
                has_any.fetch_or(is_before, Ordering::Relaxed);
                Ok(all)
            };
            MeansLog::new(&document, days, from, Box::new(read))
        })
        .await;
        // What begins no earlier than the journal says no more than that, and nobody is told what rules would have done on nothing.
        match found.load(Ordering::Relaxed) || answered.is_err() {
            true => answered,
            false => Err(PastError::TooEarly { begins: None }),
        }
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, PastError> {
        let turns = self.0.past.turns.clone();
        let turn = tokio::time::timeout(TURN_WITHIN, turns.acquire_owned()).await;
        turn.ok().and_then(Result::ok).ok_or(PastError::Busy)
    }
}

/// Answers beside the runtime; who does not wait any more has cancelled it.
async fn answer<L: Log, R: Send + 'static>(
    turn: OwnedSemaphorePermit,
    stop: Stop,
    question: impl FnOnce(&mut dyn Log, &Stop) -> Result<R, PastError> + Send + 'static,
    open: impl FnOnce() -> Result<L, PastError> + Send + 'static,
) -> Result<R, PastError> {
    let mut asked = Asked(Some(stop.clone()));
    let answer = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        question(&mut open()?, &stop)
    });
    let answer = answer.await;
    // it was waited for: another question may go on with the same limit
    asked.0 = None;
    answer.unwrap_or_else(|e| Err(PastError::Failed(e.to_string())))
}
