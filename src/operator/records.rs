//! `harit records copy`: the records of a data directory brought into a PostgreSQL, and back.

use std::fs;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use harit_api::{RecordsPlace, copy_records};

use super::{Error, Place, runtime, told};

#[derive(Debug, Args)]
pub(crate) struct RecordsArgs {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    command: RecordsCommand,
}

#[derive(Debug, Subcommand)]
enum RecordsCommand {
    /// Bring the records of the data directory into the PostgreSQL of --records-url, which has none; while the server is stopped.
    Copy(CopyArgs),
}

#[derive(Debug, Args)]
struct CopyArgs {
    /// Bring them from the PostgreSQL into the data directory, which has none.
    #[arg(long)]
    back: bool,
}

pub(crate) fn main(args: &RecordsArgs) -> ExitCode {
    let RecordsCommand::Copy(copy) = &args.command;
    let done = match copy.back {
        false => there(&args.place),
        true => back(&args.place),
    };
    told("harit records copy", done)
}

/// What the records are in, and the PostgreSQL.
fn both(place: &Place) -> Result<(RecordsPlace, RecordsPlace), Error> {
    let postgres = place.records()?;
    if postgres.postgres().is_none() {
        return Err("--records-url says which PostgreSQL".into());
    }
    Ok((RecordsPlace::file_in(&place.data_dir), postgres))
}

fn there(place: &Place) -> Result<String, Error> {
    let (file, postgres) = both(place)?;
    let _lock = place.lock()?;
    let rows = runtime()?.block_on(copy_records(&file, &postgres))?;
    let kept = file.file().with_extension("db.copied");
    fs::rename(file.file(), &kept)?;
    postgres.note()?;
    Ok(format!(
        "{rows} rows are in {postgres}; the file is now {}: remove it once the server runs",
        kept.display()
    ))
}

fn back(place: &Place) -> Result<String, Error> {
    let (file, postgres) = both(place)?;
    let _lock = place.lock()?;
    if file.file().exists() {
        return Err(format!("{file} is there already").into());
    }
    // Whole, or not there.
    let folder = tempfile::tempdir_in(&place.data_dir)?;
    let new = RecordsPlace::file_in(folder.path());
    let rows = runtime()?.block_on(copy_records(&postgres, &new))?;
    fs::rename(new.file(), file.file())?;
    file.note()?;
    Ok(format!(
        "{rows} rows are in {file}; {postgres} has them too, and is not used any more"
    ))
}
