//! What is a file's own: its format, its mark, its tail, its room.

use std::path::{Path, PathBuf};

use super::*;
use crate::conformance::{self, Place};
use room::FREE_PAGES_KEPT;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn append(j: &mut JournalFile, body: &[u8]) -> Result<u64, WriteError> {
    let after = j.last();
    j.append(after, at(1), 1, body)
}

fn written(dir: &Path, n: u64) -> PathBuf {
    let path = dir.join("shard-0.db");
    let mut j = JournalFile::create(&path).unwrap();
    for i in 1..=n {
        append(&mut j, format!("body {i}").as_bytes()).unwrap();
    }
    path
}

fn all(j: &JournalFile) -> Vec<u64> {
    let mut seqs = vec![];
    let read = j.read(0, u64::MAX, &mut |b| {
        assert_eq!(b.body, format!("body {}", b.seq).as_bytes());
        seqs.push(b.seq);
        std::ops::ControlFlow::Continue(())
    });
    read.unwrap();
    seqs
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn path(&self) -> PathBuf {
        self.0.path().join("shard-0.db")
    }

    /// Changes one row.
    fn change(&self, sql: &str, seq: u64) -> Option<()> {
        let db = Connection::open(self.path()).unwrap();
        assert_eq!(db.execute(sql, [to_i64(seq)]), Ok(1));
        Some(())
    }
}

impl Place for Folder {
    fn open(&self) -> Result<Box<dyn Journal>, JournalError> {
        let path = self.path();
        let file = if path.exists() {
            JournalFile::open(&path)
        } else {
            JournalFile::create(&path)
        };
        Ok(Box::new(file?))
    }

    fn damage_batch(&self, seq: u64) -> Option<()> {
        self.change("UPDATE batch SET body = x'00' WHERE seq = ?1", seq)
    }

    fn lose_batch(&self, seq: u64) -> Option<()> {
        self.change("DELETE FROM batch WHERE seq = ?1", seq)
    }

    fn damage_snapshot(&self, seq: u64) -> Option<()> {
        self.change("UPDATE snapshot SET body = x'00' WHERE seq = ?1", seq)
    }

    fn acknowledge_only(&self, through: u64) -> Option<()> {
        Mark::open(&self.path()).unwrap().write(through).unwrap();
        Some(())
    }

    /// No test fills the disk of those who run it.
    fn fill(&self, _: bool) -> Option<()> {
        None
    }
}

#[test]
fn it_does_what_a_journal_does() {
    let left_out = conformance::run(|| Folder(tempfile::tempdir().unwrap()));
    assert_eq!(left_out, ["a full disk refuses, and has room for a stop"]);
}

/// A file of the first version as it lies on disks, byte for byte where it is ours.
#[test]
fn what_was_written_before_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("shard-0.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch(
        "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;
         CREATE TABLE batch (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, entries INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL);
         CREATE TABLE snapshot (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL);
         PRAGMA application_id=0x4861724a; PRAGMA user_version=1;
         INSERT INTO batch VALUES (1, 1, 1, 1466854792, x'626f64792031');
         INSERT INTO batch VALUES (2, 1700000000000, 3, 3575198668, x'626f64792032');
         INSERT INTO snapshot VALUES (1, 5, 2789265632, x'7374617465');",
    )
    .unwrap();
    drop(db);
    std::fs::write(
        path.with_extension("mark"),
        [2, 0, 0, 0, 0, 0, 0, 0, 20, 216, 7, 39],
    )
    .unwrap();
    let j = JournalFile::open(&path).unwrap();
    assert_eq!((j.last(), all(&j)), (2, vec![1, 2]));
    assert_eq!(j.snapshots().unwrap(), [(1, at(5))]);
    assert_eq!(j.snapshot(1).unwrap(), b"state");
    assert_eq!(j.mark.read(), Some(2));
}

#[test]
fn what_is_free_after_a_peak_is_given_back_to_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path(), 0);
    let size = || std::fs::metadata(&path).unwrap().len();
    let mut j = JournalFile::open(&path).unwrap();
    for _ in 1..=32 {
        append(&mut j, &vec![7; 1 << 20]).unwrap();
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
fn a_foreign_file_and_none_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let other = dir.path().join("other.db");
    Connection::open(&other)
        .unwrap()
        .execute_batch("CREATE TABLE t (a)")
        .unwrap();
    let newer = written(dir.path(), 1);
    Connection::open(&newer)
        .unwrap()
        .execute_batch("PRAGMA user_version=2")
        .unwrap();
    for path in [other, newer] {
        let e = JournalFile::open(&path).unwrap_err();
        assert!(matches!(e, JournalError::Version { .. }), "{e}");
    }
    let none = dir.path().join("none.db");
    for e in [
        JournalFile::open(&none).unwrap_err(),
        JournalReader::open(&none).unwrap_err(),
    ] {
        assert!(matches!(e, JournalError::Missing { .. }), "{e}");
    }
}

/// A reader has what the writer has, while that goes on.
#[test]
fn it_is_read_beside_its_writer() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path(), 3);
    let mut j = JournalFile::open(&path).unwrap();
    let reader = JournalReader::open(&path).unwrap();
    j.put_snapshot(3, at(1), b"state").unwrap();
    while j.trim(2).unwrap() {}
    append(&mut j, b"body 4").unwrap();
    let mut seqs = vec![];
    let read = reader.read(0, u64::MAX, &mut |b| {
        seqs.push(b.seq);
        std::ops::ControlFlow::Continue(())
    });
    read.unwrap();
    assert_eq!((reader.before_first().unwrap(), seqs), (2, vec![3, 4]));
    assert_eq!(reader.snapshots().unwrap(), [(3, at(1))]);
    assert_eq!(reader.snapshot(3).unwrap(), b"state");
}

