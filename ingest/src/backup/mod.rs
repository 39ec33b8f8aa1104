//! A copy of a data directory beside a running server, in an order that makes it whole.
//!
//! Each database is copied as of one instant. The ends of the audit log come before the records, so that the records never end
//! before them; the records and the history come before the journal, so that the journal has every farm of the records and
//! everything that the history counts as its own; the archive comes after the journal, so that it has what the journal does not
//! keep any more. The file that says which journal counts comes last: a copy that was interrupted is refused, and not taken for
//! an empty server.

mod pages;
mod state;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use harit_journal::{Generation, shard_file};
use rusqlite::{Connection, OpenFlags};
use thiserror::Error;

pub use pages::{copy_pages, integrity};
pub use state::{FoldFrom, ShardState, StateError, fold};

/// The databases that come first, in order. Others follow, then the journal's.
const DATABASES: [&str; 2] = ["records.db", "history.db"];
/// Files of one process, or of one copy; a copy has records and journals as files, and says of neither that they are elsewhere.
const OWN: [&str; 4] = ["LOCK", RESTORING, "records.url", "journal.url"];
/// What lies beside a database, and what is not finished.
const PASSING: [&str; 5] = ["-wal", "-shm", "-journal", ".new", ".tmp"];
/// How far the archive goes, in its folder.
const ARCHIVED: &str = "_archived.json";
/// Which journal counts.
pub const CURRENT: &str = "journal/CURRENT";
/// In a data directory that is being restored, or could not be.
pub const RESTORING: &str = "RESTORING";
/// How long a database that is being written may keep a reader waiting.
const BUSY: Duration = Duration::from_secs(10);

/// What was copied.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Copied {
    /// How many files.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: u64,
}

/// The data directory could not be copied.
#[derive(Debug, Error)]
pub enum BackupError {
    /// There is nothing to copy.
    #[error("{0} is no data directory of a server: it has no journal/CURRENT")]
    NoData(PathBuf),
    /// The copy would be mixed with something else.
    #[error("{0} is not empty: a backup goes into a directory of its own")]
    NotEmpty(PathBuf),
    /// The server made a key or a new journal meanwhile, or trimmed what was being copied.
    #[error(
        "the server made a key, was started with another number of shards, or trimmed its journal, meanwhile: try again"
    )]
    Changed,
    /// It was half restored.
    #[error("{0} was not restored to the end: it has a file RESTORING")]
    HalfRestored(PathBuf),
    /// A name that is no text.
    #[error("{0}: its name is no text, and cannot be written down")]
    Name(PathBuf),
    /// Who asked for it does not want it any more.
    #[error("it was stopped")]
    Stopped,
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The records are elsewhere, and could not be read there.
    #[error("the records: {0}")]
    Records(Box<dyn std::error::Error + Send + Sync>),
    /// The journals are elsewhere, and could not be read there.
    #[error("the journals: {0}")]
    Journals(Box<dyn std::error::Error + Send + Sync>),
    /// SQLite refused.
    #[error("{path}: {source}")]
    Sqlite {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
}

/// What takes the parts of a data directory.
pub trait Taker {
    /// Why it cannot take one.
    type Error: From<BackupError>;

    /// A file, read whole. `name` is its path in the data directory, with `/` between the parts.
    ///
    /// # Errors
    /// When it cannot be taken.
    fn file(&mut self, name: &str, from: &Path) -> Result<(), Self::Error>;

    /// A file that is never changed once it is there.
    ///
    /// # Errors
    /// When it cannot be taken.
    fn unchanging(&mut self, name: &str, from: &Path) -> Result<(), Self::Error>;

    /// A database, as of one instant. Of a journal that counts, `shard` says whose it is.
    ///
    /// # Errors
    /// When it cannot be taken.
    fn database(
        &mut self,
        name: &str,
        from: &Path,
        shard: Option<usize>,
    ) -> Result<(), Self::Error>;
}

/// Makes files of what is in none, and says where it put them.
pub type MakeFiles<'a> = &'a dyn Fn() -> Result<PathBuf, BackupError>;

/// What of a server is not in its data directory. A copy has it all the same.
#[derive(Clone, Copy, Default)]
pub struct FromElsewhere<'a> {
    /// Makes the file of the records, as of one instant.
    pub records: Option<MakeFiles<'a>>,
    /// Makes a data directory that has the journals and nothing else.
    pub journals: Option<MakeFiles<'a>>,
}

