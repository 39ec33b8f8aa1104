//! `--data-dir` of the commands that look at what a server has written.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct DataDirArg {
    /// The server's data directory.
    #[arg(
        long,
        value_name = "DIR",
        env = "HARIT_DATA_DIR",
        default_value = "data"
    )]
    pub(crate) data_dir: PathBuf,
}
