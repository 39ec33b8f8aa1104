//! The past of many sensors in one question: the mean of a place, step by step, and what each sensor comes to.

use std::collections::BTreeMap;

use harit_engine::{Quantity, SensorId, Timestamp};

use super::rollup::MINUTE_MS;
use super::steps::{self, Span, Step};
use super::{HistoryError, Rollup};

/// The most minutes of sensors (hours or days where the steps are of whole ones) that one question reads: 200 sensors over 34 days, or 5 years
/// by the hour.
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

pub(super) fn span(question: &PlaceQuestion) -> Span {
    Span::new(question.from, question.to, question.step_sec)
}

/// The steps of all sensors, sensor by sensor, joined.
pub(super) struct Joined<'a> {
    question: &'a PlaceQuestion,
    groups: Vec<BTreeMap<i64, Sum>>,
    sensors: Vec<SensorPast>,
}

impl<'a> Joined<'a> {
    pub(super) fn new(question: &'a PlaceQuestion) -> Self {
        let groups = question.sensors.iter().map(|(_, g)| g + 1).max();
        Self {
            question,
            groups: vec![BTreeMap::new(); groups.unwrap_or(0)],
            sensors: Vec::with_capacity(question.sensors.len()),
        }
    }

    /// Adds the next sensor of the question; `read` gives its steps, oldest first.
    pub(super) fn add<E>(
        &mut self,
        read: impl FnOnce(&mut dyn FnMut(Step)) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut sum, mut count, mut steps) = (Sum::NONE, 0, Vec::new());
        let next = self.question.sensors.get(self.sensors.len());
        let group = next.and_then(|(_, group)| self.groups.get_mut(*group));
        if let Some(group) = group {
            read(&mut |step| {
                sum.add(step.mean(), step.min, step.max);
                count += step.count;
                if self.question.each {
                    steps.push(step.rollup());
                }
                let all = group.entry(step.at).or_insert(Sum::NONE);
                all.add(step.mean(), step.min, step.max);
            })?;
        }
        let known = |micro: i64| Quantity::from_micro(if count == 0 { 0 } else { micro });
        self.sensors.push(SensorPast {
            count,
            mean: known(sum.mean()),
            min: known(sum.min),
            max: known(sum.max),
            steps,
        });
        Ok(())
    }

    pub(super) fn past(self) -> PlacePast {
        let point = |(at, sum): (i64, Sum)| PlacePoint {
            at: Timestamp::from_millis(at.saturating_mul(MINUTE_MS)),
            sensors: sum.n,
            mean: Quantity::from_micro(sum.mean()),
            min: Quantity::from_micro(sum.min),
            max: Quantity::from_micro(sum.max),
        };
        PlacePast {
            groups: self
                .groups
                .into_iter()
                .map(|steps| steps.into_iter().map(point).collect())
                .collect(),
            sensors: self.sensors,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::history) fn ask(
        sensors: &[(&str, usize)],
        minutes: i64,
        step_sec: u32,
        each: bool,
    ) -> PlaceQuestion {
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
    fn a_question_that_reads_too_much_is_refused() {
        let days = |n: i64| n * 24 * 60;
        let many: Vec<(String, usize)> = (0..200).map(|i| (format!("t{i}"), 0)).collect();
        let many: Vec<(&str, usize)> = many.iter().map(|(id, g)| (id.as_str(), *g)).collect();
        assert!(check(&ask(&many, days(30), 60, false)).is_ok());
        assert!(check(&ask(&many, days(35), 60, false)).is_err());
        assert!(check(&ask(&many, i64::MAX / MINUTE_MS, 60, false)).is_err());
    }
}
