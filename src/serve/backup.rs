//! Backups that the server makes by itself: on a thread of low priority, one at a time, with pauses.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use harit_backup::Keep;
use harit_bucket::Place;
use harit_ingest::past::Stop;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::backup::{BackupFailed, Source, Target, forget, make};
use crate::config::{Config, ConfigError, Schedule};
use crate::worker::Worker;

/// How long nothing is done after each 64 KiB of a file, or MiB of a database: control comes first.
const PAUSE: Duration = Duration::from_millis(2);
/// How often the clock and the repository are looked at: either may be changed by somebody else.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// The same of a bucket, which counts what it is asked.
const LOOK_INTO_BUCKET_EVERY: Duration = Duration::from_hours(1);
/// How long after a failure the next attempt is made.
const RETRY: SignedDuration = SignedDuration::from_mins(15);
/// A tenth of what a thread of control gets where both want a core. At the lowest priority, 19, a machine that is busy for hours
/// has no backup.
const NICE: i32 = 10;

/// How long the end of the server waits for one that is being made: it is given up, and with it the lease of its bucket.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Starts them, where there is a target.
pub(super) fn start(config: &Config) -> Result<Option<Worker>, ConfigError> {
    let Some((to, schedule)) = config.backup.schedule()? else {
        return Ok(None);
    };
    if let Err(e) = config.backup.say() {
        tracing::error!("{e}");
    }
    let work = Work {
        source: Source::of(config)?,
        to,
        keep: config.backup.keep(),
        schedule,
        zone: TimeZone::system(),
        newest: None,
        looked: None,
    };
    let started = Worker::start("harit-backup", LAST_WORDS, move |stop, ended| {
        work.run(&stop, &ended);
    });
    started
        .map(Some)
        .map_err(|e| ConfigError::Value(format!("backups: {e}")))
}

struct Work {
    source: Source,
    to: Target,
    keep: Keep,
    schedule: Schedule,
    zone: TimeZone,
    /// The newest snapshot that was seen: its number, and when it was made.
    newest: Option<(u64, Timestamp)>,
    /// When the repository was looked at.
    looked: Option<Instant>,
}

impl Work {
    fn run(mut self, stop: &Stop, ended: &Receiver<()>) {
        // On Linux a priority is that of a thread. Where it cannot be lowered the pauses are what there is.
        let _as_it_is = rustix::process::setpriority_process(None, NICE);
        metrics::counter!("harit_backup_failures_total").absolute(0);
        let mut not_before = Timestamp::MIN;
        loop {
            self.look();
            let now = Timestamp::now();
            let last = self.newest.map(|(_, at)| at);
            let due = self.schedule.due(last, now, &self.zone).max(not_before);
            let wait = Duration::try_from(due.duration_since(now)).unwrap_or_default();
            match ended.recv_timeout(wait.min(LOOK_EVERY)) {
                Err(RecvTimeoutError::Timeout) => {}
                _ => return,
            }
            if wait > LOOK_EVERY {
                continue;
            }
            not_before = match self.back_up(stop) {
                Ok(()) => {
                    self.looked = None;
                    Timestamp::MIN
                }
                Err(e) if e.is_stopped() => return,
                Err(e) if e.is_busy() => {
                    tracing::info!("no backup yet: {e}");
                    later(SignedDuration::from_mins(1))
                }
                Err(e) => {
                    metrics::counter!("harit_backup_failures_total").increment(1);
                    tracing::error!(to = %self.to.place, "the backup failed: {e}");
                    later(RETRY)
                }
            };
        }
    }

    /// What the newest snapshot is: one that was made by hand counts too.
    fn look(&mut self) {
        let every = match self.to.place {
            Place::Directory(_) => Duration::ZERO,
            Place::Bucket(_) => LOOK_INTO_BUCKET_EVERY,
        };
        if self.looked.is_some_and(|at| at.elapsed() < every) {
            return;
        }
        self.looked = Some(Instant::now());
        let seen = self.newest.map(|(number, _)| number);
        if let Some(newest) = newest_of(&self.to, seen) {
            self.newest = newest;
        }
        let made = self.newest.map_or(0, |(_, at)| at.as_second());
        #[allow(clippy::cast_precision_loss, reason = "a metric")]
        metrics::gauge!("harit_backup_last_success_timestamp_seconds").set(made as f64);
    }

    fn back_up(&self, stop: &Stop) -> Result<(), BackupFailed> {
        let go_on = || {
            thread::sleep(PAUSE);
            stop.check().is_ok()
        };
        let made = make(&self.source, &self.to, &go_on)?;
        tracing::info!(
            to = %self.to.place,
            snapshot = made.number,
            farms = made.farms.len(),
            files = made.files.len(),
            bytes = made.bytes(),
            new_bytes = made.stored.bytes,
            ms = made.took_ms,
            "a backup was made"
        );
        // What cannot be removed does not make the new one worse.
        match forget(&self.to, self.keep, &go_on) {
            Ok(gone) if gone.snapshots.is_empty() => {}
            Ok(gone) => tracing::info!(
                snapshots = gone.snapshots.len(),
                chunks = gone.chunks,
                bytes = gone.bytes,
                "old backups were removed"
            ),
            Err(e) if e.is_stopped() || e.is_busy() => {}
            Err(e) => {
                metrics::counter!("harit_backup_failures_total").increment(1);
                tracing::error!(to = %self.to.place, "old backups could not be removed: {e}");
            }
        }
        Ok(())
    }
}

fn later(by: SignedDuration) -> Timestamp {
    Timestamp::now()
        .saturating_add(by)
        .unwrap_or(Timestamp::MAX)
}

/// The newest snapshot of a repository; `None` where that is the one that was seen already, or nobody can say now.
fn newest_of(target: &Target, seen: Option<u64>) -> Option<Option<(u64, Timestamp)>> {
    // It may be on a disk that is not there now, or in a bucket that cannot be reached.
    let repository = target.peek().ok()?;
    let Some(number) = repository.numbers().ok()?.last().copied() else {
        return Some(None);
    };
    if Some(number) == seen {
        return None;
    }
    let at_ms = repository.manifest(number).ok()?.at_ms;
    let at = Timestamp::from_millisecond(at_ms).ok()?;
    Some(Some((number, at)))
}
