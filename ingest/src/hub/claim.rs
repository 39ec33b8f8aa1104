//! Journals that other servers reach are taken from whoever had them before anything else is touched.
//!
//! A server may start because it was told, wrongly, that nobody is at work. Which of the two goes on is decided here, by the first of the
//! journals alone, so that it is one of them: an append to that between the reading of its end and the claim is somebody who lives, and keeps all,
//! with the history and all farms as they are. Whoever has lost it has lost the others too.

use std::time::{Duration, Instant};

use harit_engine::Timestamp;
use harit_farm::codec::Encoder;
use harit_journal::{Journal, JournalError, Journals, StoredBatch, WriteError, until_error};

use super::OpenError;

/// For how long journals are tried that do not answer, as a stream may be without a leader, or to which the one that has lost the first still
/// appends.
const PATIENCE: Duration = Duration::from_secs(30);
/// What is waited before an append is repeated.
const AGAIN: Duration = Duration::from_millis(100);

/// Appends an empty batch to each journal that there is, so that whoever appended to it before is refused from then on.
///
/// # Errors
/// [`OpenError::AtWork`] where another server appends to the first one meanwhile; as a journal says otherwise.
pub(super) fn claim(journals: &dyn Journals, now: Timestamp) -> Result<(), OpenError> {
    let Some(current) = journals.current()? else {
        return Ok(());
    };
    let claim = |shard| claim_one(&mut *journals.open(current, shard)?, now);
    claim(0)?;
    let until = Instant::now() + PATIENCE;
    let claim_at_last = |shard| loop {
        match claim(shard) {
            Err(OpenError::AtWork) if Instant::now() < until => std::thread::sleep(AGAIN),
            ended => return ended,
        }
    };
    // At once: what is asked of a stream takes a while, and who takes over is waited for.
    std::thread::scope(|scope| {
        let claims = (1..current.shards).map(|shard| scope.spawn(move || claim_at_last(shard)));
        let claims: Vec<_> = claims.collect();
        let ended = claims.into_iter().map(|claim| {
            claim
                .join()
                .unwrap_or_else(|_| Err(JournalError::Panicked.into()))
        });
        ended.collect()
    })
}

fn claim_one(journal: &mut dyn Journal, now: Timestamp) -> Result<(), OpenError> {
    let last = journal.last();
    let at = newest(journal, last)?.map_or(now, |newest| newest.max(now));
    let mut nothing = Encoder::default();
    nothing.begin(at);
    let until = Instant::now() + PATIENCE;
    loop {
        match journal.append(last, at, 0, nothing.body()) {
            // A full one takes nothing from anybody but stops.
            Ok(_) | Err(WriteError::Full(_)) => return Ok(()),
            Err(WriteError::Fenced { .. }) => return Err(OpenError::AtWork),
            Err(e) if e.is_final() || Instant::now() >= until => {
                return Err(OpenError::Journal(JournalError::Storage {
                    name: journal.name().to_owned(),
                    source: e.into(),
                }));
            }
            Err(_) => std::thread::sleep(AGAIN),
        }
    }
}

/// When the last batch was written; none where there is none.
fn newest(journal: &dyn Journal, last: u64) -> Result<Option<Timestamp>, JournalError> {
    let mut newest = None;
    let each = |batch: StoredBatch| -> Result<(), JournalError> {
        newest = Some(batch.at);
        Ok(())
    };
    until_error(|of| journal.read(last.saturating_sub(1), last, of), each)?;
    Ok(newest)
}
