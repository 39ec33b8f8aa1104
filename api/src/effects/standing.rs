//! Where a device stands by its latest marks.

use harit_effects::{Numbers, is_told};
use serde::{Deserialize, Serialize};

use crate::records::{EffectMark, EffectStanding};

/// So many of a device's latest marks are looked through.
pub(super) const LATEST: i64 = 40;
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

/// The standing of a device by its latest marks, newest first.
pub(super) fn standing(device: &str, newest_first: &[EffectMark]) -> EffectStanding {
    let can_tell = newest_first.iter().filter(|m| m.mark != "cannot_tell");
    let counted: Vec<_> = can_tell.take(COUNTED).collect();
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let failing = failing(newest_first).map(|f| serde_json::to_string(&f));
    EffectStanding {
        device_id: device.to_owned(),
        worked: number(counted.iter().filter(|m| m.mark == "worked").count()),
        told: number(counted.len()),
        seen: newest_first.first().is_some_and(|m| m.seen),
        failing: failing.and_then(Result::ok),
    }
}

impl EffectStanding {
    /// Where it does nothing.
    pub(crate) fn failing(&self) -> Option<Failing> {
        serde_json::from_str(self.failing.as_deref()?).ok()
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
    let minutes = (last.looked_at - first.started_at) / harit_effects::MINUTE_MS;
    is_told(looks, row.len(), minutes).then(|| Failing {
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

    fn of(oldest_first: &[EffectMark]) -> EffectStanding {
        let newest_first: Vec<_> = oldest_first.iter().rev().cloned().collect();
        standing("d", &newest_first)
    }

    #[test]
    fn five_looks_in_a_row_are_told_within_a_run_or_over_several() {
        let one = of(&[mark(1, "worked", 0), mark(2, "no_effect", 5)]);
        let failing = one.failing().expect("five looks");
        assert_eq!(
            (failing.since, failing.minutes, failing.runs),
            (7_200_000, 10, 1)
        );
        assert_eq!((one.worked, one.told), (1, 2));
        let two = [mark(1, "no_effect", 2), mark(2, "no_effect", 2)];
        assert_eq!(of(&two).failing(), None);
        let between = [
            mark(0, "no_effect", 2),
            mark(1, "cannot_tell", 0),
            mark(2, "no_effect", 2),
            mark(3, "no_effect", 1),
        ];
        assert_eq!(of(&between).failing().map(|f| f.runs), Some(3));
        let worked = [
            mark(1, "no_effect", 4),
            mark(2, "worked", 0),
            mark(3, "no_effect", 4),
        ];
        assert_eq!(
            of(&worked).failing(),
            None,
            "a run that worked ends the row"
        );
        let long_ago = [mark(1, "no_effect", 4), mark(24 * 8, "no_effect", 4)];
        assert_eq!(of(&long_ago).failing(), None);
    }
}
