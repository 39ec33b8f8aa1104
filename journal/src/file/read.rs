//! How a journal is read, by its writer and for an export: no body is handed on unchecked.

use std::path::{Path, PathBuf};

use harit_engine::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row};

use super::{APPLICATION_ID, SCHEMA, checksum, to_i64, to_u64};
use crate::{Each, JournalError, JournalRead, StoredBatch};

/// What a shard's journal file has stored. Open for reading only it serves an export, also beside a running server.
#[derive(Debug)]
pub struct JournalReader {
    pub(super) db: Connection,
    pub(super) path: PathBuf,
    name: String,
}

pub(super) fn sql(path: &Path) -> impl Fn(rusqlite::Error) -> JournalError + '_ {
    move |source| JournalError::Storage {
        name: path.display().to_string(),
        source: source.into(),
    }
}

impl JournalReader {
    /// Opens a journal for reading.
    ///
    /// # Errors
    /// When it is missing, or no journal of this version.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        Self::open_for(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    /// Opens a journal of this version, for reading or for writing.
    pub(super) fn open_for(path: &Path, access: OpenFlags) -> Result<Self, JournalError> {
        if !path.exists() {
            return Err(JournalError::Missing {
                name: path.display().to_string(),
                otherwise: ", or move the data directory away to begin anew".to_owned(),
            });
        }
        let db = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(sql(path))?;
        check_version(&db, path)?;
        Ok(Self::of(db, path))
    }

    pub(super) fn of(db: Connection, path: &Path) -> Self {
        Self {
            db,
            path: path.to_owned(),
            name: path.display().to_string(),
        }
    }

    pub(super) fn failed(&self, source: rusqlite::Error) -> JournalError {
        sql(&self.path)(source)
    }

    /// The number of the newest batch or snapshot; 0 if there is none.
    pub(super) fn max_seq(&self) -> Result<u64, JournalError> {
        self.number("SELECT max((SELECT coalesce(max(seq), 0) FROM batch), (SELECT coalesce(max(seq), 0) FROM snapshot))")
            .map(Option::unwrap_or_default)
    }

    fn number(&self, query: &str) -> Result<Option<u64>, JournalError> {
        let n: Option<i64> = self
            .db
            .query_row(query, [], |r| r.get(0))
            .map_err(|e| self.failed(e))?;
        Ok(n.map(to_u64))
    }

    /// A batch by its number; damaged is an error within.
    pub(super) fn batch(
        &self,
        seq: u64,
    ) -> Result<Option<Result<StoredBatch, JournalError>>, JournalError> {
        let mut statement = self
            .db
            .prepare("SELECT seq, at, crc, body FROM batch WHERE seq = ?1")
            .map_err(|e| self.failed(e))?;
        let mut rows = statement.query([to_i64(seq)]).map_err(|e| self.failed(e))?;
        let row = rows.next().map_err(|e| self.failed(e))?;
        row.map(|row| self.stored_batch(row)).transpose()
    }

    /// A row of `seq, at, crc, body`; damaged is an error within.
    fn stored_batch(
        &self,
        row: &Row<'_>,
    ) -> Result<Result<StoredBatch, JournalError>, JournalError> {
        let read = || Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        let (seq, at, crc, body): (i64, i64, i64, Vec<u8>) = read().map_err(|e| self.failed(e))?;
        let (seq, at) = (to_u64(seq), Timestamp::from_millis(at));
        if i64::from(checksum(seq, at, &body)) != crc {
            return Ok(Err(self.damaged(format!("batch {seq}"))));
        }
        Ok(Ok(StoredBatch { seq, at, body }))
    }

    fn damaged(&self, what: String) -> JournalError {
        JournalError::Damaged {
            name: self.name.clone(),
            what,
        }
    }
}

impl JournalRead for JournalReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn before_first(&self) -> Result<u64, JournalError> {
        match self.number("SELECT min(seq) - 1 FROM batch")? {
            Some(before) => Ok(before),
            None => self.max_seq(),
        }
    }

    fn read(&self, after: u64, through: u64, each: Each<'_>) -> Result<(), JournalError> {
        // What is the first may change meanwhile, but not within a statement.
        let mut statement = self
            .db
            .prepare(
                "SELECT seq, at, crc, body, (SELECT min(seq) FROM batch) FROM batch
                 WHERE seq > ?1 AND seq <= ?2 ORDER BY seq",
            )
            .map_err(|e| self.failed(e))?;
        let mut rows = statement
            .query([to_i64(after), to_i64(through)])
            .map_err(|e| self.failed(e))?;
        let mut before = after;
        while let Some(row) = rows.next().map_err(|e| self.failed(e))? {
            let batch = self.stored_batch(row)??;
            let first = to_u64(row.get(4).map_err(|e| self.failed(e))?);
            if batch.seq != first.max(before + 1) {
                return Err(self.damaged(format!("a batch before {} is missing", batch.seq)));
            }
            before = batch.seq;
            if each(batch).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn snapshots(&self) -> Result<Vec<(u64, Timestamp)>, JournalError> {
        let read = || {
            let mut statement = self
                .db
                .prepare("SELECT seq, at FROM snapshot ORDER BY seq DESC")?;
            let rows = statement.query_map([], |r| {
                Ok((to_u64(r.get(0)?), Timestamp::from_millis(r.get(1)?)))
            })?;
            rows.collect::<Result<_, _>>()
        };
        read().map_err(|e| self.failed(e))
    }

    fn snapshot(&self, seq: u64) -> Result<Vec<u8>, JournalError> {
        let stored: Option<(i64, i64, Vec<u8>)> = self
            .db
            .query_row(
                "SELECT at, crc, body FROM snapshot WHERE seq = ?1",
                [to_i64(seq)],
                |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)),
            )
            .optional()
            .map_err(|e| self.failed(e))?;
        let missing = || self.damaged(format!("snapshot {seq} is missing"));
        let (at, crc, body) = stored.ok_or_else(missing)?;
        if i64::from(checksum(seq, Timestamp::from_millis(at), &body)) != crc {
            return Err(self.damaged(format!("snapshot {seq}")));
        }
        Ok(body)
    }
}

fn check_version(db: &Connection, path: &Path) -> Result<(), JournalError> {
    let pragma = |name| {
        db.pragma_query_value(None, name, |r| r.get::<_, i64>(0))
            .map_err(sql(path))
    };
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    if application != APPLICATION_ID || version == 0 || version > SCHEMA {
        return Err(JournalError::Version {
            path: path.to_owned(),
            application,
            version,
        });
    }
    Ok(())
}
