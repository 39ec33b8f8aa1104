//! The history's writer: one thread, one transaction for all that waits.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use harit_engine::{FarmId, Quantity, SensorId};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::hours::{self, HOUR_MINUTES};
use super::positions::Positions;
use super::rollup::MINUTE_MS;
use super::told::{Fold, Kept, Write, signed};
use crate::clock::TimeSource;
use crate::dead_letter::{DeadLetter, MAX_STORED};
use crate::log::store as log;

/// How many of them go into one transaction.
const PER_TRANSACTION: usize = 64;
/// How long the writer waits after an error.
const RETRY: Duration = Duration::from_millis(500);
/// How often its size is looked at.
const MEASURE: Duration = Duration::from_secs(5);
/// How many rows of a table are removed at a time when there is too much.
const TRIMMED: i64 = 20_000;
/// Where fewer than that are removed, rollups are removed too.
const FEW: usize = 1_000;
/// How often what is too old is removed.
const SWEEP: Duration = Duration::from_secs(3_600);
/// How often it is looked whether an hour is over.
const ROLL_UP: Duration = Duration::from_secs(60);
/// The most events kept.
const MAX_EVENTS: i64 = 5_000_000;
/// The most commands kept.
const MAX_COMMANDS: i64 = 1_000_000;
/// The most reports of devices kept.
const MAX_REPORTED: i64 = 5_000_000;
const DAY_MS: i64 = 86_400_000;
/// An hour, in milliseconds.
const HOUR_MS: i64 = HOUR_MINUTES * MINUTE_MS;
/// How many series the writer remembers the numbers of.
const MAX_SERIES_CACHED: usize = 200_000;

/// The writer and what it remembers.
pub(super) struct Writer {
    pub(super) db: Connection,
    pub(super) positions: Arc<Positions>,
    pub(super) series: HashMap<(FarmId, SensorId), i64>,
    pub(super) numbers: log::Numbers,
    pub(super) kept: Kept,
    /// When its size was looked at last.
    pub(super) measured: Option<Instant>,
    /// The file that has what was committed and is not in the store's own file yet. None once it could not be synced: what a
    /// later sync says of what was written before is not to be believed.
    pub(super) log: Option<PathBuf>,
    pub(super) clock: Arc<dyn TimeSource>,
    pub(super) swept: Option<Instant>,
    /// The hour before which all hours are there.
    pub(super) rolled: i64,
    /// When all of them were.
    pub(super) rolled_at: Option<Instant>,
}

impl Writer {
    /// Writes until it is told to stop. What makes it fail is seen, costs what was being written, and no more.
    pub(super) fn keep(&mut self, queue: &Receiver<Write>) {
        while catch_unwind(AssertUnwindSafe(|| self.run(queue))).is_err() {
            tracing::error!("writing the history failed");
            metrics::counter!("harit_history_errors_total").increment(1);
            self.is_writable(false);
            self.series.clear();
            self.numbers.clear();
            std::thread::sleep(RETRY);
        }
    }

    /// Writes until it is told to stop.
    fn run(&mut self, queue: &Receiver<Write>) {
        loop {
            let first = match queue.recv_timeout(Duration::from_secs(60)) {
                Ok(write) => Some(write),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let batch: Vec<Write> = first
                .into_iter()
                .chain(std::iter::from_fn(|| queue.try_recv().ok()))
                .take(PER_TRANSACTION)
                .collect();
            let stop = batch.iter().any(|w| matches!(w, Write::Stop));
            self.write(batch, stop);
            if stop {
                return;
            }
            if self.measured.is_none_or(|t| t.elapsed() > MEASURE) {
                self.measured = Some(Instant::now());
                match self.trim() {
                    // There is more to remove: it goes on after what waits.
                    Ok(true) => self.measured = None,
                    Ok(false) => {}
                    Err(e) => tracing::warn!(error = %e, "the history could not be trimmed"),
                }
            }
            if let Err(e) = self.roll_up() {
                tracing::warn!(error = %e, "hours could not be made of their minutes");
            }
            if self.swept.is_none_or(|t| t.elapsed() > SWEEP) {
                self.swept = Some(Instant::now());
                if let Err(e) = self.sweep() {
                    tracing::warn!(error = %e, "old history could not be removed");
                }
            }
        }
    }

    /// Writes everything in one transaction, again and again until it works: what is refused now is kept.
    fn write(&mut self, batch: Vec<Write>, stopping: bool) {
        let mut attempts = 0;
        let was_writable = self.positions.writable.load(Ordering::Acquire);
        loop {
            match self.transact(&batch) {
                Ok(()) => break,
                Err(e) => {
                    self.is_writable(false);
                    metrics::counter!("harit_history_errors_total").increment(1);
                    tracing::error!(error = %e, "the history store could not be written; trying again");
                    // A series may have been numbered in the transaction that failed.
                    self.series.clear();
                    self.numbers.clear();
                    attempts += 1;
                    let closing = stopping || self.positions.closing.load(Ordering::Acquire);
                    if closing && (attempts > 2 || !was_writable) {
                        // The journal has it; the next start writes it.
                        return;
                    }
                    std::thread::sleep(RETRY);
                }
            }
        }
        self.is_writable(true);
        for write in &batch {
            if let Write::Fold(f) = write
                && f.generation == self.positions.generation.load(Ordering::Acquire)
                && let Some(p) = self.positions.shards.get(f.shard)
            {
                p.fetch_max(f.seq, Ordering::AcqRel);
            }
        }
        if batch.iter().any(|w| matches!(w, Write::Sync)) {
            self.sync();
        }
        for write in batch {
            if let Write::Barrier(done) = write {
                let _ = done.send(());
            }
        }
    }

    /// Syncs what was written. What is in the store's own file already was synced when it came there.
    fn sync(&mut self) {
        let Some(log) = &self.log else { return };
        match File::open(log).and_then(|log| log.sync_data()) {
            Ok(()) => self.positions.synced(),
            Err(e) => {
                tracing::error!(error = %e, "the history could not be synced: the journal is not trimmed until the next start");
                metrics::counter!("harit_history_errors_total").increment(1);
                self.log = None;
            }
        }
    }

    fn is_writable(&self, writable: bool) {
        self.positions.writable.store(writable, Ordering::Release);
        metrics::gauge!("harit_history_writable").set(f64::from(u8::from(writable)));
    }

    fn transact(&mut self, batch: &[Write]) -> rusqlite::Result<()> {
        if batch
            .iter()
            .all(|w| matches!(w, Write::Barrier(_) | Write::Sync | Write::Stop))
        {
            return Ok(());
        }
        let tx = self.db.transaction()?;
        for write in batch {
            match write {
                Write::Fold(f) => {
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
                Write::Barrier(_) | Write::Sync | Write::Stop => {}
            }
        }
        tx.commit()
    }

    /// Removes some of the oldest while there is more than is kept; true where it is still too much. Whoever fills the
    /// history pays for it first: it is taken from the farm that has the most.
    fn trim(&mut self) -> rusqlite::Result<bool> {
        let used = bytes_in_use(&self.db)?;
        #[allow(clippy::cast_precision_loss, reason = "a metric")]
        metrics::gauge!("harit_history_bytes").set(used as f64);
        if used <= self.kept.bytes {
            return Ok(false);
        }
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
                "DELETE FROM rollup WHERE minute < (SELECT min(minute) FROM rollup) + 1440",
                [],
            )?;
        }
        tx.commit()?;
        metrics::counter!("harit_history_trimmed_total").increment(removed as u64);
        tracing::warn!(
            used,
            limit = self.kept.bytes,
            removed,
            "the history has reached its limit: the oldest goes"
        );
        Ok(removed > 0 && bytes_in_use(&self.db)? > self.kept.bytes)
    }

