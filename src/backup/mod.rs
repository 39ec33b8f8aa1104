//! `harit backup` and `harit restore`: copies of a data directory, beside a running server, and back again.

mod restore;
mod snapshot;
mod source;
mod target;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use harit_backup::{Keep, Key, Manifest, RepositoryError};
use harit_bucket::Place;
use harit_ingest::backup::BackupError;
use jiff::tz::TimeZone;

use crate::data_dir::{DataDirArg, RecordsArg};
use crate::journals::{self, JournalsError, SettingsArg};
use crate::report::report;
pub(crate) use restore::{RestoreArgs, main as restore_main};
pub(crate) use snapshot::{BackupFailed, forget, make};
pub(crate) use source::Source;
pub(crate) use target::{KeyArg, Target};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct BackupArgs {
    #[command(subcommand)]
    command: Option<BackupCommand>,
    #[command(flatten)]
    place: DataDirArg,
    #[command(flatten)]
    records: RecordsArg,
    #[command(flatten)]
    settings: SettingsArg,
    /// The repository that gets a snapshot, a directory or s3://BUCKET/PREFIX, made where that is new or empty: what is in it
    /// already is not stored again.
    #[arg(
        long,
        value_name = "DIR|URL",
        conflicts_with = "out",
        required_unless_present = "out"
    )]
    to: Option<Place>,
    #[command(flatten)]
    key: KeyArg,
    /// In place of a repository a plain copy: a directory that is new or empty, with which a server can be started.
    #[arg(long, value_name = "DIR", conflicts_with = "KeepArgs")]
    out: Option<PathBuf>,
    #[command(flatten)]
    keep: KeepArgs,
}

#[derive(Debug, Subcommand)]
enum BackupCommand {
    /// Say which snapshots a repository has.
    List(FromArgs),
    /// Read everything in a repository and name what is not as it was written.
    Check(FromArgs),
    /// Remove the snapshots that are not to be kept, and what none of the others needs.
    Forget(ForgetArgs),
    /// Make a key with which repositories are encrypted. Keep it apart from them: without it nothing can be restored.
    Key(NewKeyArgs),
}

#[derive(Debug, Args)]
struct FromArgs {
    /// The repository: a directory, or s3://BUCKET/PREFIX.
    #[arg(long, value_name = "DIR|URL")]
    from: Place,
    #[command(flatten)]
    key: KeyArg,
}

impl FromArgs {
    fn target(&self) -> Target {
        Target {
            place: self.from.clone(),
            key: self.key.clone(),
        }
    }
}

