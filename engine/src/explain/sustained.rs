//! At which threshold a rule would have acted: the extreme that a mean kept for as long as the rule asks.

use std::collections::VecDeque;

use super::PartExplanation;
use crate::document::WhenSpec;
use crate::quantity::{Mean, Quantity};
use crate::status::RuleStatus;
use crate::time::{Duration, Timestamp};
use crate::truth::Operator;

/// The level that a mean kept for a time, as it goes over a span: that of the best window.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sustained {
    length: Duration,
    /// Whether the mean has to be above the threshold.
    above: bool,
    /// Since when it is known without a break.
    known: Option<Timestamp>,
    /// The means of the window that may be its worst, in order; each with the instant since which it stands for all after the one
    /// before.
    kept: VecDeque<(Timestamp, i64)>,
    pub(super) best: Option<Quantity>,
}

impl Sustained {
    /// Of a trigger that is one comparison with one threshold.
    pub(super) fn of(part: &PartExplanation, status: &RuleStatus) -> Option<Self> {
        let condition = status
            .spec
            .trigger
            .when()
            .and_then(WhenSpec::as_condition)?;
        let above = match condition.operator {
            Operator::Gt | Operator::Gte => true,
            Operator::Lt | Operator::Lte => false,
            Operator::Eq | Operator::Between => return None,
        };
        (part.role == super::PartRole::Trigger).then(|| Self {
            length: part.length,
            above,
            known: None,
            kept: VecDeque::new(),
            best: None,
        })
    }

    /// Whether one mean is worse than another for the rule.
    const fn is_worse(&self, one: i64, other: i64) -> bool {
        if self.above { one < other } else { one > other }
    }

    /// The mean of before has lasted until now.
    pub(super) fn until(&mut self, now: Timestamp) {
        let Some(known) = self.known.filter(|known| now - *known >= self.length) else {
            return;
        };
        let begins = (now - self.length).max(known);
        while self.kept.get(1).is_some_and(|(since, _)| *since <= begins) {
            self.kept.pop_front();
        }
        if let Some((_, worst)) = self.kept.front().copied() {
            let better = |best: Quantity| self.is_worse(best.as_micro(), worst);
            if self.best.is_none_or(better) {
                self.best = Some(Quantity::from_micro(worst));
            }
        }
    }

    /// The mean is this from now on.
    pub(super) fn see(&mut self, mean: Option<Mean>, now: Timestamp) {
        let Some(mean) = mean else {
            self.known = None;
            self.kept.clear();
            return;
        };
        self.known.get_or_insert(now);
        let value = mean.sum / i64::from(mean.count.max(1));
        let mut since = now;
        while let Some((at, last)) = self.kept.back().copied() {
            if self.is_worse(last, value) {
                break;
            }
            since = at;
            self.kept.pop_back();
        }
        // A window that begins with what is no worse has this in it too.
        self.kept.push_back((since, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(above: bool, secs: i64, means: &[(i64, Option<i64>)]) -> Option<i64> {
        let mut window = Sustained {
            length: Duration::from_secs(secs),
            above,
            known: None,
            kept: VecDeque::new(),
            best: None,
        };
        for (at, mean) in means {
            let at = Timestamp::from_millis(at * 1_000);
            window.until(at);
            window.see(mean.map(|sum| Mean { sum, count: 1 }), at);
        }
        window.best.map(Quantity::as_micro)
    }

    #[test]
    fn the_best_window_counts_by_its_worst() {
        let means = [
            (0, Some(5)),
            (10, Some(9)),
            (20, Some(7)),
            (30, Some(1)),
            (40, Some(8)),
            (60, None),
        ];
        assert_eq!(best(true, 20, &means), Some(8), "8 lasted from 40 to 60");
        assert_eq!(best(true, 30, &means), Some(5), "from 0 to 30");
        assert_eq!(best(false, 10, &means), Some(1));
        assert_eq!(best(false, 20, &means), Some(7), "from 20 to 40");
        assert_eq!(
            best(true, 70, &means),
            None,
            "it was never known for so long"
        );
        let gap = [(0, Some(5)), (10, None), (11, Some(5)), (20, Some(5))];
        assert_eq!(best(true, 15, &gap), None);
    }

    /// The same as going through all windows.
    #[test]
    fn it_is_what_all_windows_come_to() {
        let mut state: u64 = 9;
        let mut random = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i64::try_from((state >> 33) % n).unwrap()
        };
        for _ in 0..500 {
            let (length, above) = (1 + random(8), random(2) == 0);
            let mut seconds: Vec<i64> = (0..30).map(|_| random(10)).collect();
            seconds.push(0);
            let means: Vec<(i64, Option<i64>)> =
                (0..).zip(&seconds).map(|(t, v)| (t, Some(*v))).collect();
            let windows = seconds[..30].windows(usize::try_from(length).unwrap());
            let expected = match above {
                true => windows.map(|w| *w.iter().min().unwrap()).max(),
                false => windows.map(|w| *w.iter().max().unwrap()).min(),
            };
            assert_eq!(
                best(above, length, &means),
                expected,
                "{length} {above} {seconds:?}"
            );
        }
    }
}
