//! The thread that archives: each day once it is over, and at once where a journal has no room to wait for that.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use harit_engine::Timestamp;
use harit_ingest::Archived;
use harit_ingest::past::Stop;

use super::layout::{days, remove, size};
use super::write::archive;
use super::{ArchiveError, Day, positions_file};
use crate::positions::{Position, Positions};
use crate::worker::Worker;

/// How often it is looked whether something is due.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// How long after midnight (UTC) a day is archived: what is on its way has come then.
const AFTER_MIDNIGHT_MS: i64 = 30 * 60_000;
/// How long it waits after a failure.
const RETRY: Duration = Duration::from_secs(300);
/// How long the end of the server waits for it: it looks whether it is to stop with each batch.
const LAST_WORDS: Duration = Duration::from_secs(10);
/// Its thread gives way to those that control.
const NICENESS: i32 = 10;

/// What is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keep {
    /// For how many days; 0: for ever.
    pub(crate) days: u32,
    /// Up to how many bytes; 0: any number.
    pub(crate) bytes: u64,
}

/// Reads how far the archive is, so that no journal is trimmed past that.
pub(crate) fn load(folder: &Path) -> Result<Arc<Archived>, ArchiveError> {
    let archived = Archived::default();
    for (generation, shard, position) in Positions::load(&positions_file(folder))?.iter() {
        archived.set(generation, shard, position.batch);
    }
    Ok(Arc::new(archived))
}

/// Starts archiving; `farms` says how many there are. What is being written when it ends is left, and written anew at the next start.
pub(crate) fn start(
    data_dir: PathBuf,
    folder: PathBuf,
    keep: Keep,
    archived: Arc<Archived>,
    farms: impl Fn() -> usize + Send + 'static,
) -> std::io::Result<Worker> {
    Worker::start("harit-archive", LAST_WORDS, move |stop, ended| {
        let work = Work {
            data_dir,
            folder,
            keep,
            archived,
            stop,
            retry: None,
        };
        work.run(&ended, &farms);
    })
}

struct Work {
    data_dir: PathBuf,
    folder: PathBuf,
    keep: Keep,
    archived: Arc<Archived>,
    stop: Stop,
    retry: Option<Instant>,
}

impl Work {
    fn run(mut self, ended: &Receiver<()>, farms: &dyn Fn() -> usize) {
        // In Linux that is the thread's alone; where it is refused it is as nice as all.
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS);
        while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            if self.retry.is_some_and(|at| Instant::now() < at) {
                continue;
            }
            self.retry = None;
            if let Err(e) = self.work(farms()) {
                if ended.try_recv() == Err(TryRecvError::Disconnected) {
                    return;
                }
                metrics::counter!("harit_archive_failures_total").increment(1);
                tracing::error!(error = %e, "readings could not be archived; trying again later");
                self.retry = Some(Instant::now() + RETRY);
            }
        }
    }

    /// Archives what is due.
    fn work(&self, farms: usize) -> Result<(), ArchiveError> {
        let now = Timestamp::from_millis(jiff::Timestamp::now().as_millisecond());
        let is_urgent = self.archived.take_urgent();
        let midnight = Day::of(Timestamp::from_millis(
            now.as_millis().saturating_sub(AFTER_MIDNIGHT_MS),
        ))
        .begins();
        let before = if is_urgent { now } else { midnight };
        let began = Instant::now();
        let mut done = |generation, shard, position: Position| {
            self.archived.set(generation, shard, position.batch);
        };
        let stop = &self.stop;
        let all = archive(&self.data_dir, &self.folder, before, farms, stop, &mut done)?;
        if all.missing > 0 {
            tracing::error!(
                batches = all.missing,
                "the journal was trimmed of what was not archived: the archive lacks it"
            );
        }
        if all.readings > 0 {
            metrics::counter!("harit_archive_readings_total").increment(all.readings);
            tracing::info!(
                files = all.files,
                readings = all.readings,
                ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
                "readings were archived"
            );
        }
        #[allow(clippy::cast_precision_loss, reason = "a metric")]
        metrics::gauge!("harit_archive_before_timestamp_seconds")
            .set(before.as_millis() as f64 / 1e3);
        self.tidy(now)
    }

    /// Removes what is too old, and the oldest where there is too much.
    fn tidy(&self, now: Timestamp) -> Result<(), ArchiveError> {
        let all = days(&self.folder)?;
        let oldest = match self.keep.days {
            0 => None,
            days => Some(Day::of(now).minus(days)),
        };
        let mut kept = Vec::new();
        let mut bytes = 0;
        for (day, farm) in all {
            if oldest.is_some_and(|oldest| day < oldest) {
                remove(&self.folder, &farm, day)?;
            } else {
                bytes += size(&self.folder, &farm, day)?;
                kept.push((day, farm));
            }
        }
        for (day, farm) in kept {
            if self.keep.bytes == 0 || bytes <= self.keep.bytes {
                break;
            }
            let freed = remove(&self.folder, &farm, day)?;
            tracing::warn!(%day, farm, freed, "the archive has reached its limit: the oldest day goes");
            bytes = bytes.saturating_sub(freed);
        }
        #[allow(clippy::cast_precision_loss, reason = "a metric")]
        metrics::gauge!("harit_archive_bytes").set(bytes as f64);
        Ok(())
    }
}
