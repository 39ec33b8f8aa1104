//! `harit restore`: a data directory from a snapshot, and whether it is what it was.
//!
//! Until all is found right the directory has a file `RESTORING` and no `journal/CURRENT`: no server takes it for whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use harit_api::RecordsPlace;
use harit_backup::{Damage, JournalEnd, Manifest, RepositoryError};
use harit_bucket::Place;
use harit_ingest::backup::{CURRENT, FoldFrom, RESTORING, fold, integrity};

use super::{FromArgs, line, say};
use crate::report::report;

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    #[command(flatten)]
    repository: FromArgs,
    /// The number of the snapshot, as `harit backup list` says; without it the newest.
    #[arg(long, value_name = "N")]
    snapshot: Option<u64>,
    /// Where the data goes: a directory that is new or empty.
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// Restore also where every byte is as it was backed up and the checks find something all the same: a database that was
    /// damaged before, an audit log that is not sealed, a state that this version folds to another one.
    #[arg(long)]
    accept_findings: bool,
}

#[derive(Debug, thiserror::Error)]
enum RestoreFailed {
    #[error("{0} is not empty: data is restored into a directory of its own")]
    NotEmpty(PathBuf),
    #[error("snapshot {0} has no journal/CURRENT: it is none of a data directory")]
    NoData(u64),
    #[error("{0}")]
    Damaged(String),
    #[error("{0}")]
    Findings(String),
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> RestoreFailed {
    let path = path.to_owned();
    move |source| RestoreFailed::Io { path, source }
}

pub(crate) fn main(args: &RestoreArgs) -> ExitCode {
    match restore(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report("harit restore", &e);
            ExitCode::FAILURE
        }
    }
}

fn restore(args: &RestoreArgs) -> Result<(), RestoreFailed> {
    let repository = args.repository.target().open()?;
    let number = match args.snapshot {
        Some(number) => number,
        None => repository.newest()?,
    };
    let manifest = repository.manifest(number)?;
    let Some((current, others)) = manifest.files.split_last() else {
        return Err(RestoreFailed::NoData(number));
    };
    if current.path != CURRENT {
        return Err(RestoreFailed::NoData(number));
    }
    let to = &args.data_dir;
    let mark = begin(to, number, &args.repository.from)?;
    let mut damage: Vec<Damage> = Vec::new();
    for file in others {
        damage.extend(repository.extract(file, to)?);
    }
    if !damage.is_empty() {
        damage.dedup_by(|a, b| a.path == b.path);
        let said: Vec<String> = damage.iter().map(|d| format!("\n  {d}")).collect();
        return Err(RestoreFailed::Damaged(format!(
            "snapshot {number} is damaged, and {} is not restored (what could be read is there, marked with {RESTORING}):{}",
            to.display(),
            said.concat()
        )));
    }
    say(&line(&manifest));
    let mut findings = Vec::new();
    audit_log(to, &manifest, &mut findings);
    for journal in &manifest.journals {
        farms(to, &manifest, journal, &mut findings);
    }
    databases(to, &manifest, &mut findings);
    if !findings.is_empty() && !args.accept_findings {
        let said: Vec<String> = findings.iter().map(|f| format!("\n  {f}")).collect();
        return Err(RestoreFailed::Findings(format!(
            "every byte is as it was backed up by harit {}, but:{}\n{} stays marked with {RESTORING}, and no server takes it. \
             Another snapshot may be sound; to take this one all the same, remove the directory and restore again with \
             --accept-findings",
            manifest.harit,
            said.concat(),
            to.display()
        )));
    }
    for finding in findings {
        say(&format!("accepted: {finding}"));
    }
    repository
        .extract(current, to)?
        .first()
        .map_or(Ok(()), |d| Err(RestoreFailed::Damaged(d.to_string())))?;
    sync(to)?;
    fs::remove_file(&mark).map_err(at(&mark))?;
    sync(to)?;
    say(&format!("restored to {}", to.display()));
    Ok(())
}

/// Makes the directory, and marks it as one that is being restored.
fn begin(to: &Path, number: u64, from: &Place) -> Result<PathBuf, RestoreFailed> {
    let mut builder = DirBuilder::new();
    builder
        .recursive(true)
        .mode(0o700)
        .create(to)
        .map_err(at(to))?;
    for entry in fs::read_dir(to).map_err(at(to))? {
        if entry.map_err(at(to))?.file_name() != "lost+found" {
            return Err(RestoreFailed::NotEmpty(to.to_owned()));
        }
    }
    let mark = to.join(RESTORING);
    let write = || {
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&mark)?;
        writeln!(
            file,
            "Snapshot {number} of {from} goes here. While this file is here, it is not all there or not found right: remove the \
             directory and restore again."
        )?;
        file.sync_all()
    };
    write().map_err(at(&mark))?;
    sync(to)?;
    Ok(mark)
}

