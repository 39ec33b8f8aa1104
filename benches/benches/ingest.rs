//! Telemetry from bytes: decoding by the ingest's own reader and by `serde_json` into plain structs, and decoding with applying.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::disallowed_types,
    reason = "a benchmark is no library"
)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use harit_engine::{Engine, Event, FarmDocument, SensorIx, Timestamp};
use harit_load::{BenchFarms, Shape, Step};
use harit_protocol::Format;
use serde::Deserialize;

const VALUES: usize = 8;
const CONTROLLERS: usize = 1_000;
/// Messages an iteration.
const MESSAGES: usize = 10_000;

/// What a general JSON library makes of a message: the least that one would write with it.
#[derive(Deserialize)]
struct Plain<'a> {
    #[serde(borrow)]
    sensors: Vec<PlainSensor<'a>>,
}

#[derive(Deserialize)]
struct PlainSensor<'a> {
    id: Option<&'a str>,
    #[serde(rename = "type")]
    sensor_type: Option<&'a str>,
    unit: Option<&'a str>,
    #[serde(rename = "latestValue")]
    latest_value: Option<f64>,
}

fn farms() -> BenchFarms {
    BenchFarms {
        farms: 1,
        controllers: CONTROLLERS,
        idle: 0,
        values: VALUES,
        rules: VALUES,
        step: Step::CALM,
        shape: Shape::Full,
    }
}

fn payloads(shape: Shape) -> Vec<String> {
    (0..MESSAGES)
        .map(|n| farms().payload(n % CONTROLLERS, n / CONTROLLERS, shape))
        .collect()
}

fn decode(c: &mut Criterion) {
    let mut group = c.benchmark_group("decode");
    group
        .throughput(Throughput::Elements((MESSAGES * VALUES) as u64))
        .sample_size(20);
    for shape in [Shape::Full, Shape::Short] {
        let payloads = payloads(shape);
        group.bench_function(format!("harit, {} messages", shape.as_str()), |b| {
            b.iter(|| {
                for p in &payloads {
                    let read = Format::Json.read(black_box(p.as_bytes()));
                    assert_eq!(
                        black_box(read.expect("it is well-formed")).items.len(),
                        VALUES
                    );
                }
            });
        });
        group.bench_function(format!("serde_json, {} messages", shape.as_str()), |b| {
            b.iter(|| {
                for p in &payloads {
                    let read: Plain<'_> =
                        serde_json::from_slice(black_box(p.as_bytes())).expect("it is well-formed");
                    for s in &read.sensors {
                        black_box((s.id, s.sensor_type, s.unit, s.latest_value));
                    }
                }
            });
        });
    }
    group.finish();
}

fn decode_and_apply(c: &mut Criterion) {
    let document =
        FarmDocument::from_json(&farms().document(0).1).expect("the farm is well-formed");
    let mut engine = Engine::new(&document).expect("the farm fits together");
    let payloads = payloads(Shape::Full);
    // The book of the ingest knows a sensor by its place in the message; so does this.
    let places: Vec<Vec<SensorIx>> = payloads[..CONTROLLERS]
        .iter()
        .map(|p| {
            let read = Format::Json.read(p.as_bytes()).expect("it is well-formed");
            let ids = read
                .items
                .iter()
                .map(|i| i.id.as_deref().unwrap_or_default());
            ids.map(|id| engine.sensor_index(id).expect("it is registered"))
                .collect()
        })
        .collect();
    let (mut at, mut events): (i64, Vec<Event>) = (1_700_000_000_000, Vec::new());
    let mut group = c.benchmark_group("decode and apply");
    group
        .throughput(Throughput::Elements((MESSAGES * VALUES) as u64))
        .sample_size(20);
    group.bench_function("harit, full messages", |b| {
        b.iter(|| {
            for (n, p) in payloads.iter().enumerate() {
                at += i64::from(n % CONTROLLERS == 0) * 1_000;
                let read = Format::Json
                    .read(black_box(p.as_bytes()))
                    .expect("it is well-formed");
                for (item, ix) in read.items.iter().zip(&places[n % CONTROLLERS]) {
                    black_box(engine.apply_reading(
                        Timestamp::from_millis(at),
                        *ix,
                        item.value,
                        &mut events,
                    ));
                }
            }
        });
    });
    assert!(events.is_empty(), "no threshold was crossed");
    group.finish();
}

criterion_group!(benches, decode, decode_and_apply);
criterion_main!(benches);
