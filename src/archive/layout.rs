//! Where each file of the archive is.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use harit_engine::Timestamp;
use jiff::civil::Date;

use super::ArchiveError;

const DAY_MS: i64 = 86_400_000;
const FARM: &str = "farm=";
const DAY: &str = "day=";

/// A day of UTC, as its number since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Day(i64);

impl Day {
    pub(crate) fn of(at: Timestamp) -> Self {
        Self(at.as_millis().div_euclid(DAY_MS))
    }

    pub(crate) const fn begins(self) -> Timestamp {
        Timestamp::from_millis(self.0.saturating_mul(DAY_MS))
    }

    pub(crate) const fn minus(self, days: u32) -> Self {
        Self(self.0.saturating_sub(days as i64))
    }

    fn date(self) -> Option<Date> {
        let at = jiff::Timestamp::from_millisecond(self.begins().as_millis()).ok()?;
        Some(at.to_zoned(jiff::tz::TimeZone::UTC).date())
    }

    /// Reads a day of the command line.
    pub(crate) fn parse_or_say(text: &str) -> Result<Self, String> {
        Self::parse(text).ok_or_else(|| "this is no day, such as 2026-11-24".to_owned())
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let date: Date = text.parse().ok()?;
        let at = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
        Some(Self(at.as_millisecond().div_euclid(DAY_MS)))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.date() {
            Some(date) => write!(f, "{date}"),
            // The clock says something that no calendar has.
            None => write!(f, "{}", self.0),
        }
    }
}

/// What was journaled of a farm on a day: a folder of the archive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FarmDay {
    pub(crate) day: Day,
    pub(crate) farm: String,
}

impl FarmDay {
    /// Its name below the archive.
    pub(super) fn name(&self) -> String {
        format!("{FARM}{}/{DAY}{}", escape(&self.farm), self.day)
    }

    fn parse(farm: &str, day: &str) -> Option<Self> {
        let farm = farm.strip_prefix(FARM).and_then(unescape)?;
        let day = day.strip_prefix(DAY).and_then(Day::parse)?;
        Some(Self { day, farm })
    }

    fn folder(&self, archive: &Path) -> PathBuf {
        archive.join(self.name())
    }
}

/// A file of the archive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    pub(crate) of: FarmDay,
    /// The journal's generation and shard, and the first batch that is in it: files in this order are in the journal's order.
    pub(crate) generation: u64,
    pub(crate) shard: usize,
    pub(crate) first: u64,
    /// Whether it has what came too late for rules.
    pub(crate) is_late: bool,
}

impl Part {
    /// The folder of its farm and day.
    pub(super) fn folder(&self, archive: &Path) -> PathBuf {
        self.of.folder(archive)
    }

    /// Its name in that folder.
    pub(super) fn file_name(&self) -> String {
        let kind = if self.is_late { "late" } else { "readings" };
        let (generation, shard, first) = (self.generation, self.shard, self.first);
        format!("{kind}-{generation:04}-{shard:02}-{first:012}.parquet")
    }

    /// Its name below the archive, with `/` between the parts.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.of.name(), self.file_name())
    }

    pub(crate) fn path(&self, archive: &Path) -> PathBuf {
        archive.join(self.name())
    }

    /// Reads such a name; none where it is another file's.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let mut names = name.split('/');
        let (farm, day, file) = (names.next()?, names.next()?, names.next()?);
        let of = FarmDay::parse(farm, day)?;
        let part = Self::in_folder(of, file)?;
        names.next().is_none().then_some(part)
    }

    fn in_folder(of: FarmDay, file_name: &str) -> Option<Self> {
        let mut words = file_name.strip_suffix(".parquet")?.split('-');
        let is_late = match words.next()? {
            "late" => true,
            "readings" => false,
            _ => return None,
        };
        let part = Self {
            of,
            generation: words.next()?.parse().ok()?,
            shard: words.next()?.parse().ok()?,
            first: words.next()?.parse().ok()?,
            is_late,
        };
        words.next().is_none().then_some(part)
    }
}

