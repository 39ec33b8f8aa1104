//! A history by itself, without the rest of a server, for who measures it: its writer is handed minutes as a shard hands them over, and
//! it is read as pages read it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use harit_engine::{FarmId, Quantity, SensorId, Timestamp};
use tokio::runtime::Runtime;

use super::place::{PlacePast, PlaceQuestion};
use super::rollup::{Bucket, HOUR_MS, MINUTE_MS, RollupRow};
use super::seam::StoreError;
use super::store::HistoryStore;
use super::told::{Fold, Kept, Write};
use super::{HistoryError, HistoryPlace};
use crate::clock::TimeSource;

/// How far its clock is behind its readings: longer than what waits for the writer, so that no hour is made before all of it is there.
const BEHIND_MS: i64 = 12 * HOUR_MS;
/// Nothing is removed.
const EVERYTHING: Kept = Kept {
    days: u32::MAX,
    hour_days: u32::MAX,
    bytes: u64::MAX,
};

/// A clock that its readings set.
struct Clock(AtomicI64);

impl TimeSource for Clock {
    fn wall(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Acquire))
    }
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.wall().as_millis().unsigned_abs())
    }
}

/// See the module. Readings come in the order of their instants. A database is without a history again when this is dropped; a file stays.
pub struct HistoryAlone {
    place: HistoryPlace,
    farm: FarmId,
    clock: Arc<Clock>,
    store: HistoryStore,
    runtime: Runtime,
    /// The minute that is being collected.
    minute: i64,
    rows: Vec<RollupRow>,
    /// The number of the last hand-over.
    seq: u64,
}

impl HistoryAlone {
    /// Opens a place that has no history.
    ///
    /// # Errors
    /// When it has one, or cannot be used.
    pub fn open(place: HistoryPlace, farm: FarmId) -> Result<Self, StoreError> {
        match &place {
            HistoryPlace::File(path) if path.exists() => {
                return Err(format!("{} is there already", path.display()).into());
            }
            HistoryPlace::Postgres(url) if url.is_used()? => {
                return Err(format!("{url} has a history already: name another database").into());
            }
            HistoryPlace::File(_) | HistoryPlace::Postgres(_) => {}
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let clock = Arc::new(Clock(AtomicI64::new(0)));
        let store = {
            let _context = runtime.enter();
            HistoryStore::open(&place, EVERYTHING, clock.clone())?.now()?
        };
        let alone = Self {
            place,
            farm,
            clock,
            store,
            runtime,
            minute: i64::MIN,
            rows: Vec::new(),
            seq: 0,
        };
        alone.store.begin(1)?;
        Ok(alone)
    }

    /// Takes a good reading; a minute is handed over when the next one begins.
    ///
    /// # Errors
    /// When what was handed over cannot be written.
    pub fn add(
        &mut self,
        sensor: &SensorId,
        at: Timestamp,
        value: Quantity,
    ) -> Result<(), StoreError> {
        let minute = at.as_millis().div_euclid(MINUTE_MS);
        if minute != self.minute {
            self.hand_over()?;
            self.minute = minute;
        }
        let mut bucket = Bucket::default();
        bucket.add(at, value.as_micro());
        self.rows.push(RollupRow {
            farm: self.farm.clone(),
            sensor: sensor.clone(),
            bucket,
        });
        Ok(())
    }

    /// Hands over what was collected and waits until everything is there, hours and days too.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(&mut self) -> Result<(), StoreError> {
        self.hand_over()?;
        self.store.barrier_blocking();
        self.set_clock(self.minute.saturating_mul(MINUTE_MS) + HOUR_MS);
        // Hours are made after what is told to the writer, and before what it is told next.
        for _ in 0..2 {
            self.store.handle().send(Write::Sync);
            self.store.barrier_blocking();
        }
        self.is_writable()
    }

    fn hand_over(&mut self) -> Result<(), StoreError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.is_writable()?;
        self.set_clock(self.minute.saturating_mul(MINUTE_MS) - BEHIND_MS);
        self.seq += 1;
        let capacity = self.rows.len();
        self.store.handle().send(Write::Fold(Fold {
            generation: 1,
            seq: self.seq,
            rollups: std::mem::replace(&mut self.rows, Vec::with_capacity(capacity)),
            ..Fold::default()
        }));
        Ok(())
    }

    fn set_clock(&self, ms: i64) {
        self.clock.0.store(ms, Ordering::Release);
    }

    fn is_writable(&self) -> Result<(), StoreError> {
        match self.store.positions().writable.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err("the history cannot be written".into()),
        }
    }

    /// Answers a question as a page's is answered.
    ///
    /// # Errors
    /// When it asks for too much, or the store does not answer.
    pub fn place(&self, question: PlaceQuestion) -> Result<PlacePast, HistoryError> {
        let reads = self.store.reads();
        self.runtime.block_on(reads.place(&self.farm, question))
    }

    /// Says how many bytes it takes on the disk.
    ///
    /// # Errors
    /// When the place does not answer.
    pub fn bytes(&self) -> Result<u64, StoreError> {
        match &self.place {
            HistoryPlace::File(path) => {
                let files = [path.clone(), path.with_extension("db-wal")];
                let bytes = |file| std::fs::metadata(file).map_or(0, |m| m.len());
                Ok(files.into_iter().map(bytes).sum())
            }
            HistoryPlace::Postgres(url) => url.bytes(),
        }
    }
}

impl Drop for HistoryAlone {
    fn drop(&mut self) {
        self.store.stop();
        if let HistoryPlace::Postgres(url) = &self.place
            && let Err(error) = url.clear()
        {
            tracing::error!(error, "the history of the database could not be removed");
        }
    }
}
