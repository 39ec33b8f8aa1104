//! One shard's journal: a SQLite file with a row a batch, beside it a mark of what was acknowledged.
//!
//! SQLite drops a transaction that was cut off while it was written, which is right: nobody was told that it is durable. But
//! it drops a *damaged* tail of its write-ahead log in the same way, acknowledged or not. So after each commit the batch's
//! number goes into a mark of a few bytes (not synced: after a crash of the process it is exact, after a power loss it may
//! be older, never newer than what was durable). A journal that ends before its mark has lost something, and says so.

mod mark;
mod read;
mod room;
#[cfg(test)]
mod tests;

use std::path::Path;

use harit_engine::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags, params};

use crate::journal::checksum;
use crate::{Each, Journal, JournalError, JournalRead, WriteError};
use mark::Mark;
pub use read::JournalReader;

/// "HarJ": what the file is, in SQLite's header.
const APPLICATION_ID: i64 = 0x4861_724a;
/// The version of the tables. A newer one is refused.
const SCHEMA: i64 = 1;
/// After so many pages the write-ahead log goes into the file: some milliseconds for which nothing else is journaled.
const CHECKPOINT_PAGES: i64 = 1_000;

const TABLES: &str = "
CREATE TABLE batch (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, entries INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL);
CREATE TABLE snapshot (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL);
";

/// A shard's journal in a file, open for writing.
#[derive(Debug)]
pub struct JournalFile {
    /// The file itself; what is stored is read through it.
    stored: JournalReader,
    mark: Mark,
    last: u64,
    /// Whether room is kept back, or was tried in vain.
    reserved: bool,
}

fn to_i64(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn to_u64(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

/// What the caller is to do after SQLite refused a write. A failed sync may have lost what was written before it, and a second
/// one may say that all is well: after that only a restart is safe.
fn refused(e: &rusqlite::Error) -> WriteError {
    const IOERR_FSYNC: i32 = 1_034;
    const IOERR_DIR_FSYNC: i32 = 1_290;
    const IOERR_TRUNCATE: i32 = 1_546;
    let text = e.to_string();
    match (
        e.sqlite_error_code(),
        e.sqlite_error().map(|e| e.extended_code),
    ) {
        (Some(ErrorCode::DiskFull), _) => WriteError::Full(text),
        (Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase), _)
        | (_, Some(IOERR_FSYNC | IOERR_DIR_FSYNC | IOERR_TRUNCATE)) => WriteError::Broken(text),
        _ => WriteError::Unavailable(text),
    }
}

impl JournalFile {
    /// Creates an empty journal.
    ///
    /// # Errors
    /// When the file is there already, or cannot be written.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let db = Connection::open(path).map_err(read::sql(path))?;
        // Only an empty file takes it, and the next setting writes to it.
        db.pragma_update(None, "auto_vacuum", "INCREMENTAL")
            .map_err(read::sql(path))?;
        Self::configure(&db).map_err(read::sql(path))?;
        db.execute_batch(&format!("BEGIN; {TABLES} PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA}; COMMIT;"))
            .map_err(read::sql(path))?;
        let mark = Mark::open(path)?;
        mark.write(0).map_err(|source| JournalError::Io {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            stored: JournalReader::of(db, path),
            mark,
            last: 0,
            reserved: false,
        })
    }

    /// Opens an existing journal and checks its end.
    ///
    /// # Errors
    /// When it is missing, no journal of this version, damaged, or has lost what was acknowledged.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let stored = JournalReader::open_for(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        Self::configure(&stored.db).map_err(read::sql(path))?;
        let mark = Mark::open(path)?;
        let acknowledged = mark.read();
        let mut journal = Self {
            stored,
            mark,
            last: 0,
            reserved: false,
        };
        journal.last = journal.check_tail(acknowledged)?;
        Ok(journal)
    }

    /// Lowers the mark of a journal that ends before it.
    pub(crate) fn accept_loss(path: &Path) -> Result<(), JournalError> {
        let stored = JournalReader::open_for(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let (last, mark) = (stored.max_seq()?, Mark::open(path)?);
        if mark.read().is_none_or(|acknowledged| acknowledged <= last) {
            return Ok(());
        }
        mark.write(last).map_err(|source| JournalError::Io {
            path: path.to_owned(),
            source,
        })
    }

    /// Whether a file was cut off while it was made: it is a database without a table.
    pub(crate) fn is_unfinished(path: &Path) -> bool {
        const TABLES: &str = "SELECT count(*) FROM sqlite_master";
        let tables = |db: Connection| db.query_row(TABLES, [], |r| r.get::<_, i64>(0));
        let access = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let tables = Connection::open_with_flags(path, access).and_then(tables);
        tables.is_ok_and(|tables| tables == 0)
    }

    fn configure(db: &Connection) -> rusqlite::Result<()> {
        db.busy_timeout(std::time::Duration::from_secs(1))?;
        db.pragma_update(None, "journal_mode", "WAL")?;
        db.pragma_update(None, "synchronous", "FULL")?;
        db.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)
    }

    /// Leaves it to the system when batches reach the disk: a crash of the machine may then damage the file.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn leave_unsynced(&self) -> Result<(), JournalError> {
        let set = self.stored.db.pragma_update(None, "synchronous", "OFF");
        set.map_err(|e| self.stored.failed(e))
    }

    fn check_tail(&self, acknowledged: Option<u64>) -> Result<u64, JournalError> {
        let last = self.stored.max_seq()?;
        if let Some(mark) = acknowledged.filter(|m| *m > last) {
            return Err(JournalError::Lost {
                name: self.name().to_owned(),
                last,
                acknowledged: mark,
            });
        }
        let Some(tail) = self.stored.batch(last)? else {
            return Ok(last);
        };
        match tail {
            Ok(_) => Ok(last),
            // Never acknowledged, so nobody counts on it.
            Err(_) if acknowledged.is_some_and(|mark| mark < last) => {
                tracing::warn!(
                    path = %self.name(),
                    seq = last,
                    "the last batch is damaged and was never acknowledged: dropped"
                );
                self.stored
                    .db
                    .execute("DELETE FROM batch WHERE seq = ?1", [to_i64(last)])
                    .map_err(|e| self.stored.failed(e))?;
                self.stored.max_seq()
            }
            Err(e) => Err(e),
        }
    }

    fn insert(
        &self,
        seq: u64,
        at: Timestamp,
        entries: u64,
        body: &[u8],
    ) -> rusqlite::Result<usize> {
        self.stored
            .db
            .prepare_cached(
                "INSERT INTO batch (seq, at, entries, crc, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                to_i64(seq),
                at.as_millis(),
                to_i64(entries),
                i64::from(checksum(seq, at, body)),
                body
            ])
    }

    /// How an append ends that is not at the end: well where it is repeated.
    fn elsewhere(&self, after: u64, at: Timestamp, body: &[u8]) -> Result<u64, WriteError> {
        let last = self.stored.max_seq().unwrap_or(self.last);
        match self.stored.batch(last) {
            Ok(Some(Ok(b)))
                if last.checked_sub(1) == Some(after) && b.at == at && b.body == body =>
            {
                Ok(last)
            }
            _ => Err(WriteError::Fenced { after, last }),
        }
    }
}

