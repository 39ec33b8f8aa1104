//! The journal: writing a batch, making it durable, and reading it all again after a crash.
//!
//! Where a batch goes decides what is measured. On a disk the device's flush costs more than everything else; in memory
//! (`/dev/shm`, where there is one) what is left is the journal's own work and `SQLite`'s. Each is beside the least that
//! could be done there: the same bytes appended to a file, and `fdatasync`.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "a benchmark is no library"
)]

use std::fs::OpenOptions;
use std::hint::black_box;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use futures_util::future::BoxFuture;
use harit_engine::{FarmDocument, Measured, Timestamp};
use harit_ingest::mqtt::{Principal, Refusal};
use harit_ingest::{ControllerDirectory, ControllerRecord, Hub, HubConfig};
use harit_load::{BenchFarms, Shape, Step};

use harit_farm::codec::{self, BadBody, Encoder, Entry, Interned, InternedController, Origin};
use harit_farm::{Key, Record};
use harit_journal::{Journal as _, JournalFile, JournalRead as _};
use harit_protocol::{Mac, TypeWord};

/// Readings of one message.
const VALUES: usize = 8;
const CONTROLLERS: usize = 100;
/// Inputs of a batch: what waits while the one before is written decides it.
const BATCHES: [usize; 3] = [1, 100, 10_000];
/// The journal that is recovered: batches, and readings in each.
const RECOVERED: (usize, usize) = (250, 4_000);
const BEGIN: i64 = 1_700_000_000_000;

/// Readings of a farm's sensors, in messages of [`VALUES`], as a shard writes them.
struct Source {
    farm: Interned,
    controllers: Vec<(Mac, InternedController, Vec<Key<'static>>)>,
    next: usize,
}

impl Source {
    fn new() -> Self {
        let controllers = (0..CONTROLLERS).map(|c| {
            let mac = Mac::parse(&farms().account(c).mac).expect("it is one");
            let keys = (0..VALUES).map(|k| {
                let id = format!("c{c}-s{k}");
                Key::new(Some(id.into()), TypeWord::Missing, None)
            });
            (mac, InternedController::default(), keys.collect())
        });
        Self {
            farm: Interned::default(),
            controllers: controllers.collect(),
            next: 0,
        }
    }

    fn encode(&mut self, encoder: &mut Encoder, at: Timestamp, readings: usize) {
        encoder.begin(at);
        let mut left = readings;
        while left > 0 {
            let count = left.min(VALUES);
            let (mac, interned, keys) = &mut self.controllers[self.next % CONTROLLERS];
            let from = Origin {
                farm: &mut self.farm,
                farm_id: "bench-0",
                mac: *mac,
                interned,
            };
            encoder.telemetry(from, at, false, None, count);
            for (k, key) in (0..).zip(&keys[..count]) {
                // Within what no rule of the farm acts on.
                let micro = 20_000_000 + i64::from(k % 2 == 0) * 100_000;
                let value = Measured::exact(harit_engine::Quantity::from_micro(micro));
                encoder.value(interned, k, key, value);
            }
            self.next += 1;
            left -= count;
        }
    }
}

const fn farms() -> BenchFarms {
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

/// Where batches are written: on the disk of temporary files, and in memory where there is such a directory.
fn places() -> Vec<(&'static str, PathBuf)> {
    let mut places = vec![("disk", std::env::temp_dir())];
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        places.push(("memory", memory.to_owned()));
    }
    places
}

fn append(c: &mut Criterion) {
    for readings in BATCHES {
        let mut group = c.benchmark_group(format!("journal, batches of {readings}"));
        group
            .throughput(Throughput::Elements(readings as u64))
            .sample_size(20);
        let (mut source, mut encoder, mut at) = (Source::new(), Encoder::default(), BEGIN);
        group.bench_function("encode", |b| {
            b.iter(|| {
                at += 1;
                source.encode(&mut encoder, Timestamp::from_millis(at), readings);
                black_box(encoder.body());
            });
        });
        for (place, dir) in places() {
            let dir = tempfile::tempdir_in(dir).expect("a directory can be made");
            let mut journal =
                JournalFile::create(&dir.path().join("shard-0.db")).expect("a journal can be made");
            group.bench_function(format!("encode and append, {place}"), |b| {
                b.iter(|| {
                    at += 1;
                    let now = Timestamp::from_millis(at);
                    source.encode(&mut encoder, now, readings);
                    journal
                        .append(journal.last(), now, encoder.entries(), encoder.body())
                        .expect("the journal can be written");
                });
            });
            let mut file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(dir.path().join("floor"))
                .expect("a file can be made");
            source.encode(&mut encoder, Timestamp::from_millis(at), readings);
            let body = encoder.body().to_vec();
            group.bench_function(format!("floor: write and fdatasync, {place}"), |b| {
                b.iter(|| {
                    file.write_all(&body)
                        .and_then(|()| file.sync_data())
                        .expect("the file can be written");
                });
            });
        }
        group.finish();
    }
}

/// No controller is asked for while a journal is read.
struct Nobody;

impl ControllerDirectory for Nobody {
    fn lookup(&self, _: &harit_protocol::Mac) -> Option<ControllerRecord> {
        None
    }

