//! How a journal is read, by its writer and for an export: no body is handed on unchecked.

use std::path::{Path, PathBuf};

use harit_engine::Timestamp;
use rusqlite::{Connection, OpenFlags};

use super::{APPLICATION_ID, SCHEMA, StoredBatch, checksum, sql, to_i64, to_u64};
use crate::journal::JournalError;

pub(super) fn verify(
    path: &Path,
    seq: i64,
    at: i64,
    crc: i64,
    body: Vec<u8>,
) -> Result<StoredBatch, JournalError> {
    let (seq, at) = (to_u64(seq), Timestamp::from_millis(at));
    if i64::from(checksum(seq, at, &body)) != crc {
        return Err(JournalError::Damaged {
            path: path.to_owned(),
            what: format!("batch {seq}"),
        });
    }
    Ok(StoredBatch { seq, at, body })
}

pub(super) fn check_version(db: &Connection, path: &Path) -> Result<(), JournalError> {
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

pub(super) fn read_after<E: From<JournalError>>(
    db: &Connection,
    path: &Path,
    seq: u64,
    each: &mut impl FnMut(StoredBatch) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = db
        .prepare("SELECT seq, at, crc, body FROM batch WHERE seq > ?1 ORDER BY seq")
        .map_err(sql(path))?;
    let mut rows = statement.query([to_i64(seq)]).map_err(sql(path))?;
    let mut expected = None;
    while let Some(row) = rows.next().map_err(sql(path))? {
        let column = |e| sql(path)(e);
        let batch = verify(
            path,
            row.get(0).map_err(column)?,
            row.get(1).map_err(column)?,
            row.get(2).map_err(column)?,
            row.get(3).map_err(column)?,
        )?;
        if expected.is_some_and(|e| e != batch.seq) {
            return Err(JournalError::Damaged {
                path: path.to_owned(),
                what: format!("a batch before {} is missing", batch.seq),
            }
            .into());
        }
        expected = Some(batch.seq + 1);
        each(batch)?;
    }
    Ok(())
}

pub(super) fn snapshots(db: &Connection) -> rusqlite::Result<Vec<(u64, Timestamp)>> {
    let mut statement = db.prepare("SELECT seq, at FROM snapshot ORDER BY seq DESC")?;
    let rows = statement.query_map([], |r| {
        Ok((to_u64(r.get(0)?), Timestamp::from_millis(r.get(1)?)))
    })?;
    rows.collect()
}

pub(super) fn snapshot(db: &Connection, path: &Path, seq: u64) -> Result<Vec<u8>, JournalError> {
    let (at, crc, body): (i64, i64, Vec<u8>) = db
        .query_row(
            "SELECT at, crc, body FROM snapshot WHERE seq = ?1",
            [to_i64(seq)],
            |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)),
        )
        .map_err(sql(path))?;
    if i64::from(checksum(seq, Timestamp::from_millis(at), &body)) != crc {
        return Err(JournalError::Damaged {
            path: path.to_owned(),
            what: format!("snapshot {seq}"),
        });
    }
    Ok(body)
}

/// A shard's journal, open for reading only: for an export, also beside a running server.
pub(crate) struct JournalReader {
    db: Connection,
    path: PathBuf,
}

impl JournalReader {
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        if !path.exists() {
            return Err(JournalError::Missing(path.to_owned()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(path, flags).map_err(sql(path))?;
        db.busy_timeout(std::time::Duration::from_secs(5))
            .map_err(sql(path))?;
        check_version(&db, path)?;
        Ok(Self {
            db,
            path: path.to_owned(),
        })
    }

    pub(crate) fn read_after<E: From<JournalError>>(
        &self,
        seq: u64,
        mut each: impl FnMut(StoredBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        read_after(&self.db, &self.path, seq, &mut each)
    }

    pub(crate) fn before_first(&self) -> Result<u64, JournalError> {
        let first: Option<i64> = self
            .db
            .query_row("SELECT min(seq) FROM batch", [], |r| r.get(0))
            .map_err(sql(&self.path))?;
        Ok(first.map_or(0, |f| to_u64(f - 1)))
    }

    pub(crate) fn snapshots(&self) -> Result<Vec<(u64, Timestamp)>, JournalError> {
        snapshots(&self.db).map_err(sql(&self.path))
    }

    pub(crate) fn snapshot(&self, seq: u64) -> Result<Vec<u8>, JournalError> {
        snapshot(&self.db, &self.path, seq)
    }
}
