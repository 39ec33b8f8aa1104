//! A copy of a data directory beside a running server, in an order that makes it whole.
//!
//! Each database is copied as of one instant. The ends of the audit log come before the records, so that the records never end
//! before them; the records and the history come before the journal, so that the journal has every farm of the records and
//! everything that the history counts as its own. The file that says which journal counts comes last: a copy that was
//! interrupted is refused, and not taken for an empty server.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use thiserror::Error;

/// What is copied as it is, before the databases. Not all of it is there in every version.
const FILES: [&str; 5] = ["audit.heads", "audit.key", "codes.key", "push.key", "DEMO"];
/// The databases, in order; the journal's come after them.
const DATABASES: [&str; 2] = ["records.db", "history.db"];
/// Which journal counts.
const CURRENT: &str = "journal/CURRENT";
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
    /// The server began a new journal meanwhile.
    #[error("the server was started with another number of shards meanwhile: try again")]
    Changed,
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// SQLite refused.
    #[error("{path}: {source}")]
    Sqlite {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
}

/// Copies all that a data directory has into `out`, which is made. A server may run meanwhile.
///
/// # Errors
/// When `out` has something in it, or something cannot be read or written; what was copied until then stays.
pub fn backup(data_dir: &Path, out: &Path) -> Result<Copied, BackupError> {
    let current = data_dir.join(CURRENT);
    let pointer = match fs::read(&current) {
        Ok(pointer) => pointer,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Err(BackupError::NoData(data_dir.to_owned()));
        }
        Err(e) => return Err(at(&current)(e)),
    };
    make(out)?;
    if fs::read_dir(out).map_err(at(out))?.next().is_some() {
        return Err(BackupError::NotEmpty(out.to_owned()));
    }
    let mut copied = Copied::default();
    for name in FILES {
        if data_dir.join(name).exists() {
            copied.file(&data_dir.join(name), &out.join(name))?;
        }
    }
    for name in DATABASES {
        if data_dir.join(name).exists() {
            copied.database(&data_dir.join(name), &out.join(name))?;
        }
    }
    copied.journals(&data_dir.join("journal"), &out.join("journal"))?;
    if fs::read(&current).map_err(at(&current))? != pointer {
        return Err(BackupError::Changed);
    }
    copied.file(&current, &out.join(CURRENT))?;
    Ok(copied)
}

impl Copied {
    /// The journals of all generations: older ones are kept for export.
    fn journals(&mut self, from: &Path, to: &Path) -> Result<(), BackupError> {
        make(to)?;
        for generation in entries(from)? {
            if !generation.is_dir() {
                continue;
            }
            let folder = to.join(generation.file_name().unwrap_or_default());
            make(&folder)?;
            for file in entries(&generation)? {
                if file.extension().is_none_or(|e| e != "db") {
                    continue;
                }
                let copy = folder.join(file.file_name().unwrap_or_default());
                // What was acknowledged is in a copy that is made after it was noted.
                let mark = file.with_extension("mark");
                if mark.exists() {
                    self.file(&mark, &copy.with_extension("mark"))?;
                }
                self.database(&file, &copy)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, from: &Path, to: &Path) -> Result<(), BackupError> {
        let bytes = fs::read(from).map_err(at(from))?;
        write(to, &bytes).map_err(at(to))?;
        self.count(bytes.len() as u64);
        Ok(())
    }

    fn database(&mut self, from: &Path, to: &Path) -> Result<(), BackupError> {
        let sqlite = |source| BackupError::Sqlite {
            path: from.to_owned(),
            source,
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(from, flags).map_err(sqlite)?;
        db.busy_timeout(BUSY).map_err(sqlite)?;
        // The file exists before SQLite fills it, so that nobody else may read it from the first byte on.
        write(to, b"").map_err(at(to))?;
        db.execute("VACUUM INTO ?1", [to.to_string_lossy()])
            .map_err(sqlite)?;
        let copy = fs::File::open(to).map_err(at(to))?;
        copy.sync_all().map_err(at(to))?;
        self.count(copy.metadata().map_err(at(to))?.len());
        Ok(())
    }

    fn count(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
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
