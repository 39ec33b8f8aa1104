//! Where a device stands by its latest marks.

use std::collections::BTreeMap;

use harit_effects::{Numbers, TELL_AFTER};
use serde::{Deserialize, Serialize};

use crate::records::EffectMark;

/// So many of a device's latest marks are looked through.
pub(crate) const LATEST: i64 = 40;
/// "Worked in 14 of the last 15" is said of so many.
const COUNTED: usize = 15;
/// Looks in vain that are older than this, when another comes, are no row with it.
const ROW_MS: i64 = 7 * 86_400_000;

/// A device that does nothing, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failing {
    /// When the first of the runs without an effect began.
    pub since: i64,
    /// How many minutes the last of them had run when it was looked at.
    pub minutes: i64,
    /// How many runs they are.
    pub runs: usize,
    /// What the last of them came to.
    pub numbers: Option<Numbers>,
}

/// By a device's latest marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// How many of the latest runs that can be told worked.
    pub worked: usize,
    /// Out of so many.
    pub told: usize,
    /// Its latest mark.
    pub last: Option<EffectMark>,
    /// Where it does nothing.
    pub failing: Option<Failing>,
}

/// The standing of each device that has marks, of marks that are newest first for each.
pub(crate) fn standings(marks: Vec<EffectMark>) -> BTreeMap<String, Standing> {
    let mut by_device: BTreeMap<String, Vec<EffectMark>> = BTreeMap::new();
    for mark in marks {
        by_device.entry(mark.device_id.clone()).or_default().push(mark);
    }
    let of = |(device, marks): (String, Vec<EffectMark>)| (device, standing(&marks));
    by_device.into_iter().map(of).collect()
}

fn standing(newest_first: &[EffectMark]) -> Standing {
    let can_tell = newest_first.iter().filter(|m| m.mark != "cannot_tell");
    let counted: Vec<_> = can_tell.take(COUNTED).collect();
    Standing {
        worked: counted.iter().filter(|m| m.mark == "worked").count(),
        told: counted.len(),
        last: newest_first.first().cloned(),
        failing: failing(newest_first),
    }
}

fn failing(newest_first: &[EffectMark]) -> Option<Failing> {
    let mut looks = 0;
    let mut row: Vec<&EffectMark> = Vec::new();
    for mark in newest_first {
        let far = |later: &&EffectMark| later.started_at - mark.started_at > ROW_MS;
        if mark.seen || row.last().is_some_and(far) {
            break;
        }
        if mark.mark == "no_effect" {
            looks += usize::try_from(mark.looks).unwrap_or(0);
            row.push(mark);
        }
    }
    let (last, first) = (row.first()?, row.last()?);
    (looks >= TELL_AFTER).then(|| Failing {
        since: first.started_at,
        minutes: (last.looked_at - last.started_at) / harit_effects::MINUTE_MS,
        runs: row.len(),
        numbers: { last.numbers.as_deref() }.and_then(|n| serde_json::from_str(n).ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(hour: i64, mark: &str, looks: i64) -> EffectMark {
        EffectMark {
            device_id: "d".into(),
            started_at: hour * 3_600_000,
            ended_at: None,
            mark: mark.into(),
            reason: None,
            seen: mark == "worked",
            looks,
            looked_at: hour * 3_600_000 + 600_000,
            is_open: false,
            company: "[]".into(),
            numbers: None,
        }
    }

    fn of(oldest_first: &[EffectMark]) -> Standing {
        let newest_first: Vec<_> = oldest_first.iter().rev().cloned().collect();
        standings(newest_first).remove("d").expect("a device")
    }

    #[test]
    fn three_looks_in_a_row_are_told_within_a_run_or_over_several() {
        let one = of(&[mark(1, "worked", 0), mark(2, "no_effect", 3)]);
        let failing = one.failing.expect("three looks");
        assert_eq!((failing.since, failing.minutes, failing.runs), (7_200_000, 10, 1));
        assert_eq!((one.worked, one.told), (1, 2));
        let two = [mark(1, "no_effect", 1), mark(2, "no_effect", 1)];
        assert_eq!(of(&two).failing, None);
        let between = [mark(0, "no_effect", 1), mark(1, "cannot_tell", 0), mark(2, "no_effect", 1), mark(3, "no_effect", 1)];
        assert_eq!(of(&between).failing.map(|f| f.runs), Some(3));
        let worked = [mark(1, "no_effect", 2), mark(2, "worked", 0), mark(3, "no_effect", 2)];
        assert_eq!(of(&worked).failing, None, "a run that worked ends the row");
        let long_ago = [mark(1, "no_effect", 2), mark(24 * 8, "no_effect", 1)];
        assert_eq!(of(&long_ago).failing, None);
    }
}
