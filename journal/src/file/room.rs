//! The room that a journal's file takes: trimming, what goes back to the disk, and what is kept back for stops.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::{JournalFile, to_i64, to_u64};
use crate::WriteError;

/// How many batches, and about how many bytes of them, one trimming removes at most, so that it never takes long.
const TRIM_CHUNK: i64 = 512;
const TRIM_BYTES: i64 = 4 << 20;
/// How many pages one trimming gives back to the disk at most, for the same reason.
const GIVEN_BACK: i64 = 512;
/// So many free pages stay with the file at least: they are written again soon.
pub(super) const FREE_PAGES_KEPT: i64 = 4_096;

/// How much room is kept back for stops on a full disk: for some hundred of them, with what SQLite writes around each.
const RESERVE_BYTES: usize = 2 << 20;

impl JournalFile {
    /// Removes some of the batches up to `through`, and gives some of the room back; returns whether there may be more to do.
    pub(super) fn trim_some(&self, through: u64) -> rusqlite::Result<bool> {
        let oldest = self.oldest(through)?;
        if let Some(last) = oldest {
            self.stored
                .db
                .execute("DELETE FROM batch WHERE seq <= ?1", [last])?;
        }
        Ok(self.give_back()? || oldest.is_some())
    }

    /// Up to which batch, and not beyond `through`, one trimming goes; `None` where there is none.
    fn oldest(&self, through: u64) -> rusqlite::Result<Option<i64>> {
        let mut statement = self.stored.db.prepare_cached(
            "SELECT seq, length(body) FROM batch WHERE seq <= ?1 ORDER BY seq LIMIT ?2",
        )?;
        let mut rows = statement.query([to_i64(through), TRIM_CHUNK])?;
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

    /// The bytes of the pages in use.
    pub(super) fn bytes_used(&self) -> u64 {
        let count = |what| self.pragma(what).unwrap_or(0);
        to_u64((count("page_count") - count("freelist_count")) * count("page_size"))
    }

    /// Keeps room back on the disk, if none is kept; looked at after each start, each snapshot and each stop that needed it.
    pub(super) fn reserve_room(&mut self) -> Result<(), WriteError> {
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
                return Err(WriteError::Full(error.to_string()));
            }
            tracing::warn!(path = %path.display(), %error, "no room is kept back for stops");
        }
        self.reserved = true;
        Ok(())
    }

    pub(super) fn free_reserve(&mut self) -> bool {
        self.reserved = false;
        std::fs::remove_file(self.reserve()).is_ok()
    }

    fn reserve(&self) -> PathBuf {
        self.stored.path.with_extension("reserve")
    }
}
