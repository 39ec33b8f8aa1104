//! The thread that archives: each day once it is over, and at once where a journal has no room to wait for that. What is archived it
//! copies to a bucket, where one is set.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use harit_bucket::Bucket;
use harit_engine::Timestamp;
use harit_ingest::Archived;
use harit_ingest::past::Stop;
use harit_journal::ReadJournals;

use super::copy::BucketCopy;
use super::layout::{days, remove, size};
use super::write::archive;
use super::{ArchiveError, Day, FarmDay, positions_file};
use crate::data_dir::{SERVER_KEY, server_id};
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

/// What is archived, and where.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) data_dir: PathBuf,
    pub(crate) journals: Arc<dyn ReadJournals>,
    pub(crate) folder: PathBuf,
    pub(crate) keep: Keep,
    /// What gets a copy of it.
    pub(crate) copy_to: Option<Bucket>,
}

/// Starts archiving; `farms` says how many there are. What is being written when it ends is left, and written anew at the next start.
pub(crate) fn start(
    settings: Settings,
    archived: Arc<Archived>,
    farms: impl Fn() -> usize + Send + 'static,
) -> std::io::Result<Worker> {
    Worker::start("harit-archive", LAST_WORDS, move |stop, ended| {
        let work = Work::new(settings, archived, stop);
        work.run(&ended, &farms);
    })
}

/// Tells what failed, unless that is by the server's end, and says when it is tried again.
fn failed(
    done: Result<(), ArchiveError>,
    ended: &Receiver<()>,
    counter: &metrics::Counter,
    what: &str,
) -> Option<Instant> {
    let e = done.err()?;
    if ended.try_recv() != Err(TryRecvError::Disconnected) {
        counter.increment(1);
        tracing::error!(error = %e, "{what}; trying again later");
    }
    Some(Instant::now() + RETRY)
}

struct Work {
    settings: Settings,
    archived: Arc<Archived>,
    stop: Stop,
    retry: Option<Instant>,
    /// When the bucket is asked what it lacks; none when it has everything.
    copy_at: Option<Instant>,
    /// The days of which the bucket lacks something; none while that is not known.
    not_copied: Option<BTreeSet<FarmDay>>,
}

impl Work {
    fn new(settings: Settings, archived: Arc<Archived>, stop: Stop) -> Self {
        Self {
            copy_at: settings.copy_to.is_some().then(Instant::now),
            settings,
            archived,
            stop,
            retry: None,
            not_copied: None,
        }
    }

