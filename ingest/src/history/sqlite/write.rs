//! Writing to the file.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;

use harit_engine::{FarmId, Quantity, SensorId};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::levels::{self, Upsert};
use super::{SqliteStore, minutes};
use crate::dead_letter::{DeadLetter, MAX_STORED};
use crate::history::rollup::{Level, MINUTE_MS, Rolled, RollupRow};
use crate::history::seam::{Store, StoreError};
use crate::history::told::{
    Fold, MAX_COMMANDS, MAX_EVENTS, MAX_REPORTED, MAX_SERIES_CACHED, Write, signed,
};
use crate::log::store as log;

/// How many rows of a table are removed at a time when there is too much.
const TRIMMED: i64 = 20_000;
/// Where fewer than that are removed, rollups are removed too.
const FEW: usize = 1_000;

impl Store for SqliteStore {
    fn watermarks(&mut self, generation: u64) -> Result<Vec<(usize, u64)>, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT shard, seq FROM watermark WHERE generation = ?1")?;
        let rows = statement.query_map([signed(generation)], |r| {
            let shard = usize::try_from(r.get::<_, i64>(0)?).unwrap_or(usize::MAX);
            Ok((shard, r.get::<_, i64>(1)?.unsigned_abs()))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn write(&mut self, batch: &[Write]) -> Result<(), StoreError> {
        let tx = self.db.transaction()?;
        for write in batch {
            match write {
                Write::Fold(f) => {
                    if watermark(&tx, f)?.is_some_and(|seq| seq >= signed(f.seq)) {
                        continue;
                    }
                    fold(&tx, &mut self.series, self.rolled, f)?;
                    for row in &f.log {
                        log::insert(&tx, &mut self.numbers, &row.farm, &row.entry, row.recovered)?;
                    }
                }
                Write::Imported(imported) => log::import(&tx, &mut self.numbers, imported)?,
                Write::Lives(lives) => {
                    let mut statement = tx.prepare_cached(
                        "INSERT INTO command (farm, command_id, device, at, state, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                         ON CONFLICT (farm, command_id) DO UPDATE SET state = excluded.state, body = excluded.body",
                    )?;
                    for l in lives {
                        let body = serde_json::to_string(l).unwrap_or_default();
                        statement.execute(params![
                            l.farm.as_str(),
                            l.command_id,
                            l.device.as_str(),
                            l.at.as_millis(),
                            l.state.as_str(),
                            body
                        ])?;
                        log::follow(&tx, &mut self.numbers, l)?;
                    }
                }
                Write::DeadLetters(letters) => dead_letters(&tx, letters)?,
                Write::SetBack {
                    generation,
                    shard,
                    seq,
                } => {
                    tx.execute(
                        "UPDATE watermark SET seq = min(seq, ?3) WHERE generation = ?1 AND shard = ?2",
                        params![
                            signed(*generation),
                            i64::try_from(*shard).unwrap_or(0),
                            signed(*seq)
                        ],
                    )?;
                }
                Write::Begin(..) | Write::Barrier(_) | Write::Sync | Write::Stop => {}
            }
        }
        Ok(tx.commit()?)
    }

    /// What is in the store's own file already was synced when it came there.
    fn sync(&mut self) -> Result<bool, StoreError> {
        let Some(log) = &self.log else {
            return Ok(false);
        };
        let synced = File::open(log).and_then(|log| log.sync_data());
        if synced.is_err() {
            self.log = None;
        }
        Ok(synced.map(|()| true)?)
    }

    fn roll_up(&mut self, now: i64) -> Result<bool, StoreError> {
        if !self.rolled.is_up_to(now) {
            let tx = self.db.transaction()?;
            let rolled = levels::roll_up(&tx, self.rolled, now)?;
            tx.commit()?;
            self.rolled = rolled;
        }
        Ok(self.rolled.is_up_to(now))
    }

    fn bytes(&mut self) -> Result<u64, StoreError> {
        Ok(bytes_in_use(&self.db)?)
    }

    fn trim(&mut self) -> Result<Option<usize>, StoreError> {
        let tx = self.db.transaction()?;
        let most = |table: &str| -> rusqlite::Result<Option<String>> {
            let by_farm =
                format!("SELECT farm FROM {table} GROUP BY farm ORDER BY count(*) DESC LIMIT 1");
            tx.query_row(&by_farm, [], |r| r.get(0)).optional()
        };
        let mut removed = 0;
        for (table, id) in [("event", "id"), ("command", "n")] {
            if let Some(farm) = most(table)? {
                removed += tx.execute(
                    &format!("DELETE FROM {table} WHERE {id} IN (SELECT {id} FROM {table} WHERE farm = ?1 ORDER BY {id} LIMIT ?2)"),
                    params![farm, TRIMMED],
                )?;
            }
        }
        removed += tx.execute(
            "DELETE FROM log WHERE id IN (SELECT id FROM log WHERE farm = (SELECT id FROM log_farm ORDER BY entries DESC LIMIT 1) ORDER BY at, id LIMIT ?1)",
            [TRIMMED],
        )?;
        removed += tx.execute(
            "DELETE FROM log_command WHERE log IS NULL AND at < (SELECT min(at) FROM log)",
            [],
        )?;
        if removed < FEW {
            // Then it is the charts: a day of the longest past of each sensor.
            removed += tx.execute(
                "DELETE FROM packed WHERE hour < (SELECT min(hour) FROM packed) + 24",
                [],
            )?;
        }
        tx.commit()?;
        Ok(Some(removed))
    }

    fn sweep(&mut self, before: i64, hours_before: i64) -> Result<(), StoreError> {
        let tx = self.db.transaction()?;
        let series: Vec<i64> = tx
            .prepare("SELECT id FROM series")?
            .query_map([], |r| r.get(0))?
            .collect::<Result<_, _>>()?;
        let [minute, of_made] = [before, hours_before].map(|ms| ms.div_euclid(MINUTE_MS));
        for s in series {
            levels::remove_before(&tx, s, minute, of_made)?;
        }
        tx.execute("DELETE FROM event WHERE at < ?1", [before])?;
        tx.execute(
            "DELETE FROM event WHERE id <= (SELECT max(id) FROM event) - ?1",
            [MAX_EVENTS],
        )?;
        tx.execute("DELETE FROM command WHERE at < ?1", [before])?;
        tx.execute(
            "DELETE FROM command WHERE n <= (SELECT max(n) FROM command) - ?1",
            [MAX_COMMANDS],
        )?;
        // the last of each device stays: it may hold until today
        tx.execute(
            "DELETE FROM reported WHERE at < ?1 AND at < (SELECT max(r.at) FROM reported r WHERE r.farm = reported.farm AND r.device = reported.device)",
            [before],
        )?;
        let over = tx
            .query_row("SELECT count(*) FROM reported", [], |r| r.get::<_, i64>(0))?
            .saturating_sub(MAX_REPORTED);
        if over > 0 {
            tx.execute(
                "DELETE FROM reported WHERE (farm, device, at) IN (SELECT farm, device, at FROM reported ORDER BY at LIMIT ?1)",
                [over],
            )?;
        }
        log::sweep(&tx, &mut self.numbers, before)?;
        Ok(tx.commit()?)
    }

    fn forget(&mut self) {
        self.series.clear();
        self.numbers.clear();
    }
}

/// Up to where the fold's journal is in the store.
fn watermark(tx: &Transaction<'_>, f: &Fold) -> rusqlite::Result<Option<i64>> {
    tx.prepare_cached("SELECT seq FROM watermark WHERE generation = ?1 AND shard = ?2")?
        .query_row(
            [signed(f.generation), i64::try_from(f.shard).unwrap_or(0)],
            |r| r.get(0),
        )
        .optional()
}

/// How many bytes are in use; what was removed leaves room for what comes.
fn bytes_in_use(db: &Connection) -> rusqlite::Result<u64> {
    let number = |name: &str| db.pragma_query_value(None, name, |r| r.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    Ok(pages.saturating_mul(number("page_size")?).unsigned_abs())
}

/// Adds minutes to what is there; to their hours and days too, where those are made.
pub(super) fn write_rollups(
    tx: &Connection,
    series: &mut HashMap<(FarmId, SensorId), i64>,
    rolled: Rolled,
    rows: &[RollupRow],
) -> rusqlite::Result<()> {
    if series.len() > MAX_SERIES_CACHED {
        series.clear();
    }
    let [hours, days] = Level::MADE.map(|level| Upsert::new(tx, level));
    let mut levels = [hours?, days?];
    let mut all = Vec::with_capacity(rows.len());
    for r in rows {
        let key = (r.farm.clone(), r.sensor.clone());
        let id = match series.get(&key) {
            Some(id) => *id,
            None => {
                tx.prepare_cached(
                    "INSERT INTO series (farm, sensor) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                )?
                .execute([r.farm.as_str(), r.sensor.as_str()])?;
                let id = tx
                    .prepare_cached("SELECT id FROM series WHERE farm = ?1 AND sensor = ?2")?
                    .query_row([r.farm.as_str(), r.sensor.as_str()], |row| row.get(0))?;
                series.insert(key, id);
                id
            }
        };
        for level in &mut levels {
            level.add(id, rolled, &r.bucket)?;
        }
        all.push((id, r.bucket));
    }
    minutes::add(tx, rolled, all.into_iter())
}

fn fold(
    tx: &Transaction<'_>,
    series: &mut HashMap<(FarmId, SensorId), i64>,
    rolled: Rolled,
    f: &Fold,
) -> rusqlite::Result<()> {
    write_rollups(tx, series, rolled, &f.rollups)?;
    let mut insert =
        tx.prepare_cached("INSERT INTO event (farm, at, event, body) VALUES (?1, ?2, ?3, ?4)")?;
    for e in &f.events {
        insert.execute(params![e.farm.as_str(), e.at.as_millis(), e.name, e.body])?;
    }
    let mut report = tx.prepare_cached(
        "INSERT OR REPLACE INTO reported (farm, device, at, is_on, value) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for r in &f.reported {
        let (on, value) = r
            .state
            .map_or((None, None), |(on, value)| (Some(on), value));
        report.execute(params![
            r.farm.as_str(),
            r.device.as_str(),
            r.at.as_millis(),
            on,
            value.map(Quantity::as_micro)
        ])?;
    }
    tx.execute(
        "INSERT INTO watermark (generation, shard, seq) VALUES (?1, ?2, ?3) ON CONFLICT (generation, shard) DO UPDATE SET seq = max(seq, excluded.seq)",
        params![signed(f.generation), i64::try_from(f.shard).unwrap_or(0), signed(f.seq)],
    )?;
    Ok(())
}

fn dead_letters(tx: &Transaction<'_>, letters: &[DeadLetter]) -> rusqlite::Result<()> {
    let mut upsert = tx.prepare_cached(
        "INSERT INTO dead_letter (farm, topic, reason, payload, count, first_at, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
         ON CONFLICT (farm, topic, reason) DO UPDATE SET payload = excluded.payload, count = count + excluded.count, last_at = max(last_at, excluded.last_at)",
    )?;
    for l in letters {
        upsert.execute(params![
            l.farm.as_str(),
            l.topic,
            l.reason,
            l.payload,
            signed(l.count),
            l.first_at.as_millis(),
            l.last_at.as_millis()
        ])?;
    }
    let farms: BTreeSet<&FarmId> = letters.iter().map(|l| &l.farm).collect();
    for farm in farms {
        let dropped = tx.prepare_cached(
            "DELETE FROM dead_letter WHERE farm = ?1 AND (topic, reason) IN \
             (SELECT topic, reason FROM dead_letter WHERE farm = ?1 ORDER BY last_at DESC LIMIT -1 OFFSET ?2)",
        )?
        .execute(params![farm.as_str(), i64::try_from(MAX_STORED).unwrap_or(i64::MAX)])?;
        metrics::counter!("harit_dead_letters_dropped_total").increment(dropped as u64);
    }
    Ok(())
}
