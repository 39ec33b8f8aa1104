//! Which snapshots are kept.

use std::collections::BTreeSet;

use jiff::civil::Date;

/// How many snapshots are kept, by three rules. What one of them keeps is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keep {
    /// The newest ones.
    pub last: u32,
    /// The newest of a day, of so many days that have any.
    pub daily: u32,
    /// The newest of a week (from Monday on), of so many weeks that have any.
    pub weekly: u32,
}

impl Keep {
    /// Whether it would keep nothing.
    #[must_use]
    pub const fn is_nothing(self) -> bool {
        self.last == 0 && self.daily == 0 && self.weekly == 0
    }
}

/// A snapshot: its number, and the local day on which it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    /// Its number; a higher one is newer, whatever the clock said.
    pub number: u64,
    /// Its day.
    pub day: Date,
}

/// The numbers of those that are kept; the newest always is.
#[must_use]
pub fn kept(made: &[Made], keep: Keep) -> BTreeSet<u64> {
    let mut newest_first = made.to_vec();
    newest_first.sort_by_key(|m| std::cmp::Reverse(m.number));
    let mut kept: BTreeSet<u64> = newest_first.first().map(|m| m.number).into_iter().collect();
    kept.extend(newest_first.iter().take(count(keep.last)).map(|m| m.number));
    kept.extend(newest_of(&newest_first, count(keep.daily), |m| m.day));
    let week = |m: &Made| {
        let week = m.day.iso_week_date();
        (week.year(), week.week())
    };
    kept.extend(newest_of(&newest_first, count(keep.weekly), week));
    kept
}

/// The first one of each span, of so many spans.
fn newest_of<S: Ord>(newest_first: &[Made], spans: usize, span: impl Fn(&Made) -> S) -> Vec<u64> {
    let mut seen = BTreeSet::new();
    let first = newest_first.iter().filter(|m| seen.insert(span(m)));
    first.take(spans).map(|m| m.number).collect()
}

fn count(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    fn made(days: &[Date]) -> Vec<Made> {
        let number = |(n, day): (usize, &Date)| Made {
            number: n as u64 + 1,
            day: *day,
        };
        days.iter().enumerate().map(number).collect()
    }

    #[test]
    fn what_is_kept_by_example() {
        // 2026-11-23 is a Monday.
        let days = [
            date(2026, 11, 8),  // 1, Sunday
            date(2026, 11, 9),  // 2, Monday
            date(2026, 11, 15), // 3, Sunday of the same week
            date(2026, 11, 21), // 4
            date(2026, 11, 22), // 5
            date(2026, 11, 22), // 6
            date(2026, 11, 23), // 7
            date(2026, 11, 25), // 8
            date(2026, 11, 25), // 9
        ];
        let all = made(&days);
        let cases: [(u32, u32, u32, &[u64]); 9] = [
            (1, 0, 0, &[9]),
            (3, 0, 0, &[7, 8, 9]),
            (99, 0, 0, &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
            (0, 1, 0, &[9]),
            // days without a snapshot do not count
            (0, 3, 0, &[6, 7, 9]),
            (0, 0, 1, &[9]),
            (0, 0, 2, &[6, 9]),
            (0, 0, 9, &[1, 3, 6, 9]),
            (2, 2, 3, &[3, 6, 7, 8, 9]),
        ];
        for (last, daily, weekly, expected) in cases {
            let keep = Keep {
                last,
                daily,
                weekly,
            };
            let expected: BTreeSet<u64> = expected.iter().copied().collect();
            assert_eq!(kept(&all, keep), expected, "{keep:?}");
        }
        // Weeks are those of ISO 8601: the first days of January may be in the last one of the year before.
        let turn = made(&[
            date(2026, 12, 31),
            date(2027, 1, 1),
            date(2027, 1, 3),
            date(2027, 1, 4),
        ]);
        let weekly = Keep {
            weekly: 2,
            ..Keep::default()
        };
        assert_eq!(kept(&turn, weekly), BTreeSet::from([3, 4]));
        assert_eq!(kept(&[], weekly), BTreeSet::new());
    }

    /// What the rules say, written down the other way round: whether a snapshot has less than so many newer spans after it.
    fn is_kept(all: &[Made], m: Made, keep: Keep) -> bool {
        let newer = |n: &&Made| n.number > m.number;
        let monday = |d: Date| d - i64::from(d.weekday().to_monday_zero_offset()).days();
        let by = |span: &dyn Fn(Date) -> Date, count: u32| {
            let spans: BTreeSet<Date> = all.iter().filter(newer).map(|n| span(n.day)).collect();
            !spans.contains(&span(m.day)) && spans.len() < count as usize
        };
        let newer = all.iter().filter(newer).count();
        newer == 0
            || newer < keep.last as usize
            || by(&|d| d, keep.daily)
            || by(&monday, keep.weekly)
    }

    proptest! {
        #[test]
        fn what_is_kept_is_what_the_rules_say(
            gaps in prop::collection::vec(-3_i64..12, 0..60),
            last in 0_u32..6, daily in 0_u32..12, weekly in 0_u32..8,
        ) {
            // The clock may be set back: days need not come in order.
            let mut day = date(2026, 1, 1);
            let days: Vec<Date> = gaps.iter().map(|gap| { day += gap.days(); day }).collect();
            let all = made(&days);
            let keep = Keep { last, daily, weekly };
            let expected: BTreeSet<u64> =
                all.iter().filter(|m| is_kept(&all, **m, keep)).map(|m| m.number).collect();
            let found = kept(&all, keep);
            prop_assert_eq!(&found, &expected);
            // Forgetting twice is forgetting once, and in any order.
            let mut left: Vec<Made> = all.iter().copied().filter(|m| found.contains(&m.number)).collect();
            left.reverse();
            prop_assert_eq!(kept(&left, keep), found);
        }
    }
}
