//! From journals to files: what was journaled before an instant and is not archived yet.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use harit_engine::{FarmId, Timestamp};
use harit_ingest::history::good;
use harit_ingest::past::{Said, ShardJournal, Stop, readings, shard_journals};
use harit_journal::{ReadJournals, sync_dir};

use super::{ArchiveError, Day, FarmDay, Part, positions_file};
use crate::columnar::{Kind, Writer, double};
use crate::positions::{Position, Positions};

/// Of how many farms files are open at once: a journal with more is read several times.
const FARMS_AT_ONCE: usize = 256;
/// How many rows wait in memory, of all files together.
const MAX_WAITING: usize = 2_000_000;

/// What was archived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Archived {
    pub(crate) files: u64,
    pub(crate) readings: u64,
    /// Batches that were trimmed before they were archived.
    pub(crate) missing: u64,
}

/// Archives what was journaled before an instant; `farms` is how many there are, about. Each journal's position is stored once its
/// files are on the disk.
pub(crate) fn archive(
    journals: &Arc<dyn ReadJournals>,
    archive: &Path,
    before: Timestamp,
    farms: usize,
    stop: &Stop,
    done: &mut dyn FnMut(u64, usize, Position),
) -> Result<Archived, ArchiveError> {
    let journals = shard_journals(journals)?;
    make(archive)?;
    let mut positions = Positions::load(&positions_file(archive))?;
    positions.keep(|generation, shard| {
        let is = |j: &ShardJournal| (j.generation, j.shard) == (generation, shard);
        journals.iter().any(is)
    });
    let mut all = Archived::default();
    for journal in &journals {
        let position = positions.of(journal.generation, journal.shard);
        if position.before_ms >= before.as_millis() {
            continue;
        }
        let passes = farms.div_ceil(FARMS_AT_ONCE).max(1);
        let mut last = position.batch;
        for pass in 0..passes {
            let mut files = Files::new(archive, journal);
            let wanted = |farm: &str| passes == 1 || number(farm, passes) == pass;
            let read = readings::<ArchiveError>(
                journal,
                position.batch,
                before,
                wanted,
                stop,
                &mut |said| files.add(&said),
            )?;
            files.close()?;
            all.files += files.written;
            all.readings += files.readings;
            if pass == 0 {
                all.missing += read.missing;
            }
            last = last.max(read.batch);
        }
        let position = Position {
            batch: last,
            before_ms: before.as_millis(),
        };
        positions.set(journal.generation, journal.shard, position);
        positions.store(&positions_file(archive))?;
        done(journal.generation, journal.shard, position);
    }
    Ok(all)
}

/// In which pass a farm's turn is.
fn number(farm: &str, passes: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    farm.hash(&mut hasher);
    usize::try_from(hasher.finish() % passes as u64).unwrap_or(0)
}

/// A folder that only its owner reads.
fn make(folder: &Path) -> Result<(), ArchiveError> {
    let mut builder = fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.recursive(true).create(folder);
    made.map_err(ArchiveError::io(folder))
}

/// The files of one day that are being written.
struct Files<'a> {
    archive: &'a Path,
    journal: &'a ShardJournal,
    day: Option<Day>,
    open: BTreeMap<(FarmId, bool), OpenFile>,
    waiting: usize,
    written: u64,
    readings: u64,
}

struct OpenFile {
    part: PathBuf,
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
}

impl<'a> Files<'a> {
    const fn new(archive: &'a Path, journal: &'a ShardJournal) -> Self {
        Self {
            archive,
            journal,
            day: None,
            open: BTreeMap::new(),
            waiting: 0,
            written: 0,
            readings: 0,
        }
    }

    fn add(&mut self, said: &Said<'_>) -> Result<(), ArchiveError> {
        let day = Day::of(said.journaled_at);
        if self.day != Some(day) {
            self.close()?;
            self.day = Some(day);
        }
        let key = (said.farm.clone(), said.reading.backlog);
        let file = match self.open.entry(key) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                let part = Part {
                    of: FarmDay {
                        day,
                        farm: said.farm.as_str().to_owned(),
                    },
                    generation: self.journal.generation,
                    shard: self.journal.shard,
                    first: said.batch,
                    is_late: said.reading.backlog,
                };
                entry.insert(OpenFile::create(self.archive, &part)?)
            }
        };
        let value = said.reading.value;
        let kind = Kind {
            sensor_type: said.sensor.sensor_type.as_str(),
            good: good(said.sensor.sensor_type, value).is_some(),
        };
        let sensor = said.sensor.id.as_str();
        let waiting = file.writer.waiting();
        let pushed = file
            .writer
            .push_kind(said.reading.at, sensor, double(value, ""), kind);
        pushed.map_err(ArchiveError::columns(&file.part))?;
        self.waiting = self.waiting + file.writer.waiting() - waiting.min(self.waiting);
        self.readings += 1;
        if self.waiting > MAX_WAITING {
            for file in self.open.values_mut() {
                let flushed = file.writer.flush();
                flushed.map_err(ArchiveError::columns(&file.part))?;
            }
            self.waiting = 0;
        }
        Ok(())
    }

    /// Puts the files in their places, safe from a power cut.
    fn close(&mut self) -> Result<(), ArchiveError> {
        for (_, file) in std::mem::take(&mut self.open) {
            file.finish()?;
            self.written += 1;
        }
        self.waiting = 0;
        Ok(())
    }
}

impl OpenFile {
    fn create(archive: &Path, part: &Part) -> Result<Self, ArchiveError> {
        let folder = part.folder(archive);
        make(&folder)?;
        let path = folder.join(part.file_name());
        let part = folder.join(format!(".{}.part", part.file_name()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&part).map_err(ArchiveError::io(&part))?;
        let writer = Writer::with_kinds(BufWriter::new(file));
        let writer = writer.map_err(ArchiveError::columns(&part))?;
        Ok(Self { part, path, writer })
    }

    fn finish(self) -> Result<(), ArchiveError> {
        let Self { part, path, writer } = self;
        let mut out = writer.finish().map_err(ArchiveError::columns(&part))?;
        let mut end = || -> std::io::Result<()> {
            out.flush()?;
            out.get_ref().sync_all()?;
            fs::rename(&part, &path)?;
            path.parent().map_or(Ok(()), sync_dir)
        };
        end().map_err(ArchiveError::io(&path))
    }
}
