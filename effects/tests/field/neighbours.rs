//! Several sensors in each place of a played farm, one of which may drift: by the end of which day that is told.

use std::collections::BTreeMap;

use harit_effects::{LEARN_DAYS, Neighbours, drifting};
use harit_engine::SensorType;
use harit_simulate::model::{Grade, Noise, Probe};

use super::{Played, key};

const DAY_HOURS: i64 = 24;
/// Sensors of a place, and the one that drifts.
const SENSORS: usize = 3;
pub(crate) const DRIFTS: usize = 1;

/// A sensor that reads more from day to day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drift {
    pub(crate) from_day: i64,
    /// In units.
    pub(crate) per_day: f64,
}

impl Played {
    /// The day by whose end each sensor of a place is told first, and the sensor. They hang apart and warm unlike: each reads a little
    /// more than the one before, and is a little steeper.
    pub(crate) fn left(
        &self,
        (signal, probe): (SensorType, Probe),
        apart: f64,
        drift: Option<Drift>,
    ) -> Vec<(i64, usize)> {
        let of = |sensor| self.hours((signal, probe), sensor, apart, drift);
        let sensors: Vec<BTreeMap<i64, i64>> = (0..SENSORS).map(of).collect();
        let days = (self.end - self.begin()) / 86_400_000 + 1;
        let first = self.begin() / 3_600_000;
        let mut told: Vec<(i64, usize)> = Vec::new();
        for day in 0..days {
            let now = first + (day + 1) * DAY_HOURS;
            let since = now - LEARN_DAYS * DAY_HOURS;
            let past = sensors
                .iter()
                .map(|s| s.range(since..).map(|(h, v)| (*h, *v)).collect());
            let all = Neighbours {
                signal,
                sensors: past.collect(),
            };
            for found in drifting(&all, now) {
                if told.iter().all(|(_, sensor)| *sensor != found.sensor) {
                    told.push((day, found.sensor));
                }
            }
        }
        told
    }

    /// A sensor's hourly means, in micro-units.
    #[allow(clippy::cast_precision_loss, reason = "readings and days are small")]
    #[allow(clippy::cast_possible_truncation, reason = "readings are small")]
    fn hours(
        &self,
        (signal, probe): (SensorType, Probe),
        sensor: usize,
        apart: f64,
        drift: Option<Drift>,
    ) -> BTreeMap<i64, i64> {
        let (grade, noise) = (Grade::usual(signal), Noise::new(0xD217));
        let truths = &self.truths[&key(probe)];
        let middle = truths.iter().sum::<f64>() / truths.len() as f64;
        let mut hours: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
        for (minute, truth) in truths.iter().enumerate() {
            let day = minute as f64 / 1_440.0;
            let away = drift
                .filter(|_| sensor == DRIFTS)
                .map_or(0.0, |d| (day - d.from_day as f64).max(0.0) * d.per_day);
            let hangs = sensor as f64 * (apart + 0.02 * (truth - middle));
            let n = u64::try_from(minute).expect("a minute");
            let value = grade.measure(signal, noise, sensor as u64, n, truth + hangs + away);
            let hour = self.begin() / 3_600_000 + i64::try_from(minute / 60).expect("an hour");
            let (sum, count) = hours.entry(hour).or_default();
            (*sum, *count) = (*sum + value, *count + 1.0);
        }
        let mean =
            |(hour, (sum, count)): (i64, (f64, f64))| (hour, (sum / count * 1e6).round() as i64);
        hours.into_iter().map(mean).collect()
    }
}
