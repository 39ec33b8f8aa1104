//! The journal.

use thiserror::Error;

/// The journal could not be read or written.
#[derive(Debug, Error)]
pub enum JournalError {}