impl JournalRead for JournalFile {
    fn name(&self) -> &str {
        self.stored.name()
    }

    fn before_first(&self) -> Result<u64, JournalError> {
        self.stored.before_first()
    }

    fn read(&self, after: u64, through: u64, each: Each<'_>) -> Result<(), JournalError> {
        self.stored.read(after, through, each)
    }

    fn snapshots(&self) -> Result<Vec<(u64, Timestamp)>, JournalError> {
        self.stored.snapshots()
    }

    fn snapshot(&self, seq: u64) -> Result<Vec<u8>, JournalError> {
        self.stored.snapshot(seq)
    }
}

impl Journal for JournalFile {
    fn last(&self) -> u64 {
        self.last
    }

    fn append(
        &mut self,
        after: u64,
        at: Timestamp,
        entries: u64,
        body: &[u8],
    ) -> Result<u64, WriteError> {
        if after != self.last {
            return self.elsewhere(after, at, body);
        }
        let seq = after + 1;
        match self.insert(seq, at, entries, body) {
            Ok(_) => {}
            // There is one of that number.
            Err(e) if e.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                self.elsewhere(after, at, body)?;
            }
            Err(e) => return Err(refused(&e)),
        }
        self.last = seq;
        if let Err(e) = self.mark.write(seq) {
            // Only the check for a damaged tail suffers.
            tracing::warn!(path = %self.name(), error = %e, "the journal's mark could not be written");
        }
        Ok(seq)
    }

    fn put_snapshot(&mut self, seq: u64, at: Timestamp, body: &[u8]) -> Result<(), WriteError> {
        let put = self.stored.db.execute(
            "INSERT OR REPLACE INTO snapshot (seq, at, crc, body) VALUES (?1, ?2, ?3, ?4)",
            params![
                to_i64(seq),
                at.as_millis(),
                i64::from(checksum(seq, at, body)),
                body
            ],
        );
        put.map_err(|e| refused(&e))?;
        self.reserved = false;
        self.last = self.last.max(seq);
        Ok(())
    }

    fn delete_snapshot(&mut self, seq: u64) -> Result<(), WriteError> {
        let delete = "DELETE FROM snapshot WHERE seq = ?1";
        let deleted = self.stored.db.execute(delete, [to_i64(seq)]);
        deleted.map(|_| ()).map_err(|e| refused(&e))
    }

    fn trim(&mut self, through: u64) -> Result<bool, WriteError> {
        self.trim_some(through).map_err(|e| refused(&e))
    }

    fn bytes(&self) -> u64 {
        self.bytes_used()
    }

    fn keep_reserve(&mut self) -> Result<(), WriteError> {
        self.reserve_room()
    }

    fn give_up_reserve(&mut self) -> bool {
        self.free_reserve()
    }
}
