//! `harit history`: the minutes, hours and days of charts made anew, from the archive and the journal; a file's history brought into a PostgreSQL.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use harit_bucket::Place;
use harit_engine::Timestamp;
use harit_ingest::history::{
    BadUrl, HistoryPlace, PostgresUrl, Take, Watermarks, copy_to_postgres, elsewhere, good, rebuild,
};
use harit_ingest::past::{PastError, ShardJournal, Stop, readings, shard_journals};
use thiserror::Error;

use crate::archive::{self, ArchiveError, Day, FarmDay, Part, Source};
use crate::columnar;
use crate::data_dir::DataDirArg;
use crate::journals::JournalsArg;
#[cfg(test)]
use crate::journals::SettingsArg;
use crate::positions::Positions;
use crate::report::report;

/// It takes as long as it takes.
const NO_LIMIT: Duration = Duration::from_secs(10 * 365 * 86_400);

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    command: HistoryCommand,
}

#[derive(Debug, Subcommand)]
enum HistoryCommand {
    /// Make the values of charts anew, from a day on, of the archive and the journal; while the server is stopped. The log that people
    /// read stays as it is.
    Rebuild(RebuildArgs),
    /// Bring everything that history.db has, the log that people read too, into the PostgreSQL of --history-url, which has none; while the
    /// server is stopped.
    Copy(CopyArgs),
}

#[derive(Debug, Args)]
struct CopyArgs {
    #[command(flatten)]
    place: DataDirArg,
    #[command(flatten)]
    history: HistoryArg,
}

/// Where the history is, if it is not in the data directory.
#[derive(Debug, Default, Args)]
struct HistoryArg {
    /// The PostgreSQL that has the history, where it is not in the data directory: history.url of the settings.
    #[arg(
        long,
        value_name = "URL",
        env = "HARIT_HISTORY_URL",
        default_value = ""
    )]
    history_url: String,
    /// Its password, where it is not in the address.
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "HARIT_HISTORY_PASSWORD",
        default_value = "",
        hide_env_values = true
    )]
    history_password: String,
}

impl HistoryArg {
    fn postgres(&self) -> Result<Option<PostgresUrl>, BadUrl> {
        match self.history_url.as_str() {
            "" => Ok(None),
            url => PostgresUrl::new(url, &self.history_password).map(Some),
        }
    }
}

#[derive(Debug, Args)]
struct RebuildArgs {
    #[command(flatten)]
    journals: JournalsArg,
    #[command(flatten)]
    history: HistoryArg,
    /// The archive, where it is not in the data directory.
    #[arg(long, value_name = "DIR|s3://BUCKET/PREFIX", env = "HARIT_ARCHIVE_DIR")]
    archive: Option<Place>,
    /// The first day (UTC) that is made anew; without it all that the archive has.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = Day::parse_or_say)]
    from: Option<Day>,
}

