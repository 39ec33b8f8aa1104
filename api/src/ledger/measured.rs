//! What a meter measured on a day: the difference of what it has counted, or its flow over time. Micro-units throughout.

use harit_engine::{SensorType, Timestamp};
use harit_ingest::history::Rollup;

use crate::letter::Span;

const MINUTE_MS: i64 = 60_000;
/// Measured and computed differ where they do by more than one part in so many of the larger of both,
const PARTS: i128 = 5;
/// and by more than so many micro-millilitres (20 L): many meters count in steps of 10 L.
const FLOOR: i128 = 20_000_000_000;

/// What a meter measured on a day.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Measured {
    /// Micro-millilitres; none where nothing was measured.
    pub(super) volume: Option<i128>,
    /// When nothing measured: its last reading was stale, or there was none.
    pub(super) gaps: Vec<Span>,
    /// How often what it has counted fell: it began anew, and what it counted around that is not in it.
    pub(super) restarts: usize,
}

/// What the minutes of a meter come to in a span; they may begin before it. A reading stands until the next, at most for `stale`
/// milliseconds and at least for its minute.
pub(super) fn measured(of: SensorType, minutes: &[Rollup], span: Span, stale: i64) -> Measured {
    let stale = stale.max(MINUTE_MS);
    let at = |r: &Rollup| r.at.as_millis();
    let first = minutes.partition_point(|r| at(r) + stale <= span.from);
    let end = minutes.partition_point(|r| at(r) < span.until);
    let mut covers = Vec::new();
    let mut all = Measured::default();
    for i in first..end {
        let Some(minute) = minutes.get(i) else { break };
        let next = minutes.get(i + 1).map_or(i64::MAX, at);
        let stands = Span {
            from: at(minute),
            until: next.min(at(minute) + stale),
        };
        covers.extend(stands.within(span));
        if of == SensorType::Flow {
            let volume = flowed(minute, stands, span);
            all.volume = Some(all.volume.unwrap_or(0) + volume);
        }
    }
    if of != SensorType::Flow {
        let begin = minutes.partition_point(|r| at(r) < span.from);
        for i in begin..end {
            let Some(minute) = minutes.get(i) else { break };
            let before = i.checked_sub(1).and_then(|i| minutes.get(i));
            // of a gap over the beginning nobody knows how much was before it
            let before = before.filter(|b| i > begin || at(b) + stale > span.from);
            let (rise, anew) = counted(before, minute);
            all.volume = Some(all.volume.unwrap_or(0) + rise);
            all.restarts += usize::from(anew);
        }
    }
    all.gaps = span.without(&covers);
    all
}

/// Litres a minute over milliseconds: the mean in its minute, then the last reading.
fn flowed(minute: &Rollup, stands: Span, span: Span) -> i128 {
    let over = stands.from + MINUTE_MS;
    let part = |from: i64, until: i64, flow: i64| {
        let part = Span { from, until }.within(span);
        part.map_or(0, |p| i128::from(flow) * i128::from(p.until - p.from))
    };
    let own = part(stands.from, stands.until.min(over), minute.mean.as_micro());
    // a litre a minute is 1,000 ml in 60,000 ms
    (own + part(over, stands.until, minute.last.as_micro())) / 60
}

/// How much more was counted than before, and whether the counter began anew. What it had counted between its last reading before
/// that and its first one after it nobody knows: it is left out, never guessed.
fn counted(before: Option<&Rollup>, minute: &Rollup) -> (i128, bool) {
    let anew = before.is_some_and(|b| minute.min < b.last);
    let from = before.filter(|_| !anew).map_or(minute.min, |b| b.last);
    let litres = i128::from(minute.last.as_micro()) - i128::from(from.as_micro());
    (litres.max(0) * 1_000, anew)
}

/// Whether what was measured is another amount than what was computed.
pub(super) const fn differs(measured: i128, computed: i128) -> bool {
    let apart = (measured - computed).abs();
    let larger = if measured > computed {
        measured
    } else {
        computed
    };
    apart > FLOOR && apart * PARTS > larger
}

