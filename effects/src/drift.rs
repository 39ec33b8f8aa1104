//! Sensors that leave their neighbours: those of the same quantity in the same place, over days.

use std::collections::BTreeMap;

use harit_engine::SensorType;

use crate::robust::{Spread, median, scaled};

const DAY_HOURS: i64 = 24;
/// A day counts with so many hours in which the sensor and a neighbour were read.
const LEAST_HOURS: usize = 6;
/// The days at the beginning of the time by whose middle the usual distance goes.
const BASE_DAYS: usize = 7;
/// The days that lie between these and those that are judged, at the least.
const LEAST_DAYS: usize = 10;
/// So many days in a row it is away.
const AWAY_DAYS: usize = 2;
/// So many times further than from one day to the next.
const TIMES: i64 = 4;

/// The hourly means of the sensors of a quantity in a place, by whole hours since the epoch, in micro-units.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// What they measure.
    pub signal: SensorType,
    /// Each sensor's hours.
    pub sensors: Vec<BTreeMap<i64, i64>>,
}

/// A sensor that left its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drift {
    /// Which one.
    pub sensor: usize,
    /// Whether it may as well be the other of two.
    pub or_other: bool,
    /// How far it lies from the middle of the others now, in micro-units.
    pub now: i64,
    /// How far it did at the beginning.
    pub usual: i64,
    /// How far it may lie from that.
    pub limit: i64,
}

/// The least distance that counts, in micro-units: what usual sensors promise.
const fn least(signal: SensorType) -> i64 {
    match signal {
        SensorType::Temperature | SensorType::SoilTemperature | SensorType::WaterTemperature => {
            1_000_000
        }
        SensorType::Ph => 200_000,
        SensorType::Ec => 150_000,
        SensorType::Humidity | SensorType::SoilMoisture | SensorType::ReservoirLevel => 4_000_000,
        SensorType::Co2Level => 75_000_000,
        other => {
            let (low, high) = other.editor_range();
            // a twentieth of what people set
            (high - low).saturating_mul(50_000)
        }
    }
}

/// The sensors that left their neighbours by the end of the day before the hour `now`. Of two sensors nobody can say which: the first
/// is named. Of more the one is named first that is furthest away, and the others are compared without it: it draws their middle along.
#[must_use]
pub fn drifting(all: &Neighbours, now: i64) -> Vec<Drift> {
    let mut left: Vec<usize> = (0..all.sensors.len()).collect();
    let away = |sensor: usize, left: &[usize]| {
        let drift = drift(&distances(all, sensor, left, now), least(all.signal))?;
        Some(Drift { sensor, ..drift })
    };
    if let [first, _] = *left {
        let found = away(first, &left).into_iter();
        return found
            .map(|drift| Drift {
                or_other: true,
                ..drift
            })
            .collect();
    }
    let mut found = Vec::new();
    // of two that are left nobody could say which
    while left.len() > 2 {
        let all_away = left.iter().filter_map(|sensor| away(*sensor, &left));
        let Some(furthest) = all_away.max_by_key(Drift::times) else {
            break;
        };
        left.retain(|sensor| *sensor != furthest.sensor);
        found.push(furthest);
    }
    found.sort_by_key(|drift| drift.sensor);
    found
}

impl Drift {
    /// How many times as far away as it may be, in thousandths.
    fn times(&self) -> i128 {
        let away = i128::from(self.now) - i128::from(self.usual);
        away.abs() * 1_000 / i128::from(self.limit.max(1))
    }
}

/// The sensor's distance from the middle of the others that are left, day by day; days of which too little is known are left out.
fn distances(all: &Neighbours, sensor: usize, left: &[usize], now: i64) -> Vec<i64> {
    let Some(own) = all.sensors.get(sensor) else {
        return Vec::new();
    };
    let mut days: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    let today = now.div_euclid(DAY_HOURS);
    let others = left.iter().filter(|i| **i != sensor);
    let others: Vec<_> = others.filter_map(|i| all.sensors.get(*i)).collect();
    for (hour, value) in own.range(..today * DAY_HOURS) {
        let values = others.iter().filter_map(|s| s.get(hour).copied()).collect();
        if let Some(middle) = median(values) {
            let day = days.entry(hour.div_euclid(DAY_HOURS)).or_default();
            day.push(value - middle);
        }
    }
    let known = days.into_values().filter(|d| d.len() >= LEAST_HOURS);
    known.filter_map(median).collect()
}

fn drift(days: &[i64], least: i64) -> Option<Drift> {
    if days.len() < LEAST_DAYS {
        return None;
    }
    let usual = Spread::of(days.get(..BASE_DAYS)?)?.median;
    // a drift shows hardly at all from one day to the next: what is left is how far days scatter
    let steps = days.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    let limit = (TIMES * scaled(median(steps)?) * 10 / 14).max(least);
    let away = |day: &&i64| (**day - usual).abs() > limit;
    let now = *days.last()?;
    let is_away = days.iter().rev().take(AWAY_DAYS).filter(away).count() == AWAY_DAYS;
    is_away.then_some(Drift {
        sensor: 0,
        or_other: false,
        now,
        usual,
        limit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hourly means of some sensors over 20 days; the second leaves by so much a day from day 10 on.
    fn neighbours(sensors: i64, per_day: i64) -> Neighbours {
        let of = |sensor: i64| {
            let hours = (0..20 * DAY_HOURS).map(|hour| {
                let course = 20_000_000 + (hour % 24) * 400_000;
                let wobble = (hour * 7_919 + sensor * 104_729) % 200_000;
                let away = if sensor == 1 {
                    (hour / 24 - 10).max(0) * per_day
                } else {
                    0
                };
                (hour, course + wobble + sensor * 300_000 + away)
            });
            hours.collect()
        };
        Neighbours {
            signal: SensorType::Temperature,
            sensors: (0..sensors).map(of).collect(),
        }
    }

    #[test]
    fn one_that_leaves_is_named_and_the_others_are_not() {
        let found = drifting(&neighbours(4, 300_000), 20 * DAY_HOURS);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].sensor, found[0].or_other), (1, false));
        assert!((found[0].now - found[0].usual) > 2_000_000, "{found:?}");
        assert_eq!(drifting(&neighbours(4, 0), 20 * DAY_HOURS), []);
    }

    #[test]
    fn of_three_the_one_that_left_is_named_and_not_those_whose_middle_it_draws_along() {
        let found = drifting(&neighbours(3, 900_000), 20 * DAY_HOURS);
        let named: Vec<_> = found.iter().map(|d| (d.sensor, d.or_other)).collect();
        assert_eq!(named, [(1, false)], "{found:?}");
    }

    #[test]
    fn of_two_nobody_knows_which() {
        let found = drifting(&neighbours(2, 300_000), 20 * DAY_HOURS);
        assert_eq!(
            found
                .iter()
                .map(|d| (d.sensor, d.or_other))
                .collect::<Vec<_>>(),
            [(0, true)]
        );
    }

    #[test]
    fn one_alone_and_a_short_past_say_nothing() {
        assert_eq!(drifting(&neighbours(1, 300_000), 20 * DAY_HOURS), []);
        let mut short = neighbours(3, 300_000);
        short
            .sensors
            .iter_mut()
            .for_each(|s| s.retain(|h, _| *h >= 11 * DAY_HOURS));
        assert_eq!(drifting(&short, 20 * DAY_HOURS), []);
    }
}
