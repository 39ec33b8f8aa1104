//! `[backup]`: where the server puts copies of its data by itself, when, and which are kept.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use harit_backup::{Keep, RepositoryError};
use harit_bucket::Place;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};
use serde::{Deserialize, Serialize};

use super::ConfigError;
use crate::backup::{KeyArg, Target};

const HOURS: u32 = 24;

/// `[backup]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Backup {
    pub(crate) to: String,
    pub(crate) key_file: PathBuf,
    pub(crate) every_hours: u32,
    pub(crate) daily_at: String,
    pub(crate) keep_last: u32,
    pub(crate) keep_daily: u32,
    pub(crate) keep_weekly: u32,
}

impl Default for Backup {
    fn default() -> Self {
        Self {
            to: String::new(),
            key_file: PathBuf::new(),
            every_hours: HOURS,
            daily_at: String::new(),
            keep_last: 3,
            keep_daily: 14,
            keep_weekly: 8,
        }
    }
}

/// When a backup is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// So long after the last one.
    Every(SignedDuration),
    /// Each day at that local time.
    DailyAt(Time),
}

impl Schedule {
    /// When the next one is due, the last having been made then. One that was missed is due at once, as the first is.
    pub(crate) fn due(self, last: Option<Timestamp>, now: Timestamp, zone: &TimeZone) -> Timestamp {
        // A last one in the future was made by a clock that was wrong.
        let Some(last) = last.filter(|last| *last <= now) else {
            return now;
        };
        match self {
            Self::Every(span) => last.checked_add(span).unwrap_or(Timestamp::MAX),
            Self::DailyAt(time) => {
                let day = last.to_zoned(zone.clone()).date();
                let on = |day: jiff::civil::Date| day.to_datetime(time).to_zoned(zone.clone());
                let today = on(day).map(|z| z.timestamp());
                match today {
                    Ok(today) if today > last => today,
                    _ => {
                        let next = day.checked_add(1.day()).and_then(on);
                        next.map_or(Timestamp::MAX, |z| z.timestamp())
                    }
                }
            }
        }
    }
}

impl Backup {
    /// Where backups go and when they are made; none without a target.
    pub(crate) fn schedule(&self) -> Result<Option<(Target, Schedule)>, ConfigError> {
        let wrong = |text: String| Err(ConfigError::Value(text));
        let schedule = if self.daily_at.is_empty() {
            if self.every_hours == 0 {
                return wrong("backup.every_hours must be at least 1".to_owned());
            }
            Schedule::Every(SignedDuration::from_hours(i64::from(self.every_hours)))
        } else {
            if self.every_hours != HOURS {
                return wrong(format!(
                    "backup.daily_at is once a day: leave backup.every_hours at {HOURS}"
                ));
            }
            match Time::strptime("%H:%M", &self.daily_at) {
                Ok(time) => Schedule::DailyAt(time),
                Err(_) => {
                    let text = &self.daily_at;
                    return wrong(format!(
                        "backup.daily_at: {text:?} is no time of day (03:30)"
                    ));
                }
            }
        };
        if self.keep().is_nothing() {
            return wrong(
                "one of backup.keep_last, keep_daily, keep_weekly must be at least 1".to_owned(),
            );
        }
        Ok(self.target()?.map(|target| (target, schedule)))
    }

    fn target(&self) -> Result<Option<Target>, ConfigError> {
        if self.to.is_empty() {
            return Ok(None);
        }
        let place = self.to.parse::<Place>();
        let place = place.map_err(|e| ConfigError::Value(format!("backup.to: {e}")))?;
        let key_file = (!self.key_file.as_os_str().is_empty()).then(|| self.key_file.clone());
        let key = KeyArg { key_file };
        Ok(Some(Target { place, key }))
    }

    pub(crate) const fn keep(&self) -> Keep {
        Keep {
            last: self.keep_last,
            daily: self.keep_daily,
            weekly: self.keep_weekly,
        }
    }