/// A farm's id as part of a folder's name: what file systems and tools take as it is, the rest as in URLs.
fn escape(id: &str) -> String {
    let mut name = String::new();
    for b in id.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(b)),
            _ => name.push_str(&format!("%{b:02X}")),
        }
    }
    name
}

fn unescape(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let Some((b, after)) = rest.split_first() {
        if *b == b'%' {
            let (hex, after) = after.split_at_checked(2)?;
            let hex = std::str::from_utf8(hex).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*b);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Names in a folder; none where it is not there.
fn names(folder: &Path) -> Result<Vec<String>, ArchiveError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(ArchiveError::io(folder)(e)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(ArchiveError::io(folder))?;
        names.extend(entry.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// The farms and days that there are, the oldest day first.
pub(crate) fn days(archive: &Path) -> Result<Vec<FarmDay>, ArchiveError> {
    let mut all = Vec::new();
    for farm in names(archive)?.iter().filter(|n| n.starts_with(FARM)) {
        let days = names(&archive.join(farm))?;
        all.extend(days.iter().filter_map(|day| FarmDay::parse(farm, day)));
    }
    all.sort();
    Ok(all)
}

/// The files of a farm's day, in the order of what is in them.
pub(crate) fn parts(archive: &Path, of: &FarmDay) -> Result<Vec<Part>, ArchiveError> {
    let names = names(&of.folder(archive))?;
    let parts = names.iter().filter_map(|n| Part::in_folder(of.clone(), n));
    let mut parts: Vec<Part> = parts.collect();
    parts.sort();
    Ok(parts)
}

/// Removes a farm's day and says how many bytes it had.
pub(super) fn remove(archive: &Path, of: &FarmDay) -> Result<u64, ArchiveError> {
    let folder = of.folder(archive);
    let bytes = size(archive, of)?;
    fs::remove_dir_all(&folder).map_err(ArchiveError::io(&folder))?;
    Ok(bytes)
}

/// How many bytes a farm's day has.
pub(super) fn size(archive: &Path, of: &FarmDay) -> Result<u64, ArchiveError> {
    let mut bytes = 0;
    for part in parts(archive, of)? {
        bytes += length(&part.path(archive))?;
    }
    Ok(bytes)
}

pub(super) fn length(path: &Path) -> Result<u64, ArchiveError> {
    fs::metadata(path)
        .map(|m| m.len())
        .map_err(ArchiveError::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_file_has_and_are_read_again() {
        let day = Day::parse("2026-11-24").unwrap();
        assert_eq!(day.begins().as_millis(), 1_795_478_400_000);
        assert_eq!(
            Day::of(Timestamp::from_millis(1_795_478_400_000 - 1)),
            day.minus(1)
        );
        let part = Part {
            of: FarmDay {
                day,
                farm: "Ravi's farm/2".into(),
            },
            generation: 12,
            shard: 3,
            first: 7,
            is_late: true,
        };
        let path = part.path(Path::new("a"));
        assert_eq!(
            path.to_str().unwrap(),
            "a/farm=Ravi%27s%20farm%2F2/day=2026-11-24/late-0012-03-000000000007.parquet"
        );
        assert_eq!(Part::parse(&part.name()), Some(part));
        assert_eq!(
            unescape("Ravi%27s%20farm%2F2").as_deref(),
            Some("Ravi's farm/2")
        );
        for bad in [
            "readings-1-2.parquet",
            "readings-1-2-3-4.parquet",
            ".readings-1-2-3.parquet.part",
            "x",
            "../readings-1-2-3.parquet",
        ] {
            let name = format!("farm=f/day=2026-11-24/{bad}");
            assert_eq!(Part::parse(&name), None, "{bad}");
        }
        for bad in ["", "_archived.json", "farm=f", "farm=f/day=yesterday/x"] {
            assert_eq!(Part::parse(bad), None, "{bad}");
        }
    }
}