    /// Makes hours of minutes: a few at a time where there is much of a past.
    fn roll_up(&mut self) -> rusqlite::Result<()> {
        if self.rolled_at.is_some_and(|t| t.elapsed() < ROLL_UP) {
            return Ok(());
        }
        let now = self.clock.wall().as_millis().div_euclid(HOUR_MS);
        if self.rolled >= now {
            self.rolled_at = Some(Instant::now());
            return Ok(());
        }
        let tx = self.db.transaction()?;
        let rolled = hours::roll_up(&tx, self.rolled, now)?;
        tx.commit()?;
        self.rolled = rolled;
        self.rolled_at = (rolled >= now).then(Instant::now);
        Ok(())
    }

    fn sweep(&mut self) -> rusqlite::Result<()> {
        let now = self.clock.wall().as_millis();
        let before = now.saturating_sub(i64::from(self.kept.days) * DAY_MS);
        let hours_before = now.saturating_sub(i64::from(self.kept.hour_days) * DAY_MS);
        let tx = self.db.transaction()?;
        let series: Vec<i64> = tx
            .prepare("SELECT id FROM series")?
            .query_map([], |r| r.get(0))?
            .collect::<Result<_, _>>()?;
        {
            let mut minutes = tx.prepare("DELETE FROM rollup WHERE series = ?1 AND minute < ?2")?;
            let mut hours = tx.prepare("DELETE FROM hour WHERE series = ?1 AND hour < ?2")?;
            for s in series {
                minutes.execute([s, before.div_euclid(MINUTE_MS)])?;
                hours.execute([s, hours_before.div_euclid(HOUR_MS)])?;
            }
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
        tx.commit()
    }
}

/// How many bytes are in use; what was removed leaves room for what comes.
fn bytes_in_use(db: &Connection) -> rusqlite::Result<u64> {
    let number = |name: &str| db.pragma_query_value(None, name, |r| r.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    Ok(pages.saturating_mul(number("page_size")?).unsigned_abs())
}

/// Adds minutes to what is there; to their hours too, where those are made.
pub(super) fn write_rollups(
    tx: &Transaction<'_>,
    series: &mut HashMap<(FarmId, SensorId), i64>,
    rolled: i64,
    f: &Fold,
) -> rusqlite::Result<()> {
    if series.len() > MAX_SERIES_CACHED {
        series.clear();
    }
    let mut upsert = tx.prepare_cached(
        "INSERT INTO rollup (series, minute, count, sum, min, max, last, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
         ON CONFLICT (series, minute) DO UPDATE SET count = count + excluded.count, sum = sum + excluded.sum, min = min(min, excluded.min), \
         max = max(max, excluded.max), last = iif(excluded.last_at >= last_at, excluded.last, last), last_at = max(last_at, excluded.last_at)",
    )?;
    let mut late = tx.prepare_cached(hours::UPSERT)?;
    for r in &f.rollups {
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
        let b = &r.bucket;
        upsert.execute([
            id, b.minute, b.count, b.sum, b.min, b.max, b.last, b.last_at,
        ])?;
        let hour = b.minute.div_euclid(HOUR_MINUTES);
        if hour < rolled {
            late.execute([id, hour, b.count, b.sum, b.min, b.max, b.last, b.last_at])?;
        }
    }
    Ok(())
}

fn fold(
    tx: &Transaction<'_>,
    series: &mut HashMap<(FarmId, SensorId), i64>,
    rolled: i64,
    f: &Fold,
) -> rusqlite::Result<()> {
    write_rollups(tx, series, rolled, f)?;
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