#[derive(Debug, Args)]
struct NewKeyArgs {
    /// The file that gets it, which must not be there.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, Args)]
struct ForgetArgs {
    #[command(flatten)]
    repository: FromArgs,
    #[command(flatten)]
    keep: KeepArgs,
}

/// Which snapshots are kept afterwards; without any of them, all.
#[derive(Debug, Args)]
struct KeepArgs {
    /// Keep so many of the newest snapshots.
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep_last: u32,
    /// Keep the newest snapshot of each of so many days.
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep_daily: u32,
    /// Keep the newest snapshot of each of so many weeks.
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep_weekly: u32,
}

impl KeepArgs {
    const fn keep(&self) -> Keep {
        Keep {
            last: self.keep_last,
            daily: self.keep_daily,
            weekly: self.keep_weekly,
        }
    }
}

pub(crate) fn main(args: &BackupArgs) -> ExitCode {
    let done = match &args.command {
        Some(BackupCommand::List(args)) => list(args),
        Some(BackupCommand::Check(args)) => return check(args),
        Some(BackupCommand::Forget(args)) => forget_some(args),
        Some(BackupCommand::Key(args)) => make_key(args),
        None => back_up(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report("harit backup", &e);
            ExitCode::FAILURE
        }
    }
}

fn back_up(args: &BackupArgs) -> Result<(), BackupFailed> {
    let data_dir = &args.place.data_dir;
    let config = args.settings.of(data_dir).map_err(JournalsError::from)?;
    let records = args.records.or(&config);
    let source = Source {
        data_dir: data_dir.clone(),
        records: records.map_err(|e| BackupError::Records(e.into()))?,
        journals: journals::of(&config)?,
    };
    if let Some(url) = harit_ingest::history::elsewhere(data_dir) {
        say(&format!(
            "the history is in {url}, and is no part of this: back it up before this, with pg_dump --schema=harit_history"
        ));
    }
    if let Some(out) = &args.out {
        source.check()?;
        let folder = tempfile::tempdir().map_err(|e| BackupError::Records(e.into()))?;
        let copied = source.with(folder.path(), &|| true, |elsewhere| {
            Ok(harit_ingest::backup::backup(data_dir, elsewhere, out)?)
        })?;
        let (files, bytes) = (copied.files, size(copied.bytes));
        say(&format!("{files} files, {bytes}, in {}", out.display()));
    }
    if let Some(to) = &args.to {
        let to = Target {
            place: to.clone(),
            key: args.key.clone(),
        };
        let made = make(&source, &to, &|| true)?;
        say(&format!(
            "{}; new: {}",
            line(&made),
            size(made.stored.bytes)
        ));
        if !args.keep.keep().is_nothing() {
            let gone = forget(&to, args.keep.keep(), &|| true)?;
            say_forgotten(&gone);
        }
    }
    Ok(())
}

fn list(args: &FromArgs) -> Result<(), BackupFailed> {
    let repository = args.target().open()?;
    for number in repository.numbers()? {
        match repository.manifest(number) {
            Ok(made) => say(&format!(
                "{}; new: {}",
                line(&made),
                size(made.stored.bytes)
            )),
            // The others can be used all the same.
            Err(e @ RepositoryError::Manifest { .. }) => say(&e.to_string()),
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}

fn check(args: &FromArgs) -> ExitCode {
    let checked = args.target().open().and_then(|r| r.check(&|| true));
    let checked = match checked {
        Ok(checked) => checked,
        Err(e) => {
            report("harit backup check", &e);
            return ExitCode::from(2);
        }
    };
    for damage in &checked.damage {
        say(&damage.to_string());
    }
    let (snapshots, chunks) = (checked.snapshots, checked.chunks);
    let found = match checked.damage.len() {
        0 => "all as it was written".to_owned(),
        1 => "1 file is damaged or missing".to_owned(),
        n => format!("{n} files are damaged or missing"),
    };
    say(&format!("{snapshots} snapshots, {chunks} chunks: {found}"));
    if checked.unneeded > 0 {
        let unneeded = checked.unneeded;
        say(&format!(
            "{unneeded} files that no snapshot needs: `harit backup forget` removes them"
        ));
    }
    if checked.damage.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn forget_some(args: &ForgetArgs) -> Result<(), BackupFailed> {
    // One that is misspelt is not made.
    let target = args.repository.target();
    drop(target.open()?);
    let gone = forget(&target, args.keep.keep(), &|| true)?;
    say_forgotten(&gone);
    Ok(())
}

fn make_key(args: &NewKeyArgs) -> Result<(), BackupFailed> {
    let key = Key::make(&args.out)?;
    let (id, out) = (key.id(), args.out.display());
    say(&format!(
        "key {id} in {out}: keep a copy where the backups are not, without it nothing can be restored"
    ));
    Ok(())
}

fn say_forgotten(gone: &harit_backup::Forgotten) {
    let (snapshots, chunks) = (gone.snapshots.len(), gone.chunks);
    let bytes = size(gone.bytes);
    say(&format!(
        "removed: {snapshots} snapshots, {chunks} chunks, {bytes}"
    ));
}

/// A snapshot in a line.
fn line(made: &Manifest) -> String {
    let at = jiff::Timestamp::from_millisecond(made.at_ms).unwrap_or_default();
    let at = at
        .to_zoned(TimeZone::system())
        .strftime("%Y-%m-%d %H:%M:%S %Z");
    let (number, files, farms) = (made.number, made.files.len(), made.farms.len());
    let bytes = size(made.bytes());
    format!("snapshot {number}, {at}: {farms} farms, {files} files, {bytes}")
}

fn size(bytes: u64) -> String {
    match bytes.div_ceil(1_024) {
        kib @ 0..10_240 => format!("{kib} KiB"),
        kib => format!("{} MiB", kib.div_ceil(1_024)),
    }
}

fn say(line: &str) {
    let _closed = writeln!(io::stdout().lock(), "{line}");
}
