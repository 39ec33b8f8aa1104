//! A shard's state as bytes: each farm's engine, and what is beside it.

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

fn part<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], String> {
    let cut = || "it is cut off".to_owned();
    let (length, after) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
    let (part, after) = after.split_at_checked(length).ok_or_else(cut)?;
    *rest = after;
    Ok(part)
}
