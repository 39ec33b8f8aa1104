//! Minutes, hours and days made anew, from readings that were kept elsewhere: while no server runs.

use std::collections::HashMap;
use std::path::Path;

use harit_engine::{FarmId, Quantity, SensorId, Timestamp};
use harit_journal::{DataDir, DataDirError};
use thiserror::Error;

use super::rollup::{Bucket, HOUR_MINUTES, MINUTE_MS, RollupRow};
use super::seam::StoreError;
use super::{HistoryPlace, postgres, sqlite};

/// How many rows are collected before they are written.
const ROWS: usize = 10_000;

/// The history could not be made anew; it is as it was.
#[derive(Debug, Error)]
pub enum RebuildError<E> {
    /// A server uses the data directory, or it cannot be used.
    #[error("the data directory cannot be used: {0}")]
    Data(DataDirError),
    /// The store refused.
    #[error("the history store could not be written")]
    Store(#[source] StoreError),
    /// The readings could not be read.
    #[error(transparent)]
    Readings(E),
}

/// Takes readings: the farm, the sensor, when it was true, and the good value.
pub type Take<'a> = &'a mut dyn FnMut(&FarmId, &SensorId, Timestamp, Quantity);

/// How far the history has what the journals have: the last batch, by generation and shard.
#[derive(Debug, Clone, Default)]
pub struct Watermarks(HashMap<(u64, usize), u64>);

impl Watermarks {
    /// The last batch of a journal that the history has; 0 where it has none.
    #[must_use]
    pub fn of(&self, generation: u64, shard: usize) -> u64 {
        self.0.get(&(generation, shard)).copied().unwrap_or(0)
    }
}

/// The last batch of each journal, by generation and shard.
pub(super) type LastBatches = Vec<((u64, usize), u64)>;

/// Minutes, hours and days that are made anew, in one transaction: what is not committed did not happen.
pub(super) trait Anew {
    /// Up to where the store has each journal.
    fn watermarks(&mut self) -> Result<LastBatches, StoreError>;
    /// Begins, without minutes and hours from that hour on, and without days from its day on.
    fn begin(&mut self, first: i64) -> Result<(), StoreError>;
    /// Adds minutes.
    fn add(&mut self, rows: &[RollupRow]) -> Result<(), StoreError>;
    /// Makes it so.
    fn commit(&mut self) -> Result<(), StoreError>;
}

/// Removes all minutes, hours and days from an instant on (cut to its hour) and makes them of the readings that `tell` gives: all that were true from
/// then on, and that the history is to have. What came from journals that it has not read yet, it is given at the next start. Returns
/// how many readings there were. In one transaction: where anything fails, nothing changes.
///
/// # Errors
/// When a server uses the directory, the store cannot be written, or `tell` fails.
pub fn rebuild<E>(
    data_dir: &Path,
    place: Option<&HistoryPlace>,
    from: Timestamp,
    tell: impl FnOnce(&Watermarks, Take<'_>) -> Result<(), E>,
) -> Result<u64, RebuildError<E>> {
    let _lock = DataDir::lock(data_dir).map_err(RebuildError::Data)?;
    let file = HistoryPlace::File(data_dir.join("history.db"));
    let store: Result<Box<dyn Anew>, StoreError> = match place.unwrap_or(&file) {
        HistoryPlace::File(path) => sqlite::SqliteAnew::open(path).map(|s| Box::new(s) as _),
        HistoryPlace::Postgres(url) => postgres::PostgresAnew::open(url).map(|s| Box::new(s) as _),
    };
    let mut store = store.map_err(RebuildError::Store)?;
    let first = from.as_millis().div_euclid(MINUTE_MS * HOUR_MINUTES);
    let watermarks = store.watermarks().map_err(RebuildError::Store)?;
    let watermarks = Watermarks(watermarks.into_iter().collect());
    store.begin(first).map_err(RebuildError::Store)?;
    let mut made = Made {
        store,
        open: HashMap::new(),
        rows: Vec::new(),
        readings: 0,
        failed: Ok(()),
    };
    let told = tell(&watermarks, &mut |farm, sensor, at, value| {
        if at.as_millis().div_euclid(MINUTE_MS) >= first * HOUR_MINUTES {
            made.add(farm, sensor, at, value);
        }
    });
    told.map_err(RebuildError::Readings)?;
    made.finish().map_err(RebuildError::Store)
}

struct Made {
    store: Box<dyn Anew>,
    open: HashMap<(FarmId, SensorId), Bucket>,
    rows: Vec<RollupRow>,
    readings: u64,
    failed: Result<(), StoreError>,
}

impl Made {
    fn add(&mut self, farm: &FarmId, sensor: &SensorId, at: Timestamp, value: Quantity) {
        self.readings += 1;
        let key = (farm.clone(), sensor.clone());
        let bucket = self.open.entry(key).or_default();
        if let Some(bucket) = bucket.add(at, value.as_micro()) {
            self.rows.push(RollupRow {
                farm: farm.clone(),
                sensor: sensor.clone(),
                bucket,
            });
        }
        if self.rows.len() >= ROWS && self.failed.is_ok() {
            self.failed = self.write();
        }
    }

    fn write(&mut self) -> Result<(), StoreError> {
        self.store.add(&std::mem::take(&mut self.rows))
    }

    fn finish(mut self) -> Result<u64, StoreError> {
        std::mem::replace(&mut self.failed, Ok(()))?;
        for ((farm, sensor), mut bucket) in std::mem::take(&mut self.open) {
            self.rows.extend(bucket.take().map(|bucket| RollupRow {
                farm,
                sensor,
                bucket,
            }));
        }
        self.write()?;
        self.store.commit()?;
        Ok(self.readings)
    }
}