/// From when on minutes are needed for what a meter measured from `from` on: its reading before is among them.
pub(super) fn needed_from(from: i64, stale: i64) -> Timestamp {
    Timestamp::from_millis(from.saturating_sub(stale.max(MINUTE_MS)))
}

#[cfg(test)]
mod tests {
    use harit_engine::Quantity;

    use super::*;

    const DAY: Span = Span {
        from: 600 * MINUTE_MS,
        until: 700 * MINUTE_MS,
    };
    const STALE: i64 = 5 * MINUTE_MS;

    /// A minute with readings from, up to.
    fn minute(at: i64, (min, last): (i64, i64)) -> Rollup {
        let litres = |l: i64| Quantity::from_micro(l * 1_000_000);
        Rollup {
            at: Timestamp::from_millis(at * MINUTE_MS),
            count: 2,
            mean: Quantity::from_micro((min + last) * 500_000),
            min: litres(min),
            max: litres(last.max(min)),
            last: litres(last),
            sum_micro: (min + last) * 1_000_000,
        }
    }

    fn litres(m: &Measured) -> Option<i128> {
        m.volume.map(|v| v / 1_000_000_000)
    }

    fn gaps(m: &Measured) -> Vec<(i64, i64)> {
        let minutes = |s: &Span| (s.from / MINUTE_MS, s.until / MINUTE_MS);
        m.gaps.iter().map(minutes).collect()
    }

    #[test]
    fn flow_is_summed_while_its_readings_stand_and_what_is_missing_is_named() {
        // 10 L/min from before the day on, 4 L/min after minute 610, nothing between 620 and 690
        let all: Vec<Rollup> = (595..610)
            .map(|m| minute(m, (10, 10)))
            .chain((610..621).map(|m| minute(m, (4, 4))))
            .chain([minute(690, (0, 2)), minute(698, (6, 6))])
            .collect();
        let found = measured(SensorType::Flow, &all, DAY, STALE);
        // 100 + 10 x 4 + 5 x 4, then a minute of 1 and four of 2, then two of 6
        assert_eq!(litres(&found), Some(100 + 60 + 1 + 8 + 12));
        assert_eq!(gaps(&found), [(625, 690), (695, 698)]);
        assert_eq!(found.restarts, 0);
        let before = Span {
            from: 0,
            until: 500 * MINUTE_MS,
        };
        let none = measured(SensorType::Flow, &all, before, STALE);
        assert_eq!((none.volume, gaps(&none)), (None, vec![(0, 500)]));
    }

    #[test]
    fn a_counter_is_read_by_difference_and_a_fall_is_a_restart() {
        let all = [
            minute(598, (1_000, 1_000)),
            minute(602, (1_010, 1_030)),
            minute(606, (1_100, 1_100)),
            // began anew within a minute, and by another meter that had counted less
            minute(610, (2, 7)),
            minute(614, (20, 20)),
            minute(640, (50, 50)),
        ];
        let found = measured(SensorType::Volume, &all, DAY, STALE);
        // 30 since the reading of the day before, 70, 5 since it began anew, 13, 30 over a gap
        assert_eq!(litres(&found), Some(30 + 70 + 5 + 13 + 30));
        assert_eq!(found.restarts, 1);
        assert_eq!(gaps(&found), [(619, 640), (645, 700)]);
        let later = Span {
            from: 630 * MINUTE_MS,
            ..DAY
        };
        let found = measured(SensorType::Volume, &all, later, STALE);
        assert_eq!(
            (litres(&found), gaps(&found)),
            (Some(0), vec![(630, 640), (645, 700)])
        );
    }

    #[test]
    fn more_than_a_fifth_and_twenty_litres_is_a_difference() {
        let litres = |m: i128, c: i128| differs(m * 1_000_000_000, c * 1_000_000_000);
        assert!(litres(310, 420) && litres(420, 310) && litres(21, 0));
        assert!(!litres(400, 420) && !litres(5, 25) && !litres(336, 420));
    }
}
