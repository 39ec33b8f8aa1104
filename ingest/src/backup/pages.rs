//! A database page by page: what did not change lies where it lay, so that a second copy has the same chunks.

use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::{BUSY, BackupError};

/// How many pages are copied before somebody is asked whether to go on.
const STEP: i32 = 256;

/// Copies a database as of one instant into a file that is empty, while others write it. `go_on` is asked every 256 pages and may
/// take its time.
///
/// # Errors
/// When the database or the file cannot be used, or `go_on` says no.
pub fn copy_pages(from: &Path, to: &Path, go_on: &dyn Fn() -> bool) -> Result<(), BackupError> {
    let failed = |source| BackupError::Sqlite {
        path: from.to_owned(),
        source,
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(from, flags).map_err(failed)?;
    source.busy_timeout(BUSY).map_err(failed)?;
    // One instant for all steps: without it, a write begins the copy anew.
    let pin = "BEGIN; SELECT count(*) FROM sqlite_schema;";
    source.execute_batch(pin).map_err(failed)?;
    let mut copy = Connection::open(to).map_err(failed)?;
    // It is read once and removed: nobody asks what a crash left of it.
    let unsynced = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;";
    copy.execute_batch(unsynced).map_err(failed)?;
    let backup = Backup::new(&source, &mut copy).map_err(failed)?;
    loop {
        let step = backup.step(STEP).map_err(failed)?;
        if !go_on() {
            return Err(BackupError::Stopped);
        }
        match step {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            // Nobody else has the copy, and a reader of the source waits for nobody.
            _ => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    }
}

/// What SQLite's full check finds in a database that nobody uses; nothing where it is sound.
///
/// # Errors
/// When it cannot be opened, or is no database at all.
pub fn integrity(path: &Path) -> Result<Option<String>, BackupError> {
    let failed = |source| BackupError::Sqlite {
        path: path.to_owned(),
        source,
    };
    // For writing, so that nothing is left beside it.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).map_err(failed)?;
    let check = "PRAGMA integrity_check(1)";
    let found: String = db.query_row(check, [], |r| r.get(0)).map_err(failed)?;
    Ok((found != "ok").then_some(found))
}
