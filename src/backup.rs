//! `harit backup`: a copy of a data directory, beside a running server.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::report::report;

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The server's data directory.
    #[arg(
        long,
        value_name = "DIR",
        env = "HARIT_DATA_DIR",
        default_value = "data"
    )]
    data_dir: PathBuf,
    /// Where the copy goes: a directory that is new or empty. To restore, start a server with it as its data directory.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn main(args: &BackupArgs) -> ExitCode {
    match harit_ingest::backup::backup(&args.data_dir, &args.out) {
        Ok(copied) => {
            let kib = copied.bytes.div_ceil(1_024);
            let _closed = writeln!(
                io::stdout().lock(),
                "{} files, {kib} KiB, in {}",
                copied.files,
                args.out.display()
            );
            ExitCode::SUCCESS
        }
        Err(e) => {
            report("harit backup", &e);
            ExitCode::FAILURE
        }
    }
}
