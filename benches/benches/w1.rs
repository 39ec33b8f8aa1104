//! Workload W1 through one engine on one core, beside its floor and a hand-written index in the same run.
//!
//! `cargo bench -p harit-benches --bench w1 -- --seed 7 --step 0.0005 --size 10000/10000/60`
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark is no library"
)]

use std::fmt;
use std::hint::black_box;
use std::str::FromStr;
use std::time::Duration;

use clap::Parser;
use harit_benches::w1::{Floor, Index, Size, Workload, sensor_id};
use harit_engine::{Engine, Event, EventKind, Measured, Quantity, SensorIx, Timestamp};
use rustix::time::{ClockId, clock_gettime};

const START: i64 = 1_700_000_000_000;

#[derive(Debug, Clone, Copy)]
struct Dimensions([usize; 3]);

impl FromStr for Dimensions {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let all: Result<Vec<usize>, _> = s.split('/').map(str::parse).collect();
        let all = all.map_err(|e| format!("{s}: {e}"))?;
        let all: [usize; 3] = all
            .try_into()
            .map_err(|_| format!("{s}: expected SENSORS/RULES/SECONDS"))?;
        if all.contains(&0) {
            return Err(format!("{s}: none of them may be 0"));
        }
        Ok(Self(all))
    }
}

impl fmt::Display for Dimensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [sensors, rules, seconds] = self.0;
        write!(f, "{sensors}/{rules}/{seconds}")
    }
}