    fn verify<'a>(
        &'a self,
        _: &'a harit_protocol::Mac,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<ControllerRecord, Refusal>> {
        Box::pin(std::future::ready(Err(Refusal::BadCredentials)))
    }

    fn verify_integration<'a>(
        &'a self,
        _: &'a str,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<Principal, Refusal>> {
        Box::pin(std::future::ready(Err(Refusal::BadCredentials)))
    }
}

/// A data directory as a server leaves it that is killed before its first snapshot.
fn killed(document: &FarmDocument) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory can be made");
    let files = dir.path().join("journal/000001");
    std::fs::create_dir_all(&files).expect("a directory can be made");
    let mut journal =
        JournalFile::create(&files.join("shard-0.db")).expect("a journal can be made");
    let (mut source, mut encoder) = (Source::new(), Encoder::default());
    let begin = Timestamp::from_millis(BEGIN);
    encoder.begin(begin);
    encoder.farm(document).expect("the farm can be written");
    journal
        .append(0, begin, encoder.entries(), encoder.body())
        .expect("the journal can be written");
    for n in 1..=RECOVERED.0 {
        let at = Timestamp::from_millis(BEGIN + i64::try_from(n).expect("it is small") * 1_000);
        source.encode(&mut encoder, at, RECOVERED.1);
        journal
            .append(journal.last(), at, encoder.entries(), encoder.body())
            .expect("the journal can be written");
    }
    std::fs::write(
        dir.path().join("journal/CURRENT"),
        r#"{"generation":1,"shards":1}"#,
    )
    .expect("the pointer can be written");
    dir
}

fn copy(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().expect("a directory can be made");
    let files = to.path().join("journal/000001");
    std::fs::create_dir_all(&files).expect("a directory can be made");
    for entry in std::fs::read_dir(from.join("journal/000001")).expect("it is there") {
        let entry = entry.expect("it is there");
        std::fs::copy(entry.path(), files.join(entry.file_name())).expect("it can be copied");
    }
    std::fs::copy(
        from.join("journal/CURRENT"),
        to.path().join("journal/CURRENT"),
    )
    .expect("it can be copied");
    to
}

fn recover(c: &mut Criterion) {
    let document =
        FarmDocument::from_json(&farms().document(0).1).expect("the farm is well-formed");
    let dir = killed(&document);
    let readings = RECOVERED.0 * RECOVERED.1;
    let mut group = c.benchmark_group(format!("recovery of {readings} readings"));
    group
        .throughput(Throughput::Elements(readings as u64))
        .sample_size(10);
    let path = dir.path().join("journal/000001/shard-0.db");
    let journal = JournalFile::open(&path).expect("the journal can be opened");
    group.bench_function("floor: read and checked", |b| {
        b.iter(|| {
            let mut bytes = 0;
            journal
                .read(0, u64::MAX, &mut |batch| {
                    bytes += batch.body.len();
                    ControlFlow::Continue(())
                })
                .expect("the journal is whole");
            assert!(bytes > readings);
        });
    });
    let each = |mut each: Box<dyn FnMut(Entry<'_>) + '_>| {
        journal
            .read(0, u64::MAX, &mut |batch| {
                codec::read::<BadBody>(&batch.body, batch.at, |record| {
                    each(record);
                    Ok(())
                })
                .expect("the batch is well-formed");
                ControlFlow::Continue(())
            })
            .expect("the journal is whole");
    };
    group.bench_function("decoded", |b| {
        b.iter(|| {
            let mut seen = 0;
            each(Box::new(|record| {
                if let Entry::Of {
                    record: Record::Telemetry(telemetry),
                    ..
                } = record
                {
                    seen += black_box(telemetry.items).len();
                }
            }));
            assert_eq!(seen, readings);
        });
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made");
    group.bench_function("a start after a kill", |b| {
        b.iter_custom(|times| {
            let mut took = Duration::ZERO;
            for _ in 0..times {
                let dir = copy(dir.path());
                let config = HubConfig {
                    shards: 1,
                    ..HubConfig::new(dir.path())
                };
                let started = Instant::now();
                let hub = runtime
                    .block_on(Hub::open(config, Arc::new(Nobody)))
                    .expect("it starts");
                took += started.elapsed();
                let farm = hub.farms().pop().expect("the farm is there");
                let counted = runtime
                    .block_on(hub.read(&farm, |engine| engine.counters().readings))
                    .expect("the farm answers");
                assert_eq!(counted, readings as u64);
                runtime.block_on(hub.shutdown()).expect("it ends");
            }
            took
        });
    });
    group.finish();
}

criterion_group!(benches, append, recover);
criterion_main!(benches);
