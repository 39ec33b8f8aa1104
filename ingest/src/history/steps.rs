//! The readings of one sensor joined into steps of time: of its hours where each step is of whole hours, of its minutes otherwise.

use std::ops::Range;

use harit_engine::{FarmId, Quantity, SensorId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::Rollup;
use super::hours::{HOUR_MINUTES, rolled};
use super::rollup::MINUTE_MS;

/// The good readings of a sensor in one step; of at least one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The step's beginning, in minutes.
    pub(super) at: i64,
    pub(super) sum: i128,
    pub(super) count: u64,
    pub(super) min: i64,
    pub(super) max: i64,
    last: i64,
    last_at: i64,
}

impl Step {
    pub(super) fn timestamp(&self) -> Timestamp {
        Timestamp::from_millis(self.at.saturating_mul(MINUTE_MS))
    }

    /// The mean, halves away from zero.
    pub(super) fn mean(&self) -> i64 {
        mean(self.sum, self.count)
    }

    pub(super) fn rollup(&self) -> Rollup {
        Rollup {
            at: self.timestamp(),
            count: self.count,
            mean: Quantity::from_micro(self.mean()),
            min: Quantity::from_micro(self.min),
            max: Quantity::from_micro(self.max),
            last: Quantity::from_micro(self.last),
            sum_micro: i64::try_from(self.sum).unwrap_or(i64::MAX),
        }
    }

    fn join(&mut self, later: &Self) {
        self.count += later.count;
        self.sum += later.sum;
        (self.min, self.max) = (self.min.min(later.min), self.max.max(later.max));
        if later.last_at >= self.last_at {
            (self.last, self.last_at) = (later.last, later.last_at);
        }
    }
}

/// The mean, halves away from zero.
pub(super) fn mean(total: i128, n: u64) -> i64 {
    let n = i128::from(n.max(1));
    let mean = (total.abs() * 2 + n) / (n * 2) * total.signum();
    i64::try_from(mean).unwrap_or(i64::MAX)
}

/// Which minutes, and in steps of how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) first: i64,
    /// The minute after the last.
    pub(super) end: i64,
    /// At least 1.
    pub(super) step: i64,
}

impl Span {
    /// The span of minutes that has [from, to), in steps of whole minutes.
    pub(super) fn new(from: Timestamp, to: Timestamp, step_sec: u32) -> Self {
        let end = to.as_millis().saturating_add(MINUTE_MS - 1);
        Self {
            first: from.as_millis().div_euclid(MINUTE_MS),
            end: end.div_euclid(MINUTE_MS),
            step: i64::from(step_sec).max(1).saturating_add(59) / 60,
        }
    }

    pub(super) const fn minutes(self) -> i64 {
        self.end.saturating_sub(self.first)
    }

    const fn is_of_hours(self) -> bool {
        self.step % HOUR_MINUTES == 0
    }

    /// The most rows that are read of a sensor.
    pub(super) const fn rows(self) -> i64 {
        if self.is_of_hours() {
            self.minutes() / HOUR_MINUTES
        } else {
            self.minutes()
        }
    }

    /// The whole hours in it that are there as such.
    fn hours(self, rolled: i64) -> Range<i64> {
        let first = self
            .first
            .saturating_add(HOUR_MINUTES - 1)
            .div_euclid(HOUR_MINUTES);
        let end = self.end.div_euclid(HOUR_MINUTES).min(rolled);
        match self.is_of_hours() && first < end {
            true => first..end,
            false => first..first,
        }
    }
}

/// A sensor's number in the store, if it ever had a good reading.
pub(super) fn series(
    db: &Connection,
    farm: &FarmId,
    sensor: &SensorId,
) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM series WHERE farm = ?1 AND sensor = ?2")?
        .query_row([farm.as_str(), sensor.as_str()], |r| r.get(0))
        .optional()
}

/// Gives each step with a good reading, oldest first.
pub(super) fn steps(
    db: &Connection,
    series: i64,
    span: Span,
    each: &mut dyn FnMut(Step),
) -> rusqlite::Result<()> {
    let mut open: Option<Step> = None;
    let mut add = |mut next: Step| {
        next.at -= next.at.rem_euclid(span.step);
        match open.as_mut().filter(|s| s.at == next.at) {
            Some(s) => s.join(&next),
            None => {
                if let Some(done) = open.replace(next) {
                    each(done);
                }
            }
        }
    };
    let hours = span.hours(rolled(db)?);
    if hours.is_empty() {
        read(db, MINUTES, 1, series, span.first..span.end, &mut add)?;
    } else {
        let (first, end) = (hours.start * HOUR_MINUTES, hours.end * HOUR_MINUTES);
        read(db, MINUTES, 1, series, span.first..first, &mut add)?;
        read(db, HOURS, HOUR_MINUTES, series, hours, &mut add)?;
        read(db, MINUTES, 1, series, end..span.end, &mut add)?;
    }
    if let Some(done) = open {
        each(done);
    }
    Ok(())
}

