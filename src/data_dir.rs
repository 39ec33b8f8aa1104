//! `--data-dir` and `--records-url` of the commands that look at what a server has written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use harit_api::RecordsPlace;
use harit_ingest::history::{BadUrl, PostgresUrl};
use sha2::{Digest as _, Sha256};

use crate::config::{Config, ConfigError};

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

/// What is a server's own: every data directory has one, and a server that stands by has the same.
pub(crate) const SERVER_KEY: &str = "codes.key";

/// What others know a server by, for a purpose: nobody finds the key by it, and it is the same where that comes back from a backup.
///
/// # Errors
/// When the data directory has no key, or it cannot be read.
pub(crate) fn server_id(data_dir: &Path, purpose: &str) -> io::Result<String> {
    let key = fs::read(data_dir.join(SERVER_KEY))?;
    let digest = Sha256::new().chain_update(purpose).chain_update(key);
    let first = digest.finalize().into_iter().take(8);
    Ok(first.map(|byte| format!("{byte:02x}")).collect())
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

    /// The records where that says, else where the settings of their server do.
    pub(crate) fn or(&self, config: &Config) -> Result<RecordsPlace, ConfigError> {
        let given = self.of(&config.server.data_dir);
        let given = given.map_err(|e| ConfigError::Value(format!("--records-url: {e}")))?;
        match given.postgres() {
            Some(_) => Ok(given),
            None => config.records(),
        }
    }
}
