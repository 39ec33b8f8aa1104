//! `harit journal export`: a farm's inputs as they were, for `harit replay`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use harit_ingest::export::Exported;

use crate::journals::JournalsArg;
use crate::report::report;

#[derive(Debug, Args)]
pub(crate) struct JournalArgs {
    #[command(subcommand)]
    command: JournalCommand,
}

#[derive(Debug, Subcommand)]
enum JournalCommand {
    /// Write a farm's inputs, one JSON object a line, and the farm as it was before them. Works beside a running server.
    Export(ExportArgs),
}

#[derive(Debug, Args)]
struct ExportArgs {
    #[command(flatten)]
    journals: JournalsArg,
    /// The farm.
    #[arg(long, value_name = "ID")]
    farm: String,
    /// Where the inputs go; a name that ends in .zst is compressed.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Where the farm goes as it was before them: its document, and its state where the journal has lost its beginning.
    #[arg(long, value_name = "FILE")]
    farm_out: PathBuf,
}

pub(crate) fn main(args: &JournalArgs) -> ExitCode {
    let JournalCommand::Export(args) = &args.command;
    match export(args) {
        Ok(exported) => {
            let from = if exported.farm.has_past() {
                "from the oldest state that is kept"
            } else {
                "from the farm's beginning"
            };
            let _closed = writeln!(io::stdout().lock(), "{} inputs, {from}", exported.inputs);
            ExitCode::SUCCESS
        }
        Err(e) => {
            report("harit journal export", &*e);
            ExitCode::FAILURE
        }
    }
}

fn export(args: &ExportArgs) -> Result<Exported, Box<dyn std::error::Error>> {
    let journals = args.journals.open()?;
    let file = BufWriter::new(File::create(&args.out)?);
    let exported = if args.out.extension().is_some_and(|e| e == "zst") {
        let mut packed = zstd::Encoder::new(file, 3)?;
        let exported = harit_ingest::export::export(&*journals, &args.farm, &mut packed)?;
        packed.finish()?.flush()?;
        exported
    } else {
        let mut file = file;
        let exported = harit_ingest::export::export(&*journals, &args.farm, &mut file)?;
        file.flush()?;
        exported
    };
    fs::write(&args.farm_out, serde_json::to_vec_pretty(&exported.farm)?)?;
    Ok(exported)
}
