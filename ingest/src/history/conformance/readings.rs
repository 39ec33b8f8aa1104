//! Readings: minutes, hours, steps, places.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use harit_engine::Quantity;
use harit_testkit::Dice;

use super::Case;
use super::rig::{DAY_MS, Rig, START, at, dice, reading};
use crate::history::place::PlaceQuestion;
use crate::history::rollup::{Bucket, RollupRow};
use crate::history::store::HistoryStore;
use crate::history::told::{Fold, Write};
use crate::history::{HistoryError, MAX_POINTS, Rollup};

pub(super) const ALL: &[(&str, Case)] = &[
    ("steps are what a naive fold says", exact),
    (
        "hours and days say what their minutes said, of late values too",
        late,
    ),
    ("a reader sees whole transactions", whole),
    ("values and instants have any size", any_size),
    ("a chart that is too long is refused", bounds),
];

const HOUR_MS: i64 = 3_600_000;

/// A reading: sensor, instant, value, in the order in which they were told.
type Told = Vec<(usize, i64, i64)>;

const SENSORS: [(&str, &str); 4] = [("f", "a"), ("f", "b"), ("g", "a"), ("f", "ü'\"%")];

/// What a naive fold makes of the readings of a sensor.
fn naive(told: &Told, sensor: usize, from: i64, to: i64, step_min: i64) -> Vec<Rollup> {
    let (first, end) = (from.div_euclid(60_000), (to + 59_999).div_euclid(60_000));
    let mut steps: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    for &(_, ms, micro) in told.iter().filter(|(s, ..)| *s == sensor) {
        let minute = ms.div_euclid(60_000);
        if (first..end).contains(&minute) {
            let step = minute.div_euclid(step_min) * step_min;
            steps.entry(step).or_default().push((ms, micro));
        }
    }
    let step = |(step, values): (i64, Vec<(i64, i64)>)| {
        let n = i128::try_from(values.len()).unwrap();
        let sum: i128 = values.iter().map(|(_, v)| i128::from(*v)).sum();
        // To the nearest, halves away from zero.
        let mean = (2 * sum + sum.signum() * n) / (2 * n);
        let q = |micro: i64| Quantity::from_micro(micro);
        let last = values.iter().max_by_key(|(ms, _)| *ms).unwrap();
        Rollup {
            at: at(step * 60_000),
            count: values.len() as u64,
            mean: q(i64::try_from(mean).unwrap()),
            min: q(values.iter().map(|(_, v)| *v).min().unwrap()),
            max: q(values.iter().map(|(_, v)| *v).max().unwrap()),
            last: q(last.1),
            sum_micro: i64::try_from(sum).unwrap(),
        }
    };
    steps.into_iter().map(step).collect()
}

fn compare(rig: &Rig, told: &Told, dice: &mut Dice) {
    for _ in 0..12 {
        let sensor = dice.below(SENSORS.len());
        let step_min = [1, 5, 60, 120, 720, 1_440, 61][dice.below(7)];
        let from = START - 4 * DAY_MS + span(dice, 9 * DAY_MS);
        let to = from + span(dice, (4 * DAY_MS).min(step_min * 60_000 * 10_000));
        let (farm, id) = SENSORS[sensor];
        let (farm, id) = (farm.into(), id.into());
        let store = rig.store();
        let step_sec = u32::try_from(step_min * 60).unwrap();
        let asked = store
            .reads()
            .rollups(&farm, &id, at(from), at(to), step_sec);
        let found = rig.ask(asked).unwrap();
        let expected = naive(told, sensor, from, to, step_min);
        assert_eq!(found, expected, "{sensor}: {from} to {to} by {step_min}");
    }
}

fn span(dice: &mut Dice, ms: i64) -> i64 {
    i64::try_from(dice.below(usize::try_from(ms).unwrap())).unwrap()
}

/// Readings as a shard collects them: of a sensor's minute one row as long as no other minute comes between.
fn collected(told: &[(usize, i64, i64)]) -> Vec<RollupRow> {
    let mut open: BTreeMap<usize, Bucket> = BTreeMap::new();
    let mut rows = Vec::new();
    let mut push = |sensor: usize, bucket: Option<Bucket>| {
        let (farm, id) = SENSORS[sensor];
        rows.extend(bucket.map(|bucket| RollupRow {
            farm: farm.into(),
            sensor: id.into(),
            bucket,
        }));
    };
    for &(sensor, ms, micro) in told {
        push(sensor, open.entry(sensor).or_default().add(at(ms), micro));
    }
    for (sensor, mut bucket) in open {
        push(sensor, bucket.take());
    }
    rows
}

