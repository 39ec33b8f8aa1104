//! The past of many sensors in one question: the mean of a place, step by step, and what each sensor comes to.

use std::collections::BTreeMap;

use harit_engine::{FarmId, Quantity, SensorId, Timestamp};
use rusqlite::Connection;

use super::rollup::MINUTE_MS;
use super::steps::{self, Span};
use super::{HistoryError, Rollup};

/// The most minutes of sensors (hours where the steps are of whole hours) that one question reads: 200 sensors over 34 days, or 5 years.
pub const MAX_MINUTES: i64 = 10_000_000;

/// Which sensors, in groups (one a quantity), and which time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceQuestion {
    /// The sensors, each with the number of its group.
    pub sensors: Vec<(SensorId, usize)>,
    /// From this instant on.
    pub from: Timestamp,
    /// Up to, and not including, this instant.
    pub to: Timestamp,
    /// The length of a step in seconds, rounded up to whole minutes.
    pub step_sec: u32,
    /// Whether each sensor's steps are asked for too.
    pub each: bool,
}

/// The good readings of a group of sensors in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacePoint {
    /// The step's beginning.
    pub at: Timestamp,
    /// How many sensors had a good reading.
    pub sensors: u64,
    /// The mean of the sensors' means, to the nearest micro-unit: a sensor that reports more often counts no more.
    pub mean: Quantity,
    /// The smallest reading.
    pub min: Quantity,
    /// The largest reading.
    pub max: Quantity,
}

/// What a sensor's good readings come to over the whole time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensorPast {
    /// How many good readings; without one the others are zero.
    pub count: u64,
    /// The mean of the steps' means, to the nearest micro-unit.
    pub mean: Quantity,
    /// The smallest.
    pub min: Quantity,
    /// The largest.
    pub max: Quantity,
    /// Each step, oldest first, where that was asked.
    pub steps: Vec<Rollup>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacePast {
    /// The steps of each group, oldest first. Steps without a good reading are absent: a gap stays a gap.
    pub groups: Vec<Vec<PlacePoint>>,
    /// What each sensor comes to, in the order of the question.
    pub sensors: Vec<SensorPast>,
}

/// A sum of micro-units and how many they are.
#[derive(Debug, Clone, Copy)]
struct Sum {
    total: i128,
    n: u64,
    min: i64,
    max: i64,
}

impl Sum {
    const NONE: Self = Self {
        total: 0,
        n: 0,
        min: i64::MAX,
        max: i64::MIN,
    };

    fn add(&mut self, micro: i64, min: i64, max: i64) {
        self.total += i128::from(micro);
        self.n += 1;
        (self.min, self.max) = (self.min.min(min), self.max.max(max));
    }

    fn mean(self) -> i64 {
        steps::mean(self.total, self.n)
    }
}

/// Whether the question reads no more than it may.
pub(super) fn check(question: &PlaceQuestion) -> Result<(), HistoryError> {
    let sensors = i64::try_from(question.sensors.len()).unwrap_or(i64::MAX);
    let points = span(question).rows().saturating_mul(sensors);
    if points > MAX_MINUTES {
        return Err(HistoryError::TooLong { minutes: points });
    }
    Ok(())
}

fn span(question: &PlaceQuestion) -> Span {
    Span::new(question.from, question.to, question.step_sec)
}

