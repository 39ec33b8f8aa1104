//! Readings through one engine whose rules are programs, on one core: trees of ten leaves, curves, schedules, and the floor beside them.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "a benchmark is no library"
)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use harit_benches::programs::{MIDNIGHT, Rules, engine, wandering};
use harit_benches::{Floor, sensor_id, values};
use harit_engine::{Engine, Event, Measured, Quantity, SensorIx, Timestamp};

/// Sensors and rules.
const SIZES: [usize; 2] = [1_000, 10_000];
/// Readings an iteration.
const BATCH: usize = 100_000;
/// Between two readings of a sensor, in milliseconds: all samples together take less than the hour between two starts.
const BETWEEN_MS: i64 = 10;

/// An engine and the readings that it is fed with: each sensor in its turn.
struct Fed {
    engine: Engine,
    sensors: Vec<SensorIx>,
    values: Vec<Measured>,
    next: usize,
    at: i64,
    events: Vec<Event>,
}

impl Fed {
    fn new(sensors: usize, rules: Rules, values: Vec<i64>) -> Self {
        let mut events = Vec::new();
        let engine = engine(sensors, rules, &mut events).expect("the farm fits together");
        let ix = |i| engine.sensor_index(&sensor_id(i));
        let exact = |v| Measured::exact(Quantity::from_micro(v));
        Self {
            sensors: { 0..sensors }
                .map(|i| ix(i).expect("it is registered"))
                .collect(),
            engine,
            values: values.into_iter().map(exact).collect(),
            next: 0,
            at: MIDNIGHT + 120_000,
            events: Vec::new(),
        }
    }

    fn read(&mut self, readings: usize) {
        let (sensors, values) = (self.sensors.len(), self.values.len());
        for _ in 0..readings {
            self.at += i64::from(self.next.is_multiple_of(sensors)) * BETWEEN_MS;
            black_box(self.engine.apply_reading(
                Timestamp::from_millis(self.at),
                self.sensors[self.next % sensors],
                self.values[self.next % values],
                &mut self.events,
            ));
            self.next += 1;
        }
    }
}

fn programs(c: &mut Criterion) {
    let mut group = c.benchmark_group("programs");
    group
        .throughput(Throughput::Elements(BATCH as u64))
        .sample_size(10);
    for n in SIZES {
        for (name, rules, values, quiet) in [
            ("no rules", Rules::None, values(), true),
            ("no rules, values wander", Rules::None, wandering(n), true),
            ("trees, no leaf flips", Rules::QuietTrees, values(), true),
            ("trees, values wander", Rules::BusyTrees, wandering(n), true),
            ("trees, leaves flip", Rules::BusyTrees, values(), true),
            (
                "curves, in the dead band",
                Rules::QuietCurves,
                values(),
                true,
            ),
            ("curves, values wander", Rules::Curves, wandering(n), false),
            ("curves, devices follow", Rules::BusyCurves, values(), false),
            ("schedules between starts", Rules::Schedules, values(), true),
        ] {
            let mut fed = Fed::new(n, rules, values);
            // Every sensor has a value, and every curve a reference.
            fed.read(2 * n);
            fed.events.clear();
            group.bench_function(BenchmarkId::new(name, n), |b| {
                b.iter(|| {
                    fed.events.clear();
                    fed.read(BATCH);
                });
            });
            // Once more: a filter may have left the measurement out.
            fed.events.clear();
            fed.read(BATCH);
            assert_eq!(fed.events.is_empty(), quiet, "{name}");
        }
        let (values, mut floor, mut at, mut k) = (values(), Floor::new(n), MIDNIGHT, 0_usize);
        group.bench_function(BenchmarkId::new("floor", n), |b| {
            b.iter(|| {
                for _ in 0..BATCH {
                    at += i64::from(k.is_multiple_of(n)) * BETWEEN_MS;
                    floor.apply(at, k % n, black_box(values[k % values.len()]));
                    k += 1;
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, programs);
criterion_main!(benches);
