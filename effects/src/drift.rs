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
/// is named.
#[must_use]
pub fn drifting(all: &Neighbours, now: i64) -> Vec<Drift> {
    let two = all.sensors.len() == 2;
    let count = if two { 1 } else { all.sensors.len() };
    let drifts = (0..count).filter_map(|sensor| {
        let days = distances(all, sensor, now);
        let drift = drift(&days, least(all.signal))?;
        Some(Drift {
            sensor,
            or_other: two,
            ..drift
        })
    });
    drifts.collect()
}

/// The sensor's distance from the middle of the others, day by day; days of which too little is known are left out.
fn distances(all: &Neighbours, sensor: usize, now: i64) -> Vec<i64> {
    let Some(own) = all.sensors.get(sensor) else {
        return Vec::new();
    };
    let mut days: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    let today = now.div_euclid(DAY_HOURS);
    for (hour, value) in own.range(..today * DAY_HOURS) {
        let others = all.sensors.iter().enumerate().filter(|(i, _)| *i != sensor);
        let others = others.filter_map(|(_, s)| s.get(hour).copied()).collect();
        if let Some(middle) = median(others) {
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
