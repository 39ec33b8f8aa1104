//! The minutes, hours and days of one sensor, read from the file.

use std::ops::Range;

use harit_engine::{FarmId, SensorId};
use rusqlite::{Connection, OptionalExtension, params};

use super::levels::{rolled, select};
use crate::history::rollup::Level;
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

/// Gives each step with a good reading, oldest first; with what was last in it where that is asked for.
pub(super) fn steps(
    db: &Connection,
    series: i64,
    span: Span,
    with_last: bool,
    each: &mut dyn FnMut(Step),
) -> rusqlite::Result<()> {
    let mut joining = Joining::new(span, each);
    for (level, range) in span.parts(rolled(db)?) {
        read(db, level, series, range, with_last, &mut joining)?;
    }
    joining.end();
    Ok(())
}

fn read(
    db: &Connection,
    level: Level,
    series: i64,
    range: Range<i64>,
    with_last: bool,
    joining: &mut Joining<'_>,
) -> rusqlite::Result<()> {
    let mut statement = select(db, level, with_last)?;
    let mut rows = statement.query(params![series, range.start, range.end])?;
    while let Some(row) = rows.next()? {
        joining.add(Step {
            at: row.get::<_, i64>(0)?.saturating_mul(level.minutes()),
            count: row.get::<_, i64>(1)?.unsigned_abs(),
            sum: i128::from(row.get::<_, i64>(2)?),
            min: row.get(3)?,
            max: row.get(4)?,
            last: if with_last { row.get(5)? } else { 0 },
            last_at: if with_last { row.get(6)? } else { 0 },
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
    use super::super::{levels, open};
    use super::*;
    use crate::history::Rollup;
    use crate::history::rollup::{Bucket, HOUR_MINUTES, RollupRow};

    /// What happens to a store.
    #[derive(Debug, Clone)]
    enum Op {
        /// A reading of one of two sensors, at so many minutes after 50 hours before the epoch.
        Reading(usize, i64, i64),
        /// Hours and days are made up to this hour.
        Roll(i64),
    }

    fn op() -> impl Strategy<Value = Op> {
        let reading = (0..2_usize, 0..10_000_i64, -50..50_i64);
        prop_oneof![
            8 => reading.prop_map(|(s, at, v)| Op::Reading(s, at, v)),
            1 => (-52..120_i64).prop_map(Op::Roll),
        ]
    }

    fn all(db: &Connection, span: Span) -> Vec<Vec<Rollup>> {
        let of = |sensor: &str| {
            let mut all = Vec::new();
            if let Some(s) = series(db, &"f".into(), &sensor.into()).unwrap() {
                steps(db, s, span, true, &mut |step| all.push(step.rollup())).unwrap();
            }
            all
        };
        vec![of("s0"), of("s1")]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn hours_and_days_say_what_their_minutes_say(
            ops in prop::collection::vec(op(), 1..120),
            asked in prop::collection::vec((0..10_000_i64, 0..10_000_i64, prop::sample::select(vec![1, 2, 24, 48, 30_i64])), 8),
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
                        let at = Timestamp::from_millis(at * 60_000 - 50 * 3_600_000);
                        prop_assert!(bucket.add(at, value).is_none());
                        let row = RollupRow {
                            farm: "f".into(),
                            sensor: format!("s{sensor}").as_str().into(),
                            bucket,
                        };
                        write_rollups(&tx, &mut series, made, &[row]).unwrap();
                    }
                    Op::Roll(now) if now > made.hour => {
                        let mut made = made;
                        while !made.is_up_to(now) {
                            made = levels::roll_up(&tx, made, now).unwrap();
                        }
                    }
                    Op::Roll(_) => {}
                }
                tx.commit().unwrap();
            }
            let spans = asked.into_iter().map(|(from, length, hours)| {
                let first = from - 50 * HOUR_MINUTES;
                Span { first, end: first + length, step: hours * HOUR_MINUTES }
            });
            let spans: Vec<Span> = spans.collect();
            let all_of = |db: &Connection| -> Vec<_> { spans.iter().map(|s| all(db, *s)).collect() };
            let by_days = all_of(&db);
            db.execute("DELETE FROM rolled_day", []).unwrap();
            let by_hours = all_of(&db);
            db.execute("DELETE FROM rolled", []).unwrap();
            prop_assert_eq!(&by_hours, &all_of(&db));
            prop_assert_eq!(by_days, by_hours);
        }
    }
}