/// Reads the steps of all sensors, sensor by sensor, and joins them.
pub(super) fn past(
    db: &Connection,
    farm: &FarmId,
    question: &PlaceQuestion,
) -> rusqlite::Result<PlacePast> {
    let span = span(question);
    let groups = question.sensors.iter().map(|(_, g)| g + 1).max();
    let mut joined: Vec<BTreeMap<i64, Sum>> = vec![BTreeMap::new(); groups.unwrap_or(0)];
    let mut of_sensors = Vec::with_capacity(question.sensors.len());
    for (sensor, group) in &question.sensors {
        let (mut sum, mut count, mut each) = (Sum::NONE, 0, Vec::new());
        if let (Some(series), Some(group)) =
            (steps::series(db, farm, sensor)?, joined.get_mut(*group))
        {
            steps::steps(db, series, span, &mut |step| {
                sum.add(step.mean(), step.min, step.max);
                count += step.count;
                if question.each {
                    each.push(step.rollup());
                }
                let all = group.entry(step.at).or_insert(Sum::NONE);
                all.add(step.mean(), step.min, step.max);
            })?;
        }
        of_sensors.push((sum, count, each));
    }
    let point = |(at, sum): (i64, Sum)| PlacePoint {
        at: Timestamp::from_millis(at.saturating_mul(MINUTE_MS)),
        sensors: sum.n,
        mean: Quantity::from_micro(sum.mean()),
        min: Quantity::from_micro(sum.min),
        max: Quantity::from_micro(sum.max),
    };
    let sensor = |(sum, count, steps): (Sum, u64, Vec<Rollup>)| {
        let known = |micro: i64| Quantity::from_micro(if count == 0 { 0 } else { micro });
        SensorPast {
            count,
            mean: known(sum.mean()),
            min: known(sum.min),
            max: known(sum.max),
            steps,
        }
    };
    Ok(PlacePast {
        groups: joined
            .into_iter()
            .map(|steps| steps.into_iter().map(point).collect())
            .collect(),
        sensors: of_sensors.into_iter().map(sensor).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FARM: &str = "farm";

    /// A store with minutes of sensors: (sensor, minute, readings).
    fn store(minutes: &[(&str, i64, &[i64])]) -> Connection {
        let db = Connection::open_in_memory().expect("a store");
        db.execute_batch(
            "CREATE TABLE series (id INTEGER PRIMARY KEY, farm TEXT NOT NULL, sensor TEXT NOT NULL, UNIQUE (farm, sensor));
             CREATE TABLE rollup (series INTEGER NOT NULL, minute INTEGER NOT NULL, count INTEGER NOT NULL, sum INTEGER NOT NULL,
               min INTEGER NOT NULL, max INTEGER NOT NULL, last INTEGER NOT NULL, last_at INTEGER NOT NULL,
               PRIMARY KEY (series, minute)) WITHOUT ROWID;
             CREATE TABLE rolled (hour INTEGER NOT NULL);",
        )
        .expect("tables");
        for (sensor, minute, readings) in minutes {
            let (farm, sensor) = sensor.split_once('/').unwrap_or((FARM, sensor));
            db.execute(
                "INSERT OR IGNORE INTO series (farm, sensor) VALUES (?1, ?2)",
                [farm, sensor],
            )
            .expect("a series");
            let sum: i64 = readings.iter().sum();
            let (min, max) = (readings.iter().min(), readings.iter().max());
            db.execute(
                "INSERT INTO rollup SELECT id, ?3, ?4, ?5, ?6, ?7, ?8, ?3 * 60000 + 1 FROM series WHERE farm = ?1 AND sensor = ?2",
                rusqlite::params![farm, sensor, minute, i64::try_from(readings.len()).expect("few"), sum, min, max, readings.last()],
            )
            .expect("a minute");
        }
        db
    }

    fn ask(sensors: &[(&str, usize)], minutes: i64, step_sec: u32, each: bool) -> PlaceQuestion {
        PlaceQuestion {
            sensors: sensors
                .iter()
                .map(|&(id, group)| (id.into(), group))
                .collect(),
            from: Timestamp::from_millis(0),
            to: Timestamp::from_millis(minutes * MINUTE_MS),
            step_sec,
            each,
        }
    }

    #[test]
    fn a_place_is_the_mean_of_its_sensors_step_by_step() {
        let db = store(&[
            // Reports often, and so counts no more than the other.
            ("t1", 0, &[10, 20, 30]),
            ("t1", 1, &[40]),
            ("t2", 1, &[100]),
            ("t2", 6, &[7]),
            ("ph", 6, &[-3]),
            ("other/t1", 0, &[9_999]),
            ("t2", 10, &[5_000]),
        ]);
        let question = ask(
            &[("t2", 1), ("ph", 0), ("t1", 1), ("none", 1)],
            10,
            120,
            true,
        );
        let past = past(&db, &FARM.into(), &question).expect("an answer");
        let points: Vec<Vec<_>> = (past.groups.iter())
            .map(|points| {
                let of = |p: &PlacePoint| {
                    let micro = [p.mean, p.min, p.max].map(Quantity::as_micro);
                    (p.at.as_millis() / MINUTE_MS, p.sensors, micro)
                };
                points.iter().map(of).collect()
            })
            .collect();
        assert_eq!(
            points,
            [
                vec![(6, 1, [-3, -3, -3])],
                // t1: 100 over 4 readings; t2: 100
                vec![(0, 2, [63, 10, 100]), (6, 1, [7, 7, 7])],
            ]
        );
        let sensors: Vec<_> = (past.sensors.iter())
            .map(|s| {
                (
                    s.count,
                    s.mean.as_micro(),
                    s.min.as_micro(),
                    s.max.as_micro(),
                    s.steps.len(),
                )
            })
            .collect();
        assert_eq!(
            sensors,
            [
                (2, 54, 7, 100, 2),
                (1, -3, -3, -3, 1),
                (4, 25, 10, 40, 1),
                (0, 0, 0, 0, 0)
            ]
        );
        let none = super::past(&db, &"nobody".into(), &question).expect("an answer");
        assert_eq!(none.groups, [vec![], vec![]]);
    }

    #[test]
    fn a_question_that_reads_too_much_is_refused() {
        let days = |n: i64| n * 24 * 60;
        let many: Vec<(String, usize)> = (0..200).map(|i| (format!("t{i}"), 0)).collect();
        let many: Vec<(&str, usize)> = many.iter().map(|(id, g)| (id.as_str(), *g)).collect();
        assert!(check(&ask(&many, days(30), 60, false)).is_ok());
        assert!(check(&ask(&many, days(35), 60, false)).is_err());
        assert!(check(&ask(&many, i64::MAX / MINUTE_MS, 60, false)).is_err());
    }
}
