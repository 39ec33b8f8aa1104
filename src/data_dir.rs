//! `--data-dir` and `--records-url` of the commands that look at what a server has written.

use std::path::{Path, PathBuf};

use clap::Args;
use harit_api::RecordsPlace;
use harit_ingest::history::{BadUrl, PostgresUrl};

#[derive(Debug, Clone, Args)]
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

/// Where the records are, if they are not in the data directory.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RecordsArg {
    /// The PostgreSQL that has the records, where they are not in the data directory: records.url of the settings.
    #[arg(
        long,
        value_name = "URL",
        env = "HARIT_RECORDS_URL",
        default_value = "",
        global = true
    )]
    records_url: String,
    /// Its password, where it is not in the address.
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "HARIT_RECORDS_PASSWORD",
        default_value = "",
        hide_env_values = true,
        global = true
    )]
    records_password: String,
}

impl RecordsArg {
    /// The records of a data directory.
    pub(crate) fn of(&self, data_dir: &Path) -> Result<RecordsPlace, BadUrl> {
        let postgres = match self.records_url.as_str() {
            "" => None,
            url => Some(PostgresUrl::new(url, &self.records_password)?),
        };
        Ok(RecordsPlace::new(data_dir, postgres))
    }
}
