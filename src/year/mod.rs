//! `harit bench-replay`: a year of one farm from a file in columns, and how long the engine takes for it.
//!
//! The year is made up, the same every time: a season's and a day's course with noise, so that fans, vents and valves
//! switch some thousands of times. It is replayed as anybody replays a log: by `harit replay`, a second process, whose time
//! and memory are told. Beside it, in the same run, the floor: the same file read and its values added up, with no engine.

mod farm;
mod past;
mod stores;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use harit_engine::{Measured, Timestamp};

use crate::columnar;
use crate::replay::processor_time;
use crate::report::report;
use farm::Year;
pub(crate) use past::{BacktestBenchArgs, main as backtest_main};
pub(crate) use stores::{HistoryBenchArgs, main as history_main};

type Error = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Args)]
pub(crate) struct YearArgs {
    /// How many days
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3_660))]
    days: u32,
    /// Keep the farm, the telemetry and the events in this directory; telemetry that is there is used again
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn main(args: &YearArgs) -> ExitCode {
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report("harit bench-replay", &*e);
            ExitCode::from(2)
        }
    }
}

fn run(args: &YearArgs) -> Result<(), Error> {
    let temporary = tempfile::Builder::new()
        .prefix("harit-bench-replay-")
        .tempdir()?;
    let dir = args.dir.as_deref().unwrap_or_else(|| temporary.path());
    std::fs::create_dir_all(dir)?;
    let mut out = io::stdout().lock();

    let year = Year::default();
    let (farm, log) = (
        dir.join("farm.json"),
        dir.join(format!("days-{}.parquet", args.days)),
    );
    std::fs::write(&farm, serde_json::to_vec_pretty(&year.document())?)?;
    if log.exists() {
        writeln!(out, "telemetry  {} is used again", log.display())?;
    } else {
        let started = Instant::now();
        make(year, args.days, &log)?;
        writeln!(
            out,
            "telemetry  {} made in {:.1} s",
            log.display(),
            started.elapsed().as_secs_f64()
        )?;
    }
    writeln!(
        out,
        "           {} MiB, {} sensors, {} rules",
        log.metadata()?.len() >> 20,
        year.sensors().len(),
        year.rules()
    )?;

    let (started, busy_before) = (Instant::now(), processor_time().unwrap_or_default());
    let (readings, sum) = fold(&log)?;
    let floor = started.elapsed();
    let busy = processor_time().unwrap_or_default() - busy_before;
    writeln!(
        out,
        "floor      {:>12.3} s  ({} readings/s): the file read, its values added up ({sum})",
        floor.as_secs_f64(),
        per_second(readings, floor)
    )?;
    writeln!(out, "processor  {:>12.3} s", busy.as_secs_f64())?;
    out.flush()?;

    let started = Instant::now();
    let status = Command::new(std::env::current_exe()?)
        .arg("replay")
        .arg("--farm")
        .arg(&farm)
        .arg("--telemetry")
        .arg(&log)
        .arg("--out")
        .arg(dir.join("events.jsonl"))
        .stdin(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("the replay ended with {status}").into());
    }
    let took = started.elapsed();
    writeln!(
        out,
        "replay     {:>12.3} s  ({} readings/s), {:.1} times the floor",
        took.as_secs_f64(),
        per_second(readings, took),
        took.as_secs_f64() / floor.as_secs_f64().max(1e-9)
    )?;
    Ok(())
}

fn make(year: Year, days: u32, path: &Path) -> Result<(), Error> {
    // Under another name until it is whole, as it may be used again.
    let part = path.with_extension("part");
    let mut writer = columnar::Writer::new(BufWriter::new(File::create(&part)?))?;
    let sensors = year.sensors();
    year.readings(days, |at, n, value| {
        writer.push(Timestamp::from_millis(at), &sensors[n].0, value)
    })?;
    writer.finish()?.flush()?;
    Ok(std::fs::rename(&part, path)?)
}

/// The least that one can do with a log: count it and add it up, in millionths.
fn fold(path: &Path) -> Result<(u64, i128), Error> {
    let mut reader = columnar::Reader::open(File::open(path)?)?;
    let mut batch = columnar::Batch::default();
    let (mut readings, mut sum) = (0_u64, 0_i128);
    while reader.read(&mut batch)? {
        for row in batch.rows() {
            readings += 1;
            if let Measured::Value(value) = row.value.measured() {
                sum += i128::from(value.rounded().as_micro());
            }
            std::hint::black_box((row.at, row.sensor));
        }
    }
    Ok((readings, sum))
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shown to people"
)]
fn per_second(n: u64, took: Duration) -> u64 {
    (n as f64 / took.as_secs_f64().max(1e-9)) as u64
}
