//! What ran at a reservoir on each day, by device and by who had decided it, and what its meters measured
//! (docs/effects.md). Computed when it is asked; nothing of it is stored, and nothing decides by it.

mod device;
mod measured;
mod meters;
mod past;

use harit_ingest::history::HistoryError;

use crate::error::ApiError;

pub(crate) use device::{Ran, ran};
pub(crate) use meters::{Meter, Reading, plan, readings};
pub(crate) use past::past;

fn unreadable(error: HistoryError) -> ApiError {
    tracing::error!(%error, cause = ?std::error::Error::source(&error), "the history failed");
    ApiError::unavailable()
}
