//! One shard's journal: a SQLite file with a row a batch, beside it a mark of what was acknowledged.
//!
//! SQLite drops a transaction that was cut off while it was written, which is right: nobody was told that it is durable. But
//! it drops a *damaged* tail of its write-ahead log in the same way, acknowledged or not. So after each commit the batch's
//! number goes into a mark of a few bytes (not synced: after a crash of the process it is exact, after a power loss it may
//! be older, never newer than what was durable). A journal that ends before its mark has lost something, and says so.

mod read;

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::path::Path;

use harit_engine::Timestamp;
use rusqlite::{Connection, OpenFlags, params};

use super::JournalError;

pub(crate) use read::JournalReader;

/// "HarJ": what the file is, in SQLite's header.
const APPLICATION_ID: i64 = 0x4861_724a;
/// The version of the tables. A newer one is refused.
const SCHEMA: i64 = 1;
/// After so many pages the write-ahead log goes into the file.
const CHECKPOINT_PAGES: i64 = 4_000;
/// How many batches, and about how many bytes of them, one trimming removes at most, so that it never takes long.
const TRIM_CHUNK: i64 = 512;
const TRIM_BYTES: i64 = 4 << 20;
/// How many pages one trimming gives back to the disk at most, for the same reason.
const GIVEN_BACK: i64 = 512;
/// So many free pages stay with the file at least: they are written again soon.
const FREE_PAGES_KEPT: i64 = 4_096;

/// How much room is kept back for stops on a full disk: for some hundred of them, with what SQLite writes around each.
const RESERVE_BYTES: usize = 2 << 20;

const TABLES: &str = "
CREATE TABLE batch (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, entries INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL);
CREATE TABLE snapshot (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL);
";

/// A shard's journal, open for writing.
#[derive(Debug)]
pub(crate) struct JournalFile {
    /// The file itself; what is stored is read through it.
    stored: JournalReader,
    mark: File,
    last: u64,
    /// Whether room is kept back, or was tried in vain.
    reserved: bool,
}

impl Deref for JournalFile {
    type Target = JournalReader;

    fn deref(&self) -> &JournalReader {
        &self.stored
    }
}

/// A batch as it is stored.
pub(crate) struct StoredBatch {
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
    pub(crate) body: Vec<u8>,
}

pub(super) fn checksum(seq: u64, at: Timestamp, body: &[u8]) -> u32 {
    let mut h = crc32fast::Hasher::new();
    h.update(&seq.to_le_bytes());
    h.update(&at.as_millis().to_le_bytes());
    h.update(body);
    h.finalize()
}

/// What SQLite says of a full disk.
pub(super) fn disk_full() -> rusqlite::Error {
    let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
    rusqlite::Error::SqliteFailure(full, None)
}

fn sql(path: &Path) -> impl Fn(rusqlite::Error) -> JournalError + '_ {
    move |source| JournalError::Sqlite {
        path: path.to_owned(),
        source,
    }
}

