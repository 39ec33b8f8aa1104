//! A shard's state as bytes: each farm's engine, and what is beside it.

use harit_journal::{JournalError, JournalRead};

use super::farm::Farm;

const VERSION: u8 = 1;

/// All farms of a shard.
pub(crate) fn store(farms: &[Farm]) -> serde_json::Result<Vec<u8>> {
    let mut out = vec![VERSION];
    for farm in farms {
        for part in farm.fold.snapshot()? {
            out.extend_from_slice(&(part.len() as u64).to_le_bytes());
            out.extend_from_slice(&part);
        }
    }
    Ok(out)
}

/// Reads what [`store`] wrote.
pub(crate) fn restore(bytes: &[u8]) -> Result<Vec<Farm>, String> {
    let Some((&VERSION, mut rest)) = bytes.split_first() else {
        return Err("its version is not known".to_owned());
    };
    let mut farms = Vec::new();
    while !rest.is_empty() {
        let (engine, beside) = (part(&mut rest)?, part(&mut rest)?);
        let fold = harit_farm::Farm::restore(engine, beside).map_err(|e| e.to_string())?;
        farms.push(Farm::new(fold));
    }
    Ok(farms)
}

/// The newest snapshot up to batch `through` that is good, and not newer than the history: what lies between would be missing there.
pub(crate) fn newest(
    journal: &dyn JournalRead,
    in_history: u64,
    through: u64,
) -> Result<(u64, Vec<Farm>), JournalError> {
    let before_first = journal.before_first()?;
    let snapshots = journal.snapshots()?;
    let usable = |seq: u64| (before_first..=through).contains(&seq);
    let preferred = snapshots
        .iter()
        .filter(|(seq, _)| usable(*seq) && *seq <= in_history);
    // A history store that is new, or lost, does not have what is older: then it begins here.
    let others = snapshots
        .iter()
        .filter(|(seq, _)| usable(*seq) && *seq > in_history);
    let genesis = before_first == 0;
    for (seq, _) in preferred.chain(others.filter(|_| !genesis || in_history == 0)) {
        let read = journal
            .snapshot(*seq)
            .map_err(|e| e.to_string())
            .and_then(|bytes| restore(&bytes));
        match read {
            Ok(farms) => return Ok((*seq, farms)),
            Err(e) => {
                tracing::warn!(
                    path = %journal.name(),
                    seq,
                    error = e,
                    "a snapshot cannot be used; trying an older one"
                );
            }
        }
    }
    if genesis {
        return Ok((0, Vec::new()));
    }
    Err(JournalError::Damaged {
        name: journal.name().to_owned(),
        what: format!(
            "it begins after batch {before_first}, and no snapshot from there on is good"
        ),
    })
}

/// Whether what is left of a journal begins without a farm, which came later: nothing older leads to it.
pub(crate) fn begins_without(journal: &dyn JournalRead, farm: &str) -> Result<bool, JournalError> {
    let before_first = journal.before_first()?;
    let mut kept = journal.snapshots()?.into_iter();
    let oldest = kept.rfind(|(seq, _)| *seq >= before_first);
    let Some((seq, _)) = oldest.filter(|_| before_first > 0) else {
        return Ok(false);
    };
    let farms = restore(&journal.snapshot(seq)?);
    Ok(farms.is_ok_and(|farms| farms.iter().all(|f| f.id().as_str() != farm)))
}

fn part<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], String> {
    let cut = || "it is cut off".to_owned();
    let (length, after) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
    let (part, after) = after.split_at_checked(length).ok_or_else(cut)?;
    *rest = after;
    Ok(part)
}
