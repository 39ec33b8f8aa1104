//! Minutes, hours and days made anew in the file.

use std::collections::HashMap;
use std::path::Path;

use harit_engine::{FarmId, SensorId};
use rusqlite::Connection;

use super::write::write_rollups;
use super::{levels, open};
use crate::history::rebuild::{Anew, LastBatches};
use crate::history::rollup::{Rolled, RollupRow};
use crate::history::seam::StoreError;

/// See the module. The connection that closes takes back what was not committed.
pub(in crate::history) struct SqliteAnew {
    db: Connection,
    series: HashMap<(FarmId, SensorId), i64>,
    rolled: Rolled,
    /// Up to where hours were there before.
    made: i64,
}

impl SqliteAnew {
    pub(in crate::history) fn open(path: &Path) -> Result<Self, StoreError> {
        let db = open(path)?;
        let rolled = levels::rolled(&db)?;
        Ok(Self {
            rolled,
            made: rolled.hour,
            db,
            series: HashMap::new(),
        })
    }
}

impl Anew for SqliteAnew {
    fn watermarks(&mut self) -> Result<LastBatches, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT generation, shard, seq FROM watermark")?;
        let rows = statement.query_map([], |r| {
            let shard = usize::try_from(r.get::<_, i64>(1)?).unwrap_or(usize::MAX);
            let (generation, seq): (i64, i64) = (r.get(0)?, r.get(2)?);
            Ok(((generation.unsigned_abs(), shard), seq.unsigned_abs()))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn begin(&mut self, first: i64) -> Result<(), StoreError> {
        self.rolled = self.rolled.cut(first);
        self.db.execute_batch("BEGIN IMMEDIATE")?;
        levels::remove_from(&self.db, first)?;
        Ok(levels::roll_to(&self.db, self.rolled)?)
    }

    fn add(&mut self, rows: &[RollupRow]) -> Result<(), StoreError> {
        Ok(write_rollups(
            &self.db,
            &mut self.series,
            self.rolled,
            rows,
        )?)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        // Minutes of hours that are not made are slow to read where there are many.
        while !self.rolled.is_up_to(self.made) {
            self.rolled = levels::roll_up(&self.db, self.rolled, self.made)?;
        }
        Ok(self.db.execute_batch("COMMIT")?)
    }
}
