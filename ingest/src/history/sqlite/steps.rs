//! The minutes, hours and days of one sensor, read from the file.

use harit_engine::{FarmId, SensorId};
use rusqlite::{Connection, OptionalExtension};

use super::{levels, minutes};
use crate::history::rollup::{Bucket, Level};
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
    let rolled = levels::rolled(db)?;
    for (level, range) in span.parts(rolled) {
        let mut add = |b: Bucket| joining.add(step(&b));
        match level {
            Level::Minute => minutes::read(db, rolled, series, range, &mut add)?,
            Level::Hour | Level::Day => levels::read(db, level, series, &range, &mut add)?,
        }
    }
    joining.end();
    Ok(())
}

fn step(b: &Bucket) -> Step {
    Step {
        at: b.minute,
        count: b.count.unsigned_abs(),
        sum: i128::from(b.sum),
        min: b.min,
        max: b.max,
        last: b.last,
        last_at: b.last_at,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

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
                steps(db, s, span, &mut |step| all.push(step.rollup())).unwrap();
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
            asked in prop::collection::vec((0..10_000_i64, 0..10_000_i64, prop::sample::select(vec![1_i64, 60, 120, 1_440, 2_880, 1_800])), 8),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut db = open(&dir.path().join("history.db")).unwrap();
            let (mut series, mut told) = (HashMap::new(), BTreeMap::new());
            for op in ops {
                let tx = db.transaction().unwrap();
                let made = levels::rolled(&tx).unwrap();
                match op {
                    Op::Reading(sensor, at, value) => {
                        let mut bucket = Bucket::default();
                        let at = Timestamp::from_millis(at * 60_000 - 50 * 3_600_000);
                        prop_assert!(bucket.add(at, value).is_none());
                        told.entry((sensor, bucket.minute))
                            .and_modify(|b: &mut Bucket| b.join(&bucket))
                            .or_insert(bucket);
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
            let spans = asked.into_iter().map(|(from, length, step)| {
                let first = from - 50 * HOUR_MINUTES;
                Span { first, end: first + length, step }
            });
            for span in spans {
                let of = |sensor: usize| {
                    let mut all = Vec::new();
                    let mut each = |step: Step| all.push(step.rollup());
                    let mut joining = Joining::new(span, &mut each);
                    let minutes = told.range((sensor, span.first)..(sensor, span.end.max(span.first)));
                    minutes.for_each(|(_, b)| joining.add(step(b)));
                    joining.end();
                    all
                };
                prop_assert_eq!(all(&db, span), vec![of(0), of(1)]);
            }
        }
    }
}
