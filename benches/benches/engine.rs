//! Decoded readings through one engine on one core, and the floor beside it.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "a benchmark is no library"
)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use harit_benches::{Floor, farm, high_value, sensor_id, values};
use harit_engine::{Engine, Event, EventKind, Measured, Quantity, SensorIx, Timestamp};

const START: i64 = 1_700_000_000_000;
/// Readings an iteration.
const BATCH: usize = 100_000;

/// A farm's engine, as a shard feeds it.
struct Fed {
    engine: Engine,
    sensors: Vec<SensorIx>,
    at: i64,
    events: Vec<Event>,
}

impl Fed {
    fn new(sensors: usize, rules: usize) -> Self {
        let document = farm(sensors, rules).expect("the farm is well-formed");
        let engine = Engine::new(&document).expect("the farm fits together");
        let ix = |i| engine.sensor_index(&sensor_id(i));
        let sensors = (0..sensors).map(|i| ix(i).expect("it is registered"));
        Self {
            sensors: sensors.collect(),
            engine,
            at: START,
            events: Vec::new(),
        }
    }

    fn read(&mut self, sensor: usize, value: Measured) {
        black_box(self.engine.apply_reading(
            Timestamp::from_millis(self.at),
            self.sensors[sensor],
            value,
            &mut self.events,
        ));
    }

    /// So many seconds later, one reading of each sensor.
    fn round(&mut self, secs: i64, value: impl Fn(usize) -> i64) {
        self.at += secs * 1_000;
        for sensor in 0..self.sensors.len() {
            let value = Quantity::from_micro(value(sensor));
            self.read(sensor, Measured::exact(value));
        }
    }
}

fn measured() -> Vec<Measured> {
    let quantities = values().into_iter().map(Quantity::from_micro);
    quantities.map(Measured::exact).collect()
}

/// Readings that cross no threshold: sensors and rules grow together, rules a sensor grow, and one sensor has ever more rules.
fn apply(c: &mut Criterion) {
    let mut group = c.benchmark_group("apply");
    group
        .throughput(Throughput::Elements(BATCH as u64))
        .sample_size(20);
    for (sensors, rules) in [
        (1_000, 1_000),
        (10_000, 10_000),
        (100_000, 100_000),
        (1_000, 100_000),
        (1, 1),
        (1, 10),
        (1, 100),
        (1, 1_000),
        (1, 10_000),
    ] {
        let name = format!("{sensors} sensors {rules} rules");
        let (mut fed, measured, mut k) = (Fed::new(sensors, rules), measured(), 0_usize);
        group.bench_function(BenchmarkId::new("engine", &name), |b| {
            b.iter(|| {
                for _ in 0..BATCH {
                    fed.at += i64::from(k % sensors == 0) * 1_000;
                    fed.read(k % sensors, measured[k % measured.len()]);
                    k += 1;
                }
            });
        });
        assert!(fed.events.is_empty(), "no threshold was crossed");
        let (values, mut floor, mut at) = (values(), Floor::new(sensors), fed.at);
        group.bench_function(BenchmarkId::new("floor", &name), |b| {
            b.iter(|| {
                for _ in 0..BATCH {
                    at += i64::from(k % sensors == 0) * 1_000;
                    floor.apply(at, k % sensors, black_box(values[k % values.len()]));
                    k += 1;
                }
            });
        });
    }
    group.finish();
}

/// Readings that set timers: every rule's holds start and complete, so that all fire and stop; and values that are renewed so
/// seldom that their expiry comes up in the queue each time.
fn timers(c: &mut Criterion) {
    const FIRE: [i64; 4] = [30, 31, 30, 31];
    const RENEW: [i64; 4] = [600; 4];
    let mut group = c.benchmark_group("timers");
    group.sample_size(20);
    for n in [1_000, 10_000, 100_000] {
        group.throughput(Throughput::Elements((n * FIRE.len()) as u64));
        let low = |_| 5_000_000;
        let mut fed = Fed::new(n, n);
        group.bench_function(
            BenchmarkId::new("engine", format!("{n} rules fire and stop")),
            |b| {
                b.iter(|| {
                    fed.events.clear();
                    fed.round(FIRE[0], high_value);
                    fed.round(FIRE[1], high_value);
                    fed.round(FIRE[2], low);
                    fed.round(FIRE[3], low);
                });
            },
        );
        let fired = |e: &&Event| matches!(e.kind, EventKind::RuleFired { .. });
        assert!(fed.events.iter().filter(fired).count() > 0, "rules fire");
        let mut fed = Fed::new(n, n);
        group.bench_function(
            BenchmarkId::new("engine", format!("{n} values renewed")),
            |b| {
                b.iter(|| {
                    for secs in RENEW {
                        fed.round(secs, low);
                    }
                });
            },
        );
        assert!(fed.events.is_empty(), "nothing expired");
        let (mut floor, mut at) = (Floor::new(n), START);
        group.bench_function(BenchmarkId::new("floor", format!("{n} sensors")), |b| {
            b.iter(|| {
                for secs in RENEW {
                    at += secs * 1_000;
                    for sensor in 0..n {
                        floor.apply(at, sensor, black_box(low(sensor)));
                    }
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, apply, timers);
criterion_main!(benches);
