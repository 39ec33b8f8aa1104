//! Checking an incident.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use harit_api::seal_incident;

use super::manifest::{Manifest, chain};
use super::{EVENTS, EXPLANATIONS, Failure, INPUTS, explain_again, fold};

#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The folder.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Check the seal too: the data directory of the server that wrote it.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

pub(super) fn verify(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let manifest = Manifest::read(&args.folder)?;
    let mut wrong: Vec<String> = Vec::new();
    if let Some(file) = manifest.changed(&Manifest::sums(&args.folder)?) {
        wrong.push(format!("{file} is not as it was written"));
    } else if chain(&args.folder)? != manifest.chain {
        wrong.push(format!("{INPUTS}: the chain of its lines ends otherwise"));
    } else {
        // Nothing of it is believed before it is known to be whole.
        let again = tempfile::tempdir()?;
        fold(&args.folder, manifest.to, again.path().join(EVENTS))?;
        let out = File::create(again.path().join(EXPLANATIONS))?;
        explain_again(&args.folder, &manifest, out)?;
        for name in [EVENTS, EXPLANATIONS] {
            if fs::read(again.path().join(name))? != fs::read(args.folder.join(name))? {
                wrong.push(otherwise(name, &manifest));
            }
        }
    }
    if let Some(data_dir) = &args.data_dir {
        let seal = seal_incident(data_dir, &manifest.unsealed()?)?;
        if manifest.seal.as_deref() != Some(&seal) {
            wrong.push("it was not sealed by that server, or changed since".to_owned());
        }
    }
    let mut out = io::stdout().lock();
    for what in &wrong {
        let _closed = writeln!(out, "{what}");
    }
    if !wrong.is_empty() {
        return Ok(ExitCode::FAILURE);
    }
    let (inputs, explained) = (manifest.inputs, manifest.explanations);
    let seal = match args.data_dir {
        Some(_) => "sealed by that server",
        None => "the seal was not checked",
    };
    let _closed = writeln!(
        out,
        "{inputs} inputs give the same events and {explained} explanations again; {seal}"
    );
    Ok(ExitCode::SUCCESS)
}

fn otherwise(name: &str, manifest: &Manifest) -> String {
    let (by, here) = (manifest.harit.as_str(), env!("CARGO_PKG_VERSION"));
    let versions = match by == here {
        true => String::new(),
        false => format!(" (written by {by}, folded by {here})"),
    };
    format!("{name}: the inputs give something else{versions}")
}