pub(crate) fn main(args: &HistoryArgs) -> ExitCode {
    let (command, done) = match &args.command {
        HistoryCommand::Rebuild(args) => ("harit history rebuild", rebuild_said(args)),
        HistoryCommand::Copy(args) => ("harit history copy", copy(args)),
    };
    match done {
        Ok(said) => {
            let _closed = writeln!(io::stdout().lock(), "{said}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            report(command, &*e);
            ExitCode::FAILURE
        }
    }
}

fn rebuild_said(args: &RebuildArgs) -> Result<String, Box<dyn std::error::Error>> {
    let (readings, from) = run(args)?;
    Ok(format!(
        "{readings} readings from {from} on are in the history again"
    ))
}

fn copy(args: &CopyArgs) -> Result<String, Box<dyn std::error::Error>> {
    let Some(url) = args.history.postgres()? else {
        return Err("--history-url says which PostgreSQL".into());
    };
    let rows = copy_to_postgres(&args.place.data_dir, &url)?;
    Ok(format!(
        "{rows} rows are in {url}; the file is now history.db.copied: remove it once the server runs"
    ))
}

/// Makes everything anew that the archive has; how many readings that was.
#[cfg(test)]
pub(crate) fn rebuild_all(data_dir: &std::path::Path) -> Result<u64, Box<dyn std::error::Error>> {
    let args = RebuildArgs {
        journals: JournalsArg {
            place: DataDirArg {
                data_dir: data_dir.to_owned(),
            },
            settings: SettingsArg::default(),
        },
        history: HistoryArg::default(),
        archive: None,
        from: None,
    };
    run(&args).map(|(readings, _)| readings)
}

fn run(args: &RebuildArgs) -> Result<(u64, Day), Box<dyn std::error::Error>> {
    let url = match args.history.postgres()? {
        None => args.journals.settings.read()?.history()?,
        given => given,
    };
    let place = url.map(HistoryPlace::Postgres);
    let data_dir = &args.journals.place.data_dir;
    if let (None, Some(url)) = (&place, elsewhere(data_dir)) {
        return Err(
            format!("the history is in {url}: say so with --history-url, or --config").into(),
        );
    }
    let own = || data_dir.join(archive::FOLDER).into();
    let archive = args.archive.clone().unwrap_or_else(own);
    let source = Source::open(&archive)?;
    let Some(FarmDay { day: oldest, .. }) = source.days().next() else {
        return Err(format!("{archive} has no readings").into());
    };
    let from = args.from.unwrap_or(*oldest);
    if from < *oldest {
        return Err(
            format!("the archive begins on {oldest}: nothing older can be made anew").into(),
        );
    }
    let positions = source.positions()?;
    let journals = shard_journals(&args.journals.open()?)?;
    // A file of a run that was cut off before its position was stored has what is read from the journal.
    let counts = |part: &Part| {
        let is_its = |j: &ShardJournal| (j.generation, j.shard) == (part.generation, part.shard);
        let archived = || positions.of(part.generation, part.shard).batch;
        !journals.iter().any(is_its) || part.first <= archived()
    };
    let made = rebuild(
        data_dir,
        place.as_ref(),
        from.begins(),
        |watermarks, take| {
            // What was true on a day may have been journaled a little later, or, by a clock that was ahead, before.
            for of in source.days().filter(|of| of.day >= from.minus(1)) {
                for part in source.parts(of).iter().filter(|part| counts(part)) {
                    let path = source.file(part)?;
                    let read = columnar::good_values(&path, &mut |at, sensor, value| {
                        take(&of.farm.as_str().into(), &sensor.into(), at, value);
                    });
                    read.map_err(|source| ArchiveError::Columns { path, source })?;
                }
            }
            journaled(&journals, &positions, watermarks, take)
        },
    );
    Ok((made?, from))
}

/// Why the readings could not be read.
#[derive(Debug, Error)]
enum RebuildFailed {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(
        "the history lacks what the journal still has: start the server and stop it, so that it takes that, and try again"
    )]
    Behind,
}

impl From<PastError> for RebuildFailed {
    fn from(e: PastError) -> Self {
        Self::Archive(e.into())
    }
}

/// What the journals have and the archive has not, as far as the history had it: the rest it takes at the next start.
fn journaled(
    journals: &[ShardJournal],
    positions: &Positions,
    watermarks: &Watermarks,
    take: Take<'_>,
) -> Result<(), RebuildFailed> {
    let stop = Stop::within(NO_LIMIT);
    let current = journals.last().map(|j| j.generation);
    for journal in journals {
        let (generation, shard) = (journal.generation, journal.shard);
        let after = positions.of(generation, shard).batch;
        // An older generation is read by no start any more.
        let through = match Some(generation) == current {
            true => watermarks.of(generation, shard),
            false => u64::MAX,
        };
        if through < after {
            return Err(RebuildFailed::Behind);
        }
        let end = Timestamp::from_millis(i64::MAX);
        readings::<RebuildFailed>(journal, after, end, |_| true, &stop, &mut |said| {
            let value = good(said.sensor.sensor_type, said.reading.value);
            if let Some(value) = value.filter(|_| said.batch <= through) {
                take(said.farm, &said.sensor.id, said.reading.at, value);
            }
            Ok(())
        })?;
    }
    Ok(())
}
