//! Decoded readings through one engine on one core, and the floor beside it.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "a benchmark is no library"
)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use harit_benches::{Floor, farm, sensor_id, values};
use harit_engine::{Engine, Event, Measured, Quantity, SensorIx, Timestamp};

const START: i64 = 1_700_000_000_000;
/// Readings an iteration.
const BATCH: usize = 100_000;

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
        (1, 10),
        (1, 1_000),
    ] {
        let name = format!("{sensors} sensors {rules} rules");
        let document = farm(sensors, rules).expect("the farm is well-formed");
        let mut engine = Engine::new(&document).expect("the farm fits together");
        let ix: Vec<SensorIx> = (0..sensors)
            .map(|i| {
                engine
                    .sensor_index(&sensor_id(i))
                    .expect("it is registered")
            })
            .collect();
        let measured: Vec<Measured> = values()
            .into_iter()
            .map(|v| Measured::exact(Quantity::from_micro(v)))
            .collect();
        let mut events: Vec<Event> = Vec::new();
        let (mut at, mut k) = (START, 0_usize);
        group.bench_function(BenchmarkId::new("engine", &name), |b| {
            b.iter(|| {
                for _ in 0..BATCH {
                    at += i64::from(k % sensors == 0) * 1_000;
                    let value = measured[k % measured.len()];
                    black_box(engine.apply_reading(
                        Timestamp::from_millis(at),
                        ix[k % sensors],
                        value,
                        &mut events,
                    ));
                    k += 1;
                }
            });
        });
        assert!(events.is_empty(), "no threshold was crossed");
        let (values, mut floor) = (values(), Floor::new(sensors));
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

criterion_group!(benches, apply);
criterion_main!(benches);
