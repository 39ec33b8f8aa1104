//! The minutes and hours of one sensor, read from the file.

use std::ops::Range;

use harit_engine::{FarmId, SensorId};
use rusqlite::{Connection, OptionalExtension, params};

use super::hours::rolled;
use crate::history::rollup::HOUR_MINUTES;
use crate::history::steps::{Joining, Span, Step};

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
    let mut joining = Joining::new(span, each);
    let (before, hours, after) = span.parts(rolled(db)?);
    read(db, MINUTES, 1, series, before, &mut joining)?;
    read(db, HOURS, HOUR_MINUTES, series, hours, &mut joining)?;
    read(db, MINUTES, 1, series, after, &mut joining)?;
    joining.end();
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
    joining: &mut Joining<'_>,
) -> rusqlite::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params![series, range.start, range.end])?;
    while let Some(row) = rows.next()? {
        joining.add(Step {
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

    use harit_engine::Timestamp;

    use super::super::write::write_rollups;
    use super::super::{hours, open};
    use super::*;
    use crate::history::Rollup;
    use crate::history::rollup::{Bucket, RollupRow};

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
                        write_rollups(&tx, &mut series, made, &[row]).unwrap();
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
