//! `harit replay`: the engine over a recorded log. The same fold as live control, without a server.
//!
//! Memory does not depend on the file's length: a line, or a batch of rows in columns, is read, applied, and its events are written. Events go to a file
//! beside the one asked for, which takes its name only when the replay has come to its end, so that a replay that failed
//! leaves nothing that looks like a result.

mod convert;
mod output;
mod progress;
mod sensors;
mod source;
mod summary;
mod telemetry;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use harit_engine::{Engine, Event, FarmDocument, Input, InputKind, Timestamp};

use output::Output;
use source::{Lines, Source};
use summary::Summary;
use telemetry::Telemetry;

pub(crate) use convert::{ConvertArgs, main as convert};
pub(crate) use summary::processor_time;

/// Malformed input: a line, a farm document, a rule in it.
const EXIT_MALFORMED: u8 = 2;
/// Anything else: a file that cannot be read or written.
const EXIT_FAILED: u8 = 1;

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("log").required(true).args(["telemetry", "inputs"]))]
pub(crate) struct ReplayArgs {
    /// The farm: places, sensors, devices, rules and alerts (JSON).
    #[arg(long, value_name = "FILE", env = "HARIT_REPLAY_FARM")]
    farm: PathBuf,
    /// Readings: a Parquet file with the columns `at`, `sensor`, `value` (see `harit convert`), or text with the header
    /// `at,sensor,value`; `at` is epoch milliseconds or RFC 3339. Gzip and zstd are recognised.
    #[arg(long, value_name = "FILE", env = "HARIT_REPLAY_TELEMETRY")]
    telemetry: Option<PathBuf>,
    /// Inputs, one JSON object a line, as `harit journal export` writes them. Gzip and zstd are recognised.
    #[arg(long, value_name = "FILE", env = "HARIT_REPLAY_INPUTS")]
    inputs: Option<PathBuf>,
    /// Where the events go, one JSON object a line.
    #[arg(long, value_name = "FILE", env = "HARIT_REPLAY_OUT")]
    out: Option<PathBuf>,
    /// Move the clock to this instant at the end (epoch milliseconds).
    #[arg(
        long,
        value_name = "MS",
        env = "HARIT_REPLAY_UNTIL",
        allow_negative_numbers = true
    )]
    until: Option<i64>,
    /// Count malformed lines and go on, instead of stopping at the first.
    #[arg(long, env = "HARIT_REPLAY_SKIP_BAD")]
    skip_bad: bool,
}

/// Why a replay stopped.
#[derive(Debug, thiserror::Error)]
enum ReplayError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: {reason}", path.display())]
    Farm { path: PathBuf, reason: String },
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        path: PathBuf,
        line: u64,
        reason: String,
    },
}

impl ReplayError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    const fn exit_code(&self) -> u8 {
        match self {
            Self::Io { .. } => EXIT_FAILED,
            Self::Farm { .. } | Self::File { .. } | Self::Line { .. } => EXIT_MALFORMED,
        }
    }
}

pub(crate) fn main(args: &ReplayArgs) -> ExitCode {
    match run(args) {
        Ok(summary) => {
            // A closed pipe is the reader's choice.
            let _closed = write!(io::stdout().lock(), "{summary}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            let _closed = writeln!(io::stderr().lock(), "harit replay: {e}");
            ExitCode::from(e.exit_code())
        }
    }
}

fn run(args: &ReplayArgs) -> Result<Summary, ReplayError> {
    let mut engine = load_farm(&args.farm)?;
    let mut output = Output::create(args.out.as_deref())?;
    let mut summary = Summary::default();
    let started = Instant::now();
    if let Some(path) = &args.telemetry {
        Telemetry::open(path)?.replay(args.skip_bad, &mut engine, &mut output, &mut summary)?;
    }
    if let Some(path) = &args.inputs {
        replay_inputs(path, args.skip_bad, &mut engine, &mut output, &mut summary)?;
    }
    if let Some(until) = args.until {
        let tick = Input {
            at: Timestamp::from_millis(until),
            kind: InputKind::Tick,
        };
        let mut events = Vec::new();
        if let Err(e) = engine.apply(&tick, &mut events) {
            return Err(ReplayError::Farm {
                path: args.farm.clone(),
                reason: e.to_string(),
            });
        }
        output.write(&events, &mut summary)?;
    }
    output.finish()?;
    summary.finish(engine.counters(), started.elapsed());
    Ok(summary)
}

fn load_farm(path: &Path) -> Result<Engine, ReplayError> {
    let text = fs::read_to_string(path).map_err(ReplayError::io(path))?;
    let malformed = |reason: String| ReplayError::Farm {
        path: path.to_owned(),
        reason,
    };
    let json: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| malformed(e.to_string()))?;
    let document = FarmDocument::from_json(&json).map_err(|e| malformed(e.to_string()))?;
    Engine::new(&document).map_err(|e| malformed(e.to_string()))
}

fn replay_inputs(
    path: &Path,
    skip_bad: bool,
    engine: &mut Engine,
    output: &mut Output,
    summary: &mut Summary,
) -> Result<(), ReplayError> {
    let mut lines = Lines::new(Source::new(
        path,
        File::open(path).map_err(ReplayError::io(path))?,
    )?);
    let mut events: Vec<Event> = Vec::new();
    while let Some(line) = lines.next()? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let applied = read_input(line)
            .and_then(|input| engine.apply(&input, &mut events).map_err(|e| e.to_string()));
        match applied {
            Ok(()) => {
                output.write(&events, summary)?;
                events.clear();
            }
            Err(_) if skip_bad => summary.bad_lines += 1,
            Err(reason) => return Err(lines.malformed(&reason)),
        }
    }
    lines.done();
    Ok(())
}

fn read_input(line: &[u8]) -> Result<Input, String> {
    let line = std::str::from_utf8(line).map_err(|_| "the line is not UTF-8".to_owned())?;
    harit_protocol::jsonl::parse(line.trim_end()).map_err(|e| e.to_string())
}