/// Gives all that a data directory has to `taker`, in order, and what is elsewhere. A server may run meanwhile. Returns which journals count.
///
/// # Errors
/// When there is no server's data, something cannot be read or taken, or the server began new journals meanwhile.
pub fn take<T: Taker>(
    data_dir: &Path,
    elsewhere: FromElsewhere<'_>,
    taker: &mut T,
) -> Result<Generation, T::Error> {
    let before = match elsewhere.journals {
        None => Some(pointer(data_dir)?),
        Some(_) => None,
    };
    if data_dir.join(RESTORING).exists() {
        return Err(BackupError::HalfRestored(data_dir.to_owned()).into());
    }
    let (files, databases) = top_level(data_dir)?;
    for name in &files {
        taker.file(name, &data_dir.join(name))?;
    }
    if let Some(records) = elsewhere.records {
        taker.database(DATABASES[0], &records()?, None)?;
    }
    for name in databases {
        taker.database(&name, &data_dir.join(&name), None)?;
    }
    if top_level(data_dir)?
        .0
        .iter()
        .any(|name| !files.contains(name))
    {
        // A key, or the ends of the audit log, that is needed by what came after it into the records.
        return Err(BackupError::Changed.into());
    }
    let copied = elsewhere.journals.map(|copy| copy()).transpose()?;
    let with_journals = copied.as_deref().unwrap_or(data_dir);
    let counts = before.map_or_else(|| pointer(with_journals), Ok)?;
    let current = with_journals.join(CURRENT);
    let generation = serde_json::from_slice(&counts).map_err(|e| at(&current)(e.into()))?;
    journals(with_journals, generation, taker)?;
    archive(data_dir, taker)?;
    if pointer(with_journals)? != counts {
        return Err(BackupError::Changed.into());
    }
    taker.file(CURRENT, &current)?;
    Ok(generation)
}

/// What says which journals of a data directory count.
fn pointer(data_dir: &Path) -> Result<Vec<u8>, BackupError> {
    let path = data_dir.join(CURRENT);
    fs::read(&path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => BackupError::NoData(data_dir.to_owned()),
        _ => at(&path)(e),
    })
}

/// The names of all files in the data directory itself, without those that only a process has, and of the databases, in order.
fn top_level(data_dir: &Path) -> Result<(Vec<String>, Vec<String>), BackupError> {
    let (mut files, mut databases) = (Vec::new(), Vec::new());
    for path in entries(data_dir)?.iter().filter(|p| p.is_file()) {
        let name = name_of(path)?;
        if is_database(path) {
            databases.push(name);
        } else if !OWN.contains(&name.as_str()) && !PASSING.iter().any(|end| name.ends_with(end)) {
            files.push(name);
        }
    }
    databases.sort_by_key(|name| {
        DATABASES
            .iter()
            .position(|d| d == name)
            .unwrap_or(DATABASES.len())
    });
    Ok((files, databases))
}

/// The journals of all generations: older ones are kept for export.
fn journals<T: Taker>(data_dir: &Path, current: Generation, taker: &mut T) -> Result<(), T::Error> {
    let of_shard = |path: &Path| {
        let file = |shard: &usize| shard_file(data_dir, current.generation, *shard) == path;
        (0..current.shards).find(file)
    };
    for folder in entries(&data_dir.join("journal"))?
        .iter()
        .filter(|p| p.is_dir())
    {
        for path in entries(folder)?.iter().filter(|p| is_database(p)) {
            let name = |path: &Path| -> Result<String, BackupError> {
                Ok(format!("journal/{}/{}", name_of(folder)?, name_of(path)?))
            };
            // What was acknowledged is in a copy that is made after it was noted.
            let mark = path.with_extension("mark");
            if mark.exists() {
                taker.file(&name(&mark)?, &mark)?;
            }
            taker.database(&name(path)?, path, of_shard(path))?;
        }
    }
    Ok(())
}