/// Random folds, some of them twice, with ends of all kinds between.
fn exact(rig: &Rig) {
    let mut dice = dice();
    let mut told = Told::new();
    for _ in 0..40 {
        let mut some = Told::new();
        for _ in 0..dice.below(60) {
            let ms = match dice.below(3) {
                0 => START + span(&mut dice, 3 * HOUR_MS),
                1 => START + span(&mut dice, 10) * 60_000,
                _ => START - 3 * DAY_MS + span(&mut dice, 6 * DAY_MS),
            };
            let value = i64::try_from(dice.below(2_000_001)).unwrap() - 1_000_000;
            some.push((dice.below(SENSORS.len()), ms, value));
        }
        let fold = || Fold {
            rollups: collected(&some),
            generation: 1,
            seq: rig.seq.get() + 1,
            ..Fold::default()
        };
        rig.told(Write::Fold(fold()));
        if dice.below(4) == 0 {
            rig.told(Write::Fold(fold()));
        }
        rig.seq.set(rig.seq.get() + 1);
        told.extend(some);
        match dice.below(6) {
            0 => rig.reopen_after(span(&mut dice, 20 * HOUR_MS)),
            1 => rig.abandon(),
            _ => {}
        }
    }
    compare(rig, &told, &mut dice);
    rig.reopen_after(4 * DAY_MS);
    for _ in 0..8 {
        compare(rig, &told, &mut dice);
    }
}

fn late(rig: &Rig) {
    let first = reading("f", "a", START + 10 * 60_000, 5);
    rig.fold(|f| f.rollups.push(first));
    rig.reopen_after(2 * DAY_MS);
    for (ms, micro) in [(30 * 60_000, -7), (10 * 60_000 + 5, 9), (90 * 60_000, 1)] {
        rig.fold(|f| f.rollups.push(reading("f", "a", START + ms, micro)));
    }
    let store = rig.store();
    let (farm, id) = ("f".into(), "a".into());
    let steps = |step_sec| {
        let reads = store.reads();
        let asked = reads.rollups(&farm, &id, at(START), at(START + DAY_MS), step_sec);
        let of = |r: Rollup| {
            let micro = [r.min, r.max, r.last].map(Quantity::as_micro);
            (r.count, r.sum_micro, micro)
        };
        let steps = rig.ask(asked).unwrap().into_iter().map(of);
        steps.collect::<Vec<_>>()
    };
    assert_eq!(steps(3_600), [(3, 7, [-7, 9, -7]), (1, 1, [1, 1, 1])]);
    assert_eq!(steps(86_400), [(4, 8, [-7, 9, 1])]);
}

/// Each transaction adds a reading to both sensors: nobody ever sees more of one than of the other.
fn whole(rig: &Rig) {
    let done = AtomicBool::new(false);
    let (store, done) = (rig.store(), &done);
    let store: &HistoryStore = &store;
    let handle = store.handle();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for n in 0..400_u64 {
                let ms = START + i64::try_from(n % 120).unwrap() * 60_000;
                let rollups = ["a", "b"].map(|s| reading("f", s, ms, 1)).to_vec();
                handle.send(Write::Fold(Fold {
                    generation: 1,
                    seq: n + 1,
                    rollups,
                    ..Fold::default()
                }));
                store.barrier_blocking();
            }
            done.store(true, Ordering::Release);
        });
        let mut asked = 0;
        while !done.load(Ordering::Acquire) || asked == 0 {
            let question = PlaceQuestion {
                sensors: vec![("a".into(), 0), ("b".into(), 0)],
                from: at(START),
                to: at(START + DAY_MS),
                step_sec: 60,
                each: true,
            };
            let farm = "f".into();
            let past = rig.ask(store.reads().place(&farm, question)).unwrap();
            assert_eq!(past.sensors[0], past.sensors[1], "after {asked}");
            asked += 1;
        }
    });
}

fn any_size(rig: &Rig) {
    const LARGE: i64 = 4_000_000_000_000_000;
    let far = 250_000_000_000_000;
    for ms in [-far, -1, 0, far] {
        rig.fold(|f| {
            f.rollups
                .extend([LARGE, -LARGE, 1].map(|v| reading("f", "a", ms, v)));
        });
        let store = rig.store();
        let (farm, id) = ("f".into(), "a".into());
        let asked = store.reads().rollups(&farm, &id, at(ms), at(ms + 1), 60);
        let found = rig.ask(asked).unwrap();
        assert_eq!(found.len(), 1, "{ms}");
        let r = found[0];
        assert_eq!(
            (r.count, r.sum_micro, r.min.as_micro(), r.max.as_micro()),
            (3, 1, -LARGE, LARGE),
            "{ms}"
        );
        assert_eq!(r.last.as_micro(), 1, "of one instant the last counts");
    }
}

fn bounds(rig: &Rig) {
    let store = rig.store();
    let (farm, id) = ("f".into(), "a".into());
    let most = i64::try_from(MAX_POINTS).unwrap() * 60_000;
    let ask = |to| rig.ask(store.reads().rollups(&farm, &id, at(0), at(to), 60));
    assert_eq!(ask(most).unwrap(), []);
    assert!(matches!(
        ask(most + 60_000),
        Err(HistoryError::TooMany { .. })
    ));
    assert!(matches!(ask(i64::MAX), Err(HistoryError::TooMany { .. })));
    let question = |sensors: usize| PlaceQuestion {
        sensors: (0..sensors)
            .map(|n| (format!("s{n}").as_str().into(), 0))
            .collect(),
        from: at(0),
        to: at(365 * DAY_MS),
        step_sec: 60,
        each: false,
    };
    assert!(rig.ask(store.reads().place(&farm, question(2))).is_ok());
    let large = rig.ask(store.reads().place(&farm, question(100)));
    assert!(matches!(large, Err(HistoryError::TooLong { .. })));
}
