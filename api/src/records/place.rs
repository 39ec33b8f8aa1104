//! Where the records are.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use harit_ingest::history::PostgresUrl;
use harit_journal::put_file;
use sqlx::ConnectOptions as _;

use super::cell::{self, Cell};
use super::db::{self, SCHEMA};
use super::sql::within;

/// Says in a data directory that its records are elsewhere, and where: an address without a password.
const ELSEWHERE: &str = "records.url";

/// The database of the records, and the directory of the keys without which nobody reads it.
#[derive(Debug, Clone)]
pub struct RecordsPlace {
    dir: PathBuf,
    postgres: Option<PostgresUrl>,
    lease: Option<Duration>,
    cell: Option<Cell>,
}

impl RecordsPlace {
    /// A file of the data directory.
    #[must_use]
    pub fn file_in(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            postgres: None,
            lease: None,
            cell: None,
        }
    }

    /// A PostgreSQL where there is one, else a file of the data directory, where the keys are in either case.
    #[must_use]
    pub fn new(dir: &Path, postgres: Option<PostgresUrl>) -> Self {
        Self {
            dir: dir.to_owned(),
            postgres,
            lease: None,
            cell: None,
        }
    }

    /// Has the PostgreSQL take the right to write from a server that says nothing for so long, as one that hangs or whose machine is
    /// gone, so that another one can have it. See [`Records::hold`].
    ///
    /// [`Records::hold`]: super::Records::hold
    #[must_use]
    pub const fn leased(mut self, lease: Duration) -> Self {
        self.lease = Some(lease);
        self
    }

    /// For how long the right to write is a silent server's; none where that is as long as its connection.
    #[must_use]
    pub const fn lease(&self) -> Option<Duration> {
        self.lease
    }

    /// Has other servers write them too, each in a cell of its own.
    #[must_use]
    pub fn of_cell(mut self, cell: Cell) -> Self {
        self.cell = Some(cell);
        self
    }

    /// The cell whose farms are this server's; none where all are.
    #[must_use]
    pub const fn cell(&self) -> Option<&Cell> {
        self.cell.as_ref()
    }

    /// The PostgreSQL, if they are in one.
    #[must_use]
    pub const fn postgres(&self) -> Option<&PostgresUrl> {
        self.postgres.as_ref()
    }

    /// Asks the PostgreSQL whether records can be kept there: what it is, and what is to be warned of.
    ///
    /// # Errors
    /// When it does not answer, or has tables of a newer program.
    pub async fn ask(url: &PostgresUrl) -> Result<(String, Option<&'static str>), sqlx::Error> {
        const WHAT: &str = "SELECT current_setting('server_version'), current_setting('fsync'), to_regclass('_sqlx_migrations') IS NOT NULL";
        const NEWEST: &str = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";
        let mut c = within(url.options(SCHEMA).connect()).await?;
        let (version, fsync, is_used): (String, String, bool) =
            sqlx::query_as(WHAT).fetch_one(&mut c).await?;
        if is_used {
            let newest: i64 = sqlx::query_scalar(NEWEST).fetch_one(&mut c).await?;
            if newest > db::version() {
                let newer = "its tables are of a newer program: use that".to_owned();
                return Err(sqlx::Error::Configuration(newer.into()));
            }
        }
        let warning = (fsync != "on").then_some(
            "it does not sync (fsync = off): a power cut may take what people were told is saved",
        );
        Ok((format!("PostgreSQL {version}"), warning))
    }

    /// Asks the PostgreSQL whether a server has the right to write there that one of this cell, or of none, would need: it is at work, on
    /// this machine or another.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn is_written(&self, url: &PostgresUrl) -> Result<bool, sqlx::Error> {
        let mut c = within(url.options(SCHEMA).connect()).await?;
        cell::is_taken(&mut c, self.cell()).await
    }

    /// Asks whether a server of this cell, or of none, stands by and could be at work. Without a PostgreSQL none does.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn is_any_able(&self) -> Result<bool, sqlx::Error> {
        let Some(url) = self.postgres() else {
            return Ok(false);
        };
        let mut c = within(url.options(SCHEMA).connect()).await?;
        cell::is_any_able(&mut c, self.cell()).await
    }

    /// Where the records of a data directory are, if they are not in it: an address without a password.
    #[must_use]
    pub fn elsewhere(dir: &Path) -> Option<String> {
        fs::read_to_string(dir.join(ELSEWHERE)).ok()
    }

    /// Writes down in the data directory where its records are.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note(&self) -> io::Result<()> {
        let file = self.dir.join(ELSEWHERE);
        match &self.postgres {
            Some(url) => put_file(&file, url.to_string().as_bytes()),
            None if file.exists() => fs::remove_file(file),
            None => Ok(()),
        }
    }

    /// The directory of the keys.
    pub(crate) fn keys(&self) -> &Path {
        &self.dir
    }

    /// The file in which they are where they are in a file.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.dir.join("records.db")
    }
}

/// The file, or the address without its password.
impl fmt::Display for RecordsPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.postgres {
            Some(url) => url.fmt(f),
            None => self.file().display().fmt(f),
        }
    }
}
