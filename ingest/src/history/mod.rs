//! What people look back at: rollups of every sensor, by minute and by hour, and what the engines decided; in a file beside the journal,
//! or in a PostgreSQL ([`seam`]).
//!
//! Both are written from what is journaled, with the journal's position in the same transaction, so that a restart neither
//! loses nor doubles anything: what came after the stored position is folded again. Hours are made of their minutes once they are over, and
//! whatever comes late is added to both.

mod alone;
#[cfg(test)]
mod conformance;
mod copy;
pub(crate) mod opening;
mod packed;
pub(crate) mod pending;
pub mod place;
pub(crate) mod positions;
mod postgres;
mod rebuild;
pub(crate) mod rollup;
pub(crate) mod seam;
mod sqlite;
mod steps;
pub(crate) mod store;
pub(crate) mod told;
mod writer;

pub use self::alone::HistoryAlone;
pub use self::copy::{CopyError, copy_to_postgres};
pub use self::postgres::{BadUrl, PostgresUrl};
pub use self::rebuild::{RebuildError, Take, Watermarks, rebuild};

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::BoxFuture;
use harit_engine::{DeviceId, FarmId, Measured, Quantity, SensorId, SensorType, Timestamp};
use serde::Serialize;
use thiserror::Error;

pub use self::seam::StoreError;

use crate::command::MAX_LISTED;

/// How long a question to the store may take.
const READ_WAIT: Duration = Duration::from_secs(10);
/// How many questions are at work at once.
const READS: usize = 16;

/// The most points that one question gets.
pub const MAX_POINTS: usize = 20_000;

/// The history could not be read.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The store refused.
    #[error("the history store could not be read")]
    Store(#[source] StoreError),
    /// The question asks for too much.
    #[error("{points} points are more than {MAX_POINTS}: ask for a longer step or a shorter time")]
    TooMany {
        /// How many it would be.
        points: i64,
    },
    /// The question reads too much.
    #[error(
        "{minutes} minutes of sensors are more than {}: ask for fewer sensors or a shorter time",
        place::MAX_MINUTES
    )]
    TooLong {
        /// How many it would be.
        minutes: i64,
    },
    /// Too much is asked at once, or the disk does not answer.
    #[error("the history store does not answer in time")]
    Busy,
    /// The store is shut down.
    #[error("the history store is shut down")]
    Closed,
}

/// Where a history is kept.
#[derive(Debug, Clone)]
pub enum HistoryPlace {
    /// In a SQLite file.
    File(PathBuf),
    /// In a PostgreSQL.
    Postgres(PostgresUrl),
}

/// Says in a data directory that its history is elsewhere, and where.
const ELSEWHERE: &str = "history.url";

/// Where the history of a data directory is, if it is not in it: an address without a password.
#[must_use]
pub fn elsewhere(data_dir: &Path) -> Option<String> {
    std::fs::read_to_string(data_dir.join(ELSEWHERE)).ok()
}

/// Writes down in the data directory where the history is, for who backs it up or makes it anew.
pub(crate) fn note(data_dir: &Path, place: &HistoryPlace) -> std::io::Result<()> {
    let file = data_dir.join(ELSEWHERE);
    match place {
        HistoryPlace::Postgres(url) => harit_journal::put_file(&file, url.to_string().as_bytes()),
        HistoryPlace::File(_) if file.exists() => std::fs::remove_file(file),
        HistoryPlace::File(_) => Ok(()),
    }
}

/// How many a question gets at most that wants `n`.
fn limit(n: usize) -> i64 {
    let n = if n == 0 {
        MAX_LISTED
    } else {
        n.min(MAX_LISTED)
    };
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A good value, as people see it: a number within what its sensor's type can plausibly have.
#[must_use]
pub fn good(sensor_type: SensorType, value: Measured) -> Option<Quantity> {
    let (min, max) = sensor_type.plausible_range();
    match value {
        Measured::Value(d) if d.within(min, max) => Some(d.rounded()),
        _ => None,
    }
}

/// The good readings of a sensor in one step of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Rollup {
    /// The step's beginning.
    pub at: Timestamp,
    /// How many good readings.
    pub count: u64,
    /// Their mean, to the nearest micro-unit.
    pub mean: Quantity,
    /// The smallest.
    pub min: Quantity,
    /// The largest.
    pub max: Quantity,
    /// The latest by its own timestamp.
    pub last: Quantity,
    /// The exact sum, in micro-units.
    pub sum_micro: i64,
}

/// What was found, and whether all was there to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// What was found.
    pub items: Vec<T>,
    /// Whether the latest may be missing, because the history cannot be written at present.
    pub incomplete: bool,
}

/// A stored event of an engine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoredEvent {
    /// Its number; larger is later.
    pub id: i64,
    /// When, by the farm's clock.
    pub at: Timestamp,
    /// The event's name.
    pub event: String,
    /// The event, as in `events.jsonl`.
    pub body: serde_json::Value,
}

/// What a device was reported to do from an instant on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StoredReport {
    /// Since when.
    pub at: Timestamp,
    /// Whether it was on; none while its controller could not be reached.
    pub on: Option<bool>,
    /// Its value, if it has one.
    pub value: Option<Quantity>,
}

/// Which events to list, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// At or after this instant.
    pub from: Option<Timestamp>,
    /// Before this instant.
    pub to: Option<Timestamp>,
    /// With numbers below this one: for the next page.
    pub before: Option<i64>,
    /// Of these names only; all if empty.
    pub events: Vec<String>,
    /// At most so many; 0 means [`crate::command::MAX_LISTED`].
    pub limit: usize,
}

/// The history of all farms.
pub trait History: Send + Sync + 'static {
    /// A sensor's rollups on [from, to), in steps of whole minutes (`step_sec` is rounded up to them), oldest first. Steps
    /// without a good reading are absent: a gap stays a gap.
    fn rollups<'a>(
        &'a self,
        farm: &'a FarmId,
        sensor: &'a SensorId,
        from: Timestamp,
        to: Timestamp,
        step_sec: u32,
    ) -> BoxFuture<'a, Result<Vec<Rollup>, HistoryError>>;

    /// The rollups of many sensors at once, joined step by step.
    fn place<'a>(
        &'a self,
        farm: &'a FarmId,
        question: place::PlaceQuestion,
    ) -> BoxFuture<'a, Result<place::PlacePast, HistoryError>>;

    /// What a device reported on [from, to), oldest first, led by what held at `from`; at most [`crate::command::MAX_LISTED`],
    /// the latest.
    fn reports<'a>(
        &'a self,
        farm: &'a FarmId,
        device: &'a DeviceId,
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<StoredReport>, HistoryError>>;

    /// What a farm's engine decided, newest first.
    fn events<'a>(
        &'a self,
        farm: &'a FarmId,
        filter: EventFilter,
    ) -> BoxFuture<'a, Result<Vec<StoredEvent>, HistoryError>>;

    /// What a farm's engine decided after the event of that number, oldest first; at most `limit` of it.
    fn events_after<'a>(
        &'a self,
        farm: &'a FarmId,
        after: i64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredEvent>, HistoryError>>;

    /// The number of the latest event of all farms; 0 where there is none.
    fn last_event(&self) -> BoxFuture<'_, Result<i64, HistoryError>>;
}