    /// Where and when, for who runs the server. Nothing is left on the disk, and a bucket is not asked.
    ///
    /// # Errors
    /// When the target cannot be written, or its key not be read.
    pub(crate) fn say(&self) -> Result<Option<String>, ConfigError> {
        let Some((to, schedule)) = self.schedule()? else {
            return Ok(None);
        };
        let key = to
            .key()
            .map_err(|e| ConfigError::Value(format!("backup.key_file: {e}")))?;
        if let Place::Directory(dir) = &to.place {
            let refused = |e: io::Error| {
                let dir = dir.display();
                ConfigError::Value(format!("backup.to: {dir} cannot be written: {e}"))
            };
            // It is made where it is missing: then what is above it counts.
            let there = nearest(dir).map_err(refused)?;
            drop(tempfile::tempfile_in(there).map_err(refused)?);
        }
        let when = match schedule {
            Schedule::Every(_) => format!("every {} h", self.every_hours),
            Schedule::DailyAt(_) => format!("daily at {}", self.daily_at),
        };
        let sealed = key.map_or_else(String::new, |key| {
            format!(", encrypted with the key {}", key.id())
        });
        Ok(Some(format!("backups go to {}, {when}{sealed}", to.place)))
    }

    /// Asks the bucket for what is in it, and says so; none where backups go to a directory or nowhere.
    ///
    /// # Errors
    /// When it cannot be reached, refuses, or the key is not its own.
    pub(crate) fn ask(&self) -> Result<Option<String>, ConfigError> {
        let Some(to) = self
            .target()?
            .filter(|to| matches!(to.place, Place::Bucket(_)))
        else {
            return Ok(None);
        };
        let place = &to.place;
        let snapshots = to.peek().and_then(|repository| repository.numbers());
        match snapshots {
            Ok(numbers) => Ok(Some(format!("{place} has {} snapshots", numbers.len()))),
            Err(RepositoryError::NoRepository(_)) => Ok(Some(format!("{place} has no backup yet"))),
            Err(e) => Err(ConfigError::Value(format!("backup.to: {e}"))),
        }
    }

    /// What is sound and yet not safe.
    pub(super) fn warnings(&self, data_dir: &Path) -> Option<String> {
        let target = self.target().ok()??;
        let dir = match &target.place {
            Place::Directory(dir) => dir,
            Place::Bucket(_) if target.key.key_file.is_some() => return None,
            Place::Bucket(bucket) => {
                return Some(format!(
                    "backups in {bucket} have the secrets of controllers and people, and are not encrypted: see backup.key_file"
                ));
            }
        };
        let disk = |path: &Path| nearest(path).and_then(fs::metadata).map(|m| m.dev());
        let same = disk(dir).ok()? == disk(data_dir).ok()?;
        same.then(|| {
            format!(
                "backup.to ({}) is on the disk of the data: a disk that fails takes both. If it should be another one, it is not \
                 mounted",
                dir.display()
            )
        })
    }
}