const MINUTES: &str = "SELECT minute, count, sum, min, max, last, last_at FROM rollup \
     WHERE series = ?1 AND minute >= ?2 AND minute < ?3 ORDER BY minute";
const HOURS: &str = "SELECT hour, count, sum, min, max, last, last_at FROM hour \
     WHERE series = ?1 AND hour >= ?2 AND hour < ?3 ORDER BY hour";

/// Reads rows that are so many minutes long.
fn read(
    db: &Connection,
    sql: &str,
    length: i64,
    series: i64,
    range: Range<i64>,
    add: &mut dyn FnMut(Step),
) -> rusqlite::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params![series, range.start, range.end])?;
    while let Some(row) = rows.next()? {
        add(Step {
            at: row.get::<_, i64>(0)?.saturating_mul(length),
            count: row.get::<_, i64>(1)?.unsigned_abs(),
            sum: i128::from(row.get::<_, i64>(2)?),
            min: row.get(3)?,
            max: row.get(4)?,
            last: row.get(5)?,
            last_at: row.get(6)?,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::hours;
    use super::super::rollup::{Bucket, RollupRow};
    use super::super::store::open;
    use super::super::told::Fold;
    use super::super::writer::write_rollups;
    use super::*;

    /// What happens to a store.
    #[derive(Debug, Clone)]
    enum Op {
        /// A reading of one of two sensors, at so many seconds after 22 hours before the epoch.
        Reading(usize, i64, i64),
        /// Hours are made up to this one.
        Roll(i64),
    }

    fn op() -> impl Strategy<Value = Op> {
        let reading = (0..2_usize, 0..200_000_i64, -50..50_i64);
        prop_oneof![
            8 => reading.prop_map(|(s, at, v)| Op::Reading(s, at, v)),
            1 => (-25..40_i64).prop_map(Op::Roll),
        ]
    }

    fn all(db: &Connection, span: Span) -> Vec<Vec<Rollup>> {
        let of = |sensor: &str| {
            let mut all = Vec::new();
            if let Some(s) = series(db, &"f".into(), &sensor.into()).unwrap() {
                steps(db, s, span, &mut |step| all.push(step.rollup())).unwrap();
            }
            all
        };
        vec![of("s0"), of("s1")]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn hours_say_what_their_minutes_say(
            ops in prop::collection::vec(op(), 1..120),
            asked in prop::collection::vec((0..4_000_i64, 0..4_000_i64, 1..5_i64), 8),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut db = open(&dir.path().join("history.db")).unwrap();
            let mut series = HashMap::new();
            for op in ops {
                let tx = db.transaction().unwrap();
                let made = rolled(&tx).unwrap();
                match op {
                    Op::Reading(sensor, at, value) => {
                        let mut bucket = Bucket::default();
                        let at = Timestamp::from_millis(at * 1_000 - 22 * 3_600_000);
                        prop_assert!(bucket.add(at, value).is_none());
                        let row = RollupRow {
                            farm: "f".into(),
                            sensor: format!("s{sensor}").as_str().into(),
                            bucket,
                        };
                        let fold = Fold { rollups: vec![row], ..Fold::default() };
                        write_rollups(&tx, &mut series, made, &fold).unwrap();
                    }
                    Op::Roll(now) if now > made => {
                        let mut to = made;
                        while to < now {
                            to = hours::roll_up(&tx, to, now).unwrap();
                        }
                    }
                    Op::Roll(_) => {}
                }
                tx.commit().unwrap();
            }
            let spans = asked.into_iter().map(|(from, length, hours)| {
                let first = from - 22 * HOUR_MINUTES;
                Span { first, end: first + length, step: hours * HOUR_MINUTES }
            });
            let spans: Vec<Span> = spans.collect();
            let by_hours: Vec<_> = spans.iter().map(|s| all(&db, *s)).collect();
            db.execute("DELETE FROM rolled", []).unwrap();
            let by_minutes: Vec<_> = spans.iter().map(|s| all(&db, *s)).collect();
            prop_assert_eq!(by_hours, by_minutes);
        }
    }
}
