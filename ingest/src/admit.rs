//! Why an input is not taken.

use harit_engine::{FarmId, Problems};
use thiserror::Error;

/// An input was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AdmitError {
    /// No such farm.
    #[error("farm {0} is not known")]
    UnknownFarm(FarmId),
    /// The engine refused it; nothing changed.
    #[error("{0}")]
    Rejected(Problems),
    /// A farm of that id exists already.
    #[error("farm {0} exists already")]
    FarmExists(FarmId),
    /// The journal cannot be written, the farm has failed, or the hub is shutting down.
    #[error("not available: {0}")]
    Unavailable(&'static str),
}
