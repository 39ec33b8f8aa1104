//! Writing an incident.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use harit_api::seal_incident;
use harit_engine::{FarmId, Timestamp};
use harit_farm::FarmFile;
use harit_ingest::past::{JournalLog, Log as _, Places, Stop};

use super::manifest::{Manifest, Subject, chain};
use super::{
    EVENTS, EXPLANATIONS, FARM, Failure, INPUTS, MANIFEST, WITHIN, explain_again, fold, text,
};
use crate::explain::{LanguageArg, instant};
use crate::journals::JournalsArg;

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["device", "rule"]))]
pub(super) struct ExportArgs {
    #[command(flatten)]
    journals: JournalsArg,
    /// The farm.
    #[arg(long, value_name = "ID")]
    farm: String,
    /// The device whose doing is explained.
    #[arg(long, value_name = "ID")]
    device: Option<String>,
    /// The rule that is explained.
    #[arg(long, value_name = "ID")]
    rule: Option<String>,
    /// From when: epoch milliseconds or RFC 3339.
    #[arg(long, value_name = "INSTANT", value_parser = instant, allow_negative_numbers = true)]
    from: Timestamp,
    /// Until when.
    #[arg(long, value_name = "INSTANT", value_parser = instant, allow_negative_numbers = true)]
    to: Timestamp,
    /// The language of the sentences.
    #[arg(long, value_enum, default_value = "en")]
    language: LanguageArg,
    /// Where it goes: a folder that is not there yet.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(super) fn export(args: &ExportArgs) -> Result<ExitCode, Failure> {
    if args.from > args.to {
        return Err("--from is after --to".into());
    }
    let subject = match (&args.device, &args.rule) {
        (Some(id), _) => Subject::Device(id.clone()),
        (None, id) => Subject::Rule(id.clone().unwrap_or_default()),
    };
    let farm = FarmId::new(args.farm.clone());
    let mut log = JournalLog::open(
        &*args.journals.open()?,
        &farm,
        args.from,
        &Places::default(),
    )?;
    // Only a folder that is whole has the name that was asked for.
    let parent = args.out.parent().filter(|p| !p.as_os_str().is_empty());
    let unfinished = tempfile::Builder::new()
        .prefix(".incident-")
        .tempdir_in(parent.unwrap_or_else(|| ".".as_ref()))?;
    if args.out.exists() {
        return Err(format!("{} is there already", text(&args.out)).into());
    }
    let folder = unfinished.path();
    fs::write(
        folder.join(FARM),
        serde_json::to_vec_pretty(&FarmFile::of(log.farm())?)?,
    )?;
    let mut packed = zstd::Encoder::new(File::create(folder.join(INPUTS))?, 3)?;
    let stop = Stop::within(WITHIN);
    let inputs = log.export(args.to, &stop, &mut packed)?;
    packed.finish()?.sync_all()?;
    fold(folder, args.to, folder.join(EVENTS))?;

    let span = (args.from, args.to);
    let mut manifest = Manifest::new(&args.farm, subject, span, args.language.into());
    manifest.inputs = inputs;
    let out = File::create(folder.join(EXPLANATIONS))?;
    (manifest.explanations, manifest.left_out) = explain_again(folder, &manifest, out)?;
    manifest.files = Manifest::sums(folder)?;
    manifest.chain = chain(folder)?;
    manifest.seal = Some(seal_incident(
        &args.journals.place.data_dir,
        &manifest.unsealed()?,
    )?);
    fs::write(folder.join(MANIFEST), serde_json::to_vec_pretty(&manifest)?)?;
    fs::rename(unfinished.keep(), &args.out)?;
    let explained = manifest.explanations;
    let _closed = writeln!(
        io::stdout().lock(),
        "{inputs} inputs, {explained} explanations, in {}",
        text(&args.out)
    );
    Ok(ExitCode::SUCCESS)
}