/// The path, or what is above it as far as it is there.
fn nearest(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let there = path.ancestors().find(|p| p.exists());
    there
        .map(Path::to_owned)
        .ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn backup(set: impl FnOnce(&mut Backup)) -> Backup {
        let mut backup = Backup {
            to: "/backups".into(),
            ..Backup::default()
        };
        set(&mut backup);
        backup
    }

    #[test]
    fn a_backup_is_due_when_the_last_one_is_old() {
        let zone = TimeZone::get("Asia/Kolkata").unwrap();
        let now = at("2026-11-25T12:00:00Z");
        let schedule = |set: fn(&mut Backup)| backup(set).schedule().unwrap().unwrap().1;
        let every = schedule(|b| b.every_hours = 6);
        let daily = schedule(|b| b.daily_at = "03:30".into());
        for schedule in [every, daily] {
            assert_eq!(schedule.due(None, now, &zone), now, "the first one");
            let later = Some(at("2031-01-01T00:00:00Z"));
            assert_eq!(
                schedule.due(later, now, &zone),
                now,
                "by a clock that was wrong"
            );
        }
        let due = |schedule: Schedule, last: &str| schedule.due(Some(at(last)), now, &zone);
        assert_eq!(
            due(every, "2026-11-25T11:00:00Z"),
            at("2026-11-25T17:00:00Z")
        );
        assert_eq!(
            due(every, "2026-11-20T11:00:00Z"),
            at("2026-11-20T17:00:00Z"),
            "missed"
        );
        // 03:30 in India is 22:00 UTC of the day before.
        assert_eq!(
            due(daily, "2026-11-24T22:00:00Z"),
            at("2026-11-25T22:00:00Z")
        );
        assert_eq!(
            due(daily, "2026-11-25T11:00:00Z"),
            at("2026-11-25T22:00:00Z"),
            "one by hand"
        );
        assert_eq!(
            due(daily, "2026-11-20T21:59:59Z"),
            at("2026-11-20T22:00:00Z"),
            "missed"
        );
    }

    #[test]
    fn a_day_has_one_backup_when_clocks_change() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let daily = Schedule::DailyAt(jiff::civil::time(2, 30, 0, 0));
        let mut last = at("2026-03-27T12:00:00Z");
        let mut all = Vec::new();
        for _ in 0..3 {
            last = daily.due(Some(last), last, &zone);
            all.push(last.to_string());
        }
        // There is no 02:30 on the 29th.
        assert_eq!(
            all,
            [
                "2026-03-28T01:30:00Z",
                "2026-03-29T01:30:00Z",
                "2026-03-30T00:30:00Z"
            ]
        );
        let mut last = at("2026-10-24T12:00:00Z");
        let mut all = Vec::new();
        for _ in 0..2 {
            last = daily.due(Some(last), last, &zone);
            all.push(last.to_string());
        }
        // There are two on the 25th.
        assert_eq!(all, ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let said = |set: fn(&mut Backup)| backup(set).schedule().unwrap_err().to_string();
        assert!(said(|b| b.every_hours = 0).contains("backup.every_hours must be"));
        assert!(said(|b| b.daily_at = "25:00".into()).contains("\"25:00\" is no time of day"));
        assert!(said(|b| b.daily_at = "03:30 or so".into()).contains("is no time of day"));
        let twice = said(|b| {
            b.daily_at = "03:30".into();
            b.every_hours = 6;
        });
        assert!(twice.contains("once a day"), "{twice}");
        let none = said(|b| {
            (b.keep_last, b.keep_daily, b.keep_weekly) = (0, 0, 0);
        });
        assert!(none.contains("must be at least 1"));
        assert!(
            said(|b| b.to = "ftp://nas/harit".into()).starts_with("backup.to: ftp://nas/harit:")
        );
        assert_eq!(Backup::default().schedule().unwrap(), None);
    }

    #[test]
    fn a_target_that_cannot_be_written_is_told_and_nothing_is_left_there() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("usb/harit").display().to_string();
        let said = backup(|b| b.to.clone_from(&to)).say().unwrap().unwrap();
        assert!(said.ends_with("usb/harit, every 24 h"), "{said}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let warned = backup(|b| b.to.clone_from(&to)).warnings(&dir.path().join("data"));
        assert!(warned.unwrap().contains("takes both"));
        assert_eq!(Backup::default().warnings(dir.path()), None);
        // A file is no directory, whoever asks.
        fs::write(dir.path().join("usb"), "").unwrap();
        let refused = backup(|b| b.to.clone_from(&to))
            .say()
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("backup.to") && refused.contains("cannot be written"),
            "{refused}"
        );
    }

    #[test]
    fn backups_in_a_bucket_are_said_and_warned_of_where_everybody_could_read_them() {
        let dir = tempfile::tempdir().unwrap();
        let key = dir.path().join("key");
        let to = |b: &mut Backup| b.to = "s3://farm/harit".into();
        let said = backup(to).say().unwrap().unwrap();
        assert_eq!(said, "backups go to s3://farm/harit, every 24 h");
        let warned = backup(to).warnings(dir.path()).unwrap();
        assert!(warned.contains("not encrypted"), "{warned}");
        let with_key = backup(|b| {
            to(b);
            b.key_file.clone_from(&key);
        });
        let refused = with_key.say().unwrap_err().to_string();
        assert!(refused.starts_with("backup.key_file: "), "{refused}");
        let id = harit_backup::Key::make(&key).unwrap().id();
        let said = with_key.say().unwrap().unwrap();
        assert!(
            said.ends_with(&format!(", encrypted with the key {id}")),
            "{said}"
        );
        assert_eq!(with_key.warnings(dir.path()), None);
    }
}
