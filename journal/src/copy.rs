//! Journals copied to another place beside the server that writes them: into files, for a backup of what is in none.

use harit_engine::Timestamp;

use crate::{
    Generation, Journal, JournalError, JournalRead, Journals, ReadJournals, WriteError, until_error,
};

/// After how many bytes it is asked whether to go on.
const PIECE: usize = 1 << 20;

/// Journals could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// One could not be read, or the copy not be made.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The copy could not be written.
    #[error("the copy: {0}")]
    Write(#[from] WriteError),
    /// Nothing was ever journaled there.
    #[error("there are no journals")]
    None,
    /// What was to be read next was trimmed: another attempt begins after it.
    #[error("it was trimmed while it was read: try again")]
    Trimmed,
    /// Who asked for it does not want it any more.
    #[error("it was stopped")]
    Stopped,
}

/// Copies all journals that are there, of old generations too, to where there are none. Of each it copies all up to some batch, which is there
/// when its turn comes, and the snapshots of these batches. `go_on` is asked after each MiB.
///
/// # Errors
/// When there are none, one cannot be read or written or is trimmed faster than it is read, or `go_on` says no. What was copied by then does
/// not count: which generation does is written last.
pub fn copy(
    from: &dyn ReadJournals,
    to: &dyn Journals,
    go_on: &dyn Fn() -> bool,
) -> Result<Generation, CopyError> {
    let all = from.generations()?;
    let current = *all.last().ok_or(CopyError::None)?;
    for generation in all {
        for (shard, mut copy) in to.prepare(generation)?.into_iter().enumerate() {
            // An old one may be removed meanwhile.
            if let Some(journal) = from.reader(generation.generation, shard)? {
                copy_one(&*journal, &mut *copy, go_on)?;
            }
        }
    }
    to.switch(current)?;
    Ok(current)
}

fn copy_one(
    from: &dyn JournalRead,
    to: &mut dyn Journal,
    go_on: &dyn Fn() -> bool,
) -> Result<(), CopyError> {
    let before = from.before_first()?;
    // Numbers go on after a snapshot: one of nothing has them begin where the batches do.
    if before > 0 {
        to.put_snapshot(before, Timestamp::from_millis(0), b"")?;
    }
    let (mut last, mut bytes) = (before, 0);
    until_error(
        |each| from.read(before, u64::MAX, each),
        |batch| {
            if batch.seq != last + 1 {
                return Err(CopyError::Trimmed);
            }
            // How many entries a batch has is for people who look into the file, and not read back.
            last = to.append(last, batch.at, 0, &batch.body)?;
            bytes += batch.body.len();
            if bytes >= PIECE && !go_on() {
                return Err(CopyError::Stopped);
            }
            bytes %= PIECE;
            Ok(())
        },
    )?;
    let mut begins = before == 0;
    let mut of_nothing = before > 0;
    // Those that are there now: older ones may have gone meanwhile.
    for (seq, at) in from.snapshots()?.into_iter().filter(|(n, _)| *n <= last) {
        match from.snapshot(seq) {
            Ok(body) => to.put_snapshot(seq, at, &body)?,
            Err(e) if from.snapshots()?.iter().any(|(n, _)| *n == seq) => return Err(e.into()),
            Err(_) => continue,
        }
        begins = true;
        of_nothing &= seq != before;
    }
    if of_nothing {
        to.delete_snapshot(before)?;
    }
    if begins {
        Ok(())
    } else {
        Err(CopyError::Trimmed)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{Each, JournalFiles, JournalReader, StoredBatch};

    const FIRST: Generation = Generation {
        generation: 1,
        shards: 2,
    };

    fn at(n: u64) -> Timestamp {
        Timestamp::from_millis(i64::try_from(n).unwrap())
    }

    /// Two journals: one of 1,200 batches whose first 600 were trimmed, with snapshots, and one that is empty.
    fn journals(dir: &std::path::Path) -> JournalFiles {
        let files = JournalFiles::of(dir).unsynced();
        let mut first = files.prepare(FIRST).unwrap().remove(0);
        for n in 0..1_200 {
            first.append(n, at(n), 1, &n.to_le_bytes()).unwrap();
        }
        for seq in [600, 900] {
            first
                .put_snapshot(seq, at(seq), &seq.to_le_bytes())
                .unwrap();
        }
        while first.trim(600).unwrap() {}
        files.switch(FIRST).unwrap();
        files
    }

    /// Before its first batch, all batches, and the snapshots with their numbers.
    type Everything = (u64, Vec<StoredBatch>, Vec<(u64, Vec<u8>)>);

    fn everything(journal: &JournalReader) -> Everything {
        let mut batches = Vec::new();
        let read = |each: Each<'_>| journal.read(0, u64::MAX, each);
        until_error::<JournalError>(read, |batch| {
            batches.push(batch);
            Ok(())
        })
        .unwrap();
        let snapshots = journal.snapshots().unwrap().into_iter();
        let body = |seq| (seq, journal.snapshot(seq).unwrap());
        let snapshots = snapshots.map(|(seq, _)| body(seq)).collect();
        (journal.before_first().unwrap(), batches, snapshots)
    }

    #[test]
    fn a_copy_has_what_is_there_and_goes_on_where_that_does() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let files = journals(from.path());
        let copied = JournalFiles::of(to.path()).unsynced();
        assert_eq!(copy(&files, &copied, &|| true).unwrap(), FIRST);
        for shard in 0..2 {
            let [was, is] = [&files, &copied].map(|of| {
                let reader = JournalReader::open(&of.file(1, shard)).unwrap();
                everything(&reader)
            });
            assert_eq!(was, is);
        }
        assert_eq!(copied.current().unwrap(), Some(FIRST));
        let mut first = copied.open(FIRST, 0).unwrap();
        assert_eq!(first.append(1_200, at(0), 1, b"next"), Ok(1_201));
    }

    #[test]
    fn what_is_not_copied_whole_does_not_count() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let empty = tempfile::tempdir().unwrap();
        let (copied, none) = (JournalFiles::of(to.path()), JournalFiles::of(empty.path()));
        std::fs::create_dir(to.path().join("journal")).unwrap();
        let nothing = copy(&none, &copied, &|| true);
        assert!(matches!(nothing, Err(CopyError::None)), "{nothing:?}");
        let files = journals(from.path());
        let mut first = files.open(FIRST, 0).unwrap();
        first.append(1_200, at(0), 1, &vec![1; 3 * PIECE]).unwrap();
        first.append(1_201, at(0), 1, &vec![1; PIECE]).unwrap();
        let asked = Cell::new(0);
        let stopped = copy(&files, &copied, &|| asked.replace(asked.get() + 1) < 1);
        assert!(matches!(stopped, Err(CopyError::Stopped)), "{stopped:?}");
        assert!(!to.path().join("journal/CURRENT").exists());
        // Without a state that the batches follow from.
        for seq in [600, 900] {
            first.delete_snapshot(seq).unwrap();
        }
        let trimmed = copy(&files, &copied, &|| true);
        assert!(matches!(trimmed, Err(CopyError::Trimmed)), "{trimmed:?}");
    }
}