/// Readings of days past, a folder a farm and in it one a day. The file that says how far they go comes before them. One that is
/// removed meanwhile is too old.
fn archive<T: Taker>(data_dir: &Path, taker: &mut T) -> Result<(), T::Error> {
    let archive = data_dir.join("archive");
    if !archive.is_dir() {
        return Ok(());
    }
    let positions = archive.join(ARCHIVED);
    if positions.exists() {
        taker.file(&format!("archive/{ARCHIVED}"), &positions)?;
    }
    let folders = |of: &Path| -> Result<Vec<PathBuf>, BackupError> {
        let mut all = entries(of)?;
        all.retain(|p| p.is_dir());
        Ok(all)
    };
    for farm in folders(&archive)? {
        for day in folders(&farm)? {
            let (farm, day_name) = (name_of(&farm)?, name_of(&day)?);
            // The day may be gone by now.
            for file in entries(&day).unwrap_or_default() {
                if file.extension().is_none_or(|e| e != "parquet") {
                    continue;
                }
                let name = format!("archive/{farm}/{day_name}/{}", name_of(&file)?);
                match taker.unchanging(&name, &file) {
                    Err(_) if !file.exists() => {}
                    taken => taken?,
                }
            }
        }
    }
    Ok(())
}

fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "db")
}

fn name_of(path: &Path) -> Result<String, BackupError> {
    let name = path.file_name().and_then(|n| n.to_str());
    let none = || BackupError::Name(path.to_owned());
    name.map(str::to_owned).ok_or_else(none)
}

/// Copies all that a data directory has into `out`, which is made, and what is elsewhere. A server may run meanwhile.
///
/// # Errors
/// When `out` has something in it, or something cannot be read or written; what was copied until then stays.
pub fn backup(
    data_dir: &Path,
    elsewhere: FromElsewhere<'_>,
    out: &Path,
) -> Result<Copied, BackupError> {
    if elsewhere.journals.is_none() {
        pointer(data_dir)?;
    }
    make(out)?;
    if fs::read_dir(out).map_err(at(out))?.next().is_some() {
        return Err(BackupError::NotEmpty(out.to_owned()));
    }
    let mut copy = Copy {
        out,
        copied: Copied::default(),
    };
    take(data_dir, elsewhere, &mut copy)?;
    Ok(copy.copied)
}

/// A directory that is like the data directory.
struct Copy<'a> {
    out: &'a Path,
    copied: Copied,
}

impl Taker for Copy<'_> {
    type Error = BackupError;

    fn file(&mut self, name: &str, from: &Path) -> Result<(), BackupError> {
        let to = self.place(name)?;
        let bytes = fs::read(from).map_err(at(from))?;
        write(&to, &bytes).map_err(at(&to))?;
        self.count(bytes.len() as u64);
        Ok(())
    }

    fn unchanging(&mut self, name: &str, from: &Path) -> Result<(), BackupError> {
        self.file(name, from)
    }

    fn database(&mut self, name: &str, from: &Path, _: Option<usize>) -> Result<(), BackupError> {
        let to = self.place(name)?;
        let sqlite = |source| BackupError::Sqlite {
            path: from.to_owned(),
            source,
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(from, flags).map_err(sqlite)?;
        db.busy_timeout(BUSY).map_err(sqlite)?;
        // The file exists before SQLite fills it, so that nobody else may read it from the first byte on.
        write(&to, b"").map_err(at(&to))?;
        db.execute("VACUUM INTO ?1", [to.to_string_lossy()])
            .map_err(sqlite)?;
        let copy = fs::File::open(&to).map_err(at(&to))?;
        copy.sync_all().map_err(at(&to))?;
        self.count(copy.metadata().map_err(at(&to))?.len());
        Ok(())
    }
}

impl Copy<'_> {
    /// Where a file goes; the directories above it are made.
    fn place(&self, name: &str) -> Result<PathBuf, BackupError> {
        let to = self.out.join(name);
        to.parent().map_or(Ok(()), make)?;
        Ok(to)
    }

    const fn count(&mut self, bytes: u64) {
        self.copied.files += 1;
        self.copied.bytes += bytes;
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::Io { path, source }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, BackupError> {
    let all = fs::read_dir(folder).map_err(at(folder))?;
    let mut all = all
        .map(|entry| entry.map(|e| e.path()))
        .collect::<io::Result<Vec<_>>>()
        .map_err(at(folder))?;
    all.sort();
    Ok(all)
}

/// A directory that only its owner reads.
fn make(folder: &Path) -> Result<(), BackupError> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder).map_err(at(folder))
}

/// A file that only its owner reads.
fn write(to: &Path, bytes: &[u8]) -> io::Result<()> {
    use io::Write;

    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(to)?;
    file.write_all(bytes)?;
    file.sync_all()
}
