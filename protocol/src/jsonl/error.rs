//! Why a line cannot be read.

use harit_engine::Problems;
use thiserror::Error;

/// A line is not an input.
#[derive(Debug, Error)]
pub enum LineError {
    /// Not JSON, or a field of another type.
    #[error("not an input: {0}")]
    Json(#[from] serde_json::Error),
    /// A field that this kind of input needs is not there.
    #[error("{kind} needs {field}")]
    Missing {
        /// The kind of input.
        kind: &'static str,
        /// The field.
        field: &'static str,
    },
    /// A word that is not known.
    #[error("{field} {found:?} is none of {expected}")]
    Word {
        /// The field.
        field: &'static str,
        /// What stands there.
        found: String,
        /// What could.
        expected: &'static str,
    },
    /// A field with a value that it cannot have.
    #[error("{field} {found} is not {expected}")]
    Value {
        /// The field.
        field: &'static str,
        /// What stands there.
        found: String,
        /// What could.
        expected: &'static str,
    },
    /// A field that cannot be read.
    #[error("{field}: {source}")]
    Field {
        /// The field.
        field: &'static str,
        /// Why.
        source: serde_json::Error,
    },
    /// A list that is too long.
    #[error("{field} has {found} entries, more than {limit}")]
    TooMany {
        /// The field.
        field: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A rule, an alert or a registry change with problems.
    #[error("{field}: {problems}")]
    Document {
        /// The field.
        field: &'static str,
        /// All its problems.
        problems: Problems,
    },
    /// A line of a farm's file where only an input of its engine can be.
    #[error("not an input of the engine, but of its farm")]
    NotOfEngine,
}