/// All names in a directory, and below it, are there after a power cut.
fn sync(dir: &Path) -> Result<(), RestoreFailed> {
    for entry in fs::read_dir(dir).map_err(at(dir))? {
        let path = entry.map_err(at(dir))?.path();
        if path.is_dir() {
            sync(&path)?;
        }
    }
    let sync = || File::open(dir)?.sync_all();
    sync().map_err(at(dir))
}

fn has(manifest: &Manifest, name: &str) -> bool {
    manifest.files.iter().any(|f| f.path == name)
}

/// Whether the audit log is as it was written, as `harit verify-log` says.
fn audit_log(to: &Path, manifest: &Manifest, findings: &mut Vec<String>) {
    // Without records there is no log; without its keys verifying says so.
    if !has(manifest, "records.db") {
        return;
    }
    let verified = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| e.to_string())
        .and_then(|runtime| {
            let verifying = runtime.block_on(harit_api::verify_log(&RecordsPlace::file_in(to)));
            verifying.map_err(|e| with_cause(&e))
        });
    match verified {
        Ok(found) if found.problems.is_empty() => {
            let (entries, chains) = (found.entries, found.chains);
            say(&format!(
                "audit log: {entries} entries in {chains} chains are as they were written"
            ));
        }
        Ok(found) => {
            let problems = found.problems.iter();
            findings.extend(problems.map(|p| format!("audit log: {p}")));
        }
        Err(e) => findings.push(format!("audit log: {e}")),
    }
}

/// Whether the farms of a journal fold to what they were when it was backed up.
///
/// What was noted then follows from the newest stored state, as a server's start does it. Folding from the oldest one is the
/// stronger check, for it reads everything; but what an earlier version decided this one may decide otherwise.
fn farms(to: &Path, manifest: &Manifest, end: &JournalEnd, findings: &mut Vec<String>) {
    let (generation, shard) = (manifest.generation, end.shard);
    let path = to.join(format!("journal/{generation:06}/shard-{shard}.db"));
    let of_shard = || manifest.farms.iter().filter(|f| f.shard == shard);
    let differing = |from: FoldFrom| -> Result<(u64, Vec<String>), String> {
        let state = fold(&path, from).map_err(|e| e.to_string())?;
        if state.last != end.last {
            return Err(format!(
                "it ends at batch {}, and ended at {}",
                state.last, end.last
            ));
        }
        let same = |f: &&harit_backup::FarmState| {
            let found = state.farms.iter().find(|(id, _)| id.as_str() == f.farm);
            found.is_some_and(|(_, sha256)| *sha256 == f.sha256)
        };
        let mut other: Vec<String> = of_shard()
            .filter(|f| !same(f))
            .map(|f| f.farm.clone())
            .collect();
        let known = |id: &str| of_shard().any(|f| f.farm == id);
        let more = state.farms.iter().filter(|(id, _)| !known(id.as_str()));
        other.extend(more.map(|(id, _)| id.to_string()));
        Ok((state.from, other))
    };
    let newest = match differing(FoldFrom::Newest) {
        Ok((_, other)) => other,
        Err(e) => {
            findings.push(format!("journal of shard {shard}: {e}"));
            return;
        }
    };
    for farm in &newest {
        findings.push(format!(
            "farm {farm}: its journal does not fold to the state that it had when it was backed up"
        ));
    }
    if !newest.is_empty() {
        return;
    }
    let (count, last) = (of_shard().count(), end.last);
    match differing(FoldFrom::Oldest) {
        Ok((from, other)) if other.is_empty() => say(&format!(
            "journal of shard {shard}: {count} farms fold to the states that they had, from batch {from} to {last}"
        )),
        Ok((from, other)) => say(&format!(
            "journal of shard {shard}: {count} farms have the states that they had; folded from batch {from} on, {} would come to \
             another: an earlier version decided otherwise",
            other.join(", ")
        )),
        Err(e) => findings.push(format!("journal of shard {shard}: {e}")),
    }
}

/// Whether SQLite finds every database sound.
fn databases(to: &Path, manifest: &Manifest, findings: &mut Vec<String>) {
    let all = manifest.files.iter().map(|f| f.path.as_str());
    let all: Vec<&str> = all.filter(|name| name.ends_with(".db")).collect();
    let before = findings.len();
    for name in &all {
        match integrity(&to.join(name)) {
            Ok(None) => {}
            Ok(Some(found)) => findings.push(format!("{name}: {found}")),
            Err(e) => findings.push(with_cause(&e)),
        }
    }
    if findings.len() == before {
        say(&format!("databases: {} are sound", all.len()));
    }
}

fn with_cause(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(ToString::to_string);
    let told = error.to_string();
    match cause {
        Some(cause) if !told.contains(&cause) => format!("{told}: {cause}"),
        _ => told,
    }
}