#[derive(Parser)]
struct Args {
    /// From which everything follows
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// How far a value wanders in a second at most, as a part of its range
    #[arg(long, default_value_t = 0.005)]
    step: f64,
    /// Sensors, rules and seconds; may be given several times
    #[arg(long, value_name = "SENSORS/RULES/SECONDS")]
    size: Vec<Dimensions>,
    /// How often each is measured; the fastest counts
    #[arg(long, default_value_t = 3)]
    runs: u32,
    /// How many readings the engine gets at once, as a shard does; 1 for one by one
    #[arg(long, default_value_t = 8)]
    batch: usize,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

const SIZES: [[usize; 3]; 4] = [
    [1_000, 1_000, 100],
    [10_000, 10_000, 60],
    [100_000, 100_000, 20],
    [1_000, 100_000, 60],
];

/// The processor time of this thread so far.
fn processor() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let secs = u64::try_from(now.tv_sec).unwrap_or(0);
    Duration::new(secs, u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// What came of the runs of one way to do it.
struct Measure {
    fastest: Duration,
    starts: u64,
    stops: u64,
}

impl Measure {
    /// Runs it so often, each time on something new; `run` gives starts and stops.
    fn of<T>(runs: u32, mut new: impl FnMut() -> T, run: impl Fn(&mut T) -> (u64, u64)) -> Self {
        let mut measure = Self {
            fastest: Duration::MAX,
            starts: 0,
            stops: 0,
        };
        for _ in 0..runs.max(1) {
            let mut fresh = new();
            let began = processor();
            (measure.starts, measure.stops) = run(&mut fresh);
            measure.fastest = measure.fastest.min(processor() - began);
        }
        measure
    }

    #[allow(clippy::cast_precision_loss, reason = "a figure")]
    fn millions(&self, readings: usize) -> f64 {
        readings as f64 / self.fastest.as_secs_f64() / 1e6
    }
}

/// Every reading of the workload with its instant.
fn each(workload: &Workload, mut apply: impl FnMut(i64, u32, i64)) {
    let mut at = START;
    for second in workload.readings.chunks(workload.size.sensors) {
        for (sensor, value) in second {
            apply(at, *sensor, black_box(*value));
        }
        at += 1_000;
    }
}

#[derive(Clone)]
struct Fed {
    engine: Engine,
    sensors: Vec<SensorIx>,
    events: Vec<Event>,
}

/// Applies all readings; after each second `second_over` is told how many rules have started. Returns starts and stops.
fn feed(
    fed: &mut Fed,
    workload: &Workload,
    batch: usize,
    mut second_over: impl FnMut(u64),
) -> (u64, u64) {
    let (mut starts, mut stops) = (0, 0);
    let Fed {
        engine,
        sensors,
        events,
    } = fed;
    let mut at = START;
    for second in workload.readings.chunks(workload.size.sensors) {
        for batch in second.chunks(batch) {
            engine.load(batch.iter().map(|(sensor, _)| sensors[*sensor as usize]));
            for (sensor, value) in batch {
                engine.apply_reading(
                    Timestamp::from_millis(at),
                    sensors[*sensor as usize],
                    Measured::exact(Quantity::from_micro(black_box(*value))),
                    events,
                );
                for event in events.drain(..) {
                    match event.kind {
                        EventKind::RuleFired { .. } => starts += 1,
                        EventKind::RuleStopped { .. } => stops += 1,
                        _ => {}
                    }
                }
            }
        }
        at += 1_000;
        second_over(starts);
    }
    (starts, stops)
}

/// Where the time of a run goes, in nanoseconds.
struct Parts {
    /// A reading of the first second: every sensor and rule is seen for the first time.
    first: f64,
    /// A start in the other seconds in which a twentieth of the rules start or more: holds of one length end together.
    start: f64,
    /// A reading of all other seconds.
    other: f64,
}

impl Parts {
    #[allow(clippy::cast_precision_loss, reason = "figures")]
    fn of(fed: &mut Fed, workload: &Workload, batch: usize) -> Self {
        let mut seconds = Vec::new();
        let (mut began, mut before) = (processor(), 0);
        feed(fed, workload, batch, |starts| {
            let now = processor();
            seconds.push(((now - began).as_nanos() as f64, starts - before));
            (began, before) = (now, starts);
        });
        let Size { sensors, rules, .. } = workload.size;
        let (first, later) = seconds.split_first().expect("there is a second");
        let many = |(_, starts): &&(f64, u64)| *starts >= rules as u64 / 20;
        let (with, without): (Vec<_>, Vec<_>) = later.iter().partition(many);
        let sum = |seconds: &[&(f64, u64)]| seconds.iter().map(|s| s.0).sum::<f64>();
        let other = sum(&without) / (without.len() * sensors) as f64;
        let starts: u64 = with.iter().map(|s| s.1).sum();
        let of_starts = sum(&with) - other * (with.len() * sensors) as f64;
        Self {
            first: first.0 / sensors as f64,
            start: of_starts / starts as f64,
            other,
        }
    }
}

fn main() {
    let args = Args::parse();
    let sizes = if args.size.is_empty() {
        SIZES.map(Dimensions).to_vec()
    } else {
        args.size
    };
    println!(
        "W1, seed {}, step {}: million readings a second of processor time, the fastest of {}",
        args.seed, args.step, args.runs
    );
    println!(
        "{:>20} {:>8} {:>8} {:>8} {:>7}  starts (index), stops (index)",
        "sensors/rules/s", "floor", "index", "engine", "ratio"
    );
    for dimensions in sizes {
        let [sensors, rules, seconds] = dimensions.0;
        let size = Size {
            sensors,
            rules,
            seconds,
            step: args.step,
        };
        let workload = Workload::new(size, args.seed);
        let readings = workload.readings.len();
        let floor = Measure::of(
            args.runs,
            || Floor::new(&workload),
            |floor| {
                each(&workload, |at, s, v| floor.apply(at, s, v));
                (black_box(floor.outside), 0)
            },
        );
        let index = Measure::of(
            args.runs,
            || Index::new(&workload),
            |index| {
                each(&workload, |at, s, v| index.apply(at, s, v));
                black_box(index.mean(0));
                (index.starts, index.stops)
            },
        );
        let document = workload.document().expect("the farm is well-formed");
        let engine = Engine::new(&document).expect("the farm fits together");
        let ix = |i| {
            engine
                .sensor_index(&sensor_id(i))
                .expect("it is registered")
        };
        let fed = Fed {
            sensors: (0..sensors).map(ix).collect(),
            engine: engine.clone(),
            events: Vec::new(),
        };
        let engine = Measure::of(
            args.runs,
            || fed.clone(),
            |fed| feed(fed, &workload, args.batch, |_| ()),
        );
        println!(
            "{:>20} {:>8.1} {:>8.1} {:>8.2} {:>7.3}  {} ({}), {} ({})",
            dimensions.to_string(),
            floor.millions(readings),
            index.millions(readings),
            engine.millions(readings),
            engine.millions(readings) / floor.millions(readings),
            engine.starts,
            index.starts,
            engine.stops,
            index.stops
        );
        let parts = Parts::of(&mut fed.clone(), &workload, args.batch);
        println!(
            "{:>20} {:.0} ns a reading of the first second, {:.0} ns a start where many start together, {:.0} ns any other reading",
            "", parts.first, parts.start, parts.other
        );
    }
}
