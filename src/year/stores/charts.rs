//! The charts that are asked for, the same of every store, and how long they take.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use harit_api::chart_step_sec;
use harit_engine::{SensorId, Timestamp};
use harit_ingest::history::place::PlaceQuestion;

use super::super::farm::{BEGIN, KINDS, Year};
use super::{DAY_MS, Error};

/// What charts show, in days.
pub(super) const SPANS: [(&str, i64); 3] = [("day", 1), ("month", 30), ("year", 365)];
const HOUR_MS: i64 = 3_600_000;

/// Whose past a chart shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Of {
    /// One sensor.
    Sensor,
    /// The sensors of a zone, a quantity each.
    Zone,
    /// All of a farm, the mean of each quantity.
    Farm,
}

impl Of {
    pub(super) const ALL: [Self; 3] = [Self::Sensor, Self::Zone, Self::Farm];
    /// Where a chart of all readings of a farm would take minutes.
    pub(super) const FEW: [Self; 2] = [Self::Sensor, Self::Zone];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Sensor => "sensor",
            Self::Zone => "zone",
            Self::Farm => "farm",
        }
    }

    /// How many sensors, of so many.
    const fn sensors(self, all: usize) -> usize {
        match self {
            Self::Sensor => 1,
            Self::Zone => KINDS.len(),
            Self::Farm => all,
        }
    }

    /// How often it is asked.
    const fn asked(self) -> usize {
        match self {
            Self::Sensor | Self::Zone => 200,
            Self::Farm => 20,
        }
    }
}

/// The median and the 99th percentile; of few the longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) p50: Duration,
    pub(super) p99: Duration,
}

impl Times {
    fn of(mut took: Vec<Duration>) -> Self {
        took.sort_unstable();
        let at = |part: usize| took[(took.len() * part).div_ceil(100).max(1) - 1];
        Self {
            p50: at(50),
            p99: at(99),
        }
    }
}

/// The questions, and what the first store answered.
pub(super) struct Charts {
    sensors: Vec<(SensorId, usize)>,
    days: i64,
    answers: BTreeMap<(Of, i64), (String, u64)>,
}

impl Charts {
    pub(super) fn new(year: Year, days: u32) -> Self {
        let sensor = |(id, kind, _): (String, usize, usize)| (SensorId::new(id), kind);
        Self {
            sensors: year.sensors().into_iter().map(sensor).collect(),
            days: days.into(),
            answers: BTreeMap::new(),
        }
    }

    /// Asks for the charts of each span, after one to begin with. `ask` says how many readings are in an answer: as many as in that of
    /// the first store.
    pub(super) fn measure(
        &mut self,
        store: &str,
        of: Of,
        ask: &mut dyn FnMut(&PlaceQuestion) -> Result<u64, Error>,
    ) -> Result<Vec<Times>, Error> {
        let mut all = Vec::new();
        for (name, days) in SPANS {
            let questions = (0..of.asked()).map(|n| self.question(of, days, n));
            let questions: Vec<_> = questions.collect::<Option<_>>().ok_or("no step fits")?;
            let (mut took, mut readings) = (Vec::new(), 0);
            ask(&questions[0])?;
            for question in &questions {
                let began = Instant::now();
                readings += ask(question)?;
                took.push(began.elapsed());
            }
            let first = || (store.to_owned(), readings);
            let (whose, expected) = self.answers.entry((of, days)).or_insert_with(first);
            if *expected != readings {
                let of = of.name();
                return Err(format!(
                    "charts of a {of}'s {name} have {readings} readings in {store:?} and {expected} in {whose:?}"
                )
                .into());
            }
            all.push(Times::of(took));
        }
        Ok(all)
    }

    /// The chart of other sensors and another time with each number, as the console asks for it: it ends with a whole step.
    fn question(&self, of: Of, days: i64, n: usize) -> Option<PlaceQuestion> {
        let all = self.sensors.len();
        let sensors = of.sensors(all);
        let place = n * 37 % all.div_ceil(sensors) * sensors;
        // Ends within what was measured; where that is not longer than the span, within its last day.
        let ends_within = (self.days - days).max(1) * 24;
        let back = i64::try_from(n).ok()? * 53 % ends_within * HOUR_MS;
        let to = BEGIN + self.days * DAY_MS - back;
        let step_sec = chart_step_sec(to - days * DAY_MS, to, 0)?;
        let to = to + (-to).rem_euclid(i64::from(step_sec) * 1_000);
        Some(PlaceQuestion {
            sensors: self.sensors[place..all.min(place + sensors)].to_vec(),
            from: Timestamp::from_millis(to - days * DAY_MS),
            to: Timestamp::from_millis(to),
            step_sec,
            each: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_of_all_sensors_and_many_times() {
        let charts = Charts::new(Year::of(100), 365);
        let asked = |of: Of, days| (0..of.asked()).map(move |n| (of, days, n));
        let count = |of, days, what: fn(&PlaceQuestion) -> String| {
            let all = asked(of, days).map(|(of, d, n)| what(&charts.question(of, d, n).unwrap()));
            all.collect::<std::collections::BTreeSet<_>>().len()
        };
        let sensors = |q: &PlaceQuestion| format!("{:?}", q.sensors);
        let from = |q: &PlaceQuestion| q.from.as_millis().to_string();
        assert_eq!(count(Of::Sensor, 1, sensors), 100);
        assert_eq!(count(Of::Zone, 365, sensors), 20);
        assert_eq!(count(Of::Sensor, 1, from), 200);
        assert!(count(Of::Sensor, 30, from) > 150);
        let steps = SPANS.map(|(_, days)| charts.question(Of::Zone, days, 0).unwrap().step_sec);
        assert_eq!(steps, [300, 7_200, 86_400]);
    }

    #[test]
    fn of_few_the_longest_is_told() {
        let ms = Duration::from_millis;
        let times = Times::of((1..=20).rev().map(ms).collect());
        assert_eq!((times.p50, times.p99), (ms(10), ms(20)));
        let times = Times::of((1..=200).map(ms).collect());
        assert_eq!((times.p50, times.p99), (ms(100), ms(198)));
    }
}
