//! What is asked of a farm's past: answered beside its shard, from the files.

use std::sync::Arc;
use std::time::Duration;

use harit_engine::{Engine, FarmId, Timestamp};
use tokio::sync::Semaphore;

use super::Hub;
use crate::past::{JournalLog, Log, PastError, Places, Stop, at_instant};

/// How many questions about the past are answered at a time: each takes a core.
const AT_ONCE: usize = 2;
/// How long a question waits for its turn.
const TURN_WITHIN: Duration = Duration::from_secs(3);

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
struct Asked(Stop);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.cancel();
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
        let past = &self.0.past;
        let turn = tokio::time::timeout(TURN_WITHIN, past.turns.clone().acquire_owned()).await;
        let Ok(Ok(turn)) = turn else {
            return Err(PastError::Busy);
        };
        let asked = Asked(stop.clone());
        let (folder, farm, places) = (self.0.folder.clone(), farm.clone(), past.places.clone());
        let answer = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let mut log = JournalLog::open(&folder, &farm, from, &places)?;
            question(&mut log, &stop)
        });
        let answer = answer.await;
        drop(asked);
        answer.unwrap_or_else(|e| Err(PastError::Failed(e.to_string())))
    }
}
