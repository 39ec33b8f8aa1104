//! Readings for QuestDB: every one as it came, in one table, for those who look at years of many farms with SQL or Grafana.
//!
//! It follows the journals, as the archive does, and holds nobody up: a database that is away, or slow, gets what it lacks later, as
//! long as the journal has it. Each row has its position in the journal, `pos`, and the table takes no two rows with the same instant, farm,
//! sensor and position. So what is sent twice, after a crash of either side, is there once, and two readings of one instant stay two.
//!
//! What QuestDB has acknowledged survives its own crash; whether it survives a power cut is for its `cairo.commit.mode` to say, which is
//! asked for. Where it does not sync, the stored position stays ten minutes behind, and these are sent again after a start.

mod client;
mod line;
mod worker;

use std::path::PathBuf;

use thiserror::Error;

pub(crate) use client::{QuestDb, Settings};
pub(crate) use worker::{catch_up, follow};

/// Where its position is, in the data directory.
fn position_file(data_dir: &std::path::Path) -> PathBuf {
    data_dir.join("questdb.json")
}

/// QuestDB does not take what it is told.
#[derive(Debug, Error)]
pub(crate) enum QuestDbError {
    /// The settings make no client.
    #[error("no HTTP client can be made: {0}")]
    Client(#[source] reqwest::Error),
    /// Its address is none.
    #[error("its address is none: {0}")]
    Address(String),
    /// It does not answer.
    #[error("it does not answer: {0}")]
    Away(#[source] reqwest::Error),
    /// It answers with an error.
    #[error("it refuses with {status}: {said}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What it says.
        said: String,
    },
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] harit_ingest::past::PastError),
    /// The position cannot be kept.
    #[error(transparent)]
    Position(#[from] crate::positions::PositionsError),
    /// The server stops.
    #[error("the server stops")]
    Stopped,
}