fn to_i64(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn to_u64(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

impl JournalFile {
    /// Creates an empty journal.
    pub(crate) fn create(path: &Path) -> Result<Self, JournalError> {
        let db = Connection::open(path).map_err(sql(path))?;
        // Only an empty file takes it, and the next setting writes to it.
        db.pragma_update(None, "auto_vacuum", "INCREMENTAL")
            .map_err(sql(path))?;
        Self::configure(&db).map_err(sql(path))?;
        db.execute_batch(&format!("BEGIN; {TABLES} PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA}; COMMIT;"))
            .map_err(sql(path))?;
        let mark = open_mark(path)?;
        write_mark(&mark, 0).map_err(|source| JournalError::Io {
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
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let stored = JournalReader::open_for(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        Self::configure(&stored.db).map_err(sql(path))?;
        let mark = open_mark(path)?;
        let acknowledged = read_mark(&mark);
        let mut journal = Self {
            stored,
            mark,
            last: 0,
            reserved: false,
        };
        journal.last = journal.check_tail(acknowledged)?;
        Ok(journal)
    }

    fn configure(db: &Connection) -> rusqlite::Result<()> {
        db.busy_timeout(std::time::Duration::from_secs(1))?;
        db.pragma_update(None, "journal_mode", "WAL")?;
        db.pragma_update(None, "synchronous", "FULL")?;
        db.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)
    }

    /// Leaves it to the system when batches reach the disk: a crash of the machine may then damage the file.
    pub(crate) fn leave_unsynced(&self) -> Result<(), JournalError> {
        let set = self.stored.db.pragma_update(None, "synchronous", "OFF");
        set.map_err(sql(self.path()))
    }

    /// Gives up the room that is kept back for a stop on a full disk; false where there is none.
    pub(crate) fn give_up_reserve(&mut self) -> bool {
        self.reserved = false;
        std::fs::remove_file(self.reserve()).is_ok()
    }

    /// Keeps room back on the disk, if none is kept; looked at after each start, each snapshot and each stop that needed it.
    ///
    /// # Errors
    /// Where the disk has no room for it: what is left is for stops.
    pub(crate) fn keep_reserve(&mut self) -> rusqlite::Result<()> {
        if self.reserved {
            return Ok(());
        }
        let path = self.reserve();
        let has = std::fs::metadata(&path).is_ok_and(|m| m.len() >= RESERVE_BYTES as u64);
        // Not zeros: a file system may leave those out.
        if !has && let Err(error) = std::fs::write(&path, vec![0x5a; RESERVE_BYTES]) {
            let _ = std::fs::remove_file(&path);
            if matches!(
                error.kind(),
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded
            ) {
                return Err(disk_full());
            }
            tracing::warn!(path = %path.display(), %error, "no room is kept back for stops");
        }
        self.reserved = true;
        Ok(())
    }

    fn reserve(&self) -> std::path::PathBuf {
        self.stored.path().with_extension("reserve")
    }

    /// The number of the last batch; 0 if there is none.
    pub(crate) const fn last(&self) -> u64 {
        self.last
    }

    fn check_tail(&self, acknowledged: Option<u64>) -> Result<u64, JournalError> {
        let last = self.max_seq()?;
        if let Some(mark) = acknowledged.filter(|m| *m > last) {
            return Err(JournalError::Lost {
                path: self.path().to_owned(),
                last,
                acknowledged: mark,
            });
        }
        let Some(tail) = self.batch(last)? else {
            return Ok(last);
        };
        match tail {
            Ok(_) => Ok(last),
            // Never acknowledged, so nobody counts on it.
            Err(_) if acknowledged.is_some_and(|mark| mark < last) => {
                tracing::warn!(path = %self.path().display(), seq = last, "the last batch is damaged and was never acknowledged: dropped");
                self.stored
                    .db
                    .execute("DELETE FROM batch WHERE seq = ?1", [to_i64(last)])
                    .map_err(sql(self.path()))?;
                self.max_seq()
            }
            Err(e) => Err(e),
        }
    }

    /// Appends a batch and makes it durable. After an error the batch is not there.
    pub(crate) fn append(
        &mut self,
        at: Timestamp,
        entries: u64,
        body: &[u8],
    ) -> rusqlite::Result<u64> {
        let seq = self.last + 1;
        let crc = checksum(seq, at, body);
        self.stored
            .db
            .prepare_cached(
                "INSERT INTO batch (seq, at, entries, crc, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                to_i64(seq),
                at.as_millis(),
                to_i64(entries),
                i64::from(crc),
                body
            ])?;
        self.last = seq;
        if let Err(e) = write_mark(&self.mark, seq) {
            // Only the check for a damaged tail suffers.
            tracing::warn!(path = %self.path().display(), error = %e, "the journal's mark could not be written");
        }
        Ok(seq)
    }

    /// Stores what the engines were after batch `seq`.
    pub(crate) fn put_snapshot(
        &mut self,
        seq: u64,
        at: Timestamp,
        body: &[u8],
    ) -> rusqlite::Result<()> {
        self.stored.db.execute(
            "INSERT OR REPLACE INTO snapshot (seq, at, crc, body) VALUES (?1, ?2, ?3, ?4)",
            params![
                to_i64(seq),
                at.as_millis(),
                i64::from(checksum(seq, at, body)),
                body
            ],
        )?;
        self.reserved = false;
        self.last = self.last.max(seq);
        Ok(())
    }

    pub(crate) fn delete_snapshot(&mut self, seq: u64) -> rusqlite::Result<()> {
        self.stored
            .db
            .execute("DELETE FROM snapshot WHERE seq = ?1", [to_i64(seq)])
            .map(|_| ())
    }

    /// Removes some of the batches up to `seq`, and gives some of the room back; returns whether there may be more to do.
    pub(crate) fn trim(&mut self, seq: u64) -> rusqlite::Result<bool> {
        let oldest = self.oldest(seq)?;
        if let Some(last) = oldest {
            self.stored
                .db
                .execute("DELETE FROM batch WHERE seq <= ?1", [last])?;
        }
        Ok(self.give_back()? || oldest.is_some())
    }

    /// Up to which batch, and not beyond `seq`, one trimming goes; `None` where there is none.
    fn oldest(&self, seq: u64) -> rusqlite::Result<Option<i64>> {
        let mut statement = self.stored.db.prepare_cached(
            "SELECT seq, length(body) FROM batch WHERE seq <= ?1 ORDER BY seq LIMIT ?2",
        )?;
        let mut rows = statement.query([to_i64(seq), TRIM_CHUNK])?;
        let (mut last, mut bytes) = (None, 0);
        while bytes < TRIM_BYTES
            && let Some(row) = rows.next()?
        {
            last = Some(row.get(0)?);
            bytes += row.get::<_, i64>(1)?;
        }
        Ok(last)
    }

    /// Gives free pages back to the disk where more are free than in use, which is so after a peak, or when a limit was
    /// lowered: otherwise they are written again. Returns whether there are more to give.
    fn give_back(&self) -> rusqlite::Result<bool> {
        let free = self.pragma("freelist_count")?;
        let used = self.pragma("page_count")? - free;
        let spare = free - FREE_PAGES_KEPT.max(used);
        if spare <= 0 {
            return Ok(false);
        }
        let mut vacuum = self.stored.db.prepare(&format!(
            "PRAGMA incremental_vacuum({})",
            spare.min(GIVEN_BACK)
        ))?;
        // A row for each page, and a step for each row.
        let mut pages = vacuum.query([])?;
        while pages.next()?.is_some() {}
        Ok(spare > GIVEN_BACK && self.pragma("freelist_count")? < free)
    }

    fn pragma(&self, name: &str) -> rusqlite::Result<i64> {
        self.stored.db.pragma_query_value(None, name, |r| r.get(0))
    }

    /// The bytes of the stored batches, about.
    pub(crate) fn bytes(&self) -> u64 {
        let count = |what| self.pragma(what).unwrap_or(0);
        to_u64((count("page_count") - count("freelist_count")) * count("page_size"))
    }
}

fn open_mark(path: &Path) -> Result<File, JournalError> {
    let path = path.with_extension("mark");
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|source| JournalError::Io { path, source })
}

fn write_mark(mark: &File, seq: u64) -> std::io::Result<()> {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&seq.to_le_bytes());
    bytes[8..].copy_from_slice(&crc32fast::hash(&seq.to_le_bytes()).to_le_bytes());
    mark.write_all_at(&bytes, 0)
}

/// What was acknowledged at least; `None` where the mark itself cannot be read.
fn read_mark(mark: &File) -> Option<u64> {
    let mut bytes = [0; 12];
    mark.read_exact_at(&mut bytes, 0).ok()?;
    let (seq, crc) = bytes.split_at(8);
    let seq: [u8; 8] = seq.try_into().ok()?;
    (crc == crc32fast::hash(&seq).to_le_bytes()).then(|| u64::from_le_bytes(seq))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn written(dir: &Path, n: i64) -> PathBuf {
        let path = dir.join("shard-0.db");
        let mut j = JournalFile::create(&path).unwrap();
        for i in 1..=n {
            j.append(at(i), 1, format!("body {i}").as_bytes()).unwrap();
        }
        path
    }

    fn all(j: &JournalFile) -> Result<Vec<u64>, JournalError> {
        let mut seqs = vec![];
        j.read_after::<JournalError>(0, |b| {
            assert_eq!(b.body, format!("body {}", b.seq).as_bytes());
            seqs.push(b.seq);
            Ok(())
        })?;
        Ok(seqs)
    }

    #[test]
    fn what_was_appended_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = written(dir.path(), 3);
        let mut j = JournalFile::open(&path).unwrap();
        assert_eq!((j.last(), all(&j).unwrap()), (3, vec![1, 2, 3]));
        assert_eq!(j.append(at(4), 1, b"body 4").unwrap(), 4);
        j.put_snapshot(4, at(4), b"state").unwrap();
        assert_eq!([j.trim(2).unwrap(), j.trim(2).unwrap()], [true, false]);
        assert_eq!(
            (all(&j).unwrap(), j.before_first().unwrap()),
            (vec![3, 4], 2)
        );
        assert_eq!(j.snapshots().unwrap(), [(4, at(4))]);
        assert_eq!(j.snapshot(4).unwrap(), b"state");
        // Emptied by trimming, numbers go on after the snapshot.
        j.trim(4).unwrap();
        drop(j);
        let j = JournalFile::open(&path).unwrap();
        assert_eq!((j.last(), j.before_first().unwrap()), (4, 4));
        assert_eq!(
            JournalReader::open(&path).unwrap().before_first().unwrap(),
            4
        );
    }

    #[test]
    fn what_is_free_after_a_peak_is_given_back_to_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let path = written(dir.path(), 0);
        let size = || std::fs::metadata(&path).unwrap().len();
        let mut j = JournalFile::open(&path).unwrap();
        for i in 1..=32 {
            j.append(at(i), 1, &vec![7; 1 << 20]).unwrap();
        }
        drop(j);
        let peak = size();
        assert!(peak > 32 << 20, "{peak}");
        let mut j = JournalFile::open(&path).unwrap();
        assert!(j.trim(31).unwrap());
        assert_eq!(j.before_first().unwrap(), 4, "4 MiB at a time");
        while j.trim(31).unwrap() {}
        assert_eq!(j.before_first().unwrap(), 31);
        drop(j);
        // What stays is used, or is kept for the next batches.
        let kept = to_u64(FREE_PAGES_KEPT * 4_096);
        assert!(size() < kept + (2 << 20), "{} of {peak}", size());
        assert!(size() > kept, "{} of {peak}", size());
    }

    #[test]
    fn a_damaged_tail_is_dropped_only_if_never_acknowledged() {
        let dir = tempfile::tempdir().unwrap();
        let path = written(dir.path(), 3);
        let damage = |seq: i64| {
            let db = Connection::open(&path).unwrap();
            db.execute("UPDATE batch SET body = x'00' WHERE seq = ?1", [seq])
                .unwrap();
        };
        damage(3);
        let e = JournalFile::open(&path).unwrap_err();
        assert!(matches!(e, JournalError::Damaged { .. }), "{e}");
        // As if the process had died between the commit and the mark.
        write_mark(&open_mark(&path).unwrap(), 2).unwrap();
        let j = JournalFile::open(&path).unwrap();
        assert_eq!((j.last(), all(&j).unwrap()), (2, vec![1, 2]));
        drop(j);
        damage(1);
        let j = JournalFile::open(&path).unwrap();
        let e = all(&j).unwrap_err().to_string();
        assert!(e.contains("batch 1"), "{e}");
    }

    #[test]
    fn an_acknowledged_batch_that_is_gone_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = written(dir.path(), 3);
        Connection::open(&path)
            .unwrap()
            .execute("DELETE FROM batch WHERE seq = 3", [])
            .unwrap();
        let e = JournalFile::open(&path).unwrap_err().to_string();
        assert!(
            e.contains("ends at batch 2") && e.contains("batch 3"),
            "{e}"
        );
        Connection::open(&path)
            .unwrap()
            .execute("DELETE FROM batch WHERE seq = 1", [])
            .unwrap();
    }

    #[test]
    fn a_gap_and_a_foreign_file_are_errors() {
        let dir = tempfile::tempdir().unwrap();
        let path = written(dir.path(), 4);
        Connection::open(&path)
            .unwrap()
            .execute("DELETE FROM batch WHERE seq = 2", [])
            .unwrap();
        let e = all(&JournalFile::open(&path).unwrap())
            .unwrap_err()
            .to_string();
        assert!(e.contains("before 3 is missing"), "{e}");
        let other = dir.path().join("other.db");
        Connection::open(&other)
            .unwrap()
            .execute_batch("CREATE TABLE t (a)")
            .unwrap();
        assert!(matches!(
            JournalFile::open(&other).unwrap_err(),
            JournalError::Version { .. }
        ));
        assert!(matches!(
            JournalFile::open(&dir.path().join("none.db")).unwrap_err(),
            JournalError::Missing(_)
        ));
    }

    /// Cuts the write-ahead log at every 97th byte: what remains is a prefix, and without a newer mark it opens.
    #[test]
    fn a_torn_write_leaves_a_prefix() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("shard-0.db");
        let mut j = JournalFile::create(&path).unwrap();
        for i in 1..=20 {
            j.append(at(i), 1, format!("body {i}").as_bytes()).unwrap();
        }
        let wal = dir.path().join("shard-0.db-wal");
        let (db_bytes, wal_bytes) = (std::fs::read(&path).unwrap(), std::fs::read(&wal).unwrap());
        let mut seen = std::collections::BTreeSet::new();
        for cut in (0..wal_bytes.len()).step_by(997) {
            let copy = tempfile::tempdir().unwrap();
            let copied = copy.path().join("shard-0.db");
            std::fs::write(&copied, &db_bytes).unwrap();
            std::fs::write(copy.path().join("shard-0.db-wal"), &wal_bytes[..cut]).unwrap();
            // Without the mark: a power loss may have taken it back.
            match JournalFile::open(&copied) {
                Ok(torn) => {
                    let seqs = all(&torn).unwrap();
                    assert_eq!(seqs, (1..=torn.last()).collect::<Vec<_>>());
                    seen.insert(seqs.len());
                }
                // Cut before the tables were there.
                Err(e) => assert!(
                    matches!(
                        e,
                        JournalError::Version { .. } | JournalError::Sqlite { .. }
                    ),
                    "{e}"
                ),
            }
            // With the mark, everything acknowledged must be there.
            std::fs::copy(path.with_extension("mark"), copied.with_extension("mark")).unwrap();
            assert!(JournalFile::open(&copied).is_err(), "{cut}");
        }
        assert!(seen.len() > 10, "{seen:?}");
    }
}
