//! `harit replay`: a farm over a recorded log. The same fold as live control, without a server.
//!
//! Memory does not depend on the file's length: a line, or a batch of rows in columns, is read, applied, and its events are written. Events go to a file
//! beside the one asked for, which takes its name only when the replay has come to its end, so that a replay that failed
//! leaves nothing that looks like a result.

mod columns;
mod convert;
mod inputs;
mod log;
mod output;
mod progress;
mod sensors;
mod source;
mod summary;
mod telemetry;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use harit_bucket::Place;
use harit_engine::{Input, InputKind, Timestamp};
use harit_farm::{Farm, FarmFile};

use crate::archive::{Day, FarmDay, Part, Source};
use output::Output;
use summary::Summary;
use telemetry::Telemetry;

pub(crate) use convert::{ConvertArgs, main as convert};
pub(crate) use log::LinesLog;
pub(crate) use summary::processor_time;

/// Malformed input: a line, a farm document, a rule in it.
const EXIT_MALFORMED: u8 = 2;
/// Anything else: a file that cannot be read or written.
const EXIT_FAILED: u8 = 1;

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("log").required(true).args(["telemetry", "inputs", "from_history"]))]
pub(crate) struct ReplayArgs {
    /// The farm: places, sensors, devices, rules and alerts (JSON); in the export of a journal whose beginning is gone also
    /// its state.
    #[arg(long, value_name = "FILE", env = "HARIT_REPLAY_FARM")]
    farm: PathBuf,
    /// Readings: a Parquet file with the columns `at`, `sensor`, `value` (see `harit convert`), or text with the header
    /// `at,sensor,value`; `at` is epoch milliseconds or RFC 3339. Gzip and zstd are recognised.
    #[arg(long, value_name = "FILE", env = "HARIT_REPLAY_TELEMETRY")]
    telemetry: Option<PathBuf>,
    /// What the farm was told, one JSON object a line, as `harit journal export` writes it. Gzip and zstd are recognised.
    #[arg(long, value_name = "FILE", env = "HARIT_REPLAY_INPUTS")]
    inputs: Option<PathBuf>,
    /// A server's archive (`DATA_DIR/archive`), or its copy in a bucket: what it has of the farm, from the first day to the last.
    #[arg(
        long,
        value_name = "DIR|s3://BUCKET/PREFIX",
        env = "HARIT_REPLAY_FROM_HISTORY"
    )]
    from_history: Option<Place>,
    /// The first day (UTC) of the archive that counts.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = Day::parse_or_say, requires = "from_history")]
    from: Option<Day>,
    /// The last day (UTC) of it.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = Day::parse_or_say, requires = "from_history")]
    to: Option<Day>,
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
pub(crate) enum ReplayError {
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
    #[error("{}:{line}: the farm fails here, and decides nothing any more: {reason}", path.display())]
    Failed {
        path: PathBuf,
        line: u64,
        reason: String,
    },
}

impl ReplayError {
    fn archive(place: &Place, reason: &dyn std::fmt::Display) -> Self {
        Self::File {
            path: PathBuf::from(place.to_string()),
            reason: reason.to_string(),
        }
    }

    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    const fn exit_code(&self) -> u8 {
        match self {
            Self::Io { .. } | Self::Failed { .. } => EXIT_FAILED,
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

/// Folds lines of inputs up to an instant, and writes what was decided.
pub(crate) fn fold(
    farm: PathBuf,
    inputs: PathBuf,
    until: Timestamp,
    out: PathBuf,
) -> Result<(), ReplayError> {
    run(&ReplayArgs {
        farm,
        telemetry: None,
        inputs: Some(inputs),
        from_history: None,
        from: None,
        to: None,
        out: Some(out),
        until: Some(until.as_millis()),
        skip_bad: false,
    })
    .map(|_| ())
}

fn run(args: &ReplayArgs) -> Result<Summary, ReplayError> {
    let mut farm = load_farm(&args.farm)?;
    let before = *farm.engine().counters();
    let mut output = Output::create(args.out.as_deref())?;
    let mut summary = Summary::default();
    let started = Instant::now();
    let until = args.until.map(|until| Input {
        at: Timestamp::from_millis(until),
        kind: InputKind::Tick,
    });
    if let Some(path) = &args.inputs {
        inputs::replay(path, args.skip_bad, &mut farm, &mut output, &mut summary)?;
        if let Some(tick) = &until {
            inputs::tick(tick, &mut farm, &mut output, &mut summary)?;
        }
    }
    let archived = match &args.from_history {
        Some(place) => Some((place, Archived::open(args, place, farm.id().as_str())?)),
        None => None,
    };
    let archived = archived.iter().flat_map(|(place, archived)| {
        let file = |part| archived.source.file(part);
        let failed = |e| ReplayError::archive(place, &e);
        archived.parts.iter().map(move |p| file(p).map_err(failed))
    });
    let given = args.telemetry.iter().map(|path| Ok(path.clone()));
    let mut readings = given.chain(archived).peekable();
    // Controllers have no part in readings: the engine alone is faster.
    let mut engine = farm.into_engine();
    if readings.peek().is_some() {
        for path in readings {
            Telemetry::open(&path?)?.replay(
                args.skip_bad,
                &mut engine,
                &mut output,
                &mut summary,
            )?;
        }
        if let Some(tick) = &until {
            let mut events = Vec::new();
            engine
                .apply(tick, &mut events)
                .map_err(|e| malformed(&args.farm, &e))?;
            output.write(&events, &mut summary)?;
        }
    }
    output.finish()?;
    summary.finish(engine.counters().since(&before), started.elapsed());
    Ok(summary)
}

/// What of an archive has what rules saw.
struct Archived {
    source: Source,
    /// In the order in which they did.
    parts: Vec<Part>,
}

impl Archived {
    fn open(args: &ReplayArgs, place: &Place, farm: &str) -> Result<Self, ReplayError> {
        let source = Source::open(place).map_err(|e| ReplayError::archive(place, &e))?;
        let is_asked = |of: &&FarmDay| {
            of.farm == farm
                && args.from.is_none_or(|from| of.day >= from)
                && args.to.is_none_or(|to| of.day <= to)
        };
        let all = source
            .days()
            .filter(is_asked)
            .flat_map(|of| source.parts(of));
        let parts: Vec<Part> = all.filter(|p| !p.is_late).cloned().collect();
        if parts.is_empty() {
            let nothing = format!("the archive has nothing of the farm {farm} then");
            return Err(ReplayError::archive(place, &nothing));
        }
        Ok(Self { source, parts })
    }
}

fn load_farm(path: &Path) -> Result<Farm, ReplayError> {
    let text = fs::read_to_string(path).map_err(ReplayError::io(path))?;
    let json: serde_json::Value = serde_json::from_str(&text).map_err(|e| malformed(path, &e))?;
    FarmFile::read(&json).map_err(|e| malformed(path, &e))
}

fn malformed(path: &Path, reason: &dyn std::fmt::Display) -> ReplayError {
    ReplayError::Farm {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}