    fn run(mut self, ended: &Receiver<()>, farms: &dyn Fn() -> usize) {
        // In Linux that is the thread's alone; where it is refused it is as nice as all.
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS);
        let not_archived = metrics::counter!("harit_archive_failures_total");
        let not_copied = metrics::counter!("harit_archive_copy_failures_total");
        let is_due = |at: Option<Instant>| at.is_none_or(|at| at <= Instant::now());
        while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            if is_due(self.retry) {
                let worked = self.work(farms());
                let what = "readings could not be archived";
                self.retry = failed(worked, ended, &not_archived, what);
            }
            if self.copy_at.is_some() && is_due(self.copy_at) {
                let copied = self.copy();
                let what = "the archive could not be copied";
                self.copy_at = failed(copied, ended, &not_copied, what);
            }
        }
    }

    /// Archives what is due.
    fn work(&mut self, farms: usize) -> Result<(), ArchiveError> {
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
        let Settings {
            journals, folder, ..
        } = &self.settings;
        let all = archive(journals, folder, before, farms, &self.stop, &mut done)?;
        if all.missing > 0 {
            tracing::error!(
                batches = all.missing,
                "the journal was trimmed of what was not archived: the archive lacks it"
            );
        }
        if all.files > 0 && self.settings.copy_to.is_some() {
            self.not_copied = None;
            self.copy_at.get_or_insert_with(Instant::now);
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

    /// Copies what the bucket lacks, the oldest day first.
    fn copy(&mut self) -> Result<(), ArchiveError> {
        let Settings {
            data_dir,
            folder,
            copy_to,
            ..
        } = &self.settings;
        let Some(bucket) = copy_to else {
            return Ok(());
        };
        let copy = BucketCopy::open(bucket)?;
        let key = data_dir.join(SERVER_KEY);
        let server = server_id(data_dir, "archive").map_err(ArchiveError::io(&key))?;
        copy.claim(&server)?;
        let missing = copy.missing(folder)?;
        let left = self.not_copied.insert(missing.keys().cloned().collect());
        let mut files = missing.values().map(Vec::len).sum::<usize>();
        let told = files;
        #[allow(clippy::cast_precision_loss, reason = "a metric")]
        let waiting = |files: usize| {
            metrics::gauge!("harit_archive_uncopied_files").set(files as f64);
        };
        waiting(files);
        for (of, parts) in missing {
            for part in parts {
                self.stop.check()?;
                copy.put(folder, &part, &self.stop)?;
                files -= 1;
                waiting(files);
            }
            left.remove(&of);
        }
        copy.put_positions(folder)?;
        if told > 0 {
            tracing::info!(files = told, %bucket, "the archive was copied");
        }
        Ok(())
    }

    /// Whether a day may be removed here: not before the bucket has it.
    fn may_go(&self, of: &FarmDay) -> bool {
        let lacks = |days: &BTreeSet<FarmDay>| days.contains(of);
        self.settings.copy_to.is_none() || !self.not_copied.as_ref().is_none_or(lacks)
    }

    /// Removes what is too old, and the oldest where there is too much.
    fn tidy(&self, now: Timestamp) -> Result<(), ArchiveError> {
        let Settings { folder, keep, .. } = &self.settings;
        let oldest = match keep.days {
            0 => None,
            days => Some(Day::of(now).minus(days)),
        };
        let mut kept = Vec::new();
        let mut bytes = 0;
        for of in days(folder)? {
            if oldest.is_some_and(|oldest| of.day < oldest) && self.may_go(&of) {
                remove(folder, &of)?;
            } else {
                bytes += size(folder, &of)?;
                kept.push(of);
            }
        }
        // A full disk would stop more than an archive: what its bucket lacks stays up to one and a half times the limit.
        let most = keep.bytes.saturating_add(keep.bytes / 2);
        for of in kept {
            let is_copied = self.may_go(&of);
            let limit = if is_copied { keep.bytes } else { most };
            if keep.bytes == 0 || bytes <= keep.bytes {
                break;
            }
            if bytes <= limit {
                continue;
            }
            let freed = remove(folder, &of)?;
            if is_copied {
                tracing::warn!(day = %of.day, farm = of.farm, freed, "the archive has reached its limit: the oldest day goes");
            } else {
                metrics::counter!("harit_archive_lost_total").increment(1);
                tracing::error!(day = %of.day, farm = of.farm, freed, "the archive has reached its limit: a day goes that was not copied");
            }
            bytes = bytes.saturating_sub(freed);
        }
        #[allow(clippy::cast_precision_loss, reason = "a metric")]
        metrics::gauge!("harit_archive_bytes").set(bytes as f64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use harit_journal::JournalFiles;

    use super::*;
    use crate::archive::Part;
    use crate::worker::NO_LIMIT;

    const MIB: u32 = 1 << 20;

    fn farm_day(back: u32) -> FarmDay {
        let day = Day::of(now()).minus(back);
        FarmDay {
            day,
            farm: "green".to_owned(),
        }
    }

    fn now() -> Timestamp {
        Timestamp::from_millis(1_795_478_400_000)
    }

    /// An archive of four days, of a MiB each.
    fn work(keep: Keep, copy_to: Option<&str>) -> (tempfile::TempDir, Work) {
        let dir = tempfile::tempdir().unwrap();
        for back in 1..=4 {
            let part = Part {
                of: farm_day(back),
                generation: 1,
                shard: 0,
                first: 1,
                is_late: false,
            };
            let path = part.path(dir.path());
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, vec![0; MIB as usize]).unwrap();
        }
        let settings = Settings {
            data_dir: dir.path().to_owned(),
            journals: JournalFiles::to_read(dir.path()),
            folder: dir.path().to_owned(),
            keep,
            copy_to: copy_to.map(|bucket| bucket.parse().unwrap()),
        };
        let work = Work::new(settings, Arc::default(), Stop::within(NO_LIMIT));
        (dir, work)
    }

    /// How many days back those are that there are.
    fn left(work: &Work) -> Vec<u32> {
        work.tidy(now()).unwrap();
        let all = days(&work.settings.folder).unwrap();
        let back = |of: &FarmDay| (1..=4).find(|n| *of == farm_day(*n));
        all.iter().rev().filter_map(back).collect()
    }

    #[test]
    fn what_is_too_old_or_too_much_goes() {
        let days_kept = Keep { days: 2, bytes: 0 };
        assert_eq!(left(&work(days_kept, None).1), [1, 2]);
        let bytes_kept = Keep {
            days: 0,
            bytes: 3 * u64::from(MIB),
        };
        assert_eq!(left(&work(bytes_kept, None).1), [1, 2, 3]);
        let all_kept = Keep { days: 0, bytes: 0 };
        assert_eq!(left(&work(all_kept, None).1), [1, 2, 3, 4]);
    }

    #[test]
    fn nothing_goes_before_the_bucket_has_it_unless_the_disk_fills() {
        let bucket = Some("s3://farms/archive");
        let keep = Keep { days: 2, bytes: 0 };
        let (_dir, mut all) = work(keep, bucket);
        assert_eq!(left(&all), [1, 2, 3, 4], "nobody knows what it has");
        all.not_copied = Some([farm_day(4)].into());
        assert_eq!(left(&all), [1, 2, 4]);
        all.not_copied = Some(BTreeSet::new());
        assert_eq!(left(&all), [1, 2]);

        let little = Keep {
            days: 0,
            bytes: 2 * u64::from(MIB),
        };
        let (_dir, mut all) = work(little, bucket);
        all.not_copied = Some([farm_day(4), farm_day(3)].into());
        // Four are more than one and a half times two; three are not, and the next may go.
        assert_eq!(left(&all), [1, 3]);
        let (_dir, all) = work(little, bucket);
        assert_eq!(left(&all), [1, 2, 3], "up to one and a half times");
    }
}