/// SQLite's own limit of a file's size stands for the disk's.
#[test]
fn a_full_disk_is_full_and_not_broken() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path(), 1);
    let mut j = JournalFile::open(&path).unwrap();
    let pages = |j: &JournalFile, n: i64| j.stored.db.pragma_update(None, "max_page_count", n);
    pages(&j, 1).unwrap();
    let big = vec![7; 1 << 20];
    for _ in 0..2 {
        let refused = append(&mut j, &big).unwrap_err();
        assert!(matches!(refused, WriteError::Full(_)), "{refused:?}");
        let refused = j.put_snapshot(1, at(1), &big).unwrap_err();
        assert!(matches!(refused, WriteError::Full(_)), "{refused:?}");
        assert_eq!((j.last(), all(&j)), (1, vec![1]));
    }
    pages(&j, 1 << 20).unwrap();
    assert_eq!(append(&mut j, b"body 2"), Ok(2));
    drop(j);
    assert_eq!(all(&JournalFile::open(&path).unwrap()), [1, 2]);
}

#[test]
fn room_is_kept_back_until_it_is_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let mut j = JournalFile::open(&written(dir.path(), 0)).unwrap();
    let reserve = dir.path().join("shard-0.reserve");
    assert!(!j.give_up_reserve() && !reserve.exists());
    j.keep_reserve().unwrap();
    assert_eq!(std::fs::metadata(&reserve).unwrap().len(), 2 << 20);
    assert!(j.give_up_reserve() && !reserve.exists());
    assert!(!j.give_up_reserve(), "once");
    // A snapshot is when it is looked at again.
    j.keep_reserve().unwrap();
    std::fs::remove_file(&reserve).unwrap();
    j.keep_reserve().unwrap();
    assert!(!reserve.exists());
    j.put_snapshot(1, at(1), b"state").unwrap();
    j.keep_reserve().unwrap();
    assert!(reserve.exists());
}

#[test]
fn a_file_that_another_holds_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path(), 1);
    let mut j = JournalFile::open(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = append(&mut j, b"body 2").unwrap_err();
    assert!(matches!(refused, WriteError::Unavailable(_)), "{refused:?}");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(append(&mut j, b"body 2"), Ok(2));
    assert_eq!(all(&j), [1, 2]);
}

#[test]
fn what_a_refusal_means() {
    use rusqlite::ffi;
    let means = |code| {
        let e = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        refused(&e)
    };
    for code in [
        ffi::SQLITE_IOERR_FSYNC,
        ffi::SQLITE_IOERR_DIR_FSYNC,
        ffi::SQLITE_IOERR_TRUNCATE,
        ffi::SQLITE_CORRUPT,
        ffi::SQLITE_CORRUPT_INDEX,
        ffi::SQLITE_NOTADB,
    ] {
        let e = means(code);
        assert!(
            matches!(e, WriteError::Broken(_)) && e.is_final(),
            "{code} {e:?}"
        );
    }
    for code in [
        ffi::SQLITE_BUSY,
        ffi::SQLITE_BUSY_SNAPSHOT,
        ffi::SQLITE_LOCKED,
        ffi::SQLITE_CANTOPEN,
        ffi::SQLITE_READONLY,
        ffi::SQLITE_NOMEM,
        ffi::SQLITE_IOERR,
        ffi::SQLITE_IOERR_WRITE,
        ffi::SQLITE_IOERR_READ,
    ] {
        let e = means(code);
        assert!(
            matches!(e, WriteError::Unavailable(_)) && !e.is_final(),
            "{code} {e:?}"
        );
    }
    let e = means(ffi::SQLITE_FULL);
    assert!(matches!(e, WriteError::Full(_)) && !e.is_final(), "{e:?}");
}

/// Cuts the write-ahead log at every 997th byte: what remains is a prefix, and without a newer mark it opens.
#[test]
fn a_torn_write_leaves_a_prefix() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("shard-0.db");
    let mut j = JournalFile::create(&path).unwrap();
    for i in 1..=20 {
        append(&mut j, format!("body {i}").as_bytes()).unwrap();
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
                let seqs = all(&torn);
                assert_eq!(seqs, (1..=torn.last()).collect::<Vec<_>>());
                seen.insert(seqs.len());
            }
            // Cut before the tables were there.
            Err(e) => assert!(
                matches!(
                    e,
                    JournalError::Version { .. } | JournalError::Storage { .. }
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

#[test]
fn what_is_accepted_as_lost_counts_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("shard-0.db");
    let mut journal = JournalFile::create(&path).unwrap();
    for _ in 0..3 {
        append(&mut journal, b"body").unwrap();
    }
    drop(journal);
    let mark = std::fs::read(path.with_extension("mark")).unwrap();
    JournalFile::accept_loss(&path).unwrap();
    assert_eq!(std::fs::read(path.with_extension("mark")).unwrap(), mark);
    Mark::open(&path).unwrap().write(5).unwrap();
    let lost = JournalFile::open(&path).unwrap_err();
    let is_said = matches!(
        lost,
        JournalError::Lost {
            last: 3,
            acknowledged: 5,
            ..
        }
    );
    assert!(is_said, "{lost}");
    JournalFile::accept_loss(&path).unwrap();
    let mut journal = JournalFile::open(&path).unwrap();
    assert_eq!(append(&mut journal, b"another"), Ok(4));
}
