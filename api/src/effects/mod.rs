//! Did it work: the marks of devices' runs, kept beside the fold. What is asked of the history here decides nothing
//! (docs/effects.md; [`harit_effects`] has the method).

mod body;
mod gather;
mod neighbours;
mod plan;
mod standing;
mod watch;

pub(crate) use body::{MarkBody, NumbersBody};
pub(crate) use plan::{plan, setting_problem};
pub(crate) use standing::Failing;
pub(crate) use watch::EffectWatch;

use harit_ingest::history::HistoryError;

/// A look at runs failed; the next one makes up for it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookError {
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
    #[error("the history failed")]
    History(#[from] HistoryError),
    #[error("the farm's engine cannot be asked")]
    Engine(#[from] harit_ingest::AdmitError),
    #[error("a mark cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}
