//! The runs of a device, from what it reported.

use harit_engine::Quantity;

use crate::MINUTE_MS;

/// What a device was reported to do from an instant on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Since when, in epoch milliseconds.
    pub at: i64,
    /// Whether it was on; none while that is not known.
    pub on: Option<bool>,
    /// Its value, if it has one.
    pub value: Option<Quantity>,
}

/// A time for which a device was on, or several of them with short breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// When it was switched on, in epoch milliseconds.
    pub from: i64,
    /// When it went off, or was last known to be on; none while it runs.
    pub until: Option<i64>,
    /// Its value at the start.
    pub value: Option<Quantity>,
}

impl Run {
    /// Whole minutes up to its end, or to `now` while it goes on.
    pub(crate) fn minutes(&self, now: i64) -> i64 {
        (self.until.unwrap_or(now) - self.from).div_euclid(MINUTE_MS)
    }

    /// The minute in which it was switched on.
    pub(crate) const fn minute(&self) -> i64 {
        self.from.div_euclid(MINUTE_MS)
    }
}

/// The runs in what was reported, oldest first, those joined between which there are less than `join_min` minutes. What was on
/// already with the first report was not seen to start, and is none.
#[must_use]
pub fn runs(changes: &[Change], join_min: i64) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut before: Option<bool> = None;
    let mut started = false;
    for change in changes {
        // while it is not known, what comes after is no start
        let was = std::mem::replace(&mut before, change.on);
        match (change.on, was) {
            (Some(true), Some(false)) => {
                started = true;
                let joins = runs.last().and_then(|r| r.until);
                if joins.is_some_and(|u| change.at - u < join_min * MINUTE_MS) {
                    if let Some(last) = runs.last_mut() {
                        last.until = None;
                    }
                    continue;
                }
                runs.push(Run {
                    from: change.at,
                    until: None,
                    value: change.value,
                });
            }
            (Some(true), _) => {}
            (Some(false) | None, _) => {
                if let Some(last) = runs.last_mut().filter(|_| started) {
                    last.until.get_or_insert(change.at);
                }
                started = false;
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(minute: i64, on: Option<bool>) -> Change {
        Change {
            at: minute * MINUTE_MS,
            on,
            value: None,
        }
    }

    fn of(changes: &[(i64, Option<bool>)], join: i64) -> Vec<(i64, Option<i64>)> {
        let changes: Vec<_> = changes.iter().map(|(m, on)| change(*m, *on)).collect();
        let minutes = |r: &Run| (r.minute(), r.until.map(|u| u / MINUTE_MS));
        runs(&changes, join).iter().map(minutes).collect()
    }

    #[test]
    fn what_was_on_already_was_not_seen_to_start() {
        let on = Some(true);
        let off = Some(false);
        assert_eq!(of(&[(0, on), (5, off), (9, on)], 0), [(9, None)]);
        assert_eq!(
            of(&[(0, off), (5, on), (6, on), (9, off)], 0),
            [(5, Some(9))]
        );
    }

    #[test]
    fn a_controller_that_is_lost_ends_a_run_and_its_return_begins_none() {
        let (on, off) = (Some(true), Some(false));
        let told = [
            (0, off),
            (5, on),
            (8, None),
            (9, on),
            (12, off),
            (20, on),
            (25, off),
        ];
        assert_eq!(of(&told, 0), [(5, Some(8)), (20, Some(25))]);
    }

    #[test]
    fn doses_that_follow_each_other_are_one_run() {
        let (on, off) = (Some(true), Some(false));
        let told = [
            (0, off),
            (5, on),
            (6, off),
            (8, on),
            (9, off),
            (30, on),
            (31, off),
        ];
        assert_eq!(of(&told, 10), [(5, Some(9)), (30, Some(31))]);
    }
}
