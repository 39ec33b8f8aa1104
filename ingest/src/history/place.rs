//! The past of many sensors in one question: the mean of a place, step by step, and what each sensor comes to.

use std::collections::BTreeMap;

use harit_engine::{FarmId, Quantity, SensorId, Timestamp};
use rusqlite::{Connection, params};

use super::rollup::MINUTE_MS;
use super::{HistoryError, Rollup};

/// The most minutes of sensors that one question reads: 200 sensors over 34 days.
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
        mean(self.total, self.n)
    }
}

/// The mean, halves away from zero.
pub(super) fn mean(total: i128, n: u64) -> i64 {
    let n = i128::from(n.max(1));
    let mean = (total.abs() * 2 + n) / (n * 2) * total.signum();
    i64::try_from(mean).unwrap_or(i64::MAX)
}

/// A sensor's readings in one step.
struct Step {
    sensor: usize,
    at: i64,
    sum: i128,
    count: u64,
    min: i64,
    max: i64,
    last: i64,
    last_at: i64,
}

/// Whether the question reads no more than it may.
pub(super) fn check(question: &PlaceQuestion) -> Result<(), HistoryError> {
    let (first, last) = minutes(question);
    let sensors = i64::try_from(question.sensors.len()).unwrap_or(i64::MAX);
    let points = last.saturating_sub(first).saturating_mul(sensors);
    if points > MAX_MINUTES {
        return Err(HistoryError::TooLong { minutes: points });
    }
    Ok(())
}

fn minutes(question: &PlaceQuestion) -> (i64, i64) {
    let to = question.to.as_millis().saturating_add(MINUTE_MS - 1);
    (
        question.from.as_millis().div_euclid(MINUTE_MS),
        to.div_euclid(MINUTE_MS),
    )
}

/// Reads the minutes of all sensors once, sensor by sensor, and joins them.
pub(super) fn past(
    db: &Connection,
    farm: &FarmId,
    question: &PlaceQuestion,
) -> rusqlite::Result<PlacePast> {
    let step = i64::from(question.step_sec).max(1).saturating_add(59) / 60;
    let (first, last) = minutes(question);
    let groups = question.sensors.iter().map(|(_, g)| g + 1).max();
    let mut joined: Vec<BTreeMap<i64, Sum>> = vec![BTreeMap::new(); groups.unwrap_or(0)];
    let mut of_sensors = vec![(Sum::NONE, 0_u64, Vec::new()); question.sensors.len()];
    let mut close = |done: Step| {
        let mean = mean(done.sum, done.count);
        let Some((sum, count, steps)) = of_sensors.get_mut(done.sensor) else {
            return;
        };
        sum.add(mean, done.min, done.max);
        *count += done.count;
        let at = Timestamp::from_millis(done.at.saturating_mul(MINUTE_MS));
        if question.each {
            steps.push(Rollup {
                at,
                count: done.count,
                mean: Quantity::from_micro(mean),
                min: Quantity::from_micro(done.min),
                max: Quantity::from_micro(done.max),
                last: Quantity::from_micro(done.last),
                sum_micro: i64::try_from(done.sum).unwrap_or(i64::MAX),
            });
        }
        let group = question.sensors.get(done.sensor).map(|(_, group)| *group);
        if let Some(group) = group.and_then(|g| joined.get_mut(g)) {
            let all = group.entry(done.at).or_insert(Sum::NONE);
            all.add(mean, done.min, done.max);
        }
    };
    let ids: Vec<&str> = question.sensors.iter().map(|(id, _)| id.as_str()).collect();
    // CROSS JOIN keeps the order of the loops: one sensor after the other, each by its key, which is by minute.
    let mut statement = db.prepare_cached(
        "SELECT j.key, r.minute, r.count, r.sum, r.min, r.max, r.last, r.last_at FROM json_each(?2) j \
         CROSS JOIN series s ON s.farm = ?1 AND s.sensor = j.value \
         CROSS JOIN rollup r ON r.series = s.id AND r.minute >= ?3 AND r.minute < ?4",
    )?;
    let ids = serde_json::to_string(&ids).unwrap_or_else(|_| "[]".to_owned());
    let mut rows = statement.query(params![farm.as_str(), ids, first, last])?;
    let mut open: Option<Step> = None;
    while let Some(row) = rows.next()? {
        let sensor = usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX);
        let minute: i64 = row.get(1)?;
        let at = minute - minute.rem_euclid(step);
        let (count, sum): (i64, i64) = (row.get(2)?, row.get(3)?);
        let (min, max): (i64, i64) = (row.get(4)?, row.get(5)?);
        let (value, value_at): (i64, i64) = (row.get(6)?, row.get(7)?);
        match open.as_mut().filter(|s| s.sensor == sensor && s.at == at) {
            Some(s) => {
                s.count += count.unsigned_abs();
                s.sum += i128::from(sum);
                (s.min, s.max) = (s.min.min(min), s.max.max(max));
                if value_at >= s.last_at {
                    (s.last, s.last_at) = (value, value_at);
                }
            }
            None => {
                let next = Step {
                    sensor,
                    at,
                    sum: i128::from(sum),
                    count: count.unsigned_abs(),
                    min,
                    max,
                    last: value,
                    last_at: value_at,
                };
                if let Some(done) = open.replace(next) {
                    close(done);
                }
            }
        }
    }
    if let Some(done) = open {
        close(done);
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
               PRIMARY KEY (series, minute)) WITHOUT ROWID;",
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
                params![farm, sensor, minute, i64::try_from(readings.len()).expect("few"), sum, min, max, readings.last()],
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
