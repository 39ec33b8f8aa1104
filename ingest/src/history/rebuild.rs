//! Minutes and hours made anew, from readings that were kept elsewhere: while no server runs.

use std::collections::HashMap;
use std::path::Path;

use harit_engine::{FarmId, Quantity, SensorId, Timestamp};
use harit_journal::{DataDir, DataDirError};
use rusqlite::{Connection, Transaction};
use thiserror::Error;

use super::hours::{self, HOUR_MINUTES};
use super::rollup::{Bucket, MINUTE_MS, RollupRow};
use super::store::open;
use super::told::Fold;
use super::writer::write_rollups;

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
    Store(#[from] rusqlite::Error),
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

/// Removes all minutes and hours from an instant on (cut to its hour) and makes them of the readings that `tell` gives: all that were true from
/// then on, and that the history is to have. What came from journals that it has not read yet, it is given at the next start. Returns
/// how many readings there were. In one transaction: where anything fails, nothing changes.
///
/// # Errors
/// When a server uses the directory, the store cannot be written, or `tell` fails.
pub fn rebuild<E>(
    data_dir: &Path,
    from: Timestamp,
    tell: impl FnOnce(&Watermarks, Take<'_>) -> Result<(), E>,
) -> Result<u64, RebuildError<E>> {
    let _lock = DataDir::lock(data_dir).map_err(RebuildError::Data)?;
    let mut db = open(&data_dir.join("history.db"))?;
    let first = from.as_millis().div_euclid(MINUTE_MS * HOUR_MINUTES);
    let watermarks = watermarks(&db)?;
    let tx = db.transaction()?;
    tx.execute(
        "DELETE FROM rollup WHERE minute >= ?1",
        [first * HOUR_MINUTES],
    )?;
    tx.execute("DELETE FROM hour WHERE hour >= ?1", [first])?;
    let rolled = hours::rolled(&tx)?.min(first);
    hours::roll_to(&tx, rolled)?;
    let mut made = Made {
        tx: &tx,
        rolled,
        open: HashMap::new(),
        rows: Vec::new(),
        series: HashMap::new(),
        readings: 0,
        failed: Ok(()),
    };
    let told = tell(&watermarks, &mut |farm, sensor, at, value| {
        if at.as_millis().div_euclid(MINUTE_MS) >= first * HOUR_MINUTES {
            made.add(farm, sensor, at, value);
        }
    });
    told.map_err(RebuildError::Readings)?;
    let readings = made.finish()?;
    tx.commit()?;
    Ok(readings)
}

fn watermarks(db: &Connection) -> rusqlite::Result<Watermarks> {
    let mut statement = db.prepare("SELECT generation, shard, seq FROM watermark")?;
    let rows = statement.query_map([], |r| {
        let shard = usize::try_from(r.get::<_, i64>(1)?).unwrap_or(usize::MAX);
        let (generation, seq): (i64, i64) = (r.get(0)?, r.get(2)?);
        Ok(((generation.unsigned_abs(), shard), seq.unsigned_abs()))
    })?;
    Ok(Watermarks(rows.collect::<Result<_, _>>()?))
}

struct Made<'a> {
    tx: &'a Transaction<'a>,
    rolled: i64,
    open: HashMap<(FarmId, SensorId), Bucket>,
    rows: Vec<RollupRow>,
    series: HashMap<(FarmId, SensorId), i64>,
    readings: u64,
    failed: rusqlite::Result<()>,
}

impl Made<'_> {
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

    fn write(&mut self) -> rusqlite::Result<()> {
        let fold = Fold {
            rollups: std::mem::take(&mut self.rows),
            ..Fold::default()
        };
        write_rollups(self.tx, &mut self.series, self.rolled, &fold)
    }

    fn finish(mut self) -> rusqlite::Result<u64> {
        std::mem::replace(&mut self.failed, Ok(()))?;
        for ((farm, sensor), mut bucket) in std::mem::take(&mut self.open) {
            self.rows.extend(bucket.take().map(|bucket| RollupRow {
                farm,
                sensor,
                bucket,
            }));
        }
        self.write()?;
        Ok(self.readings)
    }
}
