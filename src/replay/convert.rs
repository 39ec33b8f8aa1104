//! `harit convert`: recorded readings from text into columns, which replay many times faster.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use harit_protocol::csv;

use super::ReplayError;
use super::output::Unfinished;
use super::telemetry::Telemetry;
use crate::columnar::{ColumnarError, Writer, double};

const BUFFER: usize = 1 << 18;

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Readings with the header `at,sensor,value`; `at` is epoch milliseconds or RFC 3339. Gzip and zstd are recognised.
    #[arg(long, value_name = "FILE")]
    telemetry: PathBuf,
    /// The Parquet file to write, for `harit replay --telemetry` and for other tools.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Count malformed lines and go on, instead of stopping at the first.
    #[arg(long)]
    skip_bad: bool,
}

pub(crate) fn main(args: &ConvertArgs) -> ExitCode {
    match run(args) {
        Ok((rows, bad)) => {
            let _closed = writeln!(io::stdout().lock(), "readings   {rows:>12}");
            if bad > 0 {
                let _closed = writeln!(io::stdout().lock(), "bad lines  {bad:>12}  skipped");
            }
            ExitCode::SUCCESS
        }
        Err(e) => {
            let _closed = writeln!(io::stderr().lock(), "harit convert: {e}");
            ExitCode::from(e.exit_code())
        }
    }
}

/// How many readings were written, and how many lines left out.
fn run(args: &ConvertArgs) -> Result<(u64, u64), ReplayError> {
    let Telemetry::Text(mut lines) = Telemetry::open(&args.telemetry)? else {
        return Err(ReplayError::File {
            path: args.telemetry.clone(),
            reason: "it is in columns already".to_owned(),
        });
    };
    let (file, out) = Unfinished::create(&args.out)?;
    let failed = |e: ColumnarError| ReplayError::Io {
        path: file.path().to_owned(),
        source: io::Error::other(e),
    };
    let mut writer = Writer::new(BufWriter::with_capacity(BUFFER, out)).map_err(failed)?;
    let (mut rows, mut bad) = (0, 0);
    while let Some(line) = lines.next()? {
        match csv::parse(line) {
            Ok(None) => {}
            Ok(Some(row)) => {
                rows += 1;
                writer
                    .push(row.at, row.sensor, double(row.value, row.text))
                    .map_err(failed)?;
            }
            Err(_) if args.skip_bad => bad += 1,
            Err(reason) => return Err(lines.malformed(&reason)),
        }
    }
    let mut out = writer.finish().map_err(failed)?;
    out.flush().map_err(ReplayError::io(file.path()))?;
    lines.done();
    file.finish()?;
    Ok((rows, bad))
}
