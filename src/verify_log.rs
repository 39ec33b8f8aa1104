//! `harit verify-log`: whether the audit log is as it was written.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use harit_api::{LogReport, seal_log_anew, verify_log};

use crate::data_dir::{DataDirArg, RecordsArg};
use crate::report::report;

#[derive(Debug, Args)]
pub(crate) struct VerifyLogArgs {
    #[command(flatten)]
    place: DataDirArg,
    #[command(flatten)]
    records: RecordsArg,
    /// Take the log as it is now and seal its ends anew, where audit.heads was lost. Only while no server runs.
    #[arg(long)]
    seal_anew: bool,
}

pub(crate) fn main(args: &VerifyLogArgs) -> ExitCode {
    match verify(args) {
        Ok(found) if found.problems.is_empty() => {
            let (entries, chains) = (found.entries, found.chains);
            say(&format!(
                "{entries} entries in {chains} chains are as they were written"
            ));
            ExitCode::SUCCESS
        }
        Ok(found) => {
            for problem in &found.problems {
                say(&problem.to_string());
            }
            ExitCode::FAILURE
        }
        Err(e) => {
            report("harit verify-log", &*e);
            ExitCode::from(2)
        }
    }
}

fn verify(args: &VerifyLogArgs) -> Result<LogReport, Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let records = args.records.of(&args.place.data_dir)?;
    let report = if args.seal_anew {
        runtime.block_on(seal_log_anew(&records))
    } else {
        runtime.block_on(verify_log(&records))
    };
    Ok(report?)
}

fn say(line: &str) {
    let _closed = writeln!(io::stdout().lock(), "{line}");
}
